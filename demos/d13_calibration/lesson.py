"""The confidence behind demo 13: the largest probability, beside the share right.

Part 1 puts rows that were never a country where the country stands. Part 2 asks in
phrasings seen and unseen and keeps the answers on a `Sheet`, which part 3 divides between a
half on which one temperature is fitted and a half on which it is tried. Part 4 draws the
word instead of taking the likeliest, with and without a cut of the tail. What other
training seeds give is a record, made by these very functions (`net`, `over`).

Longer than 450 lines because the thirty wordings stand here, and every claim brings a control
that exchanges one thing: a wording, a word, whose facts, where T was fitted, the cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_np import softmax
from lecture import records
from lecture.lab.calibration import (
    auroc,
    ece,
    fit_temperature,
    nll,
    reliability,
    right_of_surest,
)
from lecture.lab.probes import Questions, questions
from lecture.lab.sampling import top_k, top_p
from lecture.models.gpt_np import GPT, ready
from lecture.report import Metrics
from pretrain_world import (
    ATTRIBUTES,
    DOC,
    PROMPT,
    QUESTIONS,
    RELATIONS,
    STATEMENTS,
    Country,
    Tokenizer,
    World,
    tokenizer,
)

Array = np.ndarray


def country_model(net: GPT | None = None) -> tuple[GPT, World, Tokenizer]:
    """The tiny GPT of demo 04 (or one trained alike), its world and its words."""
    model, recipe = ready("base")
    world = recipe.data.world()
    return net or model, world, tokenizer(world)


def over_seeds(wanted: Mapping[str, str]) -> Metrics:
    """What other trainings of that model give, a record: {name: path in a run}."""
    record = records.read("calibration_seeds")
    runs = record["runs"]
    found: Metrics = {"seeds": len(runs), "p": record["p"], "runs": [
        {"seed": run["seed"]} | {
            name: reduce(lambda found, key: found[key], path.split("."), run)
            for name, path in wanted.items()} for run in runs]}
    for name in wanted:
        values = sorted(run[name] for run in found["runs"])
        found[name] = {"low": values[0], "high": values[-1],
                       "middle": values[(len(values) - 1) // 2]}
    return found


# --- 1. an unknown country ----------------------------------------------------

FRESH_STD = 0.02            # how the recipe draws a row before any training


def with_rows(model: GPT, q: Questions, rows: Array) -> Array:
    """Scores [n, V] of the answer when the countries have other rows."""
    n = np.arange(len(q.ids))
    place = model.w["wpe.weight"][q.country]                # [n, d]

    def edit(x: Array) -> Array:                            # [n, T, d]
        x[n, q.country] = np.repeat(rows, len(RELATIONS), 0) + place
        return x

    return model.run(q.ids, {"embed": edit}).logits[n, q.last]


def drawn_rows(model: GPT, world: World, tok: Tokenizer,
               rng: np.random.Generator) -> dict[str, Array]:
    """A row [24, d] a country: its own, one drawn like them, one untrained."""
    known = model.w["wte.weight"][[tok.stoi[c.name] for c in world.countries]]
    middle, n = known.mean(0), len(known)
    mix = rng.standard_normal((n, n)) / np.sqrt(n - 1)
    return {"known": known,
            # drawn with the mean and the covariance of the 24 known rows
            "alike": middle + mix @ (known - middle),       # [24, d]
            "fresh": rng.normal(0, FRESH_STD, known.shape)}


def unknown(seed: int, put: Mapping[str, str] = MappingProxyType({}),
            net: GPT | None = None, over: Any = over_seeds) -> Metrics:
    """The 96 questions, about names never seen as a country.

    put: a control, which rows stand for which.

    Leaves:
      rows.{known,alike,fresh}.{mean,lowest,highest,over_bar,asked_kind}
      bar guess questions countries caught example.{words,shares}[5]
      offered.{low,high}  figures of the vote's options
      record.{seeds,p,runs[s].{seed,mean,over_bar,alike,fresh},{mean,over_bar,
        alike,fresh}.{low,middle,high}}  alike, fresh: asked_kind
    """
    model, world, tok = country_model(net)
    q, rng = questions(world, tok), np.random.default_rng(seed)
    rows = drawn_rows(model, world, tok, rng)
    asked = [{tok.stoi[c.answer(relation)] for c in world.countries}
             for relation in RELATIONS] * len(world.countries)
    found: Metrics = {}
    for name in rows:
        P = softmax(with_rows(model, q, rows[put.get(name, name)]))
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
            "countries": len(world.countries), "bar": bar,
            "guess": 1 / len(world.countries),
            "caught": len(q.ids) - found["alike"]["over_bar"],
            "offered": {"low": 0.3, "high": 0.7},
            "record": over({"mean": "unknown.alike.mean",
                            "over_bar": "unknown.alike.over_bar",
                            "alike": "unknown.alike.asked_kind",
                            "fresh": "unknown.fresh.asked_kind"})}


UNKNOWN_CONTROLS: dict[str, Any] = {
    "never_trained": partial(unknown, put={"alike": "fresh"}),
    "not_new": partial(unknown, put={"alike": "known"}),
}


# --- 2. phrasings seen and unseen ---------------------------------------------

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
# the same money, told as in the corpus up to the word that is wanted
TOLD = {"currency": tuple(f"{text.partition('{a}')[0].strip()}"
                          for text in STATEMENTS["currency"])}
CUE = "do people"
DO = (CUE, "people")                # leaves out "do"
IN = ("in {c}", "{c}")              # leaves out "in", which they all have too
Phrasings = Mapping[str, tuple[str, ...]]
GROUPS: dict[str, Phrasings] = {
    "seen": SEEN, "held_out": HELD_OUT, "reworded": REWORDED, "money": MONEY,
    "told": TOLD}
COVERED = {"quarter": 0.25, "half": 0.5, "most": 0.75, "all": 1.0}


def lacking(forms: Phrasings, word: tuple[str, str] = DO) -> Phrasings:
    """The same wordings with a word left out: (with it, without it)."""
    return {r: tuple(text.replace(*word) for text in its)
            for r, its in forms.items()}


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


def sit(model: GPT, world: World, tok: Tokenizer, forms: Phrasings,
        prompt: str = PROMPT) -> Sheet:
    """Ask every wording about every country."""
    texts = [(text, r) for r, its in forms.items() for text in its]
    scores, right = [], []
    for text, relation in texts:
        ids = [tok.encode(prompt.format(question=text.format(c=c.name)))
               for c in world.countries]                    # [24, T]
        scores.append(model.run(ids).logits[:, -1])         # [24, V]
        right += [tok.stoi[c.answer(relation)] for c in world.countries]
    return Sheet(tuple(text for text, _ in texts), world.countries,
                 np.concatenate(scores), np.array(right))


def all_sheets(model: GPT, world: World, tok: Tokenizer,
               groups: Mapping[str, Phrasings]) -> dict[str, Sheet]:
    return {name: sit(model, world, tok, forms,
                      DOC + " {question}" if forms is TOLD else PROMPT)
            for name, forms in groups.items()}


def joined(*sheets: Sheet) -> Sheet:
    """Several sheets as one."""
    return Sheet(sum((s.wordings for s in sheets), ()), sheets[0].countries,
                 np.concatenate([s.scores for s in sheets]),
                 np.concatenate([s.answers for s in sheets]))


def judged(sheet: Sheet, temperature: float = 1.0) -> Metrics:
    sure, right = sheet.sure(temperature), sheet.right
    return {"answers": len(right), "accuracy": right.mean(),
            "confidence": sure.mean(), "ece": ece(sure, right),
            "auroc": auroc(sure, right)}


def by_wording(sheet: Sheet, tok: Tokenizer) -> list[Metrics]:
    """One row a wording: how many right, how sure, which attribute it named."""
    rows, n = [], len(sheet.countries)
    sure = sheet.sure()
    for i, text in enumerate(sheet.wordings):
        here = slice(i * n, (i + 1) * n)
        said = [tok.itos[t] for t in sheet.said[here]]
        named = {a: sum(getattr(c, a) == word for c, word
                        in zip(sheet.countries, said, strict=True))
                 for a in ATTRIBUTES}
        rows.append({"words": text.format(c="X"), "right": int(sheet.right[here].sum()),
                     "confidence": sure[here].mean(), **named})
    return rows


def cued(groups: Mapping[str, Phrasings]) -> Phrasings:
    """The new wordings that have the cue and do not ask for the language."""
    its = {r: tuple(text for text in texts if CUE in text)
           for name in ("reworded", "money")
           for r, texts in groups[name].items() if r != "language"}
    return {r: texts for r, texts in its.items() if texts}


def language_said(rows: list[Metrics]) -> int:
    return sum(row["language"] for row in rows)


def cue(model: GPT, world: World, tok: Tokenizer, word: tuple[str, str]) -> Metrics:
    """Wordings with "do people" that ask for something else; one word left out."""
    forms = cued(GROUPS)
    asked = by_wording(sit(model, world, tok, forms), tok)
    plain = by_wording(sit(model, world, tok, lacking(forms, word)), tok)
    trained = [d.relation for d in ready("base")[1].data.documents()
               if CUE in d.text]
    return {"wordings": len(asked), "asked": len(asked) * len(world.countries),
            "language": language_said(asked), "without": language_said(plain),
            "trained": len(trained),
            "trained_otherwise": sum(r != "language" for r in trained)}


def split(rows: list[Metrics], n: int) -> Metrics:
    """Wordings that more than half of the countries get right, and the others."""
    found: Metrics = {"language": sum(row["language"] == n for row in rows)}
    for kind in ("good", "bad"):
        its = [r for r in rows if (2 * r["right"] > n) == (kind == "good")]
        found |= {kind: len(its), f"{kind}_right": sum(r["right"] for r in its),
                  f"{kind}_surest": max((r["confidence"] for r in its),
                                        default=None)}
    return found


def names_own(sheet: Sheet, tok: Tokenizer, shift: int) -> Array:
    """Does an answer name a thing of its country (of the one `shift` before)?"""
    facts = [c.words() for c in sheet.countries]
    n = len(facts)
    return np.array([tok.itos[t] in facts[(i - shift) % n]
                     for i, t in enumerate(sheet.said)])


def surest(sheet: Sheet) -> Metrics:
    return {name: right_of_surest(sheet.sure(), sheet.right, share)
            for name, share in COVERED.items()}


def phrasings(seed: int, groups: Mapping[str, Phrasings] = GROUPS,
              shift: int = 0, leave_out: tuple[str, str] = DO,
              net: GPT | None = None, over: Any = over_seeds) -> Metrics:
    """Confidence beside accuracy on groups of phrasings; nothing is drawn.

    shift, leave_out: controls, whose facts a wrong answer is compared with,
    which word the cue goes without.

    Leaves:
      countries wrong own
      {groups.{seen,held_out,reworded,money,told},new}.{answers,accuracy,
        confidence,ece,auroc}
      bins[10].{low,high,count,confidence,accuracy}
      curve.{confidence[f],accuracy[f],calibrated[f]}  the bins that are full
      worked.{low,high,count,confidence,accuracy,adds}  one bin
      {money[w],failing[v]}.{words,right,confidence,capital,language,leader,
        known_for,currency}  of the countries
      split.{good,good_right,good_surest,bad,bad_right,bad_surest,
        language}  of the money; null: there is none
      cue.{wordings,asked,language,without,trained,trained_otherwise}
      surest.{reworded,money}.{quarter,half,most,all} covered.{quarter,half,
        most,all} offered.{unsure,sure}
      record.{seeds,p,inverted,runs[s].{seed,money,confidence,auroc,reworded,
        language,without,good},{money,confidence,auroc,reworded,language,
        without,good}.{low,middle,high}}
    """
    model, world, tok = country_model(net)
    sheets = all_sheets(model, world, tok, groups)
    new = joined(sheets["reworded"], sheets["money"])
    n, sure, right = len(world.countries), new.sure(), new.right
    bins = reliability(sure, right)
    full = [row for row in bins if row["count"]]
    money = by_wording(sheets["money"], tok)
    reworded = by_wording(sheets["reworded"], tok)
    record = over({
        "money": "groups.money.accuracy", "auroc": "groups.money.auroc",
        "confidence": "groups.money.confidence",
        "reworded": "groups.reworded.auroc", "language": "cue.language",
        "without": "cue.without", "good": "split.good"})
    return {
        "countries": n, "groups": {k: judged(s) for k, s in sheets.items()},
        "new": judged(new), "bins": bins,
        "curve": {"confidence": [row["confidence"] for row in full],
                  "accuracy": [row["accuracy"] for row in full],
                  "calibrated": [row["confidence"] for row in full]},
        "worked": {**bins[8], "adds": bins[8]["count"] / len(sure)
                   * abs(bins[8]["accuracy"] - bins[8]["confidence"])},
        "money": money, "failing": [r for r in reworded if r["right"] < n],
        "split": split(money, n),
        "wrong": int((~right).sum()),
        "own": int((names_own(new, tok, shift) & ~right).sum()),
        "cue": cue(model, world, tok, leave_out),
        "surest": {k: surest(sheets[k]) for k in ("reworded", "money")},
        "covered": COVERED, "offered": {"unsure": 0.4, "sure": 0.7},
        "record": record | {"inverted": sum(
            run["auroc"] < 0.5 for run in record["runs"])} if record else {}}


PHRASINGS_CONTROLS: dict[str, Any] = {
    # the held-out place taken by wordings further away
    "other_wordings": partial(phrasings, groups=GROUPS | {"held_out": REWORDED}),
    "told": partial(phrasings, groups=GROUPS | {"money": TOLD}),
    "do_left_out": partial(phrasings, groups=GROUPS | {
        "money": lacking(MONEY)}),
    "another_country": partial(phrasings, shift=1),
    "in_left_out": partial(phrasings, leave_out=IN),
}


# --- 3. one temperature -------------------------------------------------------

GRID = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
EXAMPLE = 1                         # of the money's wordings, about country 0


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


def fitted(sheet: Sheet) -> float:
    return fit_temperature(sheet.scores, sheet.answers).temperature


def one_a_wording(money: Sheet, chosen: Array, t: float) -> Sheet:
    """A control: each wording of the tested half has a temperature of its own,
    fitted on the other half."""
    n, test = len(money.countries), part_of(money, ~chosen)
    times = [fit_temperature(money.scores[i:i + n][chosen],
                             money.answers[i:i + n][chosen]).temperature
             for i in range(0, len(money.answers), n)]
    each = np.repeat(times, int((~chosen).sum()))[:, None]  # [tested, 1]
    return replace(test, scores=test.scores / each)


def scores_of(sheet: Sheet) -> Metrics:
    found = {"nll": nll(sheet.scores, sheet.answers), **judged(sheet)}
    return {k: v for k, v in found.items() if k != "answers"}


def cooled(seed: int, on: str = "new", divide: Any = one_for_all,
           each: Any = None, net: GPT | None = None,
           over: Any = over_seeds) -> Metrics:
    """Fit T on half of the countries, try it on the other half.

    on: which questions T is fitted on; each: a control for the money.

    Leaves:
      temperature half changed items grid[9]
      rows.{tested,reworded,money,seen}.{answers,{before,after}.{nll,accuracy,
        confidence,ece,auroc}}
      alone.{t,ece}  for the money: T fitted on the money of the first half
      example.{question,words[4],scores[4],before[4],after[4]}  four words
      curve.{tested,money,seen}[9]  nats an answer, by temperature
      record.{seeds,p,alike,rises,runs[s].{seed,temperature,before,after,
        seen_before,seen,ours_before,ours},{temperature,before,after,
        seen_before,seen,ours_before,ours}.{low,middle,high}}  ours: reworded
    """
    model, world, tok = country_model(net)
    rng = np.random.default_rng(seed)
    sheets = all_sheets(model, world, tok, GROUPS)
    sheets["new"] = joined(sheets["reworded"], sheets["money"])
    half = len(world.countries) // 2
    chosen = rng.permutation(2 * half) < half               # [24]
    fit_on = {k: part_of(s, chosen) for k, s in sheets.items()}
    t = fitted(fit_on[on])
    tested = {"tested": part_of(sheets["new"], ~chosen),
              "reworded": part_of(sheets["reworded"], ~chosen),
              "money": part_of(sheets["money"], ~chosen),
              "seen": sheets["seen"]}
    after = {k: replace(s, scores=divide(s.scores, t))
             for k, s in tested.items()}
    if each:
        after["money"] = each(sheets["money"], chosen, t)
    rows = {k: {"answers": len(s.answers), "before": scores_of(s),
                "after": scores_of(after[k])} for k, s in tested.items()}
    own = fitted(fit_on["money"])
    one = sheets["money"].scores[EXAMPLE * 2 * half]        # [V]
    first = one.argsort()[::-1][:4]
    record = over({"temperature": "temperature.t",
                   "before": "temperature.before",
                   "after": "temperature.after", "seen": "temperature.seen",
                   "seen_before": "groups.seen.ece",
                   "ours_before": "temperature.groups.reworded.before",
                   "ours": "temperature.groups.reworded.after"})
    if record:
        record["rises"] = sum(r["ours"] > r["ours_before"]
                              for r in record["runs"])
        record["alike"] = sum(
            r["after"] < r["before"] and r["seen"] > r["seen_before"]
            for r in record["runs"])
    return {
        "temperature": t, "half": half, "grid": GRID, "rows": rows,
        "changed": sum(int((after[k].said != s.said).sum())
                       for k, s in tested.items()),
        "items": sum(len(s.answers) for s in tested.values()),
        "alone": {"t": own, "ece": judged(tested["money"], own)["ece"]},
        "example": {"question": MONEY["currency"][EXAMPLE].format(
                        c=world.countries[0].name),
                    "words": [tok.itos[i] for i in first],
                    "scores": one[first], "before": softmax(one)[first],
                    "after": softmax(one / t)[first]},
        "curve": {k: [nll(s.scores, s.answers, x) for x in GRID]
                  for k, s in tested.items() if k != "reworded"},
        "record": record}


TEMPERATURE_CONTROLS: dict[str, Any] = {
    "one_a_word": partial(cooled, divide=one_a_word),
    "fitted_on_seen": partial(cooled, on="seen"),
    "fitted_on_reworded": partial(cooled, on="reworded"),
    "one_a_wording": partial(cooled, each=one_a_wording),
}


# --- 4. drawing the next word -------------------------------------------------

HEAT = {"one": 1.0, "warm": 1.5, "two": 2.0, "three": 3.0}


def same_heat(t: float) -> float:
    """A control: whatever is asked for, the temperature stays 1."""
    return 1.0


def drawn(k: int, p: float, seed: int, heat: Any = float, cut_p: Any = top_p,
          cut_k: Any = top_k, asked_of: Phrasings = MONEY,
          net: GPT | None = None, over: Any = over_seeds) -> Metrics:
    """Draw the word instead of taking the likeliest: exact shares, no draws.

    Leaves:
      words questions others largest_wrong still_first k p
      hot.{one,warm,two,three}.{t,right.{all,top_k,top_p},kept.{known,alike}}
      kept.{top_k,top_p}.{known,alike}.{mean,fewest,most}  words, at T = 1
      example.{words[5],{plain,hot,top_p,top_k}[6]}  the sixth is all others
      missed.{reworded,money}.{wrong,share}  top-p leaves the right word
      record.{seeds,p,fewer,runs[s].{seed,right,kept,ours,money},{right,kept,
        ours,money}.{low,middle,high}}  ours, money: missed, its share
    """
    model, world, tok = country_model(net)
    q = questions(world, tok)
    rows = drawn_rows(model, world, tok, np.random.default_rng(seed))
    scores = {kind: with_rows(model, q, rows[kind])
              for kind in ("known", "alike")}
    n = np.arange(len(q.ids))
    hot: Metrics = {}
    for name, asked in HEAT.items():
        P = {kind: softmax(s / heat(asked)) for kind, s in scores.items()}
        cuts = {"all": P["known"], "top_k": cut_k(P["known"], k),
                "top_p": cut_p(P["known"], p)}              # each [96, V]
        hot[name] = {
            "t": asked, "right": {way: Q[n, q.answers].mean()
                                  for way, Q in cuts.items()},
            "kept": {kind: (cut_p(P[kind], p) > 0).sum(-1).mean()
                     for kind in P}}
        if name == "two":
            still_first = int((cuts["all"].argmax(-1) == q.answers).sum())
            wrong = cuts["all"].copy()
            wrong[n, q.answers] = 0
    kept: Metrics = {}
    for way, cut, size in (("top_k", cut_k, k), ("top_p", cut_p, p)):
        counts = {kind: (cut(softmax(s), size) > 0).sum(-1)
                  for kind, s in scores.items()}
        kept[way] = {kind: {"mean": c.mean(), "fewest": c.min(),
                            "most": c.max()} for kind, c in counts.items()}
    one = {"plain": softmax(scores["alike"][0]),
           "hot": softmax(scores["alike"][0] / HEAT["two"])}
    one |= {"top_k": cut_k(one["plain"], k), "top_p": cut_p(one["plain"], p)}
    first = one["plain"].argsort()[::-1][:5]
    missed = {}
    for name, forms in {"reworded": REWORDED, "money": asked_of}.items():
        sheet = sit(model, world, tok, forms)
        left = cut_p(softmax(sheet.scores), p) > 0          # [n, V]
        kept_right = left[np.arange(len(left)), sheet.answers][~sheet.right]
        missed[name] = {"wrong": len(kept_right), "share": kept_right.mean()}
    record = over({"right": "drawn.right", "kept": "drawn.kept",
                   "ours": "drawn.missed.reworded.share",
                   "money": "drawn.missed.money.share"})
    return {
        "words": len(tok.itos), "others": len(tok.itos) - 1, "k": k, "p": p,
        "questions": len(q.ids), "hot": hot, "kept": kept,
        "largest_wrong": wrong.max(), "still_first": still_first,
        "example": {"words": [tok.itos[i] for i in first],
                    **{name: [*x[first], 1 - x[first].sum()]
                       for name, x in one.items()}},
        "missed": missed,
        "record": record | {"fewer": sum(
            r["money"] < r["ours"] for r in record["runs"])} if record else {}}


def uncut(P: Array, size: float) -> Array:
    """A control: nothing is cut."""
    return P


def as_top_k(P: Array, p: float) -> Array:
    """A control: always as many words, however sure the model is."""
    return top_k(P, 5)


DRAWN_CONTROLS: dict[str, Any] = {
    "heat_ignored": partial(drawn, heat=same_heat),
    "uncut": partial(drawn, cut_p=uncut, cut_k=uncut),
    "asked_anew": partial(drawn, asked_of=REWORDED),
    "always_as_many": partial(drawn, cut_p=as_top_k),
}
