"""Where does a curve go among cells of two points each, and which colours tell series apart?

A cell holds two points, one above the other, as the half block ▄ draws them (GBK has it, and not
its upper twin).  The points are numbered from the top, so that the lower one of a row is where the
row's tick is.  Where several series share a point its colour goes round among them from column to
column: none hides another for long.

Left out: drawing (console.py).  Colour carries nothing alone: each curve ends in its letter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lecture.report import Curve

# By theme and depth of colour, the ones furthest apart first.  Found by search among the 240 fixed
# colours, and among those of the 16 that every palette paints bright (or dark) enough: the sets
# whose two nearest are furthest apart, for an eye that lacks a kind of cone too
# (tests/contrast.py).  No green: on a screen that is the verdict's.
SERIES = {
    ("dark", "deep"): ("color(220)", "color(38)", "color(204)", "color(189)", "color(99)",
                       "color(100)"),
    ("dark", "standard"): ("bright_yellow", "cyan", "bright_red", "bright_cyan"),
    ("light", "deep"): ("color(21)", "color(161)", "color(58)", "color(54)", "color(61)",
                        "color(52)"),
    ("light", "standard"): ("blue", "red", "black", "magenta"),
}
Shared = tuple[int, ...]                 # the numbers of the series that pass through a point


def colours(theme: str, depth: str, series: int) -> tuple[str, ...]:
    """A colour for each series; none where there are not so many that can be told apart."""
    known = SERIES.get((theme, depth), ())
    return known[:series] if series <= len(known) else ()


def ends(block: Curve) -> tuple[float, float]:
    """The least and the largest number of the upright axis."""
    drawn = [y for _, ys in block.series for y in ys if y is not None] or [0.0]
    return (min(drawn) if block.low is None else block.low,
            max(drawn) if block.high is None else block.high)


def share(block: Curve, y: float) -> float:
    """How far up the axis a number stands, 0 to 1."""
    low, high = ends(block)
    return min(1.0, max(0.0, (y - low) / ((high - low) or 1.0)))


def places(block: Curve, ys: Sequence[float | None], wide: int,
           tall: int) -> Iterator[tuple[int, int] | None]:
    """The column and the row of each number on a grid; None where there is no number."""
    reach = (max(block.x) - min(block.x)) or 1.0
    for x, y in zip(block.x, ys, strict=True):
        yield None if y is None else (round((x - min(block.x)) / reach * (wide - 1)),
                                      round((1 - share(block, y)) * (tall - 1)))


def raster(block: Curve, wide: int, tall: int) -> list[list[Shared]]:
    """Which series pass through each point, [2 tall, wide]; neighbours are joined by a line."""
    grid: list[list[Shared]] = [[()] * wide for _ in range(2 * tall)]
    for number, (_, ys) in enumerate(block.series):
        before = None
        for place in places(block, ys, wide, 2 * tall - 1):
            for column, row in _line(before or place, place) if place else ():
                here = grid[row + 1][column]            # the topmost half is above the first tick
                if number not in here:
                    grid[row + 1][column] = (*here, number)
            before = place
    return grid


def seen(shared: Shared, column: int) -> int | None:
    """Which of the series that share a point gives it its colour."""
    return shared[column % len(shared)] if shared else None


def _line(start: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The points from one to the other, both among them (Bresenham 1965)."""
    (x, y), (x1, y1) = start, end
    dx, dy = abs(x1 - x), -abs(y1 - y)
    step_x, step_y = (1 if x < x1 else -1), (1 if y < y1 else -1)
    error = dx + dy
    while True:
        yield x, y
        if (x, y) == (x1, y1):
            return
        twice = 2 * error
        if twice >= dy:
            error, x = error + dy, x + step_x
        if twice <= dx:
            error, y = error + dx, y + step_y


def last_rows(block: Curve, tall: int) -> dict[int, list[int]]:
    """The series that end in each row of cells: the row is where their letter goes."""
    found: dict[int, list[int]] = {}
    for number, (_, ys) in enumerate(block.series):
        last = next((y for y in reversed(ys) if y is not None), None)
        if last is not None:
            row = round((1 - share(block, last)) * 2 * (tall - 1))
            found.setdefault((row + 1) // 2, []).append(number)
    return found
