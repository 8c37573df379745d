"""15.1 From text to next word, stage by stage: what a person meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from demos.d15_text_to_next_word.lesson import STAGES_CONTROLS, stages
from demos.d15_text_to_next_word.words import COUNTED, TRAINED, four
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
)

STAGE_NAMES = {"0.in": T("词 + 位置", "word + position"),
               "0.mid": T("第 0 层注意力之后", "after attention 0"),
               "0.out": T("第 0 层 MLP 之后", "after MLP 0"),
               "1.mid": T("第 1 层注意力之后", "after attention 1"),
               "1.out": T("第 1 层 MLP 之后", "after MLP 1")}
WRITE_NAMES = {"attn": T("注意力", "attention"), "mlp": T("MLP", "MLP")}


def show_stages(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一句话切成 {length} 个 token，每个 token 是词表里 {vocabulary} 行中的一行；编号取出"
        "一个 {width} 维向量（下表是前几维和长度），再加上它所在位置的向量。",
        "The text becomes {length} tokens, each one of {vocabulary} rows of a table; the id picks "
        "a vector of width {width} (its first numbers and its length are shown), and the vector "
        "of its place is added."))
    yield Table(
        (Column(T("位置", "place"), "d"), Column(T("词", "word")), Column(T("编号", "id"), "d"),
         *four(), Column(T("位置向量长", "its place"), ".2f")),
        [[w["place"], w["word"], w["id"], *w["vector"]["first"], w["vector"]["norm"],
          w["position"]["norm"]] for w in m["words"]],
        title=T("一、二、三：词、编号、向量、位置", "Words, ids, vectors, places"))
    yield Table(
        (Column(T("层", "layer"), "d"), Column(T("头", "head"), "d"),
         Column(T("最看重", "looks most at")), Column(T("权重", "weight"), ".2f")),
        [[r["layer"], r["head"], r["word"], r["weight"]] for r in m["looks"]],
        title=T("注意力：最后一个位置看哪里", "Attention: where the last place looks"))
    yield Table(
        (Column(T("层", "layer"), "d"), Column(T("谁写的", "written by")), *four()),
        [[r["layer"], WRITE_NAMES[r["kind"]], *r["first"], r["norm"]] for r in m["writes"]],
        title=T("每一层往最后一个位置加了什么", "What each layer adds at the last place"))
    yield Table(
        (Column(T("站", "stage")), *four(), Column(T("现在读出", "reads")),
         Column(T("名次", "rank"), "d")),
        [[STAGE_NAMES[r["stage"]], *r["first"], r["norm"], r["top"], r["rank"]]
         for r in m["stream"]],
        title=T("最后一个位置的残差流，一站一站", "The stream at the last place, stage by stage"),
        legend=T("现在读出：这一站的状态直接送进最后的归一化和词表，分数最高的词；名次："
                 "最后说出的那个词"
                 "此时排第几。",
                 "Reads: the top word if the state of this stage went straight to the last norm "
                 "and the word table; rank: that of the word said in the end."))
    yield Table(
        (Column(T("词", "word")), Column(T("分数", "logit"), ".2f"),
         Column(T("概率", "probability"), ".4f")),
        [[r["word"], r["score"], r["p"]] for r in m["best"]],
        title=T("分数最高的几个词（世界里的正确答案：{wanted}）",
                "The words with the highest scores (right in this world: {wanted})"))


def reads_first(word: Callable[[Any], Any]) -> Callable[[Any], float]:
    return lambda m: (m["stream"][0]["top"] == word(m)) - 0.5


PART = Part(
    number=1, key="stages",
    title=T("从一句话到下一个词，一站一站", "From text to next word, stage by stage"),
    compute=stages, describe=show_stages, recipes=("base",),
    params={"text": Param("what is the capital of balavia ?",
                          about=T("这个世界里的一句话", "any text of the world"))},
    controls=STAGES_CONTROLS,
    claims=(
        Claim("a_sum", T(
            "残差流是一笔笔加出来的账：最后一个位置的状态，正好等于它的词向量、位置向量和 "
            "{layers} 层里注意力、MLP 写的东西之和，差 {gap:.0e<1e-12}。",
            "The stream is a running sum: the last place's state is its word vector plus its "
            "place vector plus all that attention and MLP wrote in {layers} layers; the largest "
            "difference is {gap:.0e<1e-12}."),
            lambda m: 1e-9 - m["gap"], "not_added"),
        Claim("says", T(
            "模型说 {said}，概率 {best[0][p]:.3f}，过半；第二名 {best[1][word]} 只有 "
            "{best[1][p]:.3f}。",
            "The model says {said}, with probability {best[0][p]:.3f}, more than half; the "
            "second, {best[1][word]}, has {best[1][p]:.3f}."),
            lambda m: min(m["best"][0]["p"] - 0.5, 0.5 - m["best"][1]["p"]),
            "untrained"),
        Claim("made_on_the_way", T(
            "这个词不在最后一个位置的入口处，是路上做出来的：刚进来时读出的是 {stream[0][top]}，"
            "它排第 {stream[0][rank]}；最后排第 {stream[4][rank]}。",
            "That word is not there at the last place's entrance, it is made on the way: first "
            "{stream[0][top]} is read and it ranks {stream[0][rank]}; at the end it ranks "
            "{stream[4][rank]}."),
            lambda m: min(m["stream"][0]["rank"] - 1.5, 1.5 - m["stream"][4]["rank"]),
            "untrained"),
        Claim("cut", T(
            "最强的一眼（第 {cut[layer]} 层第 {cut[head]} 个头看位置 {cut[place]}，权重 "
            "{cut[weight]:.2f}）切断，{said} 的概率从 {cut[before]:.3f} 掉到 {cut[after]:.3f}；"
            "同一个头改切随便抽的位置 {cut[other_place]}，还有 {cut[other]:.3f}。",
            "Cut the strongest look (layer {cut[layer]}, head {cut[head]}, at place {cut[place]}, "
            "weight {cut[weight]:.2f}) and {said} falls from {cut[before]:.3f} to "
            "{cut[after]:.3f}; cut the same head's look at a drawn place, {cut[other_place]}, and "
            "{cut[other]:.3f} is left."),
            lambda m: min(m["cut"]["before"] / 2 - m["cut"]["after"],
                          m["cut"]["other"] - m["cut"]["before"] / 2), "cut_elsewhere"),
    ),
    caveat=T(
        "单看一维没有意思，长度也不等于重要。“现在读出”用的是最后一站的归一化，"
        "中间的站不是为它训练的。"
        "切断只试了这一句；九十六题的数在演示 04。",
        "A single number of a vector means nothing by itself, and length is not importance. "
        "Reading early uses the norm of the last stage, which the earlier ones were not trained "
        "for. The cut is for this one text; demo 04 counts it over all questions."),
    questions=(Question(
        T("问题的最后一个 token 是冒号。刚加上位置、还没进第一层时，就从它那里"
          "读词，最可能读到什么？",
          "The question ends with a colon. Before the first layer, with only its place added, "
          "which word is read there?"),
        (Option(T("冒号自己", "the colon itself"), reads_first(lambda m: m["words"][-1]["word"])),
         Option(T("正确答案", "the right answer"), reads_first(lambda m: m["wanted"]),
                T("那里还不知道问的是哪个国家：别的词一个也没看。",
                  "that place cannot know the country yet: it has looked at no other word.")),
         Option(T("国名", "the country"),
                reads_first(lambda m: m["words"][m["cut"]["place"]]["word"]),
                T("国名在另一个位置上，要靠注意力才搬得过来。",
                  "the country stands at another place; only attention can bring it over.")),
         Option(T("别的词", "some other word"),
                lambda m: 0.5 - (m["stream"][0]["top"] in (
                    m["words"][-1]["word"], m["wanted"],
                    m["words"][m["cut"]["place"]]["word"])),
                T("读词和查词用的是同一张表，一个词的向量和自己最像。",
                  "words are read with the table they were looked up in, and a vector is most "
                  "like itself.")))),),
    pins={"gap": ROUNDING, "words.*.word": COUNTED, "words.*.id": COUNTED,
          "words.*.place": COUNTED, "*.rank": COUNTED, "*": TRAINED},
    notes=T(
        "约 6 分钟。先投票，再从上往下念一遍表，每张表停一下：这是第几讲？请学生出题："
        "--set text=\"who leads balavia ?\"，不认识的词会被点名。争论点：答案“在”哪一层？",
        "About 6 minutes. Vote, then read the tables downwards and stop at each: which lecture "
        "was this? Let students ask: --set text=\"who leads balavia ?\"; unknown words are named. "
        "The argument: in which layer is the answer?"),
)
