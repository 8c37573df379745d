"""The phones' server: what it answers to whom, what it refuses, how exactly it counts."""

from __future__ import annotations

import asyncio
import json
import random
import re
import socket
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from lecture.errors import SetupProblem, UsageProblem
from lecture.show import ballots, phones
from lecture.show.phones import Desk, Rates, opened
from lecture.show.polls import Answer, Asked, Poll
from tests.conftest import ROOT
from tests.phone import Phone
from tests.terminal import Terminal

HOST = "192.0.2.7:8040"
QUESTION = Asked("04.lookup.0", {"zh": "问", "en": "<b>which & why</b>"},
                 [{"zh": x, "en": x} for x in ("zero", "forty", "thirty")])


class Caller:
    """Calls the application itself: no socket, no server."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.poll = Poll()
        self.desk = Desk(self.poll, (HOST,), "zh")
        self.app, self.token = self.desk.app(), self.desk.token
        self.clock = 1000.0
        monkeypatch.setattr(phones.time, "monotonic", lambda: self.clock)

    def __call__(self, method: str, path: str, body: bytes | list[bytes] = b"", cookie: str = "",
                 host: str = HOST, client: str = "192.0.2.9", **headers: str):
        """Code, headers and body of one request."""
        pieces = [body] if isinstance(body, bytes) else body
        head = {"host": host, **headers} | ({"cookie": cookie} if cookie else {})
        if isinstance(body, bytes) and method == "POST":
            head.setdefault("content-length", str(len(body)))
        scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1",
                 "method": method, "path": path, "raw_path": path.encode(), "root_path": "",
                 "query_string": b"", "scheme": "http", "client": (client, 1),
                 "headers": [(k.replace("_", "-").encode(), v.encode("latin-1"))
                             for k, v in head.items()]}
        sent: list[Any] = []

        async def receive() -> Any:
            more = len(pieces) > 1
            return {"type": "http.request", "body": pieces.pop(0) if pieces else b"",
                    "more_body": more}

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))
        return (sent[0]["status"], {k.decode(): v.decode() for k, v in sent[0]["headers"]},
                b"".join(m.get("body", b"") for m in sent[1:]))

    def joined(self) -> str:
        """The cookie of one more device."""
        _, headers, _ = self("GET", f"/{self.token}")
        return headers["set-cookie"].partition(";")[0]

    def vote(self, cookie: str, letter: str, vote: str = "04.lookup.0.1", **more: Any) -> int:
        body = json.dumps({"vote": vote, "letter": letter}).encode()
        code, _, _ = self("POST", f"/{self.token}/vote", body, cookie, **more)
        return code

    def now(self, cookie: str = "") -> dict[str, Any]:
        return json.loads(self("GET", f"/{self.token}/now", cookie=cookie)[2])


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Caller:
    return Caller(monkeypatch)


def test_the_page_is_small_runs_its_own_script_alone_and_gives_one_number(call: Caller) -> None:
    code, headers, body = call("GET", f"/{call.token}")
    text = body.decode()
    assert code == 200 and len(body) < 10_000
    assert not re.search(r"""src=|https?://|@import|url\(|<link(?! rel="icon" href="data:)""", text)
    assert "innerHTML" not in text and "document.write" not in text
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert re.fullmatch(r"device=[0-9a-f]{32}\.[0-9a-f]{32}; HttpOnly; Path=/\w{10}; "
                        "SameSite=strict", headers["set-cookie"])
    assert headers["cache-control"] == "no-store" and "server" not in headers
    again = call("GET", f"/{call.token}", cookie=headers["set-cookie"].partition(";")[0])
    assert "set-cookie" not in again[1]                 # it has one
    small = call("GET", f"/{call.token.lower()}")
    assert small[0] == 307 and small[1]["location"] == f"/{call.token}"


def test_one_vote_a_device_changeable_until_closed(call: Caller) -> None:
    ann, bob = call.joined(), call.joined()
    assert call.now(ann) == {"state": "wait"} and call.vote(ann, "A") == 409
    call.poll.ask(QUESTION)
    assert call.now(ann)["prompt"]["en"] == "<b>which & why</b>"
    assert [call.vote(ann, x) for x in "ABB"] == [200] * 3
    assert call.vote(bob, "C") == 200
    assert call.poll.voted() == 2 and call.poll.counts() == {"B": 1, "C": 1}
    assert (call.now(ann)["mine"], call.now(bob)["mine"], call.now()["mine"]) == ("B", "C", None)
    assert call.poll.close() == {"B": 1, "C": 1}
    assert call.vote(ann, "A") == 409 and call.poll.counts() == {"B": 1, "C": 1}
    call.poll.ask(QUESTION, 2)                          # the second round begins with nobody
    assert call.poll.voted() == 0 and call.now(ann)["mine"] is None
    assert call.vote(ann, "A") == 409                   # a page that still shows the first
    assert call.vote(ann, "C", "04.lookup.0.2") == 200
    call.poll.close()
    misread = {"A": {"zh": "误", "en": "takes"}, "C": {"zh": "错", "en": "mistakes"}}
    call.poll.reveal(QUESTION.key, Answer("B", {"zh": "因", "en": "so"}, misread))
    told = call.now(ann)
    assert (told["state"], told["right"], told["misread"]) == ("answer", "B", misread["C"])


def test_no_phone_is_told_of_others(call: Caller) -> None:
    call.poll.ask(QUESTION)
    ann = call.joined()
    before = call.now(ann)
    for letter in "AAB":
        assert call.vote(call.joined(), letter) == 200
    assert call.now(ann) == before                      # no count, no distribution
    call.poll.close()
    assert call.now(ann) == before | {"state": "closed"}


@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b"null", b"\xff\xfe", b"{}", b'{"vote": 1, "letter": "A"}',
    b'{"vote": "04.lookup.0.1"}', b'{"vote": "04.lookup.0.1", "letter": "AB"}',
    b'{"vote": "04.lookup.0.1", "letter": ""}', b'{"vote": "04.lookup.0.1", "letter": "D"}',
    b'{"vote": "04.lookup.0.1", "letter": "a"}', b'{"vote": "04.lookup.0.1", "letter": ["A"]}',
    b"[" * 250], ids=repr)
def test_what_is_no_vote_is_refused_and_counts_nothing(call: Caller, body: bytes) -> None:
    call.poll.ask(QUESTION)
    code, _, told = call("POST", f"/{call.token}/vote", body, call.joined())
    assert code == 400 and len(told) < 60 and call.poll.voted() == 0


def test_too_large_is_refused_before_it_is_read(call: Caller) -> None:
    call.poll.ask(QUESTION)
    good = json.dumps({"vote": "04.lookup.0.1", "letter": "A"}).encode()
    ann, path = call.joined(), f"/{call.token}/vote"
    assert call("POST", path, good + b" " * 300, ann)[0] == 413
    assert call("POST", path, b"", ann, content_length="9" * 5000)[0] == 413
    assert call("POST", path, b"", ann, content_length="-1")[0] == 413
    pieces = [b" " * 100] * 50
    assert call("POST", path, pieces, ann)[0] == 413 and len(pieces) == 47
    assert call.poll.voted() == 0
    assert call("POST", path, [good[:9], good[9:]], ann)[0] == 200


@pytest.mark.parametrize("path", ["/", "/x", "/{other}", "/{other}/now", "/{token}/votes",
                                  "/{token}/now/", "/{token}x", "/中", "//{token}"])
def test_a_wrong_token_or_path_is_not_found_and_told_no_more(call: Caller, path: str) -> None:
    other = "0" * 10 if call.token != "0" * 10 else "1" * 10
    code, headers, body = call("GET", path.format(token=call.token, other=other))
    assert code in (404, 307) and call.token not in body.decode()
    assert "set-cookie" not in headers
    assert code == 404 or path == "/{token}/now/"
    method = call("DELETE", f"/{call.token}")
    assert method[0] == 405 and b"Trace" not in method[2]


def test_another_host_gets_nothing(call: Caller) -> None:
    """A foreign page whose name was pointed at this machine cannot speak to it."""
    for host in ("evil.example", "192.0.2.7", "192.0.2.7:80", ""):
        assert call("GET", f"/{call.token}", host=host)[0] == 404


@pytest.mark.parametrize("cookie", ["", "device=", "device=1", "device=é",
                                    "device=" + "0" * 32 + "." + "0" * 32,
                                    "device=" + "a" * 4000, "other=1"], ids=repr)
def test_a_number_that_we_did_not_give_has_no_vote(call: Caller, cookie: str) -> None:
    call.poll.ask(QUESTION)
    assert call.vote(cookie, "A") == 403 and call.poll.voted() == 0


def test_nobody_votes_in_another_s_name(call: Caller) -> None:
    call.poll.ask(QUESTION)
    ann = call.joined()
    number = ann.partition(".")[0]
    assert call.vote(number, "A") == call.vote(number + "." + "1" * 32, "A") == 403
    elsewhere = Desk(call.poll, (HOST,), "zh")          # the seal of another lecture
    assert call.vote(f"device={elsewhere._sealed('1' * 32)}", "A") == 403


def test_too_fast_is_told_to_wait_and_hurts_no_other(call: Caller) -> None:
    call.poll.ask(QUESTION)
    ann, bob = call.joined(), call.joined()
    codes = [call.vote(ann, "AB"[n % 2]) for n in range(40)]
    assert codes == [200] * 30 + [429] * 10
    assert call.vote(bob, "C") == 200 and call.poll.counts() == {"B": 1, "C": 1}
    call.clock += 1.0
    assert [call.vote(ann, "A") for _ in range(8)] == [200] * 6 + [429] * 2
    most = phones.OF_AN_ADDRESS[0]
    codes = [call("GET", "/guess", client="192.0.2.66")[0] for _ in range(most + 5)]
    assert codes == [404] * most + [429] * 5            # tokens are not tried without end
    assert call.vote(bob, "A") == 200


def test_rates_forget_the_oldest_and_never_grow() -> None:
    rates = Rates(2, 1.0)
    assert [rates.allows("a", 0.0) for _ in range(3)] == [True, True, False]
    assert rates.allows("a", 1.0) and not rates.allows("a", 1.0)
    for n in range(3 * phones.REMEMBERED):
        rates.allows(str(n), 1.0)
    assert len(rates._level) == phones.REMEMBERED


def test_a_hall_is_bounded(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    from lecture.show import polls

    monkeypatch.setattr(polls, "MOST_DEVICES", 3)
    call.poll.ask(QUESTION)
    devices = [call.joined() for _ in range(4)]
    assert [call.vote(d, "A") for d in devices] == [200] * 3 + [503]
    assert call.vote(devices[0], "B") == 200            # whoever is in may change


# --- over the loopback address --------------------------------------------------------


async def _hall(address: str, poll: Poll, seed: int) -> None:
    """Forty phones at once: some reconnect, some send nonsense, some twice, some change."""
    draw = random.Random(seed)
    hall = [Phone(address) for _ in range(40)]
    assert set(await asyncio.gather(*(p.open() for p in hall))) == {200}
    assert len({p.cookie for p in hall}) == 40

    async def one(phone: Phone, n: int) -> None:
        vote = (await phone.now())["vote"]
        for k in range(1 + n % 3):
            if n % 4 == 1:
                phone.lose()
            if n % 5 == 2:
                code, _, _ = await phone.ask("POST", f"{phone.path}/vote", b'{"vote": ')
                assert code == 400
            letter = draw.choice("ABC")
            assert await phone.vote(vote, letter) == 200
            if n % 7 == k:                              # the same one again, as a retry does
                phone.lose()
                assert await phone.vote(vote, letter) == 200

    await asyncio.gather(*(one(p, n) for n, p in enumerate(hall)))
    assert all([(await p.now())["mine"] == p.mine for p in hall])
    assert poll.counts() == dict(sorted(Counter(p.mine for p in hall).items()))
    assert poll.voted() == 40
    for phone in hall:
        phone.lose()


def test_forty_phones_are_counted_exactly() -> None:
    with opened("127.0.0.1", "zh") as line:
        for round in (1, 2):
            line.poll.ask(QUESTION, round)
            asyncio.run(_hall(line.address, line.poll, round))
            line.poll.close()


def test_a_head_without_end_and_what_is_no_http_are_turned_away() -> None:
    with opened("127.0.0.1", "zh") as line:
        line.poll.ask(QUESTION)
        phone = Phone(line.address)
        phone.alone(phone.open())
        for noise in (b"GET /" + b"a" * 20_000, b"\x00\x16\x03\x01" * 99 + b"\r\n\r\n",
                      b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 5000):
            with socket.create_connection((phone.host, phone.port), 30) as wire:
                wire.sendall(noise)
                with_end = b""
                try:
                    while piece := wire.recv(4096):
                        with_end += piece
                except ConnectionResetError:
                    pass
                assert b" 400 " in with_end.partition(b"\r\n")[0] or not with_end
        assert phone.alone(phone.vote("04.lookup.0.1", "A")) == 200
        assert line.poll.counts() == {"A": 1}


def test_it_listens_on_the_chosen_address_alone_and_only_meanwhile(capfd) -> None:
    with opened("127.0.0.1", "zh") as line:
        port = Phone(line.address).port
        socket.create_connection(("127.0.0.1", port), 30).close()
        with pytest.raises(OSError):                    # another address of this machine
            socket.create_connection(("127.0.0.2", port), 30).close()
        with opened("127.0.0.1", "zh") as other:        # a second lecture: another port and token
            assert Phone(other.address).port != port
            assert other.address.split("/")[-1] != line.address.split("/")[-1]
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), 30).close()
    assert capfd.readouterr() == ("", "")               # not a word on the terminal


@pytest.mark.parametrize("address", ["0.0.0.0", "::",     # noqa: S104
                                      "224.0.0.1", "lecture", "", "127.0.0.1:80",
                                     "192.0.2.55"])
def test_an_address_that_is_not_one_of_ours_is_refused(address: str) -> None:
    with pytest.raises((UsageProblem, SetupProblem)) as told:
        phones.listening(address)
    assert told.value.what and told.value.todo


def test_a_machine_without_a_network_is_told_what_remains(monkeypatch) -> None:
    monkeypatch.setattr(phones, "addresses", lambda: [])
    with pytest.raises(SetupProblem, match="no address"):
        phones.listening(None)


@pytest.mark.parametrize(("words", "code", "told"), [
    (["--phones"], 2, "add --step"), (["--address", "127.0.0.1"], 2, "add --phones"),
    (["--phones", "--step"], 3, "pip install")])
def test_what_is_missing_is_said_in_two_lines(words: list[str], code: int, told: str) -> None:
    probe = ("import sys; sys.modules['segno'] = None\nimport cli\n"
             f"sys.exit(cli.main({['demo', '04', '--part', '1', *words]!r}))")
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, text=True, capture_output=True)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr and len(done.stderr.splitlines()) == 2


def test_without_a_terminal_nothing_listens(lecture) -> None:
    plain = lecture("demo", "04", "--part", "1")
    done = lecture("demo", "04", "--part", "1", "--step", "--phones", input=b"")
    assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, b"")


def test_the_doctor_says_what_a_campus_network_may_forbid(monkeypatch) -> None:
    from lecture.show import doctor

    found = doctor._phones(asked=False)
    assert any("client isolation" in f.found for f in found) or "no address" in found[0].found
    monkeypatch.setattr(phones, "addresses", lambda: ["192.0.2.7", "192.0.2.8"])
    found = doctor._phones(asked=True)
    assert "192.0.2.7" in found[0].found and "--address" in found[0].found
    assert not any(f.todo for f in found) and all(f.found.isascii() for f in found)
    monkeypatch.setattr(phones, "find_spec", lambda name: None)
    assert doctor._phones(asked=False) == [] and "pip" in doctor._phones(asked=True)[0].todo


# --- at the terminal -----------------------------------------------------------------


def _say(address: str, letters: str, hall: list[Phone]) -> None:
    async def all_of_them() -> None:
        while len(hall) < len(letters):
            hall.append(Phone(address))
            assert await hall[-1].open() == 200
        vote = (await hall[0].now())["vote"]
        hall[0].lose()
        for phone, letter in zip(hall, letters, strict=True):
            assert await phone.vote(vote, letter) == 200
            phone.lose()

    asyncio.run(all_of_them())


def _address(room: Terminal) -> str:
    found = re.search(r"http://\S+", room.text)
    assert found, room.text
    return found[0]


def _kept(folder: Any) -> list[tuple[int, Any]]:
    lines = (folder / ballots.FILE).read_text("utf-8").splitlines()
    return [(one["round"], one["counts"]) for one in map(json.loads, lines)]


def test_two_rounds_by_phone_on_the_slides(tmp_path) -> None:
    room = Terminal("demo", "04", "--step", "--phones", "--address", "127.0.0.1",
                    data=tmp_path, rows=44)
    room.until("1/1", without="have voted")             # the title asks nobody
    room.send("v", "no vote on this slide")
    room.send("p", "http://")
    room.send("p", without="http://")
    room.send("1\r", "Predict", "0 have voted", "http://")
    hall: list[Phone] = []
    _say(_address(room), "BBBAC", hall)
    room.until("5 have voted")
    assert "60%" not in room.text and "3" not in room.status.split("have voted")[0][-6:]
    room.send("v", "5 have voted. Enter closes")
    room.send("\r", "5 votes, not shown yet")
    assert hall[0].alone(hall[0].now())["state"] == "closed"
    room.send("v", "0 have voted. Enter closes")
    room.send("\r", "Nobody has voted yet")
    _say(_address(room), "CCCAC", hall)
    room.send("p", "http://", without="Predict")
    room.send("p", "Predict", "5 have voted")
    for _ in range(5):                                  # going on closes it too
        room.send("\r")
        room.quiet()
    room.until("Answer C", "20%", "80%")
    told = hall[0].alone(hall[0].now())
    assert (told["state"], told["right"], told["mine"]) == ("answer", "C", "C")
    assert _kept(tmp_path) == [(1, {"A": 1, "B": 3, "C": 1}), (2, {"A": 1, "C": 4})]
    room.send("q")
    assert room.ended() == 0
    assert not (tmp_path / ballots.FILE).read_text().count("device")
    with pytest.raises(OSError):
        socket.create_connection((hall[0].host, hall[0].port), 30).close()


def test_a_typed_tally_stands_in_place_of_the_phones(tmp_path) -> None:
    room = Terminal("demo", "04", "--step", "--part", "1", "--phones", "--address", "127.0.0.1",
                    data=tmp_path, rows=44)
    room.until("0 have voted")
    _say(_address(room), "BB", [])
    room.until("2 have voted")
    room.send("v", "Enter closes")
    room.send("A 12 B 30\r", "42 votes")
    room.send("v", "0 have voted. Enter closes")
    room.send("C 42\r", "42 votes the second time")
    room.send("\x03")
    assert room.ended() == 130
    assert "--phones" in room.raw and "--address 127.0.0.1" in room.raw
    assert _kept(tmp_path) == [(1, {"A": 12, "B": 30}), (2, {"C": 42})]


def test_at_the_prompt_enter_takes_the_phones_votes(tmp_path) -> None:
    room = Terminal("demo", "04", "--ask", "--part", "1", "--phones", "--address", "127.0.0.1",
                    data=tmp_path, rows=90)
    room.until("Type A-D", "Phones vote too")
    hall: list[Phone] = []
    _say(_address(room), "BBC", hall)
    room.send("\r", "After the discussion")
    _say(_address(room), "CCC", hall)
    room.send("\r", "Answer C", "33%", "100%")
    assert room.ended() == 0
    assert _kept(tmp_path) == [(1, {"B": 2, "C": 1}), (2, {"C": 3})]
