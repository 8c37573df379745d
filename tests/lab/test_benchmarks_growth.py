"""The benchmark of growth: fits and paper on made-up numbers, the exam on `base` itself.

Nothing is timed and nothing longer than a step is trained. The figures of growth.json are
not pinned; that its conclusions follow from its measurements is.
"""

import copy
import dataclasses
import json

import pytest
import torch

import tiny_gpt
from benchmarks import growth
from lecture.models import recipes

WAY = "growing"


def run(n, seed=0, reached=True, **values):
    return {"way": WAY, "countries": n, "seed": seed, "reached": reached, "batch": 16,
            "vocabulary": 178, "parameters": 100, "table_parameters": 10, "right": 90,
            "questions": 96, "steps": 100, "tokens": 76_800, "seconds": 2.0,
            "peak_bytes": 10**8, **values}


@pytest.fixture(scope="module")
def base():
    model, _, info = tiny_gpt.get_model("base")
    return model, info


# --- the exam --------------------------------------------------------------------------
def test_sheet_agrees_with_recall_on_the_shipped_weights(base):
    model, info = base
    sheet = growth.Sheet(info["recipe"])
    assert sheet.right(model) == len(sheet.ids) == 96
    assert tiny_gpt.recall(model, info["world"], tiny_gpt.tokenizer(info["world"])) == 96


@pytest.mark.parametrize("slab", [1, 7, 96, 500])
def test_slabs_change_nothing_also_where_answers_are_wrong(base, slab):
    model, info = base
    spoilt = copy.deepcopy(model)
    with torch.no_grad():
        spoilt.blocks[1].attn.out.weight *= 0.1     # some answers go wrong, not all
    world = info["world"]
    want = tiny_gpt.recall(spoilt, world, tiny_gpt.tokenizer(world))
    assert 0 < want < 96
    assert growth.Sheet(info["recipe"]).right(spoilt, slab) == want


def test_asked_every_5_steps_then_every_5_percent():
    step, asked = 0, []
    while step < 2000:
        step = growth.next_question(step)
        asked.append(step)
    assert asked[:3] == [5, 10, 15]
    assert all(b - a <= max(5, 0.05 * a) for a, b in zip(asked, asked[1:], strict=False))


def test_a_training_that_runs_out_of_time_says_so():
    found = growth.learn(growth.recipe(WAY, 24, 0), limit=0.0)
    assert (found["reached"], found["steps"], found["questions"]) == (False, 1, 96)
    assert found["tokens"] == 16 * 48 and found["right"] < 10 and not found["first_step_at"]


# --- recipe and counting -----------------------------------------------------------------
def test_smallest_world_is_bases_own_recipe_with_flat_rates():
    made, base = growth.recipe(WAY, 24, 0), recipes.named("base")
    assert (made.config, made.data) == (base.config, base.data)
    assert dataclasses.replace(made.training, steps=base.training.steps,
                               decay=base.training.decay) == base.training


def test_rows_double_with_four_times_the_countries():
    assert [growth.rows_a_step("growing", n) for n in growth.SIZES] == [16, 32, 64, 128]
    assert {growth.rows_a_step("fixed", n) for n in growth.SIZES} == {16}


def test_parameters_and_operations_are_what_torch_counts():
    made = growth.recipe(WAY, 24, 0, {"training": {"batch": 4}})
    model = tiny_gpt.TinyGPT(made.config)
    every, tables = growth.parameters(made.config)
    assert every == sum(p.numel() for p in model.parameters())
    assert tables == model.wte.weight.numel() + model.wpe.weight.numel()
    assert growth.counted_flops(made) == growth.step_flops(made.config, 4, 48)


def test_paper_model_is_the_real_one_where_there_is_one():
    assert growth.config_of(24) == recipes.named("base").config
    assert growth.config_of(96) == growth.recipe(WAY, 96, 0).config


# --- fits ----------------------------------------------------------------------------------
def test_fit_finds_the_exponent_and_its_spread():
    runs = [run(n, seed, steps=factor * n ** e) for n in growth.SIZES
            for seed, factor, e in ((0, 3, 0.5), (1, 7, 0.75), (2, 2, 1.0))]
    found = growth.fits(runs, "steps")
    assert found["exponent"] == pytest.approx(0.75)
    assert found["spread"] == pytest.approx([0.5, 1.0])
    assert found["medians"][-1] == pytest.approx(7 * 1536 ** 0.75)
    assert found["between"][-1] == pytest.approx(0.75)      # seed 1 is the median of both


def test_fit_leaves_out_what_did_not_get_there():
    runs = [run(n, steps=n) for n in growth.SIZES[:3]]
    runs.append(run(1536, reached=False, steps=10**9))
    found = growth.fits(runs, "steps")
    assert found["exponent"] == pytest.approx(1) and found["sizes"] == [24, 96, 384]
    assert growth.fits(runs[:2], "steps") is None


def test_a_seed_with_a_size_missing_has_no_exponent_of_its_own():
    runs = [run(n, seed, steps=n * (seed + 1)) for n in growth.SIZES for seed in (0, 1)
            if (n, seed) != (1536, 1)]
    assert list(growth.fits(runs, "steps")["seeds"]) == ["0"]


# --- paper -----------------------------------------------------------------------------------
MEMORY = {"bytes_a_country": 65e3, "activations": 30.0, "logits": 3.0, "bytes_before": 2e8}


def test_memory_model_recovers_what_it_was_made_of():
    costs = []
    for n in growth.COST_SIZES:
        for batch in growth.COST_BATCHES:
            config, positions = growth.config_of(n), batch * 48
            row = {"countries": n, "positions": positions, "width": config.width,
                   "logits": positions * config.vocab_size, "bytes_before": 2e8}
            row["peak_bytes"] = 2e8 + 65e3 * n + 4 * (30 * positions * config.width
                                                      + 3 * row["logits"])
            costs.append(row)
    found = growth.memory_model(costs)
    assert {k: found[k] for k in MEMORY} == pytest.approx(MEMORY)
    assert found["worst_bytes"] < 1 and found["share_off_at_largest"] < 1e-9


@pytest.mark.parametrize("whole", [True, False])
def test_where_memory_ends_is_where_the_bytes_meet_it(whole):
    n = growth.where(lambda n: growth.bytes_needed(MEMORY, WAY, n, whole), growth.MEMORY)
    assert growth.bytes_needed(MEMORY, WAY, n, whole) == pytest.approx(growth.MEMORY, rel=1e-3)
    # without whole logits more fits
    assert n > growth.where(lambda n: growth.bytes_needed(MEMORY, WAY, n), growth.MEMORY) / 1.001


def test_bytes_by_hand():
    positions, words = 128 * 48, growth.config_of(1536).vocab_size
    assert words == 34 + 6 * 1536
    slabs = 2e8 + 1536 * 65e3 + 4 * 30 * positions * 64
    assert growth.bytes_needed(MEMORY, WAY, 1536, whole=False) == pytest.approx(slabs)
    assert growth.bytes_needed(MEMORY, WAY, 1536) == pytest.approx(
        slabs + 4 * 3 * positions * words)


def paper(**changed):
    fitted = {key: {"through_medians": {"exponent": e, "factor": f}, "sizes": [24, 100],
                    "medians": [None, f * 100 ** e], "between": [e + 0.25]}
              for key, e, f in (("steps", 0.5, 20.0), ("seconds", 1.0, 0.1))}
    models = {"given back": MEMORY, "kept": MEMORY | {"logits": 6.0}}
    return growth.on_paper(WAY, fitted, models, **{"rate_here": 2e10, "rate_there": 1e14,
                                                   **changed})


def test_paper_by_hand():
    found = paper()
    at, large = found["countries_at"], found["large"]
    by = large["by"]["all sizes"]
    for name, times in (("a day", 1), ("a week", 7)):
        assert at[f"{name}, by the exponent of seconds"] == {
            "all sizes": pytest.approx(times * 864_000),
            "last two sizes": pytest.approx(100 * (times * 8640) ** 0.8)}
    assert by["steps"] == pytest.approx(20_000)
    assert large["rows_a_step"] == pytest.approx(16 * (10**6 / 24) ** 0.5)
    step = growth.step_flops(growth.config_of(10**6), large["rows_a_step"], 48)
    assert by["flops"] == pytest.approx(20_000 * step)
    assert by["seconds_there"] == pytest.approx(20_000 * step / 1e14)
    assert by["seconds_here"]["by steps x operations"] == pytest.approx(20_000 * step / 2e10)
    assert large["by"]["last two sizes"]["steps"] == pytest.approx(200 * 10_000 ** 0.75)
    assert large["bits_asked_a_parameter"] == pytest.approx(
        4e6 * 19.931568569 / large["parameters"])
    for over in growth.OVER:
        assert at["memory, kept"][over] < at["memory, given back"][over] * 0.8
        assert at["memory, given back"][over] < at["memory, logits slab by slab"][over]


def test_a_faster_machine_is_faster_and_holds_no_more():
    slow, here, there = paper(), paper(rate_here=4e10), paper(rate_there=1e15)
    day = "a day, by steps x operations"
    for over in growth.OVER:
        assert here["countries_at"][day][over] > slow["countries_at"][day][over] * 1.1
        assert there["large"]["by"][over]["seconds_there"] == pytest.approx(
            slow["large"]["by"][over]["seconds_there"] / 10)
    whole = "memory, given back"
    assert here["countries_at"][whole] == slow["countries_at"][whole]
    assert there["countries_at"] == slow["countries_at"]        # the paper's, not ours


# --- what is printed ---------------------------------------------------------------------------
def test_table_shows_what_was_not_reached():
    text = growth.growth_table([run(24), run(24, 1, reached=False, right=48, steps=777)])
    assert "1 of 2; seed 1: 50.0% after 777 steps" in text
    assert "| - | - | - |" in growth.growth_table([run(24, reached=False)])


def test_span_picks_its_unit():
    assert [growth.span(s) for s in (3, 90, 7200, 90_000, 3.2e8)] == [
        "3.0 seconds", "1.5 minutes", "2.0 hours", "1.0 days", "10.1 years"]


def test_conclusions_in_the_json_follow_from_its_measurements():
    document = json.loads(growth.RESULT.read_text(encoding="utf-8"))
    again = copy.deepcopy(document)
    growth.concluded(again, document["paper"][WAY]["large"]["rate_there"])
    again = json.loads(json.dumps(again))
    assert close(again["fits"], document["fits"]) and close(again["paper"], document["paper"])
    assert close(again["memory"], document["memory"])
    for row in document["costs"]:
        assert row["flops"] == row["flops_counted"]
    assert "reached" in growth.tables(document)


def close(a, b):
    """Equal, numbers to a millionth: another NumPy may fit the last bits otherwise."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(close, a, b))
    return a == (pytest.approx(b, rel=1e-6) if isinstance(b, float) else b)
