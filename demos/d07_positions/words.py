"""What several parts of demo 07 share: names of rows, tolerances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lecture.report import Metrics, close

TRAINED = close("shipped weights: matrix products round differently", 1e-6, 1e-9)


def moved(m: Metrics) -> Any:
    """How far the middle word moves under the causal mask."""
    return m["ways"]["causal"]["middle"]


def far(kind: str) -> Callable[[Any], Any]:
    """The share right on the last stretch."""
    return lambda m: m["places"][kind]["far"]
