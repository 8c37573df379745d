"""Demo 09: what the lecture notes say, beside what its parts measure.

All rows are of the theory sheet. `says` tells the notes' statement in our words. B-082
(what fills the memory) is demo 11's.
"""

from lecture.report import Erratum, T

GRADIENT = (
    Erratum(
        "B-059", "measured",
        T("每层 0.8，五十层之后剩 0.00001。", "At .8 a layer, .00001 is left after fifty."),
        T("剩 1.43e-5；讲义把它舍成了 1e-5。", "1.43e-5 is left; the notes cut it to 1e-5."),
        metric="noted.weak.power", notes=1e-5, within=5e-8),
    Erratum(
        "B-063", "measured",
        T("梯度爆炸时，残差的加一会把它拉回来。",
          "Where gradients explode, the residual's plus one pulls them back."),
        T("加一让每层的倍数更大：2.2 的五十次方是 1.3e17，没有残差是 9100。控制爆炸的是归一化和"
          "初值。",
          "One more makes every factor larger: 2.2 to the fiftieth is 1.3e17, against 9,100 "
          "without. What keeps explosion in check is the norm and the start."),
        metric="noted.strong_plus_one.power"),
    Erratum(
        "B-064", "measured",
        T("恒等通路永远保证梯度能传回去。",
          "The identity path always guarantees that the gradient gets back."),
        T("通常有帮助，并不保证：支路是 F(x) = -x 时，梯度正好是零。",
          "It usually helps and guarantees nothing: with a branch F(x) = -x the gradient is "
          "exactly "
          "zero."),
        metric="opposite.below.2"),
    Erratum(
        "B-067", "measured",
        T("有了残差，所以 Transformer 能堆几十层、上百层。",
          "The residual is why Transformers can be stacked dozens or a hundred deep."),
        T("光有残差，一百个块的梯度是一亿倍以上；还要归一化（这里后归一化 1.8 倍，前归一化 6.8 "
          "倍），或者更小的初值。",
          "With a residual alone a hundred blocks multiply the gradient by more than a hundred "
          "million; it takes a norm as well (here 1.8 times with post-norm, 6.8 with pre-norm), or "
          "a smaller start."),
        metric="bottom.residual.d100"),
)

NORMS = (
    Erratum(
        "B-066", "measured",
        T("子层什么也没学到时，LayerNorm(x) 约等于 x，成了恒等映射。",
          "Where a sub-layer learns nothing, LayerNorm(x) is about x, an identity map."),
        T("LN 是投影，不是恒等：均值五、标准差三的输入偏离约 .92，[1, 2, 3, 4] 偏离 .91。"
          "做两次和做一次一样，除非学了 γ。前归一化 x + F(LN(x)) 才是恒等。",
          "LN is a projection, no identity: inputs of mean five and deviation three are off by "
          "about .92, [1, 2, 3, 4] by .91. Twice is the same as once, unless a γ is learned. The "
          "identity is pre-norm, x + F(LN(x))."),
        metric="identity.wide", notes=0.0, within=0.05),
    Erratum(
        "B-070", "measured",
        T("ε 取 1e-8，防止除以零。", "ε is 1e-8 and keeps us from dividing by zero."),
        T("库的默认值是 1e-5。1e-8 在 float16 里存成零，一行相同的数就成了零除以零。",
          "The libraries' default is 1e-5. In float16 1e-8 is stored as zero, and a row of equal "
          "numbers becomes zero over zero."),
        metric="half.noted.stored", notes=1e-8, within=5e-9),
)

PARAMETERS = (
    Erratum(
        "B-081", "measured",
        T("FFN 占 Transformer 约三分之二的参数。",
          "The FFN has about two thirds of a Transformer's parameters."),
        T("只对没有词表的编码器块或 GPT 块成立。解码器块是一半；GPT-2 small 连词表 .4554，"
          "medium .5677，XL .6314；六层加六层连共用词表 .3994。",
          "Only for encoder or GPT blocks without tables. Of a decoder block it is half; of GPT-2 "
          "small with its tables .4554, of medium .5677, of XL .6314; of six and six layers with a "
          "shared table .3994."),
        metric="models.small.share", notes=0.6667, within=0.005),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "gradient": GRADIENT, "norms": NORMS, "parameters": PARAMETERS,
}
