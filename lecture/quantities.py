"""How does a table name what it shows, so that a header cannot belong to another number?

A part declares each metric path it shows once, as a Quantity (header, format, floor), and
each row once, as a name.  The blocks here hold PATHS and nothing else: `resolve` looks up
header, unit and number by the same path and makes the plain block that is drawn.  An
exchanged column takes its header with it; a row pattern that matches nothing, a column
whose cells belong to two quantities, a path without a quantity: all are refused.

Unlike report.Table, whose cells are put together by hand.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lecture.report import (
    LANGUAGES,
    Bars,
    Block,
    Column,
    Curve,
    HeatMap,
    Num,
    Part,
    Quantity,
    T,
    Table,
    at,
)


class Refused(ValueError):
    """A block names what the metrics or the part do not hold."""


@dataclass(frozen=True, eq=False, repr=False)
class Group:
    """Columns under one head: β = 1."""

    head: T
    leaves: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """A row for each path, a column for each leaf: rows.* with weights.0, value.

    of: a pattern of paths, or several; each row's name is the part's (names), or what
    stands at `label` below the row.  head stands over the names.  A leaf that begins with /
    stands elsewhere, its * being the row's own last key: /scaled.*.max_weight.
    """

    of: str | tuple[str, ...]
    leaves: tuple[str | Group, ...]
    head: T | None = None
    title: T | None = None
    legend: T | None = None
    label: str | None = None
    more: bool = False
    rule: bool = True


@dataclass(frozen=True, eq=False, repr=False)
class Across:
    """A row for each quantity, a column for each key: the other way round.

    rows: paths; keys: what stands below each of them, named by the part (names).
    """

    rows: tuple[str, ...]
    keys: tuple[str, ...]
    head: T | None = None
    title: T | None = None
    legend: T | None = None
    more: bool = False
    rule: bool = True


@dataclass(frozen=True, eq=False, repr=False)
class Maps:
    """Matrices over the same rows, side by side: of names them, rows and columns name the
    words (a path of words each).  A matrix is [rows, columns]: who looks, what is looked at.
    None is a masked cell.
    """

    of: tuple[str, ...]
    rows: str
    columns: str
    title: T | None = None
    legend: T | None = None
    low: float = 0.0
    high: float = 1.0
    more: bool = False
    page_only: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Lines:
    """Series over x, each named by the part."""

    x: str
    series: str | tuple[str, ...]
    title: T | None = None
    low: float | None = None
    high: float | None = None
    more: bool = False
    page_only: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class BarRows:
    """A bar for each path, named by the part."""

    of: str | tuple[str, ...]
    title: T | None = None
    high: float | None = None
    more: bool = False


Named = Rows | Across | Maps | Lines | BarRows


def resolve(block: Any, part: Part, metrics: Any) -> list[Block]:
    """The plain blocks a block of paths stands for; a plain block stands for itself."""
    if isinstance(block, Rows):
        return [_rows(block, part, metrics)]
    if isinstance(block, Across):
        return [_across(block, part, metrics)]
    if isinstance(block, Maps):
        return [_maps(block, part, metrics)]
    if isinstance(block, Lines):
        return [_lines(block, part, metrics)]
    if isinstance(block, BarRows):
        return [_bars(block, part, metrics)]
    return [block]


def blocks_of(part: Part, metrics: Any) -> Iterator[Block]:
    """Everything a part shows between the vote and the observations, ready to draw."""
    yield from _side_by_side([one for block in part.describe(metrics)
                              for one in resolve(block, part, metrics)])


def _side_by_side(blocks: Sequence[Block]) -> Iterator[Block]:
    """The same blocks; tables of the same columns know one another, to share their widths."""
    tables = [(tuple(c.header for c in b.columns), b) for b in blocks if isinstance(b, Table)]
    for block in blocks:
        if isinstance(block, Table):
            heads = tuple(c.header for c in block.columns)
            others = tuple(b for h, b in tables if h == heads and b is not block)
            block = replace(block, alike=others) if others else block
        yield block


def lead_of(part: Part, metrics: Any) -> Iterator[Block]:
    """What stands before the vote, ready to draw."""
    for block in part.lead:
        yield from resolve(block, part, metrics)


# --- paths ---------------------------------------------------------------------------


def paths(metrics: Any, of: str | Sequence[str]) -> list[str]:
    """The metric paths that match, in the order of the metrics; * stands for one key."""
    found: list[str] = []
    for pattern in [of] if isinstance(of, str) else of:
        before = len(found)
        found += _walk(metrics, pattern.split("."), "")
        if len(found) == before:
            raise Refused(f"no metric matches {pattern!r}")
    return found


def _walk(value: Any, keys: list[str], path: str) -> Iterable[str]:
    if not keys:
        yield path
        return
    here: Mapping[str, Any] = value if isinstance(value, Mapping) else \
        {str(i): v for i, v in enumerate(value)} if isinstance(value, list) else {}
    for key, below in here.items():
        if fnmatch.fnmatchcase(key, keys[0]):
            yield from _walk(below, keys[1:], f"{path}.{key}" if path else key)


def name_of(part: Part, path: str, metrics: Any) -> T:
    """What a row or a series is called: the first name whose pattern matches, filled."""
    found = next((name for pattern, name in part.names.items()
                  if fnmatch.fnmatchcase(path, pattern)), None)
    if found is None:
        raise Refused(f"part {part.key} has no name for {path!r}")
    return T(*(found.text(lang, metrics, part.format_of) for lang in LANGUAGES))


def quantity_of(part: Part, cells: Sequence[str]) -> Quantity:
    """The one quantity all these paths belong to."""
    found: list[Quantity] = []
    for path in cells:
        quantity = part.quantity(path)
        if quantity is None:
            raise Refused(f"part {part.key} has no quantity for {path!r}")
        if found and quantity is not found[0]:
            raise Refused(f"{cells[0]!r} and {path!r} are two quantities in one column")
        found.append(quantity)
    return found[0]


def _number(quantity: Quantity, value: Any) -> Any:
    """A cell's value with its quantity's format; a word in both languages."""
    if isinstance(value, str):
        return quantity.words.get(value, value)
    return Num(value, quantity.format)


def _rows(block: Rows, part: Part, metrics: Any) -> Table:
    rows = paths(metrics, block.of)
    leaves: list[tuple[str, T | None]] = []
    for leaf in block.leaves:
        if isinstance(leaf, Group):
            leaves += [(one, leaf.head) for one in leaf.leaves]
        else:
            leaves.append((leaf, None))
    columns = [Column(block.head or T("", ""))]
    quantities = []
    for leaf, group in leaves:
        quantity = quantity_of(part, [_below(row, leaf) for row in rows])
        quantities.append(quantity)
        columns.append(Column(quantity.header, quantity.format, group))
    body = []
    for row in rows:
        name = (name_of(part, row, metrics) if block.label is None
                else str(at(metrics, f"{row}.{block.label}")))
        body.append([name, *(_number(q, at(metrics, _below(row, leaf)))
                             for q, (leaf, _) in zip(quantities, leaves, strict=True))])
    return Table(tuple(columns), body, block.title, block.legend, block.more, block.rule)


def _below(row: str, leaf: str) -> str:
    """The path of a row's leaf; one that begins with / stands elsewhere."""
    return leaf[1:].replace("*", row.rpartition(".")[2], 1) if leaf.startswith("/") \
        else f"{row}.{leaf}"


def _across(block: Across, part: Part, metrics: Any) -> Table:
    body = []
    for row in block.rows:
        cells = [f"{row}.{key}" for key in block.keys]
        each = [quantity_of(part, [cell]) for cell in cells]
        if any(q.header is not each[0].header for q in each):
            raise Refused(f"{cells} have two headers in one row")
        body.append([each[0].header, *(_number(q, at(metrics, c))
                                       for q, c in zip(each, cells, strict=True))])
    heads = [name_of(part, f"{block.rows[0]}.{key}", metrics) for key in block.keys]
    return Table((Column(block.head or T("", "")), *(Column(h) for h in heads)), body,
                 block.title, block.legend, block.more, block.rule)


def _maps(block: Maps, part: Part, metrics: Any) -> HeatMap:
    rows, columns = at(metrics, block.rows), at(metrics, block.columns)
    matrices = [at(metrics, path) for path in block.of]
    quantities = [quantity_of(part, [path]) for path in block.of]
    for path, matrix in zip(block.of, matrices, strict=True):
        if len(matrix) != len(rows) or any(len(row) != len(columns) for row in matrix):
            raise Refused(f"{path!r} is not a matrix of {len(rows)} by {len(columns)}")
    if len({q.format for q in quantities}) > 1:
        raise Refused(f"{block.of} are written in two ways")
    values = [[cell for matrix in matrices for cell in matrix[i]] for i in range(len(rows))]
    groups = tuple((q.header, len(columns)) for q in quantities)
    return HeatMap(values, rows, list(columns) * len(matrices), block.title, block.legend,
                   quantities[0].format, block.low, block.high, page_only=block.page_only,
                   more=block.more, groups=groups)


def _lines(block: Lines, part: Part, metrics: Any) -> Curve:
    series = paths(metrics, block.series)
    y = quantity_of(part, series)
    named = [(name_of(part, s, metrics), at(metrics, s)) for s in series]
    return Curve(at(metrics, block.x), named,
                 quantity_of(part, [block.x]).header, y.header, block.title, y.format,
                 block.low, block.high, block.page_only, block.more)


def _bars(block: BarRows, part: Part, metrics: Any) -> Bars:
    rows = paths(metrics, block.of)
    quantity = quantity_of(part, rows)
    return Bars([name_of(part, row, metrics) for row in rows], [at(metrics, row) for row in rows],
                block.title or quantity.header, quantity.format, block.high, block.more)
