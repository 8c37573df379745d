"""Trains demo 07's six models from five seeds; writes demos/records/positions.json.

    python benchmarks/record_positions.py [--ship]

Each entry is measured by the demo's own function, on the same texts. Trained weights go
to the cache, so a second run only measures. --ship also trains seed 0 into
demos/weights. Thirty trainings of 5 to 20 s on one thread.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from demos import d07_positions as demo  # noqa: E402
from lecture import model_cache, recipes  # noqa: E402

SEEDS = 5
MODELS = (*(f"places_{kind}" for kind in demo.KINDS), *demo.COPIERS)


def entry(seed: int) -> dict[str, Any]:
    """One training seed: what its models reach."""
    return {"seed": seed, **demo.by_length(demo.all_models(seed), 0)}


def main() -> None:
    """Train what is missing, measure, write; whole or not at all."""
    if "--ship" in sys.argv:
        for name in MODELS:
            model_cache.ship(recipes.named(name))
    record = {
        "recipes": {n: recipes.description(recipes.named(n)) for n in MODELS},
        "date": datetime.date.today().isoformat(),
        "seeds": [entry(seed) for seed in range(SEEDS)]}
    import torch

    record["versions"] = model_cache.versions() | {"torch": torch.__version__}
    temporary = demo.RECORD.with_suffix(f".{os.getpid()}.tmp")
    text = json.dumps(record, indent=1, allow_nan=False, default=float)
    temporary.write_text(text + "\n", encoding="utf-8")
    os.replace(temporary, demo.RECORD)


if __name__ == "__main__":
    main()
