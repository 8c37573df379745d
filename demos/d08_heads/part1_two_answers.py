"""08.1 Two answers from one query: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d08_heads.errata import ERRATA
from demos.d08_heads.lesson import NETS, TWO_ANSWERS_CONTROLS, ask_for_two
from demos.d08_heads.words import RECORDED, TRAINED
from lecture.report import (
    Block,
    Claim,
    Column,
    HeatMap,
    Metrics,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
    exact,
)

NET_NAMES = {"bare_1": T("光名字，一个头", "bare, one head"),
             "bare_2": T("光名字，两个头", "bare, two heads"),
             "marked_1": T("带标记，一个头", "marked, one head"),
             "marked_2": T("带标记，两个头", "marked, two heads")}
CUT_NAMES = {"whole": T("不切", "no cut"),
             "who_head": T("切“谁”的头", "cut the who head"),
             "whom_head": T("切“对谁”的头", "cut the whom head"),
             "half": T("随机置零一半", "random half zeroed")}


def show_two(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一行 {places} 个名字，最后一个问号。第二个名字是“谁”，第五个是“对谁”；任何名字都可以站在"
        "任何位置。问号这一个位置的一个输出，要同时答出两个。网络只有一层注意力，没有 MLP，位置用 "
        "RoPE：它只转查询和键，取回来的值里没有位置。",
        "A row of {places} names, then a question mark. The second name is who, the fifth is "
        "whom; any name may stand anywhere. The one output at the question mark must give both. "
        "The network is one layer of attention without MLP; places come from RoPE, which turns "
        "queries and keys only: a fetched value holds no place."))
    yield Paragraph(T(
        "光名字：名字在哪儿都长一样。带标记：名字带着它的位置，像格的词尾，“谁”和“对谁”不同形。"
        "一个头宽 {width}，两个头各宽一半：参数一样多。",
        "Bare: a name looks the same everywhere. Marked: a name bears its place, as a case "
        "ending does (he, him). One head of width {width}, or two of half the width: the same "
        "number of weights."))
    yield Table(
        (Column(T("网络", "network")), Column(T("谁", "who"), ".1%"),
         Column(T("对谁", "whom"), ".1%"), Column(T("都对", "both"), ".1%"),
         Column(T("较小权重", "smaller w."), ".2f"),
         Column(T("例：谁", "e.g. who")), Column(T("对谁", "whom"))),
        [[NET_NAMES[n], r["who"], r["whom"], r["both"], r["smaller"],
          *m["example"]["says"][n]] for n, r in m["now"].items()],
        title=T("现在测：{rows} 行新题，答对的比例", "Measured now: share right on {rows} "
                                                 "fresh rows"),
        legend=T("较小权重：两个该看的位置里，各头平均权重较小的那个。例：{example[row]} ?，正确"
                 "答案是 {example[right][0]}、{example[right][1]}。",
                 "smaller w.: of the two places that matter, the smaller weight, mean over "
                 "heads. Example: {example[row]} ?, right are {example[right][0]} and "
                 "{example[right][1]}."))
    yield Table(
        (Column(T("网络", "network")), Column(T("最低", "lowest"), ".1%"),
         Column(T("最高", "highest"), ".1%"), Column(T("≥ {bar:.0%}", "≥ {bar:.0%}"), "d"),
         Column(T("分工", "heads apart"), "d")),
        [[NET_NAMES[n], r["low"], r["high"], r["good"],
          r["apart"] if n.endswith("2") else None] for n, r in m["record"].items()],
        title=T("记录：各 {trainings} 次训练，两个都对的比例", "Recorded: {trainings} trainings "
                "each, share with both right"),
        legend=T("分工：切掉一个头，它那一问最多剩一半，另一问剩一半以上，这样的训练次数。",
                 "heads apart: trainings in which cutting one head leaves at most half of its "
                 "question and more than half of the other."))
    yield HeatMap(m["now"]["bare_2"]["weights"],
                  [T("头一", "head one"), T("头二", "head two")],
                  ["a", "b", "c", "d", "e", "f", "?"],
                  title=T("光名字、两个头：问号看哪里（平均）", "Bare, two heads: where ? looks "
                                                        "(mean)"),
                  legend=T("a 到 f 是六个位置；b 是“谁”，e 是“对谁”。",
                           "a to f are the six places; b is who, e is whom."))
    for net in ("bare_2", "marked_2"):
        r = m["now"][net]
        rows = {"whole": r, **r["cut"], "half": r["half"]}
        yield Table(
            (Column(NET_NAMES[net]), Column(T("谁", "who"), ".1%"),
             Column(T("对谁", "whom"), ".1%"), Column(T("都对", "both"), ".1%")),
            [[CUT_NAMES[k], v["who"], v["whom"], v["both"]] for k, v in rows.items()],
            title=T("切掉一个头", "Cut one head"),
            legend=T("最后一行：取回的数随机一半置零（和一个头一样多），{draws} 次平均。",
                     "Last row: a random half of the fetched numbers zeroed, as many as one head "
                     "has, mean of {draws} draws."))
    yield Table(
        (Column(T("改动之后都对", "both right after")), Column(T("不改", "no change"), ".1%"),
         Column(T("键只剩位置", "keys: place"), ".1%"),
         Column(T("值只剩名字", "values: name"), ".1%")),
        [[NET_NAMES[n], r["both"], r["same_keys"]["both"], r["names_only"]["both"]]
         for n, r in m["now"].items()],
        title=T("是键，还是值？", "Is it the key or the value?"),
        legend=T("键只剩位置：每个位置的键换成所有行的平均。值只剩名字："
                 "每个值换成同名各种标记的平均。",
                 "keys: place = every key replaced by the mean key of its place; values: name = "
                 "every value replaced by the mean over the marks of its name."))


PART = Part(
    number=1, key="two_answers",
    title=T("一次查询，两个答案", "Two answers from one query"),
    compute=ask_for_two, describe=show_two,
    recipes=tuple(f"two_{n}" for n in NETS),
    controls=TWO_ANSWERS_CONTROLS,
    claims=(
        Claim("one_average_is_not_enough", T(
            "光名字、一个头：两个都对只有 {now[bare_1][both]:.1%}，{trainings} 次训练最高 "
            "{record[bare_1][high]:.1%}。取回的是一个平均，平均里看不出谁先谁后。",
            "Bare names, one head: both right in {now[bare_1][both]:.1%}, at best "
            "{record[bare_1][high]:.1%} in {trainings} trainings. What comes back is one "
            "average, and it does not tell which name stood where."),
            lambda m: 0.75 - max(m["now"]["bare_1"]["both"], m["record"]["bare_1"]["high"]),
            "marked"),
        Claim("two_heads_keep_them_apart", T(
            "同样多的参数分成两个头：现在测 {now[bare_2][both]:.1%}；{trainings} 次训练里 "
            "{record[bare_2][good]} 次达到 {bar:.0%}。",
            "The same weights cut into two heads: {now[bare_2][both]:.1%}; "
            "{record[bare_2][good]} of {trainings} trainings reach {bar:.0%}."),
            lambda m: min(m["now"]["bare_2"]["both"] - m["bar"],
                          m["record"]["bare_2"]["good"] - 0.8 * m["trainings"]),
            "one_head"),
        Claim("one_average_can_be_enough", T(
            "带标记、一个头：权重对半分（较小的 {now[marked_1][smaller]:.2f}），照样答对 "
            "{now[marked_1][both]:.1%}；{trainings} 次训练有 {record[marked_1][even]} 次这样。",
            "Marked names, one head: it splits its weight (the smaller {now[marked_1][smaller]"
            ":.2f}) and still gets {now[marked_1][both]:.1%}; so do {record[marked_1][even]} of "
            "{trainings} trainings."),
            lambda m: min(m["now"]["marked_1"]["smaller"] - 0.3,
                          m["now"]["marked_1"]["both"] - 0.8,
                          m["record"]["marked_1"]["even"] - 0.8 * m["trainings"] + 0.01),
            "bare"),
        Claim("the_mark_is_in_the_value", T(
            "救它的是值，不是键：把标记从值里抹掉，只剩 {now[marked_1][names_only][both]:.1%}；"
            "把名字从键里抹掉，还有 {now[marked_1][same_keys][both]:.1%}。",
            "The value saves it, not the key: wipe the mark from the values and "
            "{now[marked_1][names_only][both]:.1%} is left; wipe the name from the keys and "
            "{now[marked_1][same_keys][both]:.1%} stays."),
            lambda m: min(0.65 - m["now"]["marked_1"]["names_only"]["both"],
                          m["now"]["marked_1"]["same_keys"]["both"] - 0.8), "uncut"),
        Claim("each_head_has_its_question", T(
            "光名字的两个头各管一问：切“谁”的头，“谁”剩 {now[bare_2][cut][who_head][who]:.1%}，"
            "“对谁”还有 {now[bare_2][cut][who_head][whom]:.1%}；切另一个，反过来是 "
            "{now[bare_2][cut][whom_head][who]:.1%} 和 {now[bare_2][cut][whom_head][whom]:.1%}。"
            "{trainings} 次训练有 {record[bare_2][apart]} 次这样分工。",
            "With bare names each head has its question: cut the who head and who falls to "
            "{now[bare_2][cut][who_head][who]:.1%} while whom stays at "
            "{now[bare_2][cut][who_head][whom]:.1%}; cut the other and it is "
            "{now[bare_2][cut][whom_head][who]:.1%} and {now[bare_2][cut][whom_head][whom]:.1%}. "
            "So it is in {record[bare_2][apart]} of {trainings} trainings."),
            lambda m: min(0.5 - m["now"]["bare_2"]["cut"]["who_head"]["who"],
                          0.5 - m["now"]["bare_2"]["cut"]["whom_head"]["whom"],
                          m["now"]["bare_2"]["cut"]["who_head"]["whom"] - 0.5,
                          m["now"]["bare_2"]["cut"]["whom_head"]["who"] - 0.5,
                          m["record"]["bare_2"]["apart"] - 0.8 * m["trainings"] + 0.01), "uncut"),
        Claim("no_seat_is_reserved", T(
            "哪个头管“谁”，训练之前没有定：{trainings} 次里，头一管它 {record[bare_2][first]} 次。",
            "Which head takes who is not settled beforehand: in {trainings} trainings the first "
            "head took it {record[bare_2][first]} times."),
            lambda m: min(m["record"]["bare_2"]["first"] - 0.5,
                          m["trainings"] - m["record"]["bare_2"]["first"] - 0.5),
            T("换了种子的训练本身就是对照：去掉随机的初值，就没有第二次训练可比。",
              "the other seeds are the comparison: without random first weights there is no "
              "second training to compare.")),
    ),
    caveat=T(
        "这是 {width} 维、一层、没有 MLP 的网络。有了 MLP 或者后面的层，"
        "一个不均匀的平均也可能被拆开。"
        "头管什么，是切出来的；热力图只说看了哪里。",
        "This is a network of width {width}, one layer, no MLP. An MLP or a later layer may take "
        "an uneven average apart. What a head is for comes from cutting it; the map says only "
        "where it looks."),
    questions=(Question(
        T("一个头必须用一次平均同时取回“谁”和“对谁”。它会？",
          "One head must fetch who and whom with one average. It will"),
        (Option(T("一定失败", "fail, always"),
                lambda m: 0.5 - max(m["now"]["bare_1"]["both"], m["now"]["marked_1"]["both"]),
                T("以为一个头只能管一种关系。值里带着角色，平均就还能拆开。",
                  "one head = one relation. If the values bear their role, the average can be "
                  "taken apart.")),
         Option(T("只答一个，另一个靠猜", "answer one and guess the other, always"),
                lambda m: min(0.5 - m["now"]["marked_1"]["both"],
                              max(m["now"]["bare_1"]["who"], m["now"]["bare_1"]["whom"]) - 0.9),
                T("以为注意力只能指向一处。权重可以分给两处。",
                  "thinks attention can point at one place only. Weight can be shared out.")),
         Option(T("各给一半，总能答对", "give each one half and answer, always"),
                lambda m: min(m["now"]["bare_1"]["both"], m["now"]["marked_1"]["both"]) - 0.8,
                T("以为平均不丢东西。同一批名字换个顺序，平均就一样。",
                  "thinks an average loses nothing. Two names in the other order have the same "
                  "average.")),
         Option(T("看情况：看取回的东西带不带角色", "it depends on whether what it fetches bears "
                                               "its role"),
                lambda m: min(m["now"]["marked_1"]["both"] - 0.8,
                              0.75 - m["now"]["bare_1"]["both"])))),),
    pins={"record.*": RECORDED, "names": RECORDED, "places": RECORDED, "rows": RECORDED,
          "draws": RECORDED, "example.*": exact("words"), "trainings": RECORDED,
          "*": TRAINED},
    errata=ERRATA["two_answers"],
    notes=T(
        "约 10 分钟，一次投票。先让人争：平均会丢掉什么？再看表：同一个头，名字带词尾就全对，不带就"
        "不行。然后猜哪个头管“谁”，再切。键和值那张表是关键：决定的是值，"
        "不是键看见了什么。",
        "About 10 minutes, one vote. Let them argue first: what does an average lose? Then the "
        "table: the same one head gets all with case endings and fails without. Then guess which "
        "head is for who, and cut. The table on keys and values is the point: it is the value "
        "that decides, not what the key sees."),
)
