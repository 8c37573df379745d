"""Which mistakes are known?  Each is data: a right function, and what is changed in it.

The files beside this one hold, by subject, RIGHT (one plain way to write each task) and MISTAKES.
fails.json says which claims and probes each of them fails: `python -m benchmarks.mistakes` makes
it, by running the demos.
"""

from __future__ import annotations

import functools
import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lecture.report import T

DEMOS = ("01", "04", "06", "07", "08", "09", "10", "13")    # completion asks: no NumPy for it
SUBJECTS = ("pairs", "look", "circuit", "masks", "places", "heads", "norms", "beams", "bins")
FAILS = Path(__file__).with_name("fails.json")


@dataclass(frozen=True)
class Mistake:
    """One mistake: what it is, where to read on (a part), and how the right code is changed."""

    key: str
    function: str
    read: str
    name: T
    edits: tuple[tuple[str, str], ...]

    def code(self, other: Mistake | None = None) -> str:
        """The whole wrong file, with another mistake on top of it where one is given.

        ValueError where what is to be changed is not there (any more).
        """
        text = right(self.function)
        for old, new in (*self.edits, *(other.edits if other else ())):
            if old not in text:
                raise ValueError(f"{self.key}: the right {self.function} has no {old!r}")
            text = text.replace(old, new)
        return text


def wrong(function: str, key: str, read: str, zh: str, en: str, *edits: str) -> Mistake:
    """A mistake from pairs of texts: what stands in the right code, what stands there now."""
    return Mistake(f"{function}.{key}", function, read, T(zh, en),
                   tuple(zip(edits[::2], edits[1::2], strict=True)))


@functools.cache
def bank() -> tuple[Mistake, ...]:
    """All of them, in the order of the tasks."""
    return tuple(m for s in SUBJECTS for m in _subject(s).MISTAKES)


def of(function: str) -> tuple[Mistake, ...]:
    """The known mistakes of one function."""
    return tuple(m for m in bank() if m.function == function)


def right(function: str) -> str:
    """One plain way to write a task, as a file."""
    for subject in SUBJECTS:
        if function in _subject(subject).RIGHT:
            text: str = _subject(subject).RIGHT[function]
            return "import numpy as np\n" + text
    raise KeyError(function)


@functools.cache
def fails() -> dict[str, frozenset[str]]:
    """What each mistake fails: claims as 04.1.sharp, a part that stops as 04.1!, probes as
    softmax:row."""
    if not FAILS.exists():
        return {}
    kept = json.loads(FAILS.read_text(encoding="utf-8"))["fails"]
    return {key: frozenset(what) for key, what in kept.items()}


def _subject(name: str) -> Any:
    return importlib.import_module(f"lecture.prove.mistakes.{name}")
