"""What can several heads do that one cannot, and which head does what?

One head gives every query one average.  Part 1 asks two things of one place, so that
one average has to serve both; part 2 asks what "it" stands for, and cuts edges instead
of believing the attention map; part 3 counts parameters, part 4 ranks, and part 5 lets
query heads share keys and values.

Unlike demo 05: there one head and its three matrices, here several side by side.  Left
out: what heads of a large model do (12 finds one kind in a small one), the cost of long
inputs (11), pruning heads after training.
"""

from __future__ import annotations

from demos.d08_heads import (
    part1_two_answers,
    part2_pronoun,
    part3_arithmetic,
    part4_ranks,
    part5_groups,
)
from lecture.report import Part

PARTS: tuple[Part, ...] = (
    part1_two_answers.PART,
    part2_pronoun.PART,
    part3_arithmetic.PART,
    part4_ranks.PART,
    part5_groups.PART,
)
