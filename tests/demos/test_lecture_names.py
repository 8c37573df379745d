"""The names a script of the lecture stands on, used as such a script uses them.

It is run as a stranger runs it: from another folder, with the project on PYTHONPATH
and nothing installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.conftest import ROOT

SCRIPT = r'''
import json, sys
import numpy as np, torch
from attention_np import (HandBuiltInduction, attention, causal_mask, copy_accuracy,
                          repeated_sequences, softmax)
from console import pct, print_header, print_observations, print_table
from pretrain_world import RELATIONS, question_text
from tiny_gpt import get_model

found = {}
keys = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0.7, 0.7, 0]])
values = np.array([[10.0], [20], [30], [40]])
out, W = attention(10.0 * np.array([[1.0, 1, 0]]), keys, values, scale=False)
found["value"] = float(out[0, 0])
found["softmax"] = float(softmax(np.array([[1.0, 2.0]]))[0, 1])
X = np.random.default_rng(1).standard_normal((6, 8))
found["causal"] = attention(X, X, X, mask=causal_mask(6))[1][1, :3].tolist()

data = repeated_sequences(V=20, half=10, n=300, seed=0)
found["first"] = data[0].tolist()
for name, circuit in [("full", HandBuiltInduction(20, 20)),
                      ("blunt", HandBuiltInduction(20, 20, beta=2.0)),
                      ("no_positions", HandBuiltInduction(20, 20, use_pos=False)),
                      ("one_layer", HandBuiltInduction(20, 20, layers=1))]:
    halves = copy_accuracy(lambda s, m=circuit: m.predict(s)[0], data)
    weight = []
    for seq in data[:40]:
        S = circuit.embed(seq)
        if circuit.layers >= 2:
            S, W1 = circuit.layer1_prev_token(S)
            assert W1.shape == (20, 20)
        got, W2 = circuit.layer2_induction(S)
        weight += [got[t, seq[t + 1]] for t in range(10, 19)]
    found[name] = [pct(halves[0], 1), pct(halves[1], 1), float(np.mean(weight))]

model, tok, info = get_model("base")
countries = info["world"].countries
found["shape"] = [model.cfg.n_layer, model.cfg.n_head, len(countries), len(RELATIONS)]
right = 0
words = {"capital", "language", "speak", "known", "leads", "of", "for", "in"}
with torch.no_grad():
    for c in countries:
        for relation in RELATIONS:
            ids = tok.encode(f"<doc> faq : q : {question_text(c.name, relation)} a :")
            assert ids.count(tok.stoi[c.name]) == 1
            assert any(tok.itos[i] in words for i in ids)
            logits, _, atts = model(torch.tensor([ids]), return_attn=True)
            assert len(atts) == model.cfg.n_layer
            assert atts[0].shape == (1, model.cfg.n_head, len(ids), len(ids))
            told = tok.itos[int(logits[0, -1].argmax())]
            right += told in (c.capital, c.language, c.leader, c.known_for)
    rng = np.random.default_rng(0)
    pool = [tok.stoi[c.capital] for c in countries] + [tok.stoi[c.leader] for c in countries]
    hits = total = 0
    for _ in range(100):
        names = rng.choice(pool, size=12, replace=False).tolist()
        ids = [tok.stoi["<doc>"], *names, *names]
        told = model(torch.tensor([ids]))[0][0].argmax(-1).tolist()
        hits += sum(told[t] == ids[t + 1] for t in range(13, len(ids) - 1))
        total += len(range(13, len(ids) - 1))
found |= {"right": int(right), "hits": int(hits), "total": int(total)}
print_header("title"); print_table(["a", "b"], [["[x]", "1.0%"]]); print_observations(["one"])
print(json.dumps(found), file=sys.stderr)
'''


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=folder, text=True, check=False,
                          capture_output=True, env=os.environ | {
                              "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"})
    assert done.returncode == 0, done.stderr
    assert "[x]" in done.stdout and "1. one" in done.stdout
    return json.loads(done.stderr.strip().splitlines()[-1])


def test_the_hand_built_part(found) -> None:
    assert found["value"] == pytest.approx(39.1166, abs=5e-5)
    assert found["softmax"] == pytest.approx(1 / (1 + np.exp(-1)))
    assert found["causal"][2] == 0 and found["causal"][1] == pytest.approx(.68, abs=.005)
    assert found["first"] == [4, 19, 6, 2, 13, 16, 3, 11, 10, 8] * 2
    for name, first, second, weight in [("full", "0.0%", "100.0%", 1.0),
                                        ("blunt", "0.0%", "100.0%", .3506),
                                        ("no_positions", "0.0%", "0.0%", .1267),
                                        ("one_layer", "0.0%", "0.0%", .0688)]:
        assert found[name][:2] == [first, second]
        assert found[name][2] == pytest.approx(weight, abs=.004)


def test_the_trained_part(found) -> None:
    assert found["shape"] == [2, 2, 24, 4]
    assert found["right"] == 96
    assert found["total"] == 1100 and found["hits"] <= .05 * 1100
