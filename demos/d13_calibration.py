"""Is a model right as often as it is sure?

Confidence is the probability of the word that is said.  Part 1 asks about countries
that do not exist, part 2 sets confidence beside the share of right answers, on
phrasings seen and unseen, part 3 repairs it with one temperature and shows what that
cannot repair, part 4 is the simplest case: the hand-built head of demo 04, always right
and less and less sure.

Unlike demo 04: nothing inside is opened; only the last probabilities are judged.  Left
out: models that may say "I do not know", several samples, training for calibration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from attention_np import HandBuiltInduction, repeated_sequences, softmax
from lecture import model_cache, recipes
from lecture.calibration_np import ece, fit_temperature, nll, reliability
from lecture.gpt_np import GPT, init_weights
from lecture.probes_np import Questions, questions
from lecture.report import (
    Bars,
    Block,
    Claim,
    Column,
    Curve,
    Metrics,
    Num,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
    close,
    exact,
)
from pretrain_world import (
    PROMPT,
    QUESTIONS,
    RELATIONS,
    Country,
    Tokenizer,
    World,
    tokenizer,
)

Array = np.ndarray
SHIPPED = close("shipped weights, matrix products", 1e-6, 1e-9)
COUNT = exact("a count or a word")


def ready(trained: bool = True) -> tuple[GPT, World, Tokenizer]:
    """The tiny GPT of demo 04 in NumPy, or its untrained twin."""
    recipe = recipes.named("base")
    weights = (model_cache.load(recipe) if trained
               else init_weights(recipe.config, seed=0))
    world = recipe.data.world()
    return GPT(recipe.config, weights), world, tokenizer(world)


# --- 1. an unknown country ------------------------------------------------------

FRESH_STD = 0.02            # how the recipe draws a row before any training


def with_rows(model: GPT, q: Questions, rows: Array) -> Array:
    """Scores [n, V] of the answer when the countries have other rows."""
    n = np.arange(len(q.ids))
    place = model.w["wpe.weight"][q.country]                # [n, d]

    def edit(x: Array) -> Array:                            # [n, T, d]
        x[n, q.country] = np.repeat(rows, len(RELATIONS), 0) + place
        return x

    return model.run(q.ids, {"embed": edit}).logits[n, q.last]


def unknown(seed: int, trained: bool = True, new: bool = True) -> Metrics:
    """The 96 questions, about names never seen as a country."""
    model, world, tok = ready(trained)
    q, rng = questions(world, tok), np.random.default_rng(seed)
    table = model.w["wte.weight"]                           # [V, d]

    def of(attribute: str) -> list[int]:
        return [tok.stoi[getattr(c, attribute)] for c in world.countries]

    known = table[of("name")]                               # [24, d]
    middle, n = known.mean(0), len(known)
    mix = rng.standard_normal((n, n)) / np.sqrt(n - 1)
    rows = {"known": known,
            # drawn with the mean and the covariance of the 24 known rows
            "alike": middle + mix @ (known - middle),       # [24, d]
            "word": table[of("currency")],
            "fresh": rng.normal(0, FRESH_STD, known.shape)}
    asked = [set(of(relation)) for relation in RELATIONS] * n
    found: Metrics = {}
    for name, its in rows.items():
        P = softmax(with_rows(model, q, its if new else known))  # [96, V]
        top, sure = P.argmax(-1), P.max(-1)                 # [96]
        if name == "known":
            bar = sure.min()
        found[name] = {
            "mean": sure.mean(), "lowest": sure.min(),
            "highest": sure.max(), "over_bar": int((sure >= bar).sum()),
            "asked_kind": sum(t in a for t, a
                              in zip(top, asked, strict=True))}
        if name == "alike":
            first = P[0].argsort()[::-1][:5]
            example = {"words": [tok.itos[i] for i in first],
                       "shares": P[0, first]}
    return {"rows": found, "example": example, "questions": len(q.ids),
            "countries": n, "guess": 1 / n, "bar": bar}


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


UNKNOWN = Part(
    number=1, key="unknown",
    title=T("不存在的国家：它有多大把握", "A country that does not exist: how sure is it?"),
    compute=unknown, describe=show_unknown, recipes=("base",),
    controls={"untrained": partial(unknown, trained=False),
              "not_new": partial(unknown, new=False)},
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

# --- 2. phrasings seen and unseen ------------------------------------------------

# Written once from words of the vocabulary, before anything was measured; none was
# taken out afterwards.  The money is stated in the corpus and never asked for.
REWORDED = {
    "capital": ("in {c} , what is the capital ?",
                "which city has {c} its capital in ?",
                "what city is the capital in {c} ?",
                "{c} has its capital in which city ?",
                "for {c} , what is the capital city ?",
                "the capital city of {c} is what ?"),
    "language": ("in {c} , which language do people speak ?",
                 "the language of {c} is what ?",
                 "people in {c} speak which language ?",
                 "what is the language in {c} ?",
                 "do people speak what in {c} ?",
                 "{c} people speak what ?"),
    "leader": ("who is the leader in {c} ?",
               "by who is {c} led ?",
               "{c} is led by who ?",
               "in {c} who is the leader ?",
               "for {c} , who leads ?",
               "who leads people in {c} ?"),
    "known_for": ("what product is {c} known for ?",
                  "the product of {c} is what ?",
                  "in {c} , what is the product ?",
                  "the people of {c} know what ?",
                  "which product do people in {c} know ?",
                  "for which product is {c} known ?"),
}
MONEY = {
    "currency": ("what is the money of {c} ?",
                 "what do people in {c} pay with ?",
                 "in {c} , what do people pay with ?",
                 "with what do people pay in {c} ?",
                 "which money is the money of {c} ?",
                 "the money of {c} is what ?"),
}
SEEN = {r: QUESTIONS[r][:-1] for r in RELATIONS}
HELD_OUT = {r: QUESTIONS[r][-1:] for r in RELATIONS}
GROUPS = {"seen": SEEN, "held_out": HELD_OUT, "reworded": REWORDED, "money": MONEY}
# a control: where the new wordings stood, wordings of the training
ALL_SEEN = GROUPS | {"reworded": {r: SEEN[r] * 2 for r in RELATIONS},
                     "money": {"capital": SEEN["capital"] * 2}}
Phrasings = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Sheet:
    """Questions answered: scores [n, V], right words [n]; wording by wording,
    country by country within a wording."""

    wordings: tuple[str, ...]
    countries: tuple[Country, ...]
    scores: Array
    answers: Array

    @property
    def said(self) -> Array:
        return self.scores.argmax(-1)

    @property
    def right(self) -> Array:
        return self.said == self.answers

    def sure(self, temperature: float = 1.0) -> Array:
        return softmax(self.scores / temperature).max(-1)


def sit(model: GPT, world: World, tok: Tokenizer,
        forms: Phrasings) -> Sheet:
    """Ask every wording about every country."""
    texts = [(text, r) for r, its in forms.items() for text in its]
    scores, right = [], []
    for text, relation in texts:
        ids = [tok.encode(PROMPT.format(question=text.format(c=c.name)))
               for c in world.countries]                    # [24, T]
        scores.append(model.run(ids).logits[:, -1])         # [24, V]
        right += [tok.stoi[c.answer(relation)] for c in world.countries]
    return Sheet(tuple(text for text, _ in texts), world.countries,
                 np.concatenate(scores), np.array(right))


def joined(*sheets: Sheet) -> Sheet:
    """Several sheets as one."""
    return Sheet(sum((s.wordings for s in sheets), ()), sheets[0].countries,
                 np.concatenate([s.scores for s in sheets]),
                 np.concatenate([s.answers for s in sheets]))


def shuffled(sheet: Sheet, rng: np.random.Generator) -> Sheet:
    """The same answers, marked by a sheet whose lines are mixed up."""
    return replace(sheet, answers=rng.permutation(sheet.answers))


def judged(sheet: Sheet, temperature: float = 1.0) -> Metrics:
    sure, right = sheet.sure(temperature), sheet.right
    return {"answers": len(right), "accuracy": right.mean(),
            "confidence": sure.mean(), "ece": ece(sure, right)}


def phrasings(seed: int, trained: bool = True, groups: Any = GROUPS,
              mark: Any = None, mix: Any = shuffled) -> Metrics:
    """Confidence beside accuracy on four groups of phrasings."""
    model, world, tok = ready(trained)
    rng = np.random.default_rng(seed)
    sheets = {name: sit(model, world, tok, forms)
              for name, forms in groups.items()}
    if mark:                                   # a control: labels mixed
        sheets = {name: mark(s, rng) for name, s in sheets.items()}
    new = joined(sheets["reworded"], sheets["money"])
    n, sure = len(world.countries), new.sure()
    right, said = new.right, new.said
    own = [[tok.itos[i] in c.words() for i, c
            in zip(line, world.countries, strict=True)]
           for line in said.reshape(-1, n)]         # [wordings, 24]
    wordings = [{"words": text.format(c="X"), "right": int(r.sum()),
                 "confidence": s.mean()} for text, r, s
                in zip(new.wordings, right.reshape(-1, n),
                       sure.reshape(-1, n), strict=True)]
    return {
        "countries": n, "groups": {k: judged(s) for k, s in sheets.items()},
        "shuffled": judged(mix(sheets["seen"], rng)),
        "new": judged(new), "bins": reliability(sure, right),
        "by_bins": {f"in_{b}": ece(sure, right, b) for b in (1, 10, 20)},
        "wordings": wordings,
        "all_right": sum(w["right"] == n for w in wordings),
        "wrong": int((~right).sum()),
        "wrong_of_own_country": int((np.ravel(own) & ~right).sum())}


GROUP_NAMES = {
    "seen": T("训练过的问法", "seen in training"),
    "held_out": T("留出的问法", "held out"),
    "reworded": T("我们另写的问法", "worded anew by us"),
    "money": T("问钱：只说过，没问过", "money: told, never asked"),
    "shuffled": T("训练过的，答案打乱", "seen, right answers mixed up"),
}


def show_phrasings(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "校准的意思：置信度 0.8 的那些答案，应该有八成是对的。把答案按置信度分成 10 格（左端算在"
        "格内，1 归最后一格，空格不算），每格比较“对的比例”与“平均置信度”，差的绝对值按题数"
        "加权平均，就是 ECE。",
        "Calibrated means: of the answers given with confidence 0.8, eight in ten are right. Put "
        "answers into 10 bins of confidence (a bin holds its left edge, 1 goes into the last, "
        "empty ones are left out), compare share right with mean confidence in each; the mean "
        "absolute difference, weighted by answers, is the ECE."))
    yield Table(
        (Column(T("问法", "phrasing")), Column(T("题数", "answers"), "d"),
         Column(T("对的比例", "share right"), ".3f"),
         Column(T("平均置信度", "confidence"), ".3f"), Column(T("ECE", "ECE"), ".3f")),
        [[GROUP_NAMES[k], *row.values()]
         for k, row in {**m["groups"], "shuffled": m["shuffled"]}.items()],
        title=T("有多对，有多自信", "How often right, how sure"))
    yield Table(
        (Column(T("从", "from"), ".1f"), Column(T("到", "to"), ".1f"),
         Column(T("题数", "answers"), "d"), Column(T("平均置信度", "confidence"), ".3f"),
         Column(T("对的比例", "share right"), ".3f")),
        [list(row.values()) for row in m["bins"]],
        title=T("可靠性表：另写的问法加问钱，{new[answers]} 题",
                "Reliability table: worded anew and money, {new[answers]} answers"))
    full = [row for row in m["bins"] if row["count"]]
    yield Curve(
        [row["confidence"] for row in full],
        [(T("对的比例", "share right"), [row["accuracy"] for row in full]),
         (T("若校准", "if calibrated"), [row["confidence"] for row in full])],
        T("置信度", "confidence"), T("对的比例", "share right"), low=0.0, high=1.0,
        title=T("可靠性曲线：低于对角线是过分自信",
                "Reliability curve: below the diagonal is too sure"))
    yield Table(
        (Column(T("问法（X 是国名）", "wording (X is the country)")),
         Column(T("对", "right"), "d"), Column(T("平均置信度", "confidence"), ".3f")),
        [[w["words"], w["right"], w["confidence"]] for w in m["wordings"]
         if w["right"] < m["countries"]],
        title=T("没有全对的问法（每种 {countries} 题）；另外 {all_right} 种全对",
                "Wordings not all right ({countries} answers each); the other {all_right} are"))


PHRASINGS = Part(
    number=2, key="phrasings",
    title=T("换个问法：对多少，信多少", "Other words: how often right, how sure?"),
    compute=phrasings, describe=show_phrasings, recipes=("base",),
    controls={
        "labels_mixed": partial(phrasings, mark=shuffled),
        "labels_kept": partial(phrasings, mix=lambda sheet, rng: sheet),
        "all_seen": partial(phrasings, groups=ALL_SEEN)},
    claims=(
        Claim("near_words", T(
            "留出的问法没有难住它：{groups[held_out][answers]} 题对了 "
            "{groups[held_out][accuracy]:.1%}，平均置信度 {groups[held_out][confidence]:.3f}，"
            "ECE {groups[held_out][ece]:.3f}；训练过的问法是 {groups[seen][ece]:.3f}。"
            "两边都对得上。",
            "The held-out phrasing is no trouble: {groups[held_out][accuracy]:.1%} of "
            "{groups[held_out][answers]} right, confidence {groups[held_out][confidence]:.3f}, "
            "ECE {groups[held_out][ece]:.3f}; on phrasings seen, {groups[seen][ece]:.3f}. "
            "Sureness and success agree on both."),
            lambda m: min(m["groups"]["held_out"]["accuracy"] - 0.95,
                          m["groups"]["held_out"]["confidence"] - 0.9,
                          0.02 - m["groups"]["held_out"]["ece"],
                          0.02 - m["groups"]["seen"]["ece"]), "labels_mixed"),
        Claim("money", T(
            "货币在语料里只说过、没问过。换成问句，多半答错：{groups[money][answers]} 题只对 "
            "{groups[money][accuracy]:.1%}，平均置信度却有 {groups[money][confidence]:.2f}。",
            "Money is told in the corpus and never asked for. Ask, and "
            "{groups[money][accuracy]:.1%} of {groups[money][answers]} are right, at a mean "
            "confidence of {groups[money][confidence]:.2f}."),
            lambda m: min(m["groups"]["money"]["confidence"]
                          - m["groups"]["money"]["accuracy"] - 0.3,
                          0.5 - m["groups"]["money"]["accuracy"]), "all_seen"),
        Claim("own_country", T(
            "错的 {wrong} 题里，有 {wrong_of_own_country} 题说的是本国的另一样东西：国家认对了，"
            "问题没听懂。",
            "Of {wrong} wrong answers {wrong_of_own_country} name another thing of the same "
            "country: the country is read, the question is not."),
            lambda m: min(m["wrong"] - 0.5,
                          m["wrong_of_own_country"] - 0.9 * m["wrong"]), "all_seen"),
        Claim("ece_grows", T(
            "ECE 说的就是这件事：训练过的问法 {groups[seen][ece]:.3f}，新问法合起来 "
            "{new[ece]:.3f}。过分自信：对 {new[accuracy]:.1%}，信 {new[confidence]:.1%}。",
            "The ECE tells it: {groups[seen][ece]:.3f} on phrasings seen, {new[ece]:.3f} on the "
            "new ones together. Too sure: {new[accuracy]:.1%} right, {new[confidence]:.1%} "
            "confident."),
            lambda m: min(m["new"]["ece"] - 10 * m["groups"]["seen"]["ece"],
                          m["new"]["confidence"] - m["new"]["accuracy"] - 0.05), "all_seen"),
        Claim("shuffled", T(
            "对照：同样的答案、同样的置信度，只把标准答案的次序打乱，对的比例从 "
            "{groups[seen][accuracy]:.1%} 掉到 {shuffled[accuracy]:.1%}，ECE 升到 "
            "{shuffled[ece]:.2f}，置信度还是 {shuffled[confidence]:.3f}。置信度不看答案。",
            "The control: the same answers and confidences, only the right answers mixed up, and "
            "the share right drops from {groups[seen][accuracy]:.1%} to "
            "{shuffled[accuracy]:.1%}, the ECE rises to {shuffled[ece]:.2f}, the confidence "
            "stays {shuffled[confidence]:.3f}. Confidence does not look at the answers."),
            lambda m: min(m["groups"]["seen"]["accuracy"] - m["shuffled"]["accuracy"] - 0.8,
                          m["shuffled"]["ece"] - 0.8,
                          1e-9 - abs(m["shuffled"]["confidence"]
                                     - m["groups"]["seen"]["confidence"])), "labels_kept"),
        Claim("bin_rule", T(
            "ECE 要和分格的规则一起报：同样的 {new[answers]} 个答案，不分格 {by_bins[in_1]:.3f}，"
            "十格 {by_bins[in_10]:.3f}，再细一倍 {by_bins[in_20]:.3f}。格子一粗，过分自信和不够自信"
            "就互相抵消。",
            "Report an ECE with its bin rule: the same {new[answers]} answers give "
            "{by_bins[in_1]:.3f} in a single bin, {by_bins[in_10]:.3f} in ten, "
            "{by_bins[in_20]:.3f} in twice as many. In coarse bins too sure and not sure enough "
            "cancel."),
            lambda m: min(m["by_bins"]["in_10"] - m["by_bins"]["in_1"] - 1e-6,
                          m["by_bins"]["in_20"] - m["by_bins"]["in_10"] - 1e-6),
            "labels_mixed"),
    ),
    caveat=T(
        "这些数字属于随课发的这一份权重。我们另写的问法是一次写好的，没有按结果删改，可它们不是随机"
        "抽样：换一批问法，比例会变。ECE 小也不等于好：永远说同一个词、报出它的频率，也能很小。",
        "These numbers belong to the one set of weights that ships. Our wordings were written "
        "once and none removed, but they are no random sample: other wordings, other shares. And "
        "a small ECE is not yet good: always saying one word with its true frequency has one."),
    questions=(
        Question(
            T("语料说过每个国家用什么货币，但从没用问句问过。现在用学过的词来问 X 的货币，会怎样？",
              "The corpus states each country's money but never asks for it. Ask for it now, in "
              "words it knows. What happens?"),
            (Option(T("大多答对：事实学过了", "mostly right: the fact was learned"),
                    lambda m: m["groups"]["money"]["accuracy"] - 0.5,
                    T("以为会说就会答。会接一句陈述，不等于听得懂这样的问句。",
                      "expects that what can be told can be asked. Completing a statement is "
                      "not understanding this question.")),
             Option(T("大多答错，而且没把握（0.3 以下）",
                      "mostly wrong, and unsure (under 0.3)"),
                    lambda m: min(0.5 - m["groups"]["money"]["accuracy"],
                                  0.3 - m["groups"]["money"]["confidence"]),
                    T("以为不会的时候它自己知道。", "thinks it knows when it does not know.")),
             Option(T("大多答错，有一半把握（0.3 到 0.7）",
                      "mostly wrong, half sure (0.3 to 0.7)"),
                    lambda m: min(0.5 - m["groups"]["money"]["accuracy"],
                                  m["groups"]["money"]["confidence"] - 0.3,
                                  0.7 - m["groups"]["money"]["confidence"]),
                    T("以为把握会跟着正确率打折。",
                      "expects sureness to be cut along with success.")),
             Option(T("大多答错，把握很大（0.7 以上）",
                      "mostly wrong, and very sure (over 0.7)"),
                    lambda m: min(0.5 - m["groups"]["money"]["accuracy"],
                                  m["groups"]["money"]["confidence"] - 0.7)))),),
    pins={"*.answers": COUNT, "*.count": COUNT, "*.right": COUNT, "*.words": COUNT,
          "*": SHIPPED},
    notes=T(
        "约 10 分钟。先投票，再给第一张表，让大家自己找出哪一行不对劲；最后看没全对的问法，猜它答的"
        "是什么（多半是本国的语言）。争论点：第 1 部分那条线，在这里为什么挡不住？",
        "About 10 minutes. Vote, show the first table, let the class find the row that is wrong; "
        "then the failed wordings: guess what it answers (mostly the country's "
        "language). The argument: why does the bar of part 1 not help here?"),
)

# --- 3. one temperature ------------------------------------------------------------

GRID = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def part_of(sheet: Sheet, chosen: Array) -> Sheet:
    """The answers about some countries only; chosen [24] of bool."""
    keep = np.tile(chosen, len(sheet.wordings))             # [n]
    countries = tuple(c for c, k
                      in zip(sheet.countries, chosen, strict=True) if k)
    return Sheet(sheet.wordings, countries, sheet.scores[keep],
                 sheet.answers[keep])


def one_for_all(scores: Array, t: float) -> Array:
    return scores / t                                       # [n, V]


def one_a_word(scores: Array, t: float) -> Array:
    """A control: only every second word gets the temperature."""
    return scores / np.where(np.arange(scores.shape[1]) % 2, t, 1.0)


def cooled(seed: int, fit: Any = fit_temperature, divide: Any = one_for_all,
           mark: Any = None, groups: Any = GROUPS) -> Metrics:
    """Fit T on half of the countries, try it on the other half."""
    model, world, tok = ready()
    rng = np.random.default_rng(seed)
    seen, *new = (sit(model, world, tok, groups[name])
                  for name in ("seen", "reworded", "money"))
    if mark:
        seen = mark(seen, rng)
    both, half = joined(*new), len(world.countries) // 2
    chosen = rng.permutation(2 * half) < half               # [24]
    halves = {"fitted": part_of(both, chosen),
              "tested": part_of(both, ~chosen)}
    found = fit(halves["fitted"].scores, halves["fitted"].answers)
    t, only = found.temperature, fit(seen.scores, seen.answers)

    def scores_of(sheet: Sheet, t: float) -> Metrics:
        return {"nll": nll(sheet.scores, sheet.answers, t),
                **judged(sheet, t)}

    sheets = {**halves, "seen": seen}
    after = {k: replace(s, scores=divide(s.scores, t))
             for k, s in sheets.items()}
    return {
        "temperature": t, "half": half, "grid": GRID,
        "before": {k: scores_of(s, 1.0) for k, s in sheets.items()},
        "after": {k: scores_of(s, 1.0) for k, s in after.items()},
        "changed": sum(int((after[k].said != s.said).sum())
                       for k, s in sheets.items()),
        "items": sum(len(s.answers) for s in sheets.values()),
        "curve": {k: [nll(s.scores, s.answers, x) for x in GRID]
                  for k, s in sheets.items()},
        "money": {"before": judged(new[1]), "after": judged(new[1], t)},
        "all_right": {"temperature": only.temperature, "lowest": 0.05,
                      "nll": nll(seen.scores, seen.answers,
                                 only.temperature),
                      "wrong": int((~seen.right).sum())}}


def not_fitted(scores: Array, answers: Array) -> Any:
    """A control: a search that may only say 1."""
    return fit_temperature(scores, answers, 1.0, 1.0, 0)


SHEET_NAMES = {
    "fitted": T("新问法，拟合的一半", "new wordings, fitted half"),
    "tested": T("新问法，另一半", "new wordings, other half"),
    "seen": T("训练过的问法", "phrasings seen"),
}


def show_cooled(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "补救的办法只有一个数：softmax 之前，把所有分数除以温度 T。在 {half} 个国家的新问法上选 T，"
        "使正确词的平均意外（NLL）最小，再拿到另外 {half} 个国家上试。得到 T = {temperature:.2f}。",
        "The repair is one number: before softmax divide every score by a temperature T. Choose "
        "it on the new wordings about {half} countries so that the mean surprise of the right "
        "word (NLL) is lowest, then try it on the other {half}. Found: T = {temperature:.2f}."))
    yield Table(
        (Column(T("题目", "answers")), Column(T("T", "T"), ".2f"), Column(T("NLL", "NLL"), ".3f"),
         Column(T("题数", "number"), "d"), Column(T("对的比例", "share right"), ".3f"),
         Column(T("置信度", "confidence"), ".3f"), Column(T("ECE", "ECE"), ".3f")),
        [[SHEET_NAMES[k], t, *m[when][k].values()] for k in SHEET_NAMES
         for when, t in (("before", Num(m["grid"][3], ".0f")), ("after", m["temperature"]))],
        title=T("除以 T 之前和之后", "Before and after dividing by T"))
    yield Curve(
        m["grid"], [(SHEET_NAMES[k], m["curve"][k]) for k in SHEET_NAMES],
        T("温度 T", "temperature T"), T("NLL", "NLL"), low=0.0,
        title=T("正确词的意外随温度怎么变", "Surprise of the right word against temperature"))


TEMPERATURE = Part(
    number=3, key="temperature",
    title=T("一个温度：能修什么，不能修什么", "One temperature: what it repairs and what not"),
    compute=cooled, describe=show_cooled, recipes=("base",),
    controls={"not_fitted": partial(cooled, fit=not_fitted),
              "one_a_word": partial(cooled, divide=one_a_word),
              "labels_mixed": partial(cooled, mark=shuffled),
              "all_seen": partial(cooled, groups=ALL_SEEN)},
    claims=(
        Claim("same_words", T(
            "{items} 题里，说出的词变了 {changed} 题：除以同一个正数，名次不动，正确率也就不动。",
            "Of {items} answers {changed} change their word: dividing by one positive number "
            "keeps the order, and so the share right."),
            lambda m: min(m["items"] - 0.5, 0.5 - m["changed"]), "one_a_word"),
        Claim("repairs", T(
            "在没用来拟合的国家上：NLL 从 {before[tested][nll]:.2f} 降到 {after[tested][nll]:.2f}，"
            "ECE 从 {before[tested][ece]:.3f} 降到 {after[tested][ece]:.3f}。",
            "On the countries not used for the fit the NLL falls from {before[tested][nll]:.2f} "
            "to {after[tested][nll]:.2f}, the ECE from {before[tested][ece]:.3f} to "
            "{after[tested][ece]:.3f}."),
            lambda m: min(m["before"]["tested"]["nll"] - m["after"]["tested"]["nll"],
                          m["before"]["tested"]["ece"] - m["after"]["tested"]["ece"]),
            "not_fitted"),
        Claim("price", T(
            "代价：它本来有把握也全对的老问法，置信度从 {before[seen][confidence]:.3f} 降到 "
            "{after[seen][confidence]:.3f}，ECE 从 {before[seen][ece]:.3f} 升到 "
            "{after[seen][ece]:.3f}。一个数压低所有人的声音，分不出谁在胡说。",
            "The price: on the phrasings it had right and was sure of, confidence falls from "
            "{before[seen][confidence]:.3f} to {after[seen][confidence]:.3f} and the ECE rises "
            "from {before[seen][ece]:.3f} to {after[seen][ece]:.3f}. One number quiets "
            "everybody; it cannot tell who is inventing."),
            lambda m: min(m["before"]["seen"]["confidence"] - m["after"]["seen"]["confidence"],
                          m["after"]["seen"]["ece"] - m["before"]["seen"]["ece"]),
            "not_fitted"),
        Claim("money_stays", T(
            "问钱的题修不好：只对 {money[after][accuracy]:.1%}，除以 T 之后仍报 "
            "{money[after][confidence]:.2f}。",
            "Money is not repaired: {money[after][accuracy]:.1%} right, and after dividing by T "
            "still {money[after][confidence]:.2f} confident."),
            lambda m: m["money"]["after"]["confidence"] - m["money"]["after"]["accuracy"] - 0.1,
            "all_seen"),
        Claim("needs_mistakes", T(
            "没有错题，就没有东西可拟合：在错 {all_right[wrong]} 题的老问法上，T 一路降到搜索的"
            "下限 {all_right[temperature]:.2f}，越自信越好。",
            "Without a mistake there is nothing to fit: on the phrasings seen, "
            "{all_right[wrong]} wrong, T runs down to {all_right[temperature]:.2f}, the limit "
            "of the search; surer is always better."),
            lambda m: min(0.5 - m["all_right"]["wrong"],
                          1.01 * m["all_right"]["lowest"] - m["all_right"]["temperature"]),
            "labels_mixed"),
    ),
    caveat=T(
        "两半只隔开了国家，问法是同一批。所以这里试的是“换国家”，不是“换问法”；对没见过的问法，"
        "这个 T 未必合适。数字属于随课发的这一份权重。",
        "The halves differ in countries, not in wordings. So this tries T on other countries; "
        "for other wordings it need not fit."),
    questions=(Question(
        T("在新问法上选出一个温度，把所有分数都除以它。正确率会怎样？",
          "Choose one temperature on the new wordings and divide all scores by it. What "
          "happens to the share of right answers?"),
        (Option(T("提高：过分自信修好了", "it rises: overconfidence is repaired"),
                lambda m: (m["after"]["tested"]["accuracy"]
                           - m["before"]["tested"]["accuracy"]),
                T("把校准当成能力。修的是概率，不是答案。",
                  "takes calibration for ability. Probabilities are repaired, not answers.")),
         Option(T("降低：分布变平，错的更多", "it falls: a flatter spread errs more"),
                lambda m: (m["before"]["tested"]["accuracy"]
                           - m["after"]["tested"]["accuracy"]),
                T("想的是抽样。这里取最大的那个，再平也还是它最大。",
                  "thinks of sampling. Here the largest is taken, and it stays the largest.")),
         Option(T("一题也不变", "not one answer changes"),
                lambda m: 0.5 - m["changed"]),
         Option(T("总数不变，但有些题换了答案", "the total stays, but some answers change"),
                lambda m: min(m["changed"] - 0.5,
                              1e-9 - abs(m["after"]["tested"]["accuracy"]
                                         - m["before"]["tested"]["accuracy"])),
                T("以为名次会变。同除一个正数，大小次序不变。",
                  "thinks ranks move. Divided by one positive number, the order stays.")))),),
    pins={"changed": COUNT, "items": COUNT, "half": COUNT, "*.answers": COUNT,
          "temperature": close("the flat bottom of a curve", 1e-4),
          "all_right.*": close("an exponentially small NLL", 1e-3, 1e-9),
          "after.*": close("follows the fitted temperature", 1e-4, 1e-6),
          "money.after.*": close("follows the fitted temperature", 1e-4, 1e-6),
          "*": SHIPPED},
    notes=T(
        "约 7 分钟。先投票。争论点：校准集该从哪里来？要是只有模型全会的题，温度就没有意义；要是"
        "混进它不懂的题，会的题也被压低。--seed 换一种对半分法。",
        "About 7 minutes. Vote first. The argument: where should calibration data come from? If "
        "the model knows it all, no temperature can be found; if it holds what the model does "
        "not understand, the known pays for it. --seed draws another half."),
)

# --- 4. the beta of demo 04 ----------------------------------------------------------

WORDS, LIST, LISTS = 20, 10, 100
BETAS = (20.0, 10.0, 5.0, 3.0, 2.0, 1.0)


def blunted(seed: int, betas: tuple[float, ...] = BETAS,
            wrong: bool = False) -> Metrics:
    """The hand-built head on lists said twice, its second layer blunted."""
    seqs = repeated_sequences(WORDS, LIST, LISTS, seed)     # [100, 20]
    again = slice(LIST, 2 * LIST - 1)           # the next word is known
    answers = seqs[:, LIST + 1:].ravel()                    # [900]
    if wrong:
        answers = np.random.default_rng(seed).permutation(answers)
    rows = []
    for shown, beta in zip(BETAS, betas, strict=True):
        head = HandBuiltInduction(WORDS, 2 * LIST, beta)
        # values are whole words: the weights add up to probabilities
        P = head.predict(seqs)[1][:, again].reshape(-1, WORDS)
        right, sure = P.argmax(-1) == answers, P.max(-1)
        rows.append({"beta": shown, "accuracy": right.mean(),
                     "confidence": sure.mean(), "ece": ece(sure, right)})
    return {"rows": rows, "answers": len(answers),
            "least_right": min(row["accuracy"] for row in rows),
            "sharp": rows[0], "blunt": rows[-1]}


def show_blunted(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "演示 04 手工搭的归纳头：一串词说两遍，第二遍里它知道下一个词。第二层的分数乘 β，就是除以"
        "温度 1/β。它取回的是各个词的加权平均，可以直接当作概率读。",
        "The induction head built by hand in demo 04: a list is said twice, and the second time "
        "it knows the next word. Its second layer multiplies scores by β, that is, divides them "
        "by a temperature 1/β. What it fetches is a weighted mean of words, to be read as "
        "probabilities."))
    yield Table(
        (Column(T("β", "β"), "g"), Column(T("对的比例", "share right"), ".1%"),
         Column(T("平均置信度", "confidence"), ".3f"), Column(T("ECE", "ECE"), ".3f")),
        [list(row.values()) for row in m["rows"]],
        title=T("第二遍的 {answers} 个位置", "{answers} places of the second saying"))


BETA = Part(
    number=4, key="beta",
    title=T("最简单的情形：答对了，却越来越没把握",
            "The simplest case: right, and less and less sure"),
    compute=blunted, describe=show_blunted,
    controls={"beta_ignored": partial(blunted, betas=(20.0,) * len(BETAS)),
              "labels_mixed": partial(blunted, wrong=True)},
    claims=(
        Claim("right_but_unsure", T(
            "β 从 {sharp[beta]:g} 降到 {blunt[beta]:g}，答案始终对 {least_right:.1%}，平均置信度"
            "从 {sharp[confidence]:.2f} 落到 {blunt[confidence]:.2f}。对不对看名次，"
            "有没有把握看差距。",
            "As β goes from {sharp[beta]:g} to {blunt[beta]:g}, {least_right:.1%} stay right "
            "while mean confidence falls from {sharp[confidence]:.2f} to "
            "{blunt[confidence]:.2f}. Rank decides what is right, distance how sure it is."),
            lambda m: min(m["least_right"] - 0.999,
                          m["sharp"]["confidence"] - m["blunt"]["confidence"] - 0.5),
            "beta_ignored"),
        Claim("not_sure_enough", T(
            "没校准不只是太自信：β = {blunt[beta]:g} 时 ECE 是 {blunt[ece]:.2f}，全因为不够自信，"
            "正好等于正确率减去平均置信度。",
            "Miscalibrated does not only mean too sure: at β = {blunt[beta]:g} the ECE is "
            "{blunt[ece]:.2f}, all of it for want of confidence: exactly the share right less "
            "the mean confidence."),
            lambda m: min(m["blunt"]["accuracy"] - m["blunt"]["confidence"] - 0.1,
                          1e-9 - abs(m["blunt"]["accuracy"] - m["blunt"]["confidence"]
                                     - m["blunt"]["ece"])), "labels_mixed"),
    ),
    caveat=T(
        "这里的词表只有手工的几个方向，概率就是注意力权重。训练出来的模型，注意力权重和答案的概率是"
        "两回事。",
        "Here the probabilities are the attention weights themselves, because the head was built "
        "so. In a trained model the weights and the probability of an answer are two things."),
    questions=(Question(
        T("把手工归纳头的 β 从 20 降到 1。正确率和置信度会怎样？",
          "Lower the β of the hand-built induction head from 20 to 1. What happens to the share "
          "right and to the confidence?"),
        (Option(T("都下降", "both fall"),
                lambda m: min(0.999 - m["least_right"],
                              m["sharp"]["confidence"] - m["blunt"]["confidence"] - 0.05),
                T("以为没把握就会错。只要第一名还是第一名，答案就不变。",
                  "thinks unsure means wrong. As long as the first stays first, the answer "
                  "stays.")),
         Option(T("正确率不变，置信度下降", "right as before, but less sure"),
                lambda m: min(m["least_right"] - 0.999,
                              m["sharp"]["confidence"] - m["blunt"]["confidence"] - 0.05)),
         Option(T("正确率下降，置信度不变", "less often right, as sure as before"),
                lambda m: min(0.999 - m["least_right"],
                              0.05 - abs(m["sharp"]["confidence"]
                                         - m["blunt"]["confidence"])),
                T("把 β 当成噪声。β 不碰名次，只碰差距。",
                  "takes β for noise. It touches distances, not ranks.")),
         Option(T("都不变", "neither changes"),
                lambda m: min(m["least_right"] - 0.999,
                              0.05 - abs(m["sharp"]["confidence"]
                                         - m["blunt"]["confidence"])),
                T("以为既然答案一样，分布也一样。",
                  "thinks that with the answers the probabilities stay too.")))),),
    pins={"answers": COUNT, "*": close("deterministic float64: only rounding may differ")},
    notes=T(
        "约 4 分钟，收尾用。和第 2 部分并排看：那边错得有把握，这边对得没把握；两边的 ECE 都大。",
        "About 4 minutes, to close. Set it beside part 2: there sure and wrong, here right and "
        "unsure; the ECE is large both times."),
)

PARTS: tuple[Part, ...] = (UNKNOWN, PHRASINGS, TEMPERATURE, BETA)
