"""The search behind demo 14: read, forbid, move, remove, rewrite, and say more often.

What is done to the models is in lecture/lab/edit; here it is aimed, and set beside changes of
the same size in a drawn direction. Part 0 asks both ways, part 1 follows one question, part 2
takes branches away, part 3 writes facts over, part 4 compares two trainings on the same
facts. Each part's functions many_* read the same from a record of other seeds.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from attention_np import softmax
from lecture import records
from lecture.lab.edit import (
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
from lecture.lab.probes import Questions, questions, right
from lecture.models.gpt_np import GPT, cut_edge, ready
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


# --- 0. one fact, two directions ----------------------------------------------

def two_ways(seed: int, trained: bool = True, swapped: bool = False) -> Metrics:
    """Capitals asked for from the country, and countries from the capital.

    Nothing is drawn, seed is unused. swapped: the countries told both ways
    stand where the others should.

    Leaves:
      countries told_back phrasings asked forward[n] forward_right
      back.{told,not_told}.{right,prompts,says_told,p_right,p_wrong}
      record.{seeds,forward,told,not_told}  the least; not_told: the most
    """
    model, recipe = ready("capitals", trained)
    found = both_directions(model, recipe, swapped)
    return {**found, "record": many_directions()}


REVERSAL_CONTROLS: dict[str, Any] = {
    "untrained": partial(two_ways, trained=False),
    "groups_swapped": partial(two_ways, swapped=True),
}


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


# --- 1. look-up, step by step -------------------------------------------------

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
    """Read early, forbid looks, move states between two runs.

    Leaves:
      questions right pairs relation words[T] numbered country_at answer_at
      lens[5].{stage,last,sure,country}  right answers, read at that place
      blind.{layer_0,layer_1}.{country,relation,others}  right answers
      drawn_edge without_enrichment  the same; no MLP where the country stands
      maps.{stream[3,T],{attention,mlp}[2,T]}  1: gone over to the other answer
      moved.{country_before,country_after,answer_after,mlp_at_country,
        {attention,mlp}[2]}
      identity everything drawn same_country.{share,defined}
      record.{seeds,without_enrichment,at_country,first_mlp_adds_most,fetched,
        cut.{first,second},lens[5].{least,most}}
    """
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


LOOK_UP_CONTROLS: dict[str, Any] = {
    "untrained": partial(follow, trained=False),
    "givers_swapped": partial(follow, swapped=True),
    "country_in_sight": partial(follow, aimed=False),
}


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


# --- 2. MLP or attention ------------------------------------------------------

def take_away(seed: int, trained: bool = True, really: bool = True) -> Metrics:
    """Each branch removed at the answer's place, on a phrasing never trained.

    really=False: nothing is removed, a drawn vector of the same size is added.

    Leaves:
      questions right road_cut everywhere.{attn,mlp}  right answers
      without.{0,1,all}_{attn,mlp}.{zero,mean,push}.{right,other_country,
        other_fact,else}
      lost.{zero,mean,push}  without the last MLP
      record.{seeds,attention_hurts_more,mean_loses_less,
        most_left_without_attention,
        {without_mlps,attention_1_loses}.{least,most}}
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


ABLATION_CONTROLS: dict[str, Any] = {
    "untrained": partial(take_away, trained=False),
    "pushed_instead": partial(take_away, really=False),
}


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


# --- 3. edit one fact ---------------------------------------------------------

OTHERS = ("0_mlp", "1_attn", "1_mlp")       # places beside the first attention


def rewrite(facts: int, seed: int, own_key: bool = True) -> Metrics:
    """Write some facts over, each at four branches, and ask about all facts.

    own_key=False: every edit is made as large, with a drawn key.

    Leaves:
      facts asked others questions example.{question,old,new}
      places.{{0,1}_{attn,mlp},random}.{traced,size,says,paraphrases,
        kept,least_kept,lost_country,lost_relation}
      record.{seeds,facts,rewritten,says.{{0,1}_{attn,mlp},random},
        kept.{{0,1}_{attn,mlp},random}.{least,most},
        traced_most_is_attention,kept_least_is_attention}
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


EDIT_CONTROLS: dict[str, Any] = {
    "drawn_key": partial(rewrite, own_key=False),
}


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


# --- 4. said once, said many ways ---------------------------------------------

ARMS = {"one": "told_one_way", "several": "told_several_ways"}


def told(seed: int, trained: bool = True, mixed: bool = True) -> Metrics:
    """The same facts, equally often, in one phrasing or in several.

    Nothing is drawn, seed is unused. mixed=False: several is one as well.

    Leaves:
      arms.{one,several}.{phrasings,documents,  of one country
        facts,known,unseen,shown.{facts,right}}  right: as told; as never told
      countries kinds shown facts example.{told,asked}
      record.{seeds,known,several_better,unseen.{one,several}.{least,mean,most}}
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


TOLD_CONTROLS: dict[str, Any] = {
    "untrained": partial(told, trained=False),
    "one_corpus": partial(told, mixed=False),
}


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
