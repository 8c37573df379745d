"""One thread, and a cache of the test run's own: no test sees the user's models."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")          # before NumPy is imported: two threads are slower

ROOT = Path(__file__).resolve().parent.parent


def hears_interrupts() -> None:
    """A shell that runs the tests in the background hands down a deaf ear for Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory):
    """Models that tests train go here, not into the user's cache."""
    folder = tmp_path_factory.mktemp("cache")
    before = os.environ.get("LECTURE_CACHE_DIR")
    os.environ["LECTURE_CACHE_DIR"] = str(folder)
    yield folder
    if before is None:
        del os.environ["LECTURE_CACHE_DIR"]
    else:
        os.environ["LECTURE_CACHE_DIR"] = before


@pytest.fixture
def lecture():
    """Run the command in a process of its own, as a user does."""

    def run(*args: str, env: dict[str, str] | None = None, **options):
        clean = {k: v for k, v in os.environ.items()
                 if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "LECTURE_LANG", "LANG",
                              "LC_ALL", "LC_MESSAGES", "PYTHONIOENCODING")}
        clean |= {"PYTHONIOENCODING": "utf-8", "TERM": "xterm"} | (env or {})
        options.setdefault("capture_output", True)
        return subprocess.run([sys.executable, str(ROOT / "cli.py"), *args], env=clean,
                              cwd=options.pop("cwd", ROOT), timeout=300, check=False, **options)

    return run
