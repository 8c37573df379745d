"""Does every kind of lie parse and differ, and is it named when it is told of a tiny part?

The tiny part is two files in a folder of their own, recorded as a demo is (pins, margins, how
they are written, screens).  Every lie the bench could tell of it is told, one at a time.
"""

from __future__ import annotations

import ast
import importlib
import json
import sys
from types import SimpleNamespace

import pytest

from benchmarks.falsehoods import kinds, tables
from benchmarks.falsehoods.__main__ import counted
from demos import REGISTRY
from lecture.models import cache, recipes
from lecture.prove import check, manifest, written
from lecture.report import T
from tests.conftest import ROOT

LESSON = '''
from functools import partial

import numpy as np


def grow(rate=2.0, seed=0):
    steps = np.arange(4.0)
    table = np.outer(steps + 1.0, [1.5, rate])
    return {"steps": steps.tolist(), "slow": table[:, 0].tolist(), "fast": table[:, 1].tolist(),
            "map": table[:2].tolist(), "ends": {"slow": 5.125, "fast": 3.5 + rate * 2.375},
            "many": 12, "few": 5}


CONTROLS = {"even": partial(grow, rate=0.5)}
'''
PART = '''
from tiny_lesson import CONTROLS, grow

from lecture.margins import above, at_least, both
from lecture.report import (
    ARITHMETIC, Claim, Column, Curve, Erratum, HeatMap, Option, Paragraph, Part, Question, T,
    Table, exact)

NAMES = {"slow": T("慢的", "the slow one"), "fast": T("快的", "the fast one")}


def describe(m):
    yield Paragraph(T("两条线，都走 {few} 步，相隔 0.25。",
                      "Two lines, {few} steps for each, 0.25 apart, not more."))
    yield Table((Column(T("哪条", "which")), Column(T("终点", "end"), ".2f"),
                 Column(T("起点", "start"), ".1f")),
                [[NAMES[name], m["ends"][name], m[name][1] + 0.25] for name in NAMES])
    yield HeatMap(m["map"], [1, 2], [1, 2], format=".1f", high=4.0)
    yield Curve(m["steps"], [(NAMES[name], m[name]) for name in NAMES], T("步", "steps"),
                T("高", "height"), low=0.0, high=9.0)
    yield Curve(m["steps"], [(NAMES[name], m[name]) for name in NAMES], T("步", "steps"),
                T("高", "height"), page_only=True)
    yield HeatMap(m["map"], [1, 2], [1, 2], format=".1f", page_only=True,
                  groups=((T("左", "left 3"), 1), (T("右", "right"), 1)))


PART = Part(
    number=1, key="tiny", title=T("小", "Tiny"), compute=grow, describe=describe,
    controls=CONTROLS,
    claims=(
        Claim("faster", T("快的到 {ends.fast:.2f}，慢的到 {ends.slow:.2f}，不一样。",
                          "The fast one ends at {ends.fast:.2f}, not at {ends.slow:.2f}."),
              lambda m: both(above(m.ends.fast, m.ends.slow), above(m.fast[3], 1.5)), "even"),
        Claim("many", T("{many} 比 {few} 多。", "{many} are more than {few}."),
              lambda m: both(at_least(m.many, 2), m.fast[3] - m.slow[3]), "even")),
    questions=(Question(T("3 步以后？", "After 3 steps?"), (
        Option(T("快的高 2 倍", "the fast one, 2 times"), lambda m: m.fast[3] - m.slow[3],),
        Option(T("一样", "no difference"), lambda m: 0.5 - abs(m.fast[3] - m.slow[3]),
               T("以为 3 步太少。", "takes 3 steps for too few.")))),),
    errata=(Erratum("Z-001", "measured", T("讲义说是 3。", "The notes say 3."),
                    T("是 {ends.fast:.2f}。", "It is {ends.fast:.2f}."), metric="ends.fast",
                    notes=3.0, within=0.5),),
    caveat=T("只有两条线。", "Two lines only."),
    pins={"ends.slow": ARITHMETIC, "*": exact("made up")}, notes=T("说一说。", "Say it."))
'''
DEMO = {"demos/d99_tiny/lesson.py": ("tiny_lesson", LESSON),
        "demos/d99_tiny/part1_tiny.py": ("tiny_part", PART)}
LIES = [lie for file, (_, text) in DEMO.items() for lie in kinds.lies_of(file, text.encode())]
# a row of numbers is its own transpose
SAME = {"steps.tolist() of the transposed", "table[:, 0].tolist() of the transposed",
        "table[:, 1].tolist() of the transposed"}


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A function that plays the guard on the tiny demo with one lie in it, or none."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(written, "TOP", str(tmp_path))

    def parts():
        return (importlib.import_module("tiny_part").PART,)

    entry = SimpleNamespace(code="99", number=99, name="tiny", title=T("小", "Tiny"),
                            folder=tmp_path, opening=tuple, parts=parts)

    def told(lie=None, accept=False, notes=False):
        written._functions.cache_clear()
        importlib.invalidate_caches()
        for file, (name, text) in DEMO.items():
            sys.modules.pop(name, None)
            content = text.encode()
            content = lie.applied(content) if lie and lie.file == file else content
            (tmp_path / f"{name}.py").write_bytes(content)
        outcomes = list(check.check(entry))
        if accept:
            return check.accept(entry, outcomes)
        found = [f"{p.place}: {p.what}" for o in outcomes for p in o.problems]
        changes = check.check_screens(entry, outcomes)
        if notes:
            return [str(c) for c in changes if c.note]
        return found + [str(c) for c in changes if not c.note]

    assert told(accept=True) and told() == []
    yield told
    for name, _ in DEMO.values():
        sys.modules.pop(name, None)


def test_every_kind_can_be_told_of_the_tiny_part() -> None:
    told = {lie.kind for lie in LIES}
    assert len(told) == 16, sorted(told)
    for lie in LIES:
        text = DEMO[lie.file][1]
        mutant = lie.applied(text.encode())
        assert ast.dump(ast.parse(mutant)) != ast.dump(ast.parse(text)), lie.id


@pytest.mark.parametrize("kind", sorted({lie.kind for lie in LIES}))
def test_every_lie_of_the_tiny_part_is_named(tiny, kind: str) -> None:
    """Each by its place: the part, or the line of its screen."""
    lies = [lie for lie in LIES if lie.kind == kind and lie.tells not in SAME]
    assert lies
    for lie in lies:
        named = tiny(lie)
        assert named and "99" in named[0], f"not seen: {lie.id}: {lie.tells}"
    assert tiny() == []


def test_a_bound_that_decides_nothing_today_is_held_too(tiny) -> None:
    """The smallest of two margins hides the other: only its wording tells."""
    lie = next(x for x in LIES if x.kind == "a threshold loosened" and x.tells.startswith("1.5"))
    assert tiny(lie) == ["99.1 margin faster: is not written as recorded: look at its bounds"]


def drifted(by: bytes) -> kinds.Lie:
    at = LESSON.encode().index(b"5.125")
    return kinds.Lie("", "demos/d99_tiny/lesson.py", ((at, at + 5, by),), 1, "")


def test_a_last_digit_passes_where_arithmetic_moved_it(tiny) -> None:
    """5.125 prints as 5.12, and as 5.13 when its last bit is another processor's."""
    drift = drifted(b"5.125000000000001")
    assert tiny(drift) == []
    assert {line.partition("]")[0] for line in tiny(drift, notes=True)} == {"[zh", "[en"}
    assert tiny(notes=True) == []


def test_accepting_elsewhere_keeps_the_screen_of_the_recorded_numbers(tiny) -> None:
    assert tiny(drifted(b"5.125000000000001"), accept=True) == []
    assert tiny(notes=True) == tiny() == []


def test_a_last_digit_that_was_typed_is_named(tiny) -> None:
    """All pins hold, and a line differs by one unit of its last digit: it is a lie all the same."""
    lies = [x for x in LIES if x.kind == "a digit in a sentence" and "5 -> 6" in x.tells]
    assert len(lies) == 2
    for lie in lies:
        named = tiny(lie)
        assert len(named) == 1 and "0.25" in named[0] and "0.26" in named[0]
        assert tiny(lie, notes=True) == []


def test_accepting_shows_what_it_accepts(tiny) -> None:
    lie = next(x for x in LIES if x.kind == "a threshold loosened" and x.tells.startswith("1.5"))
    line, = tiny(lie, accept=True)
    assert line.startswith("99.1 margin faster: written ")
    assert tiny(lie) == [] and tiny() != []


def test_a_part_that_cannot_be_computed_keeps_its_record(tiny, tmp_path) -> None:
    before = (tmp_path / "pins.json").read_bytes()
    lie = next(x for x in LIES if x.tells.startswith("1.0 -> 2.0"))
    broken = kinds.Lie(lie.kind, lie.file, ((0, 0, b"import no_such_module\n"),), 1, "")
    with pytest.raises(ModuleNotFoundError):                 # named by summary, one room up
        tiny(broken)
    nothing = LESSON.index("    steps = np")
    edit = (nothing, nothing, b"    raise IndexError(3)\n")
    broken = kinds.Lie(lie.kind, lie.file, (edit,), 1, "")
    assert tiny(broken)[0] == "99.1 metrics: cannot be computed: IndexError: 3"
    assert tiny(broken, accept=True) == ["99.1: nothing can be recorded"]
    assert (tmp_path / "pins.json").read_bytes() == before


def test_a_folder_that_cannot_be_imported_is_named(monkeypatch) -> None:
    def parts(self):
        raise NameError("no such name")

    monkeypatch.setattr(type(REGISTRY[0]), "parts", parts)
    row, = check.summary("04").rows
    assert [p["what"] for p in row["problems"]] == ["cannot be imported: NameError: no such name"]


# --- the course's own files --------------------------------------------------------------
@pytest.mark.parametrize("file", ["attention_np.py", "lecture/lab/heads.py",
                                  "demos/d09_depth/lesson.py", "demos/d04_attention/errata.py",
                                  "demos/d04_attention/part2_scale.py"])
def test_a_mutant_of_the_course_parses_and_differs(file: str) -> None:
    content = (ROOT / file).read_bytes()
    lies = kinds.lies_of(file, content)
    assert len(lies) > 20 and len({lie.id for lie in lies}) == len(lies)
    for lie in lies[::7]:
        assert ast.dump(ast.parse(lie.applied(content))) != ast.dump(ast.parse(content))


def test_a_record_lies_by_one_digit_and_is_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(manifest, "top", lambda: tmp_path)
    (tmp_path / "weights").mkdir()
    (tmp_path / "records").mkdir()
    file = tmp_path / "records" / "tiny.json"
    file.write_text('{"runs": [{"seed": 0, "share": 0.25}], "date": "2026-01-01"}')
    manifest.accept()
    content = file.read_bytes()
    lies = kinds.lies_of("demos/records/tiny.json", content)
    assert [json.loads(lie.applied(content))["runs"] for lie in lies] == [
        [{"seed": 1, "share": 0.25}], [{"seed": 0, "share": 0.26}]]
    for lie in lies:
        file.write_bytes(lie.applied(content))
        assert [p.place for p in manifest.compare({}).problems] == ["demos/records/tiny.json"]


def test_a_disturbed_model_is_whole_and_is_named(tmp_path, monkeypatch) -> None:
    """Its own digest is right again: only the manifest can tell."""
    name = min((ROOT / "demos/weights").glob("*.safetensors"), key=lambda p: p.stat().st_size)
    monkeypatch.setattr(manifest, "top", lambda: tmp_path)
    (tmp_path / "records").mkdir()
    file = tmp_path / "weights" / name.name
    file.parent.mkdir()
    file.write_bytes(name.read_bytes())
    manifest.accept()
    lie = kinds.lies_of(f"demos/weights/{name.name}", name.read_bytes())[0]
    file.write_bytes(lie.applied(name.read_bytes()))
    assert cache.read(file, recipes.RECIPES[name.stem], "shipped").tensors
    assert [p.place for p in manifest.compare({}).problems] == [f"demos/weights/{name.name}"]


# --- the table ---------------------------------------------------------------------------
def test_the_table_counts_what_was_named_and_lists_the_rest() -> None:
    one = {"kind": "a unit", "demo": "04", "seen": True, "named": True, "refused": False}
    results = [one, one | {"demo": "06", "named": False}, one | {"demo": "room", "refused": True}]
    page = tables({"kinds": counted(results), "seed": 0, "mute": 2, "seconds": {"median": 1.0},
                   "unseen": [{"id": "x", "tells": "a | b"}]})
    assert "| a unit | 1 | 1 | 0 | 2 | 1 | 1 |" in page
    assert "3 lies, seed 0: 2 seen (66.7%), 1 refused" in page and "- `x`: a / b" in page


def test_a_margin_reads_the_same_on_every_python() -> None:
    """3.12 writes the quotes of an f-string otherwise than 3.11: none is left in what is told."""
    from pretrain_world import question_text

    told = written._syntax(question_text.__code__)
    assert "f(" in told and not any(isinstance(node, ast.JoinedStr)
                                    for node in ast.walk(ast.parse(told)))
    assert "def question_text" in told and '"""' not in told
    assert written._syntax(question_text.__code__) == told          # the tree is not changed
