"""06.4 The open-book exam: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d06_masks.errata import ERRATA
from demos.d06_masks.lesson import EXAM_CONTROLS, SIDES, open_book_exam
from demos.d06_masks.words import TRAINED
from lecture.margins import above, at_least, below, both, equal, near
from lecture.quantities import Across, Named, Rows
from lecture.report import (
    ARITHMETIC,
    ROUNDING,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

QUANTITIES = {
    "record.rows.*.seed": Quantity(T("种子", "seed"), "d"),
    "record.rows.*.closed_book": Quantity(T("闭卷", "closed book"), ".3f"),
    "record.rows.*.open_book": Quantity(T("开卷", "open book"), ".2f"),
    "record.rows.*.hidden_words": Quantity(T("填空，两边", "fill in, both"), ".3f"),
    "record.rows.*.seen_words": Quantity(T("对照，两边", "control, both"), ".2f"),
    "record.place": Quantity(T("第几", "place"), "d"),
    "record.shown": Quantity(T("种子", "seed"), "d"),
    "record.seeds": Quantity(T("种子", "seeds"), "d"),
    "record.copiers": Quantity(T("种子", "seeds"), "d"),
    "record.highest_*": Quantity(T("最高", "highest"), ".3f"),
    "record.*": Quantity(T("最低", "lowest"), ".2f"),
    "*_book.honest": Quantity(T("只给前文", "prefix only"), ".4f"),
    "*_book.in_view": Quantity(T("整句都给", "whole text"), ".4f<1e-4"),
    "*_book.in_noise": Quantity(T("整句随机", "random text"), ".4f<1e-4"),
    "*_book.writes.repeats": Quantity(T("重复上一个", "repeats"), ".1%"),
    "*_book.writes.text": Quantity(T("自己写", "writes")),
    "chain.best.*": Quantity(T("最好能做到（精确）", "the best there is, exactly"), ".3f"),
    "hidden_words.*": Quantity(T("填空：答案藏着，学说它", "fills in: learned to say the hidden"),
                               ".3f"),
    "seen_words.*": Quantity(T("对照：只学说看得见的（记录）", "control: learned the seen (REC)"),
                             ".2f"),
    "hiding.*.weight": Quantity(T("别处给它的权重", "others look at it"), ".3f"),
    "hiding.*.itself": Quantity(T("这一格的输出变", "its own output"), ".2f"),
    "hiding.*.elsewhere": Quantity(T("别处的输出变", "other outputs"), ".2f"),
    "chain.states": Quantity(T("状态", "states"), "d"),
    "chain.example.*": Quantity(T("状态", "state"), "d"),
    "chain.likeliest": Quantity(T("机会", "chance"), ".0%"),
    "chain.rarest": Quantity(T("机会", "chance"), ".0%"),
    "chain.repeats": Quantity(T("重复", "repeats"), ".1%"),
    "chain.*": Quantity(T("奈特", "nats"), ".4f"),
    "switch.*": Quantity(T("变", "change"), ".1g<1e-12"),
    "walks": Quantity(T("条", "walks"), "d"), "length": Quantity(T("长", "length"), "d"),
    "parameters": Quantity(T("参数", "parameters"), ",d"),
    "contexts": Quantity(T("处", "places"), "d"),
}
NAMES = {
    "closed_book": T("闭卷：因果掩码", "closed: causal"),
    "open_book": T("开卷：不遮", "open: no mask"),
    **{f"chain.best.{side}": name for side, name in zip(
        SIDES, (T("给两边", "both sides"), T("只给左边", "left only"),
                T("只给右边", "right only")), strict=True)},
    "hiding.shown": T("不藏", "not hidden"),
    "hiding.token": T("换成 [MASK] 词元", "mask token in its place"),
    "hiding.mask": T("注意力掩码：谁也不许看它", "attention mask: nobody may look"),
}
LEAD = (Paragraph(T(
    "一条马尔可夫链，{chain.states} 个状态：从 s 走到 3s 加一步，除以 {chain.states} 取余。例：在 "
    "{chain.example.state}，{chain.likeliest} 走到 {chain.example.next}（{chain.example.sum} 的余"
    "数），最少见的一步 {chain.rarest}。只凭过去，谁的平均损失也低不过熵 {chain.entropy} 奈特；瞎"
    "猜是 {chain.chance}。两个同样的小 GPT（{parameters} 个参数）学说下一个状态，只差一张因果掩"
    "码。",
    "A Markov chain of {chain.states} states: from s to 3s plus a step, the remainder by "
    "{chain.states}. Example: at {chain.example.state}, with {chain.likeliest} on to "
    "{chain.example.next}, the remainder of {chain.example.sum}; the rarest step has "
    "{chain.rarest}. From the past alone no mean loss is below the entropy, {chain.entropy} "
    "nats; blind guessing has {chain.chance}. Two equal GPTs ({parameters} parameters) learn "
    "to say the next state; one has a causal mask, one none.")),)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(("closed_book", "open_book"),
               ("in_view", "in_noise", "honest", "writes.repeats", "writes.text"),
               head=T("损失（奈特）", "loss (nats)"),
               legend=T("{walks} 条新序列，长 {length}；“整句随机”的没有规律。“只给前文”按链的机会"
                        "平均，不靠抽样。",
                        "{walks} new walks of length {length}; a random text has no rule. "
                        "“Prefix only”: averaged over the chain's chances, not drawn."))
    yield Across(("chain.best", "hidden_words", "seen_words"), SIDES,
                 head=T("藏起一个状态，说出它", "a state is hidden, to be said"),
                 legend=T("后两行都不遮，输入一样（随机藏起一些），只是训练时问的格不同。",
                          "The last two have no mask and the same input, some states hidden; "
                          "they were asked about different places."))
    yield Rows("hiding.*", ("weight", "itself", "elsewhere"), more=True,
               head=T("填空的模型，一格", "the model that fills in"),
               title=T("换掉那一格的状态，输出变多少", "Its state exchanged: how far outputs move"))
    yield Rows("record.rows.*", ("closed_book", "open_book", "hidden_words", "seen_words"),
               head=T("种子", "seed"), label="seed", more=True,
               title=T("记录：从 {record.seeds} 个种子各训练一遍（前两列只给前文）",
                       "Recorded: trained from {record.seeds} seeds (first two: prefix only)"))


PART = Part(
    number=4, key="exam",
    title=T("开卷考试", "The open-book exam"),
    compute=open_book_exam, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    recipes=("closed_book", "open_book", "hidden_words"),
    controls=EXAM_CONTROLS,
    claims=(
        Claim("open_book_copies", T(
            "整句都给，开卷的损失 {open_book.in_view}，低过熵；状态全随机，谁也猜不出，也只有 "
            "{open_book.in_noise}（闭卷 {closed_book.in_noise}）：它不猜，它看右边那一格。",
            "With the whole text open book has {open_book.in_view}, below the entropy; on random "
            "states, which nobody can guess, {open_book.in_noise} (closed: "
            "{closed_book.in_noise}): it does not guess, it reads the next place."),
            lambda m: both(below(m.open_book.in_view, m.chain.entropy / 10),
                           below(m.open_book.in_noise, m.chain.chance / 10),
                           above(m.closed_book.in_noise, m.chain.chance)), "mask_on"),
        Claim("its_writing_collapses", T(
            "自己写，右边还没有字：{open_book.writes.repeats} 的步子是上一个再说一遍；链自己只有 "
            "{chain.repeats}。",
            "Writing alone there is no next place yet: {open_book.writes.repeats} of its steps "
            "say the last state again; the chain's own, {chain.repeats}."),
            lambda m: both(above(m.open_book.writes.repeats, 0.9), below(m.chain.repeats, 0.5)),
            "mask_on"),
        Claim("the_fault_is_the_answer", T(
            "看两边不是错：填空的也不遮，藏起一格，两边都看，是 {hidden_words.both}（最好 "
            "{chain.best.both}）。错在看见答案：输入一样，只学说看得见的格，藏起来就是 "
            "{seen_words.both}，不如瞎猜。",
            "To look both ways is no fault: the one that fills in has no mask either, and "
            "reaches {hidden_words.both} (best: {chain.best.both}). To see the answer is: same "
            "input, but asked about what can be seen, it has {seen_words.both} for the hidden, "
            "worse than guessing."),
            lambda m: both(near(m.hidden_words.both, m.chain.best.both, 0.1),
                           above(m.seen_words.both, m.chain.chance),
                           above(m.record.lowest_seen, m.chain.chance)), "asked_seen"),
        Claim("both_sides_beat_one", T(
            "藏起一个，给两边 {hidden_words.both}，只给左边 {hidden_words.left}，只给右边 "
            "{hidden_words.right}。链的左右一样有用：都是 {chain.best.left:.4f}。",
            "With one hidden, both sides give {hidden_words.both}, the left alone "
            "{hidden_words.left}, the right alone {hidden_words.right}. The two sides of this "
            "chain are worth the same: {chain.best.left:.4f}."),
            lambda m: both(above(m.hidden_words.left, m.hidden_words.both + 0.2),
                           above(m.hidden_words.right, m.hidden_words.both + 0.2),
                           near(m.chain.best.left, m.chain.best.right, 1e-9)),
            "one_side", more=True),
        Claim("closed_book_learns_the_chain", T(
            "闭卷只给前文，{closed_book.honest:.4f}；熵是 {chain.entropy}：能学的差不多都学到了。",
            "From the prefix closed book has {closed_book.honest:.4f}, the entropy is "
            "{chain.entropy}: it has learned nearly all there is."),
            lambda m: near(m.closed_book.honest, m.chain.entropy, 0.01), "mask_off", more=True),
        Claim("two_ways_to_hide", T(
            "[MASK] 词元拿走内容，不拿走位置：别处还看它，权重 {hiding.token.weight}。注意力掩码反"
            "过来：别处的输出变 {hiding.mask.elsewhere:g}，可这一格知道自己是谁，变 "
            "{hiding.mask.itself}。",
            "A mask token takes the content away and leaves the place: others still look, with a "
            "weight of {hiding.token.weight}. An attention mask does the reverse: other outputs "
            "move by {hiding.mask.elsewhere:g}, but the place knows itself and moves by "
            "{hiding.mask.itself}."),
            lambda m: both(above(m.hiding.token.weight, 0.01),
                           below(m.hiding.token.itself, 1e-300),
                           below(m.hiding.mask.elsewhere, 1e-300),
                           above(m.hiding.mask.itself, 0.1)),
            "not_shut", kind="example", more=True),
        Claim("record", T(
            "{record.seeds} 个种子：闭卷最高 {record.highest_closed}，填空最高 "
            "{record.highest_hidden}，对照最低 {record.lowest_seen}。这里放的是种子 "
            "{record.shown}，开卷排第 {record.place}，居中。",
            "{record.seeds} seeds: closed book at most {record.highest_closed}, filling in "
            "{record.highest_hidden}, its control at least {record.lowest_seen}. Shown is seed "
            "{record.shown}, of place {record.place} in open book, the middle."),
            lambda m: both(below(m.record.highest_closed, m.chain.entropy + 0.05),
                           below(m.record.highest_hidden, m.chain.best.both + 0.05),
                           above(m.record.lowest_seen, m.chain.chance),
                           equal(m.record.place, (m.record.seeds + 1) / 2)),
            "one_side", kind="recorded", given=("record.shown", "record.seeds"), more=True),
        Claim("a_cache_is_no_mask", T(
            "关掉缓存不等于拿掉掩码：闭卷的用不用缓存，输出差 {switch.cache}；换掉后半句，前半句的"
            "输出变 {switch.later:g}。",
            "Switching a cache off takes no mask away: with or without one, closed book's scores "
            "differ by {switch.cache}; change the second half of a text, and those of the first "
            "half move by {switch.later:g}."),
            lambda m: both(below(m.switch.cache, 1e-10), below(m.switch.later, 1e-300)),
            "mask_off", kind="example", more=True),
    ),
    caveat=T(
        "链只记得上一个状态，看不出长距离。BERT 也这样填空训练（掩码语言模型）。",
        "The chain remembers one state, so nothing about long distances. BERT is trained like "
        "the one that fills in (a masked language model)."),
    questions=(Question(
        T("训练时，开卷的损失几乎是零，闭卷的停在熵。现在只给前文猜下一个，开卷的损失？",
          "In training open book's loss is near zero, closed book's stays at the entropy. Given "
          "the prefix only, open book is:"),
        (Option(T("比闭卷低", "better"),
                lambda m: above(m.closed_book.honest, m.open_book.honest + 0.1),
                T("以为训练损失低就是模型好。低，是因为答案就在眼前。",
                  "takes a lower training loss for a better model. It is low because the answer "
                  "is in view.")),
         Option(T("一样", "equal"),
                lambda m: near(m.closed_book.honest, m.open_book.honest, 0.1),
                T("以为它顺便也学会了链。抄右边一格，损失已经是零。",
                  "expects it to have learned the chain as well. Copying the next place already "
                  "makes the loss zero.")),
         Option(T("在闭卷和瞎猜之间", "worse, yet beats guessing"),
                lambda m: both(above(m.open_book.honest, m.closed_book.honest + 0.1),
                               below(m.open_book.honest, m.chain.chance)),
                T("以为不会的就会犹豫。它很有把握地说错，损失没有上限。",
                  "expects ignorance to be cautious. It is wrong with confidence, and the loss "
                  "has no ceiling.")),
         Option(T("比瞎猜还高", "worse than guessing"),
                lambda m: above(m.open_book.honest, m.chain.chance))),
        answer=Claim("worse_than_guessing", T(
            "{open_book.honest:.2f}，瞎猜只有 {chain.chance:.2f}；（记录）{record.seeds} 个种子都"
            "这样，最低的也有 {record.lowest_open}。",
            "{open_book.honest:.2f}, where guessing has {chain.chance:.2f}; (REC) so in all "
            "{record.seeds} seeds, the lowest at {record.lowest_open}."),
            lambda m: both(above(m.open_book.honest, m.chain.chance),
                           at_least(m.record.copiers, m.record.seeds),
                           above(m.record.lowest_open, m.chain.chance)), "mask_on")),),
    pins={"record.*": exact("read from a record"), "seen_words.*": exact("read from a record"),
          "*.text": exact("a walk as words"), "library.*": exact("kept as data"),
          "switch.later": exact("a true zero"), "switch.cache": ROUNDING,
          "hiding.token.itself": exact("a true zero"),
          "hiding.token.elsewhere": exact("a true zero"),
          "hiding.mask.elsewhere": exact("a true zero"),
          "hiding.mask.weight": exact("a true zero"),
          "walks": exact("a count"), "length": exact("a count"), "contexts": exact("a count"),
          "parameters": exact("a count"), "chain.*": ARITHMETIC, "true.*": ARITHMETIC,
          "*": TRAINED},
    errata=ERRATA["exam"],
    notes=T(
        "约 10 分钟，本讲的高潮。先投票，再看第一张表，末一列是它自己写的：全场会笑。争论点：BERT "
        "也看两边，为什么没事？（要说的词藏起来了。）推理时还要不要掩码？讲义的 BidirectionalGPT2 "
        "关掉的是缓存，不是掩码（--more）。试试 --seed 1 换一批序列，lecture train open_book "
        "--seed 1 重训一个。",
        "About 10 minutes, the high point. Vote, then the first table, whose last column is what "
        "it writes: the room will laugh. The argument: BERT looks both ways too, why is that all "
        "right? (What it must say is hidden.) Is the mask needed when the model writes? The "
        "notes' BidirectionalGPT2 switches off the cache, not the mask (--more). Try --seed 1 "
        "for other walks, lecture train open_book --seed 1 for another training."),
)
