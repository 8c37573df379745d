"""04.1 A soft dictionary look-up: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d04_attention.errata import ERRATA
from demos.d04_attention.lesson import LOOKUP_CONTROLS, look_up
from lecture.margins import above, below, both, every, near, rows, same
from lecture.quantities import Across, Group, Named, Rows
from lecture.report import (
    ARITHMETIC,
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
    exact,
)

KEYS = (T("颜色", "col."), T("数字", "num."), T("地点", "place"), T("颜+数", "c+n"))
QUANTITIES = {
    **{f"queries.*.weights.{i}": Quantity(name, ".2f") for i, name in enumerate(KEYS)},
    "queries.*.value": Quantity(T("取回", "value"), ".1f"),
    "example.scores.*": Quantity(T("分数 β q·k", "score β q·k"), "g"),
    "example.exps.*": Quantity(T("e^分数", "e^score"), ".4g"),
    "example.weights.*": Quantity(T("权重", "weight"), ".2f"),
    "example.total": Quantity(T("合计", "sum"), ".3f"),
    "example.value": Quantity(T("取回", "value"), ".1f"),
    "betas.*": Quantity(T("β", "β"), "g"), "keys.*": Quantity(T("键", "key"), "g"),
    "values.*": Quantity(T("值", "value"), "g"), "plain.*": Quantity(T("值", "value"), "g"),
    "shifted.by": Quantity(T("加", "added"), "g"),
    "empty.*": Quantity(T("空键", "null key"), ".2f"),
    "smallest": Quantity(T("最小", "smallest"), ".0e"),
    "ladder.scores.*": Quantity(T("分数", "score"), "g"),
    "ladder.lowest": Quantity(T("权重", "weight"), ".4f"),
    "blind.*": Quantity(T("取回", "value"), "g"),
}
NAMES = {
    "queries.colour": T("像颜色", "like colour"), "queries.place": T("像地点", "like place"),
    "queries.both": T("两者都像", "like both"), "queries.nothing": T("谁都不像", "like nothing"),
    "queries.opposite": T("与两者相反", "unlike both"),
    **{f"example.*.{i}": name for i, name in enumerate(KEYS)},
}
WEIGHTS = tuple(f"weights.{i}" for i in range(4))


def look_ups(sharpness: str) -> tuple[str, ...]:
    """The columns of one β: four weights and the value."""
    return tuple(f"{sharpness}.{leaf}" for leaf in (*WEIGHTS, "value"))


LEAD = (
    Paragraph(T(
        "字典四条，值 {values.0}、{values.1}、{values.2}、{values.3}；键是三个数：颜色 "
        "({keys.colour.0},{keys.colour.1},{keys.colour.2})、数字 "
        "({keys.number.0},{keys.number.1},{keys.number.2})、地点 "
        "({keys.place.0},{keys.place.1},{keys.place.2})、颜色+数字 "
        "({keys.both.0},{keys.both.1},{keys.both.2})。普通字典要键一字不差才给值，否则报错。"
        "注意力拿查询 q 和每个键比，越像权重越大，取回的是各个值的加权平均：",
        "Four entries with the values {values.0}, {values.1}, {values.2}, {values.3}; keys: "
        "colour ({keys.colour.0},{keys.colour.1},{keys.colour.2}), number "
        "({keys.number.0},{keys.number.1},{keys.number.2}), place "
        "({keys.place.0},{keys.place.1},{keys.place.2}), colour+number "
        "({keys.both.0},{keys.both.1},{keys.both.2}). A plain dictionary wants the very key, or "
        "fails. Attention compares the query q with every key: the more alike, the more weight; "
        "back comes the weighted mean of the values:")),
    Paragraph(T(
        "    softmax(Q K^T / √d) V      一行一个查询、键、值；d 是一个查询有几个数\n"
        "这一部分把 1/√d 换成可调的 β。例：q = ({example.query.0:g},{example.query.1:g},"
        "{example.query.2:g})“像地点”，β = {betas.soft}：",
        "    softmax(Q K^T / √d) V      rows: queries, keys, values; q has d numbers\n"
        "Here β stands for 1/√d. Example: q = ({example.query.0:g},{example.query.1:g},"
        "{example.query.2:g}), like place, β = {betas.soft}:")),
    Across(("example.scores", "example.exps", "example.weights"), ("0", "1", "2", "3"),
           rule=False),
    Paragraph(T(
        "e^分数的合计是 {example.total}，权重 = e^分数 / {example.total}。取回 "
        "({example.exps.0}×{values.0} + {example.exps.1}×{values.1} + "
        "{example.exps.2}×{values.2} + {example.exps.3}×{values.3}) / {example.total} = "
        "{example.value}",
        "The sum is {example.total}, weight = e^score / {example.total}. Back comes "
        "({example.exps.0}×{values.0} + {example.exps.1}×{values.1} + "
        "{example.exps.2}×{values.2} + {example.exps.3}×{values.3}) / {example.total} = "
        "{example.value}")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "queries.*", (Group(T("β = {betas.soft}", "β = {betas.soft}"), look_ups("soft")),
                      Group(T("β = {betas.sharp}", "β = {betas.sharp}"), look_ups("sharp"))),
        head=T("查询", "query"),
        title=T("给四条的权重，和取回的值", "Weight on the four entries, and the value returned"))
    yield Rows("queries.*", (Group(T("β = {betas.extreme}", "β = {betas.extreme}"),
                                   look_ups("extreme")),), head=T("查询", "query"), more=True)


PART = Part(
    number=1, key="lookup",
    title=T("软的字典查找", "A soft dictionary look-up"),
    compute=look_up, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"beta": Param(10.0, 0.0, 1000.0, about=T("查找有多锐利", "how sharp the look-up is"))},
    controls=LOOKUP_CONTROLS,
    claims=(
        Claim("soft", T(
            "普通字典对“像颜色”只给 {plain.colour}；注意力在 β = {betas.soft} 时给 "
            "{queries.colour.soft.value}，因为另外三条也分到权重，它们的值混了进来。",
            "For “like colour” a plain dictionary gives {plain.colour}; attention at "
            "β = {betas.soft} gives {queries.colour.soft.value}, since the other three get weight "
            "too and their values are mixed in."),
            lambda m: both(above(m.queries.colour.soft.value, m.plain.colour + 1),
                           every(above(w, 0.01) for w in m.queries.colour.soft.weights),
                           near(m.queries.colour.soft.value,
                                sum(w * v for w, v in zip(m.queries.colour.soft.weights,
                                                          m.values, strict=True)), 1e-9)),
            "hard", kind="example", given=("betas.soft",)),
        Claim("sharp", T(
            "β 放大分数的差距：“像颜色”给颜色的权重从 {queries.colour.soft.weights.0} 升到 "
            "{queries.colour.sharp.weights.0}，接近硬查找；“谁都不像”四个分数相等，没有差距可放大，"
            "一直是 {queries.nothing.sharp.weights.0}。",
            "β stretches gaps: “like colour” puts {queries.colour.soft.weights.0} on colour, then "
            "{queries.colour.sharp.weights.0}, nearly a hard look-up; “like nothing” has no gap to "
            "stretch and stays at {queries.nothing.sharp.weights.0}."),
            lambda m: both(
                above(m.queries.colour.sharp.weights[0], m.queries.colour.soft.weights[0] + 0.2),
                above(m.queries.colour.sharp.weights[0], 0.9),
                same([w for cell in rows(m.queries.nothing) for w in cell.weights], 1e-9)),
            "beta_ignored", kind="example"),
        Claim("only_gaps", T(
            "只有差距起作用：四个分数都加 {shifted.by}，权重不变，因为 e^{shifted.by} 上下约掉。",
            "Only gaps count: add {shifted.by} to all four scores, e^{shifted.by} cancels, and no "
            "weight changes."),
            lambda m: both(above(m.shifted.by, 1), below(m.shifted.change, 1e-12)),
            "no_softmax", kind="identity"),
        Claim("null_key", T(
            "要让它能说“没找到”，加一个空键（值 0，分数总是 β/2）：相反的查询取回 {empty.value}，"
            "空键拿走 {empty.weight}。",
            "To let it say “not found”, add a null key (value 0, score always β/2): the opposite "
            "query gets {empty.value} back, and the null key takes {empty.weight}."),
            lambda m: both(above(m.empty.weight, 0.9), below(m.empty.value, 1)),
            "beta_ignored", kind="example", more=True),
        Claim("never_zero", T(
            "没有掩码，没有一个权重正好是零：表里最小的是 {smallest}；分数 {ladder.scores.0} 到 "
            "{ladder.scores.5}，最末的也有 {ladder.lowest}。",
            "Without a mask no weight is exactly zero: the smallest in the tables is {smallest}; "
            "of the scores {ladder.scores.0} to {ladder.scores.5} the last still gets "
            "{ladder.lowest}."),
            lambda m: both(m.smallest, m.ladder.lowest), "hard", kind="example", more=True,
            given=("ladder.scores.*",)),
    ),
    caveat=T(
        "键和查询这里是手写的；真模型里 q = x W_Q，W_Q 从数据里学（演示 05）。",
        "Set by hand; a real model learns the W_Q of q = x W_Q (demo 05)."),
    further=T(
        "权重不等于“原因”：值是 {blind.values.0}、{blind.values.1}、{blind.values.2} 时，三组很不"
        "一样"
        "的权重取回的都是 {blind.answers.0}。",
        "A weight is not a reason: over the values {blind.values.0}, {blind.values.1} and "
        "{blind.values.2} three very different sets of weights all return {blind.answers.0}."),
    questions=(Question(
        T("q = (-1,-1,0)，与“颜色”“数字”都相反，β = {beta:g}。取回多少？",
          "q = (-1,-1,0), opposite to colour and number, β = {beta:g}: what comes back?"),
        (Option(T("零，没找到", "zero"),
                lambda m: near(m.queries.opposite.sharp.value, 0, 0.5),
                T("以为不像就等于“没有结果”。权重总要分完这个“一”。",
                  "takes low similarity for “no result”. The whole weight of one is always given "
                  "away.")),
         Option(T("{values.3:g}，最后一条的值", "{values.3:g}, the last entry"),
                lambda m: near(m.queries.opposite.sharp.value, m.values[3], 0.5),
                T("把兼有两者的那条当成最像；它的分数恰恰最低。",
                  "takes the entry that is both for the likeliest; its score is the lowest.")),
         Option(T("{values.2:g}，几乎全给地点", "{values.2:g}, mostly place"),
                lambda m: near(m.queries.opposite.sharp.value, m.values[2], 0.5)),
         Option(T("负数", "negative"), lambda m: -m.queries.opposite.sharp.value,
                T("以为负分数变成负权重。指数函数的结果总是正的。",
                  "lets a negative score become a negative weight. An exponential is always "
                  "positive."))),
        answer=Claim("opposite", T(
            "取回 {queries.opposite.sharp.value}：别的分数是负的，地点的 {opposite.2:g} 反而最高，"
            "拿走 {queries.opposite.sharp.weights.2:.4f}。权重总要分完，注意力说不出“没找到”。",
            "{queries.opposite.sharp.value}: the other scores are negative, so place's "
            "{opposite.2:g} is the highest and takes {queries.opposite.sharp.weights.2:.4f}. All "
            "weight must go somewhere: it cannot say “not found”."),
            lambda m: both(above(m.queries.opposite.sharp.weights[2], 0.99),
                           near(m.queries.opposite.sharp.value, m.values[2], 0.1),
                           every(below(m.opposite[i], m.opposite[2]) for i in (0, 1, 3)),
                           near(sum(m.queries.opposite.sharp.weights), 1, 1e-9)),
            "null_key", kind="example")),),
    pins={"shifted.change": ROUNDING, "plain.*": exact("a dictionary's answer"),
          "*": ARITHMETIC},
    errata=ERRATA["lookup"],
    notes=T(
        "约 6 分钟。先投票，再看表；请一位学生照着例子把“像颜色”那一行算一遍。争论点：怎样才能让注"
        "意力"
        "说“没找到”？（加一个空键：--more 里有，第 4 部分就用了。）试试 --set 1.beta=1000：最小的"
        "权重"
        "在 64 位浮点里下溢成零，“没有一个正好是零”就不成立了，正好谈谈数学和机器的差别。",
        "About 6 minutes. Vote, then the table; let a student work out the row “like colour” as "
        "the "
        "example does. The argument: how could attention say “not found”? (With a null key: "
        "--more has it, part 4 uses one.) Try --set 1.beta=1000: the smallest weight underflows "
        "in float64 and “no weight is exactly zero” stops being true, a good moment for "
        "mathematics against machines."),
)
