"""07.4 Longer than trained: what a person meets.

Longer than 250 lines because three trained comparisons stand here: four kinds of positions,
the stretchings of RoPE, and two copiers, each with its claims.
"""

from __future__ import annotations

from collections.abc import Iterator

from demos.d07_positions.errata import ERRATA
from demos.d07_positions.lesson import COPIERS, KINDS, LONGER_CONTROLS, go_longer
from demos.d07_positions.words import TRAINED
from lecture.margins import above, at_least, below, both, equal, every, near, rises
from lecture.quantities import Across, Group, Named, Rows
from lecture.report import (
    ARITHMETIC,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    close,
    exact,
)

BLOCKS, WAYS = tuple(range(8)), ("plain", "ntk", "million", "hundred_million", "interpolated",
                                 "rounded")
DISTANCES = tuple(f"at_{n}" for n in (0, 1, 2, 4, 8, 16, 32, 64, 128))
POSITIONAL = KINDS[:3]
QUANTITIES = {
    **{f"*.blocks.{i}": Quantity(T(f"到 {16 * i + 15}", f"to {16 * i + 15}"), ".2f")
       for i in BLOCKS},
    "places.*.holds_to": Quantity(T("位置", "place"), "d"),
    "places.*": Quantity(T("对", "right"), ".2f"),
    "stretched.*.to_64.near": Quantity(T("3 格前", "3 back"), ".2f"),
    "stretched.*.to_64.wide": Quantity(T("6 格前", "6 back"), ".2f"),
    "stretched.*.to_128.near": Quantity(T("3 格前", "3 back"), ".2f"),
    "stretched.*.base": Quantity(T("底数", "base"), ",.0f"),
    **{f"record.stretched.*.others.{i}": Quantity(T(str(i + 1), str(i + 1)), ".2f")
       for i in range(4)},
    "copying.*.short": Quantity(T("训练的长度", "as trained"), ".2f"),
    "copying.*.long": Quantity(T("更长、更远", "longer, further"), ".2f"),
    "record.long.*.low": Quantity(T("最低", "low"), ".2f"),
    "record.long.*.high": Quantity(T("最高", "high"), ".2f"),
    "record.wide.*": Quantity(T("6 格前", "6 back"), ".2f"),
    "record.end.*": Quantity(T("末段", "last block"), ".2f"),
    "record.*": Quantity(T("种子", "seeds"), "d"),
    "biases.rope.*": Quantity(T("RoPE：q·k 乘以", "RoPE: q·k times"), ".2f"),
    "biases.alibi.*": Quantity(T("ALiBi：加上", "ALiBi: adds"), "g"),
    "biases.t5.*": Quantity(T("T5：加第几个数", "T5: adds number"), "d"),
    "biases.*": Quantity(T("数", "count"), "d"),
    "table_rows.count": Quantity(T("行", "rows"), "d"),
    "table_rows.*": Quantity(T("长度", "length"), ".2f"),
    "chance": Quantity(T("乱猜", "guessing"), ".2f"),
    "parameters": Quantity(T("参数", "parameters"), ",d"),
    "ntk.*": Quantity(T("底数", "base"), ",.0f"),
    "rounding.*": Quantity(T("位置", "places"), "d"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "places.learned": T("可学习的表", "learned"), "places.sinusoidal": T("正弦", "sinusoidal"),
    "places.none": T("没有", "none"), "places.rope": T("RoPE", "RoPE"),
    **{f"record.rope.seed_{s}": T(f"RoPE，种子 {s}（记录）", f"RoPE, seed {s} (rec.)")
       for s in range(1, 5)},
    "stretched.plain": T("原样，底数 {stretched.plain.to_128.base}",
                         "as it is, {stretched.plain.to_128.base}"),
    "stretched.ntk": T("NTK，{stretched.ntk.to_64.base}、{stretched.ntk.to_128.base}",
                       "NTK, {stretched.ntk.to_64.base}, {stretched.ntk.to_128.base}"),
    "stretched.million": T("底数 {stretched.million.to_128.base}",
                           "base {stretched.million.to_128.base}"),
    "stretched.hundred_million": T("底数 {stretched.hundred_million.to_128.base}",
                                   "base {stretched.hundred_million.to_128.base}"),
    "stretched.interpolated": T("位置插值", "interpolated"),
    "stretched.rounded": T("位置插值，取整", "interpolated, rounded"),
    "copying.no_positions": T("没有位置", "no positions"), "copying.with_rope": T("RoPE", "RoPE"),
    **{f"biases.*.{d}": T(d[3:], d[3:]) for d in DISTANCES},
}
LEAD = (
    Paragraph(T(
        "任务：每一步说出 {delay} 个词以前的那个词（{words} 个词里随机抽，乱猜得 {chance}）。例："
        "甲 乙 丙 丁，读到丁说甲。四个两层的小模型只差位置怎么给，都在长度 {trained_at} 上训练，"
        "考到 {longest}。",
        "The task: at every step say the word of {delay} places ago, drawn from {words} "
        "(guessing gets {chance}). Example: A B C D, at D say A. Four models of two layers differ "
        "in how positions are given; trained at length {trained_at}, asked up to {longest}.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        ("places.learned", "places.sinusoidal", "places.none", "places.rope", "record.rope.*"),
        tuple(f"blocks.{i}" for i in BLOCKS), head=T("位置", "positions"),
        title=T("说对的比例，{block} 个词一段，“到”是段末的位置（前 {trained_at} 个训练过）",
                "Share right in blocks of {block} words; “to” is a block's last place (the first "
                "{trained_at} are trained)"),
        legend=T("{record.seeds} 个种子里，末段比表里这个 RoPE 低的有 {record.lower} 个。",
                 "Of {record.seeds} seeds, {record.lower} ends below the RoPE shown here."))
    yield Rows(
        tuple(f"stretched.{way}" for way in WAYS),
        (Group(T("长度 {middle}", "length {middle}"), ("to_64.near", "to_64.wide")),
         Group(T("长度 {longest}", "length {longest}"), ("to_128.near",)),
         Group(T("{longest}，种子（记录）", "{longest}, seed (recorded)"),
               tuple(f"/record.stretched.*.others.{i}" for i in range(4)))),
        head=T("RoPE，不再训练", "RoPE, trained no further"),
        title=T("拉伸：位置插值把位置除以 s = 长度/{trained_at}；NTK（神经正切核）把底数乘 s^(d/(d-"
                "2))",
                "Stretching: interpolation divides places by s = length/{trained_at}; NTK (neural "
                "tangent kernel) multiplies the base by s^(d/(d-2))"))
    yield Rows("copying.*", ("short", "long", Group(T("{record.seeds} 个种子", "{record.seeds} "
                                                                               "seeds"),
                                                    ("/record.long.*.low", "/record.long.*.high"))),
               head=T("两层，抄名单", "two layers, copying lists"), more=True)
    yield Across(("biases.rope", "biases.alibi", "biases.t5"), DISTANCES, more=True,
                 head=T("距离", "distance"),
                 title=T("分数随距离怎样变。RoPE：q = k，全是 1；ALiBi：一个头；T5："
                         "{biases.numbers} 个学来的数",
                         "What distance does to a score. RoPE: q = k, all ones; ALiBi: one head; "
                         "T5: {biases.numbers} learned numbers"))


PART = Part(
    number=4, key="longer",
    title=T("比训练时更长", "Longer than trained"),
    compute=go_longer, describe=blocks, lead=LEAD, quantities=QUANTITIES, names=NAMES,
    recipes=(*(f"places_{kind}" for kind in KINDS), *COPIERS),
    controls=LONGER_CONTROLS,
    claims=(
        Claim("within", T(
            "训练过的长度里三种都学会了（最低 {places.sinusoidal.near}）。没有位置的只有 "
            "{places.none.near}，也高于乱猜的 {chance}。",
            "Within the trained length all three kinds work (lowest {places.sinusoidal.near}). "
            "Without positions it is {places.none.near}, if still above the {chance} of "
            "guessing."),
            lambda m: both(*(above(m.places[k].near, 0.98) for k in POSITIONAL),
                           *(above(m.places[k].near + 0.005, m.places.sinusoidal.near)
                             for k in POSITIONAL),
                           above(0.5, m.places.none.near),
                           above(m.places.none.near, 1.5 * m.chance)),
            "all_at_one_place"),
        Claim("interpolation", T(
            "位置除以二，它说的成了 {wide} 格前的词（{stretched.interpolated.to_64.wide}）：一格变"
            "成"
            "半格，尺子长了一倍。{delay} 格前的只剩 {stretched.interpolated.to_64.near}。",
            "Places halved, it says the word {wide} back ({stretched.interpolated.to_64.wide}): a "
            "place is now half a place, the ruler twice as long. The word {delay} back is said in "
            "{stretched.interpolated.to_64.near}."),
            lambda m: both(above(m.stretched.interpolated.to_64.wide, 0.8),
                           below(m.stretched.interpolated.to_64.near, 0.2),
                           above(m.record.wide.interpolated.low, 0.8),
                           equal(m.wide, 2 * m.delay)),
            "stretched_by_base"),
        Claim("another_base", T(
            "换底数，越慢的对放慢得越多，最快的不变：长度 {longest} 时从 "
            "{stretched.plain.to_128.near} 升到 {stretched.ntk.to_128.near}（NTK），换得太大又掉到 "
            "{stretched.hundred_million.to_128.near}。各个种子都是这样。",
            "Another base leaves the fastest pair and slows the slow ones most: at {longest}, "
            "{stretched.plain.to_128.near} becomes {stretched.ntk.to_128.near} (NTK); too large a "
            "base, {stretched.hundred_million.to_128.near}. So in every seed."),
            lambda m: both(above(m.stretched.ntk.to_128.near, m.stretched.plain.to_128.near + 0.05),
                           above(m.stretched.plain.to_128.near,
                                 m.stretched.hundred_million.to_128.near + 0.05),
                           near(m.ntk.slower[0], 1, 1e-9), rises(m.ntk.slower),
                           at_least(m.record.sweep, m.record.seeds)),
            "stretched_by_places", given=("longest",)),
        Claim("untouched", T(
            "可学习的表有 {table_rows.count} 行，训练只用到前 {trained_at} 行：平均长度 "
            "{table_rows.trained}，其余 {table_rows.beyond}，和刚抽出来时（{table_rows.drawn}）一"
            "样。",
            "The learned table has {table_rows.count} rows; training reached the first "
            "{trained_at}: mean length {table_rows.trained}, the others {table_rows.beyond}, as "
            "when they were drawn ({table_rows.drawn})."),
            lambda m: both(above(m.table_rows.trained, 2 * m.table_rows.beyond),
                           near(m.table_rows.beyond, m.table_rows.drawn,
                                0.1 * m.table_rows.drawn)),
            "untrained", given=("table_rows.count", "trained_at"), more=True),
        Claim("carries", T(
            "RoPE 也不是处处能外推。抄名单：更长、两遍隔得更远，没有位置的抄对 "
            "{copying.no_positions.long}，RoPE 的 {copying.with_rope.long}；{record.seeds} 个种子"
            "里 "
            "{record.carries} 个是这个次序。",
            "RoPE does not extrapolate everywhere. Lists longer and further apart: without "
            "positions {copying.no_positions.long} is copied, with RoPE "
            "{copying.with_rope.long}; in this order in {record.carries} of {record.seeds} "
            "seeds."),
            lambda m: both(above(m.copying.no_positions.long, m.copying.with_rope.long + 0.1),
                           at_least(m.record.carries, m.record.seeds)),
            "no_longer_lists", more=True),
        Claim("biases", T(
            "另外两种不动 q、k，给分数加一个数。ALiBi（Press 等 2022）每远一格多扣一份；T5（Raffel "
            "等 2020）只有 {biases.alone} 个距离各有一个数，{biases.last_from} 往后共用一个。",
            "Two others leave q and k alone and add to the score. ALiBi (Press et al. 2022) takes "
            "off the same again with each place; in T5 (Raffel et al. 2020) {biases.alone} "
            "distances have a number of their own, from {biases.last_from} on all share one."),
            lambda m: both(near(m.biases.alibi.at_128, 2 * m.biases.alibi.at_64, 1e-9),
                           below(m.biases.alibi.at_128, m.biases.alibi.at_64),
                           below(m.biases.alone, m.biases.numbers),
                           below(m.biases.last_from, 128)),
            "a_number_each", kind="example", more=True),
    ),
    caveat=T(
        "玩具：一个要数准格子的任务，{parameters} 个参数；讲义说的 512 到 2048 没有跑。论文里插值之"
        "后还要训练一小段（Chen 等 2023）。",
        "A toy: one task of exact counting, {parameters} parameters; 512 to 2048, as in the "
        "notes, is not run. In the paper a little training follows interpolation (Chen et al. "
        "2023)."),
    questions=(
        Question(
            T("都在长度 {trained_at} 上训练。再往后，谁最后掉下来？",
              "All trained at length {trained_at}. Further on, which falls last?"),
            (Option(T("可学习的表", "learned"),
                    lambda m: above(m.places.learned.holds_to,
                                    max(m.places[k].holds_to for k in ("sinusoidal", "rope"))),
                    T("以为表里有那些行就够了。那些行没有训练过。",
                      "thinks rows in a table are enough. Those rows were never trained.")),
             Option(T("正弦", "sinusoidal"),
                    lambda m: above(m.places.sinusoidal.holds_to,
                                    max(m.places[k].holds_to for k in ("learned", "rope"))),
                    T("把“处处有定义”当成“会推广”。", "takes “defined” for “generalises”.")),
             Option(T("RoPE", "RoPE"),
                    lambda m: above(m.places.rope.holds_to,
                                    max(m.places[k].holds_to for k in ("learned", "sinusoidal")))),
             Option(T("一起掉", "all at once"),
                    lambda m: equal(max(m.places[k].holds_to for k in POSITIONAL),
                                    min(m.places[k].holds_to for k in POSITIONAL)),
                    T("以为超出训练长度必然垮掉。要看位置怎么给。",
                      "expects collapse whatever the code. It depends on how places are "
                      "given."))),
            answer=Claim("falls_last", T(
                "过了 {trained_at}，另两种掉到 {places.sinusoidal.blocks.2:.2f} 或更低；RoPE 读到 "
                "{middle} 个"
                "词还有 {places.rope.blocks.3:.2f}。可它也在掉：末段没有一个种子超过 "
                "{record.end.high:.2f}。",
                "Past {trained_at} the two others drop to {places.sinusoidal.blocks.2:.2f} or "
                "less; up to "
                "{middle} words RoPE has {places.rope.blocks.3:.2f}. But it falls too: in the "
                "last block "
                "no seed has more than {record.end.high:.2f}."),
                lambda m: both(
                    every(below(b, 0.3) for k in ("learned", "sinusoidal")
                          for b in m.places[k].blocks[2:]),
                    every(below(b, m.places.sinusoidal.blocks[2] + 0.005)
                          for k in ("learned", "sinusoidal") for b in m.places[k].blocks[2:]),
                    above(m.places.rope.blocks[3], 0.9),
                    below(m.places.rope.blocks[7], m.places.rope.blocks[3] - 0.2),
                    below(m.record.end.high, 0.8),
                    at_least(m.record.furthest, m.record.seeds)),
                "all_at_one_place", given=("trained_at", "middle"))),
        Question(
            T("位置插值（除以二），再取整：每两个词挤在一格。说 {wide} 格前的比例？",
              "Interpolated (halved) and rounded, two words to a place: the share saying the word "
              "{wide} back?"),
            (Option(T("不变", "as before"),
                    lambda m: above(m.stretched.rounded.to_64.wide,
                                    m.stretched.interpolated.to_64.wide - 0.1),
                    T("忘了取整会让邻居撞在一起。",
                      "forgets that rounding makes neighbours meet.")),
             Option(T("掉到一半左右", "about half of it"),
                    lambda m: near(m.stretched.rounded.to_64.wide
                                   / m.stretched.interpolated.to_64.wide, 0.5, 0.15)),
             Option(T("掉到乱猜", "no better than guessing"),
                    lambda m: below(m.stretched.rounded.to_64.wide, 2 * m.chance),
                    T("以为取整把什么都抹平。还剩一半左右。",
                      "thinks rounding flattens everything. About half is left."))),
            answer=Claim("rounding", T(
                "从 {stretched.interpolated.to_64.wide} 掉到 {stretched.rounded.to_64.wide}"
                "（{record.seeds} 个种子里最高 {record.wide.rounded.high}）。",
                "From {stretched.interpolated.to_64.wide} to {stretched.rounded.to_64.wide} (at "
                "most {record.wide.rounded.high} in {record.seeds} seeds)."),
                lambda m: both(below(m.stretched.rounded.to_64.wide,
                                     m.stretched.interpolated.to_64.wide - 0.2),
                               below(m.record.wide.rounded.high,
                                     m.record.wide.interpolated.low - 0.2)),
                "no_rounding", given=("record.seeds",)), more=True)),
    pins={"record.*": close("a record, averaged", 1e-9), "trained_at": exact("a setting"),
          "ntk.*": ARITHMETIC, "rounding.*": exact("counts"), "biases.*": ARITHMETIC,
          "table_rows.*": TRAINED, "stretched.*.base": ARITHMETIC,
          "*": close("counts of the shipped models, divided", 1e-9)},
    errata=ERRATA["longer"],
    notes=T(
        "约 10 分钟。先投票，看第一张表；问第二张表里哪一行最好、为什么 6 格前那一列会亮。争论点："
        "那为什么大家还用插值？（论文报告，接着训练一千步以内，尺子就重新标好了。）取整的一票在 "
        "--more 里。试试 --seed 1：换一批词，训练好的模型不变。",
        "About 10 minutes. Vote, then the first table; ask which row of the second is best, and "
        "why the column 6 back lights up. The argument: why does anybody interpolate, then? (The "
        "paper reports that under a thousand steps of further training mark the ruler anew.) The "
        "vote on rounding is behind --more. Try --seed 1: other words, the same trained models."),
)
