"""11.2 Memory: parameters, training, activations: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d11_cost.errata import ERRATA
from demos.d11_cost.lesson import MEMORY_CONTROLS, keep
from demos.d11_cost.words import COUNT, RATIO
from lecture.report import (
    Block,
    Claim,
    Column,
    Metrics,
    Num,
    Option,
    Param,
    Part,
    Question,
    T,
    Table,
)

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


PART = Part(
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
    controls=MEMORY_CONTROLS,
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
                                     / m["heads"] / m["activations"][2]["n"] - 1)), "tiled",
            undefined=T("分块算时没有追上的那个长度",
                        "tiled, there is no length at which it does")),
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
