"""How does a Transformer translate, word by word, and who decides which words?

An encoder leaves one vector for each source word; a decoder says the target words one
after the other and looks across at those vectors each time. Part 1 puts a trained pair of
translators through an exam of sentences they never saw; part 2 follows one sentence step
by step and hides from the decoder what it looks at; part 3 keeps several beginnings alive
instead of one; part 4 shows the same views of a T5, GPT-2 or BERT of your own.

Unlike demo 03: no chain of states, and the language reorders its words. Unlike demo 04:
queries come from one sentence, keys and values from another. Left out: subwords (01),
large data, sampling, and how the translators grew (their training is 600 steps of Adam).
"""

from __future__ import annotations

from demos.d10_translation import part1_translate, part2_steps, part3_beams, part4_own_model
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_translate.PART,
    part2_steps.PART,
    part3_beams.PART,
    part4_own_model.PART,
)

OPENING = (
    Paragraph(T(
        "四个问题\n"
        "  1  编码器交给解码器什么？一个向量够不够？\n"
        "  2  每说一个词，看原文的哪里？不让看，会怎样？\n"
        "  3  多留几个开头（束搜索），译得更好吗？\n"
        "  4  T5、GPT-2、BERT 里也看得到这些吗？\n"
        "怎么读见演示 04；其余的表和观察：--more。\n"
        "来源  Vaswani 等 2017（编码器–解码器）；Papineni 等 2002（BLEU）。",
        "Four questions\n"
        "  1  What does the encoder hand to the decoder? Would one vector do?\n"
        "  2  Where does each step look? What if it may not?\n"
        "  3  Is it better to keep several beginnings (beam search)?\n"
        "  4  Does one see the same in T5, GPT-2, BERT?\n"
        "How to read: demo 04. Everything else: --more.\n"
        "Sources  Vaswani et al. 2017 (encoder-decoder); Papineni et al. 2002 (BLEU).")),
)
