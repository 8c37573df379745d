"""How is the guard itself written?  A bound made looser moves no number that is recorded.

A margin that joins three conditions shows the smallest: loosen another and nothing moves.  So
the wording of every margin is recorded too, as a digest of its syntax: of claims, of options, of
the functions of ours they call, with the numbers of the module they name; beside it which control
a claim fails on, the figure an erratum compares, and how far each pin may move.  Comments,
layout and the texts of the screen do not count (those the recorded screens hold).

Left out: whether the bound is a good one. That is for whoever accepts it.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import inspect
import types
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from lecture import TOP
from lecture.report import LETTERS, Claim, Part

Written = dict[str, str]                            # what -> digest of how it is written


def written(part: Part) -> Written:
    """A digest for each thing of a part that decides whether something is named."""
    found = {c.key: _digest(_margin(c.margin), *_settled(c)) for c in part.every_claim()}
    for number, question in enumerate(part.questions, 1):
        found |= {f"option {number}{LETTERS[i]}": _digest(_margin(option.margin))
                  for i, option in enumerate(question.options)}
    found |= {f"erratum {e.row}": _digest(e.kind, e.metric, e.notes, e.within)
              for e in part.errata}
    found["tolerances"] = _digest(*((pattern, t.kind, t.rtol, t.atol, t.low, t.high)
                                    for pattern, t in part.pins.items()))
    return found


def _settled(claim: Claim) -> tuple[Any, ...]:
    control = claim.fails_on if isinstance(claim.fails_on, str) else "none"
    return claim.kind, control, claim.given, claim.undefined is not None


def _digest(*told: Any) -> str:
    return hashlib.sha256(repr(told).encode()).hexdigest()[:12]


def _margin(margin: Callable[..., Any]) -> tuple[str, ...]:
    """The syntax of a margin and of all of ours it leans on, in one order everywhere."""
    return tuple(sorted(_told(margin, set())))


def _told(value: Any, met: set[int]) -> Iterator[str]:
    if id(value) in met:
        return
    met.add(id(value))
    if isinstance(value, partial):
        yield f"partial {_plain(value.args)} {_plain(value.keywords)}"
        yield from _told(value.func, met)
        return
    value = inspect.unwrap(value) if callable(value) else value
    if not isinstance(value, types.FunctionType) or not _ours(value.__code__.co_filename):
        return
    yield _syntax(value.__code__)
    for name in sorted(_names(value.__code__)):
        other = value.__globals__.get(name)
        if callable(other):
            yield from _told(other, met)
        elif name in value.__globals__ and not isinstance(other, types.ModuleType):
            yield f"{name} = {_plain(other)}"
    for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
        if callable(cell.cell_contents):
            yield from _told(cell.cell_contents, met)
        else:
            yield f"{name} = {_plain(cell.cell_contents)}"
    for default in value.__defaults__ or ():
        yield _plain(default)


def _names(code: types.CodeType) -> set[str]:
    """What the code may look up, comprehensions and inner functions too."""
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _plain(value: Any) -> str:
    """Numbers, words and their collections as text; of anything else its type."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_plain(k)}: {_plain(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_plain, value)) + "]"
    return repr(value) if isinstance(value, int | float | str | None) else type(value).__name__


HERE = Path(__file__).resolve().parents[1]          # the package: in a wheel it holds TOP


def _ours(file: str) -> bool:
    path = Path(file)
    return path.is_relative_to(HERE) or (
        path.is_relative_to(TOP) and "site-packages" not in path.relative_to(TOP).parts)


@cache
def _functions(file: str) -> dict[tuple[str, int], list[Any]]:
    """Every function of a file, by name and first line; a lambda is called <lambda>."""
    found: dict[tuple[str, int], list[Any]] = {}
    for node in ast.walk(ast.parse(Path(file).read_bytes())):
        if isinstance(node, ast.Lambda | ast.FunctionDef):
            found.setdefault((getattr(node, "name", "<lambda>"), _line(node)), []).append(node)
    return found


def _syntax(code: types.CodeType) -> str:
    """The function as its tree says it, whatever its layout; without its docstring."""
    places = [(line, column) for line, _, column, _ in code.co_positions()
              if line is not None and column]
    found = _functions(code.co_filename).get((code.co_name, code.co_firstlineno), [])
    if len(found) > 1 and places:                   # several on one line: the one that holds it
        found = [n for n in found if all((n.lineno, n.col_offset) <= place
                                         <= (n.end_lineno, n.end_col_offset)
                                         for place in places)] or found
        found.sort(key=lambda n: (n.end_lineno - n.lineno, n.end_col_offset - n.col_offset))
    if not found:
        return code.co_name
    from lecture.models.identity import plain  # one spelling on every Python we allow

    node = copy.deepcopy(found[0])                  # plain changes it in place
    return ast.unparse(plain(ast.Module([node if isinstance(node, ast.stmt) else ast.Expr(node)],
                                        [])))


def _line(node: Any) -> int:
    decorators = getattr(node, "decorator_list", [])
    return int(decorators[0].lineno if decorators else node.lineno)
