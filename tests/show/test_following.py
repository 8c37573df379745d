"""The notes in a second terminal, and the minutes planned."""

from __future__ import annotations

import io
import os
import re
import time

import pytest

from console import Screen
from demos import REGISTRY, find
from lecture.show import following
from tests.terminal import Terminal


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LECTURE_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(following, "_told", None)
    return tmp_path


@pytest.mark.parametrize("entry", REGISTRY, ids=lambda e: e.code)
def test_the_minutes_planned_are_those_of_the_notes(entry) -> None:
    parts = entry.parts()
    assert len(entry.minutes) == len(parts)
    for part, minutes in zip(parts, entry.minutes, strict=True):
        assert re.search(rf"About {minutes} minutes\b", part.notes.en), part.key
        assert re.search(rf"约\s*{minutes}\s*分钟", part.notes.zh), part.key


def test_who_shows_is_followed_part_by_part(folder) -> None:
    parts = find("04")[0].parts()
    stream = io.StringIO()
    seen: list[str] = []
    turns = iter([("04", parts[0]), ("04", parts[0]), ("04", parts[1]), ("04", None)])

    def waits() -> bool:
        seen.append(stream.getvalue())
        turn = next(turns, None)
        if turn is None:
            return False
        following.tell(*turn, {f"04.{parts[0].key}": 2.0, f"04.{parts[1].key}": 4.6})
        return True

    following.follow(find("04"), Screen(stream, lang="en", width=80, color="never"), waits)
    assert "Nobody shows 04" in seen[0]
    assert parts[0].notes.en[:20] in seen[1].replace("\n", " ")
    assert "2 minutes on this part, 7" in seen[1]
    assert seen[1] == seen[2]                             # nothing new: nothing drawn
    assert parts[1].notes.en[:20] in seen[3][len(seen[2]):].replace("\n", " ")


def test_who_is_gone_or_shows_another_demo_is_not_followed(folder) -> None:
    following.tell("04", None, {})
    assert following.latest(("04",)) and not following.latest(("05",))
    path = next(folder.glob("showing-*.json"))
    old = time.time() - 60
    os.utime(path, (old, old))
    assert following.latest(("04",)) is None
    for junk in ("", "[]", "{}", '{"demo": 4}'):
        path.write_text(junk)
        assert following.latest() is None
    following.end()
    assert not list(folder.glob("showing-*"))


def test_what_a_killed_showing_left_goes_with_the_next(folder, monkeypatch) -> None:
    for name, age in (("showing-1.json", 2 * following.OLD), ("showing-2.json", 0)):
        (folder / name).write_text("{}")
        os.utime(folder / name, (time.time() - age,) * 2)
    following.tell("04", None, {})
    left = {path.name for path in folder.glob("showing-*.json")}
    assert left == {"showing-2.json", f"showing-{os.getpid()}.json"}
    following.end()


def test_two_terminals(folder) -> None:
    notes = Terminal("notes", "04", "--follow", data=folder)
    notes.until("Nobody shows 04")
    room = Terminal("demo", "04", "--step", "--from", "2", data=folder)
    room.until("04.2")
    notes.until("04.2", "8 minutes planned")
    room.send("3\r", "04.3")
    notes.until("04.3", "6 minutes planned")
    room.send("q")
    assert room.ended() == 0
    assert not list(folder.glob("showing-*"))
    notes.send("\x03")
    assert notes.ended() == 130
