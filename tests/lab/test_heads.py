"""Head scores on patterns whose right score is known."""

import numpy as np
import pytest

import attention_np as a
from lecture.lab import heads as h

rng = np.random.default_rng(7)
DATA = a.repeated_sequences(20, 10, 50, 0)
SAID = a.HandBuiltInduction(20, 20).predict(DATA)
EVEN = a.softmax(np.where(a.causal_mask(20), 0.0, -np.inf))     # [20, 20]


def test_targets_are_what_came_after_the_same_word():
    targets = h.induction_targets([3, 5, 3, 6, 3])
    assert np.argwhere(targets).tolist() == [[2, 1], [4, 1], [4, 3]]
    assert not h.induction_targets([1, 2, 3]).any()
    assert np.argwhere(h.induction_targets([1, 1])).tolist() == [[1, 1]]
    assert not h.induction_targets([1, 1], ignore=1).any()
    assert not h.induction_targets([1, 2, 1, 2], ignore=[1, 2]).any()


def test_targets_never_lie_in_the_future():
    ids = rng.integers(3, size=(4, 12))
    assert not (h.induction_targets(ids) & ~a.causal_mask(12)).any()


def test_the_circuit_built_by_hand_scores_one():
    assert h.previous_token_score(SAID.layer1).mean() == pytest.approx(1, abs=1e-7)
    got = h.prefix_matching_score(SAID.layer2, DATA)
    assert got.score == pytest.approx(1, abs=1e-6)
    assert (got.rows, got.tied) == (500, 0)


def test_each_head_of_the_circuit_does_one_thing():
    assert h.prefix_matching_score(SAID.layer1, DATA).score < 1e-6
    assert h.previous_token_score(SAID.layer2).mean() < 0.2


def test_even_weights_score_what_they_must():
    row = np.arange(10, 20)
    want = np.mean(1 / (row + 1))           # one match in t + 1 places
    got = h.prefix_matching_score(np.broadcast_to(EVEN, (50, 20, 20)), DATA)
    assert got.score == pytest.approx(want)
    assert h.previous_token_score(EVEN) == pytest.approx(
        np.mean(1 / (np.arange(1, 20) + 1)))


def test_heads_keep_their_axes_and_the_batch_is_pooled():
    W = a.softmax(rng.standard_normal((3, 2, 4, 6, 6)))
    ids = np.array([[1, 2, 1, 2, 1, 3], [1, 2, 3, 4, 5, 1], [0, 1, 2, 3, 4, 5]])
    got = h.prefix_matching_score(W, ids)
    assert got.score.shape == (2, 4) and (got.rows, got.tied) == (4, 1)
    targets = h.induction_targets(ids)
    for head in np.ndindex(2, 4):
        rows = [W[(n, *head)][i][targets[n, i]].sum()
                for n in range(3) for i in range(6) if targets[n, i].any()]
        assert got.score[head] == pytest.approx(np.mean(rows))
    one = h.prefix_matching_score(W[0], ids[0])
    assert one.score.shape == (2, 4) and one.rows == 3
    assert h.previous_token_score(W).shape == (3, 2, 4)


def test_previous_token_score_by_hand():
    W = np.array([[1, 0, 0], [0.75, 0.25, 0], [0.1, 0.5, 0.4]])
    assert h.previous_token_score(W) == pytest.approx((0.75 + 0.5) / 2)


def test_copying_score_of_known_circuits():
    n, d = 12, 12
    W_E = np.linalg.qr(rng.standard_normal((d, d)))[0][:n]     # [n, d]
    W_V, W_O = np.eye(d)[:, :4], np.eye(d)[:4]
    score = h.copying_score
    assert score(W_E, W_V, W_O, W_E.T) == pytest.approx(1)     # says it
    assert score(W_E, W_V, -W_O, W_E.T) == pytest.approx(-1)   # forbids it
    assert score(W_E, W_V, 0 * W_O, W_E.T) == 0
    turn = np.zeros((4, 4))
    turn[[0, 1, 2, 3], [1, 2, 3, 0]] = 1                       # says another
    assert abs(score(W_E, W_V, turn @ W_O, W_E.T)) < 1e-9


def test_copying_score_is_that_of_the_whole_matrix():
    W_E, W_U = rng.standard_normal((9, 5)), rng.standard_normal((5, 9))
    W_V, W_O = rng.standard_normal((2, 3, 5, 4)), rng.standard_normal((2, 3, 4, 5))
    values = np.linalg.eigvals(W_E @ W_V @ W_O @ W_U)          # [2, 3, 9]
    assert np.abs(values.imag).max() > 1        # some turn: that counts too
    np.testing.assert_allclose(
        h.copying_score(W_E, W_V, W_O, W_U),
        values.real.sum(-1) / np.abs(values).sum(-1), atol=1e-6)
    m = a.HandBuiltInduction(6, 8)
    assert h.copying_score(m.is_word, m.V2, np.eye(6), np.eye(6)) == 1


def test_in_context_score_is_late_less_early():
    losses = np.array([[3.0, 3.0, 1.0, 1.0], [2.0, 4.0, 0.0, 2.0]])
    assert h.in_context_score(losses, slice(0, 2), slice(2, 4)) == -2.0
    assert h.in_context_score(losses, 0, 3) == -1.0
    assert h.in_context_score(losses, [0, 1], [0, 1]) == 0.0


def test_best_head_is_the_first_of_the_largest():
    assert h.best_head([[0.1, 0.7], [0.7, 0.2]]) == (0, 1)


REFUSED = [
    ("nothing twice", lambda: h.prefix_matching_score(EVEN, range(20)),
     "no row has a target"),
    ("lengths", lambda: h.prefix_matching_score(EVEN, [1, 1]), "targets"),
    ("batch", lambda: h.prefix_matching_score(SAID.layer2[:2], DATA[:3]),
     "2 patterns, 3 ids"),
    ("one token", lambda: h.previous_token_score([[1.0]]), "no row"),
]


@pytest.mark.parametrize("call, says", [c[1:] for c in REFUSED],
                         ids=[c[0] for c in REFUSED])
def test_refused_with_a_clear_error(call, says):
    with pytest.raises(ValueError, match=says):
        call()
