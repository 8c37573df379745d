"""Does the course hold in a browser, without a network, and what does it take?

`python -m benchmarks.live [04 …] [--runtime FOLDER] [--openings]`

All demos in one page, opened from the disk by headless Chromium with the network off. Every part
is run by its button; the text that was drawn by the terminal's Python and the one drawn by the
browser's are compared line by line. Then the whole guard (claims, controls, pins, votes, errata,
the recorded screens) is run inside the same page. Beside it: how long from opening a file until the
first part of demo 04 stands there, the memory of the page's process, and the size of each file.

Firefox is driven by its own protocol where `firefox-esr` is installed: the same page, every part.
"""

from __future__ import annotations

import argparse
import base64
import importlib.util
import io
import json
import os
import platform
import re
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import machine
from demos import Entry, find
from lecture import TOP
from lecture.prove.screens import last_digit_only
from lecture.report import Result
from lecture.show import live, present
from tests import browser
from tests.show.test_page import CHROMIUM, FLAGS

RESULT = Path(__file__).with_suffix(".json")
OPENINGS = 5                            # times a file is opened afresh
PATIENT = 1_800_000                     # ms for the slowest demo's guard
GUARD = ("pins.json", "screen.zh.txt", "screen.en.txt", "MANIFEST.json")
# the words of a part as they stand in the page, one entry an element
LINES = """(id) => [...document.querySelectorAll(`#${id} .live-body :is(p, li, td, th, caption,
  figcaption, summary, h3, pre, text)`)].map((e) => e.textContent.replace(/\\s+/g, " ").trim())"""
CHECK = """
import json, time
from demos import find
from lecture.prove import check
entry, began = find({code!r})[0], time.monotonic()
outcomes = list(check.check(entry))
changes = check.check_screens(entry, outcomes)
json.dumps(dict(seconds=time.monotonic() - began,
    counts={{key: sum(o.counts.get(key, 0) for o in outcomes)
            for key in ("claims", "controls", "pins", "questions", "errata")}},
    problems=[f"{{p.place}}: {{p.what}}" for o in outcomes for p in o.problems],
    changed=[str(c) for c in changes if not c.note], notes=[str(c) for c in changes if c.note]))
"""


def with_guard() -> str:
    """Python that puts into the page what only the guard needs: pins, screens, weights, rich."""
    stream = io.BytesIO()
    top = Path(TOP)
    rich = Path(importlib.util.find_spec("rich").submodule_search_locations[0])   # type: ignore
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(top / "console.py", "console.py")
        for path in (top / "demos").rglob("*"):
            if path.name in GUARD or path.suffix == ".safetensors":
                archive.write(path, path.relative_to(top).as_posix())
        for path in rich.rglob("*.py"):
            archive.write(path, f"rich/{path.relative_to(rich).as_posix()}")
    letters = base64.b64encode(stream.getvalue()).decode()
    return ("import base64, io, zipfile\n"
            f"zipfile.ZipFile(io.BytesIO(base64.b64decode('{letters}'))).extractall('/course')")


def resident(process: int) -> int:
    """The most memory a process ever held, in bytes (Linux tells it)."""
    text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(re.findall(r"VmHWM:\s+(\d+) kB", text)[0]) * 1024


def renderers(root: int) -> Iterator[int]:
    """The processes of a browser that hold pages."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2]
                                            .split()[1])
        except OSError:
            continue
    for process in parents:
        up = process
        while up in parents and up != root:
            up = parents[up]
        try:
            if up == root and b"--type=renderer" in Path(f"/proc/{process}/cmdline").read_bytes():
                yield process
        except OSError:
            continue


class Watched:
    """A page with the network off, and all it said or asked for."""

    def __init__(self, chromium: Any, path: Path) -> None:
        self.context = chromium.new_context(offline=True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENT)
        self.told: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda m: self.told.append(m.text))
        self.page.on("pageerror", lambda e: self.told.append(str(e)))
        self.page.on("request", lambda r: self.asked.append(r.url))
        self.page.goto(path.as_uri())
        self.path = path

    def run(self, id_: str) -> str:
        """Press a part's button, wait, and return what its bar says (in English)."""
        bar = self.page.locator(f"#{id_} form.live-bar")
        bar.locator("button[type=submit]").click()
        self.page.locator(f"#{id_} form[data-state=done]").wait_for()
        return str(bar.locator("output .en").all_text_contents()[0])

    def requests(self) -> list[str]:
        """What was asked for beside the file itself; a blob is in the page."""
        return [u for u in self.asked if u != self.path.as_uri() and not u.startswith("blob:")]


def first_part(chromium: Any, path: Path) -> dict[str, float]:
    """Seconds from opening the file to its text, and to its first part computed."""
    began = time.monotonic()
    watched = Watched(chromium, path)
    shown = time.monotonic() - began
    watched.run("d04-1")
    found = {"shown": shown, "computed": time.monotonic() - began,
             "memory_bytes": max(map(resident, renderers(os.getpid())))}
    watched.context.close()
    return found


def differences(before: list[str], after: list[str]) -> dict[str, list[str]]:
    """Lines that differ, apart: in a last digit only, or else."""
    if len(before) != len(after):
        return {"notes": [], "changed": [f"{len(before)} lines are {len(after)}"]}
    found: dict[str, list[str]] = {"notes": [], "changed": []}
    for one, two in zip(before, after, strict=True):
        if one != two:
            found["notes" if last_digit_only(one, two) else "changed"].append(f"{one} -> {two}")
    return found


def swept(chromium: Any, path: Path, runs: list[tuple[Entry, list[Result]]]) -> dict[str, Any]:
    """Every part by its button, then the guard; by demo."""
    watched, demos = Watched(chromium, path), {}
    for entry, results in runs:
        row: dict[str, Any] = {"parts": len(results), "held": 0, "claims": 0, "seconds": [],
                               "notes": [], "changed": []}
        for result in results:
            id_ = f"d{entry.code}-{result.part.number}"
            before = watched.page.evaluate(LINES, id_)
            began = time.monotonic()
            said = watched.run(id_)
            row["seconds"].append(time.monotonic() - began)
            told = re.match(r"(\d+) of (\d+) claims hold", said)
            if told is None:
                row["changed"].append(f"{id_}: {said}")
                continue
            row["held"] += int(told[1])
            row["claims"] += int(told[2])
            for kind, lines in differences(before, watched.page.evaluate(LINES, id_)).items():
                row[kind] += [f"{id_}: {line}" for line in lines]
        demos[entry.code] = row
        print(entry.code, row, flush=True)
    watched.page.evaluate("(code) => lecture.python(code)", with_guard())
    for entry, _ in runs:
        code = CHECK.format(code=entry.code)
        demos[entry.code]["guard"] = json.loads(
            watched.page.evaluate("(code) => lecture.python(code)", code))
        print(entry.code, demos[entry.code]["guard"], flush=True)
    most = max(map(resident, renderers(os.getpid())))
    found = {"demos": demos, "memory_bytes": most, "said": watched.told,
             "requests": watched.requests()}
    watched.context.close()
    return found


# --- Firefox ----------------------------------------------------------------------

PORT = 28_281
PREFERENCES = {"marionette.port": PORT, "network.proxy.type": 1, "network.proxy.http": "127.0.0.1",
               "network.proxy.http_port": 9, "network.proxy.ssl": "127.0.0.1",
               "network.proxy.ssl_port": 9, "browser.shell.checkDefaultBrowser": False}
PRESS = """const [id, done] = arguments, bar = document.querySelector(`#${id} form.live-bar`);
bar.querySelector("button[type=submit]").click();
const timer = setInterval(() => { if (bar.dataset.state !== "done") return;
  clearInterval(timer); done(bar.querySelector("output").textContent); }, 50);"""


class Marionette:
    """Firefox's own protocol: a length, a colon, JSON; one command at a time."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + 60
        while True:
            try:
                self.wire = socket.create_connection(("127.0.0.1", PORT), timeout=PATIENT / 1000)
                break
            except OSError:
                if time.monotonic() > end or process.poll() is not None:
                    raise
                time.sleep(.3)
        self.file, self.last = self.wire.makefile("rb"), 0
        self.read()

    def read(self) -> Any:
        size = b""
        while (letter := self.file.read(1)) != b":":
            size += letter
        return json.loads(self.file.read(int(size)))

    def ask(self, name: str, **words: Any) -> Any:
        """A command's value; RuntimeError with Firefox's own words."""
        self.last += 1
        message = json.dumps([0, self.last, f"WebDriver:{name}", words]).encode()
        self.wire.sendall(b"%d:%s" % (len(message), message))
        _, _, error, found = self.read()
        if error:
            raise RuntimeError(error["message"])
        return found.get("value")


def in_firefox(path: Path, runs: list[tuple[Entry, list[Result]]]) -> dict[str, Any] | None:
    """Every part by its button, nothing but the disk within reach; None without Firefox."""
    program = shutil.which("firefox-esr")
    if program is None:
        return None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        Path(profile, "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
            for name, value in PREFERENCES.items()), encoding="utf-8")
        process = subprocess.Popen([program, "--headless", "--marionette", "--no-remote",
                                    "--profile", profile], start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            firefox = Marionette(process)
            firefox.ask("NewSession", capabilities={})
            firefox.ask("SetTimeouts", script=PATIENT)
            firefox.ask("Navigate", url=path.as_uri())
            held = claims = 0
            failed = []
            for entry, results in runs:
                for result in results:
                    id_ = f"d{entry.code}-{result.part.number}"
                    said = firefox.ask("ExecuteAsyncScript", script=PRESS, args=[id_])
                    told = re.search(r"(\d+) of (\d+) claims hold", said)
                    if told is None or told[1] != told[2]:
                        failed.append(f"{id_}: {said}")
                    held, claims = (held + int(told[1]), claims + int(told[2])) if told else (
                        held, claims)
            agent = firefox.ask("ExecuteScript", script="return navigator.userAgent", args=[])
            return {"agent": agent, "held": held, "claims": claims, "failed": failed}
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def openings(chromium: Any, path: Path) -> dict[str, Any]:
    """A file opened several times, and how many processes wanted the machine meanwhile."""
    found = [first_part(chromium, path) for _ in range(OPENINGS)]
    return {"load": os.getloadavg()[0], "each": found}


def opened_again(folder: Path) -> dict[str, Any]:
    """The openings alone, for a machine that has become quiet."""
    from playwright.sync_api import sync_playwright

    entry = find("04")[0]
    runs = [(entry, list(present.results(entry.parts(), {}, None)))]
    with tempfile.TemporaryDirectory() as place, sync_playwright() as play:
        path = Path(place, "04.html")
        path.write_text(live.page(runs, "en", False, live.runtime(folder)), encoding="utf-8")
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        found = openings(chromium, path)
        chromium.close()
    return found


def measured(words: list[str], folder: Path) -> dict[str, Any]:
    """The document."""
    from playwright.sync_api import sync_playwright

    found = live.runtime(folder)
    entries = [entry for word in words or ["all"] for entry in find(word)]
    runs = [(entry, list(present.results(entry.parts(), {}, None))) for entry in entries]
    with tempfile.TemporaryDirectory() as place, sync_playwright() as play:
        whole, one = Path(place, "all.html"), Path(place, "04.html")
        sizes = {}
        for entry, results in runs:
            text = live.page([(entry, results)], "en", False, found)
            sizes[entry.code] = len(text.encode())
            if entry.code == "04":
                one.write_text(text, encoding="utf-8")
        whole.write_text(live.page(runs, "en", False, found), encoding="utf-8")
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        document = {"machine": machine.described(1), "load": os.getloadavg()[0],
                    "versions": {"python": platform.python_version(),
                                 "chromium": chromium.version, "pyodide": found.version,
                                 "numpy in the page": found.numpy}, "bytes": sizes,
                    "bytes_all": whole.stat().st_size,
                    "openings": openings(chromium, one) if one.exists() else None}
        print(document, flush=True)
        document |= swept(chromium, whole, runs)
        chromium.close()
        document["firefox"] = in_firefox(whole, runs)
    return document


def tables(found: dict[str, Any]) -> str:
    """The tables of benchmarks/README.md."""
    from benchmarks.readme import table

    rows = []
    for code, row in found["demos"].items():
        guard = row["guard"]
        rows.append([code, f"{row['held']} of {row['claims']}", str(guard["counts"]["controls"]),
                     str(guard["counts"]["pins"]), str(len(guard["problems"])),
                     f"{len(row['changed']) + len(guard['changed'])}",
                     f"{len(row['notes']) + len(guard['notes'])}",
                     f"{max(row['seconds']):.1f}", f"{found['bytes'][code] / 1e6:.1f} MB"])
    fox = found["firefox"]
    openings = found["openings"] or {"load": 0.0, "each": [dict.fromkeys(
        ("computed", "shown", "memory_bytes"), 0.0)]}
    first = [one["computed"] for one in openings["each"]]
    shown = [one["shown"] for one in openings["each"]]
    one_demo = max(one["memory_bytes"] for one in openings["each"])
    named = found["versions"]
    return (f"Chromium {named['chromium']}, Pyodide {named['pyodide']}, NumPy "
            f"{named['numpy in the page']}; "
            f"{len(found['requests'])} requests, {len(found['said'])} lines in its console.\n\n"
            + table("demo|claims that hold|controls|pins|problems|lines changed|last digits|"
                    "slowest part, s|its file", rows)
            + "\n\n" + table("|", [
                ["all demos in one file", f"{found['bytes_all'] / 1e6:.1f} MB"],
                ["opened until its text stands there", f"{statistics.median(shown):.1f} s"],
                ["opened until 04.1 is computed, median", f"{statistics.median(first):.1f} s"],
                ["least to most of the openings", f"{min(first):.1f} to {max(first):.1f} s"],
                ["processes that wanted the two cores meanwhile", f"{openings['load']:.1f}"],
                ["most memory of the page's process, 04.1", f"{one_demo / 1e6:,.0f} MB"],
                ["most memory of the page's process, all demos and the guard",
                 f"{found['memory_bytes'] / 1e6:,.0f} MB"],
                ["claims that hold in Firefox " + (
                    fox["agent"].rpartition("/")[2] if fox else "(not installed)"),
                 f"{fox['held']} of {fox['claims']}" if fox else "-"]]))


def main() -> None:
    """Measure, write the JSON, print the tables."""
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("demos", nargs="*")
    words.add_argument("--runtime", type=Path)
    words.add_argument("--openings", action="store_true", help="measure these anew, keep the rest")
    asked = words.parse_args()
    if not CHROMIUM or shutil.which(CHROMIUM) is None:
        raise SystemExit("Chromium is missing (apt-get install chromium)")
    folder = asked.runtime or (browser.place() if browser.there() else browser.fetch())
    if asked.openings:
        found = json.loads(RESULT.read_text(encoding="utf-8")) | {"openings": opened_again(folder)}
    else:
        found = measured(asked.demos, folder)
    print(tables(found))
    if not asked.demos:
        RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
