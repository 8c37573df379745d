"""11.5 The KV cache: the same output, far less work: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d11_cost.lesson import CACHE_CONTROLS, cache, time_cache
from demos.d11_cost.words import COUNT, LIVE, RATIO, SWITCH
from lecture.margins import above, below, both, equal, near, rises
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
    Table,
)

KEPT, ANEW = T("留", "kept"), T("重算", "anew")
QUANTITIES = {
    "*.n": Quantity(T("词", "token"), "d"),
    "*.step_kept": Quantity(KEPT, ".2e"), "*.step_anew": Quantity(ANEW, ".2e"),
    "*.kept": Quantity(KEPT, ".2e"), "*.anew": Quantity(ANEW, ".2e"),
    "*.ratio": Quantity(T("重算/留", "anew/kept"), ".0f"),
    "*.held": Quantity(T("存着的数", "held"), ",d"),
    "difference": Quantity(T("差", "gap"), ".0e<1e-12"),
    "all_seeing": Quantity(T("差", "gap"), ".2f"),
    "reading.*.each": Quantity(T("每次乘加读几字节", "bytes a multiply-add"), ".2g"),
    "reading.*.keys": Quantity(T("其中键和值", "keys and values"), ".0%"),
    "price.mb": Quantity(T("MB", "MB"), ".1f"),
    "price.a_token": Quantity(T("每个词", "a token"), ",.0f"),
    "*": Quantity(T("数", "numbers"), ",d"),
}
NAMES = {
    **{f"rows.{i}": T(f"{{rows.{i}.n}}", f"{{rows.{i}.n}}") for i in range(4)},
    "reading.prompt": T("一遍读完 {price.tokens} 个词的提示",
                        "a prompt of {price.tokens}, at once"),
    "reading.one": T("写第 {price.tokens} 个词，一篇", "writing token {price.tokens}, one text"),
    "reading.many": T("同时写 {texts} 篇", "{texts} texts at once"),
    "reading.shared": T("同时写 {texts} 篇，键值头 {heads} 改为 {groups}",
                        "{texts} texts, {groups} key-value heads for {heads}"),
}
LEAD = (
    Paragraph(T(
        "一个词一个词地写，写第 n 个词要前面每个词的键和值。\n"
        "    不留缓存：前面 n 个词整段重算      留缓存：只算新的一行，旧的键和值存着\n"
        "例：写第 {rows.0.n} 个，重算 {rows.0.step_anew} 次乘加，留 {rows.0.step_kept} 次；存着 "
        "2×{rows.0.n}×{width} = {rows.0.held} 个数。",
        "Writing word by word; word n needs the key and value of every word before.\n"
        "    no cache: all n words are computed again    cache: the new row only\n"
        "Example: word {rows.0.n} takes {rows.0.step_anew} multiply-adds anew and "
        "{rows.0.step_kept} with the cache, which holds 2×{rows.0.n}×{width} = {rows.0.held} "
        "numbers.")),
)


def blocks(m: Metrics) -> Iterator[Named | Table]:
    yield Rows("rows.*", (Group(T("这一步", "this step"), ("step_kept", "step_anew")),
                          Group(T("累计", "so far"), ("kept", "anew", "ratio")), "held"),
               head=T("写到第 n 个", "token n"),
               title=T("一层的乘加次数，宽 {width}，{heads} 个头",
                       "Multiply-adds of one layer, width {width}, {heads} heads"))
    yield Rows("reading.*", ("each", "keys"), head=T("一层，float16", "one layer, float16"),
               more=True,
               legend=T("每个矩阵、每篇的每个键和值至少读一遍；激活没有算。",
                        "Every matrix, and every key and value of every text, is read once at "
                        "least; activations are left out."))
    if m["live"]:
        yield live_cache()


def live_cache() -> Table:
    """Ratios of times taken while the screen is drawn; no metrics."""
    return Table(
        (Column(T("写几个", "tokens"), "d"), Column(T("重算 / 留", "anew / kept"), ".1f")),
        list(time_cache().items()), title=LIVE)


PART = Part(
    number=5, key="cache",
    title=T("KV 缓存：同样的输出，少得多的计算", "The KV cache: the same output, far less work"),
    compute=cache, describe=blocks, lead=LEAD, quantities=QUANTITIES, names=NAMES,
    params={"width": Param(1024, 8, 16384, about=T("宽度", "width")),
            "heads": Param(16, 1, 128, about=T("头数", "heads")),
            "layers": Param(24, 1, 1000, about=T("层数（算显存用）", "layers (for the memory)")),
            "tokens": Param(256, 16, 2048, about=T("写几个词", "tokens written")),
            "live": Param(False, about=T("现场计时，只印倍数", "time it now, as ratios"))},
    controls=CACHE_CONTROLS,
    claims=(
        Claim("fewer", T(
            "写 {last.n} 个词，重算要 {last.anew} 次乘加，留着只要 {last.kept} 次；越往后"
            "差得越多。",
            "{last.n} tokens take {last.anew} multiply-adds anew and {last.kept} with the "
            "cache; the longer the text, the wider the gap."),
            lambda m: both(above(m.last.anew, m.last.kept), equal(m.last.n, m.price.tokens),
                           rises([row.ratio for row in m.rows])),
            "forgetful", kind="example"),
        Claim("price", T(
            "代价是显存：每个词每层留两个宽度，{layers} 层写完共 {price.numbers} 个数，float16 是 "
            "{price.mb} MB。",
            "The price is memory: two widths a token and layer, in {layers} layers "
            "{price.numbers} numbers at the end, {price.mb} MB in float16."),
            lambda m: both(near(m.price.a_token, 2 * m.width, 0.5),
                           equal(m.price.numbers,
                                 m.price.a_token * m.layers * m.price.tokens),
                           near(m.price.mb, 2e-6 * m.price.numbers, 1e-6)),
            "forgetful", kind="identity"),
        Claim("decode_reads", T(
            "一个词一个词地写，每次乘加要读 {reading.one.each} 字节；一遍读完提示只要 "
            "{reading.prompt.each}，因为同一个矩阵一次用在 {price.tokens} 个词上。",
            "Writing token by token reads {reading.one.each} bytes a multiply-add; a prompt read "
            "at once {reading.prompt.each}, since each matrix serves {price.tokens} tokens."),
            lambda m: near(m.reading.one.each / m.reading.prompt.each / m.price.tokens, 1, 0.1),
            "word_by_word", kind="example", more=True),
        Claim("shared_heads", T(
            "同时写 {texts} 篇，矩阵大家合用，键和值各存各的，占读入的 {reading.many.keys}；几个头"
            "共用键值头，{reading.many.each} 字节降到 {reading.shared.each}。",
            "With {texts} texts at once the matrices serve all, keys and values only their own "
            "text: {reading.many.keys} of what is read. Key-value heads shared among heads take "
            "{reading.many.each} bytes down to {reading.shared.each}."),
            lambda m: both(above(m.reading.many.keys, m.reading.one.keys),
                           below(m.reading.many.each, m.reading.one.each),
                           below(m.reading.shared.each, 0.9 * m.reading.many.each),
                           below(m.reading.shared.keys, m.reading.many.keys)),
            "not_shared", kind="example", given=("texts",), more=True),
    ),
    caveat=T(
        "比输出的是一个 {real.layers} 层、权重随机的小网络，写 {real.written} 步。读显存要多久没有"
        "量。",
        "The network compared has {real.layers} layers, drawn weights, and writes {real.written} "
        "steps. How long memory takes to read was not measured."),
    questions=(Question(
        T("生成时把旧的键和值存下来，和每步全部重算比，输出",
          "While writing, old keys and values are kept instead of recomputed. The output is"),
        (Option(T("一样，少算很多", "same, less work"),
                lambda m: both(below(m.difference, 1e-12), above(m.last.ratio, 1.1))),
         Option(T("近似", "approximate"),
                lambda m: both(above(m.difference, 1e-12), below(m.difference, 1e-3)),
                T("以为旧的状态会过时。因果掩码下旧词看不到新词。",
                  "expects old states to go stale. Under a causal mask old words do not see new "
                  "ones.")),
         Option(T("不同", "different"), lambda m: above(m.difference, 1e-3),
                T("把缓存当成记忆。里面没有一个数是重算时没有的。",
                  "takes the cache for a memory. It holds no number that recomputing would not "
                  "give.")),
         Option(T("一样，算得一样多", "same, same work"),
                lambda m: both(below(m.difference, 1e-12), below(m.last.ratio, 1.1)),
                T("以为只是换了个地方存。不留就要把整段重算一遍。",
                  "thinks it only stores elsewhere. Without it the whole text is computed "
                  "again."))),
        answer=Claim("same", T(
            "一样：最大差 {difference}。换成每个词都看全文的网络，差 {all_seeing}：旧的状态会变，"
            "不能这样存。",
            "the same, to {difference}. Where every word sees all it differs by {all_seeing}: old "
            "states change and cannot be kept."),
            lambda m: both(below(m.difference, 1e-12), above(m.all_seeing, 0.01)), "sees_all")),),
    pins={"difference": ROUNDING, "all_seeing": ARITHMETIC, "*ratio": RATIO,
          "price.mb": RATIO, "price.a_token": RATIO, "reading.*": RATIO, "live": SWITCH,
          "*": COUNT},
    notes=T(
        "约 6 分钟。先投票。看“这一步”两列：留着的几乎不涨，重算的跟着 n 涨。"
        "--set 5.tokens=1024 是 GPT-2 medium 写满上下文：约 100 MB。现场：--set 5.live=true。争论"
        "点：为什么 BERT 不用 KV 缓存？--more 里：读提示和写答案，为什么一个吃算力、一个吃带宽；共"
        "用键值头（演示 08）帮哪一个？",
        "About 6 minutes. Vote first. Look at the two columns of the step: kept hardly grows, anew "
        "grows with n. --set 5.tokens=1024 is GPT-2 medium with a full context: some 100 MB. Live: "
        "--set 5.live=true. The argument: why does BERT use no KV cache? Under --more: why reading "
        "a prompt is bound by arithmetic and writing by memory, and which of the two shared "
        "key-value heads (demo 08) help."),
)
