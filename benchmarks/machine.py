"""What was it measured on?  The processor as far as the system tells it, and its cores."""

from __future__ import annotations

import os
from typing import Any


def described(threads: int) -> dict[str, Any]:
    """The machine as a benchmark's JSON keeps it; threads: how many were used."""
    from lecture.models.identity import processor  # NumPy comes with it: not before threads

    return {"processor": processor(), "cores": os.cpu_count(), "threads": threads}
