"""How fast is our byte-pair encoding, beside the library's and beside plain recounting?

    python -m benchmarks.bpe [--merges 1000] [--bytes 1000000]

Text: half English of lecture/data/texts.py, half the corpus of a large world, one megabyte
in all, given to everybody in the same pieces of some 100 bytes (one piece of a megabyte
would be unfair: the library's cutting slows down on long strings) and cut into the same
chunks.  Each contestant trains in a process of its own, on one thread: seconds are CPU
seconds, the best of three (one for the slow one), memory is how far the peak of the
process rises above what it held before training.  Cutting and counting are part of the
training.  The merges of all three must be equal.

Prints a table and writes bpe.json beside this file, with versions.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import platform
import re
import resource
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

RUNS = {"tokenizers": 3, "ours": 3, "recounting": 1}
LIMIT = 30.0                                    # ours may take so many times as long
PATTERN = r" ?\w+| ?[^\w\s]+|\s+"               # as lecture.data.bpe.chunks cuts


def texts_of(size: int) -> list[str]:
    """Pieces of ASCII text, `size` bytes in all, none cut inside a word."""
    from lecture.data.texts import english
    from pretrain_world import documents, make_world

    world = " ".join(d.text for d in documents(make_world(1536)))
    half = size // 2
    text = english(half // 5 + 1000)[:half] + world[:size - half]
    if len(text) != size:
        raise ValueError(f"there are only {len(text):,} bytes of text")
    return re.findall(r".{1,100}\S*", text)


def alphabet() -> list[str]:
    return [chr(c) for c in range(128)]


def train_library(texts: list[str], merges: int) -> list[tuple[str, str]]:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Split(Regex(PATTERN), "isolated")
    made.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=128 + merges, show_progress=False, special_tokens=[],
        initial_alphabet=alphabet()))
    return [tuple(m) for m in json.loads(made.to_str())["model"]["merges"]]


def train_ours(texts: list[str], merges: int, slowly: bool = False) -> list[tuple[str, str]]:
    from lecture.data.bpe import chunks, counted, train, train_by_recounting

    learn = train_by_recounting if slowly else train
    words = counted(c for text in texts for c in chunks(text))
    made = learn(words, merges, "oldest", base=alphabet())
    return [m.pair for m in made.merges]


def peak(reset: bool = False) -> int:
    """The most memory this process has held (since the last reset), in bytes.

    On Linux from /proc: getrusage's figure there begins with the parent's peak.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    if reset:
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
    return int(re.findall(r"VmHWM:\s+(\d+)", status.read_text())[0]) * 1024


def one(name: str, texts: list[str], merges: int) -> dict[str, Any]:
    """Train once in this process; what it took, and a digest of the merges."""
    if name == "tokenizers":
        train_library(["warm up"], 1)
    else:
        train_ours(["warm up"], 1)
    before, start = peak(reset=True), time.process_time()
    if name == "tokenizers":
        made = train_library(texts, merges)
    else:
        made = train_ours(texts, merges, slowly=name == "recounting")
    seconds = time.process_time() - start
    return {"cpu_seconds": seconds, "memory_bytes": peak() - before, "merges": len(made),
            "digest": hashlib.sha256(json.dumps(made).encode()).hexdigest()[:16]}


def contest(size: int, merges: int) -> dict[str, Any]:
    """Everybody in a process of their own."""
    from lecture.data.bpe import chunks

    found, texts = {}, texts_of(size)
    for name, runs in RUNS.items():
        command = [sys.executable, "-m", "benchmarks.bpe", "--one", name,
                   "--merges", str(merges)]
        single = os.environ | {"RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
                               "TOKENIZERS_PARALLELISM": "false"}
        tries = [json.loads(subprocess.run(command, env=single, text=True, check=True,
                                           input=json.dumps(texts),
                                           capture_output=True).stdout)
                 for _ in range(runs)]
        found[name] = min(tries, key=lambda t: t["cpu_seconds"])
    pieces = [c for text in texts for c in chunks(text)]
    fastest = found["tokenizers"]["cpu_seconds"]
    for row in found.values():
        row["times_tokenizers"] = row["cpu_seconds"] / fastest
    return {"schema": 1, "bytes": size, "merges": merges, "chunks": len(pieces),
            "different_chunks": len(set(pieces)), "threads": 1,
            "versions": {"python": platform.python_version(),
                         "tokenizers": version("tokenizers")},
            "machine": platform.machine(), "limit_times_tokenizers": LIMIT,
            "same_merges": len({row["digest"] for row in found.values()}) == 1,
            "results": found}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--merges", type=int, default=1000)
    parser.add_argument("--bytes", type=int, default=1_000_000)
    parser.add_argument("--one", choices=tuple(RUNS), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one(asked.one, json.load(sys.stdin), asked.merges)))
        return 0
    report = contest(asked.bytes, asked.merges)
    Path(__file__).with_suffix(".json").write_text(
        json.dumps(report, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{report['bytes']:,} bytes, {report['chunks']:,} chunks, "
          f"{report['different_chunks']:,} different, {report['merges']:,} merges")
    print(f"{'':12} {'CPU s':>9} {'x tokenizers':>13} {'memory MB':>10}")
    for name, row in report["results"].items():
        print(f"{name:12} {row['cpu_seconds']:9.3f} {row['times_tokenizers']:13.1f} "
              f"{row['memory_bytes'] / 1e6:10.1f}")
    print(f"same merges: {'yes' if report['same_merges'] else 'NO'}")
    within = report["results"]["ours"]["times_tokenizers"] <= LIMIT
    print(f"ours within {LIMIT:g} times: {'yes' if within else 'NO'}")
    return 0 if within and report["same_merges"] else 1


if __name__ == "__main__":
    sys.exit(main())
