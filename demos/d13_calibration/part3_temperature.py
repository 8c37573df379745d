"""13.3 One temperature: what it repairs and what not: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d13_calibration.lesson import TEMPERATURE_CONTROLS, cooled
from demos.d13_calibration.words import COUNT, SHIPPED
from lecture.report import (
    Block,
    Claim,
    Column,
    Curve,
    Metrics,
    Num,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
    close,
)

SHEET_NAMES = {
    "fitted": T("新问法，拟合的一半", "new wordings, fitted half"),
    "tested": T("新问法，另一半", "new wordings, other half"),
    "seen": T("训练过的问法", "phrasings seen"),
}


def show_cooled(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "补救的办法只有一个数：softmax 之前，把所有分数除以温度 T。在 {half} 个国家的新问法上选 T，"
        "使正确词的平均意外（NLL）最小，再拿到另外 {half} 个国家上试。得到 T = {temperature:.2f}。",
        "The repair is one number: before softmax divide every score by a temperature T. Choose "
        "it on the new wordings about {half} countries so that the mean surprise of the right "
        "word (NLL) is lowest, then try it on the other {half}. Found: T = {temperature:.2f}."))
    yield Table(
        (Column(T("题目", "answers")), Column(T("T", "T"), ".2f"), Column(T("NLL", "NLL"), ".3f"),
         Column(T("题数", "number"), "d"), Column(T("对的比例", "share right"), ".3f"),
         Column(T("置信度", "confidence"), ".3f"), Column(T("ECE", "ECE"), ".3f")),
        [[SHEET_NAMES[k], t, *m[when][k].values()] for k in SHEET_NAMES
         for when, t in (("before", Num(m["grid"][3], ".0f")), ("after", m["temperature"]))],
        title=T("除以 T 之前和之后", "Before and after dividing by T"))
    yield Curve(
        m["grid"], [(SHEET_NAMES[k], m["curve"][k]) for k in SHEET_NAMES],
        T("温度 T", "temperature T"), T("NLL", "NLL"), low=0.0,
        title=T("正确词的意外随温度怎么变", "Surprise of the right word against temperature"))


PART = Part(
    number=3, key="temperature",
    title=T("一个温度：能修什么，不能修什么", "One temperature: what it repairs and what not"),
    compute=cooled, describe=show_cooled, recipes=("base",),
    controls=TEMPERATURE_CONTROLS,
    claims=(
        Claim("same_words", T(
            "{items} 题里，说出的词变了 {changed} 题：除以同一个正数，名次不动，正确率也就不动。",
            "Of {items} answers {changed} change their word: dividing by one positive number "
            "keeps the order, and so the share right."),
            lambda m: min(m["items"] - 0.5, 0.5 - m["changed"]), "one_a_word"),
        Claim("repairs", T(
            "在没用来拟合的国家上：NLL 从 {before[tested][nll]:.2f} 降到 {after[tested][nll]:.2f}，"
            "ECE 从 {before[tested][ece]:.3f} 降到 {after[tested][ece]:.3f}。",
            "On the countries not used for the fit the NLL falls from {before[tested][nll]:.2f} "
            "to {after[tested][nll]:.2f}, the ECE from {before[tested][ece]:.3f} to "
            "{after[tested][ece]:.3f}."),
            lambda m: min(m["before"]["tested"]["nll"] - m["after"]["tested"]["nll"],
                          m["before"]["tested"]["ece"] - m["after"]["tested"]["ece"]),
            "not_fitted"),
        Claim("price", T(
            "代价：它本来有把握也全对的老问法，置信度从 {before[seen][confidence]:.3f} 降到 "
            "{after[seen][confidence]:.3f}，ECE 从 {before[seen][ece]:.3f} 升到 "
            "{after[seen][ece]:.3f}。一个数压低所有人的声音，分不出谁在胡说。",
            "The price: on the phrasings it had right and was sure of, confidence falls from "
            "{before[seen][confidence]:.3f} to {after[seen][confidence]:.3f} and the ECE rises "
            "from {before[seen][ece]:.3f} to {after[seen][ece]:.3f}. One number quiets "
            "everybody; it cannot tell who is inventing."),
            lambda m: min(m["before"]["seen"]["confidence"] - m["after"]["seen"]["confidence"],
                          m["after"]["seen"]["ece"] - m["before"]["seen"]["ece"]),
            "not_fitted"),
        Claim("money_stays", T(
            "问钱的题修不好：只对 {money[after][accuracy]:.1%}，除以 T 之后仍报 "
            "{money[after][confidence]:.2f}。",
            "Money is not repaired: {money[after][accuracy]:.1%} right, and after dividing by T "
            "still {money[after][confidence]:.2f} confident."),
            lambda m: m["money"]["after"]["confidence"] - m["money"]["after"]["accuracy"] - 0.1,
            "all_seen"),
        Claim("needs_mistakes", T(
            "没有错题，就没有东西可拟合：在错 {all_right[wrong]} 题的老问法上，T 一路降到搜索的"
            "下限 {all_right[temperature]:.2f}，越自信越好。",
            "Without a mistake there is nothing to fit: on the phrasings seen, "
            "{all_right[wrong]} wrong, T runs down to {all_right[temperature]:.2f}, the limit "
            "of the search; surer is always better."),
            lambda m: min(0.5 - m["all_right"]["wrong"],
                          1.01 * m["all_right"]["lowest"] - m["all_right"]["temperature"]),
            "labels_mixed"),
    ),
    caveat=T(
        "两半只隔开了国家，问法是同一批。所以这里试的是“换国家”，不是“换问法”；对没见过的问法，"
        "这个 T 未必合适。数字属于随课发的这一份权重。",
        "The halves differ in countries, not in wordings. So this tries T on other countries; "
        "for other wordings it need not fit."),
    questions=(Question(
        T("在新问法上选出一个温度，把所有分数都除以它。正确率会怎样？",
          "Choose one temperature on the new wordings and divide all scores by it. What "
          "happens to the share of right answers?"),
        (Option(T("提高：过分自信修好了", "it rises: overconfidence is repaired"),
                lambda m: (m["after"]["tested"]["accuracy"]
                           - m["before"]["tested"]["accuracy"]),
                T("把校准当成能力。修的是概率，不是答案。",
                  "takes calibration for ability. Probabilities are repaired, not answers.")),
         Option(T("降低：分布变平，错的更多", "it falls: a flatter spread errs more"),
                lambda m: (m["before"]["tested"]["accuracy"]
                           - m["after"]["tested"]["accuracy"]),
                T("想的是抽样。这里取最大的那个，再平也还是它最大。",
                  "thinks of sampling. Here the largest is taken, and it stays the largest.")),
         Option(T("一题也不变", "not one answer changes"),
                lambda m: 0.5 - m["changed"]),
         Option(T("总数不变，但有些题换了答案", "the total stays, but some answers change"),
                lambda m: min(m["changed"] - 0.5,
                              1e-9 - abs(m["after"]["tested"]["accuracy"]
                                         - m["before"]["tested"]["accuracy"])),
                T("以为名次会变。同除一个正数，大小次序不变。",
                  "thinks ranks move. Divided by one positive number, the order stays.")))),),
    pins={"changed": COUNT, "items": COUNT, "half": COUNT, "*.answers": COUNT,
          "temperature": close("the flat bottom of a curve", 1e-4),
          "all_right.*": close("an exponentially small NLL", 1e-3, 1e-9),
          "after.*": close("follows the fitted temperature", 1e-4, 1e-6),
          "money.after.*": close("follows the fitted temperature", 1e-4, 1e-6),
          "curve.*": close("shipped weights: near no loss", 1e-6, 1e-12), "*": SHIPPED},
    notes=T(
        "约 7 分钟。先投票。争论点：校准集该从哪里来？要是只有模型全会的题，温度就没有意义；要是"
        "混进它不懂的题，会的题也被压低。--seed 换一种对半分法。",
        "About 7 minutes. Vote first. The argument: where should calibration data come from? If "
        "the model knows it all, no temperature can be found; if it holds what the model does "
        "not understand, the known pays for it. --seed draws another half."),
)
