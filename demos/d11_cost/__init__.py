"""What does a Transformer cost: in multiply-adds, in bytes, in steps that wait?

Every query meets every key: n·n·d multiply-adds, twice, and n·n weights a head.  Part 1
counts a whole layer against the length, part 2 the bytes of a whole model, part 3 runs
three ways out of n·n and checks each against the full thing, part 4 sets a layer beside
a recurrent one, part 5 writes with and without a cache of keys and values.

Unlike demo 09: what a layer can do plays no part, only what it takes.  Nothing is
computed from a formula: the code that attends counts its own products (lecture/lab/cost),
and the tests hold the counts against torch's own counter.  Left out: norms, biases and
GELU (no products), what a GPU moves between its memories, several machines.
"""

from __future__ import annotations

from demos.d11_cost import part1_growth, part2_memory, part3_ways_out, part4_choice, part5_cache
from lecture.report import Part

PARTS: tuple[Part, ...] = (
    part1_growth.PART,
    part2_memory.PART,
    part3_ways_out.PART,
    part4_choice.PART,
    part5_cache.PART,
)
