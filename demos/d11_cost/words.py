"""What several parts of demo 11 share: names of rows, tolerances."""

from __future__ import annotations

from lecture.report import Column, T, close, exact

COUNT = exact("counted, or a setting: whole numbers")
RATIO = close("a quotient of counts")
SWITCH = exact("a switch")
LIVE = T("现场计时（live）：只印倍数，不算指标", "time ratios now (live); no metrics")
AT = tuple(Column(T(f"n={{lengths[{i}]:,}}", f"n={{lengths[{i}]:,}}"), ",d") for i in range(3))


def at_lengths(spec: str) -> tuple[Column, ...]:
    """One column a length."""
    return tuple(Column(c.header, spec) for c in AT)
