"""What happens between a sentence and the next word, and which stage can go?

Tokens, ids, vectors, positions, then in each layer attention and MLP, each added to one
stream, and at the end a score for every word.  Part 1 shows the real numbers of one
question, part 2 switches the eight components off in turn, part 3 follows "I love AI"
through the encoder-decoder of demo 10, whose cross-attention a GPT lacks, part 4 asks
whether attention and MLP may be sorted, part 5 is the map of the course.

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
from lecture.report import Part

PARTS: tuple[Part, ...] = (
    part1_stages.PART,
    part2_switches.PART,
    part3_translator.PART,
    part4_order.PART,
    part5_course.PART,
)
