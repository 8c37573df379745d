"""How does a model know where a word stands, and what happens further than trained?

Attention compares what words are, not where they are.  Part 1 shows how far that
blindness goes and what lifts it, part 2 looks into the table of sines, part 3 turns
queries and keys instead (RoPE) and writes the turn in the ways code does, part 4 takes
four models trained on short texts, asks them on longer ones, and stretches RoPE on the
trained weights.

Unlike demo 06: there the mask hid what must not be seen; here it turns out to give away
the order.  Left out: training with position biases (T5, ALiBi), further training after a
stretch, what positions are for in a copying circuit (12).
"""

from __future__ import annotations

from demos.d07_positions import part1_order, part2_sinusoids, part3_rope, part4_longer
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_order.PART,
    part2_sinusoids.PART,
    part3_rope.PART,
    part4_longer.PART,
)

OPENING = (
    Paragraph(T(
        "四个问题\n"
        "  1  注意力看得见词序吗？因果掩码会泄露什么？\n"
        "  2  正弦编码里，相距几格看得出来吗？越远就越不像吗？\n"
        "  3  RoPE 转的是什么？两种配对，混用会怎样？\n"
        "  4  在短文上训练，读长文，哪种位置最后垮？把 RoPE 拉长，有没有用？\n"
        "怎么读  通过：刚算出来，换上对照就不成立。“=”：按定义成立。记录：读存下的结果。\n"
        "来源    Vaswani 等 2017（正弦）；Su 等 2021（RoPE）；Chen 等 2023（位置插值）。",
        "Four questions\n"
        "  1  Does attention see the order of words? What does a causal mask give away?\n"
        "  2  Does a code of sines show how far apart places are? Is far always unlike?\n"
        "  3  What does RoPE turn? What if its two ways of pairing are mixed?\n"
        "  4  Trained on short texts: which kind of positions falls last on long ones?\n"
        "Reading  OK: computed now, a control fails. “=”: by definition. REC: a record.\n"
        "Sources  Vaswani et al. 2017 (sines); Su et al. 2021 (RoPE); Chen et al. 2023.")),
)
