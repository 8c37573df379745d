"""04.4 An induction head built by hand: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d04_attention.errata import ERRATA
from demos.d04_attention.lesson import INDUCTION_CONTROLS, copy_by_hand
from lecture.margins import above, below, both, near
from lecture.quantities import Group, Lines, Named, Rows
from lecture.report import (
    ARITHMETIC,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
    close,
    exact,
)

SHOWN = ("full", "beta2", "no_positions", "layer2_only", "look_back", "strict")
QUANTITIES = {
    "curve.beta": Quantity(T("第二层的 β", "β of layer two"), "g"),
    "curve.*": Quantity(T("比例", "share"), ".2f"),
    "*.second": Quantity(T("间隔固定", "fixed gap"), ".1%"),
    "*.varying": Quantity(T("间隔不定", "varying gap"), ".1%"),
    "*.recurring": Quantity(T("词可重复", "words recur"), ".1%"),
    "*.weight": Quantity(T("权重*", "weight*"), ".2f"),
    "*.first": Quantity(T("前半", "first half"), ".1%"),
    "*.itself": Quantity(T("说它自己", "says itself"), ".0%"),
    "*.beta": Quantity(T("β", "β"), "g"),
    "mentions.*.right": Quantity(T("对", "right"), ".0%"),
    "mentions.*.of": Quantity(T("占题", "of places"), ".0%"),
    "lowest_id": Quantity(T("后半", "second half"), ".1%"),
    "first_recurring": Quantity(T("前半", "first half"), ".1%"),
    "breaks_at*": Quantity(T("β", "β"), ".3f"), "ln2": Quantity(T("ln 2", "ln 2"), ".3f"),
    "votes": Quantity(T("票", "votes"), ".1f"), "voted": Quantity(T("权重", "weight"), ".2f"),
    "even_weight": Quantity(T("平摊", "even share"), ".2f"),
    "places": Quantity(T("位置", "places"), ".0f"),
    "vocabulary": Quantity(T("词", "words"), "d"), "half": Quantity(T("词", "words"), "d"),
    "sequences": Quantity(T("条", "rows"), "d"), "back": Quantity(T("格", "back"), "d"),
    "example.weight": Quantity(T("权重", "weight"), ".2f"),
    "example.*": Quantity(T("例", "example"), "d"),
}
NAMES = {
    "rows.full": T("A  完整电路", "A  the whole circuit"),
    "rows.beta2": T(
        "B  第二层查得软：β = {rows.beta2.beta}",
        "B  layer two soft: β = {rows.beta2.beta}"),
    "rows.no_positions": T("C  去掉编号", "C  no place numbers"),
    "rows.layer2_only": T("D  去掉第一层", "D  no layer one"),
    "rows.look_back": T("E  只一个头，固定回看 {back} 格", "E  one head, looks {back} back"),
    "rows.strict": T("F  去掉编号，第一层不看自己", "F  no numbers, not itself"),
    "rows.beta5": T("第二层 β = 5", "layer two, β = 5"),
    "choices.looks_at_itself": T("没有空键，位置 0 只能看自己", "no null key: place 0 sees itself"),
    "choices.both_beta5": T("两层一起变软：β = 5", "both layers soft: β = 5"),
    "choices.both_beta2": T("两层一起更软：β = 2", "both layers softer: β = 2"),
    "choices.blank_start": T("没有编号，位置 0 什么都不写", "no numbers, place 0 writes nothing"),
    "curve.second": T("后半答对的比例", "share right, second half"),
    "curve.weight": T("正确词的权重", "weight on the right word"),
}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        tuple(f"rows.{name}" for name in SHOWN), ("second", "varying", "recurring", "weight"),
        title=T("{vocabulary} 个词里抽 {half} 个，写两遍，{sequences} 条：后半答对的比例",
                "{half} of {vocabulary} words, written twice, {sequences} rows: share right in "
                "the second half"),
        legend=T(
            "* 间隔固定时正确词分到的权重。并列的词平分一题（改取编号最小的，A 是 {lowest_id}）。"
            "前半 {rows.full.first}：下一个词还没出现过。词可重复时，A 按词在前半出现几次：一次对 "
            "{mentions.once.right}（占题 {mentions.once.of}），两次 {mentions.twice.right}（"
            "{mentions.twice.of}），三次 {mentions.thrice.right}（{mentions.thrice.of}）。",
            "* on the right word, fixed gap. Ties share the credit (lowest id: A has "
            "{lowest_id}). First half {rows.full.first}: the next word is new. Where words "
            "recur, A: after a word said once {mentions.once.right} ({mentions.once.of} of "
            "places), twice {mentions.twice.right} ({mentions.twice.of}), thrice "
            "{mentions.thrice.right} ({mentions.thrice.of})."))
    yield Lines("curve.beta", ("curve.second", "curve.weight"), low=0.0, high=1.0,
                title=T("对不对，和有多肯定", "Right, and how sure"), more=True)
    yield Rows(("rows.full", "rows.beta5", "choices.*"),
               (Group(T("后半", "second half"), ("beta", "second", "weight")), "first"),
               title=T("哪些结果取决于做法", "What hangs on a choice"), more=True)


PART = Part(
    number=4, key="induction",
    title=T("手工搭的归纳头", "An induction head built by hand"),
    compute=copy_by_hand, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"beta": Param(20.0, 0.0, 1000.0, about=T("第二层的锐利度", "sharpness of layer two"))},
    lead=(Paragraph(T(
        "Olsson 等（2022）在训练出来的 Transformer 里找到一种两层电路，叫归纳头，认为上下文学习（"
        "权重不动，光靠提示就会）有一部分来自它。这里手工搭一个：第一层靠位置编号看左邻，记下“我"
        "左边是谁”；第二层问“谁的左邻就是我这个词”，照说那里的词。例：位置 {example.at} 是词 "
        "{example.word}；位置 {example.found} 的左邻也是 {example.word}，那里是 {example.says}，"
        "就说 {example.says}；真正的下一个词：{example.truth}。",
        "Olsson et al. (2022) found a circuit of two layers in trained Transformers, the "
        "induction head, and trace part of in-context learning (from the prompt alone) to it. "
        "By hand: layer one looks one to the left, by place number, and notes that word; layer "
        "two asks whose left neighbour is my own word, and says the word there. Example: place "
        "{example.at} holds word {example.word}; left of place {example.found} stands "
        "{example.word} too, there is {example.says}: it says {example.says}; next comes "
        "{example.truth}.")),),
    controls=INDUCTION_CONTROLS,
    claims=(
        Claim("looks_for_the_word", T(
            "间隔不定时 A 仍对 {rows.full.varying}，它认的是词；E 认的是格数，只对 "
            "{rows.look_back.varying}。间隔固定，两者都是 {rows.full.second}：这样的考题分不出它"
            "们。",
            "With a varying gap A, going by the word, keeps {rows.full.varying}; E, going by "
            "the count of places, has {rows.look_back.varying}. A fixed gap ("
            "{rows.full.second} for both) does not tell them apart."),
            lambda m: both(above(m.rows.full.varying, 0.999),
                           below(m.rows.look_back.varying, 0.2),
                           above(m.rows.full.second, 0.999),
                           near(m.rows.look_back.second, m.rows.full.second, 1e-9)),
            "fixed_distance", kind="example"),
        Claim("needs_both", T(
            "缺一环就是 {rows.no_positions.second}：D 没人记左邻，各处一样，正确词只有平摊的 "
            "{rows.layer2_only.weight}；C 的第一层分不清左右，第二层 {rows.no_positions.itself} "
            "说出这个词自己。",
            "C, D, a link missing: {rows.no_positions.second}. In D nobody notes the left, "
            "places are alike, the right word has the even {rows.layer2_only.weight}; in C "
            "layer one cannot tell left from right, and layer two says the word itself ("
            "{rows.no_positions.itself})."),
            lambda m: both(below(m.rows.no_positions.second, 0.05),
                           below(m.rows.layer2_only.second, 0.05),
                           near(m.rows.layer2_only.weight, m.even_weight, 1e-6),
                           above(m.rows.no_positions.itself, 0.99)), "no_lesion",
            kind="example"),
        Claim("mask_leaks_order", T(
            "没有编号也行：F 的第一层只看左边、不看自己，间隔固定对 {rows.strict.second}，不定时 "
            "{rows.strict.varying}。没了编号，分得出先后的只有因果掩码。",
            "Numbers can be spared: F, whose layer one sees the left but not itself, has "
            "{rows.strict.second} at a fixed gap, {rows.strict.varying} at a varying one. What "
            "is left to tell before from after is the mask."),
            lambda m: both(above(m.rows.strict.second, 0.99), above(m.rows.strict.varying, 0.8)),
            "sees_itself", kind="example"),
        Claim("words_recur", T(
            "词可重复时 A 只对 {rows.full.recurring}：前半出现一次的词 {mentions.once.right}，两"
            "次的 {mentions.twice.right}，那时“它后面是谁”不止一个答案。",
            "Where words recur A gets {rows.full.recurring}: {mentions.once.right} after a "
            "word said once, {mentions.twice.right} after one said twice, where “what followed”"
            " has several answers."),
            lambda m: both(below(m.rows.full.recurring, m.rows.full.second - 0.05),
                           above(m.mentions.once.right, 0.99),
                           below(m.mentions.twice.right, 0.75)), "all_distinct", kind="example",
            undefined=T("没有词出现两次", "no word is said twice")),
        Claim("breaks_at_ln2", T(
            "间隔固定时，β 低到 {breaks_at} 才开始抄错，那正是 ln 2 = {ln2}：e 的 β 次方不到二，两"
            "票"
            "就赢一票。",
            "At a fixed gap copying fails only below β = {breaks_at}, which is ln 2 = {ln2}: with "
            "e to the power β under two, two votes beat one."),
            lambda m: near(m.breaks_at, m.ln2, 0.001), "one_layer", kind="example", more=True),
        Claim("null_key_matters", T(
            "第一层不给空键，位置 0 只能看自己，后半就只有 {choices.looks_at_itself.second}；两层"
            "一起"
            "变软，β 低于 {breaks_at_both} 就出错。",
            "Without the null key place 0 sees itself, and the second half is "
            "{choices.looks_at_itself.second}; with both layers soft, errors begin below β = "
            "{breaks_at_both}."),
            lambda m: both(below(m.choices.looks_at_itself.second, 0.99),
                           above(m.breaks_at_both, m.breaks_at + 0.5)), "one_layer",
            kind="example", more=True),
    ),
    caveat=T(
        "权重由人写定：两层做得到；训练会不会走到那里，看演示 12。",
        "Weights set by hand: two layers can do it. Whether training gets there: demo 12."),
    questions=(Question(
        T(
            "第二层的 β 从 {beta:g} 改成 {rows.beta2.beta}。后半还对多少？",
            "Layer two's β goes from {beta:g} to {rows.beta2.beta}. Right in the second half:"),
        (Option(T("全错", "none"), lambda m: below(m.rows.beta2.second, 0.05),
                T("以为软查找一软就失灵。要到 β 低于 {breaks_at}。",
                  "expects a soft look-up to fail at once. That takes β below {breaks_at}.")),
         Option(T("约 {rows.beta2.weight:.0%}", "about {rows.beta2.weight:.0%}"),
                lambda m: near(m.rows.beta2.second, m.rows.beta2.weight, 0.2),
                T("把把握当成了答对的比例：那是正确的词分到的权重。",
                  "takes confidence for accuracy: that is the weight of the right word.")),
         Option(T("约八成", "about four in five"), lambda m: near(m.rows.beta2.second, 0.8, 0.15),
                T("以为变软了总要错几个。最大的仍是最大的。",
                  "expects a softer head to slip sometimes. The largest stays the largest.")),
         Option(T("全对", "all"),
                lambda m: above(m.rows.beta2.second, 0.999))),
        answer=Claim("sure_or_right", T(
            "B 对 {rows.beta2.second}，正确词却只占 {rows.beta2.weight}：对上的那一处有 e^β = "
            "{votes} 票，别处各一票。答得对和有把握是两回事（演示 13）。",
            "B has {rows.beta2.second} with only {rows.beta2.weight} on the right word: its "
            "place has e^β = {votes} votes, every other place one. To be right and to be sure "
            "are two things (13)."),
            lambda m: both(above(m.rows.beta2.second, 0.999),
                           below(m.rows.beta2.weight, 0.5),
                           near(m.rows.beta2.weight, m.voted, 0.01),
                           above(m.votes, 1)), "not_blunt", kind="example")),),
    pins={"example.weight": ARITHMETIC, "example.*": exact("words"),
          "breaks_at*": close("a bisection", 1e-4), "*": ARITHMETIC},
    errata=ERRATA["induction"],
    notes=T(
        "约 10 分钟。先让一位学生上台，用手指在例子里走一遍两步查找，再投票。争论点：一层为什么不"
        "够？（间隔固定时其实够：E 那一行。）试试 --set 4.beta=2：A 成了 B；--set 4.beta=0.5：A "
        "一个也不对，屏幕会说哪几句不成立。做法不同结果就不同：--more。",
        "About 10 minutes. Let a student walk the two look-ups of the example with a finger, "
        "then vote. The argument: why is one layer not enough? (At a fixed gap it is: row E.) "
        "Try --set 4.beta=2: A becomes B; --set 4.beta=0.5: A gets nothing right, and the "
        "screen says which sentences fall. What hangs on a choice is behind --more."),
)
