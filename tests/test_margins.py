"""The words of a margin: positive exactly when the sentence holds, and never by a hidden NaN."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lecture.margins import (
    View,
    above,
    at_least,
    at_most,
    below,
    both,
    either,
    equal,
    every,
    falls,
    near,
    rises,
    rows,
    same,
    word,
)

REAL = st.floats(-1e6, 1e6)
SEVERAL = st.lists(REAL, min_size=2, max_size=6)


@given(REAL, REAL)
def test_two_numbers(x: float, y: float) -> None:
    assert (above(x, y) > 0) == (x > y) and (below(x, y) > 0) == (x < y)
    assert (near(x, y, within=1.0) > 0) == (abs(x - y) < 1)


@given(st.integers(-50, 50), st.integers(-50, 50))
def test_counts_leave_half_a_unit(a: int, b: int) -> None:
    assert (at_least(a, b) > 0) == (a >= b) and (at_most(a, b) > 0) == (a <= b)
    assert (equal(a, b) > 0) == (a == b)
    assert all(abs(f(a, b)) >= 0.5 for f in (at_least, at_most, equal))


@given(SEVERAL)
def test_sequences(xs: list[float]) -> None:
    pairs = list(zip(xs, xs[1:], strict=False))
    assert (rises(xs) > 0) == all(b > a for a, b in pairs)
    assert (falls(xs) > 0) == all(b < a for a, b in pairs)
    assert same(xs, within=5.0) == pytest.approx(5.0 - (max(xs) - min(xs)), abs=1e-9)


@given(SEVERAL)
def test_joined(xs: list[float]) -> None:
    assert both(*xs) == every(iter(xs)) == min(xs) and either(*xs) == max(xs)
    assert word("a", "a") > 0 > word("a", "b")


@pytest.mark.parametrize("at", [0, 1, 2])
def test_what_is_no_number_is_never_passed_over(at: int) -> None:
    xs = [3.0, 2.0, 1.0]
    xs[at] = math.nan
    for value in (both(*xs), every(xs), either(*xs), rises(xs), falls(xs), same(xs, 9)):
        assert math.isnan(value)


def test_a_view_follows_names_and_notes_the_leaves_it_read() -> None:
    seen: list[str] = []
    m = View({"a": {"b": [1.0, 2.0]}, "0.in": {"x": 3}}, seen.append)
    assert m.a.b[1] == 2.0 and m["0.in"].x == 3 and list(rows(m.a.b)) == [1.0, 2.0]
    assert seen == ["a.b.1", "0.in.x", "a.b.0", "a.b.1"]
    with pytest.raises(KeyError):
        _ = m.a.c
    assert m.a.get("c", 7) == 7
