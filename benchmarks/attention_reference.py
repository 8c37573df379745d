"""What does the readable attention cost beside a fused one?

    python -m benchmarks.attention_reference [--longest 4096]

`attention_np.attention`, which makes every score and returns every weight, beside torch's
fused attention, forced to its tiled kernel, and the tiled NumPy of lecture/cost.py: 128
to 4,096 tokens, 1 to 16 heads of width 64, everybody sees everything or the past only, on
one thread. All three are given float64, the only kind the reference computes in; torch's is
timed in float32 too, as it would be used. Heads go in together, as one array [h, n, 64].

Times are CPU time, taken in turn; a ratio is the median over such rounds. The causal mask of
the reference is made before the clock starts; the other two make none. Memory is the peak
beyond what was there before: of the process (one forked child a measurement), and NumPy's
own as tracemalloc sees it. All results must agree, or the run stops.

Then the reference itself: what each of its lines takes, and what a few more lines would
bring, in turn again. Prints Markdown tables and writes attention_reference.json beside this
file. At 16 heads and 4,096 tokens one array of scores is 2.1 GB and three live at a time.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"              # before NumPy and torch are loaded

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import attention_np
from benchmarks import machine
from benchmarks.records.attention_cost import (
    WIDTH,
    peak_of_numpy,
    peak_of_process,
    spread,
)
from lecture.lab import cost

LENGTHS = (128, 256, 512, 1024, 2048, 4096)
HEADS = (1, 2, 4, 8, 16)
SECONDS, FEWEST, MOST = 15.0, 3, 9          # of one cell: about; rounds
TOLERANCE = {"fused": 1e-12, "tiled": 1e-12, "fused float32": 1e-5}
RESULT = Path(__file__).with_suffix(".json")
Array = np.ndarray
Way = Callable[[Array, Array, Array], Any]


# --- the ways -------------------------------------------------------------------------

def fused(Q: Array, K: Array, V: Array, causal: bool) -> Array:
    """torch's tiled kernel; no other may stand in for it."""
    q, k, v = (torch.from_numpy(a)[None] for a in (Q, K, V))    # [1, h, n, d]
    with torch.no_grad(), sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return torch.nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=causal)[0].numpy()


def ways(n: int, causal: bool) -> dict[str, Way]:
    """Each from float64 [h, n, d] to the output [h, n, d]; the reference first."""
    mask = attention_np.causal_mask(n) if causal else None
    return {
        "reference": lambda Q, K, V: attention_np.attention(Q, K, V, mask=mask)[0],
        "tiled": lambda Q, K, V: cost.tiled(Q, K, V, causal=causal),
        "fused": lambda Q, K, V: fused(Q, K, V, causal),
        "fused float32": lambda Q, K, V: fused(Q, K, V, causal)}


def drawn(heads: int, n: int) -> Array:
    """Queries, keys and values [3, h, n, d]."""
    return np.random.default_rng([heads, n]).standard_normal((3, heads, n, WIDTH))


def given(name: str, data: Array) -> Array:
    return data.astype(np.float32) if name.endswith("float32") else data


# --- timing ---------------------------------------------------------------------------

def in_turn(calls: dict[str, Callable[[], Any]]) -> dict[str, list[float]]:
    """Milliseconds of each call, round by round; short ones are repeated within one."""
    inner: dict[str, int] = {}
    for name, call in calls.items():
        call()                                                  # warm
        start = time.process_time()
        call()
        inner[name] = max(1, min(200, int(0.01 / max(time.process_time() - start, 1e-6))))
    found: dict[str, list[float]] = {name: [] for name in calls}
    begin = time.perf_counter()
    for done in range(MOST):
        if done >= FEWEST and time.perf_counter() - begin > SECONDS:
            break
        for name, call in calls.items():
            start = time.process_time()
            for _ in range(inner[name]):
                call()
            found[name].append(1e3 * (time.process_time() - start) / inner[name])
    return found


def ratios(found: dict[str, list[float]], to: str) -> dict[str, dict[str, float]]:
    """Each way's time over that of `to`, round by round: median, lowest, highest."""
    return {name: spread([a / b for a, b in zip(times, found[to], strict=True)])
            for name, times in found.items() if name != to}


def agreement(made: dict[str, Array]) -> dict[str, float]:
    """Largest difference from the reference; SystemExit where it is no rounding."""
    apart = {name: float(abs(made[name] - made["reference"]).max()) for name in TOLERANCE}
    for name, difference in apart.items():
        if not difference <= TOLERANCE[name]:                   # NaN fails too
            raise SystemExit(f"{name} is {difference:g} away from the reference")
    return apart


def memory_of(heads: int, n: int, causal: bool) -> dict[str, float]:
    """Megabytes the process grows by at the peak, each way.

    A child faults the libraries' pages in again, some 4 to 12 MB: what 16 tokens take is
    taken off.
    """
    found = {}
    for name, call in ways(n, causal).items():
        base = peak_of_process(ways(16, causal)[name], given(name, drawn(heads, 16)))
        found[name] = round(max(0.0, peak_of_process(call, given(name, drawn(heads, n))) - base), 1)
    return found


def cell(heads: int, n: int, causal: bool, memory: dict[str, float]) -> dict[str, Any]:
    """All ways at one size; the memory was measured while the process was small."""
    data, calls = drawn(heads, n), ways(n, causal)
    numpy_mb = {name: peak_of_numpy(calls[name], data) for name in ("reference", "tiled")}
    apart = agreement({name: call(*given(name, data)) for name, call in calls.items()})
    sets = {name: given(name, data) for name in calls}
    found = in_turn({name: lambda call=call, qkv=sets[name]: call(*qkv)   # type: ignore[misc]
                     for name, call in calls.items()})
    return {"heads": heads, "tokens": n, "causal": causal, "rounds": len(found["fused"]),
            "ms": {name: spread(times, 4) for name, times in found.items()},
            "times_fused": ratios(found, "fused"),
            "times_tiled": ratios(found, "tiled")["reference"],
            "process_mb": memory, "numpy_mb": numpy_mb, "apart": apart}


# --- the reference itself -------------------------------------------------------------

def lines_of(n: int) -> dict[str, dict[str, float]]:
    """Milliseconds of what the reference's lines do, one head, causal."""
    Q, K, V = drawn(1, n)[:, 0]
    mask, scale = attention_np.causal_mask(n), 1 / math.sqrt(WIDTH)
    product = Q @ K.T
    S = np.where(mask, scale * product, -np.inf)
    top = np.max(S, axis=-1, keepdims=True)
    shifted = S - top
    e = np.exp(shifted)
    total = e.sum(axis=-1, keepdims=True)
    W = e / total
    found = in_turn({
        "Q K'": lambda: Q @ K.T, "scale": lambda: scale * product,
        "mask": lambda: np.where(mask, product, -np.inf),
        "largest": lambda: np.max(S, axis=-1, keepdims=True, initial=-np.inf),
        "minus the largest": lambda: S - top, "exp": lambda: np.exp(shifted),
        "sum": lambda: e.sum(axis=-1, keepdims=True), "divide": lambda: e / total,
        "W V": lambda: W @ V,
        "the whole": lambda: attention_np.attention(Q, K, V, mask=mask)})
    return {name: spread(times, 4) for name, times in found.items()}


def softmax_in_place(x: Any, axis: int = -1) -> Array:
    """softmax with one array of its own instead of three."""
    x = np.asarray(x, dtype=np.float64)
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    if np.isposinf(top).any():
        raise ValueError("softmax: a score is +inf")
    e = x - np.where(np.isneginf(top), 0.0, top)                # [.., n]
    np.exp(e, out=e)
    total = e.sum(axis=axis, keepdims=True)                     # [.., 1]
    e /= np.where(total == 0, 1.0, total)
    return e


def scores_in_place(Q: Any, K: Any, scale: Any = True, mask: Any = None,
                    softcap: float | None = None) -> Array:
    """attention_scores with one array of its own; the mask must fit without widening."""
    S = Q @ K.swapaxes(-1, -2)                                  # [.., n_q, n_k]
    S *= 1 / math.sqrt(Q.shape[-1])
    if mask is not None:
        np.copyto(S, -np.inf, where=~mask)
    return S


def softmax_of_own(x: Array, axis: int = -1) -> Array:
    """softmax in the very array it was given: only where nobody needs the scores."""
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    x -= np.where(np.isneginf(top), 0.0, top)
    np.exp(x, out=x)
    total = x.sum(axis=axis, keepdims=True)
    x /= np.where(total == 0, 1.0, total)
    return x


def by_rows(Q: Array, K: Array, V: Array, mask: Any = None, rows: int = 64) -> Any:
    """The reference some queries at a time: the same weights, small arrays between."""
    W = np.empty((*Q.shape[:-1], K.shape[-2]))
    out = np.empty((*Q.shape[:-1], V.shape[-1]))
    for at in range(0, Q.shape[-2], rows):
        some = slice(at, at + rows)
        out[..., some, :], W[..., some, :] = attention_np.attention(
            Q[..., some, :], K, V, mask=None if mask is None else mask[some])
    return out, W


# name -> (more lines, functions put in the place of the reference's)
TRIES: dict[str, tuple[int, dict[str, Any]]] = {
    "softmax in place": (1, {"softmax": softmax_in_place}),
    "scores in place": (2, {"attention_scores": scores_in_place}),
    "both": (3, {"softmax": softmax_in_place, "attention_scores": scores_in_place}),
    "one array for all": (4, {"softmax": softmax_of_own, "attention_scores": scores_in_place}),
    "64 rows at a time": (7, {}),
}


def tried(heads: int, n: int, causal: bool) -> dict[str, Any]:
    """Each way's time over the reference's, and whether the bits are the same."""
    Q, K, V = drawn(heads, n)
    mask = attention_np.causal_mask(n) if causal else None

    def call(name: str) -> Any:
        if name == "64 rows at a time":
            return by_rows(Q, K, V, mask)
        with patch.multiple(attention_np, **TRIES[name][1]):
            return attention_np.attention(Q, K, V, mask=mask)

    calls: dict[str, Callable[[], Any]] = {
        "reference": lambda: attention_np.attention(Q, K, V, mask=mask)}
    calls |= {name: lambda name=name: call(name) for name in TRIES}     # type: ignore[misc]
    out, W = calls["reference"]()
    same = {}
    for name in TRIES:
        made = calls[name]()
        if not (np.allclose(made[0], out, rtol=0, atol=1e-12)
                and np.allclose(made[1], W, rtol=0, atol=1e-12)):
            raise SystemExit(f"{name} is not the reference's result")
        same[name] = bool((made[0] == out).all() and (made[1] == W).all())
    found = in_turn(calls)
    return {"heads": heads, "tokens": n, "causal": causal,
            "reference_ms": spread(found["reference"], 4),
            "times_reference": ratios(found, "reference"), "same_bits": same}


# --- tables ---------------------------------------------------------------------------

def figure(value: float) -> str:
    """Three digits that count: 0.26, 43.2, 9,422."""
    return f"{value:,.{2 if value < 10 else 1 if value < 100 else 0}f}"


def times(ratio: dict[str, float]) -> str:
    return f"{ratio['median']:.1f} ({ratio['low']:.1f} to {ratio['high']:.1f})"


def matrix(cells: list[dict[str, Any]], about: str, shown: Callable[[dict[str, Any]], str]
           ) -> list[str]:
    """One row a length, one column a number of heads."""
    heads = sorted({c["heads"] for c in cells})
    lines = ["", about, "", "| tokens | " + " | ".join(
        f"{h} head{'s' * (h > 1)}" for h in heads) + " |", "|---:" * (1 + len(heads)) + "|"]
    for n in sorted({c["tokens"] for c in cells}):
        by_heads = {c["heads"]: shown(c) for c in cells if c["tokens"] == n}
        lines.append(f"| {n:,} | " + " | ".join(by_heads[h] for h in heads) + " |")
    return lines


def tables(found: dict[str, Any]) -> str:
    """Everything measured as Markdown."""
    lines = list[str]()
    for causal, who in ((False, "everybody sees everything"), (True, "the past only")):
        cells = [c for c in found["cells"] if c["causal"] is causal]
        lines += matrix(cells, f"Time of the reference over that of torch's fused, {who}, median "
                        "(least to most):", lambda c: times(c["times_fused"]["reference"]))
        lines += matrix(cells, f"Milliseconds of reference / tiled / fused, {who}, medians:",
                        lambda c: " / ".join(figure(c["ms"][way]["median"])
                                             for way in ("reference", "tiled", "fused")))
        lines += matrix(cells, "Peak in MB, arrays of the reference / of the tiled / growth of the "
                        f"process with the fused, {who}:", lambda c: " / ".join(map(figure, (
                            *c["numpy_mb"].values(), c["process_mb"]["fused"]))))
    sizes = list(found["lines"])
    lines += ["", "| line of the reference | " + " | ".join(f"ms at {n}" for n in sizes) + " |",
              "|---|" + "---:|" * len(sizes)]
    for name in found["lines"][sizes[0]]:
        lines.append(f"| {name} | " + " | ".join(
            f"{found['lines'][n][name]['median']:.3f}" for n in sizes) + " |")
    names = list(TRIES)
    lines += ["", "| heads | tokens | causal | reference, ms | " + " | ".join(
        f"{name} (+{TRIES[name][0]})" for name in names) + " |",
        "|---:|---:|---|" + "---:|" * (1 + len(names))]
    for t in found["tries"]:
        lines.append(f"| {t['heads']} | {t['tokens']:,} | {'yes' if t['causal'] else 'no'} | "
                     f"{t['reference_ms']['median']:,.2f} | " + " | ".join(
                         f"{t['times_reference'][name]['median']:.2f}" for name in names) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--longest", type=int, default=LENGTHS[-1])
    asked = parser.parse_args()
    torch.set_num_threads(1)
    lengths = [n for n in LENGTHS if n <= asked.longest]
    sizes = [(heads, n, causal) for causal in (False, True) for n in lengths for heads in HEADS]
    for name, call in ways(16, True).items():                   # torch and BLAS have started
        call(*given(name, drawn(1, 16)))
    memory = [memory_of(*size) for size in sizes]
    cells = [cell(*size, mb) for size, mb in zip(sizes, memory, strict=True)]
    found: dict[str, Any] = {
        "date": datetime.date.today().isoformat(),
        "versions": {"python": platform.python_version(), "numpy": np.__version__,
                     "torch": torch.__version__},
        "machine": machine.described(threads=1),
        "settings": {"width": WIDTH, "dtype": "float64", "block": 64, "tolerance": TOLERANCE,
                     "rounds": [FEWEST, MOST]},
        "cells": cells,
        "median_times_fused": {
            way: round(statistics.median(c["times_fused"][way]["median"] for c in cells), 2)
            for way in ("reference", "tiled")},
        "lines": {str(n): lines_of(n) for n in lengths},
        "tries": [tried(heads, n, causal) for causal in (False, True) for n in lengths
                  for heads in (1, 8) if heads * n * n <= 2 ** 25],
        "more_lines": {name: more for name, (more, _) in TRIES.items()}}
    print(tables(found))
    if asked.longest == LENGTHS[-1]:
        RESULT.write_text(json.dumps(found, indent=1, allow_nan=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
