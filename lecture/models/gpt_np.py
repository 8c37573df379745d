"""What happens inside a trained GPT, and what happens if one thing in it is changed?

The same network as `tiny_gpt.TinyGPT`, run in float64 NumPy on `attention_np`, so that
every intermediate array can be read (trace) and replaced (patch) by name:

    embed                    tokens plus positions                      [B, T, d]
    0.in  0.mid  0.out       the stream before, between and after       [B, T, d]
    0.norm1  0.norm2         what attention and MLP read                [B, T, d]
    0.q  0.k  0.v            per head; before RoPE and QK norm          [B, h, T, w]
    0.scores  0.weights      scaled scores, -inf where hidden; softmax  [B, h, T, T]
    0.heads                  what each head fetched, before W_O         [B, h, T, w]
    0.attn  0.mlp            what the two branches write                [B, T, d]
    0.up                     inside the MLP, after its bend             [B, T, d_ff]
    final                    after the last norm                        [B, T, d]
    logits                   scores of the next word                    [B, T, V]

(1.in and so on for layer 1; k and v have h_kv heads.) A patch maps a name to an array
or to a function of the array. Patches that only look change nothing, bit for bit.

Left out: gradients, dropout, float32. An independent second writing: nothing here comes
from torch, and a parity test holds both to 1e-10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_np import (
    attention_scores,
    causal_mask,
    extend_cache,
    gelu,
    layer_norm,
    merge_heads,
    rms_norm,
    rope,
    sinusoidal_positions,
    softmax,
    split_heads,
)
from lecture.inputs import ids as whole_ids
from lecture.inputs import numbers, whole
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.cache import Weights
from lecture.models.recipes import GPTConfig, Recipe

Array = np.ndarray
Patch = Mapping[str, Array | Callable[[Array], Array]]
Cache = list[tuple[Array, Array] | None]
Tell = Callable[[str, Array], Array]    # names a stage; gives the array back, perhaps patched
ROWS = 128              # positions an MLP takes at a time: what fits the cache runs twice as fast


@dataclass(frozen=True)
class Run:
    """logits [B, T, V]; trace: every named array, after patching, if asked for."""

    logits: Array
    trace: dict[str, Array]

    def maps(self, n_layer: int) -> list[Array]:
        """The attention weights of each layer, [B, h, T, T]."""
        return [self.trace[f"{layer}.weights"] for layer in range(n_layer)]


class GPT:
    """A network ready to run: `GPT(cfg, weights).run(ids)`."""

    def __init__(self, cfg: GPTConfig, weights: Weights | Mapping[str, Array]):
        tensors = weights.tensors if isinstance(weights, Weights) else weights
        shapes = cfg.tensor_shapes()
        if {n: a.shape for n, a in tensors.items()} != shapes:
            raise ValueError("these weights are not of this config")
        self.cfg = cfg
        self.w = {n: np.asarray(a, dtype=np.float64) for n, a in tensors.items()}

    # --- the pieces -------------------------------------------------------------
    def _linear(self, name: str, x: Array) -> Array:
        W = self.w[f"{name}.weight"]                    # [out, in]
        y = np.tensordot(x, W, axes=(-1, -1))           # one product, not one per row
        return y + self.w[f"{name}.bias"] if self.cfg.bias else y

    def _norm(self, name: str, x: Array) -> Array:
        gain = self.w[f"{name}.weight"]                 # [d]
        if self.cfg.norm_kind == "rms":
            return rms_norm(x, gain)
        return layer_norm(x, gain, self.w.get(f"{name}.bias", 0.0))

    def _embed(self, ids: Array, places: Array) -> Array:
        cfg, x = self.cfg, self.w["wte.weight"][ids]    # [V, d][B, T] -> [B, T, d]
        if cfg.positions == "learned":
            return x + self.w["wpe.weight"][places]     # [C, d][T] -> [T, d]
        if cfg.positions == "sinusoidal":
            return x * np.sqrt(cfg.width) + sinusoidal_positions(places, cfg.width)
        return x

    def _places(self, places: Any, seen: int, length: int) -> Array:
        if places is None:
            return seen + np.arange(length)                         # [T]
        given = np.asarray(places)
        places = given if given.dtype.kind in "iu" else numbers("places", places)
        if places.shape != (length,):
            raise ValueError(f"places {places.shape} for {length} tokens")
        if self.cfg.positions == "learned" and not (
                places.dtype.kind in "iu" and (places >= 0).all()
                and (places < self.cfg.context).all()):
            raise ValueError("learned positions are rows of a table: whole numbers from "
                             f"0 to {self.cfg.context - 1}")
        return places

    def _project(self, block: str, x: Array) -> tuple[Array, Array, Array]:
        cfg = self.cfg
        made = {name: self._linear(f"{block}.attn.{name}", x)
                for name, _ in cfg.projections()}       # each [B, T, d or d_kv]
        q = made.get("q", x)
        k = made.get("k", q)                            # shared_qk: k is q
        v = made.get("v", k)                            # shared_kv: v is k
        return (split_heads(q, cfg.n_head), split_heads(k, cfg.kv_heads),
                split_heads(v, cfg.kv_heads))

    def _attention(self, layer: int, x: Array, places: Array, tell: Tell,
                   cache: Cache | None) -> Array:
        cfg, block = self.cfg, f"blocks.{layer}"
        q, k, v = (tell(f"{layer}.{name}", a) for name, a in
                   zip("qkv", self._project(block, x), strict=True))
        if cfg.qk_norm:
            q, k = rms_norm(q), rms_norm(k)
        if cfg.positions == "rope":
            q, k = (rope(a, places, cfg.rope_convention, cfg.rope_base) for a in (q, k))
        if cache is not None:
            cache[layer] = k, v = extend_cache(cache[layer], k, v)
        mask = causal_mask(q.shape[-2], k.shape[-2]) if cfg.causal else None
        scores = attention_scores(q, k, cfg.scale, mask)            # [B, h, T, S]
        weights = tell(f"{layer}.weights", softmax(tell(f"{layer}.scores", scores)))
        v = np.repeat(v, cfg.n_head // cfg.kv_heads, axis=-3)       # [B, h, S, w]
        heads = tell(f"{layer}.heads", weights @ v)                 # [B, h, T, w]
        return self._linear(f"{block}.attn.out", merge_heads(heads))

    def _mlp(self, layer: int, x: Array, tell: Tell) -> Array:
        rows = x.reshape(-1, x.shape[-1])                           # [B T, d]
        bent = np.empty((len(rows), self.cfg.ff_width))
        for at in range(0, len(rows), ROWS):
            up = self._linear(f"blocks.{layer}.mlp.up", rows[at:at + ROWS])
            bent[at:at + ROWS] = (np.maximum(up, 0) if self.cfg.activation == "relu"
                                  else gelu(up, "tanh"))
        bent = tell(f"{layer}.up", bent.reshape(*x.shape[:-1], -1))  # [B, T, d_ff]
        return self._linear(f"blocks.{layer}.mlp.down", bent)

    # --- the run ----------------------------------------------------------------
    def run(self, ids: Any, patch: Patch | None = None, trace: bool = False,
            cache: Cache | None = None, places: Any = None) -> Run:
        """ids [B, T] or [T] -> Run; a single sequence keeps a batch axis of 1.

        places [T]: where the tokens are said to stand, instead of 0, 1, 2 and so on;
        fractions too, except with learned positions, whose table has whole rows.

        cache: from `new_cache()`, is extended in place: ids are then the tokens after
        those it has seen. ValueError for an input longer than the context, an id
        outside the vocabulary, or a patch whose name or shape does not exist; whatever is
        refused leaves the cache as it was.
        """
        cfg, ids = self.cfg, np.atleast_2d(whole_ids("ids", ids))
        if ids.ndim != 2 or not ids.size:
            raise ValueError(f"ids are [B, T] or [T], B and T at least 1, got {ids.shape}")
        if cache is not None and len(cache) != cfg.n_layer:
            raise ValueError(f"a cache of {len(cache)} layers, the model has {cfg.n_layer}")
        unknown = set(patch or {}) - self._stages()
        if unknown:
            raise ValueError(f"no activation is called {min(unknown)!r}")
        extended = None if cache is None else list(cache)
        seen = 0 if not cache or cache[0] is None else cache[0][0].shape[-2]
        places = self._places(places, seen, ids.shape[1])           # [T]
        if cache is not None and not cfg.causal:
            raise ValueError("a cache needs a causal model: here old states change")
        if seen + ids.shape[1] > cfg.context:
            raise ValueError(f"{seen + ids.shape[1]} tokens do not fit: this model "
                             f"sees at most {cfg.context}")
        if ids.size and not 0 <= ids.min() <= ids.max() < cfg.vocab_size:
            raise ValueError(f"ids must lie in 0 .. {cfg.vocab_size - 1}")
        kept: dict[str, Array] = {}
        waiting = dict(patch or {})

        def tell(name: str, a: Array) -> Array:
            if name in waiting:
                edit = waiting.pop(name)
                # a function gets a copy, so an edit in place reaches nothing else
                b = np.asarray(edit(a.copy()) if callable(edit) else edit)
                if b.shape != a.shape:
                    raise ValueError(f"patch {name!r}: shape {b.shape}, not {a.shape}")
                a = b
            if trace:
                kept[name] = a
            return a

        def enter(name: str, x: Array) -> Array:
            return self._norm(name, x) if cfg.norm == "pre" else x

        def join(name: str, x: Array, branch: Array) -> Array:
            y = x + branch if cfg.residual else branch
            return self._norm(name, y) if cfg.norm == "post" else y

        x = tell("embed", self._embed(ids, places))                 # [B, T, d]
        for layer in range(cfg.n_layer):
            block = f"blocks.{layer}"
            x = tell(f"{layer}.in", x)
            read = tell(f"{layer}.norm1", enter(f"{block}.norm1", x))
            branch = self._attention(layer, read, places, tell, extended)
            x = join(f"{block}.norm1", x, tell(f"{layer}.attn", branch))
            x = tell(f"{layer}.mid", x)
            if cfg.mlp:
                read = tell(f"{layer}.norm2", enter(f"{block}.norm2", x))
                branch = self._mlp(layer, read, tell)
                x = join(f"{block}.norm2", x, tell(f"{layer}.mlp", branch))
            x = tell(f"{layer}.out", x)
        x = tell("final", enter("norm_f", x))
        table = self.w["wte.weight" if cfg.tied else "lm_head.weight"]
        logits = tell("logits", x @ table.T)                        # [d, V]
        if cache is not None and extended is not None:
            cache[:] = extended                         # only now: a failed run changes nothing
        return Run(logits, kept)

    def _stages(self) -> set[str]:
        # the names a patch may have: those that `run` tells
        parts = ["in", "norm1", "q", "k", "v", "scores", "weights", "heads", "attn", "mid", "out"]
        parts += ["norm2", "up", "mlp"] * self.cfg.mlp
        return {"embed", "final", "logits"} | {
            f"{layer}.{part}" for layer in range(self.cfg.n_layer) for part in parts}

    def new_cache(self) -> Cache:
        """An empty cache for `run` and `decode`."""
        return [None] * self.cfg.n_layer

    def decode(self, ids: Any, steps: int, cached: bool = True) -> Array:
        """Greedy: ids [B, T] -> [B, T + steps]; ties go to the lowest id.

        With the cache each step runs one token; without it the whole text. The same
        ids come out. ValueError, before computing, if they would not fit the context.
        """
        ids = np.atleast_2d(whole_ids("ids", ids, self.cfg.vocab_size))
        whole("steps", steps, 0)
        if ids.shape[1] + steps - 1 > self.cfg.context:     # the last is never read
            raise ValueError(f"{ids.shape[1]} tokens and {steps} more do not fit: this "
                             f"model sees at most {self.cfg.context}")
        cache, new = (self.new_cache() if cached else None), ids
        for _ in range(steps):
            logits = self.run(new if cached else ids, cache=cache).logits
            new = logits[:, -1].argmax(-1)[:, None]                 # [B, 1]
            ids = np.concatenate([ids, new], axis=1)
        return ids


# --- patches ------------------------------------------------------------------------
def cut_edge(layer: int, head: int | None, query: Any, key: Any) -> Patch:
    """Forbid a query position to look at a key position in one head (None: in all).

    query, key: one number, or one a row of the batch [B]. The score becomes -inf, so
    the other weights of the row grow to sum to 1 (Geva et al. 2023, knock-out).
    """
    _places(layer, head, query, key)

    def edit(scores: Array) -> Array:                               # [B, h, T, S]
        _inside(scores, head, query, scores.shape[2])
        _inside(scores, head, key, scores.shape[3])
        heads = range(scores.shape[1]) if head is None else [head]
        rows = np.arange(len(scores))
        for h in heads:
            scores[rows, h, query, key] = -np.inf
        return scores
    return {f"{layer}.scores": edit}


def zero_head(layer: int, head: int) -> Patch:
    """Let a head fetch nothing: its output is 0 at every position."""
    _places(layer, head)

    def edit(heads: Array) -> Array:                                # [B, h, T, w]
        _inside(heads, head, 0, 1)
        heads[:, head] = 0.0
        return heads
    return {f"{layer}.heads": edit}


def set_value(layer: int, head: int, position: Any, value: Array) -> Patch:
    """Put other values [B, w] at a position in one (key-value) head.

    position: one number, or one a row of the batch [B].
    """
    _places(layer, whole("head", head, 0), position)

    def edit(v: Array) -> Array:                                    # [B, h_kv, T, w]
        _inside(v, head, position, v.shape[2])
        v[np.arange(len(v)), head, position] = value
        return v
    return {f"{layer}.v": edit}


def _places(layer: int, head: int | None, *positions: Any) -> None:
    whole("layer", layer, 0)
    if head is not None:
        whole("head", head, 0)
    for position in positions:
        if whole_ids("position", position, least=0).ndim > 1:
            raise ValueError("a position is one number, or one a row of the batch [B]")


def _inside(a: Array, head: int | None, position: Any, length: int) -> None:
    if head is not None:
        whole("head", head, 0, a.shape[1] - 1)
    position = whole_ids("position", position, length, least=0)
    if position.ndim and position.shape != a.shape[:1]:
        raise ValueError(f"{position.size} positions for {len(a)} rows")


def combine(patches: Sequence[Patch]) -> Patch:
    """One patch that applies several in turn, also where they name the same array."""
    chains: dict[str, list[Any]] = {}
    for patch in patches:
        for name, edit in patch.items():
            chains.setdefault(name, []).append(edit)

    def chained(edits: list[Any]) -> Callable[[Array], Array]:
        def apply(a: Array) -> Array:
            for edit in edits:
                a = edit(a) if callable(edit) else edit
            return a
        return apply

    return {name: chained(edits) for name, edits in chains.items()}


def init_weights(cfg: GPTConfig, seed: int = 0) -> dict[str, Array]:
    """Untrained weights for a control, as GPT-2: N(0, .02), gains 1, biases 0.

    The maps into the stream get .02 / sqrt(2 n_layer). Other numbers than torch draws
    from the same seed, the same distribution.
    """
    rng = np.random.default_rng(whole("seed", seed, 0))
    made = {}
    for name, shape in cfg.tensor_shapes().items():
        if name.endswith("bias"):
            made[name] = np.zeros(shape)
        elif "norm" in name:
            made[name] = np.ones(shape)
        else:
            into = name.endswith(("attn.out.weight", "mlp.down.weight"))
            std = 0.02 / np.sqrt(2 * cfg.n_layer) if into else 0.02
            made[name] = rng.normal(0.0, std, shape)
    return made


def ready(name: str, trained: bool = True) -> tuple[GPT, Recipe]:
    """A model of the course by its recipe's name, or the same one before any training."""
    recipe = recipes.named(name)
    weights = model_cache.load(recipe) if trained else init_weights(recipe.config)
    return GPT(recipe.config, weights), recipe
