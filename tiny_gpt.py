"""A tiny GPT in torch: what turns a corpus into weights that answer questions?

The network is the usual decoder: token and position tables, blocks of attention and
MLP around a residual stream, a last norm, and the token table again as output map.
GPTConfig's switches change or remove each of these. Training moves the matrices inside
the blocks by Muon (momentum, then the nearest orthogonal matrix), all else by Adam.

Unlike `lecture/models/gpt_np.py` this room knows gradients and knows nothing of traces and
patches; the two share names of tensors and not a line of code, so that their agreement
says something. Left out: sampling, mixed precision, more than one thread, checkpoints.
A demo does not import this file: it loads weights through `lecture.models.cache`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lecture.data import tasks
from lecture.models import cache as model_cache
from lecture.models import recipes
from lecture.models.recipes import GPTConfig, Recipe, Training
from pretrain_world import DOC, Tokenizer, World, exam, tokenizer

EPSILON = 1e-5                                  # inside the norms
INIT_STD = 0.02                                 # GPT-2's


class Norm(nn.Module):
    """Layer norm or RMS norm over the width, with a gain (and a bias)."""

    def __init__(self, cfg: GPTConfig):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(cfg.width))
        centred = cfg.norm_kind == "layer"
        self.bias = (nn.Parameter(torch.zeros(cfg.width)) if cfg.bias and centred
                     else None)
        self.centred = centred

    def forward(self, x: Tensor) -> Tensor:
        if self.centred:
            return F.layer_norm(x, x.shape[-1:], self.weight, self.bias, EPSILON)
        return F.rms_norm(x, x.shape[-1:], self.weight, EPSILON)


class Attention(nn.Module):
    """Heads that read the stream: [B, T, d] -> [B, T, d] and maps [B, h, T, T]."""

    def __init__(self, cfg: GPTConfig):
        super().__init__()
        self.cfg = cfg
        for name, rows in cfg.projections():
            setattr(self, name, nn.Linear(cfg.width, rows, bias=cfg.bias))
        self.out = nn.Linear(cfg.q_width, cfg.width, bias=cfg.bias)
        self.drop = nn.Dropout(cfg.dropout)     # a module: obeys .eval() by itself

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys, values, cut into heads: each [B, h or kv, T, w]."""
        qkv = self.cfg.qkv
        made = {name: getattr(self, name)(x) for name, _ in self.cfg.projections()}
        q = made.get("q", x)                                    # [B, T, d]
        k = q if qkv == "shared_qk" else made.get("k", x)
        v = k if qkv == "shared_kv" else made.get("v", x)
        cut = (-1, self.cfg.head_width)
        q, k, v = (a.unflatten(-1, cut).transpose(1, 2) for a in (q, k, v))
        return q, k, v

    def forward(self, x: Tensor, hidden: Tensor | None,
                turn: tuple[Tensor, Tensor] | None) -> tuple[Tensor, Tensor]:
        cfg = self.cfg
        q, k, v = self.project(x)
        if cfg.qk_norm:
            q, k = (F.rms_norm(a, a.shape[-1:], None, EPSILON) for a in (q, k))
        if turn is not None:
            q, k = rotate(q, turn, cfg), rotate(k, turn, cfg)
        if cfg.kv_heads != cfg.n_head:          # neighbours share: 0 0 1 1, not 0 1 0 1
            group = cfg.n_head // cfg.kv_heads
            k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
        if cfg.scale:
            q = q * cfg.head_width ** -0.5
        scores = q @ k.transpose(-1, -2)                        # [B, h, T, T]
        if hidden is not None:
            scores = scores + hidden
        weights = F.softmax(scores, dim=-1)
        mixed = self.drop(weights) @ v                          # [B, h, T, w]
        return self.out(mixed.transpose(1, 2).flatten(2)), weights


def rotate(x: Tensor, turn: tuple[Tensor, Tensor], cfg: GPTConfig) -> Tensor:
    """RoPE: every pair of dimensions of x [B, h, T, w] turned by its angle."""
    cos, sin = turn                                             # each [T, w/2]
    if cfg.rope_convention == "half":           # dimension j is paired with j + w/2
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
    a, b = x[..., 0::2], x[..., 1::2]           # dimension 2j is paired with 2j + 1
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


class MLP(nn.Module):
    """Each position by itself: wide, bent, narrow again."""

    def __init__(self, cfg: GPTConfig):
        super().__init__()
        self.up = nn.Linear(cfg.width, cfg.ff_width, bias=cfg.bias)
        self.down = nn.Linear(cfg.ff_width, cfg.width, bias=cfg.bias)
        self.relu = cfg.activation == "relu"

    def forward(self, x: Tensor) -> Tensor:
        up = self.up(x)                                         # [B, T, d_ff]
        return self.down(F.relu(up) if self.relu else F.gelu(up, approximate="tanh"))


class Block(nn.Module):
    """Attention, then MLP, each around the stream as the config says."""

    def __init__(self, cfg: GPTConfig):
        super().__init__()
        self.cfg = cfg
        normed = cfg.norm != "none"
        self.norm1 = Norm(cfg) if normed else None
        self.attn = Attention(cfg)
        self.norm2 = Norm(cfg) if normed and cfg.mlp else None
        self.mlp = MLP(cfg) if cfg.mlp else None
        self.drop = nn.Dropout(cfg.dropout)

    def join(self, x: Tensor, branch: Tensor, norm: Norm | None) -> Tensor:
        y = x + self.drop(branch) if self.cfg.residual else self.drop(branch)
        return norm(y) if norm is not None and self.cfg.norm == "post" else y

    def forward(self, x: Tensor, hidden: Tensor | None,
                turn: tuple[Tensor, Tensor] | None) -> tuple[Tensor, Tensor]:
        def enter(norm: Norm | None) -> Tensor:
            return norm(x) if norm is not None and self.cfg.norm == "pre" else x

        branch, weights = self.attn(enter(self.norm1), hidden, turn)
        x = self.join(x, branch, self.norm1)
        if self.mlp is not None:
            x = self.join(x, self.mlp(enter(self.norm2)), self.norm2)
        return x, weights


class TinyGPT(nn.Module):
    """`model(ids)[0]` are logits [B, T, V]; ids is [B, T] int64, T <= cfg.context."""

    def __init__(self, cfg: GPTConfig, seed: int = 0, query_key_std: float = INIT_STD):
        super().__init__()
        self.cfg = cfg
        self.wte = nn.Embedding(cfg.vocab_size, cfg.width)
        learned = cfg.positions == "learned"
        self.wpe = nn.Embedding(cfg.context, cfg.width) if learned else None
        self.drop = nn.Dropout(cfg.dropout)
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.n_layer))
        self.norm_f = Norm(cfg) if cfg.norm == "pre" else None
        self.lm_head = nn.Linear(cfg.width, cfg.vocab_size, bias=False)
        if cfg.tied:
            self.lm_head.weight = self.wte.weight
        self.reset(seed, query_key_std)

    @torch.no_grad()
    def reset(self, seed: int, query_key_std: float = INIT_STD) -> None:
        """Draw all weights: N(0, .02), biases 0, gains 1.

        The maps that write into the stream get .02 / sqrt(2 n_layer): there are that
        many of them, so their sum starts with the size of one (GPT-2). Queries and keys
        may start larger: then the heads begin with different views and part sooner.
        """
        rng = torch.Generator().manual_seed(seed)
        written = INIT_STD / math.sqrt(2 * self.cfg.n_layer)
        for name, p in self.named_parameters():
            if name.endswith("bias"):
                p.zero_()
            elif "norm" in name:
                p.fill_(1.0)
            else:
                last = name.endswith(("attn.out.weight", "mlp.down.weight"))
                look = name.endswith(("attn.q.weight", "attn.k.weight"))
                std = written if last else query_key_std if look else INIT_STD
                p.normal_(0.0, std, generator=rng)

    def forward(self, ids: Tensor, targets: Tensor | None = None,
                return_attn: bool = False, places: Tensor | None = None,
                document: Tensor | None = None) -> tuple[Any, ...]:
        """(logits, loss or None), and with `return_attn` the maps of each layer.

        targets [B, T]: the loss is their mean cross-entropy in nats; -1 counts not.
        places [B, T] and document [B, T] serve packed rows: a token's position in its
        document, and the document's number; a token sees its own document only.
        ValueError when T is longer than the context.
        """
        cfg, length = self.cfg, ids.shape[1]
        if length > cfg.context:
            raise ValueError(f"{length} tokens do not fit: this model sees at most "
                             f"{cfg.context}; leave out {length - cfg.context}")
        x = self.wte(ids)                                       # [B, T, d]
        if places is None:
            places = torch.arange(length)                       # [T]
        if self.wpe is not None:
            x = x + self.wpe(places)
        elif cfg.positions == "sinusoidal":     # Vaswani's scale for the token vectors
            x = x * math.sqrt(cfg.width) + sinusoids(cfg, x.dtype)[places]
        x = self.drop(x)
        turn = None
        if cfg.positions == "rope":             # packed rows: [B, 1, T, w/2] for h
            angles = places.to(torch.float64)[..., None] * frequencies(cfg)
            angles = angles if places.dim() == 1 else angles[:, None]
            turn = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        hidden = self.hidden(length, document, x.dtype)
        maps = []
        for block in self.blocks:
            x, weights = block(x, hidden, turn)
            maps.append(weights)
        if self.norm_f is not None:
            x = self.norm_f(x)
        logits = self.lm_head(x)                                # [B, T, V]
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(),
                                   ignore_index=-1)
        return (logits, loss, maps) if return_attn else (logits, loss)

    def hidden(self, length: int, document: Tensor | None,
               dtype: torch.dtype) -> Tensor | None:
        """0 where a query may look and -inf where not, [T, T] or [B, 1, T, T]."""
        allowed = None
        if self.cfg.causal:
            allowed = torch.ones(length, length, dtype=torch.bool).tril()
        if document is not None:
            same = (document[:, :, None] == document[:, None, :])[:, None]
            allowed = same if allowed is None else same & allowed
        if allowed is None:
            return None
        return torch.zeros(allowed.shape, dtype=dtype).masked_fill(~allowed, -math.inf)


def frequencies(cfg: GPTConfig) -> Tensor:
    """Angle a position of RoPE, radians, one for each pair of dimensions [w/2]."""
    w = cfg.head_width
    return cfg.rope_base ** (-torch.arange(0, w, 2, dtype=torch.float64) / w)


def sinusoids(cfg: GPTConfig, dtype: torch.dtype) -> Tensor:
    """sin on even columns, cos on odd ones, wavelengths 2 pi .. 2 pi 10^4: [C, d]."""
    place = torch.arange(cfg.context, dtype=torch.float64)[:, None]
    pair = torch.arange(0, cfg.width, 2, dtype=torch.float64)
    angle = place * 10000.0 ** (-pair / cfg.width)              # [C, ceil(d/2)]
    table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)
    return table[:, :cfg.width].to(dtype)


# --- data ---------------------------------------------------------------------------
Step = tuple[Tensor, Tensor, Tensor | None, Tensor | None]


def packed_rows(docs: list[np.ndarray], length: int, rng: np.random.Generator,
                ) -> list[list[np.ndarray]]:
    """All documents once, in a drawn order, put into rows of `length` steps.

    Each goes into the first open row with room; a row that nothing fits any more is
    closed when eight younger ones are open, so the order stays nearly as drawn.
    """
    rows: list[list[np.ndarray]] = []
    room: list[int] = []
    for i in rng.permutation(len(docs)):
        need = len(docs[i]) - 1
        first = max(0, len(rows) - 8)
        at = next((r for r in range(first, len(rows)) if room[r] >= need), len(rows))
        if at == len(rows):
            rows.append([])
            room.append(length)
        rows[at].append(docs[i])
        room[at] -= need
    return rows


def world_steps(recipe: Recipe, rng: np.random.Generator) -> Iterator[Step]:
    """Endless (ids, targets, places, document) of the corpus, epoch after epoch."""
    tok, train = tokenizer(recipe.data.world()), recipe.training
    docs = [np.array(tok.encode(d.text)) for d in recipe.data.documents()]
    shape = (train.batch, train.length)
    if train.packing == "stream":
        while True:
            stream = np.concatenate([docs[i] for i in rng.permutation(len(docs))])
            start = rng.integers(0, len(stream) - train.length,
                                 (len(stream) // (shape[0] * shape[1]), shape[0], 1))
            for at in start + np.arange(train.length):          # [B, T]
                yield (torch.from_numpy(stream[at]), torch.from_numpy(stream[at + 1]),
                       None, None)
    waiting: list[list[np.ndarray]] = []
    while True:
        while len(waiting) < train.batch:
            rows = packed_rows(docs, train.length, rng)
            waiting += [rows[i] for i in rng.permutation(len(rows))]
        ids, targets = np.zeros(shape, int), np.full(shape, -1)
        places, number = np.zeros(shape, int), np.full(shape, -1)
        for r, row in enumerate(waiting[:train.batch]):
            at = 0
            for n, doc in enumerate(row):
                span = slice(at, at + len(doc) - 1)
                ids[r, span], targets[r, span] = doc[:-1], doc[1:]
                first = drawn_start(recipe, len(doc) - 1, rng)
                places[r, span], number[r, span] = first + np.arange(len(doc) - 1), n
                at = span.stop
        del waiting[:train.batch]
        yield (torch.from_numpy(ids), torch.from_numpy(targets),
               torch.from_numpy(places), torch.from_numpy(number))


def drawn_start(recipe: Recipe, length: int, rng: np.random.Generator) -> int:
    """Where a document of `length` steps starts: 0 .. shift, if it fits.

    Questions about different relations differ in length. Starting all of them at 0
    would give away the relation by the position of the answer alone.
    """
    room = min(recipe.training.shift, recipe.config.context - length)
    return int(rng.integers(room + 1)) if room > 0 else 0


def task_steps(recipe: Recipe, rng: np.random.Generator) -> Iterator[Step]:
    """Endless fresh batches of a task, with targets -1 where the mask is False."""
    make, sizes = tasks.named(recipe.data.task), dict(recipe.data.sizes)
    while True:
        ids, mask, *told = make(rng, recipe.training.batch, **sizes)
        following = told[0] if told else np.roll(ids, -1, axis=1)
        targets = np.where(mask, following, -1)
        yield torch.from_numpy(ids), torch.from_numpy(targets), None, None


# --- optimisation -------------------------------------------------------------------
def orthogonal(g: Tensor, rounds: int = 5) -> Tensor:
    """The nearest (semi-)orthogonal matrices to g [n, rows, columns], roughly.

    Newton-Schulz: an odd polynomial applied to the singular values pulls them all
    towards 1. Coefficients of K. Jordan's Muon (2024): fast, ending in about .7 .. 1.2.
    """
    tall = g.shape[-2] > g.shape[-1]
    x = g.transpose(-1, -2) if tall else g                      # [n, a, b], a <= b
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(rounds):
        s = x @ x.transpose(-1, -2)                             # [n, a, a]
        x = torch.baddbmm(x, torch.baddbmm(s, s, s, beta=-4.7750, alpha=2.0315), x,
                          beta=3.4445)
    return x.transpose(-1, -2) if tall else x


def slope(p: nn.Parameter) -> Tensor:
    """A parameter's gradient; zeros where the loss does not depend on it."""
    return torch.zeros_like(p) if p.grad is None else p.grad


class Muon:
    """Momentum, made orthogonal, for matrices; equal shapes are handled as one stack.

    A unit, one matrix or several on top of each other, moves by lr x sqrt(max(1, rows /
    columns)) in all its singular directions, however small the gradient in some: rare
    facts learn as fast as frequent ones, which is what makes it quick here.
    """

    def __init__(self, units: list[list[nn.Parameter]], momentum: float):
        self.momentum = momentum
        self.groups: list[tuple[list[list[nn.Parameter]], Tensor]] = []
        stacked: dict[tuple[int, int], list[list[nn.Parameter]]] = {}
        for unit in units:
            shape = (sum(p.shape[0] for p in unit), unit[0].shape[1])
            stacked.setdefault(shape, []).append(unit)
        for shape, group in stacked.items():
            self.groups.append((group, torch.zeros(len(group), *shape)))

    @torch.no_grad()
    def step(self, lr: float) -> None:
        for group, average in self.groups:
            g = torch.stack([torch.cat([slope(p) for p in unit]) for unit in group])
            average.lerp_(g, 1 - self.momentum)                 # [n, rows, columns]
            move = orthogonal(g.lerp(average, self.momentum))   # Nesterov's look ahead
            stretch = max(1.0, g.shape[1] / g.shape[2]) ** 0.5
            for unit, m in zip(group, move, strict=True):
                for p, part in zip(unit, m.split([p.shape[0] for p in unit]),
                                   strict=True):
                    p.add_(part, alpha=-lr * stretch)


def muon_units(model: TinyGPT) -> list[list[nn.Parameter]]:
    """The matrices inside the blocks; a layer's q and k are one unit.

    Only the product of q and k means anything. Made orthogonal together, the head with
    the larger gradient keeps the larger move, so one head takes over the country and
    the other is free for the relation; apart, both learn both.
    """
    units = []
    for block in model.blocks:
        found = {n: p for n, p in block.named_parameters() if p.dim() == 2}
        pair = [found.pop(n) for n in ("attn.q.weight", "attn.k.weight") if n in found]
        units += [pair] if pair else []
        units += [[p] for p in found.values()]
    return units


class Adam:
    """Adam for tables, gains and biases.

    Ours, because `import torch.optim` brings in the compiler: 1.4 s of a training that
    takes about as long. (Kingma and Ba 2015; a test compares it with torch's.)
    """

    def __init__(self, params: list[nn.Parameter],
                 betas: tuple[float, float] = (0.9, 0.95), eps: float = 1e-8):
        self.params, self.betas, self.eps, self.count = params, betas, eps, 0
        self.first = [torch.zeros_like(p) for p in params]
        self.second = [torch.zeros_like(p) for p in params]

    @torch.no_grad()
    def step(self, lr: float) -> None:
        self.count += 1
        b1, b2 = self.betas
        grown1, grown2 = 1 - b1 ** self.count, 1 - b2 ** self.count
        for p, m, s in zip(self.params, self.first, self.second, strict=True):
            g = slope(p)
            m.lerp_(g, 1 - b1)
            s.mul_(b2).addcmul_(g, g, value=1 - b2)
            p.addcdiv_(m, (s / grown2).sqrt_().add_(self.eps), value=-lr / grown1)


def schedule(step: int, train: Training) -> float:
    """The factor on the learning rates: up, flat, down to zero in a line."""
    rise = (step + 1) / (train.warmup + 1)
    fall = (train.steps - step) / max(1.0, train.decay * train.steps)
    return min(1.0, rise, fall)


Progress = Callable[[int, int, float], None]


def train(recipe: Recipe, progress: Progress | None = None,
          watch: Callable[[int, TinyGPT], bool] | None = None,
          ) -> tuple[dict[str, np.ndarray], list[dict[str, float]]]:
    """Train a recipe of kind "gpt": (tensors by name, history). One thread, one seed.

    `progress(step, steps, loss)` is told after every step. `watch(step, model)`, for
    benchmarks, may stop the run by returning True. The same recipe gives the same bits
    on the same machine and torch; more threads would change them, so one is pinned.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng():
            torch.manual_seed(recipe.seed)                      # for dropout
            return _train(recipe, progress, watch)
    finally:
        torch.set_num_threads(threads)


def _train(recipe: Recipe, progress: Progress | None,
           watch: Callable[[int, TinyGPT], bool] | None,
           ) -> tuple[dict[str, np.ndarray], list[dict[str, float]]]:
    plan = recipe.training
    model = TinyGPT(recipe.config, recipe.seed, plan.query_key_std)
    rng = np.random.default_rng(recipe.seed)
    steps = (world_steps if hasattr(recipe.data, "world") else task_steps)(recipe, rng)
    units = muon_units(model) if plan.optimizer == "muon" else []
    muon = Muon(units, plan.momentum)
    taken = {id(p) for unit in units for p in unit}
    adam = Adam([p for p in model.parameters() if id(p) not in taken])
    history = []
    for step in range(plan.steps):
        ids, targets, places, document = next(steps)
        loss = model(ids, targets, places=places, document=document)[1]
        loss.backward()
        factor = schedule(step, plan)
        adam.step(plan.table_lr * factor)
        muon.step(plan.matrix_lr * factor)
        model.zero_grad(set_to_none=True)
        value = loss.item()
        if step % plan.log_every == 0 or step == plan.steps - 1:
            history.append({"step": step + 1, "loss": value})
        if progress is not None:
            progress(step + 1, plan.steps, value)
        if watch is not None and watch(step + 1, model):
            break
    return tensors(model), history


def tensors(model: TinyGPT) -> dict[str, np.ndarray]:
    """The weights by name, as `GPTConfig.tensor_shapes` lists them."""
    return {name: p.detach().numpy().copy() for name, p in model.named_parameters()}


def from_tensors(cfg: GPTConfig, weights: dict[str, np.ndarray],
                 dtype: torch.dtype = torch.float32) -> TinyGPT:
    """A model in evaluation mode with these weights; every name must be there."""
    model = TinyGPT(cfg).to(dtype)
    state = {name: torch.tensor(w, dtype=dtype) for name, w in weights.items()}
    if cfg.tied:
        state["lm_head.weight"] = state["wte.weight"]
    model.load_state_dict(state)                                # strict, always
    return model.eval()


@torch.no_grad()
def recall(model: TinyGPT, world: World, tok: Tokenizer, form: int = 0) -> int:
    """How many of the world's questions (4 a country) get the right word."""
    rows = [(tok.encode(p), tok.stoi[a]) for p, a, _, _ in exam(world, form)]
    longest = max(len(ids) for ids, _ in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    for r, (row, _) in enumerate(rows):         # padded on the right: no query looks
        ids[r, :len(row)] = torch.tensor(row)
    last = torch.tensor([len(row) - 1 for row, _ in rows])
    was, _ = model.training, model.eval()
    said = model(ids)[0][torch.arange(len(rows)), last].argmax(-1)
    model.train(was)
    return int((said == torch.tensor([a for _, a in rows])).sum())


@torch.no_grad()
def greedy(model: TinyGPT, ids: list[int], steps: int) -> list[int]:
    """`ids` and the `steps` likeliest next tokens, one by one, without a cache.

    ValueError, before anything is computed, when they would not fit the context.
    """
    if len(ids) + steps > model.cfg.context + 1:
        raise ValueError(f"{len(ids)} tokens and {steps} more do not fit: this model "
                         f"sees at most {model.cfg.context}")
    was, _ = model.training, model.eval()
    for _ in range(steps):
        ids = [*ids, int(model(torch.tensor([ids]))[0][0, -1].argmax())]
    model.train(was)
    return ids


def get_model(name: str = "base") -> tuple[TinyGPT, Tokenizer, dict[str, Any]]:
    """(model, tokenizer, info): shipped, cached, or trained now.

    info: "world", "history", "digest", "origin", "recipe". ValueError for a name
    without a recipe or a model that is not of a world.
    """
    recipe = recipes.named(name)
    if not hasattr(recipe.data, "world"):
        raise ValueError(f"model {name!r} was trained on a task, not on a world: "
                         f"use lecture.models.cache.load")
    world = recipe.data.world()
    weights = model_cache.load(recipe)
    info = {"world": world, "history": weights.history, "digest": weights.digest,
            "origin": weights.origin, "recipe": recipe}
    return from_tensors(recipe.config, weights.tensors), tokenizer(world), info


__all__ = ["DOC", "GPTConfig", "TinyGPT", "from_tensors", "get_model", "greedy",
           "recall", "tensors", "train"]
