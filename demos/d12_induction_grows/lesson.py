"""The circuit behind demo 12: scores of heads, and what is right after a cut.

What growing means is in lecture/lab/growth, the scores in lecture/lab/heads; here each part
takes shipped models, fresh rows and records. The order: a history and its jump; every head
beside those set by hand, and what layer two reads of layer one; copiers without positions;
heads and single looks cut; the country model with repeats mixed in; one layer whose score is
high and which compares nothing.

Longer than 450 lines because of six parts, each with cuts or an exchange of its own and a
count over recorded trainings.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from attention_np import HandBuiltInduction
from lecture import records
from lecture.lab import growth
from lecture.lab.heads import (
    copying_score,
    induction_targets,
    previous_token_score,
    weight_on,
)
from lecture.lab.probes import NAMES_IN_COPY, copied, copy_pool, questions, right
from lecture.models import recipes
from lecture.models.gpt_np import GPT, Patch, combine, ready, zero_head
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

SHOWN = (1, 50, 90, 110, 125, 150, 300)         # steps
BEFORE, AFTER = 90, 125                     # steps before and after the jump


def watched(runs: list[Metrics]) -> Metrics:
    """Where the jump lies over the seeds, and which score is first."""
    jumps = [growth.jump(r["history"]) for r in runs]

    def reached(run: Metrics, score: str) -> int | None:
        steps = [h["step"] for h in run["history"] if h[score] >= 0.5]
        return steps[0] if steps else None

    half: list[Any] = [j["half_right"] for j in jumps]
    pairs: list[Any] = [(reached(r, "previous"), reached(r, "matching"))
                        for r in runs]
    known = None not in half and not any(None in pair for pair in pairs)
    gaps = [a - b for a, b in pairs] if known else []
    none = {"low": None, "high": None}
    return {"seeds": len(runs), "window": growth.WINDOW,
            "half": spread(half) if known else none,
            "share": spread([j["share"] for j in jumps]),
            "matching_first": sum(gap > 0 for gap in gaps),
            "gap": spread(gaps) if known else none}


def grow(seed: int, two: str = "grows", one: str = "grows_one_layer"
         ) -> Metrics:
    """The shipped models now, and the recorded histories of many.

    Leaves:
      names shortest longest words width heads_each steps rows every
      now.{two,one}.{loss,right,in_context}
      history[7].{step,{two,one}.{loss,right,previous,matching}}
      curve.{step,two,one}[n]  loss on the copy
      heads.{step,{previous,matching}_{0_0,0_1,1_0,1_1}}[n]  layer_head
      jump.{start,end,before,after,share,early,half_right}
      before.{step,two,one,low,high} after.{step,two,one,previous,matching}
      in_context.{start,before,after}
      seeds.{seeds,window,matching_first,{half,share,gap}.{low,high}}
      one_layer.{seeds,times,{short,long}.{low,high}}  share right at the end
    """
    record = records.read("growth")
    models = {"two": ready(two), "one": ready(one)}
    ids, copy = fresh(models["two"][1], seed)           # [64, 32], [64, 31]
    single, runs = record["one_layer"], record["grows"]
    plain = next(r for r in single if "history" in r)
    ends = {k: [r[k]["own"]["right"] for r in single]
            for k in ("short", "long")}
    if two != "grows":                  # a control: one layer, watched
        runs = [plain]
    if one != "grows_one_layer":        # a control: two layers for one
        plain = runs[0]
        ends = dict.fromkeys(ends, [r["history"][-1]["right"] for r in runs])
    seen = next(r for r in runs if r["seed"] == models["two"][1].seed)
    at, other = ({h["step"]: h for h in r["history"]} for r in (seen, plain))
    jump = growth.jump(seen["history"])
    then = [h["loss"] for r in runs for h in r["history"]
            if h["step"] == BEFORE]
    sizes = recipes.named("grows").training
    kept = ("loss", "right", "previous", "matching")
    now = {k: growth.snapshot(m, ids, copy) for k, (m, _) in models.items()}
    return {
        "names": 48, "shortest": 8, "longest": 15, "words": sizes.length,
        "width": models["two"][0].cfg.width,
        "heads_each": models["two"][0].cfg.n_head,
        "steps": sizes.steps, "rows": len(ids), "every": record["every"],
        "now": {k: {leaf: v[leaf] for leaf in ("loss", "right", "in_context")}
                for k, v in now.items()},
        "history": [{"step": s, "two": {k: at[s][k] for k in kept},
                     "one": {k: other[s][k] for k in kept}} for s in SHOWN],
        "curve": {"step": list(at), "two": [h["loss"] for h in at.values()],
                  "one": [other[s]["loss"] for s in at]},
        "heads": every_head(record), "jump": {
            "start": jump["from"], "end": jump["to"],
            **{k: v for k, v in jump.items() if k not in ("from", "to")}},
        "before": {"step": BEFORE, "two": at[BEFORE]["loss"],
                   "one": other[BEFORE]["loss"], **spread(then)},
        "after": {"step": AFTER, "one": other[AFTER]["loss"],
                  "two": at[AFTER]["loss"], "previous": at[AFTER]["previous"],
                  "matching": at[AFTER]["matching"]},
        "in_context": {"start": at[1]["in_context"],
                       "before": at[jump["from"]]["in_context"],
                       "after": at[jump["to"]]["in_context"]},
        "seeds": watched(runs),
        "one_layer": {"seeds": len(single), "times": 3,
                      **{k: spread(v) for k, v in ends.items()}}}


GROWS_CONTROLS: dict[str, Any] = {
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

READS = {"keys": "k", "queries": "q", "values": "v"}


def head_rows(model: GPT, ids: Array, plain: Array) -> list[Metrics]:
    """The scores of every head, and its look where nothing repeats.

    plain: the same rows without repeats; the places are those of ids.
    """
    places = induction_targets(ids, ignore=START)               # [n, T, T]
    maps, others = (model.run(x, trace=True).maps(2) for x in (ids, plain))
    return [{"name": f"L{l}H{h}", "layer": l, "head": h,
             "previous": previous_token_score(maps[l][:, h]).mean(),
             "matching": weight_on(maps[l][:, h], places),
             "copying": growth.says_what_it_sees(model, l, h),
             "not_repeating": weight_on(others[l][:, h], places),
             "all_rows": (maps[l][:, h] * places).sum() / maps[l][:, h].sum()}
            for l in (0, 1) for h in range(model.cfg.n_head)]


def by_hand(ids: Array, plain: Array) -> list[Metrics]:
    """The two layers of demo 04.4 on the same rows."""
    model = HandBuiltInduction(int(ids.max()) + 1, ids.shape[1])
    said, other = model.predict(ids), model.predict(plain)
    places, one = induction_targets(ids, ignore=START), np.eye(model.V)
    return [{"previous": previous_token_score(W).mean(),
             "matching": weight_on(W, places),
             "copying": copying_score(model.is_word, values, one, one),
             "not_repeating": weight_on(V, places)}
            for W, V, values in (
                (said.layer1, other.layer1, model.V1 @ model.is_word.T),
                (said.layer2, other.layer2, model.V2))]


def matrices(model: GPT, layer: int, head: int) -> dict[str, Array]:
    """W_Q, W_K, W_V [w, d] with the norm's gain, and W_O [d, w] of a head."""
    size, block = model.cfg.head_width, f"blocks.{layer}"
    at, gain = (slice(head * size, (head + 1) * size),
                model.w[f"{block}.norm1.weight"])               # [d]
    return {"o": model.w[f"{block}.attn.out.weight"][:, at],
            **{x: model.w[f"{block}.attn.{x}.weight"][at] * gain
               for x in "qkv"}}


def composed(model: GPT, ids: Array, copy: Array, head: int, reader: int
             ) -> Metrics:
    """What layer two reads of a head of layer one, as keys, queries, values.

    size: |A B| / |A| |B| of the matrix that reads and the one that writes
    (Elhage et al. 2021); right: the share right when the head is missing
    from what all of layer two reads in this way, and there alone.
    """
    first, second = matrices(model, 0, head), matrices(model, 1, reader)
    writes = first["o"] @ first["v"]                            # [d, d]
    read = {"keys": second["q"].T @ second["k"],                # [d, d]
            "queries": second["k"].T @ second["q"],
            "values": second["o"] @ second["v"]}
    cut = model.run(ids, zero_head(0, head), trace=True).trace
    norm = np.linalg.norm
    return {"name": f"L0H{head}",
            "size": {k: norm(R @ writes) / norm(R) / norm(writes)
                     for k, R in read.items()},
            "right": {k: growth.on_copy(model, ids, copy, {
                f"1.{x}": cut[f"1.{x}"]})["right"] for k, x in READS.items()}}


def perfect_head(words: int = 50) -> Metrics:
    """Words said twice, and a head that rests on place 0 till it matches."""
    ids = np.tile(1 + np.arange(words), 2)                      # [2 words]
    W = np.eye(2 * words, k=1 - words)                          # [T, T]
    W[:words] = np.eye(2 * words)[0]
    places = induction_targets(ids)
    return {"words": words, "matching": weight_on(W, places),
            "all_rows": (W * places).sum() / W.sum()}


def same_circuit(seed: int, name: str = "grows", repeat: bool = False,
                 swap: bool = False, arm: str = "grows") -> Metrics:
    """Every head of the grown model beside those set by hand.

    Leaves:
      {heads[4],looker,matcher}.{name,layer,head,previous,matching,copying,
        not_repeating,all_rows}  all_rows: as detect_head counts
      hand[2].{previous,matching,copying,not_repeating}
      reads.{looker,other}.{name,{size,right}.{keys,queries,values}} chance
      perfect.{words,matching,all_rows} rows
      record.{seeds,in_order,previous_is_{0,1}}
    """
    model, recipe = ready(name)
    ids, copy = fresh(recipe, seed)                     # [64, 32], [64, 31]
    own = repeat or name != "grows"
    plain = ids if own else growth.without_repeats(ids, seed)
    heads = head_rows(model, ids, plain)
    per = model.cfg.n_head
    p = int(np.argmax([h["previous"] for h in heads[:per]]))
    k = int(np.argmax([h["matching"] for h in heads[per:]]))
    roles = {"looker": (p + swap) % per, "other": (p + 1 - swap) % per}
    record = records.read("growth")
    runs = [growth.head_roles(r["short"]) for r in record["one_layer"]] if (
        arm == "one_layer") else [r["cuts"]["roles"] for r in record["grows"]]
    return {
        "heads": heads, "hand": by_hand(ids, plain), "rows": len(ids),
        "looker": heads[p], "matcher": heads[per + k],
        "reads": {role: composed(model, ids, copy, head, k)
                  for role, head in roles.items()},
        "chance": model.cfg.width ** -0.5, "perfect": perfect_head(),
        "record": {
            "seeds": len(runs), "in_order": sum(
                r["previous"][0] == 0 and r["matching"][0] == 1
                for r in runs),
            **{f"previous_is_{h}": sum(r["previous"][1] == h for r in runs)
               for h in (0, 1)}}}


CIRCUIT_CONTROLS: dict[str, Any] = {
    "another_copier": partial(same_circuit, name="with_rope"),
    "repeated_anyway": partial(same_circuit, repeat=True),
    "other_head": partial(same_circuit, swap=True),
    "one_layer": partial(same_circuit, arm="one_layer"),
}


# --- 3. without positions -----------------------------------------------------

COPIERS = ("no_positions", "with_rope")
FAR = {"length": 48, "shortest": 8, "longest": 20}


def shuffled(model: GPT, ids: Array, seed: int) -> Metrics:
    """Words before the last in another order: how far its output moves."""
    rng, short = np.random.default_rng([seed, 3]), ids[:, :13]  # [64, 13]
    other = short.copy()
    for row in other:
        row[:-1] = rng.permutation(row[:-1])
    a, b = (model.run(x, trace=True).trace for x in (short, other))
    return {f"layer{l}": abs(a[f"{l}.out"] - b[f"{l}.out"])[:, -1].max()
            for l in range(model.cfg.n_layer)}


def other_seeds(name: str) -> Metrics:
    """The same network trained from several seeds: a record."""
    runs = [r for r in records.read("copy_places")["runs"]
            if r["model"] == name and r["distance"] == "near"]
    longer = [r["copying"].get(name, {}).get("long")
              for r in records.read("positions")["seeds"]]
    if name == "grows":                         # a control, from its own record
        runs = [{k: [[v]] if k in ("previous", "matching") else v
                 for k, v in r["history"][-1].items()}
                for r in records.read("growth")["grows"]]
    return {"seeds": len(runs), "right": spread([r["right"] for r in runs]),
            "longer": {"low": None, "high": None} if None in longer
            else spread(longer),
            "previous": spread([highest(r["previous"]) for r in runs]),
            "matching": spread([highest(r["matching"]) for r in runs])}


def without_positions(seed: int, first: bool = True,
                      names: tuple[str, str] = COPIERS) -> Metrics:
    """Two trained copiers, one of them told nothing about places.

    Leaves:
      models.{no_positions,with_rope}.{right,longer,previous,matching,
        {shuffled,cut}.{layer0,layer1}}  the best head's scores; shares
      by_hand  share right of the circuit of 04.4 without place numbers
      names shortest longest words far_words rows
      record.{no_positions,with_rope}.{seeds,
        {right,longer,previous,matching}.{low,high}}
    """
    found: Metrics = {}
    for role, name in zip(COPIERS, names, strict=True):
        model, recipe = ready(name)
        ids, copy = fresh(recipe, seed)                         # [64, 24]
        scores = growth.head_scores(model, ids)
        layers = [combine([zero_head(l, h) for h in range(model.cfg.n_head)])
                  for l in (0, 1)]
        less = None if first else layers[0]     # a control: layer one is cut
        found[role] = {
            "right": growth.on_copy(model, ids, copy, less)["right"],
            "longer": growth.on_copy(
                model, *fresh(recipe, seed, **FAR))["right"],
            "previous": highest(scores["previous"]),
            "matching": highest(scores["matching"]),
            "shuffled": shuffled(model, ids, seed),
            "cut": {f"layer{l}": growth.on_copy(model, ids, copy, p)["right"]
                    for l, p in enumerate(layers)}}
    ids, copy = fresh(recipes.named("no_positions"), seed)
    hand = HandBuiltInduction(21, ids.shape[1], use_pos=False)
    said = hand.predict(ids).tokens[:, :-1] == ids[:, 1:]       # [64, 23]
    return {"models": found, "by_hand": said[copy].mean(), "rows": len(ids),
            "names": 20, "shortest": 4, "longest": 12, "words": ids.shape[1],
            "far_words": FAR["length"],
            "record": {role: other_seeds(name)
                       for role, name in zip(COPIERS, names, strict=True)}}


PLACES_CONTROLS: dict[str, Any] = {
    "first_layer_cut": partial(without_positions, first=False),
    "rope_for_none": partial(without_positions,
                             names=("with_rope", "with_rope")),
    "grown": partial(without_positions, names=("grows", "grows")),
}


# --- 4. cut it ----------------------------------------------------------------

MOST = 0.85                             # of the copy, still right after a cut


def heaviest(W: Array, amount: Array) -> Array:
    """Of each row the heaviest keys that together carry `amount` [.., T].

    W [.., T, T], causal. One key, the lightest, is always left.
    """
    order = np.argsort(-W, axis=-1, kind="stable")              # [.., T, T]
    sorted_ = np.take_along_axis(W, order, axis=-1)
    before = sorted_.cumsum(axis=-1) - sorted_
    places = np.arange(W.shape[-1])
    take = (before < amount[..., None] - 1e-12) & (places < places[:, None])
    chosen = np.zeros(W.shape, dtype=bool)
    np.put_along_axis(chosen, order, take, axis=-1)
    return chosen


def cut_it(seed: int, aimed: bool = True, spare: bool = True,
           own: bool = False) -> Metrics:
    """Take heads, then single looks, out of the grown model.

    Leaves:
      rows whole matching_score  with nothing cut
      heads.{previous,other_first,matching,other_second,both_second}.{name,
        right,mean_right,matching_score}  put to zero; to its mean
      looks.{previous,previous_other,matching,matching_other}.{weight,right}
      record.{seeds,pairs,shown,few,most,spared,both.{low,high},{first,second}.
        {agree,place,lowest,highest,runs[10].{seed,dose,left}}}  by dose
    """
    model, recipe = ready("grows")
    ids, copy = fresh(recipe, seed)                     # [64, 32], [64, 31]
    scores = growth.head_scores(model, ids)
    roles = growth.head_roles(scores)
    (_, p), (_, k) = roles["previous"], roles["matching"]
    if not aimed:                       # a control: the other head is cut
        p, k = 1 - p, 1 - k
    both = [(1, 0), (1, 1)]
    heads = {"previous": [(0, p)], "other_first": [(0, 1 - p)],
             "matching": [(1, k)] if spare else both,
             "other_second": [(1, 1 - k)], "both_second": both}
    table: Metrics = {}
    trace = model.run(ids, trace=True).trace
    for name, which in heads.items():
        zero = combine([zero_head(*at) for at in which])
        mean = combine([growth.mean_head(trace, *at) for at in which])
        table[name] = {
            "name": " ".join(f"L{l}H{h}" for l, h in which),
            "right": growth.on_copy(model, ids, copy, zero)["right"],
            "mean_right": growth.on_copy(model, ids, copy, mean)["right"],
            "matching_score": highest(growth.head_scores(
                model, ids, zero)["matching"])}
    n, T_ = ids.shape
    back = np.broadcast_to(np.eye(T_, k=-1, dtype=bool), (n, T_, T_)).copy()
    back[:, 1] = False                  # place 1 keeps the start token
    maps = [trace[f"{l}.weights"] for l in (0, 1)]              # [n, h, T, T]
    looks, other = {}, maps[0][:, 1 - roles["previous"][1]]     # [n, T, T]
    for name, layer, some, real in (
            ("previous", 0, [roles["previous"][1]], back),
            ("matching", 1, [0, 1],
             induction_targets(ids, ignore=START))):            # [n, T, T]
        W = maps[layer][:, some].mean(1)                        # [n, T, T]
        like = heaviest(other, (W * real).sum(-1))
        cuts = {name: (layer, some, real, W), f"{name}_other":
                (0, [1 - roles["previous"][1]], like, other)}
        if not aimed:                   # a control: as much weight elsewhere
            cuts[name] = cuts[f"{name}_other"]
        for key, (at, cut, edges, weights) in cuts.items():
            looks[key] = {
                "weight": (weights * edges).sum() / real.any(-1).sum(),
                "right": growth.on_copy(model, ids, copy, growth.cut_edges(
                    at, cut, edges))["right"]}
    return {"rows": n, "whole": growth.on_copy(model, ids, copy)["right"],
            "matching_score": highest(scores["matching"]),
            "heads": table, "looks": looks, "record": cut_records(own)}


CUTS_CONTROLS: dict[str, Any] = {
    "wrong_head": partial(cut_it, aimed=False),
    "no_spare": partial(cut_it, spare=False),
    "own_score": partial(cut_it, own=True),
}


def cut_records(own: bool) -> Metrics:
    """The same cuts in the ten recorded seeds: what is left, by a score.

    dose: the score of the other head of that layer, before the cut; own: of
    the head that is cut. agree: pairs of seeds in which more dose leaves more.
    """
    runs = records.read("growth")["grows"]
    shown = recipes.named("grows").seed
    found: Metrics = {}
    for name, layer, score in (("first", 0, "previous"),
                               ("second", 1, "matching")):
        rows = []
        for run in runs:
            cut, head = run["cuts"], run["cuts"]["roles"][score][1]
            dose = cut["scores"][score][layer][head if own else 1 - head]
            rows.append({"seed": run["seed"], "dose": dose,
                         "left": cut["heads"][layer][head]["right"]})
        rows.sort(key=lambda r: r["dose"])
        left = [r["left"] for r in rows]
        mine = next(r["left"] for r in rows if r["seed"] == shown)
        found[name] = {
            "runs": rows, "lowest": min(left), "highest": max(left),
            "agree": sum(a < b for i, a in enumerate(left)
                         for b in left[i + 1:]),
            "place": 1 + sum(x < mine for x in left)}
    return {"seeds": len(runs), "shown": shown, "pairs":
            len(runs) * (len(runs) - 1) // 2, **found,
            "few": sum(r["left"] < 0.4 for r in found["first"]["runs"]),
            "most": MOST, "spared": sum(r["left"] > MOST for r in
                                        found["second"]["runs"]),
            "both": spread([r["cuts"]["layers"][1]["right"] for r in runs])}


# --- 5. in the country model --------------------------------------------------

MOST_SEEDS = 5


def by_share(runs: list[Metrics]) -> list[Metrics]:
    """One entry a share of repeats, over its seeds."""
    found = []
    for lists in sorted({r["lists"] for r in runs}):
        some = [r for r in runs if r["lists"] == lists]
        shares = sorted(r["copied"]["hits"] / r["copied"]["total"]
                        for r in some)
        found.append({
            "lists": lists, "share": some[0]["share"], "seeds": len(some),
            "copied": shares + [None] * (MOST_SEEDS - len(some)),
            "lowest": shares[0], "highest": shares[-1],
            "copying": sum(s > 0.5 for s in shares),
            "right": min(r["right"] for r in some),
            "matching": max(highest(r["matching"]) for r in some)})
    return found


def mix_in(seed: int, positions: str = "rope", aimed: bool = True) -> Metrics:
    """The country model's twin with RoPE, and lists said twice.

    Leaves:
      questions in_a_row steps fewest_right place  of the shown seed
      now.{right,copied} cuts.{matching,neighbour}.{name,copied,right}
      {shares[7],without,before,enough,most,table_of_places}.{lists,share,
        seeds,copied[5],lowest,highest,copying,right,matching}
    """
    recipe = recipes.named("copies_too")
    model, world = ready("copies_too")[0], recipe.data.world()
    q, pool = questions(world), copy_pool(world)

    def measured(patch: Patch | None = None) -> Metrics:
        hit = copied(model, pool, seed, patch)
        return {"copied": hit["hits"] / hit["total"],
                "right": right(model, q, patch)}

    table = growth.copy_scores(model, pool)["matching"]
    layer, best = (int(i) for i in divmod(int(np.argmax(table)),
                                          model.cfg.n_head))
    other = (best + 1) % model.cfg.n_head       # its neighbour in the layer
    cuts = {name: {"name": f"L{layer}H{head}",
                   **measured(zero_head(layer, head))}
            for name, head in (("matching", best if aimed else other),
                               ("neighbour", other))}
    runs = records.read("shares")["runs"]
    rows = {kind: by_share([r for r in runs if r["positions"] == kind])
            for kind in ("rope", "learned")}
    rope, arm = rows["rope"], rows[positions]
    at = next(i for i, r in enumerate(rope) if r["lists"]
              == recipe.data.lists)
    hits = {r["seed"]: r["copied"]["hits"] for r in runs if r["lists"]
            == recipe.data.lists and r["positions"] == "rope"}
    return {"questions": len(q.ids), "in_a_row": NAMES_IN_COPY,
            "steps": recipe.training.steps, "now": measured(), "cuts": cuts,
            "shares": rope, "without": rope[0], "before": rope[at - 1],
            "enough": next(r for r in arm if r["lists"] >= rope[at]["lists"]),
            "most": arm[-1], "fewest_right": min(r["right"] for r in arm),
            "place": 1 + sum(h < hits[recipe.seed] for h in hits.values()),
            "table_of_places": rows["learned"][-1]}


WORLD_CONTROLS: dict[str, Any] = {
    "learned_positions": partial(mix_in, positions="learned"),
    "wrong_head": partial(mix_in, aimed=False),
}


# --- 6. a score that deceives -------------------------------------------------

def fixed_distance(seed: int, name: str = "grows_fixed", repeat: bool = False,
                   exchange: bool = True) -> Metrics:
    """One layer, trained and tested where the distance never changes.

    Leaves:
      {fixed,two}.{own,varied,matching,not_repeating}  shares right; weights
      handed.{theirs,own}  with the words of another row under the same looks
      distance back record.{seeds,{own,varied}.{low,high}}
    """
    fixed, (two, recipe) = ready(name)[0], ready("grows")
    ids, copy = fresh(recipes.named("grows_fixed"), seed)       # [64, 32]
    moving = fresh(recipe, seed)
    plain = ids if repeat else growth.without_repeats(ids, seed)
    places = induction_targets(ids, ignore=START)               # [n, T, T]

    def look(model: GPT, x: Array) -> float:
        maps = model.run(x, trace=True).maps(model.cfg.n_layer)
        return float(max(weight_on(W, places).max() for W in maps))

    found: Metrics = {
        name: {"own": growth.on_copy(model, ids, copy)["right"],
               "varied": growth.on_copy(model, *moving)["right"],
               "matching": look(model, ids),
               "not_repeating": look(model, plain)}
        for name, model in (("fixed", fixed), ("two", two))}
    shift: Callable[[Array], Array] = partial(
        np.roll, shift=1 if exchange else 0, axis=0)            # the next row
    values = shift(fixed.run(ids, trace=True).trace["0.v"])     # [n, h, T, w]
    said = fixed.run(ids, {"0.v": values}).logits[:, :-1].argmax(-1)
    theirs = np.roll(ids, shift=1, axis=0)[:, 1:]               # [n, T-1]
    runs = records.read("growth")["one_layer"]
    return found | {
        "handed": {"theirs": (said == theirs)[copy].mean(),
                   "own": (said == ids[:, 1:])[copy].mean()},
        "distance": 12, "back": 11,
        "record": {"seeds": len(runs), **{
            k: spread([r["fixed"][k]["right"] for r in runs])
            for k in ("own", "varied")}}}


TRAP_CONTROLS: dict[str, Any] = {
    "two_layers": partial(fixed_distance, name="grows"),
    "repeated_anyway": partial(fixed_distance, repeat=True),
    "hands_over_its_own": partial(fixed_distance, exchange=False),
}
