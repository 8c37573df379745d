"""What must hold for every input, not only for the ones we thought of."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import attention_np as a

# the same examples every time; no deadline, the machine is shared
ours = settings(deadline=None, max_examples=60, derandomize=True)

sizes = st.integers(1, 6)
numbers = st.floats(-30, 30)


def matrix(rows, columns):
    return arrays(np.float64, (rows, columns), elements=numbers)


@st.composite
def qkv(draw, square=False):
    n_q, d, d_v = draw(sizes), draw(sizes), draw(sizes)
    n_k = n_q if square else draw(sizes)
    return (draw(matrix(n_q, d)), draw(matrix(n_k, d)),
            draw(matrix(n_k, d_v)))


@ours
@given(qkv(), st.data())
def test_rows_sum_to_one_or_are_empty(x, data):
    shape = len(x[0]), len(x[1])
    mask = data.draw(arrays(bool, shape))
    _, W = a.attention(*x, mask=mask)
    np.testing.assert_allclose(W.sum(-1), mask.any(-1), atol=1e-12)
    assert (W >= 0).all() and not W[~mask].any()


@ours
@given(qkv(square=True), st.data())
def test_no_weight_on_the_future_and_no_way_from_it(x, data):
    Q, K, V = x
    out, W = a.attention(Q, K, V, mask=a.causal_mask(len(Q)))
    assert not np.triu(W, 1).any()
    cut = data.draw(st.integers(0, len(Q) - 1))
    K2, V2 = K.copy(), V.copy()
    K2[cut + 1:], V2[cut + 1:] = 7.0, -9.0
    again, _ = a.attention(Q, K2, V2, mask=a.causal_mask(len(Q)))
    np.testing.assert_array_equal(out[:cut + 1], again[:cut + 1])


@ours
@given(qkv(square=True))
def test_causal_is_the_full_one_cut_and_renormalised(x):
    Q, K, V = (m / 30 for m in x)       # small: no weight underflows
    full = np.tril(a.attention(Q, K, V)[1])
    causal = a.attention(Q, K, V, mask=a.causal_mask(len(Q)))[1]
    np.testing.assert_allclose(causal, full / full.sum(-1, keepdims=True),
                               atol=1e-12)


@ours
@given(qkv(square=True), st.data())
def test_without_a_mask_permuted_tokens_give_permuted_outputs(x, data):
    order = data.draw(st.permutations(range(len(x[0]))))
    out, _ = a.attention(*x)
    moved, _ = a.attention(*(m[list(order)] for m in x))
    np.testing.assert_allclose(moved, out[list(order)], atol=1e-11)


@ours
@given(qkv(), st.data())
def test_a_constant_added_to_a_row_of_scores_changes_nothing(x, data):
    shape = len(x[0]), len(x[1])
    extra = data.draw(arrays(np.float64, (shape[0], 1), elements=numbers))
    plain = a.attention(*x, mask=np.zeros(shape))
    added = a.attention(*x, mask=np.broadcast_to(extra, shape))
    np.testing.assert_allclose(added[1], plain[1], atol=1e-11)


@ours
@given(qkv())
def test_outputs_stay_within_the_values(x):
    out, _ = a.attention(*x)
    V = x[2]
    assert (out <= V.max(0) + 1e-9).all() and (out >= V.min(0) - 1e-9).all()


@ours
@given(st.integers(1, 5), st.integers(0, 2000), st.integers(0, 2000),
       st.integers(0, 2000), st.sampled_from(["half", "adjacent"]), st.data())
def test_rope_scores_depend_on_the_distance_only(pairs, m, n, shift,
                                                 convention, data):
    q, k = data.draw(matrix(1, 2 * pairs)), data.draw(matrix(1, 2 * pairs))

    def score(m, n):
        return (a.rope(q, m, convention) @ a.rope(k, n, convention).T).item()

    # angles up to 4000 radians are good to 5e-13, times |q| |k| <= 9000
    np.testing.assert_allclose(score(m, n), score(m + shift, n + shift),
                               atol=2e-8)
    np.testing.assert_allclose(np.linalg.norm(a.rope(q, m, convention)),
                               np.linalg.norm(q), atol=1e-9)


@ours
@given(st.integers(1, 4), sizes, sizes, st.data())
def test_split_and_merge_undo_each_other(h, T, d, data):
    x = data.draw(matrix(T, h * d))
    np.testing.assert_array_equal(a.merge_heads(a.split_heads(x, h)), x)


@ours
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 5), st.data())
def test_a_cache_gives_the_last_rows_of_the_full_pass(groups, h_kv, T, data):
    h = groups * h_kv
    Q = data.draw(arrays(np.float64, (h, T, 2), elements=numbers))
    K = data.draw(arrays(np.float64, (h_kv, T, 2), elements=numbers))
    full, _ = a.attention(Q, K, K, mask=a.causal_mask(T))
    cache = None
    for i in range(T):
        cache = a.extend_cache(cache, K[:, i:i + 1], K[:, i:i + 1])
        out, _ = a.attention(Q[:, i:i + 1], *cache,
                             mask=a.causal_mask(1, i + 1))
        np.testing.assert_allclose(out[:, 0], full[:, i], atol=1e-11)


@ours
@given(matrix(3, 4))
def test_norms_forget_what_they_should(x):
    x = x + np.arange(4) * 100              # never a constant row
    np.testing.assert_allclose(a.layer_norm(7 * x + 3, eps=0),
                               a.layer_norm(x, eps=0), atol=1e-9)
    np.testing.assert_allclose(a.rms_norm(7 * x, eps=0),
                               a.rms_norm(x, eps=0), atol=1e-9)
