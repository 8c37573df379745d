"""What several parts of demo 08 share: tolerances, the eight recorded trainings."""

from __future__ import annotations

from lecture.report import T, close, exact

TRAINED = close("shipped weights: matrix products round differently", 1e-6, 1e-9)
RECORDED = exact("read from the record, or a setting")
RUNS = {f"record.*.{i}": T(str(i + 1), str(i + 1)) for i in range(8)}


def runs_of() -> tuple[str, ...]:
    """The keys of the eight trainings."""
    return tuple(str(i) for i in range(len(RUNS)))
