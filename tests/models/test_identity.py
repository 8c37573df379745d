"""Whose training is it?  The trainer's mark follows what trains and nothing else."""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import sys

import pytest

from lecture.models import cache, identity, recipes
from tests.conftest import ROOT

RECIPES, TASKS = "lecture.models.recipes", "lecture.data.tasks"
KINDS = {"base": "tiny_gpt", "copy_one": "lecture.models.seq2seq_torch",
         "french_english": "lecture.models.translate_torch"}


@pytest.fixture
def rewritten(monkeypatch):
    """rewritten(module, change): the room reads as `change` makes it, on disk it stays."""
    texts, real = {}, identity.source

    def change(module, make):
        old = texts.get(module) or real(module)
        texts[module] = make(old)
        assert texts[module] != old, "the change found nothing to change"
        identity.forget()

    monkeypatch.setattr(identity, "source", lambda m: texts.get(m) or real(m))
    identity.forget()
    yield change
    monkeypatch.undo()
    identity.forget()


def marks() -> dict[str, str]:
    return {name: cache.trainer(recipe) for name, recipe in recipes.RECIPES.items()}


def swap(old: str, new: str):
    return lambda text: text.replace(old, new, 1)


def other_words(text: str) -> str:
    """The same program: other docstrings, comments, blank lines and parentheses."""
    tree = ast.parse(text)
    spans = [node.body[0] for node in ast.walk(tree) if isinstance(node, identity.Docstringed)
             and ast.get_docstring(node) and len(node.body) > 1]
    lines = text.split("\n")
    for doc in sorted(spans, key=lambda n: -n.lineno):
        pad = " " * doc.col_offset
        lines[doc.lineno - 1:doc.end_lineno] = [f'{pad}"""Said otherwise."""', ""]
    return re.sub(r"^(\s*)return (\w+)$", r"\1return (\2)    # said twice", "\n".join(lines),
                  flags=re.M) + "\n# the end\n"


@pytest.mark.parametrize("module", ["tiny_gpt", *KINDS.values(), RECIPES, TASKS])
def test_comments_docstrings_and_layout_do_not_count(rewritten, module):
    before = marks()
    rewritten(module, other_words)
    assert marks() == before


CHANGES = {
    "documents in order": ("tiny_gpt", "for i in rng.permutation(len(docs)):\n        need",
                           "for i in range(len(docs)):\n        need", "base repeats"),
    "no look ahead": ("tiny_gpt", "orthogonal(g.lerp(average, self.momentum))",
                      "orthogonal(average)", "base repeats"),
    "no dropout": ("tiny_gpt", "self.drop(weights) @ v", "weights @ v", "base repeats"),
    "a default": (RECIPES, "momentum: float = 0.95", "momentum: float = 0.9", "base repeats"),
    "a default of the others": (RECIPES, "clip: float = 1.0   ", "clip: float = 2.0   ",
                                "copy_one"),
    "lists said twice": (RECIPES, "names * self.sayings", "names * 3", "copies_too"),
    "a task that a task calls": (TASKS, "order = rng.random((batch, names)).argsort(axis=1) + 1",
                                 "order = np.tile(np.arange(names) + 1, (batch, 1))",
                                 "repeats grows"),
    "a constant of a task": (TASKS, "CHAIN_ODDS = (0.62, 0.19", "CHAIN_ODDS = (0.61, 0.20",
                             "closed_book hidden_words"),
    "the last rate": ("lecture.models.seq2seq_torch", "min(1.0, left)", "1.0", "copy_one"),
    "no warm-up": ("lecture.models.translate_torch", "min(1.0, left, (step + 1) / plan.warmup)",
                   "min(1.0, left)", "french_english"),
}
UNTOUCHED = {"a default": "copy_one french_english", "a default of the others": "base senses",
             "lists said twice": "base repeats", "a task that a task calls": "senses base copy_one",
             "a constant of a task": "base repeats", "documents in order": "copy_one",
             "the last rate": "base", "no warm-up": "copy_one"}


@pytest.mark.parametrize("case", CHANGES)
def test_what_trains_counts_for_whom_it_trains(rewritten, case):
    """Each of these leaves every fingerprint as it is."""
    module, old, new, touched = CHANGES[case]
    before = marks()
    rewritten(module, swap(old, new))
    after = marks()
    moved = {name for name in before if before[name] != after[name]}
    assert set(touched.split()) <= moved
    assert not set(UNTOUCHED.get(case, "").split()) & moved


def test_another_model_and_another_task_change_nobody(rewritten):
    before = marks()
    rewritten(RECIPES, swap('gpt_on_task("senses"', 'gpt_on_task("sensed"'))
    rewritten(RECIPES, lambda text: text + "\n\n@dataclass(frozen=True)\nclass Other(WorldData):\n"
              "    more: int = 0\n")
    rewritten(TASKS, lambda text: text + '\n\n@task("new", version=1, vocab_size=lambda **_: 2)\n'
              "def new(rng, batch):\n    return rng.random(batch), rng.random(batch)\n")
    assert marks() == before


def test_the_mark_is_the_same_on_every_python():
    """Neither ast.dump nor ast.unparse alone is: 3.12 writes f-strings otherwise than 3.11."""
    text = ('"""Doc."""\n\n\ndef f(x: int = 1, *, y="a\\n", **z) -> "int":\n    """Doc."""\n'
            "    # why\n    return f\"{x!r:>{y}} {z['k']:.2f} {', '.join(z)}\" if (x) else -x\n"
            "\n\nclass A(B):\n    '''Doc.'''\n    a: list[int] = [*range(3), ]\n")
    tree = identity.plain(ast.parse(text))
    said = "\n\n".join(ast.unparse(node) for node in tree.body)
    assert "Doc" not in said
    assert hashlib.sha256(said.encode()).hexdigest()[:16] == "fcd155b06d204e51"


def test_a_name_reaches_what_it_mentions_and_no_more():
    tree = ast.parse("A = 1\nB: int = A\ndef f():\n    return g(B)\ndef g(x):\n    return x\n"
                     "def h():\n    return f()\nC, D = 2, 3\n")
    def found(start):
        return [ast.unparse(n).split("\n")[0] for n in identity.reached(tree, {start})]
    assert found("f") == ["A = 1", "B: int = A", "def f():", "def g(x):"]
    assert found("D") == ["C, D = (2, 3)"] and found("nothing") == []


def test_a_room_without_a_text_is_unknown():
    assert identity.source("no_such_module") is None and identity.source("math") is None
    assert identity.trainer(recipes.named("base"), "no_such_module") == "unknown"


def test_asking_needs_no_torch_and_the_machine_says_what_it_knows():
    code = ("import sys; from lecture.models import cache, recipes, identity; "
            "mark = cache.trainer(recipes.named('base')); assert 'torch' not in sys.modules; "
            "assert identity.machine()['simd'] == 'unknown'; print(mark)")
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True)
    assert run.stdout.strip() == cache.trainer(recipes.named("base")), run.stderr
    import torch

    assert identity.machine() == {"processor": identity.processor(),
                                  "simd": torch.backends.cpu.get_cpu_capability()}
    assert identity.processor()
