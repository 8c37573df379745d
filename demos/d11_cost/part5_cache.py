"""11.5 The KV cache: the same output, far less work: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d11_cost.lesson import CACHE_CONTROLS, cache, time_cache
from demos.d11_cost.words import COUNT, LIVE, RATIO, SWITCH
from lecture.report import (
    ROUNDING,
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
)


def show_cache(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一个词一个词地写。不留缓存：每写一个词，把前面整段重算一遍。留缓存：前面每个词的键和值都"
        "存着，只算新的一行。因果掩码保证旧的键和值不再变。",
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
    """Ratios of times taken while the screen is drawn; no metrics."""
    return Table(
        (Column(T("写几个", "tokens"), "d"), Column(T("重算 / 留", "anew / kept"), ".1f")),
        list(time_cache().items()), title=LIVE)


PART = Part(
    number=5, key="cache",
    title=T("KV 缓存：同样的输出，少得多的计算", "The KV cache: the same output, far less work"),
    compute=cache, describe=show_cache,
    params={"width": Param(1024, 8, 16384, about=T("宽度", "width")),
            "heads": Param(16, 1, 128, about=T("头数", "heads")),
            "layers": Param(24, 1, 1000, about=T("层数（算内存用）", "layers (for the memory)")),
            "tokens": Param(256, 16, 2048, about=T("写几个词", "tokens written")),
            "live": Param(False, about=T("现场计时，只印倍数", "time it now, as ratios"))},
    controls=CACHE_CONTROLS,
    claims=(
        Claim("same", T(
            "输出一样：{real[layers]} 层的小网络写 {real[written]} 步，留与不留，最大的差是 "
            "{difference:.0e<1e-12}。这是因果掩码给的：每个词都能看全文的网络，旧状态会变，"
            "就不能这样缓存。",
            "The output is the same: a small network of {real[layers]} layers writes "
            "{real[written]} steps, and the largest difference between with and without the "
            "cache is {difference:.0e<1e-12}. The causal mask gives that: where every word sees "
            "all, old states change and "
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
                T("因果掩码下，旧词看不到新词，旧的键和值根本不会变。",
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
