"""13.4 The simplest case: right, and less and less sure: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d13_calibration.lesson import BETA_CONTROLS, blunted
from demos.d13_calibration.words import COUNT
from lecture.report import (
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
    close,
)


def show_blunted(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "演示 04 手工搭的归纳头：一串词说两遍，第二遍里它知道下一个词。第二层的分数乘 β，就是除以"
        "温度 1/β。它取回的是各个词的加权平均，可以直接当作概率读。",
        "The induction head built by hand in demo 04: a list is said twice, and the second time "
        "it knows the next word. Its second layer multiplies scores by β, that is, divides them "
        "by a temperature 1/β. What it fetches is a weighted mean of words, to be read as "
        "probabilities."))
    yield Table(
        (Column(T("β", "β"), "g"), Column(T("对的比例", "share right"), ".1%"),
         Column(T("平均置信度", "confidence"), ".3f"), Column(T("ECE", "ECE"), ".3f")),
        [list(row.values()) for row in m["rows"]],
        title=T("第二遍的 {answers} 个位置", "{answers} places of the second saying"))


PART = Part(
    number=4, key="beta",
    title=T("最简单的情形：答对了，却越来越没把握",
            "The simplest case: right, and less and less sure"),
    compute=blunted, describe=show_blunted,
    controls=BETA_CONTROLS,
    claims=(
        Claim("right_but_unsure", T(
            "β 从 {sharp[beta]:g} 降到 {blunt[beta]:g}，答案始终对 {least_right:.1%}，平均置信度"
            "从 {sharp[confidence]:.2f} 落到 {blunt[confidence]:.2f}。对不对看名次，"
            "有没有把握看差距。",
            "As β goes from {sharp[beta]:g} to {blunt[beta]:g}, {least_right:.1%} stay right "
            "while mean confidence falls from {sharp[confidence]:.2f} to "
            "{blunt[confidence]:.2f}. Rank decides what is right, distance how sure it is."),
            lambda m: min(m["least_right"] - 0.999,
                          m["sharp"]["confidence"] - m["blunt"]["confidence"] - 0.5),
            "beta_ignored"),
        Claim("not_sure_enough", T(
            "没校准不只是太自信：β = {blunt[beta]:g} 时 ECE 是 {blunt[ece]:.2f}，全因为不够自信，"
            "正好等于正确率减去平均置信度。",
            "Miscalibrated does not only mean too sure: at β = {blunt[beta]:g} the ECE is "
            "{blunt[ece]:.2f}, all of it for want of confidence: exactly the share right less "
            "the mean confidence."),
            lambda m: min(m["blunt"]["accuracy"] - m["blunt"]["confidence"] - 0.1,
                          1e-9 - abs(m["blunt"]["accuracy"] - m["blunt"]["confidence"]
                                     - m["blunt"]["ece"])), "labels_mixed"),
    ),
    caveat=T(
        "这里的词表只有手工的几个方向，概率就是注意力权重。训练出来的模型，注意力权重和答案的概率是"
        "两回事。",
        "Here the probabilities are the attention weights themselves, because the head was built "
        "so. In a trained model the weights and the probability of an answer are two things."),
    questions=(Question(
        T("把手工归纳头的 β 从 20 降到 1。正确率和置信度会怎样？",
          "Lower the β of the hand-built induction head from 20 to 1. What happens to the share "
          "right and to the confidence?"),
        (Option(T("都下降", "both fall"),
                lambda m: min(0.999 - m["least_right"],
                              m["sharp"]["confidence"] - m["blunt"]["confidence"] - 0.05),
                T("以为没把握就会错。只要第一名还是第一名，答案就不变。",
                  "thinks unsure means wrong. As long as the first stays first, the answer "
                  "stays.")),
         Option(T("正确率不变，置信度下降", "right as before, but less sure"),
                lambda m: min(m["least_right"] - 0.999,
                              m["sharp"]["confidence"] - m["blunt"]["confidence"] - 0.05)),
         Option(T("正确率下降，置信度不变", "less often right, as sure as before"),
                lambda m: min(0.999 - m["least_right"],
                              0.05 - abs(m["sharp"]["confidence"]
                                         - m["blunt"]["confidence"])),
                T("把 β 当成噪声。β 不碰名次，只碰差距。",
                  "takes β for noise. It touches distances, not ranks.")),
         Option(T("都不变", "neither changes"),
                lambda m: min(m["least_right"] - 0.999,
                              0.05 - abs(m["sharp"]["confidence"]
                                         - m["blunt"]["confidence"])),
                T("以为既然答案一样，分布也一样。",
                  "thinks that with the answers the probabilities stay too.")))),),
    pins={"answers": COUNT, "*": close("deterministic float64: only rounding may differ")},
    notes=T(
        "约 4 分钟，收尾用。和第 2 部分并排看：那边错得有把握，这边对得没把握；两边的 ECE 都大。",
        "About 4 minutes, to close. Set it beside part 2: there sure and wrong, here right and "
        "unsure; the ECE is large both times."),
)
