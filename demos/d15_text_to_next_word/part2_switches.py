"""15.2 Eight components: which one can go?: what a person meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from demos.d15_text_to_next_word.lesson import NEEDED, SWITCHES_CONTROLS, switches
from demos.d15_text_to_next_word.words import COUNTED
from lecture.report import (
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

SWITCH_NAMES = {
    "words": T("词向量", "word vectors"), "attention": T("自注意力", "self-attention"),
    "heads": T("多头", "several heads"), "positions": T("位置", "positions"),
    "residual": T("残差", "residual"), "norm": T("归一化", "norm"),
    "mlp": T("MLP（FFN）", "MLP (FFN)"), "cross": T("交叉注意力", "cross-attention")}


def show_switches(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "国家模型全开时答对 {right}/{questions}；演示 10 的英译中全开时 {switch[cross][of]} 句对 "
        "{switch[cross][all]} 句。每次只关一个部件，权重一个不改，也不重新训练。",
        "With everything on, the country model answers {right} of {questions}; demo 10's English "
        "to Chinese gets {switch[cross][all]} of {switch[cross][of]} sentences. One component is "
        "off at a time; nothing is trained again."))
    yield Table(
        (Column(T("部件", "component")), Column(T("关掉后还对", "off: right"), "d"),
         Column(T("温和地关", "gently off"), "d"),
         Column(T("同样大的噪声", "noise as large"), "d")),
        [[SWITCH_NAMES[k], r["off"], r["gentle"], r["noise"]] for k, r in m["switch"].items()],
        title=T("每个部件轮流关掉：{questions} 题还对几题",
                "Each component off in turn: right answers of {questions}"),
        legend=T("关：写零；多头改成一个大头（矩阵不变）；残差改成“替换”；归一化整个拿掉。"
                 "温和地关："
                 "写平均值；每层只留一个头（最好的一种选法）；归一化改除一个固定的数。噪声："
                 "不关，加一个"
                 "随机方向、同样长的向量。最后一行是演示 10 的模型，译对的句子数。",
                 "Off: zeros; several heads become one wide head of the same matrices; a branch "
                 "replaces the stream instead of being added; norms taken out. Gently: the "
                 "average instead; one head kept a layer (the best choice); norms divide by one "
                 "fixed number. Noise: left on, a vector of drawn direction and the same length "
                 "added. The last row is demo 10's model: sentences right."))


def only_left(name: str) -> Callable[[Any], float]:
    """Positive when this component, and no other of the four, can go."""
    asked = ("positions", "mlp", "norm", "heads")
    return lambda m: min(
        m["switch"][name]["off"] - 0.9 * m["questions"],
        0.9 * m["questions"] - max(m["switch"][k]["off"] for k in asked if k != name))


PART = Part(
    number=2, key="switches",
    title=T("八个部件，哪个可以关掉？", "Eight components: which one can go?"),
    compute=switches, describe=show_switches, recipes=("base", "english_chinese"),
    controls=SWITCHES_CONTROLS,
    claims=(
        Claim("positions_can_go", T(
            "位置可以关：位置向量全写零，{questions} 题还对 "
            "{switch[positions][off]} 题；都写成平均值，对 {switch[positions][gentle]} 题。",
            "Positions can go: with every place vector at zero {switch[positions][off]} of "
            "{questions} stay right, with their average everywhere {switch[positions][gentle]}."),
            lambda m: min(m["switch"]["positions"]["off"],
                          m["switch"]["positions"]["gentle"]) - 0.9 * m["questions"],
            "first_place"),
        Claim("others_cannot", T(
            "GPT 里别的都不行：词向量剩 {switch[words][off]}，"
            "自注意力 {switch[attention][off]}，残差 "
            "{switch[residual][off]}，归一化 {switch[norm][off]}，MLP {switch[mlp][off]}；"
            "两个头并成一个伤得最轻，还有 {switch[heads][off]}。",
            "Nothing else in the GPT can: without word vectors {switch[words][off]} are left, "
            "without self-attention {switch[attention][off]}, residual "
            "{switch[residual][off]}, norm {switch[norm][off]}, MLP {switch[mlp][off]}; heads "
            "joined into one hurt least, {switch[heads][off]} left."),
            lambda m: min(m["switch"]["heads"]["off"] - max(
                m["switch"][k]["off"] for k in NEEDED if k != "heads"),
                0.75 * m["questions"] - m["switch"]["heads"]["off"]), "nothing_off"),
        Claim("how_it_is_off", T(
            "“关掉”怎么关很要紧：归一化拿掉剩 {switch[norm][off]} 题，改成除一个固定的数，对 "
            "{switch[norm][gentle]} 题。伤人的多半是大小失控。",
            "How it is switched off matters: no norm leaves {switch[norm][off]}, a division by "
            "one fixed number {switch[norm][gentle]}. Most of the harm is scale out of hand."),
            lambda m: m["switch"]["norm"]["gentle"] - m["switch"]["norm"]["off"]
            - 0.5 * m["questions"], "nothing_off"),
        Claim("content", T(
            "不是随便动一下就会错：加上同样长的随机向量，"
            "自注意力还对 {switch[attention][noise]} 题，MLP "
            "{switch[mlp][noise]} 题；关掉却只剩 {switch[attention][off]} 和 {switch[mlp][off]}。"
            "缺的是内容。",
            "Not any disturbance does it: with a drawn vector of the same length added, "
            "{switch[attention][noise]} (self-attention) and {switch[mlp][noise]} (MLP) stay "
            "right; switched off, {switch[attention][off]} and {switch[mlp][off]}. What is missing "
            "is content."),
            lambda m: min(m["switch"][k]["noise"] - m["switch"][k]["off"]
                          for k in ("attention", "mlp")) - 0.25 * m["questions"],
            "nothing_off"),
        Claim("cross", T(
            "交叉注意力：在译者里关掉，{switch[cross][of]} 句对 {switch[cross][off]} 句；"
            "GPT 里根本没有它（{cross_tensors[gpt]} 个矩阵），照样答对 {right}/{questions}。",
            "Cross-attention: off in the translator, {switch[cross][off]} of "
            "{switch[cross][of]} sentences are right; a GPT has none ({cross_tensors[gpt]} "
            "matrices) and answers {right} of {questions}."),
            lambda m: min(0.1 * m["switch"]["cross"]["of"] - m["switch"]["cross"]["off"],
                          0.5 - m["cross_tensors"]["gpt"],
                          m["right"] - 0.95 * m["questions"]), "nothing_off"),
    ),
    caveat=T(
        "“可以关”只对这个模型、这些题：训练时文档从零到 {shift} 之间随便抽的位置开始，因果掩码也"
        "漏出次序（演示 04、07）。需要次序的任务不是这样。关掉后不再训练："
        "重新训练的网络可能学会不用它。",
        "“Can go” holds for this model and these questions: in training a text began at a drawn "
        "place from zero to {shift}, and the causal mask leaks order (demos 04 and 07). Tasks "
        "that need order are different. Nothing was trained again: a network trained without a "
        "part may learn to do without it."),
    questions=(Question(
        T("每次关掉一个部件，不重新训练。哪个关了，题目还几乎全对？",
          "One component is switched off, nothing is trained again. Without which are almost all "
          "answers still right?"),
        (Option(T("位置", "positions"), only_left("positions")),
         Option(T("MLP：注意力才是主角", "the MLP: attention does the work"), only_left("mlp"),
                T("注意力只负责搬；把国家和关系变成答案，主要靠 MLP（演示 14）。",
                  "attention brings things over; turning country and relation into a word is "
                  "mostly the MLP's part (demo 14).")),
         Option(T("归一化：它只帮助训练", "the norm: it only helps training"), only_left("norm"),
                T("训练完也离不开：后面的矩阵都按归一化后的大小学的。",
                  "after training too: the matrices behind it were fitted to vectors of that "
                  "size.")),
         Option(T("多头：一个大头也一样", "several heads: one wide head does the same"),
                only_left("heads"),
                T("一个头只有一组权重，看国名就看不了别的。",
                  "one head has one set of weights and cannot look at two things apart.")))),),
    pins={"*": COUNTED},
    notes=T(
        "约 6 分钟。八个部件全投一遍（举手），记在黑板上，再给表。先只看第一列，再问：这样关公平"
        "吗？才看第二、三列。争论点：位置“没用”吗？（演示 07。"
        "）位置全写成第一个位置的向量就不行了："
        "<doc> 总站在那里，那个向量有特殊含义。",
        "About 6 minutes. A show of hands on all eight, noted on the board, then the table: first "
        "its first column, then ask whether that was a fair way to switch off, then the others. "
        "The argument: are positions useless? (Demo 07.) Give every token the first place's "
        "vector and it fails: <doc> always stands there, so that vector means something."),
)
