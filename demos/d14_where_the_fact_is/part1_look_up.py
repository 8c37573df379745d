"""14.1 Looked up, step by step: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d14_where_the_fact_is.lesson import LOOK_UP_CONTROLS, RELATIONS, STAGES, follow
from demos.d14_where_the_fact_is.words import A_COUNT, BRANCH_NAMES, COUNT, RECORD, SEEDS, TRAINED
from lecture.margins import above, at_least, at_most, below, both, equal, every, near
from lecture.quantities import Across, Group, Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
    exact,
)

PLACES = ("before", "after0", "attn0", "mlp0", "attn1", "mlp1")
RECOVERY = ".2f"
QUANTITIES = {
    "stages.*.lens": Quantity(T("提前读", "read early"), "d"),
    "stages.*.probe": Quantity(T("探针", "probe"), "d"),
    "moved.country.*": Quantity(T("国名处", "at the country"), RECOVERY),
    "moved.last.*": Quantity(T("最后位置", "at the last place"), RECOVERY),
    "record.fetched": Quantity(T("恢复率", "recovery"), ".2f"),
    "blind.*.country": Quantity(T("国名", "the country"), "d"),
    "blind.*.relation": Quantity(T("关系词", "relation words"), "d"),
    "blind.*.others": Quantity(T("其余的词", "all other words"), "d"),
    "chance": Quantity(T("随机", "chance"), ".0f"),
    "record.seeds": SEEDS,
    "*": A_COUNT,
}
NAMES = {
    "stages.start": T("词向量 + 位置", "word and position"),
    **{f"stages.{key}": T(f"{BRANCH_NAMES[key].zh}{'之后' if 'attn' in key else ' 之后'}",
                              f"after {BRANCH_NAMES[key].en}")
       for key in STAGES[1:]},
    "moved.*.before": T("L0 前", "into L0"), "moved.*.after0": T("L0 后", "after L0"),
    **{f"moved.*.{key}": BRANCH_NAMES[key] for key in PLACES[2:]},
    "blind.layer_0": T("在 L0 层看不见", "not seen in layer L0"),
    "blind.layer_1": T("在 L1 层看不见", "not seen in layer L1"),
}


def blocks(m: Metrics) -> Iterator[Named]:
    yield Rows("stages.*", (Group(T("最后位置", "at the last place"),
                                  ("last.lens", "last.probe")),
                            Group(T("国名处", "at the country"),
                                  ("country.lens", "country.probe"))),
               head=T("站", "stage"),
               title=T("{questions} 题中读得出正确答案的（探针随机猜：{chance}）",
                       "Right answers read, of {questions} (a probe that guesses: {chance})"))
    yield Across(("moved.country", "moved.last"), PLACES, head=T("恢复率", "recovery"),
                 title=T("激活修补：从问下一国的那遍运行里搬来一处，答案改过去多少",
                         "Activation patching: one activation from the run about the next "
                         "country"),
                 legend=T("L0 前、国名处必为 1：两句只差这个词。",
                          "Into L0, at the country: 1 by construction, only that word differs."))
    yield Rows("blind.*", ("country", "relation", "others"), head=T("还对几题", "right"), more=True,
               title=T("遮住：最后位置在某一层（所有的头）看不见一组词",
                       "Knock-out: in one layer, all heads, the last place does not see some "
                       "words"))


PART = Part(
    number=1, key="look_up",
    title=T("一步一步地查", "Looked up, step by step"),
    compute=follow, describe=blocks, quantities=QUANTITIES, names=NAMES, recipes=("base",),
    params={"relation": Param("capital", choices=RELATIONS,
                              about=T("激活修补问哪种关系", "which relation is patched"))},
    controls=LOOK_UP_CONTROLS,
    lead=(Paragraph(T(
        "迷你 GPT（演示 04）答对 {right}/{questions}，例如“{prompt}”，答案 {answer}。三种办法看它怎"
        "样查：\n"
        "  提前读（logit lens）  中途的状态直接送进最后的归一化和词表，正确答案排第一吗？\n"
        "  线性探针  用 {fitted} 国的状态拟合一个线性映射，指向答案的词向量；拿去问剩下的一国，\n"
        "            同一关系的 {countries} 个答案里，正确的离得最近吗？一国一国轮着来。\n"
        "  激活修补  一处状态换成问下一国时的。恢复率：两个答案的分数差走了多少，\n"
        "            1 是完全改答那一国，0 是没动。",
        "The tiny GPT (demo 04) gets {right} of {questions} right, as in “{prompt}”, answer "
        "{answer}. Three ways to watch it look up:\n"
        "  read early  (logit lens) send a state on the way straight into the last norm\n"
        "              and the word table: is the right word on top?\n"
        "  probe       a linear map from states to answers' word vectors, fitted on {fitted}\n"
        "              countries; is the right one of {countries} answers nearest for the last?\n"
        "  patching    (activation patching) one state is that of the run about the next\n"
        "              country. Recovery: how far the gap of the two answers' scores\n"
        "              goes over, 1 all the way, 0 not at all.")),),
    claims=(
        Claim("made_by_mlps", T(
            "最后位置上提前读得出的，大半是 MLP 添的：两个 MLP {made.mlp} 题，两层注意力 "
            "{made.attention} 题。探针在 L0 注意力取来国名之后，就读出 {stages.attn0.last.probe} "
            "题（记录，{record.seeds} 个种子：{record.probe_last.least} 到 "
            "{record.probe_last.most}）。",
            "At the last place most of what is read early comes with the MLPs: {made.mlp} "
            "questions, {made.attention} with the attentions. A probe reads "
            "{stages.attn0.last.probe} once attention L0 has fetched the country (recorded, "
            "{record.seeds} seeds: {record.probe_last.least} to {record.probe_last.most})."),
            lambda m: both(above(m.made.mlp, 2 * m.made.attention),
                           above(m.made.mlp, m.questions / 2),
                           above(m.stages.attn0.last.probe, m.questions / 2),
                           at_least(m.record.probe_last.least, m.questions / 2),
                           at_most(m.stages.attn0.last.probe, m.record.probe_last.most)),
            "other_place",
            given=("record.seeds",)),
        Claim("moves_house", T(
            "“哪一国”在 L0 就搬完了家：L0 之后，换国名处的状态，恢复率 {moved.country.after0}；换最"
            "后位置的，{moved.last.after0}。",
            "Which country has moved house within L0: after it, a change at the country recovers "
            "{moved.country.after0}, one at the last place {moved.last.after0}."),
            lambda m: both(near(m.moved.last.after0, 1, 0.1),
                           near(m.moved.country.after0, 0, 0.1)), "third_country"),
        Claim("shares_do_not_add", T(
            "恢复率不是一块饼的几份：{moved.last.attn0}、{moved.last.mlp0}、{moved.last.mlp1}，加起"
            "来超过一。",
            "Recoveries are no slices of one cake: {moved.last.attn0}, {moved.last.mlp0} and "
            "{moved.last.mlp1} come to more than one."),
            lambda m: both(above(m.moved.last.attn0 + m.moved.last.mlp0 + m.moved.last.mlp1, 1.5),
                           near(m.moved.last.attn0, 1, 0.1),
                           every(above(x, 0.1) for x in (m.moved.last.mlp0, m.moved.last.mlp1))),
            "third_country", more=True),
        Claim("fetched_in_layer_0", T(
            "L0 层看不见国名，剩 {blind.layer_0.country} 题；L1 层看不见，剩 "
            "{blind.layer_1.country} 题；L0 层看不见关系词，剩 {blind.layer_0.relation} 题。",
            "The country not seen in layer L0 leaves {blind.layer_0.country}; not seen in layer "
            "L1, {blind.layer_1.country}; the relation words not seen in L0, "
            "{blind.layer_0.relation}."),
            lambda m: both(at_most(m.blind.layer_0.country, m.questions / 8),
                           at_least(m.blind.layer_1.country, 0.9 * m.questions),
                           at_least(m.blind.layer_0.relation, m.questions / 2)), "other_words",
            more=True),
        Claim("no_mlp_at_the_country", T(
            "国名处的 MLP 不要紧：两层都不许在那里写，还对 {without_enrichment} 题。",
            "The MLPs at the country do not matter: with neither allowed to write there "
            "{without_enrichment} stay right."),
            lambda m: at_least(m.without_enrichment, 0.8 * m.questions), "other_place",
            more=True),
        Claim("seeds", T(
            "{record.seeds} 个种子：MLP 比注意力添得多的有 {record.mlps_make_more} 个；还没过任何一"
            "层，探针在国名处读出 {record.probe.least} 到 {record.probe.most} 题。",
            "Of {record.seeds} seeds the MLPs add more than the attentions in "
            "{record.mlps_make_more}; before any layer a probe at the country reads "
            "{record.probe.least} to {record.probe.most}."),
            lambda m: both(equal(m.record.mlps_make_more, m.record.seeds),
                           above(m.record.probe.least, m.questions / 2),
                           at_least(m.record.probe.most, m.record.probe.least)),
            "other_place", kind="recorded"),
        Claim("seeds_fetch", T(
            "{record.seeds} 个种子：L0 看不见国名，至多剩 {record.cut.first} 题，L1 看不见，至少 "
            "{record.cut.second} 题；L0 注意力的恢复率至少 {record.fetched}。",
            "Of {record.seeds} seeds: the country not seen in L0 leaves at most "
            "{record.cut.first}, in L1 at least {record.cut.second}; attention L0 recovers at "
            "least {record.fetched}."),
            lambda m: both(at_most(m.record.cut.first, m.questions / 8),
                           at_least(m.record.cut.second, 0.75 * m.questions),
                           above(m.record.fetched, 0.75)),
            "other_words", kind="recorded", given=("record.seeds",), more=True),
    ),
    caveat=T(
        "探针读得出，不等于模型这样用；修补改得动，说明这里带着“哪一国”，不说明事实存在这里。大模"
        "型里（Geva 等 2023）前面的 MLP 先在主语处备料；这里不许国名处的 MLP 写，还对 "
        "{without_enrichment} 题。",
        "What a probe reads the model need not use; what patching moves carries which country, "
        "not the fact. In large models (Geva et al. 2023) early MLPs enrich the subject's place; "
        "here, without MLPs there, {without_enrichment} stay right."),
    further=T(
        "国名的词向量为什么带着答案的痕迹，这里没有量；输入和输出共用一张词表，也许有关。",
        "Why the country's word vector bears a trace of the answers is not measured here; that "
        "input and output share one word table may have to do with it."),
    questions=(
        Question(T("国名处，还没过任何一层，提前读读出 {stages.start.country.lens} 题。没见过这一国"
                   "的线性探针呢？",
                   "At the country, before any layer, read early gives "
                   "{stages.start.country.lens}. A probe never fitted on that country?"),
                 (Option(T("约 {chance:.0f} 题", "about {chance:.0f}"),
                         lambda m: below(m.stages.start.country.probe, m.questions / 8),
                         T("以为提前读不出，就是没有。", "takes not readable early for absent.")),
                  Option(T("四分之一左右", "a quarter"),
                         lambda m: both(above(m.stages.start.country.probe, m.questions / 8),
                                        below(m.stages.start.country.probe, m.questions / 2)),
                         T("以为只有个别关系读得出。", "expects it of a few relations only.")),
                  Option(T("一半以上", "more than half"),
                         lambda m: both(above(m.stages.start.country.probe, m.questions / 2),
                                        below(m.stages.start.country.probe, m.questions - 0.5))),
                  Option(T("全部", "all of them"),
                         lambda m: at_least(m.stages.start.country.probe, m.questions),
                         T("以为探针什么都学得会；这一国它没有见过。",
                           "thinks a probe can learn anything; this country it has not met."))),
                 answer=Claim("readable_is_not_all", T(
                     "{stages.start.country.probe} 题：答案的线性痕迹已经在国名的词向量里。把答案"
                     "在各国间打乱重配，探针只剩 {dealt} 题。读不出不等于没有。",
                     "{stages.start.country.probe}: a linear trace of the answers is in the "
                     "country's word vector already. Deal the answers anew among countries and the "
                     "probe gets {dealt}. Not readable early is not absent."),
                     lambda m: both(above(m.stages.start.country.probe, m.questions / 2),
                                    at_most(m.dealt, m.questions / 8),
                                    at_most(m.stages.start.country.lens, m.questions / 8)),
                     "answers_dealt")),
        Question(T("L0 层之后，国名处的状态换成下一国的。答案改过去多少？",
                   "After layer L0 the state at the country is replaced by the next country's. "
                   "How far does the answer go over?"),
                 (Option(T("几乎全改过去", "nearly all the way"),
                         lambda m: above(m.moved.country.after0, 0.75),
                         T("以为一个词的信息一直留在它的位置上。",
                           "takes a word's information to stay where the word stands.")),
                  Option(T("一半左右", "about half"),
                         lambda m: both(above(m.moved.country.after0, 0.25),
                                        below(m.moved.country.after0, 0.75)),
                         T("以为两层各取一半。", "lets each of two layers fetch half.")),
                  Option(T("几乎不动", "hardly at all"),
                         lambda m: below(m.moved.country.after0, 0.25))),
                 answer=Claim("gone_from_there", T(
                     "{moved.country.after0}，L0 层之前是 {moved.country.before}：已经取走了，L1 层"
                     "看不见国名也还对 {blind.layer_1.country} 题。",
                     "{moved.country.after0}, before layer L0 {moved.country.before}: it has been "
                     "fetched; unseen in layer L1, {blind.layer_1.country} stay right."),
                     lambda m: both(near(m.moved.country.after0, 0, 0.25),
                                    near(m.moved.country.before, 1, 0.25),
                                    at_least(m.blind.layer_1.country, 0.9 * m.questions)),
                     "third_country", more=True), more=True)),
    pins={"record.fetched": TRAINED, "record.*": RECORD, "moved.*": TRAINED,
          "chance": exact("a count"), "*": COUNT},
    notes=T(
        "约 8 分钟。先投票，再给第一张表：左边两列讲“取了再做”，右边两列讲“读不出不等于没有”。然后"
        "讲修补。争论点：恢复率最高的地方就是事实住的地方吗？（第 3 部分去改一改。）试试 --set "
        "1.relation=leader。",
        "About 8 minutes. Vote, then the first table: its left half for fetching and making, its "
        "right half for what reading early misses. Then patching. The argument: is the place of "
        "the highest recovery where the fact lives? (Part 3 tries to change it there.) Try --set "
        "1.relation=leader."),
)
