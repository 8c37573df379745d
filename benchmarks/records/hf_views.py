"""What do a small T5, GPT-2 and BERT let one see?  Makes demos/records/hf_views.json.

    python -m benchmarks.records.hf_views [--to FOLDER]

Random weights, so only structure is recorded: how far a look goes to the right, with the
mask and without, and what a decoder of translations begins from. Needs the extra hf; a few
seconds.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import transformers

from benchmarks import making
from lecture.models import hf
from tests.hf_build import TEXT, build


def rightward(maps: list[Any]) -> float | None:
    """The largest weight to the right of the diagonal in any map; None without maps."""
    return float(np.triu(np.array(maps), 1).max()) if maps else None


def main() -> None:
    """Build, look, keep."""
    wish, found = making.wishes(__doc__), {}
    for family in hf.KINDS:
        with tempfile.TemporaryDirectory() as folder:
            path = build(family, Path(folder))
            v = hf.views(path, TEXT)
            found[family] = {
                "kind": v["kind"], "layers": v["layers"], "heads": v["heads"],
                "encoder_right": rightward(v["encoder"]),
                "decoder_right": rightward(v["decoder"]), "start": v["start"],
                "unmasked_right": None if family == "bert" else
                rightward(hf.unmasked(path, TEXT))}
    with tempfile.TemporaryDirectory() as folder:       # what if it is told to start elsewhere?
        other = hf.views(build("t5", Path(folder), start=1), TEXT)["start"]
    default = transformers.T5Config()
    making.keep("hf_views", {
        "text": TEXT, "models": found,
        "t5": {"pad": default.pad_token_id, "end": default.eos_token_id,
               "buckets": default.relative_attention_num_buckets, "other_start": other,
               "begin_symbols": int(getattr(default, "bos_token_id", None) is not None)}},
        wish.to, packages=("transformers", "torch"))


if __name__ == "__main__":
    main()
