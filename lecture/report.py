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

import fnmatch
import math
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lecture.margins import View

Metrics = dict[str, Any]
Margin = Callable[[Any], float]
LANGUAGES = ("zh", "en")
LETTERS = "ABCDEFGH"            # of a question's options
VERDICTS = ("wrong", "imprecise", "misleading", "uncontrolled")     # of an erratum
DOT = "\u2024"                  # stands for a dot inside a key, in paths only


class _Fields(string.Formatter):
    """str.format on metric paths: {variants.full.second:.1%}, {rows[0.in]}; None reads "n/a".

    A field without a format takes the one of its quantity, where the part declares one.
    """

    def __init__(self, format_of: Callable[[str], str] | None = None) -> None:
        self.format_of = format_of

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        path = dotted(field_name)
        value = at(kwargs, path)
        return (value if self.format_of is None else _Found(path, value)), path

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, _Found):
            format_spec = format_spec or (self.format_of or str)(value.path)
            value = value.value
        if value is None:
            return "n/a"
        if isinstance(value, str | bool):
            return str(value)
        return written(value, format_spec)


# eq and repr: only texts (T) are ever compared, and Python writing those methods for twenty classes
# was a tenth of the time until the first part stands (benchmarks/startup.py, 31 pairs).
@dataclass(frozen=True, eq=False, repr=False)
class _Found:
    """A value with the path it was found at."""

    path: str
    value: Any


_FIELDS = _Fields()


def dotted(field: str) -> str:
    """A field's path: variants[full][second] and variants.full.second are the same.

    Inside brackets a key may hold dots of its own: rows[0.in] has the keys rows and 0.in.
    """
    return re.sub(r"\[([^\]]*)\]", lambda m: "." + m[1].replace(".", DOT), field)


def fields(template: str) -> list[str]:
    """The metric paths a text names, in order."""
    return [dotted(name) for _, name, _, _ in string.Formatter().parse(template)
            if name is not None]


@dataclass(frozen=True)
class T:
    """One text in the lecture's two languages, on adjacent lines."""

    zh: str
    en: str

    def text(self, lang: str, metrics: Mapping[str, Any] | None = None,
             format_of: Callable[[str], str] | None = None) -> str:
        """The text in lang, its fields filled from the metrics; format_of(path) is the
        format of a field that gives none."""
        template = self.en if lang == "en" else self.zh
        if metrics is None:
            return template
        formatter = _FIELDS if format_of is None else _Fields(format_of)
        return formatter.vformat(template, (), metrics)


# --- what a part says ---------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Claim:
    """One observation: a sentence, and a margin that is > 0 exactly when it holds.

    fails_on names the control on which the margin must not be positive; a T says
    why no control can exist.  kind: "finding" (the control is fair: all equal but the
    mechanism), "example" (set weights or chosen inputs; the control changes one rule),
    "identity" (true by arithmetic, a reminder), "recorded" (read from a record).
    """

    key: str
    text: T
    margin: Margin
    fails_on: str | T
    kind: str = "finding"
    given: tuple[str, ...] = ()          # fields that are settings or counts of seeds
    more: bool = False
    undefined: T | None = None           # why the margin has no value on the control


@dataclass(frozen=True, eq=False, repr=False)
class Option:
    """One answer of a question; a wrong one names the misconception behind it."""

    text: T
    margin: Margin
    misconception: T | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Question:
    """A prediction asked before anything is shown; exactly one margin is > 0.

    answer is the claim that says what was measured, and why; its sentence stands behind
    the right letter.
    """

    prompt: T
    options: tuple[Option, ...]
    answer: Claim | None = None
    more: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Erratum:
    """A sentence of the lecture notes that can be said better, beside what is measured.

    kind: "measured" (metric is a path; notes is a figure the notes print, reproduced
    when the measured one is within `within` of it), "code" (what the notes' code
    does when run) or "reading".  format is that of the measured number.
    where: document and lines, "003:57" or "003:57-59", several apart by a blank.
    verdict: one of VERDICTS.  The texts print the notes' figure as {notes}, so that the
    figure that is shown is the one that is compared.
    """

    row: str
    kind: str
    says: T
    right: T
    metric: str | None = None
    notes: float | None = None
    within: float = 0.0
    format: str = ".6g"
    where: str = ""
    verdict: str = ""


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
            return bool(self.low <= measured <= self.high)
        if self.kind == "close" and _is_number(recorded) and _is_number(measured):
            return math.isclose(recorded, measured, rel_tol=self.rtol, abs_tol=self.atol)
        return type(recorded) is type(measured) and recorded == measured

    def room(self, value: Any) -> float | None:
        """How far a number may move under a close tolerance; None for the other kinds."""
        if self.kind != "close" or not _is_number(value):
            return None
        return float(max(self.rtol * abs(value), self.atol))


def exact(why: str) -> Tolerance:
    """Counts, words, verdicts: nothing may move."""
    return Tolerance("exact", why)


def close(why: str, rtol: float = 1e-9, atol: float = 1e-12) -> Tolerance:
    """Deterministic arithmetic: only the order of additions may differ."""
    return Tolerance("close", why, rtol=rtol, atol=atol)


def band(low: float, high: float, why: str) -> Tolerance:
    """A trained number: any value from low to high will do."""
    return Tolerance("band", why, low=low, high=high)


# The two that most parts use.
ARITHMETIC = close("deterministic float64: only the order of additions may differ")
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-12)


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
    more: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """A table column: header and the format of its raw values."""

    header: T
    format: str = ""
    group: T | None = None               # a head over this and its neighbours of the same group


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows of raw values (numbers, words, T); stacked where it does not fit."""

    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Any]]
    title: T | None = None
    legend: T | None = None
    more: bool = False
    rule: bool = True                    # a line under the heads
    alike: tuple[Table, ...] = ()        # the part's other tables of these columns: same widths


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
    more: bool = False
    groups: tuple[tuple[T, int], ...] = ()   # heads over so many columns each: several maps


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
    more: bool = False


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
    more: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Bars:
    """One bar a label, the number behind it."""

    labels: Sequence[Any]
    values: Sequence[float]
    title: T | None = None
    format: str = ".2f"
    high: float | None = None
    more: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Row:
    """Heat maps side by side where the width allows, else one below the other."""

    maps: Sequence[HeatMap]
    title: T | None = None
    legend: T | None = None
    more: bool = False


Block = Paragraph | Table | HeatMap | Curve | Scatter | Bars | Row


def one_by_one(block: HeatMap) -> list[HeatMap]:
    """Maps over the same rows taken apart, each under its own head."""
    maps, first = [], 0
    for title, count in block.groups:
        values = [row[first:first + count] for row in block.values]
        maps.append(replace(block, values=values, columns=block.columns[first:first + count],
                            title=title, legend=None, groups=()))
        first += count
    return maps


def flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks with every row of maps taken apart: its words, then its maps one by one."""
    for block in blocks:
        if isinstance(block, HeatMap) and block.groups:
            yield from (Paragraph(text) for text in (block.title, block.legend) if text)
            yield from one_by_one(block)
            continue
        if isinstance(block, Row):
            yield from (Paragraph(text) for text in (block.title, block.legend) if text)
            yield from block.maps
        else:
            yield block


# --- a part, and one run of it ------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Quantity:
    """What a metric is called on the screen, and how it is written: one entry a pattern.

    header stands over its column (or beside its row); format is Python's, and may end in a
    floor (.2f<1e-12), so that rounding prints the same everywhere.
    words: what a word of the metrics is called, where it is not shown as it is.
    """

    header: T
    format: str = ""
    words: Mapping[str, T] = field(default_factory=dict)


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
    describe: Callable[[Metrics], Iterable[Any]]
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
    lead: tuple[Any, ...] = ()           # blocks before the vote: the rule, one worked example
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    names: Mapping[str, T] = field(default_factory=dict)
    further: T | None = None             # more that is not shown, behind --more

    def every_claim(self) -> tuple[Claim, ...]:
        """The observations and the answers of the votes, in the order of the screen."""
        return (*self.claims, *(q.answer for q in self.questions if q.answer))

    def quantity(self, path: str) -> Quantity | None:
        """The first quantity whose pattern matches a metric path."""
        return next((q for pattern, q in self.quantities.items()
                     if fnmatch.fnmatchcase(path, pattern)), None)

    def format_of(self, path: str) -> str:
        """The format of a field that gives none: its quantity's."""
        found = self.quantity(path)
        return found.format if found else ""


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
    own: bool = False                    # computed with functions of a student's (lecture try)

    def verdicts(self) -> list[Verdict]:
        """Every claim of the part, judged on these metrics."""
        return [self.verdict(c) for c in self.part.claims]

    def verdict(self, claim: Claim) -> Verdict:
        """One claim, judged on these metrics."""
        return Verdict(claim, value_of(claim.margin, self.metrics))

    @property
    def good(self) -> bool:
        """Does every claim hold, the answers of the votes too?"""
        return all(self.verdict(c).holds for c in self.part.every_claim())

    @property
    def asked(self) -> Mapping[str, Any]:
        """What a question and its options may name: the metrics and the settings."""
        return {**self.metrics, **self.params}

    def text(self, text: T, lang: str) -> str:
        """A text of the part with its fields filled."""
        return text.text(lang, self.metrics, self.part.format_of)

    def of_erratum(self, erratum: Erratum, text: T, lang: str) -> str:
        """A text of an erratum; {notes} is the figure of the notes that is compared."""
        named = self.metrics if erratum.notes is None else {**self.metrics,
                                                            "notes": erratum.notes}
        return text.text(lang, named, self.part.format_of)


def run(part: Part, params: Mapping[str, Any] | None = None, seed: int | None = None,
        compute: Callable[..., Metrics] | None = None) -> Result:
    """Compute a part (or one of its controls) with the given settings."""
    settings = {name: p.default for name, p in part.params.items()} | dict(params or {})
    chosen = part.seed if seed is None else seed
    raw = (compute or part.compute)(**settings, seed=chosen)
    bad: list[str] = []
    metrics = _plain(raw, "", bad)
    return Result(part, metrics, settings, chosen, bool(params) or seed is not None, tuple(bad))


def value_of(margin: Margin, metrics: Any,
             note: Callable[[str], None] | None = None) -> float | None:
    """A margin's value, or None where the metrics leave it undefined; note(path) is told
    of every leaf it reads."""
    try:
        value = float(margin(View(metrics, note)))
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
    margins = [value_of(option.margin, metrics) for option in question.options]
    return [i for i, value in enumerate(margins) if value is not None and value > 0]


def reproduces(erratum: Erratum, metrics: Any) -> bool:
    """Is the notes' figure what is measured, to the digits they give?"""
    if erratum.metric is None or erratum.notes is None:
        return False
    measured = at(metrics, erratum.metric)
    if isinstance(measured, bool) or not isinstance(measured, int | float):
        return False
    return bool(abs(measured - erratum.notes) <= erratum.within + 1e-12 * abs(erratum.notes))


# --- metrics ------------------------------------------------------------------


def formatted(value: Any, spec: str, lang: str) -> str:
    """One raw value as the text of a cell; None is a dash."""
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
    return written(value, spec)


def written(value: float, spec: str) -> str:
    """A number as text; its format may end in a floor: .0e<1e-12 shows less as "< 1e-12".

    What is left between equal numbers is rounding, and another processor or NumPy leaves
    another rest.  That it is below the floor is true everywhere, and so are the bytes.  A
    zero has no sign: "-0.00" is "0.00".
    """
    spec, floored, power = spec.partition("<1e-")
    if floored and abs(value) < float(f"1e-{power}"):
        return f"< 1e-{power}"
    text = format(value, spec)
    return format(0.0, spec) if text.startswith("-") and not text.strip("-0.%e+") else text


def is_figure(value: Any) -> bool:
    """Does a cell show this value as a number, set to the right?  None stands for a missing one."""
    value = value.value if isinstance(value, Num) else value
    return value is None or _is_number(value)


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
        key = key.replace(DOT, ".")
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
