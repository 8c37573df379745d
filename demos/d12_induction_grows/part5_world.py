"""12.5 In the country model: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d12_induction_grows.lesson import MOST_SEEDS, WORLD_CONTROLS, mix_in
from demos.d12_induction_grows.words import COUNT, RECORDED, TRAINED
from lecture.margins import above, at_least, at_most, below, both, equal
from lecture.quantities import Group, Named, Rows
from lecture.report import Claim, Metrics, Option, Paragraph, Part, Quantity, Question, T

QUANTITIES = {
    "*.copied.*": Quantity(T("", ""), ".1%"),
    "*.copied": Quantity(T("抄对", "copied"), ".1%"),
    "*.right": Quantity(T("答对", "answers"), "d"),
    "*.share": Quantity(T("名单占", "lists are"), ".0%"),
    "*.lowest": Quantity(T("最低", "lowest"), ".1%"),
    "*.highest": Quantity(T("最高", "highest"), ".1%"),
    "*.matching": Quantity(T("前缀匹配", "matching"), ".2f"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    **{f"shares.{i}": T(f"{{shares.{i}.share}}", f"{{shares.{i}.share}}") for i in range(7)},
    "table_of_places": T("{table_of_places.share}，可学习的位置表",
                         "{table_of_places.share}, learned places"),
    "now": T("读过 {enough.share} 名单的", "the one with {enough.share} of lists"),
    "cuts.matching": T("切 {cuts.matching.name}，匹配最好的头",
                       "{cuts.matching.name} cut, its best matching head"),
    "cuts.neighbour": T("切 {cuts.neighbour.name}，同层另一个", "{cuts.neighbour.name} cut, the "
                        "layer's other head"),
}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(("shares.*", "table_of_places"),
               (Group(T("抄对的比例，各种子从低到高", "share copied, each seed, in order"),
                      tuple(f"copied.{i}" for i in range(MOST_SEEDS))),
                "matching", "right"),
               head=T("名单占", "lists are"),
               title=T("记录：名单占语料的比例（按词数）；{questions} 题最少答对几题",
                       "Recorded: lists in the corpus, by words; fewest of {questions} answers "
                       "right"))
    yield Rows(("now", "cuts.*"), ("copied", "right"), head=T("现在量", "measured now"))


PART = Part(
    number=5, key="world",
    title=T("在国家模型里", "In the country model"),
    compute=mix_in, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("copies_too",),
    lead=(Paragraph(T(
        "国家模型的语料里没有一份名单说过两遍，它也不会抄（04.5）。现在掺进“八到二十个名字说两遍”"
        "的名单，每次都是新的，步数都是 {steps}。网络也是那个，只把位置表换成 RoPE。测试："
        "{in_a_row} 个名字说两遍。",
        "No list is said twice in the country model's corpus, and it does not copy (04.5). Now "
        "lists are mixed in, eight to twenty names said twice, always new, always {steps} steps. "
        "Its network, with RoPE for the table of positions. Test: {in_a_row} names said twice.")),),
    controls=WORLD_CONTROLS,
    claims=(
        Claim("no_guarantee", T(
            "再多也不保证：占 {most.share} 时，{most.seeds} 个种子里最差的只有 {most.lowest}。",
            "More is no guarantee: at {most.share} the worst of {most.seeds} seeds copies "
            "{most.lowest}."),
            lambda m: both(at_least(m.most.copying, m.most.seeds / 2),
                           at_most(m.most.copying, m.most.seeds - 1), below(m.most.lowest, 0.5),
                           above(m.most.share, m.before.share)), "learned_positions",
            kind="recorded"),
        Claim("still_answers", T(
            "用 RoPE，学会抄没有丢一题：每种比例、每个种子都答对 {fewest_right} 题。",
            "With RoPE copying costs no answer: {fewest_right} right at every share and seed."),
            lambda m: both(equal(m.fewest_right, m.questions), above(m.most.highest, 0.8)),
            "learned_positions", kind="recorded"),
        Claim("cut", T(
            "切 {cuts.matching.name}，抄对掉到 {cuts.matching.copied}，题还对 "
            "{cuts.matching.right} 道；切同层的 {cuts.neighbour.name}，还抄对 "
            "{cuts.neighbour.copied}。抄写靠它，答题不太靠。",
            "Cut {cuts.matching.name}, and {cuts.matching.copied} are copied while "
            "{cuts.matching.right} answers stay right; cut {cuts.neighbour.name}, and "
            "{cuts.neighbour.copied} are copied. Answers need the copying head less."),
            lambda m: both(below(m.cuts.matching.copied, m.now.copied / 3),
                           above(m.cuts.matching.right, m.now.right / 2),
                           above(m.cuts.neighbour.copied, m.now.copied / 2)), "wrong_head"),
    ),
    caveat=T(
        "门槛只属于这个网络、这么多步；末一行换回国家模型的位置表。切头用的种子，抄对在 "
        "{enough.seeds} 个里从低数第 {place}。",
        "One network, these steps; the last row has the country model's own table of places. The "
        "cuts are of seed number {place} of {enough.seeds}, from the lowest."),
    questions=(Question(
        T("掺进说两遍的名单。从哪种比例起，它抄对一半以上？",
          "Lists said twice are mixed in. From which share does it copy over half?"),
        (Option(T("{shares.1.share}", "{shares.1.share}"),
                lambda m: below(m.enough.share, m.shares[2].share - 0.01),
                T("以为看见过就学得会：{shares.1.share} 时最好的种子抄对 {shares.1.highest}。",
                  "thinks seen is learned: at {shares.1.share} the best seed copies "
                  "{shares.1.highest}.")),
         Option(T("{shares.2.share} 到 {shares.3.share}", "{shares.2.share} to {shares.3.share}"),
                lambda m: both(above(m.enough.share, m.shares[2].share - 0.01),
                               below(m.enough.share, m.shares[3].share + 0.01)),
                T("低估了门槛：{shares.3.share} 时最好的种子抄对 {shares.3.highest}。",
                  "underrates the threshold: at {shares.3.share} the best seed copies "
                  "{shares.3.highest}.")),
         Option(T("{shares.4.share} 到 {shares.5.share}", "{shares.4.share} to {shares.5.share}"),
                lambda m: both(above(m.enough.share, m.shares[3].share + 0.01),
                               below(m.enough.share, m.shares[5].share + 0.01))),
         Option(T("还要更多", "more than that"),
                lambda m: above(m.enough.share, m.shares[5].share + 0.01),
                T("以为学抄会挤掉学事实；{enough.share} 时 {questions} 题都对（用 RoPE）。",
                  "expects copying and facts to crowd each other out; at {enough.share} all "
                  "{questions} answers are right (with RoPE)."))),
        answer=Claim("needs_many", T(
            "占 {before.share} 时最好的种子抄对 {before.highest}，占 {enough.share} 时最差的也有 "
            "{enough.lowest}。",
            "at {before.share} the best seed copies {before.highest}, at {enough.share} the worst "
            "{enough.lowest}."),
            lambda m: both(below(m.before.highest, 0.3), above(m.enough.lowest, 0.5),
                           above(m.enough.share, m.before.share)), "learned_positions",
            kind="recorded", given=("*.share",))),),
    pins={"shares.*": RECORDED, "without.*": RECORDED, "before.*": RECORDED,
          "enough.*": RECORDED, "most.*": RECORDED, "fewest_right": RECORDED,
          "table_of_places.*": RECORDED, "questions": COUNT, "in_a_row": COUNT, "steps": COUNT,
          "place": COUNT, "*.name": COUNT, "*.right": COUNT, "*": TRAINED},
    notes=T(
        "约 6 分钟。先投票，再一行一行往下读。争论点：为什么不是慢慢变好，而是过了某个比例就会？"
        "（想想第 1 部分的一跳；这里只量了末了，没有量路上。）",
        "About 6 minutes. Vote, then read the table downwards. The argument: why not gradually, "
        "but from some share on? (Think of the jump of part 1; here only the end was measured, "
        "not the way.)"),
)
