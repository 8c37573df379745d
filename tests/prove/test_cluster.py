"""A sweep on other machines: here on worker processes with caches of their own.

The scheduler and the workers are the real commands of Dask on the loopback address. One
worker is killed in the middle of a training; the table must be the one of a serial run.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed")
ROOT = Path(__file__).resolve().parents[2]
DASK = [sys.executable, "-m", "dask"]


def environment(cache: Path, course: bool = True) -> dict[str, str]:
    """One thread, a cache of its own, and the course where it is to be found."""
    found = os.environ | {"OMP_NUM_THREADS": "1", "LECTURE_CACHE_DIR": str(cache)}
    found.pop("PYTHONPATH", None)
    return found | {"PYTHONPATH": str(ROOT)} if course else found


class Cluster:
    """A scheduler on the loopback address, and workers that can be added and killed."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.folder, self.stack = folder, stack
        file = folder / "scheduler.json"
        self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                   "--scheduler-file", str(file), cache=folder / "none")
        until(file.exists)
        self.address = json.loads(file.read_text())["address"]

    def start(self, *command: str, cache: Path) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([*DASK, *command], env=environment(cache), cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def worker(self, name: str) -> tuple[subprocess.Popen[bytes], Path]:
        cache = self.folder / name
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny",
                          "--no-dashboard", "--name", name, "--local-directory",
                          str(self.folder), cache=cache), cache

    def workers(self) -> int:
        from distributed import Client

        with Client(self.address, timeout=30) as client:
            return len(client.scheduler_info()["workers"])


def until(true: Callable[[], object], seconds: float = 120.0) -> None:
    """Wait for something to be true; the limit only keeps a broken run from hanging."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


@pytest.fixture
def cluster(tmp_path) -> Iterator[Cluster]:
    with contextlib.ExitStack() as stack:
        yield Cluster(tmp_path, stack)


def sweep(cache: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(ROOT / "cli.py"), "check", "02", "--retrain", "--json", *options],
        env=environment(cache), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def weights(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in cache.glob("*.safetensors")}


@pytest.mark.slow
def test_a_worker_killed_half_way_changes_no_count(cluster, tmp_path) -> None:
    first, first_cache = cluster.worker("first")
    second, second_cache = cluster.worker("second")
    until(lambda: cluster.workers() == 2)
    run = sweep(tmp_path / "far", "--seeds", "4", "--engine", "dask", "--scheduler",
                cluster.address)
    until(lambda: list(first_cache.glob("*.lock")))       # it has begun to train
    first.send_signal(signal.SIGKILL)
    told, said = run.communicate(timeout=240)
    assert run.returncode == 0, said                      # every claim in four of four
    assert not weights(first_cache)                       # it died before its first was whole
    serial = sweep(tmp_path / "near", "--seeds", "4", "--engine", "serial")
    expected, said = serial.communicate(timeout=240)
    assert serial.returncode == 0, said
    assert json.loads(told) == json.loads(expected)
    assert {(c["trained"], c["reused"]) for c in json.loads(told)["claims"]} == {(4, 0)}
    assert {c["holds"] for c in json.loads(told)["claims"]} == {4}
    # the client has every file, byte for byte, although it trained none
    assert weights(tmp_path / "far") == weights(tmp_path / "near") == weights(second_cache)
    assert len(weights(second_cache)) == 4                # what is shipped does not count
    assert second.poll() is None
    # and a second run needs no cluster
    second.kill()
    again = sweep(tmp_path / "far", "--seeds", "4", "--engine", "dask", "--scheduler",
                  cluster.address)
    (told, _), first_told = again.communicate(timeout=120), json.loads(told)
    for claim in first_told["claims"]:
        claim["trained"], claim["reused"] = 0, 4
    assert json.loads(told) == first_told


@pytest.mark.slow
def test_a_scheduler_without_workers_is_two_lines(cluster, tmp_path) -> None:
    run = sweep(tmp_path / "cache", "--seeds", "2", "--engine", "dask", "--scheduler",
                cluster.address)
    told, said = run.communicate(timeout=120)
    assert run.returncode == 3 and not told and "Traceback" not in said
    assert "has no workers" in said and f"dask worker {cluster.address}" in said


@pytest.mark.slow
def test_a_lost_scheduler_is_two_lines_and_loses_nothing(tmp_path) -> None:
    with contextlib.ExitStack() as stack:
        cluster = Cluster(tmp_path, stack)
        _, cache = cluster.worker("only")
        until(lambda: cluster.workers() == 1)
        run = sweep(tmp_path / "cache", "--seeds", "3", "--engine", "dask", "--scheduler",
                    cluster.address)
        until(lambda: list(cache.glob("*.lock")))         # one worker does train there
    told, said = run.communicate(timeout=120)             # everything has been killed
    assert run.returncode == 3 and not told and "Traceback" not in said
    assert "the cluster was lost" in said and "run the same command again" in said


@pytest.mark.parametrize("address", ["nonsense", "foo://bar:1"])
def test_an_address_that_is_none_is_two_lines(address, tmp_path) -> None:
    run = sweep(tmp_path, "--seeds", "2", "--engine", "dask", "--scheduler", address)
    _, said = run.communicate(timeout=120)
    assert run.returncode == 3 and "Traceback" not in said
    assert said.splitlines()[-2].startswith(f"lecture: no scheduler answers at {address}: ")
