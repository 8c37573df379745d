"""What does the page ask of Python, and what does it get?  One part, computed as somebody set it.

This room runs inside the page (live.py packs it, a browser's Python reads it), and anywhere else
in tests.  A question and its answer are JSON: which part, which settings, which seed; the part's
section as HTML, drawn by the very room that drew the static page, and how many claims hold.
Settings are read as `--set` reads them, with its own words where one is refused.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lecture.errors import LectureError, SetupProblem, of_the_machine
from lecture.report import Param, Result, run
from lecture.settings import read_value

if TYPE_CHECKING:
    from demos import Entry

MOST_SEED = 2**32 - 1


def answer(question: str) -> str:
    """The answer to one question of the page; never an exception."""
    try:
        found = _asked(json.loads(question))
    except LectureError as error:
        found = {"refused": [error.what, error.todo]}
    except Exception as error:                      # told in the page: nothing else would show it
        told = of_the_machine(error) or SetupProblem(
            f"{type(error).__name__}: {error}", "this is a fault of the course; the usual settings "
            "still work")
        found = {"refused": [told.what, told.todo]}
    return json.dumps(found, allow_nan=False)


def _asked(asked: dict[str, Any]) -> dict[str, Any]:
    from demos import find

    entry = find(asked["demo"])[0]
    part = next(p for p in entry.parts() if p.number == asked["part"])
    values = {name: read_value(name, part.params[name], text)
              for name, text in asked.get("settings", {}).items()}
    result = run(part, values, _seed(asked.get("seed")))
    verdicts = [result.verdict(claim).holds for claim in part.every_claim()]
    found: dict[str, Any] = {"holds": sum(verdicts), "claims": len(verdicts)}
    if asked.get("want") == "document":
        from lecture.show.export import demo_document

        return {**found, "document": demo_document(entry, [result])}
    return {**found, "html": _drawn(entry, result, bool(asked.get("notes")))}


def _drawn(entry: Entry, result: Result, notes: bool) -> str:
    from lecture.show.page import part_html, part_view

    return part_html(part_view(entry, result, notes))


def _seed(text: str | None) -> int | None:
    """The seed as somebody typed it, read as `--seed` reads it."""
    return None if text is None else int(read_value("seed", Param(0, 0, MOST_SEED), text))

