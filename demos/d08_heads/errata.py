"""Demo 08: what the lecture notes say, beside what its parts measure.

Rows A are the notes on architecture (000), rows B the theory sheet (002). `says` tells the
notes' statement in our words, `right` begins with the reading under which it is right, where
there is one. A-073, A-074, A-081 to A-084, B-049 to B-053 and B-055 are right: one head gives
one average, the class MultiHeadAttention and its grouped form are as the notes have them.
"""

from lecture.report import Erratum, T

TWO_ANSWERS = (
    Erratum(
        "A-072", "measured", where="000:1039-1044", verdict="misleading",
        says=T("每个头有一门功课：一个学语法，一个学语义，一个学位置。",
               "Every head has its subject: one learns syntax, one meaning, one position."),
        right=T("训练之后可以这样去看一个头。事先没有谁分派：{trainings} 次训练里，管“谁”的有 "
                "{record.bare_2.first} 次是 L0H0，其余是 L0H1；管什么，切了才知道。",
                "Right of what one may find in a trained head. Nobody assigns it: in "
                "{record.bare_2.first} of {trainings} trainings the who head is L0H0, in the "
                "others L0H1; what a head is for is known by cutting it."),
        metric="record.bare_2.first"),
)

PRONOUN = (
    Erratum(
        "B-047", "measured", where="002:329-331", verdict="misleading",
        says=T("“it” 那一行：{noted.meant:g} 给 cat，{noted.reason:g} 给 tired，自己那格是横线，其"
               "余"
               "是零。",
               "The row of “it”: {noted.meant:g} on cat, {noted.reason:g} on tired, a dash for "
               "itself, zeros elsewhere."),
        right=T("当示意图看没有错。当一行权重看，合计只有 {noted.sum:.1f}，softmax 也给不出正好的"
                "零；tired 在右边，只看前文的网络给它 {past.reason}。",
                "Right as a sketch. As a row of weights it sums to {noted.sum:.1f}, and softmax "
                "gives no exact zero; tired is to the right, and a network that sees the past "
                "gives it {past.reason}."),
        metric="noted.sum", format=".1f"),
    Erratum(
        "B-048", "measured", where="002:333-334", verdict="uncontrolled",
        says=T("“it” 主要看 cat，就是模型学会了 it = cat。",
               "“it” looks mainly at cat, so the model has learned that it = cat."),
        right=T("看得见整句的网络里说得对：换掉名词交出的值，{seen.noun:.0%} 的答案跟着换。只看前文"
                "的网络里不对：“it” 看名词，不许它看，照样对 {past.it.left:.0%}。",
                "Right where the whole sentence is seen: exchange what the noun hands over, and "
                "{seen.noun:.0%} of the answers follow. Wrong where only the past is: “it” looks "
                "at the nouns, and without that look {past.it.left:.0%} stay right."),
        metric="past.it.left", format=".1%"),
    Erratum(
        "A-071", "measured", where="000:1025-1037", verdict="uncontrolled",
        says=T("“他”那一行的权重，{noted.named.0:g} 给小明，说是第五个头的。",
               "The weights of a pronoun, {noted.named.0:g} on the name it stands for, said to "
               "be of head five."),
        right=T("合计 {noted.named_sum:g}，这一点对；没有给出是哪个模型，无从核对。",
                "They sum to {noted.named_sum:g}, which is right; no model is named, so they "
                "cannot be checked."),
        metric="noted.named_sum"),
)

ARITHMETIC = (
    Erratum(
        "B-054", "measured", where="002:384", verdict="wrong",
        says=T("{heads} 个头，每个 {slice:,}，一共 {notes:,.0f}。",
               "{heads} heads of {slice:,} make {notes:,.0f}."),
        right=T("{heads} × {slice:,} = {slices:,}。", "{heads} × {slice:,} = {slices:,}."),
        metric="slices", notes=786304, within=0.5, format=",d"),
    Erratum(
        "B-056", "measured", where="002:387", verdict="wrong",
        says=T("加上输出层，一共 {notes:,.0f}。", "With the output map the total is {notes:,.0f}."),
        right=T("{many.total:,}；带偏置是 {with_bias:,}。",
                "{many.total:,}; with biases {with_bias:,}."),
        metric="many.total", notes=1048448, within=0.5, format=",d"),
    Erratum(
        "B-057", "measured", where="002:387-389", verdict="misleading",
        says=T("多头约是单头的 {notes:g} 倍；又说参数量基本不变。",
               "Several heads have about {notes:g} times the parameters of one, and then: "
               "basically unchanged."),
        right=T("后一句对，而且正好：都算上 W_O，比值是 {ratio:g}。{third:.3f} 倍是拿没有 W_O 的"
                "单头来比。",
                "The second is right, and exactly so: with W_O on both sides the ratio is "
                "{ratio:g}. {third:.3f} compares with one head that lacks W_O."),
        metric="ratio", notes=1.3, within=0.05, format=".4g"),
)

RANKS = (
    Erratum(
        "A-075", "measured", where="000:1056-1064", verdict="wrong",
        says=T("四行四列的例子，实际的秩约 {noted.four.0} 到 {notes:g}。",
               "The example of four rows has a rank of about {noted.four.0} to {notes:g}."),
        right=T("秩是 {given.four.rank}：奇异值 {four.singular.0:.4f}、{four.singular.1:.4f}、"
                "{four.singular.2:.4f}、{four.singular.3:.4f}，没有一个接近零。",
                "Its rank is {given.four.rank}: singular values {four.singular.0:.4f}, "
                "{four.singular.1:.4f}, {four.singular.2:.4f} and {four.singular.3:.4f}, none "
                "near zero."),
        metric="given.four.rank", notes=3, within=0.5),
    Erratum(
        "A-076", "measured", where="000:1066-1076", verdict="wrong",
        says=T("图里单头的秩 {noted.drawn.0} 到 {notes:g}，多头 {noted.drawn.2} 到 "
               "{noted.drawn.3}，接近满。",
               "In the drawing one head has rank {noted.drawn.0} to {notes:g}, several have "
               "{noted.drawn.2} to {noted.drawn.3}, nearly full."),
        right=T("抽 {tokens} 个词、头宽 {head}，单头的权重就是 {now.softmax.rank}，满的；低的是输"
                "出，一个头 {now.one_output.rank}。",
                "For {tokens} words drawn and a head of {head}, the weights of one head have rank "
                "{now.softmax.rank}, full; what is low is its output, {now.one_output.rank}."),
        metric="now.softmax.rank", notes=12, within=0.5),
    Erratum(
        "A-077", "measured", where="000:1104", verdict="wrong",
        says=T("程序里注释：单头的秩约 {noted.one.0} 到 {notes:g}。",
               "A comment in the program: one head has rank {noted.one.0} to {notes:g} or so."),
        right=T("{draws} 次抽取，双精度 {record.softmax.as_many} 次都是 {now.softmax.rank}；照程序"
                "的门槛，单精度这一次是 {now.single.above}。",
                "In {record.softmax.as_many} of {draws} draws it is {now.softmax.rank} in double "
                "precision; by the program's own threshold, in single, {now.single.above}."),
        metric="now.single.above", notes=60, within=0.5),
    Erratum(
        "A-078", "measured", where="000:1108 000:1113", verdict="wrong",
        says=T("{heads} 个头的秩：各头的秩相加，写成 /{tokens}，约 {noted.eight.0} 到 {notes:g}。",
               "The rank of {heads} heads: their ranks summed, written over {tokens}, some "
               "{noted.eight.0} to {notes:g}."),
        right=T("相加得 {now.sum}，而 {tokens} 行的矩阵秩不会超过 {tokens}：秩不能这样加。能比的是"
                "输出：一个头 {now.one_output.rank}，拼起来 {now.all_outputs.rank}。",
                "The sum is {now.sum}, and no matrix of {tokens} rows has a rank above {tokens}: "
                "ranks do not add so. Outputs can be compared: {now.one_output.rank} for one "
                "head, {now.all_outputs.rank} side by side."),
        metric="now.sum", notes=120, within=0.5),
    Erratum(
        "A-079", "measured", where="000:1112 000:1118-1119", verdict="wrong",
        says=T("单头权重的秩以头宽 {notes:g} 为上限。",
               "The rank of one head's weights is at most its width, {notes:g}."),
        right=T("说分数时对：秩 {now.scores.rank}。softmax 之后可以更高，这里 {now.softmax.rank}；"
                "分数的秩只有 {now.thin.scores} 时，权重也有 {now.thin.rank}。",
                "Right of the scores: rank {now.scores.rank}. After softmax it may be higher, here "
                "{now.softmax.rank}; where scores have rank {now.thin.scores}, weights still have "
                "{now.thin.rank}."),
        metric="now.softmax.rank", notes=64, within=0.5),
    Erratum(
        "A-080", "measured", where="000:1115-1116", verdict="wrong",
        says=T("程序打印：单头 {notes:g}/{tokens}，{heads} 个头 {noted.printed.1}/{tokens}；"
               "softmax 压低秩，多头补回来。",
               "The program prints {notes:g}/{tokens} for one head and "
               "{noted.printed.1}/{tokens} for {heads}: softmax lowers the rank, heads restore "
               "it."),
        right=T("照印出的样子运行（torch {ran.torch}，{ran.draws} 个种子）：单头都是 {ran.one}，"
                "{heads} 个头 {ran.eight.2} 有 {ran.times.2} 次，{ran.eight.1} 有 {ran.times.1} "
                "次，{ran.eight.0} 有 {ran.times.0} 次。softmax 抬高秩，没有要补的。",
                "Run as printed (torch {ran.torch}, {ran.draws} seeds): {ran.one} for one head "
                "each time; for {heads}, {ran.eight.2} in {ran.times.2}, {ran.eight.1} in "
                "{ran.times.1}, {ran.eight.0} in {ran.times.0}. Softmax raises the rank; there is "
                "nothing to restore."),
        metric="ran.one", notes=54, within=0.5),
)

GROUPS: tuple[Erratum, ...] = ()

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "two_answers": TWO_ANSWERS, "pronoun": PRONOUN, "arithmetic": ARITHMETIC, "ranks": RANKS,
    "groups": GROUPS,
}
