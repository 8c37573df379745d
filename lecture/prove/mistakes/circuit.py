"""What goes wrong in the two layers of the induction head?"""

from __future__ import annotations

from lecture.prove.mistakes.bank import wrong
from lecture.prove.mistakes.look import SOFTMAX

RIGHT = {
    "layer1_prev_token": SOFTMAX + '''
def layer1_prev_token(circuit, X):
    T = X.shape[-2]
    seen, nulls = X, 0
    if circuit.null is not None:
        null = np.broadcast_to(circuit.null, X[..., :1, :].shape)
        seen, nulls = np.concatenate([null, X], axis=-2), 1
    Q, K, V = circuit.beta * X @ circuit.Q, seen @ circuit.K, seen @ circuit.V
    mask = np.arange(-nulls, T) <= np.arange(T)[:, None] - circuit.strict
    S = Q @ K.swapaxes(-1, -2)
    W = _softmax(np.where(mask, S, -np.inf))
    return X + W @ V, W[..., nulls:]
''',
    "layer2_induction": SOFTMAX + '''
def layer2_induction(circuit, X):
    Q, K, V = circuit.beta * X @ circuit.Q, X @ circuit.K, X @ circuit.V
    mask = np.tri(X.shape[-2], dtype=bool)
    S = Q @ K.swapaxes(-1, -2)
    W = _softmax(np.where(mask, S, -np.inf))
    return W @ V, W
''',
}
_FIRST, _SECOND, _READ = "layer1_prev_token", "layer2_induction", "04.4"
_DIVIDED = ("S = Q @ K.swapaxes(-1, -2)", "S = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])")

MISTAKES = (
    wrong(_FIRST, "no_residual", _READ, "没有加回 X：词自己丢了",
          "X is not added: the word itself is lost",
          "X + W @ V", "W @ V"),
    wrong(_FIRST, "null_column", _READ, "权重里还留着空键那一列",
          "the null key's column is left in the weights",
          "W[..., nulls:]", "W"),
    wrong(_FIRST, "no_null", _READ, "没有用空键：第一个词只好看自己",
          "no null key: the first word can only look at itself",
          "if circuit.null is not None:", "if False:"),
    wrong(_FIRST, "divided", _READ, "这里不该除以 √d",
          "divided, where beta alone sets the sharpness",
          *_DIVIDED),
    wrong(_FIRST, "no_mask", _READ, "没有因果掩码", "no causal mask", "np.where(mask, S, -np.inf)",
          "S"),
    wrong(_FIRST, "no_beta", _READ, "没有乘 beta", "beta is left out", "circuit.beta * X", "X"),
    wrong(_FIRST, "not_strict", _READ, "没有理会 strict", "strict is not heeded",
          " - circuit.strict", ""),
    wrong(_FIRST, "null_later", _READ, "掩码按没有空键来算，每个词少看一个",
          "the mask forgets that the null key stands first: everyone sees one place less",
          "np.arange(-nulls, T)", "np.arange(T + nulls)"),
    wrong(_SECOND, "exchanged", _READ, "查询和键的矩阵对调了",
          "the matrices of query and key are exchanged",
          "X @ circuit.Q, X @ circuit.K", "X @ circuit.K, X @ circuit.Q"),
    wrong(_SECOND, "no_mask", _READ, "没有因果掩码", "no causal mask", "np.where(mask, S, -np.inf)",
          "S"),
    wrong(_SECOND, "divided", _READ, "这里不该除以 √d",
          "divided, where beta alone sets the sharpness",
          *_DIVIDED),
    wrong(_SECOND, "no_beta", _READ, "没有乘 beta", "beta is left out", "circuit.beta * X", "X"),
    wrong(_SECOND, "strict", _READ, "掩码差一：连自己也不许看",
          "the mask is off by one: not even itself",
          "np.tri(X.shape[-2], dtype=bool)", "np.tri(X.shape[-2], k=-1, dtype=bool)"),
)
