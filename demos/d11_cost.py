"""What does a Transformer cost: in multiply-adds, in bytes, in steps that wait?

Every query meets every key: n·n·d multiply-adds, twice, and n·n weights a head.  Part 1
counts a whole layer against the length, part 2 the bytes of a whole model, part 3 runs
three ways out of n·n and checks each against the full thing, part 4 sets a layer beside
a recurrent one, part 5 writes with and without a cache of keys and values.

Unlike demo 09: what a layer can do plays no part, only what it takes.  Nothing is
computed from a formula: the code that attends counts its own products (lecture/cost_np),
and the tests hold the counts against torch's own counter.  Left out: norms, biases and
GELU (no products), what a GPU moves between its memories, several machines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, causal_mask, strided_mask, window_mask
from demos.errata.e11 import ERRATA
from lecture import records
from lecture.cost_np import (
    TRAINING,
    Meter,
    ModelShape,
    Product,
    drawn_layer,
    full,
    grouped,
    held_bytes,
    layer,
    layer_shapes,
    linear,
    linear_state,
    recurrent,
    seconds,
    see_past,
    strided_groups,
    tiled,
    window_groups,
    write,
)
from lecture.errors import UsageProblem
from lecture.report import (
    Block,
    Claim,
    Column,
    Metrics,
    Num,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
    close,
    exact,
)

Array = np.ndarray
COUNT = exact("counted, or a setting: whole numbers")
RATIO = close("a quotient of counts")
ARITHMETIC = close("deterministic float64: only the order of additions may differ")
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-12)
SWITCH = exact("a switch")
LIVE = T("现场计时（live）：只印倍数，不算指标", "time ratios now (live); no metrics")
EXPAND = 4                          # the hidden layer is four widths wide


# --- 1. a whole layer against its length ----------------------------------------

def matrices(meter: Meter, d: int) -> dict[str, Any]:
    """The matrices of one layer, as shapes."""
    return {name: meter.shape(*shape)
            for name, shape in layer_shapes(d, EXPAND * d).items()}


def products_of_a_layer(n: int, d: int, h: int,
                        attend: Any = full) -> list[Product]:
    """A layer over n tokens, run on shapes: what it multiplied."""
    meter = Meter()
    layer(meter.shape(n, d), matrices(meter, d), h, attend)
    return meter.products


def costs(n: int, d: int, h: int, attend: Any) -> Metrics:
    """Multiply-adds of one layer, and where they are."""
    ran = [p.madds for p in products_of_a_layer(n, d, h, attend)]
    q_k_v, (scores, *mix), (out, up, down) = ran[:3], ran[3:-3], ran[-3:]
    both = scores + sum(mix)
    return {"n": n, "projections": sum(q_k_v) + out, "scores": scores,
            "mix": sum(mix), "attention": both, "mlp": up + down,
            "rest": sum(ran) - both, "total": sum(ran),
            "share": both / sum(ran)}


def first(holds: Callable[[int], bool], limit: int = 2**17) -> int | None:
    """The smallest n at which it holds; None if not up to the limit."""
    high = 1
    while not holds(high):
        high *= 2
        if high > limit:
            return None
    low = high // 2                                     # does not hold
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def first_keys(Q: Any, K: Any, V: Any) -> Any:
    """Every query meets the same 256 keys, however many there are."""
    return full(Q, K[..., :256, :], V[..., :256, :])


def scores_only(Q: Any, K: Any, V: Any) -> Any:
    """Scores are made and no value is fetched: one product, not two."""
    S = Q @ K.swapaxes(-1, -2)                  # [n, d] @ [d, n]
    return V + 0 * np.add.reduce(S, axis=-1, keepdims=True)


def grow(width: int, heads: int, short: int, long: int, seed: int,
         attend: Any = full) -> Metrics:
    """One layer, longer and longer; nothing is drawn, seed is unused."""
    _check_heads(width, heads)

    def cost(n: int) -> Metrics:
        return costs(n, width, heads, attend)

    def attention_leads(n: int) -> bool:
        return cost(n)["attention"] >= cost(n)["rest"]

    crossing, few, many = first(attention_leads), cost(short), cost(long)
    lengths = {max(1, short // 10), short, crossing or short,
               long, 10 * long}
    return {"width": width, "heads": heads, "short": few, "long": many,
            "rows": [cost(n) for n in sorted(lengths)],
            "ratio": {"tokens": long / short,
                      "attention": many["attention"] / few["attention"],
                      "rest": many["rest"] / few["rest"],
                      "layer": many["total"] / few["total"]},
            "crossing": {"n": crossing,
                         "widths": crossing and crossing / width}}


def _check_heads(width: int, heads: int) -> None:
    if width % heads:
        raise UsageProblem(
            f"{heads} heads do not divide a width of {width}",
            "set width to a multiple of heads")


def show_growth(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一层 Transformer，宽 d = {width}，{heads} 个头，前馈层的中间宽 4d。同一段代码跑在"
        "“只有形状、没有数字”的数组上，每做一次矩阵乘法就记下乘加次数。",
        "One Transformer layer, width d = {width}, {heads} heads, hidden width 4d. The same "
        "code runs on arrays that have a shape and no numbers, and notes the multiply-adds of "
        "every matrix product."))
    yield Table(
        (Column(T("长度 n", "tokens n"), ",d"), Column(T("四个投影", "projections"), ".3e"),
         Column(T("分数 QK", "scores QK"), ".3e"), Column(T("加权 V", "mixing V"), ".3e"),
         Column(T("前馈", "MLP"), ".3e"), Column(T("整层", "layer"), ".4e"),
         Column(T("注意力占", "attention"), ".1%")),
        [[r["n"], r["projections"], r["scores"], r["mix"], r["mlp"], r["total"], r["share"]]
         for r in m["rows"]],
        title=T("一层的乘加次数；最后一列是两次 n·n·d 乘法的份额",
                "Multiply-adds of one layer; last column: the share of the two n·n·d products"))


GROWTH = Part(
    number=1, key="growth",
    title=T("n·n·d：长度变十倍，贵多少倍", "n·n·d: ten times the length, how many times the cost"),
    compute=grow, describe=show_growth,
    params={"width": Param(512, 8, 16384, about=T("层的宽度 d", "the layer's width d")),
            "heads": Param(8, 1, 128, about=T("头数", "heads")),
            "short": Param(1000, 10, 100000, about=T("短的长度", "the shorter length")),
            "long": Param(10000, 10, 1000000, about=T("长的长度", "the longer length"))},
    controls={"no_mixing": partial(grow, attend=scores_only),
              "fixed_keys": partial(grow, attend=first_keys)},
    claims=(
        Claim("two_products", T(
            "n·n·d 要做两遍：n = {short[n]:,} 时，算分数 {short[scores]:.3e} 次，给 V 加权又是 "
            "{short[mix]:.3e} 次，共 {short[attention]:.3e}；可这只占整层的 {short[share]:.1%}。",
            "n·n·d is paid twice: at n = {short[n]:,} the scores take {short[scores]:.3e}, mixing "
            "V another {short[mix]:.3e}, {short[attention]:.3e} together; and yet that is only "
            "{short[share]:.1%} of the layer."),
            lambda m: min(0.5 - abs(m["short"]["scores"] - m["short"]["n"]**2 * m["width"]),
                          0.5 - abs(m["short"]["mix"] - m["short"]["scores"]),
                          0.5 - abs(m["short"]["attention"] - 2 * m["short"]["scores"]),
                          0.5 - m["short"]["share"]), "no_mixing"),
        Claim("ten_times", T(
            "长度变 {ratio[tokens]:g} 倍（{short[n]:,} 到 {long[n]:,}），n·n·d 那部分贵 "
            "{ratio[attention]:.0f} 倍，其余贵 {ratio[rest]:.0f} 倍，整层贵 {ratio[layer]:.2f} 倍："
            "比长度快，比平方慢。",
            "{ratio[tokens]:g} times the length ({short[n]:,} to {long[n]:,}): the n·n·d part "
            "costs {ratio[attention]:.0f} times as much, the rest {ratio[rest]:.0f} times, the "
            "layer {ratio[layer]:.2f} times: faster than the length, slower than its square."),
            lambda m: min(1e-6 - abs(m["ratio"]["attention"] / m["ratio"]["tokens"]**2 - 1),
                          1e-6 - abs(m["ratio"]["rest"] / m["ratio"]["tokens"] - 1),
                          m["ratio"]["layer"] - m["ratio"]["tokens"] * 1.2,
                          m["ratio"]["tokens"]**2 / 1.2 - m["ratio"]["layer"]), "fixed_keys"),
        Claim("crossing", T(
            "n·n·d 那部分要到 n = {crossing[n]:,} 才追上其余部分，正好是宽度 {width} 的 "
            "{crossing[widths]:g} 倍；比这短的文本，钱主要花在投影和前馈上。",
            "The n·n·d part catches up with the rest only at n = {crossing[n]:,}, which is "
            "{crossing[widths]:g} times the width of {width}; below that, most of the cost is "
            "projections and MLP."),
            lambda m: min(0.5 - abs(m["crossing"]["n"] - (2 + EXPAND) * m["width"]),
                          1e-6 - abs(m["crossing"]["widths"] - 2 - EXPAND)), "fixed_keys"),
    ),
    caveat=T(
        "次数不是时间：小矩阵、搬运内存、别的程序都会让同样的次数快慢不一。没有数归一化、偏置和激活"
        "函数，它们不做矩阵乘法。带因果遮罩的普通实现照样算满 n·n，只是再丢掉一半。",
        "Counts are not times: small matrices, memory traffic and other programs make the same "
        "count faster or slower. Norms, biases and activations are not counted; they multiply no "
        "matrices. A plain causal layer still computes all n·n scores, and throws half away."),
    questions=(Question(
        T("长度从 {short} 变成 {long}，宽度 {width}。一整层的计算量变成几倍？",
          "From {short} to {long} tokens at width {width}: how many times does the whole layer "
          "cost?"),
        (Option(T("10 倍", "10 times"), lambda m: 1 - abs(m["ratio"]["layer"] - 10),
                T("只看到投影和前馈，它们确实跟长度成正比；忘了每个词还要看每个词。",
                  "sees projections and MLP, which do grow with the length, and forgets that "
                  "every word meets every word.")),
         Option(T("32 倍", "32 times"), lambda m: 1 - abs(m["ratio"]["layer"] - 32)),
         Option(T("100 倍", "100 times"), lambda m: 5 - abs(m["ratio"]["layer"] - 100),
                T("把 n 的平方套在整层上。那只是两次乘法；在这个长度，其余部分还不小。",
                  "applies the square to the whole layer. It holds for two products; at these "
                  "lengths the rest is still large.")),
         Option(T("1000 倍", "1000 times"), lambda m: m["ratio"]["layer"] - 500,
                T("以为是立方。分数表是二维的：n 个词看 n 个词。",
                  "expects a cube. The table of scores has two sides: n words meet n words.")))),),
    pins={"ratio.*": RATIO, "*.share": RATIO, "crossing.widths": RATIO, "*": COUNT},
    errata=ERRATA["growth"],
    notes=T(
        "约 8 分钟。先投票。争论点：“平方复杂度”为什么没有让一千词的模型慢得用不了？"
        "把 --set 1.width=4096 拿出来：交点跟着宽度走，模型越宽，平方项来得越晚。"
        "再试 --set 1.long=100000，整层的倍数才接近平方。头数不改变任何一列：8 个头各宽 d/8。",
        "About 8 minutes. Vote first. The argument: why does “quadratic” not make a model of a "
        "thousand tokens unusable? Try --set 1.width=4096: the crossing follows the width, a "
        "wider model meets the square later. Then --set 1.long=100000, where the layer comes "
        "nearer to the square. Heads change no column: 8 heads are d/8 wide each."),
)


# --- 2. what has to be kept in memory ---------------------------------------------

GROUPS = ("embedding", "positions", "output", "attention", "mlp", "norms")
STORED = {"float32": "f4", "float16": "f2", "int8": "i1"}
LENGTHS_KEPT = (128, 256, 1024, 4096)


def the_shape(**given: Any) -> ModelShape:
    """The model asked for; what does not fit together is a usage error."""
    try:
        return ModelShape(**given)
    except ValueError as error:
        raise UsageProblem(str(error), "set width, heads and kv_heads "
                           "so that they fit") from None


def hidden_of(shape: ModelShape) -> int:
    """Hidden activations of one token in one layer; a gate doubles them."""
    width = shape.hidden or EXPAND * shape.width
    return width * (1 if shape.family == "gpt2" else 2)


def activations(shape: ModelShape, n: int, attend: Any) -> Metrics:
    """What one layer makes of n tokens: the outputs of its products."""
    made = [p.made for p in products_of_a_layer(
        n, shape.width, shape.heads, attend)]
    weights, mlp = made[3], hidden_of(shape) * n
    return {"n": n, "weights": weights, "mlp": mlp,
            "ratio": weights / mlp, "weights_mb": weights * 4 / 1e6,
            "all": sum(made) - made[-2] + mlp}


def keep(family: str, layers: int, width: int, heads: int, kv_heads: int,
         hidden: int, vocabulary: int, context: int, seed: int,
         adam: bool = True, four_bytes: bool = True,
         attend: Any = full) -> Metrics:
    """Every tensor of a model by name, its bytes; nothing is drawn."""
    shape = the_shape(
        family=family, layers=layers, width=width, heads=heads,
        kv_heads=kv_heads or heads, hidden=hidden,
        vocabulary=vocabulary, context=context)
    tensors = list(shape.tensors())
    shapes = [s for _, s in tensors]
    groups = {group: sum(math.prod(s) for g, s in tensors if g == group)
              for group in GROUPS}
    total = sum(groups.values())
    last_norm = width * (2 if family == "gpt2" else 1)
    inside = groups["attention"] + groups["mlp"] + groups["norms"]

    stored = STORED if four_bytes else dict.fromkeys(STORED, "i1")
    kept = {kind: held_bytes(shapes, [dtype])
            for kind, dtype in stored.items()}
    averages = () if adam else ("mean", "square")
    trained = {way: held_bytes(shapes, [
        dtype for name, dtype in arrays.items() if name not in averages])
        for way, arrays in TRAINING.items()}
    rows = [activations(shape, n, attend) for n in LENGTHS_KEPT]
    half = activations(shape, LENGTHS_KEPT[-1] // 2, attend)
    return {
        "family": family, "layers": layers, "width": width, "heads": heads,
        "hidden": hidden_of(shape), "groups": groups, "total": total,
        "shares": {group: n / total for group, n in groups.items()},
        "block": (inside - last_norm) // layers, "last_norm": last_norm,
        "stored": {kind: {"each": b / total, "gb": b / 1e9}
                   for kind, b in kept.items()},
        "training": {way: {"each": b / total, "gb": b / 1e9}
                     for way, b in trained.items()},
        "activations": rows, "all_growth": rows[-1]["all"] / half["all"],
        "crossing": first(
            lambda n: activations(shape, n, attend)["ratio"] >= 1)}


GROUP_NAMES = {
    "embedding": T("词嵌入", "embedding"), "positions": T("位置", "positions"),
    "output": T("输出表", "output table"), "attention": T("注意力", "attention"),
    "mlp": T("前馈", "MLP"), "norms": T("归一化", "norms"),
}
TRAINING_NAMES = {
    "sgd": T("普通 SGD：4+4", "plain SGD: 4+4"),
    "adam": T("Adam，float32：4+4+4+4", "Adam, float32: 4+4+4+4"),
    "mixed": T("混合精度：2+2+4+4+4", "mixed precision: 2+2+4+4+4"),
    "mixed_wide": T("混合，梯度 float32：2+4+4+4+4", "mixed, float32 gradients: 2+4+4+4+4"),
}


def show_memory(m: Metrics) -> Iterator[Block]:
    yield Table(
        (Column(T("参数在哪里", "where the parameters are")), Column(T("个数", "numbers"), ",d"),
         Column(T("份额", "share"), ".1%")),
        [*([GROUP_NAMES[g], n, m["shares"][g]] for g, n in m["groups"].items() if n),
         [T("合计", "total"), m["total"], Num(None, "")]],
        title=T("{family} 一类的模型：{layers} 层，宽 {width}，{heads} 个头；每层 {block:,} 个",
                "A model of the {family} kind: {layers} layers, width {width}, {heads} heads; "
                "{block:,} a layer"))
    yield Table(
        (Column(T("要存什么", "what is kept")), Column(T("每个参数几字节", "bytes each"), "g"),
         Column(T("GB", "GB"), ".2f")),
        [*([T(f"只存参数，{kind}", f"parameters only, {kind}"), at["each"], at["gb"]]
           for kind, at in m["stored"].items()),
         *([TRAINING_NAMES[way], at["each"], at["gb"]] for way, at in m["training"].items())],
        title=T("字节：参数 + 梯度（+ float32 底稿）（+ Adam 的两份统计），不算激活",
                "Bytes: weights + gradients (+ a float32 master) (+ Adam's two averages), "
                "without activations"))
    yield Table(
        (Column(T("长度 n", "tokens n"), ",d"), Column(T("注意力权重", "weights"), ",d"),
         Column(T("前馈激活", "MLP"), ",d"), Column(T("倍数", "ratio"), ".3g"),
         Column(T("权重 MB", "weights, MB"), ".1f")),
        [[r["n"], r["weights"], r["mlp"], r["ratio"], r["weights_mb"]] for r in m["activations"]],
        title=T("一层、一个序列要留下的数：h·n·n 个权重，对前馈中间层的激活（float32）",
                "Numbers one layer makes of one sequence: h·n·n weights against the MLP's hidden "
                "activations (float32)"))


def _near(value: float, target: float) -> float:
    """> 0 within 5 % of the target: for the options of a question."""
    return 0.05 - abs(value / target - 1)


MEMORY = Part(
    number=2, key="memory",
    title=T("显存：参数、训练、激活", "Memory: parameters, training, activations"),
    compute=keep, describe=show_memory,
    params={"family": Param("gpt2", choices=("gpt2", "llama"),
                            about=T("哪一类模型", "the kind of model")),
            "layers": Param(24, 1, 1000, about=T("层数", "layers")),
            "width": Param(1024, 8, 65536, about=T("宽度", "width")),
            "heads": Param(16, 1, 512, about=T("头数", "heads")),
            "kv_heads": Param(0, 0, 512, about=T("键值头数，0 = 同头数",
                                                 "key-value heads; 0: as many as heads")),
            "hidden": Param(0, 0, 262144, about=T("前馈中间宽，0 = 四倍宽度",
                                                  "hidden width; 0: four widths")),
            "vocabulary": Param(50257, 1, 1000000, about=T("词表大小", "vocabulary")),
            "context": Param(1024, 1, 10000000, about=T("最长上下文", "longest context"))},
    controls={"one_byte_each": partial(keep, four_bytes=False),
              "no_averages": partial(keep, adam=False),
              "tiled": partial(keep, attend=tiled)},
    claims=(
        Claim("parameters", T(
            "一共 {total:,} 个参数：{layers} 层，每层 {block:,}，加上嵌入、位置和最后的归一化。"
            "float32 要 {stored[float32][gb]:.2f} GB，float16 要 {stored[float16][gb]:.2f} GB；"
            "只有一个数一字节时才是 {stored[int8][gb]:.2f} GB。",
            "{total:,} parameters: {layers} layers of {block:,}, and tables, positions and a last "
            "norm. In float32 that is {stored[float32][gb]:.2f} GB, in float16 "
            "{stored[float16][gb]:.2f} GB; {stored[int8][gb]:.2f} GB takes one byte a number."),
            lambda m: min(0.5 - abs(m["total"] - m["layers"] * m["block"] - m["last_norm"]
                                    - m["groups"]["embedding"] - m["groups"]["positions"]
                                    - m["groups"]["output"]),
                          1e-9 - abs(m["stored"]["float32"]["gb"] - 4e-9 * m["total"]),
                          1e-9 - abs(m["stored"]["float16"]["gb"] - 2e-9 * m["total"]),
                          1e-9 - abs(m["stored"]["int8"]["gb"] - 1e-9 * m["total"])),
            "one_byte_each"),
        Claim("training", T(
            "用 Adam 训练，每个参数要 {training[adam][each]:g} 字节，共 {training[adam][gb]:.2f} "
            "GB；"
            "混合精度也是 {training[mixed][each]:g} 字节，一点不省，梯度留在 float32 还要 "
            "{training[mixed_wide][gb]:.2f} GB。不用 Adam 才是 {training[sgd][gb]:.2f} GB。",
            "Training with Adam takes {training[adam][each]:g} bytes a parameter, "
            "{training[adam][gb]:.2f} GB; mixed precision takes {training[mixed][each]:g} too and "
            "saves nothing here, with float32 gradients {training[mixed_wide][gb]:.2f} GB. Only "
            "without Adam is it {training[sgd][gb]:.2f} GB."),
            lambda m: min(1e-6 - abs(m["training"]["adam"]["each"]
                                     - 2 * m["training"]["sgd"]["gb"] / m["total"] * 1e9),
                          1e-6 - abs(m["training"]["adam"]["gb"] * 1e9 / m["total"]
                                     - m["training"]["adam"]["each"]),
                          1e-6 - abs(m["training"]["mixed"]["each"]
                                     - m["training"]["adam"]["each"]),
                          m["training"]["mixed_wide"]["gb"] - m["training"]["adam"]["gb"]),
            "no_averages"),
        Claim("overtakes", T(
            "激活里谁最大要看长度：一层的注意力权重有 h·n·n 个，到 n = {crossing:,}"
            "（每个词 {hidden} 个前馈激活，除以 {heads} 个头）追上前馈的激活，再长就超过；n = "
            "{activations[2][n]:,} 时已是 {activations[2][ratio]:.3g} 倍。",
            "Which activation is largest depends on the length: one layer has h·n·n attention "
            "weights, as many as the MLP's activations at n = {crossing:,} ({hidden} a token over "
            "{heads} heads) and more beyond; at n = {activations[2][n]:,} they are "
            "{activations[2][ratio]:.3g} times as many."),
            lambda m: min(0.99 - abs(m["crossing"] - m["hidden"] / m["heads"]),
                          m["activations"][2]["ratio"] - 1,
                          1e-6 - abs(m["activations"][2]["ratio"] * m["hidden"]
                                     / m["heads"] / m["activations"][2]["n"] - 1)), "tiled"),
    ),
    caveat=T(
        "只数张量本身：没有算分配器的碎片、临时缓冲，也没有算多卡分摊。"
        "激活表只列每次矩阵乘法的输出，"
        "训练时真正留下多少，要看重算、融合等做法；混合精度省的正是激活。",
        "Tensors only: no fragmentation, no scratch buffers, no sharing among devices. The table "
        "of activations lists outputs of products; how much training keeps depends on "
        "recomputing and fusing, and activations are where mixed precision saves."),
    questions=(
        Question(
            T("用 Adam、float32 训练 GPT-2 medium（3.55 亿参数），不算激活，要多少显存？",
              "Train GPT-2 medium (355 million parameters) with Adam in float32. Without "
              "activations, how much memory?"),
            (Option(T("0.35 GB", "0.35 GB"), lambda m: _near(m["training"]["adam"]["gb"], 0.355),
                    T("一个参数当成一个字节。float32 是四个字节。",
                      "counts a parameter as one byte. A float32 has four.")),
             Option(T("1.4 GB", "1.4 GB"), lambda m: _near(m["training"]["adam"]["gb"], 1.42),
                    T("只存了参数。训练还要梯度和优化器的状态。",
                      "keeps the parameters only. Training also keeps gradients and the "
                      "optimizer's state.")),
             Option(T("2.8 GB", "2.8 GB"), lambda m: _near(m["training"]["adam"]["gb"], 2.84),
                    T("参数加梯度，忘了 Adam 每个参数还记两个平均数。",
                      "weights and gradients; forgets the two averages Adam keeps for each "
                      "parameter.")),
             Option(T("5.7 GB", "5.7 GB"), lambda m: _near(m["training"]["adam"]["gb"], 5.68)))),
        Question(
            T("同一个模型改用混合精度（计算用 float16）训练。这部分显存变成多少？",
              "The same model in mixed precision (computing in float16). What becomes of that "
              "memory?"),
            (Option(T("约四分之一", "about a quarter"),
                    lambda m: _near(m["training"]["mixed"]["gb"], 0.25 * 4e-9 * 4 * m["total"]),
                    T("以为只剩半精度的参数和梯度。", "expects half-precision weights and "
                                                      "gradients "
                      "to be all that is left.")),
             Option(T("约一半", "about half"),
                    lambda m: _near(m["training"]["mixed"]["gb"], 0.5 * 4e-9 * 4 * m["total"]),
                    T("以为样样减半。参数的 float32 底稿和 Adam 的两份统计仍是四字节。",
                      "halves everything. The float32 master copy and Adam's two averages stay at "
                      "four bytes.")),
             Option(T("几乎不变", "hardly anything"),
                    lambda m: _near(m["training"]["mixed"]["gb"], 4e-9 * 4 * m["total"]))))),
    pins={"shares.*": RATIO, "*.gb": RATIO, "*.each": RATIO, "*.ratio": RATIO,
          "*.weights_mb": RATIO, "all_growth": RATIO, "*": COUNT},
    errata=ERRATA["memory"],
    notes=T(
        "约 10 分钟，两次投票。第二题多数人会选“一半”：让他们把 2+2+4+4+4 加出来。"
        "换成自己的模型：--set 2.layers=12 --set 2.width=768 --set 2.heads=12 是 GPT-2 small；"
        "--set 2.family=llama --set 2.layers=32 --set 2.width=4096 --set 2.heads=32 "
        "--set 2.kv_heads=8 --set 2.hidden=14336 --set 2.vocabulary=128256 是 Llama 3 8B。"
        "讲义的 512 宽、8 个头：--set 2.width=512 --set 2.heads=8，交点也是 256。",
        "About 10 minutes, two votes. On the second most choose half: let them add 2+2+4+4+4. "
        "Your own model: --set 2.layers=12 --set 2.width=768 --set 2.heads=12 is GPT-2 small; "
        "--set 2.family=llama --set 2.layers=32 --set 2.width=4096 --set 2.heads=32 "
        "--set 2.kv_heads=8 --set 2.hidden=14336 --set 2.vocabulary=128256 is Llama 3 8B. The "
        "notes' width 512 with 8 heads: --set 2.width=512 --set 2.heads=8, the same crossing."),
)


# --- 3. three ways out ---------------------------------------------------------------

LENGTHS = (1024, 2048, 4096)
WAYS = ("full", "tiled", "window", "strided", "linear")
WINDOW, BLOCK, CHECKED = 128, 64, 1024


def attend_with(way: str, window: int, block: int, rescale: bool = True,
                everyone: bool = False, softmax: bool = False) -> Any:
    """One way to attend, as a function of Q, K, V [n, d]."""
    def windowed(Q: Any, K: Any, V: Any) -> Any:
        return grouped(Q, K, V, window_groups(Q.shape[0], window, window,
                                              block))

    def strided(Q: Any, K: Any, V: Any) -> Any:
        n = Q.shape[0]
        return grouped(Q, K, V, strided_groups(n, root(n)))

    ways = {"full": full, "linear": full if softmax else linear,
            "tiled": partial(tiled, block=block, rescale=rescale),
            "window": full if everyone else windowed,
            "strided": full if everyone else strided}
    return ways[way]


def root(n: int) -> int:
    """The stride: √n, rounded."""
    return round(math.sqrt(n))


def counted(attend: Any, d: int) -> Metrics:
    """Multiply-adds and the largest array at each length, on shapes."""
    madds, largest = [], []
    for n in LENGTHS:
        meter = Meter()
        attend(*(meter.shape(n, d) for _ in range(3)))
        madds.append(meter.madds)
        largest.append(meter.largest)
    return {"madds": madds, "largest": largest,
            "growth": doublings(madds)}


def doublings(values: list[int]) -> list[float]:
    """Each value over the one before."""
    return [b / a for a, b in zip(values, values[1:], strict=False)]


def distance(a: Array, b: Array) -> float:
    """How far a is from b, against the size of b."""
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def checked(ways: dict[str, Any], d: int, window: int,
            seed: int) -> Metrics:
    """Each way with numbers, N(0, 1), beside what it should equal."""
    n = CHECKED
    Q, K, V = np.random.default_rng(seed).standard_normal((3, n, d))
    whole, _ = attention(Q, K, V)                       # [n, d]
    causal, _ = attention(Q, K, V, mask=causal_mask(n))
    near, far = window_mask(n, window, window), strided_mask(n, root(n))
    same = {"tiled": whole, "window": attention(Q, K, V, mask=near)[0],
            "strided": attention(Q, K, V, mask=far)[0],
            "linear": linear(Q, K, V, by="pairs")}
    softmax = dict.fromkeys(same, whole) | {"strided": causal}
    out = {name: ways[name](Q, K, V) for name in same}
    return {"n": n, "exact": {name: abs(out[name] - same[name]).max()
                              for name in same},
            "off": {name: distance(out[name], softmax[name])
                    for name in same}}


def kept_by_linear(n: int, d: int, softmax: bool) -> int:
    """Numbers to keep of n words for the next one."""
    meter = Meter()
    K, V = meter.shape(n, d), meter.shape(n, d)
    kept = (K, V) if softmax else linear_state(K, V)
    return sum(x.size for x in kept)


def ways_out(width: int, window: int, block: int, live: bool, seed: int,
             rescale: bool = True, one_tile: bool = False,
             everyone: bool = False, softmax: bool = False) -> Metrics:
    """One head, five ways: counted at three lengths, checked at one."""
    tile = 2**40 if one_tile else block
    ways = {name: attend_with(name, window, tile if name == "tiled"
                              else block, rescale, everyone, softmax)
            for name in WAYS}
    found = {name: counted(way, width) for name, way in ways.items()}
    every = [n * n for n in LENGTHS]
    near = [window_groups(n, window, window, block).pairs for n in LENGTHS]
    far = [strided_groups(n, root(n)).pairs for n in LENGTHS]
    pairs = {"full": every, "window": every if everyone else near,
             "strided": every if everyone else far}
    return {
        "lengths": list(LENGTHS), "width": width, "window": window,
        "block": block, "ways": found,
        "pairs": {name: {"counts": counts, "growth": doublings(counts)}
                  for name, counts in pairs.items()},
        "smaller": [a / b for a, b in zip(
            found["full"]["largest"], found["tiled"]["largest"],
            strict=True)],
        "state": [kept_by_linear(n, width, softmax) for n in LENGTHS],
        "keys_values": [kept_by_linear(n, width, True) for n in LENGTHS],
        "checked": checked(ways, width, window, seed),
        "live": live, "record": recorded_times()}


def recorded_times() -> Metrics:
    """The record of benchmarks/attention_cost.py, as far as it is shown."""
    r = records.read("attention_cost")
    at = [r["lengths"].index(n) for n in LENGTHS]
    ways = {}
    for name in (*WAYS, "fused"):
        way = r["ways"][name]
        ways[name] = {"ms": [way["ms"][i]["low"] for i in at],
                      "exponent": way["exponent"]["best"],
                      "low": way["exponent"]["low"],
                      "high": way["exponent"]["high"],
                      "mb": way["process_mb"][at[-1]]}
    return {"machine": r["machine"], "date": r["date"],
            "runs": r["settings"]["runs"], "from": r["settings"]["from"],
            "torch": r["versions"]["torch"],
            "numpy": r["versions"]["numpy"], "ways": ways}


WAY_NAMES = {
    "full": T("整张表", "in full"), "tiled": T("分块", "tiled"), "window": T("窗口", "window"),
    "strided": T("跳步", "strided"), "linear": T("线性", "linear"),
    "fused": T("融合", "fused"),
}
AT = tuple(Column(T(f"n={{lengths[{i}]:,}}", f"n={{lengths[{i}]:,}}"), ",d") for i in range(3))


def at_lengths(spec: str) -> tuple[Column, ...]:
    """One column a length."""
    return tuple(Column(c.header, spec) for c in AT)


def show_ways_out(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一个头，宽 {width}。整张表：一次算出全部分数。分块：每次 {block} 个键，"
        "边走边记最大值与和。"
        "窗口：左右各 {window} 个邻居。跳步：往回每 √n 个看一个（只看过去）。线性：权重换成 "
        "f(q)·f(k)，"
        "f = elu + 1，括号就可以挪：先算 K 与 V 的乘积。",
        "One head, width {width}. In full: all scores at once. Tiled: {block} keys at a time, with "
        "a running maximum and sum. Window: {window} neighbours on each side. Strided: every √n-th "
        "key back (past only). Linear: weights f(q)·f(k), f = elu + 1, so that the brackets can "
        "move: K times V first."))
    yield Table(
        (Column(T("乘加次数", "multiply-adds")), *at_lengths(",d"),
         Column(T("翻倍后 ×", "doubled ×"), ".2f")),
        [[WAY_NAMES[k], *v["madds"], v["growth"][1]] for k, v in m["ways"].items()])
    yield Table(
        (Column(T("最大的数组", "largest array")), *at_lengths(",d")),
        [[WAY_NAMES[k], *v["largest"]] for k, v in m["ways"].items()],
        legend=T("运算中产生的最大一个数组有多少个数（float64 每个八字节）",
                 "numbers in the largest array that arithmetic makes (eight bytes each)"))
    yield Table(
        (Column(T("看的对数", "pairs looked at")), *at_lengths(",d"),
         Column(T("翻倍后 ×", "doubled ×"), ".2f")),
        [[WAY_NAMES[k], *v["counts"], v["growth"][1]] for k, v in m["pairs"].items()])
    yield Table(
        (Column(T("差多少", "how far off")), Column(T("与应得的差", "from what it should be"),
                                                 ".0e"),
         Column(T("与完整 softmax 的差", "from full softmax"), ".0%")),
        [[WAY_NAMES[k], m["checked"]["exact"][k], m["checked"]["off"][k]]
         for k in WAYS if k != "full"],
        legend=T("n = {checked[n]:,}，随机的 Q、K、V。应得：分块 = 整张表；窗口、跳步 = 同样遮罩的"
                 "整张表；线性 = 另一种括号。最后一列：跳步比的是因果的整张表",
                 "n = {checked[n]:,}, random Q, K, V. Should be: tiled = in full; window, strided "
                 "= in full under the same mask; linear = the other brackets. Last column: "
                 "strided against causal attention in full"))
    record = m["record"]["ways"]
    yield Table(
        (Column(T("毫秒", "ms")), *at_lengths(".1f"),
         Column(T("指数", "power"), ".2f"), Column(T("最低", "low"), ".2f"),
         Column(T("最高", "high"), ".2f"), Column(T("峰值", "peak"), ".0f")),
        [[WAY_NAMES[k], *v["ms"], v["exponent"], v["low"], v["high"], v["mb"]]
         for k, v in record.items()],
        title=T("记录，不是现在测的（{record[date]}，{record[machine][processor]}，"
                "{record[machine][threads]} 线程，numpy {record[numpy]}，torch {record[torch]}）",
                "Recorded, not measured now ({record[date]}, {record[machine][processor]}, "
                "{record[machine][threads]} thread, numpy {record[numpy]}, torch {record[torch]})"),
        legend=T("融合：torch 的分块内核。时间取 {record[runs]} 次里最快的；指数：时间是 n "
                 "的几次方，由 "
                 "n ≥ {record[from]} 拟合，最低、最高是单次的；峰值：最长时进程多占的 MB。"
                 "时间不只看乘加：新占的内存也要时间",
                 "fused: torch's tiled kernel. Times: the fastest of {record[runs]} runs; power: "
                 "time ~ n to that power, fitted from n = {record[from]} on, low and high of "
                 "single runs; peak: MB the process grew by at the longest. Time is not "
                 "multiply-adds alone: fresh memory takes time too"))
    if m["live"]:
        yield live_ways(m)


def live_ways(m: Metrics) -> Table:
    """Timed while the screen is drawn: each way against the full table."""
    lengths, rows = LENGTHS[:2], {}
    for name in WAYS:
        call = attend_with(name, m["window"], m["block"])
        rows[name] = [seconds(partial(call, *np.random.default_rng(0).standard_normal(
            (3, n, m["width"])))) for n in lengths]
    return Table(
        (Column(T("整张表 = 1", "in full = 1")), *at_lengths(".3f")[:len(lengths)],
         Column(T("翻倍后 ×", "doubled ×"), ".1f")),
        [[WAY_NAMES[k], *(t / f for t, f in zip(v, rows["full"], strict=True)), v[1] / v[0]]
         for k, v in rows.items()], title=LIVE)


WAYS_OUT = Part(
    number=3, key="ways_out",
    title=T("三条出路：分块、稀疏、线性", "Three ways out: tiles, sparse, linear"),
    compute=ways_out, describe=show_ways_out,
    params={"width": Param(64, 2, 256, about=T("头的宽度", "width of the head")),
            "window": Param(WINDOW, 1, 512, about=T("左右各看几个邻居", "neighbours each side")),
            "block": Param(BLOCK, 8, 1024, about=T("一块几个键", "keys a tile")),
            "live": Param(False, about=T("现场计时，只印倍数", "time it now, as ratios"))},
    controls={"no_rescaling": partial(ways_out, rescale=False),
              "one_tile": partial(ways_out, one_tile=True),
              "all_pairs": partial(ways_out, everyone=True),
              "softmax_stays": partial(ways_out, softmax=True)},
    claims=(
        Claim("tiled_exact", T(
            "分块不是近似：与一次算完的差只有 {checked[exact][tiled]:.0e}，乘加一次不少"
            "（n = {lengths[2]:,} 时都是 {ways[tiled][madds][2]:,}）。",
            "Tiles are no approximation: they differ from the whole by "
            "{checked[exact][tiled]:.0e}, and not one multiply-add is saved (both "
            "{ways[tiled][madds][2]:,} at n = {lengths[2]:,})."),
            lambda m: min(1e-12 - m["checked"]["exact"]["tiled"],
                          0.5 - abs(m["ways"]["tiled"]["madds"][2]
                                    - m["ways"]["full"]["madds"][2])), "no_rescaling"),
        Claim("tiled_memory", T(
            "省的是内存，而且越长省得越多：n = {lengths[0]:,}、{lengths[1]:,}、{lengths[2]:,} 时，"
            "最大的数组分别小 {smaller[0]:g}、{smaller[1]:g}、{smaller[2]:g} 倍，"
            "不是一个固定的倍数。",
            "Memory is what they save, the more the longer: at n = {lengths[0]:,}, {lengths[1]:,} "
            "and {lengths[2]:,} the largest array is {smaller[0]:g}, {smaller[1]:g} and "
            "{smaller[2]:g} times smaller; no fixed factor."),
            lambda m: min(m["smaller"][0] - 1, m["smaller"][1] / m["smaller"][0] - 1.9,
                          m["smaller"][2] / m["smaller"][1] - 1.9), "one_tile"),
        Claim("sparse", T(
            "长度翻倍，窗口看的对数 ×{pairs[window][growth][1]:.2f}，是线性；每 √n 看一个是 "
            "×{pairs[strided][growth][1]:.2f}，即 n√n；整张表 ×{pairs[full][growth][1]:g}。"
            "两者都与同样遮罩的整张表一致（差 {checked[exact][window]:.0e}、"
            "{checked[exact][strided]:.0e}）。",
            "Twice the length: a window looks at ×{pairs[window][growth][1]:.2f} pairs, linear; "
            "every √n-th key at ×{pairs[strided][growth][1]:.2f}, that is n√n; the full table at "
            "×{pairs[full][growth][1]:g}. Both equal the full table under the same mask (to "
            "{checked[exact][window]:.0e} and {checked[exact][strided]:.0e})."),
            lambda m: min(0.2 - abs(m["pairs"]["window"]["growth"][1] - 2),
                          0.2 - abs(m["pairs"]["strided"]["growth"][1] - 2**1.5),
                          1e-9 - abs(m["pairs"]["full"]["growth"][1] - 4),
                          1e-12 - m["checked"]["exact"]["window"],
                          1e-12 - m["checked"]["exact"]["strided"]), "all_pairs"),
        Claim("linear_orders", T(
            "线性注意力的两种括号答案相同（差 {checked[exact][linear]:.0e}），乘加却从 "
            "{ways[full][madds][2]:,} 降到 {ways[linear][madds][2]:,}（n = {lengths[2]:,}）。",
            "Both ways to set the brackets of linear attention give the same answer (to "
            "{checked[exact][linear]:.0e}), for {ways[linear][madds][2]:,} multiply-adds instead "
            "of {ways[full][madds][2]:,} (n = {lengths[2]:,})."),
            lambda m: min(1e-12 - m["checked"]["exact"]["linear"],
                          m["ways"]["full"]["madds"][2] - 2 * m["ways"]["linear"]["madds"][2]),
            "softmax_stays"),
        Claim("linear_cost", T(
            "它的计算量仍随长度增长（翻倍 ×{ways[linear][growth][1]:.2f}）；"
            "与长度无关的只是要记住的"
            "状态：n = {lengths[0]:,} 和 {lengths[2]:,} 时都是 {state[2]:,} 个数，而 softmax "
            "要留着 "
            "{keys_values[2]:,} 个键和值的数。",
            "Its cost still grows with the length (×{ways[linear][growth][1]:.2f} a doubling); "
            "only "
            "the state to be remembered does not: {state[2]:,} numbers at n = {lengths[0]:,} and "
            "at {lengths[2]:,}, where softmax must keep {keys_values[2]:,} of keys and values."),
            lambda m: min(1e-6 - abs(m["ways"]["linear"]["growth"][1] - 2),
                          0.5 - abs(m["state"][2] - m["state"][0]),
                          m["keys_values"][2] - m["state"][2]), "softmax_stays"),
        Claim("linear_is_other", T(
            "但它不是 softmax 注意力：同样的 Q、K、V，输出差 {checked[off][linear]:.0%}。",
            "But it is not softmax attention: on the same Q, K, V its output is "
            "{checked[off][linear]:.0%} off."),
            lambda m: m["checked"]["off"]["linear"] - 0.5, "softmax_stays"),
    ),
    caveat=T(
        "随机的 Q、K、V 上差多少，不等于训练好的模型会差多少："
        "那样的模型是带着自己的注意力学出来的。"
        "分块的速度优势来自 GPU 上少搬内存，这里的 NumPy 只演示算法。Mamba 不在表里："
        "它是选择性状态空间"
        "模型，不是线性注意力。n log n 的是 Reformer（按哈希分桶），这里没有实现。",
        "How far off on random Q, K, V is not how far off a trained model would be: it learns with "
        "the attention it has. Tiles are fast because a GPU moves less memory; this NumPy shows "
        "the algorithm only. Mamba is not in the table: it is a selective state-space model, not "
        "linear attention. The n log n one is Reformer (buckets by hashing), not built here."),
    questions=(Question(
        T("FlashAttention 把分数表切成小块来算。它是什么？",
          "FlashAttention computes the table of scores tile by tile. What is it?"),
        (Option(T("近似，用精度换速度", "an approximation: accuracy for speed"),
                lambda m: m["checked"]["exact"]["tiled"] - 1e-9,
                T("以为 softmax 非得见到整行。记住到目前为止的最大值与和，就能一块块地修正，"
                  "一点不差。",
                  "thinks softmax must see the whole row. A running maximum and sum correct each "
                  "tile, with nothing lost.")),
         Option(T("精确，只是手头留的数少", "exact; it only holds fewer numbers"),
                lambda m: min(1e-12 - m["checked"]["exact"]["tiled"], m["smaller"][0] - 1,
                              0.5 - abs(m["ways"]["tiled"]["madds"][2]
                                        - m["ways"]["full"]["madds"][2]))),
         Option(T("少算一半的乘加", "half the multiply-adds"),
                lambda m: 0.1 - abs(m["ways"]["tiled"]["madds"][2]
                                    / m["ways"]["full"]["madds"][2] - 0.5),
                T("把省内存当成省计算。每一对仍要算。",
                  "takes less memory for less arithmetic. Every pair is still computed.")),
         Option(T("计算量变成线性", "linear arithmetic"),
                lambda m: 2.2 - m["ways"]["tiled"]["growth"][1],
                T("内存是线性的，计算不是：长度翻倍，乘加仍是四倍。",
                  "its memory is linear, its arithmetic is not: twice the length is still four "
                  "times the multiply-adds.")))),),
    pins={"record.*": exact("a record"), "live": SWITCH, "checked.exact.*": ROUNDING,
          "checked.off.*": ARITHMETIC, "*.growth.*": RATIO, "smaller.*": RATIO, "*": COUNT},
    errata=ERRATA["ways_out"],
    notes=T(
        "约 12 分钟。先投票。在黑板上走两块：第一块最大值 3，第二块来了个 5，前面的和与答案都乘 "
        "e 的 -2 "
        "次方。现场感受一下：--set 3.live=true（只印倍数）。争论点：窗口和线性都丢了东西，"
        "丢了什么？"
        "--set 3.window=512 看窗口的误差怎么降。误差能超过百分之百：少数几个随机值的平均，"
        "比很多个的平均长得多。",
        "About 12 minutes. Vote first. Do two tiles on the board: the first has maximum 3, then a "
        "5 turns up, and the sum and the answer so far are multiplied by e to the -2. To feel it: "
        "--set 3.live=true (ratios only). The argument: window and linear both lose something; "
        "what? --set 3.window=512 shows the window's error fall. It can exceed "
        "100 %: the mean of a few random values is much longer than the mean of many."),
)


# --- 4. recurrent layer or Transformer layer ------------------------------------------

MODELS = ("recurrent", "transformer", "linear")


def read_on(n: int, d: int, looks_back: bool) -> tuple[Any, int]:
    """The recurrent layer over n words on shapes, its multiply-adds."""
    meter = Meter()
    last = recurrent(meter.shape(n, d), meter.shape(d, d),
                     meter.shape(d, d), looks_back)
    return last, meter.madds


def one_layer(model: str, n: int, d: int, h: int, softmax: bool,
              looks_back: bool) -> Metrics:
    """n words on shapes: what is kept, what waits, what the next costs."""
    if model == "recurrent":
        last, madds = read_on(n, d, looks_back)
        one, two = (read_on(k, d, looks_back)[1] for k in (1, 2))
        return {"kept": last.size, "chain": last.chain, "madds": madds,
                "next": two - one}
    attend = full if softmax and model == "transformer" else linear
    meter, after = Meter(), Meter()
    y, kv = layer(meter.shape(n, d), matrices(meter, d), h, attend)
    if attend is full:
        past = kv
    else:                               # only the state is carried on
        kv, past = linear_state(*kv), None
    layer(after.shape(1, d), matrices(after, d), h, attend, cache=past)
    return {"kept": sum(x.size for x in kv), "chain": y.chain,
            "madds": meter.madds, "next": after.madds}


def earlier_change(attend: Any, seed: int) -> float:
    """Largest change of earlier outputs when one more word arrives."""
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((24, 32)), drawn_layer(32, 128, rng)
    before = layer(x[:-1], w, 4, attend)[0]             # [23, 32]
    after = layer(x, w, 4, attend)[0]                   # [24, 32]
    return float(abs(after[:-1] - before).max())


def choose(width: int, heads: int, short: int, long: int, seed: int,
           softmax: bool = True, looks_back: bool = True,
           causal: bool = True) -> Metrics:
    """Three kinds of layer at three lengths; and which can stream."""
    _check_heads(width, heads)
    lengths = [short, round(math.sqrt(short * long)), long]
    found: dict[str, Metrics] = {}
    for model in MODELS:
        rows = [one_layer(model, n, width, heads, softmax, looks_back)
                for n in lengths]
        found[model] = {key: [row[key] for row in rows] for key in rows[0]}
    kept = {model: rows["kept"][2] for model, rows in found.items()}
    past = see_past if causal else full
    return {"lengths": lengths, "width": width, "heads": heads,
            "models": found,
            "kept_ratio": kept["transformer"] / kept["recurrent"],
            "streams": {"causal": earlier_change(past, seed),
                        "all_seeing": earlier_change(full, seed)}}


MODEL_NAMES = {"recurrent": T("RNN", "RNN"), "transformer": T("Transformer", "Transformer"),
               "linear": T("线性注意力", "linear attention")}
ASKED = {
    "kept": (T("记住", "kept"), ",d", T("内存紧？读到第 n 个词，一层要记住几个数",
                                        "Little memory? Numbers a layer keeps at word n")),
    "next": (T("下一个", "next"), ".3e", T("要实时？再读一个词的乘加次数",
                                           "Real time? Multiply-adds for one more word")),
    "chain": (T("排队", "in a row"), ",d", T("要并行训练？最长有几次乘法一个等一个",
                                             "Train in parallel? Products that wait for each "
                                             "other, at most")),
    "madds": (T("全部", "all"), ".3e", T("算力够吗？读完 n 个词的乘加次数",
                                         "Compute? Multiply-adds to read all n words")),
}


def show_choice(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "同样宽 {width} 的三种层，各读 n 个词：循环层（两个矩阵），Transformer 层（{heads} "
        "个头加前馈），"
        "把 softmax 换成线性注意力的同一层。不问“该选谁”，只问四个数。",
        "Three layers of width {width} read n words: a recurrent one (two matrices), a "
        "Transformer layer ({heads} heads and an MLP), and the same with linear attention. Not "
        "“which is better” but four numbers."))
    for key, (name, spec, title) in ASKED.items():
        yield Table(
            (Column(name), *at_lengths(spec)),
            [[MODEL_NAMES[k], *v[key]] for k, v in m["models"].items()], title=title)
    yield Table(
        (Column(T("Transformer 层", "Transformer layer")),
         Column(T("前面变了", "earlier moved"), ".2g")),
        [[T("因果", "causal"), m["streams"]["causal"]],
         [T("看全文", "all-seeing"), m["streams"]["all_seeing"]]],
        title=T("要流式？来了一个新词，前面的输出变了多少",
                "Streaming? How far the earlier outputs move when one more word arrives"))


CHOICE = Part(
    number=4, key="choice",
    title=T("RNN 还是 Transformer：每一条都是一个数", "RNN or Transformer: every row a number"),
    compute=choose, describe=show_choice,
    params={"width": Param(512, 8, 8192, about=T("宽度", "width")),
            "heads": Param(8, 1, 128, about=T("头数", "heads")),
            "short": Param(100, 2, 2000, about=T("最短", "shortest")),
            "long": Param(10000, 2, 20000, about=T("最长", "longest"))},
    controls={"linear_instead": partial(choose, softmax=False),
              "no_recurrence": partial(choose, looks_back=False),
              "sees_all": partial(choose, causal=False)},
    claims=(
        Claim("state", T(
            "读到第 {lengths[2]:,} 个词，RNN 层记着 {models[recurrent][kept][2]:,} 个数，和第 "
            "{lengths[0]:,} 个词时一样多；Transformer 层留着 {models[transformer][kept][2]:,} 个"
            "（全部的键和值），是它的 {kept_ratio:,.0f} 倍。",
            "At word {lengths[2]:,} the RNN layer keeps {models[recurrent][kept][2]:,} numbers, as "
            "many as at word {lengths[0]:,}; the Transformer layer keeps "
            "{models[transformer][kept][2]:,} (all keys and values), {kept_ratio:,.0f} times as "
            "many."),
            lambda m: min(0.5 - abs(m["models"]["recurrent"]["kept"][2]
                                    - m["models"]["recurrent"]["kept"][0]),
                          0.5 - abs(m["models"]["transformer"]["kept"][2]
                                    - 2 * m["lengths"][2] * m["models"]["recurrent"]["kept"][2]),
                          0.5 - abs(m["kept_ratio"] - m["models"]["transformer"]["kept"][2]
                                    / m["models"]["recurrent"]["kept"][2])), "linear_instead"),
        Claim("next_word", T(
            "再读一个词：RNN 层永远是 {models[recurrent][next][2]:.3e} 次乘加；Transformer 层从 "
            "{models[transformer][next][0]:.3e} 涨到 {models[transformer][next][2]:.3e}，因为要看的"
            "键越来越多。",
            "One more word: always {models[recurrent][next][2]:.3e} multiply-adds for the RNN "
            "layer; from {models[transformer][next][0]:.3e} up to "
            "{models[transformer][next][2]:.3e} for the Transformer layer, since there are ever "
            "more keys to look at."),
            lambda m: min(0.5 - abs(m["models"]["recurrent"]["next"][2]
                                    - m["models"]["recurrent"]["next"][0]),
                          m["models"]["transformer"]["next"][2]
                          - 1.5 * m["models"]["transformer"]["next"][0]), "linear_instead"),
        Claim("steps", T(
            "训练时反过来：RNN 层有 {models[recurrent][chain][2]:,} 次乘法排成一队，"
            "一个词等一个词；"
            "Transformer 层不论多长都只有 {models[transformer][chain][2]} 次前后相等待，"
            "其余可以同时做。",
            "In training it is the other way round: the RNN layer has "
            "{models[recurrent][chain][2]:,} products in a row, each word waiting for the one "
            "before; the Transformer layer has {models[transformer][chain][2]} at any length, and "
            "all else can run at once."),
            lambda m: min(0.5 - abs(m["models"]["recurrent"]["chain"][2] - m["lengths"][2]),
                          0.5 - abs(m["models"]["transformer"]["chain"][2]
                                    - m["models"]["transformer"]["chain"][0]),
                          m["models"]["recurrent"]["chain"][2]
                          - m["models"]["transformer"]["chain"][2]), "no_recurrence"),
        Claim("streams", T(
            "流式不是 RNN 独有：来了新词，因果 Transformer 前面的输出只差舍入误差 "
            "{streams[causal]:.0e}；看全文的那种动了 {streams[all_seeing]:.2f}，才必须等到最后。",
            "Streaming is not the RNN's alone: when a word arrives the earlier outputs of a causal "
            "Transformer layer move by rounding only ({streams[causal]:.0e}); those of an "
            "all-seeing one by {streams[all_seeing]:.2f}, and only it must wait for the end."),
            lambda m: min(1e-12 - m["streams"]["causal"], m["streams"]["all_seeing"] - 0.01),
            "sees_all"),
    ),
    caveat=T(
        "这些数不说谁学得好。RNN 的状态固定，正因为如此装不下任意长的文本（演示 03）。LSTM 的乘加是"
        "这种循环层的四倍，状态是两倍。“超过一百个词就选 Transformer”没有依据："
        "表里没有一个数在一百处转折。",
        "None of these numbers says which learns better. A fixed state is also why an RNN cannot "
        "hold a text of any length (demo 03). An LSTM multiplies four times as much as this "
        "recurrent layer and keeps twice as much. “Above a hundred tokens take a Transformer” has "
        "no basis: nothing in the table turns at a hundred."),
    questions=(Question(
        T("生成到第 {long} 个词。一层要记住的数，谁多？",
          "At token {long} of a text: in one layer, who has to keep more numbers?"),
        (Option(T("RNN：它要记住整个历史", "the RNN: it has to remember the whole history"),
                lambda m: 1 - m["kept_ratio"],
                T("RNN 的状态大小固定，历史都挤在里面。",
                  "an RNN's state has a fixed size; the whole history is squeezed into it.")),
         Option(T("Transformer，约 20,000 倍", "the Transformer, some 20,000 times as many"),
                lambda m: m["kept_ratio"] - 10000),
         Option(T("Transformer，约多一倍", "the Transformer, about twice as many"),
                lambda m: min(m["kept_ratio"] - 1.5, 3 - m["kept_ratio"]),
                T("只算了一个词的键和值。每个词的都要留着。",
                  "counts the key and value of one word. Those of every word are kept.")),
         Option(T("一样多：宽度相同", "the same: the widths are equal"),
                lambda m: min(1.5 - m["kept_ratio"], m["kept_ratio"] - 0.99),
                T("宽度决定一个词占多少，不决定要留几个词。",
                  "the width says how much one word takes, not how many words are kept.")))),),
    pins={"streams.causal": ROUNDING, "streams.*": ARITHMETIC, "kept_ratio": RATIO, "*": COUNT},
    errata=ERRATA["choice"],
    notes=T(
        "约 8 分钟。先投票。让班上按四张表为三种用途选层：语音实时识别、一次训练十亿词、"
        "手机上读长文。"
        "线性注意力那一行像 RNN 又像 Transformer：状态固定，训练并行；代价在第 3 部分。",
        "About 8 minutes. Vote first. Let the class choose a layer by the four tables for three "
        "uses: live speech, training on a billion words, a long text on a phone. Linear attention "
        "is like both: a fixed state and parallel training; part 3 shows the price."),
)


# --- 5. a cache of keys and values -------------------------------------------------------

REAL = {"layers": 2, "width": 64, "heads": 4, "prompt": 4, "written": 48}


def written_twice(attend: Any, cached: bool, seed: int) -> float:
    """One network with numbers, with and without: largest difference."""
    rng, d = np.random.default_rng(seed), REAL["width"]
    weights = [drawn_layer(d, EXPAND * d, rng)
               for _ in range(REAL["layers"])]
    x = rng.standard_normal((REAL["prompt"], d))                # [4, 64]
    one, two = (write(x, weights, REAL["heads"], REAL["written"],
                      kept, attend)[0] for kept in (cached, False))
    return float(abs(one - two).max())                          # [48, 64]


def written_on_shapes(d: int, h: int, steps: int,
                      cached: bool) -> tuple[list[int], list[int]]:
    """Multiply-adds of each step, and numbers held after it; one layer.

    In full: a mask adds to the scores and multiplies nothing.
    """
    meter = Meter()
    w = matrices(meter, d)
    _, held = write(meter.shape(1, d), [w], h, steps, cached, full)
    madds = [p.madds for p in meter.products]
    each = len(madds) // steps
    starts = range(0, len(madds), each)
    return [sum(madds[i:i + each]) for i in starts], held


def cache(width: int, heads: int, layers: int, tokens: int, live: bool,
          seed: int, cached: bool = True,
          attend: Any = see_past) -> Metrics:
    """Write token after token, the past kept, and computed anew."""
    _check_heads(width, heads)
    shown = sorted({max(1, tokens // k) for k in (16, 4, 2, 1)})
    kept, held = written_on_shapes(width, heads, tokens, cached)
    anew, _ = written_on_shapes(width, heads, tokens, False)
    rows = [{"n": n, "step_with": kept[n - 1],
             "step_without": anew[n - 1],
             "with": sum(kept[:n]), "without": sum(anew[:n]),
             "ratio": sum(anew[:n]) / sum(kept[:n]),
             "held": held[n - 1]} for n in shown]
    return {"width": width, "heads": heads, "layers": layers, "live": live,
            "rows": rows, "last": rows[-1], "real": REAL,
            "difference": written_twice(attend, cached, seed),
            "price": {"numbers": held[-1] * layers, "tokens": tokens,
                      "mb": held[-1] * layers * 2 / 1e6,
                      "a_token": held[-1] / tokens}}


def show_cache(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一个词一个词地写。不留缓存：每写一个词，把前面整段重算一遍。留缓存：前面每个词的键和值都"
        "存着，只算新的一行。因果遮罩保证旧的键和值不再变。",
        "Writing word by word. Without a cache the whole text so far is computed again for each "
        "word. With one, the keys and values of all earlier words are kept and only the new row "
        "is computed. The causal mask sees to it that old keys and values never change."))
    yield Table(
        (Column(T("写到第 n 个", "token n"), ",d"), Column(T("这一步，留", "step, kept"), ".2e"),
         Column(T("这一步，重算", "step, anew"), ".2e"), Column(T("累计，留", "so far, kept"),
                  ".2e"),
         Column(T("累计，重算", "so far, anew"), ".2e"), Column(T("省几倍", "ratio"), ".0f"),
         Column(T("存着的数", "held"), ",d")),
        [[r["n"], r["step_with"], r["step_without"], r["with"], r["without"], r["ratio"],
          r["held"]] for r in m["rows"]],
        title=T("一层的乘加次数，宽 {width}，{heads} 个头；“留”是留着键和值",
                "Multiply-adds of one layer, width {width}, {heads} heads; kept: keys and values "
                "are kept"))
    if m["live"]:
        yield live_cache()


def live_cache() -> Table:
    """Timed while the screen is drawn: the small network, both ways."""
    rng, d = np.random.default_rng(0), REAL["width"]
    weights = [drawn_layer(d, EXPAND * d, rng) for _ in range(REAL["layers"])]
    x = rng.standard_normal((1, d))
    steps = (50, 100, 200)
    times = {n: [seconds(partial(write, x, weights, REAL["heads"], n, c), repeats=2)
                 for c in (False, True)] for n in steps}
    return Table(
        (Column(T("写几个", "tokens"), "d"), Column(T("重算 / 留", "anew / kept"), ".1f")),
        [[n, anew / kept] for n, (anew, kept) in times.items()], title=LIVE)


CACHE = Part(
    number=5, key="cache",
    title=T("KV 缓存：同样的输出，少得多的计算", "The KV cache: the same output, far less work"),
    compute=cache, describe=show_cache,
    params={"width": Param(1024, 8, 16384, about=T("宽度", "width")),
            "heads": Param(16, 1, 128, about=T("头数", "heads")),
            "layers": Param(24, 1, 1000, about=T("层数（算内存用）", "layers (for the memory)")),
            "tokens": Param(256, 16, 2048, about=T("写几个词", "tokens written")),
            "live": Param(False, about=T("现场计时，只印倍数", "time it now, as ratios"))},
    controls={"forgetful": partial(cache, cached=False),
              "sees_all": partial(cache, attend=full)},
    claims=(
        Claim("same", T(
            "输出一样：{real[layers]} 层的小网络写 {real[written]} 步，留与不留，最大的差是 "
            "{difference:.0e}。这是因果遮罩给的：每个词都能看全文的网络，旧状态会变，"
            "就不能这样缓存。",
            "The output is the same: a small network of {real[layers]} layers writes "
            "{real[written]} steps, and with or without the cache differ by {difference:.0e} at "
            "most. The causal mask gives that: where every word sees all, old states change and "
            "cannot be kept."),
            lambda m: 1e-12 - m["difference"], "sees_all"),
        Claim("fewer", T(
            "写 {last[n]:,} 个词，不留要 {last[without]:.2e} 次乘加，留只要 {last[with]:.2e} 次，"
            "省 {last[ratio]:.0f} 倍，而且越写省得越多。",
            "For {last[n]:,} tokens it takes {last[without]:.2e} multiply-adds anew and "
            "{last[with]:.2e} with the cache, {last[ratio]:.0f} times fewer, and more so the "
            "longer "
            "the text."),
            lambda m: min(m["last"]["ratio"] - 10, m["last"]["ratio"] - 1.5 * m["rows"][0]["ratio"],
                          1e-6 - abs(m["last"]["without"] / m["last"]["with"]
                                     - m["last"]["ratio"])), "forgetful"),
        Claim("price", T(
            "代价是内存：一层里每个词留 {price[a_token]:g} 个数；{layers} 层、{price[tokens]:,} "
            "个词，"
            "一个序列就是 {price[numbers]:,} 个数，float16 要 {price[mb]:.1f} MB。",
            "The price is memory: {price[a_token]:g} numbers a token in each layer; in {layers} "
            "layers, for {price[tokens]:,} tokens, {price[numbers]:,} numbers for one sequence, "
            "{price[mb]:.1f} MB in float16."),
            lambda m: min(0.5 - abs(m["price"]["a_token"] - 2 * m["width"]),
                          0.5 - abs(m["price"]["numbers"]
                                    - m["price"]["a_token"] * m["layers"] * m["price"]["tokens"]),
                          1e-6 - abs(m["price"]["mb"] - 2e-6 * m["price"]["numbers"])),
            "forgetful"),
    ),
    caveat=T(
        "网络的权重是随机的：输出相等与学到什么无关。省下的是乘加；"
        "真机器上每一步还要把整个缓存读一遍，"
        "那常常才是瓶颈。共用键值头（演示 08）把存着的数按组数缩小。",
        "The weights are random: that outputs agree has nothing to do with what was learned. What "
        "is saved are multiply-adds; a real machine still reads the whole cache at each step, "
        "often the true limit. Shared key-value heads (demo 08) shrink what is held."),
    questions=(Question(
        T("生成时把旧的键和值存下来，和每步全部重算比，输出怎样？",
          "While writing, old keys and values are kept instead of recomputed at each step. The "
          "output is"),
        (Option(T("一样，只是少算很多", "the same, for far less work"),
                lambda m: min(1e-12 - m["difference"], m["last"]["ratio"] - 1.1)),
         Option(T("近似：旧的状态会过时", "approximate: old states go stale"),
                lambda m: min(m["difference"] - 1e-12, 1e-3 - m["difference"]),
                T("因果遮罩下，旧词看不到新词，旧的键和值根本不会变。",
                  "under a causal mask old words do not see new ones, so their keys and values "
                  "never change.")),
         Option(T("不同：模型记得更多了", "different: the model remembers more"),
                lambda m: m["difference"] - 1e-3,
                T("把缓存当成记忆。里面没有一个数是重算时没有的。",
                  "takes the cache for a memory. It holds no number that recomputing would not "
                  "give.")),
         Option(T("一样，计算也一样多", "the same, for the same work"),
                lambda m: min(1e-12 - m["difference"], 1.1 - m["last"]["ratio"]),
                T("以为只是换了个地方存。不留就要把整段重算一遍。",
                  "thinks it only stores elsewhere. Without it the whole text is computed "
                  "again.")))),),
    pins={"difference": ROUNDING, "*ratio": RATIO, "price.mb": RATIO, "price.a_token": RATIO,
          "live": SWITCH, "*": COUNT},
    notes=T(
        "约 6 分钟。先投票。看“这一步”两列：留着的几乎不涨，重算的跟着 n 涨。"
        "--set 5.tokens=1024 --set 5.layers=24 是 GPT-2 medium 写满上下文：约 100 MB。"
        "现场：--set 5.live=true。争论点：为什么 BERT 不用 KV 缓存？",
        "About 6 minutes. Vote first. Look at the two columns of the step: kept hardly grows, anew "
        "grows with n. --set 5.tokens=1024 --set 5.layers=24 is GPT-2 medium with a full context: "
        "some 100 MB. Live: --set 5.live=true. The argument: why does BERT use no KV cache?"),
)

PARTS = (GROWTH, MEMORY, WAYS_OUT, CHOICE, CACHE)
