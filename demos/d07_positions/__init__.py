"""How does a model know where a word stands, and what happens further than trained?

Attention compares what words are, not where they are.  Part 1 shows how far that
blindness goes and what lifts it, part 2 looks into the table of sines, part 3 turns
queries and keys instead (RoPE) and puts its two conventions side by side, part 4 trains
four models on short texts, asks them on longer ones, and tries the two ways of
stretching RoPE on the trained weights.

Unlike demo 06: there the mask hid what must not be seen; here it turns out to give away
the order.  Left out: position biases (T5, ALiBi), further training after a stretch, what
positions are for in a copying circuit (12).
"""

from __future__ import annotations

from demos.d07_positions import part1_order, part2_sinusoids, part3_rope, part4_longer
from lecture.report import Part

PARTS: tuple[Part, ...] = (
    part1_order.PART,
    part2_sinusoids.PART,
    part3_rope.PART,
    part4_longer.PART,
)
