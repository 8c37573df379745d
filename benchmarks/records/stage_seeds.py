"""Do the sentences of demo 15 about the country model hold for other seeds too?

    python -m benchmarks.records.stage_seeds [--seeds 5] [--to FOLDER]

`base` from each seed, from the cache where it was trained before.  Kept are, over the 96
questions: who writes the answer's lead and what follows when a share is handed over (15.1), what
is left with components off (15.2), and with the sub-layers in other orders (15.4).
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

from benchmarks import making
from demos.d15_text_to_next_word import lesson
from lecture.lab.probes import questions
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.gpt_np import GPT

SEEDS = 5


def entry(net: GPT) -> dict[str, Any]:
    """One network: what parts 1, 2 and 4 count of it."""
    q = questions(recipes.named("base").data.world())
    by_stage, counted = lesson.over_the_exam(net, q, True, False, True)
    own = net.run(q.ids, trace=True).trace["final"]
    orders = {" ".join(order): lesson.apart(net, q, order, own)["left"]
              for order in permutations(lesson.STEPS)}
    return {"stages": making.rounded(by_stage), "mlp_half": counted["mlp_half"],
            "cut": {key: row["all"] for key, row in counted["cuts"].items()},
            "switch": lesson.in_the_gpt(net, q, 0, ""), "orders": orders}


def main() -> None:
    """Every seed, and what was found."""
    wish = making.wishes(__doc__, seeds=SEEDS)
    base, runs = recipes.named("base"), []
    for seed in range(wish.seeds):
        runs.append({"seed": seed, **entry(making.network(base, seed)[0])})
        making.say(base.name, f"{seed + 1} of {wish.seeds}")
    making.keep("stage_seeds", {
        "made_by": "python -m benchmarks.records.stage_seeds",
        "fingerprint": recipes.fingerprint(base), "name": base.name,
        "recipe": recipes.described(base.training), "runs": runs,
        "trainer": model_cache.trainer(base)}, wish.to)


if __name__ == "__main__":
    main()
