"""Is a model right as often as it says?  Reliability, ECE, and one temperature.

Confidence is the probability of the word that is said.  A forecaster is calibrated if,
of all answers given with confidence c, a share c is right (Guo et al. 2017).

The bin rule, stated because the figure depends on it: equal bins over 0 .. 1, the left
edge belongs to a bin, and 1 belongs to the last one; empty bins are left out.
ECE = sum over the bins of (answers in it / all) * |share right - mean confidence|.

Whether confidence tells right from wrong is another question than whether it is the right
number: AUROC and the share right among the surest answers see its order only.

Left out: other bins (equal counts), the whole distribution instead of the word said,
and scores that reward being sure and right (Brier).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lecture.inputs import ids, numbers, real, whole

Array = np.ndarray
GOLDEN = (5 ** 0.5 - 1) / 2


def bins_of(confidence: Any, bins: int = 10) -> Array:
    """The bin of every answer [n], 0 .. bins - 1; ValueError outside 0 .. 1."""
    confidence = numbers("confidence", confidence, finite=False)
    whole("bins", bins, 1)
    if not ((confidence >= 0) & (confidence <= 1)).all():
        raise ValueError("a confidence lies between 0 and 1")
    inner = np.arange(1, bins) / bins                           # [bins - 1]
    return np.searchsorted(inner, confidence, side="right")     # [n]


def _judged(confidence: Any, right: Any) -> tuple[Array, Array]:
    confidence, right = numbers("confidence", confidence, 1, False), numbers("right", right, 1)
    if confidence.shape != right.shape:
        raise ValueError(f"{confidence.shape} confidences, {right.shape} verdicts")
    if ((right < 0) | (right > 1)).any():
        raise ValueError("right lies between 0 (wrong) and 1 (right)")
    return confidence, right


def reliability(confidence: Any, right: Any, bins: int = 10) -> list[dict[str, Any]]:
    """One row a bin: edges, count, mean confidence, share right (None if empty)."""
    confidence, right = _judged(confidence, right)
    place, rows = bins_of(confidence, bins), []
    for b in range(bins):
        here = place == b                                       # [n]
        count = int(here.sum())
        rows.append({"low": b / bins, "high": (b + 1) / bins, "count": count,
                     "confidence": confidence[here].mean() if count else None,
                     "accuracy": right[here].mean() if count else None})
    return rows


def ece(confidence: Any, right: Any, bins: int = 10) -> float:
    """Expected calibration error under the bin rule above; 0 is calibrated."""
    rows = reliability(confidence, right, bins)
    total = sum(row["count"] for row in rows)
    if not total:
        raise ValueError("no answers: ECE is not defined")
    return float(sum(row["count"] / total * abs(row["accuracy"] - row["confidence"])
                     for row in rows if row["count"]))


def _verdicts(confidence: Any, right: Any) -> tuple[Array, Array]:
    confidence, right = _judged(confidence, right)
    bins_of(confidence)                                         # refuses what is none
    if confidence.ndim != 1 or not np.isin(right, (0, 1)).all():
        raise ValueError("one confidence and one verdict, 0 or 1, an answer")
    return confidence, right > 0


def auroc(confidence: Any, right: Any) -> float | None:
    """How often a right answer is surer than a wrong one, over all pairs; a tie is half.

    1: confidence parts them; .5: it says nothing; below: the wrong ones are surer. None
    where all are right or all are wrong: there is no pair.
    """
    confidence, right = _verdicts(confidence, right)
    wrong = np.sort(confidence[~right])
    if not right.any() or not wrong.size:
        return None
    below = [np.searchsorted(wrong, confidence[right], side) for side in ("left", "right")]
    return float((below[0] + below[1]).mean() / 2 / len(wrong))


def right_of_surest(confidence: Any, right: Any, share: float) -> float:
    """The share right among the surest `share` of the answers (at least one of them).

    Coverage against 1 - risk: who answers only when sure answers fewer. Of equal
    confidences those that stand first are taken.
    """
    confidence, right = _verdicts(confidence, right)
    if not confidence.size:
        raise ValueError("no answers: there is no surest")
    count = max(1, round(real("share", share, 0, 1) * len(confidence)))
    return float(right[np.argsort(-confidence, kind="stable")[:count]].mean())


def log_softmax(scores: Array) -> Array:
    """[n, V] -> [n, V], safe for large scores."""
    scores = numbers("scores", scores, 1)
    if not scores.shape[-1]:
        raise ValueError("scores have at least one column")
    scores = scores - scores.max(-1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(-1, keepdims=True))


def _answered(scores: Any, answers: Any) -> tuple[Array, Array]:
    scores = numbers("scores", scores, 2)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(f"scores are [n, V], n and V at least 1, got {scores.shape}")
    answers = ids("answers", answers, scores.shape[1])
    if answers.shape != scores.shape[:1]:
        raise ValueError(f"{scores.shape[0]} rows of scores, answers {answers.shape}")
    return scores, answers


def nll(scores: Array, answers: Array, temperature: float = 1.0) -> float:
    """Mean surprise, in nats, of the right word; scores [n, V], answers [n]."""
    scores, answers = _answered(scores, answers)
    logs = log_softmax(scores / real("temperature", temperature, above=0))      # [n, V]
    return float(-logs[np.arange(len(scores)), answers].mean())


@dataclass(frozen=True)
class Fit:
    """The temperature with the lowest NLL; inside: it is not a limit of the search."""

    temperature: float
    inside: bool


def fit_temperature(scores: Array, answers: Array, low: float = 0.05,
                    high: float = 20.0, steps: int = 40) -> Fit:
    """Golden section on 1 / T, in which the NLL is convex.

    If every answer is right, a lower T is always better and the search ends at `low`:
    without a mistake there is nothing to fit.
    """
    scores, answers = _answered(scores, answers)
    real("high", high, real("low", low, above=0))
    whole("steps", steps, 0)
    a, b = 1 / high, 1 / low
    c, d = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    at_c, at_d = (nll(scores, answers, 1 / x) for x in (c, d))
    for _ in range(steps):
        # the lowest point lies beside the lower of the two; a tie moves to sharper
        if at_c < at_d:
            b, d, at_d = d, c, at_c
            c = b - GOLDEN * (b - a)
            at_c = nll(scores, answers, 1 / c)
        else:
            a, c, at_c = c, d, at_d
            d = a + GOLDEN * (b - a)
            at_d = nll(scores, answers, 1 / d)
    best = 2 / (a + b)
    return Fit(best, bool(low * 1.01 < best < high / 1.01))
