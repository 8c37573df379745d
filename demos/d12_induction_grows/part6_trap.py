"""12.6 A score that deceives: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator

from demos.d12_induction_grows.lesson import TRAP_CONTROLS, fixed_distance
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


def show_trap(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "一层，两个头，别的都和第 1 部分一样，只是名单总是正好 {distance} 个名字：要说的词总在往回 "
        "{back} 格的地方。",
        "One layer, two heads, all else as in part 1, but every list has exactly {distance} "
        "names: the word to say always stands {back} places back."))
    yield Table(
        (Column(T("网络", "network")), Column(T("间隔固定", "fixed distance"), ".1%"),
         Column(T("间隔变化", "varying distance"), ".1%"),
         Column(T("匹配分", "matching"), ".3f"), Column(T("不重复", "no repeat"), ".3f")),
        [[name, m[k]["own"]["right"], m[k]["varied"]["right"], m[k]["matching"],
          m[k]["not_repeating"]] for k, name in (
            ("fixed", T("一层，间隔固定时训练的", "one layer, trained at a fixed distance")),
            ("two", T("第 1 部分的两层", "the two layers of part 1")))],
        title=T("抄对的比例，和最高的匹配分", "Share right, and the best matching score"),
        legend=T("匹配分在间隔固定的行里量。不重复：后面的词换成没说过的，仍量同样那些位置。",
                 "Matching is measured on rows of fixed distance. No repeat: the later words "
                 "replaced by names not yet said, the same places measured."))


PART = Part(
    number=6, key="trap",
    title=T("会骗人的分数", "A score that deceives"),
    compute=fixed_distance, describe=show_trap, recipes=("grows_fixed", "grows"),
    controls=TRAP_CONTROLS,
    claims=(
        Claim("one_layer_copies", T(
            "间隔固定，一层就抄对 {fixed[own][right]:.1%}；间隔一变，它只剩 "
            "{fixed[varied][right]:.1%}，两层的还有 {two[varied][right]:.1%}。记录，{seeds} 个种"
            "子："
            "固定时最低 {record[own][low]:.1%}，变化时最高 {record[varied][high]:.1%}。",
            "At a fixed distance one layer copies {fixed[own][right]:.1%}; vary the distance and "
            "it keeps {fixed[varied][right]:.1%}, the two layers {two[varied][right]:.1%}. "
            "Recorded, {seeds} seeds: fixed, at least {record[own][low]:.1%}; varying, at most "
            "{record[varied][high]:.1%}."),
            lambda m: min(m["fixed"]["own"]["right"] - 0.95, 0.3 - m["fixed"]["varied"]["right"],
                          m["two"]["varied"]["right"] - 0.95, m["record"]["own"]["low"] - 0.95,
                          0.3 - m["record"]["varied"]["high"]), "varied"),
        Claim("high_score", T(
            "它的匹配分是 {fixed[matching]:.3f}，和真正的匹配头（{two[matching]:.3f}）一样漂亮。",
            "Its matching score is {fixed[matching]:.3f}, as fine as that of a true matching "
            "head ({two[matching]:.3f})."),
            lambda m: min(m["fixed"]["matching"] - 0.9, m["two"]["matching"] - 0.9),
            "untrained"),
        Claim("compares_nothing", T(
            "可它什么词也不比：后面的词换成没说过的，它照样给那些位置 "
            "{fixed[not_repeating]:.3f}，真正的匹配头只给 {two[not_repeating]:.3f}。",
            "Yet it compares no words: with the later words replaced by new ones it still puts "
            "{fixed[not_repeating]:.3f} on those places, the true matching head "
            "{two[not_repeating]:.3f}."),
            lambda m: min(m["fixed"]["not_repeating"] - 0.8, 0.3 - m["two"]["not_repeating"]),
            "repeated_anyway"),
        Claim("the_look_is_used", T(
            "这一看倒是真的在用：只禁止看那些位置，抄对 {cut[match]:.1%}；随机禁止同样多条，"
            "{cut[drawn]:.1%}。",
            "The look is really used, though: forbid those places only and {cut[match]:.1%} are "
            "right; as many drawn ones, {cut[drawn]:.1%}."),
            lambda m: min(0.3 - m["cut"]["match"], m["cut"]["drawn"] - 0.8), "untrained"),
    ),
    caveat=T(
        "分数定义的是看哪里，不是怎样找到那里。要把“按词找”和“按格数找”分开，数据里的间隔必须变化，"
        "还要有一组不重复的行作对照。",
        "A score defines where a head looks, not how it finds the place. To tell looking up a "
        "word from counting places, the distance in the data must vary, and rows without a "
        "repeat must stand beside."),
    questions=(Question(
        T("只有一层，两遍的间隔固定。能学会抄吗？",
          "One layer only, and the two sayings always equally far apart. Can it learn to copy?"),
        (Option(T("不能，一定要两层", "no, it takes two layers"),
                lambda m: 0.5 - m["fixed"]["own"]["right"],
                T("把“要比较词”当成了抄写的定义。间隔固定时，数格数就够了。",
                  "takes comparing words for the definition of copying. At a fixed distance "
                  "counting places will do.")),
         Option(T("能：总是往回看同样多格", "yes: it always looks the same way back"),
                lambda m: min(m["fixed"]["own"]["right"] - 0.9,
                              m["fixed"]["not_repeating"] - 0.5)),
         Option(T("能：一层也会比较词", "yes: one layer compares words too"),
                lambda m: min(m["fixed"]["own"]["right"] - 0.9,
                              0.5 - m["fixed"]["not_repeating"]),
                T("匹配分确实很高，可换成不重复的行，它照样看那里。",
                  "the matching score is high indeed, but it looks there in rows without a "
                  "repeat as well.")),
         Option(T("只有加上 MLP 才能", "only with an MLP"),
                lambda m: min(m["fixed"]["own"]["right"] - 0.5,
                              0.9 - m["fixed"]["own"]["right"]),
                T("以为记忆要靠 MLP。这里一个 MLP 也没有。",
                  "thinks memory needs an MLP. There is none here.")))),),
    pins={"record.*": RECORDED, "seeds": COUNT, "distance": COUNT, "back": COUNT,
          "*": TRAINED},
    notes=T(
        "约 4 分钟，收尾。先投票，再给表，请大家用最后两列说出两个网络的区别。争论点：如果只有第"
        "三列，"
        "你会发表什么？",
        "About 4 minutes, to close. Vote, then the table; let them tell the two networks apart "
        "by the last two columns. The argument: with the third column alone, what would you have "
        "published?"),
)
