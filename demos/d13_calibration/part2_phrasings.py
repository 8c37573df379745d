"""13.2 Other words: how often right, how sure?: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d13_calibration.lesson import PHRASINGS_CONTROLS, phrasings
from demos.d13_calibration.words import (
    ACCURACY,
    ANSWERS,
    AUROC,
    CONFIDENCE,
    COUNT,
    ECE,
    OTHER_SEEDS,
    RECORD,
    SEED,
    SEEDS,
    SHIPPED,
)
from lecture.margins import above, at_least, at_most, below, both, equal
from lecture.quantities import Group, Lines, Named, Rows
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

SHARE = Quantity(T("对的比例", "share right"), ".3f")
COVERED = {key: T(f"{{covered.{key}:.0%}}", f"{{covered.{key}:.0%}}")
           for key in ("quarter", "half", "most", "all")}
LIST = {"right": T("对", "right"), "language": T("语言", "language"),
        "leader": T("领导人", "leader"), "known_for": T("特产", "product")}
QUANTITIES = {
    "*.answers": ANSWERS, "bins.*.count": ANSWERS, "worked.count": ANSWERS,
    "curve.confidence": CONFIDENCE, "curve.accuracy": SHARE,
    "curve.calibrated": SHARE,
    **{f"surest.*.{key}": Quantity(name, ".3f") for key, name in COVERED.items()},
    "bins.*.low": Quantity(T("从", "from"), ".1f"), "bins.*.high": Quantity(T("到", "to"), ".1f"),
    "worked.low": Quantity(T("从", "from"), ".1f"), "worked.high": Quantity(T("到", "to"), ".1f"),
    "worked.adds": Quantity(T("加上", "adds"), ".3f"),
    "record.*money*": Quantity(T("钱，对", "money right"), ".0%"),
    "record.*confidence*": Quantity(T("置信度", "confidence"), ".2f"),
    "record.*auroc*": AUROC, "record.*reworded*": Quantity(T("另写的 AUROC", "AUROC anew"), ".2f"),
    "record.*language*": Quantity(T("答语言，带 do", "language, do"), "d"),
    "record.*without*": Quantity(T("答语言，无 do", "no do"), "d"),
    "record.*": SEEDS,
    **{f"money.*.{key}": Quantity(name, "d") for key, name in LIST.items()},
    **{f"failing.*.{key}": Quantity(name, "d") for key, name in LIST.items()},
    "split.*_surest": CONFIDENCE, "*.accuracy": ACCURACY, "*.confidence": CONFIDENCE,
    "*.ece": ECE, "*.auroc": AUROC,
    "offered.*": Quantity(T("把握", "confidence"), ".1f"),
    "*": Quantity(T("题", "answers"), "d"),
}
NAMES = {
    "groups.seen": T("训练过的问法", "seen in training"),
    "groups.held_out": T("留出的问法", "held out"),
    "groups.reworded": T("我们另写的问法", "worded anew by us"),
    "groups.money": T("问钱", "money, asked"),
    "groups.told": T("钱，陈述句接下去", "money, told on"),
    "surest.reworded": T("我们另写的问法", "worded anew by us"),
    "surest.money": T("问钱", "money, asked"),
    **{f"bins.{i}": T(f"{{bins.{i}.low}}-{{bins.{i}.high}}",
                      f"{{bins.{i}.low}}-{{bins.{i}.high}}") for i in range(10)},
    "curve.accuracy": T("对的比例", "share right"),
    "curve.calibrated": T("若校准", "if calibrated"),
}
LEAD = (
    Paragraph(T(
        "校准：置信度 0.8 的答案，十个里该对八个。ECE 把答案按置信度分成十格，每格拿平均置信度和对"
        "的比例比，差按题数加权。例：另写的和问钱的共 {new.answers} 题，{worked.low} 到 "
        "{worked.high} 一格有 {worked.count} 题，平均 {worked.confidence}，对 {worked.accuracy}，"
        "给 ECE 加上 {worked.count}/{new.answers} × |{worked.accuracy} - {worked.confidence}| = "
        "{worked.adds}。AUROC 问把握分不分得出对错：任取一个对的、一个错的，对的更有把握的比例；"
        "0.5 是分不出。",
        "Calibrated: of ten answers given with confidence 0.8, eight are right. The ECE sorts "
        "answers into ten bins of confidence, compares mean confidence with the share right, and "
        "weights the gaps by answers. Example: of {new.answers} answers (anew, on money) the "
        "bin {worked.low} to {worked.high} has {worked.count}, mean {worked.confidence}, right "
        "{worked.accuracy}; it adds {worked.count}/{new.answers} × |{worked.accuracy} - "
        "{worked.confidence}| = {worked.adds}. The AUROC asks if confidence tells right from "
        "wrong: of a right and a wrong answer, how often the right one is surer; 0.5 is blind.")),
)
NAMED = Group(T("说的是本国的", "it names its"), ("language", "leader", "known_for"))


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("groups.*", ("answers", "accuracy", "confidence", "ece", "auroc"),
               head=T("问法", "wording"))
    yield Rows("money.*", ("right", "confidence", NAMED), label="words",
               head=T("问钱的六种问法，各 {countries} 题", "money, {countries} answers each"))
    yield Rows("failing.*", ("right", "confidence", NAMED), label="words", more=True,
               head=T("另写的问法里没全对的（X 是国名）", "worded anew, not all right"))
    yield Rows("surest.*", tuple(COVERED), head=T("只答最有把握的", "answer only the surest"),
               more=True, title=T("少答一些，对的比例（风险与覆盖率）",
                                  "Share right if fewer are answered (risk and coverage)"))
    yield Rows("bins.*", ("count", "confidence", "accuracy"), more=True,
               head=T("置信度", "confidence"),
               title=T("可靠性：两组新问法，{new.answers} 题",
                       "Reliability: the two new groups, {new.answers} answers"))
    yield Lines(
        "curve.confidence", ("curve.accuracy", "curve.calibrated"), low=0.0, high=1.0,
        page_only=True,
        title=T("可靠性曲线，{new.answers} 题：低于“若校准”就是过分自信",
                "Reliability, {new.answers} answers: below “if calibrated” is too sure"))
    yield Rows("record.runs.*", ("money", "confidence", "auroc", "reworded", "language", "without"),
               label="seed", head=SEED, title=OTHER_SEEDS, more=True)


PART = Part(
    number=2, key="phrasings",
    title=T("换个问法：对多少，信多少", "Other words: how often right, how sure?"),
    compute=phrasings, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("base",), controls=PHRASINGS_CONTROLS,
    claims=(
        Claim("held_out", T(
            "留出的问法没难住它：全对，ECE {groups.held_out.ece}；我们另写的问法，ECE "
            "{groups.reworded.ece}。",
            "The held-out phrasing is no trouble: all right, ECE {groups.held_out.ece}; on "
            "wordings of our own the ECE is {groups.reworded.ece}."),
            lambda m: both(above(m.groups.held_out.accuracy, 0.999),
                           below(m.groups.held_out.ece, 0.01),
                           above(m.groups.reworded.ece, 2 * m.groups.held_out.ece)),
            "other_wordings"),
        Claim("two_of_six", T(
            "问钱，{split.good} 种问法听懂了，几乎全对；其余 {split.bad} 种一题不对，其中 "
            "{split.language} 种，每一题答的都是本国的语言。换种子（记录，{record.seeds} 个），听懂"
            " {record.good.low} 到 {record.good.high} 种。",
            "Asked for money, {split.good} wordings are understood, nearly all right; on the other "
            "{split.bad} nothing is, and on {split.language} of these every answer is the "
            "country's language. With other seeds (recorded, {record.seeds}) {record.good.low} "
            "to {record.good.high} are understood."),
            lambda m: both(at_least(m.split.good_right, 0.9 * m.split.good * m.countries),
                           at_least(m.split.good, 1), at_least(m.split.bad, 3),
                           equal(m.split.bad_right, 0), at_least(m.split.language, 3),
                           at_least(m.record.good.high - m.record.good.low, 2)),
            "do_left_out", given=("record.seeds",)),
        Claim("surer_the_wronger", T(
            "靠把握认得出错吗？另写的问法认得出，AUROC {groups.reworded.auroc}；问钱只有 "
            "{groups.money.auroc}，错的反而更有把握：最有把握的一种问法没听懂，听懂的没有一种比得上"
            "它。",
            "Does confidence find the wrong ones? On our wordings it does, AUROC "
            "{groups.reworded.auroc}; on money, {groups.money.auroc}, the wrong are the surer: the "
            "surest wording is one not understood, above every one that is."),
            lambda m: both(above(m.groups.reworded.auroc, 0.7), below(m.groups.money.auroc, 0.4),
                           above(m.split.bad_surest, m.split.good_surest)), "do_left_out"),
        Claim("cue", T(
            "do people 在语料里只出现在问语言的句子里（{cue.trained} 句，例外 "
            "{cue.trained_otherwise}）。另有 {cue.wordings} 种新问法带着它，问的却不是语言，"
            "{cue.asked} 题里 {cue.language} 题答语言；删掉 do，剩 {cue.without} 题。换种子（记录，"
            "{record.seeds} 个）删掉 do 剩 {record.without.low} 到 {record.without.high} 题：不是"
            "每个种子都认 do。",
            "In the corpus “do people” stands only in questions for the language ({cue.trained} "
            "of them, {cue.trained_otherwise} others). {cue.wordings} new wordings that ask for "
            "something else have it: {cue.language} of {cue.asked} answers are the language; "
            "without “do”, {cue.without}. From other seeds (recorded, {record.seeds}) "
            "{record.without.low} to {record.without.high} are left: not every seed goes by “do”."),
            lambda m: both(equal(m.cue.trained_otherwise, 0), at_least(m.cue.trained, 1),
                           at_least(m.cue.language, 0.9 * m.cue.asked),
                           at_most(m.cue.without, m.cue.language / 2),
                           at_least(m.cue.wordings, 2),
                           at_most(m.record.without.low, m.cue.asked / 2),
                           at_least(m.record.without.high, m.cue.asked / 2)),
            "in_left_out", given=("record.seeds",), more=True),
        Claim("own_country", T(
            "错的 {wrong} 题里，{own} 题说的是本国的另一样东西。",
            "Of {wrong} wrong answers {own} name another thing of the same country."),
            lambda m: both(at_least(m.wrong, 1), at_least(m.own, 0.9 * m.wrong)),
            "another_country", more=True),
        Claim("surest", T(
            "只答最有把握的 {covered.half:.0%}：另写的问法从 {surest.reworded.all:.1%} 升到 "
            "{surest.reworded.half:.1%}；问钱从 {surest.money.all:.1%} 降到 "
            "{surest.money.half:.1%}。",
            "Answer only the surest {covered.half:.0%}: on our wordings {surest.reworded.all:.1%} "
            "becomes {surest.reworded.half:.1%}; on money {surest.money.all:.1%} falls to "
            "{surest.money.half:.1%}."),
            lambda m: both(above(m.surest.reworded.half, m.surest.reworded.all + 0.05),
                           below(m.surest.money.half, m.surest.money.all - 0.1)),
            "do_left_out", given=("covered.half",), more=True),
    ),
    caveat=T(
        "我们的问法一次写成，没按结果删改，也不是随机抽样。换种子（记录，{record.seeds} 个）：问钱"
        "对 {record.money.low} 到 {record.money.high}，居中 {record.money.middle}；AUROC 不到一半"
        "的 "
        "{record.inverted} 个。",
        "Our wordings were written once, none taken out, and are no random sample. Other seeds "
        "(recorded, {record.seeds}): money {record.money.low} to {record.money.high} right, "
        "middle {record.money.middle}; its AUROC is below half in {record.inverted}."),
    further=T(
        "ECE 小不等于好：永远说同一个词、报出它的频率，ECE 也小，AUROC 却是 0.5。",
        "A small ECE is not yet good: always one word with its true frequency has one, and an "
        "AUROC of 0.5."),
    questions=(Question(
        T("钱在语料里只陈述过；陈述句起个头，{groups.told.answers} 题它接对 "
          "{groups.told.accuracy:.0%}。从没问过。现在用学过的词来问：多半对吗？要是错，把握多大？",
          "Money is only told in the corpus; given the start of a statement it ends "
          "{groups.told.accuracy:.0%} of {groups.told.answers} rightly. Asked in words it knows: "
          "mostly right? If not, how sure?"),
        (Option(T("对", "right"),
                lambda m: above(m.groups.money.accuracy, 0.5),
                T("以为会说就会答。陈述句接得对，问句不一定听得懂。",
                  "expects what can be told to be askable. To end a statement is not to "
                  "understand this question.")),
         Option(T("错，{offered.unsure} 以下", "wrong, below {offered.unsure}"),
                lambda m: both(below(m.groups.money.accuracy, 0.5),
                               below(m.groups.money.confidence, m.offered.unsure)),
                T("以为答不对的时候，它自己知道。", "thinks it knows when it is wrong.")),
         Option(T("错，{offered.unsure} 到 {offered.sure}",
                  "wrong, {offered.unsure} to {offered.sure}"),
                lambda m: both(below(m.groups.money.accuracy, 0.5),
                               above(m.groups.money.confidence, m.offered.unsure),
                               below(m.groups.money.confidence, m.offered.sure)),
                T("以为把握会跟着正确率打折。", "expects confidence to fall along with success.")),
         Option(T("错，{offered.sure} 以上", "wrong, above {offered.sure}"),
                lambda m: both(below(m.groups.money.accuracy, 0.5),
                               above(m.groups.money.confidence, m.offered.sure)))),
        answer=Claim("money", T(
            "只对 {groups.money.accuracy:.1%}，把握却有 {groups.money.confidence:.2f}。同样的钱写成"
            "陈述句，全对：事实在，多数问法问不出来。",
            "{groups.money.accuracy:.1%} right, with confidence {groups.money.confidence:.2f}. "
            "Told, the same money is all right: the fact is there, most ways of asking do not "
            "reach it."),
            lambda m: both(below(m.groups.money.accuracy, 0.5),
                           above(m.groups.money.confidence, m.groups.money.accuracy + 0.3),
                           above(m.groups.told.accuracy, 0.999),
                           at_least(m.split.bad, m.split.good + 1)), "told")),),
    pins={"*.answers": COUNT, "*.count": COUNT, "money.*.confidence": SHIPPED,
          "failing.*.confidence": SHIPPED, "money.*": COUNT, "failing.*": COUNT,
          "split.*_surest": SHIPPED, "split.*": COUNT, "cue.*": COUNT, "record.*": RECORD,
          "*": SHIPPED},
    notes=T(
        "约 10 分钟。先投票，再给第一张表，让大家自己找出哪一行不对劲；然后遮住第二张表的右半，猜它"
        "答的是什么。争论点：第 1 部分那条线，在这里为什么挡不住？（--more 有风险与覆盖率。）",
        "About 10 minutes. Vote, show the first table, let the class find the row that is wrong; "
        "then hide the right half of the second and guess what it answers. The argument: why does "
        "the bar of part 1 not help here? (--more has risk and coverage.)"),
)
