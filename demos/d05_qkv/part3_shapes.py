"""05.3 Shapes, sums and ranks of one head, and a printed matrix: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d05_qkv.errata import ERRATA
from demos.d05_qkv.lesson import EDGES, SHAPES_CONTROLS, follow_shapes
from lecture.margins import above, at_least, at_most, below, both, equal, near
from lecture.quantities import BarRows, Maps, Named, Rows
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
    close,
    exact,
)

QUANTITIES = {
    **{f"shapes.*.{i}": Quantity(name, "d") for i, name in enumerate(
        (T("批", "batch"), T("行", "rows"), T("列", "columns")))},
    "ranks.*": Quantity(T("秩", "rank"), "d"),
    "sums.in_a_row": Quantity(T("个", "weights"), "d"),
    "sums.row_error": Quantity(T("误差", "error"), ".0e<1e-12"),
    "sums.*": Quantity(T("和", "sum"), ".2f"),
    "noted.given.*": Quantity(T("讲义", "notes"), "g"),
    "noted.sum": Quantity(T("和", "sum"), ".1f"),
    "noted.softmax_sum": Quantity(T("和", "sum"), "g"),
    "noted.*": Quantity(T("权重", "weight"), ".4f"),
    "alike.*": Quantity(T("余弦", "cosine"), ".2f"),
    "code.*": Quantity(T("类", "classes"), "d"),
    "forged.first": Quantity(T("同样的代码，第一次", "the same computation, first run"),
                             ".4f"),
    "forged.printed.weights": Quantity(T("讲义印的", "as printed in the notes"), ".4f"),
    "forged.*.spread": Quantity(T("标准差", "spread"), ".4f"),
    "forged.*.row_error": Quantity(T("误差", "error"), ".0e<1e-12"),
    "forged.printed.low": Quantity(T("最小", "lowest"), ".4f"),
    "forged.printed.high": Quantity(T("最大", "highest"), ".4f"),
    "forged.printed.*": Quantity(T("讲义", "notes"), ".3f"),
    "forged.runs.as_flat": Quantity(T("次", "runs"), "d"),
    "forged.runs.*": Quantity(T("差", "apart"), ".3f"),
    "forged.*": Quantity(T("次", "runs"), ",d"),
}
STEPS = ("x", "q", "k_turned", "scores", "weights", "out", "joined")
NAMES = {
    "shapes.x": T("输入 x", "input x"), "shapes.q": T("Q = x W_Q（K、V 同）", "Q = x W_Q (K, V "
                                                                              "alike)"),
    "shapes.k_turned": T("K 转置", "K turned"),
    "shapes.scores": T("分数 Q K^T / √d", "scores Q K^T / √d"),
    "shapes.weights": T("权重 softmax", "weights, softmax"),
    "shapes.out": T("一个头的输出", "output of the head"),
    "shapes.joined": T("再乘 W_O", "times W_O"),
    "ranks.stacked": T("W_Q、W_K、W_V 并排", "W_Q, W_K, W_V side by side"),
    "ranks.separate": T("一个头的输出", "output of the head"),
    "ranks.single": T("一个矩阵当三个用，输出", "one matrix for all three, output"),
    "ranks.after_w_o": T("一个头的输出，再乘 W_O", "output of the head, times W_O"),
    **{f"forged.histogram.runs.{i}": T(edges, edges) for i, edges in enumerate(
        f"{{forged.histogram.bins.{i}}}" for i in range(len(EDGES) - 1))},
}
RANKS = ("stacked", "separate", "single", "after_w_o")
LEAD = (
    Paragraph(T(
        "一个头，{shapes.x.0} 句，每句 {shapes.x.1} 个词。W_Q、W_K、W_V 各是 {shapes.w_q.0} × "
        "{shapes.w_q.1}，W_O 是 {shapes.w_o.0} × {shapes.w_o.1}，都随机抽。形状一步一步：",
        "One head, {shapes.x.0} sentences of {shapes.x.1} words. W_Q, W_K, W_V are "
        "{shapes.w_q.0} × {shapes.w_q.1} each, W_O is {shapes.w_o.0} × {shapes.w_o.1}; all drawn. "
        "The shapes, step by step:")),
    Rows(tuple(f"shapes.{step}" for step in STEPS), ("0", "1", "2"), head=T("步骤", "step")),
    Paragraph(T(
        "秩：一组向量里有几个独立的方向。",
        "Rank: how many independent directions a set of vectors has.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield BarRows(tuple(f"ranks.{name}" for name in RANKS),
                  title=T("秩（{ranks.words} 个词）", "Ranks ({ranks.words} words)"))
    yield Maps(("forged.printed.weights", "forged.first"), "forged.labels", "forged.labels",
               low=0.0, high=0.5, more=True,
               title=T("讲义印出的 {forged.words}×{forged.words} 权重，和同样的代码真跑一次",
                       "The {forged.words} by {forged.words} weights of the notes, and a real "
                       "run"))
    yield BarRows("forged.histogram.runs.*", more=True,
                  title=T("{forged.count} 次运行：最大权重减最小权重",
                          "{forged.count} runs: largest weight less smallest"))


PART = Part(
    number=3, key="shapes",
    title=T("一个头的形状、和、秩", "Shapes, sums and ranks of one head"),
    compute=follow_shapes, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"count": Param(2000, 20, 20000, about=T("运行多少次", "how many runs")),
            "gain": Param(1.0, 0.0, 10.0, about=T("矩阵放大几倍", "scales the matrices"))},
    controls=SHAPES_CONTROLS,
    claims=(
        Claim("rows_sum_to_one", T(
            "权重按行合计是一；按列从 {sums.column_low} 到 {sums.column_high}：查询把自己的一份分"
            "完，"
            ""
            "一个键得到多少，却没有定数。",
            "Weights sum to one by row; by column to {sums.column_low} up to {sums.column_high}: a "
            "query gives away its one, what a key gets is not fixed."),
            lambda m: both(below(m.sums.row_error, 1e-12), above(m.sums.column_high, 1.01),
                           below(m.sums.column_low, 0.99)),
            "columns", kind="example"),
        Claim("same_input_three_vectors", T(
            "同一个输入，三个不同的向量：{ranks.words} 个词，Q 与 K 的平均余弦 {alike.q_k}，Q 与 V "
            "{alike.q_v}。",
            "One input, three different vectors: over {ranks.words} words the mean cosine of Q and "
            "K is {alike.q_k}, of Q and V {alike.q_v}."),
            lambda m: both(near(m.alike.q_k, 0, 0.1), near(m.alike.q_v, 0, 0.1),
                           above(m.ranks.words, 100)),
            "one_matrix", kind="example"),
        Claim("weights_must_sum_to_one", T(
            "讲义的三个“权重”合计 {noted.sum}，所以是分数；取 softmax 才是权重：{noted.weights.0}、"
            "{noted.weights.1}、{noted.weights.2}。",
            "The notes' three weights sum to {noted.sum}, so they are scores; softmax makes "
            "weights of them: {noted.weights.0}, {noted.weights.1}, {noted.weights.2}."),
            lambda m: both(above(abs(m.noted.sum - 1), 0.1),
                           near(sum(m.noted.given), m.noted.sum, 1e-9),
                           near(sum(m.noted.weights), 1, 1e-9)),
            "not_normalised", kind="example", more=True),
        Claim("not_one_is_so_flat", T(
            "讲义印的权重，最大减最小 {forged.printed.span}；同样的代码跑 {forged.count} 次，最平"
            "的一次也有 {forged.runs.span.min}。",
            "The printed weights lie {forged.printed.span} apart; in {forged.count} runs of "
            "the same computation the flattest has {forged.runs.span.min}."),
            lambda m: both(at_most(m.forged.runs.as_flat, 0), at_least(m.forged.count, 2),
                           above(m.forged.runs.span.min, m.forged.printed.span),
                           above(m.forged.runs.span.mean, m.forged.runs.span.min)),
            "copied", more=True),
        Claim("scores_too_small", T(
            "从权重倒推分数（取对数，每行减平均）：印的只散开 {forged.printed.scores}，这段代码最"
            "少 "
            "{forged.runs.scores.min}。行的和查不出来：印的每行都是一。",
            "Reading the scores back (logarithms, each row less its mean): the printed ones spread "
            "by {forged.printed.scores}, this code's by {forged.runs.scores.min} at least. Row "
            "sums do not tell: the printed rows sum to one."),
            lambda m: both(above(m.forged.runs.scores.min, 1.2 * m.forged.printed.scores),
                           below(m.forged.printed.row_error, 5e-4)),
            "softened", more=True),
    ),
    caveat=T("词和矩阵是随机的。几个头拼起来怎样，训练后用去多少方向：演示 08。",
             "Words and matrices are drawn. Several heads, and what training uses: demo 08."),
    further=T("“这么平”只对 nn.Linear 默认的矩阵说：试 --set 3.gain=0.4。",
              "“As flat” speaks of nn.Linear's default matrices: try --set 3.gain=0.4."),
    questions=(
        Question(
            T("{ranks.words} 个词走过这个头，输出的 {ranks.words} 个向量，秩是多少？",
              "{ranks.words} words go through this head. Of its {ranks.words} outputs the rank is"),
            (Option(T("{ranks.stacked}，三个矩阵合起来", "{ranks.stacked}, all three"),
                    lambda m: equal(m.ranks.separate, m.ranks.stacked),
                    T("把三个矩阵的方向加在一起。Q、K 只决定权重，不进输出。",
                      "adds up the three. Q and K make weights only and do not enter the "
                      "output.")),
             Option(T("{shapes.out.2}，W_V 的", "{shapes.out.2}, as W_V"),
                    lambda m: equal(m.ranks.separate, m.shapes.out[2])),
             Option(T("{shapes.joined.2}，乘过 W_O", "{shapes.joined.2}, after W_O"),
                    lambda m: equal(m.ranks.after_w_o, m.shapes.joined[2]),
                    T("以为乘一个矩阵能添方向。{shapes.out.2} 个方向乘 W_O 还是 {ranks.after_w_o} "
                      "个。",
                      "lets a matrix add directions. {shapes.out.2} directions times W_O are still "
                      "{ranks.after_w_o}.")),
             Option(T("{ranks.words}，一词一个", "{ranks.words}, one a word"),
                    lambda m: equal(m.ranks.separate, m.ranks.words),
                    T("以为每个词有自己的方向。头只有 {shapes.out.2} 个数宽。",
                      "gives each word its own. The head is {shapes.out.2} numbers wide."))),
            answer=Claim("not_three_times_the_room", T(
                "秩 {ranks.separate}：输出 = 权重 × 值，方向都在 W_V 里，乘 W_O 后还是 "
                "{ranks.after_w_o}。一个矩阵当三个用，也是 {ranks.single}。",
                "rank {ranks.separate}: output = weights × values, all directions are W_V's, and "
                "after W_O still {ranks.after_w_o}. One matrix for all three gives "
                "{ranks.single} too."),
                lambda m: both(equal(m.ranks.separate, m.ranks.single),
                               equal(m.ranks.after_w_o, m.ranks.separate),
                               equal(m.ranks.separate, m.shapes.out[2])),
                "side_by_side", kind="identity")),
        Question(
            T("讲义印出一张 {forged.words}×{forged.words} 的权重，全在 {forged.printed.low} 到 "
              "{forged.printed.high} 之间。旁边的代码跑 {forged.count} 次，这么平的有几次？",
              "The notes print {forged.words} by {forged.words} weights, all between "
              "{forged.printed.low} and {forged.printed.high}. Of {forged.count} runs of the code "
              "beside them, how many are as flat?"),
            (Option(T("多数", "most"),
                    lambda m: above(m.forged.runs.as_flat, 0.5 * m.forged.count),
                    T("没训练的注意力近乎平均，方向对，程度不对。",
                      "untrained attention is nearly even: the right direction, the wrong size.")),
             Option(T("几次到一半", "some, up to half"),
                    lambda m: both(at_least(m.forged.runs.as_flat, 1),
                                   below(m.forged.runs.as_flat, 0.5 * m.forged.count)),
                    T("以为随机什么都可能。", "takes random for anything goes.")),
             Option(T("一次也没有", "none"), lambda m: at_most(m.forged.runs.as_flat, 0))),
            answer=Claim("none_as_flat", T(
                "最平的一次也相差 {forged.runs.span.min}，印的是 {forged.printed.span}。",
                "in the flattest run they are {forged.runs.span.min} apart, in print "
                "{forged.printed.span}."),
                lambda m: above(m.forged.runs.span.min, 1.2 * m.forged.printed.span), "copied"),
            more=True),
    ),
    pins={"shapes.*": exact("shapes"), "sums.in_a_row": exact("a count"),
          "sums.row_error": ROUNDING, "ranks.*": exact("ranks"),
          "code.*": exact("what the notes' code did, kept as data"),
          "forged.count": exact("a count"), "forged.words": exact("a count"),
          "forged.labels.*": exact("names"), "forged.runs.as_flat": exact("a count"),
          "forged.histogram.*": exact("counts and their bins"),
          "forged.printed.row_error": ROUNDING, "forged.printed.*": ARITHMETIC,
          "forged.*": close("float32 products: the order of additions differs", rtol=1e-4,
                            atol=1e-6),
          "*": ARITHMETIC},
    errata=ERRATA["shapes"],
    notes=T(
        "约 5 分钟。形状表一行一行读，让学生先报下一行。投票后请一位学生说为什么 Q、K 不进输出。几"
        "乎"
        "全部是算术，不是发现。--more 里是讲义印出的那张矩阵：先说定量什么，再跑；试试 "
        "--set 3.gain=0.4 和 --seed 7。",
        "About 5 minutes. Read the shapes row by row, the class calling the next. After the vote "
        "let a student say why Q and K do not enter the output. Nearly all of it is arithmetic, "
        "no finding. Behind --more is the matrix the notes print: name the statistic first, then "
        "run; try --set 3.gain=0.4 and --seed 7."),
)
