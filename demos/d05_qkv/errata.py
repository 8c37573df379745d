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
        "A-017", "measured",
        T("查询和键若是同一个东西，就只有一模一样的词才找得到。",
          "If query and key are one, only the very same word can be found."),
        T("若说的是拿字面去比，对。拿共用矩阵的向量去比就不对：词表里没有的近义词（余弦 {like:g}）"
          "去问，{words} 次里 {drawn.shared.unit.near_found} 次找到原词。共用的后果是分数对称；差不"
          "多长的词，多半最看自己。",
          "Right if spellings are compared. With vectors and a shared matrix a synonym that is not "
          "in the list (cosine {like:g}) finds the word {drawn.shared.unit.near_found} times of "
          "{words}. What sharing causes is symmetric scores, and words of like length that mostly "
          "look at themselves."),
        metric="drawn.shared.unit.near_found"),
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
        T("若说的是更难训练，头宽 {heads.narrow} 时对：{seeds} 次解出 "
          "{record.narrow.shared_kv.solved} 次；头宽 {heads.right} 时 "
          "{record.right.shared_kv.solved} 次全解出。说装不下就不对：头宽 {heads.narrow} 手工设的权"
          "重答对 {held.by_hand:.1%}。",
          "Right if “harder to train” is meant and the head has {heads.narrow} numbers: "
          "{record.narrow.shared_kv.solved} of {seeds} trainings solve it; with {heads.right} "
          "numbers, {record.right.shared_kv.solved} do. As a limit it is not: at "
          "{heads.narrow}, weights set by hand get {held.by_hand:.1%}."),
        metric="held.by_hand", format=".1%"),
)

SHAPES = (
    Erratum(
        "A-016", "measured",
        T("处理 cat 时三个词的权重是 {noted.given.0}、{noted.given.1}、{noted.given.2}，取回的是这"
          "样加权"
          "的和。",
          "For cat the three words weigh {noted.given.0}, {noted.given.1} and {noted.given.2}, and "
          "the output is that sum."),
        T("作为相关的程度（分数）没有错；作为权重，它们合计 {noted.sum:.1f}。取 softmax 之后中间那"
          "个"
          "是 {noted.weights.1:.4f}，三个的和是一。",
          "As relevance (scores) they stand; as weights they sum to {noted.sum:.1f}. After softmax "
          "the middle one is {noted.weights.1:.4f} and the three sum to one."),
        metric="noted.weights.1", format=".4f", notes=1.0, within=0.05),
    Erratum(
        "A-021", "measured",
        T("三个 {shapes.q.2} 维的投影之后，注意力的输出是 {shapes.x.2} 维。",
          "After three projections to {shapes.q.2} the output of attention has {shapes.x.2} "
          "dimensions."),
        T("若把 W_O 算在里面，对。一个头给出 {shapes.out.2} 维，讲义自己的代码也是；回到 "
          "{shapes.joined.2} 维的 W_O，图里没有。",
          "Right if W_O is meant to be inside. A head gives {shapes.out.2}, in the notes' own code "
          "too; W_O, which makes {shapes.joined.2} of it, is not in the drawing."),
        metric="shapes.out.2", notes=512, within=0.5),
    Erratum(
        "A-022", "code",
        T("四种共用方式的对比代码。", "Code that compares four ways of sharing."),
        T("照印出的样子运行（torch {code.torch}）：{code.classes} 个类里 {code.fail} 个没有先调用"
          "父类的 "
          "__init__，一建就报 {code.raised}；余下一个的 forward 返回 {code.returned}。能跑的对比在"
          "第 "
          "2 部分。",
          "Run as printed (torch {code.torch}): {code.fail} of {code.classes} classes never call "
          "their parent's __init__ and raise {code.raised} when built; the forward of the other "
          "returns {code.returned}. A comparison that runs is part 2."),
        metric="code.raised"),
    Erratum(
        "B-042", "measured",
        T("一行权重写作从 0 到 n，也就是 n + 1 个。",
          "A row of weights is written from 0 to n, which makes n + 1 of them."),
        T("若 n 是最后一个词的编号，对。若 n 是词数，一行有 n 个权重：这里 {shapes.x.1} 个词，"
          "{sums.in_a_row} 个。",
          "Right if n is the number of the last word, counted from 0. For n words a row has n "
          "weights: here {shapes.x.1} words, {sums.in_a_row} weights."),
        metric="sums.in_a_row"),
    Erratum(
        "B-078", "measured",
        T("编码器里 Q = K = V = 输入。", "In the encoder Q = K = V = the input."),
        T("若说的是三样出自同一个输入，对。乘了三个矩阵，得到的是三个不同的向量：Q 与 K 的余弦是 "
          "{alike.q_k:.2f}。",
          "Right if all three are made from one input. Three matrices make three different vectors "
          "of it: Q and K have a cosine of {alike.q_k:.2f}."),
        metric="alike.q_k", format=".2f"),
    Erratum(
        "A-026", "measured",
        T("示例代码打印出一张 {forged.words}×{forged.words} 的权重，全在 {forged.printed.low} 到 "
          "{forged.printed.high} 之间。",
          "The example code prints {forged.words} by {forged.words} weights, all between "
          "{forged.printed.low} and {forged.printed.high}."),
        T("作为示意没有错；作为这段代码的输出，{forged.count} 次运行里 {forged.runs.as_flat} 次这"
          "么平："
          "最大减最小平均 {forged.runs.span.mean:.3f}，印的是 {forged.printed.span:.3f}。",
          "As a sketch it stands. As an output of that code: of {forged.count} runs "
          "{forged.runs.as_flat} are as flat; largest less smallest is {forged.runs.span.mean:.3f} "
          "on average, {forged.printed.span:.3f} in print."),
        metric="forged.runs.span.mean", format=".3f"),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "roles": ROLES, "sharing": SHARING, "shapes": SHAPES,
}
