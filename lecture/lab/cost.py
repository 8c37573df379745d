"""What does attention cost?  Multiply-adds, counted by the code that runs.

`Counted` is an array that goes through NumPy's operators and tells its `Meter` of every
matrix product.  It may hold numbers, or a shape only: then the same code runs, every
product is checked and counted, and nothing is multiplied (what torch calls the meta
device).  So a layer over 10,000 tokens is counted in a millisecond, by the lines that
run it over ten.

Then attention itself in several ways, each one for plain arrays and `Counted` alike: in
full, tile by tile (exact), within groups of keys (windows, strides), linear (also
causal); a layer, a network that writes with a cache of keys and values, a recurrent
layer; and the tensors of a whole model by name, for a table of bytes.

Left out: norms, biases and GELU in the layer (no products: under 1 % of the arithmetic
at the widths shown), speed (benchmarks/records/attention_cost.py).  Shapes stand in the margin
as in attention_np; .. are any leading axes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from attention_np import causal_mask, window_mask
from lecture.inputs import array, numbers, one_reading, whole

Array = np.ndarray
Attend = Callable[..., Any]


# --- counting -----------------------------------------------------------------------

class Product(NamedTuple):
    """One matrix product that ran: its multiply-adds, the numbers it made, and of what."""

    madds: int
    made: int
    left: tuple[int, ...]
    right: tuple[int, ...]


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of an operation on these shapes, as np.broadcast_shapes has it, of any size.

    NumPy's own refuses a shape of more numbers than an address can count: 2^31 in a browser,
    and a layer over 10,000 words has more.
    """
    sides = []
    for row in zip_longest(*map(reversed, shapes), fillvalue=1):
        found = {side for side in row if side != 1}
        if len(found) > 1:
            raise ValueError(f"shapes {' and '.join(map(str, shapes))} do not fit")
        sides.append(found.pop() if found else 1)
    return tuple(reversed(sides))


def gradients(product: Product) -> tuple[int, int]:
    """Multiply-adds to pass a gradient back through Y = A @ B: dY B^T for A, A^T dY for B."""
    meter = Meter()
    a, b = meter.shape(*product.left), meter.shape(*product.right)
    dy = meter.shape(*broadcast(product.left[:-2], product.right[:-2]),
                     product.left[-2], product.right[-1])
    (dy @ b.swapaxes(-1, -2)), (a.swapaxes(-1, -2) @ dy)
    for_a, for_b = meter.products
    return for_a.madds, for_b.madds


@dataclass
class Meter:
    """Every product that ran, and the largest array that arithmetic made."""

    products: list[Product] = field(default_factory=list)
    largest: int = 0

    @property
    def madds(self) -> int:
        return sum(p.madds for p in self.products)

    def shape(self, *shape: int) -> Counted:
        """An array without numbers."""
        return Counted(self, shape)

    def array(self, value: Any) -> Counted:
        """An array with numbers."""
        value = np.asarray(value, dtype=np.float64)
        return Counted(self, value.shape, value)


class Counted(NDArrayOperatorsMixin):
    """A shape, perhaps its numbers, and how many products it waited for.

    chain is the longest row of matrix products of which each needs the one before:
    however many of them could run side by side, these can not.
    """

    def __init__(self, meter: Meter, shape: tuple[int, ...], value: Array | None = None,
                 chain: int = 0):
        self.meter, self.shape, self.value, self.chain = meter, shape, value, chain

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        shapes: list[Any] = [x.shape if hasattr(x, "shape") else () for x in inputs]
        chain = max([x.chain for x in inputs if type(x) is Counted])
        if ufunc is np.matmul:
            (*a, rows, inner), (*b, other, columns) = shapes
            if inner != other:
                raise ValueError(f"{shapes[0]} @ {shapes[1]}")
            shape = (*(a if a == b else broadcast(a, b)), rows, columns)
            made, chain = math.prod(shape), chain + 1
            self.meter.products.append(Product(made * inner, made, *shapes))
        elif method == "reduce":
            axis = kwargs["axis"] % len(shapes[0])
            kept = (1,) if kwargs.get("keepdims") else ()
            shape = (*shapes[0][:axis], *kept, *shapes[0][axis + 1:])
        elif method == "accumulate":
            shape = shapes[0]
        elif method == "__call__":
            shape = shapes[0] if len(set(shapes)) == 1 else broadcast(*shapes)
        else:
            return NotImplemented
        self.meter.largest = max(self.meter.largest, math.prod(shape))
        plain = [x.value if type(x) is Counted else x for x in inputs]
        value = None
        if all(x is not None for x in plain):
            value = getattr(ufunc, method)(*plain, **kwargs)
        return Counted(self.meter, shape, value, chain)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is not np.concatenate:
            return NotImplemented
        parts, axis = args[0], kwargs["axis"]
        shape = list(parts[0].shape)
        shape[axis] = sum(p.shape[axis] for p in parts)
        values = [getattr(p, "value", p) for p in parts]
        value = None if any(v is None for v in values) else np.concatenate(values, axis=axis)
        return Counted(self.meter, tuple(shape), value, max(p.chain for p in parts))

    def _view(self, shape: tuple[int, ...], value: Array | None) -> Counted:
        return Counted(self.meter, shape, value, self.chain)

    def __getitem__(self, key: Any) -> Counted:
        value = None if self.value is None else self.value[key]
        if isinstance(key, np.ndarray):                 # rows by number
            return self._view((*key.shape, *self.shape[1:]), value)
        cuts = key if isinstance(key, tuple) else (key, ...)
        at = cuts.index(...)
        rest = len(self.shape) - len(cuts) + 1
        cuts = (*cuts[:at], *[slice(None)] * rest, *cuts[at + 1:])
        shape = tuple(len(range(*cut.indices(n)))
                      for cut, n in zip(cuts, self.shape, strict=True))
        return self._view(shape, value)

    def swapaxes(self, a: int, b: int) -> Counted:
        shape = list(self.shape)
        shape[a], shape[b] = shape[b], shape[a]
        return self._view(tuple(shape), None if self.value is None else self.value.swapaxes(a, b))

    def reshape(self, *shape: int) -> Counted:
        if -1 in shape:
            known = -math.prod(shape)
            shape = tuple(self.size // known if n == -1 else n for n in shape)
        return self._view(shape, None if self.value is None else self.value.reshape(shape))


# --- attention, several ways ----------------------------------------------------------

LOWEST, LEAST = -1e300, 1e-300      # below every score; below every sum of a row that sees


def _numbered(**arrays: Any) -> list[Any]:
    # plain arrays as float64, checked; Counted as they are
    return [a if isinstance(a, Counted) else numbers(name, a, 2) for name, a in arrays.items()]


def _fitting(Q: Any, K: Any, V: Any) -> None:
    if not Q.shape[-1] == K.shape[-1] >= 1 or not K.shape[-2] == V.shape[-2] >= 1:
        raise ValueError(f"Q [.., n_q, d], K [.., n_k, d], V [.., n_k, d_v] with d and n_k at "
                         f"least 1, got {Q.shape}, {K.shape}, {V.shape}")
    for name, given in (("K", K.shape), ("V", V.shape)):
        one_reading(name, given, Q.shape)


def hidden(may_look: Array) -> Array:
    """True = may look, as what is added to the scores: 0 or -inf."""
    if array("may_look", may_look).dtype != bool:
        raise ValueError(f"may_look is boolean, got {np.asarray(may_look).dtype}")
    return np.where(may_look, 0.0, -np.inf)


def _scores(Q: Any, K: Any) -> Any:
    return Q @ K.swapaxes(-1, -2) / math.sqrt(Q.shape[-1])      # [n_q, d] @ [d, n_k]


def full(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    """softmax(Q K^T / sqrt(d)) V, every score at once; mask is added to the scores.

    A boolean mask says who may look; a query that may look at nothing gets 0.
    """
    Q, K, V = _numbered(Q=Q, K=K, V=V)
    _fitting(Q, K, V)
    if mask is not None and not isinstance(mask, Counted):
        mask = array("mask", mask)
        if mask.dtype.kind in "iu":                 # 0 and 1 could be either kind
            raise ValueError("mask is boolean (True = may look) or floats that are added, got "
                             f"{mask.dtype}")
        mask = hidden(mask) if mask.dtype == bool else numbers("mask", mask, finite=False)
        if np.isnan(mask).any() or np.isposinf(mask).any():
            raise ValueError("mask holds NaN or +inf")
        seen = (*Q.shape[:-1], K.shape[-2])
        one_reading("mask", mask.shape, seen)
        if mask.ndim and (mask.shape[-1] != seen[-1]
                          or mask.ndim > 1 and mask.shape[-2] not in (1, seen[-2])):
            raise ValueError(f"mask {mask.shape} does not fit scores {seen}")
    S = _scores(Q, K) if mask is None else _scores(Q, K) + mask          # [.., n_q, n_k]
    e = np.exp(S - np.maximum(np.maximum.reduce(S, axis=-1, keepdims=True), LOWEST))
    total = np.maximum(np.add.reduce(e, axis=-1, keepdims=True), LEAST)
    return e @ V / total                                        # [n_q, n_k] @ [n_k, d_v]


def tiled(Q: Any, K: Any, V: Any, block: int = 64, causal: bool = False,
          rescale: bool = True) -> Any:
    """The same numbers as `full`, `block` keys at a time: n x block scores are held.

    Softmax needs the largest score of a row, known only at the end. So keep the largest
    so far, the sum so far and the answer so far; when a larger score turns up, shrink
    both by exp(old - new). (Milakov and Gimelshein 2018; FlashAttention, Dao et al. 2022.)
    causal: the last query is the last key, as in `attention_np`.
    """
    Q, K, V = _numbered(Q=Q, K=K, V=V)
    _fitting(Q, K, V)
    whole("block", block, 1)
    n, m = Q.shape[-2], K.shape[-2]
    top: Any = -np.inf
    total: Any = 0.0
    out: Any = 0.0
    for start in range(0, K.shape[-2], block):
        k, v = K[..., start:start + block, :], V[..., start:start + block, :]
        S = _scores(Q, k)                                       # [.., n, block]
        if causal:
            S = S + hidden(causal_mask(n, k.shape[-2], offset=m - n - start))
        new = np.maximum(top, np.maximum.reduce(S, axis=-1, keepdims=True))
        new = np.maximum(new, LOWEST)                           # a row that sees nothing yet
        shrink = np.exp(top - new) if rescale else 1.0          # [.., n, 1]
        e = np.exp(S - new)                                     # [.., n, block]
        total = total * shrink + np.add.reduce(e, axis=-1, keepdims=True)
        out = out * shrink + e @ v                              # [.., n, d_v]
        top = new
    return out / np.maximum(total, LEAST)


@dataclass(frozen=True)
class Groups:
    """Which queries meet which keys: group g's rows [g, a] see keys [g, b] where may is."""

    n: int
    rows: Array                     # [g, a] positions; those >= n are filling
    keys: Array                     # [g, b] positions; those outside 0..n-1 are filling
    may: Array                      # [g, a, b] booleans

    @property
    def pairs(self) -> int:
        """Scores that count: (query, key) pairs that may meet."""
        return int(self.may[self.rows < self.n].sum())


def window_groups(n: int, left: int, right: int, block: int = 64) -> Groups:
    """Each query and its neighbours, `block` queries sharing their keys: pairs ~ n."""
    whole("n", n, 1), whole("left", left, 0), whole("right", right, 0), whole("block", block, 1)
    first = np.arange(0, n, block)[:, None]                     # [g, 1]
    rows, keys = first + np.arange(block), first + np.arange(-left, block + right)
    near = window_mask(block, left, right, S=keys.shape[1], offset=left)   # [a, b]
    return Groups(n, rows, keys, near & ((keys >= 0) & (keys < n))[:, None])


def strided_groups(n: int, stride: int) -> Groups:
    """Each query and every stride-th key before it: pairs ~ n n / stride.

    Such keys leave the same rest on division, so the sequence falls into `stride` groups
    and each is causal attention. (Sparse Transformer, Child et al. 2019.)
    """
    whole("n", n, 1), whole("stride", stride, 1)
    length = -(-n // stride)
    rows = np.arange(stride)[:, None] + stride * np.arange(length)          # [g, a]
    return Groups(n, rows, rows, (rows < n)[:, None] & causal_mask(length))


def grouped(Q: Any, K: Any, V: Any, groups: Groups) -> Any:
    """Attention within groups only; [n, d] each -> [n, d_v], each query in its place."""
    Q, K, V = _numbered(Q=Q, K=K, V=V)
    if not Q.shape[0] == K.shape[0] == V.shape[0] == groups.n:
        raise ValueError(f"the groups are of {groups.n} tokens, got {Q.shape}, {K.shape}, "
                         f"{V.shape}")
    rows, keys = (np.clip(x, 0, groups.n - 1) for x in (groups.rows, groups.keys))
    may = groups.may | (groups.rows >= groups.n)[..., None]     # filling: anything
    k, v = K[keys], V[keys]                                     # [g, b, d]
    out = full(Q[rows], k, v, hidden(may))                      # [g, a, d_v]
    place = np.argsort(groups.rows, axis=None, kind="stable")[:groups.n]
    return out.reshape(groups.rows.size, V.shape[-1])[place]    # [n, d_v]


def feature(x: Any) -> Any:
    """elu(x) + 1, always positive. (Katharopoulos et al. 2020.)"""
    x = x if isinstance(x, Counted) else numbers("x", x)
    return np.maximum(x, 0) + np.exp(np.minimum(x, 0))


def linear_state(K: Any, V: Any) -> tuple[Any, Any]:
    """All that linear attention keeps of the keys and values: [d, d_v] and [d, 1]."""
    K, V = _numbered(K=K, V=V)
    _fitting(K, K, V)
    k = feature(K)                                              # [.., n, d]
    total = np.add.reduce(k.swapaxes(-1, -2), axis=-1, keepdims=True)
    return k.swapaxes(-1, -2) @ V, total                        # [d, n] @ [n, d_v]


def linear(Q: Any, K: Any, V: Any, by: str = "state") -> Any:
    """Weights f(q) f(k) without an exp around them: then the brackets may be moved.

    by "pairs": (f(Q) f(K)^T) V, n x n weights. by "state": f(Q) (f(K)^T V), none.
    """
    if by not in ("pairs", "state"):
        raise ValueError(f'by is "pairs" or "state", got {by!r}')
    Q, K, V = _numbered(Q=Q, K=K, V=V)
    _fitting(Q, K, V)
    q = feature(Q)                                              # [.., n, d]
    if by == "pairs":
        W = q @ feature(K).swapaxes(-1, -2)                     # [n, d] @ [d, n]
        return W @ V / _seen(np.add.reduce(W, axis=-1, keepdims=True))
    state, total = linear_state(K, V)
    return q @ state / _seen(q @ total)             # [n, d] @ [d, d_v], [n, d] @ [d, 1]


def linear_causal(Q: Any, K: Any, V: Any) -> Any:
    """Linear attention that sees the past only: word t meets the state of words 0 to t.

    Each word adds f(k) v^T to the state, so the states are running sums: [.., n, d, d_v].
    """
    Q, K, V = _numbered(Q=Q, K=K, V=V)
    _fitting(Q, K, V)
    if Q.shape[-2] != K.shape[-2]:
        raise ValueError(f"as many queries as keys, got {Q.shape} and {K.shape}")
    k, v = _columns(feature(K)), V.reshape(*V.shape[:-1], 1, V.shape[-1])
    states = np.add.accumulate(k @ v, axis=-3)                  # [d, 1] @ [1, d_v]
    totals = np.add.accumulate(k, axis=-3)                      # [.., n, d, 1]
    q = _columns(feature(Q)).swapaxes(-1, -2)                   # [.., n, 1, d]
    out = q @ states / _seen(q @ totals)                        # [1, d] @ [d, d_v]
    return out.reshape(*V.shape)


def _columns(x: Any) -> Any:
    return x.reshape(*x.shape, 1)


def _seen(total: Any) -> Any:
    if not isinstance(total, Counted) and not (total > 0).all():
        raise ValueError("queries and keys are so far below 0 that every weight is 0")
    return total


# --- a layer, a network that writes, a recurrent layer --------------------------------

LAYER = ("q", "k", "v", "scores", "mix", "out", "up", "down")   # the order of its products


def layer_shapes(d: int, hidden_width: int) -> dict[str, tuple[int, int]]:
    """The matrices of one layer."""
    whole("d", d, 1), whole("hidden_width", hidden_width, 1)
    return {**dict.fromkeys(("q", "k", "v", "out"), (d, d)),
            "up": (d, hidden_width), "down": (hidden_width, d)}


def drawn_layer(d: int, hidden_width: int, rng: np.random.Generator) -> dict[str, Array]:
    """Random matrices, each 1 / sqrt(its input width)."""
    whole("d", d, 1), whole("hidden_width", hidden_width, 1)
    return {name: rng.standard_normal(shape) / math.sqrt(shape[0])
            for name, shape in layer_shapes(d, hidden_width).items()}


def heads_of(x: Any, h: int) -> Any:
    """[n, d] -> [h, n, d/h]."""
    if not isinstance(x, Counted):
        x = array("x", x)
    if len(x.shape) != 2 or x.shape[1] % whole("heads", h, 1):
        raise ValueError(f"x is [n, d], d a multiple of {h} heads, got {x.shape}")
    return x.reshape(x.shape[0], h, x.shape[1] // h).swapaxes(0, 1)


def keys_values(x: Any, w: Any, h: int) -> tuple[Any, Any]:
    """What the others may look at: [h, n, d/h] each."""
    return heads_of(x @ w["k"], h), heads_of(x @ w["v"], h)


def layer(x: Any, w: Any, h: int, attend: Attend = full,
          cache: tuple[Any, Any] | None = None) -> tuple[Any, tuple[Any, Any]]:
    """One layer over [n, d]; with a cache, over n more tokens after those it holds.

    Returns the output [n, d] and all keys and values so far.
    """
    n, d = x.shape
    q = heads_of(x @ w["q"], h)                                 # [h, n, d/h]
    kv = keys_values(x, w, h)
    if cache is not None:
        kv = (np.concatenate([cache[0], kv[0]], axis=1),
              np.concatenate([cache[1], kv[1]], axis=1))        # [h, n_all, d/h]
    mixed = attend(q, *kv).swapaxes(0, 1).reshape(n, d)         # [n, d]
    x = x + mixed @ w["out"]
    return x + np.maximum(x @ w["up"], 0) @ w["down"], kv       # [n, d]


def see_past(Q: Any, K: Any, V: Any) -> Any:
    """Causal attention; the queries are the last of the keys' positions.

    One query, the newest, may see all: no mask to add.
    """
    Q, K, V = _numbered(Q=Q, K=K, V=V)
    n, m = Q.shape[-2], K.shape[-2]
    return full(Q, K, V, None if n == 1 else hidden(causal_mask(n, m)))


def write(x: Any, weights: Sequence[Any], h: int, steps: int, cached: bool,
          attend: Attend = see_past) -> tuple[Any, list[int]]:
    """Write `steps` vectors after x [n, d], each read again as the next input.

    Returns what was written [steps, d] and the numbers held in the caches after each.
    """
    whole("steps", steps, 1)
    if not x.shape[0]:
        raise ValueError("x has no vector to go on from: at least 1")
    caches: list[Any] = [None] * len(weights)
    new, written, held = x, [], []
    for _ in range(steps):
        y = new if cached else x
        for i, w in enumerate(weights):
            y, kv = layer(y, w, h, attend, caches[i])
            caches[i] = kv if cached else None
        new = _unit(y[-1:])                                     # [1, d]
        written.append(new)
        x = np.concatenate([x, new], axis=0)
        held.append(sum(k.size + v.size for k, v in filter(None, caches)))
    return np.concatenate(written, axis=0), held


def _unit(x: Any) -> Any:
    """Length sqrt(d), so that nothing grows as more is written."""
    return x / np.sqrt(np.add.reduce(x * x, axis=-1, keepdims=True) / x.shape[-1])


def recurrent(x: Any, w: Any, u: Any, looks_back: bool = True) -> Any:
    """h = tanh(x W + h U), word by word; the last h [1, d] is all that is kept."""
    if not x.shape[0]:
        raise ValueError("x has no word to read: at least 1")
    inputs = x @ w                                              # [n, d], all at once
    h = np.tanh(inputs[:1])
    for t in range(1, x.shape[0]):
        z = inputs[t:t + 1]
        h = np.tanh(z + h @ u if looks_back else z)             # [1, d]
    return h


# --- bytes ------------------------------------------------------------------------------

@dataclass(frozen=True)
class ModelShape:
    """A decoder's shape, enough to name every tensor. hidden 0: four widths.

    family  gpt2: biases, LayerNorm, learned positions, the embedding used twice
            llama: none of these; gated hidden layer, RMSNorm, an output table of its own
    """

    family: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    hidden: int
    vocabulary: int
    context: int

    def __post_init__(self) -> None:
        if self.family not in ("gpt2", "llama"):
            raise ValueError(f"family is gpt2 or llama, got {self.family!r}")
        for name in ("layers", "width", "heads", "kv_heads", "vocabulary", "context"):
            whole(name, getattr(self, name), 1)
        whole("hidden", self.hidden, 0)
        if self.width % self.heads or self.heads % self.kv_heads:
            raise ValueError(f"width {self.width}, {self.heads} heads and {self.kv_heads} "
                             "key-value heads: each must divide the one before")

    @property
    def kv_width(self) -> int:
        return self.width // self.heads * self.kv_heads

    def tensors(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """(group, shape) of every tensor, in the order a model has them."""
        d, hidden_width, kv = self.width, self.hidden or 4 * self.width, self.kv_width
        gpt2 = self.family == "gpt2"
        yield "embedding", (self.vocabulary, d)
        yield ("positions", (self.context, d)) if gpt2 else ("output", (self.vocabulary, d))
        attention = [(d, d), (d, kv), (d, kv), (d, d)]          # q, k, v, out
        mlp = [(d, hidden_width)] * (1 if gpt2 else 2) + [(hidden_width, d)]
        for _ in range(self.layers):
            for group, matrices in (("attention", attention), ("mlp", mlp)):
                yield from (("norms", (d,)) for _ in range(2 if gpt2 else 1))
                for shape in matrices:
                    yield group, shape
                    if gpt2:
                        yield group, shape[1:]                  # its bias
        yield from (("norms", (d,)) for _ in range(2 if gpt2 else 1))


# what training keeps beside the activations: for each way, its arrays (f2: any 16 bits)
TRAINING = {
    "sgd": {"weights": "f4", "gradients": "f4"},
    "adam": {"weights": "f4", "gradients": "f4", "mean": "f4", "square": "f4"},
    "mixed": {"weights": "f2", "gradients": "f2", "master": "f4", "mean": "f4", "square": "f4"},
    "mixed_wide": {"weights": "f2", "gradients": "f4", "master": "f4", "mean": "f4",
                   "square": "f4"},
    "eight_bit": {"weights": "f2", "gradients": "f2", "master": "f4", "mean": "i1",
                  "square": "i1"},
    "pure": {"weights": "f2", "gradients": "f2", "mean": "f2", "square": "f2"},
}


def held_bytes(shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]) -> int:
    """Bytes of one array of each dtype for each shape.

    Counted with Python's integers: NumPy's own `nbytes` ends at 2 GB where an address has
    32 bits, as in a browser.
    """
    for shape in shapes:
        for side in shape:
            whole("a side of a shape", side, 0)
    each = sum(np.dtype(dtype).itemsize for dtype in dtypes)
    return each * sum(math.prod(map(int, shape)) for shape in shapes)


def seconds(call: Callable[[], Any], repeats: int = 3) -> float:
    """The best of some runs, now, on this machine: never a metric."""
    best = math.inf
    whole("repeats", repeats, 1)
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best
