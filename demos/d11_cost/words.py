"""What several parts of demo 11 share: tolerances, and the name of what is timed live."""

from __future__ import annotations

from lecture.report import T, close, exact

COUNT = exact("counted, or a setting: whole numbers")
RATIO = close("a quotient of counts")
SWITCH = exact("a switch")
LIVE = T("现场计时（live）：只印倍数，不算指标", "time ratios now (live); no metrics")
