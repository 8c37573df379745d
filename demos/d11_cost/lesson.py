"""The counting behind demo 11: code that attends runs on shapes and counts its products.

Part 1 runs a layer at several lengths, forward and back, part 2 lists every tensor of a
model, part 3 runs five ways to attend, on shapes to count and on numbers to compare, part 4
sets three kinds of layer side by side, part 5 writes with and without a cache, and counts
what one word at a time must read. Only `time_ways` and `time_cache` look at a clock: they
are called while the screen is drawn, and are no metrics.

Longer than 450 lines because of five parts of even size; the counter itself and all that
attends are in lecture/lab/cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, strided_mask, window_mask
from lecture import records
from lecture.errors import UsageProblem
from lecture.lab.cost import (
    TRAINING,
    Meter,
    ModelShape,
    Product,
    drawn_layer,
    full,
    gradients,
    grouped,
    heads_of,
    held_bytes,
    layer,
    layer_shapes,
    linear,
    linear_causal,
    linear_state,
    recurrent,
    seconds,
    see_past,
    strided_groups,
    tiled,
    window_groups,
    write,
)
from lecture.report import Metrics

Array = np.ndarray
EXPAND = 4                          # the hidden layer is four widths wide


# --- 1. a whole layer against its length --------------------------------------

def matrices(meter: Meter, d: int) -> dict[str, Any]:
    """The matrices of one layer, as shapes."""
    return {name: meter.shape(*shape)
            for name, shape in layer_shapes(d, EXPAND * d).items()}


def products_of_a_layer(n: int, d: int, h: int,
                        attend: Any = full) -> list[Product]:
    """A layer over n tokens, run on shapes: what it multiplied."""
    meter = Meter()
    layer(meter.shape(n, d), matrices(meter, d), h, attend)
    return meter.products


def split(values: list[int]) -> tuple[Metrics, int, int]:
    """The products of a layer by name, those of n·n·d, and the rest."""
    q_k_v, (scores, *mix), (out, up, down) = (
        values[:3], values[3:-3], values[-3:])
    named = {"projections": sum(q_k_v) + out, "scores": scores,
             "mix": sum(mix), "mlp": up + down}
    attention = scores + sum(mix)
    return named, attention, sum(values) - attention


def costs(n: int, d: int, h: int, attend: Any) -> Metrics:
    """Multiply-adds of one layer, and where they are."""
    named, both, rest = split(
        [p.madds for p in products_of_a_layer(n, d, h, attend)])
    return {"n": n, **named, "attention": both, "rest": rest,
            "total": both + rest, "share": both / (both + rest)}


def operations(n: int, d: int, h: int, attend: Any,
               both_gradients: bool) -> Metrics:
    """For one token, over the numbers in the layer's matrices.

    Two operations a multiply-add. Training: forward, and back
    through each product, once for each of its two factors.
    """
    ran = products_of_a_layer(n, d, h, attend)
    size = sum(math.prod(s) for s in layer_shapes(d, EXPAND * d).values())
    forward = [p.madds for p in ran]
    back = [sum(gradients(p)[:2 if both_gradients else 1]) for p in ran]
    trained = [a + b for a, b in zip(forward, back, strict=True)]
    return {way: {"matrices": 2 * split(madds)[2] / n / size,
                  "all": 2 * sum(madds) / n / size}
            for way, madds in (("forward", forward),
                               ("training", trained))}


def first(holds: Callable[[int], bool], limit: int = 2**17) -> int | None:
    """The smallest n at which it holds; None if not up to the limit."""
    high = 1
    while not holds(high):
        high *= 2
        if high > limit:
            return None
    low = high // 2                                     # does not hold
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def first_keys(Q: Any, K: Any, V: Any) -> Any:
    """Every query meets the same 256 keys, however many there are."""
    return full(Q, K[..., :256, :], V[..., :256, :])


def scores_only(Q: Any, K: Any, V: Any) -> Any:
    """Scores are made and no value is fetched: one product, not two."""
    S = Q @ K.swapaxes(-1, -2)                  # [n, d] @ [d, n]
    return V + 0 * np.add.reduce(S, axis=-1, keepdims=True)


def grow(width: int, heads: int, short: int, long: int, seed: int,
         attend: Any = full, both_gradients: bool = True) -> Metrics:
    """One layer, longer and longer; nothing is drawn, seed is unused.

    Leaves:
      width heads parameters  numbers in the layer's matrices
      {short,long,rows[n]}.{n,projections,scores,mix,attention,mlp,rest,total,
        share}  multiply-adds; attention: scores and mix; share: of the total
      {short,long,rows[n]}.{forward,training}.{matrices,all}  per parameter
      ratio.{tokens,attention,rest,layer,cube}  long over short
      crossing.{n,widths}  where attention first costs as much as the rest
    """
    _check_heads(width, heads)
    if long <= short:
        raise UsageProblem(f"long = {long} is not above short = {short}",
                           "set long to more than short")

    def cost(n: int) -> Metrics:
        return costs(n, width, heads, attend)

    def shown(n: int) -> Metrics:
        return cost(n) | operations(n, width, heads, attend, both_gradients)

    def attention_leads(n: int) -> bool:
        return cost(n)["attention"] >= cost(n)["rest"]

    crossing, few, many = first(attention_leads), shown(short), shown(long)
    lengths = {max(1, short // 10), short, crossing or short,
               long, 10 * long}
    shapes = layer_shapes(width, EXPAND * width).values()
    return {"width": width, "heads": heads, "short": few, "long": many,
            "parameters": sum(map(math.prod, shapes)),
            "rows": [shown(n) for n in sorted(lengths)],
            "ratio": {"tokens": long / short, "cube": (long / short)**3,
                      "attention": many["attention"] / few["attention"],
                      "rest": many["rest"] / few["rest"],
                      "layer": many["total"] / few["total"]},
            "crossing": {"n": crossing,
                         "widths": crossing and crossing / width}}


GROWTH_CONTROLS: dict[str, Any] = {
    "no_mixing": partial(grow, attend=scores_only),
    "fixed_keys": partial(grow, attend=first_keys),
    "one_gradient": partial(grow, both_gradients=False),
}


def _check_heads(width: int, heads: int) -> None:
    if width % heads:
        raise UsageProblem(
            f"{heads} heads do not divide a width of {width}",
            "set width to a multiple of heads")


# --- 2. what has to be kept in memory -----------------------------------------

GROUPS = ("embedding", "positions", "output", "attention", "mlp", "norms")
STORED = {"float32": "f4", "float16": "f2", "int8": "i1"}
LENGTHS_KEPT = (128, 256, 1024, 4096)


def the_shape(**given: Any) -> ModelShape:
    """The model asked for; what does not fit together is a usage error."""
    try:
        return ModelShape(**given)
    except ValueError as error:
        raise UsageProblem(str(error), "set width, heads and kv_heads "
                           "so that they fit") from None


def hidden_of(shape: ModelShape) -> int:
    """Hidden activations of one token in one layer; a gate doubles them."""
    width = shape.hidden or EXPAND * shape.width
    return width * (1 if shape.family == "gpt2" else 2)


def activations(shape: ModelShape, n: int, attend: Any) -> Metrics:
    """What one layer makes of n tokens: the outputs of its products."""
    made = [p.made for p in products_of_a_layer(
        n, shape.width, shape.heads, attend)]
    weights, mlp = made[3], hidden_of(shape) * n
    return {"n": n, "weights": weights, "mlp": mlp,
            "ratio": weights / mlp, "weights_mb": weights * 4 / 1e6,
            "all": sum(made) - made[-2] + mlp}


def bytes_of(shapes: list[tuple[int, ...]], arrays: dict[str, str],
             left_out: tuple[str, ...] = ()) -> Metrics:
    """Bytes of these arrays, {name: dtype}: for each number, and in all."""
    size = sum(map(math.prod, shapes))
    held = {name: 0 if name in left_out else held_bytes(shapes, [dtype])
            for name, dtype in arrays.items()}
    total = sum(held.values())
    each = {name: held.get(name, 0) / size
            for name in ("weights", "gradients", "master")}
    return {**each, "moments": (held.get("mean", 0)
                                + held.get("square", 0)) / size,
            "each": total / size, "gb": total / 1e9, "mb": total / 1e6}


def keep(family: str, layers: int, width: int, heads: int, kv_heads: int,
         hidden: int, vocabulary: int, context: int, seed: int,
         adam: bool = True, four_bytes: bool = True, master: bool = True,
         attend: Any = full) -> Metrics:
    """Every tensor of a model by name, its bytes; nothing is drawn.

    Leaves:
      family layers width heads hidden
      groups.{embedding,positions,output,attention,mlp,norms}.{numbers,
        share}
      total block tables last_norm  tables: what is in no block
      stored.{float32,float16,int8}.{weights,gradients,master,moments,
        each,gb,mb}  bytes a parameter, of what; together; in all
      training.{sgd,adam,mixed,mixed_wide,eight_bit,pure}.{weights,
        gradients,master,moments,each,gb,mb}
      activations[4].{n,weights,mlp,ratio,weights_mb,all}  of one layer
      half all_growth crossing  all_growth: of all, from n = half on
    """
    shape = the_shape(
        family=family, layers=layers, width=width, heads=heads,
        kv_heads=kv_heads or heads, hidden=hidden,
        vocabulary=vocabulary, context=context)
    tensors = list(shape.tensors())
    shapes = [s for _, s in tensors]
    groups = {group: sum(math.prod(s) for g, s in tensors if g == group)
              for group in GROUPS}
    total = sum(groups.values())
    last_norm = width * (2 if family == "gpt2" else 1)
    inside = groups["attention"] + groups["mlp"] + groups["norms"]

    stored = STORED if four_bytes else dict.fromkeys(STORED, "i1")
    left_out = (() if adam else ("mean", "square")) + (
        () if master else ("master",))
    rows = [activations(shape, n, attend) for n in LENGTHS_KEPT]
    half = activations(shape, LENGTHS_KEPT[-1] // 2, attend)
    return {
        "family": family, "layers": layers, "width": width, "heads": heads,
        "hidden": hidden_of(shape), "total": total,
        "groups": {group: {"numbers": n, "share": n / total}
                   for group, n in groups.items()},
        "block": (inside - last_norm) // layers, "last_norm": last_norm,
        "tables": sum(groups[g] for g in GROUPS[:3]),
        "stored": {kind: bytes_of(shapes, {"weights": dtype})
                   for kind, dtype in stored.items()},
        "training": {way: bytes_of(shapes, arrays, left_out)
                     for way, arrays in TRAINING.items()},
        "activations": rows, "half": half["n"],
        "all_growth": rows[-1]["all"] / half["all"],
        "crossing": first(
            lambda n: activations(shape, n, attend)["ratio"] >= 1)}


MEMORY_CONTROLS: dict[str, Any] = {
    "one_byte_each": partial(keep, four_bytes=False),
    "no_averages": partial(keep, adam=False),
    "no_master": partial(keep, master=False),
    "tiled": partial(keep, attend=tiled),
}


# --- 3. three ways out --------------------------------------------------------

LENGTHS = (1024, 2048, 4096)
LIVE_LENGTHS = LENGTHS[:2]
WAYS = ("full", "tiled", "window", "strided", "linear")
WINDOW, BLOCK, CHECKED = 128, 64, 1024


def attend_with(way: str, window: int, block: int, rescale: bool = True,
                everyone: bool = False, softmax: bool = False) -> Any:
    """One way to attend, as a function of Q, K, V [n, d]."""
    def windowed(Q: Any, K: Any, V: Any) -> Any:
        return grouped(Q, K, V, window_groups(Q.shape[0], window, window,
                                              block))

    def strided(Q: Any, K: Any, V: Any) -> Any:
        n = Q.shape[0]
        return grouped(Q, K, V, strided_groups(n, root(n)))

    ways = {"full": full, "linear": full if softmax else linear,
            "tiled": partial(tiled, block=block, rescale=rescale),
            "window": full if everyone else windowed,
            "strided": full if everyone else strided}
    return ways[way]


def root(n: int) -> int:
    """The stride: √n, rounded."""
    return round(math.sqrt(n))


def counted(attend: Any, d: int) -> Metrics:
    """Multiply-adds and the largest array at each length, on shapes."""
    madds, largest = [], []
    for n in LENGTHS:
        meter = Meter()
        attend(*(meter.shape(n, d) for _ in range(3)))
        madds.append(meter.madds)
        largest.append(meter.largest)
    return {"madds": madds, "largest": largest,
            "growth": doublings(madds)}


def doublings(values: list[int]) -> list[float]:
    """Each value over the one before."""
    return [b / a for a, b in zip(values, values[1:], strict=False)]


def distance(a: Array, b: Array) -> float:
    """How far a is from b, against the size of b."""
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def checked(ways: dict[str, Any], d: int, window: int,
            seed: int) -> Metrics:
    """Each way with numbers, N(0, 1), beside what it should equal.

    And how far linear attention, and the plain mean of V, are from
    softmax and from that mean.
    """
    n = CHECKED
    Q, K, V = np.random.default_rng(seed).standard_normal((3, n, d))
    whole, _ = attention(Q, K, V)                       # [n, d]
    near, far = window_mask(n, window, window), strided_mask(n, root(n))
    same = {"full": whole, "tiled": whole,
            "window": attention(Q, K, V, mask=near)[0],
            "strided": attention(Q, K, V, mask=far)[0],
            "linear": linear(Q, K, V, by="pairs")}
    out = {name: ways[name](Q, K, V) for name in same}
    mean = np.broadcast_to(V.mean(axis=0), V.shape)     # [n, d]
    answers = {"softmax": whole, "linear": out["linear"], "mean": mean}
    return {"n": n, "exact": {name: abs(out[name] - same[name]).max()
                              for name in same},
            "off": {name: {"softmax": distance(answer, whole),
                           "mean": distance(answer, mean)}
                    for name, answer in answers.items()}}


def kept_by_linear(n: int, d: int, softmax: bool) -> int:
    """Numbers to keep of n words for the next one."""
    meter = Meter()
    K, V = meter.shape(n, d), meter.shape(n, d)
    kept = (K, V) if softmax else linear_state(K, V)
    return sum(x.size for x in kept)


def ways_out(width: int, window: int, block: int, live: bool, seed: int,
             rescale: bool = True, one_tile: bool = False,
             everyone: bool = False, softmax: bool = False) -> Metrics:
    """One head, five ways: counted at three lengths, checked at one.

    Leaves:
      lengths[3] width window block live smaller[3]
      ways.{full,tiled,window,strided,linear}.{madds[3],largest[3],growth[2]}
      pairs.{full,window,strided}.{counts[3],growth[2]}
      kept.{linear,full}[3]  numbers kept for the next word
      checked.n checked.exact.{full,tiled,window,strided,linear}
      checked.off.{softmax,linear,mean}.{softmax,mean}  relative distances
      record.ways.{full,tiled,window,strided,linear,fused}.{ms[3],mb,exponent}
      record.{date,runs,from,torch,numpy,machine.{cores,processor,threads}}
    """
    tile = 2**40 if one_tile else block
    ways = {name: attend_with(name, window, tile if name == "tiled"
                              else block, rescale, everyone, softmax)
            for name in WAYS}
    found = {name: counted(way, width) for name, way in ways.items()}
    every = [n * n for n in LENGTHS]
    near = [window_groups(n, window, window, block).pairs for n in LENGTHS]
    far = [strided_groups(n, root(n)).pairs for n in LENGTHS]
    pairs = {"full": every, "window": every if everyone else near,
             "strided": every if everyone else far}
    return {
        "lengths": list(LENGTHS), "width": width, "window": window,
        "block": block, "ways": found,
        "pairs": {name: {"counts": counts, "growth": doublings(counts)}
                  for name, counts in pairs.items()},
        "smaller": [a / b for a, b in zip(
            found["full"]["largest"], found["tiled"]["largest"],
            strict=True)],
        "kept": {"linear": [kept_by_linear(n, width, softmax)
                            for n in LENGTHS],
                 "full": [kept_by_linear(n, width, True) for n in LENGTHS]},
        "checked": checked(ways, width, window, seed),
        "live": live, "record": recorded_times()}


def time_ways(width: int, window: int, block: int) -> Metrics:
    """Each way timed now against the full table, at the two shorter lengths."""
    taken = {}
    for name in WAYS:
        call = attend_with(name, window, block)
        taken[name] = [seconds(partial(call, *np.random.default_rng(0).standard_normal(
            (3, n, width)))) for n in LIVE_LENGTHS]
    return {name: {"against_full": [t / f for t, f in zip(ts, taken["full"], strict=True)],
                   "doubled": ts[1] / ts[0]} for name, ts in taken.items()}


WAYS_OUT_CONTROLS: dict[str, Any] = {
    "no_rescaling": partial(ways_out, rescale=False),
    "one_tile": partial(ways_out, one_tile=True),
    "all_pairs": partial(ways_out, everyone=True),
    "softmax_stays": partial(ways_out, softmax=True),
}


def recorded_times() -> Metrics:
    """The record of benchmarks/records/attention_cost.py, as far as it is shown."""
    r = records.read("attention_cost")
    at = [r["lengths"].index(n) for n in LENGTHS]
    ways = {}
    for name in (*WAYS, "fused"):
        way = r["ways"][name]
        ways[name] = {"ms": [way["ms"][i]["low"] for i in at],
                      "exponent": way["exponent"]["best"],
                      "mb": way["process_mb"][at[-1]]}
    return {"machine": r["machine"], "date": r["date"],
            "runs": r["settings"]["runs"], "from": r["settings"]["from"],
            "torch": r["versions"]["torch"],
            "numpy": r["versions"]["numpy"], "ways": ways}


# --- 4. recurrent layer or Transformer layer ----------------------------------

MODELS = ("recurrent", "transformer", "linear")


def read_on(n: int, d: int, looks_back: bool) -> tuple[Any, int]:
    """The recurrent layer over n words on shapes, its multiply-adds."""
    meter = Meter()
    last = recurrent(meter.shape(n, d), meter.shape(d, d),
                     meter.shape(d, d), looks_back)
    return last, meter.madds


def causal_full(Q: Any, K: Any, V: Any) -> Any:
    """Causal attention on shapes: a mask is added, and multiplies nothing."""
    return full(Q, K, V, Q.meter.shape(Q.shape[-2], K.shape[-2]))


def one_layer(model: str, n: int, d: int, h: int, softmax: bool,
              looks_back: bool, sums: bool = True) -> Metrics:
    """n words on shapes: what is kept, what waits, what the next costs."""
    if model == "recurrent":
        last, _ = read_on(n, d, looks_back)
        one, two = (read_on(k, d, looks_back)[1] for k in (1, 2))
        size = 2 * d * d                                # W and U
        return {"kept": last.size, "chain": last.chain, "parameters": size,
                "each": (two - one) / size}
    attend = (causal_full if not sums or softmax and model != "linear"
              else linear_causal)
    meter, after = Meter(), Meter()
    y, kv = layer(meter.shape(n, d), matrices(meter, d), h, attend)
    if attend is causal_full:
        past = kv
    else:                               # only the state is carried on
        kv, past = linear_state(*kv), None
    w = matrices(after, d)
    layer(after.shape(1, d), w, h, attend, cache=past)
    size = sum(x.size for x in w.values())
    return {"kept": sum(x.size for x in kv), "chain": y.chain,
            "parameters": size, "each": after.madds / size}


def earlier_change(attend: Any, seed: int) -> float:
    """Largest change of earlier outputs when one more word arrives."""
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((24, 32)), drawn_layer(32, 128, rng)
    before = layer(x[:-1], w, 4, attend)[0]             # [23, 32]
    after = layer(x, w, 4, attend)[0]                   # [24, 32]
    return float(abs(after[:-1] - before).max())


def choose(width: int, heads: int, short: int, long: int, seed: int,
           softmax: bool = True, looks_back: bool = True,
           causal: bool = True, sums: bool = True) -> Metrics:
    """Three kinds of causal layer at four lengths; and which can stream.

    Leaves:
      lengths[4] width heads
      models.{recurrent,transformer,linear}.{kept,chain,  numbers; products
        parameters,each}[4]  each: multiply-adds a parameter, one word more
      kept_ratio  Transformer over recurrent, at the longest
      slope[4]  (the Transformer's each - 1) over n
      streams.{causal,all_seeing}.moved  largest change of an earlier output
    """
    _check_heads(width, heads)
    if long <= short:
        raise UsageProblem(f"long = {long} is not above short = {short}",
                           "set long to more than short")
    lengths = [round(short * (long / short)**(i / 3)) for i in range(4)]
    found: dict[str, Metrics] = {}
    for model in MODELS:
        rows = [one_layer(model, n, width, heads, softmax, looks_back, sums)
                for n in lengths]
        found[model] = {key: [row[key] for row in rows] for key in rows[0]}
    kept = {model: rows["kept"][-1] for model, rows in found.items()}
    past = see_past if causal else full
    return {"lengths": lengths, "width": width, "heads": heads,
            "models": found,
            "kept_ratio": kept["transformer"] / kept["recurrent"],
            "slope": [(each - 1) / (n + 1) for n, each in zip(
                lengths, found["transformer"]["each"], strict=True)],
            "streams": {"causal": {"moved": earlier_change(past, seed)},
                        "all_seeing": {"moved": earlier_change(full, seed)}}}


CHOICE_CONTROLS: dict[str, Any] = {
    "linear_instead": partial(choose, softmax=False),
    "no_recurrence": partial(choose, looks_back=False),
    "all_softmax": partial(choose, sums=False),
    "sees_all": partial(choose, causal=False),
}


# --- 5. a cache of keys and values --------------------------------------------

REAL = {"layers": 2, "width": 64, "heads": 4, "prompt": 4, "written": 48}


def written_twice(attend: Any, cached: bool, seed: int) -> float:
    """One network with numbers, with and without: largest difference."""
    rng, d = np.random.default_rng(seed), REAL["width"]
    weights = [drawn_layer(d, EXPAND * d, rng)
               for _ in range(REAL["layers"])]
    x = rng.standard_normal((REAL["prompt"], d))                # [4, 64]
    one, two = (write(x, weights, REAL["heads"], REAL["written"],
                      kept, attend)[0] for kept in (cached, False))
    return float(abs(one - two).max())                          # [48, 64]


def written_on_shapes(d: int, h: int, steps: int,
                      cached: bool) -> tuple[list[int], list[int]]:
    """Multiply-adds of each step, and numbers held after it; one layer.

    In full: a mask adds to the scores and multiplies nothing.
    """
    meter = Meter()
    w = matrices(meter, d)
    _, held = write(meter.shape(1, d), [w], h, steps, cached, full)
    madds = [p.madds for p in meter.products]
    each = len(madds) // steps
    starts = range(0, len(madds), each)
    return [sum(madds[i:i + each]) for i in starts], held


MANY = 64                           # texts written at once
HALF_BYTES = 2                      # of a float16


def call(n: int, past: int, texts: int, d: int, h: int, kv: int) -> Metrics:
    """One call of a layer for n new tokens in each of several texts, on shapes.

    read: every matrix once, and every key and value of every text once.
    """
    meter = Meter()
    w = matrices(meter, d)
    for name in ("k", "v"):
        w[name] = meter.shape(d, d // h * kv)
    x, old = meter.shape(n, d), meter.shape(kv, past, d // h)
    q = heads_of(x @ w["q"], h).reshape(kv, h // kv * n, d // h)
    k, v = (np.concatenate([old, heads_of(x @ w[name], kv)], axis=1)
            for name in ("k", "v"))                     # [kv, n_all, d/h]
    mixed = full(q, k, v).reshape(h, n, d // h).swapaxes(0, 1)  # [n, h, d/h]
    out = mixed.reshape(n, d) @ w["out"]                # [n, d]
    (out @ w["up"]) @ w["down"]
    weights = sum(x.size for x in w.values())
    keys = (k.size + v.size) * texts
    return {"madds": meter.madds * texts, "read": weights + keys,
            "keys": keys}


def reading(d: int, h: int, tokens: int, kv: int, at_once: bool) -> Metrics:
    """Bytes read a multiply-add: the whole prompt, then word by word."""
    size = {"d": d, "h": h}
    calls = {
        "prompt": [call(tokens, 0, 1, kv=h, **size)] if at_once else
                  [call(1, t, 1, kv=h, **size) for t in range(tokens)],
        "one": [call(1, tokens - 1, 1, kv=h, **size)],
        "many": [call(1, tokens - 1, MANY, kv=h, **size)],
        "shared": [call(1, tokens - 1, MANY, kv=kv, **size)]}
    summed = {key: {name: sum(c[name] for c in several)
                    for name in ("madds", "read", "keys")}
              for key, several in calls.items()}
    return {key: {"each": HALF_BYTES * s["read"] / s["madds"],
                  "keys": s["keys"] / s["read"]}
            for key, s in summed.items()}


def fewer_groups(heads: int) -> int:
    """A fourth of the heads, or the next smaller number that divides them."""
    return next(k for k in range(max(1, heads // 4), 0, -1)
                if heads % k == 0)


def cache(width: int, heads: int, layers: int, tokens: int, live: bool,
          seed: int, cached: bool = True, shared: bool = True,
          at_once: bool = True, attend: Any = see_past) -> Metrics:
    """Write token after token, the past kept, and computed anew.

    Leaves:
      width heads layers live real.{layers,width,heads,prompt,written}
      {last,rows[n]}.{n,step_kept,step_anew,  multiply-adds of one layer
        kept,anew,ratio,held}  up to n; numbers kept after n tokens
      difference all_seeing  of what a network writes; without a mask
      price.{numbers,tokens,mb,a_token}
      reading.{prompt,one,many,shared}.{each,keys}  bytes; share of keys
      texts groups  for many and shared
    """
    _check_heads(width, heads)
    shown = sorted({max(1, tokens // k) for k in (16, 4, 2, 1)})
    kept, held = written_on_shapes(width, heads, tokens, cached)
    anew, _ = written_on_shapes(width, heads, tokens, False)
    rows = [{"n": n, "step_kept": kept[n - 1], "step_anew": anew[n - 1],
             "kept": sum(kept[:n]), "anew": sum(anew[:n]),
             "ratio": sum(anew[:n]) / sum(kept[:n]),
             "held": held[n - 1]} for n in shown]
    groups = fewer_groups(heads) if shared else heads
    return {"width": width, "heads": heads, "layers": layers, "live": live,
            "rows": rows, "last": rows[-1], "real": REAL,
            "difference": written_twice(attend, cached, seed),
            "all_seeing": written_twice(full, cached, seed),
            "price": {"numbers": held[-1] * layers, "tokens": tokens,
                      "mb": held[-1] * layers * HALF_BYTES / 1e6,
                      "a_token": held[-1] / tokens},
            "texts": MANY, "groups": groups,
            "reading": reading(width, heads, tokens, groups, at_once)}


def time_cache() -> dict[int, float]:
    """The small network timed now: writing anew over writing with the cache."""
    rng, d = np.random.default_rng(0), REAL["width"]
    weights = [drawn_layer(d, EXPAND * d, rng) for _ in range(REAL["layers"])]
    x, ratios = rng.standard_normal((1, d)), {}                 # [1, d]
    for n in (50, 100, 200):
        anew, kept = (seconds(partial(write, x, weights, REAL["heads"], n, c), repeats=2)
                      for c in (False, True))
        ratios[n] = anew / kept
    return ratios


CACHE_CONTROLS: dict[str, Any] = {
    "forgetful": partial(cache, cached=False),
    "not_shared": partial(cache, shared=False),
    "word_by_word": partial(cache, at_once=False),
    "sees_all": partial(cache, attend=full),
}
