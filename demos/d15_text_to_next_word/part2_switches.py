"""15.2 Eight components: which one can go?: what a person meets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from demos.d15_text_to_next_word.lesson import SWITCHES_CONTROLS, switches
from demos.d15_text_to_next_word.words import COUNTED
from lecture.margins import above, at_least, at_most, below, both, equal, every
from lecture.quantities import Group, Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
)

QUANTITIES = {
    "switch.*.off": Quantity(T("关", "off"), "d"),
    "switch.*.gentle": Quantity(T("温和地关", "gently"), "d"),
    "switch.*.own": Quantity(T("还答自己的", "own"), "d"),
    "switch.*.theirs": Quantity(T("改答那一国", "the other's"), "d"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    "switch.words": T("词向量", "word vectors"), "switch.attention": T("自注意力", "attention"),
    "switch.heads": T("多头", "several heads"), "switch.positions": T("位置", "positions"),
    "switch.residual": T("残差", "residual"), "switch.norm": T("归一化", "norm"),
    "switch.mlp": T("MLP（FFN）", "MLP (FFN)"),
    "switch.cross": T("交叉注意力*", "cross-attention*"),
}
LEAD = (
    Paragraph(T(
        "消融：把一个部件拿走，看还对多少；权重一个不改，也不重新训练。国家模型全开对 {right} 题，"
        "演示 10 的英译中（*）全开对 {all} 句。写零只是一种关法，再试两种：写平均值；激活修补，换成"
        "下一国同一问的内容。",
        "Ablation: take a component away and count what stays right; no weight is changed, nothing "
        "is trained again. With everything on, {right} questions are right, and {all} sentences of "
        "demo 10's English to Chinese (*). Zero is one way to be off; two more are tried: "
        "the average; and activation patching, the next country's content.")),
)
FOUR = ("words", "attention", "residual", "mlp")


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "switch.*",
        ("off", "gentle", Group(T("换成别人的内容", "another's content"), ("own", "theirs"))),
        head=T("部件", "component"),
        title=T("一次一个，{questions} 题还对几题", "One at a time: right of {questions}"),
        legend=T("关：写零；多头并成一个大头；残差改成“替换”；归一化拿掉。温和：写平均值；每层留一"
                 "个头（最好的选法）；归一化改除固定的数。别人的：自注意力、MLP 在最后一格；位置"
                 "是打乱。* 句。",
                 "off: zeros; heads joined into one; the branch replaces the stream; norms out. "
                 "gently: the average; one head kept a layer (the best choice); norms divide by a "
                 "fixed number. another's: attention, MLP at the last place; positions: shuffled. "
                 "* sentences."))


def only_left(name: str) -> Callable[[Any], float]:
    """Positive when this component, and no other of the four, can go."""
    asked = ("positions", "mlp", "norm", "heads")
    return lambda m: both(
        above(m.switch[name].off, 0.9 * m.questions),
        every(below(m.switch[k].off, 0.9 * m.questions) for k in asked if k != name))


PART = Part(
    number=2, key="switches",
    title=T("八个部件，哪个可以关掉？", "Eight components: which one can go?"),
    compute=switches, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("base", "english_chinese"), controls=SWITCHES_CONTROLS,
    claims=(
        Claim("four_cannot", T(
            "词向量、自注意力、残差、MLP，两层都关，用哪种办法都剩不到两成；最多的是 MLP 写零，"
            "{switch.mlp.off} 题。",
            "Word vectors, attention, residual, MLP, off in both layers: under a fifth is left "
            "whichever way, at most {switch.mlp.off} (MLP at zero)."),
            lambda m: both(*(at_most(n, 0.2 * m.questions) for k in FOUR for n in (
                m.switch[k].off, m.switch[k].gentle, m.switch[k].own) if n is not None),
                *(at_least(m.switch.mlp.off, n) for k in FOUR for n in (
                    m.switch[k].off, m.switch[k].gentle, m.switch[k].own) if n is not None)),
            "top_layer_only"),
        Claim("content", T(
            "MLP 写的换成下一国的，{switch.mlp.theirs} 题答那一国，虽然自注意力带来的仍是本国："
            "最后由 MLP 写的内容定。",
            "Give the MLPs the next country's content and {switch.mlp.theirs} answers are that "
            "country's, though attention still brings the own one: what the MLPs write has the "
            "last word."),
            lambda m: both(at_least(m.switch.mlp.theirs, 0.9 * m.questions),
                           at_most(m.switch.mlp.own, 0.1 * m.questions)), "own_content"),
        Claim("how_it_is_off", T(
            "关的办法很要紧：归一化拿掉剩 {switch.norm.off} 题；改除一个固定的、各处自己的平均大小"
            "，对 {switch.norm.gentle} 题。",
            "How it is off matters: without norms {switch.norm.off} are left; with a division by "
            "a fixed number, each norm's own mean size, {switch.norm.gentle}."),
            lambda m: above(m.switch.norm.gentle - m.switch.norm.off, 0.5 * m.questions),
            "scales_turned"),
        Claim("cross", T(
            "交叉注意力关掉，{of} 句对 {switch.cross.off} 句；GPT 里没有它（{cross_tensors} 个"
            "矩阵）。",
            "Without cross-attention {switch.cross.off} of {of} sentences are right; a GPT has "
            "none ({cross_tensors} matrices)."),
            lambda m: both(at_most(m.switch.cross.off, 0.1 * m.of), equal(m.cross_tensors, 0)),
            "other_stage", more=True),
        Claim("seeds", T(
            "换种子重训（记录，{record.seeds} 个）：位置怎么关都行的有 {record.positions} 个；归一"
            "化改除固定的数，最少的也对 {record.norm} 题。",
            "Trained from other seeds (recorded, {record.seeds}): positions can go in "
            "{record.positions}; with fixed norms at least {record.norm} are right."),
            lambda m: both(at_least(m.record.positions, m.record.seeds),
                           at_least(m.record.norm, m.questions / 2)),
            T("一份记录里的计数：没有另一组种子可作对照",
              "counts of one record: there is no other arm of it"), kind="recorded", more=True),
    ),
    caveat=T(
        "“可以关”只对这个模型、这些题：训练时每份资料从零到 {shift} 之间随便一个位置开始，因果"
        "掩码也漏出次序（演示 04、07）。要靠次序的任务不是这样。没有重新训练：训练时就没有某个部件"
        "的网络，可能学会不用它。",
        "“Can go” holds for this model and these questions: in training a text began anywhere from "
        "place zero to {shift}, and the causal mask leaks order (demos 04, 07). Tasks that need "
        "order are different. Nothing was trained again: a network trained without a part may "
        "learn to "
        "do without it."),
    further=T(
        "不是随便什么位置向量都行：都写成第一格的那个，只对 {first_place} 题。自注意力换内容那一行"
        "必然改答：最后一格此外的一切，两题都一样。",
        "Not any vector will do: with the first place's everywhere {first_place} are right. That "
        "all answers change with attention's content has to be so: all else at the last place is "
        "the same in both questions."),
    questions=(Question(
        T("一次关一个部件（写零、合并或拿掉），不重新训练。哪个关了，题目还几乎全对？",
          "One component is off (zero, joined, taken out), nothing is trained again. Without which "
          "are nearly all answers right?"),
        (Option(T("位置", "positions"), only_left("positions")),
         Option(T("MLP", "the MLP"), only_left("mlp"),
                T("以为注意力就够了：MLP 关掉只剩 {switch.mlp.off} 题。",
                  "thinks attention is enough: without MLPs {switch.mlp.off} are left.")),
         Option(T("归一化", "the norm"), only_left("norm"),
                T("以为它只在训练时有用：拿掉只剩 {switch.norm.off} 题。",
                  "thinks it serves training only: without it {switch.norm.off} are left.")),
         Option(T("多头", "several heads"), only_left("heads"),
                T("以为一个大头也一样：并成一个剩 {switch.heads.off} 题。",
                  "thinks one wide head does the same: {switch.heads.off} are left."))),
        answer=Claim("positions_can_go", T(
            "写零剩 {switch.positions.off} 题，写平均值 {switch.positions.gentle} 题，打乱 "
            "{switch.positions.own} 题。",
            "at zero {switch.positions.off} are right, at the average "
            "{switch.positions.gentle}, shuffled {switch.positions.own}."
            ""),
            lambda m: every(at_least(n, 0.9 * m.questions) for n in (
                m.switch.positions.off, m.switch.positions.gentle, m.switch.positions.own)),
            "first_place")),),
    pins={"*": COUNTED},
    notes=T(
        "约 6 分钟。八个部件全投一遍（举手），记在黑板上，再给表。先只看第一列，再问：这样关公平"
        "吗？才看后面几列。争论点：位置“没用”吗？（演示 07。）",
        "About 6 minutes. A show of hands on all eight, noted on the board, then the table: first "
        "its first column, then ask whether that was a fair way to switch off, then the others. "
        "The argument: are positions useless? (Demo 07.)"),
)
