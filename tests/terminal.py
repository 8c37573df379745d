"""A terminal as a person sees it: a pseudo-terminal, and an emulator that keeps its screen."""

from __future__ import annotations

import os
import re
import sys
import termios
import time
from pathlib import Path

import pexpect
import pyte

from tests.conftest import ROOT, hears_interrupts

CLOCK = re.compile(r" \d+:\d\d\b")
PATIENCE = 90.0                          # s; only a fault waits so long


class Terminal:
    """`lecture` at a terminal of so many columns and rows."""

    def __init__(self, *words: str, columns: int = 80, rows: int = 24, lang: str = "en",
                 data: Path | None = None, **env: str) -> None:
        kept = {k: v for k, v in os.environ.items()
                if k not in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "LECTURE_THEME")}
        kept |= {"TERM": "xterm-256color", "LECTURE_LANG": lang, "PYTHONIOENCODING": "utf-8"}
        if data is not None:
            kept["LECTURE_DATA_DIR"] = str(data)
        self.child = pexpect.spawn(sys.executable, [str(ROOT / "cli.py"), *words], env=kept | env,
                                   cwd=str(ROOT), dimensions=(rows, columns), encoding="utf-8",
                                   timeout=PATIENCE, preexec_fn=hears_interrupts)
        self.before = termios.tcgetattr(self.child.child_fd)
        self.screen = pyte.Screen(columns, rows)
        # what a terminal is asked (where the cursor is, what it can do) it answers
        self.screen.write_process_input = self.child.send
        self.stream = pyte.Stream(self.screen)
        self.raw = ""

    def read(self, seconds: float = 0.1) -> bool:
        """Take what comes within a moment; False at the end."""
        try:
            text = self.child.read_nonblocking(65536, seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += text
        self.stream.feed(text)
        return True

    @property
    def lines(self) -> list[str]:
        """What stands on the screen."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """The same as one text."""
        return "\n".join(self.lines)

    @property
    def status(self) -> str:
        """The last line."""
        return self.lines[-1]

    def until(self, *words: str, without: str | None = None) -> str:
        """Wait till all of these stand on the screen; the screen."""
        end = time.monotonic() + PATIENCE
        while not all(word in self.text for word in words) or (without and without in self.text):
            if not self.read() or time.monotonic() > end:
                raise AssertionError(f"{words} without {without!r} never stood here:\n{self.text}")
        return self.text

    def send(self, keys: str, *words: str, without: str | None = None) -> str:
        """Type, then wait."""
        self.child.send(keys)
        return self.until(*words, without=without)

    def resize(self, columns: int, rows: int) -> None:
        """Another font."""
        self.child.setwinsize(rows, columns)
        self.screen.resize(rows, columns)

    def quiet(self) -> str:
        """Wait till nothing but the clock moves for a moment; the screen."""
        end, seen, still = time.monotonic() + 10, self.text, 0
        while still < 3 and time.monotonic() < end and self.read(0.2):
            now = "\n".join(line for line in self.lines if not CLOCK.search(line))
            seen, still = now, still + 1 if now == seen else 0
        return self.text

    def ended(self) -> int:
        """Wait for the end; the exit code. Nothing is left in the terminal's state."""
        while self.read():
            pass
        after = termios.tcgetattr(self.child.child_fd) if not self.child.closed else self.before
        self.child.close()
        for switch in ("1049", "2004", "1"):        # alternate screen, paste marks, cursor keys
            assert self.raw.count(f"\x1b[?{switch}h") <= self.raw.count(f"\x1b[?{switch}l"), switch
        hidden, shown = self.raw.rfind("\x1b[?25l"), self.raw.rfind("\x1b[?25h")
        assert hidden <= shown, "the cursor is still hidden"
        assert after[:4] == self.before[:4]
        code = self.child.exitstatus
        return -int(self.child.signalstatus or 0) if code is None else int(code)
