"""The run in NumPy against the training in torch: same weights, same answers.

Two implementations that share no line agree to 1e-10 in float64 and to 1e-4 in
float32, and the chain rule written out by hand is what autograd finds.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from lecture.data import tasks
from lecture.models import recipes, seq2seq_np
from lecture.models.recipes import Seq2SeqConfig, Seq2SeqTraining, TaskData, seq2seq_on_task
from lecture.models.seq2seq_np import (
    Seq2Seq,
    default_cells,
    last_state_jacobians,
    look_back_jacobians,
    read,
    with_forget_bias,
)

torch = pytest.importorskip("torch")
seq2seq_torch = pytest.importorskip("lecture.models.seq2seq_torch")

KINDS = [pytest.param(cell, attention, id=f"{cell}-{'attention' if attention else 'vector'}")
         for cell in ("rnn", "gru", "lstm") for attention in (False, True)]
FLOATS = {"float64": 1e-10, "float32": 1e-4}


def pair(cell: str, attention: bool, dtype, seed: int = 3):
    """A random net in both rooms; weights larger than at the start, to leave the line."""
    cfg = Seq2SeqConfig(12, width=9, embed=5, cell=cell, attention=attention)
    model = seq2seq_torch.EncoderDecoder(cfg, seed).to(dtype).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(2.0)
    return model, Seq2Seq(cfg, seq2seq_torch.tensors(model))


@pytest.mark.parametrize("floats", FLOATS)
@pytest.mark.parametrize(("cell", "attention"), KINDS)
def test_logits_and_weights_agree(cell: str, attention: bool, floats: str) -> None:
    model, run = pair(cell, attention, getattr(torch, floats))
    rng = np.random.default_rng(0)
    source, inputs = rng.integers(0, 12, (4, 7)), rng.integers(0, 12, (4, 6))
    with torch.no_grad():
        logits, weights = model(torch.from_numpy(source), torch.from_numpy(inputs))
    mine, maps = run.forced(source, inputs)
    assert abs(mine - logits.numpy()).max() <= FLOATS[floats]
    assert (maps is None) == (weights is None) == (not attention)
    if attention:
        assert abs(maps - weights.numpy()).max() <= FLOATS[floats]
        assert maps.shape == (4, 6, 7)
        np.testing.assert_allclose(maps.sum(-1), 1, atol=1e-12)


@pytest.mark.parametrize(("cell", "attention"), KINDS)
def test_memory_and_context_agree(cell: str, attention: bool) -> None:
    model, run = pair(cell, attention, torch.float64)
    source = np.random.default_rng(1).integers(0, 12, (3, 5))
    with torch.no_grad():
        memory, state = model.encoder(model.embed(torch.from_numpy(source)))
    state = state if cell == "lstm" else (state,)
    mine, context = run.encode(source)
    assert abs(mine - memory.numpy()).max() <= 1e-10
    assert len(context) == len(state) == (2 if cell == "lstm" else 1)
    for a, b in zip(context, state, strict=True):
        assert abs(a - b[0].numpy()).max() <= 1e-10


@pytest.mark.parametrize(("cell", "attention"), KINDS)
def test_its_own_words_agree(cell: str, attention: bool) -> None:
    """Greedy in NumPy says what torch says when every input is its own word."""
    model, run = pair(cell, attention, torch.float64)
    source = np.random.default_rng(2).integers(0, 12, (5, 6))
    words, _ = run.greedy(source, 1, 8)
    inputs = torch.ones((5, 8), dtype=torch.long)
    with torch.no_grad():
        logits = model.sampled(torch.from_numpy(source), inputs,
                               torch.ones((5, 8), dtype=torch.bool))
    np.testing.assert_array_equal(words, logits.argmax(-1).numpy())


def test_no_own_word_is_teacher_forcing() -> None:
    model, _ = pair("lstm", True, torch.float64)
    rng = np.random.default_rng(3)
    source, inputs = (torch.from_numpy(rng.integers(0, 12, (4, n))) for n in (7, 6))
    own = torch.zeros((4, 6), dtype=torch.bool)
    with torch.no_grad():
        assert (model.sampled(source, inputs, own) - model(source, inputs)[0]).abs().max() < 1e-12


@pytest.mark.parametrize("name", ["copy_one", "copy_attention", "copy_sampled"])
def test_shipped_weights_agree(name: str) -> None:
    run = seq2seq_np.load(name)
    model = seq2seq_torch.from_tensors(run.cfg, run.p, torch.float64)
    ids, mask = tasks.named("copy")(np.random.default_rng(4), 8, shortest=12, longest=12)
    source, inputs, targets = seq2seq_torch.split(ids, mask)
    with torch.no_grad():
        logits, weights = model(source, inputs)
    mine, maps = run.forced(source.numpy(), inputs.numpy())
    assert abs(mine - logits.numpy()).max() <= 1e-10
    if weights is not None:
        assert abs(maps - weights.numpy()).max() <= 1e-10
    assert (targets[:, -1] == 0).all() and (inputs[:, 0] == 1).all()


# --- the backward by hand ---------------------------------------------------------


def autograd_jacobians(cell, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same two Jacobians of one net, by torch."""
    module = {"rnn": torch.nn.RNN, "lstm": torch.nn.LSTM}[cell.kind](
        x.shape[-1], cell.width, batch_first=True).double()
    with torch.no_grad():
        for name, value in (("weight_ih_l0", cell.ih[0]), ("weight_hh_l0", cell.hh[0]),
                            ("bias_ih_l0", cell.b_ih[0, 0]), ("bias_hh_l0", cell.b_hh[0, 0])):
            getattr(module, name).copy_(torch.from_numpy(value))

    def last(row):
        return module(row[None])[0][0, -1]

    J = torch.autograd.functional.jacobian(last, torch.from_numpy(x[0]))    # [w, n, e]
    return J[:, 0].numpy(), J[:, -1].numpy()


@pytest.mark.parametrize("length", [1, 2, 11, 50])
@pytest.mark.parametrize("kind", ["rnn", "lstm", "lstm_open"])
def test_the_chain_rule_by_hand_is_autograd(kind: str, length: int) -> None:
    rng = np.random.default_rng(5)
    cell = default_cells(rng, kind.split("_")[0], 2, 6)
    cell = with_forget_bias(cell, 3.0) if kind == "lstm_open" else cell
    x = rng.standard_normal((2, length, 6))
    first, last = last_state_jacobians(cell, x)
    for mine, torchs in zip((first[0], last[0]), autograd_jacobians(cell, x), strict=True):
        np.testing.assert_allclose(mine, torchs, rtol=1e-9, atol=1e-18)


def test_the_look_back_by_hand_is_autograd() -> None:
    rng = np.random.default_rng(6)
    q, x = rng.standard_normal((2, 1, 6)), rng.standard_normal((2, 9, 6))
    maps = rng.standard_normal((3, 2, 6, 6))
    first, last, weights = look_back_jacobians(q, tuple(maps), x)

    def answer(row):
        W_Q, W_K, W_V = (torch.from_numpy(m[0]) for m in maps)
        a = torch.softmax(torch.from_numpy(q[0]) @ W_Q.T @ (row @ W_K.T).T / 6 ** .5, -1)
        return (a @ (row @ W_V.T))[0]

    J = torch.autograd.functional.jacobian(answer, torch.from_numpy(x[0]))
    np.testing.assert_allclose(first[0], J[:, 0].numpy(), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(last[0], J[:, -1].numpy(), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(weights.sum(-1), 1)


def test_a_gru_has_no_backward_here() -> None:
    cell = default_cells(np.random.default_rng(0), "gru", 1, 4)
    with pytest.raises(ValueError, match="torch"):
        last_state_jacobians(cell, np.zeros((1, 3, 4)))


def test_nets_side_by_side_are_nets_alone() -> None:
    rng = np.random.default_rng(7)
    for kind in ("rnn", "gru", "lstm"):
        cell, x = default_cells(rng, kind, 3, 5), rng.standard_normal((3, 1, 4, 5))
        seen, state = read(cell, x)
        for i in range(3):
            alone = cell._replace(ih=cell.ih[i], hh=cell.hh[i], b_ih=cell.b_ih[i],
                                  b_hh=cell.b_hh[i])
            one, own = read(alone, x[i])
            np.testing.assert_allclose(seen[i], one, atol=1e-14)
            np.testing.assert_allclose(state[-1][i], own[-1], atol=1e-14)


# --- the trainer --------------------------------------------------------------------


def tiny(**changes) -> recipes.Recipe:
    plan = Seq2SeqTraining(**({"steps": 60, "batch": 16, "log_every": 20} | changes))
    return seq2seq_on_task("tiny", TaskData("copy", (("longest", 3),)), plan, width=16,
                           embed=8, attention=True)


@pytest.mark.parametrize("own_share", [0.0, 0.5])
def test_a_training_learns_and_repeats_itself(own_share: float) -> None:
    recipe, told = tiny(own_share=own_share), []
    weights, history = seq2seq_torch.train(recipe, lambda *a: told.append(a))
    again, _ = seq2seq_torch.train(recipe)
    assert {n: a.shape for n, a in weights.items()} == recipe.config.tensor_shapes()
    assert all(a.dtype == np.float32 for a in weights.values())
    assert all(np.array_equal(weights[n], again[n]) for n in weights)
    assert [h["step"] for h in history] == [1, 21, 41, 60]
    assert history[-1]["loss"] < history[0]["loss"] - 0.2
    assert [t[0] for t in told] == list(range(1, 61)) and told[0][1] == 60
    other, _ = seq2seq_torch.train(recipes.with_seed(recipe, 1))
    assert not np.array_equal(weights["out.weight"], other["out.weight"])


def test_twins_differ_in_nothing_but_what_they_are_fed() -> None:
    one, two = recipes.named("copy_one"), recipes.named("copy_sampled")
    plan = dataclasses.replace(two.training, own_share=0.0)
    shown = dataclasses.replace(two, name=one.name, training=plan)      # each its middle seed
    assert recipes.with_seed(shown, one.seed) == one
    assert recipes.fingerprint(one) != recipes.fingerprint(two)
    start = [seq2seq_torch.EncoderDecoder(r.config, 0).embed.weight for r in (one, two)]
    assert torch.equal(*start)


def test_the_seed_alone_draws_the_first_weights() -> None:
    """Whatever torch drew before; and it draws on afterwards as if nothing had been."""
    cfg = Seq2SeqConfig(12, width=4, embed=3)
    torch.manual_seed(7)
    first, after = seq2seq_torch.EncoderDecoder(cfg, 0), torch.rand(1)
    torch.manual_seed(7)
    assert torch.equal(after, torch.rand(1))
    again, other = (seq2seq_torch.EncoderDecoder(cfg, seed) for seed in (0, 1))
    assert torch.equal(first.out.weight, again.out.weight)
    assert not torch.equal(first.out.weight, other.out.weight)


def test_the_forget_bias_is_added_once() -> None:
    plain, open_ = (seq2seq_torch.EncoderDecoder(
        Seq2SeqConfig(12, width=4, embed=3, forget_bias=b), 0) for b in (0.0, 1.5))
    for side in ("encoder", "decoder"):
        moved = getattr(open_, side).bias_ih_l0 - getattr(plain, side).bias_ih_l0
        want = np.array([0] * 4 + [1.5] * 4 + [0] * 8)          # i, f, g, o
        np.testing.assert_allclose(moved.detach().numpy(), want, atol=1e-6)
        assert torch.equal(getattr(open_, side).bias_hh_l0, getattr(plain, side).bias_hh_l0)


def test_an_unknown_cell_is_refused() -> None:
    with pytest.raises(ValueError, match="rnn, gru, lstm"):
        Seq2SeqConfig(12, cell="lstn")


def test_the_copy_task() -> None:
    copy = tasks.named("copy")
    ids, mask = copy(np.random.default_rng(0), 5, words=4, shortest=3, longest=3)
    assert ids.shape == (5, 8)
    np.testing.assert_array_equal(ids[:, :3], ids[:, 4:7])
    assert (ids[:, 3] == 1).all() and (ids[:, 7] == 0).all()
    assert ids[:, :3].min() >= 2 and ids[:, :3].max() < copy.vocab_size(words=4) == 6
    np.testing.assert_array_equal(mask[0], [0, 0, 0, 1, 1, 1, 1, 0])
    lengths = {copy(np.random.default_rng(s), 1)[0].shape[1] // 2 - 1 for s in range(400)}
    assert lengths == set(range(1, 25))
    with pytest.raises(ValueError, match="shortest"):
        copy(np.random.default_rng(0), 1, shortest=5, longest=3)


@pytest.mark.slow
def test_the_shipped_weights_come_out_again() -> None:
    """Retrained from its recipe a shipped model copies as well as before."""
    from demos.d03_seq2seq.lesson import copying

    recipe = recipes.named("copy_one")
    weights, _ = seq2seq_torch.train(recipe)
    now = copying(Seq2Seq(recipe.config, weights), 0)
    then = copying(seq2seq_np.load("copy_one"), 0)
    assert now["n4"]["whole"] > 0.9 and now["n24"]["whole"] < 0.1
    assert abs(now["n8"]["whole"] - then["n8"]["whole"]) < 0.2
