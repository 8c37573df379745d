"""Any words, any bytes, any streams and any files: no traceback, a documented exit code.

60 examples a property (180 of the streams); each under pytest's own time, so that none hangs.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli import main
from lecture.errors import tell
from lecture.models.cache import forget, policy
from tests.command.test_streams import weights_with

CODES = {0, 1, 2, 3, 130}
QUIET = settings(max_examples=60, deadline=None,
                 suppress_health_check=[HealthCheck.function_scoped_fixture])
# any text a shell can hand over: no NUL, no lone surrogate
words = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


def called(*argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(argv))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
    return code, out.getvalue(), err.getvalue()


def sound(code: int, out: str, err: str) -> None:
    assert code in CODES
    assert "Traceback" not in out + err and "fault of ours" not in err
    if code == 2:
        assert len(err.strip().splitlines()) <= 2


@QUIET
@given(words)
def test_any_demo_number(text: str) -> None:
    sound(*called("demo", "--part", "1", "--", text))


@QUIET
@given(st.lists(words, max_size=3))
def test_any_command_line(argv: list[str]) -> None:
    sound(*called(*argv))


@QUIET
@given(words, st.one_of(words, st.floats().map(str), st.integers().map(str)))
def test_any_setting_of_a_quick_part(name: str, value: str) -> None:
    sound(*called("demo", "04", "--part", "1", "--set", f"{name}={value}"))
    sound(*called("demo", "04", "--part", "1", "--set", f"beta={value}"))


@QUIET
@given(words)
def test_any_prompt(text: str) -> None:
    sound(*called("ask", "--", text))
    sound(*called("attend", "--", text))


# --- streams ----------------------------------------------------------------------------
class Odd(io.RawIOBase):
    """A stream of the system that takes so many bytes and then fails with this error."""

    def __init__(self, room: int, error: int) -> None:
        self.taken, self.room, self.error = b"", room, error

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if len(self.taken) + len(data) > self.room:
            raise OSError(self.error, os.strerror(self.error))
        self.taken += bytes(data)
        return len(data)


def stream(room: int, error: int, encoding: str) -> tuple[Odd, io.TextIOWrapper]:
    raw = Odd(room, error)
    return raw, io.TextIOWrapper(io.BufferedWriter(raw), encoding, "strict", line_buffering=True)


ENCODINGS = ["utf-8", "ascii", "gbk", "latin-1", "cp1252", "utf-16", "big5"]
ERRORS = [errno.ENOSPC, errno.EPIPE, errno.EIO, errno.EBADF]
ROOMS = st.sampled_from([0, 1, 100, 10**7, 10**7])
LINES = [["list"], ["demo", "01", "--part", "3"], ["demo", "04", "--part", "1", "--json"], ["ask"],
         ["ask", "--json"], ["notes", "04"], ["demo", "99"], ["ask", "who leads nobody ?"],
         ["attend", "who leads", "--layer", "0"], ["cache", "path"], ["--help"], ["nosuch"],
         ["ask", "who leads balavia ?", "--json", "--weights", "nosuch"]]
pieces = st.one_of(st.binary(max_size=12), st.sampled_from([
    b"who leads balavia ?", b"\n", b"\r\n", b"\xef\xbb\xbf", b"\xff", b"\x1b[2J", b"\0", b"  "]))


@settings(QUIET, max_examples=180)
@given(st.sampled_from(LINES), st.lists(pieces, max_size=6), st.sampled_from(ENCODINGS), ROOMS,
       ROOMS, st.sampled_from(ERRORS))
def test_any_streams(argv: list[str], typed: list[bytes], encoding: str, out_room: int,
                     err_room: int, error: int) -> None:
    """stdin of any bytes, stdout and stderr that fail after so many, in any encoding."""
    raw_out, out = stream(out_room, error, encoding)
    raw_err, err = stream(err_room, error, encoding)
    before, policy.say = (sys.stdin, sys.stdout, sys.stderr), tell
    forget()
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"".join(typed)), encoding, "strict")
    sys.stdout, sys.stderr = out, err
    try:
        code = main(argv)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        for wrapper in (out, err):                      # what is left in them cannot be written
            with contextlib.suppress(OSError, ValueError):
                wrapper.detach()
    told = raw_err.taken.decode(encoding, "replace")
    sound(code, raw_out.taken.decode(encoding, "replace"), told)
    assert "\x1b" not in told
    if out_room == 10**7:
        assert code != 3 or "input" in told or err_room < 10**7
    if "--json" in argv and out_room == 10**7 and code == 0:
        rest, read = raw_out.taken.decode(encoding).strip(), json.JSONDecoder()
        while rest:                                     # documents and nothing else
            rest = rest[read.raw_decode(rest)[1]:].strip()


# --- files --------------------------------------------------------------------------------
@QUIET
@given(st.one_of(st.binary(max_size=400), st.text(max_size=80).map(
    lambda meta: weights_with(meta) if meta.isascii() else meta.encode())))
def test_any_weights_file(content: bytes) -> None:
    """Refused with a notice, and the shipped ones answer; or, as a record, never believed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "base.safetensors")
        path.write_bytes(content)
        code, out, err = called("ask", "who leads balavia ?", "--json", "--weights", str(path))
    sound(code, out, err)
    assert code == 0 and json.loads(out)["answers"][0]["word"] == "galerbrix"


names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1,
                max_size=120)


@QUIET
@given(names, st.sampled_from([".txt", ".md", ".json", ".html", ""]))
def test_any_name_of_a_handout(name: str, suffix: str) -> None:
    """Written whole under that very name inside the folder, or refused; never a litter."""
    with tempfile.TemporaryDirectory() as folder:
        given_name = f"{folder}/{name.replace('/', '_')}{suffix}"
        code, out, err = called("demo", "01", "--part", "3", "--export", given_name)
        left = os.listdir(folder)
    sound(code, out, err)
    assert left == ([os.path.basename(given_name)] if code == 0 else [])


@pytest.mark.parametrize("seed", [1, 12345, 2**32 - 1])
def test_any_seed(seed: int) -> None:
    sound(*called("demo", "04", "--part", "1,3", "--seed", str(seed)))
    assert sys.exc_info() == (None, None, None)
