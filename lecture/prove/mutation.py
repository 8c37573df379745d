"""Can the verdict of this claim be wrong at all?  A sentence that cannot fail is no claim.

A claim's margin is run on metrics that remember what it looked at.  Every path it
read is then changed, and some change must flip the verdict: a margin that reads
nothing, or reads a number without minding it, is named.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lecture.report import Part, at, value_of

CHANGES: tuple[Callable[[float], float], ...] = (
    lambda v: 1e9, lambda v: -1e9, lambda v: 0, lambda v: -v, lambda v: v + 1,
    lambda v: v - 1, lambda v: 1, lambda v: 0.5)
RIVALS = 40                              # values of other paths that are tried in a place


def reads(margin: Callable[[Any], float], metrics: Any) -> set[str]:
    """The metric paths a margin looks at."""
    paths: set[str] = set()
    value_of(margin, metrics, paths.add)
    return paths


def mutations(part: Part, metrics: Any) -> list[str]:
    """Claims whose verdict no change of a metric they read can flip; none is right.

    The tests of every demo ask for this; `lecture check` has no time for it.

    Each path a margin reads is perturbed alone; where that does not flip the
    verdict, it must flip when its whole group (the same leaf of other rows) is
    perturbed the same way: a maximum falls only if all fall. Among the changes is
    the value of another path that was read: "a is not b" fails only where they meet.
    """
    metrics, stuck = json.loads(json.dumps(metrics)), []
    for claim in part.every_claim():
        paths = reads(claim.margin, metrics)
        if not paths:
            stuck.append(f"{claim.key}: reads no metric, so it can never fail")
        holds = _holds(claim.margin, metrics)
        rivals = [at(metrics, p) for p in sorted(paths)][:RIVALS]
        for path in sorted(paths):
            alike = {p for p in paths if _alike(p, path)}
            if not any(_flips(claim.margin, metrics, group, holds, rivals)
                       for group in ({path}, alike)):
                stuck.append(f"{claim.key}: no value of {path} flips the verdict")
    return stuck


def _alike(a: str, b: str) -> bool:
    """Do two paths mean the same thing of two rows? rows.d4.max and rows.d16.max, or
    weights.0 and weights.1; the leaves right and wrong of one dict are not alike."""
    x, y = a.split("."), b.split(".")
    other = [i for i, (p, q) in enumerate(zip(x, y, strict=False)) if p != q]
    if len(x) != len(y) or len(other) > 1:
        return False
    return not other or other[0] < len(x) - 1 or (x[-1].isdigit() and y[-1].isdigit())


def _flips(margin: Callable[[Any], float], metrics: Any, paths: set[str], holds: bool,
           rivals: list[Any]) -> bool:
    places = []
    for path in paths:
        *above, last = path.split(".")
        place = at(metrics, ".".join(above)) if above else metrics
        places.append((place, int(last) if isinstance(place, list) else last))
    before = [place[key] for place, key in places]
    try:
        for change in CHANGES:
            for (place, key), value in zip(places, before, strict=True):
                place[key] = _changed(value, change)
            if _holds(margin, metrics) != holds:
                return True
        for rival in rivals:
            for place, key in places:
                place[key] = rival
            if _holds(margin, metrics) != holds:
                return True
    finally:
        for (place, key), value in zip(places, before, strict=True):
            place[key] = value
    return False


def _changed(value: Any, change: Callable[[float], float]) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return change(value)
    return 1.0 if value is None else "another word"


def _holds(margin: Callable[[Any], float], metrics: Any) -> bool:
    try:
        return (value_of(margin, metrics) or 0) > 0
    except (KeyError, IndexError, ValueError, AttributeError, OverflowError):
        return False
