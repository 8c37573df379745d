"""Every demo of the registry, held to the same rules; what is special to one is its own test.

A claim holds, fails on the control it names, and can be flipped by every number it
reads; both languages are complete; nothing is cut, at any width; every number on the
screen is a metric.
"""

from __future__ import annotations

import io
import re
import string
from dataclasses import replace

import pytest
from wcwidth import wcswidth

from console import Screen
from demos import REGISTRY
from lecture.margins import rows
from lecture.prove import check
from lecture.prove.mutation import mutations, reads
from lecture.quantities import blocks_of, lead_of
from lecture.report import (
    Bars,
    Claim,
    Curve,
    HeatMap,
    Num,
    Option,
    Paragraph,
    Part,
    Question,
    Result,
    Scatter,
    T,
    Table,
    at,
    exact,
    flat,
    formatted,
    leaves,
    run,
)
from lecture.show.export import errata_document

PARTS = [pytest.param(e, p, id=f"{e.code}.{p.number}-{p.key}") for e in REGISTRY
         for p in e.parts()]
# a demo, a part, and what a formula is made of: no measured number
REFERENCES = (r"演示 \d\d|\(\d\d\)|第 \d 部分|part \d|demo \d\d|1/√d|β/2|ln 2|"
              "value 0|值 0|位置 0|place 0")
CJK = re.compile(r"[\u4e00-\u9fff]")


def texts(part: Part, result: Result) -> list[tuple[str, T]]:
    """Every bilingual text of a part with a name for the message."""
    found = [("title", part.title), ("notes", part.notes)]
    if part.caveat:
        found.append(("caveat", part.caveat))
    if part.further:
        found.append(("further", part.further))
    for claim in part.every_claim():
        found.append((f"claim {claim.key}", claim.text))
        if isinstance(claim.fails_on, T):
            found.append((f"claim {claim.key} without control", claim.fails_on))
    for question in part.questions:
        found.append(("question", question.prompt))
        for option in question.options:
            found.append(("option", option.text))
            if option.misconception:
                found.append(("misconception", option.misconception))
    for erratum in part.errata:
        name = f"erratum {erratum.row}"
        found += [(name, erratum.says), (name, erratum.right)]
    for param in part.params.values():
        if param.about:
            found.append(("param", param.about))
    for block in flat([*lead_of(part, result.metrics), *blocks_of(part, result.metrics)]):
        found += [("block", t) for t in block_texts(block)]
    return found


def block_texts(block) -> list[T]:
    found = [t for t in (getattr(block, n, None) for n in ("title", "legend", "text", "x_label",
                                                           "y_label")) if isinstance(t, T)]
    if isinstance(block, Table):
        found += [c.header for c in block.columns]
        found += [v for row in block.rows for v in row if isinstance(v, T)]
    if isinstance(block, HeatMap):
        found += [v for v in (*block.rows, *block.columns) if isinstance(v, T)]
    if isinstance(block, Curve):
        found += [name for name, _ in block.series]
    if isinstance(block, Bars):
        found += [v for v in block.labels if isinstance(v, T)]
    if isinstance(block, Scatter):
        found += list(block.classes.values())
    return found


def block_numbers(block) -> list[float]:
    values: list = []
    if isinstance(block, Table):
        values = [v for row in block.rows for v in row]
    elif isinstance(block, HeatMap):
        values = [v for row in block.values for v in row]
    elif isinstance(block, Curve):
        values = [v for _, ys in block.series for v in ys] + list(block.x)
    elif isinstance(block, Bars):
        values = list(block.values)
    elif isinstance(block, Scatter):
        values = [v for point in block.points for v in point if isinstance(v, float)]
    values = [v.value if isinstance(v, Num) else v for v in values]
    return [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def drawn(result: Result, entry, part, lang: str, width: int, **options) -> str:
    stream = io.StringIO()
    screen = Screen(stream, lang=lang, width=width, color="never", **options)
    screen.part(entry.number, part)
    for block in lead_of(part, result.metrics):
        screen.block(block, result.metrics, part.format_of)
    for question in part.questions:
        screen.question(question, result.asked, "", part.format_of)
    for block in blocks_of(part, result.metrics):
        screen.block(block, result.metrics, part.format_of)
    screen.observations()
    for claim in part.claims:
        screen.verdict(result.verdict(claim), result)
    for question in part.questions:
        screen.answer(question, result)
        screen.misconceptions(question, result)
    for more in (False, True):
        screen.caveat(part, result, more)
    return stream.getvalue()


@pytest.mark.parametrize(("entry", "part"), PARTS)
def test_check_is_green(results, monkeypatch, entry, part) -> None:
    monkeypatch.setattr(check, "run", results)
    outcome = check.check_part(entry, part, check.read_pins(entry).get(part.key))
    assert not outcome.problems, "\n".join(f"{p.place}: {p.what}" for p in outcome.problems)
    assert part.claims and part.questions and outcome.counts["pins"]


@pytest.mark.parametrize(("entry", "part"), PARTS)
def test_every_claim_can_be_flipped(results, entry, part) -> None:
    assert mutations(part, results(part).metrics) == []


def with_leaves(metrics, changes: dict[str, float], path: str = ""):
    """The metrics with other numbers at some paths."""
    if isinstance(metrics, dict):
        return {k: with_leaves(v, changes, f"{path}.{k}" if path else k)
                for k, v in metrics.items()}
    if isinstance(metrics, list):
        return [with_leaves(v, changes, f"{path}.{i}" if path else str(i))
                for i, v in enumerate(metrics)]
    return changes.get(path, metrics)


@pytest.mark.parametrize(("entry", "part"), PARTS)
def test_k50_no_text_shows_which_way_rounding_fell(results, entry, part) -> None:
    """Where a pin holds a difference of equal numbers, nothing of its digits is printed."""
    result = results(part)
    pins = {path: check.tolerance_of(part, path) for path, _ in leaves(result.metrics)}
    rounding = {path: pin.atol for path, pin in pins.items()
                if pin.kind == "close" and pin.rtol == 0 and pin.atol < 1e-9}
    for share in (0.0, 0.3, 0.9):
        other = replace(result, metrics=with_leaves(
            result.metrics, {path: share * atol for path, atol in rounding.items()}))
        for lang in ("zh", "en"):
            assert drawn(other, entry, part, lang, 80) == drawn(result, entry, part, lang, 80)
            mine, theirs = (
                [(e["says"], e["right"], e["shown"]) for e in errata_document(entry, [r], lang)]
                for r in (result, other))
            assert mine == theirs


@pytest.mark.parametrize(("entry", "part"), PARTS)
def test_both_languages_are_complete(results, entry, part) -> None:
    result = results(part)
    values = {"metrics": result.metrics}
    data = {v for _, v in leaves(values) if isinstance(v, str) and CJK.search(v)}
    for name, text in texts(part, result):
        if name == "block" and not text.zh and not text.en:      # no head over the names
            continue
        assert text.zh.strip() and text.en.strip(), name
        assert fields(text.zh) == fields(text.en), f"{name}: {text.en}"
        english = text.en
        for word in data | set(re.findall(r"'[^']*'|\"[^\"]*\"|`[^`]*`", english)):
            english = english.replace(word, "")
        assert not CJK.search(english), f"{name}: {text.en}"
        assert CJK.search(text.zh) or not re.search(r"[a-z]{4,} [a-z]{3,} [a-z]{3,}", text.zh), \
            f"{name} is not translated: {text.zh}"
        for lang in ("zh", "en"):
            source = result.asked if name in ("question", "option") else result.metrics
            if name.startswith("erratum"):
                row = next(e for e in part.errata if name.endswith(e.row))
                source = {**result.metrics, "notes": row.notes}
            if name not in ("notes", "title", "param"):
                text.text(lang, source, part.format_of).encode("gbk")
            text.text(lang).encode("gbk")


@pytest.mark.parametrize(("entry", "part"), PARTS)
def test_no_digit_is_typed_into_a_claim(entry, part) -> None:
    for claim in part.every_claim():
        for text in (claim.text.zh, claim.text.en):
            plain = re.sub(REFERENCES, "", re.sub(r"\{[^}]*\}", "", text))
            plain = re.sub(r"\b(19|20)\d\d\b", "", plain)              # a year
            plain = re.sub(r"[A-Za-z_]+[-_]?\d+", "", plain)           # a formula's name: W_2
            assert not re.search(r"\d", plain), f"{claim.key}: {text}"


@pytest.mark.parametrize(("entry", "part"), PARTS)
def test_every_number_on_screen_is_a_metric(results, entry, part) -> None:
    metrics = results(part).metrics
    known = {v for _, v in leaves(metrics) if isinstance(v, int | float)}
    for block in flat(blocks_of(part, metrics)):
        strangers = [v for v in block_numbers(block) if v not in known]
        assert not strangers, f"{type(block).__name__} {strangers[:5]}"
        if isinstance(block, Paragraph):
            plain = re.sub(r"\{[^}]*\}", "", block.text.en)
            plain = re.sub(r"\b(19|20)\d\d\b|[A-Za-z_]+[-_]?\d+", "", plain)
            for number in re.findall(r"\d+(?:\.\d+)?", plain):
                assert float(number) <= 12, f"typed into a paragraph: {number}: {block.text.en}"


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize(("entry", "part"), PARTS)
def test_nothing_is_cut_at_any_width(results, entry, part, lang: str, width: int) -> None:
    text = drawn(results(part), entry, part, lang, width)
    assert "…" not in re.sub(r"[\u4e00-\u9fff]…|…[\u4e00-\u9fff]|…，|……|, …|… ", "", text)
    for line in text.splitlines():
        assert wcswidth(line) <= width, f"{wcswidth(line)} > {width}: {line}"
    text.encode("gbk")
    metrics = results(part).metrics
    for block in flat(blocks_of(part, metrics)):
        for shown in shown_numbers(block, lang):
            assert shown in text, f"{shown} is not on the screen at {width}"


def shown_numbers(block, lang: str) -> list[str]:
    if isinstance(block, Table):
        cells = [(v, c.format) for row in block.rows for v, c in zip(row, block.columns,
                                                                      strict=True)]
    elif isinstance(block, HeatMap) and not block.page_only:
        cells = [(v, block.format) for row in block.values for v in row if v is not None]
    elif isinstance(block, Bars):
        cells = [(v, block.format) for v in block.values]
    else:
        cells = []
    return [formatted(v, f, lang) for v, f in cells
            if isinstance(v, int | float) and not isinstance(v, bool)]


@pytest.mark.parametrize(("entry", "part"), PARTS)
def test_plain_is_free_of_ambiguous_widths(results, entry, part) -> None:
    for lang in ("zh", "en"):
        for line in drawn(results(part), entry, part, lang, 80, plain=True).splitlines():
            assert wcswidth(line) == wcswidth(line, ambiguous_width=2), line


@pytest.mark.parametrize(("entry", "part"), PARTS)
def test_what_is_explored_says_so(entry, part) -> None:
    """Another seed is no error: the result is marked, the demo still runs."""
    result = run(part, seed=part.seed + 1)
    assert result.explored
    for block in blocks_of(part, result.metrics):
        Screen(io.StringIO(), width=80).block(block, result.metrics, part.format_of)


# --- seen to fail: the rules above, on a part that breaks them -----------------


def broken_part(**changes) -> Part:
    values = {
        "number": 1, "key": "broken", "title": T("坏的部分", "A broken part"),
        "compute": lambda seed: {"right": 1.0, "wrong": 0.0, "left_alone": 2.0},
        "describe": lambda m: [Table((Column_("x"),), [[m["right"]]])],
        "claims": (Claim("holds", T("{right} 为正", "{right} is positive"), lambda m: m["right"],
                         "off"),),
        "questions": (Question(T("问", "ask"), (Option(T("是", "yes"), lambda m: m["right"]),
                                               Option(T("否", "no"), lambda m: -m["right"]))),),
        "pins": {"*": exact("a test")}, "notes": T("说", "say"),
        "controls": {"off": lambda seed: {"right": 0.0, "wrong": 1.0, "left_alone": 2.0}},
    }
    return Part(**(values | changes))


def Column_(name: str):
    from lecture.report import Column

    return Column(T(name, name))


RECORDED = {"right": 1.0, "wrong": 0.0, "left_alone": 2.0}


@pytest.mark.parametrize(("changes", "recorded", "place"), [
    ({}, {**RECORDED, "right": 1.5}, "04.1 pin right"),
    ({}, None, "04.1 pins"),
    ({"pins": {"right": exact("only one")}}, RECORDED, "04.1 pin wrong"),
    ({"pins": {"*": exact("all"), "no_such": exact("none")}}, RECORDED, "04.1 pins"),
    ({"claims": (Claim("inverted", T("反", "turned"), lambda m: -m["right"], "off"),)}, RECORDED,
     "04.1 claim inverted"),
    ({"claims": (Claim("always", T("恒真", "always"), lambda m: 1.0, "off"),)}, RECORDED,
     "04.1 control off"),
    ({"claims": (Claim("lost", T("无", "none"), lambda m: m["right"], "gone"),)}, RECORDED,
     "04.1 control gone"),
    ({"questions": (Question(T("问", "ask"), (Option(T("是", "yes"), lambda m: 1.0),
                                             Option(T("否", "no"), lambda m: 1.0))),)},
     RECORDED, "04.1 question 1"),
])
def test_check_names_what_is_broken(changes, recorded, place) -> None:
    entry = next(e for e in REGISTRY if e.number == 4)
    outcome = check.check_part(entry, broken_part(**changes), recorded)
    assert place in [p.place for p in outcome.problems]
    assert not check.check_part(entry, broken_part(), RECORDED).problems


def test_mutation_finds_claims_that_cannot_fail() -> None:
    part = broken_part(claims=(
        Claim("constant", T("恒真", "always"), lambda m: 1.0, "off"),
        Claim("unminded", T("读而不用", "read, unminded"),
              lambda m: m["right"] + 0 * m["left_alone"], "off")))
    found = mutations(part, RECORDED)
    assert any(x.startswith("constant: reads no metric") for x in found)
    assert any("left_alone" in x for x in found)
    assert mutations(broken_part(), RECORDED) == []


def test_reads_sees_through_lists_and_dicts() -> None:
    metrics = {"a": [{"b": 1.0}, {"b": 2.0}], "c": {"d": 3.0}}
    assert reads(lambda m: min(x["b"] for x in m["a"]), metrics) == {"a.0.b", "a.1.b"}
    assert reads(lambda m: sum(rows(m["c"])), metrics) == {"c.d"}
    assert at(metrics, "a.1.b") == 2.0
