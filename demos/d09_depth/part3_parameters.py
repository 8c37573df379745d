"""09.3 Where the parameters are: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d09_depth.errata import ERRATA
from demos.d09_depth.lesson import (
    CHANGED,
    NO_CHANGE,
    PARAMETERS_CONTROLS,
    where_parameters_are,
)
from lecture.margins import above, below, both, every, near, rises, same
from lecture.quantities import Across, Named, Rows
from lecture.report import (
    ARITHMETIC,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

OTHERS = tuple(i for i in range(5) if i != CHANGED)
QUANTITIES = {
    "models.*.share": Quantity(T("FFN 占", "FFN share"), ".4f"),
    "models.*.in_tables": Quantity(T("嵌入表占", "in tables"), ".4f"),
    "models.*.total": Quantity(T("全部参数", "all parameters"), ",d"),
    "models.*.ffn": Quantity(T("FFN", "FFN"), ",d"),
    "models.*.tables": Quantity(T("嵌入表", "tables"), ",d"),
    "blocks_share.*": Quantity(T("FFN 占", "FFN share"), ".4f"),
    "matrices.*": Quantity(T("FFN 占", "FFN share"), ".4f"),
    **{f"change.moved.{kind}{rest}": Quantity(name, ".3f") for rest in ("", ".*")
       for kind, name in {
           "ffn": T("FFN", "FFN"), "attention": T("注意力", "attention"),
           "causal": T("注意力，有因果掩码", "attention, causal mask")}.items()},
    "times.*": Quantity(T("倍", "times"), ".1f"),
    "*": Quantity(T("个", "count"), ",d"),
}
NAMES = {
    "models.encoder": T("一个编码器层", "an encoder layer"),
    "models.decoder": T("一个解码器层", "a decoder layer"),
    "models.small": T("GPT-2 small", "GPT-2 small"),
    "models.medium": T("GPT-2 medium", "GPT-2 medium"),
    "models.xl": T("GPT-2 XL", "GPT-2 XL"),
    "models.stacks": T("6 + 6 层", "6 + 6 layers"),
    "models.translator": T("6 + 6 层，加共用嵌入表", "6 + 6 layers, shared table"),
    "models.deeper": T("GPT-2 small，叠到 {layers.xl} 层", "GPT-2 small, {layers.xl} layers"),
    **{f"change.moved.*.{i}": T(f"词 {i + 1}", f"word {i + 1}") for i in range(5)},
}
LEAD = (
    Paragraph(T(
        "FFN 是 relu(x W_1) W_2，先放宽到 4d 再收回 d：2 × 4 × d^2 = 8d^2 个数。注意力的 W_Q、"
        "W_K、W_V、W_O 是 4 × d^2。",
        "An FFN is relu(x W_1) W_2, widened to 4d and back to d: 2 × 4 × d^2 = 8d^2 numbers. "
        "Attention has W_Q, W_K, W_V and W_O, 4 × d^2.")),
)
COUNTS = ("total", "ffn", "tables", "share")


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        tuple(f"models.{name}" for name in ("encoder", "decoder", "small", "medium", "xl")),
        COUNTS, head=T("数参数", "counted"),
        legend=T("头两行宽 {width}，FFN 中间 {inner}。GPT-2 的嵌入表：{vocabulary} 个词，还有位置。"
                 "偏置、归一化都算在全部里。",
                 "First two rows: width {width}, {inner} inside the FFN. GPT-2's embedding "
                 "tables: {vocabulary} words, and positions. Biases and norms are in the total."))
    yield Across(
        ("change.moved.ffn", "change.moved.attention", "change.moved.causal"),
        ("0", "1", "2", "3", "4"), head=T("输出最多变多少", "an output moves by"),
        title=T("换掉第 {change.word} 个词（抽来的矩阵，宽 {width}）",
                "Word {change.word} is replaced (drawn matrices, width {width})"))
    yield Rows(("models.stacks", "models.translator", "models.deeper"), COUNTS, more=True,
               head=T("数参数", "counted"),
               legend=T("2017 年的翻译模型：共用表 {translator_vocabulary} 个词。",
                        "The translator of 2017: a shared table of {translator_vocabulary} words."))


PART = Part(
    number=3, key="parameters",
    title=T("参数在哪里", "Where the parameters are"),
    compute=where_parameters_are, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"vocab": Param(50_257, 1, 1_000_000,
                           about=T("GPT-2 的词表有多少词", "words in GPT-2's table"))},
    controls=PARAMETERS_CONTROLS,
    claims=(
        Claim("two_thirds_of_a_layer", T(
            "三分之二说的是一个编码器层的矩阵，FFN 是注意力的两倍：{matrices.encoder}；解码器层还有"
            "交叉注意力：{matrices.decoder}。",
            "Two thirds is the matrices of one encoder layer, where the FFN is twice attention: "
            "{matrices.encoder}; a decoder layer has cross-attention too: {matrices.decoder}."),
            lambda m: both(near(m.matrices.encoder, 2 / 3, 1e-9),
                           near(m.matrices.decoder, 1 / 2, 1e-9)), "narrow_ffn",
            kind="identity"),
        Claim("not_of_a_model", T(
            "整个 GPT-2 small 里 FFN 只占 {models.small.share}，因为嵌入表占了 "
            "{models.small.in_tables}；只看块，是 {blocks_share.small}。",
            "Of the whole of GPT-2 small the FFN has {models.small.share}, since tables have "
            "{models.small.in_tables}; of the blocks alone, {blocks_share.small}."),
            lambda m: both(below(m.models.small.share, 0.5), above(m.models.small.in_tables, 0.25),
                           near(m.models.small.share,
                                m.blocks_share.small * (1 - m.models.small.in_tables), 1e-9),
                           near(m.blocks_share.small, 2 / 3, 0.01)), "no_tables"),
        Claim("word_by_word", T(
            "FFN 一个词一个词地做：换掉第 {change.word} 个词，只有它自己的输出变；注意力里每个词都"
            "变，有因果掩码时第一个词不变。",
            "The FFN works word by word: replace word {change.word} and only its own output moves; "
            "in attention all move, under a causal mask all but the first."),
            lambda m: both(every(below(m.change.moved.ffn[i], NO_CHANGE) for i in OTHERS),
                           above(m.change.moved.ffn[CHANGED], 0.1),
                           every(above(x, 1e-6) for x in m.change.moved.attention),
                           below(m.change.moved.causal[0], NO_CHANGE),
                           every(above(x, 1e-6) for x in m.change.moved.causal[1:])),
            "mixing_first", kind="example", given=("change.word",)),
        Claim("less_with_a_table", T(
            "翻译模型的十二层，FFN 占 {models.stacks.share}；算上共用的嵌入表，"
            "{models.translator.share}。",
            "In the twelve layers of the translator the FFN has {models.stacks.share}; with the "
            "shared table, {models.translator.share}."),
            lambda m: both(above(m.models.stacks.share, 0.5), below(m.models.stacks.share, 0.6),
                           below(m.models.translator.share, m.models.stacks.share - 0.1)),
            "no_tables", more=True),
        Claim("depth_alone", T(
            "不加宽，只把 GPT-2 small 叠到 {layers.xl} 层，FFN 的份额就从 {models.small.share} 升"
            "到 "
            "{models.deeper.share}。",
            "Without more width, GPT-2 small stacked {layers.xl} layers high goes from "
            "{models.small.share} to {models.deeper.share}."),
            lambda m: above(m.models.deeper.share, m.models.small.share + 0.001),
            "no_tables", more=True, given=("layers.*",)),
    ),
    caveat=T(
        "数的是参数，不是显存，也不是计算量（演示 11）。",
        "Parameters are counted, neither memory nor work (demo 11)."),
    questions=(
        Question(
            T("一个块里 FFN 占三分之二。从 GPT-2 small 到 XL，FFN 占全部参数的比例？",
              "Two thirds of a block are in its FFN. From GPT-2 small to XL, the FFN's share of "
              "all parameters?"),
            (Option(T("升，不到三分之二", "rises, below two thirds"),
                    lambda m: both(rises([m.models.small.share, m.models.medium.share,
                                          m.models.xl.share], by=0.001),
                                   below(m.models.xl.share, 2 / 3))),
             Option(T("一直是三分之二", "two thirds in all"),
                    lambda m: same([m.models[n].share for n in ("small", "medium", "xl")], 0.002),
                    T("讲义只说三分之二。那是一个块里的，嵌入表没有算。",
                      "the notes say two thirds and stop. That is within a block; tables are left "
                      "out.")),
             Option(T("降", "falls"),
                    lambda m: above(m.models.small.share, m.models.xl.share + 0.01),
                    T("以为别的长得更快。嵌入表 {times.tables} 倍，块 {times.blocks} 倍。",
                      "thinks the rest grows faster. Tables: {times.tables} times, blocks: "
                      "{times.blocks} times."))),
            answer=Claim("rises_to_two_thirds", T(
                "从 {models.small.share} 升到 {models.xl.share}：嵌入表只大到 {times.tables} 倍，"
                "所有的块合起来大到 {times.blocks} 倍。",
                "It rises from {models.small.share} to {models.xl.share}: the tables become "
                "{times.tables} times as large, all blocks together {times.blocks} times."),
                lambda m: both(rises([m.models.small.share, m.models.medium.share,
                                      m.models.xl.share], by=0.001),
                               below(m.models.xl.share, 2 / 3), above(m.times.tables, 1),
                               above(m.times.blocks, 2 * m.times.tables)), "no_tables")),
        Question(
            T("换掉 FFN 输入里的第 {change.word} 个词。哪些输出会变？",
              "Word {change.word} of the FFN's input is replaced. Which outputs move?"),
            (Option(T("只有这个词的", "this word's"),
                    lambda m: both(every(below(m.change.moved.ffn[i], NO_CHANGE)
                                         for i in OTHERS),
                                   above(m.change.moved.ffn[CHANGED], NO_CHANGE))),
             Option(T("它和后面的", "its own and later ones"),
                    lambda m: both(every(above(x, NO_CHANGE) for x in m.change.moved.ffn[1:]),
                                   below(m.change.moved.ffn[0], NO_CHANGE)),
                    T("那是有因果掩码的注意力。", "that is attention under a causal mask.")),
             Option(T("全部", "all of them"),
                    lambda m: every(above(x, NO_CHANGE) for x in m.change.moved.ffn),
                    T("那是没有掩码的注意力。", "that is attention without a mask."))),
            answer=Claim("only_its_own", T(
                "只有这个词的，变 {change.moved.ffn.1}；别的都是 {change.moved.ffn.0:g}。",
                "This word's, by {change.moved.ffn.1}; the others by {change.moved.ffn.0:g}."),
                lambda m: both(every(below(m.change.moved.ffn[i], NO_CHANGE) for i in OTHERS),
                               above(m.change.moved.ffn[CHANGED], 0.1)), "mixing_first",
                kind="example"), more=True),
    ),
    pins={"change.moved.ffn.0": exact("a true zero"), "change.moved.causal.0":
          exact("a true zero"), "models.*.share": ARITHMETIC, "models.*.in_tables": ARITHMETIC,
          "models.*": exact("counts"), "layers.*": exact("settings"),
          "width": exact("a setting"), "inner": exact("a setting"),
          "vocabulary": exact("a setting"), "translator_vocabulary": exact("a setting"),
          "change.word*": exact("settings"), "*": ARITHMETIC},
    errata=ERRATA["parameters"],
    notes=T(
        "约 5 分钟。投票，再看表。争论点：为什么越大越接近三分之二？（嵌入表不随层数长，只随宽度"
        "长；"
        "--more 里只加深的那一行已经升了。）试试 --set 3.vocab=250000：多语言的词表。第二张表：让学"
        "生说出有因果掩码时第一个词为什么不变。",
        "About 5 minutes. Vote, then the table. The argument: why do larger models come nearer to "
        "two thirds? (Tables do not grow with depth, only with width; behind --more a row that is "
        "only deeper has risen already.) Try --set 3.vocab=250000, a multilingual table. Second "
        "table: ask why the first word stays under a causal mask."),
)
