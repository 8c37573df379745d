"""What does the tiny GPT answer, and where does each head look, on your own words?

`ask` puts a question of the world to the model and shows its best answers and what the
place before the answer looked at; `attend` draws the attention of any text.  Both run
the shipped weights in NumPy.  Where a head looked is no reason for the answer: demo
04.5 cuts the edge and counts.

Left out: models from elsewhere (lecture/hf.py).
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from lecture.errors import UsageProblem
from lecture.report import Bars, Block, Column, HeatMap, Metrics, Paragraph, T, Table

if TYPE_CHECKING:
    from console import Screen

TOP = 5                                             # answers and places that are shown
PROMPT = "<doc> faq : q : {question} a :"


def ask(question: str, model_name: str = "base") -> Metrics:
    """The model's best answers to a question, and what each head looked at.

    {"words": the prompt, "answers": [{word, probability}], "heads": [{layer, head,
    looks: [{position, word, weight}]}]}.  UsageProblem names words the world has not.
    """
    import numpy as np

    text = readable(question)
    run, words, itos = _run(PROMPT.format(question=text), model_name)
    logits = run.logits[0, -1]                                        # [V]
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    best = np.argsort(-shares, kind="stable")[:TOP]
    heads = []
    for layer, maps in enumerate(run.maps):
        for head, weights in enumerate(maps[0, :, -1]):               # [h, T]
            order = np.argsort(-weights, kind="stable")[:3]
            heads.append({"layer": layer, "head": head, "looks": [
                {"position": int(i), "word": words[i], "weight": float(weights[i])}
                for i in order]})
    return {"words": words, "heads": heads, "answers": [
        {"word": itos[i], "probability": float(shares[i])} for i in best]}


def readable(question: str) -> str:
    """A question as the model reads them: plain letters, its mark a word of its own."""
    from lecture.settings import typed

    bare = typed(question).rstrip("?!. ")
    if not bare:
        raise UsageProblem("there is no question", 'write one, like "who leads balavia ?"')
    return f"{bare} ?"


def attend(text: str, layer: int | None = None, head: int | None = None,
           model_name: str = "base") -> Metrics:
    """Every attention map of a text: {"words", "maps": [{layer, head, weights}]}."""
    from lecture.settings import typed

    text = typed(text)
    words = text.split()
    run, words, _ = _run(text if words[:1] == ["<doc>"] else f"<doc> {text}", model_name)
    return {"words": words, "maps": _chosen([
        {"layer": i, "head": j, "weights": maps[0, j].tolist()}
        for i, maps in enumerate(run.maps) for j in range(maps.shape[1])], layer, head)}


def attend_with(folder: str, text: str, layer: int | None = None,
                head: int | None = None) -> Metrics:
    """The same of a T5, GPT-2 or BERT in a local folder; T5's maps are its encoder's."""
    from lecture.models import hf

    found = hf.attention_of(folder, text)
    return {"words": found["tokens"], "kind": found["kind"],
            "maps": _chosen(found["maps"], layer, head)}


def _chosen(maps: list[Metrics], layer: int | None, head: int | None) -> list[Metrics]:
    """The maps of one layer, one head, or all; UsageProblem where there is none."""
    for name, chosen in (("layer", layer), ("head", head)):
        known = sorted({m[name] for m in maps})
        if chosen is not None and chosen not in known:
            raise UsageProblem(f"there is no {name} {chosen}",
                               f"{name}s are 0 to {known[-1]}; leave it out to see all")
    return [m for m in maps if layer in (None, m["layer"]) and head in (None, m["head"])]


class _Run:
    def __init__(self, logits: Any, maps: Any) -> None:
        self.logits, self.maps = logits, maps


def _run(text: str, model_name: str) -> tuple[_Run, list[str], list[str]]:
    import numpy as np

    from lecture.models import cache as model_cache
    from lecture.models import gpt_np, recipes
    from pretrain_world import UnknownWords, tokenizer

    recipe = recipes.named(model_name)
    tok, limit = tokenizer(recipe.data.world()), recipe.config.context
    try:
        ids = tok.encode(text)
    except UnknownWords as unknown:
        few = {_short(w): near for w, near in list(unknown.words.items())[:limit]}
        words = ", ".join(f"'{w}'" for w in few)
        near = "; ".join(f"{w}: {', '.join(n) or 'nothing near'}" for w, n in few.items())
        raise UsageProblem(f"the world has no word {words}", f"near ones: {near}") from None
    if not 2 <= len(ids) <= limit:
        raise UsageProblem(f"the text has {len(ids)} tokens", f"it may have 2 to {limit}")
    model = gpt_np.GPT(recipe.config, model_cache.load(recipe))
    run = model.run(np.array([ids]), trace=True)
    found = _Run(run.logits, run.maps(recipe.config.n_layer))
    return found, [tok.itos[i] for i in ids], tok.itos


def _short(word: str) -> str:
    return word if len(word) <= 40 else f"{word[:40]}..."


# --- on the screen --------------------------------------------------------------


def ask_blocks(found: Metrics) -> list[Block]:
    """The answers as bars, and a row for each head."""
    rows = [[f"L{h['layer']}H{h['head']}", *(
        "{word} {weight:.2f}".format(**look) for look in h["looks"])] for h in found["heads"]]
    return [
        Bars([a["word"] for a in found["answers"]],
             [a["probability"] for a in found["answers"]], high=1.0, format=".4f",
             title=T("最可能的回答", "Most likely answers")),
        Table((Column(T("头", "head")), Column(T("看得最多", "looked at most")),
               Column(T("其次", "next")), Column(T("再次", "then"))), rows,
              title=T("写答案之前，每个头在看哪里", "Where each head looked before the answer")),
        Paragraph(T("这是它看了哪里，不是它为什么这样答：演示 04 的第 5 部分切断再数。",
                    "This is where it looked, not why it answered: part 5 of demo 04 cuts and "
                    "counts.")),
    ]


def attend_blocks(found: Metrics) -> list[Block]:
    """One heat map a head; rows look, columns are looked at."""
    words = found["words"]
    causal = all(not any(row[t + 1:]) for m in found["maps"]
                 for t, row in enumerate(m["weights"]))
    return [HeatMap([[None if causal and s > t else w for s, w in enumerate(row)]
                     for t, row in enumerate(m["weights"])], words, words,
                    title=T(f"L{m['layer']}H{m['head']}（第 {m['layer']} 层，头 {m['head']}）",
                            f"L{m['layer']}H{m['head']} (layer {m['layer']}, head {m['head']})"),
                    legend=T("每行是一个在看的词，每列是被看的词。",
                             "Each row is a word that looks, each column one that is looked at."))
            for m in found["maps"]]


def countries(word: str | None = None) -> list[Block]:
    """The world as a table: every country and its facts, or those in which a word occurs."""
    from lecture.models import recipes
    from lecture.settings import typed

    world = recipes.named("base").data.world()
    wanted = typed(word).lower() if word is not None else ""
    rows = [[c.name, c.capital, c.language, c.leader, c.known_for, c.currency]
            for c in world.countries]
    chosen = [row for row in rows if word is None or wanted in row]
    if not chosen:
        near = difflib.get_close_matches(wanted, [text for row in rows for text in row], 3)
        raise UsageProblem(f"the world has no word {word!r}", f"near ones: {', '.join(near)}"
                           if near else "lecture countries lists them all")
    heads = (T("国家", "country"), T("首都", "capital"), T("语言", "language"),
             T("领袖", "leader"), T("出产", "known for"), T("货币", "currency"))
    return [Table(tuple(Column(head) for head in heads), chosen)]


def loop(answer: Callable[[str], None], screen: Screen,
         refused: Callable[[str, UsageProblem], None] | None = None) -> None:
    """Questions from the keyboard until quit, an empty line or the end of the input.

    Empty lines of a pipe are passed over: no person means to end there.

    refused: what to do with one that has no answer, instead of two lines on the screen.
    """
    from lecture.settings import heard, typed

    at_terminal = bool(sys.stdin and sys.stdin.isatty())
    ask = _prompt(screen) if at_terminal and sys.stdout.isatty() else partial(heard, "? ")
    if at_terminal and refused is None:
        screen.line(screen.word("loop"), "ask")
    while True:
        try:
            text = ask()
        except EOFError:
            return
        word = typed(text).lower()
        if word in ("quit", "exit", "q") or not word and at_terminal:
            return
        if not word or word in ("help", "?") and refused is None:
            if word:
                screen.line(screen.word("loop_help"))
            continue
        try:
            answer(text)
        except UsageProblem as problem:
            if refused is not None:
                refused(text, problem)
                continue
            screen.line(problem.what, "label")
            screen.line(problem.todo, indent=2)


def _prompt(screen: Screen) -> Callable[[], str]:
    """A line with history across runs, and completion that says what a word is."""

    from lecture.settings import heard

    if os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        return partial(heard, "? ")
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import FileHistory, History, InMemoryHistory

    from lecture.models import recipes
    from lecture.show.ballots import data_dir

    meta = {c.name: screen.word("a_country")
            for c in recipes.named("base").data.world().countries}

    class Kept(FileHistory):
        """Questions over runs; where they cannot be written they are asked all the same."""

        def store_string(self, string: str) -> None:
            with suppress(OSError):
                super().store_string(string)

    history: History = InMemoryHistory()
    folder = data_dir()
    if folder is not None:
        path = folder / "asked"
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            # a FIFO or a folder of this name is no history, and opening it might wait for ever
            if path.is_file() and os.access(path, os.R_OK) or not path.exists():
                history = Kept(str(path))
    session: PromptSession[str] = PromptSession(
        "? ", history=history, complete_while_typing=False,
        completer=WordCompleter(list(meta), meta_dict=dict(meta), match_middle=False))
    return session.prompt
