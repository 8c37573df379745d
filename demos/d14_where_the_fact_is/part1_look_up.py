"""14.1 Looked up, step by step: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d14_where_the_fact_is.lesson import LOOK_UP_CONTROLS, MAPS, RELATIONS, follow
from demos.d14_where_the_fact_is.words import COUNT, RECORD, TRAINED
from lecture.report import (
    Block,
    Claim,
    Column,
    HeatMap,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
    close,
    exact,
)

STAGES = {"0.in": T("词向量 + 位置", "word and position"),
          "0.mid": T("L0 注意力之后", "after attention L0"),
          "0.out": T("L0 MLP 之后", "after MLP L0"),
          "1.mid": T("L1 注意力之后", "after attention L1"),
          "1.out": T("L1 MLP 之后", "after MLP L1")}
GROUPS = {"country": T("国名", "the country"),
          "relation": T("关系词", "the relation words"),
          "others": T("其余的词", "all other words")}
MAP_TITLES = {
    "stream": T("残差流：整个状态", "The stream: the whole state"),
    "attention": T("注意力写进来的", "What attention writes"),
    "mlp": T("MLP 写进来的", "What the MLP writes")}
ROW_NAMES = {"0.in": T("入", "in"), "0.out": T("0 后", "aft.0"), "1.out": T("1 后", "aft.1"),
             "0.attn": T("0 层", "lay.0"), "1.attn": T("1 层", "lay.1"),
             "0.mlp": T("0 层", "lay.0"), "1.mlp": T("1 层", "lay.1")}


def show_follow(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "迷你 GPT（演示 04）答对 {right}/{questions}。先提前读：把最后位置上每一站的状态直接送进"
        "最后的归一化和词表，看正确答案是否已排第一（logit lens）。",
        "The tiny GPT of demo 04 answers {right} of {questions}. First read early: send the state "
        "of each stage straight into the last norm and the word table; is the right word on "
        "top already (logit lens)?"))
    yield Table(
        (Column(T("站", "stage")), Column(T("在最后位置", "at the answer"), "d"),
         Column(T("平均概率", "mean prob."), ".2f"), Column(T("在国名处", "at the country"), "d")),
        [[STAGES[s["stage"]], s["last"], s["sure"], s["country"]] for s in m["lens"]],
        title=T("{questions} 题中，正确答案排第一的有几题",
                "Of {questions} questions: right answers on top"))
    yield Table(
        (Column(T("层", "layer"), "d"), Column(T("看不见", "does not see")),
         Column(T("还对", "right"), "d")),
        [[layer, GROUPS[g], left] for layer, cells in enumerate(m["blind"].values())
         for g, left in cells.items()],
        title=T("遮住：最后位置在某一层看不见一组词（所有的头），还对几题",
                "Knock-out: in one layer, all heads, the last position does not see some words"))
    yield Paragraph(T(
        "再搬：{pairs} 国各从下一国的同一问题搬来一个状态，一次只搬一处，看答案改过去多少："
        "一是全改，零是没动。位置：{numbered}",
        "Then move: {pairs} countries each take one state, at one place, from the same question "
        "about the next country. How far does the answer go over? One: all the way; zero: not "
        "at all. Positions: {numbered}"))
    for kind, names in MAPS.items():
        yield HeatMap(m["maps"][kind], [ROW_NAMES[n] for n in names],
                      [str(i) for i in range(len(m["words"]))], title=MAP_TITLES[kind])


PART = Part(
    number=1, key="look_up",
    title=T("一步一步地查", "Looked up, step by step"),
    compute=follow, describe=show_follow, recipes=("base",),
    params={"relation": Param("capital", choices=RELATIONS,
                              about=T("三张图问哪种关系", "which relation the maps ask for"))},
    controls=LOOK_UP_CONTROLS,
    claims=(
        Claim("made_in_steps", T(
            "答案是一步步做出来的：注意力取来国名之后只有 {lens[1][last]} 题可读，L0 MLP 之后 "
            "{lens[2][last]} 题，最后 {lens[4][last]} 题。最大的一步在第一个 MLP。",
            "The answer is made in steps: after attention has fetched the country it can be read "
            "in {lens[1][last]}, after the MLP of layer L0 in {lens[2][last]}, at the end in "
            "{lens[4][last]}. The largest step is the first MLP's."),
            lambda m: min(m["lens"][2]["last"] - m["lens"][1]["last"]
                          - max(m["lens"][1]["last"] - m["lens"][0]["last"],
                                m["lens"][3]["last"] - m["lens"][2]["last"],
                                m["lens"][4]["last"] - m["lens"][3]["last"]),
                          m["lens"][4]["last"] - m["questions"] + 0.5), "untrained"),
        Claim("not_at_the_country", T(
            "国名自己的位置上几乎读不出答案：五站分别是 {lens[0][country]}、{lens[1][country]}、"
            "{lens[2][country]}、{lens[3][country]}、{lens[4][country]} 题，最后位置读得出 "
            "{lens[4][last]} 题。那里的 MLP 也不要紧：两层都不许在国名处写东西，还对 "
            "{without_enrichment} 题。",
            "At the country's own place the answer can hardly be read: {lens[0][country]}, "
            "{lens[1][country]}, {lens[2][country]}, {lens[3][country]}, {lens[4][country]} "
            "questions at the five stages, against {lens[4][last]} at the last place. Nor do the "
            "MLPs matter there: with neither allowed to write at the country, "
            "{without_enrichment} stay right."),
            lambda m: min(m["lens"][4]["last"] - m["questions"] / 2,
                          m["questions"] / 8 - max(s["country"] for s in m["lens"]),
                          m["without_enrichment"] - 0.8 * m["questions"]),
            "untrained"),
        Claim("fetched_in_layer_0", T(
            "国名在 L0 层就取走了：那一层看不见它，剩 {blind[layer_0][country]} 题；L1 层看不见，"
            "剩 {blind[layer_1][country]} 题；L0 层改遮一个随便抽的位置，剩 {drawn_edge} 题。",
            "The country is fetched in layer L0: hidden there, {blind[layer_0][country]} stay "
            "right; hidden in layer L1, {blind[layer_1][country]}; a drawn other place hidden in "
            "layer L0, {drawn_edge}."),
            lambda m: min(m["questions"] / 8 - m["blind"]["layer_0"]["country"],
                          m["blind"]["layer_1"]["country"] - 0.9 * m["questions"],
                          m["drawn_edge"] - 0.75 * m["questions"]), "country_in_sight"),
        Claim("it_moves", T(
            "“哪个国家”在 L0 层里搬了家：之前全在国名处（改过去 {moved[country_before]:.2f}），"
            "之后国名处是 {moved[country_after]:.2f}，最后位置是 {moved[answer_after]:.2f}。",
            "Which country it is moves house in layer L0: before it, all at the country "
            "({moved[country_before]:.2f} goes over); after it, {moved[country_after]:.2f} there "
            "and {moved[answer_after]:.2f} at the last place."),
            lambda m: min(m["moved"]["country_before"] - 0.9, m["moved"]["answer_after"] - 0.9,
                          0.1 - abs(m["moved"]["country_after"])), "givers_swapped"),
        Claim("shares_do_not_add", T(
            "图指着 L0 注意力：只搬它写的，就改过去 {moved[attention][0]:.2f}；两个 MLP 是 "
            "{moved[mlp][0]:.2f} 和 {moved[mlp][1]:.2f}，都在最后位置。三个数加起来超过一：先写的"
            "改了，后面的就跟着改，它们不是一块饼的三份。",
            "The maps point at attention L0: what it writes alone takes "
            "{moved[attention][0]:.2f} of the answer over; the two MLPs {moved[mlp][0]:.2f} and "
            "{moved[mlp][1]:.2f}, all at the last place. The three come to more than one: whoever "
            "writes later follows what was written before. They are no slices of one cake."),
            lambda m: min(m["moved"]["attention"][0] - max(m["moved"]["mlp"]),
                          m["moved"]["attention"][0] + sum(m["moved"]["mlp"]) - 1,
                          min(m["moved"]["mlp"]) - 0.1), "givers_swapped"),
        Claim("exact", T(
            "尺子量过：用自己的状态换自己，任何一处都改 {identity:g}；全部换掉，正好改 "
            "{everything:g}；同样大小、方向乱抽的改动，最多 {drawn:.2f}。从同一个国家搬来，分母是"
            "零，没有定义（{same_country[share]:.2f}）。",
            "The ruler, checked: a state put in place of itself moves {identity:g}, anywhere; all "
            "states moved, exactly {everything:g}; changes of the same size in drawn directions, "
            "{drawn:.2f} at most. From a run about the same country the denominator is zero: "
            "undefined ({same_country[share]:.2f})."),
            lambda m: min(1e-300 - abs(m["identity"]), 1e-300 - abs(m["everything"] - 1),
                          m["moved"]["attention"][0] / 2 - m["drawn"],
                          0.5 - m["same_country"]["defined"]), "givers_swapped"),
        Claim("seeds", T(
            "换种子重训（记录，{record[seeds]} 个）：第一个 MLP 是最大一步的有 "
            "{record[first_mlp_adds_most]} 个，那之后可读的题数从 {record[lens][2][least]} 到 "
            "{record[lens][2][most]}；遮住国名，L0 层至多剩 {record[cut][first]}，L1 层至少剩 "
            "{record[cut][second]}；国名处至多读出 {record[at_country]} 题；L0 注意力至少改过去 "
            "{record[fetched]:.2f}。这里用的种子也在其中。",
            "Trained from other seeds (recorded, {record[seeds]}): the first MLP takes the largest "
            "step in {record[first_mlp_adds_most]}, after it {record[lens][2][least]} to "
            "{record[lens][2][most]} can be read; the country hidden leaves at most "
            "{record[cut][first]} in layer L0, at least {record[cut][second]} in layer L1; at the "
            "country's place at most {record[at_country]} can be read; attention L0 takes over at "
            "least {record[fetched]:.2f}. The seed shown here is one of them."),
            lambda m: min(m["record"]["first_mlp_adds_most"] - 0.8 * m["record"]["seeds"] + 0.5,
                          m["questions"] / 8 - m["record"]["cut"]["first"],
                          m["record"]["cut"]["second"] - 0.75 * m["questions"],
                          m["questions"] / 8 - m["record"]["at_country"],
                          m["record"]["fetched"] - 0.75,
                          0.5 + m["record"]["cut"]["first"]
                          - m["blind"]["layer_0"]["country"],
                          m["moved"]["attention"][0] - 0.75), "untrained"),
    ),
    caveat=T(
        "提前读用的是最后一层的词表，前面的站未必用同一种“语言”：读不出不等于没有。搬得动说明这一"
        "处带着“哪个国家”，不说明事实存在那里。大模型（Geva 等 2023）是先在主语处由前面几层 MLP "
        "备料、后由注意力取走；这个两层的模型反过来，先取后做：那个结论没有搬到这么小的模型上。",
        "Reading early uses the last layer's word table, and earlier stages may speak another "
        "language: not readable is not absent. A state that can be moved carries which country, "
        "not the fact. In large models (Geva et al. 2023) early MLPs enrich the subject's own "
        "place and attention then takes the attribute from there; this two-layer model does the "
        "reverse, it fetches first and makes later: that finding did not carry over."),
    questions=(
        Question(T("L0 注意力已经把国名取到最后位置，MLP 还没动。此刻提前读，多少题的正确答案"
                   "已经排第一？",
                   "Attention L0 has fetched the country to the last place; no MLP has acted "
                   "yet. Read early now: in how many questions is the right word on top?"),
                 (Option(T("几乎全部", "nearly all"),
                         lambda m: m["lens"][1]["last"] / m["questions"] - 0.75,
                         T("以为取来国名就等于取来答案。取来的是“问谁”，还不是“答什么”。",
                           "takes fetching the country for fetching the answer. What came is who "
                           "is asked about, not what to say.")),
                  Option(T("约一半", "about half"),
                         lambda m: min(m["lens"][1]["last"] / m["questions"] - 0.375,
                                       0.75 - m["lens"][1]["last"] / m["questions"]),
                         T("按步数折算：走了一部分就该对一部分。",
                           "pays by the step: part of the way, part of the answers.")),
                  Option(T("不到八分之三", "less than three eighths"),
                         lambda m: 0.375 - m["lens"][1]["last"] / m["questions"]))),
        Question(T("L0 层之后，把国名那个位置的状态换成下一国的。答案改过去多少？",
                   "After layer L0, the state at the country's own place is replaced by that of "
                   "the next country. How far does the answer go over?"),
                 (Option(T("全改：国名就在那里", "all the way: the country stands there"),
                         lambda m: m["moved"]["country_after"] - 0.75,
                         T("以为一个词的信息一直留在它的位置上。",
                           "takes a word's information to stay where the word stands.")),
                  Option(T("一半左右", "about half"),
                         lambda m: min(m["moved"]["country_after"] - 0.25,
                                       0.75 - m["moved"]["country_after"]),
                         T("以为两层各取一半。", "lets each of two layers fetch half.")),
                  Option(T("几乎不动：已经取走了", "hardly: it has been fetched already"),
                         lambda m: 0.25 - m["moved"]["country_after"])))),
    pins={"record.*": RECORD, "words.*": COUNT, "numbered": COUNT, "relation": COUNT,
          "lens.*.stage": COUNT, "identity": exact("a state in its own place: the same bits"),
          "everything": exact("the whole run moved: the same bits"),
          "same_country.*": exact("undefined, and known to be"),
          "lens.*.sure": TRAINED, "maps.*": close("shipped weights", 1e-6, 1e-12),
          "moved.*": close("shipped weights", 1e-6, 1e-7), "drawn": TRAINED, "*": COUNT},
    notes=T(
        "约 8 分钟。先投第一票，给表；讲完遮住，再投第二票，给三张图。争论点：图最亮的地方就是事"
        "实住的地方吗？（第 3 部分去改一改就知道。）试试 --set 1.relation=leader。",
        "About 8 minutes. First vote, then the table; after the knock-out the second vote, then "
        "the maps. The argument: is the brightest place where the fact lives? (Part 3 tries to "
        "change it there.) Try --set 1.relation=leader."),
)
