"""07.2 Sines and cosines: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d07_positions.errata import ERRATA
from demos.d07_positions.lesson import SINUSOIDS_CONTROLS, sinusoids
from lecture.report import (
    ROUNDING,
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


def show_sinusoids(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "每两列是一根表针：偶数列写正弦，奇数列写余弦，越往右转得越慢。位置就是所有表针的读数。",
        "Every two columns are the hand of a clock: a sine in the even one, a cosine in the odd "
        "one, ever slower to the right. A position is what all the hands read."))
    yield HeatMap(m["sample"], list(range(16)), list(range(16)), low=-10, high=10,
                  format=".0f", title=T("十六个位置（行），十六维（列），单位是十分之一",
                                        "Sixteen positions (rows), sixteen dims, in tenths"))
    yield Table(
        (Column(T("平移 δ", "shift δ"), "d"), Column(T("每对转 ω·δ，误差",
                                                       "each pair by ωδ: error"),
                                                   ".1g<1e-12"),
         Column(T("都转 δ，误差", "all by δ: error"), ".2f")),
        [[s["delta"], s["error"], s["one_angle"]] for s in m["shifts"].values()],
        title=T("一个矩阵 M(δ) 把 PE(p) 变成 PE(p+δ)，宽 {width}",
                "One matrix M(δ) takes PE(p) to PE(p+δ), width {width}"))
    yield Table(
        (Column(T("维", "dim"), "d"), Column(T("第几对", "pair"), "d"), Column(T("余弦", "cosine")),
         Column(T("频率", "frequency"), ".4e"), Column(T("在 p = {far}", "at p = {far}"), ".6f"),
         Column(T("讲义画的", "as the notes draw"), ".6f")),
        [list(d.values()) for d in m["dims"].values()],
        title=T("五个维度，频率一对一对地变慢", "Five dims: frequencies fall pair by pair"))
    page = m["page"]
    yield HeatMap(page["map"], list(range(64)), page["dims"], low=-1, high=1, page_only=True,
                  title=T("整张表：六十四个位置，三十二维",
                          "The whole table: 64 positions, 32 dims"))
    yield Curve(page["dims"], [(T(f"位置 {p}", f"position {p}"), row) for p, row in
                               zip(page["starts"], page["rows"], strict=True)],
                T("维", "dim"), T("值", "value"), low=-1, high=1, page_only=True,
                title=T("四个位置的编码", "The codes of four positions"))
    yield Curve(page["places"], [(T(f"维 {d['dim']}", f"dim {d['dim']}"), column) for d, column in
                                 zip(m["dims"].values(), page["columns"], strict=True)],
                T("位置", "position"), T("值", "value"), low=-1, high=1, page_only=True,
                title=T("五个维度随位置的变化", "Five dims along the positions"))
    yield Curve(page["places"], [(T("PE(0)·PE(p)", "PE(0)·PE(p)"), m["dots"]["by_distance"])],
                T("距离", "distance"), T("点积", "dot product"), format=".0f", page_only=True,
                title=T("离得越远越不像，但不是一路下降",
                        "Further is less alike, but not all the way down"))


def later(m: Metrics) -> Any:
    """How much the second dot product is larger than the first."""
    return m["dots"]["later"] - m["dots"]["near"]


PART = Part(
    number=2, key="sinusoids",
    title=T("正弦与余弦", "Sines and cosines"),
    compute=sinusoids, describe=show_sinusoids,
    params={"pairs": Param(256, 4, 1024, about=T("有几根表针（宽度的一半）",
                                                 "how many hands, half the width"))},
    controls=SINUSOIDS_CONTROLS,
    claims=(
        Claim("shift", T(
            "平移是一个线性映射：M(δ) 对所有位置都一样，是正交矩阵，最大误差 "
            "{shifts[by_100][error]:.1g<1e-12}（δ = {shifts[by_100][delta]}）。每一对有自己的"
            "角度；都转 δ 就错了，误差 {shifts[by_3][one_angle]:.2f}（δ = "
            "{shifts[by_3][delta]}）。",
            "A shift is a linear map: one orthogonal M(δ) serves every position, largest error "
            "{shifts[by_100][error]:.1g<1e-12} at δ = {shifts[by_100][delta]}. Each pair has its "
            "own "
            "angle; turning all by δ is wrong, error {shifts[by_3][one_angle]:.2f} at "
            "δ = {shifts[by_3][delta]}."),
            lambda m: min(*(1e-11 - max(s["error"], s["orthogonal"])
                            for s in m["shifts"].values()),
                          *(s["one_angle"] - 0.1 for s in m["shifts"].values())),
            "one_angle"),
        Claim("distance", T(
            "距离藏在点积里：相距三的两对位置，点积都是 {dots[near]:.4f} 和 {dots[later]:.4f}；"
            "相距一的是 {dots[closer]:.4f}，和自己是 {dots[itself]:.4f}。",
            "Distance sits in the dot product: two pairs of positions three apart give "
            "{dots[near]:.4f} and {dots[later]:.4f}; one apart {dots[closer]:.4f}, a position "
            "with itself {dots[itself]:.4f}."),
            lambda m: min(1e-9 - abs(later(m)), m["dots"]["closer"] - m["dots"]["later"],
                          m["dots"]["itself"] - m["dots"]["closer"]), "drawn_table"),
        Claim("norm", T(
            "每个位置一样长：最短 {norms[low]:.3f}，最长 {norms[high]:.3f}，就是列数一半的平方根 "
            "{root:.3f}。",
            "All positions are equally long: shortest {norms[low]:.3f}, longest "
            "{norms[high]:.3f}, the square root of half the width, {root:.3f}."),
            lambda m: 1e-9 - max(abs(m["norms"]["low"] - m["root"]),
                                 abs(m["norms"]["high"] - m["root"])), "drawn_table"),
        Claim("last_dim", T(
            "维 {dims[dim_255][dim]} 是余弦，频率 {dims[dim_255][frequency]:.4e}，在位置 {far} 是 "
            "{dims[dim_255][value]:.6f}；讲义把它画成正弦，得 {dims[dim_255][drawn]:.6f}。",
            "Dim {dims[dim_255][dim]} is a cosine of frequency {dims[dim_255][frequency]:.4e} and "
            "is {dims[dim_255][value]:.6f} at position {far}; the notes draw a sine there, "
            "{dims[dim_255][drawn]:.6f}."),
            lambda m: min(m["dims"]["dim_255"]["value"] - 0.99,
                          0.01 - m["dims"]["dim_255"]["drawn"]), "sines_only"),
    ),
    caveat=T(
        "公式给出了距离，不等于模型会用：词向量加上去，W_Q、W_K 再乘上去之后，距离还在不在要看训练"
        "（第 4 部分）。",
        "The formula holds the distance; that does not mean a model uses it. What is left of it "
        "once word vectors are added and W_Q, W_K multiplied is up to training (part 4)."),
    questions=(Question(
        T("PE(5)·PE(2) 和 PE(13)·PE(10) 相比？", "PE(5)·PE(2) against PE(13)·PE(10)?"),
        (Option(T("相等", "equal"),
                lambda m: min(1e-9 - abs(later(m)), abs(m["dots"]["near"]) - 1)),
         Option(T("后者大：位置靠后，数值也大",
                  "the second is larger: later places, larger values"),
                lambda m: later(m) - 1e-9,
                T("以为编码随位置变大。每个位置的长度都一样。",
                  "expects codes that grow with the position. All of them are equally long.")),
         Option(T("后者小：越往后越分不清", "the second is smaller: later places blur"),
                lambda m: -later(m) - 1e-9,
                T("以为远处的位置渐渐糊掉。表针一直在转，只看转了多少差。",
                  "expects far places to blur. The hands keep turning; only how far apart they "
                  "are counts.")),
         Option(T("都接近零：不同位置互相垂直", "both near zero: places are orthogonal"),
                lambda m: 1 - max(abs(m["dots"]["near"]), abs(m["dots"]["later"])),
                T("把位置编码当成 one-hot。慢的那些表针几乎没动，所以点积很大。",
                  "takes the codes for one-hot. The slow hands have hardly moved, so the product "
                  "is large.")))),),
    pins={"shifts.*.error": ROUNDING, "shifts.*.orthogonal": ROUNDING,
          "dims.*.dim": exact("a number of the list"), "*": close(
              "deterministic sines: libraries differ in the last bits", 1e-9, 1e-9)},
    errata=ERRATA["sinusoids"],
    notes=T(
        "约 6 分钟。先投票。争论点：为什么是“加”而不是“接”在词向量后面？（加省宽度；"
        "训练可以把两者放进"
        "不同的方向。）整张表和曲线在 --export 的网页里。",
        "About 6 minutes. Vote first. The argument: why add the code instead of appending it? "
        "(Adding saves width; training can keep the two in different directions.) The whole "
        "table and the curves are on the exported page."),
)
