"""Demo 10 against SPEC's own numbers, BLEU by sacrebleu, and a sentence of one's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from demos import d10_translation as demo
from demos.d10_translation import lesson
from lecture import records
from lecture.data import phrases
from lecture.errors import LectureError, UsageProblem
from lecture.models import translate_np
from lecture.report import at, run

ROOT = Path(__file__).resolve().parents[2]
PARTS = {p.key: p for p in demo.PARTS}


@pytest.fixture(scope="module")
def metrics(results):
    """metrics(key): the metrics of a part at its own settings."""
    return lambda key: results(PARTS[key]).metrics


# SPEC 10 and COVERAGE, as data: part, path, value, within
FIGURES = (
    ("translate", "memory.vectors", 3, 0), ("translate", "memory.words", 3, 0),
    ("translate", "sub_layers.encoder", 2, 0), ("translate", "sub_layers.decoder", 3, 0),
    ("translate", "exam.model.fr_en", 400, 20), ("translate", "exam.model.en_zh", 400, 20),
    ("translate", "examples.fr_en.0.said", "I love you", 0),
    ("translate", "examples.en_zh.0.said", "我 爱 AI", 0),
    ("translate", "examples.en_zh.0.by_word", "我 爱 AI", 0),
    ("translate", "padding.different", 0, 0), ("translate", "vectors.swapped", 0, 0),
    ("translate", "swap_example.swapped", "the dog looks at the cat", 0),
    ("steps", "zeroed.fr_en", 0, 0), ("steps", "zeroed.en_zh", 0, 0),
    ("steps", "sight.passes", 4, 0), ("steps", "sight.decoder", 0, 0),
    ("steps", "love.fed.1", "I", 0), ("steps", "love.says.1", "love", 0),
    ("steps", "love.fed.0", "<bos>", 0), ("steps", "love.says.3", "<eos>", 0),
    ("beams", "two_steps.greedy", .21, 1e-12), ("beams", "two_steps.beam", .36, 1e-12),
    ("beams", "table.plain.0.words", "A", 0), ("beams", "table.by_length.0.words", "BB", 0),
    ("beams", "table.plain.0.log_p", -1.0498221245, 1e-9),
    ("beams", "table.plain.1.log_p", -1.0729445419, 1e-9),
    ("beams", "table.plain.2.log_p", -2.3025850930, 1e-9),
    ("beams", "table.by_length.0.score", -0.3576482, 1e-7),
    ("own_model", "start", "<pad>", 0), ("own_model", "pad", 0, 0),
    ("own_model", "buckets", 32, 0),
)


@pytest.mark.parametrize(("part", "path", "value", "within"), FIGURES)
def test_figures_of_spec(metrics, part: str, path: str, value, within: float) -> None:
    found = at(metrics(part), path)
    assert found == value if isinstance(value, str) else abs(found - value) <= within


def test_exact_match_over_five_seeds() -> None:
    runs = records.read("translate_seeds")["runs"]
    for direction in lesson.MODELS:
        shares = [r["exact"] / r["held_out"] for r in runs if r["direction"] == direction]
        assert len(shares) == 5 and min(shares) >= 0.95
    assert all(r["zeroed"] == 0 for r in runs)
    assert all(r["cuts"]["own"]["right"] < 0.5 < 0.9 < r["cuts"]["rival"]["right"] for r in runs)


def test_the_record_is_of_these_weights(metrics) -> None:
    """Seed 0 of the record is the shipped model: its figures come out again."""
    first = next(r for r in records.read("translate_seeds")["runs"]
                 if r["direction"] == "fr_en" and r["seed"] == 0)
    assert first["exact"] == metrics("translate")["exam"]["model"]["fr_en"]
    assert first["swapped"] == metrics("translate")["swap"]["swapped"]


@pytest.mark.parametrize("direction", phrases.DIRECTIONS)
def test_bleu(direction: str) -> None:
    """sacrebleu on the held-out sentences: near 100, and far above word by word."""
    sacrebleu = pytest.importorskip("sacrebleu")
    model = translate_np.load(lesson.MODELS[direction])
    pairs = phrases.corpus(direction).held_out
    truth = [[" ".join(p.target) for p in pairs]]
    said = [" ".join(s) for s in model.greedy(model.source_ids([p.source for p in pairs]))]
    plain = [lesson.word_by_word(direction, p.source) for p in pairs]

    def bleu(answers: list[str]) -> float:
        return sacrebleu.corpus_bleu(answers, truth, tokenize="none").score

    assert bleu(said) > 99 and bleu(plain) < 60
    assert bleu(truth[0]) == pytest.approx(100)


def test_bleu_of_the_record(metrics) -> None:
    """The recorded BLEU of the shipped model's rivals comes out again."""
    sacrebleu = pytest.importorskip("sacrebleu")
    pairs = phrases.corpus("fr_en").held_out
    truth = [[" ".join(p.target) for p in pairs]]
    for kind, said in (("by_word", [lesson.word_by_word("fr_en", p.source) for p in pairs]),
                       ("nearest", [" ".join(s) for s in lesson.nearest("fr_en", pairs)])):
        score = sacrebleu.corpus_bleu(said, truth, tokenize="none").score
        recorded = metrics("translate")["record"]["bleu"][kind]["fr_en"]
        assert score == pytest.approx(recorded, abs=1e-6)


def test_the_nearest_sentence_is_the_most_alike() -> None:
    """By Python's own sets, for a few: no trained sentence shares more of its words."""
    corpus = phrases.corpus("fr_en")

    def likeness(a: phrases.Pair, b: phrases.Pair) -> float:
        return len({*a.source} & {*b.source}) / (len(a.source) + len(b.source))

    for pair, found in zip(corpus.held_out[:5], lesson.nearest("fr_en", corpus.held_out[:5]),
                           strict=True):
        best = max(likeness(pair, p) for p in corpus.trained_on)
        assert found in [p.target for p in corpus.trained_on
                         if likeness(pair, p) > best - 1e-6]


def test_a_rival_is_the_heaviest_other_word() -> None:
    """By hand: one own word, two others, padding never."""
    links = np.array([[[True, False, False, False]]])
    look = np.array([[[.1, .2, .6, .9]]])                           # the last is padding
    real = np.array([[True, True, True, False]])
    assert lesson.rivals(links, real, look).tolist() == [[[False, False, True, False]]]
    assert not lesson.rivals(links, real[:, :1].repeat(4, 1) & links[0], look).any()


def test_forms_and_other_persons() -> None:
    """What is fed instead asks for the other form, or for the same one."""
    assert lesson.FORMS["loves"] == ("love", True) and lesson.FORMS["love"] == ("love", False)
    third = {"he", "she", "it"}
    for with_he, chosen in lesson.OTHER.items():
        assert (chosen["other"] in third) != with_he and (chosen["same"] in third) == with_he


def test_the_middle_is_the_lower_one() -> None:
    assert lesson.middle([3, 1, 2]) == 2 and lesson.middle([4, 1, 3, 2]) == 2


def test_agreement_counts_what_it_says() -> None:
    """By hand: two words, three source places, one map right in one of two."""
    pair = phrases.Pair(("a", "b", "c"), ("x", "y"), ((0,), (1, 2)))
    maps = np.array([[[[[.9, .1, 0], [.8, .1, .1], [1, 0, 0]]],
                      [[[.9, .1, 0], [0, .4, .6], [1, 0, 0]]]]])      # [1, 2, 1, 3, 3]
    assert lesson.agreement(maps, [pair]) == [[0.5, 1.0]]


def test_a_cut_hides_what_it_names() -> None:
    cfg = translate_np.load("french_english").cfg
    keep = np.array([[[True, False, True]]])
    edit = translate_np.cut_across(cfg, keep)["D.0.cross.scores"]
    assert np.isneginf(edit(np.zeros((1, 2, 1, 3)))[0, :, 0, 1]).all()


# --- a sentence of one's own ---------------------------------------------------------


@pytest.mark.parametrize(("text", "said"), [
    ("je t'aime", "I love you"), ("Il ne la regarde pas.", "he does not look at her"),
    ("she plays football every day", "她 每天 踢 足球"),
    ("I love AI", "我 爱 AI")])
def test_own_sentences(text: str, said: str) -> None:
    assert " ".join(lesson.one_sentence(text, True, True)["said"]) == said


@pytest.mark.parametrize("key", ["steps", "beams"])
def test_unknown_words_are_named(key: str) -> None:
    with pytest.raises(UsageProblem, match="zebre"):
        run(PARTS[key], {"text": "je vois le zebre"})
    with pytest.raises(UsageProblem, match="30 words"):
        run(PARTS[key], {"text": "le chat " * 15})
    with pytest.raises(UsageProblem, match="no word"):
        run(PARTS[key], {"text": " ! "})


def test_the_command_says_it_in_two_lines(lecture) -> None:
    done = lecture("demo", "10", "--part", "2", "--set", "text=je vois le zebre")
    lines = done.stderr.decode().strip().splitlines()
    assert done.returncode == 2 and "zebre" in lines[0] and "Traceback" not in done.stderr.decode()


def test_other_sentences_keep_the_claims_of_the_exam() -> None:
    result = run(PARTS["steps"], {"text": "he plays the piano at home today"})
    assert result.metrics["one"]["direction"] == "en_zh"
    assert all(v.holds for v in result.verdicts())


def test_alpha_zero_does_not_change_the_winner() -> None:
    verdicts = {v.claim.key: v.holds for v in run(PARTS["beams"], {"alpha": 0.0}).verdicts()}
    assert not verdicts.pop("penalty") and all(verdicts.values())


# --- part 4 ---------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["t5", "gpt2", "bert"])
def test_own_model_runs_and_is_drawn(family: str, tmp_path, lecture) -> None:
    pytest.importorskip("transformers")
    from tests.hf_build import build

    folder = build(family, tmp_path)
    done = lecture("demo", "10", "--part", "4", "--set", f"model={folder}", "--lang", "en")
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    assert f"Your model: {family}" in text and str(folder) not in text
    assert ("Cross-attention: " in text) == (family == "t5")
    assert ("Greedy, step by step" in text) == (family != "bert")
    assert "2 layers, 2 heads, width 16, 8 a head" in " ".join(text.split())
    assert "Input ids     3 4 5 6 3 7" in text and "Input tokens  the cat looks at the dog" in text
    assert ("Translation (4 beams)" in text) == (family == "t5")
    assert ("Greedy continuation  the cat looks at the dog" in text) == (family == "gpt2")


def test_a_missing_folder_is_a_usage_problem() -> None:
    with pytest.raises(LectureError) as caught:
        run(PARTS["own_model"], {"model": "no-such-folder"})
    assert caught.value.code == 2


def test_tokens_fit_every_console() -> None:
    assert lesson.on_screen("\u2581the") == "_the" and lesson.on_screen("\u0120cat") == "_cat"
    lesson.on_screen("caf\u00ef\U0001f600").encode("gbk")


def test_a_cached_demo_loads_no_torch() -> None:
    code = ("import sys; from demos import d10_translation as d; from lecture.report import run\n"
            "for p in d.PARTS: run(p)\n"
            "assert not {'torch', 'transformers'} & set(sys.modules)")
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
