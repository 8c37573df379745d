"""14.0 One fact, two directions: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d14_where_the_fact_is.lesson import REVERSAL_CONTROLS, two_ways
from demos.d14_where_the_fact_is.words import A_COUNT, COUNT, MEAN, RECORD
from lecture.margins import above, at_least, at_most, below, both, equal, every
from lecture.quantities import Named, Rows
from lecture.report import Claim, Metrics, Option, Paragraph, Part, Quantity, Question, T, close

QUANTITIES = {
    "back.*.right": Quantity(T("答对", "right"), "d"),
    "back.*.prompts": Quantity(T("共问", "asked"), "d"),
    "back.*.says_told": Quantity(T("说甲组的国名", "says a name of A"), "d"),
    "back.*.rank": Quantity(T("正确国名的名次", "right name's rank"), ".1f"),
    "record.runs.*.forward": Quantity(T("正着问", "forward"), "d"),
    "record.runs.*.told": Quantity(T("反着问：都说过", "back: both ways"), "d"),
    "record.runs.*.not_told": Quantity(T("只说过正着", "one way"), "d"),
    "record.runs.*.rank": Quantity(T("名次", "rank"), ".1f"),
    "record.best": Quantity(T("名次", "rank"), ".1f"),
    "record.worst": Quantity(T("名次", "rank"), ".1f"),
    "chance": Quantity(T("随机", "chance"), ".1f"),
    "*": A_COUNT,
}
NAMES = {
    "back.told": T("甲组 {told_back} 国，两个方向都说过",
                   "A: {told_back} countries told both ways"),
    "back.not_told": T("乙组 {told_back} 国，只说过国名在前", "B: {told_back} told country first "
                                                              "only"),
    **{f"record.runs.{i}": T(f"种子 {i}", f"seed {i}") for i in range(5)},
}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("back.*", ("right", "prompts", "says_told", "rank"),
               title=T("反过来问：从首都问国名", "Asked backwards: from capital to country"),
               legend=T("名次：只在同组的 {told_back} 个国名里排，概率最高的是 1；随机排，平均是 "
                        "{chance}。",
                        "rank: among the {told_back} names of its own group, 1 the likeliest; "
                        "drawn at random it would be {chance} on average."))
    yield Rows("record.runs.*", ("forward", "told", "not_told", "rank"),
               head=T("记录", "recorded"), more=True,
               title=T("每个种子：答对几问；只说过正着的那组，正确国名的平均名次",
                       "Each seed: right answers; mean rank of the right name where told one way"))


def share_back(m: Any) -> float:
    """Of the backward prompts on countries told one way, the share that is right."""
    return float(m.back.not_told.right / m.back.not_told.prompts)


PART = Part(
    number=0, key="reversal",
    title=T("一个事实，两个方向", "One fact, two directions"),
    compute=two_ways, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("capitals",), controls=REVERSAL_CONTROLS,
    lead=(Paragraph(T(
        "一个小 GPT 只读首都：{countries} 国，每国 {phrasings} 种说法，都是国名在前，例如"
        "“{example.forward}”。其中 {told_back} 国还反过来说过：“{example.back}”。正着问，也就是写"
        "到答案前面让它接，{asked} 问对 {forward_right} 问。",
        "A small GPT reads about capitals only: {countries} countries, {phrasings} phrasings each, "
        "the country first, as in “{example.forward}” {told_back} of them are also told the other "
        "way round: “{example.back}” Asked forward, that is, given the sentence up to the answer, "
        "it gets {forward_right} of {asked}.")),),
    claims=(
        Claim("told_both_ways", T(
            "反着问不是问法难懂：甲组 {back.told.prompts} 问对 {back.told.right} 问。",
            "The question backwards is no riddle: of group A {back.told.right} of "
            "{back.told.prompts} are right."),
            lambda m: equal(m.back.told.right, m.back.told.prompts), "groups_swapped"),
        Claim("partly_has_it", T(
            "说不出，却不是毫无痕迹：只在乙组的国名里排，正确的平均排第 {back.not_told.rank}，"
            "随机是 {chance}。",
            "It does not say it, yet partly has it: among the names of group B the right one "
            "ranks {back.not_told.rank} on average, where chance is {chance}."),
            lambda m: below(m.back.not_told.rank, m.chance - 1), "another_name"),
        Claim("seeds", T(
            "{record.seeds} 个种子都是这样：名次从 {record.best} 到 {record.worst}，都好于随机；"
            "乙组反着答对的，一个种子也没有。这里用的是居中的一个。",
            "So it is in all {record.seeds} seeds: ranks from {record.best} to {record.worst}, all "
            "better than chance, and none gets one of B right backwards. Shown: the middle one."),
            lambda m: both(below(m.record.worst, m.chance), above(m.record.best, 1),
                           every(at_most(r.not_told, 0) for r in m.record.runs),
                           equal(m.record.place, (m.record.seeds + 1) // 2)),
            "another_name", kind="recorded"),
    ),
    caveat=T(
        "大模型也这样（Berglund 等 2023）。若两个名字都写在提问的上文里，它们能倒过来说：那是读出"
        "来的，不是记住的。",
        "Large models show the same (Berglund et al. 2023). With both names in the prompt they can "
        "turn it round: that is reading, not remembering."),
    questions=(Question(
        T("反过来问，从首都接国名。从没反着说过的 {told_back} 国，{back.not_told.prompts} 问能对几"
          "问？",
          "Asked from capital to country: of {back.not_told.prompts} prompts about the "
          "{told_back} never told backwards, how many are right?"),
        (Option(T("几乎没有", "hardly any"), lambda m: below(share_back(m), 0.25)),
         Option(T("约一半", "about half"),
                lambda m: both(above(share_back(m), 0.25), below(share_back(m), 0.75)),
                T("以为别的国家反着说过，这些国家就能学会反过来。{back.not_told.says_told} 次它说的"
                  "正是别的那些国名。",
                  "expects the others, told backwards, to teach reversing. "
                  "{back.not_told.says_told} times it says one of those others.")),
         Option(T("几乎全部", "nearly all"), lambda m: above(share_back(m), 0.75),
                T("以为正着会了，反着也就会了。",
                  "expects that who knows it forward knows it backward."))),
        answer=Claim("not_reversed", T(
            "乙组对 {back.not_told.right} 问，{back.not_told.says_told} 次说的是甲组的国名。训练"
            "时，"
            "乙组的国名站在句尾的有 {back.not_told.stood} 个。",
            "Group B: {back.not_told.right}; {back.not_told.says_told} times it says a name of "
            "group A. In training {back.not_told.stood} names of B ever ended a sentence."),
            lambda m: both(at_most(m.back.not_told.right, m.back.not_told.prompts / 8),
                           at_least(m.back.not_told.says_told, 0.75 * m.back.not_told.prompts),
                           equal(m.back.not_told.stood, 0)),
            "groups_swapped")),),
    pins={"record.*": RECORD, "back.*.rank": close("a mean of counts"),
          "back.*.next_rank": close("a mean of counts"), "chance": MEAN, "*": COUNT},
    notes=T(
        "约 5 分钟，开场用。投票后问：搜索引擎会这样吗？数据库会吗？争论点：那它“知道”吗？（名次"
        "说：说不出，却不是一无所知。）",
        "About 5 minutes, as the opener. After the vote: would a search engine do this, would a "
        "database? The argument: does it know, then? (By the ranks: it cannot say it, yet it is "
        "not without a trace.)"),
)
