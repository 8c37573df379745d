"""The stages behind demo 15: two shipped models, opened, and put out of use in parts.

Part 1 splits the lead of one answer among what wrote it and hands over another question's
share, part 2 puts eight components out of use in several ways, part 3 follows a sentence
through the translator and switches its stages off, part 4 tries every order of the sub-layers,
part 5 changes the other places and asks which stages notice at the last. Typed texts are
checked here: what is unknown is named.

Longer than 450 lines because it opens two models, the country model and the translator, and
takes both apart, each in its own way.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from attention_np import sinusoidal_positions, softmax
from lecture import records
from lecture.data import phrases
from lecture.data.phrases import Pair
from lecture.errors import UsageProblem
from lecture.lab.probes import Questions, next_country, questions, right, said
from lecture.models import translate_np
from lecture.models.gpt_np import GPT, Patch, combine, ready, zero_head
from lecture.models.recipes import GPTConfig
from lecture.models.translate_np import BOS, Translator, cut_across
from lecture.report import Metrics
from pretrain_world import (
    DOC,
    PROMPT,
    RELATIONS,
    Tokenizer,
    UnknownWords,
    exam,
    tokenizer,
)

Array = np.ndarray
FIRST = 4                                   # numbers shown of a vector


def seeds() -> list[Metrics]:
    """What the record keeps of the country model from each seed."""
    runs: list[Metrics] = records.read("stage_seeds")["runs"]
    return runs


# --- 1. a question, stage by stage --------------------------------------------

EPS = 1e-5                                  # of the last norm, as attention_np has it


def prompt_ids(text: str, tok: Tokenizer, longest: int) -> list[int]:
    """A question as the model meets it, or any other text after <doc>."""
    words = text.lower().split()
    if words and words[-1] == "?" and DOC not in words:
        words = PROMPT.format(question=" ".join(words)).split()
    elif words[:1] != [DOC]:
        words = [DOC, *words]
    try:
        ids = tok.encode(" ".join(words))
    except UnknownWords as unknown:
        named = ", ".join(repr(w) for w in unknown.words)
        near = "; ".join(f"{w}: {', '.join(n) or 'nothing near'}"
                         for w, n in unknown.words.items())
        raise UsageProblem(f"the world has no word {named}",
                           f"near ones: {near}") from None
    if not 3 <= len(ids) <= longest:
        raise UsageProblem(f"the text has {len(ids)} words with {DOC}",
                           f"give 3 to {longest}, {DOC} included")
    return ids


def branches(cfg: GPTConfig) -> dict[str, str]:
    """What writes into the stream, by the name of its activation."""
    return {f"{kind}{i}": f"{i}.{kind}" for i in range(cfg.n_layer)
            for kind in ("attn", "mlp")}


def pieces(model: GPT, ids: Array, last: Array,
           trace: Mapping[str, Array]) -> dict[str, Array]:
    """What the stream at the last place is the sum of: name -> [n, d]."""
    rows = np.arange(len(ids))
    return {"word": model.w["wte.weight"][ids[rows, last]],
            "place": model.w["wpe.weight"][last],
            **{key: trace[name][rows, last]
               for key, name in branches(model.cfg).items()}}


def rivals(q: Questions, word: int, vocabulary: int) -> list[int]:
    """The other answers of the same kind; of another word, all words."""
    for r in range(len(RELATIONS)):
        kind = set(q.answers[r::len(RELATIONS)].tolist())
        if word in kind:
            return sorted(kind - {word})
    return [w for w in range(vocabulary) if w != word]


def lead_by(model: GPT, q: Questions, made: Mapping[str, Array], top: Array,
            words: Array) -> dict[str, Array]:
    """Each piece's part in the lead of a word over the mean of its rivals.

    The last norm's divisor is taken as it is, so scores are a sum. [n]
    """
    table, gain = model.w["wte.weight"], model.w["norm_f.weight"]
    size = np.sqrt(top.var(-1) + EPS)[:, None]                  # [n, 1]
    towards = np.stack([
        table[w] - table[rivals(q, int(w), len(table))].mean(0)
        for w in words])                                        # [n, d]
    return {key: ((a - a.mean(-1, keepdims=True)) / size * gain * towards
                  ).sum(-1) for key, a in made.items()}


def ranks(model: GPT, made: Mapping[str, Array],
          words: Array) -> dict[str, tuple[Array, Array]]:
    """Read early (logit lens) after each piece: a word's rank, the top. [n]"""
    found, stream = {}, np.zeros_like(made["word"])             # [n, d]
    for key, a in made.items():
        stream = stream + a
        scores = model._norm("norm_f", stream) @ model.w["wte.weight"].T
        own = scores[np.arange(len(words)), words][:, None]     # [n, 1]
        found[key] = 1 + (scores > own).sum(-1), scores.argmax(-1)
    return found


def handed(q: Questions, trace: Mapping[str, Array], names: Sequence[str],
           donors: Array) -> Patch:
    """Activation patching: at the last place, what another question has there."""
    rows = np.arange(len(q.ids))

    def put(name: str) -> Any:
        def edit(a: Array) -> Array:                            # [n, T, d]
            a[rows, q.last] = trace[name][donors, q.last[donors]]
            return a
        return edit
    return {name: put(name) for name in names}


def cut_rows(edges: Array, q: Questions) -> Patch:
    """Cut one edge of each question, edges [n, (layer, head, place)]."""
    def put(layer: int) -> Any:
        mine = np.flatnonzero(edges[:, 0] == layer)

        def edit(scores: Array) -> Array:                       # [n, h, T, T]
            scores[mine, edges[mine, 1], q.last[mine], edges[mine, 2]] = -np.inf
            return scores
        return edit
    return {f"{layer}.scores": put(layer) for layer in set(edges[:, 0])}


def strongest(model: GPT, q: Questions, trace: Mapping[str, Array],
              aimed: bool) -> Metrics:
    """Cut the strongest edge to the country, and to another word before.

    aimed: False cuts the other one twice.
    """
    rows = np.arange(len(q.ids))
    maps = np.stack([trace[f"{i}.weights"][rows, :, q.last]
                     for i in range(model.cfg.n_layer)], 1)     # [n, L, h, T]
    place = np.arange(maps.shape[-1])
    here = place == q.country[:, None]                          # [n, T]
    away = (place < q.last[:, None]) & ~here

    def best(allowed: Array) -> Array:
        w = np.where(allowed[:, None, None], maps, -1.0)
        flat = w.reshape(len(rows), -1).argmax(-1)
        return np.stack(np.unravel_index(flat, maps.shape[1:]), -1)  # [n, 3]

    found: Metrics = {}
    for name, edges in (("country", best(here if aimed else away)),
                        ("other", best(away))):
        weight = maps[rows, *edges.T]                           # [n]
        kept = said(model, q, cut_rows(edges, q)) == q.answers
        found[name] = {"all": kept.sum(), **{
            r: {"weight": weight[i::len(RELATIONS)].mean(),
                "left": kept[i::len(RELATIONS)].sum()}
            for i, r in enumerate(RELATIONS)}}
    return found


def over_the_exam(model: GPT, q: Questions, own_word: bool, own: bool,
                  aimed: bool) -> tuple[dict[str, Metrics], Metrics]:
    """Of all questions: parts, ranks and patches by stage; and the counts."""
    trace = model.run(q.ids, trace=True).trace
    rows = np.arange(len(q.ids))
    words = q.answers if own_word else q.answers[next_country(q)]
    made = pieces(model, q.ids, q.last, trace)
    top = trace[f"{model.cfg.n_layer - 1}.out"][rows, q.last]
    parts = lead_by(model, q, made, top, words)
    early = ranks(model, made, words)
    donors = rows if own else next_country(q)
    name = {"word": "embed", "place": "embed", **branches(model.cfg)}
    other = q.answers[next_country(q)]
    by_stage = {key: {
        "mean": parts[key].mean(), "first": (early[key][0] == 1).sum(),
        "patched": (said(model, q, handed(q, trace, [name[key]], donors))
                    == other).sum()} for key in made}
    mlp = np.sum([v for k, v in parts.items() if k.startswith("mlp")], 0)
    return by_stage, {
        "questions": len(q.ids), "countries": len(q.ids) // len(RELATIONS),
        "mlp_half": (mlp > np.sum([*parts.values()], 0) / 2).sum(),
        "cuts": strongest(model, q, trace, aimed)}


def stages(text: str, seed: int, added: bool = True, own_word: bool = True,
           own: bool = False, aimed: bool = True) -> Metrics:
    """One text through the model, and what the exam says of each stage.

    Leaves:
      prompt length vocabulary width layers heads said wanted p
      words[T].{place,word,id,first[4],norm,position}  two lengths
      looks[4].{head,word,weight}  from the last place
      stages.{word,place,attn0,mlp0,attn1,mlp1}.{norm,part,reads,rank,mean,
        first,patched}  part of the lead; rank of the word said
      lead.{all,own,attention,mlp,gap}  gap: the sum less the scores' lead
      best[3].{word,score,p}
      exam.{questions,countries,mlp_half}
      record.{seeds,mlp_half,patched}  seeds where nine in ten do
      exam.cuts.{country,other}.{all,{capital,language,leader,known_for}.
        {weight,left}}
    """
    model, recipe = ready("base")
    world = recipe.data.world()
    tok, q = tokenizer(world), questions(world)
    row = prompt_ids(text, tok, model.cfg.context)
    by_stage, counted = over_the_exam(model, q, own_word, own, aimed)
    if not added:                           # each branch replaces the stream
        model = GPT(dataclasses.replace(model.cfg, residual=False), model.w)
    ids, last = np.array([row]), np.array([len(row) - 1])       # [1, T], [1]
    trace, cfg = model.run(ids, trace=True).trace, model.cfg
    table, places = model.w["wte.weight"], model.w["wpe.weight"]
    scores = trace["logits"][0, -1]                             # [V]
    p, best = softmax(scores), (-scores).argsort(kind="stable")[:3]
    others = rivals(q, int(best[0]), cfg.vocab_size)
    word = int(best[0]) if own_word else others[0]
    made = pieces(model, ids, last, trace)
    top = trace[f"{cfg.n_layer - 1}.out"][:, -1]                # [1, d]
    parts = {k: float(v[0]) for k, v in lead_by(
        model, q, made, top, np.array([word])).items()}
    early = ranks(model, made, best[:1])
    ahead = scores[word] - scores[rivals(q, word, cfg.vocab_size)].mean()
    prompt = " ".join(tok.itos[i] for i in row)

    def share(*keys: str) -> float:
        return sum(v for k, v in parts.items() if k.startswith(keys))

    return {
        "prompt": prompt, "length": len(row), "vocabulary": cfg.vocab_size,
        "width": cfg.width, "layers": cfg.n_layer, "heads": cfg.n_head,
        "said": tok.itos[best[0]], "p": p[best[0]],
        "wanted": {a: b for a, b, *_ in exam(world)}.get(prompt, "-"),
        "words": [{"place": t, "word": tok.itos[i], "id": i,
                   "first": table[i][:FIRST], "norm": np.linalg.norm(table[i]),
                   "position": np.linalg.norm(places[t])}
                  for t, i in enumerate(row)],
        "looks": [{"head": f"L{i}H{j}", "word": tok.itos[row[w.argmax()]],
                   "weight": w.max()}
                  for i in range(cfg.n_layer)
                  for j, w in enumerate(trace[f"{i}.weights"][0, :, -1])],
        "stages": {key: {
            "norm": np.linalg.norm(a), "part": parts[key],
            "reads": tok.itos[early[key][1][0]], "rank": early[key][0][0],
            **by_stage[key]} for key, a in made.items()},
        "lead": {"all": ahead, "own": share("word", "place"),
                 "attention": share("attn"), "mlp": share("mlp"),
                 "gap": abs(ahead - sum(parts.values()))},
        "best": [{"word": tok.itos[i], "score": scores[i], "p": p[i]}
                 for i in best],
        "exam": counted, "record": stage_record()}


def stage_record() -> Metrics:
    """In how many seeds the MLPs write most, and attention is followed."""
    runs = seeds()
    most = 0.9 * runs[0]["stages"]["mlp1"]["first"]
    return {"seeds": len(runs),
            "mlp_half": sum(r["mlp_half"] > most for r in runs),
            "patched": sum(r["stages"]["attn0"]["patched"] > most
                           and r["stages"]["attn1"]["patched"] == 0
                           for r in runs)}


STAGES_CONTROLS: dict[str, Any] = {
    "not_added": partial(stages, added=False),
    "another_word": partial(stages, own_word=False),
    "own_content": partial(stages, own=True),
    "other_edge": partial(stages, aimed=False),
}


# --- 2. which of the eight can go? --------------------------------------------

class FixedScale(GPT):
    """Each norm divides by one number, the same for every token.

    turned: each by the number of the norm behind it.
    """

    def __init__(self, model: GPT, streams: Mapping[str, Array],
                 turned: bool = False):
        super().__init__(model.cfg, model.w)
        sizes = [float(np.sqrt(x.var(-1).mean())) for x in streams.values()]
        self.scales = dict(zip(streams, np.roll(sizes, -turned), strict=True))

    def _norm(self, name: str, x: Array) -> Array:
        return x / self.scales[name] * self.w[f"{name}.weight"]     # [B, T, d]


def average(a: Array) -> Array:
    """The mean over all questions and places, at every place."""
    return np.broadcast_to(a.mean((0, 1), keepdims=True), a.shape)


def bare(cfg: GPTConfig, w: Mapping[str, Array], **change: Any) -> GPT:
    """The same weights in a network with a switch turned."""
    cfg = dataclasses.replace(cfg, **change)
    return GPT(cfg, {name: w[name] for name in cfg.tensor_shapes()})


def one_head_left(model: GPT, q: Questions) -> int:
    """The best choice of a single head in each layer (the others at 0)."""
    h, found = model.cfg.n_head, []
    for kept in np.ndindex(*[h] * model.cfg.n_layer):
        found.append(right(model, q, combine(
            [zero_head(i, j) for i, keep in enumerate(kept)
             for j in range(h) if j != keep])))
    return max(found)


def in_the_gpt(model: GPT, q: Questions, seed: int, how: str) -> Metrics:
    """Seven components off, off more gently, or another's: answers left."""
    cfg, w, T = model.cfg, model.w, q.ids.shape[1]
    layers = range(cfg.n_layer - 1 if how == "top_layer" else 0, cfg.n_layer)
    trace = model.run(q.ids, trace=True).trace
    wte, wpe = w["wte.weight"], w["wpe.weight"]
    streams: dict[str, Array] = {}
    for i in range(cfg.n_layer):
        streams |= {f"blocks.{i}.norm1": trace[f"{i}.in"],
                    f"blocks.{i}.norm2": trace[f"{i}.mid"]}
    streams["norm_f"] = trace[f"{cfg.n_layer - 1}.out"]
    donors = np.arange(len(q.ids)) if how == "own" else next_country(q)

    def branch(kind: str) -> Metrics:
        names = [f"{i}.{kind}" for i in layers]
        now = said(model, q, handed(q, trace, names, donors))
        return {"off": right(model, q, dict.fromkeys(names, np.zeros_like)),
                "gentle": right(model, q, dict.fromkeys(names, average)),
                "own": int((now == q.answers).sum()),
                "theirs": int((now == q.answers[next_country(q)]).sum())}

    def embedded(x: Array) -> int:          # what goes in; reading stays
        return right(model, q, {"embed": x})

    dealt = np.random.default_rng(seed).permutation(T)
    vectors, none = wte[q.ids], {"own": None, "theirs": None}   # [B, T, d]
    off_row = wpe[0] if how == "first_place" else np.zeros(cfg.width)
    return {
        "words": {"off": embedded(0 * vectors + wpe[:T]),
                  "gentle": embedded(average(vectors) + wpe[:T]), **none},
        "attention": branch("attn"),
        "heads": {"off": right(bare(cfg, w, n_head=1), q),
                  "gentle": one_head_left(model, q), **none},
        "positions": {"off": embedded(vectors + off_row),
                      "gentle": embedded(vectors + wpe.mean(0)),
                      "own": embedded(vectors + wpe[dealt]), "theirs": None},
        "residual": {"off": right(bare(cfg, w, residual=False), q),
                     "gentle": None, **none},
        "norm": {"off": right(bare(cfg, w, norm="none"), q),
                 "gentle": right(FixedScale(model, streams, how == "scales"), q),
                 **none},
        "mlp": branch("mlp")}


SWITCHES = {"e_places": "E.0.in", "e_self": "E.0.self.made",
            "e_mlp": "E.0.ff.made", "d_places": "D.0.in",
            "d_self": "D.0.self.made", "d_cross": "D.0.cross.made",
            "d_mlp": "D.0.ff.made"}         # of the translator


def placeless(x: Array) -> Array:
    """Vectors as they were before their positions were added."""
    return x - sinusoidal_positions(x.shape[1], x.shape[2])     # [B, n, d]


def translated(model: Translator, pairs: Sequence[Pair], stage: str = "",
               edit: Any = np.zeros_like, backwards: bool = False) -> int:
    """How many sentences come out right; with one stage edited (off)."""
    source = model.source_ids([p.source[::-1] if backwards else p.source
                               for p in pairs])                 # [B, n]
    patch = {stage: placeless if stage.endswith(".in") else edit}
    patch = patch if stage else {}
    inside = {k: v for k, v in patch.items() if k.startswith("E")}
    memory = model.run(source, np.full((len(pairs), 1), BOS), inside,
                       trace=True).trace["memory"]
    made = model.greedy(source, None if inside else patch or None,
                        memory=memory)
    return sum(tuple(s) == p.target for s, p in zip(made, pairs, strict=True))


def switches(seed: int, how: str = "") -> Metrics:
    """Eight components, each switched off alone.

    Leaves:
      questions right shift cross_tensors of all  of: sentences; all: right
      first_place  right with the first place's vector at every place
      record.{seeds,positions,norm}  seeds that keep nine in ten; least kept
      switch.{words,attention,heads,positions,residual,norm,mlp,cross}.{off,
        gentle,own,theirs}  answers left; own, theirs: with their content
    """
    model, recipe = ready("base")
    q = questions(recipe.data.world())                          # 96
    translator = translate_np.load("english_chinese")
    pairs = list(phrases.corpus("en_zh").held_out[:len(q.ids)])
    stage = SWITCHES["e_self" if how == "other_stage" else "d_cross"]
    found = in_the_gpt(model, q, seed, how)
    found["cross"] = {"off": translated(translator, pairs, stage),
                      "gentle": translated(translator, pairs, stage, average),
                      "own": None, "theirs": None}
    table = model.w["wte.weight"][q.ids] + model.w["wpe.weight"][0]
    return {"questions": len(q.ids), "right": right(model, q),
            "first_place": right(model, q, {"embed": table}),
            "of": len(pairs), "all": translated(translator, pairs),
            "switch": found, "shift": recipe.training.shift,
            "record": switch_record(0.9 * len(q.ids)),
            "cross_tensors": sum("cross" in k for k in model.w)}


def switch_record(most: float) -> Metrics:
    """In how many seeds positions can go; the fewest with fixed norms."""
    runs = [r["switch"] for r in seeds()]
    return {"seeds": len(runs), "norm": min(r["norm"]["gentle"] for r in runs),
            "positions": sum(min(r["positions"][way] for way in
                                 ("off", "gentle", "own")) > most
                             for r in runs)}


SWITCHES_CONTROLS: dict[str, Any] = {
    "first_place": partial(switches, how="first_place"),
    "top_layer_only": partial(switches, how="top_layer"),
    "scales_turned": partial(switches, how="scales"),
    "own_content": partial(switches, how="own"),
    "other_stage": partial(switches, how="other_stage"),
}


# --- 3. the same for a translator ---------------------------------------------

LOVE, SENTENCES, SEEN = "I love AI", 96, 3


def english(sentence: str) -> list[str]:
    """An English sentence as the words of demo 10; unknown ones are named."""
    known = phrases.corpus("en_zh").source_words[1:]
    exactly = {w.lower(): w for w in known}
    words = phrases.words_of(sentence)
    unknown = [w for w in words if w.lower() not in exactly]
    if unknown or not 0 < len(words) <= 24:
        raise UsageProblem(
            f"the translator does not know: {', '.join(unknown) or 'such a length'}",
            f"its words are: {' '.join(known)}")
    return [exactly[w.lower()] for w in words]


def readings(model: Translator, words: list[str]) -> int:
    """How many different rows of ids one sentence gets: alone, in a batch."""
    rows = [model.source_ids([words])[0],
            model.source_ids([words, words[:1]])[0]]            # each [n]
    return len({tuple(r.tolist()) for r in rows})


def through(model: Translator, source: Array, inputs: Array) -> Metrics:
    """Every stage of one sentence: its shape, the first row's first numbers."""
    run = model.run(source, inputs, trace=True)
    trace = {**run.trace, "logits": run.logits}
    of = {"e_words": placeless(trace["E.0.in"]), "e_places": trace["E.0.in"],
          "e_look": trace["E.0.self.weights"], "e_self": trace["E.0.self.made"],
          "e_mlp": trace["E.0.ff.made"], "memory": trace["memory"],
          "d_places": trace["D.0.in"], "d_self": trace["D.0.self.made"],
          "d_look": trace["D.0.cross.weights"],
          "d_cross": trace["D.0.cross.made"], "d_mlp": trace["D.0.ff.made"],
          "logits": trace["logits"]}
    found = {}
    for key, a in of.items():
        row = a[0].reshape(-1, a.shape[-1])[0, :SEEN].tolist()
        found[key] = {"shape": "×".join(map(str, a.shape[1:])),
                      "first": row + [None] * (SEEN - len(row))}
    return found


def hidden(model: Translator, pairs: Sequence[Pair], aimed: bool) -> Metrics:
    """Hide from each step the word it looks at most, or the next to it.

    aimed: False hides the next one both times.
    """
    source = model.source_ids([p.source for p in pairs])        # [B, n]
    made = model.greedy(source)
    inputs = model.input_ids(made)                              # [B, m]
    run = model.run(source, inputs, trace=True)
    own = run.logits.argmax(-1)                                 # [B, m]
    maps = run.trace["D.0.cross.weights"].mean(1)               # [B, m, n]
    order = (-maps).argsort(-1)
    steps = np.arange(inputs.shape[1]) < np.array(
        [[len(s)] for s in made])                               # less <eos>
    found: Metrics = {"words": steps.sum()}
    for key, place in (("most", 0 if aimed else 1), ("second", 1)):
        where = order[..., place:place + 1]                     # [B, m, 1]
        keep = np.ones(maps.shape, bool)
        np.put_along_axis(keep, where, False, -1)
        now = model.run(source, inputs, cut_across(model.cfg, keep)).logits
        same = (now.argmax(-1) == own) & steps
        found[key] = {"right": same.sum() / steps.sum(),
                      "weight": np.take_along_axis(maps, where, -1)[..., 0]
                      [steps].mean()}
        found[key]["none"] = (same.sum(-1) == 0).sum()
    return found


def encoder_decoder(sentence: str, seed: int, aimed: bool = True,
                    turned: bool = False) -> Metrics:
    """A sentence through the translator of demo 10, and its stages off.

    Leaves:
      text source[n] ids said width layers heads readings sure
      steps[m] map[m,n]  [step, source word]
      stages.{e_words,e_places,e_look,e_self,e_mlp,memory,d_places,d_self,
        d_look,d_cross,d_mlp,logits}.{shape,first[3],off}  off: sentences right
      exam.{sentences,right,backwards}
      cut.{words,{most,second}.{right,weight,none}}  none: sentences without
    """
    model = translate_np.load("english_chinese")
    words = english(sentence)
    source = model.source_ids([words])                          # [1, n]
    made = model.greedy(source)[0]
    inputs = model.input_ids([made])                            # [1, m]
    run = model.run(source, inputs, trace=True)
    p, names = softmax(run.logits[0]), model.target_words       # [m, V]
    pairs = list(phrases.corpus("en_zh").held_out[:SENTENCES])
    keys = list(SWITCHES)
    off = {key: translated(model, pairs,
                           SWITCHES[keys[(i + turned) % len(keys)]])
           for i, key in enumerate(keys)}
    return {
        "text": " ".join(words), "source": words,
        "ids": " ".join(map(str, source[0].tolist())),
        "said": " ".join(made), "width": model.cfg.width,
        "layers": model.cfg.encoder_layers, "heads": model.cfg.n_head,
        "readings": readings(model, words), "sure": p.max(-1).min(),
        "steps": [f"{names[f]} → {names[s]}" for f, s in zip(
            inputs[0], p.argmax(-1), strict=True)],
        "map": run.trace["D.0.cross.weights"][0].mean(0),
        "stages": {key: {**stage, "off": off.get(key)} for key, stage in
                   through(model, source, inputs).items()},
        "exam": {"sentences": len(pairs), "right": translated(model, pairs),
                 "backwards": translated(model, pairs, backwards=True)},
        "cut": hidden(model, pairs, aimed)}


TRANSLATOR_CONTROLS: dict[str, Any] = {
    "second_hidden": partial(encoder_decoder, aimed=False),
    "next_stage_off": partial(encoder_decoder, turned=True),
}


# --- 4. alternating or grouped ------------------------------------------------

STEPS = ("attn0", "mlp0", "attn1", "mlp1")  # as they were trained
SHOWN = {"own": STEPS, "grouped": ("attn0", "attn1", "mlp0", "mlp1"),
         "top": ("attn0", "mlp0", "mlp1", "attn1"),
         "bottom": ("mlp0", "attn0", "attn1", "mlp1")}


def taken_apart(model: GPT, order: Sequence[str]) -> tuple[GPT, Patch]:
    """The same sub-layers, one a block, in any order: attn0, mlp0 and so on.

    Each block keeps one of its two branches; the other writes 0.
    """
    w = {k: a for k, a in model.w.items() if not k.startswith("blocks.")}
    patch: dict[str, Any] = {}
    for new, step in enumerate(order):
        kind, old = step.rstrip("0123456789"), step.lstrip("atnmlp")
        start = f"blocks.{old}."
        w |= {f"blocks.{new}.{k.removeprefix(start)}": a
              for k, a in model.w.items() if k.startswith(start)}
        silent = "mlp" if kind == "attn" else "attn"
        patch[f"{new}.{silent}"] = np.zeros_like
    return GPT(dataclasses.replace(model.cfg, n_layer=len(order)), w), patch


def apart(model: GPT, q: Questions, order: Sequence[str],
          own: Array) -> Metrics:
    """Final states, relative difference to its own; answers still right."""
    other, patch = taken_apart(model, order)
    real = np.arange(q.ids.shape[1]) <= q.last[:, None]         # [B, T]
    run = other.run(q.ids, patch, trace=True)
    a, b = own[real], run.trace["final"][real]                  # [.., d]
    now = run.logits[np.arange(len(q.ids)), q.last].argmax(-1)
    kept = (now == q.answers).reshape(-1, len(RELATIONS))       # [24, 4]
    return {"gap": float(np.linalg.norm(a - b) / np.linalg.norm(a)),
            "left": int(kept.sum()),
            "of": dict(zip(RELATIONS, kept.sum(0).tolist(), strict=True))}


def every_order(seed: int, moved: bool = True, led: int = 0) -> Metrics:
    """The trained model's four sub-layers in all their orders.

    Leaves:
      questions countries layers orders each
      shown.{own,grouped,top,bottom}.{gap,left,of.{capital,language,leader,
        known_for}}  gap: change / size of the last states
      led.{attn0,mlp0,attn1,mlp1}.{least,most}  right, by what comes first
      rest  the most right where attn0 is not first
      record.{seeds,least,middle,most,first}  grouped: right; seeds where first
    """
    model, recipe = ready("base")
    q = questions(recipe.data.world())                          # 96
    own = model.run(q.ids, trace=True).trace["final"]           # [96, T, d]
    found = {order: apart(model, q, order, own)
             for order in permutations(STEPS)}
    heads = {step: STEPS[(i + led) % len(STEPS)]
             for i, step in enumerate(STEPS)}
    left = {step: [r["left"] for order, r in found.items()
                   if order[0] == heads[step]] for step in STEPS}
    return {"questions": len(q.ids), "countries": len(q.ids) // len(RELATIONS),
            "layers": model.cfg.n_layer, "orders": len(found),
            "each": len(left["attn0"]),
            "shown": {name: found[order if moved else STEPS]
                      for name, order in SHOWN.items()},
            "led": {step: {"least": min(n), "most": max(n)}
                    for step, n in left.items()},
            "rest": max(n for step in STEPS[1:] for n in left[step]),
            "record": order_record()}


def order_record() -> Metrics:
    """Grouped over the seeds; where attn0 in front beats every other."""
    orders = [r["orders"] for r in seeds()]
    grouped = sorted(o[" ".join(SHOWN["grouped"])] for o in orders)
    first = [(min(n for k, n in o.items() if k.startswith("attn0")),
              max(n for k, n in o.items() if not k.startswith("attn0")))
             for o in orders]
    return {"seeds": len(orders), "least": grouped[0], "most": grouped[-1],
            "middle": grouped[(len(grouped) - 1) // 2],
            "first": sum(least > rest for least, rest in first)}


ORDER_CONTROLS: dict[str, Any] = {
    "alternating": partial(every_order, moved=False),
    "led_by_the_next": partial(every_order, led=1),
}


# --- 5. the map of the course -------------------------------------------------

SHOWN_IN: dict[str, tuple[int, ...]] = {     # which demo shows it: data
    "tokens": (1,), "words": (2,), "positions": (7,), "norm": (9,),
    "attention": (4, 5, 6, 8), "residual": (9,), "mlp": (9, 14),
    "logits": (13,), "cross": (10,)}
WHOLE: dict[str, tuple[int, ...]] = {
    "before": (3,), "cost": (11,), "grows": (12,), "sure": (13,), "fact": (14,)}
CARRIERS = ("attention", "cross")           # what carries from place to place
STAYERS = ("words", "norm", "residual", "mlp", "logits")


def moved_at_last(model: GPT, ids: Array, leak: bool,
                  rng: np.random.Generator) -> Metrics:
    """Draw a stage's input anew everywhere but at the last place.

    How far does the stage's own output move at the last place?
    """
    before = model.run(ids, trace=True).trace

    def after(enters: str) -> Mapping[str, Array]:
        x = before[enters].copy()                               # [1, T, d]
        end = None if leak else -1
        x[:, :end] = rng.standard_normal(x[:, :end].shape)
        return model.run(ids, {enters: x}, trace=True).trace

    def gap(enters: str, leaves: str) -> float:
        return float(abs(after(enters)[leaves] - before[leaves])[:, -1].max())

    other = ids.copy()
    other[:, :None if leak else -1] += 1                        # other words
    words = model.run(other, trace=True).trace["embed"]
    return {"words": abs(words - before["embed"])[:, -1].max(),
            "norm": gap("0.in", "0.norm1"), "attention": gap("0.in", "0.attn"),
            "residual": gap("0.mid", "0.out"), "mlp": gap("0.mid", "0.mlp"),
            "logits": gap(f"{model.cfg.n_layer - 1}.out", "logits")}


def across(model: Translator, leak: bool) -> float:
    """Change the source sentence: what does cross-attention write then?"""
    inputs = np.array([[BOS]])
    a, b = (model.run(model.source_ids([text.split()]), inputs, trace=True).trace
            for text in (LOVE, LOVE if leak else "I love her"))
    key = f"D.{model.cfg.decoder_layers - 1}.cross.made"
    return float(abs(a[key] - b[key]).max())


GPT2_WORDS = 50_257                         # rows of GPT-2's word table


def mlp_share(cfg: GPTConfig) -> float:
    """The MLPs' share of a network's parameters."""
    sizes = {n: math.prod(s) for n, s in cfg.tensor_shapes().items()}
    return sum(v for n, v in sizes.items() if ".mlp." in n) / sum(sizes.values())


def course(seed: int, leak: bool = False, same: bool = False) -> Metrics:
    """Each stage: what it learned, what it moves, the demo that shows it.

    Leaves:
      stages.{tokens,words,positions,norm,attention,residual,mlp,logits,cross}.
        {numbers,moved,demos}  moved: null where nothing was changed
      whole.{before,cost,grows,sure,fact}.demos
      total mlp_share large.{vocabulary,mlp_share}
    """
    model, recipe = ready("base")
    translator = translate_np.load("english_chinese")
    ids = questions(recipe.data.world()).ids[:1, :11]           # [1, T]
    of = {"words": "wte", "positions": "wpe", "norm": "norm",
          "attention": ".attn.", "mlp": ".mlp."}
    numbers = {stage: sum(a.size for n, a in model.w.items() if part in n)
               for stage, part in of.items()}
    cross = sum(a.size for n, a in translator.w.items() if ".cross." in n)
    moved = moved_at_last(model, ids, leak, np.random.default_rng(seed))
    moved["cross"] = across(translator, leak)
    total = sum(a.size for a in model.w.values())
    large = dataclasses.replace(
        model.cfg, vocab_size=model.cfg.vocab_size if same else GPT2_WORDS)

    def in_demos(demos: Sequence[int]) -> str:
        return " ".join(f"{d:02d}" for d in demos)

    return {"stages": {stage: {
        "numbers": cross if stage == "cross" else numbers.get(stage, 0),
        "moved": moved.get(stage), "demos": in_demos(demos)}
        for stage, demos in SHOWN_IN.items()},
        "whole": {name: {"demos": in_demos(demos)}
                  for name, demos in WHOLE.items()},
        "total": total, "mlp_share": mlp_share(model.cfg),
        "large": {"vocabulary": large.vocab_size,
                  "mlp_share": mlp_share(large)}}


COURSE_CONTROLS: dict[str, Any] = {
    "changed_here_too": partial(course, leak=True),
    "same_table": partial(course, same=True),
}
