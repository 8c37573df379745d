"""What does a larger world cost?  Steps, tokens, seconds, parameters until it is known.

    python -m benchmarks.growth [--sizes 24 96] [--seeds 0 1 2] [--ways growing] [--fresh]

`base` learns 24 countries. Here its recipe learns 24, 96, 384 and 1,536 until at least
99 % of ALL the world's questions are right, 4 a country, asked in the first phrasing.
Two ways:

    growing   the batch grows with the root of the world: 16, 32, 64, 128 rows a step
    fixed     16 rows a step for every world, as `base` has

Both keep the rates flat (base is done before its rates begin to fall; how long a large
world takes is not known before). Vocabulary and token table follow from the world; width,
layers, context and the 24 registers stay. Each training is a process of its own on one
thread: CPU seconds without the asking, and the peak of its memory. It gives up after
LIMIT CPU seconds and is then shown as not reached.

Then exponents (slope of the logarithms, one fit a seed), and on paper, from the measured
figures alone: the world that fills a memory, those that take a day and a week, and what a
million countries would ask of a larger machine.

The JSON beside this file is written after every training; what stands there is not
measured again unless --fresh is given. Left out: more threads, shorter numbers, a wider
model for more facts (TRIES has one; it did not pay here).
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bpe import peak
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.recipes import GPTConfig, Recipe
from pretrain_world import ATTRIBUTES, RELATIONS, exam, make_world, tokenizer

SIZES, SEEDS, WAYS = (24, 96, 384, 1536), (0, 1, 2), ("growing", "fixed")
HOPELESS = ("fixed", 1536)                      # runs into LIMIT: from one seed only
SHARE = 0.99                                    # of all questions, that counts as known
MARKS = (0.5, 0.9, SHARE)                       # shares whose first step is noted
LIMIT, TRY_LIMIT = 400.0, 80.0                  # CPU seconds of one training
SLAB = 512                                      # questions asked at a time
COST_SIZES, COST_BATCHES, COST_STEPS = (24, 384, 1536), (16, 64, 128), 8
OVER = ("all sizes", "last two sizes")          # what a line into the distance starts from
LARGE = 1_000_000                               # countries, on paper
MEMORY = 24 * 2**30                             # of the machine the issue names
RESULT = Path(__file__).with_suffix(".json")
Found = dict[str, Any]

# glibc gives a block of 32 MB or more back to the system as soon as it is freed, and gets
# it again, zeroed page by page, at the next step; logits are such blocks. These settings
# make it keep them. Other systems ignore them. The table "one step" has both.
KEPT = {"MALLOC_MMAP_THRESHOLD_": str(2**33), "MALLOC_TRIM_THRESHOLD_": str(2**34),
        "MALLOC_TOP_PAD_": str(2**27)}

# One thing changed at a time, seed 0; the words are the table's.
TRIES: dict[str, tuple[int, str, dict[str, dict[str, Any]]]] = {
    "16 rows, rates halved": (384, "fixed", {"training": {"matrix_lr": .01, "table_lr": .005}}),
    "16 rows, matrices' rate halved": (384, "fixed", {"training": {"matrix_lr": .01}}),
    "16 rows, tables' rate halved": (384, "fixed", {"training": {"table_lr": .005}}),
    "16 rows, width 128": (384, "fixed", {"config": {"width": 128}}),
    "16 rows, falling to 0 from step 400 to 800": (
        384, "fixed", {"training": {"steps": 800, "decay": .5}}),
    "32 rows": (384, "fixed", {"training": {"batch": 32}}),
    "64 rows, width 128": (384, "growing", {"config": {"width": 128}}),
    "64 rows, rates doubled": (384, "growing",
                               {"training": {"matrix_lr": .04, "table_lr": .02}}),
}


# --- the recipe and the exam --------------------------------------------------------
def rows_a_step(way: str, countries: float) -> float:
    """16 for `base`'s world; times 2 for every 4 times as many countries when growing."""
    return 16 * math.sqrt(countries / SIZES[0]) if way == "growing" else 16


def recipe(way: str, countries: int, seed: int,
           changed: dict[str, dict[str, Any]] | None = None) -> Recipe:
    """`base` for a larger world; `changed` replaces fields of training and config."""
    base, changed = recipes.named("base"), changed or {}
    data = dataclasses.replace(base.data, countries=countries)
    training = {"steps": 10**6, "decay": 0.0, "batch": round(rows_a_step(way, countries)),
                **changed.get("training", {})}
    config = {"vocab_size": len(tokenizer(data.world())), **changed.get("config", {})}
    return dataclasses.replace(
        base, name="growth", data=data, seed=seed,
        training=dataclasses.replace(base.training, **training),
        config=dataclasses.replace(base.config, **config))


class Sheet:
    """All questions of a world, asked in slabs.

    The output map reads the last word of each question and no other: for 1,536 countries
    the logits of every position would be 3.4 GB.
    """

    def __init__(self, made: Recipe):
        import torch

        world = made.data.world()
        tok = tokenizer(world)
        rows = [(tok.encode(prompt), tok.stoi[a]) for prompt, a, _, _ in exam(world)]
        self.ids = torch.zeros(len(rows), max(len(r) for r, _ in rows), dtype=torch.long)
        for i, (row, _) in enumerate(rows):     # padded on the right: no query looks
            self.ids[i, :len(row)] = torch.tensor(row)
        self.last = torch.tensor([len(row) - 1 for row, _ in rows])
        self.answers = torch.tensor([a for _, a in rows])

    def right(self, model: Any, slab: int = SLAB) -> int:
        import torch

        found = 0
        with torch.no_grad():
            for part in range(0, len(self.ids), slab):
                ids, last, answers = (x[part:part + slab]
                                      for x in (self.ids, self.last, self.answers))

                def only(_: Any, given: tuple[Any, ...], last: Any = last) -> tuple[Any, ...]:
                    return (given[0][torch.arange(len(last)), last],)         # [n, d]

                hook = model.lm_head.register_forward_pre_hook(only)
                said = model(ids)[0].argmax(-1)                               # [n]
                hook.remove()
                found += int((said == answers).sum())
        return found


def next_question(step: int) -> int:
    """Asked every 5 steps, later every 5 % of the steps: one accuracy for all sizes."""
    return step + max(5, step // 20)


def parameters(config: GPTConfig) -> tuple[int, int]:
    """(all, those in the tables of tokens and positions)."""
    sizes = {name: math.prod(shape) for name, shape in config.tensor_shapes().items()}
    return sum(sizes.values()), sum(n for name, n in sizes.items() if name.startswith("w"))


def learn(made: Recipe, limit: float = LIMIT) -> Found:
    """Train until the world is known, or until `limit` CPU seconds have gone."""
    import tiny_gpt

    sheet, plan = Sheet(made), made.training
    questions = len(sheet.ids)
    floor = peak(reset=True)
    marks: dict[str, int] = {}                  # share -> first step that has it
    away, due, right, now, last = 0.0, next_question(0), 0, 0.0, 0
    start = time.process_time()

    def watch(step: int, model: Any) -> bool:
        nonlocal away, due, right, now, last
        now = time.process_time() - start - away
        if step < due and now < limit and step < plan.steps:
            return False
        begin, due = time.process_time(), next_question(step)
        right = sheet.right(model)
        away += time.process_time() - begin
        for share in MARKS:
            if right >= share * questions:
                marks.setdefault(str(share), step)
        last = step
        return str(SHARE) in marks or now >= limit

    tiny_gpt.train(made, watch=watch)
    every, tables = parameters(made.config)
    return {"reached": str(SHARE) in marks, "steps": last,
            "tokens": last * plan.batch * plan.length, "seconds": round(now, 2),
            "right": right, "questions": questions, "first_step_at": marks,
            "batch": plan.batch, "width": made.config.width, "parameters": every,
            "table_parameters": tables, "vocabulary": made.config.vocab_size,
            "peak_bytes": peak(), "bytes_before": floor}


# --- what one step costs ------------------------------------------------------------
def step_flops(config: GPTConfig, batch: float, length: int) -> float:
    """Floating-point operations of one step by formula, two a multiply-add.

    Backward is twice forward: each product is met again for its input and its weight.
    Muon's five rounds come on top; the sums and exponentials of the rest are left out.
    """
    shapes = config.tensor_shapes()
    blocks = {n: s for n, s in shapes.items() if n.startswith("blocks") and len(s) == 2}
    linear = sum(math.prod(s) for s in blocks.values()) + config.vocab_size * config.width
    looks = 2 * config.n_layer * config.q_width * length          # scores, then mixing
    units: dict[str, tuple[int, int]] = {}
    for name, (out, into) in blocks.items():                      # q and k are one unit
        unit = name.replace("attn.k", "attn.q")
        units[unit] = (units.get(unit, (0, 0))[0] + out, into)
    muon = sum(5 * (2 * min(s) ** 2 * max(s) + min(s) ** 3) for s in units.values())
    return 2 * (3 * batch * length * (linear + looks) + muon)


def counted_flops(made: Recipe) -> int:
    """The same as torch's own counter sees it in a real step."""
    from torch.utils.flop_counter import FlopCounterMode

    import tiny_gpt

    one = dataclasses.replace(made, training=dataclasses.replace(made.training, steps=1))
    with FlopCounterMode(display=False) as counter:
        tiny_gpt.train(one)
    return int(counter.get_total_flops())


def cost(countries: int, batch: int, kept: bool) -> Found:
    """Time and memory of a few steps at one size and batch."""
    import tiny_gpt

    made = recipe("fixed", countries, 0, {"training": {"batch": batch, "steps": COST_STEPS}})
    times: list[float] = []

    def watch(step: int, model: Any) -> bool:
        times.append(time.process_time())
        return False

    tiny_gpt.train(recipe("fixed", SIZES[0], 0, {"training": {"steps": 2}}))    # warm up
    floor = peak(reset=True)
    tiny_gpt.train(made, watch=watch)
    high, length = peak(), made.training.length
    steps = [b - a for a, b in zip(times, times[1:], strict=False)][1:]
    return {"countries": countries, "batch": batch, "kept": kept,
            "seconds": round(statistics.median(steps), 4), "peak_bytes": high,
            "bytes_before": floor, "parameters": parameters(made.config)[0],
            "positions": batch * length, "width": made.config.width,
            "logits": batch * length * made.config.vocab_size,
            "flops": step_flops(made.config, batch, length),
            "flops_counted": counted_flops(made)}


# --- fits and paper: numbers in, numbers out -----------------------------------------
def exponent(sizes: list[float], values: list[float]) -> tuple[float, float]:
    """(e, c) of values ~ c sizes^e: a line through the logarithms."""
    e, log_c = np.polyfit(np.log(sizes), np.log(values), 1)
    return float(e), float(np.exp(log_c))


def fits(runs: list[Found], key: str) -> Found | None:
    """The exponent of `key` in the number of countries.

    One fit a seed over the sizes it reached, three at least; their median and spread, the
    line through the medians (for the paper), and the slope from each size to the next.
    """
    done = [r for r in runs if r["reached"]]
    sizes = sorted({r["countries"] for r in done})
    if len(sizes) < 3:
        return None
    seeds = {}
    for seed in sorted({r["seed"] for r in done}):
        own = sorted((r["countries"], r[key]) for r in done if r["seed"] == seed)
        if len(own) >= 3 and [n for n, _ in own] == sizes:
            seeds[str(seed)] = exponent(*map(list, zip(*own, strict=True)))[0]
    middle = [statistics.median(r[key] for r in done if r["countries"] == n) for n in sizes]
    e, c = exponent(sizes, middle)
    return {"sizes": sizes, "medians": middle, "seeds": seeds,
            "exponent": statistics.median(seeds.values()) if seeds else e,
            "spread": [min(seeds.values()), max(seeds.values())] if seeds else None,
            "through_medians": {"exponent": e, "factor": c},
            "between": [exponent(sizes[i:i + 2], middle[i:i + 2])[0]
                        for i in range(len(sizes) - 1)]}


def memory_model(costs: list[Found]) -> Found:
    """Peak above the start: bytes a country, and copies of activations and of logits.

    A country brings parameters (with gradient, Adam's two averages and what Adam writes in
    between: 9 kB), its documents (12 kB), and what the allocator leaves unused around them.
    Plain least squares: the large peaks decide, and it is they that are drawn on.
    """
    parts = np.array([[r["countries"], 4 * r["positions"] * r["width"], 4 * r["logits"]]
                      for r in costs], float)                                 # [n, 3]
    above = np.array([r["peak_bytes"] - r["bytes_before"] for r in costs], float)
    scale = parts.max(axis=0)
    copies = np.linalg.lstsq(parts / scale, above, rcond=None)[0] / scale
    off = np.abs(parts @ copies - above)
    return {"bytes_a_country": float(copies[0]), "activations": float(copies[1]),
            "logits": float(copies[2]), "worst_bytes": float(off.max()),
            "share_off_at_largest": float(off[above.argmax()] / above.max()),
            "bytes_before": float(statistics.median(r["bytes_before"] for r in costs))}


@cache
def plain_words() -> int:
    """Words of the vocabulary that no country brings along."""
    return len(tokenizer(make_world(SIZES[0]))) - (1 + len(ATTRIBUTES)) * SIZES[0]


def config_of(countries: float) -> GPTConfig:
    """The model of a world of any size; beyond the names there are, on paper only."""
    return dataclasses.replace(recipes.named("base").config, vocab_size=round(
        plain_words() + (1 + len(ATTRIBUTES)) * countries))


def bytes_needed(model: Found, way: str, countries: float, whole: bool = True) -> float:
    """Peak of a training; `whole=False`: logits made and used up slab by slab instead."""
    config, length = config_of(countries), recipes.named("base").training.length
    positions = rows_a_step(way, countries) * length
    logits = positions * config.vocab_size * model["logits"] if whole else 0.0
    return model["bytes_before"] + countries * model["bytes_a_country"] + 4 * (
        positions * config.width * model["activations"] + logits)


def where(amount: Callable[[float], float], target: float) -> float:
    """The number of countries at which a growing amount meets the target, by halving."""
    low, high = 1.0, 1e12
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if amount(middle) < target else (low, middle)
    return low


def line(fit: Found, over: str, n: float) -> float:
    """A fitted quantity at n countries, over all sizes or from the last two of them on."""
    if over == "all sizes":
        through = fit["through_medians"]
        return float(through["factor"] * n ** through["exponent"])
    return float(fit["medians"][-1] * (n / fit["sizes"][-1]) ** fit["between"][-1])


def on_paper(way: str, fitted: dict[str, Found], models: dict[str, Found], rate_here: float,
             rate_there: float, large: float = LARGE) -> Found:
    """Where memory and time end here, and one large world elsewhere.

    Seconds by their own exponent, and as fitted steps times the operations of a step at
    the rate measured here: the second knows that the logits' share of a step grows. Each
    from the line through all sizes and from the slope between the last two: the logarithms
    bend upwards, so the first is the hopeful end.
    """
    length = recipes.named("base").training.length

    def work(over: str, n: float) -> float:
        return line(fitted["steps"], over, n) * step_flops(
            config_of(n), rows_a_step(way, n), length)

    seconds: dict[str, Callable[[str, float], float]] = {
        "by the exponent of seconds": partial(line, fitted["seconds"]),
        "by steps x operations": lambda over, n: work(over, n) / rate_here}
    memory = {f"memory, {name}": where(partial(bytes_needed, m, way), MEMORY)
              for name, m in models.items()}
    memory["memory, logits slab by slab"] = where(
        partial(bytes_needed, models["given back"], way, whole=False), MEMORY)
    ends = {name: dict.fromkeys(OVER, at) for name, at in memory.items()}
    for how, of in seconds.items():
        for name, target in (("a day", 86_400.0), ("a week", 7 * 86_400.0)):
            ends[f"{name}, {how}"] = {
                over: where(partial(of, over), target) for over in OVER}
    config, rows = config_of(large), rows_a_step(way, large)
    every, tables = parameters(config)
    by = {over: {
        "steps": line(fitted["steps"], over, large),
        "tokens": line(fitted["steps"], over, large) * rows * length,
        "flops": work(over, large), "seconds_there": work(over, large) / rate_there,
        "seconds_here": {how: of(over, large) for how, of in seconds.items()}} for over in OVER}
    return {
        "way": way, "memory_bytes": MEMORY, "rate_here": rate_here, "countries_at": ends,
        "seconds_when_memory_ends": {how: {
            over: of(over, memory["memory, given back"]) for over in OVER}
            for how, of in seconds.items()},
        "large": {
            "countries": large, "vocabulary": config.vocab_size, "parameters": every,
            "table_parameters": tables, "rows_a_step": rows,
            "bits_asked_a_parameter": bits(large) / every, "rate_there": rate_there,
            "bytes": {name: bytes_needed(m, way, large) for name, m in models.items()},
            "bytes_logits_slab_by_slab": bytes_needed(models["given back"], way, large, False),
            "by": by}}


def bits(countries: float) -> float:
    """What the exam asks to be remembered: which of all words of its kind, each time."""
    return len(RELATIONS) * countries * math.log2(countries)


# --- tables from the document, and nothing else ---------------------------------------
def middle(runs: list[Found], key: str, shown: str) -> str:
    """Median, and least to most where the seeds differ; a dash where none got there."""
    values = [r[key] for r in runs if r["reached"]]
    if not values:
        return "-"
    least, most = min(values), max(values)
    spread = f" ({least:{shown}} to {most:{shown}})" if most > least else ""
    return f"{statistics.median(values):{shown}}{spread}"


def growth_table(runs: list[Found]) -> str:
    lines = ["| countries | rows a step | vocabulary | parameters | in tables | steps | tokens "
             "| tokens a country | CPU seconds | peak MB | reached |",
             "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for n in sorted({r["countries"] for r in runs}):
        own = [r for r in runs if r["countries"] == n]
        done = sum(r["reached"] for r in own)
        r = own[0]
        lost = "".join(f"; seed {r['seed']}: {r['right'] / r['questions']:.1%} after "
                       f"{r['steps']:,} steps, {r['seconds']:.0f} s"
                       for r in own if not r["reached"])
        high = statistics.median(r["peak_bytes"] for r in own) / 1e6
        tokens = [r["tokens"] for r in own if r["reached"]]
        a_country = f"{statistics.median(tokens) / n:,.0f}" if tokens else "-"
        lines.append(
            f"| {n:,} | {r['batch']} | {r['vocabulary']:,} | {r['parameters']:,} "
            f"| {r['table_parameters'] / r['parameters']:.0%} | {middle(own, 'steps', ',.0f')} "
            f"| {middle(own, 'tokens', ',.0f')} | {a_country} | {middle(own, 'seconds', ',.1f')} "
            f"| {high:,.0f} | {done} of {len(own)}{lost} |")
    return "\n".join(lines)


def fit_table(fitted: dict[str, dict[str, Found | None]]) -> str:
    lines = ["| way | quantity | exponent | spread over seeds | sizes "
             "| from one size to the next |", "|---|---|---:|---:|---|---|"]
    for way, keys in fitted.items():
        for key, f in keys.items():
            if f is None:
                lines.append(f"| {way} | {key} | - | - | fewer than three reached | - |")
                continue
            spread = "{:.2f} to {:.2f}".format(*f["spread"]) if f["spread"] else "-"
            lines.append(f"| {way} | {key} | {f['exponent']:.2f} | {spread} "
                         f"| {f['sizes'][0]:,} to {f['sizes'][-1]:,} "
                         f"| {', '.join(f'{b:.2f}' for b in f['between'])} |")
    return "\n".join(lines)


def try_table(tries: dict[str, Found], runs: list[Found]) -> str:
    """What was tried, below the two ways themselves from the same seed and size."""
    lines = ["| countries | changed | steps | tokens | CPU seconds | right at the end |",
             "|---:|---|---:|---:|---:|---:|"]
    rows = [(f"{r['batch']} rows ({r['way']})", r) for r in runs
            if r["seed"] == 0 and r["countries"] in {t["countries"] for t in tries.values()}]
    for name, r in [*rows, *tries.items()]:
        steps = f"{r['steps']:,}" if r["reached"] else f"not in {r['steps']:,}"
        lines.append(f"| {r['countries']:,} | {name} | {steps} | {r['tokens']:,} "
                     f"| {r['seconds']:.1f} | {r['right'] / r['questions']:.1%} |")
    return "\n".join(lines)


def cost_table(costs: list[Found]) -> str:
    lines = ["| countries | rows a step | GFLOP | logits MB | ms, memory given back "
             "| ms, kept | GFLOP/s, kept | MB above start, given back | kept |",
             "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    at = {(r["countries"], r["batch"], r["kept"]): r for r in costs}
    for n, batch in dict.fromkeys((r["countries"], r["batch"]) for r in costs):
        back, kept = at.get((n, batch, False)), at.get((n, batch, True))
        if back and kept:
            high = [(r["peak_bytes"] - r["bytes_before"]) / 1e6 for r in (back, kept)]
            lines.append(
                f"| {n:,} | {batch} | {kept['flops'] / 1e9:.2f} | {kept['logits'] * 4e-6:,.0f} "
                f"| {back['seconds'] * 1000:,.0f} | {kept['seconds'] * 1000:,.0f} "
                f"| {kept['flops'] / kept['seconds'] / 1e9:.1f} "
                f"| {high[0]:,.0f} | {high[1]:,.0f} |")
    return "\n".join(lines)


def span(seconds: float) -> str:
    """Seconds in the unit a reader thinks in."""
    for name, size in (("years", 365 * 86_400), ("days", 86_400), ("hours", 3600),
                       ("minutes", 60)):
        if seconds >= size:
            return f"{seconds / size:,.1f} {name}"
    return f"{seconds:,.1f} seconds"


def paper_table(paper: Found) -> str:
    ends, big = paper["countries_at"], paper["large"]

    def rows(entries: dict[str, list[str]]) -> list[str]:
        return [f"| {name} | {' | '.join(values)} |" for name, values in entries.items()]

    def each(shown: Callable[[Found], str]) -> list[str]:
        return [shown(big["by"][over]) for over in OVER]

    head = [f"from {over}" for over in OVER]
    lines = [f"| on paper, one core at {paper['rate_here'] / 1e9:.1f} GFLOP/s, "
             f"{paper['memory_bytes'] / 2**30:.0f} GiB: countries | {' | '.join(head)} |",
             "|---|---:|---:|",
             *rows({name: [f"{at[over]:,.0f}" for over in OVER] for name, at in ends.items()}),
             *rows({f"when memory (given back) ends, {how}": [span(s[over]) for over in OVER]
                    for how, s in paper["seconds_when_memory_ends"].items()}),
             "", f"| on paper, {big['countries']:,} countries | {' | '.join(head)} |",
             "|---|---:|---:|"]
    same: dict[str, str] = {
        "vocabulary": f"{big['vocabulary']:,}", "parameters": f"{big['parameters']:,}",
        "of them in tables": f"{big['table_parameters'] / big['parameters']:.2%}",
        "bits asked for, a parameter": f"{big['bits_asked_a_parameter']:.2f}",
        "rows a step": f"{big['rows_a_step']:,.0f}",
        **{f"memory, {name}": f"{n / 2**30:,.0f} GiB" for name, n in big["bytes"].items()},
        "memory, logits slab by slab": f"{big['bytes_logits_slab_by_slab'] / 2**30:,.1f} GiB"}
    lines += rows({name: [value] * len(OVER) for name, value in same.items()})
    lines += rows({
        "steps": each(lambda x: f"{x['steps']:,.0f}"),
        "tokens": each(lambda x: f"{x['tokens']:.2e}"),
        "operations (FLOP)": each(lambda x: f"{x['flops']:.2e}"),
        **{f"one such core, {how}": [span(big["by"][over]["seconds_here"][how]) for over in OVER]
           for how in big["by"][OVER[0]]["seconds_here"]},
        f"an accelerator sustaining {big['rate_there']:.0e} FLOP/s": each(
            lambda x: span(x["seconds_there"]))})
    return "\n".join(lines)


def tables(document: Found) -> str:
    """Everything that is printed."""
    runs = document["runs"]
    found = []
    for way in WAYS:
        own = [r for r in runs if r["way"] == way]
        if own:
            found += [f"### {way}", growth_table(own)]
    found += ["### exponents", fit_table(document["fits"])]
    if document["tries"]:
        found += ["### tried", try_table(document["tries"], runs)]
    if document["costs"]:
        found += ["### one step", cost_table(document["costs"])]
    for kept, m in document["memory"].items():
        found.append(
            f"Memory above the {m['bytes_before'] / 1e6:.0f} MB before training, freed blocks "
            f"{kept}: {m['bytes_a_country'] / 1000:.0f} kB a country, {m['activations']:.0f} "
            f"numbers a position and unit of width, {m['logits']:.1f} copies of the logits (off "
            f"by at most {m['worst_bytes'] / 1e6:.0f} MB, at the largest peak by "
            f"{m['share_off_at_largest']:.0%}).")
    found += [paper_table(p) for p in document["paper"].values()]
    return "\n\n".join(found)


# --- running it -----------------------------------------------------------------------
def concluded(document: Found, rate_there: float) -> None:
    """Fits and paper from whatever has been measured so far."""
    runs, costs = document["runs"], document["costs"]
    document["fits"] = {way: {key: fits([r for r in runs if r["way"] == way], key)
                              for key in ("steps", "tokens", "seconds", "parameters")}
                        for way in WAYS if any(r["way"] == way for r in runs)}
    document["memory"] = {name: memory_model(own) for name, own in (
        ("given back", [r for r in costs if not r["kept"]]),
        ("kept", [r for r in costs if r["kept"]])) if len(own) > 3}
    document["paper"] = {}
    fitted = document["fits"].get("growing", {})
    if document["memory"].get("given back") and all(fitted.values()) and fitted:
        done = [r for r in runs if r["reached"] and r["way"] == "growing"]
        largest = [r for r in done if r["countries"] == max(r["countries"] for r in done)]
        length = recipes.named("base").training.length
        rate = statistics.median(
            r["steps"] * step_flops(config_of(r["countries"]), r["batch"], length)
            / r["seconds"] for r in largest)
        document["paper"]["growing"] = on_paper(
            "growing", fitted, document["memory"], rate, rate_there)


def child(job: Found, kept: bool = True) -> Found:
    """A job in a process of its own, on one thread."""
    single = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    done = subprocess.run([sys.executable, "-m", "benchmarks.growth", "--job", json.dumps(job)],
                          env=os.environ | single | (KEPT if kept else {}), text=True,
                          check=True, stdout=subprocess.PIPE,
                          cwd=Path(__file__).resolve().parent.parent)
    found: Found = json.loads(done.stdout)
    return found


def one(job: Found) -> Found:
    """What a child does: learn a world, or measure a step."""
    import torch

    torch.set_num_threads(1)
    if "cost" in job:
        found = cost(**job["cost"])
    else:
        way, countries, seed = job["learn"]
        found = learn(recipe(way, countries, seed, job.get("changed")), job["limit"])
    return found | {"torch": torch.__version__}


def empty() -> Found:
    return {"schema": 1, "base": recipes.fingerprint(recipes.named("base")), "threads": 1,
            "share": SHARE, "limit_cpu_seconds": LIMIT, "runs": [], "tries": {}, "costs": [],
            "fits": {}, "memory": {}, "paper": {}}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--seeds", type=int, nargs="*", default=list(SEEDS))
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=list(WAYS))
    parser.add_argument("--tries", nargs="*", default=list(TRIES), help="names of TRIES")
    parser.add_argument("--no-costs", action="store_true", help="leave the single steps out")
    parser.add_argument("--limit", type=float, default=LIMIT, help="CPU seconds a training")
    parser.add_argument("--rate", type=float, default=1e14,
                        help="FLOP/s an accelerator sustains, for the paper")
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.job:
        print(json.dumps(one(json.loads(asked.job))))
        return
    known = RESULT.exists() and not asked.fresh
    document = json.loads(RESULT.read_text(encoding="utf-8")) if known else empty()
    if document["base"] != recipes.fingerprint(recipes.named("base")):
        raise SystemExit("growth.json is of another `base`: measure again with --fresh")

    def keep(found: Found | None = None) -> None:
        if found is not None:
            versions = model_cache.versions() | {"torch": found.pop("torch")}
            document.update(
                versions=versions, date=datetime.date.today().isoformat(),
                machine=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores")
        document["runs"].sort(key=lambda r: (WAYS.index(r["way"]), r["countries"], r["seed"]))
        concluded(document, asked.rate)
        RESULT.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n",
                          encoding="utf-8")

    there = {(r["way"], r["countries"], r["seed"]) for r in document["runs"]}
    for n in asked.sizes:
        for seed in asked.seeds:
            for way in asked.ways:
                hopeless = (way, n) == HOPELESS and seed != asked.seeds[0]
                if hopeless or (way, n, seed) in there:
                    continue
                found = child({"learn": [way, n, seed], "limit": asked.limit})
                document["runs"].append({"way": way, "countries": n, "seed": seed,
                                         "limit": asked.limit, **found})
                document["runs"][-1].pop("torch")
                keep(found)
                print(f"{way}, {n:,} countries, seed {seed}: {found['steps']:,} steps, "
                      f"{found['seconds']:.1f} s, {found['right']:,} of "
                      f"{found['questions']:,}", file=sys.stderr, flush=True)
    for name in asked.tries:
        if name not in document["tries"]:
            n, way, changed = TRIES[name]
            found = child({"learn": [way, n, 0], "changed": changed, "limit": TRY_LIMIT})
            document["tries"][name] = {"countries": n, "limit": TRY_LIMIT, **found}
            document["tries"][name].pop("torch")
            keep(found)
    measured = {(r["countries"], r["batch"], r["kept"]) for r in document["costs"]}
    for n in () if asked.no_costs else COST_SIZES:
        for batch in COST_BATCHES:
            for kept in (False, True):
                if (n, batch, kept) not in measured:
                    found = child({"cost": {"countries": n, "batch": batch, "kept": kept}}, kept)
                    document["costs"].append({k: v for k, v in found.items() if k != "torch"})
                    keep(found)
    keep()
    print(tables(document))


if __name__ == "__main__":
    main()
