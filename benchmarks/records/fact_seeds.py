"""Do demo 14's findings hold for other seeds?  Makes fact_seeds.json and edit_seeds.json.

    python -m benchmarks.records.fact_seeds [fact_seeds] [edit_seeds] [--seeds N] [--ship]

fact_seeds: trains the models of parts 0 and 4 from seeds 0, 1, 2 .. and asks them as the
demo does, and two more arms of part 4, each of the other phrasings alone (not shipped);
--ship first trains the shipped weights into demos/weights. edit_seeds: trains `base` and
follows, ablates and rewrites facts in it. Every seed is written down.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from benchmarks import making
from demos.d14_where_the_fact_is import lesson
from lecture.lab import edit
from lecture.models import recipes
from lecture.models.cache import Weights
from lecture.models.gpt_np import GPT
from lecture.models.recipes import Recipe

SEEDS = 5
FACTS = {"capitals": lesson.both_directions,
         **dict.fromkeys(lesson.ARMS.values(), lesson.asked_anew)}
ALONE = {"told_second_way": 1, "told_third_way": 2}         # the phrasing that is told


def asked_about() -> dict[str, tuple[Recipe, Any]]:
    """Every recipe of the record with the function that measures it."""
    found = {name: (recipes.named(name), ask) for name, ask in FACTS.items()}
    one = recipes.named(lesson.ARMS["one"])
    return found | {name: (dataclasses.replace(
        one, name=name, data=dataclasses.replace(one.data, first=form)), lesson.asked_anew)
        for name, form in ALONE.items()}


def facts(seeds: int) -> dict[str, Any]:
    """One entry a seed for each model, and what it takes to make them again."""
    found: dict[str, Any] = {"recipes": {}}
    for name, (recipe, ask) in asked_about().items():
        found["recipes"][name] = {"fingerprint": recipes.fingerprint(recipe),
                                  "training": recipes.described(recipe.training)}
        found[name] = []
        for seed in range(seeds):
            model, weights = making.anew(recipe, seed)
            found[name].append({"seed": seed, **ask(model, recipe),
                                "loss": weights.history[-1]["loss"]})
            making.say(name, found[name][-1])
    return found


def edited(model: GPT, weights: Weights) -> dict[str, Any]:
    """One seed of `base`: all that demo 14 measures."""
    run = edit.measure(model, recipes.named("base").data.world())
    making.say([stage["last"] for stage in run["lens"]], run["blind"], run["everywhere"])
    return run


def main() -> None:
    """Train, measure, keep."""
    wish = making.wishes(__doc__, seeds=SEEDS, several=("fact_seeds", "edit_seeds"), ships=True)
    if "fact_seeds" in wish.names:
        if wish.ship:
            making.ship(recipes.named(name) for name in FACTS)
        making.keep("fact_seeds", facts(wish.seeds), wish.to)
    if "edit_seeds" in wish.names:
        record = making.of_seeds(recipes.named("base"), wish.seeds, edited)
        making.keep("edit_seeds", record, wish.to)


if __name__ == "__main__":
    main()
