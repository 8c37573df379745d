"""09.4 Twelve blocks: who still learns: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d09_depth.lesson import BARE, RESIDUAL, TRAINED_CONTROLS, VARIANTS, twelve_blocks
from lecture.report import (
    ARITHMETIC,
    Block,
    Claim,
    Column,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
    close,
    exact,
)

TRAINED = close("shipped weights: rounding differs between machines", rtol=1e-6, atol=1e-9)
NORM_NAMES = {"pre": T("前", "pre"), "post": T("后", "post"), "none": T("没有", "none")}


def show_twelve(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "真的去训练：一道不需要深度的题，说出前一个词（{words} 个词，每行 {length} 个，瞎猜对 "
        "{chance:.1%}）。小 GPT 宽 {width}，两个头，FFN 中间 {inner}，初值 N(0, .02)，写进流的矩阵"
        "再除以 √(2L)，和 GPT-2 一样；{steps} 步。残差有或没有，归一化在支路入口、在和之后，或者"
        "没有；深 {layers} 层，或者只有一层。",
        "Now train: a task that needs no depth, say the word before ({words} words, {length} a "
        "row, blind guessing gets {chance:.1%}). A small GPT, width {width}, two heads, {inner} "
        "inside the FFN, start N(0, .02) and for the maps into the stream that over √(2L), as "
        "GPT-2; {steps} steps. With or without residual; the norm at the door of the branch, after "
        "the sum, or nowhere; {layers} blocks deep, or one."))
    yield Table(
        (Column(T("残差", "residual")), Column(T("归一化", "norm")),
         Column(T("一层", "1 block"), ".1%"), Column(T("学会", "learn"), "d"),
         Column(T("{layers} 层", "{layers} blocks"), ".1%"),
         Column(T("最低", "lowest"), ".1%"), Column(T("学会", "learn"), "d"),
         Column(T("梯度", "gradient"), ".1e")),
        [[VARIANTS[name][1], NORM_NAMES[VARIANTS[name][0]], m["shallow"][name]["mean"],
          m["shallow"][name]["solved"], r["mean"], r["low"], r["solved"], r["gradient"]]
         for name, r in m["deep"].items()],
        title=T("记录：每种训练 {seeds} 次，说对的平均比例",
                "Recorded: {seeds} trainings of each, mean share of right words"),
        legend=T("学会：{seeds} 次里几次说对 {bar:.0%} 以上。梯度：训练前，{layers} 层的最底一层 "
                 "W_V "
                 "的梯度长度（中位数）。",
                 "learn: how many of {seeds} get {bar:.0%} right. gradient: before training, its "
                 "length on W_V of the lowest of {layers} blocks (median)."))
    if m["more"]:
        yield Table(
            (Column(T("残差", "residual")), Column(T("归一化", "norm")),
             *(Column(T(run, run), ".1%") for run in "ABCDE"[:m["seeds"]])),
            [[VARIANTS[name][1], NORM_NAMES[VARIANTS[name][0]], *r["runs"]]
             for name, r in m["deep"].items()],
            title=T("记录：{layers} 层的每一次训练", "Recorded: every training of {layers} blocks"))
    yield Table(
        (Column(T("残差", "residual")), Column(T("归一化", "norm")),
         Column(T("一层", "1 block"), ".1e"), Column(T("{layers} 层", "{layers} blocks"), ".1e")),
        [[VARIANTS[name][1], NORM_NAMES[VARIANTS[name][0]], m["shallow"][name]["arrives"],
          r["arrives"]] for name, r in m["deep"].items()],
        title=T("现在测：没训练时换掉最后一个词，它头顶上的流变多少（占原长）",
                "Measured now, untrained: replace the last word; change of the stream above it"),
        legend=T("没训练的注意力近乎平均：{length} 个词各得一份。没有残差，每过一层自己的差别只剩"
                 "一份，"
                 "{layers} 层是 {own_share:.1e}。",
                 "Untrained attention is nearly even: {length} words get a share each. Without a "
                 "residual a block leaves one share of a word's own difference; {layers} of them "
                 "make {own_share:.1e}."))
    yield Table(
        (Column(T("跳过哪一层", "block skipped")), Column(T("说对", "right"), ".1%")),
        [[T("一层也不跳", "none"), m["now"]],
         *([f"b{i + 1}", share] for i, share in enumerate(m["skips"]["without"])),
         [T(f"除了 b{m['skips']['block']} 全跳过", f"all but b{m['skips']['block']}"),
          m["skips"]["alone"]]],
        title=T("现在测：随课发的网络（残差，前归一化），{checked} 行新题",
                "Measured now: the shipped network (residual, pre-norm), {checked} fresh rows"))


PART = Part(
    number=4, key="trained",
    title=T("十二层，谁还学得会", "Twelve blocks: who still learns"),
    compute=twelve_blocks, describe=show_twelve, recipes=("deep",),
    params={"more": Param(False, about=T("也列出每一次训练", "list every training too"))},
    controls=TRAINED_CONTROLS,
    claims=(
        Claim("shipped_has_learned", T(
            "随课发的 {layers} 层网络（残差，前归一化）现在测，说对 {now:.1%}；瞎猜是 "
            "{chance:.1%}。",
            "The shipped network of {layers} blocks (residual, pre-norm) gets {now:.1%} right now; "
            "blind guessing gets {chance:.1%}."),
            lambda m: m["now"] - m["chance"] - 0.5, "untrained"),
        Claim("residual_learns", T(
            "记录：有残差的，{layers} 层照样学会：前归一化 {seeds} 次里 {deep[pre_with][solved]} "
            "次，"
            "后归一化 {deep[post_with][solved]} 次，没有归一化 {deep[none_with][solved]} 次。",
            "Recorded: with a residual {layers} blocks still learn: {deep[pre_with][solved]} of "
            "{seeds} with pre-norm, {deep[post_with][solved]} with post-norm, "
            "{deep[none_with][solved]} without norm."),
            lambda m: min(m["deep"][name]["solved"] - m["at_least"] + 0.5
                          for name in RESIDUAL), "never_residual"),
        Claim("without_it_nothing", T(
            "记录：没有残差，{layers} 层一次也没学会，有归一化也没用：三种的最好成绩是 "
            "{deep[pre_without][high]:.1%}、{deep[post_without][high]:.1%}、"
            "{deep[none_without][high]:.1%}，瞎猜是 {chance:.1%}。",
            "Recorded: without a residual {layers} blocks never learn, norm or no norm: the best "
            "of the three kinds get {deep[pre_without][high]:.1%}, "
            "{deep[post_without][high]:.1%} and {deep[none_without][high]:.1%}, blind guessing "
            "{chance:.1%}."),
            lambda m: min(m["chance"] + 0.1 - m["deep"][name]["high"] for name in BARE),
            "always_residual"),
        Claim("depth_is_to_blame", T(
            "不怪题目，也不怪没有残差本身：只有一层时，没有残差的三种在 {seeds} 次里学会 "
            "{shallow[pre_without][solved]}、{shallow[post_without][solved]}、"
            "{shallow[none_without][solved]} 次。",
            "Neither the task nor the missing residual alone is to blame: with one block the three "
            "kinds without residual learn in {shallow[pre_without][solved]}, "
            "{shallow[post_without][solved]} and {shallow[none_without][solved]} of {seeds} "
            "trainings."),
            lambda m: min(m["shallow"][name]["solved"] - m["at_least"] + 0.5 for name in BARE),
            "deep_only"),
        Claim("the_word_does_not_arrive", T(
            "现在测，没训练时：换掉一个词，有残差的 {layers} 层顶上变 "
            "{deep[pre_with][arrives]:.2f}；"
            "没有残差，有前归一化也只变 {deep[pre_without][arrives]:.0e}，有后归一化 "
            "{deep[post_without][arrives]:.0e}：一层层平均下来，词的差别没了，归一化救不回来。",
            "Measured now, untrained: replace a word and the top of {layers} blocks with a "
            "residual "
            "moves by {deep[pre_with][arrives]:.2f}; without one by "
            "{deep[pre_without][arrives]:.0e} in spite of pre-norm and by "
            "{deep[post_without][arrives]:.0e} in spite of post-norm: averaged block after block, "
            "words lose their difference, and no norm brings it back."),
            lambda m: min(m["deep"]["pre_with"]["arrives"] - 0.1,
                          1e-6 - m["deep"]["pre_without"]["arrives"],
                          1e-6 - m["deep"]["post_without"]["arrives"]), "always_residual"),
        Claim("blocks_that_can_go", T(
            "残差让多余的层让路：一次跳过一层，只有少了第 {skips[block]} 层才垮"
            "（{skips[least]:.1%}），少了别的任何一层都不低于 {skips[others]:.1%}；别的全跳过、"
            "只留这一层，还有 {skips[alone]:.1%}，远在瞎猜之上。",
            "A residual lets needless blocks step aside: skip one at a time and only the loss of "
            "block {skips[block]} breaks it ({skips[least]:.1%}); without any other it keeps at "
            "least {skips[others]:.1%}. Skip all the others, keep that one: {skips[alone]:.1%}, "
            "far above guessing."),
            lambda m: min(0.5 - m["skips"]["least"], m["skips"]["others"] - m["bar"],
                          m["skips"]["alone"] - m["chance"] - 0.2), "nothing_skipped"),
        Claim("few_are_needed", T(
            "记录：残差加前归一化的 {seeds} 次训练里，{layers} 层中一跳过就垮的最多 "
            "{recorded_skips[needed]} 层；只留最要紧的那一层，最低 {recorded_skips[alone]:.1%}。",
            "Recorded: in {seeds} trainings with residual and pre-norm at most "
            "{recorded_skips[needed]} of {layers} blocks break it when skipped; with the one that "
            "matters most alone it keeps {recorded_skips[alone]:.1%} at worst."),
            lambda m: min(m["layers"] / 2 - m["recorded_skips"]["needed"],
                          m["recorded_skips"]["alone"] - m["chance"] - 0.2), "never_residual"),
    ),
    caveat=T(
        "宽 {width}，一道题，一种优化器，一种初值，{steps} 步；换别的结果会不同（第 1 部分的 "
        "--set 1.gain 让人看到初值对梯度的作用）。跳过一层说明它在这里可有可无，不说明它什么也没"
        "做。没有归一化也学会，"
        "靠的是小初值；更深更宽时没有这样的保证。",
        "Width {width}, one task, one optimiser, one start, {steps} steps; others may end "
        "otherwise "
        "(part 1, --set 1.gain, shows what the start does to gradients). That a block can be "
        "skipped shows it "
        "is not needed here, not that it does nothing. Learning without a norm rests on the small "
        "start; for deeper and wider networks nothing of the kind is promised."),
    questions=(Question(
        T("十二层，没有残差，可是每层都有归一化。一道一层就能学会的题，它学得会吗？",
          "Twelve blocks without a residual, but with a norm in each. A task that one block can "
          "learn: does it learn it?"),
        (Option(T("学得会，归一化稳住了梯度", "yes, the norm steadies the gradient"),
                lambda m: min(m["deep"][n]["mean"] for n in ("pre_without", "post_without"))
                - m["bar"],
                T("归一化稳住大小，稳不住差别：每一层都把词平均一遍。",
                  "a norm steadies the size, not the difference: every block averages the words.")),
         Option(T("学得慢一些，差一点", "more slowly, and less well"),
                lambda m: min(m["bar"] - max(m["deep"][n]["mean"] for n in
                                             ("pre_without", "post_without")),
                              min(m["deep"][n]["mean"] for n in
                                  ("pre_without", "post_without")) - m["chance"] - 0.1),
                T("以为深只是慢。词的差别到不了顶，就没有东西可学。",
                  "expects depth to be slow only. What does not reach the top cannot be learned "
                  "from.")),
         Option(T("学不会，和瞎猜一样", "no, it stays at guessing"),
                lambda m: m["chance"] + 0.1 - max(m["deep"][n]["mean"] for n in
                                                  ("pre_without", "post_without"))),),),),
    pins={"*.runs.*": exact("read from a record"), "*.mean": ARITHMETIC,
          "*.low": exact("read from a record"), "*.high": exact("read from a record"),
          "*.solved": exact("read from a record"), "*.gradient": ARITHMETIC,
          "*.arrives": close("differences of nearly equal numbers", rtol=1e-3, atol=1e-12),
          "recorded_skips.*": exact("read from a record"), "skips.block": exact("a place"),
          "skips.needed": exact("a count"), "now": TRAINED, "skips.*": TRAINED,
          "own_share": ARITHMETIC,
          "*": exact("settings")},
    notes=T(
        "约 8 分钟。投票，给记录的表，再给“换掉一个词”的表解释为什么。争论点：没有归一化也学会"
        "了，那"
        "归一化要来做什么？（初值替它做了；--set 1.gain=1.41 看残差自己会怎样。）最后让学生猜：跳"
        "过一"
        "层会塌吗？",
        "About 8 minutes. Vote, the recorded table, then the table of the replaced word for the "
        "reason. The argument: it learns without a norm, so what is the norm for? (The start did "
        "its work; --set 1.gain=1.41 shows what a residual does alone.) At last let them guess: "
        "does it break when a block is skipped?"),
)
