"""Trains the four ways of sharing from five seeds: demos/records/qkv_seeds.json.

    python benchmarks/record_qkv.py [--ship]

Each score is the share of right words on the demo's own sheet, each check where a network
looks and what a cut costs, by the demo's own functions. --ship also trains seed 0 of
the twelve models into demos/weights. Trained weights go to the cache, so a second run
only measures. About 3 minutes on one thread.
"""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from demos import d05_qkv as demo  # noqa: E402
from lecture import model_cache, recipes, records  # noqa: E402
from lecture.gpt_np import GPT  # noqa: E402

SEEDS = 5


def main() -> None:
    """Train what is missing, measure, write; whole or not at all."""
    models: dict[str, list[float]] = {}
    checks: dict[str, list[dict[str, float]]] = {}
    prints: dict[str, str] = {}
    for case, ways in demo.CASES.items():
        for way in ways:
            recipe = demo.recipe_of(case, way)
            if "--ship" in sys.argv:
                model_cache.ship(recipe)
            prints[recipe.name] = recipes.fingerprint(recipe)
            models[recipe.name], checks[recipe.name] = [], []
            for seed in range(SEEDS):
                weights = model_cache.load(recipes.with_seed(recipe, seed))
                net = GPT(recipe.config, weights)
                models[recipe.name].append(demo.solved(net, *demo.sheet(case, 0)))
                if case != "narrow":
                    checks[recipe.name].append(demo.inspected(case, net, 0))
                print(recipe.name, seed, weights.origin, models[recipe.name][-1],
                      file=sys.stderr, flush=True)
    import torch

    record = {"recipes": prints, "date": datetime.date.today().isoformat(),
              "versions": model_cache.versions() | {"torch": torch.__version__},
              "checked": demo.CHECKED, "seeds": SEEDS, "models": models,
              "checks": {name: found for name, found in checks.items() if found}}
    records.write("qkv_seeds", json.loads(json.dumps(record, default=float)))


if __name__ == "__main__":
    main()
