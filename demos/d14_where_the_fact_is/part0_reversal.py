"""14.0 One fact, two directions: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d14_where_the_fact_is.lesson import REVERSAL_CONTROLS, two_ways
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


def show_two_ways(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一个小 GPT 只读首都：{countries} 国，每国用 {phrasings} 种说法，都是国名在前。其中 "
        "{told_back} 国另外还反过来说过：首都在前，国名在后。现在两个方向都问。",
        "A small GPT reads about capitals only: {countries} countries in {phrasings} phrasings "
        "each, the country always first. {told_back} of them are also told the other way round, "
        "capital first. Now it is asked both ways."))
    yield Table(
        (Column(T("问的方向", "asked")), Column(T("国家", "countries")),
         Column(T("答对", "right"), "d"), Column(T("问题", "prompts"), "d"),
         Column(T("正确词的概率", "prob. of the right word"), ".3f")),
        [[T("国名 → 首都", "country → capital"), T("全部", "all"), m["forward_right"],
          m["asked"], None],
         *([T("首都 → 国名", "capital → country"), GROUP_NAMES[name], g["right"], g["prompts"],
            g["p_right"]] for name, g in m["back"].items())],
        title=T("同一批事实，两个方向", "The same facts, in two directions"))


GROUP_NAMES = {"told": T("两个方向都说过", "told both ways"),
               "not_told": T("只说过一个方向", "told one way")}


def share_back(m: Any) -> float:
    """Of the backward prompts on countries told one way, the share that is right."""
    return float(m["back"]["not_told"]["right"] / m["back"]["not_told"]["prompts"])


PART = Part(
    number=0, key="reversal",
    title=T("一个事实，两个方向", "One fact, two directions"),
    compute=two_ways, describe=show_two_ways, recipes=("capitals",),
    controls=REVERSAL_CONTROLS,
    claims=(
        Claim("forward", T(
            "从国名问首都：{asked} 问对 {forward_right} 问，{countries} 国在每种说法里都对。",
            "From country to capital: {forward_right} of {asked} right, all {countries} "
            "countries in every phrasing."),
            lambda m: min(m["forward_right"] - m["asked"] + 0.5,
                          min(m["forward"]) - m["countries"] + 0.5), "untrained"),
        Claim("told_both_ways", T(
            "两个方向都说过的 {told_back} 国，反过来问 {back[told][prompts]} 问对 "
            "{back[told][right]} 问：反着问不是问法难懂。",
            "For the {told_back} countries told both ways, {back[told][right]} of "
            "{back[told][prompts]} backward prompts are right: the question backwards is no "
            "riddle."),
            lambda m: m["back"]["told"]["right"] - m["back"]["told"]["prompts"] + 0.5,
            "groups_swapped"),
        Claim("not_reversed", T(
            "只说过一个方向的，反过来问 {back[not_told][prompts]} 问只对 {back[not_told][right]} "
            "问，虽然正着问全对。",
            "For those told one way, {back[not_told][right]} of {back[not_told][prompts]} backward "
            "prompts are right, though forward all of them are."),
            lambda m: min(m["back"]["not_told"]["prompts"] / 8 - m["back"]["not_told"]["right"],
                          m["forward_right"] - m["asked"] + 0.5), "groups_swapped"),
        Claim("hardly_a_hint", T(
            "至多一点影子：正确的国名平均得到 {back[not_told][p_right]:.3f} 的概率，同组里一个错"
            "的国名得到 {back[not_told][p_wrong]:.3f}，不到两倍。它说的 "
            "{back[not_told][says_told]} 次是另一组的国名，也就是训练时在那个位置出现过的词。",
            "A trace at most: the right country gets {back[not_told][p_right]:.3f} on average, a "
            "wrong one of the same group {back[not_told][p_wrong]:.3f}: less than twice as much. "
            "In {back[not_told][says_told]} cases it says a country of the other group, a word "
            "that stood in that place in training."),
            lambda m: min(2 * m["back"]["not_told"]["p_wrong"]
                          - m["back"]["not_told"]["p_right"],
                          m["back"]["not_told"]["says_told"]
                          - 0.75 * m["back"]["not_told"]["prompts"]), "groups_swapped"),
        Claim("seeds", T(
            "换种子重训（记录，{record[seeds]} 个）：正着问至少对 {record[forward]}，两个方向都说"
            "过的反着问至少对 {record[told]}，只说过一个方向的至多对 {record[not_told]}。这里用的"
            "种子也在其中。",
            "Trained from other seeds (recorded, {record[seeds]}): forward at least "
            "{record[forward]}, backward at least {record[told]} where told both ways, at most "
            "{record[not_told]} where told one way. The seed shown here is one of them."),
            lambda m: min(m["record"]["forward"] - m["asked"] + 0.5,
                          m["record"]["told"] - m["back"]["told"]["prompts"] + 0.5,
                          m["back"]["not_told"]["prompts"] / 8 - m["record"]["not_told"],
                          m["record"]["not_told"] - m["back"]["not_told"]["right"] + 0.5),
            "groups_swapped"),
    ),
    caveat=T(
        "这个模型只背句子，下一个词是它唯一的任务。大模型也这样（Berglund 等 2023），但若两个名字"
        "都写在提问的上文里，它们能倒过来说：那是读出来的，不是记住的。",
        "This model learns sentences, and the next word is its only task. Large models show the "
        "same (Berglund et al. 2023); but with both names in the prompt they can turn it round: "
        "that is reading, not remembering."),
    questions=(Question(
        T("训练里说过“X 的首都是 Y”，正着问全对。反过来问“Y 是哪国的首都”，没反着说过的那些国家能"
          "答对多少？",
          "Trained on “the capital of X is Y”, all right when asked that way. Asked which "
          "country “Y is the capital of”, how many are right where it was never told that way "
          "round?"),
        (Option(T("全部：是同一个事实", "all: it is one fact"),
                lambda m: share_back(m) - 0.75,
                T("以为模型存的是“事实”。它学的是：见了这些词，下一个词是什么。",
                  "thinks the model stores a fact. It learned what comes next after which words.")),
         Option(T("约一半", "about half"),
                lambda m: min(share_back(m) - 0.25, 0.75 - share_back(m)),
                T("以为别的国家反着说过，这些国家就能学会反过来。格式学得会，内容没有地方来。",
                  "expects the reversed countries to teach reversing. The form can be learned; the "
                  "content has nowhere to come from.")),
         Option(T("几乎一个也不对", "hardly any"),
                lambda m: 0.25 - share_back(m)))),),
    pins={"record.*": RECORD, "back.*.p_right": close("shipped weights", 1e-5, 1e-9),
          "back.*.p_wrong": close("shipped weights", 1e-5, 1e-9), "*": COUNT},
    notes=T(
        "约 5 分钟，开场用。投票后问：搜索引擎会这样吗？数据库会吗？争论点：那它“知道”吗？",
        "About 5 minutes, as the opener. After the vote: would a search engine do this, would a "
        "database? The argument: does it know, then?"),
)
