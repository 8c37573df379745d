"""A small invented world: where does a language model's knowledge come from?

Every fact a demo asks the tiny GPT for stands in this file's corpus, and nowhere
else. A country has a name and five attributes; each is one invented word, so that
nothing can be disputed in class and nothing leaks in from the real world:

    balavia  ->  capital, language, leader, product ("known for"), currency

The corpus says each fact in several phrasings, as statements and as questions with
their answers. One phrasing of each kind is HELD OUT: built from trained words, never
trained on, so later demos can ask whether the fact or the sentence was learned. The
currency is stated, never asked. A third kind of document is a register: `<doc>` and
names in a drawn order, no pair of names twice. It makes "names after <doc>" familiar
to the model without ever rewarding a copy.

Left out on purpose: tokens smaller than a word (demo 01), facts said backwards
(answer first, country last: demo 14), and any in-context repeat (demo 12).
There is no hash order and no global random state here: the same call gives the same
world, the same corpus and the same vocabulary in every process.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from lecture.inputs import whole

MIN_COUNTRIES, MAX_COUNTRIES = 24, 1536          # 1536 = 24 heads x 8 middles x 8 tails
DOC = "<doc>"

# --- names: head + middle + tail ------------------------------------------------
# A kind of name owns its tails, so a reader sees what is what and no two kinds can
# collide. The first 24 names of a kind start with 24 different heads.
HEADS = ("bal bren cor dal dor fen gal hal jor kel lun mel nor ost pel quil ros sel "
         "tam ulm vel wex yar zan").split()
MIDDLES = "a e i o u an er im".split()
TAILS = {
    "name": "via thia dria zora mora lund wick tova".split(),
    "capital": "bruk gard quist stead holm wyn dorf crest".split(),
    "language": "nish lese vic rish mese thic tish gese".split(),
    "leader": "brix dane fric leth nox phine ster wulf".split(),
    "known_for": "root silk glass bread cloth stone wine cheese".split(),
    "currency": "coin penny dram florin groat ducat taler mite".split(),
}
# Step and shift of the walk through HEADS, by kind. Steps share no factor with 24,
# so a walk visits every head once; different steps keep a country's attributes from
# starting like its name.
WALKS = {"name": (1, 0), "capital": (5, 3), "language": (7, 11), "leader": (11, 6),
         "known_for": (13, 17), "currency": (17, 20)}

ATTRIBUTES = ("capital", "language", "leader", "known_for", "currency")
RELATIONS = ("capital", "language", "leader", "known_for")     # what is asked

# --- phrasings: {c} is the country, {a} the attribute; the LAST one is held out ---
QUESTIONS = {
    "capital": ("what is the capital of {c} ?",
                "which city is the capital of {c} ?",
                "in {c} , which city is the capital ?",
                "the capital of {c} is which city ?"),
    "language": ("what language do people speak in {c} ?",
                 "which language is the language of {c} ?",
                 "in {c} , what do people speak ?",
                 "what do people in {c} speak ?"),
    "leader": ("who leads {c} ?",
               "who is the leader of {c} ?",
               "in {c} , who leads ?",
               "the leader of {c} is who ?"),
    "known_for": ("what is {c} known for ?",
                  "for what is {c} known ?",
                  "which product is {c} known for ?",
                  "{c} is known for what ?"),
}
STATEMENTS = {
    "capital": ("the capital of {c} is {a} .",
                "the capital city of {c} is {a} .",
                "{c} has its capital in {a} .",
                "in {c} the capital is {a} ."),
    "language": ("people in {c} speak {a} .",
                 "the language of {c} is {a} .",
                 "in {c} people speak {a} .",
                 "the people of {c} speak {a} ."),
    "leader": ("{c} is led by {a} .",
               "the leader of {c} is {a} .",
               "in {c} the leader is {a} .",
               "the leader in {c} is {a} ."),
    "known_for": ("{c} is known for {a} .",
                  "the product of {c} is {a} .",
                  "the people of {c} know {a} .",
                  "the product {c} is known for is {a} ."),
    "currency": ("people in {c} pay with {a} .",
                 "the money of {c} is {a} .",
                 "in {c} people pay with {a} .",
                 "the people of {c} pay with {a} ."),
}
PROMPT = DOC + " faq : q : {question} a :"


def invented_name(kind: str, index: int) -> str:
    """The `index`-th name of a kind, 0 <= index < 1536; no two of them are equal.

    `index` splits into a place on the walk through the heads (24) and a rank (64)
    that picks middle and tail (8 x 8); both shifts depend on the place alone, so the
    map from index to name is one to one.
    """
    if kind not in WALKS:
        raise ValueError(f"unknown kind {kind!r}: it is one of {', '.join(WALKS)}")
    index = whole("index", index, 0, MAX_COUNTRIES - 1)
    step, shift = WALKS[kind]
    rank, place = divmod(index, len(HEADS))
    high, low = divmod(rank, len(MIDDLES))
    return (HEADS[(step * place + shift) % len(HEADS)]
            + MIDDLES[(low + place + shift) % len(MIDDLES)]
            + TAILS[kind][(high + 3 * place + place // 8) % len(TAILS[kind])])


@dataclass(frozen=True)
class Country:
    """A country and its five attributes, one word each."""

    name: str
    capital: str
    language: str
    leader: str
    known_for: str
    currency: str

    def answer(self, relation: str) -> str:
        """The word that answers `relation` (one of RELATIONS, or "currency")."""
        if relation not in ATTRIBUTES:
            raise ValueError(f"unknown relation {relation!r}: it is one of "
                             f"{', '.join(ATTRIBUTES)}")
        return str(getattr(self, relation))

    def words(self) -> tuple[str, ...]:
        """The name, then the attributes in the order of ATTRIBUTES."""
        return (self.name, *(getattr(self, a) for a in ATTRIBUTES))


@dataclass(frozen=True)
class Document:
    """One document of the corpus.

    `kind` is "statement", "faq" or "register"; `form` is the number of the phrasing.
    A register is about no country: its `country` and `relation` are empty.
    """

    text: str
    kind: str
    country: str = ""
    relation: str = ""
    form: int = 0

    @property
    def words(self) -> list[str]:
        return self.text.split()


@dataclass(frozen=True)
class World:
    """Countries in their order. The order counts: it numbers the vocabulary."""

    countries: tuple[Country, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every invented word, country by country."""
        return tuple(chain.from_iterable(c.words() for c in self.countries))

    @cached_property
    def by_name(self) -> dict[str, Country]:
        """For whoever plays with a world in a shell, and for tests."""
        return {c.name: c for c in self.countries}

    def copy_pool(self) -> list[str]:
        """Capitals, then leaders: the names the copy test and the registers draw on."""
        return ([c.capital for c in self.countries]
                + [c.leader for c in self.countries])


def make_world(countries: int = MIN_COUNTRIES,
               order: Sequence[int] | None = None) -> World:
    """A world of `countries` countries (24 to 1536); a small one begins a large one.

    `order`, a permutation of range(countries), lists the same countries in another
    order; none or an empty one leaves them as they are. ValueError for a size out of
    range or an `order` that is no permutation.
    """
    countries = whole("countries", countries, MIN_COUNTRIES, MAX_COUNTRIES)
    try:
        places = [whole("a place", i, 0, countries - 1)
                  for i in (() if order is None else order)] or list(range(countries))
    except TypeError:
        raise ValueError(f"order is a list of whole numbers, got {order!r}") from None
    if sorted(places) != list(range(countries)):
        raise ValueError(f"order must hold each of 0 .. {countries - 1} once")
    return World(tuple(Country(*(invented_name(kind, i) for kind in TAILS))
                       for i in places))


def question_text(country_name: str, relation: str, form: int = 0) -> str:
    """The question about a country in one phrasing; form -1 is the held-out one."""
    if relation not in QUESTIONS:
        raise ValueError(f"unknown relation {relation!r}: it is one of "
                         f"{', '.join(RELATIONS)}")
    forms = QUESTIONS[relation]
    return forms[whole("form", form, -1, len(forms) - 1)].format(c=country_name)


def statement_text(country: Country, attribute: str, form: int = 0) -> str:
    """A sentence that says the fact; form -1 is the held-out one."""
    answer = country.answer(attribute)                  # refuses what is no attribute
    forms = STATEMENTS[attribute]
    return forms[whole("form", form, -1, len(forms) - 1)].format(c=country.name, a=answer)


def prompt_text(country_name: str, relation: str, form: int = 0) -> str:
    """The question as the model meets it, ending where the answer begins."""
    return PROMPT.format(question=question_text(country_name, relation, form))


def exam(world: World, form: int = 0) -> list[tuple[str, str, Country, str]]:
    """(prompt, right answer, country, relation) for every country and relation."""
    return [(prompt_text(c.name, r, form), c.answer(r), c, r)
            for c in world.countries for r in RELATIONS]


def documents(world: World, registers: int = 24, held_out: bool = False,
              seed: int = 0) -> list[Document]:
    """The corpus: statements, then questions with answers, then registers.

    `held_out=True` gives the held-out phrasings instead, and no registers. A register
    holds 47 of the 48 (or more) names of `copy_pool`, so that with `<doc>` and the
    full stop it reaches position 48. `seed` draws their order; a pair of neighbours
    that an earlier register has used is not used again.
    """
    def chosen(forms: tuple[str, ...]) -> Iterable[int]:
        last = len(forms) - 1
        return (last,) if held_out else range(last)

    found = [Document(f"{DOC} {statement_text(c, a, form)}", "statement", c.name, a,
                      form)
             for c in world.countries for a in ATTRIBUTES
             for form in chosen(STATEMENTS[a])]
    found += [Document(f"{prompt_text(c.name, r, form)} {c.answer(r)} .", "faq", c.name,
                       r, form)
              for c in world.countries for r in RELATIONS
              for form in chosen(QUESTIONS[r])]
    if not held_out:
        found += [Document(f"{DOC} {' '.join(names)} .", "register", form=i)
                  for i, names in enumerate(register_lists(world, registers, seed))]
    return found


def register_lists(world: World, count: int, seed: int = 0,
                   length: int = 47) -> list[list[str]]:
    """`count` lists of `length` different names in which no pair of neighbours recurs.

    Drawn with nothing but random.Random.random(), which Python keeps stable from
    version to version. Each next name is drawn among those not yet in this list and
    not yet a successor of the current one; a dead end starts the list again.
    ValueError once `count` asks for more pairs than the pool can keep apart.
    """
    rng, pool = random.Random(f"register {seed}"), world.copy_pool()   # noqa: S311
    count, length = whole("count", count, 0), whole("length", length, 1, len(pool))
    if count * (length - 1) > len(pool) * (len(pool) - 1) // 2:
        raise ValueError(f"{count} registers of {length} names need too many pairs "
                         f"for a pool of {len(pool)} names: ask for fewer")
    followed: dict[str, set[str]] = {name: set() for name in pool}
    lists: list[list[str]] = []
    while len(lists) < count:
        names, left = [pool[int(rng.random() * len(pool))]], dict.fromkeys(pool)
        del left[names[0]]
        while len(names) < length:
            taken = followed[names[-1]]
            free = [n for n in left if n not in taken]
            if not free:
                break
            names.append(free[int(rng.random() * len(free))])
            del left[names[-1]]
        if len(names) == length:
            for name, after in zip(names, names[1:], strict=False):
                followed[name].add(after)
            lists.append(names)
    return lists


def repeated_sequences_of_names(rows: Iterable[Sequence[str]], names: Iterable[str],
                                n: int = 2) -> int:
    """How often a row shows n names in an order in which the same row showed them.

    Other words are skipped before counting, so "x ... y ... x ... y" is one repeat for
    n = 2 whatever stands between. One row is what the model sees at once (here: one
    document). 0 means that no row ever rewards copying a sequence of names.
    """
    n, known = whole("n", n, 1), set(names)
    repeats = 0
    for row in rows:
        found = [w for w in row if w in known]
        grams = [tuple(found[i:i + n]) for i in range(len(found) - n + 1)]
        repeats += len(grams) - len(set(grams))
    return repeats


# --- the tokenizer: one word, one number ------------------------------------------
class UnknownWords(ValueError):
    """Text holds words outside the vocabulary; `.words` maps each to near matches."""

    def __init__(self, words: dict[str, list[str]]):
        self.words = words
        super().__init__("; ".join(
            f"unknown word {w!r}" + (f" (near: {', '.join(near)})" if near else "")
            for w, near in words.items()))


class Tokenizer:
    """Words to numbers and back. `<doc>` is 0 and opens every document."""

    def __init__(self, vocabulary: Sequence[str]):
        self.itos = list(vocabulary)
        self.stoi = {word: i for i, word in enumerate(self.itos)}
        if len(self.stoi) != len(self.itos):
            raise ValueError("a vocabulary must not hold a word twice")

    def __len__(self) -> int:
        return len(self.itos)

    def encode(self, text: str) -> list[int]:
        """Ids of the words of `text`, split at white space, lower-cased.

        Raises UnknownWords, which names every unknown word with near matches.
        """
        if not isinstance(text, str):
            raise ValueError(f"a text is one string of words, got {type(text).__name__}")
        words = text.lower().split()
        unknown = {w: difflib.get_close_matches(w, self.itos, n=3)
                   for w in words if w not in self.stoi}
        if unknown:
            raise UnknownWords(unknown)
        return [self.stoi[w] for w in words]

    def decode(self, ids: Iterable[int]) -> str:
        """The words of `ids`, joined by spaces; ValueError for an id without a word."""
        told = f"ids are whole numbers 0 .. {len(self) - 1}"
        try:
            ids = list(ids)
        except TypeError:
            raise ValueError(f"{told}, got {ids!r}") from None
        for i in ids:
            try:
                whole("id", i, 0, len(self) - 1)
            except ValueError:
                raise ValueError(f"id {i!r} has no word: {told}") from None
        return " ".join(self.itos[i] for i in ids)


def tokenizer(world: World) -> Tokenizer:
    """`<doc>`, the plain words in the order of the alphabet, then the world's names.

    Plain words come from every phrasing, held out or not: all are in the vocabulary
    of a world of any size, under the same number.
    """
    sentences = chain(chain.from_iterable(QUESTIONS.values()),
                      chain.from_iterable(STATEMENTS.values()), (PROMPT,))
    slots = {DOC, "{c}", "{a}", "{question}"}
    plain = {w for s in sentences for w in s.split()} - slots
    return Tokenizer((DOC, *sorted(plain), *world.names))
