"""What does a chain of states carry from the first word to the last, and what is lost?

A recurrent net reads word by word and hands one state on. Part 1 follows a gradient
back along that chain and beside it along the direct line of attention; part 2 asks
whether the chain minds the order of words; part 3 squeezes a whole sequence through
the last state and lets a second decoder look back; part 4 lets a decoder live on its
own words, where one mistake becomes the next input.

Unlike demo 02: words stand in a row and the row is what matters. Left out: how the
look-back works inside (04), layers, beams and a translation that reorders (10).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, sinusoidal_positions
from demos.errata.e03 import ERRATA
from lecture import records, seq2seq_np
from lecture.report import (
    Block,
    Claim,
    Column,
    Curve,
    HeatMap,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
    close,
    exact,
)
from lecture.seq2seq_np import (
    Seq2Seq,
    default_cells,
    last_state_jacobians,
    look_back_jacobians,
    read,
    sigmoid,
    with_forget_bias,
)

Array = np.ndarray
COUNTED = exact("a count or a word")
ARITHMETIC = close("deterministic float64: only the order of additions may differ",
                   rtol=1e-6)
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-12)
TRAINED = close("counts out of a fixed number of words of the shipped weights: float "
                "rounding may turn a near tie", rtol=0.0, atol=0.01)
RECORDED = exact("read from a file in demos/records")

# --- 1. chain or direct line ----------------------------------------------------

SENTENCE = ("The person whose house was bought by John last week moved to "
            "Beijing.")
FAITHFUL = "房子上周被约翰买下的那个人搬到了北京。"
LENGTHS = {"n11": 11, "n15": 15, "n50": 50, "n100": 100}
NETS, WIDTH, ASKED = 20, 32, 16


def hops(hears: Array, start: int, end: int) -> int:
    """Fewest hand-overs from start to end; hears[t, s]: t takes in s."""
    reached, count = np.arange(len(hears)) == start, 0          # [n]
    while not reached[end]:                     # hears [n, n] @ [n]
        reached, count = reached | hears @ reached, count + 1
    return count


def size(J: Array) -> Array:
    """Frobenius norm of each matrix of J [20, .., w, e], one a net."""
    return np.sqrt((J * J).sum(axis=(-1, -2)))                  # [20, ..]


def forget_gate(cell: Any) -> float:
    """How far its bias alone opens the forget gate: the mean, 0 to 1."""
    forget = slice(WIDTH, 2 * WIDTH)                        # i, f, g, o
    bias = (cell.b_ih + cell.b_hh)[..., forget]             # [20, 1, 32]
    return float(sigmoid(bias).mean())


def untrained_nets(rng: np.random.Generator, forget: float, started: bool,
                   carried: bool) -> dict[str, Any]:
    """Twenty nets of each kind; carried: the state is passed on as is."""
    rnn = default_cells(rng, "rnn", NETS, WIDTH)
    lstm = default_cells(rng, "lstm", NETS, WIDTH)
    turns, _ = np.linalg.qr(rng.standard_normal((NETS, WIDTH, WIDTH)))
    if carried:     # h + tiny input, so tanh stays straight; f = 1, no loop
        rnn = rnn._replace(hh=0 * rnn.hh + np.eye(WIDTH), ih=1e-5 * rnn.ih,
                           b_ih=0 * rnn.b_ih, b_hh=0 * rnn.b_hh)
        lstm = with_forget_bias(lstm._replace(hh=0 * lstm.hh), 50.0)
    nets = {"rnn": rnn, "rnn_turning": rnn, "lstm": lstm, "lstm_open": lstm}
    if started:
        nets["rnn_turning"] = rnn._replace(hh=turns)        # [20, 32, 32]
        nets["lstm_open"] = with_forget_bias(lstm, forget)
    return nets


def chain_or_line(forget: float, seed: int, started: bool = True,
                  carried: bool = False,
                  neighbours: bool = False) -> Metrics:
    """How much of the last word's pull the first word has, by length.

    Draws: RNN, LSTM, orthogonal matrices, words, W_Q W_K W_V, query.
    """
    rng, words = np.random.default_rng(seed), SENTENCE.strip(".").split()
    nets = untrained_nets(rng, forget, started, carried)
    X = rng.standard_normal((NETS, max(LENGTHS.values()), WIDTH))
    bound = 1 / np.sqrt(WIDTH)
    maps = rng.uniform(-bound, bound, (3, NETS, 1, WIDTH, WIDTH))
    q = rng.standard_normal((NETS, ASKED, 1, WIDTH))    # [20, 16, 1, 32]
    kept: Metrics = {name: {} for name in (*nets, "look_back")}
    share = {}
    for key, n in LENGTHS.items():
        x = X[:, :n]                                        # [20, n, 32]
        near = np.arange(n)[None] == n - 1                  # [1, n]
        first, last, weights = look_back_jacobians(
            q, tuple(maps), x[:, None], near if neighbours else None)
        pairs = {name: last_state_jacobians(cell, x)
                 for name, cell in nets.items()}
        for name, (a, b) in (pairs | {"look_back": (first, last)}).items():
            with np.errstate(divide="ignore"):      # log 0: nothing arrives
                logs = np.log(size(a) / size(b))    # [20] or [20, 16]
            kept[name][key] = np.exp(logs.mean())
        share[key] = weights[..., 0].mean()
    moved, n = words.index("moved"), len(words)
    before = np.eye(n, k=-1, dtype=bool)        # t takes in t - 1
    line = before if neighbours else np.tri(n, k=-1, dtype=bool)
    return {
        "sentence": {"en": SENTENCE, "zh": FAITHFUL},
        "word": {"first": words[0], "last": words[moved]},
        "places": {"moved": moved + 1, "house": words.index("house") + 1,
                   "count": n},
        "hops": {"chain": hops(before, 0, moved),
                 "look_back": hops(line, 0, moved)},
        "lengths": LENGTHS, "nets": NETS, "asked": ASKED,
        "width": WIDTH, "forget": forget,
        "kept": kept, "share": share,
        "gate": {"lstm": forget_gate(nets["lstm"]),
                 "lstm_open": forget_gate(nets["lstm_open"])}}


NET_NAMES = {
    "rnn": T("RNN", "RNN"),
    "rnn_turning": T("RNN，正交矩阵开头", "RNN, orthogonal start"),
    "lstm": T("LSTM", "LSTM"),
    "lstm_open": T("LSTM，遗忘门开着", "LSTM, forget gate open"),
    "look_back": T("注意力，回看一次", "attention, one look back"),
}


def show_chain(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "{sentence[en]}（{sentence[zh]}）共 {places[count]} 个词，{word[last]} 是第 "
        "{places[moved]} 个。",
        "{sentence[en]} ({sentence[zh]}) It has {places[count]} words; “{word[last]}” is "
        "number {places[moved]}."))
    yield Paragraph(T(
        "没有训练过的网络，权重按库的默认值抽，宽 {width}，{nets} 个网络的几何平均。读完 n "
        "个随机的词向量，"
        "末状态对第一个词的梯度有多大？以对最后一个词的梯度为一。有两行只改了开头："
        "RNN 的递归矩阵换成正交矩阵；LSTM 的遗忘门偏置设成 {forget:g}。",
        "Untrained nets, weights drawn as a library draws them, width {width}, geometric mean "
        "of {nets} nets. After n random word vectors, how large is the gradient of the last "
        "state in the first word, that in the last word being one? Two rows change only the "
        "start: an orthogonal recurrent matrix in an RNN, a forget bias of {forget:g} in an "
        "LSTM."))
    yield Table(
        (Column(T("网络", "net")),
         Column(T("n = {lengths[n11]}", "n = {lengths[n11]}"), ".1e"),
         Column(T("n = {lengths[n15]}", "n = {lengths[n15]}"), ".1e"),
         Column(T("n = {lengths[n50]}", "n = {lengths[n50]}"), ".1e"),
         Column(T("n = {lengths[n100]}", "n = {lengths[n100]}"), ".1e")),
        [[NET_NAMES[name], *cells.values()] for name, cells in m["kept"].items()],
        title=T("第一个词还剩多少梯度（最后一个词为一）",
                "Gradient left for the first word (the last word is one)"))


def log_near(value: float, target: float, room: float) -> float:
    """Positive while value is within a factor 10**room of target."""
    if value <= 0:
        return -1.0
    return float(room - abs(np.log10(value) - target))


CHAIN = Part(
    number=1, key="chain",
    title=T("一条链，还是一条直线", "Chain or direct line"),
    compute=chain_or_line, describe=show_chain,
    params={"forget": Param(3.0, -10.0, 10.0, about=T(
        "遗忘门的偏置从多少开始", "where the forget bias starts"))},
    controls={"start_ignored": partial(chain_or_line, started=False),
              "carried": partial(chain_or_line, carried=True),
              "neighbours_only": partial(chain_or_line, neighbours=True)},
    claims=(
        Claim("hops", T(
            "从 {word[first]} 到 {word[last]}（第 {places[moved]} 个词），链上要传 {hops[chain]} "
            "次，注意力只要 {hops[look_back]} 次。",
            "From “{word[first]}” to “{word[last]}”, word {places[moved]}, a chain hands on "
            "{hops[chain]} times, attention {hops[look_back]}."),
            lambda m: min(m["hops"]["chain"] - m["hops"]["look_back"],
                          0.5 - abs(m["places"]["moved"] - 1 - m["hops"]["chain"])),
            "neighbours_only"),
        Claim("both_forget", T(
            "隔着 {lengths[n50]} 个词，刚建好的 RNN 只剩 {kept[rnn][n50]:.0e}，LSTM 也只剩 "
            "{kept[lstm][n50]:.0e}：都不到百万分之一。",
            "Over {lengths[n50]} words a fresh RNN keeps {kept[rnn][n50]:.0e} and a fresh LSTM "
            "{kept[lstm][n50]:.0e}: less than a millionth, both."),
            lambda m: 1e-6 - max(m["kept"]["rnn"]["n50"], m["kept"]["lstm"]["n50"]),
            "carried"),
        Claim("forget_bias", T(
            "同一个 LSTM，只把遗忘门偏置设成 {forget:g}：隔 {lengths[n50]} 个词剩 "
            "{kept[lstm_open][n50]:.2f}，隔 {lengths[n100]} 个词剩 {kept[lstm_open][n100]:.2f}，"
            "都在十分之一以上。",
            "The same LSTM with nothing changed but a forget bias of {forget:g} keeps "
            "{kept[lstm_open][n50]:.2f} over {lengths[n50]} words and "
            "{kept[lstm_open][n100]:.2f} over {lengths[n100]}: more than a tenth, both."),
            lambda m: min(m["kept"]["lstm_open"]["n50"],
                          m["kept"]["lstm_open"]["n100"]) - 0.1,
            "start_ignored"),
        Claim("start_decides", T(
            "记不记得住，先看从哪里开始：换成正交矩阵的 RNN 在 {lengths[n50]} 个词之后剩 "
            "{kept[rnn_turning][n50]:.0e}，比默认的 LSTM 多。",
            "What is kept depends first on the start: an RNN with an orthogonal matrix keeps "
            "{kept[rnn_turning][n50]:.0e} over {lengths[n50]} words, more than the default "
            "LSTM."),
            lambda m: m["kept"]["rnn_turning"]["n50"] / m["kept"]["lstm"]["n50"] - 1,
            "start_ignored"),
        Claim("direct_line", T(
            "回看的公式里没有距离：四种长度下比值都在一半到两倍之间"
            "（{lengths[n100]} 个词时 {kept[look_back][n100]:.2f}）。变小的是每个词分到的份额："
            "第一个词平均从 {share[n11]:.3f} 降到 {share[n100]:.3f}。",
            "Distance does not enter a look back: at all four lengths the ratio stays between "
            "a half and two ({kept[look_back][n100]:.2f} at {lengths[n100]} words). What "
            "shrinks is each word's share: the first word's falls from {share[n11]:.3f} to "
            "{share[n100]:.3f} on average."),
            lambda m: min(*(v - 0.5 for v in m["kept"]["look_back"].values()),
                          *(2 - v for v in m["kept"]["look_back"].values()),
                          m["share"]["n11"] - m["share"]["n100"]),
            "neighbours_only"),
    ),
    caveat=T(
        "这里的网络都没有训练过，词向量是随机的；训练可以把门打开，也可以关上。回看的那一行，"
        "每个网络提问 {asked} 次，提问的向量不是句中的词，这样头尾两个词的地位才相同。",
        "No net here is trained and the word vectors are random; training may open the gates "
        "or shut them. In the look back each net is asked {asked} times, by vectors that are not "
        "words of the row, so that first and last stand on the same footing."),
    questions=(
        Question(T(
            "LSTM 就是为对付“遗忘”发明的。没有训练、库的默认初始化、隔着 50 个词："
            "第一个词的梯度还剩多少？",
            "The LSTM was invented against forgetting. Untrained, library defaults, 50 words "
            "apart: how much gradient is left for the first word?"),
            (Option(T("大约 1：LSTM 不会忘", "about 1: an LSTM does not forget"),
                    lambda m: log_near(m["kept"]["lstm"]["n50"], 0, 0.4),
                    T("把“能够记住”当成“生来就记住”。默认的偏置让遗忘门平均开到 "
                      "{gate[lstm]:.2f}，一步一步乘下去。",
                      "takes “is able to keep” for “keeps from birth”. The default bias opens "
                      "the forget gate to {gate[lstm]:.2f} on average, and steps multiply.")),
             Option(T("大约 0.1", "about 0.1"),
                    lambda m: log_near(m["kept"]["lstm"]["n50"], -1, 0.4),
                    T("以为衰减是一点一点加起来的；它是一步一步乘起来的。",
                      "adds the losses up; they multiply, step by step.")),
             Option(T("大约 1e-11", "about 1e-11"),
                    lambda m: log_near(m["kept"]["lstm"]["n50"], -11, 1.5)),
             Option(T("正好是 0", "exactly 0"),
                    lambda m: 1e-300 - m["kept"]["lstm"]["n50"],
                    T("把“很小”当成“没有”。双精度里 1e-11 离下溢还很远。",
                      "takes “tiny” for “none”: in double precision 1e-11 is far from "
                      "underflow.")))),
        Question(T(
            "再投一次：只把遗忘门偏置设成 {forget:g}，别的都不动，还是 50 个词？",
            "Second vote: set only the forget bias to {forget:g} and leave all else. Again 50 "
            "words?"),
            (Option(T("没有变化，要训练了才有用", "no change: only training would help"),
                    lambda m: log_near(m["kept"]["lstm_open"]["n50"],
                                       np.log10(m["kept"]["lstm"]["n50"]), 1.0),
                    T("低估了初始化：门开多大，就是这个偏置说了算。",
                      "underrates the start: this bias is what says how far the gate is "
                      "open.")),
             Option(T("大约 0.4", "about 0.4"),
                    lambda m: 0.15 - abs(m["kept"]["lstm_open"]["n50"] - 0.4)),
             Option(T("大约 1e-6", "about 1e-6"),
                    lambda m: log_near(m["kept"]["lstm_open"]["n50"], -6, 1.5),
                    T("低估了连乘：门从 {gate[lstm]:.2f} 开到 {gate[lstm_open]:.2f}，一步差一点，"
                      "五十步差很多。",
                      "underrates the product: from {gate[lstm]:.2f} to "
                      "{gate[lstm_open]:.2f} is little in one step and much in fifty.")),
             Option(T("爆炸，远大于 1", "it explodes, far above 1"),
                    lambda m: m["kept"]["lstm_open"]["n50"] - 2,
                    T("以为偏置会放大梯度。门的值总小于一：沿着 c 这条路，只会少丢，不会多给。",
                      "lets the bias amplify. A gate is always below one: along c it loses "
                      "less, it does not add."))))),
    pins={"sentence.*": COUNTED, "word.*": COUNTED, "places.*": COUNTED, "hops.*": COUNTED,
          "lengths.*": COUNTED, "nets": COUNTED, "asked": COUNTED, "width": COUNTED,
          "*": ARITHMETIC},
    errata=ERRATA["chain"],
    notes=T(
        "约 8 分钟。两次投票都在表之前。第一票多数人选“约 1”，因为书上说 LSTM 不忘；"
        "第二票揭晓后问："
        "那么发明的到底是什么？（一条可以不衰减的路，不是一条一定不衰减的路。）试 --set "
        "1.forget=0 和 "
        "--set 1.forget=6。正交矩阵那一行用来反驳另一个极端：“RNN 必定遗忘”。",
        "About 8 minutes. Both votes come before the table. Most take “about 1” first, because "
        "books say an LSTM does not forget; after the second vote ask what was invented, then. "
        "(A road that need not decay, not one that never decays.) Try --set 1.forget=0 and "
        "--set 1.forget=6. The orthogonal row answers the other extreme, “an RNN must "
        "forget”."),
)

# --- 2. order ---------------------------------------------------------------------


def summed(cell: Any, x: Array) -> tuple[Array, tuple[Array]]:
    """No recurrence: what each of the words x would add, added up."""
    added = x @ cell.ih[:, None].swapaxes(-1, -2)       # [20, 1, 3, g w]
    h = added.sum(axis=-2)                              # [20, 1, g w]
    return h[..., None, :], (h,)


def minds_order(seed: int, reader: Any = read,
                places: bool = False) -> Metrics:
    """Three random words, first and last swapped; nets as in part 1.

    Draws: the words, then RNN, GRU, LSTM.
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((NETS, 1, 3, WIDTH))            # "I love you"
    swapped = X[:, :, ::-1]                                 # "you love I"
    where = sinusoidal_positions(3, WIDTH) if places else 0     # [3, 32]

    def last_state(kind: str) -> Any:
        cell = default_cells(rng, kind, NETS, WIDTH)
        return lambda x: reader(cell, x)[1][0]              # [20, 1, 32]

    readers = {kind: last_state(kind) for kind in ("rnn", "gru", "lstm")}
    readers["bag"] = lambda x: np.tanh(x + where).mean(axis=-2)
    readers["look"] = lambda x: attention(
        x + where, x + where, x)[0][..., 1, :]              # at "love"
    nets = {}
    for name, state in readers.items():
        one, two = state(X)[:, 0], state(swapped)[:, 0]     # [20, 32]
        change = (np.linalg.norm(one - two, axis=-1)
                  / np.linalg.norm(one, axis=-1))           # [20]
        nets[name] = {"mean": change.mean(), "least": change.min(),
                      "most": change.max(),
                      "widths": [one.shape[-1], two.shape[-1]]}
    return {"nets": nets, "count": NETS, "width": WIDTH}


READER_NAMES = {
    "rnn": T("RNN", "RNN"), "gru": T("GRU", "GRU"), "lstm": T("LSTM", "LSTM"),
    "bag": T("词袋：逐词算完取平均", "bag of words: a mean"),
    "look": T("注意力，没有位置信息", "attention without positions"),
}


def show_order(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "“I love you” 变成 “You love I”：三个词一样，头尾对调。没有训练过的网络读完之后，"
        "结果变了多少？以结果自己的大小为一，{count} 个网络。注意力看的是中间那个词的输出。",
        "“I love you” becomes “You love I”: the same three words, first and last swapped. How "
        "far does what an untrained net ends with move, its own size being one? {count} nets; "
        "for attention, the output at the middle word."))
    yield Table(
        (Column(T("谁在读", "who reads")), Column(T("平均", "mean"), ".3g"),
         Column(T("最小", "least"), ".3g"), Column(T("最大", "most"), ".3g")),
        [[READER_NAMES[name], cell["mean"], cell["least"], cell["most"]]
         for name, cell in m["nets"].items()],
        title=T("头尾对调之后的变化（自己的大小为一）",
                "Change when first and last are swapped (own size is one)"))


def near_nothing(m: Metrics, names: tuple[str, ...]) -> float:
    """Positive while the swap moves none of these beyond rounding."""
    return float(1e-12 - max(m["nets"][name]["most"] for name in names))


ORDER = Part(
    number=2, key="order",
    title=T("词序：谁看得见", "Order: who can see it"),
    compute=minds_order, describe=show_order,
    controls={"summed": partial(minds_order, reader=summed),
              "with_places": partial(minds_order, places=True)},
    claims=(
        Claim("recurrent", T(
            "RNN、GRU、LSTM 都分得清词序：末状态平均变了自己的 {nets[rnn][mean]:.2f}、"
            "{nets[gru][mean]:.2f}、{nets[lstm][mean]:.2f} 倍，{count} "
            "个网络里变得最少的也超过三分之一。",
            "RNN, GRU and LSTM all see order: their last states move by {nets[rnn][mean]:.2f}, "
            "{nets[gru][mean]:.2f} and {nets[lstm][mean]:.2f} of their own size on average, and "
            "in none of {count} nets by less than a third."),
            lambda m: min(m["nets"][name]["least"]
                          for name in ("rnn", "gru", "lstm")) - 1 / 3,
            "summed"),
        Claim("blind", T(
            "分不清词序的是词袋和没有位置信息的注意力：最多变了 {nets[bag][most]:.0e} 和 "
            "{nets[look][most]:.0e}，只是舍入误差。",
            "Blind to order are a bag of words and attention without positions: they move by "
            "{nets[bag][most]:.0e} and {nets[look][most]:.0e} at most, which is rounding."),
            lambda m: near_nothing(m, ("bag", "look")), "with_places"),
    ),
    caveat=T(
        "变了不等于懂了：没有训练过的网络分得清两种词序，但并不知道谁爱谁。给注意力补上位置，"
        "是演示 07 的事。",
        "To differ is not to understand: an untrained net tells the two orders apart and knows "
        "nothing of who loves whom. Giving attention its positions is demo 07."),
    questions=(Question(
        T("没有训练过的 RNN 先读 “I love you”，再读 “You love I”。"
          "两次的末状态差多少（以自己的大小为一）？",
          "An untrained RNN reads “I love you”, then “You love I”. How far apart are its last "
          "states, their own size being one?"),
        (Option(T("几乎不差：RNN 不分词序", "hardly at all: an RNN is blind to order"),
                lambda m: 0.01 - m["nets"]["rnn"]["mean"],
                T("把 RNN 当成了词袋。后读的词只过一步，先读的词要过三步，位置不同，待遇就不同。",
                  "takes the RNN for a bag of words. A late word passes one step, an early one "
                  "three: their place is their treatment.")),
         Option(T("大约 5 %", "about 5 %"),
                lambda m: 0.1 - abs(m["nets"]["rnn"]["mean"] - 0.11),
                T("以为词序只是细节。最后读的词对末状态影响最大，而它恰好换掉了。",
                  "takes order for a detail. The word read last weighs most, and that is the "
                  "one exchanged.")),
         Option(T("和状态自己差不多大", "about as large as the state itself"),
                lambda m: 0.5 - abs(m["nets"]["rnn"]["mean"] - 1)),
         Option(T("没法比较", "they cannot be compared"),
                lambda m: abs(m["nets"]["rnn"]["widths"][0]
                              - m["nets"]["rnn"]["widths"][1]) - 0.5,
                T("两个末状态是同样宽的向量，相减就行。",
                  "both are vectors of the same width: subtract one from the other.")))),),
    pins={"count": COUNTED, "width": COUNTED, "nets.*.widths.*": COUNTED,
          "nets.bag.*": ROUNDING, "nets.look.*": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["order"],
    notes=T(
        "约 3 分钟，一张表。讲义的说法正好反了，先投票再看。争论点：注意力不分词序，"
        "为什么 Transformer 还能用？（位置要另外给；因果遮罩也会漏一点，见演示 07。）",
        "About 3 minutes, one table. The notes have it the wrong way round: vote first. The "
        "argument: if attention is blind to order, why does a Transformer work? (Positions are "
        "added; and a causal mask leaks some, demo 07.)"),
)

# --- 3. the bottleneck --------------------------------------------------------------

EOS, BOS, FIRST, WORDS = 0, 1, 2, 10        # ids of the copying task
SIZES = {"n4": 4, "n8": 8, "n12": 12, "n16": 16, "n24": 24}
ROWS, CUT, SHOWN = 200, "n12", 8
STATE_BITS, VOCABULARY, LONG = 32, 50_000, 1000


def sources(rng: np.random.Generator, rows: int, n: int) -> Array:
    """Random words to be copied, [rows, n]."""
    return rng.integers(FIRST, FIRST + WORDS, size=(rows, n))


def share_right(said: Array, source: Array) -> dict[str, float]:
    """Shares of right words, and of rows right to the end, eos included."""
    right = said[:, :-1] == source                              # [B, n]
    whole = right.all(axis=1) & (said[:, -1] == EOS)            # [B]
    return {"word": right.mean(), "whole": whole.mean()}


def copying(model: Seq2Seq, seed: int, rows: int = ROWS,
            context: Any = None) -> dict[str, dict[str, float]]:
    """Copy fresh rows of each length; context replaces the last state."""
    rng, found = np.random.default_rng(seed), {}
    for key, n in SIZES.items():
        source = sources(rng, rows, n)                          # [200, n]
        state = None if context is None else context(model, source)
        found[key] = share_right(
            model.greedy(source, BOS, n + 1, context=state)[0], source)
    return found


def cut_places(model: Seq2Seq, seed: int, n: int,
               rows: int = ROWS) -> Metrics:
    """Step t may not look at source word t, or at one drawn instead."""
    rng = np.random.default_rng(seed)
    source = sources(rng, rows, n)                              # [200, n]
    step = np.arange(n + 1)                             # the last says eos
    drawn = (step + rng.integers(1, n, (rows, n + 1))) % n      # never t
    free = np.ones((rows, n + 1, n), dtype=bool)
    own, other = free.copy(), free.copy()
    own[:, step[:n], step[:n]] = False
    np.put_along_axis(other, drawn[..., None], False, axis=2)
    return {name: share_right(
        model.greedy(source, BOS, n + 1, masks=masks)[0], source)["word"]
        for name, masks in (("none", free), ("own", own), ("other", other))}


def blinded(model: Seq2Seq) -> Seq2Seq:
    """The same net with every query zero: it looks everywhere alike."""
    no_query = {"look.weight": 0 * model.p["look.weight"]}
    return Seq2Seq(model.cfg, model.p | no_query)


def emptied(model: Seq2Seq, source: Array) -> tuple[Array, ...]:
    """A context of zeros, as if nothing had been read."""
    return tuple(0 * a for a in model.encode(source)[1])        # (h, c)


def bottleneck(numbers: int, seed: int, look: bool = True,
               context: Any = None, narrow: bool = False,
               h_only: bool = False, longer: str = "longer") -> Metrics:
    """One state against a look back, on fresh rows; sums about room."""
    one = seq2seq_np.load("copy_one")
    two = seq2seq_np.load("copy_attention")
    two = two if look else blinded(two)
    source = sources(np.random.default_rng(seed), 1, SHOWN)     # [1, 8]
    memory, state = two.encode(source)              # [1, 8, w], (h, c)
    said, weights = two.greedy(source, BOS, SHOWN + 1)
    view = np.asarray(weights)[0]                               # [9, 8]
    seeds = records.read("copy_seeds")["seeds"]
    whole = {name: {key: [s[name][key]["whole"] for s in seeds]
                    for key in SIZES}
             for name in ("one", "attention", longer)}
    spans = {name: {key: {"low": min(whole[name][key]),
                          "high": max(whole[name][key])} for key in SIZES}
             for name in ("one", "attention")}
    long = list(zip(whole["one"]["n8"], whole[longer]["n8"], strict=True))
    numbers = numbers // 2 if narrow else numbers
    state = state[:1] if h_only else state
    own = sum(a.shape[-1] for a in state)
    return {
        "sizes": SIZES, "rows": ROWS,
        "one": copying(one, seed, context=context),
        "attention": copying(two, seed),
        "context": {"arrays": len(state), "numbers": own,
                    "width": memory.shape[-1], "read": SHOWN,
                    "memory": memory[0].size},
        "bits": {"numbers": numbers, "each": STATE_BITS,
                 "state": numbers * STATE_BITS, "words": LONG,
                 "vocabulary": VOCABULARY,
                 "need": LONG * np.log2(VOCABULARY),
                 "spare": numbers * STATE_BITS - LONG * np.log2(VOCABULARY),
                 "own_state": own * STATE_BITS,
                 "own_need": SIZES["n24"] * np.log2(WORDS)},
        "map": {"source": letters(source[0]), "said": letters(said[0]),
                "weights": view, "aligned": np.diagonal(view).mean()},
        "cut": cut_places(two, seed, SIZES[CUT]),
        "record": spans | {
            "seeds": len(seeds),
            "gap": sum(s["attention"]["n24"]["whole"]
                       > s["one"]["n24"]["whole"] + 0.5 for s in seeds),
            "longer": {"times": records.read("copy_seeds")["times"],
                       "better": sum(b > a for a, b in long),
                       "before": np.mean([a for a, _ in long]),
                       "after": np.mean([b for _, b in long])}}}


def letters(ids: Array) -> list[str]:
    """a b c ... for the words of the task, and its two marks by name."""
    return [{EOS: "eos", BOS: "bos"}.get(int(i)) or chr(97 + int(i) - FIRST)
            for i in ids]


def show_bottleneck(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "任务：读 n 个随机的字母，再一字不差地写出来。两个 LSTM 编码器-解码器，"
        "一样宽（{context[width]}），"
        "一样的训练（长度最多到 {sizes[n24]}）；一个只拿到编码器的末状态，"
        "另一个还能回看编码器的每一个状态。"
        "每种长度 {rows} 行新抽的题，看整行全对的比例。",
        "The task: read n random letters, then write them down without a slip. Two LSTM "
        "encoder-decoders of the same width ({context[width]}), trained alike (lengths up to "
        "{sizes[n24]}); one is handed the encoder's last state, the other may also look back "
        "at every state. {rows} fresh rows a length; the share of rows right to the end."))
    yield Table(
        (Column(T("长度", "length"), "d"), Column(T("一个向量", "one vector"), ".1%"),
         Column(T("注意力", "attention"), ".1%")),
        [[n, m["one"][key]["whole"], m["attention"][key]["whole"]]
         for key, n in m["sizes"].items()],
        title=T("整行全对的比例", "Rows right to the end"))
    yield Table(
        (Column(T("长度", "length"), "d"),
         Column(T("一个向量：最低", "one vector: low"), ".1%"),
         Column(T("最高", "high"), ".1%"),
         Column(T("注意力：最低", "attention: low"), ".1%"),
         Column(T("最高", "high"), ".1%")),
        [[n, *m["record"]["one"][key].values(), *m["record"]["attention"][key].values()]
         for key, n in m["sizes"].items()],
        title=T("记录：{record[seeds]} 次训练，同样的测法",
                "The record: {record[seeds]} trainings, measured alike"))
    yield HeatMap(
        m["map"]["weights"], m["map"]["said"], m["map"]["source"],
        title=T("一行的例子：写每个字母时（行）看了读过的哪些字母（列）",
                "One row: writing each letter (rows), where it looked (columns)"))
    yield Table(
        (Column(T("不许看", "may not look at")), Column(T("写对的字母", "letters right"), ".1%")),
        [[T("都可以看", "nothing hidden"), m["cut"]["none"]],
         [T("正要抄的那个字母", "the letter due"), m["cut"]["own"]],
         [T("另外随便一个字母", "one other, drawn"), m["cut"]["other"]]],
        title=T("每一步遮住一个位置，长度 {sizes[n12]}",
                "One place hidden at every step, length {sizes[n12]}"))
    yield Paragraph(T(
        "装得下吗？{bits[numbers]} 个 {bits[each]} 位浮点数共 {bits[state]:,} 位；从 "
        "{bits[vocabulary]:,} 个词里挑 {bits[words]:,} 个，要 {bits[need]:,.0f} 位。",
        "Is there room? {bits[numbers]} floats of {bits[each]} bits hold {bits[state]:,} bits; "
        "{bits[words]:,} words out of {bits[vocabulary]:,} take {bits[need]:,.0f}."))


def gap(m: Metrics, key: str) -> float:
    """How many more whole rows attention gets right at this length."""
    return float(m["attention"][key]["whole"] - m["one"][key]["whole"])


BOTTLENECK = Part(
    number=3, key="bottleneck",
    title=T("瓶颈：一句话压成一个状态", "The bottleneck: a sequence in one state"),
    compute=bottleneck, describe=show_bottleneck,
    params={"numbers": Param(512, 2, 100_000, about=T(
        "状态里有多少个数", "how many numbers a state has"))},
    recipes=("copy_one", "copy_attention"),
    controls={"blinded": partial(bottleneck, look=False),
              "emptied": partial(bottleneck, context=emptied),
              "narrow": partial(bottleneck, narrow=True),
              "h_only": partial(bottleneck, h_only=True),
              "same_practice": partial(bottleneck, longer="one")},
    claims=(
        Claim("squeezed", T(
            "只靠末状态：长度 {sizes[n4]} 全对 {one[n4][whole]:.1%}，长度 {sizes[n24]} 全对 "
            "{one[n24][whole]:.1%}。",
            "From the last state alone: {one[n4][whole]:.1%} of rows right at length "
            "{sizes[n4]}, {one[n24][whole]:.1%} at length {sizes[n24]}."),
            lambda m: min(m["one"]["n4"]["whole"] - 0.9, 0.1 - m["one"]["n24"]["whole"]),
            "emptied"),
        Claim("looks_back", T(
            "能回看的那个，长度 {sizes[n24]} 还有 {attention[n24][whole]:.1%} 全对；"
            "{record[seeds]} "
            "次训练的记录里，{record[gap]} 次都比只靠末状态的高出一半以上。",
            "With a look back {attention[n24][whole]:.1%} are right at length {sizes[n24]}; in "
            "the record of {record[seeds]} trainings it is ahead by more than half of all rows "
            "in {record[gap]}."),
            lambda m: min(gap(m, "n24") - 0.5, m["record"]["gap"] - 3.5), "blinded"),
        Claim("cut", T(
            "它靠的就是那一格：每一步遮住正要抄的字母，对的字母从 {cut[none]:.1%} 掉到 "
            "{cut[own]:.1%}；遮住另外一个，还有 {cut[other]:.1%}。",
            "It does rest on that one place: hide the letter due at every step and letters "
            "right fall from {cut[none]:.1%} to {cut[own]:.1%}; hide another one and "
            "{cut[other]:.1%} stay right."),
            lambda m: min(m["cut"]["none"] - 0.9, m["cut"]["other"] - m["cut"]["own"] - 0.3,
                          m["cut"]["none"] - m["cut"]["own"] - 0.5), "blinded"),
        Claim("context", T(
            "LSTM 交出去的不是一个向量，是 {context[arrays]} 个数组（h 和 c），共 "
            "{context[numbers]} 个数；"
            "读多长都是这么多。回看的记忆随长度增长：读 {context[read]} 个字母就有 "
            "{context[memory]} 个数。",
            "An LSTM hands over not one vector but {context[arrays]} arrays, h and c: "
            "{context[numbers]} numbers however much was read. The memory to look back at "
            "grows: {context[memory]} numbers for {context[read]} letters."),
            lambda m: min(m["context"]["numbers"] - m["context"]["width"],
                          m["context"]["arrays"] - 1,
                          m["context"]["memory"] - m["context"]["numbers"]), "h_only"),
        Claim("room", T(
            "位数够用：{bits[state]:,} 多于 {bits[need]:,.0f}；我们自己的 {context[numbers]} "
            "个数有 "
            "{bits[own_state]:,} 位，{sizes[n24]} 个字母只要 {bits[own_need]:.0f} 位。做不到，"
            "不是因为装不下。",
            "There are bits enough: {bits[state]:,} against {bits[need]:,.0f}; and our own "
            "{context[numbers]} numbers have {bits[own_state]:,} bits where {sizes[n24]} "
            "letters take {bits[own_need]:.0f}. Room is not what is missing."),
            lambda m: min(m["bits"]["state"] - m["bits"]["need"],
                          m["bits"]["own_state"] - m["bits"]["own_need"]), "narrow"),
        Claim("practice", T(
            "多练就多会：记录里，同样大的状态，步数加到 {record[longer][times]} 倍，长度 "
            "{sizes[n8]} 的全对率平均从 "
            "{record[longer][before]:.0%} 升到 {record[longer][after]:.0%}，{record[seeds]} "
            "次训练里 "
            "{record[longer][better]} 次更好。",
            "More practice, more is learned: in the record the same state with "
            "{record[longer][times]} times the steps goes from {record[longer][before]:.0%} to "
            "{record[longer][after]:.0%} of rows right at length {sizes[n8]} on average, and is "
            "better in {record[longer][better]} of {record[seeds]} trainings."),
            lambda m: min(m["record"]["longer"]["after"] - m["record"]["longer"]["before"],
                          m["record"]["longer"]["better"] - 3.5), "same_practice"),
    ),
    caveat=T(
        "长度 {sizes[n4]} 的题训练时可能见过，长度 {sizes[n24]} 的几乎不可能。热图只是一行，"
        "斜线上的平均权重是 {map[aligned]:.2f}；权重大不等于靠它，所以才要遮一遮。"
        "{bits[each]} 位全用上，状态要精确到最后一位，这里的训练远没有做到。",
        "Rows of length {sizes[n4]} may have been seen in training, those of length "
        "{sizes[n24]} hardly. The map is one row, with a mean weight of {map[aligned]:.2f} on "
        "the diagonal; a large weight is no reason, which is why places are hidden. To use all "
        "{bits[each]} bits a state must be exact to the last one; this training comes nowhere "
        "near."),
    questions=(Question(
        T("只靠一个末状态来抄写。长度 4 和长度 24，整行全对的比例各是多少？",
          "Copying through the last state alone: the share of rows right at length 4, and at "
          "length 24?"),
        (Option(T("都接近 100 %", "both near 100 %"),
                lambda m: min(m["one"]["n4"]["whole"], m["one"]["n24"]["whole"]) - 0.9,
                T("以为“装得下”就“学得会”。",
                  "takes “there is room” for “it will be learned”.")),
         Option(T("前者接近 100 %，后者 0 %", "near 100 %, and 0 %"),
                lambda m: min(m["one"]["n4"]["whole"] - 0.9,
                              0.1 - m["one"]["n24"]["whole"])),
         Option(T("都接近 0：一个向量装不下一句话",
                  "both near 0: a vector cannot hold a sequence"),
                lambda m: 0.1 - max(m["one"]["n4"]["whole"], m["one"]["n24"]["whole"]),
                T("以为信息论不允许。位数绰绰有余（见上）。",
                  "thinks information theory forbids it. There are bits to spare, see above.")),
         Option(T("24 更好：读得多，知道得多", "24 is better: more read, more known"),
                lambda m: m["one"]["n24"]["whole"] - m["one"]["n4"]["whole"],
                T("忘了状态的大小不变：读得越多，每个字母分到的越少。",
                  "forgets that the state does not grow: the more is read, the less there is "
                  "for each letter.")))),),
    pins={"sizes.*": COUNTED, "rows": COUNTED, "context.*": COUNTED,
          "bits.need": ARITHMETIC, "bits.own_need": ARITHMETIC, "bits.spare": ARITHMETIC,
          "bits.*": COUNTED, "map.source.*": COUNTED, "map.said.*": COUNTED,
          "map.*": ARITHMETIC, "record.*": RECORDED, "*": TRAINED},
    errata=ERRATA["bottleneck"],
    notes=T(
        "约 8 分钟。先投票，再看表；然后问：是装不下，还是学不会？最后两条观察合起来回答："
        "地方一直够，多练就多会。"
        "试 --set 3.numbers=256：位数就真的不够了。",
        "About 8 minutes. Vote, table, then ask: no room, or not learned? The last two "
        "observations answer together: the room was there all along, and more practice uses "
        "more of it. Try --set 3.numbers=256: then bits really are short."),
)

# --- 4. teacher forcing -----------------------------------------------------------

REPLY = ("我", "爱", "AI")
K, CHECKED, LIVED = 3, 0, "n8"


def shift(words: tuple[str, ...], shifted: bool = True) -> Metrics:
    """What the decoder is fed and what it must say, row by row."""
    says = [*words, "<eos>"]
    fed = ["<bos>", *words] if shifted else says
    return {"fed": fed, "says": says, "pairs": len(fed),
            "words": len(words), "eos_fed": fed.count("<eos>"),
            "before_love": fed[says.index(words[1])], "love": words[1]}


def living(model: Seq2Seq, k: int, seed: int, rows: int = ROWS,
           fed_true: bool = False, harmless: bool = False) -> Metrics:
    """A decoder on true words, on its own, and with one wrong word put in.

    Draws: the rows, then how far each row's wrong word is from its own.
    """
    rng, n = np.random.default_rng(seed), SIZES[LIVED]
    source = sources(rng, rows, n)                              # [200, 8]
    shove = rng.integers(1, WORDS, size=rows)                   # [200]
    bos = np.full((rows, 1), BOS)
    true = model.forced(source, np.hstack([bos, source]))[0].argmax(-1)
    own = true if fed_true else model.greedy(source, BOS, n + 1)[0]
    due = source[:, k - 1]
    wrong = (due - FIRST + shove) % WORDS + FIRST       # never the due one
    again = source[:, k - 2]                    # the letter due just before
    put, twice = (own if harmless else model.greedy(
        source, BOS, n + 1, put=(k - 1, word))[0]
        for word in (wrong, again))
    late = twice[:, k:n] == source[:, k - 1:n - 1]      # [200, n - k]
    steps = {name: (said[:, :n] == source).mean(axis=0)         # [8]
             for name, said in (("own", own), ("put", put))}
    return {"true": share_right(true, source),
            "own": share_right(own, source),
            "before": steps["own"][k:].mean(),
            "after": steps["put"][k:].mean(), "late": late.mean(),
            "steps": steps["put"], "untouched": steps["own"]}


def on_its_own(p: float, k: int, seed: int, shifted: bool = True,
               one_coin: bool = False, fed_true: bool = False,
               harmless: bool = False, same_twin: bool = False) -> Metrics:
    """The shift, the product of chances, and three trained decoders."""
    nets = {"one": "copy_one",
            "sampled": "copy_one" if same_twin else "copy_sampled",
            "attention": "copy_attention"}
    found = {name: living(seq2seq_np.load(recipe), k, seed,
                          fed_true=fed_true, harmless=harmless)
             for name, recipe in nets.items()}
    return {
        "shift": shift(REPLY, shifted),
        "odds": {"p": p, "slip": 1 - p, "short": 10, "long": 50,
                 "all_short": p if one_coin else p ** 10,
                 "all_long": p if one_coin else p ** 50},
        "k": k, "n": SIZES[LIVED], "rows": ROWS, "chance": 1 / WORDS,
        "place": list(range(1, SIZES[LIVED] + 1)),
        "nets": found, "record": recorded_lives()}


def recorded_lives() -> Metrics:
    """What `living` found in each recorded training: spans and counts."""
    seeds = [s["living"] for s in records.read("copy_seeds")["seeds"]]
    spans = {name: {"whole": mean_low_high([s[name]["own"]["whole"]
                                            for s in seeds]),
                    "after": mean_low_high([s[name]["after"]
                                            for s in seeds])}
             for name in ("one", "sampled", "attention")}
    return spans | {
        "seeds": len(seeds), "k": K,
        "heals": sum(s["sampled"]["after"] > s["one"]["after"]
                     for s in seeds),
        "costs": sum(s["sampled"]["own"]["whole"] < s["one"]["own"]["whole"]
                     for s in seeds),
        "strays": sum(s["attention"]["before"]
                      - s["attention"]["after"] > 0.2 for s in seeds),
        "slides": sum(s["attention"]["late"] > 0.5 for s in seeds)}


def mean_low_high(values: list[float]) -> list[float]:
    """What a record shows of several seeds."""
    return [float(np.mean(values)), min(values), max(values)]


LIVING_NAMES = {
    "one": T("一个向量", "one vector"),
    "sampled": T("一个向量，计划采样", "one vector, scheduled sampling"),
    "attention": T("注意力", "attention"),
}


def show_living(m: Metrics) -> Iterator[Block]:
    yield Table(
        (Column(T("喂给解码器", "the decoder is fed")),
         Column(T("它应该说", "it must say"))),
        list(zip(m["shift"]["fed"], m["shift"]["says"], strict=True)),
        title=T("教师强制：输入是目标右移一格", "Teacher forcing: the input is the target, "
                "moved one to the right"))
    yield Paragraph(T(
        "每一步都以 {odds[p]:g} 的概率说对、各步独立的话：{odds[short]} 步全对 "
        "{odds[all_short]:.3f}，"
        "{odds[long]} 步全对 {odds[all_long]:.3f}。",
        "If every step is right with {odds[p]:g}, each by itself: all of {odds[short]} right "
        "{odds[all_short]:.3f}, all of {odds[long]} right {odds[all_long]:.3f}."))
    yield Paragraph(T(
        "再看训练好的解码器，抄写 {n} 个字母，{rows} 行新题。喂真字母，或喂它自己刚说的字母；"
        "最后两列只数第 {k} "
        "步之后的字母：一列不打扰，一列在第 {k} 步硬塞一个错字母。",
        "Now trained decoders, copying {n} letters, {rows} fresh rows: fed the true letters, or "
        "those they have just said. The last two columns count letters after step {k} only: "
        "left alone, and with one wrong letter put in at step {k}."))
    yield Table(
        (Column(T("解码器", "decoder")),
         Column(T("字母对：喂真的", "letters, fed true"), ".1%"),
         Column(T("字母对：喂自己", "letters, fed own"), ".1%"),
         Column(T("整行对：喂真的", "rows, fed true"), ".1%"),
         Column(T("整行对：喂自己", "rows, fed own"), ".1%"),
         Column(T("之后对：不打扰", "after, left alone"), ".1%"),
         Column(T("之后对：塞错的", "after, wrong one in"), ".1%")),
        [[LIVING_NAMES[name], c["true"]["word"], c["own"]["word"], c["true"]["whole"],
          c["own"]["whole"], c["before"], c["after"]] for name, c in m["nets"].items()],
        title=T("真字母、自己的字母、塞进一个错字母", "True letters, its own, one wrong one"))
    yield Curve(
        m["place"], [(LIVING_NAMES[name], c["steps"]) for name, c in m["nets"].items()],
        T("步", "step"), T("字母对的比例", "share of letters right"),
        title=T("第 {k} 步塞进错字母，前前后后", "A wrong letter at step {k}, before and after"),
        low=0.0, high=1.0)
    yield Table(
        (Column(T("记录，{record[seeds]} 次训练", "recorded, {record[seeds]} trainings")),
         Column(T("整行对，平均", "rows, mean"), ".1%"), Column(T("最低", "low"), ".1%"),
         Column(T("最高", "high"), ".1%"),
         Column(T("塞错之后，平均", "after a wrong one, mean"), ".1%"),
         Column(T("最低", "low"), ".1%"), Column(T("最高", "high"), ".1%")),
        [[LIVING_NAMES[name], *m["record"][name]["whole"], *m["record"][name]["after"]]
         for name in m["nets"]],
        title=T("记录：同样的测法，塞在第 {record[k]} 步",
                "The record: measured alike, wrong one at step {record[k]}"))


FORCING = Part(
    number=4, key="forcing",
    title=T("教师强制：靠自己的话活下去", "Teacher forcing: living on its own words"),
    compute=on_its_own, describe=show_living,
    params={"p": Param(0.95, 0.0, 1.0, about=T("每步说对的概率", "chance of a right step")),
            "k": Param(K, 2, 7, about=T("第几步塞进错字母", "the step of the wrong letter"))},
    recipes=("copy_one", "copy_sampled", "copy_attention"),
    controls={"unshifted": partial(on_its_own, shifted=False),
              "one_coin": partial(on_its_own, one_coin=True),
              "fed_true": partial(on_its_own, fed_true=True),
              "harmless": partial(on_its_own, harmless=True),
              "same_twin": partial(on_its_own, same_twin=True)},
    claims=(
        Claim("shift", T(
            "{shift[words]} 个词，{shift[pairs]} 行；输入里有 {shift[eos_fed]} 个 <eos>；"
            "预测“{shift[love]}”"
            "的那一行，喂的是“{shift[before_love]}”。",
            "{shift[words]} words make {shift[pairs]} rows; the input holds {shift[eos_fed]} "
            "<eos>; the row that predicts “{shift[love]}” is fed “{shift[before_love]}”."),
            lambda m: min(0.5 - abs(m["shift"]["pairs"] - m["shift"]["words"] - 1),
                          0.5 - m["shift"]["eos_fed"],
                          0.5 - (m["shift"]["before_love"] == m["shift"]["love"])),
            "unshifted"),
        Claim("product", T(
            "每步只错 {odds[slip]:.0%}，{odds[long]} 步下来，全对的不到十分之一："
            "{odds[all_long]:.1%}。",
            "A slip of {odds[slip]:.0%} a step leaves less than a tenth right over "
            "{odds[long]} steps: {odds[all_long]:.1%}."),
            lambda m: 0.1 - m["odds"]["all_long"], "one_coin"),
        Claim("hidden", T(
            "喂真字母会把错误藏起来：字母对的比例 {nets[one][true][word]:.1%}，喂自己的只有 "
            "{nets[one][own][word]:.1%}。整行全对却一模一样（{nets[one][own][whole]:.1%}）："
            "全对的一行，"
            "两种喂法喂的是同样的字母。",
            "Feeding the truth hides errors: {nets[one][true][word]:.1%} of letters right, but "
            "{nets[one][own][word]:.1%} when it is fed its own. Rows right to the end are the "
            "same ({nets[one][own][whole]:.1%}): in such a row both ways feed the same "
            "letters."),
            lambda m: min(m["nets"]["one"]["true"]["word"] - m["nets"]["one"]["own"]["word"],
                          1e-9 - abs(m["nets"]["one"]["true"]["whole"]
                                     - m["nets"]["one"]["own"]["whole"])),
            "fed_true"),
        Claim("derailed", T(
            "一个向量的解码器，第 {k} 步塞进一个错字母，后面的字母对的比例从 "
            "{nets[one][before]:.0%} 掉到 "
            "{nets[one][after]:.0%}；没有全毁，瞎猜只有 {chance:.0%}。",
            "With one vector, one wrong letter at step {k} takes the letters after it from "
            "{nets[one][before]:.0%} right to {nets[one][after]:.0%}; not all is lost, a blind "
            "guess would give {chance:.0%}."),
            lambda m: min(m["nets"]["one"]["before"] - m["nets"]["one"]["after"] - 0.2,
                          m["nets"]["one"]["after"] - m["chance"] - 0.05), "harmless"),
        Claim("never_seen", T(
            "会回看的解码器自己几乎不出错（字母对 {nets[attention][own][word]:.1%}），"
            "塞进一个错字母照样乱："
            "后面只对 {nets[attention][after]:.0%}。教师强制时它从没见过错字。记录的 "
            "{record[seeds]} 次训练里，"
            "{record[strays]} 次掉了两成以上。",
            "The decoder that looks back hardly slips by itself "
            "({nets[attention][own][word]:.1%} of letters right), yet one wrong letter throws "
            "it too: {nets[attention][after]:.0%} of the later ones are right. Under teacher "
            "forcing it never met an error. In {record[strays]} of {record[seeds]} recorded "
            "trainings the drop is more than a fifth."),
            lambda m: min(m["nets"]["attention"]["own"]["word"] - 0.95,
                          m["nets"]["attention"]["before"]
                          - m["nets"]["attention"]["after"] - 0.2,
                          m["record"]["strays"] - 3.5), "harmless"),
        Claim("place", T(
            "错字母给它指错了地方：塞的如果正是刚写过的那个字母，会回看的解码器就从那儿接着抄，"
            "后面的字母 "
            "{nets[attention][late]:.0%} 恰好晚了一格。记录里 {record[seeds]} 次训练有 "
            "{record[slides]} "
            "次一半以上晚一格。",
            "A wrong letter shows it a wrong place: put in the letter just written, and the "
            "decoder that looks back copies on from there, with {nets[attention][late]:.0%} of "
            "the later letters exactly one place late. In {record[slides]} of {record[seeds]} "
            "recorded trainings more than half are."),
            lambda m: min(m["nets"]["attention"]["late"] - 0.5,
                          m["record"]["slides"] - 3.5), "harmless"),
        Claim("sampling", T(
            "计划采样（训练时不时喂它自己的话）换来了恢复，付出了准确：塞错之后 "
            "{nets[sampled][after]:.0%} 对，孪生的只有 {nets[one][after]:.0%}；整行全对却从 "
            "{nets[one][own][whole]:.0%} 降到 {nets[sampled][own][whole]:.0%}。记录的 "
            "{record[seeds]} "
            "次训练里，前者 {record[heals]} 次如此，后者 {record[costs]} 次。",
            "Scheduled sampling (fed its own words now and then in training) buys recovery and "
            "pays in accuracy: after the wrong letter {nets[sampled][after]:.0%} are right, its "
            "twin has {nets[one][after]:.0%}; but rows right to the end fall from "
            "{nets[one][own][whole]:.0%} to {nets[sampled][own][whole]:.0%}. Of "
            "{record[seeds]} trainings in the record, the first holds in {record[heals]}, the "
            "second in {record[costs]}."),
            lambda m: min(m["nets"]["sampled"]["after"] - m["nets"]["one"]["after"],
                          m["nets"]["one"]["own"]["whole"]
                          - m["nets"]["sampled"]["own"]["whole"],
                          m["record"]["heals"] - 3.5, m["record"]["costs"] - 3.5),
            "same_twin"),
    ),
    caveat=T(
        "字母是随机抽的，下一个字母与上一个无关；真的句子里，前面的词还管着后面的意思。"
        "所以这里的恢复率不能搬到语言模型上。",
        "The letters are drawn at random and none depends on the one before; in real sentences "
        "a word decides what may follow. These rates do not carry over to language models."),
    questions=(
        Question(T(
            "每一步都有 {p:g} 的概率说对，各步独立。50 步全对的概率？",
            "Every step is right with {p:g}, each by itself. All of 50 right?"),
            (Option(T("95 %", "95 %"), lambda m: 0.01 - abs(m["odds"]["all_long"] - 0.95),
                    T("把一步的概率当成了整句的概率。",
                      "takes the chance of a step for that of the whole.")),
             Option(T("60 %", "60 %"), lambda m: 0.05 - abs(m["odds"]["all_long"] - 0.6),
                    T("这是 {odds[short]} 步的答案：{odds[all_short]:.0%}。",
                      "that is the answer for {odds[short]} steps: {odds[all_short]:.0%}.")),
             Option(T("8 %", "8 %"), lambda m: 0.01 - abs(m["odds"]["all_long"] - 0.08)),
             Option(T("0.01 %", "0.01 %"), lambda m: 0.001 - m["odds"]["all_long"],
                    T("高估了连乘：乘 {odds[long]} 次 {odds[p]:g}，还剩 {odds[all_long]:.0%}。",
                      "overrates the product: {odds[long]} factors of {odds[p]:g} leave "
                      "{odds[all_long]:.0%}.")))),
        Question(T(
            "再投一次：抄写 8 个字母，只有一个向量的解码器，第 {k} 步硬塞一个错字母。"
            "它后面的字母呢？",
            "Second vote: copying 8 letters from one vector, one wrong letter is put in at "
            "step {k}. The letters after it?"),
            (Option(T("全错", "all wrong"), lambda m: 0.05 - m["nets"]["one"]["after"],
                    T("以为一步错、步步错。后面还有 {nets[one][after]:.0%} 对，瞎猜只有 "
                      "{chance:.0%}。",
                      "expects one error to ruin everything. {nets[one][after]:.0%} of the "
                      "later letters are right; a blind guess gives {chance:.0%}.")),
             Option(T("几乎不受影响", "hardly changed"),
                    lambda m: 0.1 - (m["nets"]["one"]["before"] - m["nets"]["one"]["after"]),
                    T("以为解码器只看状态。它也看上一个字母：从 {nets[one][before]:.0%} 掉到了 "
                      "{nets[one][after]:.0%}。",
                      "thinks the decoder goes by its state alone. It goes by the letter before "
                      "too: from {nets[one][before]:.0%} to {nets[one][after]:.0%}.")),
             Option(T("大约四分之一到一半还是对的", "about a quarter to a half still right"),
                    lambda m: 0.15 - abs(m["nets"]["one"]["after"] - 0.35)),
             Option(T("错一两步，然后完全恢复", "wrong for a step or two, then as before"),
                    lambda m: m["nets"]["one"]["steps"][6]
                    - 0.9 * m["nets"]["one"]["untouched"][6],
                    T("以为它会自己纠正。到第 7 步对的比例是 {nets[one][steps][6]:.0%}，"
                      "不打扰时是 {nets[one][untouched][6]:.0%}。",
                      "expects it to right itself. At step seven {nets[one][steps][6]:.0%} are "
                      "right, {nets[one][untouched][6]:.0%} when left alone."))))),
    pins={"shift.*": COUNTED, "odds.*": ARITHMETIC, "chance": ARITHMETIC, "k": COUNTED,
          "n": COUNTED, "rows": COUNTED, "place.*": COUNTED,
          "record.*": RECORDED, "*": TRAINED},
    errata=ERRATA["forcing"],
    notes=T(
        "约 8 分钟。两次投票。计划采样的结果常让人意外：它不是白捡的便宜。争论点："
        "一个错词到底毁掉多少？"
        "文献也不一致：He 等（2021）看到语言模型会自己恢复，Arora 等（2022）看到误差累积。"
        "试 --set 4.k=6 和 --set 4.p=0.99。",
        "About 8 minutes, two votes. Scheduled sampling surprises people: it is no free gift. "
        "The argument: how much does one wrong word ruin? The literature disagrees: He and "
        "others (2021) see language models recover by themselves, Arora and others (2022) see "
        "errors pile up. Try --set 4.k=6 and --set 4.p=0.99."),
)

PARTS = (CHAIN, ORDER, BOTTLENECK, FORCING)
