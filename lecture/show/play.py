"""What happens when somebody asks for a demo?  One way, however it was asked.

`lecture demo 04` passes over typer (cli.py), every other line goes through it (commands.py);
both end here, with a Wish: what was asked, and what is meant where nothing was said.
"""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Any

from lecture.errors import Interrupted, SetupProblem, UsageProblem, harmless, shown, tell
from lecture.settings import (
    choose_parts,
    language,
    one_of,
    progress,
    read_settings,
    typed,
    use_weights,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from console import Screen
    from demos import Entry
    from lecture.report import Part, Result
    from lecture.settings import Settings
    from lecture.show.present import Show

    Plans = list[tuple[Entry, list[Part], Settings]]
    Runs = list[tuple[Entry, list[Result]]]

HANDOUTS = (".html", ".md", ".json", ".txt")


@dataclass(frozen=True)
class Wish:
    """All that can be asked of `lecture demo`; the names are those of its options."""

    which: str
    part: str | None = None
    settings: Sequence[str] | None = None
    seed: int | None = None
    ask: bool = False
    more: bool = False
    step: bool = False
    json: bool = False
    weights: str | None = None
    lang: str | None = None
    width: int | None = None
    color: str = "auto"
    theme: str = "auto"
    plain: bool = False
    big: bool = False
    export: Path | None = None
    figures: Path | None = None
    with_notes: bool = False
    start: str | None = None
    room: str | None = None
    phones: bool = False
    address: str | None = None
    pager: bool = False


def play(wish: Wish) -> int:
    """Run the demos as wished; the exit code: 1 where a claim is false without --set, --seed."""
    from demos import find
    from lecture.show import present

    plans = []
    for entry in find(wish.which):
        parts = choose_parts(entry.parts(), wish.part)
        plans.append((entry, parts, read_settings(parts, wish.settings or ())))
    if any(part.recipes for _, parts, _ in plans for part in parts):
        use_weights(wish.weights)
    if wish.export is not None and wish.export.suffix not in HANDOUTS:
        raise UsageProblem(f"cannot write {wish.export.name!r}",
                           "give a file that ends in .html, .md, .json or .txt")
    if wish.json or wish.export is not None or wish.figures is not None:
        runs = []
        for n, (entry, parts, values) in enumerate(plans):
            runs.append((entry, list(present.results(parts, values, wish.seed))))
            if len(plans) > 1:
                progress(n + 1, len(plans), f"demo {entry.code}")
        _hand_out(wish, runs)
        return 0 if all(r.explored or r.good
                        for _, found in runs for r in found) else 1
    _phones_make_sense(wish)
    screen = open_screen(wish.lang, wish.width, wish.color, wish.theme, wish.plain, wish.big)
    paged = StringIO() if wish.pager and sys.stdout.isatty() and not wish.step else None
    if paged is not None:
        screen = screen.onto(paged, screen.width)
    showings = [present.Show(entry, screen, values, wish.seed, wish.ask, wish.more, wish.room or "")
                for entry, _, values in plans]
    try:
        with contextlib.ExitStack() as stack:
            if wish.phones and present.at_a_terminal() and sys.stdout.isatty():
                from lecture.show import phones

                line = stack.enter_context(phones.opened(wish.address, screen.lang))
                for showing in showings:
                    showing.phones = line
            code = 0 if _show(wish, plans, showings) else 1
        if paged is not None:
            import pydoc

            os.environ.setdefault("LESS", "-R")         # colours as colours
            pydoc.pager(paged.getvalue())
        return code
    except KeyboardInterrupt:
        raise Interrupted("interrupted", _going_on(wish, showings)) from None


def _show(wish: Wish, plans: Plans, showings: list[Show]) -> bool:
    """On the screen, as slides or from top to bottom; True when all held."""
    from lecture.show import present

    whole = [entry.opening() if wish.part is None else None for entry, _, _ in plans]
    begin, begin_part = _beginning(wish, plans)
    if wish.step and present.at_a_terminal() and sys.stdout.isatty() and not _dumb():
        from lecture.show import deck, slides

        stops = [stop for showing, (_, parts, _), opening in
                 zip(showings, plans, whole, strict=True)
                 for stop in deck.stops_of(showing, parts, opening)]
        at = next((n for n, stop in enumerate(stops) if stop.part is begin_part
                   and stop.showing.entry is plans[begin][0]), 0)
        return slides.show(deck.Deck(stops, showings[0].screen, at, showings),
                           wish.weights)
    good = True
    for n, (showing, (_, parts, _), opening) in enumerate(
            zip(showings, plans, whole, strict=True)):
        if n < begin:
            continue
        if n == begin and begin_part is not None:
            parts = parts[parts.index(begin_part):]
        good = present.show(showing, parts, opening or ()) and good
    return good


def _phones_make_sense(wish: Wish) -> None:
    if wish.phones and not (wish.step or wish.ask):
        raise UsageProblem("--phones means nothing where nobody is asked",
                           "add --step for slides, or --ask")
    if wish.address is not None and not wish.phones:
        raise UsageProblem("--address means nothing without --phones",
                           "add --phones, or leave --address out")
    if wish.phones:
        from lecture.show.phones import required

        required()


def _dumb() -> bool:
    return os.environ.get("TERM", "") in ("dumb", "unknown")


def _beginning(wish: Wish, plans: Plans) -> tuple[int, Part | None]:
    """Where --from begins: which demo, which of its parts; None for its title."""
    if wish.start is None:
        return 0, None
    demo, dot, name = typed(wish.start).rpartition(".")
    codes = [entry.code for entry, _, _ in plans]
    if dot:
        from demos import find

        wanted = find(demo)[0].code
        if wanted not in codes:
            raise UsageProblem(f"--from {wish.start} is not among the demos that were asked for",
                               f"they are: {', '.join(codes)}")
        at = codes.index(wanted)
    elif len(codes) == 1:
        at = 0
    else:
        raise UsageProblem(f"--from {wish.start} does not say which demo",
                           "write it like --from 04.3")
    return at, choose_parts(plans[at][1], name)[0]


def _going_on(wish: Wish, showings: list[Show]) -> str:
    """The command that goes on from here with the same settings."""
    import shlex

    from demos import find

    now = next((s for s in reversed(showings) if s.at is not None), None)
    words = ["lecture", "demo", wish.which]
    if now is not None and now.entry not in find(wish.which):       # jumped to from elsewhere
        words[-1], showings = now.entry.code, [now]
    if now is not None and now.at is not None:
        words += ["--from", f"{now.entry.code}.{now.at.number}"]
    for showing in showings:
        numbers = {part.key: part.number for part in showing.entry.parts()}
        words += [word for key, values in showing.settings.items()
                  for name, value in values.items()
                  for word in ("--set", f"{numbers[key]}.{name}={value}")]
    told = {"--part": wish.part if words[2] == wish.which else None,
            "--seed": wish.seed, "--weights": wish.weights, "--lang": wish.lang,
            "--width": wish.width, "--room": wish.room, "--address": wish.address,
            "--color": wish.color if wish.color != "auto" else None,
            "--theme": wish.theme if wish.theme != Wish.theme else None}
    words += [word for option, value in told.items() if value is not None
              for word in (option, str(value))]
    words += [option for option, given in (("--step", wish.step), ("--ask", wish.ask),
              ("--phones", wish.phones),
              ("--more", wish.more), ("--plain", wish.plain), ("--big", wish.big)) if given]
    return f"go on with: {shlex.join(words)}"


def open_screen(lang: str | None, width: int | None, color: str, theme: str, plain: bool,
                big: bool = False) -> Screen:
    """The screen the options ask for."""
    from console import THEMES, Screen

    color = one_of("--color", color, ("auto", "always", "never"))
    named = ("auto", *THEMES[:3])
    theme = one_of("--theme", theme, named)
    if theme == "auto":
        theme = one_of("LECTURE_THEME", os.environ.get("LECTURE_THEME") or "auto", named)
    screen = partial(Screen, lang=language(lang), width=width, color=color, plain=plain, big=big)
    made = screen(theme="unknown" if theme == "auto" else theme)
    if theme != "auto" or made.console.color_system is None or made.console.no_color:
        return made
    from lecture.show.terminal import is_light

    light = is_light()                  # asked only where there are colours to choose
    if light is None:                   # nobody to ask: into a file with --color always
        return made if sys.stdout.isatty() else screen(theme="dark")
    return screen(theme="light" if light else "dark")


def write(path: Path, text: str) -> None:
    """A file the user asked for."""
    from lecture.files import named, write_whole

    try:
        write_whole(named(path), text)
    except OSError as error:
        raise SetupProblem(f"cannot write {path}: {error.strerror or error}",
                           "choose a folder you may write to") from None


def _hand_out(wish: Wish, runs: Runs) -> None:
    """What is not drawn on a screen: the document, the handout, the pictures."""
    if wish.json:
        print(_handout(".json", runs, "en", 80, wish.with_notes), end="")
    if wish.export is not None:
        text = _handout(wish.export.suffix, runs, language(wish.lang), wish.width or 80,
                        wish.with_notes, wish.more)
        write(wish.export, text)
        _wrote(wish.export, len(text.encode()), language(wish.lang))
    if wish.figures is not None:
        from lecture.show.figures import draw

        for entry, found in runs:
            for path in draw(entry, found, wish.figures, language(wish.lang)):
                (tell if wish.json else print)(shown(path))


def _wrote(path: Path, size: int, lang: str) -> None:
    """Say so as a notice: the file is the result, and it stays where nothing can be said."""
    from lecture.show.words import WORDS

    told = f"{size / 1024:,.0f} kB" if size >= 1024 else f"{size} B"
    tell(WORDS["wrote"].text(lang, {"path": shown(path), "size": told}))


def _handout(kind: str, runs: Runs, lang: str, width: int, notes: bool,
             more: bool = False) -> str:
    """The runs as the text of a file of this kind."""
    if kind == ".json":
        from lecture.show.export import SCHEMA, as_json, demo_document

        documents: list[dict[str, Any]] = [demo_document(entry, found) for entry, found in runs]
        one = documents[0] if len(documents) == 1 else {"schema": SCHEMA, "demos": documents}
        return as_json(one) + "\n"
    if kind == ".txt":
        from console import Screen
        from lecture.show.present import draw

        stream = StringIO()
        screen = Screen(stream, lang=lang, width=width, color="never")
        for entry, found in runs:
            draw(entry, found, screen, more,
                 entry.opening() if len(found) == len(entry.parts()) else ())
        return stream.getvalue()
    from lecture.show.handout import markdown
    from lecture.show.page import html, view

    views = [view(entry, found, notes) for entry, found in runs]
    return harmless(html(views, lang) if kind == ".html" else markdown(views, lang))
