"""The heads behind demo 08: trained in parts 1 and 2, drawn in parts 3, 4 and 5.

Part 1 asks four shipped networks for two answers, part 2 two networks what "it" is; both
look, cut edges, put heads to zero, and count the same in the recorded trainings. Part 3
counts numbers from shapes, part 4 singular values of one draw beside twenty recorded ones,
part 5 shares keys and values and compares with heads that do not share.

Longer than 450 lines because there are five parts, and in two of them a patch, a look and a
count over seeds are needed for each sentence.
"""

from __future__ import annotations

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
from lecture.models.gpt_np import GPT, Patch, combine, cut_edge, init_weights, zero_head
from lecture.models.recipes import GPTConfig, named
from lecture.report import Metrics

Array = np.ndarray


# --- 1. two answers from one place --------------------------------------------

NAMES = "Ada Ben Eva Finn Ida Jon Kim Leo".split()
ASK = len(NAMES)
NETS = ("bare_1", "bare_2", "marked_1", "marked_2")
ROWS, DRAWS, BAR = 200, 8, 0.95
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


def names_only(ids: Array) -> Patch:
    """A patch: each value is the mean over all places its name can bear."""
    def edit(v: Array) -> Array:                              # [B, h, T, w]
        by = v.swapaxes(1, 2)                                 # [B, T, h, w]
        table = np.zeros((ids.max() + 1, *by.shape[2:]))        # [V, h, w]
        table[ids] = by
        mean = table[:-1].reshape(-1, len(NAMES), *by.shape[2:]).mean(0)
        by[:, :-1] = mean[ids[:, :-1] % len(NAMES)]         # [B, T-1, h, w]
        return by.swapaxes(1, 2)
    return {"0.v": edit}


def half_zeroed(rng: np.random.Generator) -> Patch:
    """A patch: half of all the numbers the heads fetched, drawn, become 0."""
    def edit(heads: Array) -> Array:                          # [B, h, T, w]
        count = heads.shape[1] * heads.shape[3]
        keep = rng.permutation(count) >= count // 2             # [h w]
        return heads * keep.reshape(1, heads.shape[1], 1, -1)
    return {"0.heads": edit}


def measure_two(net: GPT, sheet: Sheet, seed: int, cut: bool) -> Metrics:
    """One network: what it answers, where it looks, what each cut costs."""
    ids, rng = sheet[0], np.random.default_rng(seed)
    W = net.run(ids, trace=True).trace["0.weights"][:, :, -1]   # [B, h, T]
    W, asked = W.mean(axis=0), list(tasks.ASKED)                # [h, T]
    whole, heads = shares(net, sheet), range(net.cfg.n_head)
    after = [shares(net, sheet, zero_head(0, h)) if cut and len(heads) > 1
             else whole for h in heads] * (2 // len(heads))
    drawn = [shares(net, sheet, half_zeroed(rng) if cut else None)
             for _ in range(DRAWS)]
    who = min(range(2), key=lambda h: after[h]["who"])
    return {
        **whole, "weights": W, "smaller": W.mean(0)[asked].min(),
        "elsewhere": 1 - W.mean(0)[asked].sum(),
        "same_keys": shares(net, sheet, {
            "0.k": lambda k: np.broadcast_to(k.mean(0), k.shape)}),
        "names_only": shares(net, sheet, names_only(ids) if cut else None),
        "who_head": who + 1, "cut": {"who_head": after[who],
                                     "whom_head": after[1 - who]},
        "half": {k: np.mean([d[k] for d in drawn]) for k in whole},
        "own": max(after[who]["who"], after[1 - who]["whom"]),
        "other": min(after[who]["whom"], after[1 - who]["who"])}


def ask_for_two(seed: int, pick: Any = None, cut: bool = True) -> Metrics:
    """Four shipped networks measured now, eight trainings each recorded.

    Leaves:
      names places rows bar width trainings draws
      example.{row,right[2],says.{bare_1,bare_2,marked_1,marked_2}[2]}
      now.{bare_1,bare_2,marked_1,marked_2}.{who,whom,both,  shares right
        weights[h,7],smaller,elsewhere,  of the look from "?", [head, place]
        {same_keys,names_only,half,cut.{who_head,whom_head}}.{who,whom,both},
        who_head,own,other}  a head, from 1; left of its answers, the other's
      record.{bare_1,bare_2,marked_1,marked_2}.{low,high,good,even,apart,first,
        runs[8]}
    """
    kept, picked = records.read("heads_seeds")["two"], pick or {}
    rng = np.random.default_rng(seed)
    row = rng.permutation(len(NAMES))[:6]                       # [6]
    now: Metrics = {}
    record: Metrics = {}
    says: Metrics = {}
    for name in NETS:
        chosen = picked.get(name, name)
        recipe = named(f"two_{chosen}")
        net = GPT(recipe.config, model_cache.load(recipe))
        now[name] = measure_two(net, two_sheet(chosen, seed), seed, cut)
        marks = ASK * np.arange(6) * ("marked" in chosen)
        ids = np.append(row + marks, recipe.config.vocab_size - 2 * ASK - 1)
        said = both_said(net, ids[None])[:, 0] - recipe.config.vocab_size
        says[name] = [NAMES[i] for i in said % len(NAMES)]
        runs = kept[chosen]
        record[name] = {
            "low": min(r["both"] for r in runs),
            "high": max(r["both"] for r in runs),
            "good": sum(r["both"] >= BAR for r in runs),
            "even": sum(min(r["both"] - 0.8, r["smaller"] - 0.3) >= 0
                        for r in runs),
            "apart": sum(r["own"] <= 0.5 < r["other"] for r in runs),
            "first": sum(r["who_head"] == 1 for r in runs),
            "runs": [r["both"] for r in runs]}
    return {"names": len(NAMES), "places": len(row), "rows": ROWS,
            "bar": BAR, "width": recipe.config.width,
            "trainings": len(runs), "example": {
                "row": " ".join(NAMES[i] for i in row), "says": says,
                "right": [NAMES[row[i]] for i in tasks.ASKED]},
            "draws": DRAWS, "now": now, "record": record}


TWO_ANSWERS_CONTROLS: dict[str, Any] = {
    "marked": partial(ask_for_two, pick={"bare_1": "marked_1"}),
    "bare": partial(ask_for_two, pick={"marked_1": "bare_1"}),
    "one_head": partial(ask_for_two, pick={"bare_2": "bare_1"}),
    "uncut": partial(ask_for_two, cut=False),
}


# --- 2. what "it" stands for --------------------------------------------------

WORDS = tasks.PRONOUN_WORDS
SAID = ("<doc> the cat sat on the mat because it was tired",
        "<doc> the cat sat on the mat because it was soft")
IT, REASON = tasks.IT, tasks.REASON
NOTED = {"The": 0.0, "cat": 0.7, "sat": 0.0, "on": 0.0, "the": 0.0, "mat": 0.0,
         "because": 0.0, "it": None, "was": 0.0, "tired": 0.2}
SENTENCES = 150


def to_ids(text: str) -> Array:
    return np.array([WORDS.index(w) for w in text.split()])


def pronoun_sheet(name: str, seed: int) -> Metrics:
    """Sentences [B, T]: the right answer [B], the places of the nouns [B]."""
    data = named(name).data
    ids, mask, told = tasks.named(data.task)(
        np.random.default_rng(seed), SENTENCES, **dict(data.sizes))
    animal = np.isin(ids, to_ids(" ".join(tasks.ANIMALS))).argmax(1)
    thing = np.isin(ids, to_ids(" ".join(tasks.THINGS))).argmax(1)
    alive = np.isin(ids[:, REASON], to_ids(" ".join(tasks.OF_ANIMALS)))
    return {"ids": ids, "answer": told[:, 0], "at": int(mask[0].argmax()),
            "meant": np.where(alive, animal, thing), "alive": alive,
            "other": np.where(alive, thing, animal)}


def right(net: GPT, s: Metrics, patch: Patch | None = None) -> Array:
    """[B] booleans: the noun that is meant comes out on top."""
    logits = net.run(s["ids"], patch).logits[:, s["at"]]        # [B, V]
    return logits.argmax(-1) == s["answer"]


def cut_all(net: GPT, query: Any, keys: list[Any], on: bool) -> Patch:
    """A patch: in every head of every layer, query may not look at keys."""
    return combine([cut_edge(l, None, query, k) for l in
                    range(net.cfg.n_layer) for k in keys if on])


def mute(place: int) -> Patch:
    """A patch: heads may look at the place, but what they fetch there is 0."""
    def edit(v: Array) -> Array:                              # [B, h, T, w]
        v[:, :, place] = 0.0
        return v
    return {"0.v": edit}


def measure_it(net: GPT, s: Metrics, seed: int, cut: bool) -> Metrics:
    """What "it" looks at, and what each cut leaves of the right answers."""
    rng, B = np.random.default_rng(seed), np.arange(len(s["ids"]))
    last, heads = net.cfg.n_layer - 1, range(net.cfg.n_head)
    trace = net.run(s["ids"], trace=True).trace
    rows = np.stack([trace[f"{l}.weights"][:, :, IT]
                     for l in range(last + 1)])               # [L, B, h, T]
    free = [i for i in range(1, IT) if i not in (2, 3, 4, 6)]
    places = {"meant": s["meant"], "other": s["other"], "reason": REASON,
              "elsewhere": rng.choice(free, len(B))}
    nouns, after = [s["meant"], s["other"]], max(s["at"], REASON)
    cuts = {k: (IT, [p]) for k, p in places.items()} | {
        "reason_and_other": (IT, [REASON, s["other"]]), "nouns": (IT, nouns),
        "reason_nouns": (REASON, nouns), "last_nouns": (after, nouns)}
    zeroed = [right(net, s, zero_head(last, h) if cut else None)
              for h in heads]
    kinds = [{"animals": z[s["alive"]].mean(),
              "things": z[~s["alive"]].mean()} for z in zeroed]
    first = min(heads, key=lambda h: kinds[h]["animals"])
    mine = np.where(s["alive"], first, 1 - first)               # [B] a head
    half = [right(net, s, half_zeroed(rng) if cut else None).mean()
            for _ in range(DRAWS)]
    W = rows[-1]                                                # [B, h, T]
    return {
        "whole": right(net, s).mean(),
        "cut": {k: right(net, s, cut_all(net, q, keys, cut)).mean()
                for k, (q, keys) in cuts.items()},
        "mute": right(net, s, mute(REASON) if cut else None).mean(),
        "looks": {k: rows.mean((0, 2))[B, p].mean()
                  for k, p in places.items()},
        "largest": rows[:, B, :, s["meant"]].mean(0).max(),
        "reason_seen": rows[..., REASON].max(),
        "own": W[B, mine, s["meant"]].mean(),
        "rest": W[B, 1 - mine, REASON].mean(),
        "animals_head": first + 1,
        "zeroed": {"animals_head": kinds[first],
                   "things_head": kinds[1 - first]},
        "half": np.mean(half)}


def resolve_it(seed: int, trained: bool = True, cut: bool = True,
               pick: Any = None) -> Metrics:
    """Two networks: one sees the whole sentence, one only what came before.

    Leaves:
      sentences words[11] trainings animals score_moved
      shown[2].{reason,it,row[2,11]}  what "it" says; [head, place]
      nets.{pronoun,pronoun_causal}.{whole,mute,half,  shares right; so cut,
        cut.{meant,other,reason,elsewhere,reason_and_other,nouns,reason_nouns,
        last_nouns},zeroed.{animals_head,things_head}.{animals,things},  zeroed
        looks.{meant,other,reason,elsewhere},largest,reason_seen,own,rest,
        animals_head,record.{meant,other,reason,mute,rest,nouns,late,apart}}
      noted.{row[10],words[10],sum,missing}
    """
    kept, found, picked = records.read("heads_seeds"), {}, pick or {}
    nets: dict[str, GPT] = {}
    for key in ("pronoun", "pronoun_causal"):
        name = picked.get(key, key)
        recipe, s = named(name), pronoun_sheet(name, seed)
        weights = (model_cache.load(recipe) if trained
                   else init_weights(recipe.config))
        nets[key] = GPT(recipe.config, weights)
        now = measure_it(nets[key], s, seed, cut)
        runs = (kept[name] if trained and cut and not pick
                else [now] * len(kept[name]))
        hits = {"meant": [r["cut"]["meant"] <= 0.3 for r in runs],
                "other": [r["cut"]["other"] >= 0.95 for r in runs],
                "reason": [r["cut"]["reason"] <= 0.7 for r in runs],
                "mute": [r["mute"] >= 0.95 for r in runs],
                "rest": [r["rest"] >= 0.8 for r in runs],
                "nouns": [r["cut"]["nouns"] >= 0.95 for r in runs],
                "late": [r["cut"]["reason_nouns"] <= 0.7 for r in runs],
                "apart": [max(r["zeroed"]["animals_head"]["animals"],
                              r["zeroed"]["things_head"]["things"]) <= 0.4
                          and min(r["zeroed"]["animals_head"]["things"],
                                  r["zeroed"]["things_head"]["animals"]) >= 0.9
                          for r in runs]}
        found[key] = {**now, "record": {k: sum(h) for k, h in hits.items()}}
    shown = []
    for text in SAID:
        run = nets["pronoun"].run(to_ids(text)[None], trace=True)
        shown.append({"reason": text.split()[-1], "it": WORDS[int(
            run.logits[0, IT].argmax())],
            "row": run.trace["0.weights"][0, :, IT]})           # [h, T]
    scores = [nets["pronoun"].run(to_ids(t)[None], trace=True)
              .trace["0.scores"][0, :, IT, :REASON] for t in SAID]
    return {"sentences": SENTENCES, "words": SAID[0].split(), "shown": shown,
            "score_moved": abs(scores[0] - scores[1]).max(),
            "trainings": len(kept["pronoun"]), "animals": len(tasks.ANIMALS),
            "nets": found,
            "noted": {"row": list(NOTED.values()), "words": list(NOTED),
                      "sum": sum(w for w in NOTED.values() if w),
                      "missing": 1 - sum(w for w in NOTED.values() if w)}}


PRONOUN_CONTROLS: dict[str, Any] = {
    "untrained": partial(resolve_it, trained=False),
    "uncut": partial(resolve_it, cut=False),
    "sees_all": partial(resolve_it, pick={"pronoun_causal": "pronoun"}),
}


# --- 3. the arithmetic --------------------------------------------------------

D, H, HEAD = 512, 8, 64


def counts(width: int, heads: int, groups: int | None = None,
           head: int | None = None, bias: bool = False) -> Metrics:
    """Numbers in the matrices of one attention layer, by their shapes."""
    cfg = GPTConfig(1, 1, n_layer=1, n_head=heads, n_kv_head=groups,
                    head=head, width=width, mlp=False, norm="none",
                    positions="none", bias=bias)
    size = {n.removeprefix("blocks.0.attn."): int(np.prod(shape))
            for n, shape in cfg.tensor_shapes().items() if ".attn." in n}
    out = sum(n for name, n in size.items() if name.startswith("out"))
    return {"qkv": sum(size.values()) - out, "out": out,
            "total": sum(size.values())}


def run_heads(x: Array, M: dict[str, Array], h: int) -> tuple[Array, Array]:
    """x [n, d] through h heads cut from the same matrices -> [n, d], maps."""
    q, k, v = (split_heads(x @ M[c], h) for c in "qkv")         # [h, n, d/h]
    out, W = attention(q, k, v)                                # [h, n, d/h]
    return merge_heads(out) @ M["o"], W                         # [n, d]


def count_heads(heads: int, seed: int, w_o: bool = True,
                head: int | None = None, split: bool = True) -> Metrics:
    """The same matrices as one head and as many; width is 64 x heads.
    Drawn: 16 words, four matrices, standard normal / sqrt(width).

    Leaves:
      width heads head words slice slices  slice: Q, K and V of one head
      {one,many}.{qkv,out,total} with_bias ratio compared
      maps.{one,many} moved  moved: change / size of the output
      noted.{qkv,total,ratio,short}
    """
    d, rng = HEAD * heads, np.random.default_rng(seed)
    one = counts(d, 1)
    if not w_o:
        one = {"qkv": one["qkv"], "out": 0, "total": one["qkv"]}
    many = counts(d, heads, head=head)
    x = rng.standard_normal((16, d))                            # [n, d]
    M = dict(zip("qkvo", rng.standard_normal((4, d, d)) / np.sqrt(d),
                 strict=True))
    (a, A), (b, B) = (run_heads(x, M, h)
                      for h in (1, heads if split else 1))
    return {
        "width": d, "heads": heads, "head": HEAD, "words": len(x),
        "one": one, "many": many, "ratio": many["total"] / one["total"],
        "slice": d * HEAD * 3, "slices": d * HEAD * 3 * heads,
        "with_bias": counts(d, heads, bias=True)["total"],
        "compared": many["total"] / one["qkv"],
        "maps": {"one": A.size, "many": B.size},
        "moved": np.linalg.norm(a - b) / np.linalg.norm(a),
        "noted": {"qkv": 786304, "total": 1048448, "ratio": 1.3,
                  "short": d * HEAD * 3 * heads - 786304}}


ARITHMETIC_CONTROLS: dict[str, Any] = {
    "no_w_o": partial(count_heads, w_o=False),
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


def singular(X: Array) -> Array:
    return np.linalg.svd(X, compute_uv=False)                   # [.., n]


def rank(s: Array, n: int) -> int:
    """How many singular values exceed the largest times n epsilon."""
    return int((s > s[..., :1] * n * np.finfo(s.dtype).eps).sum())


def spectra(tokens: int, head: int, seed: int, heads: int = 8,
            copies: bool = False, soft: bool = True, identity: bool = False,
            wide: bool = False, diagonal: bool = True) -> Metrics:
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
    mask = causal_mask(tokens, offset=None if diagonal else -1)
    W = softmax(S) if soft else S                               # [h, n, n]
    W = np.broadcast_to(np.eye(tokens), S.shape) if identity else W
    causal = softmax(np.where(mask, S[0], -np.inf)) if soft else S[0] * mask
    s, w = singular(S[0]), singular(W[0])                       # [n]
    w32 = singular(W.astype(np.float32))                        # [h, n]
    fetched = W @ v                                             # [h, n, d]
    thin = softmax(attention_scores(q[0, :, :4], k[0, :, :4]))  # [n, n]
    energy = w ** 2 / (w ** 2).sum()                            # [n]
    return {
        "scores": {"rank": rank(s, tokens), "last": s[head - 1],
                   "next": s[head]},
        "softmax": {"rank": rank(w, tokens), "largest": w[0],
                    "smallest": w[-1], "energy": energy[:head].sum(),
                    "effective": np.exp(entropy(w / w.sum()))},
        "single": {"rank": rank(w32[0], tokens),
                   "above": int((w32[0] > 1e-5).sum())},
        "double_above": int((w > 1e-5).sum()),
        "causal": rank(singular(causal), tokens),
        "causal_diagonal": causal.diagonal().min(),
        "by_cut": {name: int((w > c).sum()) for name, c in CUTS.items()},
        "sum": sum(rank(row, tokens) for row in w32),
        "one_output": rank(singular(fetched[0]), tokens),
        "all_outputs": rank(singular(merge_heads(fetched)), tokens),
        "thin": {"scores": rank(singular(q[0, :, :4] @ k[0, :, :4].T), tokens),
                 "softmax": rank(singular(thin), tokens)}}


def count_ranks(seed: int, **off: Any) -> Metrics:
    """One draw measured now, twenty recorded; the notes' small matrices.

    Leaves:
      tokens head heads draws cuts.{high,middle}
      now.{scores.{rank,last,next},single.{rank,above},double_above,
        softmax.{rank,largest,smallest,energy,effective},
        causal,causal_diagonal,by_cut.{high,middle},sum,one_output,all_outputs,
        thin.{scores,softmax}}
      record.{scores,softmax,four_rules}  draws: rank head, tokens, tokens
      record.{last,next,smallest,thin,effective.{mean,low,high}}
      record.{causal,high,middle,sum}[2]  least and most
      four.{rank,singular[4],det} three.{ranks[2],sum}
      noted.{single,eight,bound,four[2]}
    """
    tokens, head = 128, 64
    now = spectra(tokens, head, seed, **off)
    runs = records.read("heads_ranks")["runs"] if not off else [now] * 20
    full = [r["softmax"]["rank"] == r["single"]["rank"] == r["single"]["above"]
            == r["double_above"] == tokens for r in runs]
    s = singular(FOUR)
    effective = [r["softmax"]["effective"] for r in runs]
    return {
        "tokens": tokens, "head": head, "heads": 8, "cuts": CUTS, "now": now,
        "draws": len(runs), "record": {
            "scores": sum(r["scores"]["rank"] == head for r in runs),
            "softmax": sum(r["softmax"]["rank"] == tokens for r in runs),
            "four_rules": sum(full),
            "causal": [f(r["causal"] for r in runs) for f in (min, max)],
            "last": min(r["scores"]["last"] for r in runs),
            "next": max(r["scores"]["next"] for r in runs),
            "smallest": min(r["softmax"]["smallest"] for r in runs),
            "effective": {"mean": np.mean(effective), "low": min(effective),
                          "high": max(effective)},
            "high": [f([r["by_cut"]["high"] for r in runs])
                     for f in (min, max)],
            "middle": [f([r["by_cut"]["middle"] for r in runs])
                       for f in (min, max)],
            "sum": [f([r["sum"] for r in runs]) for f in (min, max)],
            "thin": min(r["thin"]["softmax"] for r in runs)},
        "four": {"rank": rank(s, 4), "singular": s, "det": np.linalg.det(FOUR)},
        "three": {"ranks": [rank(singular(A), 3) for A in TWO_HEADS],
                  "sum": sum(rank(singular(A), 3) for A in TWO_HEADS)},
        "noted": {"single": 54, "eight": 115, "four": [2, 3], "bound": 64}}


RANKS_CONTROLS: dict[str, Any] = {
    "wide": partial(count_ranks, wide=True),
    "no_softmax": partial(count_ranks, soft=False),
    "identity": partial(count_ranks, identity=True),
    "no_diagonal": partial(count_ranks, diagonal=False),
    "copies": partial(count_ranks, copies=True),
    "one_head": partial(count_ranks, heads=1),
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


def share_groups(seed: int, order: str = "each", shared: bool = True,
                 forget: bool = False) -> Metrics:
    """Drawn: 16 words of width 512, q and o, then k and v of every size.

    Leaves:
      width heads head words kept fewer smaller
      rows.{g8,g4,g2,g1}.{groups,heads_each,parameters,share,
        cache,cache_share,bytes,  numbers a token; bytes for all tokens kept
        unlike_full,step_unlike}  largest differences
      values[2] paired.{each,block}[4]
    """
    rng, rows = np.random.default_rng(seed), {}
    x = rng.standard_normal((16, D))                            # [n, d]
    Q, O = rng.standard_normal((2, D, D)) / np.sqrt(D)          # [d, d]
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
        n = counts(D, H, groups=g)["total"]
        rows[f"g{asked}"] = {
            "groups": asked, "heads_each": H // asked, "parameters": n,
            "share": n / counts(D, H)["total"], "cache": size,
            "cache_share": size / (2 * D), "bytes": size * 2 * KEPT,
            "unlike_full": abs(out - full_heads(x, M, owner)).max(),
            "step_unlike": abs(last - out[-1:]).max()}
    values = np.array([10.0, 20.0])[:, None, None]              # [2, 1, 1]
    q, k = np.zeros((4, 1, 1)), np.zeros((2, 1, 1))
    ours, _ = attention(q, k, values)                           # [4, 1, 1]
    K, V = (np.tile(a, (2, 1, 1)) for a in (k, values))         # [4, 1, 1]
    turn, _ = attention(q, K, V)
    each, block = (a.ravel().tolist() for a in (ours, turn))
    return {"width": D, "heads": H, "head": HEAD, "words": len(x),
            "kept": KEPT, "rows": rows, "fewer": 1 - rows["g1"]["share"],
            "smaller": 1 / rows["g1"]["cache_share"], "values": [10, 20],
            "paired": {"each": each if order == "each" else block,
                       "block": block}}


GROUPS_CONTROLS: dict[str, Any] = {
    "own_keys": partial(share_groups, shared=False),
    "block": partial(share_groups, order="block"),
    "forget": partial(share_groups, forget=True),
}
