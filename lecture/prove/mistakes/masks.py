"""What goes wrong in padding masks and combined masks?"""

from __future__ import annotations

from lecture.prove.mistakes.bank import wrong

RIGHT = {
    "padding_mask": '''
def padding_mask(ids, pad, heads=False):
    keep = ids != pad
    return keep[..., None, None, :] if heads else keep[..., None, :]
''',
    "combined_mask": '''
def combined_mask(ids, pad, heads=False):
    keep = (ids != pad)[..., None, :]
    keep = keep & np.tri(ids.shape[-1], dtype=bool)
    return keep[..., None, :, :] if heads else keep
''',
}
_PAD, _BOTH, _READ = "padding_mask", "combined_mask", "06.1"

MISTAKES = (
    wrong(_PAD, "inverted", _READ, "掩码反了：填充是 True", "inverted: the padding is True", "!=",
          "=="),
    wrong(_PAD, "zero", _READ, "把填充写死成 0", "0 is written in as the padding", "ids != pad",
          "ids != 0"),
    wrong(_PAD, "greater", _READ, "用了 >：只有填充是最小的号时才对",
          "> instead of !=: right only while the padding has the lowest number", "!=", ">"),
    wrong(_PAD, "rows", _READ, "挡的是查询（一列），不是键（一行）",
          "queries are hidden (a column), not keys (a row)",
          "keep[..., None, :]", "keep[..., :, None]"),
    wrong(_PAD, "no_heads", _READ, "没有给头留一轴", "no axis for the heads",
          "keep[..., None, None, :] if heads else keep[..., None, :]", "keep[..., None, :]"),
    wrong(_BOTH, "either", _READ, "用“或”合起来：填充和未来都漏进来",
          "joined by “or”: padding and future come through", "keep & np", "keep | np"),
    wrong(_BOTH, "inverted", _READ, "整个反了", "all of it is inverted",
          "keep & np.tri(ids.shape[-1], dtype=bool)",
          "~(keep & np.tri(ids.shape[-1], dtype=bool))"),
    wrong(_BOTH, "future", _READ, "三角转了方向：看得见未来",
          "the triangle is turned: the future is seen",
          "np.tri(ids.shape[-1], dtype=bool)", "np.tri(ids.shape[-1], dtype=bool).T"),
    wrong(_BOTH, "rows", _READ, "挡的是填充的查询，不是填充的键",
          "padded queries are hidden, not padded keys", "[..., None, :]\n", "[..., :, None]\n"),
    wrong(_BOTH, "strict", _READ, "差一：连自己也不许看", "off by one: not even itself",
          "dtype=bool)", "k=-1, dtype=bool)"),
    wrong(_BOTH, "next", _READ, "差一：看得见下一个词", "off by one: the next word is seen",
          "dtype=bool)", "k=1, dtype=bool)"),
    wrong(_BOTH, "causal_only", _READ, "忘了填充", "the padding is forgotten",
          "(ids != pad)", "(ids == ids)"),
    wrong(_BOTH, "padding_only", _READ, "忘了因果", "the causal mask is forgotten",
          "np.tri(ids.shape[-1], dtype=bool)", "np.ones((ids.shape[-1],) * 2, dtype=bool)"),
)
