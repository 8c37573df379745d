"""06.4 The open-book exam: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d06_masks.errata import ERRATA
from demos.d06_masks.lesson import BOOKS, EXAM_CONTROLS, open_book_exam
from demos.d06_masks.words import TRAINED
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
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
    exact,
)

BOOK_NAMES = {"closed_book": T("闭卷（因果掩码）", "closed book (causal)"),
              "open_book": T("开卷（不遮）", "open book (no mask)"),
              "chain": T("链本身", "the chain itself")}
SIDES = {"both": T("两边", "both sides"), "left": T("只有左边", "the left only"),
         "right": T("只有右边", "the right only")}


def show_exam(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一条马尔可夫链，{chain[states]} 个状态：从状态 s 走到 3 s 加一步（对 8 取余），"
        "八种步子的机会从 {chain[likeliest]:.0%} 到 {chain[rarest]:.0%}，一步的熵是 "
        "{chain[entropy]:.4f} 奈特；只凭过去，平均起来谁也猜不到更准。"
        "两个同样大小的 GPT（{parameters} 个参数）学猜下一个状态，"
        "只有一处不同：一个有因果掩码，一个没有。第三个没有掩码，学填被藏起来的状态。"
        "下面是 {walks} 条新抽的、长 {length} 的序列。",
        "A Markov chain of {chain[states]} states: from state s it goes to 3 s plus a step "
        "(modulo 8), the eight steps with chances from {chain[likeliest]:.0%} down to "
        "{chain[rarest]:.0%}. The entropy of a step is {chain[entropy]:.4f} nats: from the past "
        "alone nobody guesses better on average. Two GPTs of one size ({parameters} "
        "parameters) learn to say the next state; they differ in one thing: one has a causal "
        "mask, one has none. A third, without a mask, learns to fill in hidden states. Below: "
        "{walks} freshly drawn walks of length {length}."))
    rows: list[list[Any]] = [
        [BOOK_NAMES[b], m[b]["in_view"], m[b]["honest"], m[b]["writes"]["surprise"],
         m[b]["writes"]["repeats"]] for b in BOOKS]
    rows.append([BOOK_NAMES["chain"], m["chain"]["truth"], m["chain"]["truth"],
                 m["true"]["surprise"], m["true"]["repeats"]])
    yield Table(
        (Column(T("谁", "who")), Column(T("损失，整句都给", "loss, whole text given"), ".4f"),
         Column(T("损失，只给前文", "loss, prefix only"), ".4f"),
         Column(T("自己写：链有多意外", "own text: surprise to the chain"), ".4f"),
         Column(T("自己写：重复", "own text: repeats"), ".1%")),
        rows, title=T("猜下一个状态（奈特；瞎猜是 {chain[chance]:.4f}）",
                      "Saying the next state (nats; blind guessing is {chain[chance]:.4f})"))
    yield Table(
        (Column(T("谁写的", "who wrote it")), Column(T("序列", "the walk"))),
        [[BOOK_NAMES[name], text] for name, texts in (
            ("chain", m["true"]["texts"]), *((b, m[b]["writes"]["texts"]) for b in BOOKS))
         for text in texts],
        title=T("接着写：给第一个状态，自己写下去", "Writing: the first state given, then alone"))
    yield Table(
        (Column(T("看得见", "in view")), Column(T("填空的模型", "the model that fills in"), ".4f"),
         Column(T("能做到的最好", "the best there is"), ".4f")),
        [[SIDES["both"], m["hidden_words"]["both"], m["chain"]["truth_between"]],
         [SIDES["left"], m["hidden_words"]["left"], m["chain"]["truth_left"]],
         [SIDES["right"], m["hidden_words"]["right"], m["chain"]["truth_right"]]],
        title=T("藏起一个状态让它填：损失（奈特）",
                "One state hidden, to be filled in: loss (nats)"))
    yield Table(
        (Column(T("种子", "seed")), Column(T("闭卷", "closed book"), ".3f"),
         Column(T("开卷", "open book"), ".3f"), Column(T("填空，两边", "fill in, both"), ".3f"),
         Column(T("填空，左边", "fill in, left"), ".3f")),
        [[r["seed"], r["closed_book"], r["open_book"], r["both"], r["left"]]
         for r in m["record"]["rows"]],
        title=T("记录：从 {record[seeds]} 个种子各训练一遍（前两列只给前文）",
                "Recorded: trained from {record[seeds]} seeds (first two: prefix only)"))


PART = Part(
    number=4, key="exam",
    title=T("开卷考试", "The open-book exam"),
    compute=open_book_exam, describe=show_exam,
    recipes=("closed_book", "open_book", "hidden_words"),
    controls=EXAM_CONTROLS,
    claims=(
        Claim("closed_book_learns_the_chain", T(
            "闭卷的模型只给前文时损失 {closed_book[honest]:.4f}，链本身在这些序列上是 "
            "{chain[truth]:.4f}：能学的都学到了。",
            "From the prefix the closed-book model reaches {closed_book[honest]:.4f}; the chain "
            "itself, on these walks, {chain[truth]:.4f}: it has learned all there is."),
            lambda m: 0.05 - abs(m["closed_book"]["honest"] - m["chain"]["truth"]), "mask_off"),
        Claim("open_book_copies", T(
            "开卷的模型整句都给时损失 {open_book[in_view]:.4f}，比链的熵 {chain[entropy]:.4f} "
            "还低：这不可能是猜的，是看的。",
            "With the whole text given the open-book model reaches {open_book[in_view]:.4f}, "
            "below the chain's entropy {chain[entropy]:.4f}: that cannot be guessing, it is "
            "reading."),
            lambda m: min(0.01 - m["open_book"]["in_view"],
                          m["chain"]["entropy"] / 2 - m["open_book"]["in_view"]), "mask_on"),
        Claim("it_reads_the_next_place", T(
            "看的就是右边那一格：切断每个词到下一格的连线，损失变成 {cut[answer]:.2f}；"
            "改切到再下一格的，还是 {cut[other]:.4f}。",
            "What it reads is the next place: cut every link from a word to the place after it "
            "and the loss becomes {cut[answer]:.2f}; cut the links to the place after that "
            "instead and it stays at {cut[other]:.4f}."),
            lambda m: min(m["cut"]["answer"] - m["chain"]["chance"], 0.01 - m["cut"]["other"]),
            "mask_on"),
        Claim("worse_than_guessing", T(
            "只给前文，开卷的损失是 {open_book[honest]:.2f}，比瞎猜的 {chain[chance]:.2f} 还差。",
            "From the prefix alone the open-book model's loss is {open_book[honest]:.2f}, worse "
            "than blind guessing, {chain[chance]:.2f}."),
            lambda m: m["open_book"]["honest"] - m["chain"]["chance"], "mask_on"),
        Claim("its_writing_collapses", T(
            "自己写，它 {open_book[writes][repeats]:.0%} 的步子是把上一个再说一遍（链只有 "
            "{true[repeats]:.0%}）；链读它写的，每步意外 {open_book[writes][surprise]:.2f}，"
            "读闭卷写的是 {closed_book[writes][surprise]:.2f}。",
            "Writing alone, {open_book[writes][repeats]:.0%} of its steps say the last state "
            "again (the chain: {true[repeats]:.0%}). To the chain each of its steps is a "
            "surprise of {open_book[writes][surprise]:.2f}, of the closed-book model's "
            "{closed_book[writes][surprise]:.2f}."),
            lambda m: min(m["open_book"]["writes"]["repeats"] - 0.9,
                          0.5 - m["true"]["repeats"],
                          m["open_book"]["writes"]["surprise"]
                          - m["closed_book"]["writes"]["surprise"] - 1), "mask_on"),
        Claim("both_ways_is_right_when_hidden", T(
            "看两边本身没有错：答案藏起来，填空的模型两边都看时损失 {hidden_words[both]:.3f}，"
            "只看左边 {hidden_words[left]:.3f}，只看右边 {hidden_words[right]:.3f}；"
            "最好的是 {chain[truth_between]:.3f}。",
            "Looking both ways is no fault in itself: with the answer hidden, the model that fills "
            "in reaches {hidden_words[both]:.3f} with both sides, {hidden_words[left]:.3f} with "
            "the left and {hidden_words[right]:.3f} with the right only; the best there is is "
            "{chain[truth_between]:.3f}."),
            lambda m: min(m["hidden_words"]["left"] - m["hidden_words"]["both"] - 0.2,
                          m["hidden_words"]["right"] - m["hidden_words"]["both"] - 0.2,
                          0.1 - abs(m["hidden_words"]["both"] - m["chain"]["truth_between"])),
            "one_side"),
        Claim("the_fault_is_the_answer", T(
            "它也没有掩码，只给左边却几乎和链一样准（{hidden_words[left]:.3f}，链 "
            "{chain[truth_left]:.3f}），开卷的是 {open_book[honest]:.2f}。"
            "错不在看两边，在看见答案。",
            "It has no mask either, yet from the left alone it nearly equals the chain "
            "({hidden_words[left]:.3f} against {chain[truth_left]:.3f}); the open-book model "
            "has {open_book[honest]:.2f}. The fault is not looking both ways, it is seeing the "
            "answer."),
            lambda m: min(0.1 - abs(m["hidden_words"]["left"] - m["chain"]["truth_left"]),
                          m["open_book"]["honest"] - m["hidden_words"]["left"] - 1), "mask_on"),
        Claim("record", T(
            "记录，{record[seeds]} 个种子：开卷比瞎猜还差的 {record[copiers]} 个（最低 "
            "{record[lowest_open]:.2f}），闭卷最高 {record[highest_closed]:.3f}；"
            "填空看两边比只看左边好的 {record[helped]} 个。",
            "Recorded, {record[seeds]} seeds: open book worse than guessing in "
            "{record[copiers]} (lowest {record[lowest_open]:.2f}), closed book at most "
            "{record[highest_closed]:.3f}; filling in is better with both sides than with the "
            "left in {record[helped]}."),
            lambda m: min(m["record"]["copiers"] - 0.7 * m["record"]["seeds"],
                          m["record"]["helped"] - 0.7 * m["record"]["seeds"],
                          m["record"]["lowest_open"] - m["record"]["highest_closed"]),
            "mask_on"),
        Claim("a_cache_is_no_mask", T(
            "关掉缓存不等于拿掉掩码：闭卷的模型用不用缓存，输出差 {switch[cache]:.1g<1e-12}；"
            "换掉后半句，前半句的输出动 {switch[later]:g}。",
            "Switching a cache off takes no mask away: with or without one, the difference of the "
            "closed-book model's scores is {switch[cache]:.1g<1e-12}; change the second half of a "
            "text and those of the first half move by {switch[later]:g}."),
            lambda m: min(1e-10 - m["switch"]["cache"], 1e-300 - m["switch"]["later"]),
            "mask_off"),
    ),
    caveat=T(
        "链只记得上一个状态，所以这里看不出长距离的好坏。"
        "BERT 一类模型藏起一部分词来训练，正是第三种；"
        "切断连线说明这条线少不得，不说明模型只靠它。",
        "The chain remembers one state only, so nothing here is about long distances. Models like "
        "BERT are trained the third way, with part of the words hidden; a cut shows that a link "
        "is needed, not that it is all the model uses."),
    questions=(Question(
        T("训练时能看见答案的“开卷”模型，训练损失几乎是零；“闭卷”的停在链的熵。"
          "现在只给前文，猜下一个，谁更好？",
          "The “open-book” model saw the answers in training, and its training loss is almost "
          "zero; the “closed-book” one stays at the chain's entropy. Now only the prefix is "
          "given: who predicts better?"),
        (Option(T("开卷的", "the open-book model"),
                lambda m: m["closed_book"]["honest"] - m["open_book"]["honest"] - 0.1,
                T("以为训练损失低就是模型好。低，是因为答案就在眼前。",
                  "takes a lower training loss for a better model. It is low because the answer "
                  "is in view.")),
         Option(T("一样", "they are equal"),
                lambda m: 0.1 - abs(m["closed_book"]["honest"] - m["open_book"]["honest"]),
                T("以为它顺便也学会了链。抄就够了，别的没有理由去学。",
                  "expects it to have learned the chain as well. Copying was enough; nothing "
                  "rewarded more.")),
         Option(T("开卷的比闭卷差，但比瞎猜好", "open book is worse, but better than guessing"),
                lambda m: min(m["open_book"]["honest"] - m["closed_book"]["honest"] - 0.1,
                              m["chain"]["chance"] - m["open_book"]["honest"]),
                T("以为不会的就会犹豫。它很有把握地说错：损失没有上限。",
                  "expects ignorance to be cautious. It is wrong with confidence, and the loss "
                  "has no ceiling.")),
         Option(T("开卷的比瞎猜还差", "open book is worse than guessing"),
                lambda m: m["open_book"]["honest"] - m["chain"]["chance"]))),),
    pins={"record.*": exact("read from a record"), "*.texts.*": exact("walks as words"),
          "switch.later": exact("a true zero"), "switch.cache": ROUNDING,
          "asked.*": exact("counts"), "walks": exact("a count"), "length": exact("a count"),
          "parameters": exact("a count"), "chain.*": ARITHMETIC, "true.*": ARITHMETIC,
          "*.writes.*": TRAINED, "*": TRAINED},
    errata=ERRATA["exam"],
    notes=T(
        "约 10 分钟，本讲的高潮。先投票，再给第一张表，停一停，再给它自己写的序列：全场会笑。"
        "争论点：BERT 也看两边，为什么没事？（要猜的词藏起来了。）推理时还要不要掩码？"
        "试试 --seed 1 换一批序列，lecture train open_book --seed 1 重训一个。",
        "About 10 minutes, the high point. Vote, show the first table, pause, then what it writes: "
        "the room will laugh. The argument: BERT looks both ways too, why is that all right? (What "
        "it must guess is hidden.) Is the mask needed when the model writes? Try --seed 1 for "
        "other walks, lecture train open_book --seed 1 for another training."),
)
