"""Demo 08: what the lecture notes say, beside what its parts measure.

Rows A are the notes on architecture, rows B the theory sheet. `says` tells the notes'
statement in our words. A-073, A-074, A-081 to A-084, B-049 to B-053 and B-055 are right:
one head gives one average, and grouped heads are as the notes have them.
"""

from lecture.report import Erratum, T

TWO_ANSWERS = (
    Erratum(
        "A-072", "measured",
        T("每个头分到一门功课：一个学语法，一个学语义，一个学位置。",
          "Every head is given its subject: one learns syntax, one meaning, one position."),
        T("没有谁分派。八次训练里，管“谁”的有时是第一个头，有时是第二个；管什么是训练之后切出来的。",
          "Nobody assigns them. Over eight trainings the who head is now the first, now the "
          "second; what a head is for is found afterwards, by cutting."),
        metric="record.bare_2.first"),
)

PRONOUN = (
    Erratum(
        "B-047", "measured",
        T("it 那一行：0.7 给 cat，0.2 给 tired，自己那格是横线，其余是零。",
          "The row of it: 0.7 on cat, 0.2 on tired, a dash for itself, zeros elsewhere."),
        T("加起来只有 .9，缺的 .1 只能在横线上；softmax 没有空格，也没有正好的零。tired 在右边，"
          "只有看得见整句的模型才看得到。",
          "It sums to .9; the missing .1 must be the dash. Softmax leaves no hole and no exact "
          "zero, and tired is to the right: only a model that sees the whole sentence can look "
          "there."),
        metric="noted.sum", notes=1.0, within=0.05),
    Erratum(
        "B-048", "measured",
        T("看了 cat 就是模型明白了 it 是猫。",
          "That it looks at cat shows that the model has understood it to be the cat."),
        T("看不说明用：只看前文的网络里，it 看两个名词，切断了也照样全对。看得见整句的网络里，"
          "这条边才是必需的。",
          "A look is no use made of it: in the network that sees the past, it looks at both "
          "nouns, and all stays right when that is cut. Where all is visible the edge is "
          "needed."),
        metric="nets.pronoun_causal.cut.nouns"),
    Erratum(
        "A-071", "reading",
        T("“他”那一行的五个权重，第五个头的。",
          "Five weights of the pronoun he, said to be of the fifth head."),
        T("加起来是一，可是没有模型、没有代码，无从核对；是编的例子。",
          "They do sum to one, but no model and no code is given: they can not be checked and "
          "were made up.")),
)

ARITHMETIC = (
    Erratum(
        "B-054", "measured",
        T("8 个头，每个 98,304，一共 786,304。", "8 heads of 98,304 make 786,304."),
        T("是 786,432，差 128。", "They make 786,432: 128 more."),
        metric="slices", notes=786304, within=0.5),
    Erratum(
        "B-056", "measured",
        T("加上输出层一共 1,048,448。", "With the output map the total is 1,048,448."),
        T("1,048,576；带偏置是 1,050,624。", "1,048,576; with biases 1,050,624."),
        metric="many.total", notes=1048448, within=0.5),
    Erratum(
        "B-057", "measured",
        T("多头的参数约是单头的 1.3 倍，又说基本不变。",
          "Several heads have about 1.3 times the weights of one, which is basically the same."),
        T("1.333 是拿没有 W_O 的单头来比；都算上 W_O，比值正好是一。",
          "1.333 compares with one head that lacks W_O; with it the ratio is exactly one."),
        metric="ratio", notes=1.3, within=0.05),
)

RANKS = (
    Erratum(
        "A-075", "measured",
        T("例子里 4×4 的权重，秩大约 2 到 3。", "The 4×4 example of weights has rank 2 to 3."),
        T("秩是 4：奇异值 1.0144、.7027、.6000、.5892。",
          "Its rank is 4: singular values 1.0144, .7027, .6000, .5892."),
        metric="four.rank", notes=2.5, within=0.5),
    Erratum(
        "A-076", "measured",
        T("图里单头的秩 8 到 12，多头 60 到 80，接近满。",
          "In the drawing one head has rank 8 to 12, several have 60 to 80, nearly full."),
        T("单头的权重就是 128，满秩；这张图和讲义后面的两组数也不合。",
          "One head's weights have rank 128, full; the drawing also disagrees with two later "
          "figures of the notes."),
        metric="now.softmax.rank", notes=10, within=2),
    Erratum(
        "A-077", "measured",
        T("注释说单头的秩约 40 到 60。", "A comment puts the rank of one head at 40 to 60."),
        T("双精度二十次都是 128；单精度的门槛更粗，也有十九次；有效秩约 82。",
          "128 in twenty draws of twenty in double precision, and in nineteen by the coarser "
          "thresholds of single precision; the effective rank is about 82."),
        metric="now.single.rank", notes=50, within=10),
    Erratum(
        "A-078", "measured",
        T("8 头的秩：把各头的秩加起来，除以 128，约 100 到 120。",
          "The rank of 8 heads: add up their ranks, over 128, some 100 to 120."),
        T("加起来是 1,023 到 1,024，而 128 行的矩阵秩不超过 128。该比的是输出：一个头 64，"
          "拼起来 128。",
          "The sum is 1,023 to 1,024, and no matrix of 128 rows exceeds rank 128. What to "
          "compare is outputs: 64 for one head, 128 side by side."),
        metric="now.sum", notes=110, within=10),
    Erratum(
        "A-079", "measured",
        T("单头权重的秩以头宽 64 为上限。", "The rank of one head's weights is at most its width, "
                                     "64."),
        T("这个上限是分数的；softmax 之后可以到 128。头宽 4 时分数 4，softmax 之后也满。",
          "That bound is for scores; after softmax it can reach 128. With width 4 scores have "
          "rank 4, and after softmax it is full all the same."),
        metric="now.softmax.rank", notes=64, within=0.5),
    Erratum(
        "A-080", "measured",
        T("程序打印单头 54/128、8 头 115/128：softmax 压低，多头补回。",
          "The program prints 54/128 for one head and 115/128 for 8: softmax lowers the rank, "
          "heads restore it."),
        T("运行它得到 128/128 和 1024/128。54 和 115 附近的数，用两个不同的门槛数同一个头就有；"
          "softmax 抬高秩，这里没有要补的。",
          "Run, it prints 128/128 and 1024/128. Numbers near 54 and 115 come from counting one "
          "head with two thresholds; softmax raises the rank, and there is nothing to restore."),
        metric="now.single.rank", notes=54, within=0.5),
)

GROUPS: tuple[Erratum, ...] = ()

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "two_answers": TWO_ANSWERS, "pronoun": PRONOUN, "arithmetic": ARITHMETIC, "ranks": RANKS,
    "groups": GROUPS,
}
