"""How is code that nobody has read run so that the command ends, whatever it does?

In a process of its own, with a limit on time, memory and output; what it finds comes back through
a pipe as JSON, piece by piece, and is judged by the process that asked. When it is over the whole
group of processes is killed, and whatever else still carries the mark in its environment.

That guards against accidents: an endless loop, a list without end, a file overwritten. It is no
jail. The code runs with the user's rights, and whoever wants to can get round all of this.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from lecture.errors import LectureError, SetupProblem, shown
from lecture.prove.attempt import Piece, Tried, assembled

MEMORY = 2 * 2**30                  # bytes of data a student's process may hold
START_UP = 60.0                     # seconds until it has begun
GRACE = 2.0                         # seconds for it to say itself where it stood
PRINTED = 4000                      # bytes of what it prints that are kept
FLOOD = 16 * 2**20                  # bytes printed after which it is stopped
DOCUMENT = 64 * 2**20               # bytes of what comes back that are read
MARK = "LECTURE_TRY"                # in the environment of everything it starts
START = ("import sys; sys.path[:0] = [p for p in sys.argv[1:] if p not in sys.path]; "
         "from lecture.prove.held import child; child()")


class Stopped(LectureError):
    """The student's code did not come to an end of its own."""

    code = 1


@dataclass
class Held:
    """What came out of the process: the attempt, what it printed, and why it was cut short."""

    tried: Tried
    printed: str = ""
    limited: bool = True                    # could its memory be limited?
    stopped: Stopped | None = None


# --- the process that asks ------------------------------------------------------


@dataclass
class _Pipe:
    """Reads a pipe to its end in a thread; keeps so much, and stops where there is far more."""

    stream: IO[bytes]
    most: int
    over: Callable[[], None]
    kept: bytearray = field(default_factory=bytearray)
    hear: Callable[[], None] = lambda: None
    seen: int = 0

    def read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while block := os.read(self.stream.fileno(), 2**16):
                self.seen += len(block)
                self.kept += block[:max(0, self.most - len(self.kept))]
                self.hear()
                if self.seen > max(self.most, FLOOD):
                    self.over()
                    return
        self.hear()


def held(text: str, demo: str, parts: Sequence[str], name: str, folder: str, seconds: float,
         progress: Callable[[str], None] = lambda at: None) -> Held:
    """A file tried in a process of its own; progress(at) hears where it stands."""
    token = secrets.token_hex(16)
    request = json.dumps({"text": text, "demo": demo, "parts": list(parts), "name": name,
                          "folder": folder, "seconds": seconds, "token": token}).encode()
    room = str(Path(__file__).resolve().parents[2])
    env = {**os.environ, MARK: token, "PYTHONIOENCODING": "utf-8"}
    env |= {n: os.environ.get(n, "1") for n in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    try:
        process = subprocess.Popen(                                     # noqa: S603
            [sys.executable, "-B", "-P", "-c", START, room], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, start_new_session=True)
    except OSError as error:
        raise SetupProblem(f"no process can be started: {error.strerror or error}",
                           "close other programs, then try again") from None
    stdin, stdout, stderr = (pipe for pipe in (process.stdin, process.stdout, process.stderr)
                             if pipe is not None)
    begun, over, flooded = threading.Event(), threading.Event(), threading.Event()

    def flood() -> None:
        flooded.set()
        over.set()
        begun.set()

    def waited() -> None:
        process.wait()
        over.set()
        begun.set()

    heard = _Pipe(stdout, DOCUMENT, flood)
    said = _Pipe(stderr, PRINTED, flood)
    done, at, mark = 0, name, f'{token} {{"at": '.encode()

    def hear() -> None:
        nonlocal done, at
        if heard.kept:
            begun.set()
        while (end := heard.kept.find(b"\n", done)) >= 0:
            line = heard.kept[done:end]
            if line.startswith(mark):
                with contextlib.suppress(ValueError):
                    at = str(json.loads(line[len(token):])["at"])[:40]
                    progress(at)
            done = end + 1

    heard.hear = hear
    readers = [threading.Thread(target=pipe.read, daemon=True) for pipe in (heard, said)]
    waiter = threading.Thread(target=waited, daemon=True)
    try:
        for thread in (*readers, waiter):
            thread.start()
        with contextlib.suppress(OSError):
            stdin.write(request)
            stdin.close()
        begun.wait(START_UP)                    # Python and NumPy are read, on a slow disk
        ended = over.wait(seconds + GRACE)
        if ended and not flooded.is_set():
            readers[0].join(GRACE)              # what it wrote before it ended
    finally:
        _end(process, token)
    for thread in readers:
        thread.join(GRACE)
    return _judged(bytes(heard.kept), token, demo, name, at, seconds,
                   None if not ended else process.returncode, flooded.is_set(),
                   said.kept.decode("utf-8", "replace"))


def _judged(raw: bytes, token: str, demo: str, name: str, at: str, seconds: float,
            code: int | None, flooded: bool, printed: str) -> Held:
    pieces, start = list[Piece](), token.encode() + b" "
    try:
        for line in raw.splitlines():
            if line.startswith(start):
                piece = json.loads(line[len(start):], parse_constant=_no_number)
                if not isinstance(piece, dict):
                    raise TypeError("a piece is an object")
                pieces.append(piece)
        tried = assembled(demo, pieces)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Held(Tried(demo, {}), printed, stopped=Stopped(
            f"{name} has answered in the course's name, and what it says cannot be read",
            "a task returns a value and leaves the rest alone"))
    limited = not any(piece.get("limited") is False for piece in pieces)
    late = next((piece["late"] for piece in pieces if "late" in piece), None)
    stopped = None
    if flooded:
        stopped = Stopped(f"{name} printed more than {FLOOD // 2**20} MB: stopped at {at}",
                          "take the print out of the loop")
    elif late is not None or code is None:
        where = f"it stood at {late}" if late else "it could not say where it stood"
        stopped = Stopped(f"{name} took longer than {seconds:g} s: stopped at {at}",
                          f"{where}; --timeout gives it more")
    elif not (tried.whole or tried.error):
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        stopped = Stopped(f"{name} ended its process {how}, at {at}",
                          "a task returns a value; it does not end the program")
    return Held(tried, printed, limited, stopped)


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


def _end(process: subprocess.Popen[bytes], token: str) -> None:
    """Nothing that it started lives on: the group, then what carries the mark."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        process.kill()
    for _ in range(50):                         # what is found may have started another meanwhile
        if not _marked(token):
            break
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)


def _marked(token: str) -> bool:
    """Kill every process with the mark in its environment; was there one?  Linux only."""
    found, mark = False, f"{MARK}={token}".encode()
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError, ValueError):
            if mark in entry.read_bytes():
                os.kill(int(entry.parent.name), signal.SIGKILL)
                found = True
    return found


# --- the process that is held -----------------------------------------------------

REFUSED = {"os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "os.exec",
           "os.startfile", "subprocess.Popen", "os.kill", "os.killpg", "os.remove", "os.rename",
           "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink", "os.chmod", "os.chown",
           "socket.connect", "socket.bind", "shutil.rmtree", "shutil.move"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def child() -> None:
    """Read one request, try the file, write what is found; then end, whatever still runs."""
    request = json.load(sys.stdin.buffer)
    out, lock, mark = os.dup(1), threading.Lock(), f"{request['token']} "
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)                               # what the student's code prints goes elsewhere

    def tell(piece: Piece) -> None:
        line = (mark + json.dumps(piece) + "\n").encode()
        with lock:
            while line:
                line = line[os.write(out, line):]

    from demos import find
    from lecture.prove.attempt import attempted

    sys.path.append(request["folder"])          # a helper beside the student's file
    sys.dont_write_bytecode = True
    tell({"limited": limit_memory()})
    sys.setrecursionlimit(2000)
    _watch(request["seconds"], request["name"], tell)
    sys.addaudithook(_refuse)
    try:
        attempted(request["text"], find(request["demo"])[0], request["parts"], request["name"],
                  tell)
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(0)


def limit_memory() -> bool:
    """A limit on this process's memory; False where the system has none to set."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    except (ImportError, AttributeError, ValueError, OSError):
        return False
    return sys.platform.startswith("linux")     # elsewhere DATA says nothing of what is mapped


def _watch(seconds: float, name: str, tell: Callable[[Piece], None]) -> None:
    """After so long, say where the main thread stands, and end."""
    main = threading.main_thread().ident

    def late() -> None:
        frame = sys._current_frames().get(main or 0)
        stack = traceback.extract_stack(frame)
        here = [f for f in stack if f.filename == name]
        at = f"line {here[-1].lineno}: {here[-1].line}" if here else ""
        tell({"late": shown(at)[:200]})
        os._exit(1)

    timer = threading.Timer(seconds, late)
    timer.daemon = True
    timer.start()


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    """No process, no file written, no connection: an accident, or nothing a task needs."""
    if event in REFUSED:
        raise PermissionError(f"a task has no need of {event}: not here")
    if event == "open" and not isinstance(args[0], int) and _for_writing(*args[1:3]):
        path = os.fspath(args[0]) if args[0] is not None else ""
        if path not in (os.devnull, os.devnull.encode()):
            raise PermissionError("a task writes no file: not here")


def _for_writing(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return bool(isinstance(flags, int) and flags & WRITES)
