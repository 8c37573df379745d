"""Trains demo 06's three models from five seeds; writes demos/records/open_book.json.

    python benchmarks/record_open_book.py [--ship]

Each entry is measured by the demo's own function, on the same held-out walks. Trained
weights go to the cache, so a second run only measures. --ship also trains seed 0 into
demos/weights. Fifteen trainings of some 5 s on one thread.
"""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from demos import d06_masks as demo  # noqa: E402
from lecture import model_cache, recipes, records  # noqa: E402
from lecture.gpt_np import GPT  # noqa: E402

MODELS, SEEDS = (*demo.BOOKS, "hidden_words"), 5


def entry(seed: int) -> dict[str, Any]:
    """One training seed: what its models reach on the held-out walks."""
    models = {}
    for name in MODELS:
        recipe = recipes.with_seed(recipes.named(name), seed)
        models[name] = GPT(recipe.config, model_cache.load(recipe))
    found = demo.exam_results(models, 0)
    for name in demo.BOOKS:
        del found[name]["writes"]["texts"]
    return {"seed": seed, **{k: found[k] for k in (*MODELS, "cut")}}


def main() -> None:
    """Train what is missing, measure, write; whole or not at all."""
    if "--ship" in sys.argv:
        for name in MODELS:
            model_cache.ship(recipes.named(name))
    record = {
        "recipes": {n: recipes.description(recipes.named(n)) for n in MODELS},
        "versions": model_cache.versions(), "date": datetime.date.today().isoformat(),
        "seeds": [entry(seed) for seed in range(SEEDS)]}
    import torch

    record["versions"] |= {"torch": torch.__version__}
    records.write("open_book", json.loads(json.dumps(record, default=float)))


if __name__ == "__main__":
    main()
