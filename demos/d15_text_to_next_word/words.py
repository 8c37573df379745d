"""What several parts of demo 15 share: tolerances, the names of the four questions."""

from __future__ import annotations

from lecture.report import T, close, exact

TRAINED = close("shipped weights, matrix products", rtol=1e-6, atol=1e-9)
COUNTED = exact("words, ids and counts of the shipped weights")
ASKED = {"capital": T("capital", "capital"), "language": T("language", "language"),
         "leader": T("leader", "leader"), "known_for": T("known", "known")}
