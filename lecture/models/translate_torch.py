"""A Transformer encoder-decoder in torch: what turns pairs of sentences into a translator?

The encoder reads all source words at once and leaves one vector for each. The decoder
learns to say the next target word from the true words so far (teacher forcing), looking
back at its own words under a causal mask and across at the encoder's vectors. Rows of a
batch have different lengths: padding is masked in the encoder, in the decoder, and where
the decoder looks across, and counts for nothing in the loss.

Unlike `lecture/models/seq2seq_torch.py` nothing is recurrent and all target words are scored in
one pass. Unlike `lecture/models/translate_np.py` this room knows gradients; the two share names
of tensors and not a line of code. The attention is torch's own fused one; maps are made
only when they are asked for. Left out: dropout, label smoothing, more than one thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lecture.models.recipes import Recipe, TranslateConfig

Progress = Callable[[int, int, float], None]
PAD, BOS, EOS = 0, 1, 2


class Attention(nn.Module):
    """Queries from one sequence, keys and values from another (or the same)."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor, maps: list[Tensor] | None
                ) -> Tensor:
        """x [B, m, d] looks at memory [B, n, d]; mask [B or 1, 1, m or 1, n], True = may."""
        q, k, v = (made.unflatten(-1, (self.heads, -1)).transpose(1, 2) for made in
                   (self.q(x), self.k(memory), self.v(memory)))     # [B, h, ., w]
        found = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        if maps is not None:
            scores = torch.einsum("bhmw,bhnw->bhmn", q, k) / math.sqrt(q.shape[-1])
            maps.append(scores.masked_fill(~mask, -torch.inf).softmax(-1))
        return self.out(found.transpose(1, 2).flatten(-2))          # [B, m, d]


class FeedForward(nn.Module):
    def __init__(self, width: int, inner: int):
        super().__init__()
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(torch.relu(self.up(x)))


class Layer(nn.Module):
    """Two sub-layers in the encoder, three in the decoder; Add & Norm after each."""

    def __init__(self, cfg: TranslateConfig, side: str):
        super().__init__()
        for number, kind in enumerate(cfg.sub_layers(side), 1):
            made = FeedForward(cfg.width, cfg.d_ff) if kind == "ff" else \
                Attention(cfg.width, cfg.n_head)
            self.add_module(kind, made)
            self.add_module(f"norm{number}", nn.LayerNorm(cfg.width))
        self.kinds = cfg.sub_layers(side)

    def forward(self, x: Tensor, own: Tensor, memory: Tensor | None = None,
                across: Tensor | None = None, maps: dict[str, list[Tensor]] | None = None
                ) -> Tensor:
        for number, kind in enumerate(self.kinds, 1):
            part = self.get_submodule(kind)
            keep = None if maps is None or kind == "ff" else maps.setdefault(kind, [])
            if kind == "self":
                made = part(x, x, own, keep)
            elif kind == "cross":
                made = part(x, memory, across, keep)
            else:
                made = part(x)
            x = self.get_submodule(f"norm{number}")(x + made)
        return x


class Translator(nn.Module):
    """`model(source, inputs)` are logits [B, m, V]; both are [B, .] int64, 0 is padding."""

    def __init__(self, cfg: TranslateConfig, seed: int = 0):
        super().__init__()
        self.cfg = cfg
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.source = nn.Embedding(cfg.source_words, cfg.width)
            self.target = nn.Embedding(cfg.target_words, cfg.width)
            self.encoder = nn.ModuleList(Layer(cfg, "encoder") for _ in range(cfg.encoder_layers))
            self.decoder = nn.ModuleList(Layer(cfg, "decoder") for _ in range(cfg.decoder_layers))
            self.out = nn.Linear(cfg.width, cfg.target_words)
            for name, p in self.named_parameters():
                if p.ndim == 2:
                    if name in ("source.weight", "target.weight"):
                        nn.init.normal_(p, std=cfg.width ** -0.5)
                    else:
                        nn.init.xavier_uniform_(p)
        place = torch.arange(cfg.context, dtype=torch.float64)[:, None]
        pair = torch.arange(0, cfg.width, 2, dtype=torch.float64) / cfg.width
        angle = place / 10000.0 ** pair                             # [context, d / 2]
        waves = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
        self.waves = waves                      # float64 whatever the weights are

    def embed(self, table: nn.Embedding, ids: Tensor) -> Tensor:
        x = table(ids) * math.sqrt(self.cfg.width)                  # [B, n, d]
        return x + self.waves[:ids.shape[1]].to(x.dtype)

    def forward(self, source: Tensor, inputs: Tensor,
                maps: dict[str, dict[str, list[Tensor]]] | None = None) -> Tensor:
        """Teacher forcing. maps, if given, gets {"encoder": {"self": [..]}, ..}."""
        sides = ({}, {}) if maps is None else (maps.setdefault("encoder", {}),
                                               maps.setdefault("decoder", {}))
        told = None if maps is None else sides
        real = (source != PAD)[:, None, None, :]                    # [B, 1, 1, n]
        x = self.embed(self.source, source)
        for layer in self.encoder:
            x = layer(x, real, maps=told and told[0])
        if self.cfg.pooled:
            each = real[:, 0, 0, :, None].to(x.dtype)               # [B, n, 1]
            x = (x * each).sum(1, keepdim=True) / each.sum(1, keepdim=True)     # [B, 1, d]
            real = real.any(-1, keepdim=True)                       # [B, 1, 1, 1]
        m = inputs.shape[1]
        past = torch.ones(m, m, dtype=torch.bool).tril()            # [m, m]
        own = past & (inputs != PAD)[:, None, None, :]              # [B, 1, m, m]
        y = self.embed(self.target, inputs)
        for layer in self.decoder:
            y = layer(y, own, x, real, maps=None if told is None else told[1])
        return self.out(y)


def padded(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """Rows of ids of different lengths as one array [B, longest], 0 behind."""
    made = np.full((len(rows), max(map(len, rows))), PAD)
    for row, ids in zip(made, rows, strict=True):
        row[:len(ids)] = ids
    return made


def train(recipe: Recipe, progress: Progress | None = None,
          ) -> tuple[dict[str, np.ndarray], list[dict[str, float]]]:
    """Train a recipe of kind "translate": (tensors by name, history). One thread.

    `progress(step, steps, loss)` is told after every step.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _train(recipe, progress)
    finally:
        torch.set_num_threads(threads)


def _pairs(recipe: Recipe) -> tuple[list[list[int]], list[list[int]]]:
    corpus, cfg = recipe.data.corpus(), recipe.config
    if (len(corpus.source_words), len(corpus.target_words)) != (cfg.source_words,
                                                                cfg.target_words):
        raise ValueError(f"{recipe.name}: the corpus has {len(corpus.source_words)} and "
                         f"{len(corpus.target_words)} words, the config says otherwise")
    to, into = ({w: i for i, w in enumerate(words)} for words in
                (corpus.source_words, corpus.target_words))
    return ([[to[w] for w in p.source] for p in corpus.trained_on],
            [[BOS, *(into[w] for w in p.target), EOS] for p in corpus.trained_on])


def _train(recipe: Recipe, progress: Progress | None,
           ) -> tuple[dict[str, np.ndarray], list[dict[str, float]]]:
    plan, model = recipe.training, Translator(recipe.config, recipe.seed)
    sources, targets = _pairs(recipe)
    rng = np.random.default_rng(recipe.seed)
    adam = torch.optim.Adam(model.parameters(), lr=plan.lr, betas=(0.9, 0.98))
    history = []
    for step in range(plan.steps):
        chosen = rng.integers(len(sources), size=plan.batch)
        source = torch.from_numpy(padded([sources[i] for i in chosen]))
        target = torch.from_numpy(padded([targets[i] for i in chosen]))
        logits = model(source, target[:, :-1])                      # [B, m, V]
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(),
                               ignore_index=PAD)
        model.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), plan.clip)
        left = (plan.steps - step) / (plan.decay * plan.steps)
        for group in adam.param_groups:
            group["lr"] = plan.lr * min(1.0, left, (step + 1) / plan.warmup)
        adam.step()
        value = loss.item()
        if step % plan.log_every == 0 or step == plan.steps - 1:
            history.append({"step": step + 1, "loss": value})
        if progress is not None:
            progress(step + 1, plan.steps, value)
    return tensors(model), history


def tensors(model: nn.Module) -> dict[str, np.ndarray]:
    """The weights by name, as the config's `tensor_shapes` lists them."""
    return {name: p.detach().numpy().copy() for name, p in model.named_parameters()}


def from_tensors(cfg: TranslateConfig, weights: dict[str, np.ndarray],
                 dtype: torch.dtype = torch.float32) -> Translator:
    """A model in evaluation mode with these weights; every name must be there."""
    model = Translator(cfg).to(dtype)
    model.load_state_dict({name: torch.tensor(w, dtype=dtype)
                           for name, w in weights.items()})         # strict, always
    return model.eval()
