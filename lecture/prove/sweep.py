"""Would the sentences survive another training?  Train every model from other seeds.

`retrain` trains each model of the chosen demos from seeds 0 .. N-1, as many at once as
there are cores, one thread each, and keeps every result in the cache: a sweep that was
interrupted goes on where it stopped.  What is shipped is no training: it is passed over,
and with `fresh` so is the cache.  Then each part with a trained model is computed on each
seed's weights, and every claim is counted: holds in k of N, on how many models trained now
and how many reused.

`reproduced` asks more of the shipped seeds once they were trained afresh: do those weights
stand in for the shipped ones, with every claim and every band of a demo?

The trainings can run elsewhere: engine "dask" hands them to Dask, on a cluster of its
own or on the scheduler that is named.  A worker sends back the whole file, so nothing
need be shared with it but the course, and a worker that dies costs the training it had
begun: that one is given to another.  The counts are the same.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from demos import Entry
from lecture.errors import SetupProblem
from lecture.prove.check import Problem, check_part, read_pins
from lecture.report import Part, run

ENGINES = ("processes", "dask", "serial")
ANSWER = 10.0                         # seconds to wait for a scheduler


@dataclass(frozen=True)
class Share:
    """One claim over the seeds: the margin of each, in order; None is undefined.

    trained, reused: how many of the models behind it this run trained, or took from the cache.
    """

    place: str
    claim: str
    margins: tuple[float | None, ...]
    trained: int = 0
    reused: int = 0

    @property
    def holds(self) -> int:
        return sum(margin is not None and margin > 0 for margin in self.margins)


def retrain(entries: Sequence[Entry], seeds: int, engine: str = "processes",
            scheduler: str | None = None, say: Callable[[str], None] = lambda line: None,
            fresh: bool = False) -> Iterator[Share]:
    """Train, then count every claim of the parts that stand on a trained model.

    fresh: nothing is reused, and the shipped seeds are trained too, whatever their number.
    """
    from lecture.models import cache as model_cache
    from lecture.models import recipes

    parts = [(e, p) for e in entries for p in e.parts() if p.recipes]
    names = list(dict.fromkeys(name for _, p in parts for name in p.recipes))
    wanted = {(name, seed): recipes.with_seed(recipes.named(name), seed)
              for seed in range(seeds) for name in names}
    if fresh:
        wanted |= {(name, recipes.named(name).seed): recipes.named(name) for name in names}
    with nothing_shipped():
        jobs = [job for job, recipe in wanted.items() if fresh or not model_cache.at_hand(recipe)]
    done, made = len(wanted) - len(jobs), set[tuple[str, int]]()
    say(f"{len(wanted)} models, {done} of them at hand")
    for name, seed, content, trained in _trained(jobs, engine, scheduler, fresh) if jobs else ():
        done += 1
        try:
            with nothing_shipped():
                model_cache.receive(wanted[name, seed], content)
        except model_cache.Unusable as error:
            raise SetupProblem(f"{name} from another process cannot be used: {error}",
                               "install the same version of the course on every worker") from None
        if trained:
            made.add((name, seed))
        say(f"{'trained' if trained else 'reused'} {name}, seed {seed} ({done} of {len(wanted)})")
    for entry, part in parts:
        with nothing_shipped():
            shares = _shares(entry, part, seeds, made)
        yield from shares


@contextlib.contextmanager
def nothing_shipped() -> Iterator[None]:
    """Inside, a model comes from the cache or from a training, never from what is shipped."""
    from lecture.models import cache as model_cache

    before, model_cache.policy.source = model_cache.policy.source, "cached"
    try:
        yield
    finally:
        model_cache.policy.source = before


def _shares(entry: Entry, part: Part, seeds: int, made: set[tuple[str, int]]) -> list[Share]:
    from lecture.models import cache as model_cache

    margins: dict[str, list[float | None]] = {c.key: [] for c in part.every_claim()}
    for seed in range(seeds):
        with model_cache.other_seed(seed):
            result = run(part)
            for claim in part.every_claim():
                margins[claim.key].append(result.verdict(claim).margin)
    trained = sum((name, seed) in made for name in part.recipes for seed in range(seeds))
    reused = len(part.recipes) * seeds - trained
    return [Share(f"{entry.code}.{part.number}", key, tuple(found), trained, reused)
            for key, found in margins.items()]


def reproduced(entry: Entry, failed: Container[str] = ()
               ) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    """Who reproduced the models that this demo is the first to use, and what does not hold.

    Every part is checked on the shipped seeds as trained here: claims and bands (close pins
    belong to the shipped weights). A part that has a problem, or is among the `failed` (its
    place, 08.2), leaves the models it stands on unreproduced.
    """
    from lecture.models import cache as model_cache
    from lecture.models import recipes
    from lecture.prove.manifest import home

    pins, problems = read_pins(entry), list[Problem]()
    good, bad, by = set[str](), set[str](), dict[str, dict[str, Any]]()
    with nothing_shipped():
        for part in entry.parts():
            found = [p for p in check_part(entry, part, pins.get(part.key)).problems
                     if p.place.split()[1] in ("claim", "pin")] if part.recipes else []
            holds = not found and f"{entry.code}.{part.number}" not in failed
            (good if holds else bad).update(part.recipes)
            problems += found
        for name in sorted(good - bad):
            if home(name) == entry.code:
                weights = model_cache.load(recipes.named(name))
                by[name] = {key: weights.meta[key] for key in
                            ("trainer", "machine", "versions", "date", "digest")}
    return by, problems


Trained = tuple[str, int, bytes, bool]             # name, seed, the weights file, trained now


def train_one(name: str, seed: int, fresh: bool = False) -> Trained:
    """One training, in a process of its own, which keeps it in its cache too.

    Without `fresh` that cache may hold it already; what is shipped does not count.
    """
    from lecture.models import cache as model_cache
    from lecture.models import recipes

    recipe = recipes.with_seed(recipes.named(name), seed)
    weights = model_cache.train(recipe) if fresh else model_cache.load(recipe, "cached")
    return name, seed, model_cache.packed(recipe, weights), weights.origin == "trained"


def cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _trained(jobs: Sequence[tuple[str, int]], engine: str, scheduler: str | None, fresh: bool
             ) -> Iterator[Trained]:
    if engine == "dask":
        yield from _on_dask(jobs, scheduler, fresh)
    elif engine == "serial" or cores() == 1:
        yield from (train_one(name, seed, fresh) for name, seed in jobs)
    else:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor, as_completed
        from concurrent.futures.process import BrokenProcessPool

        with _one_thread(), ProcessPoolExecutor(
                cores(), mp_context=multiprocessing.get_context("spawn")) as pool:
            try:
                for future in as_completed([pool.submit(train_one, *job, fresh)
                                            for job in jobs]):
                    yield future.result()
            except BrokenProcessPool:
                raise SetupProblem("a training process was ended from outside (out of memory?)",
                                   "run the same command again: it goes on where it stopped"
                                   ) from None
            finally:
                pool.shutdown(cancel_futures=True)       # an error must not wait for the rest


def _on_dask(jobs: Sequence[tuple[str, int]], scheduler: str | None, fresh: bool
             ) -> Iterator[Trained]:
    """On Dask's own futures: joblib's backend trains here, not there, for one worker."""
    try:
        from dask.distributed import Client, LocalCluster, as_completed
        from distributed import CancelledError, KilledWorker
    except ImportError as error:
        raise SetupProblem(f"the dask engine needs {error.name}, which is not installed",
                           "install the extra: pip install -c constraints.txt -e '.[cluster]'") \
            from None
    import logging

    for name in [n for n in logging.root.manager.loggerDict if n.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)      # two lines say it all
    with _one_thread(), contextlib.ExitStack() as open_things:
        try:
            where = scheduler or open_things.enter_context(LocalCluster(
                n_workers=cores(), threads_per_worker=1, host="127.0.0.1",
                dashboard_address=None))
            client = open_things.enter_context(Client(where, timeout=ANSWER))
        except (OSError, ValueError) as error:
            raise SetupProblem(f"no scheduler answers at {scheduler or 'this machine'}: {error}",
                               "start one with dask scheduler, or leave --scheduler out") from None
        if scheduler and not client.scheduler_info()["workers"]:
            raise SetupProblem(f"the scheduler at {scheduler} has no workers",
                               f"start one: dask worker {scheduler} --nthreads 1")

        def there(name: str, seed: int) -> Trained:
            """Sent by value, being a function in a function: the scheduler needs no course."""
            from lecture.prove.sweep import train_one

            return train_one(name, seed, fresh)

        try:
            for future in as_completed([client.submit(there, *job, pure=False) for job in jobs]):
                yield future.result()
                future.release()                          # the cluster need not keep it
        except ImportError as error:
            raise SetupProblem(f"a worker of the cluster cannot import {error.name}",
                               "install the course there too, the same version") from None
        except (KilledWorker, CancelledError, OSError) as error:
            raise SetupProblem(f"the cluster was lost ({type(error).__name__})",
                               "run the same command again: it goes on where it stopped"
                               ) from None


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
