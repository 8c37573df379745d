"""06.0 The question before or after the text: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d06_masks.errata import ERRATA
from demos.d06_masks.lesson import ORDER_CONTROLS, before_or_after
from demos.d06_masks.words import TRAINED
from lecture.margins import above, at_most, below, both, equal
from lecture.quantities import Named, Rows
from lecture.report import (
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

QUANTITIES = {
    "*.moved": Quantity(T("动了的状态", "states that moved"), "d"),
    "*.states": Quantity(T("状态", "states"), "d"),
    "*.relative": Quantity(T("平均移动 / 自身长度", "mean move / own length"), ".0%"),
    "*.largest": Quantity(T("单个数最多变", "largest change"), ".2f"),
    "unasked": Quantity(T("最多差", "largest difference"), ".0e<1e-12"),
    "countries": Quantity(T("国家", "countries"), "d"),
    "pairs": Quantity(T("对", "pairs"), "d"),
    "text_words": Quantity(T("词", "words"), "d"),
    "layers": Quantity(T("层", "layers"), "d"),
    "changed_words": Quantity(T("词", "words"), "d"),
}
NAMES = {
    "question_after": T("文章在前，问题在后", "text, then question"),
    "question_before": T("问题在前，文章在后", "question, then text"),
    "unrelated": T("问题在前，问的是别的国家", "question on other countries first"),
    "no_mask": T("问题在后，拿掉掩码", "question after, mask taken off"),
}
LEAD = (Paragraph(T(
    "掩码是一张表：这个词（查询）可不可以看那个词（键）。因果掩码只许看自己和左边。例：迷你 GPT"
    "（演示 04）读一段文章和一个问题；问题里只换国名，文章一字不动：\n"
    "  文章  {text}\n"
    "  问题  {question}\n"
    "  换成  {other_question}\n"
    "看文章里各词每层的状态（那一格的向量）动不动：{countries} 国 × {text_words} 词 × {layers} 层 "
    "= {question_after.states} 个。",
    "A mask is a table: may this word (query) look at that one (key)? The causal mask allows "
    "itself and the left. Example: the tiny GPT (demo 04) reads a text and a question, of "
    "which only the country changes, and not a word of the text:\n"
    "  text  {text}\n"
    "  question  {question}\n"
    "  becomes   {other_question}\n"
    "Do the text's states (a vector a word and layer) move? {countries} countries × "
    "{text_words} words × {layers} layers = {question_after.states}.")),)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(("question_after", "no_mask", "question_before", "unrelated"),
               ("moved", "relative", "largest"),
               head=T("只换问题里的国名", "only the country changes"),
               legend=T("末一行：每篇文章配 {pairs} 对别的国家，取平均。",
                        "Last row: the mean of {pairs} pairs of other countries."))


PART = Part(
    number=0, key="order",
    title=T("问题放在文章前，还是后", "The question before or after the text"),
    compute=before_or_after, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("base",),
    params={"other": Param(1, 1, 23, about=T("换成往后第几个国家",
                                             "how many countries on the new question is"))},
    controls=ORDER_CONTROLS,
    claims=(
        Claim("the_mask_does_it", T(
            "是掩码在挡：同样的权重，问题同样在后，只拿掉掩码，{no_mask.moved} 个全动。",
            "It is the mask that keeps it out: same weights, same order, only the mask off, and "
            "all {no_mask.moved} move."),
            lambda m: both(equal(m.no_mask.moved, m.no_mask.states),
                           equal(m.question_after.moved, 0)), "mask_kept"),
        Claim("earlier_reaches_later", T(
            "问题在前，{question_before.moved} 个全动，平均动自身长度的 "
            "{question_before.relative}。可问两个与文章无关的国家，也动 {unrelated.relative}：动"
            "了，不等于带着问题去读。",
            "Question first: all {question_before.moved} move, by {question_before.relative} of "
            "their length on average. Yet a question on two countries that the text is not about "
            "moves them by {unrelated.relative} too: that they move does not mean that the text "
            "is read for the question."),
            lambda m: both(equal(m.question_before.moved, m.question_before.states),
                           above(m.question_before.relative, 0.01),
                           above(m.unrelated.relative, 0.75 * m.question_before.relative)),
            "apart"),
        Claim("read_once", T(
            "所以长文章可以先读好、存起来：没人提问时算的状态，和后来接上问题再算的，最多差 "
            "{unasked}，是舍入。",
            "So a long text can be read once and kept: its states computed with nobody asking, "
            "and with a question behind, differ by {unasked}, which is rounding."),
            lambda m: below(m.unasked, 1e-10), "mask_off"),
    ),
    caveat=T(
        "哪种次序答得更好，这里没有量：两种次序，这个模型训练时都没见过。",
        "Which order answers better was not measured: in training this model saw neither."),
    questions=(
        Question(T("文章在前，问题在后。只换问题里的国名，文章的状态会变多少？",
                   "Text first, question after. Only the question's country changes. The text's "
                   "states change:"),
                 (Option(T("很多", "a lot"), lambda m: above(m.question_after.relative, 0.01),
                         T("以为模型总是通读全文。因果掩码下，每个词只看自己和左边。",
                           "believes the model always reads the whole. Under a causal mask "
                           "every word looks at itself and left only.")),
                  Option(T("一点点", "a little"),
                         lambda m: both(m.question_after.largest,
                                        below(m.question_after.relative, 0.01)),
                         T("以为掩码只是把影响压小。被遮的权重正好是零。",
                           "takes a mask for something that dampens. A hidden weight is exactly "
                           "zero.")),
                  Option(T("正好不变", "by exactly nothing"),
                         lambda m: below(m.question_after.largest, 1e-300))),
                 answer=Claim("text_stands_still", T(
                     "{question_after.states} 个里动了 {question_after.moved} 个，最大的移动是 "
                     "{question_after.largest:g}。不是很小，是没有：后来的改不了先来的。",
                     "{question_after.moved} of {question_after.states} move, the largest by "
                     "{question_after.largest:g}. Not little: nothing. What comes later cannot "
                     "change what came before."),
                     lambda m: both(below(m.question_after.largest, 1e-300),
                                    at_most(m.question_after.moved, 0),
                                    m.question_after.states), "mask_off")),
    ),
    pins={"question_after.largest": exact("a true zero"),
          "question_after.relative": exact("a true zero"),
          "*.moved": exact("a count"), "*.states": exact("a count"),
          "unasked": ROUNDING, "*.largest": TRAINED, "*.relative": TRAINED,
          "*": exact("counts and words")},
    errata=ERRATA["order"],
    notes=T(
        "约 6 分钟。投票之后再问：反过来，问题在前呢？（先举手，再看第三行。）争论点：提示词里，问"
        "题该放在长文章前面还是后面？放后面，文章可以读一次、存起来、问很多次；放前面，文章的状态"
        "可以随问题变，变得有没有用，这里看不出。试试 --set 0.other=5。",
        "About 6 minutes. After the vote ask again: and with the question first? (Hands, then "
        "the third row.) The argument: in a prompt, should the question stand before or after a "
        "long text? After: the text is read once, kept, and asked many times. Before: its states "
        "may change with the question; whether that is of use does not show here. Try --set "
        "0.other=5."),
)
