"""02.4 One word, two contexts: trained: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d02_embeddings.errata import ERRATA
from demos.d02_embeddings.lesson import TRAINED_CONTROLS, two_senses
from demos.d02_embeddings.words import COUNT
from lecture.margins import above, at_least, at_most, below, both, either, equal, every, near, rows
from lecture.quantities import Group, Maps, Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    close,
)

QUANTITIES = {
    "attention.bank": Quantity(T("bank 看谁", "bank looks at"), ".2f"),
    "attention.apple": Quantity(T("apple 看谁", "apple looks at"), ".2f"),
    "cuts.*.right": Quantity(T("对", "right"), "d"),
    "cuts.*.said_first": Quantity(T("说前者", "says first"), "d"),
    "cuts.*.bank.in_first": Quantity(T("水边句", "in water"), ".3f"),
    "cuts.*.bank.in_other": Quantity(T("钱句", "in money"), ".3f"),
    "cuts.*.apple.in_first": Quantity(T("水果句", "in fruit"), ".3f"),
    "cuts.*.apple.in_other": Quantity(T("机器句", "in machine"), ".3f"),
    "words.*.within": Quantity(T("同义项，最低余弦", "same sense, lowest cosine"), ".4f"),
    "words.*.across": Quantity(T("不同义项，最高余弦", "other sense, highest cosine"), ".4f"),
    "record.runs.*.bank": Quantity(T("P(水边)", "P(water)"), ".2f"),
    "record.runs.*.apple": Quantity(T("P(水果)", "P(fruit)"), ".2f"),
    "record.runs.*.full": Quantity(T("不切", "whole"), "d"),
    "record.runs.*.one": Quantity(T("切一个", "one cut"), "d"),
    "record.runs.*.both": Quantity(T("切两个", "both cut"), "d"),
    "record.runs.*.swapped": Quantity(T("换值", "other values"), "d"),
    "record.runs.*.within": Quantity(T("同义项", "same sense"), ".4f"),
    "record.runs.*.across": Quantity(T("不同义项", "other sense"), ".4f"),
    "record.*_bank": Quantity(T("P(水边)", "P(water)"), ".2f"),
    "record.*_within": Quantity(T("余弦", "cosine"), ".3f"),
    "record.*_across": Quantity(T("余弦", "cosine"), ".3f"),
    "record.*": Quantity(T("数", "count"), "d"),
    "sentences": Quantity(T("句", "sentences"), "d"), "half": Quantity(T("句", "sentences"), "d"),
    "sentences_read": Quantity(T("句", "sentences"), ",d"),
}
NAMES = {
    "cuts.full": T("不切", "nothing changed"),
    "cuts.one": T("切 A", "A cut"),
    "cuts.both": T("切 A 和 B", "A and B cut"),
    "cuts.h0": T("只在 L0H0 切两个", "both, L0H0 only"),
    "cuts.h1": T("只在 L0H1 切两个", "both, L0H1 only"),
    "cuts.kin": T("换值：同义项的另一句", "values: same sense"),
    "cuts.swapped": T("换值：另一义项的句子", "values: other sense"),
    "words.bank.before": T("bank，注意力之前", "bank, before attention"),
    "words.bank.attended": T("bank，注意力之后", "bank, after attention"),
    "words.bank.after": T("bank，整层之后", "bank, after the whole layer"),
    "words.apple.before": T("apple，注意力之前", "apple, before attention"),
    "words.apple.attended": T("apple，注意力之后", "apple, after attention"),
    "words.apple.after": T("apple，整层之后", "apple, after the whole layer"),
}
LEAVES = ("right", "in_first", "in_other")


def blocks(m: Metrics) -> Iterator[Named]:
    yield Maps(("attention.bank", "attention.apple"), "heads", "columns",
               title=T("两个头（L0H0、L0H1，矩阵各是各的）的权重，{sentences} 句平均",
                       "Weights of two heads, L0H0 and L0H1 (own W_Q, W_K, W_V each), mean of "
                       "{sentences}"))
    yield Rows(
        "cuts.*", (Group(T("bank：P(水边)", "bank: P(water)"),
                         tuple(f"bank.{leaf}" for leaf in LEAVES)),
                   Group(T("apple：P(水果)", "apple: P(fruit)"),
                         tuple(f"apple.{leaf}" for leaf in LEAVES))),
        legend=T("对：{sentences} 句里猜对义项的句数，两个义项各 {half} 句。P：两个义项的词里，前一"
                 "个分到的，该义项的句子平均。",
                 "Right: of {sentences} sentences, {half} a sense. P: the first sense's share of "
                 "both senses' words as the next word, mean by the sentence's sense."))
    yield Rows("words.*.*", ("within", "across"), more=True)
    yield Rows("record.runs.*", (
        Group(T("切 A 和 B 之后", "A and B cut"), ("bank", "apple")),
        Group(T("{record.sentences} 句里对几句", "right of {record.sentences}"),
              ("full", "one", "both", "swapped")),
        Group(T("注意力之后的余弦", "cosines after"), ("within", "across"))),
        label="seed", head=T("种子", "seed"), more=True,
        title=T(
            "记录：{record.seeds} 个种子；上面的是种子 {record.shown}，P(水边) 居中",
            "Recorded: {record.seeds} seeds; above is seed {record.shown}, the middle one by "
            "P(water)"))


PART = Part(
    number=4, key="trained",
    title=T("一个词，两种上下文：训练出来的", "One word, two contexts: trained"),
    compute=two_senses, describe=blocks, recipes=("senses",), quantities=QUANTITIES, names=NAMES,
    lead=(Paragraph(T(
        "一个一层、两个头的小 GPT（猜下一个词的网络），读过 {sentences_read} 句造出来的句子：主题词"
        "、虚词，再 bank 或 apple，再接同一主题的词。测试句 {sentences} 句一个词：\n"
        "    <doc> the A and B bank     A、B 如 river、boat，或 cash、loan\n"
        "切断：把 bank 看某个词的权重改成 0，其余放大到合计 1。换值：权重不动，A、B 交出的值换成另"
        "一句的。",
        "A small GPT (a network that guesses the next word) of one layer and two heads has read "
        "{sentences_read} made-up sentences: topic words, plain words, then bank or apple, then "
        "words of that topic. Tested on {sentences} sentences a word:\n"
        "    <doc> the A and B bank     A, B: river, boat, or cash, loan and such\n"
        "Cut: bank's weight on a word is set to 0, the rest grows to sum 1. Values: weights stay, "
        "A and B hand over another sentence's values.")),),
    controls=TRAINED_CONTROLS,
    claims=(
        Claim("parted", T(
            "注意力之后意思分开了：bank 同义项的余弦最低 {words.bank.attended.within}，不同义项最"
            "高 "
            "{words.bank.attended.across}（注意力之前是 {words.bank.before.across:g}）。",
            "After attention the senses part: for bank the lowest cosine within a sense is "
            "{words.bank.attended.within}, the highest across {words.bank.attended.across} "
            "(before: {words.bank.before.across:g})."),
            lambda m: both(*(above(w.attended.within, w.attended.across + 0.1)
                             for w in rows(m.words)),
                           every(near(w.before.across, 1, 1e-6) for w in rows(m.words))),
            "blank"),
        Claim("carried", T(
            "意思在 A、B 交出的值里：换成另一义项的，bank 对 {cuts.swapped.bank.right} 句；换成同"
            "义项另一句的，对 {cuts.kin.bank.right} 句。（记录：{record.seeds} 个种子里 "
            "{record.flipped} 个，两个词都全反。）",
            "The sense is in the values of A and B: with the other sense's, "
            "{cuts.swapped.bank.right} of the bank sentences are right; with another "
            "sentence's of the same sense, {cuts.kin.bank.right}. (REC: both words all "
            "reversed in {record.flipped} of {record.seeds} seeds.)"),
            lambda m: both(at_most(m.cuts.swapped.bank.right, 0),
                           at_least(m.cuts.kin.bank.right, m.sentences),
                           at_least(m.record.flipped, 4)),
            "same_sense", given=("record.seeds",)),
        Claim("seeds", T(
            "{record.seeds} 个种子，不切都对 {record.lowest_full} 句（两个词一共），切 A 和 B 都剩 "
            "{record.highest_both} 句；退回哪个义项却不定：P(水边) 从 {record.lowest_bank} 到 "
            "{record.highest_bank}。",
            "In all {record.seeds} seeds {record.lowest_full} are right uncut (both words), and "
            "{record.highest_both} with A and B cut; which sense is left varies: P(water) from "
            "{record.lowest_bank} to {record.highest_bank}."),
            lambda m: both(*(at_least(r.full, 2 * m.sentences) for r in m.record.runs),
                           *(equal(r.both, m.sentences) for r in m.record.runs),
                           equal(m.record.highest_both, m.sentences),
                           at_least(m.record.lowest_full, 2 * m.sentences),
                           below(m.record.lowest_bank, 0.3), above(m.record.highest_bank, 0.7)),
            "untrained", kind="recorded", given=("record.seeds",)),
        Claim("one_head", T(
            "bank 靠一个头：A、B 只在 L0H0 里切，对 {cuts.h0.bank.right} 句；只在 L0H1 里切，对 "
            "{cuts.h1.bank.right} 句。",
            "Bank rests on one head: with A and B cut in L0H0 only, {cuts.h0.bank.right} "
            "sentences are right; in L0H1 only, {cuts.h1.bank.right}."),
            lambda m: either(*(both(equal(m.cuts[one].bank.right, m.half),
                                    at_least(m.cuts[other].bank.right, m.sentences))
                               for one, other in (("h0", "h1"), ("h1", "h0")))),
            "one_topic", more=True),
    ),
    caveat=T(
        "句子是造的，两个义项分得很清。切断还会放大其余的权重；换值不会。",
        "Made-up sentences, two clean senses. A cut also scales up the other weights; new values "
        "do not."),
    further=T("两个义项的句子一样多，所以一律猜一个义项总有一半对。",
              "The sentences are balanced, so one guess for all is right for half."),
    questions=(Question(
        T("切断 bank 看 A、B 的权重，再读 {sentences} 句（水边 {half} 句，钱 {half} 句）。它猜什么"
          "？",
          "Bank's weights on A and B are cut; {sentences} sentences ({half} water, {half} money). "
          "What does it guess?"),
        (Option(T("{sentences} 句照样对", "{sentences} right"),
                lambda m: at_least(m.cuts.both.bank.right, m.sentences),
                T("以为每个义项有自己的向量。表里 bank 只有一行。",
                  "thinks each sense has a vector of its own. The table has one row for bank.")),
         Option(T("有的水边，有的钱", "now water, now money"),
                lambda m: both(at_least(m.cuts.both.bank.said_first, 1),
                               at_most(m.cuts.both.bank.said_first, m.sentences - 1),
                               at_most(m.cuts.both.bank.right, m.sentences - 1),
                               at_least(m.cuts.both.bank.right, 1)),
                T("以为没有证据就一句一个样。网络是确定的：看到的一样，猜的也一样。",
                  "expects a coin to be tossed for each. What looks the same gets the same "
                  "guess.")),
         Option(T("全反", "all reversed"), lambda m: at_most(m.cuts.both.bank.right, 0),
                T("以为切断等于反过来说。", "takes a cut for a contradiction.")),
         Option(T("一律同一个", "one sense"),
                lambda m: either(equal(m.cuts.both.bank.said_first, m.sentences),
                                 equal(m.cuts.both.bank.said_first, 0)))),
        answer=Claim("biased", T(
            "{sentences} 句猜的都是同一个义项，所以对一半：{cuts.both.bank.right} 句。没了 A、B，"
            "两种句子在它眼里一样，P(水边) 都是 {cuts.both.bank.in_first}；只切 A，还对 "
            "{cuts.one.bank.right} 句。",
            "All {sentences} get the same sense, so half are right: {cuts.both.bank.right}. "
            "Without A and B the two kinds of sentence are one to it, P(water) = "
            "{cuts.both.bank.in_first} for both. With A alone cut {cuts.one.bank.right} stay "
            "right."),
            lambda m: both(either(equal(m.cuts.both.bank.said_first, m.sentences),
                                  equal(m.cuts.both.bank.said_first, 0)),
                           equal(m.cuts.both.bank.right, m.half),
                           near(m.cuts.both.bank.in_first, m.cuts.both.bank.in_other, 1e-9),
                           at_least(m.cuts.one.bank.right, m.sentences)), "one_topic")),),
    pins={"cuts.*.right": COUNT, "cuts.*.said_first": COUNT,
          "cuts.*": close("float64 on shipped float32 weights", rtol=1e-6, atol=1e-8),
          "words.*": close("float64 on shipped float32 weights", rtol=1e-6, atol=1e-8),
          "attention.*": close("float64 on shipped float32 weights", rtol=1e-6, atol=1e-12),
          "record.runs.*.bank": close("read from the record"),
          "record.runs.*.apple": close("read from the record"),
          "record.*within": close("read from the record"),
          "record.*across": close("read from the record"),
          "record.*_bank": close("read from the record"), "*": COUNT},
    errata=ERRATA["trained"],
    notes=T(
        "约 6 分钟。先问“只看权重图，能下结论吗？”再投票。争论点：对一半，是拿不准，还是偏？（看 "
        "P，两种句子一个数；猜哪边，换个种子会变。）换值那两行最干净：权重没动，只换交出的内容。"
        "其余种子在 --more。",
        "About 6 minutes. Ask whether the map alone would do as proof, then vote. The "
        "argument: half right, is that undecided or biased? (P is one number in both kinds of "
        "sentence; which way it leans varies with the seed.) The two rows of values are the "
        "cleanest: no weight is touched, only what is handed over. Other seeds are behind "
        "--more."),
)
