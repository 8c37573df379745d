"""Do demo 06's three models come out alike?  Makes demos/records/open_book.json.

    python -m benchmarks.records.open_book [--seeds N] [--ship] [--to FOLDER]

Each of five seeds is measured by the demo's own function, on the same held-out walks.
Trained weights go to the cache, so a second run only measures. Fifteen trainings of some
5 s on one thread.
"""

from __future__ import annotations

from typing import Any

from benchmarks import making
from demos.d06_masks import lesson
from lecture.models import recipes

MODELS, SEEDS = (*lesson.BOOKS, "hidden_words"), 5


def entry(seed: int) -> dict[str, Any]:
    """One training seed: what its models reach on the held-out walks."""
    models = {name: making.network(recipes.named(name), seed)[0] for name in MODELS}
    found = lesson.exam_results(models, 0)
    for name in lesson.BOOKS:
        del found[name]["writes"]["texts"]
    making.say("seed", seed)
    return {"seed": seed, **{k: found[k] for k in (*MODELS, "cut")}}


def main() -> None:
    """Train what is missing, measure, keep."""
    wish = making.wishes(__doc__, seeds=SEEDS, ships=True)
    if wish.ship:
        making.ship(recipes.named(name) for name in MODELS)
    making.keep("open_book", {
        "recipes": {n: recipes.description(recipes.named(n)) for n in MODELS},
        "seeds": [entry(seed) for seed in range(wish.seeds)]}, wish.to)


if __name__ == "__main__":
    main()
