"""Records of demo 08: demos/records/heads_seeds.json and heads_ranks.json.

    python -m benchmarks.record_heads [--ship]

Eight trainings of each two-answer network, five of each pronoun network, every one
measured by the demo's own function on the demo's own sheet; and the ranks of twenty
draws. --ship puts seed 0 of each into demos/weights where the file there is not of this
recipe. Trained weights go to the cache, so a second run only measures. About 4 minutes
on one thread.
"""

from __future__ import annotations

import datetime
import sys
from typing import Any

from demos import d08_heads as demo
from lecture import model_cache, recipes, records
from lecture.gpt_np import GPT
from lecture.report import _plain

TWO_SEEDS, PRONOUN_SEEDS, DRAWS = 8, 5, 20
KEPT = ("who", "whom", "both", "smaller", "own", "other", "who_head", "same_keys", "names_only")


def nets(name: str, seeds: int) -> list[GPT]:
    """The networks of a recipe, one a seed; trains what is missing."""
    recipe = recipes.named(name)
    if "--ship" in sys.argv and model_cache.verify(recipe):
        model_cache.ship(recipe)
    return [GPT(recipe.config, model_cache.load(recipes.with_seed(recipe, seed)))
            for seed in range(seeds)]


def main() -> None:
    """Train what is missing, measure, write."""
    import torch

    names = [f"two_{n}" for n in demo.NETS] + ["pronoun", "pronoun_causal"]
    about: dict[str, Any] = {
        "date": datetime.date.today().isoformat(),
        "versions": model_cache.versions() | {"torch": torch.__version__}}
    record: dict[str, Any] = about | {"two": {}, "recipes": {
        n: recipes.fingerprint(recipes.named(n)) for n in names}}
    for name in demo.NETS:
        found = [demo.measure_two(net, demo.two_sheet(name, 0), 0, True)
                 for net in nets(f"two_{name}", TWO_SEEDS)]
        record["two"][name] = [{k: m[k] for k in KEPT} for m in found]
        print(name, [round(float(m["both"]), 3) for m in found], flush=True)
    for name in names[-2:]:
        record[name] = [demo.measure_it(net, demo.pronoun_sheet(name, 0), 0, True)
                        for net in nets(name, PRONOUN_SEEDS)]
        print(name, [round(float(m["whole"]), 3) for m in record[name]], flush=True)
    records.write("heads_seeds", _plain(record, "", []))
    runs = [demo.spectra(128, 64, seed) for seed in range(DRAWS)]
    records.write("heads_ranks", _plain(
        about | {"tokens": 128, "head": 64, "runs": runs}, "", []))


if __name__ == "__main__":
    main()
