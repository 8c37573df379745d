"""The command: its exit code, its errors, and the line a whole class waits for.

Exit codes: 0 done, 1 a claim or a pin does not hold, 2 usage, 3 environment,
130 interrupted.  stdout carries the result, stderr progress and errors; an error is
two lines.  `lecture demo 04` alone has nothing to parse and is played without typer;
all else is in commands.py.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any

from lecture.errors import Interrupted, LectureError, guarded, of_the_machine, shown, silence


def __getattr__(name: str) -> Any:
    """`cli.app` is the typer application, loaded when somebody asks for it."""
    if name != "app":
        raise AttributeError(f"module 'cli' has no attribute {name!r}")
    from lecture.commands import app

    return app


def play(which: str) -> int:
    """Run demos as they are; the exit code."""
    from lecture.show import play as room

    return room.play(room.Wish(which))


def main(argv: list[str] | None = None) -> int:
    """Run the command; the exit code."""
    from lecture.ahead import settle

    argv = sys.argv[1:] if argv is None else argv
    settle()
    _streams()
    debug = "--debug" in argv[:2]
    try:
        if len(argv) == 2 and argv[0] == "demo" and not argv[1].startswith("-"):
            code = guarded(play, argv[1])
        else:
            from lecture.commands import app

            code = app(args=argv, standalone_mode=False, prog_name="lecture")
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        silence(sys.stdout)
        return 0
    except KeyboardInterrupt:                       # before any command had begun
        told = Interrupted("interrupted", "nothing was lost; run it again")
        return _complain(told.what, told.todo, told.code)
    except LectureError as error:
        if debug:
            raise
        return _complain(error.what, error.todo, error.code)
    except Exception as error:
        if debug:
            raise
        if hasattr(error, "format_message"):           # typer's own usage errors
            return _complain(error.format_message(), _usage_hint(error, argv), 2)
        if isinstance(error, OSError) and error.filename is None:
            silence(sys.stdout)                         # a stream: nothing more goes through it
        lack = of_the_machine(error)
        if lack is not None:
            return _complain(lack.what, lack.todo, lack.code)
        if "_LECTURE_COMPLETE" in os.environ:           # typer reads what the shell puts there
            return _complain("the shell gave no line to complete", "unset _LECTURE_COMPLETE", 3)
        return _complain(f"{type(error).__name__}: {error}",
                         "this is a fault of ours; lecture --debug … shows where", 3)


def _streams() -> None:
    """A stream that is closed becomes a hole, so that nothing takes its place.

    Otherwise print(file=None) would put notices into the result, and the next file that is
    opened would get the number of a standard stream.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            with contextlib.suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))    # noqa: SIM115
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _usage_hint(error: Any, argv: list[str]) -> str:
    if argv[:1] == ["demo"] and len(argv) > 1 and argv[1][:2].lstrip("-")[:1].isdigit():
        from demos import find

        try:
            find(argv[1])
        except LectureError as problem:
            return problem.todo
    context = getattr(error, "ctx", None)
    return f"see {context.command_path if context else 'lecture'} --help"


def _complain(what: str, todo: str, code: int) -> int:
    try:
        print(f"lecture: {shown(' '.join(what.split()))}\n  {shown(todo)}", file=sys.stderr,
              flush=True)
    except (OSError, ValueError):               # nowhere left to say it; the code does
        silence(sys.stderr)
    return code


def run() -> None:
    """The entry point of the installed command."""
    sys.exit(main())


if __name__ == "__main__":
    run()
