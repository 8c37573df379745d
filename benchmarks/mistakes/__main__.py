"""Try the bank, the mistakes in other words, the right versions and the hostile files.

    python -m benchmarks.mistakes                    # all, some ten minutes on one thread
    python -m benchmarks.mistakes --only hostile     # one of bank, other_words, right, hostile

Writes mistakes.json beside the package, and what each mistake fails to
lecture/prove/mistakes/fails.json.
"""

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import described
from benchmarks.mistakes.hostile import HOSTILE
from benchmarks.mistakes.other_words import OTHER_WORDS, code_of
from benchmarks.mistakes.right_versions import RIGHT_VERSIONS
from demos import find
from lecture.prove.attempt import attempted, failing
from lecture.prove.mistakes import bank as mistakes
from lecture.prove.tasks import TASKS

FOUND = Path(__file__).resolve().parent.parent / "mistakes.json"
DEMO = {t.name: t.demo for t in TASKS}


def tried(text: str, demo: str, whole: bool = True) -> dict[str, Any]:
    """What a file fails, and what the diagnosis says of it; whole: claims too, not probes alone."""
    entry = find(demo)[0]
    found = attempted(text, entry, None if whole else ())
    return {"demo": demo, "fails": sorted(failing(found, entry.parts())),
            "said": [group for row in found.mistakes for group in row["fits"]],
            "changed": sorted(found.changed), "error": list(found.error or ())}


def the_bank() -> dict[str, Any]:
    rows = {}
    for mistake in mistakes.bank():
        rows[mistake.key] = tried(mistake.code(), DEMO[mistake.function])
        print(mistake.key, len(rows[mistake.key]["fails"]), rows[mistake.key]["said"], flush=True)
    fails = {key: row["fails"] for key, row in rows.items()}
    mistakes.FAILS.write_text(json.dumps({"fails": fails}, indent=1) + "\n", encoding="utf-8")
    return rows


def in_other_words() -> list[dict[str, Any]]:
    rows = []
    for words in OTHER_WORDS:
        rows.append({"mistake": words[0], "way": words[2],
                     **tried(code_of(words), words[1], whole=False)})
        print(words[0], words[2], rows[-1]["said"], flush=True)
    return rows


def right_versions() -> dict[str, dict[str, list[str]]]:
    rows: dict[str, dict[str, list[str]]] = {}
    for demo, ways in RIGHT_VERSIONS.items():
        for way, text in ways.items():
            row = tried(text, demo)
            rows.setdefault(demo, {})[way] = row["fails"] + row["changed"] + row["error"]
            print(demo, way, rows[demo][way], flush=True)
    return rows


def hostile_files() -> dict[str, dict[str, Any]]:
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mine.py")
        for name, (text, _) in HOSTILE.items():
            path.write_text(text, encoding="utf-8")
            done = subprocess.run(
                [sys.executable, "-m", "lecture", "try", "04", str(path), "--part", "1",
                 "--timeout", "10", "--lang", "en", "--width", "200"],
                capture_output=True, text=True, timeout=120)
            last = [line for line in done.stderr.splitlines() if line.startswith("lecture: ")]
            says = last[-1].removeprefix("lecture: ") if last else done.stdout.splitlines()[-1]
            rows[name] = {"code": done.returncode, "says": says}
            print(name, rows[name], flush=True)
    return rows


PARTS: dict[str, Callable[[], Any]] = {"bank": the_bank, "other_words": in_other_words,
                                       "right": right_versions, "hostile": hostile_files}


def main() -> None:
    options = argparse.ArgumentParser(description="What is caught, and what is named?")
    options.add_argument("--only", choices=PARTS)
    chosen = options.parse_args().only
    found = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else {}
    found |= {"machine": described(1), "versions": {
        "python": platform.python_version(), "numpy": np.__version__}}
    warnings.simplefilter("ignore")                 # NaN is what some of them are about
    for part, measure in PARTS.items():
        if chosen in (None, part):
            found[part] = measure()
            FOUND.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
