"""What the lecture notes say about tokens, beside what is counted."""

from __future__ import annotations

from lecture.report import Erratum, T

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "opener": (),
    "merges": (
        Erratum(
            "B-017", "measured",
            T("五个词里相邻对的次数：lo 2、ow 2、er 2（都算在 lower 里）、we 1",
              "pair counts of the five words: lo 2, ow 2, er 2 (both placed in lower), we 1"),
            T("lo、ow、we 各 3 次；er 2 次，一次在 lower，一次在 newer；ne、ew 各 2 次，es、"
              "st 各 1 次",
              "lo, ow and we 3 each; er 2, one in lower and one in newer; ne and ew 2 each, "
              "es and st 1 each"),
            metric="pairs.l+o", notes=2, within=0.5),
        Erratum(
            "B-018", "measured",
            T("把 lo 和 ow 这两对合成 low，算一次合并",
              "joins the two pairs lo and ow into low and calls it one merge"),
            T("两对共用一个 o，接起来是 loow。l+o 先成 lo，这时一个 ow 也不剩；"
              "low 要再合并一次：lo+w",
              "the two pairs share one o; put together they read loow. First l+o becomes lo, "
              "and then no ow is left; low takes a second merge, lo+w"),
            metric="after_first.o+w"),
        Erratum(
            "B-019", "measured",
            T("最后 low 一定在词表里（读下来像是两步之内）",
              "low ends up in the vocabulary, as if within two steps"),
            T("取决于平手规则：先出现的或字典序最小的先合并，第 2 步就有 low；最大的先合并，"
              "要到第 11 步。"
              "平手规则必须写明",
              "that depends on the tie rule: at merge 2 if the first seen or the smallest pair "
              "wins, only at merge 11 if the largest wins. The tie rule must be stated"),
            metric="low_at.largest"),
    ),
    "new_words": (
        Erratum(
            "B-023", "measured",
            T("lovable 切成 love + able", "lovable is cut into love + able"),
            T("love + able 拼出来是 loveable；lovable 是 lov + able。词干也不会自动露出来："
              "切法由合并的次数和顺序决定",
              "love + able spells loveable; lovable is lov + able. Nor does the stem show by "
              "itself: how it is cut depends on how many merges there are, and in which order"),
            metric="notes_cut"),
    ),
    "bytes": (),
}
