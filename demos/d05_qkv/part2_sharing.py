"""05.2 Sharing matrices, after training: what a person meets.

Longer than 250 lines because two tasks, four ways of sharing, and what is held though it was
not found are told in both languages.
"""

from __future__ import annotations

from collections.abc import Iterator

from demos.d05_qkv.errata import ERRATA
from demos.d05_qkv.lesson import CASES, SHARING_CONTROLS, share_and_train
from lecture.margins import above, at_least, at_most, below, both, either, near
from lecture.quantities import BarRows, Group, Named, Rows
from lecture.report import (
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    close,
    exact,
)

WAYS = {                            # which of the three matrices are shared
    "separate": T("三个矩阵", "Q, K, V"), "shared_kv": T("K = V", "K = V"),
    "shared_qk": T("Q = K", "Q = K"), "none": T("都不用", "none")}
TASKS = {"right": T("右邻居，头宽 {heads.right}", "neighbour, head {heads.right}"),
         "narrow": T("右邻居，头宽 {heads.narrow}", "neighbour, head {heads.narrow}"),
         "recall": T("两步查找", "two look-ups"),
         "added": T("右邻居，位置加在词上", "neighbour, added")}
QUANTITIES = {
    **{f"record.*.runs.{i}": Quantity(T(str(i + 1), str(i + 1)), ".1%") for i in range(5)},
    "record.*.solved": Quantity(T("解出", "solved"), "d"),
    "record.*": Quantity(T("答对", "right"), ".1%"),
    "looks.*.left": Quantity(T("左", "left"), ".2f"),
    "looks.*.self": Quantity(T("自己", "self"), ".2f"),
    "looks.*.right": Quantity(T("右", "right"), ".2f"),
    "looks.*.asymmetry": Quantity(T("不对称", "asym."), ".1f<1e-12"),
    "looks.*.climbs": Quantity(T("上升", "climbs"), ".0%"),
    "looks.*.whole": Quantity(T("无", "none"), ".1%"),
    "looks.*.no_right": Quantity(T("右", "right"), ".1%"),
    "looks.*.no_left": Quantity(T("左", "left"), ".1%"),
    "looks.*.only_right": Quantity(T("左、自己", "left, self"), ".1%"),
    "looks.*.no_key": Quantity(T("甲", "A"), ".1%"),
    "looks.*.no_first": Quantity(T("乙", "B"), ".1%"),
    "looks.*.no_value": Quantity(T("丙", "C"), ".1%"),
    "looks.*.right_wins": Quantity(T("最看重右", "most at right"), ".1%"),
    "parameters.*": Quantity(T("参数", "parameters"), ",d"),
    "held.*": Quantity(T("答对", "right"), ".1%"),
    "counted.gap": Quantity(T("差", "apart"), ".2f"),
    "counted.only_right": Quantity(T("答对", "right"), ".1%"),
    "counted.*": Quantity(T("几次", "runs"), "d"), "heads.*": Quantity(T("头宽", "head"), "d"),
    "steps.*": Quantity(T("步", "steps"), "d"), "seeds": Quantity(T("次", "runs"), "d"),
    "checked": Quantity(T("行", "rows"), "d"), "bar": Quantity(T("解出", "solved"), ".0%"),
    "chance": Quantity(T("瞎猜", "chance"), ".1%"), "symbols": Quantity(T("词", "words"), "d"),
    "length": Quantity(T("长", "length"), "d"), "stream": Quantity(T("宽", "width"), "d"),
    "width": Quantity(T("宽", "width"), "d"), "out": Quantity(T("头宽", "head"), "d"),
}
NAMES = {
    **{f"record.{case}.{way}": T(f"{task.zh}：{name.zh}", f"{task.en}: {name.en}")
       for case, task in TASKS.items() for way, name in WAYS.items()},
    **{f"{pattern}{way}": name for way, name in WAYS.items()
       for pattern in ("looks.right_", "looks.recall_", "parameters.")},
    "looks.added_shared_qk": T("Q = K，加", "Q = K, added"),
}
LEAD = (
    Paragraph(T(
        "只有注意力的小网络，一层一个头：三个矩阵，或共用，或都不用（q = k = v = x）。\n"
        "  右邻居    3 1 4 1 5 ..  在每个位置说右边的词：看得见，要学往哪看。\n"
        "  两步查找  a 7 b 2 .. b ?  再报一个键，说它的值 2。两层：值不像自己的键。\n"
        "右邻居的位置用 RoPE：q、k 按自己的位置转一个角度，同样两个词的分数只看相隔几格（演示 07）"
        "。",
        "Attention only, one head a layer: three matrices, shared ones, or none (q = k = v = "
        "x).\n"
        "  neighbour     3 1 4 1 5 ..  say the word on the right, which is in sight\n"
        "  two look-ups  a 7 b 2 .. b ?  a key again: say its value, 2 (two layers)\n"
        "Places of the first task by RoPE: q and k are turned by an angle for their place, so "
        "that for the same two words only the distance counts (07).")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    runs = Group(T("训练", "training"), tuple(f"runs.{i}" for i in range(5)))
    yield Rows(("record.right.*", "record.narrow.*", "record.recall.*"), (runs, "solved"),
               head=T("题：矩阵", "task: matrices"),
               title=T("记录：每种训练 {seeds} 次，{checked} 行新题答对的比例（解出：{bar} 以上）",
                       "Recorded: {seeds} trainings each, share right on {checked} fresh rows "
                       "(solved: {bar} or more)"))
    yield Rows("record.added.*", (runs, "solved"), more=True,
               head=T("题：矩阵", "task: matrices"),
               title=T("位置不用 RoPE，每个位置的一组正弦数直接加在词上（演示 07）",
                       "No RoPE: each place's own sinusoids are added to the word (demo 07)"))
    yield Rows(("looks.right_*", "looks.added_*"), (
        Group(T("看", "looks"), ("left", "self", "right")), "asymmetry", "climbs",
        Group(T("遮住：答对", "hidden: right"), ("whole", "no_right", "no_left", "only_right"))),
        head=T("右邻居", "neighbour"), more=True,
        title=T("随课发的网络看哪里；遮住一些，还答对多少",
                "Where the shipped networks look; what is right with some hidden"),
        legend=T("不对称：分数与转置之差，除以最大的分数。上升：一对相邻的词，分数高于左边那一对的"
                 "比例。",
                 "asym.: scores less their transpose, over the largest. climbs: how often two "
                 "neighbours score more than the pair on their left."))
    yield Rows("looks.recall_*", (
        Group(T("遮住：答对", "hidden: right"), ("whole", "no_key", "no_first", "no_value")),),
        head=T("两步查找", "two look-ups"), more=True,
        legend=T("甲：第一层，值看它前面的键。乙：第一层，再报的键看自己上次的位置。丙：第二层，再"
                 "报"
                 "的键看它的值。",
                 "A: layer one, a value looks at the key before it. B: layer one, the key looks "
                 "at where it stood before. C: layer two, the key looks at its value."))
    yield BarRows("parameters.*", more=True,
                  title=T("讲义的大小：一个头 {width}→{out} 的矩阵有几个参数",
                          "At the notes' size: parameters in the matrices of one head, "
                          "{width} to {out}"))


PART = Part(
    number=2, key="sharing",
    title=T("共用矩阵，训练之后", "Shared matrices, after training"),
    compute=share_and_train, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=tuple(f"qkv_{case}_{way}" for case, ways in CASES.items() for way in ways),
    controls=SHARING_CONTROLS,
    claims=(
        Claim("room_but_not_found", T(
            "没学会，不等于装不下：头宽 {heads.narrow} 的 K = V，{seeds} 次最高 "
            "{record.narrow.shared_kv.high}，可是手工设一组权重就答对 {held.by_hand}。",
            "Not learned is not no room: K = V with a head of {heads.narrow} gets "
            "{record.narrow.shared_kv.high} at best in {seeds} trainings; with weights set by hand "
            "{held.by_hand}."),
            lambda m: both(below(m.record.narrow.shared_kv.high, 0.6),
                           above(m.held.by_hand, m.bar)),
            "widened", kind="recorded", given=("heads.narrow", "seeds")),
        Claim("left_as_much_as_right", T(
            "Q = K 分不清左右：{seeds} 次训练，看左和看右的权重最多差 {counted.gap}。不许看左边和"
            "自己，"
            "答对就从最高 {record.right.shared_qk.high} 变成最低 {counted.only_right}：词取得到，只"
            "是不知道取哪边。",
            "Q = K does not tell left from right: in {seeds} trainings the weights on the two "
            "differ by {counted.gap} at most. Hide the left and itself, and "
            "{record.right.shared_qk.high} at best becomes {counted.only_right} at worst: it can "
            "fetch the word, not choose the side."),
            lambda m: both(below(m.counted.gap, 0.05),
                           above(m.counted.only_right, m.record.right.shared_qk.high + 0.3),
                           below(m.record.right.shared_qk.high, 0.5)),
            "never_shared", kind="recorded", given=("seeds",)),
        Claim("none_depends_on_the_task", T(
            "两步查找，一个矩阵也不用就解出 {record.recall.none.solved} 次；Q = K 一次也没有，最高 "
            "{record.recall.shared_qk.high}。可把前者抄进 Q = K，矩阵设成单位矩阵，立刻答对 "
            "{held.shared_qk}：又是训练没找到。",
            "Two look-ups: no matrix at all solves them in {record.recall.none.solved} trainings, "
            "Q = K in none, {record.recall.shared_qk.high} at best. Yet copy the former into "
            "Q = K, identities for matrices: {held.shared_qk}. Again training did not find it."),
            lambda m: both(at_least(m.record.recall.none.solved, m.at_least),
                           at_most(m.record.recall.shared_qk.solved, 0),
                           below(m.record.recall.shared_qk.high, 0.6),
                           above(m.held.shared_qk, m.bar)),
            "never_shared", kind="recorded"),
        Claim("how_by_hand", T(
            "手工的办法：键 = 对谁都一样的常量，加千分之一的词。常量随位置转，告诉查询谁在右边；"
            "那一点零头由输出上再乘的矩阵 W_O 放大，说出是哪个词。从键里拿走常量，{held.by_hand} "
            "就掉到 {held.no_constant}（瞎猜 {chance}）。",
            "By hand: a key is a constant, the same for all, plus a thousandth of the word. "
            "The constant, turned by its place, tells the query who is on the right; W_O, the "
            "matrix that multiplies the output, enlarges the rest and says which word. Take "
            "the constant out of the keys, and {held.by_hand} falls to {held.no_constant} "
            "(chance {chance})."),
            lambda m: both(above(m.held.by_hand, m.bar),
                           below(m.held.no_constant, 2 * m.chance)),
            "no_constant", kind="example", more=True),
        Claim("symmetric_and_still_right", T(
            "对称并不注定分不清：位置直接加在词上，Q = K 的分数照样对称"
            "（{looks.added_shared_qk.asymmetry}），却 {record.added.shared_qk.solved} 次全解出。"
            "对称的分数要处处偏右，只能一对比一对高；这里 {looks.added_shared_qk.climbs} 如此，"
            "RoPE 的 Q = K 是 {looks.right_shared_qk.climbs}。",
            "Symmetry is no verdict: with places added to the words the scores of Q = K are just "
            "as symmetric ({looks.added_shared_qk.asymmetry}), and "
            "{record.added.shared_qk.solved} trainings solve it. To lean right everywhere, "
            "symmetric scores must climb from pair to pair: here {looks.added_shared_qk.climbs} "
            "do, for Q = K with RoPE {looks.right_shared_qk.climbs}."),
            lambda m: both(below(m.looks.added_shared_qk.asymmetry, 1e-9),
                           above(m.looks.added_shared_qk.right_wins, 0.9),
                           above(m.looks.added_shared_qk.climbs, 0.95),
                           below(m.looks.right_shared_qk.climbs, 0.7),
                           at_least(m.record.added.shared_qk.solved, m.seeds),
                           at_least(m.counted.right_wins, m.seeds)),
            "turned", more=True),
        Claim("two_ways_to_recall", T(
            "两步查找有两条路。三个矩阵：值先记下前面的键，遮住甲剩 "
            "{looks.recall_separate.no_key}，"
            "遮住乙不变（{counted.by_key.separate} 次训练都如此）；都不用：键先找自己上次的位置，"
            "遮住"
            "乙剩 {looks.recall_none.no_first}，遮住甲不变（解出的 {counted.by_first.none} 次）。",
            "There are two ways to do two look-ups. Three matrices: a value notes the key before "
            "it; hiding A leaves {looks.recall_separate.no_key}, hiding B changes nothing (in "
            "{counted.by_key.separate} trainings). None: the key finds where it stood before; "
            "hiding B leaves {looks.recall_none.no_first}, hiding A changes nothing (in the "
            "{counted.by_first.none} that solve it)."),
            lambda m: both(below(m.looks.recall_separate.no_key, 0.5),
                           near(m.looks.recall_separate.no_first,
                                m.looks.recall_separate.whole, 0.02),
                           below(m.looks.recall_none.no_first, 0.5),
                           near(m.looks.recall_none.no_key, m.looks.recall_none.whole, 0.02),
                           at_least(m.counted.by_key.separate, m.seeds),
                           at_least(m.counted.by_first.none, m.record.recall.none.solved)),
            "never_shared", more=True),
    ),
    caveat=T("只说这个大小、这种训练、{steps.right} 或 {steps.recall} 步。Reformer（2020）有意让 "
             "Q = K。",
             "At this size, by this training, in {steps.right} or {steps.recall} steps. Reformer "
             "(2020) shares Q = K on purpose."),
    further=T("Q = K 配 RoPE、头宽 {heads.right} 有没有装得下的权重，这里没有找。两步查找的头宽是 "
              "{heads.recall}，位置是学来的，加在词上。",
              "Whether weights exist for Q = K with RoPE and a head of {heads.right} was not "
              "searched for. Two look-ups have a head of {heads.recall} and learned places, added "
              "to the words."),
    questions=(
        Question(
            T("右邻居，头宽 {heads.right}，训练 {steps.right} 步。哪种也能学会？",
              "Right neighbour, head of {heads.right}, {steps.right} steps: which learns it too?"),
            (Option(T("只有 K = V", "only K = V"),
                    lambda m: both(above(m.record.right.shared_kv.mean, m.bar),
                                   below(m.record.right.shared_qk.high, m.bar),
                                   below(m.record.right.none.high, m.bar))),
             Option(T("只有 Q = K", "only Q = K"),
                    lambda m: both(above(m.record.right.shared_qk.mean, m.bar),
                                   below(m.record.right.shared_kv.high, m.bar)),
                    T("以为查询和键反正要像，用一个就行。那样 a 看 b 多少分，b 看 a 就多少分。",
                      "since query and key must be alike, one will do. But then a scores b as b "
                      "scores a.")),
             Option(T("K = V 和都不用", "K = V and none"),
                    lambda m: both(above(m.record.right.shared_kv.mean, m.bar),
                                   above(m.record.right.none.mean, m.bar)),
                    T("以为词向量里什么都有。有内容，没有“我要看右边”。",
                      "trusts the word vectors. They hold content, not the wish to look right.")),
             Option(T("哪种都不行", "none of them"),
                    lambda m: below(either(m.record.right.shared_kv.high,
                                           m.record.right.shared_qk.high,
                                           m.record.right.none.high), m.bar),
                    T("以为三个矩阵缺一不可。", "believes that none of the three can be spared."))),
            answer=Claim("shared_value_is_free", T(
                "K = V：{seeds} 次解出 {record.right.shared_kv.solved} 次，和三个矩阵一样；Q = K "
                "最高 "
                "{record.right.shared_qk.high}，都不用最高 {record.right.none.high}。",
                "K = V solves it {record.right.shared_kv.solved} times of {seeds}, as three "
                "matrices do; Q = K gets {record.right.shared_qk.high} at best, none "
                "{record.right.none.high}."),
                lambda m: both(at_least(m.record.right.shared_kv.solved, m.seeds),
                               at_least(m.record.right.separate.solved, m.seeds),
                               below(m.record.right.shared_qk.high, 0.6),
                               below(m.record.right.none.high, 0.6)),
                "narrowed", kind="recorded", given=("seeds",))),
        Question(
            T("K = V，头宽降到 {heads.narrow}：训练 {seeds} 次，再手工设一组权重。",
              "K = V, head of {heads.narrow}: {seeds} trainings, and weights set by hand."),
            (Option(T("训练照样解出", "training solves it"),
                    lambda m: above(m.record.narrow.shared_kv.mean, m.bar),
                    T("以为宽度只是快慢问题。", "takes width for a matter of speed.")),
             Option(T("都解不出", "neither solves it"),
                    lambda m: both(below(m.record.narrow.shared_kv.high, m.bar),
                                   below(m.held.by_hand, m.bar)),
                    T("以为两个数装不下八个词和一个位置。平面上一圈八个点，再加一个常量就够。",
                      "thinks two numbers cannot hold eight words and a place. Eight points round "
                      "a circle and a constant can.")),
             Option(T("训练解不出，手工的解出", "only the hand-set weights solve it"),
                    lambda m: both(below(m.record.narrow.shared_kv.high, m.bar),
                                   above(m.held.by_hand, m.bar)))),
            answer=Claim("three_train_where_shared_does_not", T(
                "训练 {record.narrow.shared_kv.solved} 次解出，三个矩阵 "
                "{record.narrow.separate.solved} 次；手工的 {held.by_hand}。",
                "Training solves it {record.narrow.shared_kv.solved} times, three matrices "
                "{record.narrow.separate.solved}; by hand {held.by_hand}."),
                lambda m: both(at_most(m.record.narrow.shared_kv.solved, 0),
                               at_least(m.record.narrow.separate.solved, m.seeds),
                               above(m.held.by_hand, m.bar)),
                "widened", kind="recorded"),
            more=True),
    ),
    pins={"record.*": exact("read from the record"), "parameters.*": exact("counts"),
          "heads.*": exact("sizes"), "steps.*": exact("sizes"),
          "counted.*": exact("read from the record"),
          "looks.*_qk.asymmetry": ROUNDING, "looks.*_none.asymmetry": ROUNDING,
          "*": close("shipped weights in float64: only rounding may differ", rtol=1e-6)},
    errata=ERRATA["sharing"],
    notes=T(
        "约 10 分钟。先投票，再看记录（每种五次训练）。争论点：Q = K 为什么分不清左右？（分数对称，"
        "RoPE 只看相隔几格。）然后打开 --more 看反例：位置加在词上，同样对称，却全对。第二个争论"
        "点："
        "学不会和装不下，怎样分开？（手工设权重。）",
        "About 10 minutes. Vote, then the record (five trainings each). The argument: why can "
        "Q = K not tell left from right? (Scores are symmetric, RoPE knows distance only.) Then "
        "--more for the counterexample: places added to the words, just as symmetric, all right. "
        "Second argument: how does one tell “not learned” from “no room”? (Set weights by hand.)"),
)
