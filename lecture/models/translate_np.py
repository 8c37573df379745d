"""What happens inside a trained translator, and what if one thing in it is changed?

The same encoder-decoder as `lecture/models/translate_torch.py`, run in float64 NumPy on
`attention_np`, so that every intermediate array can be read (trace) and replaced (patch)
by name. E.i is encoder layer i, D.i decoder layer i; `self` and `cross` name which look:

    E.0.in  D.0.in           words plus positions                       [B, n, d], [B, m, d]
    D.0.cross.q .k .v        queries of the decoder; keys and values    [B, h, m, w],
                             of the encoder's memory                    [B, h, n, w]
    D.0.cross.scores         scaled scores, -inf where hidden           [B, h, m, n]
    D.0.cross.weights        their softmax                              [B, h, m, n]
    D.0.cross.made           what the sub-layer adds to the stream      [B, m, d]
    memory                   what leaves the encoder: a vector a word,  [B, n, d]
                             or their mean if the config says pooled    [B, 1, d]
    logits                   scores of the next words                   [B, m, V]

Padding is id 0; it is hidden from every look at both languages, so a sentence is
translated the same alone and in a padded batch. Left out: gradients, a cache of keys.
An independent second writing: a parity test holds both to 1e-10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from attention_np import (
    attention_scores,
    combined_mask,
    layer_norm,
    merge_heads,
    padding_mask,
    sinusoidal_positions,
    softmax,
    split_heads,
)
from lecture.inputs import ids as whole_ids
from lecture.inputs import whole
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.recipes import TranslateConfig

Array = np.ndarray
Patch = Mapping[str, Array | Callable[[Array], Array]]
PAD, BOS, EOS = 0, 1, 2


class Run(NamedTuple):
    """logits [B, m, V], and every named array if it was asked for."""

    logits: Array
    trace: dict[str, Array]


def padded(rows: Sequence[Sequence[int]], length: int = 0) -> Array:
    """Rows of different lengths as one array [B, longest], padding behind."""
    made = np.full((len(rows), max([whole("length", length, 0), *map(len, rows)])), PAD)
    for row, ids in zip(made, rows, strict=True):
        row[:len(ids)] = ids
    return made


def _known(words: Sequence[str], index: Mapping[str, int]) -> list[int]:
    unknown = [w for w in words if w not in index]
    if unknown:
        raise ValueError(f"no such word here: {', '.join(map(repr, unknown))}")
    return [index[w] for w in words]


class Translator:
    """A network ready to run, with its words: `Translator(cfg, weights, corpus words)`."""

    def __init__(self, cfg: TranslateConfig, tensors: Mapping[str, Array],
                 source_words: Sequence[str] = (), target_words: Sequence[str] = ()):
        if {n: a.shape for n, a in tensors.items()} != cfg.tensor_shapes():
            raise ValueError("these weights are not of this config")
        self.cfg, self.source_words, self.target_words = cfg, source_words, target_words
        self.w = {n: np.asarray(a, dtype=np.float64) for n, a in tensors.items()}
        self._into = {w: i for i, w in enumerate(source_words)}
        self._out = {w: i for i, w in enumerate(target_words)}

    # --- words and numbers ------------------------------------------------------
    def source_ids(self, sentences: Sequence[Sequence[str]]) -> Array:
        """Sentences as rows of ids [B, n]; ValueError if one is empty or too long."""
        if not all(0 < len(words) <= self.cfg.context for words in sentences):
            raise ValueError(f"a sentence has 1 to {self.cfg.context} words")
        return padded([_known(words, self._into) for words in sentences])

    def input_ids(self, sentences: Sequence[Sequence[str]]) -> Array:
        """What the decoder is fed: <bos>, then the words; [B, m], <eos> never."""
        return padded([[BOS, *_known(words, self._out)] for words in sentences])

    def target_ids(self, sentences: Sequence[Sequence[str]]) -> Array:
        """What the decoder has to say: the words, then <eos>; [B, m]."""
        return padded([[*_known(words, self._out), EOS] for words in sentences])

    def words(self, ids: Sequence[int]) -> list[str]:
        """Target ids up to the first <eos> as words."""
        row = [whole("an id", i, 0, len(self.target_words) - 1) for i in ids]
        return [self.target_words[i] for i in row[:row.index(EOS) if EOS in row else None]]

    # --- the pieces -------------------------------------------------------------
    def _linear(self, name: str, x: Array) -> Array:
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]

    def _look(self, name: str, key: str, x: Array, memory: Array, mask: Array | None,
              tell: Callable[[str, Array], Array]) -> Array:
        q, k, v = (tell(f"{key}.{part}", split_heads(self._linear(f"{name}.{part}", y),
                                                     self.cfg.n_head))
                   for part, y in (("q", x), ("k", memory), ("v", memory)))
        scores = tell(f"{key}.scores", attention_scores(q, k, mask=mask))   # [B, h, m, n]
        weights = tell(f"{key}.weights", softmax(scores))
        return self._linear(f"{name}.out", merge_heads(weights @ v))        # [B, m, d]

    def _layer(self, side: str, layer: int, x: Array, own: Array | None,
               tell: Callable[[str, Array], Array], memory: Array | None = None,
               across: Array | None = None) -> Array:
        for number, kind in enumerate(self.cfg.sub_layers(side), 1):
            name, key = f"{side}.{layer}.{kind}", f"{side[0].upper()}.{layer}.{kind}"
            if kind == "ff":
                up = np.maximum(self._linear(f"{name}.up", x), 0)       # [B, m, d_ff]
                made = self._linear(f"{name}.down", up)
            else:
                y, mask = (x, own) if memory is None or kind == "self" else (memory, across)
                made = self._look(name, key, x, y, mask, tell)
            norm = f"{side}.{layer}.norm{number}"
            x = layer_norm(x + tell(f"{key}.made", made), self.w[f"{norm}.weight"],
                           self.w[f"{norm}.bias"])                      # Add & Norm
        return x

    def _embed(self, table: str, ids: Array) -> Array:
        if not 1 <= ids.shape[1] <= self.cfg.context:
            raise ValueError(f"{ids.shape[1]} words do not fit: at most {self.cfg.context}")
        x = self.w[f"{table}.weight"][ids] * np.sqrt(self.cfg.width)    # [B, n, d]
        return x + sinusoidal_positions(ids.shape[1], self.cfg.width)

    # --- the run ----------------------------------------------------------------
    def run(self, source: Array, inputs: Array, patch: Patch | None = None,
            trace: bool = False, masked: bool = True, causal: bool = True,
            memory: Array | None = None) -> Run:
        """source [B, n] and inputs [B, m], 0 is padding -> the next words' logits.

        masked=False: padding is looked at like any word; causal=False: the decoder sees
        the words to come: two faults to be shown. memory [B, n, d]: what the encoder left
        before, so that it need not run again.
        """
        source, inputs = self._ids("source", source), self._ids("target", inputs)
        if len(source) != len(inputs):
            raise ValueError(f"{len(source)} sources, {len(inputs)} inputs")
        unknown = set(patch or {}) - self._stages()
        if unknown:
            raise ValueError(f"no activation is called {min(unknown)!r}")
        places = 1 if self.cfg.pooled else source.shape[1]
        if memory is not None and memory.shape != (len(source), places, self.cfg.width):
            raise ValueError(f"memory is {(len(source), places, self.cfg.width)}, "
                             f"got {memory.shape}")
        kept: dict[str, Array] = {}
        waiting = dict(patch or {})

        def tell(name: str, a: Array) -> Array:
            if name in waiting:
                edit = waiting.pop(name)
                b = np.asarray(edit(a.copy()) if callable(edit) else edit)
                if b.shape != a.shape:
                    raise ValueError(f"patch {name!r}: shape {b.shape}, not {a.shape}")
                a = b
            if trace:
                kept[name] = a
            return a

        real = padding_mask(source, PAD, heads=True) if masked else None    # [B, 1, 1, n]
        if memory is None:
            memory = self._encode(source, real, tell)
        own = (combined_mask if causal else padding_mask)(inputs, PAD, heads=True)
        if not masked:
            own = own | np.tri(inputs.shape[1], dtype=bool)         # [B, 1, m or 1, m]
        across = None if self.cfg.pooled else real      # one vector is never padding
        y = tell("D.0.in", self._embed("target", inputs))
        for layer in range(self.cfg.decoder_layers):
            y = self._layer("decoder", layer, y, own, tell, memory, across)
        logits = tell("logits", self._linear("out", y))
        if waiting:
            raise ValueError(f"no activation is called {min(waiting)!r}")
        return Run(logits, kept)

    def _ids(self, table: str, ids: Array) -> Array:
        ids = whole_ids(f"{table} ids", ids, len(self.w[f"{table}.weight"]), 2)
        if ids.ndim != 2:
            raise ValueError(f"{table} ids are [B, n], got {ids.shape}")
        return ids

    def _stages(self) -> set[str]:
        names = {"E.0.in", "memory", "D.0.in", "logits"}
        for side, layers in (("encoder", self.cfg.encoder_layers),
                             ("decoder", self.cfg.decoder_layers)):
            for kind in self.cfg.sub_layers(side):
                parts = ("made",) if kind == "ff" else ("q", "k", "v", "scores", "weights", "made")
                names |= {f"{side[0].upper()}.{layer}.{kind}.{part}"
                          for layer in range(layers) for part in parts}
        return names

    def _encode(self, source: Array, real: Array | None,
                tell: Callable[[str, Array], Array]) -> Array:
        x = tell("E.0.in", self._embed("source", source))
        for layer in range(self.cfg.encoder_layers):
            x = self._layer("encoder", layer, x, real, tell)
        if self.cfg.pooled:                     # one vector: the mean over the words
            each = np.ones((*source.shape, 1)) if real is None else real[:, 0, 0, :, None]
            x = (x * each).sum(1, keepdims=True) / each.sum(1, keepdims=True)
        return tell("memory", x)                            # [B, n, d], or [B, 1, d]

    def encode(self, source: Array, masked: bool = True) -> Array:
        """The memory [B, n, d]: one vector for each source word."""
        source = self._ids("source", source)
        real = padding_mask(source, PAD, heads=True) if masked else None
        return self._encode(source, real, lambda name, a: a)

    def greedy(self, source: Array, patch: Patch | None = None, masked: bool = True,
               steps: int = 16, memory: Array | None = None) -> list[list[str]]:
        """The likeliest next word until <eos>: the words of each row."""
        whole("steps", steps, 1, self.cfg.context)
        memory = self.encode(source, masked) if memory is None else memory
        inputs, live = np.full((len(source), 1), BOS), np.arange(len(source))
        for _ in range(steps):
            logits = self.run(source[live], inputs[live], patch, masked=masked,
                              memory=memory[live]).logits
            word = np.full(len(source), EOS)
            word[live] = logits[:, -1].argmax(-1)                       # [B]
            inputs = np.concatenate([inputs, word[:, None]], axis=1)
            going = np.flatnonzero((inputs != EOS).all(axis=1))
            if not len(going):
                break
            if patch is None:           # a patch knows all rows; else the ended ones rest
                live = going
        return [self.words(row[1:]) for row in inputs.tolist()]

    def following(self, sentence: Sequence[str]) -> Callable[[Sequence[tuple[int, ...]]], Array]:
        """What `beam.search` asks: log P of every next word after each prefix [k, V].

        <pad> and <bos> are no words to say: log P is -inf, without sharing their odds out.
        """
        source = self.source_ids([sentence])
        memory = self.encode(source)

        def ask(prefixes: Sequence[tuple[int, ...]]) -> Array:
            inputs = np.array([[BOS, *words] for words in prefixes])    # [k, m]
            k = len(inputs)
            logits = self.run(np.repeat(source, k, 0), inputs,
                              memory=np.repeat(memory, k, 0)).logits[:, -1]     # [k, V]
            log_p = logits - logits.max(-1, keepdims=True)
            log_p -= np.log(np.exp(log_p).sum(-1, keepdims=True))
            log_p[:, [PAD, BOS]] = -np.inf
            return log_p

        return ask


# --- patches ------------------------------------------------------------------------
def zero_cross(cfg: TranslateConfig) -> Patch:
    """The decoder looks across and brings nothing back, in any layer."""
    return {f"D.{layer}.cross.made": np.zeros_like for layer in range(cfg.decoder_layers)}


def swap_values(cfg: TranslateConfig, first: Array, second: Array) -> Patch:
    """Exchange what the decoder would fetch at two source places; keys stay.

    first, second [B]: one pair of places a row; in every head and decoder layer.
    """
    def edit(v: Array) -> Array:                                        # [B, h, n, w]
        row = np.arange(len(v))
        v[row, :, first], v[row, :, second] = v[row, :, second], v[row, :, first]
        return v
    return {f"D.{layer}.cross.v": edit for layer in range(cfg.decoder_layers)}


def cut_across(cfg: TranslateConfig, keep: Array) -> Patch:
    """Let target place i look only where keep [B, m, n] is True, in every head."""
    def edit(scores: Array) -> Array:                                   # [B, h, m, n]
        return np.where(keep[:, None], scores, -np.inf)
    return {f"D.{layer}.cross.scores": edit for layer in range(cfg.decoder_layers)}


def init_weights(cfg: TranslateConfig, seed: int = 0) -> dict[str, Array]:
    """Untrained weights for a control: as the trainer draws them, by other numbers."""
    rng, made = np.random.default_rng(whole("seed", seed, 0)), {}
    for name, shape in cfg.tensor_shapes().items():
        if name.endswith("bias"):
            made[name] = np.zeros(shape)
        elif "norm" in name:
            made[name] = np.ones(shape)
        elif name in ("source.weight", "target.weight"):
            made[name] = rng.normal(0.0, cfg.width ** -0.5, shape)
        else:
            bound: Any = np.sqrt(6 / sum(shape))
            made[name] = rng.uniform(-bound, bound, shape)
    return made


def load(name: str, trained: bool = True) -> Translator:
    """The model of a recipe (shipped, cached, or trained now), or the same untrained."""
    recipe = recipes.named(name)
    corpus = recipe.data.corpus()
    tensors: Mapping[str, Array] = model_cache.load(recipe).tensors if trained else \
        init_weights(recipe.config)
    return Translator(recipe.config, tensors, corpus.source_words, corpus.target_words)
