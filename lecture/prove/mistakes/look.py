"""What goes wrong in softmax, the causal mask and attention?"""

from __future__ import annotations

from lecture.prove.mistakes.bank import wrong

SOFTMAX = '''
def _softmax(x):
    top = x.max(axis=-1, keepdims=True)
    top = np.where(np.isinf(top), 0.0, top)
    e = np.exp(x - top)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1.0, total)
'''
RIGHT = {
    "softmax": SOFTMAX.replace("_softmax", "softmax"),
    "causal_mask": '''
def causal_mask(T, S=None, offset=None):
    S = T if S is None else S
    offset = S - T if offset is None else offset
    return np.arange(S) <= np.arange(T)[:, None] + offset
''',
    "attention": SOFTMAX + '''
def attention(Q, K, V, scale=True, mask=None):
    S = Q @ K.swapaxes(-1, -2)
    if scale:
        S = S / np.sqrt(Q.shape[-1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    W = _softmax(S)
    return W @ V, W
''',
}
TOP = "    top = np.where(np.isinf(top), 0.0, top)\n"
NO_GUARD = (TOP, "", "np.where(total == 0, 1.0, total)", "total")
DIVIDED = "np.sqrt(Q.shape[-1])"

MISTAKES = (
    wrong("softmax", "no_maximum", "04.1", "没有先减去最大值", "no maximum is subtracted",
          "np.exp(x - top)", "np.exp(x)"),
    wrong("softmax", "along_queries", "04.1", "沿列（查询）归一，不是沿行（键）",
          "along the queries: columns sum to 1, not rows", "axis=-1", "axis=0"),
    wrong("softmax", "one_maximum", "04.1", "所有行共用一个最大值", "one maximum for all rows",
          "x.max(axis=-1, keepdims=True)", "x.max(keepdims=True)"),
    wrong("softmax", "one_sum", "04.1", "除以所有行的总和", "divided by the sum of all rows",
          "e.sum(axis=-1, keepdims=True)", "e.sum()"),
    wrong("softmax", "nan", "06.2", "一行全是 -inf 时得到 NaN", "a row of -inf becomes NaN",
          *NO_GUARD),
    wrong("softmax", "base_two", "04.1", "用了 2 的幂，不是 e 的幂", "powers of 2, not of e",
          "np.exp(x", "np.exp2(x"),
    wrong("softmax", "in_place", "04.1", "就地改动了传进来的分数",
          "the scores are changed in place",
          "    e = np.exp(x - top)", "    x -= top\n    e = np.exp(x)"),
    wrong("softmax", "no_sum", "04.1", "没有除以合计", "never divided by the sum",
          "return e / np.where(total == 0, 1.0, total)", "return e"),
    wrong("softmax", "epsilon", "04.1", "合计里加了 1e-6：权重不足 1",
          "1e-6 added to the sum: weights fall short of 1",
          "np.where(total == 0, 1.0, total)", "(total + 1e-6)"),
    wrong("causal_mask", "inverted", "04.3", "掩码反了：True 是不许看的",
          "inverted: True where it may not look", "<=", ">"),
    wrong("causal_mask", "strict", "04.3", "差一：连自己也不许看", "off by one: not even itself",
          "<=", "<"),
    wrong("causal_mask", "next", "04.3", "差一：看得见下一个词",
          "off by one: the next word is seen",
          "+ offset\n", "+ offset + 1\n"),
    wrong("causal_mask", "from_zero", "11.5", "有缓存时仍从位置 0 数起",
          "with a cache the new words are still counted from place 0",
          "S - T if offset is None", "0 if offset is None"),
    wrong("causal_mask", "future", "04.3", "转了方向：看自己和右边",
          "turned round: itself and the right",
          "<=", ">="),
    wrong("attention", "by_d", "04.2", "除以 d，不是 √d", "divided by d, not by √d",
          DIVIDED, "Q.shape[-1]"),
    wrong("attention", "by_value_width", "04.2", "除以 √(值的宽度)",
          "divided by √ of the value's width",
          DIVIDED, "np.sqrt(V.shape[-1])"),
    wrong("attention", "by_64", "04.2", "把 √64 写死了", "√64 is written in", DIVIDED, "8.0"),
    wrong("attention", "by_keys", "04.2", "除以 √(键的个数)", "divided by √ of the number of keys",
          DIVIDED, "np.sqrt(K.shape[-2])"),
    wrong("attention", "undivided", "04.2", "从来不除以 √d", "never divided by √d",
          "if scale:", "if False:"),
    wrong("attention", "always_divided", "04.2", "scale=False 时也除了",
          "divided even where scale is False", "if scale:", "if True:"),
    wrong("attention", "multiplied", "04.2", "乘了 √d，不是除", "multiplied by √d", "S / np",
          "S * np"),
    wrong("attention", "along_queries", "04.3", "softmax 沿查询那一轴",
          "softmax along the queries", "_softmax(S)\n",
          "_softmax(S.swapaxes(-1, -2)).swapaxes(-1, -2)\n"),
    wrong("attention", "mask_inverted", "06.1", "掩码反着用：True 的被挡住",
          "the mask is inverted: True is hidden", "np.where(mask,", "np.where(~mask,"),
    wrong("attention", "mask_after", "06.1", "softmax 之后才乘掩码：一行不到 1",
          "the mask after softmax: rows sum to less than 1", "np.where(mask, S, -np.inf)", "S",
          "W = _softmax(S)", "W = _softmax(S) if mask is None else _softmax(S) * mask"),
    wrong("attention", "minus_20", "06.2", "用 -20 当掩码：挡不住大的分数",
          "-20 as the mask: a large score is not hidden", "-np.inf)\n", "-20.0)\n"),
    wrong("attention", "minus_20_added", "06.2", "加 -20 当掩码：大的分数照样进来",
          "-20 is added as the mask: a large score still comes through",
          "np.where(mask, S, -np.inf)", "S + np.where(mask, 0.0, -20.0)"),
    wrong("attention", "minus_billion", "06.2", "用 -1e9 当掩码：谁都不许看的一行变成平均",
          "-1e9 as the mask: a row that sees nobody looks at all alike", "-np.inf)\n", "-1e9)\n"),
    wrong("attention", "zero_mask", "06.1", "把分数改成 0 当掩码：e^0 还是 1",
          "scores set to 0 as the mask: e^0 is still 1", "-np.inf)\n", "0.0)\n"),
    wrong("attention", "mask_ignored", "06.1", "没有用掩码", "the mask is not used",
          "np.where(mask, S, -np.inf)", "S"),
    wrong("attention", "nan", "06.2", "谁都不许看的一行得到 NaN",
          "a row that sees nobody becomes NaN",
          *NO_GUARD),
    wrong("attention", "k_and_v", "05.1", "键和值对调了", "keys and values are exchanged",
          "Q @ K", "Q @ V", "W @ V, W", "W @ K, W"),
    wrong("attention", "keys_fetched", "05.1", "取回的是键，不是值", "keys are fetched, not values",
          "W @ V, W", "W @ K, W"),
    wrong("attention", "queries_fetched", "05.1", "拿键当查询、查询当键（得到转置）",
          "queries and keys exchanged: the weights come out turned",
          "Q @ K.swapaxes(-1, -2)", "K @ Q.swapaxes(-1, -2)"),
    wrong("attention", "scores_returned", "04.1", "返回的是分数，不是权重",
          "scores are returned, not weights", "W @ V, W", "W @ V, S"),
    wrong("attention", "in_place", "05.3", "就地改动了查询", "the query is changed in place",
          "    S = Q @ K.swapaxes(-1, -2)\n    if scale:\n        S = S / np.sqrt(Q.shape[-1])\n",
          "    if scale:\n        Q /= np.sqrt(Q.shape[-1])\n    S = Q @ K.swapaxes(-1, -2)\n"),
    wrong("attention", "all_axes_turned", "05.3", "K.T 把批和头的轴也转了",
          "K.T turns the axes of batch and heads as well", "K.swapaxes(-1, -2)", "K.T"),
    wrong("attention", "no_maximum", "04.1", "softmax 没有先减去最大值",
          "softmax without the maximum subtracted", "np.exp(x - top)", "np.exp(x)"),
    wrong("attention", "no_exponential", "04.1", "分数除以合计，没有取指数",
          "scores over their sum, no exponential", "np.exp(x - top)",
          "np.where(np.isinf(x), 0.0, x)"),
)
