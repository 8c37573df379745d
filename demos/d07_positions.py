"""How does a model know where a word stands, and what happens further than trained?

Attention compares what words are, not where they are.  Part 1 shows how far that
blindness goes and what lifts it, part 2 looks into the table of sines, part 3 turns
queries and keys instead (RoPE) and puts its two conventions side by side, part 4 trains
four models on short texts, asks them on longer ones, and tries the two ways of
stretching RoPE on the trained weights.

Unlike demo 06: there the mask hid what must not be seen; here it turns out to give away
the order.  Left out: position biases (T5, ALiBi), further training after a stretch, what
positions are for in a copying circuit (12).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from attention_np import (
    attention,
    causal_mask,
    rope,
    rope_frequencies,
    rope_permutation,
    rotate_pairs,
    sinusoidal_positions,
)
from demos.errata.e07 import ERRATA
from lecture import model_cache, recipes, tasks
from lecture.gpt_np import GPT, init_weights
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
    T,
    Table,
    close,
    exact,
)

Array = np.ndarray
ARITHMETIC = close("deterministic float64: only the order of additions may differ")
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-11)
TRAINED = close("shipped weights: matrix products round differently", 1e-6, 1e-9)

# --- 1. blind to order ---------------------------------------------------------

SENTENCE = ("I", "love", "you")


def look(X: Array, P: Array, mask: Array | None = None) -> Array:
    """One head, no positions: X [.., n, d], P [3, d, d] -> [.., n, d]."""
    q, k, v = (X @ p for p in P)                    # [n, d] @ [d, d]
    return attention(q, k, v, mask=mask)[0]                     # [.., n, d]


def reorder(width: int, seed: int, masked: bool = True, placed: bool = True,
            plain_placed: bool = False) -> Metrics:
    """Three words in all six orders; drawn: words, two layers of maps."""
    rng, n = np.random.default_rng(seed), len(SENTENCE)
    E = rng.standard_normal((n + 1, width))                     # [4, d]
    P = rng.standard_normal((2, 3, width, width)) / np.sqrt(width)
    orders = np.array(list(permutations(range(n))))             # [6, 3]
    where = sinusoidal_positions(n, width)                      # [3, d]
    mask = causal_mask(n) if masked else None
    ways = {"plain": (None, plain_placed), "causal": (mask, False),
            "positions": (None, placed)}
    found: Metrics = {}
    for name, (m, with_places) in ways.items():
        out = look(E[orders] + where * with_places, P[0], m)    # [6, 3, d]
        same = out[0][orders]       # as if outputs went with words
        found[name] = {"middle": np.linalg.norm(out[-1, 1] - out[0, 1]),
                       "orders": abs(out - same).max()}

    # the last of four words, when the first two change places
    X = np.stack([E, E[[1, 0, 2, 3]]])                          # [2, 4, d]
    four, depth = causal_mask(n + 1) if masked else None, {}
    for name, p in zip(("one", "two"), P, strict=True):
        X = X + look(X, p, four)                                # [2, 4, d]
        depth[name] = np.linalg.norm(X[1, -1] - X[0, -1])
    return {"words": list(SENTENCE), "other": list(SENTENCE[::-1]),
            "width": width, "orders": len(orders), "ways": found,
            "last_word": depth}


WAY_NAMES = {
    "plain": T("没有遮罩，没有位置", "no mask, no positions"),
    "causal": T("因果遮罩，没有位置", "causal mask, no positions"),
    "positions": T("没有遮罩，加上位置", "no mask, positions added"),
}


def show_order(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一层注意力，随机的权重，两句话：{words[0]} {words[1]} {words[2]} 和 "
        "{other[0]} {other[1]} {other[2]}。中间那个词 {words[1]} 两次都在中间，两次的左右邻居"
        "也是同样两个词。它的输出会变吗？",
        "One layer of attention, drawn weights, two sentences: {words[0]} {words[1]} {words[2]} "
        "and {other[0]} {other[1]} {other[2]}. The word {words[1]} stands in the middle both "
        "times, between the same two words. Does its output change?"))
    yield Table(
        (Column(T("做法", "way")), Column(T("中间的词移动", "middle word moves by"), ".2g"),
         Column(T("全部次序", "all orders"), ".2g")),
        [[name, *m["ways"][key].values()] for key, name in WAY_NAMES.items()],
        legend=T("“全部次序”：三个词的 {orders} 种排法里，输出与“跟着词一起搬家”的最大差距。",
                 "All orders: over the {orders} orders of three words, the largest distance from "
                 "outputs that simply travel with their words."))
    yield Table(
        (Column(T("因果遮罩下的层数", "layers under the causal mask")),
         Column(T("最后一个词移动", "last word moves by"), ".2g")),
        [[T("一层", "one"), m["last_word"]["one"]], [T("两层", "two"), m["last_word"]["two"]]],
        title=T("四个词，前两个对调：最后一个词知道吗？",
                "Four words, the first two swapped: does the last word notice?"))


def moved(m: Metrics) -> Any:
    """How far the middle word moves under the causal mask."""
    return m["ways"]["causal"]["middle"]


ORDER = Part(
    number=1, key="order",
    title=T("看不见次序", "Blind to order"),
    compute=reorder, describe=show_order,
    params={"width": Param(16, 2, 512, about=T("词向量的宽度", "width of a word vector"))},
    controls={"plain_with_positions": partial(reorder, plain_placed=True),
              "no_mask": partial(reorder, masked=False),
              "nothing_added": partial(reorder, placed=False)},
    claims=(
        Claim("blind", T(
            "没有遮罩也没有位置，次序就看不见：中间的词移动 {ways[plain][middle]:.1g}，"
            "{orders} 种排法里输出只是跟着词搬家（最大差距 {ways[plain][orders]:.1g}，是舍入）。",
            "Without mask and positions order is invisible: the middle word moves by "
            "{ways[plain][middle]:.1g}, and over {orders} orders the outputs only travel with "
            "their words (largest gap {ways[plain][orders]:.1g}, rounding)."),
            lambda m: 1e-12 - max(m["ways"]["plain"]["middle"], m["ways"]["plain"]["orders"]),
            "plain_with_positions"),
        Claim("mask_tells", T(
            "加上因果遮罩，一个位置编码也没有，中间的词却移动了 {ways[causal][middle]:.2f}："
            "它看到的前文换了人。",
            "Add the causal mask, still not one position code, and the middle word moves by "
            "{ways[causal][middle]:.2f}: somebody else stands before it."),
            lambda m: moved(m) - 0.1, "no_mask"),
        Claim("positions_tell", T(
            "不用遮罩，把位置加进词向量：中间的词移动 {ways[positions][middle]:.2f}。",
            "No mask, but positions added to the word vectors: the middle word moves by "
            "{ways[positions][middle]:.2f}."),
            lambda m: m["ways"]["positions"]["middle"] - 0.01, "nothing_added"),
        Claim("depth_tells", T(
            "遮罩泄露的次序要两层才读得全：前两个词对调，最后一个词看到的还是同一堆词，"
            "一层之后移动 "
            "{last_word[one]:.1g}，两层之后 {last_word[two]:.2f}。",
            "It takes two layers to read the order that the mask gives away: swap the first two "
            "words and the last one still sees the same set; it moves by {last_word[one]:.1g} "
            "after one layer, by {last_word[two]:.2f} after two."),
            lambda m: min(1e-12 - m["last_word"]["one"], m["last_word"]["two"] - 0.01), "no_mask"),
    ),
    caveat=T(
        "权重是随机的：这里说的是“能不能看出次序”，不是“会不会用”。训练过的无位置模型在第 4 部分。",
        "The weights are drawn: this shows whether order can be seen at all, not whether it is "
        "used. Trained models without positions stand in part 4."),
    questions=(Question(
        T("有因果遮罩，没有位置编码。I love you 和 you love I 里，love 的输出？",
          "A causal mask, no position codes. The output at love in I love you and in you love I?"),
        (Option(T("相同：注意力不分次序", "the same: attention knows no order"),
                lambda m: 1e-12 - moved(m),
                T("把 Transformer 当成“集合”。没有遮罩时才对。",
                  "takes the Transformer for a set. That is true without the mask only.")),
         Option(T("不同", "different"), lambda m: moved(m) - 0.01),
         Option(T("差一点点，和舍入误差一样小", "different, by no more than rounding"),
                lambda m: min(moved(m) - 1e-12, 0.01 - moved(m)),
                T("以为遮罩只管“不许偷看”。它也决定了每个词的前文是谁。",
                  "thinks a mask only forbids peeking. It also decides who stands before "
                  "whom.")))),),
    pins={"ways.plain.*": ROUNDING, "last_word.one": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["order"],
    notes=T(
        "约 5 分钟。先投票。争论点：既然遮罩已经泄露次序，为什么还要位置编码？（第 4 部分："
        "没有位置的"
        "模型说不出“三个词以前”。）试试 --seed 3：数字变，结论不变。",
        "About 5 minutes. Vote first. The argument: if the mask gives order away, what are "
        "position codes for? (Part 4: a model without them cannot tell what stood three words "
        "ago.) Try --seed 3: other numbers, same verdicts."),
)

# --- 2. sines and cosines ------------------------------------------------------

SHIFTS, PLACES = (1, 3, 10, 100), 300
DRAWN_DIMS, DRAWN_WIDTH, FAR = (0, 64, 128, 192, 255), 256, 50


def shift_map(delta: int, frequency: Array) -> Array:
    """M [d, d] with PE(p + delta) = M PE(p): pair j turned by w_j delta."""
    d = 2 * len(frequency)
    cos, sin = np.cos(frequency * delta), np.sin(frequency * delta)
    M, even = np.zeros((d, d)), np.arange(0, d, 2)              # [d, d]
    M[even, even], M[even, even + 1] = cos, sin     # sin(a + b) = ..
    M[even + 1, even], M[even + 1, even + 1] = -sin, cos
    return M


def sinusoids(pairs: int, seed: int, own_angle: bool = True,
              formula: bool = True, cosines: bool = True) -> Metrics:
    """The table and its laws; only the control draws, from the seed."""
    rng, width = np.random.default_rng(seed), 2 * pairs
    pe = (sinusoidal_positions(PLACES, width) if formula    # [300, d]
          else rng.standard_normal((PLACES, width)))
    w = rope_frequencies(width)                                 # [d/2]
    shifts: Metrics = {}
    for delta in SHIFTS:
        M, one = shift_map(delta, w), shift_map(delta, np.ones_like(w))
        if not own_angle:
            M = one
        target = pe[delta:]                                     # [.., d]
        shifts[f"by_{delta}"] = {
            "delta": delta, "error": abs(pe[:-delta] @ M.T - target).max(),
            "one_angle": abs(pe[:-delta] @ one.T - target).max(),
            "orthogonal": abs(M @ M.T - np.eye(width)).max()}

    # the figure of the notes: five columns of a table of width 256
    table = sinusoidal_positions(FAR + 1, DRAWN_WIDTH)          # [51, 256]
    i = np.array(DRAWN_DIMS)
    as_drawn = np.sin(np.arange(FAR + 1)[:, None]
                      * 10000.0 ** (-i / DRAWN_WIDTH))          # [51, 5]
    columns = table[:, i] if cosines else as_drawn              # [51, 5]
    speed = 10000.0 ** (-(i - i % 2) / DRAWN_WIDTH)             # [5]
    dims = {f"dim_{n}": {
        "dim": n, "pair": n // 2, "cosine": bool(n % 2 and cosines),
        "frequency": speed[j], "value": columns[FAR, j],
        "drawn": as_drawn[FAR, j]} for j, n in enumerate(DRAWN_DIMS)}

    def dot(a: int, b: int) -> float:
        return float(pe[a] @ pe[b])

    return {"width": width, "root": np.sqrt(width / 2),
            "norms": {"low": np.linalg.norm(pe, axis=1).min(),
                      "high": np.linalg.norm(pe, axis=1).max()},
            "shifts": shifts, "dims": dims, "far": FAR,
            "dots": {"near": dot(5, 2), "later": dot(13, 10),
                     "closer": dot(13, 12), "itself": dot(13, 13),
                     "by_distance": pe[:51] @ pe[0]},
            "sample": np.round(10 * sinusoidal_positions(16, 16)),
            "page": {"map": np.round(sinusoidal_positions(64, 32), 3),
                     "starts": [0, 10, 20, 50], "rows": np.round(
                         sinusoidal_positions([0, 10, 20, 50], 32), 3),
                     "dims": list(range(32)),
                     "places": list(range(FAR + 1)),
                     "columns": np.round(columns.T, 3)}}


def show_sinusoids(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "每两列是一根表针：偶数列写正弦，奇数列写余弦，越往右转得越慢。位置就是所有表针的读数。",
        "Every two columns are the hand of a clock: a sine in the even one, a cosine in the odd "
        "one, ever slower to the right. A position is what all the hands read."))
    yield HeatMap(m["sample"], list(range(16)), list(range(16)), low=-10, high=10,
                  format=".0f", title=T("十六个位置（行），十六维（列），单位是十分之一",
                                        "Sixteen positions (rows), sixteen dims, in tenths"))
    yield Table(
        (Column(T("平移 δ", "shift δ"), "d"), Column(T("每对转 ω·δ，误差",
                                                       "each pair by ωδ: error"),
                                                   ".1g"),
         Column(T("都转 δ，误差", "all by δ: error"), ".2f")),
        [[s["delta"], s["error"], s["one_angle"]] for s in m["shifts"].values()],
        title=T("一个矩阵 M(δ) 把 PE(p) 变成 PE(p+δ)，宽 {width}",
                "One matrix M(δ) takes PE(p) to PE(p+δ), width {width}"))
    yield Table(
        (Column(T("维", "dim"), "d"), Column(T("第几对", "pair"), "d"), Column(T("余弦", "cosine")),
         Column(T("频率", "frequency"), ".4e"), Column(T("在 p = {far}", "at p = {far}"), ".6f"),
         Column(T("讲义画的", "as the notes draw"), ".6f")),
        [list(d.values()) for d in m["dims"].values()],
        title=T("五个维度，频率一对一对地变慢", "Five dims: frequencies fall pair by pair"))
    page = m["page"]
    yield HeatMap(page["map"], list(range(64)), page["dims"], low=-1, high=1, page_only=True,
                  title=T("整张表：六十四个位置，三十二维",
                          "The whole table: 64 positions, 32 dims"))
    yield Curve(page["dims"], [(T(f"位置 {p}", f"position {p}"), row) for p, row in
                               zip(page["starts"], page["rows"], strict=True)],
                T("维", "dim"), T("值", "value"), low=-1, high=1, page_only=True,
                title=T("四个位置的编码", "The codes of four positions"))
    yield Curve(page["places"], [(T(f"维 {d['dim']}", f"dim {d['dim']}"), column) for d, column in
                                 zip(m["dims"].values(), page["columns"], strict=True)],
                T("位置", "position"), T("值", "value"), low=-1, high=1, page_only=True,
                title=T("五个维度随位置的变化", "Five dims along the positions"))
    yield Curve(page["places"], [(T("PE(0)·PE(p)", "PE(0)·PE(p)"), m["dots"]["by_distance"])],
                T("距离", "distance"), T("点积", "dot product"), format=".0f", page_only=True,
                title=T("离得越远越不像，但不是一路下降",
                        "Further is less alike, but not all the way down"))


def later(m: Metrics) -> Any:
    """How much the second dot product is larger than the first."""
    return m["dots"]["later"] - m["dots"]["near"]


SINES = Part(
    number=2, key="sinusoids",
    title=T("正弦与余弦", "Sines and cosines"),
    compute=sinusoids, describe=show_sinusoids,
    params={"pairs": Param(256, 4, 1024, about=T("有几根表针（宽度的一半）",
                                                 "how many hands, half the width"))},
    controls={"one_angle": partial(sinusoids, own_angle=False),
              "drawn_table": partial(sinusoids, formula=False),
              "sines_only": partial(sinusoids, cosines=False)},
    claims=(
        Claim("shift", T(
            "平移是一个线性映射：M(δ) 对所有位置都一样，是正交矩阵，最大误差 "
            "{shifts[by_100][error]:.1g}（δ = {shifts[by_100][delta]}）。每一对有自己的角度；都转 "
            "δ "
            "就错了，误差 {shifts[by_3][one_angle]:.2f}（δ = {shifts[by_3][delta]}）。",
            "A shift is a linear map: one orthogonal M(δ) serves every position, largest error "
            "{shifts[by_100][error]:.1g} at δ = {shifts[by_100][delta]}. Each pair has its own "
            "angle; turning all by δ is wrong, error {shifts[by_3][one_angle]:.2f} at "
            "δ = {shifts[by_3][delta]}."),
            lambda m: min(*(1e-11 - max(s["error"], s["orthogonal"])
                            for s in m["shifts"].values()),
                          *(s["one_angle"] - 0.1 for s in m["shifts"].values())),
            "one_angle"),
        Claim("distance", T(
            "距离藏在点积里：相距三的两对位置，点积都是 {dots[near]:.4f} 和 {dots[later]:.4f}；"
            "相距一的是 {dots[closer]:.4f}，和自己是 {dots[itself]:.4f}。",
            "Distance sits in the dot product: two pairs of positions three apart give "
            "{dots[near]:.4f} and {dots[later]:.4f}; one apart {dots[closer]:.4f}, a position "
            "with itself {dots[itself]:.4f}."),
            lambda m: min(1e-9 - abs(later(m)), m["dots"]["closer"] - m["dots"]["later"],
                          m["dots"]["itself"] - m["dots"]["closer"]), "drawn_table"),
        Claim("norm", T(
            "每个位置一样长：最短 {norms[low]:.3f}，最长 {norms[high]:.3f}，就是列数一半的平方根 "
            "{root:.3f}。",
            "All positions are equally long: shortest {norms[low]:.3f}, longest "
            "{norms[high]:.3f}, the square root of half the width, {root:.3f}."),
            lambda m: 1e-9 - max(abs(m["norms"]["low"] - m["root"]),
                                 abs(m["norms"]["high"] - m["root"])), "drawn_table"),
        Claim("last_dim", T(
            "维 {dims[dim_255][dim]} 是余弦，频率 {dims[dim_255][frequency]:.4e}，在位置 {far} 是 "
            "{dims[dim_255][value]:.6f}；讲义把它画成正弦，得 {dims[dim_255][drawn]:.6f}。",
            "Dim {dims[dim_255][dim]} is a cosine of frequency {dims[dim_255][frequency]:.4e} and "
            "is {dims[dim_255][value]:.6f} at position {far}; the notes draw a sine there, "
            "{dims[dim_255][drawn]:.6f}."),
            lambda m: min(m["dims"]["dim_255"]["value"] - 0.99,
                          0.01 - m["dims"]["dim_255"]["drawn"]), "sines_only"),
    ),
    caveat=T(
        "公式给出了距离，不等于模型会用：词向量加上去，W_Q、W_K 再乘上去之后，距离还在不在要看训练"
        "（第 4 部分）。",
        "The formula holds the distance; that does not mean a model uses it. What is left of it "
        "once word vectors are added and W_Q, W_K multiplied is up to training (part 4)."),
    questions=(Question(
        T("PE(5)·PE(2) 和 PE(13)·PE(10) 相比？", "PE(5)·PE(2) against PE(13)·PE(10)?"),
        (Option(T("相等", "equal"),
                lambda m: min(1e-9 - abs(later(m)), abs(m["dots"]["near"]) - 1)),
         Option(T("后者大：位置靠后，数值也大",
                  "the second is larger: later places, larger values"),
                lambda m: later(m) - 1e-9,
                T("以为编码随位置变大。每个位置的长度都一样。",
                  "expects codes that grow with the position. All of them are equally long.")),
         Option(T("后者小：越往后越分不清", "the second is smaller: later places blur"),
                lambda m: -later(m) - 1e-9,
                T("以为远处的位置渐渐糊掉。表针一直在转，只看转了多少差。",
                  "expects far places to blur. The hands keep turning; only how far apart they "
                  "are counts.")),
         Option(T("都接近零：不同位置互相垂直", "both near zero: places are orthogonal"),
                lambda m: 1 - max(abs(m["dots"]["near"]), abs(m["dots"]["later"])),
                T("把位置编码当成 one-hot。慢的那些表针几乎没动，所以点积很大。",
                  "takes the codes for one-hot. The slow hands have hardly moved, so the product "
                  "is large.")))),),
    pins={"shifts.*.error": ROUNDING, "shifts.*.orthogonal": ROUNDING,
          "dims.*.dim": exact("a number of the list"), "*": close(
              "deterministic sines: libraries differ in the last bits", 1e-9, 1e-9)},
    errata=ERRATA["sinusoids"],
    notes=T(
        "约 6 分钟。先投票。争论点：为什么是“加”而不是“接”在词向量后面？（加省宽度；"
        "训练可以把两者放进"
        "不同的方向。）整张表和曲线在 --export 的网页里。",
        "About 6 minutes. Vote first. The argument: why add the code instead of appending it? "
        "(Adding saves width; training can keep the two in different directions.) The whole "
        "table and the curves are on the exported page."),
)

# --- 3. RoPE -------------------------------------------------------------------

Q4, K4 = np.array([[1.0, 2, 3, 4]]), np.array([[4.0, 3, 2, 1]])    # [1, 4]
APART = ((3, 1), (5, 3), (102, 100))            # all two places apart
HEAD, LONG = 64, 2048


def mixed_up(x: Array, m: Any) -> Array:
    """The fault: angles laid out for neighbours, halves turned; [.., d]."""
    half = x.shape[-1] // 2
    angle = m * np.repeat(rope_frequencies(2 * half), 2)    # w0 w0 w1 w1
    crossed = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * np.cos(angle) + crossed * np.sin(angle)          # [.., d]


def two_conventions(seed: int, mixed: bool, mapped: bool) -> Metrics:
    """One score in both conventions, and the map from one to the other."""
    ways: dict[str, Callable[[Array, Any], Array]] = {
        "half": partial(rope, convention="half"),
        "adjacent": partial(rope, convention="adjacent"), "mixed": mixed_up}
    if mixed:
        ways["half"] = ways["adjacent"] = mixed_up
    scores = {f"at_{m}_{n}": {"m": m, "n": n} | {
        name: (turn(Q4, m) @ turn(K4, n).T).item()
        for name, turn in ways.items()} for m, n in APART}
    P = rope_permutation(4) if mapped else np.arange(4)         # [4]
    beside = rope(Q4, 1, "adjacent")                            # [1, 4]
    steps = {"x": Q4[0], "turned": beside[0], "turned_mapped": beside[0, P],
             "mapped": Q4[0, P], "mapped_turned": rope(Q4[:, P], 1)[0]}

    rng, places = np.random.default_rng(seed), np.arange(32)
    q, k = rng.standard_normal((2, 32, HEAD))                   # [32, 64]
    P64 = rope_permutation(HEAD) if mapped else np.arange(HEAD)
    half, other = (rope(q, places, c) for c in ("half", "adjacent"))
    keys = {c: rope(k, places, c) for c in ("half", "adjacent")}
    mapped_scores = rope(q[:, P64], places) @ rope(k[:, P64], places).T
    right = other @ keys["adjacent"].T                          # [32, 32]
    return {
        "scores": scores, "P": P, "steps": steps, "at": 1,
        "slots": list(range(4)), "turned_to": 5,
        "norms": {name: (turn(Q4, 5) ** 2).sum()
                  for name, turn in ways.items()},
        "equal_places": (ways["half"](Q4, 7)
                         @ ways["half"](K4, 7).T).item(),
        "plain": (Q4 @ K4.T).item(), "square": (Q4 ** 2).sum(),
        "map": {"turned": abs(rope(q[:, P64], places)
                              - other[:, P64]).max(),
                "scores": abs(mapped_scores - right).max(),
                "unmapped": abs(half - other).max(),
                "unmapped_scores": abs(half @ keys["half"].T
                                       - right).max()}}


def score_formula(seed: int, parallel: bool, turn: bool) -> Metrics:
    """The turned score: the notes' cosine alone, or with the sine."""
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((2, 1000, 2))                    # [1000, 2]
    q[0], k[0] = (1, 0), (0, 1)
    if parallel:
        k = q * rng.uniform(0.5, 2, (1000, 1))
    m, n = rng.integers(0, 100, (2, 1000))                      # [1000]
    m[0], n[0], theta = 2, 0, 0.5

    def turned(x: Array, places: Array) -> Array:
        a = (places * theta)[:, None]                           # [1000, 1]
        return rotate_pairs(x, np.cos(a), np.sin(a))            # [1000, 2]

    score = (turned(q, m) * turned(k, n)).sum(1)                # [1000]
    delta = (m - n) * theta
    notes = (q * k).sum(1) * np.cos(delta)
    full = notes + (q[:, 0] * k[:, 1] - q[:, 1] * k[:, 0]) * np.sin(delta)
    w = rope_frequencies(HEAD)                                  # [32]
    v = rng.standard_normal((1, HEAD))                          # [1, 64]
    tenth = rope(v, 10 if turn else 0)                          # [1, 64]
    return {"theta": theta, "apart": int(m[0] - n[0]), "pairs": len(q),
            "one": {"score": score[0], "notes": notes[0], "full": full[0]},
            "notes_error": abs(score - notes).mean(),
            "full_error": abs(score - full).max(),
            "kept": {"length": abs(np.linalg.norm(tenth) / np.linalg.norm(v)
                                   - 1),
                     "cosine": (v @ tenth.T).item() / (v ** 2).sum(),
                     "places": 10},
            "speeds": {"width": HEAD, "pair": len(w) - 1, "first": w[0],
                       "last": w[-1], "full_turn": 2 * np.pi / w[-1]}}


def inside_model(seed: int, positions: str) -> Metrics:
    """The trained RoPE model: which of its arrays know the place?"""
    cfg = replace(recipes.named("places_rope").config, positions=positions)
    model = GPT(cfg, model_cache.load(recipes.named("places_rope")))
    ids, *_ = tasks.named("delayed_copy")(np.random.default_rng(seed), 4)
    run = model.run(ids, trace=True)
    here, found = np.arange(ids.shape[1]), {}
    seen, width = causal_mask(len(here)), cfg.head_width
    for layer in range(cfg.n_layer):
        q, k, v, S, W, heads = (
            run.trace[f"{layer}.{name}"] for name in
            ("q", "k", "v", "scores", "weights", "heads"))
        turned = rope(q, here) @ rope(k, here).swapaxes(-1, -2)
        still = q @ k.swapaxes(-1, -2)                      # [B, h, T, T]
        found[f"layer_{layer}"] = {
            "layer": layer,
            "turned": abs(turned / np.sqrt(width) - S)[..., seen].max(),
            "still": abs(still / np.sqrt(width) - S)[..., seen].max(),
            "values": abs(W @ v - heads).max()}
    moved_on = model.run(ids, places=here + 50).logits
    return {"layers": found,
            "embedding": abs(run.trace["embed"] - model.w["wte.weight"][ids]
                             ).max(),
            "moved_on": abs(moved_on - run.logits).max(), "moved_by": 50}


def half_precision(kind: str) -> Metrics:
    """Angles made in `kind`, their cosines then exact; width 32."""
    w, p = rope_frequencies(32), np.arange(LONG)            # [16], [2048]
    exact_angle = p[:, None] * w                                # [2048, 16]
    rough = (p.astype(kind)[:, None] * w.astype(kind)).astype(float)
    error = abs(np.cos(rough) - np.cos(exact_angle))            # [2048, 16]
    place = 1857
    return {"place": place, "pair": 1, "angle": exact_angle[place, 1],
            "rough": rough[place, 1],
            "cosine": np.cos(exact_angle[place, 1]),
            "rough_cosine": np.cos(rough[place, 1]), "worst": error.max(),
            "places": LONG}


class Cached:
    """A layer that keeps a table as a buffer and as a mere attribute."""

    def __init__(self) -> None:
        table = np.cos(np.arange(8, dtype=np.float32))          # [8]
        self.cos_cached, self.buffers = table, {"cos": table}

    def to(self, kind: str) -> Cached:
        self.buffers = {n: a.astype(kind) for n, a in self.buffers.items()}
        return self


def what_is_raised(action: Callable[[], Any]) -> str:
    """The name of the exception that an action dies of."""
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "nothing"


def notes_code(seed: int) -> Metrics:
    """The faults of the notes' code, each on a small array that has it."""
    rng = np.random.default_rng(seed)

    def as_printed(x: Array) -> Array:      # [B, S, H, d] times [S, d/2]
        pairs = x[..., 0::2] + 1j * x[..., 1::2]
        w = rope_frequencies(x.shape[-1])                       # [d/2]
        angle = np.arange(x.shape[1])[:, None] * w              # [S, d/2]
        out = pairs * np.exp(1j * angle)    # meets [H, d/2], not [S, d/2]
        return np.stack([out.real, out.imag], -1).reshape(x.shape)

    x = rng.standard_normal((2, 5, 5, HEAD))                # [2, 5, 5, d]
    printed, five = as_printed(x), np.arange(5)
    by_place = rope(x.swapaxes(1, 2), five, "adjacent").swapaxes(1, 2)
    layer = Cached().to("float64")
    return {
        "unequal": what_is_raised(lambda: as_printed(x[:, :4])),
        "by_head": abs(printed - rope(x, five, "adjacent")).max(),
        "by_place": abs(printed - by_place).max(),
        "attribute": str(layer.cos_cached.dtype),
        "buffer": str(layer.buffers["cos"].dtype),
        "fraction": what_is_raised(
            lambda: layer.cos_cached[np.array([0.5])]),
        "crossed": np.concatenate([-Q4[0, 2:], Q4[0, :2]])}


def turn_pairs(seed: int, mixed: bool = False, mapped: bool = True,
               parallel: bool = False, turn: bool = True,
               positions: str = "rope", kind: str = "float16") -> Metrics:
    """RoPE from five sides; see the functions above."""
    return {"conventions": two_conventions(seed, mixed, mapped),
            "formula": score_formula(seed, parallel, turn),
            "model": inside_model(seed, positions),
            "half": half_precision(kind), "code": notes_code(seed)}


STEP_NAMES = {
    "x": T("x", "x"),
    "turned": T("相邻配对转 x", "x, turned as adjacent"),
    "turned_mapped": T("……按 P 重排", ".. taken in the order P"),
    "mapped": T("x 按 P 重排", "x in the order P"),
    "mapped_turned": T("……对半配对来转", ".. turned as halves"),
}


def show_rope(m: Metrics) -> Iterator[Block]:
    c = m["conventions"]
    yield Paragraph(T(
        "RoPE 不加任何东西：它把查询和键两个数一对地转，转角是位置乘频率。哪两个数是一对？"
        "论文用相邻的 (2j, 2j+1)，Llama 的代码用对半的 (j, j+d/2)。两种都对，混用就错。",
        "RoPE adds nothing: it turns queries and keys, two numbers at a time, by position times "
        "frequency. Which two numbers? The paper pairs neighbours (2j, 2j+1), Llama's code "
        "halves (j, j+d/2). Either is right, a mixture is not."))
    yield Table(
        (Column(T("查询在 m", "query at m"), "d"), Column(T("键在 n", "key at n"), "d"),
         Column(T("对半", "halves"), ".4f"), Column(T("相邻", "adjacent"), ".4f"),
         Column(T("混用", "mixed"), ".4f")),
        [list(row.values()) for row in c["scores"].values()],
        title=T("同一个 q、k，都相距两格：分数", "The same q and k, always two apart: the score"),
        legend=T("q 的长度平方是 {conventions[square]:g}；转到位置 {conventions[turned_to]}："
                 "{conventions[norms][half]:.1f}、{conventions[norms][adjacent]:.1f}，"
                 "混用 {conventions[norms][mixed]:.1f}。",
                 "q has squared length {conventions[square]:g}; turned to position "
                 "{conventions[turned_to]}: {conventions[norms][half]:.1f}, "
                 "{conventions[norms][adjacent]:.1f}, mixed {conventions[norms][mixed]:.1f}."))
    yield Table(
        (Column(T("在位置 {conventions[at]}", "at position {conventions[at]}")),
         *(Column(T(f"第 {{conventions[slots][{i}]}} 个", f"no. {{conventions[slots][{i}]}}"),
                  ".6f") for i in c["slots"])),
        [[name, *c["steps"][key]] for key, name in STEP_NAMES.items()],
        title=T("把一种约定变成另一种：先偶数、后奇数",
                "From one convention to the other: even places first, then odd"),
        legend=T("P = {conventions[P][0]} {conventions[P][1]} {conventions[P][2]} "
                 "{conventions[P][3]}：第三行和第五行相同。",
                 "P = {conventions[P][0]} {conventions[P][1]} {conventions[P][2]} "
                 "{conventions[P][3]}: rows three and five are the same."))
    yield Table(
        (Column(T("层", "layer"), "d"),
         Column(T("分数 = 转过的 q·k？", "score = turned q·k?"), ".1g"),
         Column(T("= 没转的 q·k？", "= q·k unturned?"), ".2f"),
         Column(T("取回的 = 权重 × 没转的 v？", "fetched = weights × v?"), ".1g")),
        [list(row.values()) for row in m["model"]["layers"].values()],
        title=T("训练好的模型里，谁被转了（最大差距）",
                "In the trained model: what is turned (largest gap)"))
    f, h = m["formula"], m["half"]
    yield Table(
        (Column(T("算式", "formula")), Column(T("分数", "score"), ".6f")),
        [[T("真的转一转", "turned for real"), f["one"]["score"]],
         [T("讲义：(q·k) cos", "the notes: (q·k) cos"), f["one"]["notes"]],
         [T("加上正弦项", "with the sine term"), f["one"]["full"]]],
        title=T("q = (1, 0)，k = (0, 1)，相距 {formula[apart]}，θ = {formula[theta]}",
                "q = (1, 0), k = (0, 1), {formula[apart]} apart, θ = {formula[theta]}"))
    yield Table(
        (Column(T("位置 {half[place]} 的角度", "angle at position {half[place]}")),
         Column(T("角度", "angle"), ".4f"), Column(T("余弦", "cosine"), ".4f")),
        [[T("双精度", "double precision"), h["angle"], h["cosine"]],
         [T("半精度", "half precision"), h["rough"], h["rough_cosine"]]])


ROPE = Part(
    number=3, key="rope",
    title=T("RoPE：转查询和键", "RoPE: turning queries and keys"),
    compute=turn_pairs, describe=show_rope, recipes=("places_rope",),
    controls={"mixed_conventions": partial(turn_pairs, mixed=True),
              "unmapped": partial(turn_pairs, mapped=False),
              "parallel": partial(turn_pairs, parallel=True),
              "no_turn": partial(turn_pairs, turn=False),
              "no_positions": partial(turn_pairs, positions="none"),
              "double_precision": partial(turn_pairs, kind="float64")},
    claims=(
        Claim("distance_only", T(
            "分数只看距离：三处相距一样的位置，对半是 {conventions[scores][at_3_1][half]:.4f}，"
            "相邻是 "
            "{conventions[scores][at_3_1][adjacent]:.4f}，各自不变；同一位置就是原来的 q·k = "
            "{conventions[equal_places]:g}。混用的实现三处三个数。",
            "The score sees the distance only: at three equally distant places halves give "
            "{conventions[scores][at_3_1][half]:.4f}, neighbours "
            "{conventions[scores][at_3_1][adjacent]:.4f}, each unchanged; at equal places it is "
            "the plain q·k = {conventions[equal_places]:g}. The mixture gives three different "
            "numbers."),
            lambda m: min(*(1e-9 - abs(row[way] - m["conventions"]["scores"]["at_3_1"][way])
                            for row in list(m["conventions"]["scores"].values())[1:]
                            for way in ("half", "adjacent")),
                          1e-9 - abs(m["conventions"]["equal_places"] - m["conventions"]["plain"]),
                          *(abs(a["mixed"] - b["mixed"]) - 1 for a, b in zip(
                              list(m["conventions"]["scores"].values())[1:],
                              list(m["conventions"]["scores"].values())[:-1], strict=True))),
            "mixed_conventions"),
        Claim("map", T(
            "两种约定差一个重排：先按 P 重排再对半转，等于先相邻转再按 P 重排，差 "
            "{conventions[map][turned]:.1g}，分数差 {conventions[map][scores]:.1g}；不重排，"
            "分数差到 {conventions[map][unmapped_scores]:.1f}。",
            "The two conventions differ by a reordering: take P, then turn halves, is the same as "
            "turn neighbours, then take P, to {conventions[map][turned]:.1g}, the scores to "
            "{conventions[map][scores]:.1g}; without it scores are off by up to "
            "{conventions[map][unmapped_scores]:.1f}."),
            lambda m: min(1e-12 - m["conventions"]["map"]["turned"],
                          1e-11 - m["conventions"]["map"]["scores"],
                          m["conventions"]["map"]["unmapped_scores"] - 1), "unmapped"),
        Claim("q_and_k_only", T(
            "训练好的模型里，两层的分数都由转过的 q 和 k 算出（差 "
            "{model[layers][layer_0][turned]:.1g} "
            "和 {model[layers][layer_1][turned]:.1g}）；词向量没动（差 {model[embedding]:g}），"
            "取回的 "
            "v 也没转（差 {model[layers][layer_0][values]:.1g}）。整段往后挪 {model[moved_by]} "
            "格，输出只变 "
            "{model[moved_on]:.1g}。",
            "In the trained model both layers score with turned q and k (gap "
            "{model[layers][layer_0][turned]:.1g} and {model[layers][layer_1][turned]:.1g}); the "
            "embedding is untouched (gap {model[embedding]:g}) and the v fetched is not turned "
            "(gap {model[layers][layer_0][values]:.1g}). Move the whole text on by "
            "{model[moved_by]} places and the output changes by {model[moved_on]:.1g} only."),
            lambda m: min(*(1e-10 - max(row["turned"], row["values"])
                            for row in m["model"]["layers"].values()),
                          *(row["still"] - 0.1 for row in m["model"]["layers"].values()),
                          1e-12 - m["model"]["embedding"], 1e-8 - m["model"]["moved_on"],
                          m["model"]["moved_by"] - 1), "no_positions"),
        Claim("sine_term", T(
            "相互垂直的 q、k 也有分数：{formula[one][score]:.6f}，只写余弦会得 "
            "{formula[one][notes]:.6f}。{formula[pairs]} 对随机向量，只写余弦平均错 "
            "{formula[notes_error]:.3f}，补上正弦项最多错 {formula[full_error]:.1g}。",
            "Orthogonal q and k score too: {formula[one][score]:.6f}, where the cosine alone says "
            "{formula[one][notes]:.6f}. Over {formula[pairs]} drawn pairs the cosine alone is off "
            "by {formula[notes_error]:.3f} on average, with the sine term by "
            "{formula[full_error]:.1g} at most."),
            lambda m: min(m["formula"]["one"]["score"] - m["formula"]["one"]["notes"] - 0.1,
                          m["formula"]["notes_error"] - 0.1,
                          1e-12 - m["formula"]["full_error"]), "parallel"),
        Claim("length_kept", T(
            "转 {formula[kept][places]} 格，长度变 {formula[kept][length]:.1g}，"
            "但向量不再是原来那个：和自己的余弦是 "
            "{formula[kept][cosine]:.3f}。",
            "Turned by {formula[kept][places]} places a vector changes in length by "
            "{formula[kept][length]:.1g}, but it is not the same vector: the cosine with itself "
            "is {formula[kept][cosine]:.3f}."),
            lambda m: min(1e-12 - m["formula"]["kept"]["length"],
                          0.95 - m["formula"]["kept"]["cosine"]), "no_turn"),
        Claim("half_precision", T(
            "角度要用够细的数来算：位置 {half[place]} 的余弦是 {half[cosine]:.3f}，半精度算成 "
            "{half[rough_cosine]:.3f}；{half[places]} 个位置里最坏错 {half[worst]:.2f}。",
            "Angles need fine numbers: at position {half[place]} the cosine is "
            "{half[cosine]:.3f}, in half precision {half[rough_cosine]:.3f}; over {half[places]} "
            "positions the worst is off by {half[worst]:.2f}."),
            lambda m: min(m["half"]["worst"] - 0.5,
                          abs(m["half"]["cosine"] - m["half"]["rough_cosine"]) - 0.5),
            "double_precision"),
    ),
    caveat=T(
        "分数只看距离，说的是 q、k 给定的时候；第二层的 q、k 来自已经看过前文的词，"
        "里面可以带着位置。"
        "“只看距离”也不等于“走多远都行”（第 4 部分）。",
        "That the score sees the distance only holds for given q and k; in the second layer they "
        "come from words that have already looked around and may carry places. Nor does it mean "
        "that any distance will do (part 4)."),
    questions=(
        Question(
            T("RoPE 旋转的是？", "What does RoPE turn?"),
            (Option(T("词向量", "the embeddings"), lambda m: m["model"]["embedding"] - 1e-9,
                    T("以为位置一进门就加好了。那是正弦编码的做法。",
                      "expects places at the entrance. That is how sinusoids do it.")),
             Option(T("每一层的 q 和 k", "q and k, in every layer"),
                    lambda m: min(1e-9 - max(row["turned"], row["values"])
                                  for row in m["model"]["layers"].values())),
             Option(T("每一层的 q、k 和 v", "q, k and v, in every layer"),
                    lambda m: min(row["values"] - 1e-9 for row in m["model"]["layers"].values()),
                    T("以为三个都要转。v 转了，取回的内容就跟着位置变。",
                      "turns all three. A turned v would change what is fetched with the place.")),
             Option(T("注意力权重", "the attention weights"),
                    lambda m: min(row["turned"] - 1e-9 for row in m["model"]["layers"].values()),
                    T("把“作用在分数上”想成“转分数”。权重是一个个数，没法转。",
                      "takes an effect on the scores for turning them. A weight is one number; "
                      "there is nothing to turn.")))),
        Question(
            T("q = (1, 0) 和 k = (0, 1) 互相垂直，相距两格，θ = 0.5。旋转后的分数？",
              "q = (1, 0) and k = (0, 1) are orthogonal, two places apart, θ = 0.5. The score "
              "once both are turned?"),
            (Option(T("0：垂直的永远垂直", "0: orthogonal stays orthogonal"),
                    lambda m: 0.01 - abs(m["formula"]["one"]["score"]),
                    T("以为两个转得一样多。它们位置不同，转角也不同。",
                      "turns both by the same angle. They stand at different places.")),
             Option(T("约 0.84", "about 0.84"),
                    lambda m: 0.01 - abs(m["formula"]["one"]["score"] - 0.84)),
             Option(T("1", "1"), lambda m: 0.01 - abs(m["formula"]["one"]["score"] - 1),
                    T("以为转到重合了。两格只转了一弧度，不到直角。",
                      "has them meet. Two places are one radian here, less than a right angle.")),
             Option(T("-1", "-1"), lambda m: 0.01 - abs(m["formula"]["one"]["score"] + 1),
                    T("转错了方向，也转过了头。", "turns the wrong way, and too far."))))),
    pins={"conventions.map.turned": ROUNDING, "conventions.map.scores": ROUNDING,
          "formula.full_error": ROUNDING, "formula.kept.length": ROUNDING,
          "model.layers.*.turned": ROUNDING, "model.layers.*.values": ROUNDING,
          "model.layers.*.still": TRAINED, "model.layers.*.layer": exact("a number"),
          "model.moved_on": close("rounding of a trained model's logits", 0.0, 1e-8),
          "model.*": exact("nothing may move"), "code.by_head": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["rope"],
    notes=T(
        "约 8 分钟。两次投票，先投“转什么”。第二张表请学生口算：x = 1 2 3 4，P = 0 2 1 3。争论点："
        "v 为什么"
        "不转？换约定时权重要不要跟着换？（要：把 W_Q、W_K 的行按 P 重排即可。）",
        "About 8 minutes. Two votes, first on what is turned. Let them work the second table by "
        "hand: x = 1 2 3 4, P = 0 2 1 3. The argument: why not turn v? Must weights change with "
        "the convention? (Yes: reorder the rows of W_Q and W_K by P.)"),
)

# --- 4. longer than trained ----------------------------------------------------

KINDS = ("learned", "sinusoidal", "rope", "none")
COPIERS = ("no_positions", "with_rope")
TRAINED_AT, DELAY, ROWS = 32, 3, 16
LENGTHS = (32, 64, 128)
RECORD = Path(__file__).with_name("records") / "positions.json"


def ntk_base(base: float, stretch: float, d: int) -> float:
    """The base whose slowest pair turns `stretch` times slower."""
    return base * stretch ** (d / (d - 2))


def says_back(model: GPT, ids: Array, *back: int, places: Any = None,
              patch: Any = None) -> list[Array]:
    """Does it say the word that stood so far back? [B, T - back] for each."""
    said = model.run(ids, patch, places=places).logits.argmax(-1)   # [B, T]
    return [said[:, n:] == ids[:, :ids.shape[1] - n] for n in back]


def cut_back(model: GPT, back: int) -> Any:
    """A patch: no head may look at the place `back` before its own."""
    def edit(S: Array) -> Array:                            # [B, h, T, T]
        t = np.arange(back, S.shape[-1])
        S[..., t, t - back] = -np.inf
        return S
    return {f"{l}.scores": edit for l in range(model.cfg.n_layer)}


def stretched(model: GPT, ids: Array, base_too: bool,
              turn: bool) -> Metrics:
    """The RoPE model at one length: as it is, and its three stretchings."""
    length, cfg = ids.shape[1], model.cfg
    stretch = length / TRAINED_AT if base_too else 1.0
    base = ntk_base(cfg.rope_base, stretch, cfg.head_width)
    other = GPT(replace(cfg, rope_base=base), model.w)
    at = np.arange(length) * float(turn)                        # [T]
    further = DELAY * length // TRAINED_AT

    def share(net: GPT, places: Array, *back: int) -> list[float]:
        found = says_back(net, ids, *back, places=places)
        return [float(ok.mean()) for ok in found]

    near, wide = share(model, at / stretch, DELAY, further)
    return {
        "length": length, "stretch": length / TRAINED_AT, "base": base,
        "plain": share(model, at, DELAY)[0], "interpolated": near,
        "rounded": share(model, at // stretch, DELAY)[0],
        "ntk": share(other, at, DELAY)[0],
        "further": further, "says_further": wide}


def copied(model: GPT, seed: int, longest: int, shortest: int,
           length: int) -> float:
    """A list of names said over and over: share right once it repeats."""
    sizes = dict(recipes.named("no_positions").data.sizes) | {
        "longest": longest, "shortest": shortest, "length": length}
    ids, mask = tasks.named("repeats")(np.random.default_rng(seed), 48,
                                       **sizes)
    right = model.run(ids).logits.argmax(-1)[:, :-1] == ids[:, 1:]
    return float(right[mask[:, :-1]].mean())


def by_length(models: dict[str, GPT], seed: int, base_too: bool = True,
              turn: bool = True) -> Metrics:
    """All that is measured of a seed's models; the record calls it too."""
    rng = np.random.default_rng([7, seed])
    ids, *_ = tasks.named("delayed_copy")(rng, ROWS, length=LENGTHS[-1])
    found: Metrics = {}
    for kind in KINDS:
        still = kind == "rope" and not turn
        all_0 = np.zeros(LENGTHS[-1]) if still else None        # [128]
        ok, = says_back(models[f"places_{kind}"], ids, DELAY, places=all_0)
        found[kind] = {"near": ok[:, :TRAINED_AT - DELAY].mean(),
                       "mid": ok[:, TRAINED_AT - DELAY:64 - DELAY].mean(),
                       "far": ok[:, 64 - DELAY:].mean()}
    model, short = models["places_rope"], ids[:, :TRAINED_AT]
    at = np.arange(TRAINED_AT) * float(turn)
    return {
        "places": found,
        "stretched": {f"to_{n}": stretched(model, ids[:, :n], base_too,
                                           turn) for n in LENGTHS[1:]},
        "cut": {name: says_back(model, short, DELAY, places=at,
                                patch=cut_back(model, back))[0].mean()
                for name, back in (("right", DELAY), ("other", DELAY + 1))},
        "copying": {name: {"short": copied(models[name], seed, 12, 4, 24),
                           "long": copied(models[name], seed, 20, 8, 48)}
                    for name in COPIERS}}


def all_models(seed: int | None = None, trained: bool = True
               ) -> dict[str, GPT]:
    """The six networks: shipped, of another seed, or before training."""
    made = {}
    for name in (*(f"places_{kind}" for kind in KINDS), *COPIERS):
        recipe = recipes.named(name)
        if seed is not None:
            recipe = recipes.with_seed(recipe, seed)
        made[name] = GPT(recipe.config, model_cache.load(recipe)
                         if trained else init_weights(recipe.config))
    return made


def over_seeds(runs: list[Metrics]) -> Metrics:
    """Five trainings each: spread, and how many show what is claimed."""
    def spread(values: list[float]) -> Metrics:
        return {"mean": np.mean(values), "low": min(values),
                "high": max(values)}

    def count(holds: Callable[[Metrics], bool]) -> int:
        return sum(bool(holds(run)) for run in runs)

    return {
        "seeds": len(runs), "at_least": 4,
        "places": {kind: {where: spread([r["places"][kind][where]
                                         for r in runs])
                          for where in ("near", "mid", "far")}
                   for kind in KINDS},
        "stretched": {to: {how: spread([r["stretched"][to][how]
                                        for r in runs])
                           for how in ("plain", "interpolated", "rounded",
                                       "ntk", "says_further")}
                      for to in (f"to_{n}" for n in LENGTHS[1:])},
        "copying": {name: {where: spread([r["copying"][name][where]
                                          for r in runs])
                           for where in ("short", "long")}
                    for name in COPIERS},
        "reaches": count(lambda r: r["places"]["rope"]["far"] > 2 * max(
            r["places"][k]["far"] for k in ("learned", "sinusoidal"))),
        "wider": count(lambda r: r["stretched"]["to_64"]["says_further"]
                       > 2 * r["stretched"]["to_64"]["interpolated"]),
        "ntk_helps": count(lambda r: r["stretched"]["to_128"]["ntk"]
                           > r["stretched"]["to_128"]["plain"]),
        "copies": count(lambda r: r["copying"]["no_positions"]["short"]
                        > 0.98),
        "carries": count(lambda r: r["copying"]["no_positions"]["long"]
                         > r["copying"]["with_rope"]["long"])}


def go_longer(seed: int, trained: bool = True, turn: bool = True,
              base_too: bool = True, whole: bool = True) -> Metrics:
    """Six small trained models on texts they have not seen."""
    models = all_models(trained=trained)
    now = by_length(models, seed, base_too, turn)
    runs = json.loads(RECORD.read_text(encoding="utf-8"))["seeds"]
    if not (trained and turn and base_too):     # a control has no record
        runs = [now] * len(runs)
    table = models["places_learned"].w["wpe.weight"]            # [128, d]
    norms = np.linalg.norm(table, axis=1)                       # [128]
    drawn = init_weights(models["places_learned"].cfg)["wpe.weight"]
    at = np.arange(4096) / 2                                    # [4096]
    task = tasks.named("delayed_copy")
    new_base = ntk_base(10000.0, 2 if base_too else 1, 128)
    slower = rope_frequencies(128) / rope_frequencies(128, new_base)
    return now | {
        "trained_at": TRAINED_AT, "delay": DELAY, "rows": ROWS,
        "longest": LENGTHS[-1], "middle": LENGTHS[1],
        "chance": 1 / task.vocab_size(), "words": task.vocab_size(),
        "parameters": sum(w.size for w in models["places_rope"].w.values()),
        "table_rows": {"trained": norms[:TRAINED_AT].mean(),
                       "beyond": norms[TRAINED_AT:].mean(),
                       "drawn": np.linalg.norm(drawn, axis=1).mean(),
                       "count": len(norms)},
        "rounding": {"places": len(at), "factor": 2,
                     "kept": len(np.unique(at // 1 if whole else at)),
                     "fractions": len(np.unique(at))},
        "ntk": {"base": 10000.0, "factor": 2, "width": 128,
                "new_base": new_base, "fastest_slower": slower[0],
                "slowest_slower": slower[-1]},
        "record": over_seeds(runs)}


KIND_NAMES = {"learned": T("学习式", "learned"), "sinusoidal": T("正弦", "sinusoidal"),
              "rope": T("RoPE", "RoPE"), "none": T("没有", "none")}
STRETCH_NAMES = {"plain": T("原样", "as it is"), "interpolated": T("插值（小数）", "interpolated"),
                 "rounded": T("插值取整", "interpolated, rounded"),
                 "ntk": T("NTK 换底", "NTK: another base")}
COPIER_NAMES = {"no_positions": T("没有位置", "no positions"), "with_rope": T("RoPE", "RoPE")}


def show_longer(m: Metrics) -> Iterator[Block]:
    r = m["record"]
    yield Paragraph(T(
        "任务：每一步说出 {delay} 个词以前的那个词（{words} 个词里随机抽）。四个两层的小模型，"
        "只在位置的写法上不同，都在长度 {trained_at} 上训练，再给它们 {longest} 个词。",
        "The task: at every step say the word of {delay} places ago, drawn from {words} words. "
        "Four small models of two layers differ only in how positions are given; all are trained "
        "at length {trained_at} and then shown {longest} words."))
    yield Table(
        (Column(T("位置", "positions")), Column(T("前 {trained_at} 个",
                                                  "first {trained_at}"), ".2f"),
         Column(T("到 {middle}", "to {middle}"), ".2f"), Column(T("到 {longest}",
                                                                  "to {longest}"), ".2f"),
         Column(T("记录：平均", "recorded: mean"), ".2f"), Column(T("最低", "low"), ".2f"),
         Column(T("最高", "high"), ".2f")),
        [[name, *m["places"][kind].values(), *r["places"][kind]["far"].values()]
         for kind, name in KIND_NAMES.items()],
        title=T("说对的比例，按位置分段", "Share right, by position"),
        legend=T("右边三列是 {record[seeds]} 次训练在最后一段的记录；乱猜得 {chance:.2f}。",
                 "The last three columns record {record[seeds]} trainings on the last stretch; "
                 "guessing gets {chance:.2f}."))
    yield Table(
        (Column(T("长度", "length"), "d"), Column(T("RoPE 的拉伸", "RoPE stretched")),
         Column(T("这一个", "this one"), ".2f"), Column(T("记录：平均", "recorded: mean"), ".2f"),
         Column(T("最低", "low"), ".2f"), Column(T("最高", "high"), ".2f")),
        [[m["stretched"][to]["length"], name, m["stretched"][to][how],
          *r["stretched"][to][how].values()]
         for to in ("to_64", "to_128") for how, name in STRETCH_NAMES.items()],
        title=T("同一个 RoPE 模型，不再训练，整段文字说对的比例",
                "The same RoPE model, no further training: share right over the whole text"))
    yield Table(
        (Column(T("抄名单", "copying lists")), Column(T("训练的长度", "as trained"), ".3f"),
         Column(T("记录：平均", "recorded: mean"), ".3f"), Column(T("最低", "low"), ".3f"),
         Column(T("加长", "longer"), ".3f"), Column(T("记录：平均", "recorded: mean"), ".3f"),
         Column(T("最低", "low"), ".3f")),
        [[name, m["copying"][key]["short"], r["copying"][key]["short"]["mean"],
          r["copying"][key]["short"]["low"], m["copying"][key]["long"],
          r["copying"][key]["long"]["mean"], r["copying"][key]["long"]["low"]]
         for key, name in COPIER_NAMES.items()],
        title=T("反例：两层、没有位置，抄一份说了一遍又一遍的名单",
                "The foil: two layers without positions copy a list said over and over"))


def far(kind: str) -> Callable[[Any], Any]:
    """The share right on the last stretch."""
    return lambda m: m["places"][kind]["far"]


LONGER = Part(
    number=4, key="longer",
    title=T("比训练时更长", "Longer than trained"),
    compute=go_longer, describe=show_longer,
    recipes=(*(f"places_{kind}" for kind in KINDS), *COPIERS),
    controls={"untrained": partial(go_longer, trained=False),
              "no_turn": partial(go_longer, turn=False),
              "same_scale": partial(go_longer, base_too=False),
              "no_rounding": partial(go_longer, whole=False)},
    claims=(
        Claim("within", T(
            "在训练过的长度以内，三种位置都学会了：{places[learned][near]:.2f}、"
            "{places[sinusoidal][near]:.2f}、{places[rope][near]:.2f}；没有位置的是 "
            "{places[none][near]:.2f}：比乱猜的 {chance:.2f} 好，遮罩泄露的次序够猜，不够数。",
            "Within the trained length all three kinds of positions work: "
            "{places[learned][near]:.2f}, {places[sinusoidal][near]:.2f}, "
            "{places[rope][near]:.2f}; without any it is {places[none][near]:.2f}, above the "
            "{chance:.2f} of guessing: the order a mask gives away is enough to guess, not to "
            "count."),
            lambda m: min(*(m["places"][k]["near"] - 0.98 for k in KINDS[:3]),
                          0.5 - m["places"]["none"]["near"],
                          m["places"]["none"]["near"] - 1.5 * m["chance"]), "untrained"),
        Claim("beyond", T(
            "再长，只有 RoPE 还站得住：最后一段 {places[rope][far]:.2f}，正弦 "
            "{places[sinusoidal][far]:.2f}，学习式 {places[learned][far]:.2f}。"
            "正弦的公式处处有定义，"
            "可模型没见过那些读数。{record[seeds]} 次训练中 {record[reaches]} 次，RoPE "
            "是另两种的两倍以上。",
            "Further on only RoPE holds: {places[rope][far]:.2f} on the last stretch, sinusoidal "
            "{places[sinusoidal][far]:.2f}, learned {places[learned][far]:.2f}. The sines are "
            "defined everywhere, but the model never saw those readings. In {record[reaches]} of "
            "{record[seeds]} trainings RoPE gets more than twice what the other two get."),
            lambda m: min(*(m["places"]["rope"][w] - 2 * m["places"][k][w]
                            for w in ("mid", "far") for k in ("learned", "sinusoidal")),
                          m["record"]["reaches"] - m["record"]["at_least"] + 0.5), "no_turn"),
        Claim("three_back", T(
            "RoPE 模型靠的确实是往回第 {delay} 格：不许看那一格，剩 {cut[right]:.2f}；"
            "不许看再前一格，"
            "还有 {cut[other]:.2f}。",
            "What the RoPE model lives on is the place {delay} back: forbid that one and "
            "{cut[right]:.2f} is left; forbid the one before it and {cut[other]:.2f} is."),
            lambda m: min(0.3 - m["cut"]["right"], m["cut"]["other"] - 0.9), "no_turn"),
        Claim("untouched", T(
            "学习式的表有 {table_rows[count]} 行，训练只碰过前 {trained_at} 行：平均长度 "
            "{table_rows[trained]:.2f}；其余 {table_rows[beyond]:.2f}，和训练前抽出来的行"
            "（{table_rows[drawn]:.2f}）一样。",
            "The learned table has {table_rows[count]} rows and training touched the first "
            "{trained_at}: mean length {table_rows[trained]:.2f}; the others, "
            "{table_rows[beyond]:.2f}, are like rows drawn before any training "
            "({table_rows[drawn]:.2f})."),
            lambda m: min(m["table_rows"]["trained"] - 2 * m["table_rows"]["beyond"],
                          0.1 * m["table_rows"]["drawn"]
                          - abs(m["table_rows"]["beyond"] - m["table_rows"]["drawn"])),
            "untrained"),
        Claim("interpolation", T(
            "插值把尺子拉长了：长度 {stretched[to_64][length]} 时说对 {delay} 格前的只剩 "
            "{stretched[to_64][interpolated]:.2f}，却有 {stretched[to_64][says_further]:.2f} "
            "说的是 "
            "{stretched[to_64][further]} 格前的词。它没忘，只是一格变成了半格；不再训练，"
            "不能直接用。"
            "{record[seeds]} 次训练中 {record[wider]} 次如此。",
            "Interpolation stretches the ruler: at length {stretched[to_64][length]} only "
            "{stretched[to_64][interpolated]:.2f} say the word {delay} back, but "
            "{stretched[to_64][says_further]:.2f} say the one {stretched[to_64][further]} back. "
            "Nothing is forgotten, a place has become half a place; without further training it "
            "is of no use here. So in {record[wider]} of {record[seeds]} trainings."),
            lambda m: min(0.3 - m["stretched"]["to_64"]["interpolated"],
                          m["stretched"]["to_64"]["says_further"] - 0.5,
                          m["record"]["wider"] - m["record"]["at_least"] + 0.5), "same_scale"),
        Claim("ntk", T(
            "NTK 只放慢慢的那些对，近处的尺子几乎不变：长度 {stretched[to_128][length]} 时从 "
            "{stretched[to_128][plain]:.2f} 升到 {stretched[to_128][ntk]:.2f}；{record[seeds]} "
            "次训练中 "
            "{record[ntk_helps]} 次变好。",
            "NTK slows the slow pairs and hardly touches the ruler for near places: at length "
            "{stretched[to_128][length]} it lifts {stretched[to_128][plain]:.2f} to "
            "{stretched[to_128][ntk]:.2f}; it helps in {record[ntk_helps]} of {record[seeds]} "
            "trainings."),
            lambda m: min(m["stretched"]["to_128"]["ntk"] - m["stretched"]["to_128"]["plain"],
                          m["record"]["ntk_helps"] - m["record"]["at_least"] + 0.5), "same_scale"),
        Claim("base", T(
            "宽 {ntk[width]}、放大 {ntk[factor]} 倍，底数从 {ntk[base]:.0f} 变成 "
            "{ntk[new_base]:.0f}："
            "最慢的一对正好慢 {ntk[slowest_slower]:.3f} 倍，最快的一对 {ntk[fastest_slower]:.3f} "
            "倍，没变。",
            "At width {ntk[width]} and factor {ntk[factor]} the base goes from {ntk[base]:.0f} to "
            "{ntk[new_base]:.0f}: the slowest pair is slower by {ntk[slowest_slower]:.3f}, the "
            "fastest by {ntk[fastest_slower]:.3f}, so not at all."),
            lambda m: 1e-9 - max(abs(m["ntk"]["slowest_slower"] - m["ntk"]["factor"]),
                                 abs(m["ntk"]["fastest_slower"] - 1)), "same_scale"),
        Claim("rounding", T(
            "插值之后不能取整：{rounding[places]} 个位置除以 {rounding[factor]}，小数仍有 "
            "{rounding[fractions]} 个不同的，取整只剩 {rounding[kept]} 个，两个词挤在一格。",
            "Interpolated positions must not be rounded: {rounding[places]} places divided by "
            "{rounding[factor]} stay {rounding[fractions]} different fractions, rounded only "
            "{rounding[kept]} remain, two words to a place."),
            lambda m: min(0.5 - abs(m["rounding"]["kept"] * m["rounding"]["factor"]
                                    - m["rounding"]["places"]),
                          m["rounding"]["fractions"] - m["rounding"]["places"] + 0.5),
            "no_rounding"),
        Claim("foil", T(
            "没有位置不等于什么都不会：两层、无位置的模型抄名单抄对 "
            "{copying[no_positions][short]:.3f}"
            "（{record[seeds]} 次训练，最低 {record[copying][no_positions][short][low]:.3f}）："
            "它按内容找，"
            "不必数格子。",
            "Without positions is not without ability: a model of two layers copies lists with "
            "{copying[no_positions][short]:.3f} right (lowest of {record[seeds]} trainings "
            "{record[copying][no_positions][short][low]:.3f}): it finds by content and need not "
            "count."),
            lambda m: min(m["copying"]["no_positions"]["short"] - 0.98,
                          m["record"]["copying"]["no_positions"]["short"]["low"] - 0.98,
                          m["record"]["copies"] - m["record"]["at_least"] + 0.5), "untrained"),
        Claim("carries", T(
            "名单比训练时更长、两遍隔得更远，没有位置的还抄对 {copying[no_positions][long]:.2f}，"
            "RoPE 的只有 "
            "{copying[with_rope][long]:.2f}（{record[seeds]} 次训练中 {record[carries]} "
            "次是这个次序）："
            "RoPE 也不是到处都能外推。",
            "On lists longer and further apart than trained, the model without positions still "
            "copies {copying[no_positions][long]:.2f} and the one with RoPE "
            "{copying[with_rope][long]:.2f} (in this order in {record[carries]} of "
            "{record[seeds]} trainings): RoPE does not extrapolate everywhere either."),
            lambda m: min(m["copying"]["no_positions"]["long"]
                          - m["copying"]["with_rope"]["long"] - 0.1,
                          m["record"]["carries"] - m["record"]["at_least"] + 0.5), "untrained"),
    ),
    caveat=T(
        "这是一个玩具：一个要数准格子的任务，{parameters} 个参数，一种优化器。讲义说的 512 到 2048 "
        "没有跑。论文里的插值之后还要接着训练一小段（Chen 等 2023），这里没有；不要求数格子的任务，"
        "插值的损失可能小得多。",
        "This is a toy: one task that needs exact counting, {parameters} parameters, one "
        "optimiser. The notes' 512 to 2048 is not run. In the paper interpolation is followed by "
        "a little more training (Chen et al. 2023), not so here; a task that need not count "
        "places may lose much less."),
    questions=(
        Question(
            T("在长度 32 上训练，在位置 64 到 127 上测试。哪一种还行？",
              "Trained at length 32, tested at places 64 to 127. Which still works?"),
            (Option(T("学习式", "learned"), lambda m: far("learned")(m) - 0.5,
                    T("以为表里有那些行就够了。那些行从没训练过。",
                      "thinks rows in a table are enough. Those rows were never trained.")),
             Option(T("正弦：公式对任何长度都有定义",
                      "sinusoidal: the formula is defined everywhere"),
                    lambda m: far("sinusoidal")(m) - 0.5,
                    T("把“有定义”当成“会推广”。", "takes “defined” for “generalises”.")),
             Option(T("RoPE", "RoPE"), lambda m: far("rope")(m) - 0.5),
             Option(T("都不行", "none of them"),
                    lambda m: 0.5 - max(far(k)(m) for k in KINDS),
                    T("以为超出训练长度必然垮掉。要看位置怎么写进去。",
                      "expects collapse whatever the code. It depends on how places go in.")))),
        Question(
            T("位置插值 2 倍（每个位置除以 2），RoPE 模型不再训练。它会说哪个词？",
              "Interpolate by 2 (halve every position) and train no further. Which word does the "
              "RoPE model say?"),
            (Option(T("还是 3 格前的", "still the one 3 back"),
                    lambda m: m["stretched"]["to_64"]["interpolated"] - 0.5,
                    T("以为插值不改近处的距离。它把每一个距离都减半。",
                      "thinks near distances survive. Every distance is halved.")),
             Option(T("6 格前的", "the one 6 back"),
                    lambda m: m["stretched"]["to_64"]["says_further"] - 0.5),
             Option(T("哪个都不像，全乱了", "none in particular, it is lost"),
                    lambda m: 0.5 - max(m["stretched"]["to_64"]["interpolated"],
                                        m["stretched"]["to_64"]["says_further"]),
                    T("以为它坏了。它照旧量“三”，只是尺子变长了。",
                      "thinks it is broken. It still measures three, on a longer ruler.")))),
        Question(
            T("插值 2 倍后把位置取整，4096 个位置还剩几个不同的？",
              "Interpolate by 2, then round: how many of 4096 positions stay distinct?"),
            (Option(T("4096", "4096"), lambda m: 0.5 - abs(m["rounding"]["kept"] - 4096),
                    T("忘了取整会让邻居撞在一起。",
                      "forgets that rounding makes neighbours meet.")),
             Option(T("2048", "2048"), lambda m: 0.5 - abs(m["rounding"]["kept"] - 2048)),
             Option(T("1024", "1024"), lambda m: 0.5 - abs(m["rounding"]["kept"] - 1024),
                    T("除了两次。", "divides twice.")),
             Option(T("1", "1"), lambda m: 0.5 - abs(m["rounding"]["kept"] - 1),
                    T("以为取整把什么都抹平。", "thinks rounding flattens everything."))))),
    pins={"record.*": close("a record, averaged", 1e-9), "trained_at": exact("a setting"),
          "ntk.*": ARITHMETIC, "rounding.*": exact("counts"),
          "table_rows.*": TRAINED, "stretched.*.base": ARITHMETIC,
          "*": close("shares of the shipped models: a near tie may fall the other way",
                     0.0, 1e-3)},
    errata=ERRATA["longer"],
    notes=T(
        "约 10 分钟。先投第一票，看第一张表；再投“会说哪个词”，看第二张表。争论点：那为什么大家还用"
        "插值？（论文报告，接着训练一千步以内，尺子就重新标好了。）试试 --seed 1：换一批词，"
        "训练好的"
        "模型不变。",
        "About 10 minutes. First vote, first table; then vote on which word it says, second "
        "table. The argument: why does anybody interpolate, then? (The paper reports that under a "
        "thousand steps of further training mark the ruler anew.) Try --seed 1: other words, the "
        "same trained models."),
)

PARTS: tuple[Part, ...] = (ORDER, SINES, ROPE, LONGER)
