"""Who may look at whom, and what breaks when a model is let look at the answer?

A mask is a table of yes and no: may this query look at that key?  Part 0 shows what
the causal mask promises: what comes later cannot change what came before.  Part 1
draws the masks and reads one backwards, part 2 hides a whole row and asks what
softmax makes of it, part 3 follows the gradient backwards through a mask, and
part 4 trains a model that sees the answers, one that does not, and one that looks
both ways honestly because what it must guess is hidden.

Unlike demo 04: there the causal mask was one of three details; here every mask has
its turn, with the ways it goes wrong.  Left out: windows, sparse patterns and their
cost (11), what a causal mask tells about order (07), masks inside a translator (10).
"""

from __future__ import annotations

from demos.d06_masks import part0_order, part1_masks, part2_empty, part3_gradient, part4_exam
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part0_order.PART,
    part1_masks.PART,
    part2_empty.PART,
    part3_gradient.PART,
    part4_exam.PART,
)
OPENING: tuple[Paragraph, ...] = (
    Paragraph(T(
        "五个问题\n"
        "  0  问题放在文章后面，改得了文章已经读成的样子吗？\n"
        "  1  填充怎样遮？同一张掩码读反了，会报错吗？\n"
        "  2  一整行都不许看，softmax 给出什么？\n"
        "  3  遮掉近一半的连线，传回输入的梯度变小吗？\n"
        "  4  训练时看得见答案的模型，考试时怎样？错在看两边吗？\n"
        "来源  Vaswani 等 2017（因果掩码）；Devlin 等 2019（BERT，藏词）；\n"
        "      Yang 等 2019（XLNet，排列）。",
        "Five questions\n"
        "  0  Can a question behind a text change how the text has been read?\n"
        "  1  How is padding hidden? A mask read backwards: does anything complain?\n"
        "  2  A row that may look at nobody: what does softmax return?\n"
        "  3  Nearly half of the links hidden: is the input's gradient smaller?\n"
        "  4  Answers seen in training: how is the exam? Is looking both ways the fault?\n"
        "Sources  Vaswani et al. 2017 (causal mask); Devlin et al. 2019 (BERT, hidden words);\n"
        "         Yang et al. 2019 (XLNet, permutations).")),
)
