"""How does a model come to copy, and what in it does the copying?

Demo 04 set two layers by hand: one writes who stands on the left, the other looks for
the place whose left neighbour is this word.  Here two layers are trained on lists that
are said again, at distances that vary.  Part 1 watches them learn, part 2 holds their
heads against those made by hand, part 3 takes the positions away, part 4 cuts, part 5
mixes repeats into the country model's corpus, part 6 shows a score that deceives.

Unlike demo 04: nothing is set by hand, and a head's look is never taken for a reason:
every part cuts, swaps or shuffles something.  Left out: MLPs (but for part 5), larger
models, how the two layers find each other in the gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from attention_np import HandBuiltInduction
from lecture import growth_np as growth
from lecture import model_cache, recipes, records
from lecture.gpt_np import GPT, combine, init_weights, zero_head
from lecture.heads_np import (
    copying_score,
    induction_targets,
    prefix_matching_score,
    previous_token_score,
    weight_on,
)
from lecture.probes_np import NAMES_IN_COPY, copied, copy_pool, questions, right
from lecture.recipes import Recipe
from lecture.report import (
    Block,
    Claim,
    Column,
    Curve,
    Metrics,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
    close,
    exact,
)

Array = np.ndarray
TRAINED = close("shipped weights: matrix products round differently", 1e-6, 1e-9)
RECORDED = exact("read from a record")
COUNT = exact("a count, a place or a setting")
START = 0                                       # the id of the start token


def ready(name: str, trained: bool = True) -> tuple[GPT, Recipe]:
    """A model of the course in NumPy, or its untrained twin."""
    recipe = recipes.named(name)
    weights = (model_cache.load(recipe) if trained
               else init_weights(recipe.config, seed=0))
    return GPT(recipe.config, weights), recipe


def fresh(recipe: Recipe, seed: int, **sizes: int) -> tuple[Array, Array]:
    """Rows no training has seen: ids [n, T], copy [n, T-1]."""
    return growth.rows(recipe, growth.EVAL_SEED + seed, **sizes)


def highest(table: list[list[float]]) -> float:
    """The best head's score."""
    return float(max(max(row) for row in table))


def spread(values: list[float]) -> Metrics:
    return {"low": min(values), "high": max(values)}


# --- 1. it grows ---------------------------------------------------------------


def watched(runs: list[Metrics]) -> Metrics:
    """Where the jump lies over the seeds, and which score is first."""
    jumps = [growth.jump(r["history"]) for r in runs]

    def reached(run: Metrics, score: str) -> int | None:
        steps = [h["step"] for h in run["history"] if h[score] >= 0.5]
        return steps[0] if steps else None

    looks = [reached(r, "previous") for r in runs]
    matches = [reached(r, "matching") for r in runs]
    half: list[Any] = [j["half_right"] for j in jumps]
    known = None not in looks + matches + half
    together: list[Any] = [a - b for a, b in zip(looks, matches, strict=True)
                if a is not None and b is not None]
    return {"seeds": len(runs), "window": growth.WINDOW,
            "half": spread(half) if known else {"low": None, "high": None},
            "share": spread([j["share"] for j in jumps]),
            "early": spread([j["early"] for j in jumps]),
            "matching_first": (sum(gap > 0 for gap in together) if known
                               else 0),
            "gap": spread(together) if known else {"low": None,
                                                   "high": None}}


def grow(seed: int, two: str = "grows", trained: bool = True,
         one: str = "grows_one_layer") -> Metrics:
    """The shipped models now, and the recorded histories of many."""
    record = records.read("growth")
    models = {"two": ready(two, trained), "one": ready(one),
              "untrained": ready(two, False)}
    ids, copy = fresh(models["two"][1], seed)           # [64, 32], [64, 31]
    single = record["one_layer"]
    runs = record["grows"]
    if two != "grows":                  # a control: one layer, watched
        runs = [r for r in single if "history" in r]
    seen = runs[[r["seed"] for r in runs].index(models["two"][1].seed)]
    history = seen["history"]
    if not trained:                     # a control: it stays as it began
        history = [h | {k: history[0][k] for k in h if k != "step"}
                   for h in history]
        runs = [{"history": history}] * len(runs)
    jump = growth.jump(history)
    at = {h["step"]: h for h in history}
    plain = [r["history"] for r in single if "history" in r]
    ends = {k: [r[k]["own"]["right"] for r in single]
            for k in ("short", "long")}
    if one != "grows_one_layer":        # a control: two layers for one
        ends = dict.fromkeys(ends, [r["history"][-1]["right"] for r in runs])
    sizes = recipes.named("grows").training
    return {
        "names": 48, "shortest": 8, "longest": 15, "words": sizes.length,
        "width": models["two"][0].cfg.width,
        "heads_each": models["two"][0].cfg.n_head,
        "steps": sizes.steps, "rows": len(ids), "every": record["every"],
        "now": {k: growth.snapshot(m, ids, copy) for k, (m, _) in
                models.items()},
        "history": [h for h in history if h["step"] % 25 == 0
                    or h["step"] == 1],
        "curve": {"step": [h["step"] for h in history],
                  "two": [h["loss"] for h in history],
                  "one": [h["loss"] for h in plain[0]],
                  "previous": [h["previous"] for h in history],
                  "matching": [h["matching"] for h in history]},
        "heads": every_head(record), "jump": jump,
        "in_context": {"start": history[0]["in_context"],
                       "before": at[jump["from"]]["in_context"],
                       "after": at[jump["to"]]["in_context"]},
        "seeds": watched(runs),
        "one_layer": {"seeds": len(single), "times": 3,
                      **{k: spread(v) for k, v in ends.items()}}}


def every_head(record: Metrics) -> Metrics:
    """All heads of the shipped seed, step by step: for the page."""
    points = next(r["all_heads"] for r in record["grows"] if "all_heads" in r)
    return {"step": [p["step"] for p in points],
            **{f"{kind}_{layer}_{head}": [p[kind][layer][head] for p in points]
               for kind in ("previous", "matching")
               for layer in (0, 1) for head in (0, 1)}}


HEAD_NAMES = {"previous": T("看前一个词", "previous token"),
              "matching": T("看匹配处", "prefix matching")}


def show_growth(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "每一行：一个起始符，然后一串 {shortest} 到 {longest} 个不同的名字（从 {names} 个里抽），"
        "说了一遍又一遍，共 {words} 个词。串的长短每行不同，所以“往回看固定几格”没有用。"
        "网络只有两层注意力，没有 MLP；训练 {steps} 步，每一步的损失算上全部位置。"
        "“抄写处”指名单从第二遍起、已经说得出的位置。",
        "Each row: a start token, then a list of {shortest} to {longest} different names (out "
        "of {names}), said over and over, {words} words in all. The length of the list varies "
        "from row to row, so looking a fixed number of places back is no use. Two layers of "
        "attention, no MLP; {steps} steps, with every place in the loss. The copy: the places "
        "from the second saying on that an earlier one determines."))
    yield Paragraph(T(
        "三个分数：看前一个词 = 第 t 行给 t-1 的平均权重；看匹配处 = 给“这个词上一次出现之后的"
        "那个位置”的平均权重，没有上一次的行不算；语境分 = 行末的损失减行首的损失"
        "（后两个照 Olsson 等 2022 的定义；他们用第五百和第五十个词，我们用最后八个和最前七个）。",
        "Three scores: previous token = mean weight of row t on t-1; prefix matching = mean "
        "weight on the place after this word's earlier occurrence, rows without one left out; "
        "in-context = loss at the end of a row less the loss at its beginning (the last two as "
        "in Olsson et al. 2022, who take word five hundred less word fifty; here it is the "
        "last eight and the first seven)."))
    yield Curve(m["curve"]["step"],
                [(T("两层", "two layers"), m["curve"]["two"]),
                 (T("一层", "one layer"), m["curve"]["one"])],
                T("训练步数", "training steps"), T("损失（nat）", "loss (nats)"), low=0.0,
                title=T("记录：抄写处的损失，每 {every} 步量一次",
                        "Recorded: loss on the copy, measured every {every} steps"))
    yield Table(
        (Column(T("步", "step"), "d"), Column(T("损失", "loss"), ".2f"),
         Column(T("抄对", "right"), ".1%"), Column(T("语境分", "in-context"), ".2f"),
         Column(T("看前一个词", "previous token"), ".2f"),
         Column(T("看匹配处", "prefix matching"), ".2f")),
        [[h[k] for k in ("step", "loss", "right", "in_context", "previous", "matching")]
         for h in m["history"]],
        title=T("记录：两层的网络（分数取最高的头）",
                "Recorded: the two layers (scores of the best head)"))
    yield Curve(m["heads"]["step"],
                [(T(f"{HEAD_NAMES[kind].zh} L{layer}H{head}",
                    f"{HEAD_NAMES[kind].en} L{layer}H{head}"),
                  m["heads"][f"{kind}_{layer}_{head}"])
                 for kind in HEAD_NAMES for layer in (0, 1) for head in (0, 1)],
                T("训练步数", "training steps"), T("分数", "score"), low=0.0, high=1.0,
                title=T("记录：每一个头的分数", "Recorded: the scores of every head"),
                page_only=True)
    yield Table(
        (Column(T("网络", "network")), Column(T("抄写处的损失", "loss on the copy"), ".3f"),
         Column(T("抄对", "right"), ".1%"), Column(T("语境分", "in-context"), ".2f")),
        [[name, *(m["now"][key][k] for k in ("loss", "right", "in_context"))]
         for key, name in (("two", T("两层", "two layers")), ("one", T("一层", "one layer")),
                           ("untrained", T("两层，没训练", "two layers, untrained")))],
        title=T("现在量：随课程发的权重，{rows} 行新抽的", "Measured now: the shipped weights, "
                "{rows} freshly drawn rows"))


def _shape(m: Metrics, early: float, late: float) -> float:
    """> 0: the steepest window made `early` .. `late` of the fall."""
    return min(m["jump"]["share"] - early, late - m["jump"]["share"])


GROWS = Part(
    number=1, key="grows",
    title=T("它长在有奖励的地方", "It grows where data rewards it"),
    compute=grow, describe=show_growth, recipes=("grows", "grows_one_layer"),
    controls={"untrained": partial(grow, trained=False),
              "one_layer": partial(grow, two="grows_one_layer"),
              "two_for_one": partial(grow, one="grows")},
    claims=(
        Claim("copies", T(
            "训练 {steps} 步以后，两层的网络在新抽的行里抄对 {now[two][right]:.1%}；没训练时是 "
            "{now[untrained][right]:.1%}。",
            "After {steps} steps the two layers get {now[two][right]:.1%} of the copy right in "
            "freshly drawn rows; untrained, {now[untrained][right]:.1%}."),
            lambda m: min(m["now"]["two"]["right"] - 0.95,
                          0.1 - m["now"]["untrained"]["right"]), "untrained"),
        Claim("slow_then_sudden", T(
            "先慢后突然：前 {jump[from]} 步走完整个降幅的 {jump[early]:.0%}；接下来的 "
            "{seeds[window]} 步，损失从 {jump[before]:.2f} 掉到 {jump[after]:.2f}，占整个降幅的 "
            "{jump[share]:.0%}。",
            "Slow, then sudden: the first {jump[from]} steps make {jump[early]:.0%} of the whole "
            "fall; in the next {seeds[window]} the loss drops from {jump[before]:.2f} to "
            "{jump[after]:.2f}, {jump[share]:.0%} of it."),
            lambda m: min(m["jump"]["share"] - 0.45, 0.45 - m["jump"]["early"],
                          m["jump"]["from"] - 2 * m["seeds"]["window"],
                          m["jump"]["before"] - 2 * m["jump"]["after"]), "one_layer"),
        Claim("in_context", T(
            "读过的东西主要在这一跳里变得有用：语境分先从 {in_context[start]:.2f} 到 "
            "{in_context[before]:.2f}，再一下到 {in_context[after]:.2f}。",
            "What has been read comes to pay mostly in this jump: the in-context score goes from "
            "{in_context[start]:.2f} to {in_context[before]:.2f}, then at once to "
            "{in_context[after]:.2f}."),
            lambda m: min(m["in_context"]["before"] - m["in_context"]["after"] - 1,
                          2 * m["in_context"]["before"] - m["in_context"]["after"]
                          - m["in_context"]["start"]), "one_layer"),
        Claim("band", T(
            "记录，{seeds[seeds]} 个种子：抄对一半的时刻都在第 {seeds[half][low]} 到 "
            "{seeds[half][high]} 步之间；最陡的 {seeds[window]} 步至少占整个降幅的 "
            "{seeds[share][low]:.0%}。",
            "Recorded, {seeds[seeds]} seeds: half of the copy is right for the first time "
            "between steps {seeds[half][low]} and {seeds[half][high]}; the steepest "
            "{seeds[window]} steps make at least {seeds[share][low]:.0%} of the fall."),
            lambda m: min(m["seeds"]["half"]["low"] - 50, 200 - m["seeds"]["half"]["high"],
                          m["seeds"]["share"]["low"] - 0.4), "one_layer"),
        Claim("order_of_scores", T(
            "两种头在同一跳里长出来，可看匹配处的分数先过一半：{seeds[seeds]} 个种子里有 "
            "{seeds[matching_first]} 个，早 {seeds[gap][low]} 到 {seeds[gap][high]} 步。"
            "第一层看得还很糊，第二层就已经找得到了。",
            "Both kinds of head grow in the same jump, but prefix matching passes one half "
            "first: in {seeds[matching_first]} of {seeds[seeds]} seeds, by {seeds[gap][low]} to "
            "{seeds[gap][high]} steps. Layer two finds the match while layer one's look is "
            "still blurred."),
            lambda m: min(m["seeds"]["matching_first"] - 0.8 * m["seeds"]["seeds"],
                          100 - m["seeds"]["gap"]["high"], m["seeds"]["gap"]["low"] + 50),
            "one_layer"),
        Claim("one_layer_stays", T(
            "一层办不到：记录，{one_layer[seeds]} 个种子，同样的设计只少一层，抄对 "
            "{one_layer[short][low]:.1%} 到 {one_layer[short][high]:.1%}；训练 "
            "{one_layer[times]} 倍的步数，也只有 {one_layer[long][low]:.1%} 到 "
            "{one_layer[long][high]:.1%}。",
            "One layer cannot: recorded, {one_layer[seeds]} seeds, the same design less one "
            "layer, {one_layer[short][low]:.1%} to {one_layer[short][high]:.1%} right; with "
            "{one_layer[times]} times the steps, {one_layer[long][low]:.1%} to "
            "{one_layer[long][high]:.1%}."),
            lambda m: min(0.3 - m["one_layer"]["short"]["high"],
                          0.36 - m["one_layer"]["long"]["high"],
                          m["one_layer"]["long"]["low"] - 0.1,
                          m["one_layer"]["short"]["low"] - 0.1), "two_for_one"),
    ),
    caveat=T(
        "文献里大模型的曲线先有一段平台，再一跳；这么小的网络没有真正的平台，损失一直在降，"
        "只是先慢后快。分数只说头看哪里；靠不靠它，第 4 部分才切。一层的数字只对这个设计成立："
        "RoPE，宽 {width}，{heads_each} 个头，{shortest} 到 {longest} 个名字。",
        "Larger models are reported to wait on a plateau before the jump; at this size there is "
        "no true plateau, the loss keeps falling, slowly and then fast. A score says where a "
        "head looks; whether that is needed is for the cuts of part 4. The one-layer figures "
        "belong to this design: RoPE, width {width}, {heads_each} heads, lists of {shortest} to "
        "{longest} names."),
    questions=(Question(
        T("两层注意力学着抄间隔不一的重复名单。抄写处的损失会怎样下降？",
          "Two layers of attention learn to copy lists repeated at varying distance. How does "
          "the loss on the copy fall?"),
        (Option(T("几乎是一条直线", "almost in a straight line"),
                lambda m: _shape(m, 0.0, 0.2),
                T("以为学习是匀速的。{seeds[window]} 步就占了降幅的 {jump[share]:.0%}。",
                  "expects steady learning. {seeds[window]} steps made {jump[share]:.0%} of the "
                  "fall.")),
         Option(T("一开始最快，越来越慢", "fastest at first, then ever slower"),
                lambda m: min(_shape(m, 0.2, 1.0), 26 - m["jump"]["from"]),
                T("把别处常见的曲线搬了过来。两层要互相配合，谁单独变好都没用，所以开头慢。",
                  "borrows the usual curve. Two layers must fit each other; neither pays alone, "
                  "so the start is slow.")),
         Option(T("先慢，再突然掉下去", "slowly, then a sudden drop"),
                lambda m: min(_shape(m, 0.4, 1.0), m["jump"]["from"] - 25)),
         Option(T("降到一半就停住", "it stops half way"),
                lambda m: m["now"]["two"]["loss"] - m["now"]["untrained"]["loss"] / 2,
                T("那是一层的样子：停在 {now[one][loss]:.2f}。",
                  "that is one layer, which stays at {now[one][loss]:.2f}.")))),),
    pins={"now.*": TRAINED, "history.*": RECORDED, "curve.*": RECORDED, "heads.*": RECORDED,
          "jump.*": RECORDED, "in_context.*": RECORDED, "seeds.*": RECORDED,
          "one_layer.*": RECORDED, "*": COUNT},
    notes=T(
        "约 8 分钟。先投票，再给曲线。让大家在表里指出：哪一列先动？争论点：为什么不是一点一点变"
        "好？"
        "（第一层写下左邻，要有第二层来读才有好处；反过来也一样。）导出网页可以看每一个头的曲线。",
        "About 8 minutes. Vote, then the curve. Let them find in the table which column moves "
        "first. The argument: why not little by little? (Writing down the left neighbour pays "
        "only when layer two reads it, and the other way round.) The exported page has a curve "
        "for every head."),
)

# --- 2. the same circuit as by hand ----------------------------------------------


def drawn_head(model: GPT, layer: int, head: int, seed: int) -> GPT:
    """The model with one head's queries and keys replaced by drawn ones."""
    rng, w = np.random.default_rng([seed, 2]), dict(model.w)
    size = model.cfg.head_width
    at = slice(head * size, (head + 1) * size)
    for name in (f"blocks.{layer}.attn.{x}.weight" for x in "qk"):
        table = w[name].copy()                                  # [h*w, d]
        table[at] = rng.normal(0, table[at].std(), table[at].shape)
        w[name] = table
    return GPT(model.cfg, w)


def four_heads(model: GPT, ids: Array, plain: Array) -> list[Metrics]:
    """Three scores of every head, and its look where nothing repeats.

    plain: the same rows without repeats; the places are those of ids.
    """
    places = induction_targets(ids, ignore=START)               # [n, T, T]
    maps, others = (model.run(x, trace=True).maps(2) for x in (ids, plain))
    return [{"layer": l, "head": h,
             "previous": previous_token_score(maps[l][:, h]).mean(),
             "matching": weight_on(maps[l][:, h], places),
             "copying": growth.says_what_it_sees(model, l, h),
             "not_repeating": weight_on(others[l][:, h], places)}
            for l in (0, 1) for h in (0, 1)]


def by_hand(ids: Array, plain: Array) -> dict[str, Metrics]:
    """The two layers of demo 04.4 on the same rows; 49 words, 32 places."""
    model = HandBuiltInduction(int(ids.max()) + 1, ids.shape[1])
    said, other = model.predict(ids), model.predict(plain)
    places, one = induction_targets(ids, ignore=START), np.eye(model.V)
    found = {}
    for layer, (W, V, values) in enumerate((
            (said.layer1, other.layer1, model.V1 @ model.is_word.T),
            (said.layer2, other.layer2, model.V2))):
        found[f"by_hand_{layer}"] = {
            "layer": layer, "head": 0,
            "previous": previous_token_score(W).mean(),
            "matching": weight_on(W, places),
            "copying": copying_score(model.is_word, values, one, one),
            "not_repeating": weight_on(V, places)}
    return found


def start_tokens(n: int = 4) -> Metrics:
    """A perfect head on n words said twice, behind 0, 1, 2 start tokens."""
    def pattern(starts: int) -> tuple[Array, Array]:
        ids = np.concatenate([[START] * starts, 1 + np.arange(n),
                              1 + np.arange(n)]).astype(int)
        W = np.zeros((len(ids),) * 2)                           # [T, T]
        W[:, 0] = 1             # no earlier match: it looks at the start
        W[starts + n:] = np.eye(len(ids), k=1 - n)[starts + n:]
        return ids, W

    right = {}
    for name, starts in (("none", 0), ("one", 1), ("two", 2)):
        ids, W = pattern(starts)
        right[name] = prefix_matching_score(W, ids, ignore=START).score
    one, two = pattern(1)[1], pattern(2)[1]
    return {"right": right, "words": n,
            "whole_diagonal": np.diagonal(one, 1 - n).mean(),
            "one_late": np.diagonal(one[1 + n:], 1).mean(),
            "half_of_length": np.diagonal(two, 1 - len(two) // 2).mean()}


def same_circuit(seed: int, trained: bool = True, repeat: bool = False,
                 draw: bool = True, many: bool = True) -> Metrics:
    """Every head of the grown model beside those set by hand."""
    model, recipe = ready("grows", trained)
    blank = ready("grows", False)[0]
    ids, _ = fresh(recipe, seed)                                # [64, 32]
    plain = ids if repeat else growth.without_repeats(ids, seed)
    heads = {f"layer{r['layer']}_head{r['head']}": r
             for r in four_heads(model, ids, plain)}
    looker = max(heads.values(), key=lambda r: r["previous"])
    matcher = max(heads.values(), key=lambda r: r["matching"])
    at = matcher["layer"], matcher["head"]
    other = drawn_head(model, *at, seed) if draw else model
    blanks = four_heads(blank, ids, plain)
    found = prefix_matching_score(np.ones((len(ids),) + (ids.shape[1],) * 2),
                                  ids, ignore=START)
    runs = [r["cuts"]["roles"] for r in records.read("growth")["grows"]]
    if not many:                                # a control: one seed only
        runs = [runs[0]] * len(runs)
    return {
        "heads": heads, "by_hand": by_hand(ids, plain), "rows": len(ids),
        "looker": looker, "matcher": matcher,
        "drawn": four_heads(other, ids, plain)[2 * at[0] + at[1]],
        "untrained": {k: max(b[k] for b in blanks) for k in
                      ("previous", "matching", "copying", "not_repeating")},
        "matched": found.rows, "tied": found.tied,
        "starts": start_tokens(),
        "record": {
            "seeds": len(runs), "in_order": sum(
                r["previous"][0] == 0 and r["matching"][0] == 1
                for r in runs),
            **{f"{kind}_is_{h}": sum(r[kind][1] == h for r in runs)
               for kind in ("previous", "matching") for h in (0, 1)}}}


SCORES = ("previous", "matching", "copying", "not_repeating")
HAND_NAMES = {"by_hand_0": T("手工，第一层", "by hand, first layer"),
              "by_hand_1": T("手工，第二层", "by hand, second layer")}


def show_circuit(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "看前一个词（Elhage 等 2021；TransformerLens 的 previous_token_head）：第 t 行给 t-1 的"
        "平均权重，首行不算。看匹配处（Olsson 等 2022 的 prefix matching；TransformerLens 的 "
        "detect_head 也是对给定图样求平均权重）：给“同一个词上一次出现之后”的权重，按词找，不按"
        "半长算；"
        "起始符不算。说所见（Elhage 等 2021 的特征值统计）：从词到词的整条路 W_E W_V W_O W_U 的"
        "特征值之和除以它们绝对值之和，一表示看见谁就说谁；两个归一化的增益算在内。",
        "Previous token (Elhage et al. 2021; previous_token_head in TransformerLens): mean "
        "weight of row t on t-1, the first row left out. Prefix matching (Olsson et al. 2022; "
        "detect_head in TransformerLens averages over a given pattern likewise): weight on what "
        "came after an earlier copy of this word, found by the words and not by half of a "
        "length; start tokens do not count. Copying (Elhage et al. 2021, eigenvalue summary): "
        "the eigenvalues of the way from word to word W_E W_V W_O W_U, their sum over the sum "
        "of their sizes; one means it says whom it sees; the gains of both norms are included."))
    rows: list[list[Any]] = [[HAND_NAMES[k], r["layer"], r["head"], *(r[s] for s in SCORES)]
                             for k, r in m["by_hand"].items()]
    rows += [[T("训练出来的", "trained"), r["layer"], r["head"], *(r[s] for s in SCORES)]
             for r in m["heads"].values()]
    rows += [[T("同一处，Q K 随机", "Q and K drawn"), m["drawn"]["layer"], m["drawn"]["head"],
              *(m["drawn"][s] for s in SCORES)],
             [T("没训练，最高的", "untrained, highest"), None, None,
              *(m["untrained"][s] for s in SCORES)]]
    yield Table(
        (Column(T("头", "head of")), Column(T("层", "L"), "d"), Column(T("号", "H"), "d"),
         Column(T("前一个词", "previous"), ".3f"), Column(T("匹配处", "matching"), ".3f"),
         Column(T("说所见", "copying"), ".3f"),
         Column(T("不重复", "no repeat"), ".3f")),
        rows,
        title=T("{rows} 行；有匹配的查询 {matched} 个，其中不止一处的 {tied} 个（各处相加）",
                "{rows} rows; {matched} queries have a match, {tied} of them several (added up)"),
        legend=T("“不重复”：后面的词换成没说过的，仍量同样那些位置。",
                 "No repeat: the later words replaced by names not yet said, the same places "
                 "measured."))
    s = m["starts"]
    yield Table(
        (Column(T("怎样算", "how it is counted")), Column(T("分数", "score"), ".4f")),
        [[T("按词找，没有起始符", "by the words, no start token"), s["right"]["none"]],
         [T("按词找，一个起始符", "by the words, one start token"), s["right"]["one"]],
         [T("按词找，两个起始符", "by the words, two start tokens"), s["right"]["two"]],
         [T("整条对角线取平均", "the whole diagonal"), s["whole_diagonal"]],
         [T("错后一格", "one place late"), s["one_late"]],
         [T("按半长算，两个起始符", "by half of the length, two starts"), s["half_of_length"]]],
        title=T("一个完美的头，{starts[words]} 个词说两遍：算法错了，分数就错",
                "A perfect head, {starts[words]} words said twice: count wrongly, score wrongly"))


CIRCUIT = Part(
    number=2, key="circuit",
    title=T("和手工的是同一个电路吗", "The same circuit as by hand?"),
    compute=same_circuit, describe=show_circuit, recipes=("grows",),
    controls={"untrained": partial(same_circuit, trained=False),
              "repeated_anyway": partial(same_circuit, repeat=True),
              "not_drawn": partial(same_circuit, draw=False),
              "one_seed": partial(same_circuit, many=False)},
    claims=(
        Claim("previous_token_head", T(
            "手工的第一层给前一个词 {by_hand[by_hand_0][previous]:.3f}；训练出来的 "
            "L{looker[layer]}H{looker[head]} 给 {looker[previous]:.3f}；没训练的最高 "
            "{untrained[previous]:.3f}。",
            "The first layer set by hand puts {by_hand[by_hand_0][previous]:.3f} on the previous "
            "token; the trained L{looker[layer]}H{looker[head]} {looker[previous]:.3f}; an "
            "untrained network {untrained[previous]:.3f} at most."),
            lambda m: min(m["looker"]["previous"] - 0.8,
                          m["by_hand"]["by_hand_0"]["previous"] - 0.999,
                          0.3 - m["untrained"]["previous"], 0.5 - m["looker"]["layer"]),
            "untrained"),
        Claim("matching_head", T(
            "手工的第二层给匹配处 {by_hand[by_hand_1][matching]:.3f}；训练出来的 "
            "L{matcher[layer]}H{matcher[head]} 给 {matcher[matching]:.3f}；没训练的最高 "
            "{untrained[matching]:.3f}。",
            "The second layer set by hand puts {by_hand[by_hand_1][matching]:.3f} on the match; "
            "the trained L{matcher[layer]}H{matcher[head]} {matcher[matching]:.3f}; an untrained "
            "network {untrained[matching]:.3f} at most."),
            lambda m: min(m["matcher"]["matching"] - 0.8,
                          m["by_hand"]["by_hand_1"]["matching"] - 0.999,
                          0.3 - m["untrained"]["matching"], m["matcher"]["layer"] - 0.5),
            "untrained"),
        Claim("says_what_it_sees", T(
            "而且它说出所见：说所见的分数 {matcher[copying]:.3f}，手工的是 "
            "{by_hand[by_hand_1][copying]:.3f}，看前一个词的头是 {looker[copying]:.3f}："
            "后者的信息不是说给读者的，是写给第二层的。",
            "And it says what it sees: copying score {matcher[copying]:.3f}, by hand "
            "{by_hand[by_hand_1][copying]:.3f}; the previous-token head has "
            "{looker[copying]:.3f}: what it carries is written for layer two, not for the "
            "reader."),
            lambda m: min(m["matcher"]["copying"] - 0.8, 0.6 - m["looker"]["copying"],
                          m["by_hand"]["by_hand_1"]["copying"] - 0.999), "untrained"),
        Claim("only_where_it_repeats", T(
            "没有重复，它就不看那里：后面的词换成没说过的，同样那些位置只分到 "
            "{matcher[not_repeating]:.3f}。它比的是词，不是距离。",
            "Without a repeat it does not look there: with the later words replaced by new ones, "
            "the same places get {matcher[not_repeating]:.3f}. It compares words, not "
            "distances."),
            lambda m: 0.3 - m["matcher"]["not_repeating"], "repeated_anyway"),
        Claim("drawn_head", T(
            "把这个头的 Q 和 K 换成同样大小的随机数，分数就是 {drawn[matching]:.3f}。",
            "Replace this head's Q and K by drawn numbers of the same size, and the score is "
            "{drawn[matching]:.3f}."),
            lambda m: 0.3 - m["drawn"]["matching"], "not_drawn"),
        Claim("numbers_vary", T(
            "记录，{record[seeds]} 个种子：前一个词头都在前一层，匹配头都在后一层"
            "（{record[in_order]} 个）；编号却不定：前一个词头有 {record[previous_is_0]} 次是 "
            "H0，{record[previous_is_1]} 次是 H1。",
            "Recorded, {record[seeds]} seeds: the previous-token head is always in the earlier "
            "layer and the matching head in the later ({record[in_order]}); the number is not "
            "fixed: the previous-token head is H0 in {record[previous_is_0]} and H1 in "
            "{record[previous_is_1]}."),
            lambda m: min(m["record"]["in_order"] - m["record"]["seeds"] + 0.5,
                          m["record"]["previous_is_0"] - 0.5,
                          m["record"]["previous_is_1"] - 0.5), "one_seed"),
        Claim("count_by_words", T(
            "分数要按词数，不按半长数：完美的头，前面有没有起始符都是 "
            "{starts[right][two]:.1f}；按半长算会变成 {starts[half_of_length]:.4f}，整条对角线平"
            "均是 "
            "{starts[whole_diagonal]:.4f}，错后一格是 {starts[one_late]:.1f}。",
            "Count by the words, not by half of a length: a perfect head scores "
            "{starts[right][two]:.1f} whatever start tokens stand in front; by half of the "
            "length it would be {starts[half_of_length]:.4f}, over the whole diagonal "
            "{starts[whole_diagonal]:.4f}, one place late {starts[one_late]:.1f}."),
            lambda m: min(*(1e-12 - abs(v - 1) for v in m["starts"]["right"].values()),
                          0.9 - m["starts"]["whole_diagonal"], 0.5 - m["starts"]["one_late"],
                          0.5 - m["starts"]["half_of_length"]),
            T("是对构造出来的图样的算术，没有机制可以拿掉。",
              "Arithmetic on constructed patterns: there is no mechanism to remove.")),
    ),
    caveat=T(
        "一样高的分数不等于一样的电路：分数只量看哪里。随机的 Q K 是因果检查的一半，另一半在第 "
        "4 部分："
        "切掉以后还抄不抄得对。说所见的分数略去了归一化本身。",
        "Equal scores are not an equal circuit: they measure where a head looks. The drawn Q and "
        "K are half of a causal check; the other half is part 4, which cuts and counts. The "
        "copying score leaves out the normalising itself."),
    questions=(Question(
        T("手工的电路有两种头：前一个词头，匹配头。在训练出来的模型里，它们会怎样出现？",
          "The circuit set by hand has two kinds of head, previous token and matching. How do "
          "they appear in the trained models?"),
        (Option(T("总是第一层和第二层的第 0 号头", "always as head 0 of the two layers"),
                lambda m: min(m["record"]["in_order"] - m["record"]["seeds"] + 0.5,
                              0.5 - m["record"]["previous_is_1"]),
                T("以为编号有意义。头和头可以对调，落在哪个号由种子决定。",
                  "takes the numbers for meaningful. Heads can change places; the seed decides.")),
         Option(T("前一个词头在前一层，匹配头在后一层，编号不定",
                  "previous token in the earlier layer, matching in the later, numbers vary"),
                lambda m: min(m["record"]["in_order"] - m["record"]["seeds"] + 0.5,
                              m["record"]["previous_is_0"] - 0.5,
                              m["record"]["previous_is_1"] - 0.5)),
         Option(T("同一个头兼做两件", "as one head that does both"),
                lambda m: 0.5 - abs(m["looker"]["layer"] - m["matcher"]["layer"]),
                T("一个头先要有人写下左邻，才有东西可匹配：要先后两层。",
                  "a head has nothing to match before somebody has written down the left "
                  "neighbour: that takes two layers.")),
         Option(T("认不出来", "they cannot be told"),
                lambda m: 0.5 - min(m["looker"]["previous"], m["matcher"]["matching"]),
                T("以为训练出来的总是一团糟。这里的分数离手工的很近。",
                  "expects a muddle. The scores come close to those set by hand.")))),),
    pins={"record.*": RECORDED, "matched": COUNT, "tied": COUNT, "rows": COUNT,
          "*.layer": COUNT, "*.head": COUNT, "starts.*": close("exact fractions"),
          "*": TRAINED},
    notes=T(
        "约 7 分钟。先投票，再看第一张表，从手工的两行读起。第二张表讲一件常见的错：起始符多一个，"
        "按半长算的分数就全错。争论点：“不重复”那一列为什么要有？（第 6 部分会看到一个分数很高、"
        "什么词都不比的头。）",
        "About 7 minutes. Vote, then the first table from its two rows by hand. The second "
        "table is a common mistake: one more start token and a score by half-lengths is wrong. "
        "The argument: what is the column “no repeat” for? (Part 6 has a head with a high score "
        "that compares no words.)"),
)

# --- 3. without positions ---------------------------------------------------------

COPIERS = ("no_positions", "with_rope")


def shuffled(model: GPT, ids: Array, seed: int) -> Metrics:
    """Words before the last in another order: how far its output moves."""
    rng, short = np.random.default_rng([seed, 3]), ids[:, :13]  # [64, 13]
    other = short.copy()
    for row in other:
        row[:-1] = rng.permutation(row[:-1])
    a, b = (model.run(x, trace=True).trace for x in (short, other))
    return {f"layer{l}": abs(a[f"{l}.out"] - b[f"{l}.out"])[:, -1].max()
            for l in range(model.cfg.n_layer)}


def without_positions(seed: int, trained: bool = True, mask: bool = False,
                      names: tuple[str, str] = COPIERS) -> Metrics:
    """Two trained copiers, one of them told nothing about places."""
    found: Metrics = {}
    for role, name in zip(COPIERS, names, strict=True):
        model, recipe = ready(name, trained)
        ids, copy = fresh(recipe, seed)                         # [64, 24]
        far = fresh(recipe, seed, length=48, shortest=8, longest=20)
        scores = growth.head_scores(model, ids)
        open_ = GPT(replace(model.cfg, causal=mask), model.w)
        layers = [combine([zero_head(l, h) for h in range(model.cfg.n_head)])
                  for l in (0, 1)]
        hand = HandBuiltInduction(model.cfg.vocab_size, ids.shape[1],
                                  use_pos=name != "no_positions")
        right = hand.predict(ids).tokens[:, :-1] == ids[:, 1:]  # [64, 23]
        found[role] = growth.on_copy(model, ids, copy) | {
            "previous": highest(scores["previous"]),
            "matching": highest(scores["matching"]),
            "unmasked": growth.on_copy(open_, ids, copy)["right"],
            "further": growth.on_copy(model, *far)["right"],
            "shuffled": shuffled(model, ids, seed),
            "cut": {f"layer{l}": growth.on_copy(model, ids, copy, p)["right"]
                    for l, p in enumerate(layers)},
            "by_hand": right[copy].mean()}
    runs = records.read("copy_places")["runs"]
    if names != COPIERS or not trained:         # a control has no record
        runs = [{"model": k, "distance": d, "right": v["right"],
                 "previous": [[v["previous"]]], "matching": [[v["matching"]]]}
                for k, v in found.items() for d in ("near", "far")]
    return {"models": found, "rows": 64, "far_words": 48, "record": {
        name: {d: over_runs([r for r in runs if r["model"] == name
                             and r["distance"] == d])
               for d in sorted({r["distance"] for r in runs})}
        for name in COPIERS}}


def over_runs(runs: list[Metrics]) -> Metrics:
    """Seeds, the share right, and the best head of each kind."""
    return {"seeds": len(runs), "right": spread([r["right"] for r in runs]),
            "previous": spread([highest(r["previous"]) for r in runs]),
            "matching": spread([highest(r["matching"]) for r in runs])}


COPIER_NAMES = {"no_positions": T("没有位置", "no positions"),
                "with_rope": T("RoPE", "RoPE")}


ROW_NAMES = {"near": T("短行", "short rows"), "far": T("长行", "long rows")}


def show_places(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "同样的任务，名单短一些（四到十二个名字，二十个里抽，共二十四个词），网络宽六十四、四个头、"
        "两层、没有 MLP，输出用词表本身。一个用 RoPE，一个完全不知道位置。",
        "The same task with shorter lists (four to twelve names out of twenty, rows of "
        "twenty-four words); two layers of four heads, width sixty-four, no MLP, the word table "
        "also serving as "
        "output. One has RoPE, the other is told nothing about places."))
    yield Table(
        (Column(T("网络", "network")), Column(T("抄对", "right"), ".1%"),
         Column(T("损失", "loss"), ".3f"), Column(T("前一个词", "previous"), ".2f"),
         Column(T("匹配处", "matching"), ".2f"), Column(T("不遮", "unmasked"), ".1%"),
         Column(T("更长的行", "longer rows"), ".1%")),
        [[COPIER_NAMES[k], *(v[c] for c in ("right", "loss", "previous", "matching",
                                            "unmasked", "further"))]
         for k, v in m["models"].items()],
        title=T("抄对的比例；各种分数取最高的头", "Share right; scores of the best head"),
        legend=T("不遮：同样的权重，去掉因果遮罩。更长的行：{far_words} 个词，训练时没见过这么长。",
                 "Unmasked: the same weights without the causal mask. Longer rows: {far_words} "
                 "words, longer than any in training."))
    yield Table(
        (Column(T("网络", "network")),
         Column(T("第一层移动", "layer one moves"), ".0e"),
         Column(T("第二层移动", "layer two moves"), ".1f"),
         Column(T("切掉第一层", "layer one cut"), ".1%"),
         Column(T("切掉第二层", "layer two cut"), ".1%")),
        [[COPIER_NAMES[k], v["shuffled"]["layer0"], v["shuffled"]["layer1"],
          v["cut"]["layer0"], v["cut"]["layer1"]] for k, v in m["models"].items()],
        title=T("把最后一个词之前的词打乱次序，它的输出移动多少；切掉一层的全部头，抄对多少",
                "How far the last word's output moves when the words before it are shuffled; "
                "share right with all heads of a layer cut"))
    yield Table(
        (Column(T("网络", "network")), Column(T("训练的行", "trained on")),
         Column(T("种子", "seeds"), "d"),
         Column(T("最低", "lowest"), ".1%"), Column(T("最高", "highest"), ".1%")),
        [[COPIER_NAMES[k], name, r["seeds"], r["right"]["low"], r["right"]["high"]]
         for k, kinds in m["record"].items()
         for r, name in ((kinds[d], ROW_NAMES[d]) for d in reversed(kinds))],
        title=T("记录：换种子重训，抄对的比例", "Recorded: trained from other seeds, share right"))


PLACES = Part(
    number=3, key="places",
    title=T("不给位置", "Without positions"),
    compute=without_positions, describe=show_places, recipes=COPIERS,
    controls={"untrained": partial(without_positions, trained=False),
              "masked": partial(without_positions, mask=True),
              "rope_for_none": partial(without_positions, names=("with_rope", "with_rope")),
              "grown": partial(without_positions, names=("grows", "grows"))},
    claims=(
        Claim("copies_blind", T(
            "不给任何位置编码，两层也抄对 {models[no_positions][right]:.1%}；手工的电路不给位置，"
            "只有 {models[no_positions][by_hand]:.1%}。记录，{record[no_positions][near][seeds]} "
            "个种子：{record[no_positions][near][right][low]:.1%} 到 "
            "{record[no_positions][near][right][high]:.1%}。",
            "Told nothing about places, two layers copy {models[no_positions][right]:.1%}; the "
            "circuit set by hand, without positions, {models[no_positions][by_hand]:.1%}. "
            "Recorded, {record[no_positions][near][seeds]} seeds: "
            "{record[no_positions][near][right][low]:.1%} to "
            "{record[no_positions][near][right][high]:.1%}."),
            lambda m: min(m["models"]["no_positions"]["right"] - 0.95,
                          0.3 - m["models"]["no_positions"]["by_hand"],
                          m["record"]["no_positions"]["near"]["right"]["low"] - 0.95),
            "untrained"),
        Claim("further_apart", T(
            "两遍隔得更远也行：用长行训练，{record[no_positions][far][seeds]} 个种子，没有位置 "
            "{record[no_positions][far][right][low]:.1%} 到 "
            "{record[no_positions][far][right][high]:.1%}，RoPE "
            "{record[with_rope][far][right][low]:.1%} 到 "
            "{record[with_rope][far][right][high]:.1%}。",
            "Further apart as well: trained on the long rows, "
            "{record[no_positions][far][seeds]} seeds, without positions "
            "{record[no_positions][far][right][low]:.1%} to "
            "{record[no_positions][far][right][high]:.1%}, with RoPE "
            "{record[with_rope][far][right][low]:.1%} to "
            "{record[with_rope][far][right][high]:.1%}."),
            lambda m: min(m["record"]["no_positions"]["far"]["right"]["low"] - 0.9,
                          m["record"]["with_rope"]["far"]["right"]["low"] - 0.9),
            "untrained"),
        Claim("order_from_the_mask", T(
            "次序来自因果遮罩：同样的权重去掉遮罩，只对 "
            "{models[no_positions][unmasked]:.1%}，尽管这时答案就在眼前。",
            "The order comes from the causal mask: the same weights without it get "
            "{models[no_positions][unmasked]:.1%}, although the answer now stands in plain "
            "view."),
            lambda m: 0.3 - m["models"]["no_positions"]["unmasked"], "masked"),
        Claim("one_layer_sees_a_set", T(
            "一层看到的只是一个集合：把前面的词打乱，最后一个词在第一层的输出只移动 "
            "{models[no_positions][shuffled][layer0]:.0e}，是舍入；到第二层才移动 "
            "{models[no_positions][shuffled][layer1]:.1f}。",
            "One layer sees a set: shuffle the words before it and the last word's output of "
            "layer one moves by {models[no_positions][shuffled][layer0]:.0e}, which is rounding; "
            "of layer two by {models[no_positions][shuffled][layer1]:.1f}."),
            lambda m: min(1e-9 - m["models"]["no_positions"]["shuffled"]["layer0"],
                          m["models"]["no_positions"]["shuffled"]["layer1"] - 0.1),
            "rope_for_none"),
        Claim("no_previous_token_head", T(
            "所以它没有前一个词头（最高 {models[no_positions][previous]:.2f}），却有匹配头"
            "（{models[no_positions][matching]:.2f}）；{record[no_positions][near][seeds]} 个种子里"
            "前者最高 {record[no_positions][near][previous][high]:.2f}，后者最低 "
            "{record[no_positions][near][matching][low]:.2f}。",
            "So it has no previous-token head ({models[no_positions][previous]:.2f} at most), yet "
            "a matching head ({models[no_positions][matching]:.2f}); over "
            "{record[no_positions][near][seeds]} seeds the first is at most "
            "{record[no_positions][near][previous][high]:.2f}, the second at least "
            "{record[no_positions][near][matching][low]:.2f}."),
            lambda m: min(0.4 - m["models"]["no_positions"]["previous"],
                          m["models"]["no_positions"]["matching"] - 0.4,
                          0.4 - m["record"]["no_positions"]["near"]["previous"]["high"],
                          m["record"]["no_positions"]["near"]["matching"]["low"] - 0.4),
            "grown"),
        Claim("copies_without_either", T(
            "更意外的是有位置的那个：也抄对 {models[with_rope][right]:.1%}，却两种头都没有（最高 "
            "{models[with_rope][previous]:.2f} 和 {models[with_rope][matching]:.2f}）；"
            "{record[with_rope][near][seeds]} 个种子都是这样。会抄，不等于有归纳头。",
            "Stranger is the one with positions: it copies {models[with_rope][right]:.1%} and "
            "has neither kind of head ({models[with_rope][previous]:.2f} and "
            "{models[with_rope][matching]:.2f} at most), in all "
            "{record[with_rope][near][seeds]} seeds. To copy is not to have an induction head."),
            lambda m: min(m["models"]["with_rope"]["right"] - 0.9,
                          0.4 - m["models"]["with_rope"]["previous"],
                          0.4 - m["models"]["with_rope"]["matching"],
                          m["record"]["with_rope"]["near"]["right"]["low"] - 0.9,
                          0.4 - m["record"]["with_rope"]["near"]["previous"]["high"],
                          0.4 - m["record"]["with_rope"]["near"]["matching"]["high"]),
            "grown"),
    ),
    caveat=T(
        "“没有这种头”是说没有一个头在多数行里这样看；几个头合起来可以做同一件事而谁的分数都不高。"
        "切掉哪一层都不行，所以两层都要用；怎样用，这里没有说清。",
        "“No such head” means that no single head looks so in most rows; several can do the same "
        "work together with none scoring high. Neither layer can be cut, so both are used; how "
        "is not settled here."),
    questions=(Question(
        T("两层注意力，没有任何位置编码，训练它抄间隔不一的名单。第二遍抄对多少？",
          "Two layers of attention, no position codes at all, trained to copy lists at varying "
          "distance. How much of the copy is right?"),
        (Option(T("约 5 %：和瞎猜一样", "about 5 %: no better than guessing"),
                lambda m: 0.1 - m["models"]["no_positions"]["right"],
                T("以为没有位置编码就没有次序。遮罩已经说出谁在谁之前。",
                  "believes no codes means no order. The mask already tells who came before.")),
         Option(T("约 15 %", "about 15 %"),
                lambda m: 0.1 - abs(m["models"]["no_positions"]["right"] - 0.2),
                T("那差不多是一层注意力能做到的：知道有哪些词，不知道谁跟着谁。",
                  "that is about what one layer can do: it knows the words, not who follows "
                  "whom.")),
         Option(T("约 50 %", "about 50 %"),
                lambda m: 0.2 - abs(m["models"]["no_positions"]["right"] - 0.5),
                T("以为泄露的次序只够猜对一半。两层足以把它读清楚。",
                  "expects the leak to be worth half. Two layers read it well enough.")),
         Option(T("约 99 %", "about 99 %"),
                lambda m: m["models"]["no_positions"]["right"] - 0.9))),),
    pins={"record.*": RECORDED, "rows": COUNT, "far_words": COUNT,
          "*.shuffled.layer0": close("rounding, or a shift of the trained stream", 1e-6, 1e-9),
          "*": TRAINED},
    notes=T(
        "约 6 分钟。先投票。接着问：既然第一层分不出次序，第二层凭什么？（第一层写下的是“到目前"
        "为止的"
        "平均”，越往后越钝；第二层可以比较两处的平均。）参考：Haviv 等 2022，Kazemnejad 等 2023。"
        "争论点：分数都不高的那个网络，算不算有归纳头？",
        "About 6 minutes. Vote first. Then ask: if layer one cannot tell the order, what does "
        "layer two go by? (Layer one writes the mean so far, blunter with every word; layer two "
        "can compare two such means.) Haviv et al. 2022, Kazemnejad et al. 2023. The argument: "
        "has the network with low scores an induction head or not?"),
)

# --- 4. cut it -------------------------------------------------------------------


def drawn_edges(places: Array, seed: int) -> Array:
    """As many keys a row as `places` has, drawn among its other ones."""
    rng, T_ = np.random.default_rng([seed, 4]), places.shape[-1]
    free = np.tri(T_, dtype=bool) & ~places                     # [n, T, T]
    lot = np.where(free, rng.random(places.shape), 2.0)
    rank = lot.argsort(axis=-1).argsort(axis=-1)                # [n, T, T]
    many = np.minimum(places.sum(-1), free.sum(-1) - 1)         # [n, T]
    return free & (rank < many[..., None])


def cut_it(seed: int, trained: bool = True, aimed: bool = True,
           spare: bool = True) -> Metrics:
    """Take heads, then single looks, out of the grown model."""
    model, recipe = ready("grows", trained)
    ids, copy = fresh(recipe, seed)                     # [64, 32], [64, 31]
    scores = growth.head_scores(model, ids)
    roles = growth.head_roles(scores)
    (_, p), (_, k) = roles["previous"], roles["matching"]
    if not aimed:                       # a control: the wrong head is cut
        p, k = 1 - p, 1 - k
    heads = {"previous": [(0, p)], "other_first": [(0, 1 - p)],
             "matching": [(1, k)], "other_second": [(1, 1 - k)],
             "both_second": [(1, 0), (1, 1)]}
    if not aimed:
        heads["both_second"] = [(1, k)]
    table = {"whole": growth.on_copy(model, ids, copy)}
    trace = model.run(ids, trace=True).trace
    for name, which in heads.items():
        zero = combine([zero_head(*at) for at in which])
        mean = combine([growth.mean_head(trace, *at) for at in which])
        average = growth.on_copy(model, ids, copy, mean)
        table[name] = growth.on_copy(model, ids, copy, zero) | {
            "mean_right": average["right"], "mean_loss": average["loss"],
            "layer": which[0][0], "head": which[0][1],
            "matching_score": highest(growth.head_scores(
                model, ids, zero)["matching"])}
    n, T_ = ids.shape
    back = np.broadcast_to(np.eye(T_, k=-1, dtype=bool), (n, T_, T_)).copy()
    back[:, 1] = False                  # place 1 keeps the start token
    places = induction_targets(ids, ignore=START)               # [n, T, T]
    edges = {"previous": ((0, [p]), back), "matching": ((1, [0, 1]), places)}
    looks = {}
    for name, ((layer, some), real) in edges.items():
        drawn = drawn_edges(real, seed)                         # [n, T, T]
        aim = real if aimed else drawn
        for kind, where in (("real", aim), ("drawn", drawn)):
            looks[f"{name}_{kind}"] = growth.on_copy(
                model, ids, copy, growth.cut_edges(layer, some, where)) | {
                    "edges": int(where.sum())}
    return {"rows": n, "heads": table, "looks": looks,
            "matching_score": highest(scores["matching"]),
            "record": cut_records(spare)}


def cut_records(spare: bool) -> Metrics:
    """The same cuts in the ten recorded seeds: share right after each."""
    runs = [r["cuts"] for r in records.read("growth")["grows"]]

    def left(run: Metrics, kind: str) -> float:
        layer, head = run["roles"][kind]
        return float(run["heads"][layer][head]["right"])

    def other(run: Metrics) -> float:           # of the first layer
        layer, head = run["roles"]["previous"]
        return float(run["heads"][layer][1 - head]["right"])

    return {"seeds": len(runs), "most": 0.85,
            "shipped": recipes.named("grows").seed,
            "previous": spread([left(r, "previous") if spare else other(r)
                                for r in runs]),
            "matching": spread([left(r, "matching") for r in runs]),
            "both": spread([r["layers"][1]["right"] for r in runs]),
            "first": spread([r["layers"][0]["right"] for r in runs]),
            "spared": sum(left(r, "matching" if spare else "previous") > 0.85
                          for r in runs)}


CUT_NAMES = {
    "whole": T("什么都不切", "nothing"),
    "previous": T("前一个词头", "the previous-token head"),
    "other_first": T("第一层的另一个头", "the other head of layer one"),
    "matching": T("分数最高的匹配头", "the best matching head"),
    "other_second": T("第二层的另一个头", "the other head of layer two"),
    "both_second": T("第二层的两个头", "both heads of layer two"),
}
LOOK_NAMES = {
    "previous_real": T("前一个词头：看前一个词", "that head: on the previous token"),
    "previous_drawn": T("前一个词头：随机同样多条", "that head: as many drawn ones"),
    "matching_real": T("第二层：看匹配处", "layer two: on the match"),
    "matching_drawn": T("第二层：随机同样多条", "layer two: as many drawn ones"),
}


def show_cuts(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "每次拿走一样，量抄写处还对多少。拿走一个头有两种做法：输出设成零，或换成它的平均值"
        "（{rows} 行、所有位置）。再细一层：头留着，只禁止某些“看”（分数设成负无穷）。",
        "Take one thing away and count what is left of the copy. A head is taken away in two "
        "ways: its output set to zero, or to its mean (over {rows} rows and all places). Finer: "
        "the head stays, certain looks are forbidden (their score set to minus infinity)."))
    yield Table(
        (Column(T("切掉", "cut")), Column(T("层", "L"), "d"), Column(T("号", "H"), "d"),
         Column(T("零：抄对", "zero: right"), ".1%"), Column(T("损失", "loss"), ".2f"),
         Column(T("平均：抄对", "mean: right"), ".1%"),
         Column(T("匹配分", "matching"), ".2f")),
        [[CUT_NAMES[k], r.get("layer"), r.get("head") if k != "both_second" else None,
          r["right"], r["loss"], r.get("mean_right"),
          r.get("matching_score", m["matching_score"])] for k, r in m["heads"].items()],
        legend=T("匹配分：切（零）以后，看匹配处的分数还有多高（最高的头）。",
                 "Matching: the best prefix-matching score left after the cut to zero."))
    yield Table(
        (Column(T("禁止的看", "forbidden looks")), Column(T("条数", "edges"), ",d"),
         Column(T("抄对", "right"), ".1%"), Column(T("损失", "loss"), ".2f")),
        [[LOOK_NAMES[k], r["edges"], r["right"], r["loss"]] for k, r in m["looks"].items()])
    yield Table(
        (Column(T("切掉（设成零）", "cut (to zero)")), Column(T("最低", "lowest"), ".1%"),
         Column(T("最高", "highest"), ".1%")),
        [[name, m["record"][k]["low"], m["record"][k]["high"]] for k, name in (
            ("previous", CUT_NAMES["previous"]), ("matching", CUT_NAMES["matching"]),
            ("both", CUT_NAMES["both_second"]),
            ("first", T("第一层的两个头", "both heads of layer one")))],
        title=T("记录：{record[seeds]} 个种子，切掉以后抄对的比例",
                "Recorded: {record[seeds]} seeds, share right after the cut"))


def left_after(name: str, low: float, high: float) -> Callable[[Any], float]:
    """A margin: this much of the copy stays right."""
    return lambda m: min(m["heads"][name]["right"] - low, high - m["heads"][name]["right"])


CUTS = Part(
    number=4, key="cuts",
    title=T("切掉它", "Cut it"),
    compute=cut_it, describe=show_cuts, recipes=("grows",),
    controls={"wrong_head": partial(cut_it, aimed=False),
              "count_the_other": partial(cut_it, spare=False)},
    claims=(
        Claim("previous_token_head", T(
            "只切前一个词头 L{heads[previous][layer]}H{heads[previous][head]}，匹配头一根不动，"
            "抄对就从 {heads[whole][right]:.1%} 掉到 {heads[previous][right]:.1%}；切同一层的"
            "另一个头，"
            "还有 {heads[other_first][right]:.1%}。",
            "Cut only the previous-token head L{heads[previous][layer]}H{heads[previous][head]}, "
            "leave the matching heads alone, and {heads[whole][right]:.1%} right becomes "
            "{heads[previous][right]:.1%}; cut the other head of that layer and "
            "{heads[other_first][right]:.1%} stay."),
            lambda m: min(m["heads"]["whole"]["right"] - 0.95,
                          0.8 - m["heads"]["previous"]["right"],
                          m["heads"]["other_first"]["right"] - 0.8), "wrong_head"),
        Claim("nothing_to_match", T(
            "匹配头还在，却没有东西可匹配：它们的匹配分从 {matching_score:.2f} 掉到 "
            "{heads[previous][matching_score]:.2f}。",
            "The matching heads are still there and have nothing to match: their best score "
            "falls from {matching_score:.2f} to {heads[previous][matching_score]:.2f}."),
            lambda m: m["matching_score"] - m["heads"]["previous"]["matching_score"] - 0.2,
            "wrong_head"),
        Claim("both_are_needed", T(
            "第二层的两个头都切掉，只剩 {heads[both_second][right]:.1%}。",
            "With both heads of layer two cut, {heads[both_second][right]:.1%} are left."),
            lambda m: 0.2 - m["heads"]["both_second"]["right"], "wrong_head"),
        Claim("only_those_looks", T(
            "少不得的正是那些看：只禁止前一个词头看前一个词，剩 {looks[previous_real][right]:.1%}，"
            "随机禁止同样多条，剩 {looks[previous_drawn][right]:.1%}；只禁止第二层看匹配处，剩 "
            "{looks[matching_real][right]:.1%}，随机的剩 {looks[matching_drawn][right]:.1%}。",
            "It is those looks that are needed: forbid that head the previous token only, and "
            "{looks[previous_real][right]:.1%} are left, as many drawn looks, "
            "{looks[previous_drawn][right]:.1%}; forbid layer two the match only, "
            "{looks[matching_real][right]:.1%}, drawn ones, {looks[matching_drawn][right]:.1%}."),
            lambda m: min(0.8 - m["looks"]["previous_real"]["right"],
                          m["looks"]["previous_drawn"]["right"] - 0.9,
                          0.3 - m["looks"]["matching_real"]["right"],
                          m["looks"]["matching_drawn"]["right"] - 0.9), "wrong_head"),
        Claim("spare_head", T(
            "“切掉归纳头就不会抄了”在这里不是定律：记录，{record[seeds]} 个种子，切掉分数最高的"
            "匹配头，"
            "{record[spared]} 个还抄对 {record[most]:.0%} 以上，因为同层的另一个头也在匹配；"
            "两个都切，最多剩 {record[both][high]:.1%}。",
            "“Cut the induction head and it cannot copy” is no law here: recorded, "
            "{record[seeds]} seeds, with the best matching head cut {record[spared]} still get "
            "over {record[most]:.0%} right, because the other head of that layer matches too; "
            "with both cut {record[both][high]:.1%} are left at most."),
            lambda m: min(m["record"]["spared"] - m["record"]["seeds"] / 2,
                          0.2 - m["record"]["both"]["high"], m["record"]["most"] - 0.8),
            "count_the_other"),
        Claim("over_seeds", T(
            "切掉前一个词头，{record[seeds]} 个种子剩 {record[previous][low]:.1%} 到 "
            "{record[previous][high]:.1%}；有的种子第一层也有半个替补。",
            "With the previous-token head cut the {record[seeds]} seeds keep "
            "{record[previous][low]:.1%} to {record[previous][high]:.1%}: in some the first "
            "layer has half a spare too."),
            lambda m: min(0.8 - m["record"]["previous"]["high"],
                          m["record"]["previous"]["high"] - m["record"]["previous"]["low"] - 0.2),
            "count_the_other"),
    ),
    caveat=T(
        "切掉一个头，别的头看到的也变了：剩下的是“没有它的网络”，不是“它的贡献”。设成零会把后面推到"
        "没见过的地方，平均值温和一些；两种都给出来。这里用的种子 ({record[shipped]}) 属于多数："
        "第二层有两个匹配头。",
        "With a head cut, what the others see changes too: what is left is the network without "
        "it, not its share of the work. Zero pushes later layers where they have never been, "
        "the mean is gentler; both are shown. The shipped seed ({record[shipped]}) is one of "
        "the majority: two "
        "matching heads in layer two."),
    questions=(
        Question(T("只切掉“前一个词头”，匹配头原样保留。第二遍还抄对多少？",
                   "Cut only the previous-token head, leave the matching heads as they are. How "
                   "much of the copy stays right?"),
                 (Option(T("几乎全部：匹配头还在", "nearly all: the matching heads are there"),
                         left_after("previous", 0.8, 1.01),
                         T("以为看得见图样的头独自在干活。它匹配的是第一层写下的东西。",
                           "thinks the head that shows the pattern works alone. It matches what "
                           "layer one has written.")),
                  Option(T("一半左右", "about half"), left_after("previous", 0.4, 0.8),
                         T("以为两个头各管一半。这是一条链，断了就断了。",
                           "gives each head half of the work. This is a chain, and it is "
                           "broken.")),
                  Option(T("不到四成", "less than forty per cent"),
                         left_after("previous", -0.01, 0.4)))),
        Question(T("改切分数最高的那个匹配头，别的都留着呢？",
                   "Cut the best matching head instead, and leave all others?"),
                 (Option(T("几乎全部：另一个头也会", "nearly all: another head can do it too"),
                         left_after("matching", 0.8, 1.01)),
                  Option(T("一半左右", "about half"), left_after("matching", 0.4, 0.8),
                         T("按分数折算。分数说看哪里，不说缺不缺得了。",
                           "converts the score into work. A score says where it looks, not "
                           "whether it is missed.")),
                  Option(T("几乎不会抄了", "hardly any"), left_after("matching", -0.01, 0.4),
                         T("以为“归纳头”只有一个。这一层有两个头在做同一件事。",
                           "thinks there is one induction head. Two heads of this layer do the "
                           "same work."))))),
    pins={"record.*": RECORDED, "rows": COUNT, "*.layer": COUNT, "*.head": COUNT,
          "*.edges": COUNT, "*": TRAINED},
    notes=T(
        "约 8 分钟。两次投票分开做：第一次多数人会信那条链，第二次就会输给替补。争论点：一个切掉"
        "也没关系、"
        "分数却有 0.99 的头，该叫它“归纳头”吗？（Wang 等 2022 在更大的模型里也见到替补。）",
        "About 8 minutes; keep the two votes apart: after the first most will trust the chain, "
        "and the spare will beat them in the second. The argument: a head that scores 0.99 and "
        "is not missed, is it the induction head? (Wang et al. 2022 met backup heads in a larger "
        "model.)"),
)

# --- 5. in the country model --------------------------------------------------------


def by_share(runs: list[Metrics]) -> list[Metrics]:
    """One entry a share of repeats, over its seeds."""
    found = []
    for lists in sorted({r["lists"] for r in runs}):
        some = [r for r in runs if r["lists"] == lists]
        copied = [r["copied"]["hits"] / r["copied"]["total"] for r in some]
        found.append({
            "share": some[0]["share"], "seeds": len(some),
            "right": min(r["right"] for r in some),
            "lowest": min(copied), "highest": max(copied),
            "copying": sum(c > 0.5 for c in copied),
            "previous": max(highest(r["previous"]) for r in some),
            "matching": max(highest(r["matching"]) for r in some),
            "least_matching": min(highest(r["matching"]) for r in some)})
    return found


def mix_in(seed: int, trained: bool = True, copier: str = "copies_too",
           aimed: bool = True) -> Metrics:
    """The country model and its twin that also read repeated lists."""
    models = {"base": ready("base")[0], "copies_too": ready(copier, trained)[0]}
    world = recipes.named("base").data.world()
    q, pool = questions(world), copy_pool(world)
    now: Metrics = {}
    for name, model in models.items():
        scores, hit = growth.copy_scores(model, pool), copied(model, pool, seed)
        now[name] = {"right": right(model, q), "hits": hit["hits"],
                     "total": hit["total"],
                     "copied": hit["hits"] / hit["total"],
                     "previous": highest(scores["previous"]),
                     "matching": highest(scores["matching"])}
    model = models["copies_too"]
    scores = growth.copy_scores(model, pool)
    layer, best = (int(i) for i in divmod(int(np.argmax(scores["matching"])),
                                          model.cfg.n_head))
    other = (best + 1) % model.cfg.n_head       # its neighbour in the layer
    cuts = {}
    for name, head in (("matching", best if aimed else other),
                       ("neighbour", other)):
        patch = zero_head(layer, head)
        hit = copied(model, pool, seed, patch)
        cuts[name] = {"layer": layer, "head": head,
                      "score": scores["matching"][layer][head],
                      "copied": hit["hits"] / hit["total"],
                      "right": right(model, q, patch)}
    runs = records.read("shares")["runs"]
    rope = by_share([r for r in runs if r["positions"] == "rope"])
    table = by_share([r for r in runs if r["positions"] == "learned"])[-1]
    if not trained or copier == "base":         # a control: nothing mixed in
        rope = [rope[0] | {"share": r["share"]} for r in rope]
    few = [r for r in rope if r["highest"] < 0.1][-1]
    enough = [r for r in rope if r["copying"] >= 0.8 * r["seeds"]]
    return {"questions": len(q.ids), "in_a_row": NAMES_IN_COPY,
            "steps": recipes.named("copies_too").training.steps,
            "now": now, "cuts": cuts, "shares": rope, "few": few,
            "enough": enough[0] if enough else dict.fromkeys(rope[0]),
            "most": rope[-1], "fewest_right": min(r["right"] for r in rope),
        "table_of_places": table}


def show_world(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "国家模型的语料里没有一处重复，它也不会抄（演示 04）。现在往语料里掺名单：八到二十个名字"
        "说两遍，"
        "每次都是新的；占的比例越来越大，步数都是 {steps}。网络和国家模型一样，只把位置表换成 "
        "RoPE。"
        "抄写测试：{in_a_row} 个名字说两遍。",
        "Nothing repeats in the country model's corpus, and it does not copy (demo 04). Now "
        "lists are mixed in, eight to twenty names said twice, new ones every time, in growing "
        "shares; always {steps} steps. The network is the country model's with RoPE in place of "
        "its table of positions. Copy test: {in_a_row} names said twice."))
    yield Table(
        (Column(T("名单占", "lists are"), ".0%"), Column(T("种子", "seeds"), "d"),
         Column(T("会抄", "copy"), "d"), Column(T("最低", "lowest"), ".1%"),
         Column(T("最高", "highest"), ".1%"), Column(T("匹配分", "matching"), ".2f"),
         Column(T("前一个词", "previous"), ".2f"), Column(T("答对", "answers"), "d")),
        [[r[k] for k in ("share", "seeds", "copying", "lowest", "highest", "matching",
                         "previous", "right")] for r in m["shares"]],
        title=T("记录：名单在语料里的比例（按词数），抄对的比例；{questions} 道题",
                "Recorded: share of lists in the corpus, by words; share copied; {questions} "
                "questions"),
        legend=T("会抄：抄对一半以上的种子。分数取各种子最高的，答对取最少的。",
                 "Copy: seeds that copy more than half. Scores: the highest of all seeds; "
                 "answers: the fewest."))
    yield Table(
        (Column(T("现在量", "measured now")), Column(T("抄对", "copied"), ".1%"),
         Column(T("匹配分", "matching"), ".2f"), Column(T("答对", "answers"), "d")),
        [[T("国家模型", "the country model"), m["now"]["base"]["copied"],
          m["now"]["base"]["matching"], m["now"]["base"]["right"]],
         [T("也读过名单的", "the one that read lists too"), m["now"]["copies_too"]["copied"],
          m["now"]["copies_too"]["matching"], m["now"]["copies_too"]["right"]],
         [T("再切匹配分最高的头", "its best matching head cut"), m["cuts"]["matching"]["copied"],
          None, m["cuts"]["matching"]["right"]],
         [T("改切同层的另一个头", "that layer's other head cut"),
          m["cuts"]["neighbour"]["copied"], None, m["cuts"]["neighbour"]["right"]]])


WORLD = Part(
    number=5, key="world",
    title=T("在国家模型里", "In the country model"),
    compute=mix_in, describe=show_world, recipes=("base", "copies_too"),
    controls={"untrained": partial(mix_in, trained=False),
              "no_lists": partial(mix_in, copier="base"),
              "wrong_head": partial(mix_in, aimed=False)},
    claims=(
        Claim("needs_many", T(
            "一点点重复不够：名单占 {few[share]:.0%} 时，{few[seeds]} 个种子最多抄对 "
            "{few[highest]:.1%}；占到 {enough[share]:.0%}，{enough[seeds]} 个种子里有 "
            "{enough[copying]} 个抄对一半以上（最低 {enough[lowest]:.1%}，最高 "
            "{enough[highest]:.1%}）。",
            "A few repeats are not enough: with {few[share]:.0%} of lists the {few[seeds]} seeds "
            "copy at most {few[highest]:.1%}; with {enough[share]:.0%} {enough[copying]} of "
            "{enough[seeds]} seeds copy more than half (lowest {enough[lowest]:.1%}, highest "
            "{enough[highest]:.1%})."),
            lambda m: min(0.1 - m["few"]["highest"], m["few"]["share"] - 0.05,
                          m["enough"]["copying"] - 0.75 * m["enough"]["seeds"],
                          m["enough"]["share"] - m["few"]["share"],
                          m["enough"]["highest"] - m["few"]["highest"] - 0.4), "no_lists"),
        Claim("luck", T(
            "再多也不保证：占到 {most[share]:.0%}，{most[seeds]} 个种子里有 {most[copying]} 个抄对"
            "一半以上，最差的一个只抄对 {most[lowest]:.1%}。步数固定，跳得早不早也看运气。",
            "Even more is no guarantee: with {most[share]:.0%} of lists {most[copying]} of "
            "{most[seeds]} seeds copy more than half, and the worst copies {most[lowest]:.1%}. "
            "With the steps fixed, luck decides how early it jumps."),
            lambda m: min(m["most"]["copying"] - m["most"]["seeds"] / 2,
                          m["most"]["seeds"] - m["most"]["copying"] - 0.5,
                          0.5 - m["most"]["lowest"], m["most"]["share"] - m["few"]["share"]),
            "no_lists"),
        Claim("still_answers", T(
            "有 RoPE 的这个网络，学会抄，一题不丢：最好的种子抄对 {most[highest]:.1%}，而 "
            "{questions} 道题在所有比例、所有种子里最少也对 {fewest_right} 道。",
            "With RoPE, copying costs no answer: the best seed copies {most[highest]:.1%}, and "
            "in every share and seed at least {fewest_right} of {questions} questions are "
            "right."),
            lambda m: min(m["fewest_right"] - m["questions"] + 0.5,
                          m["most"]["highest"] - 0.8), "no_lists"),
        Claim("now", T(
            "现在量：没读过名单的抄对 {now[base][copied]:.1%}，读过的 "
            "{now[copies_too][copied]:.1%}；题都对，{now[base][right]} 和 "
            "{now[copies_too][right]} 道。",
            "Measured now: without lists {now[base][copied]:.1%} copied, with them "
            "{now[copies_too][copied]:.1%}; the answers are right in both, {now[base][right]} "
            "and {now[copies_too][right]}."),
            lambda m: min(0.05 - m["now"]["base"]["copied"],
                          m["now"]["copies_too"]["copied"] - 0.75,
                          m["now"]["base"]["right"] - m["questions"] + 0.5,
                          m["now"]["copies_too"]["right"] - m["questions"] + 0.5), "untrained"),
        Claim("cut", T(
            "答题不靠抄写要的那个头：切掉匹配分最高的 "
            "L{cuts[matching][layer]}H{cuts[matching][head]}，"
            "抄对掉到 {cuts[matching][copied]:.1%}，题还对 {cuts[matching][right]} 道；改切同层的"
            "另一个，L{cuts[neighbour][layer]}H{cuts[neighbour][head]}，还抄对 "
            "{cuts[neighbour][copied]:.1%}。",
            "Answers do not need the head that copying needs: cut L{cuts[matching][layer]}"
            "H{cuts[matching][head]}, the best at matching, and {cuts[matching][copied]:.1%} are "
            "copied while {cuts[matching][right]} answers stay right; cut the other head of that "
            "layer, L{cuts[neighbour][layer]}H{cuts[neighbour][head]}, and "
            "{cuts[neighbour][copied]:.1%} are copied."),
            lambda m: min(0.4 - m["cuts"]["matching"]["copied"],
                          m["cuts"]["matching"]["right"] - 0.75 * m["questions"],
                          m["cuts"]["neighbour"]["copied"] - 0.6), "wrong_head"),
    ),
    caveat=T(
        "多大比例才够，只对这个网络、这么多步成立。换回国家模型自己的位置表，占 "
        "{table_of_places[share]:.0%} 时抄对 {table_of_places[lowest]:.1%} 到 "
        "{table_of_places[highest]:.1%}，而且最差的种子只答对 {table_of_places[right]} 道题"
        "（记录，{table_of_places[seeds]} 个种子）。匹配分是看哪里；切掉说明要不要它。",
        "The share it takes belongs to this network and these steps. With the country model's "
        "own table of positions, {table_of_places[share]:.0%} of lists give "
        "{table_of_places[lowest]:.1%} to {table_of_places[highest]:.1%} copied, and the worst "
        "seed has {table_of_places[right]} answers right (recorded, {table_of_places[seeds]} "
        "seeds). The matching score says where it looks; the cut, whether that is needed."),
    questions=(Question(
        T("往国家模型的语料里掺“说两遍的名单”，训练 600 步。名单占多大比例，它才会抄？",
          "Lists said twice are mixed into the country model's corpus; six hundred steps. From "
          "which share of lists does it copy?"),
        (Option(T("百分之五就够", "five per cent will do"),
                lambda m: 0.07 - m["enough"]["share"],
                T("以为看见过就学得会。两层要同时配合，信号太稀就长不出来。",
                  "thinks seen is learned. Two layers must fit each other; a thin signal does "
                  "not grow them.")),
         Option(T("百分之十到二十", "ten to twenty per cent"),
                lambda m: min(m["enough"]["share"] - 0.07, 0.23 - m["enough"]["share"]),
                T("低估了门槛：占 {few[share]:.0%} 时还是不抄。",
                  "underrates the threshold: at {few[share]:.0%} it does not copy yet.")),
         Option(T("三成到五成", "thirty to fifty per cent"),
                lambda m: min(m["enough"]["share"] - 0.23, 0.52 - m["enough"]["share"]),
                None),
         Option(T("要全是名单才行", "only when nearly all are lists"),
                lambda m: m["enough"]["share"] - 0.52,
                T("以为学抄和学事实互相挤。两样可以一起学会。",
                  "expects copying and facts to crowd each other out. Both are learned "
                  "together.")))),),
    pins={"shares.*": RECORDED, "few.*": RECORDED, "enough.*": RECORDED, "most.*": RECORDED,
          "fewest_right": RECORDED,
          "table_of_places.*": RECORDED, "questions": COUNT, "in_a_row": COUNT, "steps": COUNT,
          "*.layer": COUNT, "*.head": COUNT, "*.right": COUNT, "*.hits": COUNT,
          "*.total": COUNT, "*": TRAINED},
    notes=T(
        "约 6 分钟。先投票，再给记录表，一行一行往下读。争论点：为什么不是慢慢变好，而是过了某个"
        "比例就会？"
        "（和第 1 部分的一跳是同一件事：步数固定，名单多，就等于走得更远。）",
        "About 6 minutes. Vote, then read the recorded table downwards. The argument: why not "
        "gradually, but from some share on? (It is the jump of part 1: with the steps fixed, "
        "more lists mean that it gets further.)"),
)

# --- 6. a score that deceives --------------------------------------------------------


def fixed_distance(seed: int, trained: bool = True, varied: bool = False,
                   repeat: bool = False) -> Metrics:
    """One layer, trained and tested where the distance never changes."""
    fixed, own = ready("grows_fixed", trained)
    two, recipe = ready("grows")
    ids, copy = fresh(recipe if varied else own, seed)          # [64, 32]
    moving = fresh(recipe, seed)
    plain = ids if repeat else growth.without_repeats(ids, seed)
    places = induction_targets(ids, ignore=START)               # [n, T, T]

    def look(model: GPT, x: Array) -> float:
        maps = model.run(x, trace=True).maps(model.cfg.n_layer)
        return float(max(weight_on(W, places).max() for W in maps))

    runs = records.read("growth")["one_layer"]
    found: Metrics = {}
    for name, model in (("fixed", fixed), ("two", two)):
        found[name] = {"own": growth.on_copy(model, ids, copy),
                       "varied": growth.on_copy(model, *moving),
                       "matching": look(model, ids),
                       "not_repeating": look(model, plain)}
    blind = growth.cut_edges(0, [0, 1], places)
    other = growth.cut_edges(0, [0, 1], drawn_edges(places, seed))
    found["cut"] = {"match": growth.on_copy(fixed, ids, copy, blind)["right"],
                    "drawn": growth.on_copy(fixed, ids, copy, other)["right"]}
    return found | {
        "distance": 12, "back": 11, "seeds": len(runs),
        "record": {k: spread([r["fixed"]["varied" if varied else k]["right"]
                              for r in runs]) for k in ("own", "varied")}}


def show_trap(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一层，两个头，别的都和第 1 部分一样，只是名单总是正好 {distance} 个名字：要说的词总在往回 "
        "{back} 格的地方。",
        "One layer, two heads, all else as in part 1, but every list has exactly {distance} "
        "names: the word to say always stands {back} places back."))
    yield Table(
        (Column(T("网络", "network")), Column(T("间隔固定", "fixed distance"), ".1%"),
         Column(T("间隔变化", "varying distance"), ".1%"),
         Column(T("匹配分", "matching"), ".3f"), Column(T("不重复", "no repeat"), ".3f")),
        [[name, m[k]["own"]["right"], m[k]["varied"]["right"], m[k]["matching"],
          m[k]["not_repeating"]] for k, name in (
            ("fixed", T("一层，间隔固定时训练的", "one layer, trained at a fixed distance")),
            ("two", T("第 1 部分的两层", "the two layers of part 1")))],
        title=T("抄对的比例，和最高的匹配分", "Share right, and the best matching score"),
        legend=T("匹配分在间隔固定的行里量。不重复：后面的词换成没说过的，仍量同样那些位置。",
                 "Matching is measured on rows of fixed distance. No repeat: the later words "
                 "replaced by names not yet said, the same places measured."))


TRAP = Part(
    number=6, key="trap",
    title=T("会骗人的分数", "A score that deceives"),
    compute=fixed_distance, describe=show_trap, recipes=("grows_fixed", "grows"),
    controls={"untrained": partial(fixed_distance, trained=False),
              "varied": partial(fixed_distance, varied=True),
              "repeated_anyway": partial(fixed_distance, repeat=True)},
    claims=(
        Claim("one_layer_copies", T(
            "间隔固定，一层就抄对 {fixed[own][right]:.1%}；间隔一变，它只剩 "
            "{fixed[varied][right]:.1%}，两层的还有 {two[varied][right]:.1%}。记录，{seeds} 个种"
            "子："
            "固定时最低 {record[own][low]:.1%}，变化时最高 {record[varied][high]:.1%}。",
            "At a fixed distance one layer copies {fixed[own][right]:.1%}; vary the distance and "
            "it keeps {fixed[varied][right]:.1%}, the two layers {two[varied][right]:.1%}. "
            "Recorded, {seeds} seeds: fixed, at least {record[own][low]:.1%}; varying, at most "
            "{record[varied][high]:.1%}."),
            lambda m: min(m["fixed"]["own"]["right"] - 0.95, 0.3 - m["fixed"]["varied"]["right"],
                          m["two"]["varied"]["right"] - 0.95, m["record"]["own"]["low"] - 0.95,
                          0.3 - m["record"]["varied"]["high"]), "varied"),
        Claim("high_score", T(
            "它的匹配分是 {fixed[matching]:.3f}，和真正的匹配头（{two[matching]:.3f}）一样漂亮。",
            "Its matching score is {fixed[matching]:.3f}, as fine as that of a true matching "
            "head ({two[matching]:.3f})."),
            lambda m: min(m["fixed"]["matching"] - 0.9, m["two"]["matching"] - 0.9),
            "untrained"),
        Claim("compares_nothing", T(
            "可它什么词也不比：后面的词换成没说过的，它照样给那些位置 "
            "{fixed[not_repeating]:.3f}，真正的匹配头只给 {two[not_repeating]:.3f}。",
            "Yet it compares no words: with the later words replaced by new ones it still puts "
            "{fixed[not_repeating]:.3f} on those places, the true matching head "
            "{two[not_repeating]:.3f}."),
            lambda m: min(m["fixed"]["not_repeating"] - 0.8, 0.3 - m["two"]["not_repeating"]),
            "repeated_anyway"),
        Claim("the_look_is_used", T(
            "这一看倒是真的在用：只禁止看那些位置，抄对 {cut[match]:.1%}；随机禁止同样多条，"
            "{cut[drawn]:.1%}。",
            "The look is really used, though: forbid those places only and {cut[match]:.1%} are "
            "right; as many drawn ones, {cut[drawn]:.1%}."),
            lambda m: min(0.3 - m["cut"]["match"], m["cut"]["drawn"] - 0.8), "untrained"),
    ),
    caveat=T(
        "分数定义的是看哪里，不是怎样找到那里。要把“按词找”和“按格数找”分开，数据里的间隔必须变化，"
        "还要有一组不重复的行作对照。",
        "A score defines where a head looks, not how it finds the place. To tell looking up a "
        "word from counting places, the distance in the data must vary, and rows without a "
        "repeat must stand beside."),
    questions=(Question(
        T("只有一层，两遍的间隔固定。能学会抄吗？",
          "One layer only, and the two sayings always equally far apart. Can it learn to copy?"),
        (Option(T("不能，一定要两层", "no, it takes two layers"),
                lambda m: 0.5 - m["fixed"]["own"]["right"],
                T("把“要比较词”当成了抄写的定义。间隔固定时，数格数就够了。",
                  "takes comparing words for the definition of copying. At a fixed distance "
                  "counting places will do.")),
         Option(T("能：总是往回看同样多格", "yes: it always looks the same way back"),
                lambda m: min(m["fixed"]["own"]["right"] - 0.9,
                              m["fixed"]["not_repeating"] - 0.5)),
         Option(T("能：一层也会比较词", "yes: one layer compares words too"),
                lambda m: min(m["fixed"]["own"]["right"] - 0.9,
                              0.5 - m["fixed"]["not_repeating"]),
                T("匹配分确实很高，可换成不重复的行，它照样看那里。",
                  "the matching score is high indeed, but it looks there in rows without a "
                  "repeat as well.")),
         Option(T("只有加上 MLP 才能", "only with an MLP"),
                lambda m: min(m["fixed"]["own"]["right"] - 0.5,
                              0.9 - m["fixed"]["own"]["right"]),
                T("以为记忆要靠 MLP。这里一个 MLP 也没有。",
                  "thinks memory needs an MLP. There is none here.")))),),
    pins={"record.*": RECORDED, "seeds": COUNT, "distance": COUNT, "back": COUNT,
          "*": TRAINED},
    notes=T(
        "约 4 分钟，收尾。先投票，再给表，请大家用最后两列说出两个网络的区别。争论点：如果只有第"
        "三列，"
        "你会发表什么？",
        "About 4 minutes, to close. Vote, then the table; let them tell the two networks apart "
        "by the last two columns. The argument: with the third column alone, what would you have "
        "published?"),
)

PARTS: tuple[Part, ...] = (GROWS, CIRCUIT, PLACES, CUTS, WORLD, TRAP)
