"""How is a file replaced without a reader ever seeing half of it?

Weights, records, pins and exports are all written here and nowhere else.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import stat
import tempfile
import zlib
from pathlib import Path
from typing import Any

from lecture.errors import SetupProblem

# other machines may write to the same folder; their processes have numbers of their own
_HOST = f"{zlib.crc32(platform.node().encode()):08x}-"


def write_whole(path: Path, content: str | bytes) -> None:
    """All of `content` at `path`, or nothing; OSError leaves an old file untouched.

    The bytes go to a temporary in the same folder, reach the disk, and take the name in
    one step. Text is written as UTF-8, its line ends as they are. A link keeps pointing
    where it did; a device or a pipe that is read takes the bytes as they come. What a killed
    process left of an earlier try is swept away.
    """
    if isinstance(content, str):
        content = content.encode("utf-8")
    if path.exists() and not path.is_file():    # first: /dev/fd/9 resolves to no name at all
        _hand_over(path, content)
        return
    path = Path(os.path.realpath(path))
    # a name may have 255 bytes; the temporary's says whose it is
    stem = f".{os.fsdecode(os.fsencode(path.name)[:150])}."
    _sweep(path.parent, stem)
    handle, temporary = tempfile.mkstemp(prefix=f"{stem}{_HOST}{os.getpid()}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)                # mkstemp's 0600 would lock others out
        os.replace(temporary, path)
    except BaseException:                         # Ctrl-C too must leave no litter
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


class Kept(dict[str, Any]):
    """An object of a file of the course: a name that must be there and is not is told so."""

    def __missing__(self, key: str) -> Any:
        raise SetupProblem(f"a file of the course has no {key!r} where one belongs",
                           "lecture check names the file; put it back, or install again")


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file of the course; SetupProblem where it holds none.

    FileNotFoundError where there is no file. A pipe in its place is not waited for.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ValueError("it is not a plain file")
        found = json.loads(path.read_text(encoding="utf-8"), object_hook=Kept)
        if not isinstance(found, dict):
            raise ValueError("it holds no object")
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SetupProblem(f"{path} cannot be read: {reason}",
                           "put the file back, or install the course again") from None
    return found


def named(path: str | Path) -> Path:
    """A path somebody typed, ~ read as a home; SetupProblem where there is no such home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise SetupProblem(f"{path}: there is no such user's home",
                           "write the path without ~") from None


def _hand_over(path: Path, content: bytes) -> None:
    # without O_NONBLOCK a pipe that nobody reads would wait for ever
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "wb") as file:
        os.set_blocking(handle, True)
        file.write(content)


def _sweep(folder: Path, stem: str) -> None:
    """Remove temporaries of processes of this machine that live no more."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            owner = entry.name[len(stem) + len(_HOST):].partition("-")[0]
            if entry.name.startswith(stem + _HOST) and owner.isdecimal() and not _alive(owner):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)


def _alive(owner: str) -> bool:
    try:
        os.kill(int(owner), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:                             # somebody else's
        return True
    return True
