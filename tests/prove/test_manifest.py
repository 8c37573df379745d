"""Every trained file is the one that was looked at: an edit anywhere is seen and named.

Most tests work on a small course of one model and two records; the last ones on ours.
"""

from __future__ import annotations

import json
import types

import numpy as np
import pytest
from typer.testing import CliRunner

from lecture.commands import app
from lecture.models import cache
from lecture.prove import check, manifest
from tests.models.test_cache import SMALL, draw

CODE, OTHER = "a" * 64, "b" * 64
MADE = {"trainer": CODE, "machine": {"processor": "a test", "simd": "none"},
        "versions": {"python": "3.11"}, "date": "2026-01-01"}
TODAY = {"small": CODE}


def weights(noise: float = 0.0, **made) -> bytes:
    """A whole file, its own digest right, whatever was done to one tensor."""
    tensors, history = draw(SMALL)
    if noise:
        a = tensors["blocks.0.mlp.up.weight"]
        a += (noise * a.std() * np.random.default_rng(0).normal(size=a.shape)).astype(a.dtype)
    return cache.to_bytes(SMALL, tensors, history, {**MADE, **made})


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A folder with one model and two records, all listed."""
    monkeypatch.setattr(manifest, "top", lambda: tmp_path)
    monkeypatch.setattr(manifest, "home", lambda model: "09")
    (tmp_path / "weights").mkdir()
    (tmp_path / "records").mkdir()
    (tmp_path / "weights" / "small.safetensors").write_bytes(weights())
    (tmp_path / "records" / "old.json").write_text('{"runs": [1, 2]}')
    (tmp_path / "records" / "new.json").write_text(json.dumps({"runs": [0.5], **MADE}))
    assert len(manifest.accept()) == 3
    assert manifest.compare(TODAY).problems == ()
    return tmp_path


def problems(today=None, wheel=False) -> list[str]:
    return [f"{p.place} {p.what}" for p in manifest.compare(TODAY if today is None else today,
                                                            wheel).problems]


def test_it_says_what_the_files_say_and_unknown_where_they_do_not(course):
    listed = manifest.read()
    assert {key: listed["records/new.json"][key] for key in MADE} == MADE
    assert {key: listed["weights/small.safetensors"][key] for key in MADE} == MADE
    assert [listed["records/old.json"][key] for key in manifest.MADE] == ["unknown"] * 4
    assert manifest.compare(TODAY).counts == {"files": 3, "trainers": 1}


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


NOT_THE_ONE = "is not the one in the manifest"
EDITS = {
    "a leaf of a record": (lambda at: edit(at / "records/old.json", "2", "3"),
                           f"demos/records/old.json {NOT_THE_ONE}"),
    "a blank in a record": (lambda at: edit(at / "records/old.json", ", ", ",  "),
                            f"demos/records/old.json {NOT_THE_ONE}"),
    "no record any more": (lambda at: (at / "records/old.json").unlink(),
                           "demos/records/old.json is in the manifest and not there"),
    "one more record": (lambda at: (at / "records/more.json").write_text("{}"),
                        "demos/records/more.json is not in the manifest"),
    "noise in one tensor": (lambda at: (at / "weights/small.safetensors").write_bytes(
        weights(0.001)), f"demos/weights/small.safetensors {NOT_THE_ONE}"),
    "another date": (lambda at: (at / "weights/small.safetensors").write_bytes(
        weights(date="2026-01-02")), f"demos/weights/small.safetensors {NOT_THE_ONE}"),
    "an invented processor": (lambda at: edit(at / "MANIFEST.json", '"machine": "unknown"',
                                              '"machine": "a fast one"'),
                              "demos/records/old.json was not made as the manifest says"),
    "the list's own hash": (lambda at: edit(at / "MANIFEST.json",
                                            manifest.read()["records/old.json"]["sha256"],
                                            "0" * 64),
                            f"demos/records/old.json {NOT_THE_ONE}"),
}


@pytest.mark.parametrize("case", EDITS)
def test_an_edit_is_seen_and_named(course, case):
    change, what = EDITS[case]
    change(course)
    assert problems() == [what]


def test_noise_leaves_a_file_that_every_other_check_takes(course, monkeypatch):
    """So that the hash is what sees it: digest, names, shapes and fingerprint all fit."""
    monkeypatch.setattr(cache, "SHIPPED", course / "weights")
    (course / "weights/small.safetensors").write_bytes(weights(0.001))
    assert cache.verify(SMALL) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": 3}', '{"files": {"a": 1}}',
                                  "[" * 100_000])
def test_a_manifest_that_cannot_be_read_lists_nothing(course, text):
    (course / "MANIFEST.json").write_text(text)
    assert sum("is not in the manifest" in p for p in problems()) == 3


def test_accept_shows_what_changed_and_then_nothing(course):
    before = manifest.path().read_bytes()
    assert manifest.accept() == {} and manifest.path().read_bytes() == before
    for case in ("a leaf of a record", "one more record", "noise in one tensor"):
        EDITS[case][0](course)
    (course / "records/new.json").unlink()
    changed = manifest.accept()
    assert changed.keys() == {"records/old.json", "records/more.json", "records/new.json",
                              "weights/small.safetensors"}
    assert changed["records/new.json"] == "is gone" and " -> " in changed["records/old.json"]
    assert changed["records/more.json"].startswith("is new: ")
    assert problems() == [] and manifest.accept() == {}
    (course / "records/more.json").unlink()
    assert manifest.accept() == {"records/more.json": "is gone"}
    EDITS["an invented processor"][0](course)
    assert manifest.accept() == {"records/old.json": "who made it was written anew"}
    edit(course / "MANIFEST.json", '"schema": 1', '"schema": 9')
    assert manifest.accept() == {"MANIFEST.json": "was written anew"}


def test_a_trainer_must_have_made_or_reproduced_the_model(course):
    (said,) = problems({"small": OTHER})
    assert said == ("demos/weights/small.safetensors today's trainer (bbbbbbbbbbbb) has not been "
                    "seen to reproduce it: lecture check 09 --retrain --fresh")
    assert problems({"small": OTHER}, wheel=True) == []
    assert manifest.compare({"small": OTHER}, wheel=True).counts == {
        "files": 3, "trainers": 0, "trainers not yet reproduced": 1}
    by = {"small": {**MADE, "trainer": OTHER}, "stranger": {**MADE, "trainer": OTHER}}
    assert manifest.add_reproduced(by) == ["small"]
    assert problems({"small": OTHER}) == [] and problems({"small": CODE}) == []
    before = manifest.path().read_bytes()
    assert manifest.add_reproduced(by) == [] and manifest.path().read_bytes() == before
    # a model that changes was reproduced by nobody; what is unknown is no trainer
    (course / "weights/small.safetensors").write_bytes(weights(0.001, trainer="unknown"))
    manifest.accept()
    for today in (OTHER, CODE, "unknown"):
        assert len(problems({"small": today})) == 1


# --- the course's own -------------------------------------------------------------------
def test_the_course_is_what_its_manifest_lists():
    found = manifest.check_files()
    assert found.problems == ()
    assert found.counts["files"] == len(manifest.read()) == len(manifest.on_disk())


def test_who_reproduced_a_model_says_on_what():
    for name, entry in manifest.read().items():
        assert ("reproduced" in entry) == name.startswith("weights/")
        for by in entry.get("reproduced", []):
            assert set(by) == {"trainer", "machine", "versions", "date", "digest"}
            assert set(by["machine"]) == {"processor", "simd"} and "torch" in by["versions"]
            assert len(by["trainer"]) == len(by["digest"]) == 64


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Our files in another place, and nothing written to ours."""
    for name, content in manifest.on_disk().items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "MANIFEST.json").write_bytes(manifest.path().read_bytes())
    monkeypatch.setattr(manifest, "top", lambda: tmp_path)
    monkeypatch.setattr(check, "check", lambda entry: iter(()))
    monkeypatch.setattr(check, "check_screens", lambda entry, outcomes: [])
    monkeypatch.setattr(check, "accept", lambda entry, outcomes: [])
    return tmp_path


def test_the_command_names_the_file_and_accepts_it_with_exit_1(copied):
    run = CliRunner().invoke(app, ["check", "01"])
    files = len(manifest.read())
    assert run.exit_code == 0
    assert run.stdout.startswith(f"manifest            OK      {files} files")
    edit(copied / "records/base_seeds.json", '"questions": 96', '"questions": 95')
    what = "demos/records/base_seeds.json is not the one in the manifest"
    run = CliRunner().invoke(app, ["check", "01"])
    assert run.exit_code == 1 and f"  {what}\n" in run.stdout and "NOT OK" in run.stdout
    run = CliRunner().invoke(app, ["check", "01", "--json"])
    assert run.exception is None or isinstance(run.exception, SystemExit), run.exception
    found = json.loads(run.stdout)
    assert run.exit_code == 1 and found["problems"] == 1
    assert found["files"]["problems"] == [{"place": "demos/records/base_seeds.json",
                                           "what": "is not the one in the manifest"}]
    for code in (1, 0):                     # once: it changed a byte; then it changes none
        run = CliRunner().invoke(app, ["check", "01", "--accept"])
        assert run.exit_code == code, run.stdout
        assert ("demos/records/base_seeds.json: " in run.stdout) == bool(code)
    assert CliRunner().invoke(app, ["check", "01"]).exit_code == 0


def test_retraining_notes_what_it_reproduced(copied, monkeypatch):
    from lecture.prove import sweep

    code = manifest.trainers_today()["base"]
    listed = manifest.read()
    listed["weights/base.safetensors"]["reproduced"] = []
    manifest.write(listed)
    assert CliRunner().invoke(app, ["check", "04"]).exit_code == 1
    asked = []
    share = sweep.Share("04.5", "knows", (0.5,), 1, 0)
    monkeypatch.setattr(sweep, "retrain", lambda *a, fresh, say: asked.append(fresh) or [share])
    by = {"base": {**MADE, "trainer": code, "digest": "0" * 64}}
    for found, problem, exit_code in ((by, [], 0), ({}, [check.Problem("04.5 claim knows", "no")],
                                                    1)):
        monkeypatch.setattr(sweep, "reproduced",
                            lambda entry, failed, found=found, problem=problem: (found, problem))
        run = CliRunner().invoke(app, ["check", "04", "--retrain", "--seeds", "1", "--fresh"])
        assert run.exit_code == exit_code, run.output
        assert "1 trained, 0 reused" in run.stdout
    assert asked == [True, True] and CliRunner().invoke(app, ["check", "04"]).exit_code == 0
    short = types.SimpleNamespace(**vars(share) | {"holds": 0})
    monkeypatch.setattr(sweep, "retrain", lambda *a, fresh, say: [short])
    monkeypatch.setattr(sweep, "reproduced", lambda entry, failed: asked.append(failed) or ({}, []))
    assert CliRunner().invoke(app, ["check", "04", "--retrain", "--fresh"]).exit_code == 1
    assert asked[-1] == {"04.5"}


def test_fresh_means_nothing_without_retrain():
    run = CliRunner().invoke(app, ["check", "04", "--fresh"])
    assert run.exit_code != 0 and "--fresh means nothing without --retrain" in str(run.exception)
