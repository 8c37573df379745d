"""07.1 Blind to order: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d07_positions.errata import ERRATA
from demos.d07_positions.lesson import ORDER_CONTROLS, reorder
from lecture.margins import above, below, both, word
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
)

QUANTITIES = {
    **{f"ways.*.{side}.{i}": Quantity(T(f"{{words.{i}}}", f"{{words.{i}}}"), ".2f")
       for side in ("there", "back") for i in range(3)},
    "ways.*.middle": Quantity(T("love 移动", "love moves"), ".2f<1e-12"),
    "ways.*.orders": Quantity(T("最大差距", "largest gap"), ".1g<1e-12"),
    "last_word.*.moved": Quantity(T("最后一个移动", "last word moves"), ".2f<1e-12"),
    "last_word.*.before": Quantity(T("前两个词移动", "first two move"), ".2f<1e-12"),
    "orders": Quantity(T("次序", "orders"), "d"),
}
NAMES = {
    "ways.plain": T("没有掩码，没有位置", "no mask, no positions"),
    "ways.causal": T("因果掩码，没有位置", "causal mask, no positions"),
    "ways.positions": T("没有掩码，加上位置", "no mask, positions added"),
    "last_word.one": T("一层", "one layer"), "last_word.two": T("两层", "two layers"),
}
LEAD = (
    Paragraph(T(
        "    love 的输出 = w(love,I) v(I) + w(love,love) v(love) + w(love,you) v(you)\n"
        "权重 w 只比词，相加不管谁先谁后。一层注意力，权重矩阵随机抽；两句话 {words.0} {words.1} "
        "{words.2} 和 "
        "{other.0} {other.1} {other.2}，love 都在中间。例（没有掩码）：love 给三个词 "
        "{ways.plain.there.0}、{ways.plain.there.1}、{ways.plain.there.2}，倒过来说还是 "
        "{ways.plain.back.0}、{ways.plain.back.1}、{ways.plain.back.2}。",
        "    output at love = w(love,I) v(I) + w(love,love) v(love) + w(love,you) v(you)\n"
        "Weights compare words, and a sum has no order. One layer of attention, drawn weights; "
        "two sentences, {words.0} {words.1} {words.2} and {other.0} {other.1} {other.2}, love in "
        "the middle of both. Example (no mask): love gives the three words "
        "{ways.plain.there.0}, {ways.plain.there.1}, {ways.plain.there.2}, and said backwards "
        "{ways.plain.back.0}, {ways.plain.back.1}, {ways.plain.back.2} again.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    there, back = (tuple(f"{side}.{i}" for i in range(3)) for side in ("there", "back"))
    yield Rows(
        "ways.*", (Group(T("{words.0} {words.1} {words.2}", "{words.0} {words.1} {words.2}"),
                         there),
                   Group(T("{other.0} {other.1} {other.2}", "{other.0} {other.1} {other.2}"),
                         back), "middle"),
        head=T("love 给三个词的权重", "weights that love gives"))
    yield Rows("last_word.*", ("before", "moved"), head=T("因果掩码", "causal mask"),
               title=T("四个词，前两个对调：最后一个词的输出变吗？",
                       "Four words, the first two exchanged: does the last output change?"))


PART = Part(
    number=1, key="order",
    title=T("看不见次序", "Blind to order"),
    compute=reorder, describe=blocks, lead=LEAD, quantities=QUANTITIES, names=NAMES,
    params={"width": Param(16, 4, 512, about=T("词向量的宽度",
                                               "width of a word vector"))},
    controls=ORDER_CONTROLS,
    claims=(
        Claim("blind", T(
            "没有掩码也没有位置，次序就看不见：{orders} 种排法里，三个输出只是跟着词搬家。",
            "Without mask and positions order is invisible: in all {orders} orders the three "
            "outputs merely travel with their words."),
            lambda m: both(below(m.ways.plain.middle, 1e-12), below(m.ways.plain.orders, 1e-12)),
            "plain_with_positions", kind="identity", given=("orders",)),
        Claim("positions_tell", T(
            "把位置加进词向量，不用掩码也看得出：love 给 I 的权重从 {ways.positions.there.0} 变成 "
            "{ways.positions.back.0}。",
            "Add positions to the word vectors, and order shows without a mask: the weight of I "
            "goes from {ways.positions.there.0} to {ways.positions.back.0}."),
            lambda m: both(above(m.ways.positions.middle, 1e-6),
                           above(abs(m.ways.positions.there[0] - m.ways.positions.back[0]),
                                 1e-6)),
            "nothing_added", kind="example"),
        Claim("depth_tells", T(
            "只靠掩码，一层只知道前面有哪些词：前两个对调，最后一个不动。两层之后移动 "
            "{last_word.two.moved}，因为那两个词在第一层自己变了（至少 {last_word.one.before}）"
            "。",
            "By the mask alone one layer knows which words came before: exchange two, and the "
            "last stays. After two layers it moves by {last_word.two.moved}, since the two "
            "changed in layer one (by {last_word.one.before} at least)."),
            lambda m: both(below(m.last_word.one.moved, 1e-12),
                           above(m.last_word.two.moved, 1e-6),
                           above(m.last_word.one.before, 1e-6)),
            "no_mask", kind="example"),
    ),
    caveat=T(
        "权重是随机的：只说明看不看得出次序，不说明用不用。训练过的无位置模型在第 4 部分。",
        "Drawn weights: order can be seen or not, whether it is used is another matter. Trained "
        "models without positions: part 4."),
    questions=(Question(
        T("有因果掩码，没有位置编码。I love you 和 you love I，love 的输出？",
          "Causal mask, no positions: the output at love in I love you and you love I?"),
        (Option(T("相同", "the same"), lambda m: below(m.ways.causal.middle, 1e-12),
                T("把 Transformer 当成“集合”。没有掩码时才对。",
                  "takes the Transformer for a set. That is true without the mask only.")),
         Option(T("不同", "different"), lambda m: above(m.ways.causal.middle, 1e-6)),
         Option(T("只差一点舍入", "different, by rounding only"),
                lambda m: both(above(m.ways.causal.middle, 1e-12),
                               below(m.ways.causal.middle, 1e-6)),
                T("以为掩码只管“不许偷看”。它也决定了每个词看得见谁。",
                  "thinks a mask only forbids peeking. It also decides who is seen."))),
        answer=Claim("mask_tells", T(
            "没有位置编码，love 却移动 {ways.causal.middle}：一句里看得见 I，另一句里看得见 you。",
            "No position code, yet love moves by {ways.causal.middle}: it sees I in one sentence, "
            "you in the other."),
            lambda m: both(above(m.ways.causal.middle, 1e-6),
                           word(m.ways.causal.there[2], None),
                           word(m.ways.causal.back[0], None)),
            "no_mask", kind="example")),),
    pins={"ways.plain.middle": ROUNDING, "ways.plain.orders": ROUNDING,
          "last_word.one.moved": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["order"],
    notes=T(
        "约 5 分钟。先投票。争论点：掩码已经泄露了次序，为什么还要位置编码？（第 4 部分：没有位置"
        "的"
        "模型说不出“三个词以前”。）试试 --seed 3、--set 1.width=64：数字变，结论不变。",
        "About 5 minutes. Vote first. The argument: if the mask gives order away, what are "
        "position codes for? (Part 4: a model without them cannot tell what stood three words "
        "ago.) Try --seed 3 or --set 1.width=64: other numbers, same verdicts."),
)
