"""12.4 Cut it: what a person meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from demos.d12_induction_grows.lesson import CUTS_CONTROLS, cut_it
from demos.d12_induction_grows.words import COUNT, RECORDED, TRAINED
from lecture.margins import above, at_least, below, both, near
from lecture.quantities import Group, Named, Rows
from lecture.report import Claim, Metrics, Option, Paragraph, Part, Quantity, Question, T

SEED, LEFT = Quantity(T("种子", "seed"), "d"), Quantity(T("还抄对", "right"), ".1%")
QUANTITIES = {
    "record.*.runs.*.seed": SEED, "record.*.runs.*.left": LEFT,
    "record.second.runs.*.dose": Quantity(T("另一个：匹配", "other: matching"), ".2f"),
    "record.first.runs.*.dose": Quantity(T("另一个：前一词", "other: previous"), ".2f"),
    "record.*.lowest": LEFT, "record.*.highest": LEFT, "record.both.*": LEFT,
    "heads.*.right": Quantity(T("零：抄对", "zero: right"), ".1%"),
    "heads.*.mean_right": Quantity(T("平均：抄对", "mean: right"), ".1%"),
    "*matching_score": Quantity(T("剩下的前缀匹配", "matching left"), ".2f"),
    "looks.*.weight": Quantity(T("这些看的权重", "weight of the looks"), ".2f"),
    "looks.*.right": Quantity(T("还抄对", "right"), ".1%"),
    "whole": Quantity(T("抄对", "right"), ".1%"),
    "record.most": Quantity(T("还抄对", "right"), ".0%"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "heads.previous": T("{heads.previous.name}，前一词头",
                        "{heads.previous.name}, the previous-token head"),
    "heads.other_first": T("{heads.other_first.name}", "{heads.other_first.name}"),
    "heads.matching": T("{heads.matching.name}，最好的匹配头",
                        "{heads.matching.name}, the best matching head"),
    "heads.other_second": T("{heads.other_second.name}", "{heads.other_second.name}"),
    "heads.both_second": T("{heads.both_second.name}", "{heads.both_second.name}"),
    "looks.previous": T("{heads.previous.name} 看前一个词",
                        "{heads.previous.name} on the previous word"),
    "looks.matching": T("L1 看匹配处", "L1 on the match"),
    "looks.*_other": T("那些行里 {heads.other_first.name} 最重的看",
                       "the heaviest of {heads.other_first.name} in those rows"),
}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("heads.*", ("right", "mean_right", "matching_score"), head=T("切掉", "cut"))
    yield Rows(
        "record.second.runs.*",
        (Group(T("切最好的匹配头", "matching head cut"), ("dose", "left")),
         Group(T("切前一词头", "previous-token head cut"),
               tuple(f"/record.first.runs.*.{leaf}" for leaf in ("seed", "dose", "left")))),
        head=T("种子", "seed"), label="seed",
        title=T("记录：{record.seeds} 个种子，左右各按同层另一个头（没切的）的分数排",
                "Recorded: {record.seeds} seeds; each half ordered by the score of the layer's "
                "other head"))
    yield Rows("looks.*", ("weight", "right"), head=T("禁止", "forbidden"), more=True)


def left_after(name: str, low: float, high: float) -> Callable[[Any], float]:
    """A margin: this much of the copy stays right."""
    return lambda m: both(above(m.heads[name].right, low), below(m.heads[name].right, high))


PART = Part(
    number=4, key="cuts",
    title=T("切掉它", "Cut it"),
    compute=cut_it, describe=blocks, quantities=QUANTITIES, names=NAMES, recipes=("grows",),
    lead=(Paragraph(T(
        "什么都不切，抄对 {whole}，最好的前缀匹配 {matching_score}。拿走一个头有两种做法：输出设成"
        "零，或换成它的平均值；头还照样看，它的前缀匹配也还算。",
        "Nothing cut: {whole} right, best matching score {matching_score}. A head's output is "
        "set to zero, or to its mean; it still looks, and its matching still counts.")),),
    controls=CUTS_CONTROLS,
    claims=(
        Claim("nothing_to_match", T(
            "匹配头没动，却没有东西可匹配：切 {heads.previous.name}，最好的前缀匹配从 "
            "{matching_score} 掉到 {heads.previous.matching_score}。",
            "Matching heads untouched, but nothing to match: with {heads.previous.name} cut the "
            "best score falls from {matching_score} to {heads.previous.matching_score}."),
            lambda m: above(m.matching_score - m.heads.previous.matching_score, 0.2),
            "wrong_head"),
        Claim("spare_matcher", T(
            "切最好的匹配头，剩多少，跟着同层另一个头的分数走：{record.pairs} 对种子里 "
            "{record.second.agree} 对，分高的剩得多。",
            "With the best matching head cut, what is left goes with the other's score: in "
            "{record.second.agree} of {record.pairs} pairs of seeds the higher one keeps more."),
            lambda m: both(at_least(m.record.second.agree, 0.8 * m.record.pairs),
                           below(m.record.second.lowest, 0.2),
                           above(m.record.second.highest, 0.85)), "own_score",
            kind="recorded", given=("record.pairs",)),
        Claim("spare_looker", T(
            "切前一词头也一样（{record.first.agree} 对），只是剩得最多的也才 "
            "{record.first.highest}。",
            "So with the previous-token head ({record.first.agree} pairs); no seed keeps over "
            "{record.first.highest}."),
            lambda m: both(at_least(m.record.first.agree, 0.8 * m.record.pairs),
                           below(m.record.first.highest, 0.85)), "own_score", kind="recorded"),
        Claim("only_those_looks", T(
            "要的就是那些看：只禁止 {heads.previous.name} 看前一个词，剩 {looks.previous.right}；"
            "只禁止 L1 看匹配处，剩 {looks.matching.right}。同样的行里禁止 "
            "{heads.other_first.name} 一样重的看，还有 {looks.previous_other.right} 和 "
            "{looks.matching_other.right}。",
            "It is those looks: forbid {heads.previous.name} the previous word only, "
            "{looks.previous.right}; L1 the match only, {looks.matching.right}. Forbid looks of "
            "{heads.other_first.name} that weigh as much in the same rows: "
            "{looks.previous_other.right} and {looks.matching_other.right}."),
            lambda m: both(below(m.looks.previous.right, 0.8), below(m.looks.matching.right, 0.3),
                           above(m.looks.previous_other.right, 0.9),
                           above(m.looks.matching_other.right, 0.9),
                           near(m.looks.previous_other.weight, m.looks.previous.weight, 0.1),
                           near(m.looks.matching_other.weight, m.looks.matching.weight, 0.1)),
            "wrong_head", more=True),
    ),
    caveat=T(
        "分数和剩余只是一起变，没有单独改过另一个头。这里是种子 {record.shown}：从低数，左边第 "
        "{record.second.place}，右边第 {record.first.place}。",
        "Score and remainder go together; no other head was changed alone. Here seed "
        "{record.shown}: from below, number {record.second.place} on the left, "
        "{record.first.place} on the right."),
    further=T(
        "切掉一个头，别的头看到的也变了：剩下的是没有它的网络，不是它的贡献。设成零会把后面推到没"
        "见过的地方，平均值温和一些。",
        "With a head cut, what the others see changes too: what is left is the network without "
        "it, not its share of the work. Zero pushes later layers where they have never been; the "
        "mean is gentler."),
    questions=(
        Question(T("只切前一词头 {heads.previous.name}，匹配头不动。还抄对多少？",
                   "Cut only the previous-token head {heads.previous.name}: how much is right?"),
                 (Option(T("几乎全部", "nearly all"), left_after("previous", 0.8, 1.01),
                         T("以为会匹配的头独自在干活：它的分数掉到 "
                           "{heads.previous.matching_score}。",
                           "thinks the matching head works alone: its score falls to "
                           "{heads.previous.matching_score}.")),
                  Option(T("一半左右", "about half"), left_after("previous", 0.4, 0.8),
                         T("以为各管一半。有的种子是这样（右半张表），这里不是。",
                           "gives each half of the work. So it is in some seeds (right half of "
                           "the table), not here.")),
                  Option(T("不到四成", "under two fifths"), left_after("previous", -0.01, 0.4))),
                 answer=Claim("previous_token_head", T(
                     "剩 {heads.previous.right}；切同层的 {heads.other_first.name}，几乎不掉。记"
                     "录："
                     "{record.seeds} 个种子里 {record.few} 个不到四成。",
                     "{heads.previous.right} are left; cut {heads.other_first.name} of that "
                     "layer, and hardly any is lost. Recorded: under two fifths in {record.few} "
                     "of {record.seeds} seeds."),
                     lambda m: both(below(m.heads.previous.right, 0.8),
                                    above(m.heads.other_first.right, 0.97),
                                    at_least(m.record.few, m.record.seeds / 2)), "wrong_head")),
        Question(T("改切最好的匹配头 {heads.matching.name}，别的都留着呢？",
                   "And with the best matching head {heads.matching.name} cut instead?"),
                 (Option(T("几乎全部", "nearly all"), left_after("matching", 0.8, 1.01)),
                  Option(T("一半左右", "about half"), left_after("matching", 0.4, 0.8),
                         T("按分数折算。分数说看哪里，不说缺不缺得了。",
                           "converts the score into work. A score says where it looks, not "
                           "whether it is missed.")),
                  Option(T("几乎不会抄了", "hardly any"), left_after("matching", -0.01, 0.4),
                         T("有的种子是这样，最少剩 {record.second.lowest}；这里不是。",
                           "so it is in some seeds, down to {record.second.lowest}; not here."))),
                 answer=Claim("matching_head", T(
                     "还有 {heads.matching.right}；连 {heads.other_second.name} 也切，剩 "
                     "{heads.both_second.right}。{record.seeds} 个种子里 {record.spared} 个还有 "
                     "{record.most} 以上（记录）：“切掉归纳头就不会抄”不是定律。",
                     "{heads.matching.right} stay; with {heads.other_second.name} cut as well, "
                     "{heads.both_second.right}. In {record.spared} of {record.seeds} seeds over "
                     "{record.most} stay (recorded): “cut the induction head and it cannot copy” "
                     "is no law."),
                     lambda m: both(above(m.heads.matching.right, m.heads.both_second.right),
                                    below(m.heads.both_second.right, 0.2),
                                    at_least(m.record.spared, m.record.seeds / 2),
                                    above(m.record.most, 0.8)), "no_spare"),
                 more=True)),
    pins={"record.*": RECORDED, "rows": COUNT, "*.name": COUNT, "*": TRAINED},
    notes=T(
        "约 8 分钟。先投票第一问；再问第二问（--more）：多数人信了那条链，第二问就会输给替补。争论"
        "点：一个切掉也没关系、分数却接近一的头，该叫它“归纳头”吗？（Wang 等 2022 在"
        "更大的模型里也见到替补。）",
        "About 8 minutes. Vote on the first question, then on the second (--more): most will "
        "trust the chain, and the spare will beat them. The argument: a head that scores "
        "nearly one and is not missed, is it the induction head? (Wang et al. 2022 met "
        "backup heads in a larger model.)"),
)
