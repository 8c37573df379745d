"""What several parts of demo 13 share: tolerances, columns."""

from __future__ import annotations

from lecture.report import Quantity, T, close, exact

SHIPPED = close("shipped weights, matrix products", 1e-6, 1e-9)
COUNT = exact("a count or a word")
RECORD = exact("a record")
ANSWERS = Quantity(T("题数", "answers"), "d")
ACCURACY = Quantity(T("对", "right"), ".3f")
CONFIDENCE = Quantity(T("置信度", "confidence"), ".3f")
ECE = Quantity(T("ECE", "ECE"), ".3f")
AUROC = Quantity(T("AUROC", "AUROC"), ".2f")
SEEDS = Quantity(T("种子", "seeds"), "d")
SEED = T("种子", "seed")
OTHER_SEEDS = T("换种子重训（记录，{record.seeds} 个）",
                "Trained from other seeds (recorded, {record.seeds})")
