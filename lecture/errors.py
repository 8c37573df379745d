"""What can a user or a machine do wrong, and how is it said?  In two lines.

The first line says what is wrong, the second what to do.  The exit code belongs to
the kind: 1 a claim or pin does not hold, 2 usage, 3 the environment, 130 interrupted.
What a person, a file or the system gave is shown escaped: it cannot move the cursor.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
from collections.abc import Callable
from typing import Any, TextIO

_OURS = {"attention_np", "cli", "console", "demos", "lecture", "pretrain_world", "tiny_gpt"}
_OF_OUTPUT = {errno.EBADF, errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.ENXIO,
              errno.EAGAIN, errno.EINVAL, None}


def shown(text: object) -> str:
    """A foreign text for a screen: what a terminal would act on or hide stands escaped.

    "a\x1b[2J" -> "a\\x1b[2J"; a byte that was no text, half of a pair, marks of direction.
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode()
                   for c in str(text))


# what a terminal acts on or hides: controls but the line's end, marks of direction, half a pair
_ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
                   "\ud800-\udfff]")


def harmless(text: str) -> str:
    """A text of several lines with `shown` for what a terminal acts on; Chinese spaces stay."""
    return _ACTS.sub(lambda found: shown(found[0]), text) if _ACTS.search(text) else text


class LectureError(Exception):
    """An error told in two lines; code is the exit code of the command."""

    code = 1

    def __init__(self, what: str, todo: str) -> None:
        super().__init__(what)
        self.what, self.todo = (shown(" ".join(line.split())) for line in (what, todo))

    def __reduce__(self) -> tuple[type[LectureError], tuple[str, str]]:
        """Both lines travel from a training process; args alone holds one and breaks the pool."""
        return type(self), (self.what, self.todo)


class UsageProblem(LectureError):
    """The command line asks for something that does not exist."""

    code = 2


class SetupProblem(LectureError):
    """The machine, the disk or the weights are not fit for what was asked."""

    code = 3


class Interrupted(LectureError):
    """The user stopped the run."""

    code = 130


def tell(line: str, end: str = "\n") -> None:
    """A notice on stderr. One that cannot be written there is lost; the work goes on."""
    try:
        print(line, end=end, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        silence(sys.stderr)


def guarded(call: Callable[..., Any], *words: Any) -> Any:
    """The call, in which Ctrl-C and a closed pipe become exit codes."""
    try:
        return call(*words)
    except KeyboardInterrupt:
        raise Interrupted("interrupted", "nothing was lost; run it again") from None
    except EOFError:                    # Ctrl-D: nobody is there to answer
        raise SystemExit(0) from None
    except BrokenPipeError:
        silence(sys.stdout)
        raise SystemExit(0) from None


def silence(stream: TextIO | None) -> None:
    """Let what is still to be written there go nowhere: it can not be written."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())      # type: ignore[union-attr]


def of_the_system(error: OSError) -> LectureError:
    """An OSError in two lines: a path that somebody named, or a stream that is closed or full."""
    reason = error.strerror or type(error).__name__
    if error.filename is not None:
        return SetupProblem(f"cannot use {error.filename}: {reason}",
                            "name another place, or get the right to use this one")
    if error.errno not in _OF_OUTPUT:
        return SetupProblem(f"the system refused: {reason}",
                            "see what this user may do, and how much is left of it")
    return SetupProblem(f"cannot write the output: {reason}",
                        "free some space, or send the output somewhere else")


def of_the_machine(error: Exception) -> LectureError | None:
    """A lack of the machine in two lines: a package, memory, threads; None for a fault of ours."""
    if isinstance(error, OSError):
        return of_the_system(error)
    if isinstance(error, MemoryError):
        return SetupProblem("there is not enough memory", "close other programs, or ask for less")
    name = (getattr(error, "name", None) or "").partition(".")[0]
    if isinstance(error, ImportError) and name and name not in _OURS:
        return SetupProblem(f"{name} cannot be loaded: {error}",
                            "install the course again: pip install -c constraints.txt -e .")
    return None
