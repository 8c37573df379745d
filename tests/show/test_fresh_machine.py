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
             "figures.chinese_family = lambda: None\n"
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
    assert "that this is said was tried, the pictures were not" in done.stdout


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


# --- README's own command -------------------------------------------------------------------
BLOCKED = ("torch", "transformers", "matplotlib", "playwright", "distributed", "dask", "tokenizers",
           "PIL", "cryptography", "sacrebleu", "pexpect", "hypothesis", "pytest")
BARE = """
import os, stat, sys
for name in {blocked!r}:
    sys.modules[name] = None                    # as where only the course itself is installed
import cli
words = sys.argv[1:]
# another user may not read an interpreter in root's home: all it needs is read before
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
    cli.main(words)
from lecture.models import cache
cache.forget()
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(54321)
    os.setuid(54321)
    assert not os.access({root!r}, os.W_OK)     # the project's folder may only be read
seen = []
sys.addaudithook(lambda event, args: seen.append(args[0]) if event == "open"
                 and isinstance(args[1], str) and set(args[1]) & set("wax+") else None)
code = cli.main(words)
assert all(path == os.devnull for path in seen), seen       # and nothing was tried
sys.exit(code)
"""


@pytest.mark.parametrize("words", [("demo", "04"), ("ask", "who leads balavia ?", "--json"),
                                   ("doctor", "--quick"), ("list",)], ids=" ".join)
def test_readme_s_command_bare_as_nobody_without_a_home(words: tuple[str, ...]) -> None:
    """No torch, no extras, no browser; another user, who may write neither here nor at home."""
    keep = ("PATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
    env = {k: v for k, v in os.environ.items() if k in keep} | {
        "PYTHONPATH": str(ROOT), "HOME": "/proc", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1"}
    probe = BARE.format(blocked=BLOCKED, root=str(ROOT))
    done = subprocess.run([sys.executable, "-c", probe, *words], cwd="/", env=env, text=True,
                          capture_output=True, check=False, timeout=120)
    assert "Traceback" not in done.stderr and "fault of ours" not in done.stderr, done.stderr
    if words[0] == "doctor":                            # which says that no cache can be kept
        assert done.returncode == 3 and "LECTURE_CACHE_DIR" in done.stdout
        return
    assert (done.returncode, done.stderr) == (0, "")
    if words[0] == "demo":                              # all five parts, in Chinese
        assert all(f"\n04.{n}  " in done.stdout for n in range(1, 6)) and "观察" in done.stdout


def test_the_tests_start_where_nothing_may_be_written(tmp_path) -> None:
    """pytest on a folder it may only read, with no home: a quick file passes, nothing is left."""
    before = sorted(os.listdir(ROOT))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/test_files.py"],
        cwd=ROOT, text=True, capture_output=True, check=False, timeout=120,
        env=os.environ | {"HOME": "/proc", "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stdout
    assert sorted(os.listdir(ROOT)) == before
