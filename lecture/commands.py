"""What can be typed: the commands and their options.  Everything else lives behind it.

Only what a command needs is imported, inside the command: --help, list and completion
load no demo and no torch.

Left out: exit codes and errors (cli.py).
"""

from __future__ import annotations

import re
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from lecture.errors import LectureError, UsageProblem, guarded, shown, tell

if TYPE_CHECKING:
    from console import Screen
    from demos import Entry


class Group(TyperGroup):
    """The command group; here Ctrl-C and a closed pipe become exit codes."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name, in full-width letters too."""
        return super().get_command(ctx, unicodedata.normalize("NFKC", cmd_name))

    def invoke(self, ctx: Any) -> Any:
        return guarded(super().invoke, ctx)


app = typer.Typer(cls=Group, add_completion=True, rich_markup_mode=None,
                  pretty_exceptions_enable=False,
                  context_settings={"help_option_names": ["-h", "--help"]})


def _demos(text: str) -> list[str]:
    """Completion of demo numbers and names; nothing heavy is imported."""
    from demos import REGISTRY

    words = [word for e in REGISTRY for word in (e.code, e.name)] + ["all"]
    return [word for word in words if word.startswith(text)]


def _of_demo(ctx: typer.Context) -> Any:
    """The parts of the demo that is being typed; none while it is no demo."""
    from demos import find

    typed = [ctx.params.get("which"), *ctx.args]       # an option without its value: in args
    try:
        return [p for e in find(str(next(filter(None, typed), ""))) for p in e.parts()]
    except LectureError:
        return []


def _parts(ctx: typer.Context, incomplete: str) -> list[str]:
    return [word for p in _of_demo(ctx) for word in (str(p.number), p.key)
            if word.startswith(incomplete)]


def _params(ctx: typer.Context, incomplete: str) -> list[str]:
    return [word for p in _of_demo(ctx) for name, param in p.params.items()
            for word in (f"{p.number}.{name}={param.default}", f"{name}={param.default}")
            if word.startswith(incomplete)]


def _to_try(text: str) -> list[str]:
    from demos import find
    from lecture.prove.mistakes.bank import DEMOS

    entries = [find(code)[0] for code in DEMOS]
    return [word for e in entries for word in (e.code, e.name) if word.startswith(text)]


def _models(text: str) -> list[str]:
    from lecture.models.recipes import RECIPES

    return [name for name in (*sorted(RECIPES), "all") if name.startswith(text)]


def _terms(text: str) -> list[str]:
    from lecture.show.glossary import TERMS

    return [name for t in TERMS for name in (t.name.en, t.name.zh) if name.startswith(text)]


def _number(low: int, high: int) -> Any:
    """A parser of whole numbers as people write them: no 1_0, no 2.0; full-width ones too."""
    def parse(text: str) -> int:
        plain = unicodedata.normalize("NFKC", str(text)).strip()
        told = f"{text!r} is not a whole number from {low} to {high}"
        if not re.fullmatch(r"[+-]?[0-9]{1,20}", plain) or not low <= int(plain) <= high:
            raise typer.BadParameter(told)
        return int(plain)

    parse.__name__ = "INTEGER"                      # what --help shows
    return parse


def _place(text: str) -> Path:
    """A path as typed; an empty one is not the folder one stands in."""
    if not text.strip():
        raise typer.BadParameter("it is empty")
    if text.endswith(("/", "/.")):
        raise typer.BadParameter(f"{text!r} is a folder's name, not a file's")
    return Path(text)


def _folder(text: str) -> Path:
    return Path(text) if text.strip() else _place(text)


_place.__name__ = _folder.__name__ = "PATH"         # what --help shows

Which = Annotated[str, typer.Argument(help="04, 4, attention or all", autocompletion=_demos)]
Several = Annotated[list[str] | None, typer.Argument(help="04 … or all (the default)",
                                                     autocompletion=_demos)]
def _one_of(*words: str) -> Any:
    """Completion of a closed set of values."""
    def complete(text: str) -> list[str]:
        return [word for word in words if word.startswith(text)]

    return complete


Lang = Annotated[str | None, typer.Option("--lang", autocompletion=_one_of("zh", "en"),
                                          help="zh or en (else LECTURE_LANG, else the locale, else "
                                          "zh)")]
Width = Annotated[int | None, typer.Option("--width", parser=_number(24, 400),
                                                  help="columns to draw for")]
Color = Annotated[str, typer.Option("--color", help="auto, always or never",
                                    autocompletion=_one_of("auto", "always", "never"))]
Theme = Annotated[str, typer.Option("--theme", help="auto asks the terminal; dark, light or "
                                    "mono",
                                    autocompletion=_one_of("auto", "dark", "light", "mono"))]
Plain = Annotated[bool, typer.Option("--plain", help="no glyph a terminal may draw two cells wide")]
Big = Annotated[bool, typer.Option("--big", help="fewer columns and more space, for a large font")]
Json = Annotated[bool, typer.Option("--json", help="one JSON document and nothing else")]
Weights = Annotated[str | None, typer.Option("--weights",
                                             autocompletion=_one_of("cached", "fresh"),
                                             help="a file, cached or fresh: where trained models "
                                             "come from")]


@app.callback(invoke_without_command=True)
def main_options(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="print the version and stop")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="a traceback with every error")] = False,
) -> None:
    """Numbered demos that teach how language models work.

    No sentence on the screen can be false: every observation is checked on the same
    numbers the table prints. Try: lecture demo 04
    """
    if version:
        from lecture.show.export import version as installed

        print(f"lecture {installed()}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


@app.command("list")
def list_demos(lang: Lang = None, width: Width = None, color: Color = "auto",
               theme: Theme = "auto", plain: Plain = False) -> None:
    """The demos there are, and the minutes planned for each part."""
    from demos import REGISTRY

    screen = _screen(lang, width, color, theme, plain)
    for entry in REGISTRY:
        screen.line(entry.title.text(screen.lang), first=f"{entry.code}  {entry.name:17} ")
        screen.line(screen.word("planned", minutes=sum(entry.minutes),
                                parts=" + ".join(map(str, entry.minutes))), "quiet", indent=4)
    screen.line(screen.word("planned_all", minutes=sum(sum(e.minutes) for e in REGISTRY)), "quiet")


@app.command()
def demo(
    which: Which,
    part: Annotated[str | None, typer.Option("--part", help="only these: 2,3 or lookup",
                                             autocompletion=_parts)] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="[PART.]NAME=VALUE",
                        help="change a parameter; may be given again",
                        autocompletion=_params)] = None,
    seed: Annotated[int | None, typer.Option("--seed", parser=_number(0, 2**32 - 1),
                    help="other data (never another training)")] = None,
    ask: Annotated[bool, typer.Option("--ask", help="wait for the room's answer first: B, or a "
                                      "tally such as A 12 B 30")] = False,
    more: Annotated[bool, typer.Option("--more", help="all there is, not the first view "
                                       "alone")] = False,
    step: Annotated[bool, typer.Option("--step", help="slides: a key for each block; ? shows "
                                       "the keys")] = False,
    json: Json = False, weights: Weights = None, lang: Lang = None, width: Width = None,
    color: Color = "auto", theme: Theme = "auto", plain: Plain = False, big: Big = False,
    export: Annotated[Path | None, typer.Option(
        "--export", parser=_place, help="write a handout: .html, .md, .json or .txt")] = None,
    figures: Annotated[Path | None, typer.Option("--figures", parser=_folder, help="write the "
                                                 "pictures to a folder, as PNG and SVG")] = None,
    with_notes: Annotated[bool, typer.Option("--with-notes", help="speaker notes in the "
                                             "handout")] = False,
    start: Annotated[str | None, typer.Option("--from", metavar="PART", help="begin there: 3, "
                     "scale or 04.3", autocompletion=_parts)] = None,
    room: Annotated[str | None, typer.Option("--room", metavar="NAME", help="keep the votes "
                                             "under this name")] = None,
    phones: Annotated[bool, typer.Option("--phones", help="with --step or --ask: the room votes "
                                         "by phone too (extra phones)")] = False,
    address: Annotated[str | None, typer.Option("--address", metavar="IP", help="listen for "
                                                "phones on this address of the machine")] = None,
    pager: Annotated[bool, typer.Option("--pager", help="page through it, as with less")] = False,
) -> None:
    """Run a demo: compute, print its tables, check every sentence."""
    from lecture.show.play import Wish, play

    raise typer.Exit(play(Wish(
        which=which, part=part, settings=settings, seed=seed, ask=ask, more=more, step=step,
        json=json, weights=weights, lang=lang, width=width, color=color, theme=theme,
        plain=plain, big=big, export=export, figures=figures, with_notes=with_notes,
        start=start, room=room, phones=phones, address=address, pager=pager)))


@app.command("try")
def try_one(
    which: Annotated[str, typer.Argument(help="a demo: 04, 4 or attention",
                                         autocompletion=_to_try)],
    file: Annotated[Path | None, typer.Argument(parser=_place, metavar="[FILE]", help="the "
                    "Python file with your functions")] = None,
    part: Annotated[str | None, typer.Option("--part", help="only these: 2,3 or lookup",
                                             autocompletion=_parts)] = None,
    blank: Annotated[bool, typer.Option("--blank", help="write FILE, to be filled in")] = False,
    timeout: Annotated[int, typer.Option("--timeout", parser=_number(1, 3600), metavar="SECONDS",
                                         help="the most it may take (120)")] = 120,
    more: Annotated[bool, typer.Option("--more", help="all there is, not the first view "
                                       "alone")] = False,
    json: Json = False, lang: Lang = None, width: Width = None, color: Color = "auto",
    theme: Theme = "auto", plain: Plain = False,
) -> None:
    """Your own attention, judged by the demo: your functions in place of the course's."""
    from demos import find
    from lecture.prove.tasks import tasks_of
    from lecture.settings import choose_parts
    from lecture.show.tried import show_tasks, try_file, write_blank

    entries = find(which)
    if len(entries) > 1:
        raise UsageProblem("one demo at a time", "name it like lecture try 04 mine.py")
    entry = entries[0]
    tasks_of(entry.code)                             # a demo without tasks: before anything else
    screen = _screen(lang, width, color, theme, plain)
    if blank:
        write_blank(entry, file or Path(f"try{entry.code}.py"), screen)
        return
    if file is None:
        show_tasks(entry, screen)
        return
    parts = choose_parts(entry.parts(), part)
    raise typer.Exit(try_file(entry, parts, file, float(timeout), screen, json, more))


@app.command()
def check(
    which: Several = None,
    accept: Annotated[bool, typer.Option("--accept", help="record what is measured, show what "
                                         "moved, exit 1")] = False,
    retrain: Annotated[bool, typer.Option("--retrain", help="train every model from --seeds seeds "
                                          "and count in how many each claim holds")] = False,
    seeds: Annotated[int | None, typer.Option("--seeds", parser=_number(1, 1000), help="how "
                                              "many seeds (5)")] = None,
    engine: Annotated[str | None, typer.Option("--engine", autocompletion=_one_of(
        "processes", "serial", "dask"), help="processes (the default), serial "
                                               "or dask")] = None,
    scheduler: Annotated[str | None, typer.Option("--scheduler", help="address of a Dask "
                                                  "scheduler")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="reuse no training, and note in the "
                                        "manifest what came out right again")] = False,
    json: Json = False,
) -> None:
    """Check every claim, control, pin, question and erratum, and the files they stand on."""
    from lecture.settings import given

    for option, wanted, needs, there in (
            ("--seeds", seeds, "--retrain", retrain), ("--engine", engine, "--retrain", retrain),
            ("--fresh", fresh or None, "--retrain", retrain),
            ("--scheduler", scheduler, "--engine dask", retrain and engine == "dask")):
        if wanted is not None and not there:
            raise UsageProblem(f"{option} means nothing without {needs}", f"add {needs}, or leave "
                               f"{option} out")
    if retrain and accept:
        raise UsageProblem("--accept records what the shipped weights give, --retrain others",
                           "give one of the two")
    given("--scheduler", scheduler)
    if retrain:
        _retrain(_entries(which), seeds or 5, "processes" if engine is None else engine, scheduler,
                 fresh, json)
        return
    entries = _entries(which)                        # a word that is no demo: before any output
    from lecture.prove import check as checking
    from lecture.prove import manifest

    documents, moved, broken = list[dict[str, Any]](), list[str](), 0
    if accept:
        moved += [f"demos/{name}: {what}" for name, what in manifest.accept().items()]
    files = manifest.check_files()
    broken += len(files.problems)
    if not json:
        counts = "  ".join(f"{n} {what}" for what, n in files.counts.items())
        print(f"{'manifest':19} {'NOT OK' if files.problems else 'OK':7} {counts}", flush=True)
        for problem in files.problems:
            print(shown(f"  {problem.place} {problem.what}"), flush=True)
    codes = [entry.code for entry in entries]
    for code, found in zip(codes, checking.summaries(codes, accept), strict=True):
        for row in found.rows:
            broken += len(row["problems"])
            if json:
                documents.append({k: row[k] for k in ("demo", "part", "counts", "problems")})
                continue
            counts = "  ".join(f"{n} {what}" for what, n in row["counts"].items())
            word = "OK" if not row["problems"] else "NOT OK"
            print(f"{row['demo']}.{row['number']} {row['part']:14} {word:7} {counts}", flush=True)
            for one in row["problems"]:
                print(shown(f"  {one['place']}: {one['what']}"), flush=True)
        broken += len(found.screens)
        moved += found.moved
        if json:
            documents.append({"demo": code, "part": None, "counts": {},
                              "problems": [{"place": line.partition(": ")[0], "what": line}
                                           for line in found.screens]})
            continue
        for line in (*found.screens, *(f"note: {note}" for note in found.notes)):
            print(shown(f"  screen {line}"), flush=True)
    for line in moved:
        (tell if json else print)(f"  {shown(line)}")
    if json:
        from lecture.show.export import SCHEMA, as_json

        print(as_json({"schema": SCHEMA, "checks": documents, "problems": broken,
                       "files": {"counts": files.counts,
                                 "problems": [vars(p) for p in files.problems]}}))
    elif accept:
        print(f"recorded {len(moved)} changes; run lecture check again to see it pass")
    if broken or moved:
        raise typer.Exit(1)


def _retrain(entries: list[Entry], seeds: int, engine: str, scheduler: str | None,
             fresh: bool, json: bool) -> None:
    from lecture.prove.sweep import ENGINES, retrain
    from lecture.settings import one_of

    engine = one_of("--engine", engine, ENGINES)
    shares = []
    for share in retrain(entries, seeds, engine, scheduler, fresh=fresh,
                         say=tell):
        shares.append(share)
        if not json:
            lowest = min((m for m in share.margins if m is not None), default=float("nan"))
            print(f"{share.place} {share.claim:32} holds in {share.holds} of {seeds}  "
                  f"lowest margin {lowest:.3g}  {share.trained} trained, {share.reused} reused",
                  flush=True)
    failed = {s.place for s in shares if 5 * s.holds < 4 * seeds}
    if fresh:
        failed |= _reproduced(entries, failed)
    if json:
        from lecture.show.export import SCHEMA, as_json

        print(as_json({"schema": SCHEMA, "seeds": seeds, "claims": [
            {"place": s.place, "claim": s.claim, "holds": s.holds, "margins": list(s.margins),
             "trained": s.trained, "reused": s.reused} for s in shares]}))
    if failed:
        raise typer.Exit(1)


def _reproduced(entries: list[Entry], short: set[str]) -> set[str]:
    """Hold the shipped seeds, trained afresh, to every band; note them. What does not hold.

    short: the parts with a claim that held in too few seeds.
    """
    from lecture.errors import SetupProblem
    from lecture.prove.manifest import add_reproduced
    from lecture.prove.sweep import reproduced

    failed = set()
    for entry in entries:
        models, problems = reproduced(entry, short)
        for problem in problems:
            failed.add(problem.place)
            tell(f"  {problem.place}: {shown(problem.what)}")
        try:
            for name in add_reproduced(models):
                tell(f"demos/MANIFEST.json: {name} was reproduced by trainer "
                     f"{models[name]['trainer'][:12]}")
        except OSError as error:
            raise SetupProblem(f"cannot write demos/MANIFEST.json: {error.strerror}",
                              "run it from a checkout you may write to") from None
    return failed


@app.command()
def errata(
    which: Several = None, json: Json = False,
    export: Annotated[Path | None, typer.Option("--export", parser=_place,
                                                help="write them to FILE.md or FILE.html")] = None,
    lang: Lang = None, width: Width = None, color: Color = "auto", theme: Theme = "auto",
    plain: Plain = False,
) -> None:
    """Where the notes can be said better, and what is measured."""
    from lecture.show.export import SCHEMA, as_json, errata_document, errata_markdown
    from lecture.show.present import results, show_errata

    if export is not None and export.suffix not in (".md", ".html"):
        raise UsageProblem(f"cannot write {export.name!r}", "give a file that ends in .md or .html")
    screen = _screen(lang, width, color, theme, plain)
    entries, items = [], []
    if not json and export is None:
        screen.line(screen.word("errata"))
    for entry in _entries(which):
        parts = [part for part in entry.parts() if part.errata]
        runs = list(results(parts, {}, None))
        found = errata_document(entry, runs, screen.lang)
        entries += found
        if export is not None and export.suffix == ".html":
            from lecture.show.errata import errata_view

            items += errata_view(entry, runs)
        if not json and export is None:
            show_errata(entry, found, screen)
    if json:
        print(as_json({"schema": SCHEMA, "errata": entries}))
    if export is not None:
        from lecture.show.play import write

        if export.suffix == ".md":
            write(export, errata_markdown(entries))
        else:
            from lecture.errors import harmless
            from lecture.show.errata import errata_html

            write(export, harmless(errata_html(items, screen.lang)))


@app.command()
def notes(which: Which, lang: Lang = None, width: Width = None, color: Color = "auto",
          theme: Theme = "auto", plain: Plain = False,
          follow: Annotated[bool, typer.Option("--follow", help="in a second terminal: the notes "
                            "of the part that is on the projector")] = False) -> None:
    """The speaker notes of a demo, and what can be set in each part."""
    from demos import find
    from lecture.show import following
    from lecture.show.present import show_notes

    screen = _screen(lang, width, color, theme, plain)
    if follow:
        following.follow(find(which), screen)
        return
    for entry in find(which):
        show_notes(entry, entry.parts(), screen)


@app.command("votes")
def show_votes(
    which: Several = None,
    room: Annotated[str | None, typer.Option("--room", metavar="NAME", help="only this "
                                             "room")] = None,
    csv: Annotated[bool, typer.Option("--csv", help="one line a question, for a "
                                      "spreadsheet")] = False,
    json: Json = False, lang: Lang = None, width: Width = None, color: Color = "auto",
    theme: Theme = "auto", plain: Plain = False,
) -> None:
    """What the rooms guessed: both votes, the gain, the misconception most held."""
    from lecture.show import tallies
    from lecture.show.ballots import FILE

    if csv and json:
        raise UsageProblem("--csv and --json are two forms of one thing", "give one of the two")
    rows, unread = tallies.told(_entries(which), room)
    if unread:
        tell(f"lecture: {unread} lines of {FILE} cannot be read\n"
             "  the others are shown; a run that was killed leaves half a line")
    if csv:
        tallies.write_csv(rows, sys.stdout)
    elif json:
        from lecture.show.export import SCHEMA, as_json

        print(as_json({"schema": SCHEMA, "votes": rows}))
    else:
        tallies.draw(rows, _screen(lang, width, color, theme, plain))


@app.command()
def glossary(
    word: Annotated[str | None, typer.Argument(help="a term in either language; all without one",
                                               autocompletion=_terms)] = None,
    lang: Lang = None, width: Width = None, color: Color = "auto", theme: Theme = "auto",
    plain: Plain = False,
) -> None:
    """What a term means, its name in the other language, and the demo that introduces it."""
    from lecture.show import glossary as room

    room.draw(room.found(word), _screen(lang, width, color, theme, plain))


@app.command()
def countries(
    name: Annotated[str | None, typer.Argument(help="a country, its capital or language; all "
                                               "without one")] = None,
    lang: Lang = None, width: Width = None, color: Color = "auto", theme: Theme = "auto",
    plain: Plain = False,
) -> None:
    """The world the tiny GPT was trained on: every country and its facts."""
    from lecture.show import explore

    screen = _screen(lang, width, color, theme, plain)
    for block in explore.countries(name):
        screen.block(block, {}, close=True)


@app.command()
def ask(
    question: Annotated[str | None, typer.Argument(help='a question of the world, such as "what '
                        'is the capital of balavia ?"; without one, a prompt')] = None,
    json: Json = False, lang: Lang = None, width: Width = None, color: Color = "auto",
    theme: Theme = "auto", plain: Plain = False, weights: Weights = None,
) -> None:
    """Ask the tiny GPT; see its best answers and where each head looked."""
    from lecture.settings import use_weights
    from lecture.show import explore
    from lecture.show.export import SCHEMA, as_json

    use_weights(weights)
    screen = _screen(lang, width, color, theme, plain)

    def answer(text: str) -> None:
        found = explore.ask(text)
        if json:
            print(as_json({"schema": SCHEMA, "question": text, **found}))
            return
        for block in explore.ask_blocks(found):
            screen.block(block, found)

    def refused(text: str, problem: UsageProblem) -> None:
        print(as_json({"schema": SCHEMA, "question": text,
                       "error": {"what": problem.what, "todo": problem.todo}}))

    if question is None:
        explore.loop(answer, screen, refused if json else None)
    else:
        answer(question)


@app.command()
def attend(
    text: Annotated[str, typer.Argument(help="words of the world, separated by spaces")],
    layer: Annotated[int | None, typer.Option("--layer", parser=_number(0, 999),
                                                     help="only this layer, from 0")] = None,
    head: Annotated[int | None, typer.Option("--head", parser=_number(0, 999),
                                                    help="only this head, from 0")] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="FOLDER", help="a T5, GPT-2 or "
                     "BERT saved in a local folder (extra hf)")] = None,
    json: Json = False, lang: Lang = None, width: Width = None, color: Color = "auto",
    theme: Theme = "auto", plain: Plain = False, weights: Weights = None,
) -> None:
    """Draw where every position of a text looks, head by head."""
    from lecture.settings import given, use_weights
    from lecture.show import explore
    from lecture.show.export import SCHEMA, as_json

    use_weights(weights)
    screen = _screen(lang, width, color, theme, plain)
    folder = given("--model", model)
    found = (explore.attend_with(folder, text, layer, head) if folder
             else explore.attend(text, layer, head))
    if json:
        print(as_json({"schema": SCHEMA, "text": text, **found}))
        return
    for block in explore.attend_blocks(found):
        screen.block(block, found)


@app.command()
def doctor(
    quick: Annotated[bool, typer.Option("--quick", help="do not run the demos")] = False,
    phones: Annotated[bool, typer.Option("--phones", help="can the room vote by phone?")] = False,
    lang: Lang = None, width: Width = None, big: Big = False,
) -> None:
    """Is this room ready? Exit code 3, and what to do, where it is not."""
    from lecture.show import doctor as room
    from lecture.show.play import open_screen

    def say(finding: room.Finding) -> None:
        text = f"{'ok ' if not finding.todo else 'NOT'} {finding.what:16} {finding.found}"
        print(shown(text).encode("ascii", "backslashreplace").decode())
        if finding.todo:
            print(f"     to do: {finding.todo}")

    screen = open_screen(lang, width, "auto", "auto", False, big)
    findings = room.examine(run_demos=not quick, say=say, screen=screen, phones=phones)
    if sys.stdout.isatty():
        room.preview()
    todo = sum(bool(f.todo) for f in findings)
    screen.line()
    screen.line(screen.word("not_ready", n=todo) if todo else screen.word("ready"),
                "bad" if todo else "ok")
    if todo:
        raise typer.Exit(3)


@app.command()
def train(
    name: Annotated[str, typer.Argument(help="a model's name, or all",
                                        autocompletion=_models)] = "all",
    seed: Annotated[int | None, typer.Option("--seed", parser=_number(0, 2**32 - 1))] = None,
) -> None:
    """Train a shipped model afresh and keep it in the cache."""
    from lecture.models import cache as model_cache
    from lecture.models import recipes
    from lecture.settings import progress, typed

    name = typed(name).lower()
    names = sorted(recipes.RECIPES) if name == "all" else [name]
    if name != "all" and name not in recipes.RECIPES:
        raise UsageProblem(f"there is no model {name!r}",
                           f"choose one of: {', '.join(sorted(recipes.RECIPES))}, or all")
    model_cache.set_policy("fresh", progress=progress)
    for chosen in names:
        recipe = recipes.RECIPES[chosen]
        if seed is not None:
            recipe = recipes.with_seed(recipe, seed)
        weights = model_cache.load(recipe)
        print(f"{chosen}: seed {recipe.seed}, {weights.origin}, digest {weights.digest[:12]}")


cache_app = typer.Typer(no_args_is_help=False, help="Where trained models are kept.",
                        invoke_without_command=True,
                        context_settings={"help_option_names": ["-h", "--help"]})
app.add_typer(cache_app, name="cache")


@cache_app.callback()
def cache_options(ctx: typer.Context) -> None:
    """Where trained models are kept."""
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


@cache_app.command("path")
def cache_path() -> None:
    """The cache's folder."""
    from lecture.models import cache as model_cache

    folder = model_cache.cache_dir()
    print(shown(folder) if folder else "no folder can be used: models are trained, not kept")


@cache_app.command("list")
def cache_list() -> None:
    """The models in the cache."""
    from lecture.models import cache as model_cache

    found = model_cache.cached_files()
    for path, size in found:
        print(f"{shown(path.name)}  {size:,} bytes")
    if not found:
        print("no models are cached; the shipped ones need no cache")


@cache_app.command("clear")
def cache_clear() -> None:
    """Remove the models in the cache; what is shipped stays."""
    from lecture.models import cache as model_cache

    print(f"removed {model_cache.clear_cache()} files")


# --- what the commands share --------------------------------------------------


def _entries(which: list[str] | None) -> list[Entry]:
    from demos import find

    chosen = {e.number: e for text in which or ["all"] for e in find(text)}
    return list(chosen.values())


def _screen(lang: str | None, width: int | None, color: str, theme: str, plain: bool) -> Screen:
    from lecture.show.play import open_screen

    return open_screen(lang, width, color, theme, plain)
