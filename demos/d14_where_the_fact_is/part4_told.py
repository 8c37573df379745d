"""14.4 Said one way, said many ways: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d14_where_the_fact_is.lesson import ARMS, TOLD_CONTROLS, told
from demos.d14_where_the_fact_is.words import A_COUNT, COUNT, MEAN, RECORD, SEEDS
from lecture.margins import above, at_least, at_most, below, both, equal
from lecture.quantities import Group, Named, Rows
from lecture.report import Claim, Metrics, Option, Paragraph, Part, Quantity, Question, T

WAYS = {"first": T("一", "1st"), "second": T("二", "2nd"), "third": T("三", "3rd"),
        "several": T("都用", "all")}
QUANTITIES = {
    "arms.one.by.*": Quantity(T("一种", "one"), "d"),
    "arms.several.by.*": Quantity(T("三种", "three"), "d"),
    **{f"ways.*.{key}": Quantity(name, ".1f") for key, name in WAYS.items()},
    **{f"near.*.{key}": Quantity(name, "d") for key, name in WAYS.items()},
    **{f"record.runs.*.{key}": Quantity(name, "d") for key, name in WAYS.items()},
    "near_mean": Quantity(T("答对", "right"), ".1f"),
    "far_mean": Quantity(T("答对", "right"), ".1f"),
    "total.*": Quantity(T("合计", "total"), ".1f"),
    "record.seeds": SEEDS,
    "*": A_COUNT,
}
RELATION_NAMES = {key: T(key, key) for key in
                  ("capital", "language", "leader", "currency")} | {
    "known_for": T("known", "known")}
NAMES = {
    **{f"ways.{key}": name for key, name in RELATION_NAMES.items()},
    **{f"near.{key}": name for key, name in RELATION_NAMES.items()},
    **{f"record.runs.{i}": T(f"种子 {i}", f"seed {i}") for i in range(5)},
}
ALONE = ("first", "second", "third")


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("ways.*",
               (Group(T("这次训练，听过", "this training, told"),
                      ("/arms.one.by.*", "/arms.several.by.*")),
                Group(T("记录，平均：只用第几种，或都用", "recorded mean: only the, or all"),
                      (*ALONE, "several"))),
               head=T("问什么", "asked"),
               title=T("换一种没对这些国家用过的说法问：{countries} 国答对几国",
                       "Asked in a phrasing not used for these {countries} countries: right"),
               legend=T("这次训练的“一种”是第一种。记录：{record.seeds} 个种子。",
                        "“one” is the 1st. Recorded: {record.seeds} seeds."))
    yield Rows("near.*", ALONE, head=T("相同的词对", "pairs shared"), more=True,
               title=T("每种说法和没用过的那种，有几对相邻的词相同",
                       "Pairs of neighbouring words that each phrasing shares with the unused "
                       "one"))
    yield Rows("record.runs.*", (*ALONE, "several"), head=T("记录", "recorded"), more=True,
               title=T("没用过的说法，{facts} 个事实答对几个", "Unused phrasing: right of {facts}"))


def gap(m: Any) -> float:
    """How many more facts several phrasings give in an unused one, as a share."""
    return float((m.arms.several.unseen - m.arms.one.unseen) / m.facts)


PART = Part(
    number=4, key="told",
    title=T("一种说法，几种说法", "Said one way, said many ways"),
    compute=told, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=tuple(ARMS.values()), controls=TOLD_CONTROLS,
    lead=(Paragraph(T(
        "两份语料，{countries} 国同样的事实，每国同样 {arms.one.documents} 篇：一份每个事实总用一种"
        "说法，另一份 {arms.several.phrasings} 种轮着用。用学过的说法问，{facts} 个事实答对 "
        "{arms.one.known} 和 {arms.several.known} 个。再用没对这些国家用过的说法问；另外 {shown} 国"
        "用过它，这种说法本身是见过的。例：学“{example.told}”，问“{example.asked}”。",
        "Two corpora, the same facts about {countries} countries, {arms.one.documents} documents a "
        "country in both: one says each fact in one phrasing, the other in "
        "{arms.several.phrasings} in turn. Asked as told, {arms.one.known} and "
        "{arms.several.known} of {facts} facts are right. Then they are asked in a phrasing "
        "never used for these countries, but for {shown} others, so it has been seen. "
        "Told: “{example.told}” Asked: “{example.asked}”")),),
    claims=(
        Claim("not_the_phrasing", T(
            "不是那种说法难：另外那些国家也用它说过，只听一种的模型 {arms.one.shown.facts} 个里对 "
            "{arms.one.shown.right} 个；没用过的国家，只对 {arms.one.unseen} 个。",
            "That phrasing is not hard: for the other countries, told in it too, the model of one "
            "phrasing gets {arms.one.shown.right} of {arms.one.shown.facts}; where it was not "
            "used, {arms.one.unseen}."),
            lambda m: both(above(m.arms.one.shown.right, 0.9 * m.arms.one.shown.facts),
                           below(m.arms.one.unseen / m.facts, 0.75),
                           above(gap(m), 0.15)), "one_corpus"),
        Claim("one_that_fits", T(
            "可也不非要多：{kinds} 种事实里有 {as_good} 种，（事后）挑对一种说法，就和都用一样好；"
            "各取"
            "最好的一种，合计 {total.best}，都用 {total.several}。",
            "Yet it need not be many: for {as_good} of {kinds} kinds of fact one phrasing (picked "
            "afterwards) does as well as all; the best ones make {total.best} together, all "
            "phrasings {total.several}."),
            lambda m: both(at_least(m.as_good, m.kinds - 1),
                           above(m.total.best, 0.9 * m.total.several),
                           above(m.total.several, m.total.first + 5)), "one_corpus",
            kind="recorded", given=("kinds",)),
        Claim("nearer_is_better", T(
            "哪种合适？和没用过的那种共有相邻词对最多的，平均对 {near_mean} 国，其余的 {far_mean} "
            "国。",
            "Which one fits? Those that share the most pairs of neighbouring words with the "
            "unused one get {near_mean} countries on average, the others {far_mean}."),
            lambda m: above(m.near_mean, m.far_mean + 2), "other_relation", kind="recorded"),
        Claim("seeds", T(
            "{record.seeds} 个种子里，三种都用比只用哪一种都好的有 {record.several_better} 个；用"
            "学过的说法问，至少对 {record.known} 个。",
            "All three beat each one alone in {record.several_better} of {record.seeds} seeds; "
            "asked as told, at least {record.known} are right."),
            lambda m: both(equal(m.record.several_better, m.record.seeds),
                           above(m.record.known, 0.95 * m.facts)), "one_corpus",
            kind="recorded", more=True),
    ),
    caveat=T(
        "说法都很短，共用许多词。Allen-Zhu 和 Li（2023）的模型大得多，说法是整篇传记的改写。",
        "These phrasings are short and share many words. In Allen-Zhu and Li (2023) the models are "
        "far larger and the phrasings rewritten biographies."),
    questions=(Question(
        T("同样的次数：一种说法一直重复，或三种轮着来。换一种没用过的说法，谁答得出更多？",
          "Equally often: one phrasing again and again, or three in turn. Asked in an unused one, "
          "who answers more?"),
        (Option(T("一样", "the same"), lambda m: below(abs(gap(m)), 0.1),
                T("以为记住只看次数。", "thinks that only the number of times counts.")),
         Option(T("一种", "one"), lambda m: below(gap(m), -0.1),
                T("以为背得熟就用得活。", "takes knowing by heart for being able to use.")),
         Option(T("三种", "three"), lambda m: above(gap(m), 0.1))),
        answer=Claim("several_ways", T(
            "{facts} 个事实，一种对 {arms.one.unseen} 个，三种对 {arms.several.unseen} 个。记录里平"
            "均：只用第一、二、三种 {total.first}、{total.second}、{total.third}。",
            "Of {facts} facts one phrasing gives {arms.one.unseen}, three {arms.several.unseen}. "
            "Recorded means of each alone: {total.first}, {total.second}, {total.third}."),
            lambda m: both(above(gap(m), 0.15),
                           *(above(m.total.several, x + 5) for x in
                             (m.total.first, m.total.second, m.total.third)),
                           at_most(abs(m.arms.one.documents - m.arms.several.documents), 0)),
            "one_corpus", given=("facts",))),),
    pins={"ways.*": MEAN, "total.*": MEAN, "near_mean": MEAN, "far_mean": MEAN,
          "record.*": RECORD, "*": COUNT},
    notes=T(
        "约 5 分钟。先把两份语料各念一句，再投票。争论点：给大模型补一条新知识，一篇文章够吗？（"
        "Allen-Zhu 和 Li 2023：同一件事换着说，才取得出来。表里说：要有一种接近将来的问法。）",
        "About 5 minutes. Read one line of each corpus, then vote. The argument: to teach a large "
        "model one new fact, is one article enough? (Allen-Zhu and Li 2023: what is said in "
        "several ways can be got out. The table says: one of them must be near the question to "
        "come.)"),
)
