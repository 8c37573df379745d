"""Does demo 14 reach the numbers it was specified with?  And are its tools what they say?

FIGURES is the specification's own table; the recorded pins (demos/pins/14.json) are
another thing: they say that nothing has moved since.
"""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
import pytest

from benchmarks.records import fact_seeds
from demos import d14_where_the_fact_is as demo
from demos.d14_where_the_fact_is import lesson
from lecture import records
from lecture.lab import edit
from lecture.lab.probes import questions
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT, cut_edge, init_weights
from lecture.report import at
from pretrain_world import ATTRIBUTES, RELATIONS, STATEMENTS, tokenizer

PARTS = {part.key: part for part in demo.PARTS}


@pytest.fixture(scope="module")
def metrics(results):
    """metrics(key): the metrics of a part at its own settings."""
    return lambda key: results(PARTS[key]).metrics


# part, metric path, the figure as the specification prints it
FIGURES = [line.split() for line in """
reversal   countries                       24
reversal   told_back                       12
reversal   phrasings                       4
reversal   forward.0                       24
reversal   forward.1                       24
reversal   forward.2                       24
reversal   forward.3                       24
reversal   back.told.prompts               24
reversal   back.told.right                 24
reversal   back.not_told.right             0
reversal   record.not_told                 0
look_up    right                           96
look_up    identity                        0
look_up    everything                      1
edit       others                          95
""".strip().splitlines()]


@pytest.mark.parametrize(("key", "path", "figure"), FIGURES)
def test_the_specification_s_figures(metrics, key: str, path: str, figure: str) -> None:
    assert at(metrics(key), path) == float(figure)


@pytest.fixture(scope="module")
def base() -> tuple[GPT, edit.Questions, dict[str, np.ndarray]]:
    recipe = recipes.named("base")
    model = GPT(recipe.config, model_cache.load(recipe))
    q = questions(recipe.data.world())
    return model, q, model.run(q.ids, trace=True).trace


# --- patching ---------------------------------------------------------------------
NAMES = ("embed", "0.in", "0.attn", "0.mid", "0.mlp", "0.out", "1.attn", "1.mlp", "1.out")


@pytest.mark.parametrize("relation", RELATIONS)
def test_patching_everything_recovers_exactly_one(base, relation: str) -> None:
    model, q, _ = base
    d = edit.donor(model, edit.swaps(q, relation))
    for name in ("embed", "0.in", "1.out"):
        assert edit.recovered(model, d, {name: d.gives[name]}) == 1.0
    assert edit.recovered(model, d, {}) == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_the_identity_patch_changes_no_bit(base, name: str) -> None:
    model, q, _ = base
    swap = edit.swaps(q, "leader", 3)
    d = edit.donor(model, swap, itself=True)
    before = model.run(swap.to).logits
    for p in range(swap.to.shape[1]):
        patch = {name: edit.put(p, d.gives[name][:, p])}
        assert (model.run(swap.to, patch).logits == before).all()
    assert {v for row in edit.patch_map(model, d, [name]) for v in row} == {0.0}


def test_what_is_before_the_difference_cannot_matter(base) -> None:
    model, q, _ = base
    d = edit.donor(model, edit.swaps(q, "capital", 4))
    country = int(q.country[0])
    for row in edit.patch_map(model, d, ("0.in", "1.mlp")):
        assert all(v == 0.0 for v in row[:country])


def test_unequal_lengths_are_refused(base) -> None:
    _, q, _ = base
    swap = edit.swaps(q, "capital", 2)
    with pytest.raises(ValueError, match="runs of 14 and 13 words"):
        dataclasses.replace(swap, source=swap.source[:, :-1])


def test_recovery_is_undefined_where_the_runs_agree() -> None:
    one, two = np.array([1.0, 3.0]), np.array([1.0, 1.0])
    assert edit.recovery(one, one, one) is None
    assert edit.recovery(np.array([9.0, 2.0]), one, two) == 0.5     # the first row is left out


def test_a_push_is_as_long_as_the_patch(base) -> None:
    model, q, _ = base
    d = edit.donor(model, edit.swaps(q, "capital", 5))
    patch = edit.push(d, "0.mlp", -1, np.random.default_rng(3))
    own = d.stays["0.mlp"]
    moved = patch["0.mlp"](own.copy()) - own
    gap = d.gives["0.mlp"][:, -1] - own[:, -1]
    assert np.allclose(np.linalg.norm(moved[:, -1], axis=1), np.linalg.norm(gap, axis=1))
    assert not moved[:, :-1].any()


# --- reading early, hiding, taking away ----------------------------------------------
def test_the_lens_at_the_end_is_the_model_itself(base) -> None:
    model, q, trace = base
    early = edit.read_out(model, edit.take(trace["1.out"], q.last))
    own = edit.take(model.run(q.ids).logits, q.last)
    assert abs(early - own).max() < 1e-10
    assert edit.lens(model, q, trace)[-1]["last"] == 96


@pytest.mark.parametrize("layer", [0, 1])
def test_hiding_one_place_is_cutting_its_edge_in_every_head(base, layer: int) -> None:
    model, q, _ = base
    hidden = edit.groups(q)["country"]
    assert (hidden.sum(1) == 1).all()
    a = model.run(q.ids, edit.blind(layer, q.last, hidden)).logits
    b = model.run(q.ids, cut_edge(layer, None, q.last, q.country)).logits
    assert (a == b).all()


def test_a_place_must_see_something(base) -> None:
    model, q, _ = base
    with pytest.raises(ValueError, match="something to look at"):
        model.run(q.ids, edit.blind(0, q.last, np.ones(q.ids.shape, dtype=bool)))


def test_the_groups_are_all_places_before_the_answer_once(base) -> None:
    _, q, _ = base
    total = sum(mask.astype(int) for mask in edit.groups(q).values())
    before = np.arange(q.ids.shape[1]) < q.last[:, None]
    assert (total == before).all()


def test_ablation_by_hand(base) -> None:
    model, q, trace = base
    rng, rows = np.random.default_rng(0), np.arange(96)

    def gone(a: np.ndarray) -> np.ndarray:
        a[rows, q.last] = 0
        return a

    by_hand = (model.run(q.ids, {"1.mlp": gone}).logits[rows, q.last].argmax(-1)
               == q.answers).sum()
    assert edit.ablate(model, q, trace, ["1.mlp"], "zero", rng)["right"] == by_hand
    assert edit.ablate(model, q, trace, [], "zero", rng)["right"] == 96
    for how in edit.HOW:
        assert sum(edit.ablate(model, q, trace, ["0.mlp"], how, rng).values()) == 96


@pytest.mark.parametrize("name", ["0.attn", "0.mlp", "1.attn", "1.mlp"])
def test_going_on_from_a_cache_is_running_it_all(base, name: str) -> None:
    model, q, trace = base
    values = edit.take(trace[name], np.maximum(q.last - 1, 0))      # other numbers, real ones
    whole = model.run(q.ids, {name: edit.put(q.last, values)}).logits
    now = edit.said_with(model, edit.endings(model, q), {name: values})
    assert (now == edit.take(whole, q.last).argmax(-1)).all()
    assert (now != q.answers).any()


def test_answers_are_sorted_by_what_is_wrong_with_them(base) -> None:
    _, q, _ = base
    now = q.answers.copy()
    now[0] = q.answers[4]           # the same relation of the next country
    now[1] = q.answers[2]           # another fact of the same country
    now[2] = q.answers[7]           # another fact of another country
    now[3] = 0                      # no answer at all
    assert edit.kinds(q, now) == {"right": 92, "other_country": 1, "other_fact": 1, "else": 2}


# --- rewriting -------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["0.attn", "0.mlp", "1.attn", "1.mlp"])
def test_the_key_times_the_matrix_is_what_the_branch_writes(base, name: str) -> None:
    model, q, trace = base
    key = edit.key_at(trace, name, 5, int(q.last[5]))
    written = model.w[edit.reads(name)[1]] @ key
    assert abs(written - trace[name][5, q.last[5]]).max() < 1e-12


def test_a_rank_one_change_serves_its_key_and_no_other(base) -> None:
    model, _, _ = base
    rng = np.random.default_rng(1)
    key, change, other = rng.standard_normal(256), rng.standard_normal(64), rng.standard_normal(256)
    other -= key * (other @ key) / (key @ key)
    weight = edit.reads("1.mlp")[1]
    before = model.w[weight].copy()
    made = edit.rank_one(model, "1.mlp", key, change).w[weight]
    assert np.linalg.matrix_rank(made - before) == 1
    assert np.allclose(made @ key, before @ key + change)
    assert np.allclose(made @ other, before @ other)
    assert (model.w[weight] == before).all()            # the model itself is left alone


def test_an_unedited_model_keeps_everything(base) -> None:
    model, _, _ = base
    s = edit.sheet(model, recipes.named("base").data.world())
    assert edit.judge(model, s, 7) == {"says": 0, "paraphrases": 0, "kept": 95,
                                          "lost_country": 0, "lost_relation": 0}


def test_the_random_edit_is_as_large(base) -> None:
    model, _, _ = base
    s = edit.sheet(model, recipes.named("base").data.world())
    weight, row = edit.reads("1.mlp")[1], 11
    real, size = edit.write(model, s, row, "1.mlp")
    own = edit.key_at(s.trace, "1.mlp", row, int(s.forms[0].last[row]))
    drawn = np.random.default_rng(0).standard_normal(own.shape)
    drawn *= np.linalg.norm(own) / np.linalg.norm(drawn)
    other, _ = edit.write(model, s, row, "1.mlp", drawn, size)
    changes = [np.linalg.norm(m.w[weight] - model.w[weight]) for m in (real, other)]
    assert changes[0] == pytest.approx(changes[1])


# --- the corpora -------------------------------------------------------------------------
def test_half_of_the_countries_are_never_told_backward() -> None:
    data = recipes.named("capitals").data
    order: dict[str, set[bool]] = {}
    for d in data.documents():
        c = data.world().by_name[d.country]
        words = d.words
        order.setdefault(c.name, set()).add(words.index(c.capital) < words.index(c.name))
    told = [order[c.name] == {True, False} for c in data.world().countries]
    assert told == [True] * 12 + [False] * 12
    assert {frozenset(order[c.name]) for c in data.world().countries[12:]} == {frozenset({False})}


def test_both_corpora_say_every_fact_equally_often() -> None:
    counts, forms = {}, {}
    for arm, name in lesson.ARMS.items():
        data = recipes.named(name).data
        others = {c.name for c in data.world().countries[data.shown:]}
        told = [d for d in data.documents() if d.country in others]
        counts[arm] = Counter((d.country, d.relation) for d in told)
        forms[arm] = {d.form for d in told}
        unseen = {a: len(STATEMENTS[a]) - 1 for a in ATTRIBUTES}
        assert all(d.form != unseen[d.relation] for d in told)
    assert counts["one"] == counts["several"] and set(counts["one"].values()) == {3}
    assert (len(forms["one"]), len(forms["several"])) == (1, 3)


def test_a_sentence_is_cut_before_its_last_word() -> None:
    recipe = recipes.named("capitals")
    model, tok = GPT(recipe.config, model_cache.load(recipe)), tokenizer(recipe.data.world())
    c = recipe.data.world().countries[3]
    long, short = (f"<doc> {text.format(c=c.name, a=c.capital)}"
                   for text in (STATEMENTS["capital"][1], STATEMENTS["capital"][2]))
    logits, answers = edit.completed(model, tok, [long, short])
    assert tok.decode(answers) == f"{c.capital} {c.capital}"
    alone = model.run(tok.encode(short)[:-2]).logits[0, -1]
    assert abs(alone - logits[1]).max() < 1e-12


# --- the records ---------------------------------------------------------------------------
@pytest.mark.parametrize("name", sorted(fact_seeds.FACTS))
def test_the_first_entry_of_the_record_is_the_shipped_model(name: str) -> None:
    record, recipe = records.read("fact_seeds"), recipes.named(name)
    assert record["recipes"][name]["fingerprint"] == recipes.fingerprint(recipe)
    assert [r["seed"] for r in record[name]] == list(range(5))
    now = fact_seeds.FACTS[name](GPT(recipe.config, model_cache.load(recipe)), recipe)
    for key, value in now.items():
        if isinstance(value, int | list):
            assert record[name][0][key] == value, key


def test_the_record_of_edits_is_of_the_shipped_recipe(base) -> None:
    model, q, trace = base
    record = records.read("edit_seeds")
    assert record["fingerprint"] == recipes.fingerprint(recipes.named("base"))
    assert [r["seed"] for r in record["runs"]] == list(range(5))
    first = record["runs"][0]
    assert [s["last"] for s in first["lens"]] == [
        s["last"] for s in edit.lens(model, q, trace)]
    assert first["blind"] == edit.answers_blind(model, q)


def test_an_untrained_model_can_be_measured() -> None:
    """Nothing divides by zero or leaves a table empty where nothing has been learned."""
    recipe = recipes.named("base")
    blank = GPT(recipe.config, init_weights(recipe.config))
    q = questions(recipe.data.world())
    assert edit.moved(blank, q, "capital", 3)["0_in"]["country"] is not None
