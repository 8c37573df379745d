"""Demo 15: from text to next word. SPEC's numbers, and what is special to it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from demos import REGISTRY
from demos import d15_text_to_next_word as demo
from demos.d15_text_to_next_word import lesson, part5_course
from lecture import records
from lecture.data import phrases
from lecture.errors import UsageProblem
from lecture.lab.probes import next_country, questions, right
from lecture.models import translate_np
from lecture.models.gpt_np import GPT, cut_edge, init_weights
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
    (1, "stages.mlp1.rank", 1, 0, "15: the word"),
    (1, "words.0.id", 0, 0, "<doc> is id 0"),
    (1, "lead.gap", 0.0, 1e-12, "15: the stream is a sum"),
    (1, "stages.word.part", 0.06, 0.005, "R-15.3, by another hand"),
    (1, "stages.place.part", 0.02, 0.005, "R-15.3"),
    (1, "stages.attn0.part", 1.46, 0.005, "R-15.3"),
    (1, "stages.mlp0.part", 4.70, 0.005, "R-15.3"),
    (1, "stages.attn1.part", -0.51, 0.005, "R-15.3"),
    (1, "stages.mlp1.part", 7.76, 0.005, "R-15.3"),
    (1, "exam.cuts.country.all", 0, 0, "04.5: the country's edge"),
    (1, "exam.cuts.other.leader.left", 20, 0, "04.5: who, in L1H1"),
    (2, "questions", 96, 0, "15: the 96 questions"),
    (2, "right", 96, 0, "04.5: 96 of 96"),
    (2, "switch.attention.off", 0, 5, "15.2"),
    (2, "switch.positions.off", 96, 9, "15.2: what can go"),
    (2, "switch.norm.gentle", 77, 0, "R-15.2"),
    (2, "switch.cross.off", 0, 2, "10: zeroed"),
    (2, "cross_tensors", 0, 0, "15: a GPT has no cross-attention"),
    (3, "said", "我 爱 AI", None, "10: the sentence of the notes"),
    (3, "readings", 1, 0, "B-016, B-109: one set of ids"),
    (3, "stages.logits.shape", "4×63", None, "three words and <bos>, 63 target words"),
    (4, "shown.grouped.gap", 0.97, 0.05, "B-110 on the trained model"),
    (4, "shown.grouped.left", 46, 10, "B-110 on the trained model"),
    (4, "shown.own.gap", 0.0, 0, "taken apart and put back"),
    (5, "total", 113_088, 0, "every number of base"),
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
    model, _ = lesson.ready("base")
    m = metrics(1)
    ids = np.array([[w["id"] for w in m["words"]]])
    trace = model.run(ids, trace=True).trace
    table = model.w["wte.weight"]
    assert np.isclose(m["stages"]["mlp0"]["norm"], np.linalg.norm(trace["0.mlp"][0, -1]))
    assert np.isclose(m["best"][0]["score"], trace["logits"][0, -1].max())
    assert np.allclose(m["words"][3]["first"], table[ids[0, 3], :4])
    assert m["looks"][0] == {"head": "L0H0", "word": "balavia", "weight": m["looks"][0]["weight"]}
    early = model.run(ids, {"1.out": trace["0.out"]}).logits[0, -1]
    assert m["stages"]["mlp0"]["rank"] == 1 + (early > early[trace["logits"][0, -1].argmax()]).sum()


def test_the_lead_is_that_of_the_scores(metrics):
    model, recipe = lesson.ready("base")
    m, world = metrics(1), recipe.data.world()
    tok = lesson.tokenizer(world)
    scores = model.run(np.array([[w["id"] for w in m["words"]]])).logits[0, -1]
    others = [scores[tok.stoi[c.capital]] for c in world.countries if c.capital != m["said"]]
    assert len(others) == 23
    assert np.isclose(m["lead"]["all"], scores[tok.stoi[m["said"]]] - np.mean(others))
    assert np.isclose(sum(s["part"] for s in m["stages"].values()), m["lead"]["all"])


def test_patching_the_first_attention_is_asking_another_country(metrics):
    """At the last place all else is equal, so the rest of the run is the other question's."""
    model, recipe = lesson.ready("base")
    q = questions(recipe.data.world())
    trace, donors = model.run(q.ids, trace=True).trace, next_country(q)
    patched = model.run(q.ids, lesson.handed(q, trace, ["0.attn"], donors), trace=True).trace
    rows = np.arange(len(q.ids))
    assert np.allclose(patched["0.out"][rows, q.last], trace["0.out"][donors, q.last[donors]])


def test_cut_rows_is_cut_edge_one_by_one():
    model, recipe = lesson.ready("base")
    q = questions(recipe.data.world())
    edges = np.array([(i % 2, i // 2 % 2, 3 + i % 5) for i in range(len(q.ids))])
    got = model.run(q.ids, lesson.cut_rows(edges, q)).logits
    for i in (0, 1, 2, 3, 50):
        layer, head, place = (int(e) for e in edges[i])
        one = model.run(q.ids[i:i + 1], cut_edge(layer, head, int(q.last[i]), place)).logits
        assert np.allclose(got[i], one[0], atol=1e-9)


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


def test_turned_scales_are_the_same_numbers():
    model, _ = lesson.ready("base")
    streams = {name: np.full((1, 1, 4), i) * np.array([1.0, -1, 1, -1])
               for i, name in enumerate(("a", "b", "c"), 1)}
    assert lesson.FixedScale(model, streams).scales == {"a": 1.0, "b": 2.0, "c": 3.0}
    assert lesson.FixedScale(model, streams, turned=True).scales == {"a": 2.0, "b": 3.0, "c": 1.0}


# --- 3. the translator ------------------------------------------------------------
def test_ids_are_rows_of_the_shipped_table(metrics):
    table, m = phrases.corpus("en_zh").source_words, metrics(3)
    assert [table[int(i)] for i in m["ids"].split()] == m["source"]


def test_english_is_read_and_refused_in_words():
    assert lesson.english("i LOVE ai!") == ["I", "love", "AI"]
    with pytest.raises(UsageProblem) as error:
        lesson.english("I love turnips")
    assert "turnips" in error.value.what and "love" in error.value.todo


def test_one_word_can_be_read():
    m = run(part(3), {"sentence": "AI"}).metrics
    assert m["readings"] == 1 and m["stages"]["e_look"]["first"] == [1.0, None, None]


def test_hiding_what_is_looked_at_most_as_the_review_counted():
    """187 of 701 words of 120 held-out sentences, 39 sentences without a word."""
    model = translate_np.load("english_chinese")
    found = lesson.hidden(model, phrases.corpus("en_zh").held_out[:120], True)
    assert found["words"] == 701 and found["most"]["none"] == 39
    assert np.isclose(found["most"]["right"], 187 / 701)


def test_a_stage_that_is_off_is_off(metrics):
    """Zeroed across: what is said no longer hangs on the source at all."""
    model, m = translate_np.load("english_chinese"), metrics(3)
    source = model.source_ids([p.source for p in phrases.corpus("en_zh").held_out[:9]])
    assert len({tuple(s) for s in model.greedy(source, translate_np.zero_cross(model.cfg))}) == 1
    assert m["stages"]["d_cross"]["off"] == metrics(2)["switch"]["cross"]["off"]


# --- 4. orders --------------------------------------------------------------------
@pytest.mark.parametrize("blocks", [1, 2, 3, 5])
def test_taken_apart_and_put_back_is_the_same_network(blocks):
    cfg = dataclasses.replace(lesson.ready("base")[0].cfg, n_layer=blocks)
    model = GPT(cfg, init_weights(cfg, 3))
    ids = np.arange(1, 9)[None]
    order = [f"{kind}{i}" for i in range(blocks) for kind in ("attn", "mlp")]
    other, patch = lesson.taken_apart(model, order)
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
    other, patch = lesson.taken_apart(model, lesson.SHOWN["grouped"])
    got = other.run(ids, patch, trace=True).trace["final"]
    assert np.allclose(got, model._norm("norm_f", x), atol=1e-10)


# --- the record -------------------------------------------------------------------
def test_the_record_has_the_shown_seed_among_its_seeds(metrics):
    """Its entry for the shipped seed is what is measured now; five seeds, none left out."""
    runs = records.read("stage_seeds")["runs"]
    assert [r["seed"] for r in runs] == list(range(5))
    own, one, two, four = runs[0], metrics(1), metrics(2), metrics(4)
    for key, stage in own["stages"].items():
        assert stage["patched"] == one["stages"][key]["patched"]
        assert abs(stage["mean"] - one["stages"][key]["mean"]) < 1e-3
    assert own["mlp_half"] == one["exam"]["mlp_half"]
    assert {k: v for k, v in two["switch"].items() if k != "cross"} == own["switch"]
    for row in four["shown"].values():
        assert row["left"] in own["orders"].values()
    assert own["orders"][" ".join(lesson.SHOWN["grouped"])] == four["shown"]["grouped"]["left"]
    assert len(own["orders"]) == four["orders"] == 24


# --- 5. the map -------------------------------------------------------------------
def test_the_map_names_every_other_demo():
    on_the_map = {d for demos in (*lesson.SHOWN_IN.values(), *lesson.WHOLE.values())
                  for d in demos}
    assert on_the_map == set(range(1, 15))
    assert {e.number for e in REGISTRY} - {15} <= on_the_map


def test_every_number_is_in_one_row_of_the_map(metrics):
    m = metrics(5)
    assert m["total"] == sum(row["numbers"] for name, row in m["stages"].items()
                             if name != "cross")


def test_every_row_of_the_map_is_named():
    assert set(lesson.SHOWN_IN) == set(part5_course.STAGE_ROWS)
    assert set(lesson.WHOLE) == set(part5_course.WHOLE_ROWS)
