"""12.2 The same circuit as by hand?: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d12_induction_grows.lesson import CIRCUIT_CONTROLS, SCORES, same_circuit
from demos.d12_induction_grows.words import COUNT, RECORDED, TRAINED
from lecture.report import (
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
    close,
)

HAND_NAMES = {"by_hand_0": T("手工，第一层", "by hand, first layer"),
              "by_hand_1": T("手工，第二层", "by hand, second layer")}


def show_circuit(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "看前一个词（Elhage 等 2021；TransformerLens 的 previous_token_head）：第 t 行给 t-1 的"
        "平均权重，首行不算。看匹配处（Olsson 等 2022 的 prefix matching；TransformerLens 的 "
        "detect_head 也是对给定图样求平均权重）：给“同一个词上一次出现之后”的权重，按词找，不按"
        "半长算；"
        "起始符不算。说所见（Elhage 等 2021 的特征值统计）：从词到词的整条路 W_E W_V W_O W_U 的"
        "特征值之和除以它们绝对值之和，一表示看见谁就说谁；两个归一化的增益算在内。",
        "Previous token (Elhage et al. 2021; previous_token_head in TransformerLens): mean "
        "weight of row t on t-1, the first row left out. Prefix matching (Olsson et al. 2022; "
        "detect_head in TransformerLens averages over a given pattern likewise): weight on what "
        "came after an earlier copy of this word, found by the words and not by half of a "
        "length; start tokens do not count. Copying (Elhage et al. 2021, eigenvalue summary): "
        "the eigenvalues of the way from word to word W_E W_V W_O W_U, their sum over the sum "
        "of their sizes; one means it says whom it sees; the gains of both norms are included."))
    rows: list[list[Any]] = [[HAND_NAMES[k], r["layer"], r["head"], *(r[s] for s in SCORES)]
                             for k, r in m["by_hand"].items()]
    rows += [[T("训练出来的", "trained"), r["layer"], r["head"], *(r[s] for s in SCORES)]
             for r in m["heads"].values()]
    rows += [[T("同一处，Q K 随机", "Q and K drawn"), m["drawn"]["layer"], m["drawn"]["head"],
              *(m["drawn"][s] for s in SCORES)],
             [T("没训练，最高的", "untrained, highest"), None, None,
              *(m["untrained"][s] for s in SCORES)]]
    yield Table(
        (Column(T("头", "head of")), Column(T("层", "L"), "d"), Column(T("号", "H"), "d"),
         Column(T("前一个词", "previous"), ".3f"), Column(T("匹配处", "matching"), ".3f"),
         Column(T("说所见", "copying"), ".3f"),
         Column(T("不重复", "no repeat"), ".3f")),
        rows,
        title=T("{rows} 行；有匹配的查询 {matched} 个，其中不止一处的 {tied} 个（各处相加）",
                "{rows} rows; {matched} queries have a match, {tied} of them several (added up)"),
        legend=T("“不重复”：后面的词换成没说过的，仍量同样那些位置。",
                 "No repeat: the later words replaced by names not yet said, the same places "
                 "measured."))
    s = m["starts"]
    yield Table(
        (Column(T("怎样算", "how it is counted")), Column(T("分数", "score"), ".4f")),
        [[T("按词找，没有起始符", "by the words, no start token"), s["right"]["none"]],
         [T("按词找，一个起始符", "by the words, one start token"), s["right"]["one"]],
         [T("按词找，两个起始符", "by the words, two start tokens"), s["right"]["two"]],
         [T("整条对角线取平均", "the whole diagonal"), s["whole_diagonal"]],
         [T("错后一格", "one place late"), s["one_late"]],
         [T("按半长算，两个起始符", "by half of the length, two starts"), s["half_of_length"]]],
        title=T("一个完美的头，{starts[words]} 个词说两遍：算法错了，分数就错",
                "A perfect head, {starts[words]} words said twice: count wrongly, score wrongly"))


PART = Part(
    number=2, key="circuit",
    title=T("和手工的是同一个电路吗", "The same circuit as by hand?"),
    compute=same_circuit, describe=show_circuit, recipes=("grows",),
    controls=CIRCUIT_CONTROLS,
    claims=(
        Claim("previous_token_head", T(
            "手工的第一层给前一个词 {by_hand[by_hand_0][previous]:.3f}；训练出来的 "
            "L{looker[layer]}H{looker[head]} 给 {looker[previous]:.3f}；没训练的最高 "
            "{untrained[previous]:.3f}。",
            "The first layer set by hand puts {by_hand[by_hand_0][previous]:.3f} on the previous "
            "token; the trained L{looker[layer]}H{looker[head]} {looker[previous]:.3f}; an "
            "untrained network {untrained[previous]:.3f} at most."),
            lambda m: min(m["looker"]["previous"] - 0.8,
                          m["by_hand"]["by_hand_0"]["previous"] - 0.999,
                          0.3 - m["untrained"]["previous"], 0.5 - m["looker"]["layer"]),
            "untrained"),
        Claim("matching_head", T(
            "手工的第二层给匹配处 {by_hand[by_hand_1][matching]:.3f}；训练出来的 "
            "L{matcher[layer]}H{matcher[head]} 给 {matcher[matching]:.3f}；没训练的最高 "
            "{untrained[matching]:.3f}。",
            "The second layer set by hand puts {by_hand[by_hand_1][matching]:.3f} on the match; "
            "the trained L{matcher[layer]}H{matcher[head]} {matcher[matching]:.3f}; an untrained "
            "network {untrained[matching]:.3f} at most."),
            lambda m: min(m["matcher"]["matching"] - 0.8,
                          m["by_hand"]["by_hand_1"]["matching"] - 0.999,
                          0.3 - m["untrained"]["matching"], m["matcher"]["layer"] - 0.5),
            "untrained"),
        Claim("says_what_it_sees", T(
            "而且它说出所见：说所见的分数 {matcher[copying]:.3f}，手工的是 "
            "{by_hand[by_hand_1][copying]:.3f}，看前一个词的头是 {looker[copying]:.3f}："
            "后者的信息不是说给读者的，是写给第二层的。",
            "And it says what it sees: copying score {matcher[copying]:.3f}, by hand "
            "{by_hand[by_hand_1][copying]:.3f}; the previous-token head has "
            "{looker[copying]:.3f}: what it carries is written for layer two, not for the "
            "reader."),
            lambda m: min(m["matcher"]["copying"] - 0.8, 0.6 - m["looker"]["copying"],
                          m["by_hand"]["by_hand_1"]["copying"] - 0.999), "untrained"),
        Claim("only_where_it_repeats", T(
            "没有重复，它就不看那里：后面的词换成没说过的，同样那些位置只分到 "
            "{matcher[not_repeating]:.3f}。它比的是词，不是距离。",
            "Without a repeat it does not look there: with the later words replaced by new ones, "
            "the same places get {matcher[not_repeating]:.3f}. It compares words, not "
            "distances."),
            lambda m: 0.3 - m["matcher"]["not_repeating"], "repeated_anyway"),
        Claim("drawn_head", T(
            "把这个头的 Q 和 K 换成同样大小的随机数，分数就是 {drawn[matching]:.3f}。",
            "Replace this head's Q and K by drawn numbers of the same size, and the score is "
            "{drawn[matching]:.3f}."),
            lambda m: 0.3 - m["drawn"]["matching"], "not_drawn"),
        Claim("numbers_vary", T(
            "记录，{record[seeds]} 个种子：前一个词头都在前一层，匹配头都在后一层"
            "（{record[in_order]} 个）；编号却不定：前一个词头有 {record[previous_is_0]} 次是 "
            "H0，{record[previous_is_1]} 次是 H1。",
            "Recorded, {record[seeds]} seeds: the previous-token head is always in the earlier "
            "layer and the matching head in the later ({record[in_order]}); the number is not "
            "fixed: the previous-token head is H0 in {record[previous_is_0]} and H1 in "
            "{record[previous_is_1]}."),
            lambda m: min(m["record"]["in_order"] - m["record"]["seeds"] + 0.5,
                          m["record"]["previous_is_0"] - 0.5,
                          m["record"]["previous_is_1"] - 0.5), "one_seed"),
        Claim("count_by_words", T(
            "分数要按词数，不按半长数：完美的头，前面有没有起始符都是 "
            "{starts[right][two]:.1f}；按半长算会变成 {starts[half_of_length]:.4f}，整条对角线平"
            "均是 "
            "{starts[whole_diagonal]:.4f}，错后一格是 {starts[one_late]:.1f}。",
            "Count by the words, not by half of a length: a perfect head scores "
            "{starts[right][two]:.1f} whatever start tokens stand in front; by half of the "
            "length it would be {starts[half_of_length]:.4f}, over the whole diagonal "
            "{starts[whole_diagonal]:.4f}, one place late {starts[one_late]:.1f}."),
            lambda m: min(*(1e-12 - abs(v - 1) for v in m["starts"]["right"].values()),
                          0.9 - m["starts"]["whole_diagonal"], 0.5 - m["starts"]["one_late"],
                          0.5 - m["starts"]["half_of_length"]),
            T("是对构造出来的图样的算术，没有机制可以拿掉。",
              "Arithmetic on constructed patterns: there is no mechanism to remove.")),
    ),
    caveat=T(
        "一样高的分数不等于一样的电路：分数只量看哪里。随机的 Q K 是因果检查的一半，另一半在第 "
        "4 部分："
        "切掉以后还抄不抄得对。说所见的分数略去了归一化本身。",
        "Equal scores are not an equal circuit: they measure where a head looks. The drawn Q and "
        "K are half of a causal check; the other half is part 4, which cuts and counts. The "
        "copying score leaves out the normalising itself."),
    questions=(Question(
        T("手工的电路有两种头：前一个词头，匹配头。在训练出来的模型里，它们会怎样出现？",
          "The circuit set by hand has two kinds of head, previous token and matching. How do "
          "they appear in the trained models?"),
        (Option(T("总是第一层和第二层的第 0 号头", "always as head 0 of the two layers"),
                lambda m: min(m["record"]["in_order"] - m["record"]["seeds"] + 0.5,
                              0.5 - m["record"]["previous_is_1"]),
                T("以为编号有意义。头和头可以对调，落在哪个号由种子决定。",
                  "takes the numbers for meaningful. Heads can change places; the seed decides.")),
         Option(T("前一个词头在前一层，匹配头在后一层，编号不定",
                  "previous token in the earlier layer, matching in the later, numbers vary"),
                lambda m: min(m["record"]["in_order"] - m["record"]["seeds"] + 0.5,
                              m["record"]["previous_is_0"] - 0.5,
                              m["record"]["previous_is_1"] - 0.5)),
         Option(T("同一个头兼做两件", "as one head that does both"),
                lambda m: 0.5 - abs(m["looker"]["layer"] - m["matcher"]["layer"]),
                T("一个头先要有人写下左邻，才有东西可匹配：要先后两层。",
                  "a head has nothing to match before somebody has written down the left "
                  "neighbour: that takes two layers.")),
         Option(T("认不出来", "they cannot be told"),
                lambda m: 0.5 - min(m["looker"]["previous"], m["matcher"]["matching"]),
                T("以为训练出来的总是一团糟。这里的分数离手工的很近。",
                  "expects a muddle. The scores come close to those set by hand.")))),),
    pins={"record.*": RECORDED, "matched": COUNT, "tied": COUNT, "rows": COUNT,
          "*.layer": COUNT, "*.head": COUNT, "starts.*": close("exact fractions"),
          "*": TRAINED},
    notes=T(
        "约 7 分钟。先投票，再看第一张表，从手工的两行读起。第二张表讲一件常见的错：起始符多一个，"
        "按半长算的分数就全错。争论点：“不重复”那一列为什么要有？（第 6 部分会看到一个分数很高、"
        "什么词都不比的头。）",
        "About 7 minutes. Vote, then the first table from its two rows by hand. The second "
        "table is a common mistake: one more start token and a score by half-lengths is wrong. "
        "The argument: what is the column “no repeat” for? (Part 6 has a head with a high score "
        "that compares no words.)"),
)
