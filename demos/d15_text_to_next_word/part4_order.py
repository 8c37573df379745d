"""15.4 Alternating, or all attention first?: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d15_text_to_next_word.errata import ERRATA
from demos.d15_text_to_next_word.lesson import ORDER_CONTROLS, sorted_layers
from demos.d15_text_to_next_word.words import COUNTED, TRAINED
from lecture.report import (
    ARITHMETIC,
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
    exact,
)

SAME_STEPS = exact("the same steps on the same numbers: a true zero")


def show_order(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "把国家模型的 {layers} 层拆成一个个子层，权重不动，只换次序：先做完所有注意力，"
        "再做所有 MLP。",
        "Take the {layers} layers of the country model apart and change nothing but the order: "
        "first all attention, then all MLPs."))
    yield Table(
        (Column(T("次序", "order")), Column(T("终态差多少", "final states apart"), ".1%"),
         Column(T("答对", "right"), "d")),
        [[T("交替（拆开再装回）", "alternating (taken apart, put back)"),
          m["apart_and_back"]["gap"], m["apart_and_back"]["right"]],
         [T("分组", "grouped"), m["gap"], m["left"]]],
        title=T("训练好的模型，{questions} 题", "The trained model, {questions} questions"))
    yield Table(
        (Column(T("块数", "blocks"), "d"), Column(T("平均差", "mean"), ".1%"),
         Column(T("最小", "least"), ".1%"), Column(T("最大", "most"), ".1%")),
        [[r["blocks"], r["mean"], r["least"], r["most"]] for r in m["untrained"].values()],
        title=T("没训练过的网络，每种 {networks} 个",
                "Untrained networks, {networks} of each depth"))


PART = Part(
    number=4, key="order",
    title=T("交替，还是先全部注意力再全部 FFN？", "Alternating, or all attention first?"),
    compute=sorted_layers, describe=show_order, recipes=("base",),
    params={"networks": Param(5, 1, 100, about=T("没训练过的网络数", "untrained networks"))},
    controls=ORDER_CONTROLS,
    claims=(
        Claim("not_the_same", T(
            "不是一回事：分组后终态差 {gap:.0%}，{questions} 题只对 {left} 题；拆开照原次序装回，"
            "差 {apart_and_back[gap]:g}，对 {apart_and_back[right]} 题。",
            "Not the same: grouped, the final states are {gap:.0%} apart and {left} of "
            "{questions} are right; taken apart and put back in the old order, "
            "{apart_and_back[gap]:g} apart and {apart_and_back[right]} right."),
            lambda m: min(m["gap"] - 0.1, m["questions"] - m["left"] - 0.5,
                          1e-9 - m["apart_and_back"]["gap"],
                          m["apart_and_back"]["right"] - 0.95 * m["questions"]), "alternating"),
        Claim("from_two_blocks", T(
            "一块时两种说法一样（差 {untrained[b1][most]:g}）；三块没训练过的网络平均差 "
            "{untrained[b3][mean]:.1%}，最少也差 {untrained[b3][least]:.1%}。",
            "With one block the two are the same ({untrained[b1][most]:g} apart); three untrained "
            "blocks are {untrained[b3][mean]:.1%} apart on average and {untrained[b3][least]:.1%} "
            "at least."),
            lambda m: min(1e-9 - m["untrained"]["b1"]["most"],
                          m["untrained"]["b3"]["mean"] - 0.01,
                          m["untrained"]["b3"]["least"] - 0.01),
            "alternating"),
    ),
    caveat=T(
        "这里是训练好以后才换次序。从头按别的次序训练的网络也能学（Press、Smith、Levy，2020），"
        "只是另一个"
        "网络。没训练过的差多少，取决于初始权重的大小。",
        "The order was changed after training. A network trained in another order from the start "
        "can learn too (Press, Smith, Levy 2020); it is another network. How far untrained ones "
        "are apart hangs on the size of their first weights."),
    questions=(Question(
        T("训练好的国家模型，权重不变：先做完所有注意力层，再做所有 FFN，"
          "和一层注意力、一层 FFN 交替比，结果怎样？",
          "The trained country model, same weights: all attention first and then all FFNs, "
          "against alternating. What comes out?"),
        (Option(T("一样：加法不管次序", "the same: sums have no order"),
                lambda m: 1e-6 - m["gap"],
                T("加法不管次序，可是后面的子层读的是前面加过的东西。",
                  "sums have none, but each sub-layer reads what the earlier ones added.")),
         Option(T("略有不同，答案几乎都对", "a little different, nearly all answers right"),
                lambda m: min(m["gap"] - 1e-6, m["left"] - 0.9 * m["questions"]),
                T("以为第二层注意力不靠第一层的 MLP。",
                  "thinks the second attention does not need the first MLP.")),
         Option(T("大不一样，错掉一大片", "very different, many answers wrong"),
                lambda m: min(m["gap"] - 0.1, 0.9 * m["questions"] - m["left"],
                              m["left"] - 0.1 * m["questions"])),
         Option(T("全错，比瞎猜还差", "all wrong, worse than guessing"),
                lambda m: min(m["gap"] - 1e-6, 0.1 * m["questions"] - m["left"]),
                T("国名仍在第一层注意力里取到了，只是后来的次序乱了。",
                  "the first attention still fetches the country; only what follows is out of "
                  "order.")))),),
    pins={"untrained.b1.*": SAME_STEPS, "apart_and_back.gap": SAME_STEPS,
          "untrained.*": ARITHMETIC, "gap": TRAINED, "networks": COUNTED, "*": COUNTED},
    errata=ERRATA["order"],
    notes=T(
        "约 3 分钟。先投票。把讲义的六步写在黑板上，问“乘 N”该括住什么。--set networks=50 看分布。",
        "About 3 minutes. Vote first. Write the six steps of the notes on the board and ask what "
        "the “times N” should bracket. --set networks=50 shows the spread."),
)
