"""06.1 Who may look at whom: every mask: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d06_masks.errata import ERRATA
from demos.d06_masks.lesson import MASKS_CONTROLS, TARGET, draw_masks
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
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
    exact,
)

MASK_TITLES = {
    "padding": T("填充掩码", "padding"), "causal": T("因果掩码", "causal"),
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
              title=T("讲义里的每一种掩码，出自同一个函数",
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


PART = Part(
    number=1, key="masks",
    title=T("谁可以看谁：每一种掩码", "Who may look at whom: every mask"),
    compute=draw_masks, describe=show_masks,
    params={"valid": Param(3, 2, 4, about=T("五个位置里有几个真词",
                                            "how many of the five places hold a word"))},
    controls=MASKS_CONTROLS,
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
            "填充掩码遮的是键，不是查询：填充位置自己照样输出（平均长度 "
            "{padded[output_norm]:.2f}），只是不看填充（{padded[weight_on_padding]:g}）。"
            "这几行要从损失里去掉。",
            "A padding mask hides keys, not queries: padded places still put something out (mean "
            "length {padded[output_norm]:.2f}), they just do not look at padding "
            "({padded[weight_on_padding]:g}). Drop those rows from the loss."),
            lambda m: min(m["padded"]["output_norm"] - 0.1,
                          1e-300 - m["padded"]["weight_on_padding"]), "on_queries"),
        Claim("cross_attention_needs_one_too", T(
            "交叉注意力不要因果掩码，但要遮原文的填充：把填充处的数换掉，不遮时输出移动 "
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
            "{polarity[future_right]:.0%}，而程序不报错。画掩码，先写图例。",
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
        Question(T("都说“交叉注意力不用掩码”。把原文末尾填充处的数换成别的，译文那边的输出会怎样？",
                   "“Cross-attention needs no mask.” Put other numbers where the source is "
                   "padded: what happens to the output?"),
                 (Option(T("不变：填充不是词", "nothing: padding is no word"),
                         lambda m: 1e-12 - m["source_moves"]["unmasked"],
                         T("以为模型知道哪里是填充。没有掩码，填充和别的键一样参加 softmax。",
                           "believes the model knows padding. Without a mask it takes part in "
                           "softmax like any other key.")),
                  Option(T("会变", "it changes"),
                         lambda m: m["source_moves"]["unmasked"] - 1e-12),
                  Option(T("变成 NaN", "it becomes NaN"),
                         lambda m: (m["source_moves"]["unmasked"] is None) - 0.5,
                         T("以为没有掩码就算不出来。算得出来，只是悄悄地错了。",
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
        "（下一部分。）读反的掩码是真实项目里反复出现的错；torch 自己的两个接口读法就相反，"
        "测试里有对照。试试 --set 1.valid=2。",
        "About 8 minutes. Two votes, then the tables; let the class read out row by row who may "
        "look at whom. The argument: what should the empty row put out? (Next part.) A mask read "
        "backwards is an error that real projects make again and again; two interfaces of torch "
        "itself read it in opposite ways, which the tests show. Try --set 1.valid=2."),
)
