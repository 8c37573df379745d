"""Closed, full and odd streams; paths that are no files; foreign words; what people type.

K-57 to K-68 of the cases, and the siblings of each kind: every command under every stream,
every path option with every kind of path.  Always: no traceback, no "fault of ours", an exit
code of the documented ones, an error of two lines, a result alone on stdout.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import pexpect
import pytest

from lecture.errors import LectureError, SetupProblem, UsageProblem, harmless, of_the_system, shown
from lecture.files import read_json, write_whole
from lecture.models import cache, recipes
from lecture.settings import read_settings, typed
from lecture.show import explore
from lecture.show.votes import read_votes
from tests.conftest import ROOT
from tests.terminal import Terminal

QUICK = ["list", "demo 04 --part 1", "demo 04 --part 1 --json", "errata 01 --json", "notes 04",
         'ask "who leads balavia ?"', 'ask "who leads balavia ?" --json', "ask", "ask --json",
         'attend "who leads balavia ?" --layer 0 --head 0', "doctor --quick", "cache path",
         "cache list", "cache", "--help", "--version", "demo 99", "nosuch", "train nosuch"]
STREAMS = ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full",
           ">/dev/full 2>/dev/full", "</dev/null", "1</dev/null"]


def shell(line: str, data: bytes = b"", cwd: Path = ROOT,
          **changes: str) -> subprocess.CompletedProcess[bytes]:
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8",
                        "LECTURE_LANG": "en"} | changes
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'cli.py'))} {line}"
    return subprocess.run(["bash", "-c", command], input=data, capture_output=True, env=env,
                          cwd=cwd, timeout=60, check=False)


def sound(done: subprocess.CompletedProcess[bytes], codes: tuple[int, ...] = (0, 1, 2, 3)) -> None:
    told = (done.stdout + done.stderr).decode("utf-8", "replace")
    assert done.returncode in codes, told
    for bad in ("Traceback", "fault of ours", "Exception ignored", "\x1b[2J"):
        assert bad not in told, told


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("command", QUICK)
def test_k57_every_command_under_every_stream(command: str, stream: str) -> None:
    done = shell(f"{command} {stream}")
    sound(done)
    if stream in (">/dev/full", "1</dev/null") and command not in (
            "demo 99", "nosuch", "train nosuch", "ask", "ask --json", "cache list"):
        assert done.returncode == 3 and len(done.stderr.splitlines()) == 2, done
        assert b"cannot write the output" in done.stderr


@pytest.mark.parametrize("command", ["check 01", "errata 01 --export {}.md",
                                     "demo 01 --part 3 --export {}.txt"])
def test_k57_the_long_commands_on_a_full_stream(command: str, tmp_path: Path) -> None:
    """check ends at its first line; an export needs no stdout and is written."""
    done = shell(f"{command.format(tmp_path / 'x')} > /dev/full")
    sound(done, (0, 2, 3))
    assert (done.returncode == 0) == bool(os.listdir(tmp_path))


def test_k57_a_closed_stderr_does_not_move_its_notices_into_the_result() -> None:
    done = shell('ask "who leads balavia ?" --json --weights nosuch 2>&-')
    assert done.returncode == 0 and done.stderr == b""
    assert json.loads(done.stdout)["answers"]


@pytest.mark.parametrize("command", [
    'ask "who leads balavia ?" --json --weights nosuch', "demo 01 --part 1 --json --figures {}"])
@pytest.mark.parametrize("stream", ["2>/dev/full", "2>&-", "2> >(true)"])
def test_k57_a_lost_notice_is_no_lost_result(command: str, stream: str, tmp_path: Path) -> None:
    """The notice cannot be written: the document is whole and the exit code that of the work."""
    done = shell(f"{command.format(tmp_path)} {stream}")
    assert done.returncode == 0 and json.loads(done.stdout)["schema"] == 1, done


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "latin-1", "utf-16"])
@pytest.mark.parametrize("command", [
    "list --lang zh", "demo 04 --part 1 --lang zh", "notes 01 --lang zh", "demo 99",
    'attend "who leads" --layer 0 --head 0 --lang zh', "ask 中文", "doctor --quick"])
def test_k57_every_command_in_every_encoding(command: str, encoding: str) -> None:
    """As much in every encoding, each character or its escape."""
    told = shell(command, PYTHONIOENCODING=encoding)
    assert told.returncode == (3 if command == "doctor --quick" and encoding in ("ascii", "latin-1")
                               else shell(command).returncode)      # doctor says it will not do
    text = (told.stdout + told.stderr).decode(encoding)
    for bad in ("Traceback", "fault of ours", "Exception ignored"):
        assert bad not in text, text
    if command.startswith("list") and encoding != "utf-16":
        assert ("\\u" in text) == (encoding != "gbk")


@pytest.mark.parametrize("line, code, told", [
    ("ask < /dev/full", 2, b"more than 10,000 characters"),         # zeros without an end
    ("ask 0> {}/write_only", 3, b"cannot read the input"), ("ask < /dev/null", 0, b""),
    ("ask --json < {}", 1, b"is a directory"),                      # Python itself, before us
    ("demo 04 --part 1 --ask < /dev/full", 0, b""), ("demo 04 --part 1 --step 0>&-", 0, b"")])
def test_k57_every_input(line: str, code: int, told: bytes, tmp_path: Path) -> None:
    done = shell(line.format(tmp_path))
    sound(done, (code,))
    assert told in done.stderr and len(done.stderr.splitlines()) in (0, 2) or code == 1, done


def test_k57_an_input_in_another_encoding_is_told() -> None:
    done = shell("ask", b"who leads balavia ?\n", PYTHONIOENCODING="utf-16:strict")
    assert done.returncode == 3 and "no text" in done.stderr.decode("utf-16"), done


def test_k57_the_prompt_never_stands_in_a_file(tmp_path: Path) -> None:
    """At a keyboard, with the answer sent to a file: the prompt is on the terminal."""
    child = pexpect.spawn("bash", ["-c", f"{shlex.quote(sys.executable)} cli.py ask --json "
                                   f"> {tmp_path}/out.json"], cwd=str(ROOT), timeout=30)
    child.expect(r"\? ")
    child.sendline("who leads balavia ?")
    child.expect(r"\? ")
    child.sendline("")
    child.expect(pexpect.EOF)
    child.close()
    document = json.loads((tmp_path / "out.json").read_text())
    assert child.exitstatus == 0 and document["question"] == "who leads balavia ?"


def test_k58_marks_and_empty_lines_of_a_pipe_are_passed_over() -> None:
    done = shell("ask --json", b"\xef\xbb\xbfwho leads balavia ?\r\n\r\n  \n"
                               b"who leads\xe2\x80\x8b balavia")
    assert done.stdout.count(b'"schema"') == 2 and b'"error"' not in done.stdout


@pytest.mark.parametrize("question", ["''", "' '", "'?'", "'？！'"])
def test_k58_nothing_is_no_question(question: str) -> None:
    done = shell(f"ask {question}")
    sound(done, (2,))
    assert b"there is no question" in done.stderr


def test_k58_one_json_document_a_question() -> None:
    done = shell("ask --json", "who leads balavia ?\n什么\nwho leads balavia？\n".encode())
    decoder, rest, found = json.JSONDecoder(), done.stdout.decode().strip(), []
    while rest:
        document, end = decoder.raw_decode(rest)
        found.append(document)
        rest = rest[end:].strip()
    assert [d["question"] for d in found] == ["who leads balavia ?", "什么", "who leads balavia？"]
    assert found[0]["answers"] == found[2]["answers"] and found[1]["error"]["todo"]
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "gbk", "cp1252", "utf-8:strict"])
def test_k59_a_bad_byte_is_told_and_the_loop_goes_on(encoding: str) -> None:
    done = shell("ask", b"A\xff\nwho leads balavia ?\n", PYTHONIOENCODING=encoding)
    sound(done, (0,))
    assert b"galerbrix" in done.stdout
    if encoding in ("utf-8", "ascii", "utf-8:strict"):
        assert rb"no word 'a\xff'" in done.stdout


# --- typing ---------------------------------------------------------------------------


def talk(*words: str) -> pexpect.spawn:
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    env |= {"TERM": "xterm", "PYTHONIOENCODING": "utf-8", "LECTURE_LANG": "en"}
    return pexpect.spawn(sys.executable, [str(ROOT / "cli.py"), *words], env=env, cwd=str(ROOT),
                         dimensions=(50, 80), encoding="utf-8", timeout=30)


@pytest.mark.parametrize("before", ["", "1", "s", "v"])
def test_k60_ctrl_d_at_a_pause_is_a_quiet_end(before: str) -> None:
    room = Terminal("demo", "04", "--part", "1", "--step", "--color", "never")
    room.until("1/7")
    if before:
        room.send(before, {"1": "Go to", "s": "Set:", "v": "Votes"}[before])
    room.send("\x04")
    assert room.ended() == 0 and "Abort" not in room.raw


def test_k60_ctrl_d_at_a_vote_and_in_ask() -> None:
    child = talk("demo", "04", "--part", "1", "--ask", "--color", "never")
    child.expect("skips:")
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    room = Terminal("ask")
    room.until("quit)", "? ")
    room.quiet()
    room.send("\x04")
    assert room.ended() == 0


def test_k61_full_width_typing_at_a_vote_and_at_a_pause() -> None:
    room = Terminal("demo", "04", "--part", "1", "--step", "--color", "never")
    room.until("1/7")
    room.send("ｖ", "Votes")
    room.send("何\r", "is no vote")
    room.send("Ｖ", "Votes")
    room.send("Ａ\r", "1 votes")
    room.send("\u3000", "2/7")
    room.send("ｑ")
    assert room.ended() == 0


@pytest.mark.parametrize("words, ready", [
    (("demo", "04", "--part", "1", "--step"), "1/7"), (("ask",), "? "),
    (("demo", "04", "--part", "1", "--ask"), "skips:")])
def test_k60_ctrl_c_where_a_person_is_asked_is_130(words: tuple[str, ...], ready: str) -> None:
    room = Terminal(*words, *(("--color", "never") if words[0] == "demo" else ()), rows=50)
    room.until(*(("quit)", ready) if words[0] == "ask" else (ready,)))
    room.quiet()
    room.send("\x03", "interrupted")
    assert room.ended() == 130 and "Traceback" not in room.raw


def test_k61_words_of_options_and_commands_in_any_letters(tmp_path: Path, monkeypatch) -> None:
    plain = shell("list --lang en --theme light --color never").stdout
    assert shell("ｌｉｓｔ --lang ＥＮ --theme Light --color ＮＥＶＥＲ").stdout == plain
    assert shell("list --color never", LECTURE_LANG="En").stdout == plain
    from demos import find

    part = next(p for p in find("10")[0].parts() if "model" in p.params)
    (tmp_path / "模型（一）").mkdir()                          # a folder keeps its own name
    monkeypatch.chdir(tmp_path)
    for word in ("model=模型（一）", "ｍｏｄｅｌ＝模型（一）"):
        assert read_settings([part], [word])[part.key]["model"] == "模型（一）"


@pytest.mark.parametrize("text, votes", [
    ("Ａ", {"A": 1}), (" ｂ ", {"B": 1}), ("Ａ１２，Ｂ：３０", {"A": 12, "B": 30}),
    ("a 1、b 2。", {"A": 1, "B": 2}), ("Ａ＝１；Ｂ＝２", {"A": 1, "B": 2}), ("\u3000", {}),
    ("Ａ。", {"A": 1}), ("（ａ）", {"A": 1}), ("b?", {"B": 1}), ("「Ｃ」", {"C": 1}),
    ("\ufeffA\u200b", {"A": 1}), ("A\t12", {"A": 12}), ("Ａ１２Ｂ３０", {"A": 12, "B": 30}),
    ("?", None), ("()", None), ("A 12345", None), ("1", None), ("AB", None), ("A-12", None),
    ("Ｅ", None), ("Ａ Ａ", None)])
def test_k61_votes_in_plain_and_full_width(text: str, votes: object) -> None:
    assert read_votes(text, "ABCD") == votes


def test_k61_settings_parts_seeds_and_questions_in_full_width() -> None:
    from demos import find
    from lecture.settings import choose_parts

    parts = find("０４")[0].parts()
    assert [p.number for p in choose_parts(parts, "２，３")] == [2, 3]
    name, param = next((n, p) for n, p in parts[0].params.items() if isinstance(p.default, float))
    wide = "".join(chr(ord(c) + 0xFEE0) for c in "2")
    assert read_settings(parts[:1], [f"{name}＝{wide}"]) == {parts[0].key: {name: 2.0}}
    assert typed("　ａｂｃ　１２　") == "abc 12"
    for text in ("who leads balavia", "who leads balavia?", "Who leads balavia ？ ",
                 "ｗｈｏ leads balavia ??"):
        assert explore.readable(text).lower() == "who leads balavia ?"
    sound(shell("demo ０４ --part １ --seed ７ --width ８０"), (0, 1))


@pytest.mark.parametrize("line", [
    "demo 04 --seed {}", "demo 04 --width {}", "attend x --layer {}", "attend x --head {}",
    "train base --seed {}", "check 04 --retrain --seeds {}"])
@pytest.mark.parametrize("number", ["1_0", "4.0", "0x8", "١", "-1", "''", "1e3", "9" * 40])
def test_k68_no_number_that_only_python_reads(line: str, number: str) -> None:
    if number == "١":
        number = "1 0"                                  # a blank within
    done = shell(line.format(shlex.quote(number) if number != "''" else number))
    sound(done, (2,))
    assert len(done.stderr.splitlines()) == 2


# --- foreign words ----------------------------------------------------------------------
HOSTILE = ["\x1b[2J", "a\x07b", "\u202eabc", "\x9b31m", "[/red]", "\udcff", "\r"]


@pytest.mark.parametrize("word", HOSTILE)
def test_k67_foreign_words_are_shown_escaped(word: str, capsys, monkeypatch) -> None:
    from cli import main

    for argv in (["ask", word], ["attend", f"who {word}"], ["demo", word], [word], ["notes", word],
                 ["demo", "04", "--part", word], ["demo", "04", "--set", word],
                 ["demo", "04", "--set", f"{word}=1"], ["demo", "04", "--theme", word],
                 ["demo", "04", "--seed", word], ["demo", "04", "--export", f"/nosuch/{word}"],
                 ["demo", "04", "--lang", word], ["train", word], ["attend", "who leads", word],
                 ["ask", "who leads balavia ?", "--weights", f"no{word}"],
                 ["attend", "who", "--model", word], ["demo", "04", f"--{word}"]):
        code = main(argv)
        told = "".join(capsys.readouterr())
        assert code in (0, 2, 3), (argv, told)
        assert "fault of ours" not in told and "Traceback" not in told, (argv, told)
        for bad in "\x1b\x07\u202e\x9b\udcff\r":
            assert bad not in told, (argv, told)


def test_k67_one_helper_escapes() -> None:
    assert shown("a\x1b[2J\u202e\udcff词 [b]") == "a\\x1b[2J\\u202e\\udcff词 [b]"
    assert LectureError("\x1b", "\x07").todo == "\\x07"
    assert harmless("a\x1b\n　词\u202e") == "a\\x1b\n　词\\u202e"


def test_k67_words_of_a_model_and_of_a_file_are_escaped(capsys, monkeypatch, tmp_path) -> None:
    """A vocabulary and a manifest hold what somebody wrote into them."""
    from cli import main
    from lecture.prove import manifest

    words = {"tokens": ["\x1b[2J", "\u202eb"], "kind": "decoder",
             "maps": [{"layer": 0, "head": 0, "weights": [[1.0, 0.0], [0.5, 0.5]]}]}
    monkeypatch.setattr("lecture.models.hf.attention_of", lambda *_: words)
    assert main(["attend", "x", "--model", "any", "--plain"]) == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told and "\u202e" not in told and "x1b" in told
    problem = manifest.Problem("demos/\x1b[2J", "is \x07 not there")
    monkeypatch.setattr(manifest, "check_files", lambda: manifest.FilesCheck({}, (problem,)))
    monkeypatch.setattr("lecture.prove.check.summaries", lambda *_: iter([]))
    monkeypatch.setattr("lecture.commands._entries", lambda which: [])
    assert main(["check", "04"]) == 1
    assert "demos/\\x1b[2J is \\x07 not there" in capsys.readouterr().out


def test_k68_a_word_that_is_no_text() -> None:
    done = shell("attend hello $'\\xff'")
    sound(done, (2,))
    done = shell("ask $'\\xff'")
    sound(done, (2,))


# --- paths --------------------------------------------------------------------------------


@pytest.fixture
def odd(tmp_path: Path) -> dict[str, str]:
    """Every kind of path that is no file to be read or written."""
    os.mkfifo(tmp_path / "fifo.txt")
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "plain").write_text("plain")
    return {"fifo": str(tmp_path / "fifo.txt"), "loop": str(tmp_path / "loop.txt"),
            "folder": str(tmp_path / "folder.txt"), "long": f"/tmp/{'x' * 300}.txt",
            "below a file": str(tmp_path / "plain" / "x.txt"), "nobody": "~nobodyatall/x.txt",
            "nowhere": "/proc/nowhere/x.txt", "empty": "", "device": "/dev/full.txt"}


KINDS = ["fifo", "loop", "folder", "long", "below a file", "nobody", "nowhere", "empty"]
OPTIONS = {"export": "demo 01 --part 1 --export {}", "figures": "demo 04 --part 3 --figures {}",
           "errata": "errata 01 --export {}", "weights": 'ask "who leads balavia ?" --weights {}',
           "model": 'attend "x" --model {}',
           "runtime": "demo 01 --part 1 --export x.html --runtime {}"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("option", OPTIONS)
def test_k62_k65_every_path_option(option: str, kind: str, odd: dict[str, str],
                                   tmp_path: Path) -> None:
    path = odd[kind]
    if option == "errata":
        path = path.replace(".txt", ".md")
        if kind == "loop":
            Path(path).symlink_to(path)
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "folder":
            Path(path).mkdir()
    empty = tmp_path / "here"
    empty.mkdir()
    done = shell(OPTIONS[option].format(shlex.quote(path)), cwd=empty)
    sound(done, (0, 2, 3))
    if done.returncode:
        assert len(done.stderr.splitlines()) == 2, done.stderr
    if option == "weights" and kind == "fifo":
        assert done.returncode == 3 and b"not a plain file" in done.stderr
    if option == "export" and kind in ("fifo", "folder", "long", "below a file", "nowhere"):
        assert done.returncode == 3 and b"cannot write" in done.stderr
    assert os.listdir(empty) == []                      # "" is not the folder one stands in
    if kind == "empty":
        assert done.returncode == 2 and b"empty" in done.stderr


def test_k62_a_folder_that_is_gone() -> None:
    """The folder one stands in was removed meanwhile."""
    gone = "cd $(mktemp -d) && rmdir $PWD && " + \
        f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'cli.py'))} "
    env = os.environ | {"PYTHONPATH": str(ROOT), "LECTURE_LANG": "en"}
    for line, code in (('ask "who leads balavia ?" --weights w', 0), ("list", 0),
                       ("demo 01 --part 1 --export x.html", 3), ("cache path", 0)):
        done = subprocess.run(["bash", "-c", gone + line], capture_output=True, env=env,
                              check=False, timeout=60)
        sound(done, (code,))


@pytest.mark.parametrize("package", ["numpy", "rich", "typer"])
def test_k62_a_package_that_is_missing_is_named(package: str) -> None:
    probe = f"import sys; sys.modules[{package!r}] = None; import cli; sys.exit(cli.main())"
    done = subprocess.run([sys.executable, "-c", probe, "ask", "who leads balavia ?"], cwd=ROOT,
                          capture_output=True, check=False, timeout=60)
    sound(done, (3,))
    assert f"lecture: {package} cannot be loaded".encode() in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_without_safetensors_weights_are_read_all_the_same() -> None:
    probe = "import sys; sys.modules['safetensors'] = None; import cli; sys.exit(cli.main())"
    done = subprocess.run([sys.executable, "-c", probe, "ask", "who leads balavia ?", "--json"],
                          cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == shell('ask "who leads balavia ?" --json').stdout


def test_k62_memory_threads_and_files_of_ours() -> None:
    from lecture.errors import of_the_machine

    assert of_the_machine(MemoryError()).code == 3
    assert "refused" in of_the_machine(OSError(24, "Too many open files")).what
    assert of_the_machine(ImportError("x", name="lecture.nosuch")) is None
    assert of_the_machine(KeyError("ours")) is None


@pytest.mark.parametrize("changes", [{}, {"COMP_WORDS": "lecture demo", "COMP_CWORD": "x"}])
def test_k62_a_shell_that_asks_wrongly_for_completion(changes: dict[str, str]) -> None:
    done = shell("", _LECTURE_COMPLETE="complete_bash", **changes)
    sound(done, (3,))


@pytest.mark.parametrize("kind", [*KINDS, "plain"])
def test_k62_k63_every_cache_folder(kind: str, odd: dict[str, str], tmp_path: Path) -> None:
    """The numbers are the same without a cache; two lines where a command is about it."""
    place = {**odd, "plain": str(tmp_path / "plain")}[kind]
    usual = shell('ask "who leads balavia ?" --json')
    done = shell('ask "who leads balavia ?" --json', LECTURE_CACHE_DIR=place)
    assert (done.returncode, done.stdout) == (0, usual.stdout), done.stderr
    for command in ("cache path", "cache list", "cache clear", "doctor --quick"):
        done = shell(command, LECTURE_CACHE_DIR=place)
        sound(done, (0, 3))
        assert len(done.stderr.splitlines()) in (0, 2), done.stderr


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0,
                    reason="only root can become somebody else")
def test_k62_a_home_and_weights_that_may_not_be_read() -> None:
    with tempfile.TemporaryDirectory() as home:
        Path(home, "w.safetensors").write_bytes(b"x")
        os.chmod(home, 0o700)
        base = os.environ | {"PYTHONPATH": str(ROOT), "HOME": home, "LECTURE_CACHE_DIR": "",
                             "XDG_CACHE_HOME": "", "LECTURE_LANG": "en",
                             "PYTHONDONTWRITEBYTECODE": "1"}
        probe = ("import os, sys; sys.path.insert(0, os.environ['PYTHONPATH']);"
                 "import cli, contextlib, io; from lecture.models import cache\n"
                 # the interpreter's own files may be closed to others: read them all before
                 "with contextlib.redirect_stdout(io.StringIO()),"
                 " contextlib.redirect_stderr(io.StringIO()):\n"
                 "    cli.main(['demo', '01', '--part', '1', '--export', '/dev/shm/x.txt']),"
                 " cli.main(sys.argv[1:])\n"
                 "cache.forget(); cache.set_policy();"
                 "os.setgid(54321); os.setuid(54321); sys.exit(cli.main(sys.argv[1:]))")
        for words in (["doctor", "--quick"], ["cache", "list"], ["cache", "path"],
                      ["cache", "clear"],
                      ["ask", "who leads balavia ?", "--weights", f"{home}/w.safetensors"],
                      ["ask", "who leads balavia ?", "--weights", f"{home}"],
                      ["demo", "01", "--part", "1", "--export", f"{home}/x.txt"]):
            done = subprocess.run([sys.executable, "-c", probe, *words], capture_output=True,
                                  env=base, cwd="/", check=False, timeout=60)
            sound(done, (0, 3))
            assert b"ModuleNotFound" not in done.stderr


@pytest.mark.parametrize("suffix", [".html", ".md", ".json", ".txt"])
def test_k64_a_full_disk_leaves_the_old_handout_whole(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"handout{suffix}"
    path.write_text("the good one")
    limit = "trap '' XFSZ; ulimit -f 1; "               # the kernel refuses bytes past 1 kB
    env = os.environ | {"PYTHONPATH": str(ROOT), "LECTURE_LANG": "en",
                        "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["bash", "-c", f"{limit}{shlex.quote(sys.executable)} "
                           f"{shlex.quote(str(ROOT / 'cli.py'))} demo 01 --part 1 --export "
                           f"{shlex.quote(str(path))}"], capture_output=True, env=env, check=False)
    sound(done, (3,))
    assert path.read_text() == "the good one" and os.listdir(tmp_path) == [path.name]


def test_k64_what_a_killed_run_left_is_swept_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    killed = ("import os, signal, sys; from pathlib import Path; from lecture import files;"
              "os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL);"
              "files.write_whole(Path(sys.argv[1]), 'half')")
    done = subprocess.run([sys.executable, "-c", killed, str(path)], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL and len(os.listdir(tmp_path)) == 1
    write_whole(path, "whole")
    assert os.listdir(tmp_path) == ["one.txt"] and path.read_text() == "whole"


def test_k64_a_full_disk_leaves_old_pictures_whole(tmp_path: Path) -> None:
    path = tmp_path / "04-2-scale-1.svg"
    path.write_text("the good one")
    done = subprocess.run(["bash", "-c", "trap '' XFSZ; ulimit -f 1; "
                           f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'cli.py'))} "
                           f"demo 04 --part 2 --lang en --figures {shlex.quote(str(tmp_path))}"],
                          capture_output=True, check=False, env=os.environ | {
                              "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"})
    sound(done, (3,))
    assert path.read_text() == "the good one" and os.listdir(tmp_path) == [path.name]


def test_k64_one_room_writes() -> None:
    """No module of the product writes a file, or makes a temporary one, but lecture/files.py."""
    rooms = [*ROOT.glob("*.py"), *(ROOT / "lecture").rglob("*.py"), *(ROOT / "demos").rglob("*.py")]
    assert len(rooms) > 60
    for room in rooms:
        text = room.read_text(encoding="utf-8")
        found = re.findall(r"write_text|write_bytes|import tempfile|open\([^)]*[\"'][wax]b?[\"']",
                           text)
        assert not found or room.name == "files.py", (room, found)


def test_k64_a_name_of_255_bytes_and_a_pipe_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / ("字" * 83 + "x.txt")
    write_whole(path, "whole")
    assert os.listdir(tmp_path) == [path.name]
    read, write = os.pipe()
    write_whole(Path(f"/dev/fd/{write}"), "through")
    assert os.read(read, 99) == b"through"


# --- hostile files -------------------------------------------------------------------------


def weights_with(meta: str) -> bytes:
    header = json.dumps({"__metadata__": {cache.META_KEY: meta}}).encode()
    return struct.pack("<Q", len(header)) + header


@pytest.mark.parametrize("meta", [
    "[" * 100_000, '{"a":' * 100_000, "[]", "null", "3", '"x"', "{}", '{"seed": 1e999}',
    '{"seed": null}', '{"seed": -1}', '{"seed": [1]}', "9" * 5000, "NaN", "{", "",
    '{"seed": 0, "fingerprint": [], "digest": {}, "history": 3, "vocabulary": null}'],
    ids=range(16))
def test_k66_hostile_metadata_is_refused_and_the_next_source_tried(meta: str, tmp_path: Path
                                                                   ) -> None:
    path = tmp_path / "base.safetensors"
    path.write_bytes(weights_with(meta))
    recipe = recipes.RECIPES["base"]
    for any_seed in (False, True):
        with pytest.raises(cache.Unusable):
            cache.read(path, recipe, "file", any_seed)
    if len(meta) > 90_000:
        done = shell(f'ask "who leads balavia ?" --weights {path}')
        sound(done, (0,))
        assert b"not used" in done.stderr and len(done.stderr.splitlines()) == 1


BROKEN = [b"[" * 100_000, b"{", b"", b"[]", b"null", b"\xff\xfe", b"3"]


@pytest.mark.parametrize("content", [*BROKEN, "pipe", "folder"], ids=range(len(BROKEN) + 2))
def test_k66_files_of_the_course_that_hold_no_json(content: bytes | str, tmp_path: Path,
                                                   monkeypatch) -> None:
    """Records, pins, manifest: named in two lines, or a list of nothing; never waited for."""
    from demos import find
    from lecture import records
    from lecture.prove import check, manifest

    path = tmp_path / "pins.json"
    if content == "pipe":
        os.mkfifo(path)
    elif content == "folder":
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(SetupProblem, match="pins.json cannot be read"):
        read_json(path)
    monkeypatch.setattr(records, "RECORDS", tmp_path)
    with pytest.raises(SetupProblem):
        records.read("pins")
    monkeypatch.setattr(check, "pins_file", lambda entry: path)
    with pytest.raises(SetupProblem):
        check.read_pins(find("01")[0])
    if content != "pipe":                               # whose absence check names as well
        monkeypatch.setattr(manifest, "path", lambda: path)
        assert manifest.read() == {}


@pytest.mark.parametrize("content", [{"parts": []}, {"parts": {"x": 3}}, {"margins": [1]}])
def test_k66_pins_of_another_shape(content: object, tmp_path: Path, monkeypatch) -> None:
    from demos import find
    from lecture.prove import check

    path = tmp_path / "pins.json"
    path.write_text(json.dumps(content))
    monkeypatch.setattr(check, "pins_file", lambda entry: path)
    with pytest.raises(SetupProblem, match="does not hold"):
        check.read_margins(find("01")[0])


def test_k66_a_record_without_what_a_demo_reads(tmp_path: Path, monkeypatch, capsys) -> None:
    from cli import main
    from lecture import records

    for name in ("skip_gram", "senses"):
        (tmp_path / f"{name}.json").write_text("{}")
    monkeypatch.setattr(records, "RECORDS", tmp_path)
    assert main(["demo", "02", "--part", "2", "--json"]) == 3
    told = capsys.readouterr().err
    assert "a file of the course has no" in told and len(told.splitlines()) == 2


def test_k65_a_pipe_among_a_model_s_files(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    os.mkfifo(tmp_path / "model.safetensors")
    done = shell(f"attend x --model {tmp_path}")
    sound(done, (2,))
    assert b"not a plain file" in done.stderr


def test_a_pipe_in_the_cache_is_no_model(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "base.safetensors")
    with pytest.raises(cache.Unusable, match="plain file"):
        cache.read(tmp_path / "base.safetensors", recipes.RECIPES["base"], "cached")


def test_an_error_of_the_system_names_its_path() -> None:
    told = of_the_system(OSError(28, "No space left on device"))
    assert told.code == 3 and "cannot write the output" in told.what
    told = of_the_system(PermissionError(13, "Permission denied", "/x\x1b"))
    assert told.what == "cannot use /x\\x1b: Permission denied"


def test_a_refused_question_keeps_the_loop(monkeypatch) -> None:
    from console import Screen

    monkeypatch.setattr(sys, "stdin", io.StringIO("one\ntwo\n"))
    told: list[str] = []

    def answer(text: str) -> None:
        raise UsageProblem("no", "yes")

    explore.loop(answer, Screen(io.StringIO()), lambda text, problem: told.append(text))
    assert told == ["one", "two"]


