"""Do demo 08's networks come out alike?  Makes heads_seeds.json and heads_ranks.json.

    python -m benchmarks.records.heads_seeds [heads_seeds] [heads_ranks] [--ship]

heads_seeds: eight trainings of each two-answer network, five of each pronoun network, every
one measured by the demo's own function on the demo's own sheet. heads_ranks: the ranks of
twenty draws. --ship puts seed 0 of each into demos/weights where the file there is not of
this recipe. Trained weights go to the cache, so a second run only measures. About 4 minutes
on one thread.
"""

from __future__ import annotations

from typing import Any

from benchmarks import making
from demos.d08_heads import lesson
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT

TWO_SEEDS, PRONOUN_SEEDS, DRAWS = 8, 5, 20
TOKENS, HEAD = 128, 64
PRONOUNS = ("pronoun", "pronoun_causal")
KEPT = ("who", "whom", "both", "smaller", "own", "other", "who_head", "same_keys", "names_only")


def nets(name: str, seeds: int) -> list[GPT]:
    """The networks of a recipe, one a seed."""
    return [making.network(recipes.named(name), seed)[0] for seed in range(seeds)]


def of_seeds() -> dict[str, Any]:
    """Every network of the demo, measured as the demo does."""
    record: dict[str, Any] = {"two": {}}
    for name in lesson.NETS:
        found = [lesson.measure_two(net, lesson.two_sheet(name, 0), 0, True)
                 for net in nets(f"two_{name}", TWO_SEEDS)]
        record["two"][name] = [{k: m[k] for k in KEPT} for m in found]
        making.say(name, [round(float(m["both"]), 3) for m in found])
    for name in PRONOUNS:
        record[name] = [lesson.measure_it(net, lesson.pronoun_sheet(name, 0), 0, True)
                        for net in nets(name, PRONOUN_SEEDS)]
        making.say(name, [round(float(m["whole"]), 3) for m in record[name]])
    return record


def main() -> None:
    """Train what is missing, measure, keep."""
    wish = making.wishes(__doc__, several=("heads_seeds", "heads_ranks"), ships=True)
    used = [recipes.named(n) for n in (*(f"two_{n}" for n in lesson.NETS), *PRONOUNS)]
    if wish.ship:
        making.ship(recipe for recipe in used if model_cache.verify(recipe))
    if "heads_seeds" in wish.names:
        making.keep("heads_seeds", of_seeds() | {"recipes": making.fingerprints(*used)}, wish.to)
    if "heads_ranks" in wish.names:
        runs = [lesson.spectra(TOKENS, HEAD, seed) for seed in range(DRAWS)]
        making.keep("heads_ranks", {"tokens": TOKENS, "head": HEAD, "runs": runs}, wish.to)


if __name__ == "__main__":
    main()
