"""What goes wrong in sinusoids and RoPE?"""

from __future__ import annotations

from lecture.prove.mistakes.bank import wrong

RIGHT = {
    "sinusoidal_positions": '''
def sinusoidal_positions(positions, d, base=10000.0):
    column = np.arange(d)
    angle = positions[:, None] * base ** (-(column - column % 2) / d)
    return np.where(column % 2, np.cos(angle), np.sin(angle))
''',
    "rope": '''
def rope(x, positions, convention="half", base=10000.0):
    d = x.shape[-1]
    angle = positions[..., None] * base ** (-np.arange(0, d, 2) / d)
    cos, sin = np.cos(angle), np.sin(angle)
    half = convention == "half"
    if half:
        a, b = x[..., :d // 2], x[..., d // 2:]
    else:
        a, b = x[..., ::2], x[..., 1::2]
    one, two = a * cos - b * sin, a * sin + b * cos
    if half:  # put together
        return np.concatenate([one, two], axis=-1)
    return np.stack([one, two], axis=-1).reshape(x.shape)
''',
}
_SINES = "sinusoidal_positions"

MISTAKES = (
    wrong(_SINES, "own_angle", "07.2", "每列一个频率：正弦和余弦不成对",
          "every column has an angle of its own: no pair of sine and cosine",
          "(column - column % 2)", "column"),
    wrong(_SINES, "halves", "07.2", "前一半全是正弦，后一半全是余弦，没有交错",
          "sines in the first half, cosines in the second, not in turn",
          "np.where(column % 2, np.cos(angle), np.sin(angle))",
          "np.concatenate([np.sin(angle[:, ::2]), np.cos(angle[:, 1::2])], axis=1)"),
    wrong(_SINES, "exchanged", "07.2", "正弦和余弦对调了", "sine and cosine are exchanged",
          "np.cos(angle), np.sin(angle)", "np.sin(angle), np.cos(angle)"),
    wrong(_SINES, "twice_as_slow", "07.2", "指数里多乘了 2", "a factor 2 too many in the exponent",
          "-(column", "-2 * (column"),
    wrong(_SINES, "from_one", "07.2", "位置从 1 数起", "places are counted from 1",
          "positions[:", "(positions + 1)[:"),
    wrong(_SINES, "faster", "07.2", "少了负号：频率越来越高", "no minus: ever faster, not slower",
          "(-(column - column % 2) / d)", "((column - column % 2) / d)"),
    wrong(_SINES, "base", "07.2", "把 10000 写死了", "10000 is written in", "* base **",
          "* 10000.0 **"),
    wrong("rope", "by_halves", "07.3", "总是前后各半配对",
          "always by halves, where neighbours are meant",
          'convention == "half"', "True"),
    wrong("rope", "by_neighbours", "07.3", "总是相邻的配对",
          "always neighbours, where halves are meant",
          'convention == "half"', "False"),
    wrong("rope", "mixed", "07.3", "按相邻的取，按各半放回",
          "taken apart as neighbours, put together as halves",
          "if half:  #", "if True:  #"),
    wrong("rope", "backwards", "07.3", "转反了方向", "turned backwards",
          "a * cos - b * sin, a * sin + b * cos", "a * cos + b * sin, b * cos - a * sin"),
    wrong("rope", "reflected", "07.3", "符号错了：是镜像，不是旋转",
          "a sign is wrong: no turn, a mirror image",
          "a * sin + b * cos", "a * sin - b * cos"),
    wrong("rope", "one_speed", "07.3", "所有的对转得一样快", "all pairs turn alike",
          "(-np.arange(0, d, 2) / d)", "(0 * np.arange(0, d, 2))"),
    wrong("rope", "no_two", "07.3", "指数少了 2：频率降得慢一半",
          "the 2 is missing in the exponent",
          "-np.arange(0, d, 2) / d", "-np.arange(d // 2) / d"),
    wrong("rope", "from_one", "07.3", "位置从 1 数起", "places are counted from 1",
          "positions[...", "(positions + 1)[..."),
    wrong("rope", "single", "07.3", "角度用单精度算：位置一远就不准",
          "angles in single precision: wrong far out", "    cos, sin",
          "    angle = angle.astype(np.float32)\n    cos, sin"),
    wrong("rope", "from_zero", "07.3", "不管传来的位置，总从 0 数起",
          "places are counted from 0 whatever was given", "positions[..., None]",
          "np.arange(x.shape[-2])[:, None]"),
    wrong("rope", "base", "07.3", "把 10000 写死了", "10000 is written in", "* base **",
          "* 10000.0 **"),
)
