"""The translator in NumPy against the one in torch: same weights, same answers.

float64 to 1e-10 on logits and on every map, padded rows included; and torch's own
modules (LayerNorm, fused attention, embeddings) are what the torch room is made of.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from lecture.data import phrases
from lecture.models import cache as model_cache
from lecture.models import recipes, translate_np
from lecture.models.recipes import TranslateConfig
from lecture.models.translate_np import Translator

torch = pytest.importorskip("torch")
translate_torch = pytest.importorskip("lecture.models.translate_torch")

CONFIGS = [TranslateConfig(11, 9, width=12, n_head=h, encoder_layers=e, decoder_layers=d, d_ff=20)
           for h, e, d in ((1, 1, 1), (2, 1, 1), (3, 2, 2), (2, 2, 1), (2, 1, 2))]
POOLED = dataclasses.replace(CONFIGS[1], pooled=True)
FLOATS = {"float64": 1e-10, "float32": 1e-4}
SOURCE = np.array([[3, 4, 5, 6, 7], [8, 9, 0, 0, 0], [1, 2, 3, 4, 0]])
INPUTS = np.array([[1, 3, 4, 5], [1, 3, 0, 0], [1, 2, 8, 0]])


def both(cfg: TranslateConfig, dtype):
    model = translate_torch.Translator(cfg, 3).to(dtype).eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if name.endswith("bias"):
                p.uniform_(-1, 1)
    return model, Translator(cfg, translate_torch.tensors(model))


@pytest.mark.parametrize("floats", FLOATS)
@pytest.mark.parametrize("cfg", [*CONFIGS, POOLED],
                         ids=lambda c: f"{c.n_head}-{c.encoder_layers}-{c.decoder_layers}"
                                       + "-pooled" * c.pooled)
def test_logits_and_every_map_agree(cfg: TranslateConfig, floats: str) -> None:
    model, run = both(cfg, getattr(torch, floats))
    maps: dict = {}
    with torch.no_grad():
        logits = model(torch.from_numpy(SOURCE), torch.from_numpy(INPUTS), maps)
    mine = run.run(SOURCE, INPUTS, trace=True)
    real = INPUTS != 0                                  # rows of padding say nothing
    assert abs(mine.logits - logits.numpy())[real].max() <= FLOATS[floats]
    for side, kind in (("encoder", "self"), ("decoder", "self"), ("decoder", "cross")):
        rows = SOURCE != 0 if side == "encoder" else real
        for layer, torchs in enumerate(maps[side][kind]):
            name = f"{side[0].upper()}.{layer}.{kind}.weights"
            gap = abs(mine.trace[name] - torchs.numpy()).max((1, 3))
            assert gap[rows].max() <= FLOATS[floats], name


@pytest.mark.parametrize("name", ["french_english", "english_chinese"])
def test_shipped_weights_agree(name: str) -> None:
    run = translate_np.load(name)
    model = translate_torch.from_tensors(run.cfg, run.w, torch.float64)
    pairs = phrases.corpus(recipes.named(name).data.direction).held_out[:40]
    source = run.source_ids([p.source for p in pairs])
    inputs = run.input_ids([p.target for p in pairs])
    with torch.no_grad():
        logits = model(torch.from_numpy(source), torch.from_numpy(inputs)).numpy()
    assert abs(run.run(source, inputs).logits - logits)[inputs != 0].max() <= 1e-10


def test_one_vector_is_the_mean_of_the_real_words() -> None:
    """Pooled: the mean of what the same encoder leaves; padding has no part in it."""
    cfg = CONFIGS[1]
    tensors = translate_np.init_weights(cfg, 3)
    plain, pooled = Translator(cfg, tensors), Translator(POOLED, tensors)
    each, one = plain.encode(SOURCE), pooled.encode(SOURCE)
    assert one.shape == (3, 1, cfg.width)
    for row, memory, mean in zip(SOURCE, each, one, strict=True):
        np.testing.assert_allclose(mean[0], memory[row != 0].mean(0), atol=1e-12)
    short = SOURCE[1:2, :2]                             # the same sentence without padding
    np.testing.assert_allclose(pooled.encode(short), one[1:2], atol=1e-12)
    with pytest.raises(ValueError, match="memory"):
        pooled.run(SOURCE, INPUTS, memory=each)


def test_ended_rows_rest_and_nothing_else_changes() -> None:
    """Greedy in a batch says what it says alone, with a patch and without."""
    model = translate_np.load("french_english")
    sources = [p.source for p in phrases.corpus("fr_en").held_out[:12]]
    batch = model.greedy(model.source_ids(sources))
    assert batch == [model.greedy(model.source_ids([s]))[0] for s in sources]
    looks_on = {"D.0.cross.weights": lambda a: a}
    assert batch == model.greedy(model.source_ids(sources), looks_on)
    assert len({len(said) for said in batch}) > 2       # they do end at different steps


def test_k10_alone_and_in_a_padded_batch() -> None:
    """Source and target of different lengths; extra padding on both sides changes nothing."""
    for cfg in CONFIGS:
        _, run = both(cfg, torch.float64)
        wide, more = np.pad(SOURCE, ((0, 0), (0, 4))), np.pad(INPUTS, ((0, 0), (0, 3)))
        batch = run.run(wide, more).logits
        for b in range(3):
            s, t = SOURCE[b][SOURCE[b] != 0], INPUTS[b][INPUTS[b] != 0]
            alone = run.run(s[None], t[None]).logits[0]
            assert abs(batch[b, :len(t)] - alone).max() <= 1e-12
        unmasked = run.run(wide, more, masked=False).logits
        assert abs(unmasked - batch)[:, 0].max() > 1e-3


def test_k10_cross_attention_has_the_sources_mask() -> None:
    _, run = both(CONFIGS[1], torch.float64)
    weights = run.run(SOURCE, INPUTS, trace=True).trace["D.0.cross.weights"]
    assert weights.shape == (3, 2, 4, 5)                # [B, h, m, n], m != n
    hidden = np.broadcast_to((SOURCE == 0)[:, None, None, :], weights.shape)
    assert (weights[hidden] == 0).all() and (weights[~hidden] > 0).all()


def test_patches_that_only_look_change_nothing() -> None:
    _, run = both(CONFIGS[2], torch.float64)
    plain = run.run(SOURCE, INPUTS, trace=True)
    looked = run.run(SOURCE, INPUTS, {name: lambda a: a for name in plain.trace})
    np.testing.assert_array_equal(plain.logits, looked.logits)
    with pytest.raises(ValueError, match="no activation"):
        run.run(SOURCE, INPUTS, {"D.7.cross.v": lambda a: a})


def test_a_small_training_repeats_itself() -> None:
    recipe = recipes.named("french_english")
    plan = dataclasses.replace(recipe.training, steps=40, batch=16, log_every=20)
    cfg = dataclasses.replace(recipe.config, width=16, d_ff=16)
    small = dataclasses.replace(recipe, name="tiny", training=plan, config=cfg)
    weights, history = translate_torch.train(small)
    again, _ = translate_torch.train(small)
    assert {n: a.shape for n, a in weights.items()} == cfg.tensor_shapes()
    assert all(np.array_equal(weights[n], again[n]) for n in weights)
    assert [h["step"] for h in history] == [1, 21, 40]
    assert history[-1]["loss"] < history[0]["loss"] - 0.5
    other = translate_torch.train(recipes.with_seed(small, 1))[0]
    assert not np.array_equal(weights["out.weight"], other["out.weight"])
    with pytest.raises(ValueError, match="words"):
        bad = dataclasses.replace(cfg, source_words=98)
        translate_torch.train(dataclasses.replace(small, config=bad))


def test_the_shipped_files_are_whole_and_small() -> None:
    for name in ("french_english", "english_chinese"):
        assert model_cache.verify(recipes.named(name)) == []
        assert (model_cache.SHIPPED / f"{name}.safetensors").stat().st_size < 200_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["french_english", "english_chinese"])
def test_another_seed_passes_the_exam_too(name: str) -> None:
    recipe = recipes.with_seed(recipes.named(name), 7)
    corpus = recipe.data.corpus()
    run = Translator(recipe.config, translate_torch.train(recipe)[0], corpus.source_words,
                     corpus.target_words)
    said = run.greedy(run.source_ids([p.source for p in corpus.held_out]))
    right = sum(tuple(s) == p.target for s, p in zip(said, corpus.held_out, strict=True))
    assert right >= 0.95 * len(said)
