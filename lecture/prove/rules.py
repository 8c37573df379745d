"""Which rules of form does a demo break, and which of that is still owed?

What is wrong on a screen is check's business; here stand the rules that make a falsehood
impossible to write, or a part short enough to be taught:

    fields      every number of a claim's sentence is read by its margin, or is `given`
    controls    a control returns the leaves of the metrics; lists may differ in length
    digits      options, misconceptions and errata print measured numbers, no typed ones
    figure      an erratum prints the figure of the notes that is compared, and says where
    blocks      tables, maps, curves and bars name paths, and every shown number a quantity
    kinds       a claim is a finding, an example, an identity or recorded; one "=" a part
    first view  a part is what a class can take in
    margins     a margin follows names (m.a.b), not keys (m["a"]["b"])

`offences` gives (rule, place).  What a demo that is not rewritten yet still owes stands in
tests/debts.json, a list that only gets shorter: `python -m lecture.prove.rules` takes out what
is no longer owed and adds nothing.
"""

from __future__ import annotations

import ast
import fnmatch
import io
import json
import re
import string
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lecture import TOP
from lecture.files import read_json, write_whole
from lecture.report import (
    DOT,
    LANGUAGES,
    VERDICTS,
    Bars,
    Claim,
    Curve,
    Erratum,
    HeatMap,
    Paragraph,
    Part,
    Result,
    Row,
    T,
    Table,
    at,
    dotted,
    run,
    value_of,
)

KINDS = ("finding", "example", "identity", "recorded")
LINES = {"zh": 44, "en": 48}        # of a part's first view, at width 80
OPENING, WIDTH = 14, 80
BLOCKS, OBSERVATIONS = 2, 3
FOUR_OBSERVATIONS = ("04.4",)       # where the lecture's own script has five
DEBTS = "rules"                     # the entry of tests/debts.json

Offence = tuple[str, str]


def offences(entry: Any, results: Iterable[tuple[Result, Mapping[str, Any]]]) -> list[Offence]:
    """What a demo breaks, as (rule, place); results: each part's run and its controls' metrics."""
    found: list[Offence] = []
    for result, controls in results:
        part = result.part
        place = f"{entry.code}.{part.number}"
        found += [("fields", f"{place} {p}") for c in part.every_claim()
                  for p in unread(c, result)]
        found += [("controls", f"{place} {name} {path}") for name, metrics in controls.items()
                  for path in unlike(result.metrics, metrics)]
        found += [("digits", f"{place} {where}") for where, text in judged_texts(part)
                  if typed_digits(text)]
        found += [("figure", f"{place} {e.row}") for e in part.errata if figure_problem(e)]
        found += [("blocks", f"{place} {what}") for what in by_hand(part, result)]
        found += [("kinds", f"{place} {what}") for what in wrong_kinds(part)]
        found += [("first view", f"{place} {what}") for what in too_much(entry, result)]
    found += [("first view", f"{entry.code} opening in {lang}") for lang in LANGUAGES
              if opening_lines(entry, lang) > OPENING]
    found += [("margins", entry.code) for path in sorted(entry.folder.glob("part*.py"))
              if by_keys(path.read_text(encoding="utf-8"))][:1]
    return list(dict.fromkeys(found))


# --- fields and controls --------------------------------------------------------------


def numbers_of(text: T, metrics: Any) -> list[str]:
    """The paths a text names in either language that hold a number."""
    found = []
    for lang in LANGUAGES:
        for _, name, _, _ in string.Formatter().parse(text.text(lang)):
            if name and _number(at(metrics, dotted(name))):
                found.append(dotted(name).replace(DOT, "."))
    return list(dict.fromkeys(found))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def unread(claim: Claim, result: Result) -> list[str]:
    """Numbers of a claim's sentence that its margin does not read and that are not given."""
    read: set[str] = set()
    value_of(claim.margin, result.metrics, read.add)
    return [f"{claim.key} {path}" for path in numbers_of(claim.text, result.metrics)
            if path not in read and not any(fnmatch.fnmatchcase(path, g) for g in claim.given)]


def unlike(metrics: Any, control: Any, path: str = "") -> list[str]:
    """Paths that only one of the two has, or where one has a word and the other a number.

    Items of a list are one path (*); null stands for a thing that does not exist.
    """
    if metrics is None or control is None:
        return [] if path else ["nothing"]
    if isinstance(metrics, dict) and isinstance(control, dict):
        found = [f"{path}.{key}".lstrip(".") for key in metrics.keys() ^ control.keys()]
        for key in metrics.keys() & control.keys():
            found += unlike(metrics[key], control[key], f"{path}.{key}".lstrip("."))
        return sorted(set(found))
    if isinstance(metrics, list) and isinstance(control, list):
        shortest = zip(metrics, control, strict=False)
        return sorted({p for a, b in shortest for p in unlike(a, b, f"{path}.*".lstrip("."))})
    return [] if _sort(metrics) == _sort(control) else [path]


def _sort(value: Any) -> str:
    return "number" if _number(value) else type(value).__name__


# --- words ------------------------------------------------------------------------------


# What may stand as digits in a text: years, names (W_2, L0H1, GPT-2), places in the course,
# and formulas (1-p, 1/√d, 10^-8).
EXEMPT = (
    r"\b(?:1[5-9]|20)\d\d\b", r"[A-Za-z_]+[-_]?\d+(?:\.\d+)?",
    r"(?:第|演示|部分|讲)\s*\d+(?:\.\d+)?",
    r"\b(?:[Dd]emos?|[Pp]arts?|[Ll]ectures?|[Ll]ayers?)\s+\d+(?:\.\d+)?"
    r"(?:\s*(?:,|and|to)\s*\d+(?:\.\d+)?)*",
    r"[（(]\d\d(?:\.\d)?[）)]", r"\b1\s*[-/]\s*[√A-Za-z(]", r"[√^]\s*-?\d+",
)


def typed_digits(text: T) -> str:
    """The digits a text types itself, in either language, that are not exempt."""
    found = []
    for lang in LANGUAGES:
        bare = "".join(literal + ("\0" if name is not None else "")
                       for literal, name, _, _ in string.Formatter().parse(text.text(lang)))
        for pattern in EXEMPT:
            bare = re.sub(pattern, " ", bare)
        found += re.findall(r"\d+(?:\.\d+)?", bare)
    return ", ".join(found)


def judged_texts(part: Part) -> Iterator[tuple[str, T]]:
    """Options, misconceptions and errata, with where they stand."""
    for i, question in enumerate(part.questions, 1):
        for j, option in enumerate(question.options):
            yield f"option {i}{'ABCDEFGH'[j]}", option.text
            if option.misconception:
                yield f"misconception {i}{'ABCDEFGH'[j]}", option.misconception
    for erratum in part.errata:
        yield f"erratum {erratum.row} says", erratum.says
        yield f"erratum {erratum.row} right", erratum.right


def figure_problem(erratum: Erratum) -> str | None:
    """Does an erratum say where, give a verdict, and print the figure that is compared?"""
    if not erratum.where or any(not re.fullmatch(r"00[023]:\d+(-\d+)?", place)
                                for place in erratum.where.split()):
        return "where is document and lines: 003:57"
    if erratum.verdict not in VERDICTS:
        return f"its verdict is one of {', '.join(VERDICTS)}"
    if erratum.notes is not None and not all(
            "notes" in _names(text.text(lang)) for text in (erratum.says,) for lang in LANGUAGES):
        return "does not print the figure of the notes as {notes}"
    return None


def _names(template: str) -> list[str]:
    return [name for _, name, _, _ in string.Formatter().parse(template) if name]


# --- blocks, kinds ----------------------------------------------------------------------


def by_hand(part: Part, result: Result) -> list[str]:
    """Blocks whose cells were put together by hand, and numbers that have no quantity."""
    metrics = result.metrics
    blocks = [("lead", part.lead), ("block", tuple(part.describe(metrics)))]
    found = [f"{kind} {i} {type(block).__name__}" for kind, several in blocks
             for i, block in enumerate(several, 1)
             if isinstance(block, Table | HeatMap | Curve | Bars | Row)]
    texts = [block.text for _, several in blocks for block in several
             if isinstance(block, Paragraph)]
    texts += [c.text for c in part.every_claim()]
    for text in texts:
        found += [f"field {path}" for path in _bare(text, metrics)
                  if part.quantity(path) is None]
    return list(dict.fromkeys(found))


def _bare(text: T, metrics: Any) -> Iterator[str]:
    """The numbers that a text shows without a format of their own."""
    for lang in LANGUAGES:
        for _, name, spec, _ in string.Formatter().parse(text.text(lang)):
            if name and not spec and _number(at(metrics, dotted(name))):
                yield dotted(name)


def wrong_kinds(part: Part) -> list[str]:
    """Claims of no kind; more than one identity in the first view."""
    found = [f"{c.key} is {c.kind!r}" for c in part.every_claim() if c.kind not in KINDS]
    answers = [q.answer for q in part.questions if q.answer and not q.more]
    first = [c for c in (*part.claims, *answers) if not c.more and c.kind == "identity"]
    return found + (["identities"] if len(first) > 1 else [])


# --- the first view ---------------------------------------------------------------------


def drawn(entry: Any, result: Result, lang: str) -> str:
    """A part's first view as it is printed at a width of 80, without the demo's title."""
    from console import Screen
    from lecture.show.present import Show, draw_part

    stream = io.StringIO()
    draw_part(Show(entry, Screen(stream, lang=lang, width=WIDTH, color="never"), {}), result)
    return stream.getvalue().strip("\n") + "\n"


def opening_lines(entry: Any, lang: str) -> int:
    """How many lines a demo opens with, before its first part."""
    from console import Screen

    stream = io.StringIO()
    screen = Screen(stream, lang=lang, width=WIDTH, color="never")
    for block in entry.opening():
        if not block.more:
            screen.block(block, {}, close=True)
    return stream.getvalue().count("\n")


def too_much(entry: Any, result: Result) -> list[str]:
    """What goes beyond the first view of a part: lines, blocks, observations, answers."""
    part, found = result.part, []
    found += [f"lines in {lang}" for lang, most in LINES.items()
              if drawn(entry, result, lang).count("\n") > most]
    shown = [b for b in part.describe(result.metrics)
             if not b.more and not isinstance(b, Paragraph) and not getattr(b, "page_only", False)]
    if len(shown) > BLOCKS:
        found.append("blocks")
    said = sum(not c.more for c in part.claims)
    if said > OBSERVATIONS + (f"{entry.code}.{part.number}" in FOUR_OBSERVATIONS):
        found.append("observations")
    if sum(not q.more for q in part.questions) > 1:
        found.append("votes")
    found += [f"question {i} has no answer" for i, q in enumerate(part.questions, 1)
              if q.answer is None]
    return found


# --- margins ------------------------------------------------------------------------------


def by_keys(source: str) -> bool:
    """Does a lambda reach a metric by key or through a dict's own methods?"""
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.Lambda):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) \
                    and isinstance(node.slice.value, str) and node.slice.value.isidentifier():
                return True
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) \
                    and node.func.attr in ("values", "items", "keys", "get"):
                return True
    return False


# --- debts --------------------------------------------------------------------------------


def of_demo(entry: Any, compute: Any = run) -> list[Offence]:
    """The offences of a demo; compute stands for report.run."""
    return offences(entry, [
        (compute(part), {name: compute(part, compute=control).metrics
                         for name, control in part.controls.items()})
        for part in entry.parts()])


def owed(debts: Mapping[str, Any], code: str) -> set[Offence]:
    """What a demo still owes."""
    return {(rule, place) for rule, places in debts.get(DEBTS, {}).items()
            for place in places if place.startswith(code)}


def debts_file() -> Path:
    """Where the debts stand; a wheel has none."""
    return Path(TOP, "tests", "debts.json")


def shrink() -> int:
    """Take out of the list what is no longer owed; how many went."""
    from demos import REGISTRY

    debts = read_json(debts_file())
    now = {offence for entry in REGISTRY for offence in of_demo(entry)}
    kept = {rule: [p for p in places if (rule, p) in now]
            for rule, places in debts.get(DEBTS, {}).items()}
    gone = sum(map(len, debts.get(DEBTS, {}).values())) - sum(map(len, kept.values()))
    debts[DEBTS] = {rule: places for rule, places in kept.items() if places}
    write_whole(debts_file(), json.dumps(debts, indent=1, ensure_ascii=False) + "\n")
    return gone


if __name__ == "__main__":
    print(f"{shrink()} debts paid")
    sys.exit(0)
