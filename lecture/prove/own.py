"""How does a student's function take the place of ours?

An Own stands where ours stood. It hands over copies, so that a function which changes what it
was given is seen to do so and harms nobody; it takes back anything an array can be made of,
and refuses what has another shape than is needed, in words a student understands.

Rounding is no mistake: numbers that were made in single precision and are ours to single
precision are carried on as ours, since claims are as fine as float64. Nor is it one to be slow:
where a function has taken PATIENCE and has agreed with ours all along, ours goes on. Both are said.
"""

from __future__ import annotations

import copy
import functools
import inspect
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from lecture.prove.tasks import Task

Array = np.ndarray
PATIENCE = 10.0         # seconds of the processor after which a slow one that is right may rest
SLOW = 0.005            # a call that takes so long is compared with ours
CLOSE = 1e-9            # arithmetic in another order stays far below, beside the largest number
LOG = 1e-6              # how far a single number, a log P, may lie from ours
SINGLE = 3e-5           # how far numbers made in float32 may lie from ours, beside the largest


class Wrong(ValueError):
    """What a student's function returned is not what is needed there."""


@dataclass
class Own:
    """A student's function in the place of ours, and what was seen of it."""

    task: Task
    given: Callable[..., Any]                       # the student's
    ours: Callable[..., Any]
    calls: int = 0
    changed: set[str] = field(default_factory=set)  # arguments it changed in place
    single: bool = False                            # its numbers were made in single precision
    passed_over: bool = False                       # it does not take an argument; ours did
    spent: float = 0.0                              # seconds of the processor in slow calls
    strayed: bool = False                           # a slow call gave something else than ours
    rested: bool = False                            # ours went on

    def __call__(self, *args: Any, **how: Any) -> Any:
        """Called where ours would be, with the arguments of ours."""
        if self.rested:
            return self.ours(*args, **how)
        start = time.process_time()
        found = self.task.via(self, *args, **how)
        took = time.process_time() - start
        right = None
        if took > SLOW and not self.strayed:
            right = self.ours(*args, **how)
            self.spent += took
            self.strayed = not alike(found, right)
            self.rested = self.spent > PATIENCE and not self.strayed and not self.changed
        return self.carried_on(found, right, args, how)

    def ask(self, *args: Any) -> Any:
        """The student's function on copies of these arguments."""
        handed = [_copied(a) for a in args]
        self.calls += 1
        found = self.given(*handed)
        for name, before, after in zip(self.task.parameters, args, handed, strict=False):
            if not _untouched(before, after):
                self.changed.add(name)
        return found

    def takes(self, count: int) -> bool:
        """May it be called with so many arguments?  What has no signature takes all."""
        try:
            inspect.signature(self.given).bind(*[None] * count)
        except TypeError:
            self.passed_over = True
            return False
        except ValueError:
            return True
        return True

    def carried_on(self, found: Any, right: Any, args: Any, how: Any) -> Any:
        """What the lesson goes on with: ours where single precision is all that parts them."""
        parts = found if isinstance(found, tuple) else (found,)
        arrays = all(isinstance(a, np.ndarray) for a in parts)
        if arrays and not any(a.dtype == np.float64 and in_single(a) for a in parts):
            return found
        if not arrays and not _with_floats(found):
            return found
        right = self.ours(*args, **how) if right is None else right
        if not alike(found, right):
            return found
        self.single = self.single or not alike(found, right, 1e-12)
        return right

    # --- what comes back, and what it must be -----------------------------------

    def floats(self, found: Any, shape: Sequence[int], what: str = "") -> Array:
        """The numbers of an answer as float64, of the shape that is needed."""
        a = self._array(found, what)
        if a.dtype.kind not in "biuf":
            raise Wrong(f"{self.task.name} gives {_kind(a)}{what}; numbers are needed")
        return self._shaped(a, shape, what).astype(np.float64)

    def truths(self, found: Any, shape: Sequence[int]) -> Array:
        """The answer of a mask: True and False, or 1 and 0."""
        a = self._shaped(self._array(found, ""), shape, "")
        if a.dtype.kind not in "biuf" or not np.isin(a, (0, 1)).all():
            raise Wrong(f"{self.task.name} gives other values than True (may look) and False")
        return a.astype(bool)

    def pair(self, found: Any) -> tuple[Any, Any]:
        """An answer that is two things."""
        if isinstance(found, tuple | list) and len(found) == 2:
            return found[0], found[1]
        raise Wrong(f"{self.task.name} gives {_kind(found)}; two things are needed: "
                    f"{self.task.gives}")

    def _array(self, found: Any, what: str) -> Array:
        if found is None:
            raise Wrong(f"{self.task.name} gives None: is there a return?")
        for name in ("detach", "cpu"):              # a torch tensor, wherever it is
            if hasattr(found, name):
                found = getattr(found, name)()
        try:
            return np.asarray(found)
        except Exception as error:
            raise Wrong(f"{self.task.name} gives {_kind(found)}{what}, no array of numbers: "
                        f"{error}") from None

    def _shaped(self, a: Array, shape: Sequence[int], what: str) -> Array:
        if a.shape != tuple(shape):
            raise Wrong(f"{self.task.name} gives shape {a.shape}{what}; here {tuple(shape)} is "
                        "needed")
        return a


def in_place_of(own: Own) -> Callable[..., Any]:
    """A plain function around it: as a method of a class it is handed the object first."""
    @functools.wraps(own.ours)
    def called(*args: Any, **how: Any) -> Any:
        return own(*args, **how)

    return called


def in_single(a: Array) -> bool:
    """Could all these numbers be float32?  True of what was made in float32 and cast since."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.array_equal(a.astype(np.float32).astype(np.float64), a, equal_nan=True))


def near(a: Any, b: Any, within: float) -> bool:
    """The same numbers, as far as `within` of the largest; what is not finite is the same."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.shape != b.shape:
        return False
    finite = np.isfinite(b)
    if not np.array_equal(np.where(finite, 0.0, b), np.where(np.isfinite(a), 0.0, a),
                          equal_nan=True):
        return False
    largest = max(1.0, float(np.abs(b[finite]).max(initial=0.0)))
    return bool((np.abs(a[finite] - b[finite]) <= within * largest).all())


def alike(found: Any, right: Any, within: float | None = None) -> bool:
    """Equal answers, as far as their precision goes (or within so much)."""
    if isinstance(found, np.ndarray) and isinstance(right, np.ndarray):
        return near(found, right, within or (SINGLE if in_single(found) else CLOSE))
    if isinstance(found, tuple | list) and isinstance(right, tuple | list):
        return len(found) == len(right) and all(alike(a, b, within)
                                                for a, b in zip(found, right, strict=True))
    if isinstance(found, float) or isinstance(right, float):
        return near(found, right, within or LOG)
    return bool(found == right)


def _with_floats(found: Any) -> bool:
    """Is a number with a point anywhere in a list or tuple?"""
    if isinstance(found, tuple | list):
        return any(map(_with_floats, found))
    return isinstance(found, float)


def _copied(a: Any) -> Any:
    return a.copy(order="K") if isinstance(a, np.ndarray) else copy.copy(a)


def _untouched(before: Any, after: Any) -> bool:
    if isinstance(before, np.ndarray):
        return before.shape == after.shape and before.tobytes() == after.tobytes()
    return bool(before == after) if isinstance(before, list | tuple | dict | int | float) else True


def _kind(found: Any) -> str:
    return f"an array of {found.dtype}" if isinstance(found, np.ndarray) else (
        f"a {type(found).__name__}" + (f" of {len(found)}"
                                       if isinstance(found, tuple | list) else ""))
