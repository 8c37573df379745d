"""The matrices behind demo 05: drawn in parts 1 and 3, trained or set by hand in part 2.

Part 1 changes one query, key or value and draws heads with one matrix or two, over lists
with and without synonyms. Part 2 reads sixty recorded trainings, has the shipped networks
answer fresh rows, hides edges, and sets weights by hand where training found none. Part 3
runs one head step by step for shapes, sums and ranks, and an untrained head often, in
float32, beside a printed table.

Longer than 450 lines because part 2 alone has two tasks, each with cuts of its own, and
its controls let one network play another's part.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, attention_scores, softmax
from lecture import records
from lecture.data import tasks
from lecture.models import cache as model_cache
from lecture.models.gpt_np import GPT
from lecture.models.recipes import GPTConfig, Recipe, named
from lecture.report import Metrics

Array = np.ndarray
D, HEAD = 512, 64                      # a word's vector, one head's vectors


def default_init(rng: np.random.Generator, *shape: int) -> Array:
    """As nn.Linear draws its matrix: even in ±1/sqrt(inputs)."""
    return rng.uniform(-1, 1, shape) / np.sqrt(shape[-2])    # [.., in, out]


# --- 1. three roles -----------------------------------------------------------

BOOKS = ("course", "python", "poems")
WANTED = np.array([[3.0, 1.0, 0.0]])                            # [1, 3]
LABELS = np.array([[2.0, 0, 0], [0, 2, 0], [0, 0, 2]])          # [3, 3]
CONTENTS = np.array([[9.0, 3, 0], [2, 8, 0], [0, 0, 7]])        # [3, 3]
EXCERPT = 5                             # words drawn on the screen
LIKE = 0.8                              # cosine of a word and its synonym
LENGTHS = (0.5, 2.0)                    # how long words are, where lengths differ


def looked_up(own_labels: bool) -> Metrics:
    """Change what is wanted, one label, or one content: what moves?"""
    def look(wanted: Array, labels: Array, contents: Array) -> Any:
        labels = labels if own_labels else contents
        return attention(wanted, labels, contents)  # [1, 3], [1, 3]

    out, W = look(WANTED, LABELS, CONTENTS)
    other, label = WANTED[:, ::-1], LABELS[[1, 1, 2]]        # [1, 3] [3, 3]
    content = CONTENTS + [[0, 0, 5], [0, 0, 0], [0, 0, 0]]      # [3, 3]
    moved = {}
    for name, books in {"query": (other, LABELS, CONTENTS),
                        "key": (WANTED, label, CONTENTS),
                        "value": (WANTED, LABELS, content)}.items():
        new, V = look(*books)
        moved[name] = {"weights": abs(V - W).max(),
                       "output": abs(new - out).max()}
    return {"wanted": WANTED[0], "labels": LABELS, "contents": CONTENTS,
            "scores": (WANTED @ (LABELS if own_labels else CONTENTS).T)[0],
            "weights": W[0], "output": out[0], "moved": moved}


def winners(Y: Array, W_Q: Array, W_K: Array, paired: bool) -> Metrics:
    """Whom does each word look at most: itself, its synonym, another?"""
    best = attention_scores(Y @ W_Q, Y @ W_K).argmax(axis=1)    # [n]
    me = np.arange(len(Y))                                      # [n]
    own, syn = best == me, (best == me ^ 1) & paired            # [n] each
    length = np.linalg.norm(Y, axis=1)                          # [n]
    return {"itself": own.sum(), "synonym": syn.sum(),
            "other": (~own & ~syn).sum(),
            "longer": (length[best] > length)[~own].sum()}


def share_query_key(words: int, seed: int, own: bool = False,
                    grown: bool = True, own_labels: bool = True,
                    even: bool = False) -> Metrics:
    """Query and key from one matrix, or from two; words are drawn vectors.

    Drawn in this order: words, their neighbours, the matrices W_Q, W_K,
    lengths. A list with synonyms has half the words, each beside its own.

    Leaves:
      library.{wanted[3],labels[3,3],contents[3,3],scores[3],weights[3],
        output[3],moved.{query,key,value}.{weights,output}}
      words width head like chance shortest longest
      drawn.{shared,apart}.{default,unit}.{asymmetry,query_spread,
        self_wins,self_weight,near_found}  words, mean weight, words
      lists.{plain,synonyms,lengths,both}.{shared,apart}.{itself,synonym,
        other,longer}  words that look most at whom
      scores.{shared,apart}[5,5] labels[5]
    """
    rng = np.random.default_rng(seed)
    X, noise = rng.standard_normal((2, words, D))               # [n, 512]
    near = LIKE * X + np.sqrt(1 - LIKE**2) * noise              # [n, 512]
    W_Q, W_K = default_init(rng, 2, D, HEAD)                    # [512, 64]
    length = rng.uniform(*LENGTHS, words)[:, None]              # [n, 1]
    length = np.ones_like(length) if even else length
    pairs = np.stack([X, near], axis=1)[:(words + 1) // 2]      # [n/2, 2, D]
    pairs = pairs.reshape(-1, D)[:words]                        # [n, 512]
    place = np.arange(words)                                    # [n]
    drawn: Metrics = {}
    few: Metrics = {}
    kinds = {"plain": X, "synonyms": pairs, "lengths": length * X,
             "both": length * pairs}
    lists: Metrics = {kind: {} for kind in kinds}
    for name, key in {"shared": W_K if own else W_Q, "apart": W_K}.items():
        drawn[name] = {}
        for size, gain in {"default": 1.0,
                           "unit": np.sqrt(3) if grown else 1.0}.items():
            Q, K = gain * X @ W_Q, gain * X @ key               # [n, 64]
            S = attention_scores(Q, K)                          # [n, n]
            A = softmax(S)
            asked = gain * near @ W_Q @ (gain * X @ key).T      # [n, n]
            drawn[name][size] = {
                "asymmetry": abs(S - S.T).max(),
                "self_wins": (A.argmax(axis=1) == place).sum(),
                "self_weight": A.diagonal().mean(),
                "query_spread": Q.std(),
                "near_found": (asked.argmax(axis=1) == place).sum()}
        few[name] = S[:EXCERPT, :EXCERPT]                       # [5, 5]
        for kind, Y in kinds.items():
            paired = kind in ("synonyms", "both")
            lists[kind][name] = winners(Y, W_Q, key, paired)
    return {"library": looked_up(own_labels), "words": words, "width": D,
            "head": HEAD, "like": LIKE, "chance": 1 / words,
            "shortest": LENGTHS[0], "longest": LENGTHS[1],
            "drawn": drawn, "lists": lists, "scores": few,
            "labels": [f"w{i}" for i in range(EXCERPT)]}


ROLES_CONTROLS: dict[str, Any] = {
    "labels_are_contents": partial(share_query_key, own_labels=False),
    "never_shared": partial(share_query_key, own=True),
    "one_size": partial(share_query_key, grown=False),
    "even_lengths": partial(share_query_key, even=True),
}


# --- 2. the four ways of sharing, trained -------------------------------------

CHECKED = 100                           # sequences measured
SOLVED = 0.95                           # share of right words that counts as solved
TIE = 1e-9                              # of the largest score: less is rounding
MAPS = (".q.", ".k.", ".v.")
SHARP, SMALL, LOUD = 4000.0, 0.001, 20.0        # of the weights set by hand
WAYS = ("separate", "shared_kv", "shared_qk", "none")     # which matrices are one
CASES = {                           # case: the ways that are trained for it
    "right": WAYS, "narrow": ("separate", "shared_kv", "shared_qk"),
    "added": ("shared_qk",), "recall": WAYS}
Picked = tuple[str, str]                # (case, way of sharing)


def recipe_of(case: str, way: str) -> Recipe:
    return named(f"qkv_{case}_{way}")


def sheet(case: str, seed: int,
          count: int = CHECKED) -> tuple[Array, Array]:
    """Fresh rows of a task: ids, and where an answer counts; [B, T]."""
    data = recipe_of(case, "shared_qk").data
    rng = np.random.default_rng(seed)
    ids, counts, *_ = tasks.named(data.task)(rng, count, **dict(data.sizes))
    return ids, counts


def solved(net: GPT, ids: Array, counts: Array, patch: Any = None) -> float:
    """Share of right next words where they count."""
    said = net.run(ids, patch).logits.argmax(axis=-1)           # [B, T]
    right = said[:, :-1] == ids[:, 1:]                          # [B, T-1]
    return float(right[counts[:, :-1]].mean())


def hide(layer: int, edges: Array) -> dict[str, Any]:
    """A patch: where edges [B, T, T] is True, the query may not look."""
    return {f"{layer}.scores":
            lambda S: np.where(edges[:, None], -np.inf, S)}   # [B, 1, T, T]


def marked(ids: Array, queries: Array, keys: Array) -> Array:
    """Edges [B, T, T] from queries [B, n] to keys [B, n]."""
    edges = np.zeros((*ids.shape, ids.shape[1]), bool)
    edges[np.arange(len(ids))[:, None], queries, keys] = True
    return edges


def reading_right(net: GPT, ids: Array, counts: Array) -> Metrics:
    """Where the head looks, and what is right with some of it hidden.

    left, right: edges of like weight where a head cannot tell them apart.
    climbs: how often a pair of neighbours scores more than the pair before; the same two
    words at another place are a tie, whichever way they are rounded.
    """
    trace = net.run(ids, trace=True).trace
    S, W = trace["0.scores"][:, 0], trace["0.weights"][:, 0]    # [B, T, T]
    inner = W[:, 1:-1]              # words with a neighbour on both sides
    here = np.arange(ids.shape[1] - 1)[None]                    # [1, T-1]
    here = here.repeat(len(ids), axis=0)                        # [B, T-1]
    right = marked(ids, here, here + 1)                         # [B, T, T]
    left, own = right.swapaxes(1, 2), marked(ids, here, here)
    beside = np.diagonal(S, 1, 1, 2)                            # [B, T-1]
    hidden = {name: solved(net, ids, counts, hide(0, edges))
              for name, edges in {"no_right": right, "no_left": left,
                                  "only_right": left | own}.items()}
    return {
        "left": np.diagonal(inner, 0, 1, 2).mean(),
        "self": np.diagonal(inner, 1, 1, 2).mean(),
        "right": np.diagonal(inner, 2, 1, 2).mean(),
        "asymmetry": abs(S - S.swapaxes(1, 2)).max() / abs(S).max(),
        "right_wins": (W[:, :-1].argmax(axis=-1) == here + 1).mean(),
        "climbs": (np.diff(beside) > TIE * abs(S).max()).mean(),
        "whole": solved(net, ids, counts), **hidden}


def recalling(net: GPT, ids: Array, counts: Array) -> Metrics:
    """Two look-ups in a row: cut one of them at a time."""
    half = ids.shape[1] // 2
    keys = np.arange(0, half, 2)                                # [4]
    asks = keys + half                                          # [4]
    rows = keys[None].repeat(len(ids), 0)                       # [B, 4]
    same = ids[:, asks, None] == ids[:, None, keys]             # [B, 4, 4]
    found = 2 * same.argmax(axis=-1)                            # [B, 4]
    asked = asks[None].repeat(len(ids), 0)                      # [B, 4]
    cuts = {"no_key": (0, rows + 1, rows), "no_first": (0, asked, found),
            "no_value": (1, asked, found + 1)}
    left = {name: solved(net, ids, counts, hide(layer, marked(ids, q, k)))
            for name, (layer, q, k) in cuts.items()}
    return {"whole": solved(net, ids, counts), **left}


def inspected(case: str, net: GPT, seed: int) -> Metrics:
    """What the record keeps of one network beside its score."""
    measure = recalling if case == "recall" else reading_right
    return measure(net, *sheet(case, seed))


def counted(checks: dict[Picked, list[Metrics]]) -> Metrics:
    """In how many recorded trainings is it so?"""
    def needs(edge: str, other: str, runs: list[Metrics]) -> int:
        return sum(r[edge] < 0.5 and r[other] >= SOLVED for r in runs)

    ways = ("separate", "none")
    recall = {way: checks["recall", way] for way in ways}
    alike = checks["right", "shared_qk"]
    return {
        "gap": max((abs(r["left"] - r["right"]) for r in alike),
                   default=None),
        "only_right": min((r["only_right"] for r in alike),
                          default=None),
        "right_wins": sum(r["right_wins"] >= SOLVED
                          for r in checks["added", "shared_qk"]),
        "by_key": {w: needs("no_key", "no_first", recall[w])
                   for w in ways},
        "by_first": {w: needs("no_first", "no_key", recall[w])
                     for w in ways}}


def with_identities(way: str, bare: GPT) -> GPT:
    """The network without matrices, written with them: identities."""
    cfg = recipe_of("recall", way).config
    full = {name: np.eye(*shape) if len(shape) == 2 else np.zeros(shape)
            for name, shape in cfg.tensor_shapes().items()}
    kept = {name: a for name, a in bare.w.items()
            if not any(part in name for part in MAPS)}
    return GPT(cfg, full | kept)


def by_hand(constant: float = 1.0) -> GPT:
    """The narrow K = V network, weights set: say the word on the right.

    Two numbers are key and value at once. Key: (1, 0), the same for all,
    plus a thousandth of the word's point on a circle. RoPE turns it by its
    place, so a query that is (1, 0) turned by one place more fits the key
    on its right best. Other places j fit nearly as well where j - i - 1 is
    near a whole turn: closest 19 = 3 turns + .15, where the score is 1.1 %
    less. A word moves a score by .1 % at most, so the right one leads by
    .9 %: times SHARP / sqrt(2) that is 25, e^25 to one.
    Value: W_O takes (1, 0) away and makes the thousandth large again.
    """
    cfg = recipe_of("narrow", "shared_kv").config
    w = {name: np.ones(shape) if "norm" in name and "weight" in name
         else np.zeros(shape) for name, shape in cfg.tensor_shapes().items()}
    turn = 2 * np.pi * np.arange(cfg.vocab_size) / cfg.vocab_size   # [8]
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)         # [8, 2]
    # the mean of a word's numbers is 0, as the norm wants it
    w["wte.weight"][:, :4] = np.hstack([circle, -circle])           # [8, 32]
    normed = np.sqrt(cfg.width) / 2     # what the norm makes of a point's 1
    w["blocks.0.attn.q.bias"][:] = SHARP * np.cos(1), SHARP * np.sin(1)
    w["blocks.0.attn.k.bias"][:] = constant, 0
    w["blocks.0.attn.k.weight"][:, :2] = np.eye(2) * SMALL / normed
    out = np.vstack([np.eye(2), -np.eye(2)]) * LOUD / SMALL         # [4, 2]
    w["blocks.0.attn.out.weight"][:4] = out
    w["blocks.0.attn.out.bias"][:4] = -constant * out[:, 0]
    return GPT(cfg, w)


def as_named(case: str, way: str) -> Picked:
    return case, way


def never_shared(case: str, way: str) -> Picked:
    return ("right" if case == "added" else case), "separate"


def moved_to(old: str, new: str) -> Any:
    """A control's pick: the networks of one case play another's part."""
    return lambda case, way: (new if case == old else case, way)


def narrowed(case: str, way: str) -> Picked:
    return ("narrow" if case == "right" and way != "none" else case), way


def share_and_train(seed: int, pick: Any = as_named,
                    constant: float = 1.0) -> Metrics:
    """Five recorded trainings each; shipped and hand-set networks, now.

    Leaves:
      width out parameters.{separate,shared_kv,shared_qk,none}
      seeds checked bar at_least stream chance
      record.{{right,recall}.{separate,shared_kv,shared_qk,none},
        narrow.{separate,shared_kv,shared_qk},added.shared_qk}.{mean,low,high,
        solved,runs[5]}  share right
      looks.{right_{separate,shared_kv,shared_qk,none},added_shared_qk}.{left,
        self,right,asymmetry,right_wins,climbs,whole,no_right,no_left,
        only_right}
      looks.recall_{separate,shared_kv,shared_qk,none}.{whole,no_key,no_first,
        no_value}  share right, edges cut
      counted.{gap,right_wins,only_right,{by_key,by_first}.{separate,
        none}}  recorded trainings
      {heads,steps}.{right,narrow,added,recall} symbols length
      held.{by_hand,no_constant,separate,shared_qk}  share right, weights set
    """
    kept = records.read("qkv_seeds")
    nets: dict[Picked, GPT] = {}
    checks: dict[Picked, list[Metrics]] = {}
    record: Metrics = {case: {} for case in CASES}
    looks: Metrics = {}
    for case, way in [(c, w) for c, ways in CASES.items() for w in ways]:
        recipe = recipe_of(*pick(case, way))
        net = nets[case, way] = GPT(recipe.config, model_cache.load(recipe))
        if case != "narrow":
            looks[f"{case}_{way}"] = inspected(case, net, seed)
        runs = kept["models"][recipe.name]
        checks[case, way] = kept["checks"].get(recipe.name, [])
        record[case][way] = {
            "mean": np.mean(runs), "low": min(runs), "high": max(runs),
            "solved": sum(r >= SOLVED for r in runs), "runs": runs}
    plan = recipe_of("right", "separate").config
    narrow = sheet("narrow", seed)
    held = {way: solved(with_identities(way, nets["recall", "none"]),
                        *sheet("recall", seed))
            for way in ("separate", "shared_qk")}
    return {
        "width": D, "out": HEAD, "seeds": kept["seeds"],
        "checked": CHECKED, "bar": SOLVED, "at_least": kept["seeds"] - 1,
        "parameters": matrix_sizes(), "record": record,
        "looks": looks, "counted": counted(checks), "stream": plan.width,
        "symbols": plan.vocab_size, "length": plan.context,
        "chance": 1 / plan.vocab_size,
        "heads": {case: recipe_of(case, "shared_qk").config.head_width
                  for case in CASES},
        "steps": {case: recipe_of(case, "shared_qk").training.steps
                  for case in CASES},
        "held": {"by_hand": solved(by_hand(constant), *narrow),
                 "no_constant": solved(by_hand(0.0), *narrow), **held}}


def matrix_sizes() -> dict[str, int]:
    """Parameters in the matrices of one head, 512 to 64, without bias."""
    plan = GPTConfig(1, 1, n_layer=1, n_head=1, width=D, bias=False)
    sizes = {}
    for way in WAYS:
        head = None if way == "none" else HEAD
        cfg = dataclasses.replace(plan, qkv=way, head=head)
        sizes[way] = sum(rows * D for _, rows in cfg.projections())
    return sizes


SHARING_CONTROLS: dict[str, Any] = {
    "narrowed": partial(share_and_train, pick=narrowed),
    "widened": partial(share_and_train, pick=moved_to("narrow", "right")),
    "turned": partial(share_and_train, pick=moved_to("added", "right")),
    "never_shared": partial(share_and_train, pick=never_shared),
    "no_constant": partial(share_and_train, constant=0.0),
}


# --- 3. one head: shapes, sums, ranks -----------------------------------------

NOTED = (0.2, 1.0, 0.7)              # printed as the weights of three words
BATCH, N, MANY = 2, 5, 256
# the notes' four classes (000:261-289), run as printed
CODE = {"classes": 4, "fail": 3, "raised": "AttributeError",
        "returned": "None", "torch": "2.13.0", "python": "3.11.7"}


def follow_shapes(count: int, gain: float, seed: int, axis: int = -1,
                  one: bool = False, beside: bool = False,
                  normalise: bool = True, softened: float = 1.0,
                  copies: int = 0) -> Metrics:
    """One head, step by step; its rank; and a printed matrix of weights.

    Drawn in this order: W_Q, W_K, W_V, W_O, the batch, the many words.

    Leaves:
      shapes.{{x,q,k_turned,scores,weights,out,joined}[3],{w_q,w_o}[2]}
      sums.{row_error,column_low,column_high,whole,in_a_row}
      noted.{given[3],weights[3],shares[3],sum,softmax_sum}
      ranks.{words,stacked,separate,single,after_w_o}
      alike.{q_k,q_v,k_v}  mean cosine of a word's two vectors
      code.{classes,fail,raised,returned,torch,python}  kept as data
      forged.{count,words,first[5,5],labels[5]}  the first run's weights
      forged.printed.{weights[5,5],low,high,span,spread,row_error,scores}
      forged.runs.{span.{mean,min,max},spread,scores.{mean,min},as_flat}
      forged.histogram.{bins,runs}[8]  of the spans
    """
    rng = np.random.default_rng(seed)
    Ws = default_init(rng, 3, D, HEAD)                        # [3, 512, 64]
    W_O = default_init(rng, HEAD, D)                            # [64, 512]
    x = rng.standard_normal((BATCH, N, D))                     # [2, 5, 512]
    many = rng.standard_normal((MANY, D))                       # [256, 512]
    W_Q, W_K, W_V = Ws[[0, 0, 0]] if one else Ws                # [512, 64]
    Q, K, V = x @ W_Q, x @ W_K, x @ W_V                         # [2, 5, 64]
    S = attention_scores(Q, K)                                  # [2, 5, 5]
    A = softmax(S, axis=axis)                                   # [2, 5, 5]
    out = A @ V                                                 # [2, 5, 64]
    steps = {"x": x, "w_q": W_Q, "q": Q, "k_turned": K.swapaxes(1, 2),
             "scores": S, "weights": A, "out": out, "w_o": W_O,
             "joined": out @ W_O}
    rows, columns = A.sum(axis=-1), A.sum(axis=-2)             # [2, 5] each

    made = [many @ W for W in (W_Q, W_K, W_V)]              # [256, 64] each
    fetched, _ = attention(*made)                               # [256, 64]
    separate = np.hstack(made) if beside else fetched
    single, _ = attention(*[many @ W_Q] * 3)                    # [256, 64]
    rank = np.linalg.matrix_rank
    weights = softmax(NOTED) if normalise else np.array(NOTED)      # [3]

    def cosine(a: Array, b: Array) -> float:
        norms = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
        return float(((a * b).sum(axis=-1) / norms).mean())

    return {
        "shapes": {name: list(a.shape) for name, a in steps.items()},
        "sums": {"row_error": abs(rows - 1).max(),
                 "column_low": columns.min(),
                 "column_high": columns.max(), "whole": A[0].sum(),
                 "in_a_row": A.shape[-1]},
        "noted": {"given": list(NOTED), "sum": sum(NOTED),
                  "weights": weights, "softmax_sum": weights.sum(),
                  "shares": np.array(NOTED) / sum(NOTED)},
        "ranks": {"words": MANY, "stacked": rank(np.hstack(list(Ws))),
                  "separate": rank(separate), "single": rank(single),
                  "after_w_o": rank(fetched @ W_O)},
        "alike": {"q_k": cosine(made[0], made[1]),
                  "q_v": cosine(made[0], made[2]),
                  "k_v": cosine(made[1], made[2])},
        "code": CODE, "forged": run_often(count, gain, seed, softened, copies)}


# --- can this matrix have come out of that code? ------------------------------

PRINTED = np.array([
    [.1823, .2154, .1932, .2011, .2080], [.2234, .1876, .1943, .2001, .1946],
    [.1987, .2123, .1854, .2067, .1969], [.2056, .1932, .2098, .1876, .2038],
    [.1943, .2011, .2087, .1989, .1970]])
EDGES = [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 1.0]
BLOCK = 5                           # runs at a time: they stay in the cache


def spread_of_scores(W: Array) -> Array:
    """Weights tell their scores, up to a constant a row: their spread."""
    logs = np.log(W)                                            # [.., 5, 5]
    return (logs - logs.mean(axis=-1, keepdims=True)).std(axis=(-2, -1))


def run_often(count: int, gain: float, seed: int, softened: float,
              copies: int) -> Metrics:
    """The weights of an untrained head, often: new words, new matrices.

    In float32, as the notes' torch.  A 32-bit whole number, read with its
    sign, is an even draw from ±2^31: the matrices are used as they come
    from the generator, and Q and K are scaled afterwards.  SFC64, because
    it is the quickest.
    """
    bits = np.random.SFC64(seed)
    words = np.random.Generator(bits)
    unit = np.float32(gain / 2**31 / np.sqrt(D))
    W = np.empty((count, N, N))                                 # [n, 5, 5]
    for at in range(0, count, BLOCK):
        n = min(BLOCK, count - at)
        x = words.standard_normal((n, N, D), dtype=np.float32) # [n, 5, 512]
        raw = bits.random_raw(n * D * HEAD).view(np.int32)      # 2 a draw
        W_QK = raw.astype(np.float32).reshape(n, D, 2 * HEAD)
        QK = x @ W_QK * unit                                   # [n, 5, 128]
        S = attention_scores(QK[..., :HEAD], QK[..., HEAD:])    # [n, 5, 5]
        W[at:at + n] = softmax(S * softened)
    W[:copies] = PRINTED
    printed, span = np.ptp(PRINTED), np.ptp(W, axis=(1, 2))     # [n]
    scores = spread_of_scores(W)                                # [n]
    return {
        "count": count, "words": N, "printed": {
            "weights": PRINTED, "low": PRINTED.min(), "high": PRINTED.max(),
            "span": printed, "spread": PRINTED.std(),
            "row_error": abs(PRINTED.sum(axis=1) - 1).max(),
            "scores": spread_of_scores(PRINTED)},
        "first": W[0], "labels": [f"w{i}" for i in range(N)],
        "runs": {"span": {"mean": span.mean(), "min": span.min(),
                          "max": span.max()},
                 "spread": W.std(axis=(1, 2)).mean(),
                 "scores": {"mean": scores.mean(), "min": scores.min()},
                 "as_flat": (span <= printed + 1e-4).sum()},
        "histogram": {"bins": [f"{a:.2f}-{b:.2f}" for a, b in
                               zip(EDGES, EDGES[1:], strict=False)],
                      "runs": np.histogram(span, EDGES)[0]}}


SHAPES_CONTROLS: dict[str, Any] = {
    "columns": partial(follow_shapes, axis=-2),
    "side_by_side": partial(follow_shapes, beside=True),
    "one_matrix": partial(follow_shapes, one=True),
    "not_normalised": partial(follow_shapes, normalise=False),
    "softened": partial(follow_shapes, softened=0.1),
    "copied": partial(follow_shapes, copies=20),
}
