"""Where does a trained GPT keep a fact, and can one write another fact in its place?

Four tools on `gpt_np`, all by forward runs only:

    lens       read a layer's stream out as if it were the last one
    recovery   move one activation from a run about another country: how far
               does the answer go over?  0 not at all, 1 all the way
    ablate     take a branch's output away: put zero, or the mean, in its place
    rank_one   change one matrix so that one key fetches something else

A branch is "0.attn", "0.mlp" and so on; "the place of the answer" is the last position
of a question.  Counts are "of 96", as in `probes`.

Left out: gradients.  ROME (Meng et al. 2022) finds the vector it writes by gradient
descent and asks the covariance of the keys; here the vector is the difference of two
word vectors, as long as it has to be, and the key stands alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_np import merge_heads, softmax
from lecture.inputs import array, numbers, whole
from lecture.inputs import ids as whole_ids
from lecture.lab.probes import Questions, questions, right, said
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


def lens(model: GPT, q: Questions, trace: dict[str, Array]) -> list[dict[str, Any]]:
    """At each stage of the stream: how many right answers stand on top.

    "last": read at the place of the answer, with its mean probability;
    "country": read where the country stands.
    """
    stages = ["0.in", *(f"{layer}.{half}" for layer in range(model.cfg.n_layer)
                        for half in ("mid", "out"))]
    rows, found = np.arange(len(q.ids)), []
    for stage in stages:
        entry: dict[str, Any] = {"stage": stage}
        for where, position in (("last", q.last), ("country", q.country)):
            logits = read_out(model, take(trace[stage], position))      # [n, V]
            entry[where] = int((logits.argmax(-1) == q.answers).sum())
            if where == "last":
                entry["sure"] = float(softmax(logits)[rows, q.answers].mean())
        found.append(entry)
    return found


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


def donor(model: GPT, swap: Swap, itself: bool = False) -> Donor:
    """Run both; `itself`: what is given comes from the changed run (the identity)."""
    gives = model.run(swap.source, trace=True)
    stays = model.run(swap.to, trace=True)
    return Donor(swap, stays.trace if itself else gives.trace, stays.trace,
                 leaning(gives.logits, swap), leaning(stays.logits, swap))


def recovered(model: GPT, d: Donor, patch: Patch) -> float | None:
    """How far the answers go over under a patch of the changed run."""
    return recovery(leaning(model.run(d.swap.to, patch).logits, d.swap), d.source, d.to)


def patch_map(model: GPT, d: Donor, names: Sequence[str]) -> list[list[float | None]]:
    """Each activation at each position, alone: [names][T]."""
    return [[recovered(model, d, {name: put(p, d.gives[name][:, p])})
             for p in range(d.swap.to.shape[1])] for name in names]


def push(d: Donor, name: str, position: int, rng: np.random.Generator) -> Patch:
    """The control of a patch: as large a change at the same place, in a random direction."""
    own = d.stays[name][:, position]                                # [n, d]
    return {name: put(position, pushed(own, d.gives[name][:, position] - own, rng))}


def pushed(a: Array, by: Array, rng: np.random.Generator) -> Array:
    """a [n, d] moved as far as `by` [n, d] is long, in a random direction."""
    a, by = numbers("a", a, 1), numbers("by", by, 1)
    if a.shape != by.shape or not a.shape[-1]:
        raise ValueError(f"a and by are of one shape, at least 1 wide, got {a.shape}, {by.shape}")
    drawn = rng.standard_normal(a.shape)
    with np.errstate(over="ignore"):
        size = np.linalg.norm(by, axis=-1, keepdims=True)
    if not np.isfinite(size).all():
        raise ValueError("by is too large for a square")
    out: Array = a + drawn / np.linalg.norm(drawn, axis=-1, keepdims=True) * size
    return out


# --- taking a branch away ---------------------------------------------------------
HOW = ("zero", "mean", "push")


@dataclass(frozen=True)
class Ending:
    """Questions of one length, run up to their last word, which is still to come."""

    rows: Array                      # [k] which questions
    last: Array                      # [k, 1] their last words
    cache: list[Any]


def endings(model: GPT, q: Questions) -> list[Ending]:
    """What only concerns the last place need not run the rest again: keep it."""
    made = []
    for length in np.unique(q.last):
        rows, cache = np.flatnonzero(q.last == length), model.new_cache()
        model.run(q.ids[rows, :length], cache=cache)
        made.append(Ending(rows, q.ids[rows, length:length + 1], cache))
    return made


def said_with(model: GPT, ends: Sequence[Ending], values: dict[str, Array]) -> Array:
    """The answers [n] where these arrays [n, d] stand in for the last place's own."""
    now = np.zeros(sum(len(e.rows) for e in ends), dtype=np.int64)
    for e in ends:
        patch = {name: value[e.rows, None] for name, value in values.items()}
        logits = model.run(e.last, patch, cache=list(e.cache)).logits   # [k, 1, V]
        now[e.rows] = logits[:, 0].argmax(-1)
    return now


def ablate(model: GPT, q: Questions, trace: dict[str, Array], names: Sequence[str],
           how: str, rng: np.random.Generator,
           ends: Sequence[Ending] | None = None) -> dict[str, int]:
    """What is answered without these branches at the answer's place, sorted by kind.

    zero: nothing in their place; mean: their mean over these questions, so that only
    what differs between questions is lost; push: they stay, and a drawn vector of the
    same length is added (the control).
    """
    if how not in HOW:
        raise ValueError(f"how is one of {', '.join(HOW)}, got {how!r}")
    values = {}
    for name in names:
        out = take(trace[name], q.last)                             # [n, d]
        values[name] = {"zero": 0 * out, "mean": 0 * out + out.mean(0),
                        "push": pushed(out, out, rng)}[how]
    return kinds(q, said_with(model, ends or endings(model, q), values))


def kinds(q: Questions, now: Array) -> dict[str, int]:
    """Answers [n], sorted: right, the same relation of another country, another fact of
    the same country, anything else."""
    n = np.arange(len(q.ids))
    country, relation = np.divmod(n, len(RELATIONS))
    found = dict.fromkeys(("right", "other_country", "other_fact", "else"), 0)
    for row, word in enumerate(now):
        hit = np.flatnonzero(q.answers == word)         # at most one: names differ
        if not len(hit):
            kind = "else"
        elif hit[0] == row:
            kind = "right"
        elif relation[hit[0]] == relation[row]:
            kind = "other_country"
        else:
            kind = "other_fact" if country[hit[0]] == country[row] else "else"
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


def rank_one(model: GPT, name: str, key: Array, change: Array) -> GPT:
    """The model with W + change key^T / (key . key): `key` now fetches W key + change.

    Every other key is served the same change in proportion to its overlap with `key`.
    """
    weight = reads(name)[1]
    if weight not in model.w:
        raise ValueError(f"no branch {name!r}: they are {', '.join(branches(model.cfg))}")
    out, wide = model.w[weight].shape
    key, change = numbers("key", key, 1), numbers("change", change, 1)
    with np.errstate(over="ignore", under="ignore"):
        square = float(key @ key) if key.shape == (wide,) else 0.0
    if not 0 < square < np.inf or change.shape != (out,):
        raise ValueError(f"key is [{wide}], not all 0, change is [{out}], got {key.shape}, "
                         f"{change.shape}")
    new = model.w[weight] + np.outer(change, key) / (key @ key)     # [out, in]
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


def write(model: GPT, s: Sheet, row: int, name: str, key: Array | None = None,
          size: float | None = None) -> tuple[GPT, float]:
    """Make question `row` answer the next country's word, by rank one at a branch.

    The change is the word vector of the new answer minus that of the old one, at size
    1/4, 1/2, 1 .. 64: the first that makes the new answer at least SURE. `key`, `size`:
    another key, a given size (the control). Returns the model and the size.
    """
    q = s.forms[0]
    whole("row", row, 0, len(q.ids) - 1)
    new = target(q, row)
    own = key_at(s.trace, name, row, int(q.last[row]))
    table = model.w["wte.weight" if model.cfg.tied else "lm_head.weight"]
    direction, one = table[new] - table[q.answers[row]], alone(q, row)
    alpha = 0.25 if size is None else size
    while True:
        made = rank_one(model, name, own if key is None else key, alpha * direction)
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
            "lost_relation": int((lost & relation).sum())}


def edits(model: GPT, s: Sheet, rows: Iterable[int], names: Sequence[str],
          rng: np.random.Generator) -> dict[str, dict[str, Any]]:
    """Each fact written at each branch, one at a time, and judged; sums over the facts.

    "random": at the last of the branches, with a drawn key: a matrix of the same size.
    """
    totals: dict[str, dict[str, Any]] = {}

    def add(name: str, made: GPT, size: float, row: int) -> None:
        entry = judge(made, s, row) | {"edits": 1, "size": size}
        total = totals.setdefault(name, dict.fromkeys(entry, 0) | {"least_kept": entry["kept"]})
        total["least_kept"] = min(total["least_kept"], entry["kept"])
        for key, value in entry.items():
            total[key] += value

    for row in rows:
        for name in names:
            made, size = write(model, s, row, name)
            add(name, made, size, row)
        own = key_at(s.trace, names[-1], row, int(s.forms[0].last[row]))
        drawn = rng.standard_normal(own.shape)
        drawn *= np.linalg.norm(own) / np.linalg.norm(drawn)
        add("random", write(model, s, row, names[-1], drawn, size)[0], size, row)
    return totals


# --- everything, for the record over seeds --------------------------------------------
def answers_without(model: GPT, q: Questions, trace: dict[str, Array],
                    rng: np.random.Generator) -> dict[str, dict[str, dict[str, int]]]:
    """The answers left without each branch, and without both layers', by HOW."""
    names = branches(model.cfg)
    sets = {n.replace(".", "_"): [n] for n in names}
    sets |= {f"all_{kind}": [n for n in names if n.endswith(kind)] for kind in ("attn", "mlp")}
    ends = endings(model, q)
    return {key: {how: ablate(model, q, trace, some, how, rng, ends) for how in HOW}
            for key, some in sets.items()}


def answers_everywhere(model: GPT, q: Questions) -> dict[str, int]:
    """Right answers left with a kind of branch put to zero in all layers, at all places."""
    return {kind: right(model, q, {n: np.zeros_like for n in branches(model.cfg)
                                   if n.endswith(kind)}) for kind in ("attn", "mlp")}


def right_without_enrichment(model: GPT, q: Questions) -> int:
    """Right answers left when no MLP writes anything where the country stands."""
    return right(model, q, {n: put(q.country, 0.0) for n in branches(model.cfg)
                            if n.endswith("mlp")})


def answers_blind(model: GPT, q: Questions) -> dict[str, dict[str, int]]:
    """Right answers left when one layer does not see a group of places: layer, group."""
    return {f"layer_{layer}": {group: right(model, q, blind(layer, q.last, hidden))
                               for group, hidden in groups(q).items()}
            for layer in range(model.cfg.n_layer)}


def moved(model: GPT, q: Questions, relation: str,
          count: int | None = None) -> dict[str, dict[str, float | None]]:
    """Recovery of each branch and stage, patched where the country or the answer stands."""
    d = donor(model, swaps(q, relation, count))
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
            "blind": answers_blind(model, q),
            "moved": {r: moved(model, q, r) for r in RELATIONS},
            "ablation": answers_without(
                model, unseen, model.run(unseen.ids, trace=True).trace, rng),
            "everywhere": answers_everywhere(model, unseen),
            "without_enrichment": right_without_enrichment(model, q),
            "edits": edits(model, sheet(model, world), map(int, rows), branches(model.cfg),
                           rng)}


# --- facts as sentences ----------------------------------------------------------------
def completed(model: GPT, tok: Tokenizer, sentences: Sequence[str]) -> tuple[Array, Array]:
    """Sentences "… word ." cut before the word: (logits there [n, V], ids of the words)."""
    rows = [tok.encode(s) for s in sentences]
    ids = np.zeros((len(rows), max(map(len, rows)) - 2), dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, :len(row) - 2] = row[:-2]                # padding is on the right
    last = np.array([len(row) - 3 for row in rows])
    return take(model.run(ids).logits, last), np.array([row[-2] for row in rows])
