"""Where do lines and columns begin?  Nothing far in, and alike tables one below the other."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from wcwidth import wcswidth

from console import DEEPEST, Screen
from demos import REGISTRY
from lecture.quantities import blocks_of, lead_of
from lecture.report import LANGUAGES, Column, Paragraph, Result, T, Table, run
from lecture.show import glossary
from lecture.show.deck import Deck, stops_of
from lecture.show.export import errata_document
from lecture.show.present import Show, open_demo, scenes, show_errata, show_notes
from lecture.show.words import verdict_word

SIZES = (60, 80, 120)


def drawn(draw: Callable[[Screen], None], lang: str, width: int) -> list[str]:
    stream = io.StringIO()
    draw(Screen(stream, lang=lang, width=width, color="never"))
    return stream.getvalue().splitlines()


def indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


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
        for draw in pieces(entry, [results(part) for part in entry.parts()]):
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
            assert label == f"  {verdict_word(verdict, result, lang)[0]}" and "beta=0.5" in label
            assert {indent(line) for line in rest} == {8 if lang == "zh" else 6}
        for question in part.questions:
            lines = drawn(lambda s, q=question: s.answer(q, result), lang, width)
            assert max(map(indent, lines)) <= DEEPEST


def test_every_sentence_begins_where_ok_has_its_own(results) -> None:
    """Whatever the verdict's word, OK, REC or =: one column down the screen."""
    for lang, column in (("zh", 8), ("en", 6)):
        seen = set()
        for entry in (REGISTRY[3], REGISTRY[5]):
            for result in map(results, entry.parts()):
                for verdict in result.verdicts():
                    line = drawn(lambda s, v=verdict, r=result: s.verdict(v, r), lang, 80)[0]
                    word = line.split()[0]
                    at = next(i for i in range(len(line)) if wcswidth(line[:i]) == column)
                    assert line[at] != " " and line[at - 1] == " ", line
                    seen.add(word)
        assert len(seen) == 3


# --- tables -------------------------------------------------------------------------


def heads(lines: list[str]) -> list[str]:
    """The lines of a drawn table's heads, and the rule below them; none of a stacked one."""
    at = next((i for i, line in enumerate(lines) if re.fullmatch("─+", line)), 0)
    return lines[:at + 1] if at else []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_tables_of_the_same_columns_have_them_at_the_same_places(results, lang: str) -> None:
    """Their heads are the same lines, to the blank, in every part of every demo."""
    shared = 0
    for part in (part for entry in REGISTRY for part in entry.parts()):
        seen: dict[tuple[str, ...], list[str]] = {}
        m = results(part).metrics
        for block in (*lead_of(part, m), *blocks_of(part, m)):
            if not isinstance(block, Table) or not block.rule:
                continue
            block = replace(block, title=None, legend=None)
            bare = tuple(c.header.text(lang, m, part.format_of) for c in block.columns)
            lines = drawn(lambda s, b=block, p=part, m=m: s.block(b, m, p.format_of, close=True),
                          lang, 80)
            now = heads(lines[any(c.group for c in block.columns):])
            before = seen.setdefault(bare, now)
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


def grouped(cells: str = "0.12") -> Table:
    """Two columns before, three groups of two, one column after."""
    heads = [("name", ""), ("n", ""), ("x", "one"), ("y", "one"), ("x", "two"), ("y", "two"),
             ("x", "three"), ("y", "three"), ("sum", "")]
    return Table(tuple(Column(T(h, h), group=T(g, g) if g else None) for h, g in heads),
                 [["first row", 1, *[cells] * 7], ["second row", 2, *[cells] * 7]])


@pytest.mark.parametrize("width", [28, 40, 50, 60])
def test_a_grouped_table_too_wide_is_several_with_the_first_columns_before_each(width) -> None:
    lines = drawn(lambda s: s.block(grouped("0.12345"), {}), "en", width)
    text = "\n".join(lines)
    count = sum(line.startswith("───") for line in lines)
    assert count > 1 and text.count("first") == text.count("second") == count
    assert all(re.search(rf"\b{head} ─", text) for head in ("one", "two", "three"))
    assert text.count("0.12345") == 14 and ":" not in text          # nothing lost, none stacked
    assert max(map(wcswidth, lines)) <= width


def test_a_group_too_wide_by_itself_is_stacked() -> None:
    lines = drawn(lambda s: s.block(grouped("0.1234567890"), {}), "en", 24)
    assert "name: first row" in lines and not any("─" in line for line in lines)


def test_no_scene_is_empty(results) -> None:
    """What only the page draws is no scene: it would be a blank slide."""
    for entry in REGISTRY:
        for part in entry.parts():
            for scene in scenes(Show(entry, Screen(io.StringIO()), {}, more=True), results(part)):
                if scene.kind != "caveat":
                    assert "".join(drawn(scene.draw, "en", 80)).strip(), (part.key, scene.name)
