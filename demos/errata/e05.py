"""Demo 05: what the lecture notes say, beside what its parts measure.

Rows A are the notes on architecture, rows B the theory sheet. `says` tells the notes'
statement in our words. A-014 (weights of an ambiguous word) cannot be checked: no
sentence and no model is given. A-018, the query that is said to know its sentence, is
demo 02's.
"""

from lecture.report import Erratum, T

ROLES = (
    Erratum(
        "A-017", "measured",
        T("查询和键若是同一个东西，就只有一模一样的词才找得到。",
          "If query and key are one, only the very same word can be found."),
        T("相似度照样是连续的：表里没有的近义词每次都找到原词。真正的后果是分数矩阵对称、"
          "每个词最看自己。",
          "Similarity stays graded: a neighbour that is not in the list finds the word every "
          "time. What sharing does cause is a symmetric score matrix, and every word looking "
          "most at itself."),
        metric="drawn.shared.unit.near_found", notes=0.0, within=0.5),
    Erratum(
        "B-034", "reading",
        T("“我爱AI”里，“爱”的查询在找主语，例子却问“谁来爱我”。",
          "In '我爱AI' the query of '爱' seeks its subject, yet the example asks who loves me."),
        T("这句话里“我”是主语；问主语的问题是“谁在爱”。",
          "In this sentence '我' is the subject; the question that asks for it is: who loves?")),
)

SHARING = (
    Erratum(
        "A-019", "measured",
        T("V = K 让一个向量身兼两职，表达能力就受限。",
          "V = K makes one vector do two jobs and so limits what can be expressed."),
        T("要看宽度。头宽 8 时五次训练都是满分，和三个矩阵一样；窄到 2 才垮。键和值里放什么，也没有"
          "规定。",
          "It depends on the width. With a head of 8 all five trainings get full marks, as with "
          "three matrices; only at 2 it breaks. Nor is it laid down what keys and values hold."),
        metric="record.right.shared_kv.mean"),
)

SHAPES = (
    Erratum(
        "A-016", "measured",
        T("处理 cat 时三个词的权重是 0.2、1.0、0.7，取回的是这样加权的和。",
          "For cat the three words weigh 0.2, 1.0 and 0.7, and the output is that sum."),
        T("它们加起来是 1.9，是分数。取 softmax 之后中间那个是 .4566，三个的和是一。",
          "They sum to 1.9: these are scores. After softmax the middle one is .4566 and the "
          "three sum to one."),
        metric="noted.weights.1", notes=1.0, within=0.05),
    Erratum(
        "A-020", "measured",
        T("三个矩阵各占一个子空间，总容量最多 192 维。",
          "Three matrices with a subspace each have room for up to 192 dimensions."),
        T("192 是三个矩阵并排的秩；一个头的输出只在 W_V 的方向里，秩是 64，共用一个矩阵时也是 64。",
          "192 is the rank of the three matrices side by side; the output of a head lies in the "
          "directions of W_V alone, rank 64, which is also what one shared matrix gives."),
        metric="ranks.separate", notes=192, within=0.5),
    Erratum(
        "A-021", "measured",
        T("三个 64 维的投影之后，注意力的输出是 512 维。",
          "After three projections to 64 the output of attention has 512 dimensions."),
        T("一个头给出 64 维，讲义自己的代码也是；回到 512 维要再乘 W_O，图里没有它。",
          "A head gives 64, in the notes' own code too; 512 needs one more matrix, W_O, which "
          "the drawing leaves out."),
        metric="shapes.out.2", notes=512, within=0.5),
    Erratum(
        "A-022", "code",
        T("四种共用方式的对比代码。", "Code that compares four ways of sharing."),
        T("三个类没有先调用父类的 __init__，一建就报 AttributeError；forward 也没有返回值（None）。"
          "能跑的对比在第 2 部分。",
          "Three of the classes never call their parent's __init__ and raise AttributeError when "
          "built; what forward computes it does not return (None). A comparison that runs is "
          "part 2."),
        metric="code.raised"),
    Erratum(
        "B-042", "measured",
        T("一行权重写作从 0 到 n，也就是 n + 1 个。",
          "A row of weights is written from 0 to n, which makes n + 1 of them."),
        T("n 个词的一行有 n 个权重：这里 5 个词，5 个。",
          "For n words a row has n weights: 5 words here, and 5."),
        metric="sums.in_a_row", notes=6, within=0.5),
    Erratum(
        "B-078", "measured",
        T("编码器里 Q = K = V = 输入。", "In the encoder Q = K = V = the input."),
        T("相同的是输入；乘了三个不同的矩阵，得到三个不同的向量，余弦接近零。",
          "What is the same is the input; three different matrices make three different "
          "vectors of it, with a cosine near zero."),
        metric="alike.q_k", notes=1.0, within=0.05),
)

FORGED = (
    Erratum(
        "A-026", "measured",
        T("示例代码打印出一张 5×5 的权重，全在 0.18 到 0.23 之间。",
          "The example code prints five by five weights, all between 0.18 and 0.23."),
        T("不是这段代码的输出：两千次运行没有一次这么平，最大减最小平均 .23，印的是 .041。",
          "Not an output of that code: none of two thousand runs is as flat; largest minus "
          "smallest is .23 on average, .041 in print."),
        metric="runs.span.mean", notes=0.0411, within=0.00005),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "roles": ROLES, "sharing": SHARING, "shapes": SHAPES, "forged": FORGED,
}
