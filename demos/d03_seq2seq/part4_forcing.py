"""03.4 Teacher forcing: living on its own words: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d03_seq2seq.errata import ERRATA
from demos.d03_seq2seq.lesson import FORCING_CONTROLS, K, on_its_own
from demos.d03_seq2seq.words import COUNTED, RECORDED, TRAINED
from lecture.margins import above, at_least, below, both, equal, near, word
from lecture.quantities import Across, Group, Lines, Named, Rows
from lecture.report import (
    ARITHMETIC,
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
)

SEEDS = tuple(range(5))
QUANTITIES = {
    "shift.fed.*": Quantity(T("喂给解码器", "the decoder is fed")),
    "shift.says.*": Quantity(T("它该说", "it must say")),
    "nets.*.true.word": Quantity(T("喂真的", "fed true"), ".0%"),
    "nets.*.own.word": Quantity(T("喂自己", "fed own"), ".0%"),
    "nets.*.before": Quantity(T("不打扰", "left alone"), ".0%"),
    "nets.*.after": Quantity(T("塞错后", "wrong one in"), ".0%"),
    "nets.*.slip": Quantity(T("晚一格", "one late"), ".0%"),
    "nets.*.late": Quantity(T("晚一格", "one late"), ".0%"),
    "nets.*.whole": Quantity(T("整行对", "rows right"), ".0%"),
    "nets.*.steps": Quantity(T("字母对的比例", "share of letters right"), ".2f"),
    "nets.*.steps.*": Quantity(T("字母对", "letters right"), ".0%"),
    "nets.*.untouched.*": Quantity(T("字母对", "letters right"), ".0%"),
    "place": Quantity(T("步", "step"), "d"),
    **{f"runs.*.{i}": Quantity(T("", ""), ".0%") for i in SEEDS},
    "odds.p": Quantity(T("概率", "chance"), "g"),
    "odds.slip": Quantity(T("概率", "chance"), "g"),
    "odds.all_*": Quantity(T("概率", "chance"), ".3f"),
    "own_share": Quantity(T("份额", "share"), ".0%"),
    "chance": Quantity(T("瞎猜", "guessing"), ".0%"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {
    **{f"shift.*.{i}": T(str(i + 1), str(i + 1)) for i in range(4)},
    **{f"{group}.{name}{rest}": text for group, rest in (("nets", "*"), ("runs", ""))
       for name, text in (("one", T("只交 h、c", "h, c only")),
                          ("sampled", T("只交 h、c，计划采样", "h, c only, sampled")),
                          ("attention", T("带注意力", "with attention")))},
}

LEAD = (
    Paragraph(T(
        "教师强制：训练时解码器每一步都喂真的上一个词，所以输入就是目标右移一格：",
        "Teacher forcing: in training every step is fed the true word before, so the input is the "
        "target moved one to the right:")),
    Across(("shift.fed", "shift.says"), ("0", "1", "2", "3"), rule=False,
           head=T("行", "row")),
    Paragraph(T(
        "例：预测“{shift.love}”的那一行，喂的是“{shift.before_love}”。用的时候没有真词，只好喂自己"
        "刚"
        "说的。计划采样（Bengio 等 2015）：训练时也喂自己说的，一步一步加到 {own_share}。",
        "Example: the row that predicts “{shift.love}” is fed “{shift.before_love}”. In use there "
        "is no true word: it is fed its own. Scheduled sampling (Bengio et al. 2015) feeds its "
        "own in training too, more and more, up to {own_share}.")),
)


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(
        "nets.*",
        (Group(T("字母对", "letters"), ("true.word", "own.word")),
         Group(T("第 {k} 步后", "after step {k}"), ("before", "after", "slip"))),
        head=T("解码器", "decoder"),
        title=T(
            "抄 {n} 个字母，{rows} 行新题，字母对的比例；右边三列：第 {k} 步塞进随便一个错字母",
            "Copying {n} letters, {rows} rows: share right; on the right, wrong letter at step "
            "{k}"))
    yield Rows(
        "runs.*",
        (Group(T("整行对", "rows right"), tuple(f"whole.{i}" for i in SEEDS)),
         Group(T("塞错后的字母对", "letters after a wrong one"),
               tuple(f"after.{i}" for i in SEEDS))),
        head=T("解码器", "decoder"),
        title=T("记录：{record.seeds} 次训练，从低到高（第 {record.k} 步塞错）",
                "Recorded: {record.seeds} trainings, sorted (wrong letter at step {record.k})"))
    yield Lines("place", ("nets.one.steps", "nets.sampled.steps", "nets.attention.steps"),
                low=0.0, high=1.0, more=True,
                title=T("第 {k} 步塞进错字母，前前后后",
                        "A wrong letter at step {k}, before and after"))


PART = Part(
    number=4, key="forcing",
    title=T("教师强制：喂真的，还是喂自己的", "Teacher forcing: living on its own words"),
    compute=on_its_own, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"p": Param(0.95, 0.0, 1.0, about=T("一步说对的概率", "chance of a right step")),
            "k": Param(K, 2, 7, about=T("第几步塞进错字母", "the step of the wrong letter"))},
    recipes=("copy_one", "copy_sampled", "copy_attention"),
    controls=FORCING_CONTROLS,
    claims=(
        Claim("hidden", T(
            "喂真字母，看不出毛病：只交 h、c 的字母对 {nets.one.true.word}；喂自己的，只有 "
            "{nets.one.own.word}。",
            "Fed the truth, errors stay hidden: with h, c only {nets.one.true.word} of letters "
            "are right; fed its own, {nets.one.own.word}."),
            lambda m: above(m.nets.one.true.word, m.nets.one.own.word + 0.05), "fed_true"),
        Claim("place", T(
            "带注意力的自己写几乎不错（{nets.attention.own.word}），塞一个错字母也只剩 "
            "{nets.attention.after}；其余的多半没丢，只是晚了一格：{nets.attention.slip}。",
            "With attention it hardly slips by itself ({nets.attention.own.word}), yet one wrong "
            "letter leaves {nets.attention.after}; most of the rest is not lost but one place "
            "late: {nets.attention.slip}."),
            lambda m: both(above(m.nets.attention.own.word, 0.95),
                           below(m.nets.attention.after, m.nets.attention.before - 0.2),
                           above(m.nets.attention.slip, 0.4)), "harmless"),
        Claim("sampling", T(
            "计划采样换来恢复，付出准确：塞错后居中的对 {runs.sampled.after.2}，不采样的 "
            "{runs.one.after.2}；整行对的却更少。{record.seeds} 次训练里 {record.both} 次如此。",
            "Scheduled sampling buys recovery and pays in accuracy: after the wrong letter the "
            "middle one has {runs.sampled.after.2}, without it {runs.one.after.2}; yet fewer whole "
            "rows. So in {record.both} of {record.seeds} trainings."),
            lambda m: both(above(m.runs.sampled.after[2], m.runs.one.after[2]),
                           below(m.runs.sampled.whole[2], m.runs.one.whole[2]),
                           at_least(m.record.both, 0.8 * m.record.seeds)),
            "another_seed", kind="recorded", given=("record.seeds",)),
        Claim("shift", T(
            "{shift.words} 个词，{shift.pairs} 行；输入里有 {shift.eos_fed} 个 <eos>。",
            "{shift.words} words make {shift.pairs} rows; the input holds {shift.eos_fed} <eos>."),
            lambda m: both(equal(m.shift.pairs, m.shift.words + 1), equal(m.shift.eos_fed, 0),
                           -word(m.shift.before_love, m.shift.love)),
            "unshifted", kind="identity", more=True),
        Claim("same_rows", T(
            "整行对的比例两种喂法一样（{nets.one.own.whole}）：全对的一行，两种喂法喂的是同样的字"
            "母。",
            "Rows right to the end are the same either way ({nets.one.own.whole}): in such a row "
            "both feed the same letters."),
            lambda m: near(m.nets.one.true.whole, m.nets.one.own.whole, 1e-9),
            T("按定义成立：没有一种喂法能让它不成立", "by definition: no way of feeding breaks it"),
            kind="identity", more=True),
        Claim("copies_on", T(
            "塞进去的若正是该在前一步写的那个字母，晚一格的更多：{nets.attention.late}，随便的错字"
            "母 "
            "{nets.attention.slip}。记录的 {record.seeds} 次里，{record.slides} 次过半。",
            "Where the letter put in is the one due a step before, more are one late: "
            "{nets.attention.late}, against {nets.attention.slip} with any wrong letter. In "
            "{record.slides} of {record.seeds} recorded trainings, more than half."),
            lambda m: both(above(m.nets.attention.late, m.nets.attention.slip + 0.05),
                           at_least(m.record.slides, 0.8 * m.record.seeds)),
            "drawn", given=("record.seeds",), more=True),
        Claim("strays", T(
            "带注意力的，记录的 {record.seeds} 次训练里 {record.strays} 次掉了两成以上。",
            "With attention the drop is more than a fifth in {record.strays} of {record.seeds} "
            "recorded trainings."),
            lambda m: at_least(m.record.strays, 0.8 * m.record.seeds),
            T("一份记录里的计数：没有塞对字母的那一组",
              "counts of one record: it has no arm with the right letter put in"),
            kind="recorded", given=("record.seeds",), more=True),
    ),
    caveat=T(
        "字母是随机的，彼此无关；真句子里前面的词管着后面的。计划采样只试了一种设置。第一张表的网"
        "络按第 3 部分居中，塞错后的在记录里偏高。",
        "The letters are drawn, none depends on another; in sentences words do. Scheduled "
        "sampling: one setting. The nets of the first table are the middle ones of part 3; "
        "after a wrong letter they are among the best."),
    further=T(
        "带注意力又采样的没有训练，所以这里说不出它为什么经不起一个错字母。",
        "Attention with sampling was not trained, so nothing here says why one wrong letter "
        "throws it."),
    questions=(
        Question(T(
            "只交 h、c 的，抄 {n} 个字母，第 {k} 步硬塞一个错字母。它后面的字母呢？",
            "h, c only, copying {n} letters; one wrong letter is put in at step {k}. The letters "
            "after it?"),
            (Option(T("不比瞎猜好", "guesses"),
                    lambda m: below(m.nets.one.after, m.chance + 0.05),
                    T("后面还有 {nets.one.after} 对，瞎猜是 {chance}。",
                      "{nets.one.after} of them are right; a blind guess gives {chance}.")),
             Option(T("几乎不受影响", "hardly less"),
                    lambda m: above(m.nets.one.after, 0.9 * m.nets.one.before),
                    T("以为解码器只看状态；从 {nets.one.before} 掉到了 {nets.one.after}。",
                      "thinks the decoder goes by its state alone; {nets.one.before} become "
                      "{nets.one.after}.")),
             Option(T("差很多，比瞎猜好", "far less, above guesses"),
                    lambda m: both(above(m.nets.one.after, m.chance + 0.05),
                                   below(m.nets.one.after, 0.9 * m.nets.one.before),
                                   below(m.nets.one.steps[7], 0.9 * m.nets.one.untouched[7]))),
             Option(T("到末尾已恢复", "recovered"),
                    lambda m: both(below(m.nets.one.after, 0.9 * m.nets.one.before),
                                   above(m.nets.one.steps[7], 0.9 * m.nets.one.untouched[7])),
                    T("到第 {n} 步对 {nets.one.steps.7}，不打扰时 {nets.one.untouched.7}。",
                      "at step {n} {nets.one.steps.7} are right, {nets.one.untouched.7} when left "
                      "alone."))),
            answer=Claim("derailed", T(
                "从 {nets.one.before} 掉到 {nets.one.after}，仍比瞎猜好；{nets.one.slip} 晚了一"
                "格。",
                "{nets.one.before} become {nets.one.after}, still above guessing; "
                "{nets.one.slip} are one place late."),
                lambda m: both(below(m.nets.one.after, m.nets.one.before - 0.2),
                               above(m.nets.one.after, m.chance + 0.05),
                               above(m.nets.one.slip, 2 * m.chance)), "harmless")),
        Question(T(
            "每一步都有 {p:g} 的概率说对，各步独立。{odds.long} 步全对的概率？",
            "Every step is right with {p:g}, each by itself. All of {odds.long} right?"),
            (Option(T("过九成", "over nine tenths"), lambda m: above(m.odds.all_long, 0.9),
                    T("把一步的概率当成了整句的概率。",
                      "takes the chance of a step for that of the whole.")),
             Option(T("一成到九成", "a tenth to nine"),
                    lambda m: both(above(m.odds.all_long, 0.1), below(m.odds.all_long, 0.9)),
                    T("{odds.short} 步才是这样：{odds.all_short}。",
                      "that is {odds.short} steps: {odds.all_short}.")),
             Option(T("百分之一到一成", "a hundredth to a tenth"),
                    lambda m: both(above(m.odds.all_long, 0.01), below(m.odds.all_long, 0.1))),
             Option(T("不到百分之一", "under a hundredth"), lambda m: below(m.odds.all_long, 0.01),
                    T("高估了连乘：{odds.p} 乘 {odds.long} 次，还剩 {odds.all_long}。",
                      "overrates the product: {odds.long} factors of {odds.p} leave "
                      "{odds.all_long}."))),
            answer=Claim("product", T(
                "{odds.p} 连乘：{odds.short} 步 {odds.all_short}，{odds.long} 步 {odds.all_long}。"
                "真的解码器各步并不独立。",
                "Factors of {odds.p}: {odds.all_short} over {odds.short} steps, {odds.all_long} "
                "over {odds.long}. A real decoder's steps are not independent."),
                lambda m: both(near(m.odds.all_long, m.odds.p ** 50, 1e-9),
                               near(m.odds.all_short, m.odds.p ** 10, 1e-9)),
                "one_coin", kind="identity", given=("odds.short", "odds.long")), more=True)),
    pins={"shift.*": COUNTED, "odds.*": ARITHMETIC, "chance": ARITHMETIC, "k": COUNTED,
          "n": COUNTED, "rows": COUNTED, "place.*": COUNTED, "own_share": RECORDED,
          "record.*": RECORDED, "runs.*": RECORDED, "*": TRAINED},
    errata=ERRATA["forcing"],
    notes=T(
        "约 8 分钟。“晚一格”常让人意外：后面的字母大半还在，只是错了位。计划采样也不是白捡的便宜。"
        "争"
        "论点：一个错词到底毁掉多少？文献也不一致：He 等（2021）看到语言模型会自己恢复，Arora 等"
        "（2022）看到误差累积。试 --set 4.k=6 和 --set 4.p=0.99。",
        "About 8 minutes. “One late” surprises people: most of the later letters are there, in "
        "the wrong place. Scheduled sampling is no free gift either. The argument: how much does "
        "one wrong word ruin? The literature disagrees: He and others (2021) see language models "
        "recover by themselves, Arora and others (2022) see errors pile up. Try --set 4.k=6 and "
        "--set 4.p=0.99."),
)
