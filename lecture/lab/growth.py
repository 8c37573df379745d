"""How does an induction head grow?  What is measured on the way.

Demo 12 measures its shipped models with these functions; its records measure many
trainings with the same ones (benchmarks/records/growth.py), so the screen and the record
cannot speak of different things.  A row is a start token and a list of names said over and
over; the copy is all that the first saying determines.

Unlike tiny_gpt: nothing is trained here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from attention_np import softmax
from lecture.data import tasks
from lecture.inputs import whole
from lecture.lab import probes
from lecture.lab.heads import (
    copying_score,
    in_context_score,
    prefix_matching_score,
    previous_token_score,
)
from lecture.models.gpt_np import GPT, Patch
from lecture.models.recipes import Recipe

ROWS, EVAL_SEED = 64, 999               # never drawn in a training: those start at 0, 1, ..
EARLY, LATE = slice(0, 7), slice(23, None)
Array = np.ndarray


def rows(recipe: Recipe, seed: int = EVAL_SEED, count: int = ROWS,
         **sizes: int) -> tuple[Array, Array]:
    """Fresh rows of a recipe's task: ids [n, T], copy [n, T-1].

    copy is True where an earlier saying determines the step to the next name.
    sizes: other than the recipe's own.
    """
    own = {"names": 48, "shortest": 8, "longest": 15, "length": 32}
    chosen = own | dict(recipe.data.sizes) | sizes
    whole("count", count, 1), whole("seed", seed, 0)
    ids, mask = tasks.repeats(np.random.default_rng(seed), count, **chosen)
    copy = mask[:, :-1]                                             # [n, T-1]
    # the step at which the list begins again is left out: nothing read so far foretells it
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
    if not np.any(copy):
        raise ValueError("no step is a copy: nothing to average")
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


def head_roles(scores: dict[str, Any]) -> dict[str, list[int]]:
    """Which head looks most at the word before, which most at the match."""
    def best(table: list[list[float]]) -> list[int]:
        at = np.unravel_index(np.argmax(table), np.shape(table))
        return [int(i) for i in at]
    return {"previous": best(scores["previous"]), "matching": best(scores["matching"])}


def copy_scores(model: GPT, pool: list[int]) -> dict[str, Any]:
    """Head scores on names said twice, as in the copy test of demo 04."""
    rng = np.random.default_rng(EVAL_SEED)
    names = np.array([rng.permutation(pool)[:probes.NAMES_IN_COPY] for _ in range(ROWS)])
    ids = np.concatenate([np.zeros((ROWS, 1), int), names, names], axis=1)  # [n, 25]
    return head_scores(model, ids)


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
    if not any(s + WINDOW in last for s in steps):
        raise ValueError(f"a history has two points {WINDOW} steps apart, got {steps[:9]}")
    ends = [(last[s], last[s + WINDOW]) for s in steps if s + WINDOW in last]
    start, end = max(ends, key=lambda pair: loss[pair[0]] - loss[pair[1]])
    fall = max(loss[0] - loss[-1], 1e-12)               # flat: no share of anything
    half = [s for s, h in zip(steps, history, strict=True) if h["right"] >= 0.5]
    return {"from": steps[start], "to": steps[end], "before": float(loss[start]),
            "after": float(loss[end]), "share": float((loss[start] - loss[end]) / fall),
            "early": float((loss[0] - loss[start]) / fall),
            "half_right": half[0] if half else None}
