"""02.3 One word, two contexts: weights set by hand: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d02_embeddings.errata import ERRATA
from demos.d02_embeddings.lesson import BY_HAND_CONTROLS, two_contexts
from demos.d02_embeddings.words import COUNT
from lecture.margins import above, at_least, below, both, equal, every, near, rows
from lecture.quantities import Across, Group, Named, Rows
from lecture.report import (
    ARITHMETIC,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
    band,
)

SENSE_NAMES = {"water": T("水边", "water"), "money": T("钱", "money"),
               "fruit": T("水果", "fruit"), "machine": T("机器", "machine")}
QUANTITIES = {
    "beta": Quantity(T("β", "β"), "g"),
    "example.words.*": Quantity(T("词", "word")),
    "example.scores.*": Quantity(T("分数", "score"), "g"),
    "example.exps.*": Quantity(T("e^分数", "e^score"), ".4g"),
    "example.weights.*": Quantity(T("权重", "weight"), ".3f"),
    "example.total": Quantity(T("合计", "sum"), ".1f"),
    "sentences.*.sense": Quantity(T("义项", "sense"), words=SENSE_NAMES),
    "sentences.*.looks_at": Quantity(T("最看重", "looks at")),
    "sentences.*.weight": Quantity(T("权重", "weight"), ".3f"),
    "words.*.within": Quantity(T("同义项，最低", "same, least"), ".3f"),
    "words.*.across": Quantity(T("不同义项，最高", "other, most"), ".3f"),
    "query.*": Quantity(T("数", "numbers"), "d"), "moved.*": Quantity(T("数", "numbers"), "d"),
}
NAMES = {
    **{f"example.*.{i}": T(f"{{example.words.{i}}}", f"{{example.words.{i}}}")
       for i in range(3)},
    "words.bank": T("bank", "bank"), "words.apple": T("apple", "apple"),
}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("sentences.*", ("sense", "looks_at", "weight"), label="text",
               head=T("句子", "sentence"))
    yield Rows("words.*", (
        Group(T("注意力之前，余弦", "cosines of senses, before"),
              ("before.within", "before.across")),
        Group(T("一层注意力之后", "after one layer"), ("after.within", "after.across"))))


PART = Part(
    number=3, key="by_hand",
    title=T("一个词，两种上下文：手工权重", "One word, two contexts: weights set by hand"),
    compute=two_contexts, describe=blocks, quantities=QUANTITIES, names=NAMES,
    lead=(
        Paragraph(T(
            "上下文怎样进来？注意力（细节在演示 04）：句中每个词的向量 x 乘三个矩阵，得到查询 x W_Q"
            "（找什么）、键 x W_K（凭什么被找到）、值 x W_V（交出什么）。一个词的查询和每个键做点"
            "积，"
            "得分数；e^分数除以合计是权重；按权重取回各个值，加到自己的向量上。\n"
            "这里手工设：bank、apple 找“能说明”的词，河、账户一类的词能说明，得 β = {beta} 分，别"
            "的词 0 分。例：{example.words.0} {example.words.1} {example.words.2} 里 bank 的分数：",
            "How does context come in? By attention (details in demo 04): each word's vector x "
            "times three matrices gives a query x W_Q (what it looks for), a key x W_K (what it is "
            "found by) and a value x W_V (what it hands over). The dot products of its query with "
            "all keys are scores; e^score over their sum is a weight; the values come back by "
            "weight and are added to the word's own vector.\n"
            "By hand: bank and apple look for words that tell, such as river, which score β = "
            "{beta}; others score 0. Bank in {example.words.0} {example.words.1} "
            "{example.words.2}:")),
        Across(("example.scores", "example.exps", "example.weights"), ("0", "1", "2"),
               legend=T("e^分数合计 {example.total}", "e^score: sum {example.total}"),
               rule=False),
    ),
    params={"beta": Param(5.0, 0.0, 100.0, about=T("查询有多锐利", "how sharp the query is"))},
    controls=BY_HAND_CONTROLS,
    claims=(
        Claim("parted", T(
            "一层注意力就分开了：bank 不同义项之间，余弦最高从 {words.bank.before.across:g} 降到 "
            "{words.bank.after.across}，同义项最低还有 {words.bank.after.within}。",
            "One layer of attention parts them: for bank the highest cosine across senses falls "
            "from {words.bank.before.across:g} to {words.bank.after.across}; within a sense the "
            "lowest is {words.bank.after.within}."),
            lambda m: both(*(above(w.after.within, w.after.across + 0.2) for w in rows(m.words)),
                           every(near(w.before.across, 1, 1e-6) for w in rows(m.words))),
            "even", kind="example"),
        Claim("second_layer", T(
            "到第二层，查询才知道上下文：用一层之后的向量再算，{query.numbers} 个数里有 "
            "{query.differing_later} 个不同。",
            "Only a second layer's query knows the context: made from the vector after one layer, "
            "{query.differing_later} of {query.numbers} numbers differ."),
            lambda m: both(at_least(m.query.differing_later, 1),
                           above(m.query.numbers, m.query.differing_later - 0.5)),
            "blind", kind="example"),
        Claim("place_is_not_sense", T(
            "加上位置编码，查询会变，但认的是位置：义项不同、位置相同，不同的数有 "
            "{moved.same_place} 个；位置不同，有 {moved.other_place} 个。",
            "Add position codes and the query changes, but with the place: two senses at the same "
            "place differ in {moved.same_place} numbers, at other places in "
            "{moved.other_place}."),
            lambda m: both(equal(m.moved.same_place, 0), at_least(m.moved.other_place, 1)),
            "no_positions", kind="identity", more=True),
    ),
    caveat=T(
        "权重是手工定的：只说明一层“够用”，不说明训练会这样做（第 4 部分）。",
        "Set by hand: one layer can. Does training find it? Part 4."),
    questions=(Question(
        T(
            "河岸的 bank 和账户的 bank：第一层，还没加位置，两个查询向量怎样？",
            "Bank by a river, bank of an account: layer-one queries, no positions"),
        (Option(T("方向不同", "two directions"),
                lambda m: both(at_least(m.query.differing, 1),
                               below(m.words.bank.before.across, 0.999)),
                T("以为查询已经知道上下文。查询只由这个词自己的向量算出。",
                  "thinks the query knows the context. It is made from the word alone.")),
         Option(T("一个数都不差", "the same numbers"),
                lambda m: both(equal(m.query.differing, 0), equal(m.query.random_differing, 0))),
         Option(T("只差长度", "two lengths"),
                lambda m: both(at_least(m.query.differing, 1),
                               above(m.words.bank.before.across, 0.999)),
                T("以为上下文像一个音量旋钮。第一层的查询里没有上下文。",
                  "thinks of context as a volume knob. There is none in a first-layer query.")),
         Option(T("看 W_Q", "depends on W_Q"),
                lambda m: at_least(m.query.random_differing, 1),
                T("以为这是权重的本事。随便抽一个 W_Q 也一样。",
                  "thinks it is the weights' doing. A drawn W_Q gives the same."))),
        answer=Claim("same_query", T(
            "同一个向量乘同一个 W_Q：{query.numbers} 个数里不同的有 {query.differing} 个；随机抽的 "
            "W_Q 也是 {query.random_differing} 个。",
            "One vector times one W_Q: of {query.numbers} numbers {query.differing} differ; with a "
            "drawn W_Q {query.random_differing}."),
            lambda m: both(equal(m.query.differing, 0), equal(m.query.random_differing, 0),
                           above(m.query.numbers, 0)),
            "asked_later", kind="identity")),),
    pins={"sentences.*.weight": ARITHMETIC, "words.*": ARITHMETIC, "beta": ARITHMETIC,
          "example.words.*": COUNT, "example.*": ARITHMETIC,
          "moved.other_place": band(1, 1e6, "how many bits two positions share depends on "
                                            "the rounding of sines"),
          "*": COUNT},
    errata=ERRATA["by_hand"],
    notes=T(
        "约 6 分钟。先投票；讲义里的那段话会让很多人选 A。看完再问：那 bank 的意思是什么时候进来的"
        "？"
        "（键和值来自别的词，取回来加到 bank 上；第二层的查询才知道上下文。）试试 --set 3.beta=0："
        "谁都看得一样多，屏幕说“分开了”不成立。",
        "About 6 minutes. Vote first; the passage in the notes makes many say A. Then ask: when "
        "does the meaning come in? (Keys and values come from the other words; what they bring is "
        "added to bank, so it is the second layer's query that knows.) Try --set 3.beta=0: all "
        "are looked at alike, and “parts them” DOES NOT HOLD."),
)
