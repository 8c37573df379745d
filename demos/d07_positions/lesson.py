"""The positions behind demo 07: none, added, turned, and then four kinds, trained.

Part 1 reorders three words under one drawn head; part 2 checks the laws of the table of
sines number by number. Part 3 has a function for each of its five sides: two conventions, the
score's formula, a trained model's arrays, half precision, code with faults. Part 4 runs six
shipped models on longer texts; `by_length` is what the record of other seeds calls too.

Longer than 450 lines because RoPE is looked at from five sides, and each has a control that
changes it alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from attention_np import (
    attention,
    causal_mask,
    rope,
    rope_frequencies,
    rope_permutation,
    rotate_pairs,
    sinusoidal_positions,
)
from lecture import records
from lecture.data import tasks
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT, init_weights
from lecture.report import Metrics

Array = np.ndarray


# --- 1. blind to order --------------------------------------------------------

SENTENCE = ("I", "love", "you")


def look(X: Array, P: Array, mask: Array | None = None) -> Array:
    """One head, no positions: X [.., n, d], P [3, d, d] -> [.., n, d]."""
    q, k, v = (X @ p for p in P)                    # [n, d] @ [d, d]
    return attention(q, k, v, mask=mask)[0]                     # [.., n, d]


def reorder(width: int, seed: int, masked: bool = True, placed: bool = True,
            plain_placed: bool = False) -> Metrics:
    """Three words in all six orders; drawn: words, two layers of maps.

    Leaves:
      words[3] other[3] width orders
      ways.{plain,causal,positions}.{middle,orders}  changes of outputs
      last_word.{one,two}  the same after one layer, and after two
    """
    rng, n = np.random.default_rng(seed), len(SENTENCE)
    E = rng.standard_normal((n + 1, width))                     # [4, d]
    P = rng.standard_normal((2, 3, width, width)) / np.sqrt(width)
    orders = np.array(list(permutations(range(n))))             # [6, 3]
    where = sinusoidal_positions(n, width)                      # [3, d]
    mask = causal_mask(n) if masked else None
    ways = {"plain": (None, plain_placed), "causal": (mask, False),
            "positions": (None, placed)}
    found: Metrics = {}
    for name, (m, with_places) in ways.items():
        out = look(E[orders] + where * with_places, P[0], m)    # [6, 3, d]
        same = out[0][orders]       # as if outputs went with words
        found[name] = {"middle": np.linalg.norm(out[-1, 1] - out[0, 1]),
                       "orders": abs(out - same).max()}

    # the last of four words, when the first two change places
    X = np.stack([E, E[[1, 0, 2, 3]]])                          # [2, 4, d]
    four, depth = causal_mask(n + 1) if masked else None, {}
    for name, p in zip(("one", "two"), P, strict=True):
        X = X + look(X, p, four)                                # [2, 4, d]
        depth[name] = np.linalg.norm(X[1, -1] - X[0, -1])
    return {"words": list(SENTENCE), "other": list(SENTENCE[::-1]),
            "width": width, "orders": len(orders), "ways": found,
            "last_word": depth}


ORDER_CONTROLS: dict[str, Any] = {
    "plain_with_positions": partial(reorder, plain_placed=True),
    "no_mask": partial(reorder, masked=False),
    "nothing_added": partial(reorder, placed=False),
}


# --- 2. sines and cosines -----------------------------------------------------

SHIFTS, PLACES = (1, 3, 10, 100), 300
DRAWN_DIMS, DRAWN_WIDTH, FAR = (0, 64, 128, 192, 255), 256, 50


def shift_map(delta: int, frequency: Array) -> Array:
    """M [d, d] with PE(p + delta) = M PE(p): pair j turned by w_j delta."""
    d = 2 * len(frequency)
    cos, sin = np.cos(frequency * delta), np.sin(frequency * delta)
    M, even = np.zeros((d, d)), np.arange(0, d, 2)              # [d, d]
    M[even, even], M[even, even + 1] = cos, sin     # sin(a + b) = ..
    M[even + 1, even], M[even + 1, even + 1] = -sin, cos
    return M


def sinusoids(pairs: int, seed: int, own_angle: bool = True,
              formula: bool = True, cosines: bool = True) -> Metrics:
    """The table and its laws; only the control draws, from the seed.

    Leaves:
      width root far norms.{low,high}
      shifts.{by_1,by_3,by_10,by_100}.{delta,error,one_angle,orthogonal}
      dims.{dim_0,dim_64,dim_128,dim_192,dim_255}.{dim,pair,cosine,frequency,
        value,drawn}  value: in the table; drawn: in the notes' figure
      dots.{near,later,closer,itself,by_distance[51]}
      sample[16,16]  ten times the table, rounded
      page.{map[64,32],starts[4],rows[4,32],dims[32],places[51],columns[5,51]}
    """
    rng, width = np.random.default_rng(seed), 2 * pairs
    pe = (sinusoidal_positions(PLACES, width) if formula    # [300, d]
          else rng.standard_normal((PLACES, width)))
    w = rope_frequencies(width)                                 # [d/2]
    shifts: Metrics = {}
    for delta in SHIFTS:
        M, one = shift_map(delta, w), shift_map(delta, np.ones_like(w))
        if not own_angle:
            M = one
        target = pe[delta:]                                     # [.., d]
        shifts[f"by_{delta}"] = {
            "delta": delta, "error": abs(pe[:-delta] @ M.T - target).max(),
            "one_angle": abs(pe[:-delta] @ one.T - target).max(),
            "orthogonal": abs(M @ M.T - np.eye(width)).max()}

    # the figure of the notes: five columns of a table of width 256
    table = sinusoidal_positions(FAR + 1, DRAWN_WIDTH)          # [51, 256]
    i = np.array(DRAWN_DIMS)
    as_drawn = np.sin(np.arange(FAR + 1)[:, None]
                      * 10000.0 ** (-i / DRAWN_WIDTH))          # [51, 5]
    columns = table[:, i] if cosines else as_drawn              # [51, 5]
    speed = 10000.0 ** (-(i - i % 2) / DRAWN_WIDTH)             # [5]
    dims = {f"dim_{n}": {
        "dim": n, "pair": n // 2, "cosine": bool(n % 2 and cosines),
        "frequency": speed[j], "value": columns[FAR, j],
        "drawn": as_drawn[FAR, j]} for j, n in enumerate(DRAWN_DIMS)}

    def dot(a: int, b: int) -> float:
        return float(pe[a] @ pe[b])

    return {"width": width, "root": np.sqrt(width / 2),
            "norms": {"low": np.linalg.norm(pe, axis=1).min(),
                      "high": np.linalg.norm(pe, axis=1).max()},
            "shifts": shifts, "dims": dims, "far": FAR,
            "dots": {"near": dot(5, 2), "later": dot(13, 10),
                     "closer": dot(13, 12), "itself": dot(13, 13),
                     "by_distance": pe[:51] @ pe[0]},
            "sample": np.round(10 * sinusoidal_positions(16, 16)),
            "page": {"map": np.round(sinusoidal_positions(64, 32), 3),
                     "starts": [0, 10, 20, 50], "rows": np.round(
                         sinusoidal_positions([0, 10, 20, 50], 32), 3),
                     "dims": list(range(32)),
                     "places": list(range(FAR + 1)),
                     "columns": np.round(columns.T, 3)}}


SINUSOIDS_CONTROLS: dict[str, Any] = {
    "one_angle": partial(sinusoids, own_angle=False),
    "drawn_table": partial(sinusoids, formula=False),
    "sines_only": partial(sinusoids, cosines=False),
}


# --- 3. RoPE ------------------------------------------------------------------

Q4, K4 = np.array([[1.0, 2, 3, 4]]), np.array([[4.0, 3, 2, 1]])    # [1, 4]
APART = ((3, 1), (5, 3), (102, 100))            # all two places apart
HEAD, LONG = 64, 2048


def mixed_up(x: Array, m: Any) -> Array:
    """The fault: angles laid out for neighbours, halves turned; [.., d]."""
    half = x.shape[-1] // 2
    angle = m * np.repeat(rope_frequencies(2 * half), 2)    # w0 w0 w1 w1
    crossed = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * np.cos(angle) + crossed * np.sin(angle)          # [.., d]


def two_conventions(seed: int, mixed: bool, mapped: bool) -> Metrics:
    """One score in both conventions, and the map from one to the other."""
    ways: dict[str, Callable[[Array, Any], Array]] = {
        "half": partial(rope, convention="half"),
        "adjacent": partial(rope, convention="adjacent"), "mixed": mixed_up}
    if mixed:
        ways["half"] = ways["adjacent"] = mixed_up
    scores = {f"at_{m}_{n}": {"m": m, "n": n} | {
        name: (turn(Q4, m) @ turn(K4, n).T).item()
        for name, turn in ways.items()} for m, n in APART}
    P = rope_permutation(4) if mapped else np.arange(4)         # [4]
    beside = rope(Q4, 1, "adjacent")                            # [1, 4]
    steps = {"x": Q4[0], "turned": beside[0], "turned_mapped": beside[0, P],
             "mapped": Q4[0, P], "mapped_turned": rope(Q4[:, P], 1)[0]}

    rng, places = np.random.default_rng(seed), np.arange(32)
    q, k = rng.standard_normal((2, 32, HEAD))                   # [32, 64]
    P64 = rope_permutation(HEAD) if mapped else np.arange(HEAD)
    half, other = (rope(q, places, c) for c in ("half", "adjacent"))
    keys = {c: rope(k, places, c) for c in ("half", "adjacent")}
    mapped_scores = rope(q[:, P64], places) @ rope(k[:, P64], places).T
    right = other @ keys["adjacent"].T                          # [32, 32]
    return {
        "scores": scores, "P": P, "steps": steps, "at": 1,
        "slots": list(range(4)), "turned_to": 5,
        "norms": {name: (turn(Q4, 5) ** 2).sum()
                  for name, turn in ways.items()},
        "equal_places": (ways["half"](Q4, 7)
                         @ ways["half"](K4, 7).T).item(),
        "plain": (Q4 @ K4.T).item(), "square": (Q4 ** 2).sum(),
        "map": {"turned": abs(rope(q[:, P64], places)
                              - other[:, P64]).max(),
                "scores": abs(mapped_scores - right).max(),
                "unmapped": abs(half - other).max(),
                "unmapped_scores": abs(half @ keys["half"].T
                                       - right).max()}}


def score_formula(seed: int, parallel: bool, turn: bool) -> Metrics:
    """The turned score: the notes' cosine alone, or with the sine."""
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((2, 1000, 2))                    # [1000, 2]
    q[0], k[0] = (1, 0), (0, 1)
    if parallel:
        k = q * rng.uniform(0.5, 2, (1000, 1))
    m, n = rng.integers(0, 100, (2, 1000))                      # [1000]
    m[0], n[0], theta = 2, 0, 0.5

    def turned(x: Array, places: Array) -> Array:
        a = (places * theta)[:, None]                           # [1000, 1]
        return rotate_pairs(x, np.cos(a), np.sin(a))            # [1000, 2]

    score = (turned(q, m) * turned(k, n)).sum(1)                # [1000]
    delta = (m - n) * theta
    notes = (q * k).sum(1) * np.cos(delta)
    full = notes + (q[:, 0] * k[:, 1] - q[:, 1] * k[:, 0]) * np.sin(delta)
    w = rope_frequencies(HEAD)                                  # [32]
    v = rng.standard_normal((1, HEAD))                          # [1, 64]
    tenth = rope(v, 10 if turn else 0)                          # [1, 64]
    return {"theta": theta, "apart": int(m[0] - n[0]), "pairs": len(q),
            "one": {"score": score[0], "notes": notes[0], "full": full[0]},
            "notes_error": abs(score - notes).mean(),
            "full_error": abs(score - full).max(),
            "kept": {"length": abs(np.linalg.norm(tenth) / np.linalg.norm(v)
                                   - 1),
                     "cosine": (v @ tenth.T).item() / (v ** 2).sum(),
                     "places": 10},
            "speeds": {"width": HEAD, "pair": len(w) - 1, "first": w[0],
                       "last": w[-1], "full_turn": 2 * np.pi / w[-1]}}


def inside_model(seed: int, positions: str) -> Metrics:
    """The trained RoPE model: which of its arrays know the place?"""
    cfg = replace(recipes.named("places_rope").config, positions=positions)
    model = GPT(cfg, model_cache.load(recipes.named("places_rope")))
    ids, *_ = tasks.named("delayed_copy")(np.random.default_rng(seed), 4)
    run = model.run(ids, trace=True)
    here, found = np.arange(ids.shape[1]), {}
    seen, width = causal_mask(len(here)), cfg.head_width
    for layer in range(cfg.n_layer):
        q, k, v, S, W, heads = (
            run.trace[f"{layer}.{name}"] for name in
            ("q", "k", "v", "scores", "weights", "heads"))
        turned = rope(q, here) @ rope(k, here).swapaxes(-1, -2)
        still = q @ k.swapaxes(-1, -2)                      # [B, h, T, T]
        found[f"layer_{layer}"] = {
            "layer": layer,
            "turned": abs(turned / np.sqrt(width) - S)[..., seen].max(),
            "still": abs(still / np.sqrt(width) - S)[..., seen].max(),
            "values": abs(W @ v - heads).max()}
    moved_on = model.run(ids, places=here + 50).logits
    return {"layers": found,
            "embedding": abs(run.trace["embed"] - model.w["wte.weight"][ids]
                             ).max(),
            "moved_on": abs(moved_on - run.logits).max(), "moved_by": 50}


def half_precision(kind: str) -> Metrics:
    """Angles made in `kind`, their cosines then exact; width 32."""
    w, p = rope_frequencies(32), np.arange(LONG)            # [16], [2048]
    exact_angle = p[:, None] * w                                # [2048, 16]
    rough = (p.astype(kind)[:, None] * w.astype(kind)).astype(float)
    error = abs(np.cos(rough) - np.cos(exact_angle))            # [2048, 16]
    place = 1857
    return {"place": place, "pair": 1, "angle": exact_angle[place, 1],
            "rough": rough[place, 1],
            "cosine": np.cos(exact_angle[place, 1]),
            "rough_cosine": np.cos(rough[place, 1]), "worst": error.max(),
            "places": LONG}


class Cached:
    """A layer that keeps a table as a buffer and as a mere attribute."""

    def __init__(self) -> None:
        table = np.cos(np.arange(8, dtype=np.float32))          # [8]
        self.cos_cached, self.buffers = table, {"cos": table}

    def to(self, kind: str) -> Cached:
        self.buffers = {n: a.astype(kind) for n, a in self.buffers.items()}
        return self


def what_is_raised(action: Callable[[], Any]) -> str:
    """The name of the exception that an action dies of."""
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "nothing"


def notes_code(seed: int) -> Metrics:
    """The faults of the notes' code, each on a small array that has it."""
    rng = np.random.default_rng(seed)

    def as_printed(x: Array) -> Array:      # [B, S, H, d] times [S, d/2]
        pairs = x[..., 0::2] + 1j * x[..., 1::2]
        w = rope_frequencies(x.shape[-1])                       # [d/2]
        angle = np.arange(x.shape[1])[:, None] * w              # [S, d/2]
        out = pairs * np.exp(1j * angle)    # meets [H, d/2], not [S, d/2]
        return np.stack([out.real, out.imag], -1).reshape(x.shape)

    x = rng.standard_normal((2, 5, 5, HEAD))                # [2, 5, 5, d]
    printed, five = as_printed(x), np.arange(5)
    by_place = rope(x.swapaxes(1, 2), five, "adjacent").swapaxes(1, 2)
    layer = Cached().to("float64")
    return {
        "unequal": what_is_raised(lambda: as_printed(x[:, :4])),
        "by_head": abs(printed - rope(x, five, "adjacent")).max(),
        "by_place": abs(printed - by_place).max(),
        "attribute": str(layer.cos_cached.dtype),
        "buffer": str(layer.buffers["cos"].dtype),
        "fraction": what_is_raised(
            lambda: layer.cos_cached[np.array([0.5])]),
        "crossed": np.concatenate([-Q4[0, 2:], Q4[0, :2]])}


def turn_pairs(seed: int, mixed: bool = False, mapped: bool = True,
               parallel: bool = False, turn: bool = True,
               positions: str = "rope", kind: str = "float16") -> Metrics:
    """RoPE from five sides; see the functions above.

    Leaves:
      conventions.scores.{at_3_1,at_5_3,at_102_100}.{m,n,half,adjacent,mixed}
      conventions.{P[4],slots[4],at,turned_to,equal_places,plain,square,
        steps.{x,turned,turned_mapped,mapped,mapped_turned}[4],
        norms.{half,adjacent,mixed},  squared
        map.{turned,scores,unmapped,unmapped_scores}}  largest differences
      formula.{theta,apart,pairs,one.{score,notes,full},notes_error,full_error,
        kept.{length,cosine,places},speeds.{width,pair,first,last,full_turn}}
      model.{layers.{layer_0,layer_1}.{layer,turned,still,values},embedding,
        moved_on,moved_by}
      half.{place,pair,angle,rough,cosine,rough_cosine,worst,places}
      code.{unequal,by_head,by_place,attribute,buffer,fraction,crossed[4]}
    """
    return {"conventions": two_conventions(seed, mixed, mapped),
            "formula": score_formula(seed, parallel, turn),
            "model": inside_model(seed, positions),
            "half": half_precision(kind), "code": notes_code(seed)}


ROPE_CONTROLS: dict[str, Any] = {
    "mixed_conventions": partial(turn_pairs, mixed=True),
    "unmapped": partial(turn_pairs, mapped=False),
    "parallel": partial(turn_pairs, parallel=True),
    "no_turn": partial(turn_pairs, turn=False),
    "no_positions": partial(turn_pairs, positions="none"),
    "double_precision": partial(turn_pairs, kind="float64"),
}


# --- 4. longer than trained ---------------------------------------------------

KINDS = ("learned", "sinusoidal", "rope", "none")
COPIERS = ("no_positions", "with_rope")
TRAINED_AT, DELAY, ROWS = 32, 3, 16
LENGTHS = (32, 64, 128)


def ntk_base(base: float, stretch: float, d: int) -> float:
    """The base whose slowest pair turns `stretch` times slower."""
    return base * stretch ** (d / (d - 2))


def says_back(model: GPT, ids: Array, *back: int, places: Any = None,
              patch: Any = None) -> list[Array]:
    """Does it say the word that stood so far back? [B, T - back] for each."""
    said = model.run(ids, patch, places=places).logits.argmax(-1)   # [B, T]
    return [said[:, n:] == ids[:, :ids.shape[1] - n] for n in back]


def cut_back(model: GPT, back: int) -> Any:
    """A patch: no head may look at the place `back` before its own."""
    def edit(S: Array) -> Array:                            # [B, h, T, T]
        t = np.arange(back, S.shape[-1])
        S[..., t, t - back] = -np.inf
        return S
    return {f"{l}.scores": edit for l in range(model.cfg.n_layer)}


def stretched(model: GPT, ids: Array, base_too: bool,
              turn: bool) -> Metrics:
    """The RoPE model at one length: as it is, and its three stretchings."""
    length, cfg = ids.shape[1], model.cfg
    stretch = length / TRAINED_AT if base_too else 1.0
    base = ntk_base(cfg.rope_base, stretch, cfg.head_width)
    other = GPT(replace(cfg, rope_base=base), model.w)
    at = np.arange(length) * float(turn)                        # [T]
    further = DELAY * length // TRAINED_AT

    def share(net: GPT, places: Array, *back: int) -> list[float]:
        found = says_back(net, ids, *back, places=places)
        return [float(ok.mean()) for ok in found]

    near, wide = share(model, at / stretch, DELAY, further)
    return {
        "length": length, "stretch": length / TRAINED_AT, "base": base,
        "plain": share(model, at, DELAY)[0], "interpolated": near,
        "rounded": share(model, at // stretch, DELAY)[0],
        "ntk": share(other, at, DELAY)[0],
        "further": further, "says_further": wide}


def copied(model: GPT, seed: int, longest: int, shortest: int,
           length: int) -> float:
    """A list of names said over and over: share right once it repeats."""
    sizes = dict(recipes.named("no_positions").data.sizes) | {
        "longest": longest, "shortest": shortest, "length": length}
    ids, mask = tasks.named("repeats")(np.random.default_rng(seed), 48,
                                       **sizes)
    right = model.run(ids).logits.argmax(-1)[:, :-1] == ids[:, 1:]
    return float(right[mask[:, :-1]].mean())


def by_length(models: dict[str, GPT], seed: int, base_too: bool = True,
              turn: bool = True) -> Metrics:
    """All that is measured of a seed's models; the record calls it too."""
    rng = np.random.default_rng([7, seed])
    ids, *_ = tasks.named("delayed_copy")(rng, ROWS, length=LENGTHS[-1])
    found: Metrics = {}
    for kind in KINDS:
        still = kind == "rope" and not turn
        all_0 = np.zeros(LENGTHS[-1]) if still else None        # [128]
        ok, = says_back(models[f"places_{kind}"], ids, DELAY, places=all_0)
        found[kind] = {"near": ok[:, :TRAINED_AT - DELAY].mean(),
                       "mid": ok[:, TRAINED_AT - DELAY:64 - DELAY].mean(),
                       "far": ok[:, 64 - DELAY:].mean()}
    model, short = models["places_rope"], ids[:, :TRAINED_AT]
    at = np.arange(TRAINED_AT) * float(turn)
    return {
        "places": found,
        "stretched": {f"to_{n}": stretched(model, ids[:, :n], base_too,
                                           turn) for n in LENGTHS[1:]},
        "cut": {name: says_back(model, short, DELAY, places=at,
                                patch=cut_back(model, back))[0].mean()
                for name, back in (("right", DELAY), ("other", DELAY + 1))},
        "copying": {name: {"short": copied(models[name], seed, 12, 4, 24),
                           "long": copied(models[name], seed, 20, 8, 48)}
                    for name in COPIERS}}


def all_models(seed: int | None = None, trained: bool = True
               ) -> dict[str, GPT]:
    """The six networks: shipped, of another seed, or before training."""
    made = {}
    for name in (*(f"places_{kind}" for kind in KINDS), *COPIERS):
        recipe = recipes.named(name)
        if seed is not None:
            recipe = recipes.with_seed(recipe, seed)
        made[name] = GPT(recipe.config, model_cache.load(recipe)
                         if trained else init_weights(recipe.config))
    return made


def over_seeds(runs: list[Metrics]) -> Metrics:
    """Five trainings each: spread, and how many show what is claimed."""
    def spread(values: list[float]) -> Metrics:
        return {"mean": np.mean(values), "low": min(values),
                "high": max(values)}

    def count(holds: Callable[[Metrics], bool]) -> int:
        return sum(bool(holds(run)) for run in runs)

    return {
        "seeds": len(runs), "at_least": 4,
        "places": {kind: {where: spread([r["places"][kind][where]
                                         for r in runs])
                          for where in ("near", "mid", "far")}
                   for kind in KINDS},
        "stretched": {to: {how: spread([r["stretched"][to][how]
                                        for r in runs])
                           for how in ("plain", "interpolated", "rounded",
                                       "ntk", "says_further")}
                      for to in (f"to_{n}" for n in LENGTHS[1:])},
        "copying": {name: {where: spread([r["copying"][name][where]
                                          for r in runs])
                           for where in ("short", "long")}
                    for name in COPIERS},
        "reaches": count(lambda r: r["places"]["rope"]["far"] > 2 * max(
            r["places"][k]["far"] for k in ("learned", "sinusoidal"))),
        "wider": count(lambda r: r["stretched"]["to_64"]["says_further"]
                       > 2 * r["stretched"]["to_64"]["interpolated"]),
        "ntk_helps": count(lambda r: r["stretched"]["to_128"]["ntk"]
                           > r["stretched"]["to_128"]["plain"]),
        "copies": count(lambda r: r["copying"]["no_positions"]["short"]
                        > 0.98),
        "carries": count(lambda r: r["copying"]["no_positions"]["long"]
                         > r["copying"]["with_rope"]["long"])}


def go_longer(seed: int, trained: bool = True, turn: bool = True,
              base_too: bool = True, whole: bool = True) -> Metrics:
    """Six small trained models on texts they have not seen.

    Leaves:
      places.{learned,sinusoidal,rope,none}.{near,mid,far}  shares right
      stretched.{to_64,to_128}.{length,stretch,base,plain,interpolated,rounded,
        ntk,further,says_further}
      cut.{right,other} copying.{no_positions,with_rope}.{short,long}
      trained_at delay rows longest middle chance words parameters
      table_rows.{trained,beyond,drawn,count}  mean length of a row
      rounding.{places,factor,kept,fractions}
      ntk.{base,factor,width,new_base,fastest_slower,slowest_slower}
      record.{seeds,at_least,reaches,wider,ntk_helps,copies,carries,
        {places,copying,stretched}.*.*.{mean,low,high}}  as now
    """
    models = all_models(trained=trained)
    now = by_length(models, seed, base_too, turn)
    runs = records.read("positions")["seeds"]
    if not (trained and turn and base_too):     # a control has no record
        runs = [now] * len(runs)
    table = models["places_learned"].w["wpe.weight"]            # [128, d]
    norms = np.linalg.norm(table, axis=1)                       # [128]
    drawn = init_weights(models["places_learned"].cfg)["wpe.weight"]
    at = np.arange(4096) / 2                                    # [4096]
    task = tasks.named("delayed_copy")
    new_base = ntk_base(10000.0, 2 if base_too else 1, 128)
    slower = rope_frequencies(128) / rope_frequencies(128, new_base)
    return now | {
        "trained_at": TRAINED_AT, "delay": DELAY, "rows": ROWS,
        "longest": LENGTHS[-1], "middle": LENGTHS[1],
        "chance": 1 / task.vocab_size(), "words": task.vocab_size(),
        "parameters": sum(w.size for w in models["places_rope"].w.values()),
        "table_rows": {"trained": norms[:TRAINED_AT].mean(),
                       "beyond": norms[TRAINED_AT:].mean(),
                       "drawn": np.linalg.norm(drawn, axis=1).mean(),
                       "count": len(norms)},
        "rounding": {"places": len(at), "factor": 2,
                     "kept": len(np.unique(at // 1 if whole else at)),
                     "fractions": len(np.unique(at))},
        "ntk": {"base": 10000.0, "factor": 2, "width": 128,
                "new_base": new_base, "fastest_slower": slower[0],
                "slowest_slower": slower[-1]},
        "record": over_seeds(runs)}


LONGER_CONTROLS: dict[str, Any] = {
    "untrained": partial(go_longer, trained=False),
    "no_turn": partial(go_longer, turn=False),
    "same_scale": partial(go_longer, base_too=False),
    "no_rounding": partial(go_longer, whole=False),
}
