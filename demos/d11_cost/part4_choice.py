"""11.4 RNN or Transformer: every row a number: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d11_cost.errata import ERRATA
from demos.d11_cost.lesson import CHOICE_CONTROLS, choose
from demos.d11_cost.words import COUNT, RATIO, at_lengths
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
)

MODEL_NAMES = {"recurrent": T("RNN", "RNN"), "transformer": T("Transformer", "Transformer"),
               "linear": T("线性注意力", "linear attention")}
ASKED = {
    "kept": (T("记住", "kept"), ",d", T("内存紧？读到第 n 个词，一层要记住几个数",
                                        "Little memory? Numbers a layer keeps at word n")),
    "next": (T("下一个", "next"), ".3e", T("要实时？再读一个词的乘加次数",
                                           "Real time? Multiply-adds for one more word")),
    "chain": (T("排队", "in a row"), ",d", T("要并行训练？最长有几次乘法一个等一个",
                                             "Train in parallel? Products that wait for each "
                                             "other, at most")),
    "madds": (T("全部", "all"), ".3e", T("算力够吗？读完 n 个词的乘加次数",
                                         "Compute? Multiply-adds to read all n words")),
}


def show_choice(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "同样宽 {width} 的三种层，各读 n 个词：循环层（两个矩阵），Transformer 层（{heads} "
        "个头加前馈），"
        "把 softmax 换成线性注意力的同一层。不问“该选谁”，只问四个数。",
        "Three layers of width {width} read n words: a recurrent one (two matrices), a "
        "Transformer layer ({heads} heads and an MLP), and the same with linear attention. Not "
        "“which is better” but four numbers."))
    for key, (name, spec, title) in ASKED.items():
        yield Table(
            (Column(name), *at_lengths(spec)),
            [[MODEL_NAMES[k], *v[key]] for k, v in m["models"].items()], title=title)
    yield Table(
        (Column(T("Transformer 层", "Transformer layer")),
         Column(T("前面变了", "earlier moved"), ".2g<1e-12")),
        [[T("因果", "causal"), m["streams"]["causal"]],
         [T("看全文", "all-seeing"), m["streams"]["all_seeing"]]],
        title=T("要流式？来了一个新词，前面的输出变了多少",
                "Streaming? How far the earlier outputs move when one more word arrives"))


PART = Part(
    number=4, key="choice",
    title=T("RNN 还是 Transformer：每一条都是一个数", "RNN or Transformer: every row a number"),
    compute=choose, describe=show_choice,
    params={"width": Param(512, 8, 8192, about=T("宽度", "width")),
            "heads": Param(8, 1, 128, about=T("头数", "heads")),
            "short": Param(100, 2, 2000, about=T("最短", "shortest")),
            "long": Param(10000, 2, 20000, about=T("最长", "longest"))},
    controls=CHOICE_CONTROLS,
    claims=(
        Claim("state", T(
            "读到第 {lengths[2]:,} 个词，RNN 层记着 {models[recurrent][kept][2]:,} 个数，和第 "
            "{lengths[0]:,} 个词时一样多；Transformer 层留着 {models[transformer][kept][2]:,} 个"
            "（全部的键和值），是它的 {kept_ratio:,.0f} 倍。",
            "At word {lengths[2]:,} the RNN layer keeps {models[recurrent][kept][2]:,} numbers, as "
            "many as at word {lengths[0]:,}; the Transformer layer keeps "
            "{models[transformer][kept][2]:,} (all keys and values), {kept_ratio:,.0f} times as "
            "many."),
            lambda m: min(0.5 - abs(m["models"]["recurrent"]["kept"][2]
                                    - m["models"]["recurrent"]["kept"][0]),
                          0.5 - abs(m["models"]["transformer"]["kept"][2]
                                    - 2 * m["lengths"][2] * m["models"]["recurrent"]["kept"][2]),
                          0.5 - abs(m["kept_ratio"] - m["models"]["transformer"]["kept"][2]
                                    / m["models"]["recurrent"]["kept"][2])), "linear_instead"),
        Claim("next_word", T(
            "再读一个词：RNN 层永远是 {models[recurrent][next][2]:.3e} 次乘加；Transformer 层从 "
            "{models[transformer][next][0]:.3e} 涨到 {models[transformer][next][2]:.3e}，因为要看的"
            "键越来越多。",
            "One more word: always {models[recurrent][next][2]:.3e} multiply-adds for the RNN "
            "layer; from {models[transformer][next][0]:.3e} up to "
            "{models[transformer][next][2]:.3e} for the Transformer layer, since there are ever "
            "more keys to look at."),
            lambda m: min(0.5 - abs(m["models"]["recurrent"]["next"][2]
                                    - m["models"]["recurrent"]["next"][0]),
                          m["models"]["transformer"]["next"][2]
                          - 1.5 * m["models"]["transformer"]["next"][0]), "linear_instead"),
        Claim("steps", T(
            "训练时反过来：RNN 层有 {models[recurrent][chain][2]:,} 次乘法排成一队，"
            "一个词等一个词；"
            "Transformer 层不论多长都只有 {models[transformer][chain][2]} 次前后相等待，"
            "其余可以同时做。",
            "In training it is the other way round: the RNN layer has "
            "{models[recurrent][chain][2]:,} products in a row, each word waiting for the one "
            "before; the Transformer layer has {models[transformer][chain][2]} at any length, and "
            "all else can run at once."),
            lambda m: min(0.5 - abs(m["models"]["recurrent"]["chain"][2] - m["lengths"][2]),
                          0.5 - abs(m["models"]["transformer"]["chain"][2]
                                    - m["models"]["transformer"]["chain"][0]),
                          m["models"]["recurrent"]["chain"][2]
                          - m["models"]["transformer"]["chain"][2]), "no_recurrence"),
        Claim("streams", T(
            "流式不是 RNN 独有：来了新词，因果 Transformer 前面的输出只差舍入误差（"
            "{streams[causal]:.0e<1e-12}）；看全文的那种动了 {streams[all_seeing]:.2f}，"
            "才必须等到最后。",
            "Streaming is not the RNN's alone: when a word arrives the earlier outputs of a causal "
            "Transformer layer move by rounding only ({streams[causal]:.0e<1e-12}); those of an "
            "all-seeing one by {streams[all_seeing]:.2f}, and only it must wait for the end."),
            lambda m: min(1e-12 - m["streams"]["causal"], m["streams"]["all_seeing"] - 0.01),
            "sees_all"),
    ),
    caveat=T(
        "这些数不说谁学得好。RNN 的状态固定，正因为如此装不下任意长的文本（演示 03）。LSTM 的乘加是"
        "这种循环层的四倍，状态是两倍。“超过一百个词就选 Transformer”没有依据："
        "表里没有一个数在一百处转折。",
        "None of these numbers says which learns better. A fixed state is also why an RNN cannot "
        "hold a text of any length (demo 03). An LSTM multiplies four times as much as this "
        "recurrent layer and keeps twice as much. “Above a hundred tokens take a Transformer” has "
        "no basis: nothing in the table turns at a hundred."),
    questions=(Question(
        T("生成到第 {long} 个词。一层要记住的数，谁多？",
          "At token {long} of a text: in one layer, who has to keep more numbers?"),
        (Option(T("RNN：它要记住整个历史", "the RNN: it has to remember the whole history"),
                lambda m: 1 - m["kept_ratio"],
                T("RNN 的状态大小固定，历史都挤在里面。",
                  "an RNN's state has a fixed size; the whole history is squeezed into it.")),
         Option(T("Transformer，约 20,000 倍", "the Transformer, some 20,000 times as many"),
                lambda m: m["kept_ratio"] - 10000),
         Option(T("Transformer，约多一倍", "the Transformer, about twice as many"),
                lambda m: min(m["kept_ratio"] - 1.5, 3 - m["kept_ratio"]),
                T("只算了一个词的键和值。每个词的都要留着。",
                  "counts the key and value of one word. Those of every word are kept.")),
         Option(T("一样多：宽度相同", "the same: the widths are equal"),
                lambda m: min(1.5 - m["kept_ratio"], m["kept_ratio"] - 0.99),
                T("宽度决定一个词占多少，不决定要留几个词。",
                  "the width says how much one word takes, not how many words are kept.")))),),
    pins={"streams.causal": ROUNDING, "streams.*": ARITHMETIC, "kept_ratio": RATIO, "*": COUNT},
    errata=ERRATA["choice"],
    notes=T(
        "约 8 分钟。先投票。让班上按四张表为三种用途选层：语音实时识别、一次训练十亿词、"
        "手机上读长文。"
        "线性注意力那一行像 RNN 又像 Transformer：状态固定，训练并行；代价在第 3 部分。",
        "About 8 minutes. Vote first. Let the class choose a layer by the four tables for three "
        "uses: live speech, training on a billion words, a long text on a phone. Linear attention "
        "is like both: a fixed state and parallel training; part 3 shows the price."),
)
