"""The search behind demo 14: read, forbid, move, exchange, rewrite, and say more often.

What is done to the models is in lecture/lab/edit; here it is aimed, and set beside the same
thing done to another name, country, place or key. Part 0 asks both ways, part 1 follows the
answers, part 2 takes branches away, part 3 writes facts over, part 4 compares trainings on
the same facts. Each part's functions many_* read the same from a record of other seeds.

Longer than 450 lines because five parts share little beside the country model, and each
brings its record.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from lecture import records
from lecture.lab.edit import (
    alone,
    answers_blind,
    answers_everywhere,
    answers_without,
    branches,
    completed,
    dealt,
    edits,
    lens,
    moved,
    probed,
    right_without_enrichment,
    sheet,
    target,
)
from lecture.lab.probes import questions, right
from lecture.models.gpt_np import GPT, ready
from lecture.models.recipes import BACKWARD, Recipe
from lecture.report import Metrics
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
BRANCHES = {"0_attn": "attn0", "0_mlp": "mlp0", "1_attn": "attn1", "1_mlp": "mlp1"}
SETS = BRANCHES | {"all_mlp": "mlp"}     # both attentions: known by construction


# --- 0. one fact, two directions ----------------------------------------------

def two_ways(seed: int, swapped: bool = False, shift: int = 0) -> Metrics:
    """Capitals asked for from the country, and countries from the capital.

    Nothing is drawn, seed is unused. swapped: the countries told both ways
    stand where the others should; shift: the name that many places on is
    ranked in place of the right one.

    Leaves:
      countries told_back phrasings asked forward[n] forward_right chance
      example.{forward,back}
      back.{told,not_told}.{right,prompts,says_told,rank,next_rank,
        stood}  stood: how many of its names end a sentence in training
      record.{seeds,place,best,worst,runs[5].{forward,told,not_told,rank}}
    """
    model, recipe = ready("capitals")
    found = both_directions(model, recipe, swapped, shift)
    one = recipe.data.world().countries[0]
    shown = {"a": one.capital, "c": one.name}
    return {**found, "chance": (recipe.data.told_back + 1) / 2,
            "example": {"forward": STATEMENTS["capital"][0].format(**shown),
                        "back": BACKWARD[0].format(**shown)},
            "record": many_directions(recipe.seed, shift)}


REVERSAL_CONTROLS: dict[str, Any] = {
    "groups_swapped": partial(two_ways, swapped=True),
    "another_name": partial(two_ways, shift=1),
}


def both_directions(model: GPT, recipe: Recipe, swapped: bool = False,
                    shift: int = 0) -> Metrics:
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
    ends = {d.words[-2] for d in recipe.data.documents()}       # "… NAME ."
    return {"countries": len(nations), "told_back": told_back,
            "phrasings": len(forms), "asked": len(forms) * len(nations),
            "forward": forward, "forward_right": sum(forward),
            "back": {g: {**backward(model, tok, some, names[g], names["told"], shift),
                         "stood": sum(c.name in ends for c in some)}
                     for g, some in groups.items()}}


def backward(model: GPT, tok: Tokenizer, group: Any, names: list[int],
             told_names: list[int], shift: int = 0) -> Metrics:
    """A group of countries, each asked for from its capital.

    rank: of the right name among the group's; next_rank: of the next one's.
    """
    logits, answers = completed(model, tok, [
        f"{DOC} {text.format(a=c.capital, c=c.name)}"
        for text in BACKWARD for c in group])                   # [2 x 12, V]
    said, among = logits.argmax(-1), logits[:, names]           # [24], [24, 12]
    own = np.tile(np.arange(len(names)), len(BACKWARD))         # [24]

    def rank(of: Array) -> float:
        score = np.take_along_axis(among, of[:, None] % len(names), 1)
        return float(1 + (among > score).sum(1).mean())

    return {"right": int((said == answers).sum()), "prompts": len(answers),
            "says_told": int(np.isin(said, told_names).sum()),
            "rank": rank(own + shift), "next_rank": rank(own + 1)}


def is_right(model: GPT, tok: Tokenizer, sentences: list[str]) -> list[bool]:
    """Is the last word of each sentence what the model would say there?"""
    logits, answers = completed(model, tok, sentences)
    return (logits.argmax(-1) == answers).tolist()


def many_directions(shown: int, shift: int = 0) -> Metrics:
    """The same training from other seeds, a record; place: the shown one's."""
    rank = "next_rank" if shift else "rank"
    runs = [{"forward": r["forward_right"], "told": r["back"]["told"]["right"],
             "not_told": r["back"]["not_told"]["right"],
             "rank": r["back"]["not_told"][rank]}
            for r in records.read("fact_seeds")["capitals"]]
    ranks = [r["rank"] for r in runs]
    return {"seeds": len(runs), "runs": runs, "best": min(ranks), "worst": max(ranks),
            "place": 1 + sum(r < ranks[shown] for r in ranks)}


# --- 1. look-up, step by step -------------------------------------------------

STAGES = ("start", "attn0", "mlp0", "attn1", "mlp1")
PATCHED = {"0_in": "before", "0_out": "after0", "1_out": "after1", **BRANCHES}


def follow(relation: str, seed: int, elsewhere: bool = False,
           third: bool = False, dealt_anew: bool = False,
           hidden: str = "country") -> Metrics:
    """Read early, probe, forbid looks, move states between two runs.

    elsewhere: reads the country's place for the last and the last for it;
    third: moves in the states of a country nobody asks about; dealt_anew:
    the probe learns answers dealt anew; hidden: words hidden for the country.

    Leaves:
      questions right countries fitted chance relation prompt answer
      stages.{start,attn0,mlp0,attn1,mlp1}.{last,country}.{lens,probe}
      made.{attention,mlp}  readable questions gained at the last place
      dealt  the probe at the country, at the start, with answers dealt anew
      blind.{layer_0,layer_1}.{country,relation,others}  right answers
      without_enrichment  the same; no MLP writes where the country stands
      moved.{country,last}.{before,after0,after1,attn0,mlp0,attn1,mlp1}
      record.{seeds,mlps_make_more,fetched,cut.{first,second},
        {probe,probe_last}.{least,most}}  probe_last: at the last, attn0
    """
    model, recipe = ready("base")
    world, rng = recipe.data.world(), np.random.default_rng(seed)
    tok = tokenizer(world)
    q = questions(world, tok)                                   # 96
    trace = model.run(q.ids, trace=True).trace
    strange, first = dealt(q, rng), RELATIONS.index(relation)
    early = lens(model, q, trace)
    probes = probed(model, q, trace, strange if dealt_anew else None)
    read = {stage: {where: {"lens": a[where], "probe": b[where]}
                    for where in ("last", "country")}
            for stage, a, b in zip(STAGES, early, probes, strict=True)}
    if elsewhere:
        read = {s: dict(zip(r, reversed(r.values()), strict=True))
                for s, r in read.items()}
    step = np.diff([r["last"]["lens"] for r in read.values()])  # [4]
    places = moved(model, q, relation, third=third)
    sight = answers_blind(model, q)
    words = tok.decode(q.ids[first, :q.last[first] + 1])
    return {
        "questions": len(q.ids), "right": right(model, q),
        "countries": len(world.countries), "fitted": len(world.countries) - 1,
        "chance": len(q.ids) / len(world.countries),
        "relation": relation, "prompt": words,
        "answer": tok.itos[q.answers[first]],
        "stages": read, "made": {"attention": int(step[0] + step[2]),
                                 "mlp": int(step[1] + step[3])},
        "dealt": probed(model, q, trace, strange)[0]["country"],
        "blind": {layer: {**cells, "country": cells[hidden]}
                  for layer, cells in sight.items()},
        "without_enrichment": right_without_enrichment(
            model, q, q.last if elsewhere else q.country),
        "moved": {where: {name: places[key][where]
                          for key, name in PATCHED.items()}
                  for where in ("country", "last")},
        "record": many_lookups(elsewhere, hidden)}


LOOK_UP_CONTROLS: dict[str, Any] = {
    "other_place": partial(follow, elsewhere=True),
    "third_country": partial(follow, third=True),
    "answers_dealt": partial(follow, dealt_anew=True),
    "other_words": partial(follow, hidden="relation"),
}


def many_lookups(elsewhere: bool = False, hidden: str = "country") -> Metrics:
    """The same of other trainings of `base`: a record."""
    runs = records.read("edit_seeds")["runs"]
    steps = [np.diff([s["country" if elsewhere else "last"] for s in r["lens"]])
             for r in runs]
    probe = [r["probe"][0]["last" if elsewhere else "country"] for r in runs]
    last = [r["probe"][1]["country" if elsewhere else "last"] for r in runs]
    return {"seeds": len(runs),
            "mlps_make_more": sum(int(s[1] + s[3] > s[0] + s[2]) for s in steps),
            "cut": {"first": max(r["blind"]["layer_0"][hidden] for r in runs),
                    "second": min(r["blind"]["layer_1"][hidden] for r in runs)},
            "probe": {"least": min(probe), "most": max(probe)},
            "probe_last": {"least": min(last), "most": max(last)},
            "fetched": min(r["moved"][name]["0_attn"]["last"]
                           for r in runs for name in RELATIONS)}


# --- 2. MLP or attention ------------------------------------------------------

def take_away(seed: int, back: int = 0, one_layer: bool = False) -> Metrics:
    """Each branch silenced or exchanged at the answer's place, new phrasing.

    Nothing is drawn, seed is unused. back: as many places before it;
    one_layer: the record of both MLPs is that of the last one alone.

    Leaves:
      questions right no_mlp  right answers; no_mlp: at no place
      without.{attn0,mlp0,attn1,mlp1,mlp}.{{zero,mean}.{right,
        other_country,other_fact,neither,else},{country,question}.
        {right,follow}}  country, question: given the next one's output
      wrong.{other_country,other_fact,neither}.{count,words,per_word}
      record.{seeds,mean_leaves_more,follow,{zero,asks}.{least,most},
        attention_1_loses.{least,most}}  asks: attn1.question.follow
    """
    model, recipe = ready("base")
    world = recipe.data.world()
    q = questions(world, tokenizer(world), form=-1)             # 96
    trace = model.run(q.ids, trace=True).trace
    found = answers_without(model, q, trace, back)
    without = {name: found[key] for key, name in SETS.items()}
    countries, relations = len(world.countries), len(RELATIONS)
    words = {"other_country": countries - 1, "other_fact": relations - 1,
             "neither": (countries - 1) * (relations - 1)}
    wrong = without["mlp0"]["zero"]
    return {"questions": len(q.ids), "right": right(model, q),
            "without": without,
            "no_mlp": answers_everywhere(model, q)["mlp"],
            "wrong": {kind: {"count": wrong[kind], "words": n,
                             "per_word": wrong[kind] / n}
                      for kind, n in words.items()},
            "record": many_ablations(one_layer)}


ABLATION_CONTROLS: dict[str, Any] = {
    "place_before": partial(take_away, back=1),
    "one_layer": partial(take_away, one_layer=True),
}


def many_ablations(one_layer: bool = False) -> Metrics:
    """The same of other trainings of `base`: a record."""
    runs = records.read("edit_seeds")["runs"]

    def left(name: str, how: str) -> list[int]:
        return [r["ablation"][name][how]["right"] for r in runs]

    asked, zero = runs[0]["questions"], left("1_attn", "zero")
    asks = [r["ablation"]["1_attn"]["question"]["follow"] for r in runs]
    return {"seeds": len(runs),
            "follow": min(r["ablation"]["1_mlp" if one_layer else "all_mlp"]
                          ["country"]["follow"] for r in runs),
            "zero": {"least": min(left("all_mlp", "zero")),
                     "most": max(left("all_mlp", "zero"))},
            "asks": {"least": min(asks), "most": max(asks)},
            "mean_leaves_more": sum(z < m for z, m in zip(
                left("1_mlp", "zero"), left("1_mlp", "mean"), strict=True)),
            "attention_1_loses": {"least": asked - max(zero),
                                  "most": asked - min(zero)}}


# --- 3. edit one fact ---------------------------------------------------------

WRITTEN = {**{key.replace("_", "."): name for key, name in BRANCHES.items()},
           **{key: key for key in ("whitened", "key_country", "key_question")}}


def rewrite(facts: int, seed: int, foreign: bool = False,
            elsewhere: bool = False, plain: bool = False) -> Metrics:
    """Write some facts over, each at four branches, and ask about all facts.

    foreign: every edit is made as large, with the next country's key;
    elsewhere: what is told of attention L0 is done at MLP L1, and the other
    way round; plain: no key is whitened.

    Leaves:
      facts asked others questions example.{question,old,new}
      places.{attn0,mlp0,attn1,mlp1,whitened,key_country,key_question}.
        {recovery,says,paraphrases,kept,
        lost.{country,relation,neither}}  lost: shares of each kind of fact
      record.{seeds,rewritten,says,other_key.{edits,says},brightest,
        fewest,white_fewest}
    """
    model, recipe = ready("base")
    world, rng = recipe.data.world(), np.random.default_rng(seed)
    tok = tokenizer(world)
    s = sheet(model, world)
    q = s.forms[0]
    rows = [int(i) for i in rng.permutation(len(q.ids))[:facts]]
    found = edits(model, s, rows, branches(model.cfg), foreign)
    if plain:
        found |= {"whitened": found["0.attn"]}
    if elsewhere:
        found |= {"0.attn": found["1.mlp"], "1.mlp": found["0.attn"]}
    traced = moved(model, q, RELATIONS[rows[0] % len(RELATIONS)])
    one = rows[0]
    return {"facts": len(rows), "asked": len(rows) * (len(s.forms) - 1),
            "others": len(q.ids) - 1, "questions": len(q.ids),
            "example": {"question": tok.decode(alone(q, one).ids[0, 5:-2]),
                        "old": tok.itos[q.answers[one]],
                        "new": tok.itos[target(q, one)]},
            "places": {name: {
                "recovery": traced.get(key.replace(".", "_"), {}).get("last"),
                **summed(found[key], len(world.countries))}
                for key, name in WRITTEN.items()},
            "record": many_edits(elsewhere)}


def summed(e: Metrics, countries: int) -> Metrics:
    """An entry of `edits`: the facts lost, as shares of their kind."""
    n, others, relations = e["edits"], countries - 1, len(RELATIONS) - 1
    return {"says": e["says"], "paraphrases": e["paraphrases"], "kept": e["kept"] / n,
            "lost": {"country": e["lost_country"] / (n * relations),
                     "relation": e["lost_relation"] / (n * others),
                     "neither": e["lost_neither"] / (n * others * relations)}}


EDIT_CONTROLS: dict[str, Any] = {
    "other_key": partial(rewrite, foreign=True),
    "other_branch": partial(rewrite, elsewhere=True),
    "not_whitened": partial(rewrite, plain=True),
}


def many_edits(elsewhere: bool = False) -> Metrics:
    """The same edits in other trainings of `base`: a record."""
    runs = records.read("edit_seeds")["runs"]
    each = runs[0]["edits"]["0.attn"]["edits"]
    names = [key.replace("_", ".") for key in BRANCHES]
    kept = {name: [r["edits"][name]["kept"] / each for r in runs]
            for name in (*names, "whitened")}
    traced = [{n: np.mean([r["moved"][rel][n.replace(".", "_")]["last"]
                           for rel in RELATIONS]) for n in names} for r in runs]

    def fewest(rival: str) -> int:
        same = {rival, "0.attn"} if rival == "whitened" else {rival}
        return sum(all(kept[rival][i] < kept[n][i] for n in names if n not in same)
                   for i in range(len(runs)))

    return {"seeds": len(runs), "rewritten": each * len(runs),
            "says": sum(r["edits"]["1.mlp"]["says"] for r in runs),
            "other_key": {leaf: sum(r["edits"][f"key_{k}"][leaf] for r in runs
                                    for k in ("country", "question"))
                          for leaf in ("edits", "says")},
            "brightest": sum(max(t, key=lambda n: t[n]) == "0.attn" for t in traced),
            "fewest": fewest("1.mlp" if elsewhere else "0.attn"),
            "white_fewest": fewest("whitened")}


# --- 4. said once, said many ways ---------------------------------------------

ARMS = {"one": "told_one_way", "several": "told_several_ways"}
WAYS = ("first", "second", "third")                 # phrasings, each alone


def told(seed: int, mixed: bool = True, shifted: bool = False) -> Metrics:
    """The same facts, equally often, in one phrasing or in several.

    Nothing is drawn, seed is unused. mixed=False: several is one as well;
    shifted: how near a phrasing is, is measured to another relation's.

    Leaves:
      arms.{one,several}.{phrasings,documents,  of one country
        facts,known,unseen,shown.{facts,right},
        by.{capital,language,leader,known_for,currency}}
      countries kinds shown facts example.{told,asked}
      ways.{capital,language,leader,known_for,currency}.
        {first,second,third,several}  recorded means
      near.{capital,language,leader,known_for,currency}.
        {first,second,third}  pairs of neighbouring words shared
      near_mean far_mean  of ways: the nearest phrasings, and the others
      total.{first,second,third,several,best} as_good  relations
      record.{seeds,known,several_better,runs[5].{first,second,third,several}}
    """
    arms: Metrics = {}
    countries: Any = ()
    for arm, name in ARMS.items():
        model, recipe = ready(name if mixed else ARMS["one"])
        arms[arm] = asked_anew(model, recipe)
        countries = recipe.data.world().countries[recipe.data.shown:]
    return {"arms": arms, "countries": len(countries), "kinds": len(ATTRIBUTES),
            "shown": recipe.data.shown, "facts": arms["one"]["facts"],
            "example": {"told": statement_text(countries[0], "capital", 0),
                        "asked": statement_text(countries[0], "capital", -1)},
            **by_phrasing(mixed, shifted), "record": many_tellings(mixed)}


TOLD_CONTROLS: dict[str, Any] = {
    "one_corpus": partial(told, mixed=False),
    "other_relation": partial(told, shifted=True),
}


def asked_anew(model: GPT, recipe: Recipe) -> Metrics:
    """What one training says as it was told and in an unused phrasing."""
    data, nations = recipe.data, recipe.data.world().countries
    tok = tokenizer(data.world())
    groups = {"shown": nations[:data.shown], "others": nations[data.shown:]}

    def right_in(group: str, form: int) -> dict[str, int]:
        return {a: sum(is_right(model, tok, [f"{DOC} {statement_text(c, a, form)}"
                                             for c in groups[group]]))
                for a in ATTRIBUTES}

    of_one = [d for d in data.documents() if d.country == nations[-1].name]
    unseen = right_in("others", -1)
    return {"phrasings": len({d.form for d in of_one}), "documents": len(of_one),
            "facts": len(groups["others"]) * len(ATTRIBUTES),
            "known": sum(right_in("others", data.first).values()),
            "unseen": sum(unseen.values()), "by": unseen,
            "shown": {"facts": len(groups["shown"]) * len(ATTRIBUTES),
                      "right": sum(right_in("shown", -1).values())}}


def arms_of(mixed: bool = True) -> dict[str, list[Metrics]]:
    """The recorded runs of each phrasing alone and of all three."""
    found = records.read("fact_seeds")
    arms = {way: found[name] for way, name in zip(
        WAYS, (ARMS["one"], "told_second_way", "told_third_way"), strict=True)}
    return {**arms, "several": found[ARMS["several"] if mixed else ARMS["one"]]}


def by_phrasing(mixed: bool = True, shifted: bool = False) -> Metrics:
    """Each relation: told in one phrasing alone, or in all three; a record."""
    arms, asked = arms_of(mixed), dict(zip(ATTRIBUTES, ATTRIBUTES, strict=True))
    if shifted:
        asked = dict(zip(ATTRIBUTES, (*ATTRIBUTES[1:], ATTRIBUTES[0]), strict=True))
    ways = {a: {way: float(np.mean([r["by"][a] for r in runs]))
                for way, runs in arms.items()} for a in ATTRIBUTES}
    near = {a: {way: shared(STATEMENTS[a][form], STATEMENTS[asked[a]][-1])
                for form, way in enumerate(WAYS)} for a in ATTRIBUTES}
    ranked: dict[bool, list[float]] = {True: [], False: []}
    for a in ATTRIBUTES:
        for way in WAYS:
            ranked[near[a][way] == max(near[a].values())].append(ways[a][way])
    best = {a: max(ways[a][way] for way in WAYS) for a in ATTRIBUTES}
    return {"ways": ways, "near": near, "near_mean": float(np.mean(ranked[True])),
            "far_mean": float(np.mean(ranked[False])),
            "total": {**{way: sum(ways[a][way] for a in ATTRIBUTES) for way in arms},
                      "best": sum(best.values())},
            "as_good": sum(best[a] > ways[a]["several"] - 0.5 for a in ATTRIBUTES)}


def shared(one: str, other: str) -> int:
    """How many pairs of neighbouring words two phrasings share."""
    pairs = [set(zip(text.split(), text.split()[1:], strict=False))
             for text in (one, other)]
    return len(pairs[0] & pairs[1])


def many_tellings(mixed: bool = True) -> Metrics:
    """The same trainings from other seeds: a record."""
    arms = arms_of(mixed)
    runs = [{way: arms[way][i]["unseen"] for way in arms}
            for i in range(len(arms["several"]))]
    return {"seeds": len(runs), "runs": runs,
            "known": min(r["known"] for some in arms.values() for r in some),
            "several_better": sum(r["several"] > max(r[w] for w in WAYS) for r in runs)}
