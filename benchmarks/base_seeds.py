"""Does `base` come out the same from every seed?  Makes demos/records/base_seeds.json.

    python -m benchmarks.base_seeds [how many seeds, 20]

Trains the frozen recipe from seeds 0, 1, 2 .. on one thread, measures each with the
functions demo 04 uses, and writes every seed down. One line a seed on stdout.
"""

from __future__ import annotations

import sys
from typing import Any

from lecture import probes_np, recipes, records


def line(seed: int, run: dict[str, Any]) -> None:
    layer, head = run["best_head"]
    print(f"seed {seed:2}  right {run['right']}  copied {run['copied']['hits']}"
          f"  best head {layer}.{head} {run['weight_on_country'][layer][head]:.2f}"
          f"  left after its cut {run['left_after_cut'][layer][head]}"
          f"  after all cuts {run['left_after_all_cuts']}"
          f"  held out {run['held_out_right']}", flush=True)


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    record = probes_np.record_of_seeds(recipes.named("base"), range(seeds), line)
    print(records.write("base_seeds", record).name)


if __name__ == "__main__":
    main()
