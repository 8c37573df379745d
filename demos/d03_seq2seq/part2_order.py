"""03.2 Order: who can see it: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d03_seq2seq.errata import ERRATA
from demos.d03_seq2seq.lesson import ORDER_CONTROLS, minds_order
from demos.d03_seq2seq.words import COUNTED
from lecture.margins import above, at_least, below, both, every, near
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
)

CHAINS = ("rnn", "gru", "lstm")
QUANTITIES = {
    "nets.*.widths.*": Quantity(T("宽", "width"), "d"),
    "nets.*.least": Quantity(T("最小", "least"), ".2f<1e-12"),
    "nets.*.mean": Quantity(T("平均", "mean"), ".2f<1e-12"),
    "nets.*.most": Quantity(T("最大", "most"), ".2f<1e-12"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "nets.rnn": T("RNN", "RNN"), "nets.gru": T("GRU", "GRU"), "nets.lstm": T("LSTM", "LSTM"),
    "nets.bag": T("词袋：逐词算完取平均", "bag of words: a mean"),
    "nets.look": T("注意力，没有位置信息", "attention without positions"),
}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "nets.*",
        (Group(T("头尾对调", "ends swapped"), ("mean", "least", "most")),
         Group(T("前两个对调", "first two"), ("first_two.mean",)),
         Group(T("换成无关的词", "unrelated"), ("unrelated.mean",))),
        head=T("谁在读", "who reads"),
        title=T("结果变了多少（自己的大小为 1）", "How far the result moves (own size is 1)"),
        legend=T("注意力看 love 的位置；前两个对调，那里换了词。",
                 "Attention: at the place of “love”, where the first two put another word."))


PART = Part(
    number=2, key="order",
    title=T("词序：谁看得见", "Order: who can see it"),
    compute=minds_order, describe=blocks, quantities=QUANTITIES, names=NAMES,
    lead=(Paragraph(T(
        "“I love you” 变成 “you love I”：三个词一样，头尾对调。{count} 个没有训练的网络读完，"
        "最终隐状态变了多少？以它自己的大小为 1。要有个尺度：换成三个无关的词，变多少？",
        "“I love you” becomes “you love I”: the same words, first and last swapped. How far does "
        "the last state of {count} untrained nets move, its own size being 1? As a scale: three "
        "unrelated words instead.")),),
    controls=ORDER_CONTROLS,
    claims=(
        Claim("gated", T(
            "GRU、LSTM 也分得清：平均变 {nets.gru.mean} 和 {nets.lstm.mean}；三种网络里变得最少的"
            "也过"
            "三分之一。",
            "GRU and LSTM see it too, by {nets.gru.mean} and {nets.lstm.mean} on average; no net "
            "of the three kinds moves by less than a third."),
            lambda m: both(above(m.nets.gru.mean, 0.5), above(m.nets.lstm.mean, 0.5),
                           every(above(m.nets[kind].least, 1 / 3) for kind in CHAINS)),
            "summed"),
        Claim("first_two", T(
            "最后读的词不动，只对调前两个，LSTM 还变 {nets.lstm.first_two.mean}，比头尾对调的 "
            "{nets.lstm.mean} 少：早读的词谁先谁后，也留下了痕迹。",
            "The last word in its place, the first two swapped: the LSTM still moves by "
            "{nets.lstm.first_two.mean}, less than the {nets.lstm.mean} of the ends. The order of "
            "early words leaves its trace too."),
            lambda m: every(both(above(m.nets[kind].first_two.least, 0.05),
                                 above(m.nets[kind].mean, m.nets[kind].first_two.mean + 0.2))
                            for kind in CHAINS), "summed"),
        Claim("blind", T(
            "分不清的是词袋和没有位置信息的注意力：对调头尾，它们加的是同样几项。",
            "Blind are a bag of words and attention without positions: with the ends swapped they "
            "add the same terms."),
            lambda m: both(below(m.nets.bag.most, 1e-12), below(m.nets.look.most, 1e-12)),
            "with_places", kind="identity"),
    ),
    caveat=T(
        "变了不等于懂了：没有训练的网络不知道谁爱谁。给注意力补上位置，是演示 07 的事。",
        "To differ is not to understand: an untrained net knows nothing of who loves whom. "
        "Attention gets its positions in demo 07."),
    questions=(Question(
        T("没有训练的 RNN 先读 “I love you”，再读 “you love I”。最终隐状态差多少（自己的大小为 1）"
          "？",
          "An untrained RNN reads “I love you”, then “you love I”. How far apart are its last "
          "states, their own size being 1?"),
        (Option(T("几乎不差", "hardly"), lambda m: below(m.nets.rnn.mean, 0.01),
                T("把 RNN 当成了词袋；对调之后它变了 {nets.rnn.mean}。",
                  "takes the RNN for a bag of words; the swap moves it by {nets.rnn.mean}.")),
         Option(T("百分之几", "a few per cent"),
                lambda m: both(above(m.nets.rnn.mean, 0.01), below(m.nets.rnn.mean, 0.2)),
                T("以为词序只是细节；单是对调前两个就变 {nets.rnn.first_two.mean}。",
                  "takes order for a detail; the first two alone move it by "
                  "{nets.rnn.first_two.mean}.")),
         Option(T("和自己差不多大", "about its own size"),
                lambda m: near(m.nets.rnn.mean, 1, 0.5)),
         Option(T("没法比较", "not comparable"),
                lambda m: at_least(abs(m.nets.rnn.widths[0] - m.nets.rnn.widths[1]), 1),
                T("两个状态都是 {nets.rnn.widths.0} 个数，相减就行。",
                  "both are {nets.rnn.widths.0} numbers: subtract."))),
        answer=Claim("recurrent", T(
            "差 {nets.rnn.mean}，和换成三个无关的词（{nets.rnn.unrelated.mean}）相差不远。RNN 分得"
            "清"
            "词序。",
            "{nets.rnn.mean}, not far from three unrelated words ({nets.rnn.unrelated.mean}). An "
            "RNN sees order."),
            lambda m: both(near(m.nets.rnn.mean, 1, 0.5), above(m.nets.rnn.least, 1 / 3),
                           near(m.nets.rnn.unrelated.mean, m.nets.rnn.mean, 0.4)),
            "summed")),),
    pins={"count": COUNTED, "width": COUNTED, "nets.*.widths.*": COUNTED,
          "nets.*.unrelated.*": ARITHMETIC, "nets.look.first_two.*": ARITHMETIC,
          "nets.bag.*": ROUNDING, "nets.look.*": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["order"],
    notes=T(
        "约 3 分钟，一张表。讲义的说法正好反了，先投票再看。争论点：注意力不分词序，为什么 "
        "Transformer 还能用？（位置要另外给；因果掩码也会漏一点，见演示 07。）",
        "About 3 minutes, one table. The notes have it the wrong way round: vote first. The "
        "argument: if attention is blind to order, why does a Transformer work? (Positions are "
        "added; and a causal mask leaks some, demo 07.)"),
)
