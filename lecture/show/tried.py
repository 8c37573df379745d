"""How does an attempt look?  The demo's own screen, then probes, then what it may be.

`lecture try 04 mine.py` ends here: the parts are drawn as `lecture demo` draws them, each claim
judged on the student's numbers. What cannot be drawn from them is said, and the next part follows.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lecture.errors import SetupProblem, UsageProblem, shown, tell
from lecture.report import Part, Result
from lecture.show import present

if TYPE_CHECKING:
    from console import Screen
    from demos import Entry
    from lecture.prove.attempt import Tried

PRINTED = 20                        # lines of what the file printed that are shown


def try_file(entry: Entry, parts: Sequence[Part], path: Path, seconds: float, screen: Screen,
             json: bool = False, more: bool = False) -> int:
    """Try a file on a demo and show what comes of it; the exit code."""
    from lecture.prove.attempt import good
    from lecture.prove.held import Stopped, held
    from lecture.prove.tasks import tasks_of
    from lecture.settings import progress

    tasks = tasks_of(entry.code)
    text, name = source(path), shown(path.name)
    places = [f"{entry.code}.{p.number}" for p in parts]

    def told(at: str) -> None:
        progress(places.index(at) if at in places else 0, len(places), at)

    found = held(text, entry.code, [p.key for p in parts], name, str(path.resolve().parent),
                 seconds, told)
    progress(len(places), len(places), name)
    for line in found.printed.splitlines()[:PRINTED]:
        tell(f"{name}: {shown(line)[:200]}")
    if found.tried.error:
        raise Stopped(*_in_two_lines(found.tried.error, name))
    if found.stopped and not found.tried.probes:
        raise found.stopped
    if "yours" not in found.tried.functions.values() and not found.stopped:
        raise UsageProblem(f"{name} has written none of the functions of demo {entry.code}",
                           f"they are: {', '.join(t.signature for t in tasks)}; "
                           f"lecture try {entry.code} --blank {name} writes a file to fill in")
    if json:
        _as_json(entry, parts, found.tried, name, screen.lang)
    else:
        if not found.limited:
            tell(screen.word("no_memory_limit"))
        draw(entry, parts, found.tried, name, screen, more)
    if found.stopped:
        raise found.stopped
    return 0 if good(found.tried, parts) else 1


def show_tasks(entry: Entry, screen: Screen) -> None:
    """What there is to write oneself in a demo, and how to begin."""
    from lecture.prove.tasks import tasks_of

    screen.header(f"{entry.code}  {entry.title.text(screen.lang)}")
    for task in tasks_of(entry.code):
        screen.line()
        screen.line(f"{task.signature}  ->  {task.gives}", "label")
        screen.line(task.about.text(screen.lang), indent=2)
    screen.line()
    screen.line(screen.word("try_how", code=entry.code))


def source(path: Path) -> str:
    """The text of the student's file; two lines where there is none."""
    from lecture.files import named
    from lecture.prove.attempt import MOST

    path = named(path)
    try:
        if path.exists() and not path.is_file():
            raise UsageProblem(f"{path} is no file", "name the Python file you wrote")
        if path.exists() and path.stat().st_size > 4 * MOST:
            raise UsageProblem(f"{path} has more than {4 * MOST:,} bytes",
                               "name the Python file you wrote")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageProblem(f"there is no file {path}",
                           f"lecture try DEMO --blank {path} writes one to fill in") from None
    except UnicodeError as error:
        raise UsageProblem(f"{path} is no text in UTF-8: {error}",
                           "save it as UTF-8, then try again") from None


def write_blank(entry: Entry, path: Path, screen: Screen) -> None:
    """A file to fill in, where there is none of that name."""
    from lecture.files import named, write_whole
    from lecture.prove.tasks import blank

    text = blank(entry.code, screen.lang, shown(path.name))
    path = named(path)
    if path.exists() or path.is_symlink():
        raise UsageProblem(f"{path} is there already", "choose another name: nothing is replaced")
    try:
        write_whole(path, text)
    except OSError as error:
        raise SetupProblem(f"cannot write {path}: {error.strerror or error}",
                           "choose a folder you may write to") from None
    screen.line(screen.word("try_blank", path=shown(path), code=entry.code))


def _in_two_lines(lines: Sequence[str], name: str) -> tuple[str, str]:
    """The error of a file that does not even load: what, and the line it stands on."""
    where = next((n for n in range(len(lines) - 1, -1, -1)
                  if lines[n].strip().startswith("File ")), None)
    if where is None:
        return f"{name} cannot be run: {lines[-1]}", "mend it, then try again"
    line = lines[where].partition(", ")[2] or lines[where].strip()
    code = lines[where + 1].strip() if where + 2 < len(lines) else ""
    return f"{name} cannot be run: {lines[-1]}", f"{line}: {code}" if code else line


# --- the screen -------------------------------------------------------------------


def draw(entry: Entry, parts: Sequence[Part], tried: Tried, name: str, screen: Screen,
         more: bool) -> None:
    """All of an attempt: which functions, the parts, the probes, the diagnosis, the sum."""
    from lecture.prove.attempt import good, results_of

    results = results_of(tried, parts)
    showing = present.Show(entry, screen, {}, more=more)
    present.open_demo(showing, ())
    state = tried.functions
    screen.line(screen.word("your_functions", file=name, yours=", ".join(
        n for n, s in state.items() if s == "yours")))
    ours = [n for n, s in state.items() if s != "yours"]
    if ours:
        screen.line(screen.word("our_functions", ours=", ".join(ours)), "quiet")
    screen.line(screen.word("your_rights"), "quiet")
    held, judged = 0, 0
    for part in parts:
        judged += len(part.every_claim())
        if part.key in results:
            held += _part(showing, results[part.key])
        else:
            _no_part(showing, part, tried.parts.get(part.key))
    _probes(tried, screen)
    _diagnosis(tried, parts, screen)
    screen.line()
    right = sum(probe["holds"] for probe in tried.probes)
    screen.line(screen.word("try_sum", hold=held, all=judged, right=right,
                            asked=len(tried.probes)) + (
        " " + screen.word("try_good") if good(tried, parts) else ""), "label")


def _part(showing: present.Show, result: Result) -> int:
    """A part with the student's numbers; how many of its claims hold."""
    from lecture.prove.attempt import margin_of

    screen, part = showing.screen, result.part
    fail = [c for c in part.every_claim() if not (margin_of(result, c) or 0) > 0]
    kept = io.StringIO()
    try:
        with_it = present.Show(showing.entry, screen.onto(kept, screen.width), {},
                               more=showing.more)
        present.draw_part(with_it, result)
    except Exception:                       # a list of another length, nothing where a number was
        screen.part(showing.entry.number, part)
        screen.line(screen.word("cannot_draw"))
        _claims(screen, result, part.every_claim())
    else:
        screen.console.file.write(kept.getvalue())
        seen = {c.key for c in part.claims if showing.more or not c.more} | {
            q.answer.key for q in part.questions if q.answer and (showing.more or not q.more)}
        hidden = [c for c in fail if c.key not in seen]
        if hidden:
            screen.line(screen.word("fails_too"), "label")
            _claims(screen, result, hidden)
    return len(part.every_claim()) - len(fail)


def _claims(screen: Screen, result: Result, claims: Sequence[Any]) -> None:
    from lecture.prove.attempt import sentence

    for claim in claims:
        try:
            screen.verdict(result.verdict(claim), result)
        except Exception:                   # its numbers do not fit into the sentence
            screen.said(screen.word("not_yours"), "bad", sentence(result, claim, screen.lang))


def _no_part(showing: present.Show, part: Part, found: Any) -> None:
    """A part without numbers: the error's own lines, or that it was not come to."""
    screen = showing.screen
    screen.part(showing.entry.number, part)
    if found is None:
        screen.line(screen.word("not_computed"))
        return
    screen.line(screen.word("your_error" if found.get("theirs") else "your_numbers"))
    for line in found["error"]:
        told = shown(line)
        screen.line(told.strip(), indent=2 + len(told) - len(told.lstrip()))


def _probes(tried: Tried, screen: Screen) -> None:
    screen.line()
    screen.line(screen.word("probes"), "label")
    for probe in tried.probes:
        if probe["holds"]:
            continue
        if probe["changed"]:
            told = screen.word("probe_changed", changed=", ".join(probe["changed"]))
        elif probe["error"]:
            told = screen.word("probe_error", got=probe["got"])
        else:
            told = screen.word("probe_got", got=probe["got"], wanted=probe["wanted"])
        screen.said(screen.word("probe_wrong"), "bad",
                    screen.word("probe_line", function=probe["function"],
                                about=probe[screen.lang], told=told))
    if all(probe["holds"] for probe in tried.probes):
        screen.line(screen.word("probe_count", all=len(tried.probes)), indent=2)


def _diagnosis(tried: Tried, parts: Sequence[Part], screen: Screen) -> None:
    """What it may be, and where to read on; nothing where there is nothing to say."""
    from lecture.prove.diagnose import diagnosis

    lines = diagnosis(tried, parts)
    if not lines:
        return
    screen.line()
    screen.line(screen.word("diagnosis"), "label")
    for line in lines:
        screen.line(line.text.text(screen.lang), indent=2)
        for place in line.read:
            code, _, number = place.partition(".")
            screen.line(f"{screen.word('read_on')} lecture demo {code} --part {number}; "
                        f"lecture notes {code}", "quiet", indent=4)


def _as_json(entry: Entry, parts: Sequence[Part], tried: Tried, name: str,
             lang: str) -> None:
    from lecture.prove.attempt import judge
    from lecture.show.export import SCHEMA, as_json, environment

    judged = judge("", entry.code, [p.key for p in parts], lang, name, tried)
    print(as_json({"schema": SCHEMA, **judged, "environment": environment()}))
