"""The positions behind demo 07: none, added, turned, and then four kinds, trained.

Part 1 reorders three words under one drawn head; part 2 looks at the table of sines and its
laws. Part 3 has a function for each side of RoPE: a score at five pairs of places, one turn
written three ways, the formula of the score, the table of angles, half precision, a trained
model's arrays. Part 4 runs six shipped models on longer texts; `by_length` is what the record
of the other seeds calls too.

Longer than 450 lines because RoPE is looked at from six sides, and each has a control that
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
MIDDLE = 1


def look(X: Array, P: Array, mask: Array | None = None
         ) -> tuple[Array, Array]:
    """One head, no positions: X [.., n, d], P [3, d, d] -> fetched, weights."""
    q, k, v = (X @ p for p in P)                    # [n, d] @ [d, d]
    return attention(q, k, v, mask=mask)            # [.., n, d] [.., n, n]


def by_word(weights: Array, order: Array, mask: Array | None) -> list[Any]:
    """What the middle place gives to each word, None where it is hidden."""
    place = np.argsort(order)                       # word -> its place
    return [None if mask is not None and not mask[MIDDLE, p]
            else float(weights[MIDDLE, p]) for p in place]


def reorder(width: int, seed: int, masked: bool = True, placed: bool = True,
            plain_placed: bool = False) -> Metrics:
    """Three words in all six orders; drawn: words, two layers of maps.

    there, back: what love gives to each word, in the two sentences; middle and
    orders: how far its output moves, and any output of the six orders. Of four
    words the first two change places: moved is the last, before the lesser of
    those two.

    Leaves:
      words[3] other[3] width orders
      ways.{plain,causal,positions}.{there[3],back[3],middle,orders}
      last_word.{one,two}.{moved,before}  after one layer, and after two
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
        out, w = look(E[orders] + where * with_places, P[0], m)
        same = out[0][orders]       # as if outputs went with words
        found[name] = {
            "there": by_word(w[0], orders[0], m),
            "back": by_word(w[-1], orders[-1], m),
            "middle": np.linalg.norm(out[-1, MIDDLE] - out[0, MIDDLE]),
            "orders": abs(out - same).max()}

    # the last of four words, when the first two change places
    X = np.stack([E, E[[1, 0, 2, 3]]])                          # [2, 4, d]
    four, depth = causal_mask(n + 1) if masked else None, {}
    for name, p in zip(("one", "two"), P, strict=True):
        X = X + look(X, p, four)[0]                             # [2, 4, d]
        before = X[1, [1, 0]] - X[0, :2]                        # [2, d]
        depth[name] = {"moved": np.linalg.norm(X[1, -1] - X[0, -1]),
                       "before": np.linalg.norm(before, axis=-1).min()}
    return {"words": list(SENTENCE), "other": list(SENTENCE[::-1]),
            "width": width, "orders": len(orders), "ways": found,
            "last_word": depth}


ORDER_CONTROLS: dict[str, Any] = {
    "plain_with_positions": partial(reorder, plain_placed=True),
    "no_mask": partial(reorder, masked=False),
    "nothing_added": partial(reorder, placed=False),
}


# --- 2. sines and cosines -----------------------------------------------------

SHIFTS, PLACES, SMALL, REACH = (1, 3, 10, 100), 300, 16, 12
DRAWN_DIMS, DRAWN_WIDTH, FAR = (0, 64, 128, 192, 255), 256, 50
ROUND = 44                      # seven rounds of the first hand, nearly


def shift_map(delta: int, frequency: Array) -> Array:
    """M [d, d] with PE(p + delta) = M PE(p): pair j turned by w_j delta."""
    d = 2 * len(frequency)
    cos, sin = np.cos(frequency * delta), np.sin(frequency * delta)
    M, even = np.zeros((d, d)), np.arange(0, d, 2)              # [d, d]
    M[even, even], M[even, even + 1] = cos, sin     # sin(a + b) = ..
    M[even + 1, even], M[even + 1, even + 1] = -sin, cos
    return M


def eight_hands(slow_only: bool, one_speed: bool) -> Metrics:
    """The table of width 16: its hands, and how alike places are."""
    w = rope_frequencies(SMALL)                                 # [8]
    at = np.arange(PLACES)[:, None] * (np.ones_like(w) if one_speed else w)
    pe = np.stack([np.sin(at), np.cos(at)], -1).reshape(PLACES, SMALL)
    # a hand that goes less than half round in 12 places only falls
    kept = np.repeat(w * REACH < np.pi, 2) if slow_only else np.ones(SMALL)
    dots = (pe[:REACH + 1] * kept) @ pe[0]                      # [13]
    apart = np.linalg.norm(pe[:, None] - pe, axis=-1)           # [300, 300]
    np.fill_diagonal(apart, np.inf)
    return {
        "width": SMALL, "place": 5, "places": PLACES,
        "speed": w, "turn": 2 * np.pi / w,
        "sin": pe[5, 0::2],
        "curves": {f"pair_{j}": pe[:FAR + 1, 2 * j] for j in (0, 2)},
        "at": np.arange(FAR + 1), "dots": dots,
        "reach": REACH,
        "lowest": dots[:5].min(), "again": dots[5:9].max(),
        "at_lowest": int(dots[:5].argmin()),
        "at_again": 5 + int(dots[5:9].argmax()),
        "round": ROUND, "one_hand": np.linalg.norm(pe[ROUND, :2] - pe[0, :2]),
        "all_hands": apart.min(),
        "sample": np.round(10 * pe[:SMALL]), "slots": np.arange(SMALL)}


def five_dims(cosines: bool) -> Metrics:
    """The notes' figure: five columns of a table of width 256."""
    table = sinusoidal_positions(FAR + 1, DRAWN_WIDTH)          # [51, 256]
    i = np.array(DRAWN_DIMS)
    as_drawn = np.sin(np.arange(FAR + 1)[:, None]
                      * 10000.0 ** (-i / DRAWN_WIDTH))          # [51, 5]
    columns = table[:, i] if cosines else as_drawn              # [51, 5]
    speed = 10000.0 ** (-(i - i % 2) / DRAWN_WIDTH)             # [5]
    return {f"dim_{n}": {
        "dim": n, "pair": n // 2, "cosine": bool(n % 2 and cosines),
        "frequency": speed[j], "value": columns[FAR, j],
        "drawn": as_drawn[FAR, j], "column": np.round(columns[:, j], 3)}
        for j, n in enumerate(DRAWN_DIMS)}


def sinusoids(pairs: int, seed: int, own_angle: bool = True,
              formula: bool = True, cosines: bool = True,
              slow_only: bool = False, one_speed: bool = False) -> Metrics:
    """The table and its laws; only a control draws, from the seed.

    one_hand: how far places 0 and 44 are apart by one hand; all_hands: the two
    closest of 300 places, by all of them.

    Leaves:
      small.{width,place,places,speed[8],turn[8],sin[8],
        curves.{pair_0,pair_2}[51],at[51],dots[13],reach,lowest,
        again,at_lowest,at_again,round,one_hand,all_hands,sample[16,16],
        slots[16]}
      width root far drawn_width norms.{low,high}
      shifts.{by_1,by_3,by_10,by_100}.{delta,error,one_angle,orthogonal}
      dims.{dim_0,dim_64,dim_128,dim_192,dim_255}.{dim,pair,cosine,frequency,
        value,drawn,column[51]}  value: in the table; drawn: in the notes' plot
      dots.{near,later,itself}
      page.{map[64,32],starts[4],rows[4,32],dims[32],places[64]}
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
    starts = [0, 10, 20, 50]
    return {"small": eight_hands(slow_only, one_speed),
            "width": width, "root": np.sqrt(width / 2),
            "norms": {"low": np.linalg.norm(pe, axis=1).min(),
                      "high": np.linalg.norm(pe, axis=1).max()},
            "shifts": shifts, "dims": five_dims(cosines), "far": FAR,
            "drawn_width": DRAWN_WIDTH,
            "dots": {"near": float(pe[5] @ pe[2]),
                     "later": float(pe[13] @ pe[10]),
                     "itself": float(pe[13] @ pe[13])},
            "page": {"map": np.round(sinusoidal_positions(64, 32), 3),
                     "starts": starts, "rows": np.round(
                         sinusoidal_positions(starts, 32), 3),
                     "dims": list(range(32)), "places": list(range(64))}}


SINUSOIDS_CONTROLS: dict[str, Any] = {
    "one_angle": partial(sinusoids, own_angle=False),
    "drawn_table": partial(sinusoids, formula=False),
    "slow_hands": partial(sinusoids, slow_only=True),
    "one_speed": partial(sinusoids, one_speed=True),
}


# --- 3. RoPE ------------------------------------------------------------------

Q4, K4 = np.array([[1.0, 2, 3, 4]]), np.array([[4.0, 3, 2, 1]])    # [1, 4]
ASKED = ((3, 1), (5, 3), (102, 100), (1, 3), (7, 7))    # query at, key at
HEAD, LONG = 64, 2048


def rotate_half(x: Array) -> Array:
    """The second half, negated, before the first; [.., d]."""
    half = x.shape[-1] // 2
    return np.concatenate([-x[..., half:], x[..., :half]], axis=-1)


def mixed_up(x: Array, m: Any) -> Array:
    """The fault: angles laid out for neighbours, halves turned; [.., d]."""
    angle = m * np.repeat(rope_frequencies(x.shape[-1]), 2)     # w0 w0 w1 w1
    return x * np.cos(angle) + rotate_half(x) * np.sin(angle)   # [.., d]


def by_code(x: Array, m: Any) -> Array:
    """As code has it: each angle twice, and rotate_half; [.., d]."""
    angle = m * np.tile(rope_frequencies(x.shape[-1]), 2)       # w0 w1 w0 w1
    return x * np.cos(angle) + rotate_half(x) * np.sin(angle)   # [.., d]


def by_complex(x: Array, m: Any) -> Array:
    """Number j and number j + d/2 as one complex number, times e^(i m w)."""
    half = x.shape[-1] // 2
    z = x[..., :half] + 1j * x[..., half:]                      # [.., d/2]
    z = z * np.exp(1j * m * rope_frequencies(x.shape[-1]))      # [.., d/2]
    return np.concatenate([z.real, z.imag], axis=-1)            # [.., d]


def two_conventions(seed: int, mixed: bool, mapped: bool,
                    right_mix: bool) -> Metrics:
    """One score in both conventions, and the map from one to the other."""
    ways: dict[str, Callable[[Array, Any], Array]] = {
        "half": partial(rope, convention="half"),
        "adjacent": partial(rope, convention="adjacent"), "mixed": mixed_up}
    if mixed:
        ways["half"] = ways["adjacent"] = mixed_up
    if right_mix:
        ways["mixed"] = by_code
    scores = {f"at_{m}_{n}": {"m": m, "n": n, "offset": m - n} | {
        name: (turn(Q4, m) @ turn(K4, n).T).item()
        for name, turn in ways.items()} for m, n in ASKED}
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
    right, at = other @ keys["adjacent"].T, places[:, None]     # [32, 32]
    return {
        "scores": scores, "P": P, "steps": steps, "at": 1,
        "turned_to": 5, "theta": rope_frequencies(4),
        "written": {"x": Q4[0], "half": rotate_half(Q4)[0],
                    "code": by_code(Q4, 1)[0],
                    "complex": by_complex(Q4, 1)[0], "adjacent": beside[0]},
        "norms": {name: (turn(Q4, 5) ** 2).sum()
                  for name, turn in ways.items()},
        "equal_places": (ways["half"](Q4, 7)
                         @ ways["half"](K4, 7).T).item(),
        "plain": (Q4 @ K4.T).item(), "square": (Q4 ** 2).sum(),
        "map": {"turned": abs(rope(q[:, P64], places)
                              - other[:, P64]).max(),
                "scores": abs(mapped_scores - right).max(),
                "complex": abs(by_complex(q, at) - by_code(q, at)).max(),
                "unmapped": abs(half - other).max(),
                "unmapped_scores": abs(half @ keys["half"].T
                                       - right).max()}}


def score_formula(seed: int, parallel: bool) -> Metrics:
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
    tenth = rope(v, 10)                                         # [1, 64]
    return {"theta": theta, "apart": int(m[0] - n[0]), "pairs": len(q),
            "example": turned(np.array([[1.0, 0.0]]), np.array([1]))[0],
            "one": {"score": score[0], "notes": notes[0], "full": full[0],
                    "reverse": (turned(q, n) * turned(k, m)).sum(1)[0],
                    "cosine": np.cos(delta[0])},
            "notes_error": abs(score - notes).mean(),
            "full_error": abs(score - full).max(),
            "kept": {"length": abs(np.linalg.norm(tenth) / np.linalg.norm(v)
                                   - 1),
                     "cosine": (v @ tenth.T).item() / (v ** 2).sum(),
                     "places": 10},
            "speeds": {"width": HEAD, "last": w[-1],
                       "full_turn": 2 * np.pi / w[-1]}}


def angle_table() -> Metrics:
    """What code keeps, so that no angle is made twice: m w_j, width 64."""
    w, places = rope_frequencies(HEAD), np.arange(LONG)         # [32] [2048]
    angles = places[:, None] * w                                # [2048, 32]
    return {"rows": LONG, "pairs": len(w), "width": HEAD,
            "pair": {f"pair_{j}": {
                "exponent": 2 * j / HEAD, "theta": w[j],
                "turn": 2 * np.pi / w[j],
                "first": angles[1, j], "later": angles[100, j],
                "last": angles[-1, j]} for j in (0, 1, 16, 31)}}


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
            "turned": abs(turned / np.sqrt(width) - S)[..., seen].max(),
            "still": abs(still / np.sqrt(width) - S)[..., seen].max(),
            "values": abs(W @ v - heads).max()}
    moved_on = model.run(ids, places=here + 50).logits
    return {"layers": found,
            "embedding": abs(run.trace["embed"] - model.w["wte.weight"][ids]
                             ).max(),
            "moved_on": abs(moved_on - run.logits).max(), "moved_by": 50}


# The notes' code as printed (000:875-1000), run with torch: what it raised, what it kept
# when the module was told to be float64.
CODE = {"layout": "RuntimeError", "fraction": "IndexError", "attribute": "float32",
        "buffer": "float64", "torch": "2.13.0"}


def by_head(seed: int) -> float:
    """[batch, place, head, d]: turned by the head's number, not its place."""
    x = np.random.default_rng(seed).standard_normal((2, 5, 5, HEAD))
    five = np.arange(5)
    by_place = rope(x.swapaxes(1, 2), five, "adjacent").swapaxes(1, 2)
    return float(abs(rope(x, five, "adjacent") - by_place).max())


def turn_pairs(seed: int, mixed: bool = False, mapped: bool = True,
               right_mix: bool = False, parallel: bool = False,
               positions: str = "rope", kind: str = "float16") -> Metrics:
    """RoPE from six sides; see the functions above.

    Leaves:
      conventions.scores.{at_3_1,at_5_3,at_102_100,at_1_3,at_7_7}.{m,n,offset,
        half,adjacent,mixed}
      conventions.written.{x,half,code,complex,adjacent}[4]
      conventions.{P[4],at,theta[2],turned_to,equal_places,plain,square,
        steps.{x,turned,turned_mapped,mapped,mapped_turned}[4],
        norms.{half,adjacent,mixed},  squared
        map.{turned,scores,complex,unmapped,unmapped_scores}}  largest gaps
      formula.{theta,apart,pairs,example[2],one.{score,notes,full,reverse,
        cosine},notes_error,full_error,kept.{length,cosine,places},
        speeds.{width,last,full_turn}}
      angles.{rows,pairs,width,pair.{pair_0,pair_1,pair_16,pair_31}.{exponent,
        theta,turn,first,later,last}}
      half.{place,pair,angle,rough,cosine,rough_cosine,worst,places}
      model.{layers.{layer_0,layer_1}.{turned,still,values},embedding,
        moved_on,moved_by}
      code.{layout,fraction,attribute,buffer,torch,apart}  all but apart: data
    """
    return {"conventions": two_conventions(seed, mixed, mapped, right_mix),
            "formula": score_formula(seed, parallel),
            "angles": angle_table(), "half": half_precision(kind),
            "model": inside_model(seed, positions),
            "code": CODE | {"apart": by_head(seed)}}


ROPE_CONTROLS: dict[str, Any] = {
    "mixed_conventions": partial(turn_pairs, mixed=True),
    "one_convention": partial(turn_pairs, right_mix=True),
    "unmapped": partial(turn_pairs, mapped=False),
    "parallel": partial(turn_pairs, parallel=True),
    "no_positions": partial(turn_pairs, positions="none"),
    "double_precision": partial(turn_pairs, kind="float64"),
}


# --- 4. longer than trained ---------------------------------------------------

KINDS = ("learned", "sinusoidal", "rope", "none")
COPIERS = ("no_positions", "with_rope")
TRAINED_AT, DELAY, ROWS, BLOCK = 32, 3, 16, 16
LENGTHS = (32, 64, 128)
BASE, BASES = 10000.0, {"million": 1e6, "hundred_million": 1e8}
SHORT, FAR_LISTS = (12, 4, 24), (20, 8, 48)     # longest, shortest, length


def ntk_base(base: float, stretch: float, d: int) -> float:
    """The base whose slowest pair turns `stretch` times slower."""
    return base * stretch ** (d / (d - 2))


def says_back(model: GPT, ids: Array, *back: int, places: Any = None
              ) -> list[Array]:
    """Does it say the word that stood so far back? [B, T - back] for each."""
    said = model.run(ids, places=places).logits.argmax(-1)          # [B, T]
    return [said[:, n:] == ids[:, :ids.shape[1] - n] for n in back]


def by_block(ok: Array) -> Metrics:
    """ok [B, 125]: shares right in blocks of 16 places, and in three parts."""
    edges = range(0, LENGTHS[-1], BLOCK)
    blocks = [float(ok[:, max(a - DELAY, 0):a - DELAY + BLOCK].mean())
              for a in edges]
    held = next((i for i, b in enumerate(blocks) if b < 0.9), len(blocks))
    return {"blocks": blocks, "holds_to": BLOCK * held,
            "near": ok[:, :TRAINED_AT - DELAY].mean(),
            "mid": ok[:, TRAINED_AT - DELAY:64 - DELAY].mean(),
            "far": ok[:, 64 - DELAY:].mean()}


def stretched(model: GPT, ids: Array, swap: str, whole: bool) -> Metrics:
    """The RoPE model at one length: as it is, and its five stretchings.

    swap: "base" stretches by the base where places are meant to be divided,
    "places" divides them where the base is meant to grow.
    """
    cfg, n = model.cfg, ids.shape[1]
    times, at = n // TRAINED_AT, np.arange(n)                   # [T]
    bases = {"ntk": ntk_base(BASE, times, cfg.head_width)} | BASES
    ways = {"plain": (at, BASE), "interpolated": (at / times, BASE),
            "rounded": (at // times if whole else at / times, BASE)}
    ways |= {name: (at, base) for name, base in bases.items()}
    if swap == "base":
        ways["interpolated"] = (at, bases["ntk"])
    if swap == "places":
        ways |= dict.fromkeys(bases, (at / times, BASE))
    found: Metrics = {}
    for name, (places, base) in ways.items():
        other = GPT(replace(cfg, rope_base=base), model.w)
        near, wide = says_back(other, ids, DELAY, DELAY * times,
                               places=places)
        found[name] = {"base": base, "near": near.mean(), "wide": wide.mean()}
    return found


def copied(model: GPT, seed: int, longest: int, shortest: int,
           length: int) -> float:
    """A list of names said over and over: share right once it repeats."""
    sizes = dict(recipes.named("no_positions").data.sizes) | {
        "longest": longest, "shortest": shortest, "length": length}
    ids, mask = tasks.named("repeats")(np.random.default_rng(seed), 48,
                                       **sizes)
    right = model.run(ids).logits.argmax(-1)[:, :-1] == ids[:, 1:]
    return float(right[mask[:, :-1]].mean())


def by_length(models: dict[str, GPT], seed: int, placed: bool = True,
              swap: str = "", whole: bool = True, longer: bool = True
              ) -> Metrics:
    """All that is measured of a seed's models; the record calls it too."""
    rng = np.random.default_rng([7, seed])
    ids, *_ = tasks.named("delayed_copy")(rng, ROWS, length=LENGTHS[-1])
    all_0 = None if placed else np.zeros(LENGTHS[-1], dtype=int)    # [128]
    places: Metrics = {}
    for kind in KINDS:
        ok, = says_back(models[f"places_{kind}"], ids, DELAY, places=all_0)
        places[kind] = by_block(ok)
    by_n = {n: stretched(models["places_rope"], ids[:, :n], swap, whole)
            for n in LENGTHS[1:]}
    return {
        "places": places,
        "stretched": {way: {f"to_{n}": by_n[n][way] for n in by_n}
                      for way in by_n[64]},
        "copying": {name: {
            "short": copied(models[name], seed, *SHORT),
            "long": copied(models[name], seed,
                           *(FAR_LISTS if longer else SHORT))}
            for name in COPIERS}}


def all_models(seed: int | None = None) -> dict[str, GPT]:
    """The six networks, shipped or of another seed."""
    made = {}
    for name in (*(f"places_{kind}" for kind in KINDS), *COPIERS):
        recipe = recipes.named(name)
        if seed is not None:
            recipe = recipes.with_seed(recipe, seed)
        made[name] = GPT(recipe.config, model_cache.load(recipe))
    return made


def over_seeds(runs: list[Metrics], now: Metrics) -> Metrics:
    """Five trainings each: the other four one by one, and what all five show."""
    def ends(value: Callable[[Metrics], float]) -> Metrics:
        return {"low": min(map(value, runs)), "high": max(map(value, runs))}

    def count(holds: Callable[[Metrics], bool]) -> int:
        return sum(bool(holds(run)) for run in runs)

    def at_128(run: Metrics, way: str) -> float:
        return float(run["stretched"][way]["to_128"]["near"])

    def at_64(way: str, run: Metrics) -> float:
        return float(run["stretched"][way]["to_64"]["wide"])

    def on_long_lists(name: str, run: Metrics) -> float:
        return float(run["copying"][name]["long"])

    last = now["places"]["rope"]["blocks"][-1]
    return {
        "seeds": len(runs),
        "rope": {f"seed_{s}": {"blocks": run["places"]["rope"]["blocks"]}
                 for s, run in enumerate(runs[1:], 1)},
        "end": ends(lambda r: r["places"]["rope"]["blocks"][-1]),
        "lower": count(lambda r: r["places"]["rope"]["blocks"][-1]
                       < last - 0.005),
        "furthest": count(lambda r: r["places"]["rope"]["holds_to"] > max(
            r["places"][k]["holds_to"] for k in KINDS if k != "rope")),
        "stretched": {way: {"others": [at_128(r, way) for r in runs[1:]]}
                      for way in runs[0]["stretched"]},
        "wide": {way: ends(partial(at_64, way))
                 for way in ("interpolated", "rounded")},
        "sweep": count(lambda r: at_128(r, "plain") < at_128(r, "ntk")
                       and at_128(r, "hundred_million")
                       < at_128(r, "plain")),
        "long": {name: ends(partial(on_long_lists, name))
                 for name in COPIERS},
        "carries": count(lambda r: r["copying"]["no_positions"]["long"]
                         > r["copying"]["with_rope"]["long"] + 0.1)}


def t5_bucket(distance: Array, shared: bool) -> Array:
    """Which of T5's 32 learned numbers is added, looking back so far."""
    exact, most, reach = 16, 31, 128
    log = np.log(np.maximum(distance, 1) / exact) / np.log(reach / exact)
    far = np.minimum(exact + (log * exact).astype(int), most)
    return np.where((distance < exact) | (not shared), distance, far)


def other_ways(shared: bool) -> Metrics:
    """What two other position codes add to a score, by distance."""
    near = np.array([0, 1, 2, 4, 8, 16, 32, 64, 128])           # [9]
    every = t5_bucket(np.arange(1000), shared)                  # [1000]
    first = [int(np.flatnonzero(every == b)[0]) for b in every]
    alone = [int((every == b).sum() == 1) for b in every[:LENGTHS[-1]]]
    q = np.ones((1, 16))                                        # [1, 16]
    return {"alibi": {f"at_{n}": -n / 2 for n in near},
            "t5": {f"at_{n}": int(t5_bucket(n, shared)) for n in near},
            "rope": {f"at_{n}": (rope(q, n) @ q.T).item() / 16 for n in near},
            "alone": sum(alone), "last_from": first[-1], "numbers": 32}


def go_longer(seed: int, placed: bool = True, swap: str = "",
              whole: bool = True, longer: bool = True, trained: bool = True,
              shared: bool = True) -> Metrics:
    """Six small trained models on texts they have not seen.

    blocks, near, mid, far: shares right; holds_to: the first place of a block
    below .9. Of a stretched model near is the share that says the word 3 back,
    wide the one 6 back (at 64) or 12 back (at 128).

    Leaves:
      places.{learned,sinusoidal,rope,none}.{blocks[8],holds_to,near,mid,far}
      stretched.{plain,interpolated,rounded,ntk,million,hundred_million}.{to_64,
        to_128}.{base,near,wide}
      copying.{no_positions,with_rope}.{short,long}
      trained_at delay wide block longest middle chance words parameters
      table_rows.{trained,beyond,drawn,count}  mean length of a row
      rounding.{places,kept,fractions}
      ntk.{factor,width,new_base,factor_wanted,slower[8]}
      biases.{alibi.*,t5.*,rope.*,alone,last_from,numbers}
      record.{seeds,lower,furthest,sweep,carries,rope.*.blocks[8],
        stretched.*.others[4],end.{low,high},wide.*.{low,high},
        long.*.{low,high}}  as now
    """
    models = all_models()
    now = by_length(models, seed, placed, swap, whole, longer)
    runs = records.read("positions")["seeds"]
    if not (placed and whole and longer) or swap:   # a control has no record
        runs = [now] * len(runs)
    table = models["places_learned"].w["wpe.weight"]            # [128, d]
    drawn = init_weights(models["places_learned"].cfg)["wpe.weight"]
    norms = np.linalg.norm(table if trained else drawn, axis=1)  # [128]
    at = np.arange(4096) / 2                                    # [4096]
    task, d = tasks.named("delayed_copy"), models["places_rope"].cfg.head_width
    return now | {
        "trained_at": TRAINED_AT, "delay": DELAY, "wide": 2 * DELAY,
        "block": BLOCK, "longest": LENGTHS[-1],
        "middle": LENGTHS[1], "chance": 1 / task.vocab_size(),
        "words": task.vocab_size(),
        "parameters": sum(w.size for w in models["places_rope"].w.values()),
        "table_rows": {"trained": norms[:TRAINED_AT].mean(),
                       "beyond": norms[TRAINED_AT:].mean(),
                       "drawn": np.linalg.norm(drawn, axis=1).mean(),
                       "count": len(norms)},
        "rounding": {"places": len(at),
                     "kept": len(np.unique(at // 1 if whole else at)),
                     "fractions": len(np.unique(at))},
        "ntk": {"factor": 2, "width": 128,
                "new_base": ntk_base(BASE, 2, 128),
                "factor_wanted": 4.0 ** (126 / 128),
                "slower": rope_frequencies(d) / rope_frequencies(
                    d, ntk_base(BASE, 4, d))},
        "biases": other_ways(shared), "record": over_seeds(runs, now)}


LONGER_CONTROLS: dict[str, Any] = {
    "all_at_one_place": partial(go_longer, placed=False),
    "stretched_by_base": partial(go_longer, swap="base"),
    "stretched_by_places": partial(go_longer, swap="places"),
    "no_rounding": partial(go_longer, whole=False),
    "no_longer_lists": partial(go_longer, longer=False),
    "untrained": partial(go_longer, trained=False),
    "a_number_each": partial(go_longer, shared=False),
}
