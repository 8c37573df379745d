"""08.3 More heads, more parameters?: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d08_heads.errata import ERRATA
from demos.d08_heads.lesson import ARITHMETIC_CONTROLS, H, count_heads
from lecture.margins import above, below, both, equal, near
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
    exact,
)

QUANTITIES = {
    "*.qkv": Quantity(T("W_Q、W_K、W_V", "W_Q, W_K, W_V"), ",d"),
    "*.out": Quantity(T("W_O", "W_O"), ",d"),
    "*.total": Quantity(T("合计", "total"), ",d"),
    "*.maps": Quantity(T("权重图里的数", "numbers in the maps"), ",d"),
    "slice*": Quantity(T("参数", "parameters"), ",d"),
    "with_bias": Quantity(T("参数", "parameters"), ",d"),
    "moved": Quantity(T("相差", "apart by"), ".2f"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {"one": T("一个头", "one head"), "many": T("{heads} 个头", "{heads} heads")}
LEAD = (
    Paragraph(T(
        "多头：同样的四个矩阵，W_Q、W_K、W_V 的列切成几片，每个头用一片，各看各的，再拼起来：\n"
        "    头 i = softmax(Q_i K_i^T / √d_k) V_i      输出 = [{heads} 个头并排] W_O\n"
        "宽 {width}，{heads} 个头，每个宽 {head}：一个头的三片有 {width} × {head} × 3 = {slice} 个"
        "参数。",
        "Several heads: the same four matrices, the columns of W_Q, W_K and W_V cut into slices, "
        "one a head; each looks by itself, and the results stand side by side:\n"
        "    head i = softmax(Q_i K_i^T / √d_k) V_i   output = [{heads} heads side by side] W_O\n"
        "Width {width}, {heads} heads of width {head}: the three slices of one head have "
        "{width} × {head} × 3 = {slice} parameters.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(("one", "many"), ("qkv", "out", "total", "maps"),
               head=T("宽 {width}，无偏置", "width {width}, no bias"),
               legend=T("权重图：{words} 个词，每个头一张。带偏置合计 {with_bias}。",
                        "Maps: {words} words, one map a head. With biases the total is "
                        "{with_bias}."))


PART = Part(
    number=3, key="arithmetic",
    title=T("头多了，参数多了吗", "More heads, more parameters?"),
    compute=count_heads, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"heads": Param(H, 2, 16, about=T("头数；宽度是 64 乘它",
                                             "heads; the width is 64 times as much"))},
    controls=ARITHMETIC_CONTROLS,
    claims=(
        Claim("another_function", T(
            "参数一样，算的不一样：同样的四个矩阵，当一个头和当 {heads} 个头用，输出相差 {moved}（"
            "相对于输出的大小），因为每个头各有一张权重图，按各自的图取。",
            "As many parameters, another computation: the same four matrices used as one head and "
            "as {heads} give outputs apart by {moved} (relative to their size), since each head "
            "has a map of its own and fetches by it."),
            lambda m: both(above(m.moved, 0.1), equal(m.many.maps, m.one.maps * m.heads)),
            "not_split", kind="example"),
    ),
    caveat=T(
        "只数注意力的矩阵，MLP 不在内。各看各的有什么用，第 1、2 部分；头窄了，什么的秩低，第 4 部"
        "分。",
        "Attention's matrices only, without the MLP. What separate looks are good for is parts 1 "
        "and 2; what has low rank in a narrow head is part 4."),
    questions=(Question(
        T("同样的宽度，{heads} 个头比一个头多多少参数？",
          "At the same width, how many more parameters have {heads} heads than one?"),
        (Option(T("一个也不多", "none"), lambda m: near(m.ratio, 1, 1e-9)),
         Option(T("三分之一", "a third more"), lambda m: near(m.ratio, 4 / 3, 0.05),
                T("把没有 W_O 的一个头和有 W_O 的几个头放在一起比：比值 {third:.3f}。",
                  "compares one head without W_O with several that have it: {third:.3f} times.")),
         Option(T("{heads} 倍", "{heads} times as many"), lambda m: above(m.ratio, m.heads - 0.5),
                T("以为每个头都有整套的宽矩阵。每个头只有一片。",
                  "thinks every head has full matrices. Each has a slice.")),
         Option(T("更少", "fewer"), lambda m: below(m.ratio, 1 - 1e-9),
                T("只看一片，忘了有几片。", "looks at one slice, forgets how many there are."))),
        answer=Claim("not_one_more", T(
            "都是 {many.total}：{heads} 片各 {slice}，合起来正是一个头的 {one.qkv}，再加 W_O。",
            "{many.total} both: {heads} slices of {slice} are just the {one.qkv} of one head, "
            "and W_O comes on top."),
            lambda m: both(equal(m.one.total, m.many.total), equal(m.many.qkv, m.one.qkv),
                           equal(m.slice * m.heads, m.one.qkv)),
            "full_width", kind="identity")),),
    pins={"moved": ARITHMETIC, "*": exact("counts")}, errata=ERRATA["arithmetic"],
    notes=T(
        "约 5 分钟，一次投票。黑板上把一片的参数乘上头数。讲义少了 128；“1.3 倍”是拿没有 W_O 的一个"
        "头去比。--set 3.heads=16 看看哪个数变、哪个不变。",
        "About 5 minutes, one vote. On the board: one slice times the number of heads. The notes "
        "are short by 128, and their 1.3 compares one head without W_O. Try --set 3.heads=16: what "
        "changes, what does not?"),
)
