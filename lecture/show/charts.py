"""Where does each line, tick and name of a chart stand, and what does the chart say in words?

Geometry only: a curve or a cloud of points becomes numbers in SVG units, once for a wide
sheet and once for a phone; names stand at the ends of their lines and never on one another.
Ticks are 1, 2 or 5 times a power of ten.  `told` says each line in a sentence (begins, ends,
highest, lowest), from the numbers and nothing else, for whoever cannot see it.

Left out: colours and markup (templates), pictures (figures.py, which takes the ticks, the
wrapping and the marks from here).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from lecture.report import LANGUAGES, Curve, HeatMap, Scatter, T, written
from lecture.show.words import PAGE

SERIES = 10                                 # told apart by colour, dash and mark
DOTTED = 40                                 # up to so many points a line, each is marked
FEW = 12                                    # so few points have their names beside them
SIZES = (("wide", 720.0, 240.0), ("narrow", 344.0, 150.0))      # class, width, plot's height
LINE, SIDE = 15.0, 9.0                      # SVG units: a line of text, a square of a large map
# Marks around (0, 0), told apart by shape: circle, square, triangle, diamond, plus, cross,
# triangle down, star, hexagon, bar.
MARKS = ("M-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0Z", "M-3-3H3V3H-3Z", "M0-4L3.8 3H-3.8Z",
         "M0-4.4L4.4 0L0 4.4L-4.4 0Z", "M-4 0H4M0-4V4", "M-3-3L3 3M3-3L-3 3", "M0 4L3.8-3H-3.8Z",
         "M-4 0H4M-2-3.5L2 3.5M2-3.5L-2 3.5", "M-4 0L-2-3.5H2L4 0L2 3.5H-2Z", "M0-4V4")

_WORD = re.compile(r"[\u1100-\uffe6][。，、；：？！）》”]*|[^\s\u1100-\uffe6]+\s*|\s+")


def cells(text: str) -> int:
    """How wide a text is, a Latin letter being one."""
    return sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def length(text: str) -> float:
    """The same in SVG units at 12 pixels, in the widest of the usual fonts."""
    return sum(12.2 if unicodedata.east_asian_width(c) in "WF" else 7.65 if c.isdigit() else 6.9
               for c in text)


def wrapped(text: str, width: float, measure: Callable[[str], float] = cells) -> list[str]:
    """The text in lines of about `width` cells; no word is broken, nothing is cut."""
    lines = [""]
    for word in _WORD.findall(text):
        if lines[-1] and measure(lines[-1] + word.rstrip()) > width:
            lines.append("")
        lines[-1] += word if lines[-1] else word.lstrip()
    return [line.rstrip() for line in lines if line.strip()] or [""]


# --- ticks ------------------------------------------------------------------------------


def step(low: float, high: float, most: int = 6, whole: bool = False) -> float:
    """A step of 1, 2 or 5 times a power of ten: from low to high in at most `most` of them, but
    a finer one where only one or two multiples would lie between."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    digit = next(n for n in (1, 2, 5, 10) if power * n >= raw * (1 - 1e-9))
    while _inside(low, high, digit * power) < 3 and digit > 1:
        digit = {10: 5, 5: 2, 2: 1}[digit]
    return max(1.0, digit * power) if whole else digit * power


def _inside(low: float, high: float, each: float) -> int:
    return math.floor(high / each + 1e-9) - math.ceil(low / each - 1e-9) + 1


def ticks(low: float, high: float, most: int = 6, whole: bool = False,
          percent: bool = False) -> list[tuple[float, str]]:
    """Round numbers from low to high, all written with the digits their step needs."""
    each = step(low, high, most, whole)
    first, last = math.ceil(low / each - 1e-9), math.floor(high / each + 1e-9)
    places = max(0, -math.floor(math.log10(each) + 1e-9))
    small = max(abs(low), abs(high)) < 1e-3 or max(abs(low), abs(high)) >= 1e6
    spec = f".{max(0, places - 2)}%" if percent else ".6g" if small else f".{places}f"
    found = []
    for i in range(first, last + 1):
        value = float(f"{i * each:.12g}")
        found.append((value, written(value, spec)))
    return found


class Axis:
    """One axis: from numbers to SVG units; a little room at both ends, so that a line at the
    frame is seen whole."""

    def __init__(self, values: Sequence[float], low: float | None, high: float | None,
                 begin: float, end: float, room: float) -> None:
        ends = [*values, *(v for v in (low, high) if v is not None)] or [0.0, 1.0]
        self.low, self.high = spread(min(ends), max(ends))
        self.begin, self.end, self.room = begin, end, room

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        reach = self.end - self.begin
        inner = math.copysign(self.room, reach)
        return round(self.begin + inner + share * (reach - 2 * inner), 1)


def spread(low: float, high: float) -> tuple[float, float]:
    """Two ends that differ: a single number gets room on both sides."""
    if high - low > 1e-12 * max(abs(low), abs(high), 1e-300):
        return low, high
    return low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2


# --- the two charts -----------------------------------------------------------------------


def curve(block: Curve) -> dict[str, Any]:
    """A curve as data for the template: two sizes, its names, its sentence, its points."""
    many = len(block.x)
    series: list[dict[str, Any]] = []
    for number, (name, ys) in enumerate(block.series):
        known = [(x, y) for x, y in zip(block.x, ys, strict=True) if y is not None]
        runs: list[list[tuple[float, float]]] = [[]]        # a gap ends a run
        for x, y in zip(block.x, ys, strict=True):
            if y is None:
                runs.append([])
            else:
                runs[-1].append((x, y))
        runs = [run for run in runs if run]
        marked = known if many <= DOTTED else [run[0] for run in runs if len(run) == 1]
        series.append({"number": number, "name": _both(name), "runs": runs, "known": known,
                       "marked": marked})
    points = [y for one in series for _, y in one["known"]]
    sizes = [_sized(kind, width, tall, block, series, list(block.x), points)
             for kind, width, tall in SIZES]
    return {"kind": "graph", "sizes": sizes, "classes": [],
            "told": {lang: told(block, lang) for lang in LANGUAGES}, "points": _points(block),
            "x_label": _both(block.x_label), "y_label": _both(block.y_label),
            "series": [{"number": s["number"], "name": s["name"]} for s in series]}


def scatter(block: Scatter) -> dict[str, Any]:
    """A cloud of points: each class a colour and a shape, named in a key (or beside, if few)."""
    numbers = {letter: i for i, letter in enumerate(block.classes)}
    series: list[dict[str, Any]] = []
    for letter, name in block.classes.items():
        known = [(x, y) for x, y, kind in block.points if kind == letter]
        series.append({"number": numbers[letter], "name": _both(name), "runs": [],
                       "known": known, "marked": known})
    few = len(block.points) <= FEW
    xs, ys = [p[0] for p in block.points], [p[1] for p in block.points]
    sizes = [_sized(kind, width, tall * 1.5, block, series, xs, ys, few)
             for kind, width, tall in SIZES]
    return {"kind": "graph", "sizes": sizes,
            "classes": [{"number": s["number"], "name": s["name"],
                         "mark": MARKS[s["number"] % SERIES]} for s in series],
            "told": {lang: told(block, lang) for lang in LANGUAGES}, "points": _points(block),
            "x_label": _both(block.x_label), "y_label": _both(block.y_label), "series": []}


def _sized(kind: str, width: float, tall: float, block: Curve | Scatter,
           series: Sequence[dict[str, Any]], xs: Sequence[float], ys: Sequence[float],
           few: bool = False) -> dict[str, Any]:
    """One chart at one size.  Left: the ticks' numbers; right: the names of the lines."""
    low, high = (block.low, block.high) if isinstance(block, Curve) else (None, None)
    percent = block.format.endswith("%")
    ends = isinstance(block, Curve)
    # names: as wide as the widest, but no more than a third of the sheet
    names = {lang: [wrapped(s["name"][lang], width * .35, length) if ends else []
                    for s in series] for lang in LANGUAGES}
    widest = max((length(line) for lines in names.values() for one in lines for line in one),
                 default=0.0)
    right = width - (widest + 24 if ends else 12)
    y_name = {lang: wrapped(block.y_label.text(lang), width, length) for lang in LANGUAGES}
    head = LINE * max(map(len, y_name.values())) + 8
    need = max((sum(len(one) * LINE + 2 for one in lines) for lines in names.values()),
               default=0.0)
    bottom = head + max(tall, need)
    y = Axis(ys, low, high, bottom, head, 6)
    most = 6 if kind == "wide" else 5
    y_ticks = ticks(y.low, y.high, most, percent=percent)
    left = max((length(text) for _, text in y_ticks), default=0.0) + 10
    x = Axis(xs, None, None, left, right, 8)
    x_percent = percent and not ends
    x_ticks = ticks(x.low, x.high, 8 if kind == "wide" else 4, percent=x_percent,
                    whole=all(float(v).is_integer() for v in xs))
    x_name = {lang: wrapped(block.x_label.text(lang), right - left, length) for lang in LANGUAGES}
    return {
        "kind": kind, "width": width,
        "height": round(bottom + 24 + LINE * max(map(len, x_name.values())) + 4, 1),
        "left": round(left, 1), "right": round(right, 1), "top": round(head, 1),
        "bottom": round(bottom, 1),
        "x_ticks": [{"at": x.at(v), "text": text} for v, text in x_ticks],
        "y_ticks": [{"at": y.at(v), "text": text} for v, text in y_ticks],
        "lines": [{"number": s["number"], "path": "".join(
            ("M" if i == 0 else "L") + f"{x.at(a)} {y.at(b)}"
            for run in s["runs"] for i, (a, b) in enumerate(run)),
            "marks": [(x.at(a), y.at(b)) for a, b in s["marked"]],
            "mark": MARKS[s["number"] % SERIES]} for s in series],
        "ends": [end for lang in LANGUAGES
                 for end in _ends(lang, series, names[lang], x, y, right, head, bottom)]
        if ends else [_beside(lang, s, dot, x, y, right) for lang in LANGUAGES for s in series
                      for dot in s["known"]] if few else [],
        "x_name": {"at": round((left + right) / 2, 1), "y": round(bottom + 24 + LINE - 3, 1),
                   "lines": x_name},
        "y_name": y_name,
    }


def _ends(lang: str, series: Sequence[dict[str, Any]], names: Sequence[list[str]], x: Axis,
          y: Axis, right: float, top: float, bottom: float) -> list[dict[str, Any]]:
    """Each name beside the end of its line, moved as little as keeps them apart."""
    wanted = []
    for one, lines in zip(series, names, strict=True):
        if one["known"]:
            end_x, end_y = one["known"][-1]
            wanted.append((y.at(end_y), x.at(end_x), len(lines) * LINE + 2, one, lines))
    wanted.sort(key=lambda item: (item[0], item[3]["number"]))
    tops = apart([w[0] for w in wanted], [w[2] for w in wanted], top, bottom)
    return [{"lang": lang, "number": one["number"], "from_x": end_x, "from_y": end_y,
             "x": round(right + 22, 1), "y": round(begin + tall / 2, 1),
             "rows": [{"y": round(begin + LINE * (i + 1) - 3, 1), "text": line}
                      for i, line in enumerate(lines)]}
            for begin, (end_y, end_x, tall, one, lines) in zip(tops, wanted, strict=True)]


def apart(centres: Sequence[float], tall: Sequence[float], top: float,
          bottom: float) -> list[float]:
    """Where names begin that want to stand around these rising centres: none on another."""
    tops, below = [], top
    for at, high in zip(centres, tall, strict=True):        # pushed down by the one above ...
        tops.append(max(at - high / 2, below))
        below = tops[-1] + high
    for i in reversed(range(len(tops))):                    # ... and up from the frame
        tops[i] = min(tops[i], bottom - tall[i])
        bottom = tops[i]
    return tops


def _beside(lang: str, one: dict[str, Any], dot: tuple[float, float], x: Axis, y: Axis,
            right: float) -> dict[str, Any]:
    """The name of a point of a few: on its right, or on its left where there is no room."""
    at, name = x.at(dot[0]), one["name"][lang]
    wide = length(name) + 8
    return {"lang": lang, "number": one["number"], "from_x": None, "from_y": None, "y": 0.0,
            "x": round(at + 8 if at + wide < right else at - wide, 1),
            "rows": [{"y": round(y.at(dot[1]) + 4, 1), "text": name}]}


# --- a map too large for numbers ------------------------------------------------------------


def dense(block: HeatMap) -> bool:
    """Too many rows or columns to read a number in every cell?"""
    return len(block.columns) > 24 or len(block.rows) > 32


def squares(rows: Sequence[dict[str, Any]], columns: Sequence[dict[str, str]]) -> dict[str, Any]:
    """Such a map as small squares: for each step of the scale one path over all its cells."""
    side = SIDE if len(columns) <= 64 else round(64 * SIDE / len(columns), 2)
    left = max(length(row["name"][lang]) for row in rows for lang in LANGUAGES) + 8
    paths: dict[int, str] = {}
    for i, row in enumerate(rows):
        for j, one in enumerate(row["cells"]):
            if one["step"] is not None:
                here = f"M{round(left + j * side, 1)} {round(LINE + i * side, 1)}"
                paths[one["step"]] = paths.get(one["step"], "") + f"{here}h{side}v{side}h-{side}z"
    across, down = -(-len(columns) // 8), -(-len(rows) // 8)
    return {"width": round(left + len(columns) * side + 12, 1),
            "height": round(LINE + len(rows) * side + 4, 1),
            "paths": sorted(paths.items()),
            "names": [{"x": round(left + (j + .5) * side, 1), "y": LINE - 4, "text": name,
                       "anchor": "middle"}
                      for j, name in enumerate(columns) if j % across == 0]
            + [{"x": left - 5, "y": round(LINE + (i + .5) * side + 4, 1), "text": row["name"],
                "anchor": "end"} for i, row in enumerate(rows) if i % down == 0]}


# --- in words -------------------------------------------------------------------------------


def told(block: Curve | Scatter, lang: str) -> str:
    """What the chart shows, from its numbers: one sentence a line, or a class of points."""
    if isinstance(block, Scatter):
        return _told_points(block, lang)
    says = [PAGE["chart"].text(lang, {"y": block.y_label.text(lang),
                                      "x": block.x_label.text(lang)})]
    for name, ys in block.series:
        known = [(x, y) for x, y in zip(block.x, ys, strict=True) if y is not None]
        says.append(_told_line(name.text(lang), known, block.format, lang))
    return (" " if lang == "en" else "").join(says)


def _told_line(name: str, known: Sequence[tuple[float, float]], spec: str, lang: str) -> str:
    if not known:
        return PAGE["line_empty"].text(lang, {"name": name})
    said = [written(y, spec) for _, y in known]
    values = {"name": name, "from": f"{known[0][0]:.6g}", "to": f"{known[-1][0]:.6g}",
              "first": said[0], "last": said[-1]}
    if len(set(said)) == 1:
        return PAGE["line_level"].text(lang, values)
    top, low = max(known, key=lambda p: p[1]), min(known, key=lambda p: p[1])
    values |= {"highest": written(top[1], spec), "top": f"{top[0]:.6g}",
               "lowest": written(low[1], spec), "bottom": f"{low[0]:.6g}"}
    rises = all(b[1] >= a[1] for a, b in zip(known, known[1:], strict=False))
    falls = all(b[1] <= a[1] for a, b in zip(known, known[1:], strict=False))
    word = "line_rises" if rises else "line_falls" if falls else "line"
    return PAGE[word].text(lang, values)


def _told_points(block: Scatter, lang: str) -> str:
    spec = block.format
    says = [PAGE["cloud"].text(lang, {"n": len(block.points), "y": block.y_label.text(lang),
                                      "x": block.x_label.text(lang)})]
    for letter, name in block.classes.items():
        found = [(x, y) for x, y, kind in block.points if kind == letter]
        if not found:
            continue
        xs, ys = [x for x, _ in found], [y for _, y in found]
        says.append(PAGE["cloud_class"].text(lang, {
            "name": name.text(lang), "n": len(found),
            "left": written(min(xs), spec), "right": written(max(xs), spec),
            "low": written(min(ys), spec), "high": written(max(ys), spec)}))
    return (" " if lang == "en" else "").join(says)


def _points(block: Curve | Scatter) -> dict[str, Any]:
    """The points themselves, as a table: what a picture's reader may copy."""
    if isinstance(block, Scatter):
        return {"head": [_both(PAGE["class"]), _both(block.x_label), _both(block.y_label)],
                "rows": [[_both(block.classes[c]) if c in block.classes else {"zh": c, "en": c},
                          *(_same(written(v, block.format)) for v in (x, y))]
                         for x, y, c in block.points]}
    rows = [[_same(f"{x:.6g}"),
             *(_same("-" if (y := ys[i]) is None else written(y, block.format))
               for _, ys in block.series)] for i, x in enumerate(block.x)]
    return {"head": [_both(block.x_label), *(_both(name) for name, _ in block.series)],
            "rows": rows}


def _both(text: T) -> dict[str, str]:
    """In both languages; blanks that align a column of the terminal are one."""
    return {lang: " ".join(text.text(lang).split()) for lang in LANGUAGES}


def _same(text: str) -> dict[str, str]:
    return dict.fromkeys(LANGUAGES, text)
