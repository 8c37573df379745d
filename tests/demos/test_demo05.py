"""Demo 05: query, key, value. SPEC's numbers as a table, and what is special to it."""

from __future__ import annotations

import numpy as np
import pytest

from demos import d05_qkv as demo
from demos.d05_qkv import lesson
from lecture import records
from lecture.data import tasks
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT, init_weights
from lecture.report import at


@pytest.fixture(scope="module")
def metrics(results):
    """metrics(number): the metrics of a part at its own settings."""
    return lambda number: results(demo.PARTS[number - 1]).metrics


# part, path, value, tolerance, where it comes from
SPEC = [
    (1, "drawn.shared.unit.self_weight", 0.81, 0.01, "05.1: 81 %"),
    (1, "drawn.shared.default.self_weight", 0.056, 0.002, "05.1: 5.6 %"),
    (1, "drawn.shared.unit.self_wins", 256, 0, "05.1: every row"),
    (1, "drawn.shared.default.self_wins", 256, 0, "05.1: every row, in both"),
    (1, "drawn.shared.unit.query_spread", 1.0, 0.01, "unit variance"),
    (1, "lists.plain.shared.itself", 256, 0, "05.1: every row"),
    (2, "looks.right_separate.whole", 1.0, 0.005, "05.2: standard 100 %"),
    (2, "looks.right_shared_kv.whole", 1.0, 0.005, "05.2: K = V 100 %"),
    (2, "looks.right_shared_qk.whole", 0.37, 0.06, "05.2: Q = K about 37 %"),
    (2, "parameters.separate", 98304, 0, "05.2 at 512 to 64"),
    (2, "parameters.shared_kv", 65536, 0, "05.2"),
    (2, "parameters.shared_qk", 65536, 0, "05.2"),
    (2, "parameters.none", 0, 0, "05.2"),
    (3, "noted.sum", 1.9, 1e-12, "05.3"),
    (3, "noted.weights.0", 0.2052, 5e-5, "A-016"),
    (3, "noted.weights.1", 0.4566, 5e-5, "A-016"),
    (3, "noted.weights.2", 0.3383, 5e-5, "A-016"),
    (3, "noted.shares.1", 0.5263, 5e-5, "A-016"),
    (3, "ranks.separate", 64, 0, "A-020"),
    (3, "ranks.single", 64, 0, "A-020"),
    (3, "ranks.stacked", 192, 0, "A-020"),
    (3, "forged.printed.span", 0.0411, 1e-9, "05.3: .041"),
    (3, "forged.printed.spread", 0.0098, 3e-4, "A-026"),
    (3, "forged.runs.span.mean", 0.234, 0.003, "05.3: mean .234"),
    (3, "forged.runs.spread", 0.059, 0.002, "A-026"),
    (3, "forged.runs.as_flat", 0, 0, "05.3: none of 2,000"),
]


@pytest.mark.parametrize(("part", "path", "value", "within", "source"), SPEC)
def test_the_figures_of_spec(metrics, part, path, value, within, source) -> None:
    assert abs(at(metrics(part), path) - value) <= within, source


def test_shapes_are_those_of_the_lecture(metrics) -> None:
    shapes = metrics(3)["shapes"]
    assert shapes["out"] == [2, 5, 64] and shapes["joined"] == [2, 5, 512]
    assert shapes["weights"] == [2, 5, 5] and shapes["q"] == [2, 5, 64]


# --- part 1 -------------------------------------------------------------------


def test_sharing_costs_symmetry_whatever_the_seed() -> None:
    for seed in range(3):
        drawn = lesson.share_query_key(64, seed)["drawn"]
        assert drawn["shared"]["unit"]["asymmetry"] <= 1e-10
        assert drawn["apart"]["unit"]["asymmetry"] > 1


# --- part 3: what the notes' classes do, in torch itself ------------------------


def test_torch_still_does_what_the_notes_classes_did(metrics) -> None:
    """A small case of our own with the same two faults; what theirs did is kept as data."""
    from torch import nn

    class Forgets(nn.Module):
        def __init__(self) -> None:
            self.query = nn.Linear(4, 2)

    class Drops(nn.Module):
        def forward(self, x):
            q = k = v = x                                           # noqa: F841

    with pytest.raises(Exception) as caught:                        # noqa: PT011,B017
        Forgets()
    assert type(caught.value).__name__ == metrics(3)["code"]["raised"] == "AttributeError"
    assert str(Drops()(nn.Parameter())) == metrics(3)["code"]["returned"] == "None"


def test_many_runs_are_the_code_of_the_notes(metrics) -> None:
    """Torch's own Linear and softmax, 300 heads: the same spread of weights."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    spans, spreads = [], []
    for _ in range(300):
        x, q, k = torch.randn(5, 512), nn.Linear(512, 64, bias=False), nn.Linear(
            512, 64, bias=False)
        with torch.no_grad():
            w = torch.softmax(q(x) @ k(x).T / 8, dim=-1)
        spans.append(float(w.max() - w.min()))
        spreads.append(float(w.std(correction=0)))
    runs = metrics(3)["forged"]["runs"]
    assert abs(np.mean(spans) - runs["span"]["mean"]) < 0.015      # 4 standard errors
    assert abs(np.mean(spreads) - runs["spread"]) < 0.003
    assert min(spans) > 0.0412


def test_flat_enough_initialisation_is_found() -> None:
    """The count can be other than zero: smaller matrices are as flat as print."""
    assert lesson.run_often(100, 0.4, 0, 1.0, 0)["runs"]["as_flat"] > 20     # as the caveat says
    assert lesson.run_often(100, 0.2, 0, 1.0, 0)["runs"]["as_flat"] == 100
    assert lesson.run_often(20, 1.0, 0, 1.0, 7)["runs"]["as_flat"] == 7


# --- part 2: tasks, networks, record --------------------------------------------


def test_neighbour_asks_for_the_word_on_the_right() -> None:
    ids, mask = tasks.named("neighbour")(np.random.default_rng(0), 50)
    assert ids.shape == mask.shape == (50, 24) and ids.max() == 7
    assert mask[:, :-1].all() and not mask[:, -1].any()


def test_recall_has_one_answer_and_it_stands_in_the_first_list() -> None:
    ids, mask = tasks.named("recall")(np.random.default_rng(0), 50)
    assert ids.shape == (50, 16) and mask.sum() == 200
    assert set(np.flatnonzero(mask[0])) == {8, 10, 12, 14}
    for row in ids:
        pairs = {int(k): int(v) for k, v in row[:8].reshape(4, 2)}
        assert len(pairs) == len(set(pairs.values())) == 4
        assert all(k < 8 <= v for k, v in pairs.items())
        assert {int(k): int(v) for k, v in row[8:].reshape(4, 2)} == pairs
    with pytest.raises(ValueError, match="pairs"):
        tasks.named("recall")(np.random.default_rng(0), 2, pairs=9)


def test_heads_of_a_width_of_their_own() -> None:
    """GPTConfig.head: shapes, the refusal without projections, old fingerprints."""
    cfg = recipes.GPTConfig(8, 4, n_head=2, width=6, head=5)
    shapes = cfg.tensor_shapes()
    assert shapes["blocks.0.attn.q.weight"] == (10, 6)
    assert shapes["blocks.0.attn.out.weight"] == (6, 10)
    assert "head" not in recipes.described(recipes.GPTConfig(8, 4))
    with pytest.raises(ValueError, match="none"):
        recipes.GPTConfig(8, 4, n_head=2, width=6, head=5, qkv="none")


@pytest.mark.parametrize(("case", "way"), [(c, w) for c, ways in lesson.CASES.items()
                                           for w in ways])
def test_numpy_equals_torch(case, way) -> None:
    """Logits and maps of every variant, float64, 1e-10."""
    import torch

    from tiny_gpt import from_tensors

    recipe = lesson.recipe_of(case, way)
    weights = model_cache.load(recipe)
    ids, _ = lesson.sheet(case, 3, 5)
    ours = GPT(recipe.config, weights).run(ids, trace=True)
    model = from_tensors(recipe.config, dict(weights.tensors), torch.float64)
    with torch.no_grad():
        logits, _, maps = model(torch.from_numpy(ids), return_attn=True)
    assert np.abs(logits.numpy() - ours.logits).max() <= 1e-10
    for layer, theirs in enumerate(maps):
        assert np.abs(theirs.numpy() - ours.trace[f"{layer}.weights"]).max() <= 1e-10


def test_what_is_shared_is_shared() -> None:
    """K = V: one array; Q = K: symmetric scores; none: the stream itself."""
    for way, pair in (("shared_kv", ("k", "v")), ("shared_qk", ("q", "k"))):
        recipe = lesson.recipe_of("recall", way)
        trace = GPT(recipe.config, model_cache.load(recipe)).run(
            lesson.sheet("recall", 0, 3)[0], trace=True).trace
        a, b = (trace[f"1.{name}"] for name in pair)
        assert np.array_equal(a, b)
    recipe = lesson.recipe_of("recall", "none")
    trace = GPT(recipe.config, model_cache.load(recipe)).run(
        lesson.sheet("recall", 0, 3)[0], trace=True).trace
    assert np.array_equal(trace["1.q"][:, 0], trace["1.norm1"])


def test_hidden_edges_get_no_weight() -> None:
    """The cut reaches the edges it names, one a query, and no other."""
    recipe = lesson.recipe_of("right", "separate")
    net = GPT(recipe.config, model_cache.load(recipe))
    ids, _ = lesson.sheet("right", 0, 4)
    here = np.arange(23)[None].repeat(4, 0)
    edges = lesson.marked(ids, here, here + 1)
    assert edges.sum() == 4 * 23
    W = net.run(ids, lesson.hide(0, edges), trace=True).trace["0.weights"][:, 0]
    assert W[edges].max() == 0 and np.abs(W.sum(-1) - 1).max() < 1e-12


def test_record_is_of_these_recipes() -> None:
    """Whoever changes a recipe or task must record again."""
    record = records.read("qkv_seeds")
    names = [lesson.recipe_of(c, w).name for c, ways in lesson.CASES.items() for w in ways]
    assert sorted(record["models"]) == sorted(names)
    for name in names:
        assert record["recipes"][name] == recipes.fingerprint(recipes.named(name))
        assert len(record["models"][name]) == record["seeds"] == 5
    assert record["checked"] == lesson.CHECKED and record["date"] and record["versions"]


def test_record_agrees_with_what_is_shipped(metrics) -> None:
    """The record has the shipped network, by its seed, measured on the same sheet."""
    for case, ways in metrics(2)["record"].items():
        for way, kept in ways.items():
            recipe = lesson.recipe_of(case, way)
            net = GPT(recipe.config, model_cache.load(recipe))
            now = lesson.solved(net, *lesson.sheet(case, 0))
            assert abs(kept["runs"][recipe.seed] - now) < 0.02, (case, way)


def test_what_is_shown_is_the_lower_middle_of_the_record() -> None:
    record = records.read("qkv_seeds")
    for name, runs in record["models"].items():
        assert runs[recipes.named(name).seed] == sorted(runs)[2], name


def test_weights_set_by_hand_solve_the_narrow_head() -> None:
    """The very config that training did not solve, five sheets, and torch in float32."""
    import torch

    from tiny_gpt import from_tensors

    net = lesson.by_hand()
    assert net.cfg == lesson.recipe_of("narrow", "shared_kv").config
    assert net.cfg.head_width == 2 and net.cfg.qkv == "shared_kv"
    model = from_tensors(net.cfg, net.w, torch.float32)
    for seed in range(5):
        ids, counts = lesson.sheet("narrow", seed)
        assert lesson.solved(net, ids, counts) == 1.0
        with torch.no_grad():
            said = model(torch.from_numpy(ids))[0].argmax(-1).numpy()
        assert (said[:, :-1] == ids[:, 1:])[counts[:, :-1]].all()
    assert lesson.solved(lesson.by_hand(0.0), *lesson.sheet("narrow", 0)) < 0.25


def test_a_synonym_wins_only_by_length() -> None:
    """Three other seeds: of one length words win, with lengths only longer ones beat them."""
    for seed in (1, 2, 3):
        lists = lesson.share_query_key(256, seed)["lists"]
        assert lists["synonyms"]["shared"]["itself"] >= 250
        both = lists["both"]["shared"]
        assert both["itself"] < 200 and both["longer"] == 256 - both["itself"]
        assert both["itself"] + both["synonym"] + both["other"] == 256


def test_identity_matrices_change_nothing() -> None:
    """The bare network and the same with identities: equal logits, every row."""
    bare = lesson.recipe_of("recall", "none")
    net = GPT(bare.config, model_cache.load(bare))
    ids, _ = lesson.sheet("recall", 0, 20)
    for way in ("separate", "shared_qk", "shared_kv"):
        full = lesson.with_identities(way, net)
        assert np.abs(full.run(ids).logits - net.run(ids).logits).max() <= 1e-12


def test_untrained_networks_solve_nothing() -> None:
    recipe = lesson.recipe_of("right", "separate")
    net = GPT(recipe.config, init_weights(recipe.config))
    assert lesson.solved(net, *lesson.sheet("right", 0)) < 0.3


@pytest.mark.slow
def test_training_again_solves_again() -> None:
    """One seed that no record holds: three matrices read the neighbour, Q = K not."""
    import tiny_gpt

    found = {}
    for way in ("separate", "shared_qk"):
        recipe = recipes.with_seed(lesson.recipe_of("right", way), 11)
        net = GPT(recipe.config, tiny_gpt.train(recipe)[0])
        found[way] = lesson.solved(net, *lesson.sheet("right", 0))
    assert found["separate"] > 0.95 and found["shared_qk"] < 0.6


def test_rounding_decides_no_tie() -> None:
    """05.2: RoPE gives the same two words the same score wherever they stand. Which of two such
    scores is larger is rounding; a browser's Python rounded otherwise, and counted otherwise."""
    recipe = lesson.recipe_of("right", "separate")
    weights = dict(model_cache.load(recipe).tensors)
    rng, found = np.random.default_rng(0), []
    ids = np.array([[1, 2] * 8, [3, 3] * 8, [4, 1, 2, 5] * 4])
    for size in (0.0, 1e-14, 1e-13):
        net = GPT(recipe.config, weights)
        net.w = {n: a * (1 + size * rng.standard_normal(a.shape)) for n, a in net.w.items()}
        found.append(lesson.reading_right(net, ids, np.ones(ids.shape, bool))["climbs"])
    assert found[0] == found[1] == found[2] and 0 < found[0] < 1
