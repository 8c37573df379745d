"""10.1 An encoder-decoder that works: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d10_translation.errata import ERRATA
from demos.d10_translation.lesson import TRANSLATE_CONTROLS, translate
from demos.d10_translation.words import COUNTED, DIRECTION_NAMES, RECORDED, TRAINED, each
from lecture.report import (
    ROUNDING,
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
)


def show_exam(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "两个小译者，各读过 {directions[fr_en][trained_on]} 个句子，考 "
        "{directions[fr_en][held_out]} 个"
        "没读过的。编码器 {layers[encoder]} 层、每层 {sub_layers[encoder]} 个子层；解码器 "
        "{layers[decoder]} 层、每层 {sub_layers[decoder]} 个子层；每个子层后面都有 Add & Norm，"
        "最后是线性层"
        "加 softmax。宽度 {memory[width]}，{layers[heads]} 个头，一共 {layers[numbers]:,} 个数。",
        "Two small translators, each trained on {directions[fr_en][trained_on]} sentences, sit "
        "an exam of {directions[fr_en][held_out]} they never read. Encoder: {layers[encoder]} "
        "layer of {sub_layers[encoder]} sub-layers; decoder: {layers[decoder]} layer of "
        "{sub_layers[decoder]}; Add & Norm after every sub-layer, a linear map and softmax at "
        "the end. Width {memory[width]}, {layers[heads]} heads, {layers[numbers]:,} numbers in "
        "all."))
    yield Table(
        (Column(T("方向", "direction")), Column(T("考题", "exam"), "d"),
         Column(T("全对", "exact"), "d"), Column(T("比例", "share"), ".1%"),
         Column(T("逐词译全对", "word by word"), "d"),
         Column(T("比例", "share"), ".1%")),
        [[DIRECTION_NAMES[d], r["held_out"], r["exact"], r["share"], r["word_by_word"],
          r["by_word_share"]] for d, r in m["directions"].items()],
        title=T("没见过的句子，一个词都不差才算对",
                "Held-out sentences; right means every word in its place"))
    yield Table(
        (Column(T("原文", "source")), Column(T("译文", "translation")),
         Column(T("逐词译", "word by word"))),
        [[r["source"], r["said"], r["by_word"]] for rows in m["examples"].values()
         for r in rows],
        title=T("语序、搭配、一词多译：play 的译法看宾语",
                "Order, agreement, one word with several: play hangs on its object"))
    yield Table(
        (Column(T("对换什么", "exchanged")), Column(T("句子", "sentences"), "d"),
         Column(T("两个名词对调", "nouns swapped"), "d"),
         Column(T("译文不变", "unchanged"), "d")),
        [[T("两个名词的值", "values of the two nouns"), *m["swap"].values()],
         [T("别处两个词的值", "values of two drawn other words"), *m["elsewhere"].values()],
         [T("两个名词的整个向量", "whole vectors of the two nouns"), *m["vectors"].values()]],
        title=T("{swap_example[source]}：{swap_example[plain]} → {swap_example[swapped]}",
                "{swap_example[source]}: {swap_example[plain]} → {swap_example[swapped]}"),
        legend=T("一个词都不改，只动解码器要取的东西。考题里凡是“甲对乙做什么”、单复数相同的都算。",
                 "No word is changed, only what the decoder fetches. All exam sentences where "
                 "one living being acts on another, both one or both many."))


PART = Part(
    number=1, key="translate",
    title=T("一个真能翻译的编码器–解码器", "An encoder-decoder that works"),
    compute=translate, describe=show_exam,
    recipes=("french_english", "english_chinese"),
    controls=TRANSLATE_CONTROLS,
    claims=(
        Claim("exam", T(
            "没见过的句子：法译英 {directions[fr_en][exact]} / {directions[fr_en][held_out]} "
            "句全对，"
            "英译中 {directions[en_zh][exact]} / {directions[en_zh][held_out]} 句；"
            "考题混进训练的有 "
            "{directions[fr_en][seen]} 句和 {directions[en_zh][seen]} 句。",
            "Held-out sentences right to the word: French to English {directions[fr_en][exact]} "
            "of {directions[fr_en][held_out]}, English to Chinese {directions[en_zh][exact]} of "
            "{directions[en_zh][held_out]}; exam sentences that were trained on: "
            "{directions[fr_en][seen]} and {directions[en_zh][seen]}."),
            lambda m: each(m["directions"], lambda r: min(
                r["exact"] - 0.95 * r["held_out"], 0.5 - r["seen"])), "untrained"),
        Claim("grammar", T(
            "光有词典不够：逐词译只有 {directions[fr_en][by_word_share]:.1%} 和 "
            "{directions[en_zh][by_word_share]:.1%} 全对，译者是 {directions[fr_en][share]:.1%} 和 "
            "{directions[en_zh][share]:.1%}。",
            "A dictionary is not enough: word by word gets {directions[fr_en][by_word_share]:.1%} "
            "and {directions[en_zh][by_word_share]:.1%} right, the translators "
            "{directions[fr_en][share]:.1%} and {directions[en_zh][share]:.1%}."),
            lambda m: each(m["directions"], lambda r: r["share"] - r["by_word_share"] - 0.5),
            "by_dictionary"),
        Claim("memory", T(
            "编码器交出的不是一个“语义向量”：{memory[words]} 个词，{memory[vectors]} 个向量。"
            "把它们平均成一个，{memory[exam]} 句里全对的从 {memory[kept]} 句掉到 "
            "{memory[averaged]} 句。",
            "What leaves the encoder is not one meaning vector: {memory[words]} words, "
            "{memory[vectors]} vectors. Average them into one and of {memory[exam]} sentences "
            "{memory[averaged]} stay right, not {memory[kept]}."),
            lambda m: min(0.5 - abs(m["memory"]["vectors"] - m["memory"]["words"]),
                          m["memory"]["kept"] / 2 - m["memory"]["averaged"]), "not_averaged"),
        Claim("padding", T(
            "单独译，或放进填充到 {padding[width]} 个词的一批里译：{padding[sentences]} "
            "句中译文不同的有 "
            "{padding[different]} 句，分数的差 {padding[moved]:.0e<1e-12}。"
            "填充的位置在两边都被遮住了。",
            "Alone, or in a batch padded to {padding[width]} words: of {padding[sentences]} "
            "sentences {padding[different]} come out differently, and the largest move of a "
            "score is {padding[moved]:.0e<1e-12}. Padding is masked on both sides."),
            lambda m: min(0.5 - m["padding"]["different"], 1e-9 - m["padding"]["moved"]),
            "padding_seen"),
        Claim("swap", T(
            "对换两个名词的值，一个词都不改：{swap[sentences]} 句中 {swap[swapped]} 句的译文里两个"
            "名词就对调了；对换别处两个词的值，一句也没有这样（{elsewhere[swapped]}）。",
            "Exchange the values of the two nouns, change no word: in {swap[swapped]} of "
            "{swap[sentences]} translations the two nouns have swapped; after exchanging two "
            "other values, in {elsewhere[swapped]}."),
            lambda m: min(m["swap"]["swapped"] - 0.75 * m["swap"]["sentences"],
                          0.5 - m["elsewhere"]["swapped"]), "swap_elsewhere"),
        Claim("vectors", T(
            "键跟着值一起搬，就什么也没变：{vectors[sentences]} 句中 {vectors[unchanged]} 句的译文"
            "一字不差。交叉注意力不管向量排在第几个。",
            "Let the keys move with the values and nothing happens: {vectors[unchanged]} of "
            "{vectors[sentences]} translations stay the same. Cross-attention does not mind "
            "where in the row a vector stands."),
            lambda m: m["vectors"]["unchanged"] - m["vectors"]["sentences"] + 0.5, "keys_stay"),
        Claim("seeds", T(
            "换种子重训（记录，每个方向 {record[seeds]} 个）：法译英最差 {record[fr_en][worst]} "
            "句，英译中最差 "
            "{record[en_zh][worst]} 句（各 {record[held_out]} 句）；"
            "对换值以后名词对调过四分之三的有 "
            "{record[mostly_swap]} 个种子，最少的一个只有 {record[fewest_swapped]:.0%}。",
            "Trained from other seeds (recorded, {record[seeds]} a direction): at worst "
            "{record[fr_en][worst]} right in French to English and {record[en_zh][worst]} in "
            "English to Chinese, of {record[held_out]} each; after the exchange three quarters "
            "or more of the nouns swap in {record[mostly_swap]} seeds, in the lowest "
            "{record[fewest_swapped]:.0%}."),
            lambda m: min(m["record"]["lowest_share"] - 0.95,
                          m["record"]["mostly_swap"] - 0.8 * m["record"]["seeds"] + 0.5,
                          m["directions"]["fr_en"]["share"] - 0.95), "untrained"),
    ),
    caveat=T(
        "这是一个几十个词的小世界，句子由文法拼成；考题里的词和搭配大多在训练里分别见过。"
        "真语言要难得多，"
        "“全对”也不是真译文的标准。",
        "A world of some dozens of words whose sentences a grammar puts together; the words of "
        "the exam were all seen in training, only never in these sentences. A real language is "
        "much harder, and “every word the same” is no measure of a real translation."),
    questions=(Question(
        T("编码器读了一句三个词的话，交给解码器几个向量？",
          "The encoder reads a sentence of three words. How many vectors does it hand over?"),
        (Option(T("1 个：整句的“语义向量”", "one: the meaning of the sentence"),
                lambda m: 0.5 - abs(m["memory"]["vectors"] - 1),
                T("那是演示 03 的编码器。这里一个词一个，平均成一个就译不了。",
                  "that is the encoder of demo 03. Here each word has its own, and one average "
                  "of them cannot be translated.")),
         Option(T("3 个：一个词一个", "three: one a word"),
                lambda m: 0.5 - abs(m["memory"]["vectors"] - m["memory"]["words"])),
         Option(T("40 个：宽度是多少就多少个", "forty: as many as the width"),
                lambda m: 0.5 - abs(m["memory"]["vectors"] - m["memory"]["width"]),
                T("把向量的长度当成了向量的个数。",
                  "takes the length of a vector for the number of vectors.")),
         Option(T("4 个：解码器走几步就几个", "four: one for each step of the decoder"),
                lambda m: 0.5 - abs(m["memory"]["vectors"] - m["memory"]["said"]),
                T("编码器只跑一次，那时还不知道译文有多长。",
                  "the encoder runs once, before anybody knows how long the translation "
                  "will be.")))),),
    pins={"padding.moved": ROUNDING, "keys_are_not_values": TRAINED, "record.*": RECORDED,
          "*": COUNTED},
    errata=ERRATA["translate"],
    notes=T(
        "约 8 分钟。先投票“几个向量”，再看考卷。让学生读 play 的三种译法。重头戏是对换："
        "先问“只换值会"
        "怎样、连键一起换会怎样”，再看表。争论点：译文对调了，能不能说模型“懂”谁是主语？",
        "About 8 minutes. Vote on the vectors, then the exam. Let the class read the three "
        "translations of play. The main thing is the exchange: ask what happens with values "
        "alone and with keys too, then show the table. The argument: the nouns swapped; does "
        "the model know which is the subject?"),
)
