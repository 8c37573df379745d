"""08.3 More heads, more weights?: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d08_heads.errata import ERRATA
from demos.d08_heads.lesson import ARITHMETIC_CONTROLS, H, count_heads
from lecture.report import (
    ARITHMETIC,
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
    exact,
)


def show_counts(m: Metrics) -> Iterator[Block]:
    yield Table(
        (Column(T("宽 {width}，无偏置", "width {width}, no bias")),
         Column(T("一个头", "one head"), ",d"), Column(T("{heads} 个头", "{heads} heads"), ",d")),
        [["W_Q + W_K + W_V", m["one"]["qkv"], m["many"]["qkv"]],
         ["W_O", m["one"]["out"], m["many"]["out"]],
         [T("合计", "total"), m["one"]["total"], m["many"]["total"]],
         [T("权重图里的数", "numbers in the maps"),
          m["maps"]["one"], m["maps"]["many"]]],
        title=T("数一数矩阵里的数", "Count the numbers in the matrices"),
        legend=T("一个头切成 {heads} 片，每片 {width} × {head} × 三 = {slice:,d}；"
                 "{heads} 片 = {slices:,d}。带偏置合计 {with_bias:,d}。权重图：{words} 个词。",
                 "Cut into {heads}, each slice has {width} × {head} × three = {slice:,d}; "
                 "{heads} slices = {slices:,d}. With biases the total is {with_bias:,d}. Maps: "
                 "for {words} words."))
    yield Paragraph(T(
        "同样的四个矩阵，当一个头用和当 {heads} 个头用，输出差多少（相对）：{moved:.2f}。参数一样，"
        "函数不一样；多出来的是权重图：每个头一张。",
        "The same four matrices, used as one head and as {heads}: the outputs differ by "
        "{moved:.2f} (relative). The same weights, another function; what grows is the maps, one "
        "for each head."))


PART = Part(
    number=3, key="arithmetic",
    title=T("头多了，参数多了吗", "More heads, more weights?"),
    compute=count_heads, describe=show_counts,
    params={"heads": Param(H, 2, 16, about=T("头数；宽度是 64 乘它",
                                             "heads; the width is 64 times as much"))},
    controls=ARITHMETIC_CONTROLS,
    claims=(
        Claim("not_one_more", T(
            "宽 {width}：一个头 {one[total]:,d} 个参数，{heads} 个头 {many[total]:,d} 个，"
            "比值 {ratio:.3f}。",
            "At width {width} one head has {one[total]:,d} weights and {heads} heads have "
            "{many[total]:,d}: a ratio of {ratio:.3f}."),
            lambda m: 0.5 - abs(m["one"]["total"] - m["many"]["total"]), "no_w_o"),
        Claim("slices_of_the_same", T(
            "{heads} 片各 {slice:,d} 个，合起来 {many[qkv]:,d}：正是一个头的那三个矩阵。",
            "{heads} slices of {slice:,d} make {many[qkv]:,d}: the very three matrices of one "
            "head."),
            lambda m: 0.5 - max(abs(m["slice"] * m["heads"] - m["many"]["qkv"]),
                                abs(m["one"]["qkv"] - m["many"]["qkv"])), "full_width"),
        Claim("another_function", T(
            "参数相同，算的东西不同：输出相对差 {moved:.2f}，权重图从 {maps[one]:,d} 个数变成 "
            "{maps[many]:,d} 个。",
            "Equal weights, another computation: the outputs differ by {moved:.2f}, the maps "
            "grow from {maps[one]:,d} numbers to {maps[many]:,d}."),
            lambda m: min(m["moved"] - 0.1, m["maps"]["many"] / m["maps"]["one"]
                          - m["heads"] + 0.5), "not_split"),
    ),
    questions=(Question(
        T("同样的宽度，{heads} 个头比一个头多多少参数？",
          "At the same width, how many more weights have {heads} heads than one?"),
        (Option(T("一个也不多", "none"), lambda m: 0.5 - abs(m["ratio"] - 1) * 1e9),
         Option(T("三分之一", "a third more"), lambda m: 0.05 - abs(m["ratio"] - 4 / 3),
                T("把没有 W_O 的一个头和有 W_O 的几个头放在一起比。",
                  "compares one head without W_O with several that have it.")),
         Option(T("{heads} 倍", "{heads} times"), lambda m: m["ratio"] - m["heads"] + 0.5,
                T("以为每个头都有整套的宽矩阵。每个头只有一片。",
                  "thinks every head has full matrices. Each has a slice.")),
         Option(T("更少：每个头更窄", "fewer: each head is narrower"),
                lambda m: 1 - m["ratio"] - 1e-9,
                T("只看一片，忘了有几片。", "looks at one slice and forgets how many there "
                                       "are.")))),),
    pins={"moved": ARITHMETIC, "*": exact("counts")}, errata=ERRATA["arithmetic"],
    notes=T(
        "约 5 分钟，一次投票。黑板上算：98,304 乘 8。讲义少了 128；"
        "“1.3 倍”是拿没有 W_O 的一个头去比。"
        "--set 3.heads=16 看看哪个数变、哪个不变。",
        "About 5 minutes, one vote. On the board: 98,304 times 8. The notes are short by 128, and "
        "their 1.3 compares one head without W_O. Try --set 3.heads=16: what changes, what does "
        "not?"),
)
