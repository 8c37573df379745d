"""09.3 Where the parameters are: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d09_depth.errata import ERRATA
from demos.d09_depth.lesson import NO_CHANGE, PARAMETERS_CONTROLS, where_parameters_are
from lecture.report import (
    ARITHMETIC,
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Param,
    Part,
    Question,
    T,
    Table,
    exact,
)

MODEL_NAMES = {
    "encoder": T("一个编码器层", "an encoder layer"),
    "decoder": T("一个解码器层（有交叉注意力）", "a decoder layer (cross-attention)"),
    "stacks": T("6 + 6 层", "6 + 6 layers"),
    "translator": T("6 + 6 层，加共用词表", "6 + 6 layers, shared table"),
    "small": T("GPT-2 small", "GPT-2 small"), "medium": T("GPT-2 medium", "GPT-2 medium"),
    "xl": T("GPT-2 XL", "GPT-2 XL")}


def show_parameters(m: Metrics) -> Iterator[Block]:
    yield Table(
        (Column(T("模型", "model")), Column(T("全部参数", "all parameters"), ",d"),
         Column(T("FFN", "FFN"), ",d"), Column(T("词表", "tables"), ",d"),
         Column(T("FFN 占", "FFN share"), ".4f")),
        [[MODEL_NAMES[name], r["total"], r["ffn"], r["tables"], r["share"]]
         for name, r in m["models"].items()],
        legend=T("前四行宽 {width}，FFN 中间 {inner}，共用词表 {translator_vocabulary:,d} 个词。"
                 "GPT-2 的词表 {vocabulary:,d} 个词，另有位置表。偏置和归一化都算。只数矩阵，编码"
                 "器层"
                 "是 {matrices[encoder]:.4f}，解码器层 {matrices[decoder]:.4f}。",
                 "First four rows: width {width}, {inner} inside the FFN, a shared table of "
                 "{translator_vocabulary:,d} words. GPT-2 has {vocabulary:,d} words, and a table "
                 "of positions. Biases and norms are counted. Matrices alone: "
                 "{matrices[encoder]:.4f} of an encoder layer, {matrices[decoder]:.4f} of a "
                 "decoder layer."))
    words = [f"w{i + 1}" for i in range(m["change"]["words"])]
    yield Table(
        (Column(T("哪个词的输出", "output of")), Column(T("FFN", "FFN"), ".3f"),
         Column(T("注意力", "attention"), ".3f"),
         Column(T("注意力，有因果掩码", "attention, causal mask"), ".3f")),
        [[word, *values] for word, *values in
         zip(words, *m["change"]["moved"].values(), strict=True)],
        title=T("换掉第 {change[word]} 个词，各个输出最多变多少",
                "Word {change[word]} is replaced: the most that each output moves"))


def rest(values: Any, word: int) -> list[float]:
    """All but the changed word's."""
    return [v for i, v in enumerate(values) if i != word - 1]


PART = Part(
    number=3, key="parameters",
    title=T("参数在哪里", "Where the parameters are"),
    compute=where_parameters_are, describe=show_parameters,
    params={"vocab": Param(50_257, 1, 1_000_000,
                           about=T("GPT-2 的词表有多少词", "words in GPT-2's table"))},
    controls=PARAMETERS_CONTROLS,
    claims=(
        Claim("two_thirds_of_a_layer", T(
            "三分之二说的是一层编码器的矩阵：{matrices[encoder]:.4f}；有交叉注意力的解码器层是 "
            "{matrices[decoder]:.4f}。",
            "Two thirds is true of the matrices in one encoder layer: {matrices[encoder]:.4f}; "
            "of a "
            "decoder layer with cross-attention it is {matrices[decoder]:.4f}."),
            lambda m: min(1e-9 - abs(m["matrices"]["encoder"] - 2 / 3),
                          1e-9 - abs(m["matrices"]["decoder"] - 1 / 2)), "narrow_ffn"),
        Claim("not_of_a_model", T(
            "整个 GPT-2 small 里 FFN 只占 {models[small][share]:.4f}，因为词表和位置表占 "
            "{models[small][tables]:,d} 个；只看块是 {blocks_share[small]:.4f}。越大越接近三分之"
            "二："
            "medium {models[medium][share]:.4f}，XL {models[xl][share]:.4f}。",
            "Of the whole of GPT-2 small the FFN has {models[small][share]:.4f}, for the tables "
            "have {models[small][tables]:,d}; of the blocks alone {blocks_share[small]:.4f}. "
            "Larger "
            "models come nearer to two thirds: medium {models[medium][share]:.4f}, XL "
            "{models[xl][share]:.4f}."),
            lambda m: min(0.5 - m["models"]["small"]["share"],
                          0.01 - abs(m["blocks_share"]["small"] - 2 / 3),
                          m["models"]["medium"]["share"] - m["models"]["small"]["share"],
                          m["models"]["xl"]["share"] - m["models"]["medium"]["share"],
                          2 / 3 - m["models"]["xl"]["share"],
                          m["models"]["small"]["tables"] - 0.5), "no_tables"),
        Claim("less_with_a_table", T(
            "翻译用的六层加六层，FFN 占 {models[stacks][share]:.4f}；算上共用词表，"
            "{models[translator][share]:.4f}。",
            "In a translator of six and six layers the FFN has {models[stacks][share]:.4f}; with "
            "the shared table {models[translator][share]:.4f}."),
            lambda m: min(0.6 - m["models"]["stacks"]["share"],
                          m["models"]["stacks"]["share"] - 0.5,
                          m["models"]["stacks"]["share"] - m["models"]["translator"]["share"]
                          - 0.1), "no_tables"),
        Claim("word_by_word", T(
            "FFN 一个词一个词地做：换掉第 {change[word]} 个词，它自己的输出变 "
            "{change[moved][ffn][1]:.2f}，第一个词变 {change[moved][ffn][0]:g}，别的词都正好不变。"
            "注意力里别的词都变了，第一个变 {change[moved][attention][0]:.3f}。",
            "The FFN works word by word: replace word {change[word]} and its own output moves by "
            "{change[moved][ffn][1]:.2f}, the first by {change[moved][ffn][0]:g}, and no other at "
            "all. In attention every other word moves, the first by "
            "{change[moved][attention][0]:.3f}."),
            lambda m: min(NO_CHANGE - max(rest(m["change"]["moved"]["ffn"], 2)),
                          m["change"]["moved"]["ffn"][1] - 0.1,
                          min(rest(m["change"]["moved"]["attention"], 2)) - 1e-6),
            "mixing_first"),
    ),
    caveat=T(
        "这是参数的个数，不是显存，也不是计算量：激活值里注意力的权重会超过 FFN，见演示 11。"
        "最后一张表的矩阵是抽的，没有训练；“正好不变”与矩阵无关。",
        "These are numbers of parameters, neither memory nor work: among activations the attention "
        "weights overtake the FFN, see demo 11. The matrices of the last table are drawn, not "
        "trained; that nothing else moves does not depend on them."),
    questions=(
        Question(
            T("GPT-2 small 里，FFN 占全部参数的多少？",
              "What share of GPT-2 small's parameters is in the FFN?"),
            (Option(T("三分之二", "two thirds"),
                    lambda m: 0.03 - abs(m["models"]["small"]["share"] - 2 / 3),
                    T("讲义这么说。只在一层里才对：词表没有算进去。",
                      "the notes say so. It holds within a layer: the tables are left out.")),
             Option(T("46 %", "46 %"),
                    lambda m: 0.03 - abs(m["models"]["small"]["share"] - 0.46)),
             Option(T("一半", "half"),
                    lambda m: min(0.03 - abs(m["models"]["small"]["share"] - 0.52), 0.03),
                    T("一半是有交叉注意力的解码器层；GPT-2 没有交叉注意力。",
                      "half is a decoder layer with cross-attention; GPT-2 has none.")),
             Option(T("33 %", "33 %"),
                    lambda m: 0.03 - abs(m["models"]["small"]["share"] - 0.33),
                    T("把注意力的份额当成了 FFN 的；一层里注意力才是三分之一。",
                      "takes attention's share for the FFN's; within a layer attention has a "
                      "third.")))),
        Question(
            T("换掉第 2 个词，FFN 的哪些输出会变？（FFN 的输入只换这一个词）",
              "Word 2 of the FFN's input is replaced. Which of its outputs change?"),
            (Option(T("只有第 2 个", "the second only"),
                    lambda m: min(NO_CHANGE - max(rest(m["change"]["moved"]["ffn"], 2)),
                                  m["change"]["moved"]["ffn"][1] - NO_CHANGE)),
             Option(T("第 2 个和后面的", "the second and those after it"),
                    lambda m: min(min(m["change"]["moved"]["ffn"][1:]) - NO_CHANGE,
                                  NO_CHANGE - m["change"]["moved"]["ffn"][0]),
                    T("那是有因果掩码的注意力（最后一列）。",
                      "that is attention under a causal mask, the last column.")),
             Option(T("全部", "all of them"),
                    lambda m: min(m["change"]["moved"]["ffn"]) - NO_CHANGE,
                    T("那是没有掩码的注意力。FFN 不看别的词。",
                      "that is attention without a mask. The FFN looks at no other word.")))),
    ),
    pins={"change.moved.ffn.0": exact("a true zero"), "change.moved.causal.0":
          exact("a true zero"), "models.*.share": ARITHMETIC, "models.*": exact("counts"),
          "width": exact("a setting"), "inner": exact("a setting"),
          "vocabulary": exact("a setting"), "translator_vocabulary": exact("a setting"),
          "change.word*": exact("settings"), "*": ARITHMETIC},
    errata=ERRATA["parameters"],
    notes=T(
        "约 5 分钟。投票（GPT-2 small），再看表。争论点：为什么模型越大越接近三分之二？（词表随宽度"
        "长，块随宽度的平方长。）试试 --set 3.vocab=250000：多语言的词表。第二题投票之后，让学生"
        "说出"
        "最后一列第一行为什么是零。",
        "About 5 minutes. Vote (GPT-2 small), then the table. The argument: why do larger models "
        "come nearer to two thirds? (Tables grow with the width, blocks with its square.) Try "
        "--set 3.vocab=250000, a multilingual table. After the second vote ask why the first row "
        "of the last column is zero."),
)
