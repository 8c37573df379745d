"""08.5 Sharing keys and values: MHA, GQA, MQA: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d08_heads.errata import ERRATA
from demos.d08_heads.lesson import GROUPS_CONTROLS, share_groups
from lecture.margins import above, below, both, equal, every, near, rows
from lecture.quantities import Named, Rows
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

QUANTITIES = {
    "rows.*.parameters": Quantity(T("参数", "parameters"), ",d"),
    "rows.*.share": Quantity(T("比例", "share"), ".4g"),
    "rows.*.cache": Quantity(T("缓存/词", "cache/word"), ",d"),
    "rows.*.cache_share": Quantity(T("比例", "share"), ".4g"),
    "rows.*.bytes": Quantity(T("{kept:,d} 词的字节", "bytes, {kept:,d}"), ",d"),
    "rows.*.unlike_full": Quantity(T("和各抄一份的差", "unlike copies"), ".0e<1e-12"),
    "rows.*.step_unlike": Quantity(T("逐词加缓存，末词的差", "word by word, last"), ".0e<1e-12"),
    "paired.*.0": Quantity(T("H0", "H0"), ".0f"),
    "paired.*.1": Quantity(T("H1", "H1"), ".0f"),
    "paired.*.2": Quantity(T("H2", "H2"), ".0f"),
    "paired.*.3": Quantity(T("H3", "H3"), ".0f"),
    "fewer.*": Quantity(T("少", "fewer"), ".0%"),
    "*": Quantity(T("数", "count"), ",d"),
}
NAMES = {
    "rows.g8": T("8 组（MHA）", "8 groups (MHA)"), "rows.g4": T("4 组（GQA）", "4 groups (GQA)"),
    "rows.g2": T("2 组（GQA）", "2 groups (GQA)"), "rows.g1": T("1 组（MQA）", "1 group (MQA)"),
    "paired.each": T("逐个重复（对）", "repeat each (right)"),
    "paired.block": T("整块重复（错）", "repeat the block (wrong)"),
}
LEAD = (
    Paragraph(T(
        "{heads} 个查询头，H0 到 H7，各宽 {head}，模型宽 {width}。键和值可以少几份，相邻的查询头共"
        "用一份：\n"
        "    MHA  每个查询头一份          K0 K1 K2 K3 K4 K5 K6 K7\n"
        "    GQA  几个相邻的头一组        K0 K0 K0 K0 K1 K1 K1 K1\n"
        "    MQA  全体共用一份            K0 K0 K0 K0 K0 K0 K0 K0\n"
        "写的时候，每个词的键和值留在缓存里，后面的词都要用（演示 06、11）。",
        "{heads} query heads, H0 to H7, of width {head}, in a model of width {width}. Keys and "
        "values may be "
        "fewer, and neighbouring query heads share them:\n"
        "    MHA  one for each query head     K0 K1 K2 K3 K4 K5 K6 K7\n"
        "    GQA  one for a few neighbours    K0 K0 K0 K0 K1 K1 K1 K1\n"
        "    MQA  one for all                 K0 K0 K0 K0 K0 K0 K0 K0\n"
        "While a model writes, keys and values of each word are kept in a cache (06, 11).")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("rows.*", ("parameters", "share", "cache", "cache_share", "bytes"),
               head=T("键和值", "keys and values"),
               title=T("一层的注意力（不算 MLP）", "Attention of one layer (without the MLP)"),
               legend=T("缓存/词：每个词留几个数。字节：半精度，一个数两个。", "cache/word: "
                                                                               "numbers kept for "
                                                                               "a word. Bytes: "
                                                                               "half precision, "
                                                                               "two for a number."))
    yield Rows("paired.*", ("0", "1", "2", "3"),
               head=T("两组，值 10 和 20", "two groups, values 10 and 20"),
               title=T("四个查询头各取回什么", "What four query heads fetch"))
    yield Rows("rows.*", ("unlike_full", "step_unlike"), more=True,
               head=T("键和值", "keys and values"),
               title=T("{words} 个词，输出的最大差", "{words} words, largest difference"))


PART = Part(
    number=5, key="groups", title=T("共用键和值：MHA、GQA、MQA",
                                    "Sharing keys and values: MHA, GQA, MQA"),
    compute=share_groups, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    controls=GROUPS_CONTROLS,
    claims=(
        Claim("little_of_a_layer", T(
            "参数：注意力少 {fewer.attention}；连同 MLP，一层只少 {fewer.layer}。窄下来的只有 W_K "
            "和 W_V。",
            "Parameters: {fewer.attention} fewer in attention, and with the MLP {fewer.layer} "
            "fewer in a layer. Only W_K and W_V become narrow."),
            lambda m: both(above(m.fewer.attention, 0.4), below(m.fewer.attention, 0.5),
                           above(m.fewer.layer, 0.1), below(m.fewer.layer, 0.2)),
            "own_keys", kind="example"),
        Claim("repeat_each", T(
            "共用时要逐个重复：H0 和 H1 同组，都取回 {paired.each.1}。整块重复，程序照样跑，H1 却取"
            "回 {paired.block.1}。",
            "To share is to repeat each: H0 and H1 are one group, and both fetch {paired.each.1}. "
            "Repeat the block and the program still runs, but H1 fetches {paired.block.1}."),
            lambda m: both(equal(m.paired.each[0], m.paired.each[1]),
                           equal(m.paired.block[0], m.paired.each[0]),
                           above(m.paired.block[1], m.paired.each[1] + 1)),
            "block", kind="example"),
        Claim("groups_are_copies", T(
            "共用一组，等于每个头各抄一份：输出的差 {rows.g1.unlike_full}。",
            "To share is to have copies: outputs apart by {rows.g1.unlike_full}."),
            lambda m: every(below(r.unlike_full, 1e-10) for r in rows(m.rows)), "block",
            kind="identity", more=True),
        Claim("the_cache_is_enough", T(
            "逐词算，只靠缓存，末词的输出和整段一起算的差 {rows.g1.step_unlike}。",
            "Word by word, with the cache alone, the last word's output and that of the full pass "
            "are apart by {rows.g1.step_unlike}."),
            lambda m: every(below(r.step_unlike, 1e-10) for r in rows(m.rows)), "forget",
            kind="identity", more=True),
    ),
    caveat=T(
        "没有训练：共用会不会变差，没有测。速度在 benchmarks 里，不在屏幕上。",
        "Nothing is trained: whether sharing makes a model worse was not measured. Speed is in the "
        "benchmarks, not on the screen."),
    questions=(Question(
        T("MQA 和 MHA 比，一层注意力的参数、缓存各剩多少？",
          "MQA against MHA: what is left of attention's parameters, and of the cache?"),
        (Option(T("{rows.g1.cache_share:.1%}、{rows.g1.cache_share:.1%}",
                  "{rows.g1.cache_share:.1%}, {rows.g1.cache_share:.1%}"),
                lambda m: both(below(m.rows.g1.share, 0.2), below(m.rows.g1.cache_share, 0.2)),
                T("忘了 W_Q 和 W_O 没有共用。", "forgets that W_Q and W_O are not shared.")),
         Option(T("一半多、{rows.g1.cache_share:.1%}", "over half, {rows.g1.cache_share:.1%}"),
                lambda m: both(above(m.rows.g1.share, 0.5), below(m.rows.g1.share, 0.9),
                               below(m.rows.g1.cache_share, 0.2))),
         Option(T("{rows.g1.cache_share:.1%}、全部", "{rows.g1.cache_share:.1%}, all"),
                lambda m: both(below(m.rows.g1.share, 0.2), above(m.rows.g1.cache_share, 0.9)),
                T("以为缓存里放的是查询。放的是键和值。",
                  "thinks the cache holds queries. It holds keys and values.")),
         Option(T("全部、{rows.g1.cache_share:.1%}", "all, {rows.g1.cache_share:.1%}"),
                lambda m: both(above(m.rows.g1.share, 0.95), below(m.rows.g1.cache_share, 0.2)),
                T("以为 W_K、W_V 照旧，只是不存。它们变窄了。",
                  "thinks W_K and W_V stay as they are. They become narrow."))),
        answer=Claim("parameters_a_little_cache_a_lot", T(
            "参数还有 {rows.g1.share:.0%}（{rows.g1.parameters}），缓存只剩 "
            "{rows.g1.cache_share:.1%}（每词 "
            "{rows.g1.cache} 个数）。",
            "{rows.g1.share:.0%} of the parameters ({rows.g1.parameters}), "
            "{rows.g1.cache_share:.1%} of "
            "the cache ({rows.g1.cache} numbers a word)."),
            lambda m: both(near(m.rows.g1.share, (2 + 2 / m.heads) / 4, 1e-9),
                           near(m.rows.g1.cache_share, 1 / m.heads, 1e-9),
                           equal(m.rows.g1.parameters,
                                 round(m.rows.g8.parameters * m.rows.g1.share)),
                           equal(m.rows.g1.cache * m.heads, m.rows.g8.cache)),
            "own_keys", kind="identity")),),
    pins={"rows.*unlike*": ROUNDING, "paired.*": ARITHMETIC, "*": exact("counts and sizes")},
    errata=ERRATA["groups"],
    notes=T(
        "约 6 分钟，一次投票。缓存每词几个数，决定推理时占多少内存。四个头两组的小表是常见错误："
        "repeat"
        " 写成 tile，模型还会跑，只是每个头找错了人。速度：python -m benchmarks.grouped_heads。",
        "About 6 minutes, one vote. The numbers a word are what fills memory while a model writes. "
        "The small table is a common mistake: tile instead of repeat still runs, only the heads "
        "ask the wrong keys. Speed: python -m benchmarks.grouped_heads."),
)
