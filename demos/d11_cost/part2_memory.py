"""11.2 Memory for parameters, training, activations: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d11_cost.errata import ERRATA
from demos.d11_cost.lesson import MEMORY_CONTROLS, keep
from demos.d11_cost.words import COUNT, RATIO
from lecture.margins import above, below, both, equal, every, near
from lecture.quantities import Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
)

QUANTITIES = {
    "groups.*.share": Quantity(T("份额", "share"), ".1%"),
    "groups.*.numbers": Quantity(T("个数", "numbers"), ",d"),
    "*.each": Quantity(T("合计", "sum"), "g"), "*.master": Quantity(T("主副本", "master"), "g"),
    "*.gradients": Quantity(T("梯度", "gradients"), "g"),
    "*.moments": Quantity(T("两个矩", "moments"), "g"),
    "[st]*.weights": Quantity(T("参数", "weights"), "g"),
    "*.gb": Quantity(T("GB", "GB"), ".2f"),
    "*.n": Quantity(T("长度 n", "tokens n"), ",d"),
    "*.weights": Quantity(T("注意力权重 h·n·n", "weights h·n·n"), ",d"),
    "*.mlp": Quantity(T("前馈激活", "MLP"), ",d"),
    "*.ratio": Quantity(T("前者是后者的几倍", "weights / MLP"), ".3g"),
    "*.weights_mb": Quantity(T("权重，MB", "weights, MB"), ".1f"),
    "*": Quantity(T("数", "numbers"), ",d"),
}
NAMES = {
    "groups.embedding": T("词嵌入", "embedding"), "groups.positions": T("位置表", "positions"),
    "groups.output": T("另设的输出表", "output table of its own"),
    "groups.attention": T("注意力", "attention"), "groups.mlp": T("前馈", "MLP"),
    "groups.norms": T("归一化", "norms"),
    "stored.float32": T("只存参数，float32", "parameters only, float32"),
    "stored.float16": T("只存参数，float16", "parameters only, float16"),
    "stored.int8": T("只存参数，int8", "parameters only, int8"),
    "training.sgd": T("普通 SGD，float32", "plain SGD, float32"),
    "training.adam": T("Adam，float32", "Adam, float32"),
    "training.mixed": T("混合精度", "mixed precision"),
    "training.mixed_wide": T("混合精度，梯度 float32",
                             "mixed, float32 gradients"),
    "training.eight_bit": T("混合精度，8 位的 Adam", "mixed, 8-bit Adam"),
    "training.pure": T("样样半精度", "all in half precision"),
    **{f"activations.{i}": T(f"{{activations.{i}.n}}", f"{{activations.{i}.n}}")
       for i in range(4)},
}
FIRST = ("stored.float32", "training.sgd", "training.adam", "training.mixed", "training.pure")
LATER = ("stored.float16", "stored.int8", "training.mixed_wide", "training.eight_bit")
PAID = ("weights", "gradients", "master", "moments", "each", "gb")
LEAD = (
    Paragraph(T(
        "{family} 一类的模型，{layers} 层，宽 {width}，{heads} 个头：\n"
        "    {layers} × 每层 {block} + 词、位置、输出的表 {tables} + 最后的归一化 {last_norm}\n"
        "    = {total} 个参数，float32 每个四字节，共 {stored.float32.gb} GB\n"
        "训练还要存每个参数的梯度；Adam 再记两个矩（梯度及其平方的滑动平均）；混合精度用半精度（"
        "16 位）"
        "计算，另存一份 float32 的主权重副本。",
        "A model of the {family} kind, {layers} layers, width {width}, {heads} heads:\n"
        "    {layers} × {block} a layer + tables {tables} + a last norm {last_norm}\n"
        "    = {total} parameters; at four bytes (float32) {stored.float32.gb} GB\n"
        "Training keeps a gradient for each; Adam adds two moments (running means of the gradient "
        "and its square); mixed precision computes in half precision (16 bits) and keeps a "
        "float32 master copy.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(FIRST, PAID, head=T("怎样存", "kept"),
               title=T("每个参数几字节，不算激活", "Bytes a parameter, without activations"))
    yield Rows("activations.*", ("weights", "mlp", "ratio", "weights_mb"),
               head=T("长度 n", "tokens n"),
               title=T("一层读一个序列算出多少个数（float32）：前馈的激活每个词 {hidden} 个",
                       "Numbers one layer makes of one sequence (float32); MLP: {hidden} a token"))
    yield Rows("groups.*", ("numbers", "share"), head=T("参数在哪里", "where the parameters are"),
               more=True)
    yield Rows(LATER, PAID, head=T("别的存法", "other ways"), more=True,
               legend=T("8 位的 Adam 每一块另有一个缩放系数，没有算进去。",
                        "8-bit Adam also keeps a scale for each block, not counted here."))


def _of_adam(value: float, whole: float, share: float) -> float:
    """> 0 where value is that share of the whole, to 5 %."""
    return near(value / whole, share, 0.05 * share)


PART = Part(
    number=2, key="memory",
    title=T("显存：参数、训练、激活", "Memory: parameters, training, activations"),
    compute=keep, describe=blocks, lead=LEAD, quantities=QUANTITIES, names=NAMES,
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
        Claim("mixed", T(
            "通常的混合精度也是 {training.mixed.each} 字节，这部分一点不省：参数和梯度省下的，正好"
            "付给主权重副本的 {training.mixed.master} 字节。",
            "The usual mixed precision takes {training.mixed.each} bytes too and saves nothing "
            "here: what weights and gradients save goes to the {training.mixed.master} bytes of "
            "the master copy."),
            lambda m: both(near(m.training.mixed.each, m.training.adam.each, 1e-6),
                           near(m.training.adam.weights + m.training.adam.gradients
                                - m.training.mixed.weights - m.training.mixed.gradients,
                                m.training.mixed.master, 1e-6)),
            "no_master", kind="example"),
        Claim("overtakes", T(
            "注意力权重到 n = {crossing} 追上前馈的激活（{hidden} 除以 {heads} 个头）；长度翻"
            "倍，倍数也翻倍。",
            "Attention weights match the MLP's activations at n = {crossing} ({hidden} over "
            "{heads} heads); twice the length is twice the ratio."),
            lambda m: both(near(m.crossing, m.hidden / m.heads, 0.999),
                           every(near(row.ratio / row.n * m.hidden / m.heads, 1, 1e-6)
                                 for row in m.activations)),
            "tiled", kind="example",
            undefined=T("分块算时没有追上的那个长度",
                        "tiled, there is no length at which it does")),
        Claim("half", T(
            "{training.sgd.gb} GB 有两条路：不用 Adam；或者样样半精度，每个参数 "
            "{training.pure.each} 字节。",
            "{training.sgd.gb} GB can be had in two ways: without Adam, or all in half precision, "
            "{training.pure.each} bytes a parameter."),
            lambda m: both(near(m.training.pure.each, m.training.sgd.each, 1e-6),
                           near(2 * m.training.sgd.gb, m.training.adam.gb, 1e-6),
                           near(m.training.pure.each, 8, 1e-6)),
            "no_averages", kind="example", more=True),
        Claim("parameters", T(
            "只存参数：float32 {stored.float32.gb} GB，float16 {stored.float16.gb} GB，int8 "
            "{stored.int8.gb} GB。",
            "Parameters only: {stored.float32.gb} GB in float32, {stored.float16.gb} GB in "
            "float16, {stored.int8.gb} GB in int8."),
            lambda m: both(equal(m.total, m.layers * m.block + m.tables + m.last_norm),
                           near(m.stored.float32.gb, 4e-9 * m.total, 1e-9),
                           near(m.stored.float16.gb, 2e-9 * m.total, 1e-9),
                           near(m.stored.int8.gb, 1e-9 * m.total, 1e-9)),
            "one_byte_each", kind="identity", more=True),
    ),
    caveat=T(
        "只数张量：没有碎片、缓冲、多卡分摊。训练时激活留下多少，要看重算和融合。",
        "Tensors only: no fragmentation, no buffers, no sharing among devices. How many "
        "activations training keeps depends on recomputing."),
    questions=(
        Question(
            T("用 Adam 训练这个模型（{total:,} 个参数），样样 float32，不算激活。要多少显存？",
              "Train this model ({total:,} parameters) with Adam, all in float32. Without "
              "activations that takes"),
            (Option(T("{stored.int8.gb:.2f} GB", "{stored.int8.gb:.2f} GB"),
                    lambda m: _of_adam(m.stored.int8.gb, m.training.adam.gb, 1),
                    T("一个参数当成一个字节。float32 是四个字节。",
                      "counts a parameter as one byte. A float32 has four.")),
             Option(T("{stored.float32.gb:.2f} GB", "{stored.float32.gb:.2f} GB"),
                    lambda m: _of_adam(m.stored.float32.gb, m.training.adam.gb, 1),
                    T("只存了参数。训练还要梯度和优化器的状态。",
                      "keeps the parameters only. Training also keeps gradients and the "
                      "optimizer's state.")),
             Option(T("{training.sgd.gb:.2f} GB", "{training.sgd.gb:.2f} GB"),
                    lambda m: _of_adam(m.training.sgd.gb, m.training.adam.gb, 1),
                    T("参数加梯度，忘了 Adam 每个参数还记两个矩。",
                      "weights and gradients; forgets the two moments Adam keeps for each.")),
             Option(T("{training.adam.gb:.2f} GB", "{training.adam.gb:.2f} GB"),
                    lambda m: both(near(m.training.adam.gb * 1e9 / m.total, 16, 1e-6),
                                   above(m.training.adam.gb, m.training.sgd.gb)))),
            answer=Claim("training", T(
                "{training.adam.gb} GB：每个参数 {training.adam.each} 字节，是不用 Adam 时的两倍，"
                "因为两个矩和参数、梯度一样大。",
                "{training.adam.gb} GB: {training.adam.each} bytes a parameter, twice what it is "
                "without Adam, since the two moments are as large as weights and gradients."),
                lambda m: both(near(m.training.adam.gb * 1e9 / m.total, m.training.adam.each, 1e-6),
                               near(m.training.adam.gb, 2 * m.training.sgd.gb, 1e-6),
                               near(m.training.adam.moments, m.training.adam.weights
                                    + m.training.adam.gradients, 1e-6)),
                "no_averages", kind="example")),
        Question(
            T("改用通常的混合精度训练。这部分显存变成多少？",
              "Now with the usual mixed precision. That memory"),
            (Option(T("约四分之一", "falls to about a quarter"),
                    lambda m: _of_adam(m.training.mixed.gb, m.training.adam.gb, 0.25),
                    T("以为只剩半精度的参数和梯度。",
                      "expects half-precision weights and gradients to be all that is left.")),
             Option(T("约一半", "falls to about half"),
                    lambda m: _of_adam(m.training.mixed.gb, m.training.adam.gb, 0.5),
                    T("以为样样减半。主权重副本和 Adam 的两个矩仍是四字节。",
                      "halves everything. The master copy and Adam's two moments stay at four "
                      "bytes.")),
             Option(T("不变", "stays the same"),
                    lambda m: _of_adam(m.training.mixed.gb, m.training.adam.gb, 1))),
            answer=Claim("mixed_gradients", T(
                "{training.mixed.gb} GB；梯度若留在 float32，还要 {training.mixed_wide.gb} GB。",
                "{training.mixed.gb} GB; with gradients in float32 even {training.mixed_wide.gb} "
                "GB."),
                lambda m: both(near(m.training.mixed.gb, m.training.adam.gb, 1e-6),
                               above(m.training.mixed_wide.gb, m.training.mixed.gb),
                               below(m.training.mixed.gb, m.training.mixed_wide.gb)),
                "no_master", kind="example"), more=True)),
    pins={"*.share": RATIO, "*.gb": RATIO, "*.mb": RATIO, "*.each": RATIO, "*.ratio": RATIO,
          "*.weights_mb": RATIO, "[st]*.weights": RATIO, "*.gradients": RATIO, "*.master": RATIO,
          "*.moments": RATIO, "all_growth": RATIO, "*": COUNT},
    errata=ERRATA["memory"],
    notes=T(
        "约 10 分钟。默认是 GPT-2 medium。--more 里有第二次投票：多数人会选“一半”，让他们把 "
        "混合精度那一行加出来。换成自己的模型：--set 2.layers=12 --set 2.width=768 --set "
        "2.heads=12 是 "
        "GPT-2 small；"
        "--set 2.family=llama --set 2.layers=32 --set 2.width=4096 --set 2.heads=32 "
        "--set 2.kv_heads=8 --set 2.hidden=14336 --set 2.vocabulary=128256 是 Llama 3 8B（没有位置"
        "表，输出表另设）。讲义的 512 宽、8 个头：--set 2.width=512 --set 2.heads=8，交点也是 "
        "256。",
        "About 10 minutes. By default it is GPT-2 medium. --more has a second vote, where most "
        "choose half: let them add up the row. Your own model: --set 2.layers=12 --set 2.width=768 "
        "--set 2.heads=12 is GPT-2 small; --set 2.family=llama --set 2.layers=32 --set "
        "2.width=4096 --set 2.heads=32 --set 2.kv_heads=8 --set 2.hidden=14336 --set "
        "2.vocabulary=128256 is Llama 3 8B (no table of positions, an output table of its own). "
        "The notes' width 512 with 8 heads: --set 2.width=512 --set 2.heads=8, the same crossing."),
)
