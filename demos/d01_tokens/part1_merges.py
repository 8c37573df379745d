"""01.1 BPE, merge by merge: what a person meets.

Longer than 250 lines because four rules for ties and the merges without a border stand here.
"""

from __future__ import annotations

from collections.abc import Iterator

from demos.d01_tokens.errata import ERRATA
from demos.d01_tokens.lesson import MERGES_CONTROLS, merge_by_merge
from demos.d01_tokens.words import COUNTED, RATIO
from lecture.margins import (
    above,
    at_least,
    at_most,
    below,
    both,
    equal,
    every,
    near,
    rows,
    word,
)
from lecture.quantities import Across, Group, Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
)

FIRST = 6                               # merges of each rule in the first view
QUANTITIES = {
    "pairs.*": Quantity(T("合并前", "at first"), "d"),
    "after_first.*": Quantity(T("l+o 合并后", "after l+o"), "d"),
    **{f"rules.*.steps.{i}.piece": Quantity(T(str(i + 1), str(i + 1))) for i in range(FIRST)},
    "rules.*.steps.*.piece": Quantity(T("新符号", "new symbol")),
    "rules.*.steps.*.count": Quantity(T("次数", "count"), "d"),
    "rules.*.steps.*.left": Quantity(T("剩下的符号", "symbols left"), "d"),
    "rules.*.low_at": Quantity(T("合到底", "to the end"), "d"),
    "rules.*.low_twice": Quantity(T("不合并只出现一次的", "no pair seen once"), "d"),
    "rules.*.turned_low_at": Quantity(T("倒过来", "turned"), "d"),
    "rules.*.low_count": Quantity(T("次数", "count"), "d"),
    "runs.usable.*": Quantity(T("能用的次数", "usable"), "d"),
    "runs.overlapping.*": Quantity(T("重叠也算", "with overlaps"), "d"),
    "runs.merge.*": Quantity(T("次数", "count"), "d"),
    "wordpiece.score": Quantity(T("得分", "score"), ".2f"),
    "wordpiece.most_score": Quantity(T("得分", "score"), ".2f"),
    "wordpiece.*": Quantity(T("次数", "count"), "d"),
    "text.kinds.*.different": Quantity(T("不同的词", "different words"), ",d"),
    "text.kinds.*.after": Quantity(T("合并后的符号", "symbols left"), ",d"),
    "text.kinds.*.share": Quantity(T("剩下", "share left"), ".0%"),
    "text.words": Quantity(T("词", "words"), ",d"),
    "text.merges": Quantity(T("合并", "merges"), ",d"),
    "border.*.share": Quantity(T("新文本每个字符几个符号", "symbols a character of new text"),
                               ".3f"),
    "border.*.across": Quantity(T("跨空格的新符号", "new symbols across a blank"), "d"),
    "border.*.several": Quantity(T("切法不止一种的词", "words cut in several ways"), "d"),
    "border.*.types": Quantity(T("不同的词", "different words"), ",d"),
    "border.*.pieces": Quantity(T("例", "such as")),
    "symbols": Quantity(T("字符", "characters"), "d"), "total": Quantity(T("对", "pairs"), "d"),
    "base_size": Quantity(T("种", "kinds"), "d"),
}
PAIRS = ("l+o", "o+w", "w+e", "e+r", "n+e", "e+w", "e+s", "s+t", "lo+w")
NAMES = {
    **{f"pairs.{pair}": T(pair, pair) for pair in PAIRS},
    "rules.first": T("先出现的", "first seen"),
    "rules.smallest": T("字典序最小的", "smallest"),
    "rules.largest": T("字典序最大的", "largest"),
    "rules.oldest": T("编号最小的", "lowest ids"),
    **{f"runs.usable.{pair}": T(pair, pair) for pair in ("a+a", "a+b", "b+a")},
    "text.kinds.real": T("英文", "English"),
    "text.kinds.once": T("每个词固定打乱一次", "each word shuffled one way"),
    "text.kinds.anew": T("每次出现都重新打乱", "shuffled anew each time"),
    "text.kinds.uniform": T("字母全部等概率另抽", "all letters drawn evenly"),
    "border.blank": T("空格是边界", "blank as a border"),
    "border.none": T("只在句号处断开", "full stops only"),
}
LEAD = (
    Paragraph(T(
        "规则  (1) 每个词拆成单个符号。(2) 数每一对相邻符号一共出现几次。(3) 次数最多的一对处"
        "处换成一个新符号，记下来，回到 (2)。合够了次数，或再没有相邻的对，就停。\n"
        "例  low lower new lowest newer：{symbols} 个字符，{base_size} 种，{total} 对。先合并 "
        "l+o：",
        "The rule: (1) split every word into single symbols; (2) count every pair of neighbours; "
        "(3) replace the most frequent pair everywhere by one new symbol, note it, go to (2). "
        "Stop after so many merges, or when no pair is left.\n"
        "Example: low lower new lowest newer, {symbols} characters of {base_size} kinds, {total} "
        "pairs. Join l+o:")),
    Across(("pairs", "after_first"), PAIRS, rule=False),
)


def blocks(m: Metrics) -> Iterator[Named | Paragraph]:
    yield Rows(
        "rules.*", (Group(T("前六次合并", "the first six merges"),
                          tuple(f"steps.{i}.piece" for i in range(FIRST))),
                    Group(T("low 在第几次", "low made at merge"), ("low_at", "low_twice"))),
        head=T("同频时先合并", "on a tie, first"))
    yield Rows("text.kinds.*", ("different", "after", "share"),
               head=T("{text.words:,} 个词，{text.merges:,} 次合并",
                      "{text.words:,} words, {text.merges:,} merges"))
    for rule, title in (("smallest", T("同频时字典序最小的先：每一次合并",
                                       "Ties to the smallest: every merge")),
                        ("largest", T("同频时字典序最大的先：每一次合并",
                                      "Ties to the largest: every merge"))):
        yield Rows(f"rules.{rule}.steps.*", ("count", "left"), label="piece",
                   head=T("新符号", "new symbol"), title=title, more=True)
    yield Across(("runs.usable", "runs.overlapping"), ("a+a", "a+b", "b+a"),
                 head=T("{runs.text}", "{runs.text}"), more=True,
                 title=T("连着三个 a，只能合并一次", "A run of three a is one merge only"))
    yield Rows("border.*", ("share", "across", "pieces", "several"),
               head=T("预分词", "pre-tokenization"), more=True,
               title=T("另一段英文，{text.merges:,} 次合并：合并可以跨过空格吗？",
                       "Another text, {text.merges:,} merges: may a merge cross a blank?"))
    yield Paragraph(T(
        "另外两种常见的子词算法：WordPiece 也一对一对地合并，但比的是相对次数（见下）；"
        "Unigram 反着来，从很大的词表开始，一批一批删去对文本概率影响最小的项。",
        "Two other ways to subwords: WordPiece joins pairs too, but by a relative count (see "
        "below); Unigram goes the other way, from a very large vocabulary, dropping again and "
        "again the entries that cost the text's probability least."), more=True)


PART = Part(
    number=1, key="merges",
    title=T("一次一次地合并", "BPE, merge by merge"),
    compute=merge_by_merge, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"merges": Param(300, 0, 2000, about=T("合并几次", "how many merges")),
            "words": Param(12_500, 500, 50_000,
                           about=T("文本有多少词", "words in the text"))},
    controls=MERGES_CONTROLS,
    claims=(
        Claim("used_up", T(
            "合并会用掉符号：l+o 一合，o+w 从 {pairs.o+w} 次变成 {after_first.o+w} 次。要得到 "
            "low，得再合并一次 lo+w（{after_first.lo+w} 次）。",
            "A merge uses symbols up: after l+o, o+w falls from {pairs.o+w} to "
            "{after_first.o+w}. For low it takes another merge, lo+w (count "
            "{after_first.lo+w})."),
            lambda m: both(at_least(m.pairs["o+w"], 1), at_most(m.after_first["o+w"], 0),
                           at_least(m.after_first["lo+w"], 1)),
            "not_recounted", kind="example"),
        Claim("regularity", T(
            "BPE 靠重复。每次都打乱，剩下的从 {text.kinds.real.share} 升到 "
            "{text.kinds.anew.share}，"
            "大半是因为词不再重复：每个词固定打乱一次，拼写没了，词照样重复，只升到 "
            "{text.kinds.once.share}。",
            "BPE lives on repetition. Shuffled anew each time, {text.kinds.anew.share} are left, "
            "not {text.kinds.real.share}, mostly because words no longer recur: shuffled one way, "
            "the spelling is gone, words recur, and {text.kinds.once.share} are left."),
            lambda m: both(above(m.text.kinds.once.share, m.text.kinds.real.share + 0.02),
                           above(m.text.kinds.anew.share - m.text.kinds.once.share,
                                 m.text.kinds.once.share - m.text.kinds.real.share)),
            "never_the_same"),
        Claim("chance", T(
            "合并不必有词素：每次都打乱的文本也缩到 {text.kinds.anew.share}，字母等概率时缩得少，"
            "剩 {text.kinds.uniform.share}；常用的字母碰巧挨着，就够合并了。",
            "BPE needs no parts with a meaning: text shuffled anew still shrinks to "
            "{text.kinds.anew.share}, with even letters less, to {text.kinds.uniform.share}; "
            "frequent letters side by side by chance will do."),
            lambda m: both(below(m.text.kinds.anew.share, m.text.kinds.uniform.share - 0.05),
                           below(m.text.kinds.uniform.share, 0.95)),
            "no_common_letters"),
        Claim("three_tie", T(
            "lo、ow、we 各 {pairs.l+o} 次，并列第一：只看次数，定不下先合并谁。",
            "lo, ow and we tie at {pairs.l+o}: counts alone do not say what to join first."),
            lambda m: both(equal(m.pairs["l+o"], m.pairs["o+w"]),
                           equal(m.pairs["l+o"], m.pairs["w+e"]),
                           every(at_least(m.pairs["l+o"], m.pairs[p] + 1)
                                 for p in m.pairs if p not in ("l+o", "o+w", "w+e"))),
            "one_more_newer", kind="example", more=True),
        Claim("order", T(
            "把五个词倒过来给，“先出现的”给出另一串合并，low 从第 {rules.first.low_at} 次变成第 "
            "{rules.first.turned_low_at} 次；另外三条规则一步不变。",
            "Give the five words in reverse: the rule “first seen” makes other merges, and low "
            "moves from merge {rules.first.low_at} to {rules.first.turned_low_at}; the other "
            "three rules make the same ones."),
            lambda m: both(above(abs(m.rules.first.turned_low_at - m.rules.first.low_at), 0.5),
                           at_most(m.rules.first.same_turned, 0),
                           every(at_least(m.rules[n].same_turned, 1)
                                 for n in ("smallest", "largest", "oldest"))),
            "rule_ignored", kind="example", more=True),
        Claim("usable", T(
            "表里的次数就是替换的次数：{runs.text} 里重叠也算的话 a+a 有 "
            "{runs.overlapping.a+a} 次，能替换的只有 {runs.usable.a+a} 次；先合并的是 "
            "{runs.merge.piece}，{runs.merge.count} 次。",
            "Every count is a number of replacements: with overlaps a+a occurs "
            "{runs.overlapping.a+a} times in {runs.text}, but only {runs.usable.a+a} can be "
            "replaced; {runs.merge.piece} is joined first, {runs.merge.count} times."),
            lambda m: both(above(m.runs.overlapping["a+a"], m.runs.usable["a+a"]),
                           word(m.runs.merge.piece, "ab"),
                           equal(m.runs.merge.count, m.runs.merge.replaced),
                           every(equal(s.count, s.replaced)
                                 for rule in rows(m.rules) for s in rule.steps)),
            "overlaps_counted", kind="example", more=True),
        Claim("wordpiece", T(
            "WordPiece 的得分是次数除以两个符号各自次数的积。这五个词里它先合并 "
            "{wordpiece.piece}（{wordpiece.count} 次，得分 {wordpiece.score}），不是 "
            "{wordpiece.by_count}（{wordpiece.most} 次，得分 {wordpiece.most_score}）。",
            "WordPiece divides a count by the product of its two symbols' counts. In the five "
            "words it joins {wordpiece.piece} first (count {wordpiece.count}, score "
            "{wordpiece.score}), not {wordpiece.by_count} (count {wordpiece.most}, score "
            "{wordpiece.most_score})."),
            lambda m: both(above(m.wordpiece.most, m.wordpiece.count),
                           above(m.wordpiece.score, m.wordpiece.most_score),
                           -word(m.wordpiece.piece, m.wordpiece.by_count)),
            "plain_counts", kind="example", more=True),
        Claim("border", T(
            "空格不作边界，{border.none.across} 个新符号跨着空格，{border.none.several} 个词在不同"
            "的"
            "地方切法不同；空格作边界，只有 {border.blank.several} 个。",
            "Without the blank as a border {border.none.across} new symbols cross one, and "
            "{border.none.several} words are cut differently in different places; with it "
            "{border.blank.several}."),
            lambda m: both(at_least(m.border.none.across, 1),
                           above(m.border.none.several, 3 * m.border.blank.several),
                           at_least(m.border.none.several, 10)),
            "border_kept", more=True),
        Claim("border_price", T(
            "跨空格换来的是短：新文本每个字符 {border.none.share} 个符号，空格作边界是 "
            "{border.blank.share} 个。",
            "What it buys is length: {border.none.share} symbols a character of new text, against "
            "{border.blank.share} with the border."),
            lambda m: above(m.border.blank.share, m.border.none.share + 0.005),
            "border_kept", more=True),
    ),
    caveat=T(
        "英文由程序按模板写成（常用词，真实的词尾）：比例只属于它，真书要另测。",
        "The English is made by a program from templates (common words, real endings): the shares "
        "are its own."),
    questions=(
        Question(
            T("lo、ow、we 并列第一。若总取字典序最大的一对，一直合到底，low 会成为一块吗？",
              "lo, ow, we tie. Ties to the largest, to the end: is low ever made?"),
            (Option(T("会，和取最小的一样快", "yes, just as soon"),
                    lambda m: equal(m.rules.largest.low_at or 99, m.rules.smallest.low_at),
                    T("以为次数就定了一切。同频时，规则也是定义的一部分。",
                      "takes counts for the whole definition. Where they tie, the rule is "
                      "part of it.")),
             Option(T("会，晚得多", "yes, much later"),
                    lambda m: above(m.rules.largest.low_at, 2.5 * m.rules.smallest.low_at)),
             Option(T("不会", "never"),
                    lambda m: equal(bool(m.rules.largest.low_at), 0),
                    T("合到底，每个词最后都成一块。但若规定只出现一次的对不合并，这个答案就对了。",
                      "to the end, every word is one piece at last. Where a pair "
                      "seen only once is never joined, this would be right.")),
             Option(T("看五个词的先后", "depends on order"),
                    lambda m: at_least(abs((m.rules.largest.low_at or 99)
                                           - (m.rules.largest.turned_low_at or 99)), 1),
                    T("那是“先出现的”那条规则；按字典序取，与先后无关。",
                      "that is the rule “first seen”; the order of the alphabet does not mind "
                      "which word came first."))),
            answer=Claim("tie_rule", T(
                "第 {rules.largest.low_at} 次才合成，那一对只剩 {rules.largest.low_count} 次；取"
                "最小的，第 {rules.smallest.low_at} 次就成。只出现一次的对不再合并的程序（如 "
                "subword-nmt）永远合不出它：同频时的规则、停的规则，都要写明。",
                "At merge {rules.largest.low_at}, its pair then counted "
                "{rules.largest.low_count}; at merge {rules.smallest.low_at} if the smallest "
                "wins. A program that joins no pair seen only once (subword-nmt) never makes it: "
                "state both the rule for ties and the rule for stopping."),
                lambda m: both(above(m.rules.largest.low_at, 2.5 * m.rules.smallest.low_at),
                               at_most(m.rules.largest.low_count, 1)),
                "rule_ignored", kind="example")),
        Question(
            T("每个词每次出现都把字母重新打乱，再合并 {merges} 次。与英文原文相比？",
              "Shuffle the letters of every word anew each time, then make {merges} merges. "
              "Beside plain English?"),
            (Option(T("一点不缩短", "nothing shrinks"),
                    lambda m: above(m.text.kinds.anew.share, 0.95),
                    T("以为有词素才能合并。BPE 只数次数，碰巧的也算。",
                      "thinks that BPE needs meaningful parts. It needs counts; chance will "
                      "do.")),
             Option(T("缩短得少些", "it shrinks less"),
                    lambda m: both(below(m.text.kinds.anew.share, 0.95),
                                   above(m.text.kinds.anew.share,
                                         m.text.kinds.real.share + 0.05))),
             Option(T("差不多一样", "about the same"),
                    lambda m: near(m.text.kinds.anew.share, m.text.kinds.real.share, 0.05),
                    T("以为只看字母各有多少。字母一样多，剩下的却是 {text.kinds.anew.share} 对 "
                      "{text.kinds.real.share}。",
                      "thinks that only the letters' numbers count. They are the same, and "
                      "{text.kinds.anew.share} are left against {text.kinds.real.share}.")),
             Option(T("缩短得更多", "it shrinks more"),
                    lambda m: above(m.text.kinds.real.share, m.text.kinds.anew.share + 0.05),
                    T("以为越乱越好压缩。剩下的更多，不是更少。",
                      "takes disorder for something easier to compress. More is left, not "
                      "less."))),
            answer=Claim("shuffled", T(
                "剩 {text.kinds.anew.share}，英文剩 {text.kinds.real.share}：少缩一些，但照样缩。",
                "{text.kinds.anew.share} are left, of English {text.kinds.real.share}: it shrinks, "
                "but less."),
                lambda m: both(below(m.text.kinds.anew.share, 0.95),
                               above(m.text.kinds.anew.share, m.text.kinds.real.share + 0.05)),
                "both_shuffled"),
            more=True)),
    pins={"text.*.share": RATIO, "border.*.share": RATIO, "wordpiece.*score": RATIO,
          "*": COUNTED},
    errata=ERRATA["merges"],
    notes=T(
        "约 8 分钟。让学生自己在纸上做前两步，再看表。争论点：没有写明同频时的规则和停的规则，"
        "这样的论文能复现吗？试试 --set 1.merges=1000：四种文本各剩多少？",
        "About 8 minutes. Let the class do two merges on paper before the table. The "
        "argument: can a paper be reproduced that states neither its rule for ties nor when it "
        "stops? Try --set 1.merges=1000: how much is left of each text?"),
)
