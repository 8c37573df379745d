"""What several parts of demo 13 share: names of rows, tolerances."""

from __future__ import annotations

from lecture.report import close, exact

SHIPPED = close("shipped weights, matrix products", 1e-6, 1e-9)
COUNT = exact("a count or a word")
