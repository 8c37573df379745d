"""What several parts of demo 01 share: names of rows, tolerances."""

from __future__ import annotations

from lecture.report import close, exact

COUNTED = exact("counted: whole numbers, words and cuts, the same everywhere")
RATIO = close("a ratio of two counts: only its rounding may differ")
