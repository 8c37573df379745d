"""What is a word to a model, and when does the sentence around it start to matter?

Part 1 multiplies a one-hot vector by a table and finds a row of the table: nobody ever
writes the vector out. Part 2 gives each word of the invented world a dense vector by
counting its company (PPMI, then a truncated SVD) and asks who lies next to a country.
A vector of that kind is one a word, whatever the sentence. Part 3 shows, with weights
set by hand, that even the query of "bank" is the same by the river and in an account,
and that one layer of attention parts the two; part 4 finds the same in a trained model,
and cuts what it looks at.

Unlike demo 01: tokens are whole words here, and each becomes a vector. Left out: how
attention weighs and masks (04), where queries and keys come from (05), position codes
(07), and embeddings trained by gradient on real text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from attention_np import attention, sinusoidal_positions
from demos.errata.e02 import ERRATA
from lecture import model_cache, recipes, records
from lecture.embed_np import (
    cooccurrence,
    cosines,
    neighbours,
    plane,
    ppmi,
    purity,
    truncated,
    unit,
)
from lecture.gpt_np import GPT, combine, cut_edge, init_weights
from lecture.report import (
    Block,
    Claim,
    Column,
    HeatMap,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    Scatter,
    T,
    Table,
    band,
    close,
    exact,
)
from lecture.tasks import SENSE_TOPICS, SENSE_VOCABULARY, SENSE_WORDS
from pretrain_world import ATTRIBUTES, World, documents, make_world, tokenizer

Array = np.ndarray
COUNT = exact("a count, a word or a truth: nothing may move")
ARITHMETIC = close("deterministic float64: only the order of additions may differ",
                   rtol=1e-7, atol=1e-9)
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-9)

# --- 1. one-hot, on paper only ------------------------------------------------

SAMPLE, TOKENS = 2000, 3                # rows of the table that is multiplied out


def one_hot(ids: Array, n: int) -> Array:
    """A one at the word's own place, zeros elsewhere: [k, n]."""
    return np.eye(n)[ids]


def blurred(ids: Array, n: int) -> Array:
    """The same with a tenth of the one spread over all places: [k, n]."""
    return 0.9 * one_hot(ids, n) + 0.1 / n


def look_rows_up(words: int, width: int, seed: int, code: Any = one_hot,
                 written: bool = False) -> Metrics:
    """Three words, by a product and by their number.

    Draws, in this order: the table [2000, width], 3 ids, 3 gradients.
    """
    rng = np.random.default_rng(seed)
    E = rng.standard_normal((SAMPLE, width))                    # [n, d]
    ids = rng.choice(SAMPLE, TOKENS, replace=False)             # [3]
    g = rng.standard_normal((TOKENS, width))                    # [3, d]
    codes = code(ids, SAMPLE)                                   # [3, n]

    product = codes @ E                     # [3, n] @ [n, d] -> [3, d]
    slow = codes.T @ g                      # [n, 3] @ [3, d] -> [n, d]
    fast = np.zeros_like(E)
    np.add.at(fast, ids, g)                 # only the rows of these words
    i, j = np.triu_indices(TOKENS, k=1)                         # pairs
    number = np.dtype(np.float32).itemsize
    by_hand = {"bytes": words * number, "multiply_adds": words * width}
    by_id = {"bytes": ids.itemsize, "multiply_adds": 0}
    return {
        "words": words, "width": width, "sample": SAMPLE,
        "table_megabytes": words * width * number / 1e6,
        "same": {"numbers": product.size,
                 "differing": int((product != E[ids]).sum())},
        "dots": abs((codes @ codes.T)[i, j]).max(),
        "distances": np.linalg.norm(codes[i] - codes[j], axis=1),
        "gradient": {"touched": int(slow.any(axis=1).sum()),
                     "tokens": TOKENS,
                     "differing": int((slow != fast).sum())},
        "ways": {"written": by_hand, "id": by_hand if written else by_id},
    }


def show_rows(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "词表 {words:,d} 个词，每个词一行、{width} 个数：这张表有 {table_megabytes:.1f} MB"
        "（float32）。要取一行，可以把 one-hot 向量写出来去乘整张表，也可以直接拿编号去取。",
        "A vocabulary of {words:,d} words, a row of {width} numbers each: the table has "
        "{table_megabytes:.1f} MB (float32). To get a row one can write out the one-hot vector "
        "and multiply it by the whole table, or use the word's number and take the row."))
    yield Table(
        (Column(T("拿什么去取", "what picks the row")),
         Column(T("每个词元的字节", "bytes a token"), ",d"),
         Column(T("乘加次数", "multiply-adds"), ",d")),
        [[name, m["ways"][way]["bytes"], m["ways"][way]["multiply_adds"]]
         for way, name in (("written", T("写出来的 one-hot", "one-hot, written out")),
                           ("id", T("编号（int64）", "the number (int64)")))])


ONE_HOT = Part(
    number=1, key="one_hot",
    title=T("one-hot：只写在纸上", "One-hot, on paper only"),
    compute=look_rows_up, describe=show_rows,
    params={"words": Param(100_000, 10, 10_000_000, about=T("词表大小", "words in the vocabulary")),
            "width": Param(512, 1, 1024, about=T("每行几个数", "numbers a row"))},
    controls={"blurred": partial(look_rows_up, code=blurred),
              "written_out": partial(look_rows_up, written=True)},
    claims=(
        Claim("same_row", T(
            "one-hot 乘表，得到的就是表里的那一行，一位不差（在 {sample:,d} 行的表上乘了 "
            "{gradient[tokens]} "
            "个词，{same[numbers]:,d} 个数里不同的有 {same[differing]} 个）。",
            "One-hot times the table is that row of the table, to the bit ({gradient[tokens]} "
            "words "
            "multiplied out on a table of {sample:,d} rows: of {same[numbers]:,d} numbers "
            "{same[differing]} differ)."),
            lambda m: 0.5 - m["same"]["differing"], "blurred"),
        Claim("bytes", T(
            "写出来每个词元要 {ways[written][bytes]:,d} 字节，编号只要 {ways[id][bytes]} 字节，"
            "而且一次乘法也不用做。",
            "Written out a token takes {ways[written][bytes]:,d} bytes; its number takes "
            "{ways[id][bytes]}, and not one multiplication."),
            lambda m: min(m["ways"]["written"]["bytes"] - m["ways"]["id"]["bytes"],
                          0.5 - m["ways"]["id"]["multiply_adds"]),
            "written_out"),
        Claim("training", T(
            "训练时也不用写出来：{sample:,d} 行里只有 {gradient[touched]} 行的梯度不是零，"
            "直接加到这几行上，结果不同的数有 {gradient[differing]} 个。",
            "Training does not need it either: of {sample:,d} rows only {gradient[touched]} have "
            "a gradient that is not zero; adding it to these rows directly changes "
            "{gradient[differing]} numbers."),
            lambda m: min(0.5 - m["gradient"]["differing"],
                          0.5 - abs(m["gradient"]["touched"] - m["gradient"]["tokens"])),
            "blurred"),
        Claim("all_apart", T(
            "one-hot 不知道谁像谁：任意两个不同的词，点积都是 {dots:g}，距离都是 "
            "{distances[0]:.4f}，正是根号二。",
            "One-hot knows no likeness: any two different words have the dot product {dots:g} and "
            "the distance {distances[0]:.4f}, the square root of two."),
            lambda m: min(1e-12 - m["dots"],
                          1e-12 - max(abs(x - 2 ** 0.5) for x in m["distances"])),
            "blurred"),
    ),
    questions=(Question(
        T("词表有 {words:,d} 个词。模型读一个词时，内存里真有那条 {words:,d} 维的 one-hot 吗？",
          "The vocabulary has {words:,d} words. When the model reads a word, is there a one-hot "
          "vector of that many numbers in memory?"),
        (Option(T("有，每个词元都写出来", "yes, written out for every token"),
                lambda m: m["ways"]["id"]["bytes"] - m["ways"]["written"]["bytes"] + 0.5,
                T("把公式当成了程序。公式里的乘法，程序里是取一行。",
                  "takes the formula for the program: the product of the formula is a look-up in "
                  "the program.")),
         Option(T("没有：用编号取表中的一行，结果完全相同",
                  "no: the number picks a row of the table, with exactly the same result"),
                lambda m: min(m["ways"]["written"]["bytes"] - m["ways"]["id"]["bytes"],
                              0.5 - m["same"]["differing"])),
         Option(T("只有训练时有：反向传播要用它", "only in training: back-propagation needs it"),
                lambda m: m["gradient"]["differing"] - 0.5,
                T("以为梯度要铺满整张表。没被读到的行，梯度都是零。",
                  "thinks the gradient fills the table. It is zero on every row that was not "
                  "read.")),
         Option(T("没有：存的是压缩过的，结果只是近似",
                  "no: a compressed form is kept, so the result is approximate"),
                lambda m: m["same"]["differing"] - 0.5,
                T("以为嵌入是把 one-hot “压缩”了。没有东西被压缩，那一行就是乘积本身。",
                  "thinks an embedding compresses a one-hot. Nothing is compressed: the row is "
                  "the product.")))),),
    pins={"distances.*": ARITHMETIC, "table_megabytes": ARITHMETIC, "dots": ROUNDING, "*": COUNT},
    errata=ERRATA["one_hot"],
    notes=T(
        "约 3 分钟，只是热身。要点：one-hot 是一种说法，不是一段内存；真正要紧的是表里的数从哪来。"
        "可问：试试 --set 1.words=1000000，哪个数变，哪个不变？",
        "About 3 minutes, a warm-up. The point: one-hot is a way of speaking, not a piece of "
        "memory; what matters is where the numbers in the table come from. Ask: with "
        "--set 1.words=1000000, which figure moves and which does not?"),
)

# --- 2. a word by its company ---------------------------------------------------

KINDS = ("country", *ATTRIBUTES)                # of the invented names
PLAIN = len(KINDS)                              # the kind of every other word
LETTERS = "abcdef"
DIMS, SHUFFLES = (2, 4, 8, 16, 32, 64), 1000


def read_corpus(share: float, rng: np.random.Generator,
                strewn: bool) -> tuple[World, Metrics, list[str], Array]:
    """A share of the world's sentences and questions, and their counts.

    strewn: the same words and lengths, each word anywhere (the control).
    """
    world = make_world()
    tok, texts = tokenizer(world), documents(world, registers=0)
    some = np.sort(rng.permutation(len(texts))[:round(share * len(texts))])
    rows = [tok.encode(texts[i].text)[1:] for i in some]        # no <doc>
    if strewn:
        mixed = rng.permutation(np.concatenate(rows))
        ends = np.cumsum([len(r) for r in rows])
        rows = [r.tolist() for r in np.split(mixed, ends[:-1])]
    counts = cooccurrence(rows, len(tok))                       # [V, V]
    seen = np.flatnonzero(counts.sum(axis=1))                   # [S]
    sizes = {"documents": len(texts), "kept": len(some),
             "seen": len(seen), "others": len(seen) - 1}
    words = [tok.itos[i] for i in seen]
    return world, sizes, words, counts[np.ix_(seen, seen)]      # [S, S]


def beside(X: Array, country: Array, capital: Array, kinds: Array,
           homes: Array, frequent: int) -> Metrics:
    """Nearest to the countries among all words, to names among names."""
    order = neighbours(X)                                       # [S, S-1]
    first = order[country, 0]                                   # [24]
    owned = capital >= 0                        # a capital may be unseen
    rank = (order[country[owned]]
            == capital[owned, None]).argmax(axis=1) + 1         # [<= 24]
    name = kinds < PLAIN                                        # [S]
    nearest = neighbours(X[name])[:, 0]                         # [N]
    return {"country": int((kinds[first] == 0).sum()),
            "capital": int((first == capital).sum()),
            "frequent": int((first == frequent).sum()),
            "capital_rank": rank.mean(),
            "same_kind": purity(nearest, kinds[name]),
            "same_home": purity(nearest, homes[name])}


def keep_company(share: float, dims: int, seed: int, strewn: bool = False,
                 truncate: bool = True) -> Metrics:
    """Counts -> PPMI -> SVD, then: who is near whom?

    Draws, in this order: documents, (the control's words,) shuffles.
    """
    rng = np.random.default_rng(seed)
    world, sizes, words, counts = read_corpus(share, rng, strewn)
    who = {w: (k, i) for i, c in enumerate(world.countries)
           for k, w in enumerate(c.words())}
    kinds, homes = np.array([who.get(w, (PLAIN, -1)) for w in words]).T
    place = {w: i for i, w in enumerate(words)}
    country = np.array([place[c.name] for c in world.countries])
    capital = np.array([place.get(c.capital, -1) for c in world.countries])
    frequent = int(counts.sum(axis=1).argmax())
    ask = partial(beside, country=country, capital=capital, kinds=kinds,
                  homes=homes, frequent=frequent)

    every = truncated(ppmi(counts), len(words))                 # [S, S]
    X = unit(every[:, :dims] if truncate else every)            # [S, dims]
    name = np.flatnonzero(kinds < PLAIN)                        # [N]
    nearest = neighbours(X[name])[:, 0]                         # [N]
    chance = np.array([purity(nearest, rng.permutation(kinds[name]))
                       for _ in range(SHUFFLES)])               # [1000]
    met = counts[np.ix_(country, country)] * (1 - np.eye(len(country)))
    own = counts[country, capital][capital >= 0]                # [<= 24]
    order, alike = neighbours(X), cosines(X)
    shown = [np.flatnonzero(kinds == k)[0] for k in range(len(KINDS))]
    return {
        **sizes, "names": len(name), "countries": len(country),
        "frequent_word": words[frequent], "dims": dims, "near": ask(X),
        "met": {"country": met.max(), "capital": own.mean()},
        "chance": {"shuffles": SHUFFLES, "mean": chance.mean(),
                   "spread": chance.std(), "highest": chance.max()},
        "table": [{"word": words[i], "kind": KINDS[k],
                   "near": [words[j] for j in order[i, :3]],
                   "cosine": alike[i, order[i, 0]]}
                  for k, i in enumerate(shown)],
        "by_dims": [{"dims": d, **ask(every[:, :d])}
                    for d in (*DIMS, len(words))],
        "picture": flat_picture(X[name], kinds[name]),
    }


def flat_picture(X: Array, kinds: Array) -> Metrics:
    """The plane in which unit vectors [N, d] spread most; who is near in it."""
    points, kept = plane(X)                                     # [N, 2]
    gap = np.square(points[:, None] - points).sum(axis=2)       # [N, N]
    np.fill_diagonal(gap, np.inf)
    return {"kept": kept, "points": points,
            "same_kind": purity(gap.argmin(axis=1), kinds),
            "letters": [LETTERS[k] for k in kinds]}


KIND_NAMES = {
    "country": T("国家", "country"), "capital": T("首都", "capital"),
    "language": T("语言", "language"), "leader": T("领导人", "leader"),
    "known_for": T("特产", "product"), "currency": T("货币", "currency"),
}


def show_company(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "语料：虚构世界的 {documents} 篇短文里抽 {kept} 篇。同一篇里，每两个位置算两个词相遇一次；"
        "PPMI 看实际相遇比凭运气多多少；SVD 把每个词的 {seen} 个 PPMI 值变成 {dims} 个数。",
        "The corpus: {kept} of the {documents} short texts of an invented world. Any two places "
        "of a text are a meeting of two words; PPMI asks how much more often they meet than by "
        "luck; an SVD turns the {seen} PPMI values of a word into {dims} numbers."))
    yield Table(
        (Column(T("词", "word")), Column(T("类别", "kind")), Column(T("最近", "nearest")),
         Column(T("余弦", "cosine"), ".3f"), Column(T("其次", "next")),
         Column(T("再次", "third"))),
        [[row["word"], KIND_NAMES[row["kind"]], row["near"][0], row["cosine"], *row["near"][1:]]
         for row in m["table"]],
        title=T("每一类里的一个词，和离它最近的三个词",
                "One word of each kind, and the three nearest to it"))
    yield Table(
        (Column(T("留下几维", "dimensions kept"), "d"),
         Column(T("国家最近的是别国", "countries next to a country"), "d"),
         Column(T("是本国首都", "next to own capital"), "d"),
         Column(T("名字最近的名字同类", "names next to their kind"), ".1%"),
         Column(T("属同一国", "next to their country"), ".1%")),
        [[row["dims"], row["country"], row["capital"], row["same_kind"], row["same_home"]]
         for row in m["by_dims"]],
        title=T("谁离谁最近，随维数而变", "Who is nearest to whom, by dimensions"),
        legend=T("国家共 {countries} 个，在所有词里找最近的；虚构名字共 {names} 个，"
                 "在名字里找。",
                 "There are {countries} countries, their nearest sought among all words, and "
                 "{names} invented names, theirs among the names."))
    yield Scatter(
        [(x, y, letter) for (x, y), letter in zip(m["picture"]["points"],
                                                  m["picture"]["letters"], strict=True)],
        dict(zip(LETTERS, KIND_NAMES.values(), strict=True)),
        T("第一主轴", "first axis"), T("第二主轴", "second axis"),
        title=T("{names} 个名字，从 {dims} 维压到平面",
                "The {names} names, from {dims} dimensions to a plane"),
        legend=T("平面留住了散布的 {picture[kept]:.0%}；在平面上，最近的名字同类的占 "
                 "{picture[same_kind]:.1%}。",
                 "The plane keeps {picture[kept]:.0%} of the spread; in it the nearest name is "
                 "of the same kind for {picture[same_kind]:.1%}."))


COMPANY = Part(
    number=2, key="company",
    title=T("看它常和谁在一起：PPMI 与 SVD", "A word by the company it keeps: PPMI and SVD"),
    compute=keep_company, describe=show_company,
    params={"dims": Param(8, 2, 64, about=T("SVD 留下几维", "dimensions the SVD keeps")),
            "share": Param(0.75, 0.3, 1.0, about=T("读多少短文", "share of the texts read"))},
    controls={"strewn": partial(keep_company, strewn=True),
              "untruncated": partial(keep_company, truncate=False)},
    claims=(
        Claim("kin", T(
            "{countries} 个国家里，最近的词是别国的有 {near[country]} 个，是本国首都的有 "
            "{near[capital]} 个；按远近排，本国首都平均在第 {near[capital_rank]:.0f} 名"
            "（共 {others} 名）。",
            "Of {countries} countries {near[country]} have another country nearest to them and "
            "{near[capital]} their own capital, whose mean rank is {near[capital_rank]:.0f} of "
            "{others}."),
            lambda m: min(m["near"]["country"] - m["countries"] / 2, 0.5 - m["near"]["capital"]),
            "strewn"),
        Claim("never_met", T(
            "相近不等于常见面：两个国家最多相遇 {met[country]:.0f} 次，国家和本国首都却平均相遇 "
            "{met[capital]:.1f} 次。国家之间像，是因为和同样的词来往。",
            "Near does not mean seen together: two countries meet {met[country]:.0f} times at "
            "most, a country and its own capital {met[capital]:.1f} times on average. Countries "
            "are alike because they keep the same company."),
            lambda m: min(0.5 - m["met"]["country"], m["met"]["capital"] - 0.5), "strewn"),
        Claim("purity", T(
            "最近的名字同类的占 {near[same_kind]:.1%}。类别标签打乱 {chance[shuffles]} 次，"
            "平均 {chance[mean]:.1%}，标准差 {chance[spread]:.1%}，最高的一次 "
            "{chance[highest]:.1%}。",
            "The nearest name is of the same kind for {near[same_kind]:.1%}. Over "
            "{chance[shuffles]} shuffles of the labels: {chance[mean]:.1%} on average, standard "
            "deviation {chance[spread]:.1%}, {chance[highest]:.1%} at the highest."),
            lambda m: m["near"]["same_kind"] - m["chance"]["highest"], "strewn"),
        Claim("what_near_means", T(
            "留几维，决定“近”是什么意思。留 {dims} 维，最近的名字同类的占 {near[same_kind]:.1%}，"
            "同国的占 "
            "{near[same_home]:.1%}；全留（{by_dims[6][dims]} 维），同类的占 "
            "{by_dims[6][same_kind]:.1%}，同国的占 {by_dims[6][same_home]:.1%}。",
            "How many dimensions are kept decides what near means. With {dims} the nearest name "
            "is of the same kind for {near[same_kind]:.1%}, of the same country for "
            "{near[same_home]:.1%}; with all {by_dims[6][dims]}, of the same kind for "
            "{by_dims[6][same_kind]:.1%}, of the same country for {by_dims[6][same_home]:.1%}."),
            lambda m: min(m["near"]["same_kind"] - m["near"]["same_home"],
                          m["by_dims"][6]["same_home"] - m["by_dims"][6]["same_kind"]),
            "untruncated"),
    ),
    caveat=T(
        "这是句式整齐、名字虚构的小世界，真实语料没这么干净；语料或窗口一换，邻居也会换。图只是 "
        "{dims} 维里的"
        "一个平面。而且每个词只有一个向量：一词多义在这里看不出来（第 3、4 部分）。",
        "This is a small world of tidy sentences and invented names; real text is never so "
        "clean, and another corpus or window gives other neighbours. The picture is one plane "
        "of {dims} dimensions. And each word has one vector: two meanings of a word cannot show "
        "here (parts 3 and 4)."),
    questions=(Question(
        T("每个词用“常和谁同在一篇”来表示。离一个国家最近的词，更可能是哪个？",
          "Each word is described by the words it shares texts with. Which word is most likely "
          "nearest to a country?"),
        (Option(T("它的首都：两个词常在一起", "its capital: the two stand together often"),
                lambda m: m["near"]["capital"] - m["countries"] / 2,
                T("把“常见面”当成了“相像”。首都和国家来往的词不一样。",
                  "takes “often together” for “alike”. A capital keeps other company than a "
                  "country.")),
         Option(T("另一个国家：两个词的上下文相像", "another country: their contexts are alike"),
                lambda m: m["near"]["country"] - m["countries"] / 2),
         Option(T("最常见的那个词", "the most frequent word"),
                lambda m: m["near"]["frequent"] - m["countries"] / 2,
                T("以为次数多就近。PPMI 除掉了“本来就常见”的那部分。",
                  "thinks many counts make near: PPMI divides out what is frequent anyway.")),
         Option(T("说不准，和随机差不多", "no telling: as good as random"),
                lambda m: m["chance"]["highest"] - m["near"]["same_kind"],
                T("以为没有训练就没有意义。光是数数，同类就已经聚到一起了。",
                  "thinks there is no meaning without training. Counting alone brings kinds "
                  "together.")))),),
    pins={"picture.points.*": close("an SVD of float64", rtol=1e-6, atol=1e-8),
          "chance.*": ARITHMETIC, "*cosine": ARITHMETIC, "*same_*": ARITHMETIC,
          "*capital_rank": ARITHMETIC, "met.*": ARITHMETIC, "picture.kept": ARITHMETIC,
          "*": COUNT},
    errata=ERRATA["company"],
    notes=T(
        "约 8 分钟。先投票，多数人会选首都。关键一问：两个国家从没同在一篇，凭什么近？"
        "（来往的词相同。）"
        "再看维数那张表：少留几维，近的是同类；全留下，近的是同国，也就是常见面的。两种“近”都对，"
        "要看拿来做什么。试试 --set 2.share=0.4，再试 --set 2.dims=64。",
        "About 8 minutes. Vote first; most will say the capital. The key question: two countries "
        "never share a text, so why are they near? (They meet the same words.) Then the table of "
        "dimensions: keep few and the near ones are of a kind, keep all and they are of one "
        "country, those often seen together. Both are fair senses of near; it depends on the "
        "use. Try --set 2.share=0.4, then --set 2.dims=64."),
)

# --- 3. one word, two contexts: by hand -----------------------------------------

# Each word is the sum of its own direction and of these, all at right angles.
MEANS = {"bank": "asks", "apple": "asks",
         "river": "tells water", "lake": "tells water",
         "savings": "tells money", "account": "tells money",
         "ripe": "tells fruit", "pie": "tells fruit",
         "laptop": "tells machine", "phone": "tells machine"}
HAND_MADE = {
    "bank": {"water": ("the river bank", "a bank by the lake"),
             "money": ("the savings bank", "my bank account")},
    "apple": {"fruit": ("the ripe apple", "an apple in the pie"),
              "machine": ("a phone by apple", "an apple laptop")},
}
FEATURES = ("asks", "tells", "water", "money", "fruit", "machine")
HAND_WORDS = tuple(dict.fromkeys(w for senses in HAND_MADE.values()
                                 for texts in senses.values()
                                 for text in texts for w in text.split()))
DIRECTION = {name: i for i, name in enumerate((*FEATURES, *HAND_WORDS))}
SIZE = len(DIRECTION)                                           # d


def direction(*names: str) -> Array:
    """The sum of named directions, [d]."""
    return np.eye(SIZE)[[DIRECTION[name] for name in names]].sum(axis=0)


TABLE = {w: direction(w, *MEANS.get(w, "").split()) for w in HAND_WORDS}
# A word that asks looks for a word that tells, and fetches what it tells.  Proof: the
# score of (bank, river) is beta (asks . asks)(tells . tells) = beta, of (bank, the) it
# is 0, and a word that does not ask scores 0 everywhere.
W_Q = np.outer(direction("asks"), direction("tells"))           # [d, d]
W_K = np.outer(direction("tells"), direction("tells"))          # [d, d]
W_V = np.diag(1 - direction("asks", "tells"))                   # [d, d] all but flags


def pairs(X: Array, sense: Array) -> dict[str, float]:
    """The lowest cosine within a sense, the highest across: [n, d], [n]."""
    alike = cosines(X)                                          # [n, n]
    same = sense[:, None] == sense                              # [n, n]
    pair = ~np.eye(len(X), dtype=bool)
    return {"within": float(alike[same & pair].min()),
            "across": float(alike[~same].max())}


def differing(rows: Any) -> int:
    """How many numbers of the rows [n, d] differ from the first row."""
    X = np.asarray(rows)
    return int((X[0] != X).sum())


def what_the_snippet_raises() -> str:
    """The notes multiply a vector written with an ellipsis; so do we, smaller."""
    try:
        np.array([1.0, ...], dtype=object) @ np.eye(2)
    except Exception as error:                                  # whichever it is
        return type(error).__name__
    return "nothing"


def one_layer(text: str, word: str, beta: float,
              blind: bool) -> tuple[Array, Array, Array, int]:
    """The word before [d] and after [d], whom it looks at [T], its place.

    blind: each word sees only itself.
    """
    words = text.split()
    X = np.array([TABLE[w] for w in words])                     # [T, d]
    here = words.index(word)
    mask = np.eye(len(words), dtype=bool) if blind else None
    out, W = attention(beta * X @ W_Q, X @ W_K, X @ W_V, scale=False,
                       mask=mask)                       # [T, d], [T, T]
    return X[here], (X + out)[here], W[here], here


def two_contexts(beta: float, seed: int, blind: bool = False,
                 later: bool = False, placed: bool = True) -> Metrics:
    """Two words, four sentences each, one layer of attention set by hand.

    Draws a random query matrix [d, d]: its numbers must not matter.
    later: ask the word after the layer, not before; placed: add positions.
    """
    R = np.random.default_rng(seed).standard_normal((SIZE, SIZE))
    found: Metrics = {
        "beta": beta, "words": {}, "sentences": [],
        "vector": {"differing": 0},
        "query": {"differing": 0, "random_differing": 0},
        "moved": {"same_place": 0, "other_place": 0},
        "snippet": what_the_snippet_raises()}
    for word, senses in HAND_MADE.items():
        rows = [(text, name) for name, texts in senses.items()
                for text in texts]
        sense = np.array([name for _, name in rows])            # [4]
        read = [one_layer(text, word, beta, blind) for text, _ in rows]
        before, after = (np.array([r[i] for r in read]) for i in (0, 1))
        A, place = (after if later else before), [r[3] for r in read]
        P = sinusoidal_positions(np.array(place), SIZE) * placed    # [4, d]
        found["vector"]["differing"] += differing(A)            # A [4, d]
        for name, M in (("differing", W_Q), ("random_differing", R)):
            found["query"][name] += differing([x @ M for x in A])
        for i, j in np.argwhere(sense[:, None] < sense):        # two senses
            where = "same" if place[i] == place[j] else "other"
            found["moved"][f"{where}_place"] += differing(
                [(x + p) @ R for x, p in ((A[i], P[i]), (A[j], P[j]))])
        found["words"][word] = {"before": pairs(A, sense),
                                "after": pairs(after, sense)}
        found["sentences"] += [
            {"text": text, "word": word, "sense": name,
             "looks_at": text.split()[W.argmax()], "weight": W.max()}
            for (text, name), (_, _, W, _) in zip(rows, read, strict=True)]
    return found


SENSE_NAMES = {"water": T("水边", "water"), "money": T("钱", "money"),
               "fruit": T("水果", "fruit"), "machine": T("机器", "machines")}


def show_contexts(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "每个词的向量都是几个互相垂直的方向之和。bank 和 apple 带着“想问”的方向，river、account "
        "这样的词带着"
        "“能说明”的方向；W_Q 把“想问”变成找“能说明”的查询（锐利度 β = {beta:g}），W_V "
        "把说明的内容取回来。",
        "Each word is a sum of directions at right angles. Bank and apple carry “asks”, words "
        "like river and account carry “tells”; W_Q turns asking into a query for telling "
        "(sharpness β = {beta:g}), and W_V fetches what is told."))
    yield Table(
        (Column(T("句子", "sentence")), Column(T("义项", "sense")),
         Column(T("多义词", "word")), Column(T("最看重", "looks at")),
         Column(T("权重", "weight"), ".3f")),
        [[r["text"], SENSE_NAMES[r["sense"]], r["word"], r["looks_at"], r["weight"]]
         for r in m["sentences"]])
    yield Table(
        (Column(T("多义词", "word")), Column(T("何时", "when")),
         Column(T("同义项，最低余弦", "same sense, lowest cosine"), ".3f"),
         Column(T("不同义项，最高余弦", "other sense, highest cosine"), ".3f")),
        [[word, name, cell[when]["within"], cell[when]["across"]]
         for word, cell in m["words"].items()
         for when, name in (("before", T("注意力之前", "before attention")),
                            ("after", T("一层注意力之后", "after one layer")))])


BY_HAND = Part(
    number=3, key="by_hand",
    title=T("一个词，两种上下文：手工权重", "One word, two contexts: weights set by hand"),
    compute=two_contexts, describe=show_contexts,
    params={"beta": Param(5.0, 0.0, 100.0, about=T("查询有多锐利", "how sharp the query is"))},
    controls={"blind": partial(two_contexts, blind=True),
              "asked_later": partial(two_contexts, later=True),
              "no_positions": partial(two_contexts, placed=False)},
    claims=(
        Claim("same_query", T(
            "加位置之前，第一层里同一个词的向量和查询在每句话里都一样：不同的数各有 "
            "{vector[differing]} 个和 {query[differing]} 个；换成随机抽的 W_Q 也是 "
            "{query[random_differing]} 个。",
            "Before positions a word's vector and its query in the first layer are the same in "
            "every sentence: {vector[differing]} and {query[differing]} numbers differ, and with "
            "a W_Q drawn at random {query[random_differing]}."),
            lambda m: 0.5 - max(m["vector"]["differing"], m["query"]["differing"],
                                m["query"]["random_differing"]),
            "asked_later"),
        Claim("parted", T(
            "一层注意力就能分开：bank 同义项的余弦最低 {words[bank][after][within]:.3f}，"
            "不同义项最高 {words[bank][after][across]:.3f}；apple 是 "
            "{words[apple][after][within]:.3f} 和 {words[apple][after][across]:.3f}。",
            "One layer of attention parts them: for bank the lowest cosine "
            "within a sense is {words[bank][after][within]:.3f}, the highest across "
            "{words[bank][after][across]:.3f}; for apple "
            "{words[apple][after][within]:.3f} and {words[apple][after][across]:.3f}."),
            lambda m: min(w["after"]["within"] - w["after"]["across"]
                          for w in m["words"].values()) - 1e-9,
            "blind"),
        Claim("place_is_not_sense", T(
            "加上位置编码，查询是会变，但认的是位置不是意思：义项不同、位置相同，不同的数有 "
            "{moved[same_place]} 个；位置不同，有 {moved[other_place]} 个。",
            "Add position codes and the query does change, but with the place, not the sense: two "
            "senses at the same place differ in {moved[same_place]} numbers, at other places in "
            "{moved[other_place]}."),
            lambda m: min(0.5 - m["moved"]["same_place"], m["moved"]["other_place"] - 0.5),
            "no_positions"),
    ),
    caveat=T(
        "权重和向量都是手工定的：这里只说明一层注意力“够用”，不说明训练真会这样做（那是第 4 "
        "部分）。",
        "Weights and vectors are set by hand: this shows that one layer is enough, not that "
        "training finds it (part 4 asks that)."),
    questions=(Question(
        T("river bank 和 bank account：第一层、还没加位置，两个 bank 的查询向量怎样？",
          "“River bank” and “bank account”: in the first layer, before positions, how do the "
          "query vectors of the two banks compare?"),
        (Option(T("不同：上下文不同", "different: the contexts are"),
                lambda m: m["query"]["differing"] - 0.5,
                T("以为查询已经知道上下文。查询只由这个词自己算出来，讲义也写错了。",
                  "thinks the query knows the context. It is computed from the word alone; the "
                  "notes have it wrong too.")),
         Option(T("逐位相同", "the same, bit for bit"),
                lambda m: 0.5 - max(m["query"]["differing"], m["query"]["random_differing"])),
         Option(T("方向相同，长度不同", "of one direction, of different length"),
                lambda m: min(m["query"]["differing"] - 0.5,
                              m["words"]["bank"]["before"]["across"] - 0.999),
                T("以为上下文像一个音量旋钮。第一层的查询里根本没有上下文。",
                  "thinks of context as a volume knob. There is no context in a first-layer "
                  "query at all.")),
         Option(T("只有权重设得好才相同", "the same only if the weights are set well"),
                lambda m: m["query"]["random_differing"] - 0.5,
                T("以为这是权重的本事。随便抽一个 W_Q，结果照样相同。",
                  "thinks it is the weights' doing. Any W_Q drawn at random gives the "
                  "same.")))),),
    pins={"sentences.*.weight": ARITHMETIC, "words.*": ARITHMETIC, "beta": ARITHMETIC,
          "moved.other_place": band(1, 1e6, "how many bits two positions share depends on "
                                            "the rounding of sines"),
          "*": COUNT},
    errata=ERRATA["by_hand"],
    notes=T(
        "约 6 分钟。先投票；讲义里的那段话会让很多人选“不同”。看完再问：那 bank "
        "的意思是什么时候进来的？"
        "（键和值来自别的词，取回来加到 bank 上；第二层的查询才知道上下文。）试试 --set 3.beta=0："
        "谁都看得一样多，主题词被虚词冲淡，屏幕会说“不成立”。",
        "About 6 minutes. Vote first; the passage in the notes makes many say “different”. Then "
        "ask: when does the meaning come in? (Keys and values come from the other words; what "
        "they bring is added to bank, so it is the second layer's query that knows.) Try "
        "--set 3.beta=0: with all looked at alike the plain words drown the one that tells, and "
        "the screen says DOES NOT HOLD."),
)

# --- 4. the same in a trained model ----------------------------------------------

PLACES = {"plain": (1, 3), "topic": (2, 4)}     # of "<doc> the river and boat bank"
SLOT = 5                                        # where the two-sense word stands
SITES = {"before": "0.in", "attended": "0.mid", "after": "0.out"}


def sentences_about(word: str) -> tuple[Array, Array]:
    """Every `<doc> the A and B word`, A and B of one sense: [24, 6], [24]."""
    col = {w: i for i, w in enumerate(SENSE_VOCABULARY)}
    rows = [([0, col["the"], col[a], col["and"], col[b], col[word]], s)
            for s, sense in enumerate(SENSE_WORDS[word])
            for a in SENSE_TOPICS[sense]
            for b in SENSE_TOPICS[sense] if a != b]
    return np.array([r for r, _ in rows]), np.array([s for _, s in rows])


def share_of_right(logits: Array, word: str, sense: Array) -> Array:
    """What the right topic gets of what both topics get: [n, V] -> [n]."""
    p = np.exp(logits - logits.max(axis=1, keepdims=True))      # [n, V]
    topics = [[SENSE_VOCABULARY.index(w) for w in SENSE_TOPICS[s]]
              for s in SENSE_WORDS[word]]
    two = np.stack([p[:, t].sum(axis=1) for t in topics], axis=1)   # [n, 2]
    return two[np.arange(len(two)), sense] / two.sum(axis=1)    # [n]


def read_senses(model: GPT, word: str, cut: str = "topic",
                late: bool = False) -> Metrics:
    """What the model makes of a word in 24 sentences, whole and cut."""
    ids, sense = sentences_about(word)                          # [24, 6]
    other = {"topic": "plain", "plain": "topic"}[cut]
    runs = {name: model.run(ids, patch, trace=True) for name, patch in (
        ("full", None),
        ("cut", combine([cut_edge(0, None, SLOT, k) for k in PLACES[cut]])),
        ("plain", combine([cut_edge(0, None, SLOT, k)
                           for k in PLACES[other]])))}
    at = {name: {when: run.trace[site][:, SLOT]                 # [24, d]
                 for when, site in SITES.items()}
          for name, run in runs.items()}
    share = {name: share_of_right(run.logits[:, SLOT], word, sense)
             for name, run in runs.items()}                     # each [24]
    full = runs["full"].trace
    q = full["0.q"][:, :, SLOT].reshape(len(ids), -1)           # [24, d]
    looked = full["0.weights"][:, :, SLOT].mean(axis=0)         # [h, T]
    found: Metrics = {
        "vector": {"differing": differing(
            at["full"]["attended" if late else "before"])},
        "query": {"differing": differing(
            at["full"]["attended"] if late else q)},
        "right": {n: int((s > 0.5).sum()) for n, s in share.items()},
        "share": {n: float(s.mean()) for n, s in share.items()},
        "cut_apart": float(np.ptp(at["cut"]["after"], axis=0).max()),
        "attention": looked}
    return found | {when: pairs(X, sense) for when, X in at["full"].items()}


def stands(entry: Metrics) -> bool:
    """Do the sentences of part 4 hold for one training?"""
    half = entry["sentences"] / 2
    return bool(entry["within"] > entry["across"]
                and entry["right"]["full"] > 1.8 * half
                and entry["right"]["plain"] > 1.8 * half
                and entry["right"]["cut"] < 1.2 * half)


def summary(model: GPT) -> Metrics:
    """What the record keeps of one training: both words together."""
    read = {word: read_senses(model, word) for word in SENSE_WORDS}
    return {"sentences": sum(len(sentences_about(w)[0]) for w in read),
            "within": min(r["attended"]["within"] for r in read.values()),
            "across": max(r["attended"]["across"] for r in read.values()),
            "right": {name: sum(r["right"][name] for r in read.values())
                      for name in ("full", "cut", "plain")}}


def make_record(seeds: Iterable[int] = range(5)) -> Metrics:
    """Remake demos/records/senses.json: 2 s of training a seed, cached."""
    recipe, entries, first = recipes.named("senses"), [], None
    for seed in seeds:
        found = model_cache.load(recipes.with_seed(recipe, seed), "cached")
        first = first or found
        raw = init_weights(recipe.config, seed)
        entries.append({"seed": seed,
                        "trained": summary(GPT(recipe.config, found)),
                        "untrained": summary(GPT(recipe.config, raw))})
    return {"schema": 1, "name": recipe.name,
            "recipe": recipes.description(recipe),
            "versions": first.meta["versions"] if first else {},
            "date": first.meta["date"] if first else "", "seeds": entries}


def two_senses(seed: int, trained: bool = True, cut: str = "topic",
               late: bool = False) -> Metrics:
    """The shipped model on every sentence; nothing is drawn."""
    recipe = recipes.named("senses")
    weights = (model_cache.load(recipe) if trained
               else init_weights(recipe.config))
    model = GPT(recipe.config, weights)
    record = records.read("senses")["seeds"]
    entries = [e["trained" if trained else "untrained"] for e in record]
    read = {word: read_senses(model, word, cut, late)
            for word in SENSE_WORDS}
    return {
        "sentences": len(sentences_about("bank")[0]),
        "sentences_read": recipe.training.steps * recipe.training.batch,
        "words": read,
        "columns": ["<doc>", "plain", "topic", "plain", "topic", "itself"],
        "record": {"seeds": len(entries),
                   "standing": sum(stands(e) for e in entries),
                   "lowest_within": min(e["within"] for e in entries),
                   "highest_across": max(e["across"] for e in entries)}}


COLUMN_NAMES = {"<doc>": "<doc>", "plain": T("虚词", "plain"), "topic": T("主题词", "topic"),
                "itself": T("自己", "itself")}


def show_senses(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一个很小的 GPT（一层、两个头），读过 {sentences_read:,d} 句程序造的句子："
        "先是主题词和虚词，"
        "接着 "
        "bank 或 apple，"
        "再接同一主题的词。要猜对后面，就得知道是哪个意思。下面每个词 {sentences} 句，"
        "句式都是 the river and boat bank，多义词总在同一个位置。",
        "A very small GPT (one layer, two heads) has read {sentences_read:,d} sentences made by a "
        "program: topic words and plain words, then bank or apple, then more words of the topic. "
        "To guess what follows it must know the sense. Below: {sentences} sentences a word, all "
        "like “the river and boat bank”, the word always at the same place."))
    yield Table(
        (Column(T("多义词", "word")), Column(T("何时", "when")),
         Column(T("同义项，最低余弦", "same sense, lowest cosine"), ".4f"),
         Column(T("不同义项，最高余弦", "other sense, highest cosine"), ".4f")),
        [[word, name, r[when]["within"], r[when]["across"]]
         for word, r in m["words"].items()
         for when, name in (("before", T("注意力之前", "before attention")),
                            ("attended", T("注意力之后", "after attention")),
                            ("after", T("整层之后", "after the whole layer")))])
    yield HeatMap(
        [row for r in m["words"].values() for row in r["attention"]],
        [T(f"{word}，{zh}", f"{word}, {en}") for word, r in m["words"].items()
         for (zh, en), _ in zip((("甲头", "head A"), ("乙头", "head B")), r["attention"],
                                strict=True)],
        [COLUMN_NAMES[c] for c in m["columns"]],
        title=T("多义词看谁：{sentences} 句的平均权重",
                "Whom the word looks at: mean weight over {sentences} sentences"))
    yield Table(
        (Column(T("多义词", "word")), Column(T("剪断谁", "what is cut")),
         Column(T("猜对义项的句数", "sentences with the right sense"), "d"),
         Column(T("对的义项占两者之和", "share of the right sense"), ".1%")),
        [[word, name, r["right"][how], r["share"][how]]
         for word, r in m["words"].items()
         for how, name in (("full", T("不剪", "nothing")),
                           ("cut", T("两个主题词", "the two topic words")),
                           ("plain", T("两个虚词", "the two plain words")))],
        title=T("剪断多义词看别人的边，再看它怎么猜下一个词",
                "Cut the word's edges to others, then see what it expects next"))


def _words(m: Metrics) -> list[Metrics]:
    return [m["words"][word] for word in SENSE_WORDS]


TRAINED = Part(
    number=4, key="trained",
    title=T("一个词，两种上下文：训练出来的", "One word, two contexts: trained"),
    compute=two_senses, describe=show_senses, recipes=("senses",),
    controls={"untrained": partial(two_senses, trained=False),
              "wrong_cut": partial(two_senses, cut="plain"),
              "asked_later": partial(two_senses, late=True)},
    claims=(
        Claim("same_before", T(
            "训练也改不了这一点：同一个位置上，bank 的向量和查询在 {sentences} 句里不同的数有 "
            "{words[bank][vector][differing]} 个和 {words[bank][query][differing]} 个，apple 有 "
            "{words[apple][vector][differing]} 个和 {words[apple][query][differing]} 个。",
            "Training does not change that: at the same place, over {sentences} sentences, "
            "{words[bank][vector][differing]} numbers of bank's vector and "
            "{words[bank][query][differing]} of its query differ, of apple's "
            "{words[apple][vector][differing]} and {words[apple][query][differing]}."),
            lambda m: 0.5 - max(max(r["vector"]["differing"], r["query"]["differing"])
                                for r in _words(m)),
            "asked_later"),
        Claim("parted", T(
            "注意力之后，意思分开了：bank 同义项的余弦最低 {words[bank][attended][within]:.4f}，"
            "不同义项最高 {words[bank][attended][across]:.4f}；apple 是 "
            "{words[apple][attended][within]:.4f} 和 {words[apple][attended][across]:.4f}。",
            "After attention the senses part: for bank the lowest cosine "
            "within a sense is {words[bank][attended][within]:.4f}, the highest across "
            "{words[bank][attended][across]:.4f}; for apple "
            "{words[apple][attended][within]:.4f} and {words[apple][attended][across]:.4f}."),
            lambda m: min(r["attended"]["within"] - r["attended"]["across"]
                          for r in _words(m)),
            "untrained"),
        Claim("cause", T(
            "是主题词带来的：bank 猜对 {words[bank][right][full]} 句；剪断它看两个主题词的边，只剩 "
            "{words[bank][right][cut]} 句，等于瞎猜；剪断同样多的虚词，还是 "
            "{words[bank][right][plain]} 句（apple：{words[apple][right][full]}、"
            "{words[apple][right][cut]}、{words[apple][right][plain]}）。",
            "The topic words bring it: the model has bank right in {words[bank][right][full]} "
            "sentences; "
            "with its edges to the two topic words cut in {words[bank][right][cut]}, a coin "
            "toss; with as many plain words cut in {words[bank][right][plain]} (apple: "
            "{words[apple][right][full]}, {words[apple][right][cut]}, "
            "{words[apple][right][plain]})."),
            lambda m: min(min(r["right"]["full"], r["right"]["plain"]) - 0.9 * m["sentences"]
                          for r in _words(m)) if all(
                abs(r["right"]["cut"] - m["sentences"] / 2) < 0.1 * m["sentences"]
                for r in _words(m)) else -1.0,
            "wrong_cut"),
        Claim("merged", T(
            "剪断两个主题词之后，各句里的 bank 又成了同一个向量：任意两句最多相差 "
            "{words[bank][cut_apart]:.1g}，apple 最多相差 {words[apple][cut_apart]:.1g}。",
            "With the two topic words cut, bank is one and the same vector again in every "
            "sentence: any two differ by {words[bank][cut_apart]:.1g} at most, apple by "
            "{words[apple][cut_apart]:.1g}."),
            lambda m: 1e-9 - max(r["cut_apart"] for r in _words(m)), "wrong_cut"),
        Claim("record", T(
            "不是碰巧（记录）：{record[seeds]} 个随机种子各训练一次，{record[standing]} "
            "次都分得开、"
            "一剪就糊涂；同义项余弦最低 {record[lowest_within]:.3f}，不同义项最高 "
            "{record[highest_across]:.3f}。",
            "Not by luck (recorded): of {record[seeds]} trainings from different seeds "
            "{record[standing]} part the senses and lose them to the cut; the lowest cosine "
            "within a sense is {record[lowest_within]:.3f}, the highest across "
            "{record[highest_across]:.3f}."),
            lambda m: min(m["record"]["standing"] - 0.8 * m["record"]["seeds"] + 0.5,
                          m["record"]["lowest_within"] - m["record"]["highest_across"]),
            "untrained"),
    ),
    caveat=T(
        "句子是程序造的：两个意思泾渭分明，主题词也都见过，真语言远没这么干净。权重大不等于原因，"
        "所以要剪；"
        "剪只说明这条边不能少，不说明边上传的是什么。余弦低也只说明向量不同，"
        "用没用上要看它猜的下一个词。",
        "The sentences are made by a program: two clean senses, topic words all seen in training; "
        "real language is not like that. A large weight is no cause, hence the cut; and a cut "
        "tells that the edge is needed, not what travels along it. A low cosine says that "
        "vectors differ; that the model uses it shows only in the next word."),
    questions=(Question(
        T("把训练好的模型里 bank 看前面两个主题词（如 river、boat）的边剪断，"
          "它还知道是哪个意思吗？",
          "In the trained model cut bank's edges to the two topic words before it (river, boat). "
          "Does it still know which sense is meant?"),
        (Option(T("知道：意思就存在 bank 的向量里", "yes: the sense is stored in bank's vector"),
                lambda m: min(r["right"]["cut"] for r in _words(m)) - 0.9 * m["sentences"],
                T("以为每个意思有自己的向量。表里 bank 只有一行。",
                  "thinks each sense has a vector of its own. The table has one row for bank.")),
         Option(T("不知道：等于瞎猜，剪虚词却没事",
                  "no: a coin toss, while cutting plain words does nothing"),
                lambda m: min(min(0.6 * m["sentences"] - r["right"]["cut"],
                                  r["right"]["plain"] - 0.9 * m["sentences"])
                              for r in _words(m))),
         Option(T("不知道，而且剪任何两个词都一样",
                  "no, and cutting any two words does the same"),
                lambda m: 0.6 * m["sentences"] - max(r["right"]["plain"] for r in _words(m)),
                T("以为少看几个词总会坏事。要看剪掉的是谁，所以总要有一个同样大小的对照。",
                  "thinks any loss of words hurts. It depends on which: a cut always needs "
                  "another of its size beside it.")),
         Option(T("总是猜反", "it always takes the other sense"),
                lambda m: 0.1 * m["sentences"] - max(r["right"]["cut"] for r in _words(m)),
                T("以为剪断等于反过来说。没有证据时，两种句子得到同样的猜测。",
                  "takes a cut for a contradiction. Without evidence both kinds of sentence get "
                  "the same guess.")))),),
    pins={"words.*.differing": COUNT, "words.*.right.*": COUNT, "words.*.cut_apart": ROUNDING,
          "words.*": close("float64 on shipped float32 weights", rtol=1e-6, atol=1e-8),
          "record.lowest_within": close("read from the record"),
          "record.highest_across": close("read from the record"), "*": COUNT},
    errata=ERRATA["trained"],
    notes=T(
        "约 6 分钟。与第 3 部分对照：手工设的，训练自己也找到了。重点在剪边的那张表："
        "先问“只看权重图，能下结论吗？”"
        "再给出对照。注意剪断后对错各半：模型对两种句子给的是同一个猜测，总有一边蒙对。",
        "About 6 minutes. Beside part 3: what was set by hand, training finds by itself. The "
        "table of cuts is the point: ask whether the map alone would do as proof, then show the "
        "comparison. After the cut half are right since both kinds of sentence get one and the "
        "same guess, which one side wins."),
)

PARTS = (ONE_HOT, COMPANY, BY_HAND, TRAINED)
