"""Does the screen still say, word for word, what was read and found true?

For each demo and language everything a person can meet is drawn at 80 columns without
colour and kept beside the demo (screen.zh.txt, screen.en.txt): titles, leads, votes, blocks,
observations, answers, misconceptions, caveats, speaker notes, errata; each under a mark that
says whether it stands in the first view or behind --more; what only the page draws stands there
as words and numbers.  Compared exactly, trailing blanks
cut.  One thing is let pass as a note: a line that differs in decimals only, each by one unit
of its last digit, while every pin of its part holds and the recorded numbers themselves still
print the recorded line: then arithmetic moved, and no text.  Whole numbers are words.

Left out: colour, other widths, the page (tests/).
"""

from __future__ import annotations

import difflib
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from demos import Entry
from lecture.quantities import blocks_of, lead_of
from lecture.report import LANGUAGES, Curve, HeatMap, Result, Scatter, formatted

WIDTH = 80
MARK = "#### "
_DECIMAL = re.compile(r"(?<![\w.])-?\d+\.\d+(?![\w.]\d)")


@dataclass(frozen=True)
class Change:
    """One line that is not as recorded; note: a last digit only, while the pins hold."""

    lang: str
    place: str
    old: str
    new: str
    note: bool = False

    def __str__(self) -> str:
        return f"[{self.lang}] {self.place}: {_shown(self.old)} -> {_shown(self.new)}"


def _shown(line: str) -> str:
    return repr(line) if line else "(no line)"


def sheet(entry: Entry, results: Sequence[Result], lang: str) -> str:
    """Everything a person can meet of a demo, as text under marks."""
    from console import Screen
    from lecture.show.export import errata_document
    from lecture.show.present import show_errata, show_notes

    out: list[str] = []

    def take(place: str, more: bool, draw: Callable[[Screen], None]) -> None:
        stream = io.StringIO()
        draw(Screen(stream, lang=lang, width=WIDTH, color="never"))
        lines = [line.rstrip() for line in stream.getvalue().splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        out.extend([f"{MARK}{place} [{'more' if more else 'first'}]", *lines])

    title = f"{entry.code}  {entry.title.text(lang)}"
    take(f"{entry.code} title", False, lambda s: s.header(title))
    for number, block in enumerate(entry.opening(), 1):
        take(f"{entry.code} opening {number}", block.more,
             lambda s, b=block: s.block(b, {}))                     # type: ignore[misc]
    for result in results:
        for place, more, draw in _of_part(entry, result):
            take(f"{entry.code}.{result.part.number} {place}", more, draw)
    take(f"{entry.code} notes", True,
         lambda s: show_notes(entry, [r.part for r in results], s))
    found = errata_document(entry, results, lang)
    if found:
        take(f"{entry.code} errata", True, lambda s: show_errata(entry, found, s))
    return "\n".join(out) + "\n"


def _of_part(entry: Entry, result: Result) -> Iterator[tuple[str, bool, Callable[..., None]]]:
    part, m = result.part, result.metrics
    yield "title", False, lambda s: s.part(entry.number, part)
    for i, block in enumerate(lead_of(part, m), 1):
        yield (f"lead {i}", block.more,
               lambda s, b=block: s.block(b, m, part.format_of, close=True))
    for i, question in enumerate(part.questions, 1):
        yield (f"vote {i}", question.more,
               lambda s, q=question: s.question(q, result.asked, "", part.format_of))
    for i, block in enumerate(blocks_of(part, m), 1):
        if getattr(block, "page_only", False):
            yield f"block {i} on the page", True, lambda s, b=block: _on_the_page(s, b, result)
            continue
        yield f"block {i}", block.more, lambda s, b=block: s.block(b, m, part.format_of)
    for claim in part.claims:
        yield (f"claim {claim.key}", claim.more,
               lambda s, c=claim: s.verdict(result.verdict(c), result))
    for i, question in enumerate(part.questions, 1):
        yield f"answer {i}", question.more, lambda s, q=question: s.answer(q, result)
        yield (f"misconceptions {i}", True,
               lambda s, q=question: s.misconceptions(q, result))
    if part.caveat:
        yield "caveat", False, lambda s: s.caveat(part, result)
    if part.further:
        yield "further", True, lambda s: s.caveat(part, result, more=True)


def _on_the_page(screen: Any, block: HeatMap | Curve | Scatter, result: Result) -> None:
    """What only the page draws, as words and numbers: title, names, and every value."""
    lang = screen.lang
    for text in (block.title, getattr(block, "legend", None)):
        if text:
            screen.line(result.text(text, lang))
    if isinstance(block, HeatMap):
        for head, count in block.groups:
            screen.line(f"{head.text(lang)} ({count})")
        rows = [("", block.columns), *zip(block.rows, block.values, strict=True)]
        screen.line(f"{block.low:g} .. {block.high:g}")
    elif isinstance(block, Curve):
        rows = [(block.x_label, block.x), *block.series]
        screen.line(f"{result.text(block.y_label, lang)} {block.low} .. {block.high}")
    else:
        rows = [(name, [f"({x:{block.format}}, {y:{block.format}})" for x, y, c in block.points
                        if c == letter]) for letter, name in block.classes.items()]
        screen.line(" / ".join(result.text(text, lang) for text in (block.x_label, block.y_label)))
    for head, values in rows:
        cells = " ".join(formatted(v, block.format, lang) for v in values)
        screen.line(f"{formatted(head, 'd', lang)}: {cells}")


def recorded(entry: Entry, lang: str) -> str | None:
    """The kept text, or None where nothing is kept."""
    try:
        return (entry.folder / f"screen.{lang}.txt").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def compare(entry: Entry, results: Sequence[Result], sound: Mapping[int, bool],
            pins: Mapping[str, Mapping[str, Any]]) -> list[Change]:
    """Every line that is not as recorded; sound: the parts whose pins all hold, by number;
    pins: the recorded numbers, by part."""
    changes: list[Change] = []
    for lang in LANGUAGES:
        kept = recorded(entry, lang)
        if kept is None:
            changes.append(Change(lang, f"{entry.code} screen", "", "nothing is recorded"))
            continue
        found = differences(kept, sheet(entry, results, lang), lang, sound)
        if any(change.note for change in found):
            then = [replace(r, metrics=as_recorded(r.metrics, pins.get(r.part.key, {})))
                    for r in results]
            printed = set(sheet(entry, then, lang).splitlines())
            found = [replace(c, note=c.note and c.old in printed) for c in found]
        changes += found
    return changes


def as_recorded(metrics: Any, pins: Mapping[str, Any], path: str = "") -> Any:
    """The metrics with every leaf that is recorded as it is recorded."""
    if isinstance(metrics, dict):
        return {k: as_recorded(v, pins, f"{path}.{k}" if path else str(k))
                for k, v in metrics.items()}
    if isinstance(metrics, list):
        return [as_recorded(v, pins, f"{path}.{i}" if path else str(i))
                for i, v in enumerate(metrics)]
    return pins.get(path, metrics)


def differences(kept: str, now: str, lang: str, sound: Mapping[int, bool]) -> list[Change]:
    """The changes between two sheets, line by line."""
    old, new = kept.splitlines(), now.splitlines()
    changes = []
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    for kind, a0, a1, b0, b1 in matcher.get_opcodes():
        if kind == "equal":
            continue
        for i in range(max(a1 - a0, b1 - b0)):
            one = old[a0 + i] if a0 + i < a1 else ""
            two = new[b0 + i] if b0 + i < b1 else ""
            place = _place(new, min(b0 + i, len(new) - 1)) if b1 > b0 else _place(old, a0 + i)
            part = re.match(r"\d\d\.(\d+) ", place)
            holds = bool(part) and sound.get(int(part[1]), False) if part else False
            changes.append(Change(lang, place, one, two, holds and last_digit_only(one, two)))
    return changes


def _place(lines: Sequence[str], at: int) -> str:
    mark = next((line for line in reversed(lines[:at + 1]) if line.startswith(MARK)), MARK)
    return mark[len(MARK):]


def last_digit_only(one: str, two: str) -> bool:
    """Do two lines differ in decimals only, each by one unit of its last digit at most?"""
    if _DECIMAL.sub("#", one) != _DECIMAL.sub("#", two) or one == two:
        return False
    for a, b in zip(_DECIMAL.findall(one), _DECIMAL.findall(two), strict=True):
        places = len(a.partition(".")[2])
        if len(b.partition(".")[2]) != places:
            return False
        if abs(round(float(a) * 10**places) - round(float(b) * 10**places)) > 1:
            return False
    return True


def accept(entry: Entry, results: Sequence[Result]) -> list[Change]:
    """Record what is drawn now, where it differs; the changes."""
    from lecture.files import write_whole

    changes = []
    for lang in LANGUAGES:
        now, kept = sheet(entry, results, lang), recorded(entry, lang)
        if kept == now:
            continue
        changes += differences(kept or "", now, lang, {})
        write_whole(entry.folder / f"screen.{lang}.txt", now)
    return changes
