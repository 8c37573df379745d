"""06.2 Empty rows and constants: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d06_masks.errata import ERRATA
from demos.d06_masks.lesson import EMPTY_CONTROLS, hide_a_row
from lecture.margins import above, below, both, every, near
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
    exact,
)

KEYS = (T("甲", "a"), T("乙", "b"), T("丙", "c"), T("丁", "d"))
QUANTITIES = {
    **{f"ways.*.weights.{i}": Quantity(name, ".2f") for i, name in enumerate(KEYS)},
    "ways.*.kind": Quantity(T("精度", "precision")),
    "ways.*.value": Quantity(T("取回的值", "value"), ".2f"),
    "ways.*.sum": Quantity(T("合计", "sum"), "g"),
    "unmasked.*": Quantity(T("权重", "weight"), ".4f"),
    "values.*": Quantity(T("值", "value"), "g"), "scores.*": Quantity(T("分数", "score"), "g"),
    "mean_value": Quantity(T("平均", "mean"), "g"), "even": Quantity(T("平摊", "even"), "g"),
    "constant": Quantity(T("常数", "constant"), ",.0f"),
    "lowest16": Quantity(T("最小", "lowest"), ",.0f"),
    "largest_hidden": Quantity(T("被遮的权重", "hidden weight"), "g"),
    "ways_count": Quantity(T("写法", "ways"), "d"),
}
LARGE = T("换成 {constant}", "replaced by {constant}")
NAMES = {
    "ways.infinity": T("换成 -∞，照公式", "replaced by -∞, by the formula"),
    "ways.replaced": LARGE, "ways.replaced32": LARGE,
    "ways.replaced_b16": LARGE, "ways.replaced16": LARGE,
    "ways.lowest16": T("换成 {lowest16}", "replaced by {lowest16}"),
    "ways.lowest16_twice": T("{lowest16} 加两次", "{lowest16} added twice"),
    "ways.added": T("{constant} 加到分数上", "{constant} added"),
    "ways.ours": T("本课：布尔掩码", "ours: a mask of yes and no"),
}
LEAD = (Paragraph(T(
    "一整行都不许看（填充在左边，又用因果掩码，就会有），叫空行。四个键，值 {values.0}、"
    "{values.1}、{values.2}、{values.3}，分数 {scores.0}、{scores.1}、{scores.2}、{scores.3}。代码"
    "里先减去一行的最大值再取 e^s，免得溢出：权重不变，因为只有差距算数（演示 04）。",
    "A row may look at nobody (so it is with padding on the left under a causal mask): an empty "
    "row. Four keys with the values {values.0}, {values.1}, "
    "{values.2}, {values.3} and the scores {scores.0}, {scores.1}, {scores.2}, {scores.3}. "
    "Code subtracts the largest score of a row before e^s, against overflow: weights stay, as "
    "only gaps count (demo 04).")),)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("ways.*", ("kind", *(f"weights.{i}" for i in range(4)), "value"),
               head=T("被遮的分数", "hidden scores"),
               title=T("空行的权重和取回的值", "An empty row: weights and value"),
               legend=T("- = 没有这个数（NaN）。float16、bfloat16 都是 16 位，分法不同。",
                        "- = there is no number (NaN). float16 and bfloat16: 16 bits each, "
                        "shared out differently."))


PART = Part(
    number=2, key="empty",
    title=T("空行和常数", "Empty rows and constants"),
    compute=hide_a_row, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"constant": Param(-1e9, -1e30, 0.0, about=T("代替分数的负数",
                                                       "the number put over a score"))},
    controls=EMPTY_CONTROLS,
    claims=(
        Claim("infinity_is_nan", T(
            "换成 -∞，最大值也是 -∞，两者相减没有这个数：NaN。本课约定空行的权重全是零，合计 "
            "{ways.ours.sum}，取回 {ways.ours.value:g}。",
            "With -∞ the largest is -∞ too, and their difference is no number: NaN. Ours, by "
            "convention, gives an empty row zeros: sum {ways.ours.sum}, value "
            "{ways.ours.value:g}."),
            lambda m: both(m.ways.infinity.nan - 0.5, 0.5 - m.ways.ours.nan,
                           below(m.ways.ours.sum, 1e-300),
                           below(abs(m.ways.ours.value), 1e-300)),
            "no_guard", kind="example",
            undefined=T("不设防时合计是 NaN，没有数可比", "unguarded, the sum is NaN: no number")),
        Claim("half_precision", T(
            "float16 最低到 {lowest16}，{constant} 放不下，成了 -∞，于是 NaN；换成 {lowest16} 放得"
            "下，两张掩码加起来又溢出。bfloat16 放得下，于是平均。",
            "float16 ends at {lowest16}: {constant} does not fit, becomes -∞, and so NaN; "
            "{lowest16} fits, but two masks added overflow again. bfloat16 holds it, and gives "
            "the mean."),
            lambda m: both(0.5 - m.ways.replaced16.fits, m.ways.replaced16.nan - 0.5,
                           m.ways.lowest16.fits - 0.5, m.ways.lowest16_twice.nan - 0.5,
                           m.ways.replaced_b16.fits - 0.5,
                           near(m.ways.replaced_b16.value, m.mean_value, 1e-3),
                           above(m.lowest16, m.constant)), "double_precision", kind="example"),
        Claim("elsewhere_all_agree", T(
            "换一行还有两个能看的，{ways_count} 种写法遮得一样好：被遮的权重正好是 "
            "{largest_hidden}。麻烦只在空行。",
            "In a row with two keys left to see all {ways_count} ways hide equally well: the "
            "hidden weight is exactly {largest_hidden}. The trouble is the empty row."),
            lambda m: both(below(m.largest_hidden, 1e-300), m.ways_count),
            "weak_constant", kind="example"),
        Claim("added_it_leaks", T(
            "不是替换而是加上去：差距原样，第一个权重 {ways.added.weights.0:.4f}，没有掩码时 "
            "{unmasked.0}。整行都漏了。",
            "Added instead of replacing, it leaves the gaps as they were: the first weight is "
            "{ways.added.weights.0:.4f}, with no mask at all {unmasked.0}. The whole row leaks."),
            lambda m: every(near(m.ways.added.weights[i], m.unmasked[i], 1e-6)
                            for i in range(4)),
            "boolean", kind="example", more=True),
    ),
    caveat=T(
        "零是我们的约定；有的库给平均，有的给 NaN。",
        "Zero is our convention; some libraries give the mean, some NaN."),
    questions=(Question(
        T("空行的四个分数都换成 {constant:,.0f}，softmax 之后，权重是？",
          "All four scores of an empty row become {constant:,.0f}. What does softmax return?"),
        (Option(T("四个零", "four zeros"),
                lambda m: 0.5 - m.ways.replaced.sum,
                T("以为 e^s 小到零就完了。先减去最大值，最大的那个变成 e^0。",
                  "stops at an e^s of zero. The largest is subtracted first and becomes e^0.")),
         Option(T("NaN", "NaN"),
                lambda m: m.ways.replaced.nan - 0.5,
                T("记的是 -∞ 的情形。有限的数相减没有问题。",
                  "remembers -∞. Finite numbers can be subtracted.")),
         Option(T("四个都是 {even:g}", "{even:g} each"),
                lambda m: every(near(w, m.even, 0.1) for w in m.ways.replaced.weights)),
         Option(T("程序报错", "an error"),
                lambda m: 0.5 - m.ways.replaced.fits,
                T("以为有人会检查。这里不报错，所以危险。",
                  "believes somebody checks. Here no error is raised, which is the danger."))),
        answer=Claim("a_constant_is_no_mask", T(
            "四个分数打平，减去最大值都成零，各得 {ways.replaced.weights.0}，取回全体的平均 "
            "{ways.replaced.value:g}：不许看的全看了。",
            "the scores tie, each is zero after the subtraction and gets "
            "{ways.replaced.weights.0}; back comes the mean of all, {ways.replaced.value:g}: it "
            "looks at everything it must not."),
            lambda m: both(every(near(m.ways[name].weights[i], m.even, 1e-6)
                                 for name in ("replaced", "replaced32") for i in range(4)),
                           near(m.ways.replaced.value, m.mean_value, 1e-6)),
            "boolean", kind="example")),),
    pins={"*.nan": exact("a verdict"), "*.fits": exact("a verdict"),
          "*.kind": exact("a word"), "ways_count": exact("a count"),
          "largest_hidden": exact("a true zero"), "*.hidden": exact("a true zero"),
          "ways.ours.*": exact("true zeros"),
          "ways.added.*": close("a difference of numbers near a billion", 1e-6, 1e-7),
          "ways.infinity.*": exact("no number"), "ways.replaced16.*": exact("no number"),
          "ways.lowest16_twice.*": exact("no number"), "*": ARITHMETIC},
    errata=ERRATA["empty"],
    notes=T(
        "约 5 分钟。投票之后一行一行问“为什么”。争论点：空行该给零、平均，还是报错？试试 --set "
        "2.constant=-5：有能看的行里，被遮的位置也漏出权重，“遮得一样好”就不成立了。",
        "About 5 minutes. After the vote go down the table and ask why at each row. The "
        "argument: should an empty row give zero, a mean, or an error? Try --set 2.constant=-5: "
        "then hidden places leak even where something may be seen, and “hide equally well” does "
        "not hold."),
)
