"""Where in the network is a fact, and does finding it mean one can change it?

A country model answers by fetching and by making: attention carries which country it
is to the place of the answer, and there branches turn country and relation into a word.
Part 0 asks whether a fact is one thing or a sentence; part 1 reads the answers on their
way, probes them and moves states; part 2 silences branches and exchanges them; part 3
writes another fact over one; part 4 asks in how many ways a fact must be said.

Unlike demo 04: there one edge was cut; here every stage is read, moved, exchanged or
rewritten, each beside the same done with another name, country, place or key.  Left out:
gradients (ROME's own vector, MEMIT), models of more than two layers; what those have shown
is told, not measured.
"""

from __future__ import annotations

from demos.d14_where_the_fact_is import (
    part0_reversal,
    part1_look_up,
    part2_ablation,
    part3_edit,
    part4_told,
)
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part0_reversal.PART,
    part1_look_up.PART,
    part2_ablation.PART,
    part3_edit.PART,
    part4_told.PART,
)

OPENING = (
    Paragraph(T(
        "五个问题\n"
        "  0  背熟了“X 的首都是 Y”，反过来问 Y 是哪国的首都，答得出吗？\n"
        "  1  答案在哪一层、哪个位置出现？读不出，就是没有吗？\n"
        "  2  拿掉 MLP 或注意力，还剩多少？拿什么代替，有没有关系？\n"
        "  3  找到了一个事实经过的地方，在那里改写它，会怎样？\n"
        "  4  同样的次数，一种说法和几种说法，谁学得活？",
        "Five questions\n"
        "  0  Who knows “the capital of X is Y” by heart: can it say whose capital Y is?\n"
        "  1  In which layer, at which place does the answer appear? Is unread absent?\n"
        "  2  Without MLPs or attention, what is left? Does it matter what replaces them?\n"
        "  3  Where a fact passes, one rewrites it: what happens?\n"
        "  4  Equally often, in one phrasing or in several: which is of more use?")),
    Paragraph(T(
        "来源    Berglund 等 2023（反转）；nostalgebraist 2020（logit lens）；\n"
        "        Meng 等 2022（修补、ROME）；Hase 等 2023；Allen-Zhu 和 Li 2023。",
        "Sources  Berglund et al. 2023 (reversal); nostalgebraist 2020 (logit lens);\n"
        "         Meng et al. 2022 (patching, ROME); Hase et al. 2023;\n"
        "         Allen-Zhu and Li 2023.")),
)
