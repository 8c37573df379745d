"""How do induction heads grow, over many seeds?  Makes growth, shares and copy_places.json.

    python -m benchmarks.records.growth [growth] [shares] [copy_places] [--to FOLDER]

growth: `grows` watched while it learns, one layer beside it, and fixed distances. shares:
the country model with more and more lists said twice in what it reads. copy_places: with
and without positions, near and far. All is measured by lecture/lab/growth.py, as in demo
12. Torch, some tens of minutes on one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

import tiny_gpt
from benchmarks import making
from lecture.lab import probes
from lecture.lab.growth import copy_scores, head_roles, head_scores, on_copy, rows, snapshot
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT, combine, zero_head
from lecture.models.recipes import Recipe, RepeatedWorldData

Array = np.ndarray
EVERY = 5                               # steps between two points of a history
LISTS = (0, 15, 30, 60, 120, 240, 480)  # a round, beside the world's 672 documents


def grown(recipe: Recipe, every: int = EVERY) -> tuple[GPT, list[dict[str, Any]]]:
    """Train a recipe and watch it grow: the model, and a snapshot each few steps."""
    ids, copy = rows(recipe)
    history: list[dict[str, Any]] = []

    def watch(step: int, model: Any) -> bool:
        if step == 1 or step % every == 0:
            now = GPT(recipe.config, tiny_gpt.tensors(model))
            history.append({"step": step, **making.rounded(snapshot(now, ids, copy))})
        return False

    tensors, _ = tiny_gpt.train(recipe, watch=watch)
    return GPT(recipe.config, tensors), history


def longer(recipe: Recipe, times: int) -> Recipe:
    """The same recipe with `times` as many steps."""
    plan = replace(recipe.training, steps=times * recipe.training.steps)
    return replace(recipe, name=f"{recipe.name}_longer", training=plan)


def described(*used: Recipe) -> dict[str, Any]:
    """The recipes of a record by name, their word lists left out."""
    told = {r.name: recipes.description(r) for r in used}
    for one in told.values():
        one["content"] = {k: v for k, v in one["content"].items()
                          if k not in ("vocabulary", "world")}
    return told


def slim(point: dict[str, Any]) -> dict[str, Any]:
    """A snapshot with the best head of each kind in place of all heads."""
    return point | {k: max(max(row) for row in point[k]) for k in ("previous", "matching")}


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
        grows.append({"seed": seed, "cuts": making.rounded(cuts(model, *rows(two))),
                      "history": [slim(h) for h in history]})
        if seed == two.seed:
            grows[-1]["all_heads"] = [
                {k: h[k] for k in ("step", "previous", "matching")} for h in history]
        making.say(f"grows {seed}")
    for seed in few:
        entry: dict[str, Any] = {"seed": seed}
        for name, recipe in (("short", one), ("long", long), ("fixed", fixed)):
            model, history = grown(recipes.with_seed(recipe, seed))
            if (name, seed) == ("short", one.seed):
                entry["history"] = [slim(h) for h in history]
            entry[name] = {"own": on_copy(model, *rows(recipe)),
                           "varied": on_copy(model, *rows(two)),
                           **head_scores(model, rows(recipe)[0])}
        single.append(making.rounded(entry))
        making.say(f"one layer {seed}")
    return {"every": EVERY, "grows": grows, "one_layer": single,
            "recipes": described(two, one, long, fixed)}


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
        runs.append(making.rounded({"model": name, "distance": distance, "seed": seed,
                             **on_copy(model, ids, copy), **head_scores(model, ids)}))
        making.say(f"{name} {distance} {seed} {runs[-1]['right']}")
    used = {job[0].name: job[0] for job in jobs}
    return {"runs": runs, "recipes": described(*used.values())}


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


def of_world(model: GPT, world: Any) -> dict[str, Any]:
    """Does it answer, does it copy, and which heads has it?"""
    pool, q = probes.copy_pool(world), probes.questions(world)
    return {"right": probes.right(model, q), "copied": probes.copied(model, pool),
            **copy_scores(model, pool)}


def measured_share(recipe: Recipe, seed: int) -> dict[str, Any]:
    """Train the country model on one mixture from one seed, and measure it."""
    found = of_world(making.anew(recipe, seed)[0], recipe.data.world())
    making.say(f"{recipe.data.lists} {recipe.config.positions} {seed} {found['copied']}")
    return making.rounded({"lists": recipe.data.lists, "positions": recipe.config.positions,
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
    return {"runs": runs, "recipes": described(
        *(replace(r, name=f"{name}_{positions}") for (name, positions), r in used.items()))}


RECORDS: dict[str, Callable[[], dict[str, Any]]] = {
    "growth": record_growth, "shares": record_shares, "copy_places": record_places}


def main() -> None:
    """Train, measure, keep."""
    wish = making.wishes(__doc__, several=tuple(RECORDS))
    for name in wish.names:
        making.keep(name, RECORDS[name](), wish.to)


if __name__ == "__main__":
    main()
