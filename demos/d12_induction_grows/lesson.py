"""The circuit behind demo 12: scores of heads, and what is right after a cut.

What growing means is in lecture/lab/growth, the scores in lecture/lab/heads; here each part
takes shipped models, fresh rows and a record. The order: a history and its jump; every head
beside those set by hand; copiers without positions; heads and single looks cut; the country
model with repeats mixed in; one layer whose score is high and which cannot copy.

Longer than 450 lines because of six parts, each with cuts or a shuffle of its own and a
count over recorded trainings.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from attention_np import HandBuiltInduction
from lecture import records
from lecture.lab import growth
from lecture.lab.heads import (
    copying_score,
    induction_targets,
    prefix_matching_score,
    previous_token_score,
    weight_on,
)
from lecture.lab.probes import NAMES_IN_COPY, copied, copy_pool, questions, right
from lecture.models import recipes
from lecture.models.gpt_np import GPT, combine, ready, zero_head
from lecture.models.recipes import Recipe
from lecture.report import Metrics

Array = np.ndarray
START = 0                                       # the id of the start token


def fresh(recipe: Recipe, seed: int, **sizes: int) -> tuple[Array, Array]:
    """Rows no training has seen: ids [n, T], copy [n, T-1]."""
    return growth.rows(recipe, growth.EVAL_SEED + seed, **sizes)


def highest(table: list[list[float]]) -> float:
    """The best head's score."""
    return float(max(max(row) for row in table))


def spread(values: list[float]) -> Metrics:
    return {"low": min(values), "high": max(values)}


# --- 1. it grows --------------------------------------------------------------

def watched(runs: list[Metrics]) -> Metrics:
    """Where the jump lies over the seeds, and which score is first."""
    jumps = [growth.jump(r["history"]) for r in runs]

    def reached(run: Metrics, score: str) -> int | None:
        steps = [h["step"] for h in run["history"] if h[score] >= 0.5]
        return steps[0] if steps else None

    looks = [reached(r, "previous") for r in runs]
    matches = [reached(r, "matching") for r in runs]
    half: list[Any] = [j["half_right"] for j in jumps]
    known = None not in looks + matches + half
    together: list[Any] = [a - b for a, b in zip(looks, matches, strict=True)
                           if a is not None and b is not None]
    return {"seeds": len(runs), "window": growth.WINDOW,
            "half": spread(half) if known else {"low": None, "high": None},
            "share": spread([j["share"] for j in jumps]),
            "early": spread([j["early"] for j in jumps]),
            "matching_first": (sum(gap > 0 for gap in together) if known
                               else 0),
            "gap": spread(together) if known else {"low": None,
                                                   "high": None}}


def grow(seed: int, two: str = "grows", trained: bool = True,
         one: str = "grows_one_layer") -> Metrics:
    """The shipped models now, and the recorded histories of many.

    Leaves:
      names shortest longest words width heads_each steps rows every
      now.{two,one,untrained}.{loss,first_list,right,in_context,
        {previous,matching}[layers,2]}  [layer, head]
      history[n].{step,loss,right,in_context,first_list,previous,matching}
      curve.{step,two,one,previous,matching}[n]
      heads.{step,{previous,matching}_{0_0,0_1,1_0,1_1}}[n]  layer_head
      jump.{from,to,before,after,share,early,half_right}
      in_context.{start,before,after}
      seeds.{seeds,window,matching_first,{half,share,early,gap}.{low,high}}
      one_layer.{seeds,times,{short,long}.{low,high}}  share right at the end
    """
    record = records.read("growth")
    models = {"two": ready(two, trained), "one": ready(one),
              "untrained": ready(two, False)}
    ids, copy = fresh(models["two"][1], seed)           # [64, 32], [64, 31]
    single = record["one_layer"]
    runs = record["grows"]
    if two != "grows":                  # a control: one layer, watched
        runs = [r for r in single if "history" in r]
    seen = runs[[r["seed"] for r in runs].index(models["two"][1].seed)]
    history = seen["history"]
    if not trained:                     # a control: it stays as it began
        history = [h | {k: history[0][k] for k in h if k != "step"}
                   for h in history]
        runs = [{"history": history}] * len(runs)
    jump = growth.jump(history)
    at = {h["step"]: h for h in history}
    plain = [r["history"] for r in single if "history" in r]
    ends = {k: [r[k]["own"]["right"] for r in single]
            for k in ("short", "long")}
    if one != "grows_one_layer":        # a control: two layers for one
        ends = dict.fromkeys(ends, [r["history"][-1]["right"] for r in runs])
    sizes = recipes.named("grows").training
    return {
        "names": 48, "shortest": 8, "longest": 15, "words": sizes.length,
        "width": models["two"][0].cfg.width,
        "heads_each": models["two"][0].cfg.n_head,
        "steps": sizes.steps, "rows": len(ids), "every": record["every"],
        "now": {k: growth.snapshot(m, ids, copy) for k, (m, _) in
                models.items()},
        "history": [h for h in history if h["step"] % 25 == 0
                    or h["step"] == 1],
        "curve": {"step": [h["step"] for h in history],
                  "two": [h["loss"] for h in history],
                  "one": [h["loss"] for h in plain[0]],
                  "previous": [h["previous"] for h in history],
                  "matching": [h["matching"] for h in history]},
        "heads": every_head(record), "jump": jump,
        "in_context": {"start": history[0]["in_context"],
                       "before": at[jump["from"]]["in_context"],
                       "after": at[jump["to"]]["in_context"]},
        "seeds": watched(runs),
        "one_layer": {"seeds": len(single), "times": 3,
                      **{k: spread(v) for k, v in ends.items()}}}


GROWS_CONTROLS: dict[str, Any] = {
    "untrained": partial(grow, trained=False),
    "one_layer": partial(grow, two="grows_one_layer"),
    "two_for_one": partial(grow, one="grows"),
}


def every_head(record: Metrics) -> Metrics:
    """All heads of the shipped seed, step by step: for the page."""
    points = next(r["all_heads"] for r in record["grows"] if "all_heads" in r)
    return {"step": [p["step"] for p in points],
            **{f"{kind}_{layer}_{head}": [p[kind][layer][head] for p in points]
               for kind in ("previous", "matching")
               for layer in (0, 1) for head in (0, 1)}}


# --- 2. the same circuit as by hand -------------------------------------------

SCORES = ("previous", "matching", "copying", "not_repeating")   # of a head


def drawn_head(model: GPT, layer: int, head: int, seed: int) -> GPT:
    """The model with one head's queries and keys replaced by drawn ones."""
    rng, w = np.random.default_rng([seed, 2]), dict(model.w)
    size = model.cfg.head_width
    at = slice(head * size, (head + 1) * size)
    for name in (f"blocks.{layer}.attn.{x}.weight" for x in "qk"):
        table = w[name].copy()                                  # [h*w, d]
        table[at] = rng.normal(0, table[at].std(), table[at].shape)
        w[name] = table
    return GPT(model.cfg, w)


def four_heads(model: GPT, ids: Array, plain: Array) -> list[Metrics]:
    """Three scores of every head, and its look where nothing repeats.

    plain: the same rows without repeats; the places are those of ids.
    """
    places = induction_targets(ids, ignore=START)               # [n, T, T]
    maps, others = (model.run(x, trace=True).maps(2) for x in (ids, plain))
    return [{"layer": l, "head": h,
             "previous": previous_token_score(maps[l][:, h]).mean(),
             "matching": weight_on(maps[l][:, h], places),
             "copying": growth.says_what_it_sees(model, l, h),
             "not_repeating": weight_on(others[l][:, h], places)}
            for l in (0, 1) for h in (0, 1)]


def by_hand(ids: Array, plain: Array) -> dict[str, Metrics]:
    """The two layers of demo 04.4 on the same rows; 49 words, 32 places."""
    model = HandBuiltInduction(int(ids.max()) + 1, ids.shape[1])
    said, other = model.predict(ids), model.predict(plain)
    places, one = induction_targets(ids, ignore=START), np.eye(model.V)
    found = {}
    for layer, (W, V, values) in enumerate((
            (said.layer1, other.layer1, model.V1 @ model.is_word.T),
            (said.layer2, other.layer2, model.V2))):
        found[f"by_hand_{layer}"] = {
            "layer": layer, "head": 0,
            "previous": previous_token_score(W).mean(),
            "matching": weight_on(W, places),
            "copying": copying_score(model.is_word, values, one, one),
            "not_repeating": weight_on(V, places)}
    return found


def start_tokens(n: int = 4) -> Metrics:
    """A perfect head on n words said twice, behind 0, 1, 2 start tokens."""
    def pattern(starts: int) -> tuple[Array, Array]:
        ids = np.concatenate([[START] * starts, 1 + np.arange(n),
                              1 + np.arange(n)]).astype(int)
        W = np.zeros((len(ids),) * 2)                           # [T, T]
        W[:, 0] = 1             # no earlier match: it looks at the start
        W[starts + n:] = np.eye(len(ids), k=1 - n)[starts + n:]
        return ids, W

    right = {}
    for name, starts in (("none", 0), ("one", 1), ("two", 2)):
        ids, W = pattern(starts)
        right[name] = prefix_matching_score(W, ids, ignore=START).score
    one, two = pattern(1)[1], pattern(2)[1]
    return {"right": right, "words": n,
            "whole_diagonal": np.diagonal(one, 1 - n).mean(),
            "one_late": np.diagonal(one[1 + n:], 1).mean(),
            "half_of_length": np.diagonal(two, 1 - len(two) // 2).mean()}


def same_circuit(seed: int, trained: bool = True, repeat: bool = False,
                 draw: bool = True, many: bool = True) -> Metrics:
    """Every head of the grown model beside those set by hand.

    Leaves:
      {heads.layer{0,1}_head{0,1},by_hand.by_hand_{0,1},looker,matcher,drawn}.
        {layer,head,previous,matching,copying,not_repeating}
      untrained.{previous,matching,copying,not_repeating}  the highest
      rows matched tied  sequences; places with a match, with several
      starts.{right.{none,one,two},words,whole_diagonal,one_late,half_of_length}
      record.{seeds,in_order,{previous,matching}_is_{0,1}}
    """
    model, recipe = ready("grows", trained)
    blank = ready("grows", False)[0]
    ids, _ = fresh(recipe, seed)                                # [64, 32]
    plain = ids if repeat else growth.without_repeats(ids, seed)
    heads = {f"layer{r['layer']}_head{r['head']}": r
             for r in four_heads(model, ids, plain)}
    looker = max(heads.values(), key=lambda r: r["previous"])
    matcher = max(heads.values(), key=lambda r: r["matching"])
    at = matcher["layer"], matcher["head"]
    other = drawn_head(model, *at, seed) if draw else model
    blanks = four_heads(blank, ids, plain)
    found = prefix_matching_score(np.ones((len(ids),) + (ids.shape[1],) * 2),
                                  ids, ignore=START)
    runs = [r["cuts"]["roles"] for r in records.read("growth")["grows"]]
    if not many:                                # a control: one seed only
        runs = [runs[0]] * len(runs)
    return {
        "heads": heads, "by_hand": by_hand(ids, plain), "rows": len(ids),
        "looker": looker, "matcher": matcher,
        "drawn": four_heads(other, ids, plain)[2 * at[0] + at[1]],
        "untrained": {k: max(b[k] for b in blanks) for k in
                      ("previous", "matching", "copying", "not_repeating")},
        "matched": found.rows, "tied": found.tied,
        "starts": start_tokens(),
        "record": {
            "seeds": len(runs), "in_order": sum(
                r["previous"][0] == 0 and r["matching"][0] == 1
                for r in runs),
            **{f"{kind}_is_{h}": sum(r[kind][1] == h for r in runs)
               for kind in ("previous", "matching") for h in (0, 1)}}}


CIRCUIT_CONTROLS: dict[str, Any] = {
    "untrained": partial(same_circuit, trained=False),
    "repeated_anyway": partial(same_circuit, repeat=True),
    "not_drawn": partial(same_circuit, draw=False),
    "one_seed": partial(same_circuit, many=False),
}


# --- 3. without positions -----------------------------------------------------

COPIERS = ("no_positions", "with_rope")


def shuffled(model: GPT, ids: Array, seed: int) -> Metrics:
    """Words before the last in another order: how far its output moves."""
    rng, short = np.random.default_rng([seed, 3]), ids[:, :13]  # [64, 13]
    other = short.copy()
    for row in other:
        row[:-1] = rng.permutation(row[:-1])
    a, b = (model.run(x, trace=True).trace for x in (short, other))
    return {f"layer{l}": abs(a[f"{l}.out"] - b[f"{l}.out"])[:, -1].max()
            for l in range(model.cfg.n_layer)}


def without_positions(seed: int, trained: bool = True, mask: bool = False,
                      names: tuple[str, str] = COPIERS) -> Metrics:
    """Two trained copiers, one of them told nothing about places.

    Leaves:
      models.{no_positions,with_rope}.{loss,right,unmasked,further,by_hand,
        previous,matching,  the best head's score
        {shuffled,cut}.{layer0,layer1}}  largest change; share right
      rows far_words
      record.{no_positions,with_rope}.{far,near}.{seeds,
        {right,previous,matching}.{low,high}}
    """
    found: Metrics = {}
    for role, name in zip(COPIERS, names, strict=True):
        model, recipe = ready(name, trained)
        ids, copy = fresh(recipe, seed)                         # [64, 24]
        far = fresh(recipe, seed, length=48, shortest=8, longest=20)
        scores = growth.head_scores(model, ids)
        open_ = GPT(replace(model.cfg, causal=mask), model.w)
        layers = [combine([zero_head(l, h) for h in range(model.cfg.n_head)])
                  for l in (0, 1)]
        hand = HandBuiltInduction(model.cfg.vocab_size, ids.shape[1],
                                  use_pos=name != "no_positions")
        right = hand.predict(ids).tokens[:, :-1] == ids[:, 1:]  # [64, 23]
        found[role] = growth.on_copy(model, ids, copy) | {
            "previous": highest(scores["previous"]),
            "matching": highest(scores["matching"]),
            "unmasked": growth.on_copy(open_, ids, copy)["right"],
            "further": growth.on_copy(model, *far)["right"],
            "shuffled": shuffled(model, ids, seed),
            "cut": {f"layer{l}": growth.on_copy(model, ids, copy, p)["right"]
                    for l, p in enumerate(layers)},
            "by_hand": right[copy].mean()}
    runs = records.read("copy_places")["runs"]
    if names != COPIERS or not trained:         # a control has no record
        runs = [{"model": k, "distance": d, "right": v["right"],
                 "previous": [[v["previous"]]], "matching": [[v["matching"]]]}
                for k, v in found.items() for d in ("near", "far")]
    return {"models": found, "rows": 64, "far_words": 48, "record": {
        name: {d: over_runs([r for r in runs if r["model"] == name
                             and r["distance"] == d])
               for d in sorted({r["distance"] for r in runs})}
        for name in COPIERS}}


PLACES_CONTROLS: dict[str, Any] = {
    "untrained": partial(without_positions, trained=False),
    "masked": partial(without_positions, mask=True),
    "rope_for_none": partial(without_positions,
                             names=("with_rope", "with_rope")),
    "grown": partial(without_positions, names=("grows", "grows")),
}


def over_runs(runs: list[Metrics]) -> Metrics:
    """Seeds, the share right, and the best head of each kind."""
    return {"seeds": len(runs), "right": spread([r["right"] for r in runs]),
            "previous": spread([highest(r["previous"]) for r in runs]),
            "matching": spread([highest(r["matching"]) for r in runs])}


# --- 4. cut it ----------------------------------------------------------------

def drawn_edges(places: Array, seed: int) -> Array:
    """As many keys a row as `places` has, drawn among its other ones."""
    rng, T_ = np.random.default_rng([seed, 4]), places.shape[-1]
    free = np.tri(T_, dtype=bool) & ~places                     # [n, T, T]
    lot = np.where(free, rng.random(places.shape), 2.0)
    rank = lot.argsort(axis=-1).argsort(axis=-1)                # [n, T, T]
    many = np.minimum(places.sum(-1), free.sum(-1) - 1)         # [n, T]
    return free & (rank < many[..., None])


def cut_it(seed: int, trained: bool = True, aimed: bool = True,
           spare: bool = True) -> Metrics:
    """Take heads, then single looks, out of the grown model.

    Leaves:
      rows matching_score heads.whole.{loss,right}
      heads.{previous,other_first,matching,other_second,both_second}.{layer,
        head,loss,right,mean_loss,mean_right,  put to zero; to its mean
        matching_score}
      looks.{previous,matching}_{real,drawn}.{loss,right,edges}
      record.{seeds,most,shipped,spared,
        {previous,matching,both,first}.{low,high}}  shares right
    """
    model, recipe = ready("grows", trained)
    ids, copy = fresh(recipe, seed)                     # [64, 32], [64, 31]
    scores = growth.head_scores(model, ids)
    roles = growth.head_roles(scores)
    (_, p), (_, k) = roles["previous"], roles["matching"]
    if not aimed:                       # a control: the wrong head is cut
        p, k = 1 - p, 1 - k
    heads = {"previous": [(0, p)], "other_first": [(0, 1 - p)],
             "matching": [(1, k)], "other_second": [(1, 1 - k)],
             "both_second": [(1, 0), (1, 1)]}
    if not aimed:
        heads["both_second"] = [(1, k)]
    table = {"whole": growth.on_copy(model, ids, copy)}
    trace = model.run(ids, trace=True).trace
    for name, which in heads.items():
        zero = combine([zero_head(*at) for at in which])
        mean = combine([growth.mean_head(trace, *at) for at in which])
        average = growth.on_copy(model, ids, copy, mean)
        table[name] = growth.on_copy(model, ids, copy, zero) | {
            "mean_right": average["right"], "mean_loss": average["loss"],
            "layer": which[0][0], "head": which[0][1],
            "matching_score": highest(growth.head_scores(
                model, ids, zero)["matching"])}
    n, T_ = ids.shape
    back = np.broadcast_to(np.eye(T_, k=-1, dtype=bool), (n, T_, T_)).copy()
    back[:, 1] = False                  # place 1 keeps the start token
    places = induction_targets(ids, ignore=START)               # [n, T, T]
    edges = {"previous": ((0, [p]), back), "matching": ((1, [0, 1]), places)}
    looks = {}
    for name, ((layer, some), real) in edges.items():
        drawn = drawn_edges(real, seed)                         # [n, T, T]
        aim = real if aimed else drawn
        for kind, where in (("real", aim), ("drawn", drawn)):
            looks[f"{name}_{kind}"] = growth.on_copy(
                model, ids, copy, growth.cut_edges(layer, some, where)) | {
                    "edges": int(where.sum())}
    return {"rows": n, "heads": table, "looks": looks,
            "matching_score": highest(scores["matching"]),
            "record": cut_records(spare)}


CUTS_CONTROLS: dict[str, Any] = {
    "wrong_head": partial(cut_it, aimed=False),
    "count_the_other": partial(cut_it, spare=False),
}


def cut_records(spare: bool) -> Metrics:
    """The same cuts in the ten recorded seeds: share right after each."""
    runs = [r["cuts"] for r in records.read("growth")["grows"]]

    def left(run: Metrics, kind: str) -> float:
        layer, head = run["roles"][kind]
        return float(run["heads"][layer][head]["right"])

    def other(run: Metrics) -> float:           # of the first layer
        layer, head = run["roles"]["previous"]
        return float(run["heads"][layer][1 - head]["right"])

    return {"seeds": len(runs), "most": 0.85,
            "shipped": recipes.named("grows").seed,
            "previous": spread([left(r, "previous") if spare else other(r)
                                for r in runs]),
            "matching": spread([left(r, "matching") for r in runs]),
            "both": spread([r["layers"][1]["right"] for r in runs]),
            "first": spread([r["layers"][0]["right"] for r in runs]),
            "spared": sum(left(r, "matching" if spare else "previous") > 0.85
                          for r in runs)}


# --- 5. in the country model --------------------------------------------------

def by_share(runs: list[Metrics]) -> list[Metrics]:
    """One entry a share of repeats, over its seeds."""
    found = []
    for lists in sorted({r["lists"] for r in runs}):
        some = [r for r in runs if r["lists"] == lists]
        copied = [r["copied"]["hits"] / r["copied"]["total"] for r in some]
        found.append({
            "share": some[0]["share"], "seeds": len(some),
            "right": min(r["right"] for r in some),
            "lowest": min(copied), "highest": max(copied),
            "copying": sum(c > 0.5 for c in copied),
            "previous": max(highest(r["previous"]) for r in some),
            "matching": max(highest(r["matching"]) for r in some),
            "least_matching": min(highest(r["matching"]) for r in some)})
    return found


def mix_in(seed: int, trained: bool = True, copier: str = "copies_too",
           aimed: bool = True) -> Metrics:
    """The country model and its twin that also read repeated lists.

    Leaves:
      questions in_a_row steps fewest_right
      now.{base,copies_too}.{right,hits,total,copied,previous,matching}
      cuts.{matching,neighbour}.{layer,head,score,copied,right}
      {shares[n],few,enough,most,table_of_places}.{share,seeds,right,lowest,
        highest,copying,previous,matching,least_matching}
    """
    models = {"base": ready("base")[0], "copies_too": ready(copier, trained)[0]}
    world = recipes.named("base").data.world()
    q, pool = questions(world), copy_pool(world)
    now: Metrics = {}
    for name, model in models.items():
        scores, hit = growth.copy_scores(model, pool), copied(model, pool, seed)
        now[name] = {"right": right(model, q), "hits": hit["hits"],
                     "total": hit["total"],
                     "copied": hit["hits"] / hit["total"],
                     "previous": highest(scores["previous"]),
                     "matching": highest(scores["matching"])}
    model = models["copies_too"]
    scores = growth.copy_scores(model, pool)
    layer, best = (int(i) for i in divmod(int(np.argmax(scores["matching"])),
                                          model.cfg.n_head))
    other = (best + 1) % model.cfg.n_head       # its neighbour in the layer
    cuts = {}
    for name, head in (("matching", best if aimed else other),
                       ("neighbour", other)):
        patch = zero_head(layer, head)
        hit = copied(model, pool, seed, patch)
        cuts[name] = {"layer": layer, "head": head,
                      "score": scores["matching"][layer][head],
                      "copied": hit["hits"] / hit["total"],
                      "right": right(model, q, patch)}
    runs = records.read("shares")["runs"]
    rope = by_share([r for r in runs if r["positions"] == "rope"])
    table = by_share([r for r in runs if r["positions"] == "learned"])[-1]
    if not trained or copier == "base":         # a control: nothing mixed in
        rope = [rope[0] | {"share": r["share"]} for r in rope]
    few = [r for r in rope if r["highest"] < 0.1][-1]
    enough = [r for r in rope if r["copying"] >= 0.8 * r["seeds"]]
    return {"questions": len(q.ids), "in_a_row": NAMES_IN_COPY,
            "steps": recipes.named("copies_too").training.steps,
            "now": now, "cuts": cuts, "shares": rope, "few": few,
            "enough": enough[0] if enough else dict.fromkeys(rope[0]),
            "most": rope[-1], "fewest_right": min(r["right"] for r in rope),
            "table_of_places": table}


WORLD_CONTROLS: dict[str, Any] = {
    "untrained": partial(mix_in, trained=False),
    "no_lists": partial(mix_in, copier="base"),
    "wrong_head": partial(mix_in, aimed=False),
}


# --- 6. a score that deceives -------------------------------------------------

def fixed_distance(seed: int, trained: bool = True, varied: bool = False,
                   repeat: bool = False) -> Metrics:
    """One layer, trained and tested where the distance never changes.

    Leaves:
      {fixed,two}.{{own,varied}.{loss,right},matching,not_repeating}
      cut.{match,drawn}  share right
      distance back seeds record.{own,varied}.{low,high}
    """
    fixed, own = ready("grows_fixed", trained)
    two, recipe = ready("grows")
    ids, copy = fresh(recipe if varied else own, seed)          # [64, 32]
    moving = fresh(recipe, seed)
    plain = ids if repeat else growth.without_repeats(ids, seed)
    places = induction_targets(ids, ignore=START)               # [n, T, T]

    def look(model: GPT, x: Array) -> float:
        maps = model.run(x, trace=True).maps(model.cfg.n_layer)
        return float(max(weight_on(W, places).max() for W in maps))

    runs = records.read("growth")["one_layer"]
    found: Metrics = {}
    for name, model in (("fixed", fixed), ("two", two)):
        found[name] = {"own": growth.on_copy(model, ids, copy),
                       "varied": growth.on_copy(model, *moving),
                       "matching": look(model, ids),
                       "not_repeating": look(model, plain)}
    blind = growth.cut_edges(0, [0, 1], places)
    other = growth.cut_edges(0, [0, 1], drawn_edges(places, seed))
    found["cut"] = {"match": growth.on_copy(fixed, ids, copy, blind)["right"],
                    "drawn": growth.on_copy(fixed, ids, copy, other)["right"]}
    return found | {
        "distance": 12, "back": 11, "seeds": len(runs),
        "record": {k: spread([r["fixed"]["varied" if varied else k]["right"]
                              for r in runs]) for k in ("own", "varied")}}


TRAP_CONTROLS: dict[str, Any] = {
    "untrained": partial(fixed_distance, trained=False),
    "varied": partial(fixed_distance, varied=True),
    "repeated_anyway": partial(fixed_distance, repeat=True),
}
