"""Does a chart show all it has, and say what it shows?  By numbers drawn at random, then by
every curve of every demo, on the page, in a picture, in Markdown and in words."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from demos import REGISTRY
from lecture.quantities import blocks_of, lead_of
from lecture.report import LANGUAGES, Bars, Curve, HeatMap, Scatter, T, flat, formatted, written
from lecture.show import charts, figures, handout, page

FEW = settings(max_examples=60, deadline=None)
REAL = st.floats(-1e7, 1e7, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6)


# --- ticks ----------------------------------------------------------------------------


@FEW
@given(REAL, REAL, st.sampled_from([4, 5, 6, 8]))
def test_ticks_are_one_two_or_five(a: float, b: float, most: int) -> None:
    low, high = min(a, b), max(a, b)
    assume(high - low > 1e-6 * max(abs(low), abs(high)))
    found = charts.ticks(low, high, most)
    values = [value for value, _ in found]
    assert 2 <= len(values) <= most + 2
    assert low - 1e-6 * (high - low) <= values[0] < values[-1] <= high + 1e-6 * (high - low)
    steps = [y - x for x, y in zip(values, values[1:], strict=False)]
    assert steps == pytest.approx([steps[0]] * len(steps), rel=1e-6)
    power = 10 ** math.floor(math.log10(steps[0]) + 1e-6)
    assert min(abs(steps[0] / power - digit) for digit in (1, 2, 5)) < 1e-3


@pytest.mark.parametrize(("low", "high", "most", "texts"), [
    (0, 1, 6, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    (0, 303, 4, ["0", "100", "200", "300"]),
    (75.75, 303, 4, ["100", "200", "300"]),
    (-1, 1, 5, ["-1.0", "-0.5", "0.0", "0.5", "1.0"]),
    (0, 2e-5, 4, ["0", "5e-06", "1e-05", "1.5e-05", "2e-05"]),
    (9.5, 11.5, 5, ["9.5", "10.0", "10.5", "11.0", "11.5"]),
])
def test_ticks_by_hand(low, high, most, texts) -> None:
    assert [text for _, text in charts.ticks(low, high, most)] == texts


def test_shares_are_written_as_shares_and_counts_stay_whole() -> None:
    assert [t for _, t in charts.ticks(0, 1, 5, percent=True)] == [
        "0%", "20%", "40%", "60%", "80%", "100%"]
    assert [t for _, t in charts.ticks(1, 3, 8, whole=True)] == ["1", "2", "3"]


@given(st.text(st.sampled_from("ab中文 ，。"), max_size=60), st.integers(4, 20))
def test_wrapping_loses_nothing(text: str, width: int) -> None:
    lines = charts.wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(charts.cells(line) <= max(width + 12, 1) for line in lines)


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(10, 30)), max_size=8))
def test_names_stand_apart_and_in_order(wanted) -> None:
    wanted.sort()
    tall = [float(high) for _, high in wanted]
    tops = charts.apart([at for at, _ in wanted], tall, 0.0, max(100.0, sum(tall)))
    for top, high, after in zip(tops, tall, [*tops[1:], math.inf], strict=False):
        assert top >= -1e-6 and top + high <= max(100.0, sum(tall)) + 1e-6
        assert top + high <= after + 1e-6


# --- in words --------------------------------------------------------------------------

NUMBER = r"(-?[\d.]+(?:e[+-]\d+)?)"


@FEW
@given(st.lists(st.one_of(st.none(), st.integers(-99, 99).map(lambda n: n / 10)), min_size=2,
                max_size=8))
def test_what_is_said_of_a_line_is_what_its_numbers_are(ys) -> None:
    block = Curve([float(i) for i in range(len(ys))], [(T("甲", "one"), ys)], T("步", "steps"),
                  T("值", "value"), format=".1f")
    said = charts.told(block, "en").removeprefix("Line chart: value, along steps. one: ")
    known = [(x, y) for x, y in enumerate(ys) if y is not None]
    numbers = [float(n) for n in re.findall(NUMBER + r"(?![\d])", said.rstrip("."))]
    if not known:
        assert said == "no numbers."
        return
    (x0, first), (x1, last) = known[0], known[-1]
    only = [y for _, y in known]
    if len(set(only)) == 1:
        assert numbers == [first, x0, x1]
        return
    assert numbers[:4] == [first, x0, last, x1]
    rises, falls = only == sorted(only), only == sorted(only, reverse=True)
    assert ("never falling" in said, "never rising" in said) == (rises, falls)
    if not rises and not falls:
        highest, top, lowest, bottom = numbers[4:]
        assert (highest, lowest) == (max(only), min(only))
        assert ys[int(top)] == highest and ys[int(bottom)] == lowest


def test_what_is_said_of_a_cloud() -> None:
    block = Scatter([(0.0, 1.0, "A"), (2.0, -1.0, "A"), (5.0, 5.0, "B")],
                    {"A": T("甲", "one"), "B": T("乙", "two")}, T("横", "x"), T("纵", "y"),
                    format=".0f")
    assert charts.told(block, "en") == (
        "3 points: x across, y up. one: 2, from 0 to 2 across, from -1 to 1 up. "
        "two: 1, from 5 to 5 across, from 5 to 5 up.")
    assert "甲：2 个，横从 0 到 2" in charts.told(block, "zh")


# --- every chart of every demo -------------------------------------------------------------


@pytest.fixture(scope="module")
def drawn(results):
    """(part's name, block) of everything that is drawn in any demo, page-only ones too."""
    found = []
    for entry in REGISTRY:
        for part in entry.parts():
            metrics = results(part).metrics
            found += [(f"{entry.code}.{part.number}", block)
                      for source in (lead_of, blocks_of) for block in flat(source(part, metrics))
                      if isinstance(block, Curve | Scatter | HeatMap | Bars)]
    return found


def classes(css: str) -> dict[str, tuple[str, str]]:
    """Of every line's class its colour and its dash."""
    return {name: (color, dash or "") for name, color, dash in
            re.findall(r"\.(s\d)\{stroke:([^;}]+)(?:;stroke-dasharray:([^}]+))?\}", css)}


def test_ten_lines_are_told_apart_by_colour_and_dash_and_mark() -> None:
    css = (page.TEMPLATES / "page.css.j2").read_text(encoding="utf-8")
    looks = classes(css)
    assert len(looks) == charts.SERIES == 10
    assert len({color for color, _ in looks.values()}) == 10
    assert len({dash for _, dash in looks.values()}) == 10
    assert len(set(charts.MARKS)) == 10
    assert len(set(figures.COLORS)) == len(set(map(str, figures.LINES))) == 10
    assert len(set(figures.SHAPES)) == 10
    for scheme in re.findall(r":root\{(--bg.*?)\}", css, re.S):
        shades = re.findall(r"--s\d:(#\w+)", scheme)
        assert len(shades) == len(set(shades)) == 10, scheme


def test_every_curve_on_the_page_has_its_lines_and_their_names(drawn) -> None:
    """As many visible, named lines as the data has, at both sizes, in both languages; no name
    on another, none outside the sheet."""
    curves = [(where, block) for where, block in drawn if isinstance(block, Curve)]
    assert len(curves) >= 10 and max(len(block.series) for _, block in curves) >= 6
    for where, block in curves:
        data = charts.curve(block)
        names = [name for name, ys in block.series if any(y is not None for y in ys)]
        assert len(names) <= charts.SERIES, where
        for size in data["sizes"]:
            seen = {line["number"] for line in size["lines"] if line["path"] or line["marks"]}
            assert len(seen) == len(names), (where, size["kind"])
            for lang in LANGUAGES:
                ends = [end for end in size["ends"] if end["lang"] == lang]
                assert sorted("".join(row["text"] for row in end["rows"]).replace(" ", "")
                              for end in ends) == sorted(
                    "".join(name.text(lang).split()) for name in names), where
                rows = sorted(row["y"] for end in ends for row in end["rows"])
                assert all(b - a >= 12 for a, b in zip(rows, rows[1:], strict=False)), where
                assert rows[0] >= 10 and rows[-1] <= size["height"], where
                assert all(end["x"] + charts.length(row["text"]) <= size["width"] + 1
                           for end in ends for row in end["rows"]), (where, size["kind"])
        for lang in LANGUAGES:
            assert all(" ".join(name.text(lang).split()) in " ".join(data["told"][lang].split())
                       for name in names)


def test_every_curve_in_a_picture_has_its_lines_and_their_names(drawn) -> None:
    plt, _ = figures._matplotlib("en")
    for where, block in drawn:
        if isinstance(block, Curve):
            axes = figures._curve(plt, block, "en").axes[0]
            plt.close(axes.figure)
            shown = [line for line in axes.lines if any(y == y for y in line.get_ydata())]
            names = [name.en for name, ys in block.series if any(y is not None for y in ys)]
            assert [line.get_label() for line in shown] == names, where
            assert sorted("".join(t.get_text().split()) for t in axes.texts) == sorted(
                "".join(name.split()) for name in names), where
            looks = {(line.get_color(), str(line._dash_pattern)) for line in shown}
            assert len(looks) == len(shown), where
            low, high = axes.get_ylim()
            assert all(low < y < high for line in shown for y in line.get_ydata() if y == y), where


def test_markdown_has_every_point_or_says_which(drawn) -> None:
    for where, block in drawn:
        if not isinstance(block, Curve):
            continue
        text = "\n".join(handout._chart(charts.curve(block), "en"))
        rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
        many = len(block.x)
        each = -(-many // handout.LISTED)
        assert (f"one in {each} is" in text) == (each > 1), where
        chosen = [i for i in range(many) if i % each == 0 or i == many - 1]
        assert len(rows) == len(chosen) and 0 < len(rows) <= handout.LISTED + 1
        for i, row in zip(chosen, rows, strict=True):
            cells = [cell.strip() for cell in row.replace("\\", "").strip("|").split("|")]
            assert cells == [f"{block.x[i]:.6g}", *(
                "-" if ys[i] is None else written(ys[i], block.format)
                for _, ys in block.series)], where


def test_every_map_is_square_and_marks_what_is_masked(drawn) -> None:
    maps = [(where, block) for where, block in drawn if isinstance(block, HeatMap)]
    assert any(value is None for _, block in maps for row in block.values for value in row)
    assert any(charts.dense(block) for _, block in maps)
    for where, block in maps:
        data = page._heat_map(block)
        texts = [[cell["text"] for cell in row["cells"]] for row in data["rows"]]
        assert texts == [["·" if v is None else formatted(v, block.format, "en") for v in row]
                         for row in block.values], where
        assert data["cell"] >= .55 * max(len(t) for row in texts for t in row), where
        longest = max(charts.cells(formatted(c, "", lang)) for c in block.columns
                      for lang in LANGUAGES)
        assert data["slanted"] or longest * .6 <= data["cell"], where
        if data["picture"]:
            squares = [(step, path) for step, path in data["picture"]["paths"]]
            counted = {step: path.count("M") for step, path in squares}
            steps = [cell["step"] for row in data["rows"] for cell in row["cells"]]
            assert counted == {step: steps.count(step) for step in set(steps)}, where


def test_bars_hold_their_share_even_beyond_the_given_end() -> None:
    rows = page._bars(Bars(["a", "b"], [0.5, 2.0], high=1.0))["rows"]
    assert [row["share"] for row in rows] == [25.0, 100.0]


# --- running text ----------------------------------------------------------------------------


def test_no_word_of_a_paragraph_is_lost_and_none_invented(results) -> None:
    """Lines broken for 80 columns are joined on the page: the same characters, blanks apart."""
    kinds = set()
    for entry in REGISTRY:
        blocks = list(entry.opening())
        texts = [block.text.text(lang) for block in blocks for lang in LANGUAGES]
        for part in entry.parts():
            result = results(part)
            for source in (lead_of, blocks_of):
                texts += [result.text(block.text, lang)
                          for block in source(part, result.metrics) if hasattr(block, "text")
                          for lang in LANGUAGES]
        for text in texts:
            lines = page.lines_of(text)
            kinds |= {line["kind"] for line in lines}
            assert "".join((line.get("head", "") + line["text"]) for line in lines).replace(
                " ", "") == "".join(text.split()), text
    assert kinds == {"text", "code", "item"}


def test_lines_by_hand() -> None:
    text = ("Two questions\n  1  What is it?\nSources  Vaswani et al. 2017 (formula);\n"
            "         Olsson et al. 2022.\nA sentence that was\nbroken. So:\n    a = b   c\nEnd.")
    assert [(line["kind"], line.get("head", ""), line["text"])
            for line in page.lines_of(text)] == [
        ("text", "", "Two questions"), ("item", "1", "What is it?"),
        ("item", "Sources", "Vaswani et al. 2017 (formula); Olsson et al. 2022."),
        ("text", "", "A sentence that was broken. So:"), ("code", "", "a = b   c"),
        ("text", "", "End.")]
    assert page.joined("（残差", "流）") == "（残差流）" and page.joined("a", "b") == "a b"
