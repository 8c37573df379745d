"""Demo 11: what the lecture notes say of cost, beside what its parts measure.

`says` tells the notes' statement in our words. Rows B-089, B-095, B-097, B-102 and B-104
of the audit are right, and B-087 (a threshold of a hundred tokens) cannot be checked:
the caveat of part 4 says so.
"""

from lecture.report import Erratum, T

GROWTH = (
    Erratum(
        "B-090", "measured",
        T("一千个 token、宽 512，注意力约五亿次乘加。",
          "A thousand tokens at width 512: attention takes about half a billion."),
        T("那只是一次 n·n·d。算分数一次，给值加权又一次，共 {short[attention]:,}；而整层要 "
          "{short[total]:,}，注意力只占 {short[share]:.1%}。",
          "That is n·n·d once. Scores take it once and mixing the values again, "
          "{short[attention]:,} in all; and of the whole layer's {short[total]:,} that is only "
          "{short[share]:.1%}."),
        metric="short.attention", notes=512e6, within=0.5e6),
    Erratum(
        "B-091", "measured",
        T("一万个 token 约五百亿次。", "Ten thousand tokens: about fifty billion."),
        T("同样少算了一次：{long[attention]:,}；整层 {long[total]:,}。",
          "Again one of two products: {long[attention]:,}, and {long[total]:,} for the layer."),
        metric="long.attention", notes=512e8, within=0.5e8),
    Erratum(
        "B-092", "measured",
        T("长度变十倍，计算变一百倍。", "Ten times the length, a hundred times the work."),
        T("只有 n·n 的两次乘法如此；整层是 {ratio[layer]:.1f} 倍，因为投影和前馈只变 "
          "{ratio[rest]:g} 倍。",
          "True of the two n·n products only; the layer costs {ratio[layer]:.1f} times as much, "
          "since projections and MLP grow by {ratio[rest]:g}."),
        metric="ratio.layer", notes=100.0, within=0.5),
)

MEMORY = (
    Erratum(
        "B-082", "measured",
        T("内存主要被前馈层占了，不是注意力。", "Memory goes mostly to the MLP, not to attention."),
        T("参数是这样；激活不是。从 n = {crossing} 起，一层的注意力权重比前馈的激活多；"
          "n = {activations[2][n]:,} 时是 {activations[2][ratio]:.3g} 倍。",
          "True of parameters, not of activations: from n = {crossing} on a layer has more "
          "attention weights than MLP activations, {activations[2][ratio]:.3g} times as many at "
          "n = {activations[2][n]:,}."),
        metric="activations.2.ratio"),
    Erratum(
        "B-093", "measured",
        T("一层的参数是四个投影矩阵加两个前馈矩阵。",
          "A layer's parameters are four projections and two MLP matrices."),
        T("还有偏置和归一化，而且要乘层数：每层 {block:,}，共 {layers} 层。",
          "Biases and norms as well, and times the layers: {block:,} a layer, {layers} layers."),
        metric="block", notes=12582912.0, within=0.5),
    Erratum(
        "B-094", "measured",
        T("激活与序列长度成正比。", "Activations grow in proportion to the length."),
        T("不成正比：同一张清单里就有 n·n 的权重。长度从两千翻到四千，一层的全部激活变 "
          "{all_growth:.2f} 倍。",
          "They do not: the same list holds n·n weights. From two to four thousand tokens all of "
          "a layer's activations grow {all_growth:.2f} times."),
        metric="all_growth", notes=2.0, within=0.01),
    Erratum(
        "B-096", "measured",
        T("注意力权重是一个 n×n 的矩阵，总是大头。",
          "The attention weights are one n×n matrix, and always the big part."),
        T("每个头一个：h·n·n，再乘批大小。n = {activations[2][n]:,} 时 {activations[2][weights]:,} "
          "个；而 n = {activations[0][n]} 时只有前馈激活的 {activations[0][ratio]:.3g} 倍。",
          "One for each head: h·n·n, times the batch. {activations[2][weights]:,} at "
          "n = {activations[2][n]:,}; and at n = {activations[0][n]} only "
          "{activations[0][ratio]:.3g} "
          "times the MLP's."),
        metric="activations.2.weights", notes=1048576.0, within=0.5),
    Erratum(
        "B-098", "measured",
        T("GPT-2 medium 有 3.45 亿参数。", "GPT-2 medium has 345 million parameters."),
        T("逐个张量数是 {total:,}。", "Counted tensor by tensor: {total:,}."),
        metric="total", notes=345e6, within=0.5e6),
    Erratum(
        "B-099", "measured",
        T("它的参数占约 350 MB。", "Its parameters take about 350 MB."),
        T("float32 是 {stored[float32][gb]:.2f} GB，float16 {stored[float16][gb]:.2f} GB；"
          "350 MB 要一个参数一字节。",
          "{stored[float32][gb]:.2f} GB in float32, {stored[float16][gb]:.2f} GB in float16; "
          "350 MB takes one byte a parameter."),
        metric="stored.float32.gb", notes=0.35, within=0.005),
    Erratum(
        "B-100", "measured",
        T("全精度训练约 2.8 GB。", "Training in full precision takes about 2.8 GB."),
        T("参数、梯度、Adam 的两份统计：每个参数 {training[adam][each]:g} 字节，"
          "{training[adam][gb]:.2f} GB，还没算激活。2.8 GB 是漏掉了 Adam。",
          "Weights, gradients and Adam's two averages: {training[adam][each]:g} bytes a parameter, "
          "{training[adam][gb]:.2f} GB before activations. 2.8 GB leaves Adam out."),
        metric="training.adam.gb", notes=2.8, within=0.05),
    Erratum(
        "B-101", "measured",
        T("混合精度约 1.5 GB，几乎省一半。", "Mixed precision takes about 1.5 GB, nearly half."),
        T("半精度的参数和梯度之外，还有 float32 底稿和 Adam 的两份统计："
          "{training[mixed][each]:g} 字节，{training[mixed][gb]:.2f} GB；梯度用 float32 则 "
          "{training[mixed_wide][gb]:.2f} GB。省的是激活。",
          "Beside half-precision weights and gradients stand a float32 master and Adam's two "
          "averages: {training[mixed][each]:g} bytes, {training[mixed][gb]:.2f} GB, with float32 "
          "gradients {training[mixed_wide][gb]:.2f} GB. What shrinks are activations."),
        metric="training.mixed.gb", notes=1.5, within=0.05),
)

WAYS_OUT = (
    Erratum(
        "B-103", "measured",
        T("分块注意力省内存 2 到 4 倍。", "Tiled attention saves memory by a factor of 2 to 4."),
        T("没有固定倍数：最大的数组小 {smaller[0]:g}、{smaller[1]:g}、{smaller[2]:g} 倍，"
          "随长度增长。",
          "No fixed factor: the largest array is {smaller[0]:g}, {smaller[1]:g}, {smaller[2]:g} "
          "times smaller, growing with the length."),
        metric="smaller.2", notes=3.0, within=1.0),
    Erratum(
        "B-105", "measured",
        T("Longformer、BigBird 是 n√n 或 n log n。",
          "Longformer and BigBird take n√n or n log n."),
        T("窗口是线性的：长度翻倍，对数 ×{pairs[window][growth][1]:.2f}（n√n 应是 2.83）。"
          "n√n 的是 Sparse Transformer（跳步，×{pairs[strided][growth][1]:.2f}），n log n 的是 "
          "Reformer。",
          "A window is linear: ×{pairs[window][growth][1]:.2f} pairs a doubling (n√n would be "
          "2.83). n√n is the Sparse Transformer (strides, ×{pairs[strided][growth][1]:.2f}), "
          "n log n is Reformer."),
        metric="pairs.window.growth.1", notes=2.83, within=0.1),
    Erratum(
        "B-106", "measured",
        T("线性注意力的计算与序列长度无关。",
          "Linear attention's work does not depend on the length."),
        T("它与长度成正比：翻倍 ×{ways[linear][growth][1]:.2f}。与长度无关的是状态："
          "{state[2]:,} 个数。",
          "It grows in proportion: ×{ways[linear][growth][1]:.2f} a doubling. What does not grow "
          "is the state: {state[2]:,} numbers."),
        metric="ways.linear.growth.1", notes=1.0, within=0.01),
    Erratum(
        "B-107", "reading",
        T("Mamba 是线性注意力的代表。", "Mamba is an example of linear attention."),
        T("Mamba 是选择性状态空间模型；线性注意力的代表是 Linear Transformer 和 Performer。",
          "Mamba is a selective state-space model; linear attention is the Linear Transformer "
          "or Performer.")),
)

CHOICE = (
    Erratum(
        "B-088", "measured",
        T("流式、实时、显存紧就用 RNN。",
          "For streams, real time and little memory take an RNN."),
        T("因果 Transformer 也能流式：新词来了，前面的输出不动。可量的差别是状态：n = "
          "{lengths[2]:,} 时 {models[recurrent][kept][2]:,} 个数对 "
          "{models[transformer][kept][2]:,} 个。",
          "A causal Transformer streams too: a new word leaves the earlier outputs as they are. "
          "What can be measured is the state: {models[recurrent][kept][2]:,} numbers against "
          "{models[transformer][kept][2]:,} at n = {lengths[2]:,}."),
        metric="streams.causal", format=".6g<1e-12"),
)

ERRATA = {"growth": GROWTH, "memory": MEMORY, "ways_out": WAYS_OUT, "choice": CHOICE}
