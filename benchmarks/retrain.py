"""Which claims survive another training?  `python -m benchmarks.retrain [SEEDS]`

What `lecture check all --retrain --seeds 5` counts, kept: retrain.json beside this file holds every
claim about a trained model with its margin on each seed, and the table here those that did
not hold on all of them. A claim that fell below 4 of 5 would have to be reworded or go: the run
then exits with 1. Some 20 minutes on two cores the first time; the trainings stay in the cache.
"""

from __future__ import annotations

import json
import platform
import sys
from collections import Counter
from pathlib import Path

from demos import REGISTRY
from lecture.models import cache as model_cache
from lecture.prove.sweep import Share, retrain

RESULT = Path(__file__).with_suffix(".json")


def table(shares: list[Share], seeds: int) -> str:
    """Markdown: how many claims a demo has of each share, then those not held by all."""
    counts = Counter((s.place.partition(".")[0], s.holds) for s in shares)
    levels = sorted({s.holds for s in shares} | {seeds}, reverse=True)
    lines = ["| demo | " + " | ".join(f"{n} of {seeds}" for n in levels) + " |",
             "|---|" + "---:|" * len(levels)]
    for demo in sorted({place for place, _ in counts}):
        lines.append(f"| {demo} | " + " | ".join(str(counts[demo, n]) for n in levels) + " |")
    lines += ["", "| claim | holds in | margins |", "|---|---:|---|"]
    for s in shares:
        if s.holds < seeds:
            margins = ", ".join("none" if m is None else f"{m:.3g}" for m in s.margins)
            lines.append(f"| {s.place} `{s.claim}` | {s.holds} of {seeds} | {margins} |")
    return "\n".join(lines)


def main(seeds: int) -> int:
    shares = list(retrain(REGISTRY, seeds, say=lambda line: print(line, file=sys.stderr)))
    print(table(shares, seeds))
    RESULT.write_text(json.dumps({
        "machine": f"{platform.system()} {platform.machine()}, one thread a training",
        "versions": model_cache.versions(), "seeds": seeds,
        "claims": [{"place": s.place, "claim": s.claim, "holds": s.holds,
                    "margins": [m if m is None else float(f"{m:.4g}") for m in s.margins]}
                   for s in shares]}, indent=1) + "\n")
    return int(any(5 * s.holds < 4 * seeds for s in shares))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
