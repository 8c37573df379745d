"""02.1 One-hot, on paper only: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d02_embeddings.errata import ERRATA
from demos.d02_embeddings.lesson import ONE_HOT_CONTROLS, SHOWN, TOY, look_rows_up
from demos.d02_embeddings.words import COUNT
from lecture.margins import above, at_least, at_most, below, both, equal, near
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    ARITHMETIC,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

QUANTITIES = {
    **{f"toy.*.code.{i}": Quantity(T(f"第 {i + 1} 个", f"no. {i + 1}"), "g")
       for i in range(len(TOY))},
    **{f"toy.*.row.{i}": Quantity(T(f"第 {i + 1} 个", f"no. {i + 1}"), ".2f")
       for i in range(SHOWN)},
    "toy.*.word": Quantity(T("词", "word")),
    "ways.*.bytes": Quantity(T("一个词的字节", "bytes a word"), ",d"),
    "ways.*.multiply_adds": Quantity(T("取一行的乘加", "multiply-adds for a row"), ",d"),
    "ratio": Quantity(T("倍", "times"), ".0f"),
    "words": Quantity(T("词", "words"), ",d"), "width": Quantity(T("宽", "width"), "d"),
    "table_megabytes": Quantity(T("表", "table"), ".1f"),
    "sample": Quantity(T("行", "rows"), ",d"), "gradient.*": Quantity(T("行", "rows"), "d"),
    "same.*": Quantity(T("数", "numbers"), ",d"),
    "dots.*": Quantity(T("点积", "dot product"), "g"),
    "distances.*": Quantity(T("距离", "distance"), ".3f"),
}
NAMES = {
    "toy.wo": T("{toy.wo.word}", "{toy.wo.word} I"), "toy.ai": T("{toy.ai.word}", "{toy.ai.word} "
                                                                                  "love"),
    "toy.diannao": T("{toy.diannao.word}", "{toy.diannao.word} computer"),
    "ways.written": T("one-hot，写出来", "one-hot, written out"),
    "ways.dense": T("稠密的一行（float32）", "a dense row (float32)"),
    "ways.id": T("编号（int64）", "the number (int64)"),
}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("toy.*", (Group(T("one-hot", "one-hot"), tuple(f"code.{i}" for i in range(3))),
                         Group(T("one-hot × 表", "one-hot × table"),
                               tuple(f"row.{i}" for i in range(SHOWN)))))
    yield Rows("ways.*", ("bytes", "multiply_adds"),
               title=T("词表 {words} 个词，每行 {width} 个数，整张表 {table_megabytes} MB",
                       "{words} words, rows of {width} numbers: a table of "
                       "{table_megabytes} MB"))


PART = Part(
    number=1, key="one_hot",
    title=T("one-hot：只写在纸上", "One-hot, on paper only"),
    compute=look_rows_up, describe=blocks, quantities=QUANTITIES, names=NAMES,
    lead=(Paragraph(T(
        "one-hot：词表有几个词就写几个数，自己的位置是 1，其余是 0。嵌入表每个词一行；one-hot 乘这"
        "张表，取出自己那一行。例（表是随机抽的）：\n"
        "    “{toy.ai.word}” = ({toy.ai.code.0}, {toy.ai.code.1}, {toy.ai.code.2})：0 × 第一行 + "
        "1 × 第二行 + "
        "0 × 第三行 = ({toy.ai.row.0}, {toy.ai.row.1}, ...)",
        "One-hot: as many numbers as the vocabulary has words, 1 at the word's own place, else 0. "
        "The embedding table has a row a word; one-hot times the table takes that row. Example (a "
        "drawn table):\n"
        "    {toy.ai.word} = ({toy.ai.code.0}, {toy.ai.code.1}, {toy.ai.code.2}): 0 × row 1 + 1 × "
        "row 2 + "
        "0 × row 3 = ({toy.ai.row.0}, {toy.ai.row.1}, ...)")),),
    params={"words": Param(100_000, 10, 10_000_000, about=T("词表大小", "words in the vocabulary")),
            "width": Param(512, 1, 1024, about=T("每行几个数", "numbers a row"))},
    controls=ONE_HOT_CONTROLS,
    claims=(
        Claim("all_apart", T(
            "one-hot 不知道谁像谁：“{toy.wo.word}”和“{toy.ai.word}”、“{toy.wo.word}”和"
            "“{toy.diannao.word}”，点积都是 {dots.wo_ai}，距离都是 "
            "{distances.wo_ai}，即根号二。",
            "One-hot knows no likeness: {toy.wo.word} and {toy.ai.word}, {toy.wo.word} and "
            "{toy.diannao.word} alike have the dot product "
            "{dots.wo_ai} and the distance {distances.wo_ai}, the root of two."),
            lambda m: both(near(m.dots.wo_ai, 0, 1e-12), near(m.dots.wo_diannao, 0, 1e-12),
                           near(m.distances.wo_ai, 2 ** 0.5, 1e-12),
                           near(m.distances.wo_diannao, 2 ** 0.5, 1e-12)),
            "binary", kind="example"),
        Claim("long", T(
            "写出来，一个词要 {ways.written.bytes} 字节，是稠密一行的 {ratio} 倍。",
            "Written out a word takes {ways.written.bytes} bytes, {ratio} times a dense row."),
            lambda m: both(above(m.ratio, 1),
                           near(m.ways.written.bytes / m.ways.dense.bytes, m.ratio, 1e-9)),
            "toy", kind="example"),
        Claim("training", T(
            "训练时也不用写出来：{sample} 行里只有 {gradient.touched} 行的梯度不是零，直接加到这几"
            "行上，"
            "结果不同的数有 {gradient.differing} 个。",
            "Training does not need it either: of {sample} rows {gradient.touched} have a "
            "gradient that is not zero; adding it to these rows changes {gradient.differing} "
            "numbers."),
            lambda m: both(equal(m.gradient.differing, 0),
                           equal(m.gradient.touched, m.gradient.tokens),
                           above(m.sample, m.gradient.touched)),
            "blurred", kind="identity", more=True),
    ),
    caveat=T("表是随机抽的，行与行谁近谁远没有意思；有意思的数从哪来，是第 2 部分。",
             "The table is drawn: which rows are close means nothing. Where numbers that mean "
             "something come from is part 2."),
    questions=(Question(
        T("词表 {words:,d} 个词。程序读一个词，为它存的是几个字节？取回的那一行呢？",
          "{words:,d} words. Bytes a program keeps to read one? And the row it gets?"),
        (Option(T("{ways.written.bytes:,d}，正是乘积", "{ways.written.bytes:,d}, exact"),
                lambda m: both(at_most(m.ways.written.bytes, m.ways.id.bytes),
                               equal(m.same.differing, 0)),
                T("把公式当成了程序。公式里的乘法，程序里是取一行。",
                  "takes the formula for the program: its product is a look-up there.")),
         Option(T("{ways.id.bytes}，正是乘积", "{ways.id.bytes}, exact"),
                lambda m: both(at_least(m.ways.written.bytes, m.ways.id.bytes + 1),
                               equal(m.same.differing, 0))),
         Option(T("{ways.id.bytes}，近似", "{ways.id.bytes}, about"),
                lambda m: at_least(m.same.differing, 1),
                T("以为嵌入是把 one-hot 压缩了。那一行就是乘积本身。",
                  "thinks an embedding compresses a one-hot. The row is the product.")),
         Option(T("{ways.dense.bytes:,d}，近似", "{ways.dense.bytes:,d}, about"),
                lambda m: both(at_least(m.same.differing, 1),
                               at_most(m.ways.dense.bytes, m.ways.id.bytes)),
                T("把取回的行当成了词的编号。",
                  "takes the row that comes back for the word's number."))),
        answer=Claim("same_row", T(
            "编号 {ways.id.bytes} 字节，取的就是乘积：在 {sample} 行的表上乘 {gradient.tokens} 个"
            "词，"
            "不同的数有 {same.differing} 个。",
            "The number has {ways.id.bytes} bytes and takes the very product: {gradient.tokens} "
            "words times a table of {sample} rows, and {same.differing} numbers differ."),
            lambda m: both(equal(m.same.differing, 0), below(m.ways.id.bytes, 9),
                           above(m.sample, m.gradient.tokens)),
            "blurred", kind="identity")),),
    pins={"toy.*.word": COUNT, "toy.*": ARITHMETIC, "distances.*": ARITHMETIC,
          "table_megabytes": ARITHMETIC, "ratio": ARITHMETIC,
          "dots.*": exact("a true zero"), "*": COUNT},
    errata=ERRATA["one_hot"],
    notes=T(
        "约 3 分钟，只是热身。要点：one-hot 是一种说法，不是一段内存；要紧的是表里的数从哪来。可"
        "问："
        "若把编号写成二进制（01、10、11），第一、三个词就有了共同的一位，这种像有意思吗？试试 "
        "--set 1.words=1000000，哪个数变，哪个不变？--set 1.words=10 时 one-hot 反而比稠密的短。",
        "About 3 minutes, a warm-up. The point: one-hot is a way of speaking, not a piece of "
        "memory; what matters is where the numbers in the table come from. Ask: with the number "
        "in binary (01, 10, 11) words one and three share a digit; does that likeness mean "
        "anything? "
        "--set 1.words=1000000: which figure moves, which does not? With --set 1.words=10 a "
        "one-hot is shorter than a dense row."),
)
