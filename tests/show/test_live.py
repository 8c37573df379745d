"""The page that runs: what is put into it, what it answers, and one demo in a real browser.

`browser.py` says where the browser's Python comes from.  What every demo does there is measured
by benchmarks/live.py.
"""

from __future__ import annotations

import ast
import base64
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile

import pytest

from demos import REGISTRY, find
from lecture.errors import SetupProblem, UsageProblem
from lecture.prove.screens import last_digit_only
from lecture.report import run
from lecture.show import live, within
from lecture.show.page import part_html, part_view
from tests import browser
from tests.conftest import ROOT
from tests.show.test_page import browser as chromium  # noqa: F401  a fixture, under its use here

FOUR = find("04")[0]
LOCK = {"info": {"version": "0.27.7", "python": "3.12.7"}, "packages": {"numpy": {
    "file_name": "numpy.whl", "version": "2.0.2", "sha256": "", "depends": ["other"]}}}


# --- the runtime ------------------------------------------------------------------


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """A folder with the names of a runtime, small, whole, and known to the course."""
    core = {name: name.encode() * 9 for name in live.CORE["0.27.7"]}
    monkeypatch.setitem(live.CORE, "0.27.7", {
        name: hashlib.sha256(content).hexdigest() for name, content in core.items()})
    lock = json.loads(json.dumps(LOCK))
    lock["packages"]["numpy"]["sha256"] = hashlib.sha256(b"wheel").hexdigest()
    for name, content in {**core, "numpy.whl": b"wheel",
                          live.LOCK: json.dumps(lock).encode()}.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def locked(change):
    """The folder with a change in its lock file."""
    def act(folder) -> None:
        lock = json.loads((folder / live.LOCK).read_text())
        change(lock)
        (folder / live.LOCK).write_text(json.dumps(lock))
    return act


@pytest.mark.parametrize(("spoil", "told"), [
    (lambda f: (f / live.LOCK).unlink(), "cannot read"),
    (lambda f: (f / live.LOCK).write_text("{"), "no lock file"),
    (lambda f: (f / live.LOCK).write_text("[" * 99999), "no lock file"),
    (lambda f: (f / live.LOCK).write_bytes(b"\xff"), "no lock file"),
    (locked(lambda lock: lock["packages"].clear()), "no lock file"),
    (locked(lambda lock: lock.update(info=None)), "no lock file"),
    (locked(lambda lock: lock["packages"]["numpy"].update(file_name=3)), "no lock file"),
    (locked(lambda lock: lock["packages"]["numpy"].update(file_name="../numpy.whl")), "no lock"),
    (locked(lambda lock: lock["info"].update(version="0.28.0")), "never tried"),
    (lambda f: (f / "pyodide.asm.wasm").write_bytes(b""), "is not the file of Pyodide 0.27.7"),
    (lambda f: (f / "numpy.whl").write_bytes(b"another"), "is not the file of Pyodide 0.27.7"),
    (lambda f: (f / "pyodide.js").unlink(), "cannot read"),
    (lambda f: ((f / "pyodide.js").unlink(), os.mkfifo(f / "pyodide.js")), "not a plain file"),
])
def test_a_runtime_that_is_not_whole_is_named(made_up, spoil, told: str) -> None:
    assert live.runtime(made_up).numpy == "2.0.2"
    spoil(made_up)
    with pytest.raises(SetupProblem) as refused:
        live.runtime(made_up)
    assert told in refused.value.what and refused.value.todo


def test_a_runtime_is_for_a_page(made_up, tmp_path) -> None:
    from cli import main

    for words in ([], ["--export", "x.md"], ["--json"]):
        assert main(["demo", "04", "--runtime", str(made_up), *words]) == UsageProblem.code
    (made_up / "pyodide.js").write_text("changed")
    page = tmp_path / "page.html"
    assert main(["demo", "04", "--export", str(page), "--runtime", str(made_up)]) == 3
    assert not page.exists()


# --- what is inside ---------------------------------------------------------------


@pytest.fixture(scope="module")
def results():
    return [run(part) for part in FOUR.parts()]


def insides(text: str) -> dict[str, str]:
    return dict(re.findall(r'<script type="[\w/]+" id="live-([\w.-]+)">(.*?)</script>', text, re.S))


def test_the_page_is_the_static_one_and_what_runs_it(made_up, results) -> None:
    from lecture.show.page import html, view

    text = live.page([(FOUR, results)], "en", True, live.runtime(made_up))
    assert text == live.page([(FOUR, results)], "en", True, live.runtime(made_up))
    static = html([view(FOUR, results, True)], "en")
    body = static[static.index("<main"):static.index("</main>")]
    assert body in text and text.count("</body>") == text.count("</html>") == 1
    assert "default-src 'none'" in text.partition("<title>")[0]
    held = insides(text)
    assert held.keys() == {*live.CORE["0.27.7"], "numpy.whl", live.LOCK, "course.zip", "told",
                           "worker"}
    for name in live.CORE["0.27.7"]:
        content = base64.b64decode(held[name])
        content = content if name.endswith(".zip") else gzip.decompress(content)
        assert content == (made_up / name).read_bytes()
    told = json.loads(held["told"])
    assert [part["number"] for part in told["demos"]["04"]] == [1, 2, 3, 4, 5]
    assert told["demos"]["04"][3]["params"][0] | {"about": None} == {
        "name": "beta", "default": "20.0", "kind": "float", "low": 0.0, "high": 1000.0,
        "choices": [], "about": None}
    lock = json.loads(gzip.decompress(base64.b64decode(held[live.LOCK])))
    assert lock["packages"]["numpy"]["depends"] == []       # nothing more is fetched
    assert {*told["files"], "pyodide.asm.js", "pyodide.js"} == held.keys() - {"told", "worker"}


def test_no_word_of_the_course_can_end_a_script() -> None:
    assert "<" not in live._in_script({"a": "</script><script>x"})
    assert json.loads(live._in_script({"a": "</script>"})) == {"a": "</script>"}


def test_the_archive_holds_the_chosen_demos_and_what_they_need() -> None:
    with zipfile.ZipFile(io.BytesIO(live.course([(FOUR, FOUR.parts())]))) as archive:
        names = set(archive.namelist())
        assert archive.testzip() is None
    assert {"attention_np.py", "lecture/__init__.py", "lecture/show/within.py",
            "demos/d04_attention/lesson.py", "demos/weights/base.safetensors",
            "demos/records/copy_seeds.json", "jinja2/__init__.py"} <= names
    assert not any("d05" in name or name.endswith(("_torch.py", ".pyc"))
                   or name.startswith("tests") for name in names)


WITHOUT = """
import sys
for name in ("typer", "rich", "safetensors", "filelock", "platformdirs", "prompt_toolkit", "torch"):
    sys.modules[name] = None
sys.path[:0] = [sys.argv[1]]
import json
from lecture.show.within import answer
for part in (1, 5):
    found = json.loads(answer(json.dumps({"demo": "04", "part": part})))
    print(found["holds"], found["claims"], len(found["html"]) > 5000)
mine = "def softmax(x):\\n    return x / x.sum()"
print("softmax" in json.loads(answer(json.dumps({"demo": "04", "part": 1, "mine": mine})))["html"])
print(sorted({getattr(m, "__file__", None) or "" for n, m in sys.modules.items()
              if n.partition(".")[0] in ("lecture", "demos", "attention_np", "jinja2")
              and not (getattr(m, "__file__", None) or "").startswith(sys.argv[1])}))
"""


def test_the_archive_alone_computes_and_judges(tmp_path) -> None:
    """Nothing but NumPy and what is inside; no thread either."""
    with zipfile.ZipFile(io.BytesIO(live.course([(FOUR, FOUR.parts())]))) as archive:
        archive.extractall(tmp_path)
    done = subprocess.run([sys.executable, "-c", WITHOUT, str(tmp_path)], cwd=tmp_path, text=True,
                          capture_output=True, timeout=120, check=False,
                          env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"})
    assert done.stdout.splitlines() == ["6 6 True", "8 8 True", "True", "[]"], done.stderr


# An address has 32 bits there: what these would do, and what stands in their place.
NARROW = {"prod": "np.prod counts in 32 bits: math.prod",
          "cumprod": "np.cumprod counts in 32 bits",
          "broadcast_shapes": "a shape of 2^31 numbers is refused: cost.broadcast",
          "nbytes": "bytes of a shape end at 2^31: cost.held_bytes"}
# shapes and bytes of arrays that are there
MAY = {"attention_np.py": {"broadcast_shapes"}, "demos/d02_embeddings/lesson.py": {"nbytes"}}


def narrow(text: str) -> set[str]:
    """What a room says that counts in 32 bits, or wants indices of that size."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and node.attr in NARROW and not (
                isinstance(node.value, ast.Name) and node.value.id == "math"):
            found.add(node.attr)
        if (isinstance(node, ast.Call) and ast.unparse(node.func) == "np.bincount"
                and "astype(np.intp)" not in ast.unparse(node.args[0])
                and not ast.unparse(node.args[0]).startswith("seen[")):   # of Python's numbers
            found.add("bincount")
    return found


def test_nothing_that_is_counted_ends_at_32_bits() -> None:
    rooms = [ROOT / "attention_np.py", *(ROOT / "lecture/lab").glob("*.py"),
             *(ROOT / "lecture/data").glob("*.py"), *(ROOT / "lecture/models").glob("*_np.py"),
             *(ROOT / "demos").glob("*/lesson.py")]
    for path in rooms:
        name = path.relative_to(ROOT).as_posix()
        wrong = narrow(path.read_text(encoding="utf-8")) - MAY.get(name, set())
        assert not wrong, (name, [NARROW.get(word, word) for word in wrong])
    assert narrow("np.prod(a); np.bincount(ids); x.nbytes; math.prod(s)") == {
        "prod", "bincount", "nbytes"}


def test_shapes_and_bytes_are_counted_beyond_32_bits() -> None:
    import numpy as np

    from lecture.lab import cost

    assert cost.held_bytes([(10**6, 10**6), (3,)], ["f4", "i1"]) == 5 * (10**12 + 3)
    for shapes in (((2, 1), (1, 3)), ((5,), (4, 5)), ((), (2,)), ((0,), (1,)), ((1, 7), (7,), ())):
        assert cost.broadcast(*shapes) == np.broadcast_shapes(*shapes)
    for shapes in (((2,), (3,)), ((0,), (2,))):
        with pytest.raises(ValueError):
            cost.broadcast(*shapes)
    meter = cost.Meter()
    assert (meter.shape(10**6, 8) @ meter.shape(8, 10**6)).size == 10**12


# --- what it answers --------------------------------------------------------------


def asked(**question) -> dict:
    return json.loads(within.answer(json.dumps({"demo": "04", "part": 1, **question})))


def test_the_usual_settings_give_the_section_of_the_static_page(results) -> None:
    for number in (1, 3):
        found = asked(part=number)
        assert found["html"] == part_html(part_view(FOUR, results[number - 1]))
        assert found["holds"] == found["claims"] == len(results[number - 1].part.every_claim())


def test_a_setting_is_read_as_the_command_reads_it() -> None:
    from cli import main

    found = asked(part=4, settings={"beta": " ０.5 "}, seed="7")
    assert "DOES NOT HOLD with beta=0.5, seed=7" in found["html"]
    assert found["holds"] < found["claims"]
    assert asked(part=4, settings={"beta": "-1"})["refused"] == [
        "beta cannot be -1", "it is a number from 0 to 1000"]
    assert "seed cannot be" in asked(seed="x")["refused"][0]
    assert main(["demo", "04", "--part", "4", "--set", "beta=-1"]) == 2


def test_an_answer_is_never_an_exception() -> None:
    for question in ({"part": 9}, {"demo": "99"}, {"demo": 4}, {"settings": {"nosuch": "1"}},
                     {"settings": 3}, {"seed": 3}):
        what, todo = asked(**question)["refused"]
        assert what and todo
    assert json.loads(within.answer("{"))["refused"]


def test_the_document_of_a_part_is_the_commands() -> None:
    from lecture.show.export import demo_document

    document = asked(want="document", seed="3")["document"]
    result = run(FOUR.parts()[0], seed=3)
    assert document["parts"] == json.loads(json.dumps(demo_document(FOUR, [result])["parts"]))


def test_every_setting_of_every_demo_has_its_field() -> None:
    """What stands in a field at first is what the command takes it to be."""
    from lecture.settings import read_value

    for entry in REGISTRY:
        for part in entry.parts():
            for told in live._told(part)["params"]:
                param = part.params[told["name"]]
                assert read_value(told["name"], param, told["default"]) == param.default
                assert told["about"] and json.dumps(told)


# --- a student's functions --------------------------------------------------------

BY_D = """
import numpy as np

def attention(Q, K, V, scale=True, mask=None):
    print("<b>looking</b>")
    S = Q @ np.swapaxes(K, -1, -2) / (K.shape[-1] if scale else 1)
    S = S if mask is None else np.where(mask, S, -np.inf)
    W = np.exp(S - S.max(-1, keepdims=True))
    W = W / W.sum(-1, keepdims=True)
    return W @ V, W
"""


def test_a_students_functions_are_judged_in_both_languages() -> None:
    found = asked(mine=BY_D, part=1)
    assert not found["good"] and found["claims"] == 6
    assert "divided by d, not by √d" in found["html"] and "除以" in found["html"]
    assert "&lt;b&gt;looking" in found["html"] and "<b>looking" not in found["html"]
    assert 'href="#d04-2"' in found["html"]
    right = asked(mine=BY_D.replace("K.shape[-1] if", "K.shape[-1] ** 0.5 if"), part=1)
    assert right["holds"] == right["claims"] == 6
    assert "divided by d, not by √d" not in right["html"]
    assert asked(part=1)["holds"] == 6                      # ours is ours again


def test_a_file_that_cannot_be_run_says_where() -> None:
    for text, word in (("def softmax(x):\n    return x +", "SyntaxError"), ("1 / 0", "division"),
                       ("import sys\nsys.exit(3)", "SystemExit")):
        found = asked(mine=text, part=1)
        assert word in found["html"] and not found["good"]
    from lecture.prove.tasks import blank

    found = asked(mine=blank("04", "zh", within.MINE), part=1)
    assert not found["good"] and "attention" in found["html"]
    nothing = asked(mine="def softmax(x):\n    return x * float('nan')", part=1)
    assert nothing["holds"] < nothing["claims"]


# --- in a browser -----------------------------------------------------------------

# the words of a part, one entry an element
LINES = """(id) => [...document.querySelectorAll(`#${id} .live-body :is(p, li, td, th, caption,
  figcaption, summary, h3, pre, text)`)].map((e) => e.textContent.replace(/\\s+/g, " ").trim())"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    from cli import main

    path = tmp_path_factory.mktemp("live") / "live.html"
    assert main(["demo", "04", "--export", str(path), "--lang", "en", "--runtime",
                 str(browser.runtime())]) == 0
    return path


@pytest.mark.slow
def test_demo_04_runs_in_chromium(page_file, chromium) -> None:  # noqa: F811
    """From the disk, without a network: all parts hold, a verdict turns, a vote opens."""
    context = chromium.new_context(viewport={"width": 390, "height": 900}, offline=True)
    page = context.new_page()
    page.set_default_timeout(120_000)
    told, sent = [], []
    page.on("console", lambda m: told.append(m.text))
    page.on("pageerror", lambda e: told.append(str(e)))
    page.on("request", lambda r: sent.append(r.url))
    page.goto(page_file.as_uri())

    def bar(number: int):
        return page.locator(f"#d04-{number} form.live-bar")

    def run_part(number: int) -> str:
        bar(number).locator("button[type=submit]").click()
        page.locator(f"#d04-{number} form[data-state=done]").wait_for()
        return " ".join(bar(number).locator("output").inner_text().split())

    for part in FOUR.parts():
        before = page.evaluate(LINES, f"d04-{part.number}")
        claims = len(part.every_claim())
        assert run_part(part.number).startswith(f"{claims} of {claims} claims hold.")
        after = page.evaluate(LINES, f"d04-{part.number}")
        assert len(before) == len(after) > 20
        assert [pair for pair in zip(before, after, strict=True)
                if pair[0] != pair[1] and not last_digit_only(*pair)] == []

    # a vote is cast before a part is computed anew, and stays
    page.locator("#d04-3 [data-ask] .options button").first.click()
    assert page.locator("#d04-3 .claims").first.is_visible()
    run_part(3)
    assert page.locator("#d04-3 .claims").first.is_visible()

    bar(1).locator("[name=beta]").fill("0.1")
    bar(1).locator("[name=seed]").fill("7")
    assert re.fullmatch(r"3 of 6 claims hold. [\d.]+ s. 3 of them turned, as marked.", run_part(1))
    assert page.locator("#d04-1 .turned .bad .en").all_text_contents() == [
        "DOES NOT HOLD with beta=0.1, seed=7"] * 3
    page.check("#lang-zh")
    assert page.locator("#d04-1 .live-bar output .zh").first.is_visible()
    assert not page.locator("#d04-1 .live-bar output .en").first.is_visible()
    bar(1).locator("[name=beta]").fill("-3")
    assert "beta cannot be -3" in run_part(1)
    # a student's own functions, and one that never ends
    mine = page.locator("#d04-try")
    page.check("#lang-en")
    assert "def softmax(x):" in mine.locator("textarea").input_value()
    mine.locator("select").select_option("1")
    mine.locator("textarea").fill(BY_D)
    mine.locator("button[type=submit]").click()
    mine.locator("form[data-state=done]").wait_for()
    assert "divided by d, not by √d" in mine.locator(".live-found").inner_text()
    mine.locator("textarea").fill("while True:\n    pass")
    mine.locator("button[type=submit]").click()
    mine.get_by_text("computing").first.wait_for()
    mine.locator("button", has_text="Stop").click()
    assert mine.locator("output .en").inner_text() == "Stopped."
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0

    assert told == []
    assert [url for url in sent if not url.startswith("blob:")] == [page_file.as_uri()]
    # what the page's Python asks of a network goes nowhere
    assert "refused" in page.evaluate("""() => lecture.python(`
import js
try:
    x = js.XMLHttpRequest.new(); x.open("GET", "https://example.org/", False); x.send(None)
    found = "sent"
except Exception:
    found = "refused"
found`)""")
    context.close()


@pytest.mark.slow
def test_a_browser_that_cannot_says_so(page_file, chromium) -> None:  # noqa: F811
    """The static page is there all the same, and no button that does nothing."""
    context = chromium.new_context(offline=True)
    page = context.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(page_file.as_uri())
    said = page.locator(".live-about strong .en").text_content()
    assert "DecompressionStream is missing" in said
    assert page.locator(".live-bar").count() == 0 and page.locator("#d04-5 h2").count() == 1
    context.close()
