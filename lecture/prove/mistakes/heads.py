"""What goes wrong where heads are split, merged and shared?"""

from __future__ import annotations

from lecture.prove.mistakes.bank import wrong

RIGHT = {
    "split_heads": '''
def split_heads(x, h):
    x = x.reshape(*x.shape[:-1], h, x.shape[-1] // h)
    return x.swapaxes(-2, -3)
''',
    "merge_heads": '''
def merge_heads(x):
    x = x.swapaxes(-2, -3)
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])
''',
    "share_heads": '''
def share_heads(kv, h):
    return np.repeat(kv, h // kv.shape[-3], axis=-3)
''',
}
MISTAKES = (
    wrong("split_heads", "interleaved", "08.3", "头交错地取列：0、h、2h …",
          "heads interleaved: columns 0, h, 2h .. to head 0", "h, x.shape[-1] // h)",
          "x.shape[-1] // h, h)", "x.swapaxes(-2, -3)", "np.moveaxis(x, -1, -3)"),
    wrong("split_heads", "reshaped", "08.3", "直接 reshape，没有换轴：词混到别的头里",
          "reshaped without turning axes: words land in other heads",
          "x.reshape(*x.shape[:-1], h, x.shape[-1] // h)",
          "x.reshape(*x.shape[:-2], h, x.shape[-2], x.shape[-1] // h)",
          "x.swapaxes(-2, -3)", "x"),
    wrong("split_heads", "turned", "08.3", "头的次序倒了", "the heads are in reverse order",
          "x.swapaxes(-2, -3)", "x.swapaxes(-2, -3)[..., ::-1, :, :]"),
    wrong("split_heads", "not_turned", "08.3", "没有把头的轴换到前面",
          "the axis of heads is not moved forward",
          "x.swapaxes(-2, -3)", "x"),
    wrong("merge_heads", "reshaped", "08.3", "直接 reshape，没有换轴：词混在一起",
          "reshaped without turning axes: words are mixed up",
          "x.swapaxes(-2, -3)\n    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])",
          "np.array(x)\n    return x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3] * "
          "x.shape[-1])"),
    wrong("merge_heads", "interleaved", "08.3", "头交错地放回",
          "heads are interleaved when put back",
          "x.swapaxes(-2, -3)", "np.moveaxis(x, -3, -1)"),
    wrong("merge_heads", "averaged", "08.3", "各头取了平均再重复", "the heads are averaged",
          "x.swapaxes(-2, -3)", "(0 * x + x.mean(axis=-3, keepdims=True)).swapaxes(-2, -3)"),
    wrong("share_heads", "in_turn", "08.5", "轮流分：0 1 0 1，不是 0 0 1 1",
          "served in turn: 0 1 0 1, not 0 0 1 1",
          "np.repeat(kv, h // kv.shape[-3], axis=-3)",
          "np.concatenate([kv] * (h // kv.shape[-3]), axis=-3)"),
    wrong("share_heads", "first", "08.5", "所有头都用第一组", "all heads use the first group",
          "np.repeat(kv, h // kv.shape[-3], axis=-3)", "np.repeat(kv[..., :1, :, :], h, axis=-3)"),
    wrong("share_heads", "averaged", "08.5", "各组取了平均", "the groups are averaged",
          "np.repeat(kv, h // kv.shape[-3], axis=-3)",
          "np.repeat(kv.mean(axis=-3, keepdims=True), h, axis=-3)"),
)
