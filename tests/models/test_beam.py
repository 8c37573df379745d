"""Beam search against its own rules: K-21, K-22, and every sentence there is."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from lecture.models import beam

A, B, E = 0, 1, 2
TABLE = {(): (.5, .4, .1), (A,): (.1, .2, .7), (B,): (.05, .9, .05), (B, B): (.02, .03, .95)}
ELSE = (.1, .1, .8)


def table_t(prefixes):
    return np.log([TABLE.get(tuple(p), ELSE) for p in prefixes])


def never_ends(prefixes):
    with np.errstate(divide="ignore"):
        return np.log([(.6, .4, 0.0)] * len(prefixes))


def test_k21_a_penalty_is_kind_to_long_sentences() -> None:
    short, long = (-2.0, (0,) * 3), (-2.4, (0,) * 5)        # with E: 4 and 6 words

    def scores(alpha: float) -> list[float]:
        return [beam.score(p, words, True, alpha) for p, words in (short, long)]

    assert scores(0) == [-2.0, -2.4]
    assert scores(1) == pytest.approx([-0.5, -0.4], abs=1e-12)
    assert scores(.5) == pytest.approx([-1.0, -0.9797958971], abs=1e-9)


@pytest.mark.parametrize(("alpha", "best", "score"), [
    (0, (A,), -1.0498221245), (1, (B, B), -0.3576482)])
def test_k21_table_t(alpha: float, best: tuple, score: float) -> None:
    found = beam.search(table_t, E, 2, 8, alpha)
    assert found[0].words == best
    assert found[0].score == pytest.approx(score, abs=1e-7)
    if alpha == 1:
        a = next(h for h in found if h.words == (A,))
        assert a.score == pytest.approx(-0.5249111, abs=1e-7)
        # not counting the end word, as some libraries do
        assert found[0].log_p / 2 == pytest.approx(-0.5364723, abs=1e-7)
        assert a.log_p / 1 == pytest.approx(-1.0498221, abs=1e-7)


def test_k22_three_best_with_one_end_each() -> None:
    three = beam.search(table_t, E, 3, 8)[:3]
    assert [h.words for h in three] == [(A,), (B, B), ()]
    assert [h.log_p for h in three] == pytest.approx(
        [-1.0498221245, -1.0729445419, -2.3025851], abs=1e-7)
    assert all(h.finished and E not in h.words for h in three)
    everything = beam.search(table_t, E, 3, 8)
    assert len({(h.words, h.finished) for h in everything}) == len(everything)


def test_k22_beam_one_is_greedy() -> None:
    assert beam.greedy(table_t, E, 8).words == (A,)
    assert beam.search(table_t, E, 1, 8)[0].words == (A,)


def test_k22_at_the_limit_without_an_end() -> None:
    """Marked unfinished, normalised the same way (awslabs/sockeye #545)."""
    found = beam.search(never_ends, E, 2, 3, 1.0)
    assert not any(h.finished for h in found) and len(found) == 2
    assert found[0].words == (A, A, A)
    assert found[0].score == pytest.approx(math.log(.6), abs=1e-12)
    assert not beam.greedy(never_ends, E, 3).finished


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_ties_among_the_living_keep_the_smaller_numbers(width: int) -> None:
    """Every beginning is as likely as every other: what lives on is the rule, nothing else."""
    seen: list[list[tuple]] = []

    def even(prefixes):
        seen.append([tuple(p) for p in prefixes])
        return np.log([(.25, .25, .25, .25)] * len(prefixes))

    found = beam.search(even, 3, width, 3)
    every = [list(itertools.product(range(3), repeat=k)) for k in range(3)]
    assert seen == [every[0], every[1][:width], every[2][:width]]
    living = [h.words for h in found if not h.finished]
    assert living == list(itertools.product(range(3), repeat=3))[:width]


@pytest.mark.parametrize("found", [lambda ask: beam.search(ask, E, 3, 4),
                                   lambda ask: beam.exhaustive(ask, E, 3, 3)])
def test_ties_among_the_finished_keep_the_smaller_numbers(found) -> None:
    """B is finished first, A A as likely one word later: A comes before B."""
    table = {(): (.5, .5, 0), (A,): (.5, .25, .25), (B,): (.5, .25, .25), (A, A): (.25, .25, .5)}

    def ask(prefixes):
        with np.errstate(divide="ignore"):
            return np.log([table.get(tuple(p), (.5, .5, 0)) for p in prefixes])

    done = [(h.words, h.log_p) for h in found(ask) if h.finished]
    eighth = 3 * math.log(.5)
    assert done == [((A,), eighth), ((A, A), eighth), ((B,), eighth)]


def test_ties_among_the_living_do_not_ask_who_stood_first() -> None:
    """B leads; then B A and A A tie for the last place, and A A has it."""
    table = {(): (.25, .5, .25), (A,): (.5, .25, .25), (B,): (.25, .5, .25)}

    def ask(prefixes):
        return np.log([table[tuple(p)] for p in prefixes])

    found = beam.search(ask, E, 2, 2)
    assert [h.words for h in found if not h.finished] == [(B, B), (A, A)]


def test_a_tie_never_beats_a_likelier_beginning() -> None:
    """Words 1 and 2 tie and lose to 3's beginning; of the two, 1 has the place that is left."""
    def ask(prefixes):
        return np.log([(.1, .2, .2, .4, .1)] * len(prefixes))

    found = beam.search(ask, 4, 2, 1)
    assert [h.words for h in found if not h.finished] == [(3,), (1,)]


def test_the_finished_take_no_place_of_the_living() -> None:
    """A width of one goes on beside a sentence that is finished at once."""
    words = {h.words for h in beam.search(table_t, E, 1, 4)}
    assert () in words and (A,) in words


@pytest.mark.parametrize("seed", range(8))
def test_wide_enough_is_exhaustive(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = {p: np.log(rng.dirichlet(np.ones(4))) for k in range(4)
            for p in itertools.product(range(3), repeat=k)}

    def ask(prefixes):
        return np.stack([rows[tuple(p)] for p in prefixes])

    every = []                                          # written out once more, naively
    for k in range(4):
        for p in itertools.product(range(3), repeat=k):
            log_p = sum(rows[p[:i]][w] for i, w in enumerate(p)) + rows[p][3]
            every.append((log_p, p))
    best = max(every)
    for alpha in (0.0, 1.0):
        wide = beam.search(ask, 3, 27, 4, alpha)[0]
        assert wide == beam.exhaustive(ask, 3, 4, 4, alpha)[0]
    assert beam.search(ask, 3, 27, 4)[0].words == best[1]
    assert len(beam.exhaustive(ask, 3, 4, 4)) == len(every) == 40
