"""How is a claim's margin written, so that one can read what it tests?

A margin is a signed number, positive exactly when the sentence holds, in the units of what
it reads.  It is a function of a VIEW of the metrics, written with a few words:

    lambda m: both(above(m.queries.colour.sharp.value, m.values[0]),
                   near(m.ladder.change, 0, within=1e-12))

The view follows keys as names (`m.queries.colour`), `[]` where a key is no name (`m.rows["0.in"]`),
and has no public name of its own, so that no key is shadowed.  It can note every leaf that
is read: the guard compares them with the numbers of the sentence.

Imports nothing of ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

HALF = 0.5


class View:
    """Metrics as a margin reads them; leaves come out as they are.

    A dict iterates over its keys and a list over its items, as in Python; `rows` gives the
    items of either.  note(path) is told of every leaf.
    """

    __slots__ = ("__note", "__path", "__value")

    def __init__(self, value: Any, note: Callable[[str], None] | None = None,
                 path: str = "") -> None:
        self.__value, self.__note, self.__path = value, note, path

    def __of(self, key: Any, value: Any) -> Any:
        path = f"{self.__path}.{key}" if self.__path else str(key)
        if isinstance(value, dict | list):
            return View(value, self.__note, path)
        if self.__note is not None:
            self.__note(path)
        return value

    def __getattr__(self, name: str) -> Any:
        if isinstance(self.__value, dict) and name in self.__value:
            return self.__of(name, self.__value[name])
        if name == "get":                           # reads one leaf, not all of them
            return lambda key, default=None: self[key] if key in self else default  # noqa: SIM401
        if name.startswith("__"):
            raise AttributeError(name)
        raise KeyError(f"no metric {self.__path}.{name}".replace(" .", " "))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return [self[i] for i in range(*key.indices(len(self)))]
        if isinstance(self.__value, list):
            return self.__of(range(len(self.__value))[key], self.__value[key])
        return self.__of(key, self.__value[key])

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.__value, list):
            return (self[i] for i in range(len(self.__value)))
        return iter(self.__value)

    def __len__(self) -> int:
        return len(self.__value)

    def __contains__(self, item: Any) -> bool:
        return item in (self.__value if isinstance(self.__value, dict) else list(self))

    def __eq__(self, other: Any) -> bool:
        return bool(self.__plain() == (other.__plain() if isinstance(other, View) else other))

    __hash__ = None                                                 # type: ignore[assignment]

    def __plain(self) -> Any:
        """A dict or list of its items, every leaf noted."""
        if isinstance(self.__value, list):
            return list(self)
        return {key: self[key] for key in self.__value}


def rows(view: Any) -> list[Any]:
    """The items of a dict or a list, in order."""
    return [view[key] for key in view] if isinstance(view, View) and not _is_list(view) \
        else list(view)


def _is_list(view: View) -> bool:
    return isinstance(view._View__value, list)                      # type: ignore[attr-defined]


# --- the words of a margin ----------------------------------------------------
# Reals: above, below, near.  Counts: at_least, at_most, equal, with half a unit to spare, so that
# a margin of a count is never 0.  Sequences: rises, falls, same.  Joined: both, every.


def above(x: float, bound: float) -> float:
    """x > bound, by how much."""
    return x - bound


def below(x: float, bound: float) -> float:
    """x < bound, by how much."""
    return bound - x


def near(x: float, target: float, within: float) -> float:
    """x is within that far of the target; what is left of it."""
    return within - abs(x - target)


def at_least(count: float, n: float) -> float:
    """A count is n or more."""
    return count - n + HALF


def at_most(count: float, n: float) -> float:
    """A count is n or less."""
    return n - count + HALF


def equal(count: float, n: float) -> float:
    """A count is n."""
    return HALF - abs(count - n)


def rises(xs: Iterable[float], by: float = 0.0) -> float:
    """Each is larger than the one before, by more than `by`."""
    xs = list(xs)
    return _least(b - a for a, b in zip(xs, xs[1:], strict=False)) - by


def falls(xs: Iterable[float], by: float = 0.0) -> float:
    """Each is smaller than the one before, by more than `by`."""
    xs = list(xs)
    return _least(a - b for a, b in zip(xs, xs[1:], strict=False)) - by


def same(xs: Iterable[float], within: float) -> float:
    """Largest and smallest differ by less than `within`."""
    xs = list(xs)
    return within + _least(-x for x in xs) + _least(xs)


def word(one: Any, other: Any) -> float:
    """Two words (or truths) are the same."""
    return HALF if one == other else -HALF


def both(*margins: float) -> float:
    """All of them hold: the smallest."""
    return _least(margins)


def every(margins: Iterable[float]) -> float:
    """All of them hold: the smallest."""
    return _least(margins)


def either(*margins: float) -> float:
    """One of them holds: the largest."""
    return -_least(-x for x in margins)


def _least(numbers: Iterable[float]) -> float:
    """The smallest; not a number where one of them is none: min would pass over it."""
    numbers = list(numbers)
    return math.nan if any(x != x for x in numbers) else min(numbers)
