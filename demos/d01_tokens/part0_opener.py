"""01.0 Six Chinese characters, how many tokens?: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d01_tokens.errata import ERRATA
from demos.d01_tokens.lesson import OPENER_CONTROLS, six_characters
from demos.d01_tokens.words import COUNTED, RATIO
from lecture.margins import above, at_least, at_most, below, both, equal, near
from lecture.quantities import Group, Named, Rows
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
    "texts.*.characters": Quantity(T("字符", "characters"), "d"),
    "texts.*.bytes": Quantity(T("字节", "bytes"), "d"),
    "texts.*.english.tokens": Quantity(T("token", "tokens"), "d"),
    "texts.*.both.tokens": Quantity(T("token", "tokens"), "d"),
    "texts.*.english.line": Quantity(T("只读过英文", "English only")),
    "texts.*.both.line": Quantity(T("英文和中文", "English and Chinese")),
    "learned.*.merges": Quantity(T("合并", "merges"), ",d"),
    "learned.*.beyond_ascii": Quantity(T("含中文字节的合并", "merges with Chinese bytes"), ",d"),
    "learned.*.vocabulary": Quantity(T("词表", "vocabulary"), ",d"),
    "learned.*.whole": Quantity(T("训练文本里已成一块的", "training pieces already one token"),
                                ".0%"),
    "corpus_words": Quantity(T("词", "words"), ",d"),
    "base": Quantity(T("字节", "bytes"), "d"),
    "*_r": Quantity(T("r", "r"), "d"),
    "example.ids.*": Quantity(T("编号", "id"), "d"),
    "example.n_bytes": Quantity(T("字节", "bytes"), "d"),
}
NAMES = {
    "texts.six": T("我爱人工智能", "我爱人工智能"),
    "texts.chinese": T("我们的老师在学校里看书", "我们的老师在学校里看书"),
    "texts.english": T("同一句话，英文", "the same in English"),
    "texts.strawberry": T("strawberry", "strawberry"),
    "learned.english": T("只读英文", "English only"),
    "learned.both": T("再加中文", "Chinese added"),
}
LEAD = (
    Paragraph(T(
        "模型读的不是文字，是编号：分词器把文字切成 token，每个 token 有一个编号。字节级的"
        "字节对编码（BPE）从字节出发（英文字母一个字节，汉字三个），{base} 个字节各是一个 "
        "token；然后一次一次地把训练文本里次数最多的相邻一对合成新 token。合并不跨空格，空"
        "格（写作 _）归后面的词。",
        "A model reads no letters but numbers: a tokenizer cuts text into tokens, each with an "
        "id. Byte-level byte-pair encoding (BPE) starts from bytes (a Latin letter is one, a "
        "Chinese character three): each of the {base} bytes is a token. Then, again and "
        "again, the most frequent pair of neighbours in the training text becomes a new token. "
        "No merge crosses a blank (shown as _), which belongs to the word after it.")),
    Paragraph(T(
        "例  读过 {corpus_words} 个词的英文、合并 {learned.english.merges} 次以后，{example.text} "
        "的 {example.n_bytes} 个字节切成\n    {example.line}      编号 {example.ids_line}",
        "Example: after {corpus_words} words of English and {learned.english.merges} merges the "
        "{example.n_bytes} bytes of\n{example.text} are cut into    {example.line}    "
        "with the ids {example.ids_line}")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "texts.*", ("characters", "bytes",
                    Group(T("只读过英文", "English only"), ("english.tokens",)),
                    Group(T("再加中文", "Chinese added"), ("both.tokens",))),
        head=T("文本", "text"))
    yield Rows(("texts.six", "texts.english", "texts.strawberry"), ("english.line",),
               head=T("文本", "text"), more=True,
               legend=T("方括号里是字节（十六进制）。", "In brackets: bytes in hexadecimal."))
    yield Rows(("texts.six", "texts.chinese", "texts.english"), ("both.line",),
               head=T("文本", "text"), more=True)
    yield Rows("learned.*", ("merges", "vocabulary", "beyond_ascii", "whole"),
               head=T("训练文本", "training text"), more=True)


PART = Part(
    number=0, key="opener",
    title=T("六个汉字，多少个 token？", "Six Chinese characters, how many tokens?"),
    compute=six_characters, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"merges": Param(1000, 0, 2000, about=T("合并几次", "how many merges"))},
    controls=OPENER_CONTROLS,
    claims=(
        Claim("cost", T(
            "只读过英文：同一句话，中文字数少（{texts.chinese.characters} 个），token 却多："
            "{texts.chinese.english.tokens} 个，英文 {texts.english.english.tokens} 个。",
            "English only: the same sentence is shorter in Chinese ({texts.chinese.characters} "
            "characters), yet takes more tokens: {texts.chinese.english.tokens}, in English "
            "{texts.english.english.tokens}."),
            lambda m: both(above(m.texts.chinese.english.tokens,
                                 1.5 * m.texts.english.english.tokens),
                           below(m.texts.chinese.characters, m.texts.english.characters)),
            "chinese_too"),
        Claim("added", T(
            "训练文本里再加一段中文，合并次数不变：这句中文从 {texts.chinese.english.tokens} 个 "
            "token 降到 {texts.chinese.both.tokens} 个；英文 {texts.english.both.tokens} 个，几乎"
            "没动。",
            "Add some Chinese to the training text, with as many merges: the Chinese sentence "
            "falls "
            "from {texts.chinese.english.tokens} tokens to {texts.chinese.both.tokens}, while "
            "English stays at about {texts.english.both.tokens}."),
            lambda m: both(below(m.texts.chinese.both.tokens,
                                 m.texts.chinese.english.tokens / 2),
                           near(m.texts.english.both.tokens, m.texts.english.english.tokens,
                                1.5)),
            "english_again"),
        Claim("letters", T(
            "strawberry 里有 {letters_r} 个 r，切成 {texts.strawberry.english.tokens} 个 token，"
            "没有一个是单独的 r（{tokens_r} 个）：模型收到的是 token 的编号，不是字母。",
            "strawberry has {letters_r} letters r; cut into {texts.strawberry.english.tokens} "
            "tokens, it has no lone r any more ({tokens_r}). What the model gets are ids of "
            "tokens, not "
            "letters."),
            lambda m: both(at_least(m.letters_r, 3), at_most(m.tokens_r, 0),
                           below(m.texts.strawberry.english.tokens,
                                 m.texts.strawberry.characters)),
            "no_merges"),
    ),
    caveat=T(
        "{texts.chinese.both.tokens} 比 {texts.english.both.tokens} 少，不等于中文便宜：中文不写"
        "空格，一串字能合成一块，英文最多合到一个词。训练文本由程序写成，"
        "{learned.english.whole} 的英文词和标点已各成一块；真实文本要另测。",
        "{texts.chinese.both.tokens} below {texts.english.both.tokens} does not make Chinese the "
        "cheap one: without blanks a run of characters may become one token, English stops at a "
        "word. Both texts are by a program, {learned.english.whole} of the English words and "
        "signs are one token already; real text must be measured."),
    further=T(
        "这里没有让任何模型数 r：token 是不是数错的原因，这张表说不了。",
        "No model was asked to count r here: whether tokens are the reason for miscounting, this "
        "table cannot say."),
    questions=(Question(
        T("这个分词器只读过英文。“我爱人工智能”切成几个 token？",
          "It has read English only. How many tokens does it make of 我爱人工智能?"),
        (Option(T("一个“未登录词”（没见过）", "one “unknown”"),
                lambda m: equal(m.texts.six.english.tokens, 1),
                T("以为没见过就成了“未登录词”。字节级词表里没有这一项：任何文字都由字节组成。",
                  "takes the unseen for “unknown”. A byte vocabulary has no such entry: every "
                  "text is made of bytes.")),
         Option(T("{texts.six.characters:d}，一字一个",
                  "{texts.six.characters:d}, one a character"),
                lambda m: equal(m.texts.six.english.tokens, m.texts.six.characters),
                T("以为 token 就是字。要在训练文本里够常见，一个字的字节才会合并。",
                  "takes a token for a character. The bytes of a character are joined only "
                  "if it is frequent in training.")),
         Option(T("{texts.six.bytes:d}，一个字节一个", "{texts.six.bytes:d}, one a byte"),
                lambda m: equal(m.texts.six.english.tokens, m.texts.six.bytes)),
         Option(T("报错", "an error"),
                lambda m: equal(m.texts.six.english.exact, 0),
                T("以为没见过的文字编码不了。字符级的词表会这样（第 2 部分），字节级的不会。",
                  "expects a refusal. A vocabulary of characters does refuse (part 2), one of "
                  "bytes never does."))),
        answer=Claim("bytes_only", T(
            "{texts.six.english.tokens} 个，正是它的 {texts.six.bytes} 个字节：英文的合并里，"
            "含中文字节的有 {learned.english.beyond_ascii} 次，没有一对可以合上。",
            "{texts.six.english.tokens}, its {texts.six.bytes} bytes: of the merges made on "
            "English {learned.english.beyond_ascii} hold a byte of Chinese, so no pair is joined."),
            lambda m: both(equal(m.texts.six.english.tokens, m.texts.six.bytes),
                           at_most(m.learned.english.beyond_ascii, 0)),
            "chinese_too")),),
    pins={"learned.*.whole": RATIO, "*": COUNTED},
    errata=ERRATA["opener"],
    notes=T(
        "约 4 分钟。先投票。再问：为什么同样的服务，写中文的人可能付得更多？试试 --set 0.merges=0："
        "英文也退回一个字节一个 token，“英文便宜”就不成立了。",
        "About 4 minutes. Vote first. Then ask why the same service may cost a Chinese writer "
        "more. Try --set 0.merges=0: English falls back to one token a byte too, and it is no "
        "longer the cheap one."),
)
