"""Demo 02: SPEC's numbers, and what is special to embeddings.

SPEC's figures stand as data, apart from the recorded pins. embed_np is compared with
loops and with closed forms; the task, the shipped model and the record are looked at.
"""

from __future__ import annotations

import io
import json
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from console import Screen
from demos import d02_embeddings as demo
from lecture import model_cache, recipes, records, tasks
from lecture.embed_np import (
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
from lecture.gpt_np import GPT
from lecture.report import Scatter, T, at, run

# --- SPEC 02 and AUDIT, as data: part, path, value, tolerance ----------------------

SPEC = [
    ("one_hot", "ways.written.bytes", 400_000, 0),          # SPEC 02.1, B-026
    ("one_hot", "ways.id.bytes", 8, 0),
    ("one_hot", "table_megabytes", 204.8, 1e-9),
    ("one_hot", "dots", 0.0, 0),                            # B-025
    ("one_hot", "distances.0", math.sqrt(2), 1e-12),
    ("one_hot", "same.differing", 0, 0),                    # B-024
    ("by_hand", "vector.differing", 0, 0),                  # F-14
    ("by_hand", "query.differing", 0, 0),                   # torch.equal
    ("trained", "words.bank.query.differing", 0, 0),
    ("trained", "words.apple.vector.differing", 0, 0),      # B-027
    ("company", "near.capital", 0, 0),                      # the vote
    ("company", "countries", 24, 0),
    ("company", "documents", 24 * (5 + 4) * 3, 0),          # statements, questions, no lists
    ("by_hand", "snippet", "TypeError", 0),
]
PARTS = {part.key: part for part in demo.PARTS}
RESULTS: dict[str, dict] = {}


def metrics(key: str) -> dict:
    if key not in RESULTS:
        RESULTS[key] = run(PARTS[key]).metrics
    return RESULTS[key]


@pytest.mark.parametrize(("key", "path", "value", "within"), SPEC)
def test_what_spec_says(key, path, value, within) -> None:
    found = at(metrics(key), path)
    assert found == value if isinstance(value, str) else abs(found - value) <= within


def test_ratio_to_a_dense_row() -> None:
    """B-026: 400,000 bytes against 2,048 is 195.3 times."""
    m = metrics("one_hot")
    assert m["ways"]["written"]["bytes"] / (4 * m["width"]) == pytest.approx(195.3125)


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


def test_shuffled_purity_is_where_chance_puts_it() -> None:
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
    for a, x in demo.TABLE.items():
        for b, y in demo.TABLE.items():
            score = (x @ demo.W_Q) @ (y @ demo.W_K)
            asks = "asks" in demo.MEANS.get(a, "")
            tells = "tells" in demo.MEANS.get(b, "")
            assert score == float(asks and tells), (a, b)


def test_every_sentence_holds_its_word_once() -> None:
    for word, senses in demo.HAND_MADE.items():
        for texts in senses.values():
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


def test_a_cut_of_everything_else_is_a_word_alone() -> None:
    """Cutting the topic words leaves nothing that tells the two senses apart."""
    m = metrics("trained")
    for word in tasks.SENSE_WORDS:
        assert m["words"][word]["share"]["cut"] == pytest.approx(0.5, abs=1e-9)
        assert m["words"][word]["right"] == {"full": 24, "cut": 12, "plain": 24}


# --- the record ---------------------------------------------------------------------


def test_the_record_is_of_this_recipe() -> None:
    record = records.read("senses")
    recipe = recipes.named("senses")
    assert record["recipe"] == json.loads(recipes.canonical_json(recipes.description(recipe)))
    assert [e["seed"] for e in record["seeds"]] == list(range(5))
    assert sum(demo.stands(e["trained"]) for e in record["seeds"]) >= 4
    assert not any(demo.stands(e["untrained"]) for e in record["seeds"])


def test_the_record_agrees_with_the_shipped_model() -> None:
    recipe = recipes.named("senses")
    entry = records.read("senses")["seeds"][recipe.seed]
    now = demo.summary(GPT(recipe.config, model_cache.load(recipe)))
    assert entry["trained"]["right"] == now["right"]
    assert entry["trained"]["across"] == pytest.approx(now["across"], rel=1e-6)


@pytest.mark.slow
def test_the_record_can_be_remade() -> None:
    made = demo.make_record(range(2))
    assert all(demo.stands(e["trained"]) for e in made["seeds"])
    assert made["name"] == "senses" and made["versions"] and made["date"]
