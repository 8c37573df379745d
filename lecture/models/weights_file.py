"""What stands in a weights file?  Its tensors by name, and the words of its record.

The format is safetensors: 8 bytes that say how long the header is, the header (JSON: each
tensor's dtype, shape and place), then the numbers, one tensor after another, without a gap.
Its own library reads it wherever there is one.  In a browser there is none, and `parsed` does
the same in a few lines: tests/models/test_weights_file.py holds the two together, on every
file the course ships, on damaged ones and on thousands of changed bytes.

Nothing read is ever executed.  Left out: writing, and the number types NumPy does not have.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

Tensors = dict[str, np.ndarray]
Read = tuple[Tensors, dict[str, str]]               # the tensors, and the record's words

LONGEST = 100_000_000                               # bytes of a header, as the library has it
DTYPES = {"BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "F16": "<f2",
          "U32": "<u4", "I32": "<i4", "F32": "<f4", "U64": "<u8", "I64": "<i8", "F64": "<f8"}


class NotWhole(ValueError):
    """The bytes are no whole file of this format; the message says what is wrong first."""


def from_file(path: Path) -> Read:
    """What a file holds; NotWhole, or OSError where it cannot be read."""
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError:
        return parsed(path.read_bytes())
    try:
        with safe_open(path, framework="numpy") as file:
            names = list(file.keys())               # an open file has no iterator
            return {name: file.get_tensor(name) for name in names}, file.metadata() or {}
    except (SafetensorError, TypeError, ValueError) as error:       # a type NumPy has not
        raise NotWhole(str(error)) from error


def from_bytes(content: bytes) -> Read:
    """The same from a file's bytes."""
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load
    except ImportError:
        return parsed(content)
    try:
        return load(content), record(content)
    except (SafetensorError, TypeError, KeyError) as error:
        raise NotWhole(str(error)) from error


def record(content: bytes) -> dict[str, str]:
    """The record alone; no tensor is looked at."""
    return _header(content)[1]


def parsed(content: bytes) -> Read:
    """The same without the library."""
    places, record, data = _header(content)
    at = 0
    for start, end, name, dtype, shape in sorted(places, key=lambda place: place[:3]):
        if start != at or end != at + math.prod(shape) * dtype.itemsize:
            raise NotWhole(f"the place of {name} does not fit its shape, or leaves a gap")
        at = end
    if at != len(data):
        raise NotWhole("it is shorter or longer than its header says")
    return {name: np.frombuffer(data[start:end], dtype).reshape(shape).copy()
            for start, end, name, dtype, shape in places}, record


Place = tuple[int, int, str, Any, tuple[int, ...]]  # first and last byte, name, dtype, shape


def _header(content: bytes) -> tuple[list[Place], dict[str, str], memoryview]:
    """Where each tensor lies, the record, and the bytes behind the header."""
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 or length > min(LONGEST, len(content) - 8):
        raise NotWhole("it ends inside its header")
    try:
        found = json.loads(content[8:8 + length].decode("utf-8"), object_pairs_hook=_once)
        record = found.pop("__metadata__", None) or {}
        places = [_place(name, **entry) for name, entry in found.items()]
    except (AttributeError, TypeError, ValueError, KeyError, RecursionError) as error:
        raise NotWhole(f"its header cannot be read: {error}") from error
    if not isinstance(record, dict) or not all(type(text) is str for text in record.values()):
        raise NotWhole("its record holds something that is no text")
    return places, record, memoryview(content)[8 + length:]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) != len({name for name, _ in pairs}):
        raise ValueError("a name stands there twice")
    return dict(pairs)


def _place(name: str, dtype: str, shape: list[int], data_offsets: list[int]) -> Place:
    start, end = data_offsets
    if any(type(n) is not int or n < 0 for n in (*shape, start, end)):
        raise ValueError(f"{name} has a place or a shape that is no count")
    return start, end, name, np.dtype(DTYPES[dtype]), tuple(shape)
