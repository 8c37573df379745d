"""07.3 RoPE: turning queries and keys: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d07_positions.errata import ERRATA
from demos.d07_positions.lesson import ROPE_CONTROLS, turn_pairs
from demos.d07_positions.words import TRAINED
from lecture.report import (
    ARITHMETIC,
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
    exact,
)

STEP_NAMES = {
    "x": T("x", "x"),
    "turned": T("相邻配对转 x", "x, turned as adjacent"),
    "turned_mapped": T("……按 P 重排", ".. taken in the order P"),
    "mapped": T("x 按 P 重排", "x in the order P"),
    "mapped_turned": T("……对半配对来转", ".. turned as halves"),
}


def show_rope(m: Metrics) -> Iterator[Block]:
    c = m["conventions"]
    yield Paragraph(T(
        "RoPE 不加任何东西：它把查询和键两个数一对地转，转角是位置乘频率。哪两个数是一对？"
        "论文用相邻的 (2j, 2j+1)，Llama 的代码用对半的 (j, j+d/2)。两种都对，混用就错。",
        "RoPE adds nothing: it turns queries and keys, two numbers at a time, by position times "
        "frequency. Which two numbers? The paper pairs neighbours (2j, 2j+1), Llama's code "
        "halves (j, j+d/2). Either is right, a mixture is not."))
    yield Table(
        (Column(T("查询在 m", "query at m"), "d"), Column(T("键在 n", "key at n"), "d"),
         Column(T("对半", "halves"), ".4f"), Column(T("相邻", "adjacent"), ".4f"),
         Column(T("混用", "mixed"), ".4f")),
        [list(row.values()) for row in c["scores"].values()],
        title=T("同一个 q、k，都相距两格：分数", "The same q and k, always two apart: the score"),
        legend=T("q 的长度平方是 {conventions[square]:g}；转到位置 {conventions[turned_to]}："
                 "{conventions[norms][half]:.1f}、{conventions[norms][adjacent]:.1f}，"
                 "混用 {conventions[norms][mixed]:.1f}。",
                 "q has squared length {conventions[square]:g}; turned to position "
                 "{conventions[turned_to]}: {conventions[norms][half]:.1f}, "
                 "{conventions[norms][adjacent]:.1f}, mixed {conventions[norms][mixed]:.1f}."))
    yield Table(
        (Column(T("在位置 {conventions[at]}", "at position {conventions[at]}")),
         *(Column(T(f"第 {{conventions[slots][{i}]}} 个", f"no. {{conventions[slots][{i}]}}"),
                  ".6f") for i in c["slots"])),
        [[name, *c["steps"][key]] for key, name in STEP_NAMES.items()],
        title=T("把一种约定变成另一种：先偶数、后奇数",
                "From one convention to the other: even places first, then odd"),
        legend=T("P = {conventions[P][0]} {conventions[P][1]} {conventions[P][2]} "
                 "{conventions[P][3]}：第三行和第五行相同。",
                 "P = {conventions[P][0]} {conventions[P][1]} {conventions[P][2]} "
                 "{conventions[P][3]}: rows three and five are the same."))
    yield Table(
        (Column(T("层", "layer"), "d"),
         Column(T("分数 = 转过的 q·k？", "score = turned q·k?"), ".1g<1e-12"),
         Column(T("= 没转的 q·k？", "= q·k unturned?"), ".2f"),
         Column(T("取回的 = 权重 × 没转的 v？", "fetched = weights × v?"), ".1g<1e-12")),
        [list(row.values()) for row in m["model"]["layers"].values()],
        title=T("训练好的模型里，谁被转了（最大差距）",
                "In the trained model: what is turned (largest gap)"))
    f, h = m["formula"], m["half"]
    yield Table(
        (Column(T("算式", "formula")), Column(T("分数", "score"), ".6f")),
        [[T("真的转一转", "turned for real"), f["one"]["score"]],
         [T("讲义：(q·k) cos", "the notes: (q·k) cos"), f["one"]["notes"]],
         [T("加上正弦项", "with the sine term"), f["one"]["full"]]],
        title=T("q = (1, 0)，k = (0, 1)，相距 {formula[apart]}，θ = {formula[theta]}",
                "q = (1, 0), k = (0, 1), {formula[apart]} apart, θ = {formula[theta]}"))
    yield Table(
        (Column(T("位置 {half[place]} 的角度", "angle at position {half[place]}")),
         Column(T("角度", "angle"), ".4f"), Column(T("余弦", "cosine"), ".4f")),
        [[T("双精度", "double precision"), h["angle"], h["cosine"]],
         [T("半精度", "half precision"), h["rough"], h["rough_cosine"]]])


PART = Part(
    number=3, key="rope",
    title=T("RoPE：转查询和键", "RoPE: turning queries and keys"),
    compute=turn_pairs, describe=show_rope, recipes=("places_rope",),
    controls=ROPE_CONTROLS,
    claims=(
        Claim("distance_only", T(
            "分数只看距离：三处相距一样的位置，对半是 {conventions[scores][at_3_1][half]:.4f}，"
            "相邻是 "
            "{conventions[scores][at_3_1][adjacent]:.4f}，各自不变；同一位置就是原来的 q·k = "
            "{conventions[equal_places]:g}。混用的实现三处三个数。",
            "The score sees the distance only: at three equally distant places halves give "
            "{conventions[scores][at_3_1][half]:.4f}, neighbours "
            "{conventions[scores][at_3_1][adjacent]:.4f}, each unchanged; at equal places it is "
            "the plain q·k = {conventions[equal_places]:g}. The mixture gives three different "
            "numbers."),
            lambda m: min(*(1e-9 - abs(row[way] - m["conventions"]["scores"]["at_3_1"][way])
                            for row in list(m["conventions"]["scores"].values())[1:]
                            for way in ("half", "adjacent")),
                          1e-9 - abs(m["conventions"]["equal_places"] - m["conventions"]["plain"]),
                          *(abs(a["mixed"] - b["mixed"]) - 1 for a, b in zip(
                              list(m["conventions"]["scores"].values())[1:],
                              list(m["conventions"]["scores"].values())[:-1], strict=True))),
            "mixed_conventions"),
        Claim("map", T(
            "两种约定差一个重排：先按 P 重排再对半转，等于先相邻转再按 P 重排，差 "
            "{conventions[map][turned]:.1g<1e-12}，分数差 {conventions[map][scores]:.1g<1e-12}；"
            "不重排，"
            "分数差到 {conventions[map][unmapped_scores]:.1f}。",
            "The two conventions differ by a reordering: take P, then turn halves, is the same as "
            "turn neighbours, then take P (gap {conventions[map][turned]:.1g<1e-12}, of the scores "
            "{conventions[map][scores]:.1g<1e-12}); without it scores are off by up to "
            "{conventions[map][unmapped_scores]:.1f}."),
            lambda m: min(1e-12 - m["conventions"]["map"]["turned"],
                          1e-11 - m["conventions"]["map"]["scores"],
                          m["conventions"]["map"]["unmapped_scores"] - 1), "unmapped"),
        Claim("q_and_k_only", T(
            "训练好的模型里，两层的分数都由转过的 q 和 k 算出（差 "
            "{model[layers][layer_0][turned]:.1g<1e-12} "
            "和 {model[layers][layer_1][turned]:.1g<1e-12}）；词向量没动（差 "
            "{model[embedding]:g}），"
            "取回的 "
            "v 也没转（差 {model[layers][layer_0][values]:.1g<1e-12}）。整段往后挪 "
            "{model[moved_by]} "
            "格，输出的变化 "
            "{model[moved_on]:.1g<1e-12}。",
            "In the trained model both layers score with turned q and k (gap "
            "{model[layers][layer_0][turned]:.1g<1e-12} and "
            "{model[layers][layer_1][turned]:.1g<1e-12}); the "
            "embedding is untouched (gap {model[embedding]:g}) and the v fetched is not turned "
            "(gap {model[layers][layer_0][values]:.1g<1e-12}). Move the whole text on by "
            "{model[moved_by]} places and the change of the output is "
            "{model[moved_on]:.1g<1e-12}."),
            lambda m: min(*(1e-10 - max(row["turned"], row["values"])
                            for row in m["model"]["layers"].values()),
                          *(row["still"] - 0.1 for row in m["model"]["layers"].values()),
                          1e-12 - m["model"]["embedding"], 1e-8 - m["model"]["moved_on"],
                          m["model"]["moved_by"] - 1), "no_positions"),
        Claim("sine_term", T(
            "相互垂直的 q、k 也有分数：{formula[one][score]:.6f}，只写余弦会得 "
            "{formula[one][notes]:.6f}。{formula[pairs]} 对随机向量，只写余弦平均错 "
            "{formula[notes_error]:.3f}，补上正弦项，最大的错 {formula[full_error]:.1g<1e-12}。",
            "Orthogonal q and k score too: {formula[one][score]:.6f}, where the cosine alone says "
            "{formula[one][notes]:.6f}. Over {formula[pairs]} drawn pairs the cosine alone is off "
            "by {formula[notes_error]:.3f} on average; with the sine term the largest error is "
            "{formula[full_error]:.1g<1e-12}."),
            lambda m: min(m["formula"]["one"]["score"] - m["formula"]["one"]["notes"] - 0.1,
                          m["formula"]["notes_error"] - 0.1,
                          1e-12 - m["formula"]["full_error"]), "parallel"),
        Claim("length_kept", T(
            "转 {formula[kept][places]} 格，长度的变化 {formula[kept][length]:.1g<1e-12}，"
            "但向量不再是原来那个：和自己的余弦是 "
            "{formula[kept][cosine]:.3f}。",
            "Turned by {formula[kept][places]} places a vector keeps its length (change "
            "{formula[kept][length]:.1g<1e-12}), but it is not the same vector: the cosine with "
            "itself "
            "is {formula[kept][cosine]:.3f}."),
            lambda m: min(1e-12 - m["formula"]["kept"]["length"],
                          0.95 - m["formula"]["kept"]["cosine"]), "no_turn"),
        Claim("half_precision", T(
            "角度要用够细的数来算：位置 {half[place]} 的余弦是 {half[cosine]:.3f}，半精度算成 "
            "{half[rough_cosine]:.3f}；{half[places]} 个位置里最坏错 {half[worst]:.2f}。",
            "Angles need fine numbers: at position {half[place]} the cosine is "
            "{half[cosine]:.3f}, in half precision {half[rough_cosine]:.3f}; over {half[places]} "
            "positions the worst is off by {half[worst]:.2f}."),
            lambda m: min(m["half"]["worst"] - 0.5,
                          abs(m["half"]["cosine"] - m["half"]["rough_cosine"]) - 0.5),
            "double_precision"),
    ),
    caveat=T(
        "分数只看距离，说的是 q、k 给定的时候；第二层的 q、k 来自已经看过前文的词，"
        "里面可以带着位置。"
        "“只看距离”也不等于“走多远都行”（第 4 部分）。",
        "That the score sees the distance only holds for given q and k; in the second layer they "
        "come from words that have already looked around and may carry places. Nor does it mean "
        "that any distance will do (part 4)."),
    questions=(
        Question(
            T("RoPE 旋转的是？", "What does RoPE turn?"),
            (Option(T("词向量", "the embeddings"), lambda m: m["model"]["embedding"] - 1e-9,
                    T("以为位置一进门就加好了。那是正弦编码的做法。",
                      "expects places at the entrance. That is how sinusoids do it.")),
             Option(T("每一层的 q 和 k", "q and k, in every layer"),
                    lambda m: min(1e-9 - max(row["turned"], row["values"])
                                  for row in m["model"]["layers"].values())),
             Option(T("每一层的 q、k 和 v", "q, k and v, in every layer"),
                    lambda m: min(row["values"] - 1e-9 for row in m["model"]["layers"].values()),
                    T("以为三个都要转。v 转了，取回的内容就跟着位置变。",
                      "turns all three. A turned v would change what is fetched with the place.")),
             Option(T("注意力权重", "the attention weights"),
                    lambda m: min(row["turned"] - 1e-9 for row in m["model"]["layers"].values()),
                    T("把“作用在分数上”想成“转分数”。权重是一个个数，没法转。",
                      "takes an effect on the scores for turning them. A weight is one number; "
                      "there is nothing to turn.")))),
        Question(
            T("q = (1, 0) 和 k = (0, 1) 互相垂直，相距两格，θ = 0.5。旋转后的分数？",
              "q = (1, 0) and k = (0, 1) are orthogonal, two places apart, θ = 0.5. The score "
              "once both are turned?"),
            (Option(T("0：垂直的永远垂直", "0: orthogonal stays orthogonal"),
                    lambda m: 0.01 - abs(m["formula"]["one"]["score"]),
                    T("以为两个转得一样多。它们位置不同，转角也不同。",
                      "turns both by the same angle. They stand at different places.")),
             Option(T("约 0.84", "about 0.84"),
                    lambda m: 0.01 - abs(m["formula"]["one"]["score"] - 0.84)),
             Option(T("1", "1"), lambda m: 0.01 - abs(m["formula"]["one"]["score"] - 1),
                    T("以为转到重合了。两格只转了一弧度，不到直角。",
                      "has them meet. Two places are one radian here, less than a right angle.")),
             Option(T("-1", "-1"), lambda m: 0.01 - abs(m["formula"]["one"]["score"] + 1),
                    T("转错了方向，也转过了头。", "turns the wrong way, and too far."))))),
    pins={"conventions.map.turned": ROUNDING, "conventions.map.scores": ROUNDING,
          "formula.full_error": ROUNDING, "formula.kept.length": ROUNDING,
          "model.layers.*.turned": ROUNDING, "model.layers.*.values": ROUNDING,
          "model.layers.*.still": TRAINED, "model.layers.*.layer": exact("a number"),
          "model.moved_on": ROUNDING,
          "model.*": exact("nothing may move"), "code.by_head": ROUNDING, "*": ARITHMETIC},
    errata=ERRATA["rope"],
    notes=T(
        "约 8 分钟。两次投票，先投“转什么”。第二张表请学生口算：x = 1 2 3 4，P = 0 2 1 3。争论点："
        "v 为什么"
        "不转？换约定时权重要不要跟着换？（要：把 W_Q、W_K 的行按 P 重排即可。）",
        "About 8 minutes. Two votes, first on what is turned. Let them work the second table by "
        "hand: x = 1 2 3 4, P = 0 2 1 3. The argument: why not turn v? Must weights change with "
        "the convention? (Yes: reorder the rows of W_Q and W_K by P.)"),
)
