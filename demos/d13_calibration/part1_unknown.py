"""13.1 A country that does not exist: how sure is it?: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d13_calibration.lesson import UNKNOWN_CONTROLS, unknown
from demos.d13_calibration.words import COUNT, SHIPPED
from lecture.report import (
    Bars,
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
)

ROW_NAMES = {
    "known": T("学过的国名", "countries it knows"),
    "alike": T("像国名的新词", "new, like a country"),
    "word": T("换成货币的词", "a currency instead"),
    "fresh": T("从未训练的词", "a row never trained"),
}


def show_unknown(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "同样的 {questions} 道题，国名换成模型没学过的。三种换法：按 {countries} 个国名向量的均值和"
        "协方差抽一个新向量；放一个学过的货币词；放一个刚初始化、没训练过的向量。这些题没有正确答案，"
        "模型却总要说一个词；它说的那个词的概率，叫置信度。",
        "The same {questions} questions with a country the model never learned, made in three "
        "ways: a new row drawn with the mean and covariance of the {countries} country rows; a "
        "currency's word, which it knows, in the country's place; a row as it was before any "
        "training. No answer is right, yet a word is always said; its probability is called "
        "the confidence."))
    yield Table(
        (Column(T("国名的位置放的是", "in the country's place")),
         Column(T("平均置信度", "mean"), ".3f"), Column(T("最低", "lowest"), ".3f"),
         Column(T("最高", "highest"), ".3f"), Column(T("过线", "over the bar"), "d"),
         Column(T("类别对", "asked kind"), "d")),
        [[ROW_NAMES[name], *row.values()] for name, row in m["rows"].items()],
        title=T("{questions} 道题的置信度", "Confidence on {questions} questions"),
        legend=T("过线：不低于学过的国家里最没把握的一题（{bar:.3f}）。类别对：问首都就说一个首都，"
                 "不管是哪国的。",
                 "Over the bar: at least as sure as the least sure answer on a known country "
                 "({bar:.3f}). Asked kind: asked for a capital it names some capital, "
                 "whosever it is."))
    yield Bars(m["example"]["words"], m["example"]["shares"], high=1.0,
               title=T("第一个像国名的新词，首都是：前五名的概率",
                       "The capital of the first new name: the five likeliest words"))


PART = Part(
    number=1, key="unknown",
    title=T("不存在的国家：它有多大把握", "A country that does not exist: how sure is it?"),
    compute=unknown, describe=show_unknown, recipes=("base",),
    controls=UNKNOWN_CONTROLS,
    claims=(
        Claim("answers_anyway", T(
            "没有答案也照答：像国名的新词，{questions} 题里 {rows[alike][asked_kind]} 题说出了所问"
            "那一类的名字，平均置信度 {rows[alike][mean]:.2f}；若真是“不知道”，{countries} 个里"
            "猜一个只该有 {guess:.3f}。",
            "It answers what has no answer: for new names like a country, "
            "{rows[alike][asked_kind]} of {questions} answers are of the kind asked for, with "
            "mean confidence {rows[alike][mean]:.2f}; guessing one of {countries} would deserve "
            "{guess:.3f}."),
            lambda m: min(m["rows"]["alike"]["asked_kind"] - m["questions"] + 0.5,
                          m["rows"]["alike"]["mean"] - 10 * m["guess"]), "untrained"),
        Claim("less_sure", T(
            "但它确实没那么有把握：学过的国家平均 {rows[known][mean]:.3f}，像国名的新词 "
            "{rows[alike][mean]:.2f}；{questions} 题里只有 {rows[alike][over_bar]} 题够得着学过的"
            "国家里最低的 {bar:.3f}。在这里，一条线就分得开大部分。",
            "Still, it is less sure: {rows[known][mean]:.3f} on known countries, "
            "{rows[alike][mean]:.2f} on new names like them; only {rows[alike][over_bar]} of "
            "{questions} reach {bar:.3f}, the lowest on a known country. Here one bar parts "
            "most of them."),
            lambda m: min(m["rows"]["known"]["mean"] - m["rows"]["alike"]["mean"] - 0.1,
                          m["questions"] / 10 - m["rows"]["alike"]["over_bar"]), "not_new"),
    ),
    caveat=T(
        "词表是封闭的：一个新国名没有自己的编号，所以这里直接换向量，学生在提示符下打不出来。这是一个"
        "模型、一种新词的做法；大模型遇到新名字会拆成学过的小块，把握可以高得多，也可以低得多。",
        "The vocabulary is closed: a new name has no number, so its row is set directly and "
        "cannot be typed. This is one model and our ways to be new; a large model splits a new "
        "name into pieces it knows and may be far more, or far less, sure."),
    questions=(Question(
        T("一个不存在的国家，它的词向量和学过的国名很像。问它的首都、语言等等，模型说出的那个词，"
          "平均概率大约多少？",
          "A country that does not exist, whose word vector is much like those of known names. "
          "Ask for its capital, language and so on: mean probability of the word that is said?"),
        (Option(T("约 1/24：它不知道，只能猜", "about 1/24: it does not know, so it guesses"),
                lambda m: 0.15 - m["rows"]["alike"]["mean"],
                T("以为概率等于知识，不知道就会平摊。没有人教过它平摊。",
                  "takes probability for knowledge: not knowing would spread evenly. Nobody "
                  "ever taught it to spread.")),
         Option(T("约 0.3", "about 0.3"),
                lambda m: min(m["rows"]["alike"]["mean"] - 0.15,
                              0.5 - m["rows"]["alike"]["mean"]),
                T("以为它会在几个国家之间犹豫。平均下来，第一名独占大半。",
                  "expects it to waver among a few countries. On average the first "
                  "takes over half.")),
         Option(T("约 0.7", "about 0.7"),
                lambda m: min(m["rows"]["alike"]["mean"] - 0.5,
                              0.9 - m["rows"]["alike"]["mean"])),
         Option(T("0.9 以上，和学过的国家一样", "over 0.9, as for a country it knows"),
                lambda m: m["rows"]["alike"]["mean"] - 0.9,
                T("以为模型永远自信满满。这里看得出差别，只是差得不够。",
                  "thinks a model is always sure of itself. Here the difference shows; it is "
                  "only too small.")))),),
    pins={"example.words.*": COUNT, "*.over_bar": COUNT, "*.asked_kind": COUNT, "*": SHIPPED},
    notes=T(
        "约 6 分钟。先投票，再给表。争论点：怎样才算“不知道”？三种新词，三种把握，没有一种是 1/24。"
        "用 --seed 换一批新词。",
        "About 6 minutes. Vote, then the table. The argument: what would “not knowing” look "
        "like? Three ways to be new, three levels of confidence, none of them 1/24. --seed "
        "draws other names."),
)
