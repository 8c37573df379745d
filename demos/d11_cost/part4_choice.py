"""11.4 RNN or Transformer, every row a number: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d11_cost.errata import ERRATA
from demos.d11_cost.lesson import CHOICE_CONTROLS, choose
from demos.d11_cost.words import COUNT, RATIO
from lecture.margins import above, at_least, below, both, equal, near, rises, same
from lecture.quantities import Named, Rows
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
)

N = tuple(T(f"n={{lengths.{i}}}", f"n={{lengths.{i}}}") for i in range(4))
COLUMNS = ("0", "1", "2", "3")
KINDS = {"recurrent": T("RNN", "RNN"), "transformer": T("Transformer", "Transformer"),
         "linear": T("线性注意力", "linear attention")}
ASKED = {"kept": T("记住的数", "kept"), "chain": T("排队", "in a row")}
QUANTITIES = {
    "lengths.*": Quantity(T("长度 n", "tokens n"), ",d"),
    **{f"models.*.each.{i}": Quantity(N[i], ".3f") for i in range(4)},
    **{f"models.*.{i}": Quantity(N[i], ",d") for i in range(4)},
    "kept_ratio": Quantity(T("倍", "times"), ",.0f"),
    "slope.*": Quantity(T("每个词", "a word"), ".1e"),
    "streams.*": Quantity(T("前面的输出移动", "earlier outputs move"), ".2g<1e-12"),
    "*": Quantity(T("数", "numbers"), ",d"),
}
NAMES = {
    **{f"models.{kind}.{key}": T(f"{asked.zh}：{name.zh}", f"{asked.en}: {name.en}")
       for key, asked in ASKED.items() for kind, name in KINDS.items()},
    **{f"models.{kind}.each": name for kind, name in KINDS.items()},
    "streams.causal": T("因果", "causal"), "streams.all_seeing": T("看全文", "all-seeing"),
}
LEAD = (
    Paragraph(T(
        "三种因果的层，同宽 d = {width}，各读 n 个词：\n"
        "    RNN             h_t = tanh(x_t W + h_t-1 U)，{models.recurrent.parameters.0} 个参数\n"
        "    Transformer 层  {heads} 个头加前馈，{models.transformer.parameters.0} 个参数\n"
        "    线性注意力的层  同样的矩阵，每个词把 f(k) v^T 加进状态\n"
        "大小不同，所以再读一个词的乘加按参数摊。例：RNN 做两次 d×d 的乘积，每个参数一次。排队：训"
        "练时最长有几次乘积要一个等一个。",
        "Three causal layers of width d = {width} read n words:\n"
        "    RNN                h_t = tanh(x_t W + h_t-1 U), {models.recurrent.parameters.0} "
        "parameters\n"
        "    Transformer layer  {heads} heads and MLP, {models.transformer.parameters.0} "
        "parameters\n"
        "    linear attention   the same matrices; each word adds f(k) v^T to a state\n"
        "Sizes differ, so one more word is priced per parameter. Example: an RNN does two products "
        "with d×d, one multiply-add each. In a row: products that must wait.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(("models.*.kept", "models.*.chain"), COLUMNS,
               head=T("一层", "one layer"))
    yield Rows("models.*.each", COLUMNS,
               head=T("再读一个词，每个参数几次乘加", "one more word, per parameter"))
    yield Rows("streams.*", ("moved",), head=T("来了一个新词", "one word more"), more=True)


PART = Part(
    number=4, key="choice",
    title=T("RNN 还是 Transformer：每一条都是一个数", "RNN or Transformer: every row a number"),
    compute=choose, describe=blocks, lead=LEAD, quantities=QUANTITIES, names=NAMES,
    params={"width": Param(512, 8, 8192, about=T("宽度", "width")),
            "heads": Param(8, 1, 128, about=T("头数", "heads")),
            "short": Param(10, 2, 2000, about=T("最短", "shortest")),
            "long": Param(10000, 5, 20000, about=T("最长", "longest"))},
    controls=CHOICE_CONTROLS,
    claims=(
        Claim("next_word", T(
            "再读一个词：RNN 每个参数总是 {models.recurrent.each.3} 次乘加；Transformer 从 "
            "{models.transformer.each.0} 涨到 {models.transformer.each.3}，因为要看的键越来越多。",
            "One more word: always {models.recurrent.each.3} multiply-adds a parameter for the "
            "RNN; from {models.transformer.each.0} up to {models.transformer.each.3} for the "
            "Transformer, since there are ever more keys."),
            lambda m: both(same(m.models.recurrent.each, 1e-9),
                           rises(m.models.transformer.each), rises(m.models.transformer.kept)),
            "linear_instead", kind="example"),
        Claim("steps", T(
            "训练时反过来：RNN 有 {models.recurrent.chain.3} 次乘积排成一队，一个词等一个词；"
            "Transformer 不论多长都是 {models.transformer.chain.3} 次。",
            "In training it is the other way round: in the RNN {models.recurrent.chain.3} products "
            "stand in a row, word after word; in the Transformer {models.transformer.chain.3} at "
            "any length."),
            lambda m: both(equal(m.models.recurrent.chain[3], m.lengths[3]),
                           same(m.models.transformer.chain, 0.5),
                           at_least(m.models.recurrent.chain[3],
                                    m.models.transformer.chain[3] + 1)),
            "no_recurrence", kind="example"),
        Claim("linear_both", T(
            "线性注意力两样都占：状态一直是 {models.linear.kept.3} 个数，排队也只有 "
            "{models.linear.chain.3} 次。",
            "Linear attention has both: its state stays at {models.linear.kept.3} numbers, and "
            "{models.linear.chain.3} products stand in a row."),
            lambda m: both(same(m.models.linear.kept, 0.5), same(m.models.linear.chain, 0.5),
                           below(m.models.linear.kept[3], m.models.transformer.kept[3]),
                           below(m.models.linear.chain[3], m.models.recurrent.chain[3])),
            "all_softmax", kind="example", more=True),
        Claim("no_turn", T(
            "从 n = {lengths.0} 到 n = {lengths.3}，四个长度落在一条直线上：每多一个词，"
            "Transformer "
            "每个参数多 {slope.3} 次乘加。一百个词那里没有转折。",
            "From n = {lengths.0} to n = {lengths.3} the four lengths lie on one straight line: "
            "each word adds {slope.3} multiply-adds a parameter to the Transformer. Nothing turns "
            "at a hundred."),
            lambda m: both(same([s / m.slope[3] for s in m.slope], 1e-6), above(m.slope[3], 0),
                           below(m.lengths[0], 100), above(m.lengths[3], 100)),
            "linear_instead", kind="identity", more=True),
        Claim("streams", T(
            "流式不是 RNN 独有：来了新词，因果 Transformer 前面的输出只动 {streams.causal.moved}；"
            "看全文的动了 {streams.all_seeing.moved}。",
            "Streaming is not the RNN's alone: when a word arrives the earlier outputs of a causal "
            "Transformer move by {streams.causal.moved}; those of an all-seeing one by "
            "{streams.all_seeing.moved}."),
            lambda m: both(below(m.streams.causal.moved, 1e-12),
                           above(m.streams.all_seeing.moved, 0.01)),
            "sees_all", kind="example", more=True),
    ),
    caveat=T(
        "谁学得好；固定的状态装得下多少（演示 03）。",
        "Which learns better; what a fixed state can hold (demo 03)."),
    further=T(
        "LSTM 的矩阵是这种循环层的四倍，状态是两倍。",
        "An LSTM has four times the matrices of this recurrent layer, and twice its state."),
    questions=(Question(
        T("写到第 {long:,} 个词，一层要记住的数，谁多？",
          "At word {long:,}, in one layer: who has to keep more numbers?"),
        (Option(T("RNN", "RNN"), lambda m: below(m.kept_ratio, 0.99),
                T("RNN 的状态大小固定，历史都挤在里面。",
                  "an RNN's state has a fixed size; the whole history is squeezed into it.")),
         Option(T("Transformer，{kept_ratio:,.0f} 倍", "Transformer, {kept_ratio:,.0f} times"),
                lambda m: above(m.kept_ratio, 3)),
         Option(T("Transformer，两倍", "Transformer, twice"),
                lambda m: both(above(m.kept_ratio, 1.5), below(m.kept_ratio, 3)),
                T("只算了一个词的键和值。每个词的都要留着。",
                  "counts the key and value of one word. Those of every word are kept.")),
         Option(T("一样多", "the same"), lambda m: near(m.kept_ratio, 1, 0.01),
                T("宽度决定一个词占多少，不决定要留几个词。",
                  "the width says how much one word takes, not how many words are kept."))),
        answer=Claim("state", T(
            "Transformer：每个词的键和值都留着，共 {models.transformer.kept.3} 个数；RNN 从头到尾 "
            "{models.recurrent.kept.3} 个。",
            "the Transformer: the key and value of every word, {models.transformer.kept.3} "
            "numbers; the RNN has {models.recurrent.kept.3} throughout."),
            lambda m: both(same(m.models.recurrent.kept, 0.5),
                           equal(m.models.transformer.kept[3],
                                 2 * m.lengths[3] * m.models.recurrent.kept[3])),
            "linear_instead", kind="identity")),),
    pins={"streams.causal.*": ROUNDING, "streams.*": ARITHMETIC, "kept_ratio": RATIO,
          "slope.*": RATIO, "models.*.each.*": RATIO, "*": COUNT},
    errata=ERRATA["choice"],
    notes=T(
        "约 8 分钟。先投票。让班上按两张表为三种用途选层：语音实时识别、一次训练十亿词、手机上读长"
        "文。讲义的“超过一百个词就选 Transformer”没有依据：--more 里那条直线没有转折。线性注意力"
        "的代价在第 3 部分。",
        "About 8 minutes. Vote first. Let the class choose a layer by the two tables for three "
        "uses: live speech, training on a billion words, a long text on a phone. The notes' “above "
        "a hundred tokens take a Transformer” has no basis: the straight line under --more has no "
        "turn. The price of linear attention stands in part 3."),
)
