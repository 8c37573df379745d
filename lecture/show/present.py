"""How is a demo shown?  Scene by scene, each as soon as it exists.

The order is the teaching: the question first, before anything is computed; then the
numbers; then the observations with their verdicts; then what they do not show; last
the measured answer, and how the room did.  `show` draws the scenes one after another,
`step` waits for a key after each and can go back, re-run and change a setting.

Left out: drawing (console.py), computing (the demos).
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from lecture.ahead import ahead
from lecture.errors import SetupProblem, UsageProblem, shown
from lecture.quantities import blocks_of, lead_of
from lecture.report import LETTERS, Bars, Part, Question, Result, T, right_options, run
from lecture.settings import Settings, heard, read_settings, typed

if TYPE_CHECKING:
    from console import Screen
    from demos import Entry

Scene = Callable[[], None]
Votes = dict[str, int]                             # letter -> hands raised


@dataclass
class Show:
    """One showing of a demo: what was set, and what came of it so far."""

    entry: Entry
    screen: Screen
    settings: Settings
    seed: int | None = None
    ask: bool = False
    more: bool = False
    votes: dict[tuple[str, int], Votes] = field(default_factory=dict)
    failed: bool = False                           # a claim was false without --set, --seed


def results(parts: Sequence[Part], settings: Settings, seed: int | None) -> Iterator[Result]:
    """Run each part with its settings, nothing drawn."""
    for part in parts:
        yield run(part, settings.get(part.key), seed)


def show(entry: Entry, parts: Sequence[Part], screen: Screen, settings: Settings,
         seed: int | None = None, ask: bool = False, more: bool = False,
         opening: Sequence[Any] = ()) -> bool:
    """Draw a demo; True when every claim held or the settings were changed."""
    showing = Show(entry, screen, settings, seed, ask and _at_a_terminal(), more)
    open_demo(showing, opening)
    first, rest = parts[:1], parts[1:]                 # the first part waits for nobody
    for part in first:
        _all_scenes(showing, part)
    jobs = [partial(run, part, settings.get(part.key), seed) for part in rest]
    with ahead(jobs, threads=0 if showing.ask else 2) as futures:
        for part, future in zip(rest, futures, strict=True):
            _all_scenes(showing, part, future.result)
    return not showing.failed


def open_demo(showing: Show, opening: Sequence[Any]) -> None:
    """The title; and, where all of a demo is shown, what it asks and how to read it."""
    screen = showing.screen
    screen.header(f"{showing.entry.code}  {showing.entry.title.text(screen.lang)}")
    for block in opening:
        if showing.more or not block.more:
            screen.block(block, {}, close=True)


def _all_scenes(showing: Show, part: Part, result: Callable[[], Result] | None = None) -> None:
    for scene in scenes(showing, part, result):
        scene()


def draw(entry: Entry, found: Sequence[Result], screen: Screen, more: bool = False,
         opening: Sequence[Any] = ()) -> None:
    """Draw a demo whose parts have already been computed."""
    showing = Show(entry, screen, {}, more=more)
    open_demo(showing, opening)
    for result in found:
        _all_scenes(showing, result.part, partial(_same, result))


def _same(result: Result) -> Result:
    return result


def scenes(showing: Show, part: Part,
           result: Callable[[], Result] | None = None) -> Iterator[Scene]:
    """A part as scenes to draw: lead and vote, blocks, observations, answers, caveat.

    The part is computed first, since options hold measured numbers too; nothing of it is
    drawn before the vote but the lead.  What is marked `more` is left out unless asked for.
    result gives the part's result where somebody else computes it.
    """
    screen, more = showing.screen, showing.more
    chosen = showing.settings.get(part.key) or {}
    found = result() if result else run(part, chosen, showing.seed)
    if not found.explored and not found.good:
        showing.failed = True
    asked = [(n, q) for n, q in enumerate(part.questions) if more or not q.more]
    marks = {n: f" {i}" if len(asked) > 1 else "" for i, (n, _) in enumerate(asked, 1)}

    def opening() -> None:
        screen.part(showing.entry.number, part)
        for block in lead_of(part, found.metrics):
            if more or not block.more:
                screen.block(block, found.metrics, part.format_of, close=True)
        for number, question in asked:
            screen.question(question, found.asked, marks[number], part.format_of)
            if showing.ask:
                showing.votes[part.key, number] = take_votes(screen, question)
        screen.line()

    yield opening
    first = True
    for block in blocks_of(part, found.metrics):
        if more or not block.more:
            yield partial(screen.block, block, found.metrics, part.format_of, first)
            first = False

    def observations() -> None:
        screen.observations()
        for claim in part.claims:
            if more or not claim.more:
                screen.verdict(found.verdict(claim), found)

    yield observations
    for number, question in asked:
        votes = showing.votes.get((part.key, number), {})
        yield partial(_reveal, screen, found, question, marks[number], votes, more or showing.ask)

    def caveats() -> None:
        screen.caveat(part, found)
        if more:
            screen.caveat(part, found, more=True)

    yield caveats


def _reveal(screen: Screen, result: Result, question: Question, mark: str, votes: Votes,
            mistaken: bool) -> None:
    screen.answer(question, result, mark)
    if mistaken:
        screen.misconceptions(question, result)
    right = {LETTERS[i] for i in right_options(question, result.metrics)}
    hands, hits = sum(votes.values()), sum(votes.get(letter, 0) for letter in right)
    if hands == 1:
        screen.line(screen.word("right" if hits else "wrong"), "ok" if hits else "bad")
    elif hands:
        screen.line(screen.word("room", hits=hits, hands=hands, share=f"{hits / hands:.0%}"), "ask")


# --- predict: one answer, or the room's hands -------------------------------------


def take_votes(screen: Screen, question: Question) -> Votes:
    """Ask until there is an answer: B, or a tally such as A 12 B 30 C 4.

    Enter alone, or the end of the input, passes. A tally is drawn as bars at once.
    """
    letters = LETTERS[:len(question.options)]
    while True:
        screen.line(screen.word("choose", letters=f"{letters[0]}-{letters[-1]}"), "ask")
        try:
            text = heard()
        except EOFError:
            return {}
        votes = read_votes(text, letters)
        if votes is None:
            screen.line(screen.word("no_vote", text=shown(text), letters=", ".join(letters)), "bad")
            continue
        if sum(votes.values()) > 1:
            screen.block(Bars(list(letters), [votes.get(x, 0) for x in letters], format="d",
                              title=screen_text("tally")), {})
        return votes


def read_votes(text: str, letters: str) -> Votes | None:
    """{letter: hands} of "B" or "A 12 B 30"; {} of nothing; None where it is neither."""
    text = typed(text).upper()
    if not text:
        return {}
    bare = text.strip(" .,;:!?()[]\"'「」")
    if len(bare) == 1 and bare in letters:
        return {bare: 1}
    one = rf"([{letters}])\s*[:=]?\s*([0-9]{{1,4}})(?![0-9])"
    pairs, rest = re.findall(one, text), re.sub(one, "", text)
    if rest.strip(" ,;.") or not pairs or len({x for x, _ in pairs}) != len(pairs):
        return None
    return {letter: int(hands) for letter, hands in pairs}


def screen_text(name: str) -> T:
    """A word of the screen in both languages."""
    from lecture.show.words import WORDS

    return WORDS[name]


def _at_a_terminal() -> bool:
    return bool(sys.stdin and sys.stdin.isatty())


# --- step by step -------------------------------------------------------------------


def step(entry: Entry, parts: Sequence[Part], screen: Screen, settings: Settings,
         seed: int | None = None, ask: bool = False, more: bool = False,
         opening: Sequence[Any] = ()) -> bool:
    """Draw a demo one scene at a key; the plain run where there is no terminal.

    Enter or space: on. b: the scene before, again. r: this part anew. A number and
    Enter: that part. s: set a parameter and run the part anew. q: the end.
    """
    if not _at_a_terminal() or not sys.stdout.isatty():
        return show(entry, parts, screen, settings, seed, ask, more, opening)
    showing = Show(entry, screen, settings, seed, ask, more)
    open_demo(showing, opening)
    at = 0
    while at < len(parts):
        part = parts[at]
        move = _step_part(showing, part)
        if move == "quit":
            break
        if move == "set":
            _change(showing, part)
        elif move == "next":
            at += 1
        elif move == "back":
            at = max(0, at - 1)
        elif move.isdigit():
            numbers = [p.number for p in parts]
            if int(move) in numbers:
                at = numbers.index(int(move))
            else:
                listed = ", ".join(map(str, numbers))
                screen.line(screen.word("no_part", number=move, listed=listed), "bad")
    return not showing.failed


def _step_part(showing: Show, part: Part) -> str:
    """Show one part; what comes then: next, back, again, set, quit, or a part's number."""
    source, at = scenes(showing, part), -1
    drawn: list[Scene] = []
    while True:
        if at + 1 < len(drawn):
            at += 1
        else:
            scene = next(source, None)
            if scene is None:
                return "next"
            drawn.append(scene)
            at += 1
        drawn[at]()
        move = _key(showing.screen)
        if move == "back":
            if at == 0:
                return "back"
            at -= 2
        elif move != "next":
            return move


# A presenter's remote sends page down and page up; a keyboard has arrows.
MOVES = {"\r": "next", "\n": "next", " ": "next", "\x1b[C": "next", "\x1b[6~": "next",
         "b": "back", "\x1b[D": "back", "\x1b[5~": "back", "r": "again", "s": "set",
         "q": "quit", "\x04": "quit"}


def _key(screen: Screen) -> str:
    """Wait for a key under a line of help, which goes away again."""
    import typer

    from console import wrap

    digits, waiting = "", ""
    while True:
        prompt = screen.word("keys") + digits
        print(f"\r{wrap(prompt, screen.width - 1)[0]}", end="", flush=True)
        try:
            waiting = waiting or typer.getchar() or "q"  # may hold several quick keys
        except EOFError:                                 # Ctrl-D
            return "quit"
        except Exception as error:                       # termios has an error of its own
            raise SetupProblem(f"cannot read the keyboard: {error}",
                               "show the demo in a terminal, or without --step") from None
        finally:
            print(f"\r{' ' * (screen.width - 1)}\r", end="", flush=True)
        key = waiting if waiting.startswith("\x1b") else waiting[0]
        waiting = waiting[len(key):]
        key = key if key.startswith("\x1b") else unicodedata.normalize("NFKC", key) or key
        if key in "\r\n" and digits:
            return digits
        if key == "\x03":
            raise KeyboardInterrupt
        if key.isdigit() and key.isascii():
            digits += key
        elif key in "\x7f\b":
            digits = digits[:-1]
        elif key.lower() in MOVES or key in MOVES:
            return MOVES.get(key) or MOVES[key.lower()]


def _change(showing: Show, part: Part) -> None:
    screen = showing.screen
    names = ", ".join(f"{name}={(showing.settings.get(part.key) or {}).get(name, p.default)}"
                      for name, p in part.params.items()) or "-"
    screen.line(screen.word("set", names=names), "ask")
    try:
        text = typed(heard())
        if text:
            changed = read_settings([part], [text])
            showing.settings.setdefault(part.key, {}).update(changed.get(part.key, {}))
    except EOFError:
        return
    except UsageProblem as problem:
        screen.line(problem.what, "bad")
        screen.line(problem.todo, indent=2)


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
