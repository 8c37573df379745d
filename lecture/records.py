"""What was trained beforehand, over several seeds, and is only shown here.

A record is JSON in demos/records: the recipe or the settings, the versions, the date,
and one entry a seed.  It is shown as recorded, never as measured now.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lecture import TOP
from lecture.files import read_json, write_whole

RECORDS = Path(TOP, "demos", "records")


def read(name: str) -> Any:
    """The record demos/records/NAME.json; FileNotFoundError where there is none."""
    return read_json(RECORDS / f"{name}.json")


def write(name: str, record: Any, folder: Path = RECORDS) -> Path:
    """Keep a record as folder/NAME.json, in one spelling, whole or not at all; the file."""
    path = folder / f"{name}.json"
    text = json.dumps(record, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False)
    write_whole(path, text + "\n")
    return path
