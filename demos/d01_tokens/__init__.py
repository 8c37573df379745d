"""What does a model read: letters, words or something between, and who decides?

Text becomes tokens by byte-pair encoding: join the most frequent pair of neighbours,
again and again.  The opener shows what that costs a language the tokenizer never
saw; part 1 does every merge by hand, ties included, and asks what the merges live
on; part 2 meets words that were never seen; part 3 goes down to bytes, where
nothing is unknown and a token may be a piece of a character.

This is the first demo: all that follow start from the ids made here.  The counting
is in lecture/data/bpe.py, the texts in lecture/data/texts.py.  Left out: what an id means to
the model (02), special tokens, and the `tokenizers` library, which a test holds
against ours merge by merge.
"""

from __future__ import annotations

from demos.d01_tokens import part0_opener, part1_merges, part2_new_words, part3_bytes
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part0_opener.PART,
    part1_merges.PART,
    part2_new_words.PART,
    part3_bytes.PART,
)

OPENING = (
    Paragraph(T(
        "四个问题\n"
        "  0  模型读到的是字、是词，还是别的？同一句话，中文为什么可能更费 token？\n"
        "  1  BPE 一次一次合并什么？几对次数相同时，先合哪一对？\n"
        "  2  没见过的词怎么切？切分点会落在词干和词尾之间吗？\n"
        "  3  退到字节，还有不认识的字吗？半个汉字怎么办？",
        "Four questions\n"
        "  0  Does a model read letters, words, or what? Why may Chinese cost more?\n"
        "  1  What does BPE join, step by step? Which pair goes first when counts tie?\n"
        "  2  How is a word cut that was never seen? Between stem and ending?\n"
        "  3  Down at bytes, is anything unknown? What about half a character?")),
    Paragraph(T(
        "怎么读  先猜，再看表：每一部分先问一个问题，答案在观察后面。\n"
        "        通过：刚算出来，而且换上公平的对照就不成立。不成立：会照实写出来。\n"
        "        “=”：按定义成立，只作提醒。其余的表和观察：--more。\n"
        "来源    Sennrich 等 2016（BPE 切词）；Radford 等 2019（以字节为底）。",
        "Reading  guess first, then the table: the answer stands after the observations.\n"
        "         OK: computed now, and a fair control fails. What fails is shown to fail.\n"
        "         “=”: true by definition, a reminder. Everything else: --more.\n"
        "Sources  Sennrich et al. 2016 (BPE for words); Radford et al. 2019 (bytes).")),
)
