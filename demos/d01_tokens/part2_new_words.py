"""01.2 New words: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d01_tokens.errata import ERRATA
from demos.d01_tokens.lesson import NEW_WORDS_CONTROLS, new_words
from demos.d01_tokens.words import COUNTED, RATIO
from lecture.margins import above, at_least, at_most, below, both, word
from lecture.quantities import BarRows, Lines, Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
)

QUANTITIES = {
    "trace.*.merge": Quantity(T("合并", "merge"), "d"),
    "trace.*.count": Quantity(T("训练时的次数", "count in training"), ",d"),
    "trace.*.cut": Quantity(T("切法", "the word now")),
    "kinds.*.vocabulary": Quantity(T("词表", "vocabulary"), ",d"),
    "kinds.*.length": Quantity(T("每个词的 token", "tokens a word"), ".2f"),
    "kinds.*.unknown": Quantity(T("未登录词", "unknown words"), ".1%"),
    "seam.words": Quantity(T("词", "words"), ",d"),
    "seam.endings": Quantity(T("词尾", "endings"), "d"),
    "seam.joined": Quantity(T("词尾", "endings"), "d"),
    "seam.*": Quantity(T("切分点落在词干和词尾之间", "a cut between stem and ending"), ".0%"),
    "curve.merges": Quantity(T("合并次数", "merges"), ",d"),
    "curve.length*": Quantity(T("每个词几个 token", "tokens a word"), ".2f"),
    "half": Quantity(T("每个词几个 token", "tokens a word"), ".2f"),
    "*_words": Quantity(T("词", "words"), ",d"),
    "merges": Quantity(T("合并", "merges"), ",d"),
    "*": Quantity(T("个数", "count"), "d"),
}
NAMES = {
    "kinds.characters": T("字符", "characters"), "kinds.subwords": T("子词（BPE）", "subwords "
                                                                                    "(BPE)"),
    "kinds.words": T("整词", "words"),
    "seam.hit": T("BPE 的切分", "as BPE cuts"),
    "seam.random": T("同样多，位置随机", "as many cuts, anywhere"),
    "curve.length": T("没训练过的文本", "text not trained on"),
}
LEAD = (
    Paragraph(T(
        "切新词：从单个字符开始，把训练时学到的合并按学到的先后套上去；套不上的符号就留着。\n"
        "例  {text_words} 个词的英文，合并 {merges} 次。{word} 在里面出现 {seen} 次，套得上的合并"
        "有 "
        "{n_trace} 次：",
        "To cut a new word, start from single characters and apply the merges in the order in "
        "which "
        "they were learned; symbols that no merge fits stay as they are.\n"
        "Example: English, {text_words} words, {merges} merges. {word} occurs {seen} times in it; "
        "{n_trace} merges fit:")),
    Rows("trace.*", ("count", "cut"), label="merge", head=T("第几次合并", "merge"), rule=False),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("kinds.*", ("vocabulary", "length", "unknown"),
               head=T("{held_out_words:,} 个词的新文本", "new text, {held_out_words:,} words"))
    yield BarRows(("seam.hit", "seam.random"), high=1.0, title=T(
        "{seam.words} 个没见过的派生词：有切分点落在词干和词尾之间",
        "{seam.words} derived words never seen: a cut between stem and ending"))
    if len(m["curve"]["merges"]) > 1:
        yield Lines("curve.merges", "curve.length", more=True)


PART = Part(
    number=2, key="new_words",
    title=T("没见过的词", "New words"),
    compute=new_words, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"merges": Param(600, 0, 2000, about=T("合并几次", "how many merges")),
            "words": Param(12_500, 500, 50_000,
                           about=T("训练文本有多少词", "words in the training text"))},
    controls=NEW_WORDS_CONTROLS,
    claims=(
        Claim("seam", T(
            "{seam.hit} 的派生词有切分点落在词干和词尾之间；切分点同样多、位置随机，是 "
            "{seam.random}：{seam.endings} 种词尾里有 {seam.joined} 种已经合成了一个 token。",
            "{seam.hit} of the derived words have a cut between stem and ending, as many cuts "
            "anywhere would give {seam.random}: {seam.joined} of the {seam.endings} endings have "
            "become one token each."),
            lambda m: both(above(m.seam.hit, m.seam.random + 0.2),
                           at_least(m.seam.joined, m.seam.endings - 1)), "letters_shuffled"),
        Claim("between", T(
            "子词在中间：每个词 {kinds.subwords.length} 个 token，字符要 "
            "{kinds.characters.length} 个。",
            "Subwords stand between: {kinds.subwords.length} tokens a word, where characters take "
            "{kinds.characters.length}."),
            lambda m: both(above(m.kinds.characters.length, m.kinds.subwords.length + 0.5),
                           above(m.kinds.subwords.length, m.kinds.words.length)),
            "no_merges"),
        Claim("coverage", T(
            "整词要更大的词表，{kinds.words.vocabulary} 项对 {kinds.subwords.vocabulary} 项，新文本"
            "里还有 {kinds.words.unknown} 是未登录词；子词一个词也不缺。",
            "Whole words need a larger vocabulary, {kinds.words.vocabulary} against "
            "{kinds.subwords.vocabulary}, and leave {kinds.words.unknown} of the new text unknown; "
            "with subwords no word is."),
            lambda m: both(above(m.kinds.words.vocabulary, m.kinds.subwords.vocabulary),
                           above(m.kinds.words.unknown, 0),
                           below(m.kinds.subwords.unknown, 1e-9)),
            "same_text"),
        Claim("early_merges", T(
            "前一半合并省得多：每个词从 {kinds.characters.length} 个 token 降到 {half}；后一半只再"
            "降"
            "到 {kinds.subwords.length}。",
            "The first half of the merges saves most: from {kinds.characters.length} tokens a "
            "word to {half}; the second half only gets to {kinds.subwords.length}."),
            lambda m: above(m.kinds.characters.length - m.half,
                            2 * (m.half - m.kinds.subwords.length)),
            "no_merges", more=True),
    ),
    caveat=T(
        "新文本和训练文本出自同一个程序：真实文本里未登录词有多少，要另测。",
        "The new text is by the same program as the old: how much of real text is unknown must be "
        "measured there."),
    further=T(
        "派生词是机械造的：每个动词加 ed、ing、er、able，每个形容词加 er、est、ly、ness，有些不是"
        "真词；词尾从哪里开始按造法算（lov|able）。换一张词表，比例会变。",
        "The derived words are made by rule: every verb with ed, ing, er, able, every adjective "
        "with er, est, ly, ness, some of them no words; the ending begins where the rule put it "
        "(lov|able). Another list gives other shares."),
    questions=(Question(
        T("字符级 BPE 只见过 low lower new lowest newer。它把 lovable 切成什么？",
          "Character BPE, trained on low lower new lowest newer: lovable becomes?"),
        (Option(T("lov+able", "lov+able"),
                lambda m: word(m.toy.cut, "lov+able"),
                T("要先在别的词里见过 able，才合并得出来。",
                  "able must first be met, and joined, in other words.")),
         Option(T("love+able", "love+able"),
                lambda m: word(m.toy.cut, m.notes_cut),
                T("接起来是 {notes_cut}：各块接起来必须等于原词。",
                  "that spells {notes_cut}: pieces joined must give the word back.")),
         Option(T("切不了", "it cannot"),
                lambda m: at_least(m.toy.n_missing, 1)),
         Option(T("七个单独的字母", "seven single letters"),
                lambda m: word(m.toy.cut, "l+o+v+a+b+l+e"),
                T("以为子词总能退到字母。只有词表里有的字母才退得到；字节级的才总能退。",
                  "thinks that subwords can always fall back on letters: only on letters of "
                  "the vocabulary. Bytes always can.")))
        , answer=Claim("refused", T(
            "缺 {toy.missing_line} 这 {toy.n_missing} 个字母，这里报错；常见的分词器改记成“未登录"
            "词”"
            " [UNK]。以字节为底，缺 {byte.n_missing} 个，切成 {byte.tokens} 个 token。",
            "{toy.n_missing} letters are missing, {toy.missing_line}: an error here, while many "
            "tokenizers write “unknown”, [UNK]. On a base of bytes {byte.n_missing} are missing: "
            "{byte.tokens} tokens."),
            lambda m: both(at_least(m.toy.n_missing, 1), at_most(m.byte.n_missing, 0),
                           at_least(m.byte.tokens, 1)),
            "byte_base")),),
    pins={"kinds.*.length": RATIO, "kinds.*.unknown": RATIO, "curve.length.*": RATIO,
          "half": RATIO, "seam.hit": RATIO, "seam.random": RATIO, "*": COUNTED},
    errata=ERRATA["new_words"],
    notes=T(
        "约 6 分钟。先让学生猜：lovable 要合并多少次才切成两块？再看例子。试试 --set 2.merges=200："
        "还有几块？切分点落在词干和词尾之间的，多了还是少了？",
        "About 6 minutes. Let them guess how many merges it takes until lovable falls into "
        "two pieces, then look at the example. Try --set 2.merges=200: how many pieces now, and "
        "is the cut between stem and ending more frequent, or less?"),
)
