"""Which part is on the projector?  Told from one terminal to another through a small file.

The slides write demo, part and the minutes used so far; `lecture notes --follow` in a second
terminal reads it and shows the notes of that part.  A file a showing, named after its process;
whoever has said nothing for a while is taken for gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lecture.files import write_whole
from lecture.show.ballots import data_dir

if TYPE_CHECKING:
    from console import Screen
    from demos import Entry
    from lecture.report import Part

HEARTBEAT = 2.0                         # s between two words of a showing that stands still
SILENT, OLD = 6.0, 3600.0               # s after which it is taken for gone, and its file removed
_told: tuple[str, str | None, int] | None = None


@dataclass(frozen=True)
class Told:
    """What a showing says of itself."""

    demo: str
    part: str | None                    # a part's key; None: the title
    minutes: Mapping[str, float]        # "04.scale" -> minutes it has been shown


def _file() -> Path | None:
    folder = data_dir()
    return folder / f"showing-{os.getpid()}.json" if folder else None


def tell(demo: str, part: Part | None, minutes: Mapping[str, float]) -> None:
    """Say where one is, and every other second that one is there; never an error."""
    global _told
    now = (demo, part.key if part else None, int(time.monotonic() / HEARTBEAT))
    path = _file()
    if now == _told or path is None:
        return
    first, _told = _told is None, now
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        if first:
            _sweep(path.parent)
        write_whole(path, json.dumps({"demo": demo, "part": now[1], "minutes": dict(minutes)}))


def _sweep(folder: Path) -> None:
    """What killed showings left behind."""
    for path in folder.glob("showing-*.json"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > OLD:
                path.unlink()


def end() -> None:
    """The showing is over."""
    path = _file()
    with contextlib.suppress(OSError):
        if path is not None:
            path.unlink(missing_ok=True)


def latest(demos: tuple[str, ...] = ()) -> Told | None:
    """What the showing says that spoke last, of these demos where some are named."""
    folder = data_dir()
    if folder is None or not folder.is_dir():
        return None
    found: list[tuple[float, Told]] = []
    for path in folder.glob("showing-*.json"):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            age = time.time() - path.stat().st_mtime
            document: dict[str, Any] = json.loads(path.read_text("utf-8"))
            told = Told(document["demo"], document["part"], dict(document["minutes"]))
            if age < SILENT and (not demos or told.demo in demos):
                found.append((-age, told))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def follow(entries: Sequence[Entry], screen: Screen,
           waits: Callable[[], bool] | None = None) -> None:
    """Show the notes of the part on the projector, each time another one comes; until Ctrl-C.

    waits: what to do instead of waiting a moment; False ends it.
    """
    from lecture.show.present import show_notes

    codes = tuple(entry.code for entry in entries)
    shown: tuple[str, str | None] | None = None
    waiting = False
    while True:
        told = latest(codes)
        if told is None and not waiting:
            screen.line(screen.word("nobody_shows", demos=", ".join(codes)), "quiet")
        waiting = told is None
        if told is not None and (told.demo, told.part) != shown:
            shown = told.demo, told.part
            entry = next(e for e in entries if e.code == told.demo)
            parts = [p for p in entry.parts() if p.key == told.part]
            _clear(screen)
            show_notes(entry, parts, screen)
            for part in parts:
                screen.line(screen.word("minutes_planned",
                                        minutes=entry.minutes[entry.parts().index(part)]), "quiet")
                used = told.minutes.get(f"{entry.code}.{part.key}", 0.0)
                screen.line(screen.word("minutes_used", used=round(used),
                                        all=round(sum(told.minutes.values()))), "quiet")
        if waits is None:
            time.sleep(0.3)
        elif not waits():
            return


def _clear(screen: Screen) -> None:
    """Begin at the top where it is a terminal."""
    if screen.console.is_terminal:
        screen.console.clear()
