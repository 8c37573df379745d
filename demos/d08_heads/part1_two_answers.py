"""08.1 Two answers from one query: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d08_heads.errata import ERRATA
from demos.d08_heads.lesson import NETS, TWO_ANSWERS_CONTROLS, ask_for_two
from demos.d08_heads.words import RECORDED, RUNS, TRAINED, runs_of
from lecture.margins import above, at_least, below, both, near
from lecture.quantities import Across, Group, Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

NET_NAMES = {"bare_1": T("不带标记，一个头", "bare, one head"),
             "bare_2": T("不带标记，两个头", "bare, two heads"),
             "marked_1": T("带标记，一个头", "marked, one head"),
             "marked_2": T("带标记，两个头", "marked, two heads")}
ASKED = {"who": T("谁", "who"), "whom": T("对谁", "whom"), "both": T("都对", "both")}
QUANTITIES = {
    **{f"record.{net}.{key}.*": Quantity(T(f"{n.zh}：{k.zh}", f"{n.en}: {k.en}"), ".0%")
       for net, n in NET_NAMES.items() for key, k in ASKED.items()},
    **{f"record.{net}.smaller.*": Quantity(n, ".3f") for net, n in NET_NAMES.items()},
    "record.*.low": Quantity(T("最低", "lowest"), ".1%"),
    "record.*.high": Quantity(T("最高", "highest"), ".1%"),
    "record.*": Quantity(T("次数", "trainings"), "d"),
    "now.*.looks.*.who": Quantity(T("谁", "who"), ".2f"),
    "now.*.looks.*.whom": Quantity(T("对谁", "whom"), ".2f"),
    "now.*.smaller": Quantity(T("较小的权重", "smaller weight"), ".2f"),
    "now.*.no_mark.keys": Quantity(T("从键里", "from keys"), ".1%"),
    "now.*.no_mark.values": Quantity(T("从值里", "from values"), ".1%"),
    "now.*.who": Quantity(ASKED["who"], ".1%"), "now.*.whom": Quantity(ASKED["whom"], ".1%"),
    "now.*.both": Quantity(ASKED["both"], ".1%"),
    "now.*": Quantity(T("答对", "right"), ".1%"),
    "even.*": Quantity(T("改变", "changed"), ".0%"),
    "all": Quantity(T("全对", "all right"), ".0%"),
    "few": Quantity(T("靠猜", "guessed"), ".0%"),
    "chance": Quantity(T("瞎猜", "chance"), ".1%"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    **RUNS, **{f"now.{net}": name for net, name in NET_NAMES.items()},
    "*.whole": T("不切", "no cut"), "*.who_head": T("切“谁”的头", "without the who head"),
    "*.whom_head": T("切“对谁”的头", "without the whom head"),
    "*.half": T("随机置零一半", "a random half zeroed"),
}
LEAD = (
    Paragraph(T(
        "一行 {places} 个名字，再一个问号：第二个名字是“谁”，第五个是“对谁”。问号处的一个输出要"
        "同时答出两个。例：{example.row} ?  答 {example.right.0}、{example.right.1}。\n"
        "网络是一层注意力，没有 MLP；位置用 RoPE，只转查询和键，取回的值里没有位置。一个头宽 "
        "{width}，两个头各宽一半：参数一样多。\n"
        "  不带标记  名字站在哪里都是同一个词。\n"
        "  带标记    名字带着自己的位置，像英语的主格和宾格：he、him。",
        "A row of {places} names, then a question mark: the second name is who, the fifth whom. "
        "One output, at the mark, gives both. Example: {example.row} ?  gives "
        "{example.right.0}, {example.right.1}.\n"
        "One layer of attention, no MLP; RoPE turns queries and keys only, so a fetched value "
        "holds no place. One head of width {width} or two of half: as many parameters.\n"
        "  bare    a name is the same word wherever it stands\n"
        "  marked  a name bears its place, as a case ending does: he, him")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "now.*", (Group(T("答对", "right"), ("who", "whom", "both")),
                  *(Group(T(f"{h} 看", f"{h} looks at"), (f"looks.{h}.who", f"looks.{h}.whom"))
                    for h in ("L0H0", "L0H1"))),
        head=T("网络", "network"),
        title=T("{rows} 行新题；右边是问号给“谁”和“对谁”两处的权重",
                "{rows} fresh rows; on the right, the weight from ? on who and on whom"))
    yield Across(
        ("record.bare_1.who", "record.bare_1.whom", "record.bare_2.both",
         "record.marked_1.both", "record.marked_2.both"), runs_of(),
        head=T("记录：{trainings} 次训练", "recorded: {trainings} trainings"),
        legend=T("上表是其中“都对”居中的一次：不带标记、一个头是第 {record.bare_1.shown} 次，其余"
                 "是第 {record.bare_2.shown} 次。",
                 "Above: of these the lower middle one by both, number {record.bare_1.shown} of "
                 "one bare head, number {record.bare_2.shown} of the others."))
    yield Across(("record.bare_1.smaller", "record.marked_1.smaller"), runs_of(), more=True,
                 head=T("两处里权重较小的一处", "the smaller of the two weights"))
    yield Rows(
        "now.bare_2.cut.*", ("who", "whom", "both"), more=True,
        head=T("不带标记，两个头", "bare, two heads"),
        legend=T("末行：取回的数随机一半置零（和一个头一样多），{draws} 次平均。",
                 "Last row: a random half of the fetched numbers, as many as one head has; mean "
                 "of {draws} draws."))
    yield Rows(
        ("now.marked_1", "now.marked_2"),
        ("both", Group(T("抹掉标记之后都对", "both right, mark wiped"),
                       ("no_mark.keys", "no_mark.values"))), more=True,
        head=T("网络", "network"),
        legend=T("抹掉：每个键（值）换成同一个名字各种标记的平均。",
                 "Wiped: each key (value) is replaced by the mean over the marks of its name."))


PART = Part(
    number=1, key="two_answers",
    title=T("一次查询，两个答案", "Two answers from one query"),
    compute=ask_for_two, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=tuple(f"two_{n}" for n in NETS), controls=TWO_ANSWERS_CONTROLS,
    claims=(
        Claim("order_is_lost", T(
            "平均不记得谁先谁后：叫问号给两处各一半，再交换那两个名字，不带标记时 "
            "{even.bare_1.other} 的答案改变，带标记时 {even.marked_1.other}。",
            "An average forgets who stood first: give both places one half, exchange the two "
            "names, and {even.bare_1.other} of the answers change without marks, "
            "{even.marked_1.other} with."),
            lambda m: both(below(m.even.bare_1.other, 0.01), above(m.even.marked_1.other, 0.9)),
            "marked", kind="example"),
        Claim("one_average_can_be_enough", T(
            "带标记，一个头就够：权重分给两处，较小的也有 {now.marked_1.smaller}，两问都对 "
            "{now.marked_1.both}；{trainings} 次训练里 {record.marked_1.even} 次如此。",
            "With marks one head is enough: its weight is shared, the smaller part is "
            "{now.marked_1.smaller}, and both answers are right in {now.marked_1.both}; so in "
            "{record.marked_1.even} of {trainings} trainings."),
            lambda m: both(above(m.now.marked_1.smaller, 0.3), above(m.now.marked_1.both, 0.8),
                           at_least(m.record.marked_1.even, 0.8 * m.trainings)), "bare"),
        Claim("two_heads_keep_them_apart", T(
            "不带标记，分成两个头：{trainings} 次训练里最差的一次也有 {record.bare_2.low} 都对，一"
            "个"
            "头最好的一次是 {record.bare_1.high}。",
            "Without marks, split into two heads: of {trainings} trainings the worst gets both "
            "in {record.bare_2.low}, the best with one head in {record.bare_1.high}."),
            lambda m: both(above(m.record.bare_2.low, m.record.bare_1.high + 0.2),
                           above(m.now.bare_2.both, m.record.bare_1.high + 0.2)), "one_head",
            given=("trainings",)),
        Claim("each_head_has_its_question", T(
            "切掉一个头，丢的是它那一问：切“谁”的头，“谁”剩 {now.bare_2.cut.who_head.who}，"
            "“对谁”还有 {now.bare_2.cut.who_head.whom}。{trainings} 次训练里 "
            "{record.bare_2.apart} 次这样分工。",
            "Without a head its own question is lost: cut the who head and who falls to "
            "{now.bare_2.cut.who_head.who}, whom stays at {now.bare_2.cut.who_head.whom}. So in "
            "{record.bare_2.apart} of {trainings} trainings."),
            lambda m: both(below(m.now.bare_2.cut.who_head.who, 0.5),
                           below(m.now.bare_2.cut.whom_head.whom, 0.5),
                           above(m.now.bare_2.cut.who_head.whom, 0.5),
                           above(m.now.bare_2.cut.whom_head.who, 0.5),
                           at_least(m.record.bare_2.apart, 0.8 * m.trainings)),
            "half", more=True),
        Claim("the_mark_is_needed_twice", T(
            "标记在键里、在值里都用得着：带标记、一个头，从键里抹掉剩 "
            "{now.marked_1.no_mark.keys}，从值里抹掉剩 {now.marked_1.no_mark.values}；{trainings} "
            "次训练里 {record.marked_1.values_more} 次是值丢得更多。",
            "The mark is of use in keys and in values: with one head, wiped from the keys it "
            "leaves {now.marked_1.no_mark.keys}, from the values {now.marked_1.no_mark.values}; "
            "the values cost more in {record.marked_1.values_more} of {trainings} trainings."),
            lambda m: both(below(m.now.marked_1.no_mark.keys, m.now.marked_1.both - 0.05),
                           below(m.now.marked_1.no_mark.values, m.now.marked_1.both - 0.05),
                           at_least(m.record.marked_1.values_more, 0.8 * m.trainings)),
            "bare", more=True),
    ),
    caveat=T(
        "一层、没有 MLP 的小网络。不带标记的一个头也有一次两问都对 {record.bare_1.high}，怎样办到"
        "的，没有查。",
        "A small network of one layer, no MLP. One bare head did get both in "
        "{record.bare_1.high}; how, was not looked into."),
    further=T(
        "哪个头管“谁”，事先没有定：{trainings} 次里 L0H0 管它 {record.bare_2.first} 次。头管什么是"
        "切"
        "出来的，热力图只说看了哪里。",
        "Which head takes who is not settled beforehand: L0H0 in {record.bare_2.first} of "
        "{trainings}. What a head is for comes from cutting it; a look is only a look."),
    questions=(Question(
        T("不带标记，一个头，一次平均。训练好以后，两问各答对多少？",
          "Bare names, one head, one average. After training, how much of the two is right?"),
        (Option(T("两问都大半对", "both mostly right"),
                lambda m: above(m.now.bare_1.worse, 0.65),
                T("以为平均不丢东西。", "thinks an average loses nothing.")),
         Option(T("一问全对，另一问靠猜", "one right, one guessed"),
                lambda m: both(above(m.now.bare_1.better, m.all),
                               below(m.now.bare_1.worse, m.few))),
         Option(T("各对一半左右", "half of each"),
                lambda m: both(near(m.now.bare_1.better, 0.5, 0.15),
                               near(m.now.bare_1.worse, 0.5, 0.15)),
                T("指望它把权重平分。{trainings} 次里有 {record.bare_1.one_only} 次它只顾一问。",
                  "expects it to share out. In {record.bare_1.one_only} of {trainings} trainings "
                  "it serves one question only.")),
         Option(T("两问都靠猜", "both guessed"),
                lambda m: below(m.now.bare_1.better, m.few),
                T("以为一个输出装不下两个答案。带标记的一个头两问都对 {now.marked_1.both:.0%}。",
                  "thinks one output cannot hold two answers. With marks one head gets both in "
                  "{now.marked_1.both:.0%}."))),
        answer=Claim("answers_one_guesses_the_other", T(
            "一问 {now.bare_1.better}，另一问 {now.bare_1.worse}（瞎猜 {chance}）。{trainings} 次"
            "训练里 {record.bare_1.one_only} 次像这样：一问过 {all}，另一问不到 {few}。",
            "One {now.bare_1.better}, the other {now.bare_1.worse} (chance: {chance}). So in "
            "{record.bare_1.one_only} of {trainings} trainings: one above {all}, the other below "
            "{few}."),
            lambda m: both(above(m.now.bare_1.better, m.all),
                           below(m.now.bare_1.worse, m.few), above(m.chance, 0),
                           at_least(m.record.bare_1.one_only, m.trainings / 2 + 1)),
            "marked")),),
    pins={"record.*": RECORDED, "places": RECORDED, "rows": RECORDED, "chance": RECORDED,
          "draws": RECORDED, "example.*": exact("words"), "trainings": RECORDED,
          "width": RECORDED, "all": RECORDED, "few": RECORDED, "*": TRAINED},
    errata=ERRATA["two_answers"],
    notes=T(
        "约 10 分钟，一次投票。先让人争：平均会丢掉什么？请两位学生交换座位：不带标记，平均看不出来"
        "。"
        "然后读表：不带标记、一个头，哪一问丢了，权重在哪里？最后猜哪个头管“谁”，--more 里切给大家"
        "看。",
        "About 10 minutes, one vote. Let them argue first: what does an average lose? Two students "
        "change seats: without marks the average does not notice. Then the table: which question "
        "did one bare head lose, and where is its weight? Last, which head is for who? The cuts "
        "are behind --more."),
)
