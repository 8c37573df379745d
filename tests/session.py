"""A session on a real pseudo-terminal, as text: what is typed, and what stands there after."""

from __future__ import annotations

import os
import sys

import pexpect

from tests.conftest import ROOT

WORDS = ["demo", "04", "--step", "--ask", "--part", "1", "--color", "never", "--lang", "en"]


def record() -> str:
    """The room votes, then goes on with Enter until the end."""
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    env |= {"TERM": "xterm", "PYTHONIOENCODING": "utf-8"}
    child = pexpect.spawn(sys.executable, [str(ROOT / "cli.py"), *WORDS], env=env, cwd=str(ROOT),
                          dimensions=(50, 80), encoding="utf-8", timeout=60)
    text = ""
    child.expect("skips:")
    text += child.before + child.after
    child.sendline("A 12 B 30 C 4")
    while True:
        which = child.expect(["q quit", pexpect.EOF])
        text += child.before + ("" if which else child.after)
        if which:
            break
        child.send("\r")
    child.close()
    assert child.exitstatus == 0
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        # a line that was written over: what stands there at the end
        lines.append(next((part for part in reversed(line.split("\r")) if part.strip()
                           and not part.startswith("Enter next")), "").rstrip())
    return f"$ lecture {' '.join(WORDS)}\n" + "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    print(record(), end="")
