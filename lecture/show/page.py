"""How does the same report become a handout?  One file, both languages, no network.

`view` turns a demo's results into plain data with every text in both languages; the
HTML template and the Markdown writer read that and nothing else, so a handout cannot
say more than the screen.  Charts are SVG of our own; heat maps are table cells.

Left out: the terminal's text (console.py draws it, also for a .txt file).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from demos import Entry
from lecture.quantities import blocks_of, lead_of
from lecture.report import (
    LETTERS,
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
    written,
)
from lecture.show.export import errata_document
from lecture.show.words import VIRIDIS, WORDS, ink, judged, shade, verdict_word

TEMPLATES = Path(__file__).resolve().parent / "templates"
LEFT, RIGHT, TOP, BOTTOM = 60.0, 620.0, 20.0, 250.0        # the chart's box, SVG units

Both = dict[str, str]                                       # {"zh": …, "en": …}


def both(text: T | None, metrics: Any = None) -> Both | None:
    """A text in both languages, its fields filled."""
    if text is None:
        return None
    return {lang: text.text(lang, metrics) for lang in ("zh", "en")}


def said(text: T | None, result: Result) -> Both | None:
    """A text of a part in both languages, its fields filled from what was measured."""
    return None if text is None else {lang: result.text(text, lang) for lang in ("zh", "en")}


def cell(value: Any, spec: str = "") -> Both:
    """A raw value as the text of a cell, in both languages."""
    return {lang: formatted(value, spec, lang) for lang in ("zh", "en")}


def view(entry: Entry, results: Sequence[Result], notes: bool = False) -> dict[str, Any]:
    """A demo as plain data: titles, questions, blocks, claims, caveats, errata."""
    return {"code": entry.code, "title": both(entry.title),
            "parts": [_part(entry, result, notes) for result in results]}


def _part(entry: Entry, result: Result, notes: bool) -> dict[str, Any]:
    part = result.part
    claims = [_claim(verdict, result) for verdict in result.verdicts()]
    errata = {lang: errata_document(entry, [result], lang) for lang in ("zh", "en")}
    return {
        "number": part.number, "title": both(part.title), "claims": claims,
        "questions": [_question(q, result) for q in part.questions],
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
    words = {lang: verdict_word(verdict, result, lang) for lang in ("zh", "en")}
    margin = None if verdict.holds else (
        "n/a" if verdict.margin is None else f"{verdict.margin:.4g}")
    return {"word": {lang: w for lang, (w, _) in words.items()}, "style": words["en"][1],
            "text": said(verdict.claim.text, result), "margin": margin,
            "kind": verdict.claim.kind, "more": verdict.claim.more}


def _question(question: Question, result: Result) -> dict[str, Any]:
    right = right_options(question, result.metrics)

    def asked(text: T) -> Both:
        return {lang: text.text(lang, result.asked, result.part.format_of)
                for lang in ("zh", "en")}

    return {"prompt": asked(question.prompt), "more": question.more,
            "answer": _claim(result.verdict(question.answer), result)
            if question.answer else None,
            "options": [{"text": asked(o.text), "right": i in right,
                         "misconception": said(o.misconception, result)}
                        for i, o in enumerate(question.options)]}


def _block(block: Block, result: Result) -> dict[str, Any]:
    if isinstance(block, Paragraph):
        return {"kind": "text", "text": said(block.text, result), "legend": None,
                "more": block.more}
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
        return shared | _curve(block)
    if isinstance(block, Scatter):
        return shared | _scatter(block)
    if isinstance(block, Bars):
        return shared | _bars(block)
    raise TypeError(f"no page for a {type(block).__name__}")


def _table(block: Table, result: Result) -> dict[str, Any]:
    rows = [[{"text": cell(v, c.format), "number": is_figure(v)}
             for v, c in zip(row, block.columns, strict=True)] for row in block.rows]
    head = [{"text": said(c.header, result), "group": said(c.group, result),
             "number": bool(rows) and all(row[i]["number"] for row in rows)}
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
    rows = [{"name": cell(name),
             "cells": [{"text": "" if v is None else formatted(v, block.format, "en"),
                        "step": None if v is None else shade(v, block.low, block.high)}
                       for v in values]}
            for name, values in zip(block.rows, block.values, strict=True)]
    return {"kind": "heat", "columns": [cell(c) for c in block.columns], "rows": rows,
            "low": format(block.low, ".3g"), "high": format(block.high, ".3g")}


class _Axes:
    """Data to SVG units, and five ticks an axis."""

    def __init__(self, xs: Sequence[float], ys: Sequence[float], low: float | None = None,
                 high: float | None = None) -> None:
        self.x0, self.x1 = min(xs), max(xs)
        self.y0 = min(ys) if low is None else low
        self.y1 = max(ys) if high is None else high

    def x(self, value: float) -> float:
        return round(LEFT + (value - self.x0) / ((self.x1 - self.x0) or 1.0) * (RIGHT - LEFT), 1)

    def y(self, value: float) -> float:
        share = (value - self.y0) / ((self.y1 - self.y0) or 1.0)
        return round(BOTTOM - min(1.0, max(0.0, share)) * (BOTTOM - TOP), 1)

    def ticks(self, spec: str) -> dict[str, Any]:
        xs = [self.x0 + (self.x1 - self.x0) * i / 4 for i in range(5)]
        ys = [self.y0 + (self.y1 - self.y0) * i / 4 for i in range(5)]
        return {"x_ticks": [{"at": self.x(v), "text": f"{v:.4g}"} for v in xs],
                "y_ticks": [{"at": self.y(v), "text": written(v, spec)} for v in ys]}


def _curve(block: Curve) -> dict[str, Any]:
    drawn = [y for _, ys in block.series for y in ys if y is not None] or [0.0]
    axes = _Axes(block.x, drawn, block.low, block.high)
    lines = []
    for number, (name, ys) in enumerate(block.series):
        dots = [(axes.x(x), axes.y(y)) for x, y in zip(block.x, ys, strict=True) if y is not None]
        path = "".join(f"{'ML'[i > 0]}{x} {y}" for i, (x, y) in enumerate(dots))
        lines.append({"number": number, "name": both(name), "path": path,
                      "dots": dots if len(dots) <= 40 else []})
    return {"kind": "graph", "lines": lines, "marks": [], "letters": [],
            "x_label": both(block.x_label), "y_label": both(block.y_label),
            **axes.ticks(block.format)}


def _scatter(block: Scatter) -> dict[str, Any]:
    axes = _Axes([p[0] for p in block.points], [p[1] for p in block.points])
    marks = [{"x": axes.x(x), "y": axes.y(y) + 4, "text": letter} for x, y, letter in block.points]
    letters = [{lang: f"{letter} = {name.text(lang)}" for lang in ("zh", "en")}
            for letter, name in block.classes.items()]
    return {"kind": "graph", "lines": [], "marks": marks, "letters": letters,
            "x_label": both(block.x_label), "y_label": both(block.y_label),
            **axes.ticks(block.format)}


def _bars(block: Bars) -> dict[str, Any]:
    high = block.high if block.high is not None else max([*block.values, 0]) or 1.0
    rows = [{"name": cell(label), "text": formatted(value, block.format, "en"),
             "share": round(100 * min(1.0, max(0.0, (value or 0) / high)), 1)}
            for label, value in zip(block.labels, block.values, strict=True)]
    return {"kind": "bars", "rows": rows}


# --- the files ------------------------------------------------------------------


def html(views: Sequence[dict[str, Any]], lang: str) -> str:
    """One page for these demos; needs nothing beside it, shows lang first."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True,
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    titles = [f"{v['code']} {v['title'][lang]}" for v in views]
    return environment.get_template("page.html.j2").render(
        demos=views, lang=lang, title=titles[0] if len(titles) == 1 else "lecture",
        words={name: both(word) for name, word in WORDS.items()},
        scale=[(color, ink(color)) for color in VIRIDIS]) + "\n"


def markdown(views: Sequence[dict[str, Any]], lang: str) -> str:
    """The same handout as Markdown, in one language."""
    lines: list[str] = []
    for demo in views:
        lines += [f"# {demo['code']} {_md(demo['title'][lang])}", ""]
        for part in demo["parts"]:
            lines += _markdown_part(demo["code"], part, lang)
    return "\n".join(lines).rstrip() + "\n"


def _markdown_part(code: str, part: dict[str, Any], lang: str) -> list[str]:
    word = {name: text.text(lang) for name, text in WORDS.items()}
    lines = [f"## {code}.{part['number']} {_md(part['title'][lang])}", ""]
    for block in part["lead"]:
        lines += _markdown_block(block, lang) + [""]
    for question in part["questions"]:
        lines += [f"**{word['question']}** {_md(question['prompt'][lang])}", ""]
        lines += [f"- {LETTERS[i]}. {_md(option['text'][lang])}"
                  for i, option in enumerate(question["options"])] + [""]
    for block in part["blocks"]:
        lines += _markdown_block(block, lang) + [""]
    lines += [f"**{word['observations']}**", ""]
    lines += [f"- **{claim['word'][lang]}** {_md(claim['text'][lang])}"
              + (f" [{word['margin']} {claim['margin']}]" if claim["margin"] else "")
              for claim in part["claims"]] + [""]
    for question in part["questions"]:
        right = [f"{LETTERS[i]}. {_md(o['text'][lang])}"
                 for i, o in enumerate(question["options"]) if o["right"]]
        lines += [f"**{word['answer']}** {'; '.join(right) or word['no_answer']}", ""]
        if question["answer"]:
            lines += [_md(question["answer"]["text"][lang]), ""]
    for caveat in (part["caveat"], part["further"]):
        if caveat:
            lines += [f"*{word['caveat']}:* {_md(caveat[lang])}", ""]
    for item in part["errata"]:
        measured = f" {word['now']}: {_md(item['measured'])}." if item["measured"] else ""
        lines.append(f"- **{item['row']}** ({item['verdict'][lang]}) {word['notes']}: "
                     f"{_md(item['says'][lang])}{measured} {word['right_is']}: "
                     f"{_md(item['right'][lang])}")
    if part["notes"]:
        lines += ["", f"> {word['speaker']}: {_md(part['notes'][lang])}"]
    return [*lines, ""]


def _markdown_block(block: dict[str, Any], lang: str) -> list[str]:
    if block["kind"] == "text":
        return [_md(block["text"][lang])]
    lines = [f"*{_md(block['title'][lang])}*", ""] if block["title"] else []
    if block["kind"] == "table":
        lines += _grid([" ".join(x[lang] for x in (h["group"], h["text"]) if x)
                        for h in block["head"]],
                       [[c["text"][lang] for c in row] for row in block["rows"]])
    elif block["kind"] == "heat":
        lines += _grid(["", *(c[lang] for c in block["columns"])],
                       [[r["name"][lang], *(c["text"] for c in r["cells"])]
                        for r in block["rows"]])
    elif block["kind"] == "row":
        for one in block["maps"]:
            lines += [*_markdown_block(one, lang), ""]
    elif block["kind"] == "bars":
        lines += _grid(["", ""], [[r["name"][lang], r["text"]] for r in block["rows"]])
    else:
        names = [line["name"][lang] for line in block["lines"]]
        names += [letter[lang] for letter in block["letters"]]
        lines += [f"({block['x_label'][lang]}; {block['y_label'][lang]}: {'; '.join(names)})"]
    if block["legend"]:
        lines += ["", _md(block["legend"][lang])]
    return lines


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(_md(text) for text in head) + " |", "|" + "---|" * len(head),
            *("| " + " | ".join(_md(text) for text in row) + " |" for row in rows)]


def _md(text: str) -> str:
    for character in "\\`*_[]<>|#":
        text = text.replace(character, "\\" + character)
    return text.replace("\n", " ")
