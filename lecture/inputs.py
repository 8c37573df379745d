"""What may be handed to a public function, and how is the rest refused?

With a ValueError that names the thing and its range, before anything is computed.  What
NumPy would take in silence is refused here: a count of -1 (all but one), True as a
number, a half as an index, NaN, words, and an axis that could be two things at once.
"""

from __future__ import annotations

import math
import operator
from typing import Any

MOST = 2**62                                       # beyond it NumPy's own counts overflow


def whole(name: str, value: Any, low: int | None = None, high: int | None = None) -> int:
    """A whole number within low .. high, as an int; True and 2.0 are none."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} is a whole number{_range(low, high)}, got {value!r}") from None
    if (low is not None and number < low) or (high is not None and number > high):
        raise ValueError(f"{name} is a whole number{_range(low, high)}, got {number}")
    if abs(number) > MOST:
        raise ValueError(f"{name} is a whole number of at most {MOST}, got {number:.0e}")
    return number


def real(name: str, value: Any, low: float | None = None, high: float | None = None,
         above: float | None = None) -> float:
    """A finite number within low .. high, larger than `above`."""
    told = f" above {above:g}" if above is not None else _range(low, high)
    try:
        if isinstance(value, (bool, str, bytes)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} is a number{told}, got {value!r}") from None
    if (not math.isfinite(number) or (low is not None and number < low)
            or (high is not None and number > high) or (above is not None and number <= above)):
        raise ValueError(f"{name} is a number{told}, got {number!r}")
    return number


def _range(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f" of at least {low}"
    return "" if high is None else f" of at most {high}"


def numbers(name: str, a: Any, least: int = 0, finite: bool = True) -> Any:
    """An array of numbers as float64, at least `least` axes, none of them NaN or infinite.

    Booleans and whole numbers are numbers; words, objects and complex numbers are not.
    """
    import numpy as np

    a = array(name, a)
    if a.dtype.kind not in "biuf":
        raise ValueError(f"{name} holds numbers, got {a.dtype}")
    if a.ndim < least:
        raise ValueError(f"{name} has at least {least} axes, got shape {a.shape}")
    a = a.astype(np.float64, copy=False)
    if finite and not np.isfinite(a).all():
        raise ValueError(f"{name} holds finite numbers, got NaN or infinity")
    return a


def ids(name: str, a: Any, size: int | None = None, least: int = 1) -> Any:
    """Whole numbers 0 .. size - 1 as int64, at least `least` axes; True is none.

    Floats that hold whole numbers are taken, others would be cut off in silence.
    """
    import numpy as np

    a = array(name, a)
    told = "at least 0" if size is None else f"from 0 to {size - 1}"
    if a.size and a.dtype.kind not in "iuf" or a.dtype.kind == "b":
        raise ValueError(f"{name} are whole numbers {told}, got {a.dtype}")
    if a.ndim < least:
        raise ValueError(f"{name} have at least {least} axes, got shape {a.shape}")
    if a.size and (not np.isfinite(a).all() or (a != np.floor(a)).any() or a.min() < 0
                   or (size is not None and a.max() >= size)):
        raise ValueError(f"{name} are whole numbers {told}")
    return a.astype(np.int64, copy=False)


def array(name: str, a: Any) -> Any:
    """Whatever NumPy makes an array of; rows that differ in length are none."""
    import numpy as np

    try:
        return np.asarray(a)
    except ValueError:
        raise ValueError(f"{name} is no array: its rows differ in length") from None


def one_reading(name: str, given: tuple[int, ...], full: tuple[int, ...]) -> None:
    """Refuse axis -3 of `given` where it could be heads (axis -3 of `full`) or batch.

    Fewer axes than `full` are lined up from the right, so axis -3 is heads. Where a batch
    axis has the same length that may not be what was meant, and nothing would show it.
    """
    if 3 <= len(given) < len(full) and given[-3] > 1 and given[-3] in full[:-3]:
        raise ValueError(f"{name} has {given[-3]} rows, which could be batch or heads of "
                         f"{full}: give it all {len(full)} axes")
