"""Which arrangement of demo 09's twelve blocks learns?  Makes demos/records/depth_seeds.json.

    python -m benchmarks.records.depth_seeds [--seeds N] [--ship] [--to FOLDER]

Six arrangements (norm at the door, at the end, nowhere; with and without residual), at
depth 12 and at depth 1, from five seeds. What is kept: the share of right words on the
demo's own sheet, the last loss, the gradient at the start (torch: on the lowest block's
value map, and on the highest's), and what skipping each block costs a deep one. Trained
weights go to the cache, so a second run only measures. About 7 minutes on one thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

import tiny_gpt
from benchmarks import making
from demos.d09_depth import lesson
from lecture.models import recipes
from lecture.models.recipes import Recipe

SEEDS = 5


def first_gradients(recipe: Recipe) -> dict[str, float]:
    """Before training, on one batch: the gradient's length, lowest and highest block."""
    model = tiny_gpt.TinyGPT(recipe.config, recipe.seed).double()
    ids, due, told = lesson.sheet(recipe.seed)
    targets = torch.from_numpy(np.where(due, told, -1))
    model(torch.from_numpy(ids), targets)[1].backward()
    return {name: float(model.blocks[at].attn.v.weight.grad.norm())
            for name, at in (("lowest", 0), ("highest", -1))}


def measured(recipe: Recipe) -> dict[str, Any]:
    """One seed of one arrangement."""
    net, weights = making.network(recipe, recipe.seed)
    entry = {"seed": recipe.seed, "right": lesson.right(net, 0),
             "loss": weights.history[-1]["loss"], "gradient": first_gradients(recipe)}
    return entry | ({"skips": lesson.skip_each(net, 0)} if recipe.config.n_layer > 1 else {})


def main() -> None:
    """Train what is missing, measure, keep."""
    wish = making.wishes(__doc__, seeds=SEEDS, ships=True)
    deep = recipes.named("deep")
    if wish.ship:
        making.ship([deep])
    models: dict[str, list[dict[str, Any]]] = {}
    prints: dict[str, str] = {}
    for layers in (lesson.SHALLOW, deep.config.n_layer):
        for name in lesson.VARIANTS:
            key = f"{name}_{layers}"
            prints[key] = recipes.fingerprint(lesson.variant(name, layers))
            models[key] = [measured(lesson.variant(name, layers, s)) for s in range(wish.seeds)]
            making.say(key, [round(float(m["right"]), 3) for m in models[key]])
    making.keep("depth_seeds", {"recipes": prints, "checked": lesson.CHECKED,
                                "seeds": wish.seeds, "models": models}, wish.to)


if __name__ == "__main__":
    main()
