"""Does demo 07 reach the numbers it was specified with?  And is it made as it says?

FIGURES is the specification's own table, to the digits it gives; the recorded pins
(pins.json beside the demo) are another thing: they say that nothing has moved since.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import replace

import numpy as np
import pytest

from attention_np import rope, rope_frequencies, sinusoidal_positions
from demos import d07_positions as demo
from demos.d07_positions import lesson
from lecture import records
from lecture.data import tasks
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT, init_weights
from lecture.models.recipes import GPTConfig
from lecture.quantities import blocks_of
from lecture.report import HeatMap, Table, at, leaves, run

PARTS = {part.key: part for part in demo.PARTS}


@pytest.fixture(scope="module")
def metrics(results):
    """metrics(key): the metrics of a part at its own settings."""
    return lambda key: results(PARTS[key]).metrics


# part, metric path, the figure as the specification prints it
FIGURES = [line.split() for line in """
sinusoids  dots.near                                211.7494
sinusoids  dots.later                               211.7494
sinusoids  norms.low                                16.000
sinusoids  norms.high                               16.000
sinusoids  dims.dim_0.frequency                     1.0000
sinusoids  dims.dim_64.frequency                    .1000
sinusoids  dims.dim_128.frequency                   .0100
sinusoids  dims.dim_192.frequency                   .0010
sinusoids  dims.dim_255.frequency                   .00010746
sinusoids  dims.dim_255.value                       .999986
sinusoids  dims.dim_255.drawn                       .005183
rope       conventions.scores.at_3_1.half           -3.456429234
rope       conventions.scores.at_102_100.half       -3.456429234
rope       conventions.scores.at_3_1.adjacent       1.190051234
rope       conventions.scores.at_5_3.adjacent       1.190051234
rope       conventions.scores.at_3_1.mixed          7.6987
rope       conventions.scores.at_5_3.mixed          -16.1886
rope       conventions.scores.at_102_100.mixed      -2.1352
rope       conventions.norms.half                   30.0000
rope       conventions.norms.adjacent               30.0000
rope       conventions.norms.mixed                  55.4232
rope       conventions.equal_places                 20.0000
rope       conventions.steps.turned.0               -1.1426396637
rope       conventions.steps.turned.3               4.0297995017
rope       formula.one.score                        .841471
rope       formula.one.notes                        .000000
rope       formula.speeds.last                      .000133352
rope       formula.speeds.full_turn                 47117
rope       half.angle                               1044.2678408785
rope       half.cosine                              .3066928098
rope       half.rough                               1045.0000
rope       half.worst                               .78191
longer     ntk.new_base                             20221.26
longer     rounding.kept                            2048
longer     rounding.fractions                       4096
""".strip().splitlines()]

# part, metric path, low, high: drawn or trained numbers of the specification's order
BANDS = [
    ("order", "ways.plain.orders", 0, 1e-12),
    ("order", "ways.causal.middle", 1, 4),              # 2.16 as torch drew it
    *(("sinusoids", f"shifts.by_{n}.error", 0, 1e-12) for n in (1, 3, 10, 100)),
    ("rope", "conventions.map.turned", 0, 1e-12),
    ("rope", "conventions.map.scores", 0, 1e-12),
    ("rope", "conventions.map.unmapped", 3, 8),         # 5.16
    ("rope", "formula.notes_error", 0.5, 0.8),          # .658
    ("rope", "code.apart", 2, 8),                       # 4.60
    ("longer", "places.learned.near", 0.99, 1),
    ("longer", "places.sinusoidal.near", 0.99, 1),
    ("longer", "places.rope.near", 0.99, 1),
    ("longer", "places.learned.far", 0, 0.12),          # .08
    ("longer", "places.sinusoidal.far", 0, 0.25),       # .09
    ("longer", "places.rope.mid", 0.9, 1),              # .94
    ("longer", "places.rope.far", 0.6, 1),              # .81
    ("longer", "places.none.near", 0.15, 0.45),         # .32
    ("longer", "copying.no_positions.short", 0.98, 1),  # .994
    ("longer", "copying.no_positions.long", 0.6, 0.97),  # .72
]


@pytest.mark.parametrize(("part", "path", "figure"), FIGURES)
def test_the_specified_figure(metrics, part: str, path: str, figure: str) -> None:
    measured, digits = at(metrics(part), path), len(figure.partition(".")[2])
    assert abs(measured - float(figure)) <= 0.5000001 * 10.0**-digits, measured


@pytest.mark.parametrize(("part", "path", "low", "high"), BANDS)
def test_the_specified_order(metrics, part: str, path: str, low: float, high: float) -> None:
    assert low <= at(metrics(part), path) <= high


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("key", ["order", "rope"])
def test_another_draw_same_lesson(key: str, seed: int) -> None:
    assert [v.claim.key for v in run(PARTS[key], seed=seed).verdicts() if not v.holds] == []


# --- how the numbers are made ----------------------------------------------------


def test_the_shift_map_is_that_of_the_angles() -> None:
    """Pair by pair, from the sum formulas, without a matrix."""
    w = rope_frequencies(8)
    pe, M = sinusoidal_positions(20, 8), lesson.shift_map(7, w)
    for p in range(13):
        for j in range(4):
            turned = [np.sin(w[j] * (p + 7)), np.cos(w[j] * (p + 7))]
            assert np.allclose((M @ pe[p])[2 * j:2 * j + 2], turned, atol=1e-14)


def test_reordered_weights_are_the_same_model_in_the_other_convention() -> None:
    """The map on a whole network: the rows of W_Q and W_K of each head in the order P."""
    cfg = recipes.named("places_rope").config
    half = init_weights(cfg, 3)
    mine = {n: 20 * a if n.endswith("weight") and "norm" not in n else a for n, a in half.items()}
    P = np.argsort(lesson.rope_permutation(cfg.head_width))
    rows = np.concatenate([P + h * cfg.head_width for h in range(cfg.n_head)])
    other = {n: a[rows] if ".attn.q." in n or ".attn.k." in n else a for n, a in mine.items()}
    ids = np.random.default_rng(0).integers(0, cfg.vocab_size, (2, 20))
    a = GPT(cfg, mine).run(ids).logits
    adjacent = replace(cfg, rope_convention="adjacent")
    assert abs(GPT(adjacent, other).run(ids).logits - a).max() < 1e-10
    assert abs(GPT(adjacent, mine).run(ids).logits - a).max() > 1e-3


def test_delayed_copy_says_what_stood_there() -> None:
    ids, mask, told = tasks.named("delayed_copy")(np.random.default_rng(0), 4, delay=5, length=9)
    assert mask.tolist() == [[False] * 5 + [True] * 4] * 4
    assert (told[:, 5:] == ids[:, :4]).all()
    with pytest.raises(ValueError, match="delay"):
        tasks.named("delayed_copy")(np.random.default_rng(0), 4, delay=9, length=9)


def test_the_demo_asks_what_was_trained() -> None:
    defaults = inspect.signature(tasks.TASKS["delayed_copy"].make).parameters
    assert defaults["length"].default == lesson.TRAINED_AT
    assert defaults["delay"].default == lesson.DELAY
    for kind in lesson.KINDS:
        recipe = recipes.named(f"places_{kind}")
        assert recipe.data.sizes == () and recipe.config.positions == kind
        assert recipe.config.context == lesson.LENGTHS[-1]


def test_rows_beyond_training_are_as_they_were_drawn() -> None:
    torch = pytest.importorskip("torch")
    from tiny_gpt import TinyGPT

    recipe = recipes.named("places_learned")
    drawn = TinyGPT(recipe.config, recipe.seed).wpe.weight.detach().numpy()
    kept = model_cache.load(recipe).tensors["wpe.weight"]
    assert np.array_equal(kept[lesson.TRAINED_AT:], drawn[lesson.TRAINED_AT:])
    assert not np.isclose(kept[:lesson.TRAINED_AT], drawn[:lesson.TRAINED_AT]).all(1).any()
    assert torch.get_num_threads() >= 1


def test_the_record_is_of_these_recipes_and_this_code(metrics) -> None:
    record = records.read("positions")
    assert [entry["seed"] for entry in record["seeds"]] == list(range(5))
    for name, told in record["recipes"].items():
        assert json.loads(recipes.canonical_json(
            recipes.description(recipes.named(name)))) == told
    here, kept = metrics("longer"), record["seeds"][0]      # the shipped seed
    for path, value in leaves({part: here[part] for part in kept if part != "seed"}):
        assert at(kept, path) == pytest.approx(value, abs=5e-3), path


# --- places given to a model -------------------------------------------------------

SMALL = GPTConfig(11, 12, width=16, positions="rope")


@pytest.mark.parametrize("places", [np.arange(6) / 4, np.arange(6) + 50, np.zeros(6)])
def test_places_mean_the_same_to_torch(places: np.ndarray) -> None:
    torch = pytest.importorskip("torch")
    from tiny_gpt import from_tensors

    w = {n: 10 * a if n.endswith("weight") and "norm" not in n else a
         for n, a in init_weights(SMALL, 1).items()}
    ids = np.random.default_rng(0).integers(0, 11, (2, 6))
    ours = GPT(SMALL, w).run(ids, places=places).logits
    model = from_tensors(SMALL, w, torch.float64)
    theirs = model(torch.from_numpy(ids), places=torch.from_numpy(places))[0].detach().numpy()
    assert abs(ours - theirs).max() < 1e-10
    if places[1] < 1:                                   # and they matter
        assert abs(ours - GPT(SMALL, w).run(ids).logits).max() > 1e-3


def test_places_left_out_are_counted() -> None:
    for kind in ("learned", "sinusoidal", "rope", "none"):
        model = GPT(cfg := replace(SMALL, positions=kind), init_weights(cfg))
        ids = np.arange(8)[None]
        assert np.array_equal(model.run(ids).logits, model.run(ids, places=np.arange(8)).logits)


@pytest.mark.parametrize("places", [np.arange(8) / 2, np.arange(8) + 5, -np.arange(8)])
def test_a_table_has_whole_rows_only(places: np.ndarray) -> None:
    cfg = replace(SMALL, positions="learned")
    with pytest.raises(ValueError, match="rows of a table"):
        GPT(cfg, init_weights(cfg)).run(np.arange(8)[None], places=places)


def test_places_must_be_as_many_as_tokens() -> None:
    cfg = replace(SMALL, positions="none")              # where nothing else would notice
    with pytest.raises(ValueError, match="for 8 tokens"):
        GPT(cfg, init_weights(cfg)).run(np.arange(8)[None], places=np.arange(7))


# --- the notes' code, in the library it was written for ------------------------------


def test_the_printed_complex_code_in_torch() -> None:
    torch = pytest.importorskip("torch")

    def printed(x):                                     # [B, S, H, d] with [S, d/2]
        pair = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        w = torch.from_numpy(rope_frequencies(x.shape[-1]))
        angle = torch.outer(torch.arange(x.shape[1], dtype=torch.float64), w)
        return torch.view_as_real(pair * torch.polar(torch.ones_like(angle), angle)).flatten(3)

    with pytest.raises(RuntimeError):
        printed(torch.zeros(2, 7, 3, 64, dtype=torch.float64))
    x = np.random.default_rng(0).standard_normal((2, 5, 5, 64))
    by_head = rope(x, np.arange(5), "adjacent")
    assert abs(printed(torch.from_numpy(x)).numpy() - by_head).max() < 1e-12


def test_a_plain_attribute_stays_behind_in_torch(metrics) -> None:
    torch = pytest.importorskip("torch")

    class Layer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attribute = torch.ones(3)
            self.register_buffer("kept", torch.ones(3))

    layer, code = Layer().to(torch.float64), metrics("rope")["code"]
    assert str(layer.attribute.dtype) == f"torch.{code['attribute']}"
    assert str(layer.kept.dtype) == f"torch.{code['buffer']}"


def test_k11_the_screen_names_the_conventions(metrics) -> None:
    table = next(b for b in blocks_of(PARTS["rope"], metrics("rope"))
                 if isinstance(b, Table) and len(b.columns) == 6)
    assert [c.header.en for c in table.columns[3:]] == ["halves", "adjacent", "mixed"]


# --- what the screen says, from another side ------------------------------------------


def test_the_whole_table_is_on_the_page_only(metrics) -> None:
    maps = [b for b in blocks_of(PARTS["sinusoids"], metrics("sinusoids"))
            if isinstance(b, HeatMap)]
    assert [(len(b.values), len(b.columns), b.page_only, b.more) for b in maps] == [
        (16, 16, False, True), (64, 32, True, False)]


def test_three_writings_of_one_turn() -> None:
    """rotate_half and complex numbers against the rotation matrix, pair by pair."""
    x, m = np.random.default_rng(3).standard_normal(8), 5
    for writing in (lesson.by_code, lesson.by_complex):
        turned = writing(x[None], m)[0]
        for j, w in enumerate(rope_frequencies(8)):
            a = m * w
            turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
            assert np.allclose(turned[[j, j + 4]], turn @ x[[j, j + 4]], atol=1e-14), writing
    assert lesson.rotate_half(np.arange(1.0, 5)).tolist() == [-3, -4, 1, 2]


def test_t5_buckets_of_the_paper() -> None:
    """The first 16 distances alone, then ever wider, the last from 113 on."""
    bucket = lesson.t5_bucket(np.arange(200), True)
    assert bucket[:16].tolist() == list(range(16)) and (np.diff(bucket) >= 0).all()
    assert bucket[112] == 30 and (bucket[113:] == 31).all() and set(bucket) == set(range(32))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_words_same_lesson(seed: int) -> None:
    held = run(PARTS["longer"], seed=seed)
    assert [c.key for c in PARTS["longer"].every_claim() if not held.verdict(c).holds] == []
