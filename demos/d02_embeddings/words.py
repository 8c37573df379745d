"""What several parts of demo 02 share: names of rows, tolerances."""

from __future__ import annotations

from lecture.report import exact

COUNT = exact("a count, a word or a truth: nothing may move")
