"""Which code trained a model, and on what machine?

A recipe's fingerprint says what was to be trained.  It does not see the code that did it:
an optimiser without its momentum, rows no longer shuffled, a default of a field (fields at
their default are left out of the fingerprint).  `trainer` does, as one SHA-256 over the
syntax of

    the room that trains the recipe's kind, whole;
    in `recipes`, the types the recipe is made of and what they mention;
    in `tasks`, the task it draws from and what that mentions (the fingerprint knows only the
    version somebody remembered to raise).

Comments, docstrings and layout do not count, nor do other models and other tasks: adding one
changes no trainer.  Left out because the fingerprint holds all they make: the world's texts
and the phrases.  Left out as well: library versions and the processor, which move last bits;
they stand beside the weights (`machine`).
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import platform
import sys
from functools import cache
from pathlib import Path

from lecture.models.recipes import Recipe

UNKNOWN = "unknown"

Docstringed = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


# --- the code ------------------------------------------------------------------------
def source(module: str) -> str | None:
    """The text of a module, which is not imported; None where there is no text."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    path = Path(spec.origin) if spec is not None and spec.origin else None
    if path is None or path.suffix != ".py" or not path.is_file():
        return None
    return path.read_text(encoding="utf-8")


class _Plain(ast.NodeTransformer):
    """f"a{b!r:c}" as a call f('a', (b, 114, f('c'))), which has one spelling.

    Python 3.12 writes the quotes of an f-string otherwise than 3.11, and reads empty pieces.
    """

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.Call:
        self.generic_visit(node)
        pieces = [v for v in node.values if not (isinstance(v, ast.Constant) and v.value == "")]
        return ast.Call(ast.Name("f"), pieces, [])

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.Tuple:
        self.generic_visit(node)
        return ast.Tuple([node.value, ast.Constant(node.conversion),
                          node.format_spec or ast.Constant(None)])


def plain(tree: ast.Module) -> ast.Module:
    """The same tree without docstrings, f-strings taken apart; changed in place."""
    for node in ast.walk(tree):
        if isinstance(node, Docstringed) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return _Plain().visit(tree)


def _names(node: ast.stmt) -> set[str]:
    """What a statement at top level defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else (
        [node.target] if isinstance(node, ast.AnnAssign) else [])
    return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}


def reached(tree: ast.Module, start: set[str]) -> list[ast.stmt]:
    """The definitions of these names and of all they mention, in the file's order."""
    wanted, kept = set(start), set[int]()
    growing = True
    while growing:
        growing = False
        for node in tree.body:
            if id(node) not in kept and _names(node) & wanted:
                kept.add(id(node))
                wanted |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                growing = True
    return [node for node in tree.body if id(node) in kept]


@cache
def _tree(module: str) -> ast.Module | None:
    text = source(module)
    return None if text is None else plain(ast.parse(text))


def _task_function(tree: ast.Module, name: str) -> set[str]:
    """The function that stands under @task(name, …)."""
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)
            for mark in node.decorator_list if isinstance(mark, ast.Call) and mark.args
            and isinstance(mark.args[0], ast.Constant) and mark.args[0].value == name}


@cache
def _digest(room: str, types: frozenset[str], task: str | None) -> str:
    trainer = _tree(room)
    if trainer is None:
        return UNKNOWN
    pieces = [ast.unparse(trainer)]
    recipes = _tree("lecture.models.recipes")
    if recipes is not None:
        pieces += [ast.unparse(node) for node in reached(recipes, set(types))]
    tasks = _tree("lecture.data.tasks") if task is not None else None
    if tasks is not None and task is not None:
        pieces += [ast.unparse(node) for node in reached(tasks, _task_function(tasks, task))]
    return hashlib.sha256("\n\n".join(pieces).encode()).hexdigest()


def trainer(recipe: Recipe, room: str) -> str:
    """64 hex digits of the code that trains this recipe; `room` is its kind's module.

    "unknown" where the room has no source text to read.
    """
    types = frozenset(type(part).__name__ for part in
                      (recipe, recipe.config, recipe.data, recipe.training))
    return _digest(room, types, getattr(recipe.data, "task", None))


def forget() -> None:
    """Read the files again at the next question."""
    _tree.cache_clear()
    _digest.cache_clear()


# --- the machine ---------------------------------------------------------------------
def processor() -> str:
    """The processor's name; the architecture where the system tells no name."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def machine() -> dict[str, str]:
    """The processor, and which of its vector instructions torch uses (once it is loaded).

    Another set of instructions adds in another order, and gives another model.
    """
    simd = UNKNOWN
    if "torch" in sys.modules:
        simd = sys.modules["torch"].backends.cpu.get_cpu_capability()
    return {"processor": processor(), "simd": simd}
