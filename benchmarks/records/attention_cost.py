"""What does each way to attend cost in time and memory?  Makes demos/records/attention_cost.json.

    python -m benchmarks.records.attention_cost [--to FOLDER]

One head of width 64 in float64 on one thread, 128 to 4,096 tokens: the five ways of
lecture/lab/cost.py, and torch's fused attention, forced to its tiled kernel. Each time is
the median of several runs with the lowest and the highest. The exponent e of time ~ n^e
is the slope between the logarithms from 512 tokens on: "best" of the lowest times, which
other programs disturb least, and the median, lowest and highest of one slope a run.
Memory is the peak beyond what was there before: of the process (one forked child a
measurement, so torch's own counts too), and NumPy's own as tracemalloc sees it.
Under a minute.
"""

from __future__ import annotations

import gc
import os
import resource
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"              # before NumPy and torch are loaded
import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks import machine, making
from demos.d11_cost import lesson

LENGTHS = (128, 256, 512, 1024, 2048, 4096)
FROM = 512                                  # exponents from here on: before, overheads rule
WIDTH, RUNS = 64, 7


def fused(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> Any:
    """torch's tiled kernel on the same numbers; no other kernel may stand in for it."""
    q, k, v = (torch.from_numpy(a)[None, None] for a in (Q, K, V))
    with torch.no_grad(), sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def ways() -> dict[str, Callable[..., Any]]:
    """The demo's five, under its own names, and torch's."""
    return {name: lesson.attend_with(name, window=lesson.WINDOW, block=lesson.BLOCK)
            for name in lesson.WAYS} | {"fused": fused}


def random_qkv(n: int) -> np.ndarray:
    """Queries, keys and values [3, n, d]."""
    return np.random.default_rng(n).standard_normal((3, n, WIDTH))


def timed(call: Callable[..., Any], data: np.ndarray) -> list[float]:
    """Milliseconds of each run; short calls are repeated within one."""
    call(*data)                                             # warm
    start = time.perf_counter()
    call(*data)
    inner = max(1, min(50, int(0.01 / max(time.perf_counter() - start, 1e-6))))
    found = []
    for _ in range(RUNS):
        start = time.perf_counter()
        for _ in range(inner):
            call(*data)
        found.append(1e3 * (time.perf_counter() - start) / inner)
    return found


def slope(times: list[float]) -> float:
    """e of time ~ n^e from FROM tokens on."""
    at = [i for i, n in enumerate(LENGTHS) if n >= FROM]
    return float(np.polyfit(np.log([LENGTHS[i] for i in at]),
                            np.log([times[i] for i in at]), 1)[0])


def spread(values: list[float], digits: int = 3) -> dict[str, float]:
    """Median, lowest, highest."""
    return {"median": round(statistics.median(values), digits),
            "low": round(min(values), digits), "high": round(max(values), digits)}


def peak_of_process(call: Callable[..., Any], data: np.ndarray) -> float:
    """Megabytes the process grows by at its peak, in a child of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        call(*data)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        os.write(writer, str(grown).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    text = os.read(reader, 32)
    os.close(reader)
    return round(int(text) * 1024 / 1e6, 1)


def peak_of_numpy(call: Callable[..., Any], data: np.ndarray) -> float:
    """Megabytes of arrays at the peak, beyond queries, keys and values."""
    tracemalloc.start()
    call(*data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return round(peak / 1e6, 2)


def main() -> None:
    """Measure every way at every length, keep."""
    wish = making.wishes(__doc__)
    torch.set_num_threads(1)
    found: dict[str, Any] = {}
    for name, call in ways().items():
        runs = [timed(call, random_qkv(n)) for n in LENGTHS]                 # [lengths][runs]
        row: dict[str, Any] = {
            "ms": [spread(r, 4) for r in runs],
            "exponent": {"best": round(slope([min(r) for r in runs]), 3),
                         **spread([slope([r[i] for r in runs]) for i in range(RUNS)])},
            "process_mb": [peak_of_process(call, random_qkv(n)) for n in LENGTHS]}
        if name != "fused":
            row["numpy_mb"] = [peak_of_numpy(call, random_qkv(n)) for n in LENGTHS]
        found[name] = row
        making.say(f"{name:8} n^{row['exponent']['best']:.2f} "
                   f"({row['exponent']['low']:.2f}-{row['exponent']['high']:.2f})  "
                   f"{row['ms'][-1]['low']:8.1f} ms  {row['process_mb'][-1]:8.1f} MB "
                   f"at {LENGTHS[-1]}")
    making.keep("attention_cost", {
        "machine": machine.described(threads=1),
        "settings": {"width": WIDTH, "dtype": "float64", "runs": RUNS, "from": FROM,
                     "window": lesson.WINDOW, "block": lesson.BLOCK},
        "lengths": list(LENGTHS), "ways": found}, wish.to)


if __name__ == "__main__":
    main()
