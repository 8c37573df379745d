"""Draw the lies, tell them one at a time, count.  See the package's docstring.

    python -m benchmarks.falsehoods --work FOLDER            # 300 and more; resumes where it was
    python -m benchmarks.falsehoods --count 60 --seed 1 --only 04 --work FOLDER

The tree is a commit's (--commit, HEAD unless told), never what happens to lie in the checkout.
In the work folder stand a copy of it that is never changed, one copy a worker, and results.jsonl,
a line a lie.  Killed, the bench goes on where it was: what was judged of the same tree is not
judged again.  A lie of a demo is judged by that demo; a bent function of a shared room by the
demos that call it (noted once), the quickest first, until one has seen it; a record and a model by
the manifest and, where that accepts them, by the first demo that names them.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from queue import Queue
from threading import Lock
from typing import Any

from benchmarks import machine
from benchmarks.falsehoods import LEAST, tables
from benchmarks.falsehoods.kinds import Lie, differs, told_of
from lecture.files import write_whole

ROOT = Path(__file__).resolve().parents[2]
RESULT = Path(__file__).resolve().parents[1] / "falsehoods.json"
ROOMS = ("attention_np.py", "console.py", "lecture/report.py", "lecture/margins.py",
         "lecture/quantities.py", "lecture/lab/*.py", "lecture/models/*_np.py",
         "lecture/models/beam.py")
GUARD = ("a threshold loosened", "a sign in a margin", "a control", "the notes' figure")
DECIDES = ("benchmarks/falsehoods/judge.py", "benchmarks/falsehoods/kinds.py")
LIMIT = 120                          # seconds of the processor: then a mutant never ends
TRIES = 6                            # how often another is drawn for one that changes nothing


def listed(commit: str) -> dict[str, str]:
    """The files of a commit, each with the digest git gives it."""
    told = subprocess.run(["git", "ls-tree", "-r", "-z", commit], cwd=ROOT,
                          capture_output=True, check=True, text=True).stdout
    files = [line.partition("\t") for line in told.split("\0") if line]
    return {name: head.split()[2] for head, _, name in files}


class Bench:
    """Copies of a commit, what the unchanged one says, and the judging of a lie."""

    def __init__(self, work: Path, workers: int, commit: str) -> None:
        self.work, blobs = work, listed(commit)
        self.commit = subprocess.run(["git", "rev-parse", "--short", commit], cwd=ROOT, text=True,
                                     capture_output=True, check=True).stdout.strip()
        self.files = sorted(blobs)
        self.known: dict[str, Any] = {}
        told = [(name, blobs[name]) for name in self.files
                if name.startswith(("demos/", "lecture/")) or name in DECIDES
                or ("/" not in name and name.endswith(".py"))]
        self.tree = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]
        self.base = work / f"base-{self.tree}"
        self.base.mkdir(exist_ok=True)
        if not (self.base / "settled").exists():
            archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True,
                                     check=True).stdout
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                tar.extractall(self.base, filter="data")
            self.settle()
        self.known = self.told()
        self.copies: Queue[Path] = Queue()
        for i in range(workers):
            self.copy(self.base, work / f"copy{i}")
            self.copies.put(work / f"copy{i}")

    def told(self) -> dict[str, Any]:
        """What the unchanged copy says of each demo, as far as it has been asked."""
        return {path.stem[-2:]: json.loads(path.read_text(encoding="utf-8"))
                for path in sorted(self.work.glob(f"known-{self.tree}-*.json"))}

    def copy(self, old: Path, new: Path) -> None:
        shutil.rmtree(new, ignore_errors=True)
        for name in self.files:
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(old / name, new / name)

    def judge(self, top: Path, code: str, *options: str) -> dict[str, Any]:
        """What the command says of demo `code` in the copy `top`."""
        env = {k: v for k, v in os.environ.items() if not k.startswith("LECTURE_")} | {
            "PYTHONPATH": str(top), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8",
            "LECTURE_CACHE_DIR": str(self.work / "cache")}
        known = json.dumps(self.known[code]["lines"]) if code in self.known else "[]"
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.falsehoods.judge", code, "--known", known,
             "--store", str(self.work / "computed"), "--limit", str(LIMIT), *options],
            cwd=top, env=env, capture_output=True, text=True)
        if done.returncode < 0:                             # the limit of the processor's time
            return {"code": -1, "lines": ["never ends"], "metrics": {}, "never": True}
        try:
            found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            return {"code": 3, "lines": done.stderr.strip().splitlines()[-1:], "metrics": {},
                    "again": 3, "lines again": done.stderr.strip().splitlines()[-1:]}
        return found

    def settle(self) -> None:
        """Accept what the unchanged copy measures, and keep what it says after that."""
        from demos import REGISTRY

        start, done = time.perf_counter(), self.told()
        for code in [e.code for e in REGISTRY if e.code not in done]:
            known = self.judge(self.base, code, "--notes", "--look")
            if known["code"]:       # it is not as recorded: that is accepted, in the copies only
                print(f"  before any lie {code} has {len(known['lines'])} lines, such as: "
                      f"{known['lines'][0][:100]}", file=sys.stderr)
                self.judge(self.base, code)
                known |= {key: value for key, value in self.judge(
                    self.base, code, "--look").items()
                    if key not in ("called", "seconds")}
            write_whole(self.work / f"known-{self.tree}-{code}.json",
                        json.dumps(known, ensure_ascii=False))
            print(f"the unchanged copy, {code}: {time.perf_counter() - start:.0f} s",
                  file=sys.stderr, flush=True)
        (self.base / "settled").touch()

    # --- one lie --------------------------------------------------------------------------
    def demos_of(self, lie: Lie) -> list[str]:
        """The demos a lie is judged by, the quickest first."""
        codes = sorted(self.known, key=lambda c: float(self.known[c]["seconds"]))
        path = Path(lie.file)
        if path.parts[0] == "demos" and path.parts[1].startswith("d"):
            return [path.parts[1][1:3]]
        if lie.function:
            call = [lie.file, lie.function]
            return [c for c in codes if call in self.known[c]["called"]]
        named = [c for c in sorted(codes) if any(
            f'"{path.stem}"' in p.read_text(encoding="utf-8")
            for p in self.base.glob(f"demos/d{c}_*/*.py"))]
        return named[:1] or ["04"]

    def tell(self, lie: Lie) -> dict[str, Any]:
        """Put it into a copy, ask, and make the copy whole again."""
        top, start = self.copies.get(), time.perf_counter()
        seen = named = refused = never = False
        lines: list[str] = []
        again: list[str] = []
        made = lie.file.endswith((".json", ".safetensors"))
        differs = made or lie.kind in GUARD
        target = top / lie.file
        codes = self.demos_of(lie)
        try:
            asks: list[tuple[str, tuple[str, ...]]] = [(code, ()) for code in codes]
            for code, options in ([(codes[0], ("--files",))] if made else []) + asks:
                target.write_bytes(lie.applied((self.base / lie.file).read_bytes()))
                found, known = self.judge(top, code, *options), self.known[code]
                self.mend(top, lie.file, code)
                if found.get("never"):
                    never = True
                    break
                new = [line for line in found["lines"] if line not in known["lines"]]
                if found["code"] and new:
                    seen = True
                    named |= found["code"] == 1
                    lines = lines or new
                    still = [x for x in found["lines again"] if x not in known["lines"]]
                    refused |= bool(found["again"] and still)
                    again = again or still
                elif found["metrics"] != known["metrics"] or found["shown"] != known["shown"]:
                    differs = True
                if refused or (seen and not options):
                    break
        finally:
            self.copies.put(top)
        return {"id": lie.id, "kind": lie.kind, "tells": lie.tells, "tree": self.tree,
                "demo": codes[0] if lie.file.startswith("demos/d") else "room",
                "seen": seen, "named": named, "refused": refused,
                "mute": never or not (seen or differs), "never": never, "lines": lines[:3],
                "again": again[:2], "judged by": codes,
                "seconds": round(time.perf_counter() - start, 2)}

    def mend(self, top: Path, file: str, code: str) -> None:
        """Put back whatever the lie or --accept changed."""
        for name in (file, "demos/MANIFEST.json", *(n for n in self.files if n.startswith(
                f"demos/d{code}_") and not n.endswith(".py"))):
            shutil.copy2(self.base / name, top / name)
        for extra in top.glob(f"demos/d{code}_*/screen.*"):
            if not (self.base / extra.relative_to(top)).exists():
                extra.unlink()


# --- the draw --------------------------------------------------------------------------------
def drawn(bench: Bench, seed: int, only: str | None, count: int) -> list[list[Lie]]:
    """Strata of lies in the order they are tried: a kind in a demo, or a shared room.

    From each the first that changes anything counts: one of each kind in each demo, two in
    demo 04, one in each room, record and model; round again until there are `count`.
    A count below the least is a sample of the first round.
    """
    rng = random.Random(seed)                                              # noqa: S311
    strata: dict[tuple[str, str], list[Lie]] = {}
    rooms = sorted({p.relative_to(bench.base).as_posix() for pattern in ROOMS
                    for p in bench.base.glob(pattern)})
    called = {tuple(c) for known in bench.known.values() for c in known["called"]}
    for name in bench.files:
        path = Path(name)
        shared = name in rooms or name.startswith(("demos/records/", "demos/weights/"))
        if not shared and not (name.startswith("demos/d") and path.suffix == ".py"):
            continue
        if path.suffix not in (".py", ".json", ".safetensors"):
            continue
        home = path.parts[1][1:3] if name.startswith("demos/d") else name
        for lie in told_of(name, (bench.base / name).read_bytes()):
            if lie.function and (name, lie.function) not in called:
                continue                                # no demo calls it: nothing to see
            strata.setdefault((lie.kind, home), []).append(lie)
    if only:
        strata = {key: lies for key, lies in strata.items() if key[1] == only}
    keys = sorted(strata)
    for key in keys:
        rng.shuffle(strata[key])
    order: list[list[Lie]] = []
    for turn in range(100):
        for key in keys:
            many = 2 if key[1] == "04" and not only else 1
            for i in range(many):
                n = (turn * many + i) * TRIES
                if strata[key][n:n + TRIES] and (turn == 0 or len(order) < count):
                    order.append(strata[key][n:n + TRIES])
        if len(order) >= count:
            break
    rng.shuffle(order)                  # what has been judged at any time is a sample of the whole
    return order[:count] if only or count < LEAST else order


def counted(results: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Told, seen and refused, by kind, demo 04 apart."""
    kinds: dict[str, dict[str, dict[str, int]]] = {}
    for r in results:
        sides = kinds.setdefault(r["kind"], {side: dict.fromkeys(("told", "seen", "refused"), 0)
                                             for side in ("04", "others")})
        side = sides["04" if r["demo"] == "04" else "others"]
        side["told"] += 1
        side["seen"] += r["named"]
        side["refused"] += r["refused"]
    return kinds


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--count", type=int, default=LEAST, help="how many lies (%(default)s)")
    reader.add_argument("--seed", type=int, default=0)
    reader.add_argument("--only", metavar="NN", help="of one demo; nothing is written down")
    reader.add_argument("--work", type=Path, help="copies and results.jsonl, to go on later")
    reader.add_argument("--workers", type=int, default=1)
    reader.add_argument("--commit", default="HEAD", help="whose tree is lied about (%(default)s)")
    asked = reader.parse_args()
    work = (asked.work or Path(tempfile.mkdtemp(prefix="falsehoods-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    bench, log = Bench(work, asked.workers, asked.commit), work / "results.jsonl"
    done = {r["id"]: r for r in map(json.loads, log.read_text().splitlines())
            if r["tree"] == bench.tree} if log.exists() else {}
    order, lock = drawn(bench, asked.seed, asked.only, asked.count), Lock()
    results, mute = list[dict[str, Any]](), 0

    def stratum(lies: list[Lie]) -> None:
        nonlocal mute
        for lie in lies:
            if not differs((bench.base / lie.file).read_bytes(), lie):
                continue
            found = done.get(lie.id)
            if found is None:
                found = bench.tell(lie)
                with lock, log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(found, ensure_ascii=False) + "\n")
            with lock:
                if found["mute"]:
                    mute += 1
                    continue
                results.append(found)
                word = "seen" if found["named"] else "CRASH" if found["seen"] else "NOT SEEN"
                print(f"{len(results):3} {word:8} {'refused' if found['refused'] else '-':8}"
                      f"{found['seconds']:5.1f} s  {found['id']}: {found['tells']}\n"
                      f"                  {(found['lines'] or [''])[0][:110]}", flush=True)
            return

    with ThreadPoolExecutor(asked.workers) as pool:
        list(pool.map(stratum, order))
    results.sort(key=lambda r: r["id"])
    times = [r["seconds"] for r in results]
    document = {
        "machine": machine.described(threads=1), "seed": asked.seed, "mute": mute,
        "commit": bench.commit,
        "versions": {"python": platform.python_version()} | {
            name: version(name) for name in ("numpy", "rich", "typer")},
        "seconds": {"median": statistics.median(times), "longest": max(times),
                    "all": round(sum(times))},
        "kinds": counted(results),
        "unseen": [{"id": r["id"], "tells": r["tells"], "lines": r["lines"]} for r in results
                   if not r["named"]],
        "refused": [r["id"] for r in results if r["refused"]]}
    print(tables(document))
    if not asked.only and asked.count >= LEAST:
        RESULT.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n",
                          encoding="utf-8")
    return 0 if all(r["named"] for r in results) else 1


if __name__ == "__main__":
    sys.exit(main())
