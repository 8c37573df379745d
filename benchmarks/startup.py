"""How soon is something on the screen?  `python -m benchmarks.startup [SCRIPT]`
or `python -m benchmarks.startup --against FOLDER [--pairs 31] [--first]`

Whole processes, one after another in turn, so that a drift of the machine meets both:
importing the libraries alone, `lecture --help`, demo 04 until its first part stands
there, demo 04 whole; and, where SCRIPT is given (a script of the lecture's own that runs
on our modules), that script whole. Ratios are pair by pair. Then every demo whole, and
`lecture demo all`. Medians are printed and written to startup.json beside this file.

--against pairs this checkout with another one in FOLDER: demo 04 whole and, in the same
processes, until its first part stands there (the next one's heading is read). Either side
begins every other pair. The ratios are printed, ours over theirs, with those of the processors'
time, which other people's work disturbs less; FOLDER may be a copy of this checkout, which
tells what the machine's noise can look like. --first stops after the first part.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from benchmarks import machine
from demos import REGISTRY

ROOT = Path(__file__).resolve().parent.parent
RESULT = Path(__file__).with_suffix(".json")
RUNS, DEMO_RUNS = 9, 5
BARE = [sys.executable, "-c", "import numpy, typer, rich.console, rich.table"]
HELP = [sys.executable, "-c", "import typer, rich.console; app = typer.Typer()\n"
        "@app.command()\ndef main(n: int = 1): pass\napp(['--help'])"]
DEMO = [sys.executable, str(ROOT / "cli.py"), "demo", "04"]


def environment(top: Path = ROOT) -> dict[str, str]:
    """A user's environment, whose Python finds the checkout at top."""
    kept = {k: v for k, v in os.environ.items() if k not in (
        "PYTHONDONTWRITEBYTECODE", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    return kept | {"PYTHONPATH": str(top), "PYTHONIOENCODING": "utf-8", "LECTURE_LANG": "en"}


def seconds(command: list[str], until: str | None = None) -> float:
    """Wall time of a process, or until a line with this text is read."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=environment(), text=True, encoding="utf-8") as process:
        if until is not None:
            for line in process.stdout or ():
                if until in line:
                    break
            taken = time.perf_counter() - start
            process.kill()
            return taken
        process.communicate()
    return time.perf_counter() - start


def demo_04(top: Path, first_only: bool) -> dict[str, float]:
    """Seconds of a checkout's demo 04: until part 2's heading, whole, and of the processors."""
    first, used = 0.0, resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    with subprocess.Popen([sys.executable, str(top / "cli.py"), "demo", "04"], cwd=top,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=environment(top), text=True, encoding="utf-8") as process:
        for line in process.stdout or ():
            if not first and "04.2" in line:
                first = time.perf_counter() - start
                if first_only:
                    process.kill()
                    break
    whole, now = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if not first or (process.returncode and not first_only):
        raise SystemExit(f"demo 04 of {top} did not come to its end")
    found = {"first part": first} if first_only else {"first part": first, "whole": whole}
    return found | {"processors": now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime}


def against(folder: Path, pairs: int, first_only: bool) -> None:
    """Alternating pairs of this checkout and another; ratios ours / theirs."""
    tops = [ROOT, folder.resolve()]
    for top in tops:                                            # warm the disk, write .pyc
        demo_04(top, first_only)
    times: list[tuple[dict[str, float], dict[str, float]]] = []
    for n in range(pairs):
        if n % 2:
            ours, theirs = demo_04(tops[0], first_only), demo_04(tops[1], first_only)
        else:
            theirs, ours = demo_04(tops[1], first_only), demo_04(tops[0], first_only)
        times.append((ours, theirs))
    print(f"{pairs} pairs: {tops[0]} / {tops[1]}")
    for name in times[0][0]:
        ratios = [ours[name] / theirs[name] for ours, theirs in times]
        low, middle, high = statistics.quantiles(ratios, n=4)
        sides = [statistics.median(side[name] for side in column)
                 for column in zip(*times, strict=True)]
        print(f"| demo 04, {name} | {sides[0]:.3f} s | {sides[1]:.3f} s | median of ratios "
              f"{middle:.3f} | quarters {low:.3f} to {high:.3f} | ours less in "
              f"{sum(r < 1 for r in ratios)} of {pairs} |", flush=True)


def main(script: str | None) -> None:
    commands: dict[str, tuple[list[str], str | None]] = {
        "import numpy, typer, rich": (BARE, None),
        "bare typer --help": (HELP, None),
        "lecture --help": ([sys.executable, str(ROOT / "cli.py"), "--help"], None),
        "demo 04, first part": (DEMO, "measured answer"),
        "demo 04, whole": (DEMO, None),
    }
    if script:
        commands["the lecture's script, whole"] = ([sys.executable, script], None)
    for command, until in commands.values():                    # warm the disk, write .pyc
        seconds(command, until)
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, (command, until) in commands.items():
            times[name].append(seconds(command, until))
    pairs = [("demo 04, first part", "import numpy, typer, rich"),
             ("lecture --help", "bare typer --help")]
    if script:
        pairs.append(("demo 04, whole", "the lecture's script, whole"))
    ratios = {f"{a} / {b}": [x / y for x, y in zip(times[a], times[b], strict=True)]
              for a, b in pairs}
    medians = {name: statistics.median(found) for name, found in times.items()}
    spread = {name: [min(found), max(found)] for name, found in times.items()}
    for name, median in medians.items():
        print(f"| {name} | {median:.3f} | {spread[name][0]:.3f} to {spread[name][1]:.3f} |")
    for name, found in ratios.items():
        print(f"| {name} | {statistics.median(found):.2f} | {min(found):.2f} to "
              f"{max(found):.2f} |")
    # bare imports once a round: what two seconds mean on a machine that is busy elsewhere
    every: dict[str, list[float]] = {"bare": []} | {e.code: [] for e in REGISTRY} | {"all": []}
    for _ in range(DEMO_RUNS):
        for code, found in every.items():
            found.append(seconds(BARE if code == "bare" else
                                 [sys.executable, str(ROOT / "cli.py"), "demo", code]))
    for code, found in every.items():
        print(f"| demo {code} | {statistics.median(found):.2f} | {min(found):.2f} to "
              f"{max(found):.2f} |")
    RESULT.write_text(json.dumps({
        "machine": machine.described(threads=2),
        "versions": {"python": platform.python_version()} | {
            name: version(name) for name in ("numpy", "typer", "rich")},
        "runs": RUNS, "median_seconds": medians, "least_and_most": spread, "ratios": ratios,
        "demos": every}, indent=1) + "\n")


if __name__ == "__main__":
    reader = argparse.ArgumentParser()
    reader.add_argument("script", nargs="?")
    reader.add_argument("--against", type=Path, metavar="FOLDER")
    reader.add_argument("--pairs", type=int, default=31)
    reader.add_argument("--first", action="store_true")
    asked = reader.parse_args()
    if asked.against:
        against(asked.against, asked.pairs, asked.first)
    else:
        main(asked.script)
