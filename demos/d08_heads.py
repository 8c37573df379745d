"""What can several heads do that one cannot, and which head does what?

One head gives every query one average.  Part 1 asks two things of one place, so that
one average has to serve both; part 2 asks what "it" stands for, and cuts edges instead
of believing the attention map; part 3 counts parameters, part 4 ranks, and part 5 lets
query heads share keys and values.

Unlike demo 05: there one head and its three matrices, here several side by side.  Left
out: what heads of a large model do (12 finds one kind in a small one), the cost of long
inputs (11), pruning heads after training.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from attention_np import (
    attention,
    attention_scores,
    causal_mask,
    entropy,
    extend_cache,
    merge_heads,
    softmax,
    split_heads,
)
from demos.errata.e08 import ERRATA
from lecture import model_cache, records, tasks
from lecture.gpt_np import GPT, Patch, combine, cut_edge, init_weights, zero_head
from lecture.recipes import GPTConfig, named
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
    Tolerance,
    close,
    exact,
)

Array = np.ndarray
ARITHMETIC = close("deterministic float64: only the order of additions may differ")
ROUNDING = close("a difference of equal numbers: only rounding", rtol=0.0, atol=1e-11)
TRAINED = close("shipped weights: matrix products round differently", 1e-6, 1e-9)
RECORDED = exact("read from the record")

# --- 1. two answers from one place --------------------------------------------

NAMES = "Ada Ben Eva Finn Ida Jon Kim Leo".split()
ASK = len(NAMES)
NETS = ("bare_1", "bare_2", "marked_1", "marked_2")
ROWS, DRAWS, BAR = 200, 8, 0.95
Sheet = tuple[Array, Array]             # ids [B, T], right answers [2, B]


def two_sheet(net: str, seed: int) -> Sheet:
    """Fresh rows of the task, each once, with both answers."""
    data = named(f"two_{net}").data
    ids, mask, told = tasks.named(data.task)(
        np.random.default_rng(seed), 2 * ROWS, **dict(data.sizes))
    return ids[::2], told[:, -1].reshape(-1, 2).T               # [2, B]


def both_said(net: GPT, ids: Array, patch: Patch | None = None) -> Array:
    """Who and whom, read from the one output at "?": [2, B] ids."""
    first = net.cfg.vocab_size - 2 * len(NAMES)
    logits = net.run(ids, patch).logits[:, -1, first:]          # [B, 2 n]
    two = logits.reshape(len(ids), 2, -1).argmax(-1).T          # [2, B]
    return first + two + len(NAMES) * np.arange(2)[:, None]     # [2, B]


def shares(net: GPT, sheet: Sheet, patch: Patch | None = None) -> Metrics:
    """Share of rows with the right who, the right whom, and both."""
    right = both_said(net, sheet[0], patch) == sheet[1]         # [2, B]
    return {"who": right[0].mean(), "whom": right[1].mean(),
            "both": right.all(axis=0).mean()}


def names_only(ids: Array) -> Patch:
    """A patch: each value is the mean over all places its name can bear."""
    def edit(v: Array) -> Array:                              # [B, h, T, w]
        by = v.swapaxes(1, 2)                                 # [B, T, h, w]
        table = np.zeros((ids.max() + 1, *by.shape[2:]))        # [V, h, w]
        table[ids] = by
        mean = table[:-1].reshape(-1, len(NAMES), *by.shape[2:]).mean(0)
        by[:, :-1] = mean[ids[:, :-1] % len(NAMES)]         # [B, T-1, h, w]
        return by.swapaxes(1, 2)
    return {"0.v": edit}


def half_zeroed(rng: np.random.Generator) -> Patch:
    """A patch: half of all the numbers the heads fetched, drawn, become 0."""
    def edit(heads: Array) -> Array:                          # [B, h, T, w]
        count = heads.shape[1] * heads.shape[3]
        keep = rng.permutation(count) >= count // 2             # [h w]
        return heads * keep.reshape(1, heads.shape[1], 1, -1)
    return {"0.heads": edit}


def measure_two(net: GPT, sheet: Sheet, seed: int, cut: bool) -> Metrics:
    """One network: what it answers, where it looks, what each cut costs."""
    ids, rng = sheet[0], np.random.default_rng(seed)
    W = net.run(ids, trace=True).trace["0.weights"][:, :, -1]   # [B, h, T]
    W, asked = W.mean(axis=0), list(tasks.ASKED)                # [h, T]
    whole, heads = shares(net, sheet), range(net.cfg.n_head)
    after = [shares(net, sheet, zero_head(0, h)) if cut and len(heads) > 1
             else whole for h in heads] * (2 // len(heads))
    drawn = [shares(net, sheet, half_zeroed(rng) if cut else None)
             for _ in range(DRAWS)]
    who = min(range(2), key=lambda h: after[h]["who"])
    return {
        **whole, "weights": W, "smaller": W.mean(0)[asked].min(),
        "elsewhere": 1 - W.mean(0)[asked].sum(),
        "same_keys": shares(net, sheet, {
            "0.k": lambda k: np.broadcast_to(k.mean(0), k.shape)}),
        "names_only": shares(net, sheet, names_only(ids) if cut else None),
        "who_head": who + 1, "cut": {"who_head": after[who],
                                     "whom_head": after[1 - who]},
        "half": {k: np.mean([d[k] for d in drawn]) for k in whole},
        "own": max(after[who]["who"], after[1 - who]["whom"]),
        "other": min(after[who]["whom"], after[1 - who]["who"])}


def ask_for_two(seed: int, pick: Any = None, cut: bool = True) -> Metrics:
    """Four shipped networks measured now, eight trainings each recorded."""
    kept, picked = records.read("heads_seeds")["two"], pick or {}
    rng = np.random.default_rng(seed)
    row = rng.permutation(len(NAMES))[:6]                       # [6]
    now: Metrics = {}
    record: Metrics = {}
    says: Metrics = {}
    for name in NETS:
        chosen = picked.get(name, name)
        recipe = named(f"two_{chosen}")
        net = GPT(recipe.config, model_cache.load(recipe))
        now[name] = measure_two(net, two_sheet(chosen, seed), seed, cut)
        marks = ASK * np.arange(6) * ("marked" in chosen)
        ids = np.append(row + marks, recipe.config.vocab_size - 2 * ASK - 1)
        said = both_said(net, ids[None])[:, 0] - recipe.config.vocab_size
        says[name] = [NAMES[i] for i in said % len(NAMES)]
        runs = kept[chosen]
        record[name] = {
            "low": min(r["both"] for r in runs),
            "high": max(r["both"] for r in runs),
            "good": sum(r["both"] >= BAR for r in runs),
            "even": sum(min(r["both"] - 0.8, r["smaller"] - 0.3) >= 0
                        for r in runs),
            "apart": sum(r["own"] <= 0.5 < r["other"] for r in runs),
            "first": sum(r["who_head"] == 1 for r in runs),
            "runs": [r["both"] for r in runs]}
    return {"names": len(NAMES), "places": len(row), "rows": ROWS,
            "bar": BAR, "width": recipe.config.width,
            "trainings": len(runs), "example": {
                "row": " ".join(NAMES[i] for i in row), "says": says,
                "right": [NAMES[row[i]] for i in tasks.ASKED]},
            "draws": DRAWS, "now": now, "record": record}


NET_NAMES = {"bare_1": T("光名字，一个头", "bare, one head"),
             "bare_2": T("光名字，两个头", "bare, two heads"),
             "marked_1": T("带标记，一个头", "marked, one head"),
             "marked_2": T("带标记，两个头", "marked, two heads")}
CUT_NAMES = {"whole": T("不切", "no cut"),
             "who_head": T("切“谁”的头", "cut the who head"),
             "whom_head": T("切“对谁”的头", "cut the whom head"),
             "half": T("随机置零一半", "random half zeroed")}


def show_two(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一行 {places} 个名字，最后一个问号。第二个名字是“谁”，第五个是“对谁”；任何名字都可以站在"
        "任何位置。问号这一个位置的一个输出，要同时答出两个。网络只有一层注意力，没有 MLP，位置用 "
        "RoPE：它只转查询和键，取回来的值里没有位置。",
        "A row of {places} names, then a question mark. The second name is who, the fifth is "
        "whom; any name may stand anywhere. The one output at the question mark must give both. "
        "The network is one layer of attention without MLP; places come from RoPE, which turns "
        "queries and keys only: a fetched value holds no place."))
    yield Paragraph(T(
        "光名字：名字在哪儿都长一样。带标记：名字带着它的位置，像格的词尾，“谁”和“对谁”不同形。"
        "一个头宽 {width}，两个头各宽一半：参数一样多。",
        "Bare: a name looks the same everywhere. Marked: a name bears its place, as a case "
        "ending does (he, him). One head of width {width}, or two of half the width: the same "
        "number of weights."))
    yield Table(
        (Column(T("网络", "network")), Column(T("谁", "who"), ".1%"),
         Column(T("对谁", "whom"), ".1%"), Column(T("都对", "both"), ".1%"),
         Column(T("较小权重", "smaller w."), ".2f"),
         Column(T("例：谁", "e.g. who")), Column(T("对谁", "whom"))),
        [[NET_NAMES[n], r["who"], r["whom"], r["both"], r["smaller"],
          *m["example"]["says"][n]] for n, r in m["now"].items()],
        title=T("现在测：{rows} 行新题，答对的比例", "Measured now: share right on {rows} "
                                                 "fresh rows"),
        legend=T("较小权重：两个该看的位置里，各头平均权重较小的那个。例：{example[row]} ?，正确"
                 "答案是 {example[right][0]}、{example[right][1]}。",
                 "smaller w.: of the two places that matter, the smaller weight, mean over "
                 "heads. Example: {example[row]} ?, right are {example[right][0]} and "
                 "{example[right][1]}."))
    yield Table(
        (Column(T("网络", "network")), Column(T("最低", "lowest"), ".1%"),
         Column(T("最高", "highest"), ".1%"), Column(T("≥ {bar:.0%}", "≥ {bar:.0%}"), "d"),
         Column(T("分工", "heads apart"), "d")),
        [[NET_NAMES[n], r["low"], r["high"], r["good"],
          r["apart"] if n.endswith("2") else None] for n, r in m["record"].items()],
        title=T("记录：各 {trainings} 次训练，两个都对的比例", "Recorded: {trainings} trainings "
                "each, share with both right"),
        legend=T("分工：切掉一个头，它那一问最多剩一半，另一问剩一半以上，这样的训练次数。",
                 "heads apart: trainings in which cutting one head leaves at most half of its "
                 "question and more than half of the other."))
    yield HeatMap(m["now"]["bare_2"]["weights"],
                  [T("头一", "head one"), T("头二", "head two")],
                  ["a", "b", "c", "d", "e", "f", "?"],
                  title=T("光名字、两个头：问号看哪里（平均）", "Bare, two heads: where ? looks "
                                                        "(mean)"),
                  legend=T("a 到 f 是六个位置；b 是“谁”，e 是“对谁”。",
                           "a to f are the six places; b is who, e is whom."))
    for net in ("bare_2", "marked_2"):
        r = m["now"][net]
        rows = {"whole": r, **r["cut"], "half": r["half"]}
        yield Table(
            (Column(NET_NAMES[net]), Column(T("谁", "who"), ".1%"),
             Column(T("对谁", "whom"), ".1%"), Column(T("都对", "both"), ".1%")),
            [[CUT_NAMES[k], v["who"], v["whom"], v["both"]] for k, v in rows.items()],
            title=T("切掉一个头", "Cut one head"),
            legend=T("最后一行：取回的数随机一半置零（和一个头一样多），{draws} 次平均。",
                     "Last row: a random half of the fetched numbers zeroed, as many as one head "
                     "has, mean of {draws} draws."))
    yield Table(
        (Column(T("改动之后都对", "both right after")), Column(T("不改", "no change"), ".1%"),
         Column(T("键只剩位置", "keys: place"), ".1%"),
         Column(T("值只剩名字", "values: name"), ".1%")),
        [[NET_NAMES[n], r["both"], r["same_keys"]["both"], r["names_only"]["both"]]
         for n, r in m["now"].items()],
        title=T("是键，还是值？", "Is it the key or the value?"),
        legend=T("键只剩位置：每个位置的键换成所有行的平均。值只剩名字："
                 "每个值换成同名各种标记的平均。",
                 "keys: place = every key replaced by the mean key of its place; values: name = "
                 "every value replaced by the mean over the marks of its name."))


TWO = Part(
    number=1, key="two_answers",
    title=T("一次查询，两个答案", "Two answers from one query"),
    compute=ask_for_two, describe=show_two,
    recipes=tuple(f"two_{n}" for n in NETS),
    controls={"marked": partial(ask_for_two, pick={"bare_1": "marked_1"}),
              "bare": partial(ask_for_two, pick={"marked_1": "bare_1"}),
              "one_head": partial(ask_for_two, pick={"bare_2": "bare_1"}),
              "uncut": partial(ask_for_two, cut=False)},
    claims=(
        Claim("one_average_is_not_enough", T(
            "光名字、一个头：两个都对只有 {now[bare_1][both]:.1%}，{trainings} 次训练最高 "
            "{record[bare_1][high]:.1%}。取回的是一个平均，平均里看不出谁先谁后。",
            "Bare names, one head: both right in {now[bare_1][both]:.1%}, at best "
            "{record[bare_1][high]:.1%} in {trainings} trainings. What comes back is one "
            "average, and it does not tell which name stood where."),
            lambda m: 0.75 - max(m["now"]["bare_1"]["both"], m["record"]["bare_1"]["high"]),
            "marked"),
        Claim("two_heads_keep_them_apart", T(
            "同样多的参数分成两个头：现在测 {now[bare_2][both]:.1%}；{trainings} 次训练里 "
            "{record[bare_2][good]} 次达到 {bar:.0%}。",
            "The same weights cut into two heads: {now[bare_2][both]:.1%}; "
            "{record[bare_2][good]} of {trainings} trainings reach {bar:.0%}."),
            lambda m: min(m["now"]["bare_2"]["both"] - m["bar"],
                          m["record"]["bare_2"]["good"] - 0.8 * m["trainings"]),
            "one_head"),
        Claim("one_average_can_be_enough", T(
            "带标记、一个头：权重对半分（较小的 {now[marked_1][smaller]:.2f}），照样答对 "
            "{now[marked_1][both]:.1%}；{trainings} 次训练有 {record[marked_1][even]} 次这样。",
            "Marked names, one head: it splits its weight (the smaller {now[marked_1][smaller]"
            ":.2f}) and still gets {now[marked_1][both]:.1%}; so do {record[marked_1][even]} of "
            "{trainings} trainings."),
            lambda m: min(m["now"]["marked_1"]["smaller"] - 0.3,
                          m["now"]["marked_1"]["both"] - 0.8,
                          m["record"]["marked_1"]["even"] - 0.8 * m["trainings"] + 0.01),
            "bare"),
        Claim("the_mark_is_in_the_value", T(
            "救它的是值，不是键：把标记从值里抹掉，只剩 {now[marked_1][names_only][both]:.1%}；"
            "把名字从键里抹掉，还有 {now[marked_1][same_keys][both]:.1%}。",
            "The value saves it, not the key: wipe the mark from the values and "
            "{now[marked_1][names_only][both]:.1%} is left; wipe the name from the keys and "
            "{now[marked_1][same_keys][both]:.1%} stays."),
            lambda m: min(0.65 - m["now"]["marked_1"]["names_only"]["both"],
                          m["now"]["marked_1"]["same_keys"]["both"] - 0.8), "uncut"),
        Claim("each_head_has_its_question", T(
            "光名字的两个头各管一问：切“谁”的头，“谁”剩 {now[bare_2][cut][who_head][who]:.1%}，"
            "“对谁”还有 {now[bare_2][cut][who_head][whom]:.1%}；切另一个，反过来是 "
            "{now[bare_2][cut][whom_head][who]:.1%} 和 {now[bare_2][cut][whom_head][whom]:.1%}。"
            "{trainings} 次训练有 {record[bare_2][apart]} 次这样分工。",
            "With bare names each head has its question: cut the who head and who falls to "
            "{now[bare_2][cut][who_head][who]:.1%} while whom stays at "
            "{now[bare_2][cut][who_head][whom]:.1%}; cut the other and it is "
            "{now[bare_2][cut][whom_head][who]:.1%} and {now[bare_2][cut][whom_head][whom]:.1%}. "
            "So it is in {record[bare_2][apart]} of {trainings} trainings."),
            lambda m: min(0.5 - m["now"]["bare_2"]["cut"]["who_head"]["who"],
                          0.5 - m["now"]["bare_2"]["cut"]["whom_head"]["whom"],
                          m["now"]["bare_2"]["cut"]["who_head"]["whom"] - 0.5,
                          m["now"]["bare_2"]["cut"]["whom_head"]["who"] - 0.5,
                          m["record"]["bare_2"]["apart"] - 0.8 * m["trainings"] + 0.01), "uncut"),
        Claim("no_seat_is_reserved", T(
            "哪个头管“谁”，训练之前没有定：{trainings} 次里，头一管它 {record[bare_2][first]} 次。",
            "Which head takes who is not settled beforehand: in {trainings} trainings the first "
            "head took it {record[bare_2][first]} times."),
            lambda m: min(m["record"]["bare_2"]["first"] - 0.5,
                          m["trainings"] - m["record"]["bare_2"]["first"] - 0.5),
            T("换了种子的训练本身就是对照：去掉随机的初值，就没有第二次训练可比。",
              "the other seeds are the comparison: without random first weights there is no "
              "second training to compare.")),
    ),
    caveat=T(
        "这是 {width} 维、一层、没有 MLP 的网络。有了 MLP 或者后面的层，"
        "一个不均匀的平均也可能被拆开。"
        "头管什么，是切出来的；热力图只说看了哪里。",
        "This is a network of width {width}, one layer, no MLP. An MLP or a later layer may take "
        "an uneven average apart. What a head is for comes from cutting it; the map says only "
        "where it looks."),
    questions=(Question(
        T("一个头必须用一次平均同时取回“谁”和“对谁”。它会？",
          "One head must fetch who and whom with one average. It will"),
        (Option(T("一定失败", "fail, always"),
                lambda m: 0.5 - max(m["now"]["bare_1"]["both"], m["now"]["marked_1"]["both"]),
                T("以为一个头只能管一种关系。值里带着角色，平均就还能拆开。",
                  "one head = one relation. If the values bear their role, the average can be "
                  "taken apart.")),
         Option(T("只答一个，另一个靠猜", "answer one and guess the other, always"),
                lambda m: min(0.5 - m["now"]["marked_1"]["both"],
                              max(m["now"]["bare_1"]["who"], m["now"]["bare_1"]["whom"]) - 0.9),
                T("以为注意力只能指向一处。权重可以分给两处。",
                  "thinks attention can point at one place only. Weight can be shared out.")),
         Option(T("各给一半，总能答对", "give each one half and answer, always"),
                lambda m: min(m["now"]["bare_1"]["both"], m["now"]["marked_1"]["both"]) - 0.8,
                T("以为平均不丢东西。同一批名字换个顺序，平均就一样。",
                  "thinks an average loses nothing. Two names in the other order have the same "
                  "average.")),
         Option(T("看情况：看取回的东西带不带角色", "it depends on whether what it fetches bears "
                                               "its role"),
                lambda m: min(m["now"]["marked_1"]["both"] - 0.8,
                              0.75 - m["now"]["bare_1"]["both"])))),),
    pins={"record.*": RECORDED, "names": RECORDED, "places": RECORDED, "rows": RECORDED,
          "draws": RECORDED, "example.*": exact("words"), "trainings": RECORDED,
          "*": TRAINED},
    errata=ERRATA["two_answers"],
    notes=T(
        "约 10 分钟，一次投票。先让人争：平均会丢掉什么？再看表：同一个头，名字带词尾就全对，不带就"
        "不行。然后猜哪个头管“谁”，再切。键和值那张表是关键：决定的是值，"
        "不是键看见了什么。",
        "About 10 minutes, one vote. Let them argue first: what does an average lose? Then the "
        "table: the same one head gets all with case endings and fails without. Then guess which "
        "head is for who, and cut. The table on keys and values is the point: it is the value "
        "that decides, not what the key sees."),
)

# --- 2. what "it" stands for --------------------------------------------------

WORDS = tasks.PRONOUN_WORDS
SAID = ("<doc> the cat sat on the mat because it was tired",
        "<doc> the cat sat on the mat because it was soft")
IT, REASON = tasks.IT, tasks.REASON
NOTED = {"The": 0.0, "cat": 0.7, "sat": 0.0, "on": 0.0, "the": 0.0, "mat": 0.0,
         "because": 0.0, "it": None, "was": 0.0, "tired": 0.2}
SENTENCES = 150


def to_ids(text: str) -> Array:
    return np.array([WORDS.index(w) for w in text.split()])


def pronoun_sheet(name: str, seed: int) -> Metrics:
    """Sentences [B, T]: the right answer [B], the places of the nouns [B]."""
    data = named(name).data
    ids, mask, told = tasks.named(data.task)(
        np.random.default_rng(seed), SENTENCES, **dict(data.sizes))
    animal = np.isin(ids, to_ids(" ".join(tasks.ANIMALS))).argmax(1)
    thing = np.isin(ids, to_ids(" ".join(tasks.THINGS))).argmax(1)
    alive = np.isin(ids[:, REASON], to_ids(" ".join(tasks.OF_ANIMALS)))
    return {"ids": ids, "answer": told[:, 0], "at": int(mask[0].argmax()),
            "meant": np.where(alive, animal, thing), "alive": alive,
            "other": np.where(alive, thing, animal)}


def right(net: GPT, s: Metrics, patch: Patch | None = None) -> Array:
    """[B] booleans: the noun that is meant comes out on top."""
    logits = net.run(s["ids"], patch).logits[:, s["at"]]        # [B, V]
    return logits.argmax(-1) == s["answer"]


def cut_all(net: GPT, query: Any, keys: list[Any], on: bool) -> Patch:
    """A patch: in every head of every layer, query may not look at keys."""
    return combine([cut_edge(l, None, query, k) for l in
                    range(net.cfg.n_layer) for k in keys if on])


def mute(place: int) -> Patch:
    """A patch: heads may look at the place, but what they fetch there is 0."""
    def edit(v: Array) -> Array:                              # [B, h, T, w]
        v[:, :, place] = 0.0
        return v
    return {"0.v": edit}


def measure_it(net: GPT, s: Metrics, seed: int, cut: bool) -> Metrics:
    """What "it" looks at, and what each cut leaves of the right answers."""
    rng, B = np.random.default_rng(seed), np.arange(len(s["ids"]))
    last, heads = net.cfg.n_layer - 1, range(net.cfg.n_head)
    trace = net.run(s["ids"], trace=True).trace
    rows = np.stack([trace[f"{l}.weights"][:, :, IT]
                     for l in range(last + 1)])               # [L, B, h, T]
    free = [i for i in range(1, IT) if i not in (2, 3, 4, 6)]
    places = {"meant": s["meant"], "other": s["other"], "reason": REASON,
              "elsewhere": rng.choice(free, len(B))}
    nouns, after = [s["meant"], s["other"]], max(s["at"], REASON)
    cuts = {k: (IT, [p]) for k, p in places.items()} | {
        "reason_and_other": (IT, [REASON, s["other"]]), "nouns": (IT, nouns),
        "reason_nouns": (REASON, nouns), "last_nouns": (after, nouns)}
    zeroed = [right(net, s, zero_head(last, h) if cut else None)
              for h in heads]
    kinds = [{"animals": z[s["alive"]].mean(),
              "things": z[~s["alive"]].mean()} for z in zeroed]
    first = min(heads, key=lambda h: kinds[h]["animals"])
    mine = np.where(s["alive"], first, 1 - first)               # [B] a head
    half = [right(net, s, half_zeroed(rng) if cut else None).mean()
            for _ in range(DRAWS)]
    W = rows[-1]                                                # [B, h, T]
    return {
        "whole": right(net, s).mean(),
        "cut": {k: right(net, s, cut_all(net, q, keys, cut)).mean()
                for k, (q, keys) in cuts.items()},
        "mute": right(net, s, mute(REASON) if cut else None).mean(),
        "looks": {k: rows.mean((0, 2))[B, p].mean()
                  for k, p in places.items()},
        "largest": rows[:, B, :, s["meant"]].mean(0).max(),
        "reason_seen": rows[..., REASON].max(),
        "own": W[B, mine, s["meant"]].mean(),
        "rest": W[B, 1 - mine, REASON].mean(),
        "animals_head": first + 1,
        "zeroed": {"animals_head": kinds[first],
                   "things_head": kinds[1 - first]},
        "half": np.mean(half)}


def resolve_it(seed: int, trained: bool = True, cut: bool = True,
               pick: Any = None) -> Metrics:
    """Two networks: one sees the whole sentence, one only what came before."""
    kept, found, picked = records.read("heads_seeds"), {}, pick or {}
    nets: dict[str, GPT] = {}
    for key in ("pronoun", "pronoun_causal"):
        name = picked.get(key, key)
        recipe, s = named(name), pronoun_sheet(name, seed)
        weights = (model_cache.load(recipe) if trained
                   else init_weights(recipe.config))
        nets[key] = GPT(recipe.config, weights)
        now = measure_it(nets[key], s, seed, cut)
        runs = (kept[name] if trained and cut and not pick
                else [now] * len(kept[name]))
        hits = {"meant": [r["cut"]["meant"] <= 0.3 for r in runs],
                "other": [r["cut"]["other"] >= 0.95 for r in runs],
                "reason": [r["cut"]["reason"] <= 0.7 for r in runs],
                "mute": [r["mute"] >= 0.95 for r in runs],
                "rest": [r["rest"] >= 0.8 for r in runs],
                "nouns": [r["cut"]["nouns"] >= 0.95 for r in runs],
                "late": [r["cut"]["reason_nouns"] <= 0.7 for r in runs],
                "apart": [max(r["zeroed"]["animals_head"]["animals"],
                              r["zeroed"]["things_head"]["things"]) <= 0.4
                          and min(r["zeroed"]["animals_head"]["things"],
                                  r["zeroed"]["things_head"]["animals"]) >= 0.9
                          for r in runs]}
        found[key] = {**now, "record": {k: sum(h) for k, h in hits.items()}}
    shown = []
    for text in SAID:
        run = nets["pronoun"].run(to_ids(text)[None], trace=True)
        shown.append({"reason": text.split()[-1], "it": WORDS[int(
            run.logits[0, IT].argmax())],
            "row": run.trace["0.weights"][0, :, IT]})           # [h, T]
    scores = [nets["pronoun"].run(to_ids(t)[None], trace=True)
              .trace["0.scores"][0, :, IT, :REASON] for t in SAID]
    return {"sentences": SENTENCES, "words": SAID[0].split(), "shown": shown,
            "score_moved": abs(scores[0] - scores[1]).max(),
            "trainings": len(kept["pronoun"]), "animals": len(tasks.ANIMALS),
            "nets": found,
            "noted": {"row": list(NOTED.values()), "words": list(NOTED),
                      "sum": sum(w for w in NOTED.values() if w),
                      "missing": 1 - sum(w for w in NOTED.values() if w)}}


PLACES = {"meant": T("它指的名词", "the noun meant"), "other": T("另一个名词", "the other noun"),
          "reason": T("形容词", "the adjective"), "elsewhere": T("随机一个别的词", "a drawn word")}


def show_it(m: Metrics) -> Iterator[Block]:
    see, late = m["nets"]["pronoun"], m["nets"]["pronoun_causal"]
    yield Paragraph(T(
        "一个小世界：the cat sat on the mat because it was tired。动物和东西各 {animals} 个，"
        "两种语序；"
        "形容词只配得上其中一个。第一个网络看得见整句（一层、两个头、没有 MLP），"
        "要在 it 这个位置说出"
        "它指谁。第二个只看前文（两层），句末加一个问号，在那里回答。",
        "A small world: the cat sat on the mat because it was tired. {animals} animals, as many "
        "things, two word orders; the adjective fits one of the two nouns. The first network "
        "sees the whole sentence (one layer, two heads, no MLP) and answers at it. The second "
        "sees only what came before (two layers); a question mark follows, and it answers "
        "there."))
    yield HeatMap(
        [[row[i] for shown in m["shown"] for row in shown["row"]]
         for i in range(len(m["words"]))],
        [*m["words"][:-1], "tired / soft"],
        [T("猫累一", "tired I"), T("猫累二", "tired II"), T("垫软一", "soft I"),
         T("垫软二", "soft II")],
        title=T("看得见整句的网络：it 看哪里（两句话，各两个头）",
                "The network that sees it all: where it looks (two sentences, two heads)"),
        legend=T("它说 it 是：{shown[0][reason]} → {shown[0][it]}，{shown[1][reason]} → "
                 "{shown[1][it]}。分数只由这两个词决定：换形容词，前面各词的分数变 "
                 "{score_moved:.0f}，变的是 softmax 之后的权重。",
                 "It says it is: {shown[0][reason]} → {shown[0][it]}, {shown[1][reason]} → "
                 "{shown[1][it]}. A score depends on its two words only: change the adjective "
                 "and the scores of the words before move by {score_moved:.0f}; what moves is "
                 "the weights after softmax."))
    yield Table(
        (Column(T("不许 it 看", "it may not see")), Column(T("整句：权重", "all: weight"), ".2f"),
         Column(T("切后答对", "right, cut"), ".1%"), Column(T("前文：权重", "past: weight"), ".2f"),
         Column(T("切后答对", "right, cut"), ".1%")),
        [[name, see["looks"][k], see["cut"][k], late["looks"][k], late["cut"][k]]
         for k, name in PLACES.items()],
        title=T("从 it 切一条边（每个头、每一层）", "Cut one edge from it (every head and layer)"),
        legend=T("不切：整句 {nets[pronoun][whole]:.1%}，前文 {nets[pronoun_causal][whole]:.1%}。"
                 "权重是各头、各层的平均；{sentences} 句。",
                 "No cut: {nets[pronoun][whole]:.1%} and {nets[pronoun_causal][whole]:.1%}. "
                 "Weights are means over heads and layers; {sentences} sentences."))
    yield Table(
        (Column(T("看得见整句的网络", "the network that sees it all")),
         Column(T("答对", "right"), ".1%")),
        [[T("不许看形容词", "may not look at the adjective"), see["cut"]["reason"]],
         [T("照看，但取回的是零", "looks, but fetches zero there"), see["mute"]],
         [T("不许看形容词和另一个名词", "may look at neither adjective nor other noun"),
          see["cut"]["reason_and_other"]]],
        title=T("形容词给了它什么？", "What does the adjective give it?"))
    yield Table(
        (Column(T("看得见整句的网络", "the network that sees it all")),
         Column(T("it 是动物", "it is an animal"), ".1%"),
         Column(T("it 是东西", "it is a thing"), ".1%")),
        [[T("切动物的头", "cut the animals' head"),
          *(see["zeroed"]["animals_head"][k] for k in ("animals", "things"))],
         [T("切东西的头", "cut the things' head"),
          *(see["zeroed"]["things_head"][k] for k in ("animals", "things"))]],
        title=T("切掉一个头，答对的比例", "Cut one head: share right"),
        legend=T("随机置零一半取回的数：{nets[pronoun][half]:.1%}。管动物的是第 "
                 "{nets[pronoun][animals_head]} 个头。",
                 "A random half of what is fetched zeroed: {nets[pronoun][half]:.1%}. The "
                 "animals' head is number {nets[pronoun][animals_head]}."))
    yield Table(
        (Column(T("只看前文的网络", "the network that sees the past")),
         Column(T("答对", "right"), ".1%")),
        [[T("it 看不见两个名词", "it may not see the nouns"), late["cut"]["nouns"]],
         [T("形容词看不见两个名词", "the adjective may not see them"),
          late["cut"]["reason_nouns"]],
         [T("问号看不见两个名词", "the question mark may not see them"),
          late["cut"]["last_nouns"]]],
        title=T("谁在找名词？", "Who looks for the noun?"))


IT_PART = Part(
    number=2, key="pronoun",
    title=T("it 指的是谁", "What it stands for"),
    compute=resolve_it, describe=show_it, recipes=("pronoun", "pronoun_causal"),
    controls={"untrained": partial(resolve_it, trained=False),
              "uncut": partial(resolve_it, cut=False),
              "sees_all": partial(resolve_it, pick={"pronoun_causal": "pronoun"})},
    claims=(
        Claim("the_edge_is_needed", T(
            "看得见整句时，it 把 {nets[pronoun][looks][meant]:.2f} 给它指的名词，另一个只有 "
            "{nets[pronoun][looks][other]:.2f}。切断前一条边只剩 "
            "{nets[pronoun][cut][meant]:.1%}，切断后一条还有 {nets[pronoun][cut][other]:.1%}；"
            "{trainings} 次训练有 {nets[pronoun][record][meant]}、{nets[pronoun][record][other]} "
            "次如此。",
            "Where all is visible, it gives {nets[pronoun][looks][meant]:.2f} to the noun it "
            "means and {nets[pronoun][looks][other]:.2f} to the other. Cut the first edge and "
            "{nets[pronoun][cut][meant]:.1%} is left; cut the other and "
            "{nets[pronoun][cut][other]:.1%} stays: so in {nets[pronoun][record][meant]} and "
            "{nets[pronoun][record][other]} of {trainings} trainings."),
            lambda m: min(m["nets"]["pronoun"]["looks"]["meant"] - 0.3,
                          0.1 - m["nets"]["pronoun"]["looks"]["other"],
                          0.3 - m["nets"]["pronoun"]["cut"]["meant"],
                          m["nets"]["pronoun"]["cut"]["other"] - 0.95,
                          min(m["nets"]["pronoun"]["record"]["meant"],
                              m["nets"]["pronoun"]["record"]["other"])
                          - 0.8 * m["trainings"] + 0.01), "uncut"),
        Claim("a_place_to_rest", T(
            "另一个头把 {nets[pronoun][rest]:.2f} 放在形容词上。不许看它，只剩 "
            "{nets[pronoun][cut][reason]:.1%}；照看而取回零，还有 {nets[pronoun][mute]:.1%}。"
            "它不是去取内容的，是借此不看另一个名词：两个都不许看，又是 "
            "{nets[pronoun][cut][reason_and_other]:.1%}。{trainings} 次训练有 "
            "{nets[pronoun][record][rest]} 次这样歇着，{nets[pronoun][record][mute]} 次不取内容。",
            "The other head puts {nets[pronoun][rest]:.2f} on the adjective. Forbid the look and "
            "{nets[pronoun][cut][reason]:.1%} is left; let it look and fetch zero, and "
            "{nets[pronoun][mute]:.1%} stays. It is not there for content but to keep off the "
            "other noun: forbid both and it is {nets[pronoun][cut][reason_and_other]:.1%} again. "
            "Of {trainings} trainings {nets[pronoun][record][rest]} rest there and "
            "{nets[pronoun][record][mute]} fetch nothing they need."),
            lambda m: min(m["nets"]["pronoun"]["rest"] - 0.8,
                          0.7 - m["nets"]["pronoun"]["cut"]["reason"],
                          m["nets"]["pronoun"]["mute"] - 0.95,
                          m["nets"]["pronoun"]["cut"]["reason_and_other"] - 0.95,
                          min(m["nets"]["pronoun"]["record"]["rest"],
                              m["nets"]["pronoun"]["record"]["mute"],
                              m["nets"]["pronoun"]["record"]["reason"])
                          - 0.8 * m["trainings"] + 0.01), "uncut"),
        Claim("one_head_for_each_kind", T(
            "一个头管动物，一个头管东西：切掉前者，动物剩 "
            "{nets[pronoun][zeroed][animals_head][animals]:.1%}，东西 "
            "{nets[pronoun][zeroed][animals_head][things]:.1%}；切掉后者，动物 "
            "{nets[pronoun][zeroed][things_head][animals]:.1%}，东西 "
            "{nets[pronoun][zeroed][things_head][things]:.1%}。{trainings} 次训练有 "
            "{nets[pronoun][record][apart]} 次这样。",
            "One head is for animals, one for things: without the first, animals fall to "
            "{nets[pronoun][zeroed][animals_head][animals]:.1%} and things stay at "
            "{nets[pronoun][zeroed][animals_head][things]:.1%}; without the second it is "
            "{nets[pronoun][zeroed][things_head][animals]:.1%} and "
            "{nets[pronoun][zeroed][things_head][things]:.1%}. So in "
            "{nets[pronoun][record][apart]} of {trainings} trainings."),
            lambda m: min(0.4 - m["nets"]["pronoun"]["zeroed"]["animals_head"]["animals"],
                          0.4 - m["nets"]["pronoun"]["zeroed"]["things_head"]["things"],
                          m["nets"]["pronoun"]["zeroed"]["animals_head"]["things"] - 0.9,
                          m["nets"]["pronoun"]["zeroed"]["things_head"]["animals"] - 0.9,
                          m["nets"]["pronoun"]["record"]["apart"] - 0.8 * m["trainings"] + 0.01),
            "untrained"),
        Claim("the_past_cannot_see_the_reason", T(
            "只看前文的网络里，it 给形容词的权重正好是 {nets[pronoun_causal][reason_seen]:.0f}："
            "它在右边。两个名词 it 照看，有的头多到 {nets[pronoun_causal][largest]:.2f}，可是把这些"
            "边全切断，仍答对 {nets[pronoun_causal][cut][nouns]:.1%}（{trainings} 次训练有 "
            "{nets[pronoun_causal][record][nouns]} 次过关）。",
            "In the network that sees the past, it gives the adjective exactly "
            "{nets[pronoun_causal][reason_seen]:.0f}: that word is to the right. It does look at "
            "the nouns, with as much as {nets[pronoun_causal][largest]:.2f} in some head; yet "
            "cut all these edges and {nets[pronoun_causal][cut][nouns]:.1%} stays right "
            "({nets[pronoun_causal][record][nouns]} of {trainings} trainings)."),
            lambda m: min(1e-12 - m["nets"]["pronoun_causal"]["reason_seen"],
                          m["nets"]["pronoun_causal"]["largest"] - 0.3,
                          m["nets"]["pronoun_causal"]["cut"]["nouns"] - 0.95,
                          m["nets"]["pronoun_causal"]["record"]["nouns"]
                          - 0.8 * m["trainings"] + 0.01), "sees_all"),
        Claim("the_last_word_does_the_work", T(
            "找名词的是看得见理由的词：不许形容词看两个名词，只剩 "
            "{nets[pronoun_causal][cut][reason_nouns]:.1%}（{trainings} 次训练有 "
            "{nets[pronoun_causal][record][late]} 次这样掉下来）。",
            "The noun is found where the reason is known: forbid the adjective to see the nouns "
            "and {nets[pronoun_causal][cut][reason_nouns]:.1%} is left "
            "({nets[pronoun_causal][record][late]} of {trainings} trainings fall like this)."),
            lambda m: min(0.7 - m["nets"]["pronoun_causal"]["cut"]["reason_nouns"],
                          m["nets"]["pronoun_causal"]["record"]["late"]
                          - 0.8 * m["trainings"] + 0.01), "sees_all"),
    ),
    caveat=T(
        "这个世界只有一条规则，网络小到可以查清楚。大模型里 it 怎样处理，这里没有测。在名词那两条边"
        "上，权重图和切边在第一个网络里说法一致，在第二个网络里不一致：所以要切。",
        "This world has one rule, and the networks are small enough to be searched. What a large "
        "model does with it is not measured here. On the edges to the nouns, map and cuts "
        "agree in the first network and disagree in the second: hence the cuts."),
    questions=(
        Question(
            T("看得见整句的网络里，一个头在 it 处几乎全看 tired。让它照看，但把取回的换成零。"
              "答对的比例？",
              "Where all is visible, one head at it looks almost only at tired. Let it look, but "
              "replace what it fetches by zero. Share right?"),
            (Option(T("掉到瞎猜", "falls to guessing"),
                    lambda m: 0.3 - m["nets"]["pronoun"]["mute"],
                    T("以为权重大就是内容要紧。", "takes a large weight for needed content.")),
             Option(T("掉到一半：分不清指谁", "falls to one half: it cannot tell which"),
                    lambda m: 0.2 - abs(m["nets"]["pronoun"]["mute"] - 0.5),
                    T("以为理由是靠值传过来的。不许看才会掉到一半。",
                      "thinks the reason travels in the value. One half is what is left when "
                      "the look itself is forbidden.")),
             Option(T("不变", "stays"), lambda m: m["nets"]["pronoun"]["mute"] - 0.95))),
        Question(
            T("只看前文的网络，句末回答。把 it 到两个名词的边全切断，答对的比例？",
              "The network that sees the past answers at the end. Cut every edge from it to both "
              "nouns. Share right?"),
            (Option(T("不变", "stays"),
                    lambda m: m["nets"]["pronoun_causal"]["cut"]["nouns"] - 0.95),
             Option(T("掉到一半", "falls to one half"),
                    lambda m: 0.2 - abs(m["nets"]["pronoun_causal"]["cut"]["nouns"] - 0.5),
                    T("以为代词的事就在代词那里解决。那时理由还没出现。",
                      "thinks a pronoun is resolved at the pronoun. The reason has not come "
                      "yet.")),
             Option(T("掉到瞎猜", "falls to guessing"),
                    lambda m: 0.3 - m["nets"]["pronoun_causal"]["cut"]["nouns"],
                    T("以为名词只经过 it 传到后面。", "thinks the noun reaches the end only "
                                                "through it.")))),
    ),
    pins={"nets.*.record.*": RECORDED, "words.*": exact("words"), "shown.*.reason": exact("words"),
          "shown.*.it": exact("the answers"), "noted.words.*": exact("words"),
          "noted.*": exact("copied from the notes"), "trainings": RECORDED,
          "sentences": RECORDED, "animals": RECORDED, "score_moved": ROUNDING,
          "nets.*.reason_seen": TRAINED, "*": TRAINED},
    errata=ERRATA["pronoun"],
    notes=T(
        "约 10 分钟，两次投票。先放讲义那一行，问：加起来是多少？it 怎么能看到右边？再看我们的图，"
        "看上去就是讲义的意思。然后切。两个意外：看 tired 的头什么也没取；只看前文的网络里，"
        "it 看名词"
        "而毫无用处。",
        "About 10 minutes, two votes. Begin with the notes' row: what does it sum to, and how "
        "can it see to its right? Then our map, which looks like what the notes meant. Then "
        "cut. Two surprises: the head that looks at tired fetches nothing, and in the network "
        "that sees the past, it looks at the nouns for nothing."),
)

# --- 3. the arithmetic --------------------------------------------------------

D, H, HEAD = 512, 8, 64


def counts(width: int, heads: int, groups: int | None = None,
           head: int | None = None, bias: bool = False) -> Metrics:
    """Numbers in the matrices of one attention layer, by their shapes."""
    cfg = GPTConfig(1, 1, n_layer=1, n_head=heads, n_kv_head=groups,
                    head=head, width=width, mlp=False, norm="none",
                    positions="none", bias=bias)
    size = {n.removeprefix("blocks.0.attn."): int(np.prod(shape))
            for n, shape in cfg.tensor_shapes().items() if ".attn." in n}
    out = sum(n for name, n in size.items() if name.startswith("out"))
    return {"qkv": sum(size.values()) - out, "out": out,
            "total": sum(size.values())}


def run_heads(x: Array, M: dict[str, Array], h: int) -> tuple[Array, Array]:
    """x [n, d] through h heads cut from the same matrices -> [n, d], maps."""
    q, k, v = (split_heads(x @ M[c], h) for c in "qkv")         # [h, n, d/h]
    out, W = attention(q, k, v)                                # [h, n, d/h]
    return merge_heads(out) @ M["o"], W                         # [n, d]


def count_heads(heads: int, seed: int, w_o: bool = True,
                head: int | None = None, split: bool = True) -> Metrics:
    """The same matrices as one head and as many; width is 64 x heads.
    Drawn: 16 words, four matrices, standard normal / sqrt(width)."""
    d, rng = HEAD * heads, np.random.default_rng(seed)
    one = counts(d, 1)
    if not w_o:
        one = {"qkv": one["qkv"], "out": 0, "total": one["qkv"]}
    many = counts(d, heads, head=head)
    x = rng.standard_normal((16, d))                            # [n, d]
    M = dict(zip("qkvo", rng.standard_normal((4, d, d)) / np.sqrt(d),
                 strict=True))
    (a, A), (b, B) = (run_heads(x, M, h)
                      for h in (1, heads if split else 1))
    return {
        "width": d, "heads": heads, "head": HEAD, "words": len(x),
        "one": one, "many": many, "ratio": many["total"] / one["total"],
        "slice": d * HEAD * 3, "slices": d * HEAD * 3 * heads,
        "with_bias": counts(d, heads, bias=True)["total"],
        "compared": many["total"] / one["qkv"],
        "maps": {"one": A.size, "many": B.size},
        "moved": np.linalg.norm(a - b) / np.linalg.norm(a),
        "noted": {"qkv": 786304, "total": 1048448, "ratio": 1.3,
                  "short": d * HEAD * 3 * heads - 786304}}


def show_counts(m: Metrics) -> Iterator[Block]:
    yield Table(
        (Column(T("宽 {width}，无偏置", "width {width}, no bias")),
         Column(T("一个头", "one head"), ",d"), Column(T("{heads} 个头", "{heads} heads"), ",d")),
        [["W_Q + W_K + W_V", m["one"]["qkv"], m["many"]["qkv"]],
         ["W_O", m["one"]["out"], m["many"]["out"]],
         [T("合计", "total"), m["one"]["total"], m["many"]["total"]],
         [T("权重图里的数", "numbers in the maps"),
          m["maps"]["one"], m["maps"]["many"]]],
        title=T("数一数矩阵里的数", "Count the numbers in the matrices"),
        legend=T("一个头切成 {heads} 片，每片 {width} × {head} × 三 = {slice:,d}；"
                 "{heads} 片 = {slices:,d}。带偏置合计 {with_bias:,d}。权重图：{words} 个词。",
                 "Cut into {heads}, each slice has {width} × {head} × three = {slice:,d}; "
                 "{heads} slices = {slices:,d}. With biases the total is {with_bias:,d}. Maps: "
                 "for {words} words."))
    yield Paragraph(T(
        "同样的四个矩阵，当一个头用和当 {heads} 个头用，输出差多少（相对）：{moved:.2f}。参数一样，"
        "函数不一样；多出来的是权重图：每个头一张。",
        "The same four matrices, used as one head and as {heads}: the outputs differ by "
        "{moved:.2f} (relative). The same weights, another function; what grows is the maps, one "
        "for each head."))


ARITHMETIC_PART = Part(
    number=3, key="arithmetic",
    title=T("头多了，参数多了吗", "More heads, more weights?"),
    compute=count_heads, describe=show_counts,
    params={"heads": Param(H, 2, 16, about=T("头数；宽度是 64 乘它",
                                             "heads; the width is 64 times as much"))},
    controls={"no_w_o": partial(count_heads, w_o=False),
              "full_width": lambda heads, seed: count_heads(heads, seed, head=HEAD * heads),
              "not_split": partial(count_heads, split=False)},
    claims=(
        Claim("not_one_more", T(
            "宽 {width}：一个头 {one[total]:,d} 个参数，{heads} 个头 {many[total]:,d} 个，"
            "比值 {ratio:.3f}。",
            "At width {width} one head has {one[total]:,d} weights and {heads} heads have "
            "{many[total]:,d}: a ratio of {ratio:.3f}."),
            lambda m: 0.5 - abs(m["one"]["total"] - m["many"]["total"]), "no_w_o"),
        Claim("slices_of_the_same", T(
            "{heads} 片各 {slice:,d} 个，合起来 {many[qkv]:,d}：正是一个头的那三个矩阵。",
            "{heads} slices of {slice:,d} make {many[qkv]:,d}: the very three matrices of one "
            "head."),
            lambda m: 0.5 - max(abs(m["slice"] * m["heads"] - m["many"]["qkv"]),
                                abs(m["one"]["qkv"] - m["many"]["qkv"])), "full_width"),
        Claim("another_function", T(
            "参数相同，算的东西不同：输出相对差 {moved:.2f}，权重图从 {maps[one]:,d} 个数变成 "
            "{maps[many]:,d} 个。",
            "Equal weights, another computation: the outputs differ by {moved:.2f}, the maps "
            "grow from {maps[one]:,d} numbers to {maps[many]:,d}."),
            lambda m: min(m["moved"] - 0.1, m["maps"]["many"] / m["maps"]["one"]
                          - m["heads"] + 0.5), "not_split"),
    ),
    questions=(Question(
        T("同样的宽度，{heads} 个头比一个头多多少参数？",
          "At the same width, how many more weights have {heads} heads than one?"),
        (Option(T("一个也不多", "none"), lambda m: 0.5 - abs(m["ratio"] - 1) * 1e9),
         Option(T("三分之一", "a third more"), lambda m: 0.05 - abs(m["ratio"] - 4 / 3),
                T("把没有 W_O 的一个头和有 W_O 的几个头放在一起比。",
                  "compares one head without W_O with several that have it.")),
         Option(T("{heads} 倍", "{heads} times"), lambda m: m["ratio"] - m["heads"] + 0.5,
                T("以为每个头都有整套的宽矩阵。每个头只有一片。",
                  "thinks every head has full matrices. Each has a slice.")),
         Option(T("更少：每个头更窄", "fewer: each head is narrower"),
                lambda m: 1 - m["ratio"] - 1e-9,
                T("只看一片，忘了有几片。", "looks at one slice and forgets how many there "
                                       "are.")))),),
    pins={"moved": ARITHMETIC, "*": exact("counts")}, errata=ERRATA["arithmetic"],
    notes=T(
        "约 5 分钟，一次投票。黑板上算：98,304 乘 8。讲义少了 128；"
        "“1.3 倍”是拿没有 W_O 的一个头去比。"
        "--set 3.heads=16 看看哪个数变、哪个不变。",
        "About 5 minutes, one vote. On the board: 98,304 times 8. The notes are short by 128, and "
        "their 1.3 compares one head without W_O. Try --set 3.heads=16: what changes, what does "
        "not?"),
)

# --- 4. ranks -----------------------------------------------------------------

FOUR = np.array([[.7, .2, .05, .05], [.1, .8, .05, .05],        # the notes'
                 [.1, .1, .7, .1], [.1, .1, .1, .7]])
TWO_HEADS = np.array([[[.1, .8, .1], [.4, .1, .5], [.1, .8, .1]],
                      [[.2, .1, .7], [.3, .4, .3], [.7, .1, .2]]])
CUTS = {"high": 0.08, "middle": 0.01}   # what counts as a singular value


def singular(X: Array) -> Array:
    return np.linalg.svd(X, compute_uv=False)                   # [.., n]


def rank(s: Array, n: int) -> int:
    """How many singular values exceed the largest times n epsilon."""
    return int((s > s[..., :1] * n * np.finfo(s.dtype).eps).sum())


def spectra(tokens: int, head: int, seed: int, heads: int = 8,
            copies: bool = False, soft: bool = True, identity: bool = False,
            wide: bool = False, diagonal: bool = True) -> Metrics:
    """One draw, standard normal: q, k, v [heads, tokens, head] each."""
    rng = np.random.default_rng(seed)
    q, k, v = rng.standard_normal((3, heads, tokens, head))
    if copies:                          # every head is the first one again
        q, k, v = (np.repeat(a[:1], heads, axis=0) for a in (q, k, v))
    if wide:
        q2, k2 = rng.standard_normal((2, heads, tokens, tokens))
        S = attention_scores(q2, k2)                            # [h, n, n]
    else:
        S = attention_scores(q, k)                              # [h, n, n]
    mask = causal_mask(tokens, offset=None if diagonal else -1)
    W = softmax(S) if soft else S                               # [h, n, n]
    W = np.broadcast_to(np.eye(tokens), S.shape) if identity else W
    causal = softmax(np.where(mask, S[0], -np.inf)) if soft else S[0] * mask
    s, w = singular(S[0]), singular(W[0])                       # [n]
    w32 = singular(W.astype(np.float32))                        # [h, n]
    fetched = W @ v                                             # [h, n, d]
    thin = softmax(attention_scores(q[0, :, :4], k[0, :, :4]))  # [n, n]
    energy = w ** 2 / (w ** 2).sum()                            # [n]
    return {
        "scores": {"rank": rank(s, tokens), "last": s[head - 1],
                   "next": s[head]},
        "softmax": {"rank": rank(w, tokens), "largest": w[0],
                    "smallest": w[-1], "energy": energy[:head].sum(),
                    "effective": np.exp(entropy(w / w.sum()))},
        "single": {"rank": rank(w32[0], tokens),
                   "above": int((w32[0] > 1e-5).sum())},
        "double_above": int((w > 1e-5).sum()),
        "causal": rank(singular(causal), tokens),
        "causal_diagonal": causal.diagonal().min(),
        "by_cut": {name: int((w > c).sum()) for name, c in CUTS.items()},
        "sum": sum(rank(row, tokens) for row in w32),
        "one_output": rank(singular(fetched[0]), tokens),
        "all_outputs": rank(singular(merge_heads(fetched)), tokens),
        "thin": {"scores": rank(singular(q[0, :, :4] @ k[0, :, :4].T), tokens),
                 "softmax": rank(singular(thin), tokens)}}


def count_ranks(seed: int, **off: Any) -> Metrics:
    """One draw measured now, twenty recorded; the notes' small matrices."""
    tokens, head = 128, 64
    now = spectra(tokens, head, seed, **off)
    runs = records.read("heads_ranks")["runs"] if not off else [now] * 20
    full = [r["softmax"]["rank"] == r["single"]["rank"] == r["single"]["above"]
            == r["double_above"] == tokens for r in runs]
    s = singular(FOUR)
    effective = [r["softmax"]["effective"] for r in runs]
    return {
        "tokens": tokens, "head": head, "heads": 8, "cuts": CUTS, "now": now,
        "draws": len(runs), "record": {
            "scores": sum(r["scores"]["rank"] == head for r in runs),
            "softmax": sum(r["softmax"]["rank"] == tokens for r in runs),
            "four_rules": sum(full),
            "causal": [f(r["causal"] for r in runs) for f in (min, max)],
            "last": min(r["scores"]["last"] for r in runs),
            "next": max(r["scores"]["next"] for r in runs),
            "smallest": min(r["softmax"]["smallest"] for r in runs),
            "effective": {"mean": np.mean(effective), "low": min(effective),
                          "high": max(effective)},
            "high": [f([r["by_cut"]["high"] for r in runs])
                     for f in (min, max)],
            "middle": [f([r["by_cut"]["middle"] for r in runs])
                       for f in (min, max)],
            "sum": [f([r["sum"] for r in runs]) for f in (min, max)],
            "thin": min(r["thin"]["softmax"] for r in runs)},
        "four": {"rank": rank(s, 4), "singular": s, "det": np.linalg.det(FOUR)},
        "three": {"ranks": [rank(singular(A), 3) for A in TWO_HEADS],
                  "sum": sum(rank(singular(A), 3) for A in TWO_HEADS)},
        "noted": {"single": 54, "eight": 115, "four": [2, 3], "bound": 64}}


def show_ranks(m: Metrics) -> Iterator[Block]:
    now, r = m["now"], m["record"]
    yield Paragraph(T(
        "{tokens} 个词，头宽 {head}，q、k、v 取标准正态。秩："
        "大于“最大的奇异值乘 {tokens} 乘机器精度”的"
        "奇异值有几个。",
        "{tokens} words, heads of width {head}, q, k, v standard normal. The rank counts the "
        "singular values above the largest times {tokens} times the machine's epsilon."))
    yield Table(
        (Column(T("矩阵", "matrix")), Column(T("秩，现在测", "rank now"), "d"),
         Column(T("记录 {draws} 次里", "of {draws} recorded"), "d")),
        [[T("分数 QK（一个头）", "scores QK (one head)"), now["scores"]["rank"],
          r["scores"]],
         [T("softmax 之后", "after softmax"), now["softmax"]["rank"], r["softmax"]],
         [T("头宽 4：softmax 之后", "width 4: after softmax"), now["thin"]["softmax"], None],
         [T("一个头的输出", "output of one head"), now["one_output"], None],
         [T("8 个头拼起来的输出", "8 outputs side by side"), now["all_outputs"], None],
         [T("讲义的 4×4", "the notes' 4×4"), m["four"]["rank"], None],
         [T("讲义的 3×3，第一个", "the notes' 3×3, first"), m["three"]["ranks"][0], None],
         [T("讲义的 3×3，第二个", "the notes' 3×3, second"), m["three"]["ranks"][1], None]],
        title=T("秩", "Ranks"),
        legend=T("末列：同样秩的次数（双精度）。双精度、单精度，各用相对和绝对（1e-5）的门槛，"
                 "四种算法都同意的 {record[four_rules]} 次。头宽 4：分数的秩是 "
                 "{now[thin][scores]}，softmax 之后记录里最少 {record[thin]}。",
                 "Last column: draws with the same rank (double precision). By all of four "
                 "rules, double and single precision with a relative and an absolute (1e-5) "
                 "threshold, {record[four_rules]}. With width 4 the scores have rank "
                 "{now[thin][scores]}; after "
                 "softmax the record has at least {record[thin]}."))
    yield Table(
        (Column(T("softmax 之后，怎样算一个奇异值", "after softmax, what counts")),
         Column(T("现在测", "now"), ".4g"), Column(T("记录最小", "lowest"), ".4g"),
         Column(T("记录最大", "highest"), ".4g")),
        [[T("大于高门槛", "above a high threshold"), now["by_cut"]["high"], *r["high"]],
         [T("大于低门槛", "above a low threshold"), now["by_cut"]["middle"],
          *r["middle"]],
         [T("有效秩（熵的指数）", "effective rank (e to the entropy)"),
          now["softmax"]["effective"], r["effective"]["low"], r["effective"]["high"]],
         [T("8 个头的秩加起来", "ranks of 8 heads, summed"), now["sum"], *r["sum"]]],
        title=T("“满秩”是一道门槛", "\"Full rank\" is a threshold"),
        legend=T("两道门槛：{cuts[high]} 和 {cuts[middle]}。最大的奇异值 "
                 "{now[softmax][largest]:.3f}，最小 {now[softmax][smallest]:.1e}；"
                 "前 {head} 个占能量 {now[softmax][energy]:.1%}。因果的权重是下三角，对角线全大于零"
                 "（最小 {now[causal_diagonal]:.1e}），所以正好满秩，"
                 "可是门槛只数到 {now[causal]} 个。",
                 "The thresholds: {cuts[high]} and {cuts[middle]}. The largest is "
                 "{now[softmax][largest]:.3f}, the smallest "
                 "{now[softmax][smallest]:.1e}; the first {head} hold "
                 "{now[softmax][energy]:.1%} of the energy. Causal weights are a triangle with "
                 "a diagonal above zero (at least {now[causal_diagonal]:.1e}): exactly full "
                 "rank, though the threshold counts {now[causal]}."))


RANKS = Part(
    number=4, key="ranks", title=T("秩：低的是什么", "Rank: what is low, and what is not"),
    compute=count_ranks, describe=show_ranks,
    controls={"wide": partial(count_ranks, wide=True),
              "no_softmax": partial(count_ranks, soft=False),
              "identity": partial(count_ranks, identity=True),
              "no_diagonal": partial(count_ranks, diagonal=False),
              "copies": partial(count_ranks, copies=True),
              "one_head": partial(count_ranks, heads=1)},
    claims=(
        Claim("scores_are_low", T(
            "分数的秩不过头宽：{now[scores][rank]}，{draws} 次记录全中（{record[scores]}）；第 "
            "{head} 个奇异值至少 {record[last]:.2f}，下一个最多 {record[next]:.0e}。",
            "Scores have the rank of the head's width: {now[scores][rank]}, and so in "
            "{record[scores]} of {draws} recorded draws; singular value number {head} is at "
            "least {record[last]:.2f}, the next at most {record[next]:.0e}."),
            lambda m: min(0.5 - abs(m["now"]["scores"]["rank"] - m["head"]),
                          m["record"]["scores"] - m["draws"] + 0.5,
                          m["record"]["last"] - 1e-6, 1e-6 - m["record"]["next"]), "wide"),
        Claim("softmax_fills_up", T(
            "softmax 把秩填满：{now[softmax][rank]}，{draws} 次记录里双精度 {record[softmax]} 次，"
            "四种算法都同意的 {record[four_rules]} 次；最小的奇异值 {record[smallest]:.1e}。",
            "Softmax fills it up: {now[softmax][rank]}, in double precision in "
            "{record[softmax]} of {draws} draws and by all four rules in {record[four_rules]}; "
            "the smallest singular value is {record[smallest]:.1e}."),
            lambda m: min(0.5 - abs(m["now"]["softmax"]["rank"] - m["tokens"]),
                          m["record"]["softmax"] - m["draws"] + 0.5,
                          m["record"]["four_rules"] - 0.8 * m["draws"],
                          m["record"]["smallest"] - 1e-9), "no_softmax"),
        Claim("full_is_a_threshold", T(
            "“满”要看门槛：前 {head} 个奇异值就占能量 {now[softmax][energy]:.1%}，有效秩平均 "
            "{record[effective][mean]:.1f}；大于 {cuts[high]} 的只有 {now[by_cut][high]} 个，"
            "大于 {cuts[middle]} 的 {now[by_cut][middle]} 个。",
            "\"Full\" depends on a threshold: the first {head} hold {now[softmax][energy]:.1%} "
            "of the energy, the effective rank is {record[effective][mean]:.1f} on average; "
            "{now[by_cut][high]} singular values exceed {cuts[high]}, {now[by_cut][middle]} "
            "exceed {cuts[middle]}."),
            lambda m: min(m["now"]["softmax"]["energy"] - 0.9,
                          100 - m["record"]["effective"]["mean"],
                          m["now"]["by_cut"]["middle"] - m["now"]["by_cut"]["high"] - 0.5,
                          m["tokens"] - m["now"]["by_cut"]["middle"] - 0.5), "identity"),
        Claim("causal_is_exactly_full", T(
            "因果的权重正好满秩：三角矩阵的对角线最小也有 {now[causal_diagonal]:.1e}。按门槛数却是 "
            "{now[causal]}。",
            "Causal weights have exactly full rank: the smallest number on the triangle's "
            "diagonal is {now[causal_diagonal]:.1e}. The threshold counts {now[causal]}."),
            lambda m: m["now"]["causal_diagonal"], "no_diagonal"),
        Claim("one_output_is_low", T(
            "低的是一个头的输出：秩 {now[one_output]}，就是头宽；{heads} 个头拼起来是 "
            "{now[all_outputs]}。",
            "What is low is the output of one head: rank {now[one_output]}, its width; {heads} "
            "side by side have {now[all_outputs]}."),
            lambda m: min(0.5 - abs(m["now"]["one_output"] - m["head"]),
                          0.5 - abs(m["now"]["all_outputs"] - m["tokens"])), "copies"),
        Claim("a_sum_of_ranks_is_no_rank", T(
            "把 {heads} 个头的秩加起来得 {now[sum]}，记录里 {record[sum][0]} 到 {record[sum][1]}："
            "{tokens} 行的矩阵不可能有这样的秩。",
            "The ranks of {heads} heads add up to {now[sum]}, recorded {record[sum][0]} to "
            "{record[sum][1]}: no matrix of {tokens} rows has such a rank."),
            lambda m: min(m["now"]["sum"], m["record"]["sum"][0]) - m["tokens"] - 0.5,
            "one_head"),
    ),
    questions=(Question(
        T("128 个词，分数矩阵的秩是 64。softmax 之后呢？",
          "128 words; the matrix of scores has rank 64. After softmax?"),
        (Option(T("约 54", "about 54"),
                lambda m: 5.5 - abs(m["now"]["softmax"]["rank"] - m["noted"]["single"]),
                T("以为 softmax 压低秩。它逐个取指数，正相反。",
                  "thinks softmax lowers the rank. Its exponentials do the opposite.")),
         Option(T("还是 64", "still 64"),
                lambda m: 0.5 - abs(m["now"]["softmax"]["rank"] - m["head"]),
                T("把 softmax 当成线性的。头宽限制的是分数和输出，不是权重。",
                  "takes softmax for linear. The head's width bounds scores and outputs, not "
                  "weights.")),
         Option(T("128，满秩", "128, full"),
                lambda m: 0.5 - abs(m["now"]["softmax"]["rank"] - m["tokens"])),
         Option(T("是一：每行加起来都是一", "one: every row sums to one"),
                lambda m: 0.5 - abs(m["now"]["softmax"]["rank"] - 1),
                T("行和相等不等于行相同。", "equal sums are not equal rows.")))),),
    pins={"record.*": RECORDED, "noted.*": exact("copied from the notes"), "cuts.*": RECORDED,
          "now.scores.next": close("rounding of a zero", rtol=0.0, atol=1e-11),
          "now.*rank": exact("counts"), "now.by_cut.*": exact("counts"),
          "four.rank": exact("a count"), "three.*": exact("counts"),
          "now.causal": Tolerance("band", "singular values near the threshold", low=120, high=128),
          "now.softmax.smallest": close("a small singular value", rtol=1e-6),
          "now.*": close("one draw; singular values in float64", rtol=1e-8),
          "four.*": ARITHMETIC, "*": exact("sizes")},
    errata=ERRATA["ranks"],
    notes=T(
        "约 7 分钟，一次投票。讲义那两个数（54、115）跑它自己的代码出不来；换两个门槛数同一个头，"
        "倒正好落在附近。Bhojanapalli（2020）说的低秩是头宽，不是权重。",
        "About 7 minutes, one vote. The notes' code does not give their two figures (54, 115); "
        "two thresholds on one and the same head land near them. Bhojanapalli (2020) speaks of "
        "the head's width, not of the weights."),
)

# --- 5. sharing keys and values -----------------------------------------------

GROUPS = (8, 4, 2, 1)
KEPT = 4096                             # tokens, for the size of a cache


def grouped(x: Array, M: dict[str, Array], order: str = "each",
            cache: Any = None) -> tuple[Array, Any]:
    """x [n, d] -> (out [n, d], cache); M["k"], M["v"] are [d, groups x 64].

    order: query heads 0 1 .. share group 0 ("each"), or every group is
    served in turn ("block", the mistake).
    """
    q = split_heads(x @ M["q"], H)                              # [h, n, 64]
    k, v = (split_heads(x @ M[c], M[c].shape[1] // HEAD) for c in "kv")
    cache = extend_cache(cache, k, v)                           # [g, S, 64]
    mask = causal_mask(len(x), cache[0].shape[1])               # [n, S]
    K, V = cache
    if order == "block":
        K, V = (np.tile(a, (H // len(k), 1, 1)) for a in cache)
    out, _ = attention(q, K, V, mask=mask)                      # [h, n, 64]
    return merge_heads(out) @ M["o"], cache


def full_heads(x: Array, M: dict[str, Array], owner: Array) -> Array:
    """Head by head, none shared: head i has a copy of keys owner[i]."""
    outs = []
    for i, g in enumerate(owner):
        mine, theirs = (slice(HEAD * j, HEAD * j + HEAD) for j in (i, g))
        S = (x @ M["q"][:, mine]) @ (x @ M["k"][:, theirs]).T   # [n, n]
        S = np.where(causal_mask(len(x)), S / np.sqrt(HEAD), -np.inf)
        e = np.exp(S - S.max(axis=1, keepdims=True))            # [n, n]
        outs.append(e / e.sum(1, keepdims=True) @ (x @ M["v"][:, theirs]))
    return np.hstack(outs) @ M["o"]                             # [n, d]


def share_groups(seed: int, order: str = "each", shared: bool = True,
                 forget: bool = False) -> Metrics:
    """Drawn: 16 words of width 512, q and o, then k and v of every size."""
    rng, rows = np.random.default_rng(seed), {}
    x = rng.standard_normal((16, D))                            # [n, d]
    Q, O = rng.standard_normal((2, D, D)) / np.sqrt(D)          # [d, d]
    for asked in GROUPS:
        g = asked if shared else H
        K, V = rng.standard_normal((2, D, g * HEAD)) / np.sqrt(D)
        M = {"q": Q, "k": K, "v": V, "o": O}
        out, cache = grouped(x, M, order)
        owner = np.arange(H) // (H // g)                        # 0 0 1 1 ..
        held = None
        for t in range(len(x)):                               # word by word
            last, held = grouped(x[t:t + 1], M, order, held)
            if forget and t == 0:
                held = tuple(a[:, :0] for a in held)
        size = sum(a.size for a in cache) // len(x)
        n = counts(D, H, groups=g)["total"]
        rows[f"g{asked}"] = {
            "groups": asked, "heads_each": H // asked, "parameters": n,
            "share": n / counts(D, H)["total"], "cache": size,
            "cache_share": size / (2 * D), "bytes": size * 2 * KEPT,
            "unlike_full": abs(out - full_heads(x, M, owner)).max(),
            "step_unlike": abs(last - out[-1:]).max()}
    values = np.array([10.0, 20.0])[:, None, None]              # [2, 1, 1]
    q, k = np.zeros((4, 1, 1)), np.zeros((2, 1, 1))
    ours, _ = attention(q, k, values)                           # [4, 1, 1]
    K, V = (np.tile(a, (2, 1, 1)) for a in (k, values))         # [4, 1, 1]
    turn, _ = attention(q, K, V)
    each, block = (a.ravel().tolist() for a in (ours, turn))
    return {"width": D, "heads": H, "head": HEAD, "words": len(x),
            "kept": KEPT, "rows": rows, "fewer": 1 - rows["g1"]["share"],
            "smaller": 1 / rows["g1"]["cache_share"], "values": [10, 20],
            "paired": {"each": each if order == "each" else block,
                       "block": block}}


def show_groups(m: Metrics) -> Iterator[Block]:
    rows = m["rows"].values()
    yield Paragraph(T(
        "{heads} 个查询头，每个宽 {head}，模型宽 {width}；键和值的头只有几组，"
        "相邻的查询头共用一组。"
        "每头一组就是普通的多头（MHA），全体一组叫 MQA，中间的叫 GQA。",
        "{heads} query heads of width {head} in a model of width {width}; there are only a few "
        "groups of keys and values, and neighbouring query heads share one. A group for each "
        "head is plain multi-head attention (MHA), one for all is MQA, between them is GQA."))
    yield Table(
        (Column(T("组", "groups"), "d"), Column(T("参数", "weights"), ",d"),
         Column(T("比例", "share"), ".4g"), Column(T("缓存/词", "cache/word"), ",d"),
         Column(T("比例", "share"), ".4g"),
         Column(T("{kept:,d} 词", "{kept:,d} words"), ",d")),
        [[r["groups"], r["parameters"], r["share"], r["cache"], r["cache_share"], r["bytes"]]
         for r in rows],
        title=T("一层要多少", "What one layer takes"),
        legend=T("缓存/词：每个词留下的键和值有几个数。最后一列：半精度（一个数两字节）的字节数。",
                 "cache/word: numbers of keys and values kept for a word. Last column: bytes in "
                 "half precision, two for a number."))
    yield Table(
        (Column(T("组", "groups"), "d"),
         Column(T("和抄出来的多头差", "unlike heads with copies"), ".0e"),
         Column(T("逐词加缓存，末行差", "word by word, last row"), ".0e")),
        [[r["groups"], r["unlike_full"], r["step_unlike"]] for r in rows],
        title=T("一样吗？（{words} 个词，最大差）", "The same? ({words} words, largest "
                                              "difference)"),
        legend=T("抄出来的多头：每个头自己一份键和值，内容抄自它的组，逐头单独算。",
                 "heads with copies: every head has keys and values of its own, copied from its "
                 "group, computed head by head."))
    yield Table(
        (Column(T("四个查询头，两组，值 {values[0]} 和 {values[1]}",
                  "four query heads, two groups, values {values[0]} and {values[1]}")),
         *(Column(n, ".0f") for n in (T("头一", "one"), T("头二", "two"), T("头三", "three"),
                                      T("头四", "four")))),
        [[T("每组各自重复（对）", "repeat each group (right)"), *m["paired"]["each"]],
         [T("整块重复（错）", "repeat the block (wrong)"), *m["paired"]["block"]]],
        title=T("谁和谁共用", "Who shares with whom"))


GROUPED = Part(
    number=5, key="groups", title=T("共用键和值：MHA、GQA、MQA",
                                    "Sharing keys and values: MHA, GQA, MQA"),
    compute=share_groups, describe=show_groups,
    controls={"own_keys": partial(share_groups, shared=False),
              "block": partial(share_groups, order="block"),
              "forget": partial(share_groups, forget=True)},
    claims=(
        Claim("weights_a_little_cache_a_lot", T(
            "只留一组：参数 {rows[g1][parameters]:,d}，少 {fewer:.2%}；缓存每词 "
            "{rows[g1][cache]}，小 {smaller:.0f} 倍。两组：参数 {rows[g2][parameters]:,d}，缓存 "
            "{rows[g2][cache]}。",
            "One group for all: {rows[g1][parameters]:,d} weights, {fewer:.2%} fewer; the cache "
            "is {rows[g1][cache]} a word, {smaller:.0f} times smaller. Two groups: "
            "{rows[g2][parameters]:,d} and {rows[g2][cache]}."),
            lambda m: min(0.5 - m["fewer"], m["fewer"] - 0.4,
                          m["smaller"] - m["heads"] + 0.5,
                          0.5 - abs(m["rows"]["g1"]["cache"] * 2 - m["rows"]["g2"]["cache"]),
                          m["rows"]["g2"]["parameters"] - m["rows"]["g1"]["parameters"] - 0.5),
            "own_keys"),
        Claim("groups_are_copies", T(
            "共用一组，等于每个头各抄一份：四种组数，最大差 {rows[g8][unlike_full]:.0e}、"
            "{rows[g4][unlike_full]:.0e}、{rows[g2][unlike_full]:.0e}、"
            "{rows[g1][unlike_full]:.0e}。{rows[g8][groups]} 组就是普通的多头。",
            "To share is to have copies: over the four sizes the largest differences are "
            "{rows[g8][unlike_full]:.0e}, {rows[g4][unlike_full]:.0e}, "
            "{rows[g2][unlike_full]:.0e} and {rows[g1][unlike_full]:.0e}. With "
            "{rows[g8][groups]} groups it is plain multi-head attention."),
            lambda m: min(min(1e-10 - r["unlike_full"] for r in m["rows"].values()),
                          m["rows"]["g8"]["groups"] - m["heads"] + 0.5), "block"),
        Claim("repeat_each", T(
            "相邻的头共用：头一和头二都取回 {paired[each][1]:.0f}。整块重复，头二就取回了 "
            "{paired[block][1]:.0f}。",
            "Neighbours share: heads one and two both fetch {paired[each][1]:.0f}. Repeat the "
            "block and head two fetches {paired[block][1]:.0f}."),
            lambda m: min(0.5 - abs(m["paired"]["each"][0] - m["paired"]["each"][1]),
                          abs(m["paired"]["block"][1] - m["paired"]["each"][1]) - 0.5),
            "block"),
        Claim("the_cache_is_enough", T(
            "逐词算、只靠缓存，最后一行和整段一起算相差 {rows[g1][step_unlike]:.0e}（一组）、"
            "{rows[g8][step_unlike]:.0e}（{rows[g8][groups]} 组）。",
            "Word by word with the cache alone, the last row differs from the full pass by "
            "{rows[g1][step_unlike]:.0e} with one group and {rows[g8][step_unlike]:.0e} with "
            "{rows[g8][groups]}."),
            lambda m: 1e-10 - max(m["rows"]["g1"]["step_unlike"],
                                  m["rows"]["g8"]["step_unlike"]), "forget"),
    ),
    caveat=T(
        "这里没有训练：共用会不会变笨，没有测。速度在 benchmarks 里，不在屏幕上。",
        "Nothing is trained here: whether sharing makes a model worse is not measured. Speed is "
        "in the benchmarks, not on the screen."),
    questions=(Question(
        T("MQA（全体共用一组）和 MHA 比，参数和缓存各省多少？",
          "MQA (one group for all) against MHA: what is saved in weights and in cache?"),
        (Option(T("都小 8 倍", "both 8 times smaller"),
                lambda m: min(0.2 - m["rows"]["g1"]["share"],
                              0.2 - m["rows"]["g1"]["cache_share"]),
                T("忘了 W_Q 和 W_O 没有共用。", "forgets that W_Q and W_O are not shared.")),
         Option(T("参数少 44%，缓存小 8 倍",
                  "44 % fewer weights, a cache 8 times smaller"),
                lambda m: min(0.005 - abs(m["fewer"] - 0.44),
                              0.2 - m["rows"]["g1"]["cache_share"])),
         Option(T("参数小 8 倍，缓存不变", "8 times in weights, nothing in the cache"),
                lambda m: min(0.2 - m["rows"]["g1"]["share"],
                              m["rows"]["g1"]["cache_share"] - 0.9),
                T("以为缓存里放的是查询。放的是键和值。",
                  "thinks the cache holds queries. It holds keys and values.")),
         Option(T("参数不变，缓存小 8 倍", "nothing in weights, 8 times in the cache"),
                lambda m: min(m["rows"]["g1"]["share"] - 0.95,
                              0.2 - m["rows"]["g1"]["cache_share"]),
                T("以为 W_K、W_V 还在，只是不存。它们变窄了。",
                  "thinks W_K and W_V stay as they are. They become narrow.")))),),
    pins={"rows.*unlike*": ROUNDING, "paired.*": ARITHMETIC, "*": exact("counts and sizes")},
    errata=ERRATA["groups"],
    notes=T(
        "约 6 分钟，一次投票。缓存每词 1,024、256、128 个数：推理时的内存是它决定的。"
        "四个头两组的小表"
        "是常见错误：tile 和 repeat 差一个字，模型还会跑，只是每个头都找错了人。速度：python -m "
        "benchmarks.grouped_heads。",
        "About 6 minutes, one vote. 1,024, 256 or 128 numbers a word: that is what fills memory "
        "while a model writes. The small table is a common mistake: tile instead of repeat still "
        "runs, only every head asks the wrong keys. Speed: python -m benchmarks.grouped_heads."),
)

PARTS: tuple[Part, ...] = (TWO, IT_PART, ARITHMETIC_PART, RANKS, GROUPED)
