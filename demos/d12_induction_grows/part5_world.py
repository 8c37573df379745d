"""12.5 In the country model: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d12_induction_grows.lesson import WORLD_CONTROLS, mix_in
from demos.d12_induction_grows.words import COUNT, RECORDED, TRAINED
from lecture.report import (
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
)


def show_world(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "国家模型的语料里没有一处重复，它也不会抄（演示 04）。现在往语料里掺名单：八到二十个名字"
        "说两遍，"
        "每次都是新的；占的比例越来越大，步数都是 {steps}。网络和国家模型一样，只把位置表换成 "
        "RoPE。"
        "抄写测试：{in_a_row} 个名字说两遍。",
        "Nothing repeats in the country model's corpus, and it does not copy (demo 04). Now "
        "lists are mixed in, eight to twenty names said twice, new ones every time, in growing "
        "shares; always {steps} steps. The network is the country model's with RoPE in place of "
        "its table of positions. Copy test: {in_a_row} names said twice."))
    yield Table(
        (Column(T("名单占", "lists are"), ".0%"), Column(T("种子", "seeds"), "d"),
         Column(T("会抄", "copy"), "d"), Column(T("最低", "lowest"), ".1%"),
         Column(T("最高", "highest"), ".1%"), Column(T("匹配分", "matching"), ".2f"),
         Column(T("前一个词", "previous"), ".2f"), Column(T("答对", "answers"), "d")),
        [[r[k] for k in ("share", "seeds", "copying", "lowest", "highest", "matching",
                         "previous", "right")] for r in m["shares"]],
        title=T("记录：名单在语料里的比例（按词数），抄对的比例；{questions} 道题",
                "Recorded: share of lists in the corpus, by words; share copied; {questions} "
                "questions"),
        legend=T("会抄：抄对一半以上的种子。分数取各种子最高的，答对取最少的。",
                 "Copy: seeds that copy more than half. Scores: the highest of all seeds; "
                 "answers: the fewest."))
    yield Table(
        (Column(T("现在量", "measured now")), Column(T("抄对", "copied"), ".1%"),
         Column(T("匹配分", "matching"), ".2f"), Column(T("答对", "answers"), "d")),
        [[T("国家模型", "the country model"), m["now"]["base"]["copied"],
          m["now"]["base"]["matching"], m["now"]["base"]["right"]],
         [T("也读过名单的", "the one that read lists too"), m["now"]["copies_too"]["copied"],
          m["now"]["copies_too"]["matching"], m["now"]["copies_too"]["right"]],
         [T("再切匹配分最高的头", "its best matching head cut"), m["cuts"]["matching"]["copied"],
          None, m["cuts"]["matching"]["right"]],
         [T("改切同层的另一个头", "that layer's other head cut"),
          m["cuts"]["neighbour"]["copied"], None, m["cuts"]["neighbour"]["right"]]])


PART = Part(
    number=5, key="world",
    title=T("在国家模型里", "In the country model"),
    compute=mix_in, describe=show_world, recipes=("base", "copies_too"),
    controls=WORLD_CONTROLS,
    claims=(
        Claim("needs_many", T(
            "一点点重复不够：名单占 {few[share]:.0%} 时，{few[seeds]} 个种子最多抄对 "
            "{few[highest]:.1%}；占到 {enough[share]:.0%}，{enough[seeds]} 个种子里有 "
            "{enough[copying]} 个抄对一半以上（最低 {enough[lowest]:.1%}，最高 "
            "{enough[highest]:.1%}）。",
            "A few repeats are not enough: with {few[share]:.0%} of lists the {few[seeds]} seeds "
            "copy at most {few[highest]:.1%}; with {enough[share]:.0%} {enough[copying]} of "
            "{enough[seeds]} seeds copy more than half (lowest {enough[lowest]:.1%}, highest "
            "{enough[highest]:.1%})."),
            lambda m: min(0.1 - m["few"]["highest"], m["few"]["share"] - 0.05,
                          m["enough"]["copying"] - 0.75 * m["enough"]["seeds"],
                          m["enough"]["share"] - m["few"]["share"],
                          m["enough"]["highest"] - m["few"]["highest"] - 0.4), "no_lists",
            undefined=T("没有名单，也就没有名单多的那一份", "without lists no corpus has many")),
        Claim("luck", T(
            "再多也不保证：占到 {most[share]:.0%}，{most[seeds]} 个种子里有 {most[copying]} 个抄对"
            "一半以上，最差的一个只抄对 {most[lowest]:.1%}。步数固定，跳得早不早也看运气。",
            "Even more is no guarantee: with {most[share]:.0%} of lists {most[copying]} of "
            "{most[seeds]} seeds copy more than half, and the worst copies {most[lowest]:.1%}. "
            "With the steps fixed, luck decides how early it jumps."),
            lambda m: min(m["most"]["copying"] - m["most"]["seeds"] / 2,
                          m["most"]["seeds"] - m["most"]["copying"] - 0.5,
                          0.5 - m["most"]["lowest"], m["most"]["share"] - m["few"]["share"]),
            "no_lists"),
        Claim("still_answers", T(
            "有 RoPE 的这个网络，学会抄，一题不丢：最好的种子抄对 {most[highest]:.1%}，而 "
            "{questions} 道题在所有比例、所有种子里最少也对 {fewest_right} 道。",
            "With RoPE, copying costs no answer: the best seed copies {most[highest]:.1%}, and "
            "in every share and seed at least {fewest_right} of {questions} questions are "
            "right."),
            lambda m: min(m["fewest_right"] - m["questions"] + 0.5,
                          m["most"]["highest"] - 0.8), "no_lists"),
        Claim("now", T(
            "现在量：没读过名单的抄对 {now[base][copied]:.1%}，读过的 "
            "{now[copies_too][copied]:.1%}；题都对，{now[base][right]} 和 "
            "{now[copies_too][right]} 道。",
            "Measured now: without lists {now[base][copied]:.1%} copied, with them "
            "{now[copies_too][copied]:.1%}; the answers are right in both, {now[base][right]} "
            "and {now[copies_too][right]}."),
            lambda m: min(0.05 - m["now"]["base"]["copied"],
                          m["now"]["copies_too"]["copied"] - 0.75,
                          m["now"]["base"]["right"] - m["questions"] + 0.5,
                          m["now"]["copies_too"]["right"] - m["questions"] + 0.5), "untrained"),
        Claim("cut", T(
            "答题不靠抄写要的那个头：切掉匹配分最高的 "
            "L{cuts[matching][layer]}H{cuts[matching][head]}，"
            "抄对掉到 {cuts[matching][copied]:.1%}，题还对 {cuts[matching][right]} 道；改切同层的"
            "另一个，L{cuts[neighbour][layer]}H{cuts[neighbour][head]}，还抄对 "
            "{cuts[neighbour][copied]:.1%}。",
            "Answers do not need the head that copying needs: cut L{cuts[matching][layer]}"
            "H{cuts[matching][head]}, the best at matching, and {cuts[matching][copied]:.1%} are "
            "copied while {cuts[matching][right]} answers stay right; cut the other head of that "
            "layer, L{cuts[neighbour][layer]}H{cuts[neighbour][head]}, and "
            "{cuts[neighbour][copied]:.1%} are copied."),
            lambda m: min(0.4 - m["cuts"]["matching"]["copied"],
                          m["cuts"]["matching"]["right"] - 0.75 * m["questions"],
                          m["cuts"]["neighbour"]["copied"] - 0.6), "wrong_head"),
    ),
    caveat=T(
        "多大比例才够，只对这个网络、这么多步成立。换回国家模型自己的位置表，占 "
        "{table_of_places[share]:.0%} 时抄对 {table_of_places[lowest]:.1%} 到 "
        "{table_of_places[highest]:.1%}，而且最差的种子只答对 {table_of_places[right]} 道题"
        "（记录，{table_of_places[seeds]} 个种子）。匹配分是看哪里；切掉说明要不要它。",
        "The share it takes belongs to this network and these steps. With the country model's "
        "own table of positions, {table_of_places[share]:.0%} of lists give "
        "{table_of_places[lowest]:.1%} to {table_of_places[highest]:.1%} copied, and the worst "
        "seed has {table_of_places[right]} answers right (recorded, {table_of_places[seeds]} "
        "seeds). The matching score says where it looks; the cut, whether that is needed."),
    questions=(Question(
        T("往国家模型的语料里掺“说两遍的名单”，训练 600 步。名单占多大比例，它才会抄？",
          "Lists said twice are mixed into the country model's corpus; six hundred steps. From "
          "which share of lists does it copy?"),
        (Option(T("百分之五就够", "five per cent will do"),
                lambda m: 0.07 - m["enough"]["share"],
                T("以为看见过就学得会。两层要同时配合，信号太稀就长不出来。",
                  "thinks seen is learned. Two layers must fit each other; a thin signal does "
                  "not grow them.")),
         Option(T("百分之十到二十", "ten to twenty per cent"),
                lambda m: min(m["enough"]["share"] - 0.07, 0.23 - m["enough"]["share"]),
                T("低估了门槛：占 {few[share]:.0%} 时还是不抄。",
                  "underrates the threshold: at {few[share]:.0%} it does not copy yet.")),
         Option(T("三成到五成", "thirty to fifty per cent"),
                lambda m: min(m["enough"]["share"] - 0.23, 0.52 - m["enough"]["share"]),
                None),
         Option(T("要全是名单才行", "only when nearly all are lists"),
                lambda m: m["enough"]["share"] - 0.52,
                T("以为学抄和学事实互相挤。两样可以一起学会。",
                  "expects copying and facts to crowd each other out. Both are learned "
                  "together.")))),),
    pins={"shares.*": RECORDED, "few.*": RECORDED, "enough.*": RECORDED, "most.*": RECORDED,
          "fewest_right": RECORDED,
          "table_of_places.*": RECORDED, "questions": COUNT, "in_a_row": COUNT, "steps": COUNT,
          "*.layer": COUNT, "*.head": COUNT, "*.right": COUNT, "*.hits": COUNT,
          "*.total": COUNT, "*": TRAINED},
    notes=T(
        "约 6 分钟。先投票，再给记录表，一行一行往下读。争论点：为什么不是慢慢变好，而是过了某个"
        "比例就会？"
        "（和第 1 部分的一跳是同一件事：步数固定，名单多，就等于走得更远。）",
        "About 6 minutes. Vote, then read the recorded table downwards. The argument: why not "
        "gradually, but from some share on? (It is the jump of part 1: with the steps fixed, "
        "more lists mean that it gets further.)"),
)
