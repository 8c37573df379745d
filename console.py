"""How does a report become a readable screen, at any width, colour and language?

The only file that knows rich.  A block (table, heat map, curve, bars, text) comes
in as data and leaves as lines: column widths are worked out here, so that a number
is never cut; a table that cannot fit is stacked, one record after another; a heat
map that cannot fit is shown in windows.  Colour never carries meaning alone: every
heat-map cell holds its number, every verdict is a word.

Left out: pausing and asking (lecture/present.py), files (lecture/export.py).
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import zip_longest
from typing import IO, Any

from rich.box import SIMPLE_HEAD, Box
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.table import Table as RichTable
from rich.text import Text

from lecture.look import VIRIDIS, WORDS, ink, shade, verdict_word
from lecture.report import (
    Bars,
    Block,
    Curve,
    HeatMap,
    Num,
    Paragraph,
    Part,
    Question,
    Result,
    Row,
    Scatter,
    Table,
    Verdict,
    right_options,
    show,
)

WIDEST, NARROWEST = 100, 24              # text wider than a hand's span is not read
BIG = 64                                 # --big: fewer columns, for a large font
STYLES = {
    "dark": {"title": "bold bright_cyan", "label": "bold bright_white", "ok": "bold bright_green",
             "bad": "bold bright_red", "ask": "bright_yellow", "quiet": "bright_white"},
    "light": {"title": "bold blue", "label": "bold black", "ok": "bold green",
              "bad": "bold red", "ask": "magenta", "quiet": "black"},
    "mono": {"title": "bold", "label": "bold", "ok": "bold", "bad": "bold reverse",
             "ask": "", "quiet": ""},
}
# --plain: what a terminal may draw two cells wide (East-Asian ambiguous), in ASCII
PLAIN = str.maketrans({
    "→": "->", "←": "<-", "±": "+/-", "×": "x", "÷": "/", "≈": "~", "≤": "<=", "≥": ">=",
    "√": "sqrt ", "∞": "inf", "·": "*", "—": "-", "–": "-", "…": "...", "α": "alpha",
    "β": "beta", "θ": "theta", "σ": "sigma", "δ": "delta", "Δ": "delta", "ω": "omega",
    "λ": "lambda", "μ": "mu", "ε": "eps", "∂": "d", "█": "#", "▓": "#", "│": "|", "─": "-",
    "“": '"', "”": '"', "‘": "'", "’": "'", "①": "1", "②": "2", "③": "3", "≠": "!=",
    "Σ": "sum ", "∈": "in", "°": "deg", "∝": "~", "∥": "||", "γ": "gamma", "η": "eta",
    "τ": "tau", "π": "pi", "φ": "phi", "ρ": "rho", "℃": "C", "‖": "||", "∑": "sum ",
})
_ASCII_HEAD = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_WIDE = r"\u2e80-\u9fff\uff00-\uffef\u3000-\u303f“”‘’—…"         # a line may end after each
_OPEN, _CLOSE = "（「『“‘《", "，。、；：？！）」』”’…—》"
# what stays on one line: a word or one Chinese character, with its brackets and stops
_UNIT = re.compile(rf"\s+|[{_OPEN}]*(?:[^\s{_WIDE}]+|[{_WIDE}])[{_CLOSE}]*")


# --- words and lines ----------------------------------------------------------


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most width cells; Chinese may break anywhere but before 。 or ，"""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line, used = "", 0
        for unit in _UNIT.findall(paragraph):
            if used + cell_len(unit.rstrip()) > width:
                lines.append(line.rstrip())
                line, used, unit = "", 0, unit.lstrip()
            while cell_len(unit) > width:                   # longer than a whole line
                head = _prefix(unit, width)
                lines.append(head)
                unit = unit[len(head):]
            line, used = line + unit, used + cell_len(unit)
        lines.append(line.rstrip())
    return [line for line in lines if line] or [""]


def _prefix(text: str, width: int) -> str:
    taken = ""
    for character in text:
        if cell_len(taken + character) > width and taken:
            break
        taken += character
    return taken


def pad(text: str, width: int, right: bool = False) -> str:
    """Fill with blanks to width cells (not characters)."""
    blanks = " " * max(0, width - cell_len(text))
    return blanks + text if right else text + blanks


# --- the screen ---------------------------------------------------------------


class Screen:
    """Draws a report on one stream; what is drawn depends on these settings only."""

    def __init__(self, stream: IO[str] | None = None, lang: str = "zh", width: int | None = None,
                 color: str = "auto", theme: str = "dark", plain: bool = False,
                 big: bool = False) -> None:
        stream = stream or sys.stdout
        self.lang, self.plain = lang, plain or not _encodes(stream, "═β→█")
        self.width = width or min(_room(stream), BIG if big else WIDEST)
        self.big = big
        self.styles = STYLES[theme]
        self.light = theme == "light"
        self._kept: list[Text] | None = None
        self.console = _console(stream, self.width, color)
        self.shaded = (theme != "mono" and self.console.color_system in ("256", "truecolor")
                       and not self.console.no_color)

    def word(self, name: str, **fields: Any) -> str:
        """A word of the screen itself, in the screen's language."""
        return WORDS[name].text(self.lang, fields)

    def line(self, text: str | Text = "", style: str = "", indent: int = 0,
             first: str = "") -> None:
        """Print text, wrapped; first stands before the first line only."""
        if isinstance(text, Text):
            self._put(text)
            return
        lead = max(indent, cell_len(first))
        for i, piece in enumerate(wrap(self._safe(text), max(8, self.width - lead))):
            before = pad(self._safe(first), lead) if i == 0 else " " * lead
            self._put(Text((before + piece).rstrip(), style=self.styles.get(style, "")))

    def _put(self, line: Text) -> None:
        """Print one line, or keep it for a Row that sets lines side by side."""
        if self._kept is None:
            self.console.print(line, soft_wrap=True)
        else:
            self._kept.append(line)

    def header(self, text: str) -> None:
        """The title of a demo: a line above and below."""
        rule = ("=" if self.plain else "═") * self.width
        self.line(rule, "title")
        self.line(text, "title")
        self.line(rule, "title")

    def part(self, number: int, part: Part) -> None:
        """The title of a part."""
        self.line()
        title = f"{number:02d}.{part.number}  {part.title.text(self.lang)} "
        dashes = "-" if self.plain else "─"
        blanks = max(0, self.width - cell_len(self._safe(title)))
        self.line(title + dashes * blanks, "title")

    def question(self, question: Question, params: Any, mark: str = "") -> None:
        """A vote: the prompt and its options, nothing about the answer.

        mark tells the questions of one part apart: "a", "b", …
        """
        self.line()
        self.line(question.prompt.text(self.lang, params), "ask",
                  first=f"{self.word('question')}{mark}: ")
        for letter, option in zip("ABCDEFGH", question.options, strict=False):
            self.line(option.text.text(self.lang, params), first=f"   {letter}  ")

    def answer(self, question: Question, result: Result, mark: str = "") -> None:
        """The option the measurement chose, and what the wrong ones mistake."""
        right = right_options(question, result.metrics)
        letters = " ".join("ABCDEFGH"[i] for i in right)
        text = "; ".join(question.options[i].text.text(self.lang, result.params) for i in right)
        self.line(f"{letters}  {text}" if right else self.word("no_answer"), "ask",
                  first=f"{self.word('answer')}{mark}: ")
        for i, option in enumerate(question.options):
            if option.misconception and i not in right:
                self.line(option.misconception.text(self.lang, result.metrics),
                          first=f"   {'ABCDEFGH'[i]}  ")

    def verdicts(self, result: Result) -> None:
        """Every observation with its verdict; a false one is never hidden."""
        self.line()
        self.line(self.word("observations"), "label")
        for verdict in result.verdicts():
            self.verdict(verdict, result)

    def verdict(self, verdict: Verdict, result: Result) -> None:
        """One observation: verdict word, sentence, and the margin if it fails."""
        word, style = verdict_word(verdict, result, self.lang)
        sentence = verdict.claim.text.text(self.lang, result.metrics)
        if not verdict.holds:
            margin = "n/a" if verdict.margin is None else f"{verdict.margin:.4g}"
            sentence += f" [{self.word('margin')} {margin}]"
        lines = wrap(self._safe(sentence), max(8, self.width - cell_len(word) - 4))
        for i, piece in enumerate(lines):
            start = f"  {self._safe(word)}  " if i == 0 else " " * (cell_len(word) + 4)
            if self.big and i == 0:
                self.line()
            text = Text(start, style=self.styles[style] if i == 0 else "")
            self.console.print(text.append(piece, style=Style.null()), soft_wrap=True)

    def caveat(self, part: Part, result: Result) -> None:
        """What the part does not show."""
        if part.caveat:
            self.line(part.caveat.text(self.lang, result.metrics), "quiet",
                      first=f"  {self.word('caveat')}: ")

    # --- blocks ---

    def block(self, block: Block, metrics: Any) -> None:
        """Draw one block."""
        if isinstance(block, Paragraph):
            self.line(block.text.text(self.lang, metrics))
            return
        if isinstance(block, HeatMap | Curve | Scatter) and block.page_only:
            return
        self.line()
        if block.title:
            self.line(block.title.text(self.lang, metrics), "label")
        if isinstance(block, Table):
            self.table([c.header.text(self.lang, metrics) for c in block.columns],
                       [[(show(v, c.format, self.lang), _is_number(v))
                         for v, c in zip(row, block.columns, strict=True)] for row in block.rows])
        elif isinstance(block, HeatMap):
            self._heat_map(block)
        elif isinstance(block, Row):
            self._row(block, metrics)
        elif isinstance(block, Curve):
            self._curve(block)
        elif isinstance(block, Scatter):
            self._scatter(block)
        else:
            self._bars(block)
        legend = getattr(block, "legend", None)
        if legend:
            self.line(legend.text(self.lang, metrics), "quiet", indent=2)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[tuple[str, bool]]]) -> None:
        """A table of (text, is a number) cells; stacked when it cannot fit."""
        headers = [self._safe(h) for h in headers]
        body = [[(self._safe(text), number) for text, number in row] for row in rows]
        widths = _column_widths(headers, body, self.width - 1)
        if widths is None:
            self._stack(headers, body)
            return
        drawn = RichTable(box=_ASCII_HEAD if self.plain else SIMPLE_HEAD,
                          show_edge=False, pad_edge=False, padding=(0, 1, 0, 0),
                          leading=int(self.big), header_style=self.styles["label"])
        for i, (header, width) in enumerate(zip(headers, widths, strict=True)):
            number = all(row[i][1] for row in body) and bool(body)
            drawn.add_column("\n".join(wrap(header, width)), width=width, no_wrap=True,
                             justify="right" if number else "left")
        for row in body:
            drawn.add_row(*[Text("\n".join(wrap(text, width)))
                            for (text, _), width in zip(row, widths, strict=True)])
        self.console.print(drawn)

    def _stack(self, headers: Sequence[str], rows: Sequence[Sequence[tuple[str, bool]]]) -> None:
        label = min(max((cell_len(h) for h in headers[1:]), default=0), self.width // 2)
        for row in rows:
            self.line(row[0][0], "label", first=f"{headers[0]}: " if headers[0] else "")
            for header, (text, number) in zip(headers[1:], row[1:], strict=True):
                *above, last = wrap(header, label)
                for piece in above:
                    self.line(piece, indent=2)
                first = f"  {pad(last, label)}  "
                if number and cell_len(text) + cell_len(first) > self.width:
                    self.line(first.rstrip())
                    first = "    "                # a number stays whole, on its own line
                self.line(text, first=first)

    def _heat_map(self, block: HeatMap) -> None:
        values = [[show(v, block.format, self.lang) if v is not None else "" for v in row]
                  for row in block.values]
        rows = [self._safe(show(r, "", self.lang)) for r in block.rows]
        columns = [self._safe(show(c, "", self.lang)) for c in block.columns]
        widest = max([cell_len(v) for row in values for v in row] or [1])
        cell = max([widest, *[cell_len(c) for c in columns]]) + 1
        left = max([cell_len(r) for r in rows] or [0])
        if cell > widest + 1 and left + 1 + cell * len(columns) > self.width:
            if columns == rows:                 # words once, on the left; columns by number
                rows = [f"{i}  {row}" for i, row in enumerate(rows)]
            else:
                for i, name in enumerate(columns):
                    self.line(name, first=f"  {i} = ")
            columns = [str(i) for i in range(len(columns))]
            cell = max([widest, *[cell_len(c) for c in columns]]) + 1
        left = min(max([cell_len(r) for r in rows] or [0]), self.width // 3)
        rows = [_prefix(r, left) for r in rows]
        fit = max(1, (self.width - left - 1) // cell)
        for first in range(0, len(columns), fit):
            last = min(first + fit, len(columns))
            if len(columns) > fit:
                self.line(self.word("window", first=first + 1, last=last), "quiet")
            head = " " * left + " " + "".join(pad(c, cell, True) for c in columns[first:last])
            self.line(Text(head, style=self.styles["label"]))
            for name, shades, texts in zip(rows, block.values, values, strict=True):
                line = Text(pad(name, left) + " ")
                for value, text in zip(shades[first:last], texts[first:last], strict=True):
                    line.append(pad(text, cell, True), style=self._shade(value, block))
                self.line(line)

    def _row(self, block: Row, metrics: Any) -> None:
        gap, half = 4, (self.width - 4) // 2
        drawn = [self._caught(self.width, partial(self._heat_map, m)) for m in block.maps]
        beside = max(line.cell_len for lines in drawn for line in lines) <= half
        for i, heat_map in enumerate(block.maps):
            name = heat_map.title.text(self.lang, metrics) if heat_map.title else ""
            if name:
                drawn[i][:0] = self._caught(half if beside else self.width,
                                            partial(self.line, name, "label"))
        step = 2 if beside else 1
        for first in range(0, len(drawn), step):
            if first:
                self.line()
            left, right = drawn[first], [*drawn[first + 1:first + step], []][0]
            for one, two in zip_longest(left, right):
                line = one or Text()
                if two:
                    line.append(" " * (half + gap - line.cell_len)).append_text(two)
                self.line(line)

    def _caught(self, width: int, draw: Callable[[], None]) -> list[Text]:
        """The lines that draw would print at this width."""
        before, self.width, self._kept = self.width, width, []
        try:
            draw()
            return self._kept
        finally:
            self.width, self._kept = before, None

    def _shade(self, value: float | None, block: HeatMap) -> Style | None:
        if value is None or not self.shaded:
            return None
        step = shade(value, block.low, block.high)
        color = VIRIDIS[len(VIRIDIS) - 1 - step if self.light else step]
        return Style(color="#" + ink(color), bgcolor="#" + color)

    def _curve(self, block: Curve) -> None:
        height, left = 11, 9
        wide = max(10, min(self.width - left - 1, 72))
        drawn = [y for _, ys in block.series for y in ys if y is not None] or [0.0]
        low = block.low if block.low is not None else min(drawn)
        high = block.high if block.high is not None else max(drawn)
        span, reach = (high - low) or 1.0, (max(block.x) - min(block.x)) or 1.0
        grid = [[" "] * wide for _ in range(height)]
        for mark, (_, ys) in zip("abcdefgh", block.series, strict=False):
            for x, y in zip(block.x, ys, strict=True):
                if y is None:
                    continue
                column = round((x - min(block.x)) / reach * (wide - 1))
                row = round((1 - min(1.0, max(0.0, (y - low) / span))) * (height - 1))
                grid[row][column] = mark if grid[row][column] in (" ", mark) else "*"
        for mark, (name, _) in zip("abcdefgh", block.series, strict=False):
            self.line(name.text(self.lang), first=f"  {mark} = ")
        self.line(block.y_label.text(self.lang), "quiet")
        for i, marks in enumerate(grid):
            label = format(high - span * i / (height - 1), block.format) if i % 5 == 0 else ""
            self.line(Text(pad(label, left - 1, True) + "|" + "".join(marks).rstrip()))
        self.line(Text(" " * (left - 1) + "+" + "-" * wide))
        ends = f"{min(block.x):.4g}", f"{max(block.x):.4g}"
        self.line(Text(" " * left + ends[0] + pad(ends[1], wide - len(ends[0]), True)))
        self.line(block.x_label.text(self.lang), "quiet", indent=left)

    def _scatter(self, block: Scatter) -> None:
        height, left = 19, 9
        wide = max(10, min(self.width - left - 1, 62))
        xs, ys = [p[0] for p in block.points] or [0.0], [p[1] for p in block.points] or [0.0]
        x_span, y_span = (max(xs) - min(xs)) or 1.0, (max(ys) - min(ys)) or 1.0
        grid = [[" "] * wide for _ in range(height)]
        for x, y, mark in block.points:
            column = round((x - min(xs)) / x_span * (wide - 1))
            row = round((max(ys) - y) / y_span * (height - 1))
            grid[row][column] = mark if grid[row][column] in (" ", mark) else "*"
        names = [f"{mark} = {name.text(self.lang)}" for mark, name in block.classes.items()]
        if any("*" in row for row in grid):
            names.append(f"* = {self.word('several')}")
        key = ""
        for name in names:                                  # wrap between classes only
            if key and cell_len(key) + 3 + cell_len(name) > self.width - 2:
                self.line(key, indent=2)
                key = ""
            key += ("   " if key else "") + name
        self.line(key, indent=2)
        self.line(block.y_label.text(self.lang), "quiet")
        for i, marks in enumerate(grid):
            label = format(max(ys) - y_span * i / (height - 1), block.format) if i % 6 == 0 else ""
            self.line(Text(pad(label, left - 1, True) + "|" + "".join(marks).rstrip()))
        self.line(Text(" " * (left - 1) + "+" + "-" * wide))
        first, last = (format(x, block.format) for x in (min(xs), max(xs)))
        self.line(Text(" " * left + first + pad(last, wide - len(first), True)))
        self.line(block.x_label.text(self.lang), "quiet", indent=left)

    def _bars(self, block: Bars) -> None:
        labels = [self._safe(show(label, "", self.lang)) for label in block.labels]
        numbers = [show(v, block.format, self.lang) for v in block.values]
        left = min(max(cell_len(label) for label in labels), self.width // 2)
        right = max(cell_len(n) for n in numbers)
        wide = max(4, min(self.width - left - right - 4, 50))
        high = block.high if block.high is not None else max([*block.values, 0]) or 1.0
        glyph = "#" if self.plain else "█"
        for label, value, number in zip(labels, block.values, numbers, strict=True):
            *above, last = wrap(label, left)
            for piece in above:
                self.line(Text("  " + piece))
            filled = round(min(1.0, max(0.0, (value or 0) / high)) * wide)
            self.line(Text(f"  {pad(last, left)} {pad(number, right, True)} {glyph * filled}"))

    def _safe(self, text: str) -> str:
        return text.translate(PLAIN) if self.plain else text


def _is_number(value: Any) -> bool:
    value = value.value if isinstance(value, Num) else value
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _column_widths(headers: Sequence[str], rows: Sequence[Sequence[tuple[str, bool]]],
                   room: int) -> list[int] | None:
    """Widths that fit into room and cut no number; None where there are none."""
    natural, least, numeric = [], [], []
    for i, header in enumerate(headers):
        cells = [row[i] for row in rows]
        words = [w for text in (header, *(t for t, number in cells if not number))
                 for w in _UNIT.findall(text)]
        whole = [cell_len(text) for text, _ in cells]
        natural.append(max([cell_len(header), *whole]))
        longest = max([cell_len(w) for w in words], default=1)
        numbers = max([cell_len(t) for t, number in cells if number], default=0)
        least.append(max(numbers, min(longest, 16), 4 if words else 1))
        numeric.append(all(number for _, number in cells))
    widths, room = natural, room - 2 * (len(headers) - 1)
    while sum(widths) > room:
        # a header over numbers wraps first: words in the body are read more often
        slack = [(numeric[i] and w > least[i], w - least[i]) for i, w in enumerate(widths)]
        if max(gap for _, gap in slack) <= 0:
            return None
        widths[slack.index(max(slack))] -= 1
    return widths


def _encodes(stream: IO[str], text: str) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _room(stream: IO[str]) -> int:
    """The width to draw for: the terminal's, COLUMNS where it is set, else 80."""
    try:
        columns = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        columns = 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size(stream.fileno()).columns or 80
        except (OSError, ValueError, AttributeError, io.UnsupportedOperation):
            columns = 80
    return max(NARROWEST, min(columns, WIDEST))


class _Quiet(Console):
    """A console whose reader may leave (| head): the rest goes nowhere, exit code 0."""

    def on_broken_pipe(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


def _console(stream: IO[str], width: int, color: str) -> Console:
    """One factory: no markup (it eats [bos]), no emoji, an explicit size."""
    options: dict[str, Any] = {}
    if color == "never":
        options = {"color_system": None, "no_color": True}
    elif color == "always":
        deep = os.environ.get("COLORTERM", "") in ("truecolor", "24bit")
        options = {"color_system": "truecolor" if deep else "256", "no_color": False,
                   "force_terminal": True}
    # rich takes 80 columns of a dumb terminal unless the height is given too
    return _Quiet(file=stream, width=width, height=50, markup=False, emoji=False,
                   highlight=False, soft_wrap=False, legacy_windows=False, **options)


# --- the helpers a script of the lecture's own style uses ---------------------


def pct(part: float, whole: float) -> str:
    """part of whole in per cent: pct(1, 20) is "5.0%"."""
    return f"{part / whole:.1%}"


def print_header(title: str) -> None:
    """A title between two lines."""
    screen = Screen()
    screen.line()
    screen.header(title)


def print_table(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table of anything printable."""
    Screen().table([str(h) for h in headers],
                   [[(str(v), _is_number(v) or _looks_numeric(v)) for v in row] for row in rows])


def print_observations(observations: Iterable[str]) -> None:
    """Numbered sentences under a heading."""
    screen = Screen()
    screen.line()
    screen.line(screen.word("observations"), "label")
    for i, sentence in enumerate(observations, 1):
        screen.line(str(sentence), first=f"  {i}. ")


def _looks_numeric(value: Any) -> bool:
    return bool(re.fullmatch(r"-?\d[\d.,]*%?", str(value)))
