"""Demo 11: what the lecture notes say of cost, beside what its parts measure.

All rows are of the theory sheet (002). `says` tells the notes' statement in our words, `right`
begins with the reading under which it is right, where there is one. Rows B-089, B-095, B-097,
B-102 and B-104 of the audit are right; B-087 (a threshold of a hundred tokens) cannot be
checked: part 4 says under --more that none of its counts turns there.
"""

from lecture.report import Erratum, T

GROWTH = (
    Erratum(
        "B-090", "measured", where="002:596", verdict="imprecise",
        says=T("一千个 token，注意力约 {notes:,.0f} 次。",
               "A thousand tokens: attention takes about {notes:,.0f}."),
        right=T("若只指算分数，说得对。给值加权又是一次，共 {short.attention:,}，占整层 "
                "{short.total:,} 的 {short.share:.1%}。",
                "Right if only the scores are meant. Mixing the values takes as many again, "
                "{short.attention:,} in all; that is {short.share:.1%} of the layer's "
                "{short.total:,}."),
        metric="short.attention", notes=512e6, within=0.5e6),
    Erratum(
        "B-091", "measured", where="002:597", verdict="imprecise",
        says=T("一万个 token 约 {notes:,.0f} 次。", "Ten thousand tokens: about {notes:,.0f}."),
        right=T("同样只是两次里的一次：共 {long.attention:,}；整层 {long.total:,}。",
                "Again one of two products: {long.attention:,}, and {long.total:,} for the layer."),
        metric="long.attention", notes=512e8, within=0.5e8),
    Erratum(
        "B-092", "measured", where="002:593-599", verdict="misleading",
        says=T("n 远大于 d 时平方项主导；长度增长十倍（从一千到一万），计算量增长 {notes:g} 倍。",
               "Where n is far above d the square leads; ten times the length (a thousand to ten "
               "thousand) is {notes:g} times the work."),
        right=T("若指两次 n·n 的乘法，或 n 远大于 {crossing.n:,}，说得对。从一千到一万，整层是 "
                "{ratio.layer:.1f} 倍，因为投影和前馈只变成 {ratio.rest:g} 倍。",
                "Right of the two n·n products, or far beyond n = {crossing.n:,}. From a thousand "
                "to ten thousand the layer costs {ratio.layer:.1f} times as much, since "
                "projections and MLP grow {ratio.rest:g} times."),
        metric="ratio.layer", notes=100.0, within=0.5),
)

MEMORY = (
    Erratum(
        "B-082", "measured", where="002:533", verdict="imprecise",
        says=T("显存的大头主要在前馈层，不在注意力。",
               "Memory goes mostly to the MLP, not to attention."),
        right=T("若指参数，说得对：前馈 {groups.mlp.share:.1%}，注意力 "
                "{groups.attention.share:.1%}。激活不是：从 n = {crossing} 起，一层的注意力权重比"
                "前馈的激活多，n = {activations.2.n:,} 时是 {activations.2.ratio:.3g} 倍。",
                "Right of parameters: MLP {groups.mlp.share:.1%}, attention "
                "{groups.attention.share:.1%}. Not of activations: from n = {crossing} on a layer "
                "has more attention weights than MLP activations, {activations.2.ratio:.3g} times "
                "as many at n = {activations.2.n:,}."),
        metric="activations.2.ratio"),
    Erratum(
        "B-093", "measured", where="002:604-607", verdict="imprecise",
        says=T("参数：词嵌入，四个投影，两个前馈矩阵。",
               "Parameters: the embedding, four projections, two MLP matrices."),
        right=T("若指一层里的矩阵，说得对。要乘以层数，还有偏置和归一化：每层 {block:,}，共 "
                "{layers} 层。",
                "Right of one layer's matrices. There are biases and norms too, and it goes times "
                "the layers: {block:,} a layer, {layers} layers."),
        metric="block"),
    Erratum(
        "B-094", "measured", where="002:609", verdict="wrong",
        says=T("激活与序列长度成正比。", "Activations grow in proportion to the length."),
        right=T("除了注意力权重，说得对；同一张清单里的权重是 n×n。长度从 "
                "{half:,} 到 {activations.3.n:,}，一层的激活一共变成 {all_growth:.2f} 倍。",
                "Right of all but the attention weights, which stand in the same list as n×n. "
                "From {half:,} to {activations.3.n:,} tokens a layer's activations grow "
                "{all_growth:.2f} times together."),
        metric="all_growth"),
    Erratum(
        "B-096", "measured", where="002:611", verdict="imprecise",
        says=T("注意力权重矩阵是 n×n，这是大头。",
               "The attention weights, n×n, are the big part."),
        right=T("长的文本说得对，而且每个头一个：n = {activations.2.n:,} 时一层 "
                "{activations.2.weights:,} 个。n = {activations.0.n} 时它只有前馈激活的 "
                "{activations.0.ratio:.3g} 倍。",
                "Right of long texts, and there is one for each head: "
                "{activations.2.weights:,} in a layer at n = {activations.2.n:,}. At "
                "n = {activations.0.n} it is {activations.0.ratio:.3g} times the MLP's."),
        metric="activations.2.weights"),
    Erratum(
        "B-098", "measured", where="002:617", verdict="imprecise",
        says=T("GPT-2 medium 有 {notes:,.0f} 个参数。",
               "GPT-2 medium has {notes:,.0f} parameters."),
        right=T("这是当年公布的约数。逐个张量数是 {total:,}。",
                "The round figure once published. Counted tensor by tensor: {total:,}."),
        metric="total", notes=345e6, within=0.5e6),
    Erratum(
        "B-099", "measured", where="002:618", verdict="wrong",
        says=T("它的参数约 {notes:g} MB。", "Its parameters take about {notes:g} MB."),
        right=T("一个参数一字节时说得对。float32 是 {stored.float32.mb:,.0f} MB，float16 "
                "{stored.float16.mb:,.0f} MB。",
                "Right at one byte a parameter. In float32 it is {stored.float32.mb:,.0f} MB, in "
                "float16 {stored.float16.mb:,.0f} MB."),
        metric="stored.float32.mb", notes=350.0, within=5.0, format=",.0f"),
    Erratum(
        "B-100", "measured", where="002:615 002:619", verdict="wrong",
        says=T("全精度训练约 {notes:g} GB；Adam 另要两倍参数的状态。",
               "Training in full precision takes about {notes:g} GB; Adam's state is twice the "
               "parameters."),
        right=T("只算参数和梯度时说得对（{training.sgd.gb:.2f} GB）。加上后半句的两份状态，每个参"
                "数 {training.adam.each:g} 字节，{training.adam.gb:.2f} GB，还没算激活。",
                "Right of weights and gradients alone ({training.sgd.gb:.2f} GB). With the state "
                "of the second half it is {training.adam.each:g} bytes a parameter, "
                "{training.adam.gb:.2f} GB before activations."),
        metric="training.adam.gb", notes=2.8, within=0.05),
    Erratum(
        "B-101", "measured", where="002:620", verdict="wrong",
        says=T("混合精度约 {notes:g} GB，省了快一半。",
               "Mixed precision takes about {notes:g} GB, nearly half."),
        right=T("若指激活的字节，或样样都存成十六位（{training.pure.gb:.2f} GB），能省一半。通常的"
                "混合精度还留着 float32 的主权重副本和一阶、二阶矩：{training.mixed.each:g} 字节，"
                "{training.mixed.gb:.2f} GB。",
                "Half is right of the bytes of activations, or where all is stored in sixteen bits "
                "({training.pure.gb:.2f} GB). The usual mixed precision keeps a float32 master "
                "copy and both of Adam's moments: {training.mixed.each:g} bytes, "
                "{training.mixed.gb:.2f} GB."),
        metric="training.mixed.gb", notes=1.5, within=0.05),
)

WAYS_OUT = (
    Erratum(
        "B-103", "measured", where="002:626", verdict="misleading",
        says=T("分块注意力的显存减少两到四倍。",
               "Tiled attention cuts memory by a factor of two to four."),
        right=T("若指一个模型训练时的全部显存，要看别的张量占多少，这里没有量。注意力自己的最大数组"
                "没有固定倍数：降到 {smaller.0:g} 分之一、{smaller.1:g} 分之一、{smaller.2:g} 分之"
                "一，越长越小。",
                "For all the memory of a training model it depends on the other tensors, which "
                "are not measured here. Attention's own largest array has no fixed factor: it "
                "falls to one part in {smaller.0:g}, {smaller.1:g}, {smaller.2:g} as texts get "
                "longer."),
        metric="smaller.2"),
    Erratum(
        "B-105", "measured", where="002:629-632", verdict="imprecise",
        says=T("稀疏注意力以 Longformer、BigBird 为代表，是 n√n 或 n log n。",
               "Sparse attention, such as Longformer and BigBird, takes n√n or n log n."),
        right=T("若指整个家族，说得对：n√n 是 Sparse Transformer（跨步，长度翻倍 "
                "×{pairs.strided.growth.1:.2f}），n log n 是 Reformer。举的两个以窗口为主，线性："
                "×{pairs.window.growth.1:.2f}。",
                "Right of the family: n√n is the Sparse Transformer (strides, "
                "×{pairs.strided.growth.1:.2f} a doubling), n log n Reformer. The two that are "
                "named use mostly windows, which are linear: ×{pairs.window.growth.1:.2f}."),
        metric="pairs.window.growth.1"),
    Erratum(
        "B-106", "measured", where="002:636", verdict="wrong",
        says=T("线性注意力是 O(n × d^2)，和序列长度无关。",
               "Linear attention is O(n × d^2), independent of the length."),
        right=T("前半句对，所以后半句不对：长度翻倍，乘加 ×{ways.linear.growth.1:.2f}。与长度无关的"
                "是状态：{kept.linear.2:,} 个数。",
                "The first half is right, and so the second is not: ×{ways.linear.growth.1:.2f} "
                "multiply-adds a doubling. What does not grow is the state: {kept.linear.2:,} "
                "numbers."),
        metric="ways.linear.growth.1"),
    Erratum(
        "B-107", "reading", where="002:637", verdict="imprecise",
        says=T("线性注意力的代表有 Performer 和 Mamba。",
               "Examples of linear attention: Performer and Mamba."),
        right=T("Performer 是；Mamba-2 的作者也把它写成一种线性注意力。第一代 Mamba 是选择性状态空"
                "间模型，它的状态按输入逐步衰减，不是单纯的累加。",
                "Performer is; and Mamba-2 is presented by its authors as a form of it. The first "
                "Mamba is a selective state-space model: its state fades as the input says, "
                "and is no plain sum.")),
)

CHOICE = (
    Erratum(
        "B-088", "measured", where="002:587-590", verdict="misleading",
        says=T("超长、流式、实时、显存紧，就选 RNN。",
               "For very long streams, real time and little memory take an RNN."),
        right=T("显存那条对：n = {lengths.3:,} 时一层 {models.recurrent.kept.3:,} 个数对 "
                "{models.transformer.kept.3:,} 个。流式不是 RNN 独有：新词来了，因果 Transformer "
                "前面的输出只动 {streams.causal.moved:.1g<1e-12}。",
                "Right of memory: {models.recurrent.kept.3:,} numbers a layer against "
                "{models.transformer.kept.3:,} at n = {lengths.3:,}. But a causal Transformer "
                "streams too: a new word moves its earlier outputs by "
                "{streams.causal.moved:.1g<1e-12}."),
        metric="streams.causal.moved", format=".6g<1e-12"),
)

ERRATA = {"growth": GROWTH, "memory": MEMORY, "ways_out": WAYS_OUT, "choice": CHOICE}
