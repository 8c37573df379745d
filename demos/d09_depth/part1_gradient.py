"""09.1 A gradient through a hundred blocks: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d09_depth.errata import ERRATA
from demos.d09_depth.lesson import GRADIENT_CONTROLS, NO_CHANGE, through_blocks
from lecture.report import (
    ARITHMETIC,
    Block,
    Claim,
    Column,
    Curve,
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

DEEP = close("a hundred products in a row: roundings add up", rtol=1e-6, atol=0.0)
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


PART = Part(
    number=1, key="gradient",
    title=T("梯度穿过一百个块", "A gradient through a hundred blocks"),
    compute=through_blocks, describe=show_gradient,
    params={"gain": Param(1.0, 0.1, 2.0, about=T("W_2 乘几倍", "scales W_2")),
            "width": Param(64, 8, 128, about=T("一个词几个数", "numbers a word"))},
    controls=GRADIENT_CONTROLS,
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
