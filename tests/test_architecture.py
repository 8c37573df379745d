"""Which room may import which, and does every list agree with the disk?"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

from demos import REGISTRY
from tests.conftest import ROOT

# What a file may import of ours: DESIGN's table, as data.  A demo's own errata room
# is added per demo; "inside" marks what may be imported inside a function only.
NUMPY_ROOMS = {"lecture.gpt_np", "lecture.heads_np", "lecture.seq2seq_np"}
LOW = {"lecture.errors"}                                  # two lines and an exit code
ALLOWED = {
    "lecture": set(), "attention_np": set(), "lecture.report": set(), "lecture.errors": set(),
    "pretrain_world": set(), "lecture.tasks": set(), "lecture.hf_models": set(),
    "lecture.recipes": {"pretrain_world", "lecture.tasks", "lecture.phrases"},
    "lecture.gpt_np": {"attention_np", "lecture.recipes", "lecture.model_cache"},
    "lecture.heads_np": {"attention_np", "lecture.recipes", "lecture.model_cache"},
    "lecture.seq2seq_np": {"attention_np", "lecture.recipes", "lecture.model_cache"},
    "tiny_gpt": {"lecture.recipes", "lecture.model_cache", "pretrain_world", "lecture.tasks"},
    "lecture.seq2seq_torch": {"lecture.recipes", "lecture.model_cache", "pretrain_world",
                              "lecture.tasks"},
    "lecture.translate_torch": {"lecture.recipes", "lecture.model_cache", "pretrain_world",
                                "lecture.tasks", "lecture.phrases"},
    "lecture.model_cache": {"lecture.recipes", "tiny_gpt", "lecture.seq2seq_torch",
                            "pretrain_world", "lecture.tasks"},
    "console": {"lecture.report", "lecture.look"},
    "lecture.settings": {"lecture.report", "lecture.model_cache"},
    "lecture.mutation": {"lecture.report"}, "lecture.look": {"lecture.report"},
    "lecture.figures": {"demos", "lecture.report", "lecture.look"},
    "lecture.page": {"demos", "lecture.report", "lecture.export", "lecture.look"},
    "lecture.explore": {"lecture.report", "console", "lecture.gpt_np", "lecture.model_cache",
                        "lecture.recipes", "pretrain_world", "lecture.hf_models"},
    "lecture.sweep": {"lecture.sweep", "demos", "lecture.report", "lecture.model_cache",
                      "lecture.recipes"},             # itself: on another machine
    "lecture.doctor": {"demos", "lecture.report", "console", "lecture.present",
                       "lecture.model_cache", "lecture.recipes"},
    "lecture.export": {"lecture.report", "lecture.check", "lecture.recipes",
                       "lecture.model_cache", "demos"},
    "lecture.check": {"demos", "lecture.report", "console", "lecture.export",
                      "lecture.model_cache", "lecture.recipes", "pretrain_world"},
    "lecture.present": {"demos", "lecture.report", "lecture.settings", "console", "lecture.look",
                        "lecture.export", "lecture.model_cache"},
    "demos": {"lecture.report"}, "demos.errata": set(),
}
DEMO = {"lecture.report", "attention_np", "pretrain_world", "lecture.tasks", "lecture.recipes",
        "lecture.model_cache"} | NUMPY_ROOMS
TORCH = {"tiny_gpt", "lecture.seq2seq_torch", "lecture.translate_torch"}
OURS = {p.stem for p in ROOT.glob("*.py")} | {"lecture", "demos"}


def modules() -> dict[str, Path]:
    """Every module of ours by its dotted name."""
    found = {p.stem: p for p in ROOT.glob("*.py")}
    for folder in ("lecture", "demos", "demos/errata"):
        for path in (ROOT / folder).glob("*.py"):
            name = folder.replace("/", ".")
            found[name if path.stem == "__init__" else f"{name}.{path.stem}"] = path
    return found


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
            base = [node.module]
            if node.module in ("lecture", "demos", "demos.errata"):
                base = [f"{node.module}.{a.name}" if f"{node.module}.{a.name}" in modules()
                        else node.module for a in node.names]
            names += [(name, id(node) not in inner) for name in base]
    return names


def allowed_for(name: str) -> set[str]:
    demo = re.fullmatch(r"demos\.d(\d\d)_\w+", name)
    if demo:
        return DEMO | EXTRA_DEMO | {f"demos.errata.e{demo[1]}", "lecture.hf_models"}
    if re.fullmatch(r"demos\.errata\.e\d\d", name):
        return {"lecture.report"}
    if name in EXTRA:
        return EXTRA[name]
    return ALLOWED[name]


# Rooms that grew with the demos; each is NumPy only and teaches one thing.
EXTRA: dict[str, set[str]] = {
    "lecture.probes_np": {"attention_np", "lecture.gpt_np", "lecture.heads_np", "lecture.recipes",
                          "lecture.model_cache", "pretrain_world"},
    "lecture.lookup_np": {"attention_np", "lecture.records"}, "lecture.records": set(),
    "lecture.bpe": set(), "lecture.texts": set(), "lecture.embed_np": set(),
    "lecture.phrases": set(), "lecture.beam": set(), "lecture.calibration_np": set(),
    "lecture.cost_np": {"attention_np"}, "lecture.depth_np": {"attention_np"},
    "lecture.translate_np": {"attention_np", "lecture.model_cache", "lecture.recipes",
                             "lecture.phrases"},
    "lecture.edit_np": {"attention_np", "lecture.gpt_np", "lecture.probes_np", "lecture.recipes",
                        "lecture.model_cache", "pretrain_world"},
    "lecture.growth_np": {"attention_np", "lecture.gpt_np", "lecture.heads_np",
                          "lecture.probes_np", "lecture.records", "lecture.recipes",
                          "lecture.model_cache", "lecture.tasks"},
}
EXTRA_DEMO = set(EXTRA)


@pytest.mark.parametrize("name", sorted(set(modules()) - {"cli", "commands"}))
def test_imports_follow_the_table(name: str) -> None:
    allowed = allowed_for(name) | LOW
    for module, _ in imports(modules()[name]):
        if module.split(".")[0] in OURS and module != "lecture":
            assert module in allowed, f"{name} may not import {module}"


@pytest.mark.parametrize("name", sorted(modules()))
def test_torch_and_rich_stand_where_they_may(name: str) -> None:
    for module, _top in imports(modules()[name]):
        root = module.split(".")[0]
        if root == "torch":
            assert name in TORCH or name == "lecture.hf_models", f"{name} imports torch"
        if root == "rich":
            assert name == "console", f"{name} knows rich"
        if root in ("click", "pickle"):
            pytest.fail(f"{name} imports {root}")
        if module in TORCH:
            assert not _top, f"{name} loads torch at import"


@pytest.mark.parametrize(("name", "others"), [("cli", set()), ("commands", {"typer"})])
def test_the_command_imports_late(name: str, others: set[str]) -> None:
    """Start-up is a feature: at top level they know errors only, and one of them typer."""
    top = {m.split(".")[0] for m, at_top in imports(ROOT / f"{name}.py") if at_top}
    assert top - sys.stdlib_module_names == {"lecture", *others}
    ours = {m for m, at_top in imports(ROOT / f"{name}.py") if at_top and m.split(".")[0] in OURS}
    assert ours == {"lecture.errors"}


def test_registry_is_what_is_on_disk() -> None:
    files = {p.stem for p in (ROOT / "demos").glob("d[0-9][0-9]_*.py")}
    named = {e.module.split(".")[1] for e in REGISTRY}
    assert named == files
    assert [e.number for e in REGISTRY] == sorted({e.number for e in REGISTRY})
    codes = {e.code for e in REGISTRY}
    assert {p.stem for p in (ROOT / "demos/pins").glob("*.json")} == codes
    assert {p.stem[1:] for p in (ROOT / "demos/errata").glob("e*.py")} == codes
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| (\d\d) \|", readme, re.M)) == codes


def test_packaging_names_every_module() -> None:
    """Automatic discovery would install demos alone, and the command would die."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert set(tools["py-modules"]) == {p.stem for p in ROOT.glob("*.py")}
    packages = {".".join(p.relative_to(ROOT).parent.parts) for p in ROOT.rglob("__init__.py")
                if p.relative_to(ROOT).parts[0] in ("lecture", "demos")}
    assert set(tools["packages"]) == packages


def test_readme_has_the_commands_ci_runs() -> None:
    ci = (ROOT / ".ci/run").read_text()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = list(dict.fromkeys(re.findall(r"^python3 -m venv .*$", readme, re.M)))
    assert len(commands) == 2
    assert commands[1] in ci
    assert all("-c constraints.txt" in c for c in commands)


def test_every_room_is_on_the_map() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, path in modules().items():
        if path.stem != "__init__" and not name.startswith("demos.") and name != "console":
            assert path.name in readme, f"{path.name} is missing from the README's map"


def test_source_lines_fit_a_projector() -> None:
    """What the lecturer shows of the code is compute: 80 columns, as the screens."""
    for entry in REGISTRY:
        path = modules()[entry.module]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        lines = path.read_text(encoding="utf-8").splitlines()
        computes = {p.compute.__name__ for p in entry.parts()}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name in computes:
                wide = [n for n in range(node.lineno, (node.end_lineno or 0) + 1)
                        if len(lines[n - 1]) > 80]
                assert not wide, f"{path.name}: {node.name} is wider than 80 at {wide}"


def test_the_table_would_notice(tmp_path: Path) -> None:
    """Seen to fail: a demo that imports the console, torch at top level."""
    bad = tmp_path / "d99_bad.py"
    bad.write_text("import torch\nfrom console import Screen\nimport demos.d04_attention\n")
    found = {m for m, _ in imports(bad)}
    assert found == {"torch", "console", "demos.d04_attention"}
    assert not found & (DEMO | EXTRA_DEMO)
    assert sys.version_info >= (3, 11)
