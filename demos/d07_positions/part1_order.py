"""07.1 Blind to order: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d07_positions.errata import ERRATA
from demos.d07_positions.lesson import ORDER_CONTROLS, reorder
from demos.d07_positions.words import moved
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
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
)

WAY_NAMES = {
    "plain": T("没有掩码，没有位置", "no mask, no positions"),
    "causal": T("因果掩码，没有位置", "causal mask, no positions"),
    "positions": T("没有掩码，加上位置", "no mask, positions added"),
}


def show_order(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一层注意力，随机的权重，两句话：{words[0]} {words[1]} {words[2]} 和 "
        "{other[0]} {other[1]} {other[2]}。中间那个词 {words[1]} 两次都在中间，两次的左右邻居"
        "也是同样两个词。它的输出会变吗？",
        "One layer of attention, drawn weights, two sentences: {words[0]} {words[1]} {words[2]} "
        "and {other[0]} {other[1]} {other[2]}. The word {words[1]} stands in the middle both "
        "times, between the same two words. Does its output change?"))
    yield Table(
        (Column(T("做法", "way")), Column(T("中间的词移动", "middle word moves by"), ".2g<1e-12"),
         Column(T("全部次序", "all orders"), ".2g<1e-12")),
        [[name, *m["ways"][key].values()] for key, name in WAY_NAMES.items()],
        legend=T("“全部次序”：三个词的 {orders} 种排法里，输出与“跟着词一起搬家”的最大差距。",
                 "All orders: over the {orders} orders of three words, the largest distance from "
                 "outputs that simply travel with their words."))
    yield Table(
        (Column(T("因果掩码下的层数", "layers under the causal mask")),
         Column(T("最后一个词移动", "last word moves by"), ".2g<1e-12")),
        [[T("一层", "one"), m["last_word"]["one"]], [T("两层", "two"), m["last_word"]["two"]]],
        title=T("四个词，前两个对调：最后一个词知道吗？",
                "Four words, the first two swapped: does the last word notice?"))


PART = Part(
    number=1, key="order",
    title=T("看不见次序", "Blind to order"),
    compute=reorder, describe=show_order,
    params={"width": Param(16, 2, 512, about=T("词向量的宽度", "width of a word vector"))},
    controls=ORDER_CONTROLS,
    claims=(
        Claim("blind", T(
            "没有掩码也没有位置，次序就看不见：中间的词的移动 {ways[plain][middle]:.1g<1e-12}，"
            "{orders} 种排法里输出只是跟着词搬家（最大差距 "
            "{ways[plain][orders]:.1g<1e-12}，是舍入）。",
            "Without mask and positions order is invisible: the move of the middle word is "
            "{ways[plain][middle]:.1g<1e-12}, and over {orders} orders the outputs only travel "
            "with their words (largest gap {ways[plain][orders]:.1g<1e-12}, rounding)."),
            lambda m: 1e-12 - max(m["ways"]["plain"]["middle"], m["ways"]["plain"]["orders"]),
            "plain_with_positions"),
        Claim("mask_tells", T(
            "加上因果掩码，一个位置编码也没有，中间的词却移动了 {ways[causal][middle]:.2f}："
            "它看到的前文换了人。",
            "Add the causal mask, still not one position code, and the middle word moves by "
            "{ways[causal][middle]:.2f}: somebody else stands before it."),
            lambda m: moved(m) - 0.1, "no_mask"),
        Claim("positions_tell", T(
            "不用掩码，把位置加进词向量：中间的词移动 {ways[positions][middle]:.2f}。",
            "No mask, but positions added to the word vectors: the middle word moves by "
            "{ways[positions][middle]:.2f}."),
            lambda m: m["ways"]["positions"]["middle"] - 0.01, "nothing_added"),
        Claim("depth_tells", T(
            "掩码泄露的次序要两层才读得全：前两个词对调，最后一个词看到的还是同一堆词，"
            "一层之后的移动 "
            "{last_word[one]:.1g<1e-12}，两层之后 {last_word[two]:.2f}。",
            "It takes two layers to read the order that the mask gives away: swap the first two "
            "words and the last one still sees the same set; its move is "
            "{last_word[one]:.1g<1e-12} after one layer, {last_word[two]:.2f} after two."),
            lambda m: min(1e-12 - m["last_word"]["one"], m["last_word"]["two"] - 0.01), "no_mask"),
    ),
    caveat=T(
        "权重是随机的：这里说的是“能不能看出次序”，不是“会不会用”。训练过的无位置模型在第 4 部分。",
        "The weights are drawn: this shows whether order can be seen at all, not whether it is "
        "used. Trained models without positions stand in part 4."),
    questions=(Question(
        T("有因果掩码，没有位置编码。I love you 和 you love I 里，love 的输出？",
          "A causal mask, no position codes. The output at love in I love you and in you love I?"),
        (Option(T("相同：注意力不分次序", "the same: attention knows no order"),
                lambda m: 1e-12 - moved(m),
                T("把 Transformer 当成“集合”。没有掩码时才对。",
                  "takes the Transformer for a set. That is true without the mask only.")),
         Option(T("不同", "different"), lambda m: moved(m) - 0.01),
         Option(T("差一点点，和舍入误差一样小", "different, by no more than rounding"),
                lambda m: min(moved(m) - 1e-12, 0.01 - moved(m)),
                T("以为掩码只管“不许偷看”。它也决定了每个词的前文是谁。",
                  "thinks a mask only forbids peeking. It also decides who stands before "
                  "whom.")))),),
    pins={"ways.plain.*": ROUNDING, "last_word.one": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["order"],
    notes=T(
        "约 5 分钟。先投票。争论点：既然掩码已经泄露次序，为什么还要位置编码？（第 4 部分："
        "没有位置的"
        "模型说不出“三个词以前”。）试试 --seed 3：数字变，结论不变。",
        "About 5 minutes. Vote first. The argument: if the mask gives order away, what are "
        "position codes for? (Part 4: a model without them cannot tell what stood three words "
        "ago.) Try --seed 3: other numbers, same verdicts."),
)
