"""What the notes say about recurrent nets and translation, and what is measured."""

from __future__ import annotations

from lecture.report import Erratum, T

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "chain": (
        Erratum("B-001", "reading", T(
            "例句译成“某人上周买了房、搬去北京”：买房的成了搬家的人。",
            "The sample sentence is rendered as “someone bought a house last week and moved to "
            "Beijing”: the mover becomes the buyer."), T(
            "买房的是约翰，搬家的是房子被买走的那个人：房子上周被约翰买下的那个人搬到了北京。",
            "John bought; the one who moved is the person whose house he bought. A translation "
            "has to keep both.")),
        Erratum("B-002", "measured", T(
            "moved 排在第 15 位。", "“moved” stands at position 15."), T(
            "一个个数：第 11 位。", "Counted word by word: position 11."),
            "places.moved", 15.0, 0.5),
        Erratum("B-003", "measured", T(
            "第一个词的信息要传 15 次。", "The first word is handed on 15 times."), T(
            "从第 1 位到第 11 位，传 10 次；就算真是第 15 位，也只传 14 次。",
            "From position 1 to 11 it is handed on 10 times; even to a position 15 it would "
            "be 14."),
            "hops.chain", 15.0, 0.5),
        Erratum("B-005", "measured", T(
            "图里 house 是第 5 位，而 moved 由第 15 位“生成”。",
            "In the figure “house” is position 5, and position 15 “generates” “moved”."), T(
            "house 是第 4 位；读到 moved 的那个位置，预测的是 moved 的下一个词。",
            "“house” is position 4; the place that reads “moved” predicts the word after it."),
            "places.house", 5.0, 0.5),
        Erratum("B-013", "reading", T(
            "信息路径画成 h4 到 h3、再到 h3、再到 h4。",
            "The path of information is drawn as h4 to h3 to h3 to h4."), T(
            "从左往右读的网络没有往回走的路：只有 h1 到 h2，一直到 hN，共 N-1 步。",
            "A net that reads from left to right has no way back: there is only h1 to h2 and so "
            "on to hN, N-1 steps.")),
    ),
    "order": (
        Erratum("B-015", "measured", T(
            "RNN 不分语序：I love you 和 You love I 的末状态可能几乎一样。",
            "An RNN does not mind word order: its last states for “I love you” and “You love "
            "I” may be nearly the same."), T(
            "正相反：RNN 的末状态变了大约它自己那么多。不分语序的是词袋，和没有位置信息的注意力。",
            "The opposite: its last state changes by about its own size. What is blind to "
            "order is a bag of words, and attention without positions."),
            "nets.rnn.mean"),
    ),
    "bottleneck": (
        Erratum("B-007", "reading", T(
            "压缩阶段的例子把两种语言混在一句里，编码器“输出”的又是一句英文。",
            "The compression example mixes two languages in one sentence, and the encoder "
            "“outputs” an English sentence."), T(
            "编码器读 I love AI，给出的是数，不是句子；解码器再从这些数写出 我 爱 AI。",
            "The encoder reads “I love AI” and gives numbers, not a sentence; from them the "
            "decoder writes the Chinese words one by one.")),
        Erratum("B-008", "measured", T(
            "LSTM 编码器的上下文是一个向量 h3。",
            "The context an LSTM encoder hands over is one vector, h3."), T(
            "是两个数组：h 和 c。", "It is two arrays: h and c."),
            "context.arrays", 1.0, 0.5),
        Erratum("B-014", "measured", T(
            "一千个词塞进一个向量，“必然”丢信息。",
            "A thousand words in one vector “must” lose information."), T(
            "512 个 32 位浮点数有 16,384 位，写下 50,000 词表里的 1,000 个词只要 15,610 位："
            "不是不可能，"
            "是难学。",
            "512 float32 numbers hold 16,384 bits; 1,000 words out of 50,000 take 15,610. Not "
            "impossible: hard to learn."),
            "bits.spare"),
    ),
    "forcing": (
        Erratum("B-010", "measured", T(
            "一个词说错，后面就彻底歪掉。", "One wrong word, and all that follows goes astray."), T(
            "大半会歪，不是全部：塞进一个错字母之后，后面还对这么多，比瞎猜多。"
            "训练时不时喂它自己的话，歪得少一些，"
            "平时却错得多一些。",
            "Most of it, not all: this share of the later letters is still right after one "
            "wrong letter, more than by guessing. A decoder fed its own words in training "
            "strays less, and slips more."),
            "nets.one.after"),
        Erratum("B-011", "measured", T(
            "教师强制的例子从 <BOS> 直接到“爱”，一共三行。",
            "The teacher-forcing example goes from <BOS> straight to the verb: three rows."), T(
            "第一个目标是“我”：三个词加结束符，共四对。",
            "The first target is the subject: three words and the end mark make four pairs."),
            "shift.pairs", 3.0, 0.5),
        Erratum("B-012", "reading", T(
            "不用教师强制的例子也跳过了“我”。",
            "The free-running example skips the subject too."), T(
            "第一步就该说出“我”，再把它喂回去。",
            "The first step has to say the subject, which is then fed back.")),
        Erratum("B-083", "measured", T(
            "解码器的输入里有 <EOS>。", "The decoder's input holds <EOS>."), T(
            "输入是目标右移一格：有 <BOS>，没有 <EOS>；<EOS> 只出现在目标里。",
            "The input is the target moved one to the right: it holds <BOS> and never <EOS>, "
            "which is a target only."),
            "shift.eos_fed", 1.0, 0.5),
        Erratum("B-085", "measured", T(
            "“爱”这一行的查询，产生“爱”这个词。",
            "The query in the row of the verb produces the verb."), T(
            "差了一格：预测“爱”的那一行，喂进去的是“我”。",
            "Off by one: the row that predicts the verb is the one fed the subject."),
            "shift.before_love"),
    ),
}
