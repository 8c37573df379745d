"""06.1 Who may look at whom: what a person meets.

Longer than 250 lines because eight masks stand here, each with its name, and two votes.
"""

from __future__ import annotations

from collections.abc import Iterator

from demos.d06_masks.errata import ERRATA
from demos.d06_masks.lesson import MASKS_CONTROLS, draw_masks
from lecture.margins import above, at_most, below, both, equal, every, near, word
from lecture.quantities import Group, Maps, Named, Rows
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

MASK_NAMES = {
    "padding": T("填充掩码", "padding"), "causal": T("因果掩码", "causal"),
    "combined": T("两者合用", "both combined"),
    "cross": T("译文看原文", "target to source"),
    "query_stream": T("查询流", "query stream"),
    "content_stream": T("内容流", "content stream"),
    "prefix": T("前缀 LM", "prefix LM"),
    "packed": T("打包", "packed")}
QUANTITIES = {
    **{f"masks.{name}.keep": Quantity(head, "d") for name, head in MASK_NAMES.items()},
    "masks.*.keep.*": Quantity(T("可以看", "may look"), "d"),
    "masks.*.ones": Quantity(T("可以看的格", "cells"), "d"),
    "masks.*.empty.*": Quantity(T("空行", "empty row"), "d"),
    "cells.*.score": Quantity(T("分数 s", "score s"), "g"),
    "cells.*.masked": Quantity(T("掩码后", "masked"), "g", words={"hidden": T("-∞", "-∞")}),
    "cells.*.exp": Quantity(T("e^s", "e^s"), ".3f"),
    "cells.*.weight": Quantity(T("权重", "weight"), ".4f"),
    "rows.*.hidden": Quantity(T("遮住的权重", "hidden weight"), "g"),
    "rows.*": Quantity(T("合计", "sum"), ".3f"),
    **{f"misread.*.outputs.{i}": Quantity(T(f"第 {i + 1} 个词", f"word {i + 1}"), ".2f")
       for i in range(3)},
    "misread.*.future": Quantity(T("落在未来的权重", "weight on the future"), ".0%"),
    "padded.output_norm": Quantity(T("输出长度", "length of output"), ".2f"),
    "padded.weight_on_padding": Quantity(T("看填充", "weight on padding"), "g"),
    "source_moves.masked": Quantity(T("移动", "moves by"), "g"),
    "source_moves.unmasked": Quantity(T("移动", "moves by"), ".2f"),
    "apart.packed": Quantity(T("权重", "weight"), "g"),
    "ahead.causal": Quantity(T("权重", "weight"), "g"),
    "a[ph]*.*": Quantity(T("权重", "weight"), ".2f"),
    "order.*": Quantity(T("次序", "order"), "d"), "both_allow": Quantity(T("格", "cells"), "d"),
    "torch.warnings": Quantity(T("警告", "warnings"), "d"),
    "torch.added.*": Quantity(T("输出", "output"), ".2f"),
}
NAMES = {
    "misread.right": T("1 读作“可以看”", "1 read as “may look”"),
    "misread.flipped": T("1 读作“遮住”", "1 read as “hide”"),
    "misread.added": T("当成数，加到分数上", "added to the scores as numbers"),
}
STEPS = ("score", "masked", "exp", "weight")
LEAD = (
    Paragraph(T(
        "一批句子长短不一，短的用 <pad> 填充：它不是词，不该有人看。掩码把不许看的分数换成 -∞，"
        "e^-∞ = 0，剩下的分完一整份。例：讲义印的两行分数，<pad> 的遮住；第一行 e^s 合计 "
        "{rows.A.total}，权重 = e^s / {rows.A.total}：",
        "Sentences of a batch differ in length, so short ones are filled up with <pad>: no "
        "word, and nobody should look at it. A mask puts -∞ over a score, e^-∞ = 0, and the "
        "rest share the whole. Example: two rows of scores from the notes, those of <pad> "
        "hidden; in the first the e^s sum to {rows.A.total}, weight = e^s / {rows.A.total}:")),
    Rows("cells.*", (Group(T("第一行", "first row"), tuple(f"A.{step}" for step in STEPS)),
                     Group(T("第二行", "second row"), tuple(f"B.{step}" for step in STEPS))),
         head=T("被看的", "looked at"), label="word", rule=False),
)


def blocks(m: Metrics) -> Iterator[Named | Paragraph]:
    yield Maps(("masks.padding.keep", "masks.causal.keep", "masks.combined.keep"),
               "words", "words", legend=T(
                   "一行是看的词，一列是被看的词。{masks.causal.keep.0.0} = 可以看，"
                   "{masks.causal.keep.0.1} = 不许看。",
                   "A row looks, a column is looked at. {masks.causal.keep.0.0} = may look, "
                   "{masks.causal.keep.0.1} = may not."))
    yield Rows(("misread.right", "misread.flipped", "misread.added"),
               ("outputs.0", "outputs.1", "outputs.2", "future"),
               head=T("三个词的因果表", "a causal table of three words"),
               title=T("分数全是零，值是一、二、四：输出",
                       "All scores zero, the values one, two, four: outputs"))
    yield Maps(("masks.cross.keep",), "target", "source", more=True)
    yield Paragraph(T(
        "XLNet 打乱出场次序，这里是 {order.0} {order.1} {order.2} {order.3}：排在前面的先出场，只"
        "看已出场的。查询流要猜这一格的词，不许看自己；内容流读这一格的词，也看自己。",
        "XLNet shuffles the order in which words come, here {order.0} {order.1} {order.2} "
        "{order.3}; a place looks at those that came before it. The query stream must guess the "
        "word of its place and may not see it; the content stream reads it too."), more=True)
    yield Maps(("masks.query_stream.keep", "masks.content_stream.keep"), "four", "four", more=True)
    yield Paragraph(T(
        "前缀 LM（T5 也有这一种）：开头两个词是题目，互相看，其余照因果掩码。打包：两篇短文（两个"
        "词、三个词）接在一行，各看各的。",
        "Prefix LM (T5 has one too): the first two words are the prompt and see each other, the "
        "rest is causal. Packed: two short texts (two words, three words) in one row, each "
        "looking at itself only."), more=True)
    yield Maps(("masks.prefix.keep", "masks.packed.keep"), "sentence", "sentence", more=True)


PART = Part(
    number=1, key="masks",
    title=T("谁可以看谁", "Who may look at whom"),
    compute=draw_masks, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"valid": Param(3, 2, 4, about=T("五个位置里有几个真词",
                                            "how many of the five places hold a word"))},
    controls=MASKS_CONTROLS,
    claims=(
        Claim("both_must_allow", T(
            "合用就是“与”：因果表许 {masks.causal.ones} 格，填充表许 {masks.padding.ones} 格，都许"
            "的 {masks.combined.ones} 格。",
            "Combined means “and”: the causal table allows {masks.causal.ones} cells, the "
            "padding one {masks.padding.ones}, both of them {masks.combined.ones}."),
            lambda m: every(equal(m.masks.combined.keep[i][j],
                                  m.masks.causal.keep[i][j] * m.masks.padding.keep[i][j])
                            for i in range(m.places) for j in range(m.places)),
            "either", kind="identity", given=("masks.*.ones",)),
        Claim("hidden_share_goes_to_the_rest", T(
            "遮住的正好分到 {rows.A.hidden}，剩下的重新分完，合计 {rows.A.sum}。等 softmax 之后再"
            "把权重清零，只剩 {rows.A.blanked_sum}。",
            "What is hidden gets exactly {rows.A.hidden}, and the rest share the whole, "
            "{rows.A.sum}. Blank the weights after softmax instead, and {rows.A.blanked_sum} is "
            "left."),
            lambda m: both(below(m.rows.A.hidden, 1e-300), near(m.rows.A.sum, 1, 1e-9),
                           below(m.rows.A.blanked_sum, 0.99)),
            "after_softmax", kind="example"),
        Claim("say_what_one_means", T(
            "把表读反，{misread.flipped.future} 的权重落在未来；当成数加上去，漏 "
            "{misread.added.future}。都不报错：先写清 {masks.causal.keep.0.0} 是什么意思。",
            "Read backwards, {misread.flipped.future} of the weight lies on the future; added as "
            "numbers, {misread.added.future}. No error is raised: say first what "
            "{masks.causal.keep.0.0} means."),
            lambda m: both(above(m.misread.flipped.future, 0.99),
                           above(m.misread.added.future, 0.05),
                           below(m.misread.right.future, 1e-300),
                           word(m.misread.raised, "nothing")),
            "read_right", kind="example", given=("masks.*",)),
        Claim("two_readers_in_torch", T(
            "torch {torch.version} 自己就有两种读法：nn.MultiheadAttention 把 True 读作遮住，"
            "scaled_dot_product_attention 读作可以看。读反时，空行在前者成了 {torch.empty_row}，警"
            "告 {torch.warnings} 个。",
            "torch {torch.version} reads it in two ways itself: nn.MultiheadAttention takes True "
            "for hide, scaled_dot_product_attention for may look. Read backwards, the empty row "
            "is {torch.empty_row} in the former, with {torch.warnings} warnings."),
            lambda m: both(word(m.torch.layer_true, "hide"),
                           word(m.torch.function_true, "may look"),
                           word(m.torch.raised, "nothing"), word(m.torch.empty_row, "NaN"),
                           equal(m.torch.warnings, 0),
                           every(near(a, b, 1e-3) for a, b in
                                 zip(m.torch.added, m.misread.added.outputs, strict=True))),
            T("torch 在课上不运行，一项测试去问它", "torch does not run here; a test asks it"),
            kind="recorded", more=True),
        Claim("padded_queries_still_answer", T(
            "填充掩码遮键，不遮查询：填充位置自己也有输出（平均长度 {padded.output_norm}），只是不"
            "看填充（{padded.weight_on_padding}）。算损失时去掉这几行。",
            "A padding mask hides keys, not queries: padded places put something out too (mean "
            "length {padded.output_norm}), they just do not look at padding "
            "({padded.weight_on_padding}). Leave these rows out of the loss."),
            lambda m: both(above(m.padded.output_norm, 0.1),
                           below(m.padded.weight_on_padding, 1e-300)),
            "on_queries", kind="example", more=True),
        Claim("first_sees_nobody", T(
            "位置 {order.2} 看得见 {order.0} 和 {order.1}；排第一的 {order.0} 在查询流里谁也看不"
            "见：{masks.query_stream.empty.0} 号行是空的。内容流没有空行。",
            "Place {order.2} sees {order.0} and {order.1}; place {order.0}, the first, sees "
            "nobody in the query stream: row {masks.query_stream.empty.0} is empty. The content "
            "stream has no empty row."),
            lambda m: both(equal(m.masks.query_stream.keep[3][0], 1),
                           equal(m.masks.query_stream.keep[3][2], 1),
                           equal(m.masks.query_stream.keep[3][1], 0),
                           equal(m.masks.query_stream.keep[3][3], 0),
                           equal(m.order[0], 2), equal(m.order[1], 0), equal(m.order[2], 3),
                           equal(m.masks.query_stream.empty[0], m.order[0]),
                           at_most(len(m.masks.content_stream.empty), 0)),
            "reading_order", kind="example", more=True),
        Claim("prefix_and_packed", T(
            "前缀 LM：第一个词给第二个 {ahead.prefix} 的权重，因果掩码下是 {ahead.causal}。打包："
            "第二篇给第一篇的词最多 {apart.packed}，只用因果掩码会给到 {apart.causal}。",
            "Prefix LM: the first word gives the second {ahead.prefix}, under a causal mask "
            "{ahead.causal}. Packed: the second text gives a word of the first {apart.packed} at "
            "most, with a causal mask alone {apart.causal}."),
            lambda m: both(above(m.ahead.prefix, 0.01), below(m.ahead.causal, 1e-300),
                           below(m.apart.packed, 1e-300), above(m.apart.causal, 0.01)),
            "plain_causal", kind="example", more=True),
    ),
    caveat=T("投票里的查询、键、值是随机抽的：移动多少没有意义，是不是正好为零才有。",
             "The vote's queries, keys and values are drawn: how far it moves means nothing, "
             "whether it moves does."),
    questions=(
        Question(T("交叉注意力：译文的词看原文，原文末尾有一格 <pad>，没有遮。换掉那一格的数，输出"
                   "会怎样？",
                   "Cross-attention: target words look at a source that ends in <pad>, no mask. "
                   "Put other numbers there. The output:"),
                 (Option(T("不变", "stays the same"),
                         lambda m: below(m.source_moves.unmasked, 1e-12),
                         T("以为模型知道哪里是填充。没有掩码，填充和别的键一样参加 softmax。",
                           "believes the model knows padding. Without a mask it takes part in "
                           "softmax like any other key.")),
                  Option(T("变", "changes"), lambda m: above(m.source_moves.unmasked, 1e-12)),
                  Option(T("变成 NaN", "becomes NaN"),
                         lambda m: (m.source_moves.unmasked is None) - 0.5,
                         T("以为没有掩码就算不出来。算得出来，只是不报错地错了。",
                           "expects a failure. It computes, and is wrong without an error."))),
                 answer=Claim("cross_attention_needs_one_too", T(
                     "移动 {source_moves.unmasked}；遮住那一格，移动 {source_moves.masked}。交叉注"
                     "意力不要因果掩码，填充掩码却要。",
                     "moves by {source_moves.unmasked}; with that place hidden, by "
                     "{source_moves.masked}. Cross-attention needs no causal mask, but a padding "
                     "mask it does."),
                     lambda m: both(above(m.source_moves.unmasked, 0.1),
                                    below(m.source_moves.masked, 1e-300)),
                     "source_unmasked", kind="example")),
        Question(T("XLNet 的次序是 {order.0} {order.1} {order.2} {order.3}。查询流里，排第一的位置 "
                   "{order.0} 能看谁？",
                   "The XLNet order is {order.0} {order.1} {order.2} {order.3}. In the query "
                   "stream, whom may place {order.0}, the first, look at?"),
                 (Option(T("它自己", "itself"),
                         lambda m: above(m.masks.query_stream.keep[2][2],
                                         sum(m.masks.query_stream.keep[2]) / 2),
                         T("把查询流当成内容流。要猜的词正是它自己，不能看。",
                           "takes the query stream for the content stream. It is the word to be "
                           "guessed and must not be seen.")),
                  Option(T("谁也不能看", "nobody"),
                         lambda m: at_most(sum(m.masks.query_stream.keep[2]), 0)),
                  Option(T("所有位置", "every place"),
                         lambda m: equal(sum(m.masks.query_stream.keep[2]), len(m.order)),
                         T("以为打乱次序就是双向。次序变了，仍然只看排在前面的。",
                           "takes a shuffled order for seeing both ways. The order is another, "
                           "still only what came earlier is seen.")),
                  Option(T("位置 {order.1}", "place {order.1}"),
                         lambda m: above(m.masks.query_stream.keep[2][0], 0.5),
                         T("按句中的左右去想。出场的次序里，{order.1} 在它之后。",
                           "thinks of left and right in the sentence. In the order, {order.1} "
                           "comes after it."))),
                 answer=Claim("row_is_empty", T(
                     "{masks.query_stream.empty.0} 号行是空的：没有谁先出场。空行会怎样，是第 2 部"
                     "分。",
                     "row {masks.query_stream.empty.0} is empty: nobody came earlier. What comes "
                     "of an empty row is part 2."),
                     lambda m: both(equal(m.masks.query_stream.empty[0], 2),
                                    at_most(sum(m.masks.query_stream.keep[2]), 0)),
                     "reading_order", kind="example"), more=True)),
    pins={"words.*": exact("words"), "sentence.*": exact("words"), "source.*": exact("words"),
          "target.*": exact("words"), "four.*": exact("words"), "code.*": exact("kept as data"),
          "torch.*": exact("kept as data"), "misread.raised": exact("a name"),
          "masks.*": exact("a table of yes and no"), "order.*": exact("the order"),
          "valid": exact("a count"), "places": exact("a count"), "both_allow": exact("a count"),
          "cells.*.word": exact("a word"), "cells.3.*.masked": exact("a word"),
          "cells.4.*.masked": exact("a word"),
          "rows.*.hidden": exact("a true zero"), "source_moves.masked": exact("a true zero"),
          "padded.weight_on_padding": exact("a true zero"),
          "misread.right.future": exact("a true zero"), "shown_is_used": ROUNDING,
          "apart.packed": exact("a true zero"), "ahead.causal": exact("a true zero"),
          "*": ARITHMETIC},
    errata=ERRATA["masks"],
    notes=T(
        "约 8 分钟。盖住第二行的权重，请一位学生照第一行算；再逐行念三张图：谁可以看谁。争论点：空"
        "的那一行该输出什么？（下一部分。）读反的掩码是真实项目里反复出现的错；torch 自己的两个接"
        "口读法就相反，测试里有对照。讲义里的 create_padding_mask、create_causal_mask、"
        "create_combined_mask、create_xlnet_mask 在 attention_np 里叫 padding_mask、causal_mask、"
        "combined_mask、permutation_mask。试试 --set 1.valid=2。",
        "About 8 minutes. Cover the weights of the second row and let a student work them out; "
        "then read the three maps out row by row: who may look at whom. The argument: what "
        "should an empty row put out? (Next part.) A mask read backwards is an error that real "
        "projects make again and again; two interfaces of torch itself read it in opposite ways, "
        "which a test shows. The notes' create_padding_mask, create_causal_mask, "
        "create_combined_mask, create_xlnet_mask are padding_mask, causal_mask, combined_mask, "
        "permutation_mask in attention_np. Try --set 1.valid=2."),
)
