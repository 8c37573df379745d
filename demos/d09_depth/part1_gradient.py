"""09.1 A gradient through a hundred blocks: what a person meets.

Longer than 250 lines because slopes, three arms, two starts and the notes' formulas stand here.
"""

from __future__ import annotations

from collections.abc import Iterator

from demos.d09_depth.errata import ERRATA
from demos.d09_depth.lesson import GRADIENT_CONTROLS, NO_CHANGE, through_blocks
from lecture.margins import above, below, both, every, near, rows
from lecture.quantities import Across, Group, Lines, Named, Rows
from lecture.report import (
    ARITHMETIC,
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

DEEP = close("a hundred products in a row: roundings add up", rtol=1e-6, atol=0.0)
QUANTITIES = {
    "slopes.*.slope": Quantity(T("斜率", "slope"), "g"),
    "slopes.*.few": Quantity(T("{layers.few} 层", "{layers.few} layers"), ".3g"),
    "slopes.*.many": Quantity(T("{layers.many} 层", "{layers.many} layers"), ".3g"),
    "layers.*": Quantity(T("层", "layers"), "d"),
    **{f"bottom.*.d{n}": Quantity(T(f"{n} 块", f"{n}"), ".2g") for n in (6, 50, 100)},
    "starts.*": Quantity(T("初值", "start"), ".3g"),
    "depths.*": Quantity(T("块", "blocks"), "d"),
    "blocks": Quantity(T("在第几个块的入口（右边是顶）", "at the door of block (top: right)"), "d"),
    "on_the_way.*": Quantity(T("长度的十的几次方", "length, power of ten"), ".1f"),
    "branch.plain": Quantity(T("倍数", "times"), ".1e"),
    "branch.residual": Quantity(T("倍数", "times"), ".1e"),
    "branch.*": Quantity(T("一个块的倍数", "times a block"), ".2f"),
    "opposite.above": Quantity(T("它上面的梯度", "gradient above it"), ".3g"),
    "opposite.below": Quantity(T("底层的梯度", "gradient at the bottom"), ".3g"),
    "opposite.above.*": Quantity(T("它上面的梯度", "gradient above it"), ".3g"),
    "opposite.below.*": Quantity(T("底层的梯度", "gradient at the bottom"), ".3g"),
    "*": Quantity(T("个", "count"), "d"),
}
NAMES = {
    **{f"slopes.{name}": T(f"s = {{slopes.{name}.slope}}", f"s = {{slopes.{name}.slope}}")
       for name in ("weak", "strong", "opposite", "falling")},
    **{f"{group}.{kind}": name for group in ("bottom", "on_the_way") for kind, name in {
        "plain": T("什么也不加   F(x)", "neither      F(x)"),
        "residual": T("残差         x + F(x)", "residual     x + F(x)"),
        "normed": T("只归一化     LN(F(x))", "norm only    LN(F(x))"),
        "post": T("Post-LN      LN(x + F(x))", "Post-LN      LN(x + F(x))"),
        "pre": T("Pre-LN       x + F(LN(x))", "Pre-LN       x + F(LN(x))"),
        "scaled": T("残差，小初值 x + F(x)/√L", "small start  x + F(x)/√L")}.items()},
    **{f"opposite.*.{i}": T(f"{{depths.{i}}} 个块", f"{{depths.{i}}} blocks") for i in range(3)},
}

LEAD = (
    Paragraph(T(
        "往回走，梯度每过一层 y = F(x) 乘一次它的斜率 s；有残差，y = x + F(x)，乘的是 1 + s。"
        "例：s = {slopes.weak.slope}，{layers.few} 层之后剩 {slopes.weak.slope}^{layers.few} = "
        "{slopes.weak.plain.few}，{layers.many} 层之后剩 {slopes.weak.plain.many}。",
        "On its way back a gradient is multiplied by the slope s of every layer y = F(x); with a "
        "residual, y = x + F(x), by 1 + s. Example: s = {slopes.weak.slope} leaves "
        "{slopes.weak.slope}^{layers.few} = {slopes.weak.plain.few} after {layers.few} layers and "
        "{slopes.weak.plain.many} after {layers.many}.")),
)


def blocks(m: Metrics) -> Iterator[Named | Paragraph]:
    yield Rows("slopes.*", (
        Group(T("没有残差：|s|^n", "no residual: |s|^n"), ("plain.few", "plain.many")),
        Group(T("残差：|1 + s|^n", "residual: |1 + s|^n"), ("residual.few", "residual.many"))),
        head=T("每层一个数", "one number"))
    yield Paragraph(T(
        "真的块：F(x) = relu(x W_1) W_2，{words} 个词，宽 {width}，中间 {hidden}，没训练；初值正"
        "态，"
        "方差是输入个数分之一，W_2 再乘一个数。LN 是层归一化：放在和之后叫后置（Post-LN，2017 "
        "年的），放在支路入口叫前置（Pre-LN）。",
        "Real blocks: F(x) = relu(x W_1) W_2, {words} words of width {width}, {hidden} inside, "
        "untrained; they start normal, variance one over the number of inputs, W_2 times a number. "
        "LN is layer norm: after the sum Post-LN (that of 2017), at the door of the branch "
        "Pre-LN."))
    depths = ("d6", "d50", "d100")
    yield Rows("bottom.*", (
        Group(T("W_2 初值 × {starts.small}", "W_2 started × {starts.small}"),
              tuple(f"small.{d}" for d in depths)),
        Group(T("W_2 初值 × {starts.large}", "W_2 started × {starts.large}"),
              tuple(f"large.{d}" for d in depths))),
        head=T("底层的梯度 / 顶层的", "bottom / top; blocks:"))
    yield Lines("blocks", ("on_the_way.plain", "on_the_way.residual"), more=True,
                title=T("{depths.2} 个块，初值 × {starts.small}，梯度从右往左走",
                        "{depths.2} blocks, start × {starts.small}; the gradient walks leftward"))
    yield Lines("blocks", tuple(f"on_the_way.{k}" for k in ("normed", "post", "pre", "scaled")),
                more=True, title=T("同上，有归一化的和小初值的（另一把尺）",
                                   "The same with a norm or a small start (another scale)"))
    yield Across(("opposite.above", "opposite.below"), ("0", "1", "2"), more=True,
                 head=T("残差，有一个块是 F(x) = -x", "residual, one block has F(x) = -x"))


def steady(*starts: object) -> float:
    """All ratios of some rows lie between a hundredth and a hundred."""
    return every(both(above(r, 0.01), below(r, 100)) for start in starts for r in rows(start))


PART = Part(
    number=1, key="gradient",
    title=T("梯度穿过一百个块", "A gradient through a hundred blocks"),
    compute=through_blocks, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"gain": Param(1.0, 0.1, 2.0, about=T("W_2 乘几倍（第一种初值）",
                                                "scales W_2 (the first start)")),
            "width": Param(64, 8, 128, about=T("一个词几个数", "numbers a word"))},
    controls=GRADIENT_CONTROLS,
    claims=(
        Claim("start_decides", T(
            "什么也不加，{depths.2} 个块剩 {bottom.plain.small.d100}；W_2 的初值乘 {starts.large}，"
            "剩 {bottom.plain.large.d100}。这里消失不消失，看初值。",
            "With neither, {bottom.plain.small.d100} is left after {depths.2} blocks; with W_2 "
            "started × {starts.large}, {bottom.plain.large.d100}. Here the start decides whether "
            "it vanishes."),
            lambda m: both(below(m.bottom.plain.small.d100, 1e-10),
                           above(m.bottom.plain.large.d100, 0.01),
                           below(m.bottom.plain.large.d100, 100)), "one_start",
            given=("depths.*", "starts.*")),
        Claim("residual_alone_explodes", T(
            "只加残差，从这两种初值都爆炸：{depths.2} 个块 {bottom.residual.small.d100} 倍；初值大"
            "些，"
            "{bottom.residual.large.d100} 倍。",
            "From these two starts a residual alone explodes: over {depths.2} blocks "
            "{bottom.residual.small.d100} times, from the larger {bottom.residual.large.d100}."),
            lambda m: both(above(m.bottom.residual.small.d100 / 1e6, 1),
                           above(m.bottom.residual.large.d100
                                 / m.bottom.residual.small.d100, 100)), "never_residual",
            given=("depths.*",)),
        Claim("norm_holds_it", T(
            "有归一化，两种初值、各种深度都在百分之一到一百倍之间，有没有残差都行：只归一化 "
            "{bottom.normed.small.d100}，Post-LN {bottom.post.small.d100}，Pre-LN "
            "{bottom.pre.small.d100}。",
            "With a norm all stays between a hundredth and a hundred times, at both starts and "
            "every depth, residual or not: norm only {bottom.normed.small.d100}, Post-LN "
            "{bottom.post.small.d100}, Pre-LN {bottom.pre.small.d100}."),
            lambda m: every(steady(m.bottom[kind].small, m.bottom[kind].large)
                            for kind in ("normed", "post", "pre")), "no_norm"),
        Claim("so_does_a_small_start", T(
            "没有归一化，支路初值小到 √L 分之一也稳住：每种深度都在一半到两倍之间，{depths.2} 个块 "
            "{bottom.scaled.small.d100} 倍。",
            "Without a norm a start √L times smaller holds it too: between half and twice at every "
            "depth, {bottom.scaled.small.d100} times after {depths.2} blocks."),
            lambda m: every(both(above(r, 0.5), below(r, 2)) for r in rows(m.bottom.scaled.small)),
            "full_start", more=True, given=("depths.*",)),
        Claim("right_angles", T(
            "矩阵不是一个数，抽来的支路和 x 的长度按勾股定理相加。斜率 {slopes.strong.slope} 的支"
            "路，{layers.many} 个块从 {branch.plain} 倍变成 {branch.residual} 倍：每块 "
            "{branch.a_block}，近直角边为一和 s 的斜边（{branch.right_angle}），不到一加 s。",
            "A matrix is not a number: the lengths of x and of a drawn branch add as Pythagoras "
            "has it. With branches of slope {slopes.strong.slope}, {layers.many} blocks go from "
            "{branch.plain} to {branch.residual} times: {branch.a_block} a block, near the "
            "hypotenuse over one and s ({branch.right_angle}), less than one plus s."),
            lambda m: both(near(m.branch.a_block, m.branch.right_angle, 0.1),
                           above(m.branch.aligned, m.branch.a_block + 0.3),
                           above(m.branch.residual / m.branch.plain, 1e3)), "never_residual",
            more=True, given=("slopes.*", "layers.*")),
    ),
    caveat=T(
        "块里只有 FFN，没有注意力；量的是没训练时梯度的长度。学不学得会是另一回事：第 4 部分。",
        "Blocks of an FFN without attention, and the gradient's length before training. Whether "
        "they learn is another matter: part 4."),
    questions=(
        Question(
            T("每层斜率 {slopes.strong.slope}，{layers.many} 层，没有残差，梯度是 "
              "{slopes.strong.plain.many:,.0f} 倍。加上残差呢？",
              "Slope {slopes.strong.slope} in each of {layers.many} layers: "
              "{slopes.strong.plain.many:,.0f} times without a residual. And with one?"),
            (Option(T("回到一左右", "back to about one"),
                    lambda m: both(below(m.slopes.strong.residual.many, 10),
                                   above(m.slopes.strong.residual.many, 0.1)),
                    T("讲义说“加一拉回来”。斜率是正的，加一更大；表里只有负斜率才变小。",
                      "the notes say plus one pulls it back. A positive slope grows by it; in the "
                      "table only negative ones shrink.")),
             Option(T("差不多", "about the same"),
                    lambda m: both(above(m.slopes.strong.residual.many, 10),
                                   below(m.slopes.strong.residual.many,
                                         10 * m.slopes.strong.plain.many)),
                    T("以为残差只管消失的梯度。它每一层都加。",
                      "takes the residual to act on vanishing gradients only. It adds in every "
                      "layer.")),
             Option(T("大得多", "far larger"),
                    lambda m: above(m.slopes.strong.residual.many
                                    / m.slopes.strong.plain.many, 10))),
            answer=Claim("plus_one_looks_at_no_size", T(
                "{slopes.strong.residual.many} 倍，因为每层乘的是 {branch.aligned:.1f}。斜率 "
                "{slopes.falling.slope} 同样大，却得 {slopes.falling.residual.many}：加一不管"
                "原来大不大，只管加。",
                "{slopes.strong.residual.many}, since each layer multiplies by "
                "{branch.aligned:.1f}. A "
                "slope of {slopes.falling.slope} is as large and ends at "
                "{slopes.falling.residual.many}: plus one does not ask how large, it adds."),
                lambda m: both(above(m.slopes.strong.residual.many
                                     / m.slopes.strong.plain.many, 1e6),
                               near(m.branch.aligned**m.layers.many
                                    / m.slopes.strong.residual.many, 1, 1e-6),
                               below(m.slopes.falling.residual.many
                                     / m.slopes.falling.plain.many, 1e-6)),
                "never_residual", kind="example", given=("slopes.*.slope",))),
        Question(
            T("残差网络里，有一个块的支路是 F(x) = -x。底层的梯度？",
              "In a residual network the branch of one block is F(x) = -x. The gradient at the "
              "bottom?"),
            (Option(T("和它上面的差不多", "about that above it"),
                    lambda m: above(min(m.opposite.below), 0.5 * min(m.opposite.above)),
                    T("讲义说恒等映射永远保证传回去。乘的是一加支路的斜率，支路是负一，什么也不"
                      "剩。",
                      "the notes say the identity always guarantees it. The factor is one plus the "
                      "branch's slope; with minus one nothing is left.")),
             Option(T("小得多，不是零", "far smaller, not zero"),
                    lambda m: both(above(min(m.opposite.below), NO_CHANGE),
                                   below(min(m.opposite.below), 0.5 * min(m.opposite.above))),
                    T("以为抵消只是大概的。两项正好相反。",
                      "expects cancelling to be rough. The two terms are exact opposites.")),
             Option(T("正好是零", "exactly zero"),
                    lambda m: below(max(m.opposite.below), NO_CHANGE))),
            answer=Claim("no_guarantee", T(
                "它上面还有 {opposite.above.2} 倍，底层是 {opposite.below.2}：x 和 -x 抵消，残差"
                "不是保证。",
                "{opposite.above.2} above it, {opposite.below.2} at the bottom: x and -x cancel, a "
                "residual is no guarantee."),
                lambda m: both(below(m.opposite.below[2], NO_CHANGE),
                               above(m.opposite.above[2], 0.1)), "ordinary", kind="example"),
            more=True),
    ),
    pins={"depths.*": exact("settings"), "blocks.*": exact("settings"),
          "width": exact("a setting"), "hidden": exact("a setting"),
          "words": exact("a setting"), "opposite.below.*": exact("a true zero"),
          "layers.*": exact("settings"), "slopes.*": ARITHMETIC, "starts.*": ARITHMETIC,
          "on_the_way.*": close("logarithms of shares, one of them 0", rtol=1e-6, atol=1e-12),
          "*": DEEP},
    errata=ERRATA["gradient"],
    notes=T(
        "约 8 分钟。先投票，再看第一张表：只有负斜率被加一变小。争论点：只归一化也稳住了梯度，那残"
        "差有什么用？（留到第 4 部分：十二层、有注意力，没有残差的一个也没学会。）第二种初值是何恺"
        "明的，"
        "支路保持长度；试试 --set 1.gain=0.5：两种初值都小，关于初值和爆炸的两句就不成立了。"
        "--more 里有 F(x) = -x 那一票。",
        "About 8 minutes. Vote, then the first table: only negative slopes shrink by plus one. The "
        "argument: a norm alone holds the gradient, so what is the residual for? (Part 4: with "
        "attention, twelve blocks without one never learn.) The second start is He's, where a "
        "branch "
        "keeps its "
        "length; try --set 1.gain=0.5: both starts are small, and the sentences on the start and "
        "on "
        "explosion stop holding. The vote on F(x) = -x is behind --more."),
)
