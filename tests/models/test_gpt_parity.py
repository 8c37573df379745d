"""Two independent writings of one GPT agree, and the NumPy one can be opened safely.

Tolerances: both in float64 differ by rounding alone, some 1e-14 a sum over width 16;
1e-10 leaves room for depth and still shows any other formula. Against a float32 torch
1e-4 is its rounding through the layers.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

import tiny_gpt
from lecture.lab import probes
from lecture.models import cache as model_cache
from lecture.models import gpt_np, recipes
from lecture.models.gpt_np import GPT, combine, cut_edge, init_weights, set_value, zero_head
from lecture.models.recipes import GPTConfig

CFG = GPTConfig(vocab_size=29, context=12, n_layer=2, n_head=4, width=16)

# One switch at a time, then the pairs in which two switches meet in one line of code.
SWITCHES = [
    {}, {"n_layer": 1}, {"n_layer": 3}, {"n_head": 1}, {"n_kv_head": 2},
    {"n_kv_head": 1}, {"d_ff": 5}, {"mlp": False}, {"positions": "sinusoidal"},
    {"positions": "rope"}, {"positions": "none"}, {"norm": "post"}, {"norm": "none"},
    {"norm_kind": "rms"}, {"qk_norm": True}, {"residual": False}, {"qkv": "shared_kv"},
    {"qkv": "shared_qk"}, {"qkv": "none"}, {"causal": False}, {"scale": False},
    {"bias": False}, {"tied": False}, {"activation": "relu"}, {"dropout": 0.3},
    {"head": 3}, {"head": 6, "qkv": "shared_kv"},
    {"positions": "rope", "rope_convention": "adjacent"},
    {"positions": "rope", "rope_base": 50.0},
    {"positions": "rope", "qkv": "none"}, {"positions": "rope", "qkv": "shared_qk"},
    {"positions": "rope", "n_kv_head": 2, "qk_norm": True},
    {"n_kv_head": 2, "qkv": "shared_kv"}, {"norm": "post", "mlp": False},
    {"norm": "post", "residual": False}, {"norm_kind": "rms", "bias": False},
    {"norm": "post", "norm_kind": "rms"}, {"causal": False, "positions": "none"},
    {"norm": "none", "residual": False, "mlp": False}, {"qkv": "none", "qk_norm": True},
]


def configs() -> list:
    found = []
    for switches in SWITCHES:
        name = "-".join(f"{k}={v}" for k, v in switches.items()) or "plain"
        found.append(pytest.param(dataclasses.replace(CFG, **switches), id=name))
    return found


def weights(cfg: GPTConfig, seed: int = 0, size: float = 0.4) -> dict[str, np.ndarray]:
    """Large random weights, gains and biases included: no term is near zero."""
    rng = np.random.default_rng(seed)
    return {name: rng.normal(float("norm" in name and "weight" in name), size, shape)
            for name, shape in cfg.tensor_shapes().items()}


def both(cfg, dtype, size=0.4, length=12):
    w = weights(cfg, size=size)
    ids = np.random.default_rng(1).integers(0, cfg.vocab_size, (3, length))
    model = tiny_gpt.from_tensors(cfg, w, dtype)
    with torch.no_grad():
        logits, _, maps = model(torch.from_numpy(ids), return_attn=True)
        plain = model(torch.from_numpy(ids))[0]
    run = GPT(cfg, w).run(ids, trace=True)
    return logits.numpy(), [m.numpy() for m in maps], run, plain.numpy()


@pytest.mark.parametrize("cfg", configs())
def test_numpy_and_torch_agree_in_float64(cfg):
    logits, maps, run, plain = both(cfg, torch.float64)
    np.testing.assert_allclose(run.logits, logits, rtol=0, atol=1e-10)
    for ours, theirs in zip(run.maps(cfg.n_layer), maps, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10)
        np.testing.assert_allclose(theirs.sum(-1), 1, atol=1e-12)
        if cfg.causal:
            assert (np.triu(theirs, 1) == 0).all()
    np.testing.assert_array_equal(plain, logits)   # looking changes nothing (K-09)


@pytest.mark.parametrize("cfg", configs())
def test_numpy_and_torch_agree_in_float32(cfg):
    # at the size of trained weights; unscaled and unnormed stacks multiply rounding
    logits, maps, run, _ = both(cfg, torch.float32, size=0.15)
    np.testing.assert_allclose(run.logits, logits, rtol=0, atol=1e-4)
    for ours, theirs in zip(run.maps(cfg.n_layer), maps, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-4)


@pytest.mark.parametrize("cfg", configs())
def test_both_rooms_and_the_recipe_name_the_same_tensors(cfg):
    model = tiny_gpt.TinyGPT(cfg)
    made = {n: tuple(p.shape) for n, p in model.named_parameters()}
    assert made == cfg.tensor_shapes()
    assert {n: a.shape for n, a in init_weights(cfg).items()} == cfg.tensor_shapes()


@pytest.mark.parametrize("cfg", configs())
def test_every_switch_changes_the_answer(cfg):
    """A switch nobody reads would pass every parity test."""
    if cfg in (CFG, dataclasses.replace(CFG, dropout=0.3)):
        pytest.skip("the plain network, and dropout, which is off here")
    plain = GPT(CFG, weights(CFG)).run(np.arange(12)).logits
    assert np.abs(GPT(cfg, weights(cfg)).run(np.arange(12)).logits - plain).max() > 1e-3


@pytest.mark.parametrize("name", ["base", "repeats"])
def test_the_shipped_models_agree(name):
    recipe = recipes.named(name)
    w = model_cache.load(recipe)
    ids = np.random.default_rng(0).integers(0, recipe.config.vocab_size, (4, 48))
    run = GPT(recipe.config, w).run(ids, trace=True)
    for dtype, near in ((torch.float64, 1e-10), (torch.float32, 1e-4)):
        with torch.no_grad():
            logits, _, maps = tiny_gpt.from_tensors(recipe.config, w.tensors, dtype)(
                torch.from_numpy(ids), return_attn=True)
        np.testing.assert_allclose(run.logits, logits.numpy(), rtol=0, atol=near)
        for ours, theirs in zip(run.maps(2), maps, strict=True):
            np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=near)


# --- trace and patch ----------------------------------------------------------------
IDS = np.random.default_rng(3).integers(0, 29, (5, 12))


@pytest.fixture(scope="module")
def model():
    return GPT(CFG, weights(CFG))


@pytest.fixture(scope="module")
def run(model):
    return model.run(IDS, trace=True)


def test_the_trace_names_every_activation_of_the_docstring(model, run):
    layer = "in norm1 q k v scores weights heads attn mid norm2 up mlp out".split()
    assert set(run.trace) == {"embed", "final", "logits"} | {
        f"{i}.{n}" for i in (0, 1) for n in layer}
    assert run.trace["0.up"].shape == (5, 12, 64)
    assert run.trace["1.heads"].shape == (5, 4, 12, 4)
    t = run.trace
    np.testing.assert_allclose(t["0.mid"], t["0.in"] + t["0.attn"])
    np.testing.assert_allclose(t["0.out"], t["0.mid"] + t["0.mlp"])


def test_an_identity_patch_changes_exactly_nothing(model, run):
    for name, a in run.trace.items():
        for patch in (a, lambda x: x):
            again = model.run(IDS, {name: patch})
            np.testing.assert_array_equal(again.logits, run.logits)


def test_every_name_is_a_place_where_a_patch_acts(model, run):
    for name, a in run.trace.items():
        noise = 0.5 * np.random.default_rng(0).normal(size=a.shape)
        changed = model.run(IDS, {name: lambda x, n=noise: x + n}).logits
        assert np.abs(changed - run.logits).max() > 1e-3, name


def test_an_edit_in_place_reaches_only_its_own_array(model, run):
    def spoil(x):
        x *= 0
        return x
    after = model.run(IDS, {"0.in": spoil}, trace=True)      # the same array as embed
    np.testing.assert_array_equal(after.trace["embed"], run.trace["embed"])
    assert (after.trace["0.in"] == 0).all()
    np.testing.assert_array_equal(model.run(IDS).logits, run.logits)


@pytest.mark.parametrize("activation", ["gelu", "relu"])
def test_how_many_positions_an_mlp_bends_at_a_time_changes_nothing(activation, monkeypatch):
    """It is there for the cache of the machine; 36 positions in blocks of 5, the last short."""
    cfg = dataclasses.replace(CFG, activation=activation)
    net, ids = GPT(cfg, weights(cfg)), np.random.default_rng(1).integers(0, 29, (3, 12))
    whole = net.run(ids, trace=True)
    monkeypatch.setattr(gpt_np, "ROWS", 5)
    blocks = net.run(ids, trace=True)
    assert blocks.trace.keys() == whole.trace.keys() and blocks.trace["0.up"].shape == (3, 12, 64)
    for name, array in whole.trace.items():
        np.testing.assert_allclose(blocks.trace[name], array, rtol=1e-10, atol=1e-12)


def test_a_patch_that_does_not_fit_is_named(model):
    with pytest.raises(ValueError, match="called '2.q'"):
        model.run(IDS, {"2.q": lambda x: x})
    with pytest.raises(ValueError, match=r"'0.q': shape \(3,\)"):
        model.run(IDS, {"0.q": np.zeros(3)})


def test_a_cut_edge_carries_nothing_and_the_row_sums_to_one(model, run):
    query, key = np.array([5, 6, 7, 8, 11]), np.array([0, 1, 2, 3, 4])
    after = model.run(IDS, cut_edge(0, 2, query, key), trace=True)
    w, rows = after.trace["0.weights"], np.arange(5)
    assert (w[rows, 2, query, key] == 0).all()
    np.testing.assert_allclose(w.sum(-1), 1, atol=1e-12)
    same = np.ones(w.shape, bool)
    same[rows, 2, query] = False                   # every other row is untouched
    np.testing.assert_array_equal(w[same], run.trace["0.weights"][same])
    every = model.run(IDS, cut_edge(1, None, 9, 3), trace=True).trace["1.weights"]
    assert (every[:, :, 9, 3] == 0).all() and (every[:, :, 9, 2] > 0).all()


def test_a_zeroed_head_and_a_set_value(model, run):
    after = model.run(IDS, zero_head(1, 3), trace=True).trace["1.heads"]
    assert (after[:, 3] == 0).all()
    np.testing.assert_array_equal(after[:, :3], run.trace["1.heads"][:, :3])
    value = np.full((5, 4), 7.0)
    v = model.run(IDS, set_value(0, 1, np.arange(5), value), trace=True).trace["0.v"]
    assert (v[np.arange(5), 1, np.arange(5)] == 7).all() and (v == 7).sum() == 20


def test_combined_patches_all_act(model):
    cut = combine([cut_edge(0, h, 11, 4) for h in range(4)])
    np.testing.assert_array_equal(model.run(IDS, cut).logits,
                                  model.run(IDS, cut_edge(0, None, 11, 4)).logits)
    both = combine([zero_head(0, 0), zero_head(1, 1)])
    assert set(both) == {"0.heads", "1.heads"}


# --- decoding -----------------------------------------------------------------------
@pytest.mark.parametrize("switches", [
    {}, {"positions": "rope"}, {"positions": "sinusoidal"}, {"n_kv_head": 2},
    {"positions": "none", "qkv": "shared_kv"}, {"qk_norm": True, "positions": "rope"}],
    ids=str)
def test_k08_with_and_without_a_cache(switches):
    cfg = dataclasses.replace(CFG, **switches)
    model = GPT(cfg, weights(cfg))
    full, cache = model.run(IDS).logits, model.new_cache()
    steps = [model.run(IDS[:, :3], cache=cache).logits]
    steps += [model.run(IDS[:, t:t + 1], cache=cache).logits for t in range(3, 12)]
    np.testing.assert_allclose(np.concatenate(steps, 1), full, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(model.decode(IDS[:, :4], 9),
                                  model.decode(IDS[:, :4], 9, cached=False))


def test_decoding_is_what_torch_decodes(model):
    twin = tiny_gpt.from_tensors(CFG, model.w, torch.float64)
    for row in IDS[:, :5]:
        said = tiny_gpt.greedy(twin, row.tolist(), 8)
        assert model.decode(row, 8)[0].tolist() == said


def test_k17_a_text_longer_than_the_context_is_refused_with_the_length(model):
    assert model.run(np.zeros(12, int)).logits.shape == (1, 12, 29)
    for call in (lambda: model.run(np.zeros(13, int)),
                 lambda: model.decode(np.zeros(5, int), 9)):
        with pytest.raises(ValueError, match="at most 12"):
            call()
    cache = model.new_cache()
    model.run(np.zeros(12, int), cache=cache)
    with pytest.raises(ValueError, match="13 tokens do not fit"):
        model.run(np.zeros(1, int), cache=cache)
    assert model.decode(np.zeros(5, int), 8).shape == (1, 13)


def test_wrong_ids_and_weights_are_refused(model):
    for bad in ([29], [-1]):
        with pytest.raises(ValueError, match=r"at least 0|0 \.\. 28"):
            model.run(bad)
    with pytest.raises(ValueError, match="not of this config"):
        GPT(dataclasses.replace(CFG, n_layer=1), model.w)
    sees_all = dataclasses.replace(CFG, causal=False)
    with pytest.raises(ValueError, match="causal"):
        GPT(sees_all, model.w).run([1], cache=[None, None])


@pytest.mark.parametrize("bad, says", [
    ({"positions": "rotary"}, "positions='rotary'.*rope"), ({"n_head": 3}, "split"),
    ({"n_kv_head": 3}, "evenly"), ({"n_kv_head": 2, "qkv": "none"}, "as many"),
    ({"width": 12, "positions": "rope"}, "odd"), ({"dropout": 1.0}, "share"),
    ({"n_layer": 0}, "at least 1"), ({"norm": "batch"}, "norm='batch'")])
def test_a_config_that_makes_no_sense_is_refused(bad, says):
    with pytest.raises(ValueError, match=says):
        dataclasses.replace(CFG, **bad)


def test_untrained_weights_have_gpt2s_spread_and_know_nothing():
    cfg = GPTConfig(500, 48, width=128)
    w = init_weights(cfg, 0)
    for name, std in {"wte.weight": 0.02, "blocks.0.attn.q.weight": 0.02,
                      "blocks.1.mlp.down.weight": 0.01}.items():
        assert abs(w[name].std() / std - 1) < 0.05
    base = recipes.named("base")
    blank = GPT(base.config, init_weights(base.config))
    assert probes.right(blank, probes.questions(base.data.world())) <= 6


# --- grouped heads, by loops ------------------------------------------------------------


def grouped_by_loops(cfg, w, rows) -> np.ndarray:
    """One layer's attention of normed rows [T, d], number by number; no array product.

    Query head h shares the keys and values of group h // (heads a group).
    """
    size, share = cfg.width // cfg.n_head, cfg.n_head // cfg.kv_heads

    def project(name: str, x) -> list[float]:
        W, b = w[f"blocks.0.attn.{name}.weight"], w[f"blocks.0.attn.{name}.bias"]
        return [sum(float(W[o, i]) * x[i] for i in range(len(x))) + float(b[o])
                for o in range(len(b))]

    q, k, v = ([project(name, row) for row in rows] for name in "qkv")
    out = []
    for t in range(len(rows)):
        joined = []
        for h in range(cfg.n_head):
            mine, theirs = h * size, (h // share) * size
            scores = [sum(q[t][mine + i] * k[s][theirs + i] for i in range(size)) / size ** .5
                      for s in range(t + 1)]
            grown = [np.exp(score - max(scores)) for score in scores]
            joined += [sum(g * v[s][theirs + i] for s, g in enumerate(grown)) / sum(grown)
                       for i in range(size)]
        out.append(project("out", joined))
    return np.array(out)


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_grouped_heads_by_loops(groups):
    cfg = dataclasses.replace(CFG, n_layer=1, n_kv_head=groups)
    w = weights(cfg, seed=3)
    trace = GPT(cfg, w).run(np.arange(7), trace=True).trace
    np.testing.assert_allclose(trace["0.attn"][0], grouped_by_loops(cfg, w, trace["0.norm1"][0]),
                               rtol=0, atol=1e-10)
