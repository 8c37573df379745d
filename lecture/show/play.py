"""What happens when somebody asks for a demo?  One way, however it was asked.

`lecture demo 04` passes over typer (cli.py), every other line goes through it (commands.py);
both end here, with a Wish: what was asked, and what is meant where nothing was said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lecture.errors import SetupProblem, UsageProblem, harmless, shown, tell
from lecture.settings import choose_parts, language, one_of, read_settings, use_weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from console import Screen
    from demos import Entry
    from lecture.report import Result

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
    theme: str = "dark"
    plain: bool = False
    big: bool = False
    export: Path | None = None
    figures: Path | None = None
    with_notes: bool = False


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
        runs = [(entry, list(present.results(parts, values, wish.seed)))
                for entry, parts, values in plans]
        _hand_out(wish, runs)
        return 0 if all(r.explored or r.good
                        for _, found in runs for r in found) else 1
    screen = open_screen(wish.lang, wish.width, wish.color, wish.theme, wish.plain, wish.big)
    show = present.step if wish.step else present.show
    good = [show(entry, parts, screen, values, wish.seed, wish.ask, wish.more,
                 entry.opening() if wish.part is None else ())
            for entry, parts, values in plans]
    return 0 if all(good) else 1


def open_screen(lang: str | None, width: int | None, color: str, theme: str, plain: bool,
                big: bool = False) -> Screen:
    """The screen the options ask for."""
    from console import STYLES, Screen

    color = one_of("--color", color, ("auto", "always", "never"))
    theme = one_of("--theme", theme, tuple(STYLES))
    return Screen(lang=language(lang), width=width, color=color, theme=theme,
                  plain=plain, big=big)


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
    if wish.figures is not None:
        from lecture.show.figures import draw

        for entry, found in runs:
            for path in draw(entry, found, wish.figures, language(wish.lang)):
                (tell if wish.json else print)(shown(path))


def _handout(kind: str, runs: Runs, lang: str, width: int, notes: bool,
             more: bool = False) -> str:
    """The runs as the text of a file of this kind."""
    if kind == ".json":
        from lecture.show.export import SCHEMA, as_json, demo_document

        documents: list[dict[str, Any]] = [demo_document(entry, found) for entry, found in runs]
        one = documents[0] if len(documents) == 1 else {"schema": SCHEMA, "demos": documents}
        return as_json(one) + "\n"
    if kind == ".txt":
        from io import StringIO

        from console import Screen
        from lecture.show.present import draw

        stream = StringIO()
        screen = Screen(stream, lang=lang, width=width, color="never")
        for entry, found in runs:
            draw(entry, found, screen, more,
                 entry.opening() if len(found) == len(entry.parts()) else ())
        return stream.getvalue()
    from lecture.show.page import html, markdown, view

    views = [view(entry, found, notes) for entry, found in runs]
    return harmless(html(views, lang) if kind == ".html" else markdown(views, lang))
