"""Do the benchmarks of limits count, pair and compare what they say?  Nothing is timed."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

import attention_np
import tiny_gpt
from benchmarks import attention_reference as reference
from benchmarks import making
from benchmarks import training_limit as limit
from lecture.models import recipes
from lecture.models.recipes import Recipe, TaskData, Training


def small(**switches: Any) -> Recipe:
    """A GPT of one batch of 4 rows; `optimizer` goes to its training."""
    rule = switches.pop("optimizer", "muon")
    return recipes.gpt_on_task("small", TaskData("senses"), Training(1, 4, 9, optimizer=rule),
                               context=9, width=16, **switches)


# --- counting -------------------------------------------------------------------------

@pytest.mark.parametrize("switches", [
    {}, {"bias": False}, {"n_layer": 1, "mlp": False}, {"tied": False, "positions": "rope"},
    {"qkv": "shared_kv"}, {"qkv": "none", "n_head": 1}, {"d_ff": 8}, {"optimizer": "adamw"}],
    ids=lambda s: " ".join(map(str, s)) or "plain")
def test_count_is_the_formula(switches: dict[str, Any]) -> None:
    recipe = small(**switches)
    steps = limit.counted(recipe, 2)
    assert [limit.operations(s) for s in steps] == [limit.formula(recipe)] * 2


def test_formula_is_six_n_tokens_and_attention() -> None:
    base = recipes.named("base")
    tokens, model = 16 * 48, tiny_gpt.TinyGPT(base.config)
    matrices = sum(p.numel() for n, p in model.named_parameters()
                   if p.dim() == 2 and n != "wpe.weight")       # the table is the output too
    attention = 2 * 6 * 2 * 16 * 48 * 48 * 64                   # layers, passes, 2, B, T, T, d
    plain = dataclasses.replace(base, training=dataclasses.replace(
        base.training, optimizer="adamw"))
    assert limit.formula(plain) == 6 * matrices * tokens + attention == 562_102_272
    assert limit.formula(base) == 714_145_792


def test_count_agrees_with_torchs_counter_and_knows_its_parts() -> None:
    recipe = small()
    with FlopCounterMode(display=False) as torchs:
        tiny_gpt.train(limit.shortened(recipe, limit.WARM + 1))
    (step,) = limit.counted(recipe, 1)
    assert torchs.get_total_flops() == (limit.WARM + 1) * limit.operations(step)
    by_part = {part: sum(p.flop for p in step if p.part == part)
               for part in ("forward", "backward", "Muon", "Adam", limit.REST)}
    assert by_part["backward"] == 2 * by_part["forward"] > 0
    assert by_part["Muon"] > 0 == by_part["Adam"] == by_part[limit.REST]


def test_fused_lstm_and_attention_are_counted() -> None:
    copy = recipes.named("copy_one")
    copy = dataclasses.replace(copy, training=dataclasses.replace(copy.training, batch=3))
    (step,) = limit.counted(copy, 1)
    cfg = copy.config
    inner = {p.args[-1].shape[0] for p in step if p.part == "forward"}
    assert {cfg.embed, cfg.width} <= inner              # word and state, not a black box
    assert sum(p.flop for p in step if p.part == "backward") > 0
    french = recipes.named("french_english")
    french = dataclasses.replace(french, training=dataclasses.replace(french.training, batch=3))
    (step,) = limit.counted(french, 1)
    heads = 3 * french.config.n_head
    stacks = [p for p in step if p.args[0].shape[0] == heads and len(p.args[0].shape) == 3]
    assert len(stacks) == 3 * 2 * 3                     # attentions, products, passes


def test_a_product_runs_alone_with_its_shapes_and_strides() -> None:
    (step,) = limit.counted(small(), 1)
    for product in step:
        made = limit.ready(product)()
        rows = product.shapes().split(" x ")
        assert made.shape[-1] == int(rows[-1].replace(",", ""))
    wide = limit.Blank((3, 4), (1, 3)).filled()
    assert wide.shape == (3, 4) and wide.stride() == (1, 3)
    assert limit.Blank((3, 4), (0, 1)).filled().stride() == (0, 1)      # spread out: a bias


def test_watch_times_the_trainers_own_code_and_puts_it_back() -> None:
    before = tiny_gpt.TinyGPT.forward, torch.Tensor.backward
    (step,) = limit.timed(small(), 1)
    assert (tiny_gpt.TinyGPT.forward, torch.Tensor.backward) == before
    assert set(step) == {"step", "forward", "backward", "Muon", "Adam", limit.REST}
    assert step["step"] == pytest.approx(sum(v for k, v in step.items() if k != "step"))


def test_watch_knows_what_runs_now_and_after_a_failure() -> None:
    watch, seen = limit.Watch("gpt"), list[str]()

    def inner() -> None:
        seen.append(watch.now)
        raise RuntimeError

    def outer() -> None:
        with pytest.raises(RuntimeError):
            watch.around("Adam", inner)()
        seen.append(watch.now)

    watch.around("Muon", outer)()
    assert [*seen, watch.now] == ["Adam", "Muon", limit.REST]
    assert watch.spent["Adam"] > 0 == watch.spent["forward"]


# --- ratios ---------------------------------------------------------------------------

def test_pairs_are_divided_before_the_median() -> None:
    """Medians 2 and 4 would give 2; round by round it is 1, 4, 1."""
    assert limit.paired([2.0, 1.0, 9.0], [2.0, 4.0, 9.0]) == {"median": 1.0, "low": 1.0,
                                                              "high": 4.0}
    found = reference.ratios({"a": [2.0, 4.0, 9.0], "b": [2.0, 1.0, 9.0]}, "b")
    assert found == {"a": {"median": 1.0, "low": 1.0, "high": 4.0}}
    with pytest.raises(ValueError):
        limit.paired([1.0], [1.0, 2.0])


def test_shares_on_made_up_numbers() -> None:
    m = limit.shares([3 * 10 ** 8, 6 * 10 ** 8, 6 * 10 ** 8], [3.0, 5.0, 9.0],
                     [150.0, 200.0, 250.0], 400.0)      # the quickest step had least to do
    assert m["gflop"] == pytest.approx(0.5) and m["ms"]["low"] == 3.0
    assert m["gflop_s"] == pytest.approx(100) and m["best_gflop_s"] == pytest.approx(120)
    assert m["of_large"] == pytest.approx(0.25) and m["of_alone"] == pytest.approx(0.5)
    assert making.rounded({"a": [1.23456, 2]}, 2) == {"a": [1.23, 2]}


def test_a_matrix_has_its_cells_in_their_places() -> None:
    cells = [{"heads": h, "tokens": n, "x": 1000 * h + n} for n in (8, 4) for h in (2, 1)]
    rows = reference.matrix(cells, "about", lambda c: reference.figure(c["x"]))
    assert rows[1] == "about" and rows[3] == "| tokens | 1 head | 2 heads |"
    assert rows[5:] == ["| 4 | 1,004 | 2,004 |", "| 8 | 1,008 | 2,008 |"]
    assert [reference.figure(x) for x in (0.264, 9.99, 43.16, 498.4)] == ["0.26", "9.99",
                                                                         "43.2", "498"]


# --- the ways -------------------------------------------------------------------------

@pytest.mark.parametrize("name", [n for n, w in limit.TRIES.items() if w.places])
def test_a_way_to_be_faster_is_the_same_training(name: str, monkeypatch: Any) -> None:
    """Not to the bit, but to rounding: 12 steps of `base`'s shape."""
    recipe = limit.shortened(recipes.named("base"), 12)
    plain, _ = tiny_gpt.train(recipe)
    for owner, attribute, new in limit.TRIES[name].places:
        monkeypatch.setattr(owner, attribute, new)
    made, _ = tiny_gpt.train(recipe)
    assert max(float(abs(made[k] - plain[k]).max()) for k in plain) < 2e-3


@pytest.mark.parametrize("causal", [False, True])
def test_all_ways_of_attention_agree(causal: bool) -> None:
    data = reference.drawn(2, 70)                       # not a multiple of the tile
    made = {name: call(*reference.given(name, data))
            for name, call in reference.ways(70, causal).items()}
    apart = reference.agreement(made)
    assert max(apart["fused"], apart["tiled"]) < 1e-12 and apart["fused float32"] < 1e-5
    assert made["fused float32"].dtype == np.float32
    made["tiled"] = made["tiled"] + 1e-9
    with pytest.raises(SystemExit, match="tiled"):
        reference.agreement(made)
    made["tiled"] = made["tiled"] * np.nan
    with pytest.raises(SystemExit, match="nan"):
        reference.agreement(made)


@pytest.mark.parametrize("causal", [False, True])
def test_a_few_more_lines_give_the_same_numbers(causal: bool) -> None:
    Q, K, V = reference.drawn(2, 100)
    mask = attention_np.causal_mask(100) if causal else None
    out, W = attention_np.attention(Q, K, V, mask=mask)
    for name, (_, places) in reference.TRIES.items():
        with pytest.MonkeyPatch.context() as patched:
            for attribute, new in places.items():
                patched.setattr(attention_np, attribute, new)
            made = (reference.by_rows(Q, K, V, mask) if not places
                    else attention_np.attention(Q, K, V, mask=mask))
        assert np.allclose(made[0], out, rtol=0, atol=1e-12), name
        assert np.allclose(made[1], W, rtol=0, atol=1e-12), name
