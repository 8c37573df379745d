"""Trains demo 09's twelve blocks in every arrangement: demos/records/depth_seeds.json.

    python benchmarks/record_depth.py [--ship]

Six arrangements (norm at the door, at the end, nowhere; with and without residual), at
depth 12 and at depth 1, from five seeds. What is kept: the share of right words on the
demo's own sheet, the last loss, the gradient at the start (torch: on the lowest block's
value map, and on the highest's), and what skipping each block costs a deep one. --ship
also trains seed 0 of the shipped model into demos/weights. Trained weights go to the
cache, so a second run only measures. About 7 minutes on one thread.
"""

from __future__ import annotations

import datetime
import sys
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import tiny_gpt  # noqa: E402
from demos import d09_depth as demo  # noqa: E402
from lecture import model_cache, recipes, records  # noqa: E402
from lecture.gpt_np import GPT  # noqa: E402
from lecture.recipes import Recipe  # noqa: E402

SEEDS = 5


def first_gradients(recipe: Recipe) -> dict[str, float]:
    """Before training, on one batch: the gradient's length, lowest and highest block."""
    model = tiny_gpt.TinyGPT(recipe.config, recipe.seed).double()
    ids, due, told = demo.sheet(recipe.seed)
    targets = torch.from_numpy(np.where(due, told, -1))
    model(torch.from_numpy(ids), targets)[1].backward()
    return {name: float(model.blocks[at].attn.v.weight.grad.norm())
            for name, at in (("lowest", 0), ("highest", -1))}


def measured(recipe: Recipe) -> dict[str, object]:
    weights = model_cache.load(recipe)
    net, layers = GPT(recipe.config, weights), recipe.config.n_layer
    entry: dict[str, object] = {
        "seed": recipe.seed, "right": demo.right(net, 0),
        "loss": weights.history[-1]["loss"], "gradient": first_gradients(recipe)}
    if layers > 1:
        entry["skips"] = demo.skip_each(net, 0)
    return entry


def main() -> None:
    """Train what is missing, measure, write; whole or not at all."""
    deep = recipes.named("deep")
    if "--ship" in sys.argv:
        model_cache.ship(deep)
    models: dict[str, list[dict[str, object]]] = {}
    prints: dict[str, str] = {}
    for layers in (demo.SHALLOW, deep.config.n_layer):
        for name in demo.VARIANTS:
            key = f"{name}_{layers}"
            prints[key] = recipes.fingerprint(demo.variant(name, layers))
            models[key] = [measured(demo.variant(name, layers, s)) for s in range(SEEDS)]
            print(key, [round(float(m["right"]), 3) for m in models[key]],  # type: ignore[arg-type]
                  file=sys.stderr, flush=True)
    records.write("depth_seeds", {
        "recipes": prints, "date": datetime.date.today().isoformat(),
        "versions": model_cache.versions() | {"torch": torch.__version__},
        "checked": demo.CHECKED, "seeds": SEEDS, "models": models})


if __name__ == "__main__":
    main()
