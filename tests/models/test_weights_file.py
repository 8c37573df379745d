"""Our own reading of a weights file beside the library's: the same tensors, the same refusals."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load, save

from lecture.models import cache, weights_file
from lecture.models.weights_file import NotWhole, parsed
from tests.models.test_cache import SMALL, SPOILED, draw

SHIPPED = sorted(cache.SHIPPED.glob("*.safetensors"))
WHOLE = cache.to_bytes(SMALL, *draw(SMALL))
TINY = save({"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.float64([1, 2])},
            {"lecture": "{}"})


def same(ours, theirs) -> None:
    assert ours.keys() == theirs.keys()
    for name, a in theirs.items():
        assert ours[name].dtype == a.dtype and ours[name].shape == a.shape
        assert ours[name].tobytes() == a.tobytes() and ours[name].flags.writeable


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_every_shipped_file_is_read_as_the_library_reads_it(path) -> None:
    tensors, record = parsed(path.read_bytes())
    theirs, told = weights_file.from_file(path)
    same(tensors, theirs)
    assert record == told and json.loads(record["lecture"])["name"] == path.stem
    assert len(SHIPPED) > 40


def test_every_type_that_numpy_has_and_every_kind_of_shape() -> None:
    kinds = [np.dtype(name) for name in weights_file.DTYPES.values()]
    shapes = ((), (0,), (3,), (2, 0), (2, 3), (1, 2, 2))
    made = {f"{kind.name}_{shape}": np.arange(np.prod(shape, dtype=int)).astype(kind)
            .reshape(shape) for kind in kinds for shape in shapes}
    for record in (None, {}, {"a": "", "b": "\u4e2d"}):
        tensors, told = parsed(save(made, record))
        same(tensors, made)
        assert told == (record or {})


@pytest.mark.parametrize("case", SPOILED)
def test_a_spoiled_file_is_refused_by_both_or_by_neither(case: str) -> None:
    """K-15, K-16, K-40: what is left (a digest, a shape) is the next room's to see."""
    meta = json.loads(weights_file.record(WHOLE)["lecture"])
    spoiled = SPOILED[case][0](WHOLE, parsed(WHOLE)[0], meta)
    if "not a whole" in SPOILED[case][1]:
        with pytest.raises(NotWhole):
            weights_file.from_bytes(spoiled)
        with pytest.raises(NotWhole):
            parsed(spoiled)
    else:
        same(parsed(spoiled)[0], load(spoiled))


def header(change) -> bytes:
    """The whole file with its header changed: change takes and returns the JSON."""
    length = int.from_bytes(WHOLE[:8], "little")
    found = json.loads(WHOLE[8:8 + length])
    text = change(found)
    told = (text if isinstance(text, str) else json.dumps(found)).encode()
    return len(told).to_bytes(8, "little") + told + WHOLE[8 + length:]


def put(name: str, key: str, value):
    return lambda found: found[name].update({key: value})


@pytest.mark.parametrize("change", [
    put("wte.weight", "dtype", "BF16"), put("wte.weight", "dtype", "F33"),
    put("wte.weight", "dtype", "F64"), put("wte.weight", "shape", [1, -1]),
    put("wte.weight", "shape", [True, 8]), put("wte.weight", "shape", "88"),
    put("wte.weight", "shape", [2.0, 8]), put("wte.weight", "data_offsets", [0]),
    put("wte.weight", "data_offsets", [0, 4]), put("wte.weight", "data_offsets", [4, 0]),
    put("wte.weight", "data_offsets", [2**63, 2**63]), put("wte.weight", "shape", [2**40, 2**40]),
    put("__metadata__", "lecture", 1), put("__metadata__", "other", None),
    lambda found: [place["data_offsets"].__setitem__(0, place["data_offsets"][0] + 1)
                   for name, place in found.items() if name == "wpe.weight"] and None,
    lambda found: found.pop("wte.weight") and None,
    lambda found: found.update({"wte.weight": None}),
    lambda found: found.update({"wte.weight": [1]}),
    lambda found: found["wte.weight"].pop("shape") and None,
    lambda found: "[]", lambda found: "null", lambda found: "{", lambda found: "[" * 9999,
    lambda found: json.dumps(found) + "x",
])
def test_a_wrong_header_is_refused_by_both(change) -> None:
    wrong = header(change)
    with pytest.raises(NotWhole):
        parsed(wrong)
    with pytest.raises(NotWhole):
        weights_file.from_bytes(wrong)


@settings(max_examples=600, deadline=None, database=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 700), st.integers(0, 255)), min_size=1, max_size=3),
       st.integers(-9, 3))
def test_changed_bytes_are_read_alike_or_refused(changes, cut: int) -> None:
    """Whatever ours accepts the library accepts, with the same tensors."""
    content = bytearray(TINY)
    for at, byte in changes:
        content[at % len(content)] = byte
    spoiled = bytes(content[:cut]) if cut < 0 else bytes(content) + b"\0" * cut
    try:
        tensors = parsed(spoiled)[0]
    except NotWhole:
        return
    same(tensors, load(spoiled))


def test_without_the_library_ours_reads(monkeypatch, tmp_path) -> None:
    """What a browser's Python meets: a demo's weights, and a damaged file named as ever."""
    for name in ("safetensors", "safetensors.numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    path = tmp_path / "small.safetensors"
    path.write_bytes(WHOLE)
    found = cache.read(path, SMALL, "shipped")
    assert found.digest == cache.digest(draw(SMALL)[0])
    path.write_bytes(WHOLE[:-1])
    with pytest.raises(cache.Unusable, match="not a whole safetensors file"):
        cache.read(path, SMALL, "shipped")
