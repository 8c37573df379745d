"""What can a user or a room do wrong, and how is it said?  In two lines.

The first line says what is wrong, the second what to do.  The exit code belongs to
the kind: 1 a claim or pin does not hold, 2 usage, 3 the environment, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any


class LectureError(Exception):
    """An error told in two lines; code is the exit code of the command."""

    code = 1

    def __init__(self, what: str, todo: str) -> None:
        super().__init__(what)
        self.what, self.todo = " ".join(what.split()), " ".join(todo.split())

    def __reduce__(self) -> tuple[type[LectureError], tuple[str, str]]:
        """Both lines travel from a training process; args alone holds one and breaks the pool."""
        return type(self), (self.what, self.todo)


class UsageProblem(LectureError):
    """The command line asks for something that does not exist."""

    code = 2


class RoomProblem(LectureError):
    """The machine, the disk or the weights are not fit for what was asked."""

    code = 3


class Interrupted(LectureError):
    """The user stopped the run."""

    code = 130


def guarded(call: Callable[..., Any], *words: Any) -> Any:
    """The call, in which Ctrl-C and a closed pipe become exit codes."""
    try:
        return call(*words)
    except KeyboardInterrupt:
        raise Interrupted("interrupted", "nothing was lost; run it again") from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
