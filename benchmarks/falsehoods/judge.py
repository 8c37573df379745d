"""What does the command say of this copy?  `python -m benchmarks.falsehoods.judge 04 [--notes]`

Runs where it stands, in a process of its own: `lecture check 04`; then, if that names something,
`check 04 --accept` and `check 04` again.  It is the command's own main and its exit codes.  What
a part computes is not computed anew while everything that can compute or be read (lessons,
rooms, records, weights; not the parts' files, which compute nothing) is the same to the byte:
a computation is kept under the digest of all of that, and a bent lesson is computed afresh.
One JSON line on stdout: exit codes, problem lines, digests of every metric and, where check saw
nothing, of the page and the documents.  --files asks of the manifest alone (the same command,
without the demo); --notes adds which functions were called: their first line is a note, which
costs a thousandth of what a profiler asks of the byte-pair loops.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import hashlib
import importlib.machinery
import io
import json
import os
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

TOP = Path.cwd()


def told(*words: str) -> tuple[int, list[str]]:
    """The command's exit code and the lines that name something wrong."""
    import cli

    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = cli.main(list(words))
    lines = [line.strip() for line in out.getvalue().splitlines() if line.startswith("  ")]
    if code not in (0, 1):
        lines += [line.strip() for line in errors.getvalue().splitlines()]
    return code, [line for line in lines if not line.startswith("note:")]


NO_LESSON = ("lecture/prove", "lecture/show", "console.py", "cli.py", "lecture/commands.py",
             "lecture/margins.py", "lecture/quantities.py")       # test_architecture.py sees to it


def computing() -> str:
    """A digest of every file that a part's computation could read."""
    state = hashlib.sha256()
    for pattern in ("*.py", "lecture/**/*.py", "demos/*/lesson.py", "demos/records/*",
                    "demos/weights/*"):
        for path in sorted(TOP.glob(pattern)):
            if not any(path.is_relative_to(TOP / name) for name in NO_LESSON):
                state.update(f"{path.relative_to(TOP)}\n".encode() + path.read_bytes())
    return state.hexdigest()


def remember(demo: str, tree: str, store: Path | None, afresh: bool) -> dict[str, str]:
    """Compute each part and control once; the digests of what was computed."""
    from lecture.prove import check, manifest
    from lecture.report import Result
    from lecture.show import present

    kept: dict[Any, Any] = {}
    digests: dict[str, str] = {}
    real = check.run

    def run(part: Any, compute: Any = None) -> Any:
        name = next((n for n, c in part.controls.items() if c is compute), "")
        if (part.number, name) in kept:
            return kept[part.number, name]
        settings = {n: p.default for n, p in part.params.items()}
        told = json.dumps([tree, demo, part.number, name, settings, part.seed])
        file = store and store / f"{hashlib.sha256(told.encode()).hexdigest()[:24]}.json"
        if file and file.exists() and not afresh:
            metrics, bad = json.loads(file.read_text(encoding="utf-8"))
            result = Result(part, metrics, settings, part.seed, False, tuple(bad))
        else:
            result = real(part, compute=compute)
            text = json.dumps([result.metrics, result.non_finite], ensure_ascii=False)
            if file and json.loads(text)[0] == result.metrics:
                file.parent.mkdir(exist_ok=True)
                file.with_suffix(f".{os.getpid()}").write_text(text, encoding="utf-8")
                file.with_suffix(f".{os.getpid()}").replace(file)
        kept[part.number, name] = result
        text = json.dumps(result.metrics, ensure_ascii=False)
        digests[f"{part.number} {name}".strip()] = hashlib.sha256(text.encode()).hexdigest()
        return result

    def play(part: Any, params: Any = None, seed: Any = None, compute: Any = None) -> Any:
        return real(part, params, seed, compute) if params or seed is not None else \
            run(part, compute)

    check.run, present.run = run, play                                  # type: ignore[assignment]
    file = store and store / f"trainers-{tree[:16]}.json"
    if file and file.exists():                  # no command changes the code that trains
        trainers = json.loads(file.read_text(encoding="utf-8"))
    else:
        trainers = manifest.trainers_today()
        if file:
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(trainers), encoding="utf-8")
    manifest.trainers_today = lambda: trainers
    return digests


def only_files() -> None:
    """The command looks at the manifest and at no demo."""
    from lecture.prove import check

    check.summaries = lambda codes, accepting=False: iter(             # type: ignore[assignment]
        [check.Summary([], [], [], [])] * len(codes))


def note_calls(called: set[tuple[str, str]]) -> None:
    """From now on every function of ours that is read notes its file and name when called."""
    real = importlib.machinery.SourceFileLoader.source_to_code

    def noting(self: Any, data: Any, path: Any, **options: Any) -> Any:
        if not str(path).startswith(str(TOP)):
            return real(self, data, path, **options)
        tree = ast.parse(data)
        _note_in(tree, os.path.relpath(path, TOP), "")
        return real(self, ast.fix_missing_locations(tree), path, **options)

    builtins.__note__ = called.add                                      # type: ignore[attr-defined]
    importlib.machinery.SourceFileLoader.source_to_code = noting        # type: ignore[assignment]


def _note_in(node: Any, file: str, prefix: str) -> None:
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            _note_in(child, file, f"{prefix}{child.name}.")
        elif isinstance(child, ast.FunctionDef):
            call = ast.parse(f"__note__({(file, prefix + child.name)!r})").body[0]
            for inner in ast.walk(call):
                ast.copy_location(inner, child.body[0])
            child.body.insert(ast.get_docstring(child) is not None, call)


def shown(code: str) -> str:
    """A digest of all that leaves the house: page, texts and documents, and the sheets."""
    import cli

    state = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        for name, lang in (("a.html", "en"), ("a.md", "zh"), ("a.md", "en"), ("a.json", "en"),
                           ("a.txt", "zh"), ("a.txt", "en")):
            target = Path(folder, name)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(
                    io.StringIO()):
                cli.main(["demo", code, "--more", "--lang", lang, "--with-notes", "--export",
                          str(target)])
            state.update(target.read_bytes() if target.exists() else b"nothing")
    for path in sorted(TOP.glob(f"demos/d{code}_*/screen.*.txt")):
        state.update(path.read_bytes())
    return state.hexdigest()


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("demo")
    reader.add_argument("--notes", action="store_true", help="compute afresh, list what is called")
    reader.add_argument("--files", action="store_true", help="the manifest only")
    reader.add_argument("--look", action="store_true", help="digest the page even if it was seen")
    reader.add_argument("--known", default="[]", help="problem lines of the unchanged copy")
    reader.add_argument("--store", type=Path, help="where computations are kept")
    reader.add_argument("--limit", type=int, help="seconds of the processor, whoever shares it")
    asked = reader.parse_args()
    if asked.limit:
        resource.setrlimit(resource.RLIMIT_CPU, (asked.limit, asked.limit))
    known, start = set(json.loads(asked.known)), time.process_time()
    called, tree = set[tuple[str, str]](), computing()
    kept = asked.store and asked.store / f"called-{tree[:16]}-{asked.demo}.json"
    afresh = asked.notes and not (kept and kept.exists())
    if asked.notes:
        note_calls(called)
    from lecture.ahead import settle

    settle()
    try:
        digests = remember(asked.demo, tree, asked.store, afresh)
        if asked.files:
            only_files()
        code, lines = told("check", asked.demo)
    except BaseException as error:
        digests, code, lines = {}, 3, [f"{type(error).__name__}: {error}"]
    new = [line for line in lines if line not in known]
    found: dict[str, Any] = {"code": code, "lines": lines, "metrics": digests}
    found["seconds"] = time.process_time() - start
    if asked.look or not (asked.files or (code and new)):
        found["shown"] = shown(asked.demo)
    if not asked.notes and code and new:
        if code == 1:
            told("check", asked.demo, "--accept")
            found["again"], found["lines again"] = told("check", asked.demo)
        else:                           # it does not run at all: nothing can be accepted
            found["again"], found["lines again"] = code, lines
    if asked.notes and kept:
        if afresh:
            kept.write_text(json.dumps(sorted(called)), encoding="utf-8")
        called |= set(map(tuple, json.loads(kept.read_text(encoding="utf-8"))))
    found["called"] = sorted(called)
    print(json.dumps(found, ensure_ascii=False))


if __name__ == "__main__":
    main()
