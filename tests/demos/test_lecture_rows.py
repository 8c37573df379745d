"""What the lecture's own script prints on our modules, row for row, is what demo 04 measures.

The script was run unmodified beside our modules; its numbers stand here as they were
printed.  A measured value must round to the same digits.  The file itself stays outside.
"""

from __future__ import annotations

import pytest

from demos import d04_attention as demo
from lecture.report import at

PARTS = {part.key: part for part in demo.PARTS}

# part, leaf, the printed figure; a list is one printed row
LOOK_UPS = {
    "colour.soft": "0.40 0.15 0.15 0.30 23.4", "colour.sharp": "0.95 0.00 0.00 0.05 11.4",
    "place.soft": "0.17 0.17 0.48 0.17 26.5", "place.sharp": "0.00 0.00 1.00 0.00 30.0",
    "both.soft": "0.26 0.26 0.10 0.39 26.1", "both.sharp": "0.02 0.02 0.00 0.96 39.1",
    "nothing.soft": "0.25 0.25 0.25 0.25 25.0", "nothing.sharp": "0.25 0.25 0.25 0.25 25.0"}
WIDTHS = {4: "0.435 1.74 0.237 2.38", 16: "0.681 0.91 0.241 2.37", 64: "0.835 0.43 0.243 2.36",
          256: "0.918 0.21 0.245 2.36", 1024: "0.960 0.10 0.244 2.36"}
MAPS = {"full": """
0.54 0.10 0.10 0.03 0.11 0.11
0.14 0.29 0.15 0.04 0.27 0.10
0.09 0.10 0.37 0.24 0.09 0.11
0.00 0.00 0.01 0.97 0.00 0.02
0.04 0.08 0.04 0.01 0.81 0.02
0.07 0.04 0.07 0.55 0.04 0.22""", "causal": """
1.00 0.00 0.00 0.00 0.00 0.00
0.32 0.68 0.00 0.00 0.00 0.00
0.17 0.18 0.66 0.00 0.00 0.00
0.00 0.00 0.01 0.99 0.00 0.00
0.04 0.08 0.04 0.01 0.83 0.00
0.07 0.04 0.07 0.55 0.04 0.22"""}
CIRCUITS = {"full": "0.0% 100.0% 1.00", "beta5": "0.0% 100.0% 0.91", "beta2": "0.0% 100.0% 0.35",
            "no_positions": "0.0% 0.0% 0.13", "layer2_only": "0.0% 0.0% 0.07"}
EXAMPLE = {"sequence.0": "4", "at": "13", "word": "2", "left": "12", "found": "4",
           "weight": "1.00", "says": "13", "truth": "13"}
HEADS = ["0.98 0.00", "0.02 0.52", "0.05 0.15", "0.01 0.21"]      # country, relation words

ROWS = [
    *(("lookup", [f"queries.{row}.weights.{i}" for i in range(4)] + [f"queries.{row}.value"],
       printed) for row, printed in LOOK_UPS.items()),
    ("scale", ["even_entropy"], "2.77"),
    *(("scale", [f"{arm}.d{d}.{leaf}" for arm in ("unscaled", "scaled")
                 for leaf in ("max_weight", "entropy")], printed)
      for d, printed in WIDTHS.items()),
    *(("mask", [f"{name}.{t}.{s}" for s in range(6)], line)
      for name, lines in MAPS.items() for t, line in enumerate(lines.split("\n")[1:])),
    *(("induction", [f"rows.{row}.{leaf}" for leaf in ("first", "second", "weight")], printed)
      for row, printed in CIRCUITS.items()),
    *(("induction", [f"example.{leaf}"], printed) for leaf, printed in EXAMPLE.items()),
    *(("tiny_gpt", [f"heads.{i}.country", f"heads.{i}.relation"], printed)
      for i, printed in enumerate(HEADS)),
    ("tiny_gpt", ["questions"], "96"), ("tiny_gpt", ["copied.total"], "1100"),
]


@pytest.mark.parametrize(("part", "leaves", "printed"), ROWS,
                         ids=[f"{part}-{leaves[0]}" for part, leaves, _ in ROWS])
def test_a_row_of_the_script_is_a_row_of_the_demo(results, part, leaves, printed) -> None:
    metrics = results(PARTS[part]).metrics
    assert len(leaves) == len(printed.split())
    for leaf, figure in zip(leaves, printed.split(), strict=True):
        value = at(metrics, leaf) or 0.0                        # a hidden weight is printed as 0
        if figure.endswith("%"):
            assert f"{value:.1%}" == figure, leaf
        else:
            assert f"{value:.{len(figure.partition('.')[2])}f}" == figure, leaf


def test_the_copy_test_of_the_script(results) -> None:
    """It draws the same names in its own order: 1.5 % there, within one place in a hundred."""
    copied = results(PARTS["tiny_gpt"]).metrics["copied"]
    assert abs(copied["hits"] / copied["total"] - 0.015) < 0.01
