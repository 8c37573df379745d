"""The depth behind demo 09: a gradient, two norms, a count, and trained blocks.

Part 1 sends one drawn gradient down the same matrices joined in six ways from two starts
(lecture/lab/depth). Part 2 norms the same rows alone and in batches. Part 3 counts from
shapes and moves one word. Part 4 looks at untrained blocks, measures the shipped twelve,
skips each in turn, and reads five trainings of each of six kinds, shallow and deep, from
the record.

Longer than 450 lines because four computes with fair controls of their own stand here.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, causal_mask, layer_norm, rms_norm
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
LARGER = np.sqrt(2.0)                   # He's start: a branch keeps its length
# slopes of one layer: the notes' two, the branch F(x) = -x, and a falling one
SLOPES = {"weak": 0.8, "strong": 1.2, "opposite": -1.0, "falling": -1.2}
NOTED_LAYERS = {"few": 5, "many": 50}
Swap = Mapping[str, str]


def multiplied(plus: float) -> Metrics:
    """One number a layer, as the notes have it: what n layers make of it."""
    return {name: {"slope": slope, **{
        kind: {n: abs(one + slope) ** layers
               for n, layers in NOTED_LAYERS.items()}
        for kind, one in {"plain": 0.0, "residual": plus}.items()}}
        for name, slope in SLOPES.items()}


def through_blocks(gain: float, width: int, seed: int,
                   swap: Swap | None = None, plus: float = 1.0,
                   opposite: int | None = OPPOSITE,
                   larger: float = LARGER) -> Metrics:
    """The gradient's length at the bottom, divided by that at the top.

    Leaves:
      depths[3] width hidden words starts.{small,large}  what scales W_2
      bottom.{plain,residual,normed,post,pre,scaled}.{small,large}.{d6,
        d50,d100}  1: as at the top
      blocks[11] on_the_way.{plain,residual,normed,post,pre,
        scaled}[11]  log10, the small start
      layers.{few,many} slopes.{weak,strong,opposite,
        falling}.{slope,{plain,residual}.{few,many}}
      branch.{plain,residual,a_block,right_angle,aligned}
      opposite.{below,above}[3]
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

    scales = {"small": 1.0, "large": larger}
    bottom: Metrics = {}
    on_the_way: Metrics = {}
    for kind in KINDS:
        found = {start: {f"d{depth}": ratios(kind, depth, scale)
                         for depth in DEPTHS}
                 for start, scale in scales.items()}
        bottom[kind] = {start: {name: r[0] for name, r in by_depth.items()}
                        for start, by_depth in found.items()}
        tens = np.maximum(found["small"]["d100"][::10], NO_CHANGE)    # [11]
        on_the_way[kind] = np.log10(tens)
    cancelled = [ratios("residual", depth, at=opposite) for depth in DEPTHS]
    # the notes' 1.2, as a branch of matrices: relu halves the mean square
    slope, layers = SLOPES["strong"], NOTED_LAYERS["many"]
    as_noted = slope / max(gain, 1e-9) / np.sqrt(0.5)
    branch = {kind: ratios(kind, layers, as_noted)[0]
              for kind in ("plain", "residual")}
    return {
        "depths": list(DEPTHS), "width": width, "hidden": hidden,
        "words": WORDS,
        "starts": {start: gain * scale for start, scale in scales.items()},
        "bottom": bottom, "blocks": np.arange(0, 101, 10),
        "on_the_way": on_the_way, "layers": NOTED_LAYERS,
        "slopes": multiplied(plus),
        "branch": branch | {"a_block": branch["residual"] ** (1 / layers),
                            "right_angle": np.hypot(1, slope),
                            "aligned": 1 + slope},
        "opposite": {"below": [r[0] for r in cancelled],
                     "above": [r[OPPOSITE + 1] for r in cancelled]}}


GRADIENT_CONTROLS: dict[str, Any] = {
    "one_start": partial(through_blocks, larger=1.0),
    "never_residual": partial(through_blocks, swap={"residual": "plain"},
                              plus=0.0),
    "no_norm": partial(through_blocks, swap={
        "normed": "plain", "post": "residual", "pre": "residual"}),
    "full_start": partial(through_blocks, swap={"scaled": "residual"}),
    "ordinary": partial(through_blocks, opposite=None),
}


# --- 2. two norms -------------------------------------------------------------

ROWS, FEATURES = 8, 64
MANY = 64                               # rows whose errors are averaged
SHOWN = (4, 6)                          # rows and columns on the screen
SIZES = (8, 4, 2, 1)
COUNTED = np.array([[1.0, 2.0, 3.0, 4.0]])
WIDE = {"mean": 5.0, "deviation": 3.0}
ADDED = 10.0                            # to all four of them
NOTED_EPS = 1e-8
# what the libraries take: torch, and transformers for these two models
DEFAULTS = {"torch": 1e-5, "bert": 1e-12, "t5": 1e-6}
STRETCH = 1.5                           # a gain that a norm might learn


def same(x: Array) -> Array:
    return x


def not_the_identity(rng: np.random.Generator, eps: float, gain: float,
                     before: Any, pre: bool) -> Metrics:
    """How far is LN(x) from x: length of the difference / length of x.

    Mean, deviation and the share, averaged over rows; then what the two
    arrangements give where the branch has learned nothing and adds 0.
    """
    def off(y: Array, x: Array) -> Any:
        away = np.linalg.norm(y - x, axis=1)                    # [n]
        return (away / np.linalg.norm(x, axis=1)).mean()

    def error(x: Array, by: float = 1.0) -> Metrics:
        x = before(x)                                           # [n, d]
        return {"mean": x.mean(), "deviation": x.std(axis=1).mean(),
                "off": off(layer_norm(x, gain=by, eps=eps), x)}

    unit = rng.standard_normal((MANY, 512))                     # [n, 512]
    wide = WIDE["mean"] + WIDE["deviation"] * unit              # [n, 512]
    normed = layer_norm(wide, eps=eps)                          # [n, 512]
    zero = 0 * normed                                           # [n, 512]
    after = wide + zero                                         # [n, 512]
    return {
        "identity": {
            "unit_512": error(unit), "unit_256": error(unit[:, :256]),
            "wide": error(wide), "small": error(0.1 * unit),
            "counted": error(COUNTED), "normed": error(normed),
            "normed_gain": error(normed, gain)},
        "at_zero": {
            "post": off(layer_norm(after, eps=eps), wide),
            "pre": off(after if pre else layer_norm(after, eps=eps), wide)}}


def by_hand(eps: float, rms: Any) -> Metrics:
    """Four numbers through both norms, and what adding to all of them does."""
    x, moved = COUNTED, COUNTED + ADDED                         # [1, 4]
    return {"raw": x[0], "mean": x.mean(), "deviation": x.std(),
            "normed": layer_norm(x, eps=eps)[0], "rms": rms(x, eps=eps)[0],
            "root": np.sqrt((x * x).mean()), "added": ADDED,
            "moves": {"layer": abs(layer_norm(moved, eps=eps)
                                   - layer_norm(x, eps=eps)).max(),
                      "rms": abs(rms(moved, eps=eps) - rms(x, eps=eps)).max()}}


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
              before: Any = same, rms: Any = rms_norm,
              pre: bool = True, kind: Any = np.float16) -> Metrics:
    """The same row in batches of 8, 4, 2 and 1; LN against the identity.

    Leaves:
      sizes[4] features eps gain words[4] numbers[6]
      raw[4,6] normed.{layer,batch}[4,6] wide.{mean,deviation}
      moved.{layer,batch}.{b8,b4,b2,b1} alone.{layer,batch}  change, number
      counted.{raw[4],mean,deviation,normed[4],rms[4],root,added,
        moves.{layer,rms}}
      identity.{unit_512,unit_256,wide,small,counted,normed,
        normed_gain}.{mean,deviation,off}
      at_zero.{post,pre}  change / size of what comes in, as for identity
      half.{of,smallest,{noted,usual}.{eps,stored,undefined}}
      defaults.{torch,bert,t5}
    """
    rng = np.random.default_rng(seed)
    unit = rng.standard_normal((ROWS, FEATURES))                # [8, d]
    x = WIDE["mean"] + WIDE["deviation"] * unit                 # [8, d]
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
        "eps": eps, "gain": gain, "wide": WIDE,
        "words": [f"w{i + 1}" for i in range(SHOWN[0])],
        "numbers": [f"x{i + 1}" for i in range(SHOWN[1])],
        "raw": x[few], "normed": {n: y[few] for n, y in whole.items()},
        "moved": moved, "alone": largest, "counted": by_hand(eps, rms),
        **not_the_identity(rng, eps, gain, before, pre),
        "half": half_precision(kind), "defaults": DEFAULTS}


def normed_before(x: Array) -> Array:
    return layer_norm(x)


NORMS_CONTROLS: dict[str, Any] = {
    "layer_is_batch": partial(two_norms, layer=batch_norm),
    "batch_is_layer": partial(two_norms, batch=layer_norm),
    "normed_input": partial(two_norms, before=normed_before),
    "no_gain": partial(two_norms, gain=1.0),
    "norm_on_the_stream": partial(two_norms, pre=False),
    "single_precision": partial(two_norms, kind=np.float32),
    "rms_is_layer": partial(two_norms, rms=layer_norm),
}


# --- 3. where the parameters are ----------------------------------------------

SHAPES = {"small": (12, 12, 768), "medium": (24, 16, 1024), "xl": (48, 25, 1600)}
DEEPER = "small", "xl"                  # the one as deep as the other
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
        found[kind] += math.prod(shape)
    return found


def shared(found: Mapping[str, int]) -> Metrics:
    total = sum(found.values())
    return {**found, "total": total, "share": found["ffn"] / total,
            "in_tables": found["tables"] / total}


def gpt_2(vocab: int, layers: int, heads: int, width: int) -> Metrics:
    return counted(GPTConfig(vocab, 1024, n_layer=layers, n_head=heads,
                             width=width))


def where_parameters_are(vocab: int, seed: int, tables: bool = True,
                         inner: int = INNER, mix: bool = False) -> Metrics:
    """Counts for the encoder-decoder of 2017 and for GPT-2; then one change.

    Leaves:
      width inner vocabulary translator_vocabulary
      models.{encoder,decoder,small,medium,xl,stacks,translator,
        deeper}.{ffn,attention,norms,tables,total,share,in_tables}  shares
      blocks_share.{small,medium,xl}  of the FFN, without tables
      matrices.{encoder,decoder}  the same of the matrices of one layer
      layers.{small,xl} times.{tables,blocks}  XL / small
      change.{word,words,moved.{ffn,attention,causal}[5]}
    """
    plan = GPTConfig(1, 1, n_layer=1, n_head=8, width=D, d_ff=inner,
                     norm="post", positions="none")
    layer = counted(plan) | {"tables": 0}       # attention, FFN, 2 norms
    cross = {**layer, "attention": 2 * layer["attention"],
             "norms": layer["norms"] * 3 // 2}          # one more of each
    stacks = {kind: 6 * (n + cross[kind]) for kind, n in layer.items()}
    a, b = DEEPER
    found = {"encoder": layer, "decoder": cross,
             **{name: gpt_2(vocab, *shape) for name, shape in SHAPES.items()},
             "stacks": stacks,
             "translator": stacks | {"tables": SHARED_TABLE * D},
             "deeper": gpt_2(vocab, SHAPES[b][0], *SHAPES[a][1:])}
    models = {name: shared(n if tables else n | {"tables": 0})
              for name, n in found.items()}
    bare = counted(dataclasses.replace(plan, bias=False))
    in_matrices = {"encoder": bare["ffn"] / (bare["ffn"] + bare["attention"]),
                   "decoder": bare["ffn"] / (bare["ffn"]
                                             + 2 * bare["attention"])}
    of_blocks = {name: models[name]["total"] - models[name]["tables"]
                 for name in SHAPES}
    return {"width": D, "inner": inner, "vocabulary": vocab,
            "translator_vocabulary": SHARED_TABLE, "models": models,
            "blocks_share": {name: models[name]["ffn"] / n
                             for name, n in of_blocks.items()},
            "matrices": in_matrices,
            "layers": {name: SHAPES[name][0] for name in DEEPER},
            "times": {"tables": models[b]["tables"]
                      / max(models[a]["tables"], 1),
                      "blocks": of_blocks[b] / of_blocks[a]},
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
EVERY = (1, 4, 8, 12)                   # blocks after which words are compared


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


def skip_each(net: GPT, seed: int, least: bool = True) -> Metrics:
    """Right without each block; and with the one that counts most alone.

    least=False: with the one that counts for nothing instead.
    """
    def skipping(*gone: int) -> float:
        return right(net, seed, {k: v for l in gone
                                 for k, v in skipped(l).items()})

    blocks = range(net.cfg.n_layer)
    without = [skipping(l) for l in blocks]
    key = int(np.argmin(without) if least else np.argmax(without))
    rest = [l for l in blocks if l != key]
    return {"without": without, "block": key + 1, "least": without[key],
            "others": min((without[l] for l in rest), default=0.0),
            "alone": skipping(*rest),
            "needed": sum(r < SOLVED for r in without)}


def itself_only(weights: Array) -> Array:
    """Weights [B, h, T, T] under which every word looks at itself."""
    return np.broadcast_to(np.eye(weights.shape[-1]), weights.shape).copy()


def untrained(cfg: GPTConfig, seed: int, look: bool = True) -> Metrics:
    """What reaches the top of blocks that were only started?

    arrives: replace the word asked for, the last but one; length of the change
    at the last place / length of what stands there. unlike: after blocks 1, 4,
    8 and 12, length of what the words do not share / of the whole.
    """
    net, (ids, _, _) = GPT(cfg, init_weights(cfg, seed)), sheet(seed)
    patch = {} if look else {f"{l}.weights": itself_only
                             for l in range(cfg.n_layer)}
    other = ids.copy()                                          # [B, T]
    other[:, -2] = (other[:, -2] + 1) % cfg.vocab_size
    traces = [net.run(i, patch, trace=True).trace for i in (ids, other)]
    a, b = (trace["final"][:, -1] for trace in traces)          # [B, d]
    change = np.linalg.norm(a - b, axis=1)                      # [B]
    found = []
    for after in EVERY:
        x = traces[0][f"{min(after, cfg.n_layer) - 1}.out"]     # [B, T, d]
        own = x - x.mean(axis=1, keepdims=True)                 # [B, T, d]
        found.append((np.linalg.norm(own, axis=(1, 2))
                      / np.linalg.norm(x, axis=(1, 2))).mean())
    return {"arrives": (change / np.linalg.norm(a, axis=1)).mean(),
            "unlike": found}


def summary(entries: list[Metrics]) -> Metrics:
    """Five recorded trainings in a few numbers."""
    runs = [e["right"] for e in entries]
    return {"high": max(runs), "solved": sum(r >= SOLVED for r in runs),
            "runs": runs, "gradient": np.median([e["gradient"]["lowest"]
                                                 for e in entries])}


def twelve_blocks(seed: int, swap: Swap | None = None,
                  deep_everywhere: bool = False, look: bool = True,
                  least: bool = True) -> Metrics:
    """The shipped network measured now, six kinds from the record.

    Leaves:
      layers width inner steps words length chance seeds bar checked
      kinds.{pre,post,none}_{with,without}.{shallow,deep}.{high,solved,
        runs[5],gradient,arrives,unlike[4]}  shares; the last two untrained
      after[4] itself_only  the least unlike of those without a residual
      arrives.{least_with,most_without} trainings best solved
      now skips.{without[12],block,least,others,alone,needed}  shares right
      recorded_skips.{needed,trainings,alone[5]}
    """
    kept, recipe = records.read("depth_seeds"), named("deep")
    layers = recipe.config.n_layer
    depths = {"shallow": layers if deep_everywhere else SHALLOW,
              "deep": layers}
    plays = {name: (swap or {}).get(name, name) for name in VARIANTS}
    kinds = {name: {
        depth: summary(kept["models"][f"{play}_{n}"])
        | untrained(variant(play, n).config, seed, look)
        for depth, n in depths.items()} for name, play in plays.items()}
    alone = [untrained(variant(plays[name], layers).config, seed, look=False)
             for name in BARE]
    net = GPT(recipe.config, model_cache.load(recipe))
    skips = {name: [e["skips"] for e in
                    kept["models"][f"{plays[name]}_{layers}"]]
             for name in RESIDUAL}
    reached = {name: kind["deep"]["arrives"] for name, kind in kinds.items()}
    return {
        "kinds": kinds, "layers": layers, "width": recipe.config.width,
        "inner": recipe.config.ff_width, "steps": recipe.training.steps,
        "words": recipe.config.vocab_size, "length": recipe.training.length,
        "chance": 1 / recipe.config.vocab_size, "seeds": kept["seeds"],
        "bar": SOLVED, "checked": CHECKED, "after": list(EVERY),
        "itself_only": min(kind["unlike"][-1] for kind in alone),
        "arrives": {"least_with": min(reached[n] for n in RESIDUAL),
                    "most_without": max(reached[n] for n in BARE)},
        "trainings": len(BARE) * kept["seeds"],
        "best": max(kinds[name]["deep"]["high"] for name in BARE),
        "solved": sum(kinds[name]["shallow"]["solved"] for name in BARE),
        "now": right(net, seed), "skips": skip_each(net, seed, least),
        "recorded_skips": {
            "needed": max(e["needed"] for es in skips.values() for e in es),
            "trainings": sum(map(len, skips.values())),
            "alone": sorted(e["alone"] for e in skips["pre_with"])}}


TRAINED_CONTROLS: dict[str, Any] = {
    "never_residual": partial(twelve_blocks, swap={
        full: bare for bare, full in OTHER.items()}),
    "always_residual": partial(twelve_blocks, swap=OTHER),
    "deep_only": partial(twelve_blocks, deep_everywhere=True),
    "itself_only": partial(twelve_blocks, look=False),
    "the_idlest_block": partial(twelve_blocks, least=False),
}
