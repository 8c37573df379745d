"""10.2 Step by step: what each step looks at: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d10_translation.errata import ERRATA
from demos.d10_translation.lesson import STEPS_CONTROLS, follow
from demos.d10_translation.words import COUNTED, DIRECTION_NAMES, RECORDED, TRAINED, each
from lecture.report import (
    ROUNDING,
    Block,
    Claim,
    Column,
    HeatMap,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
)


def show_steps(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "从 <bos> 开始，每一步把刚说的词喂回去，取最可能的下一个，说到 <eos> 为止。",
        "Start from <bos>; feed back the word just said, take the likeliest next one, stop at "
        "<eos>."))
    yield Table(
        (Column(T("喂进去", "fed")), Column(T("说出", "says")),
         Column(T("概率", "odds"), ".3f"), Column(T("第二", "second")),
         Column(T("概率", "odds"), ".0e"), Column(T("第三", "third")),
         Column(T("概率", "odds"), ".0e")),
        [[s["fed"], s["says"], s["best"][0]["p"], s["best"][1]["word"], s["best"][1]["p"],
          s["best"][2]["word"], s["best"][2]["p"]] for s in m["one"]["steps"]],
        title=T("逐步贪心解码", "Greedy decoding, step by step"))
    yield HeatMap(
        m["one"]["map"], [f"{s['fed']} → {s['says']}" for s in m["one"]["steps"]],
        m["one"]["words"],
        title=T("交叉注意力，各头平均：每一步看原文的哪个词",
                "Cross-attention, mean of the heads: which source word each step looks at"))
    yield Table(
        (Column(T("方向", "direction")), Column(T("对上的", "on its word"), ".1%"),
         Column(T("打乱后", "dealt anew"), ".1%"),
         Column(T("词数", "words"), "d"),
         Column(T("切自己的", "own cut"), "d"),
         Column(T("切别的", "other cut"), "d"),
         Column(T("全关", "all off"), "d")),
        [[DIRECTION_NAMES[d], r["agreement"], r["shuffled"], r["words"], r["cut_own"],
          r["cut_other"], r["zeroed"]] for d, r in m["exam"].items()],
        title=T("{exam[fr_en][held_out]} 句考题：看得准不准，靠不靠它",
                "{exam[fr_en][held_out]} exam sentences: does it look right, and does it matter?"),
        legend=T("对上的：最大的权重落在这个词该译的源词上（最好的头，或各头平均）；打乱后："
                 "同一句里把"
                 "该看的词重新发一遍。切自己的、切别的：遮住该看的源词，"
                 "或遮住同样多的别的词（不够就全遮），"
                 "还说对几个词（真词作输入）。全关：交叉注意力清零后还全对几句。",
                 "On its word: the largest weight is on a source word this word stands for (best "
                 "head, or their mean); dealt anew: the same with the links of each sentence "
                 "shuffled. Own cut, other cut: words still right when the source of its own "
                 "word, or as many others (all, if there are fewer), are hidden (true words as "
                 "inputs). All off: "
                 "sentences right with cross-attention zeroed."))


def fed_before_love(m: Any) -> str:
    """What the decoder is fed in the row that says love."""
    return next((str(s["fed"]) for s in m["love"] if s["says"] == "love"), "")


def fed(word: str) -> Any:
    return lambda m: (fed_before_love(m) == word) - 0.5


PART = Part(
    number=2, key="steps",
    title=T("一步一步地译，每步看哪里", "Step by step: what each step looks at"),
    compute=follow, describe=show_steps, recipes=("french_english", "english_chinese"),
    params={"text": Param("je t'aime", about=T("你自己的句子（法语或英语）",
                                               "your own sentence, French or English"))},
    controls=STEPS_CONTROLS,
    claims=(
        Claim("shift", T(
            "je t'aime：说出 {love[1][says]} 的那一行，喂进去的是 {love[1][fed]}，不是它自己；"
            "<eos> 从不喂进去。",
            "je t'aime: the row that says {love[1][says]} is fed {love[1][fed]}, not the word "
            "itself; <eos> is never fed."),
            lambda m: (fed_before_love(m) == "I") - 0.5
            - sum(s["fed"] == "<eos>" for s in m["love"]), "unshifted"),
        Claim("passes", T(
            "生成是串行的：{sight[words]} 个词，解码器要跑 {sight[passes]} 遍，一遍等一遍；"
            "训练时真词"
            "都在手里，一遍就得到 {sight[rows]} 行，和逐步算的差 "
            "{sight[one_pass_gap]:.0e<1e-12}。",
            "Generating is serial: {sight[words]} words take {sight[passes]} passes of the "
            "decoder, each waiting for the last; in training the true words are at hand and one "
            "pass gives all {sight[rows]} rows (difference from those made step by step: "
            "{sight[one_pass_gap]:.0e<1e-12})."),
            lambda m: min(0.5 - abs(m["sight"]["passes"] - m["sight"]["words"] - 1),
                          0.5 - abs(m["sight"]["rows"] - m["sight"]["passes"]),
                          1e-9 - m["sight"]["one_pass_gap"]), "no_causal_mask"),
        Claim("sees", T(
            "“每个位置都看得见所有位置”只对编码器成立：改最后一个源词，第一个词的向量动了 "
            "{sight[encoder]:.2f}；改最后一个译词，它前面各行的分数动了 {sight[decoder]:g}。",
            "That every position sees all others is true of the encoder only: change the last "
            "source word and the first word's vector moves by {sight[encoder]:.2f}; change the "
            "last target word and the rows before it move by {sight[decoder]:g}."),
            lambda m: min(m["sight"]["encoder"] - 0.01, 1e-12 - m["sight"]["decoder"]),
            "no_causal_mask"),
        Claim("alignment", T(
            "交叉注意力像一张对照表：最大的权重落在该译的词上，法译英 "
            "{exam[fr_en][agreement]:.1%}、"
            "英译中 {exam[en_zh][agreement]:.1%}；把对照打乱，只剩 {exam[fr_en][shuffled]:.1%} 和 "
            "{exam[en_zh][shuffled]:.1%}。不是百分之百。",
            "Cross-attention resembles a table of links: the largest weight is on a word's own "
            "source in {exam[fr_en][agreement]:.1%} (French to English) and "
            "{exam[en_zh][agreement]:.1%} (English to Chinese); with the links dealt anew in "
            "{exam[fr_en][shuffled]:.1%} and {exam[en_zh][shuffled]:.1%}. Not in all."),
            lambda m: each(m["exam"], lambda r: min(r["agreement"] - r["shuffled"] - 0.4,
                                                    0.999 - r["agreement"])),
            "links_shuffled"),
        Claim("cut", T(
            "看的地方真的要紧：遮住该看的源词，{exam[fr_en][words]} 个词只剩 "
            "{exam[fr_en][cut_own]} 个"
            "说对（英译中 {exam[en_zh][words]} 个剩 {exam[en_zh][cut_own]} 个）；遮住别的词，还对 "
            "{exam[fr_en][cut_other]} 个和 {exam[en_zh][cut_other]} 个。",
            "What it looks at matters: hide a word's own source and {exam[fr_en][cut_own]} of "
            "{exam[fr_en][words]} words stay right (English to Chinese {exam[en_zh][cut_own]} of "
            "{exam[en_zh][words]}); hide other words instead and {exam[fr_en][cut_other]} and "
            "{exam[en_zh][cut_other]} do."),
            lambda m: each(m["exam"], lambda r: min(r["words"] / 2 - r["cut_own"],
                                                    r["cut_other"] - 0.9 * r["words"])),
            "cut_elsewhere"),
        Claim("zeroed", T(
            "把交叉注意力清零，全对的句子从 {exam[fr_en][exact]} 和 {exam[en_zh][exact]} 变成 "
            "{exam[fr_en][zeroed]} 和 {exam[en_zh][zeroed]}：这是译文知道原文的唯一通道。",
            "With cross-attention zeroed the sentences right fall from {exam[fr_en][exact]} and "
            "{exam[en_zh][exact]} to {exam[fr_en][zeroed]} and {exam[en_zh][zeroed]}: it is the "
            "only road from the source to the translation."),
            lambda m: each(m["exam"], lambda r: min(0.5 - r["zeroed"],
                                                    r["exact"] - 0.95 * r["held_out"])),
            "nothing_zeroed"),
        Claim("seeds", T(
            "换种子重训（记录，每个方向 {record[seeds]} 个）：对上的比例最低 "
            "{record[least_agreement]:.1%}，打乱后最高 {record[most_by_chance]:.1%}；清零后全对的"
            "最多 {record[most_zeroed]} 句。",
            "Trained from other seeds (recorded, {record[seeds]} a direction): the weight is on "
            "its word in {record[least_agreement]:.1%} or more, by dealt links in "
            "{record[most_by_chance]:.1%} at most; zeroed, at most {record[most_zeroed]} "
            "sentences are right."),
            lambda m: min(m["record"]["least_agreement"] - m["record"]["most_by_chance"] - 0.4,
                          0.5 - m["record"]["most_zeroed"],
                          m["exam"]["fr_en"]["agreement"]
                          - m["exam"]["fr_en"]["shuffled"] - 0.4), "links_shuffled"),
    ),
    caveat=T(
        "对照表是我们的文法给的，真语料要靠人来标。权重最大处不总是该译的词：编码器已经把邻词的消息"
        "混进每个向量；换一个种子，各头分工也不同。重要与否要靠切断，不靠热图。",
        "The links are known because our grammar made the sentences; in real text people have "
        "to mark them. The "
        "largest weight is not always on the word's own source, since the encoder has mixed "
        "each vector with its neighbours, and other seeds divide the work differently. What "
        "matters is shown by the cut, not by the map."),
    questions=(
        Question(
            T("译 je t'aime，说出 love 的那一步，解码器刚喂进去的词是哪个？",
              "Translating je t'aime: in the step that says love, which word was the decoder "
              "just fed?"),
            (Option(T("love：它自己的查询找到 aime", "love: its own query finds aime"),
                    fed("love"),
                    T("差了一格。说出之前它还不存在，喂进去的是前一个词。",
                      "off by one: before it is said it does not exist; the word before it is "
                      "fed.")),
             Option(T("I", "I"), fed("I")),
             Option(T("you：原文里它在前面", "you: it comes first in the source"), fed("you"),
                    T("照原文的语序想了。解码器照译文的语序走。",
                      "follows the source's order; the decoder follows the target's.")),
             Option(T("aime：正在翻译的词", "aime: the word being translated"), fed("aime"),
                    T("源词从不喂给解码器，只能隔着交叉注意力看。",
                      "source words are never fed to the decoder; it looks at them "
                      "across.")))),
        Question(
            T("只把交叉注意力清零，别的都不动。没见过的句子还有多少全对？",
              "Zero the cross-attention and nothing else. How many held-out sentences stay "
              "right?"),
            (Option(T("大多数：解码器自己会造句", "most: the decoder can make sentences itself"),
                    lambda m: m["exam"]["fr_en"]["zeroed"]
                    - 0.6 * m["exam"]["fr_en"]["held_out"],
                    T("它会造句，但不知道该造哪一句。",
                      "it makes sentences, but does not know which one is wanted.")),
             Option(T("一半上下：常见的句子猜得中", "about half: common ones can be guessed"),
                    lambda m: min(m["exam"]["fr_en"]["zeroed"]
                                  - 0.1 * m["exam"]["fr_en"]["held_out"],
                                  0.6 * m["exam"]["fr_en"]["held_out"]
                                  - m["exam"]["fr_en"]["zeroed"]),
                    T("没有原文，句句都是同一句：可能的句子有几万个。",
                      "without the source every answer is the same sentence, out of tens of "
                      "thousands.")),
             Option(T("几乎没有", "next to none"),
                    lambda m: 0.1 * m["exam"]["fr_en"]["held_out"]
                    - m["exam"]["fr_en"]["zeroed"])))),
    pins={"*.p": TRAINED, "one.map.*": TRAINED, "sight.one_pass_gap": ROUNDING,
          "sight.encoder": TRAINED, "record.*": RECORDED,
          "exam.*.heads.*": TRAINED, "exam.*.mean_of_heads": TRAINED,
          "exam.*.agreement": TRAINED, "exam.*.shuffled": TRAINED, "*": COUNTED},
    errata=ERRATA["steps"],
    notes=T(
        "约 8 分钟。两次投票。热图要横着读：一行是一步。争论点：说 love 的那一步，权重一半在 je "
        "上，"
        "为什么？（动词要跟主语一致。）试试 --set text=\"il ne la regarde pas\" 或 "
        "--set text=\"she plays football every day\"。",
        "About 8 minutes, two votes. Read the map by rows: a row is a step. The argument: the "
        "step that says love puts half its weight on je; why? (The verb has to agree.) Try "
        "--set text=\"il ne la regarde pas\" or --set text=\"she plays football every day\"."),
)
