"""attention_np against two others: loops written here, and torch.

Tolerance 1e-10 in float64: sums of at most a few hundred terms of size 1,
taken in another order. The circuit's pins are to the four digits given.
"""

import math
import warnings

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import attention_np as a

CLOSE = {"rtol": 0, "atol": 1e-10}
rng = np.random.default_rng(2024)


@pytest.fixture(autouse=True)
def no_warning():
    """Nothing may leak to stderr."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def normal(*shape):
    return rng.standard_normal(shape)


def mean_weight_on_answer(model, data, half=None):
    """Mean weight, 0..1, on the right next word within the copy: how sure a right answer is."""
    half = data.shape[1] // 2 if half is None else half
    out = model.predict(data).out[:, -half:-1]          # [n, half-1, V]
    answer = data[:, 1 - half:, None]                   # [n, half-1, 1]
    return float(np.take_along_axis(out, answer, axis=-1).mean())


def t(x):
    return torch.tensor(np.asarray(x))


# ------------------------------------------------------------ by loops

def by_loops(Q, K, V, factor, keep, bias, cap):
    """The definition, one number at a time; [n_q, d], [n_k, d] only."""
    out = np.zeros((len(Q), V.shape[1]))
    weights = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        e = []
        for j in range(len(K)):
            s = factor * sum(Q[i, c] * K[j, c] for c in range(Q.shape[1]))
            s = cap * math.tanh(s / cap) if cap else s
            e.append(math.exp(s + bias[i, j]) if keep[i, j] else 0.0)
        for j in range(len(K)):
            weights[i, j] = e[j] / sum(e) if sum(e) else 0.0
            for c in range(V.shape[1]):
                out[i, c] += weights[i, j] * V[j, c]
    return out, weights


@pytest.mark.parametrize("lead", [(), (2,), (2, 3), (2, 1, 3)])
@pytest.mark.parametrize("kind", ["none", "bool", "float", "softcap"])
@pytest.mark.parametrize("scale", [True, False, 0.3])
def test_attention_equals_loops(lead, kind, scale):
    Q, K, V = normal(*lead, 4, 5), normal(*lead, 6, 5), normal(*lead, 6, 3)
    keep, bias = np.ones((4, 6), bool), np.zeros((4, 6))
    if kind == "bool":
        keep = rng.random((4, 6)) < 0.6
        keep[2] = False                             # one row may not look
    if kind == "float":
        bias = normal(4, 6)
    cap = 1.5 if kind == "softcap" else None
    mask = {"bool": keep, "float": bias}.get(kind)
    out, W = a.attention(Q, K, V, scale, mask, cap)
    factor = {True: 1 / math.sqrt(5), False: 1.0}.get(scale, scale)
    for at in np.ndindex(*lead):
        want = by_loops(Q[at], K[at], V[at], factor, keep, bias, cap)
        np.testing.assert_allclose(out[at], want[0], **CLOSE)
        np.testing.assert_allclose(W[at], want[1], **CLOSE)


def test_a_float_mask_of_minus_infinity_is_a_boolean_mask():
    Q, K, V, keep = normal(4, 5), normal(6, 5), normal(6, 3), rng.random((4, 6)) < 0.5
    added = np.where(keep, 0.0, -np.inf)
    for one, two in zip(a.attention(Q, K, V, mask=keep),
                        a.attention(Q, K, V, mask=added), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("given", [[1, 2, 3], np.float32([1, 2, 3])])
def test_softmax_of_anything_is_float64(given):
    assert a.softmax(given).dtype == np.float64


def test_softmax_of_empty_and_of_infinity():
    inf = np.inf
    np.testing.assert_array_equal(a.softmax([[-inf, -inf], [0, -inf]]),
                                  [[0, 0], [1, 0]])
    assert a.softmax(np.zeros((3, 0))).shape == (3, 0)
    out, W = a.attention(normal(2, 4), np.zeros((0, 4)), np.zeros((0, 3)))
    np.testing.assert_array_equal(out, np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"\+inf"):
        a.softmax([0, inf])


def test_softmax_along_another_axis():
    x = normal(3, 4)
    np.testing.assert_allclose(a.softmax(x, axis=0), a.softmax(x.T).T, **CLOSE)


def test_entropy_of_even_and_of_one_hot():
    assert a.entropy(np.full(16, 1 / 16)) == pytest.approx(math.log(16))
    assert a.entropy([0, 1, 0]) == 0.0
    assert a.entropy(a.softmax(normal(2, 3, 5))).shape == (2, 3)


# --------------------------------------------------------- against torch

@pytest.mark.parametrize("h_kv", [6, 3, 2, 1])
@pytest.mark.parametrize("kind", ["none", "bool", "float"])
def test_grouped_heads_equal_torch(h_kv, kind):
    Q, K, V = normal(2, 6, 4, 8), normal(2, h_kv, 5, 8), normal(2, h_kv, 5, 7)
    mask = {"none": None, "float": normal(4, 5),
            "bool": a.causal_mask(4, 5)}[kind]
    want = F.scaled_dot_product_attention(
        t(Q), t(K), t(V), None if mask is None else t(mask), enable_gqa=True)
    np.testing.assert_allclose(a.attention(Q, K, V, mask=mask)[0], want, **CLOSE)


@pytest.mark.parametrize("scale", [None, 0.25, 1.0])
def test_scale_equals_torch(scale):
    Q, K, V = normal(2, 4, 8), normal(2, 5, 8), normal(2, 5, 7)
    want = F.scaled_dot_product_attention(t(Q), t(K), t(V), scale=scale)
    got, _ = a.attention(Q, K, V, True if scale is None else scale)
    np.testing.assert_allclose(got, want, **CLOSE)


def test_norms_equal_torch():
    x, gain, bias = 3 + 5 * normal(2, 4, 9), normal(9), normal(9)
    for eps in (1e-5, 0.1):
        np.testing.assert_allclose(
            a.layer_norm(x, gain, bias, eps),
            F.layer_norm(t(x), (9,), t(gain), t(bias), eps), **CLOSE)
        np.testing.assert_allclose(
            a.rms_norm(x, gain, eps), F.rms_norm(t(x), (9,), t(gain), eps),
            **CLOSE)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_equals_torch(approximate):
    x = np.concatenate([normal(50) * 4, [0.0, -40.0, 40.0]])
    np.testing.assert_allclose(
        a.gelu(x, approximate), F.gelu(t(x), approximate=approximate), **CLOSE)
    assert a.gelu(0.0).shape == ()


def test_the_two_gelus_differ_by_what_the_docstring_says():
    x = np.linspace(-6, 6, 2001)
    gap = np.abs(a.gelu(x) - a.gelu(x, "tanh")).max()
    assert 1e-4 < gap < 5e-4


# ------------------------------------------------------------------ masks

LEGEND = [  # what, mask, rows as written on the board
    ("causal", a.causal_mask(3), "100 110 111"),
    ("causal, cache", a.causal_mask(2, 5), "11110 11111"),
    ("causal, top left", a.causal_mask(2, 5, offset=0), "10000 11000"),
    ("causal, more queries", a.causal_mask(3, 2), "00 10 11"),
    ("window 1", a.window_mask(4, 1), "1000 1100 0110 0011"),
    ("window 1, 1", a.window_mask(4, 1, 1), "1100 1110 0111 0011"),
    ("window, right open", a.window_mask(3, 0, None), "111 011 001"),
    ("window, cache", a.window_mask(2, 1, S=5), "00110 00011"),
    ("strided 2", a.strided_mask(5, 2), "10000 01000 10100 01010 10101"),
    ("padding", a.padding_mask([5, 7, 0, 0], 0), "1100"),
    ("combined", a.combined_mask([4, 5, 6, 0, 0], 0),
     "10000 11000 11100 11100 11100"),
    ("XLNet", a.permutation_mask([2, 0, 3, 1]), "0010 1011 0000 1010"),
    ("XLNet, content", a.permutation_mask([2, 0, 3, 1], content=True),
     "1010 1111 0010 1011"),
]


@pytest.mark.parametrize("mask, rows", [c[1:] for c in LEGEND],
                         ids=[c[0] for c in LEGEND])
def test_mask(mask, rows):
    assert mask.dtype == bool
    assert " ".join("".join(map(str, r)) for r in mask.astype(int)) == rows


def test_masks_of_a_batch_line_up_with_heads():
    ids = np.array([[5, 7, 0], [5, 0, 0]])
    assert a.padding_mask(ids, 0).shape == (2, 1, 3)
    assert a.padding_mask(ids, 0, heads=True).shape == (2, 1, 1, 3)
    assert a.combined_mask(ids, 0, heads=True).shape == (2, 1, 3, 3)
    # as many heads as sequences: the case where a missing axis is silent
    x = normal(2, 2, 3, 4)
    W = a.attention(x, x, x, mask=a.combined_mask(ids, 0, heads=True))[1]
    np.testing.assert_array_equal(W[0, :, :, 2], 0)
    np.testing.assert_array_equal(W[1, :, :, 1:], 0)
    assert (W[0, :, 1, 1] > 0).all()


# -------------------------------------------------- heads, cache, shapes

def test_split_gives_each_head_its_columns():
    x = normal(2, 5, 12)
    heads = a.split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 4)
    for i in range(3):
        np.testing.assert_array_equal(heads[:, i], x[..., 4 * i:4 * i + 4])
    np.testing.assert_array_equal(a.merge_heads(heads), x)


def test_decoding_with_a_cache_is_the_full_pass():
    Q, K, V = normal(2, 4, 7, 8), normal(2, 2, 7, 8), normal(2, 2, 7, 8)
    full, W = a.attention(Q, K, V, mask=a.causal_mask(7))
    cache, done = None, 0
    for new in (3, 1, 1, 2):                    # a prompt, then pieces
        now = slice(done, done + new)
        cache = a.extend_cache(cache, K[:, :, now], V[:, :, now])
        done += new
        out, w = a.attention(Q[:, :, now], *cache,
                             mask=a.causal_mask(new, done))
        np.testing.assert_allclose(out, full[:, :, now], rtol=0, atol=1e-12)
        np.testing.assert_allclose(w, W[:, :, now, :done], rtol=0, atol=1e-12)


# -------------------------------------------------------------- positions

def test_sinusoids_by_loops():
    for T, d in [(7, 6), (7, 5)]:
        for p in range(T):
            for c in range(d):
                angle = p / 10000 ** ((c - c % 2) / d)
                want = math.cos(angle) if c % 2 else math.sin(angle)
                assert a.sinusoidal_positions(T, d)[p, c] == pytest.approx(
                    want, abs=1e-12)


def test_sinusoids_of_the_lecture():
    PE = a.sinusoidal_positions(14, 512)
    assert PE[5] @ PE[2] == pytest.approx(211.7494, abs=5e-5)
    assert PE[13] @ PE[10] == pytest.approx(211.7494, abs=5e-5)
    np.testing.assert_allclose(a.sinusoidal_positions([0.5, 3.0], 8)[1],
                               a.sinusoidal_positions(4, 8)[3], **CLOSE)


def test_rope_adjacent_is_a_complex_product():
    x, m = normal(2, 3, 5, 8), np.arange(5) * 7.5
    z = x[..., ::2] + 1j * x[..., 1::2]
    z = z * np.exp(1j * m[:, None] * 10000.0 ** (-np.arange(4) / 4))
    want = np.stack([z.real, z.imag], axis=-1).reshape(x.shape)
    np.testing.assert_allclose(a.rope(x, m, "adjacent"), want, **CLOSE)


def test_rope_half_is_the_public_code_of_llama():
    x, m = t(normal(2, 3, 5, 8)), torch.arange(5, dtype=torch.float64)
    angle = m[:, None] * 500.0 ** (-torch.arange(0, 8, 2) / 8.0).double()
    cos, sin = torch.cat([angle] * 2, -1).cos(), torch.cat([angle] * 2, -1).sin()
    want = x * cos + torch.cat([-x[..., 4:], x[..., :4]], -1) * sin
    np.testing.assert_allclose(
        a.rope(x.numpy(), m.numpy(), base=500.0), want, **CLOSE)


def test_rope_permutation_maps_one_convention_to_the_other():
    x, m, P = normal(5, 8), np.arange(5), a.rope_permutation(8)
    assert P.tolist() == [0, 2, 4, 6, 1, 3, 5, 7]
    np.testing.assert_allclose(a.rope(x[:, P], m, "half"),
                               a.rope(x, m, "adjacent")[:, P], **CLOSE)
    assert np.abs(a.rope(x, m, "half") - a.rope(x, m, "adjacent")).max() > 0.1


def test_rope_turns_by_token_where_heads_are_as_many_as_tokens():
    x, m = normal(3, 3, 4), np.arange(3)
    for head in range(3):
        np.testing.assert_array_equal(a.rope(x, m)[head], a.rope(x[head], m))


def test_rope_takes_one_position_and_one_row_a_sequence():
    x = normal(2, 3, 4, 6)
    np.testing.assert_array_equal(a.rope(x, 5), a.rope(x, [5] * 4))
    rows = np.array([[0, 1, 2, 3], [9, 10, 11, 12]])
    got = a.rope(x, rows[:, None])
    np.testing.assert_array_equal(got[1], a.rope(x[1], rows[1]))


def test_rope_frequency_of_the_lecture():
    assert a.rope_frequencies(64)[31] == pytest.approx(1.33352e-4, abs=5e-10)


# ----------------------------------------------------------------- errors

x4, x5 = np.ones((3, 4)), np.ones((3, 5))
CIRCUIT = a.HandBuiltInduction(5, 6)
REFUSED = [
    ("widths", lambda: a.attention(x4, x5, x5), "width 4, keys 5"),
    ("counts", lambda: a.attention(x4, x4, x4[:2]), "3 keys, 2 values"),
    ("heads", lambda: a.attention(np.ones((4, 1, 2)), np.ones((3, 1, 2)),
                                  np.ones((3, 1, 2))), "do not divide"),
    ("query mask", lambda: a.attention(x4, x4, x4, mask=np.ones((3, 1), bool)),
     r"mask \(3, 1\) does not fit"),
    ("mask size", lambda: a.attention(x4, x4, x4, mask=a.causal_mask(4)),
     "does not fit"),
    ("0/1 mask", lambda: a.attention(x4, x4, x4, mask=np.ones((3, 3), int)),
     "True = may look"),
    ("softcap", lambda: a.attention(x4, x4, x4, softcap=-1.0), "softcap"),
    ("split", lambda: a.split_heads(x5, 2), "no multiple of 2"),
    ("order", lambda: a.permutation_mask([0, 0, 1]), "no permutation"),
    ("stride", lambda: a.strided_mask(3, 0), "at least 1"),
    ("gelu", lambda: a.gelu(1.0, "erf"), '"none" or "tanh"'),
    ("convention", lambda: a.rope(x4, 1, "llama"), '"half" or "adjacent"'),
    ("odd rope", lambda: a.rope(x5, 1), "even, got 5"),
    ("odd frequencies", lambda: a.rope_frequencies(5), "even, got 5"),
    ("odd permutation", lambda: a.rope_permutation(5), "even, got 5"),
    ("odd pairs", lambda: a.rotate_pairs(x5, 1.0, 0.0), "even, got 5"),
    ("positions", lambda: a.rope(x4, [0, 1]), "2 positions for 3 tokens"),
    ("long", lambda: CIRCUIT.embed(range(7)), "7 tokens, but only 6"),
    ("word", lambda: CIRCUIT.embed([5]), "from 0 to 4"),
    ("negative word", lambda: CIRCUIT.embed([-1]), "at least 0"),
    ("layers", lambda: a.HandBuiltInduction(5, 6, layers=3), "layers is .* 1 to 2"),
    ("back", lambda: a.LookBack(5, 6, back=0), "at least 1"),
    ("draw", lambda: a.repeated_sequences(5, 6, 1, 0), "half is .* from 1 to 5"),
    ("vary", lambda: a.repeats_at_varying_distance(5, 6, 1, 0), "half is .* from 1 to 5"),
    ("half", lambda: a.copy_accuracy(len, np.zeros((1, 2))), "at least 2"),
]


@pytest.mark.parametrize("call, says", [c[1:] for c in REFUSED],
                         ids=[c[0] for c in REFUSED])
def test_refused_with_a_clear_error(call, says):
    with pytest.raises(ValueError, match=says):
        call()


# ------------------------------------ the first three parts of demo 04

KEYS = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.7, 0.7, 0]]
LOOKUP = [  # query, beta, value; the first also by its weights
    ([1, 0, 0], 1, 23.4302), ([1, 0, 0], 10, 11.4240),
    ([0, 0, 1], 1, 26.5024), ([0, 0, 1], 10, 29.9991),
    ([1, 1, 0], 1, 26.0925), ([1, 1, 0], 10, 39.1166),
    ([0, 0, 0], 1, 25.0), ([0, 0, 0], 10, 25.0), ([-1, -1, 0], 10, 30.0),
]


@pytest.mark.parametrize("query, beta, value", LOOKUP)
def test_soft_lookup(query, beta, value):
    out, W = a.attention(beta * np.array([query]), KEYS,
                         [[10], [20], [30], [40]], scale=False)
    assert out.item() == pytest.approx(value, abs=2e-3 if value == 30 else 5e-5)
    if query == [1, 0, 0] and beta == 1:
        np.testing.assert_allclose(
            W[0], [0.403783, 0.148544, 0.148544, 0.299130], atol=5e-7)


def test_why_the_root():
    stream = np.random.default_rng(0)
    want = {4: (0.4354, 1.7407, 0.2374, 2.3759),
            16: (0.6809, 0.9082, 0.2413, 2.3700)}
    for d, pins in want.items():
        got = []
        for scale in (False, True):
            x = stream.standard_normal((2000, 17, d))   # q, then 16 keys
            W = a.attention(x[:, :1], x[:, 1:], x[:, 1:], scale)[1][:, 0]
            got += [W.max(-1).mean(), a.entropy(W).mean()]
        assert got == pytest.approx(pins, abs=5e-5)


def test_causal_part():
    X = np.random.default_rng(1).standard_normal((6, 8))
    full = a.attention(X, X, X)[1]
    np.testing.assert_allclose(
        full[0], [0.5378, 0.1016, 0.1049, 0.0349, 0.1066, 0.1141], atol=5e-5)
    assert (full.argmax(-1) == np.arange(6)).sum() == 5
    causal = a.attention(X, X, X, mask=a.causal_mask(6))[1]
    assert causal[1, :2] == pytest.approx((0.32, 0.68), abs=5e-3)


# ------------------------------------------------- the circuit built by hand

DATA = a.repeated_sequences(V=20, half=10, n=300, seed=0)
PINS = [  # what, options, first half, second half, weight on the answer
    ("full", {}, 0, 1, 1.0),
    ("beta 5", {"beta": 5.0}, 0, 1, 0.9140),
    ("beta 2", {"beta": 2.0}, 0, 1, 0.3506),
    ("beta .70", {"beta": 0.70}, 0, 1, 0.1292),
    ("beta .69", {"beta": 0.69}, 0, 0, 0.1281),
    ("no positions", {"use_pos": False}, 0, 0, 0.1267),
    ("layer 2 alone", {"layers": 1}, 0, 0, 0.0688),
    ("beta 5 in both", {"beta": 5.0, "beta1": 5.0}, 0, 1, 0.8940),
    ("beta 2 in both", {"beta": 2.0, "beta1": 2.0}, 0, 1, 0.1787),
    ("0 sees itself", {"null_key": False}, 0, 8 / 9, 0.9444),
    ("strict", {"strict": True, "null_key": False}, 0, 1, 1.0),
    ("strict, no positions",
     {"strict": True, "null_key": False, "use_pos": False}, 0, 1, 0.4840),
]


@pytest.mark.parametrize("options, first, second, weight",
                         [c[1:] for c in PINS], ids=[c[0] for c in PINS])
def test_circuit_pin(options, first, second, weight):
    m = a.HandBuiltInduction(20, 20, **options)
    got = a.copy_accuracy(lambda s: m.predict(s)[0], DATA, batched=True)
    assert got == pytest.approx((first, second))
    assert mean_weight_on_answer(m, DATA) == pytest.approx(weight, abs=5e-5)


def test_data_are_the_lectures():
    assert DATA[0].tolist() == [4, 19, 6, 2, 13, 16, 3, 11, 10, 8] * 2
    assert DATA.shape == (300, 20)


def test_one_sequence_at_a_time_as_the_lecture_does_it():
    m = a.HandBuiltInduction(20, 20, beta=2.0)
    seq = DATA[0]
    X, W1 = m.layer1_prev_token(m.embed(seq))
    out, W2 = m.layer2_induction(X)
    assert W1.shape == W2.shape == (20, 20) and out.shape == (20, 20)
    assert m.layers == 2 and m.predict(seq)[0].shape == (20,)
    few = DATA[:20]
    assert a.copy_accuracy(lambda s: m.predict(s)[0], few) == (
        a.copy_accuracy(lambda s: m.predict(s)[0], few, batched=True))
    both = m.predict(DATA[:5])
    for i in range(5):
        for one, of_batch in zip(m.predict(DATA[i]), both, strict=True):
            np.testing.assert_allclose(one, of_batch[i], **CLOSE)


def test_example_13_looks_at_12_and_then_at_4():
    m = a.HandBuiltInduction(20, 20)
    said = m.predict(DATA[0])
    assert said.layer1[13].argmax() == 12 and said.layer2[13].argmax() == 4
    assert said.layer2[13, 4] == pytest.approx(0.99999997, abs=5e-9)
    assert said.tokens[13] == 13 == DATA[0, 14]


def test_the_null_key_is_left_out_of_the_weights():
    m = a.HandBuiltInduction(20, 20)
    _, W = m.layer1_prev_token(m.embed(DATA[0]))
    np.testing.assert_allclose(W.sum(-1), [0] + [1] * 19, atol=1e-7)
    assert not np.triu(W, 1).any()
    _, W = a.HandBuiltInduction(20, 20, null_key=False).layer1_prev_token(
        m.embed(DATA[0]))
    np.testing.assert_allclose(W.sum(-1), 1.0)


def test_layer2_alone_predicts_no_better_than_even_weights():
    even = np.mean([1 / (t + 1) for t in range(10, 19)])
    m = a.HandBuiltInduction(20, 20, layers=1)
    assert mean_weight_on_answer(m, DATA) == pytest.approx(even, abs=1e-12)
    assert m.predict(DATA[0]).layer1 is None


def test_share_claimed_by_the_proof():
    for beta in (1.0, 2.0, 5.0, 20.0):
        W = a.HandBuiltInduction(20, 20, beta=beta).predict(DATA).layer2
        for place in range(10, 19):
            least = math.exp(beta) / (math.exp(beta) + place)
            assert W[:, place, place - 9].min() > least - 1e-6


def test_words_that_may_repeat():
    data = a.repeated_sequences(20, 10, 300, 0, distinct=False)
    m = a.HandBuiltInduction(20, 20)
    first, second = a.copy_accuracy(lambda s: m.predict(s)[0], data)
    assert first == pytest.approx(0.0530, abs=5e-5)
    assert second == pytest.approx(0.8252, abs=5e-5)


def test_looking_back_by_place_copies_at_one_distance_only():
    def second(m, data):
        return a.copy_accuracy(lambda s: m.predict(s)[0], data, 10, True)

    fixed, varying = DATA, a.repeats_at_varying_distance(20, 10, 300, 0)
    assert second(a.LookBack(20, 20, back=9), fixed) == (0.0, 1.0)
    assert second(a.HandBuiltInduction(20, 30), varying) == (0.0, 1.0)
    shares = [second(a.LookBack(20, 30, back=k), varying)[1]
              for k in range(9, 20)]
    assert max(shares) < 0.15 and sum(shares) == pytest.approx(1.0)
    m = a.LookBack(20, 30, back=9)
    assert mean_weight_on_answer(m, varying, 10) < 0.15


def test_varying_distance_data_hold_each_gap_and_one_copy():
    data = a.repeats_at_varying_distance(6, 4, 200, 3)
    assert data.shape == (200, 10)
    starts = set()
    for row in data:
        assert sorted(row[:6]) == list(range(6))
        start = row[:6].tolist().index(row[6])
        assert row[6:].tolist() == row[start:start + 4].tolist()
        starts.add(start)
    assert starts == {0, 1, 2}
