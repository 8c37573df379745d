"""09.2 LayerNorm and BatchNorm: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d09_depth.errata import ERRATA
from demos.d09_depth.lesson import NO_CHANGE, NORMS_CONTROLS, two_norms
from lecture.report import (
    ARITHMETIC,
    Block,
    Claim,
    Column,
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
    exact,
)

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


PART = Part(
    number=2, key="norms",
    title=T("层归一化与批归一化", "LayerNorm and BatchNorm"),
    compute=two_norms, describe=show_norms,
    params={"eps": Param(1e-5, 0.0, 1.0, about=T("加在方差上的数", "added to the variance"))},
    controls=NORMS_CONTROLS,
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
