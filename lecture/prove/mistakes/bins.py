"""What goes wrong in the expected calibration error?"""

from __future__ import annotations

from lecture.prove.mistakes.bank import wrong

RIGHT = {"ece": '''
def ece(confidence, right, bins=10):
    place = np.digitize(confidence, np.arange(1, bins) / bins)
    total = 0.0
    for b in range(bins):
        here = place == b
        if here.any():
            total += here.mean() * abs(right[here].mean() - confidence[here].mean())
    return total
'''}
_READ = "13.2"

MISTAKES = (
    wrong("ece", "right_edge", _READ, "右边界算进本箱", "the right edge belongs to a bin",
          "/ bins)", "/ bins, right=True)"),
    wrong("ece", "unweighted", _READ, "各箱同样算，没有按份额加权",
          "every bin counts alike, whatever is in it",
          "here.mean() * abs", "1 / bins * abs"),
    wrong("ece", "signed", _READ, "没有取绝对值：高估和低估相抵",
          "no absolute value: too sure and too unsure cancel",
          "abs(right[here].mean() - confidence[here].mean())",
          "(right[here].mean() - confidence[here].mean())"),
    wrong("ece", "one_bin", _READ, "没有分箱", "no bins: one difference of two means",
          "np.digitize(confidence, np.arange(1, bins) / bins)", "np.zeros(len(confidence))"),
    wrong("ece", "squared", _READ, "差取了平方", "differences are squared",
          "abs(right[here].mean() - confidence[here].mean())",
          "(right[here].mean() - confidence[here].mean()) ** 2"),
    wrong("ece", "one_is_lost", _READ, "把握是 1 的落到箱外，丢了",
          "confidence 1 falls out of the last bin",
          "np.arange(1, bins) / bins)", "np.arange(1, bins + 1) / bins)"),
    wrong("ece", "middle", _READ, "用了箱的中点，不是平均把握",
          "the middle of the bin, not the mean confidence",
          "confidence[here].mean()", "(b + 0.5) / bins"),
    wrong("ece", "largest", _READ, "取了最大的差（那是 MCE）",
          "the largest difference: that is MCE",
          "total += here.mean() * abs(right[here].mean() - confidence[here].mean())",
          "total = max(total, abs(right[here].mean() - confidence[here].mean()))"),
    wrong("ece", "ten_bins", _READ, "把 10 个箱写死了", "ten bins are written in",
          "    total = 0.0",
          "    bins, total = 10, 0.0", "np.arange(1, bins) / bins", "np.arange(1, 10) / 10"),
)
