"""What several parts of demo 14 share: names of branches, tolerances."""

from __future__ import annotations

from lecture.report import Quantity, T, close, exact

TRAINED = close("shipped weights, matrix products", rtol=1e-6, atol=1e-9)
COUNT = exact("counts and words")
RECORD = exact("a record")
MEAN = close("means of a record", rtol=1e-9, atol=1e-12)

BRANCH_NAMES = {"attn0": T("L0 注意力", "attention L0"), "mlp0": T("L0 MLP", "MLP L0"),
                "attn1": T("L1 注意力", "attention L1"), "mlp1": T("L1 MLP", "MLP L1"),
                "mlp": T("两个 MLP", "both MLPs")}
A_COUNT = Quantity(T("数", "count"), "d")
SEEDS = Quantity(T("种子", "seeds"), "d")
