"""11.1 n·n·d: ten times the length, how many times the cost: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d11_cost.errata import ERRATA
from demos.d11_cost.lesson import EXPAND, GROWTH_CONTROLS, grow
from demos.d11_cost.words import COUNT, RATIO
from lecture.report import (
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


def show_growth(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一层 Transformer，宽 d = {width}，{heads} 个头，前馈层的中间宽 4d。同一段代码跑在"
        "“只有形状、没有数字”的数组上，每做一次矩阵乘法就记下乘加次数。",
        "One Transformer layer, width d = {width}, {heads} heads, hidden width 4d. The same "
        "code runs on arrays that have a shape and no numbers, and notes the multiply-adds of "
        "every matrix product."))
    yield Table(
        (Column(T("长度 n", "tokens n"), ",d"), Column(T("四个投影", "projections"), ".3e"),
         Column(T("分数 QK", "scores QK"), ".3e"), Column(T("加权 V", "mixing V"), ".3e"),
         Column(T("前馈", "MLP"), ".3e"), Column(T("整层", "layer"), ".4e"),
         Column(T("注意力占", "attention"), ".1%")),
        [[r["n"], r["projections"], r["scores"], r["mix"], r["mlp"], r["total"], r["share"]]
         for r in m["rows"]],
        title=T("一层的乘加次数；最后一列是两次 n·n·d 乘法的份额",
                "Multiply-adds of one layer; last column: the share of the two n·n·d products"))


PART = Part(
    number=1, key="growth",
    title=T("n·n·d：长度变十倍，贵多少倍", "n·n·d: ten times the length, how many times the cost"),
    compute=grow, describe=show_growth,
    params={"width": Param(512, 8, 16384, about=T("层的宽度 d", "the layer's width d")),
            "heads": Param(8, 1, 128, about=T("头数", "heads")),
            "short": Param(1000, 10, 100000, about=T("短的长度", "the shorter length")),
            "long": Param(10000, 10, 1000000, about=T("长的长度", "the longer length"))},
    controls=GROWTH_CONTROLS,
    claims=(
        Claim("two_products", T(
            "n·n·d 要做两遍：n = {short[n]:,} 时，算分数 {short[scores]:.3e} 次，给 V 加权又是 "
            "{short[mix]:.3e} 次，共 {short[attention]:.3e}；可这只占整层的 {short[share]:.1%}。",
            "n·n·d is paid twice: at n = {short[n]:,} the scores take {short[scores]:.3e}, mixing "
            "V another {short[mix]:.3e}, {short[attention]:.3e} together; and yet that is only "
            "{short[share]:.1%} of the layer."),
            lambda m: min(0.5 - abs(m["short"]["scores"] - m["short"]["n"]**2 * m["width"]),
                          0.5 - abs(m["short"]["mix"] - m["short"]["scores"]),
                          0.5 - abs(m["short"]["attention"] - 2 * m["short"]["scores"]),
                          0.5 - m["short"]["share"]), "no_mixing"),
        Claim("ten_times", T(
            "长度变 {ratio[tokens]:g} 倍（{short[n]:,} 到 {long[n]:,}），n·n·d 那部分贵 "
            "{ratio[attention]:.0f} 倍，其余贵 {ratio[rest]:.0f} 倍，整层贵 {ratio[layer]:.2f} 倍："
            "比长度快，比平方慢。",
            "{ratio[tokens]:g} times the length ({short[n]:,} to {long[n]:,}): the n·n·d part "
            "costs {ratio[attention]:.0f} times as much, the rest {ratio[rest]:.0f} times, the "
            "layer {ratio[layer]:.2f} times: faster than the length, slower than its square."),
            lambda m: min(1e-6 - abs(m["ratio"]["attention"] / m["ratio"]["tokens"]**2 - 1),
                          1e-6 - abs(m["ratio"]["rest"] / m["ratio"]["tokens"] - 1),
                          m["ratio"]["layer"] - m["ratio"]["tokens"] * 1.2,
                          m["ratio"]["tokens"]**2 / 1.2 - m["ratio"]["layer"]), "fixed_keys"),
        Claim("crossing", T(
            "n·n·d 那部分要到 n = {crossing[n]:,} 才追上其余部分，正好是宽度 {width} 的 "
            "{crossing[widths]:g} 倍；比这短的文本，钱主要花在投影和前馈上。",
            "The n·n·d part catches up with the rest only at n = {crossing[n]:,}, which is "
            "{crossing[widths]:g} times the width of {width}; below that, most of the cost is "
            "projections and MLP."),
            lambda m: min(0.5 - abs(m["crossing"]["n"] - (2 + EXPAND) * m["width"]),
                          1e-6 - abs(m["crossing"]["widths"] - 2 - EXPAND)), "fixed_keys",
            undefined=T("键的个数固定，两部分永不相等",
                        "with a fixed number of keys they never meet")),
    ),
    caveat=T(
        "次数不是时间：小矩阵、搬运内存、别的程序都会让同样的次数快慢不一。没有数归一化、偏置和激活"
        "函数，它们不做矩阵乘法。带因果掩码的普通实现照样算满 n·n，只是再丢掉一半。",
        "Counts are not times: small matrices, memory traffic and other programs make the same "
        "count faster or slower. Norms, biases and activations are not counted; they multiply no "
        "matrices. A plain causal layer still computes all n·n scores, and throws half away."),
    questions=(Question(
        T("长度从 {short} 变成 {long}，宽度 {width}。一整层的计算量变成几倍？",
          "From {short} to {long} tokens at width {width}: how many times does the whole layer "
          "cost?"),
        (Option(T("10 倍", "10 times"), lambda m: 1 - abs(m["ratio"]["layer"] - 10),
                T("只看到投影和前馈，它们确实跟长度成正比；忘了每个词还要看每个词。",
                  "sees projections and MLP, which do grow with the length, and forgets that "
                  "every word meets every word.")),
         Option(T("32 倍", "32 times"), lambda m: 1 - abs(m["ratio"]["layer"] - 32)),
         Option(T("100 倍", "100 times"), lambda m: 5 - abs(m["ratio"]["layer"] - 100),
                T("把 n 的平方套在整层上。那只是两次乘法；在这个长度，其余部分还不小。",
                  "applies the square to the whole layer. It holds for two products; at these "
                  "lengths the rest is still large.")),
         Option(T("1000 倍", "1000 times"), lambda m: m["ratio"]["layer"] - 500,
                T("以为是立方。分数表是二维的：n 个词看 n 个词。",
                  "expects a cube. The table of scores has two sides: n words meet n words.")))),),
    pins={"ratio.*": RATIO, "*.share": RATIO, "crossing.widths": RATIO, "*": COUNT},
    errata=ERRATA["growth"],
    notes=T(
        "约 8 分钟。先投票。争论点：“平方复杂度”为什么没有让一千词的模型慢得用不了？"
        "把 --set 1.width=4096 拿出来：交点跟着宽度走，模型越宽，平方项来得越晚。"
        "再试 --set 1.long=100000，整层的倍数才接近平方。头数不改变任何一列：8 个头各宽 d/8。",
        "About 8 minutes. Vote first. The argument: why does “quadratic” not make a model of a "
        "thousand tokens unusable? Try --set 1.width=4096: the crossing follows the width, a "
        "wider model meets the square later. Then --set 1.long=100000, where the layer comes "
        "nearer to the square. Heads change no column: 8 heads are d/8 wide each."),
)
