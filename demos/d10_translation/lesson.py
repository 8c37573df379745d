"""The translators behind demo 10: shipped ones in all parts but the last.

Part 1 holds an exam of sentences never seen and exchanges what two nouns hand over; part 2
follows one sentence, then hides from a step what it looks at; part 3 searches small tables
with beams of several widths, then the translator, and reads the record of translators
stopped early; part 4 reads views of three small families from a record, or of a folder of
your own.

Longer than 450 lines because sentences are typed by hand, and refusing them kindly, linking
words across languages, hiding what a step looks at and drawing tables to search are all done
here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from lecture import records
from lecture.data import phrases
from lecture.data.phrases import Pair
from lecture.errors import UsageProblem
from lecture.models import beam, hf, translate_np
from lecture.models.translate_np import (
    BOS,
    EOS,
    Translator,
    cut_across,
    swap_values,
    zero_cross,
)
from lecture.report import Metrics

Array = np.ndarray
MODELS = {"fr_en": "french_english", "en_zh": "english_chinese"}


def exam(model: Translator, pairs: Sequence[Pair], **how: Any) -> int:
    """How many sentences come out word for word as they should."""
    said = model.greedy(model.source_ids([p.source for p in pairs]), **how)
    return right(said, pairs)


def right(said: Sequence[Sequence[str]], pairs: Sequence[Pair]) -> int:
    return sum(tuple(s) == p.target for s, p in zip(said, pairs, strict=True))


def middle(numbers: Sequence[float]) -> float:
    """The lower middle one."""
    return sorted(numbers)[(len(numbers) - 1) // 2]


# --- 1. an encoder-decoder that works -----------------------------------------

LIVING = {noun for row in phrases.LIVING for noun in row[:2]}
SHOWN = {"fr_en": ("je t' aime", "elle ne les regarde pas",
                   "le chat content attend la fille"),
         "en_zh": ("I love AI", "he plays the piano at home today",
                   "she plays football every day",
                   "he does not wear that old hat")}


def two_nouns(pairs: Sequence[Pair]) -> tuple[list[Pair], Array, Array]:
    """Who does it to whom: both living, both one or both many, both "the"."""
    chosen, places = [], []
    for p in pairs:
        nouns = [i for i, w in enumerate(p.source) if w in LIVING]
        if (len(nouns) == 2 and p.target.count("the") == 2
                and len({p.source[i][-1] == "s" for i in nouns}) == 1
                and p.source[nouns[0]] != p.source[nouns[1]]):
            chosen.append(p)
            places.append(nouns)
    first, second = np.array(places).T                      # [n] each
    return chosen, first, second


def noun_for_noun(pair: Pair, first: int, second: int) -> list[str]:
    """The translation with the two nouns in each other's place."""
    said = list(pair.target)
    i, j = (pair.links.index((place,)) for place in (first, second))
    said[i], said[j] = said[j], said[i]
    return said


def exchanged(model: Translator, pairs: Sequence[Pair], what: str,
              rng: np.random.Generator) -> Metrics:
    """Exchange values (or whole vectors, or two drawn values) and translate."""
    chosen, first, second = two_nouns(pairs)
    source = model.source_ids([p.source for p in chosen])   # [n, longest]
    want = [noun_for_noun(*row) for row in zip(
        chosen, first, second, strict=True)]
    memory, patch, row = model.encode(source), None, np.arange(len(chosen))
    a, b = first, second
    if what == "elsewhere":
        drawn = [rng.permutation([i for i in range(len(p.source))
                                  if i not in nouns])[:2]
                 for p, *nouns in zip(chosen, first, second, strict=True)]
        a, b = np.array(drawn).T                            # [n] each
    if what == "vectors":
        memory[row, a], memory[row, b] = memory[row, b], memory[row, a]
    else:
        patch = swap_values(model.cfg, a, b)
    said = model.greedy(source, patch, memory=memory)
    return {"sentences": len(chosen),
            "swapped": sum(s == w for s, w in zip(said, want, strict=True)),
            "unchanged": sum(tuple(s) == p.target for s, p in zip(
                said, chosen, strict=True))}


def word_by_word(direction: str, words: Sequence[str]) -> str:
    """A dictionary and no grammar: each word by its commonest translation."""
    meaning = phrases.dictionary(direction)
    return " ".join(filter(None, (meaning[w] for w in words)))


def nearest(direction: str, asked: Sequence[Pair]) -> list[tuple[str, ...]]:
    """Learned by heart: the translation of the most similar trained sentence.

    Similar: shared words, twice, by the length of both.
    """
    corpus = phrases.corpus(direction)
    place = {w: i for i, w in enumerate(corpus.source_words)}

    def bags(pairs: Sequence[Pair]) -> Array:
        made = np.zeros((len(pairs), len(place)), np.float32)
        for row, pair in zip(made, pairs, strict=True):
            np.add.at(row, [place[w] for w in pair.source], 1)
        return made

    ours, theirs = bags(asked), bags(corpus.trained_on)
    shared = np.minimum(ours, 1) @ np.minimum(theirs, 1).T
    sizes = ours.sum(1)[:, None] + theirs.sum(1)            # [asked, trained]
    return [corpus.trained_on[i].target
            for i in (shared / sizes).argmax(1)]


def padding(model: Translator, pairs: Sequence[Pair], masked: bool) -> Metrics:
    """The same sentences alone, and in a batch padded out to a dozen words."""
    source = model.source_ids([p.source for p in pairs])    # [n, longest]
    wide = np.pad(source, ((0, 0), (0, 12 - source.shape[1])))      # [n, 12]
    inputs = np.full((len(pairs), 1), translate_np.BOS)
    both = model.greedy(wide, masked=masked)
    logits = model.run(wide, inputs, masked=masked).logits  # [n, 1, V]
    alone, moved = [], []
    for p, batched in zip(pairs, logits, strict=True):
        one = model.source_ids([p.source])                  # [1, own length]
        alone += model.greedy(one, masked=masked)
        moved.append(abs(model.run(one, inputs[:1], masked=masked)
                         .logits[0] - batched).max())
    return {"sentences": len(pairs), "width": wide.shape[1],
            "different": sum(a != b for a, b in zip(alone, both,
                                                    strict=True)),
            "moved": max(moved)}


def averaged(model: Translator, pairs: Sequence[Pair]) -> list[list[str]]:
    """What it says of one vector for the sentence: the mean, at every place."""
    source = model.source_ids([p.source for p in pairs])    # [B, n]
    memory, real = model.encode(source), (source != 0)[..., None]
    mean = (memory * real).sum(1, keepdims=True) / real.sum(1, keepdims=True)
    return model.greedy(source,             # [B, n, d]
                        memory=np.broadcast_to(mean, memory.shape))


def in_any_order(pairs: Sequence[Pair], rng: np.random.Generator
                 ) -> list[Pair]:
    """The same words of each source, in a drawn order."""
    return [p._replace(source=tuple(rng.permutation(p.source)))
            for p in pairs]


def translate(seed: int, trained: bool = True, masked: bool = True,
              exchange: str = "values", together: str = "vectors",
              ordered: bool = True, pooled: bool = True) -> Metrics:
    """The exam, the structure, padding, and two values exchanged.

    Leaves:
      trained_on held_out exam.{model,by_word,nearest,shuffled}.{fr_en,en_zh}
      examples.{fr_en,en_zh}[n].{source,said,by_word}
      memory.{words,vectors,width}
      layers.{encoder,decoder,heads,numbers} sub_layers.{encoder,decoder}
      keys_are_not_values padding.{sentences,width,different,moved}
      {swap,vectors,elsewhere}.{sentences,swapped,unchanged}
      swap_example.{source,plain,swapped}
      {pooled,averaged}.{fr_en,en_zh}.{each[5],middle,lowest,highest}
      record.{seeds,lowest,swapped.{each[5],middle,lowest,highest},
        bleu.{model,by_word,nearest,pooled}.{fr_en,en_zh}}
    """
    models = {d: translate_np.load(n, trained) for d, n in MODELS.items()}
    rng = np.random.default_rng(seed)
    kinds = ("model", "by_word", "nearest", "shuffled")
    found: Metrics = {"exam": {k: {} for k in kinds}, "examples": {}}
    for d, model in models.items():
        pairs = phrases.corpus(d).held_out
        shuffled = exam(model, in_any_order(pairs, rng))
        for kind, count in (
                ("model", exam(model, pairs) if ordered else shuffled),
                ("by_word", right([word_by_word(d, p.source).split()
                                   for p in pairs], pairs)),
                ("nearest", right(nearest(d, pairs), pairs)),
                ("shuffled", shuffled)):
            found["exam"][kind][d] = count
        said = model.greedy(model.source_ids([s.split() for s in SHOWN[d]]))
        found["examples"][d] = [
            {"source": text, "said": " ".join(words),
             "by_word": word_by_word(d, text.split())}
            for text, words in zip(SHOWN[d], said, strict=True)]
    model, corpus = models["fr_en"], phrases.corpus("fr_en")
    cfg, held_out = model.cfg, corpus.held_out
    source = model.source_ids([held_out[0].source])         # je t' aime
    trace = model.run(source, np.array([[BOS]]), trace=True).trace
    pair = ["le chat regarde le chien".split()]
    values = swap_values(cfg, np.array([1]), np.array([4]))
    return found | {
        "trained_on": len(corpus.trained_on), "held_out": len(held_out),
        "memory": {"words": source.shape[1],
                   "vectors": trace["memory"].shape[1],
                   "width": trace["memory"].shape[2]},
        "layers": {"encoder": cfg.encoder_layers,
                   "decoder": cfg.decoder_layers, "heads": cfg.n_head,
                   "numbers": sum(a.size for a in model.w.values())},
        "sub_layers": {side: sum(n.startswith(f"{side}.0.norm")
                                 and n.endswith("weight") for n in model.w)
                       for side in ("encoder", "decoder")},
        "keys_are_not_values": abs(trace["D.0.cross.k"]
                                   - trace["D.0.cross.v"]).max(),
        "padding": padding(model, held_out[:8], masked),
        "swap": exchanged(model, held_out, exchange, rng),
        "vectors": exchanged(model, held_out, together, rng),
        "elsewhere": exchanged(model, held_out, "elsewhere", rng),
        "swap_example": {
            "source": " ".join(pair[0]),
            "plain": " ".join(model.greedy(model.source_ids(pair))[0]),
            "swapped": " ".join(model.greedy(model.source_ids(pair),
                                             values)[0])},
        "pooled": {d: one_vector(d, "pooled" if pooled else "averaged")
                   for d in MODELS},
        "averaged": {d: one_vector(d, "averaged") for d in MODELS},
        "record": over_seeds()}


TRANSLATE_CONTROLS: dict[str, Any] = {
    "words_shuffled": partial(translate, ordered=False),
    "averaged_afterwards": partial(translate, pooled=False),
    "padding_seen": partial(translate, masked=False),
    "swap_elsewhere": partial(translate, exchange="elsewhere"),
    "keys_stay": partial(translate, together="values"),
}


def one_vector(direction: str, how: str) -> Metrics:
    """The exam with one vector a sentence, the mean: a record, sorted.

    pooled: a twin trained with it; averaged: the usual one, afterwards.
    """
    each = sorted(r[how] for r in records.read("translate_seeds")["runs"]
                  if r["direction"] == direction)
    return {"each": each, "middle": middle(each), "lowest": each[0],
            "highest": each[-1]}


def over_seeds() -> Metrics:
    """Both translators from other seeds, on the same exam: a record."""
    record = records.read("translate_seeds")
    runs = record["runs"]
    swapped = [r["swapped"] for r in runs if r["direction"] == "fr_en"]
    return {"seeds": record["seeds"], "lowest": min(r["exact"] for r in runs),
            "swapped": {"each": sorted(swapped), "middle": middle(swapped),
                        "lowest": min(swapped), "highest": max(swapped)},
            "bleu": record["bleu"]}


# --- 2. step by step ----------------------------------------------------------

EXAM = 200              # sentences of the exam whose looks are counted and cut

def sentence(text: str) -> tuple[str, list[str]]:
    """A typed sentence as (direction, words); unknown words are named."""
    direction, words, unknown = phrases.read(text)
    if unknown or not words:
        known = " ".join(phrases.corpus(direction).source_words[1:])
        named = ", ".join(dict.fromkeys(unknown)) or "no word at all"
        raise UsageProblem(f"the translator does not know: {named}",
                           f"its words are: {known}")
    limit = translate_np.load(MODELS[direction]).cfg.context
    if len(words) > limit:
        raise UsageProblem(f"the sentence has {len(words)} words",
                           f"give at most {limit}")
    return direction, words


def by_heads(model: Translator, pairs: Sequence[Pair]) -> tuple[Array, Array]:
    """The cross-attention of every head and its mean, true words as inputs.

    maps [L, h + 1, B, m, n]; the last of each layer is the mean of its heads.
    """
    source = model.source_ids([p.source for p in pairs])    # [B, n]
    inputs = model.input_ids([p.target for p in pairs])     # [B, m]
    run = model.run(source, inputs, trace=True)
    maps = [run.trace[f"D.{i}.cross.weights"].swapaxes(0, 1)
            for i in range(model.cfg.decoder_layers)]       # each [h, B, m, n]
    return np.stack([np.concatenate([a, a.mean(0, keepdims=True)])
                     for a in maps]), run.logits


def linked(pairs: Sequence[Pair], shape: tuple[int, ...]) -> Array:
    """True where target word i stands for source word j; [B, m, n]."""
    links = np.zeros(shape, bool)
    for b, p in enumerate(pairs):
        for i, places in enumerate(p.links):
            links[b, i, list(places)] = True
    return links


def agreement(maps: Array, pairs: Sequence[Pair],
              rng: np.random.Generator | None = None) -> list[list[float]]:
    """Share of target words whose largest weight is on a word they stand for.

    By layer and reading: each head, then their mean.

    rng: the links of each sentence are dealt out to its words anew, as a
    comparison that knows which source words matter but not for what.
    """
    if rng is not None:
        pairs = [p._replace(links=tuple(p.links[i] for i in
                                        rng.permutation(len(p.links))))
                 for p in pairs]
    links = linked(pairs, maps.shape[2:])                   # [B, m, n]
    words = links.any(-1)                                   # [B, m]
    hit = np.take_along_axis(np.broadcast_to(links, maps.shape),
                             maps.argmax(-1)[..., None], -1)[..., 0]
    return [[head[words].mean() for head in layer] for layer in hit]


def rivals(links: Array, real: Array, rank: Array) -> Array:
    """As many other words as a row's own: those of the highest rank."""
    others = real[:, None, :] & ~links                      # [B, m, n]
    place = (-np.where(others, rank, -1)).argsort(-1, kind="stable")
    return others & (place.argsort(-1, kind="stable")
                     < links.sum(-1, keepdims=True))


def cuts(model: Translator, pairs: Sequence[Pair], rng: np.random.Generator,
         aimed: bool = True) -> Metrics:
    """Hide from each step its own source, its strongest rival, a drawn word.

    As many places each; true words as inputs. alike: the steps where own
    and rival both have more than a quarter of the look.
    """
    source = model.source_ids([p.source for p in pairs])
    inputs = model.input_ids([p.target for p in pairs])
    truth = model.target_ids([p.target for p in pairs])     # [B, m]
    maps, _ = by_heads(model, pairs)
    look = maps[0, -1]                                      # [B, m, n]
    links = linked(pairs, look.shape)
    hide = {"own": links, "rival": rivals(links, source != 0, look),
            "drawn": rivals(links, source != 0, rng.random(look.shape))}
    if not aimed:
        hide["own"] = hide["rival"]
    words = truth > EOS                                     # [B, m]
    weight = {key: (look * h).sum(-1) for key, h in hide.items()}
    alike = words & (np.minimum(weight["own"], weight["rival"]) > 0.25)
    found: Metrics = {"words": words.sum(), "alike": alike.sum()}
    for key, h in hide.items():
        logits = model.run(source, inputs, cut_across(model.cfg, ~h)).logits
        good = logits.argmax(-1) == truth
        found[key] = {"weight": weight[key][words].mean(),
                      "right": good[words].mean(),
                      "alike": good[alike].mean()}
    return found


# a verb's two English forms: what it is, and is it the one with he?
FORMS = {form: (plain, third) for _, plain, with_he, _, _
         in phrases.FRENCH_VERBS
         for form, third in ((plain, False), (with_he, True))}
PRONOUNS = {english for _, english in phrases.FRENCH_SUBJECTS.values()}
OTHER = {False: {"other": "he", "same": "we"},      # not with he: I, you, we
         True: {"other": "they", "same": "she"}}


def verbs(model: Translator, pairs: Sequence[Pair], aimed: bool = True,
          person: str = "other") -> Metrics:
    """The step that says the verb, just after a pronoun: what decides it?

    Hide the subject from it, or the verb; or feed another pronoun.
    """
    chosen = [p for p in pairs if p.target[0] in PRONOUNS
              and p.target[1] in FORMS]
    source = model.source_ids([p.source for p in chosen])
    inputs = model.input_ids([p.target for p in chosen])
    look = by_heads(model, chosen)[0][0, -1]                # [B, m, n]
    links = linked(chosen, look.shape)
    verb = links if aimed else rivals(links, source != 0, look)
    row = np.arange(len(chosen))
    found: Metrics = {"asked": len(chosen)}
    for key in ("subject", "verb", "fed"):
        hide, said = np.zeros(look.shape, bool), inputs.copy()
        if key == "fed":
            said[:, 1] = model.input_ids([[OTHER[FORMS[p.target[1]][1]][
                person]] for p in chosen])[:, 1]
        else:
            hide[row, 1] = links[row, 0] if key == "subject" else verb[row, 1]
        logits = model.run(source, said, cut_across(model.cfg, ~hide)).logits
        heard = [(model.target_words[i], p.target[1]) for i, p in
                 zip(logits[:, 1].argmax(-1), chosen, strict=True)]
        both = [(FORMS.get(w, ("", None)), FORMS[t]) for w, t in heard]
        found[key] = {
            "weight": None if key == "fed" else
            (look * hide).sum(-1)[:, 1].mean(),
            "right": sum(a == b for a, b in both),
            "other_verb": sum(a != b and a[1] == b[1] for a, b in both),
            "other_form": sum(a != b and a[0] == b[0] for a, b in both)}
    return found


def one_sentence(text: str, trained: bool, shifted: bool) -> Metrics:
    """Greedy steps of one sentence: what is fed, the three best, the map."""
    direction, words = sentence(text)
    model = translate_np.load(MODELS[direction], trained)
    source = model.source_ids([words])
    said = model.greedy(source)[0]
    inputs = model.input_ids([said])                        # [1, m + 1]
    run = model.run(source, inputs, trace=True)
    odds = np.exp(run.logits[0] - run.logits[0].max(-1, keepdims=True))
    odds /= odds.sum(-1, keepdims=True)                     # [m + 1, V]
    names = model.target_words
    fed = [names[i] for i in inputs[0]]
    says = [*said, names[EOS]][:len(fed)]
    if not shifted:
        fed = says
    best = (-odds).argsort(-1, kind="stable")[:, :3]        # [m + 1, 3]
    maps = run.trace["D.0.cross.weights"][0]                # [h, m + 1, n]
    return {"direction": direction, "words": words, "said": said,
            "rows": [f"{f} → {s}" for f, s in zip(fed, says, strict=True)],
            "steps": [{"fed": f, "says": s,
                       "best": [{"word": names[i], "p": odds[row, i]}
                                for i in best[row]]}
                      for row, (f, s) in enumerate(zip(fed, says,
                                                       strict=True))],
            "map": maps.mean(0)}


def without(model: Translator, text: str, said: str, row: int) -> Metrics:
    """One step with each source word hidden from it in turn: the two best."""
    source = model.source_ids([text.split()])
    inputs = model.input_ids([said.split()])
    found = {}
    for place, name in enumerate(text.replace("'", "").split()):
        keep = np.ones((1, inputs.shape[1], source.shape[1]), bool)
        keep[0, row, place] = False
        logits = model.run(source, inputs,
                           cut_across(model.cfg, keep)).logits[0, row]
        odds = np.exp(logits - logits.max())
        odds /= odds.sum()
        found[name] = [{"word": model.target_words[i], "p": odds[i]}
                       for i in (-odds).argsort(kind="stable")[:2]]
    return found


class Counting(Translator):
    """A translator that counts its passes, each of which waits for the last."""

    passes = 0

    def run(self, *args: Any, **how: Any) -> Any:
        self.passes += 1
        return super().run(*args, **how)


def follow(text: str, seed: int, trained: bool = True, shifted: bool = True,
           shuffled: bool = False, aimed: bool = True, causal: bool = True,
           person: str = "other") -> Metrics:
    """One sentence step by step; on the exam: looks, and cuts.

    Leaves:
      one.{direction,words[n],said[m],rows[s],map[s,n],  [step, source word]
        steps[s].{fed,says,best[3].{word,p}}}
      love.{fed[4],says[4],weights[3],without.{je,t,aime}[2].{word,p}}
      looks.{first,second,mean}.{fr_en,en_zh,dealt.{fr_en,en_zh}}  shares
      cuts.{sentences,{words,alike}.{fr_en,en_zh}}
      cuts.{own,rival,drawn}.{fr_en,en_zh}.{weight,right,alike}  shares
      verbs.asked verbs.{subject,verb,fed}.{weight,right,other_verb,
        other_form}
      zeroed.{fr_en,en_zh}
      sight.{words,passes,rows,one_pass_gap,decoder,encoder}
      record.{seeds,looks,dealt,own,rival,verb,form,fed,exceptions,
        alike.{fr_en,en_zh}}
    """
    names = ("first", "second", "mean")
    kinds = ("own", "rival", "drawn")
    models = {d: translate_np.load(n, trained) for d, n in MODELS.items()}
    looks: Metrics = {n: {"dealt": {}} for n in names}
    cut: Metrics = {k: {} for k in (*kinds, "words", "alike")}
    zeroed = {}
    for d, model in models.items():
        pairs = phrases.corpus(d).held_out[:EXAM]
        rng = np.random.default_rng(seed)
        maps, _ = by_heads(model, pairs)
        dealt = agreement(maps, pairs, rng)[0]
        seen = dealt if shuffled else agreement(maps, pairs)[0]
        for n, share, chance in zip(names, seen, dealt, strict=True):
            looks[n][d], looks[n]["dealt"][d] = share, chance
        for key, value in cuts(model, pairs, rng, aimed).items():
            cut[key][d] = value
        zeroed[d] = exam(model, pairs, patch=zero_cross(model.cfg))
    love = one_sentence("je t' aime", trained, shifted)
    french = models["fr_en"]
    return {"one": one_sentence(text, trained, shifted), "looks": looks,
            "cuts": {"sentences": EXAM, **cut}, "zeroed": zeroed,
            "verbs": verbs(french, phrases.corpus("fr_en").held_out, aimed,
                           person),
            "love": {"fed": [s["fed"] for s in love["steps"]],
                     "says": [s["says"] for s in love["steps"]],
                     "weights": love["map"][1],
                     "without": without(french, "je t' aime", "I love you",
                                        1)},
            "sight": sight(french, causal), "record": steps_over_seeds()}


STEPS_CONTROLS: dict[str, Any] = {
    "unshifted": partial(follow, shifted=False),
    "no_causal_mask": partial(follow, causal=False),
    "links_shuffled": partial(follow, shuffled=True),
    "rival_hidden": partial(follow, aimed=False),
    "same_person_fed": partial(follow, person="same"),
}


def steps_over_seeds() -> Metrics:
    """The farthest of what the seeds found, both directions: a record."""
    runs = records.read("translate_seeds")["runs"]
    french = [r["verbs"] for r in runs if "verbs" in r]
    return {"seeds": len(french),
            "looks": min(min(r["looks"]) for r in runs),
            "dealt": max(max(r["dealt"]) for r in runs),
            "own": max(r["cuts"]["own"]["right"] for r in runs),
            "rival": min(r["cuts"]["rival"]["right"] for r in runs),
            "alike": {d: sum(r["cuts"]["own"]["alike"]
                             < r["cuts"]["rival"]["alike"] for r in runs
                             if r["direction"] == d) for d in MODELS},
            "exceptions": sum(v["subject"]["other_verb"] > 0 for v in french),
            "verb": min(v["verb"]["other_verb"] / v["asked"] for v in french),
            "form": max(v["verb"]["other_form"] / v["asked"] for v in french),
            "fed": min(v["fed"]["other_form"] / v["asked"] for v in french)}


def sight(loaded: Translator, causal: bool) -> Metrics:
    """What the decoder's mask buys: passes counted, later words unseen."""
    model = Counting(loaded.cfg, loaded.w, loaded.source_words,
                     loaded.target_words)
    source = model.source_ids(["je t' aime".split(), "je t' attends".split()])
    said = model.greedy(source[:1])[0]
    passes, inputs = model.passes, model.input_ids([said])  # [1, m + 1]
    one = model.run(source[:1], inputs, causal=causal).logits[0]
    many = [model.run(source[:1], inputs[:, :i + 1]).logits[0, -1]
            for i in range(inputs.shape[1])]                # each [V]
    other = model.input_ids([["I", "love", "them"]])        # [1, 4]
    moved = model.run(source[:1], other, causal=causal).logits[0]
    memory = model.encode(source)                           # [2, 3, d]
    return {"words": len(said), "passes": passes,
            "rows": len(one), "one_pass_gap": abs(one - many).max(),
            "decoder": abs(one[:3] - moved[:3]).max(),
            "encoder": abs(memory[0, 0] - memory[1, 0]).max()}


# --- 3. beam search -----------------------------------------------------------

A, B, E = 0, 1, 2                           # two words and the end
# log P is the logarithm of these; rows: first word, after A, after B, after B B, else
TABLE = {(): (.5, .4, .1), (A,): (.1, .2, .7), (B,): (.05, .9, .05),
         (B, B): (.02, .03, .95)}
ELSE = (.1, .1, .8)
# two steps: the first word, then one of two more, then the end
TWO_STEPS = {(): (.6, .4, 0), (A,): (.35, .35, .3), (B,): (.9, .05, .05)}
# here width two crowds out the beginning that ends best, and finds less than width one
CROWDED = {(): (.5, .45, .05), (A,): (.4, .35, .25), (B,): (.48, .48, .04),
           (A, A): (0, 0, 1)}


def from_table(table: Mapping[tuple[int, ...], tuple[float, ...]],
               other: tuple[float, ...]) -> beam.Following:
    """A model that is a table: log P of the next word after these words."""
    def ask(prefixes: Sequence[tuple[int, ...]]) -> Array:
        with np.errstate(divide="ignore"):
            return np.log([table.get(p, other) for p in prefixes])  # [k, 3]
    return ask


def drawn_table(rng: np.random.Generator, words: int, long: int
                ) -> beam.Following:
    """After every beginning other odds; `long` words, then the end."""
    beginnings = sum(words ** k for k in range(long))
    odds = rng.dirichlet(np.ones(words), beginnings)        # [.., words]
    rows = np.full((beginnings + 1, words + 1), -np.inf)
    rows[:-1, :-1], rows[-1, -1] = np.log(odds), 0.0        # the last: the end

    def place(prefix: tuple[int, ...]) -> int:
        number = 0
        for word in prefix:                 # every beginning its own number
            number = number * words + word + 1
        return -1 if len(prefix) == long else number

    return lambda prefixes: rows[[place(p) for p in prefixes]]


def letters(words: tuple[int, ...]) -> str:
    return "".join("AB"[w] for w in words) or "-"


def against_all(rng: np.random.Generator, tables: int, widest: int) -> Metrics:
    """Beams of several widths against every sentence there is."""
    words, long = 3, 4                      # four words, then the end
    widths = {f"w{w}": min(w, widest) for w in (1, 2, 4, 81)}
    found = dict.fromkeys(widths, 0)
    for _ in range(tables):
        ask = drawn_table(rng, words, long)
        best = beam.exhaustive(ask, words, words + 1, long + 1)[0]
        for key, w in widths.items():
            got = beam.search(ask, words, w, long + 1)[0].log_p
            found[key] += got > best.log_p - 1e-12
    return {"tables": tables, "live": words ** long, "found": found}


def in_table(table: Mapping[tuple[int, ...], tuple[float, ...]], width: int,
             alpha: float = 0.0, kept: int = 1) -> list[Metrics]:
    """What a beam of that width says best in a small table, with its numbers."""
    return [{"words": letters(h.words), "length": len(h.words) + 1,
             "p": np.exp(h.log_p), "log_p": h.log_p, "score": h.score}
            for h in beam.search(from_table(table, ELSE), E, width, 6,
                                 alpha)[:kept]]


def beams(alpha: float, text: str, seed: int, widest: int = 81,
          penalty: bool = True, arm: str = "early",
          wide: str = "w16") -> Metrics:
    """Two small tables, many drawn ones, and translators of the record.

    Leaves:
      alpha two_steps.{first,second,then_first,then_second,greedy,beam}
      table.{plain,by_length}[3].{words,length,p,log_p,score}
      crowded.{one,two}.{words,length,p,log_p,score}
      all.{tables,live,found.{w1,w2,w4,w81}}
      sentence.{source,{w1,w2,w4}.{width,best[n].{words,log_p,score}}}
      record.{seeds,steps,alpha,widest,four,sentences,each,true_words,
        more_right,shorter,gained,lost,up_again,bleu_down,at_four,at_widest,
        changed,mean.{w1,w2,w4,w16,penalty}.{width,log_p,words,exact,bleu}}
    """
    alpha, two = alpha if penalty else 0.0, min(2, widest)
    kinds = {"plain": 0.0, "by_length": alpha}
    direction, words = sentence(text)
    model = translate_np.load(MODELS[direction])
    own = {f"w{w}": {"width": w, "best": [
        {"words": " ".join(model.words(h.words)), "log_p": h.log_p,
         "score": h.score}
        for h in beam.search(model.following(words), EOS, min(w, widest),
                             12, alpha)[:3]]} for w in (1, 2, 4)}
    first, second = TWO_STEPS[()][:2]
    return {
        "alpha": alpha, "two_steps": {
            "first": first, "second": second,
            "then_first": max(TWO_STEPS[(A,)]),
            "then_second": max(TWO_STEPS[(B,)]),
            "greedy": in_first(TWO_STEPS, 1), "beam": in_first(TWO_STEPS, two)},
        "table": {key: in_table(TABLE, min(3, widest), a, 3)
                  for key, a in kinds.items()},
        "crowded": {"one": in_table(CROWDED, 1)[0],
                    "two": in_table(CROWDED, two)[0]},
        "all": against_all(np.random.default_rng(seed), 40, widest),
        "sentence": {"source": " ".join(words), **own},
        "record": by_width(arm, wide)}


def in_first(table: Mapping[tuple[int, ...], tuple[float, ...]],
             width: int) -> float:
    """P of the sentence a beam of that width finds; the end follows for sure."""
    found = beam.search(from_table(table, (0, 0, 1)), E, width, 6)[0]
    return float(np.exp(found.log_p))


BEAMS_CONTROLS: dict[str, Any] = {
    "greedy_everywhere": partial(beams, widest=1),
    "no_penalty": partial(beams, penalty=False),
    "finished": partial(beams, arm="finished"),
    "with_penalty": partial(beams, wide="penalty"),
}


def by_width(arm: str, wide: str) -> Metrics:
    """Translators stopped early (or finished), several widths: a record."""
    record = records.read("beam_widths")
    runs = [r[arm] for r in record["runs"]]
    pairs = [(r["w1"], r["w4"], r[wide]) for r in runs]
    mean = {key: {name: np.mean([r[key][name] for r in runs]) for name in
                  ("width", "log_p", "words", "exact", "bleu")}
            for key in ("w1", "w2", "w4", "w16", "penalty")}
    return {"seeds": len(runs), "steps": record["steps"],
            "alpha": record["alpha"], "widest": runs[0]["w16"]["width"],
            "four": runs[0]["w4"]["width"], "each": record["sentences"],
            "sentences": record["sentences"] * len(runs),
            "true_words": record["true_words"], "mean": mean,
            "more_right": sum(b["exact"] > a["exact"] for a, _, b in pairs),
            "shorter": sum(b["words"] < a["words"] for a, _, b in pairs),
            "gained": sum(b["gained"] for *_, b in pairs),
            "lost": sum(b["lost"] for *_, b in pairs),
            "up_again": sum(b["log_p"] > m["log_p"] for _, m, b in pairs),
            "bleu_down": sum(b["bleu"] < m["bleu"] for _, m, b in pairs),
            "at_four": sum(m["exact"] for _, m, _ in pairs),
            "at_widest": sum(b["exact"] for *_, b in pairs),
            "changed": sum(r["finished"]["w16"]["gained"]
                           + r["finished"]["w16"]["lost"]
                           for r in record["runs"])}


# --- 4. your own model --------------------------------------------------------

SHOWN_TOKENS, FAMILIES = 10, ("t5", "gpt2", "bert")


def on_screen(token: str) -> str:
    """A token in characters every console has: word marks become _."""
    token = token.replace("\u2581", "_").replace("\u0120", "_")
    return "".join(c if c.isprintable() and c.encode("gbk", "ignore") else "?" for c in token)


def own_model(model: str, text: str, seed: int, masked: bool = True,
              starts: str = "start") -> Metrics:
    """Three small families as recorded; your own folder live.

    Leaves:
      families.{t5,gpt2,bert}.{kind,encoder_right,decoder_right,
        unmasked_right}  largest weight to the right
      start begin_symbols pad buckets beams
      live  null, or what own_views finds in a folder of your own
    """
    record = records.read("hf_views")
    names = ("kind", "encoder_right", "decoder_right", "unmasked_right")
    found = {f: {n: record["models"][f][n] for n in names} for f in FAMILIES}
    if not masked:                          # the same weights, the mask gone
        for entry in found.values():
            entry["decoder_right"] = entry["unmasked_right"]
    start = record["t5"]["other_start"] if starts == "other" else \
        record["models"]["t5"]["start"]
    return {"families": found, "start": start,
            "begin_symbols": record["t5"]["begin_symbols"],
            "pad": record["t5"]["pad"], "buckets": record["t5"]["buckets"],
            "beams": hf.BEAMS,
            "live": own_views(model, text) if model else None}


OWN_MODEL_CONTROLS: dict[str, Any] = {
    "without_mask": partial(own_model, masked=False),
    "told_another_start": partial(own_model, starts="other"),
}


def own_views(folder: str, text: str) -> Metrics:
    """A model of your own: ids, sizes, what it writes, one map of each kind."""
    views = hf.views(folder, text)
    most = SHOWN_TOKENS
    maps = {kind: [row[:most] for row in views[kind][-1][0][:most]]
            for kind in ("encoder", "decoder", "cross") if views[kind]}
    tokens = [on_screen(t) for t in views["tokens"]]
    fed = [on_screen(s["fed"]) for s in views["steps"]]
    if views["kind"] == "decoder":
        fed = tokens
    written = views["written"]
    return {"family": views["family"], "kind": views["kind"],
            "layers": views["layers"], "heads": views["heads"],
            "width": views["width"], "head_width": views["head_width"],
            "beams": hf.BEAMS, "ids": " ".join(map(str, views["ids"])),
            "text": " ".join(tokens), "tokens": tokens[:most],
            "fed": fed[:most], "maps": maps, "last": views["layers"] - 1,
            "written": None if written is None else on_screen(written),
            "steps": [{"fed": on_screen(s["fed"]), "best": [
                {"word": on_screen(b["word"]), "p": b["p"]} for b in s["best"]]}
                for s in views["steps"]]}
