"""Would the sentences survive another training?  Train every model from other seeds.

`retrain` trains each model of the chosen demos from seeds 0 .. N-1, as many at once as
there are cores, one thread each, and keeps every result in the cache: a sweep that was
interrupted goes on where it stopped.  Then each part with a trained model is computed
on each seed's weights, and every claim is counted: holds in k of N.

The trainings can run elsewhere: engine "dask" hands them to joblib's Dask backend, on
a cluster of its own or on the scheduler that is named.  The counts are the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from demos import Entry
from lecture.errors import RoomProblem
from lecture.report import Part, run

ENGINES = ("processes", "dask", "serial")


@dataclass(frozen=True)
class Share:
    """One claim over the seeds: the margin of each, in order; None is undefined."""

    place: str
    claim: str
    margins: tuple[float | None, ...]

    @property
    def holds(self) -> int:
        return sum(margin is not None and margin > 0 for margin in self.margins)


def retrain(entries: Sequence[Entry], seeds: int, engine: str = "processes",
            scheduler: str | None = None, say: Callable[[str], None] = lambda line: None
            ) -> Iterator[Share]:
    """Train, then count every claim of the parts that stand on a trained model."""
    parts = [(e, p) for e in entries for p in e.parts() if p.recipes]
    names = list(dict.fromkeys(name for _, p in parts for name in p.recipes))
    jobs = [(name, seed) for seed in range(seeds) for name in names]
    for done, (name, seed) in enumerate(_trained(jobs, engine, scheduler), 1):
        say(f"trained {name}, seed {seed} ({done} of {len(jobs)})")
    for entry, part in parts:
        yield from _shares(entry, part, seeds)


def _shares(entry: Entry, part: Part, seeds: int) -> Iterator[Share]:
    from lecture import model_cache

    margins: dict[str, list[float | None]] = {c.key: [] for c in part.claims}
    for seed in range(seeds):
        with model_cache.other_seed(seed):
            for verdict in run(part).verdicts():
                margins[verdict.claim.key].append(verdict.margin)
    for key, found in margins.items():
        yield Share(f"{entry.code}.{part.number}", key, tuple(found))


def train_one(name: str, seed: int) -> tuple[str, int]:
    """One training, in a process of its own; the cache keeps the result."""
    from lecture import model_cache, recipes

    model_cache.load(recipes.with_seed(recipes.named(name), seed))
    return name, seed


def _trained(jobs: Sequence[tuple[str, int]], engine: str, scheduler: str | None
             ) -> Iterator[tuple[str, int]]:
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else \
        os.cpu_count() or 1
    if engine == "serial" or (engine == "processes" and workers == 1):
        yield from (train_one(name, seed) for name, seed in jobs)
    elif engine == "processes":
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor, as_completed

        with _one_thread(), ProcessPoolExecutor(
                workers, mp_context=multiprocessing.get_context("spawn")) as pool:
            for future in as_completed([pool.submit(train_one, *job) for job in jobs]):
                yield future.result()
    else:
        yield from _on_dask(jobs, workers, scheduler)


def _on_dask(jobs: Sequence[tuple[str, int]], workers: int, scheduler: str | None
             ) -> Iterator[tuple[str, int]]:
    try:
        from dask.distributed import Client, LocalCluster
        from joblib import Parallel, delayed, parallel_config
    except ImportError as error:
        raise RoomProblem(f"the dask engine needs {error.name}, which is not installed",
                          "install the extra: pip install -c constraints.txt -e '.[cluster]'") \
            from None
    with _one_thread():
        try:
            client = Client(scheduler, timeout=20) if scheduler else Client(LocalCluster(
                n_workers=workers, threads_per_worker=1, host="127.0.0.1",
                dashboard_address=None))
        except OSError as error:
            raise RoomProblem(f"no scheduler answers at {scheduler}: {error}",
                              "start one with dask scheduler, or leave --scheduler out") from None
        with client, parallel_config(backend="dask"):
            yield from Parallel(return_as="generator_unordered")(
                delayed(train_one)(name, seed) for name, seed in jobs)


class _one_thread:
    """One thread for every worker that is started inside: two are slower."""

    NAMES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

    def __enter__(self) -> None:
        self.before = {name: os.environ.get(name) for name in self.NAMES}
        os.environ.update(dict.fromkeys(self.NAMES, "1"))

    def __exit__(self, *_: Any) -> None:
        for name, value in self.before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
