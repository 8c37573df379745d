"""What does each rule see, on a made-up part, and what do the demos still owe?"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from demos import REGISTRY
from lecture.margins import above
from lecture.prove import rules
from lecture.quantities import Rows
from lecture.report import (
    Bars,
    Claim,
    Column,
    Erratum,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    Table,
    exact,
    run,
)

METRICS = {"rows": {"a": {"x": 2.0}, "b": {"x": 1.0}}, "seeds": 5, "word": "yes"}
SENTENCE = T("a 是 {rows.a.x}，b 是 {rows.b.x}。", "a is {rows.a.x}, b is {rows.b.x}.")


def larger(m):
    return above(m.rows.a.x, m.rows.b.x)


def part(**changes) -> Part:
    """A part that breaks no rule."""
    answer = Claim("answer", SENTENCE, larger, "swapped")
    whole = Part(
        number=1, key="made_up", title=T("题", "Title"), compute=lambda seed: METRICS,
        describe=lambda m: [Rows("rows.*", ("x",))], claims=(Claim("larger", SENTENCE, larger,
                                                                   "swapped"),),
        questions=(Question(T("谁大？", "Which?"),
                            (Option(T("a", "a"), larger),
                             Option(T("b", "b"), lambda m: -larger(m), T("看反了", "reads it "
                                                                         "backwards"))),
                            answer=answer),),
        pins={"*": exact("made up")}, notes=T("讲", "say"),
        controls={"swapped": lambda seed: METRICS},
        quantities={"rows.*.x": Quantity(T("数", "number"), ".1f")},
        names={"rows.*": T("行", "row")})
    return replace(whole, **changes)


def entry(tmp_path, opening=(), source: str = "PART = None\n"):
    (tmp_path / "part1_made_up.py").write_text(source, encoding="utf-8")
    return SimpleNamespace(code="99", number=99, title=T("题", "Title"), folder=tmp_path,
                           opening=lambda: opening)


def broken(tmp_path, made: Part, control=METRICS, **changes) -> list[rules.Offence]:
    return rules.offences(entry(tmp_path, **changes), [(run(made), {"swapped": control})])


def test_a_part_in_form_breaks_nothing(tmp_path) -> None:
    assert broken(tmp_path, part()) == []


def said(text: T, margin=larger, **more) -> dict:
    return {"claims": (Claim("larger", text, margin, "swapped", **more),)}


COUNTED = T("{seeds:d} 个种子：{rows.a.x}。", "{seeds:d} seeds: {rows.a.x}.")
TABLE = Table((Column(T("数", "number")),), [[2.0]])
ERRATUM = Erratum("Z-001", "measured", T("讲义说 {notes:g}。", "The notes say {notes:g}."),
                  T("是 {rows.a.x}。", "It is {rows.a.x}."), metric="rows.a.x", notes=3.0,
                  where="003:57 000:1-2", verdict="wrong")


@pytest.mark.parametrize(("changes", "rule", "place"), [
    (said(COUNTED), "fields", "99.1 larger seeds"),
    (said(SENTENCE, lambda m: m.rows.a.x), "fields", "99.1 larger rows.b.x"),
    (said(SENTENCE, kind="law"), "kinds", "99.1 larger is 'law'"),
    ({"claims": tuple(Claim(k, SENTENCE, larger, "swapped", kind="identity") for k in "ab")},
     "kinds", "99.1 identities"),
    ({"describe": lambda m: [TABLE]}, "blocks", "99.1 block 1 Table"),
    ({"lead": (Bars(["a"], [1.0]),)}, "blocks", "99.1 lead 1 Bars"),
    ({"lead": (Paragraph(T("{seeds}", "{seeds}")),)}, "blocks", "99.1 field seeds"),
    ({"describe": lambda m: [Rows("rows.*", ("x",))] * 3}, "first view", "99.1 blocks"),
    ({"claims": tuple(Claim(k, SENTENCE, larger, "swapped") for k in "abcd")}, "first view",
     "99.1 observations"),
    ({"lead": tuple(Paragraph(T("一行", "a line")) for _ in range(44))}, "first view",
     "99.1 lines in zh"),
    ({"lead": tuple(Paragraph(T("一行", "a line")) for _ in range(48))}, "first view",
     "99.1 lines in en"),
    ({"questions": part().questions * 2}, "first view", "99.1 votes"),
    ({"questions": (replace(part().questions[0], answer=None),)}, "first view",
     "99.1 question 1 has no answer"),
    ({"errata": (replace(ERRATUM, where=""),)}, "figure", "99.1 Z-001"),
    ({"errata": (replace(ERRATUM, where="page 3"),)}, "figure", "99.1 Z-001"),
    ({"errata": (replace(ERRATUM, verdict="silly"),)}, "figure", "99.1 Z-001"),
    ({"errata": (replace(ERRATUM, says=T("讲义说三。", "The notes say {notes:g}.")),)}, "figure",
     "99.1 Z-001"),
    ({"errata": (replace(ERRATUM, right=T("是二。", "It is 2.")),)}, "digits",
     "99.1 erratum Z-001 right"),
])
def test_each_rule_is_seen(tmp_path, changes, rule: str, place: str) -> None:
    found = broken(tmp_path, part(**changes))
    assert (rule, place) in found
    assert {r for r, _ in found} == {rule}, found


def test_what_is_given_or_told_in_full_is_no_offence(tmp_path) -> None:
    assert broken(tmp_path, part(**said(COUNTED, given=("see*",)))) == []
    assert broken(tmp_path, part(errata=(ERRATUM,))) == []
    more = tuple(Claim(k, SENTENCE, larger, "swapped", kind="identity", more=k > "a")
                 for k in "abcdef")
    assert broken(tmp_path, part(claims=more)) == []


@pytest.mark.parametrize(("control", "places"), [
    ({**METRICS, "seeds": None}, []),                           # what is not there is null
    ({**METRICS, "rows": None}, []),
    (None, ["nothing"]), ({}, ["rows", "seeds", "word"]),
    ({**METRICS, "rows": {"a": {"x": 2.0}}}, ["rows.b"]),
    ({**METRICS, "rows": {"a": {"y": 2.0}, "b": {"x": 1.0}}}, ["rows.a.x", "rows.a.y"]),
    ({**METRICS, "word": 3}, ["word"]), ({**METRICS, "seeds": True}, ["seeds"]),
])
def test_a_control_returns_the_same_leaves(tmp_path, control, places) -> None:
    found = broken(tmp_path, part(), control)
    assert found == [("controls", f"99.1 swapped {p}") for p in places]


def test_lists_of_a_control_may_be_shorter_but_not_of_another_form() -> None:
    long = {"runs": [{"x": 1, "y": 2}] * 3, "curve": [.1, .2]}
    assert rules.unlike(long, {"runs": [{"x": 1, "y": 2}], "curve": []}) == []
    assert rules.unlike(long, {"runs": [{"x": 1}], "curve": [.1]}) == ["runs.*.y"]
    assert rules.unlike(long, {"runs": 3, "curve": [.1]}) == ["runs"]


@pytest.mark.parametrize(("zh", "en", "typed"), [
    ("约 80%", "about {a:.0%}", "80"), ("{a:d} 个", "3 of {a:d}", "3"), ("0.5", "1.5", "0.5, 1.5"),
    ("1024 维", "x", "1024"), ("16 个头", "x", "16"), ("x", "{a}2{a}", "2"),
    ("W_2 和 L0H1", "GPT-2, d4, base_10", ""), ("2017 年", "in 1986", ""),
    ("第 4 部分，演示 05", "part 4 of demo 05", ""), ("（13）", "(13)", ""),
    ("斜率 p(1-p)，乘 1/√d", "10^-8", "10"), ("第 2 层", "layers 1 and 2", ""),
])
def test_typed_digits(zh: str, en: str, typed: str) -> None:
    assert rules.typed_digits(T(zh, en)) == typed


def test_an_opening_has_a_length(tmp_path) -> None:
    lines = [Paragraph(T("一行", "a line")) for _ in range(14)]
    assert broken(tmp_path, part(), opening=lines) == []
    assert broken(tmp_path, part(), opening=[*lines, *lines[:1]]) == [
        ("first view", "99 opening in zh"), ("first view", "99 opening in en")]


@pytest.mark.parametrize(("margin", "seen"), [
    ('m["a"]["b"] - 1', True), ("max(m.a.values()) - 1", True), ("m.a.get('b') - 1", True),
    ('m.rows["0.in"].x - 1', False), ("m.a.b[0] - 1", False), ("m.a.values[2] - 1", False),
])
def test_a_margin_follows_names(tmp_path, margin: str, seen: bool) -> None:
    assert rules.by_keys(f"X = Claim('k', lambda m: {margin})") == seen
    found = broken(tmp_path, part(), source=f"X = lambda m: {margin}\n")
    assert found == ([("margins", "99")] if seen else [])


# --- the demos ------------------------------------------------------------------------


@pytest.mark.parametrize("demo", REGISTRY, ids=lambda e: e.code)
def test_a_demo_breaks_no_rule(results, demo) -> None:
    assert rules.of_demo(demo, results) == []
