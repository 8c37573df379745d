"""Can a look-up be learned without dividing by √d?  One head, trained in NumPy.

The task is demo 04.1 with learning: a line of pairs (word, value), then one of the words;
the answer is the value that stands beside it.  Queries and keys are rows of two tables,
so W_Q and W_K are those tables; they start with variance one, as the random vectors of
demo 04.2 do.  The backward pass is written out by hand: every line of it is the derivative
of a line above it, and a test compares it with differences.

Unlike tiny_gpt: no torch, no layers, no positions; one head and Adam.  The runs take a
while, so the demo shows a record, made by benchmarks/records/scale_training.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_np import softmax
from lecture.inputs import ids, real, whole

Array = np.ndarray


@dataclass(frozen=True)
class Setup:
    """Everything one run depends on, besides its seed and whether it is scaled."""

    words: int = 16                  # S, words a query may ask for
    pairs: int = 8                   # n, pairs in a line
    values: int = 8                  # C, values there are: guessing gets 1 / C
    width: int = 256                 # d
    batch: int = 128                 # b
    steps: int = 400
    rate: float = 3e-3
    tests: int = 256                 # lines never trained on
    every: int = 10                  # steps between two points that are kept
    goal: float = 0.9

    def __post_init__(self) -> None:
        for name in ("words", "values", "width", "batch", "tests", "every"):
            whole(name, getattr(self, name), 1)
        whole("pairs", self.pairs, 1, self.words)
        whole("steps", self.steps, 0)
        real("rate", self.rate, above=0)
        real("goal", self.goal, 0, 1)


class Lookup:
    """One head: tables of queries, keys and values, and a map to the answer."""

    def __init__(self, setup: Setup, scaled: bool, rng: np.random.Generator,
                 small_start: bool = False) -> None:
        self.divide = np.sqrt(setup.width) if scaled else 1.0
        words, values = (setup.words, setup.width), (setup.values, setup.width)
        self.w = {"q": rng.standard_normal(words), "k": rng.standard_normal(words),
                  "v": rng.standard_normal(values),
                  "o": rng.standard_normal(values[::-1]) / np.sqrt(setup.width)}
        if small_start:                     # 1/√d once, in the start, instead of at every look
            self.w["q"] /= np.sqrt(setup.width)

    def loss(self, lines: Array, beside: Array, asked: Array,
             answer: Array) -> tuple[float, Array, dict[str, Array]]:
        """Mean loss (nats), the values said [b], and the gradient of every table.

        lines [b, n] words, beside [b, n] their values, asked [b], answer [b].
        """
        w = self.w
        lines, asked = ids("lines", lines, len(w["q"])), ids("asked", asked, len(w["q"]))
        beside, answer = ids("beside", beside, len(w["v"])), ids("answer", answer, len(w["v"]))
        b = len(asked)
        if lines.ndim != 2 or beside.shape != lines.shape or not b or not (
                asked.shape == answer.shape == lines.shape[:1]):
            raise ValueError(f"lines and beside are [b, n], asked and answer [b], b at least 1, "
                             f"got {lines.shape}, {beside.shape}, {asked.shape}, {answer.shape}")
        row, one = np.arange(b)[:, None], np.eye(len(w["q"]))[asked]    # [b, S]
        Q = w["q"][asked]                                       # [b, d]
        scores = (Q @ w["k"].T)[row, lines] / self.divide       # [b, n]
        A = softmax(scores)                                     # [b, n]
        share = np.zeros((b, len(w["v"])))                      # [b, C] of each value
        np.add.at(share, (row, beside), A)
        out = share @ w["v"]                                    # [b, C] @ [C, d]
        P = softmax(out @ w["o"])                               # [b, C]
        right = P[row[:, 0], answer]                            # [b]

        dlogits = P.copy()                                      # backwards from here
        dlogits[row[:, 0], answer] -= 1
        dlogits /= b                                            # [b, C]
        dout = dlogits @ w["o"].T                               # [b, d]
        dA = (dout @ w["v"].T)[row, beside]                     # [b, n]
        dscores = A * (dA - (A * dA).sum(axis=1, keepdims=True))
        dwords = np.zeros((b, len(w["k"])))                     # [b, S]
        dwords[row, lines] = dscores / self.divide              # a line has no word twice
        grads = {"o": out.T @ dlogits, "v": share.T @ dout,     # [d, C], [C, d]
                 "k": dwords.T @ Q, "q": one.T @ (dwords @ w["k"])}     # [S, d]
        return float(-np.log(right + 1e-300).mean()), P.argmax(axis=1), grads


def fresh_lines(setup: Setup, rng: np.random.Generator,
                b: int) -> tuple[Array, Array, Array, Array]:
    """b lines of different words with random values; which word is asked; the answer."""
    lines = rng.random((whole("b", b, 1), setup.words)).argsort(axis=1)[:, :setup.pairs]
    beside = rng.integers(setup.values, size=lines.shape)       # [b, n]
    place, row = rng.integers(setup.pairs, size=b), np.arange(b)
    return lines, beside, lines[row, place], beside[row, place]


def adam(w: dict[str, Array], grads: dict[str, Array], state: dict[str, Any], step: int,
         rate: float) -> None:
    """One step of Adam, in place (Kingma and Ba 2015, algorithm 1)."""
    whole("step", step, 1), real("rate", rate, above=0)
    for name, g in grads.items():
        if name not in w or w[name].shape != np.shape(g):
            raise ValueError(f"no table {name!r} of shape {np.shape(g)}")
    for name, g in grads.items():
        mean, square = state.setdefault(name, [np.zeros_like(g), np.zeros_like(g)])
        mean += 0.1 * (g - mean)
        square += 0.001 * (g * g - square)
        w[name] -= (rate * (mean / (1 - 0.9 ** step))
                    / (np.sqrt(square / (1 - 0.999 ** step)) + 1e-8))


def train(setup: Setup, scaled: bool, seed: int, small_start: bool = False) -> dict[str, Any]:
    """One run: steps until the goal (None: never), last accuracy, the curve."""
    rng = np.random.default_rng(whole("seed", seed, 0))
    head = Lookup(setup, scaled, rng, small_start)
    exam = fresh_lines(setup, rng, setup.tests)
    state: dict[str, Any] = {}
    curve, reached = [], None
    for step in range(setup.steps + 1):
        accuracy = float((head.loss(*exam)[1] == exam[3]).mean())
        if reached is None and accuracy >= setup.goal:
            reached = step
        if step % setup.every == 0:
            curve.append(accuracy)
        if step < setup.steps:
            adam(head.w, head.loss(*fresh_lines(setup, rng, setup.batch))[2], state, step + 1,
                 setup.rate)
    return {"seed": seed, "reached": reached, "last": curve[-1], "curve": curve}
