"""04.5 The tiny GPT: where it looks, and what it needs: what a person meets.

Longer than 250 lines because looks, cuts, copying and three records over seeds stand here.
"""

from __future__ import annotations

from collections.abc import Iterator

from demos.d04_attention.errata import ERRATA
from demos.d04_attention.lesson import RELATIONS, TINY_GPT_CONTROLS, look_inside
from lecture.margins import above, at_least, at_most, below, both, equal, every
from lecture.quantities import Group, Maps, Named, Rows
from lecture.report import (
    ARITHMETIC,
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

HEADS = ("L0H0", "L0H1", "L1H0", "L1H1")
WORDS = {"<country>": T("国名", "country"), "<self>": T("自己", "self")}
SEEDS = tuple(range(5))
QUANTITIES = {
    "asked.*.word": Quantity(T("看", "word"), words=WORDS),
    "asked.*.weight": Quantity(T("权重", "wt"), ".2f"),
    "asked.*.left": Quantity(T("剩", "n"), "d"),
    "exchange.*": Quantity(T("改答", "follow"), "d"),
    "example.weights": Quantity(T("权重", "weight"), ".2f"),
    "grid.lists.*.*.*": Quantity(T("", ""), "d"),
    "grid.steps.*": Quantity(T("步", "steps"), ",d"),
    "copied.names": Quantity(T("瞎猜", "guessing"), ".0f"),
    "copied.seen": Quantity(T("瞎猜", "guessing"), ".0f"),
    "copied.*": Quantity(T("抄对", "copied"), ",d"),
    "heads.*.country": Quantity(T("看国名", "country"), ".2f"),
    "heads.*.relation": Quantity(T("看关系词", "relation"), ".2f"),
    "heads.*.left": Quantity(T("切断后还对", "right after the cut"), "d"),
    "best.country": Quantity(T("权重", "weight"), ".2f"),
    "uniform": Quantity(T("平摊", "even spread"), ".2f"),
    "untrained.country": Quantity(T("权重", "weight"), ".2f"),
    "record.exchange.strong": Quantity(T("权重", "weight"), "g"),
    "record.*": Quantity(T("种子", "seeds"), "d"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "asked.capital": T("capital", "capital"), "asked.language": T("language", "language"),
    "asked.leader": T("leader", "leader"), "asked.known_for": T("known", "known"),
    "grid.lists.own": T("24 份，都只说一遍（它的）", "24, said once (its own)"),
    "grid.lists.many_once": T("240 份，都只说一遍", "240, said once"),
    "grid.lists.few_twice": T("24 份，各说两遍", "24, said twice"),
    "grid.lists.many_twice": T("240 份，各说两遍", "240, said twice"),
    **{f"heads.{i}": T(name, name) for i, name in enumerate(HEADS)},
}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        tuple(f"asked.{r}" for r in RELATIONS),
        tuple(Group(T(h, h), (f"{h}.word", f"{h}.weight", f"{h}.left")) for h in HEADS),
        head=T("问", "asked"),
        title=T(
            "{countries} 题平均：每个头最看重谁、给多少；剩：切断这条边，对几题",
            "Whom a head looks at most; wt: its weight, mean of {countries}; n: right without "
            "it"))
    yield Rows(
        "grid.lists.*",
        (Group(T("{grid.steps.short} 步（同迷你 GPT）", "{grid.steps.short} steps (its own)"),
               tuple(f"short.{i}" for i in SEEDS)),
         Group(T("{grid.steps.long} 步", "{grid.steps.long} steps"),
               tuple(f"long.{i}" for i in SEEDS))),
        head=T("语料里的名单", "lists in the corpus"), rule=True,
        title=T(
            "抄名单：{in_a_row} 个名字念两遍，{copied.total} 处抄对几处（记录，各 5 个种子）",
            "Copying {in_a_row} names said twice: right of {copied.total} (recorded, 5 seeds "
            "each)"),
        legend=T(
            "迷你 GPT 自己 {copied.hits}；随便猜一个名字 {copied.names}，只在这 {in_a_row} 个里猜 "
            "{copied.seen}。",
            "The tiny GPT itself has {copied.hits}; guessing among all names {copied.names}, "
            "among the {in_a_row} of the list {copied.seen}."))
    yield Maps(("example.weights",), "example.words", "example.heads", more=True,
               title=T("一道题：每个头从最后一个位置看各个词（答案是 {example.answer}）",
                       "One question: from the last place, per head (the answer is "
                       "{example.answer})"))
    yield Rows("heads.*", ("country", "relation", "left"), head=T("头", "head"), more=True,
               title=T("{questions} 题平均：看国名、看关系词；切断到国名的边，还对几题",
                       "Mean over {questions} questions: on the country, on relation words; right "
                       "with the edge to the country cut"))


PART = Part(
    number=5, key="tiny_gpt",
    title=T("迷你 GPT：看哪里，靠什么", "The tiny GPT: where it looks, and what it needs"),
    compute=look_inside, describe=blocks, quantities=QUANTITIES, names=NAMES, recipes=("base",),
    lead=(Paragraph(T(
        "两层（L0、L1），每层两个头（H0、H1），读过 {countries} 个虚构国家的资料；{countries} 国 "
        "× {relations} 问 = {questions} 题，答对 {right} 题（没训练时 {untrained.right}）。一个头"
        "做一次第 1 部分那样的查找；下面是最后一格的查询，答案接在它后面：",
        "Two layers (L0, L1) of two heads (H0, H1) have read about {countries} invented "
        "countries; {countries} × {relations} = {questions} questions, {right} right "
        "(untrained: {untrained.right}). Each head makes a look-up as in part 1; shown is the "
        "query of the last place; the answer comes next:")),
        Paragraph(T("    {example.prompt}        答案 {example.answer}",
                    "    {example.prompt}       answer {example.answer}"))),
    controls=TINY_GPT_CONTROLS,
    claims=(
        Claim("handed_over", T(
            "一个字不改，只把头交出的换掉：{exchange.country_head} 换成下一国的，{exchange.most} "
            "题答成那一国；{exchange.pair.0}、{exchange.pair.1} 一起换成下一问的，{exchange.both} "
            "题答成那一问。",
            "Change no word, only what a head hands over: with the next country's from "
            "{exchange.country_head}, {exchange.most} answers are that country's; with the "
            "next question's from {exchange.pair.0} and {exchange.pair.1}, {exchange.both} are "
            "that question's."),
            lambda m: both(at_least(m.exchange.most, m.questions / 2),
                           at_least(m.exchange.both, 0.9 * m.questions),
                           at_most(m.exchange.others, m.questions / 10),
                           at_most(m.exchange.both_country, 0)), "hands_over_its_own"),
        Claim("fetches_the_country", T(
            "“哪国”由 {exchange.country_head} 管：把它交出的换成下一国同一问的，{exchange.most} "
            "题答成那一国；换别的头，{exchange.others} 题。",
            "Which country is {exchange.country_head}'s business: let it hand over what it "
            "does for the next one, and {exchange.most} answers become that country's; with "
            "any other head, {exchange.others}."),
            lambda m: both(at_least(m.exchange.most, m.questions / 2),
                           at_most(m.exchange.others, m.questions / 10)), "hands_over_its_own",
            more=True),
        Claim("shares_the_question", T(
            "“问什么”由 {exchange.pair.0}、{exchange.pair.1} 合管：两个都换成本国下一问的，"
            "{exchange.both} 题答成那一问；只换一个，{exchange.alone.0}、{exchange.alone.1} 题。"
            "（记录：{record.exchange.seeds} 个种子里 {record.exchange.alone} 个，一个头就够。）",
            "What is asked is shared by {exchange.pair.0} and {exchange.pair.1}: let both hand "
            "over the next question's, and {exchange.both} answers are that question's; with "
            "one, {exchange.alone.0} or {exchange.alone.1}. (REC: in {record.exchange.alone} "
            "of {record.exchange.seeds} seeds one head is enough.)"),
            lambda m: both(at_least(m.exchange.both, 0.9 * m.questions),
                           every(at_most(n, 0.9 * m.exchange.both)
                                 for n in m.exchange.alone),
                           at_most(m.exchange.both_country, 0),
                           at_most(m.record.exchange.alone, m.record.exchange.seeds / 2)),
            "hands_over_its_own", more=True),
        Claim("does_not_copy", T(
            "抄名单它不会：对 {copied.hits} 处，瞎猜一个名字也有 {copied.names}。语料里没有哪份名"
            "单说过两遍（数出来 {repeated_in_corpus} 处）。",
            "It does not copy: {copied.hits} right, where guessing any name gets "
            "{copied.names}. No list in its corpus is said twice (counted: "
            "{repeated_in_corpus})."),
            lambda m: both(below(m.copied.hits, 2 * m.copied.names),
                           equal(m.repeated_in_corpus, 0)), "was_rewarded"),
        Claim("reward_is_not_enough", T(
            "名单说两遍还不够，得份数多、练得久。末一行，步数相同的最多对 "
            "{grid.lists.many_twice.short.4}；步数 × {grid.times}，居中的种子对 "
            "{grid.lists.many_twice.long.2}。",
            "Lists said twice are not enough: it takes many, and long training. Last row: "
            "{grid.lists.many_twice.short.4} at most in as many steps; steps × {grid.times}, "
            "middle seed: {grid.lists.many_twice.long.2}."),
            lambda m: both(above(m.copied.seen, m.grid.lists.many_twice.short[4]),
                           above(m.grid.lists.many_twice.long[2], m.copied.total / 2),
                           above(m.copied.total / 4, m.grid.lists.few_twice.long[4]),
                           above(m.grid.times, 1)), "lists_said_once", kind="recorded"),
        Claim("looks_at_country", T(
            "最看重国名的头平均给它 {best.country}；平摊是 {uniform}，没训练时最多 "
            "{untrained.country}。",
            "The head that looks most at the country gives it {best.country}; an even spread is "
            "{uniform}, the untrained network has {untrained.country} at most."),
            lambda m: both(above(m.best.country, 0.5), above(m.best.country, 3 * m.uniform),
                           above(m.best.country, 3 * m.untrained.country)), "untrained",
            more=True),
        Claim("seeds", T(
            "换种子重训（记录，{record.seeds} 个）：全对的 {record.all_right} 个，几乎不抄的 "
            "{record.hardly_copy} 个；切断国名那条边，剩不到一成的 {record.lose_nine_in_ten} 个。",
            "Trained from other seeds (recorded, {record.seeds}): all right in "
            "{record.all_right}, hardly any copying in {record.hardly_copy}; without the country's "
            "edge under a tenth stays right in {record.lose_nine_in_ten}."),
            lambda m: both(at_least(m.record.all_right, m.record.seeds),
                           at_least(m.record.hardly_copy, m.record.seeds),
                           at_least(m.record.lose_nine_in_ten, 0.8 * m.record.seeds)),
            T("一份记录里的计数：没有另一组种子可作对照",
              "counts of one record: there is no other arm of it"), kind="recorded", more=True),
    ),
    caveat=T(
        "权重告诉你从哪里取，没说取来做什么（演示 14）。换种子（记录，{record.seeds} 个）：切国名"
        "剩 {record.fewest_left} 到 {record.most_left} 题，居中的剩 {record.middle_left} 题。",
        "A weight names the source, not the use (demo 14). Other seeds ({record.seeds}, "
        "recorded): the country cut leaves {record.fewest_left} to {record.most_left}, the "
        "middle {record.middle_left}."),
    further=T(
        "换头交出的，在另外的种子上也试过（记录，{record.exchange.seeds} 个）："
        "{record.exchange.country} 个里“哪国”归一个头，{record.exchange.pair} 个里“问什么”归另外"
        "两个头，其中 {record.exchange.alone} 个里一个就够。",
        "What heads hand over was exchanged for other seeds too (recorded, "
        "{record.exchange.seeds}): in {record.exchange.country} one head has the country, in "
        "{record.exchange.pair} two others what is asked, in {record.exchange.alone} of them one "
        "alone."),
    questions=(Question(
        T(
            "问 leader 的 {countries} 题：L0H0 给国名 {asked.leader.L0H0.weight}，L1H1 给 who "
            "{asked.leader.L1H1.weight}。只切断一条，切哪条就对不到一半？",
            "{countries} leader questions: L0H0 gives the country {asked.leader.L0H0.weight}, "
            "L1H1 gives who {asked.leader.L1H1.weight}. Cut one edge: which cut leaves under "
            "half right?"),
        (Option(T("切哪条都是", "either"),
                lambda m: both(below(m.asked.leader.L0H0.left, m.countries / 2),
                               below(m.asked.leader.L1H1.left, m.countries / 2)),
                T("以为看得多就缺不得。", "takes a look for a need.")),
         Option(T("国名那条", "the country's"),
                lambda m: both(below(m.asked.leader.L0H0.left, m.countries / 2),
                               above(m.asked.leader.L1H1.left, m.countries / 2))),
         Option(T("who 那条", "who's"),
                lambda m: both(above(m.asked.leader.L0H0.left, m.countries / 2),
                               below(m.asked.leader.L1H1.left, m.countries / 2)),
                T("以为问的是谁最要紧；没有国名，一个名字也说不出。",
                  "thinks who is asked for matters most; without the country no name comes.")),
         Option(T("哪条都不会", "neither"),
                lambda m: both(above(m.asked.leader.L0H0.left, m.countries / 2),
                               above(m.asked.leader.L1H1.left, m.countries / 2)),
                T("以为总有别的头补上。", "counts on the other heads."))),
        answer=Claim("look_is_not_need", T(
            "切国名，对 {asked.leader.L0H0.left} 题；切 who，对 {asked.leader.L1H1.left} 题。权重"
            "差不多，后果不一样：看得多，未必离不了。（记录：{record.exchange.seeds} 个种子里 "
            "{record.exchange.spared} 个有这样两条边，权重都过 {record.exchange.strong:g}。）",
            "the country's leaves {asked.leader.L0H0.left}, who's {asked.leader.L1H1.left}. "
            "Like weights, unlike outcomes: to look is not to need. (REC: such a pair, both "
            "over {record.exchange.strong:g}, in {record.exchange.spared} of "
            "{record.exchange.seeds} seeds.)"),
            lambda m: both(above(m.asked.leader.L0H0.weight, 0.9),
                           above(m.asked.leader.L1H1.weight, 0.9),
                           at_most(m.asked.leader.L0H0.left, m.countries / 4),
                           at_least(m.asked.leader.L1H1.left, 3 * m.countries / 4),
                           at_least(m.record.exchange.spared, m.record.exchange.seeds / 2)),
            "one_edge", kind="example", given=("record.exchange.strong",))),),
    pins={"example.words.*": exact("words"), "example.prompt": exact("words"),
          "example.heads.*": exact("words"), "example.answer": exact("a word"),
          "asked.*.word": exact("words"), "asked.*.left": exact("a count"),
          "exchange.pair.*": exact("words"), "exchange.country_head": exact("a word"),
          "exchange.*": exact("a count"), "record.*": exact("a record"),
          "grid.*": exact("a record"),
          "*.country": close("shipped weights, matrix products", 1e-6, 1e-9),
          "*.relation": close("shipped weights, matrix products", 1e-6, 1e-9),
          "asked.*.weight": close("shipped weights, matrix products", 1e-6, 1e-9),
          "example.weights.*": close("shipped weights, matrix products", 1e-6, 1e-9),
          "*": ARITHMETIC},
    errata=ERRATA["tiny_gpt"],
    notes=T(
        "约 10 分钟。先投票，再给表，让大家从表里读出答案。争论点：看得多的头就是重要的头吗？（"
        "Jain 和 "
        "Wallace 2019，Wiegreffe 和 Pinter 2019 吵的就是这个。）抄写那张表：讲义说不抄是因为语料没"
        "有"
        "重复；给了重复，同样的步数也不抄。试试 lecture attend 换一句话，lecture train base "
        "--seed 1 "
        "换一个种子。",
        "About 10 minutes. Vote, then the table; let the class read the answer off it. The "
        "argument: is the head that looks most the head that matters? (Jain and Wallace 2019 "
        "against Wiegreffe and Pinter 2019.) The table of copying: the notes say it does not copy "
        "because nothing is repeated; given repeats, the same steps do not make it copy either. "
        "Try lecture attend with another sentence, lecture train base --seed 1 for another seed."),
)
