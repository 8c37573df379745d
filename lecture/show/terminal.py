"""What does the terminal say of itself?  Its background, and how wide it draws a glyph.

A terminal answers on the line it is typed on, so both are asked only where somebody sits there,
with the echo off and for a short time.  OSC 11 asks for the background (xterm, "Operating System
Commands"); the device attributes asked after it are answered by every terminal, so one that knows
no OSC 11 is not waited for.

Left out: what is done with the answer (lecture/show/play.py, lecture/show/doctor.py).
"""

from __future__ import annotations

import os
import re
import sys

from lecture.show.words import luminance

PATIENCE = 0.2                          # s


def talk(question: str, last: str, patience: float = PATIENCE) -> str:
    """What the terminal answers, up to the pattern `last`; "" where nobody answers."""
    try:
        import select
        import termios
        import tty
    except ImportError:                                   # Windows: no reports here
        return ""
    try:
        handle = sys.stdin.fileno()
        before = termios.tcgetattr(handle)
    except (OSError, ValueError, AttributeError, termios.error):
        return ""
    answer = ""
    try:
        tty.setcbreak(handle, termios.TCSADRAIN)
        sys.stdout.write(question)
        sys.stdout.flush()
        while not re.search(last, answer) and select.select([handle], [], [], patience)[0]:
            answer += os.read(handle, 256).decode("ascii", "replace")
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
    return answer


def can_be_asked() -> bool:
    """Is there a terminal at both ends that knows more than plain lines?"""
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()
                and os.environ.get("TERM", "") not in ("", "dumb", "unknown"))


def is_light() -> bool | None:
    """Is the terminal's background a light one?  None where it does not say."""
    if not can_be_asked():
        return None
    answer = talk("\x1b]11;?\x1b\\\x1b[c", r"\x1b\[\?[0-9;]*c")
    found = re.search(r"\x1b\]11;rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)", answer)
    if found:
        # each as 1 to 4 hex digits of the whole
        rgb = "".join(f"{round(255 * int(x, 16) / (16 ** len(x) - 1)):02x}"
                      for x in found.groups())
        return luminance(rgb) > 0.179       # where black can be read better than white
    told = re.fullmatch(r"\d+;(?:\w+;)?(\d+)", os.environ.get("COLORFGBG", ""))
    return int(told[1]) in (7, 15) if told else None
