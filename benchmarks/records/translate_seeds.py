"""Do demo 10's translators come out alike?  Makes translate_seeds.json and beam_widths.json.

    python -m benchmarks.records.translate_seeds [translate_seeds] [beam_widths] [--seeds N]

translate_seeds: the exam of held-out sentences of both directions, the agreement of
cross-attention with the known links, the exam without cross-attention, values exchanged.
beam_widths: a translator stopped after 100 steps, decoded with beams of several widths.
Some 4 minutes on one thread.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from benchmarks import making
from demos.d10_translation.lesson import MODELS, agreement, by_heads, cut, exam, exchanged
from lecture.data import phrases
from lecture.models import beam, recipes
from lecture.models import cache as model_cache
from lecture.models.recipes import Recipe
from lecture.models.translate_np import EOS, Translator, zero_cross

SEEDS, EARLY, ASKED, WIDTHS, LONGEST = 5, 100, 100, (1, 2, 4, 16), 12


def trained(recipe: Recipe) -> Translator:
    corpus = recipe.data.corpus()
    return Translator(recipe.config, model_cache.load(recipe).tensors, corpus.source_words,
                      corpus.target_words)


def seed_run(direction: str, seed: int) -> dict[str, Any]:
    recipe = recipes.with_seed(recipes.named(MODELS[direction]), seed)
    model, pairs = trained(recipe), phrases.corpus(direction).held_out
    rng = np.random.default_rng(0)
    maps, _ = by_heads(model, pairs)
    entry = {"direction": direction, "seed": seed, "held_out": len(pairs),
             "exact": exam(model, pairs),
             "zeroed": exam(model, pairs, patch=zero_cross(model.cfg)),
             "agreement": float(np.max(agreement(maps, pairs))),
             "shuffled": float(np.max(agreement(maps, pairs, rng))),
             "cut_own": cut(model, pairs, rng, True)[0],
             "cut_other": cut(model, pairs, rng, False)[0],
             "words": cut(model, pairs, rng, False)[1]}
    if direction == "fr_en":
        found = exchanged(model, pairs, "values", rng)
        entry |= {"of": found["sentences"], "swapped": found["swapped"]}
    making.say(entry)
    return entry


def beam_run(seed: int) -> dict[str, Any]:
    recipe = recipes.with_seed(recipes.named(MODELS["fr_en"]), seed)
    plan = dataclasses.replace(recipe.training, steps=EARLY)
    model = trained(dataclasses.replace(recipe, name="translate_early", training=plan))
    pairs = phrases.corpus("fr_en").held_out[:ASKED]
    right: dict[int, set[int]] = {}
    widths = {}
    for width in WIDTHS:
        best = [beam.search(model.following(p.source), EOS, width, LONGEST)[0] for p in pairs]
        right[width] = {i for i, (h, p) in enumerate(zip(best, pairs, strict=True))
                        if tuple(model.words(h.words)) == p.target}
        widths[f"w{width}"] = {
            "width": width, "log_p": float(np.mean([h.log_p for h in best])),
            "words": float(np.mean([len(h.words) for h in best])),
            "exact": len(right[width]), "lost": len(right[1] - right[width]),
            "gained": len(right[width] - right[1])}
    making.say("beams", seed, widths)
    return {"seed": seed, "widths": widths}


def of_seeds(seeds: int) -> dict[str, Any]:
    """Both directions from each seed."""
    return {"seeds": seeds, "runs": [seed_run(d, s) for d in MODELS for s in range(seeds)],
            "recipes": {d: recipes.description(recipes.named(n)) for d, n in MODELS.items()}}


def of_widths(seeds: int) -> dict[str, Any]:
    """The stopped translator from each seed, and what the sentences are like."""
    pairs = phrases.corpus("fr_en").held_out[:ASKED]
    return {"seeds": seeds, "alpha": 0.0, "steps": EARLY, "sentences": ASKED,
            "longest": LONGEST, "true_words": float(np.mean([len(p.target) for p in pairs])),
            "runs": [beam_run(seed) for seed in range(seeds)]}


RECORDS = {"translate_seeds": of_seeds, "beam_widths": of_widths}


def main() -> None:
    """Train what is missing, measure, keep."""
    wish = making.wishes(__doc__, seeds=SEEDS, several=tuple(RECORDS))
    for name in wish.names:
        making.keep(name, RECORDS[name](wish.seeds), wish.to)


if __name__ == "__main__":
    main()
