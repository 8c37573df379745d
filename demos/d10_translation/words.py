"""What several parts of demo 10 share: names of rows, tolerances."""

from __future__ import annotations

from typing import Any

from lecture.report import T, close, exact

COUNTED = exact("counts and words of the shipped weights")
TRAINED = close("shipped weights, matrix products", rtol=1e-6, atol=1e-9)
RECORDED = exact("read from a file in demos/records")
DIRECTION_NAMES = {"fr_en": T("法译英", "French to English"),
                   "en_zh": T("英译中", "English to Chinese")}


def each(m: Any, margin: Any) -> float:
    """The smallest margin over the two directions."""
    return min(margin(r) for r in m.values())
