"""11.3 Three ways out: tiles, sparse, linear: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d11_cost.errata import ERRATA
from demos.d11_cost.lesson import (
    BLOCK,
    LIVE_LENGTHS,
    WAYS,
    WAYS_OUT_CONTROLS,
    WINDOW,
    time_ways,
    ways_out,
)
from demos.d11_cost.words import COUNT, LIVE, RATIO, SWITCH, at_lengths
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
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
    exact,
)

WAY_NAMES = {
    "full": T("整张表", "in full"), "tiled": T("分块", "tiled"), "window": T("窗口", "window"),
    "strided": T("跳步", "strided"), "linear": T("线性", "linear"),
    "fused": T("融合", "fused"),
}


def show_ways_out(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一个头，宽 {width}。整张表：一次算出全部分数。分块：每次 {block} 个键，"
        "边走边记最大值与和。"
        "窗口：左右各 {window} 个邻居。跳步：往回每 √n 个看一个（只看过去）。线性：权重换成 "
        "f(q)·f(k)，"
        "f = elu + 1，括号就可以挪：先算 K 与 V 的乘积。",
        "One head, width {width}. In full: all scores at once. Tiled: {block} keys at a time, with "
        "a running maximum and sum. Window: {window} neighbours on each side. Strided: every √n-th "
        "key back (past only). Linear: weights f(q)·f(k), f = elu + 1, so that the brackets can "
        "move: K times V first."))
    yield Table(
        (Column(T("乘加次数", "multiply-adds")), *at_lengths(",d"),
         Column(T("翻倍后 ×", "doubled ×"), ".2f")),
        [[WAY_NAMES[k], *v["madds"], v["growth"][1]] for k, v in m["ways"].items()])
    yield Table(
        (Column(T("最大的数组", "largest array")), *at_lengths(",d")),
        [[WAY_NAMES[k], *v["largest"]] for k, v in m["ways"].items()],
        legend=T("运算中产生的最大一个数组有多少个数（float64 每个八字节）",
                 "numbers in the largest array that arithmetic makes (eight bytes each)"))
    yield Table(
        (Column(T("看的对数", "pairs looked at")), *at_lengths(",d"),
         Column(T("翻倍后 ×", "doubled ×"), ".2f")),
        [[WAY_NAMES[k], *v["counts"], v["growth"][1]] for k, v in m["pairs"].items()])
    yield Table(
        (Column(T("差多少", "how far off")), Column(T("与应得的差", "from what it should be"),
                                                 ".0e<1e-12"),
         Column(T("与完整 softmax 的差", "from full softmax"), ".0%")),
        [[WAY_NAMES[k], m["checked"]["exact"][k], m["checked"]["off"][k]]
         for k in WAYS if k != "full"],
        legend=T("n = {checked[n]:,}，随机的 Q、K、V。应得：分块 = 整张表；窗口、跳步 = 同样掩码的"
                 "整张表；线性 = 另一种括号。最后一列：跳步比的是因果的整张表",
                 "n = {checked[n]:,}, random Q, K, V. Should be: tiled = in full; window, strided "
                 "= in full under the same mask; linear = the other brackets. Last column: "
                 "strided against causal attention in full"))
    record = m["record"]["ways"]
    yield Table(
        (Column(T("毫秒", "ms")), *at_lengths(".1f"),
         Column(T("指数", "power"), ".2f"), Column(T("最低", "low"), ".2f"),
         Column(T("最高", "high"), ".2f"), Column(T("峰值", "peak"), ".0f")),
        [[WAY_NAMES[k], *v["ms"], v["exponent"], v["low"], v["high"], v["mb"]]
         for k, v in record.items()],
        title=T("记录，不是现在测的（{record[date]}，{record[machine][processor]}，"
                "{record[machine][threads]} 线程，numpy {record[numpy]}，torch {record[torch]}）",
                "Recorded, not measured now ({record[date]}, {record[machine][processor]}, "
                "{record[machine][threads]} thread, numpy {record[numpy]}, torch {record[torch]})"),
        legend=T("融合：torch 的分块内核。时间取 {record[runs]} 次里最快的；指数：时间是 n "
                 "的几次方，由 "
                 "n ≥ {record[from]} 拟合，最低、最高是单次的；峰值：最长时进程多占的 MB。"
                 "时间不只看乘加：新占的内存也要时间",
                 "fused: torch's tiled kernel. Times: the fastest of {record[runs]} runs; power: "
                 "time ~ n to that power, fitted from n = {record[from]} on, low and high of "
                 "single runs; peak: MB the process grew by at the longest. Time is not "
                 "multiply-adds alone: fresh memory takes time too"))
    if m["live"]:
        yield live_ways(m)


def live_ways(m: Metrics) -> Table:
    """Ratios of times taken while the screen is drawn; no metrics."""
    times = time_ways(m["width"], m["window"], m["block"])
    return Table(
        (Column(T("整张表 = 1", "in full = 1")), *at_lengths(".3f")[:len(LIVE_LENGTHS)],
         Column(T("翻倍后 ×", "doubled ×"), ".1f")),
        [[WAY_NAMES[k], *t["against_full"], t["doubled"]] for k, t in times.items()], title=LIVE)


PART = Part(
    number=3, key="ways_out",
    title=T("三条出路：分块、稀疏、线性", "Three ways out: tiles, sparse, linear"),
    compute=ways_out, describe=show_ways_out,
    params={"width": Param(64, 2, 256, about=T("头的宽度", "width of the head")),
            "window": Param(WINDOW, 1, 512, about=T("左右各看几个邻居", "neighbours each side")),
            "block": Param(BLOCK, 8, 1024, about=T("一块几个键", "keys a tile")),
            "live": Param(False, about=T("现场计时，只印倍数", "time it now, as ratios"))},
    controls=WAYS_OUT_CONTROLS,
    claims=(
        Claim("tiled_exact", T(
            "分块不是近似：与一次算完的差 {checked[exact][tiled]:.0e<1e-12}，乘加一次不少"
            "（n = {lengths[2]:,} 时都是 {ways[tiled][madds][2]:,}）。",
            "Tiles are no approximation (difference from the whole: "
            "{checked[exact][tiled]:.0e<1e-12}), and not one multiply-add is saved (both "
            "{ways[tiled][madds][2]:,} at n = {lengths[2]:,})."),
            lambda m: min(1e-12 - m["checked"]["exact"]["tiled"],
                          0.5 - abs(m["ways"]["tiled"]["madds"][2]
                                    - m["ways"]["full"]["madds"][2])), "no_rescaling"),
        Claim("tiled_memory", T(
            "省的是内存，而且越长省得越多：n = {lengths[0]:,}、{lengths[1]:,}、{lengths[2]:,} 时，"
            "最大的数组分别小 {smaller[0]:g}、{smaller[1]:g}、{smaller[2]:g} 倍，"
            "不是一个固定的倍数。",
            "Memory is what they save, the more the longer: at n = {lengths[0]:,}, {lengths[1]:,} "
            "and {lengths[2]:,} the largest array is {smaller[0]:g}, {smaller[1]:g} and "
            "{smaller[2]:g} times smaller; no fixed factor."),
            lambda m: min(m["smaller"][0] - 1, m["smaller"][1] / m["smaller"][0] - 1.9,
                          m["smaller"][2] / m["smaller"][1] - 1.9), "one_tile"),
        Claim("sparse", T(
            "长度翻倍，窗口看的对数 ×{pairs[window][growth][1]:.2f}，是线性；每 √n 看一个是 "
            "×{pairs[strided][growth][1]:.2f}，即 n√n；整张表 ×{pairs[full][growth][1]:g}。"
            "两者都与同样掩码的整张表一致（差 {checked[exact][window]:.0e<1e-12}、"
            "{checked[exact][strided]:.0e<1e-12}）。",
            "Twice the length: a window looks at ×{pairs[window][growth][1]:.2f} pairs, linear; "
            "every √n-th key at ×{pairs[strided][growth][1]:.2f}, that is n√n; the full table at "
            "×{pairs[full][growth][1]:g}. Both equal the full table under the same mask "
            "(difference {checked[exact][window]:.0e<1e-12} and "
            "{checked[exact][strided]:.0e<1e-12})."),
            lambda m: min(0.2 - abs(m["pairs"]["window"]["growth"][1] - 2),
                          0.2 - abs(m["pairs"]["strided"]["growth"][1] - 2**1.5),
                          1e-9 - abs(m["pairs"]["full"]["growth"][1] - 4),
                          1e-12 - m["checked"]["exact"]["window"],
                          1e-12 - m["checked"]["exact"]["strided"]), "all_pairs"),
        Claim("linear_orders", T(
            "线性注意力的两种括号答案相同（差 {checked[exact][linear]:.0e<1e-12}），乘加却从 "
            "{ways[full][madds][2]:,} 降到 {ways[linear][madds][2]:,}（n = {lengths[2]:,}）。",
            "Both ways to set the brackets of linear attention give the same answer (difference "
            "{checked[exact][linear]:.0e<1e-12}), for {ways[linear][madds][2]:,} multiply-adds "
            "instead "
            "of {ways[full][madds][2]:,} (n = {lengths[2]:,})."),
            lambda m: min(1e-12 - m["checked"]["exact"]["linear"],
                          m["ways"]["full"]["madds"][2] - 2 * m["ways"]["linear"]["madds"][2]),
            "softmax_stays"),
        Claim("linear_cost", T(
            "它的计算量仍随长度增长（翻倍 ×{ways[linear][growth][1]:.2f}）；"
            "与长度无关的只是要记住的"
            "状态：n = {lengths[0]:,} 和 {lengths[2]:,} 时都是 {state[2]:,} 个数，而 softmax "
            "要留着 "
            "{keys_values[2]:,} 个键和值的数。",
            "Its cost still grows with the length (×{ways[linear][growth][1]:.2f} a doubling); "
            "only "
            "the state to be remembered does not: {state[2]:,} numbers at n = {lengths[0]:,} and "
            "at {lengths[2]:,}, where softmax must keep {keys_values[2]:,} of keys and values."),
            lambda m: min(1e-6 - abs(m["ways"]["linear"]["growth"][1] - 2),
                          0.5 - abs(m["state"][2] - m["state"][0]),
                          m["keys_values"][2] - m["state"][2]), "softmax_stays"),
        Claim("linear_is_other", T(
            "但它不是 softmax 注意力：同样的 Q、K、V，输出差 {checked[off][linear]:.0%}。",
            "But it is not softmax attention: on the same Q, K, V its output is "
            "{checked[off][linear]:.0%} off."),
            lambda m: m["checked"]["off"]["linear"] - 0.5, "softmax_stays"),
    ),
    caveat=T(
        "随机的 Q、K、V 上差多少，不等于训练好的模型会差多少："
        "那样的模型是带着自己的注意力学出来的。"
        "分块的速度优势来自 GPU 上少搬内存，这里的 NumPy 只演示算法。Mamba 不在表里："
        "它是选择性状态空间"
        "模型，不是线性注意力。n log n 的是 Reformer（按哈希分桶），这里没有实现。",
        "How far off on random Q, K, V is not how far off a trained model would be: it learns with "
        "the attention it has. Tiles are fast because a GPU moves less memory; this NumPy shows "
        "the algorithm only. Mamba is not in the table: it is a selective state-space model, not "
        "linear attention. The n log n one is Reformer (buckets by hashing), not built here."),
    questions=(Question(
        T("FlashAttention 把分数表切成小块来算。它是什么？",
          "FlashAttention computes the table of scores tile by tile. What is it?"),
        (Option(T("近似，用精度换速度", "an approximation: accuracy for speed"),
                lambda m: m["checked"]["exact"]["tiled"] - 1e-9,
                T("以为 softmax 非得见到整行。记住到目前为止的最大值与和，就能一块块地修正，"
                  "一点不差。",
                  "thinks softmax must see the whole row. A running maximum and sum correct each "
                  "tile, with nothing lost.")),
         Option(T("精确，只是手头留的数少", "exact; it only holds fewer numbers"),
                lambda m: min(1e-12 - m["checked"]["exact"]["tiled"], m["smaller"][0] - 1,
                              0.5 - abs(m["ways"]["tiled"]["madds"][2]
                                        - m["ways"]["full"]["madds"][2]))),
         Option(T("少算一半的乘加", "half the multiply-adds"),
                lambda m: 0.1 - abs(m["ways"]["tiled"]["madds"][2]
                                    / m["ways"]["full"]["madds"][2] - 0.5),
                T("把省内存当成省计算。每一对仍要算。",
                  "takes less memory for less arithmetic. Every pair is still computed.")),
         Option(T("计算量变成线性", "linear arithmetic"),
                lambda m: 2.2 - m["ways"]["tiled"]["growth"][1],
                T("内存是线性的，计算不是：长度翻倍，乘加仍是四倍。",
                  "its memory is linear, its arithmetic is not: twice the length is still four "
                  "times the multiply-adds.")))),),
    pins={"record.*": exact("a record"), "live": SWITCH, "checked.exact.*": ROUNDING,
          "checked.off.*": ARITHMETIC, "*.growth.*": RATIO, "smaller.*": RATIO, "*": COUNT},
    errata=ERRATA["ways_out"],
    notes=T(
        "约 12 分钟。先投票。在黑板上走两块：第一块最大值 3，第二块来了个 5，前面的和与答案都乘 "
        "e 的 -2 "
        "次方。现场感受一下：--set 3.live=true（只印倍数）。争论点：窗口和线性都丢了东西，"
        "丢了什么？"
        "--set 3.window=512 看窗口的误差怎么降。误差能超过百分之百：少数几个随机值的平均，"
        "比很多个的平均长得多。",
        "About 12 minutes. Vote first. Do two tiles on the board: the first has maximum 3, then a "
        "5 turns up, and the sum and the answer so far are multiplied by e to the -2. To feel it: "
        "--set 3.live=true (ratios only). The argument: window and linear both lose something; "
        "what? --set 3.window=512 shows the window's error fall. It can exceed "
        "100 %: the mean of a few random values is much longer than the mean of many."),
)
