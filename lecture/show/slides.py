"""How does a lecturer hold a demo?  A slide at a time, on the whole screen.

The keys are the same on every slide: no key means two things, since a vote, a setting and a place
to jump to are typed into a line of their own (after v, s, or a digit).  The last line says where
one is.  Escape sequences, pastes and keys without a meaning do nothing.

prompt_toolkit reads the keys and paints; what is painted is drawn by console.py.

Left out: what stands where (lecture/show/deck.py).
"""

from __future__ import annotations

import contextlib
import io
import signal
import sys
import time
from dataclasses import dataclass, field
from functools import partial

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import ConditionalContainer, HSplit, Layout, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.output import ColorDepth

from lecture.errors import UsageProblem
from lecture.show import following
from lecture.show.deck import Deck

DEPTHS = {"truecolor": ColorDepth.DEPTH_24_BIT, "256": ColorDepth.DEPTH_8_BIT,
          "standard": ColorDepth.DEPTH_4_BIT, "windows": ColorDepth.DEPTH_4_BIT}
ON = ("enter", " ", "\u3000", "right", "pagedown")
BACK = ("left", "pageup", "b", "B")
LETTERS = {"m": "more", "s": "set", "r": "again", "o": "overview", "v": "vote", "?": "help",
           "q": "quit"}


@dataclass
class Slides:
    """The deck at a real terminal: keys in, screens out."""

    deck: Deck
    app: Application[str] = field(init=False)

    def __post_init__(self) -> None:
        deck = self.deck
        self.line = Buffer(multiline=False, accept_handler=self._entered)
        typing = Condition(lambda: bool(deck.typing))
        content = FormattedTextControl(lambda: ANSI(deck.text()), focusable=True,
                                       show_cursor=False)
        self.main = Window(content, wrap_lines=False, always_hide_cursor=True)
        prompt = BeforeInput(lambda: deck.prompt() + " ")
        typed_line = Window(BufferControl(self.line, input_processors=[prompt]), height=1)
        status = Window(FormattedTextControl(deck.status), height=self._last_lines)
        system = deck.screen.console.color_system
        no_color = deck.screen.console.no_color
        self.app = Application(
            Layout(HSplit([self.main, ConditionalContainer(typed_line, typing), status]),
                   focused_element=self.main),
            key_bindings=self._keys(typing), full_screen=True, refresh_interval=1.0,
            color_depth=ColorDepth.DEPTH_1_BIT if no_color else
            DEPTHS.get(system or "", ColorDepth.DEPTH_1_BIT))
        self.app.ttimeoutlen = self.app.timeoutlen = 0.1    # Escape alone waits for no sequence
        deck.size = self._size
        deck.changed = self.app.invalidate
        self._second = time.monotonic()
        self.app.before_render += self._tick

    def _size(self) -> tuple[int, int]:
        size = self.app.output.get_size()
        below = self._last_lines() + bool(self.deck.typing)
        return size.columns, max(1, size.rows - below)

    def _last_lines(self) -> int:
        columns = self.app.output.get_size().columns
        return len(self.deck.told_lines(columns)) if self.deck.told else 1

    def _tick(self, _: object) -> None:
        while time.monotonic() - self._second >= 1:
            self._second += 1
            self.deck.second()
        if self.deck.by_phone:
            self.deck.by_phone.follow()

    def _keys(self, typing: Condition) -> KeyBindings:
        keys, deck, free = KeyBindings(), self.deck, ~typing

        def on(event: KeyPressEvent) -> None:
            deck.told = ""
            if deck.over:
                if deck.over_page + 1 < len(deck.over_pages()):
                    deck.over_page += 1
                else:
                    deck.over = ""
            elif not deck.next():
                deck.told = deck.screen.word("the_end")

        def back(event: KeyPressEvent) -> None:
            deck.told = ""
            if deck.over and deck.over_page:
                deck.over_page -= 1
            elif deck.over:
                deck.over = ""
            else:
                deck.back()

        for key in ON:
            keys.add(key, filter=free)(on)
        for key in BACK:
            keys.add(key, filter=free)(back)
        letters = LETTERS | {"p": "phones"} if deck.line else LETTERS
        for letter, what in letters.items():
            for key in {letter, letter.upper(), _wide(letter), _wide(letter.upper())}:
                keys.add(key, filter=free)(partial(self._letter, what))
        for digit in "0123456789":
            for key in (digit, _wide(digit)):
                keys.add(key, filter=free)(partial(self._digit, digit))
        keys.add("<bracketed-paste>", filter=free)(_nothing)
        keys.add("<any>", filter=free)(_nothing)
        keys.add("escape", filter=typing)(lambda event: self._leave_line())
        keys.add("c-d")(lambda event: event.app.exit(result="quit"))
        keys.add("c-c")(_interrupt)
        keys.add("<sigint>")(_interrupt)
        return keys

    def _letter(self, what: str, event: KeyPressEvent) -> None:
        deck = self.deck
        deck.told = ""
        if what == "quit":
            event.app.exit(result="quit")
        elif what in ("help", "overview", "phones"):
            deck.over, deck.over_page = ("" if deck.over == what else what), 0
        elif what == "more":
            deck.over = ""
            deck.more()
        elif what == "again":
            deck.over = ""
            if deck.stop.part:
                deck.again()
        elif what == "set":
            deck.over = ""
            self._open_line("set")
        elif what == "vote":
            deck.over = ""
            slide = deck.slide()
            if slide is None or slide.question is None:
                deck.told = deck.screen.word("no_question")
            else:
                deck.begin_vote()
                self._open_line("vote")

    def _digit(self, digit: str, event: KeyPressEvent) -> None:
        self.deck.told = ""
        self._open_line("jump")
        self.line.insert_text(digit)

    def _open_line(self, what: str) -> None:
        self.deck.typing = what
        self.line.reset()
        self.app.layout.focus(self.line)

    def _leave_line(self) -> None:
        self.deck.typing = ""
        self.line.reset()
        self.app.layout.focus(self.main)

    def _entered(self, buffer: Buffer) -> bool:
        deck, text, what = self.deck, buffer.text, self.deck.typing
        self._leave_line()
        deck.told = ""
        try:
            if what == "vote":
                deck.told = deck.vote(text)
            elif what == "set":
                deck.set(text)
            else:
                deck.over = ""
                deck.jump(text)
        except UsageProblem as problem:
            deck.told = ". ".join(filter(None, (problem.what, problem.todo)))
        return False

    def run(self) -> None:
        """Until q, Ctrl-D or Ctrl-C; the terminal is as it was, whatever ended it."""
        with contextlib.ExitStack() as stack:
            held = stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
            stack.callback(self.deck.close)
            stack.callback(following.end)
            try:
                self.app.run(pre_run=self._listen)
            finally:
                said = held.getvalue()
        if said:
            sys.stderr.write(said)

    def _listen(self) -> None:
        """What would end the process without a word leaves the terminal clean as well."""
        import asyncio

        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                number = getattr(signal, name)
                with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.add_signal_handler(number, partial(self._ended_by, number))

    def _ended_by(self, number: int) -> None:
        if not self.app.is_done:
            self.app.exit(exception=SystemExit(128 + number))


def _wide(letter: str) -> str:
    """The full-width twin of a plain character: an input method types it."""
    return chr(ord(letter) + 0xFEE0)


def _nothing(event: KeyPressEvent) -> None:
    """A key, a sequence or a paste that means nothing here."""


def _interrupt(event: KeyPressEvent) -> None:
    event.app.exit(exception=KeyboardInterrupt())


def show(deck: Deck, weights: str | None = None) -> bool:
    """Show the deck at this terminal; True when every claim met held or settings were changed."""
    from lecture.models import cache as model_cache

    room = Slides(deck)

    def progress(done: int, total: int, what: str) -> None:
        deck.progress = f"{what} {done}/{total}" if done < total else ""
        room.app.invalidate()

    model_cache.set_policy(weights, progress=progress)
    room.run()
    return not any(stop.showing.failed for stop in deck.stops)
