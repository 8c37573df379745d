"""Why can a Transformer be a hundred blocks deep, and what does the depth consist of?

Going back through a block, a gradient is multiplied by the block's slope. Part 1 sends
one through 6, 50 and 100 blocks, joined in five ways; part 2 takes the two norms apart;
part 3 counts where the parameters are and shows that the FFN works word by word; part 4
trains twelve blocks with and without residual, with and without norm.

Unlike demo 08: what happens between blocks, not inside one. Left out: what each block
computes (12, 14), RMSNorm, dropout, and widths and depths that take more than a laptop.
"""

from __future__ import annotations

from demos.d09_depth import part1_gradient, part2_norms, part3_parameters, part4_trained
from lecture.report import Part

PARTS: tuple[Part, ...] = (
    part1_gradient.PART,
    part2_norms.PART,
    part3_parameters.PART,
    part4_trained.PART,
)
