"""What several parts of demo 03 share: tolerances."""

from __future__ import annotations

from lecture.report import close, exact

COUNTED = exact("a count or a word")
TRAINED = close("counts out of a fixed number of words of the shipped weights", 1e-9)
RECORDED = exact("read from a file in demos/records")
