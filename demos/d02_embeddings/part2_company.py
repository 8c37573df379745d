"""02.2 A word by the company it keeps: PPMI, SVD, skip-gram: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d02_embeddings.errata import ERRATA
from demos.d02_embeddings.lesson import COMPANY_CONTROLS, LETTERS, keep_company
from demos.d02_embeddings.words import COUNT
from lecture.margins import above, at_most, below, both, equal
from lecture.quantities import Group, Named, Rows
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
    Scatter,
    T,
    close,
)

KIND_NAMES = {
    "country": T("国家", "country"), "capital": T("首都", "capital"),
    "language": T("语言", "language"), "leader": T("领导人", "leader"),
    "known_for": T("特产", "product"), "currency": T("货币", "currency"),
}
COUNTS = Quantity(T("", ""), ".0f")
QUANTITIES = {
    "example.*.ratio": Quantity(T("倍", "times"), ".1f"),
    "example.*.chance": Quantity(T("凭运气", "by luck"), ".2f"),
    "example.*.ppmi": Quantity(T("PPMI", "PPMI"), ".2f"),
    "example.*": COUNTS, "pairs": Quantity(T("对", "pairs"), ",.0f"),
    "met.country": Quantity(T("次", "times"), ".0f"),
    "met.capital": Quantity(T("次", "times"), ".1f"),
    "neighbours.*.word": Quantity(T("词", "word")),
    "neighbours.*.cosine": Quantity(T("余弦", "cosine"), ".3f"),
    "neighbours.*.first": Quantity(T("最近", "nearest")),
    "neighbours.*.second": Quantity(T("其次", "next")),
    "neighbours.*.third": Quantity(T("再次", "third")),
    "*.country": Quantity(T("别国", "country"), ".3g"),
    "*.capital": Quantity(T("首都", "capital"), ".3g"),
    "*.own": Quantity(T("本国别的", "own"), ".3g"),
    "*.plain": Quantity(T("非名字", "plain"), ".3g"),
    "*.same_kind": Quantity(T("同类", "kind"), ".0%"),
    "*.same_home": Quantity(T("同国", "home"), ".0%"),
    "*.offset": Quantity(T("类比", "offset"), ".0%"),
    "*.alone": Quantity(T("不用差", "without"), ".0%"),
    "*.dims": Quantity(T("维", "dims"), ".0f"),
    "trained.*_kind": Quantity(T("同类", "kind"), ".0%"),
    "trained.*": Quantity(T("设定", "setting"), "d"),
    "factored.*": Quantity(T("相关", "correlation"), ".2f"),
    "chance.shuffles": Quantity(T("次", "times"), "d"),
    "chance.*": Quantity(T("同类", "kind"), ".1%"),
    "picture.kept": Quantity(T("留住", "kept"), ".0%"),
    "picture.same_kind": Quantity(T("同类", "kind"), ".1%"),
    **{name: Quantity(T("数", "count"), "d")
       for name in ("documents", "kept", "seen", "names", "countries", "dims")},
}
NAMES = {
    **{f"neighbours.{kind}": name for kind, name in KIND_NAMES.items()},
    "counted.all": T("PPMI，全留", "PPMI, all"), "counted.*": T("PPMI + SVD", "PPMI + SVD"),
    "trained.*": T("skip-gram（记录）", "skip-gram"),
}
NEXT_TO = Group(T("国家最近的是（共 {countries}）", "nearest to {countries} countries"),
                ("country", "capital", "own", "plain"))
NAMES_BY = Group(T("名字最近的", "of the names"), ("same_kind", "same_home"))
CAPITALS = Group(T("找首都", "capital found"), ("offset", "alone"))


def blocks(m: Metrics) -> Iterator[Named | Scatter]:
    yield Rows(("counted.*", "trained.d*"), ("dims", NEXT_TO, NAMES_BY, CAPITALS),
               legend=T(
                   "别国：另一个国家；首都：本国首都；本国别的：如本国领导人；非名字：如 is、句号。"
                   "同类：如都是货币。找首都：候选只有首都。skip-gram：{trained.seeds} 个种子平"
                   "均。",
                   "Country: another one; capital: its own; own: its leader, say; plain: as is "
                   "or a full stop. Kind: both currencies, say. Capital: found among capitals. "
                   "Skip-gram: recorded, mean of {trained.seeds} seeds."))
    yield Rows("neighbours.*", ("word", "first", "cosine", "second", "third"), more=True,
               title=T("每一类里的一个词，和离它最近的三个（{dims} 维）",
                       "One word of each kind, and the three nearest to it ({dims} dimensions)"))
    yield Scatter(
        [(x, y, letter) for (x, y), letter in zip(m["picture"]["points"],
                                                  m["picture"]["letters"], strict=True)],
        dict(zip(LETTERS, KIND_NAMES.values(), strict=True)),
        T("第一主轴", "first axis"), T("第二主轴", "second axis"),
        title=T("{names} 个名字，从 {dims} 维压到平面",
                "The {names} names, from {dims} dimensions to a plane"),
        legend=T("平面留住了散布的 {picture.kept}；在平面上，最近的名字同类的占 "
                 "{picture.same_kind}。",
                 "The plane keeps {picture.kept} of the spread; in it the nearest name is "
                 "of the same kind for {picture.same_kind}."), more=True)


LEAD = (
    Paragraph(T(
        "语料：虚构世界的短文 {documents} 篇里抽 {kept} 篇。同一篇里每两个位置算两个词共现一次，共 "
        "{pairs} 次。点互信息（PMI）问：实际共现是凭运气的几倍？取对数：\n"
        "    PMI(a, b) = ln(共现次数 × {pairs} / (a 的次数 × b 的次数))；PPMI：负数记 0\n"
        "例：{example.capital.a} 和首都 {example.capital.b} 共现 {example.capital.both} 次，凭运气 "
        "{example.capital.of_a} × {example.capital.of_b} / {pairs} = {example.capital.chance} 次："
        "{example.capital.ratio} 倍，PPMI = {example.capital.ppmi}；和 {example.frequent.b} 是 "
        "{example.frequent.both} 次对 {example.frequent.chance} 次：{example.frequent.ratio} 倍，"
        "{example.frequent.ppmi}。\n"
        "每个词有 {seen} 个 PPMI；奇异值分解（SVD）只留最大的几维，就是稠密的词向量。近：余弦大。",
        "Corpus: {kept} of {documents} short texts of an invented world; any two places of a text "
        "are a meeting of two words, {pairs} in all. Pointwise mutual information (PMI): how many "
        "times as often as by luck, as a logarithm:\n"
        "    PMI(a, b) = ln( meetings × {pairs} / (of a × of b) )    PPMI: below 0 is 0\n"
        "Example: {example.capital.a} meets its capital {example.capital.b} "
        "{example.capital.both} times, by luck {example.capital.of_a} × {example.capital.of_b} / "
        "{pairs} = {example.capital.chance}: {example.capital.ratio} times as often, PPMI = "
        "{example.capital.ppmi}; with {example.frequent.b} {example.frequent.both} to "
        "{example.frequent.chance}: {example.frequent.ratio} times, {example.frequent.ppmi}.\n"
        "A word has {seen} of them; a singular value decomposition (SVD) keeps the few largest "
        "dimensions: a dense vector. Near: of large cosine.")),
)

PART = Part(
    number=2, key="company",
    title=T("看它常和谁在一起：PPMI、SVD、skip-gram",
            "A word by the company it keeps: PPMI, SVD, skip-gram"),
    compute=keep_company, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"dims": Param(8, 2, 64, about=T("SVD 留下几维", "dimensions the SVD keeps")),
            "share": Param(0.75, 0.3, 1.0, about=T("读多少短文", "share of the texts read"))},
    controls=COMPANY_CONTROLS,
    claims=(
        Claim("what_near_means", T(
            "留几维，决定“近”是什么意思：{counted.d8.dims} 维，最近的名字 "
            "{counted.d8.same_kind} 同类；全留（{counted.all.dims} 维），{counted.all.same_home} "
            "同国。",
            "How many dimensions are kept decides what near means: with {counted.d8.dims} the "
            "nearest name is of one kind for {counted.d8.same_kind}; with all "
            "{counted.all.dims}, of one country for {counted.all.same_home}."),
            lambda m: both(above(m.counted.d8.same_kind, 0.9),
                           above(m.counted.d8.same_kind, m.counted.d8.same_home + 0.5),
                           above(m.counted.all.same_home, 0.5),
                           above(m.counted.all.same_home,
                                 m.counted.all.same_kind + 0.5)),
            "strewn", given=("counted.*.dims",)),
        Claim("analogy", T(
            "类比（首都甲 - 甲 + 乙，找首都乙）在 {counted.d16.dims} 维对 {counted.d16.offset}，"
            "不算少；可不用差，直接取离乙最近的首都，也有 {counted.d16.alone}。",
            "The analogy (capital of a - a + b gives the capital of b) gets "
            "{counted.d16.offset} at {counted.d16.dims} dimensions, not a little; but without "
            "the offset, the capital nearest to b is right for {counted.d16.alone}."),
            lambda m: both(above(m.counted.d16.alone, m.counted.d16.offset - 0.1),
                           above(m.counted.d16.alone, 0.2), above(m.counted.d16.offset, 0.2)),
            "dealt", given=("counted.*.dims",)),
        Claim("skip_gram", T(
            "skip-gram（word2vec）不数，一对一对地学：真共现的得分高，随机抽的 "
            "{trained.negatives} 个低。{trained.d8.dims}、{trained.d16.dims} 维，{trained.seeds} "
            "个种子，最近的名字都 {trained.lowest_kind} 同类。",
            "Skip-gram (word2vec) learns pair by pair: the real pair is to score high, "
            "{trained.negatives} drawn ones low. At {trained.d8.dims} and "
            "{trained.d16.dims} dimensions, in each of {trained.seeds} seeds, the nearest name "
            "is of one kind for {trained.lowest_kind}."),
            lambda m: above(m.trained.lowest_kind, 0.99), "strewn_trained", kind="recorded",
            given=("trained.*.dims", "trained.seeds", "trained.negatives")),
        Claim("purity", T(
            "最近的名字同类的占 {near.same_kind:.1%}；类别打乱 {chance.shuffles} 次，最高也只有 "
            "{chance.highest}（平均 {chance.mean}）。",
            "The nearest name is of the same kind for {near.same_kind:.1%}; over "
            "{chance.shuffles} shuffles of the kinds for {chance.highest} at the most ("
            "{chance.mean} on average)."),
            lambda m: both(above(m.near.same_kind, m.chance.highest),
                           above(m.chance.highest, m.chance.mean)), "strewn",
            given=("chance.shuffles",), more=True),
        Claim("offset_helps", T(
            "{counted.d8.dims} 维时差有用：类比对 {counted.d8.offset}，不用差只对 "
            "{counted.d8.alone}。",
            "With {counted.d8.dims} dimensions the offset helps: {counted.d8.offset} against "
            "{counted.d8.alone} without."),
            lambda m: both(above(m.counted.d8.offset, m.counted.d8.alone),
                           above(m.counted.d8.offset, 0.1)),
            "dealt", given=("counted.*.dims",), more=True),
        Claim("factors_pmi", T(
            "数和学殊途同归：skip-gram 给一对词的得分与 PMI 的相关系数，{trained.d8.dims} 维 "
            "{factored.d8}，{trained.d32.dims} 维 {factored.d32}（Levy、Goldberg 2014：它在分解平"
            "移过的 PMI 表）。",
            "The two are related: the scores of skip-gram correlate with PMI, {factored.d8} at "
            "{trained.d8.dims} dimensions, {factored.d32} at {trained.d32.dims} (Levy and "
            "Goldberg 2014: it factors a shifted PMI table)."),
            lambda m: both(above(m.factored.d32, 0.7),
                           above(m.factored.d32, m.factored.d8 + 0.1)),
            T("词打散了，它分解的仍是那张表", "it factors the table of strewn words as well"),
            kind="recorded", given=("trained.*.dims",), more=True),
    ),
    caveat=T(
        "句式整齐的小世界；真实语料、较窄的窗口会给别的邻居。每个词只有一个向量，一词多义看不出来"
        "（第 3、4 部分）。",
        "A small world of tidy sentences. One vector a word: two senses cannot show (parts 3, 4)."),
    further=T(
        "同类算近，还是同国算近，要看拿来做什么。",
        "Both senses of near are fair; it depends on the use."),
    questions=(Question(
        T("PPMI 用 SVD 留下 {dims} 维。离一个国家最近的词，多半是哪个？",
          "PPMI, {dims} dimensions kept. Mostly, which word is nearest to a country?"),
        (Option(T("本国首都", "its capital"),
                lambda m: above(m.near.capital, m.countries / 2),
                T("把共现当成了相像：平均共现 {met.capital} 次，最近的却有 {near.capital} 个。",
                  "takes together for alike: they meet {met.capital} times, and {near.capital} "
                  "are nearest.")),
         Option(T("另一个国家", "another country"),
                lambda m: above(m.near.country, m.countries / 2)),
         Option(T("本国领导人或语言", "its leader"),
                lambda m: above(m.near.own, m.countries / 2),
                T("也是把共现当成了相像。", "takes together for alike, too.")),
         Option(T("is、句号一类", "a plain word"),
                lambda m: above(m.near.plain, m.countries / 2),
                T("留 {counted.d64.dims} 维才是这样：{counted.d64.plain} 个国家。",
                  "true of {counted.d64.dims} dimensions: {counted.d64.plain} countries."))),
        answer=Claim("kin", T(
            "{countries} 个国家里 {near.country} 个。两国从不同篇，同首都却平均共现 {met.capital} "
            "次：要紧的不是常共现，而是留下的几维；全留，最近是国家的有 {counted.all.country} 个。",
            "For {near.country} of {countries}. Two countries never share a text, a country "
            "and its capital meet {met.capital} times: what counts is not meeting but which "
            "dimensions are kept; keep all, and {counted.all.country} have a country nearest."),
            lambda m: both(above(m.near.country, m.countries / 2), equal(m.met.country, 0),
                           above(m.met.capital, 1),
                           at_most(m.counted.all.country, m.near.country - 1),
                           below(m.counted.all.country, 1)),
            "untruncated")),),
    pins={"picture.points.*": close("an SVD of float64", rtol=1e-6, atol=1e-8),
          "chance.*": ARITHMETIC, "*cosine": ARITHMETIC, "*same_*": ARITHMETIC,
          "example.*": ARITHMETIC, "met.*": ARITHMETIC, "picture.kept": ARITHMETIC,
          "pairs": ARITHMETIC,
          "*offset": ARITHMETIC, "*alone": ARITHMETIC, "trained.*": close("a record"),
          "factored.*": close("a record"), "*": COUNT},
    errata=ERRATA["company"],
    notes=T(
        "约 8 分钟。先投票，多数人会选首都。再看表，一列一列问：为什么留得多，最近的就变成同国？"
        "（小的奇异值里是每国自己的那些名字。）类比那两列先遮住一列：只看“类比”，像是很神奇。16 "
        "维时两列谁大，换一个 --seed 会变：别只看这一次；--set 2.share=1.0 时两列都只剩百分之几，"
        "那句就不成立。试试 --set 2.share=0.4，再试 --set 2.dims=64：答案换成 D，“答案 B”那句说不"
        "成立。",
        "About 8 minutes. Vote first; most will say the capital. Then the table, column by "
        "column: why do more dimensions turn kind into country? (Each country's own names are "
        "in the small singular values.) Cover one of the two columns of analogies: alone the "
        "first looks like magic. Which of the two is larger at 16 dimensions changes with "
        "--seed: do not trust one draw; with --set 2.share=1.0 both are down to a few per "
        "cent, and the sentence falls. Try --set 2.share=0.4, then --set 2.dims=64: the right "
        "letter is now D, and the sentence of answer B DOES NOT HOLD."),
)
