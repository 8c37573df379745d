"""The pictures: one file a block and kind, in both languages, the same bytes twice."""

from __future__ import annotations

import pytest

from demos import find
from lecture.errors import SetupProblem
from lecture.quantities import blocks_of
from lecture.report import flat
from lecture.show import figures
from lecture.show.present import results
from tests.conftest import missing


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_picture_is_written(tmp_path, lang: str) -> None:
    if lang == "zh":
        from matplotlib import font_manager

        names = {f.name for f in font_manager.fontManager.ttflist}
        if not names & set(figures.CHINESE):
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


def test_no_font_is_two_lines(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(figures, "CHINESE", ("no such family",))
    with pytest.raises(SetupProblem) as caught:
        figures.draw(find("4")[0], [], tmp_path, "zh")
    assert "font" in caught.value.what and "--lang en" in caught.value.todo
