"""What several parts of demo 12 share: names of rows, tolerances."""

from __future__ import annotations

from lecture.report import close, exact

TRAINED = close("shipped weights: matrix products round differently", 1e-6, 1e-9)
RECORDED = exact("read from a record")
COUNT = exact("a count, a place or a setting")
