"""Threads that compute ahead: the same values, errors told, and no thread left behind."""

from __future__ import annotations

import gc
import itertools
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing

import pytest

from console import Screen
from demos import Entry
from lecture.ahead import ahead, prefetch
from lecture.report import Paragraph, Part, T
from lecture.show import present
from tests.conftest import ROOT

PATIENT = 60            # s until a test that would hang fails; no verdict hangs on it


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


@pytest.fixture(params=["threads", "none"])
def machine(request, monkeypatch) -> str:
    """A machine with threads, and one that has none, as a browser."""
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    if request.param == "none":
        monkeypatch.setattr(threading.Thread, "start", refuse)
    return request.param


def busy(begun: threading.Event) -> int:
    """A job without an end, one step of Python after another."""
    for n in itertools.count():
        begun.set()
        if n < 0:
            break
    return 1


# --- what the command sets ------------------------------------------------------------


@pytest.mark.parametrize(("given", "then"), [
    ({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2"), ({"OMP_NUM_THREADS": "2"}, None)])
def test_blas_gets_one_thread_unless_somebody_says_otherwise(given, then) -> None:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    clean = {k: v for k, v in os.environ.items() if k not in names} | given
    code = ("import os, sys, cli\ncli.main(['--version'])\n"
            "assert 'numpy' not in sys.modules\n"          # it reads the variable when loaded
            "print(os.environ.get('OPENBLAS_NUM_THREADS'))\n")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True,
                          env=clean, check=True)
    assert done.stdout.splitlines()[-1] == str(then)


# --- the next items of an iterator -------------------------------------------------


def test_items_keep_their_order(machine) -> None:
    given = [3, None, ValueError("an item, not an error"), "end", ("error", 1)]
    assert list(prefetch(iter(given))) == given
    assert list(prefetch([])) == []
    assert list(prefetch(range(100), most=1)) == list(range(100))


def test_an_error_is_told_after_the_items_before_it(machine) -> None:
    def fails():
        yield 1
        raise MemoryError("no room for the next block")

    items = prefetch(fails())
    assert next(items) == 1
    with pytest.raises(MemoryError, match="no room"):
        next(items)


def test_items_are_drawn_ahead_and_not_without_bound() -> None:
    drawn, third = [], threading.Event()

    def source():
        for n in itertools.count():
            drawn.append(n)
            if n == 2:
                third.set()
            yield n

    items = prefetch(source(), most=4)
    assert not drawn                                    # nobody asked yet
    assert next(items) == 0
    assert third.wait(PATIENT)                          # drawn although one was asked for
    items.close()
    assert 3 <= len(drawn) <= 1 + 4 + 2                 # taken, waiting, and in the hand


@pytest.mark.parametrize("taken", [0, 1, 3])
@pytest.mark.parametrize("most", [1, 4])
def test_closing_ends_the_thread(machine, taken: int, most: int) -> None:
    with closing(prefetch(itertools.count(), most)) as items:
        assert list(itertools.islice(items, taken)) == list(range(taken))
    assert "prefetch" not in {t.name for t in threading.enumerate()}


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_interrupted_consumer_leaves_no_thread(machine, error) -> None:
    items = prefetch(itertools.count())
    next(items)
    with pytest.raises(error):
        items.throw(error)
    assert "prefetch" not in {t.name for t in threading.enumerate()}


def test_a_loop_that_raises_leaves_no_thread(machine) -> None:
    def consume() -> None:
        for n in prefetch(itertools.count()):
            if n == 2:
                raise ValueError("the consumer's own")

    with pytest.raises(ValueError, match="own"):
        consume()
    gc.collect()
    assert "prefetch" not in {t.name for t in threading.enumerate()}


def test_a_process_ends_with_items_still_to_come() -> None:
    code = ("import itertools\nfrom lecture.ahead import ahead, prefetch\n"
            "def endless():\n    while True:\n        pass\n"
            "items = prefetch(itertools.count())\nnext(items)\n"
            "futures = ahead([endless])\nprint('end')\n")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True,
                          timeout=PATIENT, check=True)
    assert (done.stdout, done.stderr) == ("end\n", "")


# --- whole jobs ----------------------------------------------------------------------


def test_results_in_any_order_and_each_job_once(machine) -> None:
    computed = []

    def job(n: int) -> int:
        computed.append(n)
        return n * n

    with ahead([lambda n=n: job(n) for n in range(6)]) as futures:
        assert len(futures) == 6
        assert [futures[n].result() for n in (5, 0, 3, 1, 4, 2, 5)] == [25, 0, 9, 1, 16, 4, 25]
    assert sorted(computed) == list(range(6))


def test_without_threads_nothing_is_computed_before_it_is_asked_for() -> None:
    computed = []
    with ahead([lambda: computed.append(1)], threads=0) as futures:
        assert not computed and not futures[0].done()
        futures[0].result()
        assert computed == [1]


def test_with_threads_a_job_is_computed_unasked() -> None:
    begun = threading.Event()
    with ahead([begun.set]):
        assert begun.wait(PATIENT)


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit, KeyboardInterrupt])
def test_an_error_is_told_to_whoever_waits_and_to_nobody_else(machine, error) -> None:
    def fails() -> int:
        raise error("the job's own")

    with ahead([fails, lambda: 2, fails, lambda: 4]) as futures:
        assert futures[3].result() == 4
        for n in (0, 2, 0):
            with pytest.raises(error, match="own"):
                futures[n].result()
        assert futures[1].result() == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, BrokenPipeError])
def test_jobs_left_early_are_not_computed_to_their_end(error, capfd) -> None:
    """One that computes, one that waits for items, one nobody has begun."""
    begun, waits, never = threading.Event(), threading.Event(), threading.Event()

    def items() -> None:
        with closing(prefetch(itertools.count())) as found:
            for _ in found:
                waits.set()

    def leave() -> None:
        assert begun.wait(PATIENT) and waits.wait(PATIENT)
        raise error

    with pytest.raises(error), ahead([lambda: busy(begun), items, never.set]) as futures:
        leave()
    assert not {"ahead", "prefetch"} & {t.name for t in threading.enumerate()}
    assert not never.is_set()
    for future in futures:
        with pytest.raises(RuntimeError, match="abandoned"):
            future.result()
    assert capfd.readouterr() == ("", "")               # and threading has nothing to say


# --- a demo that is left ---------------------------------------------------------------

ENTRY = Entry(99, "made_up", T("假", "made up"))


def part_of(number: int, compute: Callable[..., dict]) -> Part:
    """A part that prints one number of its metrics."""
    def describe(metrics: dict):
        yield Paragraph(T("{n}", "the number is {n}"))

    return Part(number, f"part{number}", T("部分", "a part"), compute, describe, claims=(),
                questions=(), pins={}, notes=T("", ""))


def number(n: int) -> Part:
    return part_of(n, lambda seed: {"n": 100 * n})


@pytest.mark.parametrize("error", [KeyboardInterrupt, BrokenPipeError])
def test_a_demo_left_early_leaves_no_thread(error, capsys) -> None:
    """Part 2 is left while part 3 is being computed."""
    begun = threading.Event()
    parts = [number(1), number(2), part_of(3, lambda seed: {"n": busy(begun)})]

    class Leaves(Screen):
        def part(self, number, part) -> None:
            if part is parts[1]:
                assert begun.wait(PATIENT)
                raise error
            super().part(number, part)

    with pytest.raises(error):
        present.show(present.Show(ENTRY, Leaves(lang="en"), {}), parts)
    assert not {"ahead", "prefetch"} & {t.name for t in threading.enumerate()}
    assert "the number is 100" in capsys.readouterr().out


def test_an_error_in_a_part_computed_ahead_is_raised_where_it_is_drawn(machine, capsys) -> None:
    def fails(seed: int) -> dict:
        raise MemoryError("no room for part 3")

    with pytest.raises(MemoryError, match="part 3"):
        present.show(present.Show(ENTRY, Screen(lang="en"), {}),
                     [number(1), number(2), part_of(3, fails)])
    out = capsys.readouterr().out
    assert "the number is 100" in out and "the number is 200" in out


def test_a_demo_is_drawn_in_order(machine, capsys) -> None:
    """The first part is computed alone; the last may be there before the second."""
    last = threading.Event()

    def second(seed: int) -> dict:
        assert machine == "none" or last.wait(PATIENT)
        return {"n": 200}

    def third(seed: int) -> dict:
        last.set()
        return {"n": 300}

    parts = [number(1), part_of(2, second), part_of(3, third)]
    assert present.show(present.Show(ENTRY, Screen(lang="en"), {}), parts)
    found = re.findall(r"the number is (\d+)", capsys.readouterr().out)
    assert found == ["100", "200", "300"]
