"""Any words on the command line: never a traceback, always a documented exit code."""

from __future__ import annotations

import contextlib
import io
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli import main

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


@pytest.mark.parametrize("seed", [1, 12345, 2**32 - 1])
def test_any_seed(seed: int) -> None:
    sound(*called("demo", "04", "--part", "1,3", "--seed", str(seed)))
    assert sys.exc_info() == (None, None, None)
