"""Does skip-gram put the same words together as counting?  Makes demos/records/skip_gram.json.

    python -m benchmarks.records.skip_gram [--seeds N] [--to FOLDER]

The texts of demo 02.2 (its own share of them, and the same words strewn anywhere), three
widths, five seeds; each table is asked what the demo asks of the counted ones, by the demo's
own function.  Word rows only.  NumPy alone, 2 to 3 s a training.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from benchmarks import making
from demos.d02_embeddings import lesson
from lecture.lab import skip_gram

SEEDS = 5
SHARE = 0.75                                # of the texts: the default of demo 02.2
ARMS = {"text": False, "strewn": True}
WIDTHS = (8, 16, 32)


def entry(text: lesson.Corpus, width: int, seed: int,
          setup: skip_gram.Setup) -> dict[str, Any]:
    """One training, asked what demo 02.2 asks; pmi: its scores beside ln(ratio)."""
    W, C, _ = skip_gram.train(text.rows, len(text.words), width, seed, setup)
    total = text.counts.sum(axis=1)
    seen = text.counts > 0
    ratio = text.counts * text.counts.sum() / np.outer(total, total)
    pmi = np.corrcoef((W @ C.T)[seen], np.log(ratio[seen]))[0, 1]
    return {"dims": width, **lesson.beside(W, text), "pmi": float(pmi)}


def main() -> None:
    """Train every table and keep what was found."""
    wish, setup = making.wishes(__doc__, seeds=SEEDS), skip_gram.Setup()
    runs: dict[str, Any] = {}
    for arm, strewn in ARMS.items():
        text = lesson.read_corpus(SHARE, 0, strewn)
        runs[arm] = {f"d{width}": [entry(text, width, seed, setup) for seed in range(wish.seeds)]
                     for width in WIDTHS}
        making.say(arm, {key: [round(run["same_kind"], 2) for run in found]
                         for key, found in runs[arm].items()})
    making.keep("skip_gram", {
        "made_by": "python -m benchmarks.records.skip_gram", "share": SHARE,
        "setup": dataclasses.asdict(setup), "runs": runs}, wish.to, packages=())


if __name__ == "__main__":
    main()
