"""12.1 It grows where data rewards it: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d12_induction_grows.lesson import GROWS_CONTROLS, grow
from demos.d12_induction_grows.words import COUNT, RECORDED, TRAINED
from lecture.report import (
    Block,
    Claim,
    Column,
    Curve,
    Metrics,
    Option,
    Paragraph,
    Part,
    Question,
    T,
    Table,
)

HEAD_NAMES = {"previous": T("看前一个词", "previous token"),
              "matching": T("看匹配处", "prefix matching")}


def show_growth(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "每一行：一个起始符，然后一串 {shortest} 到 {longest} 个不同的名字（从 {names} 个里抽），"
        "说了一遍又一遍，共 {words} 个词。串的长短每行不同，所以“往回看固定几格”没有用。"
        "网络只有两层注意力，没有 MLP；训练 {steps} 步，每一步的损失算上全部位置。"
        "“抄写处”指名单从第二遍起、已经说得出的位置。",
        "Each row: a start token, then a list of {shortest} to {longest} different names (out "
        "of {names}), said over and over, {words} words in all. The length of the list varies "
        "from row to row, so looking a fixed number of places back is no use. Two layers of "
        "attention, no MLP; {steps} steps, with every place in the loss. The copy: the places "
        "from the second saying on that an earlier one determines."))
    yield Paragraph(T(
        "三个分数：看前一个词 = 第 t 行给 t-1 的平均权重；看匹配处 = 给“这个词上一次出现之后的"
        "那个位置”的平均权重，没有上一次的行不算；语境分 = 行末的损失减行首的损失"
        "（后两个照 Olsson 等 2022 的定义；他们用第五百和第五十个词，我们用最后八个和最前七个）。",
        "Three scores: previous token = mean weight of row t on t-1; prefix matching = mean "
        "weight on the place after this word's earlier occurrence, rows without one left out; "
        "in-context = loss at the end of a row less the loss at its beginning (the last two as "
        "in Olsson et al. 2022, who take word five hundred less word fifty; here it is the "
        "last eight and the first seven)."))
    yield Curve(m["curve"]["step"],
                [(T("两层", "two layers"), m["curve"]["two"]),
                 (T("一层", "one layer"), m["curve"]["one"])],
                T("训练步数", "training steps"), T("损失（nat）", "loss (nats)"), low=0.0,
                title=T("记录：抄写处的损失，每 {every} 步量一次",
                        "Recorded: loss on the copy, measured every {every} steps"))
    yield Table(
        (Column(T("步", "step"), "d"), Column(T("损失", "loss"), ".2f"),
         Column(T("抄对", "right"), ".1%"), Column(T("语境分", "in-context"), ".2f"),
         Column(T("看前一个词", "previous token"), ".2f"),
         Column(T("看匹配处", "prefix matching"), ".2f")),
        [[h[k] for k in ("step", "loss", "right", "in_context", "previous", "matching")]
         for h in m["history"]],
        title=T("记录：两层的网络（分数取最高的头）",
                "Recorded: the two layers (scores of the best head)"))
    yield Curve(m["heads"]["step"],
                [(T(f"{HEAD_NAMES[kind].zh} L{layer}H{head}",
                    f"{HEAD_NAMES[kind].en} L{layer}H{head}"),
                  m["heads"][f"{kind}_{layer}_{head}"])
                 for kind in HEAD_NAMES for layer in (0, 1) for head in (0, 1)],
                T("训练步数", "training steps"), T("分数", "score"), low=0.0, high=1.0,
                title=T("记录：每一个头的分数", "Recorded: the scores of every head"),
                page_only=True)
    yield Table(
        (Column(T("网络", "network")), Column(T("抄写处的损失", "loss on the copy"), ".3f"),
         Column(T("抄对", "right"), ".1%"), Column(T("语境分", "in-context"), ".2f")),
        [[name, *(m["now"][key][k] for k in ("loss", "right", "in_context"))]
         for key, name in (("two", T("两层", "two layers")), ("one", T("一层", "one layer")),
                           ("untrained", T("两层，没训练", "two layers, untrained")))],
        title=T("现在量：随课程发的权重，{rows} 行新抽的", "Measured now: the shipped weights, "
                "{rows} freshly drawn rows"))


def _shape(m: Metrics, early: float, late: float) -> float:
    """> 0: the steepest window made `early` .. `late` of the fall."""
    return min(m["jump"]["share"] - early, late - m["jump"]["share"])


PART = Part(
    number=1, key="grows",
    title=T("它长在有奖励的地方", "It grows where data rewards it"),
    compute=grow, describe=show_growth, recipes=("grows", "grows_one_layer"),
    controls=GROWS_CONTROLS,
    claims=(
        Claim("copies", T(
            "训练 {steps} 步以后，两层的网络在新抽的行里抄对 {now[two][right]:.1%}；没训练时是 "
            "{now[untrained][right]:.1%}。",
            "After {steps} steps the two layers get {now[two][right]:.1%} of the copy right in "
            "freshly drawn rows; untrained, {now[untrained][right]:.1%}."),
            lambda m: min(m["now"]["two"]["right"] - 0.95,
                          0.1 - m["now"]["untrained"]["right"]), "untrained"),
        Claim("slow_then_sudden", T(
            "先慢后突然：前 {jump[from]} 步走完整个降幅的 {jump[early]:.0%}；接下来的 "
            "{seeds[window]} 步，损失从 {jump[before]:.2f} 掉到 {jump[after]:.2f}，占整个降幅的 "
            "{jump[share]:.0%}。",
            "Slow, then sudden: the first {jump[from]} steps make {jump[early]:.0%} of the whole "
            "fall; in the next {seeds[window]} the loss drops from {jump[before]:.2f} to "
            "{jump[after]:.2f}, {jump[share]:.0%} of it."),
            lambda m: min(m["jump"]["share"] - 0.45, 0.45 - m["jump"]["early"],
                          m["jump"]["from"] - 2 * m["seeds"]["window"],
                          m["jump"]["before"] - 2 * m["jump"]["after"]), "one_layer"),
        Claim("in_context", T(
            "读过的东西主要在这一跳里变得有用：语境分先从 {in_context[start]:.2f} 到 "
            "{in_context[before]:.2f}，再一下到 {in_context[after]:.2f}。",
            "What has been read comes to pay mostly in this jump: the in-context score goes from "
            "{in_context[start]:.2f} to {in_context[before]:.2f}, then at once to "
            "{in_context[after]:.2f}."),
            lambda m: min(m["in_context"]["before"] - m["in_context"]["after"] - 1,
                          2 * m["in_context"]["before"] - m["in_context"]["after"]
                          - m["in_context"]["start"]), "one_layer"),
        Claim("band", T(
            "记录，{seeds[seeds]} 个种子：抄对一半的时刻都在第 {seeds[half][low]} 到 "
            "{seeds[half][high]} 步之间；最陡的 {seeds[window]} 步至少占整个降幅的 "
            "{seeds[share][low]:.0%}。",
            "Recorded, {seeds[seeds]} seeds: half of the copy is right for the first time "
            "between steps {seeds[half][low]} and {seeds[half][high]}; the steepest "
            "{seeds[window]} steps make at least {seeds[share][low]:.0%} of the fall."),
            lambda m: min(m["seeds"]["half"]["low"] - 50, 200 - m["seeds"]["half"]["high"],
                          m["seeds"]["share"]["low"] - 0.4), "one_layer",
            undefined=T("一层从没抄对过一半，没有那一步",
                        "one layer never copies half: no such step")),
        Claim("order_of_scores", T(
            "两种头在同一跳里长出来，可看匹配处的分数先过一半：{seeds[seeds]} 个种子里有 "
            "{seeds[matching_first]} 个，早 {seeds[gap][low]} 到 {seeds[gap][high]} 步。"
            "第一层看得还很糊，第二层就已经找得到了。",
            "Both kinds of head grow in the same jump, but prefix matching passes one half "
            "first: in {seeds[matching_first]} of {seeds[seeds]} seeds, by {seeds[gap][low]} to "
            "{seeds[gap][high]} steps. Layer two finds the match while layer one's look is "
            "still blurred."),
            lambda m: min(m["seeds"]["matching_first"] - 0.8 * m["seeds"]["seeds"],
                          100 - m["seeds"]["gap"]["high"], m["seeds"]["gap"]["low"] + 50),
            "one_layer",
            undefined=T("一层里两个分数没有都过一半",
                        "in one layer not both scores pass one half")),
        Claim("one_layer_stays", T(
            "一层办不到：记录，{one_layer[seeds]} 个种子，同样的设计只少一层，抄对 "
            "{one_layer[short][low]:.1%} 到 {one_layer[short][high]:.1%}；训练 "
            "{one_layer[times]} 倍的步数，也只有 {one_layer[long][low]:.1%} 到 "
            "{one_layer[long][high]:.1%}。",
            "One layer cannot: recorded, {one_layer[seeds]} seeds, the same design less one "
            "layer, {one_layer[short][low]:.1%} to {one_layer[short][high]:.1%} right; with "
            "{one_layer[times]} times the steps, {one_layer[long][low]:.1%} to "
            "{one_layer[long][high]:.1%}."),
            lambda m: min(0.3 - m["one_layer"]["short"]["high"],
                          0.36 - m["one_layer"]["long"]["high"],
                          m["one_layer"]["long"]["low"] - 0.1,
                          m["one_layer"]["short"]["low"] - 0.1), "two_for_one"),
    ),
    caveat=T(
        "文献里大模型的曲线先有一段平台，再一跳；这么小的网络没有真正的平台，损失一直在降，"
        "只是先慢后快。分数只说头看哪里；靠不靠它，第 4 部分才切。一层的数字只对这个设计成立："
        "RoPE，宽 {width}，{heads_each} 个头，{shortest} 到 {longest} 个名字。",
        "Larger models are reported to wait on a plateau before the jump; at this size there is "
        "no true plateau, the loss keeps falling, slowly and then fast. A score says where a "
        "head looks; whether that is needed is for the cuts of part 4. The one-layer figures "
        "belong to this design: RoPE, width {width}, {heads_each} heads, lists of {shortest} to "
        "{longest} names."),
    questions=(Question(
        T("两层注意力学着抄间隔不一的重复名单。抄写处的损失会怎样下降？",
          "Two layers of attention learn to copy lists repeated at varying distance. How does "
          "the loss on the copy fall?"),
        (Option(T("几乎是一条直线", "almost in a straight line"),
                lambda m: _shape(m, 0.0, 0.2),
                T("以为学习是匀速的。{seeds[window]} 步就占了降幅的 {jump[share]:.0%}。",
                  "expects steady learning. {seeds[window]} steps made {jump[share]:.0%} of the "
                  "fall.")),
         Option(T("一开始最快，越来越慢", "fastest at first, then ever slower"),
                lambda m: min(_shape(m, 0.2, 1.0), 26 - m["jump"]["from"]),
                T("把别处常见的曲线搬了过来。两层要互相配合，谁单独变好都没用，所以开头慢。",
                  "borrows the usual curve. Two layers must fit each other; neither pays alone, "
                  "so the start is slow.")),
         Option(T("先慢，再突然掉下去", "slowly, then a sudden drop"),
                lambda m: min(_shape(m, 0.4, 1.0), m["jump"]["from"] - 25)),
         Option(T("降到一半就停住", "it stops half way"),
                lambda m: m["now"]["two"]["loss"] - m["now"]["untrained"]["loss"] / 2,
                T("那是一层的样子：停在 {now[one][loss]:.2f}。",
                  "that is one layer, which stays at {now[one][loss]:.2f}.")))),),
    pins={"now.*": TRAINED, "history.*": RECORDED, "curve.*": RECORDED, "heads.*": RECORDED,
          "jump.*": RECORDED, "in_context.*": RECORDED, "seeds.*": RECORDED,
          "one_layer.*": RECORDED, "*": COUNT},
    notes=T(
        "约 8 分钟。先投票，再给曲线。让大家在表里指出：哪一列先动？争论点：为什么不是一点一点变"
        "好？"
        "（第一层写下左邻，要有第二层来读才有好处；反过来也一样。）导出网页可以看每一个头的曲线。",
        "About 8 minutes. Vote, then the curve. Let them find in the table which column moves "
        "first. The argument: why not little by little? (Writing down the left neighbour pays "
        "only when layer two reads it, and the other way round.) The exported page has a curve "
        "for every head."),
)
