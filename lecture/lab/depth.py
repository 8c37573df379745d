"""What becomes of a gradient on its way down through a hundred blocks?

A stack of blocks, forward and backward, both written by hand. A block's branch is a
small MLP, the same for every token:

    F(x) = gain * relu(x W_1) W_2        W_1 [d, h], W_2 [h, d], entries N(0, 1/inputs)

and a KIND says how branch, stream and norm are joined:

    plain     y = F(x)                   what comes in is replaced
    residual  y = x + F(x)
    normed    y = LN(F(x))               a norm without a residual
    post      y = LN(x + F(x))           Post-LN, the original Transformer
    pre       y = x + F(LN(x))           Pre-LN, GPT-2 and after
    scaled    y = x + F(x) / sqrt(L)     L blocks: the start that GPT-2 gives its maps

One more branch, F(x) = -x, can take the place of a block's own: with a residual the
sum is 0, and so is every gradient below.

Beside it the two norms: over the numbers of one row, and over the rows of a batch.
Unlike `lecture/models/gpt_np.py` there are gradients here and no attention; nothing is trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_np import layer_norm, moments
from lecture.inputs import numbers, real, whole

Array = np.ndarray
KINDS = ("plain", "residual", "normed", "post", "pre", "scaled")
BARE = ("plain", "normed")              # no residual
NORMED = ("normed", "post")             # a norm at the end


@dataclass(frozen=True)
class Stack:
    """L blocks of one kind: up [L, d, h], down [L, h, d].

    opposite: the block, counted from 0, whose branch is F(x) = -x instead.
    """

    kind: str
    up: Array
    down: Array
    opposite: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind={self.kind!r}: it is one of {', '.join(KINDS)}")
        up, down = numbers("up", self.up, 3), numbers("down", self.down, 3)
        if up.ndim != 3 or down.shape != (len(up), up.shape[2], up.shape[1]):
            raise ValueError(f"up is [L, d, h] and down [L, h, d], got {up.shape}, {down.shape}")
        if self.opposite is not None:
            whole("opposite", self.opposite, 0, len(up) - 1)

    def forward(self, x: Array, depth: int) -> tuple[Array, list[Any]]:
        """The first `depth` blocks on x [n, d]: the output, and a tape for backward."""
        x = self._stream("x", x)
        tape = []
        for l in range(whole("depth", depth, 0, len(self.up))):
            read = layer_norm(x) if self.kind == "pre" else x           # [n, d]
            bent = np.maximum(read @ self.up[l], 0)                     # [n, h]
            branch = bent @ self.down[l] * self._share(depth)           # [n, d]
            if l == self.opposite:
                branch = -read                                          # [n, d]
            y = branch if self.kind in BARE else x + branch             # [n, d]
            tape.append((x, bent, y))
            x = layer_norm(y) if self.kind in NORMED else y             # [n, d]
        return x, tape

    def backward(self, g: Array, tape: list[Any]) -> list[Array]:
        """The gradient g [n, d] at the top, brought down: one a block, lowest first.

        Item l is the gradient on what block l reads; the last item is g itself.
        """
        if len(tape) > len(self.up):
            raise ValueError(f"the tape has {len(tape)} blocks, the stack {len(self.up)}")
        g = self._stream("g", g)
        if tape and g.shape != tape[0][0].shape:
            raise ValueError(f"g is {tape[0][0].shape} as what went in, got {g.shape}")
        found = [g]
        for l in reversed(range(len(tape))):
            x, bent, y = tape[l]
            if self.kind in NORMED:
                g = layer_norm_backward(g, y)                           # [n, d]
            if l == self.opposite:
                below = -g                                              # [n, d]
            else:
                at_bent = g @ self.down[l].T * self._share(len(tape))   # [n, h]
                below = (at_bent * (bent > 0)) @ self.up[l].T           # [n, d]
            if self.kind == "pre":
                below = layer_norm_backward(below, x)                   # [n, d]
            g = below if self.kind in BARE else g + below               # [n, d]
            found.append(g)
        return found[::-1]

    def _stream(self, name: str, x: Array) -> Array:
        x, d = numbers(name, x, 2), self.up.shape[1]
        if x.shape[-1] != d:
            raise ValueError(f"{name} is [n, {d}], got {x.shape}")
        return x

    def _share(self, depth: int) -> float:
        return depth ** -0.5 if self.kind == "scaled" else 1.0


def drawn_matrices(rng: np.random.Generator, layers: int, width: int, hidden: int,
                   gain: float) -> tuple[Array, Array]:
    """up [L, d, h], down [L, h, d]: entries N(0, 1/inputs), the second times gain."""
    for name, size in (("layers", layers), ("width", width), ("hidden", hidden)):
        whole(name, size, 1)
    real("gain", gain)
    up = rng.standard_normal((layers, width, hidden)) / np.sqrt(width)
    down = rng.standard_normal((layers, hidden, width)) / np.sqrt(hidden)
    return up, gain * down


def layer_norm_backward(g: Array, x: Array, eps: float = 1e-5) -> Array:
    """The gradient below a layer norm (gain 1, bias 0) from the one above; [.., d].

    y = (x - mean) r with r = 1 / sqrt(var + eps). What of g points along 1 or along y
    is lost: adding a constant to x, or stretching it, leaves y as it was. The rest is
    multiplied by r.
    """
    g, x = numbers("g", g, 1), numbers("x", x, 1)
    if g.shape != x.shape:
        raise ValueError(f"g {g.shape} and x {x.shape} are of one shape")
    mean, r = moments(x, eps)                                           # [.., 1]
    y = (x - mean) * r                                                  # [.., d]
    along_one = g.mean(axis=-1, keepdims=True)                          # [.., 1]
    along_y = (g * y).mean(axis=-1, keepdims=True) * y                  # [.., d]
    return r * (g - along_one - along_y)                                # [.., d]


def batch_norm(x: Array, gain: Any = 1.0, bias: Any = 0.0, eps: float = 1e-5) -> Array:
    """Each COLUMN of x [n, d] to mean 0 and variance 1, over the n rows at hand.

    As in training; afterwards a network uses averages kept from training instead.
    (Ioffe and Szegedy 2015.)
    """
    x, gain, bias = numbers("x", x, 2), numbers("gain", gain), numbers("bias", bias)
    if x.ndim != 2 or not len(x) or {gain.shape, bias.shape} - {(), (1,), x.shape[1:]}:
        raise ValueError(f"x is [n, d] with n at least 1, gain and bias [d], got {x.shape}, "
                         f"{gain.shape}, {bias.shape}")
    mean = x.mean(axis=0)                                               # [d]
    with np.errstate(over="ignore", invalid="ignore"):
        spread = x.var(axis=0) + real("eps", eps, 0)                    # [d]
    if not np.isfinite(spread).all() or (spread == 0).any():
        raise ValueError("a column is constant while eps is 0, or too large for a square")
    return (x - mean) / np.sqrt(spread) * gain + bias                   # [n, d]


def half_precision_norm(x: Array, eps: float, kind: type = np.float16) -> Array:
    """Layer norm with every step rounded to `kind`, epsilon included; [.., d]."""
    x = numbers("x", x, 1)
    if not x.shape[-1]:
        raise ValueError("x has width 0: a width is at least 1")
    real("eps", eps, 0)
    with np.errstate(over="ignore"):
        x = x.astype(kind)
    with np.errstate(all="ignore"):                     # 0 / 0 is what we came to see
        away = x - x.mean(axis=-1, keepdims=True, dtype=kind)           # [.., d]
        var = (away * away).mean(axis=-1, keepdims=True, dtype=kind)    # [.., 1]
        return away / np.sqrt(var + kind(eps))                          # [.., d]
