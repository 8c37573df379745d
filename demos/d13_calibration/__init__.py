"""Is a model right as often as it is sure?

Confidence is the probability of the word that is said.  Part 1 asks about countries
that do not exist, part 2 sets confidence beside the share of right answers, on
phrasings seen and unseen, part 3 repairs it with one temperature and shows what that
cannot repair, part 4 is the simplest case: the hand-built head of demo 04, always right
and less and less sure.

Unlike demo 04: nothing inside is opened; only the last probabilities are judged.  Left
out: models that may say "I do not know", several samples, training for calibration.
"""

from __future__ import annotations

from demos.d13_calibration import part1_unknown, part2_phrasings, part3_temperature, part4_beta
from lecture.report import Part

PARTS: tuple[Part, ...] = (
    part1_unknown.PART,
    part2_phrasings.PART,
    part3_temperature.PART,
    part4_beta.PART,
)
