"""13.3 One temperature: what it repairs and what not: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d13_calibration.lesson import TEMPERATURE_CONTROLS, cooled
from demos.d13_calibration.words import (
    ACCURACY,
    ANSWERS,
    AUROC,
    COUNT,
    ECE,
    OTHER_SEEDS,
    RECORD,
    SEED,
    SEEDS,
    SHIPPED,
)
from lecture.margins import above, at_least, at_most, below, both, equal
from lecture.quantities import Across, Group, Lines, Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    close,
)

NLL = Quantity(T("NLL", "NLL"), ".3f")
QUANTITIES = {
    "temperature": Quantity(T("温度", "temperature"), ".2f"),
    "alone.t": Quantity(T("温度", "temperature"), ".2f"), "alone.ece": ECE,
    "grid": Quantity(T("温度 T", "temperature T"), "g"), "curve.*": NLL,
    "example.scores.*": Quantity(T("分数", "score"), ".2f"),
    "example.before.*": Quantity(T("概率，T = 1", "probability, T = 1"), ".3f"),
    "example.after.*": Quantity(T("概率，除以 T", "probability, divided by T"),
                                ".3f"),
    "rows.*.answers": ANSWERS, "rows.*.accuracy": ACCURACY,
    "rows.*.confidence": Quantity(T("置信度", "conf."), ".3f"),
    "rows.*.ece": ECE, "rows.*.auroc": AUROC, "rows.*.nll": NLL,
    "record.temperature.*": Quantity(T("温度", "temperature"), ".2f"),
    "record.runs.*.temperature": Quantity(T("温度", "temperature"), ".2f"),
    "record.*before.*": ECE, "record.*after.*": ECE, "record.*seen.*": ECE,
    "record.runs.*.before": Quantity(T("新问法", "new"), ".3f"),
    "record.runs.*.after": Quantity(T("除以 T", "by T"), ".3f"),
    "record.runs.*.seen_before": Quantity(T("老问法", "seen"), ".3f"),
    "record.runs.*.seen": Quantity(T("除以 T", "by T"), ".3f"), "record.*": SEEDS,
    "*": Quantity(T("题", "answers"), "d"),
}
NAMES = {
    **{f"example.*.{i}": T(f"{{example.words.{i}}}", f"{{example.words.{i}}}")
       for i in range(4)},
    "rows.tested": T("新问法，另 {half} 国", "new, other {half}"),
    "rows.reworded": T("- 另写的", "- worded anew"),
    "rows.money": T("- 问钱", "- money"),
    "rows.seen": T("训练过的问法", "seen before"),
    "curve.tested": T("新问法，另一半国家", "new wordings, other half"),
    "curve.money": T("其中问钱", "money alone"),
    "curve.seen": T("训练过的问法", "seen in training"),
}
LEAD = (
    Paragraph(T(
        "补救只用一个数：softmax 之前，所有分数除以温度 T。T 大于一，概率压平；小于一，削尖。在 "
        "{half} 国的新问法（13.2 里另写的和问钱的）上选 T，使正确词的 -ln p 平均（负对数似然，NLL）"
        "最小，得 T = {temperature}；再到另外 {half} 国上试。例：{example.question}",
        "The repair is one number: before softmax all scores are divided by a temperature T. T "
        "above one flattens, below one sharpens. Chosen on the new wordings of 13.2 about {half} "
        "countries, so that the mean -ln p of the right word (negative log likelihood, NLL) is "
        "lowest: T = {temperature}; then tried on the other {half}. Example: "
        "{example.question}")),
    Across(("example.scores", "example.before", "example.after"), ("0", "1", "2", "3"),
           rule=False),
)


def columns(when: str) -> tuple[str, ...]:
    """The columns of one temperature."""
    return tuple(f"{when}.{leaf}" for leaf in ("confidence", "ece", "auroc"))


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "rows.*", ("answers", "before.accuracy", Group(T("T = 1", "T = 1"), columns("before")),
                   Group(T("T = {temperature}", "T = {temperature}"), columns("after"))))
    yield Rows("rows.*", (Group(T("T = 1", "T = 1"), ("before.nll",)),
                          Group(T("T = {temperature}", "T = {temperature}"), ("after.nll",))),
               more=True)
    yield Lines("grid", ("curve.tested", "curve.money", "curve.seen"), low=0.0, more=True,
                title=T("NLL 随温度怎么变",
                        "NLL against temperature"))
    yield Rows("record.runs.*", ("temperature", "before", "after", "seen_before", "seen"),
               label="seed", head=SEED, title=OTHER_SEEDS, more=True)


PART = Part(
    number=3, key="temperature",
    title=T("一个温度：能修什么，不能修什么", "One temperature: what it repairs and what not"),
    compute=cooled, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("base",), controls=TEMPERATURE_CONTROLS,
    claims=(
        Claim("order", T(
            "{items} 题里 {changed} 题换了答案：同除一个正数，名次不动，对的比例也不动。",
            "{changed} of {items} answers change: divided by one positive number the order stays, "
            "and with it the share right."),
            lambda m: both(equal(m.changed, 0), at_least(m.items, 1)), "one_a_word",
            kind="identity"),
        Claim("no_one_fits", T(
            "这个 T 没有两边都顾到：另写的，ECE 反而从 {rows.reworded.before.ece} 升到 "
            "{rows.reworded.after.ece}；问钱降了，还有 {rows.money.after.ece}。（记录：另写的升了"
            "的，{record.seeds} 个种子里有 {record.rises} 个。）",
            "This T does not serve both: on our wordings the ECE rises, "
            "{rows.reworded.before.ece} to {rows.reworded.after.ece}; on money it falls, to "
            "{rows.money.after.ece}. (Recorded: on our wordings it rises in {record.rises} of "
            "{record.seeds} seeds.)"),
            lambda m: both(above(m.rows.reworded.after.ece, m.rows.reworded.before.ece),
                           above(m.rows.money.before.ece, m.rows.money.after.ece),
                           above(m.rows.money.after.ece, 0.3),
                           at_least(m.record.rises, 1),
                           at_most(m.record.rises, m.record.seeds - 1)), "fitted_on_reworded"),
        Claim("not_who", T(
            "哪些答错了，它分不出：问钱的 AUROC 还是 {rows.money.after.auroc}。就算只照问钱的题选 "
            "T，得 {alone.t}，ECE 也有 {alone.ece}。",
            "It cannot tell which answers are wrong: on money the AUROC stays "
            "{rows.money.after.auroc}. Even T chosen on money alone, {alone.t}, leaves an ECE of "
            "{alone.ece}."),
            lambda m: both(below(m.rows.money.before.auroc, 0.45),
                           below(m.rows.money.after.auroc, 0.45), above(m.alone.ece, 0.3),
                           above(m.alone.t, m.temperature)), "one_a_wording"),
    ),
    caveat=T(
        "两半只隔开了国家，问法是同一批；换问法，这个 T 未必合适。换种子（记录，{record.seeds} 个）"
        "：T 从 {record.temperature.low} 到 {record.temperature.high}；{record.alike} 个都是新问法"
        "的 "
        "ECE 降，老问法的升。",
        "The halves differ in countries, not in wordings; for other wordings T need not fit. Other "
        "seeds (recorded, {record.seeds}): T from {record.temperature.low} to "
        "{record.temperature.high}; in {record.alike} the ECE falls on new wordings and rises on "
        "those seen."),
    questions=(Question(
        T("除以 T 之后，ECE 怎样？先说新问法（另 {half} 国），再说训练过的问法。",
          "Divided by T, the ECE on new wordings (other {half}), and on phrasings seen?"),
        (Option(T("都降", "both fall"),
                lambda m: both(above(m.rows.tested.before.ece, m.rows.tested.after.ece),
                               above(m.rows.seen.before.ece, m.rows.seen.after.ece)),
                T("以为校准是白送的。老问法本来就准，压低就不准了。",
                  "takes calibration for free. The phrasings seen were calibrated; lowered, they "
                  "no longer are.")),
         Option(T("降，升", "falls, rises"),
                lambda m: both(above(m.rows.tested.before.ece, m.rows.tested.after.ece),
                               above(m.rows.seen.after.ece, m.rows.seen.before.ece))),
         Option(T("升，降", "rises, falls"),
                lambda m: both(above(m.rows.tested.after.ece, m.rows.tested.before.ece),
                               above(m.rows.seen.before.ece, m.rows.seen.after.ece)),
                T("弄反了：过分自信的是新问法，老问法本来就准。",
                  "the wrong way round: it is the new wordings that are too sure.")),
         Option(T("都升", "both rise"),
                lambda m: both(above(m.rows.tested.after.ece, m.rows.tested.before.ece),
                               above(m.rows.seen.after.ece, m.rows.seen.before.ece)),
                T("以为另外一半国家用不上。国家换了，这个 T 还有用。",
                  "thinks T is of no use on other countries. It is."))),
        answer=Claim("price", T(
            "新问法降到 {rows.tested.after.ece}；老问法全对，置信度却"
            "被压到 {rows.seen.after.confidence}，ECE 升到 {rows.seen.after.ece}。",
            "new wordings fall to {rows.tested.after.ece}. The phrasings "
            "seen, all right, are lowered to a confidence of {rows.seen.after.confidence}: ECE "
            "{rows.seen.after.ece}."),
            lambda m: both(above(m.rows.tested.before.ece, m.rows.tested.after.ece + 0.02),
                           above(m.rows.seen.after.ece, m.rows.seen.before.ece + 0.01),
                           above(m.rows.seen.after.accuracy,
                                 m.rows.seen.after.confidence + 0.01),
                           above(m.rows.seen.after.accuracy, 0.99)), "fitted_on_seen")),),
    pins={"changed": COUNT, "items": COUNT, "half": COUNT, "*.answers": COUNT,
          "example.words.*": COUNT, "example.question": COUNT, "record.*": RECORD,
          "*.before.*": SHIPPED, "*.accuracy": SHIPPED,
          "temperature": close("the flat bottom of a curve", 1e-4),
          "alone.*": close("the flat bottom of a curve", 1e-4),
          "example.after.*": close("follows the fitted temperature", 1e-4, 1e-6),
          "rows.*.after.*": close("follows the fitted temperature", 1e-4, 1e-6),
          "curve.*": close("shipped weights: near no loss", 1e-6, 1e-12), "*": SHIPPED},
    notes=T(
        "约 7 分钟。先投票。争论点：选 T 的题该从哪里来？要是只有模型全会的题，T 一路降到搜索的下限"
        "；要是混进它不懂的题，会的题也被压低。--seed 换一种对半分法。",
        "About 7 minutes. Vote first. The argument: where should the questions come from on which "
        "T is chosen? If the model knows them all, T runs down to the limit of the search; if it "
        "does not understand some, the known pay for it. --seed draws another half."),
)
