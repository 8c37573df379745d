"""
What does a head do? One number for each question one may ask of it.

Every score reads attention weights [.., T, T] (rows = queries, columns =
keys) and says how much of a row's weight lies where such a head would put
it. Which places those are follows from the tokens, never from half of a
length: a start token more or less can not move the answer.

Unlike a causal test: a score says where a head looks, not what its looking
is good for. Cut the head, or patch it, to know that.

Weights of a batch are [n, .., T, T] beside ids [n, T]; rows are pooled
over the batch, and a score has the shape of the axes between, one number a
head. Scores lie in 0..1 unless said.
"""

from typing import Any, NamedTuple

import numpy as np

from lecture.inputs import array, numbers
from lecture.inputs import ids as whole_ids

Array = np.ndarray


class Matches(NamedTuple):
    """A prefix-matching score, and what it rests on."""

    score: Array            # [..] mean weight on the matches
    rows: int               # queries that had a match, over the batch
    tied: int               # of these, queries with more than one match


def induction_targets(ids: Any, ignore: Any = ()) -> Array:
    """True at [i, j+1] where token j < i is the same as token i.

    ids [.., T] -> [.., T, T] booleans: the places that came after an
    earlier copy of the query's word. Queries whose id is in `ignore`
    (start tokens, padding) match nothing.
    """
    ids = whole_ids("ids", ids)
    T = ids.shape[-1]
    same = ids[..., :, None] == ids[..., None, :]       # [.., T, T]
    same &= np.tri(T, k=-1, dtype=bool)                 # keys before only
    same &= ~np.isin(ids, ignore)[..., :, None]         # [.., T, 1]
    targets = np.zeros_like(same)
    targets[..., 1:] = same[..., :-1]                   # what came after
    return targets


def weight_on(W: Any, targets: Any) -> Array:
    """Mean weight a row puts on its targets; rows without any do not count.

    targets [T, T], or [n, T, T] for a batch W [n, .., T, T]. (As
    detect_head of TransformerLens, for a pattern given by the tokens.)
    """
    W, targets = numbers("weights", W, 2), array("targets", targets)
    if targets.dtype != bool or targets.ndim not in (2, 3):
        raise ValueError(f"targets are booleans [T, T] or [n, T, T], got {targets.dtype}"
                         f" {targets.shape}")
    if W.shape[-2:] != targets.shape[-2:]:
        raise ValueError(f"weights {W.shape}, targets {targets.shape}")
    rows = np.count_nonzero(targets.any(axis=-1))
    if not rows:
        raise ValueError("no row has a target: nothing to score")
    if targets.ndim == 2:
        return (W * targets).sum(axis=(-2, -1)) / rows  # [..]
    if W.ndim < 3 or W.shape[0] != targets.shape[0]:
        raise ValueError(f"{W.shape[0]} patterns, {targets.shape[0]} ids")
    between = (1,) * (W.ndim - 3)                       # the axes of heads
    targets = targets.reshape(len(W), *between, *targets.shape[1:])
    return (W * targets).sum(axis=(0, -2, -1)) / rows   # [..]


def previous_token_score(W: Any) -> Array:
    """Mean weight on the token just before, over rows 1 .. T-1.

    W [.., T, T] -> [..]. Row 0 has nothing before it. (Elhage et al. 2021,
    "Two-layer attention-only transformers"; TransformerLens,
    previous_token_head.)
    """
    W = numbers("weights", W, 2)
    return weight_on(W, np.eye(W.shape[-1], k=-1, dtype=bool))


def prefix_matching_score(W: Any, ids: Any, ignore: Any = ()) -> Matches:
    """Mean weight on what came after an earlier copy of this token.

    W [.., T, T] and ids [T], or a batch. On a random sequence said twice
    only rows of the second copy count, whatever stands before it; a start
    token written twice belongs in `ignore`. Where a word stood twice, both
    places count, and the row is reported as tied. (Olsson et al. 2022,
    "In-context learning and induction heads", prefix matching.)
    """
    targets = induction_targets(ids, ignore)            # [.., T, T]
    matches = targets.sum(axis=-1)                      # [.., T]
    return Matches(weight_on(W, targets), int((matches > 0).sum()),
                   int((matches > 1).sum()))


def copying_score(W_E: Any, W_V: Any, W_O: Any, W_U: Any) -> Array:
    """Does seeing a word raise that word? From -1 (lowers) to 1 (raises).

    Sum of the eigenvalues of the whole way from word to word,
    W_E W_V W_O W_U [V, V], over the sum of their absolute values; 0 if
    all vanish. W_E [V, d], W_V [.., d, d_v], W_O [.., d_v, d], W_U [d, V]
    -> [..]. (Elhage et al. 2021, "Copying", where it is called the
    summary statistic of the eigenvalues.)
    """
    W_E, W_V, W_O, W_U = (
        numbers(name, w, 2) for name, w in
        zip(("W_E", "W_V", "W_O", "W_U"), (W_E, W_V, W_O, W_U), strict=True))
    (V, d), d_v = W_E.shape[-2:], W_V.shape[-1]
    wide = W_O.shape[-1]                    # what is read need not be as wide as what is written
    if (W_V.shape[-2], W_O.shape[-2], W_U.shape[-2:]) != (d, d_v, (wide, V)) or not d_v:
        raise ValueError(f"W_E [V, d], W_V [d, d_v], W_O [d_v, d], W_U [d, V], got {W_E.shape}, "
                         f"{W_V.shape}, {W_O.shape}, {W_U.shape}")
    # A B and B A have the same eigenvalues but for zeros, so [d_v, d_v] will do.
    small = W_O @ (W_U @ W_E) @ W_V                     # [.., d_v, d_v]
    values = np.linalg.eigvals(small)                   # [.., d_v] complex
    size = np.abs(values).sum(axis=-1)                  # [..]
    return values.real.sum(axis=-1) / np.where(size == 0, 1.0, size)


def in_context_score(losses: Any, early: Any, late: Any) -> float:
    """Mean loss at the late places less that at the early ones, in nats.

    losses [.., T]; early and late are places: one index, several, or a
    slice. Below 0: what was read so far helps. (Olsson et al. 2022 take
    the 500th token less the 50th.)
    """
    losses = numbers("losses", losses, 1)
    T = losses.shape[-1]
    for name, places in (("early", early), ("late", late)):
        if not isinstance(places, slice):
            whole_ids(name, places, T, least=0)
        if not losses[..., places].size:
            raise ValueError(f"no {name} place: they are 0 to {T - 1}")
    return float(losses[..., late].mean() - losses[..., early].mean())


def best_head(scores: Any) -> tuple[int, int]:
    """(layer, head) of the largest of scores [layers, h]; first if tied."""
    scores = numbers("scores", scores, 2)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(f"scores are [layers, h], both at least 1, got {scores.shape}")
    layer, head = np.unravel_index(scores.argmax(), scores.shape)
    return int(layer), int(head)
