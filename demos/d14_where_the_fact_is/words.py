"""What several parts of demo 14 share: names of rows, tolerances."""

from __future__ import annotations

from lecture.report import close, exact

TRAINED = close("shipped weights, matrix products", rtol=1e-6, atol=1e-9)
COUNT = exact("counts and words")
RECORD = exact("a record")
