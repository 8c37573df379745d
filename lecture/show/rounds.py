"""When do the phones see a question, and when is its vote over?  As the slides go.

A question's first vote is open from the moment its slide is shown; `v` and Enter close it, and so
does going on to what answers it.  After that `v` opens the second.  What was counted is kept as a
typed tally is (lecture/show/votes.py), and a typed one may stand in its place.

Here too is what invites the phones: the QR code and the address, as large as there is room.

Left out: the phones themselves (lecture/show/polls.py, lecture/show/phones.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lecture.report import LETTERS, Part, Result, T, right_options
from lecture.show import polls, votes

if TYPE_CHECKING:
    from console import Screen
    from lecture.show.deck import Deck, Slide, Stop
    from lecture.show.phones import Line
    from lecture.show.present import Show

LANGS = ("zh", "en")
QUIET = (4, 2)                          # modules of light around a code: the standard's, and fewer


def key_of(showing: Show, part: Part, n: int) -> str:
    """The name of a question among all of the course."""
    return f"{showing.entry.code}.{part.key}.{n}"


def asked(showing: Show, found: Result, n: int) -> polls.Asked:
    """A question of a part in both languages, its numbers filled in."""
    question, part = found.part.questions[n], found.part

    def both(text: T) -> dict[str, str]:
        return {lang: text.text(lang, found.asked, part.format_of) for lang in LANGS}

    return polls.Asked(key_of(showing, part, n), both(question.prompt),
                       [both(option.text) for option in question.options])


def answer(found: Result, n: int) -> polls.Answer:
    """Its measured answer, and what is behind each wrong letter."""
    question = found.part.questions[n]
    right = right_options(question, found.metrics)
    why = question.answer
    holds = bool(why and right and found.verdict(why).holds)
    return polls.Answer(
        "".join(LETTERS[i] for i in right),
        {lang: found.text(why.text, lang) for lang in LANGS} if why and holds else None,
        {LETTERS[i]: {lang: found.text(option.misconception, lang) for lang in LANGS}
         for i, option in enumerate(question.options) if option.misconception and i not in right})


class Rounds:
    """The votes of a deck's questions, taken by phone as the slides are shown."""

    def __init__(self, deck: Deck, line: Line) -> None:
        self.deck, self.poll = deck, line.poll
        self.stop: Stop | None = None           # where the question before the room stands
        self.question = 0
        self.of: Result | None = None           # with which numbers it was told
        self.told: object = None                # which answer

    def follow(self) -> None:
        """Let the phones see what the room sees; called before each painting."""
        deck, slide = self.deck, self.deck.slide()
        if self._has_gone_on(slide):
            self.take()
        part = deck.stop.part
        found = deck.result() if slide and part else None
        if slide is None or part is None or found is None:
            return
        showing = deck.stop.showing
        if slide.question is not None:
            n = slide.question
            here = self.poll.key() == key_of(showing, part, n)
            if here and found is not self.of:
                self.of = found
                self.poll.retell(asked(showing, found, n))
            elif not here and not showing.votes.get((part.key, n)):
                self.open()
        elif slide.answer is not None:
            told = deck.at.stop, slide.answer, id(found)
            if told != self.told:               # a sentence of an answer takes a moment to fill
                self.told = told
                reveal(showing, found, slide.answer)

    def _has_gone_on(self, slide: Slide | None) -> bool:
        """Has the room left an open question for what may answer it?"""
        if self.stop is None or not self.poll.is_open():
            return False
        if self.deck.stop is not self.stop:
            return True
        if slide is None:
            return False
        names = [one.name for one in self.deck.slides()]
        own = f"question {self.question}"
        return own in names and names.index(slide.name) > names.index(own)

    def open(self) -> None:
        """Open the next vote of the question on the slide: its second where one was taken."""
        slide, part = self.deck.slide(), self.deck.stop.part
        found = self.deck.result() if slide and part else None
        if slide is None or slide.question is None or part is None or found is None:
            return
        showing, n = self.deck.stop.showing, slide.question
        if self.poll.is_open() and self.poll.key() == key_of(showing, part, n):
            return
        self.take()                             # of another question
        self.told = None
        taken = showing.votes.get((part.key, n), [])
        self.stop, self.question, self.of = self.deck.stop, n, found
        self.poll.ask(asked(showing, found, n), 2 if taken else 1)

    def take(self) -> votes.Votes:
        """Close the open vote and keep it, where somebody has voted; its counts."""
        if self.stop is None or self.of is None or not self.poll.is_open():
            return {}
        counts = self.poll.close()
        if counts:
            key = self.of.part.key, self.question
            before = self.stop.showing.votes.get(key, [])[:1]
            votes.keep(self.stop.showing, self.of, self.question, [*before, counts])
        return counts


# --- at a prompt -----------------------------------------------------------------


def ask_in_lines(showing: Show, found: Result, n: int, round: int) -> None:
    """Open a vote that is asked for at a prompt; the first time with the way to it."""
    line = showing.phones
    if line is not None:
        if round == 1:
            invitation(showing.screen, line)
            showing.screen.line(showing.screen.word("phones_too"), "quiet")
        line.poll.ask(asked(showing, found, n), round)


def reveal(showing: Show, found: Result, n: int) -> None:
    """The answer is on the screen: let the phones show it."""
    if showing.phones is not None:
        key = key_of(showing, found.part, n)
        if not (showing.phones.poll.is_open() and showing.phones.poll.key() == key):
            showing.phones.poll.reveal(key, answer(found, n))


# --- the invitation --------------------------------------------------------------


def invitation(screen: Screen, line: Line, rows: int | None = None) -> bool:
    """The address, and the QR code where so many rows have room for it; did they?"""
    from console import cut

    screen.line()
    told = screen.word("join", address=line.address)
    screen.line(told if len(told) <= screen.width else cut(line.address, screen.width), "ask")
    for border in QUIET:
        lines = screen.code(_bordered(line.code, border))
        if lines and (rows is None or len(lines) + 2 <= rows):
            for one in lines:
                screen.line(one)
            return True
    return False


def _bordered(code: Sequence[Sequence[bool]], border: int) -> list[list[bool]]:
    side = [False] * border
    empty = [False] * (len(code[0]) + 2 * border)
    return [empty] * border + [[*side, *row, *side] for row in code] + [empty] * border
