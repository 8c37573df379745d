"""12.4 Cut it: what a person meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from demos.d12_induction_grows.lesson import CUTS_CONTROLS, cut_it
from demos.d12_induction_grows.words import COUNT, RECORDED, TRAINED
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

CUT_NAMES = {
    "whole": T("什么都不切", "nothing"),
    "previous": T("前一个词头", "the previous-token head"),
    "other_first": T("第一层的另一个头", "the other head of layer one"),
    "matching": T("分数最高的匹配头", "the best matching head"),
    "other_second": T("第二层的另一个头", "the other head of layer two"),
    "both_second": T("第二层的两个头", "both heads of layer two"),
}
LOOK_NAMES = {
    "previous_real": T("前一个词头：看前一个词", "that head: on the previous token"),
    "previous_drawn": T("前一个词头：随机同样多条", "that head: as many drawn ones"),
    "matching_real": T("第二层：看匹配处", "layer two: on the match"),
    "matching_drawn": T("第二层：随机同样多条", "layer two: as many drawn ones"),
}


def show_cuts(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "每次拿走一样，量抄写处还对多少。拿走一个头有两种做法：输出设成零，或换成它的平均值"
        "（{rows} 行、所有位置）。再细一层：头留着，只禁止某些“看”（分数设成负无穷）。",
        "Take one thing away and count what is left of the copy. A head is taken away in two "
        "ways: its output set to zero, or to its mean (over {rows} rows and all places). Finer: "
        "the head stays, certain looks are forbidden (their score set to minus infinity)."))
    yield Table(
        (Column(T("切掉", "cut")), Column(T("层", "L"), "d"), Column(T("号", "H"), "d"),
         Column(T("零：抄对", "zero: right"), ".1%"), Column(T("损失", "loss"), ".2f"),
         Column(T("平均：抄对", "mean: right"), ".1%"),
         Column(T("匹配分", "matching"), ".2f")),
        [[CUT_NAMES[k], r.get("layer"), r.get("head") if k != "both_second" else None,
          r["right"], r["loss"], r.get("mean_right"),
          r.get("matching_score", m["matching_score"])] for k, r in m["heads"].items()],
        legend=T("匹配分：切（零）以后，看匹配处的分数还有多高（最高的头）。",
                 "Matching: the best prefix-matching score left after the cut to zero."))
    yield Table(
        (Column(T("禁止的看", "forbidden looks")), Column(T("条数", "edges"), ",d"),
         Column(T("抄对", "right"), ".1%"), Column(T("损失", "loss"), ".2f")),
        [[LOOK_NAMES[k], r["edges"], r["right"], r["loss"]] for k, r in m["looks"].items()])
    yield Table(
        (Column(T("切掉（设成零）", "cut (to zero)")), Column(T("最低", "lowest"), ".1%"),
         Column(T("最高", "highest"), ".1%")),
        [[name, m["record"][k]["low"], m["record"][k]["high"]] for k, name in (
            ("previous", CUT_NAMES["previous"]), ("matching", CUT_NAMES["matching"]),
            ("both", CUT_NAMES["both_second"]),
            ("first", T("第一层的两个头", "both heads of layer one")))],
        title=T("记录：{record[seeds]} 个种子，切掉以后抄对的比例",
                "Recorded: {record[seeds]} seeds, share right after the cut"))


def left_after(name: str, low: float, high: float) -> Callable[[Any], float]:
    """A margin: this much of the copy stays right."""
    return lambda m: min(m["heads"][name]["right"] - low, high - m["heads"][name]["right"])


PART = Part(
    number=4, key="cuts",
    title=T("切掉它", "Cut it"),
    compute=cut_it, describe=show_cuts, recipes=("grows",),
    controls=CUTS_CONTROLS,
    claims=(
        Claim("previous_token_head", T(
            "只切前一个词头 L{heads[previous][layer]}H{heads[previous][head]}，匹配头一根不动，"
            "抄对就从 {heads[whole][right]:.1%} 掉到 {heads[previous][right]:.1%}；切同一层的"
            "另一个头，"
            "还有 {heads[other_first][right]:.1%}。",
            "Cut only the previous-token head L{heads[previous][layer]}H{heads[previous][head]}, "
            "leave the matching heads alone, and {heads[whole][right]:.1%} right becomes "
            "{heads[previous][right]:.1%}; cut the other head of that layer and "
            "{heads[other_first][right]:.1%} stay."),
            lambda m: min(m["heads"]["whole"]["right"] - 0.95,
                          0.8 - m["heads"]["previous"]["right"],
                          m["heads"]["other_first"]["right"] - 0.8), "wrong_head"),
        Claim("nothing_to_match", T(
            "匹配头还在，却没有东西可匹配：它们的匹配分从 {matching_score:.2f} 掉到 "
            "{heads[previous][matching_score]:.2f}。",
            "The matching heads are still there and have nothing to match: their best score "
            "falls from {matching_score:.2f} to {heads[previous][matching_score]:.2f}."),
            lambda m: m["matching_score"] - m["heads"]["previous"]["matching_score"] - 0.2,
            "wrong_head"),
        Claim("both_are_needed", T(
            "第二层的两个头都切掉，只剩 {heads[both_second][right]:.1%}。",
            "With both heads of layer two cut, {heads[both_second][right]:.1%} are left."),
            lambda m: 0.2 - m["heads"]["both_second"]["right"], "wrong_head"),
        Claim("only_those_looks", T(
            "少不得的正是那些看：只禁止前一个词头看前一个词，剩 {looks[previous_real][right]:.1%}，"
            "随机禁止同样多条，剩 {looks[previous_drawn][right]:.1%}；只禁止第二层看匹配处，剩 "
            "{looks[matching_real][right]:.1%}，随机的剩 {looks[matching_drawn][right]:.1%}。",
            "It is those looks that are needed: forbid that head the previous token only, and "
            "{looks[previous_real][right]:.1%} are left, as many drawn looks, "
            "{looks[previous_drawn][right]:.1%}; forbid layer two the match only, "
            "{looks[matching_real][right]:.1%}, drawn ones, {looks[matching_drawn][right]:.1%}."),
            lambda m: min(0.8 - m["looks"]["previous_real"]["right"],
                          m["looks"]["previous_drawn"]["right"] - 0.9,
                          0.3 - m["looks"]["matching_real"]["right"],
                          m["looks"]["matching_drawn"]["right"] - 0.9), "wrong_head"),
        Claim("spare_head", T(
            "“切掉归纳头就不会抄了”在这里不是定律：记录，{record[seeds]} 个种子，切掉分数最高的"
            "匹配头，"
            "{record[spared]} 个还抄对 {record[most]:.0%} 以上，因为同层的另一个头也在匹配；"
            "两个都切，最多剩 {record[both][high]:.1%}。",
            "“Cut the induction head and it cannot copy” is no law here: recorded, "
            "{record[seeds]} seeds, with the best matching head cut {record[spared]} still get "
            "over {record[most]:.0%} right, because the other head of that layer matches too; "
            "with both cut {record[both][high]:.1%} are left at most."),
            lambda m: min(m["record"]["spared"] - m["record"]["seeds"] / 2,
                          0.2 - m["record"]["both"]["high"], m["record"]["most"] - 0.8),
            "count_the_other"),
        Claim("over_seeds", T(
            "切掉前一个词头，{record[seeds]} 个种子剩 {record[previous][low]:.1%} 到 "
            "{record[previous][high]:.1%}；有的种子第一层也有半个替补。",
            "With the previous-token head cut the {record[seeds]} seeds keep "
            "{record[previous][low]:.1%} to {record[previous][high]:.1%}: in some the first "
            "layer has half a spare too."),
            lambda m: min(0.8 - m["record"]["previous"]["high"],
                          m["record"]["previous"]["high"] - m["record"]["previous"]["low"] - 0.2),
            "count_the_other"),
    ),
    caveat=T(
        "切掉一个头，别的头看到的也变了：剩下的是“没有它的网络”，不是“它的贡献”。设成零会把后面推到"
        "没见过的地方，平均值温和一些；两种都给出来。这里用的种子 ({record[shipped]}) 属于多数："
        "第二层有两个匹配头。",
        "With a head cut, what the others see changes too: what is left is the network without "
        "it, not its share of the work. Zero pushes later layers where they have never been, "
        "the mean is gentler; both are shown. The shipped seed ({record[shipped]}) is one of "
        "the majority: two "
        "matching heads in layer two."),
    questions=(
        Question(T("只切掉“前一个词头”，匹配头原样保留。第二遍还抄对多少？",
                   "Cut only the previous-token head, leave the matching heads as they are. How "
                   "much of the copy stays right?"),
                 (Option(T("几乎全部：匹配头还在", "nearly all: the matching heads are there"),
                         left_after("previous", 0.8, 1.01),
                         T("以为看得见图样的头独自在干活。它匹配的是第一层写下的东西。",
                           "thinks the head that shows the pattern works alone. It matches what "
                           "layer one has written.")),
                  Option(T("一半左右", "about half"), left_after("previous", 0.4, 0.8),
                         T("以为两个头各管一半。这是一条链，断了就断了。",
                           "gives each head half of the work. This is a chain, and it is "
                           "broken.")),
                  Option(T("不到四成", "less than forty per cent"),
                         left_after("previous", -0.01, 0.4)))),
        Question(T("改切分数最高的那个匹配头，别的都留着呢？",
                   "Cut the best matching head instead, and leave all others?"),
                 (Option(T("几乎全部：另一个头也会", "nearly all: another head can do it too"),
                         left_after("matching", 0.8, 1.01)),
                  Option(T("一半左右", "about half"), left_after("matching", 0.4, 0.8),
                         T("按分数折算。分数说看哪里，不说缺不缺得了。",
                           "converts the score into work. A score says where it looks, not "
                           "whether it is missed.")),
                  Option(T("几乎不会抄了", "hardly any"), left_after("matching", -0.01, 0.4),
                         T("以为“归纳头”只有一个。这一层有两个头在做同一件事。",
                           "thinks there is one induction head. Two heads of this layer do the "
                           "same work."))))),
    pins={"record.*": RECORDED, "rows": COUNT, "*.layer": COUNT, "*.head": COUNT,
          "*.edges": COUNT, "*": TRAINED},
    notes=T(
        "约 8 分钟。两次投票分开做：第一次多数人会信那条链，第二次就会输给替补。争论点：一个切掉"
        "也没关系、"
        "分数却有 0.99 的头，该叫它“归纳头”吗？（Wang 等 2022 在更大的模型里也见到替补。）",
        "About 8 minutes; keep the two votes apart: after the first most will trust the chain, "
        "and the spare will beat them in the second. The argument: a head that scores 0.99 and "
        "is not missed, is it the induction head? (Wang et al. 2022 met backup heads in a larger "
        "model.)"),
)
