"""How is something computed while something else is shown?  By a few threads.

NumPy leaves Python's lock while it draws and multiplies, so two threads of a lesson share
two cores.  `prefetch` draws the next items of an iterator, `ahead` computes whole jobs.  The
same values come out in the same order with threads and without: where none can be started
(a browser's Python), both compute when they are asked.

An error in a thread is raised where its value is asked for.  Whoever stops early (an error,
Ctrl-C, a closed pipe) leaves the `with` or closes the generator, and the threads end.  They
are daemons, so that the end of the process waits for nobody; concurrent.futures would, and
cannot stop a job that has begun.

`settle` is what the command sets before it starts, for the sake of the same speed.
"""

from __future__ import annotations

import gc
import os
import queue
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

X = TypeVar("X")
PATIENCE = 2.0                  # s: a thread that is still inside one NumPy call is left to end


def settle() -> None:
    """What makes a short run shorter, told from noise by pairs (benchmarks/README.md)."""
    gc.set_threshold(100_000)       # imports make many objects and leave no cycles behind
    if "OMP_NUM_THREADS" not in os.environ:
        # The products here are small: a second thread of NumPy's BLAS mostly waits for work,
        # spinning, on the core that computes the next part. Read when NumPy is imported.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _can_start(thread: threading.Thread) -> bool:
    try:
        thread.start()
    except RuntimeError:                            # can't start new thread
        return False
    return True


def prefetch(items: Iterable[X], most: int = 4) -> Generator[X, None, None]:
    """The same items in the same order, at most so many of them drawn ahead by a thread.

    Close it (contextlib.closing) where it may be left before its end.
    """
    ready: queue.Queue[tuple[str, Any]] = queue.Queue(most)
    over = threading.Event()

    def draw() -> None:
        try:
            for item in items:
                ready.put(("item", item))
                if over.is_set():
                    return
            ready.put(("end", None))
        except BaseException as error:              # told to whoever waits for the item
            ready.put(("error", error))

    thread = threading.Thread(target=draw, name="prefetch", daemon=True)
    try:
        if not _can_start(thread):
            yield from items
            return
        while True:
            kind, found = ready.get()
            if kind == "end":
                return
            if kind == "error":
                raise found
            yield found
    finally:
        # While Python itself ends, a daemon never runs again: 3.13 would wait for it for ever.
        if not sys.is_finalizing():
            over.set()
            while not ready.empty():                # room for the one item it may still put
                ready.get()
            if thread.ident is not None:
                thread.join()


class Future(Generic[X]):
    """A job and, once somebody has computed it, its value or its error."""

    def __init__(self, job: Callable[[], X]) -> None:
        self._job = job
        self._taken = threading.Lock()              # never given back: a job is computed once
        self._done = threading.Event()
        self._value: X | None = None
        self._error: BaseException | None = None

    def done(self) -> bool:
        """Is there a value, or an error?"""
        return self._done.is_set()

    def take_and_compute(self) -> None:
        """Compute the job, unless somebody has begun it."""
        if not self._taken.acquire(blocking=False):
            return
        try:
            self._value = self._job()
        except BaseException as error:              # told to whoever asks for the result
            if not self.done():                     # else abandoned meanwhile
                self._error = error
        self._done.set()

    def abandon(self) -> None:
        """No value will come: nobody is to compute it or to wait for it."""
        self._taken.acquire(blocking=False)
        self._error = RuntimeError("abandoned before it was computed")
        self._done.set()

    def result(self) -> X:
        """The value; computed here and now where no thread has begun it."""
        self.take_and_compute()
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._value                          # type: ignore[return-value]


class Futures(Sequence[Future[X]]):
    """The jobs of one `ahead`, in their order; leaving the `with` ends the threads."""

    def __init__(self, jobs: Iterable[Callable[[], X]], threads: int) -> None:
        self._futures = [Future(job) for job in jobs]
        self._closed = False
        self._threads: list[threading.Thread] = []
        for _ in range(min(threads, len(self._futures))):
            thread = threading.Thread(target=self._work, name="ahead", daemon=True)
            if not _can_start(thread):
                break                               # result() computes what no thread does
            self._threads.append(thread)

    def _work(self) -> None:
        for future in self._futures:
            if self._closed:
                return
            future.take_and_compute()

    def close(self) -> None:
        """End the threads; a job that has begun is not computed to its end."""
        self._closed = True
        unfinished = [future for future in self if not future.done()]
        for thread in self._threads if unfinished else ():
            _interrupt(thread)
        for thread in self._threads:
            thread.join(PATIENCE)
        for future in unfinished:
            future.abandon()

    def __enter__(self) -> Futures[X]:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __getitem__(self, index: Any) -> Any:
        return self._futures[index]

    def __len__(self) -> int:
        return len(self._futures)

    def __iter__(self) -> Iterator[Future[X]]:
        return iter(self._futures)


def ahead(jobs: Iterable[Callable[[], X]], threads: int = 2) -> Futures[X]:
    """The jobs, begun in their order by so many threads; their results are asked for in any."""
    return Futures(jobs, threads)


def _interrupt(thread: threading.Thread) -> None:
    """Raise SystemExit in a thread of ours, as Ctrl-C raises KeyboardInterrupt in the main one.

    It comes between two steps of Python, never inside a NumPy call; a thread that has just
    ended by itself does not notice, and threading says nothing about SystemExit.
    """
    import ctypes

    if thread.is_alive() and thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
