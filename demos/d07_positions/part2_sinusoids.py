"""07.2 Sines and cosines: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d07_positions.errata import ERRATA
from demos.d07_positions.lesson import DRAWN_DIMS, SINUSOIDS_CONTROLS, sinusoids
from lecture.margins import above, at_least, below, both, every, near, rises, rows
from lecture.quantities import Across, Lines, Maps, Named, Rows
from lecture.report import (
    ROUNDING,
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

HANDS, DISTANCES = tuple(map(str, range(8))), tuple(map(str, range(13)))
QUANTITIES = {
    "small.speed.*": Quantity(T("ω_j", "ω_j"), ".4f"),
    "small.sin.*": Quantity(T("sin(5 ω_j)", "sin(5 ω_j)"), ".2f"),
    "small.turn.*": Quantity(T("转一圈", "full turn"), ",.1f"),
    "small.curves.*": Quantity(T("值", "value"), ".1f"),
    "small.at": Quantity(T("位置 p", "place p"), "d"),
    "small.dots*": Quantity(T("PE(0)·PE(p)", "PE(0)·PE(p)"), ".1f"),
    "small.lowest": Quantity(T("点积", "product"), ".1f"),
    "small.again": Quantity(T("点积", "product"), ".1f"),
    "small.one_hand": Quantity(T("差", "gap"), ".2f"),
    "small.all_hands": Quantity(T("差", "gap"), ".2f"),
    "small.sample": Quantity(T("十分之一", "tenths"), ".0f"),
    "small.*": Quantity(T("数", "number"), "d"),
    "shifts.*.delta": Quantity(T("δ", "δ"), "d"),
    "shifts.*.error": Quantity(T("每对转 ωδ，误差", "each pair by ωδ: error"), ".1g<1e-12"),
    "shifts.*.one_angle": Quantity(T("都转 δ，误差", "all by δ: error"), ".2f"),
    "dims.*.pair": Quantity(T("第几对", "pair"), "d"),
    "dims.*.cosine": Quantity(T("余弦", "cosine")),
    "dims.*.frequency": Quantity(T("ω", "ω"), ".4e"),
    "dims.*.value": Quantity(T("p = {far} 时", "at p = {far}"), ".6f"),
    "dims.*.drawn": Quantity(T("讲义画的", "as the notes draw"), ".6f"),
    "dims.*.column": Quantity(T("值", "value"), ".2f"),
    "dots.*": Quantity(T("点积", "product"), ".4f"),
    "norms.*": Quantity(T("长度", "length"), ".3f"), "root": Quantity(T("根", "root"), ".3f"),
    "width": Quantity(T("宽", "width"), "d"), "drawn_width": Quantity(T("宽", "width"), "d"),
    "far": Quantity(T("位置", "place"), "d"),
    "page.map": Quantity(T("值", "value"), ".2f"), "page.rows.*": Quantity(T("值", "value"), ".2f"),
    "page.dims": Quantity(T("维", "dim"), "d"), "page.starts.*": Quantity(T("位置", "place"), "d"),
}
NAMES = {
    **{f"small.speed.{j}": T(j, j) for j in HANDS},
    **{f"small.dots.{p}": T(p, p) for p in DISTANCES},
    "small.curves.pair_0": T("第 0 对（每 {small.turn.0} 格一圈）",
                             "pair 0 (round every {small.turn.0} places)"),
    "small.curves.pair_2": T("第 2 对（{small.turn.2} 格）", "pair 2 ({small.turn.2} places)"),
    "shifts.*": T("", ""),
    **{f"dims.dim_{d}*": T(f"维 {d}", f"dim {d}") for d in DRAWN_DIMS},
    **{f"page.rows.{i}": T(f"位置 {{page.starts.{i}}}", f"place {{page.starts.{i}}}")
       for i in range(4)},
}
LEAD = (
    Paragraph(T(
        "    PE(p, 2j) = sin(ω_j p)   PE(p, 2j+1) = cos(ω_j p)   ω_j = 1 / 10000^(2j/d)\n"
        "每两维是一根表针，第 j 根每走一格转 ω_j。位置的编码就是所有表针的读数，加在词向量上。"
        "例：宽 d = {small.width}，位置 p = {small.place}：",
        "    PE(p, 2j) = sin(ω_j p)   PE(p, 2j+1) = cos(ω_j p)   ω_j = 1 / 10000^(2j/d)\n"
        "Every two dims are the hand of a clock that turns by ω_j a place. What all hands read is "
        "the code of a place, added to the word vector. Width d = {small.width}, place "
        "{small.place}:")),
    Across(("small.speed", "small.sin"), HANDS, head=T("j", "j"), rule=False),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Lines("small.at", "small.curves.*", low=-1.0, high=1.0,
                title=T("两根表针的正弦，宽 {small.width}", "The sines of two hands, width "
                                                            "{small.width}"))
    yield Across(("small.dots",), DISTANCES, head=T("p", "p"), rule=False)
    yield Maps(("small.sample",), "small.slots", "small.slots", low=-10.0, high=10.0, more=True,
               title=T("{small.width} 个位置（行），{small.width} 维（列）",
                       "{small.width} places (rows), {small.width} dims (columns)"))
    yield Rows("shifts.*", ("error", "one_angle"), head=T("δ", "δ"), label="delta", more=True,
               title=T("同一个矩阵 M(δ) 把每个 PE(p) 变成 PE(p+δ)，宽 {width}",
                       "One matrix M(δ) takes every PE(p) to PE(p+δ), width {width}"))
    yield Rows("dims.*", ("pair", "cosine", "frequency", "value", "drawn"), more=True,
               title=T("讲义图里的五维，宽 {drawn_width}",
                       "The five dims of the notes' figure, width {drawn_width}"))
    yield Maps(("page.map",), "page.places", "page.dims", low=-1.0, high=1.0, page_only=True,
               title=T("整张表", "The whole table"))
    yield Lines("page.dims", "page.rows.*", low=-1.0, high=1.0, page_only=True,
                title=T("四个位置的编码", "The codes of four places"))
    yield Lines("small.at", "dims.*.column", low=-1.0, high=1.0, page_only=True,
                title=T("讲义图里的五维，宽 {drawn_width}",
                        "The five dims of the notes' figure, width {drawn_width}"))


PART = Part(
    number=2, key="sinusoids",
    title=T("正弦与余弦", "Sines and cosines"),
    compute=sinusoids, describe=blocks, lead=LEAD, quantities=QUANTITIES, names=NAMES,
    params={"pairs": Param(256, 4, 1024, about=T("--more 里的表有几根表针（宽度的一半）",
                                                 "hands of the tables behind --more"))},
    controls=SINUSOIDS_CONTROLS,
    claims=(
        Claim("shift", T(
            "走 δ 格是同一个线性映射：每一对转 ωδ，从哪里出发都一样。都转 δ 就不对了，误差 "
            "{shifts.by_3.one_angle}（宽 {width}）。",
            "To go δ places is one linear map: each pair turns by ωδ, wherever one starts. Turned "
            "by δ, all alike, they are off by {shifts.by_3.one_angle} (width {width})."),
            lambda m: both(every(below(max(s.error, s.orthogonal), 1e-11)
                                 for s in rows(m.shifts)),
                           every(above(s.one_angle, 0.1) for s in rows(m.shifts))),
            "one_angle", kind="identity", given=("width",)),
        Claim("all_hands", T(
            "最快的表针自己会认错：走 {small.round} 格，它和开头只差 {small.one_hand}。所有表针合"
            "起来，"
            "{small.places} 个位置里最近的两个也差 {small.all_hands}，因为它们快慢不同。",
            "The fastest hand alone errs: {small.round} places on, it is {small.one_hand} from "
            "where "
            "it began. All hands keep any two of {small.places} places {small.all_hands} apart or "
            "more, since their speeds differ."),
            lambda m: both(below(m.small.one_hand, 0.02), above(m.small.all_hands, 0.5),
                           above(m.small.places, m.small.round),
                           rises(m.small.turn), above(m.small.round, m.small.turn[0])),
            "one_speed", kind="example"),
        Claim("equal_lengths", T(
            "每个位置的编码一样长：{norms.low}，就是宽 {width} 一半的平方根。",
            "All codes are equally long: {norms.low}, the square root of half the width {width}."),
            lambda m: both(near(m.norms.low, m.root, 1e-9), near(m.norms.high, m.root, 1e-9),
                           near(2 * m.root**2, m.width, 1e-6)),
            "drawn_table", kind="identity", more=True),
    ),
    caveat=T(
        "点积只看距离，不分左右；不同的距离，点积可以差不多。加上词向量、乘过 W_Q 和 W_K 之后"
        "还剩多少，看训练。",
        "The product sees distance, not the side, and different distances can give nearly the "
        "same; what words, W_Q and W_K leave of it is up to training."),
    questions=(
        Question(
            T("p 从 0 走到 {small.reach}，两个位置有多像：点积 PE(0)·PE(p) 怎样变？",
              "p goes from 0 to {small.reach}: how alike are the two, what does PE(0)·PE(p) do?"),
            (Option(T("一路下降", "falls"),
                    lambda m: at_least(-sum(b > a for a, b in zip(
                        m.small.dots[:12], m.small.dots[1:], strict=True)), 0),
                    T("以为越远越不像。快的表针转回来时，又像了。",
                      "expects further to be less alike. When the fast hands come round again, "
                      "it is more.")),
             Option(T("降下去，又升回来", "falls, then rises"),
                    lambda m: above(m.small.again, m.small.lowest + 0.5)),
             Option(T("一直不变", "stays"),
                    lambda m: below(max(m.small.dots) - min(m.small.dots), 0.5),
                    T("把“每个编码一样长”当成了“一样像”。",
                      "takes “all equally long” for “all alike”.")),
             Option(T("马上接近零", "near zero at once"),
                    lambda m: below(max(abs(x) for x in m.small.dots[1:]), 1),
                    T("把位置编码当成 one-hot。慢的表针几乎没动，所以点积很大。",
                      "takes the codes for one-hot. The slow hands have hardly moved, so the "
                      "product is large."))),
            answer=Claim("falls_and_rises", T(
                "降到 {small.lowest}（p = {small.at_lowest}），p = {small.at_again} 又升到 "
                "{small.again}：最快的表针 {small.turn.0} 格转一圈，回来了。",
                "Down to {small.lowest} at p = {small.at_lowest}, up to {small.again} at "
                "p = {small.at_again}: the fastest hand, round in {small.turn.0} places, is back."),
                lambda m: both(above(m.small.again, m.small.lowest + 0.5),
                               near(m.small.at_again, m.small.turn[0], 0.5),
                               near(2 * m.small.at_lowest, m.small.turn[0], 1)),
                "slow_hands", kind="example")),
        Question(
            T("PE(5)·PE(2) 和 PE(13)·PE(10) 相比（宽 {width}）？",
              "PE(5)·PE(2) against PE(13)·PE(10), width {width}?"),
            (Option(T("相等", "equal"),
                    lambda m: both(near(m.dots.near, m.dots.later, 1e-9),
                                   above(abs(m.dots.near), 1))),
             Option(T("后者大", "the second is larger"),
                    lambda m: above(m.dots.later - m.dots.near, 1e-9),
                    T("以为编码随位置变大。每个编码一样长。",
                      "expects codes that grow with the place. All are equally long.")),
             Option(T("后者小", "the second is smaller"),
                    lambda m: above(m.dots.near - m.dots.later, 1e-9),
                    T("以为远处渐渐糊掉。只看两个位置之间转过多少。",
                      "expects far places to blur. Only the turn between the two counts.")),
             Option(T("都接近零", "both near zero"),
                    lambda m: below(max(abs(m.dots.near), abs(m.dots.later)), 1),
                    T("把位置编码当成 one-hot。", "takes the codes for one-hot."))),
            answer=Claim("same_distance", T(
                "都是 {dots.near}：sin·sin + cos·cos = cos(ω(p-q))，只剩距离。自己和自己是 "
                "{dots.itself}。",
                "Both {dots.near}: sin·sin + cos·cos = cos(ω(p-q)), so the distance alone is "
                "left. A place with itself has {dots.itself}."),
                lambda m: both(near(m.dots.near, m.dots.later, 1e-9),
                               above(m.dots.itself, m.dots.near + 1)),
                "drawn_table", kind="identity"), more=True)),
    pins={"shifts.*.error": ROUNDING, "shifts.*.orthogonal": ROUNDING,
          "dims.*.dim": exact("a number of the list"), "*": close(
              "deterministic sines: libraries differ in the last bits", 1e-9, 1e-9)},
    errata=ERRATA["sinusoids"],
    notes=T(
        "约 6 分钟。先投票，请学生看第一行的 ω_j 猜。争论点：为什么是“加”而不是“接”在词向量后面？"
        "（加省宽度；训练可以把两者放进不同的方向。）讲义的图（整张表、四个位置、五维）在 --export "
        "的网页里，数在 --more 里。试试 --set 2.pairs=32。",
        "About 6 minutes. Vote first; let the class guess from the row of ω_j. The argument: why "
        "add the code instead of appending it? (Adding saves width; training can keep the two in "
        "different directions.) The notes' figures (the table, four places, five dims) are on the "
        "exported page, their numbers behind --more. Try --set 2.pairs=32."),
)
