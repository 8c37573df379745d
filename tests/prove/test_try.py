"""Are a student's functions judged, their mistakes named, and is whatever they do survived?

What the bank, the mistakes in other words, the right versions and the hostile files give on whole
demos is measured by `python -m benchmarks.mistakes`; here the probes of all of them are asked, a
few claims are judged again, and a few files go through the command.
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attention_np
from benchmarks.mistakes.hostile import HOSTILE
from benchmarks.mistakes.other_words import OTHER_WORDS, code_of
from benchmarks.mistakes.right_versions import RIGHT_VERSIONS
from cli import main
from demos import find
from lecture.errors import UsageProblem
from lecture.prove import attempt, diagnose, held, own, probes, tasks
from lecture.prove.attempt import Tried, attempted, failing, judge
from lecture.prove.mistakes import bank as mistakes
from lecture.prove.own import Own
from lecture.prove.tasks import TASKS, Task
from tests.conftest import ROOT

BY_NAME = {t.name: t for t in TASKS}
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def asked(text: str, demo: str) -> tuple[list[Own], dict[str, Any], Any]:
    """A file's functions, and what they make of their probes."""
    some = tasks.tasks_of(demo)
    module = attempt.loaded(text, "mine.py")
    owns = attempt.owns_of(module, some, attempt.written(text, some),
                           {t.name: attempt.ours_of(t) for t in some})
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return owns, {o.task.name: probes.asked(o.task, o) for o in owns}, module


@cache
def right_of(task: Task) -> dict[str, probes.Outcome]:
    return probes.asked(task, attempt.ours_of(task))


def wrong_in(task: Task, found: Any) -> set[str]:
    return {key for key, one in found.items() if not one.same(right_of(task)[key])}


# --- right versions --------------------------------------------------------------


@pytest.mark.parametrize(("demo", "way"), [(d, w) for d, ways in RIGHT_VERSIONS.items()
                                           for w in ways])
def test_a_right_version_in_another_way_fails_no_probe(demo: str, way: str) -> None:
    owns, found, _ = asked(RIGHT_VERSIONS[demo][way], demo)
    assert owns and not any(o.changed for o in owns)
    for one in owns:
        assert not wrong_in(one.task, found[one.task.name])


def test_every_task_is_written_in_several_ways() -> None:
    for task in TASKS:
        ways = [way for way, text in RIGHT_VERSIONS[task.demo].items()
                if attempt.written(text, [task])[task.name] == "yours"]
        assert len(ways) >= 2, task.name


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.name)
def test_the_banks_own_right_code_is_right(task: Task) -> None:
    _, found, _ = asked(mistakes.right(task.name), task.demo)
    assert not wrong_in(task, found[task.name])


# --- the bank --------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.name)
def test_every_mistake_is_caught_and_told_from_the_others(task: Task) -> None:
    """By probes alone: each fails some, and no two make the same of all they fail."""
    made = {m.key: diagnose.outcomes_of(m, task, attempt.ours_of(task))
            for m in mistakes.of(task.name)}
    assert len(made) >= 3
    for key, outcomes in made.items():
        fails = wrong_in(task, outcomes)
        assert fails, f"{key} passes every probe"
        alike = [k for k, other in made.items() if wrong_in(task, other) == fails
                 and all(other[p].same(outcomes[p]) for p in fails)]
        assert alike == [key]


def test_the_bank_is_whole() -> None:
    keys = [m.key for m in mistakes.bank()]
    assert len(keys) == len(set(keys)) >= 40
    assert {m.function for m in mistakes.bank()} == set(BY_NAME) == set(probes.PROBES)
    assert tuple(dict.fromkeys(t.demo for t in TASKS)) == mistakes.DEMOS
    for mistake in mistakes.bank():
        demo, number = mistake.read.split(".")
        assert int(number) in [p.number for p in find(demo)[0].parts()], mistake.read
        mistake.name.zh.encode("gbk")
        assert re.search("[\u4e00-\u9fff]|RMS", mistake.name.zh) and mistake.name.en.isprintable()


def test_what_mistakes_fail_is_as_the_benchmark_found_it() -> None:
    """fails.json: every mistake fails something there, and its probes are those of today."""
    kept = mistakes.fails()
    assert list(kept) == [m.key for m in mistakes.bank()]
    for mistake in mistakes.bank():
        task = BY_NAME[mistake.function]
        outcomes = diagnose.outcomes_of(mistake, task, attempt.ours_of(task))
        assert {f"{task.name}:{key}" for key in wrong_in(task, outcomes)} == {
            what for what in kept[mistake.key] if ":" in what}


@pytest.mark.parametrize(("key", "parts"), [
    ("attention.mask_inverted", ["lookup", "mask"]), ("softmax.no_sum", ["lookup"]),
    ("causal_mask.next", ["mask"]), ("combined_mask.either", ["masks", "empty"]),
    ("rope.mixed", ["order", "rope"]), ("share_heads.in_turn", ["groups"]),
    ("rms_norm.centred", ["norms"]), ("beam_step.worst_first", ["beams"]),
    ("ece.signed", ["unknown"])])
def test_claims_fail_as_the_benchmark_found_them(key: str, parts: list[str]) -> None:
    mistake = next(m for m in mistakes.bank() if m.key == key)
    entry = find(BY_NAME[mistake.function].demo)[0]
    chosen = [p for p in entry.parts() if p.key in parts]
    assert [p.key for p in chosen] == parts
    found = attempted(mistake.code(), entry, parts)
    numbers = tuple(f"{entry.code}.{p.number}" for p in chosen)
    assert failing(found, chosen) == {what for what in mistakes.fails()[key]
                                      if ":" in what or what.startswith(numbers)}


def test_the_benchmark_is_of_this_bank() -> None:
    """At least nine of ten are named, in the bank's words and in others; no right one alarms."""
    from benchmarks.mistakes import named

    found = json.loads((ROOT / "benchmarks/mistakes.json").read_text(encoding="utf-8"))
    assert list(found["bank"]) == [m.key for m in mistakes.bank()]
    assert {k: frozenset(r["fails"]) for k, r in found["bank"].items()} == mistakes.fails()
    assert all(r["fails"] for r in found["bank"].values())
    for rows in ([(k, r["said"]) for k, r in found["bank"].items()],
                 [(r["mistake"], r["said"]) for r in found["other_words"]]):
        assert 10 * sum(named(k, said) == "it" for k, said in rows) >= 9 * len(rows)
    assert [(r["mistake"], r["way"]) for r in found["other_words"]] == [
        (w[0], w[2]) for w in OTHER_WORDS]
    assert {d: {w: [] for w in ways} for d, ways in RIGHT_VERSIONS.items()} == found["right"]
    assert list(found["hostile"]) == list(HOSTILE) and len(HOSTILE) >= 20
    assert all(row["code"] == 1 for row in found["hostile"].values())
    for name, (_, says) in HOSTILE.items():
        assert says in found["hostile"][name]["says"]


@pytest.mark.parametrize("words", OTHER_WORDS, ids=lambda w: f"{w[0]}-{w[2]}")
def test_a_mistake_in_other_words_is_named_as_the_benchmark_found_it(words: Any) -> None:
    kept = json.loads((ROOT / "benchmarks/mistakes.json").read_text(encoding="utf-8"))
    owns, found, module = asked(code_of(words), words[1])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = [group for row in diagnose.looked_for(owns, module, found) for group in row["fits"]]
    assert said == next(row["said"] for row in kept["other_words"]
                        if (row["mistake"], row["way"]) == (words[0], words[2]))


# --- what is said ------------------------------------------------------------------

ATTENTION = mistakes.right("attention")


def lines(text: str, parts: list[str] | None = None, demo: str = "04") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = judge(text, demo, parts, "en")["diagnosis"]
    return found


def test_the_claims_are_judged_with_the_students_numbers() -> None:
    found = judge(ATTENTION, "04", ["lookup", "mask"], "en")
    assert found["good"] and json.dumps(found, allow_nan=False)
    claims = {c["key"]: c for part in found["parts"] for c in part["claims"]}
    assert claims["causal_is_exact"]["holds"] and all(p["holds"] for p in found["probes"])
    wrong = judge(ATTENTION.replace("(mask, S, -np.inf)", "(mask, -np.inf, S)"), "04",
                  ["lookup", "mask"], "en")
    claims = {c["key"]: c for part in wrong["parts"] for c in part["claims"]}
    assert not claims["causal_is_exact"]["holds"] and claims["causal_is_exact"]["margin"] < 0
    assert not wrong["good"] and wrong["functions"]["softmax"] == "absent"


def test_two_mistakes_at_once_are_both_named() -> None:
    both = ATTENTION.replace("np.sqrt(Q.shape[-1])", "Q.shape[-1]").replace("-np.inf)\n", "-1e9)\n")
    assert [line["mistakes"] for line in lines(both, ["mask"])] == [
        ["attention.by_d"], ["attention.minus_billion"]]
    met = ATTENTION.replace("(mask,", "(~mask,").replace("-np.inf)\n", "-1e30)\n")
    assert [line["mistakes"] for line in lines(met, ["mask"])] == [
        ["attention.mask_inverted"], ["attention.minus_billion"]]
    apart = mistakes.right("padding_mask").replace("!=", "==") + mistakes.right(
        "combined_mask").replace("keep & np", "keep | np")
    assert [line["mistakes"] for line in lines(apart, ["masks"], "06")] == [
        ["padding_mask.inverted"], ["combined_mask.either"]]


def test_a_function_is_not_blamed_for_another() -> None:
    text = mistakes.right("softmax").replace("np.exp(x - top)", "np.exp(x)") + '''
def attention(Q, K, V, scale=True, mask=None):
    S = Q @ K.swapaxes(-1, -2) / (np.sqrt(Q.shape[-1]) if scale else 1)
    W = softmax(S if mask is None else np.where(mask, S, -np.inf))
    return W @ V, W
'''
    said = lines(text, ["lookup"])
    assert [(line["kind"], line["function"]) for line in said] == [
        ("mistake", "softmax"), ("elsewhere", "attention")]


def test_an_unknown_mistake_is_said_to_be_unknown() -> None:
    said = lines(ATTENTION.replace("W = _softmax(S)", "W = _softmax(S) ** 2"), ["lookup", "mask"])
    assert [line["kind"] for line in said] == ["unknown", "first"]
    assert "no mistake we know" in said[0]["text"] and "margin -" in said[1]["text"]


def test_what_is_left_over_is_said_beside_what_is_named() -> None:
    """Over tokens and width together: the bank's nearest, and the batch it does not explain."""
    text = mistakes.right("layer_norm").replace("axis=-1", "axis=(-2, -1)[-min(x.ndim, 2):]")
    said = lines(text, ["norms"], "09")
    assert [line["kind"] for line in said] == ["mistake", "unknown"]
    assert said[0]["mistakes"] == ["layer_norm.one_mean"] and "besides" in said[1]["text"]


def test_a_number_that_agrees_by_accident_names_nothing() -> None:
    """Right but where a key is hidden: there it gives what one who ignores the mask gives."""
    text = ATTENTION.replace("    W = _softmax(S)", "    S = S + 0.01 * np.arange(S.shape[-1])\n"
                             "    W = _softmax(S)")
    assert [line["kind"] for line in lines(text, ["mask"])][:1] == ["unknown"]


def test_another_answer_each_time_is_noticed() -> None:
    said = lines(ATTENTION.replace("W = _softmax(S)", "W = _softmax(S)\n    W = W * (np.random"
                                   ".rand(*W.shape) > .1) / .9"), ["lookup"])
    assert said[0]["kind"] == "restless" and "something else each time" in said[0]["text"]


def test_where_several_fit_all_are_named() -> None:
    two = mistakes.of("attention")[:2]
    assert two[0].name.en in diagnose.named(two).text.en
    assert "several fit" in diagnose.named(two).text.en and two[1].name.en in (
        diagnose.named(two).text.en)


def test_an_argument_changed_in_place_is_noticed_and_harms_nobody() -> None:
    text = ATTENTION.replace("    S = Q @", "    V *= 2\n    S = Q @")
    found = judge(text, "04", ["lookup"], "en")
    assert found["changed"] == {"attention": ["V"]} and not found["good"]
    assert [line["text"] for line in found["diagnosis"] if line["kind"] == "changed"] == [
        "attention changes V, its argument, in place."]


def test_an_error_is_shortened_to_their_file_and_the_demo_goes_on() -> None:
    text = ("import numpy as np\ndef causal_mask(T, S=None, offset=None):\n"
            "    return helper(T)\ndef helper(T):\n    return [][T]\n")
    found = judge(text, "04", ["lookup", "mask"], "en")
    first, second = found["parts"]
    assert all(c["holds"] for c in first["claims"])
    told = "\n".join(second["error"])
    assert "line 3" in told and "line 5" in told and "IndexError" in told
    assert "lecture" not in told and "attention_np" not in told


def test_what_has_another_shape_is_refused_in_words() -> None:
    for body, says in (("return Q", "an array of float64"), ("return None", "a NoneType"),
                       ("return Q, K", "shape"), ("return 'one', 'two'", "an array of <U3")):
        text = f"def attention(Q, K, V, scale=True, mask=None):\n    {body}\n"
        found = judge(text, "04", ["lookup"], "en")
        assert says in found["probes"][1]["got"], body
        assert found["parts"][0]["error"][0].startswith("attention gives "), body


# --- in place of ours ---------------------------------------------------------------


def test_ours_is_back_afterwards() -> None:
    before = {name: module for name, module in sys.modules.items() if attempt._is_caller(name)}
    found = attempted("def softmax(x):\n    raise RuntimeError('no')\n", find("04")[0], ["lookup"])
    assert found.parts["lookup"]["theirs"]
    after = {name: module for name, module in sys.modules.items() if attempt._is_caller(name)}
    assert {n: m for n, m in after.items() if n in before} == before
    import lecture.models

    assert sys.modules["lecture.models.gpt_np"] is lecture.models.gpt_np
    assert attention_np.softmax([0.0, 0.0]).tolist() == [0.5, 0.5]


def test_theirs_is_called_by_ours_too() -> None:
    """attention is ours and calls softmax, which is theirs; so does the GPT of 04.5."""
    calls: list[Any] = []
    task = BY_NAME["softmax"]

    def softmax(x: Any) -> Any:
        calls.append(x.shape)
        return attention_np.softmax(x)

    with attempt.replaced([Own(task, softmax, attention_np.softmax)]):
        import attention_np as there
        from lecture.models import gpt_np

        assert there is not attention_np
        there.attention(np.eye(2), np.eye(2), np.eye(2))
        assert calls == [(2, 2)] and gpt_np.softmax is there.softmax
    assert sys.modules["attention_np"] is attention_np


def test_a_slow_function_that_is_right_may_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "SLOW", -1.0)
    monkeypatch.setattr(own, "PATIENCE", -1.0)
    task, x = BY_NAME["softmax"], np.array([1.0, 2.0])
    good = Own(task, attention_np.softmax, attention_np.softmax)
    assert good(x) is not None and good.rested and good.calls == 1
    good(x)
    assert good.calls == 1
    bad = Own(task, lambda x: x, attention_np.softmax)
    assert bad(x).tolist() == [1.0, 2.0] and not bad.rested and bad.strayed


def test_single_precision_is_carried_on_as_ours_and_said() -> None:
    found = judge(RIGHT_VERSIONS["04"]["single"], "04", ["lookup"], "en")
    assert found["good"] and found["single_precision"] == ["attention"]
    task = BY_NAME["softmax"]
    coarse = Own(task, lambda x: attention_np.softmax(x).astype(np.float16), attention_np.softmax)
    x = np.array([0.0, .3])
    assert abs(coarse(x) - attention_np.softmax(x)).max() > 1e-5    # half precision is a mistake


# --- the blank file ------------------------------------------------------------------


@pytest.mark.parametrize("demo", list(RIGHT_VERSIONS))
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_blank_file_names_every_task_and_has_written_none(demo: str, lang: str) -> None:
    text = tasks.blank(demo, lang, "mine.py")
    some = tasks.tasks_of(demo)
    assert set(attempt.written(text, some).values()) == {"blank"}
    assert f"lecture try {demo} mine.py" in text.splitlines()[0]
    module = attempt.loaded(text, "mine.py")
    for task in some:
        assert getattr(module, task.name).__code__.co_varnames[:len(task.parameters)] == tuple(
            task.parameters)
        assert task.gives in getattr(module, task.name).__doc__


def test_filled_in_one_at_a_time() -> None:
    text = tasks.blank("06", "en", "mine.py") + mistakes.right("padding_mask")
    found = judge(text, "06", ["masks"], "en")
    assert found["functions"] == {"padding_mask": "yours", "combined_mask": "blank"} or (
        found["functions"] == {"padding_mask": "blank", "combined_mask": "blank"})
    half = text.replace("def padding_mask(ids, pad, heads=False):\n    \"\"\"", "def _old(i):\n    "
                        "\"\"\"", 1)
    assert judge(half, "06", ["masks"], "en")["functions"]["padding_mask"] == "yours"


def test_demos_without_tasks_say_which_have_some() -> None:
    with pytest.raises(UsageProblem) as caught:
        tasks.tasks_of("05")
    assert "04, 06" in caught.value.todo


# --- from another process -------------------------------------------------------------


@pytest.mark.parametrize("raw", [
    b"T {}x", b"T []", b'T {"part": 1, "found": 2}', b'T {"functions": []}', b"T NaN",
    b'T {"part": "lookup", "found": {"metrics": NaN}}', b"T " + b"[" * 9999, b"T \xff",
    b'T {"part": "lookup", "found": {"metrics": [], "non_finite": []}}', b'T {"single": "softmax"}',
    b'T {"probes": [{"function": "softmax", "key": "row", "zh": "", "en": "", "holds": false}]}',
    b'T {"mistakes": [{"function": "softmax", "fits": [1], "left": [], "elsewhere": false}]}'])
def test_what_cannot_be_read_is_told_in_two_lines(raw: bytes) -> None:
    found = held._judged(raw + b"\n", "T", "04", "mine.py", "04.1", 1, 0, False, "")
    assert found.stopped and found.stopped.code == 1 and "cannot be read" in found.stopped.what


def test_what_it_prints_is_no_answer() -> None:
    raw = b'{"functions": {"softmax": "yours"}, "whole": true}\nU {"whole": true}\n'
    found = held._judged(raw, "T", "04", "mine.py", "04.1", 1, 0, False, "")
    assert not found.tried.whole and "ended its process with exit code 0" in str(found.stopped)


def test_names_that_were_made_up_are_passed_over() -> None:
    row = {"function": "softmax", "fits": [["softmax.no_such"], []], "left": ["row", "no such"],
           "elsewhere": False, "restless": False}
    told = Tried("04", {"softmax": "yours"}, mistakes=[row, row | {"function": "no_such"}])
    said = diagnose.diagnosis(told, [])
    assert [line.kind for line in said] == ["unknown"] and "one row of three" in said[0].text.en


def test_metrics_of_any_form_are_judged_without_an_error() -> None:
    """A process that lies about its numbers: claims fail, nothing is raised."""
    from console import Screen
    from lecture.show import tried as screen_of

    parts = [p for p in find("04")[0].parts() if p.key in ("lookup", "mask")]
    for metrics in ({}, {"queries": 1}, {"queries": {"colour": []}, "words": [[[]]]},
                    {"full": [["a", None]], "causal": [[True]], "words": 5}):
        told = Tried("04", {"softmax": "yours"}, {
            "lookup": {"metrics": metrics, "non_finite": []},
            "mask": {"error": ["\x1b[2J"], "theirs": True}}, whole=True)
        assert len(failing(told, parts)) == len(parts[0].every_claim()) + 1
        for lang in ("zh", "en"):
            stream = open(os.devnull, "w", encoding="utf-8")            # noqa: SIM115
            screen_of.draw(find("04")[0], parts, told, "mine.py",
                           Screen(stream, lang=lang, width=60), True)
            stream.close()


def test_writing_and_processes_are_refused(tmp_path: Path) -> None:
    for event, args in (("os.fork", ()), ("subprocess.Popen", ()), ("os.remove", ("x", -1)),
                        ("open", ("x", "w", 0)), ("open", ("x", None, os.O_WRONLY)),
                        ("open", (b"x", "a+", 0))):
        with pytest.raises(PermissionError):
            held._refuse(event, args)
    for event, args in (("open", ("x", "r", 0)), ("open", (3, "w", 0)), ("import", ("os",)),
                        ("open", (os.devnull, "w", 0)), ("open", ("x", None, os.O_RDONLY))):
        held._refuse(event, args)


# --- the command ------------------------------------------------------------------------

NEEDS_PROC = pytest.mark.skipif(os.name != "posix", reason="signals and /proc")


@pytest.fixture
def mine(tmp_path: Path, lecture: Any) -> Any:
    """Try a text as mine.py; nothing else may be in its folder afterwards."""
    def run(text: str, *words: str, demo: str = "04") -> Any:
        path = tmp_path / "mine.py"
        path.write_text(text, encoding="utf-8")
        done = lecture("try", demo, str(path), *words, text=True)
        assert os.listdir(tmp_path) == ["mine.py"]
        assert "Traceback" not in done.stderr and "fault of ours" not in done.stderr
        return done
    return run


def test_the_command_says_what_is_wrong_and_exits_1(mine: Any) -> None:
    done = mine(ATTENTION.replace("np.sqrt(Q.shape[-1])", "Q.shape[-1]"), "--part", "3,1",
                "--lang", "en", "--width", "80")
    assert done.returncode == 1 and not done.stderr
    for said in ("Your functions: attention (mine.py)", "runs with your rights", "04.1  A soft",
                 "04.3  The causal", "divided by d, not by √d", "lecture demo 04 --part 2",
                 "With your code 12 of 12 observations and 2 of 11 probes hold."):
        assert said in done.stdout, said
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_command_says_that_all_holds_and_exits_0(mine: Any) -> None:
    done = mine("print('seen')\n" + mistakes.right("rms_norm"), "--part", "2", "--lang", "zh",
                "--plain", demo="09")
    assert done.returncode == 0 and "全部成立" in done.stdout and "诊断" not in done.stdout
    assert done.stderr.splitlines() == ["mine.py: seen"]


def test_the_command_hands_a_document_to_a_teachers_tool(mine: Any) -> None:
    done = mine(mistakes.right("ece").replace("/ bins)", "/ bins, right=True)"), "--json",
                "--part", "1", demo="13")
    found = json.loads(done.stdout)
    assert done.returncode == 1 and found["good"] is False and found["schema"] == 1
    assert found["diagnosis"][0]["mistakes"] == ["ece.right_edge"]


@NEEDS_PROC
@pytest.mark.parametrize("name", ["loop_in_a_task", "exit_at_once", "endless_output",
                                  "a_file_overwritten"])
def test_a_hostile_file_ends_in_two_lines(name: str, mine: Any) -> None:
    text, says = HOSTILE[name]
    done = mine(text, "--part", "1", "--timeout", "2", "--lang", "en")
    told = [line for line in done.stderr.splitlines() if not line.startswith("mine.py: ")]
    assert done.returncode == 1 and not done.stdout and len(told) == 2
    assert says in told[0] and told[0].startswith("lecture: mine.py ")


def test_what_it_cut_short_is_shown_as_far_as_it_came(mine: Any) -> None:
    text = "import os\n" + mistakes.right("causal_mask").replace(
        "    S = T if", "    if T == 6: os._exit(3)\n    S = T if")
    done = mine(text, "--part", "1,3", "--lang", "en")
    assert done.returncode == 1 and "04.1  A soft" in done.stdout
    assert "Not computed" in done.stdout and "with exit code 3, at 04.3" in done.stderr


@pytest.mark.parametrize(("words", "says"), [
    (["try", "04", "no_such_file.py"], "--blank"), (["try", "05", "x.py"], "04, 06"),
    (["try", "all", "x.py"], "mine.py"), (["try", "04", "cli.py"], "softmax(x)"),
    (["try", "04", "tests"], "Python file"), (["try", "04", "x.py", "--timeout", "0"], "--help"),
    (["try", "04", "demos/weights/base.safetensors"], "UTF-8")])
def test_bad_input_is_two_lines(words: list[str], says: str, monkeypatch: pytest.MonkeyPatch,
                                capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    assert main(words) == 2
    told = capsys.readouterr()
    assert not told.out and len(told.err.strip().splitlines()) == 2 and says in told.err, told.err


def test_a_blank_file_is_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                      monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["try", "01", "--blank", "mine.py", "--lang", "en"]) == 0
    assert "lecture try 01 mine.py" in capsys.readouterr().out
    kept = Path("mine.py").read_text(encoding="utf-8")
    assert "def join(symbols, pair):" in kept
    assert main(["try", "01", "mine.py", "--blank"]) == 2
    assert Path("mine.py").read_text(encoding="utf-8") == kept
    assert main(["try", "tokens", "--blank", "--lang", "zh"]) == 0 and Path("try01.py").exists()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_without_a_file_it_says_what_there_is_to_write(
        lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    for demo in mistakes.DEMOS:
        assert main(["try", demo, "--lang", lang, "--width", "60"]) == 0
        told = " ".join(capsys.readouterr().out.split())
        for task in tasks.tasks_of(demo):
            assert task.signature in told
            task.about.zh.encode("gbk")


def test_completion_names_the_demos_that_have_tasks() -> None:
    from lecture.commands import _to_try

    assert _to_try("0") == ["01", "04", "06", "07", "08", "09"] and _to_try("att") == ["attention"]
