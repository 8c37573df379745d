"""Can a look-up be learned without dividing by √d?  Makes demos/records/scale_training.json.

    python -m benchmarks.records.scale_training [--seeds N] [--to FOLDER]

Three arms of the head of lecture/lab/lookup.py, five runs each: divided; not divided; not
divided, but W_Q starts at 1/√d of its size. And how many undivided runs get there at other
rates. Demo 04.2 shows them. NumPy alone, some minutes on one core.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from benchmarks import making
from lecture.lab import lookup

SEEDS = 5
ARMS = {"scaled": {"scaled": True}, "unscaled": {"scaled": False},
        "small_start": {"scaled": False, "small_start": True}}
RATES = (0.01, 0.03, 0.1)


def runs(setup: lookup.Setup, arm: dict[str, bool], seeds: int) -> list[dict[str, Any]]:
    """One run a seed."""
    found = [lookup.train(setup, seed=seed, **arm) for seed in range(seeds)]
    making.say(arm, setup.rate, [(run["reached"], round(run["last"], 3)) for run in found])
    return found


def main() -> None:
    """Train every run and keep it."""
    wish, setup = making.wishes(__doc__, seeds=SEEDS), lookup.Setup()
    making.keep("scale_training", {
        "made_by": "python -m benchmarks.records.scale_training",
        "setup": dataclasses.asdict(setup),
        "runs": {name: runs(setup, arm, wish.seeds) for name, arm in ARMS.items()},
        "undivided_at_rate": {f"{rate:g}": [run["reached"] for run in runs(
            dataclasses.replace(setup, rate=rate), ARMS["unscaled"], wish.seeds)]
            for rate in RATES}}, wish.to, packages=())


if __name__ == "__main__":
    main()
