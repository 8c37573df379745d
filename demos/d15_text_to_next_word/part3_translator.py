"""15.3 The same journey in a translator: I love AI: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d15_text_to_next_word.errata import ERRATA
from demos.d15_text_to_next_word.lesson import LOVE, TRANSLATOR_CONTROLS, encoder_decoder
from demos.d15_text_to_next_word.words import COUNTED, TRAINED, four
from lecture.report import (
    Block,
    Claim,
    Column,
    HeatMap,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
)


def show_translator(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "演示 10 的英译中：编码器先读完全句，一个词留下一个向量；解码器从 <bos> 开始，"
        "每一步都回头看它们。",
        "Demo 10's English to Chinese: the encoder reads the whole sentence and leaves a vector "
        "a word; the decoder starts from <bos> and looks across at them in every step."))
    yield Table(
        (Column(T("词", "word")), Column(T("编号", "id"), "d"), *four(),
         Column(T("编码后长度", "encoded"), ".2f")),
        [[w["word"], w["id"], *w["first"], w["norm"], w["memory"]] for w in m["words"]],
        title=T("编码器：词、编号、{width} 维的词向量、读完全句后的长度",
                "Encoder: words, ids, vectors of width {width}, and their length once encoded"))
    yield Table(
        (Column(T("喂进去", "fed")), Column(T("说出", "says")),
         Column(T("概率", "probability"), ".3f")),
        [[s["fed"], s["says"], s["p"]] for s in m["steps"]],
        title=T("解码器：一步一个词", "Decoder: one word a step"))
    yield HeatMap(
        m["map"], [f"{s['fed']} → {s['says']}" for s in m["steps"]], m["source"],
        title=T("交叉注意力（各头平均）：每一步看原文哪里",
                "Cross-attention, mean of the heads: where each step looks"))


PART = Part(
    number=3, key="translator",
    title=T("同一趟路，换成翻译：I love AI", "The same journey in a translator: I love AI"),
    compute=encoder_decoder, describe=show_translator, recipes=("english_chinese",),
    params={"sentence": Param(LOVE, about=T("一句英文", "an English sentence"))},
    controls=TRANSLATOR_CONTROLS,
    claims=(
        Claim("ids", T(
            "编号是这张词表定的：第一个词是 {words[0][id]}；单独读、成批读、重建词表再读，一共得到 "
            "{readings} 种编号。",
            "Ids are fixed by the table: the first word is {words[0][id]}; read alone, in a "
            "batch and with the table built anew, the sentence has {readings} set of ids."),
            lambda m: 1.5 - m["readings"], "another_table"),
        Claim("said", T(
            "{sentence_text} 译成 {said}，每一步的概率至少 {sure:.3f}。",
            "{sentence_text} becomes {said}, every step with probability {sure:.3f} or more."),
            lambda m: m["sure"] - 0.5, "untrained"),
        Claim("bridge", T(
            "两种语言之间只有一座桥：只改编码器留下的第一个向量，解码器的分数就最多动 {moved:.2f}；"
            "关掉交叉注意力，动的是 {moved_off:g}。",
            "There is one bridge between the languages: change the first vector the encoder "
            "left and the decoder's scores move by up to {moved:.2f}; with cross-attention off "
            "by {moved_off:g}."),
            lambda m: min(m["moved"] - 0.01, 1e-12 - m["moved_off"]), "no_cross"),
        Claim("cut", T(
            "每一步遮住它最看重的源词：{cut[words]} 个词里还说对 {cut[own]} 个；改遮一个随便抽的"
            "别的源词，说对 {cut[other]} 个。",
            "Hide from each step the source word it looks at most: {cut[own]} of {cut[words]} "
            "words stay right; hide a drawn other one instead: {cut[other]}."),
            lambda m: m["cut"]["other"] - m["cut"]["own"] - 0.5, "cut_elsewhere"),
    ),
    caveat=T(
        "热图是一句话、各头平均；切断也只数了这一句。二百句的对照和切断在演示 10。",
        "The map is of one sentence, heads averaged, and the cut is counted on that sentence; "
        "demo 10 counts both on two hundred."),
    questions=(Question(
        T("解码器每说一个词，都遮住它最看重的那个源词（别的照看）。{sentence} 还能说对几个词？",
          "From each step of the decoder, hide the source word it looks at most; all others stay "
          "in sight. How many words of {sentence} are still right?"),
        (Option(T("全对：看别的词、看前文就补得上", "all: other words and what was said make up"),
                lambda m: m["cut"]["own"] - m["cut"]["words"] + 0.5,
                T("注意力层层混合，以为每个位置都什么都有。编码后的向量仍以自己的词为主。",
                  "thinks mixing puts everything everywhere; an encoded vector is still mostly "
                  "its own word.")),
         Option(T("对一部分：由前文接上", "some: what was already said leads on"),
                lambda m: min(m["cut"]["words"] - m["cut"]["own"] - 0.5,
                              m["cut"]["own"] - 0.5),
                T("把它当成会背句子的语言模型；原文说什么，只能从桥上过来。",
                  "takes it for a model that knows the sentence by heart; what the source says "
                  "comes over the bridge only.")),
         Option(T("一个也不对", "none"), lambda m: 0.5 - m["cut"]["own"]))),),
    pins={"words.*.word": COUNTED, "words.*.id": COUNTED, "*": TRAINED},
    errata=ERRATA["translator"],
    notes=T(
        "约 4 分钟。和第 1 部分并排看：哪些站一样，多了哪一站？（编码器、交叉注意力。）"
        "--set sentence=\"he plays the piano\" 换一句。",
        "About 4 minutes. Beside part 1: which stages are the same, which one is new? (The "
        "encoder, cross-attention.) Another sentence: --set sentence=\"he plays the piano\"."),
)
