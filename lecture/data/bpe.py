"""Where do tokens come from?  Byte-pair encoding, counted so that nothing is guessed.

Start with single symbols (characters or bytes).  Again and again, join the pair of
neighbours that occurs most often, and number the joined piece.  A text is then cut by
applying the same merges in the same order.  Three things decide the result, and all
three are explicit here:

    usable counts   a pair counts as often as a merge can replace it: `aaa` holds ONE
                    usable pair `a a`, not two, because both share the middle `a`
    the tie rule    which of several equally frequent pairs is joined (see TIES)
    up-to-date      after a merge only the words that held the pair are counted again

Words come with counts, so a word that occurs 5,000 times is cut once.  A heap offers
the most frequent pair; its entries may be out of date and are checked when they
surface.  `train_by_recounting` is the same algorithm with nothing clever in it: the
tests require both to agree.

Left out: special tokens, dropout, merges across words, and learning where words end
(chunks() cuts by one fixed rule).
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from lecture.inputs import whole

Piece = str | bytes
Pair = tuple[Any, Any]                          # two pieces of the same kind

# letters with the blank before them, other signs with theirs, white space: every
# character is in exactly one chunk, so the chunks joined are the text
_CHUNK = re.compile(r" ?\w+| ?[^\w\s]+|\s+")


# --- words as symbols -------------------------------------------------------------


def characters(word: str) -> list[Piece]:
    """"low" -> ["l", "o", "w"]"""
    return list(word)


def utf8(word: str) -> list[Piece]:
    """One piece a byte: "é" -> [b"\\xc3", b"\\xa9"].  Lone surrogates pass as well."""
    return [bytes([b]) for b in word.encode("utf-8", "surrogatepass")]


BYTES: tuple[Piece, ...] = tuple(bytes([b]) for b in range(256))


def chunks(text: str) -> list[str]:
    """The text cut where no merge may reach across; joined, they are the text."""
    return _CHUNK.findall(text)


def usable_pairs(symbols: Sequence[Piece]) -> dict[Pair, int]:
    """How often each pair of neighbours could be replaced, from left to right.

    aaaa -> {(a, a): 2}: the second of three overlapping pairs has no symbol left.
    """
    counts: dict[Pair, int] = {}
    last = None
    for pair in pairwise(symbols):
        if pair == last:                        # only x x x: its middle x is taken
            last = None
            continue
        counts[pair] = counts.get(pair, 0) + 1
        last = pair
    return counts


def overlapping_pairs(symbols: Sequence[Piece]) -> dict[Pair, int]:
    """Every pair of neighbours, even where two share a symbol: aaaa -> {(a, a): 3}."""
    return dict(Counter(pairwise(symbols)))


def join(symbols: Sequence[Piece], pair: Pair) -> list[Piece]:
    """The symbols with every usable `pair`, from left to right, made one piece."""
    out: list[Piece] = []
    i = 0
    while i < len(symbols):
        if symbols[i] == pair[0] and i + 1 < len(symbols) and symbols[i + 1] == pair[1]:
            out.append(pair[0] + pair[1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out


# --- the words of a text, their pairs always counted --------------------------------


class Words:
    """Distinct words as symbols, each with its count, and the counts of their pairs.

    `counts[pair]` and `where[pair]` (the words that hold it) are right at every
    moment: join_everywhere() takes a word's old pairs out and puts its new ones in.
    """

    def __init__(self, words: Mapping[str, int],
                 split: Callable[[str], list[Piece]] = characters) -> None:
        self.times = [whole("a word's count", n, 0) for n in words.values()]
        self.symbols = [split(word) for word in words]
        self.counts: dict[Pair, int] = {}
        self.where: dict[Pair, set[int]] = {}
        for i, symbols in enumerate(self.symbols):
            for pair, n in usable_pairs(symbols).items():
                self._add(i, pair, n)

    def _add(self, i: int, pair: Pair, n: int) -> None:
        self.counts[pair] = self.counts.get(pair, 0) + n * self.times[i]
        self.where.setdefault(pair, set()).add(i)

    def _remove(self, i: int, pair: Pair, n: int) -> None:
        self.counts[pair] -= n * self.times[i]
        self.where[pair].discard(i)
        if not self.where[pair]:
            del self.counts[pair], self.where[pair]

    def join_everywhere(self, pair: Pair) -> tuple[int, set[Pair]]:
        """Make `pair` one piece in every word: (replacements, pairs recounted)."""
        self._known(pair)
        replaced, recounted = 0, set()
        for i in tuple(self.where[pair]):
            old = self.symbols[i]
            new = self.symbols[i] = join(old, pair)
            replaced += (len(old) - len(new)) * self.times[i]
            before, after = usable_pairs(old), usable_pairs(new)
            for p, n in before.items():
                if after.get(p) != n:
                    self._remove(i, p, n)
                    recounted.add(p)
            for p, n in after.items():
                if before.get(p) != n:
                    self._add(i, p, n)
                    recounted.add(p)
        return replaced, recounted

    def recount(self, count: Callable[[Sequence[Piece]], dict[Pair, int]] = usable_pairs
                ) -> dict[Pair, int]:
        """The counts of all pairs from nothing, in reading order."""
        total: dict[Pair, int] = {}
        for symbols, times in zip(self.symbols, self.times, strict=True):
            for pair, n in count(symbols).items():
                total[pair] = total.get(pair, 0) + n * times
        return total

    def first(self, pair: Pair) -> tuple[int, int]:
        """Where `pair` is first met: number of the word, place of its left end.

        The place is counted in characters or bytes, which no later merge moves.
        """
        self._known(pair)
        i = min(self.where[pair])
        place = 0
        for two in pairwise(self.symbols[i]):
            if two == pair:
                break
            place += len(two[0])
        return i, place

    def _known(self, pair: Pair) -> None:
        if pair not in self.where:
            raise ValueError(f"no word holds the pair {pair!r}")

    def length(self) -> int:
        """How many symbols the text has now."""
        return sum(len(s) * n for s, n in zip(self.symbols, self.times, strict=True))


# --- ties ---------------------------------------------------------------------------
# Of several pairs with the same count, the one with the LEAST key is joined.


def _reversed(piece: Piece) -> tuple[int, ...]:
    """A key that turns the order of pieces round; the 1 puts "ab" before "a"."""
    codes = piece if isinstance(piece, bytes) else map(ord, piece)
    return (*(-c for c in codes), 1)


TieKey = Callable[[Pair, Words, Mapping[Any, int]], tuple[Any, ...]]
TIES: dict[str, TieKey] = {
    # the pair met first when the words are read in order, as they are cut now
    "first": lambda pair, words, ids: words.first(pair),
    # the first and the last in the order of the alphabet (code points, bytes)
    "smallest": lambda pair, words, ids: pair,
    "largest": lambda pair, words, ids: (_reversed(pair[0]), _reversed(pair[1])),
    # the lowest ids: a piece joined earlier goes first.  This is the rule of the
    # `tokenizers` library, found by its behaviour and held by a test
    "oldest": lambda pair, words, ids: (ids[pair[0]], ids[pair[1]]),
}


# --- training -----------------------------------------------------------------------


@dataclass(frozen=True)
class Merge:
    """Two pieces that became one; count is how many replacements that made."""

    left: Any
    right: Any
    count: int

    @property
    def pair(self) -> Pair:
        return self.left, self.right

    @property
    def piece(self) -> Piece:
        return self.left + self.right           # type: ignore[no-any-return]


def train(words: Mapping[str, int], merges: int, tie: str = "smallest",
          split: Callable[[str], list[Piece]] = characters,
          base: Sequence[Piece] | None = None) -> Tokenizer:
    """Learn up to `merges` merges from words with counts.

    base: the symbols in the order of their ids; without it, those of the words in
    the order of the alphabet (utf8: all 256 bytes).  Where no pair is left training
    stops early, and Tokenizer.stopped says so.
    """
    whole("merges", merges, 0)
    text = Words(words, split)
    ids, key = _numbers(text, split, base), _tie_key(tie)
    heap: list[tuple[int, tuple[Any, ...], Pair]] = [
        (-n, (), pair) for pair, n in text.counts.items()]
    heapq.heapify(heap)
    start, found = tuple(ids), list[Merge]()
    while heap and len(found) < merges:
        negative, known, pair = heapq.heappop(heap)
        if text.counts.get(pair) != -negative:
            continue                            # an old count: a newer entry exists
        # keys are worked out only for pairs that reach the top; () comes before all
        now = key(pair, text, ids)
        if known != now:
            heapq.heappush(heap, (negative, now, pair))
            continue
        replaced, recounted = text.join_everywhere(pair)
        found.append(Merge(*pair, replaced))
        ids.setdefault(pair[0] + pair[1], len(ids))
        for p in recounted:
            if p in text.counts:
                heapq.heappush(heap, (-text.counts[p], (), p))
    return Tokenizer(start, tuple(found), merges, split is utf8)


def train_by_recounting(words: Mapping[str, int], merges: int, tie: str = "smallest",
                        split: Callable[[str], list[Piece]] = characters,
                        base: Sequence[Piece] | None = None,
                        count: Callable[[Sequence[Piece]], dict[Pair, int]] = usable_pairs
                        ) -> Tokenizer:
    """The same, counting everything again after every merge: slow and plain.

    count=overlapping_pairs is the common mistake; Merge.count then holds what was
    counted, which may be more than what was replaced.
    """
    whole("merges", merges, 0)
    text = Words(words, split)
    ids, key = _numbers(text, split, base), _tie_key(tie)
    start, found = tuple(ids), list[Merge]()
    while len(found) < merges and (counts := text.recount(count)):
        most = max(counts.values())
        best = min((p for p, n in counts.items() if n == most),
                   key=lambda p: key(p, text, ids))
        text.join_everywhere(best)
        found.append(Merge(*best, most))
        ids.setdefault(best[0] + best[1], len(ids))
    return Tokenizer(start, tuple(found), merges, split is utf8)


def _numbers(text: Words, split: Any, base: Sequence[Piece] | None) -> dict[Any, int]:
    if base is None:
        base = BYTES if split is utf8 else sorted({s for w in text.symbols for s in w})
    missing = {s for w in text.symbols for s in w}.difference(base)
    if missing:
        raise ValueError(f"base does not hold {', '.join(map(repr, sorted(missing)))}")
    return {piece: i for i, piece in enumerate(base)}


def _tie_key(tie: str) -> TieKey:
    if tie not in TIES:
        raise ValueError(f"unknown tie rule {tie!r}: it is one of {', '.join(TIES)}")
    return TIES[tie]


# --- cutting text -------------------------------------------------------------------


class UnknownSymbols(ValueError):
    """A word holds symbols outside the base vocabulary; `.symbols` lists them."""

    def __init__(self, word: str, symbols: list[Piece]) -> None:
        self.word, self.symbols = word, symbols
        super().__init__(f"{word!r} cannot be spelled: {', '.join(map(repr, symbols))} "
                         "not in the base vocabulary")


@dataclass(frozen=True)
class Tokenizer:
    """A base vocabulary and merges: cuts text into pieces, and joins them again."""

    base: tuple[Piece, ...]
    merges: tuple[Merge, ...]
    asked: int
    bytewise: bool

    @cached_property
    def ranks(self) -> dict[Pair, int]:
        """Which merge comes first; the earlier of two equal ones counts."""
        ranks: dict[Pair, int] = {}
        for i, merge in enumerate(self.merges):
            ranks.setdefault(merge.pair, i)
        return ranks

    @cached_property
    def vocabulary(self) -> tuple[Piece, ...]:
        """The piece of every id: the base, then what was joined, no piece twice."""
        return tuple(dict.fromkeys((*self.base, *(m.piece for m in self.merges))))

    @cached_property
    def ids(self) -> dict[Piece, int]:
        return {piece: i for i, piece in enumerate(self.vocabulary)}

    @property
    def stopped(self) -> str | None:
        """Why there are fewer merges than asked for, or None."""
        if len(self.merges) == self.asked:
            return None
        return (f"only {len(self.merges)} of {self.asked} merges exist: "
                "no word has two symbols left to join")

    def shorter(self, merges: int) -> Tokenizer:
        """What training would have given with only so many merges."""
        whole("merges", merges, 0)
        return Tokenizer(self.base, self.merges[:merges], merges, self.bytewise)

    def pieces(self, word: str) -> list[Piece]:
        """One chunk cut into pieces: merges applied in the order they were learned.

        Raises UnknownSymbols for what the base vocabulary does not hold; a byte
        vocabulary holds everything.
        """
        symbols = utf8(word) if self.bytewise else characters(word)
        unknown = [s for s in dict.fromkeys(symbols) if s not in self.ids]
        if unknown:
            raise UnknownSymbols(word, unknown)
        ranks, never = self.ranks, len(self.ranks)
        while len(symbols) > 1:
            best = min(pairwise(symbols), key=lambda pair: ranks.get(pair, never))
            if best not in ranks:
                break
            symbols = join(symbols, best)
        return symbols

    def encode(self, text: str) -> list[int]:
        """The ids of a text, chunk by chunk."""
        known: dict[str, list[int]] = {}
        out: list[int] = []
        for chunk in chunks(text):
            if chunk not in known:
                known[chunk] = [self.ids[p] for p in self.pieces(chunk)]
            out += known[chunk]
        return out

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids: all pieces are joined BEFORE bytes become characters.

        ValueError where the bytes are no UTF-8, for example a text cut inside a
        character; nothing is ever replaced silently.
        """
        if not isinstance(ids, Iterable):
            raise ValueError(f"ids is a list of numbers, got {ids!r}")
        last = len(self.vocabulary) - 1
        pieces = [self.vocabulary[whole("an id", i, 0, last)] for i in ids]
        if not self.bytewise:
            return "".join(pieces)              # type: ignore[arg-type]
        joined = b"".join(pieces)               # type: ignore[arg-type]
        try:
            return joined.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            rest = joined[error.start:].hex(" ").upper()
            raise ValueError(f"no whole character at byte {error.start}: {rest}") from None


def shown(piece: Piece) -> str:
    """A piece as a reader may see it: whole characters as text, other bytes as bytes.

    b"the" -> "the"; b"\\xe5\\x9c" -> "[E5 9C]": never a replacement character.
    """
    if isinstance(piece, str):
        return piece
    out = ""
    while piece:
        try:
            return out + piece.decode("utf-8")
        except UnicodeDecodeError as error:
            part = piece[error.start:error.end]
            out += piece[:error.start].decode("utf-8") + f"[{part.hex(' ').upper()}]"
            piece = piece[error.end:]
    return out


def counted(words: Iterable[str]) -> dict[str, int]:
    """Words with counts, in the order in which they are first met."""
    return dict(Counter(words))
