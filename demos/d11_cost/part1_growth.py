"""11.1 Ten times the length, how many times the cost: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d11_cost.errata import ERRATA
from demos.d11_cost.lesson import EXPAND, GROWTH_CONTROLS, grow
from demos.d11_cost.words import COUNT, RATIO
from lecture.margins import above, below, both, equal, every, near
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
)

QUANTITIES = {
    "ratio.layer": Quantity(T("倍", "times"), ",.1f"),
    "ratio.*": Quantity(T("倍", "times"), ",g"),
    "*.n": Quantity(T("长度 n", "tokens n"), ",d"),
    "*.projections": Quantity(T("四个投影", "projections"), ".2e"),
    "*.scores": Quantity(T("分数", "scores"), ".2e"),
    "*.mix": Quantity(T("加权", "mixing"), ".2e"),
    "*.mlp": Quantity(T("前馈", "MLP"), ".2e"),
    "*.total": Quantity(T("整层", "layer"), ".2e"),
    "*.share": Quantity(T("n·n·d 占", "n·n·d"), ".1%"),
    "*.attention": Quantity(T("两次 n·n·d", "both n·n·d"), ".2e"),
    "*.matrices": Quantity(T("不算 n·n·d", "no n·n·d"), ".2f"),
    "*.all": Quantity(T("整层", "layer"), ".2f"),
    "*.widths": Quantity(T("宽度的倍数", "widths"), "g"),
    "*": Quantity(T("数", "numbers"), ",d"),
}
NAMES = {f"rows.{i}": T(f"{{rows.{i}.n}}", f"{{rows.{i}.n}}") for i in range(5)}
LEAD = (
    Paragraph(T(
        "一层 Transformer 读 n 个词，宽 d = {width}，要几次乘加？\n"
        "    四个投影 4nd^2 + 前馈 8nd^2 + 分数 QK^T n^2d + 给 V 加权 n^2d\n"
        "    = 12nd^2 + 2n^2d\n"
        "例：n = {short.n} 时，分数 {short.n}×{short.n}×{width} = {short.scores} 次，加权也是。表"
        "里的次数不靠公式：代码跑在只有形状的数组上，每做一次矩阵乘法就记一笔。",
        "A Transformer layer of width d = {width} reads n tokens. How many multiply-adds?\n"
        "    projections 4nd^2 + MLP 8nd^2 + scores QK^T n^2d + mixing V n^2d\n"
        "    = 12nd^2 + 2n^2d\n"
        "Example: at n = {short.n} the scores take {short.n}×{short.n}×{width} = "
        "{short.scores}, mixing as many. The table uses no formula: the code runs on arrays that "
        "have a shape only, and notes every matrix product.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("rows.*", ("projections", "mlp", "scores", "mix", "total", "share"),
               head=T("长度 n", "tokens n"),
               title=T("一层的乘加次数，{heads} 个头", "Multiply-adds of one layer, {heads} heads"))
    yield Rows("rows.*", (Group(T("向前一遍", "forward"), ("forward.matrices", "forward.all")),
                          Group(T("训练一步", "training"), ("training.matrices", "training.all"))),
               head=T("长度 n", "tokens n"), more=True,
               title=T("每个词几次运算，以 N = {parameters}（这一层矩阵里的数）为单位；一次乘加是"
                       "两次运算",
                       "Operations a token, in units of N = {parameters}, the numbers in the "
                       "layer's matrices; a multiply-add is two operations"))


def position(m: Any) -> float:
    """Where the layer's ratio stands between those of the two kinds of products: 0 to 1."""
    return float((m.ratio.layer - m.ratio.rest) / (m.ratio.attention - m.ratio.rest))


PART = Part(
    number=1, key="growth",
    title=T("文本长十倍，一层贵几倍", "Ten times the length, how many times the cost"),
    compute=grow, describe=blocks, lead=LEAD, quantities=QUANTITIES, names=NAMES,
    params={"width": Param(512, 8, 16384, about=T("层的宽度 d", "the layer's width d")),
            "heads": Param(8, 1, 128, about=T("头数", "heads")),
            "short": Param(1000, 10, 100000, about=T("短的长度", "the shorter length")),
            "long": Param(10000, 10, 1000000, about=T("长的长度", "the longer length"))},
    controls=GROWTH_CONTROLS,
    claims=(
        Claim("ten_times", T(
            "长度变成 {ratio.tokens} 倍：n·n·d 那两次乘法变成 {ratio.attention} 倍，其余的变成 "
            "{ratio.rest} 倍。",
            "{ratio.tokens} times the length: the two n·n·d products cost {ratio.attention} times "
            "as much, everything else {ratio.rest} times."),
            lambda m: both(near(m.ratio.attention / m.ratio.tokens**2, 1, 1e-6),
                           near(m.ratio.rest / m.ratio.tokens, 1, 1e-6)),
            "fixed_keys", kind="example"),
        Claim("crossing", T(
            "两次 n·n·d 到 n = {crossing.n}，宽度的 {crossing.widths} 倍，才追上其余的。",
            "The two n·n·d products catch up with the rest at n = {crossing.n}, {crossing.widths} "
            "times the width."),
            lambda m: both(equal(m.crossing.n, (2 + EXPAND) * m.width),
                           near(m.crossing.widths, 2 + EXPAND, 1e-6)),
            "fixed_keys", kind="identity",
            undefined=T("键的个数固定，两部分永不相等",
                        "with a fixed number of keys they never meet")),
        Claim("two_products", T(
            "n·n·d 要做两次：n = {short.n} 时共 {short.attention} 次乘加，占整层的 {short.share}。",
            "n·n·d is paid twice: at n = {short.n} {short.attention} multiply-adds, "
            "{short.share} of the layer."),
            lambda m: both(equal(m.short.attention, 2 * m.short.n**2 * m.width),
                           near(m.short.share, m.short.attention / m.short.total, 1e-9)),
            "no_mixing", kind="example", more=True),
        Claim("two_and_six", T(
            "不算 n·n·d，每个词向前一遍正好 {short.forward.matrices:g} N 次运算，训练 "
            "{short.training.matrices:g} N：往回传时，每个乘积要为两个因子各算一个同样大的。n 等于"
            "宽度的 {crossing.widths} 倍时要翻一番。",
            "Without n·n·d each token takes {short.forward.matrices:g} N operations forward, and "
            "{short.training.matrices:g} N in training: on the way back each product is paid once "
            "for each of its two factors. At n = {crossing.widths} widths it is twice that."),
            lambda m: both(every(near(row.forward.matrices, 2, 1e-9) for row in m.rows),
                           every(near(row.training.matrices, 6, 1e-9) for row in m.rows),
                           near(m.short.forward.matrices, 2, 1e-9),
                           near(m.short.training.matrices, 6, 1e-9),
                           every(near(row.training.all, 6 * (1 + row.n / (
                               m.crossing.widths * m.width)), 1e-6) for row in m.rows)),
            "one_gradient", kind="identity", more=True),
    ),
    caveat=T(
        "次数不是时间。归一化、偏置、激活函数没有数；普通的因果实现照样算满 n·n，再丢掉一半。",
        "Counts are not times. Norms, biases, activation functions are left out; a plain causal "
        "layer computes all n·n and throws half away."),
    questions=(Question(
        T("长度从 {short:,} 变成 {long:,}，宽度 {width}。一整层的计算量变成几倍？",
          "From {short:,} to {long:,} tokens at width {width}: the whole layer costs"),
        (Option(T("{ratio.rest} 倍", "{ratio.rest} times"), lambda m: below(position(m), 0.001),
                T("只看到投影和前馈；忘了每个词还要看每个词。",
                  "sees projections and MLP, and forgets that every word meets every word.")),
         Option(T("{ratio.layer:,.0f} 倍", "{ratio.layer:,.0f} times"),
                lambda m: both(above(position(m), 0.001), below(position(m), 0.999))),
         Option(T("{ratio.attention} 倍", "{ratio.attention} times"),
                lambda m: both(above(position(m), 0.999), below(position(m), 1.001)),
                T("把平方套在整层上。它只管两次乘法，其余的占多少要看长度。",
                  "applies the square to the whole layer. It holds for two products; the share of "
                  "the rest depends on the length.")),
         Option(T("{ratio.cube:,.0f} 倍", "{ratio.cube:,.0f} times"),
                lambda m: near(m.ratio.layer / m.ratio.cube, 1, 0.001),
                T("以为是立方。分数表是二维的：n 个词看 n 个词。",
                  "expects a cube. The table of scores has two sides: n words meet n words."))),
        answer=Claim("whole_layer", T(
            "{ratio.layer} 倍，不到 {ratio.attention} 倍，因为 n·n·d 在短的文本里只占 "
            "{short.share}。",
            "{ratio.layer} times, not {ratio.attention}, since n·n·d is only {short.share} of the "
            "short text's cost."),
            lambda m: both(above(m.ratio.layer, m.ratio.rest * 1.001),
                           below(m.ratio.layer, m.ratio.attention * 0.999),
                           near(m.ratio.layer, m.short.share * m.ratio.attention
                                + (1 - m.short.share) * m.ratio.rest, 1e-6)),
            "fixed_keys", kind="example")),),
    pins={"ratio.*": RATIO, "*.share": RATIO, "crossing.widths": RATIO, "*.matrices": RATIO,
          "*.all": RATIO, "*": COUNT},
    errata=ERRATA["growth"],
    notes=T(
        "约 8 分钟。先投票。争论点：“平方复杂度”为什么没有让一千词的模型慢得用不了？"
        "把 --set 1.width=4096 拿出来：交点跟着宽度走。再试 --set 1.long=100000，整层的倍数才接近"
        "平方。头数不改变任何一列。--more 里有常用的“每个词 2N、训练 6N”。",
        "About 8 minutes. Vote first. The argument: why does “quadratic” not make a model of a "
        "thousand tokens unusable? Try --set 1.width=4096: the crossing follows the width. Then "
        "--set 1.long=100000, where the layer comes nearer to the square. Heads change no column. "
        "Under --more stands the usual rule of 2N a token and 6N in training."),
)
