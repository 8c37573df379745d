"""Demo 05: what the lecture notes say, beside what its parts measure.

Rows A are the notes on architecture, rows B the theory sheet. `says` tells the notes'
statement in our words. A-014 (weights of an ambiguous word) cannot be checked: no sentence
and no model is given. A-018, the query that is said to know its sentence, is demo 02's.
A-020 ("up to 192 dimensions") is withdrawn: 192 is the rank of the three matrices side by
side, and the notes do not say that a head's output has it.
"""

from lecture.report import Erratum, T

ROLES = (
    Erratum(
        "A-017", "measured", where="000:194-196", verdict="misleading",
        says=T("查询若就是键，只有输入一模一样的标签才找得到，语义上的匹配做不到。",
               "If the query is the key, only typing the very label finds anything; a match by "
               "meaning is not to be had."),
        right=T("若拿标签的字面去比，没有错。拿共用矩阵的向量去比就不是这样：词表里没有的近义词"
                "（余弦 {like}）去问，{words} 次里 {drawn.shared.unit.near_found} 次找到原词。共用"
                "的后果是分数对称；差不多长的词，多半最看自己。",
                "Right if the letters of labels are compared. With the vectors of a shared matrix "
                "it is not so: a synonym that is not in the list (cosine {like}) finds the word "
                "{drawn.shared.unit.near_found} times of {words}. What sharing brings is symmetric "
                "scores, and words of like length that mostly look at themselves."),
        metric="drawn.shared.unit.near_found"),
    Erratum(
        "B-034", "reading", where="002:229", verdict="imprecise",
        says=T("“我爱AI”里，“爱”的查询在找主语，例子却问“谁来爱我”。",
               "In '我爱AI' the query of '爱' seeks its subject, yet the example asks who loves "
               "me."),
        right=T("找主语，说得对。这句话里“我”就是主语，问主语的问题是“谁在爱”。",
                "That it seeks a subject is right. In this sentence '我' is the subject, and the "
                "question that asks for it is: who loves?")),
)

SHARING = (
    Erratum(
        "A-019", "measured", where="000:223-225", verdict="imprecise",
        says=T("V = K 让一个向量身兼两职，表达能力就受限。",
               "V = K makes one vector do two jobs, and so limits what can be expressed."),
        right=T("若说的是更难训练，头宽 {heads.narrow} 时没有错：{seeds} 次解出 "
                "{record.narrow.shared_kv.solved} 次；头宽 {heads.right} 时 "
                "{record.right.shared_kv.solved} 次全解出。说装不下就不对：头宽 {heads.narrow} 手工"
                "设的权重答对 {held.by_hand}。",
                "Right if “harder to train” is meant and the head has {heads.narrow} numbers: "
                "{record.narrow.shared_kv.solved} of {seeds} trainings solve it; with "
                "{heads.right} numbers {record.right.shared_kv.solved} do. A limit of what fits it "
                "is not: with {heads.narrow}, weights set by hand get {held.by_hand}."),
        metric="held.by_hand", format=".1%"),
)

SHAPES = (
    Erratum(
        "A-016", "measured", where="000:181-187", verdict="wrong",
        says=T("处理 cat 时按 {noted.given.0}、{notes:.1f}、{noted.given.2} 把三个词的值加权求和。",
               "For cat the values of the three words are summed with the weights {noted.given.0}, "
               "{notes:.1f} and {noted.given.2}."),
        right=T("当作相关的程度（分数），没有错。当作权重，它们合计 {noted.sum}；取 softmax 之后中"
                "间"
                "那个是 {noted.weights.1}，三个的和是一。",
                "Right as relevance, that is as scores. As weights they sum to {noted.sum}; after "
                "softmax the middle one is {noted.weights.1}, and the three sum to one."),
        metric="noted.weights.1", format=".4f", notes=1.0, within=0.05),
    Erratum(
        "A-021", "measured", where="000:238-247", verdict="imprecise",
        says=T("三个 {shapes.q.2} 维的投影合起来，输出是 {notes:g} 维。",
               "Three projections to {shapes.q.2} are combined, and the output has {notes:g} "
               "dimensions."),
        right=T("若把 W_O 算在里面，没有错。一个头给出 {shapes.out.2} 维，讲义自己的代码也是；回到 "
                "{shapes.joined.2} 维的 W_O，图里没有。",
                "Right if W_O is meant to be inside. A head gives {shapes.out.2}, in the notes' "
                "own code too; W_O, which makes {shapes.joined.2} of it, is not in the drawing."),
        metric="shapes.out.2", notes=512, within=0.5),
    Erratum(
        "A-022", "code", where="000:261-289", verdict="wrong",
        says=T("四种共用方式的对比代码。", "Code that compares four ways of sharing."),
        right=T("四种方式分得对。照印出的样子运行（torch {code.torch}）：{code.classes} 个类里 "
                "{code.fail} 个没有先调用父类的 __init__，一建就报 {code.raised}；余下一个的 "
                "forward 返回 {code.returned}。能跑的对比在第 2 部分。",
                "The four ways are told apart rightly. Run as printed (torch {code.torch}): "
                "{code.fail} of {code.classes} classes never call their parent's __init__ and "
                "raise {code.raised} when built; the forward of the other returns "
                "{code.returned}. A comparison that runs is part 2."),
        metric="code.raised"),
    Erratum(
        "B-042", "measured", where="002:277", verdict="imprecise",
        says=T("一行权重的下标从零写到 n。", "The weights of a row are numbered from zero to n."),
        right=T("若 n 是最后一个词的编号，从零数起，没有错。若 n 是词数，就多了一个：这里 "
                "{shapes.x.1} 个词，一行 {sums.in_a_row} 个权重。",
                "Right if n is the number of the last word, counted from zero. If n is how many "
                "words there are, it is one too many: here {shapes.x.1} words, {sums.in_a_row} "
                "weights in a row."),
        metric="sums.in_a_row"),
    Erratum(
        "B-078", "measured", where="002:506", verdict="imprecise",
        says=T("编码器里 Q = K = V = 输入。", "In the encoder Q = K = V = the input."),
        right=T("若说的是三样出自同一个输入，没有错。各乘一个矩阵，得到三个不同的向量：Q 与 K 的平"
                "均余弦是 {alike.q_k}。",
                "Right if all three are made from one input. Each by its own matrix, they are "
                "three different vectors: Q and K have a mean cosine of {alike.q_k}."),
        metric="alike.q_k", format=".2f"),
    Erratum(
        "A-026", "measured", where="000:377-382", verdict="wrong",
        says=T("示例代码打印出一张 {forged.words}×{forged.words} 的权重，全在 "
               "{forged.printed.low} 到 {forged.printed.high} 之间。",
               "The example code prints {forged.words} by {forged.words} weights, all between "
               "{forged.printed.low} and {forged.printed.high}."),
        right=T("当作示意，没有错。当作这段代码的输出：{forged.count} 次运行里 "
                "{forged.runs.as_flat} 次这么平；最大减最小平均 {forged.runs.span.mean}，印的是 "
                "{forged.printed.span}。",
                "Right as a sketch. As an output of that code: of {forged.count} runs "
                "{forged.runs.as_flat} are as flat; largest less smallest is "
                "{forged.runs.span.mean} on average, {forged.printed.span} in print."),
        metric="forged.runs.span.mean", format=".3f"),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "roles": ROLES, "sharing": SHARING, "shapes": SHAPES,
}
