"""How far does a training step stand from the arithmetic limit of the machine?

    python -m benchmarks.training_limit [NAME ...] [--steps 40] [--rounds 3] [--tries 5]

For `base` and every other shipped model, or for the NAMEs (which replace
their rows in the JSON), on one thread:

    counted  the multiply-adds of a step: every matrix product of forward, backward and
             optimizer, taken down while the trainer's own code runs (two operations each;
             for a GPT compared with 6 N tokens + attention + Muon, to the last digit)
    timed    the CPU time of a step of the same trainer on the same batches, from one call
             of its `progress` to the next; the recipe is only cut short
    large    the rate of one large float32 product: what the processor can do
    alone    the very products of a step, in their order and with their strides, and
             nothing between them: what the sizes of these models can do

Operations over time is the rate reached; its shares of the other two rates say how much is
lost to small products, and how much to all that is no product. Other programs make every
figure worse and none better, so the best step stands beside the median. For `base` the time is
split further: by the parts of a step, and by operator. Then some ways to make it faster,
in turn, each a whole training of `base` in a process of its own, with the digest of its
weights: a way that changes the digest is another training.

Left out of the count: whatever is no matrix product (softmax, norms, GELU, tables, Adam).
Fused kernels are counted as the products they stand for: attention in full, LSTM cell by
cell. Prints Markdown tables and writes training_limit.json beside this file.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import datetime
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"              # before NumPy and torch are loaded

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

import tiny_gpt
from benchmarks import machine, making
from benchmarks.records.attention_cost import spread
from lecture.models import cache as model_cache
from lecture.models import recipes, seq2seq_torch, translate_torch
from lecture.models.recipes import GPTConfig, Recipe

WARM = 10                                   # steps at the start that do not count
SAMPLE = 6                                  # steps whose products are run alone
SQUARES = (64, 128, 256, 512, 1024, 2048, 4096)
RESULT = Path(__file__).with_suffix(".json")


# --- the parts of a step --------------------------------------------------------------

# The trainers' own functions: kind -> part -> (owner, name).
PARTS: dict[str, dict[str, list[tuple[Any, str]]]] = {
    "gpt": {"forward": [(tiny_gpt.TinyGPT, "forward")], "backward": [(Tensor, "backward")],
            "Muon": [(tiny_gpt.Muon, "step")], "Adam": [(tiny_gpt.Adam, "step")]},
    "seq2seq": {"forward": [(seq2seq_torch.EncoderDecoder, "forward"),
                            (seq2seq_torch.EncoderDecoder, "sampled")]},
    "translate": {"forward": [(translate_torch.Translator, "forward")]},
}
for kind in ("seq2seq", "translate"):
    PARTS[kind] |= {"backward": [(Tensor, "backward")],
                    "clipping": [(nn.utils, "clip_grad_norm_")],
                    "Adam": [(torch.optim.Adam, "step")]}
REST = "batches and Python"                 # of a step, outside all of these


class Watch:
    """A clock around each part of the trainer, and which part runs now."""

    def __init__(self, kind: str):
        self.kind, self.now = kind, REST
        self.spent: dict[str, float] = dict.fromkeys(PARTS[kind], 0.0)

    def around(self, part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            before, self.now = self.now, part
            start = time.process_time()
            try:
                return call(*args, **kwargs)
            finally:
                self.spent[part] += time.process_time() - start
                self.now = before
        return timed

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for part, places in PARTS[self.kind].items():
                for owner, name in places:
                    stack.enter_context(patch.object(
                        owner, name, self.around(part, getattr(owner, name))))
            yield


def shortened(recipe: Recipe, steps: int) -> Recipe:
    """The first steps of a training: the same batches, a shorter schedule."""
    return dataclasses.replace(recipe, training=dataclasses.replace(recipe.training,
                                                                    steps=steps))


def trained(recipe: Recipe, progress: Callable[[int, int, float], None]) -> Any:
    """The trainer of the recipe's kind, told of by `progress` after every step."""
    return importlib.import_module(model_cache.TRAINERS[recipe.kind]).train(recipe, progress)


def timed(recipe: Recipe, steps: int) -> list[dict[str, float]]:
    """CPU seconds of each step after the warm-up: "step", and each part."""
    watch, found = Watch(recipe.kind), list[dict[str, float]]()
    last: dict[str, float] = {}

    def progress(step: int, of: int, loss: float) -> None:
        now = {"step": time.process_time(), **watch.spent}
        if step > WARM:
            took = {part: now[part] - last[part] for part in now}
            found.append({**took, REST: took["step"] - sum(took[p] for p in watch.spent)})
        last.update(now)

    with watch.watching():
        trained(shortened(recipe, WARM + steps), progress)
    return found


# --- counting -------------------------------------------------------------------------

class Blank(NamedTuple):
    """A tensor without its numbers."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]

    def filled(self) -> Tensor:
        reach = 1 + sum((n - 1) * s for n, s in zip(self.shape, self.stride, strict=True))
        return torch.randn(reach).as_strided(self.shape, self.stride)


class Product(NamedTuple):
    """One matrix product: what was called on what, its operations, in which part."""

    call: Any
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...]
    flop: int
    part: str

    def shapes(self) -> str:
        """rows x inner x columns, with the stack in front if there is one."""
        a, b = [x.shape for x in self.args if isinstance(x, Blank) and len(x.shape) > 1][-2:]
        stack = f"{a[0]} of " if len(a) == 3 else ""
        return f"{stack}{a[-2]:,} x {a[-1]:,} x {b[-1]:,}"


class Count(TorchDispatchMode):
    """Takes down every matrix product that runs inside, by torch's own formulas."""

    def __init__(self, watch: Watch | None = None):
        super().__init__()
        self.products, self.watch = list[Product](), watch

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        formula = flop_registry.get(func.overloadpacket)
        if formula is not None:
            blank = [Blank(tuple(a.shape), a.stride()) if isinstance(a, Tensor) else a
                     for a in args]
            self.products.append(Product(
                func, tuple(blank), tuple((kwargs or {}).items()),
                formula(*args, **(kwargs or {}), out_val=out),
                self.watch.now if self.watch else ""))
        return out


@contextlib.contextmanager
def unfused() -> Iterator[None]:
    """Fused kernels fall into their matrix products, which can be counted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")         # of a switch for other processors
        flags = torch.backends.mkldnn.flags(enabled=False)
        with sdpa_kernel(SDPBackend.MATH), flags:
            yield


def counted(recipe: Recipe, steps: int) -> list[list[Product]]:
    """The products of each step after the warm-up, the batches being those of `timed`."""
    watch, found = Watch(recipe.kind), list[list[Product]]()
    with watch.watching(), unfused(), Count(watch) as count:
        def progress(step: int, of: int, loss: float) -> None:
            if step > WARM:             # most models do the same at every step: kept once
                same = bool(found) and found[-1] == count.products
                found.append(found[-1] if same else list(count.products))
            count.products.clear()

        trained(shortened(recipe, WARM + steps), progress)
    return found


def operations(products: list[Product]) -> int:
    return sum(p.flop for p in products)


def formula(recipe: Recipe) -> int:
    """Operations of one step of a GPT, from its shapes alone.

    Forward every matrix takes 2 operations a weight and token, backward twice that. Each
    of scores and mixing takes 2 T T times the heads' width, and again twice that back.
    Muon: five rounds of X X' (a a b multiply-adds), S S (a a a) and S X (a a b) for a
    matrix of a x b, a <= b.
    """
    cfg: GPTConfig = recipe.config
    rows, length = recipe.training.batch, recipe.training.length
    matrices = {name: shape for name, shape in cfg.tensor_shapes().items()
                if len(shape) == 2 and name not in ("wte.weight", "wpe.weight",
                                                    "lm_head.weight")}
    weights = sum(a * b for a, b in matrices.values()) + cfg.vocab_size * cfg.width
    attention = cfg.n_layer * 2 * rows * length * length * cfg.q_width
    muon = 0
    if recipe.training.optimizer == "muon":
        for unit in tiny_gpt.muon_units(tiny_gpt.TinyGPT(cfg)):
            a, b = sorted((sum(p.shape[0] for p in unit), unit[0].shape[1]))
            muon += 5 * (2 * a * a * b + a * a * a)
    return 6 * (weights * rows * length + attention) + 2 * muon


# --- rates ----------------------------------------------------------------------------

def rates(call: Callable[[], Any], flop: int, runs: int = 9) -> list[float]:
    """GFLOP/s of each of some runs of at least 20 ms of CPU time."""
    call()
    start = time.process_time()
    call()
    inner = max(1, int(0.02 / max(time.process_time() - start, 1e-6)))
    found = []
    for _ in range(runs):
        start = time.process_time()
        for _ in range(inner):
            call()
        found.append(flop * inner / (time.process_time() - start) / 1e9)
    return found


def square(n: int, runs: int = 9) -> list[float]:
    """GFLOP/s of torch.mm on n x n float32 matrices."""
    a, b, out = torch.randn(n, n), torch.randn(n, n), torch.empty(n, n)
    return rates(lambda: torch.mm(a, b, out=out), 2 * n ** 3, runs)


def ready(product: Product) -> Callable[[], Any]:
    """The product on tensors of its own with the same shapes and strides."""
    args = [a.filled() if isinstance(a, Blank) else a for a in product.args]
    kwargs = dict(product.kwargs)
    return lambda: product.call(*args, **kwargs)


@torch.no_grad()
def alone(products: list[Product], passes: int = 20) -> list[float]:
    """CPU seconds of all products one after the other, and nothing else; each pass."""
    calls, found = [ready(p) for p in products], []
    for _ in range(passes + 1):
        start = time.process_time()
        for call in calls:
            call()
        found.append(time.process_time() - start)
    return found[1:]


# --- one model ------------------------------------------------------------------------

def measured(recipe: Recipe, products: list[list[Product]], steps: int) -> dict[str, Any]:
    """One round: steps of the trainer, then the products of some of them alone."""
    took = timed(recipe, steps)
    chosen = products[::max(1, len(products) // SAMPLE)]
    passes = [alone(step) for step in chosen]
    work = operations([p for step in chosen for p in step])
    return {"ms": [1e3 * t["step"] for t in took],
            "parts": {part: [1e3 * t[part] for t in took] for part in took[0] if part != "step"},
            "alone_rate": [work / sum(p[i] for p in passes) / 1e9
                           for i in range(len(passes[0]))]}


def shares(flop: list[int], ms: list[float], alone_rate: list[float],
           large: float) -> dict[str, Any]:
    """What a step reaches, and what of the two rates that is.

    Step by step: where lengths are drawn, the shortest step is not the best.
    """
    each = [f / t / 1e6 for f, t in zip(flop, ms, strict=True)]
    reached, own = statistics.median(each), statistics.median(alone_rate)
    return {"gflop": statistics.mean(flop) / 1e9, "ms": spread(ms), "gflop_s": reached,
            "best_gflop_s": max(each),
            "alone_gflop_s": {**spread(alone_rate, 1)},
            "of_large": reached / large, "of_alone": reached / own,
            "alone_of_large": own / large}


def split(products: list[list[Product]], parts: dict[str, list[float]]) -> dict[str, Any]:
    """Each part of a step: its operations, its time, and its products' time alone."""
    found = {}
    for part, ms in parts.items():
        own = [p for p in products[0] if p.part == part]
        found[part] = {"gflop": operations(own) / 1e9, "ms": spread(ms),
                       "alone_ms": 1e3 * statistics.median(alone(own)) if own else 0.0}
    return found


def by_shape(products: list[Product]) -> list[dict[str, Any]]:
    """The different products of a step, the heaviest first, each with its own rate."""
    kinds: dict[Any, list[Product]] = {}
    for p in products:
        kinds.setdefault((p.call.overloadpacket, p.args[:3], p.part), []).append(p)
    found = []
    with torch.no_grad():
        for (call, _, part), same in kinds.items():
            found.append({"product": same[0].shapes(), "call": str(call).rpartition(".")[2],
                          "part": part, "times": len(same), "flop": operations(same),
                          "gflop_s": spread(rates(ready(same[0]), same[0].flop), 1)})
    return sorted(found, key=lambda row: -row["flop"])


def by_operator(recipe: Recipe, steps: int) -> dict[str, float]:
    """Share of the profiled time that each operator takes itself, the largest first."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU]) as run:
        trained(shortened(recipe, steps), lambda *_: None)
    own = {e.key: e.self_cpu_time_total for e in run.key_averages()}
    total = sum(own.values())
    return {key: own[key] / total for key in sorted(own, key=lambda k: -own[k])[:16]}


# --- ways to make it faster -----------------------------------------------------------

def one_projection(self: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of `base` from one product instead of three."""
    w = torch.cat([self.q.weight, self.k.weight, self.v.weight])
    q, k, v = nn.functional.linear(x, w).unflatten(
        -1, (3, self.cfg.n_head, -1)).permute(2, 0, 3, 1, 4)    # each [B, h, T, w]
    return q, k, v


def fused(self: tiny_gpt.Attention, x: Tensor, hidden: Tensor,
          turn: None) -> tuple[Tensor, None]:
    """torch's fused attention; there are no maps to look at."""
    q, k, v = self.project(x)
    mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=hidden)
    return self.out(mixed.transpose(1, 2).flatten(2)), None


@torch.no_grad()
def together(self: tiny_gpt.Adam, lr: float) -> None:
    """Adam over all tensors at once (torch's foreach functions)."""
    self.count += 1
    b1, b2 = self.betas
    grown1, grown2 = 1 - b1 ** self.count, 1 - b2 ** self.count
    g: Any = [tiny_gpt.slope(p) for p in self.params]
    many: Any = torch
    many._foreach_lerp_(self.first, g, 1 - b1)
    many._foreach_mul_(self.second, b2)
    many._foreach_addcmul_(self.second, g, g, value=1 - b2)
    below = many._foreach_div(self.second, grown2)
    many._foreach_sqrt_(below)
    many._foreach_add_(below, self.eps)
    many._foreach_addcdiv_(self.params, self.first, below, value=-lr / grown1)


@torch.no_grad()
def one_stack(self: tiny_gpt.Muon, lr: float) -> None:
    """Muon with a matrix and its like lying on its side made orthogonal in one stack."""
    looked = []
    for group, average in self.groups:
        g = torch.stack([torch.cat([tiny_gpt.slope(p) for p in unit]) for unit in group])
        average.lerp_(g, 1 - self.momentum)
        looked.append(g.lerp(average, self.momentum))
    stacks: dict[tuple[int, ...], list[int]] = {}
    for i, g in enumerate(looked):
        stacks.setdefault(tuple(sorted(g.shape[1:])), []).append(i)
    for same in stacks.values():
        flat = [g.mT if g.shape[1] > g.shape[2] else g for g in (looked[i] for i in same)]
        moved = tiny_gpt.orthogonal(torch.cat(flat)).split([len(g) for g in flat])
        for i, move in zip(same, moved, strict=True):
            rows, columns = looked[i].shape[1:]
            stretch = max(1.0, rows / columns) ** 0.5
            for unit, m in zip(self.groups[i][0], move.mT if rows > columns else move,
                               strict=True):
                for p, part in zip(unit, m.split([p.shape[0] for p in unit]), strict=True):
                    p.add_(part, alpha=-lr * stretch)


@dataclasses.dataclass(frozen=True)
class Try:
    """One way: functions put in the place of others, an environment, a recipe's fields."""

    about: str
    places: tuple[tuple[Any, str, Any], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    config: tuple[tuple[str, Any], ...] = ()
    training: tuple[tuple[str, Any], ...] = ()
    flush: bool = False


MUCH = str(1 << 30)
TRIES = {
    "as it is": Try("tiny_gpt as it stands"),
    "memory kept": Try("freed memory stays with the process (two settings of glibc's malloc)",
                       environment=(("MALLOC_TRIM_THRESHOLD_", MUCH),
                                    ("MALLOC_MMAP_THRESHOLD_", MUCH))),
    "denormals flushed": Try("torch.set_flush_denormal(True)", flush=True),
    "Adam at once": Try("Adam by torch's foreach functions",
                        ((tiny_gpt.Adam, "step", together),)),
    "Muon in one stack": Try("up and down made orthogonal in one stack",
                             ((tiny_gpt.Muon, "step", one_stack),)),
    "one projection": Try("queries, keys, values in one product",
                          ((tiny_gpt.Attention, "project", one_projection),)),
    "fused attention": Try("torch's fused attention, no maps",
                           ((tiny_gpt.Attention, "forward", fused),)),
    "ReLU": Try("another model: ReLU in the place of GELU", config=(("activation", "relu"),)),
    "32 rows": Try("another training: 32 rows a step, half the steps",
                   training=(("batch", 32), ("steps", 175))),
    "64 rows": Try("another training: 64 rows a step, a quarter of the steps",
                   training=(("batch", 64), ("steps", 88))),
}


def attempt(name: str) -> dict[str, Any]:
    """One whole training of `base` in this process: milliseconds a step, digest."""
    way, recipe = TRIES[name], recipes.named("base")
    recipe = dataclasses.replace(
        recipe, config=dataclasses.replace(recipe.config, **dict(way.config)),
        training=dataclasses.replace(recipe.training, **dict(way.training)))
    if way.flush:
        torch.set_flush_denormal(True)
    ends: list[float] = []
    with contextlib.ExitStack() as stack:
        for owner, attribute, new in way.places:
            stack.enter_context(patch.object(owner, attribute, new))
        made, _ = trained(recipe, lambda *_: ends.append(time.process_time()))
    steps = [1e3 * (b - a) for a, b in zip(ends[WARM:], ends[WARM + 1:], strict=False)]
    return {"ms": statistics.median(steps), "low": min(steps),
            "rows": recipe.training.batch, "digest": model_cache.digest(made)}


def paired(first: list[float], other: list[float]) -> dict[str, float]:
    """Ratios other / first of runs taken in turn: median, lowest, highest."""
    return spread([b / a for a, b in zip(first, other, strict=True)])


def tried(rounds: int) -> dict[str, Any]:
    """All ways in turn, round by round, each beside "as it is" of its round."""
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in TRIES}
    for _ in range(rounds):
        for name, way in TRIES.items():
            command = [sys.executable, "-m", "benchmarks.training_limit", "--try", name]
            done = subprocess.run(command, env=os.environ | dict(way.environment),
                                  capture_output=True, text=True, check=True)
            runs[name].append(json.loads(done.stdout))
    base = recipes.named("base")
    usual, shipped = base.training.batch, model_cache.read(
        model_cache.SHIPPED / "base.safetensors", base, "shipped")
    cost = {name: [usual * r["ms"] / r["rows"] for r in found] for name, found in runs.items()}
    digests = {name: {r["digest"] for r in found} for name, found in runs.items()}
    return {name: {"about": way.about, "ms_16_rows": spread(cost[name]),
                   "best_ms_16_rows": min(usual * r["low"] / r["rows"] for r in runs[name]),
                   "ratio": paired(cost["as it is"], cost[name]),
                   "same_digest": digests[name] == digests["as it is"]}
            for name, way in TRIES.items()} | {
                "shipped_digest": digests["as it is"] == {shipped.digest}}


# --- all of it ------------------------------------------------------------------------

def checked(recipe: Recipe, steps: int) -> list[list[Product]]:
    """The products of each step; SystemExit where the formula says otherwise."""
    found = counted(recipe, steps)
    wrong = {operations(step) for step in found} - {formula(recipe)} if recipe.kind == "gpt" else ()
    for flop in wrong:
        raise SystemExit(f"{recipe.name}: {flop:,} operations counted, {formula(recipe):,} by "
                         "the formula")
    return found


def together_of(runs: list[dict[str, Any]], key: str) -> Any:
    """What all rounds found under a key, one after the other."""
    if isinstance(runs[0][key], dict):
        return {part: [x for r in runs for x in r[key][part]] for part in runs[0][key]}
    return [x for r in runs for x in r[key]]


def summed(products: list[list[Product]], runs: list[dict[str, Any]],
           large: float) -> dict[str, Any]:
    """The rounds of one model put together."""
    flop = [operations(step) for step in products]
    optimizer = sum(p.flop for step in products for p in step if p.part in ("Muon", "Adam"))
    return {**shares(flop * len(runs), together_of(runs, "ms"), together_of(runs, "alone_rate"),
                     large),
            "optimizer_share": optimizer / sum(flop),
            "parts_ms": {part: spread(ms) for part, ms in together_of(runs, "parts").items()}}


# --- tables ---------------------------------------------------------------------------

def model_row(name: str, m: dict[str, Any], large: float) -> str:
    ms, best, own = m["ms"], m["best_gflop_s"], m["alone_gflop_s"]
    return (f"| `{name}` | {1e3 * m['gflop']:,.1f} | {ms['median']:.2f} | {ms['low']:.2f} to "
            f"{ms['high']:.2f} | {m['gflop_s']:.1f} | {best:.1f} | {100 * m['of_large']:.0f} % | "
            f"{100 * best / large:.0f} % | {own['median']:.0f} | {own['high']:.0f} | "
            f"{100 * m['of_alone']:.0f} % | {100 * best / own['high']:.0f} % |")


def tables(found: dict[str, Any], names: list[str] | None = None) -> str:
    """Everything measured as Markdown, or the models of these names only."""
    lines = ["| n x n | best GFLOP/s | median | least |", "|---:|---:|---:|---:|"]
    lines += [f"| {n} | {r['high']:.0f} | {r['median']:.0f} | {r['low']:.0f} |"
              for n, r in found["squares"].items()]
    large = found["settings"]["large_gflop_s"]
    lines += ["", "| model | MFLOP a step | ms a step | least to most | GFLOP/s | best step | "
              "of large | best step | alone, GFLOP/s | best | of alone | best of best |",
              "|---|" + "---:|" * 11]
    lines += [model_row(name, m, large) for name, m in found["models"].items()
              if not names or name in names]
    if names:
        return "\n".join(lines)
    base = found["base"]
    lines += ["", "| part of a step of `base` | MFLOP | ms | least to most | its products alone, "
              "ms | all else, ms |", "|---|" + "---:|" * 5]
    for part, p in base["parts"].items():
        ms = p["ms"]
        lines.append(f"| {part} | {1e3 * p['gflop']:.1f} | {ms['median']:.2f} | {ms['low']:.2f} "
                     f"to {ms['high']:.2f} | {p['alone_ms']:.2f} | "
                     f"{ms['median'] - p['alone_ms']:.2f} |")
    lines += ["", "| product of `base` | part | times | share of operations | best GFLOP/s | "
              "median |", "|---|---|" + "---:|" * 4]
    total = sum(row["flop"] for row in base["products"])
    lines += [f"| {row['product']} | {row['part']} | {row['times']} | "
              f"{100 * row['flop'] / total:.1f} % | {row['gflop_s']['high']:.0f} | "
              f"{row['gflop_s']['median']:.0f} |" for row in base["products"]]
    lines += ["", "| operator | share of the time |", "|---|---:|"]
    lines += [f"| {name} | {100 * share:.1f} % |" for name, share in base["operators"].items()]
    lines += ["", "| way | ms for 16 rows | times as it is | least to most | best step, ms | "
              "times as it is | same weights |", "|---|" + "---:|" * 5 + "---|"]
    usual = base["tries"]["as it is"]["best_ms_16_rows"]
    for name, t in base["tries"].items():
        if isinstance(t, dict):
            to, best = t["ratio"], t["best_ms_16_rows"]
            lines.append(f"| {name} | {t['ms_16_rows']['median']:.2f} | {to['median']:.2f} | "
                         f"{to['low']:.2f} to {to['high']:.2f} | {best:.2f} | {best / usual:.2f} | "
                         f"{'yes' if t['same_digest'] else 'no'} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tries", type=int, default=5, help="rounds of the ways")
    parser.add_argument("--try", dest="way", choices=tuple(TRIES), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    if asked.way:
        print(json.dumps(attempt(asked.way)))
        return
    importlib.import_module("torch._dynamo")    # torch.optim would, inside a clock
    chosen = {name: recipes.named(name) for name in asked.names or recipes.RECIPES}
    products = {name: checked(recipe, asked.steps) for name, recipe in chosen.items()}
    rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in chosen}
    squares: dict[int, list[float]] = {n: [] for n in SQUARES}
    for _ in range(asked.rounds):               # in turn: another load meets all of them
        for n in SQUARES if not asked.names else ():
            squares[n] += square(n)
        for name, recipe in chosen.items():
            rounds[name].append(measured(recipe, products[name], asked.steps))
    if asked.names:
        found = json.loads(RESULT.read_text(encoding="utf-8"))
        large = found["settings"]["large_gflop_s"]
    else:
        large = max(squares[SQUARES[-1]])
        found = {"machine": machine.described(threads=1),
                 "settings": {"steps": asked.steps, "warm": WARM, "rounds": asked.rounds,
                              "tries": asked.tries, "dtype": "float32", "large": SQUARES[-1],
                              "large_gflop_s": large},
                 "squares": {str(n): spread(r, 1) for n, r in squares.items()}, "models": {}}
    found |= {"date": datetime.date.today().isoformat(), "versions": model_cache.versions()}
    for name, runs in rounds.items():
        found["models"][name] = {"kind": chosen[name].kind,
                                 **summed(products[name], runs, large)}
    if not asked.names:
        rows, runs = by_shape(products["base"][0]), rounds["base"]
        found["base"] = {
            "each_at_its_best_ms": sum(r["flop"] / r["gflop_s"]["high"] for r in rows) / 1e6,
            "parts": split(products["base"], together_of(runs, "parts")),
            "products": rows, "operators": by_operator(chosen["base"], WARM + asked.steps),
            "tries": tried(asked.tries)}
    print(tables(found, asked.names))
    RESULT.write_text(json.dumps(making.rounded(found), indent=1, allow_nan=False) + "\n",
                      encoding="utf-8")


if __name__ == "__main__":
    main()
