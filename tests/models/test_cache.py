"""Weights come whole or not at all: K-15, K-16, K-30 and every way a file can be wrong.

Most tests replace the trainer by one that draws numbers and counts its calls: what is
tested is the cache. One test at the end trains for real.
"""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import pickle
import re
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

import pretrain_world
from lecture.models import cache, identity, recipes
from lecture.models.recipes import Training, WorldData, gpt_on_world, with_seed

ROOT = Path(__file__).resolve().parents[2]
SMALL = gpt_on_world("small", WorldData(registers=1), Training(3, 2, 48), n_layer=1,
                     n_head=1, width=8)


def draw(recipe, progress=None):
    """A trainer without training: the same numbers for the same fingerprint."""
    rng = np.random.default_rng(int(recipes.fingerprint(recipe)[:8], 16))
    progress and progress(1, 1, 0.5)
    return ({name: rng.normal(size=shape).astype(np.float32)
             for name, shape in recipe.config.tensor_shapes().items()},
            [{"step": 1, "loss": 0.5}])


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty cache of its own, a counting trainer, and the notices given."""
    calls, lines = [], []
    trainer = types.ModuleType("drawing_trainer")
    trainer.train = lambda r, p=None: (calls.append(r.name), draw(r, p))[1]
    monkeypatch.setitem(sys.modules, "drawing_trainer", trainer)
    monkeypatch.setitem(cache.TRAINERS, "gpt", "drawing_trainer")
    monkeypatch.setenv("LECTURE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "policy", cache.Policy(say=lines.append))
    monkeypatch.setattr(cache, "SHIPPED", tmp_path / "shipped")
    (tmp_path / "shipped").mkdir()
    cache.forget()
    yield types.SimpleNamespace(calls=calls, lines=lines, path=tmp_path,
                                trainer=trainer)
    cache.forget()


def again(recipe=SMALL, **options):
    """Load as a new process would."""
    cache.forget()
    return cache.load(recipe, **options)


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if p.suffix != ".lock")


def test_first_trained_then_cached_then_remembered(place):
    first = cache.load(SMALL)
    assert first.origin == "trained" and cache.load(SMALL) is first
    second = again()
    assert second.origin == "cached" and second.digest == first.digest
    assert second.history == first.history and second.meta == first.meta
    assert place.calls == ["small"] and place.lines == []
    for name, a in first.tensors.items():
        np.testing.assert_array_equal(a, second.tensors[name])
        for weights in (first, second):
            with pytest.raises(ValueError, match="read-only"):
                weights.tensors[name][...] = 0


def test_the_record_in_the_file_says_everything(place):
    meta = cache.load(SMALL).meta
    assert meta["vocabulary"] == pretrain_world.tokenizer(SMALL.data.world()).itos
    assert meta["fingerprint"] == recipes.fingerprint(SMALL) and meta["seed"] == 0
    assert {"python", "numpy"} <= meta["versions"].keys() and meta["date"][:2] == "20"
    assert meta["machine"] == identity.machine() and meta["trainer"] == cache.trainer(SMALL)
    content = cache.cache_path(SMALL).read_bytes()
    header = json.loads(content[8:8 + int.from_bytes(content[:8], "little")])
    assert list(header["__metadata__"]) == ["lecture"]


# --- K-15: damaged files ------------------------------------------------------------
def signed(tensors, meta):
    """A file whose digest fits its wrong tensors: the other checks must find them."""
    record = meta | {"digest": cache.digest(tensors)}
    return save(tensors, {"lecture": json.dumps(record)})


def spoil_nan(content, tensors, meta):
    tensors["wte.weight"][3, 3] = np.nan
    return signed(tensors, meta)


def spoil_shape(content, tensors, meta):
    tensors["wpe.weight"] = tensors["wpe.weight"][:-1]
    return signed(tensors, meta)


def spoil_dtype(content, tensors, meta):
    tensors["wpe.weight"] = tensors["wpe.weight"].astype(np.float64)
    return signed(tensors, meta)


def spoil_prefix(content, tensors, meta):
    tensors = {f"_orig_mod.{n}": a for n, a in tensors.items()}
    return signed(tensors, meta)


def spoil_missing(content, tensors, meta):
    del tensors["wpe.weight"]
    return signed(tensors, meta)


def spoil_fingerprint(content, tensors, meta):
    return save(tensors, {"lecture": json.dumps(meta | {"fingerprint": "0" * 64})})


def spoil_vocabulary(content, tensors, meta):
    """Two words have changed places: all shapes and the fingerprint still fit."""
    words = list(meta["vocabulary"])
    words[3], words[4] = words[4], words[3]
    return save(tensors, {"lecture": json.dumps(meta | {"vocabulary": words})})


def flip(content, tensors, meta):
    at = len(content) - 7                       # a low bit of a weight: finite, wrong
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1:]


SPOILED = {
    "k15_a_half": (lambda c, t, m: c[:len(c) // 2], "not a whole safetensors file"),
    "k15_b_empty": (lambda c, t, m: b"", "not a whole safetensors file"),
    "k15_c_random": (lambda c, t, m: np.random.default_rng(0).bytes(500),
                     "not a whole safetensors file"),
    "k15_text": (lambda c, t, m: b"{}" * 400, "not a whole safetensors file"),
    "k15_huge_header": (lambda c, t, m: b"\xff" * 8 + c[8:], "not a whole"),
    "k16_c_prefix": (spoil_prefix, "tensor names are not this model's"),
    "missing": (spoil_missing, "missing wpe.weight"),
    "flipped": (flip, "digest"),
    "nan": (spoil_nan, "wte.weight holds values that are not finite"),
    "shape": (spoil_shape, "wpe.weight has shape (47, 8), not (48, 8)"),
    "dtype": (spoil_dtype, "wpe.weight is float64"),
    "fingerprint": (spoil_fingerprint, "another recipe"),
    "vocabulary": (spoil_vocabulary, "its vocabulary is not this model's"),
    "no_record": (lambda c, t, m: save(t), "record is missing"),
    "no_json": (lambda c, t, m: save(t, {"lecture": "{"}), "record is missing"),
    "list_record": (lambda c, t, m: save(t, {"lecture": "[1]"}), "record is missing"),
    "seed_text": (lambda c, t, m: save(t, {"lecture": '{"seed": "x"}'}), "record"),
}


@pytest.mark.parametrize("case", SPOILED)
def test_k15_a_spoiled_file_is_named_and_replaced(place, case):
    spoil, reason = SPOILED[case]
    clean = cache.load(SMALL)
    path = cache.cache_path(SMALL)
    whole = path.read_bytes()
    tensors = {n: a.copy() for n, a in clean.tensors.items()}
    path.write_bytes(spoil(whole, tensors, clean.meta))
    repaired = again()
    assert repaired.origin == "trained" and repaired.digest == clean.digest
    assert len(place.lines) == 1 and reason in place.lines[0]
    assert "\n" not in place.lines[0] and str(path) in place.lines[0]
    assert path.read_bytes() == whole and again().origin == "cached"


def test_k15_a_pickle_is_refused_and_never_run(place):
    class Hostile:
        def __reduce__(self):
            return Path(place.path / "touched").touch, ()

    cache.load(SMALL)
    path = cache.cache_path(SMALL)
    path.write_bytes(pickle.dumps(Hostile()))
    assert again().origin == "trained"
    assert not (place.path / "touched").exists()
    source = (ROOT / "lecture/models/cache.py").read_text()
    assert "import pickle" not in source and "torch.load(" not in source


def test_k15_d_no_space_leaves_no_litter_and_the_old_file(place, monkeypatch):
    cache.load(SMALL)
    path = cache.cache_path(SMALL)
    path.write_bytes(b"old")

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    weights = again()
    assert weights.digest == cache.digest(draw(SMALL)[0])
    assert [line for line in place.lines if "No space left on device" in line] == [
        place.lines[-1]]
    assert files(path.parent) == [path.name] and path.read_bytes() == b"old"


def test_an_interrupted_write_leaves_nothing(place, monkeypatch):
    def interrupt(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cache.load(SMALL)
    assert files(place.path / "cache") == []


def test_k26_an_interrupted_training_frees_the_lock(place, monkeypatch):
    whole = place.trainer.train

    def interrupt(recipe, progress=None):
        raise KeyboardInterrupt

    place.trainer.train = interrupt
    with pytest.raises(KeyboardInterrupt):
        cache.load(SMALL)
    assert files(place.path / "cache") == []
    place.trainer.train = whole
    monkeypatch.setattr(cache, "LOCK_TIMEOUT", 0.1)
    assert again().origin == "trained" and place.lines == []


# --- K-16: weights of another model -------------------------------------------------
def test_k16_a_one_more_country_trains_again(place):
    cache.load(SMALL)
    more = dataclasses.replace(SMALL, data=WorldData(countries=25, registers=1))
    assert again(more).origin == "trained" and place.calls == ["small"] * 2


def test_k16_b_another_order_of_the_same_countries_trains_again(place):
    cache.load(SMALL)
    order = (1, 0, *range(2, 24))
    turned = dataclasses.replace(SMALL, data=WorldData(order=order, registers=1))
    assert turned.config == SMALL.config        # the silent case: all sizes fit
    assert again(turned).origin == "trained" and place.calls == ["small"] * 2


def test_k16_a_file_under_another_models_name_is_refused(place):
    cache.load(SMALL)
    other = with_seed(SMALL, 1)
    os.replace(cache.cache_path(SMALL), cache.cache_path(other))
    assert again(other).origin == "trained"
    assert "another recipe" in place.lines[0]


def changes():
    yield "seed", with_seed(SMALL, 1)
    for field in dataclasses.fields(Training):
        old = getattr(SMALL.training, field.name)
        new = {"optimizer": "adamw", "packing": "stream"}.get(field.name)
        new = new or old * 2 + 1
        yield field.name, dataclasses.replace(
            SMALL, training=dataclasses.replace(SMALL.training, **{field.name: new}))
    for name, value in {"context": 49, "n_layer": 2, "n_head": 2, "positions": "rope",
                        "norm": "post", "norm_kind": "rms", "mlp": False, "bias": False,
                        "residual": False, "causal": False, "scale": False,
                        "qk_norm": True, "tied": False, "dropout": 0.1, "d_ff": 8,
                        "qkv": "shared_kv", "activation": "relu"}.items():
        yield name, dataclasses.replace(
            SMALL, config=dataclasses.replace(SMALL.config, **{name: value}))
    yield "registers", dataclasses.replace(SMALL, data=WorldData(registers=2))


@pytest.mark.parametrize("changed", [pytest.param(r, id=n) for n, r in changes()])
def test_every_change_of_a_recipe_changes_the_fingerprint(changed):
    assert recipes.fingerprint(changed) != recipes.fingerprint(SMALL)


def test_words_and_schema_change_the_fingerprint_and_the_name_does_not(monkeypatch):
    def now(recipe=SMALL):
        getattr(recipes.fingerprint, "cache_clear", int)()    # it may be remembered
        return recipes.fingerprint(recipe)

    before, said = now(), pretrain_world.STATEMENTS["capital"]
    assert now(dataclasses.replace(SMALL, name="other")) == before
    for change in (
            lambda m: m.setattr(recipes, "SCHEMA", recipes.SCHEMA + 1),
            lambda m: m.setitem(pretrain_world.STATEMENTS, "capital",
                                (said[1], said[0], *said[2:])),
            lambda m: m.setitem(pretrain_world.TAILS, "capital",
                                ["zzz", *pretrain_world.TAILS["capital"][1:]])):
        with monkeypatch.context() as m:
            change(m)
            assert now() != before
    assert now() == before


def test_an_added_switch_leaves_old_fingerprints_alone():
    assert "dropout" not in recipes.description(SMALL)["config"]
    @dataclasses.dataclass(frozen=True)
    class Wider(recipes.GPTConfig):
        added: int = 3
    same = Wider(**recipes.described(SMALL.config))
    wider = dataclasses.replace(SMALL, config=same)
    assert recipes.fingerprint(wider) == recipes.fingerprint(SMALL)


# --- policy -------------------------------------------------------------------------
def test_fresh_trains_whatever_is_there_and_keeps_it(place):
    cache.load(SMALL)
    assert again(source="fresh").origin == "trained" and place.calls == ["small"] * 2
    assert cache.load(SMALL, "fresh").origin == "trained" and len(place.calls) == 2
    assert again().origin == "cached"


def test_shipped_comes_before_the_cache_and_cached_passes_it_over(place):
    cache.ship(SMALL)
    assert again().origin == "shipped" and cache.verify(SMALL) == []
    assert again(source="cached").origin == "trained"
    assert again(source="cached").origin == "cached"


def test_a_damaged_shipped_file_is_named_and_the_next_place_tried(place, monkeypatch):
    path = cache.ship(SMALL)
    monkeypatch.setitem(recipes.RECIPES, "small", SMALL)
    path.write_bytes(flip(path.read_bytes(), None, None))
    assert "digest" in cache.verify(SMALL)[0] and path.name in cache.verify(SMALL)[0]
    assert again().origin == "trained"
    assert len(place.lines) == 1 and "shipped weights" in place.lines[0]


def test_another_seed_does_not_complain_about_the_shipped_one(place, monkeypatch):
    cache.ship(SMALL)
    monkeypatch.setitem(recipes.RECIPES, "small", SMALL)
    assert again(with_seed(SMALL, 5)).origin == "trained" and place.lines == []


def test_verify_names_a_missing_file(place):
    assert cache.verify(SMALL) == ["small.safetensors: No such file or directory"]


# --- whose training it is ------------------------------------------------------------
@pytest.mark.parametrize("other", ["0" * 64, None])
def test_a_cached_file_of_another_trainer_is_named_and_replaced(place, monkeypatch, other):
    """None: made before files named their trainer."""
    cache.load(SMALL)
    path = cache.cache_path(SMALL)
    made = cache.made_now(SMALL) | {"trainer": other}
    if other is None:
        del made["trainer"]
    path.write_bytes(cache.to_bytes(SMALL, *draw(SMALL), made))
    cache.forget()
    assert not cache.at_hand(SMALL)
    assert cache.load(SMALL).origin == "trained" and place.calls == ["small"] * 2
    assert len(place.lines) == 1 and str(path) in place.lines[0]
    assert place.lines[0].endswith("another version of the trainer made it")
    assert again().origin == "cached"
    with pytest.raises(cache.Unusable, match="another version of the trainer"):
        cache.receive(SMALL, cache.to_bytes(SMALL, *draw(SMALL), made))


def test_a_trainer_that_changes_makes_the_cache_old(place, monkeypatch):
    text = ["def train(recipe, progress): momentum = 0.95"]
    real = identity.source
    monkeypatch.setattr(identity, "source",
                        lambda m: text[0] if m == "drawing_trainer" else real(m))
    for now, origin in ((text[0], "trained"), (text[0] + "  # why", "cached"),
                        (text[0].replace("0.95", "0.0"), "trained")):
        text[0] = now
        identity.forget()
        assert again().origin == origin
    identity.forget()


def test_a_shipped_file_of_another_trainer_is_used_and_nobody_asks_who_trained_it(
        place, monkeypatch):
    (place.path / "shipped" / "small.safetensors").write_bytes(
        cache.to_bytes(SMALL, *draw(SMALL), {"trainer": "0" * 64}))
    monkeypatch.setattr(cache, "trainer", lambda recipe: pytest.fail("a demo's start asked"))
    assert again().origin == "shipped" and place.lines == []


# --- trained elsewhere --------------------------------------------------------------
def test_weights_travel_byte_for_byte_and_are_kept(place, monkeypatch):
    made = cache.load(SMALL)
    content = cache.cache_path(SMALL).read_bytes()
    assert cache.packed(SMALL, made) == content and cache.packed(SMALL, again()) == content
    monkeypatch.setenv("LECTURE_CACHE_DIR", str(place.path / "another"))
    cache.forget()
    assert not cache.at_hand(SMALL) and place.calls == ["small"]     # asking trains nothing
    cache.receive(SMALL, content)
    assert cache.at_hand(SMALL) and cache.load(SMALL).digest == made.digest
    assert cache.cache_path(SMALL).read_bytes() == content and again().origin == "cached"
    assert place.calls == ["small"] and place.lines == []


def test_weights_received_without_a_cache_serve_this_process(place, monkeypatch):
    content = cache.packed(SMALL, cache.load(SMALL))
    monkeypatch.setenv("LECTURE_CACHE_DIR", "/proc/nowhere")
    cache.forget()
    cache.receive(SMALL, content)
    assert cache.load(SMALL).origin == "trained" and place.calls == ["small"]
    assert len(place.lines) == 1 and "going on without a cache" in place.lines[0]


def test_weights_received_replace_a_damaged_file(place):
    content = cache.packed(SMALL, cache.load(SMALL))
    cache.cache_path(SMALL).write_bytes(content[:99])
    cache.forget()
    assert not cache.at_hand(SMALL)
    cache.receive(SMALL, content)
    assert cache.cache_path(SMALL).read_bytes() == content and again().origin == "cached"


@pytest.mark.parametrize("case", SPOILED)
def test_weights_received_spoiled_are_refused(place, case, monkeypatch):
    spoil, reason = SPOILED[case]
    clean = cache.load(SMALL)
    whole = cache.cache_path(SMALL).read_bytes()
    monkeypatch.setenv("LECTURE_CACHE_DIR", str(place.path / "another"))
    cache.forget()
    with pytest.raises(cache.Unusable, match=re.escape(reason)):
        cache.receive(SMALL, spoil(whole, {n: a.copy() for n, a in clean.tensors.items()},
                                   clean.meta))
    assert not cache.at_hand(SMALL) and not (place.path / "another").exists()


def test_a_given_file_or_folder_is_used_from_any_seed(place):
    other = with_seed(SMALL, 7)
    path = cache.ship(other)
    for source in (str(path), str(path.parent)):
        weights = again(source=source)
        assert weights.origin == "file" and weights.meta["seed"] == 7


def test_a_given_file_that_is_wrong_is_named_and_the_next_place_tried(place):
    more = dataclasses.replace(SMALL, data=WorldData(registers=3))
    path = cache.ship(more)
    assert again(source=str(path)).origin == "trained"
    assert "another recipe" in place.lines[0]
    place.lines.clear()
    assert again(source=str(place.path / "nowhere.safetensors")).digest
    assert "No such file" in place.lines[0]


def test_the_commands_policy_and_progress(place):
    told = []
    cache.set_policy("fresh", lambda *a: told.append(a))
    assert cache.load(SMALL).origin == "trained" and told == [(1, 1, "small")]
    cache.set_policy()
    assert again().origin == "cached"


def test_no_trainer_is_an_error_of_its_own(place, monkeypatch):
    monkeypatch.setitem(cache.TRAINERS, "gpt", "no_such_module")
    with pytest.raises(cache.CannotTrain, match="no_such_module is missing"):
        cache.load(SMALL)


# --- K-30: where the cache is -------------------------------------------------------
def test_k30_own_variable_before_xdg_before_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("LECTURE_CACHE_DIR", str(tmp_path / "own"))
    assert cache.cache_dir() == tmp_path / "own"
    for empty in ("", None):
        monkeypatch.delenv("LECTURE_CACHE_DIR", raising=False)
        if empty is not None:
            monkeypatch.setenv("LECTURE_CACHE_DIR", empty)
        assert cache.cache_dir() == tmp_path / "xdg" / "lecture"
    monkeypatch.delenv("LECTURE_CACHE_DIR", raising=False)
    home = None
    for ignored in ("", "relative/place", "./here"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        home = cache.cache_dir()
        assert home.is_absolute() and str(home).startswith(str(tmp_path))
        assert "relative" not in str(home) and "here" not in str(home)
        assert os.environ["XDG_CACHE_HOME"] == ignored
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.cache_dir() == home


def test_k30_a_file_in_place_of_the_folder(place, monkeypatch):
    (place.path / "file").write_text("")
    for at in ("file", "file/below"):
        place.lines.clear()
        monkeypatch.setenv("LECTURE_CACHE_DIR", str(place.path / at))
        weights = again()
        assert weights.origin == "trained"
        assert weights.digest == cache.digest(draw(SMALL)[0])
        cache.load(with_seed(SMALL, 1))            # another model, the same complaint
        assert len(place.lines) == 1 and "going on without a cache" in place.lines[0]
        assert cache.cached_files() == [] and cache.clear_cache() == 0


def test_list_and_clear(place):
    cache.load(SMALL)
    cache.load(with_seed(SMALL, 1))
    folder = cache.cache_dir()
    (folder / "notes.txt").write_text("mine")
    (folder / ".x.safetensors.abc").write_text("stray")
    assert [p.suffix for p, size in cache.cached_files() if size > 1000] == [
        ".safetensors"] * 2
    assert cache.clear_cache() == 2
    assert [p.name for p in folder.iterdir()] == ["notes.txt"]


# --- several processes --------------------------------------------------------------
SCRIPT = """
import sys, time, types
sys.path.insert(0, {root!r})
from tests.models.test_cache import SMALL, cache, draw
def train(recipe, progress=None):
    with open({log!r}, "a") as log: log.write("trained\\n")
    time.sleep(0.7)
    return draw(recipe)
sys.modules["slow_trainer"] = types.SimpleNamespace(train=train)
cache.TRAINERS["gpt"] = "slow_trainer"
print(cache.load(SMALL).digest)
"""


def start(tmp_path, **env):
    code = textwrap.dedent(SCRIPT).format(root=str(ROOT), log=str(tmp_path / "log"))
    clean = {k: v for k, v in os.environ.items() if k != "LECTURE_CACHE_DIR"}
    return subprocess.Popen([sys.executable, "-c", code], env=clean | env, text=True,
                            cwd=tmp_path, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def test_eight_starts_on_an_empty_cache_train_once(tmp_path):
    runs = [start(tmp_path, LECTURE_CACHE_DIR=str(tmp_path / "c")) for _ in range(8)]
    ended = [(*run.communicate(timeout=60), run.returncode) for run in runs]
    assert (tmp_path / "log").read_text() == "trained\n"
    assert {(err, code) for _, err, code in ended} == {("", 0)}
    assert len({out for out, _, _ in ended}) == 1


def test_k30_a_home_that_cannot_be_written(tmp_path):
    run = start(tmp_path, HOME="/proc", XDG_CACHE_HOME="")
    out, err = run.communicate(timeout=60)
    assert run.returncode == 0 and out.strip() == cache.digest(draw(SMALL)[0])
    assert err.count("\n") == 1 and "going on without a cache" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["log"]


def test_two_processes_write_the_same_bytes():
    code = (f"import sys, hashlib; sys.path.insert(0, {str(ROOT)!r}); "
            "from tests.models.test_cache import SMALL, cache, draw; print(hashlib.sha256("
            "cache.to_bytes(SMALL, *draw(SMALL), {'date': '2026-01-01'})).hexdigest())")
    found = {subprocess.run([sys.executable, "-c", code], text=True, check=True,
                            capture_output=True,
                            env=os.environ | {"PYTHONHASHSEED": seed}).stdout
             for seed in ("0", "1", "77")}
    assert len(found) == 1


# --- what is shipped ----------------------------------------------------------------
@pytest.mark.parametrize("path", sorted(cache.SHIPPED.glob("*.safetensors")),
                         ids=lambda p: p.stem)
def test_shipped_weights_are_whole_and_small(path):
    assert cache.verify(recipes.named(path.stem)) == []
    assert path.stat().st_size < 1_000_000


def test_shipped_weights_are_small_in_all():
    assert sum(p.stat().st_size for p in cache.SHIPPED.glob("*")) < 10_000_000


def test_loading_shipped_weights_needs_no_torch():
    code = ("import sys; from lecture.models import cache as model_cache, recipes; "
            "w = model_cache.load(recipes.RECIPES['base']); "
            "heavy = {'torch', 'filelock', 'platformdirs', 'rich'} & set(sys.modules); "
            "sys.exit(w.origin != 'shipped' or bool(heavy))")
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_k15_one_real_training_is_repaired_to_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("LECTURE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "policy", cache.Policy(say=lambda line: None))
    first = again()
    path = cache.cache_path(SMALL)
    whole = path.read_bytes()
    path.write_bytes(whole[:len(whole) // 2])
    assert again().digest == first.digest and path.read_bytes() == whole
    cache.forget()
