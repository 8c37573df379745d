"""Training: what must hold before, during and after it (K-17, K-18, "also seen")."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch

import tiny_gpt
from lecture.lab import probes
from lecture.models import cache as model_cache
from lecture.models import recipes, seq2seq_torch, translate_torch
from lecture.models.gpt_np import GPT
from lecture.models.recipes import GPTConfig, TaskData, Training, WorldData, gpt_on_task
from pretrain_world import documents, make_world, repeated_sequences_of_names, tokenizer
from tiny_gpt import TinyGPT

EIGHT = gpt_on_task("eight", TaskData("repeats", (("length", 9), ("longest", 4),
                                                  ("names", 7), ("shortest", 2))),
                    Training(20, 8, 8), context=8, n_layer=1, n_head=1, width=16)


def short(**changes):
    """`base` with fewer steps."""
    base = recipes.named("base")
    plan = dataclasses.replace(base.training, **changes)
    return dataclasses.replace(base, training=plan)


@pytest.fixture(scope="module")
def trained():
    """A hundred and fifty steps of the frozen recipe: some three seconds."""
    recipe = short(steps=150)
    return recipe, *tiny_gpt.train(recipe)


# --- K-17 ---------------------------------------------------------------------------
def test_k17_eight_fit_and_nine_are_refused_with_the_length():
    model = TinyGPT(GPTConfig(64, context=8)).eval()
    for n in (7, 8):
        assert model(torch.zeros(1, n, dtype=torch.long))[0].shape == (1, n, 64)
    with pytest.raises(ValueError, match="9 tokens do not fit: .* at most 8"):
        model(torch.zeros(1, 9, dtype=torch.long))


def test_k17_twenty_tokens_from_one():
    model = TinyGPT(GPTConfig(64, context=8))
    with pytest.raises(ValueError, match="at most 8"):
        tiny_gpt.greedy(model, [1], 20)
    assert len(tiny_gpt.greedy(model, [1], 8)) == 9    # the ninth is said, never read


@pytest.mark.parametrize("size", [64, 100])
def test_k17_the_first_loss_is_ln_of_the_vocabulary(size):
    model = TinyGPT(GPTConfig(size, context=48), seed=3)
    ids = torch.randint(0, size, (32, 48), generator=torch.Generator().manual_seed(0))
    loss = model(ids, ids.roll(-1, 1))[1].item()
    assert loss == pytest.approx(math.log(size), abs=0.05)     # logits of spread .16


@pytest.mark.parametrize("recipe", [recipes.named("base"), EIGHT], ids=lambda r: r.name)
def test_k17_gradient_reaches_every_position(recipe):
    reached = torch.zeros(recipe.config.context, dtype=torch.bool)
    model = TinyGPT(recipe.config)
    steps = (tiny_gpt.world_steps if recipe.name == "base" else tiny_gpt.task_steps)(
        recipe, np.random.default_rng(0))
    for _ in range(10):
        ids, targets, places, document = next(steps)
        ids, targets = (a[:, :recipe.config.context] for a in (ids, targets))
        model(ids, targets, places=places, document=document)[1].backward()
        reached |= model.wpe.weight.grad.norm(dim=1) > 0
    assert reached.all()


# --- K-18 ---------------------------------------------------------------------------
def test_k18_dropout_acts_in_training_only():
    cfg = GPTConfig(64, 16, dropout=0.2)
    model, ids = TinyGPT(cfg, seed=1), torch.arange(16)[None]
    with torch.no_grad():
        assert not torch.equal(model(ids)[0], model(ids)[0])
        model.eval()
        first, maps = model(ids, return_attn=True)[::2]
        again, maps_again = model(ids, return_attn=True)[::2]
        assert torch.equal(first, again)
        assert all(map(torch.equal, maps, maps_again))
        without = TinyGPT(dataclasses.replace(cfg, dropout=0.0), seed=1).eval()
        assert torch.equal(without(ids)[0], first)


def test_k18_measuring_leaves_the_model_in_training_mode():
    recipe = recipes.named("base")
    world = recipe.data.world()
    model = TinyGPT(dataclasses.replace(recipe.config, dropout=0.2))
    assert tiny_gpt.greedy(model, [1, 2], 5) == tiny_gpt.greedy(model, [1, 2], 5)
    assert (tiny_gpt.recall(model, world, tokenizer(world))
            == tiny_gpt.recall(model, world, tokenizer(world)))
    assert model.training


# --- weights at the start -----------------------------------------------------------
def test_the_output_is_the_token_table():
    model = TinyGPT(GPTConfig(64, 8))
    assert model.lm_head.weight is model.wte.weight
    assert "lm_head.weight" not in tiny_gpt.tensors(model)
    loaded = tiny_gpt.from_tensors(model.cfg, tiny_gpt.tensors(model))
    assert loaded.lm_head.weight is loaded.wte.weight
    untied = TinyGPT(GPTConfig(64, 8, tied=False))
    assert untied.lm_head.weight is not untied.wte.weight


@pytest.mark.parametrize("layers, std", [(2, 0.01), (4, 0.0070710678),
                                         (12, 0.0040824829)])
def test_maps_into_the_stream_start_smaller(layers, std):
    model = TinyGPT(GPTConfig(64, 8, n_layer=layers, width=128))
    for block in model.blocks:
        for name, p in block.named_parameters():
            if p.dim() == 2:
                want = std if name in ("attn.out.weight", "mlp.down.weight") else 0.02
                # 16,384 numbers or more: a standard error of .6 %
                assert p.std().item() == pytest.approx(want, rel=0.03), name


def test_missing_weights_are_never_left_random():
    weights = tiny_gpt.tensors(TinyGPT(GPTConfig(64, 8)))
    del weights["wpe.weight"]
    with pytest.raises(RuntimeError, match="wpe.weight"):
        tiny_gpt.from_tensors(GPTConfig(64, 8), weights)


# --- the optimisers, against torch's own --------------------------------------------
def test_our_adam_is_torchs():
    rng = torch.Generator().manual_seed(0)
    ours = [torch.nn.Parameter(torch.randn(5, 3, generator=rng)) for _ in range(2)]
    theirs = [torch.nn.Parameter(p.detach().clone()) for p in ours]
    mine = tiny_gpt.Adam(ours)
    library = torch.optim.Adam(theirs, lr=0.01, betas=(0.9, 0.95))
    for _ in range(20):
        for a, b in zip(ours, theirs, strict=True):
            a.grad = torch.randn(5, 3, generator=rng)
            b.grad = a.grad.clone()
        mine.step(0.01)
        library.step()
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)


@pytest.mark.parametrize("shape", [(64, 64), (128, 64), (64, 256)])
def test_muon_moves_all_directions_alike(shape):
    rng, n = torch.Generator().manual_seed(0), min(shape)
    drawn = torch.randn(3, *shape, generator=rng)
    u, _, v = torch.linalg.svd(drawn, full_matrices=False)
    g = u * torch.logspace(0, -1.5, n) @ v             # singular values up to 30 apart
    made = tiny_gpt.orthogonal(g)
    values = torch.linalg.svdvals(made)
    assert values.shape == (3, n)
    assert values.min() > 0.5 and values.max() < 1.3
    # the same directions: what is left of u and v is close to diagonal
    left = u.transpose(1, 2) @ made @ v.transpose(1, 2)
    assert (left - torch.diag_embed(left.diagonal(dim1=1, dim2=2))).abs().max() < 1e-3


def test_queries_and_keys_of_a_layer_move_together():
    units = tiny_gpt.muon_units(TinyGPT(GPTConfig(64, 8)))
    assert sorted(len(u) for u in units) == [1] * 8 + [2] * 2
    assert sum(len(u) for u in units) == 12
    no_maps = tiny_gpt.muon_units(TinyGPT(GPTConfig(64, 8, qkv="none")))
    assert all(len(u) == 1 for u in no_maps)


def test_the_schedule_rises_stays_and_falls_to_zero():
    plan = Training(100, 1, 1, warmup=9, decay=0.5)
    factors = [tiny_gpt.schedule(s, plan) for s in range(100)]
    assert factors[0] == 0.1 and factors[9] == factors[49] == 1.0
    assert factors[75] == pytest.approx(0.5) and factors[99] == pytest.approx(0.02)


# --- packing ------------------------------------------------------------------------
def test_a_packed_row_is_its_documents_one_by_one():
    recipe = recipes.named("base")
    model = TinyGPT(recipe.config, seed=2).double().eval()
    steps = tiny_gpt.world_steps(recipe, np.random.default_rng(0))
    ids, targets, places, document = next(steps)
    with torch.no_grad():
        packed = model(ids, places=places, document=document)[0]
        for r in range(3):
            for n in range(document[r].max() + 1):
                own = document[r] == n
                alone = model(ids[r, own][None], places=places[r, own][None],
                              document=torch.zeros(1, own.sum(), dtype=torch.long))[0]
                torch.testing.assert_close(packed[r, own], alone[0], rtol=0, atol=1e-12)
    tok = tokenizer(recipe.data.world())
    first = document[0] == 0
    text = tok.decode([*ids[0, first].tolist(), targets[0, first][-1].item()])
    assert text in {d.text for d in recipe.data.documents()}


def test_documents_start_at_drawn_positions():
    recipe = recipes.named("base")
    shift, context = recipe.training.shift, recipe.config.context
    steps = tiny_gpt.world_steps(recipe, np.random.default_rng(0))
    starts = set()
    for _ in range(8):
        ids, _, places, document = next(steps)
        assert places.max() < context
        starts |= set(places[(ids == 0) & (document >= 0)].tolist())
    assert starts == set(range(shift + 1))
    still = next(tiny_gpt.world_steps(short(shift=0), np.random.default_rng(0)))
    assert set(still[2][(still[0] == 0) & (still[3] >= 0)].tolist()) == {0}


def test_an_epoch_holds_every_document_once():
    recipe = recipes.named("base")
    docs = [np.array(tokenizer(recipe.data.world()).encode(d.text))
            for d in recipe.data.documents()]
    rows = tiny_gpt.packed_rows(docs, 48, np.random.default_rng(0))
    assert sorted(d.tobytes() for row in rows for d in row) == sorted(
        d.tobytes() for d in docs)
    lengths = [sum(len(d) - 1 for d in row) for row in rows]
    assert max(lengths) <= 48 and np.mean(lengths) > 0.9 * 48


# --- the order in which documents and rows are seen -----------------------------------
class Still:
    """A generator of random numbers that shuffles nothing: the trainer as a mutant."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def __getattr__(self, name):
        return getattr(self.rng, name)

    def permutation(self, n):
        return np.arange(n)


def neighbours(recipe, rng, batches):
    """Of all pairs of documents side by side in a row, the share that is so in the corpus."""
    tok = tokenizer(recipe.data.world())
    docs = [tok.encode(d.text) for d in recipe.data.documents()]
    pairs = {(*a, *b) for a, b in zip(docs, docs[1:], strict=False)}
    steps, together, all_pairs = tiny_gpt.world_steps(recipe, rng), 0, 0
    for _ in range(batches):
        for row, after in zip(*(a.tolist() for a in next(steps)[:2]), strict=True):
            words = [*row, after[-1]]
            # the last word of a packed document is in no input: it stands in the targets
            full = [w for i, w in enumerate(row) for w in
                    ([w] if recipe.training.packing == "stream" or i + 1 == len(row)
                     or row[i + 1] != 0 or after[i] < 0 else [w, after[i]])]
            text = full if recipe.training.packing == "documents" else words
            starts = [i for i, w in enumerate(text) if w == 0]
            cut = [tuple(text[a:b]) for a, b in zip(starts, starts[1:], strict=False)]
            for a, b in zip(cut, cut[1:], strict=False):
                all_pairs += 1
                together += (*a, *b) in pairs
    return together / all_pairs


@pytest.mark.parametrize("packing", ["documents", "stream"])
def test_documents_are_shuffled(packing):
    recipe = short(packing=packing)
    assert neighbours(recipe, np.random.default_rng(0), 30) < 0.05
    assert neighbours(recipe, Still(0), 30) > 0.4       # so an order would be seen


def rows_seen(rng, monkeypatch):
    """Which of 64 marked rows (64 documents) stand in the first four batches of 16."""
    made = []

    def marked(docs, length, rng):
        made.append([[np.array([0, 1 + i, 0])] for i in range(64)])
        return made[-1]

    with monkeypatch.context() as m:
        m.setattr(tiny_gpt, "packed_rows", marked)
        steps = tiny_gpt.world_steps(recipes.named("base"), rng)
        seen = [(next(steps)[0][:, 1] - 1).tolist() for _ in range(8)]
    assert len(made) == 2
    return [sum(seen[:4], []), sum(seen[4:], [])]


def test_rows_are_shuffled_and_each_is_seen_once_an_epoch(monkeypatch):
    first, second = rows_seen(np.random.default_rng(0), monkeypatch)
    assert sorted(first) == sorted(second) == list(range(64)) and first != second
    for epoch in (first, second):
        # of 64 places some one keeps its row by chance; 10 or more never
        assert sum(i == row for i, row in enumerate(epoch)) < 10
    assert rows_seen(Still(0), monkeypatch) == [list(range(64))] * 2


def test_each_epoch_has_an_order_of_its_own():
    docs = [np.arange(n) for n in np.random.default_rng(1).integers(5, 20, 300)]
    rng = np.random.default_rng(0)
    first, second = (tiny_gpt.packed_rows(docs, 48, rng) for _ in range(2))
    assert [[len(d) for d in row] for row in first] != [[len(d) for d in row] for row in second]


# --- one step of each optimiser, against arithmetic by hand ---------------------------
def test_muon_is_nesterovs_momentum(monkeypatch):
    """beta = .75, gradients 8 then 4.  Average: 2, then 2.5.  Ahead: 8 -> 3.5, 4 -> 2.875.

    average <- .75 average + .25 g; the move is .75 average + .25 g once more. Plain momentum
    would move by 2 and 2.5, none at all by 8 and 4.
    """
    monkeypatch.setattr(tiny_gpt, "orthogonal", lambda g: g)
    p = torch.nn.Parameter(torch.full((2, 2), 10.0))
    muon = tiny_gpt.Muon([[p]], 0.75)
    for gradient, move in ((8.0, 3.5), (4.0, 2.875)):
        before = p.detach().clone()
        p.grad = torch.full((2, 2), gradient)
        muon.step(0.5)
        torch.testing.assert_close(before - p.detach(), torch.full((2, 2), 0.5 * move))


@pytest.mark.parametrize(("shape", "stretch"), [((8, 2), 2.0), ((2, 8), 1.0), ((3, 3), 1.0)])
def test_muon_stretches_a_tall_matrix_by_the_root_of_its_sides(shape, stretch, monkeypatch):
    monkeypatch.setattr(tiny_gpt, "orthogonal", lambda g: torch.ones_like(g))
    p = torch.nn.Parameter(torch.zeros(shape))
    p.grad = torch.ones(shape)
    tiny_gpt.Muon([[p]], 0.9).step(0.1)
    torch.testing.assert_close(p.detach(), torch.full(shape, -0.1 * stretch))


def test_no_optimiser_pulls_a_weight_towards_zero():
    """There is no weight decay in the course: without a gradient nothing moves at all."""
    for make in (lambda p: tiny_gpt.Muon([[p]], 0.95), lambda p: tiny_gpt.Adam([p])):
        p = torch.nn.Parameter(torch.full((3, 3), 5.0))
        optimiser = make(p)
        for _ in range(5):
            optimiser.step(1.0)
        assert torch.equal(p.detach(), torch.full((3, 3), 5.0))


# steps 10, warm-up 3 and decay over the last half: by hand, of the full rate
FACTORS = [0.25, 0.5, 0.75, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2]


def test_the_training_walks_by_its_schedule(monkeypatch):
    rates = {"Muon": [], "Adam": []}
    for name, kept in rates.items():
        real = getattr(tiny_gpt, name).step
        monkeypatch.setattr(getattr(tiny_gpt, name), "step",
                            lambda self, lr, real=real, kept=kept: (kept.append(lr),
                                                                    real(self, lr)))
    tiny_gpt.train(short(steps=10, warmup=3, decay=0.5, matrix_lr=0.02, table_lr=0.01))
    assert rates["Muon"] == pytest.approx([0.02 * f for f in FACTORS])
    assert rates["Adam"] == pytest.approx([0.01 * f for f in FACTORS])


def adam_of_torch(monkeypatch):
    """What torch's Adam is given at every step: (rate, norm of all gradients)."""
    seen, real = [], torch.optim.Adam.step

    def step(self, *rest):
        (group,) = self.param_groups
        assert group["weight_decay"] == 0
        seen.append((group["lr"], math.sqrt(sum(p.grad.square().sum().item()
                                                for p in group["params"]))))
        return real(self, *rest)

    monkeypatch.setattr(torch.optim.Adam, "step", step)
    return seen


@pytest.mark.parametrize(("name", "factors"), [
    ("copy_one", [1.0] * 6 + [0.8, 0.6, 0.4, 0.2]), ("french_english", FACTORS)])
def test_encoder_decoders_walk_by_their_schedules(name, factors, monkeypatch):
    recipe = recipes.named(name)
    plan = {"steps": 10, "decay": 0.5, "clip": 0.01} | (
        {"warmup": 4} if name == "french_english" else {})
    recipe = dataclasses.replace(recipe, training=dataclasses.replace(recipe.training, **plan))
    seen = adam_of_torch(monkeypatch)
    (seq2seq_torch if name == "copy_one" else translate_torch).train(recipe)
    assert [lr for lr, _ in seen] == pytest.approx([recipe.training.lr * f for f in factors])
    # gradients start near 1 and are cut down to .01
    assert [norm for _, norm in seen] == pytest.approx([0.01] * 10, rel=1e-3)


def test_a_translator_draws_its_sentences(monkeypatch):
    recipe = recipes.named("french_english")
    recipe = dataclasses.replace(recipe, training=dataclasses.replace(recipe.training, steps=6))
    corpus = [tuple(row) for row in translate_torch._pairs(recipe)[0]]
    seen, real = [], translate_torch.Translator.forward

    def forward(self, source, inputs, maps=None):
        seen.append([tuple(w for w in row if w) for row in source.tolist()])
        return real(self, source, inputs, maps)

    monkeypatch.setattr(translate_torch.Translator, "forward", forward)
    translate_torch.train(recipe)
    assert all(len(batch) == recipe.training.batch for batch in seen)
    rows = [corpus.index(tuple(row)) for batch in seen for row in batch]
    assert abs(np.corrcoef(rows, np.arange(len(rows)))[0, 1]) < 0.2
    assert len(set(rows)) > len(rows) / 2 and max(rows) > 0.9 * len(corpus) > 9 * min(rows)


# --- dropout, counted ---------------------------------------------------------------------
def test_dropout_takes_its_share_and_grows_the_rest():
    """Everywhere it acts: the words and places, each map, each branch (a layer has two)."""
    rate, counted = 0.25, {}
    cfg = GPTConfig(64, 16, dropout=rate)
    model, ids = TinyGPT(cfg, seed=1), torch.randint(0, 64, (64, 16))

    def count(name):
        def hook(module, given, made):
            x, y = given[0], made
            there = x != 0                      # hidden places of a map are 0 before
            kept = there & (y != 0)
            torch.testing.assert_close(y[kept], x[kept] / (1 - rate))
            counted.setdefault(name, []).append(
                1 - kept.sum().item() / there.sum().item())
        return hook

    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Dropout):
            module.register_forward_hook(count(name))
    model(ids)
    assert {name: len(shares) for name, shares in counted.items()} == {
        "drop": 1, "blocks.0.attn.drop": 1, "blocks.0.drop": 2,
        "blocks.1.attn.drop": 1, "blocks.1.drop": 2}
    for shares in counted.values():
        for share in shares:                    # of 17,408 or more: a standard error of .0033
            assert share == pytest.approx(rate, abs=0.015)


def test_a_training_with_dropout_is_another_and_is_told_by_its_seed():
    base = short(steps=4)
    dropped = dataclasses.replace(base, config=dataclasses.replace(base.config, dropout=0.25))
    with_it, again = (tiny_gpt.train(dropped)[1] for _ in range(2))
    without = tiny_gpt.train(base)[1]
    assert with_it == again and with_it[-1] != without[-1]


# --- whole trainings ----------------------------------------------------------------
def test_the_same_seed_gives_the_same_bits_and_another_does_not():
    recipe = short(steps=6)
    threads = torch.get_num_threads()
    first, again = tiny_gpt.train(recipe)[0], tiny_gpt.train(recipe)[0]
    assert model_cache.digest(first) == model_cache.digest(again)
    other = tiny_gpt.train(recipes.with_seed(recipe, 1))[0]
    assert model_cache.digest(other) != model_cache.digest(first)
    assert torch.get_num_threads() == threads


def test_training_leaves_torchs_random_state_alone():
    torch.manual_seed(5)
    want = torch.rand(3)
    torch.manual_seed(5)
    tiny_gpt.train(short(steps=2))
    assert torch.equal(torch.rand(3), want)


def test_a_short_training_reaches_its_band(trained):
    recipe, weights, history = trained
    world, model = recipe.data.world(), GPT(recipe.config, weights)
    even = math.log(recipe.config.vocab_size)
    assert history[0]["loss"] == pytest.approx(even, abs=0.1)
    # registers and the choice of a question can not be foreseen: the floor is near .5
    assert 0.4 < history[-1]["loss"] < 1.0
    assert probes.right(model, probes.questions(world)) >= 90
    assert probes.copied(model, probes.copy_pool(world))["hits"] <= 55


def test_the_shipped_base_is_what_the_demo_says():
    recipe = recipes.named("base")
    model = GPT(recipe.config, model_cache.load(recipe))
    m = probes.measure(model, recipe.data.world())
    layer, head = m["best_head"]
    assert m["right"] == m["questions"] == 96
    assert m["copied"]["total"] == 1100 and m["copied"]["hits"] <= 55
    assert m["weight_on_country"][layer][head] >= 0.5
    assert m["left_after_cut"][layer][head] <= 6
    others = [n for i, row in enumerate(m["left_after_cut"]) for j, n in enumerate(row)
              if (i, j) != (layer, head)]
    assert min(others) > 48
    assert m["swapped"]["other"] >= 90


def test_the_shipped_repeats_copies_and_no_document_rewards_it():
    recipe = recipes.named("repeats")
    model = GPT(recipe.config, model_cache.load(recipe))
    found = probes.copied(model, range(1, 49))
    assert found["total"] == 1100 and found["hits"] >= 990
    world = make_world()
    assert repeated_sequences_of_names((d.words for d in documents(world)),
                                       world.names) == 0


def test_get_model_is_what_the_lecture_uses():
    model, tok, info = tiny_gpt.get_model("base")
    country = info["world"].countries[0]
    ids = tok.encode(f"<doc> faq : q : what is the capital of {country.name} ? a :")
    with torch.no_grad():
        logits, _, maps = model(torch.tensor([ids]), return_attn=True)
    assert logits.shape == (1, len(ids), len(tok)) and not model.training
    assert len(maps) == model.cfg.n_layer
    assert maps[0].shape == (1, model.cfg.n_head, len(ids), len(ids))
    assert tok.itos[int(logits[0, -1].argmax())] == country.capital
    assert tok.stoi[country.name] in ids
    with pytest.raises(ValueError, match="'bse'.*base"):
        tiny_gpt.get_model("bse")
    with pytest.raises(ValueError, match="on a task"):
        tiny_gpt.get_model("repeats")


def test_world_data_order_is_part_of_the_corpus():
    turned = WorldData(order=tuple(reversed(range(24))))
    assert turned.world().countries == WorldData().world().countries[::-1]
    assert turned.content() != WorldData().content()


@pytest.mark.slow
def test_the_frozen_recipe_from_another_seed():
    recipe = recipes.with_seed(recipes.named("base"), 23)
    weights, history = tiny_gpt.train(recipe)
    m = probes.measure(GPT(recipe.config, weights), recipe.data.world())
    assert m["right"] == 96 and m["copied"]["hits"] <= 55 and history[-1]["loss"] < 0.9
