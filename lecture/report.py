"""What is a demo made of, so that no sentence on its screen can be false?

A part computes METRICS: plain numbers, strings, lists and nested dicts, and
nothing else.  Everything a person sees is tied to them: tables print them,
sentences hold them as fields, a claim is a signed margin on them, a pin records
them, an erratum compares one of them with the figure in the notes.  So words and
numbers cannot drift apart: there is only one number.

This file holds the types and the few functions on them.  It draws nothing (see
console.py), checks nothing (see check.py) and imports nothing of ours.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# Every class here is a plain frozen record, told apart by identity: with the generated
# comparison and repr left out, start-up is 4 ms shorter.
Metrics = dict[str, Any]
Margin = Callable[[Any], float]
LANGUAGES = ("zh", "en")


class _Fields(string.Formatter):
    """str.format on metric paths: {variants[full][second]:.1%}; None reads "n/a"."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None:
            return "n/a"
        if isinstance(value, str | bool):
            return str(value)
        return format(value, format_spec)


_FIELDS = _Fields()


@dataclass(frozen=True, eq=False, repr=False)
class T:
    """One text in the lecture's two languages, on adjacent lines."""

    zh: str
    en: str

    def text(self, lang: str, metrics: Mapping[str, Any] | None = None) -> str:
        """The text in lang, its fields filled from the metrics."""
        template = self.en if lang == "en" else self.zh
        return template if metrics is None else _FIELDS.vformat(template, (), metrics)


# --- what a part says ---------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Claim:
    """One observation: a sentence, and a margin that is > 0 exactly when it holds.

    fails_on names the control on which the margin must not be positive; a T says
    why no control can exist.
    """

    key: str
    text: T
    margin: Margin
    fails_on: str | T


@dataclass(frozen=True, eq=False, repr=False)
class Option:
    """One answer of a question; a wrong one names the misconception behind it."""

    text: T
    margin: Margin
    misconception: T | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Question:
    """A prediction asked before anything is shown; exactly one margin is > 0."""

    prompt: T
    options: tuple[Option, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Erratum:
    """A sentence of the lecture notes, beside what is measured.

    kind: "measured" (metric is a path; notes is the notes' own figure, reproduced
    when the measured one is within `within` of it), "code" (what the notes' code
    does when run) or "reading".
    """

    row: str
    kind: str
    says: T
    right: T
    metric: str | None = None
    notes: float | None = None
    within: float = 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Param:
    """A number, word or switch that --set may change; typed as its default."""

    default: Any
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    about: T | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Tolerance:
    """How far a recorded metric may move before a pin breaks, and why so far."""

    kind: str
    why: str
    rtol: float = 0.0
    atol: float = 0.0
    low: float = -math.inf
    high: float = math.inf

    def accepts(self, recorded: Any, measured: Any) -> bool:
        """Does the measured value agree with the recorded one?"""
        if self.kind == "band" and _is_number(measured):
            return self.low <= measured <= self.high
        if self.kind == "close" and _is_number(recorded) and _is_number(measured):
            return math.isclose(recorded, measured, rel_tol=self.rtol, abs_tol=self.atol)
        return type(recorded) is type(measured) and recorded == measured


def exact(why: str) -> Tolerance:
    """Counts, words, verdicts: nothing may move."""
    return Tolerance("exact", why)


def close(why: str, rtol: float = 1e-9, atol: float = 1e-12) -> Tolerance:
    """Deterministic arithmetic: only the order of additions may differ."""
    return Tolerance("close", why, rtol=rtol, atol=atol)


def band(low: float, high: float, why: str) -> Tolerance:
    """A trained number: any value from low to high will do."""
    return Tolerance("band", why, low=low, high=high)


# --- what a part shows --------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Num:
    """A table cell with a format of its own."""

    value: Any
    format: str


@dataclass(frozen=True, eq=False, repr=False)
class Paragraph:
    """Running text, its fields filled from the metrics."""

    text: T


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """A table column: header and the format of its raw values."""

    header: T
    format: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows of raw values (numbers, words, T); stacked where it does not fit."""

    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Any]]
    title: T | None = None
    legend: T | None = None


@dataclass(frozen=True, eq=False, repr=False)
class HeatMap:
    """A matrix as coloured cells, the number in every cell; None leaves it blank.

    Rows are what looks (queries), columns what is looked at (keys).
    """

    values: Sequence[Sequence[float | None]]
    rows: Sequence[Any]
    columns: Sequence[Any]
    title: T | None = None
    legend: T | None = None
    format: str = ".2f"
    low: float = 0.0
    high: float = 1.0
    page_only: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """Series over a common x; drawn small on the terminal, in full on the page."""

    x: Sequence[float]
    series: Sequence[tuple[T, Sequence[float | None]]]
    x_label: T
    y_label: T
    title: T | None = None
    format: str = ".2f"
    low: float | None = None
    high: float | None = None
    page_only: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Scatter:
    """Points in a plane: (x, y, letter); classes names each letter.

    Drawn on the terminal by letters, a place that several classes share by *; in full
    on the page.
    """

    points: Sequence[tuple[float, float, str]]
    classes: Mapping[str, T]
    x_label: T
    y_label: T
    title: T | None = None
    legend: T | None = None
    format: str = ".2f"
    page_only: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Bars:
    """One bar a label, the number behind it."""

    labels: Sequence[Any]
    values: Sequence[float]
    title: T | None = None
    format: str = ".2f"
    high: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Row:
    """Heat maps side by side where the width allows, else one below the other."""

    maps: Sequence[HeatMap]
    title: T | None = None
    legend: T | None = None


Block = Paragraph | Table | HeatMap | Curve | Scatter | Bars | Row


def flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks with every Row taken apart: its words, then its maps one by one."""
    for block in blocks:
        if isinstance(block, Row):
            yield from (Paragraph(text) for text in (block.title, block.legend) if text)
            yield from block.maps
        else:
            yield block


# --- a part, and one run of it ------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """One part of a demo: the lesson (compute), its screen, and what guards it.

    compute(**params, seed=…) -> Metrics is pure and holds no text.  Each control
    has the same signature and the same shape of metrics, one mechanism removed.
    pins maps patterns of metric paths (fnmatch, first match wins) to tolerances;
    every leaf of the metrics must match one.
    """

    number: int
    key: str
    title: T
    compute: Callable[..., Metrics]
    describe: Callable[[Metrics], Iterable[Block]]
    claims: tuple[Claim, ...]
    questions: tuple[Question, ...]
    pins: Mapping[str, Tolerance]
    notes: T
    caveat: T | None = None
    controls: Mapping[str, Callable[..., Metrics]] = field(default_factory=dict)
    params: Mapping[str, Param] = field(default_factory=dict)
    recipes: tuple[str, ...] = ()
    errata: tuple[Erratum, ...] = ()
    seed: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Verdict:
    """A claim met its metrics; margin is None where it is undefined."""

    claim: Claim
    margin: float | None

    @property
    def holds(self) -> bool:
        return self.margin is not None and self.margin > 0


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The metrics of one run, with the settings that made them."""

    part: Part
    metrics: Metrics
    params: Mapping[str, Any]
    seed: int
    explored: bool
    non_finite: tuple[str, ...] = ()

    def verdicts(self) -> list[Verdict]:
        """Every claim of the part, judged on these metrics."""
        return [Verdict(c, measure(c.margin, self.metrics)) for c in self.part.claims]


def run(part: Part, params: Mapping[str, Any] | None = None, seed: int | None = None,
        compute: Callable[..., Metrics] | None = None) -> Result:
    """Compute a part (or one of its controls) with the given settings."""
    settings = {name: p.default for name, p in part.params.items()} | dict(params or {})
    chosen = part.seed if seed is None else seed
    raw = (compute or part.compute)(**settings, seed=chosen)
    bad: list[str] = []
    metrics = _plain(raw, "", bad)
    return Result(part, metrics, settings, chosen, bool(params) or seed is not None, tuple(bad))


def measure(margin: Margin, metrics: Any) -> float | None:
    """A margin's value, or None where the metrics leave it undefined."""
    try:
        value = float(margin(metrics))
    except (TypeError, ZeroDivisionError):
        return None                      # a metric is null: undefined, so it fails
    return value if math.isfinite(value) else math.copysign(1e308, value) \
        if math.isinf(value) else None


def verdict_settings(result: Result) -> str:
    """The settings that differ from the part's own: beta=2, seed=7."""
    changed = {k: v for k, v in result.params.items() if v != result.part.params[k].default}
    if result.seed != result.part.seed:
        changed["seed"] = result.seed
    return ", ".join(f"{k}={v}" for k, v in changed.items())


def right_options(question: Question, metrics: Metrics) -> list[int]:
    """The options whose margin is positive; one, unless settings were changed."""
    margins = [measure(option.margin, metrics) for option in question.options]
    return [i for i, value in enumerate(margins) if value is not None and value > 0]


# --- metrics ------------------------------------------------------------------


def show(value: Any, spec: str, lang: str) -> str:
    """One raw value as the text of a cell; None is a dash, and no "-0.00" is shown."""
    if isinstance(value, Num):
        value, spec = value.value, value.format
    if isinstance(value, T):
        return value.text(lang)
    if value is None:
        return "-"
    if isinstance(value, bool):
        return {"zh": ("否", "是"), "en": ("no", "yes")}[lang][value]
    if isinstance(value, str):
        return value
    text = format(value, spec)
    return text[1:] if text.startswith("-") and not text.strip("-0.%e+") else text


def leaves(metrics: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every number, word and truth value with its dotted path: weights.0.1"""
    if isinstance(metrics, dict):
        items: Iterable[tuple[Any, Any]] = metrics.items()
    elif isinstance(metrics, list):
        items = enumerate(metrics)
    else:
        yield path, metrics
        return
    for key, value in items:
        yield from leaves(value, f"{path}.{key}" if path else str(key))


def at(metrics: Any, path: str) -> Any:
    """The value at a dotted path; KeyError or IndexError names the path."""
    value = metrics
    for key in path.split("."):
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, TypeError, ValueError):
            raise KeyError(f"no metric {path!r}") from None
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(value: Any, path: str, bad: list[str]) -> Any:
    """Python's own types only, as JSON has them; NaN and infinity become None."""
    if hasattr(value, "tolist"):                      # NumPy arrays and scalars
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(k): _plain(v, f"{path}.{k}" if path else str(k), bad)
                for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, f"{path}.{i}" if path else str(i), bad) for i, v in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        bad.append(path)
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"metric {path!r} is a {type(value).__name__}; only numbers, words, "
                    "lists and dicts can be printed, pinned and written as JSON")
