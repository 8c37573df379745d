"""03.3 The bottleneck: a sequence in one state: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d03_seq2seq.errata import ERRATA
from demos.d03_seq2seq.lesson import BOTTLENECK_CONTROLS, SIZES, bottleneck
from demos.d03_seq2seq.words import COUNTED, RECORDED, TRAINED
from lecture.margins import above, at_least, below, both, equal, near
from lecture.quantities import Group, Maps, Named, Rows
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
)

SEEDS = tuple(range(5))
RECORD = T("记录", "record")
QUANTITIES = {
    "one.*.whole": Quantity(T("现在", "now"), ".0%"),
    "attention.*.whole": Quantity(T("现在", "now"), ".0%"),
    **{f"runs.*.{i}": Quantity(RECORD if i == 0 else T("", ""), ".0%") for i in SEEDS},
    "record.longer.before": Quantity(T("之前", "before"), ".0%"),
    "record.longer.after": Quantity(T("之后", "after"), ".0%"),
    "cut.*.weight": Quantity(T("遮住的权重", "weight hidden"), ".2f"),
    "cut.*.right": Quantity(T("写对的字母", "letters right"), ".1%"),
    "map.aligned": Quantity(T("对角线", "diagonal"), ".2f"),
    "map.weights": Quantity(T("权重", "weight"), ".2f"),
    "bits.need": Quantity(T("位", "bits"), ",.0f"),
    "bits.own_need": Quantity(T("位", "bits"), ",.0f"),
    "bits.spare": Quantity(T("位", "bits"), ",.0f"),
    "scores.*.moved": Quantity(T("换一个查询，权重移动", "another query moves weights by"),
                               ".2f<1e-12"),
    "scores.*.numbers": Quantity(T("要学的数", "numbers to learn"), ",d"),
    "lags.*.first": Quantity(T("第一个字母", "first letter"), "d"),
    "lags.*.last": Quantity(T("最后一个", "last"), "d"),
    "lags.*.mean": Quantity(T("平均", "mean"), "g"),
    "*": Quantity(T("数", "count"), ",d"),
}
NAMES = {
    **{f"runs.{key}": T(f"{{sizes.{key}}}", f"{{sizes.{key}}}") for key in SIZES},
    "cut.none": T("什么都不遮", "nothing"),
    "cut.own": T("正要抄的字母", "the letter due"),
    "cut.neighbours": T("它左右两个", "its two neighbours"),
    "cut.others": T("除它以外全部", "all but the letter due"),
    "scores.dot": T("点积：q·W k / √d", "dot product: q·W k / √d"),
    "scores.additive": T("加性：v·tanh(W q + U k)", "additive: v·tanh(W q + U k)"),
    "scores.flat": T("加性，去掉 tanh", "additive without tanh"),
    "lags.in_order": T("原文顺着读", "source in order"),
    "lags.reversed": T("原文倒着读", "source reversed"),
}


def runs(name: str) -> tuple[str, ...]:
    """The columns of one net: measured now, then every recorded training."""
    return (f"/{name}.*.whole", *(f"{name}.{i}" for i in SEEDS))


LEAD = (
    Paragraph(T(
        "任务：读 n 个随机的字母，再照抄，例如 {map.row}。编码器（LSTM）读完，把最后的 h 和 c 交"
        "给解码器（也是 LSTM）接着写。一种只交 h 和 c，共 {context.numbers} 个数；一种另外带注意"
        "力：每写一步，拿解码器的状态去查编码器每一步的 h，按权重取回平均（怎样查：演示 04）。两"
        "种一样宽，长度最多 {sizes.n24}，训练一样多。",
        "The task: read n random letters and copy them, {map.row} for example. The encoder (an "
        "LSTM) hands its last h and c to the decoder (another), which writes. One kind hands "
        "over h and c only, {context.numbers} numbers; the other adds attention: at every step "
        "the decoder's state looks up all of the encoder's h and takes their weighted mean "
        "(how: demo 04). Alike in width, steps, and lengths up to {sizes.n24}.")),
)


def blocks(m: Metrics) -> Iterator[Named | Paragraph]:
    yield Rows("runs.*", (Group(T("只交 h、c", "h, c only"), runs("one")),
                          Group(T("带注意力", "with attention"), runs("attention"))),
               head=T("n", "n"),
               title=T("整行抄对的比例：{rows} 行新题；记录是 {record.seeds} 次训练，从低到高",
                       "Rows right to the end, of {rows} fresh ones; recorded: {record.seeds} "
                       "trainings, sorted"))
    yield Rows("cut.*", ("weight", "right"), head=T("每写一步，遮住", "hidden at each step"),
               title=T("带注意力，n = {sizes.n12}，遮住一些位置",
                       "With attention, n = {sizes.n12}, some places hidden"))
    yield Maps(("map.weights",), "map.said", "map.source", more=True,
               title=T("一行的例子：写每个字母时（行）看了读过的哪些字母（列）",
                       "One row: writing each letter (rows), where it looked (columns)"))
    yield Rows("lags.*", ("first", "last", "mean"), more=True, head=T("隔几步", "steps between"),
               title=T("从读到一个字母，到抄写它（n = {context.read}）",
                       "From reading a letter to writing it (n = {context.read})"))
    yield Rows("scores.*", ("numbers", "moved"), more=True, head=T("分数", "score"),
               title=T("两种打分，{keys} 个键", "Two ways to score {keys} keys"))
    yield Paragraph(T(
        "装得下吗？状态是 {bits.numbers} 个 {bits.each} 位的数；要写的是从 {bits.vocabulary} 个词"
        "里挑"
        "的 {bits.words} 个。我们的是 {context.numbers} 个数，从 {bits.letters} 个字母里挑。",
        "Is there room? A state of {bits.numbers} numbers of {bits.each} bits; {bits.words} words "
        "out of {bits.vocabulary} to be written. Ours: {context.numbers} numbers, letters out of "
        "{bits.letters}."), more=True)


PART = Part(
    number=3, key="bottleneck",
    title=T("瓶颈：一句话压成一个状态", "The bottleneck: a sequence in one state"),
    compute=bottleneck, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("copy_one", "copy_attention"),
    controls=BOTTLENECK_CONTROLS,
    claims=(
        Claim("looks_back", T(
            "带注意力，n = {sizes.n24} 时还有 {attention.n24.whole} 抄对；记录的 {record.seeds} 次"
            "训练"
            "里，{record.gap} 次比只交 h、c 的高出一半以上。",
            "With attention {attention.n24.whole} are right at n = {sizes.n24}; in {record.gap} of "
            "{record.seeds} recorded trainings it is ahead by more than half of all rows."),
            lambda m: both(above(m.attention.n24.whole, m.one.n24.whole + 0.5),
                           at_least(m.record.gap, 0.8 * m.record.seeds)),
            "blinded", given=("sizes.n24", "record.seeds")),
        Claim("cut", T(
            "它靠的就是正要抄的那一格：遮住它，只对 {cut.own.right}，等于瞎猜；遮住左右两个，还对 "
            "{cut.neighbours.right}，遮住其余全部，也还对 {cut.others.right}。",
            "It rests on the letter due: hide that, and {cut.own.right} are right, a blind guess; "
            "hide its neighbours, {cut.neighbours.right}, or all the others, "
            "{cut.others.right}."),
            lambda m: both(below(m.cut.own.right, 0.2), above(m.cut.neighbours.right, 0.9),
                           above(m.cut.others.right, 0.9)), "one_place_on"),
        Claim("practice", T(
            "多练有用，但不解决：步数 × {record.longer.times}，n = {sizes.n8} 居中的从 "
            "{record.longer.before} 升到 {record.longer.after}；n = {sizes.n24} 还是一行不对，"
            "{record.longer.still} 次都是。",
            "Practice helps and is no cure: steps × {record.longer.times} take the middle one at "
            "n = {sizes.n8} from {record.longer.before} to {record.longer.after}; at n = "
            "{sizes.n24} no row is right, in all {record.longer.still}."),
            lambda m: both(above(m.record.longer.after, m.record.longer.before + 0.1),
                           at_least(m.record.longer.better, 0.8 * m.record.seeds),
                           at_least(m.record.longer.still, m.record.seeds),
                           above(m.record.longer.times, 1)),
            "attention_arm", kind="recorded", given=("sizes.n8", "sizes.n24")),
        Claim("room", T(
            "不是装不下：有 {bits.state} 位，要 {bits.need} 位；我们的网络有 {bits.own_state} 位，"
            "n = {sizes.n24} 只要 {bits.own_need} 位。",
            "Not for lack of room: {bits.state} bits, and {bits.need} are needed; our own net has "
            "{bits.own_state}, and n = {sizes.n24} needs {bits.own_need}."),
            lambda m: both(above(m.bits.state, m.bits.need),
                           above(m.bits.own_state, m.bits.own_need)), "narrow",
            kind="identity", more=True, given=("sizes.n24",)),
        Claim("reversed", T(
            "原文倒着读（Sutskever 等 2014）：第一个字母隔的步数从 {lags.in_order.first} 减到 "
            "{lags.reversed.first}，最后一个增到 {lags.reversed.last}，平均不变。他们报告翻译变好；"
            "这里没有训练来验证。",
            "Source reversed (Sutskever et al. 2014): the first letter is {lags.reversed.first} "
            "step away, not {lags.in_order.first}, the last {lags.reversed.last}; the mean stays. "
            "They report better translations; nothing is trained for it here."),
            lambda m: both(below(m.lags.reversed.first, m.lags.in_order.first),
                           above(m.lags.reversed.last, m.lags.in_order.last),
                           near(m.lags.reversed.mean, m.lags.in_order.mean, 1e-9)),
            "in_order", kind="identity", more=True),
        Claim("additive", T(
            "打分有两种：点积（Luong 等 2015；上面的网络）和加性（Bahdanau 等 2015）。换一个查询，"
            "权"
            "重移动 {scores.dot.moved} 和 {scores.additive.moved}；加性的去掉 tanh，移动 "
            "{scores.flat.moved}：q 给每个键加的是同一个数。",
            "Two ways to score: dot product (Luong et al. 2015; the net above) and additive "
            "(Bahdanau et al. 2015). Another query moves the weights by {scores.dot.moved} and "
            "{scores.additive.moved}; additive without tanh, {scores.flat.moved}: q adds the same "
            "to every key."),
            lambda m: both(above(m.scores.dot.moved, 0.1), above(m.scores.additive.moved, 0.1),
                           below(m.scores.flat.moved, 1e-12)),
            "no_bend", kind="example", more=True),
        Claim("context", T(
            "LSTM 交出 {context.arrays} 个数组，共 {context.numbers} 个数，读多长都一样；注意力可查"
            "的随长度增加：{context.read} 个字母 {context.memory} 个数。",
            "An LSTM hands over {context.arrays} arrays, {context.numbers} numbers however much "
            "was read; what attention can look up grows: {context.memory} for {context.read} "
            "letters."),
            lambda m: both(equal(m.context.arrays, 2),
                           equal(m.context.numbers, m.context.arrays * m.context.width),
                           equal(m.context.memory, m.context.read * m.context.width)),
            T("数组的大小由定义给出", "sizes of arrays, given by definition"),
            kind="identity", more=True),
    ),
    caveat=T(
        "“现在”的两个网络是记录里居中的：只交 h、c 的按 n = {sizes.n4}，带注意力的按 n = "
        "{sizes.n24}。一个任务，一种宽度。",
        "The two nets of “now” are the middle ones of the record: with h, c only at n = "
        "{sizes.n4}, with attention at n = {sizes.n24}. One task, one width."),
    further=T(
        "遮住一格，别处的权重会按比例变大。热图只是一行，斜线上平均 {map.aligned}。{bits.each} 位全"
        "用上，状态要精确到最后一位，训练远没有做到。",
        "Where a place is hidden, the others' weights grow in proportion. The map is one row, "
        "with a mean of {map.aligned} on the diagonal. To use all {bits.each} bits a state must be "
        "exact to the last one; training comes nowhere near."),
    questions=(Question(
        T(
            "只交 h 和 c。n = {sizes.n4} 和 n = {sizes.n24}，整行抄对的比例各是多少？",
            "h and c only. Right to the end at n = {sizes.n4} and at n = {sizes.n24}: most "
            "(over nine tenths) or few (under one)?"),
        (Option(T("都过九成", "most, most"),
                lambda m: both(above(m.one.n4.whole, 0.9), above(m.one.n24.whole, 0.9)),
                T("以为“装得下”就“学得会”。", "takes “there is room” for “it is learned”.")),
         Option(T("过九成，不到一成", "most, few"),
                lambda m: both(above(m.one.n4.whole, 0.9), below(m.one.n24.whole, 0.1))),
         Option(T("都不到一成", "few, few"),
                lambda m: both(below(m.one.n4.whole, 0.1), below(m.one.n24.whole, 0.1)),
                T("以为状态装不下；n = {sizes.n4} 时 {one.n4.whole} 抄对。",
                  "thinks a state cannot hold it; at n = {sizes.n4} {one.n4.whole} are right.")),
         Option(T("{sizes.n24} 更高", "more at {sizes.n24}"),
                lambda m: above(m.one.n24.whole, m.one.n4.whole),
                T("从 {one.n4.whole} 到 {one.n24.whole}：越长越难。",
                  "from {one.n4.whole} to {one.n24.whole}: longer is harder."))),
        answer=Claim("squeezed", T(
            "{one.n4.whole} 和 {one.n24.whole}。交出去的就是这几个数：把它们清零，n = {sizes.n4} "
            "也一"
            "行不对。",
            "{one.n4.whole} and {one.n24.whole}. Those numbers carry it: set to zero, no row is "
            "right even at n = {sizes.n4}."),
            lambda m: both(above(m.one.n4.whole, 0.9), below(m.one.n24.whole, 0.1),
                           below(m.emptied, 0.005)),
            "emptied", given=("sizes.n4",))),),
    pins={"sizes.*": COUNTED, "rows": COUNTED, "context.*": COUNTED, "keys": COUNTED,
          "bits.need": ARITHMETIC, "bits.own_need": ARITHMETIC, "bits.spare": ARITHMETIC,
          "bits.*": COUNTED, "map.source.*": COUNTED, "map.said.*": COUNTED,
          "map.row": COUNTED, "map.*": ARITHMETIC, "runs.*": RECORDED, "record.*": RECORDED,
          "cut.*.weight": ARITHMETIC, "scores.*.numbers": COUNTED,
          "scores.flat.moved": ROUNDING, "scores.*": ARITHMETIC, "lags.*.mean": ARITHMETIC,
          "lags.*": COUNTED, "*": TRAINED},
    errata=ERRATA["bottleneck"],
    notes=T(
        "约 8 分钟。先投票，再看表；然后问：是装不下，还是学不会？（--more：位数绰绰有余。）再问："
        "权"
        "重大就是靠它吗？（遮住看看。）倒着读的原文和加性打分也在 --more 里。",
        "About 8 minutes. Vote, table, then ask: no room, or not learned? (--more: bits to "
        "spare.) And: is a large weight a need? (Hide it and see.) The reversed source and "
        "additive scores are behind --more too."),
)
