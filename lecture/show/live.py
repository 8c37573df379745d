"""How does the course run inside its own page?  By a browser's Python, from a folder one names.

The static page (page.py) with four things behind it: the core of Pyodide and NumPy's wheel, the
course's code with the weights of the chosen demos, and the scripts that start them when "run"
is pressed.  All of it stands in the one HTML file, so that it opens from a USB stick by a double
click, and nothing is asked of any network.

Each file of the runtime is checked before a demo is computed: what the runtime's own lock file
lists by the SHA-256 it gives, and its core, which no lock file lists, by the ones kept here for
the versions the course was tried with.  Another version is refused by name: nobody has seen a
claim hold there.

Left out: what runs in the page (within.py, templates/live.js, templates/live.worker.js).
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib.util
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lecture import TOP
from lecture.errors import SetupProblem, UsageProblem, harmless
from lecture.files import named
from lecture.report import LANGUAGES, T
from lecture.show.page import TEMPLATES, environment, html, view
from lecture.show.within import MINE

if TYPE_CHECKING:
    from demos import Entry
    from lecture.report import Param, Part, Result

LOCK = "pyodide-lock.json"
NUMPY = "numpy"
# Pyodide's core by version; the files of its releases and of its npm package are the same
CORE: dict[str, dict[str, str]] = {"0.27.7": {
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "pyodide.js": "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
}}
# The browser itself refuses every request the page or a student's code in it might make.
CHARSET = '<meta charset="utf-8">'
NO_NETWORK = ("""<meta http-equiv="Content-Security-Policy" content="default-src 'none'; """
              """style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; """
              """worker-src blob:">""")
# what the course's own code stands on there, taken from this installation as it is
PURE = ("jinja2", "markupsafe")
FIRST_DAY = (1980, 1, 1, 0, 0, 0)           # of every file in an archive: the same bytes each time
LEFT_OUT = ("_torch.py",)                   # what trains is of no use without torch

# What the page says of running; {name} is filled in by its script.
WORDS = {
    "run": T("运行", "Run"),
    "run_all": T("全部运行", "Run all parts"),
    "compute": T("计算", "Compute"),
    "usual": T("恢复默认", "Usual settings"),
    "stop": T("停", "Stop"),
    "seed": T("换一批数据", "other data"),
    "range": T("{low} 到 {high}", "{low} to {high}"),
    "starting": T("正在这一页里启动 Python，要几秒钟 …",
                  "Starting Python in this page, some seconds ..."),
    "waiting": T("在排队 …", "waiting for its turn ..."),
    "computing": T("正在计算 …", "computing ..."),
    "stopped": T("停了。", "Stopped."),
    "turned": T("标出的 {turned} 条变了。", "{turned} of them turned, as marked."),
    "held": T("{claims} 条里 {holds} 条成立。{seconds} 秒。",
              "{holds} of {claims} claims hold. {seconds} s."),
    "refused": T("没有算：", "Not computed:"),
    "failed": T("这一页里的 Python 停了：{why}。再按一次会重新启动；别的内容照常可读。",
                "Python stopped in this page: {why}. Press again and it starts anew; all else can "
                "be read as it is."),
    "cannot": T("这个浏览器不能在页面里运行 Python（缺 {why}）。Chrome、Edge 从 97 版起，"
                "Firefox 从 113 版起，Safari 从 16.4 版起可以。别的内容照常可读。",
                "This browser cannot run Python in a page ({why} is missing). Chrome and Edge can "
                "from version 97, Firefox from 113, Safari from 16.4. All else can be read as it "
                "is."),
    "write": T("自己写", "Write it yourself"),
    "write_how": T("写好的函数会替下我们的，由这一讲的观察来评判；没写的（只有 ...）用我们的。"
                   "一次写一个就行。",
                   "The functions you write take the place of ours, and the claims of this demo "
                   "judge them; what is not written (only ...) is ours. One at a time will do."),
    "try": T("试一试", "Try"),
    "blank": T("空白文件", "Blank file"),
    "code": T("你的函数", "Your functions"),
    "verdict": T("评判", "Verdicts"),
    "tried": T("用了 {seconds} 秒。", "{seconds} s."),
    "about": T("这一页自带 Pyodide {pyodide}（MPL 2.0）、Python 和 NumPy {numpy}：不用网络，"
               "什么也不往外传。",
               "Inside this page: Pyodide {pyodide} (MPL 2.0), Python and NumPy {numpy}. It needs "
               "no network and sends nothing."),
}


@dataclass(frozen=True)
class Runtime:
    """A browser's Python, every file of it checked: version, NumPy's, the files by name."""

    version: str
    numpy: str
    files: dict[str, bytes]
    lock: dict[str, Any]                    # of the one package that is inside


# --- the runtime ------------------------------------------------------------------


def runtime(folder: Path) -> Runtime:
    """The runtime in a folder; SetupProblem where a file is missing or is not what it must be."""
    folder = named(folder)
    try:
        lock = json.loads(_content(folder, LOCK))
        version, package = lock["info"]["version"], lock["packages"][NUMPY]
        name, told, numpy = package["file_name"], package["sha256"], package["version"]
        if not all(isinstance(word, str) for word in (version, name, told, numpy)):
            raise TypeError("a name is no text")
        if Path(name).name != name:
            raise ValueError(f"{name} lies elsewhere")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SetupProblem(f"{folder / LOCK} is no lock file of Pyodide that lists NumPy: {error}",
                           _wanted()) from None
    if version not in CORE:
        raise SetupProblem(f"{folder} holds Pyodide {version}, with which the course was never "
                           "tried", _wanted())
    files = {}
    for file, digest in {**CORE[version], name: told}.items():
        files[file] = _content(folder, file)
        found = hashlib.sha256(files[file]).hexdigest()
        if found != digest:
            raise SetupProblem(f"{folder / file} is not the file of Pyodide {version}: its SHA-256 "
                               f"is {found[:12]}, not {digest[:12]}", "copy it again")
    return Runtime(version, numpy, files, {"info": lock["info"], "packages": {NUMPY: {
        **package, "depends": [], "imports": [NUMPY]}}})


def _content(folder: Path, name: str) -> bytes:
    path = folder / name
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is not a plain file")
        return path.read_bytes()
    except OSError as error:
        raise SetupProblem(f"cannot read {path}: {error.strerror or error}", _wanted()) from None


def _wanted() -> str:
    return (f"give a folder with {', '.join(CORE['0.27.7'])}, {LOCK} and NumPy's wheel of "
            f"Pyodide {' or '.join(CORE)}")


# --- the course -------------------------------------------------------------------


def course(plans: Sequence[tuple[Entry, Sequence[Part]]]) -> bytes:
    """The course's code as a zip archive, with these demos, their weights and all records."""
    top, chosen = Path(TOP), {entry.folder for entry, _ in plans}
    weights = {name for _, parts in plans for part in parts for name in part.recipes}
    inside: dict[str, bytes] = {}
    for path in sorted(top.glob("*.py")):
        if path.name in ("attention_np.py", "pretrain_world.py"):
            inside[path.name] = path.read_bytes()
    own = Path(__file__).resolve().parents[1]                   # lecture/, beside TOP or above it
    data = (p for p in own.rglob("*.json") if "_top" not in p.relative_to(own).parts)
    for path in (*_sources(own), *data, *TEMPLATES.glob("*.j2")):
        inside[f"lecture/{path.relative_to(own).as_posix()}"] = path.read_bytes()
    demos = top / "demos"
    for path in (demos / "__init__.py", *(p for folder in chosen for p in _sources(folder)),
                 *(demos / "weights" / f"{name}.safetensors" for name in weights),
                 *(demos / "records").glob("*.json")):
        inside[f"demos/{path.relative_to(demos).as_posix()}"] = path.read_bytes()
    for package in PURE:
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            for path in _sources(Path(place)):
                inside[f"{package}/{path.relative_to(place).as_posix()}"] = path.read_bytes()
    return _archive(inside)


def _sources(folder: Path) -> Iterator[Path]:
    """The Python files of a package, without the copy of the top that a wheel has inside."""
    return (path for path in sorted(folder.rglob("*.py"))
            if "_top" not in path.relative_to(folder).parts and not path.name.endswith(LEFT_OUT))


def _archive(inside: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(inside):
            archive.writestr(zipfile.ZipInfo(name, FIRST_DAY), inside[name],
                             zipfile.ZIP_DEFLATED)
    return stream.getvalue()


# --- the page ---------------------------------------------------------------------


def page(runs: Sequence[tuple[Entry, Sequence[Result]]], lang: str, notes: bool,
         found: Runtime) -> str:
    """The static page of these runs, and behind it all that makes it run."""
    from lecture.prove.tasks import TASKS, blank

    static = harmless(html([view(entry, results, notes) for entry, results in runs], lang))
    plans = [(entry, [result.part for result in results]) for entry, results in runs]
    packed = {**found.files, LOCK: json.dumps(found.lock, sort_keys=True).encode(),
              "course.zip": course(plans)}
    told = {"demos": {entry.code: [_told(part) for part in parts] for entry, parts in plans},
            "tries": {entry.code: {lang: blank(entry.code, lang, MINE) for lang in LANGUAGES}
                      for entry, _ in plans if entry.code in {task.demo for task in TASKS}},
            "notes": notes, "pyodide": found.version, "numpy": found.numpy,
            "words": {name: {"zh": word.zh, "en": word.en} for name, word in WORDS.items()},
            "files": sorted(packed.keys() - {"pyodide.asm.js", "pyodide.js"}),
            "gzipped": sorted(name for name in packed if not _is_packed(name))}
    behind = environment().get_template("live.html.j2").render(
        told=_in_script(told), script=_plain("live.js"), worker=_plain("live.worker.js"),
        files={name: _encoded(name, content) for name, content in sorted(packed.items())})
    head, body, end = static.rpartition("</body>")
    return f"{head.replace(CHARSET, CHARSET + NO_NETWORK, 1)}{behind}{body}{end}"


def _told(part: Part) -> dict[str, Any]:
    """What the page must know of a part before Python runs: its number, settings and seed."""
    return {"number": part.number, "key": part.key, "seed": part.seed,
            "params": [_setting(name, param) for name, param in part.params.items()
                       if not _of_the_disk(part)]}


def _setting(name: str, param: Param) -> dict[str, Any]:
    about = None if param.about is None else {"zh": param.about.zh, "en": param.about.en}
    return {"name": name, "default": str(param.default), "kind": type(param.default).__name__,
            "low": param.low, "high": param.high, "choices": list(param.choices), "about": about}


def _of_the_disk(part: Part) -> bool:
    """Are the part's settings about a folder?  A page has none."""
    return "model" in part.params


def _is_packed(name: str) -> bool:
    return name.endswith((".zip", ".whl"))


def _encoded(name: str, content: bytes) -> str:
    """The content as letters; what is no archive is made smaller first."""
    small = content if _is_packed(name) else gzip.compress(content, 9, mtime=0)
    return base64.b64encode(small).decode("ascii")


def _plain(name: str) -> Any:
    """A script of ours, as it stands between <script> and </script>."""
    from markupsafe import Markup

    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))      # noqa: S704  our own file


def _in_script(data: Any) -> Any:
    """Data as JSON inside a <script>; no word of it can end the script."""
    from markupsafe import Markup

    text = json.dumps(data, sort_keys=True)
    return Markup(text.replace("<", "\\u003c"))                         # noqa: S704  escaped here


def asked_rightly(export: Path | None) -> None:
    """--runtime is for a page; UsageProblem where none is written."""
    if export is None or export.suffix != ".html":
        raise UsageProblem("--runtime means nothing without a page to put it in",
                           "add --export live.html, or leave --runtime out")
