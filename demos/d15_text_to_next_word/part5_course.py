"""15.5 The map: which stage in which demo: what a person meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from demos.d15_text_to_next_word.lesson import CARRIERS, COURSE_CONTROLS, STAYERS, course
from demos.d15_text_to_next_word.words import COUNTED, TRAINED
from lecture.margins import above, below, both, every
from lecture.quantities import Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
)

QUANTITIES = {
    "stages.*.numbers": Quantity(T("参数", "parameters"), ",d"),
    "stages.*.moved": Quantity(T("别处改，这里动", "moved from afar"), ".2f"),
    "*.demos": Quantity(T("演示", "demo")),
    "large.mlp_share": Quantity(T("比例", "share"), ".0%"),
    "large.vocabulary": Quantity(T("行", "rows"), ",d"),
    "mlp_share": Quantity(T("比例", "share"), ".0%"),
    "total": Quantity(T("参数", "parameters"), ",d"),
}
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
    "sure": T("它有多大把握，说得准吗？", "How sure is it, and is it right?"),
    "fact": T("事实在哪里，能改吗？", "Where is a fact, and can it be changed?")}
LEAD = (
    Paragraph(T(
        "国家模型一共 {total} 个参数，MLP 占 {mlp_share}。最后一问，看整门课留下了什么：",
        "The country model has {total} parameters, {mlp_share} of them in its MLPs. A last "
        "question, to see what the course has left behind:")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("stages.*", ("numbers", "moved", "demos"), head=T("站", "stage"),
               title=T("从一句话到下一个词：整门课的地图",
                       "From text to next word: the map of the course"),
               legend=T("别处改，这里动：只改别的位置上的输入，这一站在最后一格的输出动多少（词向量"
                        "一行连位置）；末行：改源句。",
                        "moved from afar: only the inputs at other places are changed; how far "
                        "does the output at the last place move (vectors: with positions)? Last "
                        "row: the source sentence is changed."))
    yield Rows("whole.*", ("demos",), head=T("关于整体的问题", "about the whole"))


def moves(stage: str) -> Callable[[Any], float]:
    """Positive when of the four asked only this stage carries anything over."""
    asked = ("attention", "mlp", "norm", "words")
    return lambda m: both(
        above(m.stages[stage].moved, 1e-9),
        every(below(m.stages[k].moved, 1e-9) for k in asked if k != stage))


PART = Part(
    number=5, key="course",
    title=T("地图：哪一站在哪一讲", "The map: which stage in which demo"),
    compute=course, lead=LEAD, describe=blocks, quantities=QUANTITIES,
    names={**{f"stages.{key}": name for key, name in STAGE_ROWS.items()},
           **{f"whole.{key}": name for key, name in WHOLE_ROWS.items()}},
    recipes=("base", "english_chinese"), controls=COURSE_CONTROLS,
    claims=(
        Claim("where_parameters_sit", T(
            "MLP 占多少，要看词表有多大：这里占 {mlp_share}；同样的层配 GPT-2 的 "
            "{large.vocabulary} 行，只占 {large.mlp_share}。",
            "The MLPs' share hangs on the size of the word table: {mlp_share} here, "
            "{large.mlp_share} with the {large.vocabulary} rows of GPT-2 on the same layers."),
            lambda m: both(above(m.mlp_share, 0.5), below(m.large.mlp_share, 0.1)),
            "same_table", kind="example", given=("large.vocabulary",)),
    ),
    caveat=T(
        "答案按定义如此，模型训练没训练都一样；这里只是提醒：别的每一站都只看自己那一格。",
        "The answer is true by definition, trained or not; a reminder that every other stage sees "
        "only its own "
        "place."),
    questions=(Question(
        T("只改前面的词，不改最后一个。哪一站会让最后一个位置的数第一次变？",
          "Change the earlier words, not the last one. Which stage first makes the numbers of "
          "the last place change?"),
        (Option(T("词向量加位置", "vectors and positions"), moves("words"),
                T("查表只看自己的编号和位置。", "a row is picked by one's own id and place only.")),
         Option(T("归一化", "the norm"), moves("norm"),
                T("它在一个位置的维度上求平均，不跨位置。",
                  "it averages over the numbers of one place, never over places.")),
         Option(T("注意力", "attention"), moves("attention")),
         Option(T("MLP", "the MLP"), moves("mlp"),
                T("它对每个位置各做一遍，互相看不见。",
                  "it is run on each place by itself; places do not see each other."))),
        answer=Claim("only_attention_moves", T(
            "只有注意力在位置之间搬东西：它动 {stages.attention.moved}，两种语言之间的交叉注意力动 "
            "{stages.cross.moved}；其余的站都是零。",
            "only attention carries anything from place to place: it moves by "
            "{stages.attention.moved}, cross-attention, between two languages, by "
            "{stages.cross.moved}; every other stage by zero."),
            lambda m: both(*(above(m.stages[k].moved, 0.01) for k in CARRIERS),
                           *(below(m.stages[k].moved, 1e-9) for k in STAYERS)),
            "changed_here_too", kind="identity")),),
    pins={"*.numbers": COUNTED, "total": COUNTED, "*vocabulary": COUNTED, "*": TRAINED},
    notes=T(
        "约 3 分钟，收尾。让学生合上讲义，自己说出每一站做什么、在哪一讲；再给地图。",
        "About 3 minutes, to close. Notes shut, the class names each stage, what it does and "
        "where it was shown; then the map."),
)
