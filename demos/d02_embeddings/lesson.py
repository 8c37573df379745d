"""The vectors behind demo 02: drawn, counted, set by hand, and trained, in this order.

Part 1 compares a product with a row of the same table, forwards and in the gradient.
Part 2 counts neighbours in the invented world and asks the truncated table who is near;
part 3 builds one layer from named directions, with the proof beside it; part 4 reads the
shipped model at three places of its one layer, and the record of other seeds.

Longer than 450 lines because part 3's weights and part 4's measuring of a network, which
the record of other seeds calls too, are read beside what is made of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, sinusoidal_positions
from lecture import records
from lecture.data.tasks import SENSE_TOPICS, SENSE_VOCABULARY, SENSE_WORDS
from lecture.lab.embed import (
    cooccurrence,
    cosines,
    neighbours,
    plane,
    ppmi,
    purity,
    truncated,
    unit,
)
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT, combine, cut_edge
from lecture.report import Metrics
from pretrain_world import ATTRIBUTES, documents, make_world, tokenizer

Array = np.ndarray


# --- 1. one-hot, on paper only ------------------------------------------------

TOY = {"wo": "我", "ai": "爱", "diannao": "电脑"}    # I, love, computer
SHOWN = 4                               # numbers of a row that are shown
SAMPLE, TOKENS = 2000, 3                # rows of the table that is multiplied out


def one_hot(ids: Array, n: int) -> Array:
    """A one at the word's own place, zeros elsewhere: [k, n]."""
    codes = np.zeros((len(ids), n))
    codes[np.arange(len(ids)), ids] = 1.0
    return codes


def blurred(ids: Array, n: int) -> Array:
    """The same with a tenth of the one spread over all places: [k, n]."""
    return 0.9 * one_hot(ids, n) + 0.1 / n


def binary(ids: Array, n: int) -> Array:
    """The word's number from 1 on, in binary digits: [k, n]."""
    return (ids[:, None] + 1 >> np.arange(n)) % 2.0


def look_rows_up(words: int, width: int, seed: int, code: Any = one_hot,
                 toy: bool = False) -> Metrics:
    """Three words of a toy, then three of a large table, by product and number.

    Draws, in this order: the toy's table [3, 4], the table [2000, width],
    3 ids, 3 gradients.  toy: bytes of a vocabulary of three (the control).

    Leaves:
      words width sample table_megabytes  sample: rows of the drawn table
      toy.{wo,ai,diannao}.{word,code[3],row[4]}
      dots.{wo_ai,wo_diannao} distances.{wo_ai,wo_diannao}
      same.{numbers,differing}  the product beside the rows
      gradient.{touched,tokens,differing}  rows, words; numbers
      ways.{written,dense,id}.{bytes,multiply_adds} ratio  for one word
    """
    rng = np.random.default_rng(seed)
    three = np.arange(len(TOY))
    small = rng.standard_normal((len(TOY), SHOWN))              # [3, 4]
    codes = code(three, len(TOY))                               # [3, 3]
    looked_up = codes @ small               # [3, 3] @ [3, 4] -> [3, 4]
    E = rng.standard_normal((SAMPLE, width))                    # [n, d]
    ids = rng.choice(SAMPLE, TOKENS, replace=False)             # [3]
    g = rng.standard_normal((TOKENS, width))                    # [3, d]
    many = code(ids, SAMPLE)                                    # [3, n]
    product = many @ E                      # [3, n] @ [n, d] -> [3, d]
    slow = many.T @ g                       # [n, 3] @ [3, d] -> [n, d]
    fast = np.zeros_like(E)
    np.add.at(fast, ids, g)                 # only the rows of these words
    size = len(TOY) if toy else words
    written = one_hot(np.array([size - 1]), size).astype(np.float32)
    dense = E[ids[:1]].astype(np.float32)                       # [1, d]
    beside = {"wo_ai": 1, "wo_diannao": 2}
    return {
        "words": words, "width": width, "sample": SAMPLE,
        "table_megabytes": words * dense.nbytes / 1e6,
        "toy": {w: {"word": TOY[w], "code": codes[i], "row": looked_up[i]}
                for i, w in enumerate(TOY)},
        "dots": {k: codes[0] @ codes[i] for k, i in beside.items()},
        "distances": {k: np.linalg.norm(codes[0] - codes[i])
                      for k, i in beside.items()},
        "same": {"numbers": product.size,
                 "differing": int((product != E[ids]).sum())},
        "gradient": {"touched": int(slow.any(axis=1).sum()),
                     "tokens": TOKENS,
                     "differing": int((slow != fast).sum())},
        "ways": {"written": {"bytes": written.nbytes,
                             "multiply_adds": size * width},
                 "dense": {"bytes": dense.nbytes, "multiply_adds": 0},
                 "id": {"bytes": ids[:1].nbytes, "multiply_adds": 0}},
        "ratio": written.nbytes / dense.nbytes,
    }


ONE_HOT_CONTROLS: dict[str, Any] = {
    "blurred": partial(look_rows_up, code=blurred),
    "binary": partial(look_rows_up, code=binary),
    "toy": partial(look_rows_up, toy=True),
}


# --- 2. a word by its company -------------------------------------------------

KINDS = ("country", *ATTRIBUTES)                # of the invented names
PLAIN = len(KINDS)                              # the kind of every other word
LETTERS = "abcdef"
DIMS, SHUFFLES = (8, 16, 32, 64), 1000
FREQUENT, UNSEEN = "is", -1                     # of the worked example; no such row


@dataclass(frozen=True)
class Corpus:
    """Some of the world's texts as ids of the words they hold, counted."""

    words: list[str]
    rows: list[list[int]]
    counts: Array                               # [S, S]
    kinds: Array                                # [S] of KINDS, or PLAIN
    homes: Array                                # [S] a country, or -1
    country: Array                              # [24] where its name stands
    capital: Array                              # [24] and its capital, or UNSEEN
    of: int                                     # texts there are


def read_corpus(share: float, seed: int, strewn: bool = False,
                dealt: bool = False) -> Corpus:
    """A share of the world's sentences and questions, and their counts.

    strewn: the same words and lengths, each word anywhere.  dealt: each country's
    capital is taken to be the next one's.  Two controls.
    """
    rng, world = np.random.default_rng(seed), make_world()
    tok, texts = tokenizer(world), documents(world, registers=0)
    some = np.sort(rng.permutation(len(texts))[:round(share * len(texts))])
    rows = [tok.encode(texts[i].text)[1:] for i in some]        # no <doc>
    if strewn:
        mixed = rng.permutation(np.concatenate(rows))
        ends = np.cumsum([len(r) for r in rows])
        rows = [r.tolist() for r in np.split(mixed, ends[:-1])]
    seen = np.unique(np.concatenate(rows))                      # [S]
    rows = [np.searchsorted(seen, r).tolist() for r in rows]
    words = [tok.itos[i] for i in seen]
    who = {w: (k, i) for i, c in enumerate(world.countries)
           for k, w in enumerate(c.words())}
    kinds, homes = np.array([who.get(w, (PLAIN, -1)) for w in words]).T
    capitals = [c.capital for c in world.countries]
    capitals = capitals[1:] + capitals[:1] if dealt else capitals
    return Corpus(words, rows, cooccurrence(rows, len(words)), kinds, homes,
                  np.array([words.index(c.name) for c in world.countries]),
                  np.array([words.index(c) if c in words else UNSEEN
                            for c in capitals]), len(texts))


def capitals_found(X: Array, text: Corpus) -> dict[str, float]:
    """Right among the capitals, with the offset of another country and without.

    Both are asked for every ordered pair (a, b): the capital nearest to
    capital(a) - a + b, or to b alone; capital(a), which was given, is left out.
    """
    X, seen = unit(X), text.capital != UNSEEN
    C, K = X[text.country[seen]], X[text.capital[seen]]         # [n, d]
    asked = {"offset": (K - C)[:, None] + C, "alone": C[None].repeat(len(C), 0)}
    given, pair = np.eye(len(C), dtype=bool), ~np.eye(len(C), dtype=bool)
    found = {}
    for name, q in asked.items():
        score = np.where(given[:, None], -np.inf, q @ K.T)      # [a, b, capital]
        found[name] = (score.argmax(axis=2) == np.arange(len(C)))[pair].mean()
    return found


def beside(X: Array, text: Corpus) -> Metrics:
    """Who is nearest: to the countries among all words, to names among names."""
    order = neighbours(X)                                       # [S, S-1]
    first = order[text.country, 0]                              # [24]
    name = text.kinds < PLAIN                                   # [S]
    nearest = neighbours(X[name])[:, 0]                         # [N]
    own = text.homes[first] == np.arange(len(first))            # [24]
    return {"country": int((text.kinds[first] == 0).sum()),
            "capital": int((first == text.capital).sum()),
            "own": int((own & (first != text.capital)).sum()),
            "plain": int((text.kinds[first] == PLAIN).sum()),
            "same_kind": purity(nearest, text.kinds[name]),
            "same_home": purity(nearest, text.homes[name]),
            **capitals_found(X, text)}


def met(text: Corpus, a: str, b: str) -> Metrics:
    """Pointwise mutual information of two words, from the counts up."""
    i, j = text.words.index(a), text.words.index(b)
    alone, n = text.counts.sum(axis=1), text.counts.sum()
    both = text.counts[i, j]
    chance = alone[i] * alone[j] / n
    return {"a": a, "b": b, "both": both, "of_a": alone[i], "of_b": alone[j],
            "chance": chance, "ratio": both / chance,
            "ppmi": ppmi(text.counts)[i, j]}


def keep_company(share: float, dims: int, seed: int, strewn: bool = False,
                 dealt: bool = False, truncate: bool = True,
                 arm: str = "text") -> Metrics:
    """Counts -> PPMI -> SVD, then: who is near whom?

    Draws: documents, (the control's words,) then, from the same seed, shuffles.

    Leaves:
      documents kept seen names countries pairs dims
      example.{capital,frequent}.{a,b,both,of_a,of_b,chance,ratio,ppmi}
      near.{country,capital,own,plain}  nearest is such; own: its leader, say
      near.{same_kind,same_home,offset,alone}  shares of names; of capitals
      met.{country,capital}  most often with another country; mean, own capital
      chance.{shuffles,mean,spread,highest}  same_kind, the kinds dealt anew
      neighbours.*.{word,cosine,first,second,third}
      counted.{d8,d16,d32,d64,all}.{dims,country,capital,own,plain,same_kind,
        same_home,offset,alone}  as near
      trained.{d8,d16,d32}.{dims,country,capital,own,plain,same_kind,same_home,
        offset,alone}  skip-gram, means over its seeds
      trained.{seeds,epochs,negatives,lowest_kind,highest_kind}
      factored.{d8,d16,d32}  correlation of its scores with PMI
      picture.{kept,same_kind,points[n,2],letters[n]}  one point a name
    """
    text = read_corpus(share, seed, strewn, dealt)
    every = truncated(ppmi(text.counts), len(text.words))       # [S, S]
    X = unit(every[:, :dims] if truncate else every)            # [S, dims]
    rng, name = np.random.default_rng(seed), text.kinds < PLAIN
    nearest = neighbours(X[name])[:, 0]                         # [N]
    chance = np.array([purity(nearest, rng.permutation(text.kinds[name]))
                       for _ in range(SHUFFLES)])               # [1000]
    country = np.ix_(text.country, text.country)
    other = ~np.eye(len(text.country), dtype=bool)
    order, alike = neighbours(X), cosines(X)
    shown = [np.flatnonzero(text.kinds == k)[0] for k in range(len(KINDS))]
    kept = {f"d{d}": d for d in DIMS} | {"all": len(text.words)}
    owned = text.country[text.capital != UNSEEN]                # [<= 24]
    capital = text.capital[text.capital != UNSEEN]
    a, b = text.words[owned[0]], text.words[capital[0]]
    return {
        "documents": text.of, "kept": len(text.rows), "seen": len(text.words),
        "names": int(name.sum()), "countries": len(other), "dims": dims,
        "pairs": text.counts.sum(),
        "example": {"capital": met(text, a, b),
                    "frequent": met(text, a, FREQUENT)},
        "near": beside(X, text),
        "met": {"country": text.counts[country][other].max(),
                "capital": text.counts[owned, capital].mean()},
        "chance": {"shuffles": SHUFFLES, "mean": chance.mean(),
                   "spread": chance.std(), "highest": chance.max()},
        "neighbours": {
            KINDS[k]: {"word": text.words[i],
                       "cosine": alike[i, order[i, 0]],
                       **{place: text.words[j] for place, j in zip(
                           ("first", "second", "third"), order[i, :3],
                           strict=True)}}
            for k, i in enumerate(shown)},
        "counted": {key: {"dims": d, **beside(every[:, :d], text)}
                    for key, d in kept.items()},
        **skip_grams(arm),
        "picture": flat_picture(X[name], text.kinds[name]),
    }


def skip_grams(arm: str) -> Metrics:
    """The record of skip-gram: means over its seeds, for each width."""
    record = records.read("skip_gram")
    runs = record["runs"][arm]                                  # a list a width
    means = {key: {leaf: float(np.mean([run[leaf] for run in entries]))
                   for leaf in entries[0]}
             for key, entries in sorted(runs.items(), key=lambda kv: kv[1][0]["dims"])}
    kinds = [run["same_kind"] for key in ("d8", "d16") for run in runs[key]]
    return {
        "trained": {key: {leaf: v for leaf, v in m.items() if leaf != "pmi"}
                    for key, m in means.items()}
        | {"seeds": len(runs["d8"]), "epochs": record["setup"]["epochs"],
           "negatives": record["setup"]["negatives"],
           "lowest_kind": min(kinds), "highest_kind": max(kinds)},
        "factored": {key: m["pmi"] for key, m in means.items()}}


COMPANY_CONTROLS: dict[str, Any] = {
    "strewn": partial(keep_company, strewn=True),
    "untruncated": partial(keep_company, truncate=False),
    "dealt": partial(keep_company, dealt=True),
    "strewn_trained": partial(keep_company, arm="strewn"),
}


def flat_picture(X: Array, kinds: Array) -> Metrics:
    """The plane in which unit vectors [N, d] spread most; who is near in it."""
    points, kept = plane(X)                                     # [N, 2]
    gap = np.square(points[:, None] - points).sum(axis=2)       # [N, N]
    np.fill_diagonal(gap, np.inf)
    return {"kept": kept, "points": points,
            "same_kind": purity(gap.argmin(axis=1), kinds),
            "letters": [LETTERS[k] for k in kinds]}


# --- 3. one word, two contexts: by hand ---------------------------------------

# Each word is the sum of its own direction and of these, all at right angles.
MEANS = {"bank": "asks", "apple": "asks",
         "river": "tells water", "lake": "tells water",
         "savings": "tells money", "account": "tells money",
         "ripe": "tells fruit", "pie": "tells fruit",
         "laptop": "tells machine", "phone": "tells machine"}
HAND_MADE = {
    "bank": {"water": ("the river bank", "a bank by the lake"),
             "money": ("the savings bank", "my bank account")},
    "apple": {"fruit": ("the ripe apple", "an apple in the pie"),
              "machine": ("a phone by apple", "an apple laptop")},
}
FEATURES = ("asks", "tells", "water", "money", "fruit", "machine")
HAND_WORDS = tuple(dict.fromkeys(w for senses in HAND_MADE.values()
                                 for texts in senses.values()
                                 for text in texts for w in text.split()))
DIRECTION = {name: i for i, name in enumerate((*FEATURES, *HAND_WORDS))}
SIZE = len(DIRECTION)                                           # d


def direction(*names: str) -> Array:
    """The sum of named directions, [d]."""
    return np.eye(SIZE)[[DIRECTION[name] for name in names]].sum(axis=0)


TABLE = {w: direction(w, *MEANS.get(w, "").split()) for w in HAND_WORDS}
# A word that asks looks for a word that tells, and fetches what it tells.  Proof: the
# score of (bank, river) is beta (asks . asks)(tells . tells) = beta, of (bank, the) it
# is 0, and a word that does not ask scores 0 everywhere.
W_Q = np.outer(direction("asks"), direction("tells"))           # [d, d]
W_K = np.outer(direction("tells"), direction("tells"))          # [d, d]
W_V = np.diag(1 - direction("asks", "tells"))                   # [d, d] all but flags


def pairs(X: Array, sense: Array) -> dict[str, float]:
    """The lowest cosine within a sense, the highest across: [n, d], [n]."""
    alike = cosines(X)                                          # [n, n]
    same = sense[:, None] == sense                              # [n, n]
    pair = ~np.eye(len(X), dtype=bool)
    return {"within": float(alike[same & pair].min()),
            "across": float(alike[~same].max())}


def differing(rows: Any) -> int:
    """How many numbers of the rows [n, d] differ from the first row."""
    X = np.asarray(rows)
    return int((X[0] != X).sum())


def one_layer(text: str, word: str, beta: float,
              blind: bool) -> tuple[Array, Array, Array, int]:
    """The word before [d] and after [d], whom it looks at [T], its place.

    blind: each word sees only itself.
    """
    words = text.split()
    X = np.array([TABLE[w] for w in words])                     # [T, d]
    here = words.index(word)
    mask = np.eye(len(words), dtype=bool) if blind else None
    out, W = attention(beta * X @ W_Q, X @ W_K, X @ W_V, scale=False,
                       mask=mask)                       # [T, d], [T, T]
    return X[here], (X + out)[here], W[here], here


def two_contexts(beta: float, seed: int, blind: bool = False,
                 even: bool = False, later: bool = False,
                 placed: bool = True) -> Metrics:
    """Two words, four sentences each, one layer of attention set by hand.

    Draws a random query matrix [d, d]: its numbers must not matter.
    blind: each word sees itself only; even: it looks at all words alike;
    later: ask the word after the layer, not before; placed: add positions.

    Leaves:
      beta
      example.{words,scores,exps,weights}[3] example.total  the first sentence
      words.{bank,apple}.{before,after}.{within,across}  cosines
      sentences[8].{text,word,sense,looks_at,weight}
      query.{numbers,differing,random_differing,differing_later}  of all queries
      moved.{same_place,other_place}  with positions added, numbers that differ
    """
    R = np.random.default_rng(seed).standard_normal((SIZE, SIZE))
    beta_used = 0.0 if even else beta
    found: Metrics = {
        "beta": beta, "words": {}, "sentences": [],
        "example": look(HAND_MADE["bank"]["water"][0], "bank", beta_used),
        "query": {"numbers": 0, "differing": 0, "random_differing": 0,
                  "differing_later": 0},
        "moved": {"same_place": 0, "other_place": 0}}
    for word, senses in HAND_MADE.items():
        rows = [(text, name) for name, texts in senses.items()
                for text in texts]
        sense = np.array([name for _, name in rows])            # [4]
        read = [one_layer(text, word, beta_used, blind) for text, _ in rows]
        before, after = (np.array([r[i] for r in read]) for i in (0, 1))
        A, place = (after if later else before), [r[3] for r in read]
        P = sinusoidal_positions(np.array(place), SIZE) * placed    # [4, d]
        asked = {"differing": A @ W_Q, "random_differing": A @ R,
                 "differing_later": after @ R}
        found["query"]["numbers"] += A.size - A.shape[1]
        for name, Q in asked.items():
            found["query"][name] += differing(Q)                # Q [4, d]
        for i, j in np.argwhere(sense[:, None] < sense):        # two senses
            where = "same" if place[i] == place[j] else "other"
            found["moved"][f"{where}_place"] += differing(
                [(x + p) @ R for x, p in ((A[i], P[i]), (A[j], P[j]))])
        found["words"][word] = {"before": pairs(A, sense),
                                "after": pairs(after, sense)}
        found["sentences"] += [
            {"text": text, "word": word, "sense": name,
             "looks_at": text.split()[W.argmax()], "weight": W.max()}
            for (text, name), (_, _, W, _) in zip(rows, read, strict=True)]
    return found


def look(text: str, word: str, beta: float) -> Metrics:
    """How one word's weights come about, step by step."""
    X = np.array([TABLE[w] for w in text.split()])              # [T, d]
    scores = X @ W_K @ (beta * TABLE[word] @ W_Q)               # [T]
    exps = np.exp(scores)
    return {"words": text.split(), "scores": scores, "exps": exps,
            "weights": exps / exps.sum(), "total": exps.sum()}


BY_HAND_CONTROLS: dict[str, Any] = {
    "blind": partial(two_contexts, blind=True),
    "even": partial(two_contexts, even=True),
    "asked_later": partial(two_contexts, later=True),
    "no_positions": partial(two_contexts, placed=False),
}


# --- 4. the same in a trained model -------------------------------------------

TOPICS = (2, 4)                                 # of "<doc> the river and boat bank"
SLOT = 5                                        # where the two-sense word stands
SITES = {"before": "0.in", "attended": "0.mid", "after": "0.out"}


def sentences_about(word: str) -> tuple[Array, Array]:
    """Every `<doc> the A and B word`, A and B of one sense: [24, 6], [24]."""
    col = {w: i for i, w in enumerate(SENSE_VOCABULARY)}
    rows = [([0, col["the"], col[a], col["and"], col[b], col[word]], s)
            for s, sense in enumerate(SENSE_WORDS[word])
            for a in SENSE_TOPICS[sense]
            for b in SENSE_TOPICS[sense] if a != b]
    return np.array([r for r, _ in rows]), np.array([s for _, s in rows])


def share_of_first(logits: Array, word: str) -> Array:
    """What the first topic gets of what both topics get next: [n, V] -> [n]."""
    p = np.exp(logits - logits.max(axis=1, keepdims=True))      # [n, V]
    first, other = (p[:, [SENSE_VOCABULARY.index(w) for w in SENSE_TOPICS[s]]]
                    .sum(axis=1) for s in SENSE_WORDS[word])    # each [n]
    return first / (first + other)                              # [n]


def given_by(values: Array, donors: Array) -> dict[str, Any]:
    """A patch: the topic words hand over another sentence's values [n, h, T, w]."""
    def edit(v: Array) -> Array:
        v[:, :, TOPICS] = values[donors][:, :, TOPICS]
        return v
    return {"0.v": edit}


def changes(values: Array, one_topic: bool = False,
            same_sense: bool = False) -> dict[str, Any]:
    """What is done to the look of the word; the first half of the rows is one sense.

    one_topic: every cut spares one of the two; same_sense: what is handed over is
    another sentence's of the same sense (two controls).
    """
    n = len(values)
    row, half = np.arange(n), n // 2
    kin = (row + 1) % half + half * (row >= half)               # same sense
    cut = {name: combine([cut_edge(0, head, SLOT, k)
                          for k in (TOPICS[:1] if one_topic else TOPICS)])
           for name, head in (("both", None), ("h0", 0), ("h1", 1))}
    return {"full": None, "one": cut_edge(0, None, SLOT, TOPICS[0]), **cut,
            "kin": given_by(values, kin),
            "swapped": given_by(values, kin if same_sense
                                else (row + half) % n)}


def read_senses(model: GPT, word: str, **control: bool) -> Metrics:
    """What the model makes of a word in 24 sentences, whole and changed."""
    ids, sense = sentences_about(word)                          # [24, 6], [24]
    trace = model.run(ids, trace=True).trace
    patches = changes(trace["0.v"], **control)
    found: Metrics = {"cuts": {}, "attention":
                      trace["0.weights"][:, :, SLOT].mean(axis=0)}  # [h, T]
    for name, patch in patches.items():
        first = share_of_first(model.run(ids, patch).logits[:, SLOT], word)
        found["cuts"][name] = {
            "right": int(((first > 0.5) == (sense == 0)).sum()),
            "said_first": int((first > 0.5).sum()),
            "in_first": first[sense == 0].mean(),
            "in_other": first[sense == 1].mean()}
    cut = model.run(ids, patches["both"], trace=True).trace
    for when, at in {"whole": trace, "cut": cut}.items():
        found[when] = {site: pairs(at[name][:, SLOT], sense)
                       for site, name in SITES.items()}
    return found


def summary(model: GPT) -> Metrics:
    """What the record keeps of one training: right, of both words; what is said."""
    read = {word: read_senses(model, word) for word in SENSE_WORDS}
    return {"sentences": sum(len(sentences_about(w)[0]) for w in read),
            "within": min(r["whole"]["attended"]["within"] for r in read.values()),
            "across": max(r["whole"]["attended"]["across"] for r in read.values()),
            "right": {name: sum(r["cuts"][name]["right"] for r in read.values())
                      for name in ("full", "one", "both", "swapped")},
            "cut_first": {w: r["cuts"]["both"]["in_first"] for w, r in read.items()}}


def two_senses(seed: int, blank: bool = False, arm: str = "trained",
               **control: bool) -> Metrics:
    """The shipped model on every sentence; nothing is drawn.

    blank: the cosines of the run whose edges to the topic words are cut.

    Leaves:
      sentences half sentences_read columns[6] heads[2]
      attention.{bank,apple}[2,6]  [head, place]
      cuts.{full,one,both,h0,h1,swapped,kin}.{bank,apple}.{right,said_first,
        in_first,in_other}  sentences; share of the first sense, means by sense
      words.{bank,apple}.{before,attended,after}.{within,across}  cosines
      record.{seeds,shown,sentences}  shown: the seed of what is shown
      record.runs[5].{seed,full,one,both,swapped,bank,apple,within,across}
      record.{flipped,lowest_full,highest_both,lowest_bank,highest_bank}
      record.{lowest_within,highest_across}
    """
    recipe = recipes.named("senses")
    model = GPT(recipe.config, model_cache.load(recipe))
    read = {word: read_senses(model, word, **control) for word in SENSE_WORDS}
    runs = [{"seed": e["seed"], **e[arm]["right"], **e[arm]["cut_first"],
             "within": e[arm]["within"], "across": e[arm]["across"]}
            for e in records.read("senses")["seeds"]]
    n = len(sentences_about("bank")[0])
    return {
        "sentences": n, "half": n // 2,
        "sentences_read": recipe.training.steps * recipe.training.batch,
        "columns": ["<doc>", "the", "A", "and", "B", "self"],
        "heads": ["L0H0", "L0H1"],
        "attention": {word: r["attention"] for word, r in read.items()},
        "cuts": {name: {word: r["cuts"][name] for word, r in read.items()}
                 for name in read["bank"]["cuts"]},
        "words": {word: r["cut" if blank else "whole"]
                  for word, r in read.items()},
        "record": {
            "seeds": len(runs), "shown": recipe.seed, "sentences": 2 * n,
            "runs": runs,
            "flipped": sum(r["swapped"] == 0 for r in runs),
            "lowest_full": min(r["full"] for r in runs),
            "highest_both": max(r["both"] for r in runs),
            "lowest_bank": min(r["bank"] for r in runs),
            "highest_bank": max(r["bank"] for r in runs),
            "lowest_within": min(r["within"] for r in runs),
            "highest_across": max(r["across"] for r in runs)}}


TRAINED_CONTROLS: dict[str, Any] = {
    "blank": partial(two_senses, blank=True),
    "one_topic": partial(two_senses, one_topic=True),
    "same_sense": partial(two_senses, same_sense=True),
    "untrained": partial(two_senses, arm="untrained"),
}
