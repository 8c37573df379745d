"""05.1 Three roles: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d05_qkv.errata import ERRATA
from demos.d05_qkv.lesson import ROLES_CONTROLS, share_query_key
from lecture.margins import above, at_least, at_most, below, both, equal, every, near
from lecture.quantities import Group, Maps, Named, Rows
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
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

QUANTITIES = {
    "library.moved.*.weights": Quantity(T("权重最多变", "weights move by"), ".2f"),
    "library.moved.*.output": Quantity(T("取回的最多变", "returned moves by"), ".2f"),
    "library.weights.*": Quantity(T("权重", "weight"), ".3f"),
    "library.output.*": Quantity(T("取回", "returned"), ".1f"),
    "library.*": Quantity(T("数", "number"), "g"),
    "lists.*.itself": Quantity(T("自己", "itself"), "d"),
    "lists.*.synonym": Quantity(T("近义词", "synonym"), "d"),
    "lists.*.other": Quantity(T("别的词", "another"), "d"),
    "lists.*.longer": Quantity(T("更长的词", "longer one"), "d"),
    "drawn.*.asymmetry": Quantity(T("S 与转置之差", "S less its transpose"), ".1f<1e-12"),
    "drawn.*.query_spread": Quantity(T("查询的标准差", "spread of queries"), ".2f"),
    "drawn.*.self_wins": Quantity(T("最看重自己", "self wins"), "d"),
    "drawn.*.self_weight": Quantity(T("给自己", "self weight"), ".3f"),
    "drawn.*.near_found": Quantity(T("找到原词", "word found"), "d"),
    "scores.shared": Quantity(T("同一个矩阵", "one matrix"), ".1f"),
    "scores.apart": Quantity(T("两个矩阵", "two matrices"), ".1f"),
    "words": Quantity(T("词", "words"), "d"), "width": Quantity(T("宽", "width"), "d"),
    "head": Quantity(T("头宽", "head"), "d"), "like": Quantity(T("余弦", "cosine"), "g"),
    "shortest": Quantity(T("最短", "shortest"), "g"),
    "longest": Quantity(T("最长", "longest"), "g"),
}
NAMES = {
    "library.moved.query": T("查询：换一个需求", "query: another wish"),
    "library.moved.key": T("键：换入门书的标签", "key: another label"),
    "library.moved.value": T("值：改写入门书的内容", "value: another text"),
    "lists.plain": T("随机的词，差不多长", "drawn, nearly one length"),
    "lists.synonyms": T("每个词有一个近义词", "each has a synonym"),
    "lists.lengths": T("长短不一", "lengths differ"),
    "lists.both": T("有近义词，长短不一", "synonyms, and lengths differ"),
    "drawn.shared.default": T("同一个矩阵，默认大小", "one matrix, default size"),
    "drawn.shared.unit": T("同一个矩阵，单位方差", "one matrix, unit variance"),
    "drawn.apart.default": T("两个矩阵，默认大小", "two matrices, default size"),
    "drawn.apart.unit": T("两个矩阵，单位方差", "two matrices, unit variance"),
}
LEAD = (
    Paragraph(T(
        "图书馆：想要的是查询 q，书脊的标签是键 k，书里的内容是值 v。演示 04 的公式不变：拿 q 比 "
        "k，"
        "按权重取 v。例：q = ({library.wanted.0},{library.wanted.1},{library.wanted.2})，入门书的 "
        "k = ({library.labels.0.0},{library.labels.0.1},{library.labels.0.2})，q·k = "
        "{library.scores.0}；编程书 {library.scores.1}，诗选 {library.scores.2}。除以 √3，取 "
        "softmax：权重 {library.weights.0}、{library.weights.1}、{library.weights.2}。",
        "A library: your wish is the query q, the label on a spine is the key k, what is inside "
        "is the value v. The rule is that of 04: compare q with k, take v by weight. Example: "
        "q = ({library.wanted.0},{library.wanted.1},{library.wanted.2}), the course book has "
        "k = ({library.labels.0.0},{library.labels.0.1},{library.labels.0.2}), q·k = "
        "{library.scores.0}; the Python book {library.scores.1}, the poems {library.scores.2}. "
        "Over √3, softmax: weights {library.weights.0}, {library.weights.1}, "
        "{library.weights.2}.")),
    Paragraph(T(
        "在模型里，三样都从同一个词 x 算出：q = x W_Q，k = x W_K，v = x W_V。下面的词和矩阵都随机"
        "抽："
        "{words} 个词，每个 {width} 个数，乘成 {head} 个。",
        "In a model all three come from one word x: q = x W_Q, k = x W_K, v = x W_V. Below, words "
        "and matrices are drawn: {words} words of {width} numbers, made into {head}.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("library.moved.*", ("weights", "output"), head=T("图书馆：只换", "library: change"))
    each = ("itself", "synonym", "other")
    yield Rows("lists.*", (
        Group(T("W_Q = W_K，最看重", "W_Q = W_K, most at"),
              tuple(f"shared.{leaf}" for leaf in each)),
        Group(T("两个矩阵，最看重", "two matrices, most at"),
              tuple(f"apart.{leaf}" for leaf in each))),
        head=T("词表", "list"),
        title=T(
            "{words} 个词里，几个最看重自己、近义词、别的词",
            "Of {words} words, how many look most at themselves, and at others"),
        legend=T("近义词：余弦 {like}。长短：{shortest} 到 {longest} 倍。",
                 "Synonym: cosine {like}. Lengths: times {shortest} to {longest}."))
    yield Rows(("drawn.shared.*", "drawn.apart.*"),
               ("asymmetry", "query_spread", "self_wins", "self_weight", "near_found"),
               head=T("第一行的词", "words of row one"), more=True,
               legend=T("默认：nn.Linear 的初始化；单位方差：放大到查询的标准差是 1。找到原词：拿"
                        "词表"
                        "里没有的近义词去问，{words} 次里几次指向原词。",
                        "Default: as nn.Linear starts; unit variance: scaled until a query has a "
                        "spread of 1. Word found: asked with a synonym that is not in the list, "
                        "how often of {words} the word itself is found."))
    yield Maps(("scores.shared", "scores.apart"), "labels", "labels", low=-4.0, high=10.0,
               title=T("五个词的分数 S = Q K^T / √d", "Scores S = Q K^T / √d of five words"),
               more=True)


PART = Part(
    number=1, key="roles",
    title=T("三个角色", "Three roles"),
    compute=share_query_key, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"words": Param(256, 16, 512, about=T("有多少个词", "how many words"))},
    controls=ROLES_CONTROLS,
    claims=(
        Claim("three_roles", T(
            "键决定看谁，值决定取回什么：改写书的内容，权重不变（"
            "{library.moved.value.weights:g}），取"
            "回"
            "的却变了 {library.moved.value.output}。",
            "The key decides who is looked at, the value what comes back: rewrite the book, and "
            "the weights stay ({library.moved.value.weights:g}), yet what is returned moves by "
            "{library.moved.value.output}."),
            lambda m: both(below(m.library.moved.value.weights, 1e-300),
                           above(m.library.moved.value.output, 0.1),
                           above(m.library.moved.key.weights, 0.1)),
            "labels_are_contents", kind="example"),
        Claim("symmetric", T(
            "W_Q = W_K 时 S(a,b) = S(b,a)：S 与转置之差 {drawn.shared.unit.asymmetry}，分开后有 "
            "{drawn.apart.unit.asymmetry}。",
            "With W_Q = W_K, S(a,b) = S(b,a): S differs from its transpose by "
            "{drawn.shared.unit.asymmetry}; with two matrices by "
            "{drawn.apart.unit.asymmetry}."),
            lambda m: both(below(m.drawn.shared.unit.asymmetry, 1e-10),
                           above(m.drawn.apart.unit.asymmetry, 1)),
            "never_shared", kind="identity"),
        Claim("longer_synonym", T(
            "有近义词、又长短不一，就只剩 {lists.both.shared.itself} 个最看重自己；另外 "
            "{lists.both.shared.longer} 个全都最看重一个更长的词，因为点积也算长度。",
            "With synonyms in the list and lengths that differ, {lists.both.shared.itself} "
            "look most at themselves; the other {lists.both.shared.longer} all look most at a "
            "longer word, since a dot product counts length too."),
            lambda m: both(above(0.8 * m.words, m.lists.both.shared.itself),
                           equal(m.lists.both.shared.longer, m.words - m.lists.both.shared.itself),
                           at_least(m.lists.both.shared.longer, 1)),
            "even_lengths"),
        Claim("size_decides_how_much", T(
            "排第一，不等于分得多：单位方差时一个词平均给自己 {drawn.shared.unit.self_weight:.1%}，"
            "默认大小时只有 {drawn.shared.default.self_weight:.1%}。",
            "To come first is not to get much: at unit variance a word gives itself "
            "{drawn.shared.unit.self_weight:.1%} on average, at the default size "
            "{drawn.shared.default.self_weight:.1%}."),
            lambda m: above(m.drawn.shared.unit.self_weight,
                            2 * m.drawn.shared.default.self_weight),
            "one_size", more=True),
        Claim("not_exact_match", T(
            "共用矩阵也不是“只认原词”：拿词表里没有的近义词（余弦 {like}）去问，{words} 次里 "
            "{drawn.shared.unit.near_found} 次找到原词；两个矩阵只有 {drawn.apart.unit.near_found} "
            "次。",
            "Nor does sharing mean exact match only: asked with a synonym that is not in the list "
            "(cosine {like}), {drawn.shared.unit.near_found} of {words} find the word; with two "
            "matrices {drawn.apart.unit.near_found}."),
            lambda m: both(near(m.like, 0.8, 0.01),
                           at_least(m.drawn.shared.unit.near_found, 0.95 * m.words),
                           at_most(m.drawn.apart.unit.near_found, 0.3 * m.words)),
            "never_shared", given=("words",), more=True),
    ),
    caveat=T("矩阵没有训练，词没有词义；训练以后怎样，看第 2 部分。",
             "Nothing is trained and no word means anything; training is part 2."),
    further=T("图书馆的向量是手写的比喻。", "The library's vectors are a picture, set by hand."),
    questions=(Question(
        T(
            "查询和键共用一个矩阵（W_Q = W_K）。{words} 个词，差不多长，每个都有近义词。多数词最"
            "看重谁？",
            "Query and key share one matrix (W_Q = W_K). {words} words of nearly one length, "
            "each with its synonym: most look at"),
        (Option(T("近义词", "the synonym"),
                lambda m: above(m.lists.synonyms.shared.synonym, 0.5 * m.words),
                T("近义词的分数的确高，但差不多长时很少赢过自己；更长的就可能赢。",
                  "a synonym does score high, but of nearly the same length it hardly ever beats "
                  "the word itself; a longer one can.")),
         Option(T("它自己", "themselves"),
                lambda m: above(m.lists.synonyms.shared.itself, 0.5 * m.words)),
         Option(T("碰巧像的词", "a chance likeness"),
                lambda m: above(m.lists.synonyms.shared.other, 0.5 * m.words),
                T("两个矩阵、没有训练时是这样；共用，本身就是偏好。",
                  "so it is with two untrained matrices; sharing is a preference.")),
         Option(T("大家一样多", "all alike"),
                lambda m: below(m.drawn.shared.unit.self_weight, 2 * m.chance),
                T("以为没训练就是平均。分数有高低，权重就不平均。",
                  "expects an even spread before training. Scores differ, so weights do."))),
        answer=Claim("itself_first", T(
            "{words} 个词里 {lists.synonyms.shared.itself} 个最看重自己，没有近义词时 "
            "{lists.plain.shared.itself} 个；两个矩阵只有 {lists.synonyms.apart.itself} 个。",
            "{lists.synonyms.shared.itself} of {words} look most at themselves, without "
            "synonyms {lists.plain.shared.itself}; with two matrices "
            "{lists.synonyms.apart.itself}."),
            lambda m: both(every(at_least(m.lists[kind].shared.itself, 0.8 * m.words)
                                 for kind in ("plain", "synonyms")),
                           at_most(m.lists.synonyms.apart.itself, 0.3 * m.words)),
            "never_shared", given=("words",))),),
    pins={"labels.*": exact("names"), "*.self_wins": exact("a count"),
          "*.near_found": exact("a count"), "lists.*": exact("counts"),
          "library.moved.value.weights": exact("a true zero"),
          "drawn.shared.*.asymmetry": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["roles"],
    notes=T(
        "约 7 分钟。先用图书馆：让学生猜，改写内容会不会改变“看谁”。再投票。争论点：近义词会不会抢"
        "走"
        "第一？（一样长时几乎不会，长的会。）共用的代价是对称：“它”要看“猫”，“猫”就得同样看“它”。"
        "试试 "
        "--set 1.words=16：词少了，给自己的权重变大，名次不变；还有 --seed 1。",
        "About 7 minutes. The library first: does another content change who is looked at? Then "
        "the vote. The argument: can a synonym take the first place? (Hardly at one length; a "
        "longer one does.) The price of sharing is symmetry: if “it” is to look at “cat”, “cat” "
        "must score “it” as high. Try --set 1.words=16: with fewer words the weight on oneself "
        "grows, the order stays; and --seed 1."),
)
