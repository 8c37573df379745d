"""Do demo 06's models come out alike?  Makes demos/records/open_book.json.

    python -m benchmarks.records.open_book [--seeds N] [--ship] [--to FOLDER]

Each of five seeds is measured by the demo's own function, on the same held-out walks. The
fourth model, which is not shipped, is the control of the third: the same recipe and the same
input, but asked about the states that it can see. Trained weights go to the cache, so a
second run only measures. Twenty trainings of some 5 s on one thread.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchmarks import making
from demos.d06_masks import lesson
from lecture.models import recipes

SHIPPED, SEEDS = (*lesson.BOOKS, "hidden_words"), 5
RECIPES = {name: recipes.named(name) for name in SHIPPED}
RECIPES["seen_words"] = replace(RECIPES["hidden_words"], name="seen_words",
                                data=recipes.TaskData("seen_chain"))


def entry(seed: int) -> dict[str, Any]:
    """One training seed: what its models reach on the held-out walks."""
    models = {name: making.network(recipe, seed)[0] for name, recipe in RECIPES.items()}
    found = lesson.exam_results(models, 0)
    for name in lesson.BOOKS:
        del found[name]["writes"]["text"]
    making.say("seed", seed)
    return {"seed": seed, **found}


def main() -> None:
    """Train what is missing, measure, keep."""
    wish = making.wishes(__doc__, seeds=SEEDS, ships=True)
    if wish.ship:
        making.ship(RECIPES[name] for name in SHIPPED)
    making.keep("open_book", {
        "recipes": {n: recipes.description(r) for n, r in RECIPES.items()},
        "seeds": [entry(seed) for seed in range(wish.seeds)]}, wish.to)


if __name__ == "__main__":
    main()
