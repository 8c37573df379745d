"""What is typed as a vote, what is kept of it, and what `lecture votes` says."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import threading

import pytest

from console import Screen
from demos import find
from lecture.errors import SetupProblem
from lecture.report import run
from lecture.show import ballots, present, tallies
from lecture.show.ballots import Ballot
from lecture.show.rounds import answer, asked
from lecture.show.votes import keep, read_votes
from tests.conftest import ROOT

PART = find("04")[0].parts()[0]
RESULT = run(PART)
PROMPT = asked(present.Show(find("04")[0], None, {}), RESULT, 0).prompt
FIRST, SECOND = {"A": 12, "B": 30, "C": 4}, {"A": 2, "B": 10, "C": 34}


def ballot(counts, round: int = 1, **other) -> Ballot:
    usual = {"room": "", "demo": "04", "part": PART.key, "question": 0, "round": round,
             "counts": counts, "number": PART.number, "prompt": PROMPT, "right": "C",
             "misread": answer(RESULT, 0).misread, "showing": "s"}
    return Ballot(**usual | other)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LECTURE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.mark.parametrize(("text", "votes"), [
    ("", {}), (" b ", {"B": 1}), ("A 12 B 30 C 4", {"A": 12, "B": 30, "C": 4}),
    ("a12b30", {"A": 12, "B": 30}), ("A: 3, D = 0", {"A": 3, "D": 0}),
    ("Ａ１２，Ｂ３０", {"A": 12, "B": 30}),
    ("E", None), ("A 1 A 2", None), ("hello", None), ("A 99999", None), ("12", None)])
def test_read_votes(text: str, votes) -> None:
    assert read_votes(text, "ABCD") == votes


def test_what_is_kept_is_read_again_and_holds_no_person(folder) -> None:
    assert ballots.append(ballot(FIRST, room="甲班")) and ballots.append(ballot(SECOND, 2))
    kept = (folder / ballots.FILE).read_text("utf-8").splitlines()
    assert [set(json.loads(line)) for line in kept] == [
        {"version", "room", "demo", "part", "number", "question", "round", "counts", "prompt",
         "right", "misread", "showing", "date"}] * 2
    found, unread = ballots.read()
    assert unread == 0 and [b.counts for b in found] == [FIRST, SECOND]
    assert found[0].room == "甲班"


# gains computed by hand: (right before, right after, (after - before) / (1 - before))
@pytest.mark.parametrize(("first", "second", "before", "after", "gain"), [
    ({"A": 12, "B": 30, "C": 4}, {"A": 2, "B": 10, "C": 34}, 4 / 46, 34 / 46, 30 / 42),
    ({"C": 10, "D": 10}, {"C": 5, "D": 15}, .5, .25, -.5),
    ({"C": 20}, {"A": 1, "C": 19}, 1.0, .95, None)])
def test_gains_are_those_computed_by_hand(first, second, before, after, gain) -> None:
    ballots.append(ballot(first))
    ballots.append(ballot(second, 2))
    (row,), _ = tallies.told(find("all"))
    assert row["right"] == "C"
    assert row["share_first"] == pytest.approx(before) and row["share_second"] == pytest.approx(
        after)
    assert row["gain"] == (None if gain is None else pytest.approx(gain))


def test_a_vote_taken_again_counts_once_and_another_lecture_apart() -> None:
    for one in (ballot({"A": 9}), ballot(FIRST), ballot({"C": 1, "A": 1}, 2), ballot(SECOND, 2),
                ballot({"B": 7}, showing="t")):
        ballots.append(one)
    rows, _ = tallies.told(find("04"))
    assert [(r["first"], r["second"]) for r in rows] == [(FIRST, SECOND), ({"B": 7}, None)]
    ballots.append(ballot({"D": 3}))                         # asked anew: no old second vote
    rows, _ = tallies.told(find("04"))
    assert (rows[0]["first"], rows[0]["second"]) == ({"D": 3}, None)


def test_rooms_are_told_apart_and_one_can_be_chosen() -> None:
    ballots.append(ballot(FIRST, room="a"))
    ballots.append(ballot({"C": 5}, room="b"))
    assert [r["room"] for r in tallies.told(find("all"))[0]] == ["a", "b"]
    assert [r["room"] for r in tallies.told(find("all"), "b")[0]] == ["b"]
    assert tallies.told(find("05"))[0] == []


def test_half_a_line_of_a_killed_run_loses_that_line_alone(folder) -> None:
    ballots.append(ballot(FIRST))
    path = folder / ballots.FILE
    whole = path.read_bytes()
    for cut in (len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole + whole[:cut])
        ballots.append(ballot(SECOND, 2))
        found, unread = ballots.read()
        assert found[0].counts == FIRST and found[-1].counts == SECOND
        assert unread == (cut < len(whole) - 1)


TAKES = """
import json, sys
from lecture.show import ballots
one = json.loads(sys.stdin.readline())
for number in range(1, 1000 if sys.argv[1] == "killed" else 41):
    ballots.append(ballots.Ballot(**one | {"counts": {"A": number}, "room": sys.argv[2] * 40}))
    print(number, flush=True)
"""


def test_a_kill_at_any_moment_loses_at_most_the_vote_being_taken(folder) -> None:
    """Processes write at once; two are killed, and what they had told is there, whole."""
    from dataclasses import asdict

    one = json.dumps(asdict(ballot(FIRST))) + "\n"
    rooms = {}
    for name, fate in (("a", "killed"), ("b", "stays"), ("c", "killed")):
        rooms[name] = subprocess.Popen([sys.executable, "-c", TAKES, fate, name], cwd=ROOT,
                                       text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert rooms[name].stdin is not None
        rooms[name].stdin.write(one)
        rooms[name].stdin.flush()
    told = {}
    for name, after in (("a", 7), ("c", 23)):
        for _ in range(after):
            assert rooms[name].stdout.readline()
        rooms[name].kill()
        told[name] = after + len(rooms[name].stdout.read().splitlines())    # not communicate:
        rooms[name].wait(timeout=60)            # it passes over what readline has read ahead
    assert len(rooms["b"].communicate(timeout=120)[0].splitlines()) == 40
    found, unread = ballots.read()
    assert unread <= 2
    for name, count in told.items():
        kept = [b.counts["A"] for b in found if b.room == name * 40]
        assert kept in (list(range(1, count + 1)), list(range(1, count + 2)))
    assert [b.counts["A"] for b in found if b.room == "b" * 40] == list(range(1, 41))


@pytest.mark.parametrize("kind", ["fifo", "folder"])
def test_what_is_no_file_is_told_and_waited_for_by_nobody(folder, kind: str, capsys) -> None:
    folder.mkdir()
    path = folder / ballots.FILE
    os.mkfifo(path) if kind == "fifo" else path.mkdir()
    assert ballots.append(ballot(FIRST)) is False
    assert len(capsys.readouterr().err.splitlines()) == 2
    with pytest.raises(SetupProblem):
        ballots.read()


@pytest.mark.parametrize("line", [
    b"", b"{}", b"[1]", b"null", b"\xff\xfe", b"[" * 20000, b'{"round": 3}',
    json.dumps({"room": "", "demo": "04", "part": "x", "question": 0, "round": 1, "prompt": "",
                "showing": "", "date": "", "counts": {"A": -1}}).encode(),
    json.dumps({"room": "", "demo": "04", "part": "x", "question": 0, "round": 1, "prompt": "",
                "showing": "", "date": "", "counts": {"Q": True}}).encode()])
def test_a_line_that_is_no_vote_is_passed_over(folder, line: bytes) -> None:
    ballots.append(ballot(FIRST))
    with open(folder / ballots.FILE, "ab") as file:
        file.write(line + b"\n")
    ballots.append(ballot(SECOND, 2))
    found, unread = ballots.read()
    assert [b.counts for b in found] == [FIRST, SECOND] and unread == bool(line)


def test_two_lectures_at_once_mix_nothing() -> None:
    def lecture(name: str) -> None:
        for _ in range(25):
            ballots.append(ballot({"A": 1000, "B": 2000}, room=name * 50, showing=name))

    threads = [threading.Thread(target=lecture, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found, unread = ballots.read()
    assert unread == 0 and len(found) == 100
    assert sorted({b.room for b in found}) == [name * 50 for name in "abcd"]


def test_a_vote_is_judged_by_what_was_measured_then(folder) -> None:
    """Another setting has another answer; the words are those of the lecture, filled in."""
    found = run(PART, {"beta": 0.0})
    right = answer(found, 0).right
    assert right != "C"
    showing = present.Show(find("04")[0], Screen(lang="en"), {})
    keep(showing, found, 0, [{"A": 3, "B": 1}])
    keep(showing, RESULT, 0, [{"C": 3, "B": 1}])
    first, second = ballots.read()[0]
    assert (first.right, second.right) == (right, "C")
    for one in (first, second):
        assert not [text for text in one.prompt.values() if "{" in text]
        assert not [t for words in one.misread.values() for t in words.values() if "{" in t]
    assert "β = 0" in first.prompt["en"] and "β = 10" in second.prompt["en"]
    (row,) = tallies.told(find("04"))[0]                     # asked again in the same lecture
    assert row["right"] == "C" and row["share_first"] == .75


def command(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run([sys.executable, "cli.py", "votes", *words], cwd=ROOT, text=True,
                          capture_output=True, env={**os.environ, "LECTURE_LANG": "en", **env})


def test_the_command_in_its_three_forms() -> None:
    assert command().stdout.strip() == "No votes are kept yet."
    ballots.append(ballot(FIRST, room="=1+1\x1b[2J"))
    ballots.append(ballot(SECOND, 2, room="=1+1\x1b[2J"))
    shown = command()
    assert shown.returncode == 0 and "\x1b" not in shown.stdout
    assert "9% right at first (C)" in shown.stdout and "74% after" in shown.stdout
    assert "+0.71" in shown.stdout
    row = next(csv.DictReader(io.StringIO(command("--csv").stdout)))
    assert row["first_B"] == "30" and row["second_C"] == "34" and row["gain"] == "0.7143"
    assert row["room"].startswith("'=")                     # no formula for a spreadsheet
    assert json.loads(command("--json").stdout)["votes"][0]["first"] == FIRST
    both = command("--json", "--csv")
    assert both.returncode == 2 and len(both.stderr.splitlines()) == 2
    chinese = command("--lang", "zh")
    assert PROMPT["zh"][:10] in chinese.stdout


def test_a_folder_that_cannot_be_written_is_told_and_the_lecture_goes_on(
        tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LECTURE_DATA_DIR", str(tmp_path / "file" / "x"))
    assert ballots.append(ballot(FIRST)) is False
    assert len(capsys.readouterr().err.splitlines()) == 2
