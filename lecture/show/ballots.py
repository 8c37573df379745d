"""What did the rooms guess?  Counts, kept across lectures; never a person.

One line of JSON a vote in `votes.jsonl`, appended in one write under a lock: a kill loses at most
the vote that is being taken, and two lectures at once mix nothing.  A vote taken again is a later
line of the same sitting, question and round; the last one counts.

The folder: LECTURE_DATA_DIR, else the user's data folder of the system.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from lecture.errors import SetupProblem, shown, tell
from lecture.report import LETTERS

FILE = "votes.jsonl"
VERSION = 1


@dataclass(frozen=True)
class Ballot:
    """One vote of a room: how many hands each letter had."""

    room: str
    demo: str
    part: str                           # the part's key
    question: int                       # which of the part's questions, from 0
    round: int                          # 1: before the discussion, 2: after it
    counts: Mapping[str, int]
    number: int                         # the part's number
    prompt: Mapping[str, str]           # in both languages, as it was asked
    right: str                          # the letters the measurement chose, by the settings then
    misread: Mapping[str, Mapping[str, str]]        # what was behind each wrong letter
    showing: str                        # which lecture: a random word, made at its start
    date: str = ""


@dataclass(frozen=True)
class Asked:
    """One question asked in one lecture, with the last count of each round."""

    last: Ballot
    first: Mapping[str, int]
    second: Mapping[str, int] | None


def data_dir() -> Path | None:
    """Where what must last is kept, None where no place can be named."""
    own = os.environ.get("LECTURE_DATA_DIR")
    try:
        if own:
            return Path(own).expanduser().absolute()
        from platformdirs import user_data_dir

        return Path(user_data_dir("lecture", appauthor=False))
    except (RuntimeError, KeyError, OSError):
        return None


def append(ballot: Ballot) -> bool:
    """Keep one vote; False, with a word on stderr, where it cannot be kept."""
    folder = data_dir()
    try:
        if folder is None:
            raise OSError(0, "no folder can be named; set LECTURE_DATA_DIR")
        folder.mkdir(parents=True, exist_ok=True)
        document = {"version": VERSION, **asdict(ballot),
                    "date": ballot.date or datetime.now().astimezone().isoformat("T", "seconds")}
        _append_line(folder / FILE, json.dumps(document, ensure_ascii=False, sort_keys=True))
    except OSError as error:
        tell(f"lecture: this vote is not kept: {shown(error.strerror or error)}\n"
             "  set LECTURE_DATA_DIR to a folder you may write to")
        return False
    return True


def _append_line(path: Path, line: str) -> None:
    from filelock import FileLock, Timeout

    _a_file(path)
    try:
        with FileLock(f"{path}.lock", timeout=5), open(path, "a+b") as file:
            file.seek(0, os.SEEK_END)
            if file.tell():                       # half a line that a killed run left
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else "\n" + line
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except Timeout:
        raise OSError(0, "another lecture holds the file") from None


def _a_file(path: Path) -> None:
    """OSError where something else has the name: a FIFO would be waited for."""
    if path.exists() and not path.is_file():
        raise OSError(0, f"{path.name} is no file")


def read(path: Path | None = None) -> tuple[list[Ballot], int]:
    """Every vote that can be read, in the order they were taken; how many lines cannot."""
    folder = data_dir()
    path = path or (folder / FILE if folder else None)
    if path is None or not path.exists():
        return [], 0
    try:
        _a_file(path)
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise SetupProblem(f"cannot read {path}: {error.strerror}",
                           "set LECTURE_DATA_DIR to a folder you may read") from None
    found = [_ballot(line) for line in lines if line.strip()]
    return [b for b in found if b], found.count(None)


def _ballot(line: bytes) -> Ballot | None:
    try:
        document = json.loads(line)
        ballot = Ballot(**{f.name: document[f.name] for f in fields(Ballot)})
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return ballot if _sound(ballot) else None


def _sound(ballot: Ballot) -> bool:
    texts = (ballot.room, ballot.demo, ballot.part, ballot.right, ballot.showing, ballot.date)
    numbers = (ballot.question, ballot.round, ballot.number)
    return (all(isinstance(text, str) for text in texts)
            and all(type(n) is int and 0 <= n < 1000 for n in numbers)
            and ballot.round in (1, 2) and set(ballot.right) <= set(LETTERS)
            and _both(ballot.prompt) and isinstance(ballot.misread, dict)
            and all(k in LETTERS and _both(words) for k, words in ballot.misread.items())
            and isinstance(ballot.counts, dict)
            and all(k in LETTERS and type(v) is int and 0 <= v < 100_000
                    for k, v in ballot.counts.items())
            and sum(ballot.counts.values()) > 0)


def _both(words: Any) -> bool:
    """A text in both languages."""
    return isinstance(words, dict) and all(isinstance(words.get(x), str) for x in ("zh", "en"))


def asked(ballots: Sequence[Ballot]) -> Iterator[Asked]:
    """The votes question by question: the last count of each round of a sitting."""
    rounds: dict[tuple[Any, ...], dict[int, Ballot]] = {}
    for ballot in ballots:
        key = (ballot.showing, ballot.room, ballot.demo, ballot.part, ballot.question)
        found = rounds.setdefault(key, {})
        if ballot.round == 1:
            found.pop(2, None)                   # asked anew: an old second vote is none of it
        found[ballot.round] = ballot
    for found in rounds.values():
        if 1 in found:
            second = found.get(2)
            yield Asked(second or found[1], found[1].counts, second.counts if second else None)
