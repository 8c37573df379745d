"""Which words may be drawn, if the next word is drawn and not the likeliest one taken?

Two cuts of the tail of a distribution: the k likeliest words (top-k, Fan et al. 2018), or
the fewest likeliest words that together reach p (top-p or nucleus, Holtzman et al. 2020).
What is left is divided by its sum. The other knob is the temperature: softmax(scores / T).

Left out: the drawing itself, penalties for repetition, min-p and typical sampling.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lecture.inputs import numbers, real, whole

Array = np.ndarray


def _sorted(P: Any) -> tuple[Array, Array]:
    """Distributions [.., V] and the order of their words, likeliest first."""
    P = numbers("P", P, 1)
    if not P.shape[-1] or (P < 0).any() or not np.allclose(P.sum(-1), 1, atol=1e-6):
        raise ValueError("P holds probabilities that sum to 1 over at least one word")
    return P, np.argsort(-P, axis=-1, kind="stable")


def _kept(P: Array, order: Array, keep: Array) -> Array:
    """P where the word's rank is kept, 0 elsewhere, divided by what is left."""
    mask = np.zeros(P.shape, bool)
    np.put_along_axis(mask, order, keep, -1)
    left = np.where(mask, P, 0.0)
    return left / left.sum(-1, keepdims=True)                   # [.., V]


def top_k(P: Any, k: int) -> Array:
    """Only the k likeliest words of every row; of equal ones those that stand first."""
    P, order = _sorted(P)
    whole("k", k, 1)
    return _kept(P, order, np.broadcast_to(np.arange(P.shape[-1]) < k, P.shape))


def top_p(P: Any, p: float) -> Array:
    """Only the fewest likeliest words of every row that reach p together."""
    P, order = _sorted(P)
    real("p", p, 0, 1)
    ranked = np.take_along_axis(P, order, -1)
    before = ranked.cumsum(-1) - ranked         # what the likelier words have already
    keep = before < p
    keep[..., 0] = True                         # p = 0: the likeliest alone
    return _kept(P, order, keep)
