"""Why can a Transformer be a hundred blocks deep, and what does the depth consist of?

Going back through a block, a gradient is multiplied by the block's slope. Part 1 sends
one through 6, 50 and 100 blocks, joined in five ways; part 2 takes the two norms apart;
part 3 counts where the parameters are and shows that the FFN works word by word; part 4
trains twelve blocks with and without residual, with and without norm.

Unlike demo 08: what happens between blocks, not inside one. Left out: what each block
computes (12, 14), RMSNorm, dropout, and widths and depths that take more than a laptop.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, causal_mask, layer_norm
from demos.errata.e09 import ERRATA
from lecture import model_cache, records, tasks
from lecture.depth_np import KINDS, Stack, batch_norm, drawn_matrices, half_precision_norm
from lecture.gpt_np import GPT, init_weights
from lecture.recipes import GPTConfig, Recipe, named
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

Array = np.ndarray
ARITHMETIC = close("deterministic float64: only the order of additions may differ")
DEEP = close("a hundred products in a row: roundings add up", rtol=1e-6, atol=0.0)
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-12)
TRAINED = close("shipped weights: rounding differs between machines", rtol=1e-6, atol=1e-9)
NO_CHANGE = 1e-300                      # below this only a true zero remains


# --- 1. a gradient through a hundred blocks -----------------------------------

DEPTHS = (6, 50, 100)
WORDS = 16
OPPOSITE = 3                            # the block with F(x) = -x, from 0
NOTED = {"weak": 0.8, "strong": 1.2}    # the gains of the notes' example
NOTED_LAYERS = 50
Swap = Mapping[str, str]


def multiplied(plus: float) -> Metrics:
    """One number a layer, as the notes have it: gain to the power 50."""
    gains = NOTED | {"strong_plus_one": NOTED["strong"] + plus}
    return {"layers": NOTED_LAYERS} | {
        name: {"gain": gain, "power": gain ** NOTED_LAYERS}
        for name, gain in gains.items()}


def through_blocks(gain: float, width: int, seed: int,
                   swap: Swap | None = None, plus: float = 1.0,
                   opposite: int | None = OPPOSITE) -> Metrics:
    """The gradient's length at the bottom, divided by that at the top."""
    rng = np.random.default_rng(seed)
    x, top = rng.standard_normal((2, WORDS, width))             # [n, d]
    hidden = 4 * width
    up, down = drawn_matrices(rng, max(DEPTHS), width, hidden, gain)

    def ratios(kind: str, depth: int, scale: float = 1.0,
               at: int | None = None) -> Array:
        kind = (swap or {}).get(kind, kind)
        stack = Stack(kind, up, scale * down, at)               # [L, d, h]
        _, tape = stack.forward(x, depth)
        found = stack.backward(top, tape)                     # L+1 of [n, d]
        return np.linalg.norm(found, axis=(1, 2)) / np.linalg.norm(top)

    bottom: Metrics = {}
    on_the_way: Metrics = {}
    for kind in KINDS:
        found = {f"d{depth}": ratios(kind, depth) for depth in DEPTHS}
        bottom[kind] = {name: r[0] for name, r in found.items()}
        tens = np.maximum(found["d100"][::10], 1e-300)          # [11]
        on_the_way[kind] = np.log10(tens)
    cancelled = [ratios("residual", depth, at=opposite) for depth in DEPTHS]
    # the notes' 1.2, as a branch of matrices: relu halves the mean square
    as_noted = NOTED["strong"] / max(gain, 1e-9) / np.sqrt(0.5)
    return {
        "depths": list(DEPTHS), "width": width, "hidden": hidden,
        "words": WORDS, "gain": gain, "bottom": bottom,
        "blocks": np.arange(0, 101, 10),
        "on_the_way": on_the_way, "noted": multiplied(plus),
        "branch_of_1_2": {kind: ratios(kind, NOTED_LAYERS, as_noted)[0]
                          for kind in ("plain", "residual")},
        "opposite": {"below": [r[0] for r in cancelled],
                     "above": [r[OPPOSITE + 1] for r in cancelled]}}


KIND_NAMES = {
    "plain": T("没有残差：y = F(x)", "plain: y = F(x)"),
    "residual": T("残差：y = x + F(x)", "residual: y = x + F(x)"),
    "scaled": T("残差，小初值：y = x + F(x)/√L", "small start: y = x + F(x)/√L"),
    "post": T("后归一化：y = LN(x + F(x))", "post-norm: y = LN(x + F(x))"),
    "pre": T("前归一化：y = x + F(LN(x))", "pre-norm: y = x + F(LN(x))")}
SHORT = {"plain": T("没有残差", "plain"), "residual": T("残差", "residual"),
         "scaled": T("小初值", "small start"), "post": T("后归一化", "post-norm"),
         "pre": T("前归一化", "pre-norm")}


def show_gradient(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "讲义的算术，每层乘一个数，{noted[layers]} 层：{noted[weak][gain]:g} 的幂是 "
        "{noted[weak][power]:.3g}，{noted[strong][gain]:g} 的是 {noted[strong][power]:,.0f}，"
        "加上残差的一，{noted[strong_plus_one][gain]:g} 的是 "
        "{noted[strong_plus_one][power]:.2g}。",
        "The notes' arithmetic, one factor a layer, {noted[layers]} layers: "
        "{noted[weak][gain]:g} makes {noted[weak][power]:.3g}, {noted[strong][gain]:g} makes "
        "{noted[strong][power]:,.0f}, and with the residual's one added, "
        "{noted[strong_plus_one][gain]:g} makes {noted[strong_plus_one][power]:.2g}."))
    yield Paragraph(T(
        "现在用真的块：F(x) = relu(x W_1) W_2，宽 {width}，中间 {hidden}，矩阵的元素是正态的，"
        "方差是输入个数分之一，W_2 再乘 {gain:g}；没有训练，没有偏置。{words} 个词，随机的梯度从"
        "最上面往下传，量它到底层时的长度是出发时的几倍。",
        "Now real blocks: F(x) = relu(x W_1) W_2, width {width}, {hidden} inside, entries drawn "
        "normal with variance one over the number of inputs, W_2 times {gain:g}; untrained, no "
        "biases. {words} words; a random gradient starts at the top, and its length at the "
        "bottom is divided by its length at the start."))
    yield Table(
        (Column(T("L 个块怎样连", "how L blocks are joined")),
         *(Column(T(f"{{depths[{i}]}} 个", f"{{depths[{i}]}} blocks"), ".2g")
           for i in range(len(m["depths"])))),
        [[KIND_NAMES[kind], *r.values()] for kind, r in m["bottom"].items()],
        title=T("底层的梯度 / 顶层的梯度", "Gradient at the bottom / at the top"))
    yield Curve(
        m["blocks"], [(SHORT[kind], line) for kind, line in m["on_the_way"].items()],
        x_label=T("在第几个块的入口（右边是顶）", "at the door of block (the top is right)"),
        y_label=T("长度的十的几次方", "length, power of ten"), format=".1f",
        title=T("{depths[2]} 个块，梯度从右往左走",
                "{depths[2]} blocks, the gradient walks from right to left"))
    yield Table(
        (Column(T("一个块是 F(x) = -x", "one block has F(x) = -x")),
         *(Column(T(f"{{depths[{i}]}} 个", f"{{depths[{i}]}} blocks"), ".3g")
           for i in range(len(m["depths"])))),
        [[T("它上面的梯度", "gradient above it"), *m["opposite"]["above"]],
         [T("底层的梯度", "gradient at the bottom"), *m["opposite"]["below"]]],
        title=T("残差，可是有一个块的支路正好抵消输入",
                "Residual, but the branch of one block cancels its input"),
        legend=T("它的输出全是零，上面的块读到零，也就给不出东西，梯度原样穿过它们。",
                 "What it puts out is all zeros; the blocks above read zeros and add nothing, "
                 "so the gradient passes them unchanged."))


def ratio_margin(m: Metrics, kind: str, low: float, high: float) -> float:
    return min(min(r / low - 1, 1 - r / high) for r in m["bottom"][kind].values())


GRADIENT = Part(
    number=1, key="gradient",
    title=T("梯度穿过一百个块", "A gradient through a hundred blocks"),
    compute=through_blocks, describe=show_gradient,
    params={"gain": Param(1.0, 0.1, 2.0, about=T("W_2 乘几倍", "scales W_2")),
            "width": Param(64, 8, 128, about=T("一个词几个数", "numbers a word"))},
    controls={"always_residual": partial(through_blocks, swap={"plain": "residual"}),
              "never_residual": partial(through_blocks, swap={"residual": "plain"}, plus=0.0),
              "no_norm": partial(through_blocks, swap={"post": "residual", "pre": "residual"}),
              "full_start": partial(through_blocks, swap={"scaled": "residual"}),
              "ordinary": partial(through_blocks, opposite=None)},
    claims=(
        Claim("plain_vanishes", T(
            "没有残差，梯度消失：{depths[0]} 个块剩 {bottom[plain][d6]:.2g}，{depths[1]} 个剩 "
            "{bottom[plain][d50]:.1e}，{depths[2]} 个剩 {bottom[plain][d100]:.1e}。",
            "Without a residual the gradient vanishes: {bottom[plain][d6]:.2g} is left after "
            "{depths[0]} blocks, {bottom[plain][d50]:.1e} after {depths[1]}, "
            "{bottom[plain][d100]:.1e} after {depths[2]}."),
            lambda m: min(1 - m["bottom"]["plain"]["d6"],
                          1e-5 - m["bottom"]["plain"]["d50"],
                          1e-10 - m["bottom"]["plain"]["d100"]), "always_residual"),
        Claim("residual_alone_explodes", T(
            "只加残差，不再消失，却爆炸：{depths[0]} 个块 {bottom[residual][d6]:.1f} 倍，"
            "{depths[1]} 个 {bottom[residual][d50]:.1e} 倍，{depths[2]} 个 "
            "{bottom[residual][d100]:.1e} 倍。",
            "With a residual alone it vanishes no more, it explodes: {bottom[residual][d6]:.1f} "
            "times after {depths[0]} blocks, {bottom[residual][d50]:.1e} after {depths[1]}, "
            "{bottom[residual][d100]:.1e} after {depths[2]}."),
            lambda m: min(m["bottom"]["residual"]["d6"] - 1,
                          m["bottom"]["residual"]["d50"] / 1e3 - 1,
                          m["bottom"]["residual"]["d100"] / 1e6 - 1), "never_residual"),
        Claim("plus_one_makes_it_larger", T(
            "“加一”拉不回爆炸的梯度：每层增益 {noted[strong][gain]:g}，{noted[layers]} 层是 "
            "{noted[strong][power]:,.0f}，加一之后是 {noted[strong_plus_one][power]:.2g}。用"
            "矩阵也一样：同样增益的支路，没有残差 {branch_of_1_2[plain]:.1e} 倍，有残差 "
            "{branch_of_1_2[residual]:.1e} 倍。",
            "The plus one does not pull an exploding gradient back: a gain of "
            "{noted[strong][gain]:g} makes {noted[strong][power]:,.0f} in {noted[layers]} layers, "
            "with one added {noted[strong_plus_one][power]:.2g}. So with matrices: branches of "
            "that "
            "gain give {branch_of_1_2[plain]:.1e} without a residual and "
            "{branch_of_1_2[residual]:.1e} with it."),
            lambda m: min(
                m["noted"]["strong_plus_one"]["power"] / m["noted"]["strong"]["power"] - 2,
                m["branch_of_1_2"]["residual"] / m["branch_of_1_2"]["plain"] - 2),
            "never_residual"),
        Claim("norm_tames_it", T(
            "残差加归一化，{depths[2]} 个块也稳：后归一化 {bottom[post][d100]:.2g} 倍，前归一化 "
            "{bottom[pre][d100]:.2g} 倍。",
            "Residual and norm together are steady over {depths[2]} blocks too: "
            "{bottom[post][d100]:.2g} times with post-norm, {bottom[pre][d100]:.2g} with "
            "pre-norm."),
            lambda m: min(ratio_margin(m, "post", 0.01, 100), ratio_margin(m, "pre", 0.01, 100)),
            "no_norm"),
        Claim("so_does_a_small_start", T(
            "不用归一化，把支路的初值缩小到 √L 分之一也行：{depths[0]}、{depths[1]}、{depths[2]} "
            "个块都是 {bottom[scaled][d6]:.2f}、{bottom[scaled][d50]:.2f}、"
            "{bottom[scaled][d100]:.2f} 倍。",
            "Without a norm it is enough to start the branches √L times smaller: "
            "{bottom[scaled][d6]:.2f}, {bottom[scaled][d50]:.2f} and {bottom[scaled][d100]:.2f} "
            "times for {depths[0]}, {depths[1]} and {depths[2]} blocks."),
            lambda m: ratio_margin(m, "scaled", 0.5, 2), "full_start"),
        Claim("no_guarantee", T(
            "残差也不保证：一个块的支路学成 F(x) = -x，它上面还有 {opposite[above][2]:.2f} 倍的"
            "梯度，底层是 {opposite[below][2]:g}；{depths[0]}、{depths[1]}、{depths[2]} 个块都正好"
            "是零。",
            "A residual guarantees nothing: where the branch of one block is F(x) = -x the "
            "gradient above it is {opposite[above][2]:.2f} and at the bottom "
            "{opposite[below][2]:g}, exactly zero for {depths[0]}, {depths[1]} and {depths[2]} "
            "blocks alike."),
            lambda m: min(NO_CHANGE - max(m["opposite"]["below"]),
                          min(m["opposite"]["above"]) - 0.1), "ordinary"),
    ),
    caveat=T(
        "一个块只有 FFN，没有注意力；只看训练开始时的梯度长度。能不能学会，第 4 部分才看。"
        "{branch_of_1_2[plain]:.1e} 不等于 {noted[strong][power]:,.0f}：矩阵的增益只在平均意义上"
        "是 {noted[strong][gain]:g}。",
        "A block here is an FFN without attention, and this is the gradient's length at the start "
        "of training; whether it learns is part 4. {branch_of_1_2[plain]:.1e} is not "
        "{noted[strong][power]:,.0f}: the gain of a matrix is {noted[strong][gain]:g} on average "
        "only."),
    questions=(
        Question(
            T("50 层，每层增益 1.2，梯度是 9100 倍。加上残差以后呢？",
              "50 layers of gain 1.2 multiply the gradient by 9,100. And with residuals added?"),
            (Option(T("被拉回到一左右", "it comes back to about one"),
                    lambda m: 10 - m["noted"]["strong_plus_one"]["power"],
                    T("讲义说“还有一个 +1 拉回来”。加一只会让每层的倍数更大。",
                      "the notes say the +1 pulls it back. Adding one makes every factor larger.")),
             Option(T("还是 9100 倍", "it stays 9,100"),
                    lambda m: min(m["noted"]["strong_plus_one"]["power"] - 10,
                                  10 * m["noted"]["strong"]["power"]
                                  - m["noted"]["strong_plus_one"]["power"]),
                    T("以为残差只在梯度消失时起作用。它每一层都在加。",
                      "takes the residual to act on vanishing gradients only. It adds in every "
                      "layer.")),
             Option(T("更大，十的十六次方以上", "larger, more than 1e16"),
                    lambda m: m["noted"]["strong_plus_one"]["power"] / 1e16 - 1),)),
        Question(
            T("残差网络，有一个块的支路学成了 F(x) = -x。它下面的梯度是多少？",
              "A residual network; the branch of one block has become F(x) = -x. The gradient "
              "below it?"),
            (Option(T("和上面一样：恒等通路总能传", "as above: the identity path always passes it"),
                    lambda m: min(m["opposite"]["below"]) - 0.5 * min(m["opposite"]["above"]),
                    T("讲义说“永远保证”。总的斜率是一加上支路的斜率，支路是负一，就什么也不剩。",
                      "the notes say always. The slope is one plus the branch's; with minus one "
                      "nothing is left.")),
             Option(T("小一些，但总会剩一点", "smaller, but something always remains"),
                    lambda m: min(min(m["opposite"]["below"]) - NO_CHANGE,
                                  0.5 * min(m["opposite"]["above"])
                                  - min(m["opposite"]["below"])),
                    T("以为抵消只会是大概的。两项正好相反，差就是零。",
                      "expects cancelling to be rough. The two terms are exact opposites.")),
             Option(T("正好是零", "exactly zero"),
                    lambda m: NO_CHANGE - max(m["opposite"]["below"])),)),
    ),
    pins={"depths.*": exact("settings"), "blocks.*": exact("settings"),
          "width": exact("a setting"), "hidden": exact("a setting"),
          "words": exact("a setting"), "opposite.below.*": exact("a true zero"),
          "noted.*": ARITHMETIC, "gain": ARITHMETIC, "*": DEEP},
    errata=ERRATA["gradient"],
    notes=T(
        "约 8 分钟。先问增益 1.2 的那道题，把讲义的算术摆出来，再给表。争论点：既然只加残差会爆炸，"
        "ResNet 为什么能练？（有归一化，或者初值小。）试试 --set 1.gain=1.41（何恺明的初值：支路"
        "保持长度），没有残差也不消失了。再问 F(x) = -x。",
        "About 8 minutes. Ask about gain 1.2 first, write the notes' arithmetic on the board, then "
        "the table. The argument: if a residual alone explodes, why do ResNets train? (They have "
        "norms, or a small start.) Try --set 1.gain=1.41 (He's start, where a branch keeps its "
        "length): plain no longer vanishes. Then F(x) = -x."),
)

# --- 2. two norms -------------------------------------------------------------

ROWS, FEATURES = 8, 64
MANY = 64                               # rows whose errors are averaged
SHOWN = (4, 6)                          # rows and columns on the screen
SIZES = (8, 4, 2, 1)
COUNTED = np.array([[1.0, 2.0, 3.0, 4.0]])
NOTED_EPS = 1e-8
STRETCH = 1.5                           # a gain that a norm might learn


def same(x: Array) -> Array:
    return x


def identity_errors(rng: np.random.Generator, eps: float, gain: float,
                    before: Any) -> Metrics:
    """How far is LN(x) from x: length of the difference / length of x."""
    def error(x: Array, by: float = 1.0) -> Any:
        x = before(x)                                           # [n, d]
        away = np.linalg.norm(layer_norm(x, gain=by, eps=eps) - x, axis=1)
        return (away / np.linalg.norm(x, axis=1)).mean()        # [n]

    unit = rng.standard_normal((MANY, 512))                     # [n, 512]
    normed = layer_norm(5 + 3 * unit, eps=eps)                  # [n, 512]
    return {"unit_512": error(unit), "unit_256": error(unit[:, :256]),
            "wide": error(5 + 3 * unit), "small": error(0.1 * unit),
            "counted": error(COUNTED), "normed": error(normed),
            "normed_gain": error(normed, gain)}


def nothing_learned(rng: np.random.Generator, eps: float,
                    pre: bool) -> Metrics:
    """The branch gives 0: what comes out of each arrangement?"""
    x = 5 + 3 * rng.standard_normal((ROWS, FEATURES))           # [8, d]
    zero = 0 * layer_norm(x)                                    # [8, d]
    outs = {"post": layer_norm(x + zero, eps=eps),
            "pre": x + zero if pre else layer_norm(x + zero, eps=eps)}
    return {name: np.linalg.norm(y - x) / np.linalg.norm(x)
            for name, y in outs.items()}


def half_precision(kind: Any) -> Metrics:
    """A row of equal numbers, normed in float16 with two epsilons."""
    row = np.full((1, FEATURES), 5.0)                           # [1, d]
    found = {}
    for name, eps in {"noted": NOTED_EPS, "usual": 1e-5}.items():
        out = half_precision_norm(row, eps, kind)               # [1, d]
        found[name] = {"eps": eps, "stored": float(kind(eps)),
                       "undefined": int(np.isnan(out).sum())}
    smallest = float(np.finfo(np.float16).smallest_subnormal)
    return {"of": FEATURES, "smallest": smallest, **found}


def two_norms(eps: float, seed: int, layer: Any = layer_norm,
              batch: Any = batch_norm, gain: float = STRETCH,
              before: Any = same,
              pre: bool = True, kind: Any = np.float16) -> Metrics:
    """The same row in batches of 8, 4, 2 and 1; LN against the identity."""
    rng = np.random.default_rng(seed)
    x = 5 + 3 * rng.standard_normal((ROWS, FEATURES))           # [8, d]
    norms = {"layer": layer, "batch": batch}
    whole = {name: norm(x, eps=eps) for name, norm in norms.items()}
    moved, largest = {}, {}
    for name, norm in norms.items():
        rows = {n: norm(x[:n], eps=eps)[0] for n in SIZES}      # [d] each
        moved[name] = {f"b{n}": abs(r - whole[name][0]).max()
                       for n, r in rows.items()}
        largest[name] = abs(rows[1]).max()
    few = slice(0, SHOWN[0]), slice(0, SHOWN[1])
    return {
        "sizes": list(SIZES), "features": FEATURES,
        "eps": eps, "gain": gain,
        "raw": x[few], "normed": {n: y[few] for n, y in whole.items()},
        "moved": moved, "alone": largest,
        "counted": {"raw": COUNTED[0],
                    "normed": layer_norm(COUNTED, eps=eps)[0]},
        "identity": identity_errors(rng, eps, gain, before),
        "at_zero": nothing_learned(rng, eps, pre),
        "half": half_precision(kind)}


IDENTITY_NAMES = {
    "unit_512": T("正态，均值零、标准差一，宽 512", "normal, mean 0, deviation 1, width 512"),
    "unit_256": T("同上，宽 256", "the same, width 256"),
    "wide": T("正态，均值五、标准差三", "normal, mean 5, deviation 3"),
    "small": T("正态，标准差十分之一", "normal, deviation a tenth"),
    "counted": T("[1, 2, 3, 4]", "[1, 2, 3, 4]"),
    "normed": T("LayerNorm 的输出", "an output of LayerNorm"),
    "normed_gain": T("同上，但 γ = {gain:g}", "the same, but γ = {gain:g}")}


def show_norms(m: Metrics) -> Iterator[Block]:
    rows = [f"s{i + 1}" for i in range(len(m["raw"]))]
    columns = [f"x{i + 1}" for i in range(len(m["raw"][0]))]
    yield Paragraph(T(
        "{sizes[0]} 个词（行），每个 {features} 个数，这里看得见 4 行 6 列。层归一化沿着一行算均值"
        "和方差，批归一化沿着一列，在眼前这一批里算。",
        "{sizes[0]} words (rows) of {features} numbers; 4 rows and 6 columns are shown. Layer "
        "norm takes mean and variance along a row, batch norm along a column, over the batch at "
        "hand."))
    yield Row([
        HeatMap(m["raw"], rows, columns, title=T("输入", "input"), format=".1f", low=-4, high=14),
        HeatMap(m["normed"]["layer"], rows, columns, title=T("层归一化", "layer norm"),
                format=".1f", low=-2.5, high=2.5),
        HeatMap(m["normed"]["batch"], rows, columns, title=T("批归一化", "batch norm"),
                format=".1f", low=-2.5, high=2.5)])
    yield Table(
        (Column(T("s1 的输出最多变", "s1's output moves by")),
         *(Column(T(f"{{sizes[{i}]}} 行", f"batch of {{sizes[{i}]}}"), ".2f")
           for i in range(len(m["sizes"]))),
         Column(T("独自一行，最大值", "alone, largest"), ".2f")),
        [[T("层归一化", "layer norm"), *m["moved"]["layer"].values(), m["alone"]["layer"]],
         [T("批归一化", "batch norm"), *m["moved"]["batch"].values(), m["alone"]["batch"]]],
        title=T("同一行，批里少几个同伴", "The same row in smaller company"))
    yield Table(
        (Column(T("x 是什么", "what x is")),
         Column(T("LN(x) 偏离 x", "LN(x) off from x"), ".2g")),
        [[T(name.zh.format(**m), name.en.format(**m)), m["identity"][key]]
         for key, name in IDENTITY_NAMES.items()],
        title=T("LN(x) 约等于 x 吗？差的长度 / x 的长度",
                "Is LN(x) about x? Length of the difference / length of x"),
        legend=T("[{counted[raw][0]:g}, {counted[raw][1]:g}, {counted[raw][2]:g}, "
                 "{counted[raw][3]:g}] 变成 [{counted[normed][0]:.3f}, {counted[normed][1]:.3f}, "
                 "{counted[normed][2]:.3f}, {counted[normed][3]:.3f}]。ε = {eps:g}。",
                 "[{counted[raw][0]:g}, {counted[raw][1]:g}, {counted[raw][2]:g}, "
                 "{counted[raw][3]:g}] becomes [{counted[normed][0]:.3f}, "
                 "{counted[normed][1]:.3f}, {counted[normed][2]:.3f}, {counted[normed][3]:.3f}]. "
                 "ε = {eps:g}."))
    yield Table(
        (Column(T("写下的 ε", "ε as written"), "g"),
         Column(T("float16 里存成", "stored in float16"), ".3g"),
         Column(T("一行相同的数：没有定义的输出", "row of equal numbers: undefined outputs"))),
        [[h["eps"], h["stored"], h["undefined"]]
         for h in (m["half"]["noted"], m["half"]["usual"])],
        title=T("ε 在半精度里（最小的正数是 {half[smallest]:.1e}）",
                "ε in half precision (its smallest positive number is {half[smallest]:.1e})"))


def normed_before(x: Array) -> Array:
    return layer_norm(x)


NORMS = Part(
    number=2, key="norms",
    title=T("层归一化与批归一化", "LayerNorm and BatchNorm"),
    compute=two_norms, describe=show_norms,
    params={"eps": Param(1e-5, 0.0, 1.0, about=T("加在方差上的数", "added to the variance"))},
    controls={"layer_is_batch": partial(two_norms, layer=batch_norm),
              "batch_is_layer": partial(two_norms, batch=layer_norm),
              "normed_input": partial(two_norms, before=normed_before),
              "no_gain": partial(two_norms, gain=1.0),
              "norm_on_the_stream": partial(two_norms, pre=False),
              "single_precision": partial(two_norms, kind=np.float32)},
    claims=(
        Claim("a_row_by_itself", T(
            "层归一化只看自己这一行：批从 {sizes[0]} 行减到 {sizes[2]} 行，它变 "
            "{moved[layer][b2]:g}；批归一化变 {moved[batch][b2]:.2f}。",
            "Layer norm looks at its own row only: with the batch cut from {sizes[0]} rows to "
            "{sizes[2]} it moves by {moved[layer][b2]:g}; batch norm moves by "
            "{moved[batch][b2]:.2f}."),
            lambda m: min(NO_CHANGE - m["moved"]["layer"]["b2"],
                          m["moved"]["batch"]["b2"] - 0.1), "layer_is_batch"),
        Claim("batch_of_one", T(
            "批里只有一行时，批归一化的输出最大是 {alone[batch]:g}：减去的均值就是它自己，什么也"
            "不剩；"
            "层归一化照常，最大 {alone[layer]:.2f}。",
            "In a batch of one the largest output of batch norm is {alone[batch]:g}: the mean it "
            "subtracts is the row itself, nothing remains. Layer norm is as ever, largest "
            "{alone[layer]:.2f}."),
            lambda m: min(NO_CHANGE - m["alone"]["batch"], m["alone"]["layer"] - 0.5),
            "batch_is_layer"),
        Claim("not_the_identity", T(
            "LN(x) 一般不约等于 x：均值五、标准差三时偏离 {identity[wide]:.2f}，标准差十分之一时 "
            "{identity[small]:.1f}，表里那四个数 {identity[counted]:.2f}。",
            "LN(x) is not about x in general: off by {identity[wide]:.2f} for mean five and "
            "deviation three, {identity[small]:.1f} for deviation a tenth, "
            "{identity[counted]:.2f} for the four numbers in the table."),
            lambda m: min(m["identity"]["wide"] - 0.5, m["identity"]["small"] - 0.5,
                          m["identity"]["counted"] - 0.5), "normed_input"),
        Claim("only_its_own_output", T(
            "只有本来就是 LayerNorm 的输出，再做一次才不变（偏离 {identity[normed]:.0e}，来自 ε）；"
            "学了 γ = {gain:g}，连这也偏离 {identity[normed_gain]:.2f}。",
            "Only what is an output of LayerNorm already stays (off by {identity[normed]:.0e}, "
            "because of ε); with γ = {gain:g} learned, even that is off by "
            "{identity[normed_gain]:.2f}."),
            lambda m: min(1e-4 - m["identity"]["normed"], m["identity"]["normed_gain"] - 0.2,
                          1e-3 - abs(m["identity"]["normed_gain"] - m["gain"] + 1)), "no_gain"),
        Claim("pre_norm_keeps_x", T(
            "支路什么也没学（F = 零）时，前归一化原样放行，偏离 {at_zero[pre]:g}；后归一化偏离 "
            "{at_zero[post]:.2f}。",
            "Where the branch has learned nothing (F = zero), pre-norm lets x through unchanged, "
            "off by {at_zero[pre]:g}; post-norm is off by {at_zero[post]:.2f}."),
            lambda m: min(NO_CHANGE - m["at_zero"]["pre"], m["at_zero"]["post"] - 0.5),
            "norm_on_the_stream"),
        Claim("epsilon_can_be_zero", T(
            "讲义的 ε = {half[noted][eps]:g} 在 float16 里就是 {half[noted][stored]:g}：一行相同"
            "的数，"
            "{half[of]} 个输出里 {half[noted][undefined]} 个没有定义；用 {half[usual][eps]:g} 是 "
            "{half[usual][undefined]} 个。",
            "The notes' ε = {half[noted][eps]:g} is {half[noted][stored]:g} in float16: for a row "
            "of equal numbers {half[noted][undefined]} of {half[of]} outputs are undefined; with "
            "{half[usual][eps]:g} it is {half[usual][undefined]}."),
            lambda m: min(NO_CHANGE - m["half"]["noted"]["stored"],
                          m["half"]["noted"]["undefined"] - m["half"]["of"] + 0.5,
                          0.5 - m["half"]["usual"]["undefined"]), "single_precision"),
    ),
    caveat=T(
        "这是训练时的批归一化；用的时候它改用训练中攒下的均值和方差，那时一行也不看同伴。库里单独"
        "一行训练会报错，这里按公式算。float16 那张表每一步都用半精度；库里的层归一化在里面用 "
        "float32，"
        "才躲过这个坑。正态的数是抽的，换种子试试。",
        "This is batch norm in training; in use it takes averages kept from training and a row no "
        "longer sees its company. Libraries refuse to train on a single row; here the formula is "
        "followed. The float16 table takes every step in half precision; a library's layer norm "
        "works in float32 inside and so escapes. The normal numbers are drawn: try other seeds."),
    questions=(Question(
        T("子层什么都没学到，F(x) = 0。后归一化的输出 LN(x + F(x)) 是 x 吗？（x 的均值是 5，"
          "标准差是 3）",
          "A sub-layer has learned nothing, F(x) = 0. Does post-norm, LN(x + F(x)), return x? (x "
          "has mean 5 and deviation 3.)"),
        (Option(T("是：变成恒等映射", "yes: it becomes the identity"),
                lambda m: 1e-3 - m["at_zero"]["post"],
                T("讲义这么说。LN 会把均值和大小都改掉；恒等的是前归一化。",
                  "the notes say so. LN changes mean and size; it is pre-norm that is the "
                  "identity.")),
         Option(T("差一点点", "almost"),
                lambda m: min(m["at_zero"]["post"] - 1e-3, 0.2 - m["at_zero"]["post"]),
                T("均值零、标准差一的输入才是这样，可是流里的数没有理由一直如此。",
                  "so it is for inputs of mean 0 and deviation 1, but nothing keeps the stream "
                  "there.")),
         Option(T("差很远", "it is far off"), lambda m: m["at_zero"]["post"] - 0.2),)),),
    pins={"sizes.*": exact("settings"), "features": exact("a setting"),
          "moved.layer.*": exact("true zeros"), "alone.batch": exact("a true zero"),
          "at_zero.pre": exact("a true zero"), "half.*": exact("float16 is a standard"),
          "moved.batch.b8": exact("a true zero"),
          "*": ARITHMETIC},
    errata=ERRATA["norms"],
    notes=T(
        "约 6 分钟。热图先不说哪张是哪张，让学生看出归一化的方向（层归一化里每一行都有正有负）。"
        "投票"
        "之后看偏离表。争论点：ResNet 用批归一化为什么没事？（图像的批大，句子长短不一、批常常"
        "小。）"
        "试试 --set 2.eps=0.1：连自己的输出也不再原样回来。",
        "About 6 minutes. Show the maps without saying which is which; let the class find the "
        "direction (in layer norm every row has both signs). Vote, then the table of errors. The "
        "argument: why is batch norm fine in ResNets? (Large batches of images; sentences differ "
        "in length and batches are often small.) Try --set 2.eps=0.1: then not even its own output "
        "comes back."),
)

# --- 3. where the parameters are ----------------------------------------------

SHAPES = {"small": (12, 12, 768), "medium": (24, 16, 1024), "xl": (48, 25, 1600)}
D, INNER, SENTENCE, SHARED_TABLE = 512, 2048, 5, 37_000
CHANGED = 1                             # word 2, counted from 0


def counted(cfg: GPTConfig) -> Metrics:
    """Parameters by kind, from the shapes of the stored tensors."""
    kinds = {"mlp": "ffn", "attn": "attention",
             "wte": "tables", "wpe": "tables"}
    found = dict.fromkeys(("ffn", "attention", "norms", "tables"), 0)
    for name, shape in cfg.tensor_shapes().items():
        parts = name.split(".")
        kind = next((k for part, k in kinds.items() if part in parts), "norms")
        found[kind] += int(np.prod(shape))
    return found


def shared(found: Mapping[str, int]) -> Metrics:
    total = sum(found.values())
    return {**found, "total": total, "share": found["ffn"] / total}


def where_parameters_are(vocab: int, seed: int, tables: bool = True,
                         inner: int = INNER, mix: bool = False) -> Metrics:
    """Counts for the encoder-decoder of 2017 and for GPT-2; then one change."""
    plan = GPTConfig(1, 1, n_layer=1, n_head=8, width=D, d_ff=inner,
                     norm="post", positions="none")
    layer = counted(plan) | {"tables": 0}       # attention, FFN, 2 norms
    cross = {**layer, "attention": 2 * layer["attention"],
             "norms": layer["norms"] * 3 // 2}          # one more of each
    stacks = {kind: 6 * (n + cross[kind]) for kind, n in layer.items()}
    models = {"encoder": layer, "decoder": cross, "stacks": stacks,
              "translator": {**stacks, "tables": SHARED_TABLE * D * tables}}
    for name, (layers, heads, width) in SHAPES.items():
        found = counted(GPTConfig(vocab, 1024, n_layer=layers, n_head=heads,
                                  width=width))
        models[name] = found if tables else found | {"tables": 0}
    bare = counted(dataclasses.replace(plan, bias=False))
    in_matrices = {"encoder": bare["ffn"] / (bare["ffn"] + bare["attention"]),
                   "decoder": bare["ffn"] / (bare["ffn"]
                                             + 2 * bare["attention"])}
    kept = {name: shared(found | {"tables": 0})
            for name, found in models.items()}
    return {"width": D, "inner": inner, "vocabulary": vocab,
            "translator_vocabulary": SHARED_TABLE,
            "models": {name: shared(n) for name, n in models.items()},
            "blocks_share": {name: kept[name]["share"] for name in SHAPES},
            "matrices": in_matrices,
            "change": one_word_changed(seed, inner, mix)}


def one_word_changed(seed: int, inner: int, mix: bool) -> Metrics:
    """Change one word's vector: which outputs move, and by how much?"""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((SENTENCE, D))                      # [n, d]
    W_1 = rng.standard_normal((D, inner)) / np.sqrt(D)          # [d, h]
    W_2 = rng.standard_normal((inner, D)) / np.sqrt(inner)      # [h, d]
    maps = rng.standard_normal((3, D, D)) / np.sqrt(D)          # [3, d, d]

    def attend(x: Array, mask: Array | None = None) -> Array:
        q, k, v = x @ maps                                      # [n, d] each
        return attention(q, k, v, mask=mask)[0]                 # [n, d]

    def ffn(x: Array) -> Array:
        x = attend(x) if mix else x                             # [n, d]
        return np.maximum(x @ W_1, 0) @ W_2                     # [n, d]

    other = X.copy()                                            # [n, d]
    other[CHANGED] = rng.standard_normal(D)                     # [d]
    sub_layers: dict[str, Any] = {"ffn": ffn, "attention": attend,
                  "causal": partial(attend, mask=causal_mask(SENTENCE))}
    return {"word": CHANGED + 1, "words": SENTENCE,
            "moved": {name: abs(f(other) - f(X)).max(axis=1)    # [n]
                      for name, f in sub_layers.items()}}


MODEL_NAMES = {
    "encoder": T("一个编码器层", "an encoder layer"),
    "decoder": T("一个解码器层（有交叉注意力）", "a decoder layer (cross-attention)"),
    "stacks": T("6 + 6 层", "6 + 6 layers"),
    "translator": T("6 + 6 层，加共用词表", "6 + 6 layers, shared table"),
    "small": T("GPT-2 small", "GPT-2 small"), "medium": T("GPT-2 medium", "GPT-2 medium"),
    "xl": T("GPT-2 XL", "GPT-2 XL")}


def show_parameters(m: Metrics) -> Iterator[Block]:
    yield Table(
        (Column(T("模型", "model")), Column(T("全部参数", "all parameters"), ",d"),
         Column(T("FFN", "FFN"), ",d"), Column(T("词表", "tables"), ",d"),
         Column(T("FFN 占", "FFN share"), ".4f")),
        [[MODEL_NAMES[name], r["total"], r["ffn"], r["tables"], r["share"]]
         for name, r in m["models"].items()],
        legend=T("前四行宽 {width}，FFN 中间 {inner}，共用词表 {translator_vocabulary:,d} 个词。"
                 "GPT-2 的词表 {vocabulary:,d} 个词，另有位置表。偏置和归一化都算。只数矩阵，编码"
                 "器层"
                 "是 {matrices[encoder]:.4f}，解码器层 {matrices[decoder]:.4f}。",
                 "First four rows: width {width}, {inner} inside the FFN, a shared table of "
                 "{translator_vocabulary:,d} words. GPT-2 has {vocabulary:,d} words, and a table "
                 "of positions. Biases and norms are counted. Matrices alone: "
                 "{matrices[encoder]:.4f} of an encoder layer, {matrices[decoder]:.4f} of a "
                 "decoder layer."))
    words = [f"w{i + 1}" for i in range(m["change"]["words"])]
    yield Table(
        (Column(T("哪个词的输出", "output of")), Column(T("FFN", "FFN"), ".3f"),
         Column(T("注意力", "attention"), ".3f"),
         Column(T("注意力，有因果遮罩", "attention, causal mask"), ".3f")),
        [[word, *values] for word, *values in
         zip(words, *m["change"]["moved"].values(), strict=True)],
        title=T("换掉第 {change[word]} 个词，各个输出最多变多少",
                "Word {change[word]} is replaced: the most that each output moves"))


def rest(values: Any, word: int) -> list[float]:
    """All but the changed word's."""
    return [v for i, v in enumerate(values) if i != word - 1]


PARAMETERS = Part(
    number=3, key="parameters",
    title=T("参数在哪里", "Where the parameters are"),
    compute=where_parameters_are, describe=show_parameters,
    params={"vocab": Param(50_257, 1, 1_000_000,
                           about=T("GPT-2 的词表有多少词", "words in GPT-2's table"))},
    controls={"no_tables": partial(where_parameters_are, tables=False),
              "narrow_ffn": partial(where_parameters_are, inner=D),
              "mixing_first": partial(where_parameters_are, mix=True)},
    claims=(
        Claim("two_thirds_of_a_layer", T(
            "三分之二说的是一层编码器的矩阵：{matrices[encoder]:.4f}；有交叉注意力的解码器层是 "
            "{matrices[decoder]:.4f}。",
            "Two thirds is true of the matrices in one encoder layer: {matrices[encoder]:.4f}; "
            "of a "
            "decoder layer with cross-attention it is {matrices[decoder]:.4f}."),
            lambda m: min(1e-9 - abs(m["matrices"]["encoder"] - 2 / 3),
                          1e-9 - abs(m["matrices"]["decoder"] - 1 / 2)), "narrow_ffn"),
        Claim("not_of_a_model", T(
            "整个 GPT-2 small 里 FFN 只占 {models[small][share]:.4f}，因为词表和位置表占 "
            "{models[small][tables]:,d} 个；只看块是 {blocks_share[small]:.4f}。越大越接近三分之"
            "二："
            "medium {models[medium][share]:.4f}，XL {models[xl][share]:.4f}。",
            "Of the whole of GPT-2 small the FFN has {models[small][share]:.4f}, for the tables "
            "have {models[small][tables]:,d}; of the blocks alone {blocks_share[small]:.4f}. "
            "Larger "
            "models come nearer to two thirds: medium {models[medium][share]:.4f}, XL "
            "{models[xl][share]:.4f}."),
            lambda m: min(0.5 - m["models"]["small"]["share"],
                          0.01 - abs(m["blocks_share"]["small"] - 2 / 3),
                          m["models"]["medium"]["share"] - m["models"]["small"]["share"],
                          m["models"]["xl"]["share"] - m["models"]["medium"]["share"],
                          2 / 3 - m["models"]["xl"]["share"],
                          m["models"]["small"]["tables"] - 0.5), "no_tables"),
        Claim("less_with_a_table", T(
            "翻译用的六层加六层，FFN 占 {models[stacks][share]:.4f}；算上共用词表，"
            "{models[translator][share]:.4f}。",
            "In a translator of six and six layers the FFN has {models[stacks][share]:.4f}; with "
            "the shared table {models[translator][share]:.4f}."),
            lambda m: min(0.6 - m["models"]["stacks"]["share"],
                          m["models"]["stacks"]["share"] - 0.5,
                          m["models"]["stacks"]["share"] - m["models"]["translator"]["share"]
                          - 0.1), "no_tables"),
        Claim("word_by_word", T(
            "FFN 一个词一个词地做：换掉第 {change[word]} 个词，它自己的输出变 "
            "{change[moved][ffn][1]:.2f}，第一个词变 {change[moved][ffn][0]:g}，别的词都正好不变。"
            "注意力里别的词都变了，第一个变 {change[moved][attention][0]:.3f}。",
            "The FFN works word by word: replace word {change[word]} and its own output moves by "
            "{change[moved][ffn][1]:.2f}, the first by {change[moved][ffn][0]:g}, and no other at "
            "all. In attention every other word moves, the first by "
            "{change[moved][attention][0]:.3f}."),
            lambda m: min(NO_CHANGE - max(rest(m["change"]["moved"]["ffn"], 2)),
                          m["change"]["moved"]["ffn"][1] - 0.1,
                          min(rest(m["change"]["moved"]["attention"], 2)) - 1e-6),
            "mixing_first"),
    ),
    caveat=T(
        "这是参数的个数，不是显存，也不是计算量：激活值里注意力的权重会超过 FFN，见演示 11。"
        "最后一张表的矩阵是抽的，没有训练；“正好不变”与矩阵无关。",
        "These are numbers of parameters, neither memory nor work: among activations the attention "
        "weights overtake the FFN, see demo 11. The matrices of the last table are drawn, not "
        "trained; that nothing else moves does not depend on them."),
    questions=(
        Question(
            T("GPT-2 small 里，FFN 占全部参数的多少？",
              "What share of GPT-2 small's parameters is in the FFN?"),
            (Option(T("三分之二", "two thirds"),
                    lambda m: 0.03 - abs(m["models"]["small"]["share"] - 2 / 3),
                    T("讲义这么说。只在一层里才对：词表没有算进去。",
                      "the notes say so. It holds within a layer: the tables are left out.")),
             Option(T("46 %", "46 %"),
                    lambda m: 0.03 - abs(m["models"]["small"]["share"] - 0.46)),
             Option(T("一半", "half"),
                    lambda m: min(0.03 - abs(m["models"]["small"]["share"] - 0.52), 0.03),
                    T("一半是有交叉注意力的解码器层；GPT-2 没有交叉注意力。",
                      "half is a decoder layer with cross-attention; GPT-2 has none.")),
             Option(T("33 %", "33 %"),
                    lambda m: 0.03 - abs(m["models"]["small"]["share"] - 0.33),
                    T("把注意力的份额当成了 FFN 的；一层里注意力才是三分之一。",
                      "takes attention's share for the FFN's; within a layer attention has a "
                      "third.")))),
        Question(
            T("换掉第 2 个词，FFN 的哪些输出会变？（FFN 的输入只换这一个词）",
              "Word 2 of the FFN's input is replaced. Which of its outputs change?"),
            (Option(T("只有第 2 个", "the second only"),
                    lambda m: min(NO_CHANGE - max(rest(m["change"]["moved"]["ffn"], 2)),
                                  m["change"]["moved"]["ffn"][1] - NO_CHANGE)),
             Option(T("第 2 个和后面的", "the second and those after it"),
                    lambda m: min(min(m["change"]["moved"]["ffn"][1:]) - NO_CHANGE,
                                  NO_CHANGE - m["change"]["moved"]["ffn"][0]),
                    T("那是有因果遮罩的注意力（最后一列）。",
                      "that is attention under a causal mask, the last column.")),
             Option(T("全部", "all of them"),
                    lambda m: min(m["change"]["moved"]["ffn"]) - NO_CHANGE,
                    T("那是没有遮罩的注意力。FFN 不看别的词。",
                      "that is attention without a mask. The FFN looks at no other word.")))),
    ),
    pins={"change.moved.ffn.0": exact("a true zero"), "change.moved.causal.0":
          exact("a true zero"), "models.*.share": ARITHMETIC, "models.*": exact("counts"),
          "width": exact("a setting"), "inner": exact("a setting"),
          "vocabulary": exact("a setting"), "translator_vocabulary": exact("a setting"),
          "change.word*": exact("settings"), "*": ARITHMETIC},
    errata=ERRATA["parameters"],
    notes=T(
        "约 5 分钟。投票（GPT-2 small），再看表。争论点：为什么模型越大越接近三分之二？（词表随宽度"
        "长，块随宽度的平方长。）试试 --set 3.vocab=250000：多语言的词表。第二题投票之后，让学生"
        "说出"
        "最后一列第一行为什么是零。",
        "About 5 minutes. Vote (GPT-2 small), then the table. The argument: why do larger models "
        "come nearer to two thirds? (Tables grow with the width, blocks with its square.) Try "
        "--set 3.vocab=250000, a multilingual table. After the second vote ask why the first row "
        "of the last column is zero."),
)

# --- 4. twelve trained blocks -------------------------------------------------

VARIANTS = {f"{norm}_{'with' if residual else 'without'}": (norm, residual)
            for residual in (True, False) for norm in ("pre", "post", "none")}
SHALLOW = 1
CHECKED = 100                           # fresh rows
SOLVED = 0.95                           # share of right words that counts as learned


def variant(name: str, layers: int, seed: int = 0) -> Recipe:
    """The shipped recipe with another norm, residual, depth or seed."""
    deep = named("deep")
    norm, residual = VARIANTS[name]
    config = dataclasses.replace(deep.config, norm=norm, residual=residual,
                                 n_layer=layers)
    return dataclasses.replace(deep, name=f"deep_{name}_{layers}",
                               config=config, seed=seed)


def sheet(seed: int) -> tuple[Array, Array, Array]:
    """Fresh rows: ids, where an answer is due, the answer; [B, T] each."""
    data, rng = named("deep").data, np.random.default_rng(seed)
    ids, due, told = tasks.named(data.task)(rng, CHECKED, **dict(data.sizes))
    return ids, due, told


def right(net: GPT, seed: int, patch: Any = None) -> float:
    """Share of right words where an answer is due."""
    ids, due, told = sheet(seed)
    said = net.run(ids, patch).logits.argmax(axis=-1)           # [B, T]
    return float((said == told)[due].mean())


def skipped(layer: int) -> dict[str, Any]:
    """A patch: the block's two branches add nothing."""
    return {f"{layer}.{branch}": np.zeros_like for branch in ("attn", "mlp")}


def skip_each(net: GPT, seed: int, skip: bool = True) -> Metrics:
    """Right without each block; and with the one that counts alone."""
    def skipping(*gone: int) -> float:
        patch = {k: v for l in gone for k, v in skipped(l).items()}
        return right(net, seed, patch if skip else None)

    blocks = range(net.cfg.n_layer)
    without = [skipping(l) for l in blocks]
    key = int(np.argmin(without))
    rest = [l for l in blocks if l != key]
    return {"without": without, "block": key + 1, "least": without[key],
            "others": min((without[l] for l in rest), default=0.0),
            "alone": skipping(*rest),
            "needed": sum(r < SOLVED for r in without)}


def arriving(recipe: Recipe, seed: int) -> float:
    """Untrained: replace the last word; how much changes at the top of it?

    Length of the change / length of what stands there, mean over the rows.
    """
    net = GPT(recipe.config, init_weights(recipe.config, seed))
    ids, _, _ = sheet(seed)
    other = ids.copy()                                          # [B, T]
    other[:, -1] = (other[:, -1] + 1) % recipe.config.vocab_size
    a, b = (net.run(i, trace=True).trace["final"][:, -1]
            for i in (ids, other))                              # [B, d]
    change = np.linalg.norm(a - b, axis=1)                      # [B]
    return float((change / np.linalg.norm(a, axis=1)).mean())


def summary(entries: list[Metrics]) -> Metrics:
    """Five recorded trainings in a few numbers."""
    runs = [e["right"] for e in entries]
    return {"mean": np.mean(runs), "low": min(runs), "high": max(runs),
            "solved": sum(r >= SOLVED for r in runs), "runs": runs,
            "gradient": np.median([e["gradient"]["lowest"]
                                   for e in entries])}


def twelve_blocks(more: bool, seed: int, swap: Swap | None = None,
                  deep_everywhere: bool = False, trained: bool = True,
                  skip: bool = True) -> Metrics:
    """The shipped network measured now, six kinds from the record."""
    kept, recipe = records.read("depth_seeds"), named("deep")
    layers = recipe.config.n_layer
    depths = {"shallow": layers if deep_everywhere else SHALLOW,
              "deep": layers}
    found: Metrics = {}
    for depth, n in depths.items():
        found[depth] = {}
        for name in VARIANTS:
            plays = (swap or {}).get(name, name)
            found[depth][name] = summary(kept["models"][f"{plays}_{n}"]) | {
                "arrives": arriving(variant(plays, n), seed)}
    net = GPT(recipe.config, model_cache.load(recipe) if trained
              else init_weights(recipe.config, seed))
    played = (swap or {}).get("pre_with", "pre_with")
    skips = [e["skips"] for e in kept["models"][f"{played}_{layers}"]]
    return {
        **found, "layers": layers, "width": recipe.config.width,
        "inner": recipe.config.ff_width, "steps": recipe.training.steps,
        "words": recipe.config.vocab_size, "length": recipe.training.length,
        "chance": 1 / recipe.config.vocab_size, "seeds": kept["seeds"],
        "at_least": kept["seeds"] - 1, "checked": CHECKED, "bar": SOLVED,
        "more": more,
        "now": right(net, seed), "skips": skip_each(net, seed, skip),
        "own_share": (1 / recipe.training.length) ** layers,
        "recorded_skips": {"needed": max(e["needed"] for e in skips),
                           "alone": min(e["alone"] for e in skips)}}




NORM_NAMES = {"pre": T("前", "pre"), "post": T("后", "post"), "none": T("没有", "none")}


def show_twelve(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "真的去训练：一道不需要深度的题，说出前一个词（{words} 个词，每行 {length} 个，瞎猜对 "
        "{chance:.1%}）。小 GPT 宽 {width}，两个头，FFN 中间 {inner}，初值 N(0, .02)，写进流的矩阵"
        "再除以 √(2L)，和 GPT-2 一样；{steps} 步。残差有或没有，归一化在支路入口、在和之后，或者"
        "没有；深 {layers} 层，或者只有一层。",
        "Now train: a task that needs no depth, say the word before ({words} words, {length} a "
        "row, blind guessing gets {chance:.1%}). A small GPT, width {width}, two heads, {inner} "
        "inside the FFN, start N(0, .02) and for the maps into the stream that over √(2L), as "
        "GPT-2; {steps} steps. With or without residual; the norm at the door of the branch, after "
        "the sum, or nowhere; {layers} blocks deep, or one."))
    yield Table(
        (Column(T("残差", "residual")), Column(T("归一化", "norm")),
         Column(T("一层", "1 block"), ".1%"), Column(T("学会", "learn"), "d"),
         Column(T("{layers} 层", "{layers} blocks"), ".1%"),
         Column(T("最低", "lowest"), ".1%"), Column(T("学会", "learn"), "d"),
         Column(T("梯度", "gradient"), ".1e")),
        [[VARIANTS[name][1], NORM_NAMES[VARIANTS[name][0]], m["shallow"][name]["mean"],
          m["shallow"][name]["solved"], r["mean"], r["low"], r["solved"], r["gradient"]]
         for name, r in m["deep"].items()],
        title=T("记录：每种训练 {seeds} 次，说对的平均比例",
                "Recorded: {seeds} trainings of each, mean share of right words"),
        legend=T("学会：{seeds} 次里几次说对 {bar:.0%} 以上。梯度：训练前，{layers} 层的最底一层 "
                 "W_V "
                 "的梯度长度（中位数）。",
                 "learn: how many of {seeds} get {bar:.0%} right. gradient: before training, its "
                 "length on W_V of the lowest of {layers} blocks (median)."))
    if m["more"]:
        yield Table(
            (Column(T("残差", "residual")), Column(T("归一化", "norm")),
             *(Column(T(run, run), ".1%") for run in "ABCDE"[:m["seeds"]])),
            [[VARIANTS[name][1], NORM_NAMES[VARIANTS[name][0]], *r["runs"]]
             for name, r in m["deep"].items()],
            title=T("记录：{layers} 层的每一次训练", "Recorded: every training of {layers} blocks"))
    yield Table(
        (Column(T("残差", "residual")), Column(T("归一化", "norm")),
         Column(T("一层", "1 block"), ".1e"), Column(T("{layers} 层", "{layers} blocks"), ".1e")),
        [[VARIANTS[name][1], NORM_NAMES[VARIANTS[name][0]], m["shallow"][name]["arrives"],
          r["arrives"]] for name, r in m["deep"].items()],
        title=T("现在测：没训练时换掉最后一个词，它头顶上的流变多少（占原长）",
                "Measured now, untrained: replace the last word; change of the stream above it"),
        legend=T("没训练的注意力近乎平均：{length} 个词各得一份。没有残差，每过一层自己的差别只剩"
                 "一份，"
                 "{layers} 层是 {own_share:.1e}。",
                 "Untrained attention is nearly even: {length} words get a share each. Without a "
                 "residual a block leaves one share of a word's own difference; {layers} of them "
                 "make {own_share:.1e}."))
    yield Table(
        (Column(T("跳过哪一层", "block skipped")), Column(T("说对", "right"), ".1%")),
        [[T("一层也不跳", "none"), m["now"]],
         *([f"b{i + 1}", share] for i, share in enumerate(m["skips"]["without"])),
         [T(f"除了 b{m['skips']['block']} 全跳过", f"all but b{m['skips']['block']}"),
          m["skips"]["alone"]]],
        title=T("现在测：随课发的网络（残差，前归一化），{checked} 行新题",
                "Measured now: the shipped network (residual, pre-norm), {checked} fresh rows"))


RESIDUAL = [name for name, (_, residual) in VARIANTS.items() if residual]
BARE = [name for name, (_, residual) in VARIANTS.items() if not residual]
OTHER = {name: name.replace("without", "with") for name in BARE}

TWELVE = Part(
    number=4, key="trained",
    title=T("十二层，谁还学得会", "Twelve blocks: who still learns"),
    compute=twelve_blocks, describe=show_twelve, recipes=("deep",),
    params={"more": Param(False, about=T("也列出每一次训练", "list every training too"))},
    controls={"never_residual": partial(twelve_blocks, swap={
                  full: bare for bare, full in OTHER.items()}),
              "always_residual": partial(twelve_blocks, swap=OTHER),
              "deep_only": partial(twelve_blocks, deep_everywhere=True),
              "untrained": partial(twelve_blocks, trained=False),
              "nothing_skipped": partial(twelve_blocks, skip=False)},
    claims=(
        Claim("shipped_has_learned", T(
            "随课发的 {layers} 层网络（残差，前归一化）现在测，说对 {now:.1%}；瞎猜是 "
            "{chance:.1%}。",
            "The shipped network of {layers} blocks (residual, pre-norm) gets {now:.1%} right now; "
            "blind guessing gets {chance:.1%}."),
            lambda m: m["now"] - m["chance"] - 0.5, "untrained"),
        Claim("residual_learns", T(
            "记录：有残差的，{layers} 层照样学会：前归一化 {seeds} 次里 {deep[pre_with][solved]} "
            "次，"
            "后归一化 {deep[post_with][solved]} 次，没有归一化 {deep[none_with][solved]} 次。",
            "Recorded: with a residual {layers} blocks still learn: {deep[pre_with][solved]} of "
            "{seeds} with pre-norm, {deep[post_with][solved]} with post-norm, "
            "{deep[none_with][solved]} without norm."),
            lambda m: min(m["deep"][name]["solved"] - m["at_least"] + 0.5
                          for name in RESIDUAL), "never_residual"),
        Claim("without_it_nothing", T(
            "记录：没有残差，{layers} 层一次也没学会，有归一化也没用：三种的最好成绩是 "
            "{deep[pre_without][high]:.1%}、{deep[post_without][high]:.1%}、"
            "{deep[none_without][high]:.1%}，瞎猜是 {chance:.1%}。",
            "Recorded: without a residual {layers} blocks never learn, norm or no norm: the best "
            "of the three kinds get {deep[pre_without][high]:.1%}, "
            "{deep[post_without][high]:.1%} and {deep[none_without][high]:.1%}, blind guessing "
            "{chance:.1%}."),
            lambda m: min(m["chance"] + 0.1 - m["deep"][name]["high"] for name in BARE),
            "always_residual"),
        Claim("depth_is_to_blame", T(
            "不怪题目，也不怪没有残差本身：只有一层时，没有残差的三种在 {seeds} 次里学会 "
            "{shallow[pre_without][solved]}、{shallow[post_without][solved]}、"
            "{shallow[none_without][solved]} 次。",
            "Neither the task nor the missing residual alone is to blame: with one block the three "
            "kinds without residual learn in {shallow[pre_without][solved]}, "
            "{shallow[post_without][solved]} and {shallow[none_without][solved]} of {seeds} "
            "trainings."),
            lambda m: min(m["shallow"][name]["solved"] - m["at_least"] + 0.5 for name in BARE),
            "deep_only"),
        Claim("the_word_does_not_arrive", T(
            "现在测，没训练时：换掉一个词，有残差的 {layers} 层顶上变 "
            "{deep[pre_with][arrives]:.2f}；"
            "没有残差，有前归一化也只变 {deep[pre_without][arrives]:.0e}，有后归一化 "
            "{deep[post_without][arrives]:.0e}：一层层平均下来，词的差别没了，归一化救不回来。",
            "Measured now, untrained: replace a word and the top of {layers} blocks with a "
            "residual "
            "moves by {deep[pre_with][arrives]:.2f}; without one by "
            "{deep[pre_without][arrives]:.0e} in spite of pre-norm and by "
            "{deep[post_without][arrives]:.0e} in spite of post-norm: averaged block after block, "
            "words lose their difference, and no norm brings it back."),
            lambda m: min(m["deep"]["pre_with"]["arrives"] - 0.1,
                          1e-6 - m["deep"]["pre_without"]["arrives"],
                          1e-6 - m["deep"]["post_without"]["arrives"]), "always_residual"),
        Claim("blocks_that_can_go", T(
            "残差让多余的层让路：一次跳过一层，只有少了第 {skips[block]} 层才垮"
            "（{skips[least]:.1%}），少了别的任何一层都不低于 {skips[others]:.1%}；别的全跳过、"
            "只留这一层，还有 {skips[alone]:.1%}，远在瞎猜之上。",
            "A residual lets needless blocks step aside: skip one at a time and only the loss of "
            "block {skips[block]} breaks it ({skips[least]:.1%}); without any other it keeps at "
            "least {skips[others]:.1%}. Skip all the others, keep that one: {skips[alone]:.1%}, "
            "far above guessing."),
            lambda m: min(0.5 - m["skips"]["least"], m["skips"]["others"] - m["bar"],
                          m["skips"]["alone"] - m["chance"] - 0.2), "nothing_skipped"),
        Claim("few_are_needed", T(
            "记录：残差加前归一化的 {seeds} 次训练里，{layers} 层中一跳过就垮的最多 "
            "{recorded_skips[needed]} 层；只留最要紧的那一层，最低 {recorded_skips[alone]:.1%}。",
            "Recorded: in {seeds} trainings with residual and pre-norm at most "
            "{recorded_skips[needed]} of {layers} blocks break it when skipped; with the one that "
            "matters most alone it keeps {recorded_skips[alone]:.1%} at worst."),
            lambda m: min(m["layers"] / 2 - m["recorded_skips"]["needed"],
                          m["recorded_skips"]["alone"] - m["chance"] - 0.2), "never_residual"),
    ),
    caveat=T(
        "宽 {width}，一道题，一种优化器，一种初值，{steps} 步；换别的结果会不同（第 1 部分的 "
        "--set 1.gain 让人看到初值对梯度的作用）。跳过一层说明它在这里可有可无，不说明它什么也没"
        "做。没有归一化也学会，"
        "靠的是小初值；更深更宽时没有这样的保证。",
        "Width {width}, one task, one optimiser, one start, {steps} steps; others may end "
        "otherwise "
        "(part 1, --set 1.gain, shows what the start does to gradients). That a block can be "
        "skipped shows it "
        "is not needed here, not that it does nothing. Learning without a norm rests on the small "
        "start; for deeper and wider networks nothing of the kind is promised."),
    questions=(Question(
        T("十二层，没有残差，可是每层都有归一化。一道一层就能学会的题，它学得会吗？",
          "Twelve blocks without a residual, but with a norm in each. A task that one block can "
          "learn: does it learn it?"),
        (Option(T("学得会，归一化稳住了梯度", "yes, the norm steadies the gradient"),
                lambda m: min(m["deep"][n]["mean"] for n in ("pre_without", "post_without"))
                - m["bar"],
                T("归一化稳住大小，稳不住差别：每一层都把词平均一遍。",
                  "a norm steadies the size, not the difference: every block averages the words.")),
         Option(T("学得慢一些，差一点", "more slowly, and less well"),
                lambda m: min(m["bar"] - max(m["deep"][n]["mean"] for n in
                                             ("pre_without", "post_without")),
                              min(m["deep"][n]["mean"] for n in
                                  ("pre_without", "post_without")) - m["chance"] - 0.1),
                T("以为深只是慢。词的差别到不了顶，就没有东西可学。",
                  "expects depth to be slow only. What does not reach the top cannot be learned "
                  "from.")),
         Option(T("学不会，和瞎猜一样", "no, it stays at guessing"),
                lambda m: m["chance"] + 0.1 - max(m["deep"][n]["mean"] for n in
                                                  ("pre_without", "post_without"))),),),),
    pins={"*.runs.*": exact("read from a record"), "*.mean": ARITHMETIC,
          "*.low": exact("read from a record"), "*.high": exact("read from a record"),
          "*.solved": exact("read from a record"), "*.gradient": ARITHMETIC,
          "*.arrives": close("differences of nearly equal numbers", rtol=1e-3, atol=1e-12),
          "recorded_skips.*": exact("read from a record"), "skips.block": exact("a place"),
          "skips.needed": exact("a count"), "now": TRAINED, "skips.*": TRAINED,
          "own_share": ARITHMETIC,
          "*": exact("settings")},
    notes=T(
        "约 8 分钟。投票，给记录的表，再给“换掉一个词”的表解释为什么。争论点：没有归一化也学会"
        "了，那"
        "归一化要来做什么？（初值替它做了；--set 1.gain=1.41 看残差自己会怎样。）最后让学生猜：跳"
        "过一"
        "层会塌吗？",
        "About 8 minutes. Vote, the recorded table, then the table of the replaced word for the "
        "reason. The argument: it learns without a norm, so what is the norm for? (The start did "
        "its work; --set 1.gain=1.41 shows what a residual does alone.) At last let them guess: "
        "does it break when a block is skipped?"),
)

PARTS: tuple[Part, ...] = (GRADIENT, NORMS, PARAMETERS, TWELVE)
