"""The translators behind demo 10: shipped ones in all parts but the last.

Part 1 holds an exam of sentences never seen and exchanges what two nouns hand over; part 2
follows one sentence, then cuts the looks across on the exam; part 3 searches small tables
with beams of several widths, and then the translator; part 4 reads views of three small
families from a record, or of a folder of your own.

Longer than 450 lines because sentences are typed by hand, and refusing them kindly, linking
words across languages and drawing tables to search are all done here.
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
from lecture.models import beam, translate_np
from lecture.models.translate_np import EOS, Translator, cut_across, swap_values, zero_cross
from lecture.report import Metrics

Array = np.ndarray
MODELS = {"fr_en": "french_english", "en_zh": "english_chinese"}


def exam(model: Translator, pairs: Sequence[Pair], **how: Any) -> int:
    """How many sentences come out word for word as they should."""
    said = model.greedy(model.source_ids([p.source for p in pairs]), **how)
    return sum(tuple(s) == p.target for s, p in zip(said, pairs, strict=True))


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


def averaged(model: Translator, pairs: Sequence[Pair], pool: bool) -> int:
    """The exam with one vector for the sentence: the mean, at every place."""
    source = model.source_ids([p.source for p in pairs])    # [B, n]
    memory, real = model.encode(source), (source != 0)[..., None]
    mean = (memory * real).sum(1, keepdims=True) / real.sum(1, keepdims=True)
    return exam(model, pairs, memory=np.broadcast_to(mean, memory.shape)
                if pool else memory)                        # [B, n, d]


def translate(seed: int, trained: bool = True, masked: bool = True,
              exchange: str = "values", together: str = "vectors",
              baseline: bool = False, pool: bool = True) -> Metrics:
    """The exam, the structure, padding, and two values exchanged.

    Leaves:
      directions.{fr_en,en_zh}.{trained_on,held_out,seen,exact,share,
        word_by_word,by_word_share}
      examples.{fr_en,en_zh}[n].{source,said,by_word}
      memory.{words,vectors,width,said,exam,averaged,kept}
      layers.{encoder,decoder,heads,numbers} sub_layers.{encoder,decoder}
      keys_are_not_values padding.{sentences,width,different,moved}
      {swap,vectors,elsewhere}.{sentences,swapped,unchanged}
      swap_example.{source,plain,swapped}
      record.{seeds,held_out,lowest_share,fewest_swapped,mostly_swap,
        most_zeroed,least_agreement,most_by_chance,{fr_en,en_zh}.{worst,best}}
    """
    models = {d: translate_np.load(n, trained) for d, n in MODELS.items()}
    found: Metrics = {"directions": {}, "examples": {}}
    for d, model in models.items():
        corpus = phrases.corpus(d)
        by_word = sum(word_by_word(d, p.source) == " ".join(p.target)
                      for p in corpus.held_out)
        right = by_word if baseline else exam(model, corpus.held_out)
        found["directions"][d] = {
            "trained_on": len(corpus.trained_on),
            "held_out": len(corpus.held_out), "exact": right,
            "share": right / len(corpus.held_out), "word_by_word": by_word,
            "by_word_share": by_word / len(corpus.held_out),
            "seen": len({p.source for p in corpus.trained_on}
                        & {p.source for p in corpus.held_out})}
        said = model.greedy(model.source_ids([s.split() for s in SHOWN[d]]))
        found["examples"][d] = [
            {"source": text, "said": " ".join(words),
             "by_word": word_by_word(d, text.split())}
            for text, words in zip(SHOWN[d], said, strict=True)]
    model, held_out = models["fr_en"], phrases.corpus("fr_en").held_out
    cfg, rng = model.cfg, np.random.default_rng(seed)
    source = model.source_ids([held_out[0].source])         # je t' aime
    trace = model.run(source, np.array([[1]]), trace=True).trace
    pair = ["le chat regarde le chien".split()]
    values = swap_values(cfg, np.array([1]), np.array([4]))
    return found | {
        "memory": {"words": source.shape[1],
                   "vectors": trace["memory"].shape[1],
                   "width": trace["memory"].shape[2],
                   "said": len(held_out[0].target) + 1,
                   "exam": 200, "averaged": averaged(
                       model, held_out[:200], pool),
                   "kept": exam(model, held_out[:200])},
        "layers": {"encoder": cfg.encoder_layers,
                   "decoder": cfg.decoder_layers, "heads": cfg.n_head,
                   "numbers": sum(a.size for a in model.w.values())},
        "sub_layers": {side: sum(n.startswith(f"{side}.0.norm")
                                 and n.endswith("weight") for n in model.w)
                       for side in ("encoder", "decoder")},
        "keys_are_not_values": abs(trace["D.0.cross.k"]
                                   - trace["D.0.cross.v"]).max(),
        "padding": padding(model, held_out[:16], masked),
        "swap": exchanged(model, held_out, exchange, rng),
        "vectors": exchanged(model, held_out, together, rng),
        "elsewhere": exchanged(model, held_out, "elsewhere", rng),
        "swap_example": {
            "source": " ".join(pair[0]),
            "plain": " ".join(model.greedy(model.source_ids(pair))[0]),
            "swapped": " ".join(model.greedy(model.source_ids(pair),
                                             values)[0])},
        "record": over_seeds()}


TRANSLATE_CONTROLS: dict[str, Any] = {
    "untrained": partial(translate, trained=False),
    "by_dictionary": partial(translate, baseline=True),
    "not_averaged": partial(translate, pool=False),
    "padding_seen": partial(translate, masked=False),
    "swap_elsewhere": partial(translate, exchange="elsewhere"),
    "keys_stay": partial(translate, together="values"),
}


def over_seeds() -> Metrics:
    """Both translators from other seeds, on the same exam: a record."""
    runs = records.read("translate_seeds")["runs"]
    exact_ = {d: [r["exact"] for r in runs if r["direction"] == d]
              for d in MODELS}
    swapped = [r["swapped"] / r["of"] for r in runs
               if r["direction"] == "fr_en"]
    return {"seeds": len(exact_["fr_en"]), "held_out": runs[0]["held_out"],
            **{d: {"worst": min(e), "best": max(e)} for d, e in exact_.items()},
            "lowest_share": min(min(e) for e in exact_.values())
            / runs[0]["held_out"],
            "fewest_swapped": min(swapped),
            "mostly_swap": sum(share >= 0.75 for share in swapped),
            "most_zeroed": max(r["zeroed"] for r in runs),
            "least_agreement": min(r["agreement"] for r in runs),
            "most_by_chance": max(r["shuffled"] for r in runs)}


# --- 2. step by step ----------------------------------------------------------

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


def cut(model: Translator, pairs: Sequence[Pair], rng: np.random.Generator,
        aimed: bool) -> tuple[int, int]:
    """Forbid each row its own word's source, or as many drawn others.

    (words right after the cut, words in all), true words as inputs.
    """
    source = model.source_ids([p.source for p in pairs])
    inputs = model.input_ids([p.target for p in pairs])
    truth = model.target_ids([p.target for p in pairs])     # [B, m]
    links = linked(pairs, (*inputs.shape, source.shape[1]))     # [B, m, n]
    if not aimed:
        others = (source != 0)[:, None, :] & ~links         # [B, m, n]
        rank = np.where(others, rng.random(others.shape), -1)
        most = (-rank).argsort(-1).argsort(-1)              # 0: the first drawn
        links = others & (most < links.sum(-1, keepdims=True))
    logits = model.run(source, inputs, cut_across(model.cfg, ~links)).logits
    words = truth > EOS
    return int((logits.argmax(-1) == truth)[words].sum()), int(words.sum())


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
    best = (-odds).argsort(-1, kind="stable")[:, :3]        # [m + 1, 3]
    maps = run.trace["D.0.cross.weights"][0]                # [h, m + 1, n]
    return {"direction": direction, "words": words, "said": said,
            "steps": [{"fed": f if shifted else s, "says": s,
                       "best": [{"word": names[i], "p": odds[row, i]}
                                for i in best[row]]}
                      for row, (f, s) in enumerate(zip(fed, says,
                                                       strict=True))],
            "map": maps.mean(0)}


class Counting(Translator):
    """A translator that counts its passes, each of which waits for the last."""

    passes = 0

    def run(self, *args: Any, **how: Any) -> Any:
        self.passes += 1
        return super().run(*args, **how)


def follow(text: str, seed: int, trained: bool = True, shifted: bool = True,
           zeroed: bool = True, shuffled: bool = False, aimed: bool = True,
           causal: bool = True) -> Metrics:
    """One sentence step by step; on the exam: looks, and cuts.

    Leaves:
      one.{direction,words[n],said[m],map[s,n],  [step, source word]
        steps[s].{fed,says,best[3].{word,p}}}
      exam.{fr_en,en_zh}.{held_out,words,right,cut_own,cut_other,  words
        heads[2],mean_of_heads,agreement,shuffled,  shares of looks
        exact,zeroed}  sentences
      sight.{words,passes,rows,one_pass_gap,decoder,encoder}
      love[s].{fed,says,best[3].{word,p}}
      record.{seeds,held_out,lowest_share,fewest_swapped,mostly_swap,
        most_zeroed,least_agreement,most_by_chance,{fr_en,en_zh}.{worst,best}}
    """
    found: Metrics = {}
    for d, name in MODELS.items():
        model = translate_np.load(name, trained)
        pairs = phrases.corpus(d).held_out[:200]
        rng = np.random.default_rng(seed)
        maps, logits = by_heads(model, pairs)
        truth = model.target_ids([p.target for p in pairs])
        table = agreement(maps, pairs, rng if shuffled else None)
        own, words = cut(model, pairs, rng, aimed)
        found[d] = {
            "held_out": len(pairs), "words": words,
            "right": int((logits.argmax(-1) == truth)[
                truth > EOS].sum()),
            "heads": table[0][:-1], "mean_of_heads": table[0][-1],
            "agreement": np.max(table),
            "shuffled": np.max(agreement(maps, pairs, rng)),
            "cut_own": own, "cut_other": cut(model, pairs, rng, False)[0],
            "exact": exam(model, pairs),
            "zeroed": exam(model, pairs, patch=zero_cross(
                model.cfg) if zeroed else None)}
    love = one_sentence("je t' aime", trained, shifted)["steps"]
    return {"one": one_sentence(text, trained, shifted), "exam": found,
            "sight": sight(trained, causal), "love": love,
            "record": over_seeds()}


STEPS_CONTROLS: dict[str, Any] = {
    "unshifted": partial(follow, shifted=False),
    "no_causal_mask": partial(follow, causal=False),
    "links_shuffled": partial(follow, shuffled=True),
    "nothing_zeroed": partial(follow, zeroed=False),
    "cut_elsewhere": partial(follow, aimed=False),
}


def sight(trained: bool, causal: bool) -> Metrics:
    """What the decoder's mask buys: passes counted, later words unseen."""
    loaded = translate_np.load(MODELS["fr_en"], trained)
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
    lower = 0
    for _ in range(tables):
        ask = drawn_table(rng, words, long)
        best = beam.exhaustive(ask, words, words + 1, long + 1)[0]
        got = {key: beam.search(ask, words, w, long + 1)[0].log_p
               for key, w in widths.items()}
        for key, log_p in got.items():
            found[key] += log_p > best.log_p - 1e-12
        lower += got["w4"] < got["w2"] - 1e-12
    return {"tables": tables, "live": words ** long,
            "found": found, "lower": lower,
            "widths": {key: int(key[1:]) for key in widths}}


def beams(alpha: float, text: str, seed: int, widest: int = 81,
          penalty: bool = True, trained: bool = True) -> Metrics:
    """Two small tables, many drawn ones, and the translator's own sentence.

    Leaves:
      alpha two_steps.{greedy,beam,first,second}  probabilities
      table.{plain,by_length}[3].{words,p,log_p,length,score,finished}
      all.{tables,live,lower,{found,widths}.{w1,w2,w4,w81}}
      sentence.{source,{w1,w2,w4}.{width,best[n].{words,log_p,score}}}
      record.{seeds,steps,widest,sentences,each,true_words,score_up,shorter,
        gained,lost,fewer_right,mean.{w1,w2,w4,w16}.{width,log_p,words,exact}}
    """
    alpha, two = alpha if penalty else 0.0, min(2, widest)
    steps = from_table(TWO_STEPS, (0, 0, 1))
    ask = from_table(TABLE, ELSE)
    kinds = {"plain": 0.0, "by_length": alpha}
    table = {key: [{"words": letters(h.words), "p": np.exp(h.log_p),
                    "log_p": h.log_p, "length": len(h.words) + 1,
                    "score": h.score, "finished": h.finished}
                   for h in beam.search(ask, E, min(3, widest), 6, a)[:3]]
             for key, a in kinds.items()}
    direction, words = sentence(text)
    model = translate_np.load(MODELS[direction], trained)
    own = {f"w{w}": {"width": w, "best": [
        {"words": " ".join(model.words(h.words)), "log_p": h.log_p,
         "score": h.score}
        for h in beam.search(model.following(words), EOS, min(w, widest),
                             12, alpha)[:3]]} for w in (1, 2, 4)}
    return {
        "alpha": alpha, "two_steps": {
            "greedy": np.exp(beam.greedy(steps, E, 6).log_p),
            "beam": np.exp(beam.search(steps, E, two, 6)[0].log_p),
            "first": TWO_STEPS[()][A], "second": TWO_STEPS[()][B]},
        "table": table, "all": against_all(np.random.default_rng(seed), 40,
                                           widest),
        "sentence": {"source": " ".join(words), **own},
        "record": early_beams(widest)}


BEAMS_CONTROLS: dict[str, Any] = {
    "greedy_everywhere": partial(beams, widest=1),
    "no_penalty": partial(beams, penalty=False),
}


def early_beams(widest: int) -> Metrics:
    """A translator stopped early, decoded with several widths: a record."""
    record = records.read("beam_widths")
    runs = [r["widths"] for r in record["runs"]]
    most = max((w for w in runs[0].values() if w["width"] <= widest),
               key=lambda w: w["width"])["width"]
    pairs = [(r["w1"], r[f"w{most}"]) for r in runs]
    mean = {key: {"width": cell["width"], **{
        name: np.mean([r[key][name] for r in runs])
        for name in ("log_p", "words", "exact")}}
        for key, cell in runs[0].items()}
    return {"seeds": len(runs), "steps": record["steps"], "widest": most,
            "sentences": record["sentences"] * len(runs),
            "each": record["sentences"],
            "true_words": record["true_words"], "mean": mean,
            "score_up": sum(b["log_p"] > a["log_p"] for a, b in pairs),
            "shorter": sum(b["words"] < a["words"] for a, b in pairs),
            "gained": sum(b["gained"] for _, b in pairs),
            "lost": sum(b["lost"] for _, b in pairs),
            "fewer_right": sum(b["exact"] < a["exact"] for a, b in pairs)}


# --- 4. your own model --------------------------------------------------------

SHOWN_TOKENS, FAMILIES = 10, ("t5", "gpt2", "bert")


def on_screen(token: str) -> str:
    """A token in characters every console has: word marks become _."""
    token = token.replace("\u2581", "_").replace("\u0120", "_")
    return "".join(c if c.isprintable() and c.encode("gbk", "ignore") else "?" for c in token)


def own_model(model: str, text: str, seed: int, asked: str = "at_loading",
              masked: bool = True, starts: str = "start") -> Metrics:
    """Three small families as recorded; your own folder live.

    Leaves:
      families.{t5,gpt2,bert}.{kind,layers,heads,at_loading,at_the_call,start,
        {encoder,decoder,cross}_maps,  how many maps of each kind
        {encoder,decoder}_right}  largest weight to the right
      start begin_symbols pad buckets
      live  null, or what own_views finds in a folder of your own
    """
    record = records.read("hf_views")
    found = {f: dict(record["models"][f]) for f in FAMILIES}
    for entry in found.values():
        entry["at_loading"] = entry[asked]
    if not masked:                          # what a look without the mask gives
        for entry in (found["t5"], found["gpt2"]):
            entry["decoder_right"] = found["bert"]["encoder_right"]
    start = record["t5"]["other_start"] if starts == "other" else \
        found["t5"]["start"]
    return {"families": found, "start": start,
            "begin_symbols": record["t5"]["begin_symbols"],
            "pad": record["t5"]["pad"], "buckets": record["t5"]["buckets"],
            "live": own_views(model, text) if model else None}


OWN_MODEL_CONTROLS: dict[str, Any] = {
    "asked_late": partial(own_model, asked="at_the_call"),
    "without_mask": partial(own_model, masked=False),
    "told_another_start": partial(own_model, starts="other"),
}


def own_views(folder: str, text: str) -> Metrics:
    """A model of your own: one map of each kind it has, and its greedy steps."""
    from lecture.models import hf

    views = hf.views(folder, text)
    most = SHOWN_TOKENS
    maps = {kind: [row[:most] for row in views[kind][-1][0][:most]]
            for kind in ("encoder", "decoder", "cross") if views[kind]}
    tokens = [on_screen(t) for t in views["tokens"]]
    fed = [on_screen(s["fed"]) for s in views["steps"]]
    if views["kind"] == "decoder":
        fed = tokens
    return {"family": views["family"], "kind": views["kind"],
            "layers": views["layers"], "heads": views["heads"],
            "width": views["width"], "tokens": tokens, "fed": fed,
            "maps": maps, "last": views["layers"] - 1, "head": 0,
            "steps": [{"fed": on_screen(s["fed"]), "best": [
                {"word": on_screen(b["word"]), "p": b["p"]} for b in s["best"]]}
                for s in views["steps"]]}
