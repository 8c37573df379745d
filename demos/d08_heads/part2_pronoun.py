"""08.2 What it stands for: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d08_heads.errata import ERRATA
from demos.d08_heads.lesson import PRONOUN_CONTROLS, resolve_it
from demos.d08_heads.words import RECORDED, TRAINED
from lecture.report import (
    ROUNDING,
    Block,
    Claim,
    Column,
    HeatMap,
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

PLACES = {"meant": T("它指的名词", "the noun meant"), "other": T("另一个名词", "the other noun"),
          "reason": T("形容词", "the adjective"), "elsewhere": T("随机一个别的词", "a drawn word")}


def show_it(m: Metrics) -> Iterator[Block]:
    see, late = m["nets"]["pronoun"], m["nets"]["pronoun_causal"]
    yield Paragraph(T(
        "一个小世界：the cat sat on the mat because it was tired。动物和东西各 {animals} 个，"
        "两种语序；"
        "形容词只配得上其中一个。第一个网络看得见整句（一层、两个头、没有 MLP），"
        "要在 it 这个位置说出"
        "它指谁。第二个只看前文（两层），句末加一个问号，在那里回答。",
        "A small world: the cat sat on the mat because it was tired. {animals} animals, as many "
        "things, two word orders; the adjective fits one of the two nouns. The first network "
        "sees the whole sentence (one layer, two heads, no MLP) and answers at it. The second "
        "sees only what came before (two layers); a question mark follows, and it answers "
        "there."))
    yield HeatMap(
        [[row[i] for shown in m["shown"] for row in shown["row"]]
         for i in range(len(m["words"]))],
        [*m["words"][:-1], "tired / soft"],
        [T("猫累一", "tired I"), T("猫累二", "tired II"), T("垫软一", "soft I"),
         T("垫软二", "soft II")],
        title=T("看得见整句的网络：it 看哪里（两句话，各两个头）",
                "The network that sees it all: where it looks (two sentences, two heads)"),
        legend=T("它说 it 是：{shown[0][reason]} → {shown[0][it]}，{shown[1][reason]} → "
                 "{shown[1][it]}。分数只由这两个词决定：换形容词，前面各词的分数变 "
                 "{score_moved:.0f}，变的是 softmax 之后的权重。",
                 "It says it is: {shown[0][reason]} → {shown[0][it]}, {shown[1][reason]} → "
                 "{shown[1][it]}. A score depends on its two words only: change the adjective "
                 "and the scores of the words before move by {score_moved:.0f}; what moves is "
                 "the weights after softmax."))
    yield Table(
        (Column(T("不许 it 看", "it may not see")), Column(T("整句：权重", "all: weight"), ".2f"),
         Column(T("切后答对", "right, cut"), ".1%"), Column(T("前文：权重", "past: weight"), ".2f"),
         Column(T("切后答对", "right, cut"), ".1%")),
        [[name, see["looks"][k], see["cut"][k], late["looks"][k], late["cut"][k]]
         for k, name in PLACES.items()],
        title=T("从 it 切一条边（每个头、每一层）", "Cut one edge from it (every head and layer)"),
        legend=T("不切：整句 {nets[pronoun][whole]:.1%}，前文 {nets[pronoun_causal][whole]:.1%}。"
                 "权重是各头、各层的平均；{sentences} 句。",
                 "No cut: {nets[pronoun][whole]:.1%} and {nets[pronoun_causal][whole]:.1%}. "
                 "Weights are means over heads and layers; {sentences} sentences."))
    yield Table(
        (Column(T("看得见整句的网络", "the network that sees it all")),
         Column(T("答对", "right"), ".1%")),
        [[T("不许看形容词", "may not look at the adjective"), see["cut"]["reason"]],
         [T("照看，但取回的是零", "looks, but fetches zero there"), see["mute"]],
         [T("不许看形容词和另一个名词", "may look at neither adjective nor other noun"),
          see["cut"]["reason_and_other"]]],
        title=T("形容词给了它什么？", "What does the adjective give it?"))
    yield Table(
        (Column(T("看得见整句的网络", "the network that sees it all")),
         Column(T("it 是动物", "it is an animal"), ".1%"),
         Column(T("it 是东西", "it is a thing"), ".1%")),
        [[T("切动物的头", "cut the animals' head"),
          *(see["zeroed"]["animals_head"][k] for k in ("animals", "things"))],
         [T("切东西的头", "cut the things' head"),
          *(see["zeroed"]["things_head"][k] for k in ("animals", "things"))]],
        title=T("切掉一个头，答对的比例", "Cut one head: share right"),
        legend=T("随机置零一半取回的数：{nets[pronoun][half]:.1%}。管动物的是第 "
                 "{nets[pronoun][animals_head]} 个头。",
                 "A random half of what is fetched zeroed: {nets[pronoun][half]:.1%}. The "
                 "animals' head is number {nets[pronoun][animals_head]}."))
    yield Table(
        (Column(T("只看前文的网络", "the network that sees the past")),
         Column(T("答对", "right"), ".1%")),
        [[T("it 看不见两个名词", "it may not see the nouns"), late["cut"]["nouns"]],
         [T("形容词看不见两个名词", "the adjective may not see them"),
          late["cut"]["reason_nouns"]],
         [T("问号看不见两个名词", "the question mark may not see them"),
          late["cut"]["last_nouns"]]],
        title=T("谁在找名词？", "Who looks for the noun?"))


PART = Part(
    number=2, key="pronoun",
    title=T("it 指的是谁", "What it stands for"),
    compute=resolve_it, describe=show_it, recipes=("pronoun", "pronoun_causal"),
    controls=PRONOUN_CONTROLS,
    claims=(
        Claim("the_edge_is_needed", T(
            "看得见整句时，it 把 {nets[pronoun][looks][meant]:.2f} 给它指的名词，另一个只有 "
            "{nets[pronoun][looks][other]:.2f}。切断前一条边只剩 "
            "{nets[pronoun][cut][meant]:.1%}，切断后一条还有 {nets[pronoun][cut][other]:.1%}；"
            "{trainings} 次训练有 {nets[pronoun][record][meant]}、{nets[pronoun][record][other]} "
            "次如此。",
            "Where all is visible, it gives {nets[pronoun][looks][meant]:.2f} to the noun it "
            "means and {nets[pronoun][looks][other]:.2f} to the other. Cut the first edge and "
            "{nets[pronoun][cut][meant]:.1%} is left; cut the other and "
            "{nets[pronoun][cut][other]:.1%} stays: so in {nets[pronoun][record][meant]} and "
            "{nets[pronoun][record][other]} of {trainings} trainings."),
            lambda m: min(m["nets"]["pronoun"]["looks"]["meant"] - 0.3,
                          0.1 - m["nets"]["pronoun"]["looks"]["other"],
                          0.3 - m["nets"]["pronoun"]["cut"]["meant"],
                          m["nets"]["pronoun"]["cut"]["other"] - 0.95,
                          min(m["nets"]["pronoun"]["record"]["meant"],
                              m["nets"]["pronoun"]["record"]["other"])
                          - 0.8 * m["trainings"] + 0.01), "uncut"),
        Claim("a_place_to_rest", T(
            "另一个头把 {nets[pronoun][rest]:.2f} 放在形容词上。不许看它，只剩 "
            "{nets[pronoun][cut][reason]:.1%}；照看而取回零，还有 {nets[pronoun][mute]:.1%}。"
            "它不是去取内容的，是借此不看另一个名词：两个都不许看，又是 "
            "{nets[pronoun][cut][reason_and_other]:.1%}。{trainings} 次训练有 "
            "{nets[pronoun][record][rest]} 次这样歇着，{nets[pronoun][record][mute]} 次不取内容。",
            "The other head puts {nets[pronoun][rest]:.2f} on the adjective. Forbid the look and "
            "{nets[pronoun][cut][reason]:.1%} is left; let it look and fetch zero, and "
            "{nets[pronoun][mute]:.1%} stays. It is not there for content but to keep off the "
            "other noun: forbid both and it is {nets[pronoun][cut][reason_and_other]:.1%} again. "
            "Of {trainings} trainings {nets[pronoun][record][rest]} rest there and "
            "{nets[pronoun][record][mute]} fetch nothing they need."),
            lambda m: min(m["nets"]["pronoun"]["rest"] - 0.8,
                          0.7 - m["nets"]["pronoun"]["cut"]["reason"],
                          m["nets"]["pronoun"]["mute"] - 0.95,
                          m["nets"]["pronoun"]["cut"]["reason_and_other"] - 0.95,
                          min(m["nets"]["pronoun"]["record"]["rest"],
                              m["nets"]["pronoun"]["record"]["mute"],
                              m["nets"]["pronoun"]["record"]["reason"])
                          - 0.8 * m["trainings"] + 0.01), "uncut"),
        Claim("one_head_for_each_kind", T(
            "一个头管动物，一个头管东西：切掉前者，动物剩 "
            "{nets[pronoun][zeroed][animals_head][animals]:.1%}，东西 "
            "{nets[pronoun][zeroed][animals_head][things]:.1%}；切掉后者，动物 "
            "{nets[pronoun][zeroed][things_head][animals]:.1%}，东西 "
            "{nets[pronoun][zeroed][things_head][things]:.1%}。{trainings} 次训练有 "
            "{nets[pronoun][record][apart]} 次这样。",
            "One head is for animals, one for things: without the first, animals fall to "
            "{nets[pronoun][zeroed][animals_head][animals]:.1%} and things stay at "
            "{nets[pronoun][zeroed][animals_head][things]:.1%}; without the second it is "
            "{nets[pronoun][zeroed][things_head][animals]:.1%} and "
            "{nets[pronoun][zeroed][things_head][things]:.1%}. So in "
            "{nets[pronoun][record][apart]} of {trainings} trainings."),
            lambda m: min(0.4 - m["nets"]["pronoun"]["zeroed"]["animals_head"]["animals"],
                          0.4 - m["nets"]["pronoun"]["zeroed"]["things_head"]["things"],
                          m["nets"]["pronoun"]["zeroed"]["animals_head"]["things"] - 0.9,
                          m["nets"]["pronoun"]["zeroed"]["things_head"]["animals"] - 0.9,
                          m["nets"]["pronoun"]["record"]["apart"] - 0.8 * m["trainings"] + 0.01),
            "untrained"),
        Claim("the_past_cannot_see_the_reason", T(
            "只看前文的网络里，it 给形容词的权重正好是 {nets[pronoun_causal][reason_seen]:.0f}："
            "它在右边。两个名词 it 照看，有的头多到 {nets[pronoun_causal][largest]:.2f}，可是把这些"
            "边全切断，仍答对 {nets[pronoun_causal][cut][nouns]:.1%}（{trainings} 次训练有 "
            "{nets[pronoun_causal][record][nouns]} 次过关）。",
            "In the network that sees the past, it gives the adjective exactly "
            "{nets[pronoun_causal][reason_seen]:.0f}: that word is to the right. It does look at "
            "the nouns, with as much as {nets[pronoun_causal][largest]:.2f} in some head; yet "
            "cut all these edges and {nets[pronoun_causal][cut][nouns]:.1%} stays right "
            "({nets[pronoun_causal][record][nouns]} of {trainings} trainings)."),
            lambda m: min(1e-12 - m["nets"]["pronoun_causal"]["reason_seen"],
                          m["nets"]["pronoun_causal"]["largest"] - 0.3,
                          m["nets"]["pronoun_causal"]["cut"]["nouns"] - 0.95,
                          m["nets"]["pronoun_causal"]["record"]["nouns"]
                          - 0.8 * m["trainings"] + 0.01), "sees_all"),
        Claim("the_last_word_does_the_work", T(
            "找名词的是看得见理由的词：不许形容词看两个名词，只剩 "
            "{nets[pronoun_causal][cut][reason_nouns]:.1%}（{trainings} 次训练有 "
            "{nets[pronoun_causal][record][late]} 次这样掉下来）。",
            "The noun is found where the reason is known: forbid the adjective to see the nouns "
            "and {nets[pronoun_causal][cut][reason_nouns]:.1%} is left "
            "({nets[pronoun_causal][record][late]} of {trainings} trainings fall like this)."),
            lambda m: min(0.7 - m["nets"]["pronoun_causal"]["cut"]["reason_nouns"],
                          m["nets"]["pronoun_causal"]["record"]["late"]
                          - 0.8 * m["trainings"] + 0.01), "sees_all"),
    ),
    caveat=T(
        "这个世界只有一条规则，网络小到可以查清楚。大模型里 it 怎样处理，这里没有测。在名词那两条边"
        "上，权重图和切边在第一个网络里说法一致，在第二个网络里不一致：所以要切。",
        "This world has one rule, and the networks are small enough to be searched. What a large "
        "model does with it is not measured here. On the edges to the nouns, map and cuts "
        "agree in the first network and disagree in the second: hence the cuts."),
    questions=(
        Question(
            T("看得见整句的网络里，一个头在 it 处几乎全看 tired。让它照看，但把取回的换成零。"
              "答对的比例？",
              "Where all is visible, one head at it looks almost only at tired. Let it look, but "
              "replace what it fetches by zero. Share right?"),
            (Option(T("掉到瞎猜", "falls to guessing"),
                    lambda m: 0.3 - m["nets"]["pronoun"]["mute"],
                    T("以为权重大就是内容要紧。", "takes a large weight for needed content.")),
             Option(T("掉到一半：分不清指谁", "falls to one half: it cannot tell which"),
                    lambda m: 0.2 - abs(m["nets"]["pronoun"]["mute"] - 0.5),
                    T("以为理由是靠值传过来的。不许看才会掉到一半。",
                      "thinks the reason travels in the value. One half is what is left when "
                      "the look itself is forbidden.")),
             Option(T("不变", "stays"), lambda m: m["nets"]["pronoun"]["mute"] - 0.95))),
        Question(
            T("只看前文的网络，句末回答。把 it 到两个名词的边全切断，答对的比例？",
              "The network that sees the past answers at the end. Cut every edge from it to both "
              "nouns. Share right?"),
            (Option(T("不变", "stays"),
                    lambda m: m["nets"]["pronoun_causal"]["cut"]["nouns"] - 0.95),
             Option(T("掉到一半", "falls to one half"),
                    lambda m: 0.2 - abs(m["nets"]["pronoun_causal"]["cut"]["nouns"] - 0.5),
                    T("以为代词的事就在代词那里解决。那时理由还没出现。",
                      "thinks a pronoun is resolved at the pronoun. The reason has not come "
                      "yet.")),
             Option(T("掉到瞎猜", "falls to guessing"),
                    lambda m: 0.3 - m["nets"]["pronoun_causal"]["cut"]["nouns"],
                    T("以为名词只经过 it 传到后面。", "thinks the noun reaches the end only "
                                                "through it.")))),
    ),
    pins={"nets.*.record.*": RECORDED, "words.*": exact("words"), "shown.*.reason": exact("words"),
          "shown.*.it": exact("the answers"), "noted.words.*": exact("words"),
          "noted.*": exact("copied from the notes"), "trainings": RECORDED,
          "sentences": RECORDED, "animals": RECORDED, "score_moved": ROUNDING,
          "nets.*.reason_seen": TRAINED,
          "shown.*.row.*": close("shipped weights: a weight may be tiny", 1e-6, 1e-12),
          "*": TRAINED},
    errata=ERRATA["pronoun"],
    notes=T(
        "约 10 分钟，两次投票。先放讲义那一行，问：加起来是多少？it 怎么能看到右边？再看我们的图，"
        "看上去就是讲义的意思。然后切。两个意外：看 tired 的头什么也没取；只看前文的网络里，"
        "it 看名词"
        "而毫无用处。",
        "About 10 minutes, two votes. Begin with the notes' row: what does it sum to, and how "
        "can it see to its right? Then our map, which looks like what the notes meant. Then "
        "cut. Two surprises: the head that looks at tired fetches nothing, and in the network "
        "that sees the past, it looks at the nouns for nothing."),
)
