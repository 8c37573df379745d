"""What happens between a sentence and the next word, and which stage can go?

Tokens, ids, vectors, positions, then in each layer attention and MLP, each added to one
stream, and at the end a score for every word.  Part 1 asks who writes the answer's lead and
whose content it is, part 2 switches the eight components off in turn, part 3 follows "I love
AI" through the encoder-decoder of demo 10, whose cross-attention a GPT lacks, part 4 tries
the sub-layers in every order, part 5 is the map of the course.

Unlike the demos before: nothing new is trained; each earlier stage is seen at work in one
run.  Left out: how the weights came to be (04, 12), sampling (13), what a stage knows (14).
"""

from __future__ import annotations

from demos.d15_text_to_next_word import (
    part1_stages,
    part2_switches,
    part3_translator,
    part4_order,
    part5_course,
)
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_stages.PART,
    part2_switches.PART,
    part3_translator.PART,
    part4_order.PART,
    part5_course.PART,
)

OPENING = (
    Paragraph(T(
        "五个问题\n"
        "  1  从一句话到下一个词要经过哪几步？答案是哪一步写的？\n"
        "  2  八个部件，哪个可以关掉？\n"
        "  3  I love AI 怎样一步步变成中文？每一步是什么形状？\n"
        "  4  注意力和 MLP 的先后可以换吗？\n"
        "  5  哪一步在哪一讲？\n"
        "怎么读见演示 04；其余的表和观察：--more。\n"
        "来源  Vaswani 等 2017；nostalgebraist 2020（logit lens）；Elhage 等 2021（残差\n"
        "      流）；Press、Smith、Levy 2020（子层的次序）。",
        "Five questions\n"
        "  1  What lies between a text and the next word? Which step writes the answer?\n"
        "  2  Of eight components, which can go?\n"
        "  3  How does I love AI become Chinese, step by step, in which shapes?\n"
        "  4  May attention and MLP change places?\n"
        "  5  Which step was shown in which demo?\n"
        "How to read: demo 04. Everything else: --more.\n"
        "Sources  Vaswani et al. 2017; nostalgebraist 2020 (logit lens); Elhage et al.\n"
        "         2021 (the stream); Press, Smith, Levy 2020 (order of sub-layers).")),
)
