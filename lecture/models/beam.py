"""Which sentence does a model think likeliest, when every word changes what comes after?

Greedy takes the best next word and never looks back. A beam keeps the `width` best
beginnings. The rules, which differ from library to library, are stated here:

    finished    a beginning that says the end word is put aside, complete; it is never
                extended, and the living keep all `width` places
    score       log P / length ** alpha. Lengths count the words said and the end word,
                not what the model was given to begin with. log P is negative: alpha > 0
                is kind to long sentences, alpha = 0 leaves log P as it is
    unfinished  what reaches `longest` words without an end is marked so, scored the same
                way, and comes after all the finished
    ties        the smaller word numbers first

Knows no model: `following(prefixes)` gives log probabilities. Left out: stopping early,
diversity, sampling. With width 1 this is greedy with one difference: it goes on beside a
sentence it has finished until `longest`; `greedy` below stops at the first end.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from lecture.inputs import numbers, real, whole

Array = np.ndarray
Words = tuple[int, ...]
Living = tuple[Words, float]                            # a beginning, and its log P so far
Following = Callable[[Sequence[Words]], Array]          # k prefixes -> [k, V] log P


class Hypothesis(NamedTuple):
    """Words without the end word, log P with it (if finished), and the score."""

    words: Words
    log_p: float
    finished: bool
    score: float


def score(log_p: float, words: Words, finished: bool, alpha: float) -> float:
    """log P / length ** alpha; the end word counts as one."""
    real("log_p", log_p), real("alpha", alpha)
    return log_p / float(max(len(words) + finished, 1) ** alpha)


def _best(found: list[Hypothesis]) -> list[Hypothesis]:
    return sorted(found, key=lambda h: (not h.finished, -h.score, h.words))


def _limits(end: int, longest: int, alpha: float) -> None:
    whole("end", end, 0)
    whole("longest", longest, 0)
    real("alpha", alpha)


def _rows(log_p: Array, k: int, end: int) -> Array:
    """What `following` gave, if it is [k, V] of log probabilities: at most 0, never NaN."""
    log_p = numbers("log_p", log_p, finite=False)
    if log_p.ndim != 2 or len(log_p) != k or log_p.shape[1] <= end:
        raise ValueError(f"following gives [{k}, V] with V above {end}, got {log_p.shape}")
    if np.isnan(log_p).any() or (log_p > 1e-9).any():
        raise ValueError("following gives log probabilities: at most 0, never NaN")
    return log_p


def step(alive: Sequence[Living], log_p: Array, end: int,
         width: int) -> tuple[list[Living], list[Living]]:
    """One step of the beam: (who lives on, who has just finished), each with its log P.

    log_p[i] [V] is what the model makes of the next word after alive[i].
    """
    whole("end", end, 0)
    whole("width", width, 1)
    log_p, grown, done = _rows(log_p, len(alive), end), list[Living](), list[Living]()
    for (words, before), row in zip(alive, log_p, strict=True):
        if math.isfinite(before + float(row[end])):
            done.append((words, before + float(row[end])))
        grown += [((*words, w), before + p) for w, p in enumerate(row.tolist())
                  if w != end and math.isfinite(p)]
    return sorted(grown, key=lambda g: (-g[1], g[0]))[:width], done


def search(following: Following, end: int, width: int, longest: int,
           alpha: float = 0.0) -> list[Hypothesis]:
    """The hypotheses a beam finds, best first; at most `width` living at any time."""
    whole("width", width, 1)
    _limits(end, longest, alpha)
    alive: list[Living] = [((), 0.0)]
    found: list[Hypothesis] = []
    for _ in range(longest):
        if not alive:
            break
        alive, done = step(alive, following([words for words, _ in alive]), end, width)
        found += [Hypothesis(words, p, True, score(p, words, True, alpha)) for words, p in done]
    found += [Hypothesis(words, p, False, score(p, words, False, alpha)) for words, p in alive]
    return _best(found)


def greedy(following: Following, end: int, longest: int, alpha: float = 0.0) -> Hypothesis:
    """The likeliest next word, again and again, until it is the end word."""
    _limits(end, longest, alpha)
    words: Words = ()
    total = 0.0
    for _ in range(longest):
        row = _rows(following([words]), 1, end)[0]                  # [V]
        word = int(row.argmax())
        if not math.isfinite(row[word]):
            raise ValueError(f"after {words} every word has log P of minus infinity")
        total += float(row[word])
        if word == end:
            return Hypothesis(words, total, True, score(total, words, True, alpha))
        words = (*words, word)
    return Hypothesis(words, total, False, score(total, words, False, alpha))


def exhaustive(following: Following, end: int, vocabulary: int, longest: int,
               alpha: float = 0.0) -> list[Hypothesis]:
    """Every sentence of fewer than `longest` words, finished, best first."""
    whole("vocabulary", vocabulary, 1)
    _limits(end, longest, alpha)
    found = []
    others = [w for w in range(vocabulary) if w != end]
    sums: dict[Words, float] = {(): 0.0}
    for length in range(longest):
        prefixes = list(itertools.product(others, repeat=length))
        if not prefixes:
            break
        rows = _rows(following(prefixes), len(prefixes), end)       # [k, V]
        for words, row in zip(prefixes, rows, strict=True):
            if words not in sums:
                continue
            done = sums[words] + float(row[end])
            if math.isfinite(done):
                found.append(Hypothesis(words, done, True, score(done, words, True, alpha)))
            if length < longest - 1:
                sums.update(((*words, w), sums[words] + float(row[w])) for w in others)
    return _best(found)
