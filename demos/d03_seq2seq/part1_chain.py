"""03.1 Chain or direct line: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d03_seq2seq.errata import ERRATA
from demos.d03_seq2seq.lesson import CHAIN_CONTROLS, LENGTHS, chain_or_line
from demos.d03_seq2seq.words import COUNTED
from lecture.margins import above, below, both, equal, every, falls, near, rises, rows
from lecture.quantities import Named, Rows
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
    close,
)

QUANTITIES = {
    **{f"kept.*.{key}": Quantity(T(f"n = {{lengths.{key}}}", f"n = {{lengths.{key}}}"), ".2g")
       for key in LENGTHS},
    "gate.*": Quantity(T("遗忘门", "forget gate"), ".2f"),
    "share.*": Quantity(T("份额", "share"), ".3f"),
    "example.*.factor": Quantity(T("每步乘", "a step"), "g"),
    "example.half.left": Quantity(T("剩", "left"), ".1g"),
    "example.most.left": Quantity(T("剩", "left"), ".2f"),
    "clip.*.limit": Quantity(T("上限", "limit"), "g"),
    "clip.*.kept": Quantity(T("比值", "ratio"), ".2g"),
    "clip.*": Quantity(T("长度", "length"), ".2g"),
    "forget": Quantity(T("偏置", "bias"), "g"), "loud": Quantity(T("倍", "times"), "g"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "kept.rnn": T("RNN", "RNN"),
    "kept.lstm": T("LSTM（torch 的默认）", "LSTM (torch default)"),
    "kept.lstm_one": T("LSTM，遗忘门偏置 1（Keras 的默认）", "LSTM, forget bias 1 (Keras default)"),
    "kept.lstm_open": T("LSTM，遗忘门偏置 {forget}", "LSTM, forget bias {forget}"),
    "kept.look_back": T("注意力，回看一次", "attention, one look back"),
    "kept.rnn_turning": T("RNN，循环权重是正交矩阵", "RNN, orthogonal recurrent weights"),
    "kept.rnn_loud": T("RNN，循环权重 × {loud}", "RNN, recurrent weights × {loud}"),
}
PLAIN = tuple(f"kept.{name}" for name in ("rnn", "lstm", "lstm_one", "lstm_open", "look_back"))

LEAD = (
    Paragraph(T(
        "{sentence.en} 从 {word.first} 到 {word.last}（第 {places.moved} 个词），循环网络要传 "
        "{hops.chain} 次，注意力回看，一次就到。",
        "{sentence.en} From “{word.first}” to “{word.last}” (word {places.moved}) a recurrent "
        "net takes {hops.chain} steps, attention one.")),
    Paragraph(T(
        "    RNN   h_t = tanh(W x_t + U h_(t-1))        c：细胞状态\n"
        "    LSTM  c_t = f c_(t-1) + i g，h_t = o tanh(c_t)      f：遗忘门，0 到 1\n"
        "梯度往回走一步，就乘一次。例：每步乘 {example.half.factor}，{hops.chain} 步剩 "
        "{example.half.left}；每步乘 {example.most.factor}，剩 {example.most.left}。下面的网络都"
        "没有训练，宽 {width}，RNN 和第一个 LSTM 的权重照 torch 的默认值抽，各 {nets} 个，词向量"
        "也是抽的。读完 n 个词，最终隐状态对第一个词的梯度有多大？以对最后一个词的为 1，取几何平"
        "均。",
        "    RNN   h_t = tanh(W x_t + U h_(t-1))        c: the cell state\n"
        "    LSTM  c_t = f c_(t-1) + i g, h_t = o tanh(c_t)    f: forget gate, 0 to 1\n"
        "Each step back multiplies a gradient. Example: {example.half.factor} a step leaves "
        "{example.half.left} after {hops.chain}; {example.most.factor} leaves "
        "{example.most.left}. The nets below are untrained, width {width}, RNN and first LSTM "
        "drawn as torch does, {nets} each, on drawn vectors. After n words, how large is the "
        "last state's gradient in the first word (in the last word: 1; geometric mean)?")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(PLAIN, ("/gate.*", *LENGTHS), head=T("网络", "net"),
               title=T("第一个词的梯度（最后一个词为 1）",
                       "Gradient in the first word (in the last: 1)"))
    yield Rows(("kept.rnn", "kept.rnn_turning", "kept.rnn_loud"), tuple(LENGTHS), more=True,
               head=T("网络", "net"), title=T("只换循环权重矩阵 U", "Only the matrix U is another"))


PART = Part(
    number=1, key="chain",
    title=T("一条链，还是一条直线", "Chain or direct line"),
    compute=chain_or_line, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"forget": Param(3.0, -10.0, 10.0, about=T(
        "遗忘门的偏置从多少开始", "where the forget bias starts"))},
    controls=CHAIN_CONTROLS,
    claims=(
        Claim("both_forget", T(
            "传 {hops.n50} 次，RNN 只剩 {kept.rnn.n50}；LSTM 忘得慢些，{kept.lstm.n50}，也不到百万"
            "分之一。",
            "Over {hops.n50} hand-overs an RNN keeps {kept.rnn.n50}; an LSTM forgets less, "
            "{kept.lstm.n50}, and is still below a millionth."),
            lambda m: both(below(m.kept.rnn.n50, m.kept.lstm.n50),
                           below(m.kept.lstm.n50, 1e-6)),
            "other_start", given=("hops.n50",)),
        Claim("forget_bias", T(
            "同样抽的 LSTM，只把遗忘门偏置换成 {forget}：剩 {kept.lstm_open.n50}，n = "
            "{lengths.n100} 时还剩 {kept.lstm_open.n100}，都过十分之一。",
            "The same LSTM draws with only the forget bias at {forget} keep "
            "{kept.lstm_open.n50}, at n = {lengths.n100} still {kept.lstm_open.n100}, both over "
            "a tenth."),
            lambda m: both(above(m.kept.lstm_open.n50, 0.1), above(m.kept.lstm_open.n100, 0.1)),
            "start_ignored", given=("forget", "lengths.n100")),
        Claim("direct_line", T(
            "回看的公式里没有距离：n = {lengths.n100} 时还是 {kept.look_back.n100}。随 n 变小的是第"
            "一个词分到的权重：从 {share.n11} 到 {share.n100}。",
            "Distance is not in the formula of a look back: still {kept.look_back.n100} at n = "
            "{lengths.n100}. What falls with n is the first word's weight, from {share.n11} to "
            "{share.n100}."),
            lambda m: both(every(near(x, 1, 0.1) for x in rows(m.kept.look_back)),
                           falls(rows(m.share)),
                           every(near(m.share[key] * m.lengths[key], 1, 0.1)
                                 for key in ("n11", "n100"))),
            "neighbours_only", kind="identity", given=("lengths.n100",)),
        Claim("hops", T(
            "从 {word.first} 到 {word.last}，链上 {hops.chain} 次，回看 {hops.look_back} 次。",
            "From “{word.first}” to “{word.last}”: {hops.chain} on the chain, {hops.look_back} "
            "by a look back."),
            lambda m: both(equal(m.hops.chain, m.places.moved - 1), equal(m.hops.look_back, 1)),
            "neighbours_only", kind="identity", more=True),
        Claim("start_decides", T(
            "RNN 也不必忘得那么快：循环权重换成正交矩阵，n = {lengths.n50} 时剩 "
            "{kept.rnn_turning.n50}，比 torch 默认的 LSTM 还多。",
            "Nor must an RNN forget so fast: with an orthogonal recurrent matrix it keeps "
            "{kept.rnn_turning.n50} at n = {lengths.n50}, more than torch's default LSTM."),
            lambda m: above(m.kept.rnn_turning.n50, m.kept.lstm.n50), "start_ignored",
            given=("lengths.n50",), more=True),
        Claim("explodes", T(
            "同一条链也会爆炸：循环权重 × {loud}，n = {lengths.n100} 时不是 {kept.rnn.n100}，是 "
            "{kept.rnn_loud.n100}。",
            "The same chain can explode: recurrent weights × {loud}, and at n = {lengths.n100} "
            "{kept.rnn.n100} becomes {kept.rnn_loud.n100}."),
            lambda m: both(above(m.kept.rnn_loud.n100, 100), below(m.kept.rnn.n100, 1e-6),
                           rises(rows(m.kept.rnn_loud))),
            "start_ignored", given=("loud", "lengths.n100"), more=True),
        Claim("clipping", T(
            "梯度裁剪（Pascanu 等 2013）：两个词的梯度合起来最长 {clip.rnn_loud.longest}，超过 "
            "{clip.rnn_loud.limit} 就按比例缩到 {clip.rnn_loud.after}。方向不变，头尾之比也不变，"
            "还是 "
            "{clip.rnn_loud.kept}；消失的梯度（{clip.rnn.kept}）裁剪救不回来。",
            "Clipping (Pascanu et al. 2013): the gradient in both words, "
            "{clip.rnn_loud.longest} at its longest, is scaled to {clip.rnn_loud.after} where "
            "over {clip.rnn_loud.limit}. Direction and ratio of first to last stay: "
            "{clip.rnn_loud.kept}; a vanished one ({clip.rnn.kept}) is not brought back."),
            lambda m: both(above(m.clip.rnn_loud.longest, 100),
                           below(m.clip.rnn_loud.after, m.clip.rnn_loud.limit + 1e-9),
                           near(m.clip.rnn_loud.kept / m.kept.rnn_loud.n100, 1, 1e-9),
                           below(m.clip.rnn.kept, 1e-6), below(m.clip.rnn_loud.limit, 100)),
            "unclipped", kind="example", more=True),
    ),
    caveat=T(
        "网络没有训练，词是随机的；训练可以把门打开，也可以关上。",
        "Untrained nets, random words; training may open or shut the gates."),
    further=T(
        "回看时每个网络提问 {asked} 次，提问的向量不是句中的词，这样头尾两个词的地位才相同。",
        "In the look back each net is asked {asked} times, by vectors that are not words of the "
        "row, so that first and last stand on the same footing."),
    questions=(
        Question(T(
            "没有训练的 LSTM，torch 的默认初始化，n = {lengths.n50}：第一个词的梯度还剩多少？",
            "An untrained LSTM, drawn as torch does, n = {lengths.n50}: what is left?"),
            (Option(T("差不多全剩", "nearly all"), lambda m: above(m.kept.lstm.n50, 0.5),
                    T("把“能够记住”当成“生来就记住”。遗忘门起初平均只开 {gate.lstm}。",
                      "takes “is able to keep” for “keeps from birth”. The forget gate starts "
                      "at {gate.lstm} on average.")),
             Option(T("一成左右", "about a tenth"),
                    lambda m: both(above(m.kept.lstm.n50, 0.01), below(m.kept.lstm.n50, 0.5)),
                    T("把衰减当成了加法；它是乘法，{hops.n50} 步乘 {hops.n50} 次。",
                      "adds the losses up; they multiply, {hops.n50} times in {hops.n50} "
                      "steps.")),
             Option(T("不到百万分之一", "under a millionth"),
                    lambda m: both(below(m.kept.lstm.n50, 1e-6), above(m.kept.lstm.n50, 0))),
             Option(T("一点不剩", "nothing at all"), lambda m: -m.kept.lstm.n50,
                    T("很小，不是零：{kept.lstm.n50}。", "small, not zero: {kept.lstm.n50}."))),
            answer=Claim("default_lstm", T(
                "{kept.lstm.n50}。偏置只从 torch 的改成 Keras 的，就剩 {kept.lstm_one.n50}：“默认”"
                "要说是谁的。第 3 部分的 LSTM 在 torch 的上面加一。",
                "{kept.lstm.n50}. With the forget bias as in Keras, all else the same, "
                "{kept.lstm_one.n50}: say whose default. Those of part 3 add one to torch's."),
                lambda m: both(below(m.kept.lstm.n50, 1e-6), above(m.kept.lstm.n50, 0),
                               above(m.kept.lstm_one.n50, 1000 * m.kept.lstm.n50)),
                "start_ignored")),
        Question(T(
            "还是没有训练的 LSTM，遗忘门偏置 {forget:g}，n = {lengths.n100}：剩多少？",
            "The untrained LSTM with a forget bias of {forget:g}, n = {lengths.n100}: left?"),
            (Option(T("不到百万分之一", "under a millionth"),
                    lambda m: below(m.kept.lstm_open.n100, 1e-6),
                    T("以为要训练了才记得住。", "thinks it takes training to keep anything.")),
             Option(T("多些，不到一成", "more, under a tenth"),
                    lambda m: both(above(m.kept.lstm_open.n100, 1e-6),
                                   below(m.kept.lstm_open.n100, 0.1)),
                    T("低估了连乘：门从 {gate.lstm} 开到 {gate.lstm_open}，一步差一点，"
                      "{hops.n100} 步差很多。",
                      "underrates the product: from {gate.lstm} to {gate.lstm_open} is little "
                      "in one step and much in {hops.n100}.")),
             Option(T("过一成，不到全部", "over a tenth, not all"),
                    lambda m: both(above(m.kept.lstm_open.n100, 0.1),
                                   below(m.kept.lstm_open.n100, 1))),
             Option(T("比最后一个词还多", "more than the last word"),
                    lambda m: above(m.kept.lstm_open.n100, 1),
                    T("这里是 {kept.lstm_open.n100}；偏置再大，比值也能超过一。",
                      "here it is {kept.lstm_open.n100}; with a larger bias the ratio can pass "
                      "one."))),
            answer=Claim("open_gate", T(
                "{kept.lstm_open.n100}，是默认的（{kept.lstm.n100}）的千倍以上。门一步只从 "
                "{gate.lstm} 开到 "
                "{gate.lstm_open}。",
                "{kept.lstm_open.n100}, over a thousand times the default's {kept.lstm.n100}. The "
                "gate goes from "
                "{gate.lstm} to {gate.lstm_open} a step."),
                lambda m: both(above(m.kept.lstm_open.n100, 1000 * m.kept.lstm.n100),
                               above(m.gate.lstm_open, m.gate.lstm)),
                "start_ignored"), more=True)),
    pins={"sentence.*": COUNTED, "word.*": COUNTED, "places.*": COUNTED, "hops.*": COUNTED,
          "lengths.*": COUNTED, "nets": COUNTED, "asked": COUNTED, "width": COUNTED,
          "gate.rnn": COUNTED, "gate.look_back": COUNTED,
          "kept.*": close("products of up to a hundred matrices", 1e-7, 0.0),
          "clip.*": close("likewise", 1e-7, 0.0), "*": ARITHMETIC},
    errata=ERRATA["chain"],
    notes=T(
        "约 8 分钟。多数人选“差不多全剩”，因为书上说 LSTM 不忘；揭晓后问：那么发明的到底是什么？（"
        "一条可"
        "以不衰减的路，不是一条一定不衰减的路。）试 --set 1.forget=1（Keras）和 --set "
        "1.forget=6：比值大于 1。第二票、正交矩阵、爆炸和裁剪在 --more 里。",
        "About 8 minutes. Most take “nearly all”, because books say an LSTM does not forget; then "
        "ask what was invented. (A road that need not decay, not one that never decays.) Try "
        "--set 1.forget=1 (Keras) and --set 1.forget=6: a ratio above 1. The second vote, the "
        "orthogonal matrix, explosion and clipping are behind --more."),
)
