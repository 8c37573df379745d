"""How does the same report become a handout?  One file, both languages, no network.

`view` turns a demo's results into plain data with every text in both languages; the
templates and the Markdown writer (handout.py) read that and nothing else, so a handout
cannot say more than the screen.  Charts are SVG of our own (charts.py); heat maps are
table cells.  `part_html` draws the inside of one part alone, for whoever puts a part that
was computed anew in the place of the old one.

Left out: the terminal's text (console.py draws it, also for a .txt file).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from demos import Entry
from lecture.quantities import blocks_of, lead_of
from lecture.report import (
    LANGUAGES,
    Bars,
    Block,
    Curve,
    HeatMap,
    Paragraph,
    Question,
    Result,
    Row,
    Scatter,
    T,
    Table,
    Verdict,
    formatted,
    is_figure,
    one_by_one,
    right_options,
)
from lecture.show import charts
from lecture.show.export import errata_document, version
from lecture.show.words import MASKED, PAGE, VIRIDIS, WORDS, ink, judged, shade, verdict_word

TEMPLATES = Path(__file__).resolve().parent / "templates"

Both = dict[str, str]                                       # {"zh": …, "en": …}


def both(text: T | None, metrics: Any = None) -> Both | None:
    """A text in both languages, its fields filled."""
    if text is None:
        return None
    return {lang: text.text(lang, metrics) for lang in LANGUAGES}


def said(text: T | None, result: Result) -> Both | None:
    """A text of a part in both languages, its fields filled from what was measured."""
    return None if text is None else {lang: result.text(text, lang) for lang in LANGUAGES}


def cell(value: Any, spec: str = "") -> Both:
    """A raw value as the text of a cell, in both languages."""
    return {lang: formatted(value, spec, lang) for lang in LANGUAGES}


def view(entry: Entry, results: Sequence[Result], notes: bool = False) -> dict[str, Any]:
    """A demo as plain data: titles, questions, blocks, claims, caveats, errata."""
    whole = len(results) == len(entry.parts()) if results else False
    return {"code": entry.code, "id": f"d{entry.code}", "title": both(entry.title),
            "short": {lang: short(entry.title.text(lang)) for lang in LANGUAGES},
            "minutes": both(PAGE["minutes"], {"minutes": sum(entry.minutes)})
            if whole and entry.minutes else None,
            "opening": [_paragraph(b, both(b.text)) for b in entry.opening()] if whole else [],
            "parts": [part_view(entry, result, notes) for result in results]}


def short(title: str) -> str:
    """A title's first words, for a list: what stands before its colon."""
    return re.split("[：:]", title)[0].strip()


def part_view(entry: Entry, result: Result, notes: bool = False) -> dict[str, Any]:
    """A part as plain data; part_html draws it."""
    part, id_ = result.part, f"d{entry.code}-{result.part.number}"
    claims = [_claim(verdict, result) for verdict in result.verdicts()]
    errata = {lang: errata_document(entry, [result], lang) for lang in LANGUAGES}
    return {
        "code": entry.code, "number": part.number, "id": id_, "title": both(part.title),
        "claims": claims,
        "questions": [{"id": f"{id_}-q{n}", **_question(q, result)}
                      for n, q in enumerate(part.questions, 1)],
        "lead": [_block(b, result) for b in lead_of(part, result.metrics)],
        "blocks": [_block(b, result) for b in blocks_of(part, result.metrics)],
        "caveat": said(part.caveat, result), "further": said(part.further, result),
        "notes": both(part.notes) if notes else None,
        "errata": [{"row": " · ".join([zh["row"], *zh["where"]]),
                    "verdict": both(judged(zh)),
                    "says": {"zh": zh["says"], "en": en["says"]},
                    "right": {"zh": zh["right"], "en": en["right"]},
                    "measured": None if en["metric"] is None else en["shown"]}
                   for zh, en in zip(errata["zh"], errata["en"], strict=True)],
    }


def _claim(verdict: Verdict, result: Result) -> dict[str, Any]:
    words = {lang: verdict_word(verdict, result, lang) for lang in LANGUAGES}
    margin = None if verdict.holds else (
        "n/a" if verdict.margin is None else f"{verdict.margin:.4g}")
    return {"word": {lang: w for lang, (w, _) in words.items()}, "style": words["en"][1],
            "text": said(verdict.claim.text, result), "margin": margin,
            "kind": verdict.claim.kind, "more": verdict.claim.more}


def _question(question: Question, result: Result) -> dict[str, Any]:
    right = right_options(question, result.metrics)

    def asked(text: T) -> Both:
        return {lang: text.text(lang, result.asked, result.part.format_of)
                for lang in LANGUAGES}

    return {"prompt": asked(question.prompt), "more": question.more,
            "any_right": bool(right),
            "answer": _claim(result.verdict(question.answer), result)
            if question.answer else None,
            "options": [{"text": asked(o.text), "right": i in right,
                         "misconception": said(o.misconception, result)}
                        for i, o in enumerate(question.options)]}


# --- running text ---------------------------------------------------------------


def _paragraph(block: Paragraph, text: Both | None) -> dict[str, Any]:
    text = text or dict.fromkeys(LANGUAGES, "")
    return {"kind": "text", "text": text, "legend": None, "more": block.more,
            "lines": {lang: lines_of(text[lang]) for lang in LANGUAGES}}


def lines_of(text: str) -> list[dict[str, str]]:
    """A paragraph written for a screen of 80 columns, as lines that may wrap anywhere.

    Set in by four blanks or more is a formula ("code") and kept as it is; by two or three, or
    begun with a short head and two blanks, an item ("item": head and text).  A line that was
    only broken because the screen ends is joined to the one before: one set in as far as an
    item's text, or one that follows a line that ends in the middle of a sentence.
    """
    found: list[dict[str, str]] = []
    column = 0                                          # where the text of the last item begins
    for raw in text.split("\n"):
        line, inset = raw.strip(), len(raw) - len(raw.lstrip())
        if not line:
            column = 0
            continue
        last = found[-1] if found else None
        if last and last["kind"] == "item" and column and abs(inset - column) <= 1:
            last["text"] = joined(last["text"], line)
            continue
        if (last and last["kind"] == "text" and not inset and not _ENDS.search(last["text"])
                and not _HEAD.match(line)):
            last["text"] = joined(last["text"], line)
            continue
        column = 0
        if inset >= 4:
            found.append({"kind": "code", "text": line})
        elif head := _HEAD.match(line):
            found.append({"kind": "item", "head": head[1], "text": line[head.end():]})
            column = inset + charts.cells(head[0])
        elif inset:
            found.append({"kind": "item", "head": "", "text": line})
            column = inset
        else:
            found.append({"kind": "text", "text": line})
    return found


_ENDS = re.compile(r"[。：；？！.:;?!）)”]$")
_HEAD = re.compile(r"(\S(?:(?! {2}).){0,18}?) {2,}(?=\S)")


def joined(first: str, second: str) -> str:
    """Two halves of a line: a blank between them, but none between Chinese characters."""
    chinese = charts.cells(first[-1]) == 2 or charts.cells(second[0]) == 2
    return first + ("" if chinese else " ") + second


# --- blocks -----------------------------------------------------------------------


def _block(block: Block, result: Result) -> dict[str, Any]:
    if isinstance(block, Paragraph):
        return _paragraph(block, said(block.text, result))
    shared = {"title": said(block.title, result), "more": block.more,
              "legend": said(getattr(block, "legend", None), result)}
    if isinstance(block, Table):
        return shared | _table(block, result)
    if isinstance(block, Row):
        return shared | {"kind": "row", "maps": [_block(b, result) for b in block.maps]}
    if isinstance(block, HeatMap) and block.groups:
        return shared | {"kind": "row", "maps": [_block(b, result) for b in one_by_one(block)]}
    if isinstance(block, HeatMap):
        return shared | _heat_map(block)
    if isinstance(block, Curve):
        return shared | charts.curve(block)
    if isinstance(block, Scatter):
        return shared | charts.scatter(block)
    if isinstance(block, Bars):
        return shared | _bars(block)
    raise TypeError(f"no page for a {type(block).__name__}")


def _table(block: Table, result: Result) -> dict[str, Any]:
    rows = [[{"text": cell(v, c.format), "number": is_figure(v)}
             for v, c in zip(row, block.columns, strict=True)] for row in block.rows]
    head = [{"text": said(c.header, result), "group": said(c.group, result),
             "number": bool(rows) and all(row[i]["number"] for row in rows),
             # a head may wrap, but not letter by letter (em)
             "least": round(min(4.4, 0.56 * max(charts.cells(result.text(c.header, lang))
                                                for lang in LANGUAGES)), 2)}
            for i, c in enumerate(block.columns)]
    groups: list[dict[str, Any]] = []             # heads over neighbouring columns
    for column in head:
        if groups and groups[-1]["text"] == column["group"]:
            groups[-1]["span"] += 1
        else:
            groups.append({"text": column["group"], "span": 1})
    return {"kind": "table", "head": head, "rows": rows,
            "groups": groups if any(g["text"] for g in groups) else []}


def _heat_map(block: HeatMap) -> dict[str, Any]:
    """Square cells: as wide as the widest number needs; names that are wider are slanted."""
    rows: list[dict[str, Any]] = [{
             "name": cell(name),
             "cells": [{"text": MASKED if v is None else formatted(v, block.format, "en"),
                        "step": None if v is None else shade(v, block.low, block.high)}
                       for v in values]}
            for name, values in zip(block.rows, block.values, strict=True)]
    columns = [cell(c) for c in block.columns]
    widest = max((len(c["text"]) for row in rows for c in row["cells"]), default=1)
    size = max(2.2, 0.58 * widest + 0.5)                            # em
    longest = max((charts.cells(name[lang]) for name in columns for lang in LANGUAGES), default=0)
    slanted = longest * 0.64 > size - 0.1
    return {"kind": "heat", "columns": columns, "rows": rows, "cell": round(size, 2),
            "slanted": slanted, "tall": round(0.46 * longest + 1.2, 2),
            "picture": charts.squares(rows, columns) if charts.dense(block) else None,
            "low": format(block.low, ".3g"), "high": format(block.high, ".3g")}


def _bars(block: Bars) -> dict[str, Any]:
    high = max([block.high or 0, *(v or 0 for v in block.values)]) or 1.0
    rows = [{"name": cell(label), "text": formatted(value, block.format, "en"),
             "share": round(100 * max(0.0, (value or 0) / high), 1)}
            for label, value in zip(block.labels, block.values, strict=True)]
    return {"kind": "bars", "rows": rows}


# --- the file -------------------------------------------------------------------


@cache
def environment() -> Any:
    """The templates, everything escaped, a missing name an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True,
                       undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.globals |= {"words": {name: both(word) for name, word in WORDS.items()},
                     "page": {name: both(word) for name, word in PAGE.items()},
                     "scale": [(color, ink(color)) for color in VIRIDIS]}
    return made


def part_html(part: dict[str, Any]) -> str:
    """What stands inside <section class="part" id=part["id"]>, of a part_view."""
    text: str = environment().get_template("part.html.j2").render(part=part)
    return text


def html(views: Sequence[dict[str, Any]], lang: str) -> str:
    """One page for these demos; needs nothing beside it, shows lang first."""
    parts = [part for demo in views for part in demo["parts"]]
    places = [{"id": part["id"], "name": f"{part['code']}.{part['number']}"} for part in parts]
    beside = {part["id"]: _beside(places, n) for n, part in enumerate(parts)}
    demos = [{**demo, **_beside(views, n),
              "parts": [{**part, **beside[part["id"]]} for part in demo["parts"]]}
             for n, demo in enumerate(views)]
    titles = both(PAGE["course"])
    if len(views) == 1:
        titles = {lang: f"{views[0]['code']} {views[0]['title'][lang]}" for lang in LANGUAGES}
    by = {"version": version()}
    text: str = environment().get_template("page.html.j2").render(
        demos=demos, lang=lang, titles=titles, made=both(PAGE["made"], by),
        size=both(PAGE["course_size"], {"demos": len(views), "parts": len(parts)}))
    return text + "\n"


def _beside(row: Sequence[Any], n: int) -> dict[str, Any]:
    """What stands before and after the n-th of a row; None at the ends."""
    return {"before": row[n - 1] if n else None,
            "after": row[n + 1] if n + 1 < len(row) else None}
