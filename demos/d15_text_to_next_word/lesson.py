"""The stages behind demo 15: two shipped models, opened, and put out of use in parts.

Part 1 keeps what every stage makes of one text, part 2 puts eight components out of use in
up to three ways, part 3 follows a sentence through the translator, part 4 takes blocks apart
into single branches and sorts them, part 5 changes the other places and asks which stages
notice at the last. Typed texts are checked here: what is unknown is named.

Longer than 450 lines because it opens two models, the country model and the translator, and
takes eight components out of use, each in its own way.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from lecture.data import phrases
from lecture.data.phrases import Pair
from lecture.errors import UsageProblem
from lecture.lab.probes import Questions, questions, right
from lecture.models import translate_np
from lecture.models.gpt_np import GPT, Patch, combine, cut_edge, init_weights, ready, zero_head
from lecture.models.recipes import GPTConfig
from lecture.models.translate_np import BOS, Translator, cut_across, zero_cross
from lecture.report import Metrics
from pretrain_world import DOC, PROMPT, Tokenizer, UnknownWords, exam, tokenizer

Array = np.ndarray
FIRST = 4                                   # numbers shown of a vector


def odds(logits: Array) -> Array:
    """Logits [.., V] as probabilities."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def shown(x: Array) -> Metrics:
    """A vector as the screen has it: its first numbers and its length."""
    return {"first": x[:FIRST], "norm": np.linalg.norm(x)}


# --- 1. a question, stage by stage --------------------------------------------

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


def last_stream(model: GPT, trace: Mapping[str, Array], said: int,
                tok: Tokenizer) -> list[Metrics]:
    """The stream at the last place after each stage, and what it would say.

    Read early (logit lens): the state goes straight to the last norm.
    """
    top, found = f"{model.cfg.n_layer - 1}.out", []
    ids = np.zeros(trace["embed"].shape[:2], int)               # [1, T]
    names = ["0.in"] + [f"{i}.{at}" for i in range(model.cfg.n_layer)
                        for at in ("mid", "out")]
    for name in names:
        scores = model.run(ids, {top: trace[name]}).logits[0, -1]   # [V]
        found.append({"stage": name, **shown(trace[name][0, -1]),
                      "top": tok.itos[scores.argmax()],
                      "rank": 1 + int((scores > scores[said]).sum())})
    return found


def cut_the_look(model: GPT, ids: Array, trace: Mapping[str, Array],
                 said: int, aimed: bool, rng: np.random.Generator) -> Metrics:
    """Cut the strongest look of the last place, or one drawn instead."""
    cfg, last = model.cfg, ids.shape[1] - 1
    maps = np.stack([trace[f"{i}.weights"][0, :, last, :last]
                     for i in range(cfg.n_layer)])              # [L, h, T - 1]
    layer, head, place = (int(i) for i in np.unravel_index(
        maps.argmax(), maps.shape))
    other = int(rng.integers(last - 1))
    other += other >= place

    def left(key: int) -> float:
        cut = cut_edge(layer, head, last, key)
        return float(odds(model.run(ids, cut).logits[0, -1])[said])

    return {"layer": layer, "head": head, "weight": maps.max(),
            "place": place, "other_place": other,
            "before": odds(model.run(ids).logits[0, -1])[said],
            "after": left(place if aimed else other),
            "other": left(other)}


def stages(text: str, seed: int, trained: bool = True, added: bool = True,
           aimed: bool = True) -> Metrics:
    """One text through the model; everything a stage made, in numbers.

    Leaves:
      prompt length vocabulary width layers heads said wanted
      words[T].{place,word,id,{vector,position}.{first[4],norm}}
      looks[4].{layer,head,word,weight}  from the last place
      writes[4].{layer,kind,first[4],norm}
      stream[5].{stage,first[4],norm,top,rank}  rank: of the word said
      gap best[5].{word,score,p}  gap: the stream less the sum of its parts
      cut.{layer,head,weight,place,other_place,before,after,other}
    """
    model, recipe = ready("base", trained)
    tok = tokenizer(recipe.data.world())
    row = prompt_ids(text, tok, model.cfg.context)
    if not added:                           # each branch replaces the stream
        model = GPT(dataclasses.replace(model.cfg, residual=False), model.w)
    ids = np.array([row])                                       # [1, T]
    trace, cfg = model.run(ids, trace=True).trace, model.cfg
    table, places = model.w["wte.weight"], model.w["wpe.weight"]
    scores = trace["logits"][0, -1]                             # [V]
    best, p = (-scores).argsort(kind="stable")[:5], odds(scores)
    said = int(best[0])
    branches = [trace[f"{i}.{kind}"][0, -1] for i in range(cfg.n_layer)
                for kind in ("attn", "mlp")]                    # each [d]
    total = table[row[-1]] + places[len(row) - 1] + sum(branches)
    prompt = " ".join(tok.itos[i] for i in row)
    wanted = {q: a for q, a, *_ in exam(recipe.data.world())}
    return {
        "prompt": prompt, "length": len(row), "vocabulary": cfg.vocab_size,
        "width": cfg.width, "layers": cfg.n_layer, "heads": cfg.n_head,
        "words": [{"place": t, "word": tok.itos[i], "id": i,
                   "vector": shown(table[i]), "position": shown(places[t])}
                  for t, i in enumerate(row)],
        "looks": [{"layer": i, "head": j, "word": tok.itos[row[w.argmax()]],
                   "weight": w.max()}
                  for i in range(cfg.n_layer)
                  for j, w in enumerate(trace[f"{i}.weights"][0, :, -1])],
        "writes": [{"layer": i // 2, "kind": ("attn", "mlp")[i % 2],
                    **shown(b)} for i, b in enumerate(branches)],
        "stream": last_stream(model, trace, said, tok),
        "gap": abs(trace[f"{cfg.n_layer - 1}.out"][0, -1] - total).max(),
        "best": [{"word": tok.itos[i], "score": scores[i], "p": p[i]}
                 for i in best],
        "said": tok.itos[said], "wanted": wanted.get(prompt, "-"),
        "cut": cut_the_look(model, ids, trace, said, aimed,
                            np.random.default_rng(seed))}


STAGES_CONTROLS: dict[str, Any] = {
    "untrained": partial(stages, trained=False),
    "not_added": partial(stages, added=False),
    "cut_elsewhere": partial(stages, aimed=False),
}


# --- 2. which of the eight can go? --------------------------------------------

NEEDED = ("words", "attention", "heads", "residual", "norm", "mlp")


class FixedScale(GPT):
    """Each norm divides by one number, the same for every token."""

    def __init__(self, model: GPT, streams: Mapping[str, Array]):
        super().__init__(model.cfg, model.w)
        self.scales = {name: float(np.sqrt(x.var(-1).mean()))
                       for name, x in streams.items()}

    def _norm(self, name: str, x: Array) -> Array:
        return x / self.scales[name] * self.w[f"{name}.weight"]     # [B, T, d]


def average(a: Array) -> Array:
    """The mean over all questions and places, at every place."""
    return np.broadcast_to(a.mean((0, 1), keepdims=True), a.shape)


def noisy(rng: np.random.Generator) -> Callable[[Array], Array]:
    """Add to every vector a drawn one of its own length."""
    def edit(a: Array) -> Array:                                    # [B, T, d]
        z = rng.standard_normal(a.shape)
        size = np.linalg.norm(a, axis=-1, keepdims=True)
        return a + z / np.linalg.norm(z, axis=-1, keepdims=True) * size
    return edit


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


def in_the_gpt(model: GPT, q: Questions, rng: np.random.Generator,
               places: str) -> Metrics:
    """Seven components off, off more gently, or under noise: answers left."""
    cfg, w, layers = model.cfg, model.w, range(model.cfg.n_layer)
    trace = model.run(q.ids, trace=True).trace
    wte, wpe = w["wte.weight"], w["wpe.weight"]
    streams = {"norm_f": trace[f"{cfg.n_layer - 1}.out"]}
    for i in layers:
        streams[f"blocks.{i}.norm1"] = trace[f"{i}.in"]
        streams[f"blocks.{i}.norm2"] = trace[f"{i}.mid"]

    def left(edit: Any, kind: str) -> int:
        return right(model, q, {f"{i}.{kind}": edit for i in layers})

    def rows(name: str, table: Array) -> int:
        return right(GPT(cfg, {**w, name: np.broadcast_to(table, w[name].shape)}), q)

    def words(vectors: Array) -> int:       # what goes in; reading stays
        return right(model, q, {"embed": vectors + wpe[:q.ids.shape[1]]})

    off_row = {"zero": np.zeros(cfg.width), "first": wpe[0]}[places]
    noise, vectors = noisy(rng), wte[q.ids]                     # [B, T, d]
    found: Metrics = {
        "words": {"off": words(np.zeros_like(vectors)),
                  "gentle": words(average(vectors)), "noise": words(noise(vectors))},
        "attention": {"off": left(np.zeros_like, "attn"),
                      "gentle": left(average, "attn"), "noise": left(noise, "attn")},
        "heads": {"off": right(bare(cfg, w, n_head=1), q),
                  "gentle": one_head_left(model, q), "noise": None},
        "positions": {"off": rows("wpe.weight", off_row),
                      "gentle": rows("wpe.weight", wpe.mean(0)),
                      "noise": rows("wpe.weight", noise(wpe[None])[0])},
        "residual": {"off": right(bare(cfg, w, residual=False), q),
                     "gentle": None, "noise": None},
        "norm": {"off": right(bare(cfg, w, norm="none"), q),
                 "gentle": right(FixedScale(model, streams), q), "noise": None},
        "mlp": {"off": left(np.zeros_like, "mlp"),
                "gentle": left(average, "mlp"), "noise": left(noise, "mlp")}}
    said = trace["logits"][np.arange(len(q.ids)), q.last].argmax(-1)
    return {"right": int((said == q.answers).sum()), **found}


def in_the_translator(model: Translator, pairs: list[Pair], count: int,
                      rng: np.random.Generator) -> Metrics:
    """Cross-attention off, on average, or under noise: sentences left."""
    source = model.source_ids([p.source for p in pairs])        # [B, n]

    def left(patch: Any) -> int:
        said = model.greedy(source, patch)
        return sum(tuple(s) == p.target
                   for s, p in zip(said, pairs, strict=True))

    def edits(edit: Any) -> Patch:
        return {f"D.{i}.cross.made": edit
                for i in range(model.cfg.decoder_layers)}

    return {"off": left(zero_cross(model.cfg)), "gentle": left(edits(average)),
            "noise": left(edits(noisy(rng))), "all": left(None), "of": count}


def switches(seed: int, off: bool = True,
             places: str = "zero") -> Metrics:
    """Eight components, each switched off alone.

    Leaves:
      questions right shift cross_tensors.{gpt,translator}
      switch.{words,attention,heads,positions,residual,norm,mlp}.{off,gentle,
        noise}  right answers left; null: there is no such way
      switch.cross.{off,gentle,noise,all,of}  sentences
    """
    model, recipe = ready("base")
    q = questions(recipe.data.world())                          # 96
    rng, n = np.random.default_rng(seed), len(q.ids)
    translator = translate_np.load("english_chinese")
    pairs = list(phrases.corpus("en_zh").held_out[:n])
    found = in_the_gpt(model, q, rng, places)
    all_right = found.pop("right")
    found["cross"] = in_the_translator(translator, pairs, n, rng)
    if not off:                             # every switch stays on
        full = {**dict.fromkeys(found, all_right),
                "cross": found["cross"]["all"]}
        found = {name: {k: v if v is None or k in ("all", "of") else full[name]
                        for k, v in row.items()}
                 for name, row in found.items()}
    return {"questions": n, "right": all_right, "switch": found,
            "shift": recipe.training.shift,
            "cross_tensors": {"gpt": sum("cross" in k for k in model.w),
                              "translator": sum("cross" in k
                                                for k in translator.w)}}


SWITCHES_CONTROLS: dict[str, Any] = {
    "nothing_off": partial(switches, off=False),
    "first_place": partial(switches, places="first"),
}


# --- 3. the same for a translator ---------------------------------------------

LOVE = "I love AI"


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


def readings(model: Translator, words: list[str], mixed: bool) -> int:
    """How many different rows of ids one sentence gets, read three times.

    Alone, beside another sentence, and by a table built anew (mixed: in
    another order).
    """
    names = list(model.source_words)
    again = names[:1] + names[:0:-1] if mixed else names
    twin = Translator(model.cfg, model.w, again, model.target_words)
    rows = [model.source_ids([words])[0],
            model.source_ids([words, words[:1]])[0],
            twin.source_ids([words])[0]]                        # each [n]
    return len({tuple(r.tolist()) for r in rows})


def cut_own(model: Translator, source: Array, inputs: Array, maps: Array,
            said: Array, aimed: bool, rng: np.random.Generator) -> Metrics:
    """Hide from each row the word it looks at most, or a drawn other one."""
    rows, n = np.arange(len(maps)), maps.shape[1]
    own = maps.argmax(-1)                                       # [m]
    other = (own + 1 + rng.integers(max(n - 1, 1), size=len(own))) % n

    def left(places: Array) -> int:
        keep = np.ones((1, *maps.shape), bool)                  # [1, m, n]
        keep[0, rows, places] = n == 1      # the only word cannot be hidden
        logits = model.run(source, inputs, cut_across(model.cfg, keep)).logits
        return int((logits[0].argmax(-1) == said)[:-1].sum())

    return {"words": len(said) - 1, "own": left(own if aimed else other),
            "other": left(other)}


def encoder_decoder(sentence: str, seed: int, trained: bool = True,
                    mixed: bool = False, aimed: bool = True,
                    looks: bool = True) -> Metrics:
    """A sentence through the translator of demo 10, with its numbers.

    Leaves:
      sentence_text source[n] said width readings begins
      words[n].{word,id,first[4],norm,memory}  memory: length at the end
      steps[m].{fed,says,p} sure map[m,n]  [step, source word]
      moved moved_off  of the logits, one vector of the memory changed
      cut.{words,own,other}  words right
    """
    model = translate_np.load("english_chinese", trained)
    words, rng = english(sentence), np.random.default_rng(seed)
    source = model.source_ids([words])                          # [1, n]
    said = model.greedy(source)[0]
    inputs = model.input_ids([said])                            # [1, m]
    run = model.run(source, inputs, trace=True)
    p, maps = odds(run.logits[0]), run.trace["D.0.cross.weights"][0].mean(0)
    made = p.argmax(-1)                                         # [m]
    memory = run.trace["memory"][0]                             # [n, d]
    far = memory.copy()
    far[0] += 1.0                           # another vector for one word
    names, off = model.target_words, zero_cross(model.cfg)

    def moved(patch: Patch | None) -> float:
        a, b = (model.run(source, inputs, patch, memory=x[None]).logits
                for x in (memory, far))
        return float(abs(a - b).max())                          # [1, m, V]

    return {
        "words": [{"word": w, "id": i,
                   **shown(model.w["source.weight"][i]),
                   "memory": np.linalg.norm(memory[j])}
                  for j, (w, i) in enumerate(zip(words, source[0],
                                                 strict=True))],
        "width": model.cfg.width, "readings": readings(model, words, mixed),
        "source": words, "sentence_text": " ".join(words),
        "said": " ".join(said),
        "steps": [{"fed": names[f], "says": names[s], "p": row[s]}
                  for f, s, row in zip(inputs[0], made, p, strict=True)],
        "sure": p.max(-1).min(), "map": maps,
        "moved": moved(None if looks else off), "moved_off": moved(off),
        "cut": cut_own(model, source, inputs, maps, made, aimed, rng),
        "begins": bool(inputs[0, 0] == BOS)}


TRANSLATOR_CONTROLS: dict[str, Any] = {
    "untrained": partial(encoder_decoder, trained=False),
    "another_table": partial(encoder_decoder, mixed=True),
    "cut_elsewhere": partial(encoder_decoder, aimed=False),
    "no_cross": partial(encoder_decoder, looks=False),
}


# --- 4. alternating or grouped ------------------------------------------------

def taken_apart(model: GPT, order: str) -> tuple[GPT, Patch]:
    """The same sub-layers, one a block, in either order.

    alternating: attention, MLP, attention, MLP; grouped: all attention
    first. Each block keeps one of its two branches; the other writes 0.
    """
    cfg, L = model.cfg, model.cfg.n_layer
    plan = [(i, kind) for i in range(L) for kind in ("attn", "mlp")]
    if order == "grouped":
        plan.sort(key=lambda step: step[1])
    w = {k: a for k, a in model.w.items() if not k.startswith("blocks.")}
    patch: dict[str, Any] = {}
    for new, (old, kind) in enumerate(plan):
        start = f"blocks.{old}."
        w |= {f"blocks.{new}.{k.removeprefix(start)}": a
              for k, a in model.w.items() if k.startswith(start)}
        silent = "mlp" if kind == "attn" else "attn"
        patch[f"{new}.{silent}"] = np.zeros_like
    return GPT(dataclasses.replace(cfg, n_layer=2 * L), w), patch


def apart(model: GPT, q: Questions, order: str,
          own: Array | None = None) -> tuple[float, int]:
    """Final states, relative difference to its own; answers still right."""
    other, patch = taken_apart(model, order)
    real = np.arange(q.ids.shape[1]) <= q.last[:, None]         # [B, T]
    if own is None:
        own = model.run(q.ids, trace=True).trace["final"]       # [B, T, d]
    a = own[real]                                               # [.., d]
    run = other.run(q.ids, patch, trace=True)
    b = run.trace["final"][real]                                # [.., d]
    said = run.logits[np.arange(len(q.ids)), q.last].argmax(-1)
    return (float(np.linalg.norm(a - b) / np.linalg.norm(a)),
            int((said == q.answers).sum()))


def sorted_layers(networks: int, seed: int, order: str = "grouped",
                  trained: bool = True) -> Metrics:
    """Trained, and untrained at several depths: alternating or grouped.

    Leaves:
      questions layers networks gap left  gap: change / size of the last states
      apart_and_back.{gap,right}
      untrained.{b1,b2,b3}.{blocks,mean,least,most}
    """
    model, recipe = ready("base", trained)
    q = questions(recipe.data.world())                          # 96
    few = Questions(q.ids[:2], q.last[:2], q.country[:2], q.relation[:2],
                    q.answers[:2])
    found = {}
    for blocks in (1, 2, 3):
        cfg = dataclasses.replace(model.cfg, n_layer=blocks)
        gaps = [apart(GPT(cfg, init_weights(cfg, seed + i)), few, order)[0]
                for i in range(networks)]
        found[f"b{blocks}"] = {"blocks": blocks, "mean": np.mean(gaps),
                               "least": min(gaps), "most": max(gaps)}
    own = model.run(q.ids, trace=True).trace["final"]           # [96, T, d]
    (gap, left), (none, back) = (apart(model, q, o, own)
                                 for o in (order, "alternating"))
    return {"questions": len(q.ids), "layers": model.cfg.n_layer,
            "networks": networks, "gap": gap, "left": left,
            "apart_and_back": {"gap": none, "right": back},
            "untrained": found}


ORDER_CONTROLS: dict[str, Any] = {
    "alternating": partial(sorted_layers, order="alternating"),
}


# --- 5. the map of the course -------------------------------------------------

SHOWN_IN: dict[str, tuple[int, ...]] = {     # which demo shows it: data
    "tokens": (1,), "words": (2,), "positions": (7,), "norm": (9,),
    "attention": (4, 5, 6, 8), "residual": (9,), "mlp": (9, 14),
    "logits": (4,), "cross": (10,)}
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


def course(seed: int, leak: bool = False) -> Metrics:
    """Each stage: what it learned, what it moves, the demo that shows it.

    Leaves:
      stages.{tokens,words,positions,norm,attention,residual,mlp,logits,cross}.
        {numbers,moved,demos[n]}  moved: null where nothing was changed
      whole.{before,cost,grows,sure,fact}[1] total counted mlp_share
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
    return {"stages": {stage: {
        "numbers": cross if stage == "cross" else numbers.get(stage, 0),
        "moved": moved.get(stage), "demos": list(demos)}
        for stage, demos in SHOWN_IN.items()},
        "whole": {name: list(demos) for name, demos in WHOLE.items()},
        "total": sum(a.size for a in model.w.values()),
        "counted": sum(numbers.values()),
        "mlp_share": numbers["mlp"] / sum(a.size for a in model.w.values())}


COURSE_CONTROLS: dict[str, Any] = {
    "changed_here_too": partial(course, leak=True),
}
