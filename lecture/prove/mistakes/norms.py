"""What goes wrong in layer norm and RMS norm?"""

from __future__ import annotations

from lecture.prove.mistakes.bank import wrong

RIGHT = {
    "layer_norm": '''
def layer_norm(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * gain + bias
''',
    "rms_norm": '''
def rms_norm(x, gain, eps=1e-5):
    square = (x * x).mean(axis=-1, keepdims=True)
    return x / np.sqrt(square + eps) * gain
''',
}
_LAYER, _RMS, _READ = "layer_norm", "rms_norm", "09.2"

MISTAKES = (
    wrong(_LAYER, "n_minus_1", _READ, "方差除以 n - 1", "the variance divides by n - 1",
          "x.var(axis=-1, keepdims=True)", "x.var(axis=-1, ddof=1, keepdims=True)"),
    wrong(_LAYER, "over_the_batch", _READ, "沿批归一：那是批归一化",
          "over the batch: that is batch norm",
          "axis=-1", "axis=0"),
    wrong(_LAYER, "eps_outside", _READ, "eps 加在根号外面", "eps is added outside the root",
          "np.sqrt(variance + eps)", "(np.sqrt(variance) + eps)"),
    wrong(_LAYER, "no_eps", _READ, "忘了 eps", "eps is left out", "variance + eps", "variance"),
    wrong(_LAYER, "fixed_eps", _READ, "把 1e-5 写死了", "1e-5 is written in", "variance + eps",
          "variance + 1e-5"),
    wrong(_LAYER, "no_root", _READ, "除以方差，没有开方", "divided by the variance, no root",
          "np.sqrt(variance + eps)", "(variance + eps)"),
    wrong(_LAYER, "mean_stays", _READ, "没有减去均值", "the mean is not subtracted", "(x - mean)",
          "x"),
    wrong(_LAYER, "bias_first", _READ, "先加 bias，再乘 gain", "bias is added before gain",
          "/ np.sqrt(variance + eps) * gain + bias",
          "/ np.sqrt(variance + eps) * gain + bias * gain"),
    wrong(_LAYER, "one_mean", _READ, "所有词元共用一个均值和方差",
          "one mean and variance for all tokens",
          "axis=-1, keepdims=True", "keepdims=True"),
    wrong(_RMS, "centred", _READ, "减了均值：那是层归一化",
          "the mean is subtracted: that is layer norm",
          "(x * x).mean(axis=-1, keepdims=True)", "x.var(axis=-1, keepdims=True)",
          "return x /", "return (x - x.mean(axis=-1, keepdims=True)) /"),
    wrong(_RMS, "spread", _READ, "除以标准差，不是均方根",
          "over the standard deviation, not the root mean square",
          "(x * x).mean(axis=-1, keepdims=True)", "x.var(axis=-1, keepdims=True)"),
    wrong(_RMS, "summed", _READ, "用了平方和，不是平方的均值", "the sum of squares, not their mean",
          ".mean(axis", ".sum(axis"),
    wrong(_RMS, "eps_outside", _READ, "eps 加在根号外面", "eps is added outside the root",
          "np.sqrt(square + eps)", "(np.sqrt(square) + eps)"),
    wrong(_RMS, "no_eps", _READ, "忘了 eps", "eps is left out", "square + eps", "square"),
    wrong(_RMS, "one_plus_gain", _READ, "乘了 1 + gain", "times 1 + gain", "* gain",
          "* (1 + gain)"),
    wrong(_RMS, "over_the_batch", _READ, "沿批归一", "over the batch", "axis=-1", "axis=0"),
)
