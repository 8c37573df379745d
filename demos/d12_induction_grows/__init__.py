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
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_grows.PART,
    part2_circuit.PART,
    part3_places.PART,
    part4_cuts.PART,
    part5_world.PART,
    part6_trap.PART,
)

OPENING = (
    Paragraph(T(
        "五个问题\n"
        "  1  两层注意力怎样学会抄：一点一点，还是一下子？\n"
        "  2  训练出来的头，和 04.4 手工搭的是同一个电路吗？第二层从第一层读什么？\n"
        "  3  不给位置编码，还会抄吗？\n"
        "  4  切掉一个头，还抄对多少？换个种子呢？\n"
        "  5  语料里要有多少重复才会抄？匹配的分数高，就是归纳头吗？",
        "Five questions\n"
        "  1  How do two layers of attention learn to copy: little by little, or at once?\n"
        "  2  Are the trained heads those set by hand in 04.4? What does layer two read?\n"
        "  3  Without position codes, does it still copy?\n"
        "  4  Cut one head: how much of the copy is left? And with another seed?\n"
        "  5  How many repeats does a corpus need? Is a high score an induction head?")),
    Paragraph(T(
        "读法  L0、L1 是第一、第二层，H0、H1 是一层里的头。记录：读事先训练存下的结果。\n"
        "来源  Elhage 等 2021（电路、复合）；Olsson 等 2022（归纳头、前缀匹配）。",
        "Reading  L0, L1: layers one and two; H0, H1: a layer's heads. REC: a record.\n"
        "Sources  Elhage et al. 2021 (circuits, composition); Olsson et al. 2022.")),
)
