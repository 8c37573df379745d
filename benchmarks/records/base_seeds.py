"""Does `base` come out the same from every seed?  Makes demos/records/base_seeds.json.

    python -m benchmarks.records.base_seeds [--seeds N] [--to FOLDER]

Trains the frozen recipe anew from seeds 0, 1, 2 .., measures each with the functions of
demo 04, and writes every seed down; one line a seed.
"""

from __future__ import annotations

from typing import Any

from benchmarks import making
from lecture.lab import probes
from lecture.models import recipes
from lecture.models.cache import Weights
from lecture.models.gpt_np import GPT

RECIPE, SEEDS = recipes.named("base"), 20


def entry(model: GPT, weights: Weights) -> dict[str, Any]:
    """One seed: all that demo 04.5 measures, and the last loss."""
    run = probes.measure(model, RECIPE.data.world())
    layer, head = run["best_head"]
    making.say(f"right {run['right']}  copied {run['copied']['hits']}"
               f"  best head {layer}.{head} {run['weight_on_country'][layer][head]:.2f}"
               f"  left after its cut {run['left_after_cut'][layer][head]}"
               f"  after all cuts {run['left_after_all_cuts']}"
               f"  held out {run['held_out_right']}")
    return {**run, "loss": weights.history[-1]["loss"]}


def main() -> None:
    wish = making.wishes(__doc__, seeds=SEEDS)
    making.keep("base_seeds", making.of_seeds(RECIPE, wish.seeds, entry), wish.to)


if __name__ == "__main__":
    main()
