"""What can be known of a word from the company it keeps, by counting alone?

Count which words share a document; ask of every pair how much more often that happens
than if words were strewn at random (PPMI); keep the few directions that explain most
of the answers (truncated SVD). A word is then a short dense vector, and words with
like companions lie close together, whether or not they ever meet.

(Positive pointwise mutual information as word vectors: Bullinaria, Levy 2007; that
skip-gram with negative samples factors a shifted PMI table: Levy, Goldberg 2014.)

Unlike the tables of `gpt_np` nothing here is trained by gradient. Left out: windows
narrower than a document, smoothing of rare pairs, sparse matrices; all would be needed
for real text. Imports nothing of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lecture.inputs import ids, numbers, whole

Array = np.ndarray


def cooccurrence(rows: Iterable[Sequence[int]], size: int) -> Array:
    """How many pairs of places in one row hold words i and j: [V, V], symmetric."""
    counts = np.zeros((whole("size", size, 1),) * 2)            # [V, V]
    for row in rows:
        row = ids("words of a row", row, size)
        held = np.bincount(row.astype(np.intp), minlength=size).astype(float)   # [V]
        there = np.flatnonzero(held)                            # the few not 0
        counts[np.ix_(there, there)] += np.outer(held[there], held[there])
        counts[there, there] -= held[there]         # a position is not its own neighbour
    return counts


def ppmi(counts: Array) -> Array:
    """max(0, ln(how often / how often by chance)) for each pair: [V, V], nats.

    By chance: from the totals of the two words alone. A pair never seen gets 0, not
    minus infinity; so does a word never seen.
    """
    counts = numbers("counts", counts, 2)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or (counts < 0).any():
        raise ValueError(f"counts are [V, V], none below 0, got {counts.shape}")
    total = counts.sum(axis=1, keepdims=True)                   # [V, 1]
    with np.errstate(over="ignore"):
        chance = total * total.T / (counts.sum() or 1.0)        # [V, V]
    if (chance[counts > 0] == 0).any() or not np.isfinite(chance).all():
        raise ValueError("counts are too small or too large to be multiplied")
    ratio = np.divide(counts, chance, out=np.ones_like(counts), where=counts > 0)
    return np.maximum(np.log(ratio), 0.0)                       # [V, V]


def truncated(table: Array, dims: int) -> Array:
    """Vectors [V, dims]: U sqrt(S), the largest singular values first.

    A singular vector's sign is anybody's choice: its largest entry is made positive,
    so that every machine draws the same picture.
    """
    table = _rows("table", table)
    whole("dims", dims, 1, min(table.shape))
    U, S, _ = np.linalg.svd(table)                              # [V, V], [V]
    return facing(U[:, :dims]) * np.sqrt(S[:dims])              # [V, dims]


def facing(columns: Array) -> Array:
    """Each column turned so that its entry of largest size is positive."""
    columns = numbers("columns", columns, 2)
    if not len(columns):
        raise ValueError("columns have at least one row")
    top = np.take_along_axis(columns, abs(columns).argmax(axis=0)[None], axis=0)
    return columns * np.where(top < 0, -1.0, 1.0)               # [V, k] * [1, k]


def unit(X: Array) -> Array:
    """Rows of length 1; a row of zeros stays one."""
    X = numbers("X", X, 1)
    with np.errstate(over="ignore"):
        length = np.linalg.norm(X, axis=-1, keepdims=True)      # [.., 1]
    if not np.isfinite(length).all():
        raise ValueError("X holds numbers too large for a square")
    return X / np.where(length > 0, length, 1.0)


def cosines(X: Array) -> Array:
    """The cosine of every pair of rows: [V, d] -> [V, V]."""
    X = unit(_rows("X", X))
    return X @ X.T                                  # [V, d] @ [d, V]


def neighbours(X: Array) -> Array:
    """The other rows from nearest to farthest by cosine: [V, d] -> [V, V - 1].

    Cosines that agree to ten places tie, and a tie goes to the lower row: the bits
    behind them differ from machine to machine.
    """
    alike = np.round(cosines(X), 10)                            # [V, V]
    np.fill_diagonal(alike, -np.inf)
    return np.argsort(-alike, axis=1, kind="stable")[:, :-1]


def plane(X: Array) -> tuple[Array, float]:
    """(points [V, 2], share of the spread they keep): the flattest picture of X."""
    X = _rows("X", X)
    centred = X - X.mean(axis=0)                                # [V, d]
    U, S, _ = np.linalg.svd(centred, full_matrices=False)       # [V, d], [d]
    if len(S) < 2 or not S.any():
        raise ValueError("a plane needs 2 rows that differ, and 2 columns")
    return facing(U[:, :2]) * S[:2], float((S[:2] ** 2).sum() / (S ** 2).sum())


def purity(nearest: Array, labels: Array) -> float:
    """Share of rows whose nearest other row bears the same label."""
    labels = np.asarray(labels)
    nearest = ids("nearest", nearest, len(labels))
    if nearest.shape != labels.shape or not nearest.size:
        raise ValueError(f"nearest and labels are [V], V at least 1, got {nearest.shape}"
                         f" and {labels.shape}")
    return float((labels[nearest] == labels).mean())


def _rows(name: str, X: Array) -> Array:
    X = numbers(name, X, 2)
    if X.ndim != 2 or not X.size:
        raise ValueError(f"{name} is [V, d], both at least 1, got {X.shape}")
    return X
