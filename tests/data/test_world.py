"""The world keeps its promises: names, order, phrasings, corpus, tokenizer, tasks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lecture.data import tasks
from pretrain_world import (
    ATTRIBUTES,
    QUESTIONS,
    RELATIONS,
    STATEMENTS,
    UnknownWords,
    documents,
    exam,
    make_world,
    prompt_text,
    question_text,
    register_lists,
    repeated_sequences_of_names,
    tokenizer,
)

ROOT = Path(__file__).resolve().parents[2]
RELATION_WORDS = {"capital", "language", "speak", "known", "leads", "of", "for", "in"}
REAL = set("""
albania algeria andorra angola argentina armenia australia austria belarus belgium
bolivia brazil bulgaria burundi canada chad chile china colombia croatia cuba denmark
ecuador egypt estonia ethiopia finland france gabon georgia germany ghana greece
guinea haiti hungary iceland india indonesia iran iraq ireland israel italy japan
jordan kenya korea kuwait latvia lebanon liberia libya lithuania madagascar mali malta
mexico moldova monaco mongolia morocco namibia nepal nigeria norway oman pakistan
panama peru poland portugal romania russia rwanda samoa senegal serbia singapore
slovakia slovenia somalia spain sudan sweden syria taiwan tanzania togo tonga tunisia
turkey uganda ukraine uruguay uzbekistan venezuela vietnam yemen zambia zimbabwe
berlin paris london rome madrid vienna cairo tokyo beijing ottawa lima quito oslo
danish polish spanish irish english turkish finnish swedish welsh gaelic latin malay
tamil
""".split())


@pytest.fixture(scope="module")
def world():
    return make_world()


@pytest.fixture(scope="module")
def tok(world):
    return tokenizer(world)


@pytest.mark.parametrize("size", [24, 25, 100, 1536])
def test_names_are_one_word_and_all_different(size):
    names = make_world(size).names
    assert len(names) == len(set(names)) == size * (1 + len(ATTRIBUTES))
    assert all(n.isascii() and n.isalpha() and n.islower() for n in names)


def test_no_name_of_the_largest_world_is_a_real_one_or_a_plain_word(tok):
    names = set(make_world(1536).names)
    assert not names & REAL
    assert not names & set(tok.itos[:tok.stoi[make_world().names[0]]])


def test_a_small_world_begins_a_large_one(world):
    assert make_world(200).countries[:24] == world.countries


@pytest.mark.parametrize("size", [0, 23, 1537, -1])
def test_a_size_out_of_range_is_refused(size):
    with pytest.raises(ValueError, match="24 to 1536"):
        make_world(size)


def test_order_lists_the_same_countries_and_must_be_a_permutation(world):
    turned = make_world(24, list(reversed(range(24))))
    assert turned.countries == world.countries[::-1]
    with pytest.raises(ValueError, match="each of 0 .. 23 once"):
        make_world(24, [0] * 24)


def test_four_relations_with_a_relation_word_in_every_question(world):
    assert len(RELATIONS) == 4 and set(RELATIONS) <= set(ATTRIBUTES)
    for relation in RELATIONS:
        for form in range(len(QUESTIONS[relation])):
            words = question_text("x", relation, form).split()
            assert RELATION_WORDS & set(words) and words.count("x") == 1
            assert words[-1] == "?"


def test_the_prompt_is_the_one_the_lecture_writes(world):
    for c in world.countries:
        for relation in RELATIONS:
            question = question_text(c.name, relation)
            assert prompt_text(c.name, relation) == f"<doc> faq : q : {question} a :"


def test_an_unknown_relation_is_named(world):
    for ask in (lambda: question_text("x", "colour"),
                lambda: world.countries[0].answer("colour")):
        with pytest.raises(ValueError, match="'colour'.*capital"):
            ask()


def test_the_exam_has_96_questions_and_48_names_to_copy(world):
    assert len(exam(world)) == 96
    assert len(set(world.copy_pool())) == 48


def test_every_fact_is_said_in_several_phrasings(world):
    docs = documents(world)
    for c in world.countries:
        for a in ATTRIBUTES:
            said = [d for d in docs if (d.country, d.relation) == (c.name, a)]
            assert sum(d.kind == "statement" for d in said) == 3
            assert sum(d.kind == "faq" for d in said) == (3 if a in RELATIONS else 0)
            assert all(c.answer(a) in d.words and c.name in d.words for d in said)


def test_held_out_phrasings_are_not_in_the_corpus_but_all_their_words_are(world):
    trained, held = documents(world), documents(world, held_out=True)
    forms = {d.text for d in trained}
    assert len(held) == 24 * (5 + 4) and not forms & {d.text for d in held}
    known = {w for d in trained for w in d.words}
    assert {w for d in held for w in d.words} <= known
    # not hidden inside a trained sentence either
    for relation, phrasings in (*QUESTIONS.items(), *STATEMENTS.items()):
        assert not any(phrasings[-1] in other for other in phrasings[:-1]), relation


def test_the_corpus_never_repeats_a_sequence_of_names(world):
    docs = documents(world)
    assert sum(d.kind == "register" for d in docs) == 24
    assert repeated_sequences_of_names((d.words for d in docs), world.names) == 0
    # the counter does see a repeat, and looks through the words between
    twice = "ba is in bu . ba and bu".split()
    assert repeated_sequences_of_names([twice], {"ba", "bu"}) == 1
    assert repeated_sequences_of_names([twice], {"ba", "bu"}, n=3) == 0
    doubled = (d.words[1:] * 2 for d in docs)
    assert repeated_sequences_of_names(doubled, world.names) > len(docs)


def test_registers_never_use_a_pair_of_neighbours_twice(world):
    lists = register_lists(world, 24)
    pairs = [p for names in lists for p in zip(names, names[1:], strict=False)]
    assert len(pairs) == len(set(pairs)) == 24 * 46
    assert all(len(set(names)) == 47 for names in lists)
    with pytest.raises(ValueError, match="ask for fewer"):
        register_lists(world, 48)


def test_the_same_world_in_every_process():
    code = ("import hashlib, pretrain_world as p; w = p.make_world(); "
            "t = [d.text for d in p.documents(w)] + p.tokenizer(w).itos; "
            "print(hashlib.sha256('|'.join(t).encode()).hexdigest())")
    found = {subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True,
                            check=True, capture_output=True,
                            env=os.environ | {"PYTHONHASHSEED": seed}).stdout
             for seed in ("0", "1", "12345")}
    assert len(found) == 1


def test_the_world_needs_nothing_but_the_standard_library():
    code = "import sys, pretrain_world; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_round_trip_of_the_whole_corpus(world, tok):
    for d in documents(world) + documents(world, held_out=True):
        assert tok.decode(tok.encode(d.text)) == d.text
    assert tok.stoi["<doc>"] == 0 and len(tok) == len(tok.itos)
    assert all(tok.stoi[w] == i for i, w in enumerate(tok.itos))


def test_plain_words_keep_their_numbers_in_a_larger_world(world, tok):
    first = tok.stoi[world.names[0]]
    assert tokenizer(make_world(30)).itos[:first + 144] == tok.itos


def test_unknown_words_are_named_with_near_matches(world, tok):
    name = world.countries[0].name
    near = name[:-1] + "x"
    with pytest.raises(UnknownWords) as caught:
        tok.encode(f"what is the capitol of {near} or qqqq ?")
    assert set(caught.value.words) == {"capitol", near, "or", "qqqq"}
    assert "capital" in caught.value.words["capitol"]
    assert name in caught.value.words[near]
    assert f"unknown word '{near}' (near: {name}" in str(caught.value)
    assert "unknown word 'qqqq';" in str(caught.value) + ";"


def test_capital_letters_are_no_other_word(tok, world):
    name = world.countries[3].name
    assert tok.encode(f"What is {name.upper()}") == tok.encode(f"what is {name}")


@pytest.mark.parametrize("bad", [-1, 10**6])
def test_an_id_without_a_word_is_refused(tok, bad):
    with pytest.raises(ValueError, match=f"id {bad} has no word"):
        tok.decode([0, bad])


def test_repeats_are_repeats_at_varying_distance():
    ids, mask = tasks.named("repeats")(np.random.default_rng(0), 200)
    assert ids.shape == mask.shape == (200, 42)
    assert (ids[:, 0] == 0).all() and ids[:, 1:].min() == 1 and ids.max() == 48
    periods = []
    for row, counted in zip(ids, mask, strict=True):
        p = next(p for p in range(1, 42) if (row[1 + p:] == row[1:-p]).all())
        assert len(set(row[1:1 + p])) == p
        assert counted.tolist() == [p <= t < 41 for t in range(42)]
        periods.append(p)
    assert set(periods) == set(range(4, 21))


def test_an_unknown_task_is_named():
    with pytest.raises(ValueError, match="'repeat'.*repeats"):
        tasks.named("repeat")
