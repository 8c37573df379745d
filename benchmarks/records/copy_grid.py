"""Does training on lists said twice make the country model copy?  The grid of demo 04.5.

    python -m benchmarks.records.copy_grid [--seeds 5] [--to FOLDER]

`base` with one thing changed at a time: which lists of names its corpus holds (24 or 240, in
each of 30 rounds; said once or twice; `own`: its own 24 registers), and how long it trains
(its own 350 steps, or eight times as many).  Network, vocabulary, start and rows are its own.
Each is measured by demo 04's own copy test.  40 trainings: 15 minutes of a free core.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from benchmarks import making
from lecture.lab.probes import copied, copy_pool, questions, right
from lecture.models import recipes
from lecture.models.recipes import Recipe, RepeatedWorldData, WorldData

SEEDS, TIMES = 5, 8
LISTS = {"own": WorldData(),
         "many_once": RepeatedWorldData(registers=0, lists=240, sayings=1),
         "few_twice": RepeatedWorldData(registers=0, lists=24),
         "many_twice": RepeatedWorldData(registers=0, lists=240)}


def variant(lists: str, steps: int) -> Recipe:
    """`base` on another corpus, for so many steps."""
    base = recipes.named("base")
    return dataclasses.replace(
        base, name=f"base_{lists}_{steps}", data=LISTS[lists],
        training=dataclasses.replace(base.training, steps=steps))


def main() -> None:
    wish = making.wishes(__doc__, seeds=SEEDS)
    steps = recipes.named("base").training.steps
    found: dict[str, Any] = {}
    used = []
    for length, count in (("short", steps), ("long", TIMES * steps)):
        for lists in LISTS:
            recipe = variant(lists, count)
            used.append(recipe)
            world = recipe.data.world()
            runs = []
            for seed in range(wish.seeds):
                net, _ = making.network(recipe, seed)
                runs.append({"seed": seed, "hits": copied(net, copy_pool(world))["hits"],
                             "right": right(net, questions(world))})
                making.say(recipe.name, runs[-1])
            found.setdefault(lists, {})[length] = runs
    making.keep("copy_grid", {
        "made_by": "python -m benchmarks.records.copy_grid", "fingerprints":
        making.fingerprints(*used), "steps": {"short": steps, "long": TIMES * steps},
        "rounds": RepeatedWorldData().rounds, "lists": found}, wish.to)


if __name__ == "__main__":
    main()
