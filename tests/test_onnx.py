"""The onnx project's own conformance cases, through a thin adapter.

The adapter turns a node's attributes into our arguments and computes
nothing itself. The expected outputs come with the cases, in the precision
of their inputs; ours are float64.
"""

from importlib import import_module

import numpy as np
import onnx
import pytest
from onnx.backend.test.case import node as cases

import attention_np as a

COUNTS = {"Attention": 93, "RotaryEmbedding": 8, "LayerNormalization": 19,
          "RMSNormalization": 19, "Softmax": 7, "Gelu": 4}

# Cases that do not apply, by name, each with its reason. None.
NOT_OURS: dict[str, str] = {}

# float32 as the case says. A float16 has 11 bits and a bfloat16 8: there the
# expected values are off by one rounding or two, 2^-10 or 2^-7, ours are not.
TOLERANCE = {"float32": (1e-3, 1e-7), "float16": (1e-3, 1e-3),
             "bfloat16": (8e-3, 8e-3)}


def collect():
    # Importing a module of cases registers them. The collect_testcases of
    # onnx imports all 190 modules for it, which takes ten times as long.
    np.random.seed(0)                   # the cases draw without a seed
    for op in COUNTS:
        import_module(f"{cases.__name__}.{op.lower()}")
    return {c.name: c for c in cases._NodeTestCases
            if op_of(c) in COUNTS and "_expanded" not in c.name}


def op_of(case):
    return case.model.graph.node[-1].op_type


CASES = collect()


# ---------------------------------------------------------------- adapter

def run_attention(x, q_num_heads=None, kv_num_heads=None, is_causal=0,
                  scale=True, softcap=None, left_window_size=-1,
                  right_window_size=-1, qk_matmul_output_mode=0,
                  softmax_precision=None):
    Q, K, V = x["Q"], x["K"], x["V"]
    flat = Q.ndim == 3
    if flat:
        Q = a.split_heads(Q, q_num_heads)
        K, V = (a.split_heads(y, kv_num_heads) for y in (K, V))
    past = x.get("past_key")
    if past is not None:
        K, V = a.extend_cache((past, x["past_value"]), K, V)
    n_q, n_k = Q.shape[-2], K.shape[-2]

    # Where the first query stands: after the past, or so that the last
    # query meets the last key that is no padding, or at 0. Where that is
    # our default the case judges the default: no offset is given.
    used = x.get("nonpad_kv_seqlen")
    offsets = ([0 if past is None else past.shape[-2]] if used is None
               else [int(n) - n_q for n in used])
    offsets = [None if o == n_k - n_q else o for o in offsets]
    sides = [None if side < 0 else side
             for side in (left_window_size, right_window_size)]
    keep = np.stack([a.window_mask(n_q, *sides, n_k, o) for o in offsets])
    if is_causal:
        keep &= np.stack([a.causal_mask(n_q, n_k, o) for o in offsets])
    keep = keep[:, None]                            # [batch, 1, n_q, n_k]
    if used is not None:
        real = np.arange(n_k) < used.reshape(-1, 1)
        keep = keep & a.padding_mask(real, pad=False, heads=True)

    mask = x.get("attn_mask")
    if mask is not None:
        short = [(0, 0)] * (mask.ndim - 1) + [(0, n_k - mask.shape[-1])]
        if mask.dtype == bool:
            mask = keep & np.pad(mask, short)
        else:
            mask = np.pad(mask, short, constant_values=-np.inf)
            mask = mask if keep.all() else np.where(keep, mask, -np.inf)
    elif not keep.all():
        mask = keep

    out, W = a.attention(Q, K, V, scale, mask, softcap)
    scores = W if qk_matmul_output_mode == 3 else a.attention_scores(
        Q, K, scale, mask if qk_matmul_output_mode == 2 else None,
        softcap if qk_matmul_output_mode else None)
    return {"Y": a.merge_heads(out) if flat else out, "present_key": K,
            "present_value": V, "qk_matmul_output": scores}


def run_rotary(x, interleaved=0, rotary_embedding_dim=0, num_heads=None):
    X = x["input"]
    flat = X.ndim == 3
    X = a.split_heads(X, num_heads) if flat else X      # [n, h, T, d]
    cos, sin = x["cos_cache"], x["sin_cache"]
    if "position_ids" in x:
        cos, sin = cos[x["position_ids"]], sin[x["position_ids"]]
    d = rotary_embedding_dim or X.shape[-1]
    turned = a.rotate_pairs(X[..., :d], cos[:, None], sin[:, None],
                            "adjacent" if interleaved else "half")
    out = np.concatenate([turned, X[..., d:]], axis=-1)
    return {"output": a.merge_heads(out) if flat else out}


def run_norm(x, norm, axis=-1, epsilon=None, stash_type=1):
    eps = {} if epsilon is None else {"eps": epsilon}   # else our own default
    X, shape = x["X"], x["X"].shape
    rows = X.reshape(*shape[:axis % X.ndim], -1)        # one axis to norm
    given = [x[key].ravel() for key in "WB" if key in x]
    out = {"Y": norm(rows, *given, **eps).reshape(shape)}
    if norm is a.layer_norm:
        kept = shape[:axis % X.ndim] + (1,) * (X.ndim - axis % X.ndim)
        mean, inverse = (y.reshape(kept) for y in a.moments(rows, **eps))
        out |= {"Mean": mean, "InvStdDev": inverse}
    return out


RUN = {
    "Attention": run_attention,
    "RotaryEmbedding": run_rotary,
    "LayerNormalization": lambda x, **k: run_norm(x, a.layer_norm, **k),
    "RMSNormalization": lambda x, **k: run_norm(x, a.rms_norm, **k),
    "Softmax": lambda x, axis=-1: {"y": a.softmax(x["x"], axis)},
    "Gelu": lambda x, approximate=b"none": {
        "y": a.gelu(x["x"], approximate.decode())},
}


def plain(array):
    """float64 for every float, whatever its width; the rest as it is."""
    exact = array.dtype == bool or array.dtype.kind in "iu"
    return array if exact else array.astype(np.float64)


# ------------------------------------------------------------------ tests

@pytest.mark.parametrize("name", sorted(set(CASES) - set(NOT_OURS)))
def test_onnx_case(name):
    case = CASES[name]
    node = case.model.graph.node[-1]
    given, wanted = case.data_sets[0]
    names = [key for key in node.input if key]
    x = {key: plain(y) for key, y in zip(names, given, strict=True)}
    attributes = {k.name: onnx.helper.get_attribute_value(k)
                  for k in node.attribute}
    got = RUN[node.op_type](x, **attributes)
    rtol, atol = TOLERANCE[str(given[0].dtype)]
    outputs = [key for key in node.output if key]
    for key, want in zip(outputs, wanted, strict=True):
        assert got[key].shape == want.shape, key
        np.testing.assert_allclose(got[key], plain(want), rtol, atol,
                                   err_msg=key)


def attributes_of(case):
    return {k.name: onnx.helper.get_attribute_value(k)
            for k in case.model.graph.node[-1].attribute}


NORMS = sorted(n for n, c in CASES.items() if "Normalization" in op_of(c)
               and "epsilon" not in attributes_of(c)
               and str(c.data_sets[0][0][0].dtype) == "float32")


@pytest.mark.parametrize("name", NORMS)
def test_the_default_eps(name):
    """1e-6 in its place would move a row of variance one by 4.5e-6."""
    case = CASES[name]
    given, wanted = case.data_sets[0]
    x = {key: plain(y) for key, y in zip(case.model.graph.node[-1].input, given,
                                         strict=True)}
    got = RUN[op_of(case)](x, **attributes_of(case))
    for key, want in zip(case.model.graph.node[-1].output, map(plain, wanted), strict=True):
        assert (np.abs(got[key] - want) / (np.abs(want) + 1)).max() < 1e-6, key


def test_some_cases_judge_the_defaults(monkeypatch):
    """A mask that counts from the other end is seen by cases with a cache."""
    assert len(NORMS) >= 10
    asked = []
    ours = a.causal_mask

    def noted(T, S=None, offset=None):
        asked.append(offset is None and S not in (None, T))
        return ours(T, S, offset)

    monkeypatch.setattr(a, "causal_mask", noted)
    for name, case in CASES.items():
        if op_of(case) == "Attention":
            test_onnx_case(name)
    assert sum(asked) >= 1


def test_no_case_has_vanished():
    found = {op: sum(op_of(c) == op for c in CASES.values()) for op in COUNTS}
    assert found == COUNTS
    assert set(NOT_OURS) <= set(CASES) and all(NOT_OURS.values())
