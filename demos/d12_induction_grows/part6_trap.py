"""12.6 A score that deceives: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d12_induction_grows.lesson import TRAP_CONTROLS, fixed_distance
from demos.d12_induction_grows.words import COUNT, RECORDED, TRAINED
from lecture.margins import above, below, both, near
from lecture.quantities import Group, Named, Rows
from lecture.report import Claim, Metrics, Option, Paragraph, Part, Quantity, Question, T

QUANTITIES = {
    "*.own": Quantity(T("固定", "fixed"), ".1%"),
    "*.varied": Quantity(T("不定", "varying"), ".1%"),
    "*.matching": Quantity(T("前缀匹配", "matching"), ".3f"),
    "*.not_repeating": Quantity(T("不重复", "no repeat"), ".3f"),
    "handed.*": Quantity(T("说", "says"), ".1%"),
    "record.own.*": Quantity(T("固定", "fixed"), ".1%"),
    "record.varied.*": Quantity(T("不定", "varying"), ".1%"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {"fixed": T("一层，间隔固定时训练的", "one layer, trained at a fixed distance"),
         "two": T("第 1 部分的两层", "the two layers of part 1")}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(("fixed", "two"),
               (Group(T("间隔：抄对", "distance: right"), ("own", "varied")),
                "matching", "not_repeating"),
               legend=T("后两列在间隔固定的行里量，取最高的头；不重复：见第 2 部分。",
                        "Last two: rows of fixed distance, best head; no repeat: as in part 2."))


PART = Part(
    number=6, key="trap",
    title=T("会骗人的分数", "A score that deceives"),
    compute=fixed_distance, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("grows_fixed", "grows"),
    lead=(Paragraph(T(
        "一层，两个头，别的都和第 1 部分一样，只是名单总是正好 {distance} 个名字：要说的词总在往回 "
        "{back} 格的地方。",
        "One layer, two heads, all else as in part 1, but every list has exactly {distance} "
        "names: the word to say always stands {back} places back.")),),
    controls=TRAP_CONTROLS,
    claims=(
        Claim("breaks_when_it_varies", T(
            "间隔一变，一层只剩 {fixed.varied}（记录的 {record.seeds} 个种子都这样），两层还有 "
            "{two.varied}。",
            "Vary the distance: one layer keeps {fixed.varied} (all {record.seeds} recorded seeds "
            "likewise), two layers {two.varied}."),
            lambda m: both(above(m.fixed.own, 0.95), below(m.fixed.varied, 0.3),
                           above(m.two.varied, 0.95), above(m.record.own.low, 0.95),
                           below(m.record.varied.high, 0.3)), "two_layers",
            given=("record.seeds",)),
        Claim("same_score", T(
            "单看前缀匹配分不出来：{fixed.matching} 和 {two.matching}；“不重复”那一列才分得开。",
            "Matching alone does not tell them apart, {fixed.matching} and {two.matching}; the "
            "column “no repeat” does."),
            lambda m: both(near(m.fixed.matching, m.two.matching, 0.1),
                           above(m.fixed.matching, 0.9),
                           above(m.fixed.not_repeating, m.two.not_repeating + 0.5)),
            "repeated_anyway"),
        Claim("the_look_is_used", T(
            "这一看倒是真的在用：看的位置不变，只把那里的词换成另一行的，{handed.theirs} 改说那一行"
            "的名字。",
            "The look is really used: leave the looks as they are, put another row's words under "
            "them, and {handed.theirs} of the names said are that row's."),
            lambda m: both(above(m.handed.theirs, 0.9), below(m.handed.own, 0.2)),
            "hands_over_its_own"),
    ),
    caveat=T(
        "分数说的是看哪里，不是怎样找到那里：间隔要变，还要有不重复的行作对照。",
        "A score says where a head looks, not how it finds the place: vary the distance, and add "
        "rows without a repeat."),
    questions=(Question(
        T("一层，间隔固定。学得会抄吗？名单不重复时，它还看往回 {back} 格吗？",
          "One layer, fixed distance: can it copy? Does it look {back} back without a repeat?"),
        (Option(T("学不会", "it cannot"), lambda m: below(m.fixed.own, 0.5),
                T("以为抄写总要比较词，要两层。间隔固定时一层就有 {fixed.own}。",
                  "thinks copying always compares words, which takes two layers. At a fixed "
                  "distance one layer has {fixed.own}.")),
         Option(T("会，还看", "it can, still looks"),
                lambda m: both(above(m.fixed.own, 0.9), above(m.fixed.not_repeating, 0.5))),
         Option(T("会，不看了", "it can, no longer looks"),
                lambda m: both(above(m.fixed.own, 0.9), below(m.fixed.not_repeating, 0.5)),
                T("以为一层也比较词：不重复时它照样看，{fixed.not_repeating}。",
                  "thinks one layer compares words too: without a repeat it looks there all the "
                  "same, {fixed.not_repeating}.")),
         Option(T("只会一半", "half"),
                lambda m: both(above(m.fixed.own, 0.5), below(m.fixed.own, 0.9)),
                T("以为少一层就少一半。", "expects half for half of the layers."))),
        answer=Claim("compares_nothing", T(
            "抄对 {fixed.own}；名单不重复，它照样给那里 {fixed.not_repeating}：它什么词也不比。",
            "{fixed.own} right, and without a repeat it still gives {fixed.not_repeating} to "
            "those places: it compares no words."),
            lambda m: both(above(m.fixed.own, 0.95), above(m.fixed.not_repeating, 0.8)),
            "two_layers")),),
    pins={"record.*": RECORDED, "distance": COUNT, "back": COUNT, "*": TRAINED},
    notes=T(
        "约 4 分钟，收尾。先投票，再给表，请大家用最后两列说出两个网络的区别。争论点：如果只有"
        "“前缀匹配”那一列，你会发表什么？",
        "About 4 minutes, to close. Vote, then the table; let them tell the two networks apart "
        "by the last two columns. The argument: with the matching column alone, what would you "
        "have published?"),
)
