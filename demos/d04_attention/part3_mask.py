"""04.3 The causal mask: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d04_attention.errata import ERRATA
from demos.d04_attention.lesson import MASK_CONTROLS, hide_the_future
from lecture.margins import above, at_least, below, both, equal, near
from lecture.quantities import Across, Maps, Named
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

MOVED = {key: T(f"{zh}第 4 到 6 个词，第 3 个词的输出移动",
                f"{en} words 4 to 6: output 3 moves by")
         for key, zh, en in (("replaced", "换掉", "replace"), ("reversed", "倒过来", "reverse"))}
QUESTIONS = T("一遍训练，有几道看不见答案的题", "one pass: questions without a peek")
STEPS = T("一遍训练，要依次等几步", "one pass: steps that must wait")
QUANTITIES = {
    "full": Quantity(T("不加掩码（BERT 这样）", "no mask (as BERT)"), ".2f"),
    "causal": Quantity(T("因果掩码（GPT）：只看自己和左边",
                         "causal mask (GPT): itself and the left"), ".2f"),
    "full.*": Quantity(T("权重", "weight"), ".2f"),
    "causal.*": Quantity(T("权重", "weight"), ".2f"),
    "left.*": Quantity(T("左边合计", "sum of the left"), ".2f"),
    "right_of_watched": Quantity(T("右边合计", "sum of the right"), ".2f"),
    "norms.*": Quantity(T("长度", "length"), ".1f"),
    **{f"{key}.causal": Quantity(head, "g") for key, head in MOVED.items()},
    **{f"{key}.rnn": Quantity(head, "g") for key, head in MOVED.items()},
    **{f"{key}.full": Quantity(head, ".2f<1e-12") for key, head in MOVED.items()},
    "untouched.*": Quantity(QUESTIONS, "d"), "steps.*": Quantity(STEPS, "d"),
    "word_count": Quantity(T("词", "words"), "d"), "width": Quantity(T("宽", "width"), "d"),
    "diagonal_wins": Quantity(T("行", "rows"), "d"), "watched": Quantity(T("第", "word"), "d"),
}
NAMES = {"*.full": T("不加掩码", "no mask"), "*.causal": T("因果掩码", "causal mask"),
         "*.rnn": T("循环网络 RNN", "recurrent (RNN)")}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Maps(("full", "causal"), "words", "words")
    yield Across(("replaced", "reversed", "untouched", "steps"), ("full", "causal", "rnn"),
                 head=T("一层", "one layer"))


PART = Part(
    number=3, key="mask",
    title=T("因果掩码", "The causal mask"),
    compute=hide_the_future, seed=1, describe=blocks, quantities=QUANTITIES, names=NAMES,
    lead=(Paragraph(T(
        "{word_count} 个词，每个词是随机抽的 {width} 个数，q、k、v 都用它。掩码把右边各词的分数换"
        "成 -∞；e^-∞ = 0，权重也就是 0。",
        "{word_count} words of {width} drawn numbers, which serve as q, k and v. The mask "
        "makes the scores of words on the right -∞; e^-∞ = 0, and so is their weight.")),),
    controls=MASK_CONTROLS,
    claims=(
        Claim("rescaled", T(
            "留下的权重按同一比例放大：crown 给左边和自己合计 {left.4}，{full.4.4} / {left.4} = "
            "{causal.4.4}。",
            "What the mask leaves is scaled up alike: crown gives {left.4} to the left and "
            "itself, {full.4.4} / {left.4} = {causal.4.4}."),
            lambda m: both(below(m.renormalised_error, 1e-12),
                           near(m.full[4][4] / m.left[4], m.causal[4][4], 1e-9)),
            "no_mask", kind="identity"),
        Claim("causal_is_exact", T(
            "换掉右边三个词。不加掩码，wears 有 {right_of_watched} 的权重在那边，输出移动 "
            "{replaced.full}；加了，移动 {replaced.causal}。提示里的一句话，只影响它后面的词（演"
            "示 06）。",
            "Replace the three words on the right. Unmasked, wears has {right_of_watched} of "
            "its weight there and moves by {replaced.full}; masked, by {replaced.causal}. A "
            "prompt acts on later words only (06)."),
            lambda m: both(above(m.replaced.full, 0.1), above(m.right_of_watched, 0.1),
                           below(m.replaced.causal, 1e-300), near(m.above_diagonal, 0, 1e-300)),
            "no_mask", kind="example"),
        Claim("one_pass", T(
            "题目不更多，只是不用等：RNN 一遍也出 {untouched.rnn} 道题，但要 {steps.rnn} 步，步步"
            "相接；带掩码的注意力 {steps.causal} 步。生成时两者都得一个词一个词来。",
            "Not more questions, but less waiting: an RNN has {untouched.rnn} of them too, in "
            "{steps.rnn} steps one after the other; masked attention takes {steps.causal}. "
            "Writing goes word by word in both."),
            lambda m: both(equal(m.untouched.rnn, m.untouched.causal),
                           at_least(m.untouched.rnn, m.word_count),
                           equal(m.steps.rnn, m.word_count), equal(m.steps.causal, 1)),
            "writing", kind="example"),
        Claim("diagonal", T(
            "不加掩码时 {word_count} 行里有 {diagonal_wins} 行最看重自己，因为查询和键是同一个向"
            "量；"
            "分开投影就没有了。",
            "Unmasked, {diagonal_wins} of {word_count} rows look most at themselves, since query "
            "and key are one vector; projected apart, they do not."),
            lambda m: above(m.diagonal_wins, m.word_count / 2), "separate_projections",
            kind="example", more=True),
        Claim("longer_wins", T(
            "最像自己，不等于点积最大：“.” 给 a {full.5.3}，给自己只有 {full.5.5}，因为 a 的向量"
            "长。",
            "To be most like oneself is not to have the largest dot product: “.” gives a "
            "{full.5.3} and itself {full.5.5}, since a's vector is longer."),
            lambda m: both(above(m.full[5][3], m.full[5][5]), above(m.norms[3], m.norms[5])),
            "equal_lengths", kind="example", more=True),
    ),
    caveat=T(
        "词是随机抽的，权重谈不上词义；对角线大多最亮，因为 q 就是 k。",
        "Drawn words have no meaning; the diagonal is mostly the brightest, as q is k."),
    questions=(Question(
        T(
            "没有掩码，第 4 到 6 个词的次序倒过来。第 3 个词 wears 的输出？",
            "No mask; words 4 to 6 are put in reverse. The output of word 3, wears,"),
        (Option(T("一点不变", "stays the same"), lambda m: below(m.reversed.full, 1e-12)),
         Option(T("变得接近平均", "becomes an average"),
                lambda m: both(above(m.reversed.full, 1e-12), below(m.reversed.full, 0.1)),
                T("以为词序一乱，权重就散了。每个词带着自己的键和值走。",
                  "expects the weights to dissolve. Each word carries its own key and value.")),
         Option(T("变很多", "changes a lot"), lambda m: above(m.reversed.full, 0.1),
                T("以为注意力天生看得见词序。", "believes attention sees order by itself.")),
         Option(T("看除不除 √d", "hangs on √d"),
                lambda m: above(m.reversed.full, m.replaced.full),
                T("√d 只改变分数的大小，改变不了“不管次序”。",
                  "√d changes the size of the scores, not that order does not count."))),
        answer=Claim("order_is_invisible", T(
            "输出是各个值按权重相加，换了先后，和不变。词序要靠别的东西（第 4 部分）。",
            "it is a sum of values by weight, and a sum has no order. Word order must come "
            "from elsewhere (part 4)."),
            lambda m: below(m.reversed.full, 1e-12), "with_positions", kind="example")),),
    pins={"words.*": exact("words"), "untouched.*": exact("counts"), "steps.*": exact("counts"),
          "diagonal_wins": exact("a count"), "above_diagonal": exact("a true zero"),
          "replaced.causal": exact("a true zero"), "reversed.causal": exact("a true zero"),
          "*.rnn": exact("a true zero"), "reversed.full": ROUNDING, "*_error": ROUNDING,
          "*": ARITHMETIC},
    errata=ERRATA["mask"],
    notes=T(
        "约 6 分钟。先投票，再看两张热图；请学生指出右图的每一行是怎样从左图得来的。争论点：既然"
        "倒过来没有变化，语序从哪里来？（位置编码，以及掩码本身：第 4 部分。）试试 --seed 2：数字"
        "全变，第一屏的结论不变；--more 里“点积最大”那句换了词就不成立。",
        "About 6 minutes. Vote, then the two maps; let the class say how each row of the right "
        "one comes from the left. The argument: if reversing changes nothing, where does word "
        "order come from? (Positions, and the mask itself: part 4.) Try --seed 2: all numbers "
        "change, no sentence of the first view does; the one on the longer vector, behind "
        "--more, hangs on the words drawn."),
)
