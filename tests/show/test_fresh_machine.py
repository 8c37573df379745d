"""K-69: what do the tests say on a machine without Chromium and without Chinese fonts?"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT, missing


def run(ci: bool, browser: str = "None") -> subprocess.CompletedProcess[str]:
    """The two test files where neither browser nor font is found, in a process of its own."""
    probe = ("import sys, shutil, pytest\n"
             f"shutil.which = lambda *_, **__: {browser}\n"
             "from lecture.show import figures\n"
             "figures.CHINESE = ('no such family',)\n"
             "sys.exit(pytest.main(['-p', 'no:cacheprovider', '-k', "
             "'contrast or (written and zh)', "
             "'tests/show/test_page.py', 'tests/show/test_figures.py']))\n")
    env = {k: v for k, v in os.environ.items() if k != "CI"} | ({"CI": "true"} if ci else {})
    return subprocess.run([sys.executable, "-c", probe], cwd=ROOT, env=env, text=True,
                          capture_output=True, check=False)


def test_k69_without_browser_and_font_tests_pass_and_say_what_was_not_tried() -> None:
    done = run(ci=False)
    assert done.returncode == 0, done.stdout
    assert "not tried in a browser" in done.stdout and "2 skipped" in done.stdout
    assert "no picture with Chinese words was tried" in done.stdout


def test_k69_a_browser_that_does_not_start_is_no_browser() -> None:
    done = run(ci=False, browser="'/bin/false'")
    assert done.returncode == 0, done.stdout
    assert "Chromium does not start" in done.stdout and "2 skipped" in done.stdout


def test_k69_in_ci_a_missing_browser_is_a_failure() -> None:
    done = run(ci=True)
    assert done.returncode == 1 and "with CI set that is a failure" in done.stdout
    assert "skipped" not in done.stdout.splitlines()[-1]


def test_missing_skips_or_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="nothing"):
        missing("nothing")
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="nothing"):
        missing("nothing")
