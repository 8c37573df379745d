"""12.3 Without positions: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d12_induction_grows.lesson import COPIERS, PLACES_CONTROLS, without_positions
from demos.d12_induction_grows.words import COUNT, RECORDED, TRAINED
from lecture.margins import above, below, both, near
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    close,
)

LOW, HIGH = T("最低", "lowest"), T("最高", "highest")
QUANTITIES = {
    **{f"record.*.{leaf}.{end}": Quantity(head, form)
       for leaf, form in (("right", ".1%"), ("longer", ".1%"), ("previous", ".2f"),
                          ("matching", ".2f"))
       for end, head in (("low", LOW), ("high", HIGH))},
    "record.*.seeds": Quantity(T("种子", "seeds"), "d"),
    "*.shuffled.layer0": Quantity(T("L0 的输出", "L0's output"), ".1f<1e-12"),
    "*.shuffled.layer1": Quantity(T("L1 的输出", "L1's output"), ".1f"),
    "*.cut.layer0": Quantity(T("切掉 L0", "L0 cut"), ".1%"),
    "*.cut.layer1": Quantity(T("切掉 L1", "L1 cut"), ".1%"),
    "*.right": Quantity(T("抄对", "right"), ".1%"),
    "*.longer": Quantity(T("更长的行", "longer rows"), ".1%"),
    "*.previous": Quantity(T("看前一个词", "previous"), ".2f"),
    "*.matching": Quantity(T("前缀匹配", "matching"), ".2f"),
    "by_hand": Quantity(T("手工", "by hand"), ".1%"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {"*.no_positions": T("没有位置", "no positions"), "*.with_rope": T("RoPE", "RoPE")}
MODELS = tuple(f"models.{name}" for name in COPIERS)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(MODELS, ("right", "longer", "previous", "matching"),
               title=T("现在量；分数取最高的头。更长的行：{far_words} 个词",
                       "Measured now; scores of the best head. Longer rows: {far_words} words"))
    yield Rows("record.*", (
        Group(T("抄对", "right"), ("right.low", "right.high")),
        Group(T("更长的行", "longer rows"), ("longer.low", "longer.high")),
        Group(T("看前一个词", "previous"), ("previous.low", "previous.high")),
        Group(T("前缀匹配", "matching"), ("matching.low", "matching.high"))),
        more=True,
        title=T("记录：各 {record.no_positions.seeds} 个种子（更长的行：07.4 的记录，另一批行）",
                "Recorded: {record.no_positions.seeds} seeds each (longer rows: 07.4's record, "
                "other rows)"))
    yield Rows(MODELS, (
        Group(T("打乱前面的词，移动", "words before it shuffled"),
              ("shuffled.layer0", "shuffled.layer1")),
        Group(T("还抄对", "right"), ("cut.layer0", "cut.layer1"))), more=True,
        title=T("最后一个词那里的输出移动多少；一层的头全切，还抄对多少",
                "How far the output at the last word moves; all heads of a layer cut"))


PART = Part(
    number=3, key="places",
    title=T("不给位置", "Without positions"),
    compute=without_positions, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=COPIERS,
    lead=(Paragraph(T(
        "名单短些：{shortest} 到 {longest} 个名字，{names} 个里抽，一行 {words} 个词；两层，每层四"
        "个头，宽六十四，没有 MLP。两个网络只差一样：一个用 RoPE，一个不给位置；因果掩码都有。",
        "Shorter lists: {shortest} to {longest} names of {names}, rows of {words} words; two "
        "layers of four heads, width sixty-four, no MLP. The two networks differ in one thing: "
        "RoPE, or no position code; both have the causal mask.")),),
    controls=PLACES_CONTROLS,
    claims=(
        Claim("longer_rows", T(
            "行长一倍（训练时没见过），没有位置的抄对 {models.no_positions.longer}，RoPE 只有 "
            "{models.with_rope.longer}；{record.no_positions.seeds} 个种子的两个范围不相交（记"
            "录）。",
            "On rows twice as long, never trained on, no positions gets "
            "{models.no_positions.longer}, RoPE {models.with_rope.longer}; over "
            "{record.no_positions.seeds} seeds the two ranges do not meet (recorded)."),
            lambda m: both(above(m.models.no_positions.longer, m.models.with_rope.longer + 0.15),
                           above(m.models.no_positions.longer, 0.7),
                           above(m.record.no_positions.longer.low,
                                 m.record.with_rope.longer.high + 0.15)),
            "rope_for_none", given=("record.*.seeds",)),
        Claim("no_previous_token_head", T(
            "没有位置的那个有匹配头（{models.no_positions.matching}），却没有前一词头（最高的头 "
            "{models.no_positions.previous}）；{record.no_positions.seeds} 个种子都这样。",
            "No positions: a matching head ({models.no_positions.matching}) and no previous-token "
            "head (the best has {models.no_positions.previous}); all "
            "{record.no_positions.seeds} seeds agree."),
            lambda m: both(below(m.models.no_positions.previous, 0.4),
                           above(m.models.no_positions.matching, 0.4),
                           below(m.record.no_positions.previous.high, 0.4),
                           above(m.record.no_positions.matching.low, 0.4)), "grown",
            given=("record.*.seeds",)),
        Claim("copies_without_either", T(
            "RoPE 那个也会抄，两种头却都没有（最高的头 {models.with_rope.previous} 和 "
            "{models.with_rope.matching}）；{record.with_rope.seeds} 个种子都这样。会抄，不等于有"
            "归纳头。",
            "RoPE copies too and has neither kind of head (the best have "
            "{models.with_rope.previous} and {models.with_rope.matching}); all "
            "{record.with_rope.seeds} seeds agree. To copy is not to have an induction head."),
            lambda m: both(above(m.models.with_rope.right, 0.9),
                           below(m.models.with_rope.previous, 0.4),
                           below(m.models.with_rope.matching, 0.4),
                           above(m.record.with_rope.right.low, 0.9),
                           below(m.record.with_rope.previous.high, 0.4),
                           below(m.record.with_rope.matching.high, 0.4)), "grown",
            given=("record.*.seeds",)),
        Claim("one_layer_sees_a_set", T(
            "没有位置，一层看到的只是一个集合：打乱前面的词，最后一个词在 L0 的输出移动 "
            "{models.no_positions.shuffled.layer0}；到 L1 才移动 "
            "{models.no_positions.shuffled.layer1}。",
            "Without positions one layer sees a set: shuffle the words before it, and L0's output "
            "at the last word moves {models.no_positions.shuffled.layer0}, L1's "
            "{models.no_positions.shuffled.layer1}."),
            lambda m: both(below(m.models.no_positions.shuffled.layer0, 1e-9),
                           above(m.models.no_positions.shuffled.layer1, 0.1)),
            "rope_for_none", kind="identity", more=True),
    ),
    caveat=T(
        "“没有这种头”：没有一个头在多数行里这样看；几个头合起来可以做同样的事。怎样做的，没有说"
        "清。",
        "“No such head”: no single head looks so in most rows; several may do it together. How is "
        "not settled here."),
    questions=(Question(
        T("两层注意力，没有任何位置编码，间隔不定。抄对多少？",
          "Two layers, no position codes, varying distance: how much is copied?"),
        (Option(T("和瞎猜差不多", "as by guessing"),
                lambda m: below(m.models.no_positions.right, 0.1),
                T("以为没有位置编码就没有次序；因果掩码还在。",
                  "believes no codes means no order; the causal mask is still there.")),
         Option(T("两成左右", "about a fifth"),
                lambda m: near(m.models.no_positions.right, 0.2, 0.1),
                T("以为只知道有哪些词；一层才这样（见 --more 的打乱）。",
                  "expects it to know the words and not their order; that is one layer (--more).")),
         Option(T("一半左右", "about half"),
                lambda m: near(m.models.no_positions.right, 0.5, 0.2),
                T("以为泄露的次序只够一半：{models.no_positions.right}。",
                  "expects the leak to be worth half: {models.no_positions.right}.")),
         Option(T("几乎全对", "nearly all"), lambda m: above(m.models.no_positions.right, 0.9))),
        answer=Claim("copies_blind", T(
            "{models.no_positions.right}；演示 04 手工的电路没有编号时是 {by_hand}。第一层是要的："
            "切掉"
            "它，只剩 {models.no_positions.cut.layer0}。",
            "{models.no_positions.right}; the circuit set by hand in demo 04, without place "
            "numbers, "
            "{by_hand}. It takes layer one: with that cut, {models.no_positions.cut.layer0}."),
            lambda m: both(above(m.models.no_positions.right, 0.95), below(m.by_hand, 0.3),
                           below(m.models.no_positions.cut.layer0, 0.3),
                           above(m.record.no_positions.right.low, 0.95)), "first_layer_cut")),),
    pins={"record.*": RECORDED, "rows": COUNT, "*words": COUNT, "names": COUNT,
          "shortest": COUNT, "longest": COUNT,
          "models.no_positions.shuffled.layer0": ROUNDING,
          "*.shuffled.layer0": close("rounding, or a shift of the trained stream", 1e-6, 1e-9),
          "*": TRAINED},
    notes=T(
        "约 6 分钟。先投票。接着问：第一层分不出次序（--more），第二层凭什么？（一种说法：第一层"
        "写下“到目前为止的平均”，位置越后越钝，第二层可以比较两处的平均；这里没有试。）参考：Haviv "
        "等 2022，Kazemnejad 等 2023。争论点：分数都不高的那个网络，算不算有归纳头？",
        "About 6 minutes. Vote first. Then ask: if layer one cannot tell the order (--more), what "
        "does layer two go by? (One account: layer one writes the mean so far, blunter with every "
        "word, and layer two compares two such means; not tested here.) Haviv et al. 2022, "
        "Kazemnejad et al. 2023. The argument: has the network with low scores an induction head "
        "or not?"),
)
