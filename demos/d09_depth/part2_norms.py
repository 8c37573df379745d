"""09.2 LayerNorm and BatchNorm: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d09_depth.errata import ERRATA
from demos.d09_depth.lesson import NO_CHANGE, NORMS_CONTROLS, two_norms
from lecture.margins import above, at_least, at_most, below, both, every, near
from lecture.quantities import Across, Group, Maps, Named, Rows
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
    exact,
)

FLOOR = ".2f<1e-12"                     # rounding, where nothing moves
QUANTITIES = {
    "raw": Quantity(T("输入", "input"), ".1f"),
    "normed.layer": Quantity(T("层归一化", "layer norm"), ".1f"),
    "normed.batch": Quantity(T("批归一化", "batch norm"), ".1f"),
    **{f"moved.*.b{n}": Quantity(T(f"{n} 行", f"{n}"), ".2f") for n in (8, 4, 2, 1)},
    "alone.*": Quantity(T("最大的数", "largest number"), ".2f"),
    "counted.raw": Quantity(T("x", "x"), "g"), "counted.raw.*": Quantity(T("x", "x"), "g"),
    "counted.normed.*": Quantity(T("LN(x)", "LN(x)"), ".3f"),
    "counted.rms.*": Quantity(T("RMSNorm(x)", "RMSNorm(x)"), ".3f"),
    "counted.moves.layer": Quantity(T("变", "moves by"), FLOOR),
    "counted.moves.*": Quantity(T("变", "moves by"), ".2f"),
    "counted.added": Quantity(T("加", "added"), "g"),
    "counted.mean": Quantity(T("均值", "mean"), "g"),
    "counted.*": Quantity(T("标准差", "deviation"), ".3f"),
    "identity.*.mean": Quantity(T("均值", "mean"), ".2f"),
    "identity.*.deviation": Quantity(T("标准差", "deviation"), ".2f"),
    "identity.*.off": Quantity(T("LN(x) 偏离 x", "LN(x) off from x"), ".2g"),
    "wide.*": Quantity(T("", ""), "g"),
    "at_zero.pre": Quantity(T("偏离", "off"), "g"),
    "at_zero.*": Quantity(T("偏离", "off"), ".2f"),
    "half.*.eps": Quantity(T("写下的 ε", "ε as written"), "g"),
    "half.*.stored": Quantity(T("float16 存成", "stored in float16"), ".3g"),
    "half.*.undefined": Quantity(T("没有定义的输出", "undefined outputs"), "d"),
    "half.smallest": Quantity(T("最小的正数", "smallest positive"), ".0e"),
    "eps": Quantity(T("ε", "ε"), "g"), "gain": Quantity(T("γ", "γ"), "g"),
    "defaults.*": Quantity(T("ε", "ε"), "g"),
    "*": Quantity(T("个", "count"), "d"),
}
NAMES = {
    "identity.unit_512": T("正态，宽 512", "normal, width 512"),
    "identity.unit_256": T("正态，宽 256", "normal, width 256"),
    "identity.wide": T("正态", "normal"), "identity.small": T("正态", "normal"),
    "identity.counted": T("1, 2, 3, 4", "1, 2, 3, 4"),
    "identity.normed": T("LN 的输出", "an output of LN"),
    "identity.normed_gain": T("LN 的输出，γ = {gain}", "an output of LN, γ = {gain}"),
    "moved.layer": T("层归一化", "layer norm"), "moved.batch": T("批归一化", "batch norm"),
    "half.noted": T("讲义的", "the notes'"), "half.usual": T("torch 的", "torch's"),
    **{f"counted.*.{i}": T(f"x{i + 1}", f"x{i + 1}") for i in range(4)},
}

LEAD = (
    Paragraph(T(
        "层归一化（Ba 等 2016）把一个词的 d 个数变成均值零、标准差一：\n"
        "    LN(x) = γ (x - 均值) / √(方差 + ε) + β      γ、β 是学来的，这里取一和零\n"
        "例：均值 {counted.mean}，标准差 {counted.deviation}，第一个数变成 ({counted.raw.0} - "
        "{counted.mean}) / {counted.deviation} = {counted.normed.0}：",
        "Layer norm (Ba et al. 2016) gives the numbers of a word mean 0, deviation 1:\n"
        "    LN(x) = γ (x - mean) / √(variance + ε) + β      learned γ, β: here 1 and 0\n"
        "Example: mean {counted.mean}, deviation {counted.deviation}, the first number becomes "
        "({counted.raw.0} - {counted.mean}) / {counted.deviation} = {counted.normed.0}:")),
    Across(("counted.raw", "counted.normed"), ("0", "1", "2", "3"), rule=False),
    Paragraph(T(
        "批归一化（Ioffe 和 Szegedy 2015）算法一样，可是沿着列：同一格的数，在眼前这一批各行里算。",
        "Batch norm (Ioffe and Szegedy 2015) does the same down a column: one place, over the rows "
        "of the batch at hand.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        ("moved.layer", "moved.batch"),
        (Group(T("批里还剩几行：第一行的输出最多变多少", "rows left in the batch: row 1 moves by"),
               ("b8", "b4", "b2", "b1")),
         Group(T("只剩它一行", "left alone"), ("/alone.*",))))
    yield Rows(
        tuple(f"identity.{k}" for k in ("unit_512", "wide", "small", "counted", "normed")),
        ("mean", "deviation", "off"), head=T("x 是什么", "what x is"),
        title=T("LN(x) 约等于 x 吗？（差的长度 / x 的长度）",
                "Is LN(x) about x? (length of the difference / length of x)"))
    yield Maps(("raw", "normed.layer", "normed.batch"), "words", "numbers", low=-2.5, high=9.0,
               more=True, title=T("{sizes.0} 行 {features} 列里的 4 行 6 列",
                                  "4 rows and 6 columns of {sizes.0} by {features}"))
    yield Rows(("identity.unit_256", "identity.normed_gain"), ("mean", "deviation", "off"),
               head=T("x 是什么", "what x is"), more=True)
    yield Across(("counted.raw", "counted.normed", "counted.rms"), ("0", "1", "2", "3"),
                 more=True, rule=False,
                 title=T("RMSNorm（Zhang 和 Sennrich 2019）：x / √(x^2 的均值)",
                         "RMSNorm (Zhang and Sennrich 2019): x / √(mean of x^2)"))
    yield Rows(("half.noted", "half.usual"), ("eps", "stored", "undefined"), more=True,
               head=T("ε", "ε"),
               title=T("{half.of} 个相同的数，每一步都用 float16（最小的正数 {half.smallest}）",
                       "{half.of} equal numbers, every step in float16 (smallest positive number "
                       "{half.smallest})"))


PART = Part(
    number=2, key="norms",
    title=T("层归一化与批归一化", "LayerNorm and BatchNorm"),
    compute=two_norms, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"eps": Param(1e-5, 1e-12, 1.0, about=T("加在方差上的数", "added to the variance"))},
    controls=NORMS_CONTROLS,
    claims=(
        Claim("a_row_by_itself", T(
            "层归一化只看自己这一行，批里少了谁都一样：变 {moved.layer.b2:g}；批归一化从 {sizes.0} "
            "行减到 {sizes.2} 行，变 {moved.batch.b2}。",
            "Layer norm looks at its own row and minds no company: it moves by {moved.layer.b2:g}; "
            "batch norm, cut from {sizes.0} rows to {sizes.2}, by {moved.batch.b2}."),
            lambda m: both(every(below(m.moved.layer[b], NO_CHANGE) for b in ("b4", "b2", "b1")),
                           above(m.moved.batch.b2, 0.1)), "layer_is_batch", kind="example",
            given=("sizes.*",)),
        Claim("batch_of_one", T(
            "批里只有一行，批归一化给出的全是 {alone.batch:g}：减去的均值就是它自己。",
            "In a batch of one, batch norm gives {alone.batch:g} everywhere: the mean it subtracts "
            "is the row itself."),
            lambda m: below(m.alone.batch, NO_CHANGE), "batch_is_layer", kind="identity"),
        Claim("not_the_identity", T(
            "表里只有均值约零、标准差约一的两行，LN(x) 约等于 x（正态的偏离 "
            "{identity.unit_512.off}）；均值约 {wide.mean} 的偏离 {identity.wide.off}，标准差 "
            "{identity.small.deviation} 的偏离 {identity.small.off:.1f}。",
            "In the table LN(x) is about x only in the two rows of mean near zero and deviation "
            "near one (normal: off by {identity.unit_512.off}); with mean near {wide.mean} it is "
            "off by "
            "{identity.wide.off}, with deviation {identity.small.deviation} by "
            "{identity.small.off:.1f}."),
            lambda m: both(below(m.identity.unit_512.off, 0.1), below(m.identity.normed.off, 0.1),
                           every(above(m.identity[k].off, 0.5)
                                 for k in ("wide", "small", "counted")),
                           below(m.identity.small.deviation, 0.5)),
            "normed_input", kind="example", given=("wide.mean",)),
        Claim("only_once", T(
            "没学过 γ、β 的 LN 做两次和做一次一样：它自己的输出偏离 {identity.normed.off}（来自 "
            "ε = {eps}）；学了 γ = {gain}，偏离 {identity.normed_gain.off}。",
            "With no γ or β learned, LN twice is LN once: its own output is off by "
            "{identity.normed.off} (by ε = {eps}); with γ = {gain} learned, by "
            "{identity.normed_gain.off}."),
            lambda m: both(below(m.identity.normed.off, 1e-4),
                           above(m.identity.normed_gain.off, 0.2),
                           near(m.identity.normed_gain.off, m.gain - 1, 1e-3)), "no_gain",
            kind="example", more=True, given=("eps",)),
        Claim("rms_keeps_the_mean", T(
            "RMSNorm 不减均值，除以 {counted.root}：四个数都加 {counted.added}，LN 的变化 "
            "{counted.moves.layer}，RMSNorm 的 {counted.moves.rms}。",
            "RMSNorm subtracts no mean and divides by {counted.root}: add {counted.added} to all "
            "four and LN moves by {counted.moves.layer}, RMSNorm by {counted.moves.rms}."),
            lambda m: both(below(m.counted.moves.layer, 1e-9), above(m.counted.moves.rms, 0.1),
                           near(m.counted.rms[3] * m.counted.root, m.counted.raw[3], 1e-3)),
            "rms_is_layer", kind="example", more=True, given=("counted.added",)),
        Claim("epsilon_can_be_zero", T(
            "讲义的 ε = {half.noted.eps} 在 float16 里就是 {half.noted.stored}：{half.of} 个输出里 "
            "{half.noted.undefined} 个没有定义；用 {half.usual.eps}，{half.usual.undefined} 个。",
            "The notes' ε = {half.noted.eps} is {half.noted.stored} in float16: of {half.of} "
            "outputs {half.noted.undefined} are undefined; with {half.usual.eps}, "
            "{half.usual.undefined}."),
            lambda m: both(below(m.half.noted.stored, NO_CHANGE),
                           at_least(m.half.noted.undefined, m.half.of),
                           at_most(m.half.usual.undefined, 0)), "single_precision",
            kind="example", more=True, given=("half.*.eps",)),
    ),
    caveat=T(
        "这是训练时的批归一化；用的时候它改用训练中攒下的均值和方差，每一行都不看同伴。",
        "Batch norm as in training. In use it takes averages kept from training, and a row sees no "
        "company."),
    further=T(
        "torch 的批归一化训练时不收单独一行（二维的输入），这里照公式算。torch 的层归一化遇到 "
        "float16，里面用 float32 算，所以没有表里的毛病。",
        "torch's batch norm refuses a single row in training (2-D input); here the formula is "
        "followed. Given float16, torch's layer norm works in float32 inside and is spared what "
        "the table shows."),
    questions=(Question(
        T("子层什么都没学到，F(x) = 0；x 的均值 {wide.mean:g}，标准差 {wide.deviation:g}。"
          "Post-LN 的 LN(x + F(x)) 给出 x 吗？",
          "A sub-layer has learned nothing, F(x) = 0; x has mean {wide.mean:g} and deviation "
          "{wide.deviation:g}. Does Post-LN, LN(x + F(x)), return x?"),
        (Option(T("给出 x", "yes, x"), lambda m: below(m.at_zero.post, 1e-3),
                T("讲义这么说。LN 改掉均值和大小。",
                  "the notes say so. LN changes the mean and the size.")),
         Option(T("差一点点", "almost"),
                lambda m: both(above(m.at_zero.post, 1e-3), below(m.at_zero.post, 0.2)),
                T("均值约零、标准差约一的才是这样：偏离 {identity.unit_512.off}。",
                  "so it is with mean near zero and deviation near one: off by "
                  "{identity.unit_512.off}.")),
         Option(T("差很远", "far off"), lambda m: above(m.at_zero.post, 0.2))),
        answer=Claim("pre_norm_keeps_x", T(
            "偏离 {at_zero.post}，就是表里均值约 {wide.mean} 的那一行。Pre-LN 的 x + F(LN(x)) 才给"
            "出 x，偏离 "
            "{at_zero.pre}：归一化不在主路上，在支路门口。",
            "Off by {at_zero.post}, the table's row of mean near {wide.mean}. It is Pre-LN, x + "
            "F(LN(x)), that "
            "returns x, off by {at_zero.pre}: its norm stands at the door of the branch, not on "
            "the main path."),
            lambda m: both(above(m.at_zero.post, 0.5), below(m.at_zero.pre, NO_CHANGE),
                           near(m.at_zero.post, m.identity.wide.off, 1e-9)),
            "norm_on_the_stream", kind="example", given=("wide.mean",))),),
    pins={"sizes.*": exact("settings"), "features": exact("a setting"),
          "words.*": exact("names"), "numbers.*": exact("names"),
          "moved.layer.*": exact("true zeros"), "alone.batch": exact("a true zero"),
          "at_zero.pre": exact("a true zero"), "half.*": exact("float16 is a standard"),
          "moved.batch.b8": exact("a true zero"), "defaults.*": exact("settings"),
          "counted.moves.layer": ROUNDING, "identity.unit_*.mean": ARITHMETIC,
          "identity.normed*.mean": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["norms"],
    notes=T(
        "约 6 分钟。请学生照例子算第二个数。投票之后看偏离表，从均值、标准差两列读出什么时候约等于 "
        "x。--more 的热图先不说哪张是哪张，让学生看出方向。争论点：ResNet 用批归一化为什么没事？（"
        "图像的批大；句子长短不一，批常常小。）试试 --set 2.eps=0.1：连自己的输出也不再原样回来。",
        "About 6 minutes. Let the class work out the second number. Vote, then read from mean and "
        "deviation when LN(x) is about x. Behind --more: show the maps without saying which is "
        "which and let the class find the direction. The argument: why is batch norm fine in "
        "ResNets? (Large batches of images; sentences differ in length, batches are often small.) "
        "Try --set 2.eps=0.1: then not even its own output comes back."),
)
