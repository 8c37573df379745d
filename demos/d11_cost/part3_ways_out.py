"""11.3 Three ways out: tiles, sparse, linear: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d11_cost.errata import ERRATA
from demos.d11_cost.lesson import (
    BLOCK,
    LIVE_LENGTHS,
    WAYS_OUT_CONTROLS,
    WINDOW,
    time_ways,
    ways_out,
)
from demos.d11_cost.words import COUNT, LIVE, RATIO, SWITCH
from lecture.margins import above, below, both, equal, every, near, same
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
    Table,
    exact,
)

WAY_NAMES = {
    "full": T("整张表", "in full"), "tiled": T("分块", "tiled"), "window": T("窗口", "window"),
    "strided": T("跨步", "strided"), "linear": T("线性", "linear"),
    "fused": T("融合", "fused"),
}
N = tuple(T(f"n={{lengths.{i}}}", f"n={{lengths.{i}}}") for i in range(3))
QUANTITIES = {
    "lengths.*": Quantity(T("长度 n", "tokens n"), ",d"),
    **{f"ways.*.madds.{i}": Quantity(N[i], ".2e") for i in range(3)},
    **{f"ways.*.largest.{i}": Quantity(N[i], ",d") for i in range(3)},
    **{f"pairs.*.counts.{i}": Quantity(N[i], ",d") for i in range(3)},
    **{f"kept.*.{i}": Quantity(N[i], ",d") for i in range(3)},
    **{f"record.ways.*.ms.{i}": Quantity(N[i], ".1f") for i in range(3)},
    "*.growth.*": Quantity(T("翻倍", "doubled"), ".2f"),
    "checked.exact.*": Quantity(T("差", "gap"), ".0e<1e-12"),
    "checked.off.*.softmax": Quantity(T("离 softmax 的", "from softmax's"), ".0%"),
    "checked.off.*.mean": Quantity(T("离 V 的平均", "from the mean of V"), ".0%"),
    "checked.n": Quantity(T("长度 n", "tokens n"), ",d"),
    "smaller.*": Quantity(T("几分之一", "part"), "g"),
    "record.ways.*.exponent": Quantity(T("n 的几次方", "power of n"), ".2f"),
    "record.ways.*.mb": Quantity(T("峰值 MB", "peak MB"), ".0f"),
    "*": Quantity(T("数", "numbers"), "d"),
}
NAMES = {
    "checked.off.softmax": T("softmax 注意力", "softmax attention"),
    "checked.off.linear": T("线性注意力", "linear attention"),
    "checked.off.mean": T("V 的平均，不看 Q 和 K", "mean of V, Q and K ignored"),
    "kept.full": T("softmax：全部的键和值", "softmax: all keys and values"),
    "kept.linear": T("线性：状态", "linear: a state"),
    **{f"*.{way}": name for way, name in WAY_NAMES.items()},
}
LEAD = (
    Paragraph(T(
        "一个头，宽 {width}，n 个词。整张表要 n·n 个分数，三条路：\n"
        "分块  每次 {block} 个键，记着最大的分数、权重之和 s、加权的和 o。例：第一块最大 3，第二块"
        "来了 5，s 和 o 先乘 e^(3-5)，再加第二块的。\n"
        "稀疏  窗口：左右各 {window} 个邻居。跨步：往回每 √n 个看一个（只看过去）。\n"
        "线性  权重是 f(q)·f(k)，f = elu + 1；外面没有 e^，可以先算 K 与 V 的乘积。",
        "One head, width {width}, n tokens. In full: n·n scores. Three ways out:\n"
        "tiles   {block} keys at a time; kept: largest score, sum of weights s, their mix o.\n"
        "        Example: first tile's maximum 3, then a 5: s and o times e^(3-5).\n"
        "sparse  window: {window} neighbours each side; strided: each √n-th key back.\n"
        "linear  weights f(q)·f(k), f = elu + 1; no e^ around them: K times V goes first.")),
)


def blocks(m: Metrics) -> Iterator[Named | Table]:
    yield Rows("ways.*", (Group(T("乘加次数", "multiply-adds"), ("madds.0", "madds.2", "growth.1")),
                          Group(T("最大的数组", "largest array"), ("largest.0", "largest.2")),
                          Group(T("核对", "check"), ("/checked.exact.*",))),
               head=T("怎样算", "way"),
               legend=T("核对：离同样掩码的整张表多远，线性比另一种括号（n = {checked.n}，随机的 "
                        "Q、K、V）。",
                        "check: gap from the full table under the same mask; linear: from the "
                        "other brackets (n = {checked.n}, random Q, K, V)."))
    yield Rows("checked.off.*", ("softmax", "mean"), head=T("输出差多远", "how far off"))
    yield Rows("pairs.*", ("counts.0", "counts.1", "counts.2", "growth.1"), more=True,
               head=T("看的对数", "pairs looked at"))
    yield Rows("kept.*", ("0", "1", "2"), more=True,
               head=T("为下一个词留着的数", "kept for the next word"))
    yield Rows("record.ways.*", ("ms.0", "ms.1", "ms.2", "exponent", "mb"), more=True,
               head=T("毫秒（记录）", "ms (recorded)"),
               legend=T("记录：{record.date}，{record.machine.processor}，"
                        "{record.machine.threads} 线程，{record.runs} 次里最快的。融合：torch 的分"
                        "块内核。",
                        "Recorded {record.date}, {record.machine.processor}, "
                        "{record.machine.threads} thread, the fastest of {record.runs} runs. "
                        "fused: torch's tiled kernel."))
    if m["live"]:
        yield live_ways(m)


def live_ways(m: Metrics) -> Table:
    """Ratios of times taken while the screen is drawn; no metrics."""
    times = time_ways(m["width"], m["window"], m["block"])
    return Table(
        (Column(T("整张表 = 1", "in full = 1")),
         *(Column(N[i], ".3f") for i in range(len(LIVE_LENGTHS))),
         Column(T("翻倍", "doubled"), ".1f")),
        [[WAY_NAMES[k], *t["against_full"], t["doubled"]] for k, t in times.items()], title=LIVE)


PART = Part(
    number=3, key="ways_out",
    title=T("三条出路：分块、稀疏、线性", "Three ways out: tiles, sparse, linear"),
    compute=ways_out, describe=blocks, lead=LEAD, quantities=QUANTITIES, names=NAMES,
    params={"width": Param(64, 2, 256, about=T("头的宽度", "width of the head")),
            "window": Param(WINDOW, 1, 512, about=T("左右各看几个邻居", "neighbours each side")),
            "block": Param(BLOCK, 8, 1024, about=T("一块几个键", "keys a tile")),
            "live": Param(False, about=T("现场计时，只印倍数", "time it now, as ratios"))},
    controls=WAYS_OUT_CONTROLS,
    claims=(
        Claim("sparse", T(
            "长度翻倍，窗口的乘加 ×{ways.window.growth.1}，是线性；跨步 "
            "×{ways.strided.growth.1}，接近 n√n；整张表 ×{ways.full.growth.1}。",
            "Twice the length: ×{ways.window.growth.1} multiply-adds in a window, linear; "
            "×{ways.strided.growth.1} in strides, near n√n; ×{ways.full.growth.1} in full."),
            lambda m: both(near(m.ways.window.growth[1], 2, 0.2),
                           near(m.ways.strided.growth[1], 2**1.5, 0.2),
                           near(m.ways.full.growth[1], 4, 1e-9)),
            "all_pairs", kind="example"),
        Claim("linear_orders", T(
            "线性：(f(Q) f(K)^T) V = f(Q) (f(K)^T V)，差 {checked.exact.linear}；后一种长度翻倍只"
            "要 ×{ways.linear.growth.1}。",
            "Linear: (f(Q) f(K)^T) V = f(Q) (f(K)^T V), gap {checked.exact.linear}; the second "
            "takes ×{ways.linear.growth.1} at twice the length."),
            lambda m: both(below(m.checked.exact.linear, 1e-12),
                           near(m.ways.linear.growth[1], 2, 1e-6)),
            "softmax_stays", kind="identity"),
        Claim("nearly_the_mean", T(
            "可它是另一种注意力：在这样的 Q、K 上，这个 f 给出的几乎就是 V 的平均，离它 "
            "{checked.off.linear.mean}；softmax 给出的离它 {checked.off.softmax.mean}。",
            "But it is another attention: on such Q and K this f gives nearly the plain mean of "
            "V, {checked.off.linear.mean} from it; softmax is {checked.off.softmax.mean} from it."),
            lambda m: both(below(m.checked.off.linear.mean, 0.2),
                           above(m.checked.off.softmax.mean, 5 * m.checked.off.linear.mean)),
            "softmax_stays", kind="example"),
        Claim("tiled_memory", T(
            "分块省的是显存，没有固定的倍数：最大的数组降到 {smaller.0} 分之一、"
            "{smaller.1} 分之一、{smaller.2} 分之一。",
            "Memory is what tiles save, by no fixed factor: the largest array falls to "
            "one part in {smaller.0}, {smaller.1}, {smaller.2}."),
            lambda m: both(above(m.smaller[0], 1), above(m.smaller[1] / m.smaller[0], 1.9),
                           above(m.smaller[2] / m.smaller[1], 1.9)),
            "one_tile", kind="example", more=True),
        Claim("linear_state", T(
            "线性注意力与长度无关的只是状态：一直是 {kept.linear.2} 个数；softmax 要留着 "
            "{kept.full.2} 个。",
            "Only linear attention's state does not depend on the length: {kept.linear.2} numbers "
            "throughout, where softmax keeps {kept.full.2}."),
            lambda m: both(same(m.kept.linear, 0.5), above(m.kept.full[2], m.kept.linear[2])),
            "softmax_stays", kind="example", more=True),
    ),
    caveat=T(
        "Q、K、V 是随机的；模型可以带着自己的注意力去学。Reformer（n log n）和状态空间模型 Mamba "
        "没有做。",
        "Random Q, K, V; a model can learn with the attention it has. Not built: Reformer "
        "(n log n) and Mamba, a state-space model."),
    further=T(
        "分块快，快在 GPU 少读写显存；这里只演示算法。",
        "Tiles are fast because a GPU moves less memory; here only the algorithm is shown."),
    questions=(Question(
        T("FlashAttention 把分数表切成小块来算。它的答案和乘加次数：",
          "FlashAttention computes the scores tile by tile. Its answer, and its multiply-adds:"),
        (Option(T("近似", "approximate"), lambda m: above(m.checked.exact.tiled, 1e-9),
                T("以为 softmax 非得一次见到整行。最大值和总和可以边走边改。",
                  "thinks softmax must see the whole row at once. Maximum and sum can be "
                  "corrected on the way.")),
         Option(T("精确，一样多", "exact, as many"),
                lambda m: both(below(m.checked.exact.tiled, 1e-12),
                               equal(m.ways.tiled.madds[2], m.ways.full.madds[2]))),
         Option(T("精确，少一半", "exact, half"),
                lambda m: both(below(m.checked.exact.tiled, 1e-12),
                               near(m.ways.tiled.madds[2] / m.ways.full.madds[2], 0.5, 0.1)),
                T("把省显存当成省计算。每一对仍要算。",
                  "takes less memory for less arithmetic. Every pair is still computed.")),
         Option(T("精确，与 n 成正比", "exact, linear in n"),
                lambda m: both(below(m.checked.exact.tiled, 1e-12),
                               below(m.ways.tiled.growth[1], 2.2)),
                T("显存是线性的，计算不是：长度翻倍，乘加仍是四倍。",
                  "its memory is linear, its arithmetic is not: twice the length is still four "
                  "times the multiply-adds."))),
        answer=Claim("tiled_exact", T(
            "精确，差 {checked.exact.tiled}，乘加一次不少。少的是手头的数：n = {lengths.2} 时最大"
            "的数组降到 {smaller.2} 分之一。",
            "exact, gap {checked.exact.tiled}, and no multiply-add is saved. Less is held: at "
            "n = {lengths.2} the largest array falls to one part in {smaller.2}."),
            lambda m: both(below(m.checked.exact.tiled, 1e-12),
                           every(equal(a, b) for a, b in zip(
                               m.ways.tiled.madds, m.ways.full.madds, strict=True)),
                           near(m.smaller[2] * m.ways.tiled.largest[2]
                                / m.ways.full.largest[2], 1, 1e-9),
                           above(m.smaller[2], 1)),
            "no_rescaling", kind="example", given=("lengths.2",))),),
    pins={"record.*": exact("a record"), "live": SWITCH, "checked.exact.*": ROUNDING,
          "checked.off.softmax.softmax": ROUNDING, "checked.off.mean.mean": ROUNDING,
          "checked.off.*": ARITHMETIC, "*.growth.*": RATIO, "smaller.*": RATIO, "*": COUNT},
    errata=ERRATA["ways_out"],
    notes=T(
        "约 12 分钟。先投票，再照导入里的例子在黑板上走两块。现场感受一下：--set 3.live=true（只印"
        "倍数）。争论点：窗口和线性都丢了东西，丢了什么？--set 3.width=16 让线性离平均远一点：分数"
        "的相对起伏大了。",
        "About 12 minutes. Vote first, then walk two tiles on the board, as the example does. To "
        "feel it: --set 3.live=true (ratios only). The argument: window and linear both lose "
        "something; what? --set 3.width=16 takes linear further from the mean: its weights differ "
        "more."),
)
