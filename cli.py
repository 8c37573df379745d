"""The command: its exit code, its errors, and the line a whole class waits for.

Exit codes: 0 done, 1 a claim or a pin does not hold, 2 usage, 3 environment,
130 interrupted.  stdout carries the result, stderr progress and errors; an error is
two lines.  `lecture demo 04` alone has nothing to parse and is played without typer;
all else is in commands.py.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

from lecture.errors import LectureError, guarded


def __getattr__(name: str) -> Any:
    """`cli.app` is the typer application, loaded when somebody asks for it."""
    if name != "app":
        raise AttributeError(f"module 'cli' has no attribute {name!r}")
    from commands import app

    return app


def play(which: str) -> int:
    """Run demos as they are; the exit code."""
    from console import Screen
    from demos import find
    from lecture import present
    from lecture.settings import language, use_weights

    entries = [(entry, entry.parts()) for entry in find(which)]
    if any(p.recipes for _, parts in entries for p in parts):
        use_weights(None)
    screen = Screen(lang=language(None))
    shown = [present.show(entry, parts, screen, {}) for entry, parts in entries]
    return 0 if all(shown) else 1


def main(argv: list[str] | None = None) -> int:
    """Run the command; the exit code."""
    argv = sys.argv[1:] if argv is None else argv
    gc.set_threshold(100_000)          # imports make many objects and leave no cycles behind
    sys.setswitchinterval(0.0005)      # a thread that draws numbers needs the lock for a moment
    if "OMP_NUM_THREADS" not in os.environ:
        # The products here are small: a second thread of NumPy's BLAS mostly waits for work,
        # spinning, on the core that computes the next part. Read when NumPy is imported.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    debug = "--debug" in argv[:2]
    try:
        if len(argv) == 2 and argv[0] == "demo" and not argv[1].startswith("-"):
            code = guarded(play, argv[1])
        else:
            from commands import app

            code = app(args=argv, standalone_mode=False, prog_name="lecture")
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except LectureError as error:
        if debug:
            raise
        return _complain(error.what, error.todo, error.code)
    except Exception as error:
        if debug:
            raise
        if hasattr(error, "format_message"):           # typer's own usage errors
            return _complain(error.format_message(), _usage_hint(error, argv), 2)
        return _complain(f"{type(error).__name__}: {error}",
                         "this is a fault of ours; lecture --debug … shows where", 3)


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
    print(f"lecture: {' '.join(what.split())}\n  {todo}", file=sys.stderr)
    return code


def run() -> None:
    """The entry point of the installed command."""
    code = main()
    gc.freeze()                        # the process ends: no last search for garbage
    sys.exit(code)


if __name__ == "__main__":
    run()
