"""08.4 Rank: what is low, and what is not: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d08_heads.errata import ERRATA
from demos.d08_heads.lesson import RANKS_CONTROLS, count_ranks
from demos.d08_heads.words import RECORDED
from lecture.margins import above, at_least, below, both, equal, near
from lecture.quantities import Group, Named, Rows
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
    Tolerance,
    close,
    exact,
)

QUANTITIES = {
    "*.rank": Quantity(T("秩", "rank"), "d"),
    "record.*.as_many": Quantity(T("{draws} 次抽取里几次", "of {draws} draws"), "d"),
    **{f"example.words.*.{what}.{i}": Quantity(T(f"k = {i}", f"k = {i}"), form)
       for what, form in (("scores", ".0f"), ("exps", ".2f")) for i in range(3)},
    "record.cut.*.now": Quantity(T("现在", "now"), ".4g"),
    "record.cut.*.low": Quantity(T("最低", "lowest"), ".4g"),
    "record.cut.*.high": Quantity(T("最高", "highest"), ".4g"),
    "now.softmax.energy": Quantity(T("能量", "energy"), ".1%"),
    "now.softmax.effective": Quantity(T("有效秩", "effective rank"), ".0f"),
    "now.causal.diagonal": Quantity(T("对角线最小", "least on the diagonal"), ".0e"),
    "cuts.*": Quantity(T("门槛", "threshold"), "g"),
    "record.smallest": Quantity(T("最小", "smallest"), ".0e"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "now.scores": T("分数 Q K^T，一个头", "scores Q K^T, one head"),
    "now.softmax": T("softmax 之后的权重", "weights, after softmax"),
    "now.one_output": T("一个头的输出", "output of one head"),
    "now.all_outputs": T("{heads} 个头拼起来", "{heads} heads side by side"),
    "record.cut.high": T("大于 {cuts.high} 的奇异值", "singular values above {cuts.high}"),
    "record.cut.middle": T("大于 {cuts.middle} 的奇异值", "singular values above {cuts.middle}"),
    "record.cut.effective": T("有效秩：奇异值的熵，取指数", "effective rank: e to their entropy"),
    "example.words.q0": T("q = 0", "q = 0"), "example.words.q1": T("q = 1", "q = 1"),
    "example.words.q2": T("q = 2", "q = 2"),
    "given.four": T("4×4", "4×4"), "given.first": T("3×3，第一个", "3×3, the first"),
    "given.second": T("3×3，第二个", "3×3, the second"),
}
LEAD = (
    Paragraph(T(
        "秩：一张表里最少挑几行，就能乘上数、相加，拼出所有的行。权重的秩要是一，每个词取回的就都"
        "一样；秩低，词与词"
        "的区别就少。Bhojanapalli 等（2020）：头窄，分数的秩就低。那么权重呢？\n"
        "这里 {tokens} 个词，头宽 {head}，q、k、v 都是标准正态。秩这样数：大于“最大的 × {tokens} "
        "× 机器精度”的奇异值有几个。",
        "Rank: the fewest rows of a table of which all its rows can be mixed (multiplied, added). "
        "Weights of rank one would give "
        "every word the same; the lower the rank, the less the words differ. Bhojanapalli et al. "
        "(2020): in a narrow head scores have low rank. And weights?\n"
        "Here {tokens} words, heads of width {head}, q, k, v standard normal. The rank counts "
        "singular values above “the largest × {tokens} × the machine's epsilon”.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(("now.scores", "now.softmax", "now.one_output", "now.all_outputs"),
               ("rank", "/record.*.as_many"), head=T("矩阵", "matrix"))
    yield Rows(
        "example.words.*",
        (Group(T("分数 q·k", "score q·k"), tuple(f"scores.{i}" for i in range(3))),
         Group(T("e^分数", "e^score"), tuple(f"exps.{i}" for i in range(3)))),
        title=T("头宽一，三个词：分数每行是同一行的倍数（秩 {example.scores_rank}），取指数就不是了"
                "（秩 {example.rank}）",
                "Width one, three words: score rows are multiples of one row (rank "
                "{example.scores_rank}); exponentials are not (rank {example.rank})"))
    yield Rows("record.cut.*", ("now", "low", "high"), more=True,
               head=T("softmax 之后，怎样才算一个", "after softmax, what counts as one"),
               legend=T("最低、最高：记录的 {draws} 次。双精度、单精度，相对的和绝对的门槛，四种算"
                        "法"
                        "都说 {tokens} 的有 {record.four_rules} 次；最小的奇异值 "
                        "{record.smallest}。头宽 4 时分数的秩是 {now.thin.scores}，权重的秩最少 "
                        "{record.thin}。",
                        "Lowest, highest: {draws} recorded. Double and single precision, relative "
                        "and absolute threshold: all four say {tokens} in {record.four_rules}; "
                        "the smallest value is {record.smallest}. At width 4 scores have rank "
                        "{now.thin.scores}, weights at least {record.thin}."))
    yield Rows("given.*", ("rank",), more=True, head=T("讲义的小矩阵", "the notes' small matrices"))


PART = Part(
    number=4, key="ranks", title=T("秩：低的是什么", "Rank: what is low, and what is not"),
    compute=count_ranks, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    controls=RANKS_CONTROLS,
    claims=(
        Claim("scores_are_low", T(
            "分数的秩不过头宽 {head}：每一行都由同样的 {head} 行拼成。",
            "Scores have rank {head} at most, the width: each row mixes the same {head} rows."),
            lambda m: both(equal(m.now.scores.rank, m.head), below(m.record.next, 1e-6),
                           above(m.record.last, 1e-6),
                           at_least(m.record.scores.as_many, m.draws)),
            "wide", kind="identity"),
        Claim("full_is_a_threshold", T(
            "满秩，却不平均：{tokens} 个奇异值里，前 {head} 个占平方和的 {now.softmax.energy}。",
            "Full, but not even: of {tokens} singular values the first {head} hold "
            "{now.softmax.energy} of the sum of squares."),
            lambda m: both(equal(m.now.softmax.rank, m.tokens), above(m.now.softmax.energy, 0.9),
                           above(m.now.softmax.energy, 1.5 * m.head / m.tokens),
                           below(m.now.softmax.effective, 0.75 * m.tokens)),
            "identity", kind="example"),
        Claim("one_output_is_low", T(
            "窄头真正低的是输出：一个头 {now.one_output.rank}，{heads} 个不同的头拼起来 "
            "{now.all_outputs.rank}。",
            "What stays low is the output of a narrow head: {now.one_output.rank}; {heads} heads "
            "that differ have {now.all_outputs.rank} side by side."),
            lambda m: both(equal(m.now.one_output.rank, m.head),
                           equal(m.now.all_outputs.rank, m.tokens)), "copies", kind="example",
            given=("heads",)),
    ),
    caveat=T(
        "数是抽的，不是训练出来的；秩满不等于用得好。训练过的头，秩是多少，没有测。",
        "Drawn numbers, not trained ones; a full rank is not a rank put to use. The ranks of "
        "trained heads were not measured."),
    further=T(
        "因果的权重是三角矩阵，对角线最小 {now.causal.diagonal}，大于零，所以正好满秩；可按上面的门"
        "槛数，不到 {tokens}：门槛是人定的。",
        "Causal weights are a triangle with {now.causal.diagonal} at least on its diagonal, above "
        "zero, so their rank is exactly full; by the threshold above it is less than {tokens}: a "
        "threshold is somebody's choice."),
    questions=(Question(
        T("{tokens} 个词，分数的秩是 {head}。softmax 之后，权重的秩是？",
          "{tokens} words, scores of rank {head}. After softmax the weights have rank"),
        (Option(T("约 {noted.printed.0}", "about {noted.printed.0}"),
                lambda m: near(m.now.softmax.rank, m.noted.printed[0], 9),
                T("以为 softmax 压低秩。下面的小表里正相反。",
                  "thinks softmax lowers the rank. In the small table it does the opposite.")),
         Option(T("还是 {head}", "still {head}"),
                lambda m: equal(m.now.softmax.rank, m.head),
                T("把 softmax 当成线性的。", "takes softmax for a linear map.")),
         Option(T("{tokens}", "{tokens}"), lambda m: equal(m.now.softmax.rank, m.tokens)),
         Option(T("一", "one"), lambda m: equal(m.now.softmax.rank, 1),
                T("每行的和相等，不等于每行相同。", "equal sums are not equal rows."))),
        answer=Claim("softmax_fills_up", T(
            "{now.softmax.rank}，记录的 {draws} 次里 {record.softmax.as_many} 次这样，因为指数不是"
            "线性的：小例子里分数的秩 {example.scores_rank}，取指数后 {example.rank}。",
            "{now.softmax.rank}, as in {record.softmax.as_many} of {draws} recorded draws, since "
            "an "
            "exponential is not linear: in the small example rank {example.scores_rank} becomes "
            "{example.rank}."),
            lambda m: both(equal(m.now.softmax.rank, m.tokens),
                           at_least(m.record.softmax.as_many, m.draws),
                           equal(m.example.scores_rank, 1), equal(m.example.rank, 3)),
            "no_softmax", kind="example")),),
    pins={"record.cut.effective.now": close("singular values in float64", rtol=1e-8),
          "record.*": RECORDED, "noted.*": exact("copied from the notes"),
          "ran.*": exact("kept as data"), "cuts.*": RECORDED,
          "now.scores.next": close("rounding of a zero", rtol=0.0, atol=1e-11),
          "now.causal.rank": Tolerance("band", "singular values near the threshold", low=120,
                                       high=127),
          "now.*rank": exact("counts"), "now.by_cut.*": exact("counts"),
          "now.softmax.smallest": close("a small singular value", rtol=1e-6),
          "now.*": close("one draw; singular values in float64", rtol=1e-8),
          "given.*": exact("counts"), "example.*rank": exact("counts"),
          "four.*": ARITHMETIC, "example.*": ARITHMETIC, "*": exact("sizes")},
    errata=ERRATA["ranks"],
    notes=T(
        "约 7 分钟，一次投票。讲义那两个数跑它自己的程序出不来；--more 里用两个门槛数同一个头，倒正"
        "好落在附近。低秩说的是头宽，不是权重（Bhojanapalli 等 2020）。",
        "About 7 minutes, one vote. The notes' program does not give their two figures; two "
        "thresholds on one and the same head, behind --more, land near them. Low rank is of the "
        "head's width, not of the weights (Bhojanapalli et al. 2020)."),
)
