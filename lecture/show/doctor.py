"""Is all ready for the class?  Ten minutes before the class, one command tells.

Width against what the screens need, colours, encoding, whether the terminal draws
East-Asian ambiguous glyphs two cells wide (it is asked, by printing one and reading
the cursor), the cache, the shipped weights, and every demo, run and timed.  ASCII
only, for the very terminals it is about.  Each finding that would spoil a class says
what to do.
"""

from __future__ import annotations

import io
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lecture.errors import SetupProblem
from lecture.show.terminal import can_be_asked, talk

if TYPE_CHECKING:
    from console import Screen

SLOW = 10.0                              # seconds; a class will not wait longer for a part


@dataclass(frozen=True)
class Finding:
    """What one examination found; todo is empty where nothing has to be done."""

    what: str
    found: str
    todo: str = ""


def examine(run_demos: bool = True, say: Callable[[Finding], None] = lambda f: None,
            screen: Screen | None = None, phones: bool = False) -> list[Finding]:
    """Every finding, each told to `say` as it is made; demos are drawn as on this screen."""
    findings = []
    examinations = [_size, _encoding, _colours, _ambiguous, _cache, _weights]
    for examination in examinations:
        findings.append(examination())
        say(findings[-1])
    for finding in _phones(phones):
        findings.append(finding)
        say(finding)
    if run_demos:
        from demos import REGISTRY

        for entry in REGISTRY:
            findings.append(_demo(entry.code, screen))
            say(findings[-1])
    return findings


def _size() -> Finding:
    try:
        size = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return Finding("size", "no terminal (a pipe or a file)")
    told = f"{size.columns} columns, {size.lines} lines"
    if size.columns < 80:
        return Finding("size", told, "use a smaller font or a wider window: the tables are made "
                       "for 80 columns (narrower ones are stacked)")
    if size.lines < 24:
        return Finding("size", told, "make the window taller, or present with --step")
    return Finding("size", told)


def _encoding() -> Finding:
    encoding = sys.stdout.encoding or "unknown"
    try:
        "注意力→√β═█".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return Finding("encoding", encoding, "set PYTHONIOENCODING=utf-8, or the terminal and "
                       "the locale to UTF-8; Chinese is shown as \\u escapes otherwise")
    return Finding("encoding", encoding)


def _colours() -> Finding:
    from console import Screen

    if os.environ.get("NO_COLOR"):
        return Finding("colours", "off (NO_COLOR is set): numbers and words remain")
    system = Screen().console.color_system or "none"
    if system in ("none", "standard", "windows"):
        return Finding("colours", f"{system}: heat maps show their numbers without shades")
    return Finding("colours", system)


def _ambiguous() -> Finding:
    """Print one ambiguous glyph and ask the terminal where its cursor is."""
    if not can_be_asked():
        return Finding("ambiguous width", "cannot be asked without a terminal")
    width = _cells_of("\u2192")
    if width is None:
        return Finding("ambiguous width", "the terminal does not say")
    if width > 1:
        return Finding("ambiguous width", f"{width} cells an arrow",
                       "use --plain, or set ambiguous characters to narrow in the terminal")
    return Finding("ambiguous width", "1 cell an arrow")


def _cells_of(glyph: str) -> int | None:
    place = re.search(r"\x1b\[\d+;(\d+)R", talk(f"\r{glyph}\x1b[6n", "R$", 0.5))
    print("\r    \r", end="", flush=True)
    return int(place[1]) - 1 if place else None


def _cache() -> Finding:
    from lecture.models import cache as model_cache

    folder = model_cache.cache_dir()
    if folder is None:
        return Finding("cache", "no folder: models not shipped are trained at each run",
                       "set LECTURE_CACHE_DIR to a folder you may write to")
    place = folder
    while not os.path.exists(place) and place != place.parent:
        place = place.parent
    if not os.path.isdir(place) or not os.access(place, os.W_OK):
        return Finding("cache", f"{folder} cannot be written",
                       "set LECTURE_CACHE_DIR to a folder you may write to")
    try:
        return Finding("cache", f"{folder}, {len(model_cache.cached_files())} models")
    except OSError as error:
        return Finding("cache", f"{folder} cannot be read: {error.strerror}",
                       "set LECTURE_CACHE_DIR to a folder you may write to")


def _weights() -> Finding:
    from lecture.models import cache as model_cache
    from lecture.models import recipes

    bad = [what for recipe in recipes.RECIPES.values() for what in model_cache.verify(recipe)]
    if bad:
        return Finding("weights", "; ".join(bad), "reinstall, or train them: lecture train all")
    return Finding("weights", f"{len(recipes.RECIPES)} shipped models whole")


def _phones(asked: bool) -> list[Finding]:
    """Can a room vote by phone?  Nothing is listened on, and nobody is called."""
    from lecture.show import phones

    try:
        phones.required()
    except SetupProblem as problem:
        return [Finding("phones", problem.what, problem.todo)] if asked else []
    ours = phones.addresses()
    if not ours:
        told = "no address of this machine that a phone could reach"
        return [Finding("phones", told, "join a network or open an access point of your own"
                        if asked else "")]
    found = [Finding("phones", f"--phones would listen on {ours[0]}, port {phones.PORT}"
                     + (f"; --address can choose {', '.join(ours[1:])}" if ours[1:] else ""))]
    found.append(Finding(
        "phones", "a campus network may keep phones from this machine (client isolation, a "
        "guest network of its own), and this machine's firewall may too: try one phone on the "
        "spot. An access point of your own, or a phone's hotspot, needs no internet; a tally "
        "can always be typed"))
    return found


def _demo(code: str, screen: Screen | None = None) -> Finding:
    from console import Screen, cell_len
    from demos import find
    from lecture.show.present import Show, show

    entry = find(code)[0]
    start = time.perf_counter()
    try:
        stream = io.StringIO()
        if screen is None:
            screen = Screen(stream, lang="en", width=80, color="never")
        else:
            screen = screen.onto(stream, screen.width)
        good = show(Show(entry, screen, {}), entry.parts())
    except Exception as error:
        return Finding(f"demo {code}", f"{type(error).__name__}: {error}",
                       f"run lecture --debug demo {code}")
    seconds = time.perf_counter() - start
    widest = max(cell_len(_bare(line)) for line in stream.getvalue().splitlines())
    told = f"{seconds:.1f} s, {widest} columns"
    if not good:
        return Finding(f"demo {code}", f"{told}, a claim does not hold",
                       f"run lecture check {code}")
    if seconds > SLOW:
        return Finding(f"demo {code}", told, "close other programs, or show it with --step")
    return Finding(f"demo {code}", told)


def _bare(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def preview() -> None:
    """The heat maps' whole scale, in each theme."""
    from console import THEMES, Screen
    from lecture.report import HeatMap, T

    for theme in THEMES[:3]:
        values = [[i / 10 for i in range(11)]]
        Screen(lang="en", theme=theme).block(
            HeatMap(values, [theme], [f"{v:.1f}" for v in values[0]], format=".1f",
                    title=T(theme, f"theme {theme}")), {})
