"""14.3 Edit one fact: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d14_where_the_fact_is.lesson import EDIT_CONTROLS, rewrite
from demos.d14_where_the_fact_is.words import (
    A_COUNT,
    BRANCH_NAMES,
    COUNT,
    RECORD,
    SEEDS,
    TRAINED,
)
from lecture.margins import above, at_least, at_most, below, both, every
from lecture.quantities import Group, Named, Rows
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
)

QUANTITIES = {
    "places.*.recovery": Quantity(T("恢复率", "recovery"), ".2f"),
    "places.*.says": Quantity(T("改口", "says"), "d"),
    "places.*.paraphrases": Quantity(T("换问法", "reworded"), "d"),
    "places.*.kept": Quantity(T("别的还对", "kept"), ".1f"),
    "places.*.lost.country": Quantity(T("同国", "country"), ".0%"),
    "places.*.lost.relation": Quantity(T("同问", "relation"), ".0%"),
    "places.*.lost.neither": Quantity(T("无关", "neither"), ".0%"),
    "record.seeds": SEEDS,
    "*": A_COUNT,
}
NAMES = {
    **{f"places.{key}": name for key, name in BRANCH_NAMES.items()},
    "places.key_country": T("键：下一国", "key: next country"),
    "places.key_question": T("键：下一问", "key: next question"),
    "places.whitened": T("L0 注意力，白化的键", "attention L0, whitened key"),
}
FOUR = ("attn0", "mlp0", "attn1", "mlp1")


def blocks(m: Metrics) -> Iterator[Named]:
    columns = ("recovery", "says", "paraphrases", "kept",
               Group(T("改错了的", "gone wrong of"),
                     ("lost.country", "lost.relation", "lost.neither")))
    legend = T(
        "恢复率：第 1 部分的激活修补。改口：共 {facts}。换问法：共 {asked}。别的还对：{others} 个"
        "别的事实里平均几个。键：也在 L1 MLP，一样大，用下一国或下一问的键。同国、同问、无关：这些"
        "别的事实里错了多少。",
        "recovery: the patching of part 1. says (the new word): of {facts}; reworded: of "
        "{asked}; kept: of {others} other facts, on average. key: at MLP L1, as large, with "
        "the key of the next country or question. wrong: shares of the other facts.")
    yield Rows(tuple(f"places.{key}" for key in (*FOUR, "key_country", "key_question")), columns,
               head=T("改在哪里", "changed at"),
               title=T("改 {facts} 个事实，一次一个；每次问遍 {questions} 题",
                       "{facts} facts rewritten, one at a time; all {questions} asked each time"),
               legend=legend)
    yield Rows(("places.attn0", "places.whitened"), columns[1:], head=T("改在哪里", "changed at"),
               more=True,
               title=T("键先白化（除以所有题的键的二阶矩）：共有的方向算得轻",
                       "The key whitened (divided by the second moment of all keys): what keys "
                       "share counts less"))


PART = Part(
    number=3, key="edit",
    title=T("改写一个事实", "Edit one fact"),
    compute=rewrite, describe=blocks, quantities=QUANTITIES, names=NAMES, recipes=("base",),
    params={"facts": Param(4, 1, 96, about=T("改写几个事实，一次一个",
                                             "how many facts, one at a time"))},
    controls=EDIT_CONTROLS,
    lead=(Paragraph(T(
        "把一个事实改写成下一国的，例如“{example.question}”：{example.old} 改成 {example.new}。只动"
        "一支的最后一个矩阵，加一个秩一的：\n"
        "    W + 改动 · 键 / (键 · 键)\n"
        "键是这个矩阵在这道题的最后位置读到的向量；改动是新旧两个词向量之差，长度从四分之一起一倍一"
        "倍地加，直到新词的概率到九成。别的题，键和它越像，也跟着改得越多。",
        "Write the next country's fact over one, as for “{example.question}”: {example.old} "
        "becomes {example.new}. Only the last matrix of one branch is changed, by one of rank "
        "one:\n"
        "    W + change · key / (key · key)\n"
        "The key is what this matrix reads at the question's last place; the change is the new "
        "word's vector minus the old one's, from a quarter of it doubled until the new word has "
        "nine tenths. Another question gets its share by how like its key is.")),),
    claims=(
        Claim("can_be_written", T(
            "写得进去：在 L1 MLP，{facts} 个里改口 {places.mlp1.says} 个，换问法 "
            "{places.mlp1.paraphrases} 次也改，别的事实还对 {places.mlp1.kept} 个。一样大，用下一国"
            "的键，改口 {places.key_country.says} 个。",
            "A fact can be written: at MLP L1 {places.mlp1.says} of {facts} say the new word, "
            "{places.mlp1.paraphrases} times when reworded, and {places.mlp1.kept} others stay. As "
            "large, with the next country's key, {places.key_country.says} say it."),
            lambda m: both(at_least(m.places.mlp1.says, 0.75 * m.facts),
                           at_least(m.places.mlp1.paraphrases, 0.6 * m.asked),
                           above(m.places.mlp1.kept, 0.9 * m.others),
                           above(m.places.mlp1.says, m.places.key_country.says)), "other_key",
            given=("facts",)),
        Claim("who_is_dragged_along", T(
            "谁跟着错？改在 L0 注意力，同一国的别的事错 {places.attn0.lost.country}，同一问的别国 "
            "{places.attn0.lost.relation}，都不沾的也有 {places.attn0.lost.neither}。",
            "Who goes wrong too? At attention L0 {places.attn0.lost.country} of the same "
            "country's facts, {places.attn0.lost.relation} of the same relation's, and "
            "{places.attn0.lost.neither} of those that share neither."),
            lambda m: both(above(m.places.attn0.lost.country,
                                 m.places.attn0.lost.relation + 0.05),
                           above(m.places.attn0.lost.relation,
                                 m.places.attn0.lost.neither + 0.05),
                           above(m.places.attn0.lost.neither, 0.1)), "other_branch"),
        Claim("seeds", T(
            "{record.seeds} 个种子都是这样：恢复率最高的都是 L0 注意力（{record.brightest} 个），改"
            "在那里别的事实留得最少的也是（{record.fewest} 个）。",
            "So it is in all {record.seeds} seeds: attention L0 has the highest recovery in "
            "{record.brightest}, and edits there keep the fewest other facts in "
            "{record.fewest}."),
            lambda m: both(at_least(m.record.brightest, m.record.seeds),
                           at_least(m.record.fewest, m.record.seeds)),
            "other_branch", kind="recorded"),
        Claim("whitened", T(
            "把键白化（ROME 也这样做），L0 注意力保住的从 {places.attn0.kept} 升到 "
            "{places.whitened.kept}，仍比另外三处都少；记录里 {record.seeds} 个种子有 "
            "{record.white_fewest} 个如此。",
            "Whitening the key, as ROME does, raises what attention L0 keeps from "
            "{places.attn0.kept} to {places.whitened.kept}, still fewer than any other place; so "
            "in {record.white_fewest} of {record.seeds} recorded seeds."),
            lambda m: both(above(m.places.whitened.kept, m.places.attn0.kept + 1),
                           every(below(m.places.whitened.kept, p.kept) for p in
                                 (m.places.mlp0, m.places.attn1, m.places.mlp1)),
                           above(m.record.white_fewest, m.record.seeds / 2)),
            "not_whitened", more=True),
        Claim("seeds_written", T(
            "{record.seeds} 个种子，在 L1 MLP 改 {record.rewritten} 次，改口 {record.says} 次；一"
            "样大"
            "、用邻题的键，{record.other_key.edits} 次里也有 {record.other_key.says} 次改口。",
            "In {record.seeds} seeds {record.says} of {record.rewritten} edits at MLP L1 say the "
            "new word; as large, with a neighbouring question's key, {record.other_key.says} of "
            "{record.other_key.edits} do too."),
            lambda m: both(at_least(m.record.says, 0.9 * m.record.rewritten),
                           above(m.record.says / m.record.rewritten,
                                 m.record.other_key.says / m.record.other_key.edits + 0.3),
                           at_least(m.record.other_key.says, 1)),
            T("另一组就在句子里：邻题的键", "its other arm stands in the sentence"),
            kind="recorded", given=("record.seeds",), more=True),
    ),
    caveat=T(
        "修补问哪里带着国名，改写要的是只属于这个事实的键。Hase 等（2023）：大模型里追踪的结果也几"
        "乎不能预告改哪一层好。这里的改法比 ROME（Meng 等 2022）粗：写的是词向量之差，偏爱靠近输出"
        "的地方。",
        "Patching asks where the country is carried; an edit needs a key of this fact alone. Hase "
        "et al. (2023): in large models too tracing hardly predicts where to edit. This edit is "
        "cruder than ROME (Meng et al. 2022): it writes a difference of word vectors, which "
        "favours places near the output."),
    questions=(Question(
        T("激活修补里恢复率最高的是 L0 注意力（{places.attn0.recovery:.2f}）。就在那里改写，会怎样"
          "？",
          "Patching recovers most at attention L0 ({places.attn0.recovery:.2f}). Rewrite a fact "
          "there: what happens?"),
        (Option(T("改口，别的几乎不动", "new word, others stay"),
                lambda m: both(at_least(m.places.attn0.says, m.facts / 2),
                               above(m.places.attn0.kept, 0.9 * m.others)),
                T("以为找得到就改得准。", "takes finding for editing.")),
         Option(T("改口，带错许多别的", "new word, others go wrong"),
                lambda m: both(at_least(m.places.attn0.says, m.facts / 2),
                               below(m.places.attn0.kept, 0.9 * m.others))),
         Option(T("不改口", "no new word"),
                lambda m: at_most(m.places.attn0.says, m.facts / 2 - 1),
                T("以为离输出远的地方写不进去。",
                  "thinks that what is far from the output cannot be written."))),
        answer=Claim("traced_is_not_editable", T(
            "{facts} 个里改口 {places.attn0.says} 个，{others} 个别的事实平均只剩 "
            "{places.attn0.kept} 个还对，四处里最少。L1 MLP 恢复率只有 {places.mlp1.recovery}，却留"
            "下 {places.mlp1.kept} 个。恢复率高，不等于好改。",
            "{places.attn0.says} of {facts} say it, but of {others} others {places.attn0.kept} "
            "stay "
            "right on average, the fewest of four places. MLP L1, recovery only "
            "{places.mlp1.recovery}, keeps {places.mlp1.kept}. High recovery does not make a good "
            "place to edit."),
            lambda m: both(at_least(m.places.attn0.says, m.facts / 2),
                           every(above(m.places.attn0.recovery, p.recovery) for p in
                                 (m.places.mlp0, m.places.attn1, m.places.mlp1)),
                           every(above(p.kept, m.places.attn0.kept) for p in
                                 (m.places.mlp0, m.places.attn1, m.places.mlp1)),
                           above(m.places.mlp1.kept, m.places.attn0.kept + m.others / 12)),
            "other_branch", given=("facts", "others"))),),
    pins={"record.*": RECORD, "example.*": COUNT,
          "places.*.recovery": TRAINED, "places.*.lost.*": ARITHMETIC,
          "places.*.kept": ARITHMETIC, "places.*": COUNT, "*": COUNT},
    notes=T(
        "约 6 分钟。投票前再看一眼第 1 部分的激活修补。争论点：要改一个大模型里的错，先追踪再改，"
        "有用吗？试试 --set 3.facts=12（慢一些），--seed 1 换一批事实。",
        "About 6 minutes. Look at the patching of part 1 again before the vote. The argument: to "
        "correct a large model, does tracing first help? Try --set 3.facts=12 (slower) and "
        "--seed 1 for other facts."),
)
