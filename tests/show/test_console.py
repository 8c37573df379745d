"""What a person sees: widths in cells, no number cut, colours that carry nothing alone."""

from __future__ import annotations

import io
import re

import pytest
from wcwidth import wcswidth

from console import Screen, pad, pct, print_observations, print_table, wrap
from lecture.report import Bars, Column, Curve, HeatMap, Num, T, Table, formatted
from lecture.show.words import VIRIDIS, WORDS, luminance, of_256

ANSI = re.compile(r"\x1b\[[0-9;]*m")
HEADERS = ("query 查询", "锐利度 β", "对颜色的权重", "对数字的权重", "对地点的权重",
           "对颜色加数字的权重", "取回的值")
ROWS = [["又像颜色又像数字", 10.0, 0.98201379, 3.2958368, 0.0, 1234567.0, 39.1166]]


def drawn(block, **options) -> str:
    stream = io.StringIO()
    Screen(stream, **({"lang": "zh", "width": 80, "color": "never"} | options)).block(block, {})
    return stream.getvalue()


def wide_table() -> Table:
    return Table(tuple(Column(T(h, h), ".7f") for h in HEADERS), ROWS)


@pytest.mark.parametrize("width", [24, 40, 60, 80, 120, 200])
def test_k23_no_number_is_ever_cut(width: int) -> None:
    """CASES K-23: seven columns, Chinese headings, at any width: numbers whole."""
    text = drawn(wide_table(), width=width)
    for number in ("0.9820138", "3.2958368", "1234567.0000000", "39.1166000"):
        assert number in text
    assert "…" not in text
    assert max(wcswidth(line) for line in text.splitlines()) <= width


def test_k24_cells_are_counted_not_characters() -> None:
    """CASES K-24: a combining accent is one cell, an emoji two, 首都：北京 ten."""
    for text, cells in (("中国", 4), ("首都：北京", 10), ("🙂", 2), ("e\u0301", 1)):
        assert wcswidth(pad(text, 12)) == 12
        assert wcswidth(text) == cells
    lines = drawn(HeatMap([[0.1, 0.2], [0.3, 0.4]], ["中国", "首都：北京"], ["中国", "b"]))
    body = [line for line in lines.splitlines() if "0." in line]
    assert len({wcswidth(line) for line in body}) == 1


def test_wrap_keeps_every_character_and_never_starts_with_a_stop() -> None:
    text = "表中有 3 行（共 5% 的数）：其余的留给课后去算，别忘了把单位写上，Hello, world。"
    for width in range(8, 90):
        lines = wrap(text, width)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert all(wcswidth(line) <= width for line in lines)
        if width >= 16:
            assert not any(line[:1] in "，。）：" for line in lines)


def test_markup_is_text() -> None:
    """rich would eat [bos] and turn :100: into a picture; [/] would raise."""
    text = drawn(Table((Column(T("词", "token")),), [["[bos]"], ["[/]"], [":100:"], ["[red]"]]))
    for token in ("[bos]", "[/]", ":100:", "[red]"):
        assert token in text


def test_a_heat_map_is_windowed_and_numbered() -> None:
    words = [f"word{i}" for i in range(14)]
    values = [[0.5] * 14 for _ in range(14)]
    text = drawn(HeatMap(values, words, words), width=60)
    assert all(wcswidth(line) <= 60 for line in text.splitlines())
    assert text.count("0.50") == 14 * 14
    assert "13  word13" in text


@pytest.mark.parametrize("depth", ["truecolor", ""])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_heat_map_colours_rise_and_can_be_read(theme: str, depth: str, monkeypatch) -> None:
    monkeypatch.setenv("COLORTERM", depth)                  # else 256 colours
    scale = [luminance(color) for color in VIRIDIS]
    assert scale == sorted(scale)
    screen = Screen(io.StringIO(), width=80, color="always", theme=theme)
    block = HeatMap([[0.0]], ["a"], ["b"])
    for i in range(101):
        style = screen._shade(i / 100, block)
        assert (style.bgcolor.triplet is None) == (depth == "")
        back = style.bgcolor.triplet.hex[1:] if depth else of_256(style.bgcolor.number)
        text = style.color.triplet.hex[1:]
        high, low = sorted((luminance(back), luminance(text)), reverse=True)
        assert (high + .05) / (low + .05) >= 4.5, (i, back, text)        # WCAG 2.1, 1.4.3


def test_without_colour_everything_is_still_there() -> None:
    block = HeatMap([[0.25, 0.75]], ["a"], ["b", "c"])
    coloured = drawn(block, color="always")
    assert ANSI.search(coloured) and not ANSI.search(drawn(block))
    assert ANSI.sub("", coloured) == drawn(block)


def test_curve_and_bars_show_their_numbers() -> None:
    curve = drawn(Curve([0, 1, 2], [(T("甲", "one"), [0.0, 0.5, 1.0])], T("步", "step"),
                        T("损失", "loss")))
    assert "0.00" in curve and "1.00" in curve and curve.count("a") >= 4
    bars = drawn(Bars(["a", "b"], [0.25, 1.0]))
    short, long = (line for line in bars.splitlines() if "█" in line)
    assert 3 <= long.count("█") / short.count("█") <= 5
    assert "0.25" in short


def test_show_formats_what_a_cell_holds() -> None:
    assert formatted(-0.0001, ".2f", "en") == "0.00"
    assert formatted(None, ".2f", "en") == "-"
    assert formatted(True, "", "zh") == "是"
    assert formatted(Num(0.5, ".0%"), ".2f", "en") == "50%"
    assert formatted(1234567, ",", "en") == "1,234,567"
    assert formatted(-1e-17, "+.2f", "en") == formatted(1e-17, "+.2f", "en") == "+0.00"


def test_k50_a_difference_below_its_floor_is_shown_as_such() -> None:
    for noise in (0.0, 8e-15, -9e-15, 9.9e-13):
        assert formatted(noise, ".0e<1e-12", "zh") == "< 1e-12"
        assert T("差 {x:.2g<1e-12}", "off by {x:.2g<1e-12}").text("en", {"x": noise}) \
            == "off by < 1e-12"
    assert formatted(2e-12, ".0e<1e-12", "en") == "2e-12"
    assert formatted(-0.25, ".2f<1e-9", "en") == "-0.25"
    for width in range(9, 60):                  # and it stays on one line
        lines = wrap("the largest difference of the two (by layer) is (< 1e-12), rounding", width)
        assert any("< 1e-12" in line for line in lines)


def test_pct_and_the_helpers_of_the_lecture(capsys: pytest.CaptureFixture[str]) -> None:
    assert pct(1, 20) == "5.0%" and pct(1.0, 1) == "100.0%"
    print_table(["模型", "准确率"], [["[full]", "100.0%"]])
    print_observations(["第一", "第二"])
    text = capsys.readouterr().out
    assert "[full]" in text and "1. 第一" in text and "2. 第二" in text


def test_words_of_the_screen_are_in_both_languages() -> None:
    for name, word in WORDS.items():
        assert word.zh and word.en, name
        (word.zh + word.en).encode("gbk")
    assert WORDS["ok"].en == "OK" and WORDS["false"].en == "NOT REPRODUCED"
