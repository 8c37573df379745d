"""Retraining from other seeds: each claim is counted, and nothing is trained twice."""

from __future__ import annotations

import dataclasses
import pickle
import sys
import types

import numpy as np
import pytest

from lecture import model_cache as cache
from lecture import recipes, sweep
from lecture.errors import Interrupted, RoomProblem, UsageProblem
from lecture.report import T
from tests.test_demos import broken_part
from tests.test_model_cache import SMALL, draw


class Course:
    """A demo of one part, whose metric is the first number of its model."""

    code = "99"

    def parts(self):
        def compute(seed: int):
            tensors = cache.load(SMALL).tensors
            first = float(tensors["wte.weight"].flat[0])
            return {"right": first, "wrong": -first, "left_alone": 2.0}

        return (broken_part(compute=compute, recipes=("small",), title=T("题", "title")),)


@pytest.fixture
def room(tmp_path, monkeypatch):
    trained = []
    trainer = types.ModuleType("drawing_trainer")
    trainer.train = lambda r, p=None: (trained.append(r.seed), draw(r, p))[1]
    monkeypatch.setitem(sys.modules, "drawing_trainer", trainer)
    monkeypatch.setitem(cache.TRAINERS, "gpt", "drawing_trainer")
    monkeypatch.setenv("LECTURE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "SHIPPED", tmp_path / "none")
    monkeypatch.setitem(recipes.RECIPES, "small", SMALL)
    cache.forget()
    yield trained
    cache.forget()


def test_every_seed_is_counted_and_kept(room) -> None:
    (share,) = sweep.retrain([Course()], seeds=6, engine="serial")
    firsts = [float(draw(recipes.with_seed(SMALL, s))[0]["wte.weight"].flat[0])
              for s in range(6)]
    np.testing.assert_allclose(share.margins, firsts, rtol=1e-6)
    assert share.holds == sum(f > 0 for f in firsts) and 0 < share.holds < 6
    assert (share.place, share.claim) == ("99.1", "holds")
    assert sorted(room) == list(range(6))
    cache.forget()
    (again,) = sweep.retrain([Course()], seeds=7, engine="serial")     # resumes: one is new
    assert sorted(room) == list(range(7)) and again.margins[:6] == share.margins


def test_other_seed_is_undone_even_after_an_error() -> None:
    with pytest.raises(RuntimeError), cache.other_seed(3):
        assert cache.settings.seed == 3
        raise RuntimeError
    assert cache.settings.seed is None


def test_what_is_at_hand_is_not_asked_for_again(room, monkeypatch) -> None:
    list(sweep.retrain([Course()], seeds=2, engine="serial"))
    asked: list[tuple[str, int]] = []
    monkeypatch.setattr(sweep, "_trained", lambda jobs, *_: (
        asked.extend(jobs), (sweep.train_one(*job) for job in jobs))[1])
    lines: list[str] = []
    cache.forget()
    list(sweep.retrain([Course()], seeds=4, engine="serial", say=lines.append))
    assert asked == [("small", 2), ("small", 3)]
    assert lines == ["4 models, 2 of them at hand", "trained small, seed 2 (3 of 4)",
                     "trained small, seed 3 (4 of 4)"]


def test_another_version_of_the_course_on_a_worker_is_two_lines(room, monkeypatch) -> None:
    """A worker whose world differs trains another model under the same name."""
    def elsewhere(jobs, engine, scheduler):
        other = dataclasses.replace(SMALL, data=recipes.WorldData(registers=2))
        yield "small", 1, cache.packed(other, cache.load(other))

    monkeypatch.setattr(sweep, "_trained", elsewhere)
    with pytest.raises(RoomProblem, match="small from another process cannot be used: it belongs "
                                          "to another recipe") as found:
        list(sweep.retrain([Course()], seeds=2))
    assert "same version" in found.value.todo


def test_a_killed_process_of_the_pool_is_two_lines(room, monkeypatch) -> None:
    from concurrent.futures.process import BrokenProcessPool

    class Broken:
        def result(self):
            raise BrokenProcessPool

    class Pool:
        def __init__(self, *_, **__): ...
        def __enter__(self): return self
        def __exit__(self, *_): ...
        def submit(self, *_): return Broken()
        def shutdown(self, **_): ...

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", Pool)
    monkeypatch.setattr("concurrent.futures.as_completed", iter)
    monkeypatch.setattr(sweep, "cores", lambda: 2)
    with pytest.raises(RoomProblem, match="ended from outside"):
        list(sweep.retrain([Course()], seeds=2))


@pytest.mark.parametrize("kind", [RoomProblem, cache.CannotTrain, UsageProblem, Interrupted])
def test_an_error_of_a_training_process_keeps_both_lines(kind) -> None:
    """Unpickled from its one argument it broke the pool, which then blamed the memory."""
    error = pickle.loads(pickle.dumps(kind("what is wrong", "what to do")))  # noqa: S301
    assert (type(error), error.what, error.todo) == (kind, "what is wrong", "what to do")
