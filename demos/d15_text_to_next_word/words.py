"""What several parts of demo 15 share: names of rows, tolerances."""

from __future__ import annotations

from lecture.report import Column, T, close, exact

TRAINED = close("shipped weights, matrix products", rtol=1e-6, atol=1e-9)
COUNTED = exact("words, ids and counts of the shipped weights")


def four(spec: str = ".2f") -> tuple[Column, ...]:
    """The columns of a vector: its first numbers, then its length."""
    return (Column(T("第一", "first"), spec), Column(T("第二", "second"), spec),
            Column(T("第三", "third"), spec), Column(T("第四", "fourth"), spec),
            Column(T("长度", "length"), ".2f"))
