"""Where can the notes be said better?  One page, by document and line, beside what is measured.

An erratum stands below the first place it names, with a table of every number its two
sentences hold: what it is called, its path, the notes' figure, the measured one.  The other
documents it names point to it.

Unlike export.errata_markdown: both languages, one shown at a time, as in the handout.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from demos import Entry
from lecture.report import LANGUAGES, Erratum, Result, T, at, dotted
from lecture.show.export import errata_document
from lecture.show.page import both, cell, environment
from lecture.show.words import PAGE, WORDS, judged

Item = dict[str, Any]


def errata_view(entry: Entry, results: Iterable[Result]) -> list[Item]:
    """Every erratum of a demo as plain data, both languages."""
    found: list[Item] = []
    for result in results:
        told = {lang: errata_document(entry, [result], lang) for lang in LANGUAGES}
        for erratum, zh, en in zip(result.part.errata, told["zh"], told["en"], strict=True):
            found.append({
                "row": zh["row"], "places": [_place(where) for where in zh["where"]],
                "verdict": both(judged(zh)), "demo": f"{entry.code}.{result.part.number}",
                "kind": erratum.kind, "figure": erratum.notes is not None,
                "says": {"zh": zh["says"], "en": en["says"]},
                "right": {"zh": zh["right"], "en": en["right"]},
                "about": both(PAGE["about_erratum"], {
                    "where": " ".join(zh["where"]) or "-",
                    "demo": f"{entry.code}.{result.part.number}"}),
                "table": _table(erratum, result, zh["shown"])})
    return found


def _place(where: str) -> tuple[str, str]:
    document, _, lines = where.partition(":")
    return document, lines


def _table(erratum: Erratum, result: Result, shown: str | None) -> list[dict[str, Any]]:
    """The compared number first, then every other number the two sentences hold."""
    rows = []
    if erratum.metric is not None:
        rows.append({"path": erratum.metric, "name": _named(result, erratum.metric),
                     "notes": "" if erratum.notes is None else f"{erratum.notes:g}",
                     "measured": dict.fromkeys(LANGUAGES, shown)})
    seen = {erratum.metric, "notes"}
    for path, spec in _fields(erratum.says, erratum.right):
        if path not in seen:
            seen.add(path)
            value = at(result.metrics, path)
            spec = spec or result.part.format_of(path)
            rows.append({"path": path, "name": _named(result, path), "notes": "",
                         "measured": cell(value, spec)})
    return rows


def _fields(*texts: T) -> list[tuple[str, str]]:
    """(path, format) of every field of the texts, in order; both languages hold the same."""
    return [(dotted(name), spec or "") for text in texts
            for _, name, spec, _ in string.Formatter().parse(text.zh) if name is not None]


def _named(result: Result, path: str) -> dict[str, str] | None:
    quantity = result.part.quantity(path)
    return both(quantity.header) if quantity else None


def errata_html(items: Sequence[Item], lang: str) -> str:
    """The page of all these errata; needs nothing beside it, shows lang first."""
    documents: dict[str, dict[str, Any]] = {}
    for number, item in enumerate(items):
        for order, (name, lines) in enumerate(item["places"] or [("", "")]):
            one = documents.setdefault(name, {
                "name": name, "id": f"n{name}" if name else "none", "entries": [], "also": [],
                "title": both(PAGE["document"], {"name": name}) if name
                else both(PAGE["no_place"])})
            key = "also" if order else "entries"
            one[key].append(item | {"line": f"{name}:{lines}" if name else "-", "at": _at(lines),
                                    "id": f"e{number}-{item['row']}"})
    for one in documents.values():
        for key in ("entries", "also"):
            one[key].sort(key=lambda item: (item["at"], item["row"]))
        counts = Counter(tuple(item["verdict"].items()) for item in one["entries"])
        one["counts"] = [(dict(verdict), n) for verdict, n in counts.most_common()]
    text: str = environment().get_template("errata.html.j2").render(
        documents=[documents[name] for name in sorted(documents, key=lambda n: (not n, n))],
        lang=lang, titles=both(WORDS["errata"]),
        size=both(PAGE["errata_size"], {"n": len(items), "documents": len(documents)}))
    return text + "\n"


def _at(lines: str) -> int:
    """The first line of 57, 57-59 or 258,264."""
    digits = ""
    for character in lines:
        if not character.isdigit():
            break
        digits += character
    return int(digits or 0)
