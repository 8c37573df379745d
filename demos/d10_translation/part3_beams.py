"""10.3 Beam search: keep several beginnings: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d10_translation.errata import ERRATA
from demos.d10_translation.lesson import BEAMS_CONTROLS, beams
from demos.d10_translation.words import COUNTED, RECORDED, TRAINED
from lecture.report import (
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
    close,
)


def show_beams(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "贪心每步取最好的词；束搜索每步留下最好的几个开头。规则先说清：说完 <eos> 的另放一边，"
        "不再延长，"
        "也不占位置；得分 = log P 除以长度的 α 次方，长度数说出的词和 <eos>，不数 <bos>。",
        "Greedy takes the best next word; a beam keeps the best few beginnings. The rules: what "
        "has said <eos> is put aside, never extended, and takes no place; score = log P divided "
        "by length to the power α, where length counts the words said and <eos>, not <bos>."))
    yield Table(
        (Column(T("排名依据", "ranked by")), Column(T("词", "words")),
         Column(T("长度", "length"), "d"), Column(T("概率", "P"), ".3f"),
         Column(T("log P", "log P"), ".4f"), Column(T("得分", "score"), ".4f")),
        [[name, h["words"], h["length"], h["p"], h["log_p"], h["score"]]
         for key, name in (("plain", T("α = 0", "α = 0")),
                           ("by_length", T("设定的 α", "α as set")))
         for h in m["table"][key]],
        title=T("两个词 A、B 的小表，束宽 3：不罚长度，和按设定的 α = {alpha:g} 罚",
                "A small table of two words, width 3: ranked without and with the penalty, "
                "α = {alpha:g}"),
        legend=T("- 是空句：一开头就说 <eos>。", "- is the empty sentence: <eos> at once."))
    yield Table(
        (Column(T("束宽", "width"), "d"), Column(T("找到最好的", "best found"), "d"),
         Column(T("表", "tables"), "d")),
        [[m["all"]["widths"][key], n, m["all"]["tables"]] for key, n in m["all"]["found"].items()],
        title=T("随机的表：和穷举所有句子比（活着的开头最多 {all[live]} 个）",
                "Drawn tables, against all sentences there are (at most {all[live]} live "
                "beginnings)"))
    yield Table(
        (Column(T("束宽", "width"), "d"), Column(T("译文", "translation")),
         Column(T("log P", "log P"), ".4f"), Column(T("得分", "score"), ".4f")),
        [[m["sentence"][key]["width"], h["words"], h["log_p"], h["score"]]
         for key in ("w1", "w2", "w4") for h in m["sentence"][key]["best"]],
        title=T("训练好的译者：{sentence[source]}", "The trained translator: {sentence[source]}"))
    yield Table(
        (Column(T("束宽", "width"), "d"), Column(T("平均 log P", "mean log P"), ".2f"),
         Column(T("译文词数", "words"), ".2f"), Column(T("全对", "exact"), ".1f")),
        [list(m["record"]["mean"][key].values()) for key in ("w1", "w2", "w4", "w16")],
        title=T("记录：只训练 {record[steps]} 步的译者，每个种子 {record[each]} 句，α 为零",
                "Recorded: translators stopped after {record[steps]} steps, {record[each]} "
                "sentences a seed, α zero"),
        legend=T("{record[seeds]} 个种子的平均；正确译文平均 {record[true_words]:.2f} 个词。",
                 "Means over {record[seeds]} seeds; a true translation has "
                 "{record[true_words]:.2f} words."))


PART = Part(
    number=3, key="beams",
    title=T("束搜索：多留几个开头", "Beam search: keep several beginnings"),
    compute=beams, describe=show_beams, recipes=("french_english", "english_chinese"),
    params={"alpha": Param(1.0, 0.0, 5.0, about=T("长度惩罚的指数", "power of the length penalty")),
            "text": Param("je t'aime", about=T("你自己的句子（法语或英语）",
                                               "your own sentence, French or English"))},
    controls=BEAMS_CONTROLS,
    claims=(
        Claim("two_steps", T(
            "贪心会上当：第一步选 {two_steps[first]:g} 而不是 {two_steps[second]:g}，最后整句只有 "
            "{two_steps[greedy]:.2f}；束宽为二，找到 {two_steps[beam]:.2f}。",
            "Greedy can be led astray: it takes {two_steps[first]:g} over "
            "{two_steps[second]:g} first and ends with {two_steps[greedy]:.2f} for the sentence; "
            "a beam of width two finds {two_steps[beam]:.2f}."),
            lambda m: m["two_steps"]["beam"] - m["two_steps"]["greedy"] - 1e-9,
            "greedy_everywhere"),
        Claim("penalty", T(
            "α 大于零偏向长句：α 为零时最好的是长度 {table[plain][0][length]} 的 "
            "{table[plain][0][words]}，α = {alpha:g} 时是长度 {table[by_length][0][length]} 的 "
            "{table[by_length][0][words]}。log P 是负数，除以长度就变小了。",
            "α above zero favours long sentences: with α zero the best is "
            "{table[plain][0][words]} of length {table[plain][0][length]}, with α = {alpha:g} it "
            "is {table[by_length][0][words]} of length {table[by_length][0][length]}. log P is "
            "negative, and dividing by length brings it closer to zero."),
            lambda m: min(m["alpha"], m["table"]["by_length"][0]["length"]
                          - m["table"]["plain"][0]["length"]), "no_penalty"),
        Claim("all", T(
            "束宽不小于活着的开头数（{all[live]}），就等于穷举：{all[tables]} 张表里 "
            "{all[found][w81]} 张"
            "找到最好的一句；宽度为一只有 {all[found][w1]} 张。",
            "A beam as wide as there are live beginnings ({all[live]}) is exhaustive search: "
            "{all[found][w81]} of {all[tables]} tables give up their best sentence; to width one "
            "{all[found][w1]} do."),
            lambda m: min(m["all"]["found"]["w81"] - m["all"]["tables"] + 0.5,
                          m["all"]["tables"] - m["all"]["found"]["w1"] - 0.5),
            "greedy_everywhere"),
        Claim("not_always_better", T(
            "束宽从一到 {record[widest]}（记录）：{record[seeds]} 个种子里 {record[score_up]} "
            "个的 log P "
            "升高；{record[sentences]} 句里 {record[gained]} 句由错变对，{record[lost]} "
            "句由对变错。"
            "更像模型要的，不等于更对。",
            "From width one to {record[widest]} (recorded): log P rises in {record[score_up]} of "
            "{record[seeds]} seeds; of {record[sentences]} sentences {record[gained]} become "
            "right and {record[lost]} become wrong. Likelier to the model is not the same as "
            "more correct."),
            lambda m: min(m["record"]["score_up"] - m["record"]["seeds"] + 0.5,
                          m["record"]["gained"] - 0.5, m["record"]["lost"] - 0.5),
            "greedy_everywhere"),
        Claim("shorter", T(
            "不罚长度时，束越宽译得越短（记录）：宽度为一平均 {record[mean][w1][words]:.2f} "
            "个词，最宽 "
            "{record[mean][w16][words]:.2f} 个，正确译文 {record[true_words]:.2f} 个；"
            "{record[seeds]} 个种子里 {record[shorter]} 个变短。",
            "Without a penalty wide beams say less (recorded): {record[mean][w1][words]:.2f} "
            "words at width one, {record[mean][w16][words]:.2f} at the widest, where a true "
            "translation has {record[true_words]:.2f}; shorter in {record[shorter]} of "
            "{record[seeds]} seeds."),
            lambda m: min(m["record"]["shorter"] - m["record"]["seeds"] + 0.5,
                          m["record"]["mean"]["w1"]["words"]
                          - m["record"]["mean"]["w16"]["words"],
                          m["record"]["true_words"] - m["record"]["mean"]["w16"]["words"]),
            "greedy_everywhere"),
    ),
    caveat=T(
        "训练好的译者多半步步有把握，束宽很少改变它的答案；差别要看没训练好的译者。"
        "束搜索一般并不单调："
        "再宽一点可能得分反而低，只有宽到穷举才有保证。",
        "The trained translator is mostly sure at every step, and width seldom changes its "
        "answer; the difference shows in one stopped early. Nor is beam search monotone in "
        "general: a "
        "wider beam may end with a lower score, and only exhaustive width is a guarantee."),
    questions=(Question(
        T("束宽从 1 加到 16，译文一定更好吗？",
          "Beam width from 1 to 16: is the translation always better?"),
        (Option(T("一定更好：看得更多", "always better: it sees more"),
                lambda m: 0.5 - m["record"]["lost"],
                T("束搜索让模型的得分更高，不是让译文更对；有些本来对的句子变错了。",
                  "a beam raises the model's score, not the quality; some right sentences "
                  "become wrong.")),
         Option(T("一定更差：宽了就乱", "always worse: too many choices"),
                lambda m: 0.5 - m["record"]["gained"],
                T("也有不少由错变对：贪心第一步就走错的那些。",
                  "many become right, those where greedy went wrong at the first step.")),
         Option(T("模型的得分升高，译文有的变好有的变坏",
                  "the model's score rises, some translations improve and some get worse"),
                lambda m: min(m["record"]["score_up"] - m["record"]["seeds"] + 0.5,
                              m["record"]["gained"] - 0.5, m["record"]["lost"] - 0.5)))),),
    pins={"record.*": RECORDED, "sentence.*.words": COUNTED, "sentence.*.log_p": TRAINED,
          "sentence.*.score": TRAINED, "all.*": COUNTED,
          "*": close("deterministic float64: only the order of additions may differ")},
    errata=ERRATA["beams"],
    notes=T(
        "约 7 分钟。先投票，再看小表。让学生手算 A 和 BB 的概率，再问：除以长度以后谁赢？试试 "
        "--set 3.alpha=0。争论点：为什么得分更高的译文会更短？（Koehn 和 Knowles 2017，Yang 等人 "
        "2018。）",
        "About 7 minutes. Vote, then the small table. Let the class work out A and BB by hand, "
        "then ask who wins after dividing by length. Try --set 3.alpha=0. The argument: why do "
        "higher scores come with shorter translations? (Koehn and Knowles 2017, Yang and others "
        "2018.)"),
)
