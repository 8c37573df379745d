"""The phrase world: does every sentence have one translation, and is the exam held out?"""

from __future__ import annotations

import random

import pytest

from lecture.data import phrases
from lecture.models.recipes import RECIPES

DIRECTIONS = phrases.DIRECTIONS


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_one_source_one_translation(direction: str) -> None:
    rng, seen = random.Random(7), {}
    for _ in range(20_000):
        pair = phrases.GRAMMARS[direction](rng)
        assert seen.setdefault(pair.source, pair.target) == pair.target, pair
        assert len(pair.links) == len(pair.target)
        assert all(0 <= i < len(pair.source) for places in pair.links for i in places)
        assert all(places for places in pair.links)
    assert len(seen) > 5000


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_exam_is_held_out_and_its_words_are_known(direction: str) -> None:
    corpus = phrases.corpus(direction)
    trained, exam = ({p.source for p in part} for part in (corpus.trained_on, corpus.held_out))
    assert len(trained) == 4000 and len(exam) == 400 and not trained & exam
    assert " ".join(corpus.held_out[0].source) == phrases.ALWAYS_HELD_OUT[direction]
    for side in ("source", "target"):
        seen = {w for p in corpus.trained_on for w in getattr(p, side)}
        assert {w for p in corpus.held_out for w in getattr(p, side)} <= seen


@pytest.mark.parametrize("name", ["french_english", "english_chinese"])
def test_recipes_state_the_vocabulary(name: str) -> None:
    recipe = RECIPES[name]
    corpus = recipe.data.corpus()
    assert recipe.config.source_words == len(corpus.source_words)
    assert recipe.config.target_words == len(corpus.target_words)
    assert corpus.target_words[:3] == ("<pad>", "<bos>", "<eos>")


def test_what_the_world_has() -> None:
    """Reordering, agreement, and words with several translations, by the links."""
    french, english = (phrases.corpus(d).trained_on for d in DIRECTIONS)
    crossed = [sum(any(a[0] > b[0] for a, b in zip(p.links, p.links[1:], strict=False))
                   for p in part) / len(part) for part in (french, english)]
    assert min(crossed) > 0.4
    assert any({"loves"} <= set(p.target) for p in french)
    assert any({"love"} <= set(p.target) for p in french)
    play = {w for p in english if "play" in p.source or "plays" in p.source for w in p.target}
    assert {"踢", "打", "弹"} <= play
    for p in french:                                    # a before a consonant, an before a vowel
        for word, after in zip(p.target, p.target[1:], strict=False):
            if word in ("a", "an"):
                assert (word == "an") == (after[0] in "aeiou"), p


@pytest.mark.parametrize(("text", "words"), [
    ("Je t'aime!", ["je", "t'", "aime"]), ("j\u2019\u00e9coute", ["j'", "ecoute"]),
    ("I  love AI.", ["I", "love", "AI"]), ("i LOVE ai", ["I", "love", "AI"])])
def test_a_typed_sentence(text: str, words: list[str]) -> None:
    assert phrases.read(text)[1:] == (words, [])


def test_unknown_words_are_named() -> None:
    assert phrases.read("je vois le zebre et le lama")[2] == ["zebre", "et", "lama"]
    assert phrases.read("I love pandas")[::2] == ("en_zh", ["pandas"])


def test_all_words_are_ascii_or_gbk() -> None:
    for direction in DIRECTIONS:
        corpus = phrases.corpus(direction)
        assert all(w.isascii() for w in corpus.source_words)
        "".join(corpus.target_words).encode("gbk")
