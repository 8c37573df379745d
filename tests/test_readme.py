"""Documentation cannot rot: what the README shows is what the command prints."""

from __future__ import annotations

import json
import re

import pytest

from demos import REGISTRY
from tests import session
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_session_in_the_readme_is_what_a_terminal_shows() -> None:
    shown = re.search(r"<!-- session -->\n```text\n(.*?)```\n<!-- /session -->", README, re.S)
    assert shown and len(shown[1].splitlines()) > 60
    assert shown[1] == session.record()


@pytest.mark.parametrize("entry", REGISTRY, ids=lambda e: e.code)
def test_every_demo_has_its_line(entry) -> None:
    line = rf"^\| {entry.code} \| `{entry.name}` \| {re.escape(entry.title.en)} \|$"
    assert re.search(line, README, re.M)


def test_every_shipped_model_has_its_line() -> None:
    """Name, what it is, and its CPU seconds as the benchmark wrote them."""
    from lecture.recipes import RECIPES

    times = json.loads((ROOT / "benchmarks/train_times.json").read_text())["seconds"]
    table = README.split("## The trained models")[1].split("## The map")[0]
    named: list[str] = []
    for row in re.findall(r"^\| (`.*) \|$", table, re.M):
        names, what, seconds = row.split(" | ")
        row_names = re.findall(r"`(\w+)`", names)
        assert len(what) > 15
        assert seconds == ", ".join(f"{times[name]:.1f}" for name in row_names)
        named += row_names
    assert sorted(named) == sorted(RECIPES)
    assert set(RECIPES) == {p.stem for p in (ROOT / "demos/weights").glob("*.safetensors")}


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.json")),
                         ids=lambda path: path.stem)
def test_every_benchmark_says_where_and_with_what(path) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["machine"]
    assert re.fullmatch(r"3\.\d+\.\d+", found["versions"]["python"]) and len(found["versions"]) > 1


def test_the_glossary_has_both_languages() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]*[\u4e00-\u9fffKsl][^|]*) \| [^|]+ \|$",
                      README.split("## Glossary")[1], re.M)
    assert len(rows) >= 40


def test_the_tables_of_the_benchmarks_are_those_of_their_json() -> None:
    """A page older than its measurements, or a number changed by hand, is seen here."""
    from benchmarks.readme import PAGE, TABLES, filled

    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page
    assert re.findall(r"^<!-- (\w+) -->$", page, re.M) == sorted(
        TABLES, key=lambda name: page.index(f"<!-- {name} -->"))
    first = re.search(r"\d+\.\d+", page.split("<!-- race -->")[1])
    assert first and filled(page.replace(first[0], "99.9", 1)) == page
