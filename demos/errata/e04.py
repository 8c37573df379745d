"""Demo 04: what the lecture notes say, beside what its parts measure.

Rows C are the lecture's own code 04, rows A and B the two sheets on architecture and
theory. `says` tells the notes' statement in our words; AUDIT row C-038 waits for demo 14.
"""

from lecture.report import Erratum, T

LOOKUP = (
    Erratum(
        "C-001", "code",
        T("代码 04 照原样就能运行。", "Code 04 runs as it is given."),
        T("单独运行会报 ModuleNotFoundError：它用到的四个模块没有随讲义给出。本项目补上了同名模块，"
          "代码 04 不改一字就能跑。",
          "Alone it raises ModuleNotFoundError: the four modules it imports do not come with "
          "the notes. This project supplies modules of those names, and code 04 runs "
          "unchanged.")),
    Erratum(
        "C-005", "measured",
        T("β 越大，权重越接近只有一个一。", "The larger β, the closer the weights to one-hot."),
        T("分数有高低时才对。打平的分数在任何 β 下都打平：谁都不像的那个查询，β 再大也是四等分。",
          "Only where scores differ. Tied scores stay tied at every β: the query like nothing "
          "gives four equal weights however large β is."),
        metric="queries.nothing.extreme.weights.0", notes=1.0, within=0.01),
    Erratum(
        "A-015", "measured",
        T("图书馆的比喻里，不相干的书根本不看。",
          "In the library picture the irrelevant book is not looked at."),
        T("softmax 的权重永远大于零，排在最末的也分到一点；要“不看”，得用遮罩。",
          "A softmax weight is always above zero, even for the last in the row; not looking at "
          "something takes a mask."),
        metric="ladder.lowest", notes=0.0, within=0.001),
    Erratum(
        "B-036", "measured",
        T("分数越大，得到的注意力越多。", "The larger a score, the more attention it gets."),
        T("要和同一行的别的分数比。整行都加上一百，权重一点不变。",
          "Only against the other scores of its row. Raise the whole row by a hundred and no "
          "weight changes."),
        metric="ladder.change"),
)

SCALE = (
    Erratum(
        "C-010", "measured",
        T("不除以 √d，softmax 饱和，梯度几乎是零。",
          "Undivided, softmax saturates and the gradient is almost zero."),
        T("只对一半。softmax 导数的范数平均 {unscaled[d1024][jacobian]:.3f}；W_Q 的梯度中位数 "
          "{unscaled[d1024][gradient][median]:.3f}，平均却有 "
          "{unscaled[d1024][gradient][mean]:.1f}，比除以 √d 时的 "
          "{scaled[d1024][gradient][mean]:.1f} 还大：多数消失，少数爆炸。",
          "Half true. The softmax Jacobian has norm {unscaled[d1024][jacobian]:.3f} on average; "
          "the gradient on W_Q has median {unscaled[d1024][gradient][median]:.3f} but mean "
          "{unscaled[d1024][gradient][mean]:.1f}, more than the {scaled[d1024][gradient][mean]:.1f}"
          " of the divided one: most vanish, a few explode."),
        metric="unscaled.d1024.gradient.mean", notes=0.0, within=0.1),
    Erratum(
        "B-038", "measured",
        T("d = 4 的例子里点积是 36，于是方差是 36，等于 d 乘 d。",
          "In the example with d = 4 the dot product is 36, so the variance is 36, or d times d."),
        T("36 是一次点积的值，不是方差；四乘四也不是 36。每一维标准正态时 q·k 的方差是 d，"
          "这里测得 {unscaled[d4][dot_variance]:.2f}。",
          "36 is the value of one dot product, not a variance, and four times four is not 36. "
          "For standard normal numbers q·k has variance d; measured here: "
          "{unscaled[d4][dot_variance]:.2f}."),
        metric="unscaled.d4.dot_variance", notes=36.0, within=1.0),
    Erratum(
        "B-039", "measured",
        T("分数 36 的 softmax 约等于一。", "The softmax of a score of 36 is about one."),
        T("要看同一行别的分数。对三个零分是这样；四个分数都是 36，就各得 "
          "{example[equal_weight]:.2f}。",
          "That depends on the rest of the row. Against three zeros, yes; four scores of 36 get "
          "{example[equal_weight]:.2f} each."),
        metric="example.equal_weight", notes=1.0, within=0.01),
    Erratum(
        "B-040", "measured",
        T("36 除以 √d（d = 4）得 9。", "36 divided by √d, with d = 4, is 9."),
        T("√4 = 2，得 {example[scores][divided][score]:g}；9 是除以 d。",
          "√4 = 2, so it is {example[scores][divided][score]:g}; 9 comes of dividing by d."),
        metric="example.scores.divided.score", notes=9.0, within=0.01),
    Erratum(
        "B-041", "measured",
        T("缩放之后梯度就正常了。", "After scaling, the gradient is normal."),
        T("这个向量没有好：除以 √d 之后斜率 p(1-p) 只有 {example[scores][divided][slope]:.0e}，"
          "照讲义算成 9 也只有 {example[scores][misdivided][slope]:.0e}，最大可以是四分之一。"
          "√d 让随机向量的分布合适，不保证某一个分数。",
          "Not for this vector: divided by √d the slope p(1-p) is "
          "{example[scores][divided][slope]:.0e}, and even at the notes' 9 it is "
          "{example[scores][misdivided][slope]:.0e}, where a quarter is possible. √d suits random "
          "vectors on average; it promises nothing about one score."),
        metric="example.scores.divided.slope", notes=0.25, within=0.2),
)

MASK = (
    Erratum(
        "C-015", "measured",
        T("一遍就能给所有位置出题、又不偷看，这是 Transformer 训练比 RNN 快的原因之一。",
          "One pass sets a question at every position without peeking, which is one reason why "
          "Transformers train faster than RNNs."),
        T("RNN 一遍也得到同样多的题，也不偷看。快在别处：RNN 的步数等于词数，一步等一步；"
          "注意力只要一步。",
          "One pass of an RNN sets just as many, without peeking either. The gain lies "
          "elsewhere: the RNN takes one dependent step a word, attention takes one in all."),
        metric="passes.rnn.untouched", notes=1, within=0.5),
    Erratum(
        "C-017", "measured",
        T("把词向量直接当作查询、键和值，得到的权重矩阵就是注意力的样子。",
          "With the word vectors themselves as query, key and value, the matrix shows what "
          "attention looks like."),
        T("查询和键相同，对角线几乎必然胜出；这是做法的产物，分开投影之后就没有了。",
          "With query equal to key the diagonal wins almost everywhere; this comes from the "
          "construction and is gone once the two are projected separately."),
        metric="diagonal_wins"),
)

INDUCTION = (
    Erratum(
        "C-019", "measured",
        T("瞎猜的准确率是词表大小的倒数。", "Guessing gets one over the size of the vocabulary."),
        T("那是什么都不知道时的 {chance[naive]:.1%}。知道“下一个是新词”的人能猜对 "
          "{chance[informed]:.1%}，这才是前半该比的。",
          "That is {chance[naive]:.1%} for somebody who knows nothing. Who knows that the next "
          "word is new gets {chance[informed]:.1%}, and that is what the first half should be "
          "compared with."),
        metric="chance.informed", notes=0.05, within=0.005),
    Erratum(
        "C-023", "measured",
        T("“没有位置信息”那一行有一个确定的结果。",
          "The row without positions has one definite result."),
        T("同样叫“没有位置”，位置 0 怎么办、第一层看不看自己，结果就有三种："
          "{variants[no_positions][second]:.1%}、{choices[blank_start][second]:.1%}、"
          "{choices[strict][second]:.1%}。要先说清做法。",
          "Depending on what place 0 does and whether layer 1 sees itself, “without positions” "
          "gives {variants[no_positions][second]:.1%}, {choices[blank_start][second]:.1%} or "
          "{choices[strict][second]:.1%}. State the rule first."),
        metric="choices.blank_start.second", notes=0.0, within=0.05),
    Erratum(
        "C-026", "measured",
        T("完整电路在后半做到百分之百。", "The whole circuit gets all of the second half right."),
        T("要看位置 0 在第一层看什么。看空键，是 {variants[full][second]:.1%}；只能看自己，就是 "
          "{choices[looks_at_itself][second]:.1%}：两个键打平，丢掉一个词。",
          "It depends on what place 0 looks at in layer 1. A null key: "
          "{variants[full][second]:.1%}; only itself: {choices[looks_at_itself][second]:.1%}, "
          "because two keys tie and one word is lost."),
        metric="choices.looks_at_itself.second", notes=1.0, within=0.001),
    Erratum(
        "C-028", "measured",
        T("没有位置信息就完全不行，因为注意力对次序没有感觉。",
          "Without positions it fails altogether, since attention is indifferent to order."),
        T("不带遮罩的注意力才是这样。带因果遮罩时，只要第一层不看自己，不用任何位置编码也有 "
          "{choices[strict][second]:.1%}。",
          "That is attention without a mask. Under the causal mask, as soon as layer 1 does not "
          "see itself, {choices[strict][second]:.1%} are right without any position code."),
        metric="choices.strict.second", notes=0.0, within=0.05),
    Erratum(
        "C-029", "measured",
        T("没有位置编码，Transformer 就办不到。",
          "Hence a Transformer has to be given position codes."),
        T("有用，但不是必须：这里手工的电路没有它们也全对；训练出来的两层也能学会（演示 12）。",
          "They help but are not necessary: here a circuit without them gets everything right, "
          "and trained layers learn to as well (demo 12)."),
        metric="choices.strict.second", notes=0.0, within=0.05),
    Erratum(
        "C-031", "measured",
        T("这组数据说明抄写需要两层。", "These data show that copying takes two layers."),
        T("数据里两遍的间隔总是一样，一个只会往回看 {trap[back]} 格的头就得 "
          "{trap[fixed][look_back]:.1%}。间隔变化时它只剩 {trap[varied][look_back]:.1%}，"
          "这才看得出两层的必要。",
          "In the data the copies are always equally far apart, so one head that looks "
          "{trap[back]} places back gets {trap[fixed][look_back]:.1%}. At a varying distance it "
          "keeps {trap[varied][look_back]:.1%}; only then is the second layer seen to be "
          "needed."),
        metric="trap.fixed.look_back", notes=0.0, within=0.2),
    Erratum(
        "C-032", "measured",
        T("锐利度降到 2，准确率不受影响。",
          "Sharpness may fall to 2 without harm to the accuracy."),
        T("只钝第二层，β 到 {breaks_at:.2f} 都没事；两层一起变钝，{breaks_at_both:.2f} 以下就"
          "出错，2 已在悬崖边上。",
          "With only layer 2 blunted all is well down to {breaks_at:.2f}; with both blunted "
          "errors begin below {breaks_at_both:.2f}, so 2 stands at the edge."),
        metric="breaks_at_both"),
)

TINY_GPT = (
    Erratum(
        "C-037", "measured",
        T("另有一个头主要看关系词。", "Another head looks mainly at the relation words."),
        T("讲义的程序没有算，不管数据怎样都印这句话。算出来：看关系词最多的头 "
          "L{reader[layer]}H{reader[head]} 给 {reader[relation]:.2f}，"
          "平摊是 {even_relation:.2f}；{record[seeds]} 个种子里有 {record[read_relation]} 个"
          "有头过半。",
          "The notes' program prints this whatever the data say. Computed: head "
          "L{reader[layer]}H{reader[head]} looks at them most, {reader[relation]:.2f}, where an "
          "even spread gives {even_relation:.2f}; in {record[read_relation]} of "
          "{record[seeds]} seeds a head is over half."),
        metric="reader.relation"),
    Erratum(
        "C-040", "measured",
        T("抄写得零分，因为语料里没有重复，所以没有归纳头。",
          "It copies nothing because the corpus holds no repeats, hence no induction head."),
        T("缺一个对照。语料里的重复名字序列是数出来的：{repeated_in_corpus} 处；同样大小、用重复"
          "名单训练的网络抄对 {copies[repeats][share]:.1%}。有了这两样，原因才站得住。",
          "A control is missing. Repeated sequences of names in the corpus, counted: "
          "{repeated_in_corpus}; the same size trained on repeated lists copies "
          "{copies[repeats][share]:.1%}. Only with both does the reason stand."),
        metric="copies.repeats.share"),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "lookup": LOOKUP, "scale": SCALE, "mask": MASK, "induction": INDUCTION,
    "tiny_gpt": TINY_GPT,
}
