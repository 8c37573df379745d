"""Alone at night: the glossary, the world's countries, the pager, a prompt with history."""

from __future__ import annotations

import os

import pytest

from lecture.errors import UsageProblem
from lecture.models.recipes import named
from lecture.show import explore, glossary
from lecture.show.doctor import examine
from tests.terminal import Terminal


def test_a_word_is_found_in_either_language_and_what_is_near_is_named(lecture) -> None:
    assert [t.name.en for t in glossary.found("掩码")] == ["mask", "causal mask"]
    assert [t.name.zh for t in glossary.found("ＫＶ")] == ["KV 缓存"]
    assert glossary.found(None) == glossary.TERMS
    with pytest.raises(UsageProblem) as problem:
        glossary.found("attenton")
    assert "attention" in problem.value.todo
    for word in ("", "  ", "\x1b[2J"):
        with pytest.raises(UsageProblem):
            glossary.found(word)
    shown = lecture("glossary", "mask", "--lang", "zh").stdout.decode()
    assert "因果掩码" in shown and "causal mask" in shown and "(04)" in shown


def test_countries_are_those_the_model_was_trained_on(lecture) -> None:
    world = named("base").data.world()
    (table,) = explore.countries()
    assert [row[:3] for row in table.rows] == [[c.name, c.capital, c.language]
                                              for c in world.countries]
    (one,) = explore.countries(world.countries[3].capital)
    assert [row[0] for row in one.rows] == [world.countries[3].name]
    done = lecture("countries", "balavi", "--lang", "en")
    assert done.returncode == 2 and b"balavia" in done.stderr


def test_the_pager_shows_what_the_plain_run_shows(lecture) -> None:
    plain = lecture("demo", "04", "--part", "1", "--lang", "en").stdout
    piped = lecture("demo", "04", "--part", "1", "--lang", "en", "--pager").stdout
    assert piped == plain                                   # no terminal: nothing to page
    room = Terminal("demo", "04", "--part", "1", "--pager", PAGER="cat", rows=90)
    room.until("Answer C")
    assert room.ended() == 0


def test_asking_remembers_helps_and_ends(tmp_path) -> None:
    room = Terminal("ask", data=tmp_path, rows=50)
    room.until("? ", "Ask a question")
    room.send("help\r", "who leads balavia")
    room.send("what is the capital of bala\t", "? what is the capital of balavia")
    room.send(" ?\r", "capital of balavia ?", "Most likely answers")
    room.send("quit\r")
    assert room.ended() == 0
    again = Terminal("ask", data=tmp_path, rows=50)
    again.until("Ask a question")
    again.quiet()
    again.send("\x1b[A\x1b[A", "what is the capital of balavia ?")      # quit, then the question
    again.send("\x03")
    assert again.ended() == 130


@pytest.mark.parametrize("kind", ["no folder", "fifo", "folder"])
def test_asking_without_a_history_forgets_and_goes_on(tmp_path, kind: str) -> None:
    if kind == "fifo":
        os.mkfifo(tmp_path / "asked")
    elif kind == "folder":
        (tmp_path / "asked").mkdir()
    room = Terminal("ask", rows=50,
                    LECTURE_DATA_DIR="/dev/null/x" if kind == "no folder" else str(tmp_path))
    room.until("Ask a question")
    room.send("who leads balavia ?\r", "Most likely answers")
    room.send("\x04")
    assert room.ended() == 0


def test_an_export_says_what_it_wrote(lecture, tmp_path) -> None:
    path = tmp_path / "a.txt"
    done = lecture("demo", "04", "--part", "1", "--export", str(path), "--lang", "en")
    assert done.stderr.decode().startswith(f"wrote {path} (") and path.exists()
    both = lecture("demo", "04", "--part", "1", "--export", str(path), "--json")
    assert both.stdout.startswith(b"{") and b"a.txt" in both.stderr


def test_the_doctors_verdict_comes_last_in_the_lessons_language(lecture, tmp_path) -> None:
    done = lecture("doctor", "--quick", "--lang", "zh", env={"LECTURE_CACHE_DIR": str(tmp_path)})
    assert done.stdout.decode().strip().endswith("可以上课了。")
    broken = lecture("doctor", "--quick", "--lang", "en",
                     env={"LECTURE_CACHE_DIR": "/dev/null/x"})
    assert broken.returncode == 3
    assert "1 things to do" in broken.stdout.decode().splitlines()[-1]


def test_the_doctor_draws_the_demos_as_wide_as_the_room() -> None:
    from console import Screen

    found = {f.what: f.found for f in examine(screen=Screen(lang="en", width=64, color="never"))}
    assert all(int(text.split()[-2]) <= 64 for what, text in found.items()
               if what.startswith("demo") and text.endswith("columns"))


def test_an_empty_cache_says_so(lecture, tmp_path) -> None:
    done = lecture("cache", "list", env={"LECTURE_CACHE_DIR": str(tmp_path / "none")})
    assert done.stdout.startswith(b"no models are cached")
