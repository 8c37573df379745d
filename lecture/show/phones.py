"""How does a telephone vote?  Through a small server in the lecturer's own computer.

`lecture demo 04 --step --phones` listens on one address of this machine, for as long as the
lecture runs; nothing listens without the flag.  Whoever knows the token in the address gets one
page (templates/phone.html.j2), which asks `now` for the question and sends a letter to `vote`.
A device is known by one cookie: a random number and our seal on it, so that nobody can vote in
another's name.  No name is asked for and nothing is written to the disk.

Bounded: a request's head and body, the time it may take, requests a second of a device and of an
address, connections.  A wrong token, host or path gets the same 404.

starlette and uvicorn are the extra `phones`, and so is segno, which makes the QR code.

Left out: what the phones see (lecture/show/polls.py), where the code stands on the slide
(lecture/show/rounds.py).
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import ipaddress
import json
import logging
import re
import secrets
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lecture.errors import SetupProblem, UsageProblem
from lecture.show.polls import Poll, Refused
from lecture.show.words import PHONE

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

PORT = 8040                             # the first that is tried; any free one else
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"    # of a token: none is taken for another
TOKEN = 10                              # letters, 50 bits: guessed at 300 a second, 10^5 years
EXTRA = ("starlette", "uvicorn", "segno")
COOKIE = "device"
BODY, HEAD = 256, 4096                  # bytes
PATIENCE = 10.0                         # s for one request to arrive whole
CONNECTIONS = 1500
# (requests at once, requests a second); many phones may share one address behind a router
OF_A_DEVICE, OF_AN_ADDRESS = (30, 6.0), (2000, 400.0)
REMEMBERED = 4096                       # devices and addresses whose rate is known
TEMPLATE = Path(__file__).resolve().parent / "templates"


@dataclass(frozen=True)
class Line:
    """What a lecture needs to know of its phones."""

    poll: Poll
    address: str                        # http://192.168.1.5:8040/K3M9…
    code: Sequence[Sequence[bool]]      # the modules of its QR code, dark ones True


class Rates:
    """So many at once and so many a second, for each name; a leaky bucket (Turner 1986)."""

    def __init__(self, most: int, a_second: float) -> None:
        self.most, self.a_second = most, a_second
        self._level: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, name: str, now: float) -> bool:
        """One more, unless that is too many."""
        level, then = self._level.pop(name, (0.0, now))
        level = max(0.0, level - (now - then) * self.a_second)
        fits = level + 1 <= self.most
        self._level[name] = (level + fits, now)
        while len(self._level) > REMEMBERED:
            self._level.popitem(last=False)
        return fits


@dataclass
class Desk:
    """Who may ask what of a poll, and what they get."""

    poll: Poll
    hosts: Sequence[str]                # the Host headers that mean us
    lang: str
    token: str = field(default_factory=lambda: "".join(
        secrets.choice(LETTERS) for _ in range(TOKEN)))
    seal: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def __post_init__(self) -> None:
        self.devices, self.addresses = Rates(*OF_A_DEVICE), Rates(*OF_AN_ADDRESS)
        self.page, self.policy = page(self.lang)

    def app(self) -> Starlette:
        """The three routes; everything else is not found."""
        from starlette.applications import Starlette
        from starlette.routing import Route

        return Starlette(routes=[
            Route("/{token}", self._guarded(self._page), methods=["GET"]),
            Route("/{token}/now", self._guarded(self._now), methods=["GET"]),
            Route("/{token}/vote", self._guarded(self._vote), methods=["POST"])])

    def _guarded(self, answer: Any) -> Any:
        async def guarded(request: Request) -> Response:
            from starlette.exceptions import HTTPException

            device = self._device(request)
            address = request.client.host if request.client else ""
            now = time.monotonic()
            if not (self.addresses.allows(address, now)
                    and (device is None or self.devices.allows(device, now))):
                raise HTTPException(429, headers={"Retry-After": "1"})
            token = request.path_params["token"]
            if not (hmac.compare_digest(token.upper().encode(), self.token.encode())
                    and request.headers.get("host", "").lower() in self.hosts):
                raise HTTPException(404)
            response: Response = await answer(request, device)
            response.headers.update({
                "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer", "Content-Security-Policy": self.policy})
            return response

        return guarded

    async def _page(self, request: Request, device: str | None) -> Response:
        from starlette.responses import HTMLResponse, RedirectResponse

        if request.path_params["token"] != self.token:      # typed in small letters
            return RedirectResponse(f"/{self.token}", 307)
        response = HTMLResponse(self.page)
        if device is None:
            response.set_cookie(COOKIE, self._sealed(secrets.token_hex(16)),
                                path=f"/{self.token}", httponly=True, samesite="strict")
        return response

    async def _now(self, request: Request, device: str | None) -> Response:
        return _json(self.poll.seen_by(device))

    async def _vote(self, request: Request, device: str | None) -> Response:
        if device is None:
            return _json({"error": "device"}, 403)
        try:
            sent = json.loads(await asyncio.wait_for(_body(request), PATIENCE))
            vote, letter = sent["vote"], sent["letter"]
            if not (isinstance(vote, str) and isinstance(letter, str) and len(letter) == 1):
                raise ValueError
        except OverflowError:
            return _json({"error": "large"}, 413)
        except TimeoutError:
            return _json({"error": "slow"}, 408)
        except (ValueError, KeyError, TypeError, RecursionError):
            return _json({"error": "malformed"}, 400)
        try:
            self.poll.vote(device, vote, letter)
        except Refused as refused:
            code = {"over": 409, "letter": 400, "full": 503}[str(refused)]
            return _json({"error": str(refused)}, code)
        return _json({"mine": letter})

    def _sealed(self, number: str) -> str:
        mark = hmac.new(self.seal, number.encode(), hashlib.sha256).hexdigest()[:32]
        return f"{number}.{mark}"

    def _device(self, request: Request) -> str | None:
        """The number in a cookie that we gave."""
        given = request.cookies.get(COOKIE, "")
        number, _, _ = given.partition(".")
        same = hmac.compare_digest(given.encode("utf-8", "replace"), self._sealed(number).encode())
        return number if same else None


def _json(document: Any, code: int = 200) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse(document, code)


async def _body(request: Request) -> bytes:
    """The body, where it is small; OverflowError else, before more of it is read."""
    told = request.headers.get("content-length", "0")
    if not re.fullmatch("[0-9]{1,9}", told) or int(told) > BODY:
        raise OverflowError
    taken = b""
    async for piece in request.stream():
        taken += piece
        if len(taken) > BODY:
            raise OverflowError
    return taken


def page(lang: str) -> tuple[str, str]:
    """The one page a phone gets, and the policy that lets only its own script run."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(loader=FileSystemLoader(TEMPLATE), autoescape=True,
                              undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    words = {name: {"zh": text.zh, "en": text.en} for name, text in PHONE.items()}
    text = environment.get_template("phone.html.j2").render(lang=lang, words=words)
    marks = {}
    for tag in ("style", "script"):
        inside = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]
        mark = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        marks[tag] = f"'sha256-{mark}'"
    return text, ("default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                  f"frame-ancestors 'none'; img-src data:; style-src {marks['style']}; "
                  f"script-src {marks['script']}")


# --- the machine's addresses -----------------------------------------------------


def addresses() -> list[str]:
    """This machine's own addresses that a phone might reach, the likeliest first."""
    found = []
    # Which of ours would be used to get there; nothing is sent. The first is nobody's (RFC 5737);
    # the others are reached without a way to the world too, as on an access point alone.
    for place in ("192.0.2.1", "192.168.255.254", "10.255.255.254", "172.31.255.254"):
        with contextlib.suppress(OSError), \
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((place, 9))
            found.append(probe.getsockname()[0])
    with contextlib.suppress(OSError):
        found += [str(info[4][0]) for info in
                  socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return [a for a in dict.fromkeys(found) if not ipaddress.ip_address(a).is_loopback
            and not ipaddress.ip_address(a).is_unspecified]


def listening(address: str | None) -> socket.socket:
    """A socket bound to the address: one of this machine's, and no other."""
    if address is None:
        ours = addresses()
        if not ours:
            raise SetupProblem("this machine has no address that a phone could reach",
                               "join a network or open an access point, or name an address: "
                               "--address 192.168.1.5; a tally can still be typed")
        address = ours[0]
    try:
        given = ipaddress.ip_address(address.strip("[]"))
    except ValueError:
        raise UsageProblem(f"--address {address} is no address",
                           f"give one of this machine's: {_ours()}") from None
    if given.is_unspecified or given.is_multicast:
        raise UsageProblem(f"--address {address} means more than one",
                           f"give one of this machine's: {_ours()}")
    family = socket.AF_INET6 if given.version == 6 else socket.AF_INET
    for port in (PORT, 0):
        made = socket.socket(family, socket.SOCK_STREAM)
        try:
            if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):      # Windows: else a second may join in
                made.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind((str(given), port))
            made.listen(512)
            return made
        except OSError as error:
            made.close()
            if port == 0:
                raise SetupProblem(
                    f"cannot listen on {given}: {error.strerror or error}",
                    f"give one of this machine's addresses: {_ours()}") from None
    raise AssertionError("a free port is always tried")


def _ours() -> str:
    return ", ".join(addresses()) or "none was found; 127.0.0.1 for a try on this machine"


# --- the server ------------------------------------------------------------------


def required() -> None:
    """SetupProblem where the extra is not installed."""
    missing = [name for name in EXTRA if find_spec(name) is None]
    if missing:
        raise SetupProblem(f"--phones needs {', '.join(missing)}, not installed here",
                           "install the extra: pip install -c constraints.txt -e '.[phones]'")


@contextlib.contextmanager
def opened(address: str | None, lang: str) -> Iterator[Line]:
    """Listen for phones while the block runs."""
    required()
    import segno

    poll, door = Poll(), listening(address)
    host, port = door.getsockname()[:2]
    host = f"[{host}]" if ":" in host else host
    desk = Desk(poll, (f"{host}:{port}",), lang)
    url = f"http://{host}:{port}/{desk.token}"
    # In capitals a QR code takes less room, and neither scheme nor token minds.
    code = segno.make(url.upper(), error="l", micro=False).matrix
    with door, _served(desk, door):
        yield Line(poll, url, [[bool(module) for module in row] for row in code])


@contextlib.contextmanager
def _served(desk: Desk, door: socket.socket) -> Iterator[None]:
    """A thread with a loop of its own; it is gone when the block ends."""
    import uvicorn

    _allow_many_files()
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi"):
        logging.getLogger(name).disabled = True         # the terminal belongs to the slides
    config = uvicorn.Config(
        desk.app(), http=_protocol(), ws="none", loop="asyncio", lifespan="off", log_config=None,
        access_log=False, proxy_headers=False, server_header=False, date_header=False,
        limit_concurrency=CONNECTIONS, backlog=512, timeout_keep_alive=round(PATIENCE),
        timeout_graceful_shutdown=1, h11_max_incomplete_event_size=HEAD)
    server = uvicorn.Server(config)

    async def serve() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, told: None)
        await server.serve(sockets=[door])

    thread = threading.Thread(target=asyncio.run, args=(serve(),), name="phones", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(3)


def _protocol() -> type[asyncio.Protocol]:
    """uvicorn's own protocol, less patient: a request that dribbles in does not hold a place."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Impatient(H11Protocol):
        """Closed where no request has come to its end for a while."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.logger.disabled = True
            self.last = self.loop.time()
            self.loop.call_later(PATIENCE, self._look)

        def on_response_complete(self) -> None:
            self.last = self.loop.time()
            super().on_response_complete()

        def _look(self) -> None:
            if self.transport.is_closing():
                return
            left = self.last + 2 * PATIENCE - self.loop.time()
            if left <= 0:
                self.transport.abort()
            else:
                self.loop.call_later(left, self._look)

    return Impatient


def _allow_many_files() -> None:
    """A hall of phones needs more open connections than some systems allow at first."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        want = 4096 if hard == resource.RLIM_INFINITY else min(4096, hard)
        if soft != resource.RLIM_INFINITY and soft < want:
            resource.setrlimit(resource.RLIMIT_NOFILE, (want, hard))
