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
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_growth.PART,
    part2_memory.PART,
    part3_ways_out.PART,
    part4_choice.PART,
    part5_cache.PART,
)

OPENING = (
    Paragraph(T(
        "五个问题\n"
        "  1  文本长十倍，一层的计算量变成几倍？\n"
        "  2  训练一个模型，要多少显存？混合精度能省多少？\n"
        "  3  绕开 n·n 的三条路：哪条精确，哪条换了答案？\n"
        "  4  RNN 还是 Transformer：谁记得多，谁算得多，谁等得久？\n"
        "  5  生成时把旧的键和值存下来：省什么，付什么？\n"
        "怎么读  通过：刚数出来的，换上对照就不成立。“=”：按定义成立。次数不是时间。\n"
        "来源    Vaswani 等 2017；Dao 等 2022（分块）；Child 等 2019（稀疏）；\n"
        "        Katharopoulos 等 2020（线性）；Kaplan 等 2020（每个词的运算数）。",
        "Five questions\n"
        "  1  A text ten times as long: how many times does a layer cost?\n"
        "  2  How much memory does training take? What does mixed precision save?\n"
        "  3  Three ways round n·n: which is exact, which is another answer?\n"
        "  4  RNN or Transformer: who keeps more, computes more, waits longer?\n"
        "  5  Keep old keys and values while writing: what is saved, what paid?\n"
        "Reading  OK: counted, a control fails. “=”: by definition. Counts, not times.\n"
        "Sources  Vaswani et al. 2017; Dao et al. 2022 (tiles); Child et al. 2019;\n"
        "         Katharopoulos et al. 2020 (linear); Kaplan et al. 2020 (per token).")),
)
