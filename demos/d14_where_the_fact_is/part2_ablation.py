"""14.2 MLP or attention: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d14_where_the_fact_is.errata import ERRATA
from demos.d14_where_the_fact_is.lesson import ABLATION_CONTROLS, HOW, take_away
from demos.d14_where_the_fact_is.words import COUNT, RECORD
from lecture.report import (
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
)

BRANCHES = {"0_attn": T("L0 注意力", "attention L0"), "0_mlp": T("L0 MLP", "MLP L0"),
            "1_attn": T("L1 注意力", "attention L1"), "1_mlp": T("L1 MLP", "MLP L1"),
            "all_attn": T("两层注意力", "both attentions"), "all_mlp": T("两个 MLP", "both MLPs")}


def show_take_away(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "换一种训练时从未见过的问法，{questions} 题答对 {right} 题。现在只在最后位置拿掉一支的输"
        "出：用零代替；用它在这些题上的均值代替；作为对照，什么也不拿掉，只加一个同样长、方向乱抽"
        "的向量。",
        "In a phrasing never seen in training, {right} of {questions} are right. Now one branch's "
        "output is taken away at the last place: zero in its place; its mean over these questions "
        "in its place; and, as the control, nothing taken away but a vector of the same length "
        "added in a drawn direction."))
    yield Table(
        (Column(T("拿掉", "without")), Column(T("零", "zero"), "d"),
         Column(T("均值", "mean"), "d"), Column(T("对照", "control"), "d")),
        [[BRANCHES[name], *(cells[how]["right"] for how in HOW)]
         for name, cells in m["without"].items()],
        title=T("{questions} 题还对几题", "Right answers left of {questions}"))
    yield Table(
        (Column(T("拿掉", "without")), Column(T("答对", "right"), "d"),
         Column(T("说成别国的", "other country's"), "d"),
         Column(T("本国的别的事", "other fact of it"), "d"), Column(T("其他", "else"), "d")),
        [[BRANCHES[name], *cells["zero"].values()] for name, cells in m["without"].items()],
        title=T("用零代替时，说的是什么", "With zero in its place: what is said"))


PART = Part(
    number=2, key="ablation",
    title=T("MLP 还是注意力", "MLP or attention"),
    compute=take_away, describe=show_take_away, recipes=("base",),
    controls=ABLATION_CONTROLS,
    claims=(
        Claim("attention_hurts_more", T(
            "拿掉两层注意力，零和均值都几乎不剩：{without[all_attn][zero][right]} 和 "
            "{without[all_attn][mean][right]} 题；拿掉两个 MLP 还剩 "
            "{without[all_mlp][zero][right]} 和 {without[all_mlp][mean][right]} 题。只加同样长的"
            "乱向量，剩 {without[all_attn][push][right]} 和 {without[all_mlp][push][right]} 题。",
            "Without both attentions hardly anything is left, by zero or by mean: "
            "{without[all_attn][zero][right]} and {without[all_attn][mean][right]}; without both "
            "MLPs {without[all_mlp][zero][right]} and {without[all_mlp][mean][right]}. As long a "
            "drawn vector added leaves {without[all_attn][push][right]} and "
            "{without[all_mlp][push][right]}."),
            lambda m: min(*(m["without"]["all_mlp"][how]["right"]
                            - m["without"]["all_attn"][how]["right"] - m["questions"] / 24
                            for how in ("zero", "mean")),
                          *(m["without"][name]["push"]["right"]
                            - m["without"][name][how]["right"] - m["questions"] / 8
                            for name in ("all_attn", "all_mlp") for how in ("zero", "mean")),
                          m["questions"] / 8 - m["without"]["all_attn"]["zero"]["right"]),
            "pushed_instead"),
        Claim("road_and_store", T(
            "可“少不得”不等于“存在那里”：L0 注意力是国名来的路，只切断它到国名的边就只剩 "
            "{road_cut} 题。拿掉 L0 MLP（零）时，{without[0_mlp][zero][other_country]} 题说成别国"
            "的同一件事，说成本国别的事的只有 {without[0_mlp][zero][other_fact]} 题：问的是什么还"
            "知道，这一国该答什么不知道了。",
            "But needed is not stored: attention L0 is the road the country comes by, and with "
            "only its edge to the country cut, {road_cut} stay right. Without MLP L0 (zero) "
            "{without[0_mlp][zero][other_country]} say the same fact of another country, only "
            "{without[0_mlp][zero][other_fact]} another fact of the right one: what is asked is "
            "still known, what to say for this country is not."),
            lambda m: min(m["without"]["0_mlp"]["zero"]["other_country"]
                          - 2 * m["without"]["0_mlp"]["zero"]["other_fact"],
                          m["without"]["0_mlp"]["zero"]["other_country"] - m["questions"] / 8,
                          m["questions"] / 8 - m["road_cut"]), "pushed_instead"),
        Claim("zero_or_mean", T(
            "零还是均值，要说清楚：最后一个 MLP 用零代替，丢 {lost[zero]} 题；用均值代替，只丢 "
            "{lost[mean]} 题。零把每道题都一样的那部分也拿掉了；均值只拿掉题与题的差别。",
            "Zero or mean must be said: zero in place of the last MLP loses {lost[zero]}, the "
            "mean only {lost[mean]}. Zero also takes what is the same for every question; the "
            "mean takes only what differs."),
            lambda m: min(m["lost"]["zero"] - m["lost"]["mean"] - m["questions"] / 24,
                          m["lost"]["zero"] - m["questions"] / 24), "pushed_instead"),
        Claim("seeds", T(
            "换种子重训（记录，{record[seeds]} 个）：缺了注意力伤得更重的有 "
            "{record[attention_hurts_more]} 个，两层注意力都拿掉至多剩 "
            "{record[most_left_without_attention]} 题，两个 MLP 都拿掉（零）剩 "
            "{record[without_mlps][least]} 到 {record[without_mlps][most]} 题；最后一个 MLP，均值"
            "比零丢得少的有 {record[mean_loses_less]} 个。L1 注意力要不要紧，看种子：拿掉它错 "
            "{record[attention_1_loses][least]} 到 {record[attention_1_loses][most]} 题。这里用的"
            "种子也在其中。",
            "Trained from other seeds (recorded, {record[seeds]}): attention hurts more in "
            "{record[attention_hurts_more]}; without both attentions at most "
            "{record[most_left_without_attention]} stay right, without both MLPs (zero) "
            "{record[without_mlps][least]} to {record[without_mlps][most]}; at the last MLP the "
            "mean loses less than zero in {record[mean_loses_less]}. Whether attention L1 "
            "matters depends on the seed: without it {record[attention_1_loses][least]} to "
            "{record[attention_1_loses][most]} go wrong. The seed shown here is one of them."),
            lambda m: min(m["record"]["attention_hurts_more"] - 0.8 * m["record"]["seeds"] + 0.1,
                          m["questions"] / 8 - m["record"]["most_left_without_attention"],
                          m["record"]["mean_loses_less"] - 0.8 * m["record"]["seeds"] + 0.1,
                          m["record"]["attention_1_loses"]["most"]
                          - m["record"]["attention_1_loses"]["least"] - m["questions"] / 12,
                          m["record"]["without_mlps"]["least"]
                          - m["record"]["most_left_without_attention"],
                          m["without"]["all_mlp"]["zero"]["right"]
                          - m["without"]["all_attn"]["zero"]["right"] - m["questions"] / 24),
            "untrained"),
    ),
    caveat=T(
        "讲义说取回来怎么用“在 MLP 里”。这里量到的是：大半在。只在最后位置拿掉两个 MLP 还对 "
        "{without[all_mlp][zero][right]} 题，处处拿掉剩 {everywhere[mlp]} 题：别处的 MLP 也帮着做"
        "，L1 注意力在有的种子里也少不得。大模型里，Geva 等（2023）说 MLP 备料、注意力取属性，"
        "Meng 等（2022）的追踪指向中间层的 MLP；同名的零件在不同大小的模型里分工不同。",
        "The notes say that what is fetched is used in the MLP. Measured here: most of it. "
        "Without both MLPs at the last place {without[all_mlp][zero][right]} answers stay right, "
        "without them anywhere {everywhere[mlp]}: MLPs at other places help, and in some seeds "
        "the attention of layer L1 is needed as well. In large models MLPs enrich and attention "
        "extracts (Geva et al. 2023), and tracing points at MLPs of the middle layers (Meng et "
        "al. 2022): parts of one name share the work differently in models of different size."),
    questions=(Question(
        T("只在最后位置拿掉：两层的 MLP，还是两层的注意力？哪个伤得更重？",
          "Taken away at the last place only: the MLPs of both layers, or both attentions. Which "
          "hurts more?"),
        (Option(T("MLP：事实存在那里", "the MLPs: the fact is stored there"),
                lambda m: min(m["without"]["all_attn"][how]["right"]
                              - m["without"]["all_mlp"][how]["right"] for how in ("zero", "mean")),
                T("把“存在哪里”当成“缺了谁最伤”。路断了，仓库满着也没用。",
                  "takes where it is stored for what hurts most. With the road cut a full store is "
                  "of no use.")),
         Option(T("注意力", "the attentions"),
                lambda m: min(m["without"]["all_mlp"][how]["right"]
                              - m["without"]["all_attn"][how]["right"]
                              for how in ("zero", "mean"))),
         Option(T("看用零还是用均值代替", "it depends on zero or mean"),
                lambda m: 0.5 - (m["without"]["all_mlp"]["zero"]["right"]
                                 - m["without"]["all_attn"]["zero"]["right"])
                * (m["without"]["all_mlp"]["mean"]["right"]
                   - m["without"]["all_attn"]["mean"]["right"]),
                T("单个零件上是这样（看最后一个 MLP），两层合起来却不是。",
                  "true of single branches (see the last MLP), not of both layers together.")),
         Option(T("一样：缺了谁都答不出", "the same: without either nothing is right"),
                lambda m: m["questions"] / 12
                - max(cells[how]["right"] for name, cells in m["without"].items()
                      if name.startswith("all") for how in ("zero", "mean")),
                T("以为只有一条路。残差流让每一支都可以被绕过。",
                  "assumes a single path. The residual stream lets every branch be passed by."))),),
    ),
    pins={"record.*": RECORD, "*": COUNT},
    errata=ERRATA["ablation"],
    notes=T(
        "约 6 分钟。投票，给第一张表；再问：剩下的错答错在哪里？给第二张表。争论点：缺了就不行，"
        "能说明“它存着”吗？（水管断了厨房没水，水不是水管做的。）",
        "About 6 minutes. Vote, first table; then ask how the wrong answers are wrong, second "
        "table. The argument: does needing a part show that it stores? (No water in the kitchen "
        "when a pipe breaks; the pipe makes no water.)"),
)
