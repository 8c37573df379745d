"""The counting behind demo 11: code that attends runs on shapes and counts its products.

Part 1 runs a layer at several lengths, part 2 lists every tensor of a model, part 3 runs five
ways to attend, on shapes to count and on numbers to compare, part 4 sets three kinds of
layer side by side, part 5 writes with and without a cache. Only `time_ways` and `time_cache`
look at a clock: they are called while the screen is drawn, and are no metrics.

Longer than 450 lines because of five parts of even size; the counter itself and all that
attends are in lecture/lab/cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, causal_mask, strided_mask, window_mask
from lecture import records
from lecture.errors import UsageProblem
from lecture.lab.cost import (
    TRAINING,
    Meter,
    ModelShape,
    Product,
    drawn_layer,
    full,
    grouped,
    held_bytes,
    layer,
    layer_shapes,
    linear,
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


def costs(n: int, d: int, h: int, attend: Any) -> Metrics:
    """Multiply-adds of one layer, and where they are."""
    ran = [p.madds for p in products_of_a_layer(n, d, h, attend)]
    q_k_v, (scores, *mix), (out, up, down) = ran[:3], ran[3:-3], ran[-3:]
    both = scores + sum(mix)
    return {"n": n, "projections": sum(q_k_v) + out, "scores": scores,
            "mix": sum(mix), "attention": both, "mlp": up + down,
            "rest": sum(ran) - both, "total": sum(ran),
            "share": both / sum(ran)}


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
         attend: Any = full) -> Metrics:
    """One layer, longer and longer; nothing is drawn, seed is unused.

    Leaves:
      width heads
      {short,long,rows[n]}.{n,projections,scores,mix,attention,mlp,rest,total,
        share}  multiply-adds; attention: scores and mix; share: of the total
      ratio.{tokens,attention,rest,layer}  long over short
      crossing.{n,widths}  where attention first costs as much as the rest
    """
    _check_heads(width, heads)

    def cost(n: int) -> Metrics:
        return costs(n, width, heads, attend)

    def attention_leads(n: int) -> bool:
        return cost(n)["attention"] >= cost(n)["rest"]

    crossing, few, many = first(attention_leads), cost(short), cost(long)
    lengths = {max(1, short // 10), short, crossing or short,
               long, 10 * long}
    return {"width": width, "heads": heads, "short": few, "long": many,
            "rows": [cost(n) for n in sorted(lengths)],
            "ratio": {"tokens": long / short,
                      "attention": many["attention"] / few["attention"],
                      "rest": many["rest"] / few["rest"],
                      "layer": many["total"] / few["total"]},
            "crossing": {"n": crossing,
                         "widths": crossing and crossing / width}}


GROWTH_CONTROLS: dict[str, Any] = {
    "no_mixing": partial(grow, attend=scores_only),
    "fixed_keys": partial(grow, attend=first_keys),
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


def keep(family: str, layers: int, width: int, heads: int, kv_heads: int,
         hidden: int, vocabulary: int, context: int, seed: int,
         adam: bool = True, four_bytes: bool = True,
         attend: Any = full) -> Metrics:
    """Every tensor of a model by name, its bytes; nothing is drawn.

    Leaves:
      family layers width heads hidden
      groups.{embedding,positions,output,attention,mlp,norms} total block
      shares.{embedding,positions,output,attention,mlp,norms} last_norm
      stored.{float32,float16,int8}.{each,gb}  bytes a number; GB in all
      training.{sgd,adam,mixed,mixed_wide}.{each,gb}
      activations[4].{n,weights,mlp,ratio,weights_mb,all}  of one layer
      all_growth crossing  crossing: the n at which weights reach mlp
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
    kept = {kind: held_bytes(shapes, [dtype])
            for kind, dtype in stored.items()}
    averages = () if adam else ("mean", "square")
    trained = {way: held_bytes(shapes, [
        dtype for name, dtype in arrays.items() if name not in averages])
        for way, arrays in TRAINING.items()}
    rows = [activations(shape, n, attend) for n in LENGTHS_KEPT]
    half = activations(shape, LENGTHS_KEPT[-1] // 2, attend)
    return {
        "family": family, "layers": layers, "width": width, "heads": heads,
        "hidden": hidden_of(shape), "groups": groups, "total": total,
        "shares": {group: n / total for group, n in groups.items()},
        "block": (inside - last_norm) // layers, "last_norm": last_norm,
        "stored": {kind: {"each": b / total, "gb": b / 1e9}
                   for kind, b in kept.items()},
        "training": {way: {"each": b / total, "gb": b / 1e9}
                     for way, b in trained.items()},
        "activations": rows, "all_growth": rows[-1]["all"] / half["all"],
        "crossing": first(
            lambda n: activations(shape, n, attend)["ratio"] >= 1)}


MEMORY_CONTROLS: dict[str, Any] = {
    "one_byte_each": partial(keep, four_bytes=False),
    "no_averages": partial(keep, adam=False),
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
    """Each way with numbers, N(0, 1), beside what it should equal."""
    n = CHECKED
    Q, K, V = np.random.default_rng(seed).standard_normal((3, n, d))
    whole, _ = attention(Q, K, V)                       # [n, d]
    causal, _ = attention(Q, K, V, mask=causal_mask(n))
    near, far = window_mask(n, window, window), strided_mask(n, root(n))
    same = {"tiled": whole, "window": attention(Q, K, V, mask=near)[0],
            "strided": attention(Q, K, V, mask=far)[0],
            "linear": linear(Q, K, V, by="pairs")}
    softmax = dict.fromkeys(same, whole) | {"strided": causal}
    out = {name: ways[name](Q, K, V) for name in same}
    return {"n": n, "exact": {name: abs(out[name] - same[name]).max()
                              for name in same},
            "off": {name: distance(out[name], softmax[name])
                    for name in same}}


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
      {state,keys_values}[3]  numbers kept for the next word
      checked.{n,{exact,off}.{tiled,window,strided,linear}}  differences
      record.ways.{full,tiled,window,strided,linear,fused}.{ms[3],mb,exponent,
        low,high}
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
        "state": [kept_by_linear(n, width, softmax) for n in LENGTHS],
        "keys_values": [kept_by_linear(n, width, True) for n in LENGTHS],
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
                      "low": way["exponent"]["low"],
                      "high": way["exponent"]["high"],
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


def one_layer(model: str, n: int, d: int, h: int, softmax: bool,
              looks_back: bool) -> Metrics:
    """n words on shapes: what is kept, what waits, what the next costs."""
    if model == "recurrent":
        last, madds = read_on(n, d, looks_back)
        one, two = (read_on(k, d, looks_back)[1] for k in (1, 2))
        return {"kept": last.size, "chain": last.chain, "madds": madds,
                "next": two - one}
    attend = full if softmax and model == "transformer" else linear
    meter, after = Meter(), Meter()
    y, kv = layer(meter.shape(n, d), matrices(meter, d), h, attend)
    if attend is full:
        past = kv
    else:                               # only the state is carried on
        kv, past = linear_state(*kv), None
    layer(after.shape(1, d), matrices(after, d), h, attend, cache=past)
    return {"kept": sum(x.size for x in kv), "chain": y.chain,
            "madds": meter.madds, "next": after.madds}


def earlier_change(attend: Any, seed: int) -> float:
    """Largest change of earlier outputs when one more word arrives."""
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((24, 32)), drawn_layer(32, 128, rng)
    before = layer(x[:-1], w, 4, attend)[0]             # [23, 32]
    after = layer(x, w, 4, attend)[0]                   # [24, 32]
    return float(abs(after[:-1] - before).max())


def choose(width: int, heads: int, short: int, long: int, seed: int,
           softmax: bool = True, looks_back: bool = True,
           causal: bool = True) -> Metrics:
    """Three kinds of layer at three lengths; and which can stream.

    Leaves:
      lengths[3] width heads
      models.{recurrent,transformer,linear}.{kept,chain,  numbers; steps
        madds,next}[3]  in a row; of the whole text, of one word more
      kept_ratio  Transformer over recurrent, at the longest
      streams.{causal,all_seeing}  largest change of an earlier output
    """
    _check_heads(width, heads)
    lengths = [short, round(math.sqrt(short * long)), long]
    found: dict[str, Metrics] = {}
    for model in MODELS:
        rows = [one_layer(model, n, width, heads, softmax, looks_back)
                for n in lengths]
        found[model] = {key: [row[key] for row in rows] for key in rows[0]}
    kept = {model: rows["kept"][2] for model, rows in found.items()}
    past = see_past if causal else full
    return {"lengths": lengths, "width": width, "heads": heads,
            "models": found,
            "kept_ratio": kept["transformer"] / kept["recurrent"],
            "streams": {"causal": earlier_change(past, seed),
                        "all_seeing": earlier_change(full, seed)}}


CHOICE_CONTROLS: dict[str, Any] = {
    "linear_instead": partial(choose, softmax=False),
    "no_recurrence": partial(choose, looks_back=False),
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


def cache(width: int, heads: int, layers: int, tokens: int, live: bool,
          seed: int, cached: bool = True,
          attend: Any = see_past) -> Metrics:
    """Write token after token, the past kept, and computed anew.

    Leaves:
      width heads layers live real.{layers,width,heads,prompt,written}
      {last,rows[n]}.{n,step_with,step_without,  multiply-adds of one layer
        with,without,ratio,held}  up to n; numbers kept after n tokens
      difference  of what the real network writes, with and without
      price.{numbers,tokens,mb,a_token}
    """
    _check_heads(width, heads)
    shown = sorted({max(1, tokens // k) for k in (16, 4, 2, 1)})
    kept, held = written_on_shapes(width, heads, tokens, cached)
    anew, _ = written_on_shapes(width, heads, tokens, False)
    rows = [{"n": n, "step_with": kept[n - 1],
             "step_without": anew[n - 1],
             "with": sum(kept[:n]), "without": sum(anew[:n]),
             "ratio": sum(anew[:n]) / sum(kept[:n]),
             "held": held[n - 1]} for n in shown]
    return {"width": width, "heads": heads, "layers": layers, "live": live,
            "rows": rows, "last": rows[-1], "real": REAL,
            "difference": written_twice(attend, cached, seed),
            "price": {"numbers": held[-1] * layers, "tokens": tokens,
                      "mb": held[-1] * layers * 2 / 1e6,
                      "a_token": held[-1] / tokens}}


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
    "sees_all": partial(cache, attend=full),
}
