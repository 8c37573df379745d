"""Which small lies can be told of this course?  Each kind finds its places in a source file.

A candidate is one lie: a file and the few bytes that change, found in the syntax tree so that
the file still parses.  Nothing is applied here and nothing is judged; a kind only says where it
could lie, and the bench draws among the places.  Records and weights lie in their own way
(a number's digit; noise in one tensor, with the file's own digest made right again).
"""

from __future__ import annotations

import ast
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

NOISE = 0.001                       # of a tensor's own spread
LANGS = ("zh", "en")
POLARITY = {
    "en": (("not ", ""), ("no", "a"), ("never", "always"), ("without", "with"),
           ("more", "less"), ("larger", "smaller"), ("above", "below"), ("all", "none of"),
           ("only", "not only")),
    "zh": (("没有", "有"), ("不", ""), ("没", ""), ("都", "都不"), ("大", "小"), ("多", "少"))}
UNITS = {
    "en": (("bytes", "bits"), ("MB", "GB"), ("ms", "s"), ("seconds", "minutes"),
           ("steps", "epochs"), ("tokens", "letters"), ("words", "tokens"), ("seeds", "models"),
           ("heads", "layers"), ("layers", "heads"), ("times", "%"), ("characters", "bytes"),
           ("blocks", "heads"), ("questions", "countries"), ("rows", "columns")),
    "zh": (("字节", "比特"), ("MB", "GB"), ("毫秒", "秒"), ("步", "轮"), ("个词", "个字"),
           ("种子", "模型"), ("个头", "层"), ("层", "个头"), ("倍", "%"), ("个字", "个词"),
           ("个块", "个头"), ("道题", "个国家"), ("行", "列"))}
NUMBERED = ("Column", "Quantity", "Num", "HeatMap", "Curve", "Bars", "Scatter")
FORMAT = re.compile(r"\.(\d)([fge%])")
FIELD = re.compile(r"(?<!\{)\{([^{}:]+)(:[^{}]*)?\}(?!\})")

Edit = tuple[int, int, bytes]       # from, to, what stands there then


@dataclass(frozen=True)
class Lie:
    """One mutant: edits of one file, or noise in one tensor of it."""

    kind: str
    file: str
    edits: tuple[Edit, ...]
    line: int
    tells: str                      # what becomes of what, in short
    function: str = ""              # the function it bends, where it bends one
    tensor: str = ""

    @property
    def id(self) -> str:
        told = zlib.crc32(repr((self.edits, self.tensor)).encode())
        return f"{self.kind} {self.file}:{self.line} {told:08x}"

    def applied(self, content: bytes) -> bytes:
        """The file with the lie in it."""
        if self.tensor:
            return noisy(content, self.tensor)
        for start, end, new in sorted(self.edits, reverse=True):
            content = content[:start] + new + content[end:]
        return content


class Source:
    """A Python file with its tree, parents and byte offsets."""

    def __init__(self, file: str, content: bytes) -> None:
        self.file, self.content = file, content
        self.tree = ast.parse(content)
        self.starts = [0]
        for line in content.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.parents = {child: node for node in ast.walk(self.tree)
                        for child in ast.iter_child_nodes(node)}

    def span(self, node: Any) -> tuple[int, int]:
        return (self.starts[node.lineno - 1] + node.col_offset,
                self.starts[node.end_lineno - 1] + node.end_col_offset)

    def of(self, node: ast.AST) -> bytes:
        start, end = self.span(node)
        return self.content[start:end]

    def put(self, node: ast.AST, new: bytes | str) -> Edit:
        return (*self.span(node), new.encode() if isinstance(new, str) else new)

    def lie(self, kind: str, node: Any, edits: list[Edit], tells: str, function: str = "") -> Lie:
        return Lie(kind, self.file, tuple(edits), node.lineno, tells, function)

    def swap(self, kind: str, a: ast.AST, b: ast.AST) -> Iterator[Lie]:
        one, two = self.of(a), self.of(b)
        if ast.dump(ast.parse(one.strip(), mode="eval")) != ast.dump(
                ast.parse(two.strip(), mode="eval")):
            yield self.lie(kind, a, [self.put(a, two), self.put(b, one)],
                           f"{_short(one)} <-> {_short(two)}")

    def calls(self, *names: str) -> Iterator[ast.Call]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) \
                    and node.func.id in names:
                yield node

    def texts(self) -> Iterator[tuple[ast.Call, str, ast.Constant]]:
        """Every literal text, language by language."""
        for call in self.calls("T"):
            given = {k.arg: k.value for k in call.keywords} | dict(
                zip(LANGS, call.args, strict=False))
            for lang in LANGS:
                node = given.get(lang)
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield call, lang, node

    def role(self, text: ast.Call) -> str:
        """What a text is to the call it stands in: Claim.1, Option.0, Part.caveat."""
        above = self.parents.get(text)
        if isinstance(above, ast.keyword):
            call = self.parents[above]
            return f"{_name(call)}.{above.arg}"
        if isinstance(above, ast.Call):
            return f"{_name(above)}.{above.args.index(text) if text in above.args else '?'}"
        return type(above).__name__


def _name(node: Any) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else "?"


def _short(text: bytes | str) -> str:
    text = text.decode(errors="replace") if isinstance(text, bytes) else text
    text = " ".join(text.split())
    return text if len(text) <= 48 else text[:45] + "..."


def _given(call: ast.Call, place: int, key: str) -> Any:
    """An argument by place or by name."""
    named = next((k.value for k in call.keywords if k.arg == key), None)
    return call.args[place] if len(call.args) > place else named


def _outside(text: str) -> Iterator[tuple[int, str]]:
    """The stretches of a text that are no field."""
    at = 0
    for found in FIELD.finditer(text):
        yield at, text[at:found.start()]
        at = found.end()
    yield at, text[at:]


# --- words ----------------------------------------------------------------------------
def headers(s: Source) -> Iterator[Lie]:
    """Two heads of one table, or two quantities' names, exchanged."""
    by_home: dict[ast.AST, list[ast.AST]] = {}
    for call in s.calls("Column", "Quantity", "Group"):
        home = s.parents[call]
        text = _given(call, 0, "header")
        if isinstance(home, ast.Tuple | ast.Dict | ast.List) and text is not None:
            by_home.setdefault(home, []).append(text)
    for heads in by_home.values():
        for a, b in pairwise(heads):
            yield from s.swap("a header exchanged", a, b)


def row_names(s: Source) -> Iterator[Lie]:
    """Two rows' names exchanged: of one dict, or the first cells of two rows."""
    for node in ast.walk(s.tree):
        cells: list[ast.AST] = []
        if isinstance(node, ast.Dict):
            cells = [v for k, v in zip(node.keys, node.values, strict=True)
                     if k is not None and _name(v) == "T"]
        elif isinstance(node, ast.List):
            cells = [row.elts[0] for row in node.elts if isinstance(row, ast.List | ast.Tuple)
                     and row.elts and _name(row.elts[0]) == "T"]
        for a, b in pairwise(cells):
            yield from s.swap("a row's name", a, b)


def _words(s: Source, kind: str, table: dict[str, Any]) -> Iterator[Lie]:
    for _, lang, node in s.texts():
        text = node.value
        for one, two in table[lang]:
            edge = r"\b" if lang == "en" or one.isascii() else ""
            for at, piece in _outside(text):
                found = re.search(f"{edge}{re.escape(one)}{edge if one[-1] != ' ' else ''}", piece)
                if found:
                    a, b = at + found.start(), at + found.end()
                    new = text[:a] + two + text[b:]
                    around = text[max(0, a - 12):b + 12]
                    yield s.lie(kind, node, [s.put(node, repr(new))],
                                f"{lang}: {one!r} -> {two!r} in {_short(around)}")
                    break


def polarity(s: Source) -> Iterator[Lie]:
    """A word turned round in one language."""
    yield from _words(s, "a polarity in one language", POLARITY)


def units(s: Source) -> Iterator[Lie]:
    """Another unit in one language."""
    yield from _words(s, "a unit", UNITS)


def formats(s: Source) -> Iterator[Lie]:
    """A number written with fewer places: of a field, a column or a quantity."""
    for _, lang, node in s.texts():
        for found in FIELD.finditer(node.value):
            digits = FORMAT.search(found[2] or "")
            if digits and digits[1] != "0":
                a = found.start(2) + digits.start(1)
                new = node.value[:a] + "0" + node.value[a + 1:]
                yield s.lie("a format", node, [s.put(node, repr(new))], f"{lang}: {found[0]} -> .0")
    for call in s.calls(*NUMBERED):
        for node in (*call.args, *(k.value for k in call.keywords)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                digits = FORMAT.fullmatch(node.value.partition("<")[0])
                if digits and digits[1] != "0":
                    new = node.value.replace(digits[1], str(int(digits[1]) - 1), 1)
                    yield s.lie("a format", node, [s.put(node, repr(new))],
                                f"{node.value} -> {new}")


def _digits(s: Source, kind: str, calls: tuple[str, ...], there: bool = True) -> Iterator[Lie]:
    for call, lang, node in s.texts():
        if s.role(call).startswith(calls) != there:
            continue
        for at, piece in _outside(node.value):
            for found in re.finditer(r"\d", piece):
                a = at + found.start()
                digit = "8" if found[0] == "9" else str(int(found[0]) + 1)
                new = node.value[:a] + digit + node.value[a + 1:]
                yield s.lie(kind, node, [s.put(node, repr(new))], f"{lang}: {found[0]} -> {digit} "
                            f"in {_short(node.value[max(0, a - 16):a + 16])}")


def option_digits(s: Source) -> Iterator[Lie]:
    """A digit typed in a question, an option or a misconception."""
    yield from _digits(s, "a digit in an option", ("Option", "Question"))


def other_digits(s: Source) -> Iterator[Lie]:
    """A digit typed in any other text: a sentence, a head, a name, a note."""
    yield from _digits(s, "a digit in a sentence", ("Option", "Question", "Erratum"), False)


def texts(s: Source) -> Iterator[Lie]:
    """Two texts of the same sort exchanged: two claims', two options', two errata's."""
    by_role: dict[str, list[ast.Call]] = {}
    for call in sorted(s.calls("T"), key=lambda n: (n.lineno, n.col_offset)):
        role = s.role(call)
        if role.startswith(("Claim", "Option", "Question", "Paragraph", "Erratum", "Part.ca",
                            "Part.fu", "Table.ti", "Rows.ti")):
            by_role.setdefault(role.replace("further", "caveat"), []).append(call)
    for same in by_role.values():
        for a, b in pairwise(same):
            yield from s.swap("two texts exchanged", a, b)


def fields(s: Source) -> Iterator[Lie]:
    """Two fields of one sentence exchanged, each number written as the other was."""
    for _, lang, node in s.texts():
        for one, two in pairwise(FIELD.finditer(node.value)):
            if one[1] != two[1]:
                v = node.value
                new = (v[:one.start(1)] + two[1] + v[one.end(1):two.start(1)] + one[1]
                       + v[two.end(1):])
                yield s.lie("fields exchanged", node, [s.put(node, repr(new))],
                            f"{lang}: {one[1]} <-> {two[1]}")


def figures(s: Source) -> Iterator[Lie]:
    """The notes' figure in an erratum: the compared number, or a digit of its words."""
    for call in s.calls("Erratum"):
        node: Any = next((k.value for k in call.keywords if k.arg == "notes"), None)
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            new = node.value * 1.5 if node.value else 0.25
            yield s.lie("the notes' figure", node, [s.put(node, repr(new))],
                        f"notes={node.value} -> {new}")
    yield from _digits(s, "the notes' figure", ("Erratum",))


# --- margins ----------------------------------------------------------------------------
UP, DOWN, LOST = 1, -1, 0
WAYS = {("above", 0): UP, ("above", 1): DOWN, ("below", 0): DOWN, ("below", 1): UP,
        ("near", 2): UP, ("at_least", 0): UP, ("at_least", 1): DOWN, ("at_most", 0): DOWN,
        ("at_most", 1): UP, ("same", 1): UP, ("rises", 1): DOWN, ("falls", 1): DOWN}
JOINED = ("both", "every", "either", "min", "max")


def margins(s: Source) -> Iterator[Any]:
    """Every expression that is a margin: of claims, of options, and what they call."""
    for call in s.calls("Claim", "Option"):
        node = _given(call, *((2, "margin") if _name(call) == "Claim" else (1, "margin")))
        if isinstance(node, ast.Lambda):
            yield node
    for node in s.tree.body:
        if isinstance(node, ast.FunctionDef) and node.args.args and node.args.args[0].arg == "m" \
                and "float" in ast.unparse(node.returns or ast.Constant("")):
            yield node


def _way(s: Source, node: Any, top: ast.AST) -> int:
    """Does the margin grow (UP) or fall (DOWN) with this constant?  LOST: not told."""
    way = UP
    while node is not top:
        above = s.parents[node]
        if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Sub | ast.Div):
            way *= DOWN if node is above.right else UP
        elif isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.USub):
            way *= DOWN
        elif isinstance(above, ast.Call) and _name(above) in JOINED:
            pass
        elif isinstance(above, ast.Call) and node in above.args:
            way *= WAYS.get((_name(above), above.args.index(node)), LOST)
        elif not isinstance(above, ast.BinOp | ast.Lambda | ast.Starred | ast.GeneratorExp
                            | ast.Return | ast.FunctionDef):
            return LOST
        node = above
    return way


def thresholds(s: Source) -> Iterator[Lie]:
    """A bound a little looser, so that the sentence could be less true and still hold."""
    for margin in margins(s):
        for node in ast.walk(margin):
            if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
                continue
            way = _way(s, node, margin)
            if way == LOST:
                continue
            value = node.value
            if isinstance(s.parents[node], ast.Call) and _name(s.parents[node]).startswith("at_"):
                new: float = value + way
            else:
                new = value * (1.2 if way == UP else 0.8) if value else way * 0.01
            yield s.lie("a threshold loosened", node, [s.put(node, repr(new))],
                        f"{value} -> {new:.6g} in {_short(s.of(s.parents[node]))}")


OTHER_WORD = {"above": "below", "below": "above", "at_least": "at_most", "at_most": "at_least",
              "rises": "falls", "falls": "rises"}


def signs(s: Source) -> Iterator[Lie]:
    """A sign in a margin, or a word of it turned round (and brought in where it is not)."""
    for margin in margins(s):
        for node in ast.walk(margin):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and \
                    _way(s, node, margin) != LOST:
                start, end = s.span(node.left)[1], s.span(node.right)[0]
                at = s.content.index(b"-", start, end)
                yield s.lie("a sign in a margin", node, [(at, at + 1, b"+")],
                            f"- -> + in {_short(s.of(node))}")
            elif isinstance(node, ast.Call) and _name(node) in OTHER_WORD:
                new = OTHER_WORD[_name(node)]
                edits = [s.put(node.func, new)]
                if not re.search(rf"\b{new}\b".encode(), s.content[:s.span(margin)[0]]):
                    edits.append(_import(s, new))
                yield s.lie("a sign in a margin", node, edits,
                            f"{_name(node)} -> {new} in {_short(s.of(node))}")


def _import(s: Source, name: str) -> Edit:
    """Bring a word of the margins in, on a line before the first definition."""
    last = [n for n in s.tree.body if isinstance(n, ast.ImportFrom | ast.Import)][-1]
    end = s.span(last)[1]
    return end, end, f"\nfrom lecture.margins import {name}".encode()


# --- lessons and rooms --------------------------------------------------------------------
def controls(s: Source) -> Iterator[Lie]:
    """A control that returns nothing, or the metrics themselves."""
    for node in s.tree.body:
        target: Any = node.target if isinstance(node, ast.AnnAssign) else \
            node.targets[0] if isinstance(node, ast.Assign) else None
        table = getattr(node, "value", None)
        if not (isinstance(target, ast.Name) and target.id.endswith("CONTROLS")
                and isinstance(table, ast.Dict)):
            continue
        for key, value in zip(table.keys, table.values, strict=True):
            if not isinstance(key, ast.Constant):
                continue
            yield s.lie("a control", value, [s.put(value, "lambda **_: {}")],
                        f"{key.value} returns nothing")
            if _name(value) == "partial" and isinstance(value, ast.Call):
                yield s.lie("a control", value, [s.put(value, s.of(value.args[0]))],
                            f"{key.value} is the computation itself")


def maps(s: Source) -> Iterator[Lie]:
    """A map whose rows are columns: on the screen, or in the lesson."""
    for call in s.calls("HeatMap"):
        if call.args:
            yield s.lie("a transposed map", call, [s.put(
                call.args[0], b"[list(c) for c in zip(*" + s.of(call.args[0]) + b")]")],
                _short(s.of(call.args[0])))
    for call in s.calls("Maps"):
        if len(call.args) > 2:
            yield from s.swap("a transposed map", call.args[1], call.args[2])
    if s.file.endswith("lesson.py"):
        for node, function in _inside(s):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) \
                    and node.func.attr == "tolist" and not node.args:
                end = s.span(node.func.value)[1]
                yield s.lie("a transposed map", node, [(end, end, b".T")],
                            f"{_short(s.of(node))} of the transposed", function)


def curves(s: Source) -> Iterator[Lie]:
    """A curve, its bars or its axis upside down."""
    for call in s.calls("Curve"):
        series = _given(call, 1, "series")
        if series is not None:
            yield s.lie("an upside-down curve", call, [s.put(
                series, b"[(n, [None if y is None else -y for y in ys]) for n, ys in "
                + s.of(series) + b"]")], _short(s.of(series)))
    for call in s.calls("Lines"):
        ends = {k.arg: k.value for k in call.keywords if k.arg in ("low", "high")}
        if len(ends) == 2:
            yield from s.swap("an upside-down curve", ends["low"], ends["high"])


def _inside(s: Source) -> Iterator[tuple[ast.AST, str]]:
    """Every node of a function's body, with the qualified name of the function."""
    def walk(node: ast.AST, name: str) -> Iterator[tuple[ast.AST, str]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                yield from walk(child, f"{name}{child.name}.")
            elif isinstance(child, ast.FunctionDef):
                whole = f"{name}{child.name}"
                for part in child.body:
                    for inner in ast.walk(part):
                        yield inner, whole
    yield from walk(s.tree, "")


MORE = {ast.Gt: (b">", b">="), ast.Lt: (b"<", b"<="), ast.GtE: (b">=", b">"),
        ast.LtE: (b"<=", b"<"), ast.Eq: (b"==", b"!="), ast.NotEq: (b"!=", b"==")}
LESS: dict[type[ast.operator], tuple[bytes, bytes]] = {
    ast.Add: (b"+", b"-"), ast.Sub: (b"-", b"+"), ast.Mult: (b"*", b"+"), ast.Div: (b"/", b"*")}


def bent(s: Source) -> Iterator[Lie]:
    """A function bent: a number + 1, > for >=, another axis, another operation."""
    kind = "a lesson bent" if s.file.endswith("lesson.py") else "a shared room bent"
    for node, function in _inside(s):
        above: Any = s.parents.get(node)
        if isinstance(node, ast.keyword) and node.arg == "axis" and \
                re.fullmatch(rb"-?\d", s.of(node.value)):
            new = b"0" if s.of(node.value) != b"0" else b"-1"
            yield s.lie(kind, node.value, [s.put(node.value, new)],
                        f"axis={s.of(node.value).decode()} -> {new.decode()}", function)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not (
                isinstance(node.value, bool) or isinstance(above, ast.UnaryOp) or (
                    isinstance(above, ast.keyword) and above.arg == "axis")):
            yield s.lie(kind, node, [s.put(node, repr(node.value + 1))],
                        f"{node.value} -> {node.value + 1} in "
                        f"{_short(s.of(above) if hasattr(above, 'lineno') else b'')}", function)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in MORE:
            yield from _operator(s, kind, node, node.left, node.comparators[0],
                                 MORE[type(node.ops[0])], function)
        elif isinstance(node, ast.BinOp) and type(node.op) in LESS and not (
                isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)):
            yield from _operator(s, kind, node, node.left, node.right, LESS[type(node.op)],
                                 function)


def _operator(s: Source, kind: str, node: ast.AST, left: ast.AST, right: ast.AST,
              change: tuple[bytes, bytes], function: str) -> Iterator[Lie]:
    old, new = change
    start, end = s.span(left)[1], s.span(right)[0]
    at = s.content.find(old, start, end)
    if at >= 0 and b"#" not in s.content[start:end]:
        yield s.lie(kind, node, [(at, at + len(old), new)],
                    f"{old.decode()} -> {new.decode()} in {_short(s.of(node))}", function)


# --- records and weights --------------------------------------------------------------------
def record_leaves(file: str, content: bytes) -> list[Lie]:
    """A digit of one number in a record."""
    found = []
    for number in re.finditer(rb'(?<=[\s\[:,])-?\d+(?:\.\d+)?(?=[,\s\]}])', content):
        end = number.end()
        digit = content[end - 1:end]
        new = b"8" if digit == b"9" else bytes([digit[0] + 1])
        line = content.count(b"\n", 0, end) + 1
        old = number[0].decode()
        found.append(Lie("a record's leaf", file, ((end - 1, end, new),), line,
                         f"{old} -> {old[:-1]}{new.decode()}"))
    return found


def tensors(file: str, content: bytes) -> list[Lie]:
    """Noise in one tensor of a weights file."""
    from safetensors.numpy import load

    return [Lie("a tensor's noise", file, (), 0, f"{NOISE:g} of its spread in {name}", tensor=name)
            for name in sorted(load(content))]


def noisy(content: bytes, name: str) -> bytes:
    """The file with one tensor disturbed and its own digest made right again."""
    import numpy as np
    from safetensors.numpy import load

    from lecture.models import cache, recipes

    meta, arrays = cache.meta_of(content), load(content)
    a = arrays[name]
    draw = np.random.default_rng(zlib.crc32(name.encode())).normal(size=a.shape)
    arrays[name] = (a + NOISE * (a.std() or 1.0) * draw).astype(a.dtype)
    recipe = next(r for r in recipes.RECIPES.values()
                  if recipes.fingerprint(r) == meta["fingerprint"])
    told = ("versions", "date", "trainer", "machine")
    return cache.to_bytes(recipe, arrays, meta["history"],
                          {key: meta[key] for key in told if key in meta})


IN_DEMO: tuple[Callable[[Source], Iterator[Lie]], ...] = (
    headers, row_names, polarity, units, formats, option_digits, other_digits, texts, fields,
    figures, thresholds, signs, controls, maps, curves)


def told_of(file: str, content: bytes) -> list[Lie]:
    """All that could be told in one file of the course, some of it perhaps no lie (differs)."""
    path = Path(file)
    if path.suffix == ".json":
        return record_leaves(file, content)
    if path.suffix == ".safetensors":
        return tensors(file, content)
    source = Source(file, content)
    found: list[Lie] = []
    if path.parts[0] == "demos":
        for kind in IN_DEMO:
            found += kind(source)
    if path.name == "lesson.py" or path.parts[0] != "demos":
        found += bent(source)
    return list({lie.id: lie for lie in found}.values())


def lies_of(file: str, content: bytes) -> list[Lie]:
    """All the lies that can be told in one file, each still Python where it was."""
    return [lie for lie in told_of(file, content) if differs(content, lie)]


def differs(content: bytes, lie: Lie) -> bool:
    """Does the mutant parse, and say something else?"""
    if not lie.file.endswith(".py"):
        return True
    try:
        return ast.dump(ast.parse(lie.applied(content))) != ast.dump(ast.parse(content))
    except SyntaxError:
        return False
