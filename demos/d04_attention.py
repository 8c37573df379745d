"""What does attention compute, why these three details, and what can two layers do?

A query is compared with every key; softmax turns the scores into weights that sum
to 1; the answer is the mean of the values under them.  Part 1 looks things up this
way, part 2 asks why the scores are divided by √d, part 3 hides the future, part 4
chains two look-ups into a circuit that copies, part 5 opens a trained tiny GPT and
cuts what its heads look at.

Unlike demo 03: nothing is recurrent, any two words are one step apart.  Left out: how
queries and keys are learned (05), other masks (06), position codes (07), many heads
(08), and how the circuit of part 4 grows in training (12).
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from attention_np import (
    HandBuiltInduction,
    LookBack,
    attention,
    causal_mask,
    copy_accuracy,
    entropy,
    repeated_sequences,
    repeats_at_varying_distance,
    sinusoidal_positions,
    softmax,
)
from demos.errata.e04 import ERRATA
from lecture import model_cache, recipes, records
from lecture.gpt_np import GPT, cut_edge, init_weights
from lecture.probes_np import (
    NAMES_IN_COPY,
    Questions,
    copied,
    copy_pool,
    looks,
    questions,
    right,
    swapped,
)
from lecture.recipes import Recipe
from lecture.report import (
    Block,
    Claim,
    Column,
    Curve,
    HeatMap,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    Row,
    T,
    Table,
    close,
    exact,
)
from pretrain_world import RELATIONS, Tokenizer, repeated_sequences_of_names, tokenizer

Array = np.ndarray
ARITHMETIC = close("deterministic float64: only the order of additions may differ")
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-12)


# --- 1. a soft dictionary look-up ---------------------------------------------

KEYS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.7, 0.7, 0]])
VALUES = np.array([[10.0], [20.0], [30.0], [40.0]])
QUERIES = {"colour": (1, 0, 0), "place": (0, 0, 1), "both": (1, 1, 0),
           "nothing": (0, 0, 0), "opposite": (-1, -1, 0)}


def without_softmax(Q: Array, K: Array, V: Array,
                    scale: bool = False) -> tuple[Array, Array]:
    """Each key judged by itself: negative scores give 0, no competition."""
    W = np.maximum(Q @ K.T, 0)              # [n_q, d] @ [d, n_k]
    return W @ V, W                         # [n_q, n_k] @ [n_k, 1]


def look_up(beta: float, seed: int, attend: Any = attention,
            use_beta: bool = True) -> Metrics:
    """Five queries, three sharpnesses; nothing is drawn, seed is unused."""
    betas = {"soft": 1.0, "sharp": beta, "extreme": 100.0}
    Q = np.array(list(QUERIES.values()), dtype=float)           # [5, 3]
    found: Metrics = {name: {} for name in QUERIES}
    lowest = []
    for sharpness, b in betas.items():
        b = b if use_beta else 1.0
        out, W = attend(b * Q, KEYS, VALUES, scale=False)
        lowest.append(W.min())                          # W [5, 4]
        for name, w, value in zip(found, W, out[:, 0], strict=True):
            found[name][sharpness] = {"weights": w, "value": value}

    # one query, the scores 0 .. 5: first as they are, then all 100 higher
    one, scores = np.ones((1, 1)), np.arange(6.0)[:, None]      # [6, 1]
    _, plain = attend(one, scores, scores, scale=False)
    _, raised = attend(one, scores + 100, scores, scale=False)  # [1, 6]
    # other weights, the same answer
    mixes = np.array([[.5, .5, 0], [0, 0, 1], [.25, .25, .5]])  # [3, 3]
    return {"betas": betas, "values": VALUES[:, 0], "queries": found,
            "mean_value": VALUES.mean(), "lowest_weight": min(lowest),
            "ladder": {"scores": scores[:, 0], "lowest": plain.min(),
                       "added": 100.0, "change": abs(raised - plain).max()},
            "blind": {"mixes": mixes, "values": [0.0, 2.0, 1.0],
                      "answers": mixes @ [0.0, 2.0, 1.0]}}


QUERY_NAMES = {
    "colour": T("像颜色", "like colour"),
    "place": T("像地点", "like place"),
    "both": T("像颜色兼数字", "colour and number"),
    "nothing": T("谁都不像", "like nothing"),
    "opposite": T("反颜色反数字", "opposite to both"),
}


def show_look_up(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "字典里有四个条目，值是 {values[0]:g}、{values[1]:g}、{values[2]:g}、{values[3]:g}。"
        "分数 = β × (查询 · 键)，softmax 把分数变成和为一的权重，取回的是四个值的加权平均。",
        "A dictionary of four entries with the values {values[0]:g}, {values[1]:g}, "
        "{values[2]:g}, {values[3]:g}. Score = β × (query · key); softmax turns the scores "
        "into weights that sum to one; what comes back is the weighted mean of the values."))
    yield Table(
        (Column(T("查询", "query")), Column(T("β", "β"), "g"),
         Column(T("颜色", "colour"), ".4f"), Column(T("数字", "number"), ".4f"),
         Column(T("地点", "place"), ".4f"), Column(T("颜色+数字", "colour+number"), ".4f"),
         Column(T("取回的值", "value"), ".4f")),
        [[QUERY_NAMES[name], m["betas"][b], *cell["weights"], cell["value"]]
         for name, cells in m["queries"].items() for b, cell in cells.items()],
        title=T("给每个条目的权重，和取回的值",
                "Weight on each entry, and the value that comes back"))


LOOKUP = Part(
    number=1, key="lookup",
    title=T("软的字典查找", "A soft dictionary look-up"),
    compute=look_up, describe=show_look_up,
    params={"beta": Param(10.0, 0.0, 1000.0, about=T("查找有多锐利", "how sharp the look-up is"))},
    controls={"no_softmax": partial(look_up, attend=without_softmax),
              "beta_ignored": partial(look_up, use_beta=False)},
    claims=(
        Claim("soft", T(
            "越像，给得越多，但人人有份：像颜色的查询（β = {betas[soft]:g}）给颜色 "
            "{queries[colour][soft][weights][0]:.2f}，给地点也有 "
            "{queries[colour][soft][weights][2]:.2f}；权重加起来是一，取回的 "
            "{queries[colour][soft][value]:.1f} 落在最小的 {values[0]:g} 和最大的 "
            "{values[3]:g} 之间。",
            "The more alike, the more it gives, and everyone gives something: at "
            "β = {betas[soft]:g} the query like colour puts "
            "{queries[colour][soft][weights][0]:.2f} on colour, and still "
            "{queries[colour][soft][weights][2]:.2f} on place; the weights sum to one, and "
            "{queries[colour][soft][value]:.1f} comes back, between the smallest value "
            "{values[0]:g} and the largest {values[3]:g}."),
            lambda m: min(*m["queries"]["colour"]["soft"]["weights"][1:],
                          m["queries"]["colour"]["soft"]["weights"][0]
                          - max(m["queries"]["colour"]["soft"]["weights"][1:]),
                          1e-9 - abs(sum(m["queries"]["colour"]["soft"]["weights"]) - 1),
                          m["queries"]["colour"]["soft"]["value"] - m["values"][0],
                          m["values"][3] - m["queries"]["colour"]["soft"]["value"]),
            "no_softmax"),
        Claim("sharp", T(
            "β 从 {betas[soft]:g} 变成 {betas[sharp]:g}，颜色的权重从 "
            "{queries[colour][soft][weights][0]:.2f} 升到 "
            "{queries[colour][sharp][weights][0]:.2f}：β 越大，越像“要么全要、要么不要”的硬查找。",
            "From β = {betas[soft]:g} to {betas[sharp]:g} the weight on colour rises from "
            "{queries[colour][soft][weights][0]:.2f} to "
            "{queries[colour][sharp][weights][0]:.2f}: the larger β, the closer to a hard, "
            "all-or-nothing look-up."),
            lambda m: (m["queries"]["colour"]["sharp"]["weights"][0]
                       - m["queries"]["colour"]["soft"]["weights"][0]),
            "beta_ignored"),
        Claim("tie", T(
            "平手永远是平手：谁都不像的查询，β = {betas[soft]:g}、{betas[sharp]:g}、"
            "{betas[extreme]:g} 时四个权重都是 {queries[nothing][extreme][weights][0]:.2f}，"
            "取回平均值 {queries[nothing][extreme][value]:.1f}。",
            "A tie stays a tie: the query like nothing gets four weights of "
            "{queries[nothing][extreme][weights][0]:.2f} at β = {betas[soft]:g}, "
            "{betas[sharp]:g} and {betas[extreme]:g}, and the mean "
            "{queries[nothing][extreme][value]:.1f} comes back."),
            lambda m: 1e-9 - max(
                *(abs(w - 0.25) for cell in m["queries"]["nothing"].values()
                  for w in cell["weights"]),
                *(abs(cell["value"] - m["mean_value"])
                  for cell in m["queries"]["nothing"].values())),
            "no_softmax"),
        Claim("opposite", T(
            "注意力不会说“没找到”：查询与颜色、数字都相反，没有一个键像它；β = {betas[sharp]:g} "
            "时仍把 {queries[opposite][sharp][weights][2]:.4f} 给了地点，取回 "
            "{queries[opposite][sharp][value]:.1f}。谁最不讨厌，谁就赢。",
            "Attention cannot say “not found”: nothing is like the query opposite to colour "
            "and number, yet at β = {betas[sharp]:g} it puts "
            "{queries[opposite][sharp][weights][2]:.4f} on place and brings back "
            "{queries[opposite][sharp][value]:.1f}. The least unlike wins."),
            lambda m: min(m["queries"]["opposite"]["sharp"]["weights"][2] - 0.99,
                          0.1 - abs(m["queries"]["opposite"]["sharp"]["value"]
                                    - m["values"][2])),
            "no_softmax"),
        Claim("never_zero", T(
            "没有遮罩，权重就不会正好是零：上表最小的一个是 {lowest_weight:.0e}；分数从 "
            "{ladder[scores][0]:g} 排到 {ladder[scores][5]:g} 时，最末一名也还有 "
            "{ladder[lowest]:.4f}。",
            "Without a mask no weight is exactly zero: the smallest in the table is "
            "{lowest_weight:.0e}; for scores from {ladder[scores][0]:g} to "
            "{ladder[scores][5]:g} the last one still gets {ladder[lowest]:.4f}."),
            lambda m: min(m["lowest_weight"], m["ladder"]["lowest"]), "no_softmax"),
        Claim("only_differences", T(
            "只有同一行里的差距算数：把一整行分数都加上 {ladder[added]:g}，权重的变化是 "
            "{ladder[change]:g}。",
            "Only differences within a row count: add {ladder[added]:g} to all its scores "
            "and the weights change by {ladder[change]:g}."),
            lambda m: min(m["ladder"]["added"] - 1, 1e-12 - m["ladder"]["change"]),
            "no_softmax"),
    ),
    caveat=T(
        "键和查询是手工定的；真模型里它们是学出来的（演示 05）。权重也不等于“原因”：值是 0、2、1 "
        "时，三组很不一样的权重取回的都是 {blind[answers][0]:g}、{blind[answers][1]:g}、"
        "{blind[answers][2]:g}。",
        "Keys and queries are set by hand here; a real model learns them (demo 05). And a "
        "weight is not a reason: over the values 0, 2, 1 three very different sets of weights "
        "return {blind[answers][0]:g}, {blind[answers][1]:g} and {blind[answers][2]:g}."),
    questions=(Question(
        T("查询与“颜色”“数字”两个键都相反：(-1, -1, 0)，β = {beta:g}。取回的值是多少？",
          "The query is opposite to the keys colour and number: (-1, -1, 0), β = {beta:g}. "
          "Which value comes back?"),
        (Option(T("0：什么都没找到", "0: nothing was found"),
                lambda m: 0.5 - abs(m["queries"]["opposite"]["sharp"]["value"]),
                T("以为不像就等于“没有结果”。softmax 只排名次，总要分完这个“一”。",
                  "takes low similarity for “no result”. Softmax only ranks: the whole weight "
                  "of one is always given away.")),
         Option(T("25：四个值的平均", "25: the mean of all four"),
                lambda m: 0.5 - abs(m["queries"]["opposite"]["sharp"]["value"]
                                    - m["mean_value"]),
                T("以为都不像就会平分。平分要四个分数打平；这里地点的分数是零，别的都是负数。",
                  "expects an even split when nothing fits. That takes four equal scores; here "
                  "place scores zero and the others are negative.")),
         Option(T("30：几乎全给“地点”", "30: almost all on place"),
                lambda m: 0.5 - abs(m["queries"]["opposite"]["sharp"]["value"]
                                    - m["values"][2])),
         Option(T("一个负数", "a negative number"),
                lambda m: -m["queries"]["opposite"]["sharp"]["value"],
                T("以为负分数会变成负权重。指数函数的结果总是正的。",
                  "lets a negative score become a negative weight. An exponential is always "
                  "positive.")))),),
    pins={"queries.*.weights.*": ARITHMETIC, "ladder.change": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["lookup"],
    notes=T(
        "约 6 分钟。先让大家对“相反的查询”投票，再看表。争论点：怎样才能让注意力说“没找到”？"
        "（加一个空键：第 4 部分就用了。）试试 --set 1.beta=1000：最小的权重在 64 位浮点里"
        "下溢成零，“不会正好是零”那句就不成立了，正好谈谈数学和机器的差别。",
        "About 6 minutes. Vote on the opposite query before the table. The argument: how "
        "could attention say “not found”? (With a null key: part 4 uses one.) Try "
        "--set 1.beta=1000: the smallest weight underflows in float64 and “never exactly zero” "
        "stops being true, a good moment for mathematics against machines."),
)

# --- 2. why the scores are divided by √d --------------------------------------

DIMS, N_KEYS, TRIALS, INPUT = (4, 16, 64, 256, 1024), 16, 2000, 64
BLOCK = 2**18           # numbers drawn at a time: 2 MB, so that they fit the cache


def in_blocks(rng: np.random.Generator, d: int,
              trials: int) -> Iterator[tuple[Array, Array]]:
    """Queries [b, d] and keys [b, 16, d], q before K in every trial.

    The stream is that of one trial at a time, whatever BLOCK is.
    """
    most = max(1, BLOCK // ((1 + N_KEYS) * d))
    for start in range(0, trials, most):
        b = min(most, trials - start)
        drawn = rng.standard_normal((b, 1 + N_KEYS, d))         # [b, 17, d]
        yield drawn[:, 0], drawn[:, 1:]


def drawn_ahead(blocks: Iterator[Any]) -> Iterator[Any]:
    """The same blocks in the same order, drawn by a thread of its own.

    Drawing is most of this part's work, and NumPy draws without Python's
    lock: what is computed from one block costs no time beside the next.
    """
    ready: queue.Queue[Any] = queue.Queue(maxsize=4)

    def draw() -> None:
        try:
            for block in blocks:
                ready.put(block)
            ready.put(None)
        except Exception as error:              # told to whoever waits
            ready.put(error)

    threading.Thread(target=draw, daemon=True).start()
    for block in iter(ready.get, None):
        if isinstance(block, Exception):
            raise block
        yield block


def one_width(blocks: Iterator[tuple[Array, Array]], side: np.random.Generator,
              d: int, divide: float, trials: int, unit: bool) -> Metrics:
    """Random looks at 16 random keys: how sharp, and what a loss feels.

    The loss is the value that comes back; values are drawn, N(0, 1). With
    q = x W_Q and x of 64 numbers N(0, 1), its gradient on W_Q in one
    example is x times d loss / d q: we take the norm of that matrix.
    """
    all_values = side.standard_normal((trials, N_KEYS))     # [trials, 16]
    inputs = side.standard_normal((trials, INPUT))          # [trials, 64]
    scores, weights, pulls, done = [], [], [], 0
    while done < trials:
        q, K = next(blocks)
        if unit:                                # every key of length one
            K = K / np.linalg.norm(K, axis=-1, keepdims=True)
            q = q / np.linalg.norm(q, axis=-1, keepdims=True)
        dots = (K @ q[:, :, None])[..., 0]      # [b, 16, d] @ [b, d, 1]
        W = softmax(dots / divide)                              # [b, 16]
        now = slice(done, done := done + len(q))
        values, x = all_values[now], inputs[now]        # [b, 16] [b, 64]
        back = (W * values).sum(axis=1, keepdims=True)          # [b, 1]
        ds = W * (values - back) / divide                       # [b, 16]
        dq = (ds[:, None] @ K)[:, 0]            # [b, 1, 16] @ [b, 16, d]
        pulls.append(np.linalg.norm(x, axis=1) * np.linalg.norm(dq, axis=1))
        scores.append(dots)
        weights.append(W)
    W, pull = np.concatenate(weights), np.concatenate(pulls)
    two, three = (W**2).sum(axis=1), (W**3).sum(axis=1)         # [trials]
    jacobian = np.sqrt(np.maximum(two - 2 * three + two**2, 0))
    all_dots = np.concatenate(scores)                       # [trials, 16]
    return {"d": d, "dot_std": all_dots.std(),
            "dot_variance": all_dots.var(),
            "root_d": np.sqrt(d), "max_weight": W.max(axis=1).mean(),
            "entropy": entropy(W).mean(), "jacobian": jacobian.mean(),
            "gradient": {"median": np.median(pull), "mean": pull.mean(),
                         "max": pull.max()}}


def worked_example(others: float) -> Metrics:
    """The notes' own numbers: width 4, score 36, against three others."""
    q = np.full(4, 3.0)                                         # [4]
    dot, found = q @ q, {}
    for name, score in {"whole": dot, "divided": dot / np.sqrt(len(q)),
                        "misdivided": dot / len(q)}.items():
        W = softmax([score] + [others * score] * 3)             # [4]
        found[name] = {"score": score, "weight": W[0],
                       "slope": W[0] * W[1:].sum()}     # p (1 - p)
    return {"d": len(q), "scores": found,
            "equal_weight": softmax([dot] * 4)[0]}


def trained_heads(divided: tuple[bool, bool]) -> Metrics:
    """The record of lecture/lookup_np.py: one head, several seeds."""
    record = records.read("scale_training")
    setup, found = record["setup"], {}
    for arm, divide in zip(("unscaled", "scaled"), divided, strict=True):
        runs = record["runs"]["scaled" if divide else "unscaled"]
        steps = [r["reached"] for r in runs if r["reached"] is not None]
        last = [r["last"] for r in runs]
        found[arm] = {
            "runs": len(runs), "reached": len(steps),
            "fastest": min(steps, default=None),
            "slowest": max(steps, default=None),
            "lowest": min(last), "highest": max(last),
            "curve": np.mean([r["curve"] for r in runs], axis=0)}
    at = range(0, setup["steps"] + 1, setup["every"])
    return {**found, "setup": setup, "steps": list(at)}


def scale_scores(seed: int, divided: tuple[bool, bool] = (False, True),
                 unit: bool = False, others: float = 0.0,
                 trials: int = TRIALS) -> Metrics:
    """For each width all undivided trials, then all divided ones."""
    rng = np.random.default_rng(seed)
    side = np.random.default_rng([seed, 1])     # values and inputs
    arms: Metrics = {"unscaled": {}, "scaled": {}}
    blocks = drawn_ahead(block for d in DIMS for _ in arms
                         for block in in_blocks(rng, d, trials))
    for d in DIMS:
        for arm, divide in zip(arms, divided, strict=True):
            arms[arm][f"d{d}"] = one_width(
                blocks, side, d, np.sqrt(d) if divide else 1.0, trials, unit)
    return {**arms, "keys": N_KEYS, "trials": trials, "input": INPUT,
            "even_entropy": np.log(N_KEYS),
            "example": worked_example(others),
            "trained": trained_heads(divided)}


ARMS = {"unscaled": T("不除以 √d", "Not divided by √d"),
        "scaled": T("除以 √d", "Divided by √d")}
EXAMPLE_NAMES = {"whole": T("不除", "nothing"), "divided": T("√d", "√d"),
                 "misdivided": T("d（讲义）", "d (the notes)")}


def show_scale(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "随机的查询和键，每一维都是标准正态；{keys} 个键，每行 {trials} 次。权重全平时熵是 "
        "{even_entropy:.2f}。梯度：损失就是取回的值（值也随机抽），对 W_Q 求导，"
        "每个样本算一个范数；输入是 {input} 个标准正态数。",
        "Random queries and keys, every number standard normal; {keys} keys, {trials} trials a "
        "row. An even spread has entropy {even_entropy:.2f}. Gradient: the loss is the value "
        "that comes back (values drawn too); its derivative on W_Q, one norm an example; the "
        "input is {input} standard normal numbers."))
    for arm, title in ARMS.items():
        yield Table(
            (Column(T("d", "d"), "d"), Column(T("q·k 标准差", "std of q·k"), ".2f"),
             Column(T("最大权重", "largest weight"), ".4f"), Column(T("熵", "entropy"), ".4f"),
             Column(T("softmax 导数", "softmax Jacobian"), ".4f"),
             Column(T("梯度 中位数", "gradient: median"), ".3f"),
             Column(T("平均", "mean"), ".2f"), Column(T("最大", "max"), ".1f")),
            [[r["d"], r["dot_std"], r["max_weight"], r["entropy"], r["jacobian"],
              *r["gradient"].values()] for r in m[arm].values()], title=title)
    trained = m["trained"]
    yield Curve(trained["steps"], [(ARMS[arm], trained[arm]["curve"]) for arm in ARMS],
                T("训练步数", "training steps"), T("准确率", "accuracy"), low=0.0, high=1.0,
                title=T("记录：训练一个头做查找，d = {trained[setup][width]}",
                        "Recorded: one head trained to look up, d = {trained[setup][width]}"))
    yield Table(
        (Column(T("除以什么", "divided by")), Column(T("分数", "score"), "g"),
         Column(T("权重 p", "weight p"), ".4f"),
         Column(T("斜率 p(1-p)", "slope p(1-p)"), ".0e")),
        [[EXAMPLE_NAMES[name], *row.values()] for name, row in m["example"]["scores"].items()],
        title=T("一个向量：d = {example[d]}，对三个零分",
                "One vector: d = {example[d]}, against three scores of zero"))


SCALE = Part(
    number=2, key="scale",
    title=T("为什么除以 √d", "Why divide by √d"),
    compute=scale_scores, describe=show_scale,
    controls={"both_divided": partial(scale_scores, divided=(True, True), trials=400),
              "none_divided": partial(scale_scores, divided=(False, False), trials=400),
              "unit_length": partial(scale_scores, unit=True, trials=400),
              "equal_keys": partial(scale_scores, others=1.0, trials=40)},
    claims=(
        Claim("root_d", T(
            "q·k 是 d 个乘积的和，标准差按 √d 长：d = {unscaled[d4][d]} 时 "
            "{unscaled[d4][dot_std]:.1f}，d = {unscaled[d1024][d]} 时 "
            "{unscaled[d1024][dot_std]:.1f}。",
            "q·k is a sum of d products and its spread grows as √d: "
            "{unscaled[d4][dot_std]:.1f} at d = {unscaled[d4][d]}, "
            "{unscaled[d1024][dot_std]:.1f} at d = {unscaled[d1024][d]}."),
            lambda m: 0.05 - max(abs(r["dot_std"] / r["root_d"] - 1)
                                 for r in m["unscaled"].values()), "unit_length"),
        Claim("saturates", T(
            "不除的话，d = {unscaled[d1024][d]} 时最大权重平均 {unscaled[d1024][max_weight]:.3f}，"
            "熵只剩 {unscaled[d1024][entropy]:.2f}：还没学，每个查询就已经只看一个键。",
            "Undivided, at d = {unscaled[d1024][d]} the largest weight is "
            "{unscaled[d1024][max_weight]:.3f} on average and the entropy "
            "{unscaled[d1024][entropy]:.2f}: before any learning each query sees one key only."),
            lambda m: min(m["unscaled"]["d1024"]["max_weight"] - 0.9,
                          0.2 - m["unscaled"]["d1024"]["entropy"]), "both_divided"),
        Claim("same_at_every_width", T(
            "除以 √d，最大权重从 d = {scaled[d4][d]} 到 {scaled[d1024][d]} 都差不多："
            "{scaled[d4][max_weight]:.3f} 和 {scaled[d1024][max_weight]:.3f}。",
            "Divided, the largest weight hardly changes from d = {scaled[d4][d]} to "
            "{scaled[d1024][d]}: {scaled[d4][max_weight]:.3f} and "
            "{scaled[d1024][max_weight]:.3f}."),
            lambda m: 0.03 - (max(r["max_weight"] for r in m["scaled"].values())
                              - min(r["max_weight"] for r in m["scaled"].values())),
            "none_divided"),
        Claim("jacobian_shrinks", T(
            "“梯度消失”只对一半。softmax 的导数（范数）确实变小，从 "
            "{unscaled[d4][jacobian]:.4f} 到 {unscaled[d1024][jacobian]:.4f}，除以 √d 时则是 "
            "{scaled[d1024][jacobian]:.2f}。",
            "“The gradient vanishes” is half true. The softmax Jacobian (its norm) does shrink, "
            "from {unscaled[d4][jacobian]:.4f} to {unscaled[d1024][jacobian]:.4f}, against "
            "{scaled[d1024][jacobian]:.2f} when divided."),
            lambda m: min(0.1 - m["unscaled"]["d1024"]["jacobian"],
                          m["unscaled"]["d4"]["jacobian"] - 0.2,
                          m["scaled"]["d1024"]["jacobian"] - 0.2), "both_divided"),
        Claim("most_vanish_some_explode", T(
            "可 W_Q 的梯度还要乘上没缩小的键。d = {unscaled[d1024][d]}，不除 | 除：中位数 "
            "{unscaled[d1024][gradient][median]:.3f} | {scaled[d1024][gradient][median]:.1f}，"
            "平均 {unscaled[d1024][gradient][mean]:.1f} | {scaled[d1024][gradient][mean]:.1f}，"
            "最大 {unscaled[d1024][gradient][max]:.0f} | {scaled[d1024][gradient][max]:.0f}："
            "多数消失，少数爆炸。",
            "But the gradient on W_Q is multiplied by keys that were not shrunk. At "
            "d = {unscaled[d1024][d]}, undivided | divided: median "
            "{unscaled[d1024][gradient][median]:.3f} | {scaled[d1024][gradient][median]:.1f}, "
            "mean {unscaled[d1024][gradient][mean]:.1f} | "
            "{scaled[d1024][gradient][mean]:.1f}, max {unscaled[d1024][gradient][max]:.0f} | "
            "{scaled[d1024][gradient][max]:.0f}: most vanish, a few explode."),
            lambda m: min(0.01 * m["scaled"]["d1024"]["gradient"]["median"]
                          - m["unscaled"]["d1024"]["gradient"]["median"],
                          m["unscaled"]["d1024"]["gradient"]["mean"]
                          - 2 * m["scaled"]["d1024"]["gradient"]["mean"],
                          m["unscaled"]["d1024"]["gradient"]["max"]
                          - 10 * m["scaled"]["d1024"]["gradient"]["max"]), "both_divided"),
        Claim("training", T(
            "训练时看得最清楚（记录，各 {trained[scaled][runs]} 个种子）：除以 √d，"
            "{trained[scaled][fastest]} 到 {trained[scaled][slowest]} 步就对了 "
            "{trained[setup][goal]:.0%}；不除，{trained[setup][steps]} 步里有 "
            "{trained[unscaled][reached]} 个种子做到，停在 {trained[unscaled][lowest]:.2f} 到 "
            "{trained[unscaled][highest]:.2f}。",
            "Training shows it best (recorded, {trained[scaled][runs]} seeds each): divided, "
            "{trained[setup][goal]:.0%} are right after {trained[scaled][fastest]} to "
            "{trained[scaled][slowest]} steps; undivided, {trained[unscaled][reached]} seeds "
            "get there in {trained[setup][steps]} steps and they end at "
            "{trained[unscaled][lowest]:.2f} to {trained[unscaled][highest]:.2f}."),
            lambda m: min(0.5 - m["trained"]["unscaled"]["reached"],
                          m["trained"]["scaled"]["reached"]
                          - m["trained"]["scaled"]["runs"] + 0.5,
                          m["trained"]["setup"]["goal"] - m["trained"]["unscaled"]["highest"],
                          m["trained"]["setup"]["steps"] / 2
                          - m["trained"]["scaled"]["slowest"]), "both_divided"),
        Claim("no_cure_for_one_vector", T(
            "√d 管的是随机向量的平均情形，救不了某一个大分数：{example[scores][whole][score]:g} "
            "除以 √d 是 {example[scores][divided][score]:g}（不是 "
            "{example[scores][misdivided][score]:g}），softmax 的斜率还是只有 "
            "{example[scores][divided][slope]:.0e}。",
            "√d sets right the average of random vectors; it does not save one large score: "
            "{example[scores][whole][score]:g} divided by √d is "
            "{example[scores][divided][score]:g} (not {example[scores][misdivided][score]:g}), "
            "and the slope of softmax is still {example[scores][divided][slope]:.0e}."),
            lambda m: min(1e-6 - m["example"]["scores"]["divided"]["slope"],
                          m["example"]["scores"]["divided"]["score"]
                          - m["example"]["scores"]["misdivided"]["score"]), "equal_keys"),
    ),
    caveat=T(
        "随机向量只说明训练开始时的样子；q 和 k 若先归一化，用的就是别的除数。训练记录只是一个"
        "小任务、一种学习率，不是“不除就永远学不会”。",
        "Random vectors tell how training starts, no more; where q and k are normalised first, "
        "another divisor is used. The record is one small task at one learning rate, not proof "
        "that nothing is ever learned undivided."),
    questions=(
        Question(
            T("d = 1024，不除以 √d。损失对 W_Q 的梯度，逐个样本看，是怎样的？",
              "d = 1024, not divided by √d. The gradient of the loss on W_Q, example by example?"),
            (Option(T("每个都约等于零", "all of them near zero"),
                    lambda m: 0.1 - m["unscaled"]["d1024"]["gradient"]["max"],
                    T("把“梯度消失”当成一个数。softmax 的导数变小，乘上的键却没有变小。",
                      "takes “the gradient vanishes” for one number. The softmax part shrinks; "
                      "the keys it is multiplied by do not.")),
             Option(T("都变小，大小差不多", "all smaller, and alike"),
                    lambda m: m["scaled"]["d1024"]["gradient"]["max"]
                    - m["unscaled"]["d1024"]["gradient"]["max"],
                    T("只想到平均的缩小。饱和是一个样本一个样本发生的。",
                      "thinks of an even shrinking. Saturation strikes one example at a time.")),
             Option(T("多数约等于零，少数极大，平均反而更大",
                      "most near zero, a few huge, and the mean is larger"),
                    lambda m: min(m["scaled"]["d1024"]["gradient"]["median"] / 10
                                  - m["unscaled"]["d1024"]["gradient"]["median"],
                                  m["unscaled"]["d1024"]["gradient"]["mean"]
                                  - m["scaled"]["d1024"]["gradient"]["mean"])),
             Option(T("没有变化", "no different"),
                    lambda m: 0.5 - abs(m["unscaled"]["d1024"]["gradient"]["mean"]
                                        / m["scaled"]["d1024"]["gradient"]["mean"] - 1),
                    T("以为常数因子无关紧要。它在指数里面。",
                      "thinks a constant factor cannot matter. It sits inside an exponential.")))),
        Question(
            T("W_Q 不能自己学着变小吗？不除以 √d，用 Adam 训练查找任务，d = 256，400 步：",
              "Could W_Q not learn to be smaller? A look-up task, Adam, d = 256, 400 steps, "
              "not divided by √d:"),
            (Option(T("一样快", "just as fast"),
                    lambda m: min(m["trained"]["unscaled"]["reached"] - 0.5,
                                  2 * m["trained"]["scaled"]["slowest"]
                                  - m["trained"]["unscaled"]["slowest"]),
                    T("以为优化器什么尺度都能补。它看到的多半是零梯度。",
                      "trusts the optimiser to mend any scale. Mostly it is shown zeros.")),
             Option(T("慢一点，最后也到 90 %", "slower, but it gets to 90 %"),
                    lambda m: min(m["trained"]["unscaled"]["reached"] - 0.5,
                                  m["trained"]["unscaled"]["slowest"]
                                  - 2 * m["trained"]["scaled"]["slowest"]),
                    T("以为只是慢。这么多步里停在 {trained[unscaled][highest]:.2f} 以下。",
                      "expects it to be slow only. It ends below "
                      "{trained[unscaled][highest]:.2f}.")),
             Option(T("没有一个种子到 90 %", "no seed gets to 90 %"),
                    lambda m: 0.5 - m["trained"]["unscaled"]["reached"]),
             Option(T("算出 NaN", "the numbers overflow"),
                    lambda m: -1 - m["trained"]["unscaled"]["lowest"],
                    T("以为饱和就是溢出。softmax 先减去最大值，不会溢出，只是学不动。",
                      "takes saturation for overflow. Softmax subtracts the largest score: "
                      "nothing overflows, it just does not learn."))))),
    pins={"*.d": exact("a setting"), "trained.*": close("a record", atol=1e-12),
          "*.gradient.*": close("matrix products of this size: the order of additions", 1e-7),
          "*": ARITHMETIC},
    errata=ERRATA["scale"],
    notes=T(
        "约 8 分钟；这一部分要抽将近一亿个随机数，约一两秒。先投第一票，看两张表，再投第二票，"
        "最后看曲线。争论点：为什么除的是 √d 而不是 d？（数一数标准差那一列。）",
        "About 8 minutes; the part draws almost a hundred million numbers, a second or two. "
        "First vote, the two tables, second vote, the curve. The argument: why √d and not d? "
        "(Read down the column of standard deviations.)"),
)

# --- 3. the causal mask -------------------------------------------------------

WORDS = ("the", "queen", "wears", "a", "crown", ".")
WATCHED = 2                                     # the third word, from 0


def rnn(X: Array, W: Array, U: Array) -> Array:
    """A plain recurrent layer: each state waits for the one before."""
    states, h = [], np.zeros(len(U))                            # [d]
    for x in X:
        h = np.tanh(x @ W + h @ U)              # [d] @ [d, d] -> [d]
        states.append(h)
    return np.array(states)                                     # [T, d]


def untouched(layer: Any, X: Array, other: Array) -> int:
    """How many outputs stay the same when all words after them change."""
    same = 0
    for t in range(len(X)):
        changed = np.vstack([X[:t + 1], other[t + 1:]])         # [T, d]
        same += np.array_equal(layer(X)[t], layer(changed)[t])
    return same


def longest_chain(needs: Array) -> int:
    """Steps that must wait for each other; needs[t, s]: t waits for s."""
    depth = np.zeros(len(needs), dtype=int)                     # [T]
    for t, row in enumerate(needs):
        depth[t] = 1 + max(depth[row], default=0)
    return int(depth.max())


def hide_the_future(seed: int, masked: bool = True,
                    places: bool = False, project: bool = False,
                    writing: bool = False) -> Metrics:
    """One sentence with and without the mask; its words are drawn vectors.

    Drawn in this order: 6 x 8 words, 6 x 8 other words, W and U (8 x 8).
    """
    rng, n, d = np.random.default_rng(seed), len(WORDS), 8
    X, other = rng.standard_normal((2, n, d))                   # [6, 8]
    W, U = rng.standard_normal((2, d, d)) / np.sqrt(d)          # [8, 8]
    mask = causal_mask(n) if masked else None                   # [6, 6]

    def attend(X: Array, mask: Array | None = None) -> tuple[Array, Array]:
        X = X + sinusoidal_positions(n, d) if places else X     # [6, 8]
        Q, K = (X @ W, X @ U) if project else (X, X)            # [6, 8]
        return attention(Q, K, X, mask=mask)        # [6, 8] and [6, 6]

    def moved(after: Array, mask: Array | None = None) -> float:
        new = np.vstack([X[:WATCHED + 1], after])               # [6, 8]
        change = attend(new, mask)[0] - attend(X, mask)[0]      # [6, 8]
        return float(np.linalg.norm(change[WATCHED]))

    full, causal = attend(X)[1], attend(X, mask)[1]             # [6, 6]
    below = np.tril(full)                                       # [6, 6]
    again = below / below.sum(axis=1, keepdims=True)            # [6, 6]
    drawn, turned = other[WATCHED + 1:], X[:WATCHED:-1]         # [3, 8]
    recurrent = np.eye(n, k=-1, dtype=bool)         # t waits for t - 1
    free = recurrent if writing else np.zeros_like(recurrent)   # [6, 6]
    layers = {"rnn": (lambda X: rnn(X, W, U), recurrent),
              "causal": (lambda X: attend(X, mask)[0], free),
              "full": (lambda X: attend(X)[0], free)}
    return {
        "words": list(WORDS), "full": full, "causal": causal,
        "above_diagonal": np.triu(causal, 1).max(),
        "row_sum_error": abs(causal.sum(axis=1) - 1).max(),
        "renormalised_error": abs(causal - again).max(),
        "replaced": {"full": moved(drawn), "causal": moved(drawn, mask)},
        "reversed": {"full": moved(turned), "causal": moved(turned, mask)},
        "diagonal_wins": sum(full.argmax(axis=1) == np.arange(n)),
        "word_count": n, "watched": WATCHED + 1, "width": d,
        "first_changed": WATCHED + 2,
        "passes": {name: {"untouched": untouched(layer, X, other),
                          "steps": longest_chain(needs)}
                   for name, (layer, needs) in layers.items()}}


PASS_NAMES = {"rnn": T("循环网络（RNN）", "recurrent network (RNN)"),
              "causal": T("注意力，因果遮罩", "attention, causal mask"),
              "full": T("注意力，不遮", "attention, no mask")}


def show_mask(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一句话 {word_count} 个词，每个词是随机抽的 {width} 个数，同时充当查询、键和值。"
        "第 t 行是第 t 个词把权重分给了谁。",
        "A sentence of {word_count} words, each {width} drawn numbers that serve as query, key "
        "and value at once. Row t shows where word t puts its weight."))
    yield Row([HeatMap(m[name], m["words"], m["words"], title=title) for name, title in (
        ("full", T("不遮：谁都看得见谁", "No mask: everyone sees everyone")),
        ("causal", T("因果遮罩：只看自己和左边", "Causal: itself and the left")))])
    yield Table(
        (Column(T("一层", "one layer")), Column(T("不看右边的输出", "blind to the right")),
         Column(T("依次等待的步数", "dependent steps"))),
        [[PASS_NAMES[name], p["untouched"], p["steps"]] for name, p in m["passes"].items()],
        title=T("一遍训练：有几个输出可以当“猜下一个词”的题，要等几步",
                "One training pass: outputs that may serve as next-word questions, and steps that "
                "wait for each other"))


MASK = Part(
    number=3, key="mask",
    title=T("因果遮罩", "The causal mask"),
    compute=hide_the_future, describe=show_mask, seed=1,
    controls={"no_mask": partial(hide_the_future, masked=False),
              "with_positions": partial(hide_the_future, places=True),
              "separate_projections": partial(hide_the_future, project=True),
              "writing": partial(hide_the_future, writing=True)},
    claims=(
        Claim("future_is_zero", T(
            "遮住之后，对角线右上方的权重最大也只有 {above_diagonal:g}，是真正的零；每一行仍然"
            "加起来是一，正好等于把左边原有的权重按比例放大。",
            "Under the mask the largest weight above the diagonal is {above_diagonal:g}, a true "
            "zero; every row still sums to one: the weights on the left, scaled up in "
            "proportion."),
            lambda m: min(1e-300 - m["above_diagonal"], 1e-12 - m["row_sum_error"],
                          1e-12 - m["renormalised_error"]),
            "no_mask"),
        Claim("right_side_cannot_reach", T(
            "把第 {first_changed} 到第 {word_count} 个词全换掉：有遮罩时，第 {watched} 个词的"
            "输出移动 {replaced[causal]:g}；没有遮罩时，移动 {replaced[full]:.2f}。",
            "Replace words {first_changed} to {word_count}: under the mask the output of word "
            "{watched} moves by {replaced[causal]:g}; without it, by {replaced[full]:.2f}."),
            lambda m: min(1e-300 - m["replaced"]["causal"], m["replaced"]["full"] - 1),
            "no_mask"),
        Claim("order_is_invisible", T(
            "只把它们的次序倒过来，即使不遮，也只移动 {reversed[full]:.0e}，是舍入误差："
            "没有位置信息的注意力看得见右边有谁，看不见谁先谁后。",
            "Only reverse their order, and even unmasked it moves by {reversed[full]:.0e}, "
            "which is rounding: without positions attention sees who stands on the right, not "
            "in which order."),
            lambda m: 1e-12 - m["reversed"]["full"], "with_positions"),
        Claim("diagonal_by_construction", T(
            "不遮时，{word_count} 行里有 {diagonal_wins} 行最看重自己。这是做法造成的：查询和键是"
            "同一个向量，自己当然最像自己。",
            "Unmasked, {diagonal_wins} of {word_count} rows look most at themselves. That is "
            "built in: query and key are the same vector, and nothing is more like a word than "
            "itself."),
            lambda m: m["diagonal_wins"] - m["word_count"] / 2, "separate_projections"),
        Claim("one_pass", T(
            "RNN 一遍也得到 {passes[rnn][untouched]} 道诚实的“猜下一个词”，和带遮罩的注意力的 "
            "{passes[causal][untouched]} 道一样多；差别在等待：{passes[rnn][steps]} 步对 "
            "{passes[causal][steps]} 步。",
            "One pass of the RNN also yields {passes[rnn][untouched]} honest next-word "
            "questions, as many as masked attention with {passes[causal][untouched]}; the "
            "difference is waiting: {passes[rnn][steps]} steps against "
            "{passes[causal][steps]}."),
            lambda m: min(m["passes"]["rnn"]["steps"] - m["passes"]["causal"]["steps"],
                          0.5 - abs(m["passes"]["rnn"]["untouched"]
                                    - m["passes"]["causal"]["untouched"])),
            "writing"),
    ),
    caveat=T(
        "这里的词是随机向量，权重没有词义可言；一步对多步说的是训练：写作时，"
        "每个词都要等上一个词，注意力也得一步一步来。",
        "The words are random vectors, so no weight here means anything about English; and one "
        "step against many is about training: when a model writes, each word waits for the "
        "last, with attention too."),
    questions=(Question(
        T("不用遮罩，也没有位置编码。把第 4 到 6 个词倒过来，第 3 个词的输出会怎样？",
          "No mask, no position codes. Reverse words 4 to 6: what happens to the output of "
          "word 3?"),
        (Option(T("变化很大", "it changes a lot"),
                lambda m: m["reversed"]["full"] - 0.1,
                T("以为注意力天生看得见词序。它是对一个集合求加权平均，和次序无关。",
                  "believes attention sees order by itself. It averages over a set, and a set "
                  "has no order.")),
         Option(T("完全不变", "nothing at all"),
                lambda m: 1e-12 - m["reversed"]["full"]),
         Option(T("变成所有词的平均", "it becomes the mean of all words"),
                lambda m: min(m["reversed"]["full"] - 1e-12, 0.1 - m["reversed"]["full"]),
                T("以为词序一乱，权重就散了。每个词带着自己的键和值走，权重跟着它。",
                  "expects the weights to dissolve. Each word carries its own key and value, "
                  "and its weight goes with it.")),
         Option(T("取决于除没除 √d", "it depends on the √d"),
                lambda m: m["reversed"]["full"] - m["replaced"]["full"],
                T("√d 只改变分数的大小，改变不了“与次序无关”。",
                  "√d changes the size of the scores, not their indifference to order."))),),),
    pins={"words.*": exact("words"), "passes.*": exact("counts"),
          "diagonal_wins": exact("a count"), "above_diagonal": exact("a true zero"),
          "replaced.causal": exact("a true zero"), "reversed.*": ROUNDING,
          "*_error": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["mask"],
    notes=T(
        "约 6 分钟。先投票，再看两张热图；请学生指出下图的每一行是怎样从上图得来的。争论点："
        "既然倒过来没有变化，语序从哪里来？（位置编码，以及遮罩本身：第 4 部分。）"
        "试试 --seed 2：数字全变，结论不变。",
        "About 6 minutes. Vote, then show the two maps; let the class say how each row of the "
        "lower one comes from the upper. The argument: if reversing changes nothing, where does "
        "word order come from? (Positions, and the mask itself: part 4.) Try --seed 2: all "
        "numbers change, no sentence does."),
)

# --- 4. a hand-built induction head -------------------------------------------

V, HALF, SEQUENCES, SHORT = 20, 10, 300, 6
AT = HALF + 3                               # where the example stands
VARIANTS: dict[str, dict[str, Any]] = {
    "full": {}, "beta5": {"beta": 5.0}, "beta2": {"beta": 2.0},
    "no_positions": {"use_pos": False}, "layer2_only": {"layers": 1}}


class BlankStart(HandBuiltInduction):
    """Another rule for place 0: no null key, what it writes is wiped out."""

    def layer1_prev_token(self, X: Array) -> tuple[Array, Array]:
        after, W = super().layer1_prev_token(X)                 # [n, T, d]
        after[..., 0, :] = X[..., 0, :]
        return after, W


CHOICES: dict[str, dict[str, Any]] = {      # all at a stated β
    "looks_at_itself": {"beta": 20.0, "null_key": False},
    "both_beta5": {"beta": 5.0, "beta1": 5.0},
    "both_beta2": {"beta": 2.0, "beta1": 2.0},
    "blank_start": {"beta": 20.0, "kind": BlankStart, "use_pos": False,
                    "null_key": False},
    "strict": {"beta": 20.0, "use_pos": False, "null_key": False,
               "strict": True}}


def predictions(model: HandBuiltInduction, data: Array) -> list[Array]:
    """[n, T] next words and [n, T, V] weights, 30 sequences at a time:
    what lies between the layers then fits the cache."""
    few = [model.predict(d)[:2] for d in np.split(data, range(30, len(data), 30))]
    return [np.concatenate(found) for found in zip(*few, strict=True)]


def grade(model: HandBuiltInduction, data: Array,
          half: int = HALF) -> Metrics:
    """Right next words in either half; weight on them in the second."""
    tokens, out = predictions(model, data)
    first, second = copy_accuracy(lambda _: tokens, data, half, True)
    answer = data[:, 1 - half:, None]                   # [n, half-1, 1]
    weight = np.take_along_axis(out[:, -half:-1], answer, axis=-1)
    return {"beta": model.beta, "first": first, "second": second,
            "weight": weight.mean()}


def breaking_point(circuit: Any, data: Array) -> float:
    """The lowest β, 0 to 4, at which the copy is still without fault."""
    low, high = 0.0, 4.0
    for _ in range(16):
        beta = (low + high) / 2
        faultless = grade(circuit(beta), data)["second"] == 1
        low, high = (low, beta) if faultless else (beta, high)
    return high


def traced(model: HandBuiltInduction, seq: Array, t: int) -> Metrics:
    """What the two layers look at from place t, and what comes of it."""
    said = model.predict(seq)                           # layers [T, T]
    left = None if said.layer1 is None else int(said.layer1[t].argmax())
    looks = np.asarray(said.layer2)[t]                          # [T]
    found = int(looks.argmax())
    return {"sequence": seq, "at": t, "word": seq[t], "left": left,
            "found": found, "weight": looks[found],
            "says": said.tokens[t], "truth": seq[t + 1]}


def chances(distinct: bool, circuit: Any, seed: int) -> Metrics:
    """What guessing gets in the first half; a shorter list as a foil."""
    def informed(half: int) -> float:           # never a word seen before
        new = V - 1 - np.arange(half - 1)                       # [half-1]
        return (1 / new).mean() if distinct else 1 / V

    data = repeated_sequences(V, SHORT, SEQUENCES, seed)        # [300, 12]
    return {"naive": 1 / V, "informed": informed(HALF), "short": SHORT,
            "informed_short": informed(SHORT),
            "weight_short": grade(circuit(layers=1), data, SHORT)["weight"]}


def trap(circuit: Any, data: Array) -> Metrics:
    """A head that looks back a fixed number of places, and the circuit."""
    head = LookBack(V, data.shape[1], back=HALF - 1)
    said, _ = predictions(head, data)                           # [n, T]
    _, copied_by_place = copy_accuracy(lambda _: said, data, HALF, True)
    model = circuit(T=data.shape[1])
    return {"look_back": copied_by_place,
            "circuit": grade(model, data)["second"]}


def copy_by_hand(beta: float, more: bool, seed: int, lesion: bool = True,
                 layers: int = 2, strict: bool = True, vary: bool = True,
                 distinct: tuple[bool, bool] = (True, False)) -> Metrics:
    """Ten drawn words written twice, and a circuit of two set layers."""
    data, loose = (repeated_sequences(V, HALF, SEQUENCES, seed, d)
                   for d in distinct)                           # [300, 20]
    moving = repeats_at_varying_distance(V, HALF, SEQUENCES, seed)
    few = data[:10]                     # all sequences weigh alike: faster

    def circuit(kind: Any = HandBuiltInduction, T: int = 2 * HALF,
                **change: Any) -> HandBuiltInduction:
        settings = {"beta": beta, "layers": layers}
        return kind(V, T, **settings | (change if lesion else {}))

    choices = CHOICES if strict else CHOICES | {
        "strict": CHOICES["strict"] | {"strict": False}}
    betas = [0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8]
    curve = [grade(circuit(beta=b), few) for b in betas]
    return {
        "vocabulary": V, "half": HALF, "sequences": SEQUENCES, "more": more,
        "variants": {name: grade(circuit(**change), data)
                     for name, change in VARIANTS.items()},
        "repeating": grade(circuit(), loose),
        "choices": {name: grade(circuit(**change), data)
                    for name, change in choices.items()},
        "curve": {"beta": betas, "second": [g["second"] for g in curve],
                  "weight": [g["weight"] for g in curve]},
        "breaks_at": breaking_point(lambda b: circuit(beta=b), few),
        "breaks_at_both": breaking_point(
            lambda b: circuit(beta=b, beta1=b), few),
        "ln2": np.log(2),
        "even_weight": (1 / np.arange(HALF + 1, 2 * HALF)).mean(),
        "chance": chances(distinct[0], circuit, seed),
        "trap": {"back": HALF - 1, "fixed": trap(circuit, data),
                 "varied": trap(circuit, moving if vary else data)},
        "example": traced(circuit(), data[0], AT)}


ROWS = {"full": ("A", T("完整电路", "the whole circuit")),
        "beta5": ("B", T("第二层没那么锐利", "layer 2 less sharp")),
        "beta2": ("C", T("第二层更不锐利", "layer 2 blunt")),
        "no_positions": ("D", T("没有位置信息", "no positions")),
        "layer2_only": ("E", T("只有第二层", "layer 2 alone"))}
CHOICE_NAMES = {
    "looks_at_itself": T("没有空键，位置 0 只能看自己", "no null key: place 0 sees itself"),
    "both_beta5": T("两层一起变钝", "both layers less sharp"),
    "both_beta2": T("两层一起更钝", "both layers blunt"),
    "blank_start": T("无位置，位置 0 什么都不写", "no positions, place 0 writes nothing"),
    "strict": T("无位置，第一层只看左边", "no positions, layer 1 sees the left only")}


def show_induction(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "{sequences} 条序列，每条是从 {vocabulary} 个词里抽出的 {half} 个不同的词，写两遍。"
        "第一层把“左邻是谁”写到每个位置上（位置 0 看一个空键）；第二层拿“我是谁”去找"
        "“左邻是我”的位置，说出那里的词。两层的权重都是手工定的。",
        "{sequences} sequences, each {half} different words out of {vocabulary}, written twice. "
        "Layer 1 writes at every place who stands to its left (place 0 looks at a null key); "
        "layer 2 asks for the place whose left neighbour is this word, and says the word there. "
        "Both layers are set by hand."))
    columns = (Column(T("β", "β"), "g"), Column(T("前半", "first half"), ".1%"),
               Column(T("后半", "second half"), ".1%"), Column(T("权重", "weight"), ".4f"))

    def row(cell: Any) -> list[Any]:
        return [cell["beta"], cell["first"], cell["second"], cell["weight"]]

    yield Table(
        (Column(T("行", "row")), Column(T("电路", "circuit")), *columns),
        [[letter, name, *row(m["variants"][key])] for key, (letter, name) in ROWS.items()]
        + [["F", T("完整电路，词可以重复", "the whole circuit, words may recur"),
            *row(m["repeating"])]],
        title=T("猜下一个词", "Naming the next word"),
        legend=T("前半：没有可抄的；后半：可以抄。权重：后半里正确的词分到的权重。",
                 "First half: nothing to copy yet; second half: the copy. Weight: what the "
                 "right word gets in the second half."))
    yield Paragraph(T(
        "例：{example[sequence]}。位置 {example[at]} 的词是 {example[word]}；第一层看位置 "
        "{example[left]}。第二层找到位置 {example[found]}（权重 {example[weight]:.2f}），说 "
        "{example[says]}；真正的下一个词是 {example[truth]}。",
        "Example: {example[sequence]}. Place {example[at]} holds word {example[word]}; layer 1 "
        "looks at place {example[left]}. Layer 2 finds place {example[found]} (weight "
        "{example[weight]:.2f}) and says {example[says]}; the true next word is "
        "{example[truth]}."))
    yield Curve(m["curve"]["beta"],
                [(T("后半准确率", "accuracy, second half"), m["curve"]["second"]),
                 (T("正确的词的权重", "weight on the right word"), m["curve"]["weight"])],
                T("第二层的 β", "β of layer 2"), T("比例", "share"), low=0.0, high=1.0,
                title=T("对不对，和有多肯定", "Right, and how sure"))
    yield Table(
        (Column(T("数据", "data")),
         Column(T("往回看固定格数的一个头", "one head, fixed look-back"), ".1%"),
         Column(T("两层电路", "the circuit"), ".1%")),
        [[name, m["trap"][key]["look_back"], m["trap"][key]["circuit"]]
         for key, name in (("fixed", T("两遍的间隔固定", "copies at a fixed distance")),
                           ("varied", T("间隔不固定", "at a varying distance")))],
        title=T("陷阱：后半准确率", "The trap: accuracy in the second half"))
    if m["more"]:
        yield Table((Column(T("换一种做法", "another choice")), *columns),
                    [[name, *row(m["choices"][key])] for key, name in CHOICE_NAMES.items()],
                    title=T("哪些结果取决于做法", "What hangs on a choice"))


INDUCTION = Part(
    number=4, key="induction",
    title=T("手工搭的归纳头", "An induction head built by hand"),
    compute=copy_by_hand, describe=show_induction,
    params={"beta": Param(20.0, 0.0, 1000.0, about=T("第二层的锐利度", "sharpness of layer 2")),
            "more": Param(False, about=T("再看一张“做法”表", "show the table of choices"))},
    controls={"one_layer": partial(copy_by_hand, layers=1),
              "no_lesion": partial(copy_by_hand, lesion=False),
              "sees_itself": partial(copy_by_hand, strict=False),
              "fixed_distance": partial(copy_by_hand, vary=False),
              "all_distinct": partial(copy_by_hand, distinct=(True, True)),
              "all_recurring": partial(copy_by_hand, distinct=(False, False))},
    claims=(
        Claim("copies", T(
            "A 行：后半全对（{variants[full][second]:.1%}），而且十拿九稳，正确的词分到 "
            "{variants[full][weight]:.4f}。看到“甲 乙 …… 甲”，就说“乙”。",
            "Row A: the second half is all right ({variants[full][second]:.1%}) and sure of it, "
            "with {variants[full][weight]:.4f} on the right word. It sees “A B .. A” and says "
            "“B”."),
            lambda m: min(m["variants"]["full"]["second"] - 0.999,
                          m["variants"]["full"]["weight"] - 0.99), "one_layer"),
        Claim("sure_or_right", T(
            "C 行：β 从 {variants[full][beta]:g} 降到 {variants[beta2][beta]:g}，准确率还是 "
            "{variants[beta2][second]:.1%}，正确的词却只剩 {variants[beta2][weight]:.4f} 的权重："
            "对不对和有没有把握是两回事。",
            "Row C: with β down from {variants[full][beta]:g} to {variants[beta2][beta]:g} the "
            "accuracy is still {variants[beta2][second]:.1%}, but the right word is left with "
            "{variants[beta2][weight]:.4f}: being right and being sure are two things."),
            lambda m: min(1e-9 + m["variants"]["beta2"]["second"]
                          - m["variants"]["full"]["second"],
                          m["variants"]["full"]["weight"]
                          - m["variants"]["beta2"]["weight"] - 0.5,
                          m["variants"]["full"]["beta"] - m["variants"]["beta2"]["beta"]),
            "no_lesion"),
        Claim("breaks_at_ln2", T(
            "β 低于 {breaks_at:.3f} 才开始抄错，那正是二的自然对数 {ln2:.3f}：别的词在眼前出现了"
            "两次，两票对一票，e 的 β 次方不到二就输了。",
            "Copying fails only below β = {breaks_at:.3f}, the natural logarithm of two, "
            "{ln2:.3f}: other words stand there twice, and two votes beat one as soon as e to "
            "the power β is under two."),
            lambda m: 0.001 - abs(m["breaks_at"] - m["ln2"]), "one_layer"),
        Claim("needs_order", T(
            "D 行：去掉位置信息，后半只有 {variants[no_positions][second]:.1%}：第一层不知道谁是"
            "左邻，写下的是前面所有词的平均。",
            "Row D: without positions the second half falls to "
            "{variants[no_positions][second]:.1%}: the first layer cannot tell who is next "
            "to whom and writes the mean of all words so far."),
            lambda m: 0.05 - m["variants"]["no_positions"]["second"], "no_lesion"),
        Claim("mask_leaks_order", T(
            "但位置编码不是唯一的来源：同样没有位置信息，只让第一层严格看左边，后半就是 "
            "{choices[strict][second]:.1%}（权重 {choices[strict][weight]:.4f}）。因果遮罩自己"
            "泄露了次序。",
            "But position codes are not the only source: still without them, let the first layer "
            "see strictly the left, and the second half is {choices[strict][second]:.1%} (weight "
            "{choices[strict][weight]:.4f}). The causal mask itself leaks the order."),
            lambda m: m["choices"]["strict"]["second"] - 0.99, "sees_itself"),
        Claim("one_layer_is_blind", T(
            "E 行：只留第二层，后半 {variants[layer2_only][second]:.1%}，正确的词分到 "
            "{variants[layer2_only][weight]:.4f}，正好是对前面的位置一视同仁的 {even_weight:.4f}："
            "没有人写下“左邻是谁”，就无从查起。",
            "Row E: the second layer alone gets {variants[layer2_only][second]:.1%}; "
            "the right word has {variants[layer2_only][weight]:.4f}, exactly the even share "
            "{even_weight:.4f}: if nobody has written who stands on the left, there is nothing "
            "to look up."),
            lambda m: min(0.05 - m["variants"]["layer2_only"]["second"],
                          1e-9 - abs(m["variants"]["layer2_only"]["weight"]
                                     - m["even_weight"])), "no_lesion"),
        Claim("distance_trap", T(
            "小心测法：两遍的间隔固定时，一个“往回看 {trap[back]} 格”的头就能抄对 "
            "{trap[fixed][look_back]:.1%}，根本不比较词；间隔一变，它只剩 "
            "{trap[varied][look_back]:.1%}，电路仍是 {trap[varied][circuit]:.1%}。",
            "Mind the test: with the copies at a fixed distance one head that looks "
            "{trap[back]} places back copies {trap[fixed][look_back]:.1%} and compares nothing; "
            "vary the distance and it keeps {trap[varied][look_back]:.1%}, the circuit "
            "{trap[varied][circuit]:.1%}."),
            lambda m: min(m["trap"]["fixed"]["look_back"] - 0.999,
                          0.2 - m["trap"]["varied"]["look_back"],
                          m["trap"]["varied"]["circuit"] - 0.999), "fixed_distance"),
        Claim("words_recur", T(
            "F 行：词可以重复时，同一个电路只对 {repeating[second]:.1%}：一个词出现过两次，"
            "“它后面是谁”就有两个答案。前半则从 {variants[full][first]:.1%} 变成 "
            "{repeating[first]:.1%}：前半是零，只因为那里的下一个词总是新词。",
            "Row F: where words may recur the same circuit gets {repeating[second]:.1%}: after "
            "a word that came twice, “who follows it” has two answers. The first half goes from "
            "{variants[full][first]:.1%} to {repeating[first]:.1%}: it was zero only because the "
            "next word there is always a new one."),
            lambda m: min(m["variants"]["full"]["second"] - m["repeating"]["second"] - 0.05,
                          m["repeating"]["first"] - m["variants"]["full"]["first"] - 0.01),
            "all_distinct"),
        Claim("chance", T(
            "瞎猜能对多少？从 {vocabulary} 个词里乱猜是 {chance[naive]:.1%}；知道“下一个是新词”"
            "再猜，平均 {chance[informed]:.4f}。它和 E 行的权重相等只是巧合：换成 {chance[short]} "
            "个词写两遍，前者是 {chance[informed_short]:.4f}，后者是 "
            "{chance[weight_short]:.4f}。",
            "What does guessing get? Any of {vocabulary} words: {chance[naive]:.1%}; knowing "
            "that the next one is new: {chance[informed]:.4f} on average. That this equals the "
            "weight of row E is an accident: with {chance[short]} words written twice the two "
            "are {chance[informed_short]:.4f} and {chance[weight_short]:.4f}."),
            lambda m: min(m["chance"]["informed"] - m["chance"]["naive"] - 0.001,
                          abs(m["chance"]["weight_short"]
                              - m["chance"]["informed_short"]) - 0.01), "all_recurring"),
    ),
    caveat=T(
        "这里没有训练：权重是我们写的，只说明两层注意力做得到，不说明训练会长出它"
        "（演示 12），也不说明真模型只有这一种抄法。",
        "Nothing is trained: we wrote the weights. It shows that two layers of attention can "
        "copy, not that training finds this (demo 12), nor that real models copy only this "
        "way."),
    questions=(
        Question(
            T("第二层的 β 从 20 降到 2，后半的准确率是多少？",
              "The β of layer 2 falls from 20 to 2. How accurate is the second half?"),
            (Option(T("约 35 %", "about 35 %"),
                    lambda m: 0.2 - abs(m["variants"]["beta2"]["second"] - 0.35),
                    T("把把握当成了准确率：{variants[beta2][weight]:.0%} 是正确的词分到的权重。",
                      "takes confidence for accuracy: {variants[beta2][weight]:.0%} is the "
                      "weight of the right word.")),
             Option(T("约 80 %", "about 80 %"),
                    lambda m: 0.15 - abs(m["variants"]["beta2"]["second"] - 0.8),
                    T("以为变钝了总要错几个。最大的仍是最大的，一个都不会错。",
                      "expects a blunter head to slip sometimes. The largest stays the "
                      "largest, every time.")),
             Option(T("还是 100 %", "still 100 %"),
                    lambda m: m["variants"]["beta2"]["second"] - 0.999),
             Option(T("0 %", "0 %"), lambda m: 0.05 - m["variants"]["beta2"]["second"],
                    T("以为软查找一钝就失灵。要等到 β 低于 {breaks_at:.2f}。",
                      "expects a blunt look-up to fail at once. That takes β below "
                      "{breaks_at:.2f}.")))),
        Question(
            T("完全不给位置编码，只让第一层严格看左边（不看自己）。后半的准确率是多少？",
              "No position codes at all, but layer 1 sees strictly the left, not itself. How "
              "accurate is the second half?"),
            (Option(T("0 %", "0 %"), lambda m: 0.05 - m["choices"]["strict"]["second"],
                    T("以为没有位置编码就没有次序。遮罩已经说出了谁在谁左边。",
                      "believes no codes means no order. The mask already tells who is left of "
                      "whom.")),
             Option(T("约 11 %", "about 11 %"),
                    lambda m: 0.05 - abs(m["choices"]["strict"]["second"] - 0.11),
                    T("那是“位置 0 什么都不写”的做法：{choices[blank_start][second]:.1%}。",
                      "that is the rule “place 0 writes nothing”: "
                      "{choices[blank_start][second]:.1%}.")),
             Option(T("约 50 %", "about 50 %"),
                    lambda m: 0.2 - abs(m["choices"]["strict"]["second"] - 0.5),
                    T("猜泄露的次序不够用。权重确实只有 {choices[strict][weight]:.2f}，"
                      "但已是最大的。",
                      "expects the leak to be too weak. The weight is only "
                      "{choices[strict][weight]:.2f}, but it is the largest.")),
             Option(T("100 %", "100 %"), lambda m: m["choices"]["strict"]["second"] - 0.999))),
        Question(
            T("让序列里的词可以重复（随机抽十个，可能抽到同一个）。同一个电路的后半还对多少？",
              "Let words recur inside the sequence (ten draws with replacement). What does the "
              "same circuit get in the second half?"),
            (Option(T("100 %", "100 %"), lambda m: m["repeating"]["second"] - 0.999,
                    T("以为归纳头记得整条序列。它只按前一个词查一次。",
                      "thinks an induction head remembers the sequence. It looks up once, by "
                      "the previous word.")),
             Option(T("约 83 %", "about 83 %"),
                    lambda m: 0.1 - abs(m["repeating"]["second"] - 0.83)),
             Option(T("约 50 %", "about 50 %"),
                    lambda m: 0.15 - abs(m["repeating"]["second"] - 0.5),
                    T("把有歧义的词估得太多。多数词只出现一次。",
                      "overrates the ambiguous words. Most occur only once.")),
             Option(T("约 5 %", "about 5 %"),
                    lambda m: 0.1 - abs(m["repeating"]["second"] - 0.05),
                    T("把重复当成噪声。电路照样工作，只是有时有两个答案。",
                      "takes repetition for noise. The circuit still works; sometimes there "
                      "are two answers."))))),
    pins={"more": exact("a switch"), "example.weight": ARITHMETIC, "example.*": exact("words"),
          "*.first": ARITHMETIC, "breaks_at*": close("a bisection", atol=1e-3), "*": ARITHMETIC},
    errata=ERRATA["induction"],
    notes=T(
        "约 10 分钟。三次投票分开做。先让一位学生上台，用手指在例子里走一遍两步查找。争论点："
        "一层为什么不够？（间隔固定时其实够：那张“陷阱”表。）试试 --set 4.beta=2、"
        "--set 4.beta=0.5 和 --set more=true。",
        "About 10 minutes; keep the three votes apart. Let a student walk the two look-ups of "
        "the example with a finger. The argument: why is one layer not enough? (At a fixed "
        "distance it is: the table of the trap.) Try --set 4.beta=2, --set 4.beta=0.5 and "
        "--set more=true."),
)

# --- 5. the tiny GPT ----------------------------------------------------------

def ready(name: str, trained: bool = True) -> tuple[GPT, Recipe]:
    """A model of the course in NumPy, or its untrained twin."""
    recipe = recipes.named(name)
    weights = (model_cache.load(recipe) if trained
               else init_weights(recipe.config, seed=0))
    return GPT(recipe.config, weights), recipe


def other_places(q: Questions, rng: np.random.Generator) -> Array:
    """For each question a drawn place before its end, not the country's."""
    place = rng.integers(q.last - 1)                            # [n]
    return place + (place >= q.country)


def one_question(model: GPT, q: Questions, tok: Tokenizer) -> Metrics:
    """The first question, and each head's look from its last place."""
    last = int(q.last[0])
    maps = model.run(q.ids[:1], trace=True).maps(model.cfg.n_layer)
    looks = np.concatenate([m[0, :, last, :last + 1] for m in maps])
    return {"words": [tok.itos[i] for i in q.ids[0, :last + 1]],
            "weights": looks.T,                 # [heads, T] -> [T, heads]
            "answer": tok.itos[q.answers[0]]}


def copying(base: GPT, blank: GPT, repeats: GPT, pool: list[int],
            seed: int, copier: str) -> Metrics:
    """Three networks of one size on the copy test."""
    names = list(range(1, 1 + len(pool)))       # all that repeats knows
    tests = {"base": (base, pool), "untrained": (blank, pool),
             "repeats": (repeats, names)}
    if copier == "repeats":
        tests["base"] = tests["repeats"]
    found = {}
    for name, (model, ids) in tests.items():
        hits, total = copied(model, ids, seed).values()
        found[name] = {"hits": hits, "total": total, "share": hits / total}
    return found


def look_inside(seed: int, trained: bool = True, aimed: bool = True,
                copier: str = "base", said_twice: bool = False) -> Metrics:
    """Where the tiny GPT looks when it answers, and what a cut leaves."""
    model, recipe = ready("base", trained)
    blank, (repeats, _) = ready("base", False)[0], ready("repeats", trained)
    world = recipe.data.world()
    tok = tokenizer(world)
    q, pool = questions(world, tok), copy_pool(world, tok)      # 96, 48
    elsewhere = other_places(q, np.random.default_rng(seed))    # [96]
    target = q.country if aimed else elsewhere

    def left(layer: int, head: int, place: Array) -> int:
        return right(model, q, cut_edge(layer, head, q.last, place))

    look, blank_look = looks(model, q), looks(blank, q)
    heads: list[Metrics] = [
        {"layer": i, "head": j, "country": look["country"][i][j],
         "relation": look["relation"][i][j], "left": left(i, j, target)}
        for i in range(model.cfg.n_layer) for j in range(model.cfg.n_head)]
    best, second, *_ = sorted(heads, key=lambda h: -h["country"])
    documents = [d.words * (1 + said_twice)
                 for d in recipe.data.documents()]
    return {
        "countries": len(world.countries), "relations": len(RELATIONS),
        "questions": len(q.ids), "right": look["right"],
        "uniform": look["uniform"],
        "even_relation": (q.relation.sum(1) / (q.last + 1)).mean(),
        "heads": heads, "best": best, "second": second,
        "reader": max(heads, key=lambda h: h["relation"]),
        "elsewhere": left(best["layer"], best["head"], elsewhere),
        "swapped": swapped(model, q, best["layer"], best["head"]),
        "example": one_question(model, q, tok),
        "copies": copying(model, blank, repeats, pool, seed, copier),
        "in_a_row": NAMES_IN_COPY,
        "chance": {"any_name": 1 / len(pool),
                   "seen_name": 1 / NAMES_IN_COPY},
        "repeated_in_corpus": repeated_sequences_of_names(
            documents, world.names),
        "untrained": {"right": blank_look["right"],
                      "country": np.max(blank_look["country"])},
        "record": many_seeds(best["left"])}


def many_seeds(left_here: int) -> Metrics:
    """`base` trained from other seeds, measured the same way: a record."""
    runs = records.read("base_seeds")["runs"]
    weights = [np.max(r["weight_on_country"]) for r in runs]
    left = [r["left_after_cut"][i][j] for r in runs
            for i, j in [r["best_head"]]]
    return {
        "seeds": len(runs),
        "all_right": sum(r["right"] == r["questions"] for r in runs),
        "hardly_copy": sum(r["copied"]["hits"] / r["copied"]["total"] <= .05
                           for r in runs),
        "look_at_country": sum(w >= 0.5 for w in weights),
        "read_relation": sum(np.max(r["weight_on_relation"]) >= 0.5
                             for r in runs),
        "need_the_edge": sum(n < r["questions"] / 2
                             for n, r in zip(left, runs, strict=True)),
        "lose_nine_in_ten": sum(n < r["questions"] / 10
                                for n, r in zip(left, runs, strict=True)),
        "fewest_left": min(left), "most_left": max(left),
        "left_here": left_here}


def show_tiny_gpt(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一个两层的迷你 GPT 读过 {countries} 个虚构国家的资料，要回答 {questions} 道题"
        "（{countries} 国 × {relations} 种关系）。看最后一个位置，也就是马上要写答案的地方："
        "它把权重放在哪里？",
        "A tiny GPT of two layers has read about {countries} invented countries and answers "
        "{questions} questions ({countries} countries × {relations} relations). Where does its "
        "last position, where the answer is about to be written, put its weight?"))
    yield HeatMap(
        m["example"]["weights"], m["example"]["words"],
        [f"L{h['layer']}H{h['head']}" for h in m["heads"]],
        title=T("一道题：每个头从最后一个位置看各个词（L 层 H 头；答案是 {example[answer]}）",
                "One question: from the last position, per head (L layer, H head; the "
                "answer is {example[answer]})"))
    yield Table(
        (Column(T("层", "layer"), "d"), Column(T("头", "head"), "d"),
         Column(T("看国名", "on the country"), ".3f"),
         Column(T("看关系词", "on relation words"), ".3f"),
         Column(T("切断后还对", "right after the cut"), "d")),
        [list(h.values()) for h in m["heads"]],
        title=T("{questions} 道题的平均权重；切断这个头到国名的那一条边，还对几题",
                "Mean weight over {questions} questions; right answers left when this head's "
                "edge to the country is cut"))
    yield Table(
        (Column(T("模型", "model")), Column(T("抄对", "copied"), "d"),
         Column(T("位置", "places"), "d"),
         Column(T("比例", "share"), ".1%")),
        [[name, *m["copies"][key].values()] for key, name in COPY_NAMES.items()],
        title=T("抄写测试：{in_a_row} 个名字说两遍，第二遍能跟着说吗",
                "Copy test: {in_a_row} names said twice; can it follow the second time?"),
        legend=T("随便猜一个名字：{chance[any_name]:.1%}；只在这一串里猜：{chance[seen_name]:.1%}。",
                 "Guessing any name: {chance[any_name]:.1%}; any name of the list: "
                 "{chance[seen_name]:.1%}."))


COPY_NAMES = {"base": T("迷你 GPT", "the tiny GPT"),
              "untrained": T("同样大小，没训练", "same size, untrained"),
              "repeats": T("同样大小，用重复的名单训练", "same size, trained on repeated lists")}


def fewer(count: Any, low: float, high: float) -> Any:
    """A margin: the count lies between these shares of all questions."""
    return lambda m: min(count(m) / m["questions"] - low, high - count(m) / m["questions"])


def answers_left(count: Any) -> tuple[Option, ...]:
    """Four shares that leave no gap, so one of them is always right."""
    return (
        Option(T("差不多全对：别的头会补上", "nearly all: the other heads make up for it"),
               fewer(count, 0.875, 1.01),
               T("以为总有后备。信息若只走这一条边，切断就没有了。",
                 "counts on a spare. What travels along one edge only is gone with it.")),
        Option(T("约四分之三", "about three quarters"), fewer(count, 0.625, 0.875),
               T("以为别的头能补回一半的损失。它们手里没有同样的信息，或者根本没人缺它。",
                 "expects other heads to make up for half the loss. Either nobody else holds "
                 "the information, or nobody missed it.")),
        Option(T("约一半", "about half"), fewer(count, 0.375, 0.625),
               T("按权重折算：看了一半，就丢一半。答案不是按权重折算的。",
                 "converts weight into answers: half the look, half the answers. Answers do "
                 "not come by weight.")),
        Option(T("不到八分之三", "less than three eighths"), fewer(count, -0.01, 0.375),
               T("以为看得见权重的头就缺不得。看，不等于用。",
                 "takes a head that looks for a head that is needed.")))


TINY_GPT = Part(
    number=5, key="tiny_gpt",
    title=T("迷你 GPT：看哪里，靠什么", "The tiny GPT: where it looks, and what it needs"),
    compute=look_inside, describe=show_tiny_gpt, recipes=("base", "repeats"),
    controls={"untrained": partial(look_inside, trained=False),
              "cut_elsewhere": partial(look_inside, aimed=False),
              "copier_trained_on_repeats": partial(look_inside, copier="repeats"),
              "corpus_said_twice": partial(look_inside, said_twice=True)},
    claims=(
        Claim("knows", T(
            "先看它会不会：{questions} 道题答对 {right} 道；没训练的同一个网络答对 "
            "{untrained[right]} 道。",
            "First, does it know? {right} of {questions} right; the same network untrained: "
            "{untrained[right]}."),
            lambda m: min(m["right"] - m["questions"] + 0.5,
                          m["right"] - m["untrained"]["right"] - m["questions"] / 2),
            "untrained"),
        Claim("looks_at_country", T(
            "最看重国名的是 L{best[layer]}H{best[head]}：平均 {best[country]:.2f} 的权重；"
            "平摊只有 {uniform:.2f}，没训练时最多 {untrained[country]:.2f}。",
            "L{best[layer]}H{best[head]} looks most at the country, with "
            "{best[country]:.2f} of its weight; an even spread gives {uniform:.2f}, the "
            "untrained network {untrained[country]:.2f} at most."),
            lambda m: min(m["best"]["country"] - 0.5,
                          m["best"]["country"] - 3 * m["uniform"],
                          m["best"]["country"] - 3 * m["untrained"]["country"]),
            "untrained"),
        Claim("needs_the_edge", T(
            "它看的，答案真的要靠吗？切断这一条边，{questions} 题只剩 {best[left]} 题对；"
            "在同一个头里切断一条随便抽的边，剩 {elsewhere} 题；切断第二看重国名的头 "
            "L{second[layer]}H{second[head]}（权重 {second[country]:.2f}），剩 {second[left]} 题。",
            "Does the answer depend on what it looks at? Cut that one edge and {best[left]} of "
            "{questions} stay right; cut a drawn other edge of the same head and {elsewhere} do; "
            "cut the runner-up L{second[layer]}H{second[head]} (weight {second[country]:.2f}) "
            "and {second[left]} do."),
            lambda m: min(m["questions"] / 2 - m["best"]["left"],
                          m["elsewhere"] - 0.9 * m["questions"],
                          m["second"]["left"] - m["best"]["left"] - 1), "cut_elsewhere"),
        Claim("fetches_the_country", T(
            "这条边上走的是“哪个国家”：一个字不改，只把这个头在国名处取到的值换成下一个国家的，"
            "{swapped[other]} 题就改口说那个国家的答案，还说本国的剩 {swapped[own]} 题。",
            "What travels along it is which country: change no word, only give this head the "
            "value it would find at the next country, and {swapped[other]} answers become that "
            "country's; {swapped[own]} stay."),
            lambda m: min(m["swapped"]["other"] - m["questions"] / 2,
                          m["questions"] / 2 - m["swapped"]["own"]), "untrained"),
        Claim("relation_words", T(
            "问的是什么，看关系词：看得最多的是 L{reader[layer]}H{reader[head]}，"
            "{reader[relation]:.2f}（平摊是 {even_relation:.2f}）。这是算出来的，不是先说好的。",
            "What is asked stands in the relation words: L{reader[layer]}H{reader[head]} "
            "looks at them most, {reader[relation]:.2f} (an even spread gives "
            "{even_relation:.2f}). This is computed, not said beforehand."),
            lambda m: m["reader"]["relation"] - 1.5 * m["even_relation"], "untrained"),
        Claim("does_not_copy", T(
            "可它不会抄：{copies[base][total]} 个位置抄对 {copies[base][hits]} 个"
            "（{copies[base][share]:.1%}）。",
            "But it does not copy: {copies[base][hits]} of {copies[base][total]} places "
            "({copies[base][share]:.1%})."),
            lambda m: 0.05 - m["copies"]["base"]["share"], "copier_trained_on_repeats"),
        Claim("corpus_has_no_repeats", T(
            "数一数语料：同一篇里，两个名字按同样次序再出现一次的，有 {repeated_in_corpus} 处。"
            "没有一处奖励过抄写。",
            "Count the corpus: places where a document shows two names again in the same order: "
            "{repeated_in_corpus}. Nothing ever rewarded copying."),
            lambda m: 0.5 - m["repeated_in_corpus"], "corpus_said_twice"),
        Claim("repeats_teach_copying", T(
            "是数据，不是大小：同样大小的网络，改用间隔不一的重复名单训练，抄对 "
            "{copies[repeats][share]:.1%}。",
            "It is the data, not the size: the same network, trained on lists repeated at "
            "varying distance, copies {copies[repeats][share]:.1%}."),
            lambda m: m["copies"]["repeats"]["share"] - 0.75, "untrained"),
        Claim("seeds", T(
            "换种子重训（记录，{record[seeds]} 个）：全对的 {record[all_right]} 个，几乎不抄的 "
            "{record[hardly_copy]} 个，有头一半以上看国名的 {record[look_at_country]} 个。"
            "切断那条边，剩不到一成的 {record[lose_nine_in_ten]} 个，剩不到一半的 "
            "{record[need_the_edge]} 个；最少剩 {record[fewest_left]} 题，最多 "
            "{record[most_left]} 题。这里用的种子属于多数。",
            "Trained from other seeds (recorded, {record[seeds]}): all right in "
            "{record[all_right]}, hardly any copying in {record[hardly_copy]}, a head over half "
            "on the country in {record[look_at_country]}. The cut leaves under a tenth in "
            "{record[lose_nine_in_ten]}, under half in {record[need_the_edge]}; at least "
            "{record[fewest_left]}, at most {record[most_left]} answers. The seed shown here is "
            "one of the majority."),
            lambda m: min(m["record"]["all_right"] - m["record"]["seeds"] + 0.5,
                          m["record"]["hardly_copy"] - m["record"]["seeds"] + 0.5,
                          m["record"]["look_at_country"] - m["record"]["seeds"] / 2,
                          m["record"]["need_the_edge"] - m["record"]["seeds"] / 2,
                          m["record"]["lose_nine_in_ten"] - m["record"]["seeds"] / 2,
                          m["questions"] / 10 - m["record"]["left_here"]), "cut_elsewhere"),
    ),
    caveat=T(
        "权重只说从哪里取，不说取来做什么；切断说明这条边少不得，不说明只靠它。抄写得零分也不能"
        "单独证明“没有归纳头”，要和会抄的同类一起看。换一个种子，分工可以不同。",
        "A weight tells where something is fetched, not what is done with it; a cut shows that "
        "an edge is needed, not that it is enough. Nor does a zero in copying alone prove that "
        "there is no induction head; it takes the twin that copies. Other seeds share the work "
        "differently."),
    questions=(
        Question(T("最看重国名的那个头，把一半以上的权重放在国名上。只切断这一条边，"
                   "还有多少题答得对？",
                   "The head that looks most at the country puts over half its weight there. Cut "
                   "that one edge only: how many answers stay right?"),
                 answers_left(lambda m: m["best"]["left"])),
        Question(T("还有一个头也看国名，权重排第二。改切它的那一条边呢？",
                   "Another head looks at the country too, second in weight. Cut its edge "
                   "instead?"),
                 answers_left(lambda m: m["second"]["left"]))),
    pins={"example.words.*": exact("words"), "example.answer": exact("a word"),
          "record.*": exact("a record"),
          "*.country": close("shipped weights, matrix products", 1e-6, 1e-9),
          "*.relation": close("shipped weights, matrix products", 1e-6, 1e-9),
          "example.weights.*": close("shipped weights, matrix products", 1e-6, 1e-9),
          "*": ARITHMETIC},
    errata=ERRATA["tiny_gpt"],
    notes=T(
        "约 10 分钟。先投第一票，再给热图和表，让大家从表里读出答案；再投第二票。争论点：看得多的头"
        "就是重要的头吗？（Jain 和 Wallace 2019，Wiegreffe 和 Pinter 2019 吵的就是这个。）"
        "试试 lecture attend 换一句话，lecture train base --seed 1 换一个种子。",
        "About 10 minutes. First vote, then heat map and table; let the class read the answer "
        "off the table; second vote. The argument: is the head that looks most the head that "
        "matters? (Jain and Wallace 2019 against Wiegreffe and Pinter 2019.) Try lecture attend "
        "with another sentence, lecture train base --seed 1 for another seed."),
)

PARTS: tuple[Part, ...] = (LOOKUP, SCALE, MASK, INDUCTION, TINY_GPT)
