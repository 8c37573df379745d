"""Who may look at whom, and what breaks when a model is let look at the answer?

A mask is a table of yes and no: may this query look at that key?  Part 0 shows what
the causal mask promises: what comes later cannot change what came before.  Part 1
draws every mask of the notes from one function, part 2 hides a whole row and asks
what softmax makes of it, part 3 follows the gradient backwards through a mask, and
part 4 trains a model that sees the answers, one that does not, and one that looks
both ways honestly because what it must guess is hidden.

Unlike demo 04: there the causal mask was one of three details; here every mask has
its turn, with the ways it goes wrong.  Left out: sparse patterns and their cost (11),
what a causal mask tells about order (07), masks inside a translator (10).
"""

from __future__ import annotations

from demos.d06_masks import part0_order, part1_masks, part2_empty, part3_gradient, part4_exam
from lecture.report import Part

PARTS: tuple[Part, ...] = (
    part0_order.PART,
    part1_masks.PART,
    part2_empty.PART,
    part3_gradient.PART,
    part4_exam.PART,
)
