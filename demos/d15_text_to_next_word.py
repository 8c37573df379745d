"""What happens between a sentence and the next word, and which stage can go?

Tokens, ids, vectors, positions, then in each layer attention and MLP, each added to one
stream, and at the end a score for every word.  Part 1 shows the real numbers of one
question, part 2 switches the eight components off in turn, part 3 follows "I love AI"
through the encoder-decoder of demo 10, whose cross-attention a GPT lacks, part 4 asks
whether attention and MLP may be sorted, part 5 is the map of the course.

Unlike the demos before: nothing new is trained; each earlier stage is seen at work in one
run.  Left out: how the weights came to be (04, 12), sampling (13), what a stage knows (14).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from demos.errata.e15 import ERRATA
from lecture import model_cache, phrases, recipes, translate_np
from lecture.errors import UsageProblem
from lecture.gpt_np import GPT, Patch, combine, cut_edge, init_weights, zero_head
from lecture.phrases import Pair
from lecture.probes_np import Questions, questions, right
from lecture.recipes import GPTConfig, Recipe
from lecture.report import (
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
    close,
    exact,
)
from lecture.translate_np import BOS, Translator, cut_across, zero_cross
from pretrain_world import DOC, PROMPT, Tokenizer, UnknownWords, exam, tokenizer

Array = np.ndarray
TRAINED = close("shipped weights, matrix products", rtol=1e-6, atol=1e-9)
ARITHMETIC = close("deterministic float64: only the order of additions may differ",
                   rtol=1e-7, atol=1e-10)
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-9)
COUNTED = exact("words, ids and counts of the shipped weights")
FIRST = 4                                   # numbers shown of a vector


def ready(trained: bool = True) -> tuple[GPT, Recipe]:
    """The country model of demo 04, or the same one before training."""
    recipe = recipes.named("base")
    weights = model_cache.load(recipe) if trained else init_weights(recipe.config)
    return GPT(recipe.config, weights), recipe


def odds(logits: Array) -> Array:
    """Logits [.., V] as probabilities."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def shown(x: Array) -> Metrics:
    """A vector as the screen has it: its first numbers and its length."""
    return {"first": x[:FIRST], "norm": np.linalg.norm(x)}


# --- 1. a question, stage by stage ----------------------------------------------

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
    """One text through the model; everything a stage made, in numbers."""
    model, recipe = ready(trained)
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


STAGE_NAMES = {"0.in": T("词 + 位置", "word + position"),
               "0.mid": T("第 0 层注意力之后", "after attention 0"),
               "0.out": T("第 0 层 MLP 之后", "after MLP 0"),
               "1.mid": T("第 1 层注意力之后", "after attention 1"),
               "1.out": T("第 1 层 MLP 之后", "after MLP 1")}
WRITE_NAMES = {"attn": T("注意力", "attention"), "mlp": T("MLP", "MLP")}


def four(spec: str = ".2f") -> tuple[Column, ...]:
    """The columns of a vector: its first numbers, then its length."""
    return (Column(T("第一", "first"), spec), Column(T("第二", "second"), spec),
            Column(T("第三", "third"), spec), Column(T("第四", "fourth"), spec),
            Column(T("长度", "length"), ".2f"))


def show_stages(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一句话切成 {length} 个 token，每个 token 是词表里 {vocabulary} 行中的一行；编号取出"
        "一个 {width} 维向量（下表是前几维和长度），再加上它所在位置的向量。",
        "The text becomes {length} tokens, each one of {vocabulary} rows of a table; the id picks "
        "a vector of width {width} (its first numbers and its length are shown), and the vector "
        "of its place is added."))
    yield Table(
        (Column(T("位置", "place"), "d"), Column(T("词", "word")), Column(T("编号", "id"), "d"),
         *four(), Column(T("位置向量长", "its place"), ".2f")),
        [[w["place"], w["word"], w["id"], *w["vector"]["first"], w["vector"]["norm"],
          w["position"]["norm"]] for w in m["words"]],
        title=T("一、二、三：词、编号、向量、位置", "Words, ids, vectors, places"))
    yield Table(
        (Column(T("层", "layer"), "d"), Column(T("头", "head"), "d"),
         Column(T("最看重", "looks most at")), Column(T("权重", "weight"), ".2f")),
        [[r["layer"], r["head"], r["word"], r["weight"]] for r in m["looks"]],
        title=T("注意力：最后一个位置看哪里", "Attention: where the last place looks"))
    yield Table(
        (Column(T("层", "layer"), "d"), Column(T("谁写的", "written by")), *four()),
        [[r["layer"], WRITE_NAMES[r["kind"]], *r["first"], r["norm"]] for r in m["writes"]],
        title=T("每一层往最后一个位置加了什么", "What each layer adds at the last place"))
    yield Table(
        (Column(T("站", "stage")), *four(), Column(T("现在读出", "reads")),
         Column(T("名次", "rank"), "d")),
        [[STAGE_NAMES[r["stage"]], *r["first"], r["norm"], r["top"], r["rank"]]
         for r in m["stream"]],
        title=T("最后一个位置的残差流，一站一站", "The stream at the last place, stage by stage"),
        legend=T("现在读出：这一站的状态直接送进最后的归一化和词表，分数最高的词；名次："
                 "最后说出的那个词"
                 "此时排第几。",
                 "Reads: the top word if the state of this stage went straight to the last norm "
                 "and the word table; rank: that of the word said in the end."))
    yield Table(
        (Column(T("词", "word")), Column(T("分数", "logit"), ".2f"),
         Column(T("概率", "probability"), ".4f")),
        [[r["word"], r["score"], r["p"]] for r in m["best"]],
        title=T("分数最高的几个词（世界里的正确答案：{wanted}）",
                "The words with the highest scores (right in this world: {wanted})"))


def reads_first(word: Callable[[Any], Any]) -> Callable[[Any], float]:
    return lambda m: (m["stream"][0]["top"] == word(m)) - 0.5


STAGES = Part(
    number=1, key="stages",
    title=T("从一句话到下一个词，一站一站", "From text to next word, stage by stage"),
    compute=stages, describe=show_stages, recipes=("base",),
    params={"text": Param("what is the capital of balavia ?",
                          about=T("这个世界里的一句话", "any text of the world"))},
    controls={"untrained": partial(stages, trained=False),
              "not_added": partial(stages, added=False),
              "cut_elsewhere": partial(stages, aimed=False)},
    claims=(
        Claim("a_sum", T(
            "残差流是一笔笔加出来的账：最后一个位置的状态，正好等于它的词向量、位置向量和 "
            "{layers} 层里注意力、MLP 写的东西之和，最多差 {gap:.0e}。",
            "The stream is a running sum: the last place's state is its word vector plus its "
            "place vector plus all that attention and MLP wrote in {layers} layers; the largest "
            "difference is {gap:.0e}."),
            lambda m: 1e-9 - m["gap"], "not_added"),
        Claim("says", T(
            "模型说 {said}，概率 {best[0][p]:.3f}，过半；第二名 {best[1][word]} 只有 "
            "{best[1][p]:.3f}。",
            "The model says {said}, with probability {best[0][p]:.3f}, more than half; the "
            "second, {best[1][word]}, has {best[1][p]:.3f}."),
            lambda m: min(m["best"][0]["p"] - 0.5, 0.5 - m["best"][1]["p"]),
            "untrained"),
        Claim("made_on_the_way", T(
            "这个词不在最后一个位置的入口处，是路上做出来的：刚进来时读出的是 {stream[0][top]}，"
            "它排第 {stream[0][rank]}；最后排第 {stream[4][rank]}。",
            "That word is not there at the last place's entrance, it is made on the way: first "
            "{stream[0][top]} is read and it ranks {stream[0][rank]}; at the end it ranks "
            "{stream[4][rank]}."),
            lambda m: min(m["stream"][0]["rank"] - 1.5, 1.5 - m["stream"][4]["rank"]),
            "untrained"),
        Claim("cut", T(
            "最强的一眼（第 {cut[layer]} 层第 {cut[head]} 个头看位置 {cut[place]}，权重 "
            "{cut[weight]:.2f}）切断，{said} 的概率从 {cut[before]:.3f} 掉到 {cut[after]:.3f}；"
            "同一个头改切随便抽的位置 {cut[other_place]}，还有 {cut[other]:.3f}。",
            "Cut the strongest look (layer {cut[layer]}, head {cut[head]}, at place {cut[place]}, "
            "weight {cut[weight]:.2f}) and {said} falls from {cut[before]:.3f} to "
            "{cut[after]:.3f}; cut the same head's look at a drawn place, {cut[other_place]}, and "
            "{cut[other]:.3f} is left."),
            lambda m: min(m["cut"]["before"] / 2 - m["cut"]["after"],
                          m["cut"]["other"] - m["cut"]["before"] / 2), "cut_elsewhere"),
    ),
    caveat=T(
        "单看一维没有意思，长度也不等于重要。“现在读出”用的是最后一站的归一化，"
        "中间的站不是为它训练的。"
        "切断只试了这一句；九十六题的数在演示 04。",
        "A single number of a vector means nothing by itself, and length is not importance. "
        "Reading early uses the norm of the last stage, which the earlier ones were not trained "
        "for. The cut is for this one text; demo 04 counts it over all questions."),
    questions=(Question(
        T("问题的最后一个 token 是冒号。刚加上位置、还没进第一层时，就从它那里"
          "读词，最可能读到什么？",
          "The question ends with a colon. Before the first layer, with only its place added, "
          "which word is read there?"),
        (Option(T("冒号自己", "the colon itself"), reads_first(lambda m: m["words"][-1]["word"])),
         Option(T("正确答案", "the right answer"), reads_first(lambda m: m["wanted"]),
                T("那里还不知道问的是哪个国家：别的词一个也没看。",
                  "that place cannot know the country yet: it has looked at no other word.")),
         Option(T("国名", "the country"),
                reads_first(lambda m: m["words"][m["cut"]["place"]]["word"]),
                T("国名在另一个位置上，要靠注意力才搬得过来。",
                  "the country stands at another place; only attention can bring it over.")),
         Option(T("别的词", "some other word"),
                lambda m: 0.5 - (m["stream"][0]["top"] in (
                    m["words"][-1]["word"], m["wanted"],
                    m["words"][m["cut"]["place"]]["word"])),
                T("读词和查词用的是同一张表，一个词的向量和自己最像。",
                  "words are read with the table they were looked up in, and a vector is most "
                  "like itself.")))),),
    pins={"gap": ROUNDING, "words.*.word": COUNTED, "words.*.id": COUNTED,
          "words.*.place": COUNTED, "*.rank": COUNTED, "*": TRAINED},
    notes=T(
        "约 6 分钟。先投票，再从上往下念一遍表，每张表停一下：这是第几讲？请学生出题："
        "--set text=\"who leads balavia ?\"，不认识的词会被点名。争论点：答案“在”哪一层？",
        "About 6 minutes. Vote, then read the tables downwards and stop at each: which lecture "
        "was this? Let students ask: --set text=\"who leads balavia ?\"; unknown words are named. "
        "The argument: in which layer is the answer?"),
)

# --- 2. which of the eight can go? ------------------------------------------------


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
    """Eight components, each switched off alone."""
    model, recipe = ready()
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


SWITCH_NAMES = {
    "words": T("词向量", "word vectors"), "attention": T("自注意力", "self-attention"),
    "heads": T("多头", "several heads"), "positions": T("位置", "positions"),
    "residual": T("残差", "residual"), "norm": T("归一化", "norm"),
    "mlp": T("MLP（FFN）", "MLP (FFN)"), "cross": T("交叉注意力", "cross-attention")}
NEEDED = ("words", "attention", "heads", "residual", "norm", "mlp")


def show_switches(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "国家模型全开时答对 {right}/{questions}；演示 10 的英译中全开时 {switch[cross][of]} 句对 "
        "{switch[cross][all]} 句。每次只关一个部件，权重一个不改，也不重新训练。",
        "With everything on, the country model answers {right} of {questions}; demo 10's English "
        "to Chinese gets {switch[cross][all]} of {switch[cross][of]} sentences. One component is "
        "off at a time; nothing is trained again."))
    yield Table(
        (Column(T("部件", "component")), Column(T("关掉后还对", "off: right"), "d"),
         Column(T("温和地关", "gently off"), "d"),
         Column(T("同样大的噪声", "noise as large"), "d")),
        [[SWITCH_NAMES[k], r["off"], r["gentle"], r["noise"]] for k, r in m["switch"].items()],
        title=T("每个部件轮流关掉：{questions} 题还对几题",
                "Each component off in turn: right answers of {questions}"),
        legend=T("关：写零；多头改成一个大头（矩阵不变）；残差改成“替换”；归一化整个拿掉。"
                 "温和地关："
                 "写平均值；每层只留一个头（最好的一种选法）；归一化改除一个固定的数。噪声："
                 "不关，加一个"
                 "随机方向、同样长的向量。最后一行是演示 10 的模型，译对的句子数。",
                 "Off: zeros; several heads become one wide head of the same matrices; a branch "
                 "replaces the stream instead of being added; norms taken out. Gently: the "
                 "average instead; one head kept a layer (the best choice); norms divide by one "
                 "fixed number. Noise: left on, a vector of drawn direction and the same length "
                 "added. The last row is demo 10's model: sentences right."))


def only_left(name: str) -> Callable[[Any], float]:
    """Positive when this component, and no other of the four, can go."""
    asked = ("positions", "mlp", "norm", "heads")
    return lambda m: min(
        m["switch"][name]["off"] - 0.9 * m["questions"],
        0.9 * m["questions"] - max(m["switch"][k]["off"] for k in asked if k != name))


SWITCHES = Part(
    number=2, key="switches",
    title=T("八个部件，哪个可以关掉？", "Eight components: which one can go?"),
    compute=switches, describe=show_switches, recipes=("base", "english_chinese"),
    controls={"nothing_off": partial(switches, off=False),
              "first_place": partial(switches, places="first")},
    claims=(
        Claim("positions_can_go", T(
            "位置可以关：位置向量全写零，{questions} 题还对 "
            "{switch[positions][off]} 题；都写成平均值，对 {switch[positions][gentle]} 题。",
            "Positions can go: with every place vector at zero {switch[positions][off]} of "
            "{questions} stay right, with their average everywhere {switch[positions][gentle]}."),
            lambda m: min(m["switch"]["positions"]["off"],
                          m["switch"]["positions"]["gentle"]) - 0.9 * m["questions"],
            "first_place"),
        Claim("others_cannot", T(
            "GPT 里别的都不行：词向量剩 {switch[words][off]}，"
            "自注意力 {switch[attention][off]}，残差 "
            "{switch[residual][off]}，归一化 {switch[norm][off]}，MLP {switch[mlp][off]}；"
            "两个头并成一个伤得最轻，还有 {switch[heads][off]}。",
            "Nothing else in the GPT can: without word vectors {switch[words][off]} are left, "
            "without self-attention {switch[attention][off]}, residual "
            "{switch[residual][off]}, norm {switch[norm][off]}, MLP {switch[mlp][off]}; heads "
            "joined into one hurt least, {switch[heads][off]} left."),
            lambda m: min(m["switch"]["heads"]["off"] - max(
                m["switch"][k]["off"] for k in NEEDED if k != "heads"),
                0.75 * m["questions"] - m["switch"]["heads"]["off"]), "nothing_off"),
        Claim("how_it_is_off", T(
            "“关掉”怎么关很要紧：归一化拿掉剩 {switch[norm][off]} 题，改成除一个固定的数，对 "
            "{switch[norm][gentle]} 题。伤人的多半是大小失控。",
            "How it is switched off matters: no norm leaves {switch[norm][off]}, a division by "
            "one fixed number {switch[norm][gentle]}. Most of the harm is scale out of hand."),
            lambda m: m["switch"]["norm"]["gentle"] - m["switch"]["norm"]["off"]
            - 0.5 * m["questions"], "nothing_off"),
        Claim("content", T(
            "不是随便动一下就会错：加上同样长的随机向量，"
            "自注意力还对 {switch[attention][noise]} 题，MLP "
            "{switch[mlp][noise]} 题；关掉却只剩 {switch[attention][off]} 和 {switch[mlp][off]}。"
            "缺的是内容。",
            "Not any disturbance does it: with a drawn vector of the same length added, "
            "{switch[attention][noise]} (self-attention) and {switch[mlp][noise]} (MLP) stay "
            "right; switched off, {switch[attention][off]} and {switch[mlp][off]}. What is missing "
            "is content."),
            lambda m: min(m["switch"][k]["noise"] - m["switch"][k]["off"]
                          for k in ("attention", "mlp")) - 0.25 * m["questions"],
            "nothing_off"),
        Claim("cross", T(
            "交叉注意力：在译者里关掉，{switch[cross][of]} 句对 {switch[cross][off]} 句；"
            "GPT 里根本没有它（{cross_tensors[gpt]} 个矩阵），照样答对 {right}/{questions}。",
            "Cross-attention: off in the translator, {switch[cross][off]} of "
            "{switch[cross][of]} sentences are right; a GPT has none ({cross_tensors[gpt]} "
            "matrices) and answers {right} of {questions}."),
            lambda m: min(0.1 * m["switch"]["cross"]["of"] - m["switch"]["cross"]["off"],
                          0.5 - m["cross_tensors"]["gpt"],
                          m["right"] - 0.95 * m["questions"]), "nothing_off"),
    ),
    caveat=T(
        "“可以关”只对这个模型、这些题：训练时文档从零到 {shift} 之间随便抽的位置开始，因果遮罩也"
        "漏出次序（演示 04、07）。需要次序的任务不是这样。关掉后不再训练："
        "重新训练的网络可能学会不用它。",
        "“Can go” holds for this model and these questions: in training a text began at a drawn "
        "place from zero to {shift}, and the causal mask leaks order (demos 04 and 07). Tasks "
        "that need order are different. Nothing was trained again: a network trained without a "
        "part may learn to do without it."),
    questions=(Question(
        T("每次关掉一个部件，不重新训练。哪个关了，题目还几乎全对？",
          "One component is switched off, nothing is trained again. Without which are almost all "
          "answers still right?"),
        (Option(T("位置", "positions"), only_left("positions")),
         Option(T("MLP：注意力才是主角", "the MLP: attention does the work"), only_left("mlp"),
                T("注意力只负责搬；把国家和关系变成答案，主要靠 MLP（演示 14）。",
                  "attention brings things over; turning country and relation into a word is "
                  "mostly the MLP's part (demo 14).")),
         Option(T("归一化：它只帮助训练", "the norm: it only helps training"), only_left("norm"),
                T("训练完也离不开：后面的矩阵都按归一化后的大小学的。",
                  "after training too: the matrices behind it were fitted to vectors of that "
                  "size.")),
         Option(T("多头：一个大头也一样", "several heads: one wide head does the same"),
                only_left("heads"),
                T("一个头只有一组权重，看国名就看不了别的。",
                  "one head has one set of weights and cannot look at two things apart.")))),),
    pins={"*": COUNTED},
    notes=T(
        "约 6 分钟。八个部件全投一遍（举手），记在黑板上，再给表。先只看第一列，再问：这样关公平"
        "吗？才看第二、三列。争论点：位置“没用”吗？（演示 07。"
        "）位置全写成第一个位置的向量就不行了："
        "<doc> 总站在那里，那个向量有特殊含义。",
        "About 6 minutes. A show of hands on all eight, noted on the board, then the table: first "
        "its first column, then ask whether that was a fair way to switch off, then the others. "
        "The argument: are positions useless? (Demo 07.) Give every token the first place's "
        "vector and it fails: <doc> always stands there, so that vector means something."),
)

# --- 3. the same for a translator ---------------------------------------------------

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
    """A sentence through the translator of demo 10, with its numbers."""
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


def show_translator(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "演示 10 的英译中：编码器先读完全句，一个词留下一个向量；解码器从 <bos> 开始，"
        "每一步都回头看它们。",
        "Demo 10's English to Chinese: the encoder reads the whole sentence and leaves a vector "
        "a word; the decoder starts from <bos> and looks across at them in every step."))
    yield Table(
        (Column(T("词", "word")), Column(T("编号", "id"), "d"), *four(),
         Column(T("编码后长度", "encoded"), ".2f")),
        [[w["word"], w["id"], *w["first"], w["norm"], w["memory"]] for w in m["words"]],
        title=T("编码器：词、编号、{width} 维的词向量、读完全句后的长度",
                "Encoder: words, ids, vectors of width {width}, and their length once encoded"))
    yield Table(
        (Column(T("喂进去", "fed")), Column(T("说出", "says")),
         Column(T("概率", "probability"), ".3f")),
        [[s["fed"], s["says"], s["p"]] for s in m["steps"]],
        title=T("解码器：一步一个词", "Decoder: one word a step"))
    yield HeatMap(
        m["map"], [f"{s['fed']} → {s['says']}" for s in m["steps"]], m["source"],
        title=T("交叉注意力（各头平均）：每一步看原文哪里",
                "Cross-attention, mean of the heads: where each step looks"))


TRANSLATOR = Part(
    number=3, key="translator",
    title=T("同一趟路，换成翻译：I love AI", "The same journey in a translator: I love AI"),
    compute=encoder_decoder, describe=show_translator, recipes=("english_chinese",),
    params={"sentence": Param(LOVE, about=T("一句英文", "an English sentence"))},
    controls={"untrained": partial(encoder_decoder, trained=False),
              "another_table": partial(encoder_decoder, mixed=True),
              "cut_elsewhere": partial(encoder_decoder, aimed=False),
              "no_cross": partial(encoder_decoder, looks=False)},
    claims=(
        Claim("ids", T(
            "编号是这张词表定的：第一个词是 {words[0][id]}；单独读、成批读、重建词表再读，一共得到 "
            "{readings} 种编号。",
            "Ids are fixed by the table: the first word is {words[0][id]}; read alone, in a "
            "batch and with the table built anew, the sentence has {readings} set of ids."),
            lambda m: 1.5 - m["readings"], "another_table"),
        Claim("said", T(
            "{sentence_text} 译成 {said}，每一步的概率至少 {sure:.3f}。",
            "{sentence_text} becomes {said}, every step with probability {sure:.3f} or more."),
            lambda m: m["sure"] - 0.5, "untrained"),
        Claim("bridge", T(
            "两种语言之间只有一座桥：只改编码器留下的第一个向量，解码器的分数就最多动 {moved:.2f}；"
            "关掉交叉注意力，动的是 {moved_off:g}。",
            "There is one bridge between the languages: change the first vector the encoder "
            "left and the decoder's scores move by up to {moved:.2f}; with cross-attention off "
            "by {moved_off:g}."),
            lambda m: min(m["moved"] - 0.01, 1e-12 - m["moved_off"]), "no_cross"),
        Claim("cut", T(
            "每一步遮住它最看重的源词：{cut[words]} 个词里还说对 {cut[own]} 个；改遮一个随便抽的"
            "别的源词，说对 {cut[other]} 个。",
            "Hide from each step the source word it looks at most: {cut[own]} of {cut[words]} "
            "words stay right; hide a drawn other one instead: {cut[other]}."),
            lambda m: m["cut"]["other"] - m["cut"]["own"] - 0.5, "cut_elsewhere"),
    ),
    caveat=T(
        "热图是一句话、各头平均；切断也只数了这一句。二百句的对照和切断在演示 10。",
        "The map is of one sentence, heads averaged, and the cut is counted on that sentence; "
        "demo 10 counts both on two hundred."),
    questions=(Question(
        T("解码器每说一个词，都遮住它最看重的那个源词（别的照看）。{sentence} 还能说对几个词？",
          "From each step of the decoder, hide the source word it looks at most; all others stay "
          "in sight. How many words of {sentence} are still right?"),
        (Option(T("全对：看别的词、看前文就补得上", "all: other words and what was said make up"),
                lambda m: m["cut"]["own"] - m["cut"]["words"] + 0.5,
                T("注意力层层混合，以为每个位置都什么都有。编码后的向量仍以自己的词为主。",
                  "thinks mixing puts everything everywhere; an encoded vector is still mostly "
                  "its own word.")),
         Option(T("对一部分：由前文接上", "some: what was already said leads on"),
                lambda m: min(m["cut"]["words"] - m["cut"]["own"] - 0.5,
                              m["cut"]["own"] - 0.5),
                T("把它当成会背句子的语言模型；原文说什么，只能从桥上过来。",
                  "takes it for a model that knows the sentence by heart; what the source says "
                  "comes over the bridge only.")),
         Option(T("一个也不对", "none"), lambda m: 0.5 - m["cut"]["own"]))),),
    pins={"words.*.word": COUNTED, "words.*.id": COUNTED, "*": TRAINED},
    errata=ERRATA["translator"],
    notes=T(
        "约 4 分钟。和第 1 部分并排看：哪些站一样，多了哪一站？（编码器、交叉注意力。）"
        "--set sentence=\"he plays the piano\" 换一句。",
        "About 4 minutes. Beside part 1: which stages are the same, which one is new? (The "
        "encoder, cross-attention.) Another sentence: --set sentence=\"he plays the piano\"."),
)

# --- 4. alternating or grouped -------------------------------------------------------


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
    """Trained, and untrained at several depths: alternating or grouped."""
    model, recipe = ready(trained)
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


def show_order(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "把国家模型的 {layers} 层拆成一个个子层，权重不动，只换次序：先做完所有注意力，"
        "再做所有 MLP。",
        "Take the {layers} layers of the country model apart and change nothing but the order: "
        "first all attention, then all MLPs."))
    yield Table(
        (Column(T("次序", "order")), Column(T("终态差多少", "final states apart"), ".1%"),
         Column(T("答对", "right"), "d")),
        [[T("交替（拆开再装回）", "alternating (taken apart, put back)"),
          m["apart_and_back"]["gap"], m["apart_and_back"]["right"]],
         [T("分组", "grouped"), m["gap"], m["left"]]],
        title=T("训练好的模型，{questions} 题", "The trained model, {questions} questions"))
    yield Table(
        (Column(T("块数", "blocks"), "d"), Column(T("平均差", "mean"), ".1%"),
         Column(T("最小", "least"), ".1%"), Column(T("最大", "most"), ".1%")),
        [[r["blocks"], r["mean"], r["least"], r["most"]] for r in m["untrained"].values()],
        title=T("没训练过的网络，每种 {networks} 个",
                "Untrained networks, {networks} of each depth"))


ORDER = Part(
    number=4, key="order",
    title=T("交替，还是先全部注意力再全部 FFN？", "Alternating, or all attention first?"),
    compute=sorted_layers, describe=show_order, recipes=("base",),
    params={"networks": Param(5, 1, 100, about=T("没训练过的网络数", "untrained networks"))},
    controls={"alternating": partial(sorted_layers, order="alternating")},
    claims=(
        Claim("not_the_same", T(
            "不是一回事：分组后终态差 {gap:.0%}，{questions} 题只对 {left} 题；拆开照原次序装回，"
            "差 {apart_and_back[gap]:g}，对 {apart_and_back[right]} 题。",
            "Not the same: grouped, the final states are {gap:.0%} apart and {left} of "
            "{questions} are right; taken apart and put back in the old order, "
            "{apart_and_back[gap]:g} apart and {apart_and_back[right]} right."),
            lambda m: min(m["gap"] - 0.1, m["questions"] - m["left"] - 0.5,
                          1e-9 - m["apart_and_back"]["gap"],
                          m["apart_and_back"]["right"] - 0.95 * m["questions"]), "alternating"),
        Claim("from_two_blocks", T(
            "一块时两种说法一样（差 {untrained[b1][most]:g}）；三块没训练过的网络平均差 "
            "{untrained[b3][mean]:.1%}，最少也差 {untrained[b3][least]:.1%}。",
            "With one block the two are the same ({untrained[b1][most]:g} apart); three untrained "
            "blocks are {untrained[b3][mean]:.1%} apart on average and {untrained[b3][least]:.1%} "
            "at least."),
            lambda m: min(1e-9 - m["untrained"]["b1"]["most"],
                          m["untrained"]["b3"]["mean"] - 0.01,
                          m["untrained"]["b3"]["least"] - 0.01),
            "alternating"),
    ),
    caveat=T(
        "这里是训练好以后才换次序。从头按别的次序训练的网络也能学（Press、Smith、Levy，2020），"
        "只是另一个"
        "网络。没训练过的差多少，取决于初始权重的大小。",
        "The order was changed after training. A network trained in another order from the start "
        "can learn too (Press, Smith, Levy 2020); it is another network. How far untrained ones "
        "are apart hangs on the size of their first weights."),
    questions=(Question(
        T("训练好的国家模型，权重不变：先做完所有注意力层，再做所有 FFN，"
          "和一层注意力、一层 FFN 交替比，结果怎样？",
          "The trained country model, same weights: all attention first and then all FFNs, "
          "against alternating. What comes out?"),
        (Option(T("一样：加法不管次序", "the same: sums have no order"),
                lambda m: 1e-6 - m["gap"],
                T("加法不管次序，可是后面的子层读的是前面加过的东西。",
                  "sums have none, but each sub-layer reads what the earlier ones added.")),
         Option(T("略有不同，答案几乎都对", "a little different, nearly all answers right"),
                lambda m: min(m["gap"] - 1e-6, m["left"] - 0.9 * m["questions"]),
                T("以为第二层注意力不靠第一层的 MLP。",
                  "thinks the second attention does not need the first MLP.")),
         Option(T("大不一样，错掉一大片", "very different, many answers wrong"),
                lambda m: min(m["gap"] - 0.1, 0.9 * m["questions"] - m["left"],
                              m["left"] - 0.1 * m["questions"])),
         Option(T("全错，比瞎猜还差", "all wrong, worse than guessing"),
                lambda m: min(m["gap"] - 1e-6, 0.1 * m["questions"] - m["left"]),
                T("国名仍在第一层注意力里取到了，只是后来的次序乱了。",
                  "the first attention still fetches the country; only what follows is out of "
                  "order.")))),),
    pins={"untrained.b1.*": ROUNDING, "apart_and_back.gap": ROUNDING,
          "untrained.*": ARITHMETIC, "gap": TRAINED, "networks": COUNTED, "*": COUNTED},
    errata=ERRATA["order"],
    notes=T(
        "约 3 分钟。先投票。把讲义的六步写在黑板上，问“乘 N”该括住什么。--set networks=50 看分布。",
        "About 3 minutes. Vote first. Write the six steps of the notes on the board and ask what "
        "the “times N” should bracket. --set networks=50 shows the spread."),
)

# --- 5. the map of the course ---------------------------------------------------------

SHOWN_IN: dict[str, tuple[int, ...]] = {     # which demo shows it: data
    "tokens": (1,), "words": (2,), "positions": (7,), "norm": (9,),
    "attention": (4, 5, 6, 8), "residual": (9,), "mlp": (9, 14),
    "logits": (4,), "cross": (10,)}
WHOLE: dict[str, tuple[int, ...]] = {
    "before": (3,), "cost": (11,), "grows": (12,), "sure": (13,), "fact": (14,)}


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
    """Each stage: what it learned, what it moves, the demo that shows it."""
    model, recipe = ready()
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


STAGE_ROWS = {
    "tokens": T("分词：词变编号", "tokens: words to ids"),
    "words": T("词向量：编号变向量", "vectors: ids to rows"),
    "positions": T("位置", "positions"), "norm": T("归一化", "norm"),
    "attention": T("注意力（QKV、遮罩、多头）", "attention (QKV, masks, heads)"),
    "residual": T("残差：加回去", "residual: added back"), "mlp": T("MLP（FFN）", "MLP (FFN)"),
    "logits": T("分数：同一张词表", "scores: the same table"),
    "cross": T("交叉注意力（演示 10 的模型）", "cross-attention (demo 10's model)")}
WHOLE_ROWS = {
    "before": T("没有注意力之前怎么做？", "What was done before attention?"),
    "cost": T("要花多少？", "What does it cost?"),
    "grows": T("电路怎样在训练里长出来？", "How does a circuit grow in training?"),
    "sure": T("它有多大把握，说的准吗？", "How sure is it, and is it right?"),
    "fact": T("事实在哪里，能改吗？", "Where is a fact, and can it be changed?")}


def show_course(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "国家模型一共 {total:,} 个学来的数，其中 MLP 占 {mlp_share:.0%}。每一站是哪一讲的：",
        "The country model has {total:,} learned numbers, {mlp_share:.0%} of them in its MLPs. "
        "Which demo showed which stage:"))
    yield Table(
        (Column(T("站", "stage")), Column(T("学来的数", "learned"), ",d"),
         Column(T("别处改，这里动", "moved from afar"), ".2f"), Column(T("演示", "demo"))),
        [[STAGE_ROWS[name], r["numbers"], r["moved"], " ".join(f"{d:02d}" for d in r["demos"])]
         for name, r in m["stages"].items()],
        title=T("从一句话到下一个词：整门课的地图",
                "From text to next word: the map of the course"),
        legend=T("别处改，这里动：只改别的位置上的输入，"
                 "这一站在最后一个位置的输出动多少（词向量一行包括"
                 "位置）；最后一行：改源句，交叉注意力写的东西动多少。",
                 "Moved from afar: only the inputs at other places are changed; how far does the "
                 "stage's output at the last place move (the row of vectors includes positions)? "
                 "Last row: the source sentence is changed; what does cross-attention write?"))
    yield Table(
        (Column(T("关于整体的问题", "about the whole")), Column(T("演示", "demo"))),
        [[WHOLE_ROWS[name], " ".join(f"{d:02d}" for d in demos)]
         for name, demos in m["whole"].items()])


CARRIERS, STAYERS = ("attention", "cross"), ("words", "norm", "residual", "mlp", "logits")


def moves(stage: str) -> Callable[[Any], float]:
    """Positive when of the four asked only this stage carries anything over."""
    asked = ("attention", "mlp", "norm", "words")
    return lambda m: min(m["stages"][stage]["moved"] - 1e-9,
                         *(1e-9 - m["stages"][k]["moved"] for k in asked if k != stage))


COURSE = Part(
    number=5, key="course",
    title=T("地图：哪一站在哪一讲", "The map: which stage in which demo"),
    compute=course, describe=show_course, recipes=("base", "english_chinese"),
    controls={"changed_here_too": partial(course, leak=True)},
    claims=(
        Claim("only_attention_moves", T(
            "只有注意力把东西从一个位置搬到另一个：别处一改，它的输出动 "
            "{stages[attention][moved]:.2f}（交叉注意力 {stages[cross][moved]:.2f}）；词向量、"
            "归一化、"
            "残差、MLP、分数动的都是零（{stages[words][moved]:g}、{stages[norm][moved]:g}、"
            "{stages[residual][moved]:g}、{stages[mlp][moved]:g}、{stages[logits][moved]:g}）。",
            "Only attention carries anything from place to place: change the others and its "
            "output moves by {stages[attention][moved]:.2f} (cross-attention "
            "{stages[cross][moved]:.2f}); vectors, norm, residual, MLP and scores move by zero "
            "({stages[words][moved]:g}, {stages[norm][moved]:g}, {stages[residual][moved]:g}, "
            "{stages[mlp][moved]:g}, {stages[logits][moved]:g})."),
            lambda m: min(*(m["stages"][k]["moved"] - 0.01 for k in CARRIERS),
                          *(1e-9 - m["stages"][k]["moved"] for k in STAYERS)),
            "changed_here_too"),
    ),
    questions=(Question(
        T("只改前面的词，不改最后一个。哪一站会让最后一个位置的数第一次变？",
          "Change the earlier words, not the last one. Which stage first makes the numbers of "
          "the last place change?"),
        (Option(T("词向量加位置", "word vectors and positions"), moves("words"),
                T("查表只看自己的编号和位置。", "a row is picked by one's own id and place only.")),
         Option(T("归一化", "the norm"), moves("norm"),
                T("它在一个位置的维度上求平均，不跨位置。",
                  "it averages over the numbers of one place, never over places.")),
         Option(T("注意力", "attention"), moves("attention")),
         Option(T("MLP", "the MLP"), moves("mlp"),
                T("它对每个位置各做一遍，互相看不见。",
                  "it is run on each place by itself; places do not see each other.")))),),
    pins={"*.numbers": COUNTED, "*.demos.*": COUNTED, "whole.*": COUNTED, "total": COUNTED,
          "counted": COUNTED, "*": TRAINED},
    notes=T(
        "约 3 分钟，收尾。让学生合上讲义，自己说出每一站做什么、在哪一讲；再给地图。",
        "About 3 minutes, to close. Notes shut, the class names each stage, what it does and "
        "where it was shown; then the map."),
)

PARTS: tuple[Part, ...] = (STAGES, SWITCHES, TRANSLATOR, ORDER, COURSE)
