"""06.3 What a mask does to gradients: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d06_masks.errata import ERRATA
from demos.d06_masks.lesson import GRADIENT_CONTROLS, follow_gradient
from lecture.report import (
    ARITHMETIC,
    Block,
    Claim,
    Column,
    HeatMap,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    Row,
    T,
    Table,
    exact,
)


def show_gradient(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "{words} 个词，每个 {width} 个随机数；损失是所有输出之和。第 i 行第 j 列：词 j 动一动，"
        "输出 i 动多少（导数的范数，第一次抽样）。",
        "{words} words of {width} drawn numbers; the loss is the sum of all outputs. Row i, "
        "column j: how much output i moves when word j does (norm of the derivative, first "
        "draw)."))
    names = [f"w{i}" for i in m["numbers"]]
    yield Row([HeatMap(m[way]["influence"], names, names, title=title, format=".1f",
                       high=max(map(max, m["causal"]["influence"])))
               for way, title in (("full", T("不遮", "no mask")),
                                  ("causal", T("因果掩码", "causal")))])
    yield Table(
        (Column(T("词", "word")), Column(T("不遮", "no mask"), ".2f"),
         Column(T("因果掩码", "causal"), ".2f")),
        [[i, a, b] for i, a, b in zip(m["numbers"], m["full"]["by_word"],
                                      m["causal"]["by_word"], strict=True)],
        title=T("损失对每个词的梯度（范数，{runs} 次抽样的平均）",
                "Gradient of the loss at each word (norm, mean of {runs} draws)"))


PART = Part(
    number=3, key="gradient",
    title=T("掩码对梯度做了什么", "What a mask does to gradients"),
    compute=follow_gradient, describe=show_gradient,
    params={"words": Param(5, 2, 12, about=T("几个词", "how many words"))},
    controls=GRADIENT_CONTROLS,
    claims=(
        Claim("no_gradient_from_the_future", T(
            "遮住之后，从未来传来的导数最大是 {causal[from_the_future]:g}，正好是零；不遮时是 "
            "{full[from_the_future]:.2f}。",
            "Under the mask the largest derivative from the future is "
            "{causal[from_the_future]:g}, exactly; without it, {full[from_the_future]:.2f}."),
            lambda m: min(1e-300 - m["causal"]["from_the_future"],
                          m["full"]["from_the_future"] - 0.1), "no_mask"),
        Claim("yet_it_grows", T(
            "可总的梯度反而变大：{runs} 次抽样里 {larger} 次更大，平均从 "
            "{full[mean]:.1f}±{full[std]:.1f} 到 {causal[mean]:.1f}±{causal[std]:.1f}。"
            "遮掉的权重没有消失，归一化把它分给了看得见的词。",
            "Yet the gradient as a whole grows: larger in {larger} of {runs} draws, "
            "{full[mean]:.1f}±{full[std]:.1f} to {causal[mean]:.1f}±{causal[std]:.1f} on "
            "average. Hidden weight is not lost; normalising hands it to the words in view."),
            lambda m: min(m["causal"]["mean"] - m["full"]["mean"],
                          m["larger"] - 0.9 * m["runs"]), "no_renormalising"),
        Claim("it_gathers_at_the_front", T(
            "它聚到了前面：第一个词 {causal[first]:.1f}，最后一个词只有 "
            "{causal[last]:.1f}；不遮时差不多（{full[first]:.1f} 和 "
            "{full[last]:.1f}）。人人看得见第一个词，最后一个词只有自己看。",
            "It gathers at the front: {causal[first]:.1f} at the first word, only "
            "{causal[last]:.1f} at the last; without a mask they are about alike "
            "({full[first]:.1f} and {full[last]:.1f}). Everyone sees the first word, "
            "only the last sees the last."),
            lambda m: min(m["causal"]["first"] / m["causal"]["last"] - 2,
                          0.3 - abs(m["full"]["first"] / m["full"]["last"] - 1)),
            "no_mask"),
        Claim("how_much_each_sees", T(
            "{visible[words]} 个词时，第一个看见 {visible[first]} 个，最后一个看见 "
            "{visible[last]} 个，平均 {visible[mean]:g} 个，不是一半的 {visible[half]:g}："
            "每个词也看见自己。",
            "Of {visible[words]} words the first sees {visible[first]}, the last "
            "{visible[last]}, the mean is {visible[mean]:g}, not half, {visible[half]:g}: each "
            "sees itself too."),
            lambda m: 0.01 - abs(m["visible"]["mean"] - m["visible"]["half"] - 0.5),
            "not_itself"),
    ),
    caveat=T(
        "没有训练，权重随机；损失取输出之和只是为了每个输出算一样重。梯度大不等于学得好。",
        "Nothing is trained and the maps are random; the loss is a plain sum so that every output "
        "counts alike. A larger gradient is no better learning."),
    questions=(Question(
        T("因果掩码拿掉了近一半的连线。损失对输入的梯度，总的范数会怎样？",
          "The causal mask takes away nearly half of the links. What happens to the norm of the "
          "gradient at the input?"),
        (Option(T("变小", "smaller"),
                lambda m: m["full"]["mean"] - m["causal"]["mean"] - 0.1,
                T("以为路少了，梯度就少。每行的权重仍然合计为一，只是集中了。",
                  "fewer paths, less gradient. Each row still sums to one; it is concentrated.")),
         Option(T("不变", "the same"),
                lambda m: 0.1 - abs(m["full"]["mean"] - m["causal"]["mean"]),
                T("以为合计为一就抵消了。按词看，前面的词收到的多得多，平方和变大。",
                  "lets the sum of one cancel it. Word by word the early ones get far more, and "
                  "squares add up to more.")),
         Option(T("变大", "larger"),
                lambda m: m["causal"]["mean"] - m["full"]["mean"] - 0.1),
         Option(T("变成零", "zero"),
                lambda m: 0.1 - m["causal"]["mean"],
                T("把“对未来的梯度是零”当成了“梯度是零”。",
                  "takes “no gradient from the future” for “no gradient”.")))),),
    pins={"larger": exact("a count"), "words": exact("a count"), "runs": exact("a count"),
          "width": exact("a count"), "numbers.*": exact("counts"),
          "causal.from_the_future": exact("a true zero"), "visible.*": exact("counts"),
          "*": ARITHMETIC},
    errata=ERRATA["gradient"],
    notes=T(
        "约 5 分钟。先投票：多数人会选“变小”。再看两张图：右上角是真正的零，第一列变深。争论点："
        "第一个词收到最多的梯度，这对训练是好事吗？（想想“注意力沉到第一个词”的现象。）"
        "试试 --seed 1，或 --set 3.words=10。",
        "About 5 minutes. Vote first: most will say “smaller”. Then the two maps: true zeros at "
        "the upper right, a darker first column. The argument: the first word gets most of the "
        "gradient; is that good for training? (Think of attention sinking into the first word.) "
        "Try --seed 1, or --set 3.words=10."),
)
