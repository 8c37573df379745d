"""14.4 Said one way, said many ways: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d14_where_the_fact_is.lesson import ARMS, TOLD_CONTROLS, told
from demos.d14_where_the_fact_is.words import COUNT, RECORD
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
    close,
)

ARM_NAMES = {"one": T("一种说法", "one phrasing"), "several": T("几种说法", "several phrasings")}


def show_told(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "两份语料，{countries} 国同样的事实，次数也一样：一份每个事实总用同一种说法，另一份换着说"
        "。然后用一种没对这些国家用过的说法来问；另外 {shown} 国两份都用全了所有说法，所以那种说"
        "法本身它们见过。学的是“{example[told]}”，问的是“{example[asked]}”（去掉最后的答案）。",
        "Two corpora, the same facts about {countries} countries, equally often: one always says "
        "a fact the same way, the other in turn. Then both are asked in a phrasing never used "
        "for these countries; {shown} others are told in every phrasing in both, so the phrasing "
        "itself has been seen. Learned: “{example[told]}”; asked: “{example[asked]}” (without "
        "the answer at its end)."))
    yield Table(
        (Column(T("语料", "corpus")), Column(T("说法", "phrasings"), "d"),
         Column(T("篇", "documents"), "d"), Column(T("事实", "facts"), "d"),
         Column(T("学过的说法", "known phrasing"), "d"),
         Column(T("没用过的说法", "unseen phrasing"), "d")),
        [[ARM_NAMES[arm], a["phrasings"], a["documents"], a["facts"], a["known"], a["unseen"]]
         for arm, a in m["arms"].items()],
        title=T("每国 {kinds} 个事实；答对几个", "{kinds} facts a country; right answers"),
        legend=T("说法、篇：每国。", "phrasings, documents: for one country."))


def gap(m: Any) -> float:
    """How many more facts several phrasings give in an unused one, as a share."""
    more = m["arms"]["several"]["unseen"] - m["arms"]["one"]["unseen"]
    return float(more / m["facts"])


PART = Part(
    number=4, key="told",
    title=T("一种说法，几种说法", "Said one way, said many ways"),
    compute=told, describe=show_told, recipes=tuple(ARMS.values()),
    controls=TOLD_CONTROLS,
    claims=(
        Claim("both_know", T(
            "用学过的说法问，两个模型都会：{facts} 个事实答对 {arms[one][known]} 个和 "
            "{arms[several][known]} 个。",
            "Asked as they were told, both know: {arms[one][known]} and {arms[several][known]} of "
            "{facts} facts."),
            lambda m: min(m["arms"]["one"]["known"], m["arms"]["several"]["known"])
            - 0.95 * m["facts"], "untrained"),
        Claim("several_ways", T(
            "换一种没用过的说法，只听过 {arms[one][phrasings]} 种说法的答对 {arms[one][unseen]} "
            "个，听过 {arms[several][phrasings]} 种的答对 {arms[several][unseen]} 个；每个国家都"
            "是 {arms[one][documents]} 篇和 {arms[several][documents]} 篇，一样多。不是那种说法难"
            "：也用它说过的另外那些国家，{arms[one][shown][facts]} 个对 "
            "{arms[one][shown][right]} 个。",
            "In a phrasing not used before, the one that heard {arms[one][phrasings]} phrasing "
            "gets {arms[one][unseen]}, the one that heard {arms[several][phrasings]} gets "
            "{arms[several][unseen]}; {arms[one][documents]} and {arms[several][documents]} "
            "documents a country, equally many. It is not that phrasing: for the other "
            "countries, told in it too, {arms[one][shown][right]} of {arms[one][shown][facts]} "
            "are right."),
            lambda m: min(gap(m) - 0.15,
                          m["arms"]["one"]["shown"]["right"]
                          - 0.9 * m["arms"]["one"]["shown"]["facts"],
                          0.5 - abs(m["arms"]["one"]["documents"]
                                    - m["arms"]["several"]["documents"])),
            "one_corpus"),
        Claim("seeds", T(
            "换种子重训（记录，{record[seeds]} 个）：说法多的更会答的有 {record[several_better]} "
            "个。没用过的说法，一种的平均答对 {record[unseen][one][mean]:.1f}（"
            "{record[unseen][one][least]} 到 {record[unseen][one][most]}），几种的 "
            "{record[unseen][several][mean]:.1f}（{record[unseen][several][least]} 到 "
            "{record[unseen][several][most]}）。这里用的种子也在其中。",
            "Trained from other seeds (recorded, {record[seeds]}): several phrasings do better "
            "in {record[several_better]}. In the unused phrasing one gets "
            "{record[unseen][one][mean]:.1f} on average ({record[unseen][one][least]} to "
            "{record[unseen][one][most]}), several {record[unseen][several][mean]:.1f} "
            "({record[unseen][several][least]} to {record[unseen][several][most]}). The seed "
            "shown here is one of them."),
            lambda m: min(m["record"]["several_better"] - 0.8 * m["record"]["seeds"] + 0.1,
                          m["record"]["unseen"]["several"]["mean"]
                          - m["record"]["unseen"]["one"]["mean"] - 0.1 * m["facts"],
                          gap(m)), "one_corpus"),
    ),
    caveat=T(
        "一种说法的也答对不少：别的国家的例子教会它新说法和旧说法说的是一回事。Allen-Zhu 和 Li（"
        "2023）的模型大得多，说法是整篇传记的改写，差别也大得多。这里的几种说法都很短，共用许多词"
        "。",
        "One phrasing does not fail altogether: the other countries teach that the new phrasing "
        "means what the old one does. In Allen-Zhu and Li (2023) the models are far larger, the "
        "phrasings are rewritten biographies, and the difference is larger too. The phrasings "
        "here are short and share many words."),
    questions=(Question(
        T("同样的次数：一种说法一直重复，或几种说法轮着来。换一种没用过的说法，谁答得出更多？",
          "Equally often: one phrasing again and again, or several in turn. Asked in a phrasing "
          "not used before, who answers more?"),
        (Option(T("一样：次数一样", "the same: the facts were said equally often"),
                lambda m: 0.1 - abs(gap(m)),
                T("以为记住只看次数。", "thinks that only the number of times counts.")),
         Option(T("一种说法的：记得更牢", "one phrasing: it is learned more firmly"),
                lambda m: -gap(m) - 0.1,
                T("以为背得熟就用得活。背熟的是那句话。",
                  "takes knowing it by heart for being able to use it. What is known by heart is "
                  "the sentence.")),
         Option(T("几种说法的", "several phrasings"), lambda m: gap(m) - 0.1))),),
    pins={"record.unseen.*.mean": close("a record"), "record.*": RECORD, "*": COUNT},
    notes=T(
        "约 5 分钟。先把两份语料各念一句，再投票。争论点：给大模型补一条新知识，一篇文章够吗？（"
        "Allen-Zhu 和 Li 2023：同一件事换着说，才取得出来。）",
        "About 5 minutes. Read one line of each corpus, then vote. The argument: to teach a "
        "large model one new fact, is one article enough? (Allen-Zhu and Li 2023: what is said "
        "in several ways can be got out.)"),
)
