"""06.3 What a mask does to gradients: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d06_masks.errata import ERRATA
from demos.d06_masks.lesson import GRADIENT_CONTROLS, SEEN, follow_gradient
from lecture.margins import above, below, both, equal, near
from lecture.quantities import BarRows, Group, Maps, Named, Rows
from lecture.report import (
    ARITHMETIC,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

QUANTITIES = {
    "full.influence": Quantity(T("不遮", "no mask"), ".1f"),
    "causal.influence": Quantity(T("因果掩码", "causal mask"), ".1f"),
    "causal.from_the_future": Quantity(T("来自未来", "from the future"), "g"),
    "full.from_the_future": Quantity(T("来自未来", "from the future"), ".2f"),
    "*.mean": Quantity(T("平均", "mean"), ".1f"), "*.std": Quantity(T("标准差", "spread"), ".1f"),
    "*.half": Quantity(T("一半", "half"), "g"),
    "by_word.*.received": Quantity(T("收到的权重", "weight got"), ".2f"),
    "by_word.*.gradient": Quantity(T("梯度", "gradient"), ".2f"),
    "last.*": Quantity(T("梯度", "gradient"), ".2f"),
    "larger": Quantity(T("更大", "larger"), "d"), "runs": Quantity(T("次", "draws"), "d"),
    "width": Quantity(T("宽", "width"), "d"), "words": Quantity(T("词", "words"), "d"),
    "visible.seen.*": Quantity(T("因果掩码下，每个位置看得见几个词",
                                 "Under the causal mask: words that each place sees"), "d"),
    "visible.words": Quantity(T("词", "words"), "d"),
}
NAMES = {f"visible.seen.{i}": T(f"位置 {i + 1}", f"place {i + 1}") for i in range(SEEN)}
LEAD = (
    BarRows("visible.seen.*"),
    Paragraph(T(
        "平均 {visible.mean:g} 个，不是 {visible.words} 的一半：每个词也看见自己。下面是 {words} "
        "个词，每个 {width} 个随机数；损失 = 所有输出之和；梯度：损失对每个词求导，取长度。",
        "{visible.mean:g} on average, not half of {visible.words}: each sees itself too. Below, "
        "{words} words of {width} drawn numbers; the loss is the sum of all outputs; the "
        "gradient is its derivative by a word, as a length.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    ways = ((T("不遮", "no mask"), "full"), (T("因果掩码", "causal mask"), "causal"),
            (T("softmax 之后清零", "blanked after softmax"), "blanked"))
    yield Rows("by_word.*", tuple(Group(head, (f"{way}.received", f"{way}.gradient"))
                                  for head, way in ways),
               head=T("词", "word"), label="name",
               legend=T("收到的权重：一列的合计。{runs} 次抽样的平均；全部输入的梯度长度：不遮 "
                        "{full.mean}±{full.std}，因果 {causal.mean}±{causal.std}，清零 "
                        "{blanked.mean}±{blanked.std}。",
                        "Weight got: the sum of a column. Means of {runs} draws; length over the "
                        "whole input: no mask {full.mean}±{full.std}, causal "
                        "{causal.mean}±{causal.std}, blanked {blanked.mean}±{blanked.std}."))
    yield Maps(("full.influence", "causal.influence"), "names", "names",
               high=max(map(max, m["causal"]["influence"])), more=True,
               title=T("第 i 行第 j 列：词 j 动一动，输出 i 动多少（导数的长度，第一次抽样）",
                       "Row i, column j: how much output i moves with word j (length of the "
                       "derivative, first draw)"))


PART = Part(
    number=3, key="gradient",
    title=T("掩码对梯度做了什么", "What a mask does to gradients"),
    compute=follow_gradient, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"words": Param(5, 2, 12, about=T("几个词", "how many words"))},
    controls=GRADIENT_CONTROLS,
    claims=(
        Claim("it_gathers_at_the_front", T(
            "梯度聚到了前面：第一个词 {by_word.0.causal.gradient}，末一个 {last.causal}。因果掩码"
            "下靠前的行短，每份权重大，第一个词行行有份：收到 {by_word.0.causal.received}。",
            "It gathers at the front: {by_word.0.causal.gradient} at the first word, "
            "{last.causal} at the last. Under the causal mask early rows are short and shares "
            "large; the first word has one in each row, {by_word.0.causal.received} in all."),
            lambda m: both(above(m.by_word[0].causal.gradient, 1.2 * m.by_word[0].full.gradient),
                           above(m.by_word[0].causal.received, 1.2 * m.by_word[0].full.received),
                           above(m.by_word[0].causal.gradient, 2 * m.last.causal),
                           near(m.by_word[0].blanked.received, m.by_word[0].full.received, 0.1)),
            "no_renormalising"),
        Claim("no_gradient_from_the_future", T(
            "输出对后面的词求导，正好是 {causal.from_the_future}（不遮时最大 "
            "{full.from_the_future}）：权重是零，就没有路可走。",
            "The derivative of an output by a later word is exactly {causal.from_the_future} "
            "(unmasked up to {full.from_the_future}): where the weight is zero there is no path."),
            lambda m: both(below(m.causal.from_the_future, 1e-300),
                           above(m.full.from_the_future, 0.1)), "no_mask", kind="identity"),
    ),
    caveat=T(
        "没有训练，矩阵随机。梯度大不等于学得好。",
        "Nothing is trained and the matrices are random. A larger gradient is no better learning."),
    questions=(Question(
        T("因果掩码拿掉 {gone:.0%} 的连线。损失对全部输入的梯度，长度会怎样？",
          "The causal mask takes away {gone:.0%} of the links. The length of the gradient over "
          "the whole input:"),
        (Option(T("变小", "smaller"),
                lambda m: above(m.full.mean, m.causal.mean + 0.1),
                T("以为路少了，梯度就少。每行的权重仍然合计为一，只是集中了。",
                  "fewer paths, less gradient. Each row still sums to one; it is concentrated.")),
         Option(T("不变", "the same"),
                lambda m: near(m.full.mean, m.causal.mean, 0.1),
                T("以为合计为一就抵消了。前面的词收到的多得多，平方和变大。",
                  "lets the sum of one cancel it. The early words get far more, and squares add "
                  "up to more.")),
         Option(T("变大", "larger"),
                lambda m: above(m.causal.mean, m.full.mean + 0.1)),
         Option(T("变成零", "zero"),
                lambda m: below(m.causal.mean, 0.1),
                T("把“对未来的梯度是零”当成了“梯度是零”。",
                  "takes “no gradient from the future” for “no gradient”."))),
        answer=Claim("yet_it_grows", T(
            "{larger} 次都变大，平均从 {full.mean} 到 {causal.mean}：遮掉的权重没有消失，归一化把"
            "它分给了看得见的。softmax 之后才清零，没有归一化，就变小。",
            "larger in all {larger} draws, from {full.mean} to {causal.mean} on average: hidden "
            "weight is not lost, normalising hands it to those in view. Blanked after softmax, "
            "with no normalising behind it, the gradient gets smaller."),
            lambda m: both(above(m.causal.mean, m.full.mean + 0.1),
                           equal(m.larger, m.runs),
                           above(m.full.mean, m.blanked.mean + 0.1)),
            "no_renormalising")),),
    pins={"larger": exact("a count"), "words": exact("a count"), "runs": exact("a count"),
          "width": exact("a count"), "names.*": exact("names"), "by_word.*.name": exact("names"),
          "causal.from_the_future": exact("a true zero"), "visible.*": exact("counts"),
          "*": ARITHMETIC},
    errata=ERRATA["gradient"],
    notes=T(
        "约 5 分钟。先投票：多数人会选“变小”。再看表：一列的合计，第一个词收到两份多的权重。"
        "--more 里的两张图，右上角正好是零。争论点：第一个词收到最多的梯度，这对训练是好事吗？讲义"
        "的 analyze_causal_context 画的就是开头的条形图。试试 --seed 1，或 --set 3.words=10。",
        "About 5 minutes. Vote first: most will say “smaller”. Then the table: sums of columns, "
        "the first word gets more than two shares. In the two maps of --more the upper right is "
        "exactly zero. The argument: the first word gets most of the gradient; is that good for "
        "training? The bars at the start are those of the notes' analyze_causal_context. Try "
        "--seed 1, or --set 3.words=10."),
)
