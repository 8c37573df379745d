"""How does an induction head grow?  What is measured on the way, and the sweeps of it.

Demo 12 measures its shipped models with these functions; its records measure many
trainings with the same ones, so the screen and the record cannot speak of different
things.  A row is a start token and a list of names said over and over; the copy is all
that the first saying determines.

Unlike tiny_gpt: nothing is trained here.  `python -m lecture.growth_np growth|shares|
copy_places` trains elsewhere (torch, minutes) and writes demos/records/NAME.json.
"""

from __future__ import annotations

import datetime
import importlib
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from attention_np import softmax
from lecture import model_cache, probes_np, recipes, records, tasks
from lecture.gpt_np import GPT, Patch, combine, zero_head
from lecture.heads_np import (
    copying_score,
    in_context_score,
    prefix_matching_score,
    previous_token_score,
)
from lecture.recipes import Recipe, RepeatedWorldData

ROWS, EVAL_SEED = 64, 999               # never drawn in a training: those start at 0, 1, ..
EVERY = 5                               # steps between two points of a history
EARLY, LATE = slice(0, 7), slice(23, None)
LISTS = (0, 15, 30, 60, 120, 240, 480)  # a round, beside the world's 672 documents
Array = np.ndarray


def rows(recipe: Recipe, seed: int = EVAL_SEED, count: int = ROWS,
         **sizes: int) -> tuple[Array, Array]:
    """Fresh rows of a recipe's task: ids [n, T], copy [n, T-1].

    copy is True where an earlier saying determines the step to the next name.
    sizes: other than the recipe's own.
    """
    own = {"names": 48, "shortest": 8, "longest": 15, "length": 32}
    chosen = own | dict(recipe.data.sizes) | sizes
    ids, mask = tasks.repeats(np.random.default_rng(seed), count, **chosen)
    copy = mask[:, :-1]                                             # [n, T-1]
    # its first step says that the list begins again: nothing read so far tells that
    return ids, copy & (copy.cumsum(axis=1) > 1)


def surprise(model: GPT, ids: Array, patch: Patch | None = None) -> tuple[Array, Array]:
    """-log p of each next word in nats, and whether it is the likeliest; [n, T-1]."""
    logits, answer = model.run(ids, patch).logits[:, :-1], ids[:, 1:]
    chance = softmax(logits)                                        # [n, T-1, V]
    p = np.take_along_axis(chance, answer[..., None], axis=-1)[..., 0]
    return -np.log(np.maximum(p, 1e-300)), logits.argmax(-1) == answer


def on_copy(model: GPT, ids: Array, copy: Array,
            patch: Patch | None = None) -> dict[str, float]:
    """Mean loss on the copy, and the share of its names said right."""
    losses, right = surprise(model, ids, patch)
    return {"loss": float(losses[copy].mean()), "right": float(right[copy].mean())}


def head_scores(model: GPT, ids: Array, patch: Patch | None = None,
                ) -> dict[str, list[list[float]]]:
    """{"previous": [layer][head], "matching": [layer][head]} on these rows."""
    maps = model.run(ids, patch, trace=True).maps(model.cfg.n_layer)
    return {"previous": [previous_token_score(W).mean(0).tolist() for W in maps],
            "matching": [prefix_matching_score(W, ids, ignore=0).score.tolist()
                         for W in maps]}


def snapshot(model: GPT, ids: Array, copy: Array) -> dict[str, Any]:
    """One point of a history: losses, share right, in-context score, all heads."""
    losses, right = surprise(model, ids)
    return {"loss": losses[copy].mean(), "first_list": losses[~copy].mean(),
            "right": right[copy].mean(),
            "in_context": in_context_score(losses, EARLY, LATE),
            **head_scores(model, ids)}


def rounded(value: Any, digits: int = 4) -> Any:
    """Numbers cut to a few digits, all the way down: a history stays small."""
    if isinstance(value, dict):
        return {k: rounded(v, digits) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(v, digits) for v in value]
    if isinstance(value, float | np.floating):
        return round(float(value), digits)
    return value


def grown(recipe: Recipe, every: int = EVERY) -> tuple[GPT, list[dict[str, Any]]]:
    """Train a recipe and watch it grow: the model, and a snapshot each few steps."""
    tiny_gpt = importlib.import_module("tiny_gpt")      # torch, only to make a record
    ids, copy = rows(recipe)
    history: list[dict[str, Any]] = []

    def watch(step: int, model: Any) -> bool:
        if step == 1 or step % every == 0:
            now = GPT(recipe.config, tiny_gpt.tensors(model))
            history.append({"step": step, **rounded(snapshot(now, ids, copy))})
        return False

    tensors, _ = tiny_gpt.train(recipe, watch=watch)
    return GPT(recipe.config, tensors), history


def without_repeats(ids: Array, seed: int, names: int = 48) -> Array:
    """The same rows up to the end of the first saying, then names not yet said."""
    rng, out = np.random.default_rng([seed, 1]), ids.copy()
    for row in out:
        again = next(t for t in range(1, len(row)) if row[t] in row[1:t])
        rest = np.setdiff1d(np.arange(1, names + 1), row[1:again])
        row[again:] = rng.permutation(rest)[:len(row) - again]
    return out


def cut_edges(layer: int, heads: Iterable[int], edges: Array) -> Patch:
    """Forbid these heads to look where edges [n, T, T] is True; a row keeps some key."""
    def edit(scores: Array) -> Array:                               # [B, h, T, T]
        for head in heads:
            scores[:, head][edges] = -np.inf
        return scores
    return {f"{layer}.scores": edit}


def mean_head(trace: dict[str, Array], layer: int, head: int) -> Patch:
    """Let a head fetch the same everywhere: its mean over the rows and places of a run."""
    mean = trace[f"{layer}.heads"][:, head].mean((0, 1))            # [w]

    def edit(heads: Array) -> Array:                                # [B, h, T, w]
        heads[:, head] = mean
        return heads
    return {f"{layer}.heads": edit}


def says_what_it_sees(model: GPT, layer: int, head: int) -> float:
    """Copying score of one head, the gains of the two norms on its way included."""
    w, at = model.w, slice(head * model.cfg.head_width, (head + 1) * model.cfg.head_width)
    enter, leave = w[f"blocks.{layer}.norm1.weight"], w["norm_f.weight"]    # [d] each
    W_V = enter[:, None] * w[f"blocks.{layer}.attn.v.weight"][at].T         # [d, w]
    W_O = w[f"blocks.{layer}.attn.out.weight"][:, at].T                     # [w, d]
    table = w["wte.weight" if model.cfg.tied else "lm_head.weight"]         # [V, d]
    return float(copying_score(w["wte.weight"], W_V, W_O, leave[:, None] * table.T))


# --- the jump -----------------------------------------------------------------------
WINDOW = 25


def jump(history: list[dict[str, Any]]) -> dict[str, Any]:
    """The steepest WINDOW steps of the loss on the copy: where, from what, to what.

    share: of the whole fall, first point to last; early: the share of the fall that
    the steps before the window made; half_right: the first step with half of the copy
    right (None if never).
    """
    steps = [h["step"] for h in history]
    loss = np.array([h["loss"] for h in history])
    last = {s: i for i, s in enumerate(steps)}
    ends = [(last[s], last[s + WINDOW]) for s in steps if s + WINDOW in last]
    start, end = max(ends, key=lambda pair: loss[pair[0]] - loss[pair[1]])
    fall = max(loss[0] - loss[-1], 1e-12)               # flat: no share of anything
    half = [s for s, h in zip(steps, history, strict=True) if h["right"] >= 0.5]
    return {"from": steps[start], "to": steps[end], "before": float(loss[start]),
            "after": float(loss[end]), "share": float((loss[start] - loss[end]) / fall),
            "early": float((loss[0] - loss[start]) / fall),
            "half_right": half[0] if half else None}


# --- the sweeps ---------------------------------------------------------------------
def longer(recipe: Recipe, times: int) -> Recipe:
    """The same recipe with `times` as many steps."""
    plan = replace(recipe.training, steps=times * recipe.training.steps)
    return replace(recipe, name=f"{recipe.name}_longer", training=plan)


def signed(record: dict[str, Any], *used: Recipe) -> dict[str, Any]:
    """A record with its recipes (their word lists left out), versions and date."""
    told = {r.name: recipes.description(r) for r in used}
    for one in told.values():
        one["content"] = {k: v for k, v in one["content"].items()
                          if k not in ("vocabulary", "world")}
    return record | {"recipes": told, "versions": model_cache.versions(),
                     "date": datetime.date.today().isoformat()}


def slim(point: dict[str, Any]) -> dict[str, Any]:
    """A snapshot with the best head of each kind in place of all heads."""
    return point | {k: max(max(row) for row in point[k]) for k in ("previous", "matching")}


def record_growth(seeds: Iterable[int] = range(10), few: Iterable[int] = range(5),
                  ) -> dict[str, Any]:
    """`grows` from ten seeds, watched; one layer, also thrice as long; fixed distance.

    All heads are kept of the shipped seed, of the others the best of each kind.
    """
    two, one = recipes.named("grows"), recipes.named("grows_one_layer")
    fixed, long = recipes.named("grows_fixed"), longer(one, 3)
    grows, single = [], []
    for seed in seeds:
        model, history = grown(recipes.with_seed(two, seed))
        grows.append({"seed": seed, "cuts": rounded(cuts(model, *rows(two))),
                      "history": [slim(h) for h in history]})
        if seed == two.seed:
            grows[-1]["all_heads"] = [
                {k: h[k] for k in ("step", "previous", "matching")} for h in history]
        say(f"grows {seed}")
    for seed in few:
        entry: dict[str, Any] = {"seed": seed}
        for name, recipe in (("short", one), ("long", long), ("fixed", fixed)):
            model, history = grown(recipes.with_seed(recipe, seed))
            if (name, seed) == ("short", one.seed):
                entry["history"] = [slim(h) for h in history]
            entry[name] = {"own": on_copy(model, *rows(recipe)),
                           "varied": on_copy(model, *rows(two)),
                           **head_scores(model, rows(recipe)[0])}
        single.append(rounded(entry))
        say(f"one layer {seed}")
    return signed({"every": EVERY, "grows": grows, "one_layer": single}, two, one, long,
                  fixed)


def further_apart(name: str) -> Recipe:
    """`no_positions` or `with_rope`, trained on longer rows with longer lists."""
    recipe = recipes.named(name)
    sizes = dict(recipe.data.sizes) | {"length": 48, "shortest": 8, "longest": 20}
    return replace(recipe, name=f"{name}_far",
                   data=replace(recipe.data, sizes=tuple(sorted(sizes.items()))),
                   training=replace(recipe.training, length=48))


def record_places(near: Iterable[int] = range(5), far: Iterable[int] = range(3),
                  ) -> dict[str, Any]:
    """With and without positions: as shipped (five seeds), and at longer distances."""
    kinds, runs = ("no_positions", "with_rope"), []
    jobs = [(recipes.named(n), n, "near", s) for s in near for n in kinds]
    jobs += [(further_apart(n), n, "far", s) for s in far for n in kinds]
    for recipe, name, distance, seed in jobs:
        weights = model_cache.load(recipes.with_seed(recipe, seed), "cached")
        model, (ids, copy) = GPT(recipe.config, weights), rows(recipe)
        runs.append(rounded({"model": name, "distance": distance, "seed": seed,
                             **on_copy(model, ids, copy), **head_scores(model, ids)}))
        say(f"{name} {distance} {seed} {runs[-1]['right']}")
    return signed({"runs": runs}, *{job[0].name: job[0] for job in jobs}.values())


def head_roles(scores: dict[str, Any]) -> dict[str, list[int]]:
    """Which head looks most at the word before, which most at the match."""
    def best(table: list[list[float]]) -> list[int]:
        at = np.unravel_index(np.argmax(table), np.shape(table))
        return [int(i) for i in at]
    return {"previous": best(scores["previous"]), "matching": best(scores["matching"])}


def cuts(model: GPT, ids: Array, copy: Array) -> dict[str, Any]:
    """Each head's output set to zero in turn: loss and share right on the copy."""
    cfg, scores = model.cfg, head_scores(model, ids)
    heads = [[on_copy(model, ids, copy, zero_head(l, h)) for h in range(cfg.n_head)]
             for l in range(cfg.n_layer)]
    layers = [on_copy(model, ids, copy, combine([zero_head(l, h)
                                                 for h in range(cfg.n_head)]))
              for l in range(cfg.n_layer)]
    return {"whole": on_copy(model, ids, copy), "heads": heads, "layers": layers,
            "roles": head_roles(scores), "scores": scores}


def with_lists(lists: int, **switches: Any) -> Recipe:
    """The country model with so many lists in each round; RoPE unless said."""
    base = recipes.named("base")
    return replace(base, name=f"lists_{lists}", data=RepeatedWorldData(lists=lists),
                   config=replace(base.config, **{"positions": "rope"} | switches),
                   training=replace(base.training, steps=600))


def share_of_tokens(recipe: Recipe) -> float:
    """How much of the corpus, in words, are lists said twice."""
    documents = recipe.data.documents()
    of = [sum(len(d.words) for d in documents if (d.kind == "repeat") == said)
          for said in (True, False)]
    return of[0] / sum(of)


def copy_scores(model: GPT, pool: list[int]) -> dict[str, Any]:
    """Head scores on names said twice, as in the copy test of demo 04."""
    rng = np.random.default_rng(EVAL_SEED)
    names = np.array([rng.permutation(pool)[:probes_np.NAMES_IN_COPY] for _ in range(ROWS)])
    ids = np.concatenate([np.zeros((ROWS, 1), int), names, names], axis=1)  # [n, 25]
    return head_scores(model, ids)


def of_world(model: GPT, world: Any) -> dict[str, Any]:
    """Does it answer, does it copy, and which heads has it?"""
    pool, q = probes_np.copy_pool(world), probes_np.questions(world)
    return {"right": probes_np.right(model, q), "copied": probes_np.copied(model, pool),
            **copy_scores(model, pool)}


def measured_share(recipe: Recipe, seed: int) -> dict[str, Any]:
    """Train the country model on one mixture from one seed, and measure it."""
    weights, _ = model_cache.make(recipes.with_seed(recipe, seed))
    found = of_world(GPT(recipe.config, weights), recipe.data.world())
    say(f"{recipe.data.lists} {recipe.config.positions} {seed} {found['copied']}")
    return rounded({"lists": recipe.data.lists, "positions": recipe.config.positions,
                    "seed": seed, "share": share_of_tokens(recipe), **found})


def record_shares(seeds: Iterable[int] = range(3), more: Iterable[int] = range(3, 5),
                  ) -> dict[str, Any]:
    """The country model with growing shares of repeats, and once with a table of places.

    The two largest shares are trained from `more` seeds as well: there it hangs on luck.
    """
    jobs = [(with_lists(n), list(seeds)) for n in LISTS]
    jobs.append((with_lists(LISTS[-1], positions="learned"), list(seeds)))
    jobs += [(with_lists(n), list(more)) for n in LISTS[-2:]]
    runs = [measured_share(recipe, seed) for recipe, some in jobs for seed in some]
    used = {(r.name, r.config.positions): r for r, _ in jobs}
    return signed({"runs": runs}, *(replace(r, name=f"{name}_{positions}")
                                    for (name, positions), r in used.items()))


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


RECORDS: dict[str, Callable[[], dict[str, Any]]] = {
    "growth": record_growth, "copy_places": record_places, "shares": record_shares}

if __name__ == "__main__":
    for name in sys.argv[1:] or RECORDS:
        say(str(records.write(name, RECORDS[name]())))
