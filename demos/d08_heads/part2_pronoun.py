"""08.2 What "it" stands for: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d08_heads.errata import ERRATA
from demos.d08_heads.lesson import PRONOUN_CONTROLS, resolve_it
from demos.d08_heads.words import RECORDED, RUNS, TRAINED, runs_of
from lecture.margins import above, at_least, below, both, near
from lecture.quantities import Across, Maps, Named, Rows
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
    exact,
)

QUANTITIES = {
    "shown.map": Quantity(T("权重", "weight"), ".2f"),
    "record.seen.noun.*": Quantity(T("看全句：名词交出别的，答案跟着换",
                                     "all: new noun value: follows"), ".0%"),
    "record.seen.content.*": Quantity(T("看全句：形容词交出零，照样答对",
                                        "all: adjective value 0: right"), ".0%"),
    "record.seen.key.*": Quantity(T("看全句：再换它的键，改答另一名词",
                                    "all: and its key: other noun"), ".0%"),
    "record.past.it.*": Quantity(T("看前文：“it” 不看名词，答对",
                                   "past: “it” sees no noun: right"), ".0%"),
    "record.past.early.*": Quantity(T("看前文：“it” 和 was 不看，答对",
                                      "past: “it”, was see none: right"), ".0%"),
    "record.past.late.*": Quantity(T("看前文：形容词和 ? 不看，答对",
                                     "past: adj., ? see none: right"), ".0%"),
    "record.past.seen.*": Quantity(T("看前文：“it” 看名词的权重",
                                     "past: “it” looks at the nouns"), ".2f"),
    "record.seen.own.*": Quantity(T("看全句：管它的头看所指的名词",
                                    "all: its head looks at the noun"), ".2f"),
    "record.*": Quantity(T("次数", "trainings"), "d"),
    "seen.zeroed.*.animals": Quantity(T("指动物", "an animal is meant"), ".1%"),
    "seen.zeroed.*.things": Quantity(T("指东西", "a thing is meant"), ".1%"),
    "seen.cut.*": Quantity(T("答对", "right"), ".1%"),
    "seen.own": Quantity(T("权重", "weight"), ".2f"),
    "seen.*": Quantity(T("答对", "right"), ".1%"),
    "past.*.seen": Quantity(T("权重", "weight"), ".2f"),
    "past.reason": Quantity(T("权重", "weight"), ".0f"),
    "past.*": Quantity(T("答对", "right"), ".1%"),
    "all": Quantity(T("全对", "all right"), ".0%"),
    "chance": Quantity(T("瞎猜", "chance"), ".0%"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    **RUNS,
    "seen.zeroed.animals_head": T("切管动物的头", "without the animals' head"),
    "seen.zeroed.things_head": T("切管东西的头", "without the things' head"),
    "seen.zeroed.half": T("随机置零一半", "a random half zeroed"),
    "seen.cut.meant": T("所指的名词", "noun meant"),
    "seen.cut.other": T("另一个名词", "other noun"),
    "seen.cut.reason": T("形容词", "adjective"),
}
LEAD = (
    Paragraph(T(
        "“the cat sat on the mat because it was tired”：“it” 指谁？换成 soft 呢？\n"
        "小世界：动物和东西各 {animals} 个，两种语序，形容词只配得上其中一个。两个网络（答对 "
        "{seen.whole:.0%}、{past.whole:.0%}）：\n"
        "  看全句  一层，没有 MLP，每个位置看得见整句；在 “it” 处答。\n"
        "  看前文  两层，因果掩码；句末加一个问号，在那里答。",
        "“the cat sat on the mat because it was tired”: what is “it”? And if soft?\n"
        "A small world: {animals} animals, {animals} things, two word orders, an adjective that "
        "fits one of the two. Two networks, {seen.whole:.0%} and {past.whole:.0%} right:\n"
        "  all   one layer, no MLP, every place sees the whole sentence; answers at “it”\n"
        "  past  two layers, causal mask; a ? is added at the end, and it answers there")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Maps(
        ("shown.map",), "shown.rows", "shown.words",
        title=T("看全句的网络：“it” 看哪里（*：tired 或 soft）",
                "The network that sees all: where “it” looks (*: tired or soft)"),
        legend=T("{shown.reasons.0}：答 {shown.answers.0}；{shown.reasons.1}：答 "
                 "{shown.answers.1}。",
                 "{shown.reasons.0}: says {shown.answers.0}; {shown.reasons.1}: says "
                 "{shown.answers.1}."))
    yield Across(
        ("record.seen.noun", "record.seen.content", "record.seen.key",
         "record.past.it", "record.past.early", "record.past.late"), runs_of(),
        head=T("记录：{trainings} 次训练", "recorded: {trainings} trainings"))
    yield Across(("record.seen.own", "record.past.seen"), runs_of(), more=True,
                 head=T("权重", "weights"))
    yield Across(("seen.cut",), ("meant", "other", "reason"), more=True,
                 head=T("看全句：不许 “it” 看", "all: “it” may not look at"))
    yield Rows("seen.zeroed.*", ("animals", "things"), more=True,
               head=T("看全句：答对", "all: right"))


PART = Part(
    number=2, key="pronoun", title=T("“it” 指的是谁", "What “it” stands for"),
    compute=resolve_it, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("pronoun", "pronoun_causal"), controls=PRONOUN_CONTROLS,
    claims=(
        Claim("fetches_the_noun", T(
            "看全句：“it” 从名词那里取的是“哪一个”。一字不改，只让它指的名词交出另一个词的值，"
            "{seen.noun} 的答案跟着换；另一个名词换了，{seen.other} 不变。",
            "All: what “it” fetches from the noun is which noun. Change no word, let the noun "
            "that is meant hand over another's value, and {seen.noun} of the answers follow; let "
            "the other noun do so, and {seen.other} stay."),
            lambda m: both(above(m.seen.noun, 0.8), above(m.seen.other, 0.95)),
            "hands_over_its_own"),
        Claim("the_adjective_steers", T(
            "看全句：形容词管的是往哪里看。它交出的换成零，{seen.content} 照样对；再把它的键换成"
            "另一类形容词的，{seen.key} 改答另一个名词。",
            "All: the adjective steers the look. With zero for what it hands over {seen.content} "
            "stay right; give it the key of an adjective of the other kind too, and {seen.key} "
            "name the other noun."),
            lambda m: both(above(m.seen.content, 0.95), above(m.seen.key, 0.8)),
            "hands_over_its_own"),
        Claim("found_where_the_reason_is_known", T(
            "看前文：名词由见过理由的词去找。不许 “it” 和后面的 was 看名词（有的头权重到 "
            "{past.early.seen}），还对 {past.early.left}；不许形容词和问号看（到 "
            "{past.late.seen}），只剩 {past.late.left}。",
            "Past: words that have met the reason find the noun. If “it” and the was after it may "
            "not see the nouns (up to {past.early.seen} in a head), {past.early.left} stay right; "
            "if the adjective and the ? may not (up to {past.late.seen}), {past.late.left}."),
            lambda m: both(above(m.past.early.left, 0.95), below(m.past.late.left, 0.5),
                           above(m.past.early.seen, m.past.late.seen)),
            "swapped"),
        Claim("one_head_for_each_kind", T(
            "看全句：一个头管动物，一个头管东西。切掉前者，指动物的只对 "
            "{seen.zeroed.animals_head.animals}，指东西的 {seen.zeroed.animals_head.things}；"
            "{trainings} 次训练里 {record.seen.apart} 次这样。",
            "All: one head is for animals, one for things. Without the first, sentences about an "
            "animal fall to {seen.zeroed.animals_head.animals}, those about a thing stay at "
            "{seen.zeroed.animals_head.things}; so in {record.seen.apart} of {trainings} "
            "trainings."),
            lambda m: both(below(m.seen.zeroed.animals_head.animals, 0.5),
                           below(m.seen.zeroed.things_head.things, 0.5),
                           above(m.seen.zeroed.animals_head.things, 0.9),
                           above(m.seen.zeroed.things_head.animals, 0.9),
                           at_least(m.record.seen.apart, 0.8 * m.trainings)),
            "half", more=True),
    ),
    caveat=T(
        "一条规则的小世界；大模型怎样处理 it，没有测。不许看一处，别处的权重就变大，所以看全句的三"
        "行换的是内容，不是切边。",
        "A world of one rule; what a large model does with it was not measured. A forbidden look "
        "makes the other weights of its row grow: hence the exchanges in the rows of “all”."),
    questions=(Question(
        T("看前文：“it” 有一个头平均把 {past.it.seen:.2f} 给两个名词。不许 “it” 看名词，还对多少？",
          "Past: one head of “it” puts {past.it.seen:.2f} on the two nouns (mean). If “it” may "
          "not look at them, how many answers are right?"),
        (Option(T("几乎全对", "nearly all"), lambda m: above(m.past.it.left, 0.95)),
         Option(T("一半左右", "about half"), lambda m: near(m.past.it.left, 0.5, 0.2),
                T("以为指谁是在 “it” 那里定的。那时理由还没出现。",
                  "thinks a pronoun is resolved at the pronoun. The reason has not come yet.")),
         Option(T("和瞎猜差不多", "about as many as by guessing"),
                lambda m: below(m.past.it.left, 0.3),
                T("以为看得多就缺不得。", "takes a look for a need."))),
        answer=Claim("to_look_is_not_to_need", T(
            "{past.it.left}；{trainings} 次训练里 {record.past.unmoved} 次过 {all}。形容词在右边，"
            "“it” 给它的权重是 {past.reason}；它看名词，答案却不靠这一看。",
            "{past.it.left}; above {all} in {record.past.unmoved} of {trainings} trainings. The "
            "adjective is to the right, so “it” gives it a weight of {past.reason}. It looks at "
            "the nouns, and the answer does not need that look."),
            lambda m: both(above(m.past.it.left, 0.95), below(m.past.reason, 1e-12),
                           above(m.past.it.seen, 0.3), above(m.past.it.left, m.all),
                           at_least(m.record.past.unmoved, 0.8 * m.trainings)),
            "sees_all")),),
    pins={"record.*": RECORDED, "shown.words.*": exact("words"), "shown.rows.*": exact("words"),
          "shown.answers.*": exact("the answers"), "shown.reasons.*": exact("words"),
          "noted.*": exact("copied from the notes"),
          "trainings": RECORDED, "sentences": RECORDED, "animals": RECORDED,
          "chance": RECORDED, "all": RECORDED,
          "shown.map.*": close("shipped weights: a weight may be tiny", 1e-6, 1e-12),
          "*": TRAINED},
    errata=ERRATA["pronoun"],
    notes=T(
        "约 10 分钟，一次投票。先放讲义那一行：加起来是多少？“it” 怎么看得到右边？再看图，看上去正"
        "是讲义的意思。然后投票。两个意外：看全句时，形容词什么也没交出；看前文时，“it” 看名词而"
        "答案不靠它。",
        "About 10 minutes, one vote. Begin with the notes' row: what does it sum to, and how does "
        "“it” see to its right? Then the map, which looks like what they meant. Then the vote. Two "
        "surprises: where all is seen the adjective hands over nothing, and where only the past "
        "is, “it” looks at the nouns and the answer does not need it."),
)
