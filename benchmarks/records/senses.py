"""Do the senses part from every seed?  Makes demos/records/senses.json.

    python -m benchmarks.records.senses [--seeds N] [--to FOLDER]

The model of demo 02.4 trained from five seeds, beside the same network untrained, both
words together, by the demo's own functions. Trained weights go to the cache; 2 s a seed.
"""

from __future__ import annotations

from typing import Any

from benchmarks import making
from demos.d02_embeddings import lesson
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT, init_weights

SEEDS = 5


def record(seeds: int) -> dict[str, Any]:
    """The recipe, and one entry a seed; no shipped weights, so all are made one way."""
    recipe, entries = recipes.named("senses"), []
    for seed in range(seeds):
        trained = model_cache.load(recipes.with_seed(recipe, seed), "cached")
        raw = init_weights(recipe.config, seed)
        entries.append({"seed": seed, "trained": lesson.summary(GPT(recipe.config, trained)),
                        "untrained": lesson.summary(GPT(recipe.config, raw))})
    return {"schema": 1, "name": recipe.name, "recipe": recipes.description(recipe),
            "seeds": entries}


def main() -> None:
    """Train what is missing, measure, keep."""
    wish = making.wishes(__doc__, seeds=SEEDS)
    making.keep("senses", record(wish.seeds), wish.to)


if __name__ == "__main__":
    main()
