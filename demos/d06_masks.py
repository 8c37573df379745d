"""Who may look at whom, and what breaks when a model is let look at the answer?

A mask is a table of yes and no: may this query look at that key?  Part 0 shows what
the causal mask promises: what comes later cannot change what came before.  Part 1
draws every mask of the notes from one function, part 2 hides a whole row and asks
what softmax makes of it, part 3 follows the gradient backwards through a mask, and
part 4 trains a model that sees the answers, one that does not, and one that looks
both ways honestly because what it must guess is hidden.

Unlike demo 04: there the causal mask was one of three details; here every mask has
its turn, with the ways it goes wrong.  Left out: sparse patterns and their cost (11),
what a causal mask tells about order (07), masks inside a translator (10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from attention_np import (
    attention,
    attention_scores,
    causal_mask,
    combined_mask,
    padding_mask,
    permutation_mask,
    softmax,
    window_mask,
)
from demos.errata.e06 import ERRATA
from lecture import model_cache, recipes, records, tasks
from lecture.gpt_np import GPT
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
    Row,
    T,
    Table,
    close,
    exact,
)
from pretrain_world import question_text, statement_text, tokenizer

Array = np.ndarray
norm = np.linalg.norm
ARITHMETIC = close("deterministic float64: only the order of additions may differ")
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-12)
TRAINED = close("shipped weights: matrix products round differently", 1e-6, 1e-9)

# --- 0. before or after the text ----------------------------------------------


def moved(model: GPT, one: Array, two: Array, text: slice,
          deaf: bool) -> Metrics:
    """How far two questions push the states of one and the same text."""
    layers = range(model.cfg.n_layer)
    patch = {f"{l}.heads": np.zeros_like for l in layers} if deaf else None
    before = model.run(one, patch, trace=True).trace
    after = model.run(two, patch, trace=True).trace
    a, b = (np.stack([t[f"{l}.out"][:, text] for l in layers])
            for t in (before, after))               # [L, 24, 13, d] each
    change = norm(a - b, axis=-1)                    # [L, 24, 13]
    return {"largest": abs(a - b).max(),
            "relative": (change / norm(a, axis=-1)).mean(),
            "moved": int((change > 0).sum()), "states": change.size}


def before_or_after(other: int, seed: int, masked: bool = True,
                    deaf: bool = False) -> Metrics:
    """A text on each country; the question changes its country, no more."""
    recipe = recipes.named("base")
    weights = model_cache.load(recipe)
    world = recipe.data.world()
    tok = tokenizer(world)
    blind = GPT(replace(recipe.config, causal=False), weights)
    model = GPT(recipe.config, weights) if masked else blind
    n = len(world.countries)
    texts = [tok.encode(" ".join(statement_text(c, r) for r in
                                 ("capital", "language")))
             for c in world.countries]                          # [24, 13]
    asked = [tok.encode("faq : q : " + question_text(c.name, "capital"))
             for c in world.countries]                          # [24, 11]
    doc = np.full((n, 1), tok.stoi["<doc>"])                    # [24, 1]
    text, first = np.array(texts), np.array(asked)
    second = np.roll(first, -other - seed, axis=0)              # [24, 11]
    words = text.shape[1]
    early = slice(1, 1 + words)
    late = slice(1 + first.shape[1], 1 + first.shape[1] + words)

    def pair(layout: Callable[[Array], list[Array]]) -> tuple[Array, Array]:
        return np.hstack(layout(first)), np.hstack(layout(second))

    after = pair(lambda q: [doc, text, q])              # [24, 25], twice
    alone = np.hstack([doc, text])                              # [24, 14]
    top = f"{recipe.config.n_layer - 1}.out"
    kept = [model.run(ids, trace=True).trace[top][:, early]
            for ids in (alone, after[0])]                      # [24, 13, d]
    lead = pair(lambda q: [doc, q, text])
    return {"countries": n, "text_words": words, "changed_words": int(
                (first[0] != second[0]).sum()),
            "text": tok.decode(text[0]), "question": tok.decode(first[0]),
            "other_question": tok.decode(second[0]),
            "question_after": moved(model, *after, early, deaf),
            "question_before": moved(model, *lead, late, deaf),
            "no_mask": moved(blind, *after, early, deaf),
            "unasked": abs(kept[0] - kept[1]).max()}


PLACES_OF_QUESTION = {
    "question_after": T("问题在后", "question after"),
    "question_before": T("问题在前", "question before"),
    "no_mask": T("问题在后，拿掉遮罩", "question after, mask taken off")}


def show_order(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "随课的迷你 GPT 读一段文章：{text} 再读一个问题：{question} 换掉问题里的 "
        "{changed_words} 个词（{other_question}），文章一字不动，看文章各词的内部状态动不动。"
        "{countries} 个国家各来一遍。",
        "The course's tiny GPT reads a text: {text} And a question: {question} Change "
        "{changed_words} word of the question ({other_question}), nothing of the text, and see "
        "whether the inner states of the text move. Once for each of {countries} countries."))
    yield Table(
        (Column(T("次序", "order")), Column(T("文章的状态", "states of the text")),
         Column(T("动了的", "that moved")), Column(T("平均移动（相对长度）",
                                                    "mean move, share of length"), ".1%"),
         Column(T("最大移动", "largest move"), ".2f")),
        [[PLACES_OF_QUESTION[name], m[name]["states"], m[name]["moved"],
          m[name]["relative"], m[name]["largest"]] for name in PLACES_OF_QUESTION],
        title=T("只改问题，文章的状态动了多少",
                "Only the question changes: what moves in the text"))


ORDER = Part(
    number=0, key="order",
    title=T("问题放在文章前，还是后", "The question before or after the text"),
    compute=before_or_after, describe=show_order, recipes=("base",),
    params={"other": Param(1, 1, 23, about=T("换成往后第几个国家",
                                             "how many countries on the new question is"))},
    controls={"no_mask": partial(before_or_after, masked=False),
              "deaf": partial(before_or_after, deaf=True)},
    claims=(
        Claim("text_stands_still", T(
            "文章在前：换问题，文章的 {question_after[states]} 个状态里动了 "
            "{question_after[moved]} 个，最大移动 {question_after[largest]:g}。"
            "不是很小，是一点也没有：后来的改不了先来的。",
            "Text first: change the question and {question_after[moved]} of the text's "
            "{question_after[states]} states move, the largest by {question_after[largest]:g}. "
            "Not little: nothing. What comes later cannot change what came before."),
            lambda m: min(1e-300 - m["question_after"]["largest"],
                          0.5 - m["question_after"]["moved"]), "no_mask"),
        Claim("text_read_for_the_question", T(
            "问题在前：{question_before[states]} 个状态动了 {question_before[moved]} 个，"
            "平均移动自身长度的 {question_before[relative]:.0%}。文章是带着问题读的。",
            "Question first: {question_before[moved]} of {question_before[states]} states move, "
            "by {question_before[relative]:.0%} of their length on average. The text is read "
            "with the question in mind."),
            lambda m: min(m["question_before"]["relative"] - 0.01,
                          m["question_before"]["moved"] - m["question_before"]["states"] + 0.5),
            "deaf"),
        Claim("the_mask_does_it", T(
            "是遮罩在起作用：同样的权重、问题同样在后，只拿掉遮罩，就动了 {no_mask[moved]} 个。",
            "It is the mask: same weights, question after the text as before, only the mask taken "
            "off, and {no_mask[moved]} states move."),
            lambda m: m["no_mask"]["moved"] - m["no_mask"]["states"] + 0.5, "deaf"),
        Claim("read_once", T(
            "所以长文章可以先读好、存起来：还没人提问时算出的状态，和后来接上问题再算的，"
            "只差 {unasked:.0e}，是舍入。",
            "So a long text can be read once and kept: its states computed before anybody asks "
            "differ from those computed with a question behind by {unasked:.0e}, which is "
            "rounding."),
            lambda m: 1e-10 - m["unasked"], "no_mask"),
    ),
    caveat=T(
        "这里量的是状态动不动，不是哪种次序答得更好。文章后面接问题，这个模型训练时没见过；"
        "问题在前时文章的位置也后移了，所以两种次序的状态之间不能互相比。",
        "This measures whether states move, not which order answers better. In training this "
        "model never saw a text with a question behind it; and with the question first the text "
        "stands further back, so states of the two orders are not to be compared."),
    questions=(
        Question(T("文章在前，问题在后。只改问题，文章各词的内部状态会变多少？",
                   "Text first, question after. Change only the question: how much do the inner "
                   "states of the text change?"),
                 (Option(T("很多", "a lot"),
                         lambda m: m["question_after"]["relative"] - 0.01,
                         T("以为模型总是通读全文。因果遮罩下，每个词只能往左看。",
                           "believes the model always reads the whole. Under a causal mask every "
                           "word looks left only.")),
                  Option(T("一点点", "a little"),
                         lambda m: min(m["question_after"]["largest"],
                                       0.01 - m["question_after"]["relative"]),
                         T("以为遮罩只是把影响压小。被遮的权重是真正的零。",
                           "takes a mask for something that dampens. A hidden weight is a true "
                           "zero.")),
                  Option(T("正好不变", "by exactly nothing"),
                         lambda m: 1e-300 - m["question_after"]["largest"]))),
        Question(T("反过来，问题在前、文章在后。还是只改问题，文章里有多少状态会变？",
                   "Now the question first and the text after. Change only the question again: "
                   "how many states of the text change?"),
                 (Option(T("还是一个也不变", "none, as before"),
                         lambda m: 0.5 - m["question_before"]["moved"],
                         T("把“问题改不了文章”当成了规律。规律是：后面的改不了前面的。",
                           "keeps “a question cannot change a text” for the rule. The rule is: "
                           "later cannot change earlier.")),
                  Option(T("只有和问题有关的那几个词", "only the words it is about"),
                         lambda m: min(m["question_before"]["moved"],
                                       m["question_before"]["states"] / 2
                                       - m["question_before"]["moved"]),
                         T("以为无关的词拿不到权重。softmax 人人有份，每个词都看到了问题。",
                           "expects unrelated words to get no weight. Softmax gives everyone "
                           "some: every word has seen the question.")),
                  Option(T("全都变", "all of them"),
                         lambda m: m["question_before"]["moved"]
                         - m["question_before"]["states"] + 0.5)))),
    pins={"question_after.largest": exact("a true zero"),
          "question_after.relative": exact("a true zero"),
          "*.moved": exact("a count"), "*.states": exact("a count"),
          "unasked": ROUNDING, "*.largest": TRAINED, "*.relative": TRAINED,
          "*": exact("counts and words")},
    errata=ERRATA["order"],
    notes=T(
        "约 6 分钟，两次投票。争论点：提示词里，问题该放在长文章前面还是后面？"
        "放前面，文章带着问题读；放后面，文章可以读一次、存起来、问很多次。这里只证明机制，哪种更好要看任务。"
        "试试 --set 0.other=5。",
        "About 6 minutes, two votes. The argument: in a prompt, should the question stand before "
        "or after a long text? Before: the text is read with the question in mind. After: the "
        "text is read once, kept, and asked many times. This shows the mechanism; which is better "
        "depends on the task. Try --set 0.other=5."),
)

# --- 1. every mask of the notes -----------------------------------------------

PAD, WORD = 0, 1
SENTENCE = ("I", "love", "AI", "so", "much")
TARGET = ("<bos>", "I", "love", "you")
PRINTED = np.array([[1.2, -0.5, 0.8, 1.1, -0.3],
                    [0.6, 1.3, -0.7, 0.9, 1.5]])    # scores in the notes


def every_mask(ids: Array, source: Array, order: tuple[int, ...],
               n_q: int = 4, offset: int | None = None) -> dict[str, Array]:
    """Every mask the notes have: [n_q, n_k] booleans, True = may look."""
    T = len(ids)
    return {
        "padding": np.repeat(padding_mask(ids, PAD), T, axis=0),    # [T, T]
        "causal": causal_mask(T),                                   # [T, T]
        "combined": combined_mask(ids, PAD),                        # [T, T]
        "cross": np.repeat(padding_mask(source, PAD), n_q, 0),      # [4, 3]
        "query_stream": permutation_mask(order),                    # [4, 4]
        "content_stream": permutation_mask(order, content=True),    # [4, 4]
        "window": window_mask(T, left=1),                           # [T, T]
        "cached": causal_mask(2, T, offset)}                        # [2, T]


def what_is_raised(action: Callable[[], Any]) -> str:
    """The name of the exception that an action dies of."""
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "nothing"


class Unbuilt:
    """A layer whose parts nobody has made: no __init__, as in the notes."""

    def forward(self, x: Array) -> Array:
        return self.self_attn(x)        # type: ignore[attr-defined]


def notes_code() -> dict[str, str]:
    """The faults of the notes' code, each on the smallest array."""
    x = np.ones((5, 4))                                         # [5, 4]

    def stretch() -> Array:             # one axis too many to be a [5, 5]
        return np.broadcast_to((np.arange(5) < 3)[None, None], (5, 5))

    def fill() -> Array:               # a name that was never given a value
        keep = causal_mask(5)
        return np.where(keep, scores, -1e9)  # type: ignore # noqa: F821

    return {"padding": what_is_raised(stretch),
            "combined": what_is_raised(lambda: causal_mask(5) & stretch()),
            "unbuilt": what_is_raised(lambda: Unbuilt().forward(x)),
            "pair_as_array": what_is_raised(
                lambda: attention(attention(x, x, x), x, x)),
            "no_name": what_is_raised(fill)}


def future_share(mask: Array) -> float:
    """With even scores: the share of all weight that lies on the future."""
    W = softmax(np.where(mask, 0.0, -np.inf))                   # [T, T]
    return float(np.triu(W, 1).sum() / max(1, mask.any(1).sum()))


def mean_of(mask: Array, *values: float) -> Array:
    """With even scores: the mean of what each query may see; [n_q]."""
    V = np.array(values)[:, None]                               # [n_k, 1]
    return attention(np.zeros((len(mask), 1)), 0 * V, V, mask=mask)[0][:, 0]


def misread(masks: dict[str, Array], first: int) -> Metrics:
    """Masks applied rightly, and as they are often applied by mistake."""
    cross, cached = masks["cross"], masks["cached"]         # [4, 3], [2, 5]
    right = masks["causal"][:3, :3]                             # [3, 3]
    left = causal_mask(2, cached.shape[1], 0)                 # [2, 5]
    nobody, four = masks["query_stream"][first], PRINTED[0, :4]     # [4]
    return {
        "source_mean": {"unmasked": mean_of(cross | True, 10, 20, 99),
                        "masked": mean_of(cross, 10, 20, 99)},
        "polarity": {"right": mean_of(right, 1, 2, 4),
                     "flipped": mean_of(~right, 1, 2, 4),
                     "future_right": future_share(right),
                     "future_flipped": future_share(~right)},
        "aligned": {"right": mean_of(cached, 1, 2, 3, 4, 5),
                    "left": mean_of(left, 1, 2, 3, 4, 5)},
        "first_in_order": {
            "minus_billion": softmax(np.where(nobody, four, -1e9)),
            "ours": softmax(np.where(nobody, four, -np.inf))}}


def draw_masks(valid: int, seed: int, hide: bool = True,
               causal: bool = True, keys: bool = True, inside: bool = True,
               order: tuple[int, ...] = (2, 0, 3, 1),
               offset: int | None = None) -> Metrics:
    """Five places, `valid` of them words; drawn: q, k, v of 5 x 8, then
    four queries, three keys, three values and one replacement, width 8."""
    rng, T = np.random.default_rng(seed), len(SENTENCE)
    ids = np.where(np.arange(T) < valid, WORD, PAD if hide else WORD)
    source = np.array([WORD, WORD, PAD if hide else WORD])
    masks = every_mask(ids, source, order, offset=offset)
    if not causal:
        masks["causal"] = np.ones((T, T), dtype=bool)
    pad = masks["padding"] if keys else masks["padding"].T      # [T, T]

    # padded queries: they look at the words, and put something out
    q, k, v = rng.standard_normal((3, T, 8))                    # [T, 8]
    out, W = attention(q, k, v, mask=pad)           # [T, 8], [T, T]

    # the notes' printed scores, the padding hidden
    kept = pad[:2] if inside else np.ones((2, T), dtype=bool)
    rows = softmax(np.where(kept, PRINTED, -np.inf)) * pad[:2]  # [2, T]

    # cross-attention: other numbers where the source has its padding
    Q, K, V = (rng.standard_normal((n, 8)) for n in (4, 3, 3))
    new = np.vstack([K[:2], rng.standard_normal((1, 8))])       # [3, 8]
    newer = np.vstack([V[:2], new[2:]])                         # [3, 8]

    def source_moves(mask: Array | None) -> float:
        change = (attention(Q, K, V, mask=mask)[0]
                  - attention(Q, new, newer, mask=mask)[0])     # [4, 8]
        return float(norm(change, axis=-1).max())

    return {
        "valid": valid, "places": T, "order": list(order),
        "words": [w if i else "<pad>"
                  for w, i in zip(SENTENCE, ids, strict=True)],
        "sentence": list(SENTENCE),
        "source": ["je", "t'aime", "<pad>" if hide else "!"],
        "masks": {name: {"keep": m.astype(int), "ones": int(m.sum()),
                         "empty": np.flatnonzero(~m.any(1))}
                  for name, m in masks.items()},
        "printed": {"weights": rows, "sums": rows.sum(1),
                    "hidden": rows[:, valid:].max()},
        "padded": {"output_norm": norm(out[valid:], axis=1).mean(),
                   "weight_on_padding": W[:, valid:].max()},
        "source_moves": {"unmasked": source_moves(None),
                         "masked": source_moves(masks["cross"])},
        "shown_is_used": abs(W @ v - out).max(),
        "code": notes_code(), **misread(masks, order[0])}


MASK_TITLES = {
    "padding": T("填充遮罩", "padding"), "causal": T("因果遮罩", "causal"),
    "combined": T("两者合用", "both combined"),
    "cross": T("交叉注意力：译文看原文", "cross: target to source"),
    "query_stream": T("XLNet 查询流", "XLNet query stream"),
    "content_stream": T("XLNet 内容流", "XLNet content stream"),
    "window": T("窗口：自己和前一个", "window: itself and one before"),
    "cached": T("缓存：只有最后两个在问", "cache: only the last two ask")}


def show_masks(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一行是一个在看的词（查询），一列是一个被看的词（键）。XLNet 的次序是 "
        "{order[0]} {order[1]} {order[2]} {order[3]}：排在前面的先出场。",
        "A row is a word that looks (a query), a column a word looked at (a key). The XLNet order "
        "is {order[0]} {order[1]} {order[2]} {order[3]}: who stands first in it comes first."))
    words, all_, four = m["words"], m["sentence"], ["p0", "p1", "p2", "p3"]
    names = {"cross": (TARGET, m["source"]), "query_stream": (four, four),
             "content_stream": (four, four), "causal": (all_, all_),
             "window": (all_, all_), "cached": (all_[-2:], all_)}
    yield Row([HeatMap(m["masks"][name]["keep"], *names.get(name, (words, words)),
                       title=title, format="d") for name, title in MASK_TITLES.items()],
              title=T("讲义里的每一种遮罩，出自同一个函数",
                      "Every mask of the notes, from one function"),
              legend=T("{masks[causal][keep][0][0]} = 可以看，"
                       "{masks[causal][keep][0][1]} = 不许看；p0 到 p3 是句中的位置",
                       "{masks[causal][keep][0][0]} = may look, {masks[causal][keep][0][1]} = may "
                       "not; p0 to p3 are places in the sentence"))
    yield Table(
        (Column(T("词", "word")), *(Column(T(w, w), ".4f") for w in "abcde"),
         Column(T("合计", "sum"), ".4f")),
        [[name, *row, total] for name, row, total in zip(
            ("A", "B"), m["printed"]["weights"], m["printed"]["sums"], strict=True)],
        title=T("讲义印出的两行分数，遮住填充之后的权重",
                "Two rows of scores the notes print, their weights with the padding hidden"))
    yield Table(
        (Column(T("同一个因果表，三个词", "one causal table, three words")),
         *(Column(T(w, w), ".4f") for w in "abc"),
         Column(T("落在未来的权重", "weight on the future"), ".2f")),
        [[T("读作“可以看”", "read as “may look”"), *m["polarity"]["right"],
          m["polarity"]["future_right"]],
         [T("读作“要遮住”", "read as “to be hidden”"), *m["polarity"]["flipped"],
          m["polarity"]["future_flipped"]]],
        title=T("把表读反：分数全是零，值是一、二、四",
                "The table read backwards: all scores zero, values one, two, four"))


MASKS = Part(
    number=1, key="masks",
    title=T("谁可以看谁：每一种遮罩", "Who may look at whom: every mask"),
    compute=draw_masks, describe=show_masks,
    params={"valid": Param(3, 2, 4, about=T("五个位置里有几个真词",
                                            "how many of the five places hold a word"))},
    controls={"nothing_hidden": partial(draw_masks, hide=False),
              "no_causal": partial(draw_masks, causal=False),
              "reading_order": partial(draw_masks, order=(0, 1, 2, 3)),
              "on_queries": partial(draw_masks, keys=False),
              "after_softmax": partial(draw_masks, inside=False),
              "aligned_left": partial(draw_masks, offset=0)},
    claims=(
        Claim("both_must_allow", T(
            "合用就是两张表都得说“可以”：因果表有 {masks[causal][ones]} 个一，填充表有 "
            "{masks[padding][ones]} 个，合起来剩 {masks[combined][ones]} 个。",
            "Combining means that both tables must say yes: the causal one has "
            "{masks[causal][ones]} ones, the padding one {masks[padding][ones]}, together "
            "{masks[combined][ones]} are left."),
            lambda m: min(m["masks"]["causal"]["ones"], m["masks"]["padding"]["ones"])
            - m["masks"]["combined"]["ones"], "nothing_hidden"),
        Claim("hidden_share_goes_to_the_rest", T(
            "遮住的位置权重正好是 {printed[hidden]:g}，剩下的重新分完：每行合计 "
            "{printed[sums][0]:.4f} 和 {printed[sums][1]:.4f}。",
            "A hidden place gets exactly {printed[hidden]:g}, and the rest share the whole: the "
            "rows sum to {printed[sums][0]:.4f} and {printed[sums][1]:.4f}."),
            lambda m: min(1e-300 - m["printed"]["hidden"],
                          *(1e-9 - abs(x - 1) for x in m["printed"]["sums"])),
            "after_softmax"),
        Claim("padded_queries_still_answer", T(
            "填充遮罩遮的是键，不是查询：填充位置自己照样输出（平均长度 "
            "{padded[output_norm]:.2f}），只是不看填充（{padded[weight_on_padding]:g}）。"
            "这几行要从损失里去掉。",
            "A padding mask hides keys, not queries: padded places still put something out (mean "
            "length {padded[output_norm]:.2f}), they just do not look at padding "
            "({padded[weight_on_padding]:g}). Drop those rows from the loss."),
            lambda m: min(m["padded"]["output_norm"] - 0.1,
                          1e-300 - m["padded"]["weight_on_padding"]), "on_queries"),
        Claim("cross_attention_needs_one_too", T(
            "交叉注意力不要因果遮罩，但要遮原文的填充：把填充处的数换掉，不遮时输出移动 "
            "{source_moves[unmasked]:.2f}，遮住移动 {source_moves[masked]:g}。",
            "Cross-attention needs no causal mask, but it must hide the source's padding: put "
            "other numbers there and the output moves by {source_moves[unmasked]:.2f} without a "
            "mask, by {source_moves[masked]:g} with it."),
            lambda m: min(m["source_moves"]["unmasked"] - 0.1,
                          1e-300 - m["source_moves"]["masked"]), "nothing_hidden"),
        Claim("first_sees_nobody", T(
            "XLNet 里位置 {order[2]} 看得见 {order[0]} 和 {order[1]}；排第一的位置 {order[0]} "
            "谁也看不见，查询流里空行的号码就是 {masks[query_stream][empty][0]}；"
            "内容流让每个位置也看自己，看得见的对子从 {masks[query_stream][ones]} 个变成 "
            "{masks[content_stream][ones]} 个。",
            "In XLNet place {order[2]} sees {order[0]} and {order[1]}; place {order[0]}, first in "
            "the order, sees nobody: the empty row of the query stream is number "
            "{masks[query_stream][empty][0]}. The content stream lets every place see itself "
            "too: {masks[content_stream][ones]} pairs instead of {masks[query_stream][ones]}."),
            lambda m: min(m["masks"]["query_stream"]["keep"][3][0] - 0.5,
                          m["masks"]["query_stream"]["keep"][3][2] - 0.5,
                          0.5 - m["masks"]["query_stream"]["keep"][3][1],
                          0.5 - m["masks"]["query_stream"]["keep"][3][3],
                          0.5 - sum(m["masks"]["query_stream"]["keep"][2]),
                          0.5 - abs(m["masks"]["query_stream"]["empty"][0] - m["order"][0]),
                          0.5 - abs(m["masks"]["content_stream"]["ones"] - len(m["order"])
                                    - m["masks"]["query_stream"]["ones"])),
            "reading_order"),
        Claim("say_what_one_means", T(
            "同一张表，一个库读作“可以看”，另一个读作“要遮住”：读反之后，"
            "{polarity[future_flipped]:.0%} 的权重落在未来，读对时是 "
            "{polarity[future_right]:.0%}，而程序不报错。画遮罩，先写图例。",
            "One library reads a table as “may look”, another as “to be hidden”: read the wrong "
            "way {polarity[future_flipped]:.0%} of the weight lies on the future, read right "
            "{polarity[future_right]:.0%}, and nothing complains. Write the legend first."),
            lambda m: min(m["polarity"]["future_flipped"] - 0.99,
                          1e-300 - m["polarity"]["future_right"]), "no_causal"),
        Claim("last_with_last", T(
            "有缓存时，最后两个查询对着全部的键：两端要在右下角对齐，输出 "
            "{aligned[right][0]:.1f} 和 {aligned[right][1]:.1f}（值是一到五的平均）；"
            "对齐在左上角，最新的词就丢了过去，成了 {aligned[left][0]:.1f} 和 "
            "{aligned[left][1]:.1f}。",
            "With a cache the last two queries face all keys: align them at the lower right, and "
            "they get {aligned[right][0]:.1f} and {aligned[right][1]:.1f} (means of the values "
            "one to five); aligned at the upper left the newest words lose their past: "
            "{aligned[left][0]:.1f} and {aligned[left][1]:.1f}."),
            lambda m: min(a - b - 1 for a, b in zip(
                m["aligned"]["right"], m["aligned"]["left"], strict=True)), "aligned_left"),
    ),
    caveat=T(
        "查询、键和值是随机抽的：输出移动多少没有语言上的意义，移动是不是正好为零才有。",
        "Queries, keys and values are drawn: how far an output moves says nothing about language, "
        "whether it moves at all does."),
    questions=(
        Question(T("XLNet 的次序是 2 0 3 1，位置 2 排第一。查询流里，它能看谁？",
                   "The XLNet order is 2 0 3 1, so place 2 comes first. In the query stream, whom "
                   "may it look at?"),
                 (Option(T("它自己", "itself"),
                         lambda m: m["masks"]["query_stream"]["keep"][2][2]
                         - sum(m["masks"]["query_stream"]["keep"][2]) / 2,
                         T("把查询流当成内容流。要猜的词正是它自己，不能看。",
                           "takes the query stream for the content stream. It is the word to be "
                           "guessed and must not be seen.")),
                  Option(T("谁也不能看", "nobody"),
                         lambda m: 0.5 - sum(m["masks"]["query_stream"]["keep"][2])),
                  Option(T("所有位置", "every place"),
                         lambda m: sum(m["masks"]["query_stream"]["keep"][2])
                         - len(m["order"]) + 0.5,
                         T("以为打乱次序就是双向。次序变了，仍然只看排在前面的。",
                           "takes a shuffled order for seeing both ways. The order is another, "
                           "still only what came earlier is seen.")),
                  Option(T("位置 0", "place 0"),
                         lambda m: m["masks"]["query_stream"]["keep"][2][0] - 0.5,
                         T("按句中的左右去想，以为它左边的总看得见。排列里，0 在它之后。",
                           "thinks of left and right in the sentence. In the order, 0 comes after "
                           "it.")))),
        Question(T("都说“交叉注意力不用遮罩”。把原文末尾填充处的数换成别的，译文那边的输出会怎样？",
                   "“Cross-attention needs no mask.” Put other numbers where the source is "
                   "padded: what happens to the output?"),
                 (Option(T("不变：填充不是词", "nothing: padding is no word"),
                         lambda m: 1e-12 - m["source_moves"]["unmasked"],
                         T("以为模型知道哪里是填充。没有遮罩，填充和别的键一样参加 softmax。",
                           "believes the model knows padding. Without a mask it takes part in "
                           "softmax like any other key.")),
                  Option(T("会变", "it changes"),
                         lambda m: m["source_moves"]["unmasked"] - 1e-12),
                  Option(T("变成 NaN", "it becomes NaN"),
                         lambda m: (m["source_moves"]["unmasked"] is None) - 0.5,
                         T("以为没有遮罩就算不出来。算得出来，只是悄悄地错了。",
                           "expects a failure. It computes, and is silently wrong."))))),
    pins={"words.*": exact("words"), "sentence.*": exact("words"),
          "source.*": exact("words"), "code.*": exact("names"),
          "masks.*": exact("a table of yes and no"), "order.*": exact("the order"),
          "valid": exact("a count"), "places": exact("a count"),
          "printed.hidden": exact("a true zero"), "source_moves.masked": exact("a true zero"),
          "padded.weight_on_padding": exact("a true zero"),
          "polarity.future_right": exact("a true zero"), "shown_is_used": ROUNDING,
          "*": ARITHMETIC},
    errata=ERRATA["masks"],
    notes=T(
        "约 8 分钟。先投两票，再给图；请学生逐行念“谁可以看谁”。争论点：空的那一行该输出什么？"
        "（下一部分。）读反的遮罩是真实项目里反复出现的错；torch 自己的两个接口读法就相反，"
        "测试里有对照。试试 --set 1.valid=2。",
        "About 8 minutes. Two votes, then the tables; let the class read out row by row who may "
        "look at whom. The argument: what should the empty row put out? (Next part.) A mask read "
        "backwards is an error that real projects make again and again; two interfaces of torch "
        "itself read it in opposite ways, which the tests show. Try --set 1.valid=2."),
)

# --- 2. empty rows and constants ----------------------------------------------

SCORES = np.array([1.2, -0.5, 0.8, 1.1])
HAVE = np.array([10.0, 20.0, 30.0, 40.0])
HALF = np.array([True, True, False, False])
# name: precision, how it is hidden (in place of the score, or added to it)
WAYS: dict[str, tuple[Any, str]] = {
    "infinity": (np.float64, "infinity"), "replaced": (np.float64, "replace"),
    "replaced32": (np.float32, "replace"), "added": (np.float64, "add"),
    "replaced16": (np.float16, "replace"), "lowest16": (np.float16, "lowest"),
    "lowest16_twice": (np.float16, "twice"), "ours": (np.float64, "ours")}


def plain_softmax(x: Array) -> Array:
    """As it stands in the textbook, in whatever precision x has; [n]."""
    e = np.exp(x - x.max())                                     # [n]
    return e / e.sum()                                          # [n]


def hide_row(scores: Array, keep: Array, how: str, constant: float,
             kind: Any) -> tuple[Array, float]:
    """Weights of one row [n], and what stands where a score is hidden."""
    if how == "ours":
        return softmax(np.where(keep, scores, -np.inf)), -np.inf
    x = scores.astype(kind)                                     # [n]
    lowest = -np.finfo(np.float16).max
    c = np.array({"infinity": -np.inf, "lowest": lowest,
                  "twice": lowest}.get(how, constant)).astype(kind)
    if how == "add":
        return plain_softmax(np.where(keep, x, x + c)), float(c)
    if how == "twice":                # two masks, added one after the other
        return plain_softmax(np.where(keep, x, x + c + c)), float(c + c)
    return plain_softmax(np.where(keep, x, c)), float(c)


def hide_a_row(constant: float, seed: int, boolean: bool = False,
               wide: bool = False, guard: bool = True) -> Metrics:
    """Four scores; a row that may see none, a row that may see two.
    Nothing is drawn, seed is unused."""
    found: Metrics = {}
    nobody = np.zeros(4, dtype=bool)                            # [4]
    for name, (kind, how) in WAYS.items():
        kind = np.float64 if wide else kind
        how = "ours" if boolean else how
        if name == "ours" and not guard:
            how = "infinity"
        with np.errstate(all="ignore"):
            row, written = hide_row(SCORES, nobody, how, constant, kind)
            half, _ = hide_row(SCORES, HALF, how, constant, kind)
        row, half = (r.astype(np.float64) for r in (row, half))     # [4]
        none = bool(np.isnan(row).any())
        found[name] = {
            "bits": np.dtype(kind).itemsize * 8, "nan": none,
            "fits": bool(np.isfinite(written)),
            "weights": [None] * 4 if none else row,
            "sum": None if none else row.sum(),
            "value": None if none else row @ HAVE,
            "hidden": half[~HALF].max()}
    return {"constant": constant, "values": HAVE, "scores": SCORES,
            "mean_value": HAVE.mean(), "even": 1 / len(HAVE),
            "lowest16": float(-np.finfo(np.float16).max),
            "unmasked": softmax(SCORES), "ways": found,
            "largest_hidden": max(w["hidden"] for w in found.values()),
            "ways_count": len(found)}


WAY_NAMES = {
    "infinity": T("换成负无穷", "replaced by minus infinity"),
    "replaced": T("换成很大的负数", "replaced by a large negative number"),
    "replaced32": T("换成很大的负数", "replaced by a large negative number"),
    "added": T("把它加到分数上", "the same, added to the score"),
    "replaced16": T("换成很大的负数", "replaced by a large negative number"),
    "lowest16": T("换成半精度最小的数", "replaced by the lowest of half precision"),
    "lowest16_twice": T("把它加两次（两张遮罩）", "that one added twice (two masks)"),
    "ours": T("本课：布尔遮罩", "ours: a mask of yes and no")}


def show_empty(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "四个键，值是 {values[0]:g}、{values[1]:g}、{values[2]:g}、{values[3]:g}，"
        "这一行一个也不许看。“很大的负数”是 {constant:,.0f}。",
        "Four keys with the values {values[0]:g}, {values[1]:g}, {values[2]:g}, {values[3]:g}; "
        "this row may look at none. The “large negative number” is {constant:,.0f}."))
    yield Table(
        (Column(T("被遮的分数", "hidden scores")), Column(T("位数", "bits")),
         Column(T("甲", "a"), ".2f"), Column(T("乙", "b"), ".2f"), Column(T("丙", "c"), ".2f"),
         Column(T("丁", "d"), ".2f"), Column(T("取回的值", "value"), ".2f"),
         Column(T("是 NaN", "is NaN"))),
        [[WAY_NAMES[name], w["bits"], *w["weights"], w["value"], w["nan"]]
         for name, w in m["ways"].items()],
        title=T("一整行都遮住：权重和取回的值", "A row that is hidden whole: weights and value"),
        legend=T("- = 没有这个数（NaN）", "- = there is no number (NaN)"))


EMPTY = Part(
    number=2, key="empty",
    title=T("空行和常数", "Empty rows and constants"),
    compute=hide_a_row, describe=show_empty,
    params={"constant": Param(-1e9, -1e30, 0.0, about=T("代替分数的负数",
                                                       "the number put over a score"))},
    controls={"boolean": partial(hide_a_row, boolean=True),
              "double_precision": partial(hide_a_row, wide=True),
              "no_guard": partial(hide_a_row, guard=False),
              "weak_constant": lambda seed, constant: hide_a_row(-5.0, seed)},
    claims=(
        Claim("a_constant_is_no_mask", T(
            "整行换成 {constant:,.0f}：只有差距算数，分数打平，四个权重都是 "
            "{ways[replaced][weights][0]:.2f}，取回全体的平均 {ways[replaced][value]:g}，"
            "被遮的也在内。单精度也一样。",
            "Replace the whole row by {constant:,.0f}: only differences count, the scores tie, "
            "every weight is {ways[replaced][weights][0]:.2f}, and the mean of everything comes "
            "back, {ways[replaced][value]:g}, hidden ones included. So does single precision."),
            lambda m: 1e-6 - max(
                *(abs(w - m["even"]) for name in ("replaced", "replaced32")
                  for w in m["ways"][name]["weights"]),
                abs(m["ways"]["replaced"]["value"] - m["mean_value"])), "boolean"),
        Claim("infinity_is_nan", T(
            "整行换成负无穷，照课本的公式算：无穷减无穷，没有这个数。",
            "Replace it by minus infinity and follow the textbook: infinity less infinity, and "
            "there is no number."),
            lambda m: m["ways"]["infinity"]["nan"] - 0.5, "boolean"),
        Claim("added_it_leaks", T(
            "不是替换而是加上去（双精度）：差距原样保留，第一个权重 "
            "{ways[added][weights][0]:.4f}，不遮时 {unmasked[0]:.4f}。等于没遮。",
            "Added instead of replacing (double precision), it leaves the differences as they "
            "were: the first weight is {ways[added][weights][0]:.4f}, without any mask "
            "{unmasked[0]:.4f}. Nothing is hidden."),
            lambda m: 1e-6 - max(abs(a - b) for a, b in zip(
                m["ways"]["added"]["weights"], m["unmasked"], strict=True)), "boolean"),
        Claim("half_precision", T(
            "半精度（{ways[replaced16][bits]} 位）最小到 {lowest16:g}，{constant:,.0f} 放不下，"
            "变成负无穷，整行又没有数了；用它的最小数倒放得下，可两张遮罩加在一起又溢出。",
            "Half precision ({ways[replaced16][bits]} bits) ends at {lowest16:g}: {constant:,.0f} "
            "does not fit, becomes minus infinity, and the row has no numbers again. Its own "
            "lowest number fits, but two masks added up overflow once more."),
            lambda m: min(0.5 - m["ways"]["replaced16"]["fits"],
                          m["ways"]["replaced16"]["nan"] - 0.5,
                          m["ways"]["lowest16"]["fits"] - 0.5,
                          m["ways"]["lowest16_twice"]["nan"] - 0.5), "double_precision"),
        Claim("ours_says_nothing", T(
            "本课的 softmax：没有可看的，权重就都是零（合计 {ways[ours][sum]:g}），取回 "
            "{ways[ours][value]:g}。这是约定，所以写在这里。",
            "Our softmax: with nothing to look at all weights are zero (sum {ways[ours][sum]:g}) "
            "and {ways[ours][value]:g} comes back. That is a convention, so it is said here."),
            lambda m: min(0.5 - m["ways"]["ours"]["nan"],
                          1e-300 - m["ways"]["ours"]["sum"],
                          1e-300 - abs(m["ways"]["ours"]["value"])), "no_guard"),
        Claim("elsewhere_all_agree", T(
            "换一行还有两个能看的，{ways_count} 种写法遮得一样好：被遮的权重最大也是 "
            "{largest_hidden:g}，正好是零。麻烦在空行。",
            "In a row with two keys left to see all {ways_count} ways hide equally well: the "
            "largest hidden weight is {largest_hidden:g}, exactly. The trouble is the empty row."),
            lambda m: min(1e-300 - m["largest_hidden"], m["ways_count"] - 7.5),
            "weak_constant"),
    ),
    caveat=T(
        "空行在批里很常见：填充在左边时、XLNet 里排第一的词。"
        "零是我们的选择；有的库给平均，有的给 NaN。",
        "Empty rows are common in batches: padding on the left, the first word of an XLNet order. "
        "Zero is our choice; some libraries give the mean, some NaN."),
    questions=(Question(
        T("一整行的分数都换成 {constant:,.0f}，softmax 之后是什么？",
          "Every score of a row is replaced by {constant:,.0f}. What does softmax return?"),
        (Option(T("四个零", "four zeros"),
                lambda m: 0.5 - m["ways"]["replaced"]["sum"],
                T("以为指数小到零就完了。除以总和之前先减去最大值，最大的那个变成一。",
                  "stops at an exponential of zero. The largest score is subtracted first, and "
                  "the largest becomes one.")),
         Option(T("NaN", "NaN"),
                lambda m: m["ways"]["replaced"]["nan"] - 0.5,
                T("记的是负无穷的情形。有限的数相减没有问题。",
                  "remembers minus infinity. Finite numbers can be subtracted.")),
         Option(T("平均看所有位置，包括被遮的", "the plain mean of everything, hidden included"),
                lambda m: 0.1 - max(abs(w - m["even"]) for w in
                                    m["ways"]["replaced"]["weights"])),
         Option(T("程序报错", "an error"),
                lambda m: 0.5 - m["ways"]["replaced"]["fits"],
                T("以为有人会检查。不报错，所以才危险。",
                  "believes somebody checks. Nothing complains, which is the danger.")))),),
    pins={"*.nan": exact("a verdict"), "*.fits": exact("a verdict"),
          "*.bits": exact("a count"), "ways_count": exact("a count"),
          "largest_hidden": exact("a true zero"), "*.hidden": exact("a true zero"),
          "ways.ours.*": exact("true zeros"),
          "ways.added.*": close("a difference of numbers near a billion", 1e-6, 1e-7),
          "ways.infinity.*": exact("no number"), "ways.replaced16.*": exact("no number"),
          "ways.lowest16_twice.*": exact("no number"), "*": ARITHMETIC},
    errata=ERRATA["empty"],
    notes=T(
        "约 5 分钟。投票之后直接看表，一行一行问“为什么”。争论点：空行该给零、平均，还是报错？"
        "试试 --set 2.constant=-5：有能看的行里，被遮的位置也漏出权重。",
        "About 5 minutes. After the vote go down the table and ask why at each row. The argument: "
        "should an empty row give zero, a mean, or an error? Try --set 2.constant=-5: then hidden "
        "places leak even where something may be seen."),
)

# --- 3. what a mask does to gradients -----------------------------------------

RUNS, WIDTH, SEEN = 50, 64, 10


def attend_forward(X: Array, P: Array, mask: Array,
                   after: Array) -> tuple[Array, ...]:
    """X [.., n, d], P [3, .., d, d] -> (q, k, v, weights, out).

    mask hides before softmax; after, 0 or 1, blanks weights behind it.
    """
    q, k, v = (X @ p for p in P)                    # [.., n, d] each
    A = softmax(attention_scores(q, k, mask=mask))              # [.., n, n]
    return q, k, v, A, (A * after) @ v                          # [.., n, d]


def attend_backward(X: Array, P: Array, mask: Array, after: Array,
                    d_out: Array) -> Array:
    """d loss / d X [.., n, d] from d loss / d out, by hand."""
    q, k, v, A, _ = attend_forward(X, P, mask, after)
    turn = partial(np.swapaxes, axis1=-1, axis2=-2)
    dA = d_out @ turn(v) * after                                # [.., n, n]
    dS = A * (dA - (dA * A).sum(-1, keepdims=True))    # softmax, row by row
    dS = dS / np.sqrt(q.shape[-1])                              # [.., n, n]
    dv = turn(A * after) @ d_out                                # [.., n, d]
    return (dS @ k @ turn(P[0]) + turn(dS) @ q @ turn(P[1])
            + dv @ turn(P[2]))                                  # [.., n, d]


def influence(X: Array, P: Array, mask: Array, after: Array) -> Array:
    """Norm of d out_i / d x_j: one backward pass for each output number."""
    n, d = X.shape
    one_hot = np.eye(n * d).reshape(n, d, n, d)               # [n, d, n, d]
    J = attend_backward(X, P[:, None, None], mask, after, one_hot)
    return np.sqrt((J ** 2).sum(axis=(1, 3)))                   # [n, n]


def follow_gradient(words: int, seed: int, masked: bool = True,
                    renormalise: bool = True,
                    itself: bool = True) -> Metrics:
    """50 draws: words n x 64, standard normal, and three maps, even in
    -1/8 .. 1/8, as a library's layer begins. The loss is the sum of out."""
    rng, n, d = np.random.default_rng(seed), words, WIDTH
    X = rng.standard_normal((RUNS, n, d))                       # [50, n, d]
    P = rng.uniform(-1, 1, (3, RUNS, d, d)) / np.sqrt(d)     # [3, 50, d, d]
    open_, ones = np.ones((n, n), dtype=bool), np.ones((n, n))
    mask = causal_mask(n) if masked else open_                  # [n, n]
    masks = {"full": (open_, ones), "causal": (mask, ones)}
    if not renormalise:                 # blank the weights after softmax
        masks["causal"] = (open_, mask.astype(float))
    found: Metrics = {}
    for name, (m, after) in masks.items():
        grad = attend_backward(X, P, m, after, np.ones((RUNS, n, d)))
        norms = norm(grad, axis=(1, 2))                         # [50]
        by_word = norm(grad, axis=2).mean(0)                    # [n]
        felt = influence(X[0], P[:, 0], m, after)               # [n, n]
        found[name] = {
            "mean": norms.mean(), "std": norms.std(ddof=1), "norms": norms,
            "by_word": by_word, "first": by_word[0], "last": by_word[-1],
            "influence": felt, "from_the_future": np.triu(felt, 1).max()}
    larger = sum(a > b for a, b in zip(found["causal"]["norms"],
                                       found["full"]["norms"], strict=True))
    for way in found.values():
        del way["norms"]
    seen = (causal_mask(SEEN, offset=0 if itself else -1)
            if masked else np.ones((SEEN, SEEN))).sum(1)        # [10]
    return {"words": n, "runs": RUNS, "width": d, "larger": larger, **found,
            "numbers": list(range(1, n + 1)),
            "visible": {"words": SEEN, "first": int(seen[0]),
                        "last": int(seen[-1]), "mean": seen.mean(),
                        "half": SEEN / 2}}


def show_gradient(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "{words} 个词，每个 {width} 个随机数；损失是所有输出之和。第 i 行第 j 列：词 j 动一动，"
        "输出 i 动多少（导数的范数，第一次抽样）。",
        "{words} words of {width} drawn numbers; the loss is the sum of all outputs. Row i, "
        "column j: how much output i moves when word j does (norm of the derivative, first "
        "draw)."))
    names = [f"w{i}" for i in m["numbers"]]
    yield Row([HeatMap(m[way]["influence"], names, names, title=title, format=".1f",
                       high=max(map(max, m["causal"]["influence"])))
               for way, title in (("full", T("不遮", "no mask")),
                                  ("causal", T("因果遮罩", "causal")))])
    yield Table(
        (Column(T("词", "word")), Column(T("不遮", "no mask"), ".2f"),
         Column(T("因果遮罩", "causal"), ".2f")),
        [[i, a, b] for i, a, b in zip(m["numbers"], m["full"]["by_word"],
                                      m["causal"]["by_word"], strict=True)],
        title=T("损失对每个词的梯度（范数，{runs} 次抽样的平均）",
                "Gradient of the loss at each word (norm, mean of {runs} draws)"))


GRADIENT = Part(
    number=3, key="gradient",
    title=T("遮罩对梯度做了什么", "What a mask does to gradients"),
    compute=follow_gradient, describe=show_gradient,
    params={"words": Param(5, 2, 12, about=T("几个词", "how many words"))},
    controls={"no_mask": partial(follow_gradient, masked=False),
              "no_renormalising": partial(follow_gradient, renormalise=False),
              "not_itself": partial(follow_gradient, itself=False)},
    claims=(
        Claim("no_gradient_from_the_future", T(
            "遮住之后，从未来传来的导数最大是 {causal[from_the_future]:g}，正好是零；不遮时是 "
            "{full[from_the_future]:.2f}。",
            "Under the mask the largest derivative from the future is "
            "{causal[from_the_future]:g}, exactly; without it, {full[from_the_future]:.2f}."),
            lambda m: min(1e-300 - m["causal"]["from_the_future"],
                          m["full"]["from_the_future"] - 0.1), "no_mask"),
        Claim("yet_it_grows", T(
            "可总的梯度反而变大：{runs} 次抽样里 {larger} 次更大，平均从 "
            "{full[mean]:.1f}±{full[std]:.1f} 到 {causal[mean]:.1f}±{causal[std]:.1f}。"
            "遮掉的权重没有消失，归一化把它分给了看得见的词。",
            "Yet the gradient as a whole grows: larger in {larger} of {runs} draws, "
            "{full[mean]:.1f}±{full[std]:.1f} to {causal[mean]:.1f}±{causal[std]:.1f} on "
            "average. Hidden weight is not lost; normalising hands it to the words in view."),
            lambda m: min(m["causal"]["mean"] - m["full"]["mean"],
                          m["larger"] - 0.9 * m["runs"]), "no_renormalising"),
        Claim("it_gathers_at_the_front", T(
            "它聚到了前面：第一个词 {causal[first]:.1f}，最后一个词只有 "
            "{causal[last]:.1f}；不遮时差不多（{full[first]:.1f} 和 "
            "{full[last]:.1f}）。人人看得见第一个词，最后一个词只有自己看。",
            "It gathers at the front: {causal[first]:.1f} at the first word, only "
            "{causal[last]:.1f} at the last; without a mask they are about alike "
            "({full[first]:.1f} and {full[last]:.1f}). Everyone sees the first word, "
            "only the last sees the last."),
            lambda m: min(m["causal"]["first"] / m["causal"]["last"] - 2,
                          0.3 - abs(m["full"]["first"] / m["full"]["last"] - 1)),
            "no_mask"),
        Claim("how_much_each_sees", T(
            "{visible[words]} 个词时，第一个看见 {visible[first]} 个，最后一个看见 "
            "{visible[last]} 个，平均 {visible[mean]:g} 个，不是一半的 {visible[half]:g}："
            "每个词也看见自己。",
            "Of {visible[words]} words the first sees {visible[first]}, the last "
            "{visible[last]}, the mean is {visible[mean]:g}, not half, {visible[half]:g}: each "
            "sees itself too."),
            lambda m: 0.01 - abs(m["visible"]["mean"] - m["visible"]["half"] - 0.5),
            "not_itself"),
    ),
    caveat=T(
        "没有训练，权重随机；损失取输出之和只是为了每个输出算一样重。梯度大不等于学得好。",
        "Nothing is trained and the maps are random; the loss is a plain sum so that every output "
        "counts alike. A larger gradient is no better learning."),
    questions=(Question(
        T("因果遮罩拿掉了近一半的连线。损失对输入的梯度，总的范数会怎样？",
          "The causal mask takes away nearly half of the links. What happens to the norm of the "
          "gradient at the input?"),
        (Option(T("变小", "smaller"),
                lambda m: m["full"]["mean"] - m["causal"]["mean"] - 0.1,
                T("以为路少了，梯度就少。每行的权重仍然合计为一，只是集中了。",
                  "fewer paths, less gradient. Each row still sums to one; it is concentrated.")),
         Option(T("不变", "the same"),
                lambda m: 0.1 - abs(m["full"]["mean"] - m["causal"]["mean"]),
                T("以为合计为一就抵消了。按词看，前面的词收到的多得多，平方和变大。",
                  "lets the sum of one cancel it. Word by word the early ones get far more, and "
                  "squares add up to more.")),
         Option(T("变大", "larger"),
                lambda m: m["causal"]["mean"] - m["full"]["mean"] - 0.1),
         Option(T("变成零", "zero"),
                lambda m: 0.1 - m["causal"]["mean"],
                T("把“对未来的梯度是零”当成了“梯度是零”。",
                  "takes “no gradient from the future” for “no gradient”.")))),),
    pins={"larger": exact("a count"), "words": exact("a count"), "runs": exact("a count"),
          "width": exact("a count"), "numbers.*": exact("counts"),
          "causal.from_the_future": exact("a true zero"), "visible.*": exact("counts"),
          "*": ARITHMETIC},
    errata=ERRATA["gradient"],
    notes=T(
        "约 5 分钟。先投票：多数人会选“变小”。再看两张图：右上角是真正的零，第一列变深。争论点："
        "第一个词收到最多的梯度，这对训练是好事吗？（想想“注意力沉到第一个词”的现象。）"
        "试试 --seed 1，或 --set 3.words=10。",
        "About 5 minutes. Vote first: most will say “smaller”. Then the two maps: true zeros at "
        "the upper right, a darker first column. The argument: the first word gets most of the "
        "gradient; is that good for training? (Think of attention sinking into the first word.) "
        "Try --seed 1, or --set 3.words=10."),
)

# --- 4. the open-book exam ----------------------------------------------------

BOOKS = ("closed_book", "open_book")
WALKS, SHOWN = 64, 3
PLACES = (2, 5, 8, 11)                  # where a state is hidden


def log_softmax(x: Array) -> Array:
    """Logarithms of softmax along the last axis; same shape."""
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def loss(logits: Array, said: Array) -> float:
    """Mean surprise in nats: logits [.., V], said [..] the true ids."""
    chances = np.take_along_axis(log_softmax(logits), said[..., None], -1)
    return float(-chances.mean())


def chain_facts(walks: Array) -> Metrics:
    """What nobody can beat: the chain's entropies, on these walks too."""
    table, odds = tasks.chain_table(), np.array(tasks.CHAIN_ODDS)
    two = table @ table                     # [8, 8]: two steps at once
    left, here, right = (walks[:, np.array(PLACES) + i] for i in (-1, 0, 1))
    between = table[left, here] * table[here, right] / two[left, right]
    entropy = -(odds * np.log(odds)).sum()  # of every row alike
    after_two = -(two[0] * np.log(two[0])).sum()
    step = -np.log(table[walks[:, :-1], walks[:, 1:]])          # [64, 15]
    return {"entropy": entropy, "truth": step.mean(),
            # of a state between two known ones: H(x, right | left) less
            # H(right | left); every row of two has the same entropy
            "between": 2 * entropy - after_two,
            "truth_between": -np.log(between).mean(),           # [64, 4]
            "truth_left": -np.log(table[left, here]).mean(),
            # states are equally frequent: the same table, read backwards
            "truth_right": -np.log(table[here, right]).mean(),
            "chance": np.log(len(table)), "states": len(table),
            "likeliest": odds.max(), "rarest": odds.min()}


def write(model: GPT, walks: Array, rng: np.random.Generator) -> Array:
    """The first state given, the rest drawn from what the model says."""
    ids = walks[:, :1]                                          # [64, 1]
    for _ in range(walks.shape[1] - 1):
        odds = np.exp(log_softmax(model.run(ids).logits[:, -1]))  # [64, V]
        draw = rng.random((len(ids), 1))
        new = (draw > odds.cumsum(-1)).sum(-1)[:, None]         # [64, 1]
        ids = np.hstack([ids, np.minimum(new, odds.shape[1] - 1)])
    return ids                                                  # [64, 16]


def judge(texts: Array) -> Metrics:
    """How a text reads to the chain that wrote the lessons."""
    table = tasks.chain_table()
    step = -np.log(table[texts[:, :-1], texts[:, 1:]])          # [64, 15]
    return {"surprise": step.mean(),
            "repeats": (texts[:, 1:] == texts[:, :-1]).mean(),
            "texts": [" ".join(map(str, row)) for row in texts[:SHOWN]]}


def sit_exam(model: GPT, walks: Array, rng: np.random.Generator) -> Metrics:
    """Next-state loss with the answer in view, and from the prefix."""
    T = walks.shape[1]
    whole = model.run(walks).logits[:, :-1]                    # [64, 15, V]
    prefix = np.stack([model.run(walks[:, :t]).logits[:, -1]
                       for t in range(1, T)], axis=1)          # [64, 15, V]
    answers = walks[:, 1:]                                      # [64, 15]
    return {"in_view": loss(whole, answers),
            "honest": loss(prefix, answers),
            "writes": judge(write(model, walks, rng))}


def cut_diagonal(model: GPT, walks: Array, ahead: int) -> float:
    """The loss in view when no word may look `ahead` places on."""
    def edit(scores: Array) -> Array:                   # [B, h, T, T]
        t = np.arange(scores.shape[-1] - ahead)
        scores[..., t, t + ahead] = -np.inf
        return scores

    patch = {f"{l}.scores": edit for l in range(model.cfg.n_layer)}
    out = model.run(walks, patch).logits[:, :-1]               # [64, 15, V]
    return loss(out, walks[:, 1:])


def guess_hidden(model: GPT, walks: Array, right: bool = True) -> Metrics:
    """A state hidden, one place at a time; then also all on one side."""
    T = walks.shape[1]
    said: dict[str, list[Array]] = {"both": [], "left": [], "right": []}
    for t in PLACES:
        for side, hide in (("both", [t] if right else range(t, T)),
                           ("left", range(t, T)), ("right", range(t + 1))):
            ids = walks.copy()                                  # [64, 16]
            ids[:, list(hide)] = tasks.HIDDEN
            said[side].append(model.run(ids).logits[:, t])      # [64, V]
    answers = walks[:, PLACES]                                  # [64, 4]
    return {side: loss(np.stack(logits, axis=1), answers)
            for side, logits in said.items()}


def exam_results(models: dict[str, GPT], seed: int,
                 right: bool = True) -> Metrics:
    """All that is measured of one seed's models; the record's too."""
    rng = np.random.default_rng([6, seed])
    walks, _ = tasks.named("chain")(rng, WALKS)                 # [64, 16]
    found: Metrics = {name: sit_exam(models[name], walks, rng)
                      for name in BOOKS}
    return {"chain": chain_facts(walks), **found, "true": judge(walks),
            "hidden_words": guess_hidden(models["hidden_words"], walks,
                                         right),
            "cut": {"answer": cut_diagonal(models["open_book"], walks, 1),
                    "other": cut_diagonal(models["open_book"], walks, 2)}}


def trained(name: str) -> GPT:
    """A model of part 4."""
    recipe = recipes.named(name)
    return GPT(recipe.config, model_cache.load(recipe))


def open_book_exam(seed: int, swap: str = "",
                   right: bool = True) -> Metrics:
    """Three small models on walks they have not seen. swap: the model that
    sits both exams, a control."""
    models = {name: trained(swap if swap and name in BOOKS else name)
              for name in (*BOOKS, "hidden_words")}
    record = records.read("open_book")["seeds"]
    seen = [{"seed": one["seed"]}
            | {name: one[swap or name]["honest"] for name in BOOKS}
            | {"both": one["hidden_words"]["both" if right else "left"],
               "left": one["hidden_words"]["left"]} for one in record]
    chance = float(np.log(tasks.CHAIN_STATES))
    closed, length = models["closed_book"], 10
    ids = np.array([[0, 1, 4, 5]])                              # [1, 4]
    text = np.tile(np.arange(8), 2)[None]                       # [1, 16]
    new = np.hstack([text[:, :8], text[:, 7::-1]])              # [1, 16]
    run, later = closed.run(text).logits, closed.run(new).logits
    cache, kept = closed.new_cache(), run           # [1, 16, 8] each
    if closed.cfg.causal:               # one word at a time, the rest kept
        kept = np.hstack([closed.run(word, cache=cache).logits
                          for word in np.hsplit(text, text.size)])
    return exam_results(models, seed, right) | {
        "walks": WALKS, "length": closed.cfg.context,
        "parameters": sum(w.size for w in closed.w.values()),
        "record": {
            "seeds": len(seen), "rows": seen,
            "copiers": sum(s["open_book"] > chance for s in seen),
            "honest": sum(s["closed_book"] < s["open_book"] for s in seen),
            "helped": sum(s["both"] < s["left"] for s in seen),
            "lowest_open": min(s["open_book"] for s in seen),
            "highest_closed": max(s["closed_book"] for s in seen),
            "highest_both": max(s["both"] for s in seen)},
        "switch": {"cache": abs(run - kept).max(),
                   "later": abs(run - later)[:, :8].max()},
        "asked": {"prompt": ids.shape[1], "most": length, "given": int(
            closed.decode(ids, length - ids.shape[1]).shape[1])
            if closed.cfg.causal else length}}


BOOK_NAMES = {"closed_book": T("闭卷（因果遮罩）", "closed book (causal)"),
              "open_book": T("开卷（不遮）", "open book (no mask)"),
              "chain": T("链本身", "the chain itself")}
SIDES = {"both": T("两边", "both sides"), "left": T("只有左边", "the left only"),
         "right": T("只有右边", "the right only")}


def show_exam(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一条马尔可夫链，{chain[states]} 个状态：从状态 s 走到 3 s 加一步（对 8 取余），"
        "八种步子的机会从 {chain[likeliest]:.0%} 到 {chain[rarest]:.0%}，一步的熵是 "
        "{chain[entropy]:.4f} 奈特；只凭过去，平均起来谁也猜不到更准。"
        "两个同样大小的 GPT（{parameters} 个参数）学猜下一个状态，"
        "只有一处不同：一个有因果遮罩，一个没有。第三个没有遮罩，学填被藏起来的状态。"
        "下面是 {walks} 条新抽的、长 {length} 的序列。",
        "A Markov chain of {chain[states]} states: from state s it goes to 3 s plus a step "
        "(modulo 8), the eight steps with chances from {chain[likeliest]:.0%} down to "
        "{chain[rarest]:.0%}. The entropy of a step is {chain[entropy]:.4f} nats: from the past "
        "alone nobody guesses better on average. Two GPTs of one size ({parameters} "
        "parameters) learn to say the next state; they differ in one thing: one has a causal "
        "mask, one has none. A third, without a mask, learns to fill in hidden states. Below: "
        "{walks} freshly drawn walks of length {length}."))
    rows: list[list[Any]] = [
        [BOOK_NAMES[b], m[b]["in_view"], m[b]["honest"], m[b]["writes"]["surprise"],
         m[b]["writes"]["repeats"]] for b in BOOKS]
    rows.append([BOOK_NAMES["chain"], m["chain"]["truth"], m["chain"]["truth"],
                 m["true"]["surprise"], m["true"]["repeats"]])
    yield Table(
        (Column(T("谁", "who")), Column(T("损失，整句都给", "loss, whole text given"), ".4f"),
         Column(T("损失，只给前文", "loss, prefix only"), ".4f"),
         Column(T("自己写：链有多意外", "own text: surprise to the chain"), ".4f"),
         Column(T("自己写：重复", "own text: repeats"), ".1%")),
        rows, title=T("猜下一个状态（奈特；瞎猜是 {chain[chance]:.4f}）",
                      "Saying the next state (nats; blind guessing is {chain[chance]:.4f})"))
    yield Table(
        (Column(T("谁写的", "who wrote it")), Column(T("序列", "the walk"))),
        [[BOOK_NAMES[name], text] for name, texts in (
            ("chain", m["true"]["texts"]), *((b, m[b]["writes"]["texts"]) for b in BOOKS))
         for text in texts],
        title=T("接着写：给第一个状态，自己写下去", "Writing: the first state given, then alone"))
    yield Table(
        (Column(T("看得见", "in view")), Column(T("填空的模型", "the model that fills in"), ".4f"),
         Column(T("能做到的最好", "the best there is"), ".4f")),
        [[SIDES["both"], m["hidden_words"]["both"], m["chain"]["truth_between"]],
         [SIDES["left"], m["hidden_words"]["left"], m["chain"]["truth_left"]],
         [SIDES["right"], m["hidden_words"]["right"], m["chain"]["truth_right"]]],
        title=T("藏起一个状态让它填：损失（奈特）",
                "One state hidden, to be filled in: loss (nats)"))
    yield Table(
        (Column(T("种子", "seed")), Column(T("闭卷", "closed book"), ".3f"),
         Column(T("开卷", "open book"), ".3f"), Column(T("填空，两边", "fill in, both"), ".3f"),
         Column(T("填空，左边", "fill in, left"), ".3f")),
        [[r["seed"], r["closed_book"], r["open_book"], r["both"], r["left"]]
         for r in m["record"]["rows"]],
        title=T("记录：从 {record[seeds]} 个种子各训练一遍（前两列只给前文）",
                "Recorded: trained from {record[seeds]} seeds (first two: prefix only)"))


EXAM = Part(
    number=4, key="exam",
    title=T("开卷考试", "The open-book exam"),
    compute=open_book_exam, describe=show_exam,
    recipes=("closed_book", "open_book", "hidden_words"),
    controls={"mask_on": partial(open_book_exam, swap="closed_book"),
              "mask_off": partial(open_book_exam, swap="open_book"),
              "one_side": partial(open_book_exam, right=False)},
    claims=(
        Claim("closed_book_learns_the_chain", T(
            "闭卷的模型只给前文时损失 {closed_book[honest]:.4f}，链本身在这些序列上是 "
            "{chain[truth]:.4f}：能学的都学到了。",
            "From the prefix the closed-book model reaches {closed_book[honest]:.4f}; the chain "
            "itself, on these walks, {chain[truth]:.4f}: it has learned all there is."),
            lambda m: 0.05 - abs(m["closed_book"]["honest"] - m["chain"]["truth"]), "mask_off"),
        Claim("open_book_copies", T(
            "开卷的模型整句都给时损失 {open_book[in_view]:.4f}，比链的熵 {chain[entropy]:.4f} "
            "还低：这不可能是猜的，是看的。",
            "With the whole text given the open-book model reaches {open_book[in_view]:.4f}, "
            "below the chain's entropy {chain[entropy]:.4f}: that cannot be guessing, it is "
            "reading."),
            lambda m: min(0.01 - m["open_book"]["in_view"],
                          m["chain"]["entropy"] / 2 - m["open_book"]["in_view"]), "mask_on"),
        Claim("it_reads_the_next_place", T(
            "看的就是右边那一格：切断每个词到下一格的连线，损失变成 {cut[answer]:.2f}；"
            "改切到再下一格的，还是 {cut[other]:.4f}。",
            "What it reads is the next place: cut every link from a word to the place after it "
            "and the loss becomes {cut[answer]:.2f}; cut the links to the place after that "
            "instead and it stays at {cut[other]:.4f}."),
            lambda m: min(m["cut"]["answer"] - m["chain"]["chance"], 0.01 - m["cut"]["other"]),
            "mask_on"),
        Claim("worse_than_guessing", T(
            "只给前文，开卷的损失是 {open_book[honest]:.2f}，比瞎猜的 {chain[chance]:.2f} 还差。",
            "From the prefix alone the open-book model's loss is {open_book[honest]:.2f}, worse "
            "than blind guessing, {chain[chance]:.2f}."),
            lambda m: m["open_book"]["honest"] - m["chain"]["chance"], "mask_on"),
        Claim("its_writing_collapses", T(
            "自己写，它 {open_book[writes][repeats]:.0%} 的步子是把上一个再说一遍（链只有 "
            "{true[repeats]:.0%}）；链读它写的，每步意外 {open_book[writes][surprise]:.2f}，"
            "读闭卷写的是 {closed_book[writes][surprise]:.2f}。",
            "Writing alone, {open_book[writes][repeats]:.0%} of its steps say the last state "
            "again (the chain: {true[repeats]:.0%}). To the chain each of its steps is a "
            "surprise of {open_book[writes][surprise]:.2f}, of the closed-book model's "
            "{closed_book[writes][surprise]:.2f}."),
            lambda m: min(m["open_book"]["writes"]["repeats"] - 0.9,
                          0.5 - m["true"]["repeats"],
                          m["open_book"]["writes"]["surprise"]
                          - m["closed_book"]["writes"]["surprise"] - 1), "mask_on"),
        Claim("both_ways_is_right_when_hidden", T(
            "看两边本身没有错：答案藏起来，填空的模型两边都看时损失 {hidden_words[both]:.3f}，"
            "只看左边 {hidden_words[left]:.3f}，只看右边 {hidden_words[right]:.3f}；"
            "最好的是 {chain[truth_between]:.3f}。",
            "Looking both ways is no fault in itself: with the answer hidden, the model that fills "
            "in reaches {hidden_words[both]:.3f} with both sides, {hidden_words[left]:.3f} with "
            "the left and {hidden_words[right]:.3f} with the right only; the best there is is "
            "{chain[truth_between]:.3f}."),
            lambda m: min(m["hidden_words"]["left"] - m["hidden_words"]["both"] - 0.2,
                          m["hidden_words"]["right"] - m["hidden_words"]["both"] - 0.2,
                          0.1 - abs(m["hidden_words"]["both"] - m["chain"]["truth_between"])),
            "one_side"),
        Claim("the_fault_is_the_answer", T(
            "它也没有遮罩，只给左边却几乎和链一样准（{hidden_words[left]:.3f}，链 "
            "{chain[truth_left]:.3f}），开卷的是 {open_book[honest]:.2f}。"
            "错不在看两边，在看见答案。",
            "It has no mask either, yet from the left alone it nearly equals the chain "
            "({hidden_words[left]:.3f} against {chain[truth_left]:.3f}); the open-book model "
            "has {open_book[honest]:.2f}. The fault is not looking both ways, it is seeing the "
            "answer."),
            lambda m: min(0.1 - abs(m["hidden_words"]["left"] - m["chain"]["truth_left"]),
                          m["open_book"]["honest"] - m["hidden_words"]["left"] - 1), "mask_on"),
        Claim("record", T(
            "记录，{record[seeds]} 个种子：开卷比瞎猜还差的 {record[copiers]} 个（最低 "
            "{record[lowest_open]:.2f}），闭卷最高 {record[highest_closed]:.3f}；"
            "填空看两边比只看左边好的 {record[helped]} 个。",
            "Recorded, {record[seeds]} seeds: open book worse than guessing in "
            "{record[copiers]} (lowest {record[lowest_open]:.2f}), closed book at most "
            "{record[highest_closed]:.3f}; filling in is better with both sides than with the "
            "left in {record[helped]}."),
            lambda m: min(m["record"]["copiers"] - 0.7 * m["record"]["seeds"],
                          m["record"]["helped"] - 0.7 * m["record"]["seeds"],
                          m["record"]["lowest_open"] - m["record"]["highest_closed"]),
            "mask_on"),
        Claim("a_cache_is_no_mask", T(
            "关掉缓存不等于拿掉遮罩：闭卷的模型用不用缓存，输出差 {switch[cache]:.1g}；"
            "换掉后半句，前半句的输出动 {switch[later]:g}。",
            "Switching a cache off takes no mask away: with or without one the closed-book model's "
            "scores differ by {switch[cache]:.1g}; change the second half of a text and those of "
            "the first half move by {switch[later]:g}."),
            lambda m: min(1e-10 - m["switch"]["cache"], 1e-300 - m["switch"]["later"]),
            "mask_off"),
    ),
    caveat=T(
        "链只记得上一个状态，所以这里看不出长距离的好坏。"
        "BERT 一类模型藏起一部分词来训练，正是第三种；"
        "切断连线说明这条线少不得，不说明模型只靠它。",
        "The chain remembers one state only, so nothing here is about long distances. Models like "
        "BERT are trained the third way, with part of the words hidden; a cut shows that a link "
        "is needed, not that it is all the model uses."),
    questions=(Question(
        T("训练时能看见答案的“开卷”模型，训练损失几乎是零；“闭卷”的停在链的熵。"
          "现在只给前文，猜下一个，谁更好？",
          "The “open-book” model saw the answers in training, and its training loss is almost "
          "zero; the “closed-book” one stays at the chain's entropy. Now only the prefix is "
          "given: who predicts better?"),
        (Option(T("开卷的", "the open-book model"),
                lambda m: m["closed_book"]["honest"] - m["open_book"]["honest"] - 0.1,
                T("以为训练损失低就是模型好。低，是因为答案就在眼前。",
                  "takes a lower training loss for a better model. It is low because the answer "
                  "is in view.")),
         Option(T("一样", "they are equal"),
                lambda m: 0.1 - abs(m["closed_book"]["honest"] - m["open_book"]["honest"]),
                T("以为它顺便也学会了链。抄就够了，别的没有理由去学。",
                  "expects it to have learned the chain as well. Copying was enough; nothing "
                  "rewarded more.")),
         Option(T("开卷的比闭卷差，但比瞎猜好", "open book is worse, but better than guessing"),
                lambda m: min(m["open_book"]["honest"] - m["closed_book"]["honest"] - 0.1,
                              m["chain"]["chance"] - m["open_book"]["honest"]),
                T("以为不会的就会犹豫。它很有把握地说错：损失没有上限。",
                  "expects ignorance to be cautious. It is wrong with confidence, and the loss "
                  "has no ceiling.")),
         Option(T("开卷的比瞎猜还差", "open book is worse than guessing"),
                lambda m: m["open_book"]["honest"] - m["chain"]["chance"]))),),
    pins={"record.*": exact("read from a record"), "*.texts.*": exact("walks as words"),
          "switch.later": exact("a true zero"), "switch.cache": ROUNDING,
          "asked.*": exact("counts"), "walks": exact("a count"), "length": exact("a count"),
          "parameters": exact("a count"), "chain.*": ARITHMETIC, "true.*": ARITHMETIC,
          "*.writes.*": TRAINED, "*": TRAINED},
    errata=ERRATA["exam"],
    notes=T(
        "约 10 分钟，本讲的高潮。先投票，再给第一张表，停一停，再给它自己写的序列：全场会笑。"
        "争论点：BERT 也看两边，为什么没事？（要猜的词藏起来了。）推理时还要不要遮罩？"
        "试试 --seed 1 换一批序列，lecture train open_book --seed 1 重训一个。",
        "About 10 minutes, the high point. Vote, show the first table, pause, then what it writes: "
        "the room will laugh. The argument: BERT looks both ways too, why is that all right? (What "
        "it must guess is hidden.) Is the mask needed when the model writes? Try --seed 1 for "
        "other walks, lecture train open_book --seed 1 for another training."),
)

PARTS: tuple[Part, ...] = (ORDER, MASKS, EMPTY, GRADIENT, EXAM)
