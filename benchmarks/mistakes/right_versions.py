"""The tasks written rightly in other ways: loops, einsum, single precision, torch.

{demo: {way: file}}.  None of them may raise an alarm.
"""

from __future__ import annotations

ATTENTION_LOOPS = '''
import math
import numpy as np

def softmax(x):
    if x.ndim > 1:
        return np.array([softmax(row) for row in x]) if len(x) else x
    top = max(x)
    if top == -math.inf:
        return [0.0] * len(x)
    e = [math.exp(v - top) for v in x]
    return [v / sum(e) for v in e]

def causal_mask(T, S=None, offset=None):
    if S is None:
        S = T
    if offset is None:
        offset = S - T
    return [[j <= i + offset for j in range(S)] for i in range(T)]

def attention(Q, K, V, scale=True, mask=None):
    if Q.ndim > 2:
        pairs = [attention(Q[i], K[i], V[i], scale, None if mask is None else mask[i])
                 for i in range(len(Q))]
        return np.array([o for o, _ in pairs]), np.array([w for _, w in pairs])
    out, weights = [], []
    for i in range(len(Q)):
        scores = []
        for j in range(len(K)):
            dot = sum(float(a) * float(b) for a, b in zip(Q[i], K[j]))
            dot = dot / math.sqrt(len(Q[i])) if scale else dot
            scores.append(dot if mask is None or mask[i, j] else -math.inf)
        w = softmax(np.array(scores))
        weights.append(w)
        out.append(sum(w[j] * V[j] for j in range(len(K))))
    return np.array(out), np.array(weights)
'''
ATTENTION_EINSUM = '''
import numpy as np

def softmax(x):
    with np.errstate(all="ignore"):
        e = np.exp(x - np.nanmax(np.where(np.isfinite(x), x, np.nan), axis=-1, keepdims=True))
        return np.nan_to_num(np.einsum("...n,...->...n", e, 1 / np.einsum("...n->...", e)))

def causal_mask(T, S=None, offset=None):
    S = S or T
    return np.tril(np.ones((T, S)), S - T if offset is None else offset)

def attention(Q, K, V, scale=True, mask=None):
    S = np.einsum("...id,...jd->...ij", Q, K) * (Q.shape[-1] ** -0.5 if scale else 1)
    if mask is not None:
        S[~mask] = -np.inf
    W = softmax(S)
    return np.einsum("...ij,...jv->...iv", W, V), W

def layer1_prev_token(circuit, X):
    T = X.shape[-2]
    keys = X
    if circuit.null is not None:
        null = np.einsum("...d,e->...e", X[..., :1, :] * 0 + 1 / X.shape[-1], circuit.null)
        keys = np.concatenate([null, X], axis=-2)
    nulls = keys.shape[-2] - T
    fetched, W = attention(circuit.beta * np.einsum("...d,de->...e", X, circuit.Q),
                           keys @ circuit.K, keys @ circuit.V, False,
                           np.broadcast_to(causal_mask(T, T + nulls, nulls - circuit.strict) > 0,
                                           (*X.shape[:-2], T, T + nulls)))
    return X + fetched, W[..., nulls:]

def layer2_induction(circuit, X):
    T = X.shape[-2]
    seen = np.broadcast_to(causal_mask(T) > 0, (*X.shape[:-1], T))
    return attention(circuit.beta * X @ circuit.Q, X @ circuit.K, X @ circuit.V, False, seen)
'''
ATTENTION_SINGLE = '''
import numpy as np

def softmax(x):
    x = x.astype(np.float32)
    top = x.max(-1, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(top), top, 0))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, np.float32(1), total)

def attention(Q, K, V, scale=True, mask=None):
    Q, K, V = (a.astype(np.float32) for a in (Q, K, V))
    S = Q @ K.swapaxes(-1, -2)
    if scale:
        S = S / np.float32(np.sqrt(Q.shape[-1]))
    if mask is not None:
        S = np.where(mask, S, np.float32(-np.inf))
    W = softmax(S)
    return (W @ V).astype(np.float64), W
'''
ATTENTION_TORCH = '''
import math
import torch

def softmax(x):
    return torch.nan_to_num(torch.softmax(torch.tensor(x), dim=-1))

def causal_mask(T, S=None, offset=None):
    S = T if S is None else S
    return torch.ones(T, S, dtype=torch.bool).tril(S - T if offset is None else offset)

def attention(Q, K, V, scale=True, mask=None):
    Q, K, V = (torch.tensor(a, requires_grad=True) for a in (Q, K, V))
    S = Q @ K.transpose(-2, -1)
    S = S / math.sqrt(Q.size(-1)) if scale else S
    if mask is not None:
        S = S.masked_fill(~torch.as_tensor(mask), float("-inf"))
    W = torch.nan_to_num(S.softmax(-1))
    return W @ V, W

def layer1_prev_token(circuit, X):
    X, Q, K, V = (torch.as_tensor(a) for a in (X, circuit.Q, circuit.K, circuit.V))
    T, seen, nulls = X.size(-2), X, 0
    if circuit.null is not None:
        null = torch.as_tensor(circuit.null).expand(*X.shape[:-2], 1, X.size(-1))
        seen, nulls = torch.cat([null, X], dim=-2), 1
    mask = torch.ones(T, T + nulls, dtype=torch.bool).tril(nulls - int(circuit.strict))
    S = (circuit.beta * X @ Q @ (seen @ K).mT).masked_fill(~mask, -torch.inf)
    W = torch.nan_to_num(S.softmax(-1))
    return X + W @ (seen @ V), W[..., nulls:]

def layer2_induction(circuit, X):
    X, Q, K, V = (torch.as_tensor(a) for a in (X, circuit.Q, circuit.K, circuit.V))
    mask = torch.ones(X.size(-2), X.size(-2), dtype=torch.bool).tril()
    S = (circuit.beta * X @ Q @ (X @ K).mT).masked_fill(~mask, -torch.inf)
    W = S.softmax(-1)
    return W @ (X @ V), W
'''
AS_IN_THE_LECTURE = '''
import numpy as np

def softmax(x):
    x = np.where(np.isneginf(x).all(-1, keepdims=True), -1e300, x) - 0
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.where(x == -1e300, 0.0, e / e.sum(-1, keepdims=True))

def causal_mask(T):
    return np.tril(np.ones((T, T), dtype=bool))
'''
MASKS = {
    "loops": '''
import numpy as np

def padding_mask(ids, pad, heads=False):
    if ids.ndim > 1:
        return np.array([padding_mask(row, pad, heads) for row in ids])
    row = [[word != pad for word in ids]]
    return [row] if heads else row

def combined_mask(ids, pad, heads=False):
    if ids.ndim > 1:
        return np.array([combined_mask(row, pad, heads) for row in ids])
    grid = [[j <= i and ids[j] != pad for j in range(len(ids))] for i in range(len(ids))]
    return [grid] if heads else grid
''',
    "einsum": '''
import numpy as np

def padding_mask(ids, pad, heads=False):
    return np.expand_dims((ids != pad).astype(float), (-2, -3) if heads else -2)

def combined_mask(ids, pad, heads=False):
    T = ids.shape[-1]
    both = np.einsum("...k,qk->...qk", 1 * (ids != pad), np.tril(np.ones((T, T), dtype=int)))
    return both[..., None, :, :] if heads else both
''',
    "single": '''
import numpy as np

def padding_mask(ids, pad, heads=False):
    keep = 1 - np.equal(ids, pad).astype(np.float32)
    return keep.reshape(*ids.shape[:-1], *([1] * (1 + heads)), ids.shape[-1])

def combined_mask(ids, pad, heads=False):
    T = ids.shape[-1]
    past = np.subtract.outer(np.arange(T), np.arange(T)) >= 0
    return np.minimum(padding_mask(ids, pad, heads), past.astype(np.float32))
''',
    "torch": '''
import torch

def padding_mask(ids, pad, heads=False):
    keep = torch.as_tensor(ids).ne(pad).unsqueeze(-2)
    return keep.unsqueeze(-3) if heads else keep

def combined_mask(ids, pad, heads=False):
    T = ids.shape[-1]
    return padding_mask(ids, pad, heads) & torch.ones(T, T).tril().bool()
''',
}
PLACES = {
    "loops": '''
import math
import numpy as np

def sinusoidal_positions(positions, d, base=10000.0):
    rows = []
    for p in positions:
        row = []
        for c in range(d):
            angle = p / base ** ((c - c % 2) / d)
            row.append(math.cos(angle) if c % 2 else math.sin(angle))
        rows.append(row)
    return np.array(rows).reshape(len(positions), d)

def rope(x, positions, convention="half", base=10000.0):
    d, out = x.shape[-1], x.copy()
    for j in range(d // 2):
        a, b = (j, j + d // 2) if convention == "half" else (2 * j, 2 * j + 1)
        angle = positions / base ** (2 * j / d)
        out[..., a] = x[..., a] * np.cos(angle) - x[..., b] * np.sin(angle)
        out[..., b] = x[..., a] * np.sin(angle) + x[..., b] * np.cos(angle)
    return out
''',
    "einsum": '''
import numpy as np

def sinusoidal_positions(positions, d, base=10000.0):
    pairs = (d + 1) // 2
    turn = np.exp(1j * np.einsum("t,j->tj", positions, base ** (-2.0 * np.arange(pairs) / d)))
    return np.stack([turn.imag, turn.real], -1).reshape(len(positions), 2 * pairs)[:, :d]

def rope(x, positions, convention="half", base=10000.0):
    d = x.shape[-1]
    pairs = (x.reshape(*x.shape[:-1], 2, d // 2) if convention == "half"
             else x.reshape(*x.shape[:-1], d // 2, 2).swapaxes(-1, -2))
    angle = np.einsum("...t,j->...tj", positions, base ** (-np.arange(0, d, 2) / d))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    out = np.einsum("ab...j,...bj->...aj", turn, pairs)
    return (out if convention == "half" else out.swapaxes(-1, -2)).reshape(x.shape)
''',
    "single": '''
import numpy as np

def rope(x, positions, convention="half", base=10000.0):
    d = x.shape[-1]
    angle = positions[..., None] * base ** (-np.arange(0, d, 2) / d)
    c, s = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    x = x.astype(np.float32)
    out = np.empty_like(x)
    one, two = ((slice(None, d // 2), slice(d // 2, None)) if convention == "half"
                else (slice(0, None, 2), slice(1, None, 2)))
    out[..., one] = x[..., one] * c - x[..., two] * s
    out[..., two] = x[..., one] * s + x[..., two] * c
    return out
''',
    "torch": '''
import torch

def sinusoidal_positions(positions, d, base=10000.0):
    table = torch.zeros(len(positions), d, dtype=torch.double)
    angle = torch.outer(torch.tensor(positions), base ** (-torch.arange(0, d, 2).double() / d))
    table[:, 0::2] = torch.sin(angle)
    table[:, 1::2] = torch.cos(angle)[:, :d // 2]
    return table

def rope(x, positions, convention="half", base=10000.0):
    x, d = torch.tensor(x), x.shape[-1]
    angle = torch.tensor(positions)[..., None] * base ** (-torch.arange(0, d, 2).double() / d)
    if convention == "half":
        angle = torch.cat([angle, angle], -1)
        turned = torch.cat([-x[..., d // 2:], x[..., :d // 2]], -1)
    else:
        angle = torch.repeat_interleave(angle, 2, -1)
        turned = torch.stack([-x[..., 1::2], x[..., 0::2]], -1).reshape(x.shape)
    return x * angle.cos() + turned * angle.sin()
''',
}
HEADS = {
    "loops": '''
import numpy as np

def split_heads(x, h):
    w = x.shape[-1] // h
    return np.stack([x[..., i * w:(i + 1) * w] for i in range(h)], axis=-3)

def merge_heads(x):
    return np.concatenate([x[..., i, :, :] for i in range(x.shape[-3])], axis=-1)

def share_heads(kv, h):
    each = h // kv.shape[-3]
    return np.stack([kv[..., i // each, :, :] for i in range(h)], axis=-3)
''',
    "einsum": '''
import numpy as np

def split_heads(x, h):
    return np.einsum("...thd->...htd", x.reshape(*x.shape[:-1], h, -1))

def merge_heads(x):
    return np.einsum("...htd->...thd", x).reshape(*x.shape[:-3], x.shape[-2], -1)

def share_heads(kv, h):
    g = kv.shape[-3]
    return np.einsum("hg,...gnd->...hnd", np.kron(np.eye(g), np.ones((h // g, 1))), kv)
''',
    "single": '''
import numpy as np

def split_heads(x, h):
    return np.array(np.split(x.astype(np.float32), h, axis=-1)).reshape(
        h, *x.shape[:-1], x.shape[-1] // h).swapaxes(0, x.ndim - 2) if x.ndim == 1 else (
        np.moveaxis(np.array(np.split(x.astype(np.float32), h, axis=-1)), 0, -3))

def share_heads(kv, h):
    return kv.astype(np.float32)[..., np.arange(h) * kv.shape[-3] // h, :, :]
''',
    "torch": '''
import torch

def split_heads(x, h):
    x = torch.tensor(x)
    return x.view(*x.shape[:-1], h, -1).transpose(-2, -3)

def merge_heads(x):
    return torch.tensor(x).transpose(-2, -3).flatten(-2)

def share_heads(kv, h):
    return torch.tensor(kv).repeat_interleave(h // kv.shape[-3], dim=-3)
''',
}
NORMS = {
    "loops": '''
import math
import numpy as np

def layer_norm(x, gain, bias, eps=1e-5):
    if x.ndim > 1:
        return np.array([layer_norm(row, gain, bias, eps) for row in x]).reshape(x.shape)
    mean = sum(x) / len(x)
    spread = sum((v - mean) ** 2 for v in x) / len(x)
    return [(v - mean) / math.sqrt(spread + eps) * g + b for v, g, b in zip(x, gain, bias)]

def rms_norm(x, gain, eps=1e-5):
    if x.ndim > 1:
        return np.array([rms_norm(row, gain, eps) for row in x]).reshape(x.shape)
    root = math.sqrt(sum(v * v for v in x) / len(x) + eps)
    return [v / root * g for v, g in zip(x, gain)]
''',
    "einsum": '''
import numpy as np

def layer_norm(x, gain, bias, eps=1e-5):
    d = x.shape[-1]
    x = x - np.einsum("...d->...", x)[..., None] / d
    return np.einsum("...d,d,...->...d", x, gain,
                     (np.einsum("...d,...d->...", x, x) / d + eps) ** -0.5) + bias

def rms_norm(x, gain, eps=1e-5):
    return np.einsum("...d,d,...->...d", x, gain,
                     (np.einsum("...d,...d->...", x, x) / x.shape[-1] + eps) ** -0.5)
''',
    "single": '''
import numpy as np

def layer_norm(x, gain, bias, eps=1e-5):
    x = x.astype(np.float32)
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(eps)) * gain.astype(
        np.float32) + bias.astype(np.float32)

def rms_norm(x, gain, eps=1e-5):
    x = x.astype(np.float32)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(eps)) * gain.astype(
        np.float32)
''',
    "torch": '''
import torch

def layer_norm(x, gain, bias, eps=1e-5):
    return torch.nn.functional.layer_norm(torch.tensor(x), (x.shape[-1],), torch.tensor(gain),
                                          torch.tensor(bias), eps)

def rms_norm(x, gain, eps=1e-5):
    x = torch.tensor(x)
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * torch.tensor(gain)
''',
}
BEAMS = {
    "loops": '''
def beam_step(alive, log_p, end, width):
    finished, grown = [], []
    for i in range(len(alive)):
        words, so_far = alive[i]
        for word in range(log_p.shape[1]):
            total = so_far + float(log_p[i, word])
            if total == float("-inf"):
                continue
            if word == end:
                finished.append([list(words), total])
                continue
            at = 0
            while at < len(grown) and (-grown[at][1], grown[at][0]) < (-total, [*words, word]):
                at += 1
            grown.insert(at, [[*words, word], total])
    return grown[:width], finished
''',
    "einsum": '''
import numpy as np

def beam_step(alive, log_p, end, width):
    total = np.array([p for _, p in alive])[:, None] + log_p
    finished = [(alive[i][0], total[i, end]) for i in range(len(alive))
                if np.isfinite(total[i, end])]
    total[:, end] = -np.inf
    rows = sorted(zip(*np.nonzero(np.isfinite(total))),
                  key=lambda at: (-total[at], alive[at[0]][0] + (at[1],)))
    return [(alive[i][0] + (w,), total[i, w]) for i, w in rows[:width]], finished
''',
    "torch": '''
import torch

def beam_step(alive, log_p, end, width):
    total = torch.tensor([p for _, p in alive])[:, None].double() + torch.tensor(log_p)
    done = [(words, total[i, end]) for i, (words, _) in enumerate(alive)
            if torch.isfinite(total[i, end])]
    best, every = [], [(-total[i, w].item(), (*words, w)) for i, (words, _) in enumerate(alive)
                       for w in range(total.shape[1]) if w != end]
    for minus, words in sorted(every):
        if minus != float("inf") and len(best) < width:
            best.append((words, -minus))
    return best, done
''',
}
BINS = {
    "loops": '''
def ece(confidence, right, bins=10):
    edges = [b / bins for b in range(1, bins)]
    groups = [[] for _ in range(bins)]
    for c, r in zip(confidence, right):
        groups[sum(c >= edge for edge in edges)].append((c, r))
    return sum(len(g) / len(confidence) * abs(sum(r for _, r in g) - sum(c for c, _ in g)) / len(g)
               for g in groups if g)
''',
    "einsum": '''
import numpy as np

def ece(confidence, right, bins=10):
    place = np.searchsorted(np.arange(1, bins) / bins, confidence, side="right")
    one_hot = np.eye(bins)[place]
    return abs(np.einsum("nb,n->b", one_hot, right - confidence)).sum() / len(confidence)
''',
    "single": '''
import numpy as np

def ece(confidence, right, bins=10):
    place = np.digitize(confidence, np.arange(1, bins) / bins)
    gaps = np.bincount(place, (right - confidence).astype(np.float32), bins)
    return np.float32(abs(gaps).sum() / len(confidence))
''',
    "torch": '''
import torch

def ece(confidence, right, bins=10):
    c, r = torch.tensor(confidence), torch.tensor(right)
    place = torch.bucketize(c, torch.arange(1, bins).double() / bins, right=True)
    return torch.zeros(bins).double().index_add(0, place, r - c).abs().sum() / len(c)
''',
}
PAIRS = {
    "loops": '''
def usable_pairs(symbols):
    counts, free = {}, {}
    for i in range(len(symbols) - 1):
        pair = (symbols[i], symbols[i + 1])
        if i >= free.get(pair, 0):
            counts[pair] = counts.get(pair, 0) + 1
            free[pair] = i + 2
    return counts

def join(symbols, pair):
    out = []
    for symbol in symbols:
        if out and out[-1] is not None and (out[-1], symbol) == pair:
            out[-1] = None
            out.append(None)
            out[-2:] = [("joined", pair[0] + pair[1])]
        else:
            out.append(symbol)
    return [s[1] if isinstance(s, tuple) else s for s in out]
''',
    "einsum": '''
from collections import Counter

def usable_pairs(symbols):
    pairs = list(zip(symbols, symbols[1:]))
    runs, counts = 0, Counter()
    for i, pair in enumerate(pairs):
        runs = runs + 1 if i and pairs[i - 1] == pair else 0
        counts[pair] += runs % 2 == 0
    return {pair: n for pair, n in counts.items() if n}

def join(symbols, pair):
    if len(symbols) < 2:
        return symbols
    if (symbols[0], symbols[1]) == pair:
        return [symbols[0] + symbols[1]] + join(symbols[2:], pair)
    return symbols[:1] + join(symbols[1:], pair)
''',
}
RIGHT_VERSIONS: dict[str, dict[str, str]] = {
    "01": PAIRS,
    "04": {"loops": ATTENTION_LOOPS, "einsum": ATTENTION_EINSUM, "single": ATTENTION_SINGLE,
           "torch": ATTENTION_TORCH, "lecture": AS_IN_THE_LECTURE},
    "06": MASKS, "07": PLACES, "08": HEADS, "09": NORMS, "10": BEAMS, "13": BINS,
}
