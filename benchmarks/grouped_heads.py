"""How much faster is a step of decoding when query heads share keys and values?

    python -m benchmarks.grouped_heads [--width 512] [--heads 8]

One new word asks a cache that holds `words` words: one layer, float32 NumPy, one
thread.  Two ways to share.  "copies" spreads the groups' keys over the heads first, as
attention_np does (and as most teaching code does): the cache is small, the work is not.
"in place" lays the queries of a group side by side as the rows of one matrix, so each
key is read once a group.  Microseconds are the fastest of many steps; bytes are what the
cache's arrays hold.  All outputs of the two ways must be equal.

Prints a table and writes grouped_heads.json beside this file, with versions.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"                          # before NumPy is loaded

import numpy as np

WORDS = (256, 1024, 4096)
SECONDS = 0.25                                      # a measurement, about
Array = np.ndarray


def soft(S: Array) -> Array:
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def copies(q: Array, K: Array, V: Array) -> Array:
    """q [h, 1, d], K and V [g, S, d] -> [h, 1, d]; a copy of K for each head."""
    times = len(q) // len(K)
    K, V = np.repeat(K, times, axis=0), np.repeat(V, times, axis=0)     # [h, S, d]
    return soft(q @ K.swapaxes(1, 2) / np.float32(math.sqrt(q.shape[-1]))) @ V


def in_place(q: Array, K: Array, V: Array) -> Array:
    """The same; the h/g queries of a group are the rows of one matrix."""
    g, d = len(K), q.shape[-1]
    rows = q.reshape(g, -1, d)                                          # [g, h/g, d]
    out = soft(rows @ K.swapaxes(1, 2) / np.float32(math.sqrt(d))) @ V
    return out.reshape(len(q), 1, d)


def microseconds(step: Any, *arrays: Array) -> float:
    """The fastest step of many: what disturbs a step only makes it slower."""
    step(*arrays)
    took: list[float] = []
    end = time.perf_counter() + SECONDS
    while len(took) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        step(*arrays)
        took.append(time.perf_counter() - start)
    return 1e6 * min(took)


def measure(width: int, heads: int, words: int, groups: int) -> dict[str, Any]:
    """One row of the table."""
    rng, d = np.random.default_rng(0), width // heads
    q = rng.standard_normal((heads, 1, d), dtype=np.float32)
    K, V = rng.standard_normal((2, groups, words, d), dtype=np.float32)
    unlike = float(abs(copies(q, K, V) - in_place(q, K, V)).max())
    return {"words": words, "groups": groups, "cache_bytes": K.nbytes + V.nbytes,
            "copies_us": microseconds(copies, q, K, V),
            "in_place_us": microseconds(in_place, q, K, V), "unlike": unlike}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--heads", type=int, default=8)
    asked = parser.parse_args()
    if asked.width % asked.heads:
        parser.error(f"width {asked.width} does not split into {asked.heads} heads")
    sizes = [g for g in range(asked.heads, 0, -1) if asked.heads % g == 0]
    rows = [measure(asked.width, asked.heads, words, g) for words in WORDS for g in sizes]
    same = max(r["unlike"] for r in rows) <= 1e-5
    report = {"schema": 1, "width": asked.width, "heads": asked.heads, "dtype": "float32",
              "threads": 1, "machine": platform.machine(), "same_outputs": same,
              "versions": {"python": platform.python_version(), "numpy": np.__version__},
              "results": rows}
    Path(__file__).with_suffix(".json").write_text(
        json.dumps(report, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"one step of one layer, width {asked.width}, {asked.heads} query heads, float32")
    print(f"{'words':>6} {'groups':>6} {'cache kB':>9} {'copies us':>10} {'in place us':>12}"
          f" {'times faster':>13}")
    for row in rows:
        full = next(r for r in rows if r["words"] == row["words"])["in_place_us"]
        print(f"{row['words']:6,} {row['groups']:6} {row['cache_bytes'] / 1024:9,.0f} "
              f"{row['copies_us']:10.1f} {row['in_place_us']:12.1f} "
              f"{full / row['in_place_us']:13.2f}")
    print(f"same outputs: {'yes' if same else 'NO'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
