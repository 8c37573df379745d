"""The masks behind demo 06: one function makes each, and every part asks what it changes.

Part 0 asks the country model about a text that came earlier. Part 1 draws eight masks and
misapplies them, part 2 writes one hidden row in three precisions, part 3 goes backwards
through a masked head by hand, part 4 lets three small trained models sit an exam on random
walks whose entropy is known.

Longer than 450 lines because the demo has five parts that share no step: a backward pass
written out and the theory of the walks are each needed in one of them only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from attention_np import (
    attention,
    attention_scores,
    causal_mask,
    combined_mask,
    padding_mask,
    permutation_mask,
    softmax,
    window_mask,
)
from lecture import records
from lecture.data import tasks
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT
from lecture.report import Metrics
from pretrain_world import question_text, statement_text, tokenizer

Array = np.ndarray
norm = np.linalg.norm


# --- 0. before or after the text ----------------------------------------------

def moved(model: GPT, one: Array, two: Array, text: slice,
          deaf: bool) -> Metrics:
    """How far two questions push the states of one and the same text."""
    layers = range(model.cfg.n_layer)
    patch = {f"{l}.heads": np.zeros_like for l in layers} if deaf else None
    before = model.run(one, patch, trace=True).trace
    after = model.run(two, patch, trace=True).trace
    a, b = (np.stack([t[f"{l}.out"][:, text] for l in layers])
            for t in (before, after))               # [L, 24, 13, d] each
    change = norm(a - b, axis=-1)                    # [L, 24, 13]
    return {"largest": abs(a - b).max(),
            "relative": (change / norm(a, axis=-1)).mean(),
            "moved": int((change > 0).sum()), "states": change.size}


def before_or_after(other: int, seed: int, masked: bool = True,
                    deaf: bool = False) -> Metrics:
    """A text on each country; the question changes its country, no more.

    Leaves:
      countries text_words changed_words text question other_question
      {question_after,question_before,no_mask}.{largest,relative,moved,states}
      unasked  largest change of the text's states when nothing is asked
    """
    recipe = recipes.named("base")
    weights = model_cache.load(recipe)
    world = recipe.data.world()
    tok = tokenizer(world)
    blind = GPT(replace(recipe.config, causal=False), weights)
    model = GPT(recipe.config, weights) if masked else blind
    n = len(world.countries)
    texts = [tok.encode(" ".join(statement_text(c, r) for r in
                                 ("capital", "language")))
             for c in world.countries]                          # [24, 13]
    asked = [tok.encode("faq : q : " + question_text(c.name, "capital"))
             for c in world.countries]                          # [24, 11]
    doc = np.full((n, 1), tok.stoi["<doc>"])                    # [24, 1]
    text, first = np.array(texts), np.array(asked)
    second = np.roll(first, -other - seed, axis=0)              # [24, 11]
    words = text.shape[1]
    early = slice(1, 1 + words)
    late = slice(1 + first.shape[1], 1 + first.shape[1] + words)

    def pair(layout: Callable[[Array], list[Array]]) -> tuple[Array, Array]:
        return np.hstack(layout(first)), np.hstack(layout(second))

    after = pair(lambda q: [doc, text, q])              # [24, 25], twice
    alone = np.hstack([doc, text])                              # [24, 14]
    top = f"{recipe.config.n_layer - 1}.out"
    kept = [model.run(ids, trace=True).trace[top][:, early]
            for ids in (alone, after[0])]                      # [24, 13, d]
    lead = pair(lambda q: [doc, q, text])
    return {"countries": n, "text_words": words, "changed_words": int(
                (first[0] != second[0]).sum()),
            "text": tok.decode(text[0]), "question": tok.decode(first[0]),
            "other_question": tok.decode(second[0]),
            "question_after": moved(model, *after, early, deaf),
            "question_before": moved(model, *lead, late, deaf),
            "no_mask": moved(blind, *after, early, deaf),
            "unasked": abs(kept[0] - kept[1]).max()}


ORDER_CONTROLS: dict[str, Any] = {
    "no_mask": partial(before_or_after, masked=False),
    "deaf": partial(before_or_after, deaf=True),
}


# --- 1. every mask of the notes -----------------------------------------------

PAD, WORD = 0, 1
SENTENCE = ("I", "love", "AI", "so", "much")
TARGET = ("<bos>", "I", "love", "you")
PRINTED = np.array([[1.2, -0.5, 0.8, 1.1, -0.3],
                    [0.6, 1.3, -0.7, 0.9, 1.5]])    # scores in the notes


def every_mask(ids: Array, source: Array, order: tuple[int, ...],
               n_q: int = 4, offset: int | None = None) -> dict[str, Array]:
    """Every mask the notes have: [n_q, n_k] booleans, True = may look."""
    T = len(ids)
    return {
        "padding": np.repeat(padding_mask(ids, PAD), T, axis=0),    # [T, T]
        "causal": causal_mask(T),                                   # [T, T]
        "combined": combined_mask(ids, PAD),                        # [T, T]
        "cross": np.repeat(padding_mask(source, PAD), n_q, 0),      # [4, 3]
        "query_stream": permutation_mask(order),                    # [4, 4]
        "content_stream": permutation_mask(order, content=True),    # [4, 4]
        "window": window_mask(T, left=1),                           # [T, T]
        "cached": causal_mask(2, T, offset)}                        # [2, T]


def what_is_raised(action: Callable[[], Any]) -> str:
    """The name of the exception that an action dies of."""
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "nothing"


class Unbuilt:
    """A layer whose parts nobody has made: no __init__, as in the notes."""

    def forward(self, x: Array) -> Array:
        return self.self_attn(x)        # type: ignore[attr-defined]


def notes_code() -> dict[str, str]:
    """The faults of the notes' code, each on the smallest array."""
    x = np.ones((5, 4))                                         # [5, 4]

    def stretch() -> Array:             # one axis too many to be a [5, 5]
        return np.broadcast_to((np.arange(5) < 3)[None, None], (5, 5))

    def fill() -> Array:               # a name that was never given a value
        keep = causal_mask(5)
        return np.where(keep, scores, -1e9)  # type: ignore # noqa: F821

    return {"padding": what_is_raised(stretch),
            "combined": what_is_raised(lambda: causal_mask(5) & stretch()),
            "unbuilt": what_is_raised(lambda: Unbuilt().forward(x)),
            "pair_as_array": what_is_raised(
                lambda: attention(attention(x, x, x), x, x)),
            "no_name": what_is_raised(fill)}


def future_share(mask: Array) -> float:
    """With even scores: the share of all weight that lies on the future."""
    W = softmax(np.where(mask, 0.0, -np.inf))                   # [T, T]
    return float(np.triu(W, 1).sum() / max(1, mask.any(1).sum()))


def mean_of(mask: Array, *values: float) -> Array:
    """With even scores: the mean of what each query may see; [n_q]."""
    V = np.array(values)[:, None]                               # [n_k, 1]
    return attention(np.zeros((len(mask), 1)), 0 * V, V, mask=mask)[0][:, 0]


def misread(masks: dict[str, Array], first: int) -> Metrics:
    """Masks applied rightly, and as they are often applied by mistake."""
    cross, cached = masks["cross"], masks["cached"]         # [4, 3], [2, 5]
    right = masks["causal"][:3, :3]                             # [3, 3]
    left = causal_mask(2, cached.shape[1], 0)                 # [2, 5]
    nobody, four = masks["query_stream"][first], PRINTED[0, :4]     # [4]
    return {
        "source_mean": {"unmasked": mean_of(cross | True, 10, 20, 99),
                        "masked": mean_of(cross, 10, 20, 99)},
        "polarity": {"right": mean_of(right, 1, 2, 4),
                     "flipped": mean_of(~right, 1, 2, 4),
                     "future_right": future_share(right),
                     "future_flipped": future_share(~right)},
        "aligned": {"right": mean_of(cached, 1, 2, 3, 4, 5),
                    "left": mean_of(left, 1, 2, 3, 4, 5)},
        "first_in_order": {
            "minus_billion": softmax(np.where(nobody, four, -1e9)),
            "ours": softmax(np.where(nobody, four, -np.inf))}}


def draw_masks(valid: int, seed: int, hide: bool = True,
               causal: bool = True, keys: bool = True, inside: bool = True,
               order: tuple[int, ...] = (2, 0, 3, 1),
               offset: int | None = None) -> Metrics:
    """Five places, `valid` of them words; drawn: q, k, v of 5 x 8, then
    four queries, three keys, three values and one replacement, width 8.

    Leaves:
      valid places order[4] words[5] sentence[5] source[3]
      masks.{padding,causal,combined,cross,query_stream,content_stream,window,
        cached}.{keep[q,k],ones,empty[n]}  1: may look; rows that see none
      printed.{weights[2,5],sums[2],hidden}
      padded.{output_norm,weight_on_padding} shown_is_used
      source_moves.{unmasked,masked} source_mean.{unmasked,masked}[4]
      polarity.{{right,flipped}[3],future_right,future_flipped}
      aligned.{right,left}[2] first_in_order.{minus_billion,ours}[4]
      code.{padding,combined,unbuilt,pair_as_array,no_name}  what each raises
    """
    rng, T = np.random.default_rng(seed), len(SENTENCE)
    ids = np.where(np.arange(T) < valid, WORD, PAD if hide else WORD)
    source = np.array([WORD, WORD, PAD if hide else WORD])
    masks = every_mask(ids, source, order, offset=offset)
    if not causal:
        masks["causal"] = np.ones((T, T), dtype=bool)
    pad = masks["padding"] if keys else masks["padding"].T      # [T, T]

    # padded queries: they look at the words, and put something out
    q, k, v = rng.standard_normal((3, T, 8))                    # [T, 8]
    out, W = attention(q, k, v, mask=pad)           # [T, 8], [T, T]

    # the notes' printed scores, the padding hidden
    kept = pad[:2] if inside else np.ones((2, T), dtype=bool)
    rows = softmax(np.where(kept, PRINTED, -np.inf)) * pad[:2]  # [2, T]

    # cross-attention: other numbers where the source has its padding
    Q, K, V = (rng.standard_normal((n, 8)) for n in (4, 3, 3))
    new = np.vstack([K[:2], rng.standard_normal((1, 8))])       # [3, 8]
    newer = np.vstack([V[:2], new[2:]])                         # [3, 8]

    def source_moves(mask: Array | None) -> float:
        change = (attention(Q, K, V, mask=mask)[0]
                  - attention(Q, new, newer, mask=mask)[0])     # [4, 8]
        return float(norm(change, axis=-1).max())

    return {
        "valid": valid, "places": T, "order": list(order),
        "words": [w if i else "<pad>"
                  for w, i in zip(SENTENCE, ids, strict=True)],
        "sentence": list(SENTENCE),
        "source": ["je", "t'aime", "<pad>" if hide else "!"],
        "masks": {name: {"keep": m.astype(int), "ones": int(m.sum()),
                         "empty": np.flatnonzero(~m.any(1))}
                  for name, m in masks.items()},
        "printed": {"weights": rows, "sums": rows.sum(1),
                    "hidden": rows[:, valid:].max()},
        "padded": {"output_norm": norm(out[valid:], axis=1).mean(),
                   "weight_on_padding": W[:, valid:].max()},
        "source_moves": {"unmasked": source_moves(None),
                         "masked": source_moves(masks["cross"])},
        "shown_is_used": abs(W @ v - out).max(),
        "code": notes_code(), **misread(masks, order[0])}


MASKS_CONTROLS: dict[str, Any] = {
    "nothing_hidden": partial(draw_masks, hide=False),
    "no_causal": partial(draw_masks, causal=False),
    "reading_order": partial(draw_masks, order=(0, 1, 2, 3)),
    "on_queries": partial(draw_masks, keys=False),
    "after_softmax": partial(draw_masks, inside=False),
    "aligned_left": partial(draw_masks, offset=0),
}


# --- 2. empty rows and constants ----------------------------------------------

SCORES = np.array([1.2, -0.5, 0.8, 1.1])
HAVE = np.array([10.0, 20.0, 30.0, 40.0])
HALF = np.array([True, True, False, False])
# name: precision, how it is hidden (in place of the score, or added to it)
WAYS: dict[str, tuple[Any, str]] = {
    "infinity": (np.float64, "infinity"), "replaced": (np.float64, "replace"),
    "replaced32": (np.float32, "replace"), "added": (np.float64, "add"),
    "replaced16": (np.float16, "replace"), "lowest16": (np.float16, "lowest"),
    "lowest16_twice": (np.float16, "twice"), "ours": (np.float64, "ours")}


def plain_softmax(x: Array) -> Array:
    """As it stands in the textbook, in whatever precision x has; [n]."""
    e = np.exp(x - x.max())                                     # [n]
    return e / e.sum()                                          # [n]


def hide_row(scores: Array, keep: Array, how: str, constant: float,
             kind: Any) -> tuple[Array, float]:
    """Weights of one row [n], and what stands where a score is hidden."""
    if how == "ours":
        return softmax(np.where(keep, scores, -np.inf)), -np.inf
    x = scores.astype(kind)                                     # [n]
    lowest = -np.finfo(np.float16).max
    c = np.array({"infinity": -np.inf, "lowest": lowest,
                  "twice": lowest}.get(how, constant)).astype(kind)
    if how == "add":
        return plain_softmax(np.where(keep, x, x + c)), float(c)
    if how == "twice":                # two masks, added one after the other
        return plain_softmax(np.where(keep, x, x + c + c)), float(c + c)
    return plain_softmax(np.where(keep, x, c)), float(c)


def hide_a_row(constant: float, seed: int, boolean: bool = False,
               wide: bool = False, guard: bool = True) -> Metrics:
    """Four scores; a row that may see none, a row that may see two.
    Nothing is drawn, seed is unused.

    Leaves:
      constant values[4] mean_value even scores[4] unmasked[4]
      ways.{infinity,replaced,replaced32,added,replaced16,lowest16,
        lowest16_twice,ours}.{bits,nan,fits,weights[4],sum,value,hidden}
      lowest16 largest_hidden ways_count
    """
    found: Metrics = {}
    nobody = np.zeros(4, dtype=bool)                            # [4]
    for name, (kind, how) in WAYS.items():
        kind = np.float64 if wide else kind
        how = "ours" if boolean else how
        if name == "ours" and not guard:
            how = "infinity"
        with np.errstate(all="ignore"):
            row, written = hide_row(SCORES, nobody, how, constant, kind)
            half, _ = hide_row(SCORES, HALF, how, constant, kind)
        row, half = (r.astype(np.float64) for r in (row, half))     # [4]
        none = bool(np.isnan(row).any())
        found[name] = {
            "bits": np.dtype(kind).itemsize * 8, "nan": none,
            "fits": bool(np.isfinite(written)),
            "weights": [None] * 4 if none else row,
            "sum": None if none else row.sum(),
            "value": None if none else row @ HAVE,
            "hidden": half[~HALF].max()}
    return {"constant": constant, "values": HAVE, "scores": SCORES,
            "mean_value": HAVE.mean(), "even": 1 / len(HAVE),
            "lowest16": float(-np.finfo(np.float16).max),
            "unmasked": softmax(SCORES), "ways": found,
            "largest_hidden": max(w["hidden"] for w in found.values()),
            "ways_count": len(found)}


EMPTY_CONTROLS: dict[str, Any] = {
    "boolean": partial(hide_a_row, boolean=True),
    "double_precision": partial(hide_a_row, wide=True),
    "no_guard": partial(hide_a_row, guard=False),
    "weak_constant": lambda seed, constant: hide_a_row(-5.0, seed),
}


# --- 3. what a mask does to gradients -----------------------------------------

RUNS, WIDTH, SEEN = 50, 64, 10


def attend_forward(X: Array, P: Array, mask: Array,
                   after: Array) -> tuple[Array, ...]:
    """X [.., n, d], P [3, .., d, d] -> (q, k, v, weights, out).

    mask hides before softmax; after, 0 or 1, blanks weights behind it.
    """
    q, k, v = (X @ p for p in P)                    # [.., n, d] each
    A = softmax(attention_scores(q, k, mask=mask))              # [.., n, n]
    return q, k, v, A, (A * after) @ v                          # [.., n, d]


def attend_backward(X: Array, P: Array, mask: Array, after: Array,
                    d_out: Array) -> Array:
    """d loss / d X [.., n, d] from d loss / d out, by hand."""
    q, k, v, A, _ = attend_forward(X, P, mask, after)
    turn = partial(np.swapaxes, axis1=-1, axis2=-2)
    dA = d_out @ turn(v) * after                                # [.., n, n]
    dS = A * (dA - (dA * A).sum(-1, keepdims=True))    # softmax, row by row
    dS = dS / np.sqrt(q.shape[-1])                              # [.., n, n]
    dv = turn(A * after) @ d_out                                # [.., n, d]
    return (dS @ k @ turn(P[0]) + turn(dS) @ q @ turn(P[1])
            + dv @ turn(P[2]))                                  # [.., n, d]


def influence(X: Array, P: Array, mask: Array, after: Array) -> Array:
    """Norm of d out_i / d x_j: one backward pass for each output number."""
    n, d = X.shape
    one_hot = np.eye(n * d).reshape(n, d, n, d)               # [n, d, n, d]
    J = attend_backward(X, P[:, None, None], mask, after, one_hot)
    return np.sqrt((J ** 2).sum(axis=(1, 3)))                   # [n, n]


def follow_gradient(words: int, seed: int, masked: bool = True,
                    renormalise: bool = True,
                    itself: bool = True) -> Metrics:
    """50 draws: words n x 64, standard normal, and three maps, even in
    -1/8 .. 1/8, as a library's layer begins. The loss is the sum of out.

    Leaves:
      words runs width numbers[n]
      {full,causal}.{mean,std,by_word[n],first,last}  norms of d loss / d X
      {full,causal}.{influence[n,n],from_the_future}  [output, input]
      larger visible.{words,first,last,mean,half}  larger: draws, causal > full
    """
    rng, n, d = np.random.default_rng(seed), words, WIDTH
    X = rng.standard_normal((RUNS, n, d))                       # [50, n, d]
    P = rng.uniform(-1, 1, (3, RUNS, d, d)) / np.sqrt(d)     # [3, 50, d, d]
    open_, ones = np.ones((n, n), dtype=bool), np.ones((n, n))
    mask = causal_mask(n) if masked else open_                  # [n, n]
    masks = {"full": (open_, ones), "causal": (mask, ones)}
    if not renormalise:                 # blank the weights after softmax
        masks["causal"] = (open_, mask.astype(float))
    found: Metrics = {}
    for name, (m, after) in masks.items():
        grad = attend_backward(X, P, m, after, np.ones((RUNS, n, d)))
        norms = norm(grad, axis=(1, 2))                         # [50]
        by_word = norm(grad, axis=2).mean(0)                    # [n]
        felt = influence(X[0], P[:, 0], m, after)               # [n, n]
        found[name] = {
            "mean": norms.mean(), "std": norms.std(ddof=1), "norms": norms,
            "by_word": by_word, "first": by_word[0], "last": by_word[-1],
            "influence": felt, "from_the_future": np.triu(felt, 1).max()}
    larger = sum(a > b for a, b in zip(found["causal"]["norms"],
                                       found["full"]["norms"], strict=True))
    for way in found.values():
        del way["norms"]
    seen = (causal_mask(SEEN, offset=0 if itself else -1)
            if masked else np.ones((SEEN, SEEN))).sum(1)        # [10]
    return {"words": n, "runs": RUNS, "width": d, "larger": larger, **found,
            "numbers": list(range(1, n + 1)),
            "visible": {"words": SEEN, "first": int(seen[0]),
                        "last": int(seen[-1]), "mean": seen.mean(),
                        "half": SEEN / 2}}


GRADIENT_CONTROLS: dict[str, Any] = {
    "no_mask": partial(follow_gradient, masked=False),
    "no_renormalising": partial(follow_gradient, renormalise=False),
    "not_itself": partial(follow_gradient, itself=False),
}


# --- 4. the open-book exam ----------------------------------------------------

BOOKS = ("closed_book", "open_book")
WALKS, SHOWN = 64, 3
PLACES = (2, 5, 8, 11)                  # where a state is hidden


def log_softmax(x: Array) -> Array:
    """Logarithms of softmax along the last axis; same shape."""
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def loss(logits: Array, said: Array) -> float:
    """Mean surprise in nats: logits [.., V], said [..] the true ids."""
    chances = np.take_along_axis(log_softmax(logits), said[..., None], -1)
    return float(-chances.mean())


def chain_facts(walks: Array) -> Metrics:
    """What nobody can beat: the chain's entropies, on these walks too."""
    table, odds = tasks.chain_table(), np.array(tasks.CHAIN_ODDS)
    two = table @ table                     # [8, 8]: two steps at once
    left, here, right = (walks[:, np.array(PLACES) + i] for i in (-1, 0, 1))
    between = table[left, here] * table[here, right] / two[left, right]
    entropy = -(odds * np.log(odds)).sum()  # of every row alike
    after_two = -(two[0] * np.log(two[0])).sum()
    step = -np.log(table[walks[:, :-1], walks[:, 1:]])          # [64, 15]
    return {"entropy": entropy, "truth": step.mean(),
            # of a state between two known ones: H(x, right | left) less
            # H(right | left); every row of two has the same entropy
            "between": 2 * entropy - after_two,
            "truth_between": -np.log(between).mean(),           # [64, 4]
            "truth_left": -np.log(table[left, here]).mean(),
            # states are equally frequent: the same table, read backwards
            "truth_right": -np.log(table[here, right]).mean(),
            "chance": np.log(len(table)), "states": len(table),
            "likeliest": odds.max(), "rarest": odds.min()}


def write(model: GPT, walks: Array, rng: np.random.Generator) -> Array:
    """The first state given, the rest drawn from what the model says."""
    ids = walks[:, :1]                                          # [64, 1]
    for _ in range(walks.shape[1] - 1):
        odds = np.exp(log_softmax(model.run(ids).logits[:, -1]))  # [64, V]
        draw = rng.random((len(ids), 1))
        new = (draw > odds.cumsum(-1)).sum(-1)[:, None]         # [64, 1]
        ids = np.hstack([ids, np.minimum(new, odds.shape[1] - 1)])
    return ids                                                  # [64, 16]


def judge(texts: Array) -> Metrics:
    """How a text reads to the chain that wrote the lessons."""
    table = tasks.chain_table()
    step = -np.log(table[texts[:, :-1], texts[:, 1:]])          # [64, 15]
    return {"surprise": step.mean(),
            "repeats": (texts[:, 1:] == texts[:, :-1]).mean(),
            "texts": [" ".join(map(str, row)) for row in texts[:SHOWN]]}


def sit_exam(model: GPT, walks: Array, rng: np.random.Generator) -> Metrics:
    """Next-state loss with the answer in view, and from the prefix."""
    T = walks.shape[1]
    whole = model.run(walks).logits[:, :-1]                    # [64, 15, V]
    prefix = np.stack([model.run(walks[:, :t]).logits[:, -1]
                       for t in range(1, T)], axis=1)          # [64, 15, V]
    answers = walks[:, 1:]                                      # [64, 15]
    return {"in_view": loss(whole, answers),
            "honest": loss(prefix, answers),
            "writes": judge(write(model, walks, rng))}


def cut_diagonal(model: GPT, walks: Array, ahead: int) -> float:
    """The loss in view when no word may look `ahead` places on."""
    def edit(scores: Array) -> Array:                   # [B, h, T, T]
        t = np.arange(scores.shape[-1] - ahead)
        scores[..., t, t + ahead] = -np.inf
        return scores

    patch = {f"{l}.scores": edit for l in range(model.cfg.n_layer)}
    out = model.run(walks, patch).logits[:, :-1]               # [64, 15, V]
    return loss(out, walks[:, 1:])


def guess_hidden(model: GPT, walks: Array, right: bool = True) -> Metrics:
    """A state hidden, one place at a time; then also all on one side."""
    T = walks.shape[1]
    said: dict[str, list[Array]] = {"both": [], "left": [], "right": []}
    for t in PLACES:
        for side, hide in (("both", [t] if right else range(t, T)),
                           ("left", range(t, T)), ("right", range(t + 1))):
            ids = walks.copy()                                  # [64, 16]
            ids[:, list(hide)] = tasks.HIDDEN
            said[side].append(model.run(ids).logits[:, t])      # [64, V]
    answers = walks[:, PLACES]                                  # [64, 4]
    return {side: loss(np.stack(logits, axis=1), answers)
            for side, logits in said.items()}


def exam_results(models: dict[str, GPT], seed: int,
                 right: bool = True) -> Metrics:
    """All that is measured of one seed's models; the record's too."""
    rng = np.random.default_rng([6, seed])
    walks, _ = tasks.named("chain")(rng, WALKS)                 # [64, 16]
    found: Metrics = {name: sit_exam(models[name], walks, rng)
                      for name in BOOKS}
    return {"chain": chain_facts(walks), **found, "true": judge(walks),
            "hidden_words": guess_hidden(models["hidden_words"], walks,
                                         right),
            "cut": {"answer": cut_diagonal(models["open_book"], walks, 1),
                    "other": cut_diagonal(models["open_book"], walks, 2)}}


def trained(name: str) -> GPT:
    """A model of part 4."""
    recipe = recipes.named(name)
    return GPT(recipe.config, model_cache.load(recipe))


def open_book_exam(seed: int, swap: str = "",
                   right: bool = True) -> Metrics:
    """Three small models on walks they have not seen. swap: the model that
    sits both exams, a control.

    Leaves:
      chain.{entropy,truth,between,truth_between,truth_left,truth_right,chance,
        states,likeliest,rarest}  losses in nats, here and below
      {closed_book,open_book}.{in_view,honest,
        writes.{surprise,repeats,texts[3]}}
      true.{surprise,repeats,texts[3]} hidden_words.{both,left,right}
      cut.{answer,other} walks length parameters
      record.{seeds,copiers,honest,helped,lowest_open,highest_closed,
        highest_both,rows[5].{seed,closed_book,open_book,both,left}}
      switch.{cache,later}  largest change of a logit of the closed book
      asked.{prompt,most,given}
    """
    models = {name: trained(swap if swap and name in BOOKS else name)
              for name in (*BOOKS, "hidden_words")}
    record = records.read("open_book")["seeds"]
    seen = [{"seed": one["seed"]}
            | {name: one[swap or name]["honest"] for name in BOOKS}
            | {"both": one["hidden_words"]["both" if right else "left"],
               "left": one["hidden_words"]["left"]} for one in record]
    chance = float(np.log(tasks.CHAIN_STATES))
    closed, length = models["closed_book"], 10
    ids = np.array([[0, 1, 4, 5]])                              # [1, 4]
    text = np.tile(np.arange(8), 2)[None]                       # [1, 16]
    new = np.hstack([text[:, :8], text[:, 7::-1]])              # [1, 16]
    run, later = closed.run(text).logits, closed.run(new).logits
    cache, kept = closed.new_cache(), run           # [1, 16, 8] each
    if closed.cfg.causal:               # one word at a time, the rest kept
        kept = np.hstack([closed.run(word, cache=cache).logits
                          for word in np.hsplit(text, text.size)])
    return exam_results(models, seed, right) | {
        "walks": WALKS, "length": closed.cfg.context,
        "parameters": sum(w.size for w in closed.w.values()),
        "record": {
            "seeds": len(seen), "rows": seen,
            "copiers": sum(s["open_book"] > chance for s in seen),
            "honest": sum(s["closed_book"] < s["open_book"] for s in seen),
            "helped": sum(s["both"] < s["left"] for s in seen),
            "lowest_open": min(s["open_book"] for s in seen),
            "highest_closed": max(s["closed_book"] for s in seen),
            "highest_both": max(s["both"] for s in seen)},
        "switch": {"cache": abs(run - kept).max(),
                   "later": abs(run - later)[:, :8].max()},
        "asked": {"prompt": ids.shape[1], "most": length, "given": int(
            closed.decode(ids, length - ids.shape[1]).shape[1])
            if closed.cfg.causal else length}}


EXAM_CONTROLS: dict[str, Any] = {
    "mask_on": partial(open_book_exam, swap="closed_book"),
    "mask_off": partial(open_book_exam, swap="open_book"),
    "one_side": partial(open_book_exam, right=False),
}
