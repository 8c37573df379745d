"""How does a report leave the terminal?  As one JSON document, or as Markdown.

The JSON holds every number of the screen at full precision and nothing that differs
from run to run: no clock, no path.  NaN and infinity are null, and their paths are
listed under non_finite.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from demos import Entry
from lecture.check import reproduces
from lecture.report import Result, at

SCHEMA = 1


def as_json(document: Any) -> str:
    """A document as JSON text; ASCII, so that no stream can refuse it."""
    return json.dumps(document, indent=1, allow_nan=False)


def demo_document(entry: Entry, results: Iterable[Result]) -> dict[str, Any]:
    """One demo's run: {schema, demo, parts: [{key, metrics, claims}], environment}."""
    parts, recipes = [], []
    for result in results:
        recipes += [name for name in result.part.recipes if name not in recipes]
        parts.append({
            "key": result.part.key,
            "number": result.part.number,
            "settings": {**result.params, "seed": result.seed},
            "metrics": result.metrics,
            "non_finite": list(result.non_finite),
            "claims": [{"key": v.claim.key, "holds": v.holds, "margin": v.margin}
                       for v in result.verdicts()],
        })
    return {"schema": SCHEMA, "demo": entry.code, "name": entry.name, "parts": parts,
            "environment": environment(recipes)}


def environment(recipes: Sequence[str] = ()) -> dict[str, Any]:
    """What the numbers were made with: versions, threads, weights by digest."""
    import numpy

    weights = {}
    if recipes:
        from lecture import model_cache
        from lecture.recipes import RECIPES

        for name in recipes:
            loaded = model_cache.load(RECIPES[name])
            weights[name] = {"digest": loaded.digest, "origin": loaded.origin}
    return {"python": platform.python_version(), "numpy": numpy.__version__,
            "lecture": version(),
            "threads": os.environ.get("OPENBLAS_NUM_THREADS", os.environ.get("OMP_NUM_THREADS")),
            "platform": sys.platform, "weights": weights}


def version() -> str:
    """The installed version; "source" where the project is run from its folder."""
    from importlib import metadata

    try:
        return metadata.version("lecture")
    except metadata.PackageNotFoundError:
        return "source"


def errata_document(entry: Entry, results: Iterable[Result],
                    lang: str = "en") -> list[dict[str, Any]]:
    """Every erratum of a demo, one flat entry a row, with what is measured."""
    entries = []
    for result in results:
        for erratum in result.part.errata:
            measured = at(result.metrics, erratum.metric) if erratum.metric else None
            verdict = ("reproduces" if reproduces(erratum, result.metrics) else
                       "does not reproduce" if erratum.notes is not None else "see right")
            entries.append({
                "row": erratum.row, "demo": entry.code, "part": result.part.number,
                "kind": erratum.kind, "says": erratum.says.text(lang, result.metrics),
                "notes": erratum.notes, "metric": erratum.metric, "measured": measured,
                "right": erratum.right.text(lang, result.metrics), "verdict": verdict,
            })
    return entries


def errata_markdown(entries: Sequence[dict[str, Any]]) -> str:
    """The errata as a Markdown list, one record a row."""
    lines = ["# Errata", ""]
    for item in entries:
        lines.append(f"- **{item['row']}** (demo {item['demo']}.{item['part']}, {item['kind']})")
        lines.append(f"  - notes: {_escape(item['says'])}")
        if item["metric"]:
            figure = "" if item["notes"] is None else f", the notes' figure is {item['notes']:g}"
            lines.append(f"  - measured: `{item['metric']}` = {_figure(item['measured'])}{figure}")
        lines.append(f"  - right: {_escape(item['right'])}")
    return "\n".join(lines) + "\n"


def _figure(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _escape(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("|", "\\|")
