"""09.4 Twelve blocks: who still learns: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d09_depth.lesson import BARE, RESIDUAL, TRAINED_CONTROLS, twelve_blocks
from lecture.margins import above, at_least, at_most, below, both, every
from lecture.quantities import Across, Group, Named, Rows
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

TRAINED = close("shipped weights: rounding differs between machines", rtol=1e-6, atol=1e-9)
RUNS = tuple(range(5))
BLOCKS = tuple(range(12))
QUANTITIES = {
    "kinds.*.runs.*": Quantity(T("", ""), ".2f"),
    "kinds.*.shallow.gradient": Quantity(T("一层", "1 block"), ".0e"),
    "kinds.*.deep.gradient": Quantity(T("{layers} 层", "{layers} blocks"), ".0e"),
    "arrives.*": Quantity(T("变", "moves"), ".0e"),
    "kinds.*.shallow.arrives": Quantity(T("一层", "1 block"), ".0e"),
    "kinds.*.deep.arrives": Quantity(T("{layers} 层", "{layers} blocks"), ".0e"),
    **{f"kinds.*.unlike.{i}": Quantity(T(f"{{after.{i}}} 层", f"{{after.{i}}}"), ".3f")
       for i in range(4)},
    "itself_only": Quantity(T("差别", "unlike"), ".2f"),
    "kinds.*.high": Quantity(T("最高", "highest"), ".1%"),
    "best": Quantity(T("最高", "highest"), ".1%"), "chance": Quantity(T("瞎猜", "guess"), ".1%"),
    "bar": Quantity(T("学会", "learned"), ".0%"),
    "now": Quantity(T("说对", "right"), ".0%"),
    "skips.without": Quantity(T("说对", "right"), ".0%"),
    "skips.without.*": Quantity(T("说对", "right"), ".0%"),
    "skips.block": Quantity(T("第几层", "block"), "d"),
    "skips.others": Quantity(T("说对", "right"), ".0%"),
    "skips.*": Quantity(T("说对", "right"), ".1%"),
    "recorded_skips.alone.*": Quantity(T("说对", "right"), ".1%"),
    "*": Quantity(T("个", "count"), "d"),
}
NAMES = {
    "kinds.pre_with": T("残差，Pre-LN", "with, Pre-LN"),
    "kinds.post_with": T("残差，Post-LN", "with, Post-LN"),
    "kinds.none_with": T("残差，无归一化", "with, no norm"),
    "kinds.pre_without": T("无残差，Pre-LN", "without, Pre-LN"),
    "kinds.post_without": T("无残差，Post-LN", "without, Post-LN"),
    "kinds.none_without": T("无残差，无归一化", "without, no norm"),
    **{f"skips.without.{i}": T(f"b{i + 1}", f"b{i + 1}") for i in BLOCKS},
}

LEAD = (
    Paragraph(T(
        "真的去训练，这回块里有注意力。题目一层就够：说出前一个词（{words} 种词，每行 {length} "
        "个，瞎猜对 {chance}）。小 GPT 宽 {width}，两个头，FFN 中间 {inner}，初值照 GPT-2，{steps} "
        "步。残差有或没有，Pre-LN、Post-LN 或不归一化，各训练 "
        "{seeds} 次。",
        "Now train, with attention in the blocks. The task needs one block: say the word before "
        "({words} words, {length} a row, guessing gets {chance}). A small GPT, width {width}, two "
        "heads, {inner} inside the FFN, started as GPT-2, {steps} steps; with or without a "
        "residual, Pre-LN, Post-LN or no norm, {seeds} trainings each.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "kinds.*",
        (Group(T("一层：说对的比例", "1 block: share right (REC)"),
               tuple(f"shallow.runs.{i}" for i in RUNS)),
         Group(T("{layers} 层", "{layers} blocks"), tuple(f"deep.runs.{i}" for i in RUNS))),
        head=T("训练后（记录）", "residual, norm"))
    yield Rows(
        "kinds.*",
        (Group(T("换掉要说的词，顶上变", "swap the word: top moves"),
               ("shallow.arrives", "deep.arrives")),
         Group(T("各词还差多少，过了几层", "words unlike, after block"),
               tuple(f"deep.unlike.{i}" for i in range(4)))),
        head=T("没训练（现在测）", "residual, norm"),
        legend=T("变：最后一格，占原长。差：各词不共有的部分，占全长。",
                 "Untrained, measured now. Moves: at the last place, of the length there. "
                 "Unlike: what words do not share, of the whole."))
    yield Rows("kinds.*", (Group(T("W_V 的梯度", "gradient on W_V"),
                                 ("shallow.gradient", "deep.gradient")),), more=True,
               head=T("训练前，最底一层（记录）", "untrained, lowest block (REC)"))
    yield Across(("skips.without",), tuple(str(i) for i in BLOCKS), more=True,
                 head=T("跳过", "skipped"),
                 title=T("随课发的网络（残差，Pre-LN；{seeds} 次里居中的一次），不跳说对 {now}",
                         "The shipped network (residual, Pre-LN; the middle one of {seeds}); "
                         "whole: "
                         "{now}"))


PART = Part(
    number=4, key="trained",
    title=T("十二层，谁还学得会", "Twelve blocks: who still learns"),
    compute=twelve_blocks, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("deep",), controls=TRAINED_CONTROLS,
    claims=(
        Claim("residual_learns", T(
            "有残差，{layers} 层照样学会，连没有归一化的也是：Pre-LN {seeds} 次里 "
            "{kinds.pre_with.deep.solved} 次，Post-LN {kinds.post_with.deep.solved} 次，无归一化 "
            "{kinds.none_with.deep.solved} 次。",
            "With a residual {layers} blocks still learn, even without a norm: of {seeds} "
            "trainings {kinds.pre_with.deep.solved} with Pre-LN, {kinds.post_with.deep.solved} "
            "with Post-LN, {kinds.none_with.deep.solved} without norm."),
            lambda m: every(at_least(m.kinds[name].deep.solved, m.seeds - 1)
                            for name in RESIDUAL), "never_residual", kind="recorded",
            given=("layers",)),
        Claim("the_word_does_not_arrive", T(
            "没训练时换掉要说的那个词：有残差，{layers} 层的顶上至少变 {arrives.least_with}；没有，"
            "最多 {arrives.most_without}。",
            "Untrained, replace the word asked for: with a residual the top of {layers} blocks "
            "moves by {arrives.least_with} at least, without by {arrives.most_without} at most."),
            lambda m: above(m.arrives.least_with / m.arrives.most_without, 1e3),
            "always_residual", given=("layers",)),
        Claim("words_grow_alike", T(
            "没有残差，注意力一层层平均，词越来越像：{layers} 层后只差 "
            "{kinds.pre_without.deep.unlike.3}，有残差差 {kinds.pre_with.deep.unlike.3}。若每个词"
            "只看自己，"
            "没有残差也差 {itself_only}。",
            "Without a residual attention averages block by block and words grow alike: after "
            "{layers} they differ by {kinds.pre_without.deep.unlike.3}, with one by "
            "{kinds.pre_with.deep.unlike.3}. Let each look at itself only, and without a "
            "residual they still differ by {itself_only}."),
            lambda m: both(every(below(m.kinds[name].deep.unlike[3], 0.1) for name in BARE),
                           every(above(m.kinds[name].deep.unlike[3], 0.5) for name in RESIDUAL),
                           above(m.itself_only, 0.5)), "itself_only", given=("layers",)),
        Claim("one_block_does", T(
            "没有残差不等于学不会：只有一层时，三种一共 {trainings} 次里学会 "
            "{solved} 次。",
            "The missing residual alone does not do it: with one block the three kinds learn in "
            "{solved} of {trainings} trainings."),
            lambda m: at_least(m.solved, 0.9 * m.trainings), "deep_only",
            kind="recorded", more=True),
        Claim("blocks_that_can_go", T(
            "一次跳过一层，只有少了第 {skips.block} 层才垮（{skips.least}），少了别的哪一层都不低"
            "于 "
            "{skips.others}；别的全跳过，只留这一层，还有 {skips.alone}。",
            "Skip one block at a time and only the loss of block {skips.block} breaks it "
            "({skips.least}), without any other it keeps {skips.others}; skip all the "
            "others, keep that one: {skips.alone}."),
            lambda m: both(below(m.skips.least, 0.5), above(m.skips.others, m.bar),
                           above(m.skips.alone, m.chance + 0.2)), "the_idlest_block", more=True,
            given=("skips.block",)),
        Claim("few_are_needed", T(
            "有残差的 {recorded_skips.trainings} 次训练里，{layers} 层中一跳过就降到 {bar} 以下的"
            "最多 {recorded_skips.needed} 层。",
            "In {recorded_skips.trainings} trainings with a residual at most "
            "{recorded_skips.needed} of {layers} blocks bring it below {bar} when skipped."),
            lambda m: at_most(m.recorded_skips.needed, m.layers / 4),
            T("没有残差的一次也没学会，没有可以失去的", "without a residual none has learned: "
              "there is nothing to lose"), kind="recorded", more=True,
            given=("recorded_skips.trainings", "bar")),
    ),
    caveat=T(
        "宽 {width}，一道题，一种优化器，一种初值，{steps} 步。词在开头就分不开，后来也学不会：两件"
        "事一起出现，这里没有一组把它们分开。",
        "Width {width}, one task, one optimiser, one start, {steps} steps. Words alike at the "
        "start and nothing learned go together here; no arm takes them apart."),
    further=T(
        "词越叠越像，Dong 等 2021 叫秩坍缩，证明了纯注意力会这样，残差挡住它。能跳过的层在这里可有"
        "可无，不等于什么也没做。",
        "Words growing alike is the rank collapse of Dong et al. 2021, who prove it of pure "
        "attention and show that residuals stop it. A block that can be skipped is not needed "
        "here; that it does nothing does not follow."),
    questions=(Question(
        T("{layers} 层，没有残差，每层都有归一化（Pre-LN 或 Post-LN）。一层就够的题，学得会吗？",
          "{layers} blocks, no residual, a norm in each (Pre-LN or Post-LN). A task that needs one "
          "block: does it learn?"),
        (Option(T("学得会", "it learns"),
                lambda m: every(at_least(m.kinds[n].deep.solved, m.seeds / 2)
                                for n in ("pre_without", "post_without")),
                T("第 1 部分里归一化稳住了梯度，那里没有注意力。表里各词还是越来越像。",
                  "in part 1 a norm held the gradient, without attention. In the table words grow "
                  "alike all the same.")),
         Option(T("学会一些", "in part"),
                lambda m: both(every(below(m.kinds[n].deep.solved, m.seeds / 2)
                                     for n in ("pre_without", "post_without")),
                               every(above(m.kinds[n].deep.high, m.chance + 0.1)
                                     for n in ("pre_without", "post_without"))),
                T("最好的一次 {best}，瞎猜 {chance}。",
                  "the best training has {best}, guessing {chance}.")),
         Option(T("和瞎猜差不多", "about as good as guessing"),
                lambda m: every(below(m.kinds[n].deep.high, m.chance + 0.1)
                                for n in ("pre_without", "post_without")))),
        answer=Claim("without_it_nothing", T(
            "没有残差的三种，{layers} 层 {trainings} 次最好的 {best}；同样的三种，一层的 "
            "{solved} 次学会。归一化在不在都一样。",
            "Without a residual, norm or no norm, the best of {trainings} trainings of {layers} "
            "blocks has {best}; with one block {solved} of the same kinds learn."),
            lambda m: both(below(m.best, m.chance + 0.1),
                           every(below(m.kinds[n].deep.high, m.chance + 0.1) for n in BARE),
                           at_least(m.solved, 0.9 * m.trainings)),
            "always_residual", kind="recorded", given=("layers",))),),
    pins={"*.runs.*": exact("read from a record"), "*.high": exact("read from a record"),
          "*.solved": exact("read from a record"), "solved": exact("read from a record"),
          "best": exact("read from a record"), "*.gradient": ARITHMETIC,
          "arrives.*": close("differences of nearly equal numbers", rtol=1e-3, atol=1e-12),
          "*.arrives": close("differences of nearly equal numbers", rtol=1e-3, atol=1e-12),
          "*.unlike.*": close("many blocks in a row", rtol=1e-6), "itself_only": ARITHMETIC,
          "recorded_skips.*": exact("read from a record"), "skips.block": exact("a place"),
          "skips.needed": exact("a count"), "now": TRAINED, "skips.*": TRAINED,
          "chance": ARITHMETIC, "*": exact("settings")},
    notes=T(
        "约 8 分钟。投票，看第一张表，再看第二张：开头就有差别。争论点：没有归一化也学会了，归一化"
        "要来做"
        "什"
        "么？（这里只有 12 层、一种初值；第 1 部分里只加残差，一百个块就爆炸。）最后让学生猜：跳过"
        "一"
        "层会垮吗？（--more）",
        "About 8 minutes. Vote, the first table, then the second: they differ from the start. The "
        "argument: it learns without a norm, so what is the norm for? (Here 12 blocks and one "
        "start; in part 1 a residual alone explodes over a hundred.) At last let them guess: does "
        "it break when a block is skipped? (--more)"),
)
