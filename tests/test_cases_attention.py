"""Faults once reported in other projects, as inputs for this one.

K-01 .. K-12, K-19, K-20: the smallest input that shows the fault and the
right value, compared at 1e-9. A name holds its number; the comment says
what went wrong elsewhere.
"""

import warnings

import numpy as np
import pytest

import attention_np as a
from lecture.lab import heads

EXACT = {"rtol": 0, "atol": 1e-9}


def same(got, want):
    np.testing.assert_allclose(got, want, **EXACT)


def even(T, S=None):
    """Queries and keys whose scores are all zero."""
    return np.zeros((T, 2)), np.zeros((S or T, 2))


def column(*numbers):
    return np.array(numbers, dtype=float)[:, None]


# K-01: softmax without subtracting the maximum overflowed float32

K01 = [
    (np.float32([151.29, 150.29, 0.0]), [0.7310585786, 0.2689414214, 0]),
    ([151.29, 150.29, 0.0], [0.7310585786, 0.2689414214, 0]),
    ([1e308, 0.0], [1, 0]),
    ([-1e308, -1e308], [0.5, 0.5]),
]


@pytest.mark.parametrize("scores, want", K01)
def test_k01_softmax_does_not_overflow(scores, want):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(a.softmax(scores), want)


# K-02: a row that may look at nothing gave NaN, or the mean of everything

K02 = {
    "QK": np.array([[1, 0], [0, 1], [1, 1]]),
    "V": np.array([[1, 2], [3, 4], [5, 6]]),
    "keep": np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]], dtype=bool),
    "weights": [[1, 0, 0], [0.3302384507, 0.6697615493, 0], [0, 0, 0]],
    "out": [[1, 2], [2.3395230987, 3.3395230987], [0, 0]]}


@pytest.mark.parametrize("form", ["boolean", "additive"])
def test_k02_empty_row_is_zeros(form):
    keep = K02["keep"]
    mask = keep if form == "boolean" else np.where(keep, 0.0, -np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out, W = a.attention(K02["QK"], K02["QK"], K02["V"], mask=mask)
    same(W, K02["weights"])
    same(out, K02["out"])


def test_k02_half_precision_masks_are_exact():
    # -65504 + (-16) overflows in float16: [pad, token] became NaN there
    mask = np.float16([[-65504, 0]])
    same(a.softmax(np.float16([[-16, 3]]) + mask.astype(float)), [[0, 1]])
    Q, K = np.float16([[4, 4]]), np.float16([[-2, -2], [1, 1]])
    _, W = a.attention(Q, K, column(1, 2), scale=False, mask=mask)
    same(W, [[0, 1]])


# K-03: True meant "hidden" to the caller and "keep" to the callee

def test_k03_true_means_may_look():
    out, W = a.attention(*even(3), column(1, 2, 4), mask=a.causal_mask(3))
    same(out[:, 0], [1, 1.5, 2.3333333333])
    assert (W[np.triu_indices(3, 1)] == 0).all()


def test_k03_a_0_1_mask_is_not_added_to_the_scores():
    with pytest.raises(ValueError, match="True = may look"):
        a.attention(*even(3), column(1, 2, 4), mask=np.tri(3, dtype=int))


# K-04: the padding mask lay on the query axis; padded keys stayed visible

K04 = np.array([[5, 7, 0, 0]])


def test_k04_padding_hides_keys_not_queries():
    keep = a.combined_mask(K04, pad=0)[0]
    assert keep.astype(int).tolist() == [
        [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]
    _, W = a.attention(*even(4), np.eye(4), mask=keep)
    same(W[2:], [[0.5, 0.5, 0, 0]] * 2)
    assert not W[:, 2:].any()


def test_k04_a_query_column_is_refused():
    on_queries = (K04[0] != 0)[:, None]             # [4, 1]
    with pytest.raises(ValueError, match="does not fit"):
        a.attention(*even(4), np.eye(4), mask=on_queries)


# K-05: scores were divided by the root of the model's width

def test_k05_the_width_is_the_heads():
    one = np.zeros((1, 1, 64))
    one[..., :16] = 1.0                             # head 0 of four
    two = np.concatenate([one, np.zeros((1, 1, 64))], axis=1)
    Q, K = a.split_heads(one, 4), a.split_heads(two, 4)
    _, W = a.attention(Q, K, K)
    same(W[0, 0, 0], [0.9820137900, 0.0179862100])


# K-06: heads were merged by a reshape, without moving the head axis first

K06 = np.array(list("abcdefgh")).reshape(1, 2, 2, 2)


def test_k06_merge_moves_the_head_axis():
    assert a.merge_heads(K06)[0].tolist() == [list("abef"), list("cdgh")]
    assert (a.split_heads(a.merge_heads(K06), 2) == K06).all()
    x = np.arange(24).reshape(1, 3, 8)
    assert (a.merge_heads(a.split_heads(x, 4)) == x).all()


# K-07: shared heads were tiled, each query head read the wrong one

def test_k07_each_kv_head_is_repeated():
    Q, K = np.ones((4, 1, 2)), np.ones((2, 1, 2))
    V = np.array([[[10.0]], [[20.0]]])
    same(a.attention(Q, K, V)[0].ravel(), [10, 10, 20, 20])


@pytest.mark.parametrize("h, h_kv", [(4, 3), (3, 2), (2, 4)])
def test_k07_heads_that_do_not_divide_are_refused(h, h_kv):
    K = np.ones((h_kv, 1, 2))
    with pytest.raises(ValueError, match="do not divide"):
        a.attention(np.ones((h, 1, 2)), K, K)


# K-08: with fewer queries than keys the mask was aligned at the top left

def test_k08_the_last_query_is_the_last_key():
    mask = a.causal_mask(2, 5)
    assert mask.astype(int).tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    out, _ = a.attention(*even(2, 5), column(1, 2, 3, 4, 5), mask=mask)
    same(out[:, 0], [2.5, 3.0])
    top_left = a.causal_mask(2, 5, offset=0)
    out, _ = a.attention(*even(2, 5), column(1, 2, 3, 4, 5), mask=top_left)
    same(out[:, 0], [1.0, 1.5])


def test_k08_token_by_token_is_the_full_pass():
    X = np.random.default_rng(8).standard_normal((6, 4))
    full, _ = a.attention(X, X, X, mask=a.causal_mask(6))
    cache = None
    for i in range(6):
        cache = a.extend_cache(cache, X[i:i + 1], X[i:i + 1])
        out, _ = a.attention(X[i:i + 1], *cache, mask=a.causal_mask(1, i + 1))
        same(out[0], full[i])


# K-09: asking for the weights dropped the mask

def test_k09_the_weights_shown_are_the_weights_used():
    X = np.random.default_rng(9).standard_normal((2, 6, 4))
    out, W = a.attention(X, X, X, mask=a.causal_mask(6))
    np.testing.assert_allclose(W @ X, out, rtol=0, atol=1e-12)
    np.testing.assert_allclose(W.sum(-1), 1.0, rtol=0, atol=1e-12)
    assert not np.triu(W, 1).any()


# K-10: cross-attention used the target's mask

K10 = {"source": [4, 6, 0], "memory": column(10, 20, 99), "targets": 4}


def test_k10_cross_attention_masks_the_source():
    Q, K = even(K10["targets"], 3)
    mask = a.padding_mask(K10["source"], pad=0)
    out, W = a.attention(Q, K, K10["memory"], mask=mask)
    same(out[:, 0], [15] * 4)
    same(W, [[0.5, 0.5, 0]] * 4)
    same(a.attention(Q, K, K10["memory"])[0][:, 0], [43] * 4)


def test_k10_alone_and_in_a_padded_batch():
    rng = np.random.default_rng(10)
    Q, K, V = (rng.standard_normal((2, n, 4)) for n in (4, 3, 3))
    alone, _ = a.attention(Q[0], K[0, :2], V[0, :2])
    ids = [K10["source"], [4, 6, 7]]
    batch, _ = a.attention(Q, K, V, mask=a.padding_mask(ids, pad=0))
    same(batch[0], alone)


# K-11: angles for adjacent pairs, rotation of split halves

K11 = {
    "q": np.array([[1.0, 2, 3, 4]]), "k": np.array([[4.0, 3, 2, 1]]),
    "places": [(3, 1), (5, 3), (102, 100)],
    "score": {"half": -3.456429234, "adjacent": 1.190051234},
    "at_1": {"adjacent": [-1.1426396637, 1.9220755965,
                          2.9598506679, 4.0297995017],
             "half": [-1.9841106486, 1.9599006675,
                      2.4623779024, 4.0197996683]}}


@pytest.mark.parametrize("convention", ["half", "adjacent"])
def test_k11_score_depends_on_the_distance(convention):
    q, k = K11["q"], K11["k"]
    for m, n in K11["places"]:
        score = a.rope(q, m, convention) @ a.rope(k, n, convention).T
        same(score.item(), K11["score"][convention])
    equal = a.rope(q, 7, convention) @ a.rope(k, 7, convention).T
    same(equal.item(), 20)
    same((a.rope(q, 5, convention) ** 2).sum(), 30)
    same(a.rope(q, 1, convention)[0], K11["at_1"][convention])


def test_k11_odd_widths():
    same(a.sinusoidal_positions(2, 5)[1], [
        0.8414709848, 0.5403023059, 0.0251162229, 0.9996845379, 0.0006309573])
    with pytest.raises(ValueError, match="must be even, got 5"):
        a.rope(np.ones((1, 5)), 1)


# K-12: the table of angles was built in half precision

@pytest.mark.parametrize("kind", [np.int64, np.float16, np.float32])
def test_k12_angles_are_float64(kind):
    unit = np.zeros((1, 32), dtype=kind)
    unit[0, 1] = 1                          # first number of pair 1
    turned = a.rope(unit, np.array([1857], dtype=kind), "half")[0]
    same(turned[1], 0.3066928098)
    same(turned[16 + 1], 0.9518085524)
    same(1857 * a.rope_frequencies(32)[1], 1044.2678408785)


# K-19: the score of an induction head was read one place off, or was
# moved by a start token

BOS = 9


def perfect(ids):
    """Looks at what followed this word's first copy, else at token 0."""
    W = np.zeros((len(ids), len(ids)))
    for i, word in enumerate(ids):
        earlier = [j for j in range(i) if ids[j] == word != BOS]
        W[i, earlier[0] + 1 if earlier else 0] = 1.0
    return W


@pytest.mark.parametrize("starts", [0, 1, 2])
def test_k19_score_does_not_depend_on_start_tokens(starts):
    ids = [BOS] * starts + [0, 1, 2, 3] * 2
    got = heads.prefix_matching_score(perfect(ids), ids, ignore=BOS)
    same(got.score, 1.0)
    assert (got.rows, got.tied) == (4, 0)       # the second copy, only
    late = np.roll(perfect(ids), -1, axis=1)    # one place too early
    same(heads.prefix_matching_score(late, ids, ignore=BOS).score, 0.0)


def circuit(ids):
    # beta1 = 60: layer 1 is exact to the last digit, as the case assumes
    m = a.HandBuiltInduction(4, len(ids), beta=10.0, beta1=60.0)
    return m.predict(ids)


def test_k19_one_match():
    said = circuit([0, 1, 2, 0])                        # A B C A
    same(said.layer2[3, 1], 0.9998638188)
    assert said.tokens[3] == 1


def test_k19_two_matches_are_shown_as_a_tie():
    ids = [0, 1, 0, 2, 0]                               # A B A C A
    said = circuit(ids)
    same(said.layer2[4, [1, 3]], [0.4999659524] * 2)
    got = heads.prefix_matching_score(said.layer2, ids)
    assert (got.rows, got.tied) == (2, 1)


# K-20: what weights show, and what they do not

def test_k20_other_weights_same_output():
    V = np.array([[2.0, -1.0]] * 3)
    for weights in ([1, 0, 0], [1 / 3] * 3):
        same(np.array(weights) @ V, [2, -1])
    V = column(0, 2, 1)
    for weights in ([0.5, 0.5, 0], [0, 0, 1], [0.25, 0.25, 0.5]):
        with np.errstate(divide="ignore"):
            scores = np.log([weights])      # the mask that gives them
        out, W = a.attention(*even(1, 3), V, mask=scores)
        same(W[0], weights)
        same(out.item(), 1.0)


def test_k20_rank_is_a_matter_of_the_scores():
    q = column(0, 1, 2, 3)
    S = a.attention_scores(q, q, scale=False)
    assert np.linalg.matrix_rank(S) == 1
    W = a.softmax(S)
    assert np.linalg.matrix_rank(W) == 4
    same(np.linalg.svd(W, compute_uv=False),
         [1.485433586, 0.423133051, 0.105012799, 0.006587959])


def test_k20_no_sense_of_order_without_a_mask():
    rng = np.random.default_rng(20)
    X, order = rng.standard_normal((6, 4)), rng.permutation(6)
    out, _ = a.attention(X, X, X)
    moved, _ = a.attention(X[order], X[order], X[order])
    np.testing.assert_allclose(moved, out[order], rtol=0, atol=1e-12)
    causal = a.causal_mask(6)
    out, _ = a.attention(X, X, X, mask=causal)
    moved, _ = a.attention(X[order], X[order], X[order], mask=causal)
    assert np.abs(moved - out[order]).max() > 0.1       # the mask has


def test_k20_rank_of_scores_weights_and_output():
    """A head's output has rank at most d_v, whatever its weights have."""
    rng = np.random.default_rng(21)
    Q, K, V = (rng.standard_normal((12, n)) for n in (3, 3, 2))
    out, W = a.attention(Q, K, V)
    assert np.linalg.matrix_rank(a.attention_scores(Q, K)) == 3
    assert np.linalg.matrix_rank(W) > 3 and np.linalg.matrix_rank(out) == 2
