"""What several parts of demo 10 share: tolerances, a margin over both directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lecture.report import T, close, exact

COUNTED = exact("counts and words of the shipped weights")
TRAINED = close("shipped weights, matrix products", rtol=1e-6, atol=1e-9)
RECORDED = exact("read from a file in demos/records")
DIRECTIONS = ("fr_en", "en_zh")
FR_EN, EN_ZH = T("法译英", "Fr-En"), T("英译中", "En-Zh")


def each(margin: Callable[[str], Any]) -> float:
    """The smallest margin over the two directions."""
    return min(margin(d) for d in DIRECTIONS)
