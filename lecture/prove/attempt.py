"""What do the course's claims say of a student's functions?

The functions a file defines take the place of ours, and the parts of the demo are computed with
them. A fresh copy of each room that calls them is loaded meanwhile: lessons take what they need
by name (`from attention_np import attention`), so ours must be gone before they are read.

Nothing here starts a process, has a limit or draws: `judge` can be called in a browser. The
command holds it in a process of its own (lecture/prove/held.py).
"""

from __future__ import annotations

import ast
import contextlib
import fnmatch
import importlib
import importlib.abc
import importlib.util
import linecache
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from demos import Entry, find
from lecture.errors import UsageProblem
from lecture.prove import probes
from lecture.prove.own import Own, Wrong, in_place_of
from lecture.prove.tasks import Task, tasks_of
from lecture.report import Part, Result, run

Piece = dict[str, Any]
Tell = Callable[[Piece], None]
NAME = "your_functions"                     # the module a student's file becomes
OURS = ("attention_np", "lecture", "demos", "pretrain_world")     # nothing from there is theirs
LINES = 12                                  # of a traceback, at most
MOST = 1_000_000                            # characters of a file
# what is loaded afresh: all that calls a function which may be replaced
CALLERS = ("attention_np", "lecture.data.bpe", "lecture.models.beam", "lecture.models.*_np",
           "lecture.lab.*", "demos.d[0-9]*")


@dataclass(frozen=True)
class Tried:
    """What came of one file, as plain data: it can travel from another process.

    functions[name] is "yours", "blank" (only ...) or "absent"; parts[key] holds metrics, or the
    lines of an error; probes has a row for each; mistakes says which known ones fit a function
    that is wrong (lecture/prove/diagnose.py).
    """

    demo: str
    functions: Mapping[str, str]
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    probes: Sequence[Mapping[str, Any]] = ()
    mistakes: Sequence[Mapping[str, Any]] = ()
    changed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    single: Sequence[str] = ()
    passed_over: Sequence[str] = ()
    rested: Sequence[str] = ()                  # slow, and right so far: ours went on
    error: Sequence[str] | None = None          # the file itself could not be run
    whole: bool = False                         # nothing was cut short


# --- the student's file -------------------------------------------------------


class _Text(importlib.abc.InspectLoader):
    """A module from a text: nothing of it is written, and no bytecode is kept."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name

    def get_source(self, fullname: str) -> str:
        return self.text

    def get_code(self, fullname: str) -> Any:
        return self.source_to_code(self.text, self.name)


def loaded(text: str, name: str, module_name: str = NAME) -> ModuleType:
    """The file run as a module; whatever it raises comes out."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    loader = _Text(text, name)
    spec = importlib.util.spec_from_loader(module_name, loader, origin=name)
    module = importlib.util.module_from_spec(spec)              # type: ignore[arg-type]
    sys.modules[module_name] = module                           # dataclasses look for it there
    loader.exec_module(module)
    return module


def written(text: str, tasks: Iterable[Task]) -> dict[str, str]:
    """Which tasks a file has written: "yours", "blank" or "absent"; SyntaxError comes out."""
    try:
        tree = ast.parse(text)
    except ValueError as error:                                 # a NUL byte
        raise SyntaxError(str(error)) from None
    bare = {node.name for node in tree.body
            if isinstance(node, ast.FunctionDef) and _is_blank(node)}
    named = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)} | {
        leaf.id for n in tree.body if isinstance(n, ast.Assign | ast.AnnAssign)
        for leaf in ast.walk(n) if isinstance(leaf, ast.Name) and isinstance(leaf.ctx, ast.Store)}
    named |= {a.asname or a.name for n in tree.body if isinstance(n, ast.ImportFrom)
              and (n.module or "").partition(".")[0] not in OURS for a in n.names}
    return {t.name: "blank" if t.name in bare else "yours" if t.name in named else "absent"
            for t in tasks}


def _is_blank(node: ast.FunctionDef) -> bool:
    """Only a docstring, `...`, `pass` or NotImplementedError."""
    def nothing(n: ast.stmt) -> bool:
        return (isinstance(n, ast.Pass)
                or isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
                or isinstance(n, ast.Raise) and "NotImplementedError" in ast.unparse(n))

    return all(map(nothing, node.body))


def told(error: BaseException, name: str) -> list[str]:
    """An error's own traceback, shortened to the student's file; its last line at least."""
    if isinstance(error, Wrong):            # of what it returned: ours raised it, theirs is meant
        return [str(error)]
    found = traceback.TracebackException.from_exception(error)
    found.stack[:] = traceback.StackSummary.from_list(
        [frame for frame in found.stack if frame.filename == name])
    if len(found.stack) > 4:                                    # endless recursion
        found.stack[:] = [*found.stack[:2], *found.stack[-2:]]
    found.__cause__ = found.__context__ = None
    lines = [line for text in found.format() for line in text.rstrip().splitlines()]
    if not found.stack and lines[:1] == ["Traceback (most recent call last):"]:
        lines = lines[1:]
    return [line[:300] for line in (*lines[:LINES - 1], *lines[LINES - 1:][-1:])]


# --- theirs in place of ours ----------------------------------------------------


def _is_caller(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in CALLERS)


@contextlib.contextmanager
def replaced(owns: Sequence[Own]) -> Iterator[None]:
    """Inside, whoever imports one of our functions anew gets the student's; afterwards ours."""
    before = {name: module for name, module in sys.modules.items() if _is_caller(name)}
    try:
        _forget(before)
        for own in owns:
            place: Any = importlib.import_module(own.task.module)
            *path, name = own.task.target.split(".")
            for step in path:
                place = getattr(place, step)
            setattr(place, name, in_place_of(own))
        yield
    finally:
        _forget([name for name in sys.modules if _is_caller(name)])
        for name, module in before.items():
            sys.modules[name] = module
            _of_parent(name, module)


def _forget(names: Iterable[str]) -> None:
    for name in list(names):
        sys.modules.pop(name, None)
        _of_parent(name, None)


def _of_parent(name: str, module: ModuleType | None) -> None:
    """`from lecture.models import beam` asks the package first: it must not know the old one."""
    parent, _, leaf = name.rpartition(".")
    if parent in sys.modules:
        if module is not None:
            setattr(sys.modules[parent], leaf, module)
        elif hasattr(sys.modules[parent], leaf):
            delattr(sys.modules[parent], leaf)


def owns_of(module: ModuleType, tasks: Iterable[Task], state: Mapping[str, str],
            ours: Mapping[str, Any]) -> list[Own]:
    """The student's functions, each knowing ours."""
    found = []
    for task in tasks:
        if state[task.name] == "yours":
            given = getattr(module, task.name, None)
            if callable(given):
                found.append(Own(task, given, ours[task.name]))
    return found


def ours_of(task: Task) -> Any:
    """Our function, as it stands in the room that is not replaced."""
    place: Any = importlib.import_module(task.module)
    for step in task.target.split("."):
        place = getattr(place, step)
    return place


# --- one attempt ----------------------------------------------------------------


def attempted(text: str, entry: Entry, parts: Sequence[str] | None = None,
              name: str = "mine.py", tell: Tell | None = None) -> Tried:
    """A file tried on a demo: metrics of every part, probes, and what known mistakes say.

    parts: keys, all of them if None. tell(piece) hears of everything as soon as it is known, in
    pieces that `assembled` puts together: of what is cut short, most is there.
    """
    pieces: list[Piece] = []

    def known(piece: Piece) -> None:
        pieces.append(piece)
        if tell is not None:
            tell(piece)

    _attempt(text, entry, parts, name, known)
    return assembled(entry.code, pieces)


def _attempt(text: str, entry: Entry, parts: Sequence[str] | None, name: str,
             tell: Tell) -> None:
    import numpy as np

    from lecture.prove.diagnose import looked_for

    tasks = tasks_of(entry.code)
    if len(text) > MOST:
        raise UsageProblem(f"{name} has more than {MOST:,} characters", "name the file you wrote")
    ours = {task.name: ours_of(task) for task in tasks}     # before the file can lay hands on them
    tell({"at": name})
    try:
        state = written(text, tasks)
        module = loaded(text, name)
    except (Exception, SystemExit) as error:
        tell({"error": told(error, name)})
        return
    owns = owns_of(module, tasks, state, ours)
    state |= {t.name: "absent" for t in tasks if state[t.name] == "yours"
              and t.name not in {own.task.name for own in owns}}
    tell({"functions": state})
    with np.errstate(all="ignore"):
        asked = {}
        for own in owns:
            tell({"at": own.task.name})
            asked[own.task.name] = probes.asked(own.task, own)
        tell({"probes": [p for own in owns for p in judged_probes(own, asked)]})
        tell({"mistakes": looked_for(owns, module, asked)})
        with replaced(owns):
            for part in entry.parts() if owns else ():
                if parts is None or part.key in parts:
                    tell({"at": f"{entry.code}.{part.number}"})
                    tell({"part": part.key, "found": _computed(part, name)})
    tell({"changed": {own.task.name: sorted(own.changed) for own in owns if own.changed},
          "single": [own.task.name for own in owns if own.single],
          "passed_over": [own.task.name for own in owns if own.passed_over],
          "rested": [own.task.name for own in owns if own.rested], "whole": True})


def assembled(demo: str, pieces: Iterable[Piece]) -> Tried:
    """The pieces of an attempt put together; TypeError, KeyError, ValueError where they are none.

    They may come from a process in which anything may have spoken: only what has the form of a
    piece is taken.
    """
    parts: dict[str, Any] = {}
    named: dict[str, Any] = {"functions": {}}
    for piece in pieces:
        if "part" in piece:
            if not (_fits(piece["found"], NUMBERS) or _fits(piece["found"], ERROR)):
                raise TypeError("a part is metrics or an error")
            parts[str(piece["part"])] = piece["found"]
        for key, form in FORMS.items():
            if key in piece:
                if not _fits(piece[key], form):
                    raise TypeError(f"{key} has another form")
                named[key] = piece[key]
    return Tried(demo, parts=parts, **named)


# what a piece is made of: a type; a list of one form; a dict of words to one form, or of these keys
NUMBERS = {"metrics": dict, "non_finite": [str]}
ERROR = {"error": [str], "theirs": bool}
PROBE = {"function": str, "key": str, "zh": str, "en": str, "holds": bool, "wanted": str,
         "got": str, "error": bool, "changed": [str]}
FORMS: dict[str, Any] = {
    "functions": {str: str}, "probes": [PROBE],
    "mistakes": [{"function": str, "fits": [[str]], "left": [str], "elsewhere": bool,
                  "restless": bool}],
    "changed": {str: [str]}, "single": [str], "passed_over": [str], "rested": [str],
    "error": [str], "whole": bool}


def _fits(value: Any, form: Any) -> bool:
    """Has a value this form?"""
    if isinstance(form, list):
        return isinstance(value, list) and all(_fits(v, form[0]) for v in value)
    if isinstance(form, dict):
        if not isinstance(value, dict):
            return False
        if str in form:
            return all(_fits(v, form[str]) for v in value.values())
        return value.keys() == form.keys() and all(_fits(value[k], f) for k, f in form.items())
    return isinstance(value, form)


def _computed(part: Part, name: str) -> dict[str, Any]:
    try:
        result = run(part)
    except (Exception, SystemExit) as error:
        lines = told(error, name)
        here = any(frame.filename == name for frame in traceback.extract_tb(error.__traceback__))
        return {"error": lines, "theirs": here or isinstance(error, Wrong)}
    return {"metrics": result.metrics, "non_finite": list(result.non_finite)}


def judged_probes(own: Own, asked: Mapping[str, Mapping[str, probes.Outcome]]
                  ) -> list[dict[str, Any]]:
    """Every probe of a function: does it hold, and if not, what came and what was wanted."""
    right = probes.asked(own.task, own.ours)
    rows = []
    for probe in probes.PROBES[own.task.name]:
        got, wanted = asked[own.task.name][probe.key], right[probe.key]
        holds = got.same(wanted)
        row: dict[str, Any] = {"function": own.task.name, "key": probe.key, "holds": holds,
                               "zh": probe.about.zh, "en": probe.about.en, "wanted": "",
                               "got": "", "error": got.error is not None, "changed": []}
        if not holds:
            found, needed = probes.described(got.value, wanted.value)
            row |= {"wanted": needed, "changed": list(got.changed),
                    "got": got.told if got.error else found}
        rows.append(row)
    return rows


# --- the judgement --------------------------------------------------------------


def results_of(tried: Tried, parts: Sequence[Part]) -> dict[str, Result]:
    """The parts that were computed, as the screen takes them: with the claims we hold."""
    found = {}
    for part in parts:
        kept = tried.parts.get(part.key, {})
        if "metrics" in kept:
            settings = {name: p.default for name, p in part.params.items()}
            found[part.key] = Result(part, kept["metrics"], settings, part.seed, True,
                                     tuple(kept["non_finite"]), own=True)
    return found


def failing(tried: Tried, parts: Sequence[Part]) -> frozenset[str]:
    """What does not hold, by name: 04.1.sharp a claim, 04.1! a part that stops, softmax:row."""
    found = {f"{p['function']}:{p['key']}" for p in tried.probes if not p["holds"]}
    results = results_of(tried, parts)
    for part in parts:
        place = f"{tried.demo}.{part.number}"
        if part.key in results:
            found |= {f"{place}.{claim.key}" for claim in part.every_claim()
                      if not _holds(results[part.key], claim)}
        elif part.key in tried.parts:
            found.add(f"{place}!")
    return frozenset(found)


def _holds(result: Result, claim: Any) -> bool:
    return margin_of(result, claim) is not None and bool(margin_of(result, claim) > 0)


def margin_of(result: Result, claim: Any) -> Any:
    """A claim's margin on a student's metrics; None where they leave it undefined."""
    try:
        return result.verdict(claim).margin
    except Exception:                       # a list too short, a word for a number
        return None


def judge(text: str, demo: str, parts: Sequence[str] | None = None, lang: str = "zh",
          name: str = "mine.py", tried: Tried | None = None) -> dict[str, Any]:
    """A file judged, as plain data: functions, claims, probes, the diagnosis, and `good`.

    tried: what another process found; without it the file is tried here.
    """
    from lecture.prove.diagnose import diagnosis

    entry = find(demo)[0]
    chosen = [p for p in entry.parts() if parts is None or p.key in parts]
    tried = tried or attempted(text, entry, [p.key for p in chosen], name)
    results = results_of(tried, chosen)
    rows = []
    for part in chosen:
        row: dict[str, Any] = {"number": part.number, "key": part.key}
        kept = tried.parts.get(part.key)
        if part.key in results:
            row["claims"] = [
                {"key": c.key, "holds": _holds(results[part.key], c),
                 "margin": margin_of(results[part.key], c), "text": sentence(results[part.key], c,
                 lang)}
                for c in part.every_claim()]
        else:
            row["error"] = list(kept["error"]) if kept else None
        rows.append(row)
    told_lines = diagnosis(tried, chosen)
    return {
        "demo": entry.code, "file": name, "error": list(tried.error) if tried.error else None,
        "functions": dict(tried.functions), "parts": rows,
        "probes": [{k: v for k, v in p.items() if k not in ("zh", "en")} | {"text": p[lang]}
                   for p in tried.probes],
        "changed": {k: list(v) for k, v in tried.changed.items()},
        "single_precision": list(tried.single), "rested": list(tried.rested),
        "diagnosis": [line.plain(lang) for line in told_lines],
        "whole": tried.whole, "good": good(tried, chosen)}


def good(tried: Tried, parts: Sequence[Part]) -> bool:
    """Does everything hold: all claims, all probes, nothing changed, every part computed?"""
    return (tried.whole and not failing(tried, parts) and not tried.changed
            and "yours" in tried.functions.values()
            and all(part.key in tried.parts for part in parts))


def sentence(result: Result, claim: Any, lang: str) -> str:
    """A claim's sentence with the student's numbers; its key where they do not fit in."""
    try:
        return result.text(claim.text, lang)
    except Exception:
        return str(claim.key)
