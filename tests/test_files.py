"""Is a file replaced whole, or not at all?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lecture.files import write_whole


def test_text_and_bytes_arrive_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    write_whole(path, "词\r\nword\n")
    assert path.read_bytes() == "词\r\nword\n".encode()
    write_whole(path, b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff" and os.listdir(tmp_path) == ["one.txt"]


@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_fails_leaves_the_old_file_and_no_litter(tmp_path, monkeypatch, step, error) -> None:
    path = tmp_path / "one.txt"
    path.write_text("old")

    def fail(*words):
        raise error

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        write_whole(path, "new")
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["one.txt"]


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    path, link = tmp_path / "one.txt", tmp_path / "link.txt"
    path.write_text("old")
    link.symlink_to(path)
    write_whole(link, "new")
    assert link.is_symlink() and path.read_text() == "new"
    write_whole(Path(os.devnull), "gone")
    assert not Path(os.devnull).is_file()
