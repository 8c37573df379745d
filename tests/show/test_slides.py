"""The slides on a real pseudo-terminal, key by key, at every kind of pause."""

from __future__ import annotations

import io
import re
import signal

import pyte
import pytest
from rich.console import Console

from console import Screen
from demos import find
from lecture.quantities import blocks_of
from lecture.report import Curve, run
from tests.terminal import Terminal

ENTER, LEFT, RIGHT, UP, DOWN = "\r", "\x1b[D", "\x1b[C", "\x1b[5~", "\x1b[6~"
WAYS_OUT = [("q", 0), ("\x04", 0), ("\x03", 130)]
# how to stand at each kind of pause of 04.1, and what is read there
PAUSES = {
    "title": ("", "04  "),
    "vote": (ENTER, "Predict"),
    "block": (ENTER * 2, "value returned"),
    "observation": (ENTER * 3, "Observations"),
    "help": ("?", "PageDown"),
    "overview": ("o", "Overview"),
}


def slides(*words: str, **options) -> Terminal:
    return Terminal("demo", "04", "--step", *words, **options)


def stand(room: Terminal, keys: str, stands: str) -> None:
    """Go there, one key at a time: one pressed while something computes is not kept."""
    room.until("1/1")
    for i, key in enumerate(keys):
        room.send(key, "Predict" if keys[i + 1:] and key == ENTER and not i else "")
        room.quiet()
    room.until(stands)


def test_on_and_back_with_every_key_for_it() -> None:
    room = slides("--part", "1")
    room.until("Predict", "1/7")
    for on, back in ((ENTER, "b"), (" ", LEFT), (RIGHT, UP), (DOWN, "B")):
        room.send(on, "2/7", without="Predict")
        room.send(back, "1/7", "Predict")
    vote = room.text
    room.send(ENTER + ENTER + ENTER, "4/7")
    room.send("bbb", "1/7")
    assert room.lines[:-1] == vote.split("\n")[:-1]      # as it was
    room.send("q")
    assert room.ended() == 0


def test_observations_come_one_by_one_and_the_answer_with_its_question() -> None:
    room = slides("--part", "1")
    room.until("1/7")
    room.send(ENTER + ENTER, "3/7", "Observations")
    assert room.text.count("OK") == 1
    room.send(ENTER, "4/7")
    assert room.text.count("OK") == 2
    room.send(ENTER + ENTER, "6/7", "Predict", "Answer C")
    room.send("q")
    assert room.ended() == 0


def test_a_number_jumps_within_the_demo_and_to_others_and_back() -> None:
    room = slides()
    room.until("1/1")
    room.send("3\r", "04.3", "1/")
    room.send("b", "04  ", "1/1")                      # back is where one came from
    room.send("5.1\r", "05.1", "1/")
    room.send("04.2\r", "04.2")
    room.send("b", "05.1")
    room.send("06\r", "06  ", "1/1")
    room.send("77\r", "there is no demo", without="Go to")
    room.send("0\x1b", "06  ", without="Go to")        # Escape leaves the line
    room.send("４．３\r", "04.3 ")                      # as an input method types it
    room.send("q")
    assert room.ended() == 0


def test_more_keeps_the_place() -> None:
    room = slides("--part", "1")
    room.until("1/7")
    room.send(ENTER * 3, "4/7")
    sentence = room.lines[1]
    room.send("m", "all", without="4/7")
    assert sentence in room.text
    room.send("m", "4/7", without=" all ")
    room.send("q")
    assert room.ended() == 0


def test_more_is_for_the_whole_demo_and_a_jump_is_where_one_goes_on() -> None:
    room = slides()                                     # six stops of one demo: toggled once
    room.until("1/1")
    room.send("2\r", "04.2", "1/")
    room.send("m", " all ")
    room.send("m", "04.2", without=" all ")
    room.send("5.1\r", "05.1", "1/")
    room.send("\x03")
    assert room.ended() == 130
    assert "go on with: lecture demo 05 --from 05.1" in room.raw


def test_a_parameter_is_set_marked_and_reset() -> None:
    room = slides("--part", "1")
    room.until("1/7")
    room.send(ENTER, "2/7", "β = 10")
    room.send("s", "beta=10", "Set:")
    room.send("beta=banana\r", "cannot be 'banana'")
    room.send("s", "Set:")
    room.send("beta=3\r", "β = 3", "beta=3", "2/7", without="β = 10")
    room.send("s", "* beta=3", "default 10")
    room.send("beta=\r", "β = 10", without="beta=3")
    room.send("s", "Set:")
    room.send("beta=2\r", "beta=2", "2/7")
    room.send("s", "Set:")
    room.send("reset\r", "β = 10", without="beta=2")
    room.send("r", "β = 10", "2/7")
    room.send("q")
    assert room.ended() == 0


def test_the_room_votes_twice_and_sees_nothing_before(tmp_path) -> None:
    room = slides("--part", "1", "--room", "a", data=tmp_path)
    room.until("1/7")
    room.send("v", "Votes")
    room.send("b\r", "1 votes")                         # a letter here, a key elsewhere
    room.send("v", "Votes")
    room.send("A 12 B 30 Z 4\r", "is no vote")
    room.send("v", "Votes")
    room.send("a 12, B 30 C 4\r", "votes the second time", without="26%")
    room.send("2\r", "04.2")
    room.send("b", "1/7")
    room.send(ENTER * 5, "6/7", "Answer C")
    assert re.search(r"B .* 100% +65%", room.text)
    assert "4 of 46 were right (9%)" in room.text
    room.send("b" * 5, "1/7")
    room.send("q")
    assert room.ended() == 0


@pytest.mark.parametrize(("keys", "stands"), PAUSES.values(), ids=PAUSES)
def test_another_font_at_every_pause(keys: str, stands: str) -> None:
    room = slides()
    stand(room, keys, stands)
    usual = room.quiet().split("\n")[:-1]
    for columns, rows in ((60, 20), (120, 40), (24, 8)):
        room.resize(columns, rows)
        room.quiet()
        assert re.search(r"\d+/\d+|help", room.status), room.text
        assert all(len(line) <= columns for line in room.lines)
    room.resize(80, 24)
    room.quiet()
    assert room.lines[:-1] == usual
    room.send("q")
    assert room.ended() == 0


@pytest.mark.parametrize(("keys", "stands"), PAUSES.values(), ids=PAUSES)
@pytest.mark.parametrize(("out", "code"), WAYS_OUT, ids=["q", "ctrl-d", "ctrl-c"])
def test_every_way_out_at_every_pause(keys: str, stands: str, out: str, code: int) -> None:
    room = slides()
    stand(room, keys, stands)
    room.send(out)
    assert room.ended() == code
    if code:
        assert "go on with: lecture demo 04" in room.raw and "--step" in room.raw


@pytest.mark.parametrize("line", ["v", "s", "3"])
@pytest.mark.parametrize(("out", "code"), [("\x04", 0), ("\x03", 130)], ids=["ctrl-d", "ctrl-c"])
def test_the_ways_out_of_a_line_that_is_typed(line: str, out: str, code: int) -> None:
    room = slides("--part", "1,3")
    room.until("1/7")
    room.send(line, ":")
    room.quiet()
    room.send(out)
    assert room.ended() == code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_clean(number: int) -> None:
    room = slides()
    room.until("1/1")
    room.child.kill(number)
    assert room.ended() == 128 + number


@pytest.mark.parametrize("noise", [
    "\x1b[200~qqq\rb3\r\x1b[201~", "\x1b[1;5P", "\x1b[A\x1b[B\x1bOP", "\x1b[M !!", "\x00\x01\x1a",
    "\x1b", "xyzXYZ,.;", "中文，。"], ids=repr)
def test_pastes_sequences_and_other_keys_do_nothing(noise: str) -> None:
    room = slides("--part", "1")
    room.until("1/7")
    before = room.quiet().split("\n")[:-1]
    room.child.send(noise)
    assert room.quiet().split("\n")[:-1] == before and "1/7" in room.status
    room.send("q")
    assert room.ended() == 0


def test_keys_while_something_computes_do_no_harm() -> None:
    room = slides("--from", "2")
    room.child.send("  b?b s\r m m")                      # before the first screen stands
    room.until("04.2")
    room.quiet()
    room.send("2\r", "04.2", "1/")
    room.send("q")
    assert room.ended() == 0


def test_ctrl_c_tells_how_to_go_on_with_the_same_settings() -> None:
    room = slides("--from", "2", "--set", "1.beta=2", "--seed", "3")
    room.until("04.2", "1/")
    room.send("3\r", "04.3", "1/")
    room.send("\x03")
    assert room.ended() == 130
    told = re.search(r"go on with: lecture (.*)", room.raw)
    assert told
    words = told[1].strip().split()
    assert words == ["demo", "04", "--from", "04.3", "--set", "1.beta=2", "--seed", "3", "--lang",
                     "en", "--step"] or "--lang" not in words
    again = Terminal(*words)
    again.until("04.3", "1/")
    again.send("q")
    assert again.ended() == 0


def test_ask_takes_one_answer_then_a_tally_twice(tmp_path) -> None:
    room = Terminal("demo", "04", "--ask", "--part", "1", data=tmp_path, rows=90)
    room.until("Type A-D")
    room.child.send("Z\r")                               # neither: asked again
    room.until("is no vote")
    room.send("a 12, B 30 C 4\r", "After the discussion")
    assert "65%" not in room.text                        # hidden till the second is in
    room.send("A 2 B 10 C 30\r", "Answer C", "65%", "71%")
    assert room.ended() == 0

    room = Terminal("demo", "04", "--ask", "--part", "1", data=tmp_path, rows=90)
    room.until("Type A-D")
    room.send("C\r", "Your answer was right", without="After the discussion")
    assert room.ended() == 0


def test_without_a_terminal_it_is_the_plain_run(lecture) -> None:
    plain_run = lecture("demo", "04", "--part", "1")
    for words in (["--step"], ["--ask"], ["--step", "--ask"]):
        done = lecture("demo", "04", "--part", "1", *words, input=b"")
        assert (done.returncode, done.stdout) == (0, plain_run.stdout)


def test_a_dumb_terminal_gets_the_plain_run() -> None:
    room = slides("--part", "1", rows=90, TERM="dumb")
    room.until("Answer C")
    assert room.ended() == 0 and "1049" not in room.raw


def test_a_curve_comes_through_in_its_colours() -> None:
    """On sixteen colours: cell by cell what is drawn is what the terminal shows."""
    room = Terminal("demo", "07", "--part", "2", "--step", "--theme", "light", TERM="xterm")
    room.until("Predict")
    room.send(" ", "a = pair")
    room.quiet()
    part = find("07")[0].parts()[1]
    metrics = run(part).metrics
    curve = next(b for b in blocks_of(part, metrics) if isinstance(b, Curve))
    stream = io.StringIO()
    screen = Screen(stream, lang="en", width=80, theme="light", color="always")
    screen.console = Console(file=stream, width=80, color_system="standard", force_terminal=True,
                             legacy_windows=False)
    screen.block(curve, metrics, part.format_of, close=True)
    drawn = pyte.Screen(80, 24)
    pyte.Stream(drawn).feed(stream.getvalue().replace("\n", "\r\n"))
    cells = [(y, x) for y in range(18) for x in range(80)]
    both = [[(c.data, c.fg, c.bg, c.reverse) for c in (shown.buffer[y][x] for y, x in cells)
             if c.data == "▄"] for shown in (room.screen, drawn)]
    assert both[0] == both[1] and {fg for _, fg, _, _ in both[0]} == {"blue", "red"}
    room.child.send("q")
    assert room.ended() == 0
