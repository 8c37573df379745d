"""Does every sentence still hold, fail where it must, and every number and word still stand?

For each part: it and its controls can be computed; every claim holds on the metrics; every
claim fails on the control it names, and has a value there; every recorded number and margin is
within its tolerance, and no tolerance is so wide that the printed text could change; the margins
are written as they were when they were accepted; a question has exactly one right answer; an
erratum's figure is not what we measure; every text can be filled in both languages; the shipped
weights are whole.  For each demo: the screen is the recorded one.
Whatever is wrong is named by its place: 04.3 pin causal.weights.2.0.

Left out: layout (tests/), and trained numbers of another seed (bands and records).
"""

from __future__ import annotations

import fnmatch
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demos import Entry
from lecture.errors import LectureError, SetupProblem
from lecture.files import read_json
from lecture.prove import screens
from lecture.prove.written import written as how_written
from lecture.quantities import blocks_of, lead_of
from lecture.report import (
    LANGUAGES,
    LETTERS,
    Claim,
    Erratum,
    Metrics,
    Part,
    Result,
    at,
    leaves,
    reproduces,
    right_options,
    run,
    value_of,
)

SCHEMA = 2
WIDE, TINY = 1e-3, 1e-8         # a share of a value no tolerance may reach; what prints as nothing
MARGIN = 1e-6                   # how far a recorded margin may move: rounding, not a threshold

Recorded = dict[str, dict[str, Any]]                # part key -> path -> value


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
    result: Result | None = None
    moved: dict[str, tuple[Any, Any]] = field(default_factory=dict)     # margins, likewise
    margins: dict[str, list[float | None]] = field(default_factory=dict)
    reworded: dict[str, tuple[Any, Any]] = field(default_factory=dict)  # how the guard is written
    written: dict[str, str] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Does every pin of the part hold?"""
        return not self.changed and not self.moved


def check(entry: Entry) -> Iterator[PartCheck]:
    """Check a demo part by part."""
    recorded, margins, written = read_pins(entry), read_margins(entry), read_written(entry)
    parts = entry.parts()
    for part in parts:
        try:
            yield check_part(entry, part, recorded.get(part.key), margins.get(part.key, {}),
                             written.get(part.key, {}))
        except LectureError:                # the environment's fault, not the part's
            raise
        except Exception as error:
            yield PartCheck(entry.code, part, {}, (Problem(
                f"{entry.code}.{part.number} part", f"cannot be checked: {_said(error)}"),), {}, {})
    for key in sorted(set(recorded) - {p.key for p in parts}):
        place = f"{entry.code} pins"
        yield PartCheck(entry.code, parts[0], {}, (Problem(
            place, f"{pins_file(entry).parent.name}/pins.json records a part {key!r} "
                   "there is not"),), {}, {})


@dataclass(frozen=True)
class Summary:
    """What checking one demo came to, in words: it travels between processes."""

    rows: list[dict[str, Any]]           # one a part: demo, number, part, counts, problems
    screens: list[str]                   # lines of the screen that are not as recorded
    notes: list[str]                     # and those that differ in a last digit only
    moved: list[str]                     # what --accept recorded


def summary(code: str, accepting: bool = False) -> Summary:
    """Check a demo (accepting: and record it); the words to print."""
    from demos import find

    entry, rows, outcomes = find(code)[0], [], []
    try:
        entry.parts()
    except LectureError:                    # the environment's fault, not the demo's
        raise
    except Exception as error:
        problem = Problem(f"{entry.code} folder", f"cannot be imported: {_said(error)}")
        return Summary([{"demo": entry.code, "number": 0, "part": "-", "counts": {},
                         "problems": [vars(problem)]}], [], [], [])
    for outcome in check(entry):
        outcomes.append(outcome)
        problems = [p for p in outcome.problems if not accepting
                    or not any(f" {kind}" in p.place for kind in ("pin", "margin"))]
        rows.append({"demo": outcome.demo, "number": outcome.part.number,
                     "part": outcome.part.key, "counts": outcome.counts,
                     "problems": [vars(p) for p in problems]})
    if accepting:
        return Summary(rows, [], [], accept(entry, outcomes))
    changes = check_screens(entry, outcomes)
    return Summary(rows, [str(c) for c in changes if not c.note],
                   [str(c) for c in changes if c.note], [])


def summaries(codes: Sequence[str], accepting: bool = False) -> Iterator[Summary]:
    """Check several demos, as many at once as there are cores, in order."""
    from lecture.prove.sweep import cores

    workers = min(cores(), len(codes))
    if workers < 2:
        yield from (summary(code, accepting) for code in codes)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            yield from pool.map(summary, codes, [accepting] * len(codes))
        finally:
            pool.shutdown(cancel_futures=True)           # an error must not wait for the rest


def check_screens(entry: Entry, outcomes: Sequence[PartCheck]) -> list[screens.Change]:
    """The lines of the demo's screen that are not as recorded."""
    done = [o for o in outcomes if o.result is not None]
    if len(done) < len(entry.parts()):
        return []                           # a part cannot be computed, and that is named
    try:
        return screens.compare(entry, [o.result for o in done if o.result],
                               {o.part.number: o.sound for o in done})
    except LectureError:
        raise
    except Exception as error:
        return [screens.Change("zh, en", f"{entry.code} screen", "",
                               f"cannot be drawn: {_said(error)}")]


def check_part(entry: Entry, part: Part, recorded: dict[str, Any] | None,
               margins: Mapping[str, Any] | None = None,
               written: Mapping[str, str] | None = None) -> PartCheck:
    """Everything that can be checked of one part; margins, written None: none recorded yet."""
    name = f"{entry.code}.{part.number}"
    problems = [Problem(f"{name} weights {recipe}", what)
                for recipe in part.recipes for what in _weights_problems(recipe)]
    result, what = _computed(part)
    if result is None:
        problems.append(Problem(f"{name} metrics", what))
        return PartCheck(entry.code, part, {}, tuple(problems), {}, {})
    problems += _texts(name, result)
    problems += [Problem(f"{name} claim {c.key}", f"does not hold: margin {_short(v.margin)}")
                 for c in part.every_claim() for v in [result.verdict(c)] if not v.holds]
    controls: dict[str, Metrics] = {}
    for key, compute in part.controls.items():
        control, why = _computed(part, compute)
        controls[key] = control.metrics if control else {}
        if not controls[key]:
            problems.append(Problem(f"{name} control {key}", why or "returns nothing"))
    measured = {c.key: [_value(c, result.metrics),
                        _value(c, controls[c.fails_on])
                        if isinstance(c.fails_on, str) and c.fails_on in controls else None]
                for c in part.every_claim()}
    problems += _controls(name, part, controls, measured)
    for number, question in enumerate(part.questions, 1):
        right = right_options(question, result.metrics)
        if len(right) != 1:
            letters = ", ".join(LETTERS[i] for i in right) or "none"
            problems.append(Problem(f"{name} question {number}",
                                    f"exactly one option must be right, now: {letters}"))
    for erratum in part.errata:
        wrong = erratum_problem(erratum, result)
        if wrong:
            problems.append(Problem(f"{name} erratum {erratum.row}", wrong))
    pins, pin_problems, changed = _compare(name, part, result, recorded)
    moved: dict[str, tuple[Any, Any]] = {}
    if margins is not None and all(_is_shipped(recipe) for recipe in part.recipes):
        moved = _moved(margins, measured)
    problems += [Problem(f"{name} margin {key}", f"recorded {_pair(old)}, measured {_pair(new)} "
                         "(on the metrics | on the control)") for key, (old, new) in moved.items()]
    now = how_written(part)
    reworded = {} if written is None else {
        key: (written.get(key), now.get(key)) for key in (*now, *(written.keys() - now.keys()))
        if written.get(key) != now.get(key)}
    problems += [Problem(f"{name} margin {key}", "is not recorded as it is written" if not old
                         else "is recorded and no longer there" if not new
                         else "is not written as recorded: look at its bounds")
                 for key, (old, new) in reworded.items() if written]
    if reworded and not written:
        problems.append(Problem(f"{name} margins", "how they are written is not recorded"))
    names = {c.fails_on for c in part.every_claim() if isinstance(c.fails_on, str)}
    counts = {"claims": len(part.every_claim()), "controls": len(names), "pins": len(pins),
              "questions": len(part.questions), "errata": len(part.errata)}
    return PartCheck(entry.code, part, counts, tuple(problems + pin_problems), changed, pins,
                     result, moved, measured, reworded, now)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _computed(part: Part, compute: Any = None) -> tuple[Result | None, str]:
    """A part or one of its controls, or why it cannot be computed."""
    try:
        return (run(part) if compute is None else run(part, compute=compute)), ""
    except LectureError:
        raise
    except Exception as error:
        return None, f"cannot be computed: {_said(error)}"


def _value(claim: Claim, metrics: Metrics) -> float | None:
    """A margin's value; None where the metrics lack what it reads."""
    try:
        return value_of(claim.margin, metrics)
    except (LookupError, ValueError, ArithmeticError, AttributeError):
        return None


def _texts(name: str, result: Result) -> list[Problem]:
    """Every text of the part is filled once in both languages: a misspelt field is found here."""
    part, problems = result.part, []
    for lang in LANGUAGES:
        try:
            for block in (*lead_of(part, result.metrics), *blocks_of(part, result.metrics)):
                for key in ("text", "title", "legend"):
                    text = getattr(block, key, None)
                    if text is not None:
                        result.text(text, lang)
                for column in getattr(block, "columns", ()):
                    if hasattr(column, "header"):
                        result.text(column.header, lang)
            for claim in part.every_claim():
                result.text(claim.text, lang)
            for question in part.questions:
                for text in (question.prompt, *(o.text for o in question.options)):
                    text.text(lang, result.asked, part.format_of)
                for option in question.options:
                    if option.misconception:
                        result.text(option.misconception, lang)
            for text in (part.caveat, part.further):
                if text:
                    result.text(text, lang)
            for erratum in part.errata:
                for text in (erratum.says, erratum.right):
                    result.of_erratum(erratum, text, lang)
        except Exception as error:
            said = error.args[0] if isinstance(error, KeyError) and error.args else _said(error)
            problems.append(Problem(f"{name} text", f"cannot be filled in {lang}: {said}"))
    return problems


def _controls(name: str, part: Part, controls: Mapping[str, Metrics],
              margins: Mapping[str, list[float | None]]) -> list[Problem]:
    problems = []
    for claim in part.every_claim():
        control = claim.fails_on
        if not isinstance(control, str):
            continue
        place = f"{name} control {control}"
        if control not in controls:
            problems.append(Problem(place, f"claim {claim.key} names a control there is not"))
            continue
        margin = margins[claim.key][1]
        if margin is not None and margin > 0:
            problems.append(Problem(place, f"claim {claim.key} holds on its control too: "
                                           f"margin {_short(margin)}"))
        if margin is None and claim.undefined is None:
            problems.append(Problem(place, f"claim {claim.key} has no margin there, and does not "
                                           "say why (undefined)"))
        if margin is not None and claim.undefined is not None:
            problems.append(Problem(place, f"claim {claim.key} says it has no margin there: "
                                           f"it is {_short(margin)}"))
    for control in controls.keys() - {c.fails_on for c in part.every_claim()}:
        problems.append(Problem(f"{name} control {control}", "no claim names it"))
    return problems


def _moved(recorded: Mapping[str, Any],
           measured: Mapping[str, list[float | None]]) -> dict[str, tuple[Any, Any]]:
    """Margins that are not as recorded, on the metrics or on the control."""
    moved = {}
    for key in (*measured, *(k for k in recorded if k not in measured)):
        old, new = recorded.get(key), measured.get(key)
        if old is None or new is None or not all(map(_as_recorded, old, new)):
            moved[key] = (old, new)
    return moved


def _as_recorded(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is new
    return math.isclose(old, new, rel_tol=MARGIN, abs_tol=1e-9)


def _pair(pair: list[float | None] | None) -> str:
    return "nothing" if pair is None else " | ".join(_short(x) for x in pair)


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


# --- pins ---------------------------------------------------------------------


def pins_file(entry: Entry) -> Path:
    """Where a demo's recorded metrics stand."""
    return entry.folder / "pins.json"


def _document(entry: Entry) -> dict[str, Any]:
    try:
        found = read_json(pins_file(entry))
    except FileNotFoundError:
        return {}
    for kind in ("parts", "margins", "written"):
        kept = found.get(kind, {})
        if not isinstance(kept, dict) or not all(isinstance(p, dict) for p in kept.values()):
            raise SetupProblem(f"{pins_file(entry)} does not hold {kind} by part and path",
                               "put the file back; without it --accept records anew")
    return found


def read_pins(entry: Entry) -> Recorded:
    """{part key: {metric path: recorded value}}; empty where nothing is recorded."""
    parts: Recorded = _document(entry).get("parts", {})
    return parts


def read_margins(entry: Entry) -> Recorded:
    """{part key: {claim: [margin, margin on the control]}}; empty where none is recorded."""
    margins: Recorded = _document(entry).get("margins", {})
    return margins


def read_written(entry: Entry) -> dict[str, dict[str, str]]:
    """{part key: {margin: how it is written}}; empty where nothing is recorded."""
    found: dict[str, dict[str, str]] = _document(entry).get("written", {})
    return found


def accept(entry: Entry, outcomes: Sequence[PartCheck]) -> list[str]:
    """Record what is measured where it is not as recorded; a line for each change.

    What is within its tolerance keeps its recorded value, so that no byte moves unasked.
    """
    from lecture.files import write_whole

    old, lines = _document(entry), []
    parts: Recorded = {}
    margins: Recorded = {}
    written: dict[str, dict[str, str]] = {}
    for outcome in outcomes:
        if outcome.result is None:
            if outcome.part.key not in parts:               # it cannot be computed: kept as it was
                lines.append(f"{entry.code}.{outcome.part.number}: nothing can be recorded")
                return lines
            continue
        key, place = outcome.part.key, f"{entry.code}.{outcome.part.number}"
        kept = old.get("parts", {}).get(key, {})
        parts[key] = {path: value if path in outcome.changed or path not in kept else kept[path]
                      for path, value in outcome.measured.items()}
        kept = old.get("margins", {}).get(key, {})
        margins[key] = {claim: pair if claim in outcome.moved or claim not in kept else kept[claim]
                        for claim, pair in outcome.margins.items()}
        lines += [f"{place} pin {path}: {_short(was)} -> {_short(now)}"
                  for path, (was, now) in outcome.changed.items()]
        written[key] = outcome.written
        lines += [f"{place} margin {claim}: {_pair(was)} -> {_pair(now)}"
                  for claim, (was, now) in outcome.moved.items()]
        lines += [f"{place} margin {what}: written {was or 'nothing'} -> {now or 'nothing'}"
                  for what, (was, now) in outcome.reworded.items()]
    document = {"schema": SCHEMA, "demo": entry.code, "parts": parts, "margins": margins,
                "written": written}
    text = json.dumps(document, indent=1, sort_keys=True, allow_nan=False,
                      ensure_ascii=False) + "\n"
    path = pins_file(entry)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        write_whole(path, text)
        lines = lines or [f"{entry.code} pins.json: written anew"]
    results = [o.result for o in outcomes if o.result is not None]
    return lines + [str(change) for change in screens.accept(entry, results)]


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
        room = tolerance.room(value)
        if room is not None and abs(value) > TINY and room > WIDE * abs(value):
            problems.append(Problem(place, f"may move by {room:.1g}, more than {WIDE:g} of "
                                           f"{_short(value)}: the printed text could change"))
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
    from lecture.models import cache as model_cache
    from lecture.models import recipes

    return list(model_cache.verify(recipes.RECIPES[name]))


def _is_shipped(name: str) -> bool:
    from lecture.models import cache as model_cache
    from lecture.models import recipes

    return model_cache.load(recipes.RECIPES[name]).origin == "shipped"
