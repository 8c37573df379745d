"""Where claims are blind, what else is a student's function asked?

Claims see what the lesson happens to need: there every value has the width of its key, and no
score is a thousand. A probe calls the function once on a small case that is awkward on purpose,
and compares what comes back with ours. It is shown as a probe and never as a claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lecture.prove.own import Own, Wrong, alike
from lecture.prove.tasks import Task
from lecture.report import T


@dataclass(frozen=True)
class Probe:
    """One call: what is special about it, and the arguments of ours."""

    key: str
    about: T
    args: Callable[[], tuple[Any, ...]]


@dataclass(frozen=True)
class Outcome:
    """What a function made of a probe: a value, or the name of an error and how it was told."""

    value: Any = None
    error: str | None = None
    told: str = ""
    changed: tuple[str, ...] = ()

    def same(self, other: Outcome) -> bool:
        """Did another function make the very same of it?

        Where NumPy goes on with infinity and NaN, Python's own numbers raise: that is the same.
        """
        if self.lost and other.lost:
            return True
        return (self.error == other.error and self.changed == other.changed
                and (self.error is not None or alike(self.value, other.value)))

    @property
    def lost(self) -> bool:
        """Has it left the numbers: overflow, or a division by zero?"""
        return self.error in ("OverflowError", "ZeroDivisionError") or any(
            a.dtype.kind == "f" and not np.isfinite(a).all()
            for a in (self.value if isinstance(self.value, tuple) else (self.value,))
            if isinstance(a, np.ndarray))


def outcome(call: Own | Callable[..., Any], task: Task, args: tuple[Any, ...]) -> Outcome:
    """Ours or a student's on one probe; nothing it raises goes further."""
    own = call if isinstance(call, Own) else None
    before = set(own.changed) if own else set[str]()
    if own:
        own.changed.clear()
    try:
        with np.errstate(all="ignore"):
            value = task.via(own, *args) if own else call(*args)
        return Outcome(value, changed=tuple(sorted(own.changed)) if own else ())
    except Wrong as error:
        return Outcome(error="Wrong", told=str(error))
    except (Exception, SystemExit) as error:
        return Outcome(error=type(error).__name__, told=f"{type(error).__name__}: {error}")
    finally:
        if own:
            own.changed |= before


def described(got: Any, wanted: Any) -> tuple[str, str]:
    """Two answers in a few words each, where they differ first."""
    if isinstance(got, tuple) and isinstance(wanted, tuple) and len(got) == len(wanted):
        got, wanted = next(((a, b) for a, b in zip(got, wanted, strict=True)
                            if not alike(a, b)), (got, wanted))
    if isinstance(got, np.ndarray) and isinstance(wanted, np.ndarray) and wanted.ndim \
            and got.shape == wanted.shape:
        rows = [a.reshape(-1, a.shape[-1]) for a in (got, wanted)]
        pairs = list(zip(*rows, strict=True))
        return next(((_row(a), _row(b)) for a, b in pairs if not alike(a, b)),
                    (_row(pairs[0][0]), _row(pairs[0][1])))
    return _short(got), _short(wanted)


def _row(row: np.ndarray) -> str:
    row = row.astype(int) if row.dtype == bool else row
    return f"[{' '.join(f'{x:.4g}' for x in row[:6])}{' ..' if len(row) > 6 else ''}]"


def _short(value: Any) -> str:
    text = f"{float(value):.6g}" if isinstance(value, float) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# --- the probes ---------------------------------------------------------------


def _drawn(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).standard_normal(shape)


def _look(n_q: int, n_k: int, d: int, d_v: int, *lead: int) -> tuple[Any, ...]:
    return (_drawn(*lead, n_q, d), _drawn(*lead, n_k, d, seed=1), _drawn(*lead, n_k, d_v, seed=2))


def _seen(n: int) -> np.ndarray:
    return np.tri(n, dtype=bool)


def _nobody(n: int) -> np.ndarray:
    mask = _seen(n)
    mask[0] = False
    return mask


def _far() -> tuple[Any, ...]:
    """The key that is hidden would have won by a score of 60."""
    q, k, v = np.ones((1, 4)), np.array([[15.0] * 4, [0.0] * 4, [-.5] * 4]), np.eye(3)
    return q, 2 * k, v, True, np.array([[False, True, True]])


def _circuit(**how: Any) -> Any:
    import attention_np

    return attention_np.HandBuiltInduction(5, 7, **how)


def _first_layer(**how: Any) -> tuple[Any, ...]:
    model = _circuit(beta=3.0, beta1=2.0, **how)
    return model, model.embed([[3, 1, 4, 1, 0], [2, 0, 2, 4, 3]])


def _second_layer() -> tuple[Any, ...]:
    model, X = _first_layer()
    return model, model.layer1_prev_token(X)[0]


SENTENCE = np.array([[7, 3, 9, 0, 0], [4, 0, 5, 6, 2]])     # 0 pads; a 0 stands inside too
BEAM = [((4, 1), -0.5), ((2, 2), -0.6), ((0, 3), -2.0)]
LOGS = np.log(np.array([[.05, .05, .3, .2, .4], [.4, .1, .1, .1, .3], [.9, .02, .02, .02, .04]]))
TIED = np.log(np.array([[.25, .25, .25, .125, .125]] * 2))
SURE = np.array([.05, .15, .25, .3, .3, .62, .7, .7, .95, 1.0])
HITS = np.array([0, 0, 1, 0, 0, 1, 0, 1, 1, 1])
INF = np.inf

PROBES: dict[str, tuple[Probe, ...]] = {
    "usable_pairs": (
        Probe("plain", T("各对都不同", "no pair twice"), lambda: (list("lower"),)),
        Probe("repeated", T("同一对出现两次", "a pair twice"), lambda: (list("banana"),)),
        Probe("overlap", T("aaaa：重叠的对", "aaaa: pairs that overlap"), lambda: (list("aaaa"),)),
        Probe("five", T("aaaaa", "aaaaa"), lambda: (list("aaaaa"),)),
        Probe("one", T("只有一个符号", "one symbol only"), lambda: (["a"],)),
        Probe("bytes", T("字节", "bytes"), lambda: ([b"\xe5", b"\x9b", b"\xe5", b"\x9b"],)),
        Probe("pieces", T("已经合并过的符号", "symbols that were joined before"),
              lambda: (["lo", "w", "lo", "w", "e"],)),
    ),
    "join": (
        Probe("once", T("出现一次", "once"), lambda: (list("lower"), ("l", "o"))),
        Probe("twice", T("出现两次", "twice"), lambda: (list("banana"), ("a", "n"))),
        Probe("overlap", T("aaaaa：重叠", "aaaaa: overlapping"), lambda: (list("aaaaa"), ("a",
              "a"))),
        Probe("absent", T("没有这一对", "there is no such pair"), lambda: (list("low"), ("o",
              "l"))),
        Probe("last", T("在末尾", "at the end"), lambda: (list("slow"), ("o", "w"))),
        Probe("bytes", T("字节", "bytes"), lambda: ([b"a", b"b", b"c"], (b"b", b"c"))),
        Probe("pieces", T("符号有好几个字母", "pieces of several letters"),
              lambda: (["lo", "w", "l", "ow"], ("lo", "w"))),
    ),
    "softmax": (
        Probe("row", T("一行三个分数", "one row of three"), lambda: (np.array([.5, -1.0, 2.0]),)),
        Probe("square", T("4×4：行与列一样长", "4 x 4: rows as long as columns"),
              lambda: (_drawn(4, 4),)),
        Probe("batch", T("三个轴", "three axes"), lambda: (_drawn(2, 3, 5),)),
        Probe("large", T("分数上千", "scores above a thousand"),
              lambda: (np.array([[1000.0, 1001, 999], [5, 4, 3]]),)),
        Probe("low", T("分数低于负一千", "scores below minus a thousand"),
              lambda: (np.array([[-1000.0, -1001, -999], [0, 1, 2]]),)),
        Probe("apart", T("两行的分数相差很远", "two rows far apart"),
              lambda: (np.array([[800.0, 801, 802], [0, 1, 2]]),)),
        Probe("hidden", T("有 -inf", "with -inf"), lambda: (np.array([[1.0, -INF, 2], [0, 1,
              -INF]]),)),
        Probe("nothing", T("一行全是 -inf", "a row of -inf"),
              lambda: (np.array([[-INF, -INF, -INF], [0.0, 1, 2]]),)),
    ),
    "causal_mask": (
        Probe("square", T("4 个词", "4 words"), lambda: (4,)),
        Probe("one", T("1 个词", "1 word"), lambda: (1,)),
        Probe("cache", T("2 个新词，共 5 个", "2 new words of 5"), lambda: (2, 5)),
        Probe("offset", T("第一个查询在位置 1", "the first query at place 1"), lambda: (3, 5, 1)),
        Probe("fewer", T("键比查询少", "fewer keys than queries"), lambda: (4, 3)),
        Probe("strict", T("offset = -1", "offset = -1"), lambda: (3, 3, -1)),
    ),
    "attention": (
        Probe("square", T("4 个查询，宽 4", "4 queries, width 4"), lambda: _look(4, 4, 4, 4)),
        Probe("width", T("d = 3，d_v = 7，2 个查询，5 个键",
                         "d = 3, d_v = 7, 2 queries, 5 keys"), lambda: _look(2, 5, 3, 7)),
        Probe("wide", T("d = 64", "d = 64"), lambda: _look(3, 4, 64, 2)),
        Probe("undivided", T("scale=False", "scale=False"), lambda: (*_look(3, 4, 9, 2), False)),
        Probe("one", T("1 个查询", "1 query"), lambda: _look(1, 5, 4, 4)),
        Probe("masked", T("因果掩码", "a causal mask"), lambda: (*_look(4, 4, 2, 3), True,
              _seen(4))),
        Probe("nobody", T("一个查询什么都不许看", "a query that may look at nothing"),
              lambda: (*_look(3, 3, 2, 2), True, _nobody(3))),
        Probe("far", T("被挡住的键分数高出 60", "the hidden key is ahead by a score of 60"), _far),
        Probe("large", T("分数上千", "scores above a thousand"),
              lambda: tuple(60 * a for a in _look(3, 4, 4, 4))),
        Probe("heads", T("批和头的轴，d_v 不等于 d", "axes for batch and heads, d_v not d"),
              lambda: (*_look(4, 4, 2, 5, 2, 3), True, _seen(4))),
        Probe("turned", T("转置得来的数组", "arrays that are transposed views"),
              lambda: tuple(np.ascontiguousarray(a.T).T for a in _look(3, 4, 5, 2))),
    ),
    "layer1_prev_token": (
        Probe("plain", T("两句，五个词", "two sequences of five"), lambda: _first_layer()),
        Probe("no_null", T("没有空键", "no null key"), lambda: _first_layer(null_key=False)),
        Probe("strict", T("连自己也不看", "not even itself"), lambda: _first_layer(strict=True)),
        Probe("strict_no_null", T("连自己也不看，也没有空键", "not even itself, no null key"),
              lambda: _first_layer(strict=True, null_key=False)),
        Probe("back", T("看前两个位置", "two places back"), lambda: _first_layer(back=2)),
    ),
    "layer2_induction": (
        Probe("plain", T("两句，五个词", "two sequences of five"), _second_layer),
        Probe("first", T("第一层没有写过", "layer 1 has written nothing"), _first_layer),
    ),
    "padding_mask": (
        Probe("row", T("一句", "one sentence"), lambda: (SENTENCE[0], 0)),
        Probe("batch", T("两句", "two sentences"), lambda: (SENTENCE, 0)),
        Probe("heads", T("heads=True", "heads=True"), lambda: (SENTENCE, 0, True)),
        Probe("other", T("填充是 9", "9 is the padding"), lambda: (SENTENCE, 9)),
        Probe("none", T("没有填充", "no padding"), lambda: (SENTENCE[:, :3] + 1, 0)),
    ),
    "combined_mask": (
        Probe("row", T("一句", "one sentence"), lambda: (SENTENCE[0], 0)),
        Probe("batch", T("两句", "two sentences"), lambda: (SENTENCE, 0)),
        Probe("heads", T("heads=True", "heads=True"), lambda: (SENTENCE, 0, True)),
        Probe("other", T("填充是 9", "9 is the padding"), lambda: (SENTENCE, 9)),
    ),
    "sinusoidal_positions": (
        Probe("plain", T("5 个位置，宽 8", "5 places, width 8"), lambda: (5, 8)),
        Probe("odd", T("宽 5", "width 5"), lambda: (4, 5)),
        Probe("given", T("位置 3、7.5、100", "places 3, 7.5, 100"),
              lambda: (np.array([3.0, 7.5, 100.0]), 6)),
        Probe("base", T("base = 100", "base = 100"), lambda: (4, 6, 100.0)),
    ),
    "rope": (
        Probe("half", T("前后各半配对", "pairs by halves"), lambda: (_drawn(3, 6), np.arange(3.0))),
        Probe("adjacent", T("相邻的配对", "neighbours are pairs"),
              lambda: (_drawn(3, 6), np.arange(3.0), "adjacent")),
        Probe("heads", T("批和头的轴", "axes for batch and heads"),
              lambda: (_drawn(2, 3, 4, 8), np.arange(4.0))),
        Probe("shifted", T("从位置 10 起", "from place 10 on"),
              lambda: (_drawn(3, 4), np.arange(10.0, 13.0))),
        Probe("fraction", T("位置 2.5", "place 2.5"), lambda: (_drawn(1, 4), 2.5)),
        Probe("far", T("位置 40000", "place 40000"), lambda: (_drawn(2, 4), np.array([4e4,
              4e4 + 1]))),
        Probe("base", T("base = 100", "base = 100"),
              lambda: (_drawn(3, 6), np.arange(3.0), "half", 100.0)),
    ),
    "split_heads": (
        Probe("plain", T("3 个词，2 个头", "3 words, 2 heads"), lambda: (_drawn(3, 8), 2)),
        Probe("square", T("4 个词，4 个头", "4 words, 4 heads"), lambda: (_drawn(4, 16), 4)),
        Probe("batch", T("两句", "two sentences"), lambda: (_drawn(2, 3, 6), 3)),
        Probe("one", T("1 个头", "1 head"), lambda: (_drawn(3, 4), 1)),
    ),
    "merge_heads": (
        Probe("plain", T("2 个头，3 个词", "2 heads, 3 words"), lambda: (_drawn(2, 3, 4),)),
        Probe("square", T("4 个头，4 个词", "4 heads, 4 words"), lambda: (_drawn(4, 4, 4),)),
        Probe("batch", T("两句", "two sentences"), lambda: (_drawn(2, 3, 4, 2),)),
    ),
    "share_heads": (
        Probe("two", T("2 组，4 个头", "2 groups, 4 heads"), lambda: (_drawn(2, 3, 4), 4, "K")),
        Probe("three", T("3 组，6 个头", "3 groups, 6 heads"), lambda: (_drawn(3, 2, 4), 6, "K")),
        Probe("batch", T("两句，2 组，6 个头", "two sentences, 2 groups, 6 heads"),
              lambda: (_drawn(2, 2, 3, 4), 6, "K")),
    ),
    "layer_norm": (
        Probe("plain", T("3 个词，宽 5", "3 words, width 5"), lambda: (_drawn(3, 5),)),
        Probe("square", T("4 个词，宽 4", "4 words, width 4"), lambda: (_drawn(4, 4) + 2,)),
        Probe("gain", T("gain 和 bias 各列不同", "gain and bias differ by column"),
              lambda: (_drawn(3, 4), np.array([1.0, 2, 3, 4]), np.array([0.0, 1, 2, 3]))),
        Probe("small", T("数很小，eps 要紧", "small numbers, where eps counts"),
              lambda: (_drawn(2, 4) * 1e-3,)),
        Probe("eps", T("eps = 1", "eps = 1"), lambda: (_drawn(2, 4), 1.0, 0.0, 1.0)),
        Probe("batch", T("三个轴", "three axes"), lambda: (_drawn(2, 3, 4) - 1,)),
    ),
    "rms_norm": (
        Probe("plain", T("3 个词，宽 5", "3 words, width 5"), lambda: (_drawn(3, 5) + 1,)),
        Probe("square", T("4 个词，宽 4", "4 words, width 4"), lambda: (_drawn(4, 4) + 2,)),
        Probe("gain", T("gain 各列不同", "gain differs by column"),
              lambda: (_drawn(3, 4), np.array([1.0, 2, 3, 4]))),
        Probe("small", T("数很小，eps 要紧", "small numbers, where eps counts"),
              lambda: (_drawn(2, 4) * 1e-3,)),
        Probe("eps", T("eps = 1", "eps = 1"), lambda: (_drawn(2, 4), 1.0, 1.0)),
        Probe("batch", T("三个轴", "three axes"), lambda: (_drawn(2, 3, 4) - 1,)),
    ),
    "beam_step": (
        Probe("narrow", T("宽 2", "width 2"), lambda: (BEAM, LOGS, 4, 2)),
        Probe("greedy", T("宽 1", "width 1"), lambda: (BEAM[:1], LOGS[:1], 4, 1)),
        Probe("wide", T("宽到全都留下", "wide enough for all"), lambda: (BEAM, LOGS, 4, 20)),
        Probe("end_first", T("结束词是 0", "0 is the end word"), lambda: (BEAM[:2], LOGS[:2], 0,
              2)),
        Probe("tied", T("log P 相等", "log P ties"),
              lambda: ([((3,), -1.0), ((1,), -1.0)], TIED, 4, 3)),
        Probe("impossible", T("有的词不可能", "impossible words"),
              lambda: ([((), 0.0)], np.array([[-INF, np.log(.5), np.log(.5), -INF, -INF]]), 4, 4)),
    ),
    "ece": (
        Probe("ten", T("十个答案", "ten answers"), lambda: (SURE, HITS)),
        Probe("edges", T("正好在边界上", "exactly on the edges"),
              lambda: (np.array([.1, .2, .5, .6, .9, 1.0]), np.array([1, 0, 1, 0, 0, 1]))),
        Probe("certain", T("全是 1", "all are 1"), lambda: (np.ones(4), np.array([1, 0, 1, 1]))),
        Probe("two", T("两个箱", "two bins"), lambda: (SURE, HITS, 2)),
        Probe("one_bin", T("都在一个箱里", "all in one bin"),
              lambda: (np.array([.41, .45, .48]), np.array([1, 1, 0]))),
    ),
}


def asked(task: Task, call: Own | Callable[..., Any],
          probes: Iterable[Probe] | None = None) -> dict[str, Outcome]:
    """Every probe of a task put to a function."""
    chosen = PROBES[task.name] if probes is None else probes
    return {probe.key: outcome(call, task, probe.args()) for probe in chosen}
