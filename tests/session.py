"""A session on a real pseudo-terminal, as text: what is typed, and what stands there after."""

from __future__ import annotations

import os
import sys
import tempfile

import pexpect

from tests.conftest import ROOT

WORDS = ["demo", "04", "--ask", "--part", "1", "--color", "never", "--lang", "en"]
VOTES = [("skips:", "A 12 B 30 C 4"), ("goes on:", "A 2 B 10 C 34")]


def record() -> str:
    """The room votes, talks and votes again; nothing of it is kept."""
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    with tempfile.TemporaryDirectory() as folder:
        env |= {"TERM": "xterm", "PYTHONIOENCODING": "utf-8", "LECTURE_DATA_DIR": folder}
        child = pexpect.spawn(sys.executable, [str(ROOT / "cli.py"), *WORDS], env=env,
                              cwd=str(ROOT), dimensions=(90, 80), encoding="utf-8", timeout=60)
        text = ""
        for prompt, votes in VOTES:
            child.expect(prompt)
            text += child.before + child.after
            child.sendline(votes)
        child.expect(pexpect.EOF)
        text += child.before
        child.close()
    assert child.exitstatus == 0
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    return f"$ lecture {' '.join(WORDS)}\n" + "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    print(record(), end="")
