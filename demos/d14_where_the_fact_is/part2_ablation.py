"""14.2 MLP or attention: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d14_where_the_fact_is.errata import ERRATA
from demos.d14_where_the_fact_is.lesson import ABLATION_CONTROLS, SETS, take_away
from demos.d14_where_the_fact_is.words import A_COUNT, BRANCH_NAMES, COUNT, RECORD, SEEDS
from lecture.margins import above, at_least, at_most, below, both, equal
from lecture.quantities import Group, Named, Rows
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
)

QUANTITIES = {
    "without.*.zero.right": Quantity(T("零", "zero"), "d"),
    "without.*.mean.right": Quantity(T("均值", "mean"), "d"),
    "without.*.country.right": Quantity(T("还对", "right"), "d"),
    "without.*.country.follow": Quantity(T("跟着答", "follow"), "d"),
    "without.*.question.right": Quantity(T("还对", "right"), "d"),
    "without.*.question.follow": Quantity(T("跟着答", "follow"), "d"),
    "wrong.*.count": Quantity(T("题", "questions"), "d"),
    "wrong.*.words": Quantity(T("候选词", "candidate words"), "d"),
    "wrong.*.per_word": Quantity(T("每个词", "a word"), ".2f"),
    "record.seeds": SEEDS,
    "*": A_COUNT,
}
NAMES = {
    **{f"without.{key}": name for key, name in BRANCH_NAMES.items()},
    "wrong.other_country": T("别国的同一件事", "the same fact of another country"),
    "wrong.other_fact": T("本国的别的事", "another fact of this country"),
    "wrong.neither": T("别国的别的事", "another fact of another country"),
}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows(tuple(f"without.{key}" for key in SETS.values()),
               (Group(T("消融：还对", "ablated: right"), ("zero.right", "mean.right")),
                Group(T("换成下一国的", "the next country's"),
                      ("country.right", "country.follow")),
                Group(T("换成下一问的", "the next question's"),
                      ("question.right", "question.follow"))),
               title=T("只动最后位置，{questions} 题", "At the last place only; of {questions}"),
               legend=T("跟着答：改答被换来的那一题的答案。下一国：同一问；下一问：同一国。（两层"
                        "注意力一起换，不用量：这"
                 "里知道的别处的事，都从它们来。）",
                        "follow: says the answer of the question it was taken from. Next country: "
                        "same question; next question: same country. (Both attentions at once "
                        "would show "
                        "nothing: all this place knows of other places comes through them.)"))
    yield Rows("wrong.*", ("count", "words", "per_word"), head=T("说成", "says"), more=True,
               title=T("用零代替 L0 MLP：错的答案是什么", "Zero for MLP L0: what is said instead"))


PART = Part(
    number=2, key="ablation",
    title=T("MLP 还是注意力", "MLP or attention"),
    compute=take_away, describe=blocks, quantities=QUANTITIES, names=NAMES, recipes=("base",),
    controls=ABLATION_CONTROLS,
    lead=(Paragraph(T(
        "换一种训练时没见过的问法，{questions} 题对 {right} 题。消融：拿掉一支（某层的注意力或 "
        "MLP）"
        "在最后位置的输出，用零代替，或用它在这些题上的均值代替。交换：不拿掉，换成它在另一题里写的"
        "东西。两个 MLP 都用零代替，还对 {without.mlp.zero.right} 题。",
        "In a phrasing never seen in training {right} of {questions} are right. Ablation: a "
        "branch's output (attention or MLP of a layer) at the last place is replaced by zero, or "
        "by its mean over these questions. Exchange: it is replaced by what the branch writes for "
        "another question. With both MLPs at zero, {without.mlp.zero.right} stay right.")),),
    claims=(
        Claim("zero_or_mean", T(
            "“缺了它剩多少”，看拿什么代替：L1 MLP 用零剩 {without.mlp1.zero.right} 题，用均值剩 "
            "{without.mlp1.mean.right} 题，换成下一国的剩 {without.mlp1.country.right} 题。",
            "What is left without a part depends on what replaces it: for MLP L1 zero leaves "
            "{without.mlp1.zero.right}, the mean {without.mlp1.mean.right}, the next country's "
            "{without.mlp1.country.right}."),
            lambda m: both(above(m.without.mlp1.mean.right,
                                 m.without.mlp1.zero.right + m.questions / 24),
                           above(m.without.mlp1.zero.right,
                                 m.without.mlp1.country.right + m.questions / 24)),
            "place_before"),
        Claim("who_carries_what", T(
            "“哪一国”走 L0：L0 注意力换成下一国的，{without.attn0.country.follow} 题改答那一国；"
            "L1 注意"
            "力，{without.attn1.country.follow} 题。L1 注意力带的是一部分“问什么”：换成下一问的，"
            "{without.attn1.question.follow} 题跟着答（记录，{record.seeds} 个种子："
            "{record.asks.least} 到 {record.asks.most}）。",
            "Which country goes through L0: with attention L0 of the next country "
            "{without.attn0.country.follow} say its answer, with attention L1 of it "
            "{without.attn1.country.follow}. L1 carries some of what is asked: with the next "
            "question's, {without.attn1.question.follow} follow (recorded, {record.seeds} seeds: "
            "{record.asks.least} to {record.asks.most})."),
            lambda m: both(at_least(m.without.attn0.country.follow, 0.9 * m.questions),
                           at_most(m.without.attn1.country.follow, m.questions / 24),
                           at_least(m.without.attn1.question.follow, m.questions / 8),
                           at_least(m.record.asks.most - m.record.asks.least,
                                    m.questions / 4)),
            "place_before", given=("record.seeds",)),
        Claim("both_are_narrowed", T(
            "L0 MLP 用零代替，答错的题摊到每个候选词上：别国的同一件事 "
            "{wrong.other_country.per_word}，本国的别的事 {wrong.other_fact.per_word}，别国的别的"
            "事 "
            "{wrong.neither.per_word}。哪国、问什么，都还留着一部分。",
            "With zero for MLP L0, wrong answers by candidate word: the same fact elsewhere "
            "{wrong.other_country.per_word}, another fact of this country "
            "{wrong.other_fact.per_word}, neither {wrong.neither.per_word}. Some of the country "
            "and some of the question are left."),
            lambda m: both(above(m.wrong.other_country.per_word,
                                 10 * m.wrong.neither.per_word),
                           above(m.wrong.other_fact.per_word, 10 * m.wrong.neither.per_word),
                           above(m.wrong.other_fact.per_word, 0.5)),
            "place_before", more=True),
        Claim("seeds", T(
            "{record.seeds} 个种子都是这样：两个 MLP 换成下一国的，至少 {record.follow} 题跟着答；"
            "用"
            "零代替，剩 {record.zero.least} 到 {record.zero.most} 题。",
            "So it is in {record.seeds} seeds: with both MLPs of the next country at least "
            "{record.follow} follow; with both at zero {record.zero.least} to "
            "{record.zero.most} are right."),
            lambda m: both(at_least(m.record.follow, 0.9 * m.questions),
                           at_least(m.record.zero.least, 1),
                           below(m.record.zero.most, m.questions / 2)),
            "one_layer", kind="recorded", given=("record.seeds",)),
        Claim("seeds_more", T(
            "{record.seeds} 个种子里，L1 MLP 用均值剩得比用零多的有 {record.mean_leaves_more} 个。"
            "L1 "
            "注意力要不要紧，看种子：用零代替，错 {record.attention_1_loses.least} 到 "
            "{record.attention_1_loses.most} 题。",
            "In {record.mean_leaves_more} of {record.seeds} seeds the mean leaves more than zero "
            "at MLP L1. Whether attention L1 matters depends on the seed: at zero "
            "{record.attention_1_loses.least} to {record.attention_1_loses.most} go wrong."),
            lambda m: both(equal(m.record.mean_leaves_more, m.record.seeds),
                           above(m.record.attention_1_loses.most,
                                 m.record.attention_1_loses.least + m.questions / 12)),
            T("一份记录里的计数：没有另一组种子可作对照",
              "counts of one record: there is no other arm of it"), kind="recorded", more=True),
    ),
    caveat=T(
        "只动了最后位置。处处拿掉两个 MLP（零），剩 {no_mlp} 题。同名的零件在大模型里分工不"
        "同：Geva 等（2023）说 MLP 备料、注意力取属性，Meng 等（2022）的追踪指向中间层的 MLP。",
        "Only the last place was changed. Both MLPs at zero everywhere leave {no_mlp}. "
        "Parts of one name share the work differently in large models: MLPs enrich and attention "
        "extracts (Geva et al. 2023), tracing points at middle MLPs (Meng et al. 2022)."),
    questions=(Question(
        T("两个 MLP 写的不是零，而是它们在下一国同一问里写的。比起用零剩的 "
          "{without.mlp.zero.right} 题，还对几题？",
          "Not zero: both MLPs write what they do for the next country's same question. How "
          "many are right, next to the {without.mlp.zero.right} at zero?"),
        (Option(T("多得多", "many more"),
                lambda m: above(m.without.mlp.country.right,
                                m.without.mlp.zero.right + m.questions / 12),
                T("以为像样的数总比零好。", "expects sensible numbers to do better than zero.")),
         Option(T("差不多", "about as many"),
                lambda m: both(above(m.without.mlp.country.right, 0.8 * m.without.mlp.zero.right),
                               below(m.without.mlp.country.right,
                                     m.without.mlp.zero.right + m.questions / 12)),
                T("以为零就是“没有”，换什么都一样。",
                  "takes zero for absence, whatever is put there.")),
         Option(T("少一些", "somewhat fewer"),
                lambda m: both(above(m.without.mlp.country.right, m.without.mlp.zero.right / 4),
                               below(m.without.mlp.country.right,
                                     0.8 * m.without.mlp.zero.right)),
                T("以为没有 MLP 也答得出的题，MLP 说什么都不改。",
                  "expects the questions that need no MLP to stay, whatever the MLPs say.")),
         Option(T("不到四分之一", "under a quarter"),
                lambda m: below(m.without.mlp.country.right, m.without.mlp.zero.right / 4))),
        answer=Claim("silence_is_not_contradiction", T(
            "还对 {without.mlp.country.right} 题。不出声，不等于说了别的：用零时，没有它们也答得出 "
            "{without.mlp.zero.right} 题；它们说了下一国的，{without.mlp.country.follow} 题都听它们"
            "的。",
            "{without.mlp.country.right} are. Silence is not contradiction: at zero "
            "{without.mlp.zero.right} come out without them; when they say the next country's, "
            "{without.mlp.country.follow} follow them."),
            lambda m: both(at_most(m.without.mlp.country.right, m.questions / 24),
                           at_least(m.without.mlp.country.follow, 0.9 * m.questions),
                           at_least(m.without.mlp.zero.right, 1)),
            "place_before")),),
    pins={"record.*": RECORD, "wrong.*.per_word": ARITHMETIC, "*": COUNT},
    errata=ERRATA["ablation"],
    notes=T(
        "约 6 分钟。先讲消融，投票，再给表。争论点：缺了就不行，能说明“它存着”吗？（水管断了厨房没"
        "水，水不是水管做的。）",
        "About 6 minutes. Explain ablation, vote, then the table. The argument: does needing a "
        "part show that it stores? (No water in the kitchen when a pipe breaks; the pipe makes no "
        "water.)"),
)
