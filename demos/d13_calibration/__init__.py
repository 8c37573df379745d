"""Is a model right as often as it is sure?

Confidence is the probability of the word that is said.  Part 1 asks about countries
that do not exist, part 2 sets confidence beside the share of right answers, on
phrasings seen and unseen, part 3 repairs it with one temperature and shows what that
cannot repair, part 4 draws the word instead of taking the likeliest.

Unlike demo 04: nothing inside is opened; only the last probabilities are judged.  Left
out: models that may say "I do not know", several samples of one answer, training for
calibration.
"""

from __future__ import annotations

from demos.d13_calibration import part1_unknown, part2_phrasings, part3_temperature, part4_drawing
from lecture.report import Paragraph, Part, T

PARTS: tuple[Part, ...] = (
    part1_unknown.PART,
    part2_phrasings.PART,
    part3_temperature.PART,
    part4_drawing.PART,
)
OPENING: tuple[Paragraph, ...] = (
    Paragraph(T(
        "四个问题\n"
        "  1  问一个不存在的国家，它有多大把握？\n"
        "  2  它有多大把握，就对多少吗？错的时候，自己看得出吗？\n"
        "  3  太自信，除以一个温度就修好了吗？\n"
        "  4  不取最大的，照概率采样：温度、top-k、top-p 各改了什么？\n"
        "模型    演示 04 第 5 部分的迷你 GPT；怎么读观察，也在演示 04 的开头。\n"
        "来源    Guo 等 2017（ECE，温度）；Geifman 和 El-Yaniv 2017（风险与覆盖率）；\n"
        "        Fan 等 2018（top-k）；Holtzman 等 2020（top-p）。",
        "Four questions\n"
        "  1  Asked about a country that does not exist: how sure is it?\n"
        "  2  Is it right as often as it is sure? Can it tell when it is wrong?\n"
        "  3  Too sure: does dividing by one temperature repair it?\n"
        "  4  Drawing a word by its probability: what do T, top-k and top-p change?\n"
        "Model    the tiny GPT of demo 04, part 5; demo 04 says how to read what follows.\n"
        "Sources  Guo et al. 2017 (ECE, temperature); Geifman and El-Yaniv 2017 (risk and\n"
        "         coverage); Fan et al. 2018 (top-k); Holtzman et al. 2020 (top-p).")),
)
