"""15.1 From text to next word, stage by stage: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d15_text_to_next_word.lesson import STAGES_CONTROLS, stages
from demos.d15_text_to_next_word.words import ASKED, COUNTED, TRAINED
from lecture.margins import above, at_least, at_most, below, both, rises
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    ROUNDING,
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

LEAD_BY = Quantity(T("领先", "lead"), ".2f")
QUANTITIES = {
    "stages.*.norm": Quantity(T("长度", "length"), ".2f"),
    "stages.*.part": LEAD_BY, "stages.*.mean": Quantity(T("领先", "lead"), ".2f"),
    "stages.*.reads": Quantity(T("提前读出", "read early")),
    "stages.*.rank": Quantity(T("名次", "rank"), "d"),
    "stages.*.first": Quantity(T("第一", "first"), "d"),
    "stages.*.patched": Quantity(T("修补", "patched"), "d"),
    "lead.gap": Quantity(T("差", "difference"), ".0e<1e-12"), "lead.*": LEAD_BY,
    "p": Quantity(T("概率", "P"), ".3f"),
    "best.*.word": Quantity(T("词", "word")),
    "best.*.score": Quantity(T("分数", "logit"), ".2f"),
    "best.*.p": Quantity(T("概率", "P"), ".4f"),
    "words.*.place": Quantity(T("位置", "place"), "d"),
    "words.*.id": Quantity(T("编号", "id"), "d"),
    "words.*.norm": Quantity(T("长度", "length"), ".2f"),
    "words.*.position": Quantity(T("位置向量长", "its place"), ".2f"),
    "words.*.first.*": Quantity(T("", ""), ".2f"),
    "looks.*.word": Quantity(T("最看重", "looks most at")),
    "looks.*.weight": Quantity(T("权重", "weight"), ".2f"),
    "exam.cuts.*.weight": Quantity(T("权重", "wt"), ".2f"),
    "exam.cuts.*.left": Quantity(T("剩", "n"), "d"),
    "exam.cuts.*.all": Quantity(T("共剩", "all"), "d"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "stages.word": T("词", "word"), "stages.place": T("+ 位置", "+ place"),
    "stages.attn0": T("+ L0 注意力", "+ L0 attention"), "stages.mlp0": T("+ L0 MLP", "+ L0 MLP"),
    "stages.attn1": T("+ L1 注意力", "+ L1 attention"), "stages.mlp1": T("+ L1 MLP", "+ L1 MLP"),
    "exam.cuts.country": T("到国名", "to the country"),
    "exam.cuts.other": T("到别的词", "to another word"),
}
LEAD = (
    Paragraph(T(
        "“{prompt}”：{length} 个词，{length} 个编号（词表 {vocabulary} 行），每个取一个 {width} 维"
        "向量。{layers} 层（L0、L1），每层先注意力后 MLP，都往同一条残差流里加。最后一格：",
        "“{prompt}”: {length} words, {length} ids (rows of {vocabulary}), a vector of width "
        "{width} each. {layers} layers (L0, L1), attention then MLP, all added to one stream. At "
        "the last place:")),
    Paragraph(T(
        "    流 = 词 + 位置 + L0 注意力 + L0 MLP + L1 注意力 + L1 MLP\n"
        "    分数 = 归一化(流) · 词表        它说 {said}，概率 {p}",
        "    stream = word + place + L0 attention + L0 MLP + L1 attention + L1 MLP\n"
        "    scores = norm(stream) · word table        it says {said}, P {p}")),
    Paragraph(T(
        "领先：{said} 的分数减去同类词（问首都就是别国首都）的平均，按谁写的拆开。提前读出（logit "
        "lens）：加到这一步的流直接送去算分数，排第一的词。激活修补：把这一份换成下一国同一问的。",
        "Lead: the score of {said} less the mean of its kind (capitals: the other capitals), split "
        "by who wrote it. Read early (logit lens): the top word if the stream so far went straight "
        "to the scores. Activation patching: this share taken from the next country's question.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "stages.*",
        (Group(T("这一句", "this text"), ("norm", "part", "reads", "rank")),
         Group(T("{exam.questions} 题", "{exam.questions} questions"),
               ("mean", "first", "patched"))),
        head=T("流里加上", "added"),
        legend=T("长度：写了多长的向量。名次：{said} 提前读时排第几。第一：几题的答案提前读就排第"
                 "一。修补：换掉这一份，几题改答那一国。",
                 "length: of what is written. rank: of {said}, read early. first: answers that are "
                 "on top, read early. patched: answers that become the other country's."))
    yield Rows("best.*", ("score", "p"), label="word", head=T("词", "word"), more=True)
    yield Rows("looks.*", ("word", "weight"), label="head", head=T("头", "head"), more=True,
               title=T("最后一格看哪里", "Where the last place looks"))
    yield Rows("words.*", ("id", "norm", "position",
                           Group(T("向量的前几个数", "the vector begins"),
                                 tuple(f"first.{i}" for i in range(4)))),
               label="word", head=T("词", "word"), more=True)
    yield Rows(("exam.cuts.country", "exam.cuts.other"),
               (*(Group(name, (f"{key}.weight", f"{key}.left")) for key, name in ASKED.items()),
                "all"),
               head=T("切断权重最大的边", "edge cut"), more=True,
               title=T("从最后一格出发，每题各切一条（每问 {exam.countries} 题）：还对几题",
                       "From the last place, one edge a question, {exam.countries} of each kind: "
                       "still right"))


def half(m: Any, key: str) -> float:
    """Does this writer have more than half of the lead?"""
    return above(m.lead[key], m.lead.all / 2)


PART = Part(
    number=1, key="stages",
    title=T("从一句话到下一个词，一站一站", "From text to next word, stage by stage"),
    compute=stages, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("base",),
    params={"text": Param("what is the capital of balavia ?",
                          about=T("这个世界里的一句话", "any text of the world"))},
    controls=STAGES_CONTROLS,
    claims=(
        Claim("little_written_much_moved", T(
            "写得少不等于不要紧：L0 注意力平均只写 {stages.attn0.mean}，换成下一国的，"
            "{stages.attn0.patched} 题改答那一国；换 L1 注意力的，{stages.attn1.patched} 题。",
            "To write little is not to matter little: L0's attention writes {stages.attn0.mean} on "
            "average, yet patched it turns {stages.attn0.patched} answers into the other "
            "country's; L1's attention, {stages.attn1.patched}."),
            lambda m: both(at_least(m.stages.attn0.patched, 0.9 * m.exam.questions),
                           at_most(m.stages.attn1.patched, 0.1 * m.exam.questions),
                           below(m.stages.attn0.mean, m.stages.mlp0.mean),
                           below(m.stages.attn0.mean, m.stages.mlp1.mean)), "own_content"),
        Claim("made_on_the_way", T(
            "答案是一路做出来的：提前读，进 L0 之前 {stages.place.first} 题排第一，L0 之后 "
            "{stages.mlp0.first} 题，L1 之后 {stages.mlp1.first} 题。",
            "The answer is made on the way: read early, {stages.place.first} are on top before L0, "
            "{stages.mlp0.first} after it, {stages.mlp1.first} after L1."),
            lambda m: both(rises((m.stages.place.first, m.stages.mlp0.first,
                                  m.stages.mlp1.first)),
                           at_most(m.stages.place.first, 0.05 * m.exam.questions),
                           at_least(m.stages.mlp1.first, 0.95 * m.exam.questions)),
            "another_word"),
        Claim("a_sum", T(
            "六份相加就是领先的 {lead.all}，差 {lead.gap}：每一步都只是加上去。",
            "The six shares add up to the lead of {lead.all}, difference {lead.gap}: each step is "
            "an addition."),
            lambda m: below(m.lead.gap, 1e-9), "not_added", kind="identity",
            given=("lead.all",)),
        Claim("cut", T(
            "每题切断最后一格到国名权重最大的边，{exam.cuts.country.all} 题还对；改切到别的词权重"
            "最大的，{exam.cuts.other.all} 题还对。",
            "Cut each question's strongest edge from the last place to the country and "
            "{exam.cuts.country.all} stay right; to another word, {exam.cuts.other.all}."),
            lambda m: both(at_most(m.exam.cuts.country.all, 0.2 * m.exam.questions),
                           at_least(m.exam.cuts.other.all, m.exam.questions / 2)),
            "other_edge", more=True),
        Claim("seeds", T(
            "换种子重训（记录，{record.seeds} 个）：MLP 几乎题题过半的有 {record.mlp_half} 个，换 "
            "L0 注意力就改答、换 L1 注意力不改的有 {record.patched} 个。",
            "Trained from other seeds (recorded, {record.seeds}): the MLPs have more than half in "
            "nearly every question in {record.mlp_half}; L0's attention is followed and L1's is "
            "not in {record.patched}."),
            lambda m: both(at_least(m.record.mlp_half, 0.8 * m.record.seeds),
                           at_least(m.record.patched, 0.8 * m.record.seeds)),
            T("一份记录里的计数：没有另一组种子可作对照",
              "counts of one record: there is no other arm of it"), kind="recorded", more=True),
    ),
    caveat=T(
        "拆领先时，最后一次归一化的除数照实取；提前读也用这次归一化，前面的步骤不是为它训练的。"
        "一份写得多，不等于答案存在那里。换种子见 --more。",
        "The lead is split with the last norm's divisor as it is; reading early uses that norm "
        "too, which the earlier steps were not trained for. To write much of the lead is not to "
        "hold the answer. Other seeds: --more."),
    questions=(Question(
        T("{said} 领先 {lead.all} 分。这个领先，主要是谁写的？",
          "{said} leads by {lead.all}. Who writes most of that lead?"),
        (Option(T("词和位置", "word and place"), lambda m: half(m, "own"),
                T("最后一格的词每题都一样，写不出哪一国：只有 {lead.own}。",
                  "the last word is the same in every question: it writes {lead.own}.")),
         Option(T("两层注意力", "the two attentions"), lambda m: half(m, "attention"),
                T("以为最要紧的写得最多：注意力只写 {lead.attention}。",
                  "thinks what matters most writes most: the attentions write {lead.attention}.")),
         Option(T("两层 MLP", "the two MLPs"), lambda m: half(m, "mlp")),
         Option(T("谁也不过半", "none has half"),
                lambda m: -max(half(m, key) for key in ("own", "attention", "mlp")),
                T("以为各步平分；表里一看就知道不是。", "expects equal shares; the table has "
                  "none such."))),
        answer=Claim("mlp_writes", T(
            "MLP 写了 {lead.mlp}，注意力 {lead.attention}；所有题里，MLP 过半的有 "
            "{exam.mlp_half} 题。",
            "the MLPs write {lead.mlp}, the attentions {lead.attention}; the MLPs have more than "
            "half in {exam.mlp_half} questions."),
            lambda m: both(half(m, "mlp"), above(m.lead.mlp, m.lead.attention),
                           at_least(m.exam.mlp_half, 0.9 * m.exam.questions)),
            "another_word")),),
    pins={"lead.gap": ROUNDING, "words.*.word": COUNTED, "words.*.id": COUNTED,
          "words.*.place": COUNTED, "*.rank": COUNTED, "*": TRAINED},
    notes=T(
        "约 6 分钟。把公式一项一项念出来，每项停一下：这是第几讲？投票，再读表：左边一句，右边全部"
        "题。争论点：答案“在”哪一层？写得多的，和换了答案就变的，是两回事。请学生出题：--set "
        "1.text=\"who leads balavia ?\"，不认识的词会被点名。",
        "About 6 minutes. Read the formula term by term and stop at each: which lecture was this? "
        "Vote, then the table: one text on the left, all questions on the right. The argument: in "
        "which layer is the answer? To write much is one thing, to change the answer when changed "
        "another. Let students ask: --set "
        "1.text=\"who leads balavia ?\"; unknown words are named."),
)
