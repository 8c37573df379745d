"""13.1 A country that does not exist: how sure is it?: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d13_calibration.lesson import UNKNOWN_CONTROLS, unknown
from demos.d13_calibration.words import (
    CONFIDENCE,
    COUNT,
    OTHER_SEEDS,
    RECORD,
    SEED,
    SEEDS,
    SHIPPED,
)
from lecture.margins import above, at_least, at_most, below, both, near
from lecture.quantities import Named, Rows
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

QUANTITIES = {
    "rows.*.mean": Quantity(T("平均", "mean"), ".3f"),
    "rows.*.lowest": Quantity(T("最低", "lowest"), ".3f"),
    "rows.*.highest": Quantity(T("最高", "highest"), ".3f"),
    "rows.*.over_bar": Quantity(T("过线", "over the bar"), "d"),
    "rows.*.asked_kind": Quantity(T("类别对", "right kind"), "d"),
    "example.shares.*": CONFIDENCE, "bar": CONFIDENCE,
    "guess": Quantity(T("平摊", "even"), ".2f"),
    "offered.*": Quantity(T("约", "about"), ".1f"),
    "record.*mean*": Quantity(T("平均", "mean"), ".2f"),
    "record.*over_bar*": Quantity(T("过线", "over the bar"), "d"),
    "record.*": SEEDS,
    "*": Quantity(T("题", "questions"), "d"),
}
NAMES = {
    "rows.known": T("学过的国名", "a country it knows"),
    "rows.alike": T("像国名的新词", "new, like a country"),
    "rows.fresh": T("从未训练的词", "never trained"),
}
LEAD = (
    Paragraph(T(
        "模型给每个词一个概率，说最大的那个；那个概率就是它的置信度。同样的 {questions} 道题（"
        "{countries} 国，各四问），把国名的词向量换掉：照 {countries} 个国名向量的均值和协方差抽一"
        "个，像国名，却不是任何一国；或者放一个刚初始化、没训练过的。没有哪个答案是对的，它总要说一"
        "个词。",
        "The model gives every word a probability and says the likeliest; that probability is its "
        "confidence. The same {questions} questions ({countries} countries, four each) with "
        "another word vector for the country: drawn with the mean and covariance of the "
        "{countries} known ones, like a country but none; or one never trained. No answer is "
        "right, yet it says a word.")),
    Paragraph(T(
        "例：第一个像国名的新词，问首都：{example.words.0} {example.shares.0:.2f}，"
        "{example.words.1} {example.shares.1:.2f}，{example.words.2} {example.shares.2:.2f}，……"
        "说 {example.words.0}，置信度 {example.shares.0:.2f}。",
        "Example, the capital of the first new name: {example.words.0} {example.shares.0:.2f}, "
        "{example.words.1} {example.shares.1:.2f}, {example.words.2} {example.shares.2:.2f}, … "
        "It says {example.words.0}, with confidence {example.shares.0:.2f}.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "rows.*", ("mean", "lowest", "highest", "over_bar", "asked_kind"),
        head=T("国名的位置放的是", "in the country's place"),
        title=T("{questions} 道题的置信度", "Confidence on {questions} questions"),
        legend=T("过线：不低于学过的国名里最低的一题。类别对：问首都就说一个首都，不管是哪国的。",
                 "Over the bar: no lower than the lowest on a known country. Right kind: asked "
                 "for a capital it names some capital."))
    yield Rows("record.runs.*", ("mean", "over_bar"),
               label="seed", head=SEED, title=OTHER_SEEDS, more=True)


PART = Part(
    number=1, key="unknown",
    title=T("不存在的国家：它有多大把握", "A country that does not exist: how sure is it?"),
    compute=unknown, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("base",), controls=UNKNOWN_CONTROLS,
    claims=(
        Claim("answers_anyway", T(
            "像国名的新词，{rows.alike.asked_kind} 题都说出所问那一类的词，问首都就说一个首都；换种"
            "子（记录，{record.seeds} 个）也都这样。从未训练的词，{rows.fresh.asked_kind} 题，换种"
            "子 {record.fresh.low} 到 {record.fresh.high} 题。",
            "For a new name like a country {rows.alike.asked_kind} answers are of the kind asked "
            "for: a capital if a capital is wanted; so with other seeds (recorded, "
            "{record.seeds}). For a vector never trained, {rows.fresh.asked_kind}, with other "
            "seeds {record.fresh.low} to {record.fresh.high}."),
            lambda m: both(at_least(m.rows.alike.asked_kind, m.questions),
                           at_least(m.record.alike.low, m.questions),
                           at_least(m.record.fresh.high - m.record.fresh.low, m.questions / 2),
                           at_most(m.rows.fresh.asked_kind, m.questions / 10)),
            "never_trained", given=("record.seeds",)),
        Claim("one_bar", T(
            "一条线挡得住大部分：学过的国名最低 {bar}，像国名的新词够得着的只有 "
            "{rows.alike.over_bar} 题，挡下 {caught} 题。",
            "One bar stops most of them: the lowest on a known country is {bar}; of the new names "
            "{rows.alike.over_bar} reach it, {caught} do not."),
            lambda m: both(at_most(m.rows.alike.over_bar, m.questions / 10),
                           at_least(m.caught, 0.9 * m.questions), above(m.bar, 0.9)),
            "not_new"),
    ),
    caveat=T(
        "词表是封闭的，新国名打不出来，只能换词向量。换种子重训（记录，{record.seeds} 个）：平均 "
        "{record.mean.low} 到 {record.mean.high}，过线 {record.over_bar.low} 到 "
        "{record.over_bar.high} 题。",
        "The vocabulary is closed: a new name cannot be typed, only its vector exchanged. Trained "
        "from other seeds (recorded, {record.seeds}): mean {record.mean.low} to "
        "{record.mean.high}, over the bar {record.over_bar.low} to {record.over_bar.high}."),
    further=T(
        "大模型会把新名字拆成学过的小块（演示 01），那时有多大把握，这里没有量。",
        "A large model splits a new name into pieces it knows (demo 01); how sure it is then is "
        "not measured here."),
    questions=(Question(
        T("像国名的新词，{questions} 题。置信度平均多少？",
          "New names like a country, {questions} questions: mean confidence?"),
        (Option(T("约 {guess}，{countries} 国平摊", "about {guess}, one in {countries}"),
                lambda m: below(m.rows.alike.mean, 0.15),
                T("以为不知道就会平摊。最没把握的一题也有 {rows.alike.lowest:.2f}。",
                  "expects not knowing to be an even spread. The least sure answer has "
                  "{rows.alike.lowest:.2f}.")),
         Option(T("约 {offered.low}", "about {offered.low}"),
                lambda m: both(above(m.rows.alike.mean, 0.15), below(m.rows.alike.mean, 0.5)),
                T("以为题题都像例子那样在几国之间犹豫。平均下来，最大的占 {rows.alike.mean:.2f}。",
                  "expects every question to waver as the example does. On average the likeliest "
                  "has {rows.alike.mean:.2f}.")),
         Option(T("约 {offered.high}", "about {offered.high}"),
                lambda m: both(above(m.rows.alike.mean, 0.5), below(m.rows.alike.mean, 0.9))),
         Option(T("{rows.known.mean}，和学过的国名一样", "{rows.known.mean}, as if known"),
                lambda m: near(m.rows.alike.mean, m.rows.known.mean, 0.09),
                T("以为模型永远一样有把握。像国名的新词，过线的只有 {rows.alike.over_bar} 题。",
                  "thinks a model is always equally sure. Of the new names only "
                  "{rows.alike.over_bar} reach the bar."))),
        answer=Claim("in_between", T(
            "平均 {rows.alike.mean:.2f}：比平摊的 {guess} 高得多，又比学过的 {rows.known.mean} 低。"
            "不知道也要说一个词，只是把握小些。",
            "mean {rows.alike.mean:.2f}: far above an even {guess}, and below the "
            "{rows.known.mean} of known ones. Not knowing it still says a word, only less surely."),
            lambda m: both(above(m.rows.alike.mean, 5 * m.guess),
                           below(m.rows.alike.mean, m.rows.known.mean - 0.1)), "not_new")),),
    pins={"example.words.*": COUNT, "*.over_bar": COUNT, "*.asked_kind": COUNT,
          "record.*": RECORD, "*": SHIPPED},
    notes=T(
        "约 6 分钟。先投票，再给表。争论点：怎样才算“不知道”？从未训练的词也不平摊。用 --seed 换一"
        "批新词。",
        "About 6 minutes. Vote, then the table. The argument: what would not knowing look like? "
        "Not even a vector never trained gives an even spread. --seed draws other names."),
)
