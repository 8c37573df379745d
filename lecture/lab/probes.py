"""What does the trained country model do, and which of its edges does it need?

One place for the measurements of demo 04.5 and of its record over many seeds, so that
the screen and the record cannot measure two different things. Everything is NumPy and
takes a `gpt_np.GPT`. A count is "of 96": 24 countries times 4 relations.

Left out: why a head does what it does. A cut tells that an edge is needed, not what
travels along it; `swapped` asks that one question more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lecture.inputs import ids as whole_ids
from lecture.inputs import whole
from lecture.lab.heads import best_head
from lecture.models.gpt_np import GPT, Patch, Run, combine, cut_edge, set_value
from pretrain_world import RELATIONS, Tokenizer, World, exam, tokenizer

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

    def of(self, rows: Array) -> Questions:
        """Some of the questions, rows [m], as a batch of their own."""
        return Questions(self.ids[rows], self.last[rows], self.country[rows],
                         self.relation[rows], self.answers[rows])


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


def looks(model: GPT, q: Questions, run: Run | None = None) -> dict[str, Any]:
    """Mean weight, from where the answer begins, on country and on relation words.

    run: of these questions with its trace, where there is one already.

    {"country": [layer][head], "relation": [layer][head], "uniform": mean of 1 / T,
    "right": how many of the questions this same run answers rightly}.
    """
    n, rows = len(q.ids), np.arange(len(q.ids))
    run = run or model.run(q.ids, trace=True)
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
    whole("layer", layer, 0, model.cfg.n_layer - 1), whole("shift", shift)
    whole("head", head, 0, model.cfg.kv_heads - 1)
    relations = 4
    rows = np.arange(len(q.ids))
    v = model.run(q.ids, trace=True).trace[f"{layer}.v"]            # [n, h, T, w]
    other = np.roll(rows, -shift * relations)
    value = v[other, head, q.country[other]]                        # [n, w]
    now = said(model, q, set_value(layer, head, q.country, value))
    return {"own": int((now == q.answers).sum()),
            "other": int((now == q.answers[other]).sum())}


def hand_over(model: GPT, q: Questions, heads: Iterable[tuple[int, int]],
              donors: Array, trace: Mapping[str, Array] | None = None) -> Patch:
    """Let heads (layer, head) hand over, where the answer begins, what they fetch there for
    another question: donors [n], rows of the same sheet. No word is changed.

    trace: of a run of these questions, where there is one already.
    """
    rows = np.arange(len(q.ids))
    trace = model.run(q.ids, trace=True).trace if trace is None else trace
    patches = []
    for layer, head in heads:
        whole("layer", layer, 0, model.cfg.n_layer - 1)
        whole("head", head, 0, model.cfg.n_head - 1)
    donors = whole_ids("donors", donors, len(q.ids))
    for layer, head in heads:
        fetched = trace[f"{layer}.heads"][donors, head, q.last[donors]]         # [n, w]

        def edit(a: Array, head: int = head, fetched: Array = fetched) -> Array:
            a[rows, head, q.last] = fetched                         # [n, h, T, w]
            return a
        patches.append({f"{layer}.heads": edit})
    return combine(patches)


def next_country(q: Questions) -> Array:
    """For each question the row of the same question about the next country [n]."""
    return np.roll(np.arange(len(q.ids)), -len(RELATIONS))


def next_question(q: Questions) -> Array:
    """For each question the row of the next question about the same country [n]."""
    sheet = np.arange(len(q.ids)).reshape(-1, len(RELATIONS))       # [countries, 4]
    return np.roll(sheet, -1, axis=1).ravel()


def heads_of(model: GPT) -> list[tuple[int, int]]:
    """(layer, head) of every head, in order."""
    return [(i, j) for i in range(model.cfg.n_layer)
            for j in range(model.cfg.n_head)]


def one_question(model: GPT, q: Questions, tok: Tokenizer) -> dict[str, Any]:
    """The first question, and each head's look from its last place."""
    last = int(q.last[0])
    maps = model.run(q.ids[:1], trace=True).maps(model.cfg.n_layer)
    looks = np.concatenate([m[0, :, last, :last + 1] for m in maps])
    words = [tok.itos[i] for i in q.ids[0, :last + 1]]
    return {"words": words, "prompt": " ".join(words),
            "heads": [f"L{i}H{j}" for i, j in heads_of(model)],
            "weights": looks.T,                 # [heads, T] -> [T, heads]
            "answer": tok.itos[q.answers[0]]}


def asked_about(model: GPT, q: Questions, tok: Tokenizer,
                one_edge: bool = False, run: Run | None = None) -> dict[str, Any]:
    """For each relation and head: the place looked at most from the last
    one, its mean weight over the countries, and what is right without it.
    run: as for `looks`.

    A word is named by itself, <country> or <self> (the last place).
    one_edge: whatever is looked at, the first head's edge is cut.
    """
    maps = (run or model.run(q.ids, trace=True)).maps(model.cfg.n_layer)
    found: dict[str, Any] = {}
    for r, relation in enumerate(RELATIONS):
        rows = np.arange(r, len(q.ids), len(RELATIONS))         # [24]
        one, last, ours = rows[0], int(q.last[rows[0]]), q.of(rows)
        found[relation] = {}
        for layer, head in heads_of(model):
            look = maps[layer][rows, head, last, :last + 1]     # [24, T]
            place = int(look.mean(axis=0).argmax())
            name = {int(q.country[one]): "<country>", last: "<self>"}.get(
                place, tok.itos[q.ids[one, place]])
            edge = ((0, 0, ours.country) if one_edge else (layer, head, place))
            cut = cut_edge(*edge[:2], ours.last, edge[2])
            found[relation][f"L{layer}H{head}"] = {
                "word": name, "weight": look[:, place].mean(),
                "left": right(model, ours, cut)}
    return found


def exchanged(model: GPT, q: Questions, own: bool,
              run: Run | None = None) -> dict[str, Any]:
    """How many answers follow when heads hand over another question's.

    own: they hand over what they have anyway (the control). run: as for `looks`.
    """
    rows, everyone = np.arange(len(q.ids)), heads_of(model)
    trace = (run or model.run(q.ids, trace=True)).trace
    found: dict[str, Any] = {"country": {}, "question": {}}

    def follow(donors: Array, heads: list[tuple[int, int]]) -> int:
        patch = hand_over(model, q, heads, rows if own else donors, trace)
        return int((said(model, q, patch) == q.answers[donors]).sum())

    for head in everyone:
        name = f"L{head[0]}H{head[1]}"
        found["country"][name] = follow(next_country(q), [head])
        found["question"][name] = follow(next_question(q), [head])
    country = max(everyone, key=lambda h: found["country"][f"L{h[0]}H{h[1]}"])
    rest = [h for h in everyone if h != country]
    pair = sorted(rest, key=lambda h: -found["question"][f"L{h[0]}H{h[1]}"])[:2]
    return {**found, "country_head": f"L{country[0]}H{country[1]}",
            "most": found["country"][f"L{country[0]}H{country[1]}"],
            "others": max(v for k, v in found["country"].items()
                          if k != f"L{country[0]}H{country[1]}"),
            "pair": [f"L{i}H{j}" for i, j in sorted(pair)],
            "alone": [found["question"][f"L{i}H{j}"] for i, j in sorted(pair)],
            "both": follow(next_question(q), pair),
            "both_country": follow(next_country(q), pair)}


def copied(model: GPT, pool: Any, seed: int = 0,
           patch: Patch | None = None) -> dict[str, int]:
    """Copy test: start, 12 names in a drawn order, the same 12 again.

    pool: ids to draw from. {"hits", "total"}: steps inside the second list, without
    its first name (nothing says that a repeat begins); 100 sequences, 1,100 steps.
    """
    pool = whole_ids("pool", pool, model.cfg.vocab_size)
    rng, k = np.random.default_rng(whole("seed", seed, 0)), NAMES_IN_COPY
    if len(pool) < k:
        raise ValueError(f"the pool has at least {k} ids, got {len(pool)}")
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
