"""What the lecture notes say about tokens, beside what is counted."""

from __future__ import annotations

from lecture.report import Erratum, T

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "opener": (),
    "merges": (
        Erratum(
            "B-017", "measured",
            T("五个词里 lo、ow 各 {notes:g} 次，两个 er 都在 lower 里，we 只有一次",
              "in the five words lo and ow occur {notes:g} times each, both er are in lower, we "
              "occurs once"),
            T("lo、ow、we 各 {pairs.l+o} 次；er {pairs.e+r} 次不错，但一次在 lower，一次在 newer；"
              "此外 ne、ew 各 {pairs.n+e} 次，es、st 各 {pairs.e+s} 次",
              "lo, ow and we {pairs.l+o} each; er {pairs.e+r} is right, but one is in lower and "
              "one in newer; besides these ne and ew {pairs.n+e} each, es and st {pairs.e+s} "
              "each"),
            metric="pairs.l+o", notes=2, where="002:133-137", verdict="wrong"),
        Erratum(
            "B-018", "measured",
            T("把 lo 和 ow 这两对合成 low，算一次合并",
              "joins the two pairs lo and ow into low and calls it one merge"),
            T("若指两步的结果，low 没错；但 lo 和 ow 共用一个 o，一次合并只合相邻的两个符号："
              "l+o 成了 lo，ow 就剩 {after_first.o+w} 次，要再合并 lo+w",
              "right if the outcome of two steps is meant; but lo and ow share one o, and a merge "
              "joins two neighbouring symbols: after l+o is lo, ow is left {after_first.o+w} "
              "times, and it takes another merge, lo+w"),
            metric="after_first.o+w", where="002:140", verdict="wrong"),
        Erratum(
            "B-019", "measured",
            T("最后 low 就在词表里了", "low ends up in the vocabulary"),
            T("合到底，或同频时先合并先出现的、最小的，都对。若先合并字典序最大的，第 "
              "{rules.largest.low_at} 次才合成 low，那一对只有 {rules.largest.low_count} 次；"
              "只出现一次的对不合并的话，它不在词表里。两条规则都要写明",
              "right where joining goes on to the end, or where ties go to the first seen or the "
              "smallest pair. If the largest wins, low is made at merge {rules.largest.low_at}, of "
              "a pair counted {rules.largest.low_count}; where a pair "
              "seen only once is never joined, it is no token. Both rules must be stated"),
            metric="rules.largest.low_at", where="002:144", verdict="imprecise"),
    ),
    "new_words": (
        Erratum(
            "B-023", "measured",
            T("lovable 切成 love + able", "lovable is cut into love + able"),
            T("作为构词法没错（love 去 e 加 able）；作为切法不行：两块接起来是 {notes_cut}。"
              "这里合并 {merges} 次后切成 {cut}",
              "right as word formation (love drops its e before able); not as a cut: the two "
              "pieces joined spell {notes_cut}. After {merges} merges it is cut into {cut} here"),
            metric="notes_cut", where="002:154", verdict="wrong"),
    ),
    "bytes": (),
}
