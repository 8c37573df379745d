"""How is a demo shown?  Scene by scene, each as soon as it exists.

The order is the teaching: the question first, before anything is computed; then the
numbers; then the observations with their verdicts; then what they do not show; last
the measured answer, and how the room did.  `show` draws the scenes one after another; as
slides they stand in lecture/show/slides.py.

Left out: drawing (console.py), computing (the demos).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from lecture.ahead import ahead
from lecture.quantities import blocks_of, lead_of
from lecture.report import Block, Claim, Part, Question, Result, run
from lecture.settings import Settings
from lecture.show import votes

if TYPE_CHECKING:
    from console import Screen
    from demos import Entry
    from lecture.show.phones import Line

Votes = dict[str, int]                             # letter -> hands raised


@dataclass(frozen=True)
class Scene:
    """One thing that is drawn at once, on whatever screen there is by then."""

    kind: str                               # lead, question, block, observation, answer, caveat
    name: str                               # stays the same where more or less is shown
    draw: Callable[[Screen], None]
    question: int | None = None             # which of the part's questions it belongs to


@dataclass
class Show:
    """One showing of a demo: what was set, and what came of it so far."""

    entry: Entry
    screen: Screen
    settings: Settings
    seed: int | None = None
    ask: bool = False
    more: bool = False
    room: str | None = None                        # whose votes these are
    sitting: str = field(default_factory=lambda: os.urandom(8).hex())
    phones: Line | None = None                     # what the room's phones vote with
    votes: dict[tuple[str, int], list[Votes]] = field(default_factory=dict)
    failed: bool = False                           # a claim was false without --set, --seed
    at: Part | None = None                         # the part that is on the screen


def results(parts: Sequence[Part], settings: Settings, seed: int | None) -> Iterator[Result]:
    """Run each part with its settings, nothing drawn."""
    for part in parts:
        yield run(part, settings.get(part.key), seed)


def show(showing: Show, parts: Sequence[Part], opening: Sequence[Any] = ()) -> bool:
    """Draw a demo; True when every claim held or the settings were changed."""
    showing.ask = showing.ask and at_a_terminal()
    open_demo(showing, opening)
    first, rest = parts[:1], parts[1:]                 # the first part waits for nobody
    for part in first:
        _begin(showing, part)
        draw_part(showing, run(part, showing.settings.get(part.key), showing.seed), headed=True)
    jobs = [partial(run, part, showing.settings.get(part.key), showing.seed) for part in rest]
    with ahead(jobs, threads=0 if showing.ask else 2) as futures:
        for part, future in zip(rest, futures, strict=True):
            _begin(showing, part)
            draw_part(showing, future.result(), headed=True)
    return not showing.failed


def _begin(showing: Show, part: Part) -> None:
    """The title of a part, on the screen while its numbers are being computed."""
    showing.at = part
    showing.screen.part(showing.entry.number, part)


def open_demo(showing: Show, opening: Sequence[Any], screen: Screen | None = None) -> None:
    """The title; and, where all of a demo is shown, what it asks and how to read it."""
    screen = screen or showing.screen
    screen.header(f"{showing.entry.code}  {showing.entry.title.text(screen.lang)}")
    for block in opening:
        if showing.more or not block.more:
            screen.block(block, {}, close=True)


def draw_part(showing: Show, found: Result, headed: bool = False) -> None:
    """All scenes of a part, one after another; the room is asked where it is to be asked.

    headed: its title stands there already.
    """
    screen = showing.screen
    before_the_vote = True
    for scene in scenes(showing, found, headed):
        if before_the_vote and scene.kind not in ("lead", "question"):
            before_the_vote = False
            screen.line()
        scene.draw(screen)
        if scene.kind == "question" and showing.ask and scene.question is not None:
            votes.in_lines(showing, found, scene.question)
        elif scene.kind == "answer" and showing.phones and scene.question is not None:
            from lecture.show import rounds

            rounds.reveal(showing, found, scene.question)


def draw(entry: Entry, found: Sequence[Result], screen: Screen, more: bool = False,
         opening: Sequence[Any] = ()) -> None:
    """Draw a demo whose parts have already been computed."""
    showing = Show(entry, screen, {}, more=more)
    open_demo(showing, opening)
    for result in found:
        draw_part(showing, result)


def scenes(showing: Show, found: Result, headed: bool = False) -> Iterator[Scene]:
    """A part as scenes to draw: lead, votes, blocks, observations, answers, caveat.

    Nothing of the part is drawn before the vote but its lead, though the options hold
    measured numbers too.  What is marked `more` is left out unless asked for.
    """
    part, more = found.part, showing.more
    if not found.explored and not found.good:
        showing.failed = True
    asked = [(n, q) for n, q in enumerate(part.questions) if more or not q.more]
    marks = {n: f" {i}" if len(asked) > 1 else "" for i, (n, _) in enumerate(asked, 1)}

    def lead(screen: Screen) -> None:
        if not headed:
            screen.part(showing.entry.number, part)
        for block in lead_of(part, found.metrics):
            if more or not block.more:
                screen.block(block, found.metrics, part.format_of, close=True)

    yield Scene("lead", "", lead)
    for n, question in asked:
        yield Scene("question", str(n),
                    partial(_question, found=found, question=question, mark=marks[n]), n)
    first = True
    for i, block in enumerate(blocks_of(part, found.metrics)):
        if (more or not block.more) and not getattr(block, "page_only", False):
            yield Scene("block", str(i), partial(_block, block=block, found=found, close=first))
            first = False
    for i, claim in enumerate(c for c in part.claims if more or not c.more):
        yield Scene("observation", claim.key,
                    partial(_observation, found=found, claim=claim, head=not i))
    for n, _ in asked:
        yield Scene("answer", str(n),
                    partial(_reveal, showing=showing, found=found, n=n, mark=marks[n]), n)

    def caveats(screen: Screen) -> None:
        screen.caveat(part, found)
        if more:
            screen.caveat(part, found, more=True)

    yield Scene("caveat", "", caveats)


def _question(screen: Screen, found: Result, question: Question, mark: str) -> None:
    screen.question(question, found.asked, mark, found.part.format_of)


def _block(screen: Screen, block: Block, found: Result, close: bool) -> None:
    screen.block(block, found.metrics, found.part.format_of, close)


def _observation(screen: Screen, found: Result, claim: Claim, head: bool) -> None:
    if head:
        screen.observations()
    screen.verdict(found.verdict(claim), found)


def _reveal(screen: Screen, showing: Show, found: Result, n: int, mark: str) -> None:
    """The measured answer; then what the room said, once and twice."""
    question = found.part.questions[n]
    rounds = showing.votes.get((found.part.key, n), [])
    screen.answer(question, found, mark)
    if showing.more or showing.ask or rounds:
        screen.misconceptions(question, found)
    votes.reveal(screen, question, found, rounds)


def at_a_terminal() -> bool:
    """Is somebody there to answer?"""
    return bool(sys.stdin and sys.stdin.isatty())


# --- errata -------------------------------------------------------------------------


def show_errata(entry: Entry, errata: Sequence[dict[str, Any]], screen: Screen) -> None:
    """The errata of a demo as stacked records: what the notes say, what is measured."""
    from lecture.show.words import judged

    screen.header(f"{entry.code}  {entry.title.text(screen.lang)}")
    for item in errata:
        screen.line()
        words = (item["row"], f"{entry.code}.{item['part']}", *item["where"],
                 judged(item).text(screen.lang))
        screen.line("  ".join(words), "label")
        screen.line(item["says"], first=f"  {screen.word('notes')}: ")
        if item["metric"]:
            screen.line(_beside(item, screen), first=f"  {screen.word('now')}: ")
        screen.line(item["right"], first=f"  {screen.word('right_is')}: ")


def _beside(item: dict[str, Any], screen: Screen) -> str:
    figure = "" if item["notes"] is None else f"; {screen.word('notes')} {item['notes']:g}"
    return f"{item['shown']}{figure} ({item['metric']})"


def show_notes(entry: Entry, parts: Sequence[Part], screen: Screen) -> None:
    """The speaker notes of a demo."""
    screen.header(f"{entry.code}  {entry.title.text(screen.lang)}")
    for part in parts:
        screen.part(entry.number, part)
        screen.line(part.notes.text(screen.lang))
        for name, param in part.params.items():
            about = f"  {param.about.text(screen.lang)}" if param.about else ""
            screen.line(f"{about}", first=f"  --set {part.number}.{name}={param.default} ")
