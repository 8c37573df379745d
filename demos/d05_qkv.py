"""Why does a word need a query, a key and a value, and what if they share a matrix?

A word is looked up by its key, looks with its query, and hands over its value: the same
vector through three matrices.  Part 1 takes the roles apart, and shares the matrix of
query and key; part 2 trains the four ways of sharing on two tasks; part 3 follows the
shapes, ranks and sums of one head; part 4 asks whether a printed matrix of weights can
have come out of the code beside it.

Unlike demo 04: the vectors that are compared are made by matrices, drawn in parts 1, 3
and 4, trained in part 2.  Left out: masks (06), how RoPE marks places (07), what several
heads share and split (08).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, attention_scores, softmax
from demos.errata.e05 import ERRATA
from lecture import model_cache, records, tasks
from lecture.gpt_np import GPT, init_weights
from lecture.recipes import GPTConfig, Recipe, named
from lecture.report import (
    Bars,
    Block,
    Claim,
    Column,
    HeatMap,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
    close,
    exact,
)

Array = np.ndarray
D, HEAD = 512, 64                      # a word's vector, one head's vectors
ARITHMETIC = close("deterministic float64: only the order of additions may differ")
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-11)


def default_init(rng: np.random.Generator, *shape: int) -> Array:
    """As nn.Linear draws its matrix: even in ±1/sqrt(inputs)."""
    return rng.uniform(-1, 1, shape) / np.sqrt(shape[-2])    # [.., in, out]


# --- 1. three roles -----------------------------------------------------------

BOOKS = ("course", "python", "poems")
WANTED = np.array([[3.0, 1.0, 0.0]])                            # [1, 3]
LABELS = np.array([[2.0, 0, 0], [0, 2, 0], [0, 0, 2]])          # [3, 3]
CONTENTS = np.array([[9.0, 3, 0], [2, 8, 0], [0, 0, 7]])        # [3, 3]
EXCERPT = 5                             # words drawn on the screen
LIKE = 0.8                              # cosine of a word and its neighbour


def library(own_labels: bool) -> Metrics:
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
    return {"weights": W[0], "output": out[0], "moved": moved}


def share_query_key(words: int, lift: float, seed: int, own: bool = False,
                    grown: bool = True, own_labels: bool = True,
                    weigh: Any = softmax) -> Metrics:
    """Query and key from one matrix, or from two; words are drawn vectors.

    Drawn in this order: words, their neighbours, the matrices W_Q, W_K.
    """
    rng = np.random.default_rng(seed)
    X, noise = rng.standard_normal((2, words, D))               # [n, 512]
    near = LIKE * X + np.sqrt(1 - LIKE**2) * noise              # [n, 512]
    W_Q, W_K = default_init(rng, 2, D, HEAD)                    # [512, 64]
    place = np.arange(words)                                    # [n]
    drawn: Metrics = {}
    few: Metrics = {}
    for name, key in {"shared": W_K if own else W_Q, "apart": W_K}.items():
        drawn[name] = {}
        for size, gain in {"default": 1.0,
                           "unit": np.sqrt(3) if grown else 1.0}.items():
            Q, K = gain * X @ W_Q, gain * X @ key               # [n, 64]
            S = attention_scores(Q, K)                          # [n, n]
            A = weigh(S)
            asked = gain * near @ W_Q @ (gain * X @ key).T      # [n, n]
            drawn[name][size] = {
                "asymmetry": abs(S - S.T).max(),
                "self_wins": (A.argmax(axis=1) == place).sum(),
                "self_weight": A.diagonal().mean(),
                "query_spread": Q.std(),
                "near_found": (asked.argmax(axis=1) == place).sum()}
        few[name] = S[:EXCERPT, :EXCERPT]                       # [5, 5]
    raised = weigh(S + lift * (place == 0)[:, None])            # [n, n]
    return {"library": library(own_labels), "words": words, "width": D,
            "head": HEAD, "like": LIKE, "drawn": drawn, "scores": few,
            "labels": [f"w{i}" for i in range(EXCERPT)],
            "lift": {"added": lift, "change": abs(raised - A).max()}}


BOOK_NAMES = {"course": T("深度学习入门", "a deep learning course"),
              "python": T("编程手册", "a Python handbook"),
              "poems": T("诗选", "selected poems")}
ROLE_NAMES = {"query": T("查询：换一个需求", "query: want something else"),
              "key": T("键：换第一本的标签", "key: relabel the first book"),
              "value": T("值：换第一本的内容", "value: rewrite the first book")}
SHARING = {"shared": T("同一个矩阵", "one matrix"), "apart": T("两个矩阵", "two matrices")}
SIZES = {"default": T("默认", "default"), "unit": T("单位方差", "unit variance")}


def show_roles(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "图书馆：想要的是查询，书脊上的标签是键，书里的内容是值。三本书分到的权重是 "
        "{library[weights][0]:.3f}（深度学习入门）、{library[weights][1]:.3f}（编程手册）、"
        "{library[weights][2]:.3f}（诗选）。每次只换一样东西：",
        "A library: what you want is the query, the label on the spine is the key, what is "
        "inside is the value. The three books get {library[weights][0]:.3f} (deep learning), "
        "{library[weights][1]:.3f} (Python) and {library[weights][2]:.3f} (poems). Now change "
        "one thing at a time:"))
    yield Table(
        (Column(T("只换", "changed")), Column(T("权重最多变", "weights move by"), ".3f"),
         Column(T("取回的最多变", "output moves by"), ".3f")),
        [[ROLE_NAMES[name], v["weights"], v["output"]]
         for name, v in m["library"]["moved"].items()])
    yield Paragraph(T(
        "再看真的矩阵：{words} 个随机的词，每个 {width} 个数，矩阵 {width} × {head}。查询和键"
        "共用一个矩阵，或者各用一个；矩阵的大小取库里的默认值（nn.Linear），或者放大到让查询的"
        "方差是一。",
        "Now real matrices: {words} drawn words of {width} numbers, matrices {width} × {head}. "
        "Query and key share one matrix or have one each; the matrices have the library's "
        "default size (nn.Linear), or are scaled up until a query has variance one."))
    yield Table(
        (Column(T("查询和键", "query and key")), Column(T("大小", "size")),
         Column(T("不对称", "asymmetry"), ".1e"), Column(T("最看自己", "self wins")),
         Column(T("给自己", "self weight"), ".3f"), Column(T("找到近邻", "near found"))),
        [[SHARING[name], SIZES[size], r["asymmetry"], r["self_wins"], r["self_weight"],
          r["near_found"]] for name, sizes in m["drawn"].items() for size, r in sizes.items()],
        legend=T("不对称：S 与它的转置最多差多少。最看自己：多少行的最大权重在自己。给自己：平均"
                 "权重。找到近邻：拿一个近义词（不在表里）去问，多少次指向原词。",
                 "asymmetry: the most S differs from its transpose. self wins: rows whose "
                 "largest weight is their own. near found: asked with a neighbour that is not "
                 "in the list, how often the word itself is found."))
    for name, title in (("shared", T("分数 S，同一个矩阵：沿对角线对折，正好重合",
                                     "Scores S, one matrix: fold along the diagonal, it fits")),
                        ("apart", T("分数 S，两个矩阵", "Scores S, two matrices"))):
        yield HeatMap(m["scores"][name], m["labels"], m["labels"], title=title, format=".1f",
                      low=-4.0, high=10.0)


ROLES = Part(
    number=1, key="roles",
    title=T("三个角色", "Three roles"),
    compute=share_query_key, describe=show_roles,
    params={"words": Param(256, 8, 512, about=T("有多少个词", "how many words")),
            "lift": Param(100.0, 0.0, 1000.0, about=T("给第一行加多少", "added to row one"))},
    controls={"labels_are_contents": partial(share_query_key, own_labels=False),
              "never_shared": partial(share_query_key, own=True),
              "one_size": partial(share_query_key, grown=False),
              "no_softmax": partial(share_query_key, weigh=lambda S: np.maximum(S, 0))},
    claims=(
        Claim("three_roles", T(
            "键决定谁被看，值决定取回什么：改写第一本的内容，权重的变化是 "
            "{library[moved][value][weights]:g}，取回的却变了 "
            "{library[moved][value][output]:.2f}；换标签、换需求，权重变了 "
            "{library[moved][key][weights]:.2f} 和 {library[moved][query][weights]:.2f}。",
            "The key decides who is looked at, the value what comes back: rewrite the first "
            "book and the weights move by {library[moved][value][weights]:g}, what comes back by "
            "{library[moved][value][output]:.2f}; another label or another wish moves the "
            "weights by {library[moved][key][weights]:.2f} and "
            "{library[moved][query][weights]:.2f}."),
            lambda m: min(1e-300 - m["library"]["moved"]["value"]["weights"],
                          m["library"]["moved"]["value"]["output"] - 0.1,
                          m["library"]["moved"]["key"]["weights"] - 0.1,
                          m["library"]["moved"]["query"]["weights"] - 0.1),
            "labels_are_contents"),
        Claim("symmetric", T(
            "Q = K 时分数矩阵是对称的：与自己的转置最多差 {drawn[shared][unit][asymmetry]:.0e}，"
            "不超过舍入；分开以后差到 {drawn[apart][unit][asymmetry]:.1f}。a 看 b 有多重，b 看 a 的"
            "分数就有多高。",
            "With Q = K the scores are symmetric: they differ from their transpose by at most "
            "{drawn[shared][unit][asymmetry]:.0e}, no more than rounding; apart, by up to "
            "{drawn[apart][unit][asymmetry]:.1f}. What a scores for b, b scores for a."),
            lambda m: min(1e-10 - m["drawn"]["shared"]["unit"]["asymmetry"],
                          m["drawn"]["apart"]["unit"]["asymmetry"] - 1),
            "never_shared"),
        Claim("itself_first", T(
            "Q = K 时，{words} 个词里有 {drawn[shared][unit][self_wins]} 个最看自己，默认大小下也"
            "是 {drawn[shared][default][self_wins]} 个；两个矩阵时只有 "
            "{drawn[apart][unit][self_wins]} 个，碰运气的水平。",
            "With Q = K, {drawn[shared][unit][self_wins]} of {words} words look most at "
            "themselves, and {drawn[shared][default][self_wins]} at the default size too; with "
            "two matrices {drawn[apart][unit][self_wins]}, no more than luck."),
            lambda m: min(m["drawn"]["shared"]["unit"]["self_wins"] - 0.95 * m["words"],
                          m["drawn"]["shared"]["default"]["self_wins"] - 0.95 * m["words"],
                          0.05 * m["words"] - m["drawn"]["apart"]["unit"]["self_wins"]),
            "never_shared"),
        Claim("size_decides_how_much", T(
            "赢是赢了，赢多少要看矩阵的大小：单位方差时每个词平均给自己 "
            "{drawn[shared][unit][self_weight]:.1%}，默认大小时只有 "
            "{drawn[shared][default][self_weight]:.1%}。",
            "It wins, but by how much hangs on the size of the matrix: at unit variance a word "
            "gives itself {drawn[shared][unit][self_weight]:.1%} on average, at the default "
            "size {drawn[shared][default][self_weight]:.1%}."),
            lambda m: min(m["drawn"]["shared"]["unit"]["self_weight"] - 0.5,
                          0.5 - m["drawn"]["shared"]["default"]["self_weight"]),
            "one_size"),
        Claim("not_exact_match", T(
            "共用矩阵不等于“只认原词”：拿表里没有的近义词（与原词的相似度 {like:g}）去问，"
            "{words} 次里 {drawn[shared][unit][near_found]} 次找到原词；两个没学过的矩阵只找到 "
            "{drawn[apart][unit][near_found]} 次。",
            "Sharing does not mean exact match only: asked with a neighbour that is not in the "
            "list (cosine {like:g}), {drawn[shared][unit][near_found]} of {words} times the word "
            "is found; two untrained matrices find it {drawn[apart][unit][near_found]} times."),
            lambda m: min(1 - abs(m["like"]) - 0.01,
                          m["drawn"]["shared"]["unit"]["near_found"] - 0.95 * m["words"],
                          0.05 * m["words"] - m["drawn"]["apart"]["unit"]["near_found"]),
            "never_shared"),
        Claim("only_differences", T(
            "给第一行的分数全都加上 {lift[added]:g}，权重最多变 {lift[change]:.0e}：只有同一行里的"
            "差距算数。",
            "Add {lift[added]:g} to every score of the first row and no weight changes by more "
            "than {lift[change]:.0e}: only differences within a row count."),
            lambda m: min(m["lift"]["added"] - 1, 1e-10 - m["lift"]["change"]),
            "no_softmax"),
    ),
    caveat=T(
        "矩阵都是随机抽的，什么也没学：这里只说共用矩阵“一开始”意味着什么。训练以后会怎样，"
        "看第 2 部分。图书馆里的向量是手写的比喻。",
        "The matrices are drawn, nothing is learned: this says what sharing means at the start. "
        "What training makes of it is part 2. The library's vectors are a picture, written by "
        "hand."),
    questions=(Question(
        T("查询和键用同一个矩阵。每个词最关注谁？",
          "Query and key share one matrix. Whom does each word attend to most?"),
        (Option(T("它的近义词", "its synonyms"),
                lambda m: min(0.5 * m["words"] - m["drawn"]["shared"]["unit"]["self_wins"],
                              m["drawn"]["shared"]["unit"]["near_found"] - 1),
                T("近义词确实得高分，可是没有谁比自己更像自己。",
                  "synonyms do score high, but nothing is more like a word than itself.")),
         Option(T("它自己", "itself"),
                lambda m: m["drawn"]["shared"]["unit"]["self_wins"] - 0.5 * m["words"]),
         Option(T("只有完全相同的词，近义词得零分", "exact copies only; a synonym scores nothing"),
                lambda m: 0.5 * m["words"] - max(m["drawn"]["shared"]["unit"]["near_found"],
                                                 m["drawn"]["shared"]["unit"]["self_wins"]),
                T("讲义这么说。相似度是连续的：近义词去问，照样找到原词。",
                  "the notes say so. Similarity is graded: asked with a neighbour, the word is "
                  "still found.")),
         Option(T("大家一样多", "everyone equally"),
                lambda m: 2 / m["words"] - m["drawn"]["shared"]["unit"]["self_weight"],
                T("以为没训练就没有偏好。共用矩阵本身就是偏好。",
                  "expects no preference before training. Sharing is a preference.")))),),
    pins={"labels.*": exact("names"), "*.self_wins": exact("a count"),
          "*.near_found": exact("a count"), "library.moved.value.weights": exact("a true zero"),
          "drawn.shared.*.asymmetry": ROUNDING, "lift.change": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["roles"],
    notes=T(
        "约 7 分钟。先用图书馆：让学生猜改写内容会不会改变“看谁”。再投票。争论点：讲义说 Q = K "
        "就只能精确匹配；表的最后一列说不是。真正的代价是对称：“它”要看“猫”，“猫”不必看“它”。"
        "试试 --set 1.words=16：词少了，给自己的权重就大了，排名不变。",
        "About 7 minutes. The library first: does rewriting a book change who is looked at? Then "
        "the vote. The argument: the notes say Q = K can only match exactly; the last column "
        "says no. The price is symmetry: it must look at cat, cat need not look at it. Try "
        "--set 1.words=16: with fewer words the weight on oneself grows, the ranking stays."),
)
# --- 2. the four ways of sharing, trained -------------------------------------

VARIANTS = {                        # which of the three matrices are shared
    "separate": T("Q、K、V 各用一个", "Q, K, V apart"), "shared_kv": T("K = V", "K = V"),
    "shared_qk": T("Q = K", "Q = K"), "none": T("都不用", "none at all")}
CASES = {                           # case: the ways that are trained for it
    "right": tuple(VARIANTS), "narrow": ("separate", "shared_kv", "shared_qk"),
    "added": ("shared_qk",), "recall": tuple(VARIANTS)}
CHECKED = 100                           # sequences measured
SOLVED = 0.95                           # share of right words that counts as solved
MAPS = (".q.", ".k.", ".v.")
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


def reading_right(net: GPT, ids: Array, counts: Array, cut: bool,
                  rng: np.random.Generator) -> Metrics:
    """Where the head looks, and what it misses without its right edge."""
    trace = net.run(ids, trace=True).trace
    S, W = trace["0.scores"][:, 0], trace["0.weights"][:, 0]    # [B, T, T]
    inner = W[:, 1:-1]              # words with a neighbour on both sides
    here = np.arange(ids.shape[1] - 1)[None]                    # [1, T-1]
    here = here.repeat(len(ids), axis=0)                        # [B, T-1]
    away = (here + rng.integers(2, ids.shape[1], here.shape)) % ids.shape[1]
    edge, other = (marked(ids, here, k) & cut for k in (here + 1, away))
    return {
        "left": np.diagonal(inner, 0, 1, 2).mean(),
        "self": np.diagonal(inner, 1, 1, 2).mean(),
        "right": np.diagonal(inner, 2, 1, 2).mean(),
        "asymmetry": abs(S - S.swapaxes(1, 2)).max() / abs(S).max(),
        "right_wins": (W[:, :-1].argmax(axis=-1) == here + 1).mean(),
        "whole": solved(net, ids, counts),
        "no_right": solved(net, ids, counts, hide(0, edge)),
        "no_other": solved(net, ids, counts, hide(0, other))}


def recalling(net: GPT, ids: Array, counts: Array, cut: bool,
              rng: np.random.Generator) -> Metrics:
    """Two look-ups in a row: cut one of them, or as much elsewhere."""
    half = ids.shape[1] // 2
    keys = np.arange(0, half, 2)                                # [4]
    asks = keys + half                                          # [4]
    rows = keys[None].repeat(len(ids), 0)                       # [B, 4]
    same = ids[:, asks, None] == ids[:, None, keys]             # [B, 4, 4]
    found = same.argmax(axis=-1)                                # [B, 4]
    asked = asks[None].repeat(len(ids), 0)                      # [B, 4]
    wrong = (found + rng.integers(1, len(keys), found.shape)) % len(keys)
    ahead = rows[:, 1:]                     # keys but the first: [B, 3]
    later = ahead + 1                       # their values
    past = rng.integers(0, ahead)           # any place before the key
    cuts = {"no_key": (0, later, ahead), "no_first": (0, asked, 2 * found),
            "no_value": (1, asked, 2 * found + 1),
            "place": (0, later, past), "wrong_key": (0, asked, 2 * wrong),
            "wrong_value": (1, asked, 2 * wrong + 1)}
    left = {name: solved(net, ids, counts,
                         hide(layer, marked(ids, q, k) & cut))
            for name, (layer, q, k) in cuts.items()}
    elsewhere = [left.pop(n) for n in ("place", "wrong_key", "wrong_value")]
    return {"whole": solved(net, ids, counts), **left,
            "elsewhere": min(elsewhere)}


def inspected(case: str, net: GPT, seed: int, cut: bool = True) -> Metrics:
    """What the record keeps of one network beside its score."""
    measure = recalling if case == "recall" else reading_right
    rng = np.random.default_rng(seed)
    return measure(net, *sheet(case, seed), cut, rng)


def counted(checks: dict[Picked, list[Metrics]]) -> Metrics:
    """In how many recorded trainings is it so?"""
    def needs(edge: str, other: str, runs: list[Metrics]) -> int:
        return sum(r[edge] < 0.5 and r[other] >= SOLVED for r in runs)

    ways = ("separate", "none")
    recall = {way: checks["recall", way] for way in ways}
    return {
        "even": sum(abs(r["left"] - r["right"]) < 0.05
                    for r in checks["right", "shared_qk"]),
        "needs_right": needs("no_right", "no_other",
                             checks["right", "separate"]),
        "right_wins": sum(r["right_wins"] >= SOLVED
                          for r in checks["added", "shared_qk"]),
        "by_key": {w: needs("no_key", "no_first", recall[w])
                   for w in ways},
        "by_first": {w: needs("no_first", "no_key", recall[w])
                     for w in ways},
        "by_value": {w: needs("no_value", "elsewhere", recall[w])
                     for w in ways}}


def with_identities(way: str, bare: GPT) -> GPT:
    """The network without matrices, written with them: identities."""
    cfg = recipe_of("recall", way).config
    full = {name: np.eye(*shape) if len(shape) == 2 else np.zeros(shape)
            for name, shape in cfg.tensor_shapes().items()}
    kept = {name: a for name, a in bare.w.items()
            if not any(part in name for part in MAPS)}
    return GPT(cfg, full | kept)


def as_named(case: str, way: str) -> Picked:
    return case, way


def share_and_train(more: bool, seed: int, pick: Any = as_named,
                    trained: bool = True, cut: bool = True) -> Metrics:
    """Shipped networks measured now, five trainings each as recorded."""
    kept = records.read("qkv_seeds")
    nets: dict[Picked, GPT] = {}
    checks: dict[Picked, list[Metrics]] = {}
    now: Metrics = {case: {} for case in CASES}
    record: Metrics = {case: {} for case in CASES}
    looks: Metrics = {}
    for case, way in [(c, w) for c, ways in CASES.items() for w in ways]:
        recipe = recipe_of(*pick(case, way))
        net = GPT(recipe.config, model_cache.load(recipe) if trained
                  else init_weights(recipe.config))
        now[case][way] = solved(net, *sheet(case, seed))
        if case != "narrow":
            looks[f"{case}_{way}"] = inspected(case, net, seed, cut)
        runs = [now[case][way]]
        checks[case, way] = [looks.get(f"{case}_{way}", {})]
        if trained:
            runs = kept["models"][recipe.name]
            checks[case, way] = kept["checks"].get(recipe.name, [])
        record[case][way] = {
            "mean": np.mean(runs), "low": min(runs), "high": max(runs),
            "solved": sum(r >= SOLVED for r in runs), "runs": runs}
        nets[case, way] = net
    return {
        "width": D, "out": HEAD, "more": more, "seeds": kept["seeds"],
        "checked": CHECKED, "bar": SOLVED, "at_least": kept["seeds"] - 1,
        "parameters": matrix_sizes(), "now": now, "record": record,
        "looks": looks, "counted": counted(checks),
        "stream": recipe_of("right", "separate").config.width,
        "heads": {case: recipe_of(case, "shared_qk").config.head_width
                  for case in CASES},
        "steps": {case: recipe_of(case, "shared_qk").training.steps
                  for case in CASES},
        "held": {way: solved(with_identities(way, nets["recall", "none"]),
                             *sheet("recall", seed)) if trained else 0.0
                 for way in ("separate", "shared_qk")}}


def matrix_sizes() -> dict[str, int]:
    """Weights in the matrices of one head, 512 to 64, without bias."""
    plan = GPTConfig(1, 1, n_layer=1, n_head=1, width=D, bias=False)
    sizes = {}
    for way in VARIANTS:
        head = None if way == "none" else HEAD
        cfg = dataclasses.replace(plan, qkv=way, head=head)
        sizes[way] = sum(rows * D for _, rows in cfg.projections())
    return sizes


CASE_NAMES = {"right": T("右邻居", "right neighbour"),
              "narrow": T("右邻居，窄头", "neighbour, narrow"),
              "added": T("右邻居，位置加在词上", "neighbour, added"),
              "recall": T("两步查找", "recall")}
LOOKS = {f"right_{way}": name for way, name in VARIANTS.items()} | {
    "added_shared_qk": T("Q = K，加", "Q = K, added")}
ROUTES = {f"recall_{way}": name for way, name in VARIANTS.items()}


def show_sharing(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一个头、没有 MLP 的小网络，训练四种：三个矩阵各管各的；键和值共用；查询和键共用；一个也"
        "不用。两道题，答案都写在输入里。右邻居：说出右边的那个词（谁都看得见，只要学会往哪看）。两步"
        "查找：k v k v … 之后再报一个键，说出它的值；值本身不像键，所以要查两次，一次在第一层，一次"
        "在第二层。",
        "Small networks with one head and no MLP, trained four ways: three matrices of their "
        "own; key and value share one; query and key share one; none at all. Two tasks with the "
        "answer in the input. Right neighbour: say the word to your right (all is visible, only "
        "where to look must be learned). Recall: after k v k v … a key is said again, say its "
        "value; a value does not look like its key, so it takes two look-ups, one in each "
        "layer."))
    yield Table(
        (Column(T("共用", "sharing")),
         Column(T("参数 {width}→{out}", "weights {width}→{out}"), ",d"),
         *(Column(CASE_NAMES[c], ".1%") for c in ("right", "narrow", "recall"))),
        [[VARIANTS[way], m["parameters"][way],
          *(m["now"][c].get(way) for c in ("right", "narrow", "recall"))]
         for way in VARIANTS],
        title=T("现在测：随课发的网络，各 {checked} 行新题，答对的比例",
                "Measured now: the shipped networks on {checked} fresh rows, share correct"),
        legend=T("一个头的宽度：右邻居 {heads[right]}，窄头 {heads[narrow]}，两步查找 "
                 "{heads[recall]}；词的向量都是 {stream}。头之后的 W_O 四种都有。",
                 "Width of the head: right neighbour {heads[right]}, narrow {heads[narrow]}, "
                 "recall {heads[recall]}; a word's vector has {stream} in all of them, and all "
                 "keep W_O after the head."))
    yield Table(
        (Column(T("题", "task")), Column(T("共用", "sharing")),
         Column(T("平均", "mean"), ".1%"), Column(T("最低", "lowest"), ".1%"),
         Column(T("最高", "highest"), ".1%"), Column(T("解出", "solved"))),
        [[CASE_NAMES[case], VARIANTS[way], r["mean"], r["low"], r["high"], r["solved"]]
         for case, ways in m["record"].items() for way, r in ways.items()],
        title=T("记录：每种训练 {seeds} 次", "Recorded: {seeds} trainings of each"),
        legend=T("解出：{seeds} 次里有几次答对 {bar:.0%} 以上。",
                 "solved: in how many of {seeds} at least {bar:.0%} are right."))
    if m["more"]:
        yield Table(
            (Column(T("题", "task")), Column(T("共用", "sharing")),
             *(Column(T(run, run), ".1%") for run in "ABCDE"[:m["seeds"]])),
            [[CASE_NAMES[case], VARIANTS[way], *r["runs"]]
             for case, ways in m["record"].items() for way, r in ways.items()],
            title=T("记录：每一次训练", "Recorded: every training"))
    yield Table(
        (Column(T("右邻居", "right neighbour")), Column(T("看左", "on left"), ".2f"),
         Column(T("看自己", "on self"), ".2f"), Column(T("看右", "on right"), ".2f"),
         Column(T("不对称", "asymmetry"), ".1g"), Column(T("答对", "correct"), ".1%"),
         Column(T("切右边", "cut right"), ".1%"), Column(T("切别处", "cut other"), ".1%")),
        [[LOOKS[name], w["left"], w["self"], w["right"], w["asymmetry"], w["whole"],
          w["no_right"], w["no_other"]] for name, w in m["looks"].items() if name in LOOKS],
        title=T("这个头看哪里，切断之后还答对多少", "Where the head looks, and what a cut costs"),
        legend=T("最后一行把正弦位置加在词上，上面四行用 RoPE（演示 07）转动查询和键。不对称："
                 "分数与转置之差，除以最大的分数。",
                 "The last row adds sinusoids to the words; the others turn query and key by "
                 "RoPE (demo 07). asymmetry: scores against their transpose, over the largest "
                 "score."))
    yield Table(
        (Column(T("两步查找", "recall")), Column(T("答对", "correct"), ".1%"),
         Column(T("切甲", "cut A"), ".1%"), Column(T("切乙", "cut B"), ".1%"),
         Column(T("切丙", "cut C"), ".1%"), Column(T("切别处", "cut other"), ".1%")),
        [[ROUTES[name], r["whole"], r["no_key"], r["no_first"], r["no_value"],
          r["elsewhere"]] for name, r in m["looks"].items() if name in ROUTES],
        title=T("两步查找走哪条路", "Which way recall goes"),
        legend=T("甲：第一层，值看它前面的键。乙：第一层，再报的键看自己第一次出现的地方。丙：第二层，"
                 "再报的键看它的值。别处：同样多的随机边，三种里最低的。",
                 "A: layer one, a value looks at the key before it. B: layer one, the key said "
                 "again looks at where it stood first. C: layer two, the key said again looks at "
                 "its value. other: as many random edges, the lowest of three."))


def never_shared(case: str, way: str) -> Picked:
    return ("right" if case == "added" else case), "separate"


def moved_to(old: str, new: str) -> Any:
    """A control's pick: the networks of one case play another's part."""
    return lambda case, way: (new if case == old else case, way)


def narrowed(case: str, way: str) -> Picked:
    return ("narrow" if case == "right" and way != "none" else case), way


SHARED = Part(
    number=2, key="sharing",
    title=T("共用矩阵，训练之后", "Sharing matrices, after training"),
    compute=share_and_train, describe=show_sharing,
    params={"more": Param(False, about=T("也列出每一次训练", "list every training too"))},
    recipes=tuple(f"qkv_{case}_{way}" for case, ways in CASES.items() for way in ways),
    controls={"untrained": partial(share_and_train, trained=False),
              "narrowed": partial(share_and_train, pick=narrowed),
              "widened": partial(share_and_train, pick=moved_to("narrow", "right")),
              "turned": partial(share_and_train, pick=moved_to("added", "right")),
              "never_shared": partial(share_and_train, pick=never_shared),
              "uncut": partial(share_and_train, cut=False)},
    claims=(
        Claim("three_matrices_learn_all", T(
            "三个矩阵各管各的，都学会了：现在测，右邻居 {now[right][separate]:.1%}，窄头 "
            "{now[narrow][separate]:.1%}，两步查找 {now[recall][separate]:.1%}；记录里 {seeds} 次"
            "训练解出 {record[right][separate][solved]}、{record[narrow][separate][solved]}、"
            "{record[recall][separate][solved]} 次。",
            "Three matrices of their own learn everything: {now[right][separate]:.1%} now on "
            "the right neighbour, {now[narrow][separate]:.1%} with the narrow head, "
            "{now[recall][separate]:.1%} on recall; of {seeds} recorded trainings "
            "{record[right][separate][solved]}, {record[narrow][separate][solved]} and "
            "{record[recall][separate][solved]} solve it."),
            lambda m: min(min(m["now"][c]["separate"] - m["bar"],
                              m["record"][c]["separate"]["solved"] - m["at_least"] + 0.5)
                          for c in ("right", "narrow", "recall")),
            "untrained"),
        Claim("shared_value_is_free", T(
            "K = V 够宽就不花代价：头宽 {heads[right]} 时 {seeds} 次训练有 "
            "{record[right][shared_kv][solved]} 次解出右邻居，最低 "
            "{record[right][shared_kv][low]:.1%}；两步查找解出 "
            "{record[recall][shared_kv][solved]} 次。",
            "K = V costs nothing where there is room: with a head of {heads[right]}, "
            "{record[right][shared_kv][solved]} of {seeds} trainings solve the right neighbour, "
            "the worst {record[right][shared_kv][low]:.1%}; recall is solved by "
            "{record[recall][shared_kv][solved]}."),
            lambda m: min(m["record"]["right"]["shared_kv"]["solved"] - m["at_least"] + 0.5,
                          m["record"]["right"]["shared_kv"]["low"] - m["bar"],
                          m["record"]["recall"]["shared_kv"]["solved"] - m["at_least"] + 0.5),
            "narrowed"),
        Claim("shared_value_needs_room", T(
            "头宽只有 {heads[narrow]} 时，K = V 就不行了：平均 "
            "{record[narrow][shared_kv][mean]:.1%}，最高 {record[narrow][shared_kv][high]:.1%}；"
            "三个矩阵最低也有 {record[narrow][separate][low]:.1%}。同样 {heads[narrow]} 个数，"
            "又要当标签，又要当内容。",
            "With a head of {heads[narrow]} K = V fails: {record[narrow][shared_kv][mean]:.1%} on "
            "average, {record[narrow][shared_kv][high]:.1%} at best, where three matrices reach "
            "{record[narrow][separate][low]:.1%} at worst. The same {heads[narrow]} numbers have "
            "to be label and content."),
            lambda m: min(m["record"]["narrow"]["separate"]["low"]
                          - m["record"]["narrow"]["shared_kv"]["high"] - 0.2,
                          0.6 - m["record"]["narrow"]["shared_kv"]["high"],
                          m["record"]["narrow"]["shared_kv"]["high"]
                          - m["record"]["narrow"]["shared_kv"]["mean"]),
            "widened"),
        Claim("left_as_much_as_right", T(
            "Q = K 分不出左右：它看左 {looks[right_shared_qk][left]:.2f}，看右 "
            "{looks[right_shared_qk][right]:.2f}，现在测答对 {now[right][shared_qk]:.1%}；{seeds} "
            "次训练里 {counted[even]} 次左右几乎一样重，答对最高 "
            "{record[right][shared_qk][high]:.1%}。",
            "Q = K does not tell left from right: {looks[right_shared_qk][left]:.2f} of its "
            "weight goes left, {looks[right_shared_qk][right]:.2f} right, and it gets "
            "{now[right][shared_qk]:.1%} right; in {counted[even]} of {seeds} trainings left and "
            "right weigh nearly the same, and the best gets "
            "{record[right][shared_qk][high]:.1%}."),
            lambda m: min(0.05 - abs(m["looks"]["right_shared_qk"]["left"]
                                     - m["looks"]["right_shared_qk"]["right"]),
                          0.6 - m["now"]["right"]["shared_qk"],
                          m["counted"]["even"] - m["at_least"] + 0.5,
                          0.6 - m["record"]["right"]["shared_qk"]["high"]),
            "never_shared"),
        Claim("symmetric_and_still_right", T(
            "可是对称并不注定分不出：把位置加在词上（正弦），Q = K 的分数照样对称（差 "
            "{looks[added_shared_qk][asymmetry]:.0e}），却有 "
            "{looks[added_shared_qk][right_wins]:.1%} 的行最看右邻居，答对 "
            "{now[added][shared_qk]:.1%}；{seeds} 次训练解出 {record[added][shared_qk][solved]} "
            "次，{counted[right_wins]} 次最看右。",
            "Yet symmetry is no verdict: with places added to the words (sinusoids) the scores "
            "of Q = K are just as symmetric ({looks[added_shared_qk][asymmetry]:.0e}), and "
            "{looks[added_shared_qk][right_wins]:.1%} of the rows look most to the right, "
            "{now[added][shared_qk]:.1%} correct; of {seeds} trainings "
            "{record[added][shared_qk][solved]} solve it, {counted[right_wins]} look right."),
            lambda m: min(1e-9 - m["looks"]["added_shared_qk"]["asymmetry"],
                          m["looks"]["added_shared_qk"]["right_wins"] - 0.9,
                          m["now"]["added"]["shared_qk"] - m["bar"],
                          m["counted"]["right_wins"] - m["at_least"] + 0.5,
                          m["record"]["added"]["shared_qk"]["solved"] - m["at_least"] + 0.5),
            "turned"),
        Claim("none_depends_on_the_task", T(
            "一个矩阵也不用，要看是什么题：右邻居最高 {record[right][none][high]:.1%}，两步查找却"
            "有 {record[recall][none][solved]} 次解出（{seeds} 次训练）。",
            "With no matrix at all it depends on the task: {record[right][none][high]:.1%} at "
            "best on the right neighbour, but {record[recall][none][solved]} of {seeds} "
            "trainings solve recall."),
            lambda m: min(0.6 - m["record"]["right"]["none"]["high"],
                          m["record"]["recall"]["none"]["solved"] - m["at_least"] + 0.5),
            "never_shared"),
        Claim("can_hold_but_did_not_find", T(
            "没学会不等于装不下：Q = K 各练了 {steps[recall]} 步，两步查找 {seeds} 次训练解出 "
            "{record[recall][shared_qk][solved]} 次，最高 {record[recall][shared_qk][high]:.1%}；"
            "可是把“都不用”那个网络抄进去、矩阵设成单位矩阵，它立刻答对 "
            "{held[shared_qk]:.1%}。",
            "Not learned is not the same as no room: in {steps[recall]} steps each, "
            "{record[recall][shared_qk][solved]} of {seeds} trainings of Q = K solve recall, "
            "{record[recall][shared_qk][high]:.1%} at best; copy the network without matrices "
            "into it, with identities for matrices, and it gets {held[shared_qk]:.1%}."),
            lambda m: min(m["held"]["shared_qk"] - m["bar"],
                          0.6 - m["record"]["recall"]["shared_qk"]["high"],
                          0.5 - m["record"]["recall"]["shared_qk"]["solved"]),
            "never_shared"),
        Claim("the_right_edge_is_needed", T(
            "三个矩阵的网络看右 {looks[right_separate][right]:.2f}。切断这些边，答对的从 "
            "{looks[right_separate][whole]:.1%} 掉到 {looks[right_separate][no_right]:.1%}；"
            "切断同样多的别处，还有 {looks[right_separate][no_other]:.1%}（记录：{seeds} 次训练里 "
            "{counted[needs_right]} 次如此）。",
            "The network with three matrices puts {looks[right_separate][right]:.2f} on the "
            "right. Cut these edges and {looks[right_separate][whole]:.1%} becomes "
            "{looks[right_separate][no_right]:.1%}; cut as many elsewhere and "
            "{looks[right_separate][no_other]:.1%} stay (recorded: so in "
            "{counted[needs_right]} of {seeds} trainings)."),
            lambda m: min(m["looks"]["right_separate"]["right"] - 0.8,
                          m["looks"]["right_separate"]["whole"]
                          - m["looks"]["right_separate"]["no_right"] - 0.3,
                          m["looks"]["right_separate"]["no_other"] - 0.9,
                          m["counted"]["needs_right"] - m["at_least"] + 0.5),
            "uncut"),
        Claim("two_ways_to_recall", T(
            "两步查找有两条路。三个矩阵：值先记住前面的键，切断甲只剩 "
            "{looks[recall_separate][no_key]:.1%}，切断乙还有 "
            "{looks[recall_separate][no_first]:.1%}；一个矩阵也不用：键先找到自己上次在哪里，切断甲"
            "还有 {looks[recall_none][no_key]:.1%}，切断乙只剩 "
            "{looks[recall_none][no_first]:.1%}。记录：{seeds} 次训练里各有 "
            "{counted[by_key][separate]} 次和 {counted[by_first][none]} 次如此。",
            "There are two ways to recall. Three matrices: a value first notes the key before "
            "it; cutting A leaves {looks[recall_separate][no_key]:.1%}, cutting B "
            "{looks[recall_separate][no_first]:.1%}. No matrix: the key first finds where it "
            "stood; cutting A leaves {looks[recall_none][no_key]:.1%}, cutting B "
            "{looks[recall_none][no_first]:.1%}. Recorded: so in {counted[by_key][separate]} and "
            "{counted[by_first][none]} of {seeds} trainings."),
            lambda m: min(0.5 - m["looks"]["recall_separate"]["no_key"],
                          m["looks"]["recall_separate"]["no_first"] - 0.9,
                          0.5 - m["looks"]["recall_none"]["no_first"],
                          m["looks"]["recall_none"]["no_key"] - 0.9,
                          m["counted"]["by_key"]["separate"] - m["at_least"] + 0.5,
                          m["counted"]["by_first"]["none"] - m["at_least"] + 0.5),
            "never_shared"),
        Claim("the_second_step_is_shared", T(
            "第二步相同：再报的键都要看它的值。切断丙，三个矩阵只剩 "
            "{looks[recall_separate][no_value]:.1%}，“都不用”只剩 "
            "{looks[recall_none][no_value]:.1%}；切断同样多的别处，还有 "
            "{looks[recall_separate][elsewhere]:.1%} 和 {looks[recall_none][elsewhere]:.1%}"
            "（记录：{seeds} 次里 {counted[by_value][separate]} 次和 "
            "{counted[by_value][none]} 次如此）。",
            "The second step is the same: the key said again must look at its value. Cutting C "
            "leaves {looks[recall_separate][no_value]:.1%} with three matrices and "
            "{looks[recall_none][no_value]:.1%} with none; as many cuts elsewhere leave "
            "{looks[recall_separate][elsewhere]:.1%} and {looks[recall_none][elsewhere]:.1%} "
            "(recorded: so in {counted[by_value][separate]} and {counted[by_value][none]} of "
            "{seeds})."),
            lambda m: min(0.5 - m["looks"]["recall_separate"]["no_value"],
                          0.5 - m["looks"]["recall_none"]["no_value"],
                          m["looks"]["recall_separate"]["elsewhere"] - 0.9,
                          m["looks"]["recall_none"]["elsewhere"] - 0.9,
                          m["counted"]["by_value"]["separate"] - m["at_least"] + 0.5,
                          m["counted"]["by_value"]["none"] - m["at_least"] + 0.5),
            "uncut"),
    ),
    caveat=T(
        "“没学会”说的是这个大小、这种训练、{steps[right]} 或 {steps[recall]} 步。权重表说的是看了"
        "哪里；切断说的是随课发的那一个网络需要哪里。",
        "“Fails” means at this size, by this training, in {steps[right]} or {steps[recall]} "
        "steps. The weights tell where a head looks; the cuts tell what the one shipped network "
        "needs."),
    questions=(
        Question(
            T("读右邻居，头宽 8。哪种共用几乎不花代价？",
              "Reading the right neighbour with a head of width 8: which sharing costs almost "
              "nothing?"),
            (Option(T("键和值共用（K = V）", "key and value (K = V)"),
                    lambda m: min(m["now"]["right"]["shared_kv"] - m["bar"],
                                  m["bar"] - m["now"]["right"]["shared_qk"],
                                  m["bar"] - m["now"]["right"]["none"])),
             Option(T("查询和键共用（Q = K）", "query and key (Q = K)"),
                    lambda m: min(m["now"]["right"]["shared_qk"] - m["bar"],
                                  m["bar"] - m["now"]["right"]["shared_kv"]),
                    T("以为查询和键反正要像，用一个就行。那样左边和右边就一样像了。",
                      "since query and key must be alike, one will do. But then left and right "
                      "are alike too.")),
             Option(T("全都不用，词向量直接上", "no matrices, the words as they are"),
                    lambda m: m["now"]["right"]["none"] - m["bar"],
                    T("以为词向量里什么都有。有内容，没有“我要看右边”。",
                      "trusts the word vectors. They hold content, not the wish to look "
                      "right.")),
             Option(T("都一样糟", "all are equally bad"),
                    lambda m: m["bar"] - max(m["now"]["right"][w] for w in
                                             ("shared_kv", "shared_qk", "none")),
                    T("以为三个矩阵缺一不可。", "believes that none of the three can be "
                                               "spared.")))),
        Question(
            T("把头宽从 8 降到 2。K = V 会怎样？",
              "Narrow the head from 8 to 2. What becomes of K = V?"),
            (Option(T("照样全对，三个矩阵也全对", "still all right, as with three matrices"),
                    lambda m: m["now"]["narrow"]["shared_kv"] - m["bar"],
                    T("以为宽度只是快慢问题。", "takes width for a matter of speed.")),
             Option(T("K = V 垮了，三个矩阵没事", "K = V breaks, three matrices do not"),
                    lambda m: min(m["bar"] - m["now"]["narrow"]["shared_kv"],
                                  m["now"]["narrow"]["separate"] - m["bar"])),
             Option(T("两种都垮了", "both break"),
                    lambda m: m["bar"] - max(m["now"]["narrow"]["shared_kv"],
                                             m["now"]["narrow"]["separate"]),
                    T("以为两个数装不下八个词。装得下：平面上一圈八个点，每个都能单独切出来。",
                      "thinks two numbers cannot tell eight words apart. They can: eight points "
                      "round a circle, each can be cut off by a line.")))),
    ),
    pins={"record.*": exact("read from the record"), "parameters.*": exact("counts"),
          "heads.*": exact("sizes"), "steps.*": exact("sizes"), "more": exact("a switch"),
          "counted.*": exact("counts of the record"),
          "looks.*_qk.asymmetry": ROUNDING, "looks.*_none.asymmetry": ROUNDING,
          "*": close("shipped weights in float64: only rounding may differ", rtol=1e-6)},
    errata=ERRATA["sharing"],
    notes=T(
        "约 10 分钟。两次投票。第一张表是现在算的，第二张是记录（每种五次训练）。争论点：Q = K "
        "为什么分不出左右？（分数对称，RoPE 只看距离。）然后给反例：位置加在词上，同样对称，"
        "却全对。所以“对称”不是证明。第二个争论点：Q = K 学不会两步查找，可它装得下解法。"
        "Reformer（2020）有意让 Q = K，损失很小。试试 --set 2.more=true。",
        "About 10 minutes, two votes. The first table is computed now, the second recorded (five "
        "trainings each). The argument: why can Q = K not tell left from right? (Scores are "
        "symmetric, RoPE knows distance only.) Then the counterexample: places added to the "
        "words, just as symmetric, all right. Symmetry is no "
        "proof. Second argument: Q = K does not learn recall, yet it can hold the solution. "
        "Reformer (2020) shares Q = K on purpose and loses little. Try --set 2.more=true."),
)

# --- 3. one head: shapes, sums, ranks -----------------------------------------

NOTED = (0.2, 1.0, 0.7)              # printed as the weights of three words
BATCH, N, MANY = 2, 5, 256


class Registers:
    """What nn.Module does with its parts: the list exists after __init__."""

    parts: dict[str, Any]

    def __init__(self) -> None:
        self.__dict__["parts"] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        self.parts[name] = value


class ForgetsInit(Registers):
    def __init__(self) -> None:         # no super().__init__()
        self.query = np.zeros((D, HEAD))


class ForgetsReturn(Registers):
    def forward(self, x: Array) -> None:
        attention(x, x, x)              # computed, and dropped


def ways_to_fail() -> dict[str, str]:
    """Without super().__init__(): what is raised; what forward gives."""
    try:
        raised = type(ForgetsInit()).__name__
    except AttributeError as error:
        raised = type(error).__name__
    forward: Any = ForgetsReturn().forward
    return {"raised": raised, "returned": str(forward(np.eye(2)))}


def follow_shapes(seed: int, axis: int = -1, head: int = HEAD,
                  one: bool = False, normalise: bool = True) -> Metrics:
    """One head, step by step; then its rank on more words than it is wide.

    Drawn in this order: W_Q, W_K, W_V, W_O, the batch, the many words.
    """
    rng = np.random.default_rng(seed)
    Ws = default_init(rng, 3, D, head)                        # [3, 512, 64]
    W_O = default_init(rng, head, D)                            # [64, 512]
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

    separate, _ = attention(many @ W_Q, many @ W_K, many @ W_V) # [256, 64]
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
                  "after_w_o": rank(separate @ W_O)},
        "alike": {"q_k": cosine(many @ W_Q, many @ W_K),
                  "q_v": cosine(many @ W_Q, many @ W_V),
                  "k_v": cosine(many @ W_K, many @ W_V)},
        "code": ways_to_fail()}


STEPS = {
    "x": T("输入", "input"), "w_q": T("W_Q（W_K、W_V 同）", "W_Q (W_K, W_V alike)"),
    "q": T("Q（K、V 同）", "Q (K, V alike)"), "k_turned": T("K 转置", "K turned"),
    "scores": T("分数 Q K^T / √d", "scores Q K^T / √d"),
    "weights": T("权重 softmax", "weights, softmax"),
    "out": T("一个头的输出", "output of one head"),
    "w_o": T("W_O", "W_O"), "joined": T("乘以 W_O", "times W_O")}
RANKS = {"stacked": T("W_Q W_K W_V 并排", "W_Q W_K W_V side by side"),
         "separate": T("三个矩阵，一个头的输出", "three matrices, output of a head"),
         "single": T("一个矩阵，一个头的输出", "one matrix, output of a head"),
         "after_w_o": T("再乘以 W_O", "then times W_O")}


def shape_of(sizes: list[int]) -> str:
    return "[" + ", ".join(map(str, sizes)) + "]"


def show_shapes(m: Metrics) -> Iterator[Block]:
    yield Table((Column(T("步骤", "step")), Column(T("形状", "shape"))),
                [[STEPS[name], shape_of(sizes)] for name, sizes in m["shapes"].items()],
                title=T("一个头，一步一步", "One head, step by step"),
                legend=T("[批, 词, 宽]；分数和权重是 [批, 查询, 键]。",
                         "[batch, words, width]; scores and weights are "
                         "[batch, queries, keys]."))
    yield Table((Column(T("哪些向量", "of which vectors")), Column(T("秩", "rank"))),
                [[RANKS[name], m["ranks"][name]] for name in RANKS],
                title=T("{ranks[words]} 个词：有多少个独立的方向",
                        "{ranks[words]} words: how many independent directions"))
    yield Table(
        (Column(T("三个数", "three numbers")),
         *(Column(T(w, w), ".4f") for w in ("The", "cat", "sat")),
         Column(T("和", "sum"), ".4f")),
        [[T("讲义印的“权重”", "the notes' weights"), *m["noted"]["given"], m["noted"]["sum"]],
         [T("当作分数，取 softmax", "as scores, softmax"), *m["noted"]["weights"],
          m["noted"]["softmax_sum"]]],
        title=T("三个加起来不等于一的权重", "Three weights that do not sum to one"))


SHAPES = Part(
    number=3, key="shapes",
    title=T("一个头的形状、和、秩", "Shapes, sums and ranks of one head"),
    compute=follow_shapes, describe=show_shapes,
    controls={"columns": partial(follow_shapes, axis=-2),
              "wide_head": partial(follow_shapes, head=D),
              "one_matrix": partial(follow_shapes, one=True),
              "not_normalised": partial(follow_shapes, normalise=False)},
    claims=(
        Claim("rows_sum_to_one", T(
            "权重矩阵里加起来等于一的是行：误差最多 {sums[row_error]:.0e}；列的和从 "
            "{sums[column_low]:.2f} 到 {sums[column_high]:.2f}。一行有 {sums[in_a_row]} 个权重，"
            "词有几个就有几个。",
            "It is the rows of the weight matrix that sum to one, within {sums[row_error]:.0e}; "
            "its columns sum to {sums[column_low]:.2f} up to {sums[column_high]:.2f}. A row "
            "holds {sums[in_a_row]} weights, one a word."),
            lambda m: min(1e-12 - m["sums"]["row_error"],
                          m["sums"]["column_high"] - 1.01, 0.99 - m["sums"]["column_low"],
                          0.5 - abs(m["sums"]["in_a_row"] - m["shapes"]["x"][1])),
            "columns"),
        Claim("one_head_is_narrow", T(
            "一个头交出的每个词只有 {shapes[out][2]} 个数；回到 {shapes[joined][2]} 靠的是 W_O，"
            "而且不添新东西：{ranks[words]} 个词的输出，乘 W_O 前后秩都是 {ranks[after_w_o]}。",
            "One head hands over {shapes[out][2]} numbers a word; getting back to "
            "{shapes[joined][2]} takes W_O, which adds nothing: for {ranks[words]} words the "
            "output has rank {ranks[after_w_o]} before and after."),
            lambda m: min(m["shapes"]["joined"][2] - m["shapes"]["out"][2] - 0.5,
                          0.5 - abs(m["ranks"]["after_w_o"] - m["ranks"]["separate"]),
                          m["ranks"]["words"] - m["ranks"]["separate"] - 0.5,
                          m["shapes"]["out"][2] - m["ranks"]["after_w_o"] + 0.5),
            "wide_head"),
        Claim("not_three_times_the_room", T(
            "三个矩阵并排有 {ranks[stacked]} 个独立方向，一个头的输出却只有 {ranks[separate]} 个："
            "与一个矩阵当三个用（{ranks[single]}）一样多。分开的好处不在“容量乘三”。",
            "Side by side the three matrices have {ranks[stacked]} independent directions, but "
            "the output of the head has {ranks[separate]}, as many as when one matrix plays all "
            "three ({ranks[single]}). Three times the room is not what separating buys."),
            lambda m: min(m["ranks"]["stacked"] - 2 * m["ranks"]["separate"],
                          0.5 - abs(m["ranks"]["separate"] - m["ranks"]["single"])),
            "wide_head"),
        Claim("same_input_three_vectors", T(
            "Q、K、V 来自同一个输入，却不是同一个东西：{ranks[words]} 个词，同一个词的三个向量，"
            "平均余弦是 "
            "{alike[q_k]:.2f}（Q 与 K）、{alike[q_v]:.2f}（Q 与 V）、{alike[k_v]:.2f}（K 与 V）。",
            "Q, K and V come from one input and are not one thing: over {ranks[words]} words the "
            "mean cosines of a word's three vectors are {alike[q_k]:.2f} (Q and K), "
            "{alike[q_v]:.2f} (Q and V) and {alike[k_v]:.2f} (K and V)."),
            lambda m: 0.1 - max(abs(m["alike"]["q_k"]), abs(m["alike"]["q_v"]),
                                abs(m["alike"]["k_v"])),
            "one_matrix"),
        Claim("weights_must_sum_to_one", T(
            "讲义的三个“权重”{noted[given][0]}、{noted[given][1]}、{noted[given][2]} 加起来是 "
            "{noted[sum]:.1f}，所以是分数，不是权重；softmax 之后是 {noted[weights][0]:.4f}、"
            "{noted[weights][1]:.4f}、{noted[weights][2]:.4f}，和为 {noted[softmax_sum]:.1f}。",
            "The notes' three weights {noted[given][0]}, {noted[given][1]}, {noted[given][2]} "
            "sum to {noted[sum]:.1f}, so they are scores; softmax makes them "
            "{noted[weights][0]:.4f}, {noted[weights][1]:.4f}, {noted[weights][2]:.4f}, which "
            "sum to {noted[softmax_sum]:.1f}."),
            lambda m: min(abs(m["noted"]["sum"] - 1) - 0.1,
                          1e-9 - abs(sum(m["noted"]["weights"]) - 1),
                          1e-9 - abs(m["noted"]["softmax_sum"] - 1),
                          1e-9 - abs(sum(m["noted"]["given"]) - m["noted"]["sum"])),
            "not_normalised"),
    ),
    caveat=T(
        "秩是对随机抽的词和矩阵量的；训练后的头常常用得更少。八个头拼起来能到多少，见演示 08。",
        "The ranks are those of drawn words and matrices; a trained head often uses fewer "
        "directions. What several heads side by side reach is demo 08."),
    questions=(Question(
        T("权重矩阵（行是查询，列是键）里，哪个方向加起来等于 1？",
          "In the matrix of weights (rows are queries, columns keys), what sums to 1?"),
        (Option(T("每一行", "each row"), lambda m: 1e-9 - m["sums"]["row_error"]),
         Option(T("每一列", "each column"),
                lambda m: 1e-9 - max(abs(m["sums"]["column_high"] - 1),
                                     abs(m["sums"]["column_low"] - 1)),
                T("以为每个键把自己分给各个查询。是查询在分配它的注意力；一个键可以很抢手，也可以没人看。",
                  "lets each key share itself out. It is the query that spends its attention; a "
                  "key may be popular or ignored.")),
         Option(T("整个矩阵", "the whole matrix"),
                lambda m: 1e-9 - abs(m["sums"]["whole"] - 1),
                T("以为全句只有一份注意力。每个词各有一份。",
                  "sees one budget for the sentence. Every word has a budget of its own.")),
         Option(T("都不是", "none of these"),
                lambda m: m["sums"]["row_error"] - 1e-9,
                T("讲义的例子（和是 1.9）就是这样；那是分数，不是 softmax 之后的权重。",
                  "as in the notes' example, which sums to 1.9; those are scores, before "
                  "softmax.")))),),
    pins={"shapes.*": exact("shapes"), "sums.in_a_row": exact("a count"),
          "sums.row_error": ROUNDING, "ranks.*": exact("ranks"), "code.*": exact("words"),
          "*": ARITHMETIC},
    errata=ERRATA["shapes"],
    notes=T(
        "约 6 分钟。先投票（行还是列），再一行一行读形状表，让学生先报下一行的形状。争论点：讲义说"
        "三个矩阵“容量最多 192 维”；请大家说说为什么输出的秩还是一个头的宽度。"
        "（输出 = 权重 × 值，只有 W_V 的方向。）",
        "About 6 minutes. Vote (rows or columns), then read the table of shapes row by row, the "
        "class calling the next shape. The argument: the notes credit three matrices with 192 "
        "dimensions; why is the rank of the output still the width of one head? (Output = "
        "weights × values: only W_V's directions are there.)"),
)

# --- 4. can this matrix have come out of that code? ---------------------------

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


def run_often(count: int, gain: float, seed: int, softened: float = 1.0,
              copies: int = 0) -> Metrics:
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
        "first": W[0],
        "runs": {"span": {"mean": span.mean(), "min": span.min(),
                          "max": span.max()},
                 "spread": W.std(axis=(1, 2)).mean(),
                 "scores": {"mean": scores.mean(), "min": scores.min()},
                 "as_flat": (span <= printed + 1e-4).sum()},
        "histogram": {"bins": [f"{a:.2f}-{b:.2f}" for a, b in
                               zip(EDGES, EDGES[1:], strict=False)],
                      "runs": np.histogram(span, EDGES)[0]}}


def show_forged(m: Metrics) -> Iterator[Block]:
    names = [f"x{i}" for i in range(len(m["first"]))]
    yield HeatMap(m["printed"]["weights"], names, names, format=".4f", low=0.0, high=0.5,
                  title=T("讲义印的“输出”", "The output the notes print"))
    yield HeatMap(m["first"], names, names, format=".4f", low=0.0, high=0.5,
                  title=T("同一段代码，我们跑的第一次", "The same computation, our first run"))
    yield Bars(m["histogram"]["bins"], m["histogram"]["runs"], format="d",
               title=T("{count} 次运行：最大权重减最小权重落在哪里",
                       "{count} runs: largest weight minus smallest"))
    yield Table(
        (Column(T("量什么", "measured")), Column(T("讲义", "notes"), ".4f"),
         Column(T("运行的平均", "mean run"), ".4f"),
         Column(T("最平的一次", "flattest run"), ".4f")),
        [[T("最大减最小", "largest minus smallest"), m["printed"]["span"],
          m["runs"]["span"]["mean"], m["runs"]["span"]["min"]],
         [T("分数散开（标准差）", "spread of the scores"), m["printed"]["scores"],
          m["runs"]["scores"]["mean"], m["runs"]["scores"]["min"]]],
        legend=T("分数由权重取对数得回，每行减去平均。",
                 "Scores are the logarithms of the weights, each row less its mean."))


FORGED = Part(
    number=4, key="forged",
    title=T("一张印出来的矩阵", "A printed matrix"),
    compute=run_often, describe=show_forged,
    params={"count": Param(2000, 20, 20000, about=T("运行多少次", "how many runs")),
            "gain": Param(1.0, 0.0, 10.0, about=T("矩阵放大几倍", "scales the matrices"))},
    controls={"softened": partial(run_often, softened=0.1),
              "copied": partial(run_often, copies=20)},
    claims=(
        Claim("not_one_is_so_flat", T(
            "讲义印的 {words} 行 {words} 列权重全挤在 {printed[low]:.4f} 到 {printed[high]:.4f} "
            "之间，相差 {printed[span]:.3f}。重新抽词、抽矩阵跑 {count} 次，这么平的有 "
            "{runs[as_flat]} 次：平均相差 {runs[span][mean]:.3f}，最平的一次也有 "
            "{runs[span][min]:.3f}。",
            "The {words} by {words} weights in the notes all lie between {printed[low]:.4f} and "
            "{printed[high]:.4f}, {printed[span]:.3f} apart. Of {count} runs with new words and "
            "matrices {runs[as_flat]} are as flat: {runs[span][mean]:.3f} apart on average, "
            "{runs[span][min]:.3f} in the flattest."),
            lambda m: min(0.5 - m["runs"]["as_flat"],
                          m["runs"]["span"]["min"] - m["printed"]["span"],
                          m["runs"]["span"]["mean"] - m["runs"]["span"]["min"],
                          m["count"] - 1.5,
                          1e-9 - abs(m["printed"]["high"] - m["printed"]["low"]
                                     - m["printed"]["span"])),
            "copied"),
        Claim("scores_too_small", T(
            "从权重倒推分数：印出来的只散开 {printed[scores]:.3f}，这段代码平均散开 "
            "{runs[scores][mean]:.3f}，最少 {runs[scores][min]:.3f}。",
            "Reading the scores back from the weights: the printed ones spread by "
            "{printed[scores]:.3f}, this code's by {runs[scores][mean]:.3f} on average and "
            "{runs[scores][min]:.3f} at least."),
            lambda m: min(m["runs"]["scores"]["min"] - 1.2 * m["printed"]["scores"],
                          m["runs"]["scores"]["mean"] - m["runs"]["scores"]["min"]),
            "softened"),
        Claim("rows_look_right", T(
            "光看每行的和查不出来：印的五行都等于一，误差 {printed[row_error]:.0e}。要用代码"
            "真跑出来的散布去比：平均每个权重偏离 {runs[spread]:.3f}，印的只有 "
            "{printed[spread]:.4f}。",
            "Row sums do not give it away: all five printed rows sum to one, within "
            "{printed[row_error]:.0e}. The spread of real runs does: the weights deviate by "
            "{runs[spread]:.3f} on average, the printed ones by {printed[spread]:.4f}."),
            lambda m: min(5e-4 - m["printed"]["row_error"],
                          m["runs"]["spread"] - 3 * m["printed"]["spread"]),
            "softened"),
    ),
    caveat=T(
        "我们说的是：随机的词、nn.Linear 默认的矩阵、{words} 个词，就是那段代码自己的设定。换别的"
        "初始化可以这么平：试 --set 4.gain=0.4。",
        "This speaks of drawn words, nn.Linear's default matrices and {words} words, the very "
        "setting of that code. Another initialisation can be as flat: try --set 4.gain=0.4."),
    questions=(Question(
        T("讲义印出一张 5×5 的权重，全在 0.18 到 0.23 之间。它是旁边那段代码的输出吗？",
          "The notes print five by five weights, all between 0.18 and 0.23. Did the code beside "
          "them put them out?"),
        (Option(T("是，没训练的注意力本来就近乎平均", "yes, untrained attention is nearly even"),
                lambda m: m["runs"]["as_flat"] - 0.5 * m["count"],
                T("方向对，程度不对：分数的标准差约三分之一，权重就会差出好几倍。",
                  "the direction is right, the size is not: scores with a deviation of a third "
                  "make weights several times apart.")),
         Option(T("换个随机种子就是", "with another seed, yes"),
                lambda m: min(m["runs"]["as_flat"] - 0.5,
                              0.5 * m["count"] - m["runs"]["as_flat"]),
                T("随机不等于什么都可能。跑上几千次，一次也没有。",
                  "random is not anything goes. In thousands of runs it never happens.")),
         Option(T("不是：{count} 次里一次也没有", "no: not once in {count} runs"),
                lambda m: 0.5 - m["runs"]["as_flat"]),),),),
    pins={"count": exact("a count"), "words": exact("a count"),
          "runs.as_flat": exact("a count"), "histogram.*": exact("counts and their bins"),
          "printed.*": ARITHMETIC,
          "*": close("float32 products: the order of additions differs", rtol=1e-4,
                     atol=1e-6)},
    errata=ERRATA["forged"],
    notes=T(
        "约 4 分钟，适合放在一节课的开头。投票，再看两张热图：哪一张是编的？争论点：怎样算“编造”的"
        "证据？（先说定统计量，再跑。）试试 --set 4.gain=0.4，和 --seed 7。",
        "About 4 minutes, good as an opener. Vote, then show both maps: which one is made up? "
        "The argument: what counts as evidence? (Name the statistic first, then run.) Try "
        "--set 4.gain=0.4, and --seed 7."),
)


PARTS: tuple[Part, ...] = (ROLES, SHARED, SHAPES, FORGED)
