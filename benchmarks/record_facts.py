"""Do demo 14's findings hold for other seeds?  Makes its two records.

    python -m benchmarks.record_facts facts [seeds, 5] [--ship]
    python -m benchmarks.record_facts edits [seeds, 5]

facts: trains the models of parts 0 and 4 from seeds 0, 1, 2 .. and asks them as the demo
does: demos/records/fact_seeds.json; --ship also writes the weights of seed 0. edits:
trains `base` and follows, ablates and rewrites facts in it: demos/records/edit_seeds.json.
Every seed is written down.
"""

from __future__ import annotations

import datetime
import sys
from typing import Any

from demos import d14_where_the_fact_is as demo
from lecture import edit_np, model_cache, recipes, records
from lecture.gpt_np import GPT

FACTS = {"capitals": demo.both_directions,
         **dict.fromkeys(demo.ARMS.values(), demo.asked_anew)}


def facts(seeds: int, ship: bool) -> dict[str, Any]:
    """One entry a seed for each model, and what it takes to make them again."""
    found: dict[str, Any] = {}
    for name, ask in FACTS.items():
        recipe, found[name] = recipes.named(name), []
        for seed in range(seeds):
            weights, content = model_cache.make(recipes.with_seed(recipe, seed))
            if ship and seed == recipe.seed:
                model_cache.write(model_cache.SHIPPED / f"{name}.safetensors", content)
            entry = ask(GPT(recipe.config, weights), recipe)
            found[name].append({"seed": seed, **entry, "loss": weights.history[-1]["loss"]})
            print(name, seed, entry, flush=True)
    return {**found, "versions": model_cache.versions(),
            "recipes": {name: {"fingerprint": recipes.fingerprint(recipes.named(name)),
                               "training": recipes.described(recipes.named(name).training)}
                        for name in FACTS},
            "date": datetime.date.today().isoformat()}


def told(seed: int, run: dict[str, Any]) -> None:
    print(seed, [stage["last"] for stage in run["lens"]], run["blind"], run["everywhere"],
          flush=True)


def main() -> None:
    which, *rest = sys.argv[1:]
    seeds = next((int(word) for word in rest if word.isdigit()), 5)
    if which == "facts":
        print(records.write("fact_seeds", facts(seeds, "--ship" in rest)).name)
    else:
        record = edit_np.record_of_seeds(recipes.named("base"), range(seeds), told)
        print(records.write("edit_seeds", record).name)


if __name__ == "__main__":
    main()
