"""08.4 Rank: what is low, and what is not: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d08_heads.errata import ERRATA
from demos.d08_heads.lesson import RANKS_CONTROLS, count_ranks
from demos.d08_heads.words import RECORDED
from lecture.report import (
    ARITHMETIC,
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
    Tolerance,
    close,
    exact,
)


def show_ranks(m: Metrics) -> Iterator[Block]:
    now, r = m["now"], m["record"]
    yield Paragraph(T(
        "{tokens} 个词，头宽 {head}，q、k、v 取标准正态。秩："
        "大于“最大的奇异值乘 {tokens} 乘机器精度”的"
        "奇异值有几个。",
        "{tokens} words, heads of width {head}, q, k, v standard normal. The rank counts the "
        "singular values above the largest times {tokens} times the machine's epsilon."))
    yield Table(
        (Column(T("矩阵", "matrix")), Column(T("秩，现在测", "rank now"), "d"),
         Column(T("记录 {draws} 次里", "of {draws} recorded"), "d")),
        [[T("分数 QK（一个头）", "scores QK (one head)"), now["scores"]["rank"],
          r["scores"]],
         [T("softmax 之后", "after softmax"), now["softmax"]["rank"], r["softmax"]],
         [T("头宽 4：softmax 之后", "width 4: after softmax"), now["thin"]["softmax"], None],
         [T("一个头的输出", "output of one head"), now["one_output"], None],
         [T("8 个头拼起来的输出", "8 outputs side by side"), now["all_outputs"], None],
         [T("讲义的 4×4", "the notes' 4×4"), m["four"]["rank"], None],
         [T("讲义的 3×3，第一个", "the notes' 3×3, first"), m["three"]["ranks"][0], None],
         [T("讲义的 3×3，第二个", "the notes' 3×3, second"), m["three"]["ranks"][1], None]],
        title=T("秩", "Ranks"),
        legend=T("末列：同样秩的次数（双精度）。双精度、单精度，各用相对和绝对（1e-5）的门槛，"
                 "四种算法都同意的 {record[four_rules]} 次。头宽 4：分数的秩是 "
                 "{now[thin][scores]}，softmax 之后记录里最少 {record[thin]}。",
                 "Last column: draws with the same rank (double precision). By all of four "
                 "rules, double and single precision with a relative and an absolute (1e-5) "
                 "threshold, {record[four_rules]}. With width 4 the scores have rank "
                 "{now[thin][scores]}; after "
                 "softmax the record has at least {record[thin]}."))
    yield Table(
        (Column(T("softmax 之后，怎样算一个奇异值", "after softmax, what counts")),
         Column(T("现在测", "now"), ".4g"), Column(T("记录最小", "lowest"), ".4g"),
         Column(T("记录最大", "highest"), ".4g")),
        [[T("大于高门槛", "above a high threshold"), now["by_cut"]["high"], *r["high"]],
         [T("大于低门槛", "above a low threshold"), now["by_cut"]["middle"],
          *r["middle"]],
         [T("有效秩（熵的指数）", "effective rank (e to the entropy)"),
          now["softmax"]["effective"], r["effective"]["low"], r["effective"]["high"]],
         [T("8 个头的秩加起来", "ranks of 8 heads, summed"), now["sum"], *r["sum"]]],
        title=T("“满秩”是一道门槛", "\"Full rank\" is a threshold"),
        legend=T("两道门槛：{cuts[high]} 和 {cuts[middle]}。最大的奇异值 "
                 "{now[softmax][largest]:.3f}，最小 {now[softmax][smallest]:.1e}；"
                 "前 {head} 个占能量 {now[softmax][energy]:.1%}。因果的权重是下三角，对角线全大于零"
                 "（最小 {now[causal_diagonal]:.1e}），所以正好满秩，"
                 "可是门槛只数到 {now[causal]} 个。",
                 "The thresholds: {cuts[high]} and {cuts[middle]}. The largest is "
                 "{now[softmax][largest]:.3f}, the smallest "
                 "{now[softmax][smallest]:.1e}; the first {head} hold "
                 "{now[softmax][energy]:.1%} of the energy. Causal weights are a triangle with "
                 "a diagonal above zero (at least {now[causal_diagonal]:.1e}): exactly full "
                 "rank, though the threshold counts {now[causal]}."))


PART = Part(
    number=4, key="ranks", title=T("秩：低的是什么", "Rank: what is low, and what is not"),
    compute=count_ranks, describe=show_ranks,
    controls=RANKS_CONTROLS,
    claims=(
        Claim("scores_are_low", T(
            "分数的秩不过头宽：{now[scores][rank]}，{draws} 次记录全中（{record[scores]}）；第 "
            "{head} 个奇异值至少 {record[last]:.2f}，下一个 {record[next]:.0e<1e-12}。",
            "Scores have the rank of the head's width: {now[scores][rank]}, and so in "
            "{record[scores]} of {draws} recorded draws; singular value number {head} is at "
            "least {record[last]:.2f}, the next is {record[next]:.0e<1e-12}."),
            lambda m: min(0.5 - abs(m["now"]["scores"]["rank"] - m["head"]),
                          m["record"]["scores"] - m["draws"] + 0.5,
                          m["record"]["last"] - 1e-6, 1e-6 - m["record"]["next"]), "wide"),
        Claim("softmax_fills_up", T(
            "softmax 把秩填满：{now[softmax][rank]}，{draws} 次记录里双精度 {record[softmax]} 次，"
            "四种算法都同意的 {record[four_rules]} 次；最小的奇异值 {record[smallest]:.1e}。",
            "Softmax fills it up: {now[softmax][rank]}, in double precision in "
            "{record[softmax]} of {draws} draws and by all four rules in {record[four_rules]}; "
            "the smallest singular value is {record[smallest]:.1e}."),
            lambda m: min(0.5 - abs(m["now"]["softmax"]["rank"] - m["tokens"]),
                          m["record"]["softmax"] - m["draws"] + 0.5,
                          m["record"]["four_rules"] - 0.8 * m["draws"],
                          m["record"]["smallest"] - 1e-9), "no_softmax"),
        Claim("full_is_a_threshold", T(
            "“满”要看门槛：前 {head} 个奇异值就占能量 {now[softmax][energy]:.1%}，有效秩平均 "
            "{record[effective][mean]:.1f}；大于 {cuts[high]} 的只有 {now[by_cut][high]} 个，"
            "大于 {cuts[middle]} 的 {now[by_cut][middle]} 个。",
            "\"Full\" depends on a threshold: the first {head} hold {now[softmax][energy]:.1%} "
            "of the energy, the effective rank is {record[effective][mean]:.1f} on average; "
            "{now[by_cut][high]} singular values exceed {cuts[high]}, {now[by_cut][middle]} "
            "exceed {cuts[middle]}."),
            lambda m: min(m["now"]["softmax"]["energy"] - 0.9,
                          100 - m["record"]["effective"]["mean"],
                          m["now"]["by_cut"]["middle"] - m["now"]["by_cut"]["high"] - 0.5,
                          m["tokens"] - m["now"]["by_cut"]["middle"] - 0.5), "identity"),
        Claim("causal_is_exactly_full", T(
            "因果的权重正好满秩：三角矩阵的对角线最小也有 {now[causal_diagonal]:.1e}。按门槛数却是 "
            "{now[causal]}。",
            "Causal weights have exactly full rank: the smallest number on the triangle's "
            "diagonal is {now[causal_diagonal]:.1e}. The threshold counts {now[causal]}."),
            lambda m: m["now"]["causal_diagonal"], "no_diagonal"),
        Claim("one_output_is_low", T(
            "低的是一个头的输出：秩 {now[one_output]}，就是头宽；{heads} 个头拼起来是 "
            "{now[all_outputs]}。",
            "What is low is the output of one head: rank {now[one_output]}, its width; {heads} "
            "side by side have {now[all_outputs]}."),
            lambda m: min(0.5 - abs(m["now"]["one_output"] - m["head"]),
                          0.5 - abs(m["now"]["all_outputs"] - m["tokens"])), "copies"),
        Claim("a_sum_of_ranks_is_no_rank", T(
            "把 {heads} 个头的秩加起来得 {now[sum]}，记录里 {record[sum][0]} 到 {record[sum][1]}："
            "{tokens} 行的矩阵不可能有这样的秩。",
            "The ranks of {heads} heads add up to {now[sum]}, recorded {record[sum][0]} to "
            "{record[sum][1]}: no matrix of {tokens} rows has such a rank."),
            lambda m: min(m["now"]["sum"], m["record"]["sum"][0]) - m["tokens"] - 0.5,
            "one_head"),
    ),
    questions=(Question(
        T("128 个词，分数矩阵的秩是 64。softmax 之后呢？",
          "128 words; the matrix of scores has rank 64. After softmax?"),
        (Option(T("约 54", "about 54"),
                lambda m: 5.5 - abs(m["now"]["softmax"]["rank"] - m["noted"]["single"]),
                T("以为 softmax 压低秩。它逐个取指数，正相反。",
                  "thinks softmax lowers the rank. Its exponentials do the opposite.")),
         Option(T("还是 64", "still 64"),
                lambda m: 0.5 - abs(m["now"]["softmax"]["rank"] - m["head"]),
                T("把 softmax 当成线性的。头宽限制的是分数和输出，不是权重。",
                  "takes softmax for linear. The head's width bounds scores and outputs, not "
                  "weights.")),
         Option(T("128，满秩", "128, full"),
                lambda m: 0.5 - abs(m["now"]["softmax"]["rank"] - m["tokens"])),
         Option(T("是一：每行加起来都是一", "one: every row sums to one"),
                lambda m: 0.5 - abs(m["now"]["softmax"]["rank"] - 1),
                T("行和相等不等于行相同。", "equal sums are not equal rows.")))),),
    pins={"record.*": RECORDED, "noted.*": exact("copied from the notes"), "cuts.*": RECORDED,
          "now.scores.next": close("rounding of a zero", rtol=0.0, atol=1e-11),
          "now.*rank": exact("counts"), "now.by_cut.*": exact("counts"),
          "four.rank": exact("a count"), "three.*": exact("counts"),
          "now.causal": Tolerance("band", "singular values near the threshold", low=120, high=128),
          "now.softmax.smallest": close("a small singular value", rtol=1e-6),
          "now.*": close("one draw; singular values in float64", rtol=1e-8),
          "four.*": ARITHMETIC, "*": exact("sizes")},
    errata=ERRATA["ranks"],
    notes=T(
        "约 7 分钟，一次投票。讲义那两个数（54、115）跑它自己的代码出不来；换两个门槛数同一个头，"
        "倒正好落在附近。Bhojanapalli（2020）说的低秩是头宽，不是权重。",
        "About 7 minutes, one vote. The notes' code does not give their two figures (54, 115); "
        "two thresholds on one and the same head land near them. Bhojanapalli (2020) speaks of "
        "the head's width, not of the weights."),
)
