"""Trains the copying models from five seeds and writes demos/records/copy_seeds.json.

    python benchmarks/record_seq2seq.py [--ship]

Each entry is measured by the demo's own functions. "longer" is the decoder with one
vector, trained twice as long: the same room, more practice. Trained weights go
to the cache, so a second run only measures. --ship also trains seed 0 of the three
models into demos/weights. About 10 minutes on one thread.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from demos import d03_seq2seq as demo  # noqa: E402
from lecture import model_cache, recipes, records  # noqa: E402
from lecture.recipes import Recipe  # noqa: E402
from lecture.seq2seq_np import Seq2Seq  # noqa: E402

MODELS = {"one": "copy_one", "attention": "copy_attention", "sampled": "copy_sampled"}
SEEDS, TIMES = 5, 2


def variants() -> dict[str, Recipe]:
    """The recipes of the record, by their names in it."""
    found = {name: recipes.named(model) for name, model in MODELS.items()}
    one = found["one"]
    plan = dataclasses.replace(one.training, steps=TIMES * one.training.steps)
    return found | {"longer": dataclasses.replace(one, name="copy_longer", training=plan)}


def entry(seed: int) -> dict[str, Any]:
    """One seed: how each model copies, and how it lives on its own words."""
    nets = {}
    for name, recipe in variants().items():
        weights = model_cache.load(recipes.with_seed(recipe, seed))
        nets[name] = Seq2Seq(recipe.config, weights.tensors)
        print(seed, name, weights.origin, file=sys.stderr, flush=True)
    copied = {name: demo.copying(nets[name], demo.CHECKED)
              for name in ("one", "attention", "longer")}
    living = {name: demo.living(nets[name], demo.K, demo.CHECKED) for name in MODELS}
    return {"seed": seed, **copied, "living": living}


def main() -> None:
    """Train what is missing, measure, write; whole or not at all."""
    if "--ship" in sys.argv:
        for model in MODELS.values():
            model_cache.ship(recipes.named(model))
    record = {
        "recipes": {name: recipes.fingerprint(r) for name, r in variants().items()},
        "versions": {}, "date": datetime.date.today().isoformat(),
        "rows": demo.ROWS, "times": TIMES, "seeds": [entry(seed) for seed in range(SEEDS)]}
    import torch

    record["versions"] = model_cache.versions() | {"torch": torch.__version__}
    records.write("copy_seeds", json.loads(json.dumps(record, default=lambda a: a.tolist())))


if __name__ == "__main__":
    main()
