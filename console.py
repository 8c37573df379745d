"""How does a report become a readable screen, at any width, colour and language?

The only file that knows rich.  A block (table, heat map, curve, bars, text) comes
in as data and leaves as lines: column widths are worked out here, so that a number
is never cut; a table that cannot fit is stacked, one record after another; a heat
map that cannot fit is shown in windows.  Colour never carries meaning alone: every
heat-map cell holds its number, every verdict is a word.

Left out: pausing and asking (lecture/show/present.py), files (lecture/show/export.py).
"""

from __future__ import annotations

import copy
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
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.table import Table as RichTable
from rich.text import Text

from lecture.errors import harmless
from lecture.report import (
    LETTERS,
    Bars,
    Block,
    Curve,
    HeatMap,
    Paragraph,
    Part,
    Question,
    Result,
    Row,
    Scatter,
    Table,
    Verdict,
    formatted,
    is_figure,
    one_by_one,
    right_options,
    written,
)
from lecture.show.curves import colours, ends, last_rows, places, raster, seen
from lecture.show.words import (
    VIRIDIS,
    VIRIDIS_256,
    WORDS,
    ink,
    of_256,
    shade,
    verdict_word,
)

Cell = tuple[str, bool]                  # of a table: its text, and whether it is a number
WIDEST, NARROWEST = 100, 24              # text wider than a hand's span is not read
BIG = 64                                 # --big: fewer columns, for a large font
DEEPEST, HANG = 8, 4                     # no line begins further in; after a longer label here
LONG = 20                                # a label longer than this has a line of its own
# A screen that does not know its ground sets no colour of letters; only the verdict's word has one.
THEMES = ("dark", "light", "mono", "unknown")
_BOLD = {"title": "bold", "label": "bold", "ok": "bold", "bad": "bold reverse", "ask": "bold",
         "quiet": ""}
VERDICTS = {                             # (ok, bad); on white no green of the sixteen can be read
    ("dark", "deep"): ("bold color(78)", "bold color(210)"),
    ("dark", "standard"): ("bold bright_green", "bold bright_red"),
    ("light", "deep"): ("bold color(22)", "bold color(124)"),
    ("light", "standard"): ("bold", "bold red"),
}


def styles(theme: str, system: str | None) -> dict[str, str]:
    """The styles of a theme on a terminal of rich's color_system."""
    depth = "deep" if system in ("256", "truecolor") else "standard"
    ok, bad = VERDICTS.get((theme, depth), (_BOLD["ok"], _BOLD["bad"]))
    return {**_BOLD, "ok": ok, "bad": bad}


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
_NO_RULE = Box("    \n" * 8, ascii=True)
_ASCII_HEAD = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_WIDE = r"\u2e80-\u9fff\uff00-\uffef\u3000-\u303f“”‘’—…"         # a line may end after each
_OPEN, _CLOSE = "（「『“‘《", "，。、；：？！）」』”’…—》"
# what is never broken: a word or one Chinese character, with its brackets and stops; "< 1e-12"
_WORD = rf"[^\s{_WIDE}]"
_UNIT = re.compile(rf"\s+|[{_OPEN}]*(?:{_WORD}*< (?=1e-){_WORD}+|{_WORD}+|[{_WIDE}])[{_CLOSE}]*")


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


def wrap_after(text: str, width: int, used: int, indent: int) -> list[str]:
    """Lines of a text whose first begins after `used` cells, the others after indent."""
    first = wrap(text, max(8, width - used))[0]
    rest = text[len(first):].lstrip()
    return [first, *(wrap(rest, max(8, width - indent)) if rest else [])]


def _packed(options: Sequence[str], width: int) -> list[str]:
    """Options on one line where all fit, else one a line."""
    line = "   ".join(options)
    return [line] if cell_len(line) <= width else list(options)


def _prefix(text: str, width: int) -> str:
    taken = ""
    for character in text:
        if cell_len(taken + character) > width and taken:
            break
        taken += character
    return taken


def cut(text: str, width: int) -> str:
    """The text on one line of at most width cells; one that goes on ends in dots."""
    line = " ".join(text.split())
    return line if cell_len(line) <= width else _prefix(line, max(1, width - 3)).rstrip() + "..."


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
        self.lang, self.plain = lang, plain or not _encodes(stream, "═β→█▄")
        self.width = width or min(_columns(stream), BIG if big else WIDEST)
        self.big, self._asked = big, width
        self.theme, self.light = theme, theme == "light"
        self._kept: list[Text] | None = None
        self.console = _console(stream, self.width, color)
        self.styles = styles(theme, self.console.color_system)
        self.shaded = (theme != "mono" and self.console.color_system in ("256", "truecolor")
                       and not self.console.no_color)

    def onto(self, stream: IO[str], columns: int) -> Screen:
        """The same screen on another stream, as wide as so many columns allow."""
        other = copy.copy(self)
        widest = BIG if self.big else WIDEST
        other.width = max(NARROWEST, min(columns, self._asked or widest))
        other.console = _console(stream, other.width, self.console)
        return other

    def word(self, name: str, **fields: Any) -> str:
        """A word of the screen itself, in the screen's language."""
        return WORDS[name].text(self.lang, fields)

    def line(self, text: str | Text = "", style: str = "", indent: int = 0,
             first: str = "", first_style: str | None = None, hang: int | None = None) -> None:
        """Print text, wrapped; first stands before the first line only, in a style of its own
        where it has one.

        Further lines begin where the first line's text did, unless that is too far in; or at
        hang.
        """
        if isinstance(text, Text):
            self._put(text)
            return
        before = pad(self._safe(first), indent)
        lead = cell_len(before)
        if hang is None:
            hang = lead if lead <= DEEPEST else HANG
        text = self._safe(text)
        if lead > self.width // 2 and lead + cell_len(text) > self.width:
            self._put(Text(before.rstrip(), style=self.styles.get(first_style or style, "")))
            before, lead, first_style = " " * hang, hang, None
        pieces = (wrap(text, max(8, self.width - lead)) if lead == hang else
                  wrap_after(text, self.width, lead, hang))
        for i, piece in enumerate(pieces):
            start = before if i == 0 else " " * hang
            if first_style is not None and i == 0:
                self._put(Text().append(start, style=self.styles[first_style]).append(piece))
            else:
                self._put(Text((start + piece).rstrip(), style=self.styles.get(style, "")))

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

    def question(self, question: Question, asked: Any, mark: str = "",
                 format_of: Callable[[str], str] | None = None) -> None:
        """A vote: the prompt and its options, nothing about the answer.

        mark tells the questions of one part apart: "a", "b", …  The options stand on one
        line where they fit.
        """
        self.line()
        self.line(question.prompt.text(self.lang, asked, format_of),
                  first=f"{self.word('question')}{mark}  ", first_style="ask", hang=0)
        options = [f"{letter}  {self._safe(option.text.text(self.lang, asked, format_of))}"
                   for letter, option in zip(LETTERS, question.options, strict=False)]
        for line in _packed(options, self.width - 3):
            self.line(line, first="   ")

    def answer(self, question: Question, result: Result, mark: str = "") -> None:
        """The option the measurement chose, with its reason where the question gives one."""
        right = right_options(question, result.metrics)
        letters = " ".join(LETTERS[i] for i in right)
        label = f"{self.word('answer')}{mark} {letters}".rstrip()
        if not right:
            self.said(label, "ask", self.word("no_answer_yours" if result.own else "no_answer"))
        elif question.answer is None:
            self.said(label, "ask", "; ".join(
                question.options[i].text.text(self.lang, result.asked, result.part.format_of)
                for i in right))
        if question.answer:
            self.verdict(result.verdict(question.answer), result, label if right else None)

    def misconceptions(self, question: Question, result: Result) -> None:
        """What the wrong options mistake."""
        right = right_options(question, result.metrics)
        for i, option in enumerate(question.options):
            if option.misconception and i not in right:
                self.said(f"{LETTERS[i]}", "", result.text(option.misconception, self.lang))

    def code(self, modules: Sequence[Sequence[bool]]) -> list[Text]:
        """A QR code, dark modules True, as lines: two modules a cell; none where it has no room.

        Both grounds are set, so that it is dark on light whatever the screen is.  Without
        colours the letters' colour is the light one unless the ground is known to be light.
        """
        full = self.console.color_system in ("256", "truecolor") and not self.console.no_color
        styled = self.console.color_system is not None
        if self.plain or not styled:            # one module in two cells, without half blocks
            wide = [[m for m in row for _ in range(2)] for row in modules]
            pairs = [list(zip(row, row, strict=True)) for row in wide]
        else:
            even = [*modules, *([[False] * len(modules[0])] if len(modules) % 2 else [])]
            pairs = [list(zip(*even[i:i + 2], strict=True)) for i in range(0, len(even), 2)]
        if len(pairs[0]) > self.width or self.plain and not styled:
            return []
        return [Text.assemble(*(self._half(top, low, full, styled) for top, low in row))
                for row in pairs]

    def _half(self, top: bool, low: bool, full: bool, styled: bool) -> tuple[str, str]:
        """Two modules, one above the other, as a cell and its style."""
        if full:
            name = {True: "color(16)", False: "color(231)"}
            return " " if top == low else "▄", f"{name[low]} on {name[top]}"
        lit = [module == self.light for module in (top, low)]     # drawn in the letters' colour
        if lit[0] == lit[1]:
            if not styled:
                return "█" if lit[0] else " ", ""
            return " ", "reverse" if lit[0] else ""
        return "▄", "reverse" if lit[0] else ""

    def observations(self) -> None:
        """The head over the observations."""
        self.line()
        self.line(self.word("observations"), "label")

    def verdict(self, verdict: Verdict, result: Result, label: str | None = None) -> None:
        """One observation: verdict word, sentence, and the margin if it fails.

        label stands instead of the word where an answer holds.
        """
        word, style = verdict_word(verdict, result, self.lang)
        sentence = result.text(verdict.claim.text, self.lang)
        if verdict.holds and label:
            word, style = label, "ask"
            if verdict.claim.kind in ("recorded", "identity"):
                sentence = f"({self.word(verdict.claim.kind)}) {sentence}"
        elif not verdict.holds:
            margin = "n/a" if verdict.margin is None else f"{verdict.margin:.4g}"
            sentence += f" [{self.word('margin')} {margin}]"
            word = f"{label}: {word}" if label else word
        if self.big:
            self.line()
        self.said(word, style, sentence)

    def said(self, label: str, style: str, text: str, lead: str = "  ") -> None:
        """A label and a sentence; further lines begin below the sentence's usual place.

        What does not hold, or is told by a long label, is told on a line of its own.
        """
        start = f"{lead}{self._safe(label)}  "
        usual = len(lead) + cell_len(self.word("ok")) + 2
        if style == "bad" or cell_len(start) > LONG:
            for piece in wrap_after(start.strip(), self.width, len(lead), len(lead)):
                self._put(Text(lead).append(piece, style=self.styles.get(style, "")))
            start = ""
        if cell_len(start) == usual + 1:                    # REC: its sentence below OK's
            start = start[:-1]
        start = pad(start, usual)
        first, *rest = wrap_after(self._safe(text), self.width, cell_len(start), usual)
        self._put(Text().append(start, style=self.styles.get(style, "")).append(first))
        for piece in rest:
            self._put(Text(" " * usual + piece))

    def caveat(self, part: Part, result: Result, more: bool = False) -> None:
        """What the part does not show."""
        text = part.further if more else part.caveat
        if text:
            self.said(self.word("caveat"), "quiet", result.text(text, self.lang))

    # --- blocks ---

    def block(self, block: Block, metrics: Any,
              format_of: Callable[[str], str] | None = None, close: bool = False) -> None:
        """Draw one block; close leaves out the blank line before it."""
        if isinstance(block, Paragraph):
            for line in block.text.text(self.lang, metrics, format_of).split("\n"):
                self._typed(line)
            return
        if isinstance(block, HeatMap | Curve | Scatter) and block.page_only:
            return
        if not close:
            self.line()
        if block.title:
            self.line(block.title.text(self.lang, metrics, format_of), "label")
        if isinstance(block, Table):
            headers = [c.header.text(self.lang, metrics, format_of) for c in block.columns]
            groups, rows = self._cells(block, metrics, format_of)
            alike = [self._cells(one, metrics, format_of) for one in block.alike]
            self.table(headers, rows, groups, block.rule, alike)
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
            self.line(legend.text(self.lang, metrics, format_of), "quiet", indent=2)

    def _cells(self, block: Table, metrics: Any,
               format_of: Callable[[str], str] | None) -> tuple[list[str], list[list[Cell]]]:
        """What stands over the columns of a table, and in its rows."""
        groups = [self._safe(c.group.text(self.lang, metrics, format_of)) if c.group else ""
                  for c in block.columns]
        return groups, [[(self._safe(formatted(v, c.format, self.lang)), is_figure(v))
                         for v, c in zip(row, block.columns, strict=True)] for row in block.rows]

    def _typed(self, line: str) -> None:
        """A line that was typed with blanks before it, or after a label: it keeps them unless
        they lead too far in, and goes on below its text where it does not fit."""
        text = self._safe(line).lstrip(" ")
        deep = len(line) - len(line.lstrip(" "))
        lead = below = deep if deep <= DEEPEST else HANG
        label = re.match(r"\S+(?: \S+)*  +", text)
        if label and lead + cell_len(label[0]) <= LONG:
            below += cell_len(label[0])
        below = below if below <= DEEPEST else max(lead, HANG)
        start = Text(" " * lead)
        for piece in wrap_after(text, self.width, lead, below):
            self._put(start.append(piece))
            start = Text(" " * below)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[Cell]],
              groups: Sequence[str] = (), rule: bool = True,
              alike: Sequence[tuple[list[str], list[list[Cell]]]] = ()) -> None:
        """A table of (text, is a number) cells; stacked when it cannot fit.

        groups: the head over each column; neighbours of the same head share it.
        alike: groups and rows of the tables of these headers that stand near: all have their
        columns at the same places, so that the eye can go down.
        """
        headers = [self._safe(h) for h in headers]
        groups = [self._safe(g) for g in groups] or [""] * len(headers)
        body = [[(self._safe(text), number) for text, number in row] for row in rows]
        together = [row for _, other in alike for row in other] + body
        heads = [groups, *(other for other, _ in alike)]
        found = _fitting(headers, together, self.width, heads)
        if found is None and alike:                      # each by itself, rather than stacked
            together = body
            found = _fitting(headers, body, self.width, [groups])
        packs = _packs(headers, body, groups, self.width) if _crowded(found, body) else []
        for i, columns in enumerate(packs):
            if i:
                self.line()
            self.table([headers[c] for c in columns], [[row[c] for c in columns] for row in body],
                       [groups[c] for c in columns], rule)
        if packs:
            return
        if found is None:
            self._stack([f"{g} {h}".strip() for g, h in zip(groups, headers, strict=True)], body)
            return
        widths, gap = found
        if any(groups):
            self._put(Text(_group_line(groups, widths, gap, "-" if self.plain else "─"),
                           style=self.styles["label"]))
        box = _ASCII_HEAD if self.plain else SIMPLE_HEAD
        if not rule and any(headers):
            body.insert(0, [(h, n) for h, (_, n) in zip(headers, body[0], strict=True)])
        drawn = RichTable(box=box if rule else _NO_RULE, show_header=rule,
                          show_edge=False, pad_edge=False, padding=(0, gap - 1, 0, 0),
                          leading=int(self.big) if rule else 0, header_style=self.styles["label"])
        for i, (header, width) in enumerate(zip(headers, widths, strict=True)):
            number = all(row[i][1] for row in together) and bool(together)
            drawn.add_column("\n".join(wrap(header, width)), width=width, no_wrap=True,
                             justify="right" if number else "left")
        for row in body:
            drawn.add_row(*[Text("\n".join(wrap(text, width)))
                            for (text, _), width in zip(row, widths, strict=True)])
        self.console.print(drawn)

    def _stack(self, headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        label = min(max((cell_len(h) for h in headers[1:]), default=0), self.width // 2)
        for row in rows:
            self.line(row[0][0], "label", first=f"{headers[0]}: " if headers[0] else "")
            for header, (text, _) in zip(headers[1:], row[1:], strict=True):
                *above, last = wrap(header, label)
                for piece in above:
                    self.line(piece, indent=2)
                first = f"  {pad(last, label)}  "
                if cell_len(text) + cell_len(first) > self.width:     # a number stays whole
                    self.line(first.rstrip())
                    first = " " * HANG
                self.line(text, first=first)

    def _heat_map(self, block: HeatMap) -> None:
        masked = "." if self.plain else "·"
        values = [[formatted(v, block.format, self.lang) if v is not None else
                   masked if block.groups else "" for v in row] for row in block.values]
        rows = [self._safe(formatted(r, "", self.lang)) for r in block.rows]
        columns = [self._safe(formatted(c, "", self.lang)) for c in block.columns]
        widest = max([cell_len(v) for row in values for v in row] or [1])
        if block.groups:
            if not self._maps_beside(block, rows, columns, values):
                for i, one in enumerate(one_by_one(block)):
                    if i:
                        self.line()
                    self.line(one.title.text(self.lang) if one.title else "", "label")
                    self._heat_map(one)
            return
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

    def _maps_beside(self, block: HeatMap, rows: Sequence[str], columns: Sequence[str],
                     values: Sequence[Sequence[str]]) -> bool:
        """Several maps over the same rows, side by side; False where they do not fit."""
        left = max([cell_len(r) for r in rows] or [0]) + 1
        sizes = [max(cell_len(columns[i]), *(cell_len(v[i]) for v in values)) + 1
                 for i in range(len(columns))]
        gap, at, spans = 3, 0, []
        for head, count in block.groups:
            spans.append((self._safe(head.text(self.lang)), at, at + count))
            at += count
        if left + sum(sizes) + gap * (len(spans) - 1) > self.width:
            return False
        heads, names = " " * left, Text(" " * left)
        for i, (title, first, last) in enumerate(spans):
            heads += (" " * gap if i else "") + pad(title, sum(sizes[first:last]))
            names.append(" " * gap if i else "")
            names.append("".join(pad(columns[j], sizes[j], True) for j in range(first, last)))
        self.line(Text(heads.rstrip(), style=self.styles["label"]))
        self.line(Text(names.plain, style=self.styles["label"]))
        for name, shades, texts in zip(rows, block.values, values, strict=True):
            line = Text(pad(name, left))
            for i, (_, first, last) in enumerate(spans):
                line.append(" " * gap if i else "")
                for j in range(first, last):
                    line.append(pad(texts[j], sizes[j], True), style=self._shade(shades[j], block))
            self.line(line)
        return True

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
        step = len(VIRIDIS) - 1 - step if self.light else step
        if self.console.color_system == "256":
            number = VIRIDIS_256[step]
            return Style(color="#" + ink(of_256(number)), bgcolor=Color.from_ansi(number))
        color = VIRIDIS[step]
        return Style(color="#" + ink(color), bgcolor="#" + color)

    def _curve(self, block: Curve) -> None:
        height, left = 11, 9
        low, high = ends(block)
        span = (high - low) or 1.0
        tints = self._tints(len(block.series))
        endings = last_rows(block, height) if tints else {}
        edge = 1 + max(map(len, endings.values()), default=0) if tints else 1
        wide = max(10, min(self.width - left - edge, 72))
        for i, (mark, (name, _)) in enumerate(zip(LETTERS.lower(), block.series, strict=False)):
            self._named(f"{mark} = ", name.text(self.lang), tints[i] if tints else None)
        self.line(block.y_label.text(self.lang), "quiet")
        drawn = self._half_blocks(block, tints, wide, height) if tints else [
            Text("".join(marks)) for marks in self._lettered(block, wide, height)]
        for i, marks in enumerate(drawn):
            label = written(high - span * i / (height - 1), block.format) if i % 5 == 0 else ""
            line = Text(pad(label, left - 1, True) + "|").append_text(marks)
            line.append("".join([" ", *(LETTERS[n].lower() for n in endings.get(i, ()))]))
            line.rstrip()
            self.line(line)
        self.line(Text(" " * (left - 1) + "+" + "-" * wide))
        first, last = f"{min(block.x):.4g}", f"{max(block.x):.4g}"
        self.line(Text(" " * left + first + pad(last, wide - len(first), True)))
        self.line(block.x_label.text(self.lang), "quiet", indent=left, hang=left)

    def _tints(self, series: int) -> list[Style]:
        """A colour for each series where the screen has colours and knows its ground."""
        if self.plain or self.console.no_color or not self.console.color_system:
            return []
        depth = "deep" if self.console.color_system in ("256", "truecolor") else "standard"
        return [Style.parse(c) for c in colours(self.theme, depth, series)]

    def _named(self, first: str, name: str, tint: Style | None) -> None:
        """One line of a curve's key: a swatch where there are colours, the letter, the name."""
        if tint is None:
            self.line(name, first=f"  {first}")
            return
        swatch = Text("  ").append("▄▄", style=tint).append(f" {first}")
        one, *rest = wrap_after(self._safe(name), self.width, swatch.cell_len, HANG)
        self.line(swatch.append(one))
        for piece in rest:
            self.line(Text(" " * HANG + piece))

    def _half_blocks(self, block: Curve, tints: Sequence[Style], wide: int,
                     height: int) -> list[Text]:
        """Rows of cells, two points each; a point above alone is the lower half reversed, which
        leaves the other half the terminal's own ground."""
        points = raster(block, wide, height)
        rows = []
        for top, low in zip(points[::2], points[1::2], strict=True):
            line = Text()
            for column in range(wide):
                one, other = seen(top[column], column), seen(low[column], column)
                if one is not None and other is not None:
                    line.append("▄", style=Style(color=tints[other].color,
                                                 bgcolor=tints[one].color))
                elif other is not None:
                    line.append("▄", style=tints[other])
                elif one is not None:
                    line.append("▄", style=tints[one] + Style(reverse=True))
                else:
                    line.append(" ")
            rows.append(line)
        return rows

    def _lettered(self, block: Curve, wide: int, height: int) -> list[list[str]]:
        """Rows of letters, one where a series has a number; * where several have."""
        grid = [[" "] * wide for _ in range(height)]
        for mark, (_, ys) in zip(LETTERS.lower(), block.series, strict=False):
            for place in places(block, ys, wide, height):
                if place is not None:
                    column, row = place
                    grid[row][column] = mark if grid[row][column] in (" ", mark) else "*"
        return grid

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
            label = written(max(ys) - y_span * i / (height - 1), block.format) if i % 6 == 0 else ""
            self.line(Text(pad(label, left - 1, True) + "|" + "".join(marks).rstrip()))
        self.line(Text(" " * (left - 1) + "+" + "-" * wide))
        first, last = (written(x, block.format) for x in (min(xs), max(xs)))
        self.line(Text(" " * left + first + pad(last, wide - len(first), True)))
        self.line(block.x_label.text(self.lang), "quiet", indent=left, hang=left)

    def _bars(self, block: Bars) -> None:
        labels = [self._safe(formatted(label, "", self.lang)) for label in block.labels]
        numbers = [formatted(v, block.format, self.lang) for v in block.values]
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
        text = harmless(text)                       # a model's own words may hold anything
        return text.translate(PLAIN) if self.plain else text


def _spans(groups: Sequence[str]) -> list[tuple[str, int, int]]:
    """Heads over neighbouring columns: (head, first column, last column)."""
    spans: list[tuple[str, int, int]] = []
    for i, head in enumerate(groups):
        if head and spans and spans[-1][0] == head and spans[-1][2] == i - 1:
            spans[-1] = (head, spans[-1][1], i)
        elif head:
            spans.append((head, i, i))
    return spans


def _group_line(groups: Sequence[str], widths: Sequence[int], gap: int, dash: str) -> str:
    """Each head over its columns, filled up with dashes."""
    line = ""
    for head, first, last in _spans(groups):
        line = pad(line, sum(widths[:first]) + gap * first)
        over = sum(widths[first:last + 1]) + gap * (last - first)
        line += f"{head} " + dash * (over - cell_len(head) - 1)
    return line


def _fitting(headers: Sequence[str], rows: Sequence[Sequence[Cell]], room: int,
             heads: Sequence[Sequence[str]]) -> tuple[list[int], int] | None:
    """Widths that fit into room, and the gap between; None where there are none.

    heads: what stands over the columns, of each table that shares them.
    """
    for gap in (2, 1) if any(map(any, heads)) else (2,):     # heads keep the groups apart
        widths = _column_widths(headers, rows, room, heads, gap)
        if widths is not None:
            return widths, gap
    return None


def _crowded(found: tuple[list[int], int] | None, rows: Sequence[Sequence[Cell]]) -> bool:
    """Is there no room for a table, or so little that its rows take three lines and more?"""
    if found is None:
        return True
    lines = sum(max(len(wrap(text, width)) for (text, _), width in zip(row, found[0], strict=True))
                for row in rows)
    return lines > 2 * len(rows)


def _packs(headers: Sequence[str], rows: Sequence[Sequence[Cell]], groups: Sequence[str],
           room: int) -> list[list[int]]:
    """The columns of a table too wide, as tables of as many groups as fit side by side, the
    first columns before each; none where there are no groups or one alone is too wide."""
    spans = _spans(groups)
    if not spans:
        return []
    key = list(range(max(1, spans[0][1])))
    inside = {c: (first, last) for _, first, last in spans for c in range(first, last + 1)}
    pieces = dict.fromkeys(inside.get(c, (c, c)) for c in range(len(key), len(headers)))
    packs: list[list[int]] = []
    for first, last in pieces:
        piece = list(range(max(first, len(key)), last + 1))
        for columns in ([*packs[-1], *piece] if packs else [], [*key, *piece]):
            body = [[row[c] for c in columns] for row in rows]
            fits = _fitting([headers[c] for c in columns], body, room,
                            [[groups[c] for c in columns]]) if columns else None
            if not _crowded(fits, body):
                break
        if fits is None:
            return []
        packs[-1:] = [columns] if packs and columns[:len(packs[-1])] == packs[-1] \
            else [*packs[-1:], columns]
    return packs if len(packs) > 1 else []


def _column_widths(headers: Sequence[str], rows: Sequence[Sequence[Cell]],
                   room: int, heads: Sequence[Sequence[str]] = (),
                   gap: int = 2) -> list[int] | None:
    """Widths that fit into room and cut no number; None where there are none."""
    spans = [span for groups in heads for span in _spans(groups)]
    natural, least, numeric = [], [], []
    for i, header in enumerate(headers):
        cells = [row[i] for row in rows]
        words = [w for text in (header, *(t for t, number in cells if not number))
                 for w in _UNIT.findall(text)]
        whole = [cell_len(text) for text, _ in cells]
        natural.append(max([cell_len(header), *whole]))
        longest = max([cell_len(w) for w in words], default=1)
        numbers = max([cell_len(t) for t, number in cells if number], default=0)
        least.append(max(numbers, min(longest, 16), 4 if words and gap == 2 else 1))
        numeric.append(all(number for _, number in cells))
    for head, first, last in spans:
        short = cell_len(head) + 2 - sum(natural[first:last + 1]) - gap * (last - first)
        natural[last] += max(0, short)
        least[last] = max(least[last], natural[last] if short > 0 else 0)
    widths, room = natural, room - gap * (len(headers) - 1)
    while sum(widths) > room:
        # a header over numbers wraps first: words in the body are read more often
        slack = [(numeric[i] and w > least[i], w - least[i]) for i, w in enumerate(widths)]
        if max(gap for _, gap in slack) <= 0:
            return None
        widths[slack.index(max(slack))] -= 1
    if any(sum(widths[first:last + 1]) + gap * (last - first) < cell_len(head) + 1
           for head, first, last in spans):
        return None
    return widths


def _encodes(stream: IO[str], text: str) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _columns(stream: IO[str]) -> int:
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


def _console(stream: IO[str], width: int, color: str | Console) -> Console:
    """One factory: no markup (it eats [bos]), no emoji, an explicit size.

    color: always, never, auto, or a console whose colours are to be had here too.
    """
    options: dict[str, Any] = {}
    if isinstance(color, Console):
        options = {"color_system": color.color_system, "no_color": color.no_color,
                   "force_terminal": color.color_system is not None}
    elif color == "never":
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
    if not whole:
        raise ValueError(f"a part of nothing has no share: pct({part}, {whole})")
    return f"{part / whole:.1%}"


def print_header(title: str) -> None:
    """A title between two lines."""
    screen = Screen()
    screen.line()
    screen.header(title)


def print_table(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table of anything printable."""
    Screen().table([str(h) for h in headers],
                   [[(str(v), is_figure(v) or _looks_numeric(v)) for v in row] for row in rows])


def print_observations(observations: Iterable[str]) -> None:
    """Numbered sentences under a heading."""
    screen = Screen()
    screen.line()
    screen.line(screen.word("observations"), "label")
    for i, sentence in enumerate(observations, 1):
        screen.line(str(sentence), first=f"  {i}. ")


def _looks_numeric(value: Any) -> bool:
    return bool(re.fullmatch(r"-?\d[\d.,]*%?", str(value)))
