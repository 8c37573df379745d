"""Every trained model of the course, as data: what would it take to make it again?

A Recipe says which network (config), on which data, trained how, from which seed.
Nothing here trains, and nothing heavy is imported: a demo that finds its weights on
disk needs the recipe only to check that they are the right ones. The check is the
`fingerprint`: a hash of everything that could change the weights, down to the order of
the countries. Left out: library versions and the processor. Those move the last bits
of a training, so they stand beside the weights and are not part of their name.

To add a model: one entry at the end of this file.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pretrain_world
from lecture.data import phrases, tasks

SCHEMA = 1          # raise when the meaning of a field or of a stored tensor changes

CHOICES = {
    "positions": ("learned", "sinusoidal", "rope", "none"),
    "norm": ("pre", "post", "none"),
    "norm_kind": ("layer", "rms"),
    "qkv": ("separate", "shared_kv", "shared_qk", "none"),
    "activation": ("gelu", "relu"),
    "rope_convention": ("half", "adjacent"),
}


@dataclass(frozen=True)
class GPTConfig:
    """The one decoder-only network of the course and all its switches.

    A switch that a demo needs stands here from the start with the value a plain GPT
    has; a field at its default is left out of fingerprints, so a new switch leaves
    old weights valid.
    """

    vocab_size: int
    context: int                     # positions; a longer input is refused
    n_layer: int = 2
    n_head: int = 2
    width: int = 64                  # of the residual stream
    n_kv_head: int | None = None     # None: as many as n_head
    head: int | None = None          # width of one head; None: width / n_head
    d_ff: int | None = None          # width inside the MLP; None: 4 x width
    mlp: bool = True                 # False: attention only
    positions: str = "learned"
    norm: str = "pre"
    norm_kind: str = "layer"
    qk_norm: bool = False            # RMS norm, no gain, on each head's q and k
    residual: bool = True            # False: a branch replaces the stream
    qkv: str = "separate"            # which of the three projections are shared
    causal: bool = True              # False: a position sees the whole input
    scale: bool = True               # divide scores by sqrt(head width)
    bias: bool = True                # in the linear maps and norms
    tied: bool = True                # lm_head is the token table
    activation: str = "gelu"
    rope_base: float = 10000.0
    rope_convention: str = "half"
    dropout: float = 0.0             # in training only

    def __post_init__(self) -> None:
        for field, allowed in CHOICES.items():
            if getattr(self, field) not in allowed:
                raise ValueError(f"{field}={getattr(self, field)!r}: it is one of "
                                 f"{', '.join(allowed)}")
        for field in ("vocab_size", "context", "n_layer", "n_head", "width"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field} must be at least 1")
        if self.head is not None and self.head < 1:
            raise ValueError("head must be at least 1")
        if self.head is None and self.width % self.n_head:
            raise ValueError(f"width {self.width} does not split into "
                             f"{self.n_head} heads")
        if self.n_head % self.kv_heads:
            raise ValueError(f"{self.n_head} query heads do not share "
                             f"{self.kv_heads} key-value heads evenly")
        if self.kv_heads != self.n_head and self.qkv in ("shared_qk", "none"):
            raise ValueError(f"qkv={self.qkv!r} needs as many key-value heads as heads")
        if self.qkv == "none" and self.n_head * self.head_width != self.width:
            raise ValueError("qkv='none' cuts the stream itself into heads: n_head x head "
                             "must be width")
        if self.positions == "rope" and self.head_width % 2:
            raise ValueError(f"rope turns pairs: head width {self.head_width} is odd")
        if not 0 <= self.dropout < 1:
            raise ValueError("dropout is a share in 0 <= p < 1")

    @property
    def head_width(self) -> int:
        return self.width // self.n_head if self.head is None else self.head

    @property
    def q_width(self) -> int:
        return self.n_head * self.head_width

    @property
    def kv_heads(self) -> int:
        return self.n_head if self.n_kv_head is None else self.n_kv_head

    @property
    def kv_width(self) -> int:
        return self.kv_heads * self.head_width

    @property
    def ff_width(self) -> int:
        return 4 * self.width if self.d_ff is None else self.d_ff

    def tensor_shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every stored tensor; linear maps are [out, in]."""
        d = self.width
        shapes: dict[str, tuple[int, ...]] = {"wte.weight": (self.vocab_size, d)}

        def norm(name: str) -> None:
            shapes[f"{name}.weight"] = (d,)
            if self.bias and self.norm_kind == "layer":
                shapes[f"{name}.bias"] = (d,)

        def linear(name: str, out: int, into: int) -> None:
            shapes[f"{name}.weight"] = (out, into)
            if self.bias:
                shapes[f"{name}.bias"] = (out,)

        if self.positions == "learned":
            shapes["wpe.weight"] = (self.context, d)
        for layer in range(self.n_layer):
            block = f"blocks.{layer}"
            if self.norm != "none":
                norm(f"{block}.norm1")
            for name, out in self.projections():
                linear(f"{block}.attn.{name}", out, d)
            linear(f"{block}.attn.out", d, self.q_width)
            if self.mlp:
                if self.norm != "none":
                    norm(f"{block}.norm2")
                linear(f"{block}.mlp.up", self.ff_width, d)
                linear(f"{block}.mlp.down", d, self.ff_width)
        if self.norm == "pre":
            norm("norm_f")
        if not self.tied:
            shapes["lm_head.weight"] = (self.vocab_size, d)
        return shapes

    def projections(self) -> tuple[tuple[str, int], ...]:
        """(name, rows) of the maps into queries, keys and values.

        shared_kv: k serves as v too; shared_qk: q serves as k too; none: no map at
        all, every head gets its slice of the normed stream as query, key and value.
        """
        q, k, v = ("q", self.q_width), ("k", self.kv_width), ("v", self.kv_width)
        return {"separate": (q, k, v), "shared_kv": (q, k), "shared_qk": (q, v),
                "none": ()}[self.qkv]


@dataclass(frozen=True)
class WorldData:
    """The corpus of a world: its size, its order, and how many registers."""

    countries: int = pretrain_world.MIN_COUNTRIES
    order: tuple[int, ...] = ()      # empty: the natural order
    registers: int = 24

    def world(self) -> pretrain_world.World:
        return pretrain_world.make_world(self.countries, self.order)

    def documents(self) -> list[pretrain_world.Document]:
        return pretrain_world.documents(self.world(), self.registers)

    def content(self) -> dict[str, Any]:
        """What the fingerprint sees: every word and every document, in order."""
        world = self.world()
        text = "\n".join(d.text for d in self.documents())
        return {"world": [list(c.words()) for c in world.countries],
                "corpus": hashlib.sha256(text.encode()).hexdigest(),
                "vocabulary": list(pretrain_world.tokenizer(world).itos)}


@dataclass(frozen=True)
class RepeatedWorldData(WorldData):
    """The corpus of a world with lists of its names said twice mixed in (demo 12).

    The corpus is written out `rounds` times, each time with `lists` new lists, so that
    no list is read again and again and learned by heart. A list holds 8 .. 20 different
    names of the copy pool: the two sayings stand at varying distance. With `sayings` 1 it
    holds twice as many names and says each once: as long, and nothing to copy (demo 04).
    """

    lists: int = 0
    rounds: int = 30
    sayings: int = 2

    def documents(self) -> list[pretrain_world.Document]:
        rng, pool = random.Random("said twice"), self.world().copy_pool()    # noqa: S311
        once = 2 // self.sayings                 # different names, in lengths of a saying
        said = [sorted(pool, key=lambda _: rng.random())[:once * (8 + int(13 * rng.random()))]
                for _ in range(self.lists * self.rounds)]
        return super().documents() * self.rounds + [
            pretrain_world.Document(f"{pretrain_world.DOC} {' '.join(names * self.sayings)} .",
                                    "repeat", form=i) for i, names in enumerate(said)]

    def content(self) -> dict[str, Any]:
        """As for any world, from the first round: the others follow from the same draws."""
        first = dataclasses.replace(self, rounds=1)
        return super(RepeatedWorldData, first).content()


@dataclass(frozen=True)
class TaskData:
    """A task of `lecture.data.tasks`, drawn afresh at every step; sizes as sorted pairs."""

    task: str
    sizes: tuple[tuple[str, int], ...] = ()

    def content(self) -> dict[str, Any]:
        return {"task": self.task, "version": tasks.named(self.task).version,
                "sizes": [list(pair) for pair in sorted(self.sizes)]}


@dataclass(frozen=True)
class Training:
    """One training run of a GPT: how many steps of what size, by which rule."""

    steps: int
    batch: int                       # rows a step
    length: int                      # tokens a row
    matrix_lr: float = 0.02          # Muon, on the matrices inside the blocks
    table_lr: float = 0.01           # Adam, on tables, gains and biases
    warmup: int = 0                  # steps of linear rise
    decay: float = 0.5               # share of the steps, at the end, falling to 0
    momentum: float = 0.95
    optimizer: str = "muon"          # "muon" or "adamw" (then table_lr serves all)
    packing: str = "documents"       # "documents": own positions, own attention;
    #                                  "stream": rows cut anywhere, as in nanoGPT
    query_key_std: float = 0.02      # of the first q and k; all else .02
    shift: int = 0                   # a document starts at a drawn position 0 .. shift
    log_every: int = 25


@dataclass(frozen=True)
class Recipe:
    """A trained model as data. `kind` names the trainer (see model_cache.TRAINERS)."""

    name: str
    kind: str
    config: Any
    data: Any
    training: Any
    seed: int = 0


def described(obj: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults, by name."""
    return {f.name: getattr(obj, f.name) for f in dataclasses.fields(obj)
            if f.default is dataclasses.MISSING or getattr(obj, f.name) != f.default}


def canonical_json(value: Any) -> str:
    """JSON with one spelling: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False,
                      ensure_ascii=True)


def description(recipe: Recipe) -> dict[str, Any]:
    """All that could change the weights of `recipe`, ready for canonical_json."""
    return {"schema": SCHEMA, "kind": recipe.kind, "seed": recipe.seed,
            "config": described(recipe.config), "training": described(recipe.training),
            "data": {"type": type(recipe.data).__name__, **described(recipe.data)},
            "content": recipe.data.content()}


@cache                                   # a world's corpus takes a while to write
def fingerprint(recipe: Recipe) -> str:
    """64 hex digits that change with anything in `description`; the name is free."""
    text = canonical_json(description(recipe))
    return hashlib.sha256(text.encode()).hexdigest()


def with_seed(recipe: Recipe, seed: int) -> Recipe:
    """The same recipe from another seed: other weights, another fingerprint."""
    return dataclasses.replace(recipe, seed=seed)


def vocabulary(recipe: Recipe) -> list[str] | None:
    """The words behind the ids of a world's model; None for a task's."""
    if isinstance(recipe.data, Mapping) or not hasattr(recipe.data, "world"):
        return None
    return pretrain_world.tokenizer(recipe.data.world()).itos


def gpt_on_world(name: str, data: WorldData, training: Training, context: int = 48,
                 **switches: Any) -> Recipe:
    """A GPT for a world; the vocabulary size follows from the world."""
    size = len(pretrain_world.tokenizer(data.world()))
    return Recipe(name, "gpt", GPTConfig(size, context, **switches), data, training)


def gpt_on_task(name: str, data: TaskData, training: Training, context: int = 48,
                **switches: Any) -> Recipe:
    """A GPT for a task; the vocabulary size follows from the task."""
    size = tasks.named(data.task).vocab_size(**dict(data.sizes))
    return Recipe(name, "gpt", GPTConfig(size, context, **switches), data, training)


# --- encoder and decoder ----------------------------------------------------------
GATES = {"rnn": 1, "gru": 3, "lstm": 4}          # cell -> how many gates it stacks


@dataclass(frozen=True)
class Seq2SeqConfig:
    """A recurrent encoder and decoder of one layer, with or without attention."""

    vocab_size: int                  # source and target words share one table
    width: int = 48                  # of a state
    embed: int = 16                  # of a word vector
    cell: str = "lstm"
    attention: bool = False          # the decoder looks back at every encoder state
    forget_bias: float = 1.0         # added to an LSTM's forget gates before training

    def __post_init__(self) -> None:
        if self.cell not in GATES:
            raise ValueError(f"cell={self.cell!r}: it is one of {', '.join(GATES)}")

    def tensor_shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every stored tensor; linear maps are [out, in]."""
        rows, w = GATES[self.cell] * self.width, self.width
        shapes: dict[str, tuple[int, ...]] = {"embed.weight": (self.vocab_size, self.embed)}
        for side in ("encoder", "decoder"):
            shapes[f"{side}.weight_ih_l0"] = (rows, self.embed)
            shapes[f"{side}.weight_hh_l0"] = (rows, w)
            shapes[f"{side}.bias_ih_l0"] = shapes[f"{side}.bias_hh_l0"] = (rows,)
        if self.attention:
            shapes["look.weight"], shapes["mix.weight"] = (w, w), (w, 2 * w)
        shapes["out.weight"], shapes["out.bias"] = (self.vocab_size, w), (self.vocab_size,)
        return shapes


@dataclass(frozen=True)
class Seq2SeqTraining:
    """One training run of a recurrent encoder-decoder, by Adam."""

    steps: int
    batch: int                       # pairs a step
    lr: float = 0.005
    decay: float = 0.5               # share of the steps, at the end, falling to 0
    clip: float = 1.0                # the gradient's norm is cut down to this
    own_share: float = 0.0           # of inputs that are its own words, at the last step
    log_every: int = 50


def seq2seq_on_task(name: str, data: TaskData, training: Seq2SeqTraining,
                    **switches: Any) -> Recipe:
    """An encoder-decoder for a task of pairs; the vocabulary follows from the task."""
    size = tasks.named(data.task).vocab_size(**dict(data.sizes))
    return Recipe(name, "seq2seq", Seq2SeqConfig(size, **switches), data, training)


def four_ways(case: str, data: TaskData, steps: int, length: int, *ways: str,
              head: int, **switches: Any) -> list[Recipe]:
    """Demo 05: one head without MLP, its three projections shared in these ways."""
    return [gpt_on_task(f"qkv_{case}_{way}", data, Training(steps, 32, length),
                        context=length, n_head=1, width=32, mlp=False, qkv=way,
                        head=None if way == "none" else head, **switches)
            for way in ways]


# --- translation (demo 10) --------------------------------------------------------
@dataclass(frozen=True)
class PhraseData:
    """The sentences of `lecture.data.phrases` in one direction."""

    direction: str                   # "fr_en" or "en_zh"
    trained_on: int = phrases.TRAINED_ON
    held_out: int = phrases.HELD_OUT

    def corpus(self) -> phrases.Corpus:
        return phrases.corpus(self.direction, self.trained_on, self.held_out)

    def content(self) -> dict[str, Any]:
        """What the fingerprint sees: every sentence, in order, and both vocabularies."""
        corpus = self.corpus()
        text = "\n".join(" ".join((*p.source, "|", *p.target))
                         for p in corpus.trained_on + corpus.held_out)
        return {"corpus": hashlib.sha256(text.encode()).hexdigest(),
                "vocabulary": [list(corpus.source_words), list(corpus.target_words)]}


@dataclass(frozen=True)
class TranslateConfig:
    """A Transformer encoder-decoder, norms after each sub-layer as in the paper of 2017."""

    source_words: int
    target_words: int
    width: int = 40
    n_head: int = 2
    encoder_layers: int = 1
    decoder_layers: int = 1
    d_ff: int = 80
    context: int = 24                # words of a sentence; a longer one is refused
    pooled: bool = False             # True: the encoder hands over one vector, the mean

    def __post_init__(self) -> None:
        if self.width % self.n_head:
            raise ValueError(f"width {self.width} does not split into {self.n_head} heads")

    def sub_layers(self, side: str) -> tuple[str, ...]:
        """What one layer does in turn; each is followed by Add & Norm."""
        return ("self", "ff") if side == "encoder" else ("self", "cross", "ff")

    def tensor_shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every stored tensor; linear maps are [out, in]."""
        d, shapes = self.width, dict[str, tuple[int, ...]]()

        def linear(name: str, out: int, into: int) -> None:
            shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (out, into), (out,)

        shapes["source.weight"] = (self.source_words, d)
        shapes["target.weight"] = (self.target_words, d)
        for side, count in (("encoder", self.encoder_layers), ("decoder", self.decoder_layers)):
            for layer in range(count):
                for number, kind in enumerate(self.sub_layers(side), 1):
                    name = f"{side}.{layer}.{kind}"
                    if kind == "ff":
                        linear(f"{name}.up", self.d_ff, d)
                        linear(f"{name}.down", d, self.d_ff)
                    else:
                        for part in ("q", "k", "v", "out"):
                            linear(f"{name}.{part}", d, d)
                    norm = f"{side}.{layer}.norm{number}"
                    shapes[f"{norm}.weight"] = shapes[f"{norm}.bias"] = (d,)
        linear("out", self.target_words, d)
        return shapes


@dataclass(frozen=True)
class TranslateTraining:
    """One training run of a translator, by Adam."""

    steps: int
    batch: int = 64                  # sentences a step
    lr: float = 0.004
    warmup: int = 60                 # steps of linear rise
    decay: float = 0.6               # share of the steps, at the end, falling to 0
    clip: float = 1.0                # the gradient's norm is cut down to this
    log_every: int = 50


def translator(name: str, direction: str, words: tuple[int, int], steps: int,
               **switches: Any) -> Recipe:
    """An encoder-decoder for one direction; words: sizes of both vocabularies."""
    return Recipe(name, "translate", TranslateConfig(*words, **switches),
                  PhraseData(direction), TranslateTraining(steps))


# --- facts as sentences (demo 14) ----------------------------------------------------
BACKWARD = ("{a} is the capital of {c} .", "{a} is the capital city of {c} .")


@dataclass(frozen=True)
class CapitalsData(WorldData):
    """The capitals alone, in every phrasing of a statement, country before capital.

    The first `told_back` countries are also told capital before country (BACKWARD).
    """

    told_back: int = 12

    def documents(self) -> list[pretrain_world.Document]:
        countries = self.world().countries
        forward = [pretrain_world.Document(
            f"{pretrain_world.DOC} {pretrain_world.statement_text(c, 'capital', form)}",
            "statement", c.name, "capital", form) for c in countries
            for form in range(len(pretrain_world.STATEMENTS["capital"]))]
        return forward + [pretrain_world.Document(
            f"{pretrain_world.DOC} {text.format(a=c.capital, c=c.name)}", "reversed", c.name,
            "capital", form) for c in countries[:self.told_back]
            for form, text in enumerate(BACKWARD)]


@dataclass(frozen=True)
class ToldData(WorldData):
    """Every fact said equally often, in one phrasing or in several; none is held in the
    last phrasing, except for the first `shown` countries, which are told in all of them.
    """

    forms: int = 1
    times: int = 3
    shown: int = 0

    def documents(self) -> list[pretrain_world.Document]:
        return [pretrain_world.Document(
            f"{pretrain_world.DOC} {pretrain_world.statement_text(c, a, form)}", "statement",
            c.name, a, form)
            for i, c in enumerate(self.world().countries) for a in pretrain_world.ATTRIBUTES
            for form in (range(len(pretrain_world.STATEMENTS[a])) if i < self.shown
                         else [time % self.forms for time in range(self.times)])]


# --- the models -------------------------------------------------------------------
# The seed that is shipped: the lower middle one of the recorded five by the main number of the
# part that shows the model (bank's P(water) with A and B cut; rows copied at n = 4, with
# attention at n = 24; share right).  0 where nothing stands here: all alike, or in the middle.
SHOWN = {"senses": 4, "copy_one": 1, "copy_attention": 1,
         "qkv_right_shared_qk": 1, "qkv_right_none": 1, "qkv_narrow_shared_qk": 2,
         "qkv_recall_shared_qk": 4}
RECIPES: dict[str, Recipe] = {recipe.name: with_seed(recipe, SHOWN.get(recipe.name, recipe.seed))
                              for recipe in (
    gpt_on_world("base", WorldData(), bias=False, training=Training(
        steps=350, batch=16, length=48, query_key_std=0.06, shift=16)),
    gpt_on_task("repeats", TaskData("repeats"), bias=False, training=Training(
        steps=600, batch=32, length=42)),
    gpt_on_task("senses", TaskData("senses"), Training(steps=300, batch=64, length=9),
                context=9, n_layer=1, width=32),
    *(with_seed(gpt_on_task(name, TaskData(task), Training(steps=600, batch=32, length=16),
                            context=16, width=32, causal=name == "closed_book"), 2)  # demo 06
      for name, task in (("closed_book", "chain"), ("open_book", "chain"),
                         ("hidden_words", "hidden_chain"))),
    *four_ways("right", TaskData("neighbour"), 400, 24,                      # demo 05
               "separate", "shared_kv", "shared_qk", "none",
               head=8, n_layer=1, causal=False, positions="rope"),
    *four_ways("narrow", TaskData("neighbour"), 400, 24,
               "separate", "shared_kv", "shared_qk",
               head=2, n_layer=1, causal=False, positions="rope"),
    *four_ways("added", TaskData("neighbour"), 400, 24, "shared_qk",
               head=8, n_layer=1, causal=False, positions="sinusoidal"),
    *four_ways("recall", TaskData("recall"), 600, 16,
               "separate", "shared_kv", "shared_qk", "none", head=32),
    *(gpt_on_task(f"places_{kind}", TaskData("delayed_copy"),                # demo 07
                  Training(steps=600, batch=32, length=32, table_lr=0.003,
                           optimizer="adamw"),
                  context=128, width=32, positions=kind)
      for kind in CHOICES["positions"]),
    *(gpt_on_task(name, TaskData("repeats", (("length", 24), ("longest", 12),
                                             ("names", 20))),     # demos 07 and 12
                  Training(steps=1500, batch=32, length=24, matrix_lr=0.03), n_head=4, mlp=False,
                  positions=kind)
      for name, kind in (("no_positions", "none"), ("with_rope", "rope"))),
    seq2seq_on_task("copy_one", TaskData("copy"), Seq2SeqTraining(1500, 64)),
    seq2seq_on_task("copy_attention", TaskData("copy"), Seq2SeqTraining(1500, 64),
                    attention=True),
    seq2seq_on_task("copy_sampled", TaskData("copy"),
                    Seq2SeqTraining(1500, 64, own_share=0.5)),
    # demo 08: each from the lower middle one of eight seeds (benchmarks/records/heads_seeds.py)
    *(with_seed(gpt_on_task(
        f"two_{look}_{heads}", TaskData("two_things", (("marked", marked), ("names", 8))),
        Training(steps=1000, batch=64, length=7), context=7, n_layer=1, width=48,
        n_head=heads, mlp=False, positions="rope", rope_base=5.0, tied=False), seed)
      for look, marked, heads, seed in (("bare", 0, 1, 1), ("bare", 0, 2, 0),
                                        ("marked", 1, 1, 0), ("marked", 1, 2, 0))),
    with_seed(gpt_on_task("pronoun", TaskData("pronoun"), Training(300, 64, 11), context=11,
                          n_layer=1, width=32, mlp=False, causal=False), 1),
    with_seed(gpt_on_task("pronoun_causal", TaskData("pronoun", (("ask", 1),)),
                          Training(300, 64, 12), context=12, width=32), 4),
    translator("french_english", "fr_en", (99, 63), 600),                    # demo 10
    translator("english_chinese", "en_zh", (80, 63), 600),
    *(with_seed(gpt_on_task(name, TaskData("said_again", sizes),             # demo 12
                            Training(300, 32, 32, decay=0.3), n_layer=layers, width=32,
                            mlp=False, positions="rope", tied=False), 3)
      for name, layers, sizes in (
          ("grows", 2, ()), ("grows_one_layer", 1, ()),
          ("grows_fixed", 1, (("longest", 12), ("shortest", 12))))),
    gpt_on_world("copies_too", RepeatedWorldData(lists=240), bias=False, positions="rope",
                 training=Training(steps=600, batch=16, length=48, query_key_std=0.06,
                                   shift=16)),
    gpt_on_task("deep", TaskData("delayed_copy", (("delay", 1), ("length", 8), ("words", 8))),
                Training(400, 32, 8, table_lr=0.01, optimizer="adamw"), context=8,  # demo 09
                n_layer=12, width=32, d_ff=32, tied=False),
    gpt_on_world("capitals", CapitalsData(), Training(150, 16, 48, shift=4),    # demo 14
                 bias=False, width=32),
    *(gpt_on_world(name, ToldData(forms=forms, shown=12), Training(200, 16, 48, shift=4),
                   bias=False, width=32)
      for name, forms in (("told_one_way", 1), ("told_several_ways", 3))),
)}


def named(name: str) -> Recipe:
    """The recipe of that name; ValueError lists the known ones."""
    if name not in RECIPES:
        raise ValueError(f"unknown model {name!r}: known are {', '.join(RECIPES)}")
    return RECIPES[name]
