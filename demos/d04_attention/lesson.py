"""The attention behind demo 04: set by hand in parts 1 and 4, drawn in 2 and 3, trained in 5.

Part 1 looks up five queries at three sharpnesses; part 2 draws thousands of looks at five
widths and reads the record of a head trained with and without the division; part 3 hides
the future of six drawn words. Part 4 grades the hand-built circuit, whole and with one
thing taken away; part 5 measures and cuts the shipped country model, and closes with the
record of its other seeds.

Longer than 450 lines because the demo has five parts, and each brings a control for every
claim: they share little beside `attention`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np

from attention_np import (
    HandBuiltInduction,
    LookBack,
    attention,
    causal_mask,
    copy_accuracy,
    entropy,
    repeated_sequences,
    repeats_at_varying_distance,
    sinusoidal_positions,
    softmax,
)
from lecture import records
from lecture.ahead import prefetch
from lecture.lab.probes import (
    NAMES_IN_COPY,
    asked_about,
    copied,
    copy_pool,
    exchanged,
    heads_of,
    looks,
    one_question,
    questions,
    right,
)
from lecture.models.gpt_np import cut_edge, ready
from lecture.report import Metrics
from pretrain_world import RELATIONS, repeated_sequences_of_names, tokenizer

Array = np.ndarray


# --- 1. a soft dictionary look-up ---------------------------------------------

KEYS = {"colour": (1, 0, 0), "number": (0, 1, 0), "place": (0, 0, 1),
        "both": (0.7, 0.7, 0)}
VALUES = np.array([[10.0], [20.0], [30.0], [40.0]])
QUERIES = {"colour": (1, 0, 0), "place": (0, 0, 1), "both": (1, 1, 0),
           "nothing": (0, 0, 0), "opposite": (-1, -1, 0)}
NULL = (0, 0, 0, 0.5)           # a key that scores β/2 for every query


def without_softmax(Q: Array, K: Array, V: Array,
                    scale: bool = False) -> tuple[Array, Array]:
    """Each key judged by itself: negative scores give 0, no competition."""
    W = np.maximum(Q @ K.T, 0)              # [n_q, d] @ [d, n_k]
    return W @ V, W                         # [n_q, n_k] @ [n_k, 1]


def winner_takes_all(Q: Array, K: Array, V: Array,
                     scale: bool = False) -> tuple[Array, Array]:
    """The hard look-up: the highest score gets all the weight."""
    S = Q @ K.T                             # [n_q, d] @ [d, n_k]
    W = np.eye(len(K))[S.argmax(axis=1)]
    return W @ V, W                         # [n_q, n_k] @ [n_k, 1]


def look_up(beta: float, seed: int, attend: Any = attention,
            use_beta: bool = True, null_key: bool = False) -> Metrics:
    """Five queries, three sharpnesses; nothing is drawn, seed is unused.

    Leaves:
      betas.{soft,sharp,extreme} keys.{colour,number,place,both}[3] values[4]
      queries.{colour,place,both,nothing,opposite}.{soft,sharp,extreme}.
        {weights[4],value}
      plain.{colour,place,both,nothing,opposite}  a dictionary; null: an error
      example.{query[3],scores[4],exps[4],weights[4],total,value}
      opposite[4]  scores of that query at β
      smallest shifted.{by,change}  all scores of a row raised by so much
      ladder.{scores[6],lowest}  the weight of the lowest of six scores
      empty.{weight,value}  with a null key, value 0, for the opposite query
      blind.{mixes[3,3],values[3],answers[3]}  other weights, the same answer
    """
    betas = {"soft": 1.0, "sharp": beta, "extreme": 100.0}
    K = np.array(list(KEYS.values()), dtype=float)              # [4, 3]
    Q = np.array(list(QUERIES.values()), dtype=float)           # [5, 3]
    wide = np.hstack([Q, np.ones((5, 1))])      # the null key's own direction
    more = np.vstack([np.hstack([K, np.zeros((4, 1))]), NULL])  # [5, 4]
    nothing = np.vstack([VALUES, [[0.0]]])                      # [5, 1]
    found: Metrics = {name: {} for name in QUERIES}
    smallest = []
    for sharpness, b in betas.items():
        b = b if use_beta else 1.0
        out, W = (attend(b * wide, more, nothing, scale=False) if null_key
                  else attend(b * Q, K, VALUES, scale=False))
        smallest.append(W.min())                        # W [5, 4]
        for name, w, value in zip(found, W, out[:, 0], strict=True):
            found[name][sharpness] = {"weights": w[:4], "value": value}
    asked, row = QUERIES["place"], Q[:1] @ K.T                  # [1, 4]
    scores = np.array(asked) @ K.T                              # [4]
    exps = np.exp(scores)
    one = np.ones((1, 1))
    _, plain = attend(one, row.T, VALUES, scale=False)
    _, raised = attend(one, row.T + 100, VALUES, scale=False)   # [1, 4]
    out, W = attention((beta if use_beta else 1.0) * wide[-1:], more, nothing,
                       scale=False)
    steps = np.arange(6.0)[:, None]                             # [6, 1]
    _, ladder = attend(one, steps, steps, scale=False)          # [1, 6]
    mixes = np.array([[.5, .5, 0], [0, 0, 1], [.25, .25, .5]])  # [3, 3]
    return {"betas": betas, "keys": KEYS, "values": VALUES[:, 0],
            "queries": found, "smallest": min(smallest),
            "plain": {name: dict(zip(KEYS.values(), VALUES[:, 0], strict=True)
                                 ).get(q) for name, q in QUERIES.items()},
            "example": {"query": asked, "scores": scores, "exps": exps,
                        "weights": exps / exps.sum(), "total": exps.sum(),
                        "value": exps @ VALUES[:, 0] / exps.sum()},
            "opposite": beta * Q[-1] @ K.T,
            "ladder": {"scores": steps[:, 0], "lowest": ladder.min()},
            "shifted": {"by": 100.0, "change": abs(raised - plain).max()},
            "empty": {"weight": W[0, -1], "value": out[0, 0]},
            "blind": {"mixes": mixes, "values": [0.0, 2.0, 1.0],
                      "answers": mixes @ [0.0, 2.0, 1.0]}}


LOOKUP_CONTROLS: dict[str, Any] = {
    "hard": partial(look_up, attend=winner_takes_all),
    "no_softmax": partial(look_up, attend=without_softmax),
    "beta_ignored": partial(look_up, use_beta=False),
    "null_key": partial(look_up, null_key=True),
}


# --- 2. why the scores are divided by √d --------------------------------------

DIMS, N_KEYS, TRIALS, INPUT = (4, 16, 64, 256, 1024), 16, 2000, 64
BLOCK = 2**18           # numbers drawn at a time: 2 MB, so that they fit the cache


def in_blocks(rng: np.random.Generator, d: int,
              trials: int) -> Iterator[tuple[Array, Array]]:
    """Queries [b, d] and keys [b, 16, d], q before K in every trial.

    The stream is that of one trial at a time, whatever BLOCK is.
    """
    most = max(1, BLOCK // ((1 + N_KEYS) * d))
    for start in range(0, trials, most):
        b = min(most, trials - start)
        drawn = rng.standard_normal((b, 1 + N_KEYS, d))         # [b, 17, d]
        yield drawn[:, 0], drawn[:, 1:]


def one_width(blocks: Iterator[tuple[Array, Array]], side: np.random.Generator,
              d: int, divide: float, trials: int, unit: bool) -> Metrics:
    """Random looks at 16 random keys: how sharp, and what a loss feels.

    The loss is the value that comes back; values are drawn, N(0, 1). With
    q = x W_Q and x of 64 numbers N(0, 1), its gradient on W_Q in one
    example is x times d loss / d q: we take the norm of that matrix.
    """
    all_values = side.standard_normal((trials, N_KEYS))     # [trials, 16]
    inputs = side.standard_normal((trials, INPUT))          # [trials, 64]
    scores, weights, pulls, done = [], [], [], 0
    while done < trials:
        q, K = next(blocks)
        if unit:                                # every key of length one
            K = K / np.linalg.norm(K, axis=-1, keepdims=True)
            q = q / np.linalg.norm(q, axis=-1, keepdims=True)
        dots = (K @ q[:, :, None])[..., 0]      # [b, 16, d] @ [b, d, 1]
        W = softmax(dots / divide)                              # [b, 16]
        now = slice(done, done := done + len(q))
        values, x = all_values[now], inputs[now]        # [b, 16] [b, 64]
        back = (W * values).sum(axis=1, keepdims=True)          # [b, 1]
        ds = W * (values - back) / divide                       # [b, 16]
        dq = (ds[:, None] @ K)[:, 0]            # [b, 1, 16] @ [b, 16, d]
        pulls.append(np.linalg.norm(x, axis=1) * np.linalg.norm(dq, axis=1))
        scores.append(dots)
        weights.append(W)
    W, pull = np.concatenate(weights), np.concatenate(pulls)
    # the slopes diag(w) - w w.T as one norm: w (1 - w) down the diagonal, -w w' off it. What
    # the other keys hold is added up, since 1 - w is mostly rounding where w is nearly 1
    others = 1 - np.eye(N_KEYS)                                 # [16, 16]
    rest, rest_squared = W @ others, W**2 @ others              # [trials, 16]
    jacobian = np.sqrt((W**2 * (rest**2 + rest_squared)).sum(axis=1))
    all_dots = np.concatenate(scores)                       # [trials, 16]
    top = W.max(axis=1)                                         # [trials]
    return {"d": d, "dot_std": all_dots.std(),
            "dot_variance": all_dots.var(),
            "root_d": np.sqrt(d), "max_weight": top.mean(),
            "entropy": entropy(W).mean(), "jacobian": jacobian.mean(),
            "gradient": {"median": np.median(pull), "mean": pull.mean(),
                         "max": pull.max()},
            "crowded": crowded(top, pull)}


CROWDED = 0.99                  # a look with so much on one key


def crowded(top: Array, pull: Array) -> Metrics:
    """Looks with nearly all weight on one key, and the rest: their gradients."""
    full = top > CROWDED                                        # [trials]
    groups = {"median": pull[full], "others": pull[~full]}
    return {"over": CROWDED, "share": full.mean(),
            **{k: np.median(v) if len(v) else None for k, v in groups.items()}}


def worked_example(others: float) -> Metrics:
    """The notes' own numbers: width 4, score 36, against three others."""
    q = np.full(4, 3.0)                                         # [4]
    dot, found = q @ q, {}
    for name, score in {"whole": dot, "divided": dot / np.sqrt(len(q)),
                        "misdivided": dot / len(q)}.items():
        W = softmax([score] + [others * score] * 3)             # [4]
        found[name] = {"score": score, "weight": W[0],
                       "slope": W[0] * W[1:].sum()}     # p (1 - p)
    return {"d": len(q), "scores": found,
            "equal_weight": softmax([dot] * 4)[0]}


def trained_heads(arms: dict[str, str]) -> Metrics:
    """The record of lecture/lab/lookup.py: one head, several seeds an arm."""
    record = records.read("scale_training")
    setup, found = record["setup"], {}
    for arm, kept in arms.items():
        runs = record["runs"][kept]
        steps = [r["reached"] for r in runs if r["reached"] is not None]
        last = [r["last"] for r in runs]
        found[arm] = {
            "runs": len(runs), "reached": len(steps),
            "fastest": min(steps, default=None),
            "slowest": max(steps, default=None),
            "lowest": min(last), "highest": max(last),
            "curve": np.mean([r["curve"] for r in runs], axis=0)}
    at = range(0, setup["steps"] + 1, setup["every"])
    rate = max(record["undivided_at_rate"], key=lambda r: sum(
        n is not None for n in record["undivided_at_rate"][r]))
    return {**found, "setup": setup, "steps": list(at),
            "faster": {"rate": float(rate), "reached": sum(
                n is not None for n in record["undivided_at_rate"][rate])}}


def scale_scores(seed: int, divided: tuple[bool, bool] = (False, True),
                 unit: bool = False, others: float = 0.0,
                 trials: int = TRIALS) -> Metrics:
    """For each width all undivided trials, then all divided ones.

    Drawing is most of the work: a thread draws the next blocks meanwhile.

    Leaves:
      {unscaled,scaled}.{d4,d16,d64,d256,d1024}.{d,dot_std,dot_variance,root_d,
        max_weight,entropy,  entropy in nats
        jacobian,gradient.{median,mean,max},  norms, over the trials
        crowded.{over,share,median,others}}  looks nearly all on one key
      keys trials input even_entropy
      example.{d,equal_weight,scores.{whole,divided,misdivided}.{score,weight,
        slope}}  slope: p (1 - p)
      trained.{unscaled,scaled,small_start}.{runs,reached,fastest,slowest,
        lowest,highest,curve[n]}
      trained.faster.{rate,reached}  undivided, at the best other rate
      trained.setup.{batch,every,goal,pairs,rate,steps,tests,values,width,words}
      trained.steps[n]
    """
    rng = np.random.default_rng(seed)
    side = np.random.default_rng([seed, 1])     # values and inputs
    arms: Metrics = {"unscaled": {}, "scaled": {}}
    drawn = (block for d in DIMS for _ in arms
             for block in in_blocks(rng, d, trials))
    with closing(prefetch(drawn)) as blocks:
        for d in DIMS:
            for arm, divide in zip(arms, divided, strict=True):
                by = np.sqrt(d) if divide else 1.0
                arms[arm][f"d{d}"] = one_width(
                    blocks, side, d, by, trials, unit)
    kept = ["scaled" if divide else "unscaled" for divide in divided]
    shown = dict(zip(arms, kept, strict=True)) | {"small_start": "small_start"}
    return {**arms, "keys": N_KEYS, "trials": trials, "input": INPUT,
            "even_entropy": np.log(N_KEYS),
            "example": worked_example(others),
            "trained": trained_heads(shown)}


SCALE_CONTROLS: dict[str, Any] = {
    "both_divided": partial(scale_scores, divided=(True, True), trials=400),
    "unit_length": partial(scale_scores, unit=True, trials=400),
    "equal_keys": partial(scale_scores, others=1.0, trials=40),
}


# --- 3. the causal mask -------------------------------------------------------

WORDS = ("the", "queen", "wears", "a", "crown", ".")
WATCHED = 2                                     # the third word, from 0


def rnn(X: Array, W: Array, U: Array) -> Array:
    """A plain recurrent layer: each state waits for the one before."""
    states, h = [], np.zeros(len(U))                            # [d]
    for x in X:
        h = np.tanh(x @ W + h @ U)              # [d] @ [d, d] -> [d]
        states.append(h)
    return np.array(states)                                     # [T, d]


def untouched(layer: Any, X: Array, other: Array) -> int:
    """How many outputs stay the same when all words after them change."""
    same = 0
    for t in range(len(X)):
        changed = np.vstack([X[:t + 1], other[t + 1:]])         # [T, d]
        same += np.array_equal(layer(X)[t], layer(changed)[t])
    return same


def longest_chain(needs: Array) -> int:
    """Steps that must wait for each other; needs[t, s]: t waits for s."""
    depth = np.zeros(len(needs), dtype=int)                     # [T]
    for t, row in enumerate(needs):
        depth[t] = 1 + max(depth[row], default=0)
    return int(depth.max())


def hide_the_future(seed: int, masked: bool = True,
                    places: bool = False, project: bool = False,
                    writing: bool = False, equal: bool = False) -> Metrics:
    """One sentence with and without the mask; its words are drawn vectors.

    Drawn in this order: 6 x 8 words, 6 x 8 other words, W and U (8 x 8).

    Leaves:
      words[6] word_count width norms[6]  lengths of the vectors
      {full,causal}[6,6]  weights [query, key]; null: hidden by the mask
      left[6]  a row's weight on itself and the left, without the mask
      right_of_watched above_diagonal row_sum_error renormalised_error
      diagonal_wins watched first_changed  places, from 1
      {replaced,reversed}.{full,causal,rnn}  how far the watched output moves
      {untouched,steps}.{full,causal,rnn}  outputs; steps in a row
    """
    rng, n, d = np.random.default_rng(seed), len(WORDS), 8
    X, other = rng.standard_normal((2, n, d))                   # [6, 8]
    X = X / np.linalg.norm(X, axis=1, keepdims=True) if equal else X
    W, U = rng.standard_normal((2, d, d)) / np.sqrt(d)          # [8, 8]
    mask = causal_mask(n) if masked else None                   # [6, 6]

    def attend(X: Array, mask: Array | None = None) -> tuple[Array, Array]:
        X = X + sinusoidal_positions(n, d) if places else X     # [6, 8]
        Q, K = (X @ W, X @ U) if project else (X, X)            # [6, 8]
        return attention(Q, K, X, mask=mask)        # [6, 8] and [6, 6]

    recurrent = np.eye(n, k=-1, dtype=bool)         # t waits for t - 1
    free = recurrent if writing else np.zeros_like(recurrent)   # [6, 6]
    layers = {"full": (lambda X: attend(X)[0], free),
              "causal": (lambda X: attend(X, mask)[0], free),
              "rnn": (lambda X: rnn(X, W, U), recurrent)}

    def moved(after: Array) -> dict[str, float]:
        new = np.vstack([X[:WATCHED + 1], after])               # [6, 8]
        return {name: float(np.linalg.norm((layer(new) - layer(X))[WATCHED]))
                for name, (layer, _) in layers.items()}

    full, causal = attend(X)[1], attend(X, mask)[1]             # [6, 6]
    below = np.tril(full)                                       # [6, 6]
    left = below.sum(axis=1)                                    # [6]
    hidden = np.triu(np.ones((n, n), dtype=bool), 1) if masked else free
    return {
        "words": list(WORDS), "word_count": n, "width": d,
        "norms": np.linalg.norm(X, axis=1), "full": full,
        "causal": [[None if h else w for w, h in zip(row, hides, strict=True)]
                   for row, hides in zip(causal, hidden, strict=True)],
        "left": left, "right_of_watched": full[WATCHED, WATCHED + 1:].sum(),
        "above_diagonal": np.triu(causal, 1).max(),
        "row_sum_error": abs(causal.sum(axis=1) - 1).max(),
        "renormalised_error": abs(causal - below / left[:, None]).max(),
        "diagonal_wins": sum(full.argmax(axis=1) == np.arange(n)),
        "watched": WATCHED + 1, "first_changed": WATCHED + 2,
        "replaced": moved(other[WATCHED + 1:]),
        "reversed": moved(X[:WATCHED:-1]),                      # [3, 8]
        "untouched": {name: untouched(layer, X, other)
                      for name, (layer, _) in layers.items()},
        "steps": {name: longest_chain(needs)
                  for name, (_, needs) in layers.items()}}


MASK_CONTROLS: dict[str, Any] = {
    "no_mask": partial(hide_the_future, masked=False),
    "with_positions": partial(hide_the_future, places=True),
    "separate_projections": partial(hide_the_future, project=True),
    "writing": partial(hide_the_future, writing=True),
    "equal_lengths": partial(hide_the_future, equal=True),
}


# --- 4. a hand-built induction head -------------------------------------------

V, HALF, SEQUENCES = 20, 10, 300
AT = HALF + 3                               # where the example stands
VARIANTS: dict[str, dict[str, Any]] = {
    "full": {}, "beta2": {"beta": 2.0}, "no_positions": {"use_pos": False},
    "layer2_only": {"layers": 1}, "look_back": {"kind": LookBack},
    "strict": {"beta": 20.0, "use_pos": False, "null_key": False,
               "strict": True},
    "beta5": {"beta": 5.0}}


class BlankStart(HandBuiltInduction):
    """Another rule for place 0: no null key, what it writes is wiped out."""

    def layer1_prev_token(self, X: Array) -> tuple[Array, Array]:
        after, W = super().layer1_prev_token(X)                 # [n, T, d]
        after[..., 0, :] = X[..., 0, :]
        return after, W


CHOICES: dict[str, dict[str, Any]] = {      # all at a stated β
    "looks_at_itself": {"beta": 20.0, "null_key": False},
    "both_beta5": {"beta": 5.0, "beta1": 5.0},
    "both_beta2": {"beta": 2.0, "beta1": 2.0},
    "blank_start": {"beta": 20.0, "kind": BlankStart, "use_pos": False,
                    "null_key": False}}
TIE = 1e-6                                  # weights nearer than this are equal


def predictions(model: HandBuiltInduction, data: Array) -> list[Array]:
    """[n, T] next words and [n, T, V] weights, 30 sequences at a time:
    what lies between the layers then fits the cache."""
    few = [model.predict(d)[:2] for d in np.split(data, range(30, len(data), 30))]
    return [np.concatenate(found) for found in zip(*few, strict=True)]


def grade(model: HandBuiltInduction, data: Array,
          half: int = HALF) -> Metrics:
    """Right next words in either half; weight on them in the second.

    fair: the same when a word that ties with m - 1 others counts 1 / m.
    """
    tokens, out = predictions(model, data)
    first, second = copy_accuracy(lambda _: tokens, data, half, True)
    answer = data[:, 1 - half:, None]                   # [n, half-1, 1]
    said = out[:, -half:-1]                             # [n, half-1, V]
    weight = np.take_along_axis(said, answer, axis=-1)
    best = said > said.max(axis=-1, keepdims=True) - TIE
    fair = np.take_along_axis(best / best.sum(-1, keepdims=True), answer, -1)
    return {"beta": model.beta, "first": first, "second": second,
            "fair": fair.mean(), "weight": weight.mean(), "each": fair[..., 0],
            "itself": (tokens[:, -half:-1] == data[:, -half:-1]).mean()}


def by_mentions(fair: Array, data: Array) -> Metrics:
    """Fair share by how often the word asked from stood in the first half."""
    asked = data[:, -HALF:-1]                           # [n, half-1]
    times = (data[:, :HALF, None] == asked[:, None]).sum(axis=1)
    return {name: {"right": fair[times == n].mean() if (times == n).any()
                   else None, "of": (times == n).mean()}
            for n, name in enumerate(("once", "twice", "thrice"), 1)}


def breaking_point(circuit: Any, data: Array) -> float:
    """The lowest β, 0 to 4, at which the copy is still without fault."""
    low, high = 0.0, 4.0
    for _ in range(16):
        beta = (low + high) / 2
        faultless = grade(circuit(beta), data)["second"] == 1
        low, high = (low, beta) if faultless else (beta, high)
    return high


def traced(model: HandBuiltInduction, seq: Array, t: int) -> Metrics:
    """What the two layers look at from place t, and what comes of it."""
    said = model.predict(seq)                           # layers [T, T]
    left = None if said.layer1 is None else int(said.layer1[t].argmax())
    looks = np.asarray(said.layer2)[t]                          # [T]
    found = int(looks.argmax())
    return {"sequence": seq, "at": t, "word": seq[t], "left": left,
            "found": found, "weight": looks[found],
            "says": said.tokens[t], "truth": seq[t + 1]}


def copy_by_hand(beta: float, seed: int, lesion: bool = True,
                 layers: int = 2, strict: bool = True, vary: bool = True,
                 recur: bool = True, blunt: bool = True) -> Metrics:
    """Ten drawn words written twice, and a circuit of two set layers.

    Leaves:
      vocabulary half sequences back places  places: mean seen at a copy
      rows.{full,beta2,no_positions,layer2_only,look_back,strict,beta5}.
        {beta,first,second,varying,recurring,weight,itself}  shares, 2nd half
      mentions.{once,twice,thrice}.{right,of} first_recurring  words recur
      lowest_id  the same where a tie goes to the lowest id
      choices.{looks_at_itself,both_beta5,both_beta2,blank_start}.
        {beta,first,second,weight}
      curve.{beta,second,weight}[14] breaks_at breaks_at_both ln2
      even_weight votes voted  e^β of row B, and the share it makes
      example.{sequence[20],at,word,left,found,weight,says,truth}
    """
    data = repeated_sequences(V, HALF, SEQUENCES, seed, True)   # [300, 20]
    loose = repeated_sequences(V, HALF, SEQUENCES, seed, not recur)
    moving = (repeats_at_varying_distance(V, HALF, SEQUENCES, seed) if vary
              else data)
    few = data[:10]                     # all sequences weigh alike: faster

    def circuit(kind: Any = HandBuiltInduction, T: int = 2 * HALF,
                **change: Any) -> HandBuiltInduction:
        if kind is LookBack:
            return LookBack(V, T, back=HALF - 1)
        settings = {"beta": beta, "layers": layers}
        return kind(V, T, **settings | (change if lesion else {}))

    def row(name: str) -> Metrics:
        change = dict(VARIANTS[name])
        if name == "strict" and not strict:
            change["strict"] = False
        if name == "beta2" and not blunt:
            change = {}
        fixed, free = (grade(circuit(T=d.shape[1], **change), d)
                       for d in (data, moving))
        again = grade(circuit(**change), loose)
        return {**{k: fixed[k] for k in ("beta", "first", "second", "weight",
                                         "itself")},
                "varying": free["second"], "recurring": again["fair"]}

    betas = [0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8]
    curve = [grade(circuit(beta=b), few) for b in betas]
    again = grade(circuit(), loose)
    seen = np.arange(HALF, 2 * HALF - 1)            # places besides the found
    votes = np.exp(VARIANTS["beta2"]["beta"])
    return {
        "vocabulary": V, "half": HALF, "sequences": SEQUENCES,
        "back": HALF - 1, "places": seen.mean(),
        "rows": {name: row(name) for name in VARIANTS},
        "mentions": by_mentions(again["each"], loose),
        "first_recurring": again["first"], "lowest_id": again["second"],
        "choices": {name: {k: graded[k] for k in ("beta", "first", "second",
                                                  "weight")}
                    for name, change in CHOICES.items()
                    for graded in [grade(circuit(**change), data)]},
        "curve": {"beta": betas, "second": [g["second"] for g in curve],
                  "weight": [g["weight"] for g in curve]},
        "breaks_at": breaking_point(lambda b: circuit(beta=b), few),
        "breaks_at_both": breaking_point(
            lambda b: circuit(beta=b, beta1=b), few),
        "ln2": np.log(2), "even_weight": (1 / (seen + 1)).mean(),
        "votes": votes, "voted": (votes / (votes + seen)).mean(),
        "example": traced(circuit(), data[0], AT)}


INDUCTION_CONTROLS: dict[str, Any] = {
    "one_layer": partial(copy_by_hand, layers=1),
    "no_lesion": partial(copy_by_hand, lesion=False),
    "sees_itself": partial(copy_by_hand, strict=False),
    "fixed_distance": partial(copy_by_hand, vary=False),
    "all_distinct": partial(copy_by_hand, recur=False),
    "not_blunt": partial(copy_by_hand, blunt=False),
}


# --- 5. the tiny GPT ----------------------------------------------------------

STRONG = 0.8                            # a weight that is most of a head's look


def look_inside(seed: int, trained: bool = True, exchange: bool = True,
                rewarded: str = "many_twice",
                copier: str = "base", one_edge: bool = False) -> Metrics:
    """Where the tiny GPT looks when it answers, and what a cut leaves.

    Leaves:
      countries relations questions right uniform even_relation
      asked.{capital,language,leader,known_for}.{L0H0,L0H1,L1H0,L1H1}.
        {word,weight,left}  the word looked at most; right without it
      exchange.{{country,question}.{L0H0,L0H1,L1H0,L1H1},country_head,
        most,others,pair[2],alone[2],both,both_country}  answers that follow
      heads[4].{layer,head,country,relation,left}  left: right after the cut
      {best,second}.{layer,head,country,relation,left}
      example.{words[T],prompt,answer,heads[4],weights[T,4]}  one question
      copied.{hits,total,names,seen}  guessing: any name, a name of the list
      in_a_row repeated_in_corpus untrained.{right,country}
      grid.{steps.{short,long},times,
        lists.{own,many_once,few_twice,many_twice}.{short,long}[5]}  sorted
      record.{seeds,all_right,hardly_copy,look_at_country,need_the_edge,
        lose_nine_in_ten,fewest_left,middle_left,most_left,left[20],
        exchange.{seeds,country,pair,alone,spared,strong}}
    """
    model, recipe = ready("base", trained)
    blank, _ = ready("base", False)
    world = recipe.data.world()
    tok = tokenizer(world)
    q, pool = questions(world, tok), copy_pool(world, tok)      # 96, 48

    seen = model.run(q.ids, trace=True)             # once, for three
    look, blank_look = looks(model, q, seen), looks(blank, q)
    heads: list[Metrics] = [
        {"layer": i, "head": j, "country": look["country"][i][j],
         "relation": look["relation"][i][j],
         "left": right(model, q, cut_edge(i, j, q.last, q.country))}
        for i, j in heads_of(model)]
    best, second, *_ = sorted(heads, key=lambda h: -h["country"])
    documents = [d.words for d in recipe.data.documents()]
    hits, total = copied(ready(copier, trained)[0], pool, seed).values()
    return {
        "countries": len(world.countries), "relations": len(RELATIONS),
        "questions": len(q.ids), "right": look["right"],
        "uniform": look["uniform"],
        "even_relation": (q.relation.sum(1) / (q.last + 1)).mean(),
        "asked": asked_about(model, q, tok, one_edge, seen),
        "exchange": exchanged(model, q, not exchange, seen),
        "heads": heads, "best": best, "second": second,
        "example": one_question(model, q, tok),
        "copied": {"hits": hits, "total": total, "names": total / len(pool),
                   "seen": total / NAMES_IN_COPY},
        "in_a_row": NAMES_IN_COPY,
        "repeated_in_corpus": repeated_sequences_of_names(
            documents, world.names),
        "untrained": {"right": blank_look["right"],
                      "country": np.max(blank_look["country"])},
        "grid": copy_grid(rewarded), "record": many_seeds()}


def copy_grid(rewarded: str) -> Metrics:
    """`base` on four corpora, each trained short and long: a record.

    rewarded: which row is taken for the one with many lists said twice.
    """
    record = records.read("copy_grid")
    rows = {name: {length: sorted(r["hits"] for r in runs)
                   for length, runs in arms.items()}
            for name, arms in record["lists"].items()}
    steps = record["steps"]
    return {"steps": steps, "times": steps["long"] // steps["short"],
            "lists": {name: rows[rewarded if name == "many_twice" else name]
                      for name in ("own", "many_once", "few_twice", "many_twice")}}


def many_seeds() -> Metrics:
    """`base` trained from other seeds, measured the same way: a record."""
    runs = records.read("base_seeds")["runs"]
    weights = [np.max(r["weight_on_country"]) for r in runs]
    left = sorted(r["left_after_cut"][i][j] for r in runs
                  for i, j in [r["best_head"]])
    return {
        "seeds": len(runs),
        "all_right": sum(r["right"] == r["questions"] for r in runs),
        "hardly_copy": sum(r["copied"]["hits"] / r["copied"]["total"] <= .05
                           for r in runs),
        "look_at_country": sum(w >= 0.5 for w in weights),
        "need_the_edge": sum(n < runs[0]["questions"] / 2 for n in left),
        "lose_nine_in_ten": sum(n < runs[0]["questions"] / 10 for n in left),
        "fewest_left": min(left), "most_left": max(left),
        "middle_left": left[(len(left) - 1) // 2], "left": left,
        "exchange": exchange_seeds()}


def exchange_seeds() -> Metrics:
    """Which heads fetch what, over ten seeds: a record.

    country: one head brings nine answers in ten along; pair: two other
    heads together bring nine in ten; alone: one of these does by itself;
    spared: of two strong looks one cannot be cut (a quarter is left at
    most), the other can (three quarters are).
    """
    runs, most = records.read("exchange_seeds")["runs"], 0.9 * 96
    country = pair = alone = spared = 0
    for run in runs:
        single = {k: v for k, v in run["country"].items() if " " not in k}
        head = max(single, key=lambda k: single[k])
        asked = {k: v for k, v in run["question"].items() if head not in k}
        country += single[head] > most
        pair += max(v for k, v in asked.items() if " " in k) > most
        alone += max(v for k, v in asked.items() if " " not in k) > most
        left = [look["left"] for kind in run["asked"].values()
                for look in kind.values() if look["weight"] >= STRONG]
        spared += min(left) <= 24 / 4 and max(left) >= 24 * 3 / 4
    return {"seeds": len(runs), "country": country, "pair": pair,
            "alone": alone, "spared": spared, "strong": STRONG}


TINY_GPT_CONTROLS: dict[str, Any] = {
    "untrained": partial(look_inside, trained=False),
    "one_edge": partial(look_inside, one_edge=True),
    "hands_over_its_own": partial(look_inside, exchange=False),
    "lists_said_once": partial(look_inside, rewarded="many_once"),
    "was_rewarded": partial(look_inside, copier="copies_too"),
}
