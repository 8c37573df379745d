"""14.3 Edit one fact: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d14_where_the_fact_is.lesson import EDIT_CONTROLS, OTHERS, rewrite
from demos.d14_where_the_fact_is.words import COUNT, RECORD, TRAINED
from lecture.report import (
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
)

PLACES = {"0_attn": T("L0 注意力", "attention L0"), "0_mlp": T("L0 MLP", "MLP L0"),
          "1_attn": T("L1 注意力", "attention L1"), "1_mlp": T("L1 MLP", "MLP L1"),
          "random": T("MLP L1，乱抽的键", "MLP L1, drawn key")}


def show_rewrite(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "把一个事实改写成下一国的。例如“{example[question]}”：{example[old]} 改成 {example[new]}"
        "。只改一个矩阵，只加一个秩一的矩阵：W + 改动 · 键 / (键 · 键)。键是这一支在最后位置读到"
        "的向量；改动是新旧两个词向量之差，长度一倍一倍地加，直到新词的概率到九成。",
        "Write the next country's fact over one. For example “{example[question]}”: "
        "{example[old]} becomes {example[new]}. One matrix is changed, by a matrix of rank one: "
        "W + change · key / (key · key). The key is what this branch reads at the last place; "
        "the change is the new word's vector minus the old one's, doubled until the new word has "
        "nine tenths of the probability."))
    yield Table(
        (Column(T("改在哪里", "changed at")), Column(T("搬得动", "traced"), ".2f"),
         Column(T("改成", "says it"), "d"), Column(T("换问法", "reworded"), "d"),
         Column(T("别的还对", "others kept"), ".1f"), Column(T("最少", "least"), "d")),
        [[PLACES[name], *(p[k] for k in ("traced", "says", "paraphrases", "kept",
                                         "least_kept"))]
         for name, p in m["places"].items()],
        title=T("改 {facts} 个事实，一次一个；每次问遍全部 {questions} 题",
                "{facts} facts rewritten, one at a time; each time all {questions} are asked"),
        legend=T("搬得动：第 1 部分那种搬法改过去多少。改成：共 {facts}。换问法：共 {asked}，三种"
                 "问法，其中一种没训练过。别的还对：{others} 个别的事实里平均还对几个；最少：最糟"
                 "的一次。",
                 "traced: how far the patch of part 1 goes. says it: of {facts}. reworded: of "
                 "{asked}, three phrasings, one never trained. others kept: of {others} other "
                 "facts, on average; least: in the worst edit."))


PART = Part(
    number=3, key="edit",
    title=T("改写一个事实", "Edit one fact"),
    compute=rewrite, describe=show_rewrite, recipes=("base",),
    params={"facts": Param(4, 1, 96, about=T("改写几个事实，一次一个",
                                             "how many facts, one at a time"))},
    controls=EDIT_CONTROLS,
    claims=(
        Claim("can_be_written", T(
            "事实改得动：改在 L1 MLP，{facts} 个里 {places[1_mlp][says]} 个改口，换问法 {asked} 次"
            "里 {places[1_mlp][paraphrases]} 次也改口，{others} 个别的事实平均还对 "
            "{places[1_mlp][kept]:.1f} 个。同样大小、键是乱抽的改动，改口 {places[random][says]} "
            "个。",
            "A fact can be written: at MLP L1 {places[1_mlp][says]} of {facts} say the new word, "
            "{places[1_mlp][paraphrases]} of {asked} in other phrasings, and of {others} other "
            "facts {places[1_mlp][kept]:.1f} stay on average. As large a change with a drawn "
            "key: {places[random][says]} say it."),
            lambda m: min(m["places"]["1_mlp"]["says"] - 0.75 * m["facts"] + 0.1,
                          m["places"]["1_mlp"]["paraphrases"] - 0.6 * m["asked"],
                          m["places"]["1_mlp"]["kept"] - 0.9 * m["others"],
                          m["places"]["1_mlp"]["says"] - m["places"]["random"]["says"] - 0.5),
            "drawn_key"),
        Claim("brightest_is_worst", T(
            "追踪最亮的地方最不好改：L0 注意力搬得动 {places[0_attn][traced]:.2f}，L1 MLP 只有 "
            "{places[1_mlp][traced]:.2f}；可同样的改法，改在前者，别的事实平均只还对 "
            "{places[0_attn][kept]:.1f} 个，最糟时 {places[0_attn][least_kept]} 个，改在后者 "
            "{places[1_mlp][kept]:.1f} 个。",
            "The brightest place is the worst to edit: attention L0 moves "
            "{places[0_attn][traced]:.2f}, MLP L1 only {places[1_mlp][traced]:.2f}; yet edited "
            "the same way, the first keeps {places[0_attn][kept]:.1f} of the other facts on "
            "average, {places[0_attn][least_kept]} in the worst edit, the second "
            "{places[1_mlp][kept]:.1f}."),
            lambda m: min(m["places"]["0_attn"]["traced"]
                          - max(m["places"][n]["traced"] for n in OTHERS),
                          min(m["places"][n]["kept"] for n in OTHERS)
                          - m["places"]["0_attn"]["kept"],
                          m["places"]["1_mlp"]["kept"] - m["places"]["0_attn"]["kept"]
                          - m["others"] / 12,
                          m["places"]["0_attn"]["kept"] + 0.1
                          - m["places"]["0_attn"]["least_kept"]),
            "drawn_key"),
        Claim("who_is_dragged_along", T(
            "谁跟着变？改在 L0 注意力，同一国的别的事错 {places[0_attn][lost_country]} 个，同一关"
            "系的别国错 {places[0_attn][lost_relation]} 个（{facts} 次合计）：那里的键只说“哪国、"
            "问什么”，谁都有一份。改在 L1 MLP 是 {places[1_mlp][lost_country]} 和 "
            "{places[1_mlp][lost_relation]} 个。",
            "Who is dragged along? At attention L0, {places[0_attn][lost_country]} other facts "
            "of the same country and {places[0_attn][lost_relation]} of the same relation go "
            "wrong (over {facts} edits): a key there says only which country and what is asked, "
            "and everyone shares some of it. At MLP L1: {places[1_mlp][lost_country]} and "
            "{places[1_mlp][lost_relation]}."),
            lambda m: min(m["places"]["0_attn"]["lost_country"]
                          - m["places"]["1_mlp"]["lost_country"] - 0.5,
                          m["places"]["0_attn"]["lost_relation"]
                          - m["places"]["1_mlp"]["lost_relation"] - 0.5), "drawn_key"),
        Claim("seeds", T(
            "记录：{record[seeds]} 个种子，各改 {record[facts]} 个事实。追踪都最亮的 L0 注意力："
            "{record[traced_most_is_attention]} 个种子；改在那里别的事实保住最少："
            "{record[kept_least_is_attention]} 个。改在 L1 MLP，{record[rewritten]} 次里改口 "
            "{record[says][1_mlp]} 次，别的事实每个种子平均保住 {record[kept][1_mlp][least]:.1f} "
            "到 {record[kept][1_mlp][most]:.1f} 个；这里用的种子也是这样。",
            "Recorded: {record[seeds]} seeds, {record[facts]} facts each. Attention L0 is traced "
            "brightest in {record[traced_most_is_attention]} and keeps the fewest other facts in "
            "{record[kept_least_is_attention]}. At MLP L1 {record[says][1_mlp]} of "
            "{record[rewritten]} edits say the new word, and by seed "
            "{record[kept][1_mlp][least]:.1f} to {record[kept][1_mlp][most]:.1f} others stay on "
            "average; so it is with the seed shown here."),
            lambda m: min(min(m["record"]["traced_most_is_attention"],
                              m["record"]["kept_least_is_attention"])
                          - 0.8 * m["record"]["seeds"] + 0.1,
                          m["record"]["says"]["1_mlp"] - 0.9 * m["record"]["rewritten"],
                          m["record"]["kept"]["1_mlp"]["least"] - 0.9 * m["others"],
                          m["places"]["1_mlp"]["kept"] - m["places"]["0_attn"]["kept"]),
            "drawn_key"),
    ),
    caveat=T(
        "地图回答“哪里带着国名”，改写要的是“哪里的键只属于这一个事实”，是两个问题。Hase 等（2023"
        "）在大模型里发现：追踪的结果几乎不能预告改哪一层好。这里的改法比 ROME 粗：没有梯度，不问"
        "键的协方差，写的方向就是词向量之差，这偏爱靠近输出的地方。",
        "The map answers where the country is carried; an edit needs a key that belongs to one "
        "fact only: two questions. Hase et al. (2023) found in large models that tracing hardly "
        "predicts which layer to edit. The edit here is cruder than ROME: no gradients, no "
        "covariance of keys, and it writes the difference of two word vectors, which favours "
        "places near the output."),
    questions=(Question(
        T("追踪图最亮的是 L0 注意力。就在那里把一个事实改写掉，会怎样？",
          "The map is brightest at attention L0. Rewrite one fact right there: what happens?"),
        (Option(T("改好了，别的事实几乎不动", "it is rewritten, and hardly anything else changes"),
                lambda m: min(m["places"]["0_attn"]["says"] - m["facts"] / 2,
                              m["places"]["0_attn"]["kept"] - 0.9 * m["others"]),
                T("以为找得到就改得准：最亮的地方就是事实住的地方。",
                  "takes finding for editing: the brightest place as the fact's home.")),
         Option(T("改不动：新词说不出来", "it cannot be done: the new word is not said"),
                lambda m: m["facts"] / 2 - m["places"]["0_attn"]["says"] + 1e-9,
                T("以为离输出远的地方写不进去。写得够长就进得去。",
                  "thinks that what is far from the output cannot be written. A long enough vector "
                  "gets through.")),
         Option(T("改好了，但带错了别的许多事实",
                  "it is rewritten, and many others go wrong with it"),
                lambda m: min(m["places"]["0_attn"]["says"] - m["facts"] / 2,
                              0.9 * m["others"] - m["places"]["0_attn"]["kept"])))),),
    pins={"record.*": RECORD, "example.*": COUNT, "places.*.traced": TRAINED,
          "places.*": COUNT, "*": COUNT},
    notes=T(
        "约 6 分钟。投票前再看一眼第 1 部分的图。争论点：要改一个大模型里的错，先追踪再改，有用吗"
        "？试试 --set 3.facts=12（慢一些），--seed 1 换一批事实。",
        "About 6 minutes. Look at the maps of part 1 again before the vote. The argument: to "
        "correct a large model, does tracing first help? Try --set 3.facts=12 (slower) and "
        "--seed 1 for other facts."),
)
