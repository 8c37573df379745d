"""Does a hall of 300 phones lose a vote, wait, or disturb the lecture?

`python -m benchmarks.phones`

A real `lecture demo 04 --step --phones` at a pseudo-terminal on the loopback address, and 300
phones in a process of their own: each opens the page, asks for the question every two seconds
and votes within some seconds of its opening. Of a hundred, some lose their connection before they
vote, some send nonsense, some send the same vote twice, some change their mind (SHARES). What was
counted is compared with what each phone was told; every request is timed from the first byte
sent to the last one read.

Meanwhile somebody presses ? at the terminal and waits for the help to stand there: without the
flag, with nobody on the line, and with all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import random
import re
import statistics
import tempfile
import time
from collections import Counter
from importlib.metadata import version
from multiprocessing.connection import Connection
from pathlib import Path
from platform import python_version
from typing import Any

from benchmarks import machine
from tests.phone import Phone
from tests.terminal import Terminal

RESULT = Path(__file__).with_suffix(".json")
QUESTIONS = (1, 2, 3)                   # parts of demo 04
WINDOW = 8.0                            # s in which a phone makes up its mind
SHARES = {"reconnects": .15, "nonsense": .1, "twice": .15, "changes": .2}
KEYS = 15                               # times ? is pressed, twice each


# --- the phones ------------------------------------------------------------------


class Timed(Phone):
    """A phone that notes how long each answer took."""

    def __init__(self, address: str, times: dict[str, list[float]]) -> None:
        super().__init__(address)
        self.times = times

    async def ask(self, method: str, path: str, body: bytes = b"", head: str = "") -> Any:
        """The same, timed."""
        start = time.perf_counter()
        found = await super().ask(method, path, body, head)
        kind = "vote" if method == "POST" else "question" if path.endswith("/now") else "page"
        self.times[kind].append(time.perf_counter() - start)
        return found


async def _votes(phone: Timed, vote: str, draw: random.Random, done: Counter[str]) -> None:
    """One phone's vote of one question, and what may go wrong with it."""
    await asyncio.sleep(draw.random() * WINDOW)
    happens = {what: draw.random() < share for what, share in SHARES.items()}
    if happens["reconnects"]:
        phone.lose()
    if happens["nonsense"]:
        code, _, _ = await phone.ask("POST", f"{phone.path}/vote", b"no vote at all")
        done["refused"] += code == 400
    letters = [draw.choice("ABC") for _ in range(1 + happens["changes"])]
    letters += letters[-1:] * happens["twice"]
    for letter in letters:
        code = await phone.vote(vote, letter)
        done["sent"] += 1
        done["accepted"] += code == 200
    done.update(what for what, is_so in happens.items() if is_so)


async def _looks(phone: Timed, draw: random.Random, over: asyncio.Event) -> None:
    while not over.is_set():
        await asyncio.sleep(1.5 + draw.random())
        await phone.now()


async def _hall(wire: Connection, address: str, phones: int) -> None:
    times: dict[str, list[float]] = {"page": [], "question": [], "vote": []}
    done: Counter[str] = Counter()
    hall = [Timed(address, times) for _ in range(phones)]
    draws = [random.Random(n) for n in range(phones)]       # noqa: S311
    loop = asyncio.get_running_loop()

    async def joins(phone: Timed, draw: random.Random) -> None:
        await asyncio.sleep(draw.random() * WINDOW)
        await phone.open()

    await asyncio.gather(*map(joins, hall, draws))
    wire.send(len({phone.cookie for phone in hall}))
    while await loop.run_in_executor(None, wire.recv) == "vote":
        vote = (await hall[0].now())["vote"]
        over = asyncio.Event()
        # a second connection each: the page's own asking, beside the vote
        pages = [Timed(address, times) for _ in hall]
        for page, phone in zip(pages, hall, strict=True):
            page.cookie, phone.mine = phone.cookie, None
        looks = [asyncio.create_task(_looks(*pair, over)) for pair in zip(pages, draws,
                                                                          strict=True)]
        await asyncio.gather(*(_votes(phone, vote, draw, done)
                               for phone, draw in zip(hall, draws, strict=True)))
        wire.send(dict(sorted(Counter(phone.mine for phone in hall).items())))
        await loop.run_in_executor(None, wire.recv)     # the vote is closed
        over.set()
        await asyncio.gather(*looks)
        for page in pages:
            page.lose()
    wire.send((times, dict(done)))


def hall_of(wire: Connection, address: str, phones: int) -> None:
    """A process full of phones."""
    asyncio.run(_hall(wire, address, phones))


# --- the lecture -----------------------------------------------------------------


def presses(room: Terminal, times: list[float]) -> None:
    """? and the help stands there; ? again and it is gone."""
    for words, without in ((("PageDown",), None), ((), "PageDown")):
        start = time.perf_counter()
        room.send("?", *words, without=without)
        times.append(time.perf_counter() - start)
        end = time.monotonic() + .15
        while time.monotonic() < end:
            room.read(.05)


def lecture(*words: str, data: Path) -> Terminal:
    """The slides of demo 04 at a pseudo-terminal."""
    room = Terminal("demo", "04", "--step", *words, data=data, rows=44)
    room.child.delaybeforesend = None
    room.until("1/1")
    return room


def quiet_keys(*words: str, data: Path) -> list[float]:
    """Keys at slides that nobody phones."""
    room, times = lecture(*words, data=data), list[float]()
    room.send("1\r", "Predict")
    for _ in range(KEYS):
        presses(room, times)
    room.send("q")
    room.ended()
    return times


def measured(phones: int) -> dict[str, Any]:
    """The document: what was asked, counted and timed."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        flags = ("--phones", "--address", "127.0.0.1")
        keys = {"without --phones": quiet_keys(data=data),
                "with --phones, nobody there": quiet_keys(*flags, data=data)}
        room, pressed, questions = lecture(*flags, data=data), list[float](), []
        room.send("1\r", "0 have voted")
        address = re.search(r"http://\S+", room.text)
        if not address:
            raise SystemExit(f"no address on the slide:\n{room.text}")
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        hall = multiprocessing.get_context("spawn").Process(
            target=hall_of, args=(theirs, address[0], phones))
        hall.start()
        theirs.close()                                  # its end is heard here
        joined = _when(ours, room)
        for n in QUESTIONS:
            if n != QUESTIONS[0]:
                room.send(f"{n}\r", "0 have voted")
            ours.send("vote")
            while not ours.poll():
                presses(room, pressed)
            expected = ours.recv()
            room.until(f"{sum(expected.values())} have voted")
            room.send("v", "Enter closes")
            room.send("\r", "not shown yet")
            ours.send("closed")
            questions.append(expected)
        ours.send("over")
        times, done = _when(ours, room)
        hall.join()
        room.send("q")
        room.ended()
        kept = [json.loads(line)["counts"] for line in
                (data / "votes.jsonl").read_text("utf-8").splitlines()]
    keys[f"with {phones} phones"] = pressed
    lost = sum(max(0, want.get(x, 0) - got.get(x, 0)) for want, got in
               zip(questions, kept, strict=True) for x in {*want, *got})
    double = sum(max(0, got.get(x, 0) - want.get(x, 0)) for want, got in
                 zip(questions, kept, strict=True) for x in {*want, *got})
    return {"phones": phones, "joined": joined, "questions": len(questions), "expected": questions,
            "kept": kept, "lost": lost, "double": double, "done": done,
            "seconds": {kind: spread(found) for kind, found in times.items()},
            "keys": {name: spread(found) for name, found in keys.items()}}


def _when(wire: Connection, room: Terminal) -> Any:
    """What the phones say next; the terminal is read meanwhile, or it would fill up."""
    while not wire.poll():
        room.read(.1)
    return wire.recv()


def spread(times: list[float]) -> dict[str, float]:
    """How many, and how long: the middle, the 95th and 99th of a hundred, the longest."""
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {"n": len(times), "median": statistics.median(times), "p95": cuts[94], "p99": cuts[98],
            "most": max(times)}


def tables(found: dict[str, Any]) -> str:
    """Two tables and a sentence for the page."""
    from benchmarks.readme import table

    def rows(of: dict[str, Any]) -> list[list[str]]:
        return [[name, f"{s['n']:,}", *(f"{1000 * s[k]:,.0f}" for k in
                                        ("median", "p95", "p99", "most"))]
                for name, s in of.items()]

    done, head = found["done"], "|n|median, ms|95 %|99 %|most"
    told = (f"{found['joined']} phones, {found['questions']} questions: {done['sent']:,} votes "
            f"sent, {done['accepted']:,} accepted, {done['refused']:,} malformed ones refused; "
            f"{done['reconnects']} reconnections, {done['twice']} votes sent twice, "
            f"{done['changes']} changed. {sum(sum(k.values()) for k in found['kept']):,} kept; "
            f"{found['lost']} lost, {found['double']} counted twice.")
    return "\n\n".join((told, table(f"a phone asks for {head}", rows(found["seconds"])),
                        table(f"a key at the terminal {head}", rows(found["keys"]))))


def main(phones: int, to: Path) -> None:
    """Measure, write, print."""
    document = {"machine": machine.described(threads=1),
                "versions": {"python": python_version()} | {
                    name: version(name) for name in ("uvicorn", "starlette", "h11")},
                **measured(phones)}
    to.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(tables(document))


if __name__ == "__main__":
    reader = argparse.ArgumentParser()
    reader.add_argument("--phones", type=int, default=300)
    reader.add_argument("--to", type=Path, default=RESULT)
    asked = reader.parse_args()
    main(asked.phones, asked.to)
