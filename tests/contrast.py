"""How far apart are two colours, for an eye that sees them all and for one that does not?

`python -m tests.contrast` prints the table of every pair that stands on the screen: letters on
their ground, curves on theirs and beside one another, numbers on the cells of a map.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from rich.color import Color
from rich.style import Style

from console import Screen, styles
from lecture.report import HeatMap
from lecture.show.curves import SERIES
from lecture.show.words import VIRIDIS, VIRIDIS_256, luminance, of_256

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
SYSTEMS = {"standard": "16", "256": "256", "truecolor": "16 million"}
# what an eye without one kind of cone sees, in linear rgb (Machado, Oliveira, Fernandes 2009)
EYES = {
    "all cones": np.eye(3),
    "no red": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                        [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                          [-0.011820, 0.042940, 0.968881]]),
}


def contrast(one: str, other: str) -> float:
    """Of two colours rrggbb, 1 to 21 (WCAG 2.1)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + .05) / (low + .05)


def apart(one: str, other: str, eye: str = "all cones") -> float:
    """The distance of two colours as this eye sees them: black to white is 1 (Oklab, 2020)."""
    return float(np.linalg.norm(_oklab(one, eye) - _oklab(other, eye)))


def _oklab(color: str, eye: str) -> np.ndarray:
    rgb = np.array([int(color[i:i + 2], 16) for i in (0, 2, 4)]) / 255
    linear = np.where(rgb <= .04045, rgb / 12.92, ((rgb + .055) / 1.055) ** 2.4)
    linear = np.clip(EYES[eye] @ linear, 0, 1)
    cones = np.cbrt(np.array([[.4122214708, .5363325363, .0514459929],
                              [.2119034982, .6806995451, .1073969566],
                              [.0883024619, .2817188376, .6299787005]]) @ linear)
    return np.array([[.2104542553, .7936177850, -.0040720468],
                     [1.9779984951, -2.4285922050, .4505937099],
                     [.0259040371, .7827717662, -.8086757660]]) @ cones


def painted(color: Color, system: str, palette: str) -> str:
    """The colour as a terminal of this kind paints it, rrggbb."""
    if system == "standard":
        assert color.number is not None
        return PALETTES[palette].split()[color.number]
    return color.get_truecolor().hex[1:]


def depth_of(system: str) -> str:
    """Which set of colours a terminal of this kind gets."""
    return "standard" if system == "standard" else "deep"


class Pair(NamedTuple):
    """Something on a ground, or beside something: its least contrast or distance."""

    what: str
    theme: str
    system: str
    least: float
    where: str


def letters() -> Iterator[Pair]:
    """Every style with a colour, on its ground."""
    for theme, ground in GROUNDS.items():
        for system in SYSTEMS:
            for name, text in styles(theme, system).items():
                color = Style.parse(text).color
                if color is not None:
                    found = [(contrast(painted(color, system, p), ground), p) for p in PALETTES]
                    yield Pair(f"verdict {name}", theme, system, *min(found))


def curves() -> Iterator[Pair]:
    """The curves' colours: each on its ground, each from each for three kinds of eye."""
    for theme, ground in GROUNDS.items():
        for system in SYSTEMS:
            colors = [Color.parse(c) for c in SERIES[theme, depth_of(system)]]
            each = {p: [painted(c, system, p) for c in colors] for p in PALETTES}
            yield Pair(f"{len(colors)} curves on the ground", theme, system,
                       *min((contrast(c, ground), p) for p in each for c in each[p]))
            for eye in EYES:
                yield Pair(f"curve from curve, {eye}", theme, system,
                           *min((apart(a, b, eye), f"{p} {a} {b}") for p in each
                                for a, b in combinations(each[p], 2)))


def cells() -> Iterator[Pair]:
    """Numbers on the cells of a heat map, and each step of shade from the next."""
    for theme in GROUNDS:
        for system in ("256", "truecolor"):
            screen = Screen(io.StringIO(), width=80, color="always", theme=theme)
            screen.console._color_system = {"256": 2, "truecolor": 3}[system]  # type: ignore
            styled = [screen._shade(i / 10, HeatMap([[0.0]], ["a"], ["b"])) for i in range(11)]
            pairs = [(s.bgcolor.get_truecolor().hex[1:], s.color.get_truecolor().hex[1:])
                     for s in styled if s and s.bgcolor and s.color]
            assert {b for b, _ in pairs} == {*map(of_256, VIRIDIS_256)} or system != "256"
            assert {b for b, _ in pairs} == {*VIRIDIS} or system != "truecolor"
            yield Pair("number on its cell", theme, system,
                       *min((contrast(a, b), f"on {a}") for a, b in pairs))
            backs = [back for back, _ in pairs]
            yield Pair("step of a map from the next", theme, system,
                       *min((contrast(a, b), f"{a} {b}") for a, b in
                            zip(backs, backs[1:], strict=False)))


def table() -> str:
    """All pairs as a table in Markdown."""
    lines = ["| what | ground | colours | least | where |", "|---|---|---:|---:|---|"]
    for pair in (*letters(), *curves(), *cells()):
        where = pair.where if pair.system == "standard" or " " in pair.where else ""
        lines.append(f"| {pair.what} | {pair.theme} | {SYSTEMS[pair.system]} | "
                     f"{pair.least:.2f} | {where} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
