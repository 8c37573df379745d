"""12.3 Without positions: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d12_induction_grows.lesson import COPIERS, PLACES_CONTROLS, without_positions
from demos.d12_induction_grows.words import COUNT, RECORDED, TRAINED
from lecture.report import (
    ROUNDING,
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
    close,
)

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
        legend=T("不遮：同样的权重，去掉因果掩码。更长的行：{far_words} 个词，训练时没见过这么长。",
                 "Unmasked: the same weights without the causal mask. Longer rows: {far_words} "
                 "words, longer than any in training."))
    yield Table(
        (Column(T("网络", "network")),
         Column(T("第一层移动", "layer one moves"), ".0e<1e-12"),
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


PART = Part(
    number=3, key="places",
    title=T("不给位置", "Without positions"),
    compute=without_positions, describe=show_places, recipes=COPIERS,
    controls=PLACES_CONTROLS,
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
            "次序来自因果掩码：同样的权重去掉掩码，只对 "
            "{models[no_positions][unmasked]:.1%}，尽管这时答案就在眼前。",
            "The order comes from the causal mask: the same weights without it get "
            "{models[no_positions][unmasked]:.1%}, although the answer now stands in plain "
            "view."),
            lambda m: 0.3 - m["models"]["no_positions"]["unmasked"], "masked"),
        Claim("one_layer_sees_a_set", T(
            "一层看到的只是一个集合：把前面的词打乱，最后一个词在第一层的输出移动 "
            "{models[no_positions][shuffled][layer0]:.0e<1e-12}，是舍入；到第二层才移动 "
            "{models[no_positions][shuffled][layer1]:.1f}。",
            "One layer sees a set: shuffle the words before it and the move of the last word's "
            "output of layer one is {models[no_positions][shuffled][layer0]:.0e<1e-12}, which is "
            "rounding; of layer two it is {models[no_positions][shuffled][layer1]:.1f}."),
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
                T("以为没有位置编码就没有次序。掩码已经说出谁在谁之前。",
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
          "models.no_positions.shuffled.layer0": ROUNDING,
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
