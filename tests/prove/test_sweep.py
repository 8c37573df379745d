"""Retraining from other seeds: each claim is counted, and nothing is trained twice."""

from __future__ import annotations

import dataclasses
import pickle
import sys
import types

import numpy as np
import pytest

from lecture.errors import Interrupted, SetupProblem, UsageProblem
from lecture.models import cache, recipes
from lecture.prove import manifest, sweep
from lecture.report import T, band, exact
from tests.demos.test_demos import broken_part
from tests.models.test_cache import SMALL, draw


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
def place(tmp_path, monkeypatch):
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


def test_every_seed_is_counted_and_kept(place) -> None:
    (share,) = sweep.retrain([Course()], seeds=6, engine="serial")
    firsts = [float(draw(recipes.with_seed(SMALL, s))[0]["wte.weight"].flat[0])
              for s in range(6)]
    np.testing.assert_allclose(share.margins, firsts, rtol=1e-6)
    assert share.holds == sum(f > 0 for f in firsts) and 0 < share.holds < 6
    assert (share.place, share.claim) == ("99.1", "holds")
    assert sorted(place) == list(range(6))
    cache.forget()
    (again,) = sweep.retrain([Course()], seeds=7, engine="serial")     # resumes: one is new
    assert sorted(place) == list(range(7)) and again.margins[:6] == share.margins


def test_other_seed_is_undone_even_after_an_error() -> None:
    with pytest.raises(RuntimeError), cache.other_seed(3):
        assert cache.policy.seed == 3
        raise RuntimeError
    assert cache.policy.seed is None


def test_what_is_at_hand_is_not_asked_for_again(place, monkeypatch) -> None:
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


def test_what_is_shipped_is_no_training(place, monkeypatch, tmp_path) -> None:
    """With the trainers removed it once held in 1 of 1: the shipped file had been counted."""
    monkeypatch.setattr(cache, "SHIPPED", tmp_path)
    cache.ship(SMALL)
    place.clear()
    cache.forget()
    assert cache.load(SMALL).origin == "shipped"
    with monkeypatch.context() as without:
        without.setitem(cache.TRAINERS, "gpt", "no_such_trainer")
        with pytest.raises(cache.CannotTrain, match="no_such_trainer is missing"):
            list(sweep.retrain([Course()], seeds=1, engine="serial"))
        assert cache.load(SMALL).origin == "shipped"         # and it is shipped again outside
    (share,) = sweep.retrain([Course()], seeds=1, engine="serial")
    assert place == [0] and (share.trained, share.reused) == (1, 0)


def test_each_claim_says_what_was_trained_and_what_reused(place) -> None:
    (first,) = sweep.retrain([Course()], seeds=2, engine="serial")
    cache.forget()
    (more,) = sweep.retrain([Course()], seeds=5, engine="serial")
    cache.forget()
    (fresh,) = sweep.retrain([Course()], seeds=5, engine="serial", fresh=True)
    assert [(s.trained, s.reused) for s in (first, more, fresh)] == [(2, 0), (3, 2), (5, 0)]
    assert place == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4] and fresh.margins == more.margins


def test_fresh_trains_the_shipped_seed_too(place, monkeypatch) -> None:
    monkeypatch.setitem(recipes.RECIPES, "small", recipes.with_seed(SMALL, 7))
    (share,) = sweep.retrain([Course()], seeds=1, engine="serial", fresh=True)
    assert place == [0, 7] and len(share.margins) == 1 and (share.trained, share.reused) == (1, 0)


def test_a_model_is_reproduced_by_claims_and_bands_not_by_close_pins(place, monkeypatch) -> None:
    monkeypatch.setattr(sweep, "read_pins", lambda entry: {part.key: pins})
    monkeypatch.setattr(manifest, "home", lambda name: "99")
    seed = next(s for s in range(9) if first_number(s) > 0)      # there its claim holds
    monkeypatch.setitem(recipes.RECIPES, "small", recipes.with_seed(SMALL, seed))
    course = types.SimpleNamespace(code="99", parts=lambda: (part,))
    (part,) = Course().parts()
    part = dataclasses.replace(part, compute=at_own_seed, controls={"wrong": at_own_seed},
                               pins={"right": band(-9, 9, "a drawn number"), "*": exact("given")})
    pins = {"right": 123.0, "wrong": 456.0, "left_alone": 3.0}   # far off: other weights
    list(sweep.retrain([course], seeds=1, engine="serial", fresh=True))
    models, problems = sweep.reproduced(course)
    assert problems == [] and set(models) == {"small"}
    assert models["small"]["trainer"] == cache.trainer(SMALL)
    assert models["small"]["digest"] == cache.digest(draw(recipes.RECIPES["small"])[0])
    part = dataclasses.replace(part, pins={"right": band(-9, -8, "too low"), "*": exact("given")})
    models, problems = sweep.reproduced(course)
    assert models == {} and [p.place for p in problems] == ["99.1 pin right"]
    monkeypatch.setattr(manifest, "home", lambda name: "98")     # another demo judges it
    part = dataclasses.replace(part, pins={"*": band(-9, 9, "any")})
    assert sweep.reproduced(course) == ({}, [])


def first_number(seed: int) -> float:
    return float(draw(recipes.with_seed(SMALL, seed))[0]["wte.weight"].flat[0])


def at_own_seed(seed: int) -> dict[str, float]:
    first = float(cache.load(recipes.RECIPES["small"]).tensors["wte.weight"].flat[0])
    return {"right": first, "wrong": -first, "left_alone": 2.0}


def test_another_version_of_the_course_on_a_worker_is_two_lines(place, monkeypatch) -> None:
    """A worker whose world differs trains another model under the same name."""
    def elsewhere(jobs, engine, scheduler, fresh):
        other = dataclasses.replace(SMALL, data=recipes.WorldData(registers=2))
        yield "small", 1, cache.packed(other, cache.load(other)), True

    monkeypatch.setattr(sweep, "_trained", elsewhere)
    with pytest.raises(SetupProblem, match="small from another process cannot be used: it belongs "
                                          "to another recipe") as found:
        list(sweep.retrain([Course()], seeds=2))
    assert "same version" in found.value.todo


def test_a_killed_process_of_the_pool_is_two_lines(place, monkeypatch) -> None:
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
    with pytest.raises(SetupProblem, match="ended from outside"):
        list(sweep.retrain([Course()], seeds=2))


@pytest.mark.parametrize("kind", [SetupProblem, cache.CannotTrain, UsageProblem, Interrupted])
def test_an_error_of_a_training_process_keeps_both_lines(kind) -> None:
    """Unpickled from its one argument it broke the pool, which then blamed the memory."""
    error = pickle.loads(pickle.dumps(kind("what is wrong", "what to do")))  # noqa: S301
    assert (type(error), error.what, error.todo) == (kind, "what is wrong", "what to do")
