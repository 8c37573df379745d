"""How does a trained encoder-decoder run, and what does its chain do to a gradient?

A recurrent cell reads one word at a time and hands its state on. The encoder's last
state is all a plain decoder gets; with attention the decoder also looks back at every
state the encoder went through, one row of weights for each word it writes.

Unlike `lecture/models/seq2seq_torch.py` nothing is trained here: the same tensors under the
same names, run in NumPy, so that the agreement of the two says something. What torch
leaves to autograd stands here by hand: `last_state_jacobians` walks the chain backwards.
Left out: beams, padding (rows of a batch have one length), several layers.

    B, n, m    rows, words read, words written     e     width of a word vector
    w          width of a state                    V     words in the vocabulary
    g          gates of a cell: RNN 1, GRU 3, LSTM 4
    ..         any leading axes: nets side by side, one slice of weights for each
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from attention_np import attention
from lecture.inputs import ids, numbers, real, whole
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.recipes import GATES, Seq2SeqConfig

Array = np.ndarray
State = tuple[Array, ...]                  # (h,), or (h, c) of an LSTM: each [.., B, w]


class Cell(NamedTuple):
    """The weights of one recurrent cell, gates stacked as torch stacks them."""

    kind: str                              # "rnn", "gru" (r z n) or "lstm" (i f g o)
    ih: Array                              # [.., g w, e]  from the word
    hh: Array                              # [.., g w, w]  from the state
    b_ih: Array                            # [.., 1, g w]
    b_hh: Array                            # [.., 1, g w]

    @property
    def width(self) -> int:
        return int(self.hh.shape[-1])


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)), by way of tanh: nothing overflows."""
    x = numbers("x", x)
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def default_cells(rng: np.random.Generator, kind: str, nets: int, width: int) -> Cell:
    """`nets` untrained cells as a library draws them: U(-1/sqrt(w), 1/sqrt(w)).

    Word vectors are as wide as the state. Draws in the order ih, hh, b_ih, b_hh.
    """
    if kind not in GATES:
        raise ValueError(f"kind is one of {', '.join(GATES)}, got {kind!r}")
    whole("nets", nets, 1), whole("width", width, 1)
    bound, rows = 1 / np.sqrt(width), GATES[kind] * width
    ih, hh = rng.uniform(-bound, bound, (2, nets, rows, width))
    b_ih, b_hh = rng.uniform(-bound, bound, (2, nets, 1, rows))
    return Cell(kind, ih, hh, b_ih, b_hh)


def with_forget_bias(cell: Cell, bias: float) -> Cell:
    """An LSTM cell whose forget gate starts from `bias` instead of a small draw."""
    if cell.kind != "lstm":
        raise ValueError(f"only an LSTM has a forget gate, this is {cell.kind}")
    real("bias", bias)
    b_ih, b_hh = cell.b_ih.copy(), cell.b_hh.copy()
    forget = slice(cell.width, 2 * cell.width)          # gates stand i, f, g, o
    b_ih[..., forget], b_hh[..., forget] = bias, 0.0
    return cell._replace(b_ih=b_ih, b_hh=b_hh)


def first_state(cell: Cell, x: Array) -> State:
    """Zeros for every row of x [.., B, e]: (h,), or (h, c) of an LSTM."""
    x = _words(cell, x)
    zero = np.zeros((*x.shape[:-1], cell.width), x.dtype)        # [.., B, w]
    return (zero, zero) if cell.kind == "lstm" else (zero,)


def _words(cell: Cell, x: Array) -> Array:
    x, e = numbers("x", x, 1), cell.ih.shape[-1]
    if x.shape[-1] != e:
        raise ValueError(f"words are {e} wide, got {x.shape}")
    return x


def _activations(cell: Cell, x: Array, h: Array) -> tuple[Array, ...]:
    """The gates one step opens, each [.., B, w]; for a GRU also what r multiplies."""
    a = x @ cell.ih.swapaxes(-1, -2) + cell.b_ih                # [.., B, g w]
    b = h @ cell.hh.swapaxes(-1, -2) + cell.b_hh                # [.., B, g w]
    if cell.kind == "rnn":
        return (np.tanh(a + b),)
    if cell.kind == "lstm":
        i, f, g, o = np.split(a + b, 4, axis=-1)
        return sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
    (ar, az, an), (br, bz, bn) = np.split(a, 3, -1), np.split(b, 3, -1)
    r, z = sigmoid(ar + br), sigmoid(az + bz)
    return r, z, np.tanh(an + r * bn), bn


def step(cell: Cell, x: Array, state: State) -> State:
    """One word x [.., B, e] read: the next state, each array [.., B, w]."""
    gates = _activations(cell, np.asarray(x), state[0])
    if cell.kind == "rnn":
        return gates
    if cell.kind == "gru":
        _, z, new, _ = gates
        return ((1 - z) * new + z * state[0],)
    i, f, g, o = gates
    c = f * state[1] + i * g                # kept + written
    return o * np.tanh(c), c


def read(cell: Cell, x: Array) -> tuple[Array, State]:
    """All words x [.., B, n, e] in turn: every h [.., B, n, w], and the last state."""
    x = _words(cell, x)
    if x.ndim < 2 or not x.shape[-2]:
        raise ValueError(f"x is [.., n, e] with n at least 1, got {x.shape}")
    state, seen = first_state(cell, x[..., 0, :]), []
    for t in range(x.shape[-2]):
        state = step(cell, x[..., t, :], state)
        seen.append(state[0])
    return np.stack(seen, axis=-2), state


# --- the chain, backwards -------------------------------------------------------
def last_state_jacobians(cell: Cell, x: Array) -> tuple[Array, Array]:
    """How the last h moves with the first and with the last word: two [.., w, e].

    x [.., n, e]: one row of words for each net; an RNN's or an LSTM's cell. The chain
    rule by hand: J = dh_n/dh_t starts as the identity, K = dh_n/dc_t as zero, and word
    by word both are multiplied by how a state moves with the one before it.
    """
    if cell.kind == "gru":
        raise ValueError("the backward of a GRU is left to torch")
    x = _words(cell, x)
    if x.ndim < 2 or not x.shape[-2]:
        raise ValueError(f"x is [.., n, e] with n at least 1, got {x.shape}")
    x, n, w = x[..., None, :], x.shape[-2], cell.width          # [.., n, 1, e]
    states = [first_state(cell, x[..., 0, :, :])]
    for t in range(n):
        states.append(step(cell, x[..., t, :, :], states[-1]))
    J = np.broadcast_to(np.eye(w), (*x.shape[:-3], w, w))       # [.., w, w]
    K, ends = np.zeros_like(J), {}
    for t in reversed(range(n)):
        if cell.kind == "rnn":
            h = states[t + 1][0]                                # [.., 1, w]
            inside = J * (1 - h * h)                            # [.., w, w]
        else:
            i, f, g, o = _activations(cell, x[..., t, :, :], states[t][0])
            tanh_c = np.tanh(states[t + 1][1])                  # [.., 1, w]
            K = K + J * (o * (1 - tanh_c * tanh_c))
            inside = np.concatenate([                           # [.., w, 4 w]
                K * (g * i * (1 - i)), K * (states[t][1] * f * (1 - f)),
                K * (i * (1 - g * g)), J * (tanh_c * o * (1 - o))], axis=-1)
            K = K * f
        if t in (0, n - 1):
            ends[t] = inside @ cell.ih                          # [.., w, e]
        J = inside @ cell.hh                                    # [.., w, w]
    return ends[0], ends[n - 1]


def look_back_jacobians(q: Array, maps: tuple[Array, Array, Array], x: Array,
                        mask: Array | None = None) -> tuple[Array, Array, Array]:
    """The same for one attention look-up: first and last [.., d, e], weights [.., n].

    q [.., 1, e] asks, maps = (W_Q, W_K, W_V) each [.., d, e], words x [.., n, e]. A word
    moves the answer by its value, and by the weight that its key earns; how far away
    it stands enters nowhere.
    """
    W_Q, W_K, W_V = maps
    K, V = x @ W_K.swapaxes(-1, -2), x @ W_V.swapaxes(-1, -2)   # [.., n, d]
    Q = q @ W_Q.swapaxes(-1, -2)                                # [.., 1, d]
    answer, a = attention(Q, K, V, mask=mask)           # [.., 1, d], [.., 1, n]
    asked = Q @ W_K / np.sqrt(K.shape[-1])              # ds_j/dx_j  [.., 1, e]

    def moved_by(j: int) -> Array:
        off = (V[..., j, :] - answer[..., 0, :])[..., None]     # [.., d, 1]
        return a[..., j, None] * (W_V + off * asked)            # [.., d, e]

    return moved_by(0), moved_by(-1), a[..., 0, :]


# --- encoder and decoder ----------------------------------------------------------
class Seq2Seq:
    """A trained encoder-decoder: tensors by the names of `Seq2SeqConfig`."""

    def __init__(self, cfg: Seq2SeqConfig, tensors: Mapping[str, Array]):
        self.cfg = cfg
        self.p = {k: np.asarray(v, dtype=np.float64) for k, v in tensors.items()}
        self.encoder, self.decoder = (Cell(cfg.cell, *(
            self.p[f"{side}.{part}_l0"]
            for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")))
            for side in ("encoder", "decoder"))

    def encode(self, source: Array) -> tuple[Array, State]:
        """source [B, n] -> the memory [B, n, w], and the last state: the context."""
        return read(self.encoder, self.p["embed.weight"][self._ids("source", source, 2)])

    def _ids(self, name: str, words: Array, axes: int) -> Array:
        words = ids(name, words, len(self.p["embed.weight"]), axes)
        if words.ndim != axes or 0 in words.shape:
            raise ValueError(f"{name} has {axes} axes, each at least 1, got {words.shape}")
        return words

    def write(self, word: Array, state: State, memory: Array, mask: Array | None = None,
              ) -> tuple[Array, State, Array | None]:
        """One word in, the next one's logits [B, V] out, the new state, the weights.

        mask [B, n]: True where the decoder may look. Without attention the weights
        are None and the memory is not used.
        """
        word = self._ids("word", word, 1)
        if mask is not None and (np.asarray(mask).dtype != bool
                                 or np.shape(mask) != memory.shape[:2]):
            raise ValueError(f"mask is boolean {memory.shape[:2]}, got {np.shape(mask)}")
        state = step(self.decoder, self.p["embed.weight"][word], state)
        top, weights = state[0], None                           # [B, w]
        if self.cfg.attention:
            query = top @ self.p["look.weight"].T               # [B, w]
            see = None if mask is None else mask[:, None, :]
            found, w = attention(query[:, None], memory, memory, mask=see)
            weights = w[:, 0]                                   # [B, n]
            top = np.tanh(np.concatenate([found[:, 0], top], -1)   # [B, 2 w]
                          @ self.p["mix.weight"].T)
        return (top @ self.p["out.weight"].T + self.p["out.bias"],  # [B, V]
                state, weights)

    def forced(self, source: Array, inputs: Array) -> tuple[Array, Array | None]:
        """The true words as inputs [B, m]: logits [B, m, V], weights [B, m, n]."""
        inputs = self._ids("inputs", inputs, 2)
        memory, state = self.encode(source)
        logits, maps = [], []
        for t in range(inputs.shape[1]):
            scores, state, weights = self.write(inputs[:, t], state, memory)
            logits.append(scores)
            maps.append(weights)
        return np.stack(logits, axis=1), _together(maps)

    def greedy(self, source: Array, bos: int, steps: int,
               put: tuple[int, Array] | None = None, context: State | None = None,
               masks: Array | None = None) -> tuple[Array, Array | None]:
        """Its own likeliest word is its next input: words [B, steps], weights.

        put = (k, words [B]): at step k those words are handed on instead of its own
        (and stand in the answer). context: a state in place of the encoder's last
        one. masks [B, steps, n]: where it may look at each step.
        """
        whole("steps", steps, 1), whole("bos", bos, 0, len(self.p["embed.weight"]) - 1)
        if put is not None:
            whole("the step of put", put[0], 0, steps - 1)
            self._ids("the words of put", put[1], 1)
        if masks is not None and np.shape(masks)[:2] != (len(source), steps):
            raise ValueError(f"masks are [{len(source)}, {steps}, n], got {np.shape(masks)}")
        memory, state = self.encode(source)
        state = state if context is None else context
        word, words, maps = np.full(len(source), bos), [], []
        for t in range(steps):
            logits, state, weights = self.write(
                word, state, memory, None if masks is None else masks[:, t])
            word = logits.argmax(-1)                            # [B]
            if put is not None and put[0] == t:
                word = put[1]
            words.append(word)
            maps.append(weights)
        return np.stack(words, axis=1), _together(maps)


def _together(maps: list[Array | None]) -> Array | None:
    """The weights of every step [B, m, n]; None where nothing looks back."""
    seen = [m for m in maps if m is not None]
    return np.stack(seen, axis=1) if seen else None


def load(name: str) -> Seq2Seq:
    """The model of a recipe: shipped, cached, or trained now."""
    recipe = recipes.named(name)
    found: dict[str, Any] = model_cache.load(recipe).tensors
    return Seq2Seq(recipe.config, found)
