"""15.5 The map: which stage in which demo: what a person meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from demos.d15_text_to_next_word.lesson import CARRIERS, COURSE_CONTROLS, STAYERS, course
from demos.d15_text_to_next_word.words import COUNTED, TRAINED
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

STAGE_ROWS = {
    "tokens": T("分词：词变编号", "tokens: words to ids"),
    "words": T("词向量：编号变向量", "vectors: ids to rows"),
    "positions": T("位置", "positions"), "norm": T("归一化", "norm"),
    "attention": T("注意力（QKV、掩码、多头）", "attention (QKV, masks, heads)"),
    "residual": T("残差：加回去", "residual: added back"), "mlp": T("MLP（FFN）", "MLP (FFN)"),
    "logits": T("分数：同一张词表", "scores: the same table"),
    "cross": T("交叉注意力（演示 10 的模型）", "cross-attention (demo 10's model)")}
WHOLE_ROWS = {
    "before": T("没有注意力之前怎么做？", "What was done before attention?"),
    "cost": T("要花多少？", "What does it cost?"),
    "grows": T("电路怎样在训练里长出来？", "How does a circuit grow in training?"),
    "sure": T("它有多大把握，说的准吗？", "How sure is it, and is it right?"),
    "fact": T("事实在哪里，能改吗？", "Where is a fact, and can it be changed?")}


def show_course(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "国家模型一共 {total:,} 个学来的数，其中 MLP 占 {mlp_share:.0%}。每一站是哪一讲的：",
        "The country model has {total:,} learned numbers, {mlp_share:.0%} of them in its MLPs. "
        "Which demo showed which stage:"))
    yield Table(
        (Column(T("站", "stage")), Column(T("学来的数", "learned"), ",d"),
         Column(T("别处改，这里动", "moved from afar"), ".2f"), Column(T("演示", "demo"))),
        [[STAGE_ROWS[name], r["numbers"], r["moved"], " ".join(f"{d:02d}" for d in r["demos"])]
         for name, r in m["stages"].items()],
        title=T("从一句话到下一个词：整门课的地图",
                "From text to next word: the map of the course"),
        legend=T("别处改，这里动：只改别的位置上的输入，"
                 "这一站在最后一个位置的输出动多少（词向量一行包括"
                 "位置）；最后一行：改源句，交叉注意力写的东西动多少。",
                 "Moved from afar: only the inputs at other places are changed; how far does the "
                 "stage's output at the last place move (the row of vectors includes positions)? "
                 "Last row: the source sentence is changed; what does cross-attention write?"))
    yield Table(
        (Column(T("关于整体的问题", "about the whole")), Column(T("演示", "demo"))),
        [[WHOLE_ROWS[name], " ".join(f"{d:02d}" for d in demos)]
         for name, demos in m["whole"].items()])


def moves(stage: str) -> Callable[[Any], float]:
    """Positive when of the four asked only this stage carries anything over."""
    asked = ("attention", "mlp", "norm", "words")
    return lambda m: min(m["stages"][stage]["moved"] - 1e-9,
                         *(1e-9 - m["stages"][k]["moved"] for k in asked if k != stage))


PART = Part(
    number=5, key="course",
    title=T("地图：哪一站在哪一讲", "The map: which stage in which demo"),
    compute=course, describe=show_course, recipes=("base", "english_chinese"),
    controls=COURSE_CONTROLS,
    claims=(
        Claim("only_attention_moves", T(
            "只有注意力把东西从一个位置搬到另一个：别处一改，它的输出动 "
            "{stages[attention][moved]:.2f}（交叉注意力 {stages[cross][moved]:.2f}）；词向量、"
            "归一化、"
            "残差、MLP、分数动的都是零（{stages[words][moved]:g}、{stages[norm][moved]:g}、"
            "{stages[residual][moved]:g}、{stages[mlp][moved]:g}、{stages[logits][moved]:g}）。",
            "Only attention carries anything from place to place: change the others and its "
            "output moves by {stages[attention][moved]:.2f} (cross-attention "
            "{stages[cross][moved]:.2f}); vectors, norm, residual, MLP and scores move by zero "
            "({stages[words][moved]:g}, {stages[norm][moved]:g}, {stages[residual][moved]:g}, "
            "{stages[mlp][moved]:g}, {stages[logits][moved]:g})."),
            lambda m: min(*(m["stages"][k]["moved"] - 0.01 for k in CARRIERS),
                          *(1e-9 - m["stages"][k]["moved"] for k in STAYERS)),
            "changed_here_too"),
    ),
    questions=(Question(
        T("只改前面的词，不改最后一个。哪一站会让最后一个位置的数第一次变？",
          "Change the earlier words, not the last one. Which stage first makes the numbers of "
          "the last place change?"),
        (Option(T("词向量加位置", "word vectors and positions"), moves("words"),
                T("查表只看自己的编号和位置。", "a row is picked by one's own id and place only.")),
         Option(T("归一化", "the norm"), moves("norm"),
                T("它在一个位置的维度上求平均，不跨位置。",
                  "it averages over the numbers of one place, never over places.")),
         Option(T("注意力", "attention"), moves("attention")),
         Option(T("MLP", "the MLP"), moves("mlp"),
                T("它对每个位置各做一遍，互相看不见。",
                  "it is run on each place by itself; places do not see each other.")))),),
    pins={"*.numbers": COUNTED, "*.demos.*": COUNTED, "whole.*": COUNTED, "total": COUNTED,
          "counted": COUNTED, "*": TRAINED},
    notes=T(
        "约 3 分钟，收尾。让学生合上讲义，自己说出每一站做什么、在哪一讲；再给地图。",
        "About 3 minutes, to close. Notes shut, the class names each stage, what it does and "
        "where it was shown; then the map."),
)
