"""10.3 Beam search: keep several beginnings: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d10_translation.errata import ERRATA
from demos.d10_translation.lesson import BEAMS_CONTROLS, beams
from demos.d10_translation.words import COUNTED, RECORDED, TRAINED
from lecture.margins import above, at_least, at_most, below, both, equal, falls
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    ARITHMETIC,
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

WIDTHS = ("w1", "w2", "w4", "w16")
QUANTITIES = {
    "two_steps.*": Quantity(T("概率", "P"), "g"),
    "alpha": Quantity(T("α", "α"), "g"), "record.alpha": Quantity(T("α", "α"), "g"),
    "*.words": Quantity(T("词", "words")),
    "table.*.length": Quantity(T("长度", "length"), "d"),
    "table.*.p": Quantity(T("概率", "P"), ".3f"), "crowded.*.p": Quantity(T("概率", "P"), ".3f"),
    "table.*.log_p": Quantity(T("log P", "log P"), ".3f"),
    "*.score": Quantity(T("得分", "score"), ".3f"),
    "sentence.*.log_p": Quantity(T("log P", "log P"), ".3f"),
    "sentence.*.width": Quantity(T("束宽", "width"), "d"),
    "record.mean.*.log_p": Quantity(T("平均 log P", "mean log P"), ".2f"),
    "record.mean.*.exact": Quantity(T("全对", "right"), ".1f"),
    "record.mean.*.bleu": Quantity(T("BLEU", "BLEU"), ".1f"),
    "record.mean.*.width": Quantity(T("束宽", "width"), ".0f"),
    "record.true_words": Quantity(T("词数", "words"), ".2f"),
    "*": Quantity(T("数", "count"), "d"),
}
QUANTITIES = {"record.mean.*.words": Quantity(T("译文词数", "words"), ".2f")} | QUANTITIES
NAMES = {
    **{f"table.plain.{i}": name for i, name in enumerate(
        (T("第一", "first"), T("第二", "second"), T("第三", "third")))},
    "record.mean.w1": T("{record.mean.w1.width}（贪心）", "{record.mean.w1.width} (greedy)"),
    **{f"record.mean.{w}": T(f"{{record.mean.{w}.width}}", f"{{record.mean.{w}.width}}")
       for w in WIDTHS[1:]},
    "record.mean.penalty": T("{record.mean.penalty.width}，α = {record.alpha}",
                             "{record.mean.penalty.width}, α = {record.alpha}"),
    **{f"sentence.{w}.best.*": T(f"束宽 {{sentence.{w}.width}}", f"width {{sentence.{w}.width}}")
       for w in ("w1", "w2", "w4")},
    "crowded.one": T("束宽一", "width one"), "crowded.two": T("束宽二", "width two"),
}

LEAD = (
    Paragraph(T(
        "贪心每步只留最好的一个词；束搜索每步留下概率最大的几个开头，留几个叫束宽。例：第一步 A 是 "
        "{two_steps.first}、B 是 {two_steps.second}，第二步 A 后面最好的是 {two_steps.then_first}，"
        "B 后面是 {two_steps.then_second}。贪心走 A：{two_steps.first} × {two_steps.then_first} = "
        "{two_steps.greedy}；束宽二两个都留着，找到 B：{two_steps.second} × "
        "{two_steps.then_second} = {two_steps.beam}。",
        "Greedy keeps the one best word; a beam keeps the few likeliest beginnings, and how many "
        "is its width. Example: first A has {two_steps.first}, B {two_steps.second}; the best "
        "after A has {two_steps.then_first}, after B {two_steps.then_second}. Greedy goes by A: "
        "{two_steps.first} × {two_steps.then_first} = {two_steps.greedy}; width two keeps both "
        "and finds {two_steps.second} × {two_steps.then_second} = {two_steps.beam}.")),
    Paragraph(T(
        "    得分 = log P / 长度^α      长度数说出的词和 <eos>；α = 0 就是 log P 自己\n"
        "说了 <eos> 的另放一边，不再延长，也不占位置。记录里的模型只训练 {record.steps} 步，还常"
        "说错。",
        "    score = log P / length^α      length counts words and <eos>; α = 0: log P\n"
        "What has said <eos> is put aside and takes no place. The models of the record were "
        "stopped after {record.steps} steps and still err often.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("record.mean.*", ("log_p", "words", "exact", "bleu"), head=T("束宽", "width"),
               title=T("记录：{record.seeds} 个种子平均，各 {record.each} 句法译英，末行外 α = 0",
                       "Recorded: mean of {record.seeds} seeds, {record.each} French sentences "
                       "each, α = 0 but in the last row"),
               legend=T("正确译文平均 {record.true_words} 个词。BLEU：和正确译文相同的词片段，最高"
                        "一百，太短要扣分。",
                        "A right translation has {record.true_words} words. BLEU: runs of words "
                        "shared with it, at most a hundred; too short is punished."))
    yield Rows(("table.plain.*",), (
        Group(T("α = 0", "α = 0"), ("words", "length", "p", "log_p")),
        Group(T("α = {alpha}", "α = {alpha}"),
              tuple(f"/table.by_length.*.{leaf}"
                    for leaf in ("words", "length", "log_p", "score")))),
        head=T("名次", "rank"),
        title=T("两个词 A、B 的小表，束宽三；- 是空句",
                "A small table of two words A and B, width three; - is the empty sentence"))
    yield Rows(("crowded.one", "crowded.two"), ("words", "p"), more=True,
               title=T("又一张小表：更宽的束反而找到更差的",
                       "Another small table: the wider beam finds less"))
    yield Rows(tuple(f"sentence.{w}.best.*" for w in ("w1", "w2", "w4")),
               ("words", "log_p", "score"), more=True,
               title=T("训练好的模型：{sentence.source}，α = {alpha}",
                       "The finished model: {sentence.source}, α = {alpha}"))


PART = Part(
    number=3, key="beams",
    title=T("束搜索：多留几个开头", "Beam search: keep several beginnings"),
    compute=beams, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("french_english", "english_chinese"),
    params={"alpha": Param(1.0, 0.0, 5.0, about=T("长度惩罚的指数", "power of the length penalty")),
            "text": Param("je t'aime", about=T("你自己的句子（法语或英语）",
                                               "your own sentence, French or English"))},
    controls=BEAMS_CONTROLS,
    claims=(
        Claim("penalty", T(
            "α 大于零偏向长句：α 为零，最好的是 {table.plain.0.words}（长 {table.plain.0.length}"
            "）；α = {alpha}，是 {table.by_length.0.words}（长 {table.by_length.0.length}）。"
            "log P 是负数，除以长度，绝对值变小，得分变大。",
            "α above zero favours long sentences: with α zero the best is {table.plain.0.words} "
            "(length {table.plain.0.length}), with α = {alpha} it is {table.by_length.0.words} "
            "(length {table.by_length.0.length}). log P is negative: divided by length it comes "
            "nearer to zero, a higher score."),
            lambda m: both(above(m.alpha, 0),
                           above(m.table.by_length[0].length, m.table.plain[0].length),
                           below(m.table.by_length[0].log_p, 0),
                           above(m.table.by_length[0].score, m.table.by_length[0].log_p)),
            "no_penalty", kind="example", given=("alpha",)),
        Claim("shorter", T(
            "α 为零，越宽译得越短：贪心 {record.mean.w1.words} 个词，最宽 "
            "{record.mean.w16.words} 个，{record.shorter} 个种子都变短。α 为一，反而偏长（"
            "{record.mean.penalty.words}），BLEU 却最高。",
            "With α zero wider beams say less: greedy {record.mean.w1.words} words, the "
            "widest {record.mean.w16.words}, shorter in all {record.shorter} seeds. With α one it "
            "is rather long ({record.mean.penalty.words}), and BLEU is highest."),
            lambda m: both(at_least(m.record.shorter, m.record.seeds),
                           falls(m.record.mean[w].words for w in WIDTHS),
                           above(m.record.mean.penalty.words, m.record.true_words),
                           *(above(m.record.mean.penalty.bleu, m.record.mean[w].bleu)
                             for w in WIDTHS)),
            "with_penalty", kind="recorded"),
        Claim("likelier", T(
            "更可能不等于更好：从 {record.four} 到 {record.widest}，log P 在 {record.up_again} 个种"
            "子里都又升高，BLEU 在 {record.bleu_down} 个里都降，全对的从 {record.at_four} 句变成 "
            "{record.at_widest} 句。",
            "Likelier is not better: from {record.four} to {record.widest} log P rises again in "
            "all {record.up_again} seeds, BLEU falls in {record.bleu_down}, and those right go "
            "from {record.at_four} to {record.at_widest}."),
            lambda m: both(at_least(m.record.up_again, m.record.seeds),
                           at_least(m.record.bleu_down, m.record.seeds),
                           at_most(m.record.at_widest, m.record.at_four)),
            "with_penalty", kind="recorded", given=("record.four", "record.widest")),
        Claim("two_steps", T(
            "贪心会上当：{two_steps.greedy} 小于 {two_steps.beam}。",
            "Greedy can be led astray: {two_steps.greedy} is less than {two_steps.beam}."),
            lambda m: above(m.two_steps.beam, m.two_steps.greedy + 1e-9),
            "greedy_everywhere", kind="example", more=True),
        Claim("crowded", T(
            "更宽也可能更差：又一张小表里，束宽一找到 {crowded.one.words}（{crowded.one.p}），束宽"
            "二"
            "只找到 {crowded.two.words}（{crowded.two.p}）。",
            "Wider may be worse: in another small table width one finds {crowded.one.words} "
            "({crowded.one.p}), width two only {crowded.two.words} ({crowded.two.p})."),
            lambda m: above(m.crowded.one.p, m.crowded.two.p + 1e-9),
            "greedy_everywhere", kind="example", more=True),
        Claim("all", T(
            "束宽不小于活着的开头数（{all.live}），就等于穷举：{all.tables} 张随机的表里 "
            "{all.found.w81} 张找到最好的一句；贪心只有 {all.found.w1} 张。",
            "A beam as wide as there are live beginnings ({all.live}) is exhaustive: in "
            "{all.found.w81} of {all.tables} drawn tables it finds the best sentence; greedy in "
            "{all.found.w1}."),
            lambda m: both(equal(m.all.found.w81, m.all.tables),
                           below(m.all.found.w1, m.all.tables), above(m.all.live, 0)),
            "greedy_everywhere", kind="identity", more=True),
        Claim("finished", T(
            "训练到底的模型在这里用不着束：同样的 {record.sentences} 句，束宽 {record.widest} 改了"
            "对错的有 "
            "{record.changed} 句（记录）。",
            "A finished model needs no beam here: of the same {record.sentences} sentences width "
            "{record.widest} turns {record.changed} from right to wrong or back (recorded)."),
            lambda m: both(equal(m.record.changed, 0), above(m.record.gained, 0)),
            "finished", kind="recorded", given=("record.sentences", "record.widest"), more=True),
    ),
    caveat=T(
        "一个小世界，五个没训练完的模型。译得短，有人归因于 log P 本身（Koehn 和 Knowles 2017；"
        "Yang 等 2018），这里没有拆开看。",
        "A small world, five unfinished models. That short ones win is laid to log P itself (Koehn "
        "and Knowles 2017; Yang et al. 2018); here it is not taken apart."),
    questions=(Question(
        T("束宽从一加到 {record.widest}，{record.sentences} 句译文怎样变？",
          "Width from one to {record.widest}: what becomes of {record.sentences} translations?"),
        (Option(T("有的变对，没有变错的", "some become right, none wrong"),
                lambda m: both(at_least(m.record.gained, 1), at_most(m.record.lost, 0)),
                T("以为看得多，原来对的就丢不了。", "thinks that what was right cannot be lost.")),
         Option(T("变对的比变错的多", "more become right than wrong"),
                lambda m: both(at_least(m.record.lost, 1),
                               at_least(m.record.gained, m.record.lost + 1))),
         Option(T("变错的比变对的多", "more become wrong than right"),
                lambda m: at_least(m.record.lost, m.record.gained + 1),
                T("把“译得短”当成“译得错”。", "takes shorter for wrong."))),
        answer=Claim("gained_and_lost", T(
            "{record.gained} 句变对，{record.lost} 句变错；全对的在 {record.more_right} 个种子里都"
            "变多。",
            "{record.gained} become right, {record.lost} wrong; more are right in all "
            "{record.more_right} seeds."),
            lambda m: both(at_least(m.record.lost, 1),
                           at_least(m.record.gained, 2 * m.record.lost),
                           at_least(m.record.more_right, m.record.seeds)),
            "finished", kind="recorded")),),
    pins={"record.*": RECORDED, "sentence.*.words": COUNTED, "sentence.*.log_p": TRAINED,
          "sentence.*.score": TRAINED, "sentence.source": COUNTED, "all.*": COUNTED,
          "*": ARITHMETIC},
    errata=ERRATA["beams"],
    notes=T(
        "约 7 分钟。请学生手算 A 和 BB 的概率，再问：除以长度以后谁赢？试试 --set 3.alpha=0。"
        "争论点：log P 升了，全对的也多了，BLEU 却没有：哪个数说的是“译得好”？",
        "About 7 minutes. Let the class work out A and BB by hand, then ask who wins after "
        "dividing by length. Try --set 3.alpha=0. The argument: log P went up, more are right, "
        "and BLEU did not follow: which number means a good translation?"),
)
