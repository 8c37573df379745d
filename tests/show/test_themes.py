"""Can every letter be read on the ground it stands on, and is that ground asked for?"""

from __future__ import annotations

import io

import pytest
from rich.color import Color
from rich.style import Style

from console import THEMES, Screen, styles
from lecture.show import play, terminal
from lecture.show.words import luminance
from tests.terminal import Terminal

# the sixteen colours as terminals paint them: VGA, xterm, the Windows console
PALETTES = {
    "vga": "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa "
           "555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    "xterm": "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 "
             "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    "windows": "0c0c0c c50f1f 13a10e c19c00 0037da 881798 3a96dd cccccc "
               "767676 e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 f2f2f2",
}
GROUNDS = {"dark": "000000", "light": "ffffff"}


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + .05) / (low + .05)


def painted(color: Color, system: str, palette: str) -> str:
    """The colour as a terminal of this kind paints it, rrggbb."""
    if system == "standard":
        shown = PALETTES[palette].split()
        return shown[color.number]
    return color.get_truecolor().hex[1:]


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
