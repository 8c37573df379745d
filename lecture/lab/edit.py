"""Where does a trained GPT keep a fact, and can one write another fact in its place?

Five tools on `gpt_np`, all by forward runs only:

    lens       read a layer's stream out as if it were the last one
    probe      a linear map from states to answers, fitted on all countries but one
    recovery   move one activation from a run about another country (activation
               patching): how far does the answer go over?  0 not at all, 1 all the way
    ablate     take a branch's output away: put zero, or the mean, in its place; or
               exchange it: what the branch writes for another question
    rank_one   change one matrix so that one key fetches something else

A branch is "0.attn", "0.mlp" and so on; "the place of the answer" is the last position
of a question.  Counts are "of 96", as in `probes`.

Left out: gradients.  ROME (Meng et al. 2022) finds the vector it writes by gradient
descent and asks the covariance of the keys over much text; here the vector is the difference
of two word vectors, as long as it has to be, and the key stands alone or is whitened by the
keys of the questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_np import merge_heads, softmax
from lecture.inputs import array, numbers, whole
from lecture.inputs import ids as whole_ids
from lecture.lab.probes import (
    Questions,
    next_country,
    next_question,
    questions,
    right,
    said,
)
from lecture.models.gpt_np import GPT, Patch
from lecture.models.recipes import GPTConfig
from pretrain_world import RELATIONS, Tokenizer, World, tokenizer

Array = np.ndarray
SURE, LONGEST = 0.9, 64.0            # when a written vector is long enough; when to give up


def branches(cfg: GPTConfig) -> list[str]:
    """What writes to the stream, in the order of the run: 0.attn, 0.mlp, 1.attn .."""
    kinds = ("attn", "mlp") if cfg.mlp else ("attn",)
    return [f"{layer}.{kind}" for layer in range(cfg.n_layer) for kind in kinds]


def put(position: Any, value: Any) -> Callable[[Array], Array]:
    """An edit of [B, T, d]: `value` [B, d] at a position (one number, -1 the last; or one a row).
    """
    _place(position)

    def edit(a: Array) -> Array:
        a[np.arange(len(a)), _place(position, a.shape[1])] = value
        return a
    return edit


def take(a: Array, position: Any) -> Array:
    """[B, T, d] at a position (one number, or one a row) -> [B, d]."""
    a = array("a", a)
    if a.ndim < 2:
        raise ValueError(f"a has at least 2 axes, got {a.shape}")
    place = _place(position, a.shape[1])
    if np.ndim(place) and place.shape != a.shape[:1]:
        raise ValueError(f"{place.size} positions for {len(a)} rows")
    found: Array = a[np.arange(len(a)), place]
    return found


def _place(position: Any, length: int | None = None) -> Any:
    # one number, -1 the last, or one a row
    if array("position", position).ndim == 0:
        return whole("position", position, -1, None if length is None else length - 1)
    return whole_ids("position", position, length)


# --- reading early ------------------------------------------------------------
def read_out(model: GPT, stream: Array) -> Array:
    """Streams [n, d] through the last norm and the word table: [n, V].

    The logit lens (nostalgebraist 2020): the network is run on one word a row, only to
    have the stream after its last layer replaced.
    """
    end = f"{model.cfg.n_layer - 1}.out"
    ids = np.zeros((len(stream), 1), dtype=np.int64)
    return model.run(ids, {end: stream[:, None]}).logits[:, 0]


def stages(model: GPT) -> list[str]:
    """Where the stream can be read: before the first layer, after every branch."""
    return ["0.in", *(f"{layer}.{half}" for layer in range(model.cfg.n_layer)
                      for half in ("mid", "out"))]


def table(model: GPT) -> Array:
    """The word vectors that the logits are made with [V, d]."""
    return model.w["wte.weight" if model.cfg.tied else "lm_head.weight"]


def lens(model: GPT, q: Questions, trace: dict[str, Array]) -> list[dict[str, Any]]:
    """At each stage of the stream: how many right answers stand on top.

    "last": read at the place of the answer, with its mean probability;
    "country": read where the country stands.
    """
    rows, found = np.arange(len(q.ids)), []
    for stage in stages(model):
        entry: dict[str, Any] = {"stage": stage}
        for where, position in (("last", q.last), ("country", q.country)):
            logits = read_out(model, take(trace[stage], position))      # [n, V]
            entry[where] = int((logits.argmax(-1) == q.answers).sum())
            if where == "last":
                entry["sure"] = float(softmax(logits)[rows, q.answers].mean())
        found.append(entry)
    return found


RIDGE = 0.1                          # of the mean square of what is fitted on


def probe(states: Array, vectors: Array, answers: Array) -> list[int]:
    """A linear probe that cannot know its answers by heart: rank of the right word [n].

    states [n, d], rows by country, then relation; vectors [V, d] are the word vectors.  A
    ridge regression from states to the answers' vectors is fitted on all countries but one,
    and the vector it gives for that one is compared with the answers of the same relation:
    rank 1 is the nearest.
    """
    states, vectors = numbers("states", states, 2), numbers("vectors", vectors, 2)
    answers = whole_ids("answers", answers, len(vectors))
    if answers.shape != states.shape[:1] or len(states) % len(RELATIONS) or \
            len(states) < 2 * len(RELATIONS) or not states.shape[1]:
        raise ValueError(f"states, at least 1 wide, and answers have {len(RELATIONS)} rows a "
                         f"country, of at least 2, got {states.shape} and {answers.shape}")
    country, relation = np.divmod(np.arange(len(states)), len(RELATIONS))
    aims, ranks = vectors[answers], []
    for c in range(len(states) // len(RELATIONS)):
        known = country != c
        mean, aim = states[known].mean(0), aims[known].mean(0)
        x = states[known] - mean
        gram = x.T @ x                                              # [d, d]
        gram += np.eye(len(gram)) * (RIDGE * np.trace(gram) / len(gram) + 1e-12)
        fitted = np.linalg.solve(gram, x.T @ (aims[known] - aim))
        for row in np.flatnonzero(~known):
            guess = (states[row] - mean) @ fitted + aim             # [d]
            apart = ((aims[relation == relation[row]] - guess) ** 2).sum(1)
            ranks.append(1 + int((apart < apart[c]).sum()))
    return ranks


def dealt(q: Questions, rng: np.random.Generator) -> Array:
    """The answers dealt anew among the countries, each relation by itself [n]."""
    sheet = q.answers.reshape(-1, len(RELATIONS))
    return np.stack([rng.permutation(column) for column in sheet.T], 1).ravel()


def probed(model: GPT, q: Questions, trace: dict[str, Array],
           answers: Array | None = None) -> list[dict[str, int]]:
    """At each stage: for how many questions the probe puts the right word first.

    answers: others in their place (the control: dealt anew).
    """
    answers = q.answers if answers is None else answers
    return [{where: sum(rank == 1 for rank in probe(
        take(trace[stage], position), table(model), answers))
        for where, position in (("last", q.last), ("country", q.country))}
        for stage in stages(model)]


# --- knocking out what attention may see ----------------------------------------
def blind(layer: int, query: Array, hidden: Array) -> Patch:
    """In one layer, all heads: the query's place does not see the hidden ones.

    query [B], hidden [B, T]; a row that would see nothing is a ValueError.
    """
    def edit(scores: Array) -> Array:                               # [B, h, T, T]
        rows = np.arange(len(scores))
        row = np.where(hidden[:, None], -np.inf, scores[rows, :, query])    # [B, h, T]
        if np.isneginf(row).all(-1).any():
            raise ValueError("a place must keep something to look at")
        scores[rows, :, query] = row
        return scores
    return {f"{layer}.scores": edit}


def groups(q: Questions) -> dict[str, Array]:
    """Places before the answer's, sorted: country, relation words, all others [n, T]."""
    places = np.arange(q.ids.shape[1])
    country, before = places == q.country[:, None], places < q.last[:, None]
    relation = q.relation & before
    return {"country": country, "relation": relation,
            "others": before & ~country & ~relation}


# --- moving an activation from another run --------------------------------------
@dataclass(frozen=True)
class Swap:
    """The same question about two countries, n times: ids and answers of both.

    to [n, T]: the run that is changed; source [n, T]: the run that gives.
    """

    to: Array
    source: Array
    own: Array                       # [n] what `to` should answer
    other: Array                     # [n] what `source` should answer

    def __post_init__(self) -> None:
        if self.to.shape != self.source.shape:
            raise ValueError(f"runs of {self.to.shape[1]} and {self.source.shape[1]} words: "
                             "only runs of one length can be patched place by place")


def swaps(q: Questions, relation: str, count: int | None = None, shift: int = 1) -> Swap:
    """One relation, the first `count` countries; each takes from the one `shift` on."""
    if relation not in RELATIONS:
        raise ValueError(f"relation is one of {', '.join(RELATIONS)}, got {relation!r}")
    if count is not None:
        whole("count", count, 1, len(q.ids) // len(RELATIONS))
    whole("shift", shift)
    rows = np.arange(RELATIONS.index(relation), len(q.ids), len(RELATIONS))
    to, source = rows[:count], np.roll(rows, -shift)[:count]
    end = q.last[rows[0]] + 1
    return Swap(q.ids[to, :end], q.ids[source, :end], q.answers[to], q.answers[source])


def leaning(logits: Array, swap: Swap) -> Array:
    """How far each last position prefers the other answer to its own, in logits [n]."""
    rows = np.arange(len(logits))
    return logits[rows, -1, swap.other] - logits[rows, -1, swap.own]


def recovery(now: Array, source: Array, to: Array) -> float | None:
    """(now - to) / (source - to), averaged over the rows; None where that is undefined."""
    now, source, to = numbers("now", now), numbers("source", source), numbers("to", to)
    if not now.shape == source.shape == to.shape:
        raise ValueError(f"now, source and to are of one shape: {now.shape}, {source.shape}, "
                         f"{to.shape}")
    apart = source != to
    if not apart.any():
        return None
    share = (now - to)[apart] / (source - to)[apart]
    return float(share.mean())


@dataclass(frozen=True)
class Donor:
    """Both runs of a swap, ready: what gives, what is changed, and where the two lean."""

    swap: Swap
    gives: dict[str, Array]          # traces
    stays: dict[str, Array]
    source: Array                    # leanings [n]
    to: Array


def donor(model: GPT, swap: Swap, giver: Swap | None = None) -> Donor:
    """Run both; giver: what is given comes from this one's source instead (a control)."""
    source = model.run(swap.source, trace=True)
    stays = model.run(swap.to, trace=True)
    gives = source if giver is None else model.run(giver.source, trace=True)
    return Donor(swap, gives.trace, stays.trace,
                 leaning(source.logits, swap), leaning(stays.logits, swap))


def recovered(model: GPT, d: Donor, patch: Patch) -> float | None:
    """How far the answers go over under a patch of the changed run."""
    return recovery(leaning(model.run(d.swap.to, patch).logits, d.swap), d.source, d.to)


# --- taking a branch away ---------------------------------------------------------
HOW = ("zero", "mean")
DONORS = {"country": next_country, "question": next_question}


def ablate(model: GPT, q: Questions, trace: dict[str, Array], names: Sequence[str],
           how: str, back: int = 0) -> dict[str, int]:
    """What is answered without these branches at the answer's place, sorted by kind.

    zero: nothing in their place; mean: their mean over these questions, so that only what
    differs between questions is lost.  back: as many places before it instead (a control).
    """
    if how not in HOW:
        raise ValueError(f"how is one of {', '.join(HOW)}, got {how!r}")
    place = q.last - whole("back", back, 0, int(q.last.min()))
    patch = {}
    for name in names:
        out = take(trace[name], place)                              # [n, d]
        patch[name] = put(place, 0 * out + (out.mean(0) if how == "mean" else 0))
    return kinds(q, said(model, q, patch))


def exchange(model: GPT, q: Questions, trace: dict[str, Array], names: Sequence[str],
             donors: Array, back: int = 0) -> dict[str, int]:
    """What is answered when these branches write, at the answer's place, what they write for
    another question (donors [n]): still the right word, or that question's?"""
    place = q.last - whole("back", back, 0, int(q.last.min()))
    donors = whole_ids("donors", donors, len(q.ids))
    now = said(model, q, {name: put(place, take(trace[name], place)[donors]) for name in names})
    return {"right": int((now == q.answers).sum()),
            "follow": int((now == q.answers[donors]).sum())}


def kinds(q: Questions, now: Array) -> dict[str, int]:
    """Answers [n], sorted: right, the same relation of another country, another fact of
    the same country, neither (another fact of another country), no answer at all."""
    n = np.arange(len(q.ids))
    country, relation = np.divmod(n, len(RELATIONS))
    found = dict.fromkeys(("right", "other_country", "other_fact", "neither", "else"), 0)
    for row, word in enumerate(now):
        hit = np.flatnonzero(q.answers == word)         # at most one: names differ
        if not len(hit):
            kind = "else"
        elif hit[0] == row:
            kind = "right"
        elif relation[hit[0]] == relation[row]:
            kind = "other_country"
        else:
            kind = "other_fact" if country[hit[0]] == country[row] else "neither"
        found[kind] += 1
    return found


# --- writing a fact -----------------------------------------------------------------
def reads(name: str) -> tuple[str, str]:
    """A branch's own last matrix: (what it reads, its weight); its rows are [out, in]."""
    layer, _, kind = name.partition(".")
    if kind not in ("attn", "mlp") or not layer.isdecimal():
        raise ValueError(f"a branch is called LAYER.attn or LAYER.mlp, got {name!r}")
    return {"attn": (f"{layer}.heads", f"blocks.{layer}.attn.out.weight"),
            "mlp": (f"{layer}.up", f"blocks.{layer}.mlp.down.weight")}[kind]


def key_at(trace: dict[str, Array], name: str, row: int, position: int) -> Array:
    """What the last matrix of a branch reads at one position of one row [in]."""
    a = trace[reads(name)[0]][row]                      # [T, d_ff] or [h, T, w]
    key: Array = (a if a.ndim == 2 else merge_heads(a))[position]
    return key


def rank_one(model: GPT, name: str, key: Array, change: Array,
             by: Array | None = None) -> GPT:
    """The model with W + change by^T / (by . key): `key` now fetches W key + change.

    Every other key is served the same change in proportion to its overlap with `by`, which
    is `key` itself unless another is given.
    """
    weight = reads(name)[1]
    if weight not in model.w:
        raise ValueError(f"no branch {name!r}: they are {', '.join(branches(model.cfg))}")
    out, wide = model.w[weight].shape
    key, change = numbers("key", key, 1), numbers("change", change, 1)
    with np.errstate(over="ignore", under="ignore"):
        by = key if by is None else numbers("by", by, 1)
        square = float(by @ key) if key.shape == by.shape == (wide,) else 0.0
    if not 0 < square < np.inf or change.shape != (out,):
        raise ValueError(f"key is [{wide}], not all 0, by . key > 0, change is [{out}], got "
                         f"{key.shape}, {change.shape}")
    new = model.w[weight] + np.outer(change, by) / square           # [out, in]
    return GPT(model.cfg, {**model.w, weight: new})


@dataclass(frozen=True)
class Sheet:
    """Phrasings of all questions, with the trace of the first of them."""

    forms: tuple[Questions, ...]     # the first is where the key is taken
    trace: dict[str, Array]


def sheet(model: GPT, world: World, forms: Sequence[int] = (0, 1, 2, -1)) -> Sheet:
    """The questions in these phrasings; -1 is the one no training text holds."""
    tok = tokenizer(world)
    made = tuple(questions(world, tok, form) for form in forms)
    return Sheet(made, model.run(made[0].ids, trace=True).trace)


def alone(q: Questions, row: int) -> Questions:
    """One question of a sheet, without its padding."""
    whole("row", row, 0, len(q.ids) - 1)
    one = slice(row, row + 1)
    end = q.last[row] + 1
    return Questions(q.ids[one, :end], q.last[one], q.country[one], q.relation[one, :end],
                     q.answers[one])


def whitened(s: Sheet, name: str, key: Array) -> Array:
    """C^-1 key: C is the mean of k k^T over the keys of all questions' last places.

    As ROME does with the keys of much text: what many keys share counts less.
    """
    last = s.forms[0].last
    keys = np.array([key_at(s.trace, name, row, int(p)) for row, p in enumerate(last)])
    c = keys.T @ keys / len(keys)                                   # [in, in]
    c += np.eye(len(c)) * (1e-3 * np.trace(c) / len(c))
    found: Array = np.linalg.solve(c, key)
    return found


def write(model: GPT, s: Sheet, row: int, name: str, key: Array | None = None,
          size: float | None = None, white: bool = False) -> tuple[GPT, float]:
    """Make question `row` answer the next country's word, by rank one at a branch.

    The change is the word vector of the new answer minus that of the old one, at size
    1/4, 1/2, 1 .. 64: the first that makes the new answer at least SURE. `key`, `size`:
    another key, a given size (the control); white: the key is whitened. Returns the model
    and the size.
    """
    q = s.forms[0]
    whole("row", row, 0, len(q.ids) - 1)
    new = target(q, row)
    own = key_at(s.trace, name, row, int(q.last[row]))
    words = table(model)
    direction, one = words[new] - words[q.answers[row]], alone(q, row)
    key = own if key is None else key
    by = whitened(s, name, key) if white else key
    alpha = 0.25 if size is None else size
    while True:
        made = rank_one(model, name, key, alpha * direction, by)
        sure = softmax(made.run(one.ids).logits[0, -1])[new]
        if sure >= SURE or alpha >= LONGEST or size is not None:
            return made, alpha
        alpha *= 2


def target(q: Questions, row: int) -> int:
    """The word an edit writes: the answer of the same question on the next country."""
    whole("row", row, 0, len(q.ids) - 1)
    return int(q.answers[(row + len(RELATIONS)) % len(q.ids)])


def judge(made: GPT, s: Sheet, row: int) -> dict[str, Any]:
    """What an edit of question `row` did, over all facts.

    says: the new word on the edited question; paraphrases: on its other phrasings;
    kept: of the other facts, still right; and who lost: facts of the same country, of
    the same relation, others.
    """
    q = s.forms[0]
    now, n = said(made, q), np.arange(len(q.ids))
    lost = (now != q.answers) & (n != row)
    country = n // len(RELATIONS) == row // len(RELATIONS)
    relation = n % len(RELATIONS) == row % len(RELATIONS)
    new = target(q, row)
    return {"says": int(now[row] == new),
            "paraphrases": sum(int(said(made, alone(f, row))[0] == new) for f in s.forms[1:]),
            "kept": len(q.ids) - 1 - int(lost.sum()),
            "lost_country": int((lost & country).sum()),
            "lost_relation": int((lost & relation).sum()),
            "lost_neither": int((lost & ~country & ~relation).sum())}


def edits(model: GPT, s: Sheet, rows: Iterable[int], names: Sequence[str],
          foreign: bool = False) -> dict[str, dict[str, Any]]:
    """Each fact written at each branch, one at a time, and judged; sums over the facts.

    "whitened": at the first branch, the key whitened.  "key_country", "key_question": at the
    last branch, as large, with the key of the next country's same question, and of the same
    country's next question.  foreign: everywhere with the next country's key (a control).
    """
    totals: dict[str, dict[str, Any]] = {}
    q = s.forms[0]
    others = {f"key_{kind}": donors(q) for kind, donors in DONORS.items()}

    def key_of(name: str, row: int) -> Array:
        return key_at(s.trace, name, row, int(q.last[row]))

    def add(label: str, name: str, row: int, donor: int | None = None,
            white: bool = False) -> None:
        made, size = write(model, s, row, name, white=white)
        if donor is not None or foreign:
            giver = int(others["key_country"][row]) if donor is None else donor
            made, _ = write(model, s, row, name, key_of(name, giver), size, white)
        entry = judge(made, s, row) | {"edits": 1, "size": size}
        total = totals.setdefault(label, dict.fromkeys(entry, 0))
        for key, value in entry.items():
            total[key] += value

    for row in rows:
        for name in names:
            add(name, name, row)
        add("whitened", names[0], row, white=True)
        for label, donors in others.items():
            add(label, names[-1], row, int(donors[row]))
    return totals


# --- everything, for the record over seeds --------------------------------------------
def branch_sets(model: GPT) -> dict[str, list[str]]:
    """Each branch by itself, then both layers' of a kind: 0_attn .. all_mlp."""
    names = branches(model.cfg)
    sets = {n.replace(".", "_"): [n] for n in names}
    return sets | {f"all_{kind}": [n for n in names if n.endswith(kind)]
                   for kind in ("attn", "mlp")}


def answers_without(model: GPT, q: Questions, trace: dict[str, Array],
                    back: int = 0) -> dict[str, dict[str, dict[str, int]]]:
    """The answers left without each branch, and without both layers', by HOW; and those
    where it is exchanged for the next country's and for the next question's (DONORS)."""
    return {key: {**{how: ablate(model, q, trace, some, how, back) for how in HOW},
                  **{kind: exchange(model, q, trace, some, donors(q), back)
                     for kind, donors in DONORS.items()}}
            for key, some in branch_sets(model).items()}


def answers_everywhere(model: GPT, q: Questions) -> dict[str, int]:
    """Right answers left with a kind of branch put to zero in all layers, at all places."""
    return {kind: right(model, q, {n: np.zeros_like for n in branches(model.cfg)
                                   if n.endswith(kind)}) for kind in ("attn", "mlp")}


def right_without_enrichment(model: GPT, q: Questions, place: Array | None = None) -> int:
    """Right answers left when no MLP writes anything where the country stands, or at a place."""
    place = q.country if place is None else place
    return right(model, q, {n: put(place, 0.0) for n in branches(model.cfg)
                            if n.endswith("mlp")})


def answers_blind(model: GPT, q: Questions) -> dict[str, dict[str, int]]:
    """Right answers left when one layer does not see a group of places: layer, group."""
    return {f"layer_{layer}": {group: right(model, q, blind(layer, q.last, hidden))
                               for group, hidden in groups(q).items()}
            for layer in range(model.cfg.n_layer)}


def moved(model: GPT, q: Questions, relation: str, count: int | None = None,
          third: bool = False) -> dict[str, dict[str, float | None]]:
    """Recovery of each branch and stage, patched where the country or the answer stands.

    third: what is put in comes from one country further on, about which nobody asks.
    """
    giver = swaps(q, relation, count, shift=2) if third else None
    d = donor(model, swaps(q, relation, count), giver)
    country = int(q.country[RELATIONS.index(relation)])
    names = ["0.in", *(f"{layer}.out" for layer in range(model.cfg.n_layer)),
             *branches(model.cfg)]
    return {name.replace(".", "_"): {
        where: recovered(model, d, {name: put(p, d.gives[name][:, p])})
        for where, p in (("country", country), ("last", d.swap.to.shape[1] - 1))}
        for name in names}


def measure(model: GPT, world: World, facts: int = 12) -> dict[str, Any]:
    """All that demo 14 measures on one training; `facts`: how many are rewritten."""
    whole("facts", facts, 1)
    rng, tok = np.random.default_rng(0), tokenizer(world)
    q, unseen = questions(world, tok), questions(world, tok, form=-1)
    trace = model.run(q.ids, trace=True).trace
    rows = rng.permutation(len(q.ids))[:facts]
    return {"right": right(model, q), "unseen_right": right(model, unseen),
            "questions": len(q.ids), "lens": lens(model, q, trace),
            "probe": probed(model, q, trace),
            "blind": answers_blind(model, q),
            "moved": {r: moved(model, q, r) for r in RELATIONS},
            "ablation": answers_without(
                model, unseen, model.run(unseen.ids, trace=True).trace),
            "everywhere": answers_everywhere(model, unseen),
            "without_enrichment": right_without_enrichment(model, q),
            "edits": edits(model, sheet(model, world), map(int, rows), branches(model.cfg))}


# --- facts as sentences ----------------------------------------------------------------
def completed(model: GPT, tok: Tokenizer, sentences: Sequence[str]) -> tuple[Array, Array]:
    """Sentences "… word ." cut before the word: (logits there [n, V], ids of the words)."""
    rows = [tok.encode(s) for s in sentences]
    ids = np.zeros((len(rows), max(map(len, rows)) - 2), dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, :len(row) - 2] = row[:-2]                # padding is on the right
    last = np.array([len(row) - 3 for row in rows])
    return take(model.run(ids).logits, last), np.array([row[-2] for row in rows])
