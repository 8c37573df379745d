"""What did the rooms guess, before and after they talked?  `lecture votes`.

By question and room: both votes, the gain, the misconception most held; on the screen, as JSON
or for a spreadsheet.

Left out: taking and keeping the counts (lecture/show/votes.py, lecture/show/ballots.py).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from lecture.errors import shown
from lecture.report import LETTERS, Column, T, Table
from lecture.show.ballots import asked, read

if TYPE_CHECKING:
    from console import Screen
    from demos import Entry


def share(counts: Mapping[str, int], letters: str) -> float:
    """The part of the hands that stand behind these letters."""
    return sum(counts.get(x, 0) for x in letters) / sum(counts.values())


def gain(first: float, second: float) -> float | None:
    """Of those who were wrong, how many more are right now (Hake 1998, normalized gain)."""
    return (second - first) / (1 - first) if first < 1 else None


def most_held(counts: Mapping[str, int], right: str) -> str | None:
    """The wrong letter with the most hands; the earlier one of equals."""
    wrong = {letter: n for letter, n in sorted(counts.items()) if letter not in right and n}
    return max(wrong, key=lambda letter: wrong[letter]) if wrong else None


def told(entries: Sequence[Entry], room: str | None = None) -> tuple[list[dict[str, Any]], int]:
    """Every question asked of these demos, by room: both votes, gain, the misconception most held.

    Shares are of the hands.  Words and right letters are those of the lecture: a question that
    was reworded since, or asked with other settings, is judged by what was measured then.
    Second value: lines that cannot be read.
    """
    ballots, unread = read()
    codes = {e.code for e in entries}
    rows = []
    for one in asked([b for b in ballots if room in (None, b.room) and b.demo in codes]):
        last = one.last
        before = share(one.first, last.right)
        after = share(one.second, last.right) if one.second else None
        held = most_held(one.second or one.first, last.right)
        rows.append({
            "date": last.date, "room": last.room, "demo": last.demo, "part": last.part,
            "number": last.number, "question": last.question + 1, "prompt": dict(last.prompt),
            "first": dict(one.first), "second": dict(one.second) if one.second else None,
            "right": last.right, "share_first": before, "share_second": after,
            "gain": gain(before, after) if after is not None else None,
            "most_held": held, "misconception": last.misread.get(held or "")})
    return rows, unread


def write_csv(rows: Sequence[Mapping[str, Any]], stream: IO[str]) -> None:
    """One line a question; the counts letter by letter."""
    plain = ["date", "room", "demo", "part", "question", "prompt", "right", "share_first",
             "share_second", "gain", "most_held"]
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*plain, *(f"{n}_{x}" for n in ("first", "second") for x in LETTERS)])
    for row in rows:
        counts = [(row[n] or {}).get(x, "") for n in ("first", "second") for x in LETTERS]
        row = {**row, "prompt": row["prompt"]["en"]}
        writer.writerow([_cell(row[name]) for name in plain] + counts)


def _cell(value: Any) -> Any:
    """A value of a spreadsheet; a text that a spreadsheet would run as a formula is quoted."""
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@" else value


def draw(rows: Sequence[Mapping[str, Any]], screen: Screen) -> None:
    """The same on the screen."""
    if not rows:
        screen.line(screen.word("no_votes"))
        return
    for room in dict.fromkeys(row["room"] for row in rows):
        screen.line()
        screen.line(screen.word("votes_of", room=shown(room) or screen.word("no_room")), "label")
        for row in (r for r in rows if r["room"] == room):
            screen.line()
            screen.line(shown(row["prompt"][screen.lang]),
                        first=f"{row['demo']}.{row['number']}  ", first_style="label")
            columns = [Column(T("", "")), *(Column(T(x, x), "d") for x in LETTERS
                       if any(x in (row[n] or {}) for n in ("first", "second")))]
            letters = [c.header.en for c in columns[1:]]
            screen.block(Table(tuple(columns), [
                [screen.word(n), *(row[n].get(x, 0) for x in letters)]
                for n in ("first", "second") if row[n]]), {}, close=True)
            _sentences(row, screen)


def _sentences(row: Mapping[str, Any], screen: Screen) -> None:
    words = [screen.word("right_share", letters=row["right"], share=f"{row['share_first']:.0%}")]
    if row["share_second"] is not None:
        words.append(screen.word("then_share", share=f"{row['share_second']:.0%}"))
    if row["gain"] is not None:
        words.append(screen.word("gain", gain=f"{row['gain']:+.2f}"))
    screen.line(" ".join(words), indent=2)
    if row["misconception"]:
        screen.line(shown(row["misconception"][screen.lang]),
                    first=f"  {screen.word('held', letter=row['most_held'])} ")
