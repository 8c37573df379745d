"""Is an installed course ours alone, whatever else lies in the same environment?

A distribution made here brings packages called `console`, `cli`, `commands` and `demos`, each
raising on import, and the command is given from a folder with files of these names too. The
course is installed beside it as a wheel and as an editable checkout; both must print what the
checkout prints. Nothing is downloaded: the environments see the libraries of the running one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow
FOREIGN = ("console", "cli", "commands", "demos")
RAISES = "raise ImportError('the foreign {name}')\n"
SWEEP = ("check", "02", "--retrain", "--seeds", "2")
# A scheduler and one worker that know nothing of the course, and the command beside them.
CLUSTER = """
import subprocess, sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, host="127.0.0.1",
                      dashboard_address=None) as cluster:
        sys.exit(subprocess.run([*sys.argv[1:], "--scheduler", cluster.scheduler_address],
                                check=False).returncode)
"""


def run(command: list[str], cwd: Path, cache: Path, **more: str) -> subprocess.CompletedProcess:
    """A process that knows nothing of the checkout the tests run in."""
    clean = {k: v for k, v in os.environ.items()
             if not k.startswith(("LECTURE_", "LC_", "PYTHON")) and k not in ("COLUMNS", "LANG")}
    return subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True,
                          encoding="utf-8", timeout=300, env=clean | {
                              "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8",
                              "LECTURE_LANG": "en", "LECTURE_CACHE_DIR": str(cache)} | more)


def pip(python: Path | str, *words: str) -> None:
    """pip of the running environment, at work on another one, without the network."""
    done = run([sys.executable, "-m", "pip", "--python", str(python), "--no-cache-dir",
                "--disable-pip-version-check", *words], Path.cwd(), Path.cwd())
    assert done.returncode == 0, done.stdout + done.stderr


def hostile(folder: Path) -> Path:
    """A folder with modules of our names, each raising on import."""
    folder.mkdir()
    for name in FOREIGN[:-1]:
        (folder / f"{name}.py").write_text(RAISES.format(name=name))
    (folder / "demos").mkdir()
    (folder / "demos/__init__.py").write_text(RAISES.format(name="demos"))
    return folder


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The checkout again, since building and installing leave folders behind."""
    folder = tmp_path_factory.mktemp("copy") / "course"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(
        ".*", "__pycache__", "*.egg-info", "build", "dist", "venv"))
    return folder


@pytest.fixture(scope="module")
def wheel(copy) -> Path:
    pip(sys.executable, "wheel", "-q", "--no-deps", "--no-index", "--no-build-isolation",
        "--wheel-dir", str(copy.parent), str(copy))
    (found,) = copy.parent.glob("lecture-*.whl")
    return found


@pytest.fixture(scope="module")
def foreign(tmp_path_factory) -> Path:
    """The source of a distribution whose packages have our names."""
    folder = tmp_path_factory.mktemp("foreign")
    for name in FOREIGN:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(RAISES.format(name=name))
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "foreign"\nversion = "1"\n'
        f"[tool.setuptools]\npackages = {list(FOREIGN)}\n")
    return folder


@pytest.fixture(scope="module", params=["wheel", "editable"])
def installed(request, foreign, tmp_path_factory) -> Path:
    """The folder of programs of an environment with the foreign distribution and the course."""
    folder = tmp_path_factory.mktemp(request.param) / "venv"
    venv.create(folder, symlinks=os.name != "nt")
    bin_ = folder / ("Scripts" if os.name == "nt" else "bin")
    where = ["-e", str(request.getfixturevalue("copy"))] if request.param == "editable" \
        else [str(request.getfixturevalue("wheel"))]
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    # A line in a .pth file, not a site folder: an editable course of the running environment
    # stays unknown. pip needs setuptools from there, and would see that course: --ignore-installed.
    (site / "running.pth").write_text("\n".join(dict.fromkeys(
        sysconfig.get_path(kind) for kind in ("purelib", "platlib"))))
    pip(bin_ / "python", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation",
        "--ignore-installed", "--no-compile", str(foreign), *where)
    return bin_


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What the checkout answers, asked once a command."""
    cache, known = tmp_path_factory.mktemp("cache"), {}

    def ask(*words: str) -> tuple[int, str]:
        if words not in known:
            done = run([sys.executable, str(ROOT / "cli.py"), *words], ROOT, cache)
            known[words] = done.returncode, done.stdout
        return known[words]

    return ask


def test_the_wheel_holds_all_of_ours_and_nothing_loose(wheel) -> None:
    """Every file of the lesson, the course and the demos, each below lecture/."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    here = {path.relative_to(ROOT).as_posix() for folder in ("lecture", "demos")
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts}
    here |= {path.name for path in ROOT.glob("*.py")}
    assert {"lecture/py.typed", "demos/d04_attention/pins.json",
            "demos/weights/base.safetensors", "console.py"} <= here
    assert names == {name if name.startswith("lecture/") else f"lecture/_top/{name}"
                     for name in here}


def test_the_trap_is_set(installed, tmp_path) -> None:
    """Without the course, each of the four names is the foreign one."""
    for name in FOREIGN:
        done = run([str(installed / "python"), "-c", f"import {name}"], tmp_path, tmp_path)
        assert f"ImportError: the foreign {name}" in done.stderr


def test_the_course_is_the_installed_one(installed, tmp_path) -> None:
    """And not the one of the environment that runs the tests."""
    done = run([str(installed / "python"), "-c", "import lecture, console; print(lecture.TOP);"
                "print(console.__file__)"], tmp_path, tmp_path)
    top, console = map(Path, done.stdout.splitlines())
    assert console == top / "console.py"
    inside = installed.parent.resolve() in top.resolve().parents
    assert inside or top.name == "course" and top.resolve() != ROOT


@pytest.mark.parametrize("words", [("--version",), ("list",), ("demo", "04"), ("check", "04")],
                         ids=" ".join)
def test_the_command_says_what_the_checkout_says(installed, expected, tmp_path, words) -> None:
    done = run([str(installed / "lecture"), *words], hostile(tmp_path / "here"), tmp_path)
    assert (done.stderr, done.returncode, done.stdout) == ("", *expected(*words))
    assert done.returncode == 0 and done.stdout


def test_a_students_file_is_tried_with_ours(installed, tmp_path) -> None:
    """The process it is held in finds the course too, whatever lies beside the file."""
    from lecture.prove.mistakes.bank import right

    here = hostile(tmp_path / "here")
    (here / "mine.py").write_text(right("rms_norm"), encoding="utf-8")
    done = run([str(installed / "lecture"), "try", "09", "mine.py", "--part", "2"], here, tmp_path,
               PYTHONPATH=str(here))
    assert done.returncode == 0 and "rms_norm" in done.stdout, done.stderr


@pytest.mark.parametrize("words", [("--version",), ("list",), ("demo", "04")], ids=" ".join)
def test_the_module_does_too(installed, expected, tmp_path, words) -> None:
    """`python -m` puts the folder one stands in before all else, and so does PYTHONPATH."""
    here = hostile(tmp_path / "here")
    done = run([str(installed / "python"), "-m", "lecture", *words], here, tmp_path,
               PYTHONPATH=str(here))
    assert (done.stderr, done.returncode, done.stdout) == ("", *expected(*words))


@pytest.mark.parametrize("start", ["command", "module"])
def test_worker_processes_find_ours(installed, expected, tmp_path, start) -> None:
    """Spawned ones, which import everything anew; on one core the sweep trains by itself."""
    command = [str(installed / "lecture")] if start == "command" else [
        str(installed / "python"), "-m", "lecture"]
    done = run([*command, *SWEEP], hostile(tmp_path / "here"), tmp_path / "cache")
    assert "trained senses, seed 1" in done.stderr
    assert (done.returncode, done.stdout) == expected(*SWEEP)


def test_a_dask_worker_finds_ours(installed, expected, tmp_path) -> None:
    """It meets the course only when a training arrives."""
    pytest.importorskip("distributed")
    here = hostile(tmp_path / "here")
    (here / "cluster.py").write_text(CLUSTER)
    done = run([str(installed / "python"), "cluster.py", str(installed / "lecture"), *SWEEP,
                "--engine", "dask"], here, tmp_path / "cache")
    assert "trained senses, seed 1" in done.stderr
    assert (done.returncode, done.stdout) == expected(*SWEEP)
