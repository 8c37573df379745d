"""Demo 08: many heads. SPEC's numbers as a table, and what is special to it."""

from __future__ import annotations

import numpy as np
import pytest

from attention_np import attention
from demos import d08_heads as demo
from demos.d08_heads import lesson
from lecture import records
from lecture.data import tasks
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT
from lecture.report import at


@pytest.fixture(scope="module")
def metrics(results):
    """metrics(number): the metrics of a part at its own settings."""
    return lambda number: results(demo.PARTS[number - 1]).metrics


# part, path, value, tolerance, where it comes from
SPEC = [
    (1, "now.bare_2.both", 0.985, 0.0151, "08.1: two heads .97-1.00"),
    (1, "now.marked_1.both", 0.905, 0.095, "08.1: one head .81-1.00"),
    (1, "now.marked_1.smaller", 0.5, 0.1, "08.1: weights about .5/.5"),
    (2, "noted.sum", 0.9, 1e-12, "B-047"),
    (2, "past.reason", 0.0, 0, "B-047: tired is to the right"),
    (3, "one.qkv", 786_432, 0, "08.3"),
    (3, "one.out", 262_144, 0, "B-055"),
    (3, "one.total", 1_048_576, 0, "08.3"),
    (3, "many.total", 1_048_576, 0, "08.3: for 8 heads too"),
    (3, "slice", 98_304, 0, "B-053"),
    (3, "slices", 786_432, 0, "B-054"),
    (3, "with_bias", 1_050_624, 0, "B-056"),
    (3, "third", 1.3333, 5e-5, "B-057: without W_O"),
    (4, "now.scores.rank", 64, 0, "08.4"),
    (4, "now.softmax.rank", 128, 0, "08.4"),
    (4, "record.scores.as_many", 20, 0, "A-079: 20 of 20"),
    (4, "record.softmax.as_many", 20, 0, "A-077: 20 of 20"),
    (4, "record.cut.effective.now", 81.6, 0.5, "A-077: 81.6 (78.7-82.9)"),
    (4, "now.softmax.energy", 0.97, 0.005, "08.4: 97 % of the energy"),
    (4, "now.causal.diagonal", 0.05, 0.05, "08.4: above zero, so exactly full"),
    (4, "given.four.rank", 4, 0, "A-075"),
    (4, "four.det", 0.2520, 5e-5, "A-075"),
    (4, "four.singular.0", 1.0144, 5e-5, "A-075"),
    (4, "four.singular.3", 0.5892, 5e-5, "A-075"),
    (4, "given.first.rank", 2, 0, "A-073"),
    (4, "given.second.rank", 3, 0, "A-073"),
    (4, "record.sum.0", 1023, 1, "A-078: 1,022 to 1,024"),
    (4, "record.sum.1", 1024, 0, "A-078"),
    (4, "record.cut.high.low", 51, 3, "A-080: 51-58 above .08"),
    (4, "record.cut.high.high", 58, 3, "A-080"),
    (4, "record.cut.middle.low", 114, 2, "A-080: 114-116 above .01"),
    (4, "record.cut.middle.high", 116, 2, "A-080"),
    (4, "now.one_output.rank", 64, 0, "08.4"),
    (4, "now.all_outputs.rank", 128, 0, "08.4"),
    (4, "now.thin.scores", 4, 0, "A-079"),
    (5, "fewer.layer", 458_752 / 3_145_728, 1e-12, "R-08.4: with an MLP of 4 x 512"),
    (5, "rows.g8.parameters", 1_048_576, 0, "A-084"),
    (5, "rows.g4.parameters", 786_432, 0, "A-084"),
    (5, "rows.g2.parameters", 655_360, 0, "A-084"),
    (5, "rows.g1.parameters", 589_824, 0, "A-084"),
    (5, "rows.g8.cache", 1024, 0, "A-084"),
    (5, "rows.g2.cache", 256, 0, "A-084"),
    (5, "rows.g1.cache", 128, 0, "A-084"),
    (5, "rows.g8.unlike_full", 0.0, 1e-12, "08.5: groups = heads"),
]


@pytest.mark.parametrize(("part", "path", "value", "within", "source"), SPEC)
def test_the_figures_of_spec(metrics, part, path, value, within, source) -> None:
    assert abs(at(metrics(part), path) - value) <= within, source


# --- the tasks ------------------------------------------------------------------


@pytest.mark.parametrize("marked", [0, 1])
def test_two_things_says_what_stood_there(marked) -> None:
    sizes = {"names": 8, "marked": marked}
    ids, mask, told = tasks.named("two_things")(np.random.default_rng(1), 200, **sizes)
    size = tasks.named("two_things").vocab_size(**sizes)
    first = size - 16
    assert ids.max() == first - 1 and told.max() < size
    assert mask.sum() == len(ids) and mask[:, -1].all()
    assert (ids[::2] == ids[1::2]).all()
    who, whom = tasks.ASKED
    assert (told[::2, -1] - first == ids[::2, who] % 8).all()
    assert (told[1::2, -1] - first - 8 == ids[::2, whom] % 8).all()
    assert all(len(set(row % 8)) == 6 for row in ids[:, :-1])      # all different
    if marked:
        assert (ids[:, :-1] // 8 == np.arange(6)).all()


def test_two_things_refuses_what_it_cannot_draw() -> None:
    for sizes in ({"names": 5}, {"places": 4}):
        with pytest.raises(ValueError, match="need an even batch"):
            tasks.named("two_things")(np.random.default_rng(0), 2, **sizes)


@pytest.mark.parametrize("ask", [0, 1])
def test_the_pronoun_means_the_noun_its_reason_fits(ask) -> None:
    ids, mask, told = tasks.named("pronoun")(np.random.default_rng(2), 300, ask=ask)
    seen = set()
    for row, counts, means in zip(ids, mask, told[:, 0], strict=True):
        words = [tasks.PRONOUN_WORDS[i] for i in row]
        animal, = set(words) & set(tasks.ANIMALS)
        thing, = set(words) & set(tasks.THINGS)
        reason = words[tasks.REASON]
        assert words[tasks.IT] == "it" and counts.sum() == 1
        assert words[int(counts.argmax())] == ("?" if ask else "it")
        fits = animal if reason in tasks.OF_ANIMALS else thing
        assert tasks.PRONOUN_WORDS[means] == fits
        seen.add((words.index(animal) < words.index(thing), fits == animal))
    assert len(seen) == 4               # both orders, both meanings


# --- what is measured -------------------------------------------------------------


def test_one_head_without_marks_never_gets_both() -> None:
    runs = records.read("heads_seeds")["two"]
    assert max(r["both"] for r in runs["bare_1"]) < 0.7
    assert min(r["both"] for r in runs["marked_1"]) > 0.8
    assert all(len(r) == 8 for r in runs.values())


def test_no_readout_can_take_an_even_average_apart() -> None:
    """Swap two names that are only averaged: the same output, so one answer is wrong."""
    recipe = recipes.named("two_bare_1")
    net = GPT(recipe.config, model_cache.load(recipe))
    ids, _ = lesson.two_sheet("bare_1", 0)
    who, whom = tasks.ASKED
    other = ids.copy()
    other[:, [who, whom]] = ids[:, [whom, who]]

    def even(S):
        S[:] = -np.inf
        S[..., [who, whom]] = 0.0
        return S

    a, b = (lesson.both_said(net, x, {"0.scores": even}) for x in (ids, other))
    assert (a == b).all()


def test_the_records_are_of_these_recipes() -> None:
    kept = records.read("heads_seeds")["recipes"]
    assert kept == {n: recipes.fingerprint(recipes.named(n)) for n in kept} and len(kept) == 6


def test_the_rank_record_is_what_is_drawn() -> None:
    runs = records.read("heads_ranks")["runs"]
    assert len(runs) == 20
    for seed in (0, 13):
        now = lesson.spectra(128, 64, seed)
        assert now["softmax"]["effective"] == pytest.approx(runs[seed]["softmax"]["effective"])
        assert now["by_cut"] == runs[seed]["by_cut"]


def test_a_triangle_is_full_though_a_threshold_counts_less(metrics) -> None:
    """Nothing above the diagonal, nothing zero on it: the rows solve one by one."""
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((2, 128, 64))
    _, W = attention(q, k, k, mask=np.tri(128, dtype=bool))
    assert not np.triu(W, 1).any() and (W.diagonal() > 0).all()
    assert metrics(4)["now"]["causal"]["rank"] < 128
    assert metrics(4)["now"]["causal"]["diagonal"] > 0


def test_k07_neighbouring_heads_share_a_group(metrics) -> None:
    paired = metrics(5)["paired"]
    assert paired["each"] == [10, 10, 20, 20] and paired["block"] == [10, 20, 10, 20]


def test_the_adjective_hands_over_nothing_that_is_needed() -> None:
    """In the net that sees all its value may be 0, though the look may not go: every seed."""
    runs = records.read("heads_seeds")["pronoun"]
    assert len(runs) == 8 and min(r["content"] for r in runs) >= 0.95
    assert max(r["cut"]["reason"] for r in runs) <= 0.7


def test_the_shown_network_is_the_lower_middle_one() -> None:
    """By both right, by the look at the noun, by what is left without the late looks."""
    kept = records.read("heads_seeds")
    numbers = {f"two_{n}": [r["both"] for r in runs] for n, runs in kept["two"].items()}
    numbers["pronoun"] = [r["own"] for r in kept["pronoun"]]
    numbers["pronoun_causal"] = [r["late"]["left"] for r in kept["pronoun_causal"]]
    for name, of in numbers.items():
        shown = recipes.named(name).seed
        assert len(of) == 8 and of[shown] == sorted(of)[3], name
        assert kept["shown"][name] == shown == of.index(of[shown]), name


def test_an_exponential_of_rank_one_has_full_rank(metrics) -> None:
    """Rows 1, e^q, e^2q of different q: Vandermonde, so the determinant is not zero."""
    e = np.array([w["exps"] for w in metrics(4)["example"]["words"].values()])
    a = np.exp([0.0, 1.0, 2.0])
    expected = (a[1] - a[0]) * (a[2] - a[0]) * (a[2] - a[1])
    assert np.linalg.det(e) == pytest.approx(expected)


def test_who_may_not_look_is_what_each_row_says() -> None:
    """Forbidden looks have weight 0 in every layer and head, and only those."""
    recipe = recipes.named("pronoun_causal")
    net = GPT(recipe.config, model_cache.load(recipe))
    s = lesson.pronoun_sheet("pronoun_causal", 0)
    nouns, B = [s["meant"], s["other"]], np.arange(len(s["ids"]))
    trace = net.run(s["ids"], lesson.blind(net, [lesson.IT], nouns), trace=True).trace
    free = net.run(s["ids"], trace=True).trace
    for layer in range(2):
        W, before = trace[f"{layer}.weights"], free[f"{layer}.weights"]
        for key in nouns:
            assert not W[B, :, lesson.IT, key].any() and before[B, :, lesson.IT, key].all()
            assert W[B, :, lesson.REASON, key].all()


# --- torch's own ------------------------------------------------------------------


def test_torch_counts_the_same_parameters(metrics) -> None:
    from torch import nn

    def count(heads: int, bias: bool) -> int:
        return sum(p.numel() for p in nn.MultiheadAttention(512, heads, bias=bias).parameters())

    m = metrics(3)
    assert count(8, False) == count(1, False) == m["many"]["total"] == m["one"]["total"]
    assert count(8, True) == m["with_bias"]


def test_torch_groups_as_we_do() -> None:
    import torch
    from torch.nn.functional import scaled_dot_product_attention as sdpa

    rng = np.random.default_rng(3)
    q, k, v = rng.standard_normal((8, 5, 4)), *rng.standard_normal((2, 2, 5, 4))
    theirs = sdpa(*(torch.from_numpy(a)[None] for a in (q, k, v)), enable_gqa=True)
    assert abs(attention(q, k, v)[0] - theirs[0].numpy()).max() <= 1e-12


@pytest.mark.parametrize("name", ["two_bare_2", "two_marked_1", "pronoun", "pronoun_causal"])
def test_numpy_runs_the_shipped_network_as_torch_does(name) -> None:
    import torch

    import tiny_gpt

    recipe = recipes.named(name)
    weights = model_cache.load(recipe)
    assert weights.origin == "shipped"
    net = GPT(recipe.config, weights)
    model = tiny_gpt.from_tensors(recipe.config, weights.tensors, torch.float64)
    ids = tasks.named(recipe.data.task)(np.random.default_rng(0), 8,
                                        **dict(recipe.data.sizes))[0]
    with torch.no_grad():
        theirs = model(torch.from_numpy(ids))[0].numpy()
    assert abs(net.run(ids).logits - theirs).max() <= 1e-10


def test_the_benchmark_compares_equal_things() -> None:
    from benchmarks import grouped_heads

    row = grouped_heads.measure(64, 8, 32, 2)
    assert row["unlike"] <= 1e-5 and row["cache_bytes"] == 2 * 2 * 32 * 8 * 4
