"""Does CI refuse a skipped test?  A run of its own, over made-up tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.conftest import MAY_SKIP, ROOT, refused_in_ci

MADE_UP = """
import pytest

def test_asks(): pytest.skip("no such library")
@pytest.mark.skipif(True, reason="never")
def test_marked(): pass
@pytest.mark.xfail
def test_known(): assert False
def test_good(): pass
"""


@pytest.mark.parametrize(("ci", "failed"), [("true", 3), ("", 0)])
def test_a_skip_fails_in_ci_and_only_there(tmp_path, ci: str, failed: int) -> None:
    (tmp_path / "test_made_up.py").write_text(MADE_UP, encoding="utf-8")
    (tmp_path / "test_file.py").write_text("import pytest\npytest.importorskip('no_such')\n",
                                           encoding="utf-8")
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.conftest",
           "--rootdir", str(tmp_path), "-c", os.devnull, "--continue-on-collection-errors",
           str(tmp_path)]
    done = subprocess.run(run, cwd=ROOT, env=os.environ | {"CI": ci, "PYTHONPATH": str(ROOT)},
                          capture_output=True, text=True, timeout=120, check=False)
    last = done.stdout.strip().splitlines()[-1]
    said = sum(int(n) for n in re.findall(r"(\d+) (?:failed|error)", last))
    assert said == failed, done.stdout
    assert (done.returncode == 0) == (failed == 0)


def test_the_list_gives_reasons() -> None:
    assert all(MAY_SKIP.values())
    assert refused_in_ci("tests/a.py::test_x", {})
    assert refused_in_ci("tests/a.py::test_x", {"tests/a.py": ""})
    assert not refused_in_ci("tests/a.py::test_x", {"tests/a.py": "needs a printer"})
