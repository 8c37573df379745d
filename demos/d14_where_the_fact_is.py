"""Where in the network is a fact, and does finding it mean one can change it?

A country model answers by fetching and by making: attention carries which country it
is to the place of the answer, and there branches turn country and relation into a word.
Part 0 asks whether a fact is one thing or a sentence; part 1 follows one question
through the layers; part 2 takes branches away; part 3 writes another fact over one; part
4 asks how often, and in how many ways, a fact must be said to be known.

Unlike demo 04: there one edge was cut; here every stage is read, moved, removed or
rewritten, each beside a change of the same size in a drawn direction.  Left out:
gradients, covariance of the keys (ROME, MEMIT), models of more than two layers; what
those have shown is told, not measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from attention_np import softmax
from demos.errata.e14 import ERRATA
from lecture import model_cache, recipes, records
from lecture.edit_np import (
    HOW,
    alone,
    answers_blind,
    answers_everywhere,
    answers_without,
    branches,
    completed,
    donor,
    edits,
    lens,
    patch_map,
    push,
    put,
    recovered,
    right_without_enrichment,
    sheet,
    swaps,
    target,
)
from lecture.gpt_np import GPT, cut_edge, init_weights
from lecture.probes_np import Questions, questions, right
from lecture.recipes import BACKWARD, Recipe
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
from pretrain_world import (
    ATTRIBUTES,
    DOC,
    RELATIONS,
    STATEMENTS,
    Tokenizer,
    statement_text,
    tokenizer,
)

Array = np.ndarray
TRAINED = close("shipped weights, matrix products", rtol=1e-6, atol=1e-9)
COUNT = exact("counts and words")
RECORD = exact("a record")


def ready(name: str, trained: bool = True) -> tuple[GPT, Recipe]:
    """A model of the course, or the same one as it was before training."""
    recipe = recipes.named(name)
    weights = model_cache.load(recipe) if trained else init_weights(recipe.config)
    return GPT(recipe.config, weights), recipe


# --- 0. one fact, two directions --------------------------------------------------------

def two_ways(seed: int, trained: bool = True, swapped: bool = False) -> Metrics:
    """Capitals asked for from the country, and countries from the capital.

    Nothing is drawn, seed is unused. swapped: the countries told both ways
    stand where the others should.
    """
    model, recipe = ready("capitals", trained)
    found = both_directions(model, recipe, swapped)
    return {**found, "record": many_directions()}


def both_directions(model: GPT, recipe: Recipe, swapped: bool = False) -> Metrics:
    """What one training knows in each direction; the record calls it too."""
    world, told_back = recipe.data.world(), recipe.data.told_back
    tok, nations = tokenizer(world), world.countries
    forms = range(len(STATEMENTS["capital"]))
    forward = [sum(is_right(model, tok, [
        f"{DOC} {statement_text(c, 'capital', form)}" for c in nations]))
        for form in forms]
    groups = {"told": nations[:told_back], "not_told": nations[told_back:]}
    if swapped:
        groups = dict(zip(groups, reversed(groups.values()), strict=True))
    names = {g: [tok.stoi[c.name] for c in some] for g, some in groups.items()}
    return {"countries": len(nations), "told_back": told_back,
            "phrasings": len(forms), "asked": len(forms) * len(nations),
            "forward": forward, "forward_right": sum(forward),
            "back": {g: backward(model, tok, some, names[g], names["told"])
                     for g, some in groups.items()}}


def backward(model: GPT, tok: Tokenizer, group: Any, names: list[int],
             told_names: list[int]) -> Metrics:
    """A group of countries, each asked for from its capital."""
    logits, answers = completed(model, tok, [
        f"{DOC} {text.format(a=c.capital, c=c.name)}"
        for text in BACKWARD for c in group])                   # [2 x 12, V]
    said, p = logits.argmax(-1), softmax(logits)
    right_p = p[np.arange(len(p)), answers]                     # [24]
    wrong_p = (p[:, names].sum(1) - right_p) / (len(names) - 1)
    return {"right": int((said == answers).sum()), "prompts": len(answers),
            "says_told": int(np.isin(said, told_names).sum()),
            "p_right": right_p.mean(), "p_wrong": wrong_p.mean()}


def is_right(model: GPT, tok: Tokenizer, sentences: list[str]) -> list[bool]:
    """Is the last word of each sentence what the model would say there?"""
    logits, answers = completed(model, tok, sentences)
    return (logits.argmax(-1) == answers).tolist()


def many_directions() -> Metrics:
    """The same training from other seeds: a record."""
    runs = records.read("fact_seeds")["capitals"]
    return {"seeds": len(runs),
            "forward": min(r["forward_right"] for r in runs),
            "told": min(r["back"]["told"]["right"] for r in runs),
            "not_told": max(r["back"]["not_told"]["right"] for r in runs)}


def show_two_ways(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一个小 GPT 只读首都：{countries} 国，每国用 {phrasings} 种说法，都是国名在前。其中 "
        "{told_back} 国另外还反过来说过：首都在前，国名在后。现在两个方向都问。",
        "A small GPT reads about capitals only: {countries} countries in {phrasings} phrasings "
        "each, the country always first. {told_back} of them are also told the other way round, "
        "capital first. Now it is asked both ways."))
    yield Table(
        (Column(T("问的方向", "asked")), Column(T("国家", "countries")),
         Column(T("答对", "right"), "d"), Column(T("问题", "prompts"), "d"),
         Column(T("正确词的概率", "prob. of the right word"), ".3f")),
        [[T("国名 → 首都", "country → capital"), T("全部", "all"), m["forward_right"],
          m["asked"], None],
         *([T("首都 → 国名", "capital → country"), GROUP_NAMES[name], g["right"], g["prompts"],
            g["p_right"]] for name, g in m["back"].items())],
        title=T("同一批事实，两个方向", "The same facts, in two directions"))


GROUP_NAMES = {"told": T("两个方向都说过", "told both ways"),
               "not_told": T("只说过一个方向", "told one way")}

def share_back(m: Any) -> float:
    """Of the backward prompts on countries told one way, the share that is right."""
    return float(m["back"]["not_told"]["right"] / m["back"]["not_told"]["prompts"])


REVERSAL = Part(
    number=0, key="reversal",
    title=T("一个事实，两个方向", "One fact, two directions"),
    compute=two_ways, describe=show_two_ways, recipes=("capitals",),
    controls={"untrained": partial(two_ways, trained=False),
              "groups_swapped": partial(two_ways, swapped=True)},
    claims=(
        Claim("forward", T(
            "从国名问首都：{asked} 问对 {forward_right} 问，{countries} 国在每种说法里都对。",
            "From country to capital: {forward_right} of {asked} right, all {countries} "
            "countries in every phrasing."),
            lambda m: min(m["forward_right"] - m["asked"] + 0.5,
                          min(m["forward"]) - m["countries"] + 0.5), "untrained"),
        Claim("told_both_ways", T(
            "两个方向都说过的 {told_back} 国，反过来问 {back[told][prompts]} 问对 "
            "{back[told][right]} 问：反着问不是问法难懂。",
            "For the {told_back} countries told both ways, {back[told][right]} of "
            "{back[told][prompts]} backward prompts are right: the question backwards is no "
            "riddle."),
            lambda m: m["back"]["told"]["right"] - m["back"]["told"]["prompts"] + 0.5,
            "groups_swapped"),
        Claim("not_reversed", T(
            "只说过一个方向的，反过来问 {back[not_told][prompts]} 问只对 {back[not_told][right]} "
            "问，虽然正着问全对。",
            "For those told one way, {back[not_told][right]} of {back[not_told][prompts]} backward "
            "prompts are right, though forward all of them are."),
            lambda m: min(m["back"]["not_told"]["prompts"] / 8 - m["back"]["not_told"]["right"],
                          m["forward_right"] - m["asked"] + 0.5), "groups_swapped"),
        Claim("hardly_a_hint", T(
            "至多一点影子：正确的国名平均得到 {back[not_told][p_right]:.3f} 的概率，同组里一个错"
            "的国名得到 {back[not_told][p_wrong]:.3f}，不到两倍。它说的 "
            "{back[not_told][says_told]} 次是另一组的国名，也就是训练时在那个位置出现过的词。",
            "A trace at most: the right country gets {back[not_told][p_right]:.3f} on average, a "
            "wrong one of the same group {back[not_told][p_wrong]:.3f}: less than twice as much. "
            "In {back[not_told][says_told]} cases it says a country of the other group, a word "
            "that stood in that place in training."),
            lambda m: min(2 * m["back"]["not_told"]["p_wrong"]
                          - m["back"]["not_told"]["p_right"],
                          m["back"]["not_told"]["says_told"]
                          - 0.75 * m["back"]["not_told"]["prompts"]), "groups_swapped"),
        Claim("seeds", T(
            "换种子重训（记录，{record[seeds]} 个）：正着问至少对 {record[forward]}，两个方向都说"
            "过的反着问至少对 {record[told]}，只说过一个方向的至多对 {record[not_told]}。这里用的"
            "种子也在其中。",
            "Trained from other seeds (recorded, {record[seeds]}): forward at least "
            "{record[forward]}, backward at least {record[told]} where told both ways, at most "
            "{record[not_told]} where told one way. The seed shown here is one of them."),
            lambda m: min(m["record"]["forward"] - m["asked"] + 0.5,
                          m["record"]["told"] - m["back"]["told"]["prompts"] + 0.5,
                          m["back"]["not_told"]["prompts"] / 8 - m["record"]["not_told"],
                          m["record"]["not_told"] - m["back"]["not_told"]["right"] + 0.5),
            "groups_swapped"),
    ),
    caveat=T(
        "这个模型只背句子，下一个词是它唯一的任务。大模型也这样（Berglund 等 2023），但若两个名字"
        "都写在提问的上文里，它们能倒过来说：那是读出来的，不是记住的。",
        "This model learns sentences, and the next word is its only task. Large models show the "
        "same (Berglund et al. 2023); but with both names in the prompt they can turn it round: "
        "that is reading, not remembering."),
    questions=(Question(
        T("训练里说过“X 的首都是 Y”，正着问全对。反过来问“Y 是哪国的首都”，没反着说过的那些国家能"
          "答对多少？",
          "Trained on “the capital of X is Y”, all right when asked that way. Asked which "
          "country “Y is the capital of”, how many are right where it was never told that way "
          "round?"),
        (Option(T("全部：是同一个事实", "all: it is one fact"),
                lambda m: share_back(m) - 0.75,
                T("以为模型存的是“事实”。它学的是：见了这些词，下一个词是什么。",
                  "thinks the model stores a fact. It learned what comes next after which words.")),
         Option(T("约一半", "about half"),
                lambda m: min(share_back(m) - 0.25, 0.75 - share_back(m)),
                T("以为别的国家反着说过，这些国家就能学会反过来。格式学得会，内容没有地方来。",
                  "expects the reversed countries to teach reversing. The form can be learned; the "
                  "content has nowhere to come from.")),
         Option(T("几乎一个也不对", "hardly any"),
                lambda m: 0.25 - share_back(m)))),),
    pins={"record.*": RECORD, "back.*.p_right": close("shipped weights", 1e-5, 1e-9),
          "back.*.p_wrong": close("shipped weights", 1e-5, 1e-9), "*": COUNT},
    notes=T(
        "约 5 分钟，开场用。投票后问：搜索引擎会这样吗？数据库会吗？争论点：那它“知道”吗？",
        "About 5 minutes, as the opener. After the vote: would a search engine do this, would a "
        "database? The argument: does it know, then?"),
)


# --- 1. look-up, step by step -----------------------------------------------------

PAIRS = 4                            # countries patched: each takes from the next one
MAPS = {"stream": ("0.in", "0.out", "1.out"), "attention": ("0.attn", "1.attn"),
        "mlp": ("0.mlp", "1.mlp")}


def patched(model: GPT, q: Questions, relation: str, swapped: bool,
            rng: np.random.Generator) -> Metrics:
    """Recovery of every activation at every position, and three controls.

    swapped: the maps are patched from the run itself, the identity from the
    other run: neither may then show what it shows.
    """
    d = donor(model, swaps(q, relation, PAIRS), itself=swapped)
    self_d = donor(model, swaps(q, relation, 1), itself=not swapped)
    same = donor(model, swaps(q, relation, 1, shift=len(q.ids)))
    names = [name for group in MAPS.values() for name in group]
    changes = patch_map(model, self_d, names)                   # [7][T]
    drawn = [recovered(model, d, push(d, name, -1, rng))
             for name in names if name != "0.in"]
    same_share = recovered(model, same, {"0.in": same.gives["0.in"]})
    return {"maps": {kind: patch_map(model, d, group)
                     for kind, group in MAPS.items()},
            "identity": max(abs(v or 0.0) for row in changes for v in row),
            "everything": recovered(model, d, {"0.in": d.gives["0.in"]}),
            "drawn": max(v or 0.0 for v in drawn),
            "same_country": {"share": same_share,
                             "defined": same_share is not None}}


def follow(relation: str, seed: int, trained: bool = True,
           swapped: bool = False, aimed: bool = True) -> Metrics:
    """Read early, forbid looks, move states between two runs."""
    model, recipe = ready("base", trained)
    world, rng = recipe.data.world(), np.random.default_rng(seed)
    tok = tokenizer(world)
    q = questions(world, tok)                                   # 96
    run, first = model.run(q.ids, trace=True), RELATIONS.index(relation)
    words = [tok.itos[i] for i in q.ids[first, :q.last[first] + 1]]
    elsewhere = rng.integers(q.last - 1)                        # [96]
    elsewhere += elsewhere >= q.country
    if not aimed:                       # the country stays in sight
        q = Questions(q.ids, q.last, elsewhere, q.relation, q.answers)
    found = patched(model, q, relation, swapped, rng)
    maps, at = found["maps"], int(q.country[first])
    return {
        "questions": len(q.ids), "right": right(model, q), "pairs": PAIRS,
        "relation": relation, "words": words, "country_at": at,
        "answer_at": len(words) - 1,
        "numbered": "  ".join(f"{i} {w}" for i, w in enumerate(words)),
        "without_enrichment": right_without_enrichment(model, q),
        "lens": lens(model, q, run.trace), "blind": answers_blind(model, q),
        "drawn_edge": right(model, q, cut_edge(0, None, q.last, elsewhere)),
        **found,
        "moved": {"country_before": maps["stream"][0][at],
                  "country_after": maps["stream"][1][at],
                  "answer_after": maps["stream"][1][-1],
                  "attention": [row[-1] for row in maps["attention"]],
                  "mlp": [row[-1] for row in maps["mlp"]],
                  "mlp_at_country": max(abs(row[at] or 0.0)
                                        for row in maps["mlp"])},
        "record": many_lookups()}


def many_lookups() -> Metrics:
    """The same of other trainings of `base`: a record."""
    runs = records.read("edit_seeds")["runs"]
    readable = [[stage["last"] for stage in r["lens"]] for r in runs]
    fetched = [r["moved"][name]["0_attn"]["last"]
               for r in runs for name in RELATIONS]
    return {"seeds": len(runs),
            "lens": [{"least": min(x), "most": max(x)}
                     for x in zip(*readable, strict=True)],
            "without_enrichment": min(r["without_enrichment"] for r in runs),
            "at_country": max(s["country"] for r in runs for s in r["lens"]),
            "first_mlp_adds_most": sum(
                int(np.argmax(np.diff(x))) == 1 for x in readable),
            "cut": {"first": max(r["blind"]["layer_0"]["country"] for r in runs),
                    "second": min(r["blind"]["layer_1"]["country"]
                                  for r in runs)},
            "fetched": min(fetched)}


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


LOOK_UP = Part(
    number=1, key="look_up",
    title=T("一步一步地查", "Looked up, step by step"),
    compute=follow, describe=show_follow, recipes=("base",),
    params={"relation": Param("capital", choices=RELATIONS,
                              about=T("三张图问哪种关系", "which relation the maps ask for"))},
    controls={"untrained": partial(follow, trained=False),
              "givers_swapped": partial(follow, swapped=True),
              "country_in_sight": partial(follow, aimed=False)},
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
          "lens.*.sure": TRAINED, "maps.*": close("shipped weights", 1e-6, 1e-7),
          "moved.*": close("shipped weights", 1e-6, 1e-7), "drawn": TRAINED, "*": COUNT},
    notes=T(
        "约 8 分钟。先投第一票，给表；讲完遮住，再投第二票，给三张图。争论点：图最亮的地方就是事"
        "实住的地方吗？（第 3 部分去改一改就知道。）试试 --set 1.relation=leader。",
        "About 8 minutes. First vote, then the table; after the knock-out the second vote, then "
        "the maps. The argument: is the brightest place where the fact lives? (Part 3 tries to "
        "change it there.) Try --set 1.relation=leader."),
)


# --- 2. MLP or attention --------------------------------------------------------------

def take_away(seed: int, trained: bool = True, really: bool = True) -> Metrics:
    """Each branch removed at the answer's place, on a phrasing never trained.

    really=False: nothing is removed, a drawn vector of the same size is added.
    """
    model, recipe = ready("base", trained)
    world, rng = recipe.data.world(), np.random.default_rng(seed)
    q = questions(world, tokenizer(world), form=-1)             # 96
    trace = model.run(q.ids, trace=True).trace
    found = answers_without(model, q, trace, rng)
    if not really:
        found = {name: dict.fromkeys(HOW, cells["push"])
                 for name, cells in found.items()}
    last = found["1_mlp"]
    road = cut_edge(0, None, q.last, q.country)
    return {"questions": len(q.ids), "right": right(model, q), "without": found,
            "everywhere": answers_everywhere(model, q),
            "road_cut": right(model, q, road if really else None),
            "lost": {how: len(q.ids) - last[how]["right"] for how in HOW},
            "record": many_ablations()}


def many_ablations() -> Metrics:
    """The same of other trainings of `base`: a record."""
    runs = records.read("edit_seeds")["runs"]

    def left(name: str, how: str) -> list[int]:
        return [r["ablation"][name][how]["right"] for r in runs]

    hurts = [max(r["ablation"]["all_attn"][how]["right"] for how in ("zero", "mean"))
             < min(r["ablation"]["all_mlp"][how]["right"] for how in ("zero", "mean"))
             for r in runs]
    return {"seeds": len(runs), "attention_hurts_more": sum(hurts),
            "most_left_without_attention": max(left("all_attn", "zero")
                                               + left("all_attn", "mean")),
            "without_mlps": {"least": min(left("all_mlp", "zero")),
                             "most": max(left("all_mlp", "zero"))},
            "mean_loses_less": sum(z < m for z, m in zip(
                left("1_mlp", "zero"), left("1_mlp", "mean"), strict=True)),
            "attention_1_loses": {
                "least": runs[0]["questions"] - max(left("1_attn", "zero")),
                "most": runs[0]["questions"] - min(left("1_attn", "zero"))}}


BRANCHES = {"0_attn": T("L0 注意力", "attention L0"), "0_mlp": T("L0 MLP", "MLP L0"),
            "1_attn": T("L1 注意力", "attention L1"), "1_mlp": T("L1 MLP", "MLP L1"),
            "all_attn": T("两层注意力", "both attentions"), "all_mlp": T("两个 MLP", "both MLPs")}


def show_take_away(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "换一种训练时从未见过的问法，{questions} 题答对 {right} 题。现在只在最后位置拿掉一支的输"
        "出：用零代替；用它在这些题上的均值代替；作为对照，什么也不拿掉，只加一个同样长、方向乱抽"
        "的向量。",
        "In a phrasing never seen in training, {right} of {questions} are right. Now one branch's "
        "output is taken away at the last place: zero in its place; its mean over these questions "
        "in its place; and, as the control, nothing taken away but a vector of the same length "
        "added in a drawn direction."))
    yield Table(
        (Column(T("拿掉", "without")), Column(T("零", "zero"), "d"),
         Column(T("均值", "mean"), "d"), Column(T("对照", "control"), "d")),
        [[BRANCHES[name], *(cells[how]["right"] for how in HOW)]
         for name, cells in m["without"].items()],
        title=T("{questions} 题还对几题", "Right answers left of {questions}"))
    yield Table(
        (Column(T("拿掉", "without")), Column(T("答对", "right"), "d"),
         Column(T("说成别国的", "other country's"), "d"),
         Column(T("本国的别的事", "other fact of it"), "d"), Column(T("其他", "else"), "d")),
        [[BRANCHES[name], *cells["zero"].values()] for name, cells in m["without"].items()],
        title=T("用零代替时，说的是什么", "With zero in its place: what is said"))


ABLATION = Part(
    number=2, key="ablation",
    title=T("MLP 还是注意力", "MLP or attention"),
    compute=take_away, describe=show_take_away, recipes=("base",),
    controls={"untrained": partial(take_away, trained=False),
              "pushed_instead": partial(take_away, really=False)},
    claims=(
        Claim("attention_hurts_more", T(
            "拿掉两层注意力，零和均值都几乎不剩：{without[all_attn][zero][right]} 和 "
            "{without[all_attn][mean][right]} 题；拿掉两个 MLP 还剩 "
            "{without[all_mlp][zero][right]} 和 {without[all_mlp][mean][right]} 题。只加同样长的"
            "乱向量，剩 {without[all_attn][push][right]} 和 {without[all_mlp][push][right]} 题。",
            "Without both attentions hardly anything is left, by zero or by mean: "
            "{without[all_attn][zero][right]} and {without[all_attn][mean][right]}; without both "
            "MLPs {without[all_mlp][zero][right]} and {without[all_mlp][mean][right]}. As long a "
            "drawn vector added leaves {without[all_attn][push][right]} and "
            "{without[all_mlp][push][right]}."),
            lambda m: min(*(m["without"]["all_mlp"][how]["right"]
                            - m["without"]["all_attn"][how]["right"] - m["questions"] / 24
                            for how in ("zero", "mean")),
                          *(m["without"][name]["push"]["right"]
                            - m["without"][name][how]["right"] - m["questions"] / 8
                            for name in ("all_attn", "all_mlp") for how in ("zero", "mean")),
                          m["questions"] / 8 - m["without"]["all_attn"]["zero"]["right"]),
            "pushed_instead"),
        Claim("road_and_store", T(
            "可“少不得”不等于“存在那里”：L0 注意力是国名来的路，只切断它到国名的边就只剩 "
            "{road_cut} 题。拿掉 L0 MLP（零）时，{without[0_mlp][zero][other_country]} 题说成别国"
            "的同一件事，说成本国别的事的只有 {without[0_mlp][zero][other_fact]} 题：问的是什么还"
            "知道，这一国该答什么不知道了。",
            "But needed is not stored: attention L0 is the road the country comes by, and with "
            "only its edge to the country cut, {road_cut} stay right. Without MLP L0 (zero) "
            "{without[0_mlp][zero][other_country]} say the same fact of another country, only "
            "{without[0_mlp][zero][other_fact]} another fact of the right one: what is asked is "
            "still known, what to say for this country is not."),
            lambda m: min(m["without"]["0_mlp"]["zero"]["other_country"]
                          - 2 * m["without"]["0_mlp"]["zero"]["other_fact"],
                          m["without"]["0_mlp"]["zero"]["other_country"] - m["questions"] / 8,
                          m["questions"] / 8 - m["road_cut"]), "pushed_instead"),
        Claim("zero_or_mean", T(
            "零还是均值，要说清楚：最后一个 MLP 用零代替，丢 {lost[zero]} 题；用均值代替，只丢 "
            "{lost[mean]} 题。零把每道题都一样的那部分也拿掉了；均值只拿掉题与题的差别。",
            "Zero or mean must be said: zero in place of the last MLP loses {lost[zero]}, the "
            "mean only {lost[mean]}. Zero also takes what is the same for every question; the "
            "mean takes only what differs."),
            lambda m: min(m["lost"]["zero"] - m["lost"]["mean"] - m["questions"] / 24,
                          m["lost"]["zero"] - m["questions"] / 24), "pushed_instead"),
        Claim("seeds", T(
            "换种子重训（记录，{record[seeds]} 个）：缺了注意力伤得更重的有 "
            "{record[attention_hurts_more]} 个，两层注意力都拿掉至多剩 "
            "{record[most_left_without_attention]} 题，两个 MLP 都拿掉（零）剩 "
            "{record[without_mlps][least]} 到 {record[without_mlps][most]} 题；最后一个 MLP，均值"
            "比零丢得少的有 {record[mean_loses_less]} 个。L1 注意力要不要紧，看种子：拿掉它错 "
            "{record[attention_1_loses][least]} 到 {record[attention_1_loses][most]} 题。这里用的"
            "种子也在其中。",
            "Trained from other seeds (recorded, {record[seeds]}): attention hurts more in "
            "{record[attention_hurts_more]}; without both attentions at most "
            "{record[most_left_without_attention]} stay right, without both MLPs (zero) "
            "{record[without_mlps][least]} to {record[without_mlps][most]}; at the last MLP the "
            "mean loses less than zero in {record[mean_loses_less]}. Whether attention L1 "
            "matters depends on the seed: without it {record[attention_1_loses][least]} to "
            "{record[attention_1_loses][most]} go wrong. The seed shown here is one of them."),
            lambda m: min(m["record"]["attention_hurts_more"] - 0.8 * m["record"]["seeds"] + 0.1,
                          m["questions"] / 8 - m["record"]["most_left_without_attention"],
                          m["record"]["mean_loses_less"] - 0.8 * m["record"]["seeds"] + 0.1,
                          m["record"]["attention_1_loses"]["most"]
                          - m["record"]["attention_1_loses"]["least"] - m["questions"] / 12,
                          m["record"]["without_mlps"]["least"]
                          - m["record"]["most_left_without_attention"],
                          m["without"]["all_mlp"]["zero"]["right"]
                          - m["without"]["all_attn"]["zero"]["right"] - m["questions"] / 24),
            "untrained"),
    ),
    caveat=T(
        "讲义说取回来怎么用“在 MLP 里”。这里量到的是：大半在。只在最后位置拿掉两个 MLP 还对 "
        "{without[all_mlp][zero][right]} 题，处处拿掉剩 {everywhere[mlp]} 题：别处的 MLP 也帮着做"
        "，L1 注意力在有的种子里也少不得。大模型里，Geva 等（2023）说 MLP 备料、注意力取属性，"
        "Meng 等（2022）的追踪指向中间层的 MLP；同名的零件在不同大小的模型里分工不同。",
        "The notes say that what is fetched is used in the MLP. Measured here: most of it. "
        "Without both MLPs at the last place {without[all_mlp][zero][right]} answers stay right, "
        "without them anywhere {everywhere[mlp]}: MLPs at other places help, and in some seeds "
        "the attention of layer L1 is needed as well. In large models MLPs enrich and attention "
        "extracts (Geva et al. 2023), and tracing points at MLPs of the middle layers (Meng et "
        "al. 2022): parts of one name share the work differently in models of different size."),
    questions=(Question(
        T("只在最后位置拿掉：两层的 MLP，还是两层的注意力？哪个伤得更重？",
          "Taken away at the last place only: the MLPs of both layers, or both attentions. Which "
          "hurts more?"),
        (Option(T("MLP：事实存在那里", "the MLPs: the fact is stored there"),
                lambda m: min(m["without"]["all_attn"][how]["right"]
                              - m["without"]["all_mlp"][how]["right"] for how in ("zero", "mean")),
                T("把“存在哪里”当成“缺了谁最伤”。路断了，仓库满着也没用。",
                  "takes where it is stored for what hurts most. With the road cut a full store is "
                  "of no use.")),
         Option(T("注意力", "the attentions"),
                lambda m: min(m["without"]["all_mlp"][how]["right"]
                              - m["without"]["all_attn"][how]["right"]
                              for how in ("zero", "mean"))),
         Option(T("看用零还是用均值代替", "it depends on zero or mean"),
                lambda m: 0.5 - (m["without"]["all_mlp"]["zero"]["right"]
                                 - m["without"]["all_attn"]["zero"]["right"])
                * (m["without"]["all_mlp"]["mean"]["right"]
                   - m["without"]["all_attn"]["mean"]["right"]),
                T("单个零件上是这样（看最后一个 MLP），两层合起来却不是。",
                  "true of single branches (see the last MLP), not of both layers together.")),
         Option(T("一样：缺了谁都答不出", "the same: without either nothing is right"),
                lambda m: m["questions"] / 12
                - max(cells[how]["right"] for name, cells in m["without"].items()
                      if name.startswith("all") for how in ("zero", "mean")),
                T("以为只有一条路。残差流让每一支都可以被绕过。",
                  "assumes a single path. The residual stream lets every branch be passed by."))),),
    ),
    pins={"record.*": RECORD, "*": COUNT},
    errata=ERRATA["ablation"],
    notes=T(
        "约 6 分钟。投票，给第一张表；再问：剩下的错答错在哪里？给第二张表。争论点：缺了就不行，"
        "能说明“它存着”吗？（水管断了厨房没水，水不是水管做的。）",
        "About 6 minutes. Vote, first table; then ask how the wrong answers are wrong, second "
        "table. The argument: does needing a part show that it stores? (No water in the kitchen "
        "when a pipe breaks; the pipe makes no water.)"),
)


# --- 3. edit one fact -----------------------------------------------------------------

def rewrite(facts: int, seed: int, own_key: bool = True) -> Metrics:
    """Write some facts over, each at four branches, and ask about all facts.

    own_key=False: every edit is made as large, with a drawn key.
    """
    model, recipe = ready("base")
    world, rng = recipe.data.world(), np.random.default_rng(seed)
    tok, names = tokenizer(world), branches(model.cfg)
    s = sheet(model, world)
    q = s.forms[0]
    rows = [int(i) for i in rng.permutation(len(q.ids))[:facts]]
    found = edits(model, s, rows, names, rng)
    if not own_key:
        found = dict.fromkeys(found, found["random"])
    d = donor(model, swaps(q, RELATIONS[rows[0] % len(RELATIONS)], PAIRS))
    traced = {name: recovered(model, d, {name: put(-1, d.gives[name][:, -1])})
              for name in names}
    one = rows[0]
    table = {name.replace(".", "_"): {
        "traced": traced.get(name), "says": e["says"],
        "paraphrases": e["paraphrases"], "kept": e["kept"] / e["edits"],
        "least_kept": e["least_kept"], "size": e["size"] / e["edits"],
        "lost_country": e["lost_country"], "lost_relation": e["lost_relation"]}
        for name, e in found.items()}
    return {"facts": len(rows), "asked": len(rows) * (len(s.forms) - 1),
            "others": len(q.ids) - 1, "questions": len(q.ids),
            "example": {"question": tok.decode(alone(q, one).ids[0, 5:-2]),
                        "old": tok.itos[q.answers[one]],
                        "new": tok.itos[target(q, one)]},
            "places": table, "record": many_edits()}


def many_edits() -> Metrics:
    """The same edits in other trainings of `base`: a record."""
    runs = records.read("edit_seeds")["runs"]
    each = runs[0]["edits"]["0.attn"]["edits"]
    kept = {name: [r["edits"][name]["kept"] / each for r in runs]
            for name in runs[0]["edits"]}
    traced = {name: [np.mean([r["moved"][rel][name.replace(".", "_")]["last"]
                              for rel in RELATIONS]) for r in runs]
              for name in kept if name != "random"}
    return {"seeds": len(runs), "facts": each, "rewritten": each * len(runs),
            "says": {n.replace(".", "_"): sum(r["edits"][n]["says"] for r in runs)
                     for n in kept},
            "kept": {n.replace(".", "_"): {"least": min(v), "most": max(v)}
                     for n, v in kept.items()},
            "traced_most_is_attention": sum(
                max(traced, key=lambda n: traced[n][i]) == "0.attn"
                for i in range(len(runs))),
            "kept_least_is_attention": sum(
                min(kept, key=lambda n: kept[n][i]) == "0.attn"
                for i in range(len(runs)))}


OTHERS = ("0_mlp", "1_attn", "1_mlp")
PLACES = {"0_attn": T("L0 注意力", "attention L0"), "0_mlp": T("L0 MLP", "MLP L0"),
          "1_attn": T("L1 注意力", "attention L1"), "1_mlp": T("L1 MLP", "MLP L1"),
          "random": T("MLP L1，乱抽的键", "MLP L1, drawn key")}


def show_rewrite(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "把一个事实改写成下一国的。例如“{example[question]}”：{example[old]} 改成 {example[new]}"
        "。只改一个矩阵，只加一个秩一的矩阵：W + 改动 · 键 / (键 · 键)。键是这一支在最后位置读到"
        "的向量；改动是新旧两个词向量之差，长度一倍一倍地加，直到新词的概率到九成。",
        "Write the next country's fact over one. For example “{example[question]}”: "
        "{example[old]} becomes {example[new]}. One matrix is changed, by a matrix of rank one: "
        "W + change · key / (key · key). The key is what this branch reads at the last place; "
        "the change is the new word's vector minus the old one's, doubled until the new word has "
        "nine tenths of the probability."))
    yield Table(
        (Column(T("改在哪里", "changed at")), Column(T("搬得动", "traced"), ".2f"),
         Column(T("改成", "says it"), "d"), Column(T("换问法", "reworded"), "d"),
         Column(T("别的还对", "others kept"), ".1f"), Column(T("最少", "least"), "d")),
        [[PLACES[name], *(p[k] for k in ("traced", "says", "paraphrases", "kept",
                                         "least_kept"))]
         for name, p in m["places"].items()],
        title=T("改 {facts} 个事实，一次一个；每次问遍全部 {questions} 题",
                "{facts} facts rewritten, one at a time; each time all {questions} are asked"),
        legend=T("搬得动：第 1 部分那种搬法改过去多少。改成：共 {facts}。换问法：共 {asked}，三种"
                 "问法，其中一种没训练过。别的还对：{others} 个别的事实里平均还对几个；最少：最糟"
                 "的一次。",
                 "traced: how far the patch of part 1 goes. says it: of {facts}. reworded: of "
                 "{asked}, three phrasings, one never trained. others kept: of {others} other "
                 "facts, on average; least: in the worst edit."))


EDIT = Part(
    number=3, key="edit",
    title=T("改写一个事实", "Edit one fact"),
    compute=rewrite, describe=show_rewrite, recipes=("base",),
    params={"facts": Param(4, 1, 96, about=T("改写几个事实，一次一个",
                                             "how many facts, one at a time"))},
    controls={"drawn_key": partial(rewrite, own_key=False)},
    claims=(
        Claim("can_be_written", T(
            "事实改得动：改在 L1 MLP，{facts} 个里 {places[1_mlp][says]} 个改口，换问法 {asked} 次"
            "里 {places[1_mlp][paraphrases]} 次也改口，{others} 个别的事实平均还对 "
            "{places[1_mlp][kept]:.1f} 个。同样大小、键是乱抽的改动，改口 {places[random][says]} "
            "个。",
            "A fact can be written: at MLP L1 {places[1_mlp][says]} of {facts} say the new word, "
            "{places[1_mlp][paraphrases]} of {asked} in other phrasings, and of {others} other "
            "facts {places[1_mlp][kept]:.1f} stay on average. As large a change with a drawn "
            "key: {places[random][says]} say it."),
            lambda m: min(m["places"]["1_mlp"]["says"] - 0.75 * m["facts"] + 0.1,
                          m["places"]["1_mlp"]["paraphrases"] - 0.6 * m["asked"],
                          m["places"]["1_mlp"]["kept"] - 0.9 * m["others"],
                          m["places"]["1_mlp"]["says"] - m["places"]["random"]["says"] - 0.5),
            "drawn_key"),
        Claim("brightest_is_worst", T(
            "追踪最亮的地方最不好改：L0 注意力搬得动 {places[0_attn][traced]:.2f}，L1 MLP 只有 "
            "{places[1_mlp][traced]:.2f}；可同样的改法，改在前者，别的事实平均只还对 "
            "{places[0_attn][kept]:.1f} 个，最糟时 {places[0_attn][least_kept]} 个，改在后者 "
            "{places[1_mlp][kept]:.1f} 个。",
            "The brightest place is the worst to edit: attention L0 moves "
            "{places[0_attn][traced]:.2f}, MLP L1 only {places[1_mlp][traced]:.2f}; yet edited "
            "the same way, the first keeps {places[0_attn][kept]:.1f} of the other facts on "
            "average, {places[0_attn][least_kept]} in the worst edit, the second "
            "{places[1_mlp][kept]:.1f}."),
            lambda m: min(m["places"]["0_attn"]["traced"]
                          - max(m["places"][n]["traced"] for n in OTHERS),
                          min(m["places"][n]["kept"] for n in OTHERS)
                          - m["places"]["0_attn"]["kept"],
                          m["places"]["1_mlp"]["kept"] - m["places"]["0_attn"]["kept"]
                          - m["others"] / 12,
                          m["places"]["0_attn"]["kept"] + 0.1
                          - m["places"]["0_attn"]["least_kept"]),
            "drawn_key"),
        Claim("who_is_dragged_along", T(
            "谁跟着变？改在 L0 注意力，同一国的别的事错 {places[0_attn][lost_country]} 个，同一关"
            "系的别国错 {places[0_attn][lost_relation]} 个（{facts} 次合计）：那里的键只说“哪国、"
            "问什么”，谁都有一份。改在 L1 MLP 是 {places[1_mlp][lost_country]} 和 "
            "{places[1_mlp][lost_relation]} 个。",
            "Who is dragged along? At attention L0, {places[0_attn][lost_country]} other facts "
            "of the same country and {places[0_attn][lost_relation]} of the same relation go "
            "wrong (over {facts} edits): a key there says only which country and what is asked, "
            "and everyone shares some of it. At MLP L1: {places[1_mlp][lost_country]} and "
            "{places[1_mlp][lost_relation]}."),
            lambda m: min(m["places"]["0_attn"]["lost_country"]
                          - m["places"]["1_mlp"]["lost_country"] - 0.5,
                          m["places"]["0_attn"]["lost_relation"]
                          - m["places"]["1_mlp"]["lost_relation"] - 0.5), "drawn_key"),
        Claim("seeds", T(
            "记录：{record[seeds]} 个种子，各改 {record[facts]} 个事实。追踪都最亮的 L0 注意力："
            "{record[traced_most_is_attention]} 个种子；改在那里别的事实保住最少："
            "{record[kept_least_is_attention]} 个。改在 L1 MLP，{record[rewritten]} 次里改口 "
            "{record[says][1_mlp]} 次，别的事实每个种子平均保住 {record[kept][1_mlp][least]:.1f} "
            "到 {record[kept][1_mlp][most]:.1f} 个；这里用的种子也是这样。",
            "Recorded: {record[seeds]} seeds, {record[facts]} facts each. Attention L0 is traced "
            "brightest in {record[traced_most_is_attention]} and keeps the fewest other facts in "
            "{record[kept_least_is_attention]}. At MLP L1 {record[says][1_mlp]} of "
            "{record[rewritten]} edits say the new word, and by seed "
            "{record[kept][1_mlp][least]:.1f} to {record[kept][1_mlp][most]:.1f} others stay on "
            "average; so it is with the seed shown here."),
            lambda m: min(min(m["record"]["traced_most_is_attention"],
                              m["record"]["kept_least_is_attention"])
                          - 0.8 * m["record"]["seeds"] + 0.1,
                          m["record"]["says"]["1_mlp"] - 0.9 * m["record"]["rewritten"],
                          m["record"]["kept"]["1_mlp"]["least"] - 0.9 * m["others"],
                          m["places"]["1_mlp"]["kept"] - m["places"]["0_attn"]["kept"]),
            "drawn_key"),
    ),
    caveat=T(
        "地图回答“哪里带着国名”，改写要的是“哪里的键只属于这一个事实”，是两个问题。Hase 等（2023"
        "）在大模型里发现：追踪的结果几乎不能预告改哪一层好。这里的改法比 ROME 粗：没有梯度，不问"
        "键的协方差，写的方向就是词向量之差，这偏爱靠近输出的地方。",
        "The map answers where the country is carried; an edit needs a key that belongs to one "
        "fact only: two questions. Hase et al. (2023) found in large models that tracing hardly "
        "predicts which layer to edit. The edit here is cruder than ROME: no gradients, no "
        "covariance of keys, and it writes the difference of two word vectors, which favours "
        "places near the output."),
    questions=(Question(
        T("追踪图最亮的是 L0 注意力。就在那里把一个事实改写掉，会怎样？",
          "The map is brightest at attention L0. Rewrite one fact right there: what happens?"),
        (Option(T("改好了，别的事实几乎不动", "it is rewritten, and hardly anything else changes"),
                lambda m: min(m["places"]["0_attn"]["says"] - m["facts"] / 2,
                              m["places"]["0_attn"]["kept"] - 0.9 * m["others"]),
                T("以为找得到就改得准：最亮的地方就是事实住的地方。",
                  "takes finding for editing: the brightest place as the fact's home.")),
         Option(T("改不动：新词说不出来", "it cannot be done: the new word is not said"),
                lambda m: m["facts"] / 2 - m["places"]["0_attn"]["says"] + 1e-9,
                T("以为离输出远的地方写不进去。写得够长就进得去。",
                  "thinks that what is far from the output cannot be written. A long enough vector "
                  "gets through.")),
         Option(T("改好了，但带错了别的许多事实",
                  "it is rewritten, and many others go wrong with it"),
                lambda m: min(m["places"]["0_attn"]["says"] - m["facts"] / 2,
                              0.9 * m["others"] - m["places"]["0_attn"]["kept"])))),),
    pins={"record.*": RECORD, "example.*": COUNT, "places.*.traced": TRAINED,
          "places.*": COUNT, "*": COUNT},
    notes=T(
        "约 6 分钟。投票前再看一眼第 1 部分的图。争论点：要改一个大模型里的错，先追踪再改，有用吗"
        "？试试 --set 3.facts=12（慢一些），--seed 1 换一批事实。",
        "About 6 minutes. Look at the maps of part 1 again before the vote. The argument: to "
        "correct a large model, does tracing first help? Try --set 3.facts=12 (slower) and "
        "--seed 1 for other facts."),
)


# --- 4. said once, said many ways -------------------------------------------------------

ARMS = {"one": "told_one_way", "several": "told_several_ways"}


def told(seed: int, trained: bool = True, mixed: bool = True) -> Metrics:
    """The same facts, equally often, in one phrasing or in several.

    Nothing is drawn, seed is unused. mixed=False: several is one as well.
    """
    arms: Metrics = {}
    countries: Any = ()
    for arm, name in ARMS.items():
        model, recipe = ready(name if mixed else ARMS["one"], trained)
        arms[arm] = asked_anew(model, recipe)
        countries = recipe.data.world().countries[recipe.data.shown:]
    return {"arms": arms, "countries": len(countries), "kinds": len(ATTRIBUTES),
            "shown": recipe.data.shown,
            "facts": arms["one"]["facts"],
            "example": {"told": statement_text(countries[0], "capital", 0),
                        "asked": statement_text(countries[0], "capital", -1)},
            "record": many_tellings()}


def asked_anew(model: GPT, recipe: Recipe) -> Metrics:
    """What one training says in its first phrasing and in an unused one."""
    data, nations = recipe.data, recipe.data.world().countries
    tok = tokenizer(data.world())
    groups = {"shown": nations[:data.shown], "others": nations[data.shown:]}

    def right_in(group: str, form: int) -> int:
        return sum(is_right(model, tok, [
            f"{DOC} {statement_text(c, a, form)}"
            for c in groups[group] for a in ATTRIBUTES]))

    of_one = [d for d in data.documents() if d.country == nations[-1].name]
    return {"phrasings": len({d.form for d in of_one}), "documents": len(of_one),
            "facts": len(groups["others"]) * len(ATTRIBUTES),
            "known": right_in("others", 0), "unseen": right_in("others", -1),
            "shown": {"facts": len(groups["shown"]) * len(ATTRIBUTES),
                      "right": right_in("shown", -1) if data.shown else 0}}


def many_tellings() -> Metrics:
    """The same trainings from other seeds: a record."""
    found = records.read("fact_seeds")
    unseen = {arm: [r["unseen"] for r in found[name]] for arm, name in ARMS.items()}
    return {"seeds": len(unseen["one"]),
            "known": min(r["known"] for name in ARMS.values() for r in found[name]),
            "several_better": sum(a < b for a, b in zip(unseen["one"], unseen["several"],
                                                        strict=True)),
            "unseen": {arm: {"least": min(v), "mean": float(np.mean(v)), "most": max(v)}
                       for arm, v in unseen.items()}}


ARM_NAMES = {"one": T("一种说法", "one phrasing"), "several": T("几种说法", "several phrasings")}


def show_told(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "两份语料，{countries} 国同样的事实，次数也一样：一份每个事实总用同一种说法，另一份换着说"
        "。然后用一种没对这些国家用过的说法来问；另外 {shown} 国两份都用全了所有说法，所以那种说"
        "法本身它们见过。学的是“{example[told]}”，问的是“{example[asked]}”（去掉最后的答案）。",
        "Two corpora, the same facts about {countries} countries, equally often: one always says "
        "a fact the same way, the other in turn. Then both are asked in a phrasing never used "
        "for these countries; {shown} others are told in every phrasing in both, so the phrasing "
        "itself has been seen. Learned: “{example[told]}”; asked: “{example[asked]}” (without "
        "the answer at its end)."))
    yield Table(
        (Column(T("语料", "corpus")), Column(T("说法", "phrasings"), "d"),
         Column(T("篇", "documents"), "d"), Column(T("事实", "facts"), "d"),
         Column(T("学过的说法", "known phrasing"), "d"),
         Column(T("没用过的说法", "unseen phrasing"), "d")),
        [[ARM_NAMES[arm], a["phrasings"], a["documents"], a["facts"], a["known"], a["unseen"]]
         for arm, a in m["arms"].items()],
        title=T("每国 {kinds} 个事实；答对几个", "{kinds} facts a country; right answers"),
        legend=T("说法、篇：每国。", "phrasings, documents: for one country."))


def gap(m: Any) -> float:
    """How many more facts several phrasings give in an unused one, as a share."""
    more = m["arms"]["several"]["unseen"] - m["arms"]["one"]["unseen"]
    return float(more / m["facts"])


TOLD = Part(
    number=4, key="told",
    title=T("一种说法，几种说法", "Said one way, said many ways"),
    compute=told, describe=show_told, recipes=tuple(ARMS.values()),
    controls={"untrained": partial(told, trained=False),
              "one_corpus": partial(told, mixed=False)},
    claims=(
        Claim("both_know", T(
            "用学过的说法问，两个模型都会：{facts} 个事实答对 {arms[one][known]} 个和 "
            "{arms[several][known]} 个。",
            "Asked as they were told, both know: {arms[one][known]} and {arms[several][known]} of "
            "{facts} facts."),
            lambda m: min(m["arms"]["one"]["known"], m["arms"]["several"]["known"])
            - 0.95 * m["facts"], "untrained"),
        Claim("several_ways", T(
            "换一种没用过的说法，只听过 {arms[one][phrasings]} 种说法的答对 {arms[one][unseen]} "
            "个，听过 {arms[several][phrasings]} 种的答对 {arms[several][unseen]} 个；每个国家都"
            "是 {arms[one][documents]} 篇和 {arms[several][documents]} 篇，一样多。不是那种说法难"
            "：也用它说过的另外那些国家，{arms[one][shown][facts]} 个对 "
            "{arms[one][shown][right]} 个。",
            "In a phrasing not used before, the one that heard {arms[one][phrasings]} phrasing "
            "gets {arms[one][unseen]}, the one that heard {arms[several][phrasings]} gets "
            "{arms[several][unseen]}; {arms[one][documents]} and {arms[several][documents]} "
            "documents a country, equally many. It is not that phrasing: for the other "
            "countries, told in it too, {arms[one][shown][right]} of {arms[one][shown][facts]} "
            "are right."),
            lambda m: min(gap(m) - 0.15,
                          m["arms"]["one"]["shown"]["right"]
                          - 0.9 * m["arms"]["one"]["shown"]["facts"],
                          0.5 - abs(m["arms"]["one"]["documents"]
                                    - m["arms"]["several"]["documents"])),
            "one_corpus"),
        Claim("seeds", T(
            "换种子重训（记录，{record[seeds]} 个）：说法多的更会答的有 {record[several_better]} "
            "个。没用过的说法，一种的平均答对 {record[unseen][one][mean]:.1f}（"
            "{record[unseen][one][least]} 到 {record[unseen][one][most]}），几种的 "
            "{record[unseen][several][mean]:.1f}（{record[unseen][several][least]} 到 "
            "{record[unseen][several][most]}）。这里用的种子也在其中。",
            "Trained from other seeds (recorded, {record[seeds]}): several phrasings do better "
            "in {record[several_better]}. In the unused phrasing one gets "
            "{record[unseen][one][mean]:.1f} on average ({record[unseen][one][least]} to "
            "{record[unseen][one][most]}), several {record[unseen][several][mean]:.1f} "
            "({record[unseen][several][least]} to {record[unseen][several][most]}). The seed "
            "shown here is one of them."),
            lambda m: min(m["record"]["several_better"] - 0.8 * m["record"]["seeds"] + 0.1,
                          m["record"]["unseen"]["several"]["mean"]
                          - m["record"]["unseen"]["one"]["mean"] - 0.1 * m["facts"],
                          gap(m)), "one_corpus"),
    ),
    caveat=T(
        "一种说法的也答对不少：别的国家的例子教会它新说法和旧说法说的是一回事。Allen-Zhu 和 Li（"
        "2023）的模型大得多，说法是整篇传记的改写，差别也大得多。这里的几种说法都很短，共用许多词"
        "。",
        "One phrasing does not fail altogether: the other countries teach that the new phrasing "
        "means what the old one does. In Allen-Zhu and Li (2023) the models are far larger, the "
        "phrasings are rewritten biographies, and the difference is larger too. The phrasings "
        "here are short and share many words."),
    questions=(Question(
        T("同样的次数：一种说法一直重复，或几种说法轮着来。换一种没用过的说法，谁答得出更多？",
          "Equally often: one phrasing again and again, or several in turn. Asked in a phrasing "
          "not used before, who answers more?"),
        (Option(T("一样：次数一样", "the same: the facts were said equally often"),
                lambda m: 0.1 - abs(gap(m)),
                T("以为记住只看次数。", "thinks that only the number of times counts.")),
         Option(T("一种说法的：记得更牢", "one phrasing: it is learned more firmly"),
                lambda m: -gap(m) - 0.1,
                T("以为背得熟就用得活。背熟的是那句话。",
                  "takes knowing it by heart for being able to use it. What is known by heart is "
                  "the sentence.")),
         Option(T("几种说法的", "several phrasings"), lambda m: gap(m) - 0.1))),),
    pins={"record.unseen.*.mean": close("a record"), "record.*": RECORD, "*": COUNT},
    notes=T(
        "约 5 分钟。先把两份语料各念一句，再投票。争论点：给大模型补一条新知识，一篇文章够吗？（"
        "Allen-Zhu 和 Li 2023：同一件事换着说，才取得出来。）",
        "About 5 minutes. Read one line of each corpus, then vote. The argument: to teach a "
        "large model one new fact, is one article enough? (Allen-Zhu and Li 2023: what is said "
        "in several ways can be got out.)"),
)

PARTS: tuple[Part, ...] = (REVERSAL, LOOK_UP, ABLATION, EDIT, TOLD)
