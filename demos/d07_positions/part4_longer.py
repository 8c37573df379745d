"""07.4 Longer than trained: what a person meets.

Longer than 250 lines because three trained comparisons stand here: four kinds of positions,
the stretchings of RoPE, and two copiers, each with its claims.
"""

from __future__ import annotations

from collections.abc import Iterator

from demos.d07_positions.errata import ERRATA
from demos.d07_positions.lesson import COPIERS, KINDS, LONGER_CONTROLS, go_longer
from demos.d07_positions.words import TRAINED, far
from lecture.report import (
    ARITHMETIC,
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
    exact,
)

KIND_NAMES = {"learned": T("学习式", "learned"), "sinusoidal": T("正弦", "sinusoidal"),
              "rope": T("RoPE", "RoPE"), "none": T("没有", "none")}
STRETCH_NAMES = {"plain": T("原样", "as it is"), "interpolated": T("插值（小数）", "interpolated"),
                 "rounded": T("插值取整", "interpolated, rounded"),
                 "ntk": T("NTK 换底", "NTK: another base")}
COPIER_NAMES = {"no_positions": T("没有位置", "no positions"), "with_rope": T("RoPE", "RoPE")}


def show_longer(m: Metrics) -> Iterator[Block]:
    r = m["record"]
    yield Paragraph(T(
        "任务：每一步说出 {delay} 个词以前的那个词（{words} 个词里随机抽）。四个两层的小模型，"
        "只在位置的写法上不同，都在长度 {trained_at} 上训练，再给它们 {longest} 个词。",
        "The task: at every step say the word of {delay} places ago, drawn from {words} words. "
        "Four small models of two layers differ only in how positions are given; all are trained "
        "at length {trained_at} and then shown {longest} words."))
    yield Table(
        (Column(T("位置", "positions")), Column(T("前 {trained_at} 个",
                                                  "first {trained_at}"), ".2f"),
         Column(T("到 {middle}", "to {middle}"), ".2f"), Column(T("到 {longest}",
                                                                  "to {longest}"), ".2f"),
         Column(T("记录：平均", "recorded: mean"), ".2f"), Column(T("最低", "low"), ".2f"),
         Column(T("最高", "high"), ".2f")),
        [[name, *m["places"][kind].values(), *r["places"][kind]["far"].values()]
         for kind, name in KIND_NAMES.items()],
        title=T("说对的比例，按位置分段", "Share right, by position"),
        legend=T("右边三列是 {record[seeds]} 次训练在最后一段的记录；乱猜得 {chance:.2f}。",
                 "The last three columns record {record[seeds]} trainings on the last stretch; "
                 "guessing gets {chance:.2f}."))
    yield Table(
        (Column(T("长度", "length"), "d"), Column(T("RoPE 的拉伸", "RoPE stretched")),
         Column(T("这一个", "this one"), ".2f"), Column(T("记录：平均", "recorded: mean"), ".2f"),
         Column(T("最低", "low"), ".2f"), Column(T("最高", "high"), ".2f")),
        [[m["stretched"][to]["length"], name, m["stretched"][to][how],
          *r["stretched"][to][how].values()]
         for to in ("to_64", "to_128") for how, name in STRETCH_NAMES.items()],
        title=T("同一个 RoPE 模型，不再训练，整段文字说对的比例",
                "The same RoPE model, no further training: share right over the whole text"))
    yield Table(
        (Column(T("抄名单", "copying lists")), Column(T("训练的长度", "as trained"), ".3f"),
         Column(T("记录：平均", "recorded: mean"), ".3f"), Column(T("最低", "low"), ".3f"),
         Column(T("加长", "longer"), ".3f"), Column(T("记录：平均", "recorded: mean"), ".3f"),
         Column(T("最低", "low"), ".3f")),
        [[name, m["copying"][key]["short"], r["copying"][key]["short"]["mean"],
          r["copying"][key]["short"]["low"], m["copying"][key]["long"],
          r["copying"][key]["long"]["mean"], r["copying"][key]["long"]["low"]]
         for key, name in COPIER_NAMES.items()],
        title=T("反例：两层、没有位置，抄一份说了一遍又一遍的名单",
                "The foil: two layers without positions copy a list said over and over"))


PART = Part(
    number=4, key="longer",
    title=T("比训练时更长", "Longer than trained"),
    compute=go_longer, describe=show_longer,
    recipes=(*(f"places_{kind}" for kind in KINDS), *COPIERS),
    controls=LONGER_CONTROLS,
    claims=(
        Claim("within", T(
            "在训练过的长度以内，三种位置都学会了：{places[learned][near]:.2f}、"
            "{places[sinusoidal][near]:.2f}、{places[rope][near]:.2f}；没有位置的是 "
            "{places[none][near]:.2f}：比乱猜的 {chance:.2f} 好，掩码泄露的次序够猜，不够数。",
            "Within the trained length all three kinds of positions work: "
            "{places[learned][near]:.2f}, {places[sinusoidal][near]:.2f}, "
            "{places[rope][near]:.2f}; without any it is {places[none][near]:.2f}, above the "
            "{chance:.2f} of guessing: the order a mask gives away is enough to guess, not to "
            "count."),
            lambda m: min(*(m["places"][k]["near"] - 0.98 for k in KINDS[:3]),
                          0.5 - m["places"]["none"]["near"],
                          m["places"]["none"]["near"] - 1.5 * m["chance"]), "untrained"),
        Claim("beyond", T(
            "再长，只有 RoPE 还站得住：最后一段 {places[rope][far]:.2f}，正弦 "
            "{places[sinusoidal][far]:.2f}，学习式 {places[learned][far]:.2f}。"
            "正弦的公式处处有定义，"
            "可模型没见过那些读数。{record[seeds]} 次训练中 {record[reaches]} 次，RoPE "
            "是另两种的两倍以上。",
            "Further on only RoPE holds: {places[rope][far]:.2f} on the last stretch, sinusoidal "
            "{places[sinusoidal][far]:.2f}, learned {places[learned][far]:.2f}. The sines are "
            "defined everywhere, but the model never saw those readings. In {record[reaches]} of "
            "{record[seeds]} trainings RoPE gets more than twice what the other two get."),
            lambda m: min(*(m["places"]["rope"][w] - 2 * m["places"][k][w]
                            for w in ("mid", "far") for k in ("learned", "sinusoidal")),
                          m["record"]["reaches"] - m["record"]["at_least"] + 0.5), "no_turn"),
        Claim("three_back", T(
            "RoPE 模型靠的确实是往回第 {delay} 格：不许看那一格，剩 {cut[right]:.2f}；"
            "不许看再前一格，"
            "还有 {cut[other]:.2f}。",
            "What the RoPE model lives on is the place {delay} back: forbid that one and "
            "{cut[right]:.2f} is left; forbid the one before it and {cut[other]:.2f} is."),
            lambda m: min(0.3 - m["cut"]["right"], m["cut"]["other"] - 0.9), "no_turn"),
        Claim("untouched", T(
            "学习式的表有 {table_rows[count]} 行，训练只碰过前 {trained_at} 行：平均长度 "
            "{table_rows[trained]:.2f}；其余 {table_rows[beyond]:.2f}，和训练前抽出来的行"
            "（{table_rows[drawn]:.2f}）一样。",
            "The learned table has {table_rows[count]} rows and training touched the first "
            "{trained_at}: mean length {table_rows[trained]:.2f}; the others, "
            "{table_rows[beyond]:.2f}, are like rows drawn before any training "
            "({table_rows[drawn]:.2f})."),
            lambda m: min(m["table_rows"]["trained"] - 2 * m["table_rows"]["beyond"],
                          0.1 * m["table_rows"]["drawn"]
                          - abs(m["table_rows"]["beyond"] - m["table_rows"]["drawn"])),
            "untrained"),
        Claim("interpolation", T(
            "插值把尺子拉长了：长度 {stretched[to_64][length]} 时说对 {delay} 格前的只剩 "
            "{stretched[to_64][interpolated]:.2f}，却有 {stretched[to_64][says_further]:.2f} "
            "说的是 "
            "{stretched[to_64][further]} 格前的词。它没忘，只是一格变成了半格；不再训练，"
            "不能直接用。"
            "{record[seeds]} 次训练中 {record[wider]} 次如此。",
            "Interpolation stretches the ruler: at length {stretched[to_64][length]} only "
            "{stretched[to_64][interpolated]:.2f} say the word {delay} back, but "
            "{stretched[to_64][says_further]:.2f} say the one {stretched[to_64][further]} back. "
            "Nothing is forgotten, a place has become half a place; without further training it "
            "is of no use here. So in {record[wider]} of {record[seeds]} trainings."),
            lambda m: min(0.3 - m["stretched"]["to_64"]["interpolated"],
                          m["stretched"]["to_64"]["says_further"] - 0.5,
                          m["record"]["wider"] - m["record"]["at_least"] + 0.5), "same_scale"),
        Claim("ntk", T(
            "NTK 只放慢慢的那些对，近处的尺子几乎不变：长度 {stretched[to_128][length]} 时从 "
            "{stretched[to_128][plain]:.2f} 升到 {stretched[to_128][ntk]:.2f}；{record[seeds]} "
            "次训练中 "
            "{record[ntk_helps]} 次变好。",
            "NTK slows the slow pairs and hardly touches the ruler for near places: at length "
            "{stretched[to_128][length]} it lifts {stretched[to_128][plain]:.2f} to "
            "{stretched[to_128][ntk]:.2f}; it helps in {record[ntk_helps]} of {record[seeds]} "
            "trainings."),
            lambda m: min(m["stretched"]["to_128"]["ntk"] - m["stretched"]["to_128"]["plain"],
                          m["record"]["ntk_helps"] - m["record"]["at_least"] + 0.5), "same_scale"),
        Claim("base", T(
            "宽 {ntk[width]}、放大 {ntk[factor]} 倍，底数从 {ntk[base]:.0f} 变成 "
            "{ntk[new_base]:.0f}："
            "最慢的一对正好慢 {ntk[slowest_slower]:.3f} 倍，最快的一对 {ntk[fastest_slower]:.3f} "
            "倍，没变。",
            "At width {ntk[width]} and factor {ntk[factor]} the base goes from {ntk[base]:.0f} to "
            "{ntk[new_base]:.0f}: the slowest pair is slower by {ntk[slowest_slower]:.3f}, the "
            "fastest by {ntk[fastest_slower]:.3f}, so not at all."),
            lambda m: 1e-9 - max(abs(m["ntk"]["slowest_slower"] - m["ntk"]["factor"]),
                                 abs(m["ntk"]["fastest_slower"] - 1)), "same_scale"),
        Claim("rounding", T(
            "插值之后不能取整：{rounding[places]} 个位置除以 {rounding[factor]}，小数仍有 "
            "{rounding[fractions]} 个不同的，取整只剩 {rounding[kept]} 个，两个词挤在一格。",
            "Interpolated positions must not be rounded: {rounding[places]} places divided by "
            "{rounding[factor]} stay {rounding[fractions]} different fractions, rounded only "
            "{rounding[kept]} remain, two words to a place."),
            lambda m: min(0.5 - abs(m["rounding"]["kept"] * m["rounding"]["factor"]
                                    - m["rounding"]["places"]),
                          m["rounding"]["fractions"] - m["rounding"]["places"] + 0.5),
            "no_rounding"),
        Claim("foil", T(
            "没有位置不等于什么都不会：两层、无位置的模型抄名单抄对 "
            "{copying[no_positions][short]:.3f}"
            "（{record[seeds]} 次训练，最低 {record[copying][no_positions][short][low]:.3f}）："
            "它按内容找，"
            "不必数格子。",
            "Without positions is not without ability: a model of two layers copies lists with "
            "{copying[no_positions][short]:.3f} right (lowest of {record[seeds]} trainings "
            "{record[copying][no_positions][short][low]:.3f}): it finds by content and need not "
            "count."),
            lambda m: min(m["copying"]["no_positions"]["short"] - 0.98,
                          m["record"]["copying"]["no_positions"]["short"]["low"] - 0.98,
                          m["record"]["copies"] - m["record"]["at_least"] + 0.5), "untrained"),
        Claim("carries", T(
            "名单比训练时更长、两遍隔得更远，没有位置的还抄对 {copying[no_positions][long]:.2f}，"
            "RoPE 的只有 "
            "{copying[with_rope][long]:.2f}（{record[seeds]} 次训练中 {record[carries]} "
            "次是这个次序）："
            "RoPE 也不是到处都能外推。",
            "On lists longer and further apart than trained, the model without positions still "
            "copies {copying[no_positions][long]:.2f} and the one with RoPE "
            "{copying[with_rope][long]:.2f} (in this order in {record[carries]} of "
            "{record[seeds]} trainings): RoPE does not extrapolate everywhere either."),
            lambda m: min(m["copying"]["no_positions"]["long"]
                          - m["copying"]["with_rope"]["long"] - 0.1,
                          m["record"]["carries"] - m["record"]["at_least"] + 0.5), "untrained"),
    ),
    caveat=T(
        "这是一个玩具：一个要数准格子的任务，{parameters} 个参数，一种优化器。讲义说的 512 到 2048 "
        "没有跑。论文里的插值之后还要接着训练一小段（Chen 等 2023），这里没有；不要求数格子的任务，"
        "插值的损失可能小得多。",
        "This is a toy: one task that needs exact counting, {parameters} parameters, one "
        "optimiser. The notes' 512 to 2048 is not run. In the paper interpolation is followed by "
        "a little more training (Chen et al. 2023), not so here; a task that need not count "
        "places may lose much less."),
    questions=(
        Question(
            T("在长度 32 上训练，在位置 64 到 127 上测试。哪一种还行？",
              "Trained at length 32, tested at places 64 to 127. Which still works?"),
            (Option(T("学习式", "learned"), lambda m: far("learned")(m) - 0.5,
                    T("以为表里有那些行就够了。那些行从没训练过。",
                      "thinks rows in a table are enough. Those rows were never trained.")),
             Option(T("正弦：公式对任何长度都有定义",
                      "sinusoidal: the formula is defined everywhere"),
                    lambda m: far("sinusoidal")(m) - 0.5,
                    T("把“有定义”当成“会推广”。", "takes “defined” for “generalises”.")),
             Option(T("RoPE", "RoPE"), lambda m: far("rope")(m) - 0.5),
             Option(T("都不行", "none of them"),
                    lambda m: 0.5 - max(far(k)(m) for k in KINDS),
                    T("以为超出训练长度必然垮掉。要看位置怎么写进去。",
                      "expects collapse whatever the code. It depends on how places go in.")))),
        Question(
            T("位置插值 2 倍（每个位置除以 2），RoPE 模型不再训练。它会说哪个词？",
              "Interpolate by 2 (halve every position) and train no further. Which word does the "
              "RoPE model say?"),
            (Option(T("还是 3 格前的", "still the one 3 back"),
                    lambda m: m["stretched"]["to_64"]["interpolated"] - 0.5,
                    T("以为插值不改近处的距离。它把每一个距离都减半。",
                      "thinks near distances survive. Every distance is halved.")),
             Option(T("6 格前的", "the one 6 back"),
                    lambda m: m["stretched"]["to_64"]["says_further"] - 0.5),
             Option(T("哪个都不像，全乱了", "none in particular, it is lost"),
                    lambda m: 0.5 - max(m["stretched"]["to_64"]["interpolated"],
                                        m["stretched"]["to_64"]["says_further"]),
                    T("以为它坏了。它照旧量“三”，只是尺子变长了。",
                      "thinks it is broken. It still measures three, on a longer ruler.")))),
        Question(
            T("插值 2 倍后把位置取整，4096 个位置还剩几个不同的？",
              "Interpolate by 2, then round: how many of 4096 positions stay distinct?"),
            (Option(T("4096", "4096"), lambda m: 0.5 - abs(m["rounding"]["kept"] - 4096),
                    T("忘了取整会让邻居撞在一起。",
                      "forgets that rounding makes neighbours meet.")),
             Option(T("2048", "2048"), lambda m: 0.5 - abs(m["rounding"]["kept"] - 2048)),
             Option(T("1024", "1024"), lambda m: 0.5 - abs(m["rounding"]["kept"] - 1024),
                    T("除了两次。", "divides twice.")),
             Option(T("1", "1"), lambda m: 0.5 - abs(m["rounding"]["kept"] - 1),
                    T("以为取整把什么都抹平。", "thinks rounding flattens everything."))))),
    pins={"record.*": close("a record, averaged", 1e-9), "trained_at": exact("a setting"),
          "ntk.*": ARITHMETIC, "rounding.*": exact("counts"),
          "table_rows.*": TRAINED, "stretched.*.base": ARITHMETIC,
          "*": close("counts of the shipped models, divided", 1e-9)},
    errata=ERRATA["longer"],
    notes=T(
        "约 10 分钟。先投第一票，看第一张表；再投“会说哪个词”，看第二张表。争论点：那为什么大家还用"
        "插值？（论文报告，接着训练一千步以内，尺子就重新标好了。）试试 --seed 1：换一批词，"
        "训练好的"
        "模型不变。",
        "About 10 minutes. First vote, first table; then vote on which word it says, second "
        "table. The argument: why does anybody interpolate, then? (The paper reports that under a "
        "thousand steps of further training mark the ruler anew.) Try --seed 1: other words, the "
        "same trained models."),
)
