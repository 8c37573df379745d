"""Does another processor print the same bytes?  NumPy and its BLAS are told to be one (K-50).

Other vector widths, other kernels and a second thread add the same numbers in another
order.  What is left between equal numbers then differs, and a square that cancels differs
much more; neither may be seen.  Every setting here is shown to be in force, or the test
says so: in CI there is none to skip.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow
# 04 with its softmax slopes, 08 with its differences from copies, 11 with tiles and windows
SCREENS = (("04", "zh"), ("08", "en"), ("11", "zh"))
FOUND = "import json, numpy; print(json.dumps(numpy.show_config('dicts')['SIMD Extensions']))"


def vector_groups() -> list[str]:
    """What NumPy chose for this processor at run time, from narrow to wide."""
    return list(np.show_config("dicts")["SIMD Extensions"].get("found", []))


def without(widest_only: bool) -> dict[str, str]:
    """NumPy's own switch, for AVX-512 (or the widest there is) or for every group."""
    groups = vector_groups()
    wide = [name for name in groups if name == "X86_V4" or name.startswith("AVX512")]
    off = (wide or groups[-1:]) if widest_only else groups
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(off)}


OLD_KERNELS = {"OPENBLAS_CORETYPE": "Nehalem" if platform.machine() in ("x86_64", "AMD64")
               else "ARMV8"}
SETTINGS = {
    "widest vectors off": lambda: without(widest_only=True),
    "all vectors off, old kernels": lambda: without(widest_only=False) | OLD_KERNELS,
    "two threads": lambda: {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
}


def said(*words: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own; the rest of the environment as it is."""
    return subprocess.run([sys.executable, *words], cwd=ROOT, env=os.environ | env,
                          capture_output=True, timeout=300, check=False)


@cache
def as_it_is(demo: str, lang: str) -> bytes:
    done = said("cli.py", "demo", demo, "--lang", lang, "--width", "80")
    assert done.returncode == 0 and done.stdout
    return done.stdout


@pytest.fixture(params=SETTINGS)
def setting(request: pytest.FixtureRequest) -> dict[str, str]:
    env = SETTINGS[request.param]()
    if "NPY_DISABLE_CPU_FEATURES" in env:
        off = set(env["NPY_DISABLE_CPU_FEATURES"].split())
        if not off:
            assert not os.environ.get("CI"), "NumPy has nothing to switch off on this machine"
            pytest.skip("NumPy has nothing to switch off on this machine")
        left = json.loads(said("-c", FOUND, **env).stdout).get("found", [])
        assert not off & set(left)                      # the switch is heard
    return env


def test_the_screen_is_the_same(setting: dict[str, str]) -> None:
    for demo, lang in SCREENS:
        done = said("cli.py", "demo", demo, "--lang", lang, "--width", "80", **setting)
        here, there = as_it_is(demo, lang).decode(), done.stdout.decode()
        assert there.splitlines() == here.splitlines(), f"demo {demo} {lang}"
        assert done.returncode == 0


def test_k50_every_pin_holds(setting: dict[str, str]) -> None:
    done = said("cli.py", "check", "04", **setting)
    assert done.returncode == 0, done.stdout.decode()
