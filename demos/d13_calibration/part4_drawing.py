"""13.4 Drawing the word: temperature, top-k, top-p: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d13_calibration.lesson import DRAWN_CONTROLS, drawn
from demos.d13_calibration.words import COUNT, OTHER_SEEDS, RECORD, SEED, SEEDS, SHIPPED
from lecture.margins import above, at_least, below, both, equal, near
from lecture.quantities import Across, Group, Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
)

ROW = {"plain": T("原来", "as it is"), "hot": T("除以 T", "divided by T"),
       "top_k": T("top-k", "top-k"), "top_p": T("top-p", "top-p")}
QUANTITIES = {
    "hot.*.right.all": Quantity(T("不截", "uncut"), ".3f"),
    "hot.*.right.top_k": Quantity(T("top-k", "top-k"), ".3f"),
    "hot.*.right.top_p": Quantity(T("top-p", "top-p"), ".3f"),
    "hot.*.kept.known": Quantity(T("学过的", "known"), ".1f"),
    "hot.*.kept.alike": Quantity(T("新词", "new"), ".1f"),
    "hot.*.t": Quantity(T("温度", "temperature"), "g"),
    "kept.*.mean": Quantity(T("平均", "mean"), ".1f"),
    "kept.*.fewest": Quantity(T("最少", "fewest"), "d"),
    "kept.*.most": Quantity(T("最多", "most"), "d"),
    **{f"example.{key}.*": Quantity(name, ".3f") for key, name in ROW.items()},
    "missed.*.share": Quantity(T("留着", "kept"), ".0%"),
    "largest_wrong": Quantity(T("概率", "probability"), ".2f"),
    "record.*right*": Quantity(T("抽对", "right"), ".2f"),
    "record.*kept*": Quantity(T("留下", "kept"), ".1f"), "record.p": Quantity(T("p", "p"), "g"),
    "record.*": SEEDS,
    "p": Quantity(T("p", "p"), "g"), "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    **{f"example.*.{i}": T(f"{{example.words.{i}}}", f"{{example.words.{i}}}") for i in range(5)},
    "example.*.5": T("其余", "others"),
    **{f"hot.{key}": T(f"T = {{hot.{key}.t}}", f"T = {{hot.{key}.t}}")
       for key in ("one", "warm", "two", "three")},
    "kept.top_k": T("top-k，k = {k}", "top-k, k = {k}"),
    "kept.top_p": T("top-p，p = {p}", "top-p, p = {p}"),
}
LEAD = (
    Paragraph(T(
        "到这里都取概率最大的词。写文章时常常照概率抽一个，叫采样，有三个旋钮：温度 T；top-k，只留"
        "最大的 k 个词；top-p（核采样），从最大的起，留到合计刚够 p 为止。留下的除以它们的合计，再"
        "抽。例：13.1 那个新国名的首都，T = {hot.two.t}，k = {k}，p = {p}：",
        "So far the likeliest word was taken. Text is often written by drawing a word by its "
        "probability (sampling), with three knobs: the temperature T; top-k, only the k likeliest; "
        "top-p (nucleus), from the likeliest on until they reach p together. What is left is "
        "divided by its sum. Example, the capital of the new name of 13.1, with T = {hot.two.t}, "
        "k = {k}, p = {p}:")),
    Across(("example.plain", "example.hot", "example.top_k", "example.top_p"),
           ("0", "1", "2", "3", "4", "5"), rule=False),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "hot.*", (Group(T("学过的国名：抽到正确的词", "known: share of draws right"),
                        ("right.all", "right.top_k", "right.top_p")),
                  Group(T("top-p 平均留几个词", "words kept by top-p"),
                        ("kept.known", "kept.alike"))),
        title=T("各 {questions} 题，词表 {words} 个词，k = {k}，p = {p}（照概率算出，没有真抽）",
                "{questions} questions each, {words} words, k = {k}, p = {p} (computed, nothing "
                "drawn)"))
    yield Rows(
        "kept.*", (Group(T("学过的国名", "known"),
                         ("known.mean", "known.fewest", "known.most")),
                   Group(T("像国名的新词", "new"),
                         ("alike.mean", "alike.fewest", "alike.most"))),
        title=T("T = {hot.one.t}：留下几个词", "T = {hot.one.t}: words kept"), more=True)
    yield Rows("record.runs.*", ("right", "kept"),
               label="seed", head=SEED, title=OTHER_SEEDS, more=True)


PART = Part(
    number=4, key="drawing",
    title=T("采样：温度、top-k、top-p", "Drawing the word: temperature, top-k, top-p"),
    compute=drawn, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("base",), controls=DRAWN_CONTROLS,
    params={"k": Param(5, 1, 178, about=T("top-k 留几个词", "words that top-k keeps")),
            "p": Param(0.9, 0.0, 1.0, about=T("top-p 留多少概率", "probability that top-p keeps"))},
    claims=(
        Claim("hot", T(
            "T = {hot.two.t}，不截断：正确的词每题都还是最大的，抽到它却只有 {hot.two.right.all}。"
            "别"
            "的词每个最多 {largest_wrong}，可有 {others} 个。",
            "T = {hot.two.t}, uncut: the right word is still the likeliest everywhere, yet only "
            "{hot.two.right.all} of draws say it. No other word has more than {largest_wrong}, but "
            "there are {others}."),
            lambda m: both(equal(m.still_first, m.questions),
                           below(m.hot.two.right.all, 0.95), below(m.largest_wrong, 0.1),
                           above(m.others * m.largest_wrong, 1 - m.hot.two.right.all)),
            "heat_ignored", given=("hot.two.t",)),
        Claim("cut", T(
            "截掉尾巴，补回一些：T = {hot.two.t} 时 top-k {hot.two.right.top_k}，top-p "
            "{hot.two.right.top_p}。",
            "Cut the tail and some comes back: at T = {hot.two.t} top-k has "
            "{hot.two.right.top_k}, top-p {hot.two.right.top_p}."),
            lambda m: both(above(m.hot.two.right.top_k, m.hot.two.right.all + 0.03),
                           above(m.hot.two.right.top_p, m.hot.two.right.all + 0.03)),
            "uncut", given=("hot.two.t",)),
        Claim("not_found", T(
            "答错的题，采样可能找回一些：另写的，top-p 在 {missed.reworded.share} 的题里还留着正确"
            "的词。问钱少得多，{missed.money.share}。（记录：{record.seeds} 个种子里有 "
            "{record.fewer} 个，问钱的少些。）",
            "Of what it gets wrong a draw may find some: on our wordings top-p keeps the right "
            "word in {missed.reworded.share} of the wrong ones. On money in far fewer, "
            "{missed.money.share}. (Recorded: fewer on money in {record.fewer} of "
            "{record.seeds} seeds.)"),
            lambda m: both(above(m.missed.reworded.share, 1.5 * m.missed.money.share),
                           at_least(m.record.fewer, m.record.seeds / 2)),
            "asked_anew"),
    ),
    caveat=T(
        "一题只抽一个词；写长文时抽错一个，后面都跟着变（演示 03、10）。换种子（记录，"
        "{record.seeds} 个）：T = {hot.two.t} 抽对 {record.right.low} 到 {record.right.high}；p = "
        "{record.p}，新词"
        "平均留 {record.kept.low} 到 {record.kept.high} 个。",
        "One word a question; in a long text one bad draw changes all that follows (demos 03 and "
        "10). Other seeds (recorded, {record.seeds}): {record.right.low} to {record.right.high} "
        "right at T = {hot.two.t}; {record.kept.low} to {record.kept.high} words kept for a new "
        "name at p = {record.p}."),
    questions=(Question(
        T("top-p，p = {p:g}，T = {hot.one.t:g}。平均留下几个词？先说学过的国名，再说新词。",
          "top-p, p = {p:g}, T = {hot.one.t:g}: how many words are kept, known and new names?"),
        (Option(T("都是一个", "one each"),
                lambda m: both(below(m.kept.top_p.known.mean, 1.5),
                               below(m.kept.top_p.alike.mean, 1.5)),
                T("以为最大的总够。新词最多要留 {kept.top_p.alike.most} 个才够。",
                  "thinks the likeliest is always enough. A new name needs up to "
                  "{kept.top_p.alike.most}.")),
         Option(T("一个，好几个", "one, several"),
                lambda m: both(below(m.kept.top_p.known.mean, 1.5),
                               above(m.kept.top_p.alike.mean, 1.5))),
         Option(T("好几个，一个", "several, one"),
                lambda m: both(above(m.kept.top_p.known.mean, 1.5),
                               below(m.kept.top_p.alike.mean, 1.5)),
                T("以为学得多就留得多。越有把握，越少几个就够。",
                  "expects more where more is known. The surer, the fewer are enough.")),
         Option(T("都好几个", "several each"),
                lambda m: both(above(m.kept.top_p.known.mean, 1.5),
                               above(m.kept.top_p.alike.mean, 1.5)),
                T("想的是 top-k：不管有没有把握，个数不变。",
                  "thinks of top-k: as many, however sure."))),
        answer=Claim("as_many_as_needed", T(
            "学过的 {kept.top_p.known.mean} 个，新词 {kept.top_p.alike.mean} 个：有把握，一个就够；"
            "没把握，最多要 {kept.top_p.alike.most} 个。",
            "{kept.top_p.known.mean} for a known name, {kept.top_p.alike.mean} for a new one: "
            "where it is sure one is enough, where not it takes up to {kept.top_p.alike.most}."),
            lambda m: both(near(m.kept.top_p.known.mean, 1, 0.2),
                           above(m.kept.top_p.alike.mean, m.kept.top_p.known.mean + 0.1),
                           above(m.kept.top_p.alike.most, m.kept.top_p.known.most)),
            "always_as_many")),),
    pins={"example.words.*": COUNT, "*.fewest": COUNT, "*.most": COUNT, "missed.*.share": SHIPPED,
          "missed.*": COUNT,
          "record.*": RECORD, "*": SHIPPED},
    notes=T(
        "约 7 分钟。先投票。争论点：写诗和查资料，该用同样的 T 和 p 吗？试试 --set 4.p=0.5，"
        "--set 4.k=1。",
        "About 7 minutes. Vote first. The argument: should a poem and a reference work be written "
        "with the same T and p? Try --set 4.p=0.5 and --set 4.k=1."),
)
