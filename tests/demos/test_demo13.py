"""Does demo 13 measure calibration as it says, and do the rules of the ECE hold?

The cases are data; the recorded pins (pins.json) only say that nothing moved.
"""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from demos import d13_calibration as demo
from demos.d13_calibration import lesson
from lecture import records
from lecture.lab.calibration import (
    auroc,
    bins_of,
    ece,
    fit_temperature,
    log_softmax,
    nll,
    reliability,
    right_of_surest,
)
from lecture.lab.sampling import top_k, top_p
from lecture.models import recipes
from lecture.report import at, run
from pretrain_world import QUESTIONS

PARTS = {part.key: part for part in demo.PARTS}


@pytest.fixture(scope="module")
def metrics(results):
    """metrics(key): the metrics of a part at its own settings."""
    return lambda key: results(PARTS[key]).metrics


# part, metric path, low, high
BANDS = [
    ("unknown", "rows.known.mean", 0.99, 1),
    ("unknown", "rows.alike.mean", 0.5, 0.9),
    ("unknown", "rows.alike.asked_kind", 96, 96),
    ("unknown", "rows.fresh.asked_kind", 0, 0),
    ("unknown", "rows.alike.over_bar", 4, 4),
    ("phrasings", "groups.seen.answers", 288, 288),
    ("phrasings", "groups.seen.accuracy", 1, 1),
    ("phrasings", "groups.held_out.accuracy", 1, 1),
    ("phrasings", "groups.reworded.answers", 576, 576),
    ("phrasings", "groups.money.answers", 144, 144),
    ("phrasings", "groups.money.confidence", 0.8, 1),
    ("phrasings", "groups.money.accuracy", 0.2, 0.5),
    ("phrasings", "groups.told.accuracy", 1, 1),
    ("phrasings", "groups.reworded.auroc", 0.827, 0.828),
    ("phrasings", "groups.money.auroc", 0.316, 0.317),
    ("phrasings", "new.auroc", 0.720, 0.721),
    ("phrasings", "split.good_right", 46, 46),
    ("phrasings", "split.bad_right", 0, 0),
    ("phrasings", "surest.reworded.half", 284 / 288, 284 / 288),
    ("phrasings", "surest.money.half", 8 / 72, 8 / 72),
    ("phrasings", "cue.language", 96, 96),
    ("phrasings", "record.inverted", 8, 8),
    ("temperature", "changed", 0, 0),
    ("temperature", "items", 1008, 1008),
    ("temperature", "temperature", 1.5, 5),
    ("temperature", "rows.money.answers", 72, 72),
    ("drawing", "words", 178, 178),
    ("drawing", "hot.one.right.all", 0.99, 1),
    ("drawing", "hot.two.right.all", 0.87, 0.88),
    ("drawing", "kept.top_k.known.mean", 5, 5),
    ("drawing", "kept.top_p.known.most", 1, 1),
    ("drawing", "missed.money.wrong", 98, 98),
]


@pytest.mark.parametrize(("part", "path", "low", "high"), BANDS)
def test_the_measured_order(metrics, part: str, path: str, low: float, high: float) -> None:
    assert low <= at(metrics(part), path) <= high


# --- the ECE ----------------------------------------------------------------------

# confidences, right or not, bins, ECE
CASES = [
    ([.95, 1.0], [1, 0], 10, .475),                     # 1 has no bin of its own
    ([.15, .15, .85, .95, .95], [0, 1, 1, 1, 0], 10, .35),
    ([1.0, 1.0], [1, 1], 10, 0.0),
    ([0.0], [0], 10, 0.0),
    ([.5, .5], [1, 0], 10, 0.0),
    ([.31, .39], [1, 0], 1, .15),
    ([.3, .31, .39], [0, 1, 0], 10, 0.0),               # .3 lies with .31 and .39
]


@pytest.mark.parametrize(("sure", "right", "bins", "expected"), CASES)
def test_k28_one_lies_in_the_last_bin(sure: list[float], right: list[int], bins: int,
                                      expected: float) -> None:
    assert ece(sure, right, bins) == pytest.approx(expected, abs=1e-12)
    rows = reliability(sure, right, bins)
    assert len(rows) == bins and sum(row["count"] for row in rows) == len(sure)
    for row in rows:                                    # empty bins say nothing
        assert (row["accuracy"] is None) == (row["count"] == 0) == (row["confidence"] is None)


def test_k28_the_bins_hold_every_answer(metrics) -> None:
    m = metrics("phrasings")
    assert sum(row["count"] for row in m["bins"]) == m["new"]["answers"] == 720


def test_every_edge_opens_its_bin() -> None:
    assert bins_of(np.arange(11) / 10).tolist() == [*range(10), 9]
    assert bins_of(np.nextafter(np.arange(1, 11) / 10, 0)).tolist() == [*range(10)]


@pytest.mark.parametrize("bad", [[1.0001], [-0.1], [float("nan")]])
def test_no_bin_for_what_is_no_confidence(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        ece(bad, [1])


def test_ece_needs_answers_and_a_verdict_each() -> None:
    with pytest.raises(ValueError, match="not defined"):
        ece([], [])
    with pytest.raises(ValueError, match="verdicts"):
        ece([.5, .5], [1])


def test_ece_against_a_plain_loop() -> None:
    rng = np.random.default_rng(0)
    sure, right = rng.random(500), rng.random(500) < 0.4
    total = 0.0
    for b in range(10):
        here = [i for i in range(500) if b / 10 <= sure[i] < (b + 1) / 10]
        total += abs(sum(float(right[i]) - sure[i] for i in here)) / 500
    assert ece(sure, right) == pytest.approx(total, abs=1e-12)


# --- which answers to trust -----------------------------------------------------------


@pytest.mark.parametrize(("sure", "right", "expected"), [
    ([.9, .1], [1, 0], 1.0), ([.9, .1], [0, 1], 0.0), ([.5, .5], [1, 0], 0.5),
    ([.9, .8, .7, .7], [1, 0, 1, 0], 0.625),    # pairs 1, 1; 0, a tie
    ([.9, .8], [1, 1], None), ([.9, .8], [0, 0], None)])
def test_auroc_by_hand(sure: list[float], right: list[int], expected: float | None) -> None:
    assert auroc(sure, right) == (None if expected is None else pytest.approx(expected))


def test_auroc_against_every_pair() -> None:
    rng = np.random.default_rng(0)
    sure, right = rng.integers(0, 20, 300) / 20, rng.random(300) < 0.4
    pairs = [(a > b) + (a == b) / 2 for a in sure[right] for b in sure[~right]]
    assert auroc(sure, right) == pytest.approx(np.mean(pairs), abs=1e-12)


def test_the_surest_answers() -> None:
    sure, right = [.5, .9, .7, .8], [0, 1, 0, 1]
    assert [right_of_surest(sure, right, c) for c in (0, .25, .5, .75, 1)] == pytest.approx(
        [1, 1, 1, 2 / 3, 1 / 2])
    with pytest.raises(ValueError, match="surest"):
        right_of_surest([], [], .5)
    with pytest.raises(ValueError, match="0 or 1"):
        auroc([.5], [.5])


# --- drawing ----------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 3, 50])
def test_top_k_agrees_with_transformers(k: int) -> None:
    torch, warpers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    scores = np.random.default_rng(0).normal(0, 2, (7, 50))
    wanted = warpers.TopKLogitsWarper(k)(None, torch.tensor(scores)).softmax(-1).numpy()
    assert top_k(np.exp(log_softmax(scores)), k) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("p", [0.01, 0.5, 0.9, 0.99])
def test_top_p_agrees_with_transformers(p: float) -> None:
    torch, warpers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    scores = np.random.default_rng(0).normal(0, 2, (7, 50))
    wanted = warpers.TopPLogitsWarper(p)(None, torch.tensor(scores)).softmax(-1).numpy()
    assert top_p(np.exp(log_softmax(scores)), p) == pytest.approx(wanted, abs=1e-12)


def test_cuts_by_hand() -> None:
    P = np.array([.5, .3, .15, .05])
    assert top_k(P, 2) == pytest.approx([.625, .375, 0, 0])
    assert top_p(P, .8) == pytest.approx([.625, .375, 0, 0])       # they reach it exactly
    assert top_p(P, .81) == pytest.approx([50 / 95, 30 / 95, 15 / 95, 0])
    assert top_p(P, 0) == pytest.approx([1, 0, 0, 0])
    assert top_p(P, 1) == pytest.approx(P) and top_k(P, 9) == pytest.approx(P)
    with pytest.raises(ValueError, match="sum to 1"):
        top_k(P * 2, 1)


# --- the record -------------------------------------------------------------------------


def test_the_record_is_of_this_recipe_and_its_first_run_is_the_shipped_model(metrics) -> None:
    record = records.read("calibration_seeds")
    assert record["recipes"] == {"base": recipes.fingerprint(recipes.named("base"))}
    assert [run["seed"] for run in record["runs"]] == list(range(10))
    first, shown = record["runs"][0], metrics("phrasings")
    for name in ("reworded", "money"):
        for leaf in ("accuracy", "confidence", "ece", "auroc"):
            assert first["groups"][name][leaf] == pytest.approx(shown["groups"][name][leaf],
                                                                rel=1e-6)
    assert first["temperature"]["t"] == pytest.approx(metrics("temperature")["temperature"],
                                                      rel=1e-4)
    assert first["unknown"]["alike"]["over_bar"] == metrics("unknown")["rows"]["alike"]["over_bar"]
    drawn = metrics("drawing")["hot"]["two"]["right"]["all"]
    assert first["drawn"]["right"] == pytest.approx(drawn)


# --- the temperature ---------------------------------------------------------------


def test_the_fit_finds_the_temperature_the_labels_were_drawn_with() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 3, (20000, 5))
    p = np.exp(log_softmax(scores / 2.5))
    answers = (p.cumsum(1) < rng.random((20000, 1))).sum(1).clip(0, 4)
    fit = fit_temperature(scores, answers)
    assert fit.inside and fit.temperature == pytest.approx(2.5, rel=0.03)
    around = [nll(scores, answers, fit.temperature * f) for f in (0.98, 1.02)]
    assert nll(scores, answers, fit.temperature) < min(around)


def test_without_a_mistake_the_fit_says_that_it_hit_the_limit() -> None:
    scores = np.eye(4) * 3
    fit = fit_temperature(scores, np.arange(4))
    assert not fit.inside and fit.temperature == pytest.approx(0.05, rel=1e-3)


def test_nll_is_safe_for_large_scores() -> None:
    assert nll(np.array([[1e4, 0.0]]), np.array([1])) == pytest.approx(1e4)


@pytest.mark.parametrize("t", [0.1, 0.5, 2.0, 10.0])
def test_dividing_moves_no_answer(t: float) -> None:
    model, world, tok = lesson.country_model()
    sheet = lesson.sit(model, world, tok, lesson.MONEY)
    assert np.array_equal((sheet.scores / t).argmax(-1), sheet.said)
    assert np.array_equal(np.exp(log_softmax(sheet.scores / t)).argmax(-1), sheet.said)


def test_the_halves_share_no_country() -> None:
    model, world, tok = lesson.country_model()
    sheet = lesson.sit(model, world, tok, lesson.MONEY)
    chosen = np.random.default_rng(0).permutation(24) < 12
    a, b = lesson.part_of(sheet, chosen), lesson.part_of(sheet, ~chosen)
    assert not {c.name for c in a.countries} & {c.name for c in b.countries}
    assert not set(a.answers) & set(b.answers)
    assert len(a.answers) == len(b.answers) == 72


# --- how the questions are made ------------------------------------------------------


def test_our_wordings_are_new_and_of_known_words() -> None:
    _, world, tok = lesson.country_model()
    trained = set(itertools.chain.from_iterable(QUESTIONS.values()))
    ours = [*itertools.chain.from_iterable(lesson.REWORDED.values()), *lesson.MONEY["currency"]]
    assert len(set(ours)) == len(ours) == 30 and not set(ours) & trained
    for text in ours:
        tok.encode(text.format(c=world.countries[0].name))


def test_the_cue_is_in_questions_for_the_language_only() -> None:
    documents = [d for d in recipes.named("base").data.documents() if lesson.CUE in d.text]
    assert {d.relation for d in documents} == {"language"} and len(documents) == 48
    forms = lesson.cued(lesson.GROUPS)
    assert sum(map(len, forms.values())) == 4
    plain = lesson.lacking(forms)
    assert not any("do " in text for its in plain.values() for text in its)
    assert all(" in " in text or text.startswith("in ")
               for its in forms.values() for text in its)


def test_the_money_is_stated_and_never_asked() -> None:
    documents = recipes.named("base").data.documents()
    kinds = {d.kind for d in documents if d.relation == "currency"}
    assert kinds == {"statement"}
    assert not any(re.search("money|pay", d.text) for d in documents if d.kind == "faq")


def test_the_held_out_phrasing_is_not_in_the_corpus() -> None:
    corpus = "\n".join(d.text for d in recipes.named("base").data.documents())
    _, world, _ = lesson.country_model()
    for texts in lesson.HELD_OUT.values():
        for c in world.countries:
            assert texts[0].format(c=c.name) not in corpus
    assert lesson.SEEN["capital"][0].format(c=world.countries[0].name) in corpus


def test_the_known_rows_put_back_change_nothing() -> None:
    model, world, tok = lesson.country_model()
    q = lesson.questions(world, tok)
    known = model.w["wte.weight"][[tok.stoi[c.name] for c in world.countries]]
    plain = model.run(q.ids).logits[np.arange(len(q.ids)), q.last]
    assert np.array_equal(lesson.with_rows(model, q, known), plain)


def test_the_new_rows_look_like_the_known_ones() -> None:
    """Many draws of the mixing have the mean and the covariance of the known rows."""
    rng = np.random.default_rng(0)
    known = rng.normal(size=(24, 6)) @ np.diag([1, 2, 3, 1, 1, .5]) + 4
    middle = known.mean(0)
    mix = rng.standard_normal((40000, 24)) / np.sqrt(23)
    drawn = middle + mix @ (known - middle)
    assert drawn.mean(0) == pytest.approx(middle, abs=0.1)
    assert np.cov(drawn.T) == pytest.approx(np.cov(known.T), abs=0.2)


def test_the_notes_say_what_is_answered_instead() -> None:
    """Most wrong answers are the country's own language."""
    model, world, tok = lesson.country_model()
    sheet = lesson.joined(*(lesson.sit(model, world, tok, forms)
                          for forms in (lesson.REWORDED, lesson.MONEY)))
    spoken = np.tile([tok.stoi[c.language] for c in world.countries], len(sheet.wordings))
    wrong = ~sheet.right
    assert (sheet.said == spoken)[wrong].mean() > 0.5


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("key", ["unknown", "temperature", "drawing"])
def test_another_draw_same_lesson(key: str, seed: int) -> None:
    assert [v.claim.key for v in run(PARTS[key], seed=seed).verdicts() if not v.holds] == []
