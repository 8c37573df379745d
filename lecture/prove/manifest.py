"""Is every trained file the one that was looked at, and can it be trained again?

demos/MANIFEST.json lists every weights file and every record: its SHA-256, and who made it
(versions, date, machine, trainer), copied from the file itself; what a file does not say is
"unknown".  A model also lists the trainers that reproduced it: trained afresh by that code,
from the shipped seed, it keeps every claim and every band of the parts it serves.  A file
that is not the listed one, not listed or not there is a problem that names it, and so is a
shipped model that the code of today was never seen to reproduce.

Left out: whether a claim holds (check), whether a file is whole and fits its recipe (the
models' cache).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lecture import TOP
from lecture.files import read_json, write_whole
from lecture.prove.check import Problem

SCHEMA = 1
FOLDERS = {"weights": "*.safetensors", "records": "*.json"}
MADE = ("versions", "date", "machine", "trainer")
UNKNOWN = "unknown"

Listed = dict[str, dict[str, Any]]                  # "weights/base.safetensors" -> its entry


def top() -> Path:
    """The folder the names in the manifest start from."""
    return Path(TOP, "demos")


def path() -> Path:
    """The manifest's file."""
    return top() / "MANIFEST.json"


@dataclass(frozen=True)
class FilesCheck:
    """How much was looked at, and what is wrong."""

    counts: dict[str, int]
    problems: tuple[Problem, ...]


# --- the file --------------------------------------------------------------------------
def read() -> Listed:
    """What is listed; nothing where there is no manifest, or none that can be read."""
    try:
        listed = json.loads(path().read_text(encoding="utf-8"))["files"]
        return {str(name): dict(entry) for name, entry in listed.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def write(listed: Listed) -> bool:
    """Keep the list in one spelling, whole or not at all; True if a byte changed."""
    document = {"schema": SCHEMA, "files": listed}
    text = json.dumps(document, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False)
    content = f"{text}\n".encode()
    if path().exists() and path().read_bytes() == content:
        return False
    write_whole(path(), content)
    return True


def on_disk() -> dict[str, bytes]:
    """The content of every file that must be listed, by the name it is listed under."""
    return {f"{folder}/{file.name}": file.read_bytes() for folder, pattern in FOLDERS.items()
            for file in sorted((top() / folder).glob(pattern)) if file.is_file()}


def made(name: str, content: bytes) -> dict[str, Any]:
    """What a file says of its making; "unknown" where it says nothing."""
    from lecture.models.cache import meta_of

    try:
        said = json.loads(content) if name.startswith("records/") else meta_of(content)
    except (ValueError, KeyError, TypeError, RecursionError):
        said = {}
    said = said if isinstance(said, dict) else {}
    return {key: said.get(key, UNKNOWN) for key in MADE}


# --- the comparison --------------------------------------------------------------------
def check_files() -> FilesCheck:
    """Compare what the course ships with its manifest."""
    return compare(trainers_today(), debts())


def compare(today: dict[str, str], debts: Iterable[str] = ()) -> FilesCheck:
    """Compare the disk with the list; today: each shipped model's trainer as it is now.

    debts: models whose trainer need not be listed yet.
    """
    listed, found, owed = read(), on_disk(), set(debts)
    problems = []
    for name in sorted(listed.keys() | found.keys()):
        old = listed[name].get("sha256") if name in listed else None
        new = hashlib.sha256(found[name]).hexdigest() if name in found else None
        if old == new:
            if any(listed[name].get(key) != said for key, said in made(name, found[name]).items()):
                problems.append(Problem(f"demos/{name}", "was not made as the manifest says"))
            continue
        what = ("is not in the manifest" if old is None else "is in the manifest and not there"
                if new is None else "is not the one in the manifest")
        problems.append(Problem(f"demos/{name}", what))
    open_ = {model for model, code in today.items() if code not in trainers(listed, model)}
    for model in sorted(open_ - owed):
        problems.append(Problem(f"demos/weights/{model}.safetensors",
                         f"today's trainer ({today[model][:12]}) has not been seen to reproduce it:"
                         f" lecture check {home(model)} --retrain --fresh"))
    counts = {"files": len(found), "trainers": len(today) - len(open_)}
    if open_ & owed:
        counts["trainers not yet reproduced"] = len(open_ & owed)
    return FilesCheck(counts, tuple(problems))


def trainers(listed: Listed, model: str) -> set[str]:
    """The code that made a shipped model or was seen to reproduce it."""
    entry = listed.get(f"weights/{model}.safetensors", {})
    return {entry.get("trainer", UNKNOWN),
            *(by["trainer"] for by in entry.get("reproduced", []))} - {UNKNOWN}


def accept() -> dict[str, str]:
    """List what is there now; what changed, by name. A changed model was not reproduced yet."""
    listed, kept, changed = read(), Listed(), dict[str, str]()
    for name, content in on_disk().items():
        old, new = listed.get(name, {}), hashlib.sha256(content).hexdigest()
        before = old.get("sha256")
        entry = {"sha256": new, **made(name, content)}
        if name.startswith("weights/"):
            entry["reproduced"] = old.get("reproduced", []) if before == new else []
        kept[name] = entry
        if before is None:
            changed[name] = f"is new: {new[:12]}"
        elif before != new:
            changed[name] = f"{before[:12]} -> {new[:12]}"
        elif entry != old:
            changed[name] = "who made it was written anew"
    changed |= dict.fromkeys(listed.keys() - kept.keys(), "is gone")
    if write(kept) and not changed:
        changed[path().name] = "was written anew"
    return changed


def add_reproduced(models: dict[str, dict[str, Any]]) -> list[str]:
    """Note for each model who reproduced it (trainer, versions, date, machine, digest).

    A trainer that is listed already is not listed again; the models that were new.
    """
    listed, new = read(), []
    for model, by in sorted(models.items()):
        entry = listed.get(f"weights/{model}.safetensors")
        if entry is None or by["trainer"] in {r["trainer"] for r in entry["reproduced"]}:
            continue
        entry["reproduced"].append(by)
        new.append(model)
    if new:
        write(listed)
    return new


# --- the course's own -------------------------------------------------------------------
def trainers_today() -> dict[str, str]:
    """Each shipped model's trainer as the code is now."""
    from lecture.models import cache as model_cache
    from lecture.models import recipes

    return {name: model_cache.trainer(recipe) for name, recipe in recipes.RECIPES.items()}


def debts() -> list[str]:
    """Models that nobody has trained again with today's trainer.

    A wheel has no tests and no list: there every model may be one, and they are only counted.
    The checkout the wheel was built from has been held to its list.
    """
    if Path(TOP).name == "_top":
        return list(trainers_today())
    try:
        listed = read_json(Path(TOP, "tests", "debts.json"))
    except FileNotFoundError:
        return []
    return list(listed.get("trainers not yet reproduced", []))


def home(model: str) -> str:
    """The first demo that uses a model: the one that judges a training of it."""
    from demos import REGISTRY

    return next((e.code for e in REGISTRY for p in e.parts() if model in p.recipes), "all")
