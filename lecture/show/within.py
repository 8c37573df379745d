"""What does the page ask of Python, and what does it get?  A part, or a judgement, as HTML.

This room runs inside the page (live.py packs it, a browser's Python reads it), and anywhere else
in tests.  A question and its answer are JSON: which part with which settings and seed, and its
section comes back, drawn by the very room that drew the static page; or a student's functions,
and what the claims of the demo say of them.  Settings are read as `--set` reads them, and where
one is refused its own words are the answer.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lecture.errors import LectureError, SetupProblem, harmless, of_the_machine
from lecture.report import LANGUAGES, Param, Part, run
from lecture.settings import read_value

if TYPE_CHECKING:
    from demos import Entry
    from lecture.prove.attempt import Tried

MOST_SEED = 2**32 - 1
MINE = "mine.py"                        # what a student's functions are called in a traceback
PRINTED = 20                            # lines of what they printed that are shown


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
    if "mine" in asked:
        return _tried(entry, asked["mine"], asked.get("part"))
    part = _part(entry, asked["part"])
    values = {name: read_value(name, part.params[name], text)
              for name, text in asked.get("settings", {}).items()}
    result = run(part, values, _seed(asked.get("seed")))
    verdicts = [result.verdict(claim).holds for claim in part.every_claim()]
    found: dict[str, Any] = {"holds": sum(verdicts), "claims": len(verdicts)}
    if asked.get("want") == "document":
        from lecture.show.export import demo_document

        return {**found, "document": demo_document(entry, [result])}
    from lecture.show.page import part_html, part_view

    drawn = part_html(part_view(entry, result, bool(asked.get("notes"))))
    return {**found, "html": harmless(drawn)}


def _part(entry: Entry, number: int) -> Part:
    return next(part for part in entry.parts() if part.number == number)


def _seed(text: str | None) -> int | None:
    """The seed as somebody typed it, read as `--seed` reads it."""
    return None if text is None else int(read_value("seed", Param(0, 0, MOST_SEED), text))


# --- a student's functions --------------------------------------------------------


def _tried(entry: Entry, text: str, number: int | None) -> dict[str, Any]:
    """The claims of a demo, or of one part, judged by a student's functions."""
    from lecture.prove.attempt import attempted

    parts = entry.parts() if number is None else (_part(entry, number),)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        tried = attempted(text, entry, [part.key for part in parts], MINE)
    return _judged(entry, parts, tried, printed.getvalue())


def _judged(entry: Entry, parts: Sequence[Part], tried: Tried,
            printed: str) -> dict[str, Any]:
    """What came of an attempt, drawn in both languages, and whether all of it is good."""
    from lecture.prove.attempt import judge
    from lecture.show.page import both, environment

    told = {lang: judge("", entry.code, [p.key for p in parts], lang, MINE, tried)
            for lang in LANGUAGES}
    plain = told["en"]
    rows = []
    for n, (part, row) in enumerate(zip(parts, plain["parts"], strict=True)):
        claims = [{"holds": claim["holds"], "text": {
            lang: told[lang]["parts"][n]["claims"][i]["text"] for lang in LANGUAGES}}
            for i, claim in enumerate(row.get("claims", ()))]
        rows.append({"number": part.number, "title": both(part.title), "claims": claims,
                     "held": sum(claim["holds"] for claim in claims), "error": row.get("error")})
    held, judged = sum(row["held"] for row in rows), sum(len(p.every_claim()) for p in parts)
    html: str = environment().get_template("tried.html.j2").render(
        code=entry.code, error=plain["error"], parts=rows, good=plain["good"],
        printed=[line[:200] for line in printed.splitlines()[:PRINTED]],
        held=held, judged=judged, probes=_pairs(told, "probes"),
        diagnosis=_pairs(told, "diagnosis"),
        yours=", ".join(n for n, s in tried.functions.items() if s == "yours"),
        ours=", ".join(n for n, s in tried.functions.items() if s != "yours"))
    return {"holds": held, "claims": judged, "good": plain["good"], "html": harmless(html)}


def _pairs(told: dict[str, dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """The rows of a list in both languages: what differs is their text."""
    return [{**en, "text": {"zh": zh["text"], "en": en["text"]}}
            for zh, en in zip(told["zh"][key], told["en"][key], strict=True)]
