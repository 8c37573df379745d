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
from lecture.report import Result, at, reproduces, written

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
            "claims": [{"key": c.key, "kind": c.kind, "more": c.more, "holds": v.holds,
                        "margin": v.margin}
                       for c in result.part.every_claim() for v in [result.verdict(c)]],
        })
    return {"schema": SCHEMA, "demo": entry.code, "name": entry.name, "parts": parts,
            "environment": environment(recipes)}


def environment(recipes: Sequence[str] = ()) -> dict[str, Any]:
    """What the numbers were made with: versions, threads, weights by digest."""
    import numpy

    weights = {}
    if recipes:
        from lecture.models import cache as model_cache
        from lecture.models.recipes import RECIPES

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
            entries.append({
                "row": erratum.row, "demo": entry.code, "part": result.part.number,
                "where": erratum.where.split(), "verdict": erratum.verdict,
                "kind": erratum.kind, "says": result.of_erratum(erratum, erratum.says, lang),
                "notes": erratum.notes, "metric": erratum.metric, "measured": measured,
                "shown": written(measured, erratum.format) if isinstance(measured, float)
                else None if erratum.metric is None else str(measured),
                "right": result.of_erratum(erratum, erratum.right, lang),
                "reproduces": reproduces(erratum, result.metrics),
            })
    return entries


def errata_markdown(entries: Sequence[dict[str, Any]]) -> str:
    """Where the notes can be said better, as a Markdown list, one record a row."""
    lines = ["# Where the notes can be said better", ""]
    for item in entries:
        about = ", ".join([f"demo {item['demo']}.{item['part']}", *item["where"],
                           item["verdict"] or item["kind"]])
        lines.append(f"- **{item['row']}** ({about})")
        lines.append(f"  - notes: {_escape(item['says'])}")
        if item["metric"]:
            figure = "" if item["notes"] is None else f", the notes' figure is {item['notes']:g}"
            lines.append(f"  - measured: `{item['metric']}` = {item['shown']}{figure}")
        lines.append(f"  - right: {_escape(item['right'])}")
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").replace("|", "\\|")
