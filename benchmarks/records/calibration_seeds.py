"""Is the country model as sure of what it does not know, whatever the seed?

    python -m benchmarks.records.calibration_seeds [--seeds N] [--to FOLDER]

`base` from ten seeds, each measured by demo 13's own functions on its own questions: new
names, new wordings, one temperature, drawing. Trained weights go to the cache, so a second
run only measures. About 3 minutes on one thread.
"""

from __future__ import annotations

from benchmarks import making
from demos.d13_calibration import lesson
from lecture.models import recipes

SEEDS = 10


def main() -> None:
    """Train what is missing, measure, keep."""
    wish, recipe, runs = making.wishes(__doc__, seeds=SEEDS), recipes.named("base"), []
    for seed in range(wish.seeds):
        net, _ = making.network(recipe, seed)
        runs.append({"seed": seed, **lesson.of_one_seed(net)})
        making.say(recipe.name, f"{seed + 1} of {wish.seeds}")
    making.keep("calibration_seeds", {
        "made_by": "python -m benchmarks.records.calibration_seeds",
        "recipes": making.fingerprints(recipe), "runs": runs}, wish.to)


if __name__ == "__main__":
    main()
