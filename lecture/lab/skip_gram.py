"""Can a word be learned by guessing its company, rather than by counting it?

Skip-gram with negative sampling (Mikolov et al. 2013): each word has two rows, one as a
word and one as company.  A pair that stands in one document is to score high (the dot
product of the one's row and the other's), a pair made up with a word drawn at random low:

    ln s(w . c) + sum over k drawn words of ln s(-w . c'),     s(x) = 1 / (1 + e^-x)

Company is the whole document, as in `embed.cooccurrence`, so that the two ways to make
vectors see the same pairs.  The gradient is written out by hand; a test compares it with
differences.  Unlike `embed` a rule is followed many times, so the demo shows a record, made
by benchmarks/records/skip_gram.py.  Left out: a narrow window, dropping frequent words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Setup:
    """Everything one training depends on, besides its pairs, width and seed."""

    negatives: int = 5               # k, words drawn for each pair
    power: float = 0.75              # drawn by count to this power
    epochs: int = 15
    batch: int = 256                 # b, pairs a step
    rate: float = 0.01               # Adam's


def pairs(rows: Sequence[Sequence[int]]) -> Array:
    """Every (word, company) of two places in one row: [n, 2]."""
    found = [np.array(row)[np.argwhere(~np.eye(len(row), dtype=bool))]
             for row in rows if len(row) > 1]                   # each [T (T - 1), 2]
    return np.concatenate(found)


def gradient(W: Array, C: Array, word: Array, beside: Array,
             drawn: Array) -> tuple[float, Array, Array]:
    """Mean loss (nats), and the gradient of both tables [V, d].

    word [b], beside [b] its company, drawn [b, k] words that are not meant.
    """
    told = np.concatenate([beside[:, None], drawn], axis=1)     # [b, 1 + k]
    sign = np.where(np.arange(told.shape[1]) == 0, 1.0, -1.0)   # [1 + k]
    w, c = W[word], C[told]                                     # [b, d], [b, 1 + k, d]
    score = sign * (c @ w[:, :, None])[:, :, 0]                 # [b, 1 + k]
    loss = np.logaddexp(0.0, -score).sum() / len(word)          # -ln s(score)
    pull = -sign / (1.0 + np.exp(score)) / len(word)            # [b, 1 + k]
    dW, dC = np.zeros_like(W), np.zeros_like(C)
    np.add.at(dW, word, (pull[:, None] @ c)[:, 0])              # [b, 1, 1+k] @ [b, 1+k, d]
    np.add.at(dC, told, pull[:, :, None] * w[:, None])          # [b, 1 + k, d]
    return float(loss), dW, dC


def train(rows: Sequence[Sequence[int]], size: int, dims: int, seed: int,
          setup: Setup | None = None) -> tuple[Array, Array, list[float]]:
    """Both tables [size, dims], and the mean loss of each epoch.

    Draws, in this order: both tables; for each epoch the order of pairs and the negatives.
    """
    setup = setup or Setup()
    rng = np.random.default_rng(seed)
    tables = [rng.uniform(-0.5, 0.5, (size, dims)) / dims for _ in range(2)]
    seen = pairs(rows)                                          # [n, 2]
    odds = np.bincount(seen[:, 1], minlength=size) ** setup.power
    odds /= odds.sum()
    first, second = ([np.zeros((size, dims)) for _ in range(2)] for _ in range(2))
    curve, step = [], 0
    for _ in range(setup.epochs):
        order = rng.permutation(len(seen))
        drawn = rng.choice(size, (len(seen), setup.negatives), p=odds)
        losses = []
        for start in range(0, len(seen), setup.batch):
            here = order[start:start + setup.batch]
            loss, *grads = gradient(tables[0], tables[1], seen[here, 0], seen[here, 1],
                                    drawn[here])
            step += 1
            for x, g, m, v in zip(tables, grads, first, second, strict=True):   # Adam
                m += 0.1 * (g - m)
                v += 0.001 * (g * g - v)
                x -= setup.rate * (m / (1 - 0.9 ** step)) / (
                    np.sqrt(v / (1 - 0.999 ** step)) + 1e-8)
            losses.append(loss)
        curve.append(float(np.mean(losses)))
    return tables[0], tables[1], curve
