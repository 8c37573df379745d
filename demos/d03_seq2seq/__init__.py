"""What does a chain of states carry from the first word to the last, and what is lost?

A recurrent net reads word by word and hands one state on. Part 1 follows a gradient
back along that chain and beside it along the direct line of attention; part 2 asks
whether the chain minds the order of words; part 3 squeezes a whole sequence through
the last state and lets a second decoder look back; part 4 lets a decoder live on its
own words, where one mistake becomes the next input.

Unlike demo 02: words stand in a row and the row is what matters. Left out: how the
look-back works inside (04), layers, beams and a translation that reorders (10).
"""

from __future__ import annotations

from demos.d03_seq2seq import part1_chain, part2_order, part3_bottleneck, part4_forcing
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_chain.PART,
    part2_order.PART,
    part3_bottleneck.PART,
    part4_forcing.PART,
)

OPENING = (
    Paragraph(T(
        "四个问题\n"
        "  1  一个词一个词读，隔了五十个词还记得第一个吗？注意力呢？\n"
        "  2  谁分得清 I love you 和 you love I？\n"
        "  3  一句话只压成几个数，再写出来，多长就写不对了？\n"
        "  4  训练时喂真词，用的时候喂自己说的：说错一个，后面怎么样？",
        "Four questions\n"
        "  1  Read word by word, is the first still there after fifty? With attention?\n"
        "  2  Who can tell “I love you” from “you love I”?\n"
        "  3  A sequence squeezed into a few numbers: how long before it goes wrong?\n"
        "  4  Trained on true words, used on its own: what follows one wrong word?")),
    Paragraph(T(
        "怎么读  同演示 01：通过、“=”按定义成立、记录是事先训练好的；其余：--more。\n"
        "来源    Hochreiter 和 Schmidhuber 1997（LSTM）；Sutskever 等 2014（seq2seq）；\n"
        "        Bahdanau 等 2015（注意力）；Bengio 等 2015（计划采样）。",
        "Reading  as in 01: OK, “=” by definition, REC trained beforehand; rest: --more.\n"
        "Sources  Hochreiter, Schmidhuber 1997 (LSTM); Sutskever et al. 2014 (seq2seq);\n"
        "         Bahdanau et al. 2015 (attention); Bengio et al. 2015 (sampling).")),
)
