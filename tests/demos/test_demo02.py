"""Demo 02: SPEC's numbers, and what is special to embeddings.

SPEC's figures stand as data, apart from the recorded pins. embed_np is compared with
loops and with closed forms; the task, the shipped model and the record are looked at.
"""

from __future__ import annotations

import dataclasses
import io
import json
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.records import senses
from benchmarks.records import skip_gram as maker
from console import Screen
from demos import d02_embeddings as demo
from demos.d02_embeddings import lesson
from lecture import records
from lecture.data import tasks
from lecture.lab import skip_gram
from lecture.lab.embed import (
    cooccurrence,
    cosines,
    facing,
    neighbours,
    plane,
    ppmi,
    purity,
    truncated,
    unit,
)
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT
from lecture.report import Scatter, T, at, run

# --- SPEC 02 and AUDIT, as data: part, path, value, tolerance ----------------------

SPEC = [
    ("one_hot", "ways.written.bytes", 400_000, 0),          # SPEC 02.1, B-026
    ("one_hot", "ways.id.bytes", 8, 0),
    ("one_hot", "table_megabytes", 204.8, 1e-9),
    ("one_hot", "ways.dense.bytes", 2048, 0),               # B-026
    ("one_hot", "dots.wo_ai", 0.0, 0),                      # B-025
    ("one_hot", "distances.wo_ai", math.sqrt(2), 1e-12),
    ("one_hot", "toy.diannao.code.2", 1, 0),                # B-024
    ("one_hot", "same.differing", 0, 0),                    # B-024
    ("by_hand", "query.differing", 0, 0),                   # torch.equal
    ("trained", "words.apple.before.across", 1.0, 1e-12),   # B-027: one vector a token
    ("trained", "cuts.both.bank.in_first", 0.70, 0.005),    # retrained, seed 4
    ("trained", "cuts.both.apple.in_first", 0.40, 0.005),
    ("company", "counted.d16.offset", 0.43, 0.005),         # among the capitals
    ("company", "counted.d16.alone", 0.55, 0.005),
    ("company", "counted.all.country", 0, 0),
    ("company", "counted.d64.same_home", 0.847, 5e-4),
    ("company", "near.capital", 0, 0),                      # the vote
    ("company", "countries", 24, 0),
    ("company", "documents", 24 * (5 + 4) * 3, 0),          # statements, questions, no lists
]
PARTS = {part.key: part for part in demo.PARTS}


@pytest.fixture(scope="module")
def metrics(results):
    """metrics(key): the metrics of a part at its own settings."""
    return lambda key: results(PARTS[key]).metrics


@pytest.mark.parametrize(("key", "path", "value", "within"), SPEC)
def test_what_spec_says(metrics, key, path, value, within) -> None:
    found = at(metrics(key), path)
    assert abs(found - value) <= within


def test_ratio_to_a_dense_row(metrics) -> None:
    """B-026: 400,000 bytes against 2,048 is 195.3 times."""
    m = metrics("one_hot")
    assert m["ways"]["written"]["bytes"] / (4 * m["width"]) == pytest.approx(195.3125)
    assert m["ratio"] == pytest.approx(195.3125)


@pytest.mark.parametrize("key", ["one_hot", "company", "by_hand"])
@pytest.mark.parametrize("seed", range(1, 5))
def test_claims_hold_for_other_draws(key, seed) -> None:
    result = run(PARTS[key], seed=seed)
    assert [v.claim.key for v in result.verdicts() if not v.holds] == []


# --- counts, PPMI, SVD -----------------------------------------------------------

rows_of_words = st.lists(st.lists(st.integers(0, 6), max_size=8), max_size=6)


@given(rows_of_words)
def test_counts_agree_with_a_loop(rows) -> None:
    slow = np.zeros((7, 7))
    for row in rows:
        for i, j in combinations(range(len(row)), 2):
            slow[row[i], row[j]] += 1
            slow[row[j], row[i]] += 1
    assert (cooccurrence(rows, 7) == slow).all()


@given(rows_of_words)
def test_ppmi_agrees_with_its_definition(rows) -> None:
    counts = cooccurrence(rows, 7)
    found, n = ppmi(counts), counts.sum()
    assert np.isfinite(found).all() and (found == found.T).all()
    for i in range(7):
        for j in range(7):
            both = counts[i, j] / n if n else 0.0
            alone = counts[i].sum() / n * (counts[j].sum() / n) if n else 0.0
            right = max(0.0, math.log(both / alone)) if both else 0.0
            assert found[i, j] == pytest.approx(right, abs=1e-12)


def test_independent_words_have_no_ppmi() -> None:
    often = np.array([1.0, 2.0, 3.0])
    assert abs(ppmi(np.outer(often, often))).max() < 1e-12


def test_svd_restores_a_positive_table() -> None:
    """With all dimensions X X^T = |P|; with fewer, the best of that rank (Eckart, Young)."""
    half = np.random.default_rng(0).standard_normal((6, 6))
    table = half @ half.T
    full = truncated(table, 6)
    assert np.allclose(full @ full.T, table)
    S = np.linalg.svd(table, compute_uv=False)
    two = truncated(table, 2)
    assert np.linalg.norm(table - two @ two.T) == pytest.approx(np.linalg.norm(S[2:]))


def test_signs_do_not_depend_on_the_library() -> None:
    columns = np.random.default_rng(0).standard_normal((5, 3))
    assert (facing(columns) == facing(-columns)).all()


def test_neighbours_by_hand() -> None:
    X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 3.0], [0.0, 0.0]])
    assert neighbours(X)[0].tolist() == [1, 2, 3]           # a tie goes to the lower row
    assert neighbours(X)[2].tolist()[0] == 1
    assert cosines(X)[3].tolist() == [0, 0, 0, 0]           # zeros: no NaN
    assert (unit(X)[3] == 0).all()


def test_plane_keeps_what_is_flat() -> None:
    rng = np.random.default_rng(0)
    flat = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 7)) + 5.0
    points, kept = plane(flat)
    assert kept == pytest.approx(1.0)
    far = np.linalg.norm(flat[:, None] - flat, axis=2)
    assert np.allclose(np.linalg.norm(points[:, None] - points, axis=2), far)


def test_purity_by_hand() -> None:
    assert purity(np.array([1, 0, 1]), np.array([7, 7, 8])) == pytest.approx(2 / 3)


def test_shuffled_purity_is_where_chance_puts_it(metrics) -> None:
    """Drawing two names at random, 24 of each of six kinds: 23 in 143."""
    m = metrics("company")
    assert m["names"] == 144
    assert abs(m["chance"]["mean"] - 23 / 143) < 3 * m["chance"]["spread"] / 1000 ** 0.5


def test_the_whole_corpus_gives_the_same_answer() -> None:
    m = run(PARTS["company"], {"share": 1.0}).metrics
    assert m["near"]["country"] == m["countries"] and m["near"]["capital"] == 0
    assert m["met"] == {"country": 0.0, "capital": 6.0}     # 3 statements, 3 questions


# --- the picture ------------------------------------------------------------------


def test_scatter_puts_letters_where_points_are() -> None:
    stream = io.StringIO()
    block = Scatter([(0.0, 0.0, "a"), (1.0, 1.0, "b"), (1.0, 0.0, "a"), (1.0, 0.0, "b")],
                    {"a": T("甲", "one"), "b": T("乙", "two")}, T("横", "across"), T("纵", "up"))
    Screen(stream, lang="en", width=40, color="never").block(block, {})
    lines = stream.getvalue().splitlines()
    drawn = [line.split("|", 1)[1] for line in lines if "|" in line]
    assert drawn[0].rstrip().endswith("b") and drawn[-1].startswith("a")
    assert drawn[-1].rstrip().endswith("*")                 # two classes in one place
    assert "* = more than one class" in stream.getvalue()
    assert all(not line.strip() for line in drawn[1:-1])


# --- by hand ----------------------------------------------------------------------


def test_the_score_is_what_the_proof_says() -> None:
    for a, x in lesson.TABLE.items():
        for b, y in lesson.TABLE.items():
            score = (x @ lesson.W_Q) @ (y @ lesson.W_K)
            asks = "asks" in lesson.MEANS.get(a, "")
            tells = "tells" in lesson.MEANS.get(b, "")
            assert score == float(asks and tells), (a, b)


def test_every_sentence_holds_its_word_once() -> None:
    for word, told in lesson.HAND_MADE.items():
        for texts in told.values():
            assert all(text.split().count(word) == 1 for text in texts)


# --- the task and the model ---------------------------------------------------------


def test_the_task_says_what_it_promises() -> None:
    ids, mask = tasks.named("senses")(np.random.default_rng(0), 500)[:2]
    words = tasks.SENSE_VOCABULARY
    assert ids.shape == mask.shape == (500, 9) and not mask[:, -1].any()
    assert (ids[:, 0] == 0).all() and ids.max() < len(words)
    topic_of = {w: t for t, ws in tasks.SENSE_TOPICS.items() for w in ws}
    double = 0
    for row, counted in zip(ids, mask, strict=True):
        text = [words[i] for i in row]
        end = int(counted.sum())                            # the last word's place
        assert counted[:end].all() and text[end + 1:] == ["<doc>"] * (8 - end)
        topics = {topic_of[w] for w in text if w in topic_of}
        assert len(topics) == 1                             # one topic a sentence
        assert all(w in topic_of for w in text[end - 1:end + 1])
        assert any(w in topic_of for w in text[1:end - 2])  # told before the slot
        slot = text[end - 2]
        assert slot in topic_of or topics <= set(tasks.SENSE_WORDS[slot])
        double += slot in tasks.SENSE_WORDS
    assert 200 < double < 300


def test_the_shipped_model_is_whole_and_small() -> None:
    recipe = recipes.named("senses")
    assert model_cache.verify(recipe) == []
    assert (model_cache.SHIPPED / "senses.safetensors").stat().st_size < 100_000


def test_position_alone_moves_the_query() -> None:
    """The same word one place later: another query, so the demo aligns the places."""
    recipe = recipes.named("senses")
    model = GPT(recipe.config, model_cache.load(recipe))
    bank = tasks.SENSE_VOCABULARY.index("bank")
    q = model.run([[0, bank, bank]], trace=True).trace["0.q"][0]
    assert abs(q[:, 1] - q[:, 2]).max() > 1e-3


def test_a_cut_leaves_a_bias_and_no_evidence(metrics) -> None:
    """Cutting both topic words leaves one guess for all; cutting one leaves all right."""
    m = metrics("trained")
    for word in tasks.SENSE_WORDS:
        both, one = m["cuts"]["both"][word], m["cuts"]["one"][word]
        assert both["in_first"] == pytest.approx(both["in_other"], abs=1e-9)
        assert both["said_first"] in (0, 24) and both["right"] == 12 and one["right"] == 24


def test_values_are_handed_over_and_weights_stay() -> None:
    """The patch of `carried` changes what A and B give, at no other place."""
    recipe = recipes.named("senses")
    model = GPT(recipe.config, model_cache.load(recipe))
    ids, sense = lesson.sentences_about("bank")
    trace = model.run(ids, trace=True).trace
    patches = lesson.changes(trace["0.v"])
    new = model.run(ids, patches["swapped"], trace=True).trace
    assert (new["0.weights"] == trace["0.weights"]).all()
    changed = (new["0.v"] != trace["0.v"]).any(axis=(0, 1, 3))
    assert np.flatnonzero(changed).tolist() == list(lesson.TOPICS)
    donor = lesson.changes(sense[:, None, None, None] * np.ones((1, 1, 6, 1)))
    v = np.zeros((len(ids), 1, 6, 1))
    assert (donor["swapped"]["0.v"](v.copy())[:, 0, 2, 0] == 1 - sense).all()
    assert (donor["kin"]["0.v"](v.copy())[:, 0, 2, 0] == sense).all()
    assert not donor["swapped"]["0.v"](v.copy())[:, 0, [0, 1, 3, 5]].any()


# --- skip-gram ----------------------------------------------------------------------


def test_skip_gram_gradient_agrees_with_differences() -> None:
    rng = np.random.default_rng(0)
    W, C = rng.standard_normal((2, 5, 3))
    word, beside, drawn = np.array([0, 1, 1]), np.array([2, 3, 0]), rng.integers(5, size=(3, 2))
    _, dW, dC = skip_gram.gradient(W, C, word, beside, drawn)
    for table, found in ((W, dW), (C, dC)):
        for place in np.ndindex(table.shape):
            losses = []
            for step in (1e-6, -1e-6):
                table[place] += step
                losses.append(skip_gram.gradient(W, C, word, beside, drawn)[0])
                table[place] -= step
            assert found[place] == pytest.approx((losses[0] - losses[1]) / 2e-6, abs=1e-8)


def test_skip_gram_sees_the_pairs_that_are_counted() -> None:
    rows = [[0, 1, 1], [2], [1, 2, 0, 2]]
    counts = np.zeros((3, 3))
    np.add.at(counts, tuple(skip_gram.pairs(rows).T), 1)
    assert (counts == cooccurrence(rows, 3)).all()


def test_skip_gram_learns_who_keeps_like_company() -> None:
    """Words 0 to 4 meet 10 to 14 only, words 5 to 9 meet 15 to 19 only; never each other."""
    rows = [[i, 10 + j + 5 * (i // 5)] for i in range(10) for j in range(5)] * 40
    W, _, curve = skip_gram.train(rows, 20, 2, 0)
    alike, kin = cosines(W[:10]), np.arange(10)[:, None] // 5 == np.arange(10) // 5
    assert alike[kin].min() > alike[~kin].max() and curve[-1] < curve[0] - 0.5


def test_a_capital_that_is_not_read_is_left_out() -> None:
    text = lesson.read_corpus(0.4, 0)
    assert (text.capital == lesson.UNSEEN).any()
    found = run(PARTS["company"], {"share": 0.4}).metrics["counted"]["d16"]
    assert 0 <= found["offset"] <= 1 and 0 <= found["alone"] <= 1


def test_the_skip_gram_record_is_of_these_texts_and_settings() -> None:
    record = records.read("skip_gram")
    assert record["setup"] == dataclasses.asdict(skip_gram.Setup())
    assert record["share"] == PARTS["company"].params["share"].default
    assert all(len(runs) == 5 for arm in record["runs"].values() for runs in arm.values())
    assert all(run["same_kind"] > 0.9 for runs in record["runs"]["text"].values() for run in runs)
    assert all(run["same_kind"] < 0.3 for runs in record["runs"]["strewn"].values()
               for run in runs)


def test_one_skip_gram_of_the_record_can_be_remade() -> None:
    kept = records.read("skip_gram")["runs"]["text"]["d8"][0]
    now = maker.entry(lesson.read_corpus(0.75, 0), 8, 0, skip_gram.Setup())
    assert now["same_kind"] == kept["same_kind"]
    assert now["pmi"] == pytest.approx(kept["pmi"], abs=0.02)


# --- analogies ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_capitals_found_agree_with_a_loop(seed) -> None:
    """Pair by pair: the offset and its sign, the capital given away, one never read."""
    X = unit(np.random.default_rng(seed).standard_normal((14, 3)))
    country, capital = np.arange(6), np.array([6, 7, lesson.UNSEEN, 9, 10, 11])
    text = lesson.Corpus([], [], np.zeros(0), np.zeros(0), np.zeros(0), country, capital, 0)
    right, asked = {"offset": 0, "alone": 0}, 0
    known = [(c, k) for c, k in zip(country, capital, strict=True) if k >= 0]
    for a, capital_a in known:
        for b, capital_b in known:
            if a == b:
                continue
            asked += 1
            for name, q in (("offset", X[capital_a] - X[a] + X[b]), ("alone", X[b])):
                left = [k for _, k in known if k != capital_a]
                right[name] += max(left, key=lambda k, q=q: X[k] @ q) == capital_b
    assert lesson.capitals_found(X, text) == pytest.approx(
        {name: n / asked for name, n in right.items()})


# --- the record ---------------------------------------------------------------------


def test_the_record_is_of_this_recipe() -> None:
    record = records.read("senses")
    recipe = recipes.named("senses")
    assert record["recipe"] == json.loads(recipes.canonical_json(recipes.description(recipe)))
    assert [e["seed"] for e in record["seeds"]] == list(range(5))
    for entry in record["seeds"]:
        assert entry["trained"]["right"]["full"] == 48 and entry["trained"]["right"]["both"] == 24
        assert entry["untrained"]["right"]["full"] < 40


def test_the_record_agrees_with_the_shipped_model() -> None:
    recipe = recipes.named("senses")
    entry = records.read("senses")["seeds"][recipe.seed]
    now = lesson.summary(GPT(recipe.config, model_cache.load(recipe)))
    assert entry["trained"]["right"] == now["right"]    # another machine: near, not the same
    assert entry["trained"]["across"] == pytest.approx(now["across"], abs=0.05)


def test_what_is_shown_is_the_middle_of_the_record() -> None:
    runs = [e["trained"]["cut_first"]["bank"] for e in records.read("senses")["seeds"]]
    assert runs[recipes.named("senses").seed] == sorted(runs)[2]


@pytest.mark.slow
def test_the_record_can_be_remade() -> None:
    made = senses.record(2)
    assert all(e["trained"]["right"]["both"] == 24 for e in made["seeds"])
    kept = records.read("senses")
    assert made["name"] == "senses" and made.keys() <= kept.keys()
