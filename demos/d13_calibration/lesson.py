"""The confidence behind demo 13: the largest probability, beside the share right.

Part 1 puts rows that were never a country where the country stands. Part 2 asks in
phrasings seen and unseen and keeps the answers on a `Sheet`, which part 3 divides between a
half on which one temperature is fitted and a half on which it is tried. Part 4 judges
the hand-built head in the same way, made less and less sharp.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from attention_np import HandBuiltInduction, repeated_sequences, softmax
from lecture.lab.calibration import ece, fit_temperature, nll, reliability
from lecture.lab.probes import Questions, questions
from lecture.models.gpt_np import GPT, ready
from lecture.report import Metrics
from pretrain_world import PROMPT, QUESTIONS, RELATIONS, Country, Tokenizer, World, tokenizer

Array = np.ndarray


def country_model(trained: bool = True) -> tuple[GPT, World, Tokenizer]:
    """The tiny GPT of demo 04, its world and its words."""
    model, recipe = ready("base", trained)
    world = recipe.data.world()
    return model, world, tokenizer(world)


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


def unknown(seed: int, trained: bool = True, new: bool = True) -> Metrics:
    """The 96 questions, about names never seen as a country.

    Leaves:
      rows.{known,alike,word,fresh}.{mean,lowest,highest,  confidence
        over_bar,asked_kind}  of the questions
      bar guess questions countries example.{words,shares}[5]
    """
    model, world, tok = country_model(trained)
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


UNKNOWN_CONTROLS: dict[str, Any] = {
    "untrained": partial(unknown, trained=False),
    "not_new": partial(unknown, new=False),
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
    """Confidence beside accuracy on four groups of phrasings.

    Leaves:
      countries all_right wrong wrong_of_own_country
      {groups.{seen,held_out,reworded,money},shuffled,new}.{answers,accuracy,
        confidence,ece}
      bins[10].{low,high,count,confidence,accuracy} by_bins.{in_1,in_10,in_20}
      wordings[n].{words,right,confidence}  right: of the countries
    """
    model, world, tok = country_model(trained)
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


PHRASINGS_CONTROLS: dict[str, Any] = {
    "labels_mixed": partial(phrasings, mark=shuffled),
    "labels_kept": partial(phrasings, mix=lambda sheet, rng: sheet),
    "all_seen": partial(phrasings, groups=ALL_SEEN),
}


# --- 3. one temperature -------------------------------------------------------

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
    """Fit T on half of the countries, try it on the other half.

    Leaves:
      temperature half changed items grid[9]
      {before,after}.{fitted,tested,seen}.{nll,answers,accuracy,confidence,ece}
      curve.{fitted,tested,seen}[9]  nats an answer, by temperature
      money.{before,after}.{answers,accuracy,confidence,ece}
      all_right.{temperature,lowest,nll,wrong}
    """
    model, world, tok = country_model()
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


TEMPERATURE_CONTROLS: dict[str, Any] = {
    "not_fitted": partial(cooled, fit=not_fitted),
    "one_a_word": partial(cooled, divide=one_a_word),
    "labels_mixed": partial(cooled, mark=shuffled),
    "all_seen": partial(cooled, groups=ALL_SEEN),
}


# --- 4. the beta of demo 04 ---------------------------------------------------

WORDS, LIST, LISTS = 20, 10, 100
BETAS = (20.0, 10.0, 5.0, 3.0, 2.0, 1.0)


def blunted(seed: int, betas: tuple[float, ...] = BETAS,
            wrong: bool = False) -> Metrics:
    """The hand-built head on lists said twice, its second layer blunted.

    Leaves:
      {rows[6],sharp,blunt}.{beta,accuracy,confidence,ece}
      answers least_right
    """
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


BETA_CONTROLS: dict[str, Any] = {
    "beta_ignored": partial(blunted, betas=(20.0,) * len(BETAS)),
    "labels_mixed": partial(blunted, wrong=True),
}
