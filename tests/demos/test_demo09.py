"""Demo 09: depth. SPEC's numbers as a table, hand-written gradients against autograd."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from attention_np import layer_norm
from demos import d09_depth as demo
from demos.d09_depth import lesson
from lecture import records
from lecture.lab import depth as depth_np
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT, init_weights
from lecture.report import at
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def metrics(results):
    """metrics(number): the metrics of a part at its own settings."""
    return lambda number: results(demo.PARTS[number - 1]).metrics


# part, path, value, tolerance, where it comes from
SPEC = [
    (1, "slopes.weak.plain.many", 1.4272e-5, 5e-10, "B-059"),
    (1, "slopes.weak.plain.few", 0.32768, 1e-9, "B-058"),
    (1, "slopes.falling.residual.many", 1e-35, 2e-36, "REVIEW: negative slopes"),
    (1, "slopes.strong.plain.many", 9100.44, 0.005, "09.1: 9,100"),
    (1, "slopes.strong.residual.many", 1.3e17, 5e15, "B-063: 2.2^50"),
    (1, "opposite.below.0", 0.0, 0, "09.1: F = -x, exactly 0"),
    (1, "opposite.below.2", 0.0, 0, "09.1: F = -x, exactly 0"),
    (2, "counted.normed.0", -1.3416, 5e-5, "B-069"),
    (2, "counted.normed.1", -0.4472, 5e-5, "B-069"),
    (2, "identity.wide.off", 0.92, 0.01, "B-066: N(5,3)"),
    (2, "identity.counted.off", 0.91, 0.005, "B-066: [1,2,3,4]"),
    (2, "identity.small.off", 8.85, 0.2, "B-066: .1 N, 8.7 there"),
    (2, "identity.normed_gain.off", 0.50, 1e-4, "B-066: gain 1.5"),
    (2, "identity.unit_512.off", 0.05, 0.005, "09.2: .05-.07"),
    (2, "identity.unit_256.off", 0.07, 0.005, "09.2: .05-.07"),
    (2, "identity.normed.off", 0.0, 1e-5, "09.2: 3e-7 there, by ε; 4e-6 with 1e-5"),
    (2, "moved.layer.b2", 0.0, 0, "B-068: 0.0"),
    (2, "moved.batch.b2", 1.87, 0.4, "B-068: 1.87, by the draw"),
    (2, "half.noted.stored", 0.0, 0, "B-070"),
    (2, "at_zero.pre", 0.0, 0, "B-066: pre-norm is exactly x"),
    (3, "matrices.encoder", 0.6667, 5e-5, "B-081"),
    (3, "matrices.decoder", 0.5, 1e-12, "B-081"),
    (3, "models.stacks.share", 0.5708, 1e-4, "B-081: 6 + 6"),
    (3, "models.translator.share", 0.3994, 5e-5, "B-081"),
    (3, "models.small.share", 0.4554, 5e-5, "09.3"),
    (3, "blocks_share.small", 0.6663, 5e-5, "09.3"),
    (3, "models.medium.share", 0.5677, 5e-5, "09.3"),
    (3, "models.xl.share", 0.6314, 5e-5, "B-081"),
    (3, "models.medium.total", 354_823_168, 0, "F-53"),
    (3, "models.encoder.ffn", 2_099_712, 0, "F-50"),
    (3, "change.moved.ffn.0", 0.0, 0, "F-50: only word 2"),
    (3, "change.moved.ffn.4", 0.0, 0, "F-50: only word 2"),
]


@pytest.mark.parametrize(("part", "path", "value", "within", "source"), SPEC)
def test_the_figures_of_spec(metrics, part, path, value, within, source) -> None:
    assert abs(at(metrics(part), path) - value) <= within, source


@pytest.mark.parametrize(("kind", "spec"), [("plain", 3e-14), ("residual", 1.4e10), ("post", 33),
                                            ("pre", 235)])
def test_a_hundred_blocks_have_the_order_of_spec(metrics, kind, spec) -> None:
    """SPEC's lengths start from 512 numbers of size one, √512; ours are shares of the start."""
    ours = metrics(1)["bottom"][kind]["small"]["d100"] * np.sqrt(512)
    assert 0.1 < ours / spec < 10


# --- the hand-written gradient --------------------------------------------------


@pytest.mark.parametrize(("kind", "opposite"), [*((k, None) for k in depth_np.KINDS),
                                                ("residual", 3), ("pre", 3)])
@pytest.mark.parametrize("depth", [6, 50, 100])
def test_the_gradient_is_autograds(kind, depth, opposite) -> None:
    """Every block's gradient, float64, relative 1e-9."""
    import torch
    from torch.nn import functional as F

    rng = np.random.default_rng(depth)
    x, top = rng.standard_normal((2, 5, 16))
    up, down = depth_np.drawn_matrices(rng, depth, 16, 64, 1.0)
    stack = depth_np.Stack(kind, up, down, opposite)
    out, tape = stack.forward(x, depth)
    ours = stack.backward(top, tape)

    def norm(a):
        return F.layer_norm(a, (16,), eps=1e-5)

    y, reads = torch.tensor(x, requires_grad=True), []
    for l in range(depth):
        y.retain_grad()
        reads.append(y)
        read = norm(y) if kind == "pre" else y
        branch = -read if l == opposite else torch.relu(
            read @ torch.from_numpy(up[l])) @ torch.from_numpy(down[l]) * (
                depth ** -0.5 if kind == "scaled" else 1.0)
        y = branch if kind in ("plain", "normed") else y + branch
        y = norm(y) if kind in ("post", "normed") else y
    y.backward(torch.from_numpy(top))
    assert np.allclose(y.detach().numpy(), out, rtol=1e-9, atol=1e-12)
    for theirs, mine in zip(reads, ours, strict=False):
        size = np.linalg.norm(mine)
        assert np.linalg.norm(theirs.grad.numpy() - mine) <= 1e-9 * size + 1e-300
    assert ours[-1] is top and len(ours) == depth + 1


def test_the_gradient_is_the_slope() -> None:
    """Without torch: move the input a little, the output follows as the gradient says."""
    rng = np.random.default_rng(0)
    x, top, step = rng.standard_normal((3, 4, 12))
    up, down = depth_np.drawn_matrices(rng, 8, 12, 48, 1.0)
    for kind in depth_np.KINDS:
        stack = depth_np.Stack(kind, up, down)
        g = stack.backward(top, stack.forward(x, 8)[1])[0]
        ahead, back = (stack.forward(x + e * step, 8)[0] for e in (1e-6, -1e-6))
        slope = ((ahead - back) * top).sum() / 2e-6
        assert abs((g * step).sum() - slope) < 1e-5 * max(1, abs(slope)), kind


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="plain, residual"):
        depth_np.Stack("sideways", np.zeros((1, 2, 2)), np.zeros((1, 2, 2)))


def test_the_order_of_the_six_hangs_on_no_seed() -> None:
    """REVIEW's figures: from He's start plain keeps its gradient, a norm alone holds it."""
    for seed in range(8):
        found = lesson.through_blocks(1.0, 64, seed)["bottom"]
        start = {kind: found[kind]["small"]["d100"] for kind in found}
        assert start["plain"] < 1e-10 and 1e8 < start["residual"] < 1e10
        assert 0.03 < start["normed"] < 5
        assert all(0.1 < start[k] < 20 for k in ("scaled", "post", "pre"))
        he = {kind: found[kind]["large"]["d100"] for kind in found}
        assert 0.1 < he["plain"] < 5 and 3e14 < he["residual"] < 4e15
        assert all(0.03 < he[k] < 20 for k in ("normed", "scaled", "post", "pre"))


def test_a_norm_alone_minds_no_start() -> None:
    """LN(F(x)) is the same function, but for eps, whatever the branch is multiplied by."""
    normed = lesson.through_blocks(1.0, 32, 0)["bottom"]["normed"]
    assert np.isclose(normed["small"]["d50"], normed["large"]["d50"], rtol=1e-2)


# --- the norms ------------------------------------------------------------------


def test_norms_are_torchs() -> None:
    import torch
    from torch import nn
    from torch.nn import functional as F

    rng = np.random.default_rng(1)
    x, top = 5 + 3 * rng.standard_normal((2, 8, 64))
    t = torch.tensor(x, requires_grad=True)
    y = F.layer_norm(t, (64,))
    assert np.abs(y.detach().numpy() - layer_norm(x)).max() <= 1e-12
    y.backward(torch.from_numpy(top))
    assert np.abs(t.grad.numpy() - depth_np.layer_norm_backward(top, x)).max() <= 1e-12
    batch = nn.BatchNorm1d(64, dtype=torch.float64)
    assert np.abs(batch(torch.from_numpy(x)).detach().numpy()
                  - depth_np.batch_norm(x)).max() <= 1e-12
    with pytest.raises(ValueError, match="more than 1 value"):     # as the caveat says
        batch(torch.from_numpy(x[:1]))
    batch.eval()                                                    # no company any more
    few, many = (batch(torch.from_numpy(a))[0] for a in (x[:1], x))
    assert torch.equal(few, many)


def test_epsilon_in_half_precision() -> None:
    """By hand 0 / 0; torch's own norm works in float32 inside, as the caveat says."""
    import torch
    from torch.nn import functional as F

    row = np.full((1, 64), 5.0)
    assert np.isnan(depth_np.half_precision_norm(row, 1e-8)).all()
    assert not np.isnan(depth_np.half_precision_norm(row, 1e-5)).any()
    assert float(torch.tensor(1e-8, dtype=torch.float16)) == 0
    ours = torch.full((1, 64), 5.0, dtype=torch.float16)
    away = ours - ours.mean(-1, keepdim=True)
    eps = torch.tensor(1e-8, dtype=torch.float16)
    assert torch.isnan(away / torch.sqrt((away * away).mean(-1, keepdim=True) + eps)).all()
    assert not torch.isnan(F.layer_norm(ours, (64,), eps=1e-8)).any()


def test_defaults_are_the_libraries() -> None:
    """The epsilons that erratum B-070 names."""
    from torch import nn
    from transformers import BertConfig, T5Config

    theirs = {"torch": nn.LayerNorm(1).eps, "bert": BertConfig().layer_norm_eps,
              "t5": T5Config().layer_norm_epsilon}
    assert theirs == lesson.DEFAULTS


def test_rms_norm_is_torchs(metrics) -> None:
    import torch
    from torch.nn import functional as F

    theirs = F.rms_norm(torch.tensor([[1.0, 2.0, 3.0, 4.0]], dtype=torch.float64), (4,), eps=1e-5)
    assert np.allclose(theirs.numpy()[0], metrics(2)["counted"]["rms"], atol=1e-12)


def test_batch_norm_of_one_row_is_nothing() -> None:
    rng = np.random.default_rng(2)
    assert not depth_np.batch_norm(rng.standard_normal((1, 9))).any()


# --- the counts -----------------------------------------------------------------


@pytest.mark.parametrize("name", list(lesson.SHAPES))
def test_counts_are_those_of_transformers_gpt2(metrics, name) -> None:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    layers, heads, width = lesson.SHAPES[name]
    with torch.device("meta"):
        model = GPT2LMHeadModel(GPT2Config(n_layer=layers, n_head=heads, n_embd=width))
    sizes = {n: p.numel() for n, p in model.named_parameters()}
    ours = metrics(3)["models"][name]
    for part, kind in ((".mlp.", "ffn"), (".attn.", "attention"), ("ln_", "norms"),
                       (".wte.", "tables")):
        theirs = sum(n for key, n in sizes.items() if part in key)
        if kind == "tables":
            theirs += sizes["transformer.wpe.weight"]
        assert theirs == ours[kind], kind
    assert sum(sizes.values()) == ours["total"]


def test_counts_are_those_of_torchs_layers(metrics) -> None:
    import torch
    from torch import nn

    def size(module) -> int:
        return sum(p.numel() for p in module.parameters())

    models = metrics(3)["models"]
    with torch.device("meta"):
        assert size(nn.TransformerEncoderLayer(512, 8, 2048)) == models["encoder"]["total"]
        assert size(nn.TransformerDecoderLayer(512, 8, 2048)) == models["decoder"]["total"]
        both = size(nn.TransformerEncoder(nn.TransformerEncoderLayer(512, 8, 2048), 6,
                                          enable_nested_tensor=False)) + size(
            nn.TransformerDecoder(nn.TransformerDecoderLayer(512, 8, 2048), 6))
    assert both == models["stacks"]["total"]


def test_the_vocabulary_moves_the_share() -> None:
    few, many = (lesson.where_parameters_are(v, 0)["models"]["small"]["share"]
                 for v in (1, 250_000))
    assert few > 0.65 and many < 0.25


# --- the trained blocks -----------------------------------------------------------


@pytest.mark.parametrize("name", list(lesson.VARIANTS))
def test_numpy_equals_torch(name) -> None:
    """Twelve blocks in each arrangement, float64: logits within 1e-10."""
    import torch

    from tiny_gpt import from_tensors

    recipe = lesson.variant(name, 12)
    drawn = {n: 5 * a for n, a in init_weights(recipe.config, 3).items()}
    ids, _, _ = lesson.sheet(3)
    ours = GPT(recipe.config, drawn).run(ids).logits
    with torch.no_grad():
        theirs = from_tensors(recipe.config, drawn, torch.float64)(torch.from_numpy(ids))[0]
    assert np.abs(theirs.numpy() - ours).max() <= 1e-10 * max(1, np.abs(ours).max())


def test_the_shipped_network_is_one_of_the_six() -> None:
    deep = recipes.named("deep")
    assert recipes.fingerprint(deep) == recipes.fingerprint(lesson.variant("pre_with", 12))
    assert deep.config.n_layer == 12 and deep.config.width == 32
    switches = {(c.norm, c.residual)
                for c in (lesson.variant(n, 12).config for n in lesson.VARIANTS)}
    assert len(switches) == 6


def test_the_start_is_scaled_as_the_screen_says() -> None:
    """.02 / √(2 · 12) = .0040825 on the maps into the stream (transformers #47458)."""
    import tiny_gpt

    model = tiny_gpt.TinyGPT(recipes.named("deep").config, 0)
    for name, std in (("attn.out", 0.0040825), ("mlp.down", 0.0040825), ("mlp.up", 0.02)):
        found = np.concatenate([p.detach().numpy().ravel() for n, p in model.named_parameters()
                                if n.endswith(f"{name}.weight")])
        assert abs(found.std() / std - 1) < 0.03


def test_a_skipped_block_adds_nothing() -> None:
    recipe = recipes.named("deep")
    net, (ids, _, _) = GPT(recipe.config, model_cache.load(recipe)), lesson.sheet(0)
    trace = net.run(ids[:3], lesson.skipped(4), trace=True).trace
    assert np.array_equal(trace["4.in"], trace["4.out"])
    assert not np.array_equal(trace["3.in"], trace["3.out"])


@pytest.mark.parametrize("seed", range(3))
def test_the_word_before_arrives_by_the_residual(seed) -> None:
    """REVIEW's figures: .03, .0009 and .001 with a residual, 1e-9 without; words grow alike."""
    found = {n: lesson.untrained(lesson.variant(n, 12).config, seed) for n in lesson.VARIANTS}
    for name, (low, high) in {"pre_with": (0.02, 0.06), "post_with": (7e-4, 1.5e-3),
                              "none_with": (7e-4, 1.5e-3)}.items():
        assert low < found[name]["arrives"] < high, name
        assert found[name]["unlike"][-1] > 0.8
    for name in lesson.BARE:
        assert 1e-10 < found[name]["arrives"] < 5e-9, name
        assert found[name]["unlike"][-1] < 0.01
        alone = lesson.untrained(lesson.variant(name, 12).config, seed, look=False)
        assert alone["unlike"][-1] > 0.8 and alone["arrives"] == 0


def test_the_shown_network_is_the_middle_one(metrics) -> None:
    """All five learn it whole; by what one block alone keeps, seed 0 is the third."""
    kept = records.read("depth_seeds")["models"]["pre_with_12"]
    assert [e["right"] for e in kept] == [1.0] * 5
    middle = sorted(e["skips"]["alone"] for e in kept)[2]
    assert kept[0]["skips"]["alone"] == middle == metrics(4)["recorded_skips"]["alone"][2]


def test_the_record_is_of_these_recipes() -> None:
    kept = records.read("depth_seeds")
    names = [f"{n}_{d}" for d in (1, 12) for n in lesson.VARIANTS]
    assert sorted(kept["models"]) == sorted(names) == sorted(kept["recipes"])
    for name in lesson.VARIANTS:
        for layers in (1, 12):
            key = f"{name}_{layers}"
            assert kept["recipes"][key] == recipes.fingerprint(lesson.variant(name, layers))
            assert [e["seed"] for e in kept["models"][key]] == list(range(kept["seeds"]))
    assert kept["checked"] == lesson.CHECKED and kept["date"] and kept["versions"]["torch"]


def test_the_record_holds_the_network_shown(metrics) -> None:
    shown = records.read("depth_seeds")["models"]["pre_with_12"][0]
    assert abs(shown["right"] - metrics(4)["now"]) < 0.02
    assert np.allclose(shown["skips"]["without"], metrics(4)["skips"]["without"], atol=0.02)


def test_recorded_gradients_are_torchs() -> None:
    """The record's gradient at the start, made again for one arrangement of each kind."""
    from benchmarks.records.depth_seeds import first_gradients

    kept = records.read("depth_seeds")["models"]
    for name in ("pre_with", "pre_without"):
        again = first_gradients(lesson.variant(name, 12))
        assert np.isclose(again["lowest"], kept[f"{name}_12"][0]["gradient"]["lowest"], rtol=1e-3)


def test_a_cached_run_loads_no_torch() -> None:
    code = ("import sys; from demos import d09_depth as d; from lecture.report import run; "
            "[run(p) for p in d.PARTS]; assert 'torch' not in sys.modules")
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=120)


@pytest.mark.slow
def test_training_again_divides_the_same_way() -> None:
    """A seed no record holds: with residual it learns, without it does not."""
    import tiny_gpt

    found = {}
    for name in ("pre_with", "pre_without"):
        recipe = lesson.variant(name, 12, seed=11)
        shorter = dataclasses.replace(recipe.training, steps=300)
        tensors, _ = tiny_gpt.train(dataclasses.replace(recipe, training=shorter))
        found[name] = lesson.right(GPT(recipe.config, tensors), 0)
    assert found["pre_with"] > 0.95 and found["pre_without"] < 0.3
