"""06.0 The question before or after the text: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d06_masks.errata import ERRATA
from demos.d06_masks.lesson import ORDER_CONTROLS, before_or_after
from demos.d06_masks.words import TRAINED
from lecture.report import (
    ROUNDING,
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
    exact,
)

PLACES_OF_QUESTION = {
    "question_after": T("问题在后", "question after"),
    "question_before": T("问题在前", "question before"),
    "no_mask": T("问题在后，拿掉掩码", "question after, mask taken off")}


def show_order(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "随课的迷你 GPT 读一段文章：{text} 再读一个问题：{question} 换掉问题里的 "
        "{changed_words} 个词（{other_question}），文章一字不动，看文章各词的内部状态动不动。"
        "{countries} 个国家各来一遍。",
        "The course's tiny GPT reads a text: {text} And a question: {question} Change "
        "{changed_words} word of the question ({other_question}), nothing of the text, and see "
        "whether the inner states of the text move. Once for each of {countries} countries."))
    yield Table(
        (Column(T("次序", "order")), Column(T("文章的状态", "states of the text")),
         Column(T("动了的", "that moved")), Column(T("平均移动（相对长度）",
                                                    "mean move, share of length"), ".1%"),
         Column(T("最大移动", "largest move"), ".2f")),
        [[PLACES_OF_QUESTION[name], m[name]["states"], m[name]["moved"],
          m[name]["relative"], m[name]["largest"]] for name in PLACES_OF_QUESTION],
        title=T("只改问题，文章的状态动了多少",
                "Only the question changes: what moves in the text"))


PART = Part(
    number=0, key="order",
    title=T("问题放在文章前，还是后", "The question before or after the text"),
    compute=before_or_after, describe=show_order, recipes=("base",),
    params={"other": Param(1, 1, 23, about=T("换成往后第几个国家",
                                             "how many countries on the new question is"))},
    controls=ORDER_CONTROLS,
    claims=(
        Claim("text_stands_still", T(
            "文章在前：换问题，文章的 {question_after[states]} 个状态里动了 "
            "{question_after[moved]} 个，最大移动 {question_after[largest]:g}。"
            "不是很小，是一点也没有：后来的改不了先来的。",
            "Text first: change the question and {question_after[moved]} of the text's "
            "{question_after[states]} states move, the largest by {question_after[largest]:g}. "
            "Not little: nothing. What comes later cannot change what came before."),
            lambda m: min(1e-300 - m["question_after"]["largest"],
                          0.5 - m["question_after"]["moved"]), "no_mask"),
        Claim("text_read_for_the_question", T(
            "问题在前：{question_before[states]} 个状态动了 {question_before[moved]} 个，"
            "平均移动自身长度的 {question_before[relative]:.0%}。文章是带着问题读的。",
            "Question first: {question_before[moved]} of {question_before[states]} states move, "
            "by {question_before[relative]:.0%} of their length on average. The text is read "
            "with the question in mind."),
            lambda m: min(m["question_before"]["relative"] - 0.01,
                          m["question_before"]["moved"] - m["question_before"]["states"] + 0.5),
            "deaf"),
        Claim("the_mask_does_it", T(
            "是掩码在起作用：同样的权重、问题同样在后，只拿掉掩码，就动了 {no_mask[moved]} 个。",
            "It is the mask: same weights, question after the text as before, only the mask taken "
            "off, and {no_mask[moved]} states move."),
            lambda m: m["no_mask"]["moved"] - m["no_mask"]["states"] + 0.5, "deaf"),
        Claim("read_once", T(
            "所以长文章可以先读好、存起来：还没人提问时算出的状态，和后来接上问题再算的，"
            "最多差 {unasked:.0e<1e-12}，是舍入。",
            "So a long text can be read once and kept: between its states computed before "
            "anybody asks and those computed with a question behind the largest difference is "
            "{unasked:.0e<1e-12}, which is rounding."),
            lambda m: 1e-10 - m["unasked"], "no_mask"),
    ),
    caveat=T(
        "这里量的是状态动不动，不是哪种次序答得更好。文章后面接问题，这个模型训练时没见过；"
        "问题在前时文章的位置也后移了，所以两种次序的状态之间不能互相比。",
        "This measures whether states move, not which order answers better. In training this "
        "model never saw a text with a question behind it; and with the question first the text "
        "stands further back, so states of the two orders are not to be compared."),
    questions=(
        Question(T("文章在前，问题在后。只改问题，文章各词的内部状态会变多少？",
                   "Text first, question after. Change only the question: how much do the inner "
                   "states of the text change?"),
                 (Option(T("很多", "a lot"),
                         lambda m: m["question_after"]["relative"] - 0.01,
                         T("以为模型总是通读全文。因果掩码下，每个词只能往左看。",
                           "believes the model always reads the whole. Under a causal mask every "
                           "word looks left only.")),
                  Option(T("一点点", "a little"),
                         lambda m: min(m["question_after"]["largest"],
                                       0.01 - m["question_after"]["relative"]),
                         T("以为掩码只是把影响压小。被遮的权重是真正的零。",
                           "takes a mask for something that dampens. A hidden weight is a true "
                           "zero.")),
                  Option(T("正好不变", "by exactly nothing"),
                         lambda m: 1e-300 - m["question_after"]["largest"]))),
        Question(T("反过来，问题在前、文章在后。还是只改问题，文章里有多少状态会变？",
                   "Now the question first and the text after. Change only the question again: "
                   "how many states of the text change?"),
                 (Option(T("还是一个也不变", "none, as before"),
                         lambda m: 0.5 - m["question_before"]["moved"],
                         T("把“问题改不了文章”当成了规律。规律是：后面的改不了前面的。",
                           "keeps “a question cannot change a text” for the rule. The rule is: "
                           "later cannot change earlier.")),
                  Option(T("只有和问题有关的那几个词", "only the words it is about"),
                         lambda m: min(m["question_before"]["moved"],
                                       m["question_before"]["states"] / 2
                                       - m["question_before"]["moved"]),
                         T("以为无关的词拿不到权重。softmax 人人有份，每个词都看到了问题。",
                           "expects unrelated words to get no weight. Softmax gives everyone "
                           "some: every word has seen the question.")),
                  Option(T("全都变", "all of them"),
                         lambda m: m["question_before"]["moved"]
                         - m["question_before"]["states"] + 0.5)))),
    pins={"question_after.largest": exact("a true zero"),
          "question_after.relative": exact("a true zero"),
          "*.moved": exact("a count"), "*.states": exact("a count"),
          "unasked": ROUNDING, "*.largest": TRAINED, "*.relative": TRAINED,
          "*": exact("counts and words")},
    errata=ERRATA["order"],
    notes=T(
        "约 6 分钟，两次投票。争论点：提示词里，问题该放在长文章前面还是后面？"
        "放前面，文章带着问题读；放后面，文章可以读一次、存起来、问很多次。这里只证明机制，哪种更好要看任务。"
        "试试 --set 0.other=5。",
        "About 6 minutes, two votes. The argument: in a prompt, should the question stand before "
        "or after a long text? Before: the text is read with the question in mind. After: the "
        "text is read once, kept, and asked many times. This shows the mechanism; which is better "
        "depends on the task. Try --set 0.other=5."),
)
