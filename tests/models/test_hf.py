"""A T5, a GPT-2 and a BERT, built and saved on the spot, through our views.

Random weights: what is checked is structure (which looks may see what, where a decoder
begins, how many maps come when), and that every fault is told in two lines.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from lecture.errors import SetupProblem, UsageProblem
from lecture.models import hf

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
from tests.hf_build import TEXT, build  # noqa: E402

FAMILIES = ("t5", "gpt2", "bert")


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    return {f: build(f, tmp_path_factory.mktemp(f)) for f in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
def test_attention_of(folders, family: str) -> None:
    found = hf.attention_of(folders[family], TEXT)
    n = len(found["tokens"])
    assert found["kind"] == hf.KINDS[family]
    assert [(m["layer"], m["head"]) for m in found["maps"]] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for m in found["maps"]:
        w = np.array(m["weights"])
        assert w.shape == (n, n)
        np.testing.assert_allclose(w.sum(-1), 1, atol=1e-5)
        above = w[np.triu_indices(n, 1)]
        assert (above == 0).all() if family == "gpt2" else (above > 0).all()
    json.dumps(found)


def test_views_of_t5(folders) -> None:
    v = hf.views(folders["t5"], TEXT)
    n, m = len(v["tokens"]), len(v["decoder"][0][0])
    assert v["start"] == "<pad>" == v["steps"][0]["fed"]
    assert np.shape(v["encoder"]) == (2, 2, n, n)
    assert np.shape(v["decoder"]) == (2, 2, m, m)
    assert np.shape(v["cross"]) == (2, 2, m, n) and m != n
    assert (np.triu(np.array(v["decoder"]), 1) == 0).all()
    assert m == len(v["steps"])                         # one row of a map for each step
    assert [s["fed"] for s in v["steps"][1:]] == v["said"][:-1]
    assert all(s["best"][0]["p"] >= s["best"][1]["p"] for s in v["steps"])


@pytest.mark.parametrize("family", ["t5", "gpt2"])
def test_greedy_steps_are_the_librarys_own(folders, family: str) -> None:
    model, tokenizer = hf.open_model(folders[family])
    ids = tokenizer(TEXT, return_tensors="pt").input_ids
    out = model.generate(ids, max_new_tokens=5, do_sample=False, num_beams=1)[0].tolist()
    said = out[1:] if family == "t5" else out[ids.shape[1]:]
    mine = hf.views(folders[family], TEXT, steps=5)["said"]
    assert mine == tokenizer.convert_ids_to_tokens(said)


def test_views_of_the_others(folders) -> None:
    gpt2, bert = (hf.views(folders[f], TEXT) for f in ("gpt2", "bert"))
    assert gpt2["encoder"] == gpt2["cross"] == [] and len(gpt2["decoder"]) == 2
    assert gpt2["start"] is None and gpt2["steps"][0]["fed"] == gpt2["tokens"][-1]
    assert bert["steps"] == bert["decoder"] == [] and len(bert["encoder"]) == 2


@pytest.mark.parametrize("family", ["t5", "gpt2"])
def test_without_the_mask_a_decoder_looks_right(folders, family: str) -> None:
    """The same weights: nothing right of the diagonal under the mask, something without."""
    masked, bare = (np.triu(np.array(maps), 1) for maps in
                    (hf.views(folders[family], TEXT)["decoder"],
                     hf.unmasked(folders[family], TEXT)))
    assert (masked == 0).all() and bare.max() > 0.05


def test_what_is_written_is_the_librarys_own(folders) -> None:
    """T5: four beams, as the notes ask for them; GPT-2: word by word; BERT: nothing."""
    t5, tokenizer = hf.open_model(folders["t5"])
    ids = tokenizer(TEXT, return_tensors="pt").input_ids
    out = t5.generate(input_ids=ids, num_beams=4, max_length=50, early_stopping=True)
    found = hf.views(folders["t5"], TEXT)
    assert found["written"] == tokenizer.decode(out[0], skip_special_tokens=True)
    assert found["ids"] == ids[0].tolist() and found["head_width"] == 8
    gpt2 = hf.views(folders["gpt2"], TEXT)
    assert gpt2["written"].split() == [*gpt2["tokens"], *gpt2["said"]]
    assert hf.views(folders["bert"], TEXT)["written"] is None


def test_a_full_text_is_not_continued(folders) -> None:
    assert hf.views(folders["gpt2"], " ".join(["cat"] * 32))["written"] is None


# --- faults -------------------------------------------------------------------------


def fault(kind, folder, text: str = TEXT) -> str:
    with pytest.raises(kind) as caught:
        hf.attention_of(folder, text)
    assert caught.value.what and caught.value.todo
    return caught.value.what


def test_no_folder_no_model(tmp_path) -> None:
    assert "config.json" in fault(UsageProblem, tmp_path / "nothing")
    assert "config.json" in fault(UsageProblem, tmp_path)


def test_another_family_is_refused(tmp_path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "distilbert"}')
    assert "distilbert" in fault(UsageProblem, tmp_path)
    (tmp_path / "config.json").write_text("{")
    fault(UsageProblem, tmp_path)


def test_damaged_or_pickled_weights_are_refused(tmp_path) -> None:
    folder = build("gpt2", tmp_path)
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:len(whole) // 2])
    assert "weights" in fault(SetupProblem, folder)
    (folder / "model.safetensors").unlink()
    whole_model = transformers.GPT2LMHeadModel(transformers.AutoConfig.from_pretrained(folder))
    torch.save(whole_model.state_dict(), folder / "pytorch_model.bin")      # a pickle
    assert "weights" in fault(SetupProblem, folder)


def test_texts_that_do_not_fit(folders) -> None:
    assert "tokens" in fault(UsageProblem, folders["gpt2"], "")
    assert "tokens" in fault(UsageProblem, folders["gpt2"], "the cat " * 40)


def test_without_transformers(folders, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert "transformers" in fault(SetupProblem, folders["bert"])


def test_it_is_not_loaded_at_import() -> None:
    import subprocess

    code = "import sys; import lecture.models.hf; " \
           "assert not {'torch', 'transformers'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True,
                   cwd=Path(__file__).resolve().parents[2])
