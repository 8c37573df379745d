"""What was it measured on?  The processor as far as the system tells it, and its cores."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any


def processor() -> str:
    """The processor's name; the architecture where the system tells no name."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def described(threads: int) -> dict[str, Any]:
    """The machine as a benchmark's JSON keeps it; threads: how many were used."""
    return {"processor": processor(), "cores": os.cpu_count(), "threads": threads}
