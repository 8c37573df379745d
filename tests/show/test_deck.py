"""The deck without a terminal: every slide of every demo at three sizes, and its paging."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth

from console import Screen
from demos import REGISTRY
from lecture.show.deck import Deck, Place, paged, stops_of
from lecture.show.present import Show

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def deck(code: str, size: tuple[int, int], lang: str = "zh", more: bool = False) -> Deck:
    entry = next(e for e in REGISTRY if e.code == code)
    screen = Screen(lang=lang, color="always")
    showing = Show(entry, screen, {}, more=more)
    made = Deck(stops_of(showing, entry.parts(), entry.opening()), screen)
    made.size = lambda: size
    return made


def settle(made: Deck) -> None:
    """Wait for the part that is shown."""
    made.compute(made.at.stop)
    if made.stop.part is not None:
        made._results[made.at.stop][0].result()


@pytest.mark.parametrize("code", [entry.code for entry in REGISTRY])
def test_every_slide_fits_every_window(code: str, monkeypatch) -> None:
    """Walked from the title to the end: nothing is wider or taller, nothing is left out."""
    monkeypatch.setenv("LECTURE_DATA_DIR", "/dev/null/x")
    for size, lang in (((60, 20), "zh"), ((80, 24), "en"), ((120, 40), "zh")):
        made = deck(code, size, lang)
        seen: list[str] = []
        settle(made)
        while True:
            text = ANSI.sub("", made.text())
            lines = text.split("\n")
            assert len(lines) <= size[1]
            assert all(wcswidth(line) <= size[0] for line in lines), (code, size, lines)
            assert wcswidth(made.status()) <= size[0]
            seen.append(text)
            if not made.next():
                break
            settle(made)
        whole = "\n".join(seen)
        for part in made.stop.showing.entry.parts():
            assert part.title.text(lang)[:6] in whole
        for claim in (c for p in made.stop.showing.entry.parts() for c in p.claims if not c.more):
            word = claim.text.text(lang).split("{")[0][:4]
            assert word in whole.replace("\n", "")
        made.close()


def test_back_is_the_screen_before_wherever_that_was(monkeypatch) -> None:
    monkeypatch.setenv("LECTURE_DATA_DIR", "/dev/null/x")
    made = deck("04", (80, 24))
    trail: list[tuple[Place, str]] = []
    for _ in range(9):
        settle(made)
        trail.append((made.at, made.text()))
        made.next()
    made.jump("12.2")
    assert made.stop.place == "12.2"
    made.jump("4")
    assert made.stop.place == "12.4"
    made.jump("05")
    assert made.stop.place == "05" and made.stop.part is None
    for _ in range(3):
        made.back()
    for place, text in reversed(trail):
        made.back()
        settle(made)
        assert (made.at, made.text()) == (place, text)
    made.close()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["", "a", "word"]), max_size=60), st.integers(1, 30))
def test_pages_hold_every_line_once_and_none_is_too_tall(lines: list[str], rows: int) -> None:
    pages = paged(lines, rows)
    assert all(len(page) <= rows for page in pages)
    assert [x for page in pages for x in page if x] == [x for x in lines if x]
    assert all(pages[1:]) and all(page[0] for page in pages[1:])
