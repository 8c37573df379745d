"""The pictures: one file a block and kind, in both languages, whole, the same bytes twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from demos import find
from lecture.errors import SetupProblem
from lecture.quantities import blocks_of
from lecture.report import Bars, Curve, HeatMap, Part, Result, T, flat
from lecture.show import figures
from lecture.show.present import results
from tests.conftest import missing


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_picture_is_written(tmp_path, lang: str) -> None:
    if lang == "zh" and figures.chinese_family() is None:
        with pytest.raises(SetupProblem, match="no installed font"):
            figures.draw(find("4")[0], [], tmp_path, lang)
        missing("no font has Chinese words here: that this is said was tried, the "
                "pictures were not (apt-get install fonts-noto-cjk)")
    entry = find("4")[0]
    found = list(results(entry.parts()[2:4], {}, None))
    blocks = [b for r in found for b in flat(blocks_of(r.part, r.metrics)) if figures._drawn(b)]
    paths = figures.draw(entry, found, tmp_path / "a", lang)
    assert len(paths) == 2 * len(blocks) >= 4
    for path in paths:
        content = path.read_bytes()
        assert content[:4] == b"\x89PNG" if path.suffix == ".png" else b"<svg" in content
    again = figures.draw(entry, found, tmp_path / "b", lang)
    assert [p.read_bytes() for p in paths] == [p.read_bytes() for p in again]


LONG = T("题", "A title that goes on and on, as some do, " * 5)
NAME = T("名", "the name of a line that is longer than anybody would like")
BLOCKS = [
    Curve([0.0, 1.0], [(NAME, [0.0, 1.0]), (NAME, [1.0, 1.0])], NAME, NAME, LONG, low=0.0,
          high=1.0),
    HeatMap([[0.5, None]], ["a row with a long name"], ["a long column", "another long column"],
            LONG),
    Bars([NAME, "b"], [0.25, 1.0], LONG)]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: type(b).__name__)
def test_nothing_is_cut_at_the_edge(tmp_path, block) -> None:
    """The outermost dots of the picture are white: no word and no line runs out of it."""
    import matplotlib.image

    part = Part(1, "p", NAME, lambda seed: {}, lambda m: [block], (), (), {}, NAME)
    paths = figures.draw(find("4")[0], [Result(part, {}, {}, 0, False)], tmp_path, "en")
    dots = matplotlib.image.imread(paths[0])[..., :3]
    rim = [dots[:6], dots[-6:], dots[:, :6], dots[:, -6:]]
    assert all((edge == 1.0).all() for edge in rim)
    assert (dots < 0.5).any()
    said = paths[1].read_text(encoding="utf-8")
    assert said.count("<!-- A title that goes") == 1


def test_a_line_at_the_frame_is_inside_it() -> None:
    """Both ends of the axes lie outside the numbers, so that a line at 0 or 1 is seen whole."""
    plt, _ = figures._matplotlib("en")
    figure = figures._figure(plt, replace(BLOCKS[0], low=0.0, high=1.0), {}, "en")
    plt.close(figure)
    for low, high in (figure.axes[0].get_xlim(), figure.axes[0].get_ylim()):
        assert low < 0.0 and high > 1.0


# --- Chinese fonts -------------------------------------------------------------------


class Manager:
    """Stands for matplotlib's list of fonts: what it knew, and what it reads when told."""

    def __init__(self, known: dict[str, str], readable: dict[str, str]) -> None:
        from types import SimpleNamespace

        self.entry = SimpleNamespace
        self.ttflist = [SimpleNamespace(name=n, fname=f) for n, f in known.items()]
        self.readable = readable

    def addfont(self, path: str) -> None:
        if path not in self.readable:
            raise RuntimeError("not a font")
        self.ttflist.append(self.entry(name=self.readable[path], fname=path))


@pytest.mark.parametrize(("known", "found"), [
    ({"Noto Sans CJK SC": "here.ttc"}, "Noto Sans CJK SC"),           # as it should be
    ({}, "WenQuanYi Zen Hei"),                                        # the list is older
    ({"Noto Sans CJK SC": "gone.ttc"}, "WenQuanYi Zen Hei"),          # the list names what is gone
])
def test_a_list_of_fonts_that_is_out_of_date(monkeypatch, tmp_path, known, found) -> None:
    from matplotlib import font_manager

    for name in ("here.ttc", "wqy.ttc", "broken.ttf"):
        (tmp_path / name).touch()
    files = [str(tmp_path / name) for name in ("broken.ttf", "wqy.ttc")]
    manager = Manager({name: str(tmp_path / file) for name, file in known.items()},
                      {files[1]: "WenQuanYi Zen Hei"})
    monkeypatch.setattr(font_manager, "fontManager", manager)
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: files)
    assert figures.chinese_family() == found


def test_a_font_of_another_name_is_known_by_its_characters(monkeypatch, tmp_path) -> None:
    from matplotlib import font_manager

    for name in ("a.ttf", "b.ttf"):
        (tmp_path / name).touch()
    manager = Manager({}, {str(tmp_path / "a.ttf"): "Latin", str(tmp_path / "b.ttf"): "Some Hei"})
    monkeypatch.setattr(font_manager, "fontManager", manager)
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: list(manager.readable))
    monkeypatch.setattr(figures, "_has_chinese", lambda path: path.endswith("b.ttf"))
    assert figures.chinese_family() == "Some Hei"


def test_no_font_is_two_lines(monkeypatch, tmp_path) -> None:
    from matplotlib import font_manager

    monkeypatch.setattr(font_manager, "fontManager", Manager({}, {}))
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [str(tmp_path / "none.ttf")])
    with pytest.raises(SetupProblem) as caught:
        figures.draw(find("4")[0], [], tmp_path, "zh")
    assert "font" in caught.value.what and "--lang en" in caught.value.todo


def test_a_font_is_asked_for_its_characters() -> None:
    """matplotlib's own DejaVu has Latin and no Chinese; a file that is no font has none."""
    import matplotlib

    assert not figures._has_chinese(f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans.ttf")
    assert not figures._has_chinese(__file__)
