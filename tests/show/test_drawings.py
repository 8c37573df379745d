"""Can a drawing be read back?  Curve, bars, scatter and heat map, in all three places.

A reader sees marks and labels, nothing else: so the terminal's lines, the page's markup and
the picture's artists are turned back into numbers by their own ticks, and these are the data,
to half a cell.  Up is more, right is more; a map's row is who looks.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser

import numpy as np
import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import console
from console import Screen
from demos import REGISTRY
from lecture.report import Bars, Curve, HeatMap, Part, Result, Row, Scatter, T
from lecture.show import figures, page
from lecture.show.words import VIRIDIS

FEW = settings(max_examples=20, deadline=None)
FEWER = settings(FEW, max_examples=6)               # a whole page, or a picture, each time
X, Y = T("步", "steps"), T("损失", "loss")
UNIT = st.integers(0, 1000).map(lambda n: n / 1000)
Mark = tuple[str, float, float]                     # series or class, x, y


@st.composite
def curves(draw) -> Curve:
    n = draw(st.integers(2, 9))
    start, step = draw(st.integers(-50, 50)), draw(st.integers(1, 40))
    series = [(T(f"列{i}", f"series {i}"), draw(st.lists(UNIT, min_size=n, max_size=n)))
              for i in range(draw(st.integers(1, 3)))]
    ends = draw(st.sampled_from([(0.0, 1.0), (-0.5, 1.5), (None, None)]))
    if ends == (None, None) and len({y for _, ys in series for y in ys}) < 2:
        ends = 0.0, 1.0
    return Curve([float(start + i * step) for i in range(n)], series, X, Y, format=".4f",
                 low=ends[0], high=ends[1])


@st.composite
def scatters(draw) -> Scatter:
    points = draw(st.lists(st.tuples(UNIT.map(lambda x: 3 * x - 1), UNIT,
                                     st.sampled_from("AB")), min_size=2, max_size=8))
    points += [(-2.0, -0.25, "A"), (3.0, 1.25, "B")]        # neither axis is a point
    return Scatter(points, {"A": T("甲", "one"), "B": T("乙", "two")}, X, Y, format=".4f")


@st.composite
def maps(draw) -> HeatMap:
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    cell = st.one_of(st.none(), st.integers(0, 100).map(lambda n: n / 100))
    values = [[draw(cell) for _ in range(columns)] for _ in range(rows)]
    return HeatMap(values, [f"q{i}" for i in range(rows)], [f"k{j}" for j in range(columns)])


@st.composite
def bars(draw) -> Bars:
    values = draw(st.lists(UNIT, min_size=1, max_size=6))
    return Bars([f"bar{i}" for i in range(len(values))], [*values[:-1], values[-1] + 0.001],
                format=".3f", high=draw(st.sampled_from([None, 1.5])))


def points(block: Curve | Scatter) -> list[Mark]:
    if isinstance(block, Scatter):
        return [(kind, x, y) for x, y, kind in block.points]
    return [("abc"[i], x, y) for i, (_, ys) in enumerate(block.series)
            for x, y in zip(block.x, ys, strict=True)]


def agree(read: list[Mark], data: list[Mark], dx: float, dy: float) -> None:
    """Each point has a mark of its series (or of several, *) there, each mark a point."""
    def near(one: Mark, other: Mark) -> bool:
        return (one[0] == other[0] or "*" in (one[0], other[0])) \
            and abs(one[1] - other[1]) <= dx and abs(one[2] - other[2]) <= dy

    assert [p for p in data if not any(near(p, m) for m in read)] == []
    assert [m for m in read if not any(near(p, m) for p in data)] == []


# --- the terminal -----------------------------------------------------------------------


def lines_of(block, color: str = "never") -> list[str]:
    stream = io.StringIO()
    Screen(stream, lang="en", width=80, color=color).block(block, {})
    return stream.getvalue().splitlines()


def read_terminal(block: Curve | Scatter) -> tuple[list[Mark], float, float]:
    """Marks by the printed ticks, and half a cell either way."""
    lines = lines_of(block)
    floor = next(i for i, line in enumerate(lines) if re.fullmatch(r" +\+-+", line))
    first = next(i for i, line in enumerate(lines) if "|" in line)
    assert lines[first - 1].strip() == Y.en and lines[floor + 2].strip() == X.en
    grid = [line.partition("|") for line in lines[first:floor]]
    left, right = map(float, lines[floor + 1].split())
    high, low = (float(grid[i][0]) for i in (0, -1))
    assert high > low and right > left                      # up and right are more
    wide, tall = lines[floor].count("-"), len(grid)
    x_step, y_step = (right - left) / (wide - 1), (high - low) / (tall - 1)
    for i, (label, _, _) in enumerate(grid):                # the ticks between are even
        assert not label.strip() or float(label) == pytest.approx(high - i * y_step, abs=1e-3)
    read = [(mark, left + j * x_step, high - i * y_step)
            for i, (_, _, marks) in enumerate(grid) for j, mark in enumerate(marks) if mark != " "]
    return read, x_step * .51 + 1e-3, y_step * .51 + 1e-3


@FEW
@given(curves())
def test_a_curve_on_the_terminal(block) -> None:
    names = [line.split(" = ") for line in lines_of(block) if " = " in line]
    assert [(m.strip(), n) for m, n in names] == [
        ("abc"[i], name.en) for i, (name, _) in enumerate(block.series)]
    read, dx, dy = read_terminal(block)
    agree(read, points(block), dx, dy)


SYSTEMS = ("standard", "256", "truecolor")


def painted(block, system: str, theme: str = "dark", lang: str = "en", width: int = 80,
            **options) -> pyte.Screen:
    """The block as a terminal of so many colours shows it."""
    stream = io.StringIO()
    made = Screen(stream, lang=lang, width=width, color="always", theme=theme, **options)
    made.console = console.Console(file=stream, width=width, height=50, color_system=system,
                                   force_terminal=True, no_color=False, legacy_windows=False)
    made.block(block, {})
    shown = pyte.Screen(width + 1, 60)
    pyte.Stream(shown).feed(stream.getvalue().replace("\n", "\r\n"))
    return shown


def halves(cell) -> tuple[str, str]:
    """The colours of the upper and the lower half; "default" is the terminal's own ground."""
    front, back = (cell.bg, cell.fg) if cell.reverse else (cell.fg, cell.bg)
    return (back, front) if cell.data == "▄" else (back, back)


def read_halves(block: Curve, shown: pyte.Screen):
    """Marks by the printed ticks, letters by the key's swatches; the step of columns and points;
    the rows of the letters at the ends, as numbers."""
    lines = [line.rstrip() for line in shown.display]
    key: dict[str, str] = {}
    for y, line in enumerate(lines):
        named = re.match(r"  ▄▄ ([a-h]) = ", line)
        if named:
            key[shown.buffer[y][2].fg] = named[1]
    assert len(key) == len(block.series)                    # no two of one colour
    floor = next(i for i, line in enumerate(lines) if re.fullmatch(r" +\+-+", line))
    first = next(i for i, line in enumerate(lines) if "|" in line)
    start, wide = lines[floor].index("+") + 1, lines[floor].count("-")
    left, right = map(float, lines[floor + 1].split())
    high, low = (float(lines[i].partition("|")[0]) for i in (first, floor - 1))
    x_step, y_step = (right - left) / (wide - 1), (high - low) / (floor - 1 - first) / 2
    marks, tails = [], {}
    for i in range(first, floor):
        for j in range(wide):
            cell = shown.buffer[i][start + j]
            assert cell.data in " ▄"
            for below, colour in enumerate(halves(cell)):
                if colour != "default":                     # the tick is where the lower half is
                    marks.append((key[colour], left + j * x_step,
                                  high - (2 * (i - first) + below - 1) * y_step))
        tails |= dict.fromkeys(lines[i][start + wide:].strip(), high - 2 * (i - first) * y_step)
    return marks, x_step, y_step, tails


def on_the_way(block: Curve, letter: str, x: float, y: float, dx: float, dy: float) -> bool:
    """Does the line through a series' numbers pass that close to this point?"""
    ys = block.series["abcdefgh".index(letter)][1]
    near = np.interp(np.linspace(max(x - dx, block.x[0]), min(x + dx, block.x[-1]), 201),
                     block.x, ys)
    return near.min() - dy <= y <= near.max() + dy


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("system", SYSTEMS)
@FEWER
@given(curves())
def test_a_curve_in_colour_on_the_terminal(system: str, theme: str, block) -> None:
    """Every number has its half cell, every half cell is on the way of its series."""
    marks, dx, dy, tails = read_halves(block, painted(block, system, theme))
    for letter, x, y in points(block):
        there = [m for m in marks if abs(m[1] - x) <= dx * .51 + 1e-3
                 and abs(m[2] - y) <= dy * .51 + 1e-3]
        assert there, (letter, x, y)
        assert letter in {m[0] for m in there} or all(      # shared: another one's colour
            on_the_way(block, m[0], x, y, 1.02 * dx, 1.02 * dy + 1e-3) for m in there)
    for letter, x, y in marks:
        assert on_the_way(block, letter, x, y, 1.02 * dx, 1.02 * dy + 1e-3), (letter, x, y)
    for i, (_, ys) in enumerate(block.series):              # a row's tick is at its lower half
        assert -.51 * dy - 1e-3 <= ys[-1] - tails.pop("abc"[i]) <= 1.51 * dy + 1e-3
    assert not tails


@pytest.mark.parametrize("system", SYSTEMS)
def test_series_of_the_same_numbers_are_both_seen(system: str) -> None:
    same = [0.0, 0.5, 0.5, 1.0]
    block = Curve([0.0, 1.0, 2.0, 3.0], [(X, same), (Y, same), (X, [1.0, None, 1.0, 0.5])], X, Y)
    marks, dx, dy, tails = read_halves(block, painted(block, system))
    assert tails == pytest.approx({"a": 1.0, "b": 1.0, "c": 0.5})    # "ab" in one row
    flat = {"ab": [m for m in marks if m[2] == pytest.approx(0.5) and 1.02 < m[1] < 1.98]}
    drawn = [letter for letter, *_ in sorted(flat["ab"], key=lambda m: m[1])]
    assert len(drawn) > 15 and "".join(drawn) in "ab" * 40          # in turns
    gap = [m for m in marks if m[0] == "c" and 0 + dx < m[1] < 2 - dx]
    assert gap == []                                        # no number, no line across


@pytest.mark.parametrize("options", [{"plain": True}, {"theme": "mono"}, {"theme": "unknown"}])
def test_letters_where_colour_is_not_to_be_had(options) -> None:
    block = Curve([0.0, 1.0], [(X, [0.0, 1.0])], X, Y)
    plain = [line.rstrip() for line in lines_of(block)]
    shown = [line.rstrip() for line in painted(block, "256", **options).display]
    assert shown[:len(plain)] == plain and not any("▄" in line for line in shown)


def test_more_series_than_colours_are_letters() -> None:
    """Sixteen colours have fewer that can be told apart on white: then letters tell."""
    many = Curve([0.0, 1.0], [(X, [0.0, i / 8]) for i in range(8)], X, Y)
    assert not any("▄" in line for line in painted(many, "standard", "light").display)


@FEW
@given(scatters())
def test_a_scatter_on_the_terminal(block) -> None:
    read, dx, dy = read_terminal(block)
    agree(read, points(block), dx, dy)


@FEW
@given(bars())
def test_bars_on_the_terminal(block) -> None:
    rows = [re.fullmatch(r" +(\S+) +(\S+) (█*)", line) for line in lines_of(block)[1:]]
    found = [(row[1], float(row[2])) for row in rows if row]
    assert found == list(zip(block.labels, [round(v, 3) for v in block.values], strict=True))
    drawn = [len(row[3]) for row in rows if row]
    high = block.high or max(block.values)
    assert drawn == [pytest.approx(v / high * 50, abs=.51) for v in block.values]


def cells(lines: list[str]) -> tuple[list[int], dict[tuple[str, int], str]]:
    """Where each column ends, by the head; and what stands there: (row, number of column)."""
    at = next(i for i, line in enumerate(lines) if "k0" in line)
    ends = [2, *(m.end() for m in re.finditer(r"k\d", lines[at]))]
    return ends[1:], {(line[:2], j): line[ends[j]:ends[j + 1]].strip()
                      for line in lines[at + 1:] for j in range(len(ends) - 1)}


@FEW
@given(maps())
def test_a_heat_map_on_the_terminal(block) -> None:
    _, found = cells([line for line in lines_of(block) if line])
    assert found == {(f"q{i}", j): "" if v is None else f"{v:.2f}"
                     for i, row in enumerate(block.values) for j, v in enumerate(row)}


def luminance(rgb) -> float:
    return float(np.dot([.2126, .7152, .0722], (np.array([*map(int, rgb)]) / 255) ** 2.2))


SHADES = """
import sys
from console import Screen
from lecture.report import HeatMap, T
row, names = [i / 10 for i in range(11)], [f"k{j}" for j in range(11)]
screen = Screen(lang="en", width=80, color=sys.argv[1], theme=sys.argv[2])
screen.block(HeatMap([row], ["q0"], names), {})
screen.block(HeatMap([row], ["q0"], names, groups=((T("左", "left"), 11),)), {})
"""


def shown_shades(color: str, theme: str = "dark", **env: str) -> list[str]:
    """The lines of a row from 0 to 1, alone and beside, with their escape codes.

    In a process of its own: rich keeps the codes of a style it has once drawn, so a screen of
    256 colours drawn before would answer for the deep one.
    """
    plain = {k: v for k, v in os.environ.items() if k not in ("COLORTERM", "NO_COLOR", "TERM")}
    shown = subprocess.run([sys.executable, "-c", SHADES, color, theme], env=plain | env,
                           check=True, capture_output=True, text=True)
    return [text for text in shown.stdout.splitlines() if "0.50" in text]


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_more_is_brighter_on_the_terminal(theme: str) -> None:
    """The backgrounds of a row from 0 to 1; on white more is darker."""
    lines = shown_shades("always", theme, COLORTERM="truecolor", TERM="xterm")
    for line in lines:
        found = re.findall(r"48;2;(\d+);(\d+);(\d+)m *([\d.]+)", line)
        bright = [luminance(rgb) for *rgb, _ in found][::1 if theme == "dark" else -1]
        assert [text for *_, text in found] == [f"{i / 10:.2f}" for i in range(11)]
        assert bright == sorted(bright) and bright[-1] > 20 * bright[0]
    assert len(lines) == 2


def of_cube(number: int) -> list[int]:
    """xterm's colours 16 to 231, by its own rule: 36 r + 6 g + b, levels 0, 95, 135, ..."""
    assert 16 <= number <= 231
    return [level and 55 + 40 * level
            for level in ((number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6)]


def linear(rgb) -> float:
    """Relative luminance (WCAG 2.1), written once more."""
    shares = np.array(rgb) / 255
    return float(np.dot([.2126, .7152, .0722], np.where(
        shares <= .03928, shares / 12.92, ((shares + .055) / 1.055) ** 2.4)))


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_step_is_apart_in_256_colours(theme: str) -> None:
    """Eleven values, eleven colours, each a tenth brighter; the number is read on each."""
    lines = shown_shades("always", theme, TERM="xterm-256color")
    for line in lines:
        found = re.findall(r"38;5;(\d+);48;5;(\d+)m *([\d.]+)", line)
        assert [text for *_, text in found] == [f"{i / 10:.2f}" for i in range(11)]
        bright = [linear(of_cube(int(back))) + .05 for _, back, _ in found]
        for (front, _, _), back in zip(found, bright, strict=True):
            one, other = sorted((linear(of_cube(int(front))) + .05, back))
            assert other / one >= 4.5
        bright = bright[::1 if theme == "dark" else -1]
        assert all(b / a >= 1.1 for a, b in zip(bright, bright[1:], strict=False)), bright
    assert len(lines) == 2


def test_sixteen_colours_shade_nothing() -> None:
    """Which of a terminal's sixteen is brighter nobody knows: the numbers stand alone."""
    for line in shown_shades("auto", FORCE_COLOR="1", TERM="xterm"):
        assert not re.search(r"[\[;](?:4[0-8]|10[0-7])[;m]", line), line
    shaded = shown_shades("auto", FORCE_COLOR="1", TERM="xterm-256color")
    assert all(line.count("48;5;") == 11 for line in shaded)        # the switch is the terminal's


@FEW
@given(maps(), st.data())
def test_maps_side_by_side_on_the_terminal(block, data) -> None:
    """Two maps over the same rows: the second is the first with other numbers."""
    other = [[data.draw(UNIT.map(lambda x: round(x, 2))) for _ in row] for row in block.values]
    n = len(block.columns)
    both = HeatMap([a + b for a, b in zip(block.values, other, strict=True)], block.rows,
                   [*block.columns, *block.columns],
                   groups=((T("左", "left"), n), (T("右", "right"), n)))
    lines = [line for line in lines_of(both) if line]
    ends, found = cells(lines)
    assert lines[0].index("left") < ends[0] and ends[n - 1] < lines[0].index("right") < ends[n]
    assert found == {(f"q{i}", j): "·" if v is None else f"{v:.2f}"
                     for i, row in enumerate(both.values) for j, v in enumerate(row)}


# --- the page -----------------------------------------------------------------------------


class Marks(HTMLParser):
    """Every tag with its attributes and the text right inside, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str], str]] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.found.append((tag, {k: v or "" for k, v in attrs}, ""))

    def handle_data(self, data) -> None:
        if self.found:
            tag, attrs, text = self.found[-1]
            self.found[-1] = tag, attrs, text + data.strip()

    def of(self, tag: str, **attrs: str) -> Iterator[tuple[dict[str, str], str]]:
        return ((a, text) for t, a, text in self.found
                if t == tag and all(a.get(k) == v for k, v in attrs.items()))


def page_of(block) -> Marks:
    part = Part(1, "p", T("题", "title"), lambda seed: {}, lambda m: [block], (), (), {},
                T("讲", "say"))
    marks = Marks()
    marks.feed(page.html([page.view(REGISTRY[0], [Result(part, {}, {}, 0, False)])], "en"))
    return marks


def scale(ticks: list[tuple[float, float]]) -> Callable[[float], float]:
    """From place to number, by the first and last tick; the ones between lie on the line."""
    ticks = sorted(ticks)
    (a, low), (b, high) = ticks[0], ticks[-1]

    def number(place: float) -> float:
        return low + (place - a) / (b - a) * (high - low)

    for place, tick in ticks:
        assert number(place) == pytest.approx(tick, abs=abs(high - low) * 2e-3 + 1e-3)
    return number


def charts_of(block) -> dict[str, Marks]:
    """The page's two drawings of a chart, each alone: for a wide sheet and for a phone."""
    part = Part(1, "p", T("题", "title"), lambda seed: {}, lambda m: [block], (), (), {},
                T("讲", "say"))
    text = page.part_html(page.part_view(REGISTRY[0], Result(part, {}, {}, 0, False)))
    found = {}
    for kind, svg in re.findall(r'<svg class="chart (\w+)"(.*?)</svg>', text, re.S):
        found[kind] = Marks()
        found[kind].feed("<svg" + svg)
    assert list(found) == ["wide", "narrow"]
    return found


def page_axes(marks: Marks) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """The two scales of the one chart; up and right are more."""
    xs = [(float(a["x"]), float(text)) for a, text in marks.of("text", **{"class": "tick x"})]
    ys = [(float(a["y"]) - 4, float(text)) for a, text in marks.of("text", **{"class": "tick y"})]
    assert 2 <= len(xs) <= 10 and 2 <= len(ys) <= 8
    assert max(ys)[1] < min(ys)[1] and max(xs)[1] > min(xs)[1]
    return scale(xs), scale(ys)


def page_marks(marks: Marks, x, y) -> list[Mark]:
    """Every mark by its class and place."""
    found = []
    for attrs, _ in marks.of("path"):
        kind, _, look = attrs["class"].partition(" ")
        if kind == "mark":
            a, b = re.findall(r"[\d.-]+", attrs["transform"])
            found.append((look, x(float(a)), y(float(b))))
    return found


@FEWER
@given(curves())
def test_a_curve_on_the_page(block) -> None:
    for marks in charts_of(block).values():
        x, y = page_axes(marks)
        read = []
        for attrs, _ in marks.of("path"):
            if attrs["class"].startswith("line "):
                series = "abc"[int(attrs["class"][6:])]
                read += [(series, x(float(a)), y(float(b)))
                         for a, b in re.findall(r"[ML]([\d.-]+) ([\d.-]+)", attrs["d"])]
        agree(read, points(block), .004 * (block.x[-1] - block.x[0]) + 1e-3, .006)
        dots = page_marks(marks, x, y)
        assert [("abc"[int(look[1:])], a, b) for look, a, b in dots] == read
        names = [(a["class"], text) for a, text in marks.of("text") if "end" in a["class"]]
        for lang in ("zh", "en"):                           # each line has its name at its end
            assert {(f"end i{i}", name.text(lang)) for i, (name, _) in
                    enumerate(block.series)} <= set(names)
        said = [text for _, text in marks.of("tspan")]
        assert {X.en, Y.en, X.zh, Y.zh} <= set(said)


@FEWER
@given(scatters())
def test_a_scatter_on_the_page(block) -> None:
    for marks in charts_of(block).values():
        x, y = page_axes(marks)
        read = [("AB"[int(look[1:])], a, b) for look, a, b in page_marks(marks, x, y)]
        agree(read, points(block), .02, .01)


@FEWER
@given(bars())
def test_bars_on_the_page(block) -> None:
    marks = page_of(block)
    widths = [float(a["style"].removeprefix("width:").rstrip("%"))
              for a, _ in marks.of("i") if "style" in a]
    high = block.high or max(block.values)
    assert widths == [pytest.approx(100 * v / high, abs=.06) for v in block.values]
    assert [t for _, t in marks.of("th", scope="row")] == block.labels
    assert [float(t) for _, t in marks.of("td", **{"class": "n"})] == [
        round(v, 3) for v in block.values]


@FEWER
@given(maps())
def test_a_heat_map_on_the_page(block) -> None:
    marks = page_of(Row([block]))
    assert [t for _, t in marks.of("th", scope="col")] == block.columns
    rows, read = [], []
    for tag, attrs, text in marks.found:
        if tag == "th" and attrs.get("scope") == "row":
            rows.append(text)
            read.append([])
        elif tag == "td" and rows:
            read[-1].append((attrs.get("class"), text))
    assert rows == block.rows
    assert read == [[("masked", "·") if v is None else (f"h{round(v * 10)}", f"{v:.2f}")
                     if abs(v * 10 % 1 - .5) > 1e-6 else (cell[0], f"{v:.2f}")
                     for v, cell in zip(row, got, strict=True)]
                    for row, got in zip(block.values, read, strict=True)]


def test_more_is_brighter_on_the_page() -> None:
    """The steps h0 to h10 are told in the style sheet: their colours rise."""
    text = page.html([page.view(REGISTRY[0], [])], "en")
    shades = re.findall(r"\.h(\d+)\{background:#(..)(..)(..)", text)
    bright = [luminance([int(c, 16) for c in rgb]) for _, *rgb in shades]
    assert [int(n) for n, *_ in shades] == list(range(11)) and bright == sorted(bright)


# --- the picture ----------------------------------------------------------------------------


def picture(block):
    """The drawn figure's first axes, ticks and all."""
    plt, _ = figures._matplotlib("en")
    figure = figures._figure(plt, block, {}, "en")
    figure.canvas.draw()
    plt.close(figure)
    return figure.axes[0]


def picture_axes(axes) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Both scales in pixels, by the printed ticks; up and right are more."""
    def ticks(labels, places, which: int) -> list[tuple[float, float]]:
        found = []
        for label, place in zip(labels, places, strict=True):
            spot = (place, 0) if which == 0 else (0, place)
            figure = float(label.get_text().replace("\N{MINUS SIGN}", "-"))
            found.append((axes.transData.transform(spot)[which], figure))
        return found

    xs = ticks(axes.get_xticklabels(), axes.get_xticks(), 0)
    ys = ticks(axes.get_yticklabels(), axes.get_yticks(), 1)
    assert max(xs)[1] > min(xs)[1] and max(ys)[1] > min(ys)[1]
    return scale(xs), scale(ys)


@FEWER
@given(curves())
def test_a_curve_in_a_picture(block) -> None:
    axes = picture(block)
    x, y = picture_axes(axes)
    read = []
    for i, line in enumerate(axes.lines):
        assert line.get_label() == block.series[i][0].en
        dots = axes.transData.transform(line.get_xydata())
        read += [("abc"[i], x(a), y(b)) for a, b in dots]
    agree(read, points(block), .003 * (block.x[-1] - block.x[0]) + 1e-3, .005)
    assert (axes.get_xlabel(), axes.get_ylabel()) == (X.en, Y.en)


@FEWER
@given(scatters())
def test_a_scatter_in_a_picture(block) -> None:
    axes = picture(block)
    x, y = picture_axes(axes)
    read = []
    for letter, name, dots in zip(block.classes, block.classes.values(), axes.collections,
                                  strict=True):
        assert dots.get_label() == name.en
        read += [(letter, x(a), y(b)) for a, b in axes.transData.transform(dots.get_offsets())]
    agree(read, points(block), .02, .01)
    assert (axes.get_xlabel(), axes.get_ylabel()) == (X.en, Y.en)


@FEWER
@given(bars())
def test_bars_in_a_picture(block) -> None:
    axes = picture(block)
    names = {place: label.get_text() for place, label in
             zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)}
    drawn = sorted(axes.patches, key=lambda p: -axes.transData.transform((0, p.get_y()))[1])
    assert [names[round(p.get_y() + p.get_height() / 2)] for p in drawn] == block.labels
    assert [p.get_width() for p in drawn] == pytest.approx(block.values)
    assert all(p.get_x() == 0 for p in drawn)
    left, right = axes.get_xlim()                          # the axis begins where the bars do
    assert left == 0 and right >= max(block.values) and right >= (block.high or 0)
    ticks = [float(t.get_text()) for t in axes.get_xticklabels() if t.get_text()]
    assert ticks == pytest.approx(list(axes.get_xticks()), abs=1e-3) and ticks == sorted(ticks)
    assert [float(t.get_text()) for t in axes.texts] == [round(v, 3) for v in block.values]


@FEWER
@given(maps())
def test_a_heat_map_in_a_picture(block) -> None:
    axes = picture(block)
    columns = {round(x): t.get_text() for x, t in
               zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)}
    rows = {round(y): t.get_text() for y, t in
            zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)}
    every = {(q, k): v for q, row in zip(block.rows, block.values, strict=True)
             for k, v in zip(block.columns, row, strict=True)}
    want = {place: v for place, v in every.items() if v is not None}
    said = {(rows[round(t.get_position()[1])], columns[round(t.get_position()[0])]):
            t.get_text() for t in axes.texts}
    assert said == {place: "·" if v is None else f"{v:.2f}" for place, v in every.items()}
    seen = np.ma.filled(axes.images[0].get_array().astype(float), np.nan)    # [rows, columns]
    painted = {(rows[i], columns[j]): seen[i, j] for i in range(len(block.rows))
               for j in range(len(block.columns)) if np.isfinite(seen[i, j])}
    assert painted == want
    heights = [axes.transData.transform((0, i))[1] for i in range(len(block.rows))]
    assert heights == sorted(heights, reverse=True)                 # the first row on top
    places = [axes.transData.transform((j, 0))[0] for j in range(len(block.columns))]
    assert places == sorted(places)                                 # the first column on the left


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0), (0.2, 0.7)])
def test_more_is_brighter_in_a_picture(low: float, high: float) -> None:
    """The colours a map is painted with, from its lower end to its upper: the scale's own."""
    values = [low + (high - low) * i / 20 for i in range(21)]
    axes = picture(HeatMap([values], ["q0"], [f"k{j}" for j in range(21)], low=low, high=high))
    image = axes.images[0]
    painted = [rgb[:3] for rgb in image.to_rgba(image.get_array(), bytes=True)[0].tolist()]
    scale = [[int(c[i:i + 2], 16) for i in (0, 2, 4)] for c in VIRIDIS]
    steps = [scale.index(rgb) for rgb in painted]
    assert steps == sorted(steps) and set(steps) == set(range(11))
    assert all(abs(step - i / 2) <= .75 for i, step in enumerate(steps))
    bright = [linear(rgb) for rgb in painted]
    assert bright == sorted(bright)


def test_a_dense_map_names_its_rows_and_columns() -> None:
    """Not every line has a name then: those that have stand at their own place."""
    axes = picture(HeatMap([[0.5] * 53 for _ in range(47)], [f"q{i}" for i in range(47)],
                           [f"k{j}" for j in range(53)]))
    for letter, places, labels in (("q", axes.get_yticks(), axes.get_yticklabels()),
                                   ("k", axes.get_xticks(), axes.get_xticklabels())):
        assert len(places) > 10
        assert [t.get_text() for t in labels] == [f"{letter}{round(p)}" for p in places]
