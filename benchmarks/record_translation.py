"""Trains demo 10's two translators from five seeds; writes two records.

demos/records/translate_seeds.json: the exam of held-out sentences, the agreement of
cross-attention with the known links, the exam without cross-attention, values exchanged.
demos/records/beam_widths.json: a translator stopped after 100 steps, decoded with beams of
several widths. Some 4 minutes on one thread: nice python -m benchmarks.record_translation
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import time
from typing import Any

import numpy as np

from demos.d10_translation import (
    MODELS,
    agreement,
    by_heads,
    cut,
    exam,
    exchanged,
)
from lecture import beam, model_cache, phrases, recipes, records
from lecture.recipes import Recipe
from lecture.translate_np import EOS, Translator, zero_cross

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
    return {"seed": seed, "widths": widths}


def main() -> None:
    base = {"date": datetime.date.today().isoformat(), "seeds": SEEDS}
    runs, start = [], time.process_time()
    for direction in MODELS:
        for seed in range(SEEDS):
            runs.append(seed_run(direction, seed))
            print(json.dumps(runs[-1]), flush=True)
    record = {**base, "versions": model_cache.versions(), "runs": runs, "recipes": {
        d: recipes.description(recipes.named(n)) for d, n in MODELS.items()}}
    records.write("translate_seeds", record)
    early = []
    for seed in range(SEEDS):
        early.append(beam_run(seed))
        print(json.dumps(early[-1]), flush=True)
    pairs = phrases.corpus("fr_en").held_out[:ASKED]
    records.write("beam_widths", {
        **base, "versions": model_cache.versions(), "alpha": 0.0, "steps": EARLY,
        "sentences": ASKED, "longest": LONGEST,
        "true_words": float(np.mean([len(p.target) for p in pairs])), "runs": early})
    print(f"{time.process_time() - start:.0f} s of CPU")


if __name__ == "__main__":
    main()
