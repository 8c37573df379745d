"""Do the copying models of demo 03 come out alike?  Makes demos/records/copy_seeds.json.

    python -m benchmarks.records.copy_seeds [--seeds N] [--ship] [--to FOLDER]

Each of five seeds is measured by the demo's own functions. "longer" is the decoder with one
vector, trained twice as long: as many numbers, more practice. Trained weights go to the
cache, so a second run only measures. About 10 minutes on one thread.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from benchmarks import making
from demos.d03_seq2seq import lesson
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.recipes import Recipe
from lecture.models.seq2seq_np import Seq2Seq

MODELS = {"one": "copy_one", "attention": "copy_attention", "sampled": "copy_sampled"}
SEEDS, TIMES = 5, 2


def variants() -> dict[str, Recipe]:
    """The recipes of the record, by their names in it."""
    found = {name: recipes.named(model) for name, model in MODELS.items()}
    one = found["one"]
    plan = dataclasses.replace(one.training, steps=TIMES * one.training.steps)
    return found | {"longer": dataclasses.replace(one, name="copy_longer", training=plan)}


def entry(seed: int) -> dict[str, Any]:
    """One seed: how each model copies, and how it lives on its own words."""
    nets = {}
    for name, recipe in variants().items():
        weights = model_cache.load(recipes.with_seed(recipe, seed))
        nets[name] = Seq2Seq(recipe.config, weights.tensors)
        making.say(seed, name, weights.origin)
    copied = {name: lesson.copying(nets[name], lesson.CHECKED)
              for name in ("one", "attention", "longer")}
    living = {name: lesson.living(nets[name], lesson.K, lesson.CHECKED) for name in MODELS}
    return {"seed": seed, **copied, "living": living}


def main() -> None:
    """Train what is missing, measure, keep."""
    wish = making.wishes(__doc__, seeds=SEEDS, ships=True)
    if wish.ship:
        making.ship(recipes.named(name) for name in MODELS.values())
    making.keep("copy_seeds", {
        "recipes": {name: recipes.fingerprint(r) for name, r in variants().items()},
        "rows": lesson.ROWS, "times": TIMES,
        "seeds": [entry(seed) for seed in range(wish.seeds)]}, wish.to)


if __name__ == "__main__":
    main()
