"""Known mistakes made in code of another kind: what the bank's own code could not give away.

(the mistake, demo and way of a right version, what is changed in it: pairs of texts).
"""

from __future__ import annotations

from benchmarks.mistakes.right_versions import RIGHT_VERSIONS

Words = tuple[str, str, str, tuple[str, ...]]
ROOT = "Q.shape[-1] ** -0.5"

OTHER_WORDS: tuple[Words, ...] = (
    ("attention.by_d", "04", "einsum", (ROOT, "Q.shape[-1] ** -1.0")),
    ("attention.by_value_width", "04", "einsum", (ROOT, "V.shape[-1] ** -0.5")),
    ("attention.by_keys", "04", "einsum", (ROOT, "K.shape[-2] ** -0.5")),
    ("attention.undivided", "04", "einsum", (f"{ROOT} if scale else 1", "1")),
    ("attention.minus_20", "04", "einsum", ("S[~mask] = -np.inf", "S[~mask] = -20")),
    ("attention.minus_20_added", "04", "einsum", ("S[~mask] = -np.inf", "S[~mask] -= 20")),
    ("attention.mask_inverted", "04", "einsum", ("S[~mask]", "S[mask]")),
    ("attention.zero_mask", "04", "einsum", ("S[~mask] = -np.inf", "S[~mask] = 0")),
    ("attention.keys_fetched", "04", "einsum", ("W, V), W", "W, K), W")),
    ("attention.by_64", "04", "torch", ("S / math.sqrt(Q.size(-1))", "S / math.sqrt(64)")),
    ("attention.along_queries", "04", "torch", ("S.softmax(-1)", "S.softmax(-2)")),
    ("attention.minus_billion", "04", "torch", ('~torch.as_tensor(mask), float("-inf")',
                                                "~torch.as_tensor(mask), -1e9")),
    ("attention.nan", "04", "torch", ("torch.nan_to_num(S.softmax(-1))", "S.softmax(-1)")),
    ("attention.multiplied", "04", "loops", ("dot / math.sqrt", "dot * math.sqrt")),
    ("attention.always_divided", "04", "loops", ("if scale else dot", "if True else dot")),
    ("attention.mask_ignored", "04", "loops", ("if mask is None or mask[i, j]", "if True")),
    ("softmax.along_queries", "04", "torch", ("torch.tensor(x), dim=-1", "torch.tensor(x), dim=0")),
    ("softmax.no_maximum", "04", "loops", ("math.exp(v - top)", "math.exp(v)")),
    ("softmax.no_sum", "04", "loops", ("[v / sum(e) for v in e]", "e")),
    ("causal_mask.next", "04", "torch", ("offset is None else offset)",
                                         "offset is None else offset + 1)",
                                         "tril(S - T if", "tril(S - T + 1 if")),
    ("causal_mask.strict", "04", "loops", ("j <= i + offset", "j < i + offset")),
    ("causal_mask.future", "04", "torch", (".tril(", ".triu(")),
    ("layer1_prev_token.no_residual", "04", "einsum", ("X + fetched", "fetched")),
    ("layer2_induction.exchanged", "04", "einsum",
     ("return attention(circuit.beta * X @ circuit.Q, X @ circuit.K",
      "return attention(circuit.beta * X @ circuit.K, X @ circuit.Q")),
    ("padding_mask.inverted", "06", "loops", ("word != pad", "word == pad")),
    ("padding_mask.zero", "06", "torch", (".ne(pad)", ".ne(0)")),
    ("combined_mask.either", "06", "loops", ("j <= i and", "j <= i or")),
    ("combined_mask.future", "06", "torch", (".tril()", ".triu()")),
    ("combined_mask.strict", "06", "single", ("np.arange(T)) >= 0", "np.arange(T)) > 0")),
    ("sinusoidal_positions.own_angle", "07", "loops", ("(c - c % 2)", "c")),
    ("sinusoidal_positions.exchanged", "07", "einsum", ("turn.imag, turn.real",
                                                        "turn.real, turn.imag")),
    ("sinusoidal_positions.halves", "07", "torch", ("table[:, 0::2]", "table[:, :(d + 1) // 2]",
                                                    "table[:, 1::2]", "table[:, (d + 1) // 2:]")),
    ("rope.backwards", "07", "einsum", ("-np.sin(angle)], [np.sin", "np.sin(angle)], [-np.sin")),
    ("rope.by_halves", "07", "loops", ('if convention == "half"', "if True")),
    ("rope.from_one", "07", "torch", ("torch.tensor(positions)[",
    "(1 + torch.tensor(positions))[")),
    ("split_heads.interleaved", "08", "loops", ("x[..., i * w:(i + 1) * w]", "x[..., i::h]")),
    ("merge_heads.reshaped", "08", "torch", (".transpose(-2, -3).flatten(-2)",
                                             ".reshape(*x.shape[:-3], x.shape[-2], -1)")),
    ("share_heads.in_turn", "08", "loops", ("i // each", "i % kv.shape[-3]")),
    ("share_heads.first", "08", "torch", ("torch.tensor(kv).repeat_interleave(h // kv.shape[-3],",
                                          "torch.tensor(kv)[..., :1, :, :].repeat_interleave(h,")),
    ("layer_norm.n_minus_1", "09", "loops", ("for v in x) / len(x)\n    return [(v - mean)",
                                             "for v in x) / (len(x) - 1)\n    return [(v - mean)")),
    ("layer_norm.mean_stays", "09", "einsum", ("x, gain,\n                     (np.einsum(\"...d,"
                                               "...d->...\", x, x) / d + eps) ** -0.5) + bias",
                                               "x + m, gain, (np.einsum(\"...d,...d->...\", x, x) "
                                               "/ d + eps) ** -0.5) + bias",
                                               "    x = x - np.einsum(\"...d->...\", x)[..., None] "
                                               "/ d\n", "    m = np.einsum(\"...d->...\", x)"
                                               "[..., None] / d\n    x = x - m\n")),
    ("layer_norm.fixed_eps", "09", "torch", ("torch.tensor(bias), eps)",
    "torch.tensor(bias), 1e-5)")),
    ("rms_norm.summed", "09", "loops", ("v * v for v in x) / len(x)", "v * v for v in x)")),
    ("rms_norm.no_eps", "09", "torch", ("keepdim=True) + eps)", "keepdim=True))")),
    ("beam_step.end_for_free", "10", "loops", ("finished.append([list(words), total])",
                                               "finished.append([list(words), so_far])")),
    ("beam_step.last_word_only", "10", "loops", ("grown.insert(at, [[*words, word], total])",
                                                 "grown.insert(at, [[*words, word], total - "
                                                 "so_far])",
                                                 "(-total, [*words", "(so_far - total, [*words")),
    ("beam_step.no_width", "10", "einsum", ("rows[:width]", "rows")),
    ("ece.right_edge", "13", "loops", ("c >= edge", "c > edge")),
    ("ece.signed", "13", "einsum",
    ("abs(np.einsum(\"nb,n->b\", one_hot, right - confidence)).sum()",
                                    "np.einsum(\"nb,n->b\", one_hot, right - confidence).sum()")),
    ("ece.ten_bins", "13", "torch", ("bins=10):\n", "bins=10):\n    bins = 10\n")),
    ("usable_pairs.overlapping", "01", "loops", ("free[pair] = i + 2", "free[pair] = i + 1")),
    ("usable_pairs.no_order", "01", "einsum", ("counts[pair] += runs",
    "counts[tuple(sorted(pair))] "
                                               "+= runs")),
    ("join.used_twice", "01", "einsum", ("join(symbols[2:], pair)", "join(symbols[1:], pair)")),
)


def code_of(words: Words) -> str:
    """The whole wrong file.  ValueError where what is to be changed is not there."""
    key, demo, way, edits = words
    text = RIGHT_VERSIONS[demo][way]
    for old, new in zip(edits[::2], edits[1::2], strict=True):
        if old not in text:
            raise ValueError(f"{key} ({way}): there is no {old!r}")
        text = text.replace(old, new)
    return text
