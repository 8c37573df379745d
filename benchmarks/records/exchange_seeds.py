"""Which heads fetch the country, and which what is asked, whatever the seed?

    python -m benchmarks.records.exchange_seeds [--seeds 10] [--to FOLDER]

`base` trained anew from each seed.  Heads hand over what they fetch for another question
(demo 04.5): the next country's, or the next question's; kept are how many of the 96
answers follow, for each head alone and for each pair; and for each kind of question the
word every head looks at most, its weight, and what is right without it.  10 trainings of
some 8 s.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from benchmarks import making
from lecture.lab.probes import (
    asked_about,
    hand_over,
    next_country,
    next_question,
    questions,
    said,
)
from lecture.models import recipes
from lecture.models.gpt_np import GPT
from pretrain_world import tokenizer

SEEDS = 10


def entry(net: GPT, _: Any) -> dict[str, Any]:
    """How many answers follow the hand-over, by head and by pair: "L0H1", "L0H1 L1H1";
    where each head looks most."""
    world = recipes.named("base").data.world()
    tok = tokenizer(world)
    q = questions(world, tok)
    heads = [(i, j) for i in range(net.cfg.n_layer) for j in range(net.cfg.n_head)]
    found: dict[str, Any] = {"asked": asked_about(net, q, tok, False)}
    for name, donors in (("country", next_country(q)), ("question", next_question(q))):
        wanted = q.answers[donors]
        found[name] = {" ".join(f"L{i}H{j}" for i, j in chosen): int(
            (said(net, q, hand_over(net, q, chosen, donors)) == wanted).sum())
            for size in (1, 2) for chosen in combinations(heads, size)}
    return found


def main() -> None:
    """Train every seed and keep what was found."""
    wish = making.wishes(__doc__, seeds=SEEDS)
    making.keep("exchange_seeds", {
        "made_by": "python -m benchmarks.records.exchange_seeds",
        **making.of_seeds(recipes.named("base"), wish.seeds, entry)}, wish.to)


if __name__ == "__main__":
    main()
