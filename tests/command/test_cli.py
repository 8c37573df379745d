"""The command as a user meets it: exit codes, two-line errors, streams, languages."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

import cli
from demos import Entry, find
from lecture import commands
from lecture.errors import UsageProblem
from lecture.report import VERDICTS, T
from lecture.settings import choose_parts, read_settings, read_value
from lecture.show.play import Wish
from tests.conftest import ROOT

FIFTEEN = tuple(Entry(n, f"demo{n}", T("题", "title")) for n in range(1, 16))


# --- K-27: numbers, exit codes, suggestions ------------------------------------


@pytest.mark.parametrize(("text", "number"), [
    ("04", 4), ("4", 4), ("08", 8), ("09", 9), ("008", 8), ("０４", 4), ("demo4", 4), ("15", 15)])
def test_k27_what_names_a_demo(text: str, number: int) -> None:
    assert [e.number for e in find(text, FIFTEEN)] == [number]


@pytest.mark.parametrize("text", ["4.0", "1_0", "+4", "-4", "0x8", "99", "", " ", "4 4", "0", "00",
                                  "16", "٤٤", "1e1", "10000000004", "attention!"])
def test_k27_what_names_none(text: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        find(text, FIFTEEN)
    assert "04 demo4" in caught.value.todo and caught.value.code == 2


def test_k27_all_is_every_demo() -> None:
    assert find("all", FIFTEEN) == FIFTEEN


@pytest.mark.parametrize(("words", "code", "says"), [
    (["demo", "99"], 2, "04 attention"),
    (["demo", "4.0"], 2, "04 attention"),
    (["demo", "-4"], 2, "04 attention"),
    (["demo", ""], 2, "04 attention"),
    (["dmeo", "04"], 2, "demo"),
    (["demo"], 2, "--help"),
    (["demo", "04", "--part", "9"], 2, "induction"),
    (["demo", "04", "--set", "no_such=1"], 2, "beta"),
    (["demo", "04", "--set", "4.beta=banana"], 2, "number"),
    (["demo", "04", "--set", "4.beta=nan"], 2, "number"),
    (["demo", "04", "--set", "beta"], 2, "beta=2"),
    (["demo", "04", "--seed", "-1"], 2, "--help"),
    (["demo", "04", "--lang", "fr"], 2, "zh, en"),
    (["demo", "04", "--color", "red"], 2, "auto"),
    (["demo", "04", "--theme", "red"], 2, "dark"),
    (["demo", "04", "--width", "3"], 2, "--help"),
    (["check", "zz"], 2, "04 attention"),
    (["check", "04", "--seeds", "3"], 2, "--retrain"),
    (["check", "04", "--engine", "dask"], 2, "--retrain"),
    (["check", "04", "--retrain", "--scheduler", "x:1"], 2, "--engine dask"),
    (["check", "04", "--retrain", "--accept"], 2, "one of the two"),
    (["check", "04", "--retrain", "--engine", "slurm"], 2, "processes, dask, serial"),
    (["train", "zz"], 2, "base"),
    (["errata", "04", "--export", "x.pdf"], 2, ".md"),
    (["errata", "04", "--export", "no/such/folder/x.md"], 3, "folder"),
    (["cache", "zz"], 2, "--help"),
])
def test_bad_input_is_two_lines_and_a_code(lecture, words, code, says) -> None:
    done = lecture(*words, text=True)
    assert done.returncode == code
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 2, done.stderr
    assert says in done.stderr and "Traceback" not in done.stderr


def test_k27_no_arguments_is_help(lecture) -> None:
    for words in ([], ["--help"], ["-h"], ["demo", "-h"], ["cache"], ["check", "--help"]):
        done = lecture(*words, text=True)
        assert done.returncode == 0 and "Usage" in done.stdout and done.stderr == ""
    assert lecture("--version", text=True).stdout.startswith("lecture ")


# --- K-29: start-up -------------------------------------------------------------


# What each command may load beside the standard library and the course itself. typer's
# conversion of options brings pydantic; help does without.
TYPER = {"typer", "annotated_doc", "shellingham"}
CONVERTS = TYPER | {"pydantic", "pydantic_core", "annotated_types", "typing_extensions",
                    "typing_inspection"}
LOADS = {
    "--help": TYPER,
    "list": CONVERTS | {"rich"},
    "demo 04": {"rich", "numpy", "safetensors"},       # nothing to parse: no typer either
    "demo all": {"rich", "numpy", "safetensors"},
    "demo 04 --json": CONVERTS | {"numpy", "safetensors"},
    "demo 04 --part 1,2,3,4 --lang en": CONVERTS | {"rich", "numpy"},
    "demo 04 --part 1 --export {folder}/page.html": CONVERTS | {"numpy", "jinja2", "markupsafe"},
    "demo 04 --part 1 --export {folder}/page.md": CONVERTS | {"numpy"},
    "check 01": CONVERTS | {"rich", "numpy"},          # the screens are drawn and compared
    "check 04": CONVERTS | {"rich", "numpy", "safetensors"},
    "errata 04": CONVERTS | {"rich", "numpy", "safetensors"},
    "notes 04": CONVERTS | {"rich", "numpy"},
    "ask France": CONVERTS | {"rich", "numpy", "safetensors"},
    "cache list": CONVERTS | {"numpy", "platformdirs"},
    "cache path": CONVERTS | {"numpy", "platformdirs"},
    "doctor": CONVERTS | {"rich", "numpy", "safetensors", "platformdirs"},
    "dmeo": CONVERTS,
}
OURS = {"cli", "commands", "console", "lecture", "demos", "attention_np", "pretrain_world",
        "__main__"}
OF_PYTHON = {"cython_runtime"}                   # and what starts with an underscore


@pytest.mark.parametrize("line", LOADS)
def test_k29_what_a_command_loads(line: str, tmp_path) -> None:
    words = line.format(folder=tmp_path).split()
    probe = ("import sys, cli\n"
             f"cli.main({words!r})\n"
             "print(*sorted({m.partition('.')[0] for m in sys.modules} "
             "- sys.stdlib_module_names), file=sys.stderr)\n")
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True,
                          check=True, env=os.environ | {"PYTHONIOENCODING": "utf-8"})
    loaded = set(done.stderr.strip().splitlines()[-1].split())
    more = {m for m in loaded - OURS - OF_PYTHON - LOADS[line] if not m.startswith("_")}
    assert not more, f"{line} loads {sorted(more)} too"


def test_the_unparsed_demo_is_the_parsed_one(lecture, monkeypatch) -> None:
    """`lecture demo 02` goes round typer: the same bytes, and the same exit codes."""
    plain = lecture("demo", "02", env={"LECTURE_LANG": "en"})
    parsed = lecture("demo", "02", "--lang", "en")
    assert plain.returncode == parsed.returncode == 0
    assert plain.stdout == parsed.stdout and len(plain.stdout) > 1000
    wrong = lecture("demo", "02", env={"LECTURE_LANG": "fr"}, text=True)
    assert wrong.returncode == 2 and len(wrong.stderr.splitlines()) == 2 and not wrong.stdout

    from lecture.show import present

    monkeypatch.setattr(present, "show", lambda *_, **__: False)
    assert cli.main(["demo", "02"]) == cli.main(["demo", "02", "--lang", "en"]) == 1
    with pytest.raises(AttributeError, match="nothing_like_it"):
        cli.nothing_like_it                             # noqa: B018


def test_a_wish_and_the_options_mean_the_same_where_nothing_is_said() -> None:
    options = {name: option.default
               for name, option in inspect.signature(commands.demo).parameters.items()}
    wish = {f.name: inspect.Parameter.empty if f.default is MISSING else f.default
            for f in fields(Wish)}
    assert list(options) == list(wish)                   # the same names in the same order
    assert [(name, type(value), value) for name, value in options.items()] == [
        (name, type(value), value) for name, value in wish.items()]


EVERY_OPTION = {
    "part": ("--part", "1", "1"), "settings": ("--set", "beta=2", ["beta=2"]),
    "seed": ("--seed", "7", 7), "ask": ("--ask", None, True), "step": ("--step", None, True),
    "start": ("--from", "3", "3"), "room": ("--room", "4a", "4a"), "pager": ("--pager", None, True),
    "phones": ("--phones", None, True), "address": ("--address", "127.0.0.1", "127.0.0.1"),
    "json": ("--json", None, True), "more": ("--more", None, True),
    "weights": ("--weights", "cached", "cached"),
    "lang": ("--lang", "en", "en"), "width": ("--width", "60", 60),
    "color": ("--color", "never", "never"), "theme": ("--theme", "mono", "mono"),
    "plain": ("--plain", None, True), "big": ("--big", None, True),
    "export": ("--export", "x.md", Path("x.md")), "figures": ("--figures", "f", Path("f")),
    "runtime": ("--runtime", "f", Path("f")), "with_notes": ("--with-notes", None, True),
}


def test_both_ways_to_a_demo_end_in_one_play(monkeypatch) -> None:
    from lecture.show import play as room

    wishes: list[Wish] = []
    monkeypatch.setattr(room, "play", lambda wish: wishes.append(wish) or 1)
    assert cli.main(["demo", "02"]) == 1                            # past typer
    assert commands.app(["demo", "02"], standalone_mode=False) == 1     # through it
    assert wishes == [Wish("02"), Wish("02")]
    assert {"which", *EVERY_OPTION} == {f.name for f in fields(Wish)}
    for name, (option, word, value) in EVERY_OPTION.items():
        cli.main(["demo", "02", option, *([word] if word else [])])
        assert wishes.pop() == Wish("02", **{name: value})


def test_k29_numpy_and_rich_stay_out_of_help() -> None:
    probe = ("import sys, cli; cli.main(['--help']); "
             "print([m for m in ('numpy', 'rich.table', 'demos.d04_attention') "
             "if m in sys.modules], file=sys.stderr)")
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True,
                          check=True)
    assert done.stderr.strip() == "[]"


# --- K-23, K-25, K-26: streams ---------------------------------------------------


@pytest.mark.parametrize("env", [{}, {"COLUMNS": "40"}, {"TERM": "dumb"}, {"NO_COLOR": "1"}])
def test_k23_a_pipe_cuts_nothing(lecture, env) -> None:
    text = lecture("demo", "04", "--part", "1", "--lang", "zh", text=True, env=env).stdout
    whole = lecture("demo", "04", "--part", "1", "--width", "80", "--lang", "zh", text=True).stdout
    numbers = re.findall(r"\d+\.\d{3,}", whole)
    assert numbers and all(n in text for n in numbers)
    assert "\x1b" not in text and "…" not in text


def test_force_color_and_never(lecture) -> None:
    forced = lecture("demo", "04", "--part", "3", env={"FORCE_COLOR": "1"}, text=True).stdout
    always = lecture("demo", "04", "--part", "3", "--color", "always", text=True).stdout
    never = lecture("demo", "04", "--part", "3", "--color", "never", text=True,
                    env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[" in forced and "\x1b[" in always and "\x1b" not in never


@pytest.mark.parametrize("encoding", ["gbk", "cp1252", "ascii"])
@pytest.mark.parametrize("words", [["demo", "04", "--part", "1,3"], ["list"], ["demo", "九"],
                                   ["errata", "04"]])
def test_k25_any_encoding(lecture, encoding, words) -> None:
    done = lecture(*words, env={"PYTHONIOENCODING": encoding})
    assert done.returncode == (2 if words[-1] == "九" else 0)
    assert b"Traceback" not in done.stderr
    (done.stdout + done.stderr).decode(encoding)
    if encoding == "gbk" and words[0] == "demo" and done.returncode == 0:
        assert "注意力" in done.stdout.decode("gbk")


def test_k25_c_locale(lecture) -> None:
    env = {"LC_ALL": "C", "PYTHONIOENCODING": "", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert lecture("demo", "04", "--part", "1", env=env).returncode == 0


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["demo 04", "demo 04 --json", "list", "--help", "errata 04"])
def test_k26_a_closed_pipe_is_silent(unbuffered: str, words: str) -> None:
    shell = f"{sys.executable} cli.py {words} | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], cwd=ROOT, capture_output=True, text=True,
                          check=False, env=os.environ | {"PYTHONUNBUFFERED": unbuffered})
    assert done.returncode == 0 and done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


# --- languages, JSON, settings ----------------------------------------------------


def test_language_by_flag_variable_and_locale(lecture) -> None:
    def title(*words: str, **env: str) -> str:
        return lecture("list", *words, env=env, text=True).stdout

    assert "注意力" in title() and "注意力" in title(LANG="de_DE.UTF-8")
    assert "Attention" in title(LANG="en_US.UTF-8") and "注意力" in title(LANG="zh_CN.UTF-8")
    assert "Attention" in title(LANG="zh_CN.UTF-8", LECTURE_LANG="en")
    assert "注意力" in title("--lang", "zh", LECTURE_LANG="en")
    done = lecture("list", env={"LECTURE_LANG": "fr"}, text=True)
    assert done.returncode == 2 and "LECTURE_LANG" in done.stderr


def test_json_is_one_document_twice_the_same(lecture) -> None:
    first = lecture("demo", "04", "--json")
    assert first.returncode == 0 and first.stderr == b""
    assert first.stdout == lecture("demo", "04", "--json").stdout
    document = json.loads(first.stdout, parse_constant=pytest.fail)
    assert {"schema", "demo", "parts", "environment"} <= set(document)
    assert [p["key"] for p in document["parts"]] == ["lookup", "scale", "mask", "induction",
                                                     "tiny_gpt"]
    for part in document["parts"]:
        assert part["metrics"] and all({"key", "holds", "margin"} <= set(c) for c in part["claims"])
        assert all(c["holds"] for c in part["claims"])
    assert document["environment"]["weights"]["base"]["origin"] == "shipped"


def test_setting_changes_numbers_and_verdicts(lecture) -> None:
    plain = json.loads(lecture("demo", "04", "--part", "4", "--json").stdout)
    done = lecture("demo", "04", "--part", "4", "--set", "beta=.5", "--json")
    changed = json.loads(done.stdout)
    assert done.returncode == 0                     # exploring is no error
    assert plain["parts"][0]["metrics"] != changed["parts"][0]["metrics"]
    assert not all(c["holds"] for c in changed["parts"][0]["claims"])
    text = lecture("demo", "04", "--part", "4", "--set", "beta=.5", "--lang", "en", text=True)
    assert "DOES NOT HOLD with beta=0.5" in text.stdout and text.returncode == 0


def test_parts_and_settings_are_read_strictly() -> None:
    parts = find("4")[0].parts()
    assert [p.number for p in choose_parts(parts, "3,1")] == [1, 3]
    assert [p.key for p in choose_parts(parts, "mask,02")] == ["scale", "mask"]
    settings = read_settings(parts, ["4.beta=2", "1.beta=3"])
    assert settings == {"induction": {"beta": 2.0}, "lookup": {"beta": 3.0}}
    beta = next(p for p in parts if p.key == "induction").params["beta"]
    assert read_value("beta", beta, "2e0") == read_value("beta", beta, "２") == 2.0
    for text in ("inf", "1_0", "0x2", "", "2,5", "1e999", "-1e9"):
        with pytest.raises(UsageProblem):
            read_value("beta", beta, text)


def test_errata_lists_the_rows_with_what_is_measured(lecture) -> None:
    entries = json.loads(lecture("errata", "04", "--json").stdout)["errata"]
    third = {e["row"] for e in entries if e["row"].startswith("C-")}
    assert third == {"C-010", "C-028", "C-029", "C-031", "C-037", "C-040"}
    for entry in entries:
        assert entry["says"] and entry["right"]
        assert (entry["measured"] is not None) == (entry["metric"] is not None)
        assert entry["verdict"] in VERDICTS and not entry["reproduces"]
        assert entry["where"]


def test_errata_as_markdown(lecture, tmp_path) -> None:
    target = tmp_path / "勘误.md"
    assert lecture("errata", "04", "--export", str(target)).returncode == 0
    assert "**C-029** (demo 04.4, 003:159, misleading)" in target.read_text(encoding="utf-8")
