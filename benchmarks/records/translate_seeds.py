"""Do demo 10's translators come out alike?  Makes translate_seeds.json and beam_widths.json.

    python -m benchmarks.records.translate_seeds [translate_seeds] [beam_widths] [--seeds N]

translate_seeds: both directions from each seed on the exam of held-out sentences: looks,
cuts, values exchanged; a twin trained with one vector for the sentence (the mean), and the
mean taken afterwards. BLEU (sacrebleu) of the shipped one and of what it is compared with.
beam_widths: translators stopped after 100 steps, and finished ones, decoded with beams of
several widths. Some 10 minutes on one thread.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import sacrebleu

from benchmarks import making
from demos.d10_translation.lesson import (
    EXAM,
    MODELS,
    agreement,
    averaged,
    by_heads,
    cuts,
    exam,
    exchanged,
    middle,
    nearest,
    right,
    verbs,
    word_by_word,
)
from lecture.data import phrases
from lecture.data.phrases import Pair
from lecture.models import beam, recipes
from lecture.models import cache as model_cache
from lecture.models.recipes import Recipe
from lecture.models.translate_np import EOS, Translator, zero_cross

SEEDS, EARLY, ASKED, WIDTHS, LONGEST = 5, 100, 100, (1, 2, 4, 16), 12
PENALTY = 1.0                   # the power of the length penalty in the arm that has one


def trained(recipe: Recipe) -> Translator:
    corpus = recipe.data.corpus()
    return Translator(recipe.config, model_cache.load(recipe).tensors, corpus.source_words,
                      corpus.target_words)


def pooled(recipe: Recipe) -> Recipe:
    """The same recipe, but the encoder hands over the mean of its vectors."""
    config = dataclasses.replace(recipe.config, pooled=True)
    return dataclasses.replace(recipe, name="translate_pooled", config=config)


def bleu(said: Sequence[Sequence[str]], pairs: Sequence[Pair]) -> float:
    """BLEU of whole words against the one right translation."""
    truth = [" ".join(p.target) for p in pairs]
    return float(sacrebleu.corpus_bleu([" ".join(words) for words in said], [truth],
                                       tokenize="none").score)


def greedy(model: Translator, pairs: Sequence[Pair], **how: Any) -> list[list[str]]:
    return model.greedy(model.source_ids([p.source for p in pairs]), **how)


def seed_run(direction: str, seed: int) -> dict[str, Any]:
    recipe = recipes.with_seed(recipes.named(MODELS[direction]), seed)
    model, pairs = trained(recipe), phrases.corpus(direction).held_out
    looked_at = pairs[:EXAM]
    maps, _ = by_heads(model, looked_at)
    entry: dict[str, Any] = {
        "direction": direction, "seed": seed, "held_out": len(pairs),
        "exact": exam(model, pairs), "zeroed": exam(model, pairs, patch=zero_cross(model.cfg)),
        "looks": agreement(maps, looked_at)[0],
        "dealt": agreement(maps, looked_at, np.random.default_rng(0))[0],
        "cuts": cuts(model, looked_at, np.random.default_rng(0)),
        "pooled": exam(trained(pooled(recipe)), pairs),
        "averaged": right(averaged(model, pairs), pairs)}
    if direction == "fr_en":
        found = exchanged(model, pairs, "values", np.random.default_rng(0))
        entry |= {"of": found["sentences"], "swapped": found["swapped"],
                  "verbs": verbs(model, pairs)}
    making.say(entry)
    return entry


def scores(runs: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """BLEU by direction: seed 0, a dictionary, the nearest sentence, the middle pooled one."""
    found: dict[str, dict[str, float]] = {}
    for direction, name in MODELS.items():
        recipe, pairs = recipes.named(name), phrases.corpus(direction).held_out
        twins = [r for r in runs if r["direction"] == direction]
        level = middle([r["pooled"] for r in twins])
        seed = next(r["seed"] for r in twins if r["pooled"] == level)
        for kind, said in (
                ("model", greedy(trained(recipe), pairs)),
                ("by_word", [word_by_word(direction, p.source).split() for p in pairs]),
                ("nearest", nearest(direction, pairs)),
                ("pooled", greedy(trained(pooled(recipes.with_seed(recipe, seed))), pairs))):
            found.setdefault(kind, {})[direction] = bleu(said, pairs)
    return found


def beam_run(seed: int, early: bool) -> dict[str, Any]:
    """Widths of WIDTHS without a penalty, then the widest with it."""
    recipe = recipes.with_seed(recipes.named(MODELS["fr_en"]), seed)
    if early:
        plan = dataclasses.replace(recipe.training, steps=EARLY)
        recipe = dataclasses.replace(recipe, name="translate_early", training=plan)
    model, pairs = trained(recipe), phrases.corpus("fr_en").held_out[:ASKED]
    good: dict[str, set[int]] = {}
    widths = {}
    for key, width, alpha in (*((f"w{w}", w, 0.0) for w in WIDTHS),
                              ("penalty", WIDTHS[-1], PENALTY)):
        best = [beam.search(model.following(p.source), EOS, width, LONGEST, alpha)[0]
                for p in pairs]
        said = [model.words(h.words) for h in best]
        good[key] = {i for i, (s, p) in enumerate(zip(said, pairs, strict=True))
                      if tuple(s) == p.target}
        widths[key] = {
            "width": width, "log_p": float(np.mean([h.log_p for h in best])),
            "words": float(np.mean([len(h.words) for h in best])),
            "bleu": bleu(said, pairs), "exact": len(good[key]),
            "lost": len(good["w1"] - good[key]), "gained": len(good[key] - good["w1"])}
    making.say("beams", "early" if early else "finished", seed, widths)
    return widths


def of_seeds(seeds: int) -> dict[str, Any]:
    """Both directions from each seed."""
    runs = [seed_run(d, s) for d in MODELS for s in range(seeds)]
    return {"seeds": seeds, "runs": runs, "bleu": scores(runs),
            "recipes": {d: recipes.description(recipes.named(n)) for d, n in MODELS.items()}}


def of_widths(seeds: int) -> dict[str, Any]:
    """The stopped and the finished translator from each seed, and the sentences' length."""
    pairs = phrases.corpus("fr_en").held_out[:ASKED]
    return {"seeds": seeds, "alpha": PENALTY, "steps": EARLY, "sentences": ASKED,
            "longest": LONGEST, "true_words": float(np.mean([len(p.target) for p in pairs])),
            "runs": [{"seed": seed, "early": beam_run(seed, True),
                      "finished": beam_run(seed, False)} for seed in range(seeds)]}


RECORDS = {"translate_seeds": of_seeds, "beam_widths": of_widths}


def main() -> None:
    """Train what is missing, measure, keep."""
    wish = making.wishes(__doc__, seeds=SEEDS, several=tuple(RECORDS))
    for name in wish.names:
        making.keep(name, RECORDS[name](wish.seeds), wish.to, packages=("torch", "sacrebleu"))


if __name__ == "__main__":
    main()
