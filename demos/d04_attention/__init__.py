"""What does attention compute, why these three details, and what can two layers do?

A query is compared with every key; softmax turns the scores into weights that sum
to 1; the answer is the mean of the values under them.  Part 1 looks things up this
way, part 2 asks why the scores are divided by √d, part 3 hides the future, part 4
chains two look-ups into a circuit that copies, part 5 opens a trained tiny GPT and
cuts what its heads look at.

Unlike demo 03: nothing is recurrent, any two words are one step apart.  Left out: how
queries and keys are learned (05), other masks (06), position codes (07), many heads
(08), and how the circuit of part 4 grows in training (12).
"""

from __future__ import annotations

from demos.d04_attention import (
    part1_lookup,
    part2_scale,
    part3_mask,
    part4_induction,
    part5_tiny_gpt,
)
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_lookup.PART,
    part2_scale.PART,
    part3_mask.PART,
    part4_induction.PART,
    part5_tiny_gpt.PART,
)

OPENING = (
    Paragraph(T(
        "五个问题\n"
        "  1  没有一个键对得上查询时，注意力交回什么？\n"
        "  2  点积为什么要除以 √d？不除，一个头还学得会吗？\n"
        "  3  右边的词一换，左边的输出动不动？\n"
        "  4  一串词念第二遍时，两次查找怎样说出下一个词？缺一环会怎样？\n"
        "  5  训练好的迷你 GPT 把权重给了谁？断了那条边还答得出吗？会抄名单吗？",
        "Five questions\n"
        "  1  What does attention hand back when no key fits the query?\n"
        "  2  Why is the dot product divided by √d? Can a head learn undivided?\n"
        "  3  Other words on the right: does an output on the left move?\n"
        "  4  A list said twice: how do two look-ups find the next word?\n"
        "  5  Whom does a trained tiny GPT look at? And if it may not? Does it copy?")),
    Paragraph(T(
        "怎么读  权重表的一行属于一个位置，合计 1；一列说从哪里取了多少。\n"
        "        通过：现场算的，换成公平的对照就不再成立。“=”：按定义就对，提个醒。\n"
        "        记录：早先训练的结果，从文件读出。别的表和观察在 --more。\n"
        "来源    公式、掩码：Vaswani 等 2017；归纳头、上下文学习：Olsson 等 2022。",
        "Reading  a row of weights is one place's, sums to 1: how much from which column.\n"
        "         OK: computed now; on a fair control it fails. “=”: by definition.\n"
        "         REC: trained earlier, read from a file. All the rest: --more.\n"
        "Sources  Vaswani et al. 2017 (formula, mask); Olsson et al. 2022 (induction).")),
)
