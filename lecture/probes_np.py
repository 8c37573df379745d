"""What does the trained country model do, and which of its edges does it need?

One place for the measurements of demo 04.5 and of its record over many seeds, so that
the screen and the record cannot measure two different things. Everything is NumPy and
takes a `gpt_np.GPT`. A count is "of 96": 24 countries times 4 relations.

Left out: why a head does what it does. A cut tells that an edge is needed, not what
travels along it; `swapped` asks that one question more.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lecture import model_cache, recipes
from lecture.gpt_np import GPT, Patch, combine, cut_edge, set_value
from lecture.recipes import Recipe
from pretrain_world import Tokenizer, World, exam, tokenizer

RELATION_WORDS = frozenset("capital language speak known leads of for in".split())
NAMES_IN_COPY, COPY_SEQUENCES = 12, 100

Array = np.ndarray


@dataclass(frozen=True)
class Questions:
    """The world's questions as one padded batch; n = countries x relations.

    ids [n, T], padded on the right with id 0, where no query of a causal model looks;
    last [n]: where the answer begins; country [n]: where the country stands;
    relation [n, T]: True on relation words; answers [n]: ids of the right words.
    """

    ids: Array
    last: Array
    country: Array
    relation: Array
    answers: Array


def questions(world: World, tok: Tokenizer | None = None, form: int = 0) -> Questions:
    """All questions of a world in one phrasing (form -1: the held-out one)."""
    tok = tok or tokenizer(world)
    sheet = exam(world, form)
    rows = [tok.encode(prompt) for prompt, _, _, _ in sheet]
    ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, :len(row)] = row
    last = np.array([len(row) - 1 for row in rows])
    country = np.array([row.index(tok.stoi[c.name])
                        for row, (_, _, c, _) in zip(rows, sheet, strict=True)])
    words = [tok.stoi[w] for w in RELATION_WORDS if w in tok.stoi]
    inside = np.arange(ids.shape[1]) <= last[:, None]               # [n, T]
    return Questions(ids, last, country, np.isin(ids, words) & inside,
                     np.array([tok.stoi[a] for _, a, _, _ in sheet]))


def said(model: GPT, q: Questions, patch: Patch | None = None) -> Array:
    """The word (id) the model answers to each question [n], greedily."""
    logits = model.run(q.ids, patch).logits                         # [n, T, V]
    return logits[np.arange(len(q.ids)), q.last].argmax(-1)


def right(model: GPT, q: Questions, patch: Patch | None = None) -> int:
    """How many of the questions get the right word."""
    return int((said(model, q, patch) == q.answers).sum())


def looks(model: GPT, q: Questions) -> dict[str, Any]:
    """Mean weight, from where the answer begins, on country and on relation words.

    {"country": [layer][head], "relation": [layer][head], "uniform": mean of 1 / T,
    "right": how many of the questions this same run answers rightly}.
    """
    n, rows = len(q.ids), np.arange(len(q.ids))
    run = model.run(q.ids, trace=True)
    found: dict[str, Any] = {"country": [], "relation": [],
                             "uniform": float((1 / (q.last + 1)).mean()),
                             "right": int((run.logits[rows, q.last].argmax(-1)
                                           == q.answers).sum())}
    for maps in run.maps(model.cfg.n_layer):                        # [n, h, T, T]
        row = maps[rows, :, q.last]                                 # [n, h, T]
        found["country"].append(row[rows, :, q.country].mean(0).tolist())
        total = np.einsum("nht,nt->h", row, q.relation) / n
        found["relation"].append(total.tolist())
    return found


def best_head(weights: list[list[float]]) -> tuple[int, int]:
    """(layer, head) of the largest number; ties go to the earlier one."""
    table = np.array(weights)
    layer, head = np.unravel_index(table.argmax(), table.shape)
    return int(layer), int(head)


def left_after_cuts(model: GPT, q: Questions) -> dict[str, Any]:
    """How many stay right without the edge from the answer's place to the country.

    {"head": [layer][head], "all": count with the edge cut in every head}.
    """
    cfg = model.cfg
    cuts = [[cut_edge(layer, head, q.last, q.country) for head in range(cfg.n_head)]
            for layer in range(cfg.n_layer)]
    everything = combine([cut for row in cuts for cut in row])
    return {"head": [[right(model, q, cut) for cut in row] for row in cuts],
            "all": right(model, q, everything)}


def swapped(model: GPT, q: Questions, layer: int, head: int,
            shift: int = 1) -> dict[str, int]:
    """Give a head the value of another country, and count what is answered then.

    Every question keeps its words; only the value that this head finds at the country
    comes from the same question about the country `shift` places on. {"own": still
    the right answer, "other": now the other country's}. Query head = key-value head.
    """
    relations = 4
    rows = np.arange(len(q.ids))
    v = model.run(q.ids, trace=True).trace[f"{layer}.v"]            # [n, h, T, w]
    other = np.roll(rows, -shift * relations)
    value = v[other, head, q.country[other]]                        # [n, w]
    now = said(model, q, set_value(layer, head, q.country, value))
    return {"own": int((now == q.answers).sum()),
            "other": int((now == q.answers[other]).sum())}


def copied(model: GPT, pool: Any, seed: int = 0,
           patch: Patch | None = None) -> dict[str, int]:
    """Copy test: start, 12 names in a drawn order, the same 12 again.

    pool: ids to draw from. {"hits", "total"}: steps inside the second list, without
    its first name (nothing says that a repeat begins); 100 sequences, 1,100 steps.
    """
    rng, k = np.random.default_rng(seed), NAMES_IN_COPY
    names = np.array([rng.choice(pool, size=k, replace=False)
                      for _ in range(COPY_SEQUENCES)])              # [100, 12]
    start = np.zeros((COPY_SEQUENCES, 1), dtype=np.int64)           # <doc> is id 0
    ids = np.concatenate([start, names, names], axis=1)             # [100, 25]
    guess = model.run(ids, patch).logits[:, k + 1:-1].argmax(-1)           # [100, 11]
    hits = guess == ids[:, k + 2:]
    return {"hits": int(hits.sum()), "total": hits.size}


def copy_pool(world: World, tok: Tokenizer | None = None) -> list[int]:
    """Ids of the capitals, then of the leaders: 48 names in a world of 24."""
    tok = tok or tokenizer(world)
    return [tok.stoi[name] for name in world.copy_pool()]


def measure(model: GPT, world: World) -> dict[str, Any]:
    """Everything the record of `base` keeps of one training."""
    tok = tokenizer(world)
    q = questions(world, tok)
    look, cuts = looks(model, q), left_after_cuts(model, q)
    layer, head = best_head(look["country"])
    return {"right": look["right"], "questions": len(q.ids),
            "held_out_right": right(model, questions(world, tok, form=-1)),
            "copied": copied(model, copy_pool(world, tok)),
            "weight_on_country": look["country"],
            "weight_on_relation": look["relation"],
            "best_head": [layer, head], "left_after_cut": cuts["head"],
            "left_after_all_cuts": cuts["all"],
            "swapped": swapped(model, q, layer, head)}


def record_of_seeds(recipe: Recipe, seeds: Iterable[int],
                    told: Callable[[int, dict[str, Any]], None] | None = None,
                    ) -> dict[str, Any]:
    """Train a recipe of a world from each seed and measure it: demos/records, as data.

    No seed is left out. `told(seed, entry)` hears of each as it is done. Takes as long
    as the trainings do.
    """
    world, runs = recipe.data.world(), []
    for seed in seeds:
        weights, _ = model_cache.make(recipes.with_seed(recipe, seed))
        entry = {"seed": seed, **measure(GPT(recipe.config, weights), world),
                 "loss": weights.history[-1]["loss"]}
        runs.append(entry)
        if told is not None:
            told(seed, entry)
    return {"fingerprint": recipes.fingerprint(recipe), "name": recipe.name,
            "recipe": recipes.described(recipe.training), "runs": runs,
            "versions": model_cache.versions(),
            "date": datetime.date.today().isoformat()}
