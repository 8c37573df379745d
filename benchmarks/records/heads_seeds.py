"""Do demo 08's networks come out alike?  Makes heads_seeds.json and heads_ranks.json.

    python -m benchmarks.records.heads_seeds [heads_seeds] [heads_ranks] [--ship]

heads_seeds: eight trainings of each network, every one measured by the demo's own function on
the demo's own sheet, and which of them is shown: the lower middle one by the number that MAIN
names (of equal ones the first), whose seed stands in the recipe. heads_ranks: the ranks of
twenty draws. --ship trains the networks anew whose file in demos/weights is not of this recipe.
Trained weights go to the cache, so a second run only measures. About 9 minutes on one thread.
"""

from __future__ import annotations

from typing import Any

from benchmarks import making
from demos.d08_heads import lesson
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT
from lecture.report import at

SEEDS, DRAWS = 8, 20
TOKENS, HEAD = 128, 64
PRONOUNS = ("pronoun", "pronoun_causal")
MAIN = {"two": "both", "pronoun": "own", "pronoun_causal": "late.left"}


def nets(name: str) -> list[GPT]:
    """The networks of a recipe, one a seed."""
    return [making.network(recipes.named(name), seed)[0] for seed in range(SEEDS)]


def lower_middle(runs: list[dict[str, Any]], main: str) -> int:
    """The seed of the lower middle run by a number; of equal ones the first."""
    order = sorted(range(len(runs)), key=lambda seed: at(runs[seed], main))
    middle = at(runs[order[(len(runs) - 1) // 2]], main)
    return next(seed for seed, run in enumerate(runs) if at(run, main) == middle)


def of_seeds() -> dict[str, Any]:
    """Every network of the demo, measured as the demo does."""
    record: dict[str, Any] = {"two": {}, "shown": {}}
    for name in lesson.NETS:
        record["two"][name] = making.plain({"runs": [
            lesson.measure_two(net, lesson.two_sheet(name, 0), 0)
            for net in nets(f"two_{name}")]})["runs"]
        record["shown"][f"two_{name}"] = lower_middle(record["two"][name], MAIN["two"])
    sheets = {name: lesson.pronoun_sheet(name, 0) for name in PRONOUNS}
    record["pronoun"] = [lesson.measure_seen(net, sheets["pronoun"], 0) for net in nets("pronoun")]
    record["pronoun_causal"] = [lesson.measure_past(net, sheets["pronoun_causal"])
                                for net in nets("pronoun_causal")]
    for name in PRONOUNS:
        record["shown"][name] = lower_middle(record[name], MAIN[name])
    making.say("shown", record["shown"])
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
