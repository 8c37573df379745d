"""Faults from outside: killed, out of space, interrupted, no streams. Nothing is lost."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import pytest

from lecture.models import cache
from tests.conftest import ROOT, hears_interrupts
from tests.models.test_cache import SMALL

# A process that trains (by drawing) and writes the same model again and again.
WRITER = textwrap.dedent("""
    import sys, types, time
    from tests.models.test_cache import SMALL, draw
    from lecture.models import cache
    trainer = types.ModuleType("drawing_trainer")
    trainer.train = draw
    sys.modules["drawing_trainer"] = trainer
    cache.TRAINERS["gpt"] = "drawing_trainer"
    print("ready", flush=True)
    while True:
        cache.forget()
        cache.load(SMALL, source="fresh")
""")
DEMO = [sys.executable, str(ROOT / "cli.py"), "demo", "04"]


def environment(**changes: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8",
                         "LECTURE_LANG": "en"} | changes


@pytest.mark.slow
def test_kill_9_at_fifty_moments_leaves_a_whole_file_or_none(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("LECTURE_CACHE_DIR", str(tmp_path))
    monkeypatch.setitem(cache.TRAINERS, "gpt", "drawing_trainer")   # who makes them is asked too
    pick = random.Random(0)
    path = cache.cache_path(SMALL)
    whole = 0
    for _ in range(50):
        child = subprocess.Popen([sys.executable, "-c", WRITER], env=environment(), cwd=ROOT,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert child.stdout and child.stdout.readline() == b"ready\n"
        time.sleep(pick.uniform(0, 0.2))
        child.kill()
        child.communicate()
        if path.exists():
            assert cache.read(path, SMALL, "cached").origin == "cached"     # whole, and used
            whole += 1
            if pick.random() < 0.5:
                path.unlink()                  # so that some kills find an empty cache
    assert whole >= 5
    cache.forget()
    cache.clear_cache()
    assert [p for p in tmp_path.iterdir() if p.suffix != ".lock"] == []


# A process that has torch loaded and forks trainings to be killed: 50 imports of torch
# would take minutes. The recipe is a real one. A moment is a drawn step of the training,
# or a drawn side of one of the calls that write the file: no clock decides what is hit.
TRAINER = textwrap.dedent("""
    import json, os, random, signal, tempfile
    import torch
    torch.set_num_threads(1)
    from lecture.models import cache
    from lecture.models.recipes import Training, WorldData, gpt_on_world
    STEPS = 60
    recipe = gpt_on_world("second", WorldData(registers=1), Training(STEPS, 2, 48), n_layer=1,
                          n_head=1, width=8)
    pick = random.Random(0)

    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    def prepare():
        '''In the child: arrange the moment of its death.'''
        if pick.random() < .5:
            at = pick.randint(1, STEPS)
            cache.policy.progress = lambda step, steps, name: step >= at and die()
            return
        module, name = pick.choice([(tempfile, "mkstemp"), (os, "fdopen"), (os, "fsync"),
                                    (os, "chmod"), (os, "replace")])
        call, before = getattr(module, name), pick.random() < .5

        def deadly(*words, **options):
            if before:
                die()
            call(*words, **options)
            die()

        setattr(module, name, deadly)

    pinned = cache.load(recipe)
    path = cache.cache_path(recipe)
    found = {"killed": 0, "absent": 0, "whole": 0, "same": 0}
    for _ in range(50):
        if pick.random() < .7:
            path.unlink(missing_ok=True)         # else: the kill falls on an old file
        state = pick.getstate()
        child = os.fork()
        if child == 0:
            cache.forget()
            prepare()
            cache.load(recipe, source="fresh")
            os._exit(0)
        pick.seed(repr(state))                   # the next round draws anew
        found["killed"] += os.waitpid(child, 0)[1] == signal.SIGKILL
        if path.exists():
            found["whole"] += cache.read(path, recipe, "cached").digest == pinned.digest
        else:
            found["absent"] += 1
        cache.forget()
        after = cache.load(recipe)
        found["same"] += (after.digest, after.history) == (pinned.digest, pinned.history)
    print(json.dumps(found))
""")


@pytest.mark.slow
def test_kill_9_at_fifty_moments_of_a_real_training(tmp_path) -> None:
    """The next run has the numbers of the run that nobody killed."""
    done = subprocess.run([sys.executable, "-c", TRAINER], cwd=ROOT, capture_output=True,
                          text=True, check=False,
                          env=environment(LECTURE_CACHE_DIR=str(tmp_path), OMP_NUM_THREADS="1"))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    found = json.loads(done.stdout)
    assert found["absent"] + found["whole"] == found["same"] == found["killed"] == 50, found
    assert found["absent"] >= 5 and found["whole"] >= 5, found


def test_a_full_disk_goes_on_without_a_cache(tmp_path) -> None:
    """RLIMIT_FSIZE: the kernel refuses every byte past the limit, as a full disk does."""
    probe = textwrap.dedent("""
        import sys, types
        from tests.models.test_cache import SMALL, draw
        from lecture.models import cache
        trainer = types.ModuleType("drawing_trainer"); trainer.train = draw
        sys.modules["drawing_trainer"] = trainer
        cache.TRAINERS["gpt"] = "drawing_trainer"
        print(cache.load(SMALL).origin)
    """)

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True,
                          env=environment(LECTURE_CACHE_DIR=str(tmp_path)), check=False,
                          preexec_fn=limited)
    assert (done.returncode, done.stdout) == (0, "trained\n"), done.stderr
    assert len(done.stderr.splitlines()) == 1 and "without a cache" in done.stderr
    assert not list(tmp_path.glob("*.safetensors")) and not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("changes", [
    {"HOME": "/proc", "XDG_CACHE_HOME": "", "LECTURE_CACHE_DIR": ""},
    {"HOME": "", "XDG_CACHE_HOME": "relative", "LECTURE_CACHE_DIR": ""},
    {"LECTURE_CACHE_DIR": "/proc/nowhere"}])
def test_k30_no_home_shows_the_same_numbers(changes, tmp_path) -> None:
    words = [*DEMO, "--part", "1", "--json"]
    usual = subprocess.run(words, capture_output=True, env=environment(), check=True)
    odd = subprocess.run(words, capture_output=True, env=environment(**changes), check=False,
                         cwd=tmp_path)
    assert (odd.returncode, odd.stdout, odd.stderr) == (0, usual.stdout, b"")
    assert list(tmp_path.iterdir()) == []


def test_k30_no_passwd_entry_and_no_home_shows_the_same_numbers(tmp_path) -> None:
    """As in a container run under a number that no file knows."""
    probe = textwrap.dedent("""
        import os, pwd, sys
        def nobody(*_):
            raise KeyError("getpwuid(): uid not found")
        pwd.getpwuid = pwd.getpwnam = nobody
        os.environ.pop("HOME")
        import cli
        sys.exit(cli.main(sys.argv[1:]))
    """)
    unset = environment(LECTURE_CACHE_DIR="", XDG_CACHE_HOME="")
    usual = subprocess.run([*DEMO, "--part", "1", "--json"], capture_output=True,
                           env=environment(), check=True)
    odd = subprocess.run([sys.executable, "-c", probe, "demo", "04", "--part", "1", "--json"],
                         capture_output=True, env=unset, check=False, cwd=tmp_path)
    assert (odd.returncode, odd.stdout, odd.stderr) == (0, usual.stdout, b"")
    # the commands about the cache itself say it in two lines
    for words in (["cache", "path"], ["cache", "list"], ["cache", "clear"], ["doctor"]):
        told = subprocess.run([sys.executable, "-c", probe, *words], capture_output=True,
                              text=True, env=unset, check=False, cwd=tmp_path)
        assert told.returncode in (0, 3) and "Traceback" not in told.stderr, (words, told)
        assert len(told.stderr.splitlines()) in (0, 2), (words, told.stderr)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can "
                    "become somebody else")
def test_an_unreadable_cache_goes_on_without_it() -> None:
    """The folder and the file belong to somebody else and are closed: a real uid, a real EACCES."""
    probe = textwrap.dedent("""
        import os, sys, types
        from tests.models.test_cache import SMALL, draw
        from lecture.models import cache
        import filelock, platformdirs, safetensors.numpy, pretrain_world
        trainer = types.ModuleType("drawing_trainer"); trainer.train = draw
        sys.modules["drawing_trainer"] = trainer
        cache.TRAINERS["gpt"] = "drawing_trainer"
        path = cache.cache_path(SMALL)
        digest = cache.load(SMALL).digest
        for target, mode in ((path.parent, 0o000), (path, 0o000), (path.parent, 0o555)):
            target.chmod(mode)
            child = os.fork()
            if child == 0:
                os.setgid(54321); os.setuid(54321)
                cache.forget()
                print(cache.load(SMALL).digest == digest, flush=True)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            target.chmod(0o755)
        print(cache.read(path, SMALL, "cached").digest == digest)      # nothing was harmed
    """)
    with tempfile.TemporaryDirectory() as open_to_all:    # pytest's own folder is closed
        Path(open_to_all).chmod(0o755)
        done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True,
                              text=True, check=False,
                              env=environment(LECTURE_CACHE_DIR=f"{open_to_all}/cache"))
    assert (done.returncode, done.stdout.split()) == (0, ["True"] * 4), done.stderr
    assert "Traceback" not in done.stderr and "going on without a cache" in done.stderr


def test_closed_streams_are_no_traceback() -> None:
    for redirect in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = subprocess.run(["bash", "-c", f"{' '.join(DEMO)} --part 1 {redirect}"],
                              capture_output=True, text=True, env=environment(), check=False)
        assert "Traceback" not in done.stderr, redirect
        assert done.returncode in (0, 3), redirect


def test_interrupt_in_a_table_is_130_without_a_traceback() -> None:
    child = subprocess.Popen(DEMO, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env=environment(PYTHONUNBUFFERED="1"),
                             preexec_fn=hears_interrupts)
    assert child.stdout
    for line in child.stdout:
        if "04.1" in line:
            break
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Traceback" not in told and "interrupted" in told


@pytest.mark.slow
def test_interrupt_in_training_leaves_no_file_and_a_cursor(tmp_path) -> None:
    """On a real terminal: the bar goes, the cursor is there, nothing half is kept."""
    import pexpect

    child = pexpect.spawn(sys.executable, [str(ROOT / "cli.py"), "train", "base"], timeout=60,
                          env=environment(LECTURE_CACHE_DIR=str(tmp_path), TERM="xterm"),
                          encoding="utf-8", cwd=str(ROOT), preexec_fn=hears_interrupts)
    child.expect(r"base \[#+")
    child.sendintr()
    child.expect("interrupted")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    text = child.before or ""
    assert text.count("\x1b[?25l") <= text.count("\x1b[?25h")
    assert not list(tmp_path.glob("*.safetensors")) and not list(tmp_path.glob(".*"))


@pytest.mark.slow
def test_a_full_run_opens_no_socket_and_no_pickle() -> None:
    probe = textwrap.dedent("""
        import sys
        seen = []
        sys.addaudithook(lambda event, args: seen.append(event)
                         if event.startswith(("socket.", "pickle.find_class")) else None)
        import cli
        code = cli.main(["demo", "all"]) or cli.main(["check", "04"])
        print(code, seen, file=sys.stderr)
    """)
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True,
                          env=environment(), check=True)
    assert done.stderr.strip().splitlines()[-1] == "0 []"


def test_a_changed_shipped_weight_is_named(tmp_path) -> None:
    """One changed weight makes check exit 1 and name the file; the demo still runs."""
    import shutil

    copy = tmp_path / "project"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(
        ".git", ".venv", "*.egg-info", "tests", "benchmarks", "__pycache__", ".*_cache",
        ".hypothesis"))
    path = copy / "demos/weights/base.safetensors"
    content = bytearray(path.read_bytes())
    content[-5] ^= 1                                            # in the middle of a tensor
    path.write_bytes(content)
    cached = Path(os.environ["LECTURE_CACHE_DIR"])
    done = subprocess.run([sys.executable, "cli.py", "check", "04"], cwd=copy, text=True,
                          capture_output=True, check=False,
                          env=environment(PYTHONPATH=str(copy), LECTURE_CACHE_DIR=str(cached)))
    assert done.returncode == 1
    assert re.search(r"04\.5 weights base: base\.safetensors: .*digest", done.stdout), done.stdout
    assert "base.safetensors not used" in done.stderr
