"""12.2 The same circuit as by hand?: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d12_induction_grows.lesson import CIRCUIT_CONTROLS, READS, same_circuit
from demos.d12_induction_grows.words import COUNT, RECORDED, TRAINED
from lecture.margins import above, at_least, at_most, below, both, equal, near
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    ARITHMETIC,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
)

KINDS = {"keys": T("键", "keys"), "queries": T("查询", "queries"), "values": T("值", "values")}
QUANTITIES = {
    **{f"reads.*.right.{k}": Quantity(name, ".1%") for k, name in KINDS.items()},
    **{f"reads.*.size.{k}": Quantity(name, ".2f") for k, name in KINDS.items()},
    "*.previous": Quantity(T("看前一个词", "previous"), ".3f"),
    "*.matching": Quantity(T("前缀匹配", "matching"), ".3f"),
    "*.copying": Quantity(T("复制分数", "copying"), ".3f"),
    "*.not_repeating": Quantity(T("不重复", "no repeat"), ".3f"),
    "*.all_rows": Quantity(T("除以全部行", "over all rows"), ".3f"),
    "chance": Quantity(T("随机", "drawn"), ".2f"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "hand.0": T("手工，第一层", "by hand, layer one"),
    "hand.1": T("手工，第二层", "by hand, layer two"),
    **{f"heads.{i}": T(f"训练的 {name}", f"trained {name}")
       for i, name in enumerate(("L0H0", "L0H1", "L1H0", "L1H1"))},
    **{f"reads.{role}": T(f"{{reads.{role}.name}}", f"{{reads.{role}.name}}")
       for role in ("looker", "other")},
}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(("hand.*", "heads.*"), ("previous", "matching", "copying", "not_repeating"),
               head=T("头", "head"))
    yield Rows("reads.*", (
        Group(T("从这里拿走，还抄对", "right, taken out of"),
              tuple(f"right.{k}" for k in READS)),
        Group(T("复合的大小", "size of composition"), tuple(f"size.{k}" for k in READS))),
        head=T("L1 读的头", "read by L1"))


PART = Part(
    number=2, key="circuit",
    title=T("和手工的是同一个电路吗", "The same circuit as by hand?"),
    compute=same_circuit, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("grows",),
    lead=(Paragraph(T(
        "复制分数（Elhage 等 2021）：从看见一个词到说出一个词的整条路 W_E W_V W_O W_U，特征值之和"
        "除以它们绝对值之和；1 是看见谁就说谁。不重复：后面的词换成没说过的，仍量那些位置。K 复合："
        "L1 的键里有 L0 写下的东西；查法是把 L0 的一个头只从 L1 读的键（或查询、值）里拿走。",
        "Copying (Elhage et al. 2021): of the way from word to word, W_E W_V W_O W_U, the sum of "
        "the eigenvalues over the sum of their sizes; 1: it says whom it sees. No repeat: later "
        "words new, the same places. K-composition: L1's keys hold what L0 wrote; the test takes "
        "a head of L0 out of what L1 reads as keys (queries, values) only.")),),
    controls=CIRCUIT_CONTROLS,
    claims=(
        Claim("same_two_kinds", T(
            "{looker.name} 给前一个词 {looker.previous}，{matcher.name} 给匹配处 "
            "{matcher.matching}：接近手工的两层。",
            "{looker.name} gives {looker.previous} to the previous word, {matcher.name} "
            "{matcher.matching} to the match: near the two layers by hand."),
            lambda m: both(above(m.looker.previous, 0.8), above(m.matcher.matching, 0.8),
                           near(m.hand[0].previous, 1, 0.05), near(m.hand[1].matching, 1, 0.05)),
            "another_copier"),
        Claim("k_composition", T(
            "L1 用键读 {reads.looker.name}：从键里拿走它，只剩 {reads.looker.right.keys}；从查询"
            "里、从值里拿走，还有 {reads.looker.right.queries} 和 {reads.looker.right.values}。",
            "L1 reads {reads.looker.name} with its keys: taken out of the keys, "
            "{reads.looker.right.keys} stay right; out of the queries or the values, "
            "{reads.looker.right.queries} and {reads.looker.right.values}."),
            lambda m: both(below(m.reads.looker.right.keys, 0.8),
                           below(m.reads.looker.right.keys,
                                 m.reads.looker.right.queries - 0.15),
                           above(m.reads.looker.right.queries, 0.9),
                           above(m.reads.looker.right.values, 0.9)), "other_head"),
        Claim("only_where_it_repeats", T(
            "没有重复，{matcher.name} 就不看那里：同样的位置只分到 {matcher.not_repeating}。它找"
            "的是词，不是距离。",
            "Without a repeat {matcher.name} does not look there: the same places get "
            "{matcher.not_repeating}. It looks for the word, not for a distance."),
            lambda m: both(below(m.matcher.not_repeating, 0.3), above(m.matcher.matching, 0.8)),
            "repeated_anyway"),
        Claim("says_what_it_sees", T(
            "{matcher.name} 看见谁就说谁：复制分数 {matcher.copying}，手工的 {hand.1.copying}，"
            "{looker.name} 只有 {looker.copying}。",
            "{matcher.name} says whom it sees: copying {matcher.copying}, by hand "
            "{hand.1.copying}; {looker.name} has {looker.copying}."),
            lambda m: both(above(m.matcher.copying, 0.8), below(m.looker.copying, 0.6),
                           near(m.hand[1].copying, 1, 0.05)), "another_copier", more=True),
        Claim("size_of_composition", T(
            "只看权重也一样：{reads.looker.name} 和键的复合是 {reads.looker.size.keys}，和查询、值"
            "是 {reads.looker.size.queries}、{reads.looker.size.values}；随机矩阵约 1/√d = "
            "{chance}。",
            "The weights alone say the same: {reads.looker.name} composes with the keys by "
            "{reads.looker.size.keys}, with queries and values by {reads.looker.size.queries} and "
            "{reads.looker.size.values}; drawn matrices, about 1/√d = {chance}."),
            lambda m: both(above(m.reads.looker.size.keys, m.chance),
                           *(above(m.reads.looker.size.keys, 3 * x) for x in (
                               m.reads.looker.size.queries, m.reads.looker.size.values))),
            "other_head", more=True),
        Claim("two_denominators", T(
            "分数要说清除以什么。这里除以有匹配的行；TransformerLens 的 detect_head 除以全部的行。"
            "一个完美的头（{perfect.words} 个词说两遍，没有匹配时看位置 0）：这里 "
            "{perfect.matching}，那里 {perfect.all_rows}；{matcher.name}：{matcher.matching} 和 "
            "{matcher.all_rows}。",
            "A score must say what it divides by: here, by the rows with a match; detect_head of "
            "TransformerLens, by all rows. A perfect head ({perfect.words} words said twice, on "
            "place 0 till it matches): {perfect.matching} here, {perfect.all_rows} there; "
            "{matcher.name}: {matcher.matching} and {matcher.all_rows}."),
            lambda m: both(near(m.perfect.matching, 1, 0.05), near(m.perfect.all_rows, 0.5, 0.05),
                           above(m.matcher.matching, m.matcher.all_rows + 0.1)),
            T("两种定义的算术，没有机制可以拿掉", "arithmetic of two definitions: no mechanism"),
            kind="identity", given=("perfect.words",), more=True),
    ),
    caveat=T(
        "分数一样，不等于电路一样（第 4 部分切）。复合的大小略去归一化和 RoPE 的转动。",
        "Equal scores are not an equal circuit (part 4). The sizes leave out norm and RoPE."),
    questions=(Question(
        T("04.4 的前一词头和匹配头，在 {record.seeds} 个种子训练的网络里怎样出现？",
          "Previous-token and matching head (04.4), {record.seeds} seeds: where are they?"),
        (Option(T("总是 H0", "always H0"),
                lambda m: both(equal(m.record.in_order, m.record.seeds),
                               at_most(m.record.previous_is_1, 0)),
                T("以为编号有意义：前一词头在 {record.previous_is_1} 个种子里是 H1。",
                  "takes the numbers for meaningful: the previous-token head is H1 in "
                  "{record.previous_is_1} seeds.")),
         Option(T("先在 L0，后在 L1，编号不定", "L0, then L1; H varies"),
                lambda m: both(equal(m.record.in_order, m.record.seeds),
                               at_least(m.record.previous_is_0, 1),
                               at_least(m.record.previous_is_1, 1))),
         Option(T("一个头兼做", "one head does both"),
                lambda m: near(m.looker.layer, m.matcher.layer, 0.5),
                T("{looker.name} 的前缀匹配只有 {looker.matching}。",
                  "the matching score of {looker.name} is {looker.matching}.")),
         Option(T("认不出来", "unclear"),
                lambda m: below(min(m.looker.previous, m.matcher.matching), 0.5),
                T("以为训练出来的总是一团糟：{looker.previous} 和 {matcher.matching}。",
                  "expects a muddle: {looker.previous} and {matcher.matching}."))),
        answer=Claim("numbers_vary", T(
            "{record.seeds} 个种子都是前一词头在 L0，匹配头在 L1；前一词头有 "
            "{record.previous_is_0} 个是 H0，其余是 H1。",
            "in all {record.seeds} seeds the previous-token head is in L0, the matching head in "
            "L1; the first is H0 in {record.previous_is_0}, H1 in the others."),
            lambda m: both(equal(m.record.in_order, m.record.seeds),
                           at_least(m.record.previous_is_0, 1),
                           at_least(m.record.previous_is_1, 1)), "one_layer",
            kind="recorded")),),
    pins={"record.*": RECORDED, "rows": COUNT, "*.layer": COUNT, "*.head": COUNT,
          "*.name": COUNT, "perfect.*": ARITHMETIC, "chance": ARITHMETIC, "*": TRAINED},
    notes=T(
        "约 7 分钟。先投票，再看第一张表，从手工的两行读起；再问：怎样证明 L1 靠 L0H0 写下的来找？"
        "然后给第二张表。争论点：“不重复”那一列为什么要有？（第 6 部分有一个分数很高、什么词都不比"
        "的头。）",
        "About 7 minutes. Vote, then the first table from its two rows by hand; then ask how one "
        "would prove that L1 finds the place by what L0H0 wrote, and show the second. The "
        "argument: what is the column “no repeat” for? (Part 6 has a head with a high score that "
        "compares no words.)"),
)
