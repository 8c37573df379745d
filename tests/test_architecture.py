"""Which room may import which, and does every list agree with the disk?

ROOMS is DESIGN's table as data: a room, and what it may import of ours.
"""

from __future__ import annotations

import ast
import fnmatch
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from demos import REGISTRY
from tests.conftest import ROOT

# --- the table -----------------------------------------------------------------
# First match wins. "@" is the demo's own folder; errors, files and `lecture` itself (TOP) are
# open to all. Inside a function a room may reach what INSIDE adds.
NUMPY = ["attention_np", "pretrain_world", "lecture.data.*", "lecture.models.recipes",
         "lecture.models.cache"]
ROOMS: dict[str, list[str]] = {
    "lecture": [], "lecture.*.__init__": [], "lecture.__main__": ["cli"],
    "attention_np": [], "pretrain_world": [], "lecture.errors": [],
    "lecture.report": ["lecture.margins"],
    "lecture.records": [], "lecture.files": [], "lecture.ahead": [], "lecture.margins": [],
    "lecture.inputs": [],
    "lecture.quantities": ["lecture.report"], "lecture.data.*": ["lecture.data.*"],
    "lecture.models.beam": [], "lecture.models.hf": [],
    "lecture.models.recipes": ["pretrain_world", "lecture.data.*"],
    "lecture.models.identity": ["lecture.models.recipes"],
    "lecture.models.cache": ["lecture.models.recipes"],
    "lecture.models.*_np": [*NUMPY, "lecture.models.*_np"],
    "lecture.models.*_torch": ["pretrain_world", "lecture.data.*", "lecture.models.recipes",
                               "lecture.models.cache"],
    "tiny_gpt": ["pretrain_world", "lecture.data.*", "lecture.models.recipes",
                 "lecture.models.cache"],
    "lecture.lab.*": [*NUMPY, "lecture.models.*_np", "lecture.lab.*", "lecture.records"],
    "demos": ["lecture.report"],
    "demos.d*.lesson": [*NUMPY, "lecture.models.*_np", "lecture.models.beam", "lecture.models.hf",
                        "lecture.lab.*", "lecture.records", "lecture.ahead", "lecture.report"],
    "demos.d*.words": ["@.lesson", "lecture.report"],
    "demos.d*.errata": ["@.lesson", "lecture.report"],
    "demos.d*.part*": ["@.lesson", "@.words", "@.errata", "lecture.report", "lecture.margins",
                       "lecture.quantities"],
    "demos.d*": ["@.part*", "lecture.report"],
    "console": ["lecture.report", "lecture.quantities", "lecture.show.curves",
                "lecture.show.words"],
    "lecture.show.words": ["lecture.report"], "lecture.show.curves": ["lecture.report"],
    "lecture.show.page": ["demos", "lecture.report", "lecture.quantities", "lecture.show.*"],
    "lecture.show.figures": ["demos", "lecture.report", "lecture.quantities",
                             "lecture.show.*"],
    "lecture.show.export": ["demos", "lecture.report"],
    "lecture.show.*": ["demos", "lecture.report", "lecture.quantities", "lecture.settings",
                       "lecture.ahead", "lecture.show.*"],
    "lecture.prove.*": ["demos", "lecture.report", "lecture.quantities", "lecture.prove.*"],
    "lecture.settings": ["lecture.report"],
    "lecture.commands": [], "cli": [],
}
INSIDE: dict[str, list[str]] = {
    "lecture.models.cache": ["tiny_gpt", "lecture.models.*_torch", "lecture.models.identity"],
    "cli": ["*"], "lecture.commands": ["*"], "lecture.settings": ["lecture.models.cache"],
    "lecture.show.*": ["*"], "lecture.prove.*": ["*"],
}
TORCH = {"tiny_gpt", "lecture.models.seq2seq_torch", "lecture.models.translate_torch"}
OPEN = {"lecture", "lecture.errors", "lecture.files", "lecture.inputs"}
OURS = {p.stem for p in ROOT.glob("*.py")} | {"lecture", "demos"}
DEMOS = sorted(p.name for p in (ROOT / "demos").glob("d[0-9][0-9]_*"))


def modules() -> dict[str, Path]:
    """Every module of ours by its dotted name."""
    found = {p.stem: p for p in ROOT.glob("*.py")}
    for folder in ("lecture", "demos"):
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(path: Path) -> list[tuple[str, bool]]:
    """(module, stands at top level) of every import statement in a file.

    Imports under `if TYPE_CHECKING:` are words for the type checker and run never.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {id(n) for node in ast.walk(tree) if isinstance(node, ast.If)
                   and "TYPE_CHECKING" in ast.unparse(node.test) for n in ast.walk(node)}
    inner = {id(n) for node in ast.walk(tree)
             if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for n in ast.walk(node)}
    names = []
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            names += [(a.name, id(node) not in inner) for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            base = [f"{node.module}.{a.name}" if f"{node.module}.{a.name}" in MODULES
                    else node.module for a in node.names]
            names += [(name, id(node) not in inner) for name in base]
    return names


def allowed(name: str, at_top: bool) -> list[str]:
    """What a room may import: patterns of module names."""
    if name.startswith("lecture.") and MODULES[name].name == "__init__.py":
        return []
    own = ".".join(name.split(".")[:2])
    found = next(rooms for room, rooms in ROOMS.items() if fnmatch.fnmatchcase(name, room))
    extra = [] if at_top else [m for room, more in INSIDE.items() for m in more
                               if fnmatch.fnmatchcase(name, room)]
    return [pattern.replace("@", own) for pattern in [*found, *extra]]


def offences(name: str, path: Path) -> list[str]:
    """Imports of a file that the table does not allow to the room of this name."""
    return [module for module, at_top in imports(path)
            if module.split(".")[0] in OURS and module not in OPEN
            and not any(fnmatch.fnmatchcase(module, p) for p in allowed(name, at_top))]


@pytest.mark.parametrize("name", sorted(MODULES))
def test_imports_follow_the_table(name: str) -> None:
    assert not offences(name, MODULES[name]), f"{name} may not import these"


def test_the_table_would_notice(tmp_path: Path) -> None:
    """Seen to fail: a part that draws, a lesson that trains, a lab room that knows a demo."""
    bad = tmp_path / "bad.py"
    bad.write_text("import console\nimport tiny_gpt\nfrom demos.d04_attention import lesson\n"
                   "from lecture.lab import heads\n")
    assert offences("demos.d05_qkv.part1_roles", bad) == [
        "console", "tiny_gpt", "demos.d04_attention.lesson", "lecture.lab.heads"]
    assert offences("demos.d04_attention.lesson", bad) == [
        "console", "tiny_gpt", "demos.d04_attention.lesson"]
    assert offences("lecture.lab.cost", bad) == [
        "console", "tiny_gpt", "demos.d04_attention.lesson"]


@pytest.mark.parametrize("name", sorted(MODULES))
def test_torch_and_rich_stand_where_they_may(name: str) -> None:
    for module, at_top in imports(MODULES[name]):
        root = module.split(".")[0]
        if root == "torch":
            assert name in TORCH or name == "lecture.models.hf", f"{name} imports torch"
        if root == "rich":
            assert name == "console", f"{name} knows rich"
        if root in ("click", "pickle"):
            pytest.fail(f"{name} imports {root}")
        if module in TORCH:
            assert not at_top, f"{name} loads torch at import"


def trainings_in(tree: ast.Module) -> list[str]:
    """What a lab room must not do: reach a trainer by its name, or make weights anew."""
    names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    called = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)
              and isinstance(n.value, ast.Name) and n.value.id in ("cache", "model_cache")}
    return sorted(names & {"importlib", *TORCH}) + sorted(called & {"make", "train", "ship"})


@pytest.mark.parametrize("path", sorted((ROOT / "lecture/lab").glob("*.py")),
                         ids=lambda p: p.stem)
def test_the_lab_measures_and_trains_nothing(path: Path) -> None:
    assert not trainings_in(tree_of(path))


def test_a_lab_room_that_trains_would_be_noticed() -> None:
    bad = ast.parse("import importlib\nweights = model_cache.make(recipe)\n")
    assert trainings_in(bad) == ["importlib", "make"]


@pytest.mark.parametrize(("name", "others"), [("cli", set()), ("lecture.commands", {"typer"})])
def test_the_command_imports_late(name: str, others: set[str]) -> None:
    """Start-up is a feature: at top level they know errors only, and one of them typer."""
    top = {m for m, at_top in imports(MODULES[name]) if at_top}
    assert {m.split(".")[0] for m in top} - sys.stdlib_module_names == {"lecture", *others}
    assert {m for m in top if m.split(".")[0] in OURS} == {"lecture.errors"}


# --- a demo's folder -------------------------------------------------------------

CJK = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
LESSON_LINES, PART_LINES = 450, 250
SCREEN = {"T", "Table", "Column", "Num", "Paragraph", "HeatMap", "Curve", "Scatter", "Bars", "Row",
          "Claim", "Option", "Question", "Erratum", "Part", "Param"}


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def screen_in(tree: ast.Module) -> list[str]:
    """What a lesson must not hold: the screen's types, and Chinese but as data of a text."""
    return [n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Name) and n.func.id in SCREEN]


@pytest.mark.parametrize("demo", DEMOS)
def test_a_lesson_computes_and_says_nothing(demo: str) -> None:
    path = ROOT / "demos" / demo / "lesson.py"
    assert not screen_in(tree_of(path))
    from_report = {a.name for n in tree_of(path).body if isinstance(n, ast.ImportFrom)
                   and n.module == "lecture.report" for a in n.names}
    assert from_report <= {"Metrics"}


def computing_in(tree: ast.Module) -> list[str]:
    """What a part must not do: NumPy, a lesson's function called, arithmetic on metrics.

    A margin is arithmetic; so are lambdas. Times are taken while the screen is drawn, by
    functions of the lesson called time_*, and are no metrics.
    """
    lessons = {a.asname or a.name for n in tree.body if isinstance(n, ast.ImportFrom)
               and (n.module or "").endswith(".lesson") for a in n.names}
    found = [m for n in tree.body if isinstance(n, ast.Import) for m in
             (a.name for a in n.names) if m not in ("math",)]
    shows = [n for n in tree.body if isinstance(n, ast.FunctionDef)
             and any(isinstance(x, ast.Yield | ast.YieldFrom) for x in ast.walk(n))]
    for n in ast.walk(tree):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in lessons \
                and not n.func.id.startswith("time_"):
            found.append(f"{n.func.id}()")
    for show in shows:
        found += [ast.unparse(n) for n in ast.walk(show) if isinstance(n, ast.BinOp)
                  and isinstance(n.op, ast.Div | ast.Mult | ast.Pow | ast.Sub | ast.MatMult)]
    return found


@pytest.mark.parametrize("path", sorted((ROOT / "demos").glob("d*/part*.py")),
                         ids=lambda p: f"{p.parent.name[:3]}-{p.stem}")
def test_a_part_says_and_computes_nothing(path: Path) -> None:
    assert not computing_in(tree_of(path))


def test_a_part_that_computes_would_be_noticed() -> None:
    bad = ast.parse("import numpy as np\nfrom demos.d01.lesson import merge\n"
                    "def show(m):\n    yield m['a'] / m['b']\n    yield merge(1)\n")
    assert computing_in(bad) == ["numpy", "merge()", "m['a'] / m['b']"]
    assert screen_in(ast.parse("x = T('a', 'b')")) == ["T"]


@pytest.mark.parametrize("demo", DEMOS)
def test_files_are_of_one_sitting(demo: str) -> None:
    """A longer one says why in its first docstring: "Longer than … because"."""
    for path in sorted((ROOT / "demos" / demo).glob("*.py")):
        most = LESSON_LINES if path.stem == "lesson" else PART_LINES
        lines = len(path.read_text(encoding="utf-8").splitlines())
        said = "Longer than" in (ast.get_docstring(tree_of(path)) or "")
        assert lines <= most or said, f"{demo}/{path.name}: {lines} lines"


def test_registry_is_what_is_on_disk() -> None:
    assert [e.module.split(".")[1] for e in REGISTRY] == DEMOS
    for entry in REGISTRY:
        names = {p.name for p in entry.folder.iterdir()}
        assert {"__init__.py", "lesson.py", "errata.py", "pins.json"} <= names
        parts = [f"part{p.number}_{p.key}.py" for p in entry.parts()]
        assert sorted(n for n in names if n.startswith("part")) == sorted(parts)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| (\d\d) \|", readme, re.M)) == {e.code for e in REGISTRY}


# --- packaging ---------------------------------------------------------------------


def test_packaging_names_every_package() -> None:
    """Everything is named: discovery would leave demos loose and forget a folder's pins."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    tools = project["tool"]["setuptools"]
    here = {".".join(p.relative_to(ROOT).parent.parts) for top in ("lecture", "demos")
            for p in (ROOT / top).rglob("__init__.py")}
    inside = {f"lecture._top.{p}" for p in here if p.startswith("demos")} | {"lecture._top"}
    assert set(tools["packages"]) == {p for p in here if p.startswith("lecture")} | inside
    assert tools["package-dir"] == {"lecture._top": "."}
    data = tools["package-data"]
    assert "pins.json" in data["*"]                     # of every package, so of every demo
    assert project["project"]["scripts"] == {"lecture": "lecture.__main__:run"}


def test_readme_has_the_commands_ci_runs() -> None:
    ci = (ROOT / ".ci/run").read_text()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = list(dict.fromkeys(re.findall(r"^python3 -m venv .*$", readme, re.M)))
    assert len(commands) == 2
    assert commands[1] in ci
    assert all("-c constraints.txt" in c for c in commands)


def test_every_room_is_on_the_map() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, path in MODULES.items():
        if path.name not in ("__init__.py", "__main__.py") and not name.startswith("demos."):
            assert path.stem in readme, f"{path.stem} is missing from the README's map"


def test_every_record_has_its_maker() -> None:
    """benchmarks/records/NAME.py makes demos/records/NAME.json; several only where listed."""
    several = {"edit_seeds": "fact_seeds", "heads_ranks": "heads_seeds",
               "beam_widths": "translate_seeds", "shares": "growth", "copy_places": "growth"}
    records = {p.stem for p in (ROOT / "demos/records").glob("*.json")}
    makers = {p.stem for p in (ROOT / "benchmarks/records").glob("*.py")} - {"__init__"}
    assert records == makers | set(several)
    for record, maker in several.items():
        assert f'"{record}"' in (ROOT / f"benchmarks/records/{maker}.py").read_text()
        assert record not in makers


def test_records_say_who_made_them() -> None:
    for path in (ROOT / "demos/records").glob("*.json"):
        assert isinstance(json.loads(path.read_text(encoding="utf-8")), dict)


def test_benchmarks_need_no_path_surgery() -> None:
    for path in (ROOT / "benchmarks").rglob("*.py"):
        assert "sys.path" not in path.read_text(encoding="utf-8"), path.name


def test_source_lines_fit_a_projector() -> None:
    """What the lecturer shows of the code is compute: 80 columns, as the screens."""
    for entry in REGISTRY:
        path = entry.folder / "lesson.py"
        lines = path.read_text(encoding="utf-8").splitlines()
        computes = {p.compute.__name__ for p in entry.parts()}
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef) and node.name in computes:
                wide = [n for n in range(node.lineno, (node.end_lineno or 0) + 1)
                        if len(lines[n - 1]) > 80]
                assert not wide, f"{path.name}: {node.name} is wider than 80 at {wide}"
