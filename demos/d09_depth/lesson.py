"""The depth behind demo 09: a gradient, two norms, a count, and trained blocks.

Part 1 sends one drawn gradient down the same matrices joined in five ways
(lecture/lab/depth). Part 2 norms the same rows alone and in batches. Part 3 counts from
shapes and moves one word. Part 4 measures the shipped twelve blocks, skips each in turn, and
reads five trainings of each of six kinds, shallow and deep, from the record.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, causal_mask, layer_norm
from lecture import records
from lecture.data import tasks
from lecture.lab.depth import KINDS, Stack, batch_norm, drawn_matrices, half_precision_norm
from lecture.models import cache as model_cache
from lecture.models.gpt_np import GPT, init_weights
from lecture.models.recipes import GPTConfig, Recipe, named
from lecture.report import Metrics

Array = np.ndarray
NO_CHANGE = 1e-300                      # below this only a true zero remains


# --- 1. a gradient through a hundred blocks -----------------------------------

DEPTHS = (6, 50, 100)
WORDS = 16
OPPOSITE = 3                            # the block with F(x) = -x, from 0
NOTED = {"weak": 0.8, "strong": 1.2}    # the gains of the notes' example
NOTED_LAYERS = 50
Swap = Mapping[str, str]


def multiplied(plus: float) -> Metrics:
    """One number a layer, as the notes have it: gain to the power 50."""
    gains = NOTED | {"strong_plus_one": NOTED["strong"] + plus}
    return {"layers": NOTED_LAYERS} | {
        name: {"gain": gain, "power": gain ** NOTED_LAYERS}
        for name, gain in gains.items()}


def through_blocks(gain: float, width: int, seed: int,
                   swap: Swap | None = None, plus: float = 1.0,
                   opposite: int | None = OPPOSITE) -> Metrics:
    """The gradient's length at the bottom, divided by that at the top.

    Leaves:
      depths[3] width hidden words gain
      bottom.{plain,residual,scaled,post,pre}.{d6,d50,d100}  1: as at the top
      blocks[11] on_the_way.{plain,residual,scaled,post,pre}[11]  log10
      noted.{layers,{weak,strong,strong_plus_one}.{gain,power}}
      branch_of_1_2.{plain,residual} opposite.{below,above}[3]
    """
    rng = np.random.default_rng(seed)
    x, top = rng.standard_normal((2, WORDS, width))             # [n, d]
    hidden = 4 * width
    up, down = drawn_matrices(rng, max(DEPTHS), width, hidden, gain)

    def ratios(kind: str, depth: int, scale: float = 1.0,
               at: int | None = None) -> Array:
        kind = (swap or {}).get(kind, kind)
        stack = Stack(kind, up, scale * down, at)               # [L, d, h]
        _, tape = stack.forward(x, depth)
        found = stack.backward(top, tape)                     # L+1 of [n, d]
        return np.linalg.norm(found, axis=(1, 2)) / np.linalg.norm(top)

    bottom: Metrics = {}
    on_the_way: Metrics = {}
    for kind in KINDS:
        found = {f"d{depth}": ratios(kind, depth) for depth in DEPTHS}
        bottom[kind] = {name: r[0] for name, r in found.items()}
        tens = np.maximum(found["d100"][::10], 1e-300)          # [11]
        on_the_way[kind] = np.log10(tens)
    cancelled = [ratios("residual", depth, at=opposite) for depth in DEPTHS]
    # the notes' 1.2, as a branch of matrices: relu halves the mean square
    as_noted = NOTED["strong"] / max(gain, 1e-9) / np.sqrt(0.5)
    return {
        "depths": list(DEPTHS), "width": width, "hidden": hidden,
        "words": WORDS, "gain": gain, "bottom": bottom,
        "blocks": np.arange(0, 101, 10),
        "on_the_way": on_the_way, "noted": multiplied(plus),
        "branch_of_1_2": {kind: ratios(kind, NOTED_LAYERS, as_noted)[0]
                          for kind in ("plain", "residual")},
        "opposite": {"below": [r[0] for r in cancelled],
                     "above": [r[OPPOSITE + 1] for r in cancelled]}}


GRADIENT_CONTROLS: dict[str, Any] = {
    "always_residual": partial(through_blocks, swap={"plain": "residual"}),
    "never_residual": partial(through_blocks, swap={"residual": "plain"},
                              plus=0.0),
    "no_norm": partial(through_blocks, swap={"post": "residual",
                                             "pre": "residual"}),
    "full_start": partial(through_blocks, swap={"scaled": "residual"}),
    "ordinary": partial(through_blocks, opposite=None),
}


# --- 2. two norms -------------------------------------------------------------

ROWS, FEATURES = 8, 64
MANY = 64                               # rows whose errors are averaged
SHOWN = (4, 6)                          # rows and columns on the screen
SIZES = (8, 4, 2, 1)
COUNTED = np.array([[1.0, 2.0, 3.0, 4.0]])
NOTED_EPS = 1e-8
STRETCH = 1.5                           # a gain that a norm might learn


def same(x: Array) -> Array:
    return x


def identity_errors(rng: np.random.Generator, eps: float, gain: float,
                    before: Any) -> Metrics:
    """How far is LN(x) from x: length of the difference / length of x."""
    def error(x: Array, by: float = 1.0) -> Any:
        x = before(x)                                           # [n, d]
        away = np.linalg.norm(layer_norm(x, gain=by, eps=eps) - x, axis=1)
        return (away / np.linalg.norm(x, axis=1)).mean()        # [n]

    unit = rng.standard_normal((MANY, 512))                     # [n, 512]
    normed = layer_norm(5 + 3 * unit, eps=eps)                  # [n, 512]
    return {"unit_512": error(unit), "unit_256": error(unit[:, :256]),
            "wide": error(5 + 3 * unit), "small": error(0.1 * unit),
            "counted": error(COUNTED), "normed": error(normed),
            "normed_gain": error(normed, gain)}


def nothing_learned(rng: np.random.Generator, eps: float,
                    pre: bool) -> Metrics:
    """The branch gives 0: what comes out of each arrangement?"""
    x = 5 + 3 * rng.standard_normal((ROWS, FEATURES))           # [8, d]
    zero = 0 * layer_norm(x)                                    # [8, d]
    outs = {"post": layer_norm(x + zero, eps=eps),
            "pre": x + zero if pre else layer_norm(x + zero, eps=eps)}
    return {name: np.linalg.norm(y - x) / np.linalg.norm(x)
            for name, y in outs.items()}


def half_precision(kind: Any) -> Metrics:
    """A row of equal numbers, normed in float16 with two epsilons."""
    row = np.full((1, FEATURES), 5.0)                           # [1, d]
    found = {}
    for name, eps in {"noted": NOTED_EPS, "usual": 1e-5}.items():
        out = half_precision_norm(row, eps, kind)               # [1, d]
        found[name] = {"eps": eps, "stored": float(kind(eps)),
                       "undefined": int(np.isnan(out).sum())}
    smallest = float(np.finfo(np.float16).smallest_subnormal)
    return {"of": FEATURES, "smallest": smallest, **found}


def two_norms(eps: float, seed: int, layer: Any = layer_norm,
              batch: Any = batch_norm, gain: float = STRETCH,
              before: Any = same,
              pre: bool = True, kind: Any = np.float16) -> Metrics:
    """The same row in batches of 8, 4, 2 and 1; LN against the identity.

    Leaves:
      sizes[4] features eps gain raw[4,6] normed.{layer,batch}[4,6]
      moved.{layer,batch}.{b8,b4,b2,b1} alone.{layer,batch}  change, number
      counted.{raw,normed}[4]
      identity.{unit_512,unit_256,wide,small,counted,normed,normed_gain}
      at_zero.{post,pre}  change / size of what comes in, as for identity
      half.{of,smallest,{noted,usual}.{eps,stored,undefined}}
    """
    rng = np.random.default_rng(seed)
    x = 5 + 3 * rng.standard_normal((ROWS, FEATURES))           # [8, d]
    norms = {"layer": layer, "batch": batch}
    whole = {name: norm(x, eps=eps) for name, norm in norms.items()}
    moved, largest = {}, {}
    for name, norm in norms.items():
        rows = {n: norm(x[:n], eps=eps)[0] for n in SIZES}      # [d] each
        moved[name] = {f"b{n}": abs(r - whole[name][0]).max()
                       for n, r in rows.items()}
        largest[name] = abs(rows[1]).max()
    few = slice(0, SHOWN[0]), slice(0, SHOWN[1])
    return {
        "sizes": list(SIZES), "features": FEATURES,
        "eps": eps, "gain": gain,
        "raw": x[few], "normed": {n: y[few] for n, y in whole.items()},
        "moved": moved, "alone": largest,
        "counted": {"raw": COUNTED[0],
                    "normed": layer_norm(COUNTED, eps=eps)[0]},
        "identity": identity_errors(rng, eps, gain, before),
        "at_zero": nothing_learned(rng, eps, pre),
        "half": half_precision(kind)}


def normed_before(x: Array) -> Array:
    return layer_norm(x)


NORMS_CONTROLS: dict[str, Any] = {
    "layer_is_batch": partial(two_norms, layer=batch_norm),
    "batch_is_layer": partial(two_norms, batch=layer_norm),
    "normed_input": partial(two_norms, before=normed_before),
    "no_gain": partial(two_norms, gain=1.0),
    "norm_on_the_stream": partial(two_norms, pre=False),
    "single_precision": partial(two_norms, kind=np.float32),
}


# --- 3. where the parameters are ----------------------------------------------

SHAPES = {"small": (12, 12, 768), "medium": (24, 16, 1024), "xl": (48, 25, 1600)}
D, INNER, SENTENCE, SHARED_TABLE = 512, 2048, 5, 37_000
CHANGED = 1                             # word 2, counted from 0


def counted(cfg: GPTConfig) -> Metrics:
    """Parameters by kind, from the shapes of the stored tensors."""
    kinds = {"mlp": "ffn", "attn": "attention",
             "wte": "tables", "wpe": "tables"}
    found = dict.fromkeys(("ffn", "attention", "norms", "tables"), 0)
    for name, shape in cfg.tensor_shapes().items():
        parts = name.split(".")
        kind = next((k for part, k in kinds.items() if part in parts), "norms")
        found[kind] += int(np.prod(shape))
    return found


def shared(found: Mapping[str, int]) -> Metrics:
    total = sum(found.values())
    return {**found, "total": total, "share": found["ffn"] / total}


def where_parameters_are(vocab: int, seed: int, tables: bool = True,
                         inner: int = INNER, mix: bool = False) -> Metrics:
    """Counts for the encoder-decoder of 2017 and for GPT-2; then one change.

    Leaves:
      width inner vocabulary translator_vocabulary
      models.{encoder,decoder,stacks,translator,small,medium,xl}.{ffn,attention,
        norms,tables,total,share}  share: of the FFN
      blocks_share.{small,medium,xl}  the same without tables
      matrices.{encoder,decoder}  the same of the matrices of one layer
      change.{word,words,moved.{ffn,attention,causal}[5]}
    """
    plan = GPTConfig(1, 1, n_layer=1, n_head=8, width=D, d_ff=inner,
                     norm="post", positions="none")
    layer = counted(plan) | {"tables": 0}       # attention, FFN, 2 norms
    cross = {**layer, "attention": 2 * layer["attention"],
             "norms": layer["norms"] * 3 // 2}          # one more of each
    stacks = {kind: 6 * (n + cross[kind]) for kind, n in layer.items()}
    models = {"encoder": layer, "decoder": cross, "stacks": stacks,
              "translator": {**stacks, "tables": SHARED_TABLE * D * tables}}
    for name, (layers, heads, width) in SHAPES.items():
        found = counted(GPTConfig(vocab, 1024, n_layer=layers, n_head=heads,
                                  width=width))
        models[name] = found if tables else found | {"tables": 0}
    bare = counted(dataclasses.replace(plan, bias=False))
    in_matrices = {"encoder": bare["ffn"] / (bare["ffn"] + bare["attention"]),
                   "decoder": bare["ffn"] / (bare["ffn"]
                                             + 2 * bare["attention"])}
    kept = {name: shared(found | {"tables": 0})
            for name, found in models.items()}
    return {"width": D, "inner": inner, "vocabulary": vocab,
            "translator_vocabulary": SHARED_TABLE,
            "models": {name: shared(n) for name, n in models.items()},
            "blocks_share": {name: kept[name]["share"] for name in SHAPES},
            "matrices": in_matrices,
            "change": one_word_changed(seed, inner, mix)}


PARAMETERS_CONTROLS: dict[str, Any] = {
    "no_tables": partial(where_parameters_are, tables=False),
    "narrow_ffn": partial(where_parameters_are, inner=D),
    "mixing_first": partial(where_parameters_are, mix=True),
}


def one_word_changed(seed: int, inner: int, mix: bool) -> Metrics:
    """Change one word's vector: which outputs move, and by how much?"""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((SENTENCE, D))                      # [n, d]
    W_1 = rng.standard_normal((D, inner)) / np.sqrt(D)          # [d, h]
    W_2 = rng.standard_normal((inner, D)) / np.sqrt(inner)      # [h, d]
    maps = rng.standard_normal((3, D, D)) / np.sqrt(D)          # [3, d, d]

    def attend(x: Array, mask: Array | None = None) -> Array:
        q, k, v = x @ maps                                      # [n, d] each
        return attention(q, k, v, mask=mask)[0]                 # [n, d]

    def ffn(x: Array) -> Array:
        x = attend(x) if mix else x                             # [n, d]
        return np.maximum(x @ W_1, 0) @ W_2                     # [n, d]

    other = X.copy()                                            # [n, d]
    other[CHANGED] = rng.standard_normal(D)                     # [d]
    sub_layers: dict[str, Any] = {"ffn": ffn, "attention": attend,
                  "causal": partial(attend, mask=causal_mask(SENTENCE))}
    return {"word": CHANGED + 1, "words": SENTENCE,
            "moved": {name: abs(f(other) - f(X)).max(axis=1)    # [n]
                      for name, f in sub_layers.items()}}


# --- 4. twelve trained blocks -------------------------------------------------

VARIANTS = {f"{norm}_{'with' if residual else 'without'}": (norm, residual)
            for residual in (True, False) for norm in ("pre", "post", "none")}
RESIDUAL = [name for name, (_, residual) in VARIANTS.items() if residual]
BARE = [name for name, (_, residual) in VARIANTS.items() if not residual]
OTHER = {name: name.replace("without", "with") for name in BARE}
SHALLOW = 1
CHECKED = 100                           # fresh rows
SOLVED = 0.95                           # share of right words that counts as learned


def variant(name: str, layers: int, seed: int = 0) -> Recipe:
    """The shipped recipe with another norm, residual, depth or seed."""
    deep = named("deep")
    norm, residual = VARIANTS[name]
    config = dataclasses.replace(deep.config, norm=norm, residual=residual,
                                 n_layer=layers)
    return dataclasses.replace(deep, name=f"deep_{name}_{layers}",
                               config=config, seed=seed)


def sheet(seed: int) -> tuple[Array, Array, Array]:
    """Fresh rows: ids, where an answer is due, the answer; [B, T] each."""
    data, rng = named("deep").data, np.random.default_rng(seed)
    ids, due, told = tasks.named(data.task)(rng, CHECKED, **dict(data.sizes))
    return ids, due, told


def right(net: GPT, seed: int, patch: Any = None) -> float:
    """Share of right words where an answer is due."""
    ids, due, told = sheet(seed)
    said = net.run(ids, patch).logits.argmax(axis=-1)           # [B, T]
    return float((said == told)[due].mean())


def skipped(layer: int) -> dict[str, Any]:
    """A patch: the block's two branches add nothing."""
    return {f"{layer}.{branch}": np.zeros_like for branch in ("attn", "mlp")}


def skip_each(net: GPT, seed: int, skip: bool = True) -> Metrics:
    """Right without each block; and with the one that counts alone."""
    def skipping(*gone: int) -> float:
        patch = {k: v for l in gone for k, v in skipped(l).items()}
        return right(net, seed, patch if skip else None)

    blocks = range(net.cfg.n_layer)
    without = [skipping(l) for l in blocks]
    key = int(np.argmin(without))
    rest = [l for l in blocks if l != key]
    return {"without": without, "block": key + 1, "least": without[key],
            "others": min((without[l] for l in rest), default=0.0),
            "alone": skipping(*rest),
            "needed": sum(r < SOLVED for r in without)}


def arriving(recipe: Recipe, seed: int) -> float:
    """Untrained: replace the last word; how much changes at the top of it?

    Length of the change / length of what stands there, mean over the rows.
    """
    net = GPT(recipe.config, init_weights(recipe.config, seed))
    ids, _, _ = sheet(seed)
    other = ids.copy()                                          # [B, T]
    other[:, -1] = (other[:, -1] + 1) % recipe.config.vocab_size
    a, b = (net.run(i, trace=True).trace["final"][:, -1]
            for i in (ids, other))                              # [B, d]
    change = np.linalg.norm(a - b, axis=1)                      # [B]
    return float((change / np.linalg.norm(a, axis=1)).mean())


def summary(entries: list[Metrics]) -> Metrics:
    """Five recorded trainings in a few numbers."""
    runs = [e["right"] for e in entries]
    return {"mean": np.mean(runs), "low": min(runs), "high": max(runs),
            "solved": sum(r >= SOLVED for r in runs), "runs": runs,
            "gradient": np.median([e["gradient"]["lowest"]
                                   for e in entries])}


def twelve_blocks(more: bool, seed: int, swap: Swap | None = None,
                  deep_everywhere: bool = False, trained: bool = True,
                  skip: bool = True) -> Metrics:
    """The shipped network measured now, six kinds from the record.

    Leaves:
      layers width inner steps words length chance seeds at_least checked bar
      {shallow,deep}.{pre,post,none}_{with,without}.{mean,low,high,solved,
        runs[5],gradient,arrives}  shares right; change / size, untrained
      now skips.{without[12],block,least,others,alone,needed}  shares right
      recorded_skips.{needed,alone} own_share more
    """
    kept, recipe = records.read("depth_seeds"), named("deep")
    layers = recipe.config.n_layer
    depths = {"shallow": layers if deep_everywhere else SHALLOW,
              "deep": layers}
    found: Metrics = {}
    for depth, n in depths.items():
        found[depth] = {}
        for name in VARIANTS:
            plays = (swap or {}).get(name, name)
            found[depth][name] = summary(kept["models"][f"{plays}_{n}"]) | {
                "arrives": arriving(variant(plays, n), seed)}
    net = GPT(recipe.config, model_cache.load(recipe) if trained
              else init_weights(recipe.config, seed))
    played = (swap or {}).get("pre_with", "pre_with")
    skips = [e["skips"] for e in kept["models"][f"{played}_{layers}"]]
    return {
        **found, "layers": layers, "width": recipe.config.width,
        "inner": recipe.config.ff_width, "steps": recipe.training.steps,
        "words": recipe.config.vocab_size, "length": recipe.training.length,
        "chance": 1 / recipe.config.vocab_size, "seeds": kept["seeds"],
        "at_least": kept["seeds"] - 1, "checked": CHECKED, "bar": SOLVED,
        "more": more,
        "now": right(net, seed), "skips": skip_each(net, seed, skip),
        "own_share": (1 / recipe.training.length) ** layers,
        "recorded_skips": {"needed": max(e["needed"] for e in skips),
                           "alone": min(e["alone"] for e in skips)}}


TRAINED_CONTROLS: dict[str, Any] = {
    "never_residual": partial(twelve_blocks, swap={
        full: bare for bare, full in OTHER.items()}),
    "always_residual": partial(twelve_blocks, swap=OTHER),
    "deep_only": partial(twelve_blocks, deep_everywhere=True),
    "untrained": partial(twelve_blocks, trained=False),
    "nothing_skipped": partial(twelve_blocks, skip=False),
}
