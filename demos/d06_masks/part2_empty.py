"""06.2 Empty rows and constants: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d06_masks.errata import ERRATA
from demos.d06_masks.lesson import EMPTY_CONTROLS, hide_a_row
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
    close,
    exact,
)

WAY_NAMES = {
    "infinity": T("换成负无穷", "replaced by minus infinity"),
    "replaced": T("换成很大的负数", "replaced by a large negative number"),
    "replaced32": T("换成很大的负数", "replaced by a large negative number"),
    "added": T("把它加到分数上", "the same, added to the score"),
    "replaced16": T("换成很大的负数", "replaced by a large negative number"),
    "lowest16": T("换成半精度最小的数", "replaced by the lowest of half precision"),
    "lowest16_twice": T("把它加两次（两张掩码）", "that one added twice (two masks)"),
    "ours": T("本课：布尔掩码", "ours: a mask of yes and no")}


def show_empty(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "四个键，值是 {values[0]:g}、{values[1]:g}、{values[2]:g}、{values[3]:g}，"
        "这一行一个也不许看。“很大的负数”是 {constant:,.0f}。",
        "Four keys with the values {values[0]:g}, {values[1]:g}, {values[2]:g}, {values[3]:g}; "
        "this row may look at none. The “large negative number” is {constant:,.0f}."))
    yield Table(
        (Column(T("被遮的分数", "hidden scores")), Column(T("位数", "bits")),
         Column(T("甲", "a"), ".2f"), Column(T("乙", "b"), ".2f"), Column(T("丙", "c"), ".2f"),
         Column(T("丁", "d"), ".2f"), Column(T("取回的值", "value"), ".2f"),
         Column(T("是 NaN", "is NaN"))),
        [[WAY_NAMES[name], w["bits"], *w["weights"], w["value"], w["nan"]]
         for name, w in m["ways"].items()],
        title=T("一整行都遮住：权重和取回的值", "A row that is hidden whole: weights and value"),
        legend=T("- = 没有这个数（NaN）", "- = there is no number (NaN)"))


PART = Part(
    number=2, key="empty",
    title=T("空行和常数", "Empty rows and constants"),
    compute=hide_a_row, describe=show_empty,
    params={"constant": Param(-1e9, -1e30, 0.0, about=T("代替分数的负数",
                                                       "the number put over a score"))},
    controls=EMPTY_CONTROLS,
    claims=(
        Claim("a_constant_is_no_mask", T(
            "整行换成 {constant:,.0f}：只有差距算数，分数打平，四个权重都是 "
            "{ways[replaced][weights][0]:.2f}，取回全体的平均 {ways[replaced][value]:g}，"
            "被遮的也在内。单精度也一样。",
            "Replace the whole row by {constant:,.0f}: only differences count, the scores tie, "
            "every weight is {ways[replaced][weights][0]:.2f}, and the mean of everything comes "
            "back, {ways[replaced][value]:g}, hidden ones included. So does single precision."),
            lambda m: 1e-6 - max(
                *(abs(w - m["even"]) for name in ("replaced", "replaced32")
                  for w in m["ways"][name]["weights"]),
                abs(m["ways"]["replaced"]["value"] - m["mean_value"])), "boolean"),
        Claim("infinity_is_nan", T(
            "整行换成负无穷，照课本的公式算：无穷减无穷，没有这个数。",
            "Replace it by minus infinity and follow the textbook: infinity less infinity, and "
            "there is no number."),
            lambda m: m["ways"]["infinity"]["nan"] - 0.5, "boolean"),
        Claim("added_it_leaks", T(
            "不是替换而是加上去（双精度）：差距原样保留，第一个权重 "
            "{ways[added][weights][0]:.4f}，不遮时 {unmasked[0]:.4f}。等于没遮。",
            "Added instead of replacing (double precision), it leaves the differences as they "
            "were: the first weight is {ways[added][weights][0]:.4f}, without any mask "
            "{unmasked[0]:.4f}. Nothing is hidden."),
            lambda m: 1e-6 - max(abs(a - b) for a, b in zip(
                m["ways"]["added"]["weights"], m["unmasked"], strict=True)), "boolean"),
        Claim("half_precision", T(
            "半精度（{ways[replaced16][bits]} 位）最小到 {lowest16:g}，{constant:,.0f} 放不下，"
            "变成负无穷，整行又没有数了；用它的最小数倒放得下，可两张掩码加在一起又溢出。",
            "Half precision ({ways[replaced16][bits]} bits) ends at {lowest16:g}: {constant:,.0f} "
            "does not fit, becomes minus infinity, and the row has no numbers again. Its own "
            "lowest number fits, but two masks added up overflow once more."),
            lambda m: min(0.5 - m["ways"]["replaced16"]["fits"],
                          m["ways"]["replaced16"]["nan"] - 0.5,
                          m["ways"]["lowest16"]["fits"] - 0.5,
                          m["ways"]["lowest16_twice"]["nan"] - 0.5), "double_precision"),
        Claim("ours_says_nothing", T(
            "本课的 softmax：没有可看的，权重就都是零（合计 {ways[ours][sum]:g}），取回 "
            "{ways[ours][value]:g}。这是约定，所以写在这里。",
            "Our softmax: with nothing to look at all weights are zero (sum {ways[ours][sum]:g}) "
            "and {ways[ours][value]:g} comes back. That is a convention, so it is said here."),
            lambda m: min(0.5 - m["ways"]["ours"]["nan"],
                          1e-300 - m["ways"]["ours"]["sum"],
                          1e-300 - abs(m["ways"]["ours"]["value"])), "no_guard",
            undefined=T("不设防时合计是 NaN，没有数可比", "unguarded, the sum is NaN: no number")),
        Claim("elsewhere_all_agree", T(
            "换一行还有两个能看的，{ways_count} 种写法遮得一样好：被遮的权重最大也是 "
            "{largest_hidden:g}，正好是零。麻烦在空行。",
            "In a row with two keys left to see all {ways_count} ways hide equally well: the "
            "largest hidden weight is {largest_hidden:g}, exactly. The trouble is the empty row."),
            lambda m: min(1e-300 - m["largest_hidden"], m["ways_count"] - 7.5),
            "weak_constant"),
    ),
    caveat=T(
        "空行在批里很常见：填充在左边时、XLNet 里排第一的词。"
        "零是我们的选择；有的库给平均，有的给 NaN。",
        "Empty rows are common in batches: padding on the left, the first word of an XLNet order. "
        "Zero is our choice; some libraries give the mean, some NaN."),
    questions=(Question(
        T("一整行的分数都换成 {constant:,.0f}，softmax 之后是什么？",
          "Every score of a row is replaced by {constant:,.0f}. What does softmax return?"),
        (Option(T("四个零", "four zeros"),
                lambda m: 0.5 - m["ways"]["replaced"]["sum"],
                T("以为指数小到零就完了。除以总和之前先减去最大值，最大的那个变成一。",
                  "stops at an exponential of zero. The largest score is subtracted first, and "
                  "the largest becomes one.")),
         Option(T("NaN", "NaN"),
                lambda m: m["ways"]["replaced"]["nan"] - 0.5,
                T("记的是负无穷的情形。有限的数相减没有问题。",
                  "remembers minus infinity. Finite numbers can be subtracted.")),
         Option(T("平均看所有位置，包括被遮的", "the plain mean of everything, hidden included"),
                lambda m: 0.1 - max(abs(w - m["even"]) for w in
                                    m["ways"]["replaced"]["weights"])),
         Option(T("程序报错", "an error"),
                lambda m: 0.5 - m["ways"]["replaced"]["fits"],
                T("以为有人会检查。不报错，所以才危险。",
                  "believes somebody checks. Nothing complains, which is the danger.")))),),
    pins={"*.nan": exact("a verdict"), "*.fits": exact("a verdict"),
          "*.bits": exact("a count"), "ways_count": exact("a count"),
          "largest_hidden": exact("a true zero"), "*.hidden": exact("a true zero"),
          "ways.ours.*": exact("true zeros"),
          "ways.added.*": close("a difference of numbers near a billion", 1e-6, 1e-7),
          "ways.infinity.*": exact("no number"), "ways.replaced16.*": exact("no number"),
          "ways.lowest16_twice.*": exact("no number"), "*": ARITHMETIC},
    errata=ERRATA["empty"],
    notes=T(
        "约 5 分钟。投票之后直接看表，一行一行问“为什么”。争论点：空行该给零、平均，还是报错？"
        "试试 --set 2.constant=-5：有能看的行里，被遮的位置也漏出权重。",
        "About 5 minutes. After the vote go down the table and ask why at each row. The argument: "
        "should an empty row give zero, a mean, or an error? Try --set 2.constant=-5: then hidden "
        "places leak even where something may be seen."),
)
