"""Does the docstring of every compute name the leaves of its metrics, and no others?

It ends in a section that a class can read beside the function:

    Leaves:
      queries.{colour,place}.{soft,sharp}.{weights[4],value}  softmax over 4 keys
      heads[n].{layer,head,country}  weight on the country, a mean
      pairs.*  how often, by pair

Patterns stand apart by one blank. {a,b} is each in turn and may stand inside another; * is
any one key (keys that are data); [4,3] is a list of four lists of three; a letter or word
in place of a number is any length. What stands after two blanks explains. A line that ends
in a comma or a full stop goes on in the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lecture.report import leaves
from tests.demos.test_demos import PARTS

HOW = "write a.{b,c[4]}.*  in the section Leaves: (tests/demos/test_lessons.py says how)"


def said(compute: Callable[..., Any]) -> list[str]:
    """The patterns of a docstring's last section, as they are written."""
    doc = re.sub(r"\n +", "\n", compute.__doc__ or "")
    head, found, section = doc.rpartition("\nLeaves:\n")
    assert found and head.strip(), f"{compute.__name__}: no sentence, or no leaves; {HOW}"
    lines = [line.split("  ")[0] for line in section.splitlines()]
    return re.sub(r"(?<=[,.])\n", "", "\n".join(lines)).split()


def each(pattern: str) -> Iterator[str]:
    """The pattern once for every choice that its braces leave."""
    start = pattern.find("{")
    if start < 0:
        yield pattern
        return
    choices, depth, end = [""], 0, start
    for end in range(start, len(pattern)):
        c = pattern[end]
        depth += (c in "{[") - (c in "}]")
        if depth == 0:
            break
        if c == "," and depth == 1:
            choices.append("")
        elif end > start:
            choices[-1] += c
    for choice in choices:
        yield from each(pattern[:start] + choice + pattern[end + 1:])


def outline(metrics: Any, path: str = "") -> Iterator[str]:
    """The leaves with the lengths of their lists: weights.0.1 as weights[4,3]."""
    if isinstance(metrics, dict):
        for key, value in metrics.items():
            yield from outline(value, f"{path}.{key}" if path else str(key))
    elif isinstance(metrics, list):
        inside = list(dict.fromkeys(x for v in metrics for x in outline(v))) or [""]
        for rest in inside:
            more = rest[1:] if rest.startswith("[") else f"]{'.' if rest else ''}{rest}"
            yield f"{path}[{len(metrics)}{',' if rest.startswith('[') else ''}{more}"
    else:
        yield path


def fits(pattern: str, path: str) -> bool:
    """Is this pattern, without braces, the path of that outline?"""
    parts = re.split(r"(\*|(?<=[\[,])[a-zA-Z_]+(?=[\],]))", pattern)
    wild = "".join(r"[^.\[\]]+" if p == "*" else r"\d+" if i % 2 else re.escape(p)
                   for i, p in enumerate(parts))
    return re.fullmatch(wild, path) is not None


def problems(patterns: list[str], metrics: Any) -> dict[str, list[str]]:
    """What is measured and not named, what is named and not measured."""
    paths = list(dict.fromkeys(outline(metrics)))
    written = [one for pattern in patterns for one in each(pattern)]
    return {"not named": [p for p in paths if not any(fits(w, p) for w in written)],
            "not there": [w for w in written if not any(fits(w, p) for p in paths)]}


@pytest.mark.parametrize(("entry", "part"), PARTS)
def test_a_compute_names_its_leaves(results, entry, part) -> None:
    metrics = results(part).metrics
    found = problems(said(part.compute), metrics)
    assert not any(found.values()), f"{part.compute.__name__}: {found}; {HOW}"


@pytest.mark.parametrize(("entry", "part"), PARTS)
def test_an_outline_holds_every_leaf(results, entry, part) -> None:
    """No leaf is lost on the way: without numbers both have the same keys."""
    metrics = results(part).metrics

    def keys(path: str) -> str:
        return re.sub(r"\[[^\]]*\]", "", path).strip(".")

    plain = {re.sub(r"\.\d+(?=\.|$)", "", p) for p, _ in leaves(metrics)}
    empty = {keys(p) for p in outline(metrics) if re.search(r"\b0\]", p)}
    assert plain == {keys(p) for p in outline(metrics)} - (empty - plain)


METRICS = {"a": {"b": 1, "c": 2}, "rows": [{"x": [[1, 2, 3]], "n": 0}, {"x": [[1, 2]], "n": 0}],
           "none": [], "l+o": 3}
NAMED = ["a.{b,c}", "rows[2].{x[1,n],n}", "none[k]", "*"]


def test_the_right_patterns_have_no_problem() -> None:
    assert not any(problems(NAMED, METRICS).values())
    assert list(each("p.{a[2,n],b{1,2}.{c,d}}")) == [
        "p.a[2,n]", "p.b1.c", "p.b1.d", "p.b2.c", "p.b2.d"]


@pytest.mark.parametrize(("patterns", "found"), [
    (NAMED[1:], {"not named": ["a.b", "a.c"], "not there": []}),
    ([*NAMED, "a.{b,d}"], {"not named": [], "not there": ["a.d"]}),
    ([NAMED[0], "rows[3].{x[1,n],n}", *NAMED[2:]],
     {"not named": ["rows[2].x[1,3]", "rows[2].n", "rows[2].x[1,2]"],
      "not there": ["rows[3].x[1,n]", "rows[3].n"]}),
    (["*.*", *NAMED[1:]], {"not named": [], "not there": []}),
    (["*", *NAMED[1:3]], {"not named": ["a.b", "a.c"], "not there": []})])
def test_a_forgotten_leaf_and_an_idle_pattern_are_seen(patterns, found) -> None:
    assert problems(patterns, METRICS) == found


def test_a_section_is_read_as_it_is_written() -> None:
    def compute() -> None:
        """One sentence.

        Leaves:
          a.{b,  the first of two
             c} rows[2].  and more
            {x[1,n],n}
          none[k] *  words, by pair
        """

    assert said(compute) == ["a.{b,c}", "rows[2].{x[1,n],n}", "none[k]", "*"]
    assert said(compute)[0] == NAMED[0]


def test_a_compute_without_the_section_is_refused() -> None:
    def compute() -> None:
        """One sentence only."""

    with pytest.raises(AssertionError, match="no leaves"):
        said(compute)
