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
        "  1  注意力怎样查字典？没有一条对得上时，它给出什么？\n"
        "  2  分数为什么先除以 √d？不除，还学得会吗？\n"
        "  3  写到第 t 个词时，怎样保证它看不见后面的词？\n"
        "  4  见过“甲 乙”，再见到“甲”就说“乙”：两层怎样办到？少了什么就不行？\n"
        "  5  训练好的迷你 GPT 答题时看哪里？不让它看，还答得对吗？它会照着抄吗？",
        "Five questions\n"
        "  1  How does attention look things up? What comes back when nothing fits?\n"
        "  2  Why are scores divided by √d first? Can a head learn without it?\n"
        "  3  How is word t kept from seeing the words after it?\n"
        "  4  After “A B”, at the next “A”, say “B”: how do two layers do it?\n"
        "  5  Where does a trained tiny GPT look? What if it may not look? Can it copy?")),
    Paragraph(T(
        "怎么读  权重表里一行属于一个位置，合计是 1：从哪一列取，取多少。\n"
        "        通过：刚算出来，而且换上公平的对照就不成立。“=”：按定义成立，只作提醒。\n"
        "        记录：事先训练好，读存下的结果。其余的表和观察：--more。\n"
        "来源    Vaswani 等 2017（公式、掩码）；Olsson 等 2022（归纳头、上下文学习）。",
        "Reading  a row of weights sums to 1: what one place takes, and from where.\n"
        "         OK: computed now, and a fair control fails. “=”: true by definition.\n"
        "         REC: trained beforehand, read from a record. Everything else: --more.\n"
        "Sources  Vaswani et al. 2017 (formula, mask); Olsson et al. 2022 (induction heads).")),
)
