"""Can every letter be read on the ground it stands on, and is that ground asked for?"""

from __future__ import annotations

import io
import re

import pytest
from rich.color import Color
from rich.style import Style

from console import THEMES, Screen, styles
from demos import REGISTRY
from lecture.quantities import blocks_of, lead_of
from lecture.report import HeatMap
from lecture.show import play, terminal
from lecture.show.curves import SERIES
from lecture.show.present import draw
from lecture.show.words import WORDS
from tests import contrast as measured
from tests.contrast import EYES, GROUNDS, PALETTES, contrast, painted
from tests.terminal import Terminal


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("system", ["standard", "256", "truecolor"])
@pytest.mark.parametrize("theme", GROUNDS)
def test_every_style_can_be_read_on_its_ground(theme: str, system: str, palette: str) -> None:
    for name, text in styles(theme, system).items():
        style = Style.parse(text)
        assert style.bgcolor is None and not style.reverse or name == "bad"
        if style.color is not None:
            rgb = painted(style.color, system, palette)
            assert contrast(rgb, GROUNDS[theme]) >= 4.5, (name, text, rgb)
            assert name in ("ok", "bad")                 # only the verdict's word is coloured


def test_curves_can_be_seen_and_told_apart() -> None:
    """On their ground as letters can; from one another for every eye, in every depth."""
    pairs = list(measured.curves())
    assert len(pairs) == len(GROUNDS) * 3 * (1 + len(EYES))
    for pair in pairs:
        if pair.what.endswith("ground"):
            assert pair.least >= 4.5, pair
        else:
            assert pair.least >= (.1 if pair.what.endswith("all cones") else .05), pair
    assert min(map(len, SERIES.values())) >= 4


def test_the_contrast_table_has_every_pair_and_none_too_low() -> None:
    rows = [line.split(" | ") for line in measured.table().splitlines()[2:]]
    assert len(rows) > 40 and {row[1] for row in rows} == set(GROUNDS)
    for what, _, _, least, _ in rows:
        lowest = 1.1 if "step" in what else .05 if "from" in what else 4.5
        assert float(least) >= lowest, what


def test_only_the_verdict_is_green_and_no_curve_is(results) -> None:
    """Whatever is written in the verdict's colour, in a whole demo, is a verdict's word."""
    words = {WORDS[name].text(lang) for name in ("ok", "identity", "recorded")
             for lang in ("zh", "en")}
    for entry in (REGISTRY[3], REGISTRY[11]):
        found = [results(part) for part in entry.parts()]
        for theme, code in (("dark", "78"), ("light", "22")):
            for lang in ("zh", "en"):
                stream = io.StringIO()
                draw(entry, found, Screen(stream, lang, 80, "always", theme), True,
                     entry.opening())
                pieces = re.findall(r"\x1b\[([0-9;]*)m([^\x1b]*)", stream.getvalue())
                green = [text.strip() for codes, text in pieces if f"38;5;{code}" in codes]
                assert set(green) <= words and len(green) > 20
                inked = [text for codes, text in pieces
                         if re.search(r"38;[25];", codes) and "48;" not in codes
                         and f"38;5;{code}" not in codes]
                assert all(set(text) <= {"▄"} for text in inked)
    for color in (Color.parse(c) for several in SERIES.values() for c in several):
        for palette in PALETTES:
            system = "standard" if (color.number or 0) < 16 else "256"
            red, green, blue = (int(painted(color, system, palette)[i:i + 2], 16)
                                for i in (0, 2, 4))
            assert not (green > 1.2 * red and green > 1.2 * blue), color


def test_a_masked_cell_is_blank_or_a_dot_and_has_no_shade(results) -> None:
    """In every map of every demo; and no weight that a causal mask hides is given as 0."""
    masked = 0
    for entry in REGISTRY:
        for result in map(results, entry.parts()):
            for block in (*lead_of(result.part, result.metrics),
                          *blocks_of(result.part, result.metrics)):
                if not isinstance(block, HeatMap):
                    continue
                hidden = sum(v is None for row in block.values for v in row)
                masked += hidden
                stream = io.StringIO()
                made = Screen(stream, "en", 200, "always", "dark")
                assert made._shade(None, block) is None
                made.block(block, result.metrics)
                if block.groups:
                    assert stream.getvalue().count("·") >= hidden
                for first, last in spans(block):
                    weights = [row[first:last] for row in block.values]
                    if all(sum(v or 0 for v in row) == pytest.approx(1) for row in weights):
                        above = [v for i, row in enumerate(weights) for v in row[i + 1:]]
                        assert set(above) != {0}, (entry.code, result.part.key)
    assert masked >= 15                              # the triangle of 04.3


def spans(block: HeatMap) -> list[tuple[int, int]]:
    """The square maps of a block, as first and last column."""
    ends = [0]
    for _, count in block.groups or ((None, len(block.columns)),):
        ends.append(ends[-1] + count)
    return [(a, b) for a, b in zip(ends, ends[1:], strict=False) if b - a == len(block.rows) > 2]


def test_without_a_known_ground_no_letter_has_a_colour() -> None:
    for theme in ("mono", "unknown"):
        for system in ("standard", "256", "truecolor", None):
            assert all(Style.parse(s).color is None for s in styles(theme, system).values())


@pytest.mark.parametrize(("answer", "light"), [
    ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;c", True), ("\x1b]11;rgb:0/0/0\x07\x1b[?6c", False),
    ("\x1b]11;rgba:fd/f6/e3/ff\x1b\\\x1b[?1;2c", True), ("\x1b]11;rgb:1e1e/1e1e/2e2e\x07", False),
    ("\x1b[?1;2c", None), ("", None), ("q\x1b[?1;2c", None), ("\x1b]11;rgb:zz/0/0\x07", None)])
def test_the_ground_is_read_from_the_answer(monkeypatch, answer: str, light) -> None:
    monkeypatch.setattr(terminal, "can_be_asked", lambda: True)
    monkeypatch.setattr(terminal, "talk", lambda *words: answer)
    monkeypatch.delenv("COLORFGBG", raising=False)
    assert terminal.is_light() is light


@pytest.mark.parametrize(("told", "light"), [("0;15", True), ("15;0", False),
                                             ("0;default;7", True), ("junk", None)])
def test_colorfgbg_speaks_where_the_terminal_does_not(monkeypatch, told: str, light) -> None:
    monkeypatch.setattr(terminal, "can_be_asked", lambda: True)
    monkeypatch.setattr(terminal, "talk", lambda *words: "")
    monkeypatch.setenv("COLORFGBG", told)
    assert terminal.is_light() is light


def test_a_real_terminal_is_asked_and_its_answer_decides() -> None:
    for answer, green in (("ffff/ffff/ffff", "38;5;22m"), ("0000/0000/0000", "38;5;78m")):
        room = Terminal("demo", "04", "--part", "1", rows=90)
        room.screen.write_process_input = lambda data: None      # the answer is ours
        while "\x1b]11;?" not in room.raw:
            assert room.read()
        room.child.send(f"\x1b]11;rgb:{answer}\x1b\\\x1b[?62c")
        room.until("Answer C")
        assert room.ended() == 0
        assert green in room.raw and "rgb:" not in room.text


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
def test_option_before_environment_before_terminal(monkeypatch, theme: str) -> None:
    def asked() -> None:
        pytest.fail("asked a terminal that nobody wanted asked")

    monkeypatch.setattr(terminal, "is_light", asked)
    monkeypatch.setenv("LECTURE_THEME", theme)
    made = play.open_screen("en", 80, "always", "auto", False)
    assert made.light == (theme == "light") and made.shaded == (theme != "mono")
    monkeypatch.setenv("LECTURE_THEME", "mono" if theme != "mono" else "dark")
    made = play.open_screen("en", 80, "always", theme, False)
    assert made.light == (theme == "light") and made.shaded == (theme != "mono")


def test_a_screen_of_any_theme_says_the_same_words() -> None:
    for theme in THEMES:
        stream = io.StringIO()
        Screen(stream, color="always", theme=theme, lang="en").header("title")
        assert "title" in stream.getvalue()
