"""What does the room guess, once and again?

Hands, discussion, hands again, then the measured answer (Mazur 1997, Peer Instruction).  The
first count stays hidden until the second is in or the lecturer moves on: a histogram shown first
draws the undecided to the majority.  One letter is one person's guess and is asked once; a tally
such as A 12 B 30 is a room's.

Left out: keeping the counts (lecture/show/ballots.py), telephones
(lecture/show/rounds.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lecture.errors import shown
from lecture.report import LETTERS, Column, Num, Question, Result, T, Table, right_options
from lecture.settings import heard, typed

if TYPE_CHECKING:
    from console import Screen
    from lecture.show.present import Show, Votes


def letters_of(question: Question) -> str:
    """The letters of a question's options: "ABCD"."""
    return LETTERS[:len(question.options)]


def hands(votes: Votes) -> int:
    """How many hands were raised."""
    return sum(votes.values())


def in_lines(showing: Show, found: Result, n: int) -> None:
    """Ask at the prompt of a terminal; a room twice, a single person once.

    Enter alone, or the end of the input, passes; with phones it takes what they said.
    """
    from lecture.show import rounds as by_phone

    screen = showing.screen
    letters = letters_of(found.part.questions[n])
    rounds: list[Votes] = []
    while len(rounds) < 2:
        by_phone.ask_in_lines(showing, found, n, len(rounds) + 1)
        votes = _one_vote(screen, letters, "choose" if not rounds else "again")
        if showing.phones:
            votes = votes or showing.phones.poll.counts()
            showing.phones.poll.close()
        if not votes:
            break
        rounds.append(votes)
        keep(showing, found, n, rounds)
        if hands(votes) == 1:
            break


def keep(showing: Show, found: Result, n: int, rounds: list[Votes]) -> None:
    """Remember the votes of a question: for its answer, and in the file of counts."""
    from lecture.show.ballots import Ballot, append
    from lecture.show.rounds import answer, asked

    part = found.part
    showing.votes[part.key, n] = rounds
    if hands(rounds[-1]) < 2:                      # one person's guess is nobody's business
        return
    measured = answer(found, n)
    append(Ballot(room=showing.room or "", demo=showing.entry.code, part=part.key,
                  number=part.number, question=n, round=len(rounds), counts=rounds[-1],
                  prompt=asked(showing, found, n).prompt, right=measured.right,
                  misread=measured.misread, showing=showing.sitting))


def _one_vote(screen: Screen, letters: str, ask: str) -> Votes:
    while True:
        screen.line(screen.word(ask, letters=f"{letters[0]}-{letters[-1]}"), "ask")
        try:
            text = heard()
        except EOFError:
            return {}
        votes = read_votes(text, letters)
        if votes is not None:
            return votes
        screen.line(refusal(screen, text, letters), "ask")


def refusal(screen: Screen, text: str, letters: str) -> str:
    """Why a text is no vote."""
    return screen.word("no_vote", text=shown(text), letters=", ".join(letters))


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
    return {letter: int(count) for letter, count in pairs}


def reveal(screen: Screen, question: Question, found: Result, rounds: Sequence[Votes]) -> None:
    """The options' words again, with the share of each vote; how many were right."""
    rounds = [votes for votes in rounds if hands(votes)]
    if not rounds:
        return
    right = {LETTERS[i] for i in right_options(question, found.metrics)}
    if [hands(votes) for votes in rounds] == [1]:
        hit = bool(right & set(rounds[0]))
        screen.line(screen.word("right" if hit else "wrong"), "ask", indent=2)
        return
    heads = [screen.word("first"), screen.word("second")] if len(rounds) > 1 else [
        screen.word("share")]
    rows = [[f"{letter}  {option.text.text(screen.lang, found.asked, found.part.format_of)}",
             *(Num(votes.get(letter, 0) / hands(votes), ".0%") for votes in rounds)]
            for letter, option in zip(LETTERS, question.options, strict=False)]
    screen.block(Table((Column(T("", "")), *(Column(T(h, h)) for h in heads)), rows,
                       title=question.prompt), found.asked, found.part.format_of)
    for name, votes in zip(["room", "room_again"], rounds, strict=False):
        hits = sum(votes.get(letter, 0) for letter in right)
        screen.line(screen.word(name, hits=hits, hands=hands(votes),
                                share=f"{hits / hands(votes):.0%}"), "ask", indent=2)
