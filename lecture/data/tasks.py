"""Synthetic tasks: what else can a tiny model be trained on, besides the world?

A task is one function, `name(rng, batch, **sizes) -> (ids, mask)`:

    ids   [batch, T] int64, the sequences
    mask  [batch, T] bool; True at t says: the step from ids[:, t] to ids[:, t + 1]
          is part of the loss (so the last column is never True)

plus its vocabulary size. A task may return a third array, what to say at each place
[batch, T]; its mask then marks the places that count. NumPy only; all randomness comes
from `rng`. A new task is a function and one `@task(...)` line. Whoever changes what a
task draws raises its `version`: the fingerprint of every model trained on it then
changes too.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lecture.inputs import whole

Batch = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Task:
    """A named batch generator; `vocab_size(**sizes)` counts the ids it may use."""

    name: str
    version: int
    make: Callable[..., Batch]
    vocab_size: Callable[..., int]

    def __call__(self, rng: np.random.Generator, batch: int, **sizes: Any) -> Batch:
        return self.make(rng, batch, **sizes)


TASKS: dict[str, Task] = {}


def task(name: str, version: int, vocab_size: Callable[..., int]) -> Callable:
    """Register the decorated function as a task."""
    def keep(make: Callable[..., Batch]) -> Callable[..., Batch]:
        if name in TASKS:
            raise ValueError(f"task {name!r} is registered twice")
        TASKS[name] = Task(name, version, make, vocab_size)
        return make
    return keep


def named(name: str) -> Task:
    """The task of that name; ValueError lists the known ones."""
    if name not in TASKS:
        raise ValueError(f"unknown task {name!r}: known are {', '.join(TASKS)}")
    return TASKS[name]


@task("repeats", version=1, vocab_size=lambda names=48, **_: names + 1)
def repeats(rng: np.random.Generator, batch: int, names: int = 48,
            shortest: int = 4, longest: int = 20, length: int = 42) -> Batch:
    """A list of different tokens, said again: ids [batch, length], mask [batch, length].

    Id 0 stands first, as `<doc>` does in the world; the names are 1 .. names. Row by
    row a period p is drawn from shortest .. longest, p different names are drawn, and
    the list is said over and over until the row is full. The period VARIES, so "look
    back p - 1 places" solves nothing: only matching by content does. The loss counts
    every step inside the repeats, which the first list determines.
    """
    if not 2 <= shortest <= longest <= names:
        raise ValueError(f"need 2 <= shortest <= longest <= names, got {shortest}, "
                         f"{longest}, {names}")
    periods = rng.integers(shortest, longest + 1, size=batch)          # [batch]
    order = rng.random((batch, names)).argsort(axis=1) + 1             # [batch, names]
    place = np.arange(length - 1)[None, :]                             # [1, length-1]
    turn = np.take_along_axis(order, place % periods[:, None], axis=1)
    ids = np.concatenate([np.zeros((batch, 1), int), turn], axis=1)    # [batch, length]
    # column t holds list place t - 1; the next place, t, is known once t >= p
    mask = np.arange(length)[None, :] >= periods[:, None]              # [batch, length]
    mask[:, -1] = False
    return ids, mask


@task("copy", version=1, vocab_size=lambda words=10, **_: words + 2)
def copy(rng: np.random.Generator, batch: int, words: int = 10,
         shortest: int = 1, longest: int = 24) -> Batch:
    """Say again what was read: rows "source bos source eos", ids [batch, 2 n + 2].

    Id 0 is eos, 1 is bos, the words are 2 .. words + 1, drawn with repetition. One
    length n is drawn for the whole batch, so no row is padded. The loss counts the
    steps from bos on: the n words, then eos.
    """
    if not 1 <= shortest <= longest:
        raise ValueError(f"need 1 <= shortest <= longest, got {shortest}, {longest}")
    n = int(rng.integers(shortest, longest + 1))
    source = rng.integers(2, words + 2, size=(batch, n))               # [batch, n]
    mark = np.ones((batch, 1), int)                                    # [batch, 1]
    ids = np.concatenate([source, mark, source, 0 * mark], axis=1)
    mask = np.zeros(ids.shape, dtype=bool)
    mask[:, n:-1] = True
    return ids, mask


# --- senses: one word, two meanings (demo 02) -----------------------------------
SENSE_TOPICS = {"water": "river shore boat fish".split(),
                "money": "account loan cash coin".split(),
                "fruit": "pie juice tree seed".split(),
                "machine": "screen keyboard chip code".split()}
SENSE_WORDS = {"bank": ("water", "money"), "apple": ("fruit", "machine")}
SENSE_PLAIN = "the a and near with of".split()
SENSE_VOCABULARY = ["<doc>", *SENSE_PLAIN, *SENSE_WORDS,
                    *(w for words in SENSE_TOPICS.values() for w in words)]


@task("senses", version=1, vocab_size=lambda **_: len(SENSE_VOCABULARY))
def senses(rng: np.random.Generator, batch: int, most: int = 5) -> Batch:
    """Sentences about one of four topics: ids [batch, most + 4], mask likewise.

    `<doc>`, then 2 .. most words, each plain or of the topic, at least one of it; then
    with even odds the topic's two-sense word (bank, apple) or another topic word; then
    two more topic words. After `bank` the topic must be known, and `bank` itself does
    not tell it: only the words before do. Padding (id 0) is outside the loss.
    """
    length, row = most + 4, np.arange(batch)
    place = np.arange(length)[None, :]                          # [1, length]
    topic, n = rng.integers(4, size=batch), rng.integers(2, most + 1, size=batch)
    start, each = 1 + len(SENSE_PLAIN) + len(SENSE_WORDS), 4
    told = start + each * topic[:, None] + rng.integers(each, size=(batch, length))
    plain = 1 + rng.integers(len(SENSE_PLAIN), size=(batch, length))
    slot = 1 + n                                                # [batch]
    tells = (rng.random((batch, length)) < 0.5) | (place > slot[:, None])
    tells[row, 1 + rng.integers(n)] = True                      # at least one
    ids = np.where(tells, told, plain)                          # [batch, length]
    double = 1 + len(SENSE_PLAIN) + topic // 2                  # bank, bank, apple, apple
    ids[row, slot] = np.where(rng.random(batch) < 0.5, double, told[row, slot])
    last = slot[:, None] + 2                                    # [batch, 1]
    ids = np.where((place == 0) | (place > last), 0, ids)
    return ids, place < last


# --- a Markov chain of known entropy (demo 06) ------------------------------------
CHAIN_STATES = 8
CHAIN_STEPS = (1, 4, 6, 3, 7, 2, 5, 0)           # from the likeliest to the rarest
CHAIN_ODDS = (0.62, 0.19, 0.09, 0.04, 0.03, 0.01, 0.01, 0.01)
HIDDEN = CHAIN_STATES                            # the id that says: guess this one


def chain_table() -> np.ndarray:
    """[8, 8]: row s holds the chances of the next state, s -> 3 s + step (mod 8).

    Every row holds the same eight chances and so does every column: the entropy of a
    step is the same everywhere, and all states are equally frequent.
    """
    table = np.zeros((CHAIN_STATES, CHAIN_STATES))
    for s in range(CHAIN_STATES):
        for step, chance in zip(CHAIN_STEPS, CHAIN_ODDS, strict=True):
            table[s, (3 * s + step) % CHAIN_STATES] = chance
    return table


@task("chain", version=1, vocab_size=lambda **_: CHAIN_STATES)
def chain(rng: np.random.Generator, batch: int, length: int = 16) -> Batch:
    """A walk of the Markov chain: ids [batch, length]; every step is in the loss."""
    steps = rng.choice(CHAIN_STEPS, size=(batch, length), p=CHAIN_ODDS)
    ids = rng.integers(CHAIN_STATES, size=(batch, length))      # column 0 stays
    for t in range(1, length):
        ids[:, t] = (3 * ids[:, t - 1] + steps[:, t]) % CHAIN_STATES
    mask = np.ones(ids.shape, dtype=bool)
    mask[:, -1] = False
    return ids, mask


@task("hidden_chain", version=1, vocab_size=lambda **_: CHAIN_STATES + 1)
def hidden_chain(rng: np.random.Generator, batch: int, length: int = 16) -> Batch:
    """The same walks with states hidden behind id 8: a masked language model's batch.

    Of each row 1 .. length states are hidden, at drawn places. A third array holds
    what the model is to say [batch, length]; the loss counts the hidden places.
    """
    ids, _ = chain(rng, batch, length)
    count = rng.integers(1, length + 1, size=(batch, 1))        # [batch, 1]
    rank = rng.random(ids.shape).argsort(axis=1).argsort(axis=1)
    hidden = rank < count                                       # [batch, length]
    return np.where(hidden, HIDDEN, ids), hidden, ids


@task("seen_chain", version=1, vocab_size=lambda **_: CHAIN_STATES + 1)
def seen_chain(rng: np.random.Generator, batch: int, length: int = 16) -> Batch:
    """hidden_chain's batch, asked for the other states: those that stand in the input.

    Same walks, same states hidden, the same thing to say; only, every answer is in view.
    """
    ids, hidden, told = hidden_chain(rng, batch, length)
    return ids, ~hidden, told


@task("neighbour", version=1, vocab_size=lambda words=8, **_: words)
def neighbour(rng: np.random.Generator, batch: int, words: int = 8,
              length: int = 24) -> Batch:
    """Say the word to your right: words drawn evenly, ids [batch, length].

    For a model that sees the whole row (causal=False) the answer stands in the input,
    one place on; only WHERE to look has to be learned. The last word has no right.
    """
    ids = rng.integers(0, words, (batch, length))                      # [batch, length]
    mask = np.ones(ids.shape, bool)
    mask[:, -1] = False
    return ids, mask


@task("recall", version=1, vocab_size=lambda keys=8, values=8, **_: keys + values)
def recall(rng: np.random.Generator, batch: int, keys: int = 8, values: int = 8,
           pairs: int = 4) -> Batch:
    """Pairs of a key and a value, then the keys again in another order.

    ids [batch, 4 pairs]: k v k v .. | k v k v ..; keys are 0 .. keys - 1, values come
    after them; within a list all differ. The loss counts the step after each key of
    the second list. Two look-ups in a row: a value must learn which key stood before
    it, then the key said again must find that value.
    """
    if not 1 <= pairs <= min(keys, values):
        raise ValueError(f"{pairs} pairs need as many keys and values, got {keys}, "
                         f"{values}")
    k = rng.random((batch, keys)).argsort(axis=1)[:, :pairs]           # [batch, pairs]
    v = keys + rng.random((batch, values)).argsort(axis=1)[:, :pairs]
    first = np.stack([k, v], axis=-1)                                  # [batch, pairs, 2]
    order = rng.random((batch, pairs)).argsort(axis=1)[..., None]
    second = np.take_along_axis(first, order, axis=1)
    ids = np.concatenate([first, second], axis=1).reshape(batch, -1)
    mask = np.zeros(ids.shape, bool)
    mask[:, 2 * pairs::2] = True
    return ids, mask


@task("delayed_copy", version=1, vocab_size=lambda words=16, **_: words)
def delayed_copy(rng: np.random.Generator, batch: int, words: int = 16,
                 delay: int = 3, length: int = 32) -> Batch:
    """At every place say the word that stood `delay` places ago (demo 07).

    Words drawn evenly: ids [batch, length], mask likewise, and what to say. Nothing but
    the distance tells which word is meant, so it takes a sense of place. The first
    `delay` places have nothing to say.
    """
    if not 1 <= delay < length:
        raise ValueError(f"need 1 <= delay < length, got {delay}, {length}")
    ids = rng.integers(0, words, (batch, length))                      # [batch, length]
    mask = np.broadcast_to(np.arange(length) >= delay, ids.shape)
    return ids, mask, np.roll(ids, delay, axis=1)


# --- two answers from one place; what "it" stands for (demo 08) --------------------
ASKED = (1, 4)                  # of the places in a row: who, and whom


@task("two_things", version=1, vocab_size=lambda names=12, places=6, marked=0, **_:
      (places if marked else 1) * names + 1 + 2 * names)
def two_things(rng: np.random.Generator, batch: int, names: int = 12,
               places: int = 6, marked: int = 0) -> Batch:
    """Who, and whom?  Both are asked of the one place at the end (demo 08).

    A row is `places` different names, then "?": ids [batch, places + 1]. Any name may
    stand anywhere; the one at place 1 is who, the one at place 4 is whom. marked=0: a
    name looks the same everywhere, ids 0 .. names - 1. marked=1: it bears its place, as
    a case ending does: id place x names + name. Every row comes twice (batch is even),
    once with the answer to "who", once with the answer to "whom"; the two have words of
    their own, so one output must serve both.
    """
    if batch % 2 or places <= max(ASKED) or names < places:
        raise ValueError(f"need an even batch, places > {max(ASKED)}, names >= places, "
                         f"got {batch}, {places}, {names}")
    row = rng.random((batch // 2, names)).argsort(axis=1)[:, :places]
    ask = (places if marked else 1) * names             # the id of "?"
    said = row[:, ASKED] + ask + 1 + names * np.arange(2)               # [batch/2, 2]
    seen = row + names * np.arange(places) if marked else row   # [batch/2, places]
    ids = np.hstack([seen, np.full((len(row), 1), ask)])                # [batch/2, T]
    mask = np.zeros((batch, places + 1), bool)
    mask[:, -1] = True
    told = np.repeat(said.reshape(-1, 1), places + 1, axis=1)           # [batch, T]
    return np.repeat(ids, 2, axis=0), mask, told


ANIMALS = "cat dog fox owl hen pig".split()
THINGS = "mat bed box mug car hat".split()
OF_ANIMALS = "tired hungry angry afraid".split()
OF_THINGS = "soft cheap broken empty".split()
PRONOUN_WORDS = ["<doc>", "?", *"the on because it was sat slept".split(), *ANIMALS,
                 *THINGS, *OF_ANIMALS, *OF_THINGS]
IT, REASON = 8, 10              # where "it" and the adjective stand


@task("pronoun", version=1, vocab_size=lambda **_: len(PRONOUN_WORDS))
def pronoun(rng: np.random.Generator, batch: int, ask: int = 0) -> Batch:
    """The cat sat on the mat because it was tired: what is "it"? (demo 08)

    An animal and a thing, in either order (On the mat sat the cat ..), then a reason
    that fits only one of the two: ids [batch, 11], to be answered at "it" itself; with
    ask=1 a "?" follows, [batch, 12], and the answer is due there.
    """
    index = {w: i for i, w in enumerate(PRONOUN_WORDS)}
    ids = lambda words: np.array([index[w] for w in words])     # noqa: E731
    animal, thing = (rng.choice(ids(words), batch) for words in (ANIMALS, THINGS))
    verb, swapped = rng.choice(ids(["sat", "slept"]), batch), rng.random(batch) < 0.5
    reason = rng.choice(ids(OF_ANIMALS + OF_THINGS), batch)
    rows = np.tile(ids("<doc> the ? ? on the ? because it was ?".split()), (batch, 1))
    rows[:, 2], rows[:, 3], rows[:, 6], rows[:, REASON] = animal, verb, thing, reason
    turned = np.tile(ids("<doc> on the ? ? the ? because it was ?".split()), (batch, 1))
    turned[:, 3], turned[:, 4], turned[:, 6] = thing, verb, animal
    turned[:, REASON] = reason
    rows = np.where(swapped[:, None], turned, rows)             # [batch, 11]
    if ask:
        rows = np.hstack([rows, np.full((batch, 1), index["?"])])
    means = np.where(reason < index[OF_THINGS[0]], animal, thing)       # [batch]
    mask = np.zeros(rows.shape, bool)
    mask[:, -1 if ask else IT] = True
    return rows, mask, np.repeat(means[:, None], rows.shape[1], axis=1)


# --- a list said again, everything counts (demo 12) --------------------------------
@task("said_again", version=1, vocab_size=lambda names=48, **_: names + 1)
def said_again(rng: np.random.Generator, batch: int, names: int = 48,
               shortest: int = 8, longest: int = 15, length: int = 32) -> Batch:
    """The rows of `repeats`, with every step in the loss: ids [batch, length].

    As in a text: nobody tells the model which of its words can be copied.
    """
    ids, mask = repeats(rng, batch, names, shortest, longest, length)
    mask[:, :-1] = True
    return ids, mask


# --- sizes that are none ------------------------------------------------------------
# Refused from outside the tasks: their own lines, and all they mention, are part of the mark
# that names the code of a training, and a refusal changes nothing that is drawn.
_LEAST = {"batch": 1, "length": 2, "words": 1, "names": 1, "most": 2, "keys": 1, "values": 1,
          "pairs": 1, "places": 1, "shortest": 1, "longest": 1, "delay": 1}


def _sized(make: Callable[..., Batch]) -> Callable[..., Batch]:
    signature = inspect.signature(make)

    @functools.wraps(make)
    def checked(*given: Any, **sizes: Any) -> Batch:
        try:
            bound = signature.bind(*given, **sizes)
        except TypeError as error:
            raise ValueError(f"task {make.__name__}: {error}") from None
        for name, value in bound.arguments.items():
            if name in ("marked", "ask"):
                whole(name, value, 0, 1)
            elif name != "rng":
                whole(name, value, _LEAST[name])
        return make(*given, **sizes)
    return checked


for _task in TASKS.values():
    globals()[_task.make.__name__] = _sized(_task.make)
    TASKS[_task.name] = replace(_task, make=globals()[_task.make.__name__])
