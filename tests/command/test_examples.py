"""K-49: does every command line that we print work, and is every word of the world in it?

Command lines are collected from the pages, from --help, and from the strings and docstrings of
the code.  All are parsed by the command itself; those that take no training and no minutes run.
Left out: what they print, which other tests hold.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from cli import main
from lecture.commands import app
from pretrain_world import QUESTIONS, make_world, tokenizer
from tests.conftest import ROOT

PAGES = [ROOT / name for name in ("README.md", "DESIGN.md", "CONTRIBUTING.md", "tests/README.md",
                                  "benchmarks/README.md", "CHANGELOG.md")]
CODE = sorted(p for folder in ("lecture", "demos") for p in (ROOT / folder).rglob("*.py"))
CODE += sorted(ROOT.glob("*.py"))
GROUP = typer.main.get_command(app)
# options and their values, quoted words, demo numbers, "all": where prose goes on, a line ends
WORD = r'(?:"[^"\n]*"|--?[a-z][a-z-]*(?: (?![-a-z]+ [a-z])[\w.,=/]+)?|\d\d?|all|NN|NAME|-h)'
LINE = re.compile(rf"\blecture ((?:--debug )?(?:{'|'.join(GROUP.commands)})(?: {WORD})*)")
STANDS_FOR = {"NN": "04", "NAME": "base", "ADDRESS": "tcp://localhost:1"}
# what starts a training, runs every demo, or waits for a person
LONG = {"check", "train", "doctor"}


def texts() -> Iterator[tuple[str, str]]:
    """(where, text) of everything a person may read of us."""
    for page in PAGES:
        yield page.name, page.read_text(encoding="utf-8")
    for path in CODE:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        name = str(path.relative_to(ROOT))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield name, " ".join(node.value.split())
            elif isinstance(node, ast.JoinedStr):       # a number that is computed: a demo's
                yield name, "".join(v.value if isinstance(v, ast.Constant) else "04"
                                    for v in node.values)
    for command in (GROUP, *GROUP.commands.values()):
        context = typer.Context(command, info_name=command.name)
        yield f"{command.name} --help", " ".join(command.get_help(context).split())


def examples() -> dict[str, str]:
    """Every command line, and where it was met first."""
    found: dict[str, str] = {}
    for where, text in texts():
        for match in LINE.finditer(text):
            line = " ".join(STANDS_FOR.get(word, word) for word in match[1].split(" "))
            found.setdefault(line, where)
    return found


EXAMPLES = examples()


def test_enough_is_collected() -> None:
    assert len(EXAMPLES) > 30
    for line in ('ask "what is the capital of balavia ?"', "demo 04 --part 4 --set beta=0.5",
                 "check all", "errata 04", 'attend "the capital of"'):
        assert line in EXAMPLES


@pytest.mark.parametrize("line", sorted(EXAMPLES))
def test_every_example_is_understood(line: str) -> None:
    """Parsed with the command's own parser, and every demo in it exists; nothing runs."""
    from demos import find

    words = [w for w in shlex.split(line) if w != "--debug"]
    command = GROUP.commands[words[0]]
    rest = words[1:]
    if any(p.required for p in command.params) and not [w for w in rest if w[0] != "-"]:
        rest = ["04", *rest]                            # the command is named, not called
    context = command.make_context(words[0], list(rest))
    for name in ("which",):
        given = context.params.get(name)
        for which in [given] if isinstance(given, str) else given or []:
            find(which)


def quick(line: str) -> bool:
    words = [w for w in shlex.split(line) if w != "--debug"]
    if words[0] in LONG or "all" in words or words[1:2] == [] and words[0] != "list" or (
            words[1:] and words[1][:1] == "-"):
        return False
    # --follow goes on until Ctrl-C (tests/show/test_following.py)
    return not {"--step", "--figures", "--model", "--follow"} & set(words)


@pytest.mark.parametrize("line", sorted(filter(quick, EXAMPLES)))
def test_every_quick_example_runs(line: str, capsys: pytest.CaptureFixture[str],
                                  tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = main(shlex.split(line))
    told = capsys.readouterr()
    assert "fault of ours" not in told.err, told.err
    assert code in (0, 1) and told.out or code == 0, (EXAMPLES[line], told.err)


def test_every_question_we_print_is_of_the_world() -> None:
    """what is the capital of X ?, who leads X ?: X is one of the 24 countries, or three dots."""
    world = make_world()
    names = set(tokenizer(world).stoi)
    forms = [re.escape(form).replace(re.escape("{c}"), r"([^\s{}]+)").rstrip("?").rstrip("\\ ")
             for several in QUESTIONS.values() for form in several]
    asked = 0
    for where, text in texts():
        for form in forms:
            for name in re.findall(rf"\b{form}\s*[?？]", text):
                if name in ("…", "...", "a", "X", "COUNTRY"):
                    continue
                asked += 1
                assert name in names, f"{where}: {name!r} is no country of the world"
    assert asked > 0
    for where, text in texts():
        assert "pelithia" not in text, where


def test_the_check_would_notice() -> None:
    """Seen to fail: an option and a demo that do not exist, a word the world has not."""
    with pytest.raises(Exception, match="nosuch"):
        GROUP.commands["demo"].make_context("demo", ["04", "--nosuch"])
    assert main(["demo", "99"]) == 2
    assert main(["ask", "what is the capital of pelithia ?"]) == 2
