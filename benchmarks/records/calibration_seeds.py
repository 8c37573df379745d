"""Is the country model as sure of what it does not know, whatever the seed?

    python -m benchmarks.records.calibration_seeds [--seeds N] [--to FOLDER]

`base` from ten seeds, each measured by demo 13's own functions on its own questions: new
names, new wordings, one temperature, drawing. Trained weights go to the cache, so a second
run only measures. About 3 minutes on one thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks import making
from demos.d13_calibration import lesson
from lecture.models import recipes
from lecture.models.gpt_np import GPT

SEEDS = 10
K, P = 5, 0.9             # of top-k and top-p: demo 13's own settings


def no_record(wanted: Mapping[str, str]) -> dict[str, Any]:
    """The record is only being made: the demo's functions must not read it."""
    return {}


def entry(net: GPT) -> dict[str, Any]:
    """One training, measured as the demo does at its own settings."""
    measure: dict[str, Any] = {"net": net, "over": no_record}
    first, second = lesson.unknown(0, **measure), lesson.phrasings(0, **measure)
    third, fourth = lesson.cooled(0, **measure), lesson.drawn(K, P, 0, **measure)
    rows = third["rows"]
    return {
        "unknown": {name: first["rows"][name] for name in ("alike", "fresh")},
        "groups": second["groups"], "cue": second["cue"], "split": second["split"],
        "temperature": {"t": third["temperature"],
                        "before": rows["tested"]["before"]["ece"],
                        "after": rows["tested"]["after"]["ece"],
                        "seen": rows["seen"]["after"]["ece"],
                        "groups": {name: {"before": rows[name]["before"]["ece"],
                                          "after": rows[name]["after"]["ece"]}
                                   for name in ("reworded", "money")}},
        "drawn": {"right": fourth["hot"]["two"]["right"]["all"],
                  "kept": fourth["kept"]["top_p"]["alike"]["mean"],
                  "missed": fourth["missed"]}}


def main() -> None:
    """Train what is missing, measure, keep."""
    wish, recipe, runs = making.wishes(__doc__, seeds=SEEDS), recipes.named("base"), []
    for seed in range(wish.seeds):
        net, _ = making.network(recipe, seed)
        runs.append({"seed": seed, **entry(net)})
        making.say(recipe.name, f"{seed + 1} of {wish.seeds}")
    making.keep("calibration_seeds", {
        "made_by": "python -m benchmarks.records.calibration_seeds",
        "k": K, "p": P, "recipes": making.fingerprints(recipe), "runs": runs}, wish.to)


if __name__ == "__main__":
    main()
