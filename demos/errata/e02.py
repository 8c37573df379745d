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
        T("同样的数乘同样的矩阵，结果只能一样：不同的数有 {query[differing]} 个。"
          "第一层里随句子变的只有别的词的键和值；要到注意力之后，bank 的向量才不同。"
          "（照原样抄下那几行会报 {snippet}：向量里写着省略号。）",
          "The same numbers times the same matrix can only give the same: {query[differing]} "
          "numbers differ. In the first layer only the keys and values of the other words "
          "change with the sentence; bank itself differs after attention. (As typed the lines "
          "raise {snippet}: the vector holds an ellipsis.)"),
        metric="query.differing"),
)

TRAINED = (
    Erratum(
        "B-027", "measured",
        T("词嵌入能体现语境：水果的 apple 和公司的 Apple 因上下文不同而不同。",
          "A word embedding captures context: Apple the firm and apple the fruit differ because "
          "they keep different company."),
        T("一个词元在表里只有一行，放进哪句话都是这一行：不同的数有 "
          "{words[apple][vector][differing]} 个。随语境变的是注意力之后的状态。"
          "（“苹果”和“Apple”写法不同，本来就是两行。）",
          "A token has one row of the table, and that row is what every sentence gets: "
          "{words[apple][vector][differing]} numbers differ. What depends on context is the "
          "state after attention. ('苹果' and Apple are spelled differently: two rows to "
          "begin with.)"),
        metric="words.apple.vector.differing"),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "one_hot": (), "company": (), "by_hand": BY_HAND, "trained": TRAINED,
}
