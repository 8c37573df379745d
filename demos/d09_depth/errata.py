"""Demo 09: what the lecture notes say, beside what its parts measure.

All rows are of the theory sheet. `says` tells the notes' statement in our words, `right`
begins with the reading under which it is right, where there is one. B-082 (what fills the
memory) is demo 11's. Withdrawn: B-059 (a rounded power) and B-067 (the notes' own formula
has the norm in it).
"""

from lecture.report import Erratum, T

GRADIENT = (
    Erratum(
        "B-063", "measured", where="002:417", verdict="wrong",
        says=T("F 的导数很大、梯度爆炸时，残差的加一把它拉回来。",
               "Where the derivative of F is large and gradients explode, the residual's plus one "
               "pulls them back."),
        right=T("斜率是负的时候可以对：{slopes.falling.slope} 的 {layers.many} 层剩 "
                "{slopes.falling.residual.many}。{slopes.strong.slope} 的从 "
                "{slopes.strong.plain.many:,.0f} 变成 {slopes.strong.residual.many}；抽来的矩阵，"
                "同样的斜率从 {branch.plain} 变成 {branch.residual}。",
                "It can be right of negative slopes: {slopes.falling.slope} leaves "
                "{slopes.falling.residual.many} after {layers.many} layers. "
                "{slopes.strong.slope} goes from {slopes.strong.plain.many:,.0f} to "
                "{slopes.strong.residual.many}; drawn matrices of that slope from {branch.plain} "
                "to {branch.residual}."),
        metric="slopes.strong.residual.many"),
    Erratum(
        "B-064", "measured", where="002:420", verdict="misleading",
        says=T("不管主路怎样，恒等映射永远保证梯度能传回去。",
               "Whatever the main path does, the identity always guarantees that the gradient "
               "gets back."),
        right=T("若说恒等这一项总在和里，对。和可以是零：一个块的支路是 F(x) = -x，它上面的梯度是 "
                "{opposite.above.2}，底层是 {opposite.below.2}。",
                "Right if it says that the identity is always a term of the sum. The sum can be "
                "zero: with one branch F(x) = -x the gradient above it is {opposite.above.2} and "
                "at the bottom {opposite.below.2}."),
        metric="opposite.below.2"),
)

NORMS = (
    Erratum(
        "B-066", "measured", where="002:430-431", verdict="wrong",
        says=T("F(x) 约等于零时，LayerNorm(x) 约等于 x，成了恒等映射，模型不会变差。",
               "Where F(x) is about zero, LayerNorm(x) is about x, an identity, and the model gets "
               "no worse."),
        right=T("x 的均值约为零、标准差约为一时对：偏离 {identity.unit_512.off:.2f}。均值 "
                "{wide.mean:g}、标准差 {wide.deviation:g} 的偏离 {identity.wide.off:.2f}。LN 做两"
                "次和做一次一样，但它不是恒等；恒等的是 Pre-LN，x + F(LN(x))。",
                "Right where x has a mean of about zero and a deviation of about one: off by "
                "{identity.unit_512.off:.2f}. With mean {wide.mean:g} and deviation "
                "{wide.deviation:g} it is off by {identity.wide.off:.2f}. LN twice is LN once, "
                "yet no identity; that is Pre-LN, x + F(LN(x))."),
        metric="identity.wide.off"),
    Erratum(
        "B-070", "measured", where="002:451", verdict="imprecise",
        says=T("ε = {notes:g}，防止除以零。", "ε = {notes:g} keeps us from dividing by zero."),
        right=T("用 float32 算时对。torch 默认 {defaults.torch:g}，BERT {defaults.bert:g}，T5 "
                "{defaults.t5:g}。若每一步都用 float16，它存成 {half.noted.stored:g}，一行相同的数"
                "就成了零除以零；torch 的层归一化内部用 float32，没有这个毛病。",
                "Right in float32. torch's default is {defaults.torch:g}, BERT has "
                "{defaults.bert:g}, T5 {defaults.t5:g}. With every step in float16 it is stored as "
                "{half.noted.stored:g}, and a row of equal numbers becomes zero over zero; torch's "
                "own layer norm works in float32 inside and is spared."),
        metric="half.noted.stored", notes=1e-8, within=5e-9, format="g"),
)

PARAMETERS = (
    Erratum(
        "B-081", "measured", where="002:532", verdict="misleading",
        says=T("FFN 占 Transformer 约三分之二的参数。",
               "The FFN has about two thirds of a Transformer's parameters."),
        right=T("一个编码器层、一个 GPT 的块是这样，{models.encoder.share}。有交叉注意力的解码器层 "
                "{models.decoder.share}；连嵌入表算，GPT-2 small {models.small.share}，XL "
                "{models.xl.share}。",
                "So it is of an encoder layer or a GPT block, {models.encoder.share}. A decoder "
                "layer with cross-attention has {models.decoder.share}; with its tables GPT-2 "
                "small has {models.small.share}, XL {models.xl.share}."),
        metric="models.small.share", format=".4f"),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "gradient": GRADIENT, "norms": NORMS, "parameters": PARAMETERS,
}
