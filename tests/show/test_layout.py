"""Where do lines and columns begin?  Nothing far in, and alike tables one below the other."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator

import pytest
from wcwidth import wcswidth

from console import DEEPEST, Screen
from demos import REGISTRY
from lecture.quantities import blocks_of, lead_of
from lecture.report import LANGUAGES, Paragraph, Result, Table, run
from lecture.show import glossary
from lecture.show.deck import Deck, stops_of
from lecture.show.export import errata_document
from lecture.show.present import Show, open_demo, scenes, show_errata, show_notes

SIZES = (60, 80, 120)


def drawn(draw: Callable[[Screen], None], lang: str, width: int) -> list[str]:
    stream = io.StringIO()
    draw(Screen(stream, lang=lang, width=width, color="never"))
    return stream.getvalue().splitlines()


def indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


@pytest.fixture(scope="module")
def results() -> dict[str, list[Result]]:
    """Every part with its usual settings."""
    return {entry.code: [run(part) for part in entry.parts()] for entry in REGISTRY}


@pytest.fixture
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A screen that draws no tables, maps and curves: their columns are no indents."""
    usual = Screen.block

    def block(self: Screen, block, *rest, **named) -> None:
        if isinstance(block, Paragraph):
            usual(self, block, *rest, **named)

    monkeypatch.setattr(Screen, "block", block)


def pieces(entry, found: list[Result]) -> Iterator[Callable[[Screen], None]]:
    """All that is written of a demo: everything, notes and errata too."""
    yield lambda s: open_demo(Show(entry, s, {}, more=True), entry.opening())
    for result in found:
        for scene in scenes(Show(entry, Screen(io.StringIO()), {}, more=True), result):
            yield scene.draw
        for question in result.part.questions:
            yield lambda s, q=question, r=result: s.misconceptions(q, r)
    yield lambda s: show_notes(entry, [r.part for r in found], s)
    for lang in LANGUAGES:
        document = errata_document(entry, found, lang)
        if document:
            yield lambda s, d=document: show_errata(entry, d, s)


@pytest.mark.usefixtures("words_alone")
def test_no_line_begins_more_than_eight_columns_in(results) -> None:
    deepest = {}
    for entry in REGISTRY:
        for draw in pieces(entry, results[entry.code]):
            for lang in LANGUAGES:
                for width in SIZES:
                    for line in drawn(draw, lang, width):
                        assert wcswidth(line) <= width
                        deepest[indent(line)] = line
    assert max(deepest) <= DEEPEST, deepest[max(deepest)]
    assert max(deepest) == DEEPEST                  # 通过, and two blanks on either side


@pytest.mark.usefixtures("words_alone")
@pytest.mark.parametrize("width", SIZES)
def test_nor_does_what_is_shown_besides_the_demos(width: int) -> None:
    entry = REGISTRY[3]
    made = Deck(stops_of(Show(entry, Screen(lang="en"), {}), entry.parts(), entry.opening()),
                Screen(lang="en"), start=1)
    made.set("beta=3")
    for lang in LANGUAGES:
        for draw in (made._help, made._overview, made._settings, made._waiting,
                     lambda s: glossary.draw(glossary.TERMS, s)):
            for line in drawn(draw, lang, width):
                assert indent(line) <= DEEPEST and wcswidth(line) <= width, line
    made.close()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_does_not_hold_is_told_on_a_line_of_its_own(lang: str) -> None:
    """The longest label: a verdict with its settings; the sentence begins where all do."""
    part = REGISTRY[3].parts()[3]
    result = run(part, {"beta": 0.5})
    failed = [v for v in result.verdicts() if not v.holds]
    assert failed
    for width in (60, 80):
        for verdict in failed:
            label, *rest = drawn(lambda s, v=verdict: s.verdict(v, result), lang, width)
            assert "beta=0.5" in label and label == label.rstrip() and indent(label) == 2
            assert {indent(line) for line in rest} == {8 if lang == "zh" else 6}
        for question in part.questions:
            lines = drawn(lambda s, q=question: s.answer(q, result), lang, width)
            assert max(map(indent, lines)) <= DEEPEST


# --- tables -------------------------------------------------------------------------


def heads(lines: list[str]) -> list[str]:
    """The lines of a drawn table's heads, and the rule below them; none of a stacked one."""
    at = next((i for i, line in enumerate(lines) if re.fullmatch("─+", line)), 0)
    return lines[:at + 1] if at else []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_tables_of_the_same_columns_have_them_at_the_same_places(results, lang: str) -> None:
    """Their heads are the same lines, to the blank, in every part of every demo."""
    shared = 0
    for found in results.values():
        for result in found:
            seen: dict[tuple[str, ...], list[str]] = {}
            m, part = result.metrics, result.part
            for block in (*lead_of(part, m), *blocks_of(part, m)):
                if not isinstance(block, Table) or not block.rule:
                    continue
                bare = [c.header.text(lang, m, part.format_of) for c in block.columns]
                groups, rows = Screen(lang=lang)._cells(block, m, part.format_of)
                alike = [Screen(lang=lang)._cells(b, m, part.format_of) for b in block.alike]
                lines = drawn(lambda s, b=bare, r=rows, a=alike, g=groups:
                              s.table(b, r, g, True, a), lang, 80)
                now = heads(lines[any(groups):])
                before = seen.setdefault((*bare,), now)
                assert now == before, (part.key, before, now)
                shared += now is not before
    assert shared > 3


def test_a_table_too_wide_for_both_keeps_its_own_widths() -> None:
    """Together they would have to be stacked; each by itself is a table."""
    one = [[("a" * 14, False), ("1", True)]]
    other = [[("b", False), ("1" * 14, True)]]
    stream = io.StringIO()
    screen = Screen(stream, width=24, color="never")
    screen.table(["x", "y"], one, (), True, [(["", ""], other)])
    assert heads(stream.getvalue().splitlines())
    both = io.StringIO()
    Screen(both, width=32, color="never").table(["x", "y"], one, (), True, [(["", ""], other)])
    first = both.getvalue().splitlines()[0]
    assert first == "x" + " " * 28 + "y"              # 14, two blanks, 14: the other's width
