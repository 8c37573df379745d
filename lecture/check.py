"""Does every sentence still hold, fail where it must, and every number still stand?

For each part: every claim holds on the metrics; every claim fails on the control it
names; every recorded number is within its tolerance; a question has exactly one right
answer; an erratum's figure is not what we measure; the shipped weights are whole.
Whatever is wrong is named by its place: 04.3 pin causal.weights.2.0.

Left out: layout (tests/), and trained numbers of another seed (bands and records).
"""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demos import Entry
from lecture.report import Erratum, Part, Result, at, leaves, measure, right_options, run

PINS = Path(__file__).resolve().parent.parent / "demos" / "pins"
SCHEMA = 1


@dataclass(frozen=True)
class Problem:
    """What does not hold, and where: place is like "04.3 claim causal_is_exact"."""

    place: str
    what: str


@dataclass(frozen=True)
class PartCheck:
    """One part's outcome: how much was looked at, and what is wrong."""

    demo: str
    part: Part
    counts: dict[str, int]
    problems: tuple[Problem, ...]
    changed: dict[str, tuple[Any, Any]]         # pin path -> (recorded, measured)
    measured: dict[str, Any]                    # pin path -> measured


def check(entry: Entry) -> Iterator[PartCheck]:
    """Check a demo part by part."""
    recorded = read_pins(entry)
    parts = entry.parts()
    for part in parts:
        yield check_part(entry, part, recorded.get(part.key))
    for key in sorted(set(recorded) - {p.key for p in parts}):
        place = f"{entry.code} pins"
        yield PartCheck(entry.code, parts[0], {}, (Problem(
            place, f"demos/pins/{entry.code}.json records a part {key!r} there is not"),), {}, {})


def check_part(entry: Entry, part: Part, recorded: dict[str, Any] | None) -> PartCheck:
    """Everything that can be checked of one part."""
    name = f"{entry.code}.{part.number}"
    problems = [Problem(f"{name} weights {recipe}", what)
                for recipe in part.recipes for what in _weights_problems(recipe)]
    result = run(part)
    problems += [Problem(f"{name} claim {v.claim.key}", f"does not hold: margin {_short(v.margin)}")
                 for v in result.verdicts() if not v.holds]
    problems += _controls(name, part)
    for number, question in enumerate(part.questions, 1):
        right = right_options(question, result.metrics)
        if len(right) != 1:
            letters = ", ".join("ABCDEFGH"[i] for i in right) or "none"
            problems.append(Problem(f"{name} question {number}",
                                    f"exactly one option must be right, now: {letters}"))
    for erratum in part.errata:
        what = erratum_problem(erratum, result)
        if what:
            problems.append(Problem(f"{name} erratum {erratum.row}", what))
    pins, pin_problems, changed = _compare(name, part, result, recorded)
    controls = {c.fails_on for c in part.claims if isinstance(c.fails_on, str)}
    counts = {"claims": len(part.claims), "controls": len(controls), "pins": len(pins),
              "questions": len(part.questions), "errata": len(part.errata)}
    return PartCheck(entry.code, part, counts, tuple(problems + pin_problems), changed, pins)


def _controls(name: str, part: Part) -> list[Problem]:
    problems = []
    metrics: dict[str, Any] = {}
    for claim in part.claims:
        control = claim.fails_on
        if not isinstance(control, str):
            continue
        place = f"{name} control {control}"
        if control not in part.controls:
            problems.append(Problem(place, f"claim {claim.key} names a control there is not"))
            continue
        if control not in metrics:
            metrics[control] = run(part, compute=part.controls[control]).metrics
        margin = measure(claim.margin, metrics[control])
        if margin is not None and margin > 0:
            problems.append(Problem(place, f"claim {claim.key} holds on its control too: "
                                           f"margin {_short(margin)}"))
    for control in part.controls.keys() - {c.fails_on for c in part.claims}:
        problems.append(Problem(f"{name} control {control}", "no claim names it"))
    return problems


def erratum_problem(erratum: Erratum, result: Result) -> str | None:
    """What is wrong with an erratum on these metrics, if anything."""
    if erratum.kind == "measured" and erratum.metric is None:
        return "a measured erratum needs a metric"
    if erratum.metric is None:
        return None
    try:
        at(result.metrics, erratum.metric)
    except KeyError as error:
        return str(error.args[0])
    return "the notes' figure is what we measure" if reproduces(erratum, result.metrics) else None


def reproduces(erratum: Erratum, metrics: Any) -> bool:
    """Is the notes' figure what is measured, to the digits they give?"""
    if erratum.metric is None or erratum.notes is None:
        return False
    measured = at(metrics, erratum.metric)
    if isinstance(measured, bool) or not isinstance(measured, int | float):
        return False
    return bool(abs(measured - erratum.notes) <= erratum.within + 1e-12 * abs(erratum.notes))


# --- pins ---------------------------------------------------------------------


def pins_file(entry: Entry) -> Path:
    """Where a demo's recorded metrics stand."""
    return PINS / f"{entry.code}.json"


def read_pins(entry: Entry) -> dict[str, dict[str, Any]]:
    """{part key: {metric path: recorded value}}; empty where nothing is recorded."""
    try:
        document = json.loads(pins_file(entry).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    parts: dict[str, dict[str, Any]] = document["parts"]
    return parts


def write_pins(entry: Entry, parts: dict[str, dict[str, Any]]) -> None:
    """Record these metrics; whole or not at all."""
    document = {"schema": SCHEMA, "demo": entry.code, "parts": parts}
    text = json.dumps(document, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False)
    path = pins_file(entry)
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(text + "\n", encoding="utf-8")
    os.replace(temporary, path)


def tolerance_of(part: Part, path: str) -> Any:
    """The first tolerance whose pattern matches the path, or None."""
    return next((t for pattern, t in part.pins.items() if fnmatch.fnmatchcase(path, pattern)), None)


def _compare(name: str, part: Part, result: Result, recorded: dict[str, Any] | None) -> tuple[
        dict[str, Any], list[Problem], dict[str, tuple[Any, Any]]]:
    measured = dict(leaves(result.metrics))
    problems, changed = [], {}
    if recorded is None:
        problems.append(Problem(f"{name} pins", "nothing is recorded: look at the screen, then "
                                "record it with --accept"))
        recorded = {}
        changed = {path: (None, value) for path, value in measured.items()}
    shipped = all(_is_shipped(recipe) for recipe in part.recipes)
    used: set[str] = set()
    for path, value in measured.items():
        tolerance = tolerance_of(part, path)
        place = f"{name} pin {path}"
        if tolerance is None:
            problems.append(Problem(place, "no pattern of the part's pins covers it"))
            continue
        used |= {p for p in part.pins if part.pins[p] is tolerance}
        if not recorded or (tolerance.kind != "band" and not shipped):
            continue                       # other weights: claims and bands decide
        if path not in recorded:
            problems.append(Problem(place, f"is not recorded; measured {_short(value)}"))
            changed[path] = (None, value)
        elif not tolerance.accepts(recorded[path], value):
            problems.append(Problem(place, f"recorded {_short(recorded[path])}, measured "
                                           f"{_short(value)} ({tolerance.kind}: {tolerance.why})"))
            changed[path] = (recorded[path], value)
    for path in sorted(set(recorded) - set(measured)):
        problems.append(Problem(f"{name} pin {path}", "is recorded but no longer measured"))
        changed[path] = (recorded[path], None)
    for pattern in part.pins.keys() - used:
        problems.append(Problem(f"{name} pins", f"the pattern {pattern!r} covers nothing"))
    return measured, problems, changed


def _short(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


# --- weights ------------------------------------------------------------------


def _weights_problems(name: str) -> list[str]:
    from lecture import model_cache, recipes

    return list(model_cache.verify(recipes.RECIPES[name]))


def _is_shipped(name: str) -> bool:
    from lecture import model_cache, recipes

    return model_cache.load(recipes.RECIPES[name]).origin == "shipped"
