"""Why can a Transformer be a hundred blocks deep, and what does the depth consist of?

Going back through a block, a gradient is multiplied by the block's slope. Part 1 sends
one through 6, 50 and 100 blocks, joined in six ways from two starts; part 2 takes the two
norms apart; part 3 counts where the parameters are and shows that the FFN works word by
word; part 4 trains twelve blocks with and without residual, with and without norm.

Unlike demo 08: what happens between blocks, not inside one. Left out: what each block
computes (12, 14), dropout, and widths and depths that take more than a laptop.
"""

from __future__ import annotations

from demos.d09_depth import part1_gradient, part2_norms, part3_parameters, part4_trained
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_gradient.PART,
    part2_norms.PART,
    part3_parameters.PART,
    part4_trained.PART,
)
OPENING: tuple[Paragraph, ...] = (
    Paragraph(T(
        "四个问题\n"
        "  1  梯度往回走一百个块，还剩多少？残差、归一化、起步，各管什么？\n"
        "  2  层归一化和批归一化差在哪里？LN(x) 约等于 x 吗？\n"
        "  3  参数在哪里？FFN 占多少？\n"
        "  4  十二层，去掉残差，或者去掉归一化，还学得会吗？\n"
        "来源  He 等 2016（残差）；Ba 等 2016（层归一化）；Vaswani 等 2017（Post-LN）；\n"
        "      Dong 等 2021（秩坍缩）。",
        "Four questions\n"
        "  1  What is left of a gradient after a hundred blocks? Residual, norm or start?\n"
        "  2  How do layer norm and batch norm differ? Is LN(x) about x?\n"
        "  3  Where are the parameters? How many are in the FFN?\n"
        "  4  Twelve blocks without residual, or without norm: do they still learn?\n"
        "Sources  He et al. 2016 (residual); Ba et al. 2016 (layer norm);\n"
        "         Vaswani et al. 2017 (Post-LN); Dong et al. 2021 (rank collapse).")),
)
