"""How does a Transformer translate, word by word, and who decides which words?

An encoder leaves one vector for each source word; a decoder says the target words one
after the other and looks across at those vectors each time. Part 1 puts a trained pair of
translators through an exam of sentences they never saw; part 2 follows one sentence step
by step and cuts what the decoder looks at; part 3 keeps several beginnings alive instead
of one; part 4 shows the same views of a T5, GPT-2 or BERT of your own.

Unlike demo 03: no chain of states, and the language reorders its words. Unlike demo 04:
queries come from one sentence, keys and values from another. Left out: subwords (01),
large data, sampling, and how the translators grew (their training is 600 steps of Adam).
"""

from __future__ import annotations

from demos.d10_translation import part1_translate, part2_steps, part3_beams, part4_own_model
from lecture.report import Part

PARTS: tuple[Part, ...] = (
    part1_translate.PART,
    part2_steps.PART,
    part3_beams.PART,
    part4_own_model.PART,
)
