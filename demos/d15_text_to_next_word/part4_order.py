"""15.4 Alternating, or all attention first?: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d15_text_to_next_word.errata import ERRATA
from demos.d15_text_to_next_word.lesson import ORDER_CONTROLS, every_order
from demos.d15_text_to_next_word.words import ASKED, COUNTED, TRAINED
from lecture.margins import above, at_least, at_most, below, both
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

SAME_STEPS = exact("the same steps on the same numbers: a true zero")
QUANTITIES = {
    "shown.*.gap": Quantity(T("隐状态差", "apart"), ".0%"),
    "shown.*.left": Quantity(T("共对", "right"), "d"),
    **{f"shown.*.of.{key}": Quantity(name, "d") for key, name in ASKED.items()},
    "led.*.least": Quantity(T("最少", "fewest"), "d"),
    "led.*.most": Quantity(T("最多", "most"), "d"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "shown.own": T("L0A L0M L1A L1M  训练时的", "L0A L0M L1A L1M  as trained"),
    "shown.grouped": T("L0A L1A L0M L1M  分组", "L0A L1A L0M L1M  grouped"),
    "shown.top": T("L0A L0M L1M L1A  L1 里换先后", "L0A L0M L1M L1A  exchanged in L1"),
    "shown.bottom": T("L0M L0A L1A L1M  L0 里换先后", "L0M L0A L1A L1M  exchanged in L0"),
    "led.attn0": T("L0A", "L0A"), "led.mlp0": T("L0M", "L0M"),
    "led.attn1": T("L1A", "L1A"), "led.mlp1": T("L1M", "L1M"),
}
LEAD = (
    Paragraph(T(
        "国家模型的 {layers} 层拆成四个子层：L0、L1 的注意力（L0A、L1A）和 MLP（L0M、L1M）。权重"
        "不动，不重新训练，只换次序；四个子层一共 {orders} 种排法。",
        "The country model's {layers} layers taken apart into four sub-layers: attention (L0A, "
        "L1A) and MLP (L0M, L1M). Same weights, no training, another order; four sub-layers have "
        "{orders} orders.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("shown.*",
               ("gap", "left", Group(T("每问 {countries} 题", "of {countries} each"),
                                     tuple(f"of.{key}" for key in ASKED))),
               head=T("次序", "order"),
               title=T("{questions} 题还对几题", "Right of {questions} questions"),
               legend=T("隐状态差：最终隐状态（最后一次归一化以后）和训练时的次序比，差的长度占几"
                        "成。",
                        "apart: the vectors after the last norm, their distance from those of the "
                        "trained order, relative to their length."))
    yield Rows("led.*", ("least", "most"), head=T("打头的", "comes first"),
               title=T("全部 {orders} 种排法，按谁打头分，每种 {each} 个",
                       "All {orders} orders by what comes first, {each} each"))


PART = Part(
    number=4, key="order",
    title=T("交替，还是先全部注意力再全部 FFN？", "Alternating, or all attention first?"),
    compute=every_order, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("base",), controls=ORDER_CONTROLS,
    claims=(
        Claim("who_is_first", T(
            "谁打头很要紧：是 L0 注意力，最少也对 {led.attn0.least} 题；是别的，最多对 {rest} 题。",
            "What comes first matters: with L0's attention in front at least "
            "{led.attn0.least} are right, with any other at most {rest}."),
            lambda m: both(above(m.led.attn0.least, m.rest),
                           at_most(m.rest, 0.05 * m.questions)), "led_by_the_next"),
        Claim("within_a_layer", T(
            "同样是一层里换先后，在 L1 换还对 {shown.top.left} 题，在 L0 换只对 "
            "{shown.bottom.left} 题。",
            "Exchanged within a layer: in L1 {shown.top.left} stay right, in L0 "
            "{shown.bottom.left}."),
            lambda m: above(m.shown.top.left - m.shown.bottom.left, m.questions / 2),
            "alternating"),
        Claim("seeds", T(
            "换种子重训（记录，{record.seeds} 个）：分组后居中的种子对 {record.middle} 题，最多 "
            "{record.most} 题；谁打头那一条，每个种子都成立。",
            "Trained from other seeds (recorded, {record.seeds}): grouped, the middle seed gets "
            "{record.middle} right, the best {record.most}; what comes first matters in each."),
            lambda m: both(below(m.record.most, 0.95 * m.questions),
                           below(m.record.middle, 0.75 * m.questions),
                           at_least(m.record.first, m.record.seeds)),
            T("一份记录里的计数：没有另一组种子可作对照",
              "counts of one record: there is no other arm of it"), kind="recorded"),
    ),
    caveat=T(
        "次序是训练以后才换的。从头按别的次序训练也学得会（Press、Smith、Levy，2020），那是另一个"
        "网络。这里只有 {layers} 层。",
        "The order was changed after training. A network trained in another order can learn too "
        "(Press, Smith, Levy 2020); it is another network. These have {layers} layers."),
    questions=(Question(
        T("训练好的模型，权重不变：先做完所有注意力，再做所有 MLP（FFN）。{questions} 题还对几题？",
          "The trained model, same weights: all attention first, then all MLPs (FFNs). How many of "
          "{questions} are right?"),
        (Option(T("一题不少", "all of them"),
                lambda m: at_least(m.shown.grouped.left, m.questions),
                T("以为加法不管次序；可是后面的子层读的是前面加过的流。",
                  "sums have no order; but each sub-layer reads the stream as it is by then.")),
         Option(T("少几题", "nearly all"),
                lambda m: both(below(m.shown.grouped.left, m.questions - 0.5),
                               above(m.shown.grouped.left, 0.9 * m.questions)),
                T("以为先后关系不大：只剩 {shown.grouped.left} 题。",
                  "expects order to matter little: {shown.grouped.left} are left.")),
         Option(T("少一大片", "many are lost"),
                lambda m: both(below(m.shown.grouped.left, 0.9 * m.questions),
                               above(m.shown.grouped.left, 0.1 * m.questions))),
         Option(T("几乎全错", "nearly none"),
                lambda m: below(m.shown.grouped.left, 0.1 * m.questions),
                T("打头的仍是 L0 注意力：还对 {shown.grouped.left} 题。",
                  "L0's attention still comes first: {shown.grouped.left} stay right."))),
        answer=Claim("not_the_same", T(
            "只对 {shown.grouped.left} 题，最终隐状态差 {shown.grouped.gap}；拆开再按原来的次序装"
            "回，"
            "{shown.own.left} 题。",
            "{shown.grouped.left} are right, the final states {shown.grouped.gap} apart; put back "
            "in the old order, {shown.own.left}."),
            lambda m: both(above(m.shown.grouped.gap, 0.1),
                           below(m.shown.grouped.left, 0.9 * m.questions),
                           at_least(m.shown.own.left, 0.95 * m.questions)), "alternating")),),
    pins={"shown.own.gap": SAME_STEPS, "shown.*.gap": TRAINED, "*": COUNTED},
    errata=ERRATA["order"],
    notes=T(
        "约 3 分钟。先投票。把讲义的六步写在黑板上，问“乘 N”该括住什么，再看表。",
        "About 3 minutes. Vote first. Write the six steps of the notes on the board and ask what "
        "the “times N” should bracket, then the tables."),
)
