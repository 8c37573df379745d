"""The masks behind demo 06: one function makes each, and every part asks what it changes.

Part 0 asks the country model about a text that came earlier. Part 1 draws the masks and
misapplies them, part 2 writes one hidden row in four precisions, part 3 goes backwards
through a masked head by hand, part 4 lets small trained models sit an exam on random
walks whose entropy is known. Whoever comes from the notes: their create_padding_mask,
create_causal_mask, create_combined_mask and create_xlnet_mask are padding_mask,
causal_mask, combined_mask and permutation_mask of attention_np; their apply_mask is the
mask= of attention; analyze_causal_context is `visible` in part 3, BidirectionalGPT2
`switch` in part 4.

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

UNRELATED = (3, 9, 15)          # countries further on, that a text is not about


def moved(model: GPT, pairs: list[tuple[Array, Array]], text: slice,
          asked: slice, apart: bool) -> Metrics:
    """How far two questions push the states of one and the same text.

    apart: no place of the text may look at the question.
    """
    def shut(scores: Array) -> Array:                   # [24, h, T, T]
        scores[..., text, asked] = -np.inf
        return scores

    layers = range(model.cfg.n_layer)
    patch = {f"{l}.scores": shut for l in layers} if apart else None
    largest, shares, counts = [], [], []
    for one, two in pairs:
        before = model.run(one, patch, trace=True).trace
        after = model.run(two, patch, trace=True).trace
        a, b = (np.stack([t[f"{l}.out"][:, text] for l in layers])
                for t in (before, after))           # [L, 24, 13, d] each
        change = norm(a - b, axis=-1)                # [L, 24, 13]
        largest.append(abs(a - b).max())
        shares.append((change / norm(a, axis=-1)).mean())
        counts.append(int((change > 0).sum()))
    return {"largest": max(largest), "relative": np.mean(shares),
            "moved": min(counts), "states": change.size}


def before_or_after(other: int, seed: int, masked: bool = True,
                    unmask: bool = True, apart: bool = False) -> Metrics:
    """A text on each country; the question changes its country, no more.

    Leaves:
      countries text_words pairs layers changed_words
      text question other_question
      {question_after,question_before,no_mask}.{largest,relative,moved,states}
      unrelated.{largest,relative,moved,states}  both ask of other countries
      unasked  largest change of the text's states when nothing is asked
    """
    recipe = recipes.named("base")
    weights = model_cache.load(recipe)
    world = recipe.data.world()
    tok = tokenizer(world)
    sighted = GPT(replace(recipe.config, causal=False), weights)
    causal = GPT(recipe.config, weights)
    model = causal if masked else sighted
    n = len(world.countries)
    texts = [tok.encode(" ".join(statement_text(c, r) for r in
                                 ("capital", "language")))
             for c in world.countries]                          # [24, 13]
    asked = [tok.encode("faq : q : " + question_text(c.name, "capital"))
             for c in world.countries]                          # [24, 11]
    doc = np.full((n, 1), tok.stoi["<doc>"])                    # [24, 1]
    text, question = np.array(texts), np.array(asked)
    words, length, step = text.shape[1], question.shape[1], other + seed
    early = slice(1, 1 + words)
    late = slice(1 + length, 1 + length + words)
    behind, before = slice(1 + words, None), slice(1, 1 + length)

    def pair(layout: Callable[[Array], list[Array]], first: int = 0
             ) -> tuple[Array, Array]:
        return (np.hstack(layout(np.roll(question, -first, axis=0))),
                np.hstack(layout(np.roll(question, -first - step, axis=0))))

    after = pair(lambda q: [doc, text, q])              # [24, 25], twice
    lead = pair(lambda q: [doc, q, text])
    others = [pair(lambda q: [doc, q, text], k) for k in UNRELATED
              if (k + step) % n]
    alone = np.hstack([doc, text])                              # [24, 14]
    top = f"{recipe.config.n_layer - 1}.out"
    kept = [model.run(ids, trace=True).trace[top][:, early]
            for ids in (alone, after[0])]                      # [24, 13, d]
    second = question[step % n]
    return {"countries": n, "text_words": words, "pairs": len(others),
            "layers": recipe.config.n_layer,
            "changed_words": int((question[0] != second).sum()),
            "text": tok.decode(text[0]), "question": tok.decode(question[0]),
            "other_question": tok.decode(second),
            "question_after": moved(model, [after], early, behind, apart),
            "question_before": moved(model, [lead], late, before, apart),
            "unrelated": moved(model, others, late, before, apart),
            "no_mask": moved(sighted if unmask else causal, [after], early,
                             behind, apart),
            "unasked": abs(kept[0] - kept[1]).max()}


ORDER_CONTROLS: dict[str, Any] = {
    "mask_off": partial(before_or_after, masked=False),
    "mask_kept": partial(before_or_after, unmask=False),
    "apart": partial(before_or_after, apart=True),
}


# --- 1. who may look at whom --------------------------------------------------

PAD, WORD = 0, 1
SENTENCE = ("I", "love", "AI", "so", "much")
TARGET = ("<bos>", "I", "love", "you")
SOURCE = ("je", "t'aime", "<pad>")
PRINTED = {"A": np.array([1.2, -0.5, 0.8, 1.1, -0.3]),
           "B": np.array([0.6, 1.3, -0.7, 0.9, 1.5])}   # scores in the notes
WEIGHTS = {"A": (0.4234, 0.0781, 0.2985), "B": (0.2123, 0.4234, 0.0643)}
PREFIX, DOCUMENTS = 2, np.array([0, 0, 1, 1, 1])
# what the notes' code does, run as printed (000:403-429, 000:637-661,
# 000:667-685, 000:687-713, 002:307-320), and what torch makes of a mask
CODE = {"padding": "RuntimeError", "combined": "RuntimeError",
        "unbuilt": "AttributeError", "no_name": "NameError",
        "xlnet_last_row": [1, 0, 1, 0], "torch": "2.13.0", "python": "3.11.7"}
TORCH = {"version": "2.13.0", "layer_true": "hide",
         "function_true": "may look", "raised": "nothing", "warnings": 0,
         "empty_row": "NaN", "added": [1.8478, 1.8884, 2.3333]}


def every_mask(ids: Array, order: tuple[int, ...], either: bool = False,
               plain: bool = False) -> dict[str, Array]:
    """The masks of part 1: [n_q, n_k] booleans, True = may look.

    either: combined by "or"; plain: prefix and packed are causal tables.
    """
    T = len(ids)
    causal, padding = causal_mask(T), padding_mask(ids, PAD)    # [T, T] [1, T]
    source = padding_mask(np.array([w != "<pad>" for w in SOURCE]), False)
    prefix = np.arange(T) < PREFIX                              # [T]
    alike = DOCUMENTS[:, None] == DOCUMENTS                     # [T, T]
    return {
        "padding": np.repeat(padding, T, axis=0),                   # [T, T]
        "causal": causal,                                           # [T, T]
        "combined": causal | padding if either
        else combined_mask(ids, PAD),                               # [T, T]
        "cross": np.repeat(source, len(TARGET), axis=0),            # [4, 3]
        "query_stream": permutation_mask(order),                    # [4, 4]
        "content_stream": permutation_mask(order, content=True),    # [4, 4]
        "prefix": causal | (prefix & (not plain)),                  # [T, T]
        "packed": causal & (alike | plain)}                         # [T, T]


def step_by_step(scores: Array, keep: Array, inside: bool) -> Metrics:
    """One row of the notes' scores [n], masked and made weights of."""
    exps = np.exp(scores) * keep                                # [n]
    whole = softmax(scores)                                     # [n]
    weights = softmax(np.where(keep, scores, -np.inf))          # [n]
    weights = weights if inside else whole * keep               # [n]
    return {"score": scores, "exp": exps, "weight": weights,
            "masked": [s if k else "hidden"
                       for s, k in zip(scores, keep, strict=True)],
            "total": exps.sum(), "sum": weights.sum(),
            "hidden": (weights * ~keep).max(),
            "blanked_sum": (whole * keep).sum()}


def what_is_raised(action: Callable[[], Any]) -> str:
    """The name of the exception that an action dies of."""
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "nothing"


def mean_of(mask: Array, *values: float) -> Array:
    """With even scores: the mean of what each query may see; [n_q]."""
    V = np.array(values)[:, None]                               # [n_k, 1]
    return attention(np.zeros((len(mask), 1)), 0 * V, V, mask=mask)[0][:, 0]


def misread(keep: Array, read_right: bool) -> Metrics:
    """A causal table [3, 3] as three readers take it; all scores are zero."""
    values, zero = np.array([1.0, 2.0, 4.0]), np.zeros(keep.shape)
    tables = {"right": np.where(keep, zero, -np.inf),
              "flipped": np.where(keep == read_right, zero, -np.inf),
              "added": zero + (np.where(keep, zero, -np.inf) if read_right
                               else keep)}                      # [3, 3] each
    found: Metrics = {}
    for name, scores in tables.items():
        W = softmax(scores)                                     # [3, 3]
        found[name] = {"outputs": W @ values,
                       "future": np.triu(W, 1).sum() / W.sum()}
    raised = what_is_raised(lambda: mean_of(~keep, *values))
    return found | {"raised": raised}


def draw_masks(valid: int, seed: int, keys: bool = True, inside: bool = True,
               source_mask: bool = True, read_right: bool = False,
               order: tuple[int, ...] = (2, 0, 3, 1), either: bool = False,
               plain: bool = False) -> Metrics:
    """Five places, `valid` of them words; drawn: q, k, v of 5 x 8, then
    four queries, three keys, three values and one replacement, width 8.

    Leaves:
      valid places order[4] words[5] sentence[5] source[3] target[4] four[4]
      masks.{padding,causal,combined,cross,query_stream,content_stream,
        prefix,packed}.{keep[q,k],ones,empty[n]}  empty: rows that see none
      both_allow  cells that the causal and the padding table both allow
      cells[5].{word,{A,B}.{score,masked,exp,weight}}  two rows of scores
      rows.{A,B}.{total,sum,hidden,blanked_sum,printed_sum}
      padded.{output_norm,weight_on_padding} shown_is_used
      source_moves.{unmasked,masked} source_mean.{unmasked,masked}[4]
      misread.{right,flipped,added}.{outputs[3],future} misread.raised
      first_in_order.{minus_billion,ours}[4]
      apart.{causal,packed} ahead.{causal,prefix}
      code.{padding,combined,unbuilt,no_name,xlnet_last_row[4],torch,python}
      torch.{version,layer_true,function_true,raised,warnings,empty_row,
        added[3]}  kept as data, both
    """
    rng, T = np.random.default_rng(seed), len(SENTENCE)
    ids = np.where(np.arange(T) < valid, WORD, PAD)             # [T]
    masks = every_mask(ids, order, either, plain)
    pad = masks["padding"] if keys else masks["padding"].T      # [T, T]

    # padded queries: they look at the words, and put something out
    q, k, v = rng.standard_normal((3, T, 8))                    # [T, 8]
    out, W = attention(q, k, v, mask=pad)           # [T, 8], [T, T]

    # cross-attention: other numbers where the source has its padding
    Q, K, V = (rng.standard_normal((n, 8)) for n in (4, 3, 3))
    new = np.vstack([K[:2], rng.standard_normal((1, 8))])       # [3, 8]
    newer = np.vstack([V[:2], new[2:]])                         # [3, 8]

    def source_moves(mask: Array | None) -> float:
        change = (attention(Q, K, V, mask=mask)[0]
                  - attention(Q, new, newer, mask=mask)[0])     # [4, 8]
        return float(norm(change, axis=-1).max())

    def looks(mask: str, who: slice, whom: slice) -> float:
        return float(attention(q, k, v, mask=masks[mask])[1][who, whom].max())

    first, second = slice(0, PREFIX), slice(PREFIX, T)
    cross, nobody = masks["cross"], masks["query_stream"][order[0]]
    four = PRINTED["A"][:4]                                     # [4]
    words = [w if i else "<pad>" for w, i in zip(SENTENCE, ids, strict=True)]
    rows = {name: step_by_step(scores, masks["padding"][0], inside)
            for name, scores in PRINTED.items()}
    return {
        "valid": valid, "places": T, "order": list(order),
        "words": words,
        "sentence": list(SENTENCE), "source": list(SOURCE),
        "target": list(TARGET), "four": ["p0", "p1", "p2", "p3"],
        "masks": {name: {"keep": m.astype(int), "ones": int(m.sum()),
                         "empty": np.flatnonzero(~m.any(1))}
                  for name, m in masks.items()},
        "both_allow": int((masks["causal"] & masks["padding"]).sum()),
        "cells": [{"word": word} | {
            name: {step: row[step][i]
                   for step in ("score", "masked", "exp", "weight")}
            for name, row in rows.items()} for i, word in enumerate(words)],
        "rows": {name: {step: row[step] for step in
                        ("total", "sum", "hidden", "blanked_sum")}
                 | {"printed_sum": sum(WEIGHTS[name])}
                 for name, row in rows.items()},
        "padded": {"output_norm": norm(out[valid:], axis=1).mean(),
                   "weight_on_padding": W[:, valid:].max()},
        "source_moves": {"unmasked": source_moves(None),
                         "masked": source_moves(cross if source_mask
                                                else None)},
        "source_mean": {"unmasked": mean_of(cross | True, 10, 20, 99),
                        "masked": mean_of(cross, 10, 20, 99)},
        "shown_is_used": abs(W @ v - out).max(),
        "misread": misread(masks["causal"][:3, :3], read_right),
        "first_in_order": {
            "minus_billion": softmax(np.where(nobody, four, -1e9)),
            "ours": softmax(np.where(nobody, four, -np.inf))},
        "apart": {name: looks(name, second, first)
                  for name in ("causal", "packed")},
        "ahead": {name: looks(name, slice(0, 1), slice(1, PREFIX))
                  for name in ("causal", "prefix")},
        "code": CODE, "torch": TORCH}


MASKS_CONTROLS: dict[str, Any] = {
    "either": partial(draw_masks, either=True),
    "reading_order": partial(draw_masks, order=(0, 1, 2, 3)),
    "on_queries": partial(draw_masks, keys=False),
    "after_softmax": partial(draw_masks, inside=False),
    "source_unmasked": partial(draw_masks, source_mask=False),
    "read_right": partial(draw_masks, read_right=True),
    "plain_causal": partial(draw_masks, plain=True),
}


# --- 2. empty rows and constants ----------------------------------------------

SCORES = np.array([1.2, -0.5, 0.8, 1.1])
HAVE = np.array([10.0, 20.0, 30.0, 40.0])
HALF = np.array([True, True, False, False])
# name: precision, how it is hidden (in place of the score, or added to it)
WAYS: dict[str, tuple[str, str]] = {
    "infinity": ("float64", "infinity"), "replaced": ("float64", "replace"),
    "replaced32": ("float32", "replace"),
    "replaced_b16": ("bfloat16", "replace"),
    "replaced16": ("float16", "replace"), "lowest16": ("float16", "lowest"),
    "lowest16_twice": ("float16", "twice"), "added": ("float64", "add"),
    "ours": ("float64", "ours")}


def as_kind(x: Any, kind: str) -> Array:
    """x in that precision; a bfloat16 is a float32 of 8 significant bits."""
    if kind != "bfloat16":
        return np.array(x).astype(kind)
    bits = np.array(x).astype(np.float32).view(np.uint32)
    odd = (bits >> 16) & 1                          # ties go to the even one
    return ((bits + 0x7FFF + odd) & 0xFFFF0000).view(np.float32)


def plain_softmax(x: Array) -> Array:
    """As it stands in the textbook, in whatever precision x has; [n]."""
    e = np.exp(x - x.max())                                     # [n]
    return e / e.sum()                                          # [n]


def hide_row(scores: Array, keep: Array, how: str, constant: float,
             kind: str) -> tuple[Array, float]:
    """Weights of one row [n], and what stands where a score is hidden."""
    if how == "ours":
        return softmax(np.where(keep, scores, -np.inf)), -np.inf
    x = as_kind(scores, kind)                                   # [n]
    lowest = -np.finfo(np.float16).max
    c = as_kind({"infinity": -np.inf, "lowest": lowest,
                 "twice": lowest}.get(how, constant), kind)
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
      ways.{infinity,replaced,replaced32,replaced_b16,replaced16,lowest16,
        lowest16_twice,added,ours}.{kind,nan,fits,weights[4],sum,value,hidden}
      lowest16 largest_hidden ways_count
    """
    found: Metrics = {}
    nobody = np.zeros(4, dtype=bool)                            # [4]
    for name, (kind, how) in WAYS.items():
        kind = "float64" if wide else kind
        how = "ours" if boolean else how
        if name == "ours" and not guard:
            how = "infinity"
        with np.errstate(all="ignore"):
            row, written = hide_row(SCORES, nobody, how, constant, kind)
            half, _ = hide_row(SCORES, HALF, how, constant, kind)
        row, half = (r.astype(np.float64) for r in (row, half))     # [4]
        none = bool(np.isnan(row).any())
        found[name] = {
            "kind": kind, "nan": none, "fits": bool(np.isfinite(written)),
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
ARMS = ("full", "causal", "blanked")


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
                    renormalise: bool = True) -> Metrics:
    """50 draws: words n x 64, standard normal, and three maps, even in
    -1/8 .. 1/8, as a library's layer begins. The loss is the sum of out.

    Leaves:
      words runs width names[n] gone  gone: the share of links hidden
      {full,causal,blanked}.{mean,std}  d loss / d X; blanked after softmax
      {full,causal}.{influence[n,n],from_the_future}  [output, input]
      by_word[n].{name,{full,causal,blanked}.{received,gradient}}  a column
      last.{full,causal,blanked}  the gradient at the last word
      larger visible.{seen[10],words,mean,half}  larger: draws, causal > full
    """
    rng, n, d = np.random.default_rng(seed), words, WIDTH
    X = rng.standard_normal((RUNS, n, d))                       # [50, n, d]
    P = rng.uniform(-1, 1, (3, RUNS, d, d)) / np.sqrt(d)     # [3, 50, d, d]
    open_, ones = np.ones((n, n), dtype=bool), np.ones((n, n))
    mask = causal_mask(n) if masked else open_                  # [n, n]
    arms = {"full": (open_, ones), "blanked": (open_, mask.astype(float))}
    arms["causal"] = (mask, ones) if renormalise else arms["blanked"]
    found: Metrics = {}
    names = [f"w{i + 1}" for i in range(n)]
    by_word: list[Metrics] = [{"name": name} for name in names]
    norms = {}
    for name in ARMS:
        m, after = arms[name]
        grad = attend_backward(X, P, m, after, np.ones((RUNS, n, d)))
        A = attend_forward(X, P, m, after)[3] * after        # [50, n, n]
        norms[name] = norm(grad, axis=(1, 2))                   # [50]
        found[name] = {"mean": norms[name].mean(),
                       "std": norms[name].std(ddof=1)}
        for i, word in enumerate(by_word):
            word[name] = {"received": A[..., i].sum(-1).mean(),
                          "gradient": norm(grad[:, i], axis=-1).mean()}
        if name != "blanked":
            felt = influence(X[0], P[:, 0], m, after)           # [n, n]
            found[name] |= {"influence": felt,
                            "from_the_future": np.triu(felt, 1).max()}
    seen = causal_mask(SEEN).sum(1)                             # [10]
    last = {name: by_word[-1][name]["gradient"] for name in ARMS}
    return {"words": n, "runs": RUNS, "width": d, "names": names, **found,
            "gone": 1 - causal_mask(n).mean(),
            "larger": int((norms["causal"] > norms["full"]).sum()),
            "by_word": by_word, "last": last,
            "visible": {"seen": seen, "words": SEEN, "mean": seen.mean(),
                        "half": SEEN / 2}}


GRADIENT_CONTROLS: dict[str, Any] = {
    "no_mask": partial(follow_gradient, masked=False),
    "no_renormalising": partial(follow_gradient, renormalise=False),
}


# --- 4. the open-book exam ----------------------------------------------------

BOOKS = ("closed_book", "open_book")
WALKS, SHOWN = 64, 10
PLACES = (2, 5, 8, 11)                  # where a state is hidden
SIDES = ("both", "left", "right")


def log_softmax(x: Array) -> Array:
    """Logarithms of softmax along the last axis; same shape."""
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def loss(logits: Array, said: Array) -> float:
    """Mean surprise in nats: logits [.., V], said [..] the true ids."""
    chances = np.take_along_axis(log_softmax(logits), said[..., None], -1)
    return float(-chances.mean())


def beyond_best(logits: Array, odds: Array) -> float:
    """What a model loses to one that knows the chain, in nats on average.

    logits [.., V], odds [.., 8]: the true chances of the state that is asked
    for. No state is drawn, so this is exact in every context it is given.
    """
    said = log_softmax(logits)[..., :odds.shape[-1]]
    return float((odds * (np.log(odds) - said)).sum(-1).mean())


def chain_facts() -> Metrics:
    """What nobody can beat, from the table alone: no walk is drawn."""
    table, odds = tasks.chain_table(), np.array(tasks.CHAIN_ODDS)
    two = table @ table                     # [8, 8]: two steps at once
    entropy = -(odds * np.log(odds)).sum()  # of every row alike
    after_two = -(two[0] * np.log(two[0])).sum()
    n, s = len(table), 3
    return {"entropy": entropy, "chance": np.log(n), "states": n,
            "likeliest": odds.max(), "rarest": odds.min(),
            "repeats": np.diag(table).mean(),
            "example": {"state": s, "next": int(table[s].argmax()),
                        "sum": 3 * s + tasks.CHAIN_STEPS[0]},
            # hidden, both sides given: H(x, right | left) - H(right | left);
            # columns hold the odds of rows: either side tells as much
            "best": {"both": 2 * entropy - after_two, "left": entropy,
                     "right": entropy}}


def odds_of_hidden(walks: Array) -> dict[str, Array]:
    """True chances of the states at PLACES, by what may be seen; [64, 4, 8]."""
    table = tasks.chain_table()
    left, right = (walks[:, np.array(PLACES) + i] for i in (-1, 1))  # [64, 4]
    ahead, back = table[left], table.T[right]                   # [64, 4, 8]
    both = ahead * back
    return {"both": both / both.sum(-1, keepdims=True), "left": ahead,
            "right": back}


def write(model: GPT, walks: Array, rng: np.random.Generator) -> Metrics:
    """The first state given, the rest drawn from what the model says."""
    ids = walks[:, :1]                                          # [64, 1]
    for _ in range(walks.shape[1] - 1):
        odds = np.exp(log_softmax(model.run(ids).logits[:, -1]))  # [64, V]
        draw = rng.random((len(ids), 1))
        new = (draw > odds.cumsum(-1)).sum(-1)[:, None]         # [64, 1]
        ids = np.hstack([ids, np.minimum(new, odds.shape[1] - 1)])
    return told(ids)


def told(texts: Array) -> Metrics:
    """How often a text repeats itself; the start of its second walk."""
    return {"repeats": (texts[:, 1:] == texts[:, :-1]).mean(),
            "text": " ".join(map(str, texts[1, :SHOWN]))}


def sit_exam(model: GPT, walks: Array, rng: np.random.Generator) -> Metrics:
    """The next state: in view, in view of noise, and from the prefix alone."""
    T, table = walks.shape[1], tasks.chain_table()
    writes = write(model, walks, rng)
    noise = rng.integers(len(table), size=walks.shape)          # [64, 16]
    prefix = np.stack([model.run(walks[:, :t]).logits[:, -1]
                       for t in range(1, T)], axis=1)          # [64, 15, V]
    in_view, in_noise = (
        loss(model.run(text).logits[:, :-1], text[:, 1:])
        for text in (walks, noise))
    return {"in_view": in_view, "in_noise": in_noise, "writes": writes,
            "honest": chain_facts()["entropy"]
            + beyond_best(prefix, table[walks[:, :-1]])}


def guess_hidden(model: GPT, walks: Array, right: bool = True) -> Metrics:
    """A state hidden, one place at a time; then also all on one side."""
    T, odds, best = walks.shape[1], odds_of_hidden(walks), chain_facts()["best"]
    said: dict[str, list[Array]] = {side: [] for side in SIDES}
    for t in PLACES:
        for side, hide in (("both", [t] if right else range(t, T)),
                           ("left", range(t, T)), ("right", range(t + 1))):
            ids = walks.copy()                                  # [64, 16]
            ids[:, list(hide)] = tasks.HIDDEN
            said[side].append(model.run(ids).logits[:, t])      # [64, V]
    return {side: best[side]
            + beyond_best(np.stack(said[side], axis=1), odds[side])
            for side in SIDES}


def exam_results(models: dict[str, GPT], seed: int,
                 right: bool = True) -> Metrics:
    """All that is measured of one seed's models; the record's too."""
    rng = np.random.default_rng([6, seed])
    walks, _ = tasks.named("chain")(rng, WALKS)                 # [64, 16]
    return {name: sit_exam(model, walks, rng) if name in BOOKS
            else guess_hidden(model, walks, right)
            for name, model in models.items()}


def hide_two_ways(model: GPT, walks: Array, shut: bool = True) -> Metrics:
    """Place 8 hidden behind the mask token, or from all looks, or not at all.

    Its state is exchanged: how far does what the model says move, and where?
    """
    t, new = 8, walks.copy()
    new[:, t] = (new[:, t] + 1) % tasks.CHAIN_STATES            # [64, 16]

    def close(scores: Array) -> Array:                  # [64, h, 16, 16]
        scores[..., t] = -np.inf
        return scores

    layers = range(model.cfg.n_layer)
    found: Metrics = {}
    for name in ("shown", "token", "mask"):
        texts = [walks.copy(), new.copy()]
        if name == "token":
            for text in texts:
                text[:, t] = tasks.HIDDEN
        patch = {f"{l}.scores": close for l in layers} \
            if name == "mask" and shut else None
        one, two = (model.run(text, patch, trace=True) for text in texts)
        change = abs(one.logits - two.logits).max((0, 2))       # [16]
        looked = np.stack(one.maps(model.cfg.n_layer))  # [L, 64, h, 16, 16]
        found[name] = {
            "weight": np.delete(looked[..., t], t, axis=-1).mean(),
            "itself": change[t], "elsewhere": np.delete(change, t).max()}
    return found


def the_record(swap: str, right: bool) -> Metrics:
    """Five trainings, read from a record; swap and right as below."""
    shown = recipes.named("open_book").seed
    seen = [{"seed": one["seed"]}
            | {name: one[swap or name]["honest"] for name in BOOKS}
            | {"hidden_words": one["hidden_words"]["both" if right else "left"],
               "seen_words": one["seen_words"]["both"]}
            for one in records.read("open_book")["seeds"]]
    opened = [one["open_book"] for one in seen]
    chance = float(np.log(tasks.CHAIN_STATES))
    return {"seeds": len(seen), "rows": seen,
            "copiers": sum(x > chance for x in opened),
            "lowest_open": min(opened),
            "highest_closed": max(s["closed_book"] for s in seen),
            "highest_hidden": max(s["hidden_words"] for s in seen),
            "lowest_seen": min(s["seen_words"] for s in seen),
            "shown": shown,
            "place": 1 + sum(x < opened[shown] for x in opened)}


def trained(name: str) -> GPT:
    """A model of part 4."""
    recipe = recipes.named(name)
    return GPT(recipe.config, model_cache.load(recipe))


# what transformers' GPT-2 does (random weights, no cache): how far earlier
# scores move when later tokens change; how many tokens max_length=10 gives;
# the words of the sentence that the notes print (000:598)
LIBRARY = {"transformers": "5.24.0", "later": 0.0, "given": 10, "printed": 8}


def open_book_exam(seed: int, swap: str = "", right: bool = True,
                   asked_seen: bool = False, shut: bool = True) -> Metrics:
    """Small models on walks they have not seen. Controls: swap names the
    model that sits both exams; right: may the third see the right side;
    asked_seen: the third was asked for states it could see.

    Leaves:
      chain.{entropy,chance,states,likeliest,rarest,repeats}  nats, as below
      chain.{example.{state,next,sum},best.{both,left,right}}
      {closed_book,open_book}.{in_view,in_noise,honest,writes.{repeats,text}}
      true.{repeats,text} hidden_words.{both,left,right}
      seen_words.{both,left,right}  from the record, the shown seed
      hiding.{shown,token,mask}.{weight,itself,elsewhere}
      walks length parameters contexts
      record.{seeds,copiers,lowest_open,highest_closed,highest_hidden,
        lowest_seen,shown,place}  place: of the shown seed, by open_book
      record.rows[5].{seed,closed_book,open_book,hidden_words,seen_words}
      switch.{cache,later}  largest change of a logit of the closed book
      library.{transformers,later,given,printed}  kept as data
    """
    models = {name: trained(swap if swap and name in BOOKS else name)
              for name in (*BOOKS, "hidden_words")}
    closed, hidden = models["closed_book"], models["hidden_words"]
    text = np.tile(np.arange(8), 2)[None]                       # [1, 16]
    new = np.hstack([text[:, :8], text[:, 7::-1]])              # [1, 16]
    run, later = closed.run(text).logits, closed.run(new).logits
    cache, kept = closed.new_cache(), run           # [1, 16, 8] each
    if closed.cfg.causal:               # one word at a time, the rest kept
        kept = np.hstack([closed.run(word, cache=cache).logits
                          for word in np.hsplit(text, text.size)])
    walks, _ = tasks.named("chain")(np.random.default_rng([6, seed]), WALKS)
    found = exam_results(models, seed, right)
    shown = recipes.named("open_book").seed
    seen = records.read("open_book")["seeds"][shown]["seen_words"]
    if asked_seen:
        found["hidden_words"] = seen
    return found | {
        "chain": chain_facts(), "true": told(walks), "seen_words": seen,
        "hiding": hide_two_ways(hidden, walks, shut),
        "walks": WALKS, "length": closed.cfg.context,
        "contexts": WALKS * len(PLACES),
        "parameters": sum(w.size for w in closed.w.values()),
        "record": the_record(swap, right), "library": LIBRARY,
        "switch": {"cache": abs(run - kept).max(),
                   "later": abs(run - later)[:, :8].max()}}


EXAM_CONTROLS: dict[str, Any] = {
    "mask_on": partial(open_book_exam, swap="closed_book"),
    "mask_off": partial(open_book_exam, swap="open_book"),
    "one_side": partial(open_book_exam, right=False),
    "asked_seen": partial(open_book_exam, asked_seen=True),
    "not_shut": partial(open_book_exam, shut=False),
}
