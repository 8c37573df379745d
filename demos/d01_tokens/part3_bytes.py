"""01.3 Bytes: nothing is unknown: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d01_tokens.errata import ERRATA
from demos.d01_tokens.lesson import BYTES_CONTROLS, down_to_bytes
from demos.d01_tokens.words import COUNTED
from lecture.margins import at_least, both, equal
from lecture.quantities import Named, Rows
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
    "tokens.*.number": Quantity(T("第几个", "number"), "d"),
    "tokens.*.piece": Quantity(T("内容", "holds")),
    "tokens.*.bytes": Quantity(T("字节", "bytes"), "d"),
    "tokens.*.whole": Quantity(T("全是整字", "whole characters only")),
    "trips.*.characters": Quantity(T("字符", "characters"), "d"),
    "trips.*.bytes": Quantity(T("字节", "bytes"), "d"),
    "trips.*.tokens": Quantity(T("token", "tokens"), "d"),
    "trips.*.exact": Quantity(T("还原无误", "restored")),
    "*": Quantity(T("个数", "count"), ",d"),
}
NAMES = {
    "trips.chinese": T("中文", "Chinese"), "trips.english": T("英文", "English"),
    "trips.mixed": T("中英文和符号混排", "Chinese, English and signs"),
    "trips.emoji": T("由几个码点拼成的表情", "an emoji of several code points"),
    "trips.controls": T("控制字符", "control characters"),
}
LEAD = (
    Paragraph(T(
        "UTF-8 把每个字符写成一到四个字节，“中”是 {hex.0}，“国”是 {hex.1}。字节级 BPE 以全部字节"
        "为底，合并时不管字在哪里断。解码反过来：先把各个 token 的字节接起来，再变成字；拼不成整字"
        "的字节显示成替换符。\n"
        "例  “{text}”，在中文文本上合并 {merges} 次以后，切成 {n_tokens} 个 token（下表）。",
        "UTF-8 writes a character as one to four bytes: {hex.0} and {hex.1} are the first two of "
        "{text}. Byte-level BPE starts from all bytes and merges with no regard to where a "
        "character ends. Decoding goes back: join the bytes of all tokens, then make characters; "
        "bytes that make none show as a replacement sign.\n"
        "Example: {text}, “the capital of China is Beijing”, after {merges} merges on Chinese "
        "text: {n_tokens} tokens, below.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("tokens.*", ("piece", "bytes", "whole"), label="number",
               head=T("第几个 token", "token"), legend=T(
                   "方括号里是不成整字的字节。", "In brackets: bytes that are no whole character."))
    yield Rows("trips.*", ("characters", "bytes", "tokens", "exact"),
               head=T("编码，再解码", "there and back"))


PART = Part(
    number=3, key="bytes",
    title=T("字节：没有不认识的字", "Bytes: nothing is unknown"),
    compute=down_to_bytes, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"merges": Param(100, 0, 1000, about=T("合并几次", "how many merges"))},
    controls=BYTES_CONTROLS,
    claims=(
        Claim("three_bytes", T(
            "常用汉字在 UTF-8 里一字三个字节：{characters} 个字，{bytes} 个字节。",
            "A common Chinese character takes three bytes of UTF-8: {characters} characters, "
            "{bytes} bytes."),
            lambda m: both(at_least(m.characters, 1), equal(m.bytes, 3 * m.characters)),
            "two_byte_code", kind="identity"),
        Claim("round_trip", T(
            "{texts} 段文本，{exact} 段还原得一点不差，虽然训练时只见过中文。",
            "Of {texts} texts {exact} come back exactly, though only Chinese was seen in "
            "training."),
            lambda m: both(equal(m.exact, m.texts), at_least(m.texts, 1)),
            "token_by_token", kind="example"),
    ),
    caveat=T(
        "还原无误说的是编码，不是模型：模型写出来的字节可能不成整字，那时怎么显示，解码的程序要自己"
        "决定。",
        "Exact means the code, not the model: the bytes that a model writes may be no whole "
        "character, and the program that decodes must decide what to show."),
    questions=(Question(
        T("若把这 {n_tokens} 个 token 逐个解码，再把文字拼起来，得到什么？",
          "Decode these {n_tokens} tokens one by one, join the texts: what comes out?"),
        (Option(T("原句", "the sentence"),
                lambda m: equal(m.replaced, 0),
                T("以为 token 断在字的边上。合并看次数，不看字。",
                  "thinks that tokens end where characters end. Merges follow counts, not "
                  "characters.")),
         Option(T("有些地方是替换符", "some such signs"),
                lambda m: both(at_least(m.replaced, 1), at_least(m.n_tokens, m.partial + 1))),
         Option(T("全是替换符", "only such signs"),
                lambda m: at_least(m.partial, m.n_tokens),
                T("以为字节级的 token 都不成字。表里有一个整字就够反驳。",
                  "thinks that a byte token is never a character. One whole character in the "
                  "table refutes it.")),
         Option(T("报错，原句丢了", "an error"),
                lambda m: equal(m.joined, 0),
                T("什么也没丢：字节都在，只是解码早了一步。",
                  "nothing is lost: all bytes are there, decoding came one step too "
                  "early."))),
        answer=Claim("partial_tokens", T(
            "{n_tokens} 个 token 里有 {partial} 个含不成整字的字节，逐个解码冒出 {replaced} 个替换"
            "符；先接起来再解码，一个字不差。",
            "{partial} of {n_tokens} tokens hold bytes that are no whole character: one by one "
            "they give {replaced} replacement signs; joined first, the sentence is exact."),
            lambda m: both(at_least(m.partial, 1), at_least(m.replaced, 1), at_least(m.joined, 1),
                           at_least(m.n_tokens, m.partial)),
            "whole_characters", kind="example")),),
    pins={"*": COUNTED},
    errata=ERRATA["bytes"],
    notes=T(
        "约 4 分钟。先投票。争论点：聊天界面逐个 token 显示，遇到半个字该怎么办？试试 "
        "--set 3.merges=0：一个字节一个 token，还有整字吗？",
        "About 4 minutes. Vote first. The argument: a chat window shows token by token; what "
        "should it do with half a character? Try --set 3.merges=0: with a token a byte, is any "
        "character left whole?"),
)
