"""07.3 RoPE, turning queries and keys: what a person meets.

Longer than 250 lines because RoPE is looked at from six sides, all but two behind --more.
"""

from __future__ import annotations

from collections.abc import Iterator

from demos.d07_positions.errata import ERRATA
from demos.d07_positions.lesson import ROPE_CONTROLS, turn_pairs
from demos.d07_positions.words import TRAINED
from lecture.margins import above, below, both, every, falls, near, rows, same
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

SLOTS, SAME_OFFSET = tuple(range(4)), ("at_3_1", "at_5_3", "at_102_100")
QUANTITIES = {
    "conventions.scores.*.m": Quantity(T("q 在 m", "q at m"), "d"),
    "conventions.scores.*.n": Quantity(T("k 在 n", "k at n"), "d"),
    "conventions.scores.*.offset": Quantity(T("m-n", "m-n"), "d"),
    "conventions.scores.*.half": Quantity(T("对半配对", "halves"), ".2f"),
    "conventions.scores.*.adjacent": Quantity(T("相邻配对", "adjacent"), ".2f"),
    "conventions.scores.*.mixed": Quantity(T("混用", "mixed"), ".2f"),
    **{f"conventions.written.*.{i}": Quantity(T(str(i), str(i)), ".2f") for i in SLOTS},
    **{f"conventions.steps.*.{i}": Quantity(T(str(i), str(i)), ".2f") for i in SLOTS},
    "conventions.theta.*": Quantity(T("θ", "θ"), "g"),
    "conventions.P.*": Quantity(T("P", "P"), "d"), "conventions.at": Quantity(T("位置", "at"), "d"),
    "conventions.norms.*": Quantity(T("长度平方", "squared length"), ".1f"),
    "conventions.map.unmapped_scores": Quantity(T("差", "gap"), ".1f"),
    "conventions.turned_to": Quantity(T("位置", "place"), "d"),
    "conventions.square": Quantity(T("长度平方", "squared length"), "g"),
    "conventions.plain": Quantity(T("q·k", "q·k"), "g"),
    "formula.theta": Quantity(T("θ", "θ"), "g"),
    "formula.example.*": Quantity(T("数", "no."), ".2f"),
    "formula.one.*": Quantity(T("分数", "score"), ".2f"),
    "formula.notes_error": Quantity(T("平均差", "mean gap"), ".2f"),
    "formula.apart": Quantity(T("相距", "apart"), "d"),
    "formula.pairs": Quantity(T("对", "pairs"), "d"),
    "angles.pair.*.theta": Quantity(T("θ_j", "θ_j"), ".6f"),
    "angles.pair.*.turn": Quantity(T("转一圈的位置数", "places a turn"), ",.0f"),
    "angles.pair.*.first": Quantity(T("位置 1", "place 1"), ".4f"),
    "angles.pair.*.later": Quantity(T("位置 100", "place 100"), ".4f"),
    "angles.pair.*.last": Quantity(T("位置 2047", "place 2047"), ".4f"),
    "angles.*": Quantity(T("数", "number"), "d"),
    "half.place": Quantity(T("位置", "place"), "d"),
    "half.pair": Quantity(T("对", "pair"), "d"),
    "half.places": Quantity(T("位置", "places"), "d"),
    "half.worst": Quantity(T("差", "gap"), ".2f"),
    "half.*cosine": Quantity(T("余弦", "cosine"), ".3f"),
    "model.layers.*.turned": Quantity(T("分数 - 转过的 q·k", "score - turned q·k"), ".1g<1e-12"),
    "model.layers.*.still": Quantity(T("分数 - 没转的 q·k", "score - unturned q·k"), ".1f"),
    "model.layers.*.values": Quantity(T("取回 - 权重×没转的 v", "fetched - weights × v"),
                                      ".1g<1e-12"),
    "model.embedding": Quantity(T("差", "gap"), "g"),
    "model.moved_by": Quantity(T("格", "places"), "d"),
}
NAMES = {
    "conventions.scores.*": T("", ""),
    "conventions.written.x": T("x", "x"),
    "conventions.written.half": T("rotate_half(x)", "rotate_half(x)"),
    "conventions.written.code": T("x cos + rotate_half(x) sin", "x cos + rotate_half(x) sin"),
    "conventions.written.complex": T("复数 (0,2)、(1,3)，乘 e^(imθ)",
                                     "complex (0,2), (1,3), times e^(imθ)"),
    "conventions.written.adjacent": T("复数 (0,1)、(2,3)，乘 e^(imθ)",
                                      "complex (0,1), (2,3), times e^(imθ)"),
    "conventions.steps.x": T("x", "x"),
    "conventions.steps.turned": T("相邻配对转 x", "x, turned as adjacent"),
    "conventions.steps.turned_mapped": T("……按 P 重排", ".. taken in the order P"),
    "conventions.steps.mapped": T("x 按 P 重排", "x in the order P"),
    "conventions.steps.mapped_turned": T("……对半配对来转", ".. turned as halves"),
    "angles.pair.pair_0": T("0", "0"), "angles.pair.pair_1": T("1", "1"),
    "angles.pair.pair_16": T("16", "16"), "angles.pair.pair_31": T("31", "31"),
    "model.layers.layer_0": T("L0", "L0"), "model.layers.layer_1": T("L1", "L1"),
}
LEAD = (
    Paragraph(T(
        "    (a, b) 在位置 m 变成 (a cos mθ - b sin mθ, a sin mθ + b cos mθ)\n"
        "    第 j 对用 θ_j = 1 / 10000^(2j/d)\n"
        "RoPE（Su 等 2021）不加任何东西：在每一层把 q 和 k 两个数一对地转，位置 m 转 mθ，再算 "
        "q·k。例：θ = {formula.theta}，(1, 0) 在位置 1 变成 ({formula.example.0}, "
        "{formula.example.1})。",
        "    at place m, (a, b) becomes (a cos mθ - b sin mθ, a sin mθ + b cos mθ)\n"
        "    pair j has θ_j = 1 / 10000^(2j/d)\n"
        "RoPE (Su et al. 2021) adds nothing: in every layer it turns q and k, two numbers at a "
        "time, by mθ at place m, and then takes q·k. Example: θ = {formula.theta}, (1, 0) at "
        "place 1 becomes ({formula.example.0}, {formula.example.1}).")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "conventions.scores.*", ("n", "offset", Group(T("分数", "score"),
                                                      ("half", "adjacent", "mixed"))),
        head=T("q 在 m", "q at m"), label="m",
        title=T("q = (1,2,3,4)，k = (4,3,2,1)；一对是对半 (j, j+d/2) 或相邻 (2j, 2j+1)",
                "q = (1,2,3,4), k = (4,3,2,1); pairs: halves (j, j+d/2), adjacent (2j, 2j+1)"))
    yield Rows(
        "conventions.written.*", tuple(map(str, SLOTS)),
        head=T("第几个数（位置 {conventions.at}）", "number (place {conventions.at})"),
        title=T("代码里的写法，θ = {conventions.theta.0}、{conventions.theta.1}",
                "As code writes it, θ = {conventions.theta.0}, {conventions.theta.1}"))
    yield Rows(
        "conventions.steps.*", tuple(map(str, SLOTS)), more=True,
        head=T("第几个数（位置 {conventions.at}）", "number (place {conventions.at})"),
        title=T("从一种约定到另一种：P = {conventions.P.0} {conventions.P.1} {conventions.P.2} "
                "{conventions.P.3}",
                "From one convention to the other: P = {conventions.P.0} {conventions.P.1} "
                "{conventions.P.2} {conventions.P.3}"))
    yield Rows(
        "angles.pair.*", ("theta", "turn", Group(T("角度 mθ_j", "angle mθ_j"),
                                                 ("first", "later", "last"))),
        head=T("第 j 对", "pair j"), more=True,
        title=T("角度的缓存：{angles.rows} 个位置 × {angles.pairs} 对，算一次，以后查表（宽 "
                "{angles.width}）",
                "The cache of angles: {angles.rows} places × {angles.pairs} pairs, made once "
                "(width {angles.width})"))
    yield Rows("model.layers.*", ("turned", "still", "values"), head=T("层", "layer"), more=True,
               title=T("训练好的模型里，谁转过了（最大差距）",
                       "In the trained model: what is turned (largest gap)"))


PART = Part(
    number=3, key="rope",
    title=T("RoPE：转查询和键", "RoPE: turning queries and keys"),
    compute=turn_pairs, describe=blocks, lead=LEAD, quantities=QUANTITIES, names=NAMES,
    recipes=("places_rope",), controls=ROPE_CONTROLS,
    claims=(
        Claim("offset_only", T(
            "分数只看 m-n，连正负一起：对半配对，三处 m-n = {conventions.scores.at_3_1.offset} 的都"
            "是 {conventions.scores.at_3_1.half}，m-n = {conventions.scores.at_1_3.offset} 的是 "
            "{conventions.scores.at_1_3.half}。",
            "The score sees m-n alone, its sign too: as halves, all three with m-n = "
            "{conventions.scores.at_3_1.offset} give {conventions.scores.at_3_1.half}, the one "
            "with {conventions.scores.at_1_3.offset} gives {conventions.scores.at_1_3.half}."),
            lambda m: both(*(same([m.conventions.scores[p][way] for p in SAME_OFFSET], 1e-9)
                             for way in ("half", "adjacent")),
                           same([m.conventions.scores[p].offset for p in SAME_OFFSET], 0.5),
                           near(m.conventions.scores.at_1_3.offset,
                                -m.conventions.scores.at_3_1.offset, 0.5),
                           *(above(abs(m.conventions.scores.at_1_3[way]
                                       - m.conventions.scores.at_3_1[way]), 1)
                             for way in ("half", "adjacent")),
                           near(m.conventions.equal_places, m.conventions.plain, 1e-9)),
            "mixed_conventions", kind="identity"),
        Claim("never_mixed", T(
            "混用（角度按相邻排，配对按对半）就不是旋转了：三处同样的 m-n 给三个分数，q 的长度平方"
            "从 "
            "{conventions.square} 变成 {conventions.norms.mixed}（位置 {conventions.turned_to}）。",
            "Mixed (angles laid out for neighbours, pairs taken as halves) is no turn: one m-n, "
            "three scores, and q's squared length goes from {conventions.square} to "
            "{conventions.norms.mixed} (place {conventions.turned_to})."),
            lambda m: both(above(abs(m.conventions.norms.mixed - m.conventions.square), 1),
                           falls(sorted((m.conventions.scores[p].mixed for p in SAME_OFFSET),
                                        reverse=True), 1)),
            "one_convention", kind="example", given=("conventions.turned_to",)),
        Claim("two_writings", T(
            "rotate_half 和对半的复数是同一个转法。相邻配对的要先重排（偶数位在前，奇数位在后"
            "），否则分数最多差 {conventions.map.unmapped_scores}（随机的 q、k，宽 {angles.width}）"
            "。",
            "rotate_half and complex numbers of halves are one turn. The adjacent kind must be "
            "reordered first, even places and then odd, or scores are off by up to "
            "{conventions.map.unmapped_scores} (drawn q, k, width {angles.width})."),
            lambda m: both(below(m.conventions.map.complex, 1e-12),
                           below(m.conventions.map.turned, 1e-12),
                           below(m.conventions.map.scores, 1e-11),
                           above(m.conventions.map.unmapped_scores, 1)),
            "unmapped", kind="example", given=("angles.width",)),
        Claim("sine_term", T(
            "只写 (q·k) cos((m-n)θ)，{formula.pairs} 对随机向量平均差 {formula.notes_error}；补上 "
            "(q_x k_y - q_y k_x) sin((m-n)θ) 就相等。",
            "With (q·k) cos((m-n)θ) alone, {formula.pairs} drawn pairs are off by "
            "{formula.notes_error} on average; add (q_x k_y - q_y k_x) sin((m-n)θ) and they "
            "agree."),
            lambda m: both(above(m.formula.notes_error, 0.1), below(m.formula.full_error, 1e-12)),
            "parallel", kind="example", given=("formula.pairs",), more=True),
        Claim("half_precision", T(
            "角度要有足够的精度：位置 {half.place}，第 {half.pair} 对的余弦是 {half.cosine}，半精"
            "度算成 "
            "{half.rough_cosine}；{half.places} 个位置里最坏差 {half.worst}。",
            "Angles need precision: at place {half.place} the cosine of pair {half.pair} is "
            "{half.cosine}, "
            "in half precision {half.rough_cosine}; the worst of {half.places} places is off by "
            "{half.worst}."),
            lambda m: both(above(m.half.worst, 0.5),
                           above(abs(m.half.cosine - m.half.rough_cosine), 0.5)),
            "double_precision", kind="example",
            given=("half.place", "half.pair", "half.places"), more=True),
    ),
    caveat=T(
        "“只看 m-n”说的是 q、k 给定时。第二层的 q、k 来自看过前文的词，里面可以带着位置；也不等"
        "于多远都行（第 4 部分）。",
        "m-n alone, for given q and k: in the second layer they come from words that have looked "
        "around and may carry places. Nor will any distance do (part 4)."),
    questions=(
        Question(
            T("q = (1, 0) 在位置 2，k = (0, 1) 在位置 0，θ = {formula.theta}。转过之后的分数？",
              "q = (1, 0) at place 2, k = (0, 1) at place 0, θ = {formula.theta}. The score once "
              "turned?"),
            (Option(T("{formula.one.notes:.0f}", "{formula.one.notes:.0f}"),
                    lambda m: near(m.formula.one.score, 0, 0.01),
                    T("以为垂直的永远垂直。位置不同，转角不同。",
                      "thinks orthogonal stays orthogonal. Other places, other angles.")),
             Option(T("{formula.one.score:.2f}", "{formula.one.score:.2f}"),
                    lambda m: above(m.formula.one.score, 0.7)),
             Option(T("{formula.one.cosine:.2f}", "{formula.one.cosine:.2f}"),
                    lambda m: near(m.formula.one.score, m.formula.one.cosine, 0.01),
                    T("拿转角的余弦当分数。那是同方向的 q、k 的答案。",
                      "takes the cosine of the turn. That is the answer for parallel q and k.")),
             Option(T("{formula.one.reverse:.2f}", "{formula.one.reverse:.2f}"),
                    lambda m: near(m.formula.one.score, m.formula.one.reverse, 0.01),
                    T("转错了方向：那是两个位置对换的答案。",
                      "turns the other way: the answer for places exchanged."))),
            answer=Claim("orthogonal", T(
                "{formula.one.score}：q 比 k 多转一个弧度，朝着 k 转。讲义的 (q·k) cos 会给 "
                "{formula.one.notes:.0f}，少了正弦那一项；反过来放，是 {formula.one.reverse}。",
                "{formula.one.score}: q turns a radian more than k, towards it. The notes' (q·k) "
                "cos gives {formula.one.notes:.0f}, without the sine term; places exchanged, it "
                "is {formula.one.reverse}."),
                lambda m: both(above(m.formula.one.score, m.formula.one.notes + 0.1),
                               near(m.formula.one.score, m.formula.one.full, 1e-12),
                               near(m.formula.one.reverse, -m.formula.one.score, 1e-12),
                               near(m.formula.apart * m.formula.theta, 1, 1e-12)),
                "parallel", kind="example")),
        Question(
            T("RoPE 旋转的是？", "What does RoPE turn?"),
            (Option(T("词向量", "the embeddings"), lambda m: above(m.model.embedding, 1e-9),
                    T("以为位置一进门就加好了。那是正弦编码的做法。",
                      "expects places at the entrance. That is how sinusoids do it.")),
             Option(T("每一层的 q 和 k", "q and k, in every layer"),
                    lambda m: every(below(max(r.turned, r.values), 1e-9)
                                    for r in rows(m.model.layers))),
             Option(T("每一层的 q、k 和 v", "q, k and v, in every layer"),
                    lambda m: every(above(r.values, 1e-9) for r in rows(m.model.layers)),
                    T("以为三个都转。v 转了，取回的内容就跟着位置变。",
                      "turns all three. A turned v would change what is fetched with the place.")),
             Option(T("注意力权重", "the attention weights"),
                    lambda m: every(above(r.turned, 1e-9) for r in rows(m.model.layers)),
                    T("把“影响权重”当成“转权重”。一个权重是一个数，没法转。",
                      "takes an effect on weights for turning them. A weight is one number: "
                      "there is nothing to turn."))),
            answer=Claim("q_and_k_only", T(
                "两层的分数都由转过的 q、k 算出；词向量没动（差 {model.embedding}），v 也没转。"
                "整段往后挪 {model.moved_by} 格，输出不变。",
                "Both layers score with turned q and k; the embedding is untouched (gap "
                "{model.embedding}) and v is not turned. Move the whole text on by "
                "{model.moved_by} places: no output changes."),
                lambda m: both(every(below(max(r.turned, r.values), 1e-10)
                                     for r in rows(m.model.layers)),
                               every(above(r.still, 0.1) for r in rows(m.model.layers)),
                               below(m.model.embedding, 1e-12), below(m.model.moved_on, 1e-8),
                               above(m.model.moved_by, 1)),
                "no_positions", kind="identity"), more=True)),
    pins={"conventions.map.turned": ROUNDING, "conventions.map.scores": ROUNDING,
          "conventions.map.complex": ROUNDING,
          "formula.full_error": ROUNDING, "formula.kept.length": ROUNDING,
          "formula.one.notes": ROUNDING,
          "model.layers.*.turned": ROUNDING, "model.layers.*.values": ROUNDING,
          "model.layers.*.still": TRAINED, "model.moved_on": ROUNDING,
          "model.*": exact("nothing may move"), "*": ARITHMETIC},
    errata=ERRATA["rope"],
    notes=T(
        "约 8 分钟。先投票。请学生口算第二张表：rotate_half(1 2 3 4)，再乘 cos、sin。争论点：v 为什"
        "么不转？（--more 里有第二票“转什么”。）换约定时权重要不要跟着换？（要：把 W_Q、W_K 的行按 "
        "P 重排即可。）",
        "About 8 minutes. Vote first. Let them work the second table by hand: rotate_half of "
        "1 2 3 4, then cosines and sines. The argument: why not turn v? (--more has a second "
        "vote, on what is turned.) Must weights change with the convention? (Yes: reorder the "
        "rows of W_Q and W_K by P.)"),
)
