"""What was trained beforehand, over several seeds, and is only shown here.

A record is JSON in demos/records: the recipe or the settings, the versions, the date,
and one entry a seed.  It is shown as recorded, never as measured now.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RECORDS = Path(__file__).resolve().parent.parent / "demos" / "records"


def read(name: str) -> Any:
    """The record demos/records/NAME.json; FileNotFoundError where there is none."""
    return json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))


def write(name: str, record: Any) -> Path:
    """Keep a record, in one spelling; the file."""
    path = RECORDS / f"{name}.json"
    text = json.dumps(record, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path
