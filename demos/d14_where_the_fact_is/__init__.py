"""Where in the network is a fact, and does finding it mean one can change it?

A country model answers by fetching and by making: attention carries which country it
is to the place of the answer, and there branches turn country and relation into a word.
Part 0 asks whether a fact is one thing or a sentence; part 1 follows one question
through the layers; part 2 takes branches away; part 3 writes another fact over one; part
4 asks how often, and in how many ways, a fact must be said to be known.

Unlike demo 04: there one edge was cut; here every stage is read, moved, removed or
rewritten, each beside a change of the same size in a drawn direction.  Left out:
gradients, covariance of the keys (ROME, MEMIT), models of more than two layers; what
those have shown is told, not measured.
"""

from __future__ import annotations

from demos.d14_where_the_fact_is import (
    part0_reversal,
    part1_look_up,
    part2_ablation,
    part3_edit,
    part4_told,
)
from lecture.report import Part

PARTS: tuple[Part, ...] = (
    part0_reversal.PART,
    part1_look_up.PART,
    part2_ablation.PART,
    part3_edit.PART,
    part4_told.PART,
)
