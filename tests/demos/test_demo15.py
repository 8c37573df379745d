"""Demo 15: from text to next word. SPEC's numbers, and what is special to it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from demos import REGISTRY
from demos import d15_text_to_next_word as demo
from demos.d15_text_to_next_word import lesson, part5_course
from lecture.data import phrases
from lecture.errors import UsageProblem
from lecture.lab.probes import questions, right
from lecture.models import translate_np
from lecture.models.gpt_np import GPT, init_weights
from lecture.report import at, run
from pretrain_world import exam


def part(number: int):
    return next(p for p in demo.PARTS if p.number == number)


@pytest.fixture(scope="module")
def metrics(results):
    """metrics(number): the metrics of a part at its own settings."""
    return lambda number: results(part(number)).metrics


# part, path, value, tolerance, where it comes from
SPEC = [
    (1, "best.0.p", 1.0, 0.05, "04.5: the model is sure of what it learned"),
    (1, "stream.4.rank", 1, 0, "15: the word"),
    (1, "words.0.id", 0, 0, "<doc> is id 0"),
    (1, "gap", 0.0, 1e-12, "15: the stream is a sum"),
    (2, "questions", 96, 0, "15: the 96 questions"),
    (2, "right", 96, 0, "04.5: 96 of 96"),
    (2, "switch.attention.off", 0, 5, "15.2"),
    (2, "switch.positions.off", 96, 9, "15.2: what can go"),
    (2, "switch.cross.off", 0, 2, "10: zeroed"),
    (2, "cross_tensors.gpt", 0, 0, "15: a GPT has no cross-attention"),
    (3, "said", "我 爱 AI", None, "10: the sentence of the notes"),
    (3, "readings", 1, 0, "B-016, B-109: one set of ids"),
    (3, "cut.words", 3, 0, "I love AI"),
    (4, "untrained.b1.most", 0.0, 0, "one block: the same by definition"),
    (4, "untrained.b3.mean", 0.097, 0.08, "B-110: some 10 %, by the first weights"),
    (4, "gap", 0.97, 0.05, "B-110 on the trained model"),
    (4, "left", 46, 10, "B-110 on the trained model"),
    (4, "apart_and_back.gap", 0.0, 0, "taken apart and put back"),
    (5, "counted", 113_088, 0, "every number of base is in one row of the map"),
]


@pytest.mark.parametrize(("number", "path", "value", "tolerance", "source"), SPEC)
def test_spec(metrics, number, path, value, tolerance, source):
    found = at(metrics(number), path)
    assert found == value if tolerance is None else abs(found - value) <= tolerance, source


# --- 1. any text of the world -----------------------------------------------------
@pytest.mark.parametrize("relation", range(4))
def test_a_question_is_asked_as_the_model_meets_it(relation):
    model, recipe = lesson.ready("base")
    prompt, answer, *_ = exam(recipe.data.world())[8 + relation]
    question = prompt.split(" q : ")[1].removesuffix(" a :")
    for text in (question, question.upper(), prompt):
        m = lesson.stages(text, 0)
        assert (m["prompt"], m["said"], m["wanted"]) == (prompt, answer, answer)


def test_a_statement_goes_on(metrics):
    assert lesson.stages("the capital of balavia is", 0)["said"] == metrics(1)["said"]


@pytest.mark.parametrize(("text", "named"), [
    ("what is the capital of france ?", "'france'"), ("the capitol of balavia", "'capitol'"),
    ("", "1 words"), ("of " * 48, "49 words")])
def test_a_text_that_does_not_fit_is_refused_in_words(text, named):
    with pytest.raises(UsageProblem) as error:
        lesson.stages(text, 0)
    assert named in error.value.what


def test_the_numbers_shown_are_those_of_the_run(metrics):
    model, recipe = lesson.ready("base")
    m = metrics(1)
    ids = np.array([[w["id"] for w in m["words"]]])
    trace = model.run(ids, trace=True).trace
    assert np.allclose(m["stream"][2]["first"], trace["0.out"][0, -1, :4])
    assert np.isclose(m["stream"][4]["norm"], np.linalg.norm(trace["1.out"][0, -1]))
    assert np.isclose(m["writes"][1]["norm"], np.linalg.norm(trace["0.mlp"][0, -1]))
    assert np.isclose(m["best"][0]["score"], trace["logits"][0, -1].max())
    assert m["looks"][0]["word"] == "balavia"


# --- 2. switches ------------------------------------------------------------------
def test_positions_off_is_a_network_without_positions(metrics):
    model, recipe = lesson.ready("base")
    q = questions(recipe.data.world())
    bare = lesson.bare(model.cfg, model.w, positions="none")
    assert right(bare, q) == metrics(2)["switch"]["positions"]["off"]


def test_a_fixed_scale_that_is_right_for_a_token_changes_nothing():
    model, _ = lesson.ready("base")
    x = np.random.default_rng(0).standard_normal((1, 1, model.cfg.width))
    x -= x.mean()
    fixed = lesson.FixedScale(model, {"norm_f": x})
    assert np.allclose(fixed._norm("norm_f", x), model._norm("norm_f", x), atol=1e-4)


def test_noise_is_as_long_as_what_it_is_added_to():
    a = np.random.default_rng(1).standard_normal((3, 5, 16))
    added = lesson.noisy(np.random.default_rng(2))(a) - a
    assert np.allclose(np.linalg.norm(added, axis=-1), np.linalg.norm(a, axis=-1))


# --- 3. the translator ------------------------------------------------------------
def test_ids_are_rows_of_the_shipped_table(metrics):
    table = phrases.corpus("en_zh").source_words
    for w in metrics(3)["words"]:
        assert table[w["id"]] == w["word"]


def test_english_is_read_and_refused_in_words():
    assert lesson.english("i LOVE ai!") == ["I", "love", "AI"]
    with pytest.raises(UsageProblem) as error:
        lesson.english("I love turnips")
    assert "turnips" in error.value.what and "love" in error.value.todo


def test_one_word_has_no_other_to_hide():
    m = run(part(3), {"sentence": "AI"}).metrics
    assert m["cut"]["own"] == m["cut"]["other"] == m["cut"]["words"] == 1
    assert m["readings"] == 1


def test_the_bridge_is_the_only_one(metrics):
    model = translate_np.load("english_chinese")
    assert any("cross" in n for n in model.w)
    assert metrics(3)["moved"] > 1 and metrics(3)["moved_off"] == 0


# --- 4. orders --------------------------------------------------------------------
@pytest.mark.parametrize("blocks", [1, 2, 3, 5])
def test_taken_apart_and_put_back_is_the_same_network(blocks):
    cfg = dataclasses.replace(lesson.ready("base")[0].cfg, n_layer=blocks)
    model = GPT(cfg, init_weights(cfg, 3))
    ids = np.arange(1, 9)[None]
    other, patch = lesson.taken_apart(model, "alternating")
    assert np.array_equal(other.run(ids, patch).logits, model.run(ids).logits)


def test_grouped_is_attention_then_mlp_by_hand():
    model, _ = lesson.ready("base")
    ids = np.array([[0, 10, 3, 27]])
    x = model.run(ids, trace=True).trace["embed"]
    places = np.arange(4)
    for i in range(2):
        x = x + model._attention(i, model._norm(f"blocks.{i}.norm1", x), places,
                                 lambda name, a: a, None)
    for i in range(2):
        x = x + model._mlp(i, model._norm(f"blocks.{i}.norm2", x), lambda name, a: a)
    other, patch = lesson.taken_apart(model, "grouped")
    got = other.run(ids, patch, trace=True).trace["final"]
    assert np.allclose(got, model._norm("norm_f", x), atol=1e-10)


# --- 5. the map -------------------------------------------------------------------
def test_the_map_names_every_other_demo():
    on_the_map = {d for demos in (*lesson.SHOWN_IN.values(), *lesson.WHOLE.values())
                  for d in demos}
    assert on_the_map == set(range(1, 15))
    assert {e.number for e in REGISTRY} - {15} <= on_the_map


def test_every_row_of_the_map_is_named():
    assert set(lesson.SHOWN_IN) == set(part5_course.STAGE_ROWS)
    assert set(lesson.WHOLE) == set(part5_course.WHOLE_ROWS)
