"""A telephone, as far as the course meets one: a connection, a cookie, three requests."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Coroutine
from typing import Any, TypeVar
from urllib.parse import urlsplit

X = TypeVar("X")


class Phone:
    """One device: opens the page, asks for the question, votes; it may lose its connection."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.port, self.path = parts.hostname or "", parts.port or 80, parts.path
        self.cookie = ""
        self.mine: str | None = None
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: bytes = b"",
                  head: str = "") -> tuple[int, dict[str, str], bytes]:
        """One request on the connection there is: code, headers, body.

        One that was closed meanwhile is opened anew, once, as a browser does.
        """
        kept = self._ends is not None
        try:
            return await self._ask(method, path, body, head)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.lose()
            if not kept:
                raise
            return await self._ask(method, path, body, head)

    async def _ask(self, method: str, path: str, body: bytes,
                   head: str) -> tuple[int, dict[str, str], bytes]:
        if self._ends is None:
            self._ends = await asyncio.open_connection(self.host, self.port)
        reader, writer = self._ends
        cookie = f"Cookie: {self.cookie}\r\n" if self.cookie else ""
        length = f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
        writer.write((f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{cookie}"
                      f"{length}{head}\r\n").encode() + body)
        await writer.drain()
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in
                   (line.partition(": ") for line in lines if line)}
        found = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.lose()
        return int(first.split()[1]), headers, found

    def lose(self) -> None:
        """The connection is gone; the device's number stays."""
        if self._ends:
            self._ends[1].close()
        self._ends = None

    def alone(self, what: Coroutine[Any, Any, X]) -> X:
        """One thing in a loop of its own, and the connection lost after it."""
        async def then_lose() -> X:
            try:
                return await what
            finally:
                self.lose()

        return asyncio.run(then_lose())

    async def open(self) -> int:
        """Open the page, as the camera does; keep the number it gives."""
        code, headers, _ = await self.ask("GET", self.path)
        found = re.match(r"device=[^;]+", headers.get("set-cookie", ""))
        self.cookie = found[0] if found else self.cookie
        return code

    async def now(self) -> dict[str, Any]:
        """What the page shows now."""
        _, _, body = await self.ask("GET", f"{self.path}/now")
        document: dict[str, Any] = json.loads(body)
        return document

    async def vote(self, vote: str, letter: str) -> int:
        """Send a vote; the code of the answer."""
        code, _, _ = await self.ask("POST", f"{self.path}/vote",
                                    json.dumps({"vote": vote, "letter": letter}).encode())
        self.mine = letter if code == 200 else self.mine
        return code
