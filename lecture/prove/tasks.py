"""What can a student write oneself?  The functions of each demo that theirs may replace.

A Task names the function as the student calls it, where ours stands, what it must do, and the
way through which ours is called with theirs behind it (`via`): it works out the shapes, hands
over plain arrays, and takes back what is needed.

Left out: what is called with an argument the lesson of the demo has no use for (a softcap, a
float mask): there ours answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from lecture.errors import UsageProblem
from lecture.prove.own import Own, Wrong
from lecture.report import T

Array = np.ndarray


@dataclass(frozen=True)
class Task:
    """One function to write; `target` in `module` is ours."""

    demo: str
    name: str
    module: str
    target: str
    signature: str                      # "softmax(x)", with the shapes below in `gives`
    gives: str
    about: T                            # what it must do: the docstring of the blank
    via: Callable[..., Any]

    @property
    def parameters(self) -> list[str]:
        """The names between the brackets of the signature."""
        inside = self.signature.partition("(")[2].rpartition(")")[0]
        return [word.partition("=")[0].strip() for word in inside.split(",")]


def _numbers(a: Any) -> Array:
    return np.asarray(a, dtype=np.float64)


# --- 04: attention ------------------------------------------------------------


def _softmax(own: Own, x: Any, axis: int = -1) -> Array:
    x = np.moveaxis(_numbers(x), axis, -1)
    return np.moveaxis(own.floats(own.ask(x), x.shape), -1, axis)


def _causal_mask(own: Own, T: int, S: int | None = None, offset: int | None = None) -> Array:
    keys = T if S is None else S
    plain = keys == T and offset in (None, 0)
    args = (T,) if plain else (T, keys) if offset is None else (T, keys, offset)
    if len(args) > 1 and not own.takes(len(args)):
        found: Array = own.ours(T, S, offset)
        return found
    return own.truths(own.ask(*args), (T, keys))


def _attention(own: Own, Q: Any, K: Any, V: Any, scale: bool | float = True, mask: Any = None,
               softcap: float | None = None) -> tuple[Array, Array]:
    hidden = None if mask is None else np.asarray(mask)
    if softcap is not None or (hidden is not None and hidden.dtype != bool):
        ours: tuple[Array, Array] = own.ours(Q, K, V, scale, mask, softcap)
        return ours
    Q, K, V = _numbers(Q), _numbers(K), _numbers(V)
    if Q.ndim > 2:
        share = own.ours.__globals__["_share_heads"]
        K, V = share(K, Q.shape[-3], "K"), share(V, Q.shape[-3], "V")
    if not isinstance(scale, bool | np.bool_):
        Q, scale = Q * scale, False
    n_q, n_k, d_v = Q.shape[-2], K.shape[-2], V.shape[-1]
    lead = np.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2],
                               hidden.shape[:-2] if hidden is not None else ())
    Q, K, V = (np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in (Q, K, V))
    if hidden is not None:
        hidden = np.broadcast_to(hidden, (*lead, n_q, n_k))
    more = () if scale and hidden is None else (bool(scale), hidden)
    out, weights = own.pair(own.ask(Q, K, V, *more))
    return (own.floats(out, (*lead, n_q, d_v), " for the output"),
            own.floats(weights, (*lead, n_q, n_k), " for the weights"))


def _circuit(model: Any, layer: int) -> SimpleNamespace:
    """What a layer of the hand-built circuit is made of: copies, under plain names."""
    made = {name: np.array(getattr(model, f"{name}{layer}")) for name in "QKV"}
    if layer == 2:
        return SimpleNamespace(beta=model.beta, **made)
    null = np.array(model.at[0]) if model.null_key else None
    return SimpleNamespace(beta=model.beta1, null=null, strict=model.strict, **made)


def _layer1(own: Own, model: Any, X: Any) -> tuple[Array, Array]:
    X = _numbers(X)
    after, weights = own.pair(own.ask(_circuit(model, 1), X))
    return (own.floats(after, X.shape, " for X"),
            own.floats(weights, (*X.shape[:-1], X.shape[-2]), " for the weights"))


def _layer2(own: Own, model: Any, X: Any) -> tuple[Array, Array]:
    X = _numbers(X)
    out, weights = own.pair(own.ask(_circuit(model, 2), X))
    return (own.floats(out, (*X.shape[:-1], model.V), " for the output"),
            own.floats(weights, (*X.shape[:-1], X.shape[-2]), " for the weights"))


# --- 06: masks ----------------------------------------------------------------


def _padding_mask(own: Own, ids: Any, pad: int, heads: bool = False) -> Array:
    return _of_ids(own, ids, pad, heads, 1)


def _combined_mask(own: Own, ids: Any, pad: int, heads: bool = False) -> Array:
    return _of_ids(own, ids, pad, heads, np.shape(ids)[-1])


def _of_ids(own: Own, ids: Any, pad: int, heads: bool, rows: int) -> Array:
    ids = np.asarray(ids)
    if heads and not own.takes(3):
        found: Array = own.ours(ids, pad, heads)
        return found
    shape = (*ids.shape[:-1], *((1,) if heads else ()), rows, ids.shape[-1])
    return own.truths(own.ask(ids, pad, *((True,) if heads else ())), shape)


# --- 07: positions ------------------------------------------------------------


def _sinusoids(own: Own, T: Any, d: int, base: float = 10000.0) -> Array:
    positions = np.arange(T, dtype=np.float64) if np.ndim(T) == 0 else _numbers(T)
    more = () if base == 10000.0 else (base,)
    if more and not own.takes(3):
        found: Array = own.ours(T, d, base)
        return found
    return own.floats(own.ask(positions, d, *more), (len(positions), d))


def _rope(own: Own, x: Any, positions: Any, convention: str = "half",
          base: float = 10000.0) -> Array:
    x, places = _numbers(x), _numbers(positions)
    if places.ndim == 0:
        places = np.full(x.shape[-2], float(places))
    more: tuple[Any, ...] = ((convention, base) if base != 10000.0 else
                             (convention,) if convention != "half" else ())
    if more and not own.takes(2 + len(more)):
        found: Array = own.ours(x, positions, convention, base)
        return found
    shape = np.broadcast_shapes(x.shape, (*places.shape, x.shape[-1]))
    return own.floats(own.ask(np.broadcast_to(x, shape), places, *more), shape)


# --- 08: heads ----------------------------------------------------------------


def _split_heads(own: Own, x: Any, h: int) -> Array:
    x = _numbers(x)
    return own.floats(own.ask(x, int(h)),
                      (*x.shape[:-2], h, x.shape[-2], x.shape[-1] // h))


def _merge_heads(own: Own, x: Any) -> Array:
    x = _numbers(x)
    return own.floats(own.ask(x), (*x.shape[:-3], x.shape[-2], x.shape[-3] * x.shape[-1]))


def _share_heads(own: Own, kv: Array, h: int, name: str) -> Array:
    if kv.ndim < 3 or kv.shape[-3] in (1, h) or h == 1 or h % kv.shape[-3]:
        found: Array = own.ours(kv, h, name)                # nothing to share, or an error
        return found
    return own.floats(own.ask(kv, int(h)), (*kv.shape[:-3], h, *kv.shape[-2:]))


# --- 09: norms ----------------------------------------------------------------


def _layer_norm(own: Own, x: Any, gain: Any = 1.0, bias: Any = 0.0,
                eps: float = 1e-5) -> Array:
    x = _numbers(x)
    gain, bias = (np.broadcast_to(_numbers(a), x.shape[-1:]) for a in (gain, bias))
    return own.floats(own.ask(x, gain, bias, float(eps)), x.shape)


def _rms_norm(own: Own, x: Any, gain: Any = 1.0, eps: float = 1e-5) -> Array:
    x = _numbers(x)
    gain = np.broadcast_to(_numbers(gain), x.shape[-1:])
    return own.floats(own.ask(x, gain, float(eps)), x.shape)


# --- 01, 10, 13: what is no array ----------------------------------------------


def _usable_pairs(own: Own, symbols: Any) -> dict[Any, int]:
    found = own.ask(list(symbols))
    try:
        return {(a, b): int(n) for (a, b), n in dict(found).items()}
    except (TypeError, ValueError):
        raise Wrong("usable_pairs gives no counts: {(left, right): how often} is "
                    "needed") from None


def _join(own: Own, symbols: Any, pair: Any) -> list[Any]:
    found = own.ask(list(symbols), tuple(pair))
    if isinstance(found, str | bytes) or not hasattr(found, "__iter__"):
        raise Wrong(f"join gives a {type(found).__name__}; a list of symbols is needed")
    made, kind = list(found), type(pair[0])
    if not all(isinstance(piece, kind) for piece in made):
        raise Wrong(f"join gives a list with something in it that is no {kind.__name__}")
    return made


def _beam_step(own: Own, alive: Any, log_p: Any, end: int, width: int) -> Any:
    pairs = [(tuple(int(w) for w in words), float(p)) for words, p in alive]
    found = own.pair(own.ask(pairs, _numbers(log_p), int(end), int(width)))
    try:
        on, done = ([(tuple(int(w) for w in words), float(p)) for words, p in side]
                    for side in found)
    except (TypeError, ValueError):
        raise Wrong("beam_step gives something else than two lists of (words, log P)") from None
    if len(on) > width:                     # without end they would fill the memory
        raise Wrong(f"beam_step lets {len(on)} live on where the width is {width}")
    return on, done


def _ece(own: Own, confidence: Any, right: Any, bins: int = 10) -> float:
    sure, hit = _numbers(confidence), _numbers(right)
    if bins != 10 and not own.takes(3):
        return float(own.ours(sure, hit, bins))
    return float(own.floats(own.ask(sure, hit, *(() if bins == 10 else (bins,))), ()))


# --- the table ----------------------------------------------------------------

NP, BPE = "attention_np", "lecture.data.bpe"
TASKS: tuple[Task, ...] = (
    Task("01", "usable_pairs", BPE, "usable_pairs", "usable_pairs(symbols)",
         "{(left, right): count}", T(
             "相邻两个符号各能合并几次，从左到右数；一个符号只用一次：aaaa 里 (a, a) 是 2 次，"
             "不是 3 次。",
             "How often each pair of neighbours could be joined, from left to right. A symbol is "
             "used once: aaaa has (a, a) twice, not three times."), _usable_pairs),
    Task("01", "join", BPE, "join", "join(symbols, pair)", "a list of symbols", T(
        "从左到右，把每一处能合并的 pair 接成一个符号（left + right，可能是 str 也可能是 bytes）。"
        "不改动传进来的列表。",
        "The symbols with every usable pair, from left to right, made one piece (left + right; "
        "they may be str or bytes). The list that was given stays as it is."), _join),
    Task("04", "softmax", NP, "softmax", "softmax(x)", "weights [.., n]", T(
        "x [.., n]：沿最后一轴，权重 >= 0，合计 1。再大的分数也不溢出；一行全是 -inf 时，"
        "权重全是 0。",
        "x [.., n]: along the last axis, weights >= 0 that sum to 1. No score is too large for "
        "it; a row that is -inf all along has weights 0."), _softmax),
    Task("04", "causal_mask", NP, "causal_mask", "causal_mask(T, S=None, offset=None)",
         "booleans [T, S]", T(
             "True = 可以看：键的位置 <= 查询的位置。第 i 个查询在位置 i + offset。S 默认等于 T，"
             "offset 默认等于 S - T（新词是 S 个里的最后几个，像有缓存时那样）。",
             "True = may look: the key's place <= the query's. Query i stands at i + offset. S is "
             "T if not given, offset is S - T (the new words are the last of the S, as with a "
             "cache)."), _causal_mask),
    Task("04", "attention", NP, "attention", "attention(Q, K, V, scale=True, mask=None)",
         "(out [.., n_q, d_v], weights [.., n_q, n_k])", T(
             "softmax(Q K^T / √d) V。Q [.., n_q, d]，K [.., n_k, d]，V [.., n_k, d_v]；前面可以有"
             "批和头的轴。scale=False 时不除。mask [.., n_q, n_k] 是布尔值，True = 可以看；"
             "什么都不能"
             "看的查询，权重和输出都是 0。",
             "softmax(Q K^T / √d) V. Q [.., n_q, d], K [.., n_k, d], V [.., n_k, d_v]; axes for "
             "batch and heads may come before. scale=False: not divided. mask [.., n_q, n_k] is "
             "boolean, True = may look; a query that may look at nothing gets weights 0 and "
             "output 0."), _attention),
    Task("04", "layer1_prev_token", NP, "HandBuiltInduction.layer1_prev_token",
         "layer1_prev_token(circuit, X)", "(X [.., T, d], weights [.., T, T])", T(
             "归纳头的第一层：每个位置看前一个位置，把那里的词加到残差流里。circuit 有矩阵 Q、K、"
             "V，"
             "锐度 beta，空键 null [d]（或 None），strict。查询 beta X Q，键 X K，值 X V，不除以 "
             "√d；"
             "空键（若有）排在最前，先乘 K、V。因果掩码；strict 时连自己也不许看。返回 X "
             "加上取回的，"
             "和去掉空键那一列的权重。",
             "Layer 1 of the induction head: each place looks one place back and adds that word "
             "to the stream. circuit has the matrices Q, K, V, the sharpness beta, a null key "
             "null [d] (or None), and strict. Queries beta X Q, keys X K, values X V, not "
             "divided; null, if any, stands before the first token (and goes through K and V as "
             "well). Causal mask; with strict a place does not see itself either. Gives X plus "
             "what was fetched, and the weights without the null key's column."), _layer1),
    Task("04", "layer2_induction", NP, "HandBuiltInduction.layer2_induction",
         "layer2_induction(circuit, X)", "(out [.., T, V], weights [.., T, T])", T(
             "归纳头的第二层：查询 beta X Q，键 X K，值 X V，因果掩码，不除以 √d。"
             "返回每个词得到的权重"
             "和注意力的权重。",
             "Layer 2 of the induction head: queries beta X Q, keys X K, values X V, causal mask, "
             "not divided. Gives the weight of every word, and the attention weights."), _layer2),
    Task("06", "padding_mask", NP, "padding_mask", "padding_mask(ids, pad, heads=False)",
         "booleans [.., 1, S], with heads [.., 1, 1, S]", T(
             "ids [.., S]：不是填充的键为 True。多一个轴给查询（长 1）；heads=True 再多一个给头。",
             "ids [.., S]: True at keys that are no padding. One more axis (of length 1) for the "
             "queries; with heads=True one more for the heads."), _padding_mask),
    Task("06", "combined_mask", NP, "combined_mask", "combined_mask(ids, pad, heads=False)",
         "booleans [.., T, T], with heads [.., 1, T, T]", T(
             "ids [.., T]：既是因果的，又不看填充。",
             "ids [.., T]: causal, and no padding is looked at."), _combined_mask),
    Task("07", "sinusoidal_positions", NP, "sinusoidal_positions",
         "sinusoidal_positions(positions, d, base=10000.0)", "[T, d]", T(
             "positions [T]：偶数列是正弦，奇数列是余弦；第 2j、2j+1 列的角是 p * base^(-2j/d)。"
             "d 是奇数时以正弦结尾。",
             "positions [T]: sines at even columns, cosines at odd ones; the angle of columns 2j "
             "and 2j+1 is p * base^(-2j/d). An odd d ends in a sine."), _sinusoids),
    Task("07", "rope", NP, "rope", "rope(x, positions, convention=\"half\", base=10000.0)",
         "[.., T, d]", T(
             "x [.., T, d]，positions [.., T]，可以是小数：第 j 对转 p * base^(-2j/d) 弧度，"
             "(a, b) -> (a cos - b sin, a sin + b cos)。convention \"half\" 配对 (j, j + d/2)，"
             "\"adjacent\" 配对 (2j, 2j+1)。",
             "x [.., T, d], positions [.., T], which may be fractions: pair j is turned by "
             "p * base^(-2j/d) radians, (a, b) -> (a cos - b sin, a sin + b cos). convention "
             "\"half\" pairs (j, j + d/2), \"adjacent\" pairs (2j, 2j+1)."), _rope),
    Task("08", "split_heads", NP, "split_heads", "split_heads(x, h)", "[.., h, T, d/h]", T(
        "x [.., T, d]：第 i 个头拿第 i 段连续的 d/h 列。",
        "x [.., T, d]: head i gets the i-th run of d/h neighbouring columns."), _split_heads),
    Task("08", "merge_heads", NP, "merge_heads", "merge_heads(x)", "[.., T, h * d]", T(
        "x [.., h, T, d]：split_heads 的逆。", "x [.., h, T, d]: undoes split_heads."),
        _merge_heads),
    Task("08", "share_heads", NP, "_share_heads", "share_heads(kv, h)", "[.., h, n, d]", T(
        "kv [.., g, n, d]，h 是 g 的倍数：每 h/g 个相邻的查询头共用一个键值头（0 0 1 1，不是 0 1 "
        "0 1）。",
        "kv [.., g, n, d], h a multiple of g: h/g neighbouring query heads share one "
        "(0 0 1 1, not 0 1 0 1)."), _share_heads),
    Task("09", "layer_norm", NP, "layer_norm", "layer_norm(x, gain, bias, eps=1e-5)", "[.., d]", T(
        "x [.., d]：每个词元减去自己的均值，除以 √(方差 + eps)（方差除以 d），再乘 gain [d]，加 "
        "bias [d]。",
        "x [.., d]: each token less its own mean, over sqrt(variance + eps) (the variance divides "
        "by d); then times gain [d], plus bias [d]."), _layer_norm),
    Task("09", "rms_norm", NP, "rms_norm", "rms_norm(x, gain, eps=1e-5)", "[.., d]", T(
        "x [.., d]：每个词元除以 √(平方的均值 + eps)，再乘 gain [d]；不减均值。",
        "x [.., d]: each token over sqrt(mean of its squares + eps), times gain [d]; the mean "
        "stays."), _rms_norm),
    Task("10", "beam_step", "lecture.models.beam", "step", "beam_step(alive, log_p, end, width)",
         "(alive, finished)", T(
             "alive：活着的开头 [(words, log P), ..]，words 是词号的元组；log_p [k, V]："
             "每个开头之后下一"
             "个词的 log P。说出 end 的是完成的：words 不变，log P 加上 end 的，不再延长，"
             "也不占名额。其余"
             "的延长一个词，留下 log P 最高的 width 个，由高到低；相等时词号小的在前。概率为零的"
             "（log P 是 -inf）不算。",
             "alive: the living beginnings [(words, log P), ..], words a tuple of numbers; log_p "
             "[k, V]: log P of the next word after each. One that says end is finished: its "
             "words stay, end's log P is added, it is never extended and takes no place. All "
             "others grow by a word; the width best by log P live on, best first, smaller word "
             "numbers first where they tie. What is impossible (-inf) is left out."), _beam_step),
    Task("13", "ece", "lecture.lab.calibration", "ece", "ece(confidence, right, bins=10)",
         "one number", T(
             "confidence [n] 在 0..1，right [n] 是 0 或 1。等宽的箱，左边界属于本箱，1 "
             "属于最后一箱；"
             "空箱不算。各箱：答案的份额 × |答对的份额 - 平均把握|，求和。",
             "confidence [n] in 0..1, right [n] 0 or 1. Equal bins; the left edge belongs to a "
             "bin, 1 to the last; empty bins are left out. The sum over bins of (share of the "
             "answers) * |share right - mean confidence|."), _ece),
)


def tasks_of(demo: str) -> tuple[Task, ...]:
    """The tasks of a demo; UsageProblem where it has none."""
    found = tuple(t for t in TASKS if t.demo == demo)
    if not found:
        there = ", ".join(dict.fromkeys(t.demo for t in TASKS))
        raise UsageProblem(f"demo {demo} has nothing to write oneself",
                           f"these have: {there}")
    return found


HEAD = T(
    "# 自己写，让演示 {demo} 来评判：   lecture try {demo} {name}\n"
    "# 没写的（只有 ...）用我们的；一次写一个就行。数组都是 float64。\n",
    "# Write them yourself, and let demo {demo} judge:   lecture try {demo} {name}\n"
    "# What is not written (only ...) is ours; one at a time will do. Arrays are float64.\n")


def blank(demo: str, lang: str, name: str) -> str:
    """The file to fill in: signatures, shapes, what each function must do."""
    text = HEAD.text(lang, {"demo": demo, "name": name}) + "\nimport numpy as np\n"
    for task in tasks_of(demo):
        about = "\n".join(f"    {line}" for line in _lines(task.about.text(lang), 84))
        text += (f"\n\ndef {task.signature}:\n    \"\"\"-> {task.gives}\n\n{about}\n"
                 f"    \"\"\"\n    ...\n")
    return text


def _lines(text: str, width: int) -> list[str]:
    """Text in lines of at most `width` cells, as a screen would wrap it; no rich needed."""
    lines, used = [""], 0
    for unit in re.findall(r"\s*[^\s\u2e80-\uffef]+|\s*[\u2e80-\uffef][，。；：、）]*", text):
        cells = sum(2 if c > "\u2e7f" else 1 for c in unit)
        if used + cells > width:
            lines.append("")
            used, unit = 0, unit.lstrip()
        lines[-1] += unit
        used += cells
    return lines
