"""Demo 06 against SPEC's own numbers, against torch, and what is special to it.

The demo runs in NumPy; whatever a library says of masks (its polarity, its half
precision, its gradients, its GPT-2) is asked of the library here.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import attention_np as a
from console import Screen
from demos import d06_masks as demo
from demos.d06_masks import lesson
from lecture import records
from lecture.data import tasks
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT
from lecture.quantities import Maps, blocks_of
from lecture.report import HeatMap, Row, T, at, flat, run

ROOT = Path(__file__).resolve().parents[2]
PARTS = {p.key: p for p in demo.PARTS}


@pytest.fixture(scope="module")
def measured(results) -> dict:
    return {key: results(part).metrics for key, part in PARTS.items()}


# --- SPEC 06, as data: part, path, value, and how far ------------------------------

EXACT = (
    ("order", "question_after.largest", 0.0), ("order", "question_after.moved", 0),
    ("masks", "masks.combined.ones", 12), ("masks", "masks.causal.ones", 15),
    ("masks", "masks.query_stream.keep",
     [[0, 0, 1, 0], [1, 0, 1, 1], [0, 0, 0, 0], [1, 0, 1, 0]]),
    ("masks", "masks.query_stream.empty", [2]), ("masks", "masks.content_stream.empty", []),
    ("masks", "masks.combined.keep", [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0],
                                      [1, 1, 1, 0, 0], [1, 1, 1, 0, 0]]),
    ("masks", "source_moves.masked", 0.0), ("masks", "rows.A.hidden", 0.0),
    ("empty", "ways.infinity.nan", True), ("empty", "ways.infinity.weights.0", None),
    ("empty", "ways.replaced16.fits", False), ("empty", "ways.ours.sum", 0.0),
    ("empty", "lowest16", -65504.0),
    ("gradient", "causal.from_the_future", 0.0), ("gradient", "larger", 50),
    ("gradient", "visible.mean", 5.5), ("gradient", "visible.half", 5.0),
    ("exam", "library.given", 10), ("exam", "record.seeds", 5), ("exam", "switch.later", 0.0),
    ("masks", "code.xlnet_last_row", [1, 0, 1, 0]), ("masks", "both_allow", 12),
    ("empty", "ways.replaced_b16.kind", "bfloat16"), ("order", "question_before.states", 624),
)
CLOSE = (
    ("masks", "cells.0.A.weight", 0.5397, 5e-5), ("masks", "cells.1.A.weight", 0.0986, 5e-5),
    ("masks", "cells.2.A.weight", 0.3617, 5e-5), ("masks", "cells.0.B.weight", 0.3043, 5e-5),
    ("masks", "cells.1.B.weight", 0.6128, 5e-5), ("masks", "cells.2.B.weight", 0.0829, 5e-5),
    ("empty", "ways.replaced.weights.3", 0.25, 1e-12),
    ("gradient", "full.mean", 10.7, 0.5), ("gradient", "causal.mean", 13.0, 0.5),
    ("gradient", "full.std", 1.0, 0.3), ("gradient", "causal.std", 1.2, 0.3),
    ("exam", "chain.entropy", 1.199, 0.005), ("exam", "chain.chance", 2.0794, 5e-5),
    ("exam", "closed_book.honest", 1.205, 0.03), ("exam", "chain.best.both", 0.588, 0.0005),
    ("masks", "rows.A.printed_sum", 0.8, 1e-9), ("masks", "rows.B.printed_sum", 0.7, 1e-9),
    ("empty", "ways.replaced_b16.weights.0", 0.25, 1e-12),
)
BANDS = (                               # the trained models, from what to what
    ("exam", "open_book.in_view", 0.0, 0.001), ("exam", "open_book.honest", 2.08, 20.0),
    ("exam", "open_book.writes.repeats", 0.9, 1.0), ("exam", "open_book.in_noise", 0.0, 0.1),
    ("exam", "hidden_words.both", 0.55, 0.75), ("order", "question_before.relative", 0.02, 1.0),
)


@pytest.mark.parametrize(("part", "path", "value"), EXACT)
def test_exact_numbers_of_spec(measured, part, path, value) -> None:
    assert at(measured[part], path) == value


@pytest.mark.parametrize(("part", "path", "value", "within"), CLOSE)
def test_numbers_of_spec(measured, part, path, value, within) -> None:
    assert abs(at(measured[part], path) - value) <= within


@pytest.mark.parametrize(("part", "path", "low", "high"), BANDS)
def test_bands_of_spec(measured, part, path, low, high) -> None:
    assert low <= at(measured[part], path) <= high


@pytest.mark.parametrize("key", ["masks", "gradient", "exam"])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_sentence_hangs_on_the_seed(key, seed) -> None:
    assert [v.claim.key for v in run(PARTS[key], seed=seed).verdicts() if not v.holds] == []


@pytest.mark.parametrize(("key", "params"), [
    ("masks", {"valid": 2}), ("masks", {"valid": 4}), ("order", {"other": 23}),
    ("gradient", {"words": 2}), ("gradient", {"words": 12}), ("empty", {"constant": 0.0}),
    ("empty", {"constant": -1e30})])
def test_every_setting_can_be_drawn(key, params) -> None:
    result = run(PARTS[key], params)
    screen = Screen(io.StringIO(), lang="en", width=80)
    for block in blocks_of(PARTS[key], result.metrics):
        screen.block(block, result.metrics)
    screen.observations()
    for claim in PARTS[key].every_claim():
        screen.verdict(result.verdict(claim), result)


def test_a_cached_run_loads_no_torch() -> None:
    code = ("import sys; from demos import d06_masks as d; from lecture.report import run\n"
            "for part in d.PARTS: run(part)\n"
            "assert not {'torch', 'rich', 'typer'} & set(sys.modules), 'heavy'")
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=120)


# --- K cases, on the numbers this demo shows ---------------------------------------


def test_k02_an_empty_row_is_zeros_and_its_neighbours_stand(measured) -> None:
    ways = measured["empty"]["ways"]
    assert ways["ours"]["weights"] == [0, 0, 0, 0] and ways["ours"]["value"] == 0
    assert {n for n, w in ways.items() if w["nan"]} == {"infinity", "replaced16",
                                                       "lowest16_twice"}
    assert all(w["weights"] == [None] * 4 for w in ways.values() if w["nan"])


def test_k03_the_legend_says_what_one_means(measured) -> None:
    misread = measured["masks"]["misread"]
    np.testing.assert_allclose(misread["right"]["outputs"], [1, 1.5, 7 / 3], atol=1e-12)
    np.testing.assert_allclose(misread["flipped"]["outputs"], [3, 4, 0], atol=1e-12)
    maps = next(b for b in PARTS["masks"].describe(measured["masks"]) if isinstance(b, Maps))
    told = maps.legend.text("en", measured["masks"], PARTS["masks"].format_of)
    assert "1 = may look, 0 = may not" in told


def test_k04_padding_lies_on_the_keys(measured) -> None:
    masks = measured["masks"]
    assert masks["masks"]["padding"]["keep"] == [[1, 1, 1, 0, 0]] * 5
    assert masks["padded"]["output_norm"] > 1 and masks["padded"]["weight_on_padding"] == 0
    wrong = run(PARTS["masks"], compute=PARTS["masks"].controls["on_queries"]).metrics
    assert wrong["padded"]["output_norm"] == 0 and wrong["padded"]["weight_on_padding"] > 0


def test_k08_word_by_word_is_all_at_once(measured) -> None:
    assert measured["exam"]["switch"]["cache"] <= 1e-12
    keep = a.causal_mask(2, 5)                  # the last query stands with the last key
    assert keep.astype(int).tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]


def test_k09_the_weights_shown_are_those_used(measured) -> None:
    assert measured["masks"]["shown_is_used"] <= 1e-12
    for way in ("full", "causal"):
        upper = np.triu(measured["gradient"][way]["influence"], 1)
        assert (upper == 0).all() == (way == "causal")


def test_k10_cross_attention_hides_the_source_padding(measured) -> None:
    masks = measured["masks"]
    assert masks["masks"]["cross"]["keep"] == [[1, 1, 0]] * 4
    np.testing.assert_allclose(masks["source_mean"]["masked"], [15] * 4, atol=1e-12)
    np.testing.assert_allclose(masks["source_mean"]["unmasked"], [43] * 4, atol=1e-12)


# --- the library's own word ---------------------------------------------------------


@pytest.mark.parametrize(("kind", "replaced", "lowest_twice"), [
    ("float16", None, "nan"), ("bfloat16", 0.25, 0.25), ("float32", 0.25, "unmasked")])
def test_k02_half_precision_in_torch(measured, kind, replaced, lowest_twice) -> None:
    """-1e9 does not fit float16; float16's lowest, added twice, leaks or breaks."""
    import torch

    scores = torch.tensor(lesson.SCORES, dtype=getattr(torch, kind))
    everything = torch.ones(4, dtype=torch.bool)
    if replaced is None:
        with pytest.raises(RuntimeError, match="overflow"):
            scores.masked_fill(everything, -1e9)
    else:
        found = scores.masked_fill(everything, -1e9).softmax(-1)
        assert (found == replaced).all()
    lowest = torch.tensor(measured["empty"]["lowest16"], dtype=scores.dtype)
    twice = (scores + lowest + lowest).softmax(-1).double().numpy()
    if lowest_twice == "nan":
        assert np.isnan(twice).all()
    elif lowest_twice == "unmasked":
        np.testing.assert_allclose(twice, measured["empty"]["unmasked"], atol=0.01)
    else:
        assert (twice == lowest_twice).all()


def test_k03_torch_reads_one_table_in_two_ways(measured) -> None:
    """What the lesson keeps as data of torch, asked of torch."""
    import torch
    from torch.nn import MultiheadAttention
    from torch.nn import functional as F

    told, misread = measured["masks"]["torch"], measured["masks"]["misread"]
    keep = torch.tensor(measured["masks"]["masks"]["causal"]["keep"])[:3, :3].bool()
    zero, values = torch.zeros(1, 3, 1), torch.tensor([[[1.0], [2.0], [4.0]]])
    for mask, name in ((keep, "right"), (~keep, "flipped"), (keep.float(), "added")):
        got = F.scaled_dot_product_attention(zero, zero, values, attn_mask=mask)
        np.testing.assert_allclose(got[0, :, 0], misread[name]["outputs"], atol=1e-6)
    np.testing.assert_allclose(told["added"], misread["added"]["outputs"], atol=1e-4)
    assert told["function_true"] == "may look"
    layer, x = MultiheadAttention(4, 1, batch_first=True), torch.randn(1, 3, 4)
    hidden = layer(x, x, x, attn_mask=~keep)[1]             # here True = hidden
    assert (hidden.triu(1) == 0).all() and told["layer_true"] == "hide"
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        wrong = layer(x, x, x, attn_mask=keep)[1]           # nothing is raised
    assert (wrong[0, :2].tril() == 0).all()
    assert wrong[0, 2].isnan().all() and told["empty_row"] == "NaN"
    assert len(heard) == told["warnings"] == 0 and told["raised"] == "nothing"


def test_torch_raises_what_the_errata_say(measured) -> None:
    """The faults of the notes' code on small cases of our own; the data came from running it."""
    import torch

    told = measured["masks"]["code"]
    with pytest.raises(RuntimeError):                        # an axis too many
        (torch.arange(5)[None] < 3)[None].expand(5, -1)
    assert told["padding"] == told["combined"] == "RuntimeError"
    with pytest.raises(AttributeError):                      # a part that nobody made
        torch.nn.Module().self_attn  # noqa: B018
    assert told["unbuilt"] == "AttributeError" and told["no_name"] == "NameError"
    layer, x = torch.nn.MultiheadAttention(4, 1), torch.zeros(3, 1, 4)
    with pytest.raises(AttributeError):                      # a pair is no input
        layer(layer(x, x, x), x, x)


def test_bfloat16_is_rounded_as_torch_does() -> None:
    import torch

    drawn = np.random.default_rng(0).standard_normal(1000) * 10.0 ** np.arange(-20, 20).repeat(25)
    numbers = np.append(drawn, [-1e9, -65504.0, 1.00390625, 1.01171875, -np.inf]).astype(np.float32)
    want = torch.tensor(numbers).to(torch.bfloat16).float().numpy()
    np.testing.assert_array_equal(lesson.as_kind(numbers, "bfloat16"), want)


@pytest.mark.parametrize("way", ["full", "causal", "blanked"])
def test_the_backward_pass_is_torchs(way) -> None:
    import torch

    rng, n, d = np.random.default_rng(3), 4, 6
    X, P = rng.standard_normal((n, d)), rng.standard_normal((3, d, d))
    mask = a.causal_mask(n) if way == "causal" else np.ones((n, n), dtype=bool)
    after = np.tri(n) if way == "blanked" else np.ones((n, n))
    weight = rng.standard_normal((n, d))

    def forward(x):
        q, k, v = (x @ torch.tensor(p) for p in P)
        scores = (q @ k.T / d ** 0.5).masked_fill(~torch.tensor(mask), -torch.inf)
        return (scores.softmax(-1) * torch.tensor(after)) @ v

    x = torch.tensor(X, requires_grad=True)
    (forward(x) * torch.tensor(weight)).sum().backward()
    got = lesson.attend_backward(X, P, mask, after, weight)
    np.testing.assert_allclose(got, x.grad.numpy(), rtol=0, atol=1e-10)
    J = torch.autograd.functional.jacobian(forward, torch.tensor(X))        # [n, d, n, d]
    want = J.pow(2).sum((1, 3)).sqrt().numpy()
    np.testing.assert_allclose(lesson.influence(X, P, mask, after), want, rtol=0, atol=1e-10)


def test_the_maps_start_as_a_library_layer_does() -> None:
    import torch

    bound = torch.nn.Linear(lesson.WIDTH, lesson.WIDTH).weight.abs().max().item()
    assert bound <= 1 / np.sqrt(lesson.WIDTH) < 1.02 * bound


@pytest.mark.slow
def test_gpt2_is_causal_with_the_cache_off() -> None:
    """A-040 and A-041 on the real architecture, random weights, no download."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    config = transformers.GPT2Config(vocab_size=50, n_positions=16, n_embd=32, n_layer=2,
                                     n_head=2, bos_token_id=None, eos_token_id=None)
    model = transformers.GPT2LMHeadModel(config).eval()
    ids = torch.arange(8)[None]
    later = ids.clone()
    later[:, 5:] += 20
    with torch.no_grad():
        off = model(ids, use_cache=False).logits
        assert torch.equal(off, model(ids, use_cache=True).logits)
        moved = (off - model(later, use_cache=False).logits).abs()[:, :5]
        assert moved.max() == 0
        told = model.generate(ids[:, :4], attention_mask=torch.ones(1, 4), max_length=10,
                              do_sample=False, pad_token_id=0)
    library = lesson.LIBRARY
    assert told.shape[1] == library["given"] == 10
    assert moved.max() == library["later"] and transformers.__version__


# --- the chain, the models, the record ----------------------------------------------


def test_the_chain_is_what_it_is_said_to_be(measured) -> None:
    table, facts = tasks.chain_table(), measured["exam"]["chain"]
    np.testing.assert_allclose(table.sum(0), 1, atol=1e-12)
    np.testing.assert_allclose(table.sum(1), 1, atol=1e-12)
    each = -(table * np.log(table)).sum(1)
    np.testing.assert_allclose(each, facts["entropy"], atol=1e-12)
    # of the middle of three states, from all 512 triples
    triple = table[:, :, None] * table[None] / 8                # [8, 8, 8]
    given = triple / triple.sum(1, keepdims=True)
    assert abs(-(triple * np.log(given)).sum() - facts["best"]["both"]) < 1e-12
    # of the first of two states, given the second
    pairs = table / 8                                           # [8, 8]
    behind = pairs / pairs.sum(0)
    assert abs(-(pairs * np.log(behind)).sum() - facts["best"]["right"]) < 1e-12
    assert abs(np.trace(pairs) - facts["repeats"]) < 1e-12
    ids, mask = tasks.named("chain")(np.random.default_rng(0), 4000)
    seen = np.zeros((8, 8))
    np.add.at(seen, (ids[:, :-1], ids[:, 1:]), 1)
    np.testing.assert_allclose(seen / seen.sum(1, keepdims=True), table, atol=0.02)
    assert ids.dtype == np.int64 and mask[:, :-1].all() and not mask[:, -1].any()


def test_hidden_words_are_hidden_and_asked_for() -> None:
    ids, mask, told = tasks.named("hidden_chain")(np.random.default_rng(0), 500)
    assert ((ids == tasks.HIDDEN) == mask).all() and (told < tasks.CHAIN_STATES).all()
    assert (ids[~mask] == told[~mask]).all()
    assert set(mask.sum(1)) == set(range(1, 17))
    import tiny_gpt

    recipe = recipes.named("hidden_words")
    rows = recipe.training.batch
    _, mask, told = tasks.named("hidden_chain")(np.random.default_rng(0), rows)
    ids, targets, _, _ = next(tiny_gpt.task_steps(recipe, np.random.default_rng(0)))
    assert (targets.numpy() == np.where(mask, told, -1)).all()
    assert ((ids == tasks.HIDDEN) == (targets >= 0)).all()
    ids, targets, _, _ = next(tiny_gpt.task_steps(recipes.named("open_book"),
                                                  np.random.default_rng(0)))
    assert (targets[:, :-1] == ids[:, 1:]).all() and (targets[:, -1] == -1).all()


def test_a_loss_over_chances_is_the_loss_over_draws() -> None:
    """entropy + beyond_best, where the next state is drawn many times instead."""
    rng, table = np.random.default_rng(0), tasks.chain_table()
    logits = rng.standard_normal((1, 8))
    drawn = rng.choice(8, size=200_000, p=table[3])
    by_draws = lesson.loss(np.repeat(logits, len(drawn), axis=0), drawn)
    exactly = lesson.chain_facts()["entropy"] + lesson.beyond_best(logits, table[3])
    assert abs(exactly - by_draws) < 0.01
    assert abs(lesson.beyond_best(np.log(table[3])[None], table[3])) < 1e-12


def test_the_controls_batch_asks_for_the_other_states() -> None:
    hidden = tasks.named("hidden_chain")(np.random.default_rng(0), 50)
    seen = tasks.named("seen_chain")(np.random.default_rng(0), 50)
    assert (hidden[0] == seen[0]).all() and (hidden[2] == seen[2]).all()
    assert (hidden[1] ^ seen[1]).all()
    assert (seen[0][seen[1]] == seen[2][seen[1]]).all()          # every answer is in view


def test_the_models_differ_in_the_mask_alone() -> None:
    closed, open_ = recipes.named("closed_book"), recipes.named("open_book")
    assert open_ == replace(closed, name="open_book", config=replace(closed.config, causal=False))


@pytest.mark.parametrize("name", ["closed_book", "open_book", "hidden_words"])
def test_numpy_and_torch_agree_without_a_mask_too(name) -> None:
    import torch

    import tiny_gpt

    recipe = recipes.named(name)
    weights = model_cache.load(recipe)
    assert weights.origin == "shipped"
    ids, _ = tasks.named("chain")(np.random.default_rng(1), 5)
    ours = GPT(recipe.config, weights).run(ids, trace=True)
    model = tiny_gpt.from_tensors(recipe.config, weights.tensors, torch.float64)
    logits, _, maps = model(torch.from_numpy(ids), return_attn=True)
    np.testing.assert_allclose(ours.logits, logits.detach().numpy(), rtol=0, atol=1e-10)
    for mine, theirs in zip(ours.maps(recipe.config.n_layer), maps, strict=True):
        np.testing.assert_allclose(mine, theirs.detach().numpy(), rtol=0, atol=1e-10)


def test_the_record_is_of_these_recipes_and_holds_the_seed_shown(measured) -> None:
    record, shown = records.read("open_book"), measured["exam"]["record"]["shown"]
    known = {name: recipes.named(name) for name in (*lesson.BOOKS, "hidden_words")}
    known["seen_words"] = replace(known["hidden_words"], name="seen_words",
                                  data=recipes.TaskData("seen_chain"))
    for name, recipe in known.items():
        told = json.loads(json.dumps(recipes.description(recipe)))
        assert record["recipes"][name] == told and told["seed"] == shown
    one = record["seeds"][shown]
    assert one["seed"] == shown and record["versions"] and record["date"]
    opened = sorted(r["open_book"]["honest"] for r in record["seeds"])
    assert one["open_book"]["honest"] == opened[len(opened) // 2]
    for path in ("closed_book.honest", "open_book.honest", "open_book.in_view",
                 "hidden_words.both", "hidden_words.left", "open_book.in_noise"):
        assert abs(at(one, path) - at(measured["exam"], path)) <= 1e-6 * abs(at(one, path))


def test_seeing_the_answer_fails_in_every_seed() -> None:
    for one in records.read("open_book")["seeds"]:
        assert one["open_book"]["in_view"] < 0.001 < 2.08 < one["open_book"]["honest"]
        assert one["open_book"]["writes"]["repeats"] > 0.9
        assert one["open_book"]["in_noise"] < 0.1 < 2.08 < one["closed_book"]["in_noise"]
        assert one["hidden_words"]["both"] < 0.65 < 2.08 < one["seen_words"]["both"]


# --- two maps a row -------------------------------------------------------------------


def drawn(block, width: int) -> str:
    stream = io.StringIO()
    Screen(stream, lang="en", width=width, color="never").block(block, {})
    return stream.getvalue()


def test_maps_stand_side_by_side_only_where_they_fit() -> None:
    one = HeatMap([[1, 0], [1, 1]], ["a", "b"], ["a", "b"], title=T("图", "first"), format="d")
    two = replace(one, title=T("图", "second"))
    row = Row([one, two, one], legend=T("一 = 可以", "1 = may"))
    wide, narrow = drawn(row, 80).splitlines(), drawn(row, 20).splitlines()
    assert "first" in wide[1] and "second" in wide[1] and wide[2].split() == ["a", "b"] * 2
    assert not any("first" in line and "second" in line for line in drawn(row, 14).splitlines())
    assert max(map(len, narrow)) <= 20 and wide[-1] == "  1 = may"
    assert drawn(row, 80).count("first") == drawn(row, 14).count("first") == 2
    assert [type(b).__name__ for b in flat([row])] == ["Paragraph"] + ["HeatMap"] * 3
