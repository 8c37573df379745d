"""10.1 An encoder-decoder that works: what a person meets.

Longer than 250 lines because two languages are examined and a twin is compared with them.
"""

from __future__ import annotations

from collections.abc import Iterator

from demos.d10_translation.errata import ERRATA
from demos.d10_translation.lesson import TRANSLATE_CONTROLS, translate
from demos.d10_translation.words import (
    COUNTED,
    DIRECTIONS,
    EN_ZH,
    FR_EN,
    RECORDED,
    TRAINED,
    each,
)
from lecture.margins import above, at_least, at_most, below, both, equal
from lecture.quantities import Named, Rows
from lecture.report import (
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
)

SEEDS = tuple(range(5))
QUANTITIES = {
    **{f"{of}.*.{d}": Quantity(name, form) for of, form in (("exam", "d"), ("record.bleu", ".1f"))
       for d, name in (("fr_en", FR_EN), ("en_zh", EN_ZH))},
    "examples.*.said": Quantity(T("译文", "translation")),
    "examples.*.by_word": Quantity(T("逐词译", "word by word")),
    "*.sentences": Quantity(T("句子", "sentences"), "d"),
    "*.swapped": Quantity(T("名词对调", "nouns swapped"), "d"),
    "*.unchanged": Quantity(T("译文不变", "unchanged"), "d"),
    **{f"*.each.{i}": Quantity(T("五个种子，从低到高", "five seeds, sorted")
                                      if i == 0 else T("", ""), "d") for i in SEEDS},
    "padding.moved": Quantity(T("移动", "move"), ".0e<1e-12"),
    "layers.numbers": Quantity(T("数", "numbers"), ",d"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "exam.model": T("翻译模型", "the model"), "record.bleu.model": T("翻译模型", "the model"),
    "exam.by_word": T("逐词查词典", "word by word"),
    "record.bleu.by_word": T("逐词查词典", "word by word"),
    "exam.nearest": T("最像的训练句的译文", "nearest trained sentence"),
    "record.bleu.nearest": T("最像的训练句的译文", "nearest trained sentence"),
    "exam.shuffled": T("模型，原文打乱词序", "the model, source shuffled"),
    "record.bleu.pooled": T("只交一个向量的", "one vector only"),
    "swap": T("两个名词的值", "values of the two nouns"),
    "elsewhere": T("另外两个词的值", "values of two other words"),
    "vectors": T("两个名词的值和键", "values and keys of the nouns"),
    "pooled.fr_en": T("法译英，训练时就这样", "Fr-En, trained so"),
    "pooled.en_zh": T("英译中，训练时就这样", "En-Zh, trained so"),
    "averaged.fr_en": T("法译英，训练好了才平均", "Fr-En, averaged afterwards"),
    "averaged.en_zh": T("英译中，训练好了才平均", "En-Zh, averaged afterwards"),
}

LEAD = (
    Paragraph(T(
        "两个翻译模型，各用 {trained_on} 对句子训练，考 {held_out} 句没训练过的。编码器读完原文，"
        "一个词交出一个向量：h_1 … h_n。解码器一个词一个词地说，每说一个，用交叉注意力查一遍：",
        "Two models, each trained on {trained_on} pairs, sit an exam of {held_out} sentences "
        "that were not among them. The encoder reads the source and hands over one vector a "
        "word, h_1 … h_n. The decoder says a word at a time, looking by cross-attention:")),
    Paragraph(T(
        "    softmax(Q K^T / √d) V      Q 来自解码器，K = h W_K 和 V = h W_V 来自编码器\n"
        "各 {layers.encoder} 层，宽 {memory.width}，{layers.heads} 个头。编码器一层 "
        "{sub_layers.encoder} 个子层（自注意力、前馈），解码器 {sub_layers.decoder} 个（中间加交"
        "叉注意力），每个后面都有 Add & Norm；最后线性层、softmax。例：{examples.fr_en.0.source} → "
        "{memory.vectors} 个向量 → {examples.fr_en.0.said}；逐词查词典得 "
        "{examples.fr_en.0.by_word}。",
        "    softmax(Q K^T / √d) V      Q from the decoder, K = h W_K, V = h W_V\n"
        "{layers.encoder} layer each, width {memory.width}, {layers.heads} heads. An encoder layer "
        "has {sub_layers.encoder} sub-layers (self-attention, feed-forward), a decoder layer "
        "{sub_layers.decoder} (cross-attention between), each with Add & Norm; at the end a "
        "linear map, softmax. Example: {examples.fr_en.0.source} → {memory.vectors} vectors → "
        "{examples.fr_en.0.said}; word by word {examples.fr_en.0.by_word}.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("exam.*", DIRECTIONS, head=T("{held_out} 句里全对的", "right, of {held_out}"))
    yield Rows(("swap", "elsewhere", "vectors"), ("sentences", "swapped", "unchanged"),
               head=T("对换编码器交出的", "exchanged in what is handed over"),
               title=T("{swap_example.source}：{swap_example.plain} → {swap_example.swapped}",
                       "{swap_example.source}: {swap_example.plain} → {swap_example.swapped}"))
    yield Rows(("examples.fr_en.*", "examples.en_zh.*"), ("said", "by_word"), label="source",
               head=T("原文", "source"), more=True)
    yield Rows(("pooled.*", "averaged.*"), tuple(f"each.{i}" for i in SEEDS),
               head=T("方向", "direction"),
               title=T("记录：编码器只交一个平均向量，{held_out} 句里全对的",
                       "Recorded: one vector handed over, the mean; right of {held_out}"),
               more=True)
    yield Rows("record.bleu.*", DIRECTIONS, head=T("BLEU", "BLEU"), more=True,
               title=T("记录：和正确译文有多少一到四个词的片段相同，最高一百",
                       "Recorded: runs of one to four words shared with the right translation, "
                       "at most a hundred"))


PART = Part(
    number=1, key="translate",
    title=T("一个真能翻译的编码器–解码器", "An encoder-decoder that works"),
    compute=translate, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("french_english", "english_chinese"),
    controls=TRANSLATE_CONTROLS,
    claims=(
        Claim("grammar", T(
            "不是查词典，也不是背句子：逐词译对 {exam.by_word.fr_en} 和 {exam.by_word.en_zh} 句，"
            "抄最像的训练句最多对 {exam.nearest.fr_en} 句。法译英靠词序：打乱原文，只对 "
            "{exam.shuffled.fr_en} 句。",
            "Neither a dictionary nor a list learned by heart: word by word gets "
            "{exam.by_word.fr_en} and {exam.by_word.en_zh}, the nearest trained sentence "
            "{exam.nearest.fr_en} at most. French needs its order: shuffled, "
            "{exam.shuffled.fr_en}."),
            lambda m: both(each(lambda d: above(m.exam.model[d] - m.exam.by_word[d],
                                                m.held_out / 2)),
                           at_most(m.exam.nearest.en_zh, m.exam.nearest.fr_en),
                           below(m.exam.nearest.fr_en, m.held_out / 20),
                           below(m.exam.shuffled.fr_en, m.exam.model.fr_en / 2)),
            "words_shuffled"),
        Claim("swap", T(
            "一个词不改，只对换两个名词的值：{swap.sentences} 句里 {swap.swapped} 句的译文对调了这"
            "两个名词；对换另外两个词的值，{elsewhere.swapped} 句。",
            "No word changed, only the values of the two nouns exchanged: in {swap.swapped} of "
            "{swap.sentences} translations the nouns swap; with two other values, in "
            "{elsewhere.swapped}."),
            lambda m: both(at_least(m.swap.swapped, 0.75 * m.swap.sentences),
                           equal(m.elsewhere.swapped, 0)), "swap_elsewhere"),
        Claim("vectors", T(
            "键也跟着换，就 {vectors.unchanged} 句都不变：注意力按键找，不管向量排在第几个。",
            "Exchange the keys too and all {vectors.unchanged} stay: attention finds by key, "
            "whatever place a vector stands at."),
            lambda m: equal(m.vectors.unchanged, m.vectors.sentences), "keys_stay",
            kind="identity"),
        Claim("hardly_order", T(
            "英译中几乎不靠词序：原文打乱，{held_out} 句还对 {exam.shuffled.en_zh} 句。这个小世界"
            "里，知道有哪些词就差不多知道整句话。",
            "English to Chinese hardly needs the order: shuffled, {exam.shuffled.en_zh} of "
            "{held_out} stay right. In this small world the words almost tell the sentence."),
            lambda m: both(above(m.exam.shuffled.en_zh, 0.75 * m.held_out),
                           below(m.exam.by_word.en_zh, m.held_out / 2)),
            T("一个计数；另一个方向就是对照：那里不成立",
              "one count; the other direction is its control: there it fails"), more=True),
        Claim("padding", T(
            "填充是掩掉的，所以单独译和填充到 {padding.width} 个词成批译，{padding.sentences} 句里"
            "不同的有 {padding.different} 句，分数移动 {padding.moved}。",
            "Padding is masked, so alone or in a batch padded to {padding.width} words, "
            "{padding.different} of {padding.sentences} come out differently; scores move by "
            "{padding.moved}."),
            lambda m: both(equal(m.padding.different, 0), below(m.padding.moved, 1e-9)),
            "padding_seen", kind="identity", given=("padding.width", "padding.sentences"),
            more=True),
        Claim("two_measures", T(
            "分数不一样，名次也不一样：抄最像的训练句 BLEU（记录）高，{record.bleu.nearest.fr_en} "
            "对 "
            "{record.bleu.by_word.fr_en}；全对的却是逐词译多。",
            "Two measures, two rankings: the nearest trained sentence has the higher BLEU "
            "(recorded), {record.bleu.nearest.fr_en} against {record.bleu.by_word.fr_en}; word by "
            "word has more all right."),
            lambda m: both(above(m.record.bleu.nearest.fr_en, m.record.bleu.by_word.fr_en + 5),
                           at_least(m.exam.by_word.fr_en, m.exam.nearest.fr_en + 1)),
            T("两种分数的比较，没有模型在里面", "two scores compared, no model is in it"),
            kind="recorded", more=True),
        Claim("seeds", T(
            "换种子重训（记录，每个方向 {record.seeds} 个）：考试最少对 {record.lowest} 句；名词对"
            "调的最少 {record.swapped.lowest} 句，居中 {record.swapped.middle} 句。",
            "Other seeds (recorded, {record.seeds} a direction): at least {record.lowest} right "
            "in the exam; the nouns swap in {record.swapped.lowest} at least, in the middle one "
            "in {record.swapped.middle}."),
            lambda m: both(above(m.record.lowest, 0.95 * m.held_out),
                           at_least(m.record.swapped.lowest, 0.5 * m.swap.sentences),
                           at_least(m.record.swapped.middle, 0.75 * m.swap.sentences)),
            T("一份记录里的计数：没有另一组种子可作对照",
              "counts of one record: there is no other arm of it"),
            kind="recorded", given=("record.seeds",), more=True),
    ),
    caveat=T(
        "一个文法造的小世界，考题里的词训练时全都见过；真语言难得多。换种子（记录），"
        "{swap.sentences} "
        "句里名词对调的 {record.swapped.lowest} 到 {record.swapped.highest} 句，居中 "
        "{record.swapped.middle} 句。",
        "A small world made by a grammar, every word of the exam seen in training; a real language "
        "is much harder. Other seeds (recorded): the nouns swap in {record.swapped.lowest} to "
        "{record.swapped.highest} of {swap.sentences}, the middle one in "
        "{record.swapped.middle}."),
    questions=(
        Question(
            T("另训一个法译英模型，别的都一样，编码器只交一个向量：各词的平均。{held_out} 句对几句"
              "？",
              "A twin for French, trained alike, but its encoder hands over one vector: the "
              "mean. How many of {held_out}?"),
            (Option(T("不到一成", "under a tenth"),
                    lambda m: below(m.pooled.fr_en.middle, m.held_out / 10),
                    T("把事后才平均的当成训练时就这样的。",
                      "takes averaging afterwards for training so.")),
             Option(T("约一半", "about half"),
                    lambda m: both(above(m.pooled.fr_en.middle, m.held_out / 10),
                                   below(m.pooled.fr_en.middle, 0.9 * m.held_out)),
                    T("以为短的对、长的错。", "expects short ones right, long ones wrong.")),
             Option(T("九成以上", "over nine tenths"),
                    lambda m: above(m.pooled.fr_en.middle, 0.9 * m.held_out))),
            answer=Claim("pooled", T(
                "居中的种子对 {pooled.fr_en.middle} 句：训练时就这样，{memory.width} 个数的一个向量"
                "也装得下这里的句子。训练好了才平均，最多对 {averaged.fr_en.highest} 句。一个词一"
                "个向量，在"
                "这个"
                "小世界里不是必需的。",
                "The middle seed gets {pooled.fr_en.middle}: trained so, one vector of "
                "{memory.width} numbers holds these sentences. Averaged only afterwards, "
                "{averaged.fr_en.highest} at most. In this small world a vector a word is not "
                "needed."),
                lambda m: both(above(m.pooled.fr_en.middle, 0.9 * m.held_out),
                               above(m.pooled.fr_en.lowest, 0.9 * m.held_out),
                               below(m.averaged.fr_en.highest, m.held_out / 10),
                               above(m.memory.width, 1)),
                "averaged_afterwards", kind="recorded")),
        Question(
            T("编码器读了一句三个词的话，交出几个向量？",
              "The encoder reads a sentence of three words: how many vectors does it hand over?"),
            (Option(T("一个", "one"), lambda m: equal(m.memory.vectors, 1),
                    T("那是演示 03 的编码器。", "that is the encoder of demo 03.")),
             Option(T("一个词一个", "one a word"),
                    lambda m: equal(m.memory.vectors, m.memory.words)),
             Option(T("宽度是多少就多少个：{memory.width}", "as many as the width: {memory.width}"),
                    lambda m: equal(m.memory.vectors, m.memory.width),
                    T("把向量的长度当成了向量的个数。",
                      "takes the length of a vector for the number of vectors."))),
            answer=Claim("memory", T(
                "{memory.words} 个词，{memory.vectors} 个向量，每个 {memory.width} 个数。",
                "{memory.words} words, {memory.vectors} vectors of {memory.width} numbers each."),
                lambda m: both(equal(m.memory.vectors, m.memory.words), above(m.memory.width, 1)),
                T("编码器的形状，由构造定", "the encoder's shape, by construction"),
                kind="identity"), more=True)),
    pins={"padding.moved": ROUNDING, "keys_are_not_values": TRAINED, "record.*": RECORDED,
          "pooled.*": RECORDED, "averaged.*": RECORDED,
          "*": COUNTED},
    errata=ERRATA["translate"],
    notes=T(
        "约 8 分钟。先投票，再看考卷。重头戏是对换：先问“只换值会怎样、连键一起换会怎样”，再看表。"
        "--more 里有 play 的三种译法。争论点：译文对调了，能不能说模型“懂”谁是主语？一个向量就够，"
        "为什么还要一个词一个？（演示 03：长的句子装不下。）",
        "About 8 minutes. Vote, then the exam. The main thing is the exchange: ask what happens "
        "with values alone and with keys too, then show the table. --more has the three "
        "translations of play. The argument: the nouns swapped; does the model know which is "
        "the subject? And if one vector will do, why one a word? (Demo 03: long ones do not "
        "fit.)"),
)
