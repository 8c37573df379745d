"""15.3 The same journey in a translator: I love AI: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d15_text_to_next_word.errata import ERRATA
from demos.d15_text_to_next_word.lesson import LOVE, TRANSLATOR_CONTROLS, encoder_decoder
from demos.d15_text_to_next_word.words import COUNTED, TRAINED
from lecture.margins import above, at_least, at_most, below, both
from lecture.quantities import Group, Maps, Named, Rows
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
    "stages.*.shape": Quantity(T("形状", "shape")),
    "stages.*.first.*": Quantity(T("", ""), ".2f"),
    "stages.*.off": Quantity(T("关", "off"), "d"),
    "map": Quantity(T("权重，各头平均", "weight, mean of heads"), ".2f"),
    "cut.*.weight": Quantity(T("权重", "weight"), ".2f"),
    "cut.*.right": Quantity(T("说对的词", "words right"), ".0%"),
    "cut.*.none": Quantity(T("全错的句子", "sentences all wrong"), "d"),
    "sure": Quantity(T("概率", "P"), ".3f"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "stages.e_words": T("编码器：词向量", "encoder: word vectors"),
    "stages.e_places": T("  加上位置", "  plus positions"),
    "stages.e_look": T("  L0 自注意力的权重", "  L0 self-attention, weights"),
    "stages.e_self": T("  L0 自注意力写的", "  L0 self-attention writes"),
    "stages.e_mlp": T("  L0 MLP 写的", "  L0 MLP writes"),
    "stages.memory": T("  交给解码器的", "  handed to the decoder"),
    "stages.d_places": T("解码器：词向量加位置", "decoder: vectors, positions"),
    "stages.d_self": T("  L0 自注意力写的", "  L0 self-attention writes"),
    "stages.d_look": T("  L0 交叉注意力的权重", "  L0 cross-attention, weights"),
    "stages.d_cross": T("  L0 交叉注意力写的", "  L0 cross-attention writes"),
    "stages.d_mlp": T("  L0 MLP 写的", "  L0 MLP writes"),
    "stages.logits": T("分数", "scores (logits)"),
    "cut.most": T("最看重的", "looked at most"), "cut.second": T("第二看重的", "second"),
}
LEAD = (
    Paragraph(T(
        "演示 10 的英译中，编码器、解码器各 {layers} 层（L0），每层 {heads} 个头。每个子层写的都加"
        "回"
        "去，再归一化。“{text}”的编号是 {ids}；解码器从 <bos> 开始，一次一个词，说出“{said}”。"
        "一行一个词，走到底还是一行一个词：",
        "Demo 10's English to Chinese: encoder and decoder of {layers} layer each (L0), {heads} "
        "heads. What a sub-layer writes is added, then normed. “{text}” has the ids {ids}; the "
        "decoder starts from <bos> and says “{said}”, a word at a time. A row is a word, all the "
        "way:")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "stages.*",
        ("shape", Group(T("第一行开头", "first row begins"),
                        tuple(f"first.{i}" for i in range(3))), "off"),
        head=T("站", "stage"),
        legend=T("第一行：编码器是第一个词，解码器是 <bos>；权重是头×谁看×看谁。分数每行最高的"
                 "就是说出的词。关：这一站写零（位置是不加），{exam.sentences} 句考题还对几句；全"
                 "开 "
                 "{exam.right}。",
                 "first row: the first word, or <bos>; weights: heads × who looks × at whom. The "
                 "highest score of a row is the word said. off: this stage at zero (positions: "
                 "left out), right of {exam.sentences} sentences; all on: {exam.right}."))
    yield Rows(("cut.most", "cut.second"), ("weight", "right", "none"),
               head=T("每一步遮住的源词", "hidden from each step"),
               title=T("考题共 {cut.words} 个词", "The exam, {cut.words} words"))
    yield Maps(("map",), "steps", "source", more=True,
               title=T("这一句的交叉注意力", "Cross-attention in this sentence"))


PART = Part(
    number=3, key="translator",
    title=T("同一趟路，换成翻译：I love AI", "The same journey in a translator: I love AI"),
    compute=encoder_decoder, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("english_chinese",),
    params={"sentence": Param(LOVE, about=T("一句英文", "an English sentence"))},
    controls=TRANSLATOR_CONTROLS,
    claims=(
        Claim("stages_differ", T(
            "缺了 MLP 还能译一半以上：编码器的关掉，剩 {stages.e_mlp.off} 句；解码器的，"
            "{stages.d_mlp.off} 句。交叉注意力关掉，{stages.d_cross.off} 句。",
            "More than half survives without an MLP: {stages.e_mlp.off} sentences without the "
            "encoder's, {stages.d_mlp.off} without the decoder's. Without cross-attention: "
            "{stages.d_cross.off}."),
            lambda m: both(at_least(m.stages.e_mlp.off, m.exam.sentences / 2),
                           at_least(m.stages.d_mlp.off, m.exam.sentences / 2),
                           at_most(m.stages.d_cross.off, 0.1 * m.exam.sentences)),
            "next_stage_off"),
        Claim("order", T(
            "这些考题不太靠源句的词序：编码器不加位置，对 {stages.e_places.off} 句；源句倒着写，还"
            "对 "
            "{exam.backwards} 句。",
            "These sentences hardly need the source's order: without positions in the encoder "
            "{stages.e_places.off} are right, with the source back to front {exam.backwards}."),
            lambda m: both(at_least(m.stages.e_places.off, 0.9 * m.exam.sentences),
                           at_least(m.exam.backwards, 0.75 * m.exam.sentences)),
            "next_stage_off"),
    ),
    caveat=T(
        "单独一个数没有意思，要看的是形状。遮住的两个源词权重差得多；权重相当时差距小些（演示 "
        "10）。词序那条只说这份语料：句子短，花样少。只有一个种子。",
        "A single number of a vector means nothing; shapes are what to look at. The two hidden "
        "words differ in weight; at like weight the gap is smaller (demo 10). About order: this "
        "corpus only, short sentences of small variety. One seed."),
    questions=(Question(
        T("解码器每说一个词，都遮住它最看重的源词，别的照看。{exam.sentences} 句考题的词，还说对"
          "多少？",
          "From each step of the decoder, the source word it looks at most is hidden. How many of "
          "the words of {exam.sentences} sentences are still right?"),
        (Option(T("几乎全部", "nearly all"), lambda m: above(m.cut.most.right, 0.9),
                T("以为别的词和已说的词总能补上。", "counts on the other words to make up.")),
         Option(T("一半以上", "more than half"),
                lambda m: both(above(m.cut.most.right, 0.5), below(m.cut.most.right, 0.9)),
                T("高估了上下文：只剩 {cut.most.right:.0%}。",
                  "overrates context: {cut.most.right:.0%} are left.")),
         Option(T("不到一半", "less than half"),
                lambda m: both(below(m.cut.most.right, 0.5), above(m.cut.most.right, 0.02))),
         Option(T("几乎没有", "hardly any"), lambda m: below(m.cut.most.right, 0.02),
                T("以为一个词只从它那个源词来：有的词不靠它也说得对。",
                  "thinks a word comes from its source word alone: some are right without it."))),
        answer=Claim("cut", T(
            "剩 {cut.most.right}；改遮第二看重的，剩 {cut.second.right}。一个词大多靠它最看重的那个"
            "源词，但不全靠它：全错的只有 {cut.most.none} 句。",
            "{cut.most.right} are left; with the second one hidden, {cut.second.right}. A word "
            "mostly hangs on the source word looked at most, but not always: only "
            "{cut.most.none} sentences lose every word."),
            lambda m: both(below(m.cut.most.right, 0.5), above(m.cut.second.right, 0.9),
                           at_least(m.cut.most.none, 1),
                           below(m.cut.most.none, m.exam.sentences / 2)), "second_hidden")),),
    pins={"*.shape": COUNTED, "*": TRAINED},
    errata=ERRATA["translator"],
    notes=T(
        "约 5 分钟。和第 1 部分并排看：哪些站一样，多了哪一站？（编码器、交叉注意力。）让学生说出每"
        "一行的形状从哪来。换一句：--set 3.sentence=\"he "
        "plays the piano\"。",
        "About 5 minutes. Beside part 1: which stages are the same, which are new? (The encoder, "
        "cross-attention.) Let the class say where each shape comes from. Another sentence: --set "
        "3.sentence=\"he plays the "
        "piano\"."),
)
