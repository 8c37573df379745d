"""08.5 Sharing keys and values: MHA, GQA, MQA: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d08_heads.errata import ERRATA
from demos.d08_heads.lesson import GROUPS_CONTROLS, share_groups
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
    exact,
)


def show_groups(m: Metrics) -> Iterator[Block]:
    rows = m["rows"].values()
    yield Paragraph(T(
        "{heads} 个查询头，每个宽 {head}，模型宽 {width}；键和值的头只有几组，"
        "相邻的查询头共用一组。"
        "每头一组就是普通的多头（MHA），全体一组叫 MQA，中间的叫 GQA。",
        "{heads} query heads of width {head} in a model of width {width}; there are only a few "
        "groups of keys and values, and neighbouring query heads share one. A group for each "
        "head is plain multi-head attention (MHA), one for all is MQA, between them is GQA."))
    yield Table(
        (Column(T("组", "groups"), "d"), Column(T("参数", "weights"), ",d"),
         Column(T("比例", "share"), ".4g"), Column(T("缓存/词", "cache/word"), ",d"),
         Column(T("比例", "share"), ".4g"),
         Column(T("{kept:,d} 词", "{kept:,d} words"), ",d")),
        [[r["groups"], r["parameters"], r["share"], r["cache"], r["cache_share"], r["bytes"]]
         for r in rows],
        title=T("一层要多少", "What one layer takes"),
        legend=T("缓存/词：每个词留下的键和值有几个数。最后一列：半精度（一个数两字节）的字节数。",
                 "cache/word: numbers of keys and values kept for a word. Last column: bytes in "
                 "half precision, two for a number."))
    yield Table(
        (Column(T("组", "groups"), "d"),
         Column(T("和抄出来的多头差", "unlike heads with copies"), ".0e<1e-12"),
         Column(T("逐词加缓存，末行差", "word by word, last row"), ".0e<1e-12")),
        [[r["groups"], r["unlike_full"], r["step_unlike"]] for r in rows],
        title=T("一样吗？（{words} 个词，最大差）", "The same? ({words} words, largest "
                                              "difference)"),
        legend=T("抄出来的多头：每个头自己一份键和值，内容抄自它的组，逐头单独算。",
                 "heads with copies: every head has keys and values of its own, copied from its "
                 "group, computed head by head."))
    yield Table(
        (Column(T("四个查询头，两组，值 {values[0]} 和 {values[1]}",
                  "four query heads, two groups, values {values[0]} and {values[1]}")),
         *(Column(n, ".0f") for n in (T("头一", "one"), T("头二", "two"), T("头三", "three"),
                                      T("头四", "four")))),
        [[T("每组各自重复（对）", "repeat each group (right)"), *m["paired"]["each"]],
         [T("整块重复（错）", "repeat the block (wrong)"), *m["paired"]["block"]]],
        title=T("谁和谁共用", "Who shares with whom"))


PART = Part(
    number=5, key="groups", title=T("共用键和值：MHA、GQA、MQA",
                                    "Sharing keys and values: MHA, GQA, MQA"),
    compute=share_groups, describe=show_groups,
    controls=GROUPS_CONTROLS,
    claims=(
        Claim("weights_a_little_cache_a_lot", T(
            "只留一组：参数 {rows[g1][parameters]:,d}，少 {fewer:.2%}；缓存每词 "
            "{rows[g1][cache]}，小 {smaller:.0f} 倍。两组：参数 {rows[g2][parameters]:,d}，缓存 "
            "{rows[g2][cache]}。",
            "One group for all: {rows[g1][parameters]:,d} weights, {fewer:.2%} fewer; the cache "
            "is {rows[g1][cache]} a word, {smaller:.0f} times smaller. Two groups: "
            "{rows[g2][parameters]:,d} and {rows[g2][cache]}."),
            lambda m: min(0.5 - m["fewer"], m["fewer"] - 0.4,
                          m["smaller"] - m["heads"] + 0.5,
                          0.5 - abs(m["rows"]["g1"]["cache"] * 2 - m["rows"]["g2"]["cache"]),
                          m["rows"]["g2"]["parameters"] - m["rows"]["g1"]["parameters"] - 0.5),
            "own_keys"),
        Claim("groups_are_copies", T(
            "共用一组，等于每个头各抄一份：四种组数的输出都只差舍入（一组时 "
            "{rows[g1][unlike_full]:.0e<1e-12}）。{rows[g8][groups]} 组就是普通的多头。",
            "To share is to have copies: at each of the four sizes the outputs differ by "
            "rounding only (one group: {rows[g1][unlike_full]:.0e<1e-12}). With "
            "{rows[g8][groups]} groups it is plain multi-head attention."),
            lambda m: min(min(1e-10 - r["unlike_full"] for r in m["rows"].values()),
                          m["rows"]["g8"]["groups"] - m["heads"] + 0.5), "block"),
        Claim("repeat_each", T(
            "相邻的头共用：头一和头二都取回 {paired[each][1]:.0f}。整块重复，头二就取回了 "
            "{paired[block][1]:.0f}。",
            "Neighbours share: heads one and two both fetch {paired[each][1]:.0f}. Repeat the "
            "block and head two fetches {paired[block][1]:.0f}."),
            lambda m: min(0.5 - abs(m["paired"]["each"][0] - m["paired"]["each"][1]),
                          abs(m["paired"]["block"][1] - m["paired"]["each"][1]) - 0.5),
            "block"),
        Claim("the_cache_is_enough", T(
            "逐词算、只靠缓存，最后一行和整段一起算的差 "
            "{rows[g1][step_unlike]:.0e<1e-12}（一组）、"
            "{rows[g8][step_unlike]:.0e<1e-12}（{rows[g8][groups]} 组）。",
            "Word by word with the cache alone, the last row's difference from the full pass is "
            "{rows[g1][step_unlike]:.0e<1e-12} with one group and "
            "{rows[g8][step_unlike]:.0e<1e-12} with {rows[g8][groups]}."),
            lambda m: 1e-10 - max(m["rows"]["g1"]["step_unlike"],
                                  m["rows"]["g8"]["step_unlike"]), "forget"),
    ),
    caveat=T(
        "这里没有训练：共用会不会变笨，没有测。速度在 benchmarks 里，不在屏幕上。",
        "Nothing is trained here: whether sharing makes a model worse is not measured. Speed is "
        "in the benchmarks, not on the screen."),
    questions=(Question(
        T("MQA（全体共用一组）和 MHA 比，参数和缓存各省多少？",
          "MQA (one group for all) against MHA: what is saved in weights and in cache?"),
        (Option(T("都小 8 倍", "both 8 times smaller"),
                lambda m: min(0.2 - m["rows"]["g1"]["share"],
                              0.2 - m["rows"]["g1"]["cache_share"]),
                T("忘了 W_Q 和 W_O 没有共用。", "forgets that W_Q and W_O are not shared.")),
         Option(T("参数少 44%，缓存小 8 倍",
                  "44 % fewer weights, a cache 8 times smaller"),
                lambda m: min(0.005 - abs(m["fewer"] - 0.44),
                              0.2 - m["rows"]["g1"]["cache_share"])),
         Option(T("参数小 8 倍，缓存不变", "8 times in weights, nothing in the cache"),
                lambda m: min(0.2 - m["rows"]["g1"]["share"],
                              m["rows"]["g1"]["cache_share"] - 0.9),
                T("以为缓存里放的是查询。放的是键和值。",
                  "thinks the cache holds queries. It holds keys and values.")),
         Option(T("参数不变，缓存小 8 倍", "nothing in weights, 8 times in the cache"),
                lambda m: min(m["rows"]["g1"]["share"] - 0.95,
                              0.2 - m["rows"]["g1"]["cache_share"]),
                T("以为 W_K、W_V 还在，只是不存。它们变窄了。",
                  "thinks W_K and W_V stay as they are. They become narrow.")))),),
    pins={"rows.*unlike*": ROUNDING, "paired.*": ARITHMETIC, "*": exact("counts and sizes")},
    errata=ERRATA["groups"],
    notes=T(
        "约 6 分钟，一次投票。缓存每词 1,024、256、128 个数：推理时的内存是它决定的。"
        "四个头两组的小表"
        "是常见错误：tile 和 repeat 差一个字，模型还会跑，只是每个头都找错了人。速度：python -m "
        "benchmarks.grouped_heads。",
        "About 6 minutes, one vote. 1,024, 256 or 128 numbers a word: that is what fills memory "
        "while a model writes. The small table is a common mistake: tile instead of repeat still "
        "runs, only every head asks the wrong keys. Speed: python -m benchmarks.grouped_heads."),
)
