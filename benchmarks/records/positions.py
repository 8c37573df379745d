"""Do demo 07's six models come out alike?  Makes demos/records/positions.json.

    python -m benchmarks.records.positions [--seeds N] [--ship] [--to FOLDER]

Each of five seeds is measured by the demo's own function, on the same texts. Trained
weights go to the cache, so a second run only measures. Thirty trainings of 5 to 20 s on
one thread.
"""

from __future__ import annotations

from typing import Any

from benchmarks import making
from demos.d07_positions import lesson
from lecture.models import recipes

SEEDS = 5
MODELS = (*(f"places_{kind}" for kind in lesson.KINDS), *lesson.COPIERS)


def entry(seed: int) -> dict[str, Any]:
    """One training seed: what its models reach."""
    making.say("seed", seed)
    return {"seed": seed, **lesson.by_length(lesson.all_models(seed), 0)}


def main() -> None:
    """Train what is missing, measure, keep."""
    wish = making.wishes(__doc__, seeds=SEEDS, ships=True)
    if wish.ship:
        making.ship(recipes.named(name) for name in MODELS)
    making.keep("positions", {
        "recipes": {n: recipes.description(recipes.named(n)) for n in MODELS},
        "seeds": [entry(seed) for seed in range(wish.seeds)]}, wish.to)


if __name__ == "__main__":
    main()
