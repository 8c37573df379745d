"""13.2 Other words: how often right, how sure?: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d13_calibration.lesson import PHRASINGS_CONTROLS, phrasings
from demos.d13_calibration.words import COUNT, SHIPPED
from lecture.report import (
    Block,
    Claim,
    Column,
    Curve,
    Metrics,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
)

GROUP_NAMES = {
    "seen": T("训练过的问法", "seen in training"),
    "held_out": T("留出的问法", "held out"),
    "reworded": T("我们另写的问法", "worded anew by us"),
    "money": T("问钱：只说过，没问过", "money: told, never asked"),
    "shuffled": T("训练过的，答案打乱", "seen, right answers mixed up"),
}


def show_phrasings(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "校准的意思：置信度 0.8 的那些答案，应该有八成是对的。把答案按置信度分成 10 格（左端算在"
        "格内，1 归最后一格，空格不算），每格比较“对的比例”与“平均置信度”，差的绝对值按题数"
        "加权平均，就是 ECE。",
        "Calibrated means: of the answers given with confidence 0.8, eight in ten are right. Put "
        "answers into 10 bins of confidence (a bin holds its left edge, 1 goes into the last, "
        "empty ones are left out), compare share right with mean confidence in each; the mean "
        "absolute difference, weighted by answers, is the ECE."))
    yield Table(
        (Column(T("问法", "phrasing")), Column(T("题数", "answers"), "d"),
         Column(T("对的比例", "share right"), ".3f"),
         Column(T("平均置信度", "confidence"), ".3f"), Column(T("ECE", "ECE"), ".3f")),
        [[GROUP_NAMES[k], *row.values()]
         for k, row in {**m["groups"], "shuffled": m["shuffled"]}.items()],
        title=T("有多对，有多自信", "How often right, how sure"))
    yield Table(
        (Column(T("从", "from"), ".1f"), Column(T("到", "to"), ".1f"),
         Column(T("题数", "answers"), "d"), Column(T("平均置信度", "confidence"), ".3f"),
         Column(T("对的比例", "share right"), ".3f")),
        [list(row.values()) for row in m["bins"]],
        title=T("可靠性表：另写的问法加问钱，{new[answers]} 题",
                "Reliability table: worded anew and money, {new[answers]} answers"))
    full = [row for row in m["bins"] if row["count"]]
    yield Curve(
        [row["confidence"] for row in full],
        [(T("对的比例", "share right"), [row["accuracy"] for row in full]),
         (T("若校准", "if calibrated"), [row["confidence"] for row in full])],
        T("置信度", "confidence"), T("对的比例", "share right"), low=0.0, high=1.0,
        title=T("可靠性曲线：低于对角线是过分自信",
                "Reliability curve: below the diagonal is too sure"))
    yield Table(
        (Column(T("问法（X 是国名）", "wording (X is the country)")),
         Column(T("对", "right"), "d"), Column(T("平均置信度", "confidence"), ".3f")),
        [[w["words"], w["right"], w["confidence"]] for w in m["wordings"]
         if w["right"] < m["countries"]],
        title=T("没有全对的问法（每种 {countries} 题）；另外 {all_right} 种全对",
                "Wordings not all right ({countries} answers each); the other {all_right} are"))


PART = Part(
    number=2, key="phrasings",
    title=T("换个问法：对多少，信多少", "Other words: how often right, how sure?"),
    compute=phrasings, describe=show_phrasings, recipes=("base",),
    controls=PHRASINGS_CONTROLS,
    claims=(
        Claim("near_words", T(
            "留出的问法没有难住它：{groups[held_out][answers]} 题对了 "
            "{groups[held_out][accuracy]:.1%}，平均置信度 {groups[held_out][confidence]:.3f}，"
            "ECE {groups[held_out][ece]:.3f}；训练过的问法是 {groups[seen][ece]:.3f}。"
            "两边都对得上。",
            "The held-out phrasing is no trouble: {groups[held_out][accuracy]:.1%} of "
            "{groups[held_out][answers]} right, confidence {groups[held_out][confidence]:.3f}, "
            "ECE {groups[held_out][ece]:.3f}; on phrasings seen, {groups[seen][ece]:.3f}. "
            "Sureness and success agree on both."),
            lambda m: min(m["groups"]["held_out"]["accuracy"] - 0.95,
                          m["groups"]["held_out"]["confidence"] - 0.9,
                          0.02 - m["groups"]["held_out"]["ece"],
                          0.02 - m["groups"]["seen"]["ece"]), "labels_mixed"),
        Claim("money", T(
            "货币在语料里只说过、没问过。换成问句，多半答错：{groups[money][answers]} 题只对 "
            "{groups[money][accuracy]:.1%}，平均置信度却有 {groups[money][confidence]:.2f}。",
            "Money is told in the corpus and never asked for. Ask, and "
            "{groups[money][accuracy]:.1%} of {groups[money][answers]} are right, at a mean "
            "confidence of {groups[money][confidence]:.2f}."),
            lambda m: min(m["groups"]["money"]["confidence"]
                          - m["groups"]["money"]["accuracy"] - 0.3,
                          0.5 - m["groups"]["money"]["accuracy"]), "all_seen"),
        Claim("own_country", T(
            "错的 {wrong} 题里，有 {wrong_of_own_country} 题说的是本国的另一样东西：国家认对了，"
            "问题没听懂。",
            "Of {wrong} wrong answers {wrong_of_own_country} name another thing of the same "
            "country: the country is read, the question is not."),
            lambda m: min(m["wrong"] - 0.5,
                          m["wrong_of_own_country"] - 0.9 * m["wrong"]), "all_seen"),
        Claim("ece_grows", T(
            "ECE 说的就是这件事：训练过的问法 {groups[seen][ece]:.3f}，新问法合起来 "
            "{new[ece]:.3f}。过分自信：对 {new[accuracy]:.1%}，信 {new[confidence]:.1%}。",
            "The ECE tells it: {groups[seen][ece]:.3f} on phrasings seen, {new[ece]:.3f} on the "
            "new ones together. Too sure: {new[accuracy]:.1%} right, {new[confidence]:.1%} "
            "confident."),
            lambda m: min(m["new"]["ece"] - 10 * m["groups"]["seen"]["ece"],
                          m["new"]["confidence"] - m["new"]["accuracy"] - 0.05), "all_seen"),
        Claim("shuffled", T(
            "对照：同样的答案、同样的置信度，只把标准答案的次序打乱，对的比例从 "
            "{groups[seen][accuracy]:.1%} 掉到 {shuffled[accuracy]:.1%}，ECE 升到 "
            "{shuffled[ece]:.2f}，置信度还是 {shuffled[confidence]:.3f}。置信度不看答案。",
            "The control: the same answers and confidences, only the right answers mixed up, and "
            "the share right drops from {groups[seen][accuracy]:.1%} to "
            "{shuffled[accuracy]:.1%}, the ECE rises to {shuffled[ece]:.2f}, the confidence "
            "stays {shuffled[confidence]:.3f}. Confidence does not look at the answers."),
            lambda m: min(m["groups"]["seen"]["accuracy"] - m["shuffled"]["accuracy"] - 0.8,
                          m["shuffled"]["ece"] - 0.8,
                          1e-9 - abs(m["shuffled"]["confidence"]
                                     - m["groups"]["seen"]["confidence"])), "labels_kept"),
        Claim("bin_rule", T(
            "ECE 要和分格的规则一起报：同样的 {new[answers]} 个答案，不分格 {by_bins[in_1]:.3f}，"
            "十格 {by_bins[in_10]:.3f}，再细一倍 {by_bins[in_20]:.3f}。格子一粗，过分自信和不够自信"
            "就互相抵消。",
            "Report an ECE with its bin rule: the same {new[answers]} answers give "
            "{by_bins[in_1]:.3f} in a single bin, {by_bins[in_10]:.3f} in ten, "
            "{by_bins[in_20]:.3f} in twice as many. In coarse bins too sure and not sure enough "
            "cancel."),
            lambda m: min(m["by_bins"]["in_10"] - m["by_bins"]["in_1"] - 1e-6,
                          m["by_bins"]["in_20"] - m["by_bins"]["in_10"] - 1e-6),
            "labels_mixed"),
    ),
    caveat=T(
        "这些数字属于随课发的这一份权重。我们另写的问法是一次写好的，没有按结果删改，可它们不是随机"
        "抽样：换一批问法，比例会变。ECE 小也不等于好：永远说同一个词、报出它的频率，也能很小。",
        "These numbers belong to the one set of weights that ships. Our wordings were written "
        "once and none removed, but they are no random sample: other wordings, other shares. And "
        "a small ECE is not yet good: always saying one word with its true frequency has one."),
    questions=(
        Question(
            T("语料说过每个国家用什么货币，但从没用问句问过。现在用学过的词来问 X 的货币，会怎样？",
              "The corpus states each country's money but never asks for it. Ask for it now, in "
              "words it knows. What happens?"),
            (Option(T("大多答对：事实学过了", "mostly right: the fact was learned"),
                    lambda m: m["groups"]["money"]["accuracy"] - 0.5,
                    T("以为会说就会答。会接一句陈述，不等于听得懂这样的问句。",
                      "expects that what can be told can be asked. Completing a statement is "
                      "not understanding this question.")),
             Option(T("大多答错，而且没把握（0.3 以下）",
                      "mostly wrong, and unsure (under 0.3)"),
                    lambda m: min(0.5 - m["groups"]["money"]["accuracy"],
                                  0.3 - m["groups"]["money"]["confidence"]),
                    T("以为不会的时候它自己知道。", "thinks it knows when it does not know.")),
             Option(T("大多答错，有一半把握（0.3 到 0.7）",
                      "mostly wrong, half sure (0.3 to 0.7)"),
                    lambda m: min(0.5 - m["groups"]["money"]["accuracy"],
                                  m["groups"]["money"]["confidence"] - 0.3,
                                  0.7 - m["groups"]["money"]["confidence"]),
                    T("以为把握会跟着正确率打折。",
                      "expects sureness to be cut along with success.")),
             Option(T("大多答错，把握很大（0.7 以上）",
                      "mostly wrong, and very sure (over 0.7)"),
                    lambda m: min(0.5 - m["groups"]["money"]["accuracy"],
                                  m["groups"]["money"]["confidence"] - 0.7)))),),
    pins={"*.answers": COUNT, "*.count": COUNT, "*.right": COUNT, "*.words": COUNT,
          "*": SHIPPED},
    notes=T(
        "约 10 分钟。先投票，再给第一张表，让大家自己找出哪一行不对劲；最后看没全对的问法，猜它答的"
        "是什么（多半是本国的语言）。争论点：第 1 部分那条线，在这里为什么挡不住？",
        "About 10 minutes. Vote, show the first table, let the class find the row that is wrong; "
        "then the failed wordings: guess what it answers (mostly the country's "
        "language). The argument: why does the bar of part 1 not help here?"),
)
