"""What do the public functions make of input nobody meant?  The right answer, or a ValueError.

TABLE holds one sound call of every public function of the NumPy rooms.  From it the tests
make the unsound ones: each whole number becomes -1, 0, 1, True, .5 and far too large; each
array becomes whole numbers, booleans, smaller floats, nothing, NaN, infinity, words, and
loses or gains an axis.  Whatever happens, no NaN comes out, no warning, no exception but a
ValueError in words of ours, and no argument has changed.  A function that is in neither
TABLE nor LEFT fails the last test.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import math
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attention_np as a
import pretrain_world
from lecture.data import bpe, phrases, tasks, texts
from lecture.lab import (
    calibration,
    cost,
    depth,
    edit,
    embed,
    growth,
    heads,
    lookup,
    probes,
    sampling,
)
from lecture.models import beam, gpt_np, recipes, seq2seq_np, translate_np
from lecture.models.recipes import GPTConfig
from pretrain_world import make_world, tokenizer

rng = np.random.default_rng(0)
X = np.round(rng.normal(size=(4, 6)), 1)                # tokens by width
H = np.round(rng.normal(size=(2, 4, 6)), 1)             # heads by tokens by width
W = a.attention(H, H, H, mask=a.causal_mask(4))[1]      # [2, 4, 4]
IDS = np.array([1, 2, 1, 2])
WORDS = {"low": 5, "lower": 2, "new": 3}
PIECES = bpe.train(WORDS, 3)
CFG = GPTConfig(vocab_size=9, context=8, n_layer=2, n_head=2, width=8)
MODEL = gpt_np.GPT(CFG, gpt_np.init_weights(CFG))
CELL = seq2seq_np.default_cells(np.random.default_rng(0), "lstm", 1, 6)
CIRCUIT = a.HandBuiltInduction(5, 6)
STREAM = CIRCUIT.embed(IDS)
STACK = depth.Stack("pre", *depth.drawn_matrices(np.random.default_rng(0), 2, 6, 8, 1.0))
LOG_P = np.log(np.full(3, 1 / 3))
SETUP = lookup.Setup(words=4, pairs=2, values=2, width=4, batch=3, steps=1, tests=2)
LINES = lookup.fresh_lines(SETUP, np.random.default_rng(0), 3)
HEAD = lookup.Lookup(SETUP, True, np.random.default_rng(0))
LAYER = cost.drawn_layer(6, 8, np.random.default_rng(0))


def following(prefixes: Any) -> np.ndarray:
    return np.tile(LOG_P, (len(prefixes), 1))


def drawn(name: str) -> Callable[..., Any]:
    return lambda **sizes: tasks.TASKS[name](np.random.default_rng(0), **sizes)


Row = tuple[str, Callable[..., Any], dict[str, Any]]
TABLE: list[Row] = [
    ("attention_np.softmax", a.softmax, {"x": X}),
    ("attention_np.entropy", a.entropy, {"w": W}),
    ("attention_np.causal_mask", a.causal_mask, {"T": 3, "S": 5, "offset": 2}),
    ("attention_np.window_mask", a.window_mask, {"T": 3, "left": 1, "right": 1, "S": 5,
                                                 "offset": 2}),
    ("attention_np.strided_mask", a.strided_mask, {"T": 5, "stride": 2}),
    ("attention_np.padding_mask", a.padding_mask, {"ids": IDS, "pad": 0}),
    ("attention_np.combined_mask", a.combined_mask, {"ids": IDS, "pad": 0}),
    ("attention_np.permutation_mask", a.permutation_mask, {"order": np.array([2, 0, 1])}),
    ("attention_np.attention_scores", a.attention_scores, {"Q": X, "K": X, "scale": 2}),
    ("attention_np.attention", a.attention, {"Q": H, "K": H, "V": H, "mask": a.causal_mask(4)}),
    ("attention_np.extend_cache", a.extend_cache, {"cache": (H, H), "K": H, "V": H}),
    ("attention_np.split_heads", a.split_heads, {"x": X, "h": 2}),
    ("attention_np.merge_heads", a.merge_heads, {"x": H}),
    ("attention_np.moments", a.moments, {"x": X}),
    ("attention_np.layer_norm", a.layer_norm, {"x": X, "gain": np.ones(6), "bias": np.ones(6)}),
    ("attention_np.rms_norm", a.rms_norm, {"x": X, "gain": np.ones(6)}),
    ("attention_np.gelu", a.gelu, {"x": X}),
    ("attention_np.gelu", a.gelu, {"x": X, "approximate": "tanh"}),
    ("attention_np.sinusoidal_positions", a.sinusoidal_positions, {"T": 5, "d": 6}),
    ("attention_np.sinusoidal_positions", a.sinusoidal_positions, {"T": np.arange(4.0), "d": 6}),
    ("attention_np.rope_frequencies", a.rope_frequencies, {"d": 6}),
    ("attention_np.rotate_pairs", a.rotate_pairs, {"x": X, "cos": np.ones((4, 3)),
                                                   "sin": np.zeros((4, 3))}),
    ("attention_np.rope", a.rope, {"x": H, "positions": np.arange(4.0)}),
    ("attention_np.rope_permutation", a.rope_permutation, {"d": 6}),
    ("attention_np.repeated_sequences", a.repeated_sequences, {"V": 5, "half": 3, "n": 2,
                                                               "seed": 0}),
    ("attention_np.repeats_at_varying_distance", a.repeats_at_varying_distance,
     {"V": 5, "half": 3, "n": 2, "seed": 0}),
    ("attention_np.copy_accuracy", a.copy_accuracy,
     {"predict": lambda seq: seq, "data": np.tile(IDS, (2, 1)), "half": 2}),
    ("attention_np.Space", lambda names: a.Space(names).vectors(names), {"names": ["b", "c"]}),
    ("attention_np.HandBuiltInduction", lambda **k: a.HandBuiltInduction(**k).predict([0]).out,
     {"V": 5, "T": 6, "layers": 2, "back": 1}),
    ("attention_np.LookBack", lambda **k: a.LookBack(**k).predict([0]).out,
     {"V": 5, "T": 6, "back": 1}),
    ("attention_np.HandBuiltInduction", CIRCUIT.predict, {"seq": IDS}),
    ("attention_np.HandBuiltInduction", CIRCUIT.layer1_prev_token, {"X": STREAM}),
    ("attention_np.HandBuiltInduction", CIRCUIT.layer2_induction, {"X": STREAM}),
    # --- the world
    ("pretrain_world.make_world", lambda countries: make_world(countries).names,
     {"countries": 25}),
    ("pretrain_world.make_world", lambda order: make_world(24, order).names,
     {"order": np.arange(24)[::-1]}),
    ("pretrain_world.invented_name", lambda index: pretrain_world.invented_name("name", index),
     {"index": 3}),
    ("pretrain_world.question_text", lambda form: pretrain_world.question_text(
        "balavia", "capital", form), {"form": 1}),
    ("pretrain_world.statement_text", lambda form: pretrain_world.statement_text(
        make_world().countries[0], "currency", form), {"form": 1}),
    ("pretrain_world.exam", lambda form: pretrain_world.exam(make_world(), form)[0][0],
     {"form": 1}),
    ("pretrain_world.documents", lambda registers: len(pretrain_world.documents(
        make_world(), registers)), {"registers": 2}),
    ("pretrain_world.register_lists", lambda **k: pretrain_world.register_lists(
        make_world(), **k), {"count": 2, "length": 9}),
    ("pretrain_world.repeated_sequences_of_names", lambda n: (
        pretrain_world.repeated_sequences_of_names([["a", "b", "a", "b"]], ["a", "b"], n)),
     {"n": 2}),
    ("pretrain_world.Tokenizer", lambda ids: tokenizer(make_world()).decode(ids),
     {"ids": np.array([0, 1])}),
    # --- data
    ("lecture.data.bpe.train", bpe.train, {"words": WORDS, "merges": 3}),
    ("lecture.data.bpe.train_by_recounting", bpe.train_by_recounting,
     {"words": WORDS, "merges": 3}),
    ("lecture.data.bpe.train", lambda count: bpe.train({"low": count}, 2), {"count": 2}),
    ("lecture.data.bpe.Tokenizer", PIECES.shorter, {"merges": 2}),
    ("lecture.data.bpe.Tokenizer", PIECES.decode, {"ids": np.array([0, 1])}),
    ("lecture.data.bpe.Tokenizer", lambda i: PIECES.decode([i]), {"i": 2}),
    ("lecture.data.texts.english", texts.english, {"words": 9, "seed": 0}),
    ("lecture.data.texts.chinese", texts.chinese, {"sentences": 2, "seed": 0}),
    ("lecture.data.phrases.corpus", phrases.corpus,
     {"direction": "fr_en", "trained_on": 5, "held_out": 2}),
    *((f"lecture.data.tasks.{name}", drawn(name), {"batch": 2, **sizes}) for name, sizes in {
        "repeats": {"names": 9, "shortest": 3, "longest": 5, "length": 12},
        "copy": {"words": 5, "shortest": 2, "longest": 4}, "senses": {"most": 5},
        "chain": {"length": 9}, "hidden_chain": {"length": 9},
        "seen_chain": {"length": 9},
        "neighbour": {"words": 5, "length": 9}, "recall": {"keys": 5, "values": 5, "pairs": 3},
        "delayed_copy": {"words": 5, "delay": 2, "length": 9},
        "two_things": {"names": 8, "places": 6, "marked": 0}, "pronoun": {"ask": 0},
        "said_again": {"names": 9, "shortest": 3, "longest": 5, "length": 12}}.items()),
    # --- models
    ("lecture.models.beam.score", beam.score, {"log_p": -2.0, "words": (1, 2), "finished": True,
                                               "alpha": 1}),
    ("lecture.models.beam.step", lambda log_p, end, width: beam.step(
        [((1,), -1.0), ((2,), -2.0)], log_p, end, width),
     {"log_p": np.tile(LOG_P, (2, 1)), "end": 0, "width": 2}),
    ("lecture.models.beam.search", beam.search,
     {"following": following, "end": 0, "width": 2, "longest": 3, "alpha": 1}),
    ("lecture.models.beam.greedy", beam.greedy, {"following": following, "end": 0, "longest": 3}),
    ("lecture.models.beam.exhaustive", beam.exhaustive,
     {"following": following, "end": 0, "vocabulary": 3, "longest": 3}),
    ("lecture.models.gpt_np.GPT", lambda ids: MODEL.run(ids).logits, {"ids": IDS}),
    ("lecture.models.gpt_np.GPT", MODEL.decode, {"ids": IDS, "steps": 2}),
    ("lecture.models.gpt_np.GPT", lambda **k: MODEL.run(IDS, gpt_np.cut_edge(**k)).logits,
     {"layer": 1, "head": 1, "query": 3, "key": 2}),
    ("lecture.models.gpt_np.cut_edge", gpt_np.cut_edge, {"layer": 1, "head": 1, "query": 3,
                                                         "key": 2}),
    ("lecture.models.gpt_np.zero_head", lambda **k: MODEL.run(IDS, gpt_np.zero_head(**k)).logits,
     {"layer": 1, "head": 1}),
    ("lecture.models.gpt_np.set_value", lambda **k: MODEL.run(
        IDS, gpt_np.set_value(value=np.ones((1, 4)), **k)).logits,
     {"layer": 1, "head": 1, "position": 2}),
    ("lecture.models.gpt_np.combine", lambda layer: MODEL.run(
        IDS, gpt_np.combine([gpt_np.zero_head(layer, 0), gpt_np.zero_head(0, 1)])).logits,
     {"layer": 1}),
    ("lecture.models.gpt_np.init_weights", lambda seed: gpt_np.init_weights(CFG, seed),
     {"seed": 0}),
    ("lecture.models.seq2seq_np.sigmoid", seq2seq_np.sigmoid, {"x": X}),
    ("lecture.models.seq2seq_np.default_cells", lambda **k: seq2seq_np.default_cells(
        np.random.default_rng(0), "gru", **k)[1:], {"nets": 2, "width": 3}),
    ("lecture.models.seq2seq_np.with_forget_bias", lambda bias: seq2seq_np.with_forget_bias(
        CELL, bias)[1:], {"bias": 1.0}),
    ("lecture.models.seq2seq_np.first_state", lambda x: seq2seq_np.first_state(CELL, x), {"x": X}),
    ("lecture.models.seq2seq_np.step", lambda x: seq2seq_np.step(
        CELL, x, seq2seq_np.first_state(CELL, x)), {"x": X}),
    ("lecture.models.seq2seq_np.read", lambda x: seq2seq_np.read(CELL, x), {"x": H}),
    ("lecture.models.seq2seq_np.last_state_jacobians", lambda x: seq2seq_np.last_state_jacobians(
        CELL, x), {"x": H[:1]}),
    ("lecture.models.translate_np.padded", translate_np.padded, {"rows": [[1, 2], [3]],
                                                                 "length": 3}),
    # --- lab
    ("lecture.lab.calibration.bins_of", calibration.bins_of, {"confidence": [.2, .9], "bins": 5}),
    ("lecture.lab.calibration.reliability", calibration.reliability,
     {"confidence": np.array([.25, .5]), "right": np.array([0, 1]), "bins": 5}),
    ("lecture.lab.calibration.ece", calibration.ece,
     {"confidence": np.array([.25, .5]), "right": np.array([0, 1]), "bins": 5}),
    ("lecture.lab.calibration.log_softmax", calibration.log_softmax, {"scores": X}),
    ("lecture.lab.calibration.nll", calibration.nll, {"scores": X, "answers": IDS,
                                                      "temperature": 2}),
    ("lecture.lab.calibration.fit_temperature", calibration.fit_temperature,
     {"scores": X, "answers": IDS, "low": .5, "high": 9.0, "steps": 9}),
    ("lecture.lab.calibration.auroc", calibration.auroc,
     {"confidence": np.array([.25, .5]), "right": np.array([0, 1])}),
    ("lecture.lab.calibration.right_of_surest", calibration.right_of_surest,
     {"confidence": np.array([.25, .5]), "right": np.array([0, 1]), "share": .5}),
    ("lecture.lab.sampling.top_k", sampling.top_k, {"P": np.array([.5, .25, .25]), "k": 2}),
    ("lecture.lab.sampling.top_p", sampling.top_p, {"P": np.array([.5, .25, .25]), "p": .5}),
    ("lecture.lab.embed.cooccurrence", embed.cooccurrence, {"rows": [[0, 1], [1, 2]], "size": 3}),
    ("lecture.lab.embed.ppmi", embed.ppmi, {"counts": np.array([[0, 2], [2, 0.]])}),
    ("lecture.lab.embed.truncated", embed.truncated, {"table": X, "dims": 2}),
    ("lecture.lab.embed.facing", embed.facing, {"columns": X}),
    ("lecture.lab.embed.unit", embed.unit, {"X": X}),
    ("lecture.lab.embed.cosines", embed.cosines, {"X": X}),
    ("lecture.lab.embed.neighbours", embed.neighbours, {"X": X}),
    ("lecture.lab.embed.plane", embed.plane, {"X": X}),
    ("lecture.lab.embed.purity", embed.purity, {"nearest": np.array([1, 0, 1]),
                                                "labels": ["a", "a", "b"]}),
    ("lecture.lab.heads.induction_targets", heads.induction_targets, {"ids": IDS}),
    ("lecture.lab.heads.weight_on", heads.weight_on, {"W": W, "targets": np.eye(4, dtype=bool)}),
    ("lecture.lab.heads.previous_token_score", heads.previous_token_score, {"W": W}),
    ("lecture.lab.heads.prefix_matching_score", heads.prefix_matching_score, {"W": W,
                                                                              "ids": IDS}),
    ("lecture.lab.heads.copying_score", heads.copying_score,
     {"W_E": X, "W_V": X.T, "W_O": X, "W_U": X.T}),
    ("lecture.lab.heads.in_context_score", heads.in_context_score,
     {"losses": X, "early": 1, "late": 3}),
    ("lecture.lab.heads.best_head", heads.best_head, {"scores": X}),
    ("lecture.lab.cost.hidden", cost.hidden, {"may_look": a.causal_mask(3)}),
    ("lecture.lab.cost.full", cost.full, {"Q": H, "K": H, "V": H, "mask": a.causal_mask(4)}),
    ("lecture.lab.cost.tiled", cost.tiled, {"Q": H, "K": H, "V": H, "block": 2}),
    ("lecture.lab.cost.tiled", cost.tiled, {"Q": H, "K": H, "V": H, "block": 2, "causal": True}),
    ("lecture.lab.cost.window_groups", cost.window_groups, {"n": 4, "left": 1, "right": 1,
                                                            "block": 2}),
    ("lecture.lab.cost.strided_groups", cost.strided_groups, {"n": 4, "stride": 2}),
    ("lecture.lab.cost.grouped", lambda Q, K, V: cost.grouped(
        Q, K, V, cost.strided_groups(4, 2)), {"Q": X, "K": X, "V": X}),
    ("lecture.lab.cost.feature", cost.feature, {"x": X}),
    ("lecture.lab.cost.linear_state", cost.linear_state, {"K": X, "V": X}),
    ("lecture.lab.cost.linear", cost.linear, {"Q": X, "K": X, "V": X}),
    ("lecture.lab.cost.linear_causal", cost.linear_causal, {"Q": X, "K": X, "V": X}),
    ("lecture.lab.cost.layer_shapes", cost.layer_shapes, {"d": 4, "hidden_width": 8}),
    ("lecture.lab.cost.drawn_layer", lambda **k: cost.drawn_layer(
        rng=np.random.default_rng(0), **k), {"d": 4, "hidden_width": 8}),
    ("lecture.lab.cost.heads_of", cost.heads_of, {"x": X, "h": 2}),
    ("lecture.lab.cost.layer", lambda h: cost.layer(X, LAYER, h), {"h": 2}),
    ("lecture.lab.cost.see_past", cost.see_past, {"Q": X, "K": X, "V": X}),
    ("lecture.lab.cost.write", lambda **k: cost.write(X, [LAYER], cached=True, **k),
     {"h": 2, "steps": 2}),
    ("lecture.lab.cost.ModelShape", lambda **k: list(cost.ModelShape("llama", **k).tensors()),
     {"layers": 1, "width": 8, "heads": 2, "kv_heads": 2, "hidden": 0, "vocabulary": 9,
      "context": 8}),
    ("lecture.lab.cost.seconds", lambda repeats: cost.seconds(int, repeats) >= 0, {"repeats": 2}),
    ("lecture.lab.depth.Stack", lambda x, depth: STACK.forward(x, depth)[0], {"x": X, "depth": 2}),
    ("lecture.lab.depth.Stack", lambda g: STACK.backward(g, STACK.forward(X, 2)[1]), {"g": X}),
    ("lecture.lab.depth.drawn_matrices", lambda **k: depth.drawn_matrices(
        np.random.default_rng(0), gain=1.0, **k), {"layers": 2, "width": 3, "hidden": 4}),
    ("lecture.lab.depth.layer_norm_backward", depth.layer_norm_backward, {"g": X, "x": X}),
    ("lecture.lab.depth.batch_norm", depth.batch_norm, {"x": X}),
    ("lecture.lab.lookup.Setup", lambda **k: lookup.Setup(**k), {"words": 4, "pairs": 2,
     "values": 2, "width": 4, "batch": 3, "steps": 1, "tests": 2, "every": 1}),
    ("lecture.lab.lookup.Lookup", lambda **k: HEAD.loss(**k)[0], dict(zip(
        ("lines", "beside", "asked", "answer"), LINES, strict=True))),
    ("lecture.lab.lookup.fresh_lines", lambda b: lookup.fresh_lines(
        SETUP, np.random.default_rng(0), b), {"b": 2}),
    ("lecture.lab.lookup.adam", lambda step: lookup.adam(
        {"q": X.copy()}, {"q": X}, {}, step, 1e-3), {"step": 1}),
    ("lecture.lab.lookup.train", lambda seed: lookup.train(SETUP, True, seed), {"seed": 0}),
    ("lecture.lab.edit.put", lambda position: edit.put(position, 0.0)(H.copy()), {"position": 2}),
    ("lecture.lab.edit.take", edit.take, {"a": H, "position": np.array([1, 2])}),
    ("lecture.lab.edit.recovery", edit.recovery, {"now": X[0], "source": X[1], "to": X[2]}),
    ("lecture.lab.edit.probe", edit.probe,
     {"states": np.vstack([X, X[::-1]]), "vectors": X, "answers": np.tile(IDS, 2)}),
    ("lecture.lab.edit.rank_one", lambda **k: edit.rank_one(
        MODEL, "0.mlp", **k).w["blocks.0.mlp.down.weight"],
     {"key": np.ones(MODEL.w["blocks.0.mlp.down.weight"].shape[1]), "change": np.ones(8)}),
]
# functions whose input is a trained model, a question sheet, a trace or text: no array or
# count of a caller's own, or one that a row above already hands on
LEFT = {
    "lecture.data.bpe": "characters utf8 chunks usable_pairs overlapping_pairs join Words Merge "
                        "UnknownSymbols shown counted",
    "lecture.data.texts": "ending words_of shuffled",
    "lecture.data.phrases": "Pair french_english english_chinese Corpus words_of read",
    "lecture.data.tasks": "Task task named chain_table",
    "lecture.models.beam": "Hypothesis",
    "lecture.models.gpt_np": "Run ready",
    "lecture.models.seq2seq_np": "Cell look_back_jacobians Seq2Seq load",
    "lecture.models.translate_np": "Run Translator zero_cross swap_values cut_across init_weights "
                                   "load",
    "lecture.lab.calibration": "Fit",
    "lecture.lab.cost": "Product Meter Counted Groups gradients keys_values recurrent held_bytes",
    "lecture.lab.depth": "half_precision_norm",             # NaN is what it is there to show
    "lecture.lab.heads": "Matches",
    "lecture.lab.growth": "rows surprise on_copy head_scores snapshot without_repeats cut_edges "
                          "mean_head says_what_it_sees head_roles copy_scores jump",
    "lecture.lab.edit": "branches read_out lens blind groups Swap swaps leaning Donor donor "
                        "recovered stages table dealt probed ablate exchange kinds reads key_at "
                        "Sheet sheet alone whitened write target judge edits branch_sets "
                        "answers_without answers_everywhere right_without_enrichment "
                        "answers_blind moved measure completed",
    "lecture.lab.probes": "Questions questions said right looks left_after_cuts swapped hand_over "
                          "next_country next_question copied copy_pool measure asked_about "
                          "exchanged heads_of one_question",
    "attention_np": "Prediction",
    "pretrain_world": "Country Document World UnknownWords prompt_text tokenizer",
}
# how NumPy speaks of what it was given: not a word of ours
FOREIGN = ("operands could not", "zero-size", "inhomogeneous", "cannot reshape", "must match",
           "could not convert", "not aligned", "matmul:", "axis ", "truth value")
MOVERS = {a.split_heads, a.merge_heads, cost.heads_of, edit.take}       # any cargo
SIGNED = {"offset", "alpha", "scale", "bias", "shift"}


def leaves(found: Any) -> Iterator[Any]:
    """Every array and number in a result."""
    if isinstance(found, dict):
        found = list(found.values())
    elif dataclasses.is_dataclass(found) and not isinstance(found, type):
        found = list(vars(found).values())
    if isinstance(found, (list, tuple)):
        for item in found:
            yield from leaves(item)
    else:
        yield found


def outcome(call: Callable[..., Any], given: dict[str, Any]) -> Any:
    """The result, or the ValueError; warnings and NaN fail, and so does a changed argument."""
    before = copy.deepcopy(given)
    found: Any
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = call(**given)
        except ValueError as error:
            assert not any(word in str(error) for word in FOREIGN), error
            assert len(str(error)) > 12, error
            found = error
    for name, value in before.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(given[name], value, err_msg=name)
    for leaf in leaves(found):
        if call in MOVERS:
            continue
        if isinstance(leaf, float):
            assert not math.isnan(leaf)
        elif isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f":
            assert not np.isnan(leaf).any()
    return found


def same(one: Any, other: Any, loose: float) -> None:
    for left, right in zip(leaves(one), leaves(other), strict=True):
        if isinstance(left, (np.ndarray, float)):
            np.testing.assert_allclose(left, right, rtol=loose, atol=loose)


def counts(row: Row) -> list[str]:
    return [k for k, v in row[2].items() if isinstance(v, int) and not isinstance(v, bool)]


def arrays(row: Row) -> list[str]:
    return [k for k, v in row[2].items() if isinstance(v, np.ndarray)]


NUMBERED = [(row, name) for row in TABLE for name in counts(row)]
ARRAYS = [(row, name) for row in TABLE for name in arrays(row)]


def called(pair: tuple[Row, str]) -> str:
    return f"{pair[0][0].removeprefix('lecture.')}-{pair[1]}"


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_the_sound_call_answers(row: Row) -> None:
    assert not isinstance(outcome(row[1], row[2]), ValueError)


@pytest.mark.parametrize("pair", NUMBERED, ids=called)
def test_whole_numbers(pair: tuple[Row, str]) -> None:
    """-1 is never "all but one" or "the last"; True and a half are no counts."""
    (_, call, given), name = pair
    for value in (0, 1):
        outcome(call, given | {name: value})
    wrong: list[Any] = ["2", None, [2]] if name in SIGNED else [-1, -7, True, 1.5, "2", [2]]
    if name == "form":                              # -1 is the one that is held out
        wrong.remove(-1)
    if name in ("early", "late", "position"):
        wrong = [-7, 1.5]
    if name in ("pad", "temperature"):
        wrong = [[2]]
    if name in ("T", "query", "key"):               # one a row would be sound
        wrong = wrong[:-1]
    for value in wrong:
        if value is None and name in ("offset", "scale"):
            continue
        error = outcome(call, given | {name: value})
        assert isinstance(error, ValueError), (value, error)


@pytest.mark.parametrize("pair", ARRAYS, ids=called)
def test_dtypes(pair: tuple[Row, str]) -> None:
    """Whole numbers, booleans and small floats give what the same numbers give in float64."""
    (_, call, given), name = pair
    value = given[name]
    for dtype in (np.int8, np.int64, np.uint8, bool, np.float16, np.float32):
        with np.errstate(invalid="ignore"):
            cast = np.abs(value).astype(dtype) if dtype == np.uint8 else value.astype(dtype)
        found = outcome(call, given | {name: cast})
        plain = cast if value.dtype == bool else cast.astype(np.float64)
        wanted = outcome(call, given | {name: plain})
        if not isinstance(found, ValueError) and not isinstance(wanted, ValueError) and \
                value.dtype != bool:
            same(found, wanted, 1e-12)


@pytest.mark.parametrize("pair", ARRAYS, ids=called)
def test_nothing_and_nonsense(pair: tuple[Row, str]) -> None:
    (_, call, given), name = pair
    value = given[name]
    for shape in ((0,), (0, value.shape[-1]), (*value.shape[:-1], 0), (*value.shape[:-2], 0, 0)):
        outcome(call, given | {name: np.zeros(shape, value.dtype)})
    outcome(call, given | {name: value[0]})                     # an axis less
    outcome(call, given | {name: value[None]})                  # an axis more
    for odd in () if call in MOVERS and value.dtype.kind == "f" else (np.nan, np.inf):
        spoilt = value.astype(np.float64)
        spoilt.flat[0] = odd
        error = outcome(call, given | {name: spoilt})
        assert isinstance(error, ValueError), (odd, error)
    outcome(call, given | {name: value.astype(object)})
    for odd in (value.astype(str), value + 0j):
        error = outcome(call, given | {name: odd})
        assert isinstance(error, ValueError) or call in MOVERS, error


@pytest.mark.parametrize("pair", [p for p in ARRAYS if p[0][2][p[1]].dtype.kind == "f"],
                         ids=called)
def test_huge_and_constant(pair: tuple[Row, str]) -> None:
    (_, call, given), name = pair
    for odd in (1e200, -1e200, 1e-200, 0.0, 1.0):
        outcome(call, given | {name: np.full_like(given[name], odd)})


@pytest.mark.parametrize("pair", ARRAYS, ids=called)
def test_layouts(pair: tuple[Row, str]) -> None:
    """Lists, other orders of bytes and axes, arrays that may not be written: the same answer."""
    (_, call, given), name = pair
    value, wanted = given[name], outcome(call, given)
    shut = value.copy()
    shut.flags.writeable = False
    kinds = [shut, np.asfortranarray(value), np.repeat(value, 2, 0)[::2], value[::-1][::-1],
             value.astype(value.dtype.newbyteorder(">")), value.tolist()]
    if value.dtype.kind == "f":
        kinds += [value.astype(np.longdouble)]
    for kind in kinds:
        same(outcome(call, given | {name: kind}), wanted, 1e-12)


@pytest.mark.parametrize("pair", ARRAYS, ids=called)
def test_what_is_no_array(pair: tuple[Row, str]) -> None:
    (_, call, given), name = pair
    for odd in ([[1, 2], [3]], "abc", {"a": 1}, np.array(["2020-01-01"], "M8[D]")):
        found = outcome(call, given | {name: odd})
        assert isinstance(found, ValueError) or call in MOVERS or name in ("T", "labels"), odd


@pytest.mark.parametrize("pair", NUMBERED, ids=called)
def test_odd_numbers(pair: tuple[Row, str]) -> None:
    """NumPy's own whole numbers are numbers; NaN, infinity, complex ones and far too many not."""
    (_, call, given), name = pair
    same(outcome(call, given | {name: np.int64(given[name])}), outcome(call, given), 0)
    for odd in (math.nan, math.inf, 1 + 0j):
        if name not in ("pad", "T", "query", "key") or odd != odd:
            assert isinstance(outcome(call, given | {name: odd}), ValueError), odd
    if name in ("offset", "stride", "seed", "index", "form"):       # others would take for ever
        assert isinstance(outcome(call, given | {name: 10**30}), ValueError)


def test_k51_strides_and_whole_numbers_as_masks() -> None:
    Q, K, V = H[0], H[1], np.round(rng.normal(size=(4, 2)), 1)
    wanted = a.attention(Q, K, V, mask=a.strided_mask(4, 2))[0]
    np.testing.assert_allclose(cost.grouped(Q, K, V, cost.strided_groups(4, 2)), wanted,
                               atol=1e-12)
    for call in (a.attention, cost.full):           # 0 and 1: may look, or added to the scores?
        with pytest.raises(ValueError, match="boolean"):
            call(Q, K, V, mask=np.tril(np.ones((4, 4), int)))


def test_k52_settings_of_a_process_are_put_back(tmp_path: Path) -> None:
    """Figures leave matplotlib as it was, in memory and in settings, refused or not."""
    plt = pytest.importorskip("matplotlib.pyplot")
    from cli import main

    before, cwd, environ = dict(plt.rcParams), os.getcwd(), dict(os.environ)
    for place, code in ((tmp_path, 0), (Path("/proc/nowhere"), 3)):
        assert main(["demo", "04", "--part", "2", "--lang", "en", "--figures", str(place)]) == code
        after = dict(plt.rcParams)
        assert {k: v for k, v in after.items()
                if v != before[k] and not k.startswith("backend")} == {}
        assert plt.get_fignums() == [] and os.getcwd() == cwd and dict(os.environ) == environ


def test_every_public_function_is_here() -> None:
    named: dict[str, set[str]] = {}
    for where, *_ in TABLE:
        module, _, name = where.rpartition(".")
        named.setdefault(module, set()).add(name)
    for module, names in LEFT.items():
        named.setdefault(module, set()).update(names.split())
    for module, names in named.items():
        room = importlib.import_module(module)
        public = {n for n, v in vars(room).items() if not n.startswith("_")
                  and (inspect.isfunction(v) or inspect.isclass(v)) and v.__module__ == module}
        assert public == names, (module, public ^ names)


# --- the cases ----------------------------------------------------------------------
SHAPES = [(2, 5), (5, 5), (1, 4), (5, 2), (3, 1), (1, 1)]


@pytest.mark.parametrize("n_q, n_k", SHAPES)
def test_k51_one_causal_rule_in_every_room(n_q: int, n_k: int) -> None:
    """The last query is the last key; a query before all keys gets 0."""
    Q, K, V = np.zeros((n_q, 2)), np.zeros((n_k, 2)), np.arange(1.0, n_k + 1)[:, None]
    wanted = []
    for i in range(n_q):
        seen = V[:max(0, i + n_k - n_q + 1), 0]
        wanted.append(seen.mean() if len(seen) else 0.0)
    for block in (1, 2, 64):
        np.testing.assert_allclose(cost.tiled(Q, K, V, block, causal=True)[:, 0], wanted)
    mask = a.causal_mask(n_q, n_k)
    np.testing.assert_allclose(a.attention(Q, K, V, mask=mask)[0][:, 0], wanted)
    np.testing.assert_allclose(cost.full(Q, K, V, cost.hidden(mask))[:, 0], wanted)
    np.testing.assert_allclose(cost.full(Q, K, V, mask)[:, 0], wanted)
    np.testing.assert_allclose(cost.see_past(Q, K, V)[:, 0], wanted)


def test_k51_values() -> None:
    found = cost.tiled(np.zeros((2, 2)), np.zeros((5, 2)), np.arange(1.0, 6)[:, None], causal=True)
    np.testing.assert_allclose(found[:, 0], [2.5, 3.0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("left, right", [(0, 0), (1, 0), (2, 1)])
def test_k51_one_window_rule(left: int, right: int) -> None:
    Q, K, V = H[0], H[1], np.round(rng.normal(size=(4, 2)), 1)
    wanted = a.attention(Q, K, V, mask=a.window_mask(4, left, right))[0]
    found = cost.grouped(Q, K, V, cost.window_groups(4, left, right, 2))
    np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("bad", [
    {"typo": 0}, {"2.attn": np.zeros_like}, {"1.attn": np.zeros(3)},
    {"1.mlp": lambda x: 1 / 0}, {"logits": np.zeros(1)}], ids=lambda b: next(iter(b)))
def test_k52_a_refused_run_leaves_the_cache(bad: dict[str, Any]) -> None:
    first, then = [1, 2, 3], [4, 5]
    wanted = MODEL.run([*first, *then]).logits[:, -2:]
    cache = MODEL.new_cache()
    MODEL.run(first, cache=cache)
    with pytest.raises((ValueError, ZeroDivisionError)):
        MODEL.run(then, bad, cache=cache)
    with pytest.raises(ValueError):
        MODEL.run([99], cache=cache)
    np.testing.assert_allclose(MODEL.run(then, cache=cache).logits, wanted, atol=1e-12)


def test_k52_patch_names_are_checked_before_anything_is_computed() -> None:
    asked: list[str] = []
    with pytest.raises(ValueError, match="typo"):
        MODEL.run(IDS, {"embed": lambda x: asked.append("computed") or x, "typo": 0})
    assert asked == []
    assert set(MODEL.run(IDS, trace=True).trace) == MODEL._stages()
    cfg = recipes.TranslateConfig(source_words=5, target_words=6, context=4, width=8, n_head=2,
                                  encoder_layers=1, decoder_layers=1)
    net = translate_np.Translator(cfg, translate_np.init_weights(cfg))
    assert set(net.run([[1, 2]], [[1]], trace=True).trace) == net._stages()
    with pytest.raises(ValueError, match="typo"):
        net.run([[1, 2]], [[1]], {"memory": lambda x: asked.append("computed") or x, "typo": 0})
    assert asked == []


@pytest.mark.parametrize("heads", [2, 3])
def test_k53_axes_that_could_be_two_things(heads: int) -> None:
    x, rows = rng.normal(size=(2, heads, 4, 6)), np.arange(8.0).reshape(2, 4)
    with pytest.raises(ValueError):
        a.rope(x, rows)                                          # heads == 2: batch or heads
    turned = a.rope(x, rows[:, None])
    np.testing.assert_allclose(turned[1], a.rope(x[1], rows[1]))
    mask = np.ones((2, 4, 4), bool)
    for call in (lambda m: a.attention(x, x, x, mask=m), lambda m: cost.full(x, x, x, m)):
        with pytest.raises(ValueError):
            call(mask)
        call(mask[:, None])                                      # one row a sequence
        call(np.ones((1, heads, 4, 4), bool))                    # one a head
    if heads == 2:
        with pytest.raises(ValueError, match="batch or heads"):
            a.attention(x, x[0], x[0])


def test_k53_a_row_for_each_head_where_nothing_else_fits() -> None:
    x, rows = rng.normal(size=(2, 3, 4, 6)), np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(a.rope(x, rows)[0, 1], a.rope(x[0, 1], rows[1]))


def test_k54_numbers_that_index_from_the_end() -> None:
    last = len(PIECES.vocabulary) - 1
    for wrong in (-1, 999, last + 1):
        with pytest.raises(ValueError, match=f"from 0 to {last}, got {wrong}"):
            PIECES.decode([wrong])
    with pytest.raises(ValueError, match="at least 0, got -1"):
        PIECES.shorter(-1)
    assert PIECES.shorter(0).merges == () and PIECES.shorter(99).merges == PIECES.merges


@pytest.mark.parametrize("kind", [int, float, np.float16, np.float32, np.uint8])
@pytest.mark.parametrize("scale", [1, 7, 1e-6])
def test_k55_ppmi_of_any_numbers_and_scale(kind: type, scale: float) -> None:
    table = np.array([[0, 2], [2, 0]], dtype=kind)
    if scale != 1:
        table = table.astype(float) * scale
    np.testing.assert_allclose(embed.ppmi(table), [[0, math.log(2)], [math.log(2), 0]], atol=1e-12)


def test_k56_nothing_one_thing_all_the_same() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        calibration.fit_temperature(np.zeros((0, 3)), np.zeros(0, int))
    assert calibration.fit_temperature(np.zeros((2, 3)), [0, 1]).temperature > 0
    assert not calibration.fit_temperature([[9.0, 0.0]], [0]).inside
    with pytest.raises(ValueError):
        growth.jump([])
    with pytest.raises(ValueError):
        embed.plane(np.ones((3, 2)))


def test_swaps_of_a_sheet_count_from_the_front() -> None:
    world = make_world()
    q = probes.questions(world, tokenizer(world))
    for wrong in (-1, 0, 999):
        with pytest.raises(ValueError, match="count"):
            edit.swaps(q, "capital", wrong)
    for row in (-1, 96):
        with pytest.raises(ValueError, match="row"):
            edit.target(q, row)
