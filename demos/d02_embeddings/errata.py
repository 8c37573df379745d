"""Demo 02: what the lecture notes say, beside what its parts measure.

Rows A are the notes on architecture, rows B the notes on theory. `says` tells the
notes' statement in our words.
"""

from lecture.report import Erratum, T

BY_HAND = (
    Erratum(
        "A-018", "measured",
        T("同一个 bank 乘同一个 W_Q，在河边的句子里得到偏地理的查询，"
          "在账户的句子里得到偏金融的查询。",
          "The same bank times the same W_Q gives a query about geography in the river sentence "
          "and one about finance in the account sentence."),
        T("右边的权重和取回的内容确实随句子变，可第一层的查询不变：同样的数乘同样的矩阵，"
          "{query[numbers]} 个数里不同的有 {query[differing]} 个。要到第二层，查询才随上下文变。",
          "Right of the weights and of what is fetched; the query of the first layer is not: the "
          "same numbers times the same matrix, and of {query[numbers]} numbers {query[differing]} "
          "differ. Only from the second layer on does a query depend on the context."),
        metric="query.differing", where="000:198-213", verdict="wrong"),
)

TRAINED = (
    Erratum(
        "B-027", "measured",
        T("词嵌入能体现语境：水果的 apple 和公司的 Apple 因上下文不同而不同。",
          "A word embedding captures context: Apple the firm and apple the fruit differ because "
          "they keep different company."),
        T("若指注意力之后的向量，就是对的：不同义项的余弦最高 "
          "{words[apple][attended][across]:.3f}。若指嵌入表，一个词元只有一行，"
          "放进哪句话都是这一行：余弦 {words[apple][before][across]:.3f}。"
          "（“苹果”和“Apple”写法不同，本来就是两行。）",
          "Right if the vector after attention is meant: across senses the cosine is at most "
          "{words[apple][attended][across]:.3f}. In the embedding table a token has one row, and "
          "that is what every sentence gets: cosine {words[apple][before][across]:.3f}. ('苹果' "
          "and Apple are spelled differently: two rows to begin with.)"),
        metric="words.apple.before.across", where="002:176-184", verdict="imprecise"),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "one_hot": (), "company": (), "by_hand": BY_HAND, "trained": TRAINED,
}
