"""Why does a word need a query, a key and a value, and what if they share a matrix?

A word is looked up by its key, looks with its query, and hands over its value: the same
vector through three matrices.  Part 1 takes the roles apart, and shares the matrix of
query and key; part 2 trains the four ways of sharing on two tasks, and sets by hand what
training did not find; part 3 follows the shapes, sums and ranks of one head.

Unlike demo 04: the vectors that are compared are made by matrices, drawn in parts 1 and 3,
trained in part 2.  Left out: masks (06), how positions get into queries and keys (07), what
several heads share and split (08).
"""

from __future__ import annotations

from demos.d05_qkv import part1_roles, part2_sharing, part3_shapes
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_roles.PART,
    part2_sharing.PART,
    part3_shapes.PART,
)
OPENING: tuple[Paragraph, ...] = (
    Paragraph(T(
        "三个问题\n"
        "  1  查询、键、值各管什么？查询和键共用一个矩阵，每个词看谁？\n"
        "  2  共用矩阵，训练得出来吗？训练不出来，是装不下吗？\n"
        "  3  一个头每一步是什么形状？三个矩阵，输出就有三倍的方向吗？\n"
        "来源  Vaswani 等 2017（Q、K、V）；Kitaev 等 2020（Reformer，Q = K）。",
        "Three questions\n"
        "  1  What do query, key and value do? If query and key share, who is looked at?\n"
        "  2  Do shared matrices train? Where they do not, is it for lack of room?\n"
        "  3  What shape has each step of a head? Do three matrices triple its output?\n"
        "Sources  Vaswani et al. 2017 (Q, K, V); Kitaev et al. 2020 (Reformer, Q = K).")),
)
