"""How fast does `base` learn its 96 answers, and what did each lever bring?

    python -m benchmarks.base_recipe [--seeds 5] [--ablation-seeds 3] [--only NAME]

Part one, one run on one corpus: our recipe beside two usual ones of the same shape
(2 layers, 2 heads, width 64, context 48, 16 x 48 tokens a step):

    ours     tiny_gpt with the frozen recipe
    gpt2     transformers' GPT2LMHeadModel, AdamW 1e-3, 100 steps of warm-up, rows cut
             from the stream of documents (nanoGPT's way)
    encoder  torch.nn.TransformerEncoder with a causal mask, learned positions and a
             tied output, trained in the same way

Each is asked all 96 questions every 10 steps; the time of asking does not count, nor
does that of importing. Reported: seconds, steps and tokens until 96 of 96 are right,
medians over seeds, and how many seeds got there within the limit. The three take turns,
seed by seed, so that another load on the machine meets all of them.

Part two, the ablation: the recipe with one lever taken back at a time.

Every training runs on one thread. The result goes to benchmarks/base_recipe.json.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import tiny_gpt
from benchmarks import machine
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.recipes import Recipe
from pretrain_world import exam, tokenizer

EVERY, LIMIT, PLAIN_LIMIT = 10, 600, 3000       # steps
PLAIN_LR, PLAIN_WARMUP = 1e-3, 100
RESULT = Path(__file__).with_suffix(".json")

# Each takes one lever of the frozen recipe back; the words are the table's.
LEVERS: dict[str, dict[str, dict[str, Any]]] = {
    "frozen recipe": {},
    "AdamW on everything, 3e-3": {"training": {"optimizer": "adamw", "table_lr": 3e-3,
                                               "warmup": 20}},
    "Muon at half the rate, 0.01": {"training": {"matrix_lr": 0.01}},
    "tables at half the rate, 0.005": {"training": {"table_lr": 0.005}},
    "rows cut from the stream": {"training": {"packing": "stream"}},
    "no decay at the end": {"training": {"decay": 0.0}},
    "every document starts at 0": {"training": {"shift": 0}},
    "first q and k as small as the rest": {"training": {"query_key_std": 0.02}},
    "with biases": {"config": {"bias": True}},
    "RMS norm": {"config": {"norm_kind": "rms"}},
    "QK norm": {"config": {"qk_norm": True}},
    "ReLU": {"config": {"activation": "relu"}},
    "untied output": {"config": {"tied": False}},
    "half as many rows a step": {"training": {"batch": 8}},
}


class Sheet:
    """The 96 questions as one padded batch, asked of any model of logits."""

    def __init__(self, recipe: Recipe):
        world = recipe.data.world()
        tok = tokenizer(world)
        rows = [(tok.encode(prompt), tok.stoi[a]) for prompt, a, _, _ in exam(world)]
        longest = max(len(row) for row, _ in rows)
        self.ids = torch.zeros(len(rows), longest, dtype=torch.long)
        for i, (row, _) in enumerate(rows):
            self.ids[i, :len(row)] = torch.tensor(row)
        self.last = torch.tensor([len(row) - 1 for row, _ in rows])
        self.answers = torch.tensor([a for _, a in rows])

    @torch.no_grad()
    def right(self, logits_of: Callable[[Tensor], Tensor]) -> int:
        at = logits_of(self.ids)[torch.arange(len(self.ids)), self.last]      # [96, V]
        return int((at.argmax(-1) == self.answers).sum())


class Clock:
    """Seconds of training, with the asking taken out."""

    def __init__(self, sheet: Sheet, per_step: int):
        self.sheet, self.per_step = sheet, per_step
        self.away, self.start = 0.0, time.perf_counter()
        self.found: dict[str, Any] | None = None

    def ask(self, step: int, logits_of: Callable[[Tensor], Tensor]) -> bool:
        if step % EVERY:
            return False
        begin = time.perf_counter()
        right = self.sheet.right(logits_of)
        self.away += time.perf_counter() - begin
        if right == len(self.sheet.ids):
            self.found = {"steps": step, "tokens": step * self.per_step,
                          "seconds": time.perf_counter() - self.start - self.away}
        return self.found is not None


def ours(recipe: Recipe, sheet: Sheet) -> dict[str, Any] | None:
    """The recipe until 96 of 96; None if it never gets there."""
    clock = Clock(sheet, recipe.training.batch * recipe.training.length)
    tiny_gpt.train(recipe, watch=lambda step, model: clock.ask(
        step, lambda ids: model(ids)[0]))
    return clock.found


def stream_rows(recipe: Recipe) -> Iterator[tuple[Tensor, Tensor]]:
    plan = dataclasses.replace(recipe.training, packing="stream")
    steps = tiny_gpt.world_steps(dataclasses.replace(recipe, training=plan),
                                 np.random.default_rng(recipe.seed))
    for ids, targets, _, _ in steps:
        yield ids, targets


def plain(model: nn.Module, logits_of: Callable[[Tensor], Tensor],
          recipe: Recipe, sheet: Sheet) -> dict[str, Any] | None:
    """A usual training loop: AdamW with warm-up on rows cut from the stream."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=PLAIN_LR, betas=(0.9, 0.95),
                                  weight_decay=0.1, fused=True)
    warm = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / PLAIN_WARMUP))
    rows = stream_rows(recipe)
    clock = Clock(sheet, recipe.training.batch * recipe.training.length)
    for step in range(1, PLAIN_LIMIT + 1):
        ids, targets = next(rows)
        logits = logits_of(ids)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        warm.step()
        if clock.ask(step, logits_of):
            break
    return clock.found


def gpt2(recipe: Recipe, sheet: Sheet) -> dict[str, Any] | None:
    from transformers import GPT2Config, GPT2LMHeadModel

    cfg = recipe.config
    torch.manual_seed(recipe.seed)
    model = GPT2LMHeadModel(GPT2Config(
        vocab_size=cfg.vocab_size, n_positions=cfg.context, n_embd=cfg.width,
        n_layer=cfg.n_layer, n_head=cfg.n_head, resid_pdrop=0.0, embd_pdrop=0.0,
        attn_pdrop=0.0, bos_token_id=0, eos_token_id=0, use_cache=False))
    return plain(model, lambda ids: model(ids).logits, recipe, sheet)


class Encoder(nn.Module):
    """torch's own Transformer layers with a causal mask: the library's plain way."""

    def __init__(self, recipe: Recipe):
        super().__init__()
        cfg = recipe.config
        self.words = nn.Embedding(cfg.vocab_size, cfg.width)
        self.places = nn.Embedding(cfg.context, cfg.width)
        for table in (self.words, self.places):
            nn.init.normal_(table.weight, std=0.02)
        layer = nn.TransformerEncoderLayer(cfg.width, cfg.n_head, 4 * cfg.width, 0.0,
                                           "gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, cfg.n_layer, nn.LayerNorm(cfg.width),
                                            enable_nested_tensor=False)

    def forward(self, ids: Tensor) -> Tensor:
        length = ids.shape[1]
        x = self.words(ids) + self.places.weight[:length]                # [B, T, d]
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        return self.layers(x, mask=mask, is_causal=True) @ self.words.weight.T


def encoder(recipe: Recipe, sheet: Sheet) -> dict[str, Any] | None:
    torch.manual_seed(recipe.seed)
    model = Encoder(recipe)
    return plain(model, model, recipe, sheet)


def changed(recipe: Recipe, lever: dict[str, dict[str, Any]]) -> Recipe:
    """The recipe with a lever taken back and time enough to show it."""
    training = {"steps": LIMIT, **lever.get("training", {})}
    return dataclasses.replace(
        recipe, training=dataclasses.replace(recipe.training, **training),
        config=dataclasses.replace(recipe.config, **lever.get("config", {})))


def medians(runs: list[dict[str, Any] | None]) -> dict[str, Any]:
    """Medians of the runs that got there, and how many of how many did."""
    done = [r for r in runs if r is not None]
    found: dict[str, Any] = {"reached": len(done), "seeds": len(runs)}
    for key in ("seconds", "steps", "tokens"):
        found[key] = statistics.median(r[key] for r in done) if done else None
        found[f"all_{key}"] = [None if r is None else round(r[key], 3) for r in runs]
    return found


def row(name: str, m: dict[str, Any], first: float) -> str:
    if m["seconds"] is None:
        return f"| {name} | - | - | - | - | 0 of {m['seeds']} |"
    return (f"| {name} | {m['seconds']:.1f} | {m['seconds'] / first:.1f} | "
            f"{m['steps']:.0f} | {m['tokens']:,.0f} | {m['reached']} of {m['seeds']} |")


HEADER = ("| | seconds | times ours | steps | tokens | reached |\n"
          "|---|---:|---:|---:|---:|---:|")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--ablation-seeds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    base = recipes.named("base")
    sheet = Sheet(base)
    importlib.import_module("torch._dynamo")    # torch.optim would, inside a clock
    racers = {"ours": ours, "gpt2": gpt2, "encoder": encoder}
    runs: dict[str, list[Any]] = {name: [] for name in racers}
    for seed in range(options.seeds):
        for name, race in racers.items():
            runs[name].append(race(recipes.with_seed(base, seed), sheet))
    race_table = {name: medians(r) for name, r in runs.items()}
    first = race_table["ours"]["seconds"]
    print(HEADER)
    for name, m in race_table.items():
        print(row(name, m, first), flush=True)

    lever_runs: dict[str, list[Any]] = {name: [] for name in LEVERS}
    for seed in range(options.ablation_seeds):
        for name, lever in LEVERS.items():
            lever_runs[name].append(ours(recipes.with_seed(changed(base, lever), seed),
                                         sheet))
    lever_table = {name: medians(r) for name, r in lever_runs.items()}
    first = lever_table["frozen recipe"]["seconds"]
    if lever_table:
        print("\n" + HEADER)
    for name, m in lever_table.items():
        print(row(name, m, first), flush=True)

    import transformers
    versions = {**model_cache.versions(), "transformers": transformers.__version__}
    RESULT.write_text(json.dumps({
        "fingerprint": recipes.fingerprint(base), "versions": versions,
        "machine": machine.described(threads=1),
        "asked_every": EVERY, "limit": {"ours": LIMIT, "plain": PLAIN_LIMIT},
        "race": race_table, "ablation": lever_table}, indent=1, allow_nan=False) + "\n",
        encoding="utf-8")


if __name__ == "__main__":
    main()
