"""12.1 How it grows: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d12_induction_grows.lesson import GROWS_CONTROLS, grow
from demos.d12_induction_grows.words import COUNT, RECORDED, TRAINED
from lecture.margins import above, at_least, below, both, near
from lecture.quantities import Group, Lines, Named, Rows
from lecture.report import Claim, Metrics, Option, Paragraph, Part, Quantity, Question, T

PREVIOUS, MATCHING = T("看前一个词", "previous"), T("前缀匹配", "matching")
QUANTITIES = {
    "*.loss": Quantity(T("损失", "loss"), ".2f"),
    "*.right": Quantity(T("抄对", "right"), ".1%"),
    "*.previous": Quantity(PREVIOUS, ".2f"), "*.matching": Quantity(MATCHING, ".2f"),
    "*in_context*": Quantity(T("上下文学习分数", "in-context"), ".2f"),
    "curve.step": Quantity(T("训练步数", "training steps"), "d"),
    "curve.*": Quantity(T("损失（nat）", "loss (nats)"), ".2f"),
    "heads.step": Quantity(T("训练步数", "training steps"), "d"),
    "heads.*": Quantity(T("分数", "score"), ".2f"),
    "jump.share": Quantity(T("占降幅", "of the fall"), ".0%"),
    "jump.early": Quantity(T("占降幅", "of the fall"), ".0%"),
    "seeds.share.*": Quantity(T("占降幅", "of the fall"), ".0%"),
    "one_layer.*.low": Quantity(T("最低", "lowest"), ".1%"),
    "one_layer.*.high": Quantity(T("最高", "highest"), ".1%"),
    "*.step": Quantity(T("步", "step"), "d"),
    "before.*": Quantity(T("损失", "loss"), ".2f"), "after.*": Quantity(T("损失", "loss"), ".2f"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "curve.two": T("两层", "two layers"), "curve.one": T("一层", "one layer"),
    "now.two": T("两层", "two layers"), "now.one": T("一层", "one layer"),
    **{f"heads.{kind}_{layer}_{head}": T(f"{name.zh} L{layer}H{head}",
                                         f"{name.en} L{layer}H{head}")
       for kind, name in (("previous", PREVIOUS), ("matching", MATCHING))
       for layer in (0, 1) for head in (0, 1)},
}


def blocks(m: Metrics) -> Iterator[Named | Paragraph]:
    yield Rows(
        "history.*",
        (Group(T("两层", "two layers"),
               ("two.loss", "two.right", "two.previous", "two.matching")),
         Group(T("一层", "one layer"), ("one.loss", "one.right"))),
        head=T("步", "step"), label="step",
        title=T("记录：抄写处的损失、抄对的比例；两个分数取最高的头",
                "Recorded: loss and share right on the copy; scores of the best head"))
    yield Lines("curve.step", ("curve.two", "curve.one"), low=0.0, more=True,
                title=T("同一份记录的曲线，每 {every} 步量一次",
                        "The curves of that record, measured every {every} steps"))
    yield Lines("heads.step", tuple(
        f"heads.{kind}_{layer}_{head}" for kind in ("previous", "matching")
        for layer in (0, 1) for head in (0, 1)), low=0.0, high=1.0, more=True, page_only=True,
        title=T("记录：每一个头的分数", "Recorded: the scores of every head"))
    yield Rows("now.*", ("loss", "right", "in_context"), more=True,
               title=T("现在量：随课程发的权重，新抽的 {rows} 行",
                       "Measured now: the shipped weights, {rows} freshly drawn rows"),
               legend=T("上下文学习分数：行末八个词的损失减行首七个的（Olsson 等 2022 取第五百和"
                        "第五十个词）。",
                        "In-context: loss on a row's last eight words less that on its first "
                        "seven (Olsson et al. 2022: word five hundred less word fifty)."))


def _shape(m: Any, early: float, late: float) -> float:
    """> 0: the steepest window made `early` .. `late` of the fall."""
    return both(above(m.jump.share, early), below(m.jump.share, late))


PART = Part(
    number=1, key="grows",
    title=T("它怎样长出来", "How it grows"),
    compute=grow, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("grows", "grows_one_layer"),
    lead=(Paragraph(T(
        "一行：{shortest} 到 {longest} 个不同的名字（{names} 个里抽），说了又说，共 {words} 个词；"
        "串的长短每行不同，往回看固定几格没有用。抄写处：下一个名字前面已经说过的位置。网络：两层"
        "注意力，没有 MLP，训练 {steps} 步。\n"
        "看前一个词：给左边一格的平均权重。前缀匹配（Olsson 等 2022）：给“这个词上一次出现之后那"
        "一格”的平均权重，没有上一次的行不算。",
        "A row: {shortest} to {longest} different names (of {names}), said over and over, {words} "
        "words; the length varies, so looking a fixed way back is no use. The copy: places whose "
        "next name was said before. Two layers of attention, no MLP, {steps} steps.\n"
        "Previous: mean weight on the place before. Matching (prefix matching, Olsson et al. "
        "2022): on the place after this word's earlier occurrence, if any.")),),
    controls=GROWS_CONTROLS,
    claims=(
        Claim("as_one_layer", T(
            "第 {before.step} 步，两层的损失还和一层差不多（{before.two} 和 {before.one}），后来才"
            "分开。",
            "At step {before.step} the two networks lose alike ({before.two} and {before.one}); "
            "they part later."),
            lambda m: both(near(m.before.two, m.before.one, 0.2),
                           above(m.after.one, m.after.two + 1)), "two_for_one",
            kind="recorded", given=("*.step",)),
        Claim("one_layer_stays", T(
            "一层到不了：{one_layer.seeds} 个种子，{one_layer.times} 倍的步数，最多抄对 "
            "{one_layer.long.high}。",
            "One layer never does: {one_layer.seeds} seeds, {one_layer.times} times the steps, at "
            "most {one_layer.long.high} right."),
            lambda m: both(below(m.one_layer.short.high, 0.3),
                           below(m.one_layer.long.high, 0.36)), "two_for_one",
            kind="recorded", given=("one_layer.seeds", "one_layer.times")),
        Claim("order_of_scores", T(
            "前缀匹配先过一半：{seeds.seeds} 个种子里有 {seeds.matching_first} 个，早 "
            "{seeds.gap.low} 步以上。",
            "Matching passes one half first: {seeds.matching_first} of {seeds.seeds} seeds, by "
            "{seeds.gap.low} steps or more."),
            lambda m: both(at_least(m.seeds.matching_first, m.seeds.seeds),
                           above(m.seeds.gap.low, 0)), "one_layer", kind="recorded",
            undefined=T("一层里两个分数没有都过一半",
                        "in one layer not both scores pass one half")),
        Claim("copies", T(
            "现在量：两层抄对 {now.two.right}，一层 {now.one.right}。",
            "Measured now: two layers get {now.two.right} right, one {now.one.right}."),
            lambda m: both(above(m.now.two.right, 0.95), below(m.now.one.right, 0.3)),
            "one_layer", more=True),
        Claim("in_context", T(
            "读过的东西主要在这一跳里变得有用：上下文学习分数先到 {in_context.before}，再一下到 "
            "{in_context.after}。",
            "What has been read comes to pay mostly in this jump: the in-context score goes to "
            "{in_context.before}, then at once to {in_context.after}."),
            lambda m: both(above(m.in_context.before - m.in_context.after, 1),
                           above(m.in_context.before - m.in_context.after,
                                 m.in_context.start - m.in_context.before)), "one_layer",
            kind="recorded", more=True),
        Claim("band", T(
            "{seeds.seeds} 个种子都这样：第 {before.step} 步的损失在 {before.low} 到 "
            "{before.high}，抄对一半的时刻在第 {seeds.half.low} 到 {seeds.half.high} 步，最陡的 "
            "{seeds.window} 步至少占降幅的 {seeds.share.low}。",
            "So in all {seeds.seeds} seeds: at step {before.step} the loss is {before.low} to "
            "{before.high}, half of the copy is right between steps {seeds.half.low} and "
            "{seeds.half.high}, and the steepest {seeds.window} steps make at least "
            "{seeds.share.low} of the fall."),
            lambda m: both(near(m.before.low, m.before.one, 0.3),
                           near(m.before.high, m.before.one, 0.3),
                           above(m.seeds.half.low, 50), below(m.seeds.half.high, 200),
                           above(m.seeds.share.low, 0.4)), "one_layer", kind="recorded",
            given=("before.step", "seeds.seeds", "seeds.window"), more=True,
            undefined=T("一层从没抄对过一半", "one layer never has half of the copy right")),
    ),
    caveat=T(
        "文献里的大模型先有一段平台；这里损失一直在降。数字只属于这个设计：RoPE，宽 {width}，每层 "
        "{heads_each} 个头。",
        "Larger models are reported to wait on a plateau; here the loss keeps falling. One "
        "design: RoPE, width {width}, {heads_each} heads a layer."),
    further=T("分数只说头看哪里；靠不靠它，第 4 部分切了看。",
              "A score says where a head looks; whether that is needed, part 4 cuts."),
    questions=(Question(
        T("两层注意力学着抄间隔不定的名单。抄写处的损失怎样下降？",
          "Two layers learn to copy at varying distance. How does the loss fall?"),
        (Option(T("几乎一条直线", "a line"), lambda m: _shape(m, 0.0, 0.2),
                T("以为学习是匀速的：{seeds.window} 步就占了降幅的 {jump.share}。",
                  "expects steady learning: {seeds.window} steps made {jump.share} of the fall.")),
         Option(T("先快后慢", "fast, then slow"),
                lambda m: both(_shape(m, 0.2, 1.0), below(m.jump.start, 26)),
                T("把别处常见的曲线搬了过来：这里前 {jump.start} 步只走了 {jump.early}。",
                  "borrows the usual curve: here the first {jump.start} steps made "
                  "{jump.early}.")),
         Option(T("先慢，再突然掉", "slow, then a drop"),
                lambda m: both(_shape(m, 0.4, 1.0), above(m.jump.start, 25))),
         Option(T("降到一半就停", "half way only"),
                lambda m: above(m.now.two.loss, m.now.one.loss / 2),
                T("那是一层：练完还有 {now.one.loss}。",
                  "that is one layer, still at {now.one.loss}."))),
        answer=Claim("slow_then_sudden", T(
            "最陡的 {seeds.window} 步走了降幅的 {jump.share}，在那以前一共才 {jump.early}。",
            "the steepest {seeds.window} steps make {jump.share} of the fall, all before "
            "{jump.early}."),
            lambda m: both(above(m.jump.share, 0.45), below(m.jump.early, 0.45),
                           above(m.jump.start, 2 * m.seeds.window)), "one_layer",
            kind="recorded")),),
    pins={"now.*": TRAINED, "history.*": RECORDED, "curve.*": RECORDED, "heads.*": RECORDED,
          "jump.*": RECORDED, "in_context.*": RECORDED, "seeds.*": RECORDED,
          "before.*": RECORDED, "after.*": RECORDED, "one_layer.*": RECORDED, "*": COUNT},
    notes=T(
        "约 8 分钟。先投票，再看表：哪一列先动？到哪一行，两层才和一层分开？争论点：为什么不是一点"
        "一点变好？（第一层写下左邻，要有第二层来读才有好处；反过来也一样。这只是一种说法，这里没"
        "有单独试过。）导出的网页有每一个头的曲线。",
        "About 8 minutes. Vote, then the table: which column moves first, and in which row do two "
        "layers part from one? The argument: why not little by little? (Writing down the left "
        "neighbour pays only when layer two reads it, and the other way round: an account, not "
        "tested here.) The exported page has a curve for every head."),
)
