"""The heads behind demo 08: trained in parts 1 and 2, drawn in parts 3, 4 and 5.

Part 1 asks four shipped networks for two answers, part 2 two networks what "it" is; both
look, replace what is fetched, forbid looks, and read the same of eight recorded trainings.
Part 3 counts numbers from shapes, part 4 singular values of one draw beside twenty recorded
ones, part 5 shares keys and values and compares with heads that have copies.

Longer than 450 lines because there are five parts, and in two of them a patch, a look and a
count over seeds are needed for each sentence.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from attention_np import (
    attention,
    attention_scores,
    causal_mask,
    entropy,
    extend_cache,
    merge_heads,
    softmax,
    split_heads,
)
from lecture import records
from lecture.data import tasks
from lecture.models import cache as model_cache
from lecture.models.gpt_np import GPT, Patch, combine, cut_edge, zero_head
from lecture.models.recipes import GPTConfig, named
from lecture.report import Metrics

Array = np.ndarray


def half_zeroed(rng: np.random.Generator, layer: int = 0) -> Patch:
    """A patch: half of all the numbers the heads fetched, drawn, become 0."""
    def edit(heads: Array) -> Array:                          # [B, h, T, w]
        count = heads.shape[1] * heads.shape[3]
        keep = rng.permutation(count) >= count // 2             # [h w]
        return heads * keep.reshape(1, heads.shape[1], 1, -1)
    return {f"{layer}.heads": edit}


# --- 1. two answers from one place --------------------------------------------

NAMES = "Ada Ben Eva Finn Ida Jon Kim Leo".split()
ASK = len(NAMES)
NETS = ("bare_1", "bare_2", "marked_1", "marked_2")
ROWS, DRAWS, ALL, FEW = 200, 8, 0.95, 0.3
Sheet = tuple[Array, Array]             # ids [B, T], right answers [2, B]


def two_sheet(net: str, seed: int) -> Sheet:
    """Fresh rows of the task, each once, with both answers."""
    data = named(f"two_{net}").data
    ids, mask, told = tasks.named(data.task)(
        np.random.default_rng(seed), 2 * ROWS, **dict(data.sizes))
    return ids[::2], told[:, -1].reshape(-1, 2).T               # [2, B]


def both_said(net: GPT, ids: Array, patch: Patch | None = None) -> Array:
    """Who and whom, read from the one output at "?": [2, B] ids."""
    first = net.cfg.vocab_size - 2 * len(NAMES)
    logits = net.run(ids, patch).logits[:, -1, first:]          # [B, 2 n]
    two = logits.reshape(len(ids), 2, -1).argmax(-1).T          # [2, B]
    return first + two + len(NAMES) * np.arange(2)[:, None]     # [2, B]


def shares(net: GPT, sheet: Sheet, patch: Patch | None = None) -> Metrics:
    """Share of rows with the right who, the right whom, and both."""
    right = both_said(net, sheet[0], patch) == sheet[1]         # [2, B]
    return {"who": right[0].mean(), "whom": right[1].mean(),
            "both": right.all(axis=0).mean()}


def no_mark(ids: Array, what: str) -> Patch:
    """A patch: each key (value) is the mean over the marks of its name."""
    def edit(a: Array) -> Array:                              # [B, h, T, w]
        by = a.swapaxes(1, 2)                                 # [B, T, h, w]
        table = np.zeros((ids.max() + 1, *by.shape[2:]))        # [V, h, w]
        table[ids] = by
        mean = table[:-1].reshape(-1, len(NAMES), *by.shape[2:]).mean(0)
        by[:, :-1] = mean[ids[:, :-1] % len(NAMES)]         # [B, T-1, h, w]
        return by.swapaxes(1, 2)
    return {f"0.{what}": edit}


def measure_two(net: GPT, sheet: Sheet, seed: int,
                half: bool = False) -> Metrics:
    """What it answers, where it looks, what each head is for.

    half: zero a random half of what is fetched where a head would be.
    """
    ids, rng = sheet[0], np.random.default_rng(seed)
    W = net.run(ids, trace=True).trace["0.weights"][:, :, -1]   # [B, h, T]
    W = W.mean(axis=0)[:, list(tasks.ASKED)]                    # [h, 2]
    whole, heads = shares(net, sheet), range(net.cfg.n_head)
    drawn = [shares(net, sheet, half_zeroed(rng)) for _ in range(DRAWS)]
    mean = {k: np.mean([d[k] for d in drawn]) for k in whole}
    after = [mean if half else shares(net, sheet, zero_head(0, h))
             for h in heads]
    who = min(heads, key=lambda h: after[h]["who"])
    cut = {"who_head": after[who], "whom_head": after[heads[-1] - who]}
    return {
        **whole, "better": max(whole["who"], whole["whom"]),
        "worse": min(whole["who"], whole["whom"]),
        "smaller": W.min() if len(W) == 1 else None,
        "looks": {f"L0H{h}": {n: W[h, i] if h < len(W) else None
                              for i, n in enumerate(("who", "whom"))}
                  for h in range(2)},
        "no_mark": {n: shares(net, sheet, no_mark(ids, n[0]))["both"]
                    for n in ("keys", "values")},
        "who_head": who, "cut": {"whole": whole, **cut, "half": mean}}


def evened(net: GPT, sheet: Sheet) -> Metrics:
    """Half the weight on each of the two places, then exchange the names."""
    ids, asked = sheet[0], list(tasks.ASKED)
    mark = ids[:, asked] // ASK * ASK                           # [B, 2]
    turned = ids.copy()
    turned[:, asked] = ids[:, asked[::-1]] % ASK + mark

    def even(S: Array) -> Array:                              # [B, h, T, T]
        S[:, :, -1] = -np.inf
        S[:, :, -1, asked] = 0.0
        return S
    a, b = (both_said(net, x, {"0.scores": even}) for x in (ids, turned))
    return {"other": (a != b).any(axis=0).mean()}


def apart(m: Metrics) -> bool:
    """Without a head its own question is lost and the other kept."""
    who, whom = m["cut"]["who_head"], m["cut"]["whom_head"]
    return (max(who["who"], whom["whom"]) <= 0.5
            < min(who["whom"], whom["who"]))


def ask_for_two(seed: int, pick: Any = None, half: bool = False) -> Metrics:
    """Four shipped networks measured now, eight trainings each recorded.

    Leaves:
      places rows width trainings draws chance all few
      example.{row,right[2]}
      now.{bare_1,bare_2,marked_1,marked_2}.{who,whom,both,  shares right
        better,worse,smaller,looks.{L0H0,L0H1}.{who,whom},who_head,
        no_mark.{keys,values},  both right, the mark wiped there
        cut.{whole,who_head,whom_head,half}.{who,whom,both}}
      even.{bare_1,marked_1}.other  share of the answers that change
      record.{bare_1,bare_2,marked_1,marked_2}.{who[8],whom[8],both[8],
        smaller[8],shown,low,high,one_only,even,apart,first,values_more}
    """
    kept, picked = records.read("heads_seeds")["two"], pick or {}
    rng = np.random.default_rng(seed)
    row = rng.permutation(len(NAMES))[:6]                       # [6]
    now: Metrics = {}
    even: Metrics = {}
    record: Metrics = {}
    for name in NETS:
        chosen = picked.get(name, name)
        recipe = named(f"two_{chosen}")
        net = GPT(recipe.config, model_cache.load(recipe))
        sheet = two_sheet(chosen, seed)
        now[name] = measure_two(net, sheet, seed, half)
        if name in ("bare_1", "marked_1"):
            even[name] = evened(net, sheet)
        runs = kept[chosen]
        record[name] = {
            **{k: [r[k] for r in runs]
               for k in ("who", "whom", "both", "smaller")},
            "shown": recipe.seed + 1,
            "low": min(r["both"] for r in runs),
            "high": max(r["both"] for r in runs),
            "one_only": sum(r["worse"] <= FEW and r["better"] >= ALL
                            for r in runs),
            "even": sum(r["both"] >= ALL and (r["smaller"] or 0) >= FEW
                        for r in runs),
            "apart": sum(apart(r) for r in runs),
            "first": sum(r["who_head"] == 0 for r in runs),
            "values_more": sum(r["no_mark"]["values"] < r["no_mark"]["keys"]
                               for r in runs)}
    return {"places": len(row), "rows": ROWS, "width": recipe.config.width,
            "trainings": len(runs), "draws": DRAWS, "chance": 1 / len(NAMES),
            "all": ALL, "few": FEW, "example": {
                "row": " ".join(NAMES[i] for i in row),
                "right": [NAMES[row[i]] for i in tasks.ASKED]},
            "now": now, "even": even, "record": record}


TWO_ANSWERS_CONTROLS: dict[str, Any] = {
    "marked": partial(ask_for_two, pick={"bare_1": "marked_1"}),
    "bare": partial(ask_for_two, pick={"marked_1": "bare_1"}),
    "one_head": partial(ask_for_two, pick={"bare_2": "bare_1"}),
    "half": partial(ask_for_two, half=True),
}


# --- 2. what "it" stands for --------------------------------------------------

WORDS = tasks.PRONOUN_WORDS
SAID = ("<doc> the cat sat on the mat because it was tired",
        "<doc> the cat sat on the mat because it was soft")
IT, REASON = tasks.IT, tasks.REASON
NOTED = {"The": 0.0, "cat": 0.7, "sat": 0.0, "on": 0.0, "the": 0.0, "mat": 0.0,
         "because": 0.0, "it": None, "was": 0.0, "tired": 0.2}
NAMED = (0.85, 0.02, 0.05, 0.01, 0.03, 0.02, 0.01, 0.01)     # of the pronoun
SENTENCES = 150


def to_ids(text: str) -> Array:
    return np.array([WORDS.index(w) for w in text.split()])


OWN = np.arange(len(WORDS))             # id -> the word itself
NEXT, TURNED = OWN.copy(), OWN.copy()   # -> the next noun of its kind;
for kind in (tasks.ANIMALS, tasks.THINGS):      # an adjective of the other
    NEXT[to_ids(" ".join(kind))] = np.roll(to_ids(" ".join(kind)), -1)
FIT, UNFIT = (to_ids(" ".join(k)) for k in (tasks.OF_ANIMALS, tasks.OF_THINGS))
TURNED[FIT], TURNED[UNFIT] = UNFIT, FIT


def pronoun_sheet(name: str, seed: int) -> Metrics:
    """Sentences [B, T]: the right answer [B], the places of the nouns [B]."""
    data = named(name).data
    ids, mask, told = tasks.named(data.task)(
        np.random.default_rng(seed), SENTENCES, **dict(data.sizes))
    animal = np.isin(ids, to_ids(" ".join(tasks.ANIMALS))).argmax(1)
    thing = np.isin(ids, to_ids(" ".join(tasks.THINGS))).argmax(1)
    alive = np.isin(ids[:, REASON], FIT)
    return {"ids": ids, "answer": told[:, 0], "at": int(mask[0].argmax()),
            "meant": np.where(alive, animal, thing), "alive": alive,
            "other": np.where(alive, thing, animal)}


def said(net: GPT, s: Metrics, patch: Patch | None = None) -> Array:
    """The word on top where the answer is due: [B] ids."""
    return net.run(s["ids"], patch).logits[:, s["at"]].argmax(-1)


def right(net: GPT, s: Metrics, patch: Patch | None = None) -> Array:
    return said(net, s, patch) == s["answer"]                   # [B]


def blind(net: GPT, queries: Any, keys: Any) -> Patch:
    """A patch: in every head of every layer queries may not look at keys."""
    return combine([cut_edge(l, None, q, k) for l in range(net.cfg.n_layer)
                    for q in queries for k in keys])


def mute(place: int) -> Patch:
    """A patch: heads may look at the place, but what they fetch there is 0."""
    def edit(v: Array) -> Array:                              # [B, h, T, w]
        v[:, :, place] = 0.0
        return v
    return {"0.v": edit}


def handed(net: GPT, s: Metrics, what: str, place: Any, word: Array) -> Patch:
    """A patch: keys (values) of a place, from the sentence with word there."""
    B = np.arange(len(s["ids"]))
    ids = s["ids"].copy()
    ids[B, place] = word[ids[B, place]]
    theirs = net.run(ids, trace=True).trace[f"0.{what}"]      # [B, h, T, w]

    def edit(a: Array) -> Array:                              # [B, h, T, w]
        a[B, :, place] = theirs[B, :, place]
        return a
    return {f"0.{what}": edit}


def measure_seen(net: GPT, s: Metrics, seed: int, own: bool = False,
                 half: bool = False) -> Metrics:
    """The network that sees all: what "it" fetches from noun and adjective.

    own: every place hands over its own; half: see measure_two.
    """
    B, heads, rng = np.arange(len(s["ids"])), range(2), np.random.default_rng(
        seed)
    after, turn = (OWN, OWN) if own else (NEXT, TURNED)
    W = net.run(s["ids"], trace=True).trace["0.weights"][:, :, IT]  # [B,h,T]
    noun = s["ids"][B, s["meant"]]                              # [B] ids
    new = said(net, s, handed(net, s, "v", s["meant"], after))  # [B] ids
    key = combine([handed(net, s, "k", REASON, turn), mute(REASON)])
    drawn = np.mean([right(net, s, half_zeroed(rng)) for _ in range(DRAWS)],
                    axis=0)                                     # [B]
    zeroed = [drawn if half else right(net, s, zero_head(0, h))
              for h in heads]                                   # [B] each
    kinds = [{"animals": z[s["alive"]].mean(),
              "things": z[~s["alive"]].mean()} for z in (*zeroed, drawn)]
    first = min(heads, key=lambda h: kinds[h]["animals"])
    mine = np.where(s["alive"], first, 1 - first)               # [B] a head
    return {
        "whole": right(net, s).mean(), "noun": (new == NEXT[noun]).mean(),
        "other": right(net, s, handed(
            net, s, "v", s["other"], after)).mean(),
        "content": right(net, s, mute(REASON)).mean(),
        "key": (said(net, s, key) == s["ids"][B, s["other"]]).mean(),
        "own": W[B, mine, s["meant"]].mean(),
        "cut": {k: right(net, s, blind(net, [IT], [p])).mean() for k, p in (
            ("meant", s["meant"]), ("other", s["other"]), ("reason", REASON))},
        "zeroed": {"animals_head": kinds[first],
                   "things_head": kinds[1 - first], "half": kinds[2]}}


def measure_past(net: GPT, s: Metrics, swapped: bool = False) -> Metrics:
    """The network that sees the past: which words must see the nouns?

    it: "it" alone; early: "it" and the word after; late: the adjective and
    the place of the answer. swapped: early and late change places.
    """
    trace = net.run(s["ids"], trace=True).trace
    rows = np.stack([trace[f"{l}.weights"] for l in range(net.cfg.n_layer)])
    nouns, B = [s["meant"], s["other"]], np.arange(len(s["ids"]))
    places = {"it": [IT], "early": [IT, IT + 1], "late": [REASON, s["at"]]}
    if swapped:
        places = {**places, "early": places["late"], "late": places["early"]}
    found: Metrics = {"whole": right(net, s).mean(),
                      "reason": rows[:, :, :, IT, REASON].max()}
    for name, queries in places.items():
        on = np.sum([rows[:, B, :, q, k] for q in queries for k in nouns],
                    axis=0)                                   # [B, L, h]
        found[name] = {                         # both nouns together
            "seen": (on.mean(axis=0) / len(queries)).max(),
            "left": right(net, s, blind(net, queries, nouns)).mean()}
    return found


def resolve_it(seed: int, pick: Any = None, own: bool = False,
               half: bool = False, swapped: bool = False) -> Metrics:
    """Two networks: one sees the whole sentence, one only what came before.

    Leaves:
      sentences animals trainings chance all
      shown.{words[11],rows[4],map[4,11],answers[2],reasons[2]}
      seen.{whole,noun,other,content,key,own,  noun, key: follow
        cut.{meant,other,reason},
        zeroed.{animals_head,things_head,half}.{animals,things}}
      past.{whole,reason,{it,early,late}.{seen,left}}
      record.seen.{noun[8],content[8],key[8],own[8],apart}
      record.past.{it[8],early[8],late[8],seen[8],unmoved}
      noted.{sum,meant,reason,named[8],named_sum}
    """
    kept, picked = records.read("heads_seeds"), pick or {}
    nets, sheets = {}, {}
    for key in ("pronoun", "pronoun_causal"):
        name = picked.get(key, key)
        recipe, sheets[key] = named(name), pronoun_sheet(name, seed)
        nets[key] = GPT(recipe.config, model_cache.load(recipe))
    past = measure_past(nets["pronoun_causal"], sheets["pronoun_causal"],
                        swapped)
    seen = measure_seen(nets["pronoun"], sheets["pronoun"], seed, own, half)
    rows, answers = [], []
    for text in SAID:
        run = nets["pronoun"].run(to_ids(text)[None], trace=True)
        rows += list(run.trace["0.weights"][0, :, IT])          # [T] each
        answers.append(WORDS[int(run.logits[0, IT].argmax())])
    reasons = [text.split()[-1] for text in SAID]
    runs, late = kept["pronoun"], kept["pronoun_causal"]
    lost = [(r["zeroed"]["animals_head"]["animals"],
             r["zeroed"]["things_head"]["things"],
             -r["zeroed"]["animals_head"]["things"],
             -r["zeroed"]["things_head"]["animals"]) for r in runs]
    sure = [w for w in NOTED.values() if w is not None]
    return {"sentences": SENTENCES, "animals": len(tasks.ANIMALS),
            "trainings": len(runs), "all": ALL,
            "chance": 1 / (len(tasks.ANIMALS) + len(tasks.THINGS)),
            "shown": {"words": [*SAID[0].split()[:-1], "*"], "map": rows,
                      "rows": [f"{w} L0H{h}" for w in reasons for h in (0, 1)],
                      "answers": answers, "reasons": reasons},
            "seen": seen, "past": past, "record": {
                "seen": {k: [r[k] for r in runs]
                         for k in ("noun", "content", "key", "own")} | {
                    "apart": sum(max(a, b) <= 0.5 and max(c, d) <= -ALL
                                 for a, b, c, d in lost)},
                "past": {k: [r[k]["left"] for r in late]
                         for k in ("it", "early", "late")} | {
                    "seen": [r["it"]["seen"] for r in late],
                    "unmoved": sum(r["it"]["left"] >= ALL for r in late)}},
            "noted": {"sum": sum(sure), "meant": NOTED["cat"],
                      "reason": NOTED["tired"],
                      "named": list(NAMED), "named_sum": sum(NAMED)}}


PRONOUN_CONTROLS: dict[str, Any] = {
    "hands_over_its_own": partial(resolve_it, own=True),
    "half": partial(resolve_it, half=True),
    "swapped": partial(resolve_it, swapped=True),
    "sees_all": partial(resolve_it, pick={"pronoun_causal": "pronoun"}),
}


# --- 3. the arithmetic --------------------------------------------------------

D, H, HEAD = 512, 8, 64


def counts(width: int, heads: int, groups: int | None = None,
           head: int | None = None, bias: bool = False,
           mlp: bool = False) -> Metrics:
    """Numbers in the matrices of one layer's attention, by their shapes."""
    cfg = GPTConfig(1, 1, n_layer=1, n_head=heads, n_kv_head=groups,
                    head=head, width=width, mlp=mlp, norm="none",
                    positions="none", bias=bias)
    size = {n.removeprefix("blocks.0."): math.prod(shape)
            for n, shape in cfg.tensor_shapes().items() if "blocks." in n}
    inside = {n: c for n, c in size.items() if n.startswith("attn.")}
    out = sum(n for name, n in inside.items() if name.startswith("attn.out"))
    return {"qkv": sum(inside.values()) - out, "out": out,
            "total": sum(inside.values()), "layer": sum(size.values())}


def run_heads(x: Array, M: dict[str, Array], h: int) -> tuple[Array, Array]:
    """x [n, d] through h heads cut from the same matrices -> [n, d], maps."""
    q, k, v = (split_heads(x @ M[c], h) for c in "qkv")         # [h, n, d/h]
    out, W = attention(q, k, v)                                # [h, n, d/h]
    return merge_heads(out) @ M["o"], W                         # [n, d]


def count_heads(heads: int, seed: int, head: int | None = None,
                split: bool = True) -> Metrics:
    """The same matrices as one head and as many; width is 64 x heads.
    Drawn: 16 words, four matrices, standard normal / sqrt(width).

    Leaves:
      width heads head words slice slices  slice: Q, K and V of one head
      {one,many}.{qkv,out,total,maps} with_bias ratio third
      moved  change / size of the output
      noted.{total,ratio}
    """
    d, rng = HEAD * heads, np.random.default_rng(seed)
    one, many = counts(d, 1), counts(d, heads, head=head)
    x = rng.standard_normal((16, d))                            # [n, d]
    M = dict(zip("qkvo", rng.standard_normal((4, d, d)) / np.sqrt(d),
                 strict=True))
    (a, A), (b, B) = (run_heads(x, M, h)
                      for h in (1, heads if split else 1))
    return {
        "width": d, "heads": heads, "head": HEAD, "words": len(x),
        "one": {k: one[k] for k in ("qkv", "out", "total")} | {"maps": A.size},
        "many": {k: many[k] for k in ("qkv", "out", "total")} | {
            "maps": B.size},
        "ratio": many["total"] / one["total"],
        "third": many["total"] / one["qkv"],
        "slice": d * HEAD * 3, "slices": d * HEAD * 3 * heads,
        "with_bias": counts(d, heads, bias=True)["total"],
        "moved": np.linalg.norm(a - b) / np.linalg.norm(a),
        "noted": {"total": 1048448, "ratio": 1.3}}


ARITHMETIC_CONTROLS: dict[str, Any] = {
    "full_width": lambda heads, seed: count_heads(heads, seed,
                                                  head=HEAD * heads),
    "not_split": partial(count_heads, split=False),
}


# --- 4. ranks -----------------------------------------------------------------

FOUR = np.array([[.7, .2, .05, .05], [.1, .8, .05, .05],        # the notes'
                 [.1, .1, .7, .1], [.1, .1, .1, .7]])
TWO_HEADS = np.array([[[.1, .8, .1], [.4, .1, .5], [.1, .8, .1]],
                      [[.2, .1, .7], [.3, .4, .3], [.7, .1, .2]]])
CUTS = {"high": 0.08, "middle": 0.01}   # what counts as a singular value
NOTED_RANKS = {"four": [2, 3], "drawn": [8, 12, 60, 80], "one": [40, 60],
               "eight": [100, 120], "printed": [54, 115]}
# the notes' program (000:1078-1113) run as printed, torch seeds 0 to 19
RUN = {"draws": 20, "one": 128, "eight": [1022, 1023, 1024],
       "times": [1, 5, 14], "torch": "2.13.0", "python": "3.11.7"}


def singular(X: Array) -> Array:
    return np.linalg.svd(X, compute_uv=False)                   # [.., n]


def rank(s: Array, n: int) -> int:
    """How many singular values exceed the largest times n epsilon."""
    return int((s > s[..., :1] * n * np.finfo(s.dtype).eps).sum())


def spectra(tokens: int, head: int, seed: int, heads: int = 8,
            copies: bool = False, soft: bool = True, identity: bool = False,
            wide: bool = False) -> Metrics:
    """One draw, standard normal: q, k, v [heads, tokens, head] each."""
    rng = np.random.default_rng(seed)
    q, k, v = rng.standard_normal((3, heads, tokens, head))
    if copies:                          # every head is the first one again
        q, k, v = (np.repeat(a[:1], heads, axis=0) for a in (q, k, v))
    if wide:
        q2, k2 = rng.standard_normal((2, heads, tokens, tokens))
        S = attention_scores(q2, k2)                            # [h, n, n]
    else:
        S = attention_scores(q, k)                              # [h, n, n]
    W = softmax(S) if soft else S                               # [h, n, n]
    W = np.broadcast_to(np.eye(tokens), S.shape) if identity else W
    causal = softmax(np.where(causal_mask(tokens), S[0], -np.inf))
    s, w = singular(S[0]), singular(W[0])                       # [n]
    w32 = singular(W.astype(np.float32))                        # [h, n]
    fetched = W @ v                                             # [h, n, d]
    thin = attention_scores(q[0, :, :4], k[0, :, :4])           # [n, n]
    energy = w ** 2 / (w ** 2).sum()                            # [n]
    return {
        "scores": {"rank": rank(s, tokens), "last": s[head - 1],
                   "next": s[head]},
        "softmax": {"rank": rank(w, tokens), "smallest": w[-1],
                    "energy": energy[:head].sum(),
                    "effective": np.exp(entropy(w / w.sum()))},
        "single": {"rank": rank(w32[0], tokens),
                   "above": int((w32[0] > 1e-5).sum())},
        "double_above": int((w > 1e-5).sum()),
        "causal": {"rank": rank(singular(causal), tokens),
                   "diagonal": causal.diagonal().min()},
        "by_cut": {name: int((w > c).sum()) for name, c in CUTS.items()},
        "sum": sum(rank(row, tokens) for row in w32),
        "one_output": {"rank": rank(singular(fetched[0]), tokens)},
        "all_outputs": {"rank": rank(singular(merge_heads(fetched)), tokens)},
        "thin": {"scores": rank(singular(thin), tokens),
                 "rank": rank(singular(softmax(thin)), tokens)}}


def three_words(soft: bool) -> Metrics:
    """Heads of width 1: q = k = 0, 1, 2. One row of scores thrice."""
    q = np.arange(3.0)                                          # [n]
    S = q[:, None] * q                                          # [n, n]
    E = np.exp(S) if soft else S
    return {"words": {f"q{i}": {"q": q[i], "scores": S[i], "exps": E[i]}
                      for i in range(3)},
            "scores_rank": rank(singular(S), 3), "rank": rank(singular(E), 3)}


def count_ranks(seed: int, **off: Any) -> Metrics:
    """One draw measured now, twenty recorded; small matrices beside it.

    Leaves:
      tokens head heads draws cuts.{high,middle}
      now.{scores.{rank,last,next},single.{rank,above},double_above,
        softmax.{rank,smallest,energy,effective},causal.{rank,diagonal},
        by_cut.{high,middle},sum,one_output.rank,all_outputs.rank,
        thin.{scores,rank}}
      record.{scores,softmax,one_output,all_outputs}.as_many  draws
      record.{four_rules,last,next,smallest,thin}
      record.cut.{high,middle,effective}.{now,low,high} record.sum[2]
      example.{words.{q0,q1,q2}.{q,scores[3],exps[3]},scores_rank,rank}
      given.{four,first,second}.rank four.{singular[4],det}
      noted.{four[2],drawn[4],one[2],eight[2],printed[2]}
      ran.{draws,one,eight[3],times[3],torch,python}  kept as data
    """
    tokens, head = 128, 64
    now = spectra(tokens, head, seed, **off)
    runs = records.read("heads_ranks")["runs"] if not off else [now] * 20
    full = [r["softmax"]["rank"] == r["single"]["rank"] == r["single"]["above"]
            == r["double_above"] == tokens for r in runs]
    s = singular(FOUR)
    spread = {"effective": [r["softmax"]["effective"] for r in runs]} | {
        name: [r["by_cut"][name] for r in runs] for name in CUTS}
    here = {"effective": now["softmax"]["effective"], **now["by_cut"]}
    return {
        "tokens": tokens, "head": head, "heads": 8, "cuts": CUTS, "now": now,
        "draws": len(runs), "record": {
            **{what: {"as_many": sum(r[what]["rank"] == now[what]["rank"]
                                     for r in runs)}
               for what in ("scores", "softmax", "one_output", "all_outputs")},
            "four_rules": sum(full),
            "last": min(r["scores"]["last"] for r in runs),
            "next": max(r["scores"]["next"] for r in runs),
            "smallest": min(r["softmax"]["smallest"] for r in runs),
            "thin": min(r["thin"]["rank"] for r in runs),
            "cut": {name: {"now": here[name], "low": min(row),
                           "high": max(row)} for name, row in spread.items()},
            "sum": [f(r["sum"] for r in runs) for f in (min, max)]},
        "example": three_words(off.get("soft", True)),
        "given": {"four": {"rank": rank(s, 4)}} | {
            name: {"rank": rank(singular(A), 3)}
            for name, A in zip(("first", "second"), TWO_HEADS, strict=True)},
        "four": {"singular": s, "det": np.linalg.det(FOUR)},
        "noted": NOTED_RANKS, "ran": RUN}


RANKS_CONTROLS: dict[str, Any] = {
    "wide": partial(count_ranks, wide=True),
    "no_softmax": partial(count_ranks, soft=False),
    "identity": partial(count_ranks, identity=True),
    "copies": partial(count_ranks, copies=True),
}


# --- 5. sharing keys and values -----------------------------------------------

GROUPS = (8, 4, 2, 1)
KEPT = 4096                             # tokens, for the size of a cache


def grouped(x: Array, M: dict[str, Array], order: str = "each",
            cache: Any = None) -> tuple[Array, Any]:
    """x [n, d] -> (out [n, d], cache); M["k"], M["v"] are [d, groups x 64].

    order: query heads 0 1 .. share group 0 ("each"), or every group is
    served in turn ("block", the mistake).
    """
    q = split_heads(x @ M["q"], H)                              # [h, n, 64]
    k, v = (split_heads(x @ M[c], M[c].shape[1] // HEAD) for c in "kv")
    cache = extend_cache(cache, k, v)                           # [g, S, 64]
    mask = causal_mask(len(x), cache[0].shape[1])               # [n, S]
    K, V = cache
    if order == "block":
        K, V = (np.tile(a, (H // len(k), 1, 1)) for a in cache)
    out, _ = attention(q, K, V, mask=mask)                      # [h, n, 64]
    return merge_heads(out) @ M["o"], cache


def full_heads(x: Array, M: dict[str, Array], owner: Array) -> Array:
    """Head by head, none shared: head i has a copy of keys owner[i]."""
    outs = []
    for i, g in enumerate(owner):
        mine, theirs = (slice(HEAD * j, HEAD * j + HEAD) for j in (i, g))
        S = (x @ M["q"][:, mine]) @ (x @ M["k"][:, theirs]).T   # [n, n]
        S = np.where(causal_mask(len(x)), S / np.sqrt(HEAD), -np.inf)
        e = np.exp(S - S.max(axis=1, keepdims=True))            # [n, n]
        outs.append(e / e.sum(1, keepdims=True) @ (x @ M["v"][:, theirs]))
    return np.hstack(outs) @ M["o"]                             # [n, d]


def paired(order: str) -> list[float]:
    """What four query heads fetch from two groups, values 10 and 20."""
    values = np.array([10.0, 20.0])[:, None, None]              # [2, 1, 1]
    q, k = np.zeros((4, 1, 1)), np.zeros((2, 1, 1))
    if order == "block":
        k, values = (np.tile(a, (2, 1, 1)) for a in (k, values))
    out, _ = attention(q, k, values)                            # [4, 1, 1]
    return [float(v) for v in out.ravel()]


def share_groups(seed: int, order: str = "each", shared: bool = True,
                 forget: bool = False) -> Metrics:
    """Drawn: 16 words of width 512, q and o, then k and v of every size.

    Leaves:
      width heads head words kept wide
      rows.{g8,g4,g2,g1}.{groups,parameters,share,
        cache,cache_share,bytes,  numbers a token; bytes for all tokens kept
        unlike_full,step_unlike}  largest differences
      fewer.{attention,layer}  by one group for all
      paired.{each,block}[4]
    """
    rng, rows = np.random.default_rng(seed), {}
    x = rng.standard_normal((16, D))                            # [n, d]
    Q, O = rng.standard_normal((2, D, D)) / np.sqrt(D)          # [d, d]
    whole = counts(D, H, mlp=True)
    for asked in GROUPS:
        g = asked if shared else H
        K, V = rng.standard_normal((2, D, g * HEAD)) / np.sqrt(D)
        M = {"q": Q, "k": K, "v": V, "o": O}
        out, cache = grouped(x, M, order)
        owner = np.arange(H) // (H // g)                        # 0 0 1 1 ..
        held = None
        for t in range(len(x)):                               # word by word
            last, held = grouped(x[t:t + 1], M, order, held)
            if forget and t == 0:
                held = tuple(a[:, :0] for a in held)
        size = sum(a.size for a in cache) // len(x)
        n = counts(D, H, groups=g, mlp=True)
        rows[f"g{asked}"] = {
            "groups": asked, "parameters": n["total"],
            "share": n["total"] / whole["total"], "cache": size,
            "cache_share": size / (2 * D), "bytes": size * 2 * KEPT,
            "unlike_full": abs(out - full_heads(x, M, owner)).max(),
            "step_unlike": abs(last - out[-1:]).max()}
    one = rows["g1"]
    return {"width": D, "heads": H, "head": HEAD, "words": len(x),
            "kept": KEPT, "wide": whole["layer"], "rows": rows,
            "fewer": {"attention": 1 - one["share"],
                      "layer": 1 - n["layer"] / whole["layer"]},
            "paired": {"each": paired(order), "block": paired("block")}}


GROUPS_CONTROLS: dict[str, Any] = {
    "own_keys": partial(share_groups, shared=False),
    "block": partial(share_groups, order="block"),
    "forget": partial(share_groups, forget=True),
}
