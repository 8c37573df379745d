"""Do the four ways of sharing come out alike?  Makes demos/records/qkv_seeds.json.

    python -m benchmarks.records.qkv_seeds [--seeds N] [--ship] [--to FOLDER]

Each score is the share of right words on demo 05's own sheet, each check where a network
looks and what a cut costs, by the demo's own functions; --ship trains twelve models.
Trained weights go to the cache, so a second run only measures. About 3 minutes on one
thread.
"""

from __future__ import annotations

from benchmarks import making
from demos.d05_qkv import lesson
from lecture.models import recipes

SEEDS = 5


def main() -> None:
    """Train what is missing, measure, keep."""
    wish = making.wishes(__doc__, seeds=SEEDS, ships=True)
    models: dict[str, list[float]] = {}
    checks: dict[str, list[dict[str, float]]] = {}
    prints: dict[str, str] = {}
    for case, ways in lesson.CASES.items():
        for way in ways:
            recipe = lesson.recipe_of(case, way)
            if wish.ship:
                making.ship([recipe])
            prints[recipe.name] = recipes.fingerprint(recipe)
            models[recipe.name] = []
            for seed in range(wish.seeds):
                net, weights = making.network(recipe, seed)
                models[recipe.name].append(lesson.solved(net, *lesson.sheet(case, 0)))
                if case != "narrow":
                    checks.setdefault(recipe.name, []).append(lesson.inspected(case, net, 0))
                making.say(recipe.name, seed, weights.origin, models[recipe.name][-1])
    making.keep("qkv_seeds", {"recipes": prints, "checked": lesson.CHECKED,
                              "seeds": wish.seeds, "models": models, "checks": checks}, wish.to)


if __name__ == "__main__":
    main()
