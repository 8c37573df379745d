"""Which question do the phones see, and what have they said?

One question is in front of the room at a time: it waits, is open, is closed, or has its answer.
A device is a random number and has one vote a question and round, which it may change until the
vote is closed; the last one counts.  All of it is in memory: only counts leave this room.

A server's thread writes here while the screen's thread reads, so everything is under one lock.

Left out: who may send what (lecture/show/phones.py), when a vote is over (lecture/show/rounds.py).
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

MOST_DEVICES = 2000                     # in one vote: more is no lecture hall
Words = Mapping[str, str]               # {"zh": …, "en": …}


class Refused(Exception):
    """A vote that is not counted; why."""


@dataclass(frozen=True)
class Asked:
    """A question as a phone shows it."""

    key: str                            # demo, part and number of the question
    prompt: Words
    options: Sequence[Words]


@dataclass(frozen=True)
class Answer:
    """What is told once the answer is on the screen."""

    right: str                          # the letters that are right; "" where none is
    words: Words | None = None
    misread: Mapping[str, Words] = field(default_factory=dict)     # what is behind a wrong letter


@dataclass(frozen=True)
class _Now:
    asked: Asked
    round: int
    state: str = "open"                 # open, closed, answer
    answer: Answer | None = None

    @property
    def vote(self) -> str:
        """The name of this vote, told to the phones and given back by them."""
        return f"{self.asked.key}.{self.round}"


class Poll:
    """The question in front of the room, and every vote so far."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now: _Now | None = None
        self._votes: dict[str, dict[str, str]] = {}

    # --- the lecturer's side ---

    def ask(self, asked: Asked, round: int = 1) -> None:
        """Put a question before the room and open its vote; what was voted in it stays."""
        with self._lock:
            self._now = _Now(asked, round)
            self._votes.setdefault(self._now.vote, {})

    def retell(self, asked: Asked) -> None:
        """The same question in other words: a setting was changed."""
        with self._lock:
            if self._now and self._now.asked.key == asked.key:
                self._now = replace(self._now, asked=asked)

    def close(self) -> dict[str, int]:
        """No more votes; the count of each letter, in the order of the letters."""
        with self._lock:
            if self._now and self._now.state == "open":
                self._now = replace(self._now, state="closed")
            return self._counts()

    def reveal(self, key: str, answer: Answer) -> None:
        """The answer is on the screen."""
        with self._lock:
            if self._now and self._now.asked.key == key:
                self._now = replace(self._now, state="answer", answer=answer)

    def is_open(self) -> bool:
        """Is a vote being taken?"""
        with self._lock:
            return self._now is not None and self._now.state == "open"

    def key(self) -> str | None:
        """Which question is before the room."""
        with self._lock:
            return self._now.asked.key if self._now else None

    def voted(self) -> int:
        """How many have voted in this round."""
        with self._lock:
            return len(self._votes[self._now.vote]) if self._now else 0

    def counts(self) -> dict[str, int]:
        """The count of each letter of this round."""
        with self._lock:
            return self._counts()

    def _counts(self) -> dict[str, int]:
        votes = self._votes[self._now.vote] if self._now else {}
        return dict(sorted(Counter(votes.values()).items()))

    # --- the phones' side ---

    def vote(self, device: str, vote: str, letter: str) -> None:
        """Count a device's vote, or change it. Refused: "over", "letter" or "full"."""
        with self._lock:
            now = self._now
            if now is None or now.state != "open" or vote != now.vote:
                raise Refused("over")
            if letter not in _letters(now.asked):
                raise Refused("letter")
            votes = self._votes[now.vote]
            if device not in votes and len(votes) >= MOST_DEVICES:
                raise Refused("full")
            votes[device] = letter

    def seen_by(self, device: str | None) -> dict[str, Any]:
        """What a phone shows: the question and this device's own vote; no other's, no count."""
        with self._lock:
            now = self._now
            if now is None:
                return {"state": "wait"}
            mine = self._votes[now.vote].get(device or "")
        told: dict[str, Any] = {
            "state": now.state, "vote": now.vote, "round": now.round, "mine": mine,
            "prompt": now.asked.prompt,
            "options": dict(zip(_letters(now.asked), now.asked.options, strict=True))}
        if now.answer:
            told |= {"right": now.answer.right, "answer": now.answer.words,
                     "misread": now.answer.misread.get(mine or "")}
        return told


def _letters(asked: Asked) -> str:
    from lecture.report import LETTERS

    return LETTERS[:len(asked.options)]
