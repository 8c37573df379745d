"""Documentation cannot rot: what the README shows is what the command prints."""

from __future__ import annotations

import json
import re

import pytest

from demos import REGISTRY
from tests import session
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGES = ("README.md", "CONTRIBUTING.md", "DESIGN.md", "tests/README.md", "benchmarks/README.md")


def test_the_session_in_the_readme_is_what_a_terminal_shows() -> None:
    shown = re.search(r"<!-- session -->\n```text\n(.*?)```\n<!-- /session -->", README, re.S)
    assert shown and len(shown[1].splitlines()) > 40
    assert shown[1] == session.record()


@pytest.mark.parametrize("entry", REGISTRY, ids=lambda e: e.code)
def test_every_demo_has_its_line(entry) -> None:
    line = rf"^\| {entry.code} \| `{entry.name}` \| {re.escape(entry.title.en)} \|$"
    assert re.search(line, README, re.M)


def test_every_shipped_model_has_its_line() -> None:
    """Name, what it is, and its CPU seconds as the benchmark wrote them."""
    from lecture.models.recipes import RECIPES

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


def test_the_glossary_is_the_one_the_command_shows() -> None:
    from demos import REGISTRY
    from lecture.show.glossary import TERMS, as_markdown

    assert as_markdown() in README.split("## Glossary")[1]
    assert len(TERMS) >= 40 and len({t.name.en for t in TERMS}) == len(TERMS)
    for term in TERMS:
        assert term.demo in {e.code for e in REGISTRY}
        assert re.search("[\u4e00-\u9fff]", term.about.zh), term
        (term.name.zh + term.about.zh + term.about.en).encode("gbk")


def test_the_tables_of_the_benchmarks_are_those_of_their_json() -> None:
    """A page older than its measurements, or a number changed by hand, is seen here."""
    from benchmarks.readme import PAGE, TABLES, filled

    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page
    assert re.findall(r"^<!-- (\w+) -->$", page, re.M) == sorted(
        TABLES, key=lambda name: page.index(f"<!-- {name} -->"))
    first = re.search(r"\d+\.\d+", page.split("<!-- race -->")[1])
    assert first and filled(page.replace(first[0], "99.9", 1)) == page


# --- pages for whoever carries on ------------------------------------------------

NAMES = r"(?:[\w*.-]+/)*[\w*.-]+\.(?:py|md|json|toml|yml|yaml|j2|txt)|(?:[\w*.-]+/)+"


def files_named(page: str) -> list[str]:
    """What a page calls by a path: between backticks, or first on a line of a map."""
    found = re.findall(rf"`({NAMES})`", page)
    for block in re.findall(r"^```\n(.*?)^```", page, re.M | re.S):
        found += re.findall(rf"^({NAMES})(?=\s)", block, re.M)
    return [re.sub(r"(NN|NAME|N(?=_)|_name|_key|\*)+", "*", name) for name in found]


def missing(page: str, name: str) -> bool:
    """Is there no such file in the project, in lecture/, or beside the page?"""
    beside = (ROOT / page).parent
    return not any(any(folder.glob(name)) for folder in (ROOT, ROOT / "lecture", beside)) \
        and not any(ROOT.glob(f"lecture/*/{name}")) and not any(ROOT.glob(f"demos/*/{name}"))


@pytest.mark.parametrize("page", PAGES)
def test_every_file_a_page_names_is_there(page) -> None:
    named = files_named((ROOT / page).read_text(encoding="utf-8"))
    assert named or page == "benchmarks/README.md"
    assert not [name for name in named if missing(page, name)]


def test_a_file_that_is_gone_would_be_noticed() -> None:
    page = "`demos/d04_attention.py` `lecture/prove/check.py`\n```\nmodel_cache.py   old\n```\n"
    assert [n for n in files_named(page) if missing("README.md", n)] == [
        "demos/d04_attention.py", "model_cache.py"]


def test_every_test_has_its_line() -> None:
    page = (ROOT / "tests/README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)?test_\w+\.py)`", page.split("## Cases")[0]))
    here = {re.sub(r"test_demo\d\d", "test_demoNN", path.relative_to(ROOT / "tests").as_posix())
            for path in (ROOT / "tests").rglob("test_*.py")}
    assert named == here


def rows(page: str, after: str) -> list[list[str]]:
    """The table that follows a header, its cells without the backticks around them."""
    lines = page.split(after)[1].splitlines()
    table = [line for line in lines[2:] if line.startswith("|") or not line]
    return [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")]
            for line in table[:table.index("")]]


def test_a_newcomer_finds_it_by_the_files_name() -> None:
    found = rows(CONTRIBUTING, "| question | file | word |")
    assert len(found) >= 10
    for question, file, word in found:
        assert question.endswith("?")
        assert word in (ROOT / file).read_text(encoding="utf-8"), f"{word} is not in {file}"


def test_what_the_guard_is_said_to_say_it_says() -> None:
    check = (ROOT / "lecture/prove/check.py").read_text(encoding="utf-8")
    for message, _ in rows(CONTRIBUTING, "| it says | it means, and what to do |"):
        assert message in check
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    for name, _ in rows(CONTRIBUTING, "| test | what to do |"):
        assert f"def {name}(" in tests


def test_the_workflow_of_a_forge_calls_the_one_script() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    assert re.findall(r"^ *-? *run: (.*)$", workflow, re.M) == ["bash .ci/run"]
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert script.index("rm -rf build") < script.index("-m build")
