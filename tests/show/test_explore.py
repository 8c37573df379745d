"""ask, attend and doctor: a visitor's own words, and a room looked at."""

from __future__ import annotations

import json
import os
import re
import sys

import pexpect
import pytest

from lecture.errors import UsageProblem
from lecture.models.recipes import named
from lecture.show import explore
from pretrain_world import question_text
from tests.conftest import ROOT


def test_ask_answers_every_capital() -> None:
    for country in named("base").data.world().countries:
        found = explore.ask(question_text(country.name, "capital"))
        assert found["answers"][0]["word"] == country.capital
        shares = [a["probability"] for a in found["answers"]]
        assert shares == sorted(shares, reverse=True) and 0 < sum(shares) <= 1 + 1e-9


def test_attend_rows_sum_to_one_and_never_look_right() -> None:
    found = explore.attend("the capital of", layer=1)
    assert found["words"] == ["<doc>", "the", "capital", "of"]
    assert {m["layer"] for m in found["maps"]} == {1}
    for item in found["maps"]:
        for t, row in enumerate(item["weights"]):
            assert abs(sum(row) - 1) < 1e-6 and not any(row[t + 1:])


@pytest.mark.parametrize(("text", "says"), [
    ("what is the capitol of ?", "capital"), ("", "tokens"), ("the " * 60, "tokens")])
def test_bad_words_are_named(text: str, says: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        explore.attend(text)
    assert says in caught.value.what + caught.value.todo


def test_commands(lecture) -> None:
    name = named("base").data.world().countries[3]
    question = question_text(name.name, "leader")
    done = lecture("ask", question, "--lang", "en", text=True)
    assert done.returncode == 0 and name.leader in done.stdout
    document = json.loads(lecture("ask", question, "--json").stdout)
    assert document["answers"][0]["word"] == name.leader
    assert lecture("attend", "the capital of", "--layer", "7").returncode == 2
    assert lecture("attend", "the capital of", "--head", "1", "--layer", "0").returncode == 0
    unknown = lecture("ask", "what is a zebra ?", text=True)
    assert unknown.returncode == 2 and "'zebra'" in unknown.stderr


def test_questions_one_after_another(lecture) -> None:
    names = named("base").data.world().countries
    text = "\n".join([question_text(names[0].name, "capital"), "no such words",
                      question_text(names[1].name, "capital")]) + "\n"
    done = lecture("ask", "--lang", "en", input=text, text=True)
    assert done.returncode == 0
    assert names[0].capital in done.stdout and names[1].capital in done.stdout
    assert "no word 'no', 'such'" in done.stdout


def test_doctor_is_ascii_and_names_what_to_do(lecture, tmp_path) -> None:
    done = lecture("doctor", "--quick")
    b"\n".join(done.stdout.splitlines()[:-1]).decode("ascii")     # the verdict is the lesson's
    assert done.returncode == 0 and done.stdout.count(b"ok ") >= 5
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    done = lecture("doctor", "--quick", env={"LECTURE_CACHE_DIR": str(blocked / "cache"),
                                             "PYTHONIOENCODING": "ascii"}, text=True)
    assert done.returncode == 3
    assert re.search(r"NOT cache", done.stdout) and re.search(r"NOT encoding", done.stdout)
    assert done.stdout.count("to do:") == 2


def test_doctor_asks_the_terminal() -> None:
    """A terminal that draws arrows two cells wide is found out and told what to do."""
    child = pexpect.spawn(sys.executable, [str(ROOT / "cli.py"), "doctor", "--quick"],
                          env=os.environ | {"TERM": "xterm"}, cwd=str(ROOT), encoding="utf-8",
                          dimensions=(40, 100), timeout=60)
    child.expect_exact("\x1b[6n")
    child.send("\x1b[1;3R")                                      # column 3: two cells
    child.expect("2 cells an arrow")
    child.expect("--plain")
    child.expect("theme dark")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 3


def test_attend_with_a_model_of_your_own(tmp_path) -> None:
    """The same view for a GPT-2 and a BERT built and saved on the spot."""
    from tests import hf_build

    for family, causal in (("gpt2", True), ("bert", False), ("t5", False)):
        folder = hf_build.build(family, tmp_path / family)
        found = explore.attend_with(str(folder), hf_build.TEXT)
        n = len(found["words"])
        assert all(len(m["weights"]) == n for m in found["maps"])
        for item in found["maps"]:
            for t, row in enumerate(item["weights"]):
                assert abs(sum(row) - 1) < 1e-5
                assert not causal or not any(row[t + 1:])
        assert len(explore.attend_blocks(found)) == len(found["maps"]) > 1
    with pytest.raises(UsageProblem):
        explore.attend_with(str(tmp_path / "nowhere"), "words")


@pytest.mark.parametrize(("typed", "offers"), [
    ("lecture demo 0", "04"), ("lecture demo att", "attention"),
    ("lecture demo 04 --part ind", "induction"), ("lecture demo 04 --set 4.b", "4.beta=20.0"),
    ("lecture demo 04 --set be", "beta=20.0"), ("lecture che", "check")])
def test_completion_offers_it_without_torch(typed: str, offers: str) -> None:
    """As the shell asks: the words so far, the place of the cursor."""
    import subprocess

    probe = ("import sys, atexit; atexit.register(lambda: print('torch' in sys.modules, "
             "file=sys.stderr)); import cli; cli.app(prog_name='lecture')")
    env = os.environ | {"_LECTURE_COMPLETE": "complete_bash", "COMP_WORDS": typed,
                        "COMP_CWORD": str(len(typed.split()) - 1), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, env=env, capture_output=True,
                          text=True, check=False)
    assert offers in done.stdout.split(), (done.stdout, done.stderr)
    assert done.stderr.strip().splitlines()[-1] == "False"
