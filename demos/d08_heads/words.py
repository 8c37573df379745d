"""What several parts of demo 08 share: names of rows, tolerances."""

from __future__ import annotations

from lecture.report import close, exact

TRAINED = close("shipped weights: matrix products round differently", 1e-6, 1e-9)
RECORDED = exact("read from the record")
