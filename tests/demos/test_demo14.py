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
reversal   record.runs.0.not_told          0
reversal   record.runs.1.not_told          0
reversal   record.runs.2.not_told          0
reversal   record.runs.3.not_told          0
reversal   record.runs.4.not_told          0
look_up    right                           96
reversal   chance                          6.5
look_up    stages.mlp1.last.lens           96
look_up    moved.country.before            1
ablation   right                           96
edit       others                          95
told       facts                           60
told       arms.one.shown.right            60
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
    d = edit.donor(model, swap)
    before = model.run(swap.to).logits
    for p in range(swap.to.shape[1]):
        patch = {name: edit.put(p, d.stays[name][:, p])}
        assert (model.run(swap.to, patch).logits == before).all()
        assert edit.recovered(model, d, patch) == 0.0


def test_what_is_before_the_difference_cannot_matter(base) -> None:
    model, q, _ = base
    d = edit.donor(model, edit.swaps(q, "capital", 4))
    country = int(q.country[0])
    for name in ("0.in", "1.mlp"):
        for p in range(country):
            assert edit.recovered(model, d, {name: edit.put(p, d.gives[name][:, p])}) == 0.0


def test_a_third_country_s_state_is_not_the_one_asked_about(base) -> None:
    model, q, _ = base
    own, third = (edit.moved(model, q, "capital", third=t) for t in (False, True))
    assert own["0_attn"]["last"] == pytest.approx(1, abs=0.01)
    assert abs(third["0_attn"]["last"] - 1) > 0.2


def test_unequal_lengths_are_refused(base) -> None:
    _, q, _ = base
    swap = edit.swaps(q, "capital", 2)
    with pytest.raises(ValueError, match="runs of 14 and 13 words"):
        dataclasses.replace(swap, source=swap.source[:, :-1])


def test_recovery_is_undefined_where_the_runs_agree() -> None:
    one, two = np.array([1.0, 3.0]), np.array([1.0, 1.0])
    assert edit.recovery(one, one, one) is None
    assert edit.recovery(np.array([9.0, 2.0]), one, two) == 0.5     # the first row is left out


# --- reading early, hiding, taking away ----------------------------------------------
def test_the_probe_reads_a_rule_and_no_dealt_answers() -> None:
    """States that are a linear map of the answers' vectors: first, also where left out."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((60, 12))
    answers = rng.permutation(60)[:48]                              # 12 countries
    states = vectors[answers] @ rng.standard_normal((12, 12))
    assert np.mean(np.array(edit.probe(states, vectors, answers)) == 1) > 0.9
    sheet = answers.reshape(12, 4)
    other = np.stack([rng.permutation(column) for column in sheet.T], 1).ravel()
    assert np.mean(np.array(edit.probe(states, vectors, other)) == 1) < 0.3


def test_the_probe_has_not_met_the_country_it_is_asked_about(base) -> None:
    """By hand, for one country: its four rows have no say in the fit."""
    model, q, trace = base
    states, vectors = edit.take(trace["0.in"], q.country), edit.table(model)
    ranks = edit.probe(states, vectors, q.answers)
    spoiled = states.copy()
    spoiled[:4] *= 50.0                                             # the first country alone
    assert edit.probe(spoiled, vectors, q.answers)[:4] != ranks[:4]
    x, y = states[4:], vectors[q.answers[4:]]
    gram = (x - x.mean(0)).T @ (x - x.mean(0))
    gram += np.eye(64) * (edit.RIDGE * np.trace(gram) / 64 + 1e-12)
    guess = (states[2] - x.mean(0)) @ np.linalg.solve(
        gram, (x - x.mean(0)).T @ (y - y.mean(0))) + y.mean(0)
    apart = ((vectors[q.answers[2::4]] - guess) ** 2).sum(1)        # the leaders
    assert ranks[2] == 1 + (apart < apart[0]).sum()


def test_dealt_answers_stay_within_their_relation(base) -> None:
    _, q, _ = base
    dealt = edit.dealt(q, np.random.default_rng(0))
    assert (dealt != q.answers).sum() > 80
    for r in range(4):
        assert sorted(dealt[r::4]) == sorted(q.answers[r::4])


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
    rows = np.arange(96)

    def gone(a: np.ndarray) -> np.ndarray:
        a[rows, q.last] = 0
        return a

    by_hand = (model.run(q.ids, {"1.mlp": gone}).logits[rows, q.last].argmax(-1)
               == q.answers).sum()
    assert edit.ablate(model, q, trace, ["1.mlp"], "zero")["right"] == by_hand
    assert edit.ablate(model, q, trace, [], "zero")["right"] == 96
    for how in edit.HOW:
        assert sum(edit.ablate(model, q, trace, ["0.mlp"], how).values()) == 96


def test_both_attentions_exchanged_is_the_other_question(base) -> None:
    """Known by construction, and so not on the screen: the last place sees through them alone."""
    model, q, trace = base
    rows = np.arange(96)
    names = ["0.attn", "1.attn"]
    assert edit.exchange(model, q, trace, names, rows) == {"right": 96, "follow": 96}
    assert edit.exchange(model, q, trace, names, edit.next_country(q)) == {"right": 0,
                                                                           "follow": 96}


def test_answers_are_sorted_by_what_is_wrong_with_them(base) -> None:
    _, q, _ = base
    now = q.answers.copy()
    now[0] = q.answers[4]           # the same relation of the next country
    now[1] = q.answers[2]           # another fact of the same country
    now[2] = q.answers[7]           # another fact of another country
    now[3] = 0                      # no answer at all
    assert edit.kinds(q, now) == {"right": 92, "other_country": 1, "other_fact": 1, "neither": 1,
                                  "else": 1}


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
    by = key + other                                    # read another way, written the same
    made = edit.rank_one(model, "1.mlp", key, change, by).w[weight]
    assert np.allclose(made @ key, before @ key + change)
    assert not np.allclose(made @ other, before @ other)
    assert (model.w[weight] == before).all()            # the model itself is left alone


def test_an_unedited_model_keeps_everything(base) -> None:
    model, _, _ = base
    s = edit.sheet(model, recipes.named("base").data.world())
    assert edit.judge(model, s, 7) == {"says": 0, "paraphrases": 0, "kept": 95,
                                          "lost_country": 0, "lost_relation": 0, "lost_neither": 0}


def test_an_edit_with_another_key_is_as_large(base) -> None:
    model, _, _ = base
    s = edit.sheet(model, recipes.named("base").data.world())
    weight, row = edit.reads("1.mlp")[1], 11
    real, size = edit.write(model, s, row, "1.mlp")
    own = edit.key_at(s.trace, "1.mlp", row, int(s.forms[0].last[row]))
    foreign = edit.key_at(s.trace, "1.mlp", row + 4, int(s.forms[0].last[row + 4]))
    assert abs(foreign - own).max() > 0.1
    other, _ = edit.write(model, s, row, "1.mlp", foreign, size)
    size_of = [np.linalg.norm(m.w[weight] - model.w[weight]) for m in (real, other)]
    # a change of that length, divided by the length of its key
    assert size_of[0] * np.linalg.norm(own) == pytest.approx(size_of[1] * np.linalg.norm(foreign))


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


def test_the_other_arms_differ_in_their_one_phrasing_alone() -> None:
    said = {}
    for name, (recipe, _) in fact_seeds.asked_about().items():
        if name in fact_seeds.ALONE or name == lesson.ARMS["one"]:
            own = {c.name for c in recipe.data.world().countries[recipe.data.shown:]}
            told = [d for d in recipe.data.documents() if d.country in own]
            said[name] = ({d.form for d in told}, Counter((d.country, d.relation) for d in told))
    assert [forms for forms, _ in said.values()] == [{0}, {1}, {2}]
    assert len({tuple(sorted(counts.items())) for _, counts in said.values()}) == 1


def test_shared_pairs_of_words() -> None:
    assert lesson.shared("the leader of {c} is {a} .", "the leader in {c} is {a} .") == 4
    assert lesson.shared("a b c", "c b a") == 0


def test_a_rank_by_hand() -> None:
    """14.0's mean rank, for the first capital told one way, in the first phrasing."""
    recipe = recipes.named("capitals")
    model, tok = GPT(recipe.config, model_cache.load(recipe)), tokenizer(recipe.data.world())
    group = recipe.data.world().countries[12:]
    found = lesson.backward(model, tok, group, [tok.stoi[c.name] for c in group], [])
    ranks = []
    for text in recipes.BACKWARD:
        for c in group:
            ids = tok.encode(f"<doc> {text.format(a=c.capital, c=c.name)}")[:-2]
            last = model.run(ids).logits[0, -1]
            better = [o.name for o in group if last[tok.stoi[o.name]] > last[tok.stoi[c.name]]]
            ranks.append(1 + len(better))
    assert found["rank"] == pytest.approx(np.mean(ranks))


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
def test_the_shipped_model_s_entry_of_the_record(name: str) -> None:
    record, recipe = records.read("fact_seeds"), recipes.named(name)
    assert record["recipes"][name]["fingerprint"] == recipes.fingerprint(recipe)
    assert [r["seed"] for r in record[name]] == list(range(5))
    now = fact_seeds.FACTS[name](GPT(recipe.config, model_cache.load(recipe)), recipe)
    for key, value in now.items():
        if isinstance(value, int | list | dict) and key != "back":
            assert record[name][recipe.seed][key] == value, key


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


@pytest.mark.parametrize("key", ["rank", "unseen"])
def test_the_shown_seed_is_the_lower_middle_one(key: str) -> None:
    record = records.read("fact_seeds")
    if key == "rank":
        name, values = "capitals", [r["back"]["not_told"]["rank"] for r in record["capitals"]]
    else:
        name, values = "told_one_way", [r["unseen"] for r in record["told_one_way"]]
    middle = sorted(values)[(len(values) - 1) // 2]
    assert values[recipes.named(name).seed] == middle
