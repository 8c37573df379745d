"""One thread, and a cache of the test run's own: no test sees the user's models."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from lecture.report import Part, Result, run

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")          # before NumPy is imported: two threads are slower

ROOT = Path(__file__).resolve().parent.parent


def hears_interrupts() -> None:
    """A shell that runs the tests in the background hands down a deaf ear for Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def missing(what: str) -> NoReturn:
    """Something of the machine is not there: skip and say what was not tried; fail in CI."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}; with CI set that is a failure")
    pytest.skip(what)


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


# What may be skipped in CI: the beginning of a test's name, and why.
MAY_SKIP: dict[str, str] = {
    "tests/models/test_gpt_parity.py": "two switches of a parameter list have nothing to change",
    "tests/prove/test_same_bytes.py": "a processor without wide vectors has none to switch off",
}


def refused_in_ci(name: str, allowed: dict[str, str]) -> bool:
    """Is a skip of this test an error?  One on the list has a reason there."""
    return not any(name.startswith(start) and reason for start, reason in allowed.items())


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    """With CI set, a test that is skipped has failed: it would guard nothing there."""
    outcome = yield
    report = outcome.get_result()
    if (os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail")
            and refused_in_ci(item.nodeid, MAY_SKIP)):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} is skipped in CI: {call.excinfo}"


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    """The same for a whole file that skips itself."""
    outcome = yield
    report = outcome.get_result()
    if (os.environ.get("CI") and report.skipped
            and refused_in_ci(collector.nodeid, MAY_SKIP)):
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} is skipped in CI: {report.longrepr}"


class Results:
    """Stands for report.run: a part at its own settings, or a control of it, is computed once.

    Whoever changes what it hands out works on a copy.
    """

    def __init__(self) -> None:
        self.kept: dict[tuple[int, int], tuple[Any, Result]] = {}

    def __call__(self, part: Part, params: Any = None, seed: int | None = None,
                 compute: Any = None) -> Result:
        if params or seed is not None:
            return run(part, params, seed, compute)
        key = id(part), id(compute)
        if key not in self.kept:
            self.kept[key] = compute, run(part, compute=compute)    # alive: ids stay theirs
        return self.kept[key][1]


@pytest.fixture(scope="session")
def results() -> Results:
    """The runs of every part, shared by all tests of the session."""
    return Results()


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
