"""Demo 11: SPEC's figures, the counts against torch's own counter, the bytes against real models.

The demo counts with `lecture.lab.cost`; what torch, transformers and tracemalloc say of the
same computations is asked here.
"""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count

import attention_np as a
from demos import d11_cost as demo
from demos.d11_cost import lesson, words
from lecture import records
from lecture.errors import UsageProblem
from lecture.lab import cost
from lecture.report import Table, at, run

PARTS = {p.key: p for p in demo.PARTS}


@pytest.fixture(scope="module")
def metrics(results):
    """metrics(key): the metrics of a part at its own settings."""
    return lambda key: results(PARTS[key]).metrics


# --- SPEC's figures, as data: part, path, figure; within half a unit of the last digit -------

FIGURES = [tuple(line.split()) for line in """
growth    rows.1.attention               1024000000
growth    rows.3.attention               102400000000
growth    short.total                    4169728000
growth    long.total                     133857280000
growth    short.share                    .246
growth    ratio.layer                    32.10
growth    ratio.attention                100.00
growth    crossing.n                     3072
growth    crossing.widths                6.000
growth    short.forward.matrices         2.000
growth    short.training.matrices        6.000
growth    short.forward.all              2.65
memory    total                          354823168
memory    block                          12596224
memory    stored.float32.gb              1.419
memory    stored.float16.gb              .710
memory    stored.int8.gb                 .355
memory    training.adam.gb               5.68
memory    training.adam.each             16.000
memory    training.mixed.gb              5.68
memory    training.mixed.each            16.000
memory    training.mixed_wide.gb         6.39
memory    training.sgd.gb                2.84
memory    training.pure.each             8.000
memory    training.eight_bit.each        10.000
memory    crossing                       256
memory    activations.0.ratio            .50
ways_out  smaller.0                      16.00
ways_out  smaller.1                      32.00
ways_out  smaller.2                      64.00
ways_out  pairs.window.counts.0          246656
ways_out  pairs.window.counts.1          509824
ways_out  pairs.window.counts.2          1036160
ways_out  pairs.window.growth.0          2.07
ways_out  pairs.window.growth.1          2.03
ways_out  ways.linear.growth.0           2.00
ways_out  checked.off.linear.softmax     .76
ways_out  checked.off.mean.softmax       .78
ways_out  checked.off.linear.mean        .11
ways_out  kept.linear.0                  4160
ways_out  kept.linear.2                  4160
choice    models.recurrent.kept.3        512
choice    models.transformer.kept.3      10240000
choice    kept_ratio                     20000
choice    models.recurrent.chain.3       10000
choice    models.transformer.chain.3     6
choice    models.transformer.each.1      1.033
choice    models.recurrent.each.3        1.000
""".split("\n") if line]


@pytest.mark.parametrize(("part", "path", "figure"), FIGURES)
def test_the_specified_figure(metrics, part: str, path: str, figure: str) -> None:
    digits = len(figure.partition(".")[2])
    measured = at(metrics(part), path)
    assert abs(measured - float(figure)) <= 0.5000001 * 10.0**-digits * (digits > 0), measured


@pytest.mark.parametrize(("part", "path", "most"), [
    ("ways_out", "checked.exact.tiled", 1e-12), ("ways_out", "checked.exact.window", 1e-12),
    ("ways_out", "checked.exact.strided", 1e-12), ("ways_out", "checked.exact.linear", 1e-12),
    ("cache", "difference", 1e-12), ("choice", "streams.causal.moved", 1e-12),
])
def test_what_must_be_equal_is(metrics, part: str, path: str, most: float) -> None:
    assert 0 <= at(metrics(part), path) <= most


def test_the_notes_shape_has_the_audits_numbers() -> None:
    m = run(PARTS["memory"], {"width": 512, "heads": 8}).metrics
    assert m["crossing"] == 256
    assert (m["activations"][2]["weights"], m["activations"][2]["mlp"]) == (8388608, 2097152)
    assert m["activations"][3]["weights_mb"] == pytest.approx(536.870912)


# --- counts against torch's own counter -------------------------------------------------

def torch_madds(call: Callable[[], Any]) -> int:
    """torch counts two operations a multiply-add."""
    counter = FlopCounterMode(display=False)
    with counter, torch.no_grad():
        call()
    return counter.get_total_flops() // 2


@pytest.mark.parametrize(("n", "d", "h"), [(7, 16, 2), (100, 64, 1), (1000, 512, 8),
                                           (10000, 512, 8)])
def test_the_layer_is_counted_as_torch_counts_its_own(n: int, d: int, h: int) -> None:
    """torch's encoder layer on the meta device: its shapes, its code, its counter."""
    with torch.device("meta"):
        layer = torch.nn.TransformerEncoderLayer(d, h, 4 * d, batch_first=True).train()
        x = torch.empty(1, n, d)
        assert torch_madds(lambda: layer(x)) == lesson.costs(n, d, h, cost.full)["total"]


def test_torchs_recurrent_layers_match_and_an_lstm_is_four_times_one() -> None:
    n, d = 30, 16
    x = torch.zeros(n, 1, d)
    rnn, lstm = torch.nn.RNN(d, d), torch.nn.LSTM(d, d)
    matrices = [sum(p.numel() for p in net.parameters() if p.dim() == 2) for net in (rnn, lstm)]
    found = lesson.one_layer("recurrent", n, d, 2, True, True)
    assert found["each"] == 1 and found["parameters"] == matrices[0]
    assert matrices[1] == 4 * matrices[0]
    assert rnn(x)[1].numel() == found["kept"] == sum(s.numel() for s in lstm(x)[1]) // 2
    madds = lesson.read_on(n, d, True)[1]
    assert madds == n * d * d + (n - 1) * d * d                 # no state before the first word


@pytest.mark.parametrize("n", [7, 100])
def test_a_training_step_is_counted_as_torch_counts_it(n: int) -> None:
    """Forward and back through torch's own layer, on the meta device."""
    d, h = 64, 4
    with torch.device("meta"):
        layer = torch.nn.TransformerEncoderLayer(d, h, 4 * d, batch_first=True).train()
        x = torch.empty(1, n, d, requires_grad=True)
        counter = FlopCounterMode(display=False)
        with counter:
            layer(x).sum().backward()
    found = lesson.operations(n, d, h, cost.full, True)
    size = 12 * d * d
    assert counter.get_total_flops() == round(found["training"]["all"] * n * size)


def test_a_call_for_one_token_is_a_step_with_the_cache() -> None:
    d, h, n = 32, 4, 20
    steps, held = lesson.written_on_shapes(d, h, n, True)
    one = lesson.call(1, n - 1, 1, d, h, h)
    assert one["madds"] == steps[-1] and one["keys"] == held[-1]
    assert one["read"] == 12 * d * d + held[-1]
    assert lesson.call(n, 0, 1, d, h, h)["madds"] == lesson.costs(n, d, h, cost.full)["total"]
    assert lesson.call(1, n - 1, 3, d, h, 1)["keys"] == 3 * held[-1] // h


@pytest.mark.parametrize(("heads", "groups"), [(1, 1), (2, 1), (6, 1), (9, 1), (10, 2), (16, 4)])
def test_shared_heads_are_a_number_that_divides_them(heads: int, groups: int) -> None:
    assert lesson.fewer_groups(heads) == groups


WAYS: dict[str, Callable[..., torch.Tensor]] = {
    "full": lambda q, k, v: torch.softmax(q @ k.mT / 8, -1) @ v,
    "linear": lambda q, k, v: (q @ (k.mT @ v)) / (q @ k.sum(0)[:, None]),
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_is_counted_as_torch_counts_it(way: str) -> None:
    n, d = 320, 64
    meter = cost.Meter()
    lesson.attend_with(way, 128, 64)(*(meter.shape(n, d) for _ in range(3)))
    q, k, v = torch.zeros(3, n, d)
    assert torch_madds(lambda: WAYS[way](q, k, v)) == meter.madds


def test_tiles_are_counted_as_torch_counts_its_fused_kernel() -> None:
    """Its counter's own rule for fused attention: every pair, twice."""
    meter = cost.Meter()
    cost.tiled(*(meter.shape(2, 4, 320, 64) for _ in range(3)))
    assert sdpa_flop_count(*[(2, 4, 320, 64)] * 3) // 2 == meter.madds


def gpt2(**shape: int) -> Any:
    """A small GPT-2 whose attention is plain products, which torch's counter sees."""
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(**shape, attn_implementation="eager", eos_token_id=None)
    return transformers.GPT2LMHeadModel(config).eval()


def test_gpt2_is_counted_block_by_block() -> None:
    n = 48
    model = gpt2(n_layer=3, n_embd=64, n_head=4, vocab_size=101, n_positions=64)
    ids = torch.zeros(1, n, dtype=torch.long)
    ours = 3 * lesson.costs(n, 64, 4, cost.full)["total"] + n * 64 * 101
    assert torch_madds(lambda: model(ids)) == ours


@pytest.mark.parametrize("cached", [True, False])
def test_writing_is_counted_as_gpt2_with_and_without_its_own_cache(cached: bool) -> None:
    model = gpt2(n_layer=1, n_embd=32, n_head=4, vocab_size=50, n_positions=64)
    ids, past = torch.zeros(1, 1, dtype=torch.long), None
    counter = FlopCounterMode(display=False)
    with counter, torch.no_grad():
        for _ in range(20):
            out = model(ids[:, -1:] if cached else ids, past_key_values=past, use_cache=cached,
                        logits_to_keep=1)
            past = out.past_key_values if cached else None
            ids = torch.cat([ids, out.logits[:, -1:].argmax(-1)], dim=1)
    total = counter.get_total_flops() // 2 - 20 * 32 * 50
    steps, held = lesson.written_on_shapes(32, 4, 20, cached)
    assert sum(steps) == total
    if cached:
        assert held[-1] == 2 * 32 * past.get_seq_length()


# --- counted arrays are arrays ------------------------------------------------------------

CALLS: dict[str, Callable[..., Any]] = {
    "full": cost.full, "tiled": cost.tiled, "linear": cost.linear,
    "tiled_causal": lambda q, k, v: cost.tiled(q, k, v, block=10, causal=True),
    "pairs": lambda q, k, v: cost.linear(q, k, v, by="pairs"),
    "linear_causal": cost.linear_causal,
    "window": lesson.attend_with("window", 5, 8), "strided": lesson.attend_with("strided", 5, 8),
    "layer": lambda q, k, v: cost.layer(q, cost.drawn_layer(16, 32, np.random.default_rng(1)),
                                        4, cost.see_past)[0],
    "write": lambda q, k, v: cost.write(q, [cost.drawn_layer(16, 32, np.random.default_rng(1))],
                                        4, 5, True)[0],
    "recurrent": lambda q, k, v: cost.recurrent(q, k[:16], v[:16]),
}


@pytest.mark.parametrize("name", CALLS)
def test_with_numbers_the_same_counts_and_the_same_answer(name: str) -> None:
    """Plain arrays, counted arrays with numbers, shapes alone: one code, one count."""
    Q = np.random.default_rng(0).standard_normal((3, 37, 16))
    plain = CALLS[name](*Q)
    filled, empty = cost.Meter(), cost.Meter()
    real = CALLS[name](*map(filled.array, Q))
    blank = CALLS[name](*(empty.shape(37, 16) for _ in range(3)))
    assert np.array_equal(real.value, plain)
    assert real.shape == blank.shape == plain.shape and blank.value is None
    assert filled.products == empty.products and filled.largest == empty.largest
    assert filled.madds > 0 and real.chain == blank.chain > 0


def test_a_product_that_does_not_fit_is_refused_without_numbers_too() -> None:
    meter = cost.Meter()
    with pytest.raises(ValueError, match=r"\(2, 3\) @ \(4, 5\)"):
        meter.shape(2, 3) @ meter.shape(4, 5)


def test_the_chain_is_the_longest_row_of_waiting_products() -> None:
    meter = cost.Meter()
    x = meter.shape(4, 4)
    assert ((x @ x) @ x + x @ x).chain == 2 and (x @ x + x @ x).chain == 1


def test_the_largest_array_is_what_numpy_really_holds() -> None:
    """tracemalloc sees the table of the full way, and none of it in the tiled one."""
    n, d = 1024, 64
    data = np.random.default_rng(0).standard_normal((3, n, d))
    full, tiled = (peak(lambda way=way: way(*data)) for way in (cost.full, cost.tiled))
    largest = {way: lesson.counted(way, d)["largest"][0] * 8 for way in (cost.full, cost.tiled)}
    assert 2 * largest[cost.full] <= full <= 4 * largest[cost.full]
    assert 2 * largest[cost.tiled] <= tiled <= 8 * largest[cost.tiled]


# --- exact ---------------------------------------------------------------------------------

@pytest.mark.parametrize(("n", "block", "scale"), [
    (1, 64, 1), (63, 64, 1), (64, 64, 1), (65, 64, 1), (200, 7, 1), (200, 64, 30), (50, 1, 300)])
@pytest.mark.parametrize("causal", [False, True])
def test_tiles_are_exact(n: int, block: int, scale: float, causal: bool) -> None:
    Q, K, V = np.random.default_rng(n).standard_normal((3, n, 16))
    whole, _ = a.attention(scale * Q, K, V, mask=a.causal_mask(n) if causal else None)
    tiles = cost.tiled(scale * Q, K, V, block=block, causal=causal)
    assert abs(tiles - whole).max() <= 1e-12
    if n > block and scale > 1:
        assert abs(cost.tiled(scale * Q, K, V, block, causal, rescale=False) - whole).max() > 1e-3


def test_tiles_over_heads_and_cross_attention() -> None:
    rng = np.random.default_rng(0)
    Q, K = rng.standard_normal((2, 4, 9, 8)), rng.standard_normal((2, 4, 33, 8))
    V = rng.standard_normal((2, 4, 33, 5))
    assert abs(cost.tiled(Q, K, V, block=10) - a.attention(Q, K, V)[0]).max() <= 1e-12


@pytest.mark.parametrize("n", [1, 5, 8, 37, 100])
@pytest.mark.parametrize(("left", "right"), [(0, 0), (3, 0), (4, 4), (50, 2), (200, 200)])
def test_windows_are_the_masked_table(n: int, left: int, right: int) -> None:
    Q, K, V = np.random.default_rng(n).standard_normal((3, n, 8))
    groups, mask = cost.window_groups(n, left, right, block=8), a.window_mask(n, left, right)
    assert abs(cost.grouped(Q, K, V, groups) - a.attention(Q, K, V, mask=mask)[0]).max() <= 1e-12
    assert groups.pairs == mask.sum()


@pytest.mark.parametrize(("n", "stride"), [(1, 1), (9, 3), (10, 3), (37, 6), (37, 1), (20, 40)])
def test_strides_are_the_masked_table(n: int, stride: int) -> None:
    Q, K, V = np.random.default_rng(n).standard_normal((3, n, 8))
    groups, mask = cost.strided_groups(n, stride), a.strided_mask(n, stride)
    assert abs(cost.grouped(Q, K, V, groups) - a.attention(Q, K, V, mask=mask)[0]).max() <= 1e-12
    assert groups.pairs == mask.sum()


def test_linear_attention_word_by_word_keeps_the_state_only() -> None:
    """The last word's answer from a state grown one word at a time."""
    Q, K, V = np.random.default_rng(0).standard_normal((3, 40, 8))
    state, total = np.zeros((8, 8)), np.zeros((8, 1))
    for k, v in zip(K, V, strict=True):
        added = cost.linear_state(k[None], v[None])
        state, total = state + added[0], total + added[1]
    q = cost.feature(Q[-1:])
    assert abs(q @ state / (q @ total) - cost.linear(Q, K, V)[-1:]).max() <= 1e-12
    assert state.size + total.size == lesson.kept_by_linear(40, 8, False)


@pytest.mark.parametrize("shape", [(1, 3), (9, 8), (2, 9, 8)])
def test_causal_linear_attention_is_the_masked_table_of_pairs(shape: tuple[int, ...]) -> None:
    Q, K, V = np.random.default_rng(0).standard_normal((3, *shape))
    W = cost.feature(Q) @ cost.feature(K).swapaxes(-1, -2) * a.causal_mask(shape[-2])
    whole = W @ V / W.sum(axis=-1, keepdims=True)
    assert abs(cost.linear_causal(Q, K, V) - whole).max() <= 1e-12


def peak(call: Callable[[], Any]) -> int:
    """Bytes of arrays at the peak, beyond what is there."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    call()
    found = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return found


def test_tiled_attention_at_8192_stays_within_64_mb() -> None:
    """Exact there too, on a sample of rows; the full table alone would be 537 MB."""
    n = 8192
    Q, K, V = np.random.default_rng(0).standard_normal((3, n, 64))
    kept: list[np.ndarray] = []
    assert peak(lambda: kept.append(cost.tiled(Q, K, V))) <= 64e6
    rows = np.random.default_rng(1).choice(n, 50, replace=False)
    assert abs(kept[0][rows] - a.attention(Q[rows], K, V)[0]).max() <= 1e-12


# --- bytes against real models ------------------------------------------------------------

def ours(**given: Any) -> Any:
    return run(PARTS["memory"], given).metrics


GPT2 = {"small": ((12, 768, 12), 124439808), "medium": ((24, 1024, 16), 354823168),
        "large": ((36, 1280, 20), 774030080)}


@pytest.mark.parametrize("name", GPT2)
def test_gpt2_tensor_by_tensor(name: str) -> None:
    transformers = pytest.importorskip("transformers")
    (layers, width, heads), total = GPT2[name]
    config = transformers.GPT2Config(n_layer=layers, n_embd=width, n_head=heads)
    with torch.device("meta"):
        model = transformers.GPT2LMHeadModel(config)
    m = ours(layers=layers, width=width, heads=heads)
    assert sum(p.numel() for p in model.parameters()) == total == m["total"]
    assert sum(p.numel() for p in model.transformer.h[0].parameters()) == m["block"]
    assert sum(p.numel() for n, p in model.named_parameters() if "ln_" in n) == \
        m["groups"]["norms"]["numbers"]


@pytest.mark.parametrize(("shape", "total"), [
    ({"layers": 32, "width": 4096, "heads": 32, "hidden": 11008, "vocabulary": 32000}, 6738415616),
    ({"layers": 32, "width": 4096, "heads": 32, "kv_heads": 8, "hidden": 14336,
      "vocabulary": 128256}, 8030261248)])
def test_llama_tensor_by_tensor(shape: dict[str, int], total: int) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        num_hidden_layers=shape["layers"], hidden_size=shape["width"],
        num_attention_heads=shape["heads"], vocab_size=shape["vocabulary"],
        num_key_value_heads=shape.get("kv_heads", shape["heads"]),
        intermediate_size=shape["hidden"], tie_word_embeddings=False)
    with torch.device("meta"):
        model = transformers.LlamaForCausalLM(config)
    assert sum(p.numel() for p in model.parameters()) == total == \
        ours(family="llama", **shape)["total"]


def test_torchs_adam_keeps_sixteen_bytes_a_parameter(metrics) -> None:
    net = torch.nn.Linear(100, 50)
    adam = torch.optim.Adam(net.parameters())
    net(torch.zeros(1, 100)).sum().backward()
    adam.step()
    numbers = sum(p.numel() for p in net.parameters())
    held = sum(2 * p.nbytes for p in net.parameters() if p.grad is not None)
    held += sum(s.nbytes for state in adam.state.values() for key, s in state.items()
                if key != "step")
    assert held / numbers == metrics("memory")["training"]["adam"]["each"] == 16


@pytest.mark.parametrize(("part", "given"), [
    ("memory", {"heads": 7}), ("memory", {"kv_heads": 5}), ("growth", {"width": 100}),
    ("growth", {"short": 1000, "long": 1000}), ("choice", {"short": 50, "long": 50}),
    ("choice", {"heads": 7}), ("cache", {"heads": 7})])
def test_a_shape_that_does_not_fit_is_a_usage_error(part: str, given: dict[str, int]) -> None:
    with pytest.raises(UsageProblem):
        run(PARTS[part], given)


def test_heads_change_no_count() -> None:
    rows = [lesson.costs(500, 512, h, cost.full) for h in (1, 8, 64)]
    assert rows[0] == rows[1] == rows[2]


def test_the_crossing_follows_the_width() -> None:
    assert run(PARTS["growth"], {"width": 4096}).metrics["crossing"]["n"] == 6 * 4096


@pytest.mark.parametrize("holds_from", [1, 2, 3, 100, 4096, 4097])
def test_the_first_of_many_is_found(holds_from: int) -> None:
    assert lesson.first(lambda n: n >= holds_from) == holds_from
    assert lesson.first(lambda n: False) is None


# --- settings, live, the record --------------------------------------------------------------

def no_clock(*_: Any, **__: Any) -> float:
    raise AssertionError("a clock was read")


@pytest.mark.parametrize("part", ["ways_out", "cache"])
def test_live_times_are_no_metrics(metrics, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """--set live=true adds a table while drawing, and to the metrics its own switch only."""
    monkeypatch.setattr(lesson, "seconds", no_clock)
    live = run(PARTS[part], {"live": True}).metrics
    assert {**live, "live": False} == metrics(part)
    plain = list(PARTS[part].describe({**live, "live": False}))
    monkeypatch.setattr(lesson, "seconds", lambda call, repeats=3: 1.0)
    more = list(PARTS[part].describe(live))
    assert len(more) == len(plain) + 1
    assert isinstance(more[-1], Table) and more[-1].title is words.LIVE


def test_without_live_nothing_is_timed(metrics, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson, "seconds", no_clock)
    for part in demo.PARTS:
        assert list(part.describe(metrics(part.key)))


def test_the_record_is_of_these_settings_and_says_where() -> None:
    record = records.read("attention_cost")
    assert set(record["ways"]) == {*lesson.WAYS, "fused"}
    assert record["settings"]["window"] == lesson.WINDOW
    assert record["settings"]["block"] == lesson.BLOCK
    assert record["lengths"][0] == 128 and record["lengths"][-1] == 4096
    assert record["machine"]["processor"] and record["machine"]["threads"] == 1
    assert set(lesson.LENGTHS) <= set(record["lengths"])
    for way in record["ways"].values():
        assert way["exponent"]["low"] <= way["exponent"]["median"] <= way["exponent"]["high"]
        assert len(way["process_mb"]) == len(way["ms"]) == len(record["lengths"])


def test_the_record_shows_what_was_counted() -> None:
    """Orders of magnitude only: the square is steeper, and its memory is the larger."""
    ways = records.read("attention_cost")["ways"]
    assert ways["full"]["exponent"]["best"] > 1.6 > 1.4 > ways["linear"]["exponent"]["best"]
    assert ways["full"]["process_mb"][-1] > 10 * ways["tiled"]["process_mb"][-1]
    assert ways["full"]["numpy_mb"][-1] > 10 * ways["tiled"]["numpy_mb"][-1]


@pytest.mark.parametrize(("part", "given"), [
    ("growth", {"width": 64, "heads": 1, "short": 10, "long": 100}),
    ("ways_out", {"window": 1, "block": 8}), ("ways_out", {"width": 32, "window": 512}),
    ("memory", {"family": "llama", "kv_heads": 4}), ("choice", {"short": 2, "long": 50}),
    ("growth", {"long": 100000}), ("growth", {"width": 4096}), ("ways_out", {"width": 16}),
    ("cache", {"tokens": 16, "width": 64, "heads": 2})])
def test_other_settings_run_and_are_drawn(part: str, given: dict[str, Any]) -> None:
    result = run(PARTS[part], given)
    assert result.explored and not result.non_finite
    assert list(PARTS[part].describe(result.metrics))


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_another_seed_same_lesson(seed: int) -> None:
    for part in demo.PARTS:
        assert [v.claim.key for v in run(part, seed=seed).verdicts() if not v.holds] == []


def test_the_demo_runs_without_torch() -> None:
    code = ("import sys; from demos.d11_cost import PARTS; from lecture.report import run; "
            "[run(p) for p in PARTS]; print('torch' in sys.modules)")
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"


def test_a_gate_doubles_the_hidden_activations() -> None:
    gated = ours(family="llama", layers=2, width=64, heads=4, hidden=160)
    assert gated["hidden"] == 320 and gated["crossing"] == 80
    assert gated["activations"][0]["mlp"] == 128 * 320
