"""What the makers of records share, and whether each maker can be called.

Nothing is trained here; that each record is of its recipe is a test of its demo.
"""

from __future__ import annotations

import importlib
import json

import numpy as np
import pytest

from benchmarks import making
from tests.conftest import ROOT

MAKERS = sorted(p.stem for p in (ROOT / "benchmarks/records").glob("*.py") if p.stem[0] != "_")


@pytest.mark.parametrize("name", MAKERS)
def test_every_maker_says_what_it_makes(name: str, monkeypatch, capsys) -> None:
    maker = importlib.import_module(f"benchmarks.records.{name}")
    monkeypatch.setattr("sys.argv", [name, "--help"])
    with pytest.raises(SystemExit) as left:
        maker.main()
    told = capsys.readouterr().out
    assert left.value.code == 0
    assert f"python -m benchmarks.records.{name}" in told and f"{name}" in maker.__doc__
    assert "--to FOLDER" in told


def test_a_record_is_plain_dated_and_whole(tmp_path) -> None:
    making.keep("some", {"a": np.float64(0.5), "b": np.arange(2), "c": [np.int64(3)]}, tmp_path,
                packages=())
    kept = json.loads((tmp_path / "some.json").read_text())
    assert {k: kept[k] for k in "abc"} == {"a": 0.5, "b": [0, 1], "c": [3]}
    assert kept["versions"]["numpy"] == np.__version__ and len(kept["date"]) == 10
    with pytest.raises(ValueError, match="Out of range"):
        making.keep("some", {"a": float("nan")}, tmp_path, packages=())
    assert json.loads((tmp_path / "some.json").read_text()) == kept


def test_only_records_of_the_maker_are_made(capsys) -> None:
    assert making.wishes("x", several=("one", "two"), words=[]).names == ["one", "two"]
    assert making.wishes("x", several=("one", "two"), words=["two"]).names == ["two"]
    with pytest.raises(SystemExit) as left:
        making.wishes("x", several=("one", "two"), words=["three"])
    assert left.value.code == 2 and "'three'" in capsys.readouterr().err


def test_numbers_are_cut_all_the_way_down() -> None:
    assert making.rounded({"a": [1.23456, 2], "b": (np.float64(1 / 3), None)}, 2) == {
        "a": [1.23, 2], "b": [0.33, None]}
