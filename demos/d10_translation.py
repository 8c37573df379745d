"""How does a Transformer translate, word by word, and who decides which words?

An encoder leaves one vector for each source word; a decoder says the target words one
after the other and looks across at those vectors each time. Part 1 puts a trained pair of
translators through an exam of sentences they never saw; part 2 follows one sentence step
by step and cuts what the decoder looks at; part 3 keeps several beginnings alive instead
of one; part 4 shows the same views of a T5, GPT-2 or BERT of your own.

Unlike demo 03: no chain of states, and the language reorders its words. Unlike demo 04:
queries come from one sentence, keys and values from another. Left out: subwords (01),
large data, sampling, and how the translators grew (their training is 600 steps of Adam).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from demos.errata.e10 import ERRATA
from lecture import beam, phrases, records, translate_np
from lecture.errors import UsageProblem
from lecture.phrases import Pair
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
from lecture.translate_np import EOS, Translator, cut_across, swap_values, zero_cross

Array = np.ndarray
COUNTED = exact("counts and words of the shipped weights")
TRAINED = close("shipped weights, matrix products", rtol=1e-6, atol=1e-9)
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-9)
RECORDED = exact("read from a file in demos/records")
MODELS = {"fr_en": "french_english", "en_zh": "english_chinese"}
DIRECTION_NAMES = {"fr_en": T("法译英", "French to English"),
                   "en_zh": T("英译中", "English to Chinese")}


def exam(model: Translator, pairs: Sequence[Pair], **how: Any) -> int:
    """How many sentences come out word for word as they should."""
    said = model.greedy(model.source_ids([p.source for p in pairs]), **how)
    return sum(tuple(s) == p.target for s, p in zip(said, pairs, strict=True))


# --- 1. an encoder-decoder that works -------------------------------------------

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
    """The exam, the structure, padding, and two values exchanged."""
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

def show_exam(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "两个小译者，各读过 {directions[fr_en][trained_on]} 个句子，考 "
        "{directions[fr_en][held_out]} 个"
        "没读过的。编码器 {layers[encoder]} 层、每层 {sub_layers[encoder]} 个子层；解码器 "
        "{layers[decoder]} 层、每层 {sub_layers[decoder]} 个子层；每个子层后面都有 Add & Norm，"
        "最后是线性层"
        "加 softmax。宽度 {memory[width]}，{layers[heads]} 个头，一共 {layers[numbers]:,} 个数。",
        "Two small translators, each trained on {directions[fr_en][trained_on]} sentences, sit "
        "an exam of {directions[fr_en][held_out]} they never read. Encoder: {layers[encoder]} "
        "layer of {sub_layers[encoder]} sub-layers; decoder: {layers[decoder]} layer of "
        "{sub_layers[decoder]}; Add & Norm after every sub-layer, a linear map and softmax at "
        "the end. Width {memory[width]}, {layers[heads]} heads, {layers[numbers]:,} numbers in "
        "all."))
    yield Table(
        (Column(T("方向", "direction")), Column(T("考题", "exam"), "d"),
         Column(T("全对", "exact"), "d"), Column(T("比例", "share"), ".1%"),
         Column(T("逐词译全对", "word by word"), "d"),
         Column(T("比例", "share"), ".1%")),
        [[DIRECTION_NAMES[d], r["held_out"], r["exact"], r["share"], r["word_by_word"],
          r["by_word_share"]] for d, r in m["directions"].items()],
        title=T("没见过的句子，一个词都不差才算对",
                "Held-out sentences; right means every word in its place"))
    yield Table(
        (Column(T("原文", "source")), Column(T("译文", "translation")),
         Column(T("逐词译", "word by word"))),
        [[r["source"], r["said"], r["by_word"]] for rows in m["examples"].values()
         for r in rows],
        title=T("语序、搭配、一词多译：play 的译法看宾语",
                "Order, agreement, one word with several: play hangs on its object"))
    yield Table(
        (Column(T("对换什么", "exchanged")), Column(T("句子", "sentences"), "d"),
         Column(T("两个名词对调", "nouns swapped"), "d"),
         Column(T("译文不变", "unchanged"), "d")),
        [[T("两个名词的值", "values of the two nouns"), *m["swap"].values()],
         [T("别处两个词的值", "values of two drawn other words"), *m["elsewhere"].values()],
         [T("两个名词的整个向量", "whole vectors of the two nouns"), *m["vectors"].values()]],
        title=T("{swap_example[source]}：{swap_example[plain]} → {swap_example[swapped]}",
                "{swap_example[source]}: {swap_example[plain]} → {swap_example[swapped]}"),
        legend=T("一个词都不改，只动解码器要取的东西。考题里凡是“甲对乙做什么”、单复数相同的都算。",
                 "No word is changed, only what the decoder fetches. All exam sentences where "
                 "one living being acts on another, both one or both many."))


def each(m: Any, margin: Any) -> float:
    """The smallest margin over the two directions."""
    return min(margin(r) for r in m.values())


TRANSLATE = Part(
    number=1, key="translate",
    title=T("一个真能翻译的编码器–解码器", "An encoder-decoder that works"),
    compute=translate, describe=show_exam,
    recipes=("french_english", "english_chinese"),
    controls={"untrained": partial(translate, trained=False),
              "by_dictionary": partial(translate, baseline=True),
              "not_averaged": partial(translate, pool=False),
              "padding_seen": partial(translate, masked=False),
              "swap_elsewhere": partial(translate, exchange="elsewhere"),
              "keys_stay": partial(translate, together="values")},
    claims=(
        Claim("exam", T(
            "没见过的句子：法译英 {directions[fr_en][exact]} / {directions[fr_en][held_out]} "
            "句全对，"
            "英译中 {directions[en_zh][exact]} / {directions[en_zh][held_out]} 句；"
            "考题混进训练的有 "
            "{directions[fr_en][seen]} 句和 {directions[en_zh][seen]} 句。",
            "Held-out sentences right to the word: French to English {directions[fr_en][exact]} "
            "of {directions[fr_en][held_out]}, English to Chinese {directions[en_zh][exact]} of "
            "{directions[en_zh][held_out]}; exam sentences that were trained on: "
            "{directions[fr_en][seen]} and {directions[en_zh][seen]}."),
            lambda m: each(m["directions"], lambda r: min(
                r["exact"] - 0.95 * r["held_out"], 0.5 - r["seen"])), "untrained"),
        Claim("grammar", T(
            "光有词典不够：逐词译只有 {directions[fr_en][by_word_share]:.1%} 和 "
            "{directions[en_zh][by_word_share]:.1%} 全对，译者是 {directions[fr_en][share]:.1%} 和 "
            "{directions[en_zh][share]:.1%}。",
            "A dictionary is not enough: word by word gets {directions[fr_en][by_word_share]:.1%} "
            "and {directions[en_zh][by_word_share]:.1%} right, the translators "
            "{directions[fr_en][share]:.1%} and {directions[en_zh][share]:.1%}."),
            lambda m: each(m["directions"], lambda r: r["share"] - r["by_word_share"] - 0.5),
            "by_dictionary"),
        Claim("memory", T(
            "编码器交出的不是一个“语义向量”：{memory[words]} 个词，{memory[vectors]} 个向量。"
            "把它们平均成一个，{memory[exam]} 句里全对的从 {memory[kept]} 句掉到 "
            "{memory[averaged]} 句。",
            "What leaves the encoder is not one meaning vector: {memory[words]} words, "
            "{memory[vectors]} vectors. Average them into one and of {memory[exam]} sentences "
            "{memory[averaged]} stay right, not {memory[kept]}."),
            lambda m: min(0.5 - abs(m["memory"]["vectors"] - m["memory"]["words"]),
                          m["memory"]["kept"] / 2 - m["memory"]["averaged"]), "not_averaged"),
        Claim("padding", T(
            "单独译，或放进补齐到 {padding[width]} 个词的一批里译：{padding[sentences]} "
            "句中译文不同的有 "
            "{padding[different]} 句，分数最多差 {padding[moved]:.0e}。"
            "补齐的位置在两边都被遮住了。",
            "Alone, or in a batch padded to {padding[width]} words: of {padding[sentences]} "
            "sentences {padding[different]} come out differently, and no score moves by more "
            "than {padding[moved]:.0e}. Padding is masked on both sides."),
            lambda m: min(0.5 - m["padding"]["different"], 1e-9 - m["padding"]["moved"]),
            "padding_seen"),
        Claim("swap", T(
            "对换两个名词的值，一个词都不改：{swap[sentences]} 句中 {swap[swapped]} 句的译文里两个"
            "名词就对调了；对换别处两个词的值，一句也没有这样（{elsewhere[swapped]}）。",
            "Exchange the values of the two nouns, change no word: in {swap[swapped]} of "
            "{swap[sentences]} translations the two nouns have swapped; after exchanging two "
            "other values, in {elsewhere[swapped]}."),
            lambda m: min(m["swap"]["swapped"] - 0.75 * m["swap"]["sentences"],
                          0.5 - m["elsewhere"]["swapped"]), "swap_elsewhere"),
        Claim("vectors", T(
            "键跟着值一起搬，就什么也没变：{vectors[sentences]} 句中 {vectors[unchanged]} 句的译文"
            "一字不差。交叉注意力不管向量排在第几个。",
            "Let the keys move with the values and nothing happens: {vectors[unchanged]} of "
            "{vectors[sentences]} translations stay the same. Cross-attention does not mind "
            "where in the row a vector stands."),
            lambda m: m["vectors"]["unchanged"] - m["vectors"]["sentences"] + 0.5, "keys_stay"),
        Claim("seeds", T(
            "换种子重训（记录，每个方向 {record[seeds]} 个）：法译英最差 {record[fr_en][worst]} "
            "句，英译中最差 "
            "{record[en_zh][worst]} 句（各 {record[held_out]} 句）；"
            "对换值以后名词对调过四分之三的有 "
            "{record[mostly_swap]} 个种子，最少的一个只有 {record[fewest_swapped]:.0%}。",
            "Trained from other seeds (recorded, {record[seeds]} a direction): at worst "
            "{record[fr_en][worst]} right in French to English and {record[en_zh][worst]} in "
            "English to Chinese, of {record[held_out]} each; after the exchange three quarters "
            "or more of the nouns swap in {record[mostly_swap]} seeds, in the lowest "
            "{record[fewest_swapped]:.0%}."),
            lambda m: min(m["record"]["lowest_share"] - 0.95,
                          m["record"]["mostly_swap"] - 0.8 * m["record"]["seeds"] + 0.5,
                          m["directions"]["fr_en"]["share"] - 0.95), "untrained"),
    ),
    caveat=T(
        "这是一个几十个词的小世界，句子由文法拼成；考题里的词和搭配大多在训练里分别见过。"
        "真语言要难得多，"
        "“全对”也不是真译文的标准。",
        "A world of some dozens of words whose sentences a grammar puts together; the words of "
        "the exam were all seen in training, only never in these sentences. A real language is "
        "much harder, and “every word the same” is no measure of a real translation."),
    questions=(Question(
        T("编码器读了一句三个词的话，交给解码器几个向量？",
          "The encoder reads a sentence of three words. How many vectors does it hand over?"),
        (Option(T("1 个：整句的“语义向量”", "one: the meaning of the sentence"),
                lambda m: 0.5 - abs(m["memory"]["vectors"] - 1),
                T("那是演示 03 的编码器。这里一个词一个，平均成一个就译不了。",
                  "that is the encoder of demo 03. Here each word has its own, and one average "
                  "of them cannot be translated.")),
         Option(T("3 个：一个词一个", "three: one a word"),
                lambda m: 0.5 - abs(m["memory"]["vectors"] - m["memory"]["words"])),
         Option(T("40 个：宽度是多少就多少个", "forty: as many as the width"),
                lambda m: 0.5 - abs(m["memory"]["vectors"] - m["memory"]["width"]),
                T("把向量的长度当成了向量的个数。",
                  "takes the length of a vector for the number of vectors.")),
         Option(T("4 个：解码器走几步就几个", "four: one for each step of the decoder"),
                lambda m: 0.5 - abs(m["memory"]["vectors"] - m["memory"]["said"]),
                T("编码器只跑一次，那时还不知道译文有多长。",
                  "the encoder runs once, before anybody knows how long the translation "
                  "will be.")))),),
    pins={"padding.moved": ROUNDING, "keys_are_not_values": TRAINED, "record.*": RECORDED,
          "*": COUNTED},
    errata=ERRATA["translate"],
    notes=T(
        "约 8 分钟。先投票“几个向量”，再看考卷。让学生读 play 的三种译法。重头戏是对换："
        "先问“只换值会"
        "怎样、连键一起换会怎样”，再看表。争论点：译文对调了，能不能说模型“懂”谁是主语？",
        "About 8 minutes. Vote on the vectors, then the exam. Let the class read the three "
        "translations of play. The main thing is the exchange: ask what happens with values "
        "alone and with keys too, then show the table. The argument: the nouns swapped; does "
        "the model know which is the subject?"),
)

# --- 2. step by step ---------------------------------------------------------------


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
    """One sentence step by step; on the exam: looks, and cuts."""
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

def show_steps(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "从 <bos> 开始，每一步把刚说的词喂回去，取最可能的下一个，说到 <eos> 为止。",
        "Start from <bos>; feed back the word just said, take the likeliest next one, stop at "
        "<eos>."))
    yield Table(
        (Column(T("喂进去", "fed")), Column(T("说出", "says")),
         Column(T("概率", "odds"), ".3f"), Column(T("第二", "second")),
         Column(T("概率", "odds"), ".0e"), Column(T("第三", "third")),
         Column(T("概率", "odds"), ".0e")),
        [[s["fed"], s["says"], s["best"][0]["p"], s["best"][1]["word"], s["best"][1]["p"],
          s["best"][2]["word"], s["best"][2]["p"]] for s in m["one"]["steps"]],
        title=T("逐步贪心译码", "Greedy decoding, step by step"))
    yield HeatMap(
        m["one"]["map"], [f"{s['fed']} → {s['says']}" for s in m["one"]["steps"]],
        m["one"]["words"],
        title=T("交叉注意力，各头平均：每一步看原文的哪个词",
                "Cross-attention, mean of the heads: which source word each step looks at"))
    yield Table(
        (Column(T("方向", "direction")), Column(T("对上的", "on its word"), ".1%"),
         Column(T("打乱后", "dealt anew"), ".1%"),
         Column(T("词数", "words"), "d"),
         Column(T("切自己的", "own cut"), "d"),
         Column(T("切别的", "other cut"), "d"),
         Column(T("全关", "all off"), "d")),
        [[DIRECTION_NAMES[d], r["agreement"], r["shuffled"], r["words"], r["cut_own"],
          r["cut_other"], r["zeroed"]] for d, r in m["exam"].items()],
        title=T("{exam[fr_en][held_out]} 句考题：看得准不准，靠不靠它",
                "{exam[fr_en][held_out]} exam sentences: does it look right, and does it matter?"),
        legend=T("对上的：最大的权重落在这个词该译的源词上（最好的头，或各头平均）；打乱后："
                 "同一句里把"
                 "该看的词重新发一遍。切自己的、切别的：遮住该看的源词，"
                 "或遮住同样多的别的词（不够就全遮），"
                 "还说对几个词（真词作输入）。全关：交叉注意力清零后还全对几句。",
                 "On its word: the largest weight is on a source word this word stands for (best "
                 "head, or their mean); dealt anew: the same with the links of each sentence "
                 "shuffled. Own cut, other cut: words still right when the source of its own "
                 "word, or as many others (all, if there are fewer), are hidden (true words as "
                 "inputs). All off: "
                 "sentences right with cross-attention zeroed."))


def fed_before_love(m: Any) -> str:
    """What the decoder is fed in the row that says love."""
    return next((str(s["fed"]) for s in m["love"] if s["says"] == "love"), "")


def fed(word: str) -> Any:
    return lambda m: (fed_before_love(m) == word) - 0.5


STEPS = Part(
    number=2, key="steps",
    title=T("一步一步地译，每步看哪里", "Step by step: what each step looks at"),
    compute=follow, describe=show_steps, recipes=("french_english", "english_chinese"),
    params={"text": Param("je t'aime", about=T("你自己的句子（法语或英语）",
                                               "your own sentence, French or English"))},
    controls={"unshifted": partial(follow, shifted=False),
              "no_causal_mask": partial(follow, causal=False),
              "links_shuffled": partial(follow, shuffled=True),
              "nothing_zeroed": partial(follow, zeroed=False),
              "cut_elsewhere": partial(follow, aimed=False)},
    claims=(
        Claim("shift", T(
            "je t'aime：说出 {love[1][says]} 的那一行，喂进去的是 {love[1][fed]}，不是它自己；"
            "<eos> 从不喂进去。",
            "je t'aime: the row that says {love[1][says]} is fed {love[1][fed]}, not the word "
            "itself; <eos> is never fed."),
            lambda m: (fed_before_love(m) == "I") - 0.5
            - sum(s["fed"] == "<eos>" for s in m["love"]), "unshifted"),
        Claim("passes", T(
            "生成是串行的：{sight[words]} 个词，解码器要跑 {sight[passes]} 遍，一遍等一遍；"
            "训练时真词"
            "都在手里，一遍就得到 {sight[rows]} 行，和逐步算的差 {sight[one_pass_gap]:.0e}。",
            "Generating is serial: {sight[words]} words take {sight[passes]} passes of the "
            "decoder, each waiting for the last; in training the true words are at hand and one "
            "pass gives all {sight[rows]} rows, {sight[one_pass_gap]:.0e} from those made step "
            "by step."),
            lambda m: min(0.5 - abs(m["sight"]["passes"] - m["sight"]["words"] - 1),
                          0.5 - abs(m["sight"]["rows"] - m["sight"]["passes"]),
                          1e-9 - m["sight"]["one_pass_gap"]), "no_causal_mask"),
        Claim("sees", T(
            "“每个位置都看得见所有位置”只对编码器成立：改最后一个源词，第一个词的向量动了 "
            "{sight[encoder]:.2f}；改最后一个译词，它前面各行的分数动了 {sight[decoder]:g}。",
            "That every position sees all others is true of the encoder only: change the last "
            "source word and the first word's vector moves by {sight[encoder]:.2f}; change the "
            "last target word and the rows before it move by {sight[decoder]:g}."),
            lambda m: min(m["sight"]["encoder"] - 0.01, 1e-12 - m["sight"]["decoder"]),
            "no_causal_mask"),
        Claim("alignment", T(
            "交叉注意力像一张对照表：最大的权重落在该译的词上，法译英 "
            "{exam[fr_en][agreement]:.1%}、"
            "英译中 {exam[en_zh][agreement]:.1%}；把对照打乱，只剩 {exam[fr_en][shuffled]:.1%} 和 "
            "{exam[en_zh][shuffled]:.1%}。不是百分之百。",
            "Cross-attention resembles a table of links: the largest weight is on a word's own "
            "source in {exam[fr_en][agreement]:.1%} (French to English) and "
            "{exam[en_zh][agreement]:.1%} (English to Chinese); with the links dealt anew in "
            "{exam[fr_en][shuffled]:.1%} and {exam[en_zh][shuffled]:.1%}. Not in all."),
            lambda m: each(m["exam"], lambda r: min(r["agreement"] - r["shuffled"] - 0.4,
                                                    0.999 - r["agreement"])),
            "links_shuffled"),
        Claim("cut", T(
            "看的地方真的要紧：遮住该看的源词，{exam[fr_en][words]} 个词只剩 "
            "{exam[fr_en][cut_own]} 个"
            "说对（英译中 {exam[en_zh][words]} 个剩 {exam[en_zh][cut_own]} 个）；遮住别的词，还对 "
            "{exam[fr_en][cut_other]} 个和 {exam[en_zh][cut_other]} 个。",
            "What it looks at matters: hide a word's own source and {exam[fr_en][cut_own]} of "
            "{exam[fr_en][words]} words stay right (English to Chinese {exam[en_zh][cut_own]} of "
            "{exam[en_zh][words]}); hide other words instead and {exam[fr_en][cut_other]} and "
            "{exam[en_zh][cut_other]} do."),
            lambda m: each(m["exam"], lambda r: min(r["words"] / 2 - r["cut_own"],
                                                    r["cut_other"] - 0.9 * r["words"])),
            "cut_elsewhere"),
        Claim("zeroed", T(
            "把交叉注意力清零，全对的句子从 {exam[fr_en][exact]} 和 {exam[en_zh][exact]} 变成 "
            "{exam[fr_en][zeroed]} 和 {exam[en_zh][zeroed]}：这是译文知道原文的唯一通道。",
            "With cross-attention zeroed the sentences right fall from {exam[fr_en][exact]} and "
            "{exam[en_zh][exact]} to {exam[fr_en][zeroed]} and {exam[en_zh][zeroed]}: it is the "
            "only road from the source to the translation."),
            lambda m: each(m["exam"], lambda r: min(0.5 - r["zeroed"],
                                                    r["exact"] - 0.95 * r["held_out"])),
            "nothing_zeroed"),
        Claim("seeds", T(
            "换种子重训（记录，每个方向 {record[seeds]} 个）：对上的比例最低 "
            "{record[least_agreement]:.1%}，打乱后最高 {record[most_by_chance]:.1%}；清零后全对的"
            "最多 {record[most_zeroed]} 句。",
            "Trained from other seeds (recorded, {record[seeds]} a direction): the weight is on "
            "its word in {record[least_agreement]:.1%} or more, by dealt links in "
            "{record[most_by_chance]:.1%} at most; zeroed, at most {record[most_zeroed]} "
            "sentences are right."),
            lambda m: min(m["record"]["least_agreement"] - m["record"]["most_by_chance"] - 0.4,
                          0.5 - m["record"]["most_zeroed"],
                          m["exam"]["fr_en"]["agreement"]
                          - m["exam"]["fr_en"]["shuffled"] - 0.4), "links_shuffled"),
    ),
    caveat=T(
        "对照表是我们的文法给的，真语料要靠人来标。权重最大处不总是该译的词：编码器已经把邻词的消息"
        "混进每个向量；换一个种子，各头分工也不同。重要与否要靠切断，不靠热图。",
        "The links are known because our grammar made the sentences; in real text people have "
        "to mark them. The "
        "largest weight is not always on the word's own source, since the encoder has mixed "
        "each vector with its neighbours, and other seeds divide the work differently. What "
        "matters is shown by the cut, not by the map."),
    questions=(
        Question(
            T("译 je t'aime，说出 love 的那一步，解码器刚喂进去的词是哪个？",
              "Translating je t'aime: in the step that says love, which word was the decoder "
              "just fed?"),
            (Option(T("love：它自己的查询找到 aime", "love: its own query finds aime"),
                    fed("love"),
                    T("差了一格。说出之前它还不存在，喂进去的是前一个词。",
                      "off by one: before it is said it does not exist; the word before it is "
                      "fed.")),
             Option(T("I", "I"), fed("I")),
             Option(T("you：原文里它在前面", "you: it comes first in the source"), fed("you"),
                    T("照原文的语序想了。解码器照译文的语序走。",
                      "follows the source's order; the decoder follows the target's.")),
             Option(T("aime：正在翻译的词", "aime: the word being translated"), fed("aime"),
                    T("源词从不喂给解码器，只能隔着交叉注意力看。",
                      "source words are never fed to the decoder; it looks at them "
                      "across.")))),
        Question(
            T("只把交叉注意力清零，别的都不动。没见过的句子还有多少全对？",
              "Zero the cross-attention and nothing else. How many held-out sentences stay "
              "right?"),
            (Option(T("大多数：解码器自己会造句", "most: the decoder can make sentences itself"),
                    lambda m: m["exam"]["fr_en"]["zeroed"]
                    - 0.6 * m["exam"]["fr_en"]["held_out"],
                    T("它会造句，但不知道该造哪一句。",
                      "it makes sentences, but does not know which one is wanted.")),
             Option(T("一半上下：常见的句子猜得中", "about half: common ones can be guessed"),
                    lambda m: min(m["exam"]["fr_en"]["zeroed"]
                                  - 0.1 * m["exam"]["fr_en"]["held_out"],
                                  0.6 * m["exam"]["fr_en"]["held_out"]
                                  - m["exam"]["fr_en"]["zeroed"]),
                    T("没有原文，句句都是同一句：可能的句子有几万个。",
                      "without the source every answer is the same sentence, out of tens of "
                      "thousands.")),
             Option(T("几乎没有", "next to none"),
                    lambda m: 0.1 * m["exam"]["fr_en"]["held_out"]
                    - m["exam"]["fr_en"]["zeroed"])))),
    pins={"*.p": TRAINED, "one.map.*": TRAINED, "sight.one_pass_gap": ROUNDING,
          "sight.encoder": TRAINED, "record.*": RECORDED,
          "exam.*.heads.*": TRAINED, "exam.*.mean_of_heads": TRAINED,
          "exam.*.agreement": TRAINED, "exam.*.shuffled": TRAINED, "*": COUNTED},
    errata=ERRATA["steps"],
    notes=T(
        "约 8 分钟。两次投票。热图要横着读：一行是一步。争论点：说 love 的那一步，权重一半在 je "
        "上，"
        "为什么？（动词要跟主语一致。）试试 --set text=\"il ne la regarde pas\" 或 "
        "--set text=\"she plays football every day\"。",
        "About 8 minutes, two votes. Read the map by rows: a row is a step. The argument: the "
        "step that says love puts half its weight on je; why? (The verb has to agree.) Try "
        "--set text=\"il ne la regarde pas\" or --set text=\"she plays football every day\"."),
)


# --- 3. beam search -------------------------------------------------------------------

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
    """Two small tables, many drawn ones, and the translator's own sentence."""
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

def show_beams(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "贪心每步取最好的词；束搜索每步留下最好的几个开头。规则先说清：说完 <eos> 的另放一边，"
        "不再延长，"
        "也不占位置；得分 = log P 除以长度的 α 次方，长度数说出的词和 <eos>，不数 <bos>。",
        "Greedy takes the best next word; a beam keeps the best few beginnings. The rules: what "
        "has said <eos> is put aside, never extended, and takes no place; score = log P divided "
        "by length to the power α, where length counts the words said and <eos>, not <bos>."))
    yield Table(
        (Column(T("排名依据", "ranked by")), Column(T("词", "words")),
         Column(T("长度", "length"), "d"), Column(T("概率", "P"), ".3f"),
         Column(T("log P", "log P"), ".4f"), Column(T("得分", "score"), ".4f")),
        [[name, h["words"], h["length"], h["p"], h["log_p"], h["score"]]
         for key, name in (("plain", T("α = 0", "α = 0")),
                           ("by_length", T("设定的 α", "α as set")))
         for h in m["table"][key]],
        title=T("两个词 A、B 的小表，束宽 3：不罚长度，和按设定的 α = {alpha:g} 罚",
                "A small table of two words, width 3: ranked without and with the penalty, "
                "α = {alpha:g}"),
        legend=T("- 是空句：一开头就说 <eos>。", "- is the empty sentence: <eos> at once."))
    yield Table(
        (Column(T("束宽", "width"), "d"), Column(T("找到最好的", "best found"), "d"),
         Column(T("表", "tables"), "d")),
        [[m["all"]["widths"][key], n, m["all"]["tables"]] for key, n in m["all"]["found"].items()],
        title=T("随机的表：和穷举所有句子比（活着的开头最多 {all[live]} 个）",
                "Drawn tables, against all sentences there are (at most {all[live]} live "
                "beginnings)"))
    yield Table(
        (Column(T("束宽", "width"), "d"), Column(T("译文", "translation")),
         Column(T("log P", "log P"), ".4f"), Column(T("得分", "score"), ".4f")),
        [[m["sentence"][key]["width"], h["words"], h["log_p"], h["score"]]
         for key in ("w1", "w2", "w4") for h in m["sentence"][key]["best"]],
        title=T("训练好的译者：{sentence[source]}", "The trained translator: {sentence[source]}"))
    yield Table(
        (Column(T("束宽", "width"), "d"), Column(T("平均 log P", "mean log P"), ".2f"),
         Column(T("译文词数", "words"), ".2f"), Column(T("全对", "exact"), ".1f")),
        [list(m["record"]["mean"][key].values()) for key in ("w1", "w2", "w4", "w16")],
        title=T("记录：只训练 {record[steps]} 步的译者，每个种子 {record[each]} 句，α 为零",
                "Recorded: translators stopped after {record[steps]} steps, {record[each]} "
                "sentences a seed, α zero"),
        legend=T("{record[seeds]} 个种子的平均；正确译文平均 {record[true_words]:.2f} 个词。",
                 "Means over {record[seeds]} seeds; a true translation has "
                 "{record[true_words]:.2f} words."))


BEAMS = Part(
    number=3, key="beams",
    title=T("束搜索：多留几个开头", "Beam search: keep several beginnings"),
    compute=beams, describe=show_beams, recipes=("french_english", "english_chinese"),
    params={"alpha": Param(1.0, 0.0, 5.0, about=T("长度惩罚的指数", "power of the length penalty")),
            "text": Param("je t'aime", about=T("你自己的句子（法语或英语）",
                                               "your own sentence, French or English"))},
    controls={"greedy_everywhere": partial(beams, widest=1),
              "no_penalty": partial(beams, penalty=False)},
    claims=(
        Claim("two_steps", T(
            "贪心会上当：第一步选 {two_steps[first]:g} 而不是 {two_steps[second]:g}，最后整句只有 "
            "{two_steps[greedy]:.2f}；束宽为二，找到 {two_steps[beam]:.2f}。",
            "Greedy can be led astray: it takes {two_steps[first]:g} over "
            "{two_steps[second]:g} first and ends with {two_steps[greedy]:.2f} for the sentence; "
            "a beam of width two finds {two_steps[beam]:.2f}."),
            lambda m: m["two_steps"]["beam"] - m["two_steps"]["greedy"] - 1e-9,
            "greedy_everywhere"),
        Claim("penalty", T(
            "α 大于零偏向长句：α 为零时最好的是长度 {table[plain][0][length]} 的 "
            "{table[plain][0][words]}，α = {alpha:g} 时是长度 {table[by_length][0][length]} 的 "
            "{table[by_length][0][words]}。log P 是负数，除以长度就变小了。",
            "α above zero favours long sentences: with α zero the best is "
            "{table[plain][0][words]} of length {table[plain][0][length]}, with α = {alpha:g} it "
            "is {table[by_length][0][words]} of length {table[by_length][0][length]}. log P is "
            "negative, and dividing by length brings it closer to zero."),
            lambda m: min(m["alpha"], m["table"]["by_length"][0]["length"]
                          - m["table"]["plain"][0]["length"]), "no_penalty"),
        Claim("all", T(
            "束宽不小于活着的开头数（{all[live]}），就等于穷举：{all[tables]} 张表里 "
            "{all[found][w81]} 张"
            "找到最好的一句；宽度为一只有 {all[found][w1]} 张。",
            "A beam as wide as there are live beginnings ({all[live]}) is exhaustive search: "
            "{all[found][w81]} of {all[tables]} tables give up their best sentence; to width one "
            "{all[found][w1]} do."),
            lambda m: min(m["all"]["found"]["w81"] - m["all"]["tables"] + 0.5,
                          m["all"]["tables"] - m["all"]["found"]["w1"] - 0.5),
            "greedy_everywhere"),
        Claim("not_always_better", T(
            "束宽从一到 {record[widest]}（记录）：{record[seeds]} 个种子里 {record[score_up]} "
            "个的 log P "
            "升高；{record[sentences]} 句里 {record[gained]} 句由错变对，{record[lost]} "
            "句由对变错。"
            "更像模型要的，不等于更对。",
            "From width one to {record[widest]} (recorded): log P rises in {record[score_up]} of "
            "{record[seeds]} seeds; of {record[sentences]} sentences {record[gained]} become "
            "right and {record[lost]} become wrong. Likelier to the model is not the same as "
            "more correct."),
            lambda m: min(m["record"]["score_up"] - m["record"]["seeds"] + 0.5,
                          m["record"]["gained"] - 0.5, m["record"]["lost"] - 0.5),
            "greedy_everywhere"),
        Claim("shorter", T(
            "不罚长度时，束越宽译得越短（记录）：宽度为一平均 {record[mean][w1][words]:.2f} "
            "个词，最宽 "
            "{record[mean][w16][words]:.2f} 个，正确译文 {record[true_words]:.2f} 个；"
            "{record[seeds]} 个种子里 {record[shorter]} 个变短。",
            "Without a penalty wide beams say less (recorded): {record[mean][w1][words]:.2f} "
            "words at width one, {record[mean][w16][words]:.2f} at the widest, where a true "
            "translation has {record[true_words]:.2f}; shorter in {record[shorter]} of "
            "{record[seeds]} seeds."),
            lambda m: min(m["record"]["shorter"] - m["record"]["seeds"] + 0.5,
                          m["record"]["mean"]["w1"]["words"]
                          - m["record"]["mean"]["w16"]["words"],
                          m["record"]["true_words"] - m["record"]["mean"]["w16"]["words"]),
            "greedy_everywhere"),
    ),
    caveat=T(
        "训练好的译者多半步步有把握，束宽很少改变它的答案；差别要看没训练好的译者。"
        "束搜索一般并不单调："
        "再宽一点可能得分反而低，只有宽到穷举才有保证。",
        "The trained translator is mostly sure at every step, and width seldom changes its "
        "answer; the difference shows in one stopped early. Nor is beam search monotone in "
        "general: a "
        "wider beam may end with a lower score, and only exhaustive width is a guarantee."),
    questions=(Question(
        T("束宽从 1 加到 16，译文一定更好吗？",
          "Beam width from 1 to 16: is the translation always better?"),
        (Option(T("一定更好：看得更多", "always better: it sees more"),
                lambda m: 0.5 - m["record"]["lost"],
                T("束搜索让模型的得分更高，不是让译文更对；有些本来对的句子变错了。",
                  "a beam raises the model's score, not the quality; some right sentences "
                  "become wrong.")),
         Option(T("一定更差：宽了就乱", "always worse: too many choices"),
                lambda m: 0.5 - m["record"]["gained"],
                T("也有不少由错变对：贪心第一步就走错的那些。",
                  "many become right, those where greedy went wrong at the first step.")),
         Option(T("模型的得分升高，译文有的变好有的变坏",
                  "the model's score rises, some translations improve and some get worse"),
                lambda m: min(m["record"]["score_up"] - m["record"]["seeds"] + 0.5,
                              m["record"]["gained"] - 0.5, m["record"]["lost"] - 0.5)))),),
    pins={"record.*": RECORDED, "sentence.*.words": COUNTED, "sentence.*.log_p": TRAINED,
          "sentence.*.score": TRAINED, "all.*": COUNTED,
          "*": close("deterministic float64: only the order of additions may differ")},
    errata=ERRATA["beams"],
    notes=T(
        "约 7 分钟。先投票，再看小表。让学生手算 A 和 BB 的概率，再问：除以长度以后谁赢？试试 "
        "--set 3.alpha=0。争论点：为什么得分更高的译文会更短？（Koehn 和 Knowles 2017，Yang 等人 "
        "2018。）",
        "About 7 minutes. Vote, then the small table. Let the class work out A and BB by hand, "
        "then ask who wins after dividing by length. Try --set 3.alpha=0. The argument: why do "
        "higher scores come with shorter translations? (Koehn and Knowles 2017, Yang and others "
        "2018.)"),
)


# --- 4. your own model ----------------------------------------------------------------

SHOWN_TOKENS, FAMILIES = 10, ("t5", "gpt2", "bert")


def on_screen(token: str) -> str:
    """A token in characters every console has: word marks become _."""
    token = token.replace("\u2581", "_").replace("\u0120", "_")
    return "".join(c if c.isprintable() and c.encode("gbk", "ignore") else "?" for c in token)


def own_model(model: str, text: str, seed: int, asked: str = "at_loading",
              masked: bool = True, starts: str = "start") -> Metrics:
    """Three small families as recorded; your own folder live."""
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


def own_views(folder: str, text: str) -> Metrics:
    """A model of your own: one map of each kind it has, and its greedy steps."""
    from lecture import hf_models

    views = hf_models.views(folder, text)
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


KIND_NAMES = {"encoder-decoder": T("编码器–解码器", "encoder-decoder"),
              "decoder": T("只有解码器", "decoder only"),
              "encoder": T("只有编码器", "encoder only")}
MAP_NAMES = {"encoder": T("编码器：谁看谁", "Encoder: who looks at whom"),
             "decoder": T("解码器：谁看谁", "Decoder: who looks at whom"),
             "cross": T("交叉注意力：译文看原文", "Cross-attention: translation at source")}


def show_own(m: Metrics) -> Iterator[Block]:
    if m["live"] is None:
        yield Paragraph(T(
            "想看你自己的 T5、GPT-2 或 BERT？加上 --set model=文件夹 --set 4.text=\"你的句子\"："
            "文件夹是 "
            "save_pretrained 写出来的，不联网，不运行里面的代码。下表是记录：当场搭的三个小模型，"
            "权重是"
            "随机的，所以只看结构。",
            "To look into your own T5, GPT-2 or BERT add --set model=FOLDER and --set "
            "4.text=\"your text\": a folder written by save_pretrained; no network is used and no "
            "code in it is run. The table is a record: three small models built on the spot, with "
            "random weights, so only structure is to be read from it."))
    yield Table(
        (Column(T("模型", "family")), Column(T("类型", "kind")),
         Column(T("加载时要图", "at loading"), "d"),
         Column(T("调用时要图", "at the call"), "d"),
         Column(T("编码器向右", "encoder right"), ".2f"),
         Column(T("解码器向右", "decoder right"), ".2f")),
        [[f, KIND_NAMES[r["kind"]], r["at_loading"], r["at_the_call"], r["encoder_right"],
          r["decoder_right"]] for f, r in m["families"].items()],
        title=T("记录：得到几张图；最大的“向右看”的权重",
                "Recorded: how many maps one gets; the largest weight that looks right"))
    live = m["live"]
    if live is None:
        return
    yield Paragraph(T(
        "你的模型：{live[family]}，{live[layers]} 层，{live[heads]} 个头，宽度 {live[width]}。",
        "Your model: {live[family]}, {live[layers]} layers, {live[heads]} heads, width "
        "{live[width]}."))
    for kind, weights in live["maps"].items():
        rows = live["tokens"] if kind == "encoder" else live["fed"]
        columns = live["fed"] if kind == "decoder" else live["tokens"]
        yield HeatMap(weights, rows[:len(weights)], columns[:len(weights[0])],
                      title=MAP_NAMES[kind],
                      legend=T("最后一层（{live[last]}）的第 {live[head]} 个头，开头几个 token。",
                               "Layer {live[last]} (the last), head {live[head]}, the first "
                               "tokens."))
    if live["steps"]:
        yield Table(
            (Column(T("喂进去", "fed")), Column(T("第一", "first")),
             Column(T("概率", "odds"), ".3f"), Column(T("第二", "second")),
             Column(T("概率", "odds"), ".3f")),
            [[s["fed"], s["best"][0]["word"], s["best"][0]["p"], s["best"][1]["word"],
              s["best"][1]["p"]] for s in live["steps"]],
            title=T("逐步贪心", "Greedy, step by step"))


def starts_from(token: str) -> Any:
    return lambda m: (m["start"] == token) - 0.5


OWN_MODEL = Part(
    number=4, key="own_model",
    title=T("你自己的模型：T5、GPT-2、BERT", "A model of your own: T5, GPT-2, BERT"),
    compute=own_model, describe=show_own,
    params={"model": Param("", about=T("模型文件夹", "folder of a model")),
            "text": Param("the cat looks at the dog", about=T("给模型的句子",
                                                              "a text for the model"))},
    controls={"asked_late": partial(own_model, asked="at_the_call"),
              "without_mask": partial(own_model, masked=False),
              "told_another_start": partial(own_model, starts="other")},
    claims=(
        Claim("asked_at_loading", T(
            "注意力图要在加载时要：T5 给 {families[t5][at_loading]} 张、GPT-2 "
            "{families[gpt2][at_loading]} "
            "张、BERT {families[bert][at_loading]} 张；默认加载、调用时才要，是 "
            "{families[t5][at_the_call]}、{families[gpt2][at_the_call]}、"
            "{families[bert][at_the_call]} 张（记录）。",
            "Maps have to be asked for at loading: T5 gives {families[t5][at_loading]}, GPT-2 "
            "{families[gpt2][at_loading]}, BERT {families[bert][at_loading]}; loaded by default "
            "and asked at the call, {families[t5][at_the_call]}, {families[gpt2][at_the_call]} "
            "and {families[bert][at_the_call]} (recorded)."),
            lambda m: min(*(r["at_loading"] - 0.5 for r in m["families"].values()),
                          *(0.5 - r["at_the_call"] for r in m["families"].values())),
            "asked_late"),
        Claim("who_looks_right", T(
            "BERT 和 T5 的编码器往右看（权重最大 {families[bert][encoder_right]:.2f} 和 "
            "{families[t5][encoder_right]:.2f}），GPT-2 和 T5 的解码器从不（"
            "{families[gpt2][decoder_right]:g} 和 {families[t5][decoder_right]:g}）（记录）。",
            "The encoders of BERT and T5 look right (weights up to "
            "{families[bert][encoder_right]:.2f} and {families[t5][encoder_right]:.2f}), the "
            "decoders of GPT-2 and T5 never do ({families[gpt2][decoder_right]:g} and "
            "{families[t5][decoder_right]:g}) (recorded)."),
            lambda m: min(m["families"]["bert"]["encoder_right"] - 0.01,
                          m["families"]["t5"]["encoder_right"] - 0.01,
                          1e-12 - m["families"]["gpt2"]["decoder_right"],
                          1e-12 - m["families"]["t5"]["decoder_right"]), "without_mask"),
        Claim("start", T(
            "T5 的词表设置里有 {begin_symbols} 个句首符号；照它公开的设置，解码器从 {start}"
            "（编号 {pad}）"
            "开始（记录）。",
            "T5's settings have {begin_symbols} begin symbols; by the settings it is published "
            "with, its decoder starts from {start} (id {pad}) (recorded)."),
            lambda m: (m["start"] == "<pad>") - 0.5 - m["begin_symbols"], "told_another_start"),
    ),
    caveat=T(
        "图只说看了哪里，没有切断，就不说明为什么。随机权重的图不说明任何语言；起始符号是设置，"
        "换一个模型"
        "可能不同。",
        "A map says where it looked; without a cut it does not say why. Maps of random weights "
        "say nothing about language, and the start is a setting that another model may change."),
    questions=(Question(
        T("用 T5 翻译，解码器的第一个输入是哪个符号？",
          "T5 translates: which symbol is its decoder fed first?"),
        (Option(T("<bos>：句首符号", "<bos>: the begin symbol"), starts_from("<bos>"),
                T("T5 没有句首符号；这是从别的模型搬来的习惯。",
                  "T5 has none; the habit comes from other models.")),
         Option(T("<pad>：补齐用的符号", "<pad>: the padding symbol"), starts_from("<pad>")),
         Option(T("</s>：句末符号", "</s>: the end symbol"), starts_from("</s>"),
                T("有的模型这样做（BART），T5 不是。",
                  "some models do so (BART), T5 does not.")))),),
    pins={"families.*_right": close("recorded float32", 1e-6, 1e-9), "*": RECORDED},
    errata=ERRATA["own_model"],
    notes=T(
        "约 3 分钟，没有模型文件夹就只看记录。课前下载好 t5-small，课上 --set model=…，"
        "再对照讲义里的热图。"
        "争论点：“第六层第一个头”真的能解释什么吗？",
        "About 3 minutes; without a folder only the record. Fetch t5-small before class, then "
        "--set model=…, beside the map in the notes. The argument: what does layer six, head "
        "one explain?"),
)

PARTS: tuple[Part, ...] = (TRANSLATE, STEPS, BEAMS, OWN_MODEL)
