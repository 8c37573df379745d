"""Which slides are there, where does one stand, and what does the window show?

A slide is drawn at the size the window has now, so a larger font draws it anew; what is taller
than the window is paged; observations come one by one.  The part that is shown and the next one
are computed by a thread.

Left out: keys and painting (lecture/show/slides.py), what a slide says (lecture/show/present.py).
"""

from __future__ import annotations

import contextlib
import io
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from lecture.ahead import Futures, ahead
from lecture.errors import LectureError, UsageProblem
from lecture.report import Part, Result, run
from lecture.settings import read_settings, typed
from lecture.show import following, rounds, votes
from lecture.show.present import Scene, Show, open_demo, scenes

if TYPE_CHECKING:
    from console import Screen
    from demos import Entry

SOON = 0.3                              # s: what takes longer is said


class Slide(NamedTuple):
    """Scenes that stand on one screen; its name stays where more or less is shown."""

    name: str
    scenes: tuple[Scene, ...]
    question: int | None = None
    growing: bool = False               # the last scenes matter: earlier ones may be left out
    answer: int | None = None           # which question it answers


@dataclass
class Stop:
    """A part of a demo, or its title, where the deck can stand."""

    showing: Show
    part: Part | None                   # None: the title
    opening: Sequence[Any] = ()

    @property
    def place(self) -> str:
        """04.2, or 04 for the title."""
        return self.showing.entry.code + (f".{self.part.number}" if self.part else "")


class Place(NamedTuple):
    """Where the deck stands: a stop, a slide by its name, a page of it."""

    stop: int
    slide: str
    page: int


def slides_of(showing: Show, found: Result) -> Iterator[Slide]:
    """A part as slides: lead with its vote, blocks, observations one by one, answers."""
    held: list[Scene] = []
    seen: list[Scene] = []
    asked: dict[int | None, Scene] = {}
    for scene in scenes(showing, found):
        if scene.kind == "lead":
            held.append(scene)
        elif scene.kind == "question":
            yield Slide(f"question {scene.name}", (*held, scene), scene.question)
            held, asked[scene.question] = [], scene
        else:
            if held:
                yield Slide("lead", tuple(held))
                held = []
            if scene.kind == "observation":
                seen.append(scene)
                yield Slide(f"observation {scene.name}", tuple(seen), growing=True)
            elif scene.kind == "answer":                # the question again: it has scrolled away
                again = (asked[scene.question],) if not showing.votes.get(
                    (found.part.key, scene.question or 0)) else ()
                yield Slide(f"answer {scene.name}", (*again, scene), answer=scene.question)
            else:
                yield Slide(f"{scene.kind} {scene.name}", (scene,))


class Deck:
    """All that is shown, where one is in it, and what came of it."""

    def __init__(self, stops: Sequence[Stop], screen: Screen, start: int = 0,
                 showings: list[Show] | None = None) -> None:
        self.stops, self.screen = list(stops), screen
        self.showings = showings if showings is not None else []    # a demo that joins, too
        self.at = Place(start, "", 0)
        self.before: list[Place] = []
        self.typing = ""                # "", "vote", "set" or "jump"
        self.over = ""                  # "", "help", "overview" or "phones"
        self.over_page = 0
        self.told = ""                  # one sentence, until the next key
        self.began = time.monotonic()
        self.asked_at = self.began
        self.minutes: dict[str, float] = {}
        self.size: Callable[[], tuple[int, int]] = lambda: (80, 24)
        self._results: dict[int, Futures[Result]] = {}
        self._pages: dict[tuple[Any, ...], list[list[str]]] = {}
        self.line = stops[0].showing.phones if stops else None
        self.by_phone = rounds.Rounds(self, self.line) if self.line else None
        self.changed: Callable[[], None] = lambda: None
        self.progress = ""
        self.stop.showing.at = self.stop.part

    # --- what stands where ---

    @property
    def stop(self) -> Stop:
        """The part that is shown."""
        return self.stops[self.at.stop]

    def compute(self, n: int) -> None:
        """Begin to compute a part, unless somebody has."""
        stop = self.stops[n] if n < len(self.stops) else None
        if stop is None or stop.part is None or n in self._results:
            return
        showing, part = stop.showing, stop.part

        def job() -> Result:
            try:
                return run(part, showing.settings.get(part.key), showing.seed)
            finally:
                self.changed()

        self._results[n] = ahead([job], threads=1)
        self.asked_at = time.monotonic()
        soon = threading.Timer(SOON + 0.05, lambda: self.changed())     # to say that it takes long
        soon.daemon = True
        soon.start()

    def result(self) -> Result | None:
        """The result of the part that is shown; None while it is computed."""
        self.compute(self.at.stop)
        future = self._results[self.at.stop][0]
        if not future.done():
            return None
        self.compute(self.at.stop + 1)                  # the next part, while this one is read
        found: Result = future.result()
        return found

    def slides(self) -> list[Slide]:
        """The slides of this stop; none while it is computed."""
        stop = self.stop
        if stop.part is None:
            return [Slide("title", (Scene("lead", "", partial(
                _title, stop.showing, stop.opening)),))]
        found = self.result()
        return list(slides_of(stop.showing, found)) if found else []

    def index(self, slides: Sequence[Slide]) -> int:
        """Which slide is shown: the one of the name, or the first."""
        names = [slide.name for slide in slides]
        return names.index(self.at.slide) if self.at.slide in names else 0

    def slide(self) -> Slide | None:
        """The slide that is shown; None while it is computed."""
        try:
            slides = self.slides()
        except LectureError:
            return None
        return slides[self.index(slides)] if slides else None

    def pages(self, slide: Slide) -> list[list[str]]:
        """A slide as pages of lines at the present size."""
        columns, rows = self.size()
        votes_now = repr(sorted(self.stop.showing.votes.items()))
        key = (self.at.stop, slide.name, columns, rows, self.stop.showing.more, votes_now,
               id(self._results.get(self.at.stop)))
        if key not in self._pages:
            if len(self._pages) > 200:
                self._pages.clear()
            self._pages[key] = self._drawn(slide, columns, rows)
        return self._pages[key]

    def _drawn(self, slide: Slide, columns: int, rows: int) -> list[list[str]]:
        drawn = [self.lines(scene.draw, columns) for scene in slide.scenes]
        if slide.growing:                   # the newest observations that fit, never the last cut
            first = 0
            while first < len(drawn) - 1 and sum(map(len, drawn[first:])) > rows:
                first += 1
            drawn = drawn[first:]
        lines = _trimmed([line for piece in drawn for line in piece])
        if self.line and slide.question is not None:
            return self._with_code(lines, _trimmed(drawn[-1]), columns, rows)
        return paged(lines, rows)

    def _with_code(self, lines: list[str], question: list[str], columns: int,
                   rows: int) -> list[list[str]]:
        """A question with the phones' code below it, on its own page where it must be."""
        rows -= not self.typing             # the same pages while a line is typed
        for above in (lines, question):
            code = self._invitation(columns, rows - len(above))
            if code:
                return [above + code] if above is lines else [*paged(lines, rows), above + code]
        return [*paged(lines, rows), *filter(None, [self._invitation(columns, rows)])]

    def _invitation(self, columns: int, rows: int) -> list[str]:
        """Address and code as lines, none where the rows have no room for them."""
        fits: list[bool] = []

        def draw(screen: Screen) -> None:
            if self.line:
                fits.append(rounds.invitation(screen, self.line, rows))

        lines = self.lines(draw, columns)
        return lines if any(fits) else []

    def lines(self, draw: Callable[[Screen], None], columns: int) -> list[str]:
        """What is drawn, line by line."""
        stream = io.StringIO()
        draw(self.screen.onto(stream, columns))
        return stream.getvalue().split("\n")[:-1]

    def close(self) -> None:
        """End whatever is still being computed; an open vote of the phones is kept."""
        if self.by_phone:
            self.by_phone.take()
        for futures in self._results.values():
            futures.close()

    # --- moving ---

    def go(self, place: Place) -> None:
        """Stand somewhere else; the way back is remembered."""
        self.before.append(self.at)
        self._stand(place)

    def _stand(self, place: Place) -> None:
        if place.stop != self.at.stop:
            self.asked_at = time.monotonic()
        self.at = place
        part = self.stop.part
        for stop in self.stops:                         # one place at a time is the present one
            stop.showing.at = None
        self.stop.showing.at = part
        following.tell(self.stop.showing.entry.code, part, self.minutes)

    def next(self) -> bool:
        """The next page, slide or part; False at the end."""
        try:
            slides = self.slides()
        except LectureError:
            slides = []                                 # told on the slide: one may go on
        else:
            if not slides:
                return True                             # being computed: nothing to go on to
        if slides:
            i = self.index(slides)
            if self.at.page + 1 < len(self.pages(slides[i])):
                self.go(Place(self.at.stop, slides[i].name, self._page() + 1))
                return True
            if i + 1 < len(slides):
                self.go(Place(self.at.stop, slides[i + 1].name, 0))
                return True
        if self.at.stop + 1 < len(self.stops):
            self.go(Place(self.at.stop + 1, "", 0))
            return True
        return False

    def back(self) -> None:
        """The screen that was shown before; else the part before."""
        if self.before:
            self._stand(self.before.pop())
        elif self.at.stop:
            self._stand(Place(self.at.stop - 1, "", 0))

    def _page(self) -> int:
        slide = self.slide()
        return min(self.at.page, len(self.pages(slide)) - 1) if slide else 0

    def jump(self, text: str) -> None:
        """To a part of this demo (3), of another (12.3), or to another demo (12, 04)."""
        text = typed(text)
        demo, dot, number = text.partition(".")
        here = [part.number for part in self.stop.showing.entry.parts()]
        if not dot and demo.isdecimal() and demo[0] != "0" and int(demo) in here:
            demo, number = self.stop.showing.entry.code, demo
        at = self._find(demo, number)
        self.go(Place(at, "", 0))

    def _find(self, demo: str, number: str) -> int:
        """The stop of a part, or of a demo's beginning; its parts join the deck if need be."""
        from demos import find

        if demo.lower() == "all":
            raise UsageProblem(self.screen.word("no_place", place=demo), "")
        entries = find(demo)
        entry = entries[0]
        known = [n for n, stop in enumerate(self.stops) if stop.showing.entry is entry]
        parts = {part.number: part for part in entry.parts()}
        if number and (not number.isdecimal() or int(number) not in parts):
            listed = ", ".join(map(str, parts))
            raise UsageProblem(self.screen.word("no_part", number=number, listed=listed), "")
        if not known or number and int(number) not in [
                self.stops[n].part.number for n in known        # type: ignore[union-attr]
                if self.stops[n].part]:
            known = self._join(entry, known)
        if not number:
            return known[0]
        return next(n for n in known
                    if (part := self.stops[n].part) and part.number == int(number))

    def _join(self, entry: Entry, known: Sequence[int]) -> list[int]:
        """All parts of a demo, put where its number belongs; what stood of it stays."""
        old = self.stops[known[0]].showing if known else None
        mine = self.stop.showing
        showing = old or Show(entry, self.screen, {}, mine.seed, mine.ask, mine.more,
                              room=mine.room, sitting=mine.sitting, phones=mine.phones)
        if old is None:
            self.showings.append(showing)
        have = {stop.part.key: stop for n in known if (stop := self.stops[n]).part}
        added = stops_of(showing, entry.parts(), () if known else entry.opening())
        added = [have.get(stop.part.key, stop) if stop.part else stop for stop in added]
        results = {id(self.stops[n]): futures for n, futures in self._results.items()}
        places = [(self.stops[p.stop], p) for p in (*self.before, self.at)]
        rest = [stop for stop in self.stops if stop.showing.entry is not entry]
        at = next((n for n, stop in enumerate(rest) if stop.showing.entry.number > entry.number),
                  len(rest))
        self.stops = [*rest[:at], *added, *rest[at:]]
        order = {id(stop): n for n, stop in enumerate(self.stops)}
        self._results = {order[key]: futures for key, futures in results.items() if key in order}
        moved = [place._replace(stop=order[id(stop)]) for stop, place in places
                 if id(stop) in order]
        self._pages.clear()
        *self.before, self.at = moved
        return [n for n, stop in enumerate(self.stops) if stop.showing.entry is entry]

    # --- changing ---

    def more(self) -> None:
        """Everything, or the first view alone; in every demo of the deck, once each."""
        wanted = not self.stop.showing.more
        for stop in self.stops:
            stop.showing.more = wanted

    def again(self) -> None:
        """Compute this part anew."""
        futures = self._results.pop(self.at.stop, None)
        if futures:
            futures.close()
        self._pages.clear()
        self.asked_at = time.monotonic()
        self.compute(self.at.stop)

    def set(self, text: str) -> None:
        """name=value …, name= for its default, reset for all defaults; then compute anew."""
        part = self.stop.part
        text = typed(text)
        if part is None or not text:
            return
        chosen = dict(self.stop.showing.settings.get(part.key, {}))
        if text.lower() in ("reset", "重置"):
            chosen = {}
        else:
            for word in re.split(r"[\s,]+(?=\w+=)", text):     # a value may hold blanks
                name, sign, value = word.partition("=")
                if sign and not value and name in part.params:
                    chosen.pop(name, None)
                else:
                    chosen |= read_settings([part], [word]).get(part.key, {})
        chosen = {k: v for k, v in chosen.items() if v != part.params[k].default}
        if chosen:
            self.stop.showing.settings[part.key] = chosen
        else:
            self.stop.showing.settings.pop(part.key, None)
        self.again()

    def vote(self, text: str) -> str:
        """Count one vote of the question on this slide; what is to be said of it."""
        slide, part, screen = self.slide(), self.stop.part, self.screen
        found = self.result() if slide and part else None
        if slide is None or slide.question is None or part is None or found is None:
            raise UsageProblem(screen.word("no_question"), "")
        letters = votes.letters_of(part.questions[slide.question])
        counted = votes.read_votes(text, letters)
        if counted is None:
            raise UsageProblem(votes.refusal(screen, text, letters), "")
        if not counted and self.line:
            counted = self.line.poll.counts()
            if not counted:
                return screen.word("nobody_voted")
        if not counted:
            return ""
        if self.line:
            self.line.poll.close()
        taken = self.stop.showing.votes.get((part.key, slide.question), [])[:1]
        votes.keep(self.stop.showing, found, slide.question, [*taken, counted])
        self._pages.clear()
        return screen.word("counted" if not taken else "counted_again",
                           hands=votes.hands(counted))

    def begin_vote(self) -> None:
        """Somebody wants to type a vote: the phones' next one is open too."""
        if self.by_phone:
            self.by_phone.open()

    def prompt(self) -> str:
        """What stands before the line that is typed."""
        if self.typing == "vote" and self.line:
            return self.screen.word("type_phones", n=self.line.poll.voted())
        return self.screen.word(f"type_{self.typing}")

    # --- what is read off the screen ---

    def text(self) -> str:
        """What stands on the screen now, without its last line."""
        columns, rows = self.size()
        if self.typing == "set":
            return "\n".join(self.lines(self._settings, columns)[:rows])
        if self.over:
            pages = self.over_pages()
            return "\n".join(pages[min(self.over_page, len(pages) - 1)])
        try:
            slides = self.slides()
        except LectureError as problem:
            return "\n".join(self.lines(partial(_problem, problem=problem), columns)[:rows])
        if not slides:
            return "\n".join(self.lines(self._waiting, columns)[:rows])
        slide = slides[self.index(slides)]
        pages = self.pages(slide)
        return "\n".join(pages[min(self.at.page, len(pages) - 1)])

    def over_pages(self) -> list[list[str]]:
        """The help or the overview, in pages."""
        columns, rows = self.size()
        if self.over == "phones" and self.line:
            return [self._invitation(columns, rows) or [self.line.address]]
        return paged(self.lines(self._help if self.over == "help" else self._overview, columns),
                     rows)

    def status(self) -> str:
        """Where one is: 04.2 Why √d · 3/7 · beta=2 · 12:40 · ? help."""
        from console import cut

        stop, screen = self.stop, self.screen
        columns, _ = self.size()
        title = stop.part.title if stop.part else stop.showing.entry.title
        words = [f"{stop.place} {title.text(screen.lang)}"]
        with contextlib.suppress(LectureError):
            slides = self.slides()
            if slides:
                i = self.index(slides)
                pages = len(self.pages(slides[i]))
                words.append(f"{i + 1}/{len(slides)}"
                             + (f" ({min(self.at.page, pages - 1) + 1}/{pages})"
                                if pages > 1 else ""))
                if slides[i].question is not None:
                    if self.line and self.line.poll.is_open():
                        words.append(screen.word("voted", n=self.line.poll.voted()))
                    words.append(screen.word("v_votes"))
        if stop.part:
            words += [f"{k}={v}" for k, v in
                      stop.showing.settings.get(stop.part.key, {}).items()]
        if stop.showing.more:
            words.append(screen.word("with_more"))
        seconds = int(time.monotonic() - self.began)
        words += [f"{seconds // 60}:{seconds % 60:02d}", screen.word("help_key")]
        rest = " · ".join(words[1:]) if not screen.plain else " | ".join(words[1:])
        joint = " | " if screen.plain else " · "
        if self.told:
            return "\n".join(self.told_lines(columns))
        room = columns - len(joint) - _cells(rest)
        return cut((cut(words[0], max(8, room)) + joint if room >= 8 else "") + rest, columns)

    def told_lines(self, columns: int) -> list[str]:
        """What is to be said in the place of the last line, in at most three."""
        from console import wrap

        return wrap(self.told, columns)[:3]

    def _waiting(self, screen: Screen) -> None:
        stop = self.stop
        if stop.part:
            screen.part(stop.showing.entry.number, stop.part)
        screen.line()
        if time.monotonic() - self.asked_at >= SOON:
            screen.line(self.progress or screen.word("computing"), "quiet")

    def _help(self, screen: Screen) -> None:
        screen.line(screen.word("keys_title"), "label")
        for keys, name in (("Enter, space, Right, PageDown", "key_on"),
                           ("b, Left, PageUp", "key_back"), ("3, 12.3, 04", "key_jump"),
                           ("m", "key_more"), ("v", "key_vote"),
                           *([("p", "key_phones")] if self.line else []), ("s", "key_set"),
                           ("r", "key_again"), ("o", "key_overview"), ("?", "key_help"),
                           ("q, Ctrl-D", "key_quit")):
            screen.line(screen.word(name), first=f"  {keys:30}")

    def _overview(self, screen: Screen) -> None:
        from demos import REGISTRY

        screen.line(screen.word("overview_title"), "label")
        for entry in REGISTRY:
            here = entry is self.stop.showing.entry
            screen.line(entry.title.text(screen.lang), first=f"  {entry.code}    ")
            if here:
                for part in entry.parts():
                    mark = ">" if self.stop.part and part.key == self.stop.part.key else " "
                    used = self.minutes.get(f"{entry.code}.{part.key}", 0.0)
                    spent = f"  {screen.word('minutes', minutes=round(used))}" if used >= 1 else ""
                    screen.line(part.title.text(screen.lang) + spent,
                                first=f"   {mark} {entry.code}.{part.number}  ")

    def _settings(self, screen: Screen) -> None:
        part = self.stop.part
        screen.line(screen.word("set_title"), "label")
        if part is None or not part.params:
            screen.line(screen.word("set_none"), indent=2)
            return
        chosen = self.stop.showing.settings.get(part.key, {})
        for name, param in part.params.items():
            mark = "*" if name in chosen else " "
            told = f"{mark} {name}={chosen.get(name, param.default)}"
            about = param.about.text(screen.lang) if param.about else ""
            screen.line(about, first=f"  {told:18} ")
            if name in chosen:
                screen.line(screen.word("usual", value=param.default), indent=4)
        screen.line()
        screen.line(screen.word("set_how"), "quiet")

    def second(self) -> None:
        """A second has gone by: minutes are counted for the part that is shown."""
        part = self.stop.part
        if part is not None:
            key = f"{self.stop.showing.entry.code}.{part.key}"
            self.minutes[key] = self.minutes.get(key, 0.0) + 1 / 60
        following.tell(self.stop.showing.entry.code, part, self.minutes)


def _title(showing: Show, opening: Sequence[Any], screen: Screen) -> None:
    open_demo(showing, opening, screen)


def _problem(screen: Screen, problem: LectureError) -> None:
    screen.line(problem.what, "label")
    screen.line(problem.todo, indent=2)


def _trimmed(lines: list[str]) -> list[str]:
    """Without empty lines at either end."""
    full = [i for i, line in enumerate(lines) if _bare(line)]
    return lines[full[0]:full[-1] + 1] if full else []


def _bare(line: str) -> str:
    """A line without its colours and blanks."""
    return re.sub(r"\x1b\[[0-9;]*m", "", line).strip()


def _cells(text: str) -> int:
    from console import cell_len

    return cell_len(text)


def paged(lines: Sequence[str], rows: int) -> list[list[str]]:
    """Lines as pages of at most so many, broken at a blank line where one is in the last third."""
    rows, pages, rest = max(1, rows), [], list(lines)
    while len(rest) > rows:
        end = next((i for i in range(rows, rows - max(1, rows // 3), -1) if not _bare(rest[i])),
                   rows)
        pages.append(rest[:end])
        rest = rest[end:]
        while rest and not _bare(rest[0]):
            rest.pop(0)
    return [*pages, rest] if rest or not pages else pages


def stops_of(showing: Show, parts: Sequence[Part], opening: Sequence[Any] | None) -> list[Stop]:
    """A demo's title, where it has one here, and its parts."""
    title = [] if opening is None else [Stop(showing, None, opening)]
    return title + [Stop(showing, part) for part in parts]
