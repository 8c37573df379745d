"""
What does attention compute, and how do two layers of it copy?

A query is compared with every key; softmax turns the scores into weights
that sum to 1; the output is the average of the values under them. All the
rest of a Transformer's attention is said here in one line each: who may
look (masks), who shares keys (grouped heads), where a token stands
(positions), and what has been seen already (a cache). At the end the same
`attention` runs twice, with weights set by hand, and copies: the
induction head.

Unlike tiny_gpt: nothing is trained, there are no gradients and no dropout,
and everything is float64 NumPy. Every function is pure; what it can not do
it refuses with a ValueError.

Shapes stand in the right margin. Dimensions are spelled the same way
throughout:

    n_q, n_k   queries, keys         h     heads
    d, d_v     width of a key, of a value (per head)
    T          tokens                V     words in the vocabulary
    ..         any leading axes, batch before heads

A mask says who MAY look: True = may look, False = may not.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lecture.inputs import array as _array
from lecture.inputs import ids as _ids
from lecture.inputs import numbers as _numbers
from lecture.inputs import one_reading as _one_reading
from lecture.inputs import real as _real
from lecture.inputs import whole as _whole

Array = np.ndarray


# ---------------------------------------------------------------- softmax

def softmax(x: Any, axis: int = -1) -> Array:
    """Weights that are >= 0 and sum to 1 along `axis`; same shape as x.

    The largest score is subtracted first: the result is the same, and exp
    can not overflow. A line that is -inf all along has nothing to choose
    from: its weights are all 0, not NaN. A score of +inf is refused.
    """
    x = _numbers("softmax: x", x, 1, finite=False)
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    if np.isposinf(top).any() or np.isnan(top).any():
        raise ValueError("softmax: a score is +inf or NaN; -inf is allowed")
    top = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(over="ignore"):        # so far below that exp is 0
        e = np.exp(x - top)                             # [.., n] in 0..1
    total = e.sum(axis=axis, keepdims=True)             # [.., 1]
    return e / np.where(total == 0, 1.0, total)         # [.., n]


def entropy(w: Any, axis: int = -1) -> Array:
    """Entropy of weights in nats: ln n when even, 0 when all on one."""
    w = _numbers("weights", w, 1)
    if w.size and not -1e-9 <= w.min() <= w.max() <= 1 + 1e-9:
        raise ValueError("weights lie in 0..1")
    return -(w * np.log(np.where(w > 0, w, 1.0))).sum(axis=axis)


# ------------------------------------------------------------------ masks

def _query_minus_key(n_q: int, n_k: int | None = None,
                     offset: int | None = None) -> Array:
    # Query i stands at position i + offset. By default the LAST query and
    # the last key are the same token, as when keys come from a cache.
    n_q = _whole("T", n_q, 0)
    n_k = n_q if n_k is None else _whole("S", n_k, 0)
    offset = n_k - n_q if offset is None else _whole("offset", offset)
    queries = np.arange(n_q)[:, None] + offset          # [n_q, 1]
    return queries - np.arange(n_k)                     # [n_q, n_k]


def causal_mask(T: int, S: int | None = None,
                offset: int | None = None) -> Array:
    """Nobody sees the future: True where key position <= query position.

    [T, S] booleans. `offset` is the position of the first query, S - T if
    not given: the new tokens are the last of the S, as with a cache.
    """
    return _query_minus_key(T, S, offset) >= 0


def window_mask(T: int, left: int | None, right: int | None = 0,
                S: int | None = None, offset: int | None = None) -> Array:
    """True from `left` keys before the query to `right` after; [T, S].

    None leaves a side open. (Longformer, Beltagy et al. 2020, section 3.)
    """
    for name, side in (("left", left), ("right", right)):
        if side is not None:
            _whole(name, side, 0)
    back = _query_minus_key(T, S, offset)
    mask = np.ones(back.shape, dtype=bool)
    if left is not None:
        mask &= back <= left
    if right is not None:
        mask &= back >= -right
    return mask


def strided_mask(T: int, stride: int) -> Array:
    """True at the query and at every `stride`-th key before it; [T, T].

    (Sparse Transformer, Child et al. 2019, section 4.3: a window of the
    last `stride` keys on some heads, this on the others.)
    """
    _whole("stride", stride, 1)
    back = _query_minus_key(T)
    return (back >= 0) & (back % stride == 0)


def padding_mask(ids: Any, pad: int, heads: bool = False) -> Array:
    """True at real tokens. ids [.., S] -> [.., 1, S], or [.., 1, 1, S].

    It hides padded KEYS from every query; padded queries still get rows of
    their own, to be dropped from the loss. `heads` adds the axis that lines
    up with scores [batch, h, n_q, S].
    """
    if np.ndim(pad):
        raise ValueError(f"pad is one id, got shape {np.shape(pad)}")
    keep = _numbers("ids", ids, 1) != _numbers("pad", pad)                       # [.., S]
    return keep[..., None, None, :] if heads else keep[..., None, :]


def combined_mask(ids: Any, pad: int, heads: bool = False) -> Array:
    """Causal and padding: ids [.., T] -> [.., T, T] (or [.., 1, T, T])."""
    return padding_mask(ids, pad, heads) & causal_mask(np.shape(ids)[-1])


def permutation_mask(order: Sequence[int], content: bool = False) -> Array:
    """Position order[i] sees order[0] .. order[i-1]; [T, T].

    The query stream, which must not see its own word: the first in the
    order sees nobody. `content` adds the diagonal: the content stream.
    (XLNet, Yang et al. 2019, section 2.3.)
    """
    places = _ids("order", order)
    if places.ndim > 1 or sorted(places) != list(range(len(places))):
        raise ValueError(f"order is no permutation of 0..T-1: {order}")
    rank = np.argsort(places)                            # [T] when it comes
    before = rank[None, :] < rank[:, None]              # [T, T]
    return before | np.eye(len(order), dtype=bool) if content else before


# -------------------------------------------------------------- attention

def _share_heads(kv: Array, h: int, name: str) -> Array:
    """[.., h_kv, n_k, d] -> [.., h, n_k, d]: heads 0 0 1 1, not 0 1 0 1.

    (Grouped-query attention, Ainslie et al. 2023, section 2.2.)
    """
    if kv.ndim < 3 or kv.shape[-3] in (1, h) or h == 1:
        return kv                                       # plain broadcasting
    if h % kv.shape[-3]:
        raise ValueError(f"{h} query heads do not divide among the"
                         f" {kv.shape[-3]} heads of {name}")
    return np.repeat(kv, h // kv.shape[-3], axis=-3)


def attention_scores(Q: Any, K: Any, scale: bool | float = True,
                     mask: Any = None,
                     softcap: float | None = None) -> Array:
    """What softmax is given: [.., n_q, n_k], -inf where it may not look.

    Arguments as in `attention`.
    """
    Q, K = _numbers("Q", Q, 2, finite=False), _numbers("K", K, 2, finite=False)
    d = Q.shape[-1]
    if d != K.shape[-1] or d < 1:
        raise ValueError(f"queries have width {d}, keys {K.shape[-1]}: the"
                         " same, and at least 1")
    _one_reading("K", K.shape, Q.shape)
    _one_reading("Q", Q.shape, K.shape)
    if Q.ndim > 2:
        K = _share_heads(K, Q.shape[-3], "K")
    if isinstance(scale, (bool, np.bool_)):
        scale = 1 / math.sqrt(d) if scale else 1.0
    else:
        scale = _real("scale", scale)
    with np.errstate(over="ignore", invalid="ignore"):
        S = scale * (Q @ K.swapaxes(-1, -2))            # [n_q, d] @ [d, n_k]
    if not np.isfinite(S).all():
        raise ValueError("scores are not finite: Q or K holds NaN, infinity"
                         " or numbers too large for a product")
    if softcap is not None:                 # before the mask: -inf stays
        softcap = _real("softcap", softcap, above=0)
        S = softcap * np.tanh(S / softcap)              # [.., n_q, n_k]
    return S if mask is None else _apply_mask(S, _array("mask", mask))


def _apply_mask(S: Array, mask: Array) -> Array:
    n_q, n_k = S.shape[-2:]
    if mask.dtype != bool and mask.dtype.kind != "f":
        raise ValueError("mask must be boolean (True = may look) or float"
                         f" (added to the scores), got {mask.dtype}")
    # The last axis is keys. A column [n_q, 1] would blank whole queries.
    if mask.ndim and (mask.shape[-1] != n_k
                      or mask.ndim > 1 and mask.shape[-2] not in (1, n_q)):
        raise ValueError(f"mask {mask.shape} does not fit scores {S.shape}")
    _one_reading("mask", mask.shape, S.shape)
    try:
        np.broadcast_shapes(mask.shape, S.shape)
    except ValueError:
        raise ValueError(f"mask {mask.shape} does not fit scores"
                         f" {S.shape}") from None
    if mask.dtype.kind == "f" and np.isnan(mask).any():
        raise ValueError("mask holds NaN")
    if mask.dtype == bool:
        return np.where(mask, S, -np.inf)               # [.., n_q, n_k]
    return S + mask                                     # [.., n_q, n_k]


def attention(Q: Any, K: Any, V: Any, scale: bool | float = True,
              mask: Any = None,
              softcap: float | None = None) -> tuple[Array, Array]:
    """softmax(Q K^T / sqrt(d)) V -> (out, weights), the weights it used.

    Q [.., h, n_q, d], K [.., h_kv, n_k, d], V [.., h_kv, n_k, d_v] ->
    out [.., h, n_q, d_v], weights [.., h, n_q, n_k]. All leading axes may
    be left out; axis -3 is heads, and h may be a multiple of h_kv.

    scale    True: by 1/sqrt(d), d the width of a HEAD; False: not at all;
             or the factor itself
    mask     boolean, True = may look; or float, added to the scores
    softcap  c: scores s become c tanh(s / c), before the mask

    A query that may look at nothing gets weights 0 and output 0.
    (Vaswani et al. 2017, section 3.2.1; softcap: Gemma 2, 2024.)
    """
    Q, K = _numbers("Q", Q, 2, finite=False), _numbers("K", K, 2, finite=False)
    V = _numbers("V", V, 2)
    if K.shape[-2] != V.shape[-2]:
        raise ValueError(f"{K.shape[-2]} keys, {V.shape[-2]} values")
    _one_reading("V", V.shape, Q.shape)
    W = softmax(attention_scores(Q, K, scale, mask, softcap))
    if Q.ndim > 2:
        V = _share_heads(V, Q.shape[-3], "V")
    return W @ V, W                         # [n_q, n_k] @ [n_k, d_v]


def extend_cache(cache: tuple[Array, Array] | None, K: Any,
                 V: Any) -> tuple[Array, Array]:
    """All keys and values so far: the cache is just a pair (K, V).

    [.., n_old, d] and [.., n_new, d] -> [.., n_old + n_new, d]. Decoding
    keeps the pair, and asks with the new queries only:

        cache = extend_cache(cache, k, v)
        out, _ = attention(q, *cache, mask=causal_mask(n_new, n_all))

    which gives the last rows of the full pass.
    """
    K, V = _numbers("K", K, 2), _numbers("V", V, 2)
    if K.shape[:-1] != V.shape[:-1]:
        raise ValueError(f"keys {K.shape} and values {V.shape} differ before"
                         " the last axis")
    if cache is None:
        return K, V
    for name, old, new in (("K", cache[0], K), ("V", cache[1], V)):
        if old.shape[:-2] != new.shape[:-2] or old.shape[-1] != new.shape[-1]:
            raise ValueError(f"{name} {new.shape} does not go on from"
                             f" {old.shape}")
    return (np.concatenate([cache[0], K], axis=-2),
            np.concatenate([cache[1], V], axis=-2))


def split_heads(x: Any, h: int) -> Array:
    """[.., T, h*d] -> [.., h, T, d]: head i gets columns i*d .. i*d+d-1."""
    x, h = _array("x", x), _whole("heads", h, 1)
    if x.ndim < 2:
        raise ValueError(f"x has at least 2 axes, got shape {x.shape}")
    if x.shape[-1] % h:
        raise ValueError(f"width {x.shape[-1]} is no multiple of {h} heads")
    x = x.reshape(*x.shape[:-1], h, x.shape[-1] // h)   # [.., T, h, d]
    return x.swapaxes(-2, -3)                           # [.., h, T, d]


def merge_heads(x: Any) -> Array:
    """[.., h, T, d] -> [.., T, h*d]: undoes split_heads."""
    x = _array("x", x)
    if x.ndim < 3:
        raise ValueError(f"x has at least 3 axes, got shape {x.shape}")
    x = x.swapaxes(-2, -3)                              # [.., T, h, d]
    width = x.shape[-2] * x.shape[-1]
    return x.reshape(*x.shape[:-2], width)              # [.., T, h*d]


# ------------------------------------------------------ norms, activation

def moments(x: Any, eps: float = 1e-5) -> tuple[Array, Array]:
    """Mean, 1 / sqrt(variance + eps) over the last axis; [.., 1] each."""
    x = _wide("x", x)
    mean = x.mean(axis=-1, keepdims=True)               # [.., 1]
    with np.errstate(over="ignore", invalid="ignore"):
        spread = x.var(axis=-1, keepdims=True) + _real("eps", eps, 0)
    if not np.isfinite(spread).all() or (spread == 0).any():
        raise ValueError("a row is constant while eps is 0, or its numbers"
                         " are too large for a square")
    return mean, 1 / np.sqrt(spread)


def _wide(name: str, x: Any) -> Array:
    x = _numbers(name, x, 1)
    if not x.shape[-1]:
        raise ValueError(f"{name} has width 0: a width is at least 1")
    return x


def _per_column(name: str, a: Any, d: int) -> Array:
    a = _numbers(name, a)
    if a.shape not in ((), (1,), (d,)):
        raise ValueError(f"{name} is one number or [{d}], got {a.shape}")
    return a


def layer_norm(x: Any, gain: Any = 1.0, bias: Any = 0.0,
               eps: float = 1e-5) -> Array:
    """Each token to mean 0 and variance 1, then gain and bias [d].

    [.., d] -> [.., d]. (Ba, Kiros, Hinton 2016.)
    """
    x = _wide("x", x)
    gain = _per_column("gain", gain, x.shape[-1])
    bias = _per_column("bias", bias, x.shape[-1])
    mean, inverse = moments(x, eps)
    return (x - mean) * inverse * gain + bias           # [.., d]


def rms_norm(x: Any, gain: Any = 1.0, eps: float = 1e-5) -> Array:
    """Each token to root mean square 1; the mean stays. [.., d] -> [.., d].

    (Zhang and Sennrich 2019.)
    """
    x = _wide("x", x)
    gain = _per_column("gain", gain, x.shape[-1])
    with np.errstate(over="ignore"):
        square = (x * x).mean(axis=-1, keepdims=True)   # [.., 1]
    root = np.sqrt(square + _real("eps", eps, 0))
    if not np.isfinite(root).all() or (root == 0).any():
        raise ValueError("a row is 0 while eps is 0, or its numbers are too"
                         " large for a square")
    return x / root * gain                              # [.., d]


_erf = np.frompyfunc(math.erf, 1, 1)                    # NumPy has no erf


def gelu(x: Any, approximate: str = "none") -> Array:
    """x times P(a standard normal is < x); any shape.

    "none" is exact: math.erf, called once a number. "tanh" is the faster
    form GPT-2 uses, at most 5e-4 off. (Hendrycks and Gimpel 2016.)
    """
    x = _numbers("x", x)
    if approximate == "none":
        phi = np.asarray(_erf(x / math.sqrt(2)), dtype=np.float64)
    elif approximate == "tanh":
        with np.errstate(over="ignore"):    # tanh of infinity is 1
            phi = np.asarray(0.044715 * x * x)  # in place: half the time
            phi += 1
            phi *= x
            phi *= math.sqrt(2 / math.pi)
            np.tanh(phi, out=phi)
    else:
        raise ValueError(f'approximate is "none" or "tanh", got'
                         f" {approximate!r}")
    phi += 1
    phi *= x
    phi *= 0.5
    return phi


# -------------------------------------------------------------- positions

def sinusoidal_positions(T: Any, d: int, base: float = 10000.0) -> Array:
    """Sines at even columns, cosines at odd ones, ever slower; [T, d].

    T is a number of positions, or the positions themselves [T]. An odd
    width ends in a sine. (Vaswani et al. 2017, section 3.5.)
    """
    if np.ndim(_array("T", T)) > 1:
        raise ValueError(f"T is a number or [T], got shape {np.shape(T)}")
    positions = (np.arange(_whole("T", T, 0)) if np.ndim(T) == 0
                 else _numbers("positions", T))
    column, base = np.arange(_whole("width", d, 1)), _real("base", base, above=0)
    frequency = base ** (-(column - column % 2) / d)    # [d] 1, 1, w, w, ..
    angles = positions[:, None] * frequency             # [T, d] radians
    return np.where(column % 2, np.cos(angles), np.sin(angles))  # [T, d]


def _even(d: int) -> int:
    if _whole("width", d, 2) % 2:
        raise ValueError(f"RoPE turns pairs: width must be even, got {d}")
    return d


def rope_frequencies(d: int, base: float = 10000.0) -> Array:
    """base^(-2j/d), radians a position, for the d/2 pairs; [d/2]."""
    base = _real("base", base, above=0)
    return base ** (-np.arange(0.0, _even(d), 2) / d)   # [d/2]


def rotate_pairs(x: Any, cos: Any, sin: Any,
                 convention: str = "half") -> Array:
    """Turns each pair of numbers; x [.., T, d], cos and sin [.., T, d/2].

    "half" pairs (j, j + d/2), as Llama's public code; "adjacent" pairs
    (2j, 2j+1), as the paper. Weights made for one are wrong in the other.
    """
    x, cos, sin = _numbers("x", x, 2), _numbers("cos", cos), _numbers("sin", sin)
    d = _even(x.shape[-1])
    if cos.shape != sin.shape or cos.shape[-1:] != (d // 2,):
        raise ValueError(f"cos and sin are [.., T, {d // 2}], got {cos.shape}"
                         f" and {sin.shape}")
    _one_reading("cos", cos.shape, x.shape)
    try:
        shape = np.broadcast_shapes(x.shape, (*cos.shape[:-1], d))
    except ValueError:
        raise ValueError(f"cos {cos.shape} does not fit x {x.shape}") from None
    if convention == "half":
        one, two = slice(0, d // 2), slice(d // 2, d)
    elif convention == "adjacent":
        one, two = slice(0, d, 2), slice(1, d, 2)
    else:
        raise ValueError(f'convention is "half" or "adjacent", got'
                         f" {convention!r}")
    a, b = x[..., one], x[..., two]                     # [.., T, d/2] each
    turned = np.empty(shape)
    turned[..., one] = a * cos - b * sin                # [.., T, d/2]
    turned[..., two] = a * sin + b * cos                # [.., T, d/2]
    return turned                                       # [.., T, d]


def rope(x: Any, positions: Any, convention: str = "half",
         base: float = 10000.0) -> Array:
    """Turns a query or key by its position; x [.., T, d] -> [.., T, d].

    Then q . k depends on the distance m - n only. positions [T], or one
    number, may be fractional; one row for each sequence of a batch with
    heads is [batch, 1, T]; [n, T] is a row for each head, and refused where
    n is the batch as well. Angles are float64 whatever x is. (RoFormer, Su
    et al. 2021, section 3.2.)
    """
    positions, x = _numbers("positions", positions), _numbers("x", x, 2)
    _one_reading("positions", (*positions.shape, 1), x.shape)
    if positions.ndim and positions.shape[-1] != np.shape(x)[-2]:
        raise ValueError(f"{positions.shape[-1]} positions for"
                         f" {np.shape(x)[-2]} tokens")
    frequency = rope_frequencies(np.shape(x)[-1], base)           # [d/2]
    angles = positions[..., None] * frequency           # [.., T, d/2]
    return rotate_pairs(x, np.cos(angles), np.sin(angles), convention)


def rope_permutation(d: int) -> Array:
    """P = 0 2 4 .. 1 3 5 ..; [d]. It maps one convention to the other:

    rope(x[.., P], m, "half") == rope(x, m, "adjacent")[.., P].
    """
    return np.arange(_even(d)).reshape(-1, 2).T.ravel()  # [d]


# ------------------------------------------- an induction head, by hand

class Space:
    """A vector space whose axes have names.

    Weights are written as what they do to named directions, never by
    index. (The manner of tracr, Lindner et al. 2023.)
    """

    def __init__(self, names: Iterable[Hashable]):
        listed = list(names)
        self.index = {name: i for i, name in enumerate(listed)}
        if len(self.index) != len(listed):
            raise ValueError("names of directions differ, got one twice")

    def __len__(self) -> int:
        return len(self.index)

    def vectors(self, names: Iterable[Hashable]) -> Array:
        """The named directions as rows: [n, d]."""
        listed = list(names)
        for name in listed:
            if name not in self.index:
                raise ValueError(f"no direction is called {name!r}")
        rows = np.array([self.index[n] for n in listed], dtype=np.int64)
        return np.eye(len(self))[rows]

    def linear(self, moves: dict[Any, Any], into: "Space") -> Array:
        """W [d, d'] with (direction a) @ W = direction moves[a], else 0."""
        return self.vectors(moves).T @ into.vectors(moves.values())


class Prediction(NamedTuple):
    """What a hand-built model says of one sequence, or of a batch."""

    tokens: Array                   # [.., T] the word it expects next
    out: Array                      # [.., T, V] weight given to each word
    layer1: Array | None            # [.., T, T] attention of layer 1
    layer2: Array | None            # [.., T, T] attention of layer 2


class HandBuiltInduction:
    """Sees A B .. A, says B: two layers of attention, nothing trained.

    The stream has a direction for each word ("is", w), for each word that
    may stand just before ("after", w), and for each place ("at", t).
    Layer 1 writes "after"; layer 2 looks for what comes "after" this word.

    V words, at most T tokens. All methods take one sequence [T] or a batch
    [n, T] of word ids.

    beta      sharpness of layer 2: its scores are beta or 0
    use_pos   False: no "at" directions at all
    layers    1: layer 2 alone, with nothing written in "after"
    beta1     sharpness of layer 1
    null_key  False: nothing stands before the first token, so that it has
              only itself to look at
    strict    layer 1 sees s < t only, not its own place
    back      layer 1 looks this many places back

    (Elhage et al. 2021; Olsson et al. 2022.)
    """

    # Claim. Let word w stand at t and, before t, only at s - 1. Then layer
    # 2 at t puts at least e^beta / (e^beta + t), less a term of order
    # t beta e^-beta1, on place s, and says the word of s.
    #
    # Layer 1. The query of t is "at" t-1, the key of s is "at" s, and
    # directions are orthogonal: the score is beta1 if s = t-1, else 0.
    # At most t+1 other keys are seen, so t-1 gets 1 - e1 of the weight,
    # e1 < (t+1) e^-beta1. The value of s is "after" its word: t is now
    # "after" its left neighbour's word, in amount 1 - e1. At t = 0 the
    # query is "at" -1, the null key, which carries no word: nothing is
    # written.
    # Layer 2. The query of t is "after" w. Place u is "after" w in amount
    # 1 - e1 if w stands at u-1, that is for u = s, and at most e1
    # otherwise. So the score is beta (1 - e1) at s, at most beta e1 at the
    # other t places u <= t: softmax gives s the share claimed. Every value
    # is the word that stands there, so the word of s gets that share. The
    # others get e^0 a place: s wins as soon as e^beta exceeds the number of
    # places any other word has; beta > ln 2 = .69 if that is two.    QED

    def __init__(self, V: int, T: int, beta: float = 20.0,
                 use_pos: bool = True, layers: int = 2, *,
                 beta1: float = 20.0, null_key: bool = True,
                 strict: bool = False, back: int = 1):
        V, T = _whole("V", V, 1), _whole("T", T, 1)
        layers, back = _whole("layers", layers, 1, 2), _whole("back", back, 1)
        _real("beta", beta), _real("beta1", beta1)
        self.V, self.T, self.layers = V, T, layers
        self.beta, self.beta1, self.use_pos = beta, beta1, use_pos
        self.null_key, self.strict = null_key, strict

        words, places = range(V), range(-1, T)
        stream = Space([("is", w) for w in words]
                       + [("after", w) for w in words]
                       + [("at", t) for t in places])   # d = 2 V + T + 1
        place, neighbour, word = Space(places), Space(words), Space(words)
        self.is_word = stream.vectors(("is", w) for w in words)  # [V, d]
        self.at = stream.vectors(("at", t) for t in places)  # [T+1, d]
        self.at *= use_pos
        # layer 1: t asks for t - back, and is told which word is there
        self.Q1 = stream.linear({("at", t): max(t - back, -1)
                                 for t in range(T)}, place)  # [d, T+1]
        self.K1 = stream.linear({("at", t): t for t in places}, place)
        self.V1 = stream.linear({("is", w): ("after", w)
                                 for w in words}, stream)   # [d, d]
        # layer 2: "is w" asks for "after w", and is told the word there
        self.Q2 = stream.linear({("is", w): w for w in words}, neighbour)
        self.K2 = stream.linear({("after", w): w for w in words}, neighbour)
        self.V2 = stream.linear({("is", w): w for w in words}, word)
        self.read_after = self.K2                       # [d, V]

    def embed(self, seq: Any) -> Array:
        """Each word is itself, and (with positions) at its place.

        [.., T] ids -> [.., T, d].
        """
        seq = _ids("word ids", seq)
        if seq.shape[-1] > self.T or not seq.shape[-1]:
            raise ValueError(f"{seq.shape[-1]} tokens, but only {self.T}"
                             " places have a direction, and 1 is needed")
        seq = _ids("word ids", seq, self.V)
        here = self.at[1:seq.shape[-1] + 1]             # [T, d]
        return self.is_word[seq] + here                 # [.., T, d]

    def _stream(self, X: Any) -> Array:
        X, d = _numbers("X", X, 2), self.is_word.shape[1]
        if X.shape[-1] != d or not X.shape[-2]:
            raise ValueError(f"X is [.., T, {d}] with T at least 1, got"
                             f" {X.shape}")
        return X

    def layer1_prev_token(self, X: Any) -> tuple[Array, Array]:
        """Writes at each place which word stands before it.

        X [.., T, d] -> (X [.., T, d], weights [.., T, T]). The null key's
        column is left out, so row 0 sums to about 0.
        """
        X = self._stream(X)
        T, nulls = X.shape[-2], int(self.null_key)
        seen = X                                        # [.., T, d]
        if self.null_key:                               # "at" -1, no word
            null = np.broadcast_to(self.at[0], X[..., :1, :].shape)
            seen = np.concatenate([null, X], axis=-2)   # [.., 1+T, d]
        mask = causal_mask(T, T + nulls, offset=nulls - int(self.strict))
        out, W = attention(self.beta1 * X @ self.Q1, seen @ self.K1,
                           seen @ self.V1, scale=False, mask=mask)
        return X + out, W[..., nulls:]                  # [.., T, T]

    def layer2_induction(self, X: Any) -> tuple[Array, Array]:
        """Looks for places that come after this word, reads their words.

        X [.., T, d] -> (out [.., T, V], weights [.., T, T]).
        """
        X = self._stream(X)
        return attention(self.beta * X @ self.Q2, X @ self.K2, X @ self.V2,
                         scale=False, mask=causal_mask(X.shape[-2]))

    def predict(self, seq: Any) -> Prediction:
        """The next word at every place; ties go to the lowest id."""
        X, W1 = self.embed(seq), None
        if self.layers == 2:
            X, W1 = self.layer1_prev_token(X)
        out, W2 = self.layer2_induction(X)              # [.., T, V]
        return Prediction(out.argmax(axis=-1), out, W1, W2)


class LookBack(HandBuiltInduction):
    """The trap: one head that says the word `back` places ago, by place.

    At distance p between the copies, back = p - 1 copies without fault and
    without ever comparing two words; at any other distance it fails.
    """

    def __init__(self, V: int, T: int, back: int, beta: float = 20.0):
        super().__init__(V, T, beta1=beta, back=back)

    def predict(self, seq: Any) -> Prediction:
        X, W1 = self.layer1_prev_token(self.embed(seq))
        out = X @ self.read_after                       # [.., T, V]
        return Prediction(out.argmax(axis=-1), out, W1, None)


# ---------------------------------------------- data and scores for it

def repeated_sequences(V: int, half: int, n: int, seed: int,
                       distinct: bool = True) -> Array:
    """n times: `half` words drawn from V, written twice; [n, 2*half] ids.

    distinct=False draws with replacement: a word may occur twice in the
    half, and "what came after it" then has two answers.
    """
    V, n = _whole("V", V, 1), _whole("n", n, 0)
    half = _whole("half", half, 1, V if distinct else None)
    rng = np.random.default_rng(_whole("seed", seed, 0))
    if distinct:
        draws = [rng.permutation(V)[:half] for _ in range(n)]
    else:
        draws = [rng.integers(V, size=half) for _ in range(n)]
    once = np.array(draws, dtype=np.int64).reshape(n, half)
    return np.tile(once, (1, 2))                        # [n, 2*half]


def repeats_at_varying_distance(V: int, half: int, n: int,
                                seed: int) -> Array:
    """The copy ends the sequence, the original stands anywhere before.

    [n, V + half] ids: all V words once, in random order, then `half` of
    them again, in the order they stood. The gap between the copies is
    drawn evenly from 0 .. V - half for each sequence.
    """
    V, n = _whole("V", V, 1), _whole("n", n, 0)
    half = _whole("half", half, 1, V)
    rng = np.random.default_rng(_whole("seed", seed, 0))
    rows = []
    for _ in range(n):
        words, start = rng.permutation(V), rng.integers(V - half + 1)
        rows.append(np.append(words, words[start:start + half]))
    return np.array(rows, dtype=np.int64).reshape(n, V + half)


def copy_accuracy(predict: Callable[[Array], Array], data: Array,
                  half: int | None = None,
                  batched: bool = False) -> tuple[float, float]:
    """Share of next words that `predict` gets right -> (first, second).

    First: within the first `half` tokens, where there is nothing to copy.
    Second: within the last `half`, the copy. The step from one to the
    other is left out: the copy's first word can not be known. `half` is
    half the length if not given. predict: a sequence [T] -> the expected
    next words [T]; or all at once, [n, T] -> [n, T], if `batched`.
    """
    data = _ids("data", data, least=2)
    if data.ndim > 2 or not len(data):
        raise ValueError(f"data is [n, T] with n at least 1, got {data.shape}")
    half = data.shape[1] // 2 if half is None else half
    if _whole("half", half) < 2 or 2 * half > data.shape[1]:
        raise ValueError(f"half must be at least 2, twice it at most the"
                         f" length {data.shape[1]}, got {half}")
    said = np.asarray(predict(data) if batched
                      else [predict(seq) for seq in data])       # [n, T]
    if said.shape != data.shape:
        raise ValueError(f"predict says {said.shape} for {data.shape}")
    right = said[:, :-1] == data[:, 1:]                 # [n, T-1]
    return (float(right[:, :half - 1].mean()),
            float(right[:, -(half - 1):].mean()))
