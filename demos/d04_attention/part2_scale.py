"""04.2 Why divide by √d: what a person meets.

Longer than 250 lines because two votes, two records and the notes' own example stand here.
"""

from __future__ import annotations

from collections.abc import Iterator

from demos.d04_attention.errata import ERRATA
from demos.d04_attention.lesson import DIMS, SCALE_CONTROLS, scale_scores
from lecture.margins import above, at_least, at_most, below, both, near, rises, rows, same
from lecture.quantities import Group, Lines, Named, Rows
from lecture.report import (
    ARITHMETIC,
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

PICKED = (0, 5, 10, 20, 40)                     # points of the curve, 10 steps apart
QUANTITIES = {
    "*.d": Quantity(T("d", "d"), "d"),
    "*.dot_std": Quantity(T("q·k 的标准差", "std of q·k"), ".2f"),
    "*.dot_variance": Quantity(T("q·k 的方差", "variance of q·k"), ".2f"),
    "*.root_d": Quantity(T("√d", "√d"), ".0f"),
    "*.max_weight": Quantity(T("最大权重", "top weight"), ".3f"),
    "*.entropy": Quantity(T("熵", "entropy"), ".2f"),
    "*.jacobian": Quantity(T("雅可比矩阵", "Jacobian"), ".3f"),
    "*.gradient.median": Quantity(T("中位数", "median"), ".3f"),
    "*.gradient.mean": Quantity(T("平均", "mean"), ".1f"),
    "*.gradient.max": Quantity(T("最大", "largest"), ".1f"),
    "*.crowded.over": Quantity(T("最大权重过", "top weight over"), ".2f"),
    "*.crowded.share": Quantity(T("占", "share"), ".0%"),
    "*.crowded.*": Quantity(T("中位数", "median"), ".2g"),
    **{f"trained.*.curve.{i}": Quantity(
        T(f"{{trained.steps.{i}:d}} 步", f"{{trained.steps.{i}:d}}"), ".2f") for i in PICKED},
    "trained.*.curve": Quantity(T("答对的比例", "share right"), ".2f"),
    "trained.*.fastest": Quantity(T("最快", "first"), "d"),
    "trained.*.slowest": Quantity(T("最慢", "last"), "d"),
    "trained.*.lowest": Quantity(T("最低", "lowest"), ".2f"),
    "trained.*.highest": Quantity(T("最高", "highest"), ".2f"),
    "trained.steps": Quantity(T("训练步数", "training steps"), "d"),
    "trained.*.runs": Quantity(T("几个", "runs"), "d"),
    "trained.*.reached": Quantity(T("几个", "runs"), "d"),
    "trained.faster.rate": Quantity(T("学习率", "rate"), "g"),
    "trained.setup.goal": Quantity(T("目标", "goal"), ".0%"),
    "trained.setup.rate": Quantity(T("学习率", "rate"), "g"),
    "trained.setup.*": Quantity(T("设定", "setting"), "d"),
    "example.scores.*.score": Quantity(T("分数", "score"), "g"),
    "example.scores.*.weight": Quantity(T("权重 p", "weight p"), ".4f"),
    "example.scores.*.slope": Quantity(T("斜率 p(1-p)", "slope p(1-p)"), ".0e"),
    "example.equal_weight": Quantity(T("权重", "weight"), ".2f"),
    "keys": Quantity(T("键", "keys"), "d"), "trials": Quantity(T("次", "trials"), ",d"),
    "input": Quantity(T("输入", "input"), "d"),
    "even_entropy": Quantity(T("熵", "entropy"), ".2f"),
}
NAMES = {
    **{f"unscaled.d{d}": T(str(d), str(d)) for d in DIMS},
    "trained.unscaled*": T("不除", "undivided"),
    "trained.scaled*": T("除以 √d", "divided by √d"),
    "trained.small_start*": T("不除，W_Q 的初值乘 1/√d", "undivided, W_Q starts × 1/√d"),
    "example.scores.whole": T("不除", "nothing"), "example.scores.divided": T("√d", "√d"),
    "example.scores.misdivided": T("d（讲义）", "d (the notes)"),
}
ARMS = ("trained.unscaled", "trained.scaled", "trained.small_start")
NOT, BY = T("不除", "undivided"), T("除以 √d", "divided by √d")


def blocks(m: Metrics) -> Iterator[Named]:
    sizes = ("max_weight", "gradient.median", "gradient.max")
    yield Rows(
        "unscaled.*", ("dot_std", Group(NOT, sizes),
                       Group(BY, tuple(f"/scaled.*.{leaf}" for leaf in sizes))),
        head=T("d", "d"),
        legend=T(
            "最大权重取平均；中位数、最大说的是梯度。d = {unscaled.d1024.d} 不除时，"
            "{unscaled.d1024.crowded.share} 的抽样里最大权重过 {unscaled.d1024.crowded.over}：这"
            "些的梯度中位数 {unscaled.d1024.crowded.median}，其余的 "
            "{unscaled.d1024.crowded.others}。",
            "Top weight: mean; median, largest: of gradients. Undivided at d = "
            "{unscaled.d1024.d}, {unscaled.d1024.crowded.share} of draws have a top weight "
            "over {unscaled.d1024.crowded.over}; their median is "
            "{unscaled.d1024.crowded.median}, the others' {unscaled.d1024.crowded.others}."))
    yield Rows(
        ARMS, (*(f"curve.{i}" for i in PICKED),
               Group(T("到 {trained.setup.goal}", "{trained.setup.goal} at"),
                     ("fastest", "slowest"))),
        title=T(
            "记录：一个头学做查找，到这一步答对多少（{trained.scaled.runs} 个种子平均）",
            "Recorded: one head learns to look up, share right by step ({trained.scaled.runs} "
            "seeds)"))
    for arm, head in (("unscaled", NOT), ("scaled", BY)):
        yield Rows(f"{arm}.*", (Group(head, ("entropy", "jacobian", "gradient.mean")),),
                   head=T("d", "d"), label="d", more=True)
    yield Lines("trained.steps", tuple(f"{arm}.curve" for arm in ARMS), low=0.0, high=1.0,
                title=T("同一份记录的曲线，d = {trained.setup.width}",
                        "The curves of that record, d = {trained.setup.width}"), more=True)
    yield Rows("example.scores.*", ("score", "weight", "slope"),
               head=T("除以什么", "divided by"), more=True,
               title=T("讲义的例子：一个向量，d = {example.d}，对三个零分",
                       "The notes' example: one vector, d = {example.d}, against three zeros"))


PART = Part(
    number=2, key="scale",
    title=T("为什么除以 √d", "Why divide by √d"),
    compute=scale_scores, describe=blocks, quantities=QUANTITIES, names=NAMES,
    lead=(Paragraph(T(
        "q 和 {keys} 个键里的数都抽自标准正态分布，一行抽 {trials} 次。梯度：W_Q 变一点，取回的值"
        "变多少（导数的范数，每次一个）。",
        "Each number of q and of {keys} keys is a standard normal draw, {trials} draws a row. "
        "Gradient: by how much the value returned changes with W_Q (norm).")),),
    controls=SCALE_CONTROLS,
    claims=(
        Claim("root_d", T(
            "q·k 是 d 项之和，所以标准差随 √d 长：d = {unscaled.d1024.d} 时 "
            "{unscaled.d1024.dot_std:.1f}（√d = {unscaled.d1024.root_d}）。",
            "q·k is a sum of d terms, so its spread grows as √d: {unscaled.d1024.dot_std:.1f} "
            "at d = {unscaled.d1024.d}, where √d = {unscaled.d1024.root_d}."),
            lambda m: both(*(near(r.dot_std / r.root_d, 1, 0.05) for r in rows(m.unscaled)),
                           near(m.unscaled.d1024.root_d**2, m.unscaled.d1024.d, 1e-6)),
            "unit_length"),
        Claim("saturates", T(
            "不除，d 越大，最大权重越大，到 {unscaled.d1024.max_weight}；除以 √d，从 d = "
            "{scaled.d4.d} 到 {scaled.d1024.d} 都在 {scaled.d64.max_weight:.2f} 上下。",
            "Undivided, the top weight rises with d, up to {unscaled.d1024.max_weight}; "
            "divided, it stays near {scaled.d64.max_weight:.2f} from d = {scaled.d4.d} to "
            "{scaled.d1024.d}."),
            lambda m: both(above(m.unscaled.d1024.max_weight, 0.9),
                           rises(r.max_weight for r in rows(m.unscaled)),
                           same([r.max_weight for r in rows(m.scaled)], 0.03)),
            "both_divided", given=("scaled.*.d",)),
        Claim("two_extremes", T(
            "不除，梯度分成两头：中位数 {unscaled.d1024.gradient.median}，最大 "
            "{unscaled.d1024.gradient.max:.0f}。权重集中在一个键上的几乎是零，其余的很大。",
            "Undivided, gradients split: the median is {unscaled.d1024.gradient.median}, the "
            "largest {unscaled.d1024.gradient.max:.0f}. Where one key has the weight they are "
            "almost zero, elsewhere large."),
            lambda m: both(below(m.unscaled.d1024.gradient.median,
                                 0.01 * m.scaled.d1024.gradient.median),
                           above(m.unscaled.d1024.gradient.max,
                                 10 * m.scaled.d1024.gradient.max),
                           below(m.unscaled.d1024.crowded.median,
                                 0.001 * m.scaled.d1024.gradient.median),
                           above(m.unscaled.d1024.crowded.others,
                                 5 * m.scaled.d1024.gradient.median)), "both_divided",
            undefined=T("除了之后没有一次挤在一个键上", "divided, no look is crowded on one key")),
        Claim("jacobian", T(
            "softmax 的雅可比矩阵，范数从 {unscaled.d4.jacobian} 缩到 {unscaled.d1024.jacobian}；"
            "除以 √d，还有 {scaled.d1024.jacobian}。",
            "The Jacobian of softmax (its norm) shrinks from {unscaled.d4.jacobian} to "
            "{unscaled.d1024.jacobian}; divided it is {scaled.d1024.jacobian}."),
            lambda m: both(below(m.unscaled.d1024.jacobian, 0.1),
                           above(m.unscaled.d4.jacobian, 0.2),
                           above(m.scaled.d1024.jacobian, 0.2)), "both_divided", more=True),
        Claim("one_vector", T(
            "√d 是为随机向量定的，救不了一个大分数：{example.scores.whole.score} 除以 √d 得 "
            "{example.scores.divided.score}（不是 {example.scores.misdivided.score}），斜率仍只有 "
            "{example.scores.divided.slope}。",
            "√d suits random vectors, not one large score: {example.scores.whole.score} "
            "divided by √d is {example.scores.divided.score} (not "
            "{example.scores.misdivided.score}), and the slope is still "
            "{example.scores.divided.slope}."),
            lambda m: both(below(m.example.scores.divided.slope, 1e-6),
                           near(m.example.scores.divided.score**2 * m.example.d,
                                m.example.scores.whole.score**2, 1e-6),
                           above(m.example.scores.divided.score,
                                 m.example.scores.misdivided.score)),
            "equal_keys", kind="example", more=True),
    ),
    caveat=T(
        "任务小，只试了这一个；学习率换成 {trained.faster.rate}，{trained.setup.steps} 步内做到的，"
        "不除的 {trained.unscaled.runs} 个里也有 {trained.faster.reached} 个。",
        "One small task. With a learning rate of {trained.faster.rate}, "
        "{trained.faster.reached} of {trained.unscaled.runs} undivided get there in "
        "{trained.setup.steps} steps."),
    further=T("随机向量只说明训练开始时的样子；q 和 k 若先归一化，用的就是别的除数。",
              "Random vectors tell how training starts, no more; where q and k are normalised "
              "first, another divisor is used."),
    questions=(
        Question(
            T(
                "一个头学做查找（d = {trained.setup.width}，Adam），分数不除。几步后答对 "
                "{trained.setup.goal}？",
                "One head learns to look up (d = {trained.setup.width}, Adam), undivided. "
                "{trained.setup.goal} right?"),
            (Option(T("算出 NaN", "overflow"), lambda m: -1 - m.trained.unscaled.lowest,
                    T("以为饱和就是溢出。softmax 先减去最大值，不会溢出。",
                      "takes saturation for overflow. Softmax subtracts the largest score first.")),
             Option(T("{trained.setup.steps} 步内做不到", "not in {trained.setup.steps} steps"),
                    lambda m: at_most(m.trained.unscaled.reached, 0)),
             Option(T("慢一些，做得到", "later, but yes"),
                    lambda m: both(at_least(m.trained.unscaled.reached, 1),
                                   above(m.trained.unscaled.slowest,
                                         2 * m.trained.scaled.slowest)),
                    T("以为只是慢。{trained.setup.steps} 步时最好的种子是 "
                      "{trained.unscaled.highest}。",
                      "expects it to be slow only. After {trained.setup.steps} steps the best "
                      "seed has {trained.unscaled.highest}.")),
             Option(T("同除了的一样快", "as soon as divided"),
                    lambda m: both(at_least(m.trained.unscaled.reached, 1),
                                   below(m.trained.unscaled.slowest,
                                         2 * m.trained.scaled.slowest)),
                    T("以为优化器什么尺度都能补。", "trusts the optimiser to mend any scale."))),
            answer=Claim("training", T(
                "{trained.unscaled.runs} 个种子，没有一个做到。可照样不除，只把 W_Q 的初值乘 1/√d，"
                "最慢的 {trained.small_start.slowest} 步就到，除了的最慢 {trained.scaled.slowest} "
                "步：这里要紧的是分数起步时不大。",
                "None of {trained.unscaled.runs} seeds. Yet undivided with W_Q × 1/√d to "
                "start, the slowest takes {trained.small_start.slowest} steps, divided "
                "{trained.scaled.slowest}: here it matters that scores start small."),
                lambda m: both(at_most(m.trained.unscaled.reached, 0),
                               below(m.trained.unscaled.highest, m.trained.setup.goal),
                               at_least(m.trained.small_start.reached,
                                        m.trained.unscaled.runs),
                               above(m.trained.scaled.slowest - 10,
                                     m.trained.small_start.slowest)),
                "both_divided", kind="recorded")),
        Question(
            T(
                "d = {unscaled.d1024.d}，不除。{trials} 次抽样，W_Q 的梯度怎样分布？",
                "d = {unscaled.d1024.d}, undivided. The gradients on W_Q in {trials} draws are"),
            (Option(T("个个接近零", "all near zero"),
                    lambda m: below(m.unscaled.d1024.gradient.max, 0.1),
                    T("把“梯度消失”当成一个数：最大的有 {unscaled.d1024.gradient.max:.0f}。",
                      "takes “vanishing” for one number: the largest is "
                      "{unscaled.d1024.gradient.max:.0f}.")),
             Option(T("都小一些，彼此相近", "all smaller, alike"),
                    lambda m: below(m.unscaled.d1024.gradient.max, m.scaled.d1024.gradient.max),
                    T("只想到平均的缩小。", "thinks of an even shrinking.")),
             Option(T("多数近零，少数极大", "most near zero, few huge"),
                    lambda m: both(below(m.unscaled.d1024.gradient.median,
                                         0.1 * m.scaled.d1024.gradient.median),
                                   above(m.unscaled.d1024.gradient.max,
                                         m.scaled.d1024.gradient.max))),
             Option(T("同除了的一样", "as when divided"),
                    lambda m: near(m.unscaled.d1024.gradient.mean
                                   / m.scaled.d1024.gradient.mean, 1, 0.5),
                    T("以为常数因子无关紧要。它在指数里面。",
                      "thinks a constant factor cannot matter. It sits inside an exponential."))),
            answer=Claim("means", T(
                "中位数是 {unscaled.d1024.gradient.median}，平均反而有 "
                "{unscaled.d1024.gradient.mean}，除以 √d 时的平均是 {scaled.d1024.gradient.mean}。",
                "The median is {unscaled.d1024.gradient.median}, yet the mean is "
                "{unscaled.d1024.gradient.mean}; divided, the mean is "
                "{scaled.d1024.gradient.mean}."),
                lambda m: both(below(m.unscaled.d1024.gradient.median, 0.05),
                               above(m.unscaled.d1024.gradient.mean,
                                     2 * m.scaled.d1024.gradient.mean)), "both_divided"),
            more=True)),
    pins={"*.d": exact("a setting"), "trained.*": close("a record", atol=1e-12),
          "*.gradient.*": close("matrix products of this size: the order of additions", 1e-7),
          "*.crowded.*": close("medians of such gradients", 1e-7), "*": ARITHMETIC},
    errata=ERRATA["scale"],
    notes=T(
        "约 8 分钟；这一部分要抽将近一亿个随机数，约一两秒。先投票，再看两张表。争论点：为什么除的"
        "是 "
        "√d 而不是 d？（数一数标准差那一列。）第三行把 1/√d 放进 W_Q 的起步：除法本身不是唯一的办"
        "法。"
        "梯度的那一票和雅可比矩阵在 --more 里。",
        "About 8 minutes; the part draws almost a hundred million numbers, a second or two. Vote, "
        "then the two tables. The argument: why √d and not d? (Read down the column of spreads.) "
        "The third row puts 1/√d into the start of W_Q: dividing is not the only way. The vote on "
        "gradients and the Jacobian are behind --more."),
)
