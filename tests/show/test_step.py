"""Stepping and asking on a real pseudo-terminal, key by key."""

from __future__ import annotations

import os
import re
import sys

import pexpect
import pytest

from lecture.show.present import read_votes
from tests.conftest import ROOT, hears_interrupts

KEYS = "Enter next"


def start(*words: str, columns: int = 100) -> pexpect.spawn:
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    env |= {"TERM": "xterm-256color", "LECTURE_LANG": "en", "PYTHONIOENCODING": "utf-8"}
    return pexpect.spawn(sys.executable, [str(ROOT / "cli.py"), "demo", "04", *words], env=env,
                         cwd=str(ROOT), dimensions=(50, columns), encoding="utf-8", timeout=60,
                         preexec_fn=hears_interrupts)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_keys_go_on_back_jump_and_quit() -> None:
    child = start("--step", "--part", "1,3")
    child.expect("04.1")
    child.expect("Predict")
    child.expect(KEYS)
    assert "Weight on the four" not in plain(child.before)     # nothing before the vote
    child.send("\r")
    child.expect("Weight on the four")
    child.expect(KEYS)
    child.send(" ")
    child.expect("Observations")
    child.expect(KEYS)
    child.send("b")                                              # the scene before, again
    child.expect("Weight on the four")
    child.expect(KEYS)
    child.send("3\r")
    child.expect("04.3")
    child.expect(KEYS)
    child.send("r")
    child.expect("04.3")
    child.expect(KEYS)
    child.send("9\r")
    child.expect("there is no part 9")
    child.expect(KEYS)
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert not plain(child.before).rsplit("\r", 1)[-1].strip()  # the help line is gone


def test_a_setting_is_changed_and_the_part_runs_anew() -> None:
    child = start("--step", "--part", "1")
    child.expect(KEYS)
    child.send("s")
    child.expect("Which parameter")
    child.sendline("beta=banana")
    child.expect("cannot be 'banana'")
    child.expect(KEYS)
    child.send("s")
    child.expect("Which parameter")
    child.sendline("beta=3")
    for _ in range(2):
        child.expect(KEYS)
        child.send("\r")
    child.expect("Observations")
    child.expect(KEYS)
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_ask_takes_one_answer_then_a_tally() -> None:
    child = start("--ask", "--part", "1")
    child.expect("Type A-D")
    child.sendline("Z")                                          # neither: asked again
    child.expect("Type A-D")
    child.sendline("a 12, B 30 C 4")
    child.expect("The room's vote")
    child.expect("Answer C")
    child.expect(r"4 of 46 in the room were right \(9%\)")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0

    child = start("--ask", "--part", "1")
    child.expect("Type A-D")
    child.sendline("C")
    child.expect("Your answer was right")
    child.expect(pexpect.EOF)


def test_ctrl_c_in_a_pause_is_130_and_leaves_a_clean_terminal() -> None:
    child = start("--step", "--part", "1")
    child.expect(KEYS)
    child.sendintr()
    child.expect("interrupted")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130


def test_without_a_terminal_it_is_the_plain_run(lecture) -> None:
    plain_run = lecture("demo", "04", "--part", "1")
    for words in (["--step"], ["--ask"], ["--step", "--ask"]):
        done = lecture("demo", "04", "--part", "1", *words, input=b"")
        assert (done.returncode, done.stdout) == (0, plain_run.stdout)


@pytest.mark.parametrize(("text", "votes"), [
    ("", {}), (" b ", {"B": 1}), ("A 12 B 30 C 4", {"A": 12, "B": 30, "C": 4}),
    ("a12b30", {"A": 12, "B": 30}), ("A: 3, D = 0", {"A": 3, "D": 0}),
    ("E", None), ("A 1 A 2", None), ("hello", None), ("A 99999", None), ("12", None)])
def test_read_votes(text: str, votes) -> None:
    assert read_votes(text, "ABCD") == votes
