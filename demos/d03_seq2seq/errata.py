"""What the notes say about recurrent nets and translation, and what is measured."""

from __future__ import annotations

from lecture.report import Erratum, T

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "chain": (
        Erratum("B-001", "reading", where="002:3-4", verdict="wrong", says=T(
            "例句译成：上周买下房子的人搬到了北京。",
            "The sample sentence is rendered as: the person who bought a house last week moved "
            "to Beijing."), right=T(
            "约翰不见了，买房的成了搬家的人。原句里买房的是约翰，搬家的是房子被买走的那个人。",
            "John is gone and the buyer moves. In the sentence John bought, and the one who "
            "moved is the person whose house he bought.")),
        Erratum("B-002", "measured", where="002:13", verdict="wrong", says=T(
            "moved 是第 {notes:g} 个位置。", "“moved” is position {notes:g}."), right=T(
            "按词数，是 {places.count} 个词里的第 {places.moved} 个。",
            "Counted in words it is number {places.moved} of {places.count}."),
            metric="places.moved", notes=15.0, within=0.5),
        Erratum("B-003", "measured", where="002:16", verdict="wrong", says=T(
            "第一个位置的信息要传 {notes:g} 次。", "What the first position says is "
            "handed on {notes:g} times."), right=T(
            "从第一个词到第 {places.moved} 个，传 {hops.chain} 次；从头到第 {notes:g} 个也只是 "
            "{hops.n15} 次。",
            "From the first word to word {places.moved} it is handed on {hops.chain} times; to "
            "word {notes:g} it would be {hops.n15}."),
            metric="hops.chain", notes=15.0, within=0.5),
        Erratum("B-005", "measured", where="002:11 002:23 002:27", verdict="wrong", says=T(
            "链的图里 house 是位置 {places.house}，直连的图里是位置 {notes:g}；moved 的位置综合各"
            "处，生成 moved。",
            "“house” is position {places.house} in the figure of the chain and {notes:g} in that "
            "of direct lines, where one position gathers all and generates “moved”."), right=T(
            "位置 {places.house} 是对的。读到 moved 的那个位置，得到的是它在句中的表示；若是语言模"
            "型，预测的是下一个词。",
            "{places.house} is right. The place that reads “moved” gets a representation of it; "
            "in a language model it predicts the word after."),
            metric="places.house", notes=5.0, within=0.5),
        Erratum("B-013", "reading", where="002:96-100", verdict="wrong", says=T(
            "信息路径画成 h4 到 h3、再到 h3、再到 h4。",
            "The path of information is drawn as h4 to h3 to h3 to h4."), right=T(
            "从左往右读的网络没有往回走的路：只有 h1 到 h2，一直到 hN，共 N-1 步。",
            "A net that reads from left to right has no way back: there is only h1 to h2 and so "
            "on to hN, N-1 steps.")),
    ),
    "order": (
        Erratum("B-015", "measured", where="002:107-120", verdict="wrong", says=T(
            "RNN 对词序不敏感：I love you 和 You love I 的 h3 可能几乎相同。",
            "An RNN is not sensitive to order: h3 may be nearly the same for “I love you” and "
            "“You love I”."), right=T(
            "正相反：没有训练的 RNN，最终隐状态平均变了自己的 {nets.rnn.mean:.2f} 倍。分不清词序"
            "的是词袋和没有位置信息的注意力。",
            "The opposite: the last state of an untrained RNN moves by {nets.rnn.mean:.2f} of its "
            "own size on average. Blind to order are a bag of words and attention without "
            "positions."),
            metric="nets.rnn.mean"),
    ),
    "bottleneck": (
        Erratum("B-007", "reading", where="002:43", verdict="wrong", says=T(
            "压缩的例子，输入里两种语言混在一起，压缩之后又是一句英文。",
            "In the example of compression the input mixes two languages and what comes after "
            "the context vector is an English sentence."), right=T(
            "编码器读 I love AI，给出的是数，不是句子；解码器再从这些数写出中文。",
            "The encoder reads “I love AI” and gives numbers, not a sentence; from them the "
            "decoder writes Chinese.")),
        Erratum("B-008", "measured", where="002:55-61", verdict="imprecise", says=T(
            "LSTM 编码器的最终输出是 {notes:g} 个向量 h3，它就是 context_vector。",
            "The LSTM encoder's final output is {notes:g} vector, h3: the "
            "context vector."), right=T(
            "若指 GRU 或普通 RNN，没有错。LSTM 交给解码器的是 {context.arrays} 个数组：h 和 c。",
            "Right if a GRU or a plain RNN is meant. An LSTM hands its decoder "
            "{context.arrays} arrays: h and c."),
            metric="context.arrays", notes=1.0, within=0.5),
        Erratum("B-014", "measured", where="002:103-105", verdict="misleading", says=T(
            "{bits.words:,} 个词的信息塞进一个向量，必然丢失大量信息。",
            "{bits.words:,} words in one vector must lose much information."), right=T(
            "若指训练的实际效果，说得对：难学。论装不装得下，{bits.numbers} 个 {bits.each} 位浮点"
            "数有 "
            "{bits.state:,} 位，从 {bits.vocabulary:,} 个词里挑 {bits.words:,} 个只要 "
            "{bits.need:,.0f} 位。",
            "Right if what training reaches is meant: it is hard to learn. As to room, "
            "{bits.numbers} floats of {bits.each} bits hold {bits.state:,} bits; {bits.words:,} "
            "words out of {bits.vocabulary:,} take {bits.need:,.0f}."),
            metric="bits.spare"),
    ),
    "forcing": (
        Erratum("B-010", "measured", where="002:81-82", verdict="imprecise", says=T(
            "一个词预测错了，后面就彻底歪掉。",
            "One word wrong, and what follows goes astray."), right=T(
            "若只是举一个可能的例子，没有错。我们的抄写任务里，塞进一个错字母之后还有 "
            "{nets.one.after:.0%} 对，瞎猜是 {chance:.0%}；带注意力的，{nets.attention.slip:.0%} "
            "只是晚了一格。",
            "Right if it is one thing that may happen. In our copying task "
            "{nets.one.after:.0%} of the later letters are still right after a wrong one (a blind "
            "guess: {chance:.0%}); with attention {nets.attention.slip:.0%} are one place late."),
            metric="nets.one.after"),
        Erratum("B-011", "measured", where="002:85-87", verdict="wrong", says=T(
            "教师强制的例子：<BOS> 先预测“爱”，一共 {notes:g} 步。",
            "Teacher forcing in the example: <BOS> predicts the verb first; "
            "{notes:g} steps."), right=T(
            "<BOS> 先要预测“我”：{shift.words} 个词加上 <EOS>，共 {shift.pairs} 步。",
            "<BOS> has to predict the subject first: {shift.words} words and <EOS> make "
            "{shift.pairs} steps."),
            metric="shift.pairs", notes=3.0, within=0.5),
        Erratum("B-012", "reading", where="002:90-91", verdict="wrong", says=T(
            "推理的例子里，<BOS> 也直接预测“爱”。",
            "In the example of inference, too, <BOS> predicts the verb."), right=T(
            "第一步该说出“我”，再把“我”喂回去。",
            "The first step has to say the subject, which is then fed back.")),
        Erratum("B-083", "measured", where="002:535", verdict="imprecise", says=T(
            "训练时的输出序列写作 <BOS> 我 爱 AI <EOS>（{notes:g} 个 <EOS>），接着送进解码器。",
            "The output sequence in training is written as <BOS> … <EOS>, with {notes:g} "
            "<EOS>, and goes into the decoder."), right=T(
            "若指目标加上两个记号，没有错。喂进解码器的是右移一格的那一段：有 <BOS>，<EOS> "
            "{shift.eos_fed} 个；<EOS> 只是要说的。",
            "Right if it means the target with both marks. What the decoder is fed is that "
            "moved one to the right: <BOS>, and {shift.eos_fed} <EOS>, which is only to be "
            "said."),
            metric="shift.eos_fed", notes=1.0, within=0.5),
        Erratum("B-085", "measured", where="002:570-575", verdict="imprecise", says=T(
            "解码器里“爱”字的 Query，用来生成“爱”。",
            "The decoder's query at the verb generates the verb."), right=T(
            "若指目标那一格，没有错。按输入算差一格：预测“{shift.love}”的那一行，喂的是"
            "“{shift.before_love}”。",
            "Right if the place of the target is meant. By the input it is off by one: the row "
            "that predicts {shift.love} is fed {shift.before_love}."),
            metric="shift.before_love"),
    ),
}
