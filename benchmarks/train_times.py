"""How long does each shipped model take to train?  `python -m benchmarks.train_times`

CPU seconds on one thread, so that a busy machine changes little; names on the command
line choose some.  Prints a Markdown table and writes train_times.json beside this file.
"""

from __future__ import annotations

import importlib
import json
import platform
import sys
import time
from pathlib import Path

from lecture.models import cache as model_cache
from lecture.models import recipes

RESULT = Path(__file__).with_suffix(".json")


def seconds(name: str) -> float:
    """CPU seconds of one training of a model, from its own seed."""
    recipe = recipes.named(name)
    trainer = importlib.import_module(model_cache.TRAINERS[recipe.kind])
    start = time.process_time()
    trainer.train(recipe, lambda step, steps, loss: None)
    return time.process_time() - start


def main(names: list[str]) -> None:
    known = json.loads(RESULT.read_text())["seconds"] if RESULT.exists() else {}
    for name in names or list(recipes.RECIPES):
        known[name] = round(seconds(name), 1)
        size = (model_cache.SHIPPED / f"{name}.safetensors").stat().st_size
        print(f"| `{name}` | {size / 1000:.0f} kB | {known[name]:.1f} |", flush=True)
    document = {"machine": f"{platform.system()} {platform.machine()}, one thread",
                "versions": model_cache.versions(),
                "seconds": {name: known[name] for name in recipes.RECIPES if name in known}}
    RESULT.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
