"""10.2 Step by step: what each step looks at: what a person meets.

Longer than 250 lines because three votes and cuts of three kinds, with their seeds, stand in one
part: they share one map.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d10_translation.errata import ERRATA
from demos.d10_translation.lesson import STEPS_CONTROLS, follow
from demos.d10_translation.words import (
    COUNTED,
    EN_ZH,
    FR_EN,
    RECORDED,
    TRAINED,
    each,
)
from lecture.margins import (
    above,
    at_least,
    at_most,
    below,
    both,
    equal,
    every,
    near,
    word,
)
from lecture.quantities import Group, Maps, Named, Rows
from lecture.report import (
    ROUNDING,
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

KINDS = ("own", "rival", "drawn")
QUANTITIES = {
    "one.map": Quantity(T("权重，各头平均", "weight, mean of heads"), ".2f"),
    "one.steps.*.fed": Quantity(T("喂进去", "fed")),
    **{f"one.steps.*.best.{i}.word": Quantity(name) for i, name in enumerate(
        (T("第一", "first"), T("第二", "second"), T("第三", "third")))},
    "one.steps.*.best.0.p": Quantity(T("概率", "P"), ".3f"),
    "love.without.*.p": Quantity(T("概率", "P"), ".3f"),
    "*.p": Quantity(T("概率", "P"), ".0e"),
    "love.without.*.word": Quantity(T("词", "word")),
    "love.weights.*": Quantity(T("权重", "weight"), ".2f"),
    "looks.*.dealt.*": Quantity(T("打乱", "dealt"), ".1%"),
    "looks.*": Quantity(T("对上", "on it"), ".1%"),
    "cuts.*.weight": Quantity(T("权重", "weight"), ".2f"),
    "cuts.*.right": Quantity(T("说对", "right"), ".1%"),
    "cuts.*.alike": Quantity(T("相当时", "if alike"), ".1%"),
    "verbs.*.weight": Quantity(T("权重", "weight"), ".2f"),
    "verbs.*.right": Quantity(T("说对", "right"), "d"),
    "verbs.*.other_verb": Quantity(T("只换动词", "verb only"), "d"),
    "verbs.*.other_form": Quantity(T("只换词形", "form only"), "d"),
    "sight.encoder": Quantity(T("移动", "move"), ".2f"),
    "sight.one_pass_gap": Quantity(T("差", "difference"), ".0e<1e-12"),
    "sight.decoder": Quantity(T("移动", "move"), "g"),
    "record.seeds": Quantity(T("种子", "seeds"), "d"),
    "record.exceptions": Quantity(T("种子", "seeds"), "d"),
    "record.alike.*": Quantity(T("种子", "seeds"), "d"),
    "record.*": Quantity(T("比例", "share"), ".0%"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "cuts.own": T("该译的词", "its own word"),
    "cuts.rival": T("别的词里权重最大的", "the heaviest other"),
    "cuts.drawn": T("别的词里随机一个", "a drawn other"),
    "verbs.subject": T("主语", "hide the subject"),
    "verbs.verb": T("动词", "hide the verb"),
    "verbs.fed": T("不遮，换一个人称喂", "feed another person"),
    "looks.first": T("L0H0", "L0H0"), "looks.second": T("L0H1", "L0H1"),
    "looks.mean": T("两头平均", "mean of the two"),
    "love.without.je": T("je", "je"), "love.without.t": T("t'", "t'"),
    "love.without.aime": T("aime", "aime"),
}

LEAD = (
    Paragraph(T(
        "贪心解码：从 <bos> 开始，喂进一个词，说出最可能的下一个，再喂回去，说到 <eos> 为止。一行"
        "是一步（喂进 → 说出），一列是一个源词，数是交叉注意力给它的权重：",
        "Greedy decoding: from <bos>, feed a word, say the likeliest next one, feed it back, stop "
        "at <eos>. A row is a step (fed → says), a column a source word, the number the weight "
        "that cross-attention gives it:")),
    Maps(("one.map",), "one.rows", "one.words"),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(tuple(f"cuts.{k}" for k in KINDS),
               (Group(FR_EN, tuple(f"fr_en.{leaf}" for leaf in ("weight", "right", "alike"))),
                Group(EN_ZH, tuple(f"en_zh.{leaf}" for leaf in ("weight", "right", "alike")))),
               head=T("每一步遮住", "hidden at each step"),
               title=T("{cuts.sentences} 句考题，遮住以后说对的词",
                       "{cuts.sentences} exam sentences: words right after hiding"),
               legend=T("喂的都是正确的词。遮住同样多的词。相当时：该译的和那个别的都占四分之一以上"
                        "的步（{cuts.alike.fr_en} 步、{cuts.alike.en_zh} 步）。",
                        "Fed the true words; as many hidden each. If alike: the steps where own "
                        "and heaviest other both have over a quarter ({cuts.alike.fr_en}, "
                        "{cuts.alike.en_zh})."))
    yield Rows(("verbs.subject", "verbs.verb", "verbs.fed"),
               ("weight", "right", "other_verb", "other_form"),
               head=T("说动词那一步遮住", "at the step of the verb"),
               title=T("考题里“代词接动词”的 {verbs.asked} 句",
                       "{verbs.asked} exam sentences with a pronoun, then the verb"))
    yield Rows(("looks.first", "looks.second", "looks.mean"),
               (Group(FR_EN, ("fr_en", "dealt.fr_en")), Group(EN_ZH, ("en_zh", "dealt.en_zh"))),
               head=T("读哪个", "which reading"), more=True,
               title=T("最大的权重落在该译的词上",
                       "The largest weight is on the word's own source"))
    yield Rows("one.steps.*", ("best.0.word", "best.0.p", "best.1.word", "best.1.p",
                               "best.2.word", "best.2.p"), label="fed",
               head=T("喂进去", "fed"), more=True)
    yield Rows("love.without.*", ("0.word", "0.p", "1.word", "1.p"), more=True,
               head=T("遮住", "hidden"),
               title=T("je t'aime，说 love 那一步：遮住一个源词，最可能的两个词",
                       "je t'aime, the step that says love: a source word hidden, the two best"))


def fed_before_love(m: Any) -> str:
    """What the decoder is fed in the row that says love."""
    return next((str(f) for f, s in zip(m.love.fed, m.love.says, strict=True) if s == "love"), "")


def fed(one: str) -> Any:
    return lambda m: word(fed_before_love(m), one)


PART = Part(
    number=2, key="steps",
    title=T("一步一步地译，每步看哪里", "Step by step: what each step looks at"),
    compute=follow, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("french_english", "english_chinese"),
    params={"text": Param("je t'aime", about=T("你自己的句子（法语或英语）",
                                               "your own sentence, French or English"))},
    controls=STEPS_CONTROLS,
    claims=(
        Claim("alignment", T(
            "交叉注意力像一张对照表：各头平均，最大的权重落在该译的词上，法译英 {looks.mean.fr_en}"
            "、英译中 {looks.mean.en_zh}；对照打乱重发，最多 {looks.mean.dealt.en_zh}。",
            "Cross-attention resembles a table of links: by the mean of the heads the largest "
            "weight is on a word's own source in {looks.mean.fr_en} and {looks.mean.en_zh}; with "
            "the links dealt anew in {looks.mean.dealt.en_zh} at most."),
            lambda m: both(each(lambda d: above(m.looks.mean[d],
                                                m.looks.mean.dealt.en_zh + 0.4)),
                           at_least(m.looks.mean.dealt.en_zh, m.looks.mean.dealt.fr_en)),
            "links_shuffled"),
        Claim("cut", T(
            "看得多的词要紧：遮住该译的，法译英只说对 {cuts.own.fr_en.right}；遮住别的里最大的，还"
            "有 {cuts.rival.fr_en.right}。差距有一部分来自权重：相当时是 {cuts.own.fr_en.alike} 对 "
            "{cuts.rival.fr_en.alike}。",
            "What gets most weight matters: hide a word's own source and {cuts.own.fr_en.right} "
            "are right (French), hide the heaviest other and {cuts.rival.fr_en.right}. Part of "
            "the gap "
            "is weight: where the two are alike, {cuts.own.fr_en.alike} against "
            "{cuts.rival.fr_en.alike}."),
            lambda m: each(lambda d: both(
                above(m.cuts.rival[d].right, m.cuts.own[d].right + 0.4),
                below(m.cuts.rival[d].alike - m.cuts.own[d].alike,
                      m.cuts.rival[d].right - m.cuts.own[d].right - 0.1))), "rival_hidden"),
        Claim("fed", T(
            "词形跟着喂进去的代词走：把 he 换成 they、I 换成 he 这样喂，只换词形的 "
            "{verbs.fed.other_form} 句，只换动词的 {verbs.fed.other_verb} 句。",
            "The form follows the pronoun that is fed: feed they for he, he for I, and in "
            "{verbs.fed.other_form} the form alone changes, in {verbs.fed.other_verb} the verb "
            "alone."),
            lambda m: both(above(m.verbs.fed.other_form, m.verbs.asked / 2),
                           at_most(m.verbs.fed.other_verb, m.verbs.asked / 20)),
            "same_person_fed"),
        Claim("exception", T(
            "图会骗人：je t'aime 里说 love 那一步给 je {love.weights.0}；遮住它，说的是 "
            "{love.without.je.0.word}（{love.without.je.0.p:.2f}）：丢的是动词，不是和主语的一致。"
            "只有这个模型这样：{record.seeds} 个种子里 {record.exceptions} 个有这种句子（记录）。",
            "The map misleads: in je t'aime the step that says love gives je {love.weights.0}; "
            "hide it and it says {love.without.je.0.word} ({love.without.je.0.p:.2f}): the verb is "
            "lost, not the agreement. Only this model has it so: {record.exceptions} of "
            "{record.seeds} seeds has such sentences (recorded)."),
            lambda m: both(above(m.love.weights[0], 0.25),
                           above(m.love.without.je[0].p, 0.5),
                           word(m.love.without.je[0].word, "see"),
                           word(m.love.without.t[0].word, "love"),
                           at_least(m.verbs.subject.other_verb, 1),
                           equal(m.record.exceptions, 1)),
            T("一句话的例子：同一张表的 t' 一行就是对照，遮住它什么也不变",
              "one sentence; the row t' of the same table is its control: nothing changes"),
            kind="example", given=("record.seeds",), more=True),
        Claim("passes", T(
            "生成要等：{sight.words} 个词加 <eos>，解码器跑 {sight.passes} 遍，一遍等一遍。训练时"
            "真词都在手里，一遍得 {sight.rows} 行，和逐步算的差 {sight.one_pass_gap}。",
            "Generating waits: {sight.words} words and <eos> take {sight.passes} passes of the "
            "decoder, one after the other. In training the true words are at hand and one pass "
            "gives {sight.rows} rows (difference {sight.one_pass_gap})."),
            lambda m: both(equal(m.sight.passes, m.sight.words + 1),
                           equal(m.sight.rows, m.sight.passes),
                           below(m.sight.one_pass_gap, 1e-9)), "no_causal_mask",
            kind="identity", more=True),
        Claim("sees", T(
            "编码器两边都看：改最后一个源词，第一个词的向量移动 {sight.encoder}。解码器只看左边：改"
            "最后一个译词，前面各行的分数移动 {sight.decoder}。",
            "The encoder looks both ways: change the last source word and the first word's vector "
            "moves by {sight.encoder}. The decoder looks left only: change the last target word "
            "and the rows before it move by {sight.decoder}."),
            lambda m: both(above(m.sight.encoder, 0.01), below(m.sight.decoder, 1e-12)),
            "no_causal_mask", kind="identity", more=True),
        Claim("seeds", T(
            "换种子重训（记录，每个方向 {record.seeds} 个）：对上的最少 {record.looks}，打乱后最多 "
            "{record.dealt}；遮住该译的最多剩 {record.own}，遮住别的里最大的最少剩 {record.rival}。"
            "权重相当时仍是该译的要紧：法译英 {record.alike.fr_en} 个种子，英译中 "
            "{record.alike.en_zh} 个。",
            "Other seeds (recorded, {record.seeds} a direction): by any reading at least "
            "{record.looks} on the own word, dealt at most {record.dealt}; own hidden leaves at "
            "most {record.own}, the heaviest other at least {record.rival}. With weights alike "
            "the own word still matters more in {record.alike.fr_en} seeds (French), "
            "{record.alike.en_zh} (English)."),
            lambda m: both(above(m.record.looks, m.record.dealt + 0.4),
                           above(m.record.rival, m.record.own + 0.4),
                           at_least(m.record.alike.fr_en, 0.8 * m.record.seeds),
                           at_least(m.record.alike.en_zh, 0.8 * m.record.seeds)),
            T("一份记录里的极端：没有另一组种子可作对照",
              "extremes of one record: there is no other arm of it"),
            kind="recorded", given=("record.seeds",), more=True),
        Claim("seeds_of_verbs", T(
            "动词那一步（记录）：遮住动词，只换动词的最少占 {record.verb}，只换词形的最多占 "
            "{record.form}；换喂的代词，只换词形的最少占 {record.fed}。",
            "The step of the verb (recorded): the verb hidden, at least {record.verb} change the "
            "verb alone, at most {record.form} the form alone; with another pronoun fed at least "
            "{record.fed} the form alone."),
            lambda m: both(above(m.record.verb, 0.5), below(m.record.form, 0.05),
                           above(m.record.fed, 0.5)),
            T("一份记录里的极端：没有另一组种子可作对照",
              "extremes of one record: there is no other arm of it"),
            kind="recorded", more=True),
    ),
    caveat=T(
        "该译的词是文法给的，真语料要靠人标。编码器已把邻词混进每个向量，遮住一个不等于拿走那个词。"
        "权重相当时该译的更要紧：法译英 {record.seeds} 个种子里 {record.alike.fr_en} 个（记录）。",
        "The links come from our grammar; in real text people mark them. The encoder has mixed "
        "neighbours into each vector: to hide one is not to take the word away. With weights "
        "alike the own word matters more in {record.alike.fr_en} of {record.seeds} French seeds "
        "(recorded)."),
    questions=(
        Question(
            T("“代词接动词”的 {verbs.asked} 句，说动词那一步给动词 {verbs.verb.weight}、给主语 "
              "{verbs.subject.weight}。遮住动词，多半会怎样？",
              "{verbs.asked} sentences begin pronoun, verb. The step of the verb gives the verb "
              "{verbs.verb.weight}, the subject {verbs.subject.weight}. Hide the verb: mostly?"),
            (Option(T("还说对", "still right"),
                    lambda m: above(m.verbs.verb.right, m.verbs.asked / 2),
                    T("以为别的词里总还留着动词的消息。", "counts on the other words to tell the "
                                                          "verb.")),
             Option(T("换了动词，词形对", "another verb, right form"),
                    lambda m: above(m.verbs.verb.other_verb, m.verbs.asked / 2)),
             Option(T("动词对，词形错", "right verb, wrong form"),
                    lambda m: above(m.verbs.verb.other_form, m.verbs.asked / 2),
                    T("以为主语一致也要从原文看来。", "takes the agreement to come from the "
                                                      "source."))),
            answer=Claim("verb_hidden", T(
                "{verbs.verb.other_verb} 句换了动词、词形还对，动词对、词形错的 "
                "{verbs.verb.other_form} 句：是哪个"
                "动词，要去"
                "原文看；遮住主语，{verbs.subject.right} 句照样对。",
                "{verbs.verb.other_verb} say another verb in the right form, "
                "{verbs.verb.other_form} the verb in a wrong one: "
                "which verb it is has to be looked up; with the subject hidden "
                "{verbs.subject.right} stay right."),
                lambda m: both(above(m.verbs.verb.other_verb, m.verbs.asked / 2),
                               at_most(m.verbs.verb.other_form, 0),
                               above(m.verbs.subject.right, 0.9 * m.verbs.asked)),
                "rival_hidden")),
        Question(
            T("译 je t'aime，说出 love 的那一步，解码器刚喂进去的词是哪个？",
              "Translating je t'aime: in the step that says love, which word was just fed?"),
            (Option(T("love", "love"), fed("love"),
                    T("差了一格。说出之前它还不存在。",
                      "off by one: before it is said it does not exist.")),
             Option(T("I", "I"), fed("I")),
             Option(T("you", "you"), fed("you"),
                    T("照原文的语序想了。", "follows the order of the source.")),
             Option(T("aime", "aime"), fed("aime"),
                    T("源词从不喂给解码器，只能隔着交叉注意力看。",
                      "source words are never fed to the decoder; it looks at them across."))),
            answer=Claim("shift", T(
                "喂的是 {love.fed.1}，说的是 {love.says.1}；<eos> 只说，从不喂进去。",
                "It is fed {love.fed.1} and says {love.says.1}; <eos> is said, never fed."),
                lambda m: both(word(fed_before_love(m), "I"),
                               every(-word(f, "<eos>") for f in m.love.fed)), "unshifted",
                kind="example"), more=True),
        Question(
            T("交叉注意力清零，{cuts.sentences} 句考题还对几句？",
              "Zero the cross-attention: how many of {cuts.sentences} exam sentences stay right?"),
            (Option(T("大多数", "most"),
                    lambda m: above(m.zeroed.fr_en, 0.6 * m.cuts.sentences),
                    T("它会造句，但不知道该造哪一句。",
                      "it makes sentences, but does not know which one is wanted.")),
             Option(T("约一半", "about half"),
                    lambda m: near(m.zeroed.fr_en, 0.35 * m.cuts.sentences,
                                   0.25 * m.cuts.sentences),
                    T("以为常见的句子猜得中。", "thinks that common ones can be guessed.")),
             Option(T("最多一句", "one at most"), lambda m: at_most(m.zeroed.fr_en, 1))),
            answer=Claim("zeroed", T(
                "{zeroed.fr_en} 句和 {zeroed.en_zh} 句：解码器只从这里知道原文，清零以后句句都说"
                "同一句。",
                "{zeroed.fr_en} and {zeroed.en_zh}: the decoder knows the source from here alone, "
                "so every answer is now the same sentence."),
                lambda m: each(lambda d: at_most(m.zeroed[d], 1)),
                T("由构造定：清零以后，译文和原文无关",
                  "by construction: zeroed, the translation does not depend on the source"),
                kind="identity"), more=True)),
    pins={"*.p": TRAINED, "one.map.*": TRAINED, "love.weights.*": TRAINED,
          "*.weight": TRAINED, "*.alike": TRAINED, "cuts.*.right": TRAINED, "looks.*": TRAINED,
          "sight.one_pass_gap": ROUNDING, "sight.encoder": TRAINED, "record.*": RECORDED,
          "*": COUNTED},
    errata=ERRATA["steps"],
    notes=T(
        "约 8 分钟。图横着读：一行是一步。先请大家解释说 love 那一步为什么看 je（动词要和主语一"
        "致？），再投票，再看表：动词从原文看来，词形跟着喂进去的代词走；je 那一格遮住，丢的是动词"
        "（--more）。试试 --set text=\"il ne la regarde pas\" 或 "
        "--set text=\"she plays football every day\"。",
        "About 8 minutes. Read the map by rows: a row is a step. Ask first why the step that says "
        "love looks at je (the verb has to agree?), then vote, then the table: the verb is looked "
        "up, its form follows the pronoun that is fed; hide je, and it is the verb that goes "
        "(--more). Try --set text=\"il ne la regarde pas\" or "
        "--set text=\"she plays football every day\"."),
)
