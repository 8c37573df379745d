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
        "一本四条的字典，值是 {values.0}、{values.1}、{values.2}、{values.3}；键各是三个数：颜色 "
        "({keys.colour.0},{keys.colour.1},{keys.colour.2})、数字 ({keys.number.0},"
        "{keys.number.1},{keys.number.2})、地点 ({keys.place.0},{keys.place.1},{keys.place.2})、"
        "颜色+数字 ({keys.both.0},{keys.both.1},{keys.both.2})。一般的字典，键要完全相同才查得到。"
        "注意力不挑：查询 q 同每个键做点积，点积大的权重大，取回四个值按权重的平均：",
        "Four entries, values {values.0}, {values.1}, {values.2}, {values.3}; keys: colour ("
        "{keys.colour.0},{keys.colour.1},{keys.colour.2}), number ({keys.number.0},"
        "{keys.number.1},{keys.number.2}), place ({keys.place.0},{keys.place.1},"
        "{keys.place.2}), colour+number ({keys.both.0},{keys.both.1},{keys.both.2}). An "
        "ordinary dictionary finds the very same key or nothing. Attention takes the dot "
        "product of the query q with each key; the larger, the more weight; it returns the "
        "mean of the values by weight:")),
    Paragraph(T(
        "    softmax(Q K^T / √d) V      每行是一个查询、键、值；一个查询有 d 个数\n"
        "先把 1/√d 换成一个可调的数 β。例：q = ({example.query.0:g},{example.query.1:g},"
        "{example.query.2:g})，“像地点”，β = {betas.soft}：",
        "    softmax(Q K^T / √d) V      a row is a query, a key, a value; q has d numbers\n"
        "With a free number β for 1/√d, and q = ({example.query.0:g},{example.query.1:g},"
        "{example.query.2:g}), like place, β = {betas.soft}:")),
    Across(("example.scores", "example.exps", "example.weights"), ("0", "1", "2", "3"),
           rule=False),
    Paragraph(T(
        "e^分数合计 {example.total}，各除以它就是权重。取回 ({example.exps.0}×{values.0} + "
        "{example.exps.1}×{values.1} + {example.exps.2}×{values.2} + {example.exps.3}×{values.3}) "
        "/ {example.total} = {example.value}",
        "e^score sums to {example.total}; each over that is a weight. Returned: ("
        "{example.exps.0}×{values.0} + {example.exps.1}×{values.1} + {example.exps.2}×"
        "{values.2} + {example.exps.3}×{values.3}) / {example.total} = {example.value}")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "queries.*", (Group(T("β = {betas.soft}", "β = {betas.soft}"), look_ups("soft")),
                      Group(T("β = {betas.sharp}", "β = {betas.sharp}"), look_ups("sharp"))),
        head=T("查询", "query"),
        title=T("每条分到的权重，和取回的值", "Weight of each entry, and the value returned"))
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
            "“像颜色”就是颜色的键：一般的字典给 {plain.colour}，注意力在 β = {betas.soft} 时给 "
            "{queries.colour.soft.value}，因为另外三条也占了权重，它们的值掺了进来。",
            "“Like colour” is colour's own key: a dictionary gives {plain.colour}. Attention "
            "at β = {betas.soft} gives {queries.colour.soft.value}, as the other three have "
            "weight and their values mix in."),
            lambda m: both(above(m.queries.colour.soft.value, m.plain.colour + 1),
                           every(above(w, 0.01) for w in m.queries.colour.soft.weights),
                           near(m.queries.colour.soft.value,
                                sum(w * v for w, v in zip(m.queries.colour.soft.weights,
                                                          m.values, strict=True)), 1e-9)),
            "hard", kind="example", given=("betas.soft",)),
        Claim("sharp", T(
            "β 越大，差距拉得越开：“像颜色”给颜色的从 {queries.colour.soft.weights.0} 到 "
            "{queries.colour.sharp.weights.0}，快成硬查找了；“谁都不像”四个分数一样，没有差距可拉，"
            "各是 {queries.nothing.sharp.weights.0}。",
            "A larger β widens gaps: “like colour” gives colour "
            "{queries.colour.soft.weights.0}, then {queries.colour.sharp.weights.0}, nearly "
            "all; the four scores of “like nothing” are one and stay at "
            "{queries.nothing.sharp.weights.0} each."),
            lambda m: both(
                above(m.queries.colour.sharp.weights[0], m.queries.colour.soft.weights[0] + 0.2),
                above(m.queries.colour.sharp.weights[0], 0.9),
                same([w for cell in rows(m.queries.nothing) for w in cell.weights], 1e-9)),
            "beta_ignored", kind="example"),
        Claim("only_gaps", T(
            "算数的是分数之差：四个都加 {shifted.by}，分子分母都乘了 e^{shifted.by}，约掉，权重不"
            "变。",
            "Differences are all that counts: add {shifted.by} to all four scores, and e^"
            "{shifted.by} cancels; the weights stay."),
            lambda m: both(above(m.shifted.by, 1), below(m.shifted.change, 1e-12)),
            "no_softmax", kind="identity"),
        Claim("null_key", T(
            "怎样说“没找到”？多设一个空键，值 0，分数总是 β/2：对那个相反的查询，它拿走 "
            "{empty.weight}，取回 {empty.value}。",
            "How to say “not found”? Add a null key (value 0, score always β/2): for the "
            "opposite query it takes {empty.weight}, and {empty.value} is returned."),
            lambda m: both(above(m.empty.weight, 0.9), below(m.empty.value, 1)),
            "beta_ignored", kind="example", more=True),
        Claim("never_zero", T(
            "不加掩码，权重再小也不是零：表里最小的是 {smallest}；分数从 {ladder.scores.0} 排到 "
            "{ladder.scores.5}，垫底的还有 {ladder.lowest}。",
            "Without a mask a weight may be small, but not zero: the smallest in the tables is "
            "{smallest}; of the scores {ladder.scores.0} to {ladder.scores.5} the lowest still "
            "gets {ladder.lowest}."),
            lambda m: both(m.smallest, m.ladder.lowest), "hard", kind="example", more=True,
            given=("ladder.scores.*",)),
    ),
    caveat=T(
        "这里的键和查询由人写定；模型里 q = x W_Q，W_Q 是学来的（演示 05）。",
        "Keys and queries are set by hand; a model has q = x W_Q and learns W_Q (demo 05)."),
    further=T(
        "权重不等于“原因”：值是 {blind.values.0}、{blind.values.1}、{blind.values.2} 时，三组很不"
        "一样"
        "的权重取回的都是 {blind.answers.0}。",
        "A weight is not a reason: over the values {blind.values.0}, {blind.values.1} and "
        "{blind.values.2} three very different sets of weights all return {blind.answers.0}."),
    questions=(Question(
        T(
            "q = (-1,-1,0) 同“颜色”“数字”正相反，β = {beta:g}。取回的是？",
            "q = (-1,-1,0) is opposite to colour and number, β = {beta:g}. Returned:"),
        (Option(T("零：没找到", "zero: not found"),
                lambda m: near(m.queries.opposite.sharp.value, 0, 0.5),
                T(
                    "把“不像”当成“没有”。四个权重合计总是一。",
                    "takes “unlike” for “none”. The four weights always sum to one.")),
         Option(T("{values.3:g}，末一条的值", "{values.3:g}, the last one's"),
                lambda m: near(m.queries.opposite.sharp.value, m.values[3], 0.5),
                T("把兼有两者的那条当成最像；它的分数恰恰最低。",
                  "takes the entry that is both for the likeliest; its score is the lowest.")),
         Option(T("{values.2:g}，地点的值", "{values.2:g}, place's"),
                lambda m: near(m.queries.opposite.sharp.value, m.values[2], 0.5)),
         Option(T("负数", "negative"), lambda m: -m.queries.opposite.sharp.value,
                T("以为负分数变成负权重。指数函数的结果总是正的。",
                  "lets a negative score become a negative weight. An exponential is always "
                  "positive."))),
        answer=Claim("opposite", T(
            "{queries.opposite.sharp.value}：另外三条的分数是负的，地点的 {opposite.2:g} 成了最高，"
            "占去 {queries.opposite.sharp.weights.2:.4f}。权重总要分光，哪怕没有一条合适。",
            "{queries.opposite.sharp.value}: the other three scores are negative, place's "
            "{opposite.2:g} is the top and takes {queries.opposite.sharp.weights.2:.4f}. All "
            "the weight is given away, even if nothing fits."),
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
