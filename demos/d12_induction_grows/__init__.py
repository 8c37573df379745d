"""How does a model come to copy, and what in it does the copying?

Demo 04 set two layers by hand: one writes who stands on the left, the other looks for
the place whose left neighbour is this word.  Here two layers are trained on lists that
are said again, at distances that vary.  Part 1 watches them learn, part 2 holds their
heads against those made by hand, part 3 takes the positions away, part 4 cuts, part 5
mixes repeats into the country model's corpus, part 6 shows a score that deceives.

Unlike demo 04: nothing is set by hand, and a head's look is never taken for a reason:
every part cuts, swaps or shuffles something.  Left out: MLPs (but for part 5), larger
models, how the two layers find each other in the gradient.
"""

from __future__ import annotations

from demos.d12_induction_grows import (
    part1_grows,
    part2_circuit,
    part3_places,
    part4_cuts,
    part5_world,
    part6_trap,
)
from lecture.report import Part

PARTS: tuple[Part, ...] = (
    part1_grows.PART,
    part2_circuit.PART,
    part3_places.PART,
    part4_cuts.PART,
    part5_world.PART,
    part6_trap.PART,
)
