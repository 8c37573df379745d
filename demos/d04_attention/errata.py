"""Demo 04: what the lecture notes say, beside what its parts measure.

Rows C are the lecture's own code 04 (003), rows A and B the sheets on architecture (000) and
theory (002); AUDIT row C-038 waits for demo 14. `says` tells the notes' statement in our words,
`right` begins with the reading under which it is right, where there is one.
"""

from lecture.report import Erratum, T

SCALE = (
    Erratum(
        "C-010", "measured", where="003:79", verdict="imprecise",
        says=T("不除以 √d，softmax 饱和，梯度几乎是零。",
               "Undivided, softmax saturates and the gradient is almost zero."),
        right=T(
            "饱和的那些说得对：d = {unscaled.d1024.d} 时占 {unscaled.d1024.crowded.share:.0%}，"
            "W_Q 梯度的中位数 {unscaled.d1024.crowded.median:.1g}。其余的反而大，中位数 "
            "{unscaled.d1024.crowded.others:.1f}，所以平均有 {unscaled.d1024.gradient.mean:.1f}，"
            "比除以 √d 时的 {scaled.d1024.gradient.mean:.1f} 还大。",
            "Right of the saturated looks: at d = {unscaled.d1024.d} they are "
            "{unscaled.d1024.crowded.share:.0%}, and their median gradient on W_Q is "
            "{unscaled.d1024.crowded.median:.1g}. The others have more, "
            "{unscaled.d1024.crowded.others:.1f}, so the mean is "
            "{unscaled.d1024.gradient.mean:.1f}, above the {scaled.d1024.gradient.mean:.1f} of "
            "the divided one."),
        metric="unscaled.d1024.gradient.mean"),
    Erratum(
        "B-038", "measured", where="002:258 002:264", verdict="wrong",
        says=T("d = {example.d} 的例子里点积是 {notes:g}，于是方差也是 {notes:g}，等于 "
               "{example.d}×{example.d}，即 d×d。",
               "In the example with d = {example.d} the dot product is {notes:g}, so the variance "
               "is {notes:g} too, which is {example.d}×{example.d}, or d×d."),
        right=T("前面那句对：每一维独立、方差是一时，q·k 的方差是 d，这里测得 "
                "{unscaled.d4.dot_variance:.2f}。{notes:g} 是一次点积的值，不是方差，也不是 "
                "{example.d}×{example.d}。",
                "The line before is right: with independent numbers of variance one, q·k has "
                "variance d; measured here {unscaled.d4.dot_variance:.2f}. {notes:g} is the value "
                "of one dot product, not a variance, and not {example.d}×{example.d}."),
        metric="unscaled.d4.dot_variance", notes=36.0, within=1.0),
    Erratum(
        "B-039", "measured", where="002:266-268", verdict="imprecise",
        says=T("分数是 {example.scores.whole.score:g} 的那一项，softmax 约等于 {notes:g}。",
               "The entry whose score is {example.scores.whole.score:g} has a softmax of about "
               "{notes:g}."),
        right=T("同一行别的分数远在下面时说得对。softmax 看的是整行：四个分数都是 "
                "{example.scores.whole.score:g}，就各得 {example.equal_weight:.2f}。",
                "Right if the other scores of the row lie far below. Softmax looks at the whole "
                "row: four scores of {example.scores.whole.score:g} get "
                "{example.equal_weight:.2f} each."),
        metric="example.equal_weight", notes=1.0, within=0.01),
    Erratum(
        "B-040", "measured", where="002:271", verdict="wrong",
        says=T("d = {example.d} 时，{example.scores.whole.score:g} 除以 √d 得 {notes:g}。",
               "With d = {example.d}, {example.scores.whole.score:g} divided by √d is {notes:g}."),
        right=T("√d 是 {unscaled.d4.root_d:g}，得 {example.scores.divided.score:g}；{notes:g} 是"
                "除以 d。",
                "√d is {unscaled.d4.root_d:g}, so it is {example.scores.divided.score:g}; "
                "{notes:g} comes of dividing by d."),
        metric="example.scores.divided.score", notes=9.0, within=0.01),
    Erratum(
        "B-041", "measured", where="002:272", verdict="misleading",
        says=T("缩放之后梯度就正常了，可以训练。",
               "After scaling the gradient is normal, and one can train."),
        right=T("对随机的向量说得对，√d 就是为它们选的。这个例子没有好：除以 √d 之后斜率 p(1-p) "
                "是 {example.scores.divided.slope:.0e}，照讲义算成 "
                "{example.scores.misdivided.score:g} 也只有 "
                "{example.scores.misdivided.slope:.0e}，最大可以是四分之一。",
                "Right of random vectors, which √d is chosen for. This example is not mended: "
                "divided by √d its slope p(1-p) is {example.scores.divided.slope:.0e}, and even "
                "at the notes' {example.scores.misdivided.score:g} it is "
                "{example.scores.misdivided.slope:.0e}, where a quarter is possible."),
        metric="example.scores.divided.slope"),
)

INDUCTION = (
    Erratum(
        "C-028", "measured", where="003:158-159", verdict="imprecise",
        says=T("没有位置信息就完全不行，因为注意力对次序没有感觉。",
               "Without positions it fails altogether, since attention is indifferent to order."),
        right=T("第一层也看自己时说得对：{rows.no_positions.second:.1%}。带因果掩码、第一层只看自"
                "己左边时，不用任何位置编码，间隔固定对 {rows.strict.second:.1%}，间隔变化也对 "
                "{rows.strict.varying:.1%}。",
                "Right where layer 1 sees its own place too: {rows.no_positions.second:.1%}. "
                "Under the causal mask, with a layer 1 that sees only what is to its left, "
                "{rows.strict.second:.1%} are right without any position code at a fixed "
                "distance, and {rows.strict.varying:.1%} at a varying one."),
        metric="rows.strict.varying"),
    Erratum(
        "C-029", "measured", where="003:159", verdict="misleading",
        says=T("所以位置编码非加不可。", "Hence a Transformer has to be given position codes."),
        right=T("加了更好，这一点对：间隔变化时，带位置的电路对 {rows.full.varying:.1%}。说“非加不"
                "可”"
                "就过了：没有位置、第一层只看左边的电路也对 {rows.strict.varying:.1%}。",
                "Right in that they help: at a varying distance the circuit with positions gets "
                "{rows.full.varying:.1%}. “Has to” says too much: a circuit without them, whose "
                "layer 1 sees only what is to its left, gets {rows.strict.varying:.1%}."),
        metric="rows.strict.varying"),
    Erratum(
        "C-031", "measured", where="003:160-161", verdict="misleading",
        says=T("这组数据里只有第 2 层就不行，可见抄写要两层串起来。",
               "Layer 2 alone fails on these data, so copying takes two layers in a row."),
        right=T("间隔变化时说得对：只往回看 {back} 格的一层对 {rows.look_back.varying:.1%}，两层对 "
                "{rows.full.varying:.1%}。可讲义的数据里间隔总是一样，这样的一层也对 "
                "{rows.look_back.second:.1%}，看不出要两层。",
                "Right at a varying distance: one layer that looks {back} places back gets "
                "{rows.look_back.varying:.1%}, two get {rows.full.varying:.1%}. But in the notes' "
                "data the distance never changes, and there such a layer gets "
                "{rows.look_back.second:.1%}: the need for two does not show."),
        metric="rows.look_back.second"),
)

TINY_GPT = (
    Erratum(
        "C-037", "measured", where="003:212", verdict="imprecise",
        says=T(
            "第二个头看得最多的是问句里的关系词（capital、of、known 等）。",
            "Another head looks mainly at the relation words (capital, of, known and so on)."),
        right=T("{questions} 题平均说得对：L0H1 给关系词 {heads.1.relation:.2f}，平摊是 "
                "{even_relation:.2f}。分开看就不都是：问 language 时它最看重 "
                "{asked.language.L0H1.word}（{asked.language.L0H1.weight:.2f}），问 leader 时最"
                "看重 {asked.leader.L0H1.word}（{asked.leader.L0H1.weight:.2f}）。",
                "Right of the mean over {questions} questions: L0H1 gives the relation words "
                "{heads.1.relation:.2f}, an even spread {even_relation:.2f}. Not of each kind: "
                "asked for the language it looks most at {asked.language.L0H1.word} "
                "({asked.language.L0H1.weight:.2f}), for the leader at "
                "{asked.leader.L0H1.word} ({asked.leader.L0H1.weight:.2f})."),
        metric="asked.language.L0H1.weight", format=".2f"),
    Erratum(
        "C-040", "measured", where="003:215-216", verdict="uncontrolled",
        says=T("它不会抄写，因为语料里从来没有重复的随机序列，所以没有归纳头。",
               "It does not copy because its corpus never repeats a random sequence, hence no "
               "induction head."),
        right=T("语料里确实没有（数出来 {repeated_in_corpus} 处），原因却缺一个对照。名单都说两遍的"
                "语料，同样的步数，{copied.total} 处里最多对 "
                "{grid.lists.few_twice.short.4} 处；名单多的那份最多 "
                "{grid.lists.many_twice.short.4} 处，步数再乘 {grid.times} 才对 "
                "{grid.lists.many_twice.long.2:,} 处（居中的种子）。",
                "The corpus has none indeed (counted: {repeated_in_corpus}), but the cause lacks "
                "a control. Trained on lists said twice for the same steps, at most "
                "{grid.lists.few_twice.short.4} of {copied.total} places are right; with many "
                "more lists at most {grid.lists.many_twice.short.4}, and only with {grid.times} "
                "times the steps {grid.lists.many_twice.long.2:,} (the middle seed)."),
        metric="grid.lists.many_twice.short.4"),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "lookup": (), "scale": SCALE, "mask": (), "induction": INDUCTION, "tiny_gpt": TINY_GPT,
}
