"""What can several heads do that one cannot, and which head does what?

One head gives every query one average.  Part 1 asks two things of one place, so that
one average has to serve both; part 2 asks what "it" stands for, and replaces what is
fetched instead of believing the attention map; part 3 counts parameters, part 4 ranks,
and part 5 lets query heads share keys and values.

Unlike demo 05: there one head and its three matrices, here several side by side.  Left
out: what heads of a large model do (12 finds one kind in a small one), the cost of long
inputs (11), pruning heads after training.
"""

from __future__ import annotations

from demos.d08_heads import (
    part1_two_answers,
    part2_pronoun,
    part3_arithmetic,
    part4_ranks,
    part5_groups,
)
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_two_answers.PART,
    part2_pronoun.PART,
    part3_arithmetic.PART,
    part4_ranks.PART,
    part5_groups.PART,
)

OPENING = (
    Paragraph(T(
        "五个问题\n"
        "  1  一个位置要同时答两问，一个头够不够？要几个头？\n"
        "  2  “it” 指谁？它看的那个词，就是它靠的那个词吗？\n"
        "  3  头多了，参数多了吗？\n"
        "  4  头窄，什么的秩就低？分数，权重，还是输出？\n"
        "  5  几个头共用键和值，省下什么？",
        "Five questions\n"
        "  1  One place must give two answers: is one head enough? How many are?\n"
        "  2  What is “it”? Is the word it looks at the word it relies on?\n"
        "  3  More heads, more parameters?\n"
        "  4  In a narrow head, what has low rank: scores, weights or output?\n"
        "  5  Heads that share keys and values: what is saved?")),
    Paragraph(T(
        "怎么读  同演示 04；头也照那里叫：L0H1 是第一层的第二个头。\n"
        "来源    Vaswani 等 2017（多头）；Jain 和 Wallace 2019（看与靠）；\n"
        "        Bhojanapalli 等 2020（秩）；Shazeer 2019、Ainslie 等 2023（共用）。",
        "Reading  as in 04, heads too: L0H1 is the second head of the first layer.\n"
        "Sources  Vaswani et al. 2017 (heads); Jain and Wallace 2019 (look and need);\n"
        "         Bhojanapalli et al. 2020 (rank); Shazeer 2019, Ainslie et al. 2023.")),
)
