"""What do the makers of records have in common?

A maker, benchmarks/records/NAME.py, loads or trains a few models, measures each with the
functions its demo measures with, and keeps what it found as demos/records/NAME.json. Here
are its command line, its trainings, and the last steps of every record: plain numbers, the
versions, the date, one file written whole or not at all.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from lecture import records
from lecture.models import cache as model_cache
from lecture.models import identity, recipes
from lecture.models.cache import Weights
from lecture.models.gpt_np import GPT
from lecture.models.recipes import Recipe

Record = dict[str, Any]


def wishes(about: str | None, *, seeds: int | None = None, several: Sequence[str] = (),
           ships: bool = False, words: Sequence[str] | None = None) -> argparse.Namespace:
    """The maker's command line: .to, and .seeds, .names, .ship where the maker has them.

    seeds: how many it takes unless told; several: the records it makes, if more than one;
    ships: it can also train the shipped weights. words: instead of the shell's.
    """
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=records.RECORDS, metavar="FOLDER",
                        help="keep the record there, to compare (default: demos/records)")
    if seeds is not None:
        parser.add_argument("--seeds", type=int, default=seeds, metavar="N",
                            help="how many training seeds (%(default)s)")
    if several:
        parser.add_argument("names", nargs="*", metavar="RECORD",
                            help=f"which of {', '.join(several)} (all)")
    if ships:
        parser.add_argument("--ship", action="store_true",
                            help="first train the weights in demos/weights anew")
    wish = parser.parse_args(words)
    if several and (wrong := [name for name in wish.names if name not in several]):
        parser.error(f"no record {wrong[0]!r} is made here, only {', '.join(several)}")
    if several:
        wish.names = wish.names or list(several)
    return wish


def say(*words: Any) -> None:
    """A line of progress on stderr."""
    print(*words, file=sys.stderr, flush=True)


def ship(recipes_: Iterable[Recipe]) -> None:
    """Train these and put the results where the course ships them."""
    for recipe in recipes_:
        say("shipped", model_cache.ship(recipe).name)


def network(recipe: Recipe, seed: int) -> tuple[GPT, Weights]:
    """A recipe's network from a seed: shipped, from the cache, or trained now and kept."""
    weights = model_cache.load(recipes.with_seed(recipe, seed))
    return GPT(recipe.config, weights), weights


def anew(recipe: Recipe, seed: int) -> tuple[GPT, Weights]:
    """The same trained now, whatever is there, and not kept."""
    weights, _ = model_cache.make(recipes.with_seed(recipe, seed))
    return GPT(recipe.config, weights), weights


def of_seeds(recipe: Recipe, seeds: int, entry: Callable[[GPT, Weights], Record]) -> Record:
    """A record of one recipe trained anew from each seed; no seed is left out."""
    runs = []
    for seed in range(seeds):
        runs.append({"seed": seed, **entry(*anew(recipe, seed))})
        say(recipe.name, f"{seed + 1} of {seeds}")
    return {"fingerprint": recipes.fingerprint(recipe), "name": recipe.name,
            "recipe": recipes.described(recipe.training), "runs": runs,
            "trainer": model_cache.trainer(recipe)}


def fingerprints(*used: Recipe) -> dict[str, str]:
    """{name: fingerprint} of the recipes of a record."""
    return {recipe.name: recipes.fingerprint(recipe) for recipe in used}


def versions(*packages: str) -> dict[str, str]:
    """What the record was made with: Python, NumPy, and these packages."""
    return model_cache.versions() | {name: metadata.version(name) for name in packages}


def plain(record: Record) -> Record:
    """NumPy's numbers and arrays as Python's, all the way down."""
    made: Record = json.loads(json.dumps(record, default=lambda a: a.tolist()))
    return made


def rounded(value: Any, digits: int = 4) -> Any:
    """Numbers cut to a few digits, all the way down: a history stays small."""
    if isinstance(value, dict):
        return {k: rounded(v, digits) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(v, digits) for v in value]
    if isinstance(value, float | np.floating):
        return round(float(value), digits)
    return value


def keep(name: str, record: Record, folder: Path, packages: Sequence[str] = ("torch",)) -> None:
    """Add versions, machine and date, write folder/NAME.json, and say where it is."""
    signed = {"versions": versions(*packages), "machine": identity.machine(),
              "date": datetime.date.today().isoformat()}
    say(records.write(name, plain(signed | record), folder))
