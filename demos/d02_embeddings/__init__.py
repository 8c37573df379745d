"""What is a word to a model, and when does the sentence around it start to matter?

Part 1 multiplies a one-hot vector by a table and finds a row of the table: nobody ever
writes the vector out. Part 2 gives each word of the invented world a dense vector, by
counting its company (PPMI, then a truncated SVD) and by guessing it (skip-gram), and asks
who lies next to a country, and whether an analogy beats its baseline. A vector of that
kind is one a word, whatever the sentence. Part 3 says in four lines what attention does
and shows, with weights set by hand, that the query of "bank" is the same by the river and
in an account, and that one layer parts the two; part 4 finds the same in a trained model,
cuts what it looks at and exchanges what it fetches.

Unlike demo 01: tokens are whole words here, and each becomes a vector. Left out: how
attention weighs and masks (04), where queries and keys come from (05), position codes
(07), and embeddings trained by gradient on real text.
"""

from __future__ import annotations

from demos.d02_embeddings import part1_one_hot, part2_company, part3_by_hand, part4_trained
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_one_hot.PART,
    part2_company.PART,
    part3_by_hand.PART,
    part4_trained.PART,
)

OPENING = (
    Paragraph(T(
        "四个问题\n"
        "  1  读一个词，程序真的写出 one-hot 向量吗？\n"
        "  2  不看词义，只看它和谁共现，能得到什么样的词向量？谁离谁近？\n"
        "  3  一词多义：意思从哪一步开始随上下文变？\n"
        "  4  训练好的模型凭哪几个词断定义项？拿掉它们，它说什么？\n"
        "怎么读  通过：刚算出来，换上对照就不成立。“=”：按定义成立。记录：读存下的结果。\n"
        "来源    Levy、Goldberg 2014（PMI 与 skip-gram）；Mikolov 等 2013（word2vec）。",
        "Four questions\n"
        "  1  To read a word, does a program write out a one-hot vector?\n"
        "  2  From a word's company alone, what vectors come out? Who is near whom?\n"
        "  3  One word, two senses: from which step on does context count?\n"
        "  4  Which words does a trained model go by? What does it say without them?\n"
        "Reading  OK: computed now, a control fails. “=”: by definition. REC: a record.\n"
        "Sources  Levy, Goldberg 2014 (PMI, skip-gram); Mikolov et al. 2013 (word2vec).")),
)
