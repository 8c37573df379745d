"""An encoder-decoder in torch: what turns pairs of sequences into weights?

The encoder reads the source word by word; its last state starts the decoder, which
learns to say the next target word from the true words so far (teacher forcing). With
`attention` it also looks back at all of the encoder's states. With `own_share` it is
fed its own likeliest word now and then, more and more often as training goes on:
scheduled sampling (Bengio and others 2015).

Unlike `lecture/models/seq2seq_np.py` this room knows gradients; the two share names of tensors
and not a line of code. torch's own cells do the work, so the NumPy room is checked
against a library and not against a sister. Left out: padding (rows of a batch have
one length), layers, beams, more than one thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lecture.data import tasks
from lecture.models.recipes import Recipe, Seq2SeqConfig

CELLS: dict[str, Any] = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}
Progress = Callable[[int, int, float], None]


class EncoderDecoder(nn.Module):
    """`model(source, inputs)[0]` are logits [B, m, V]; both are [B, .] int64."""

    def __init__(self, cfg: Seq2SeqConfig, seed: int = 0):
        super().__init__()
        self.cfg = cfg
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.embed = nn.Embedding(cfg.vocab_size, cfg.embed)
            self.encoder, self.decoder = (
                CELLS[cfg.cell](cfg.embed, cfg.width, batch_first=True) for _ in range(2))
            if cfg.attention:
                self.look = nn.Linear(cfg.width, cfg.width, bias=False)
                self.mix = nn.Linear(2 * cfg.width, cfg.width, bias=False)
            self.out = nn.Linear(cfg.width, cfg.vocab_size)
        if cfg.cell == "lstm":
            for side in (self.encoder, self.decoder):
                with torch.no_grad():
                    side.bias_ih_l0[cfg.width:2 * cfg.width] += cfg.forget_bias

    def finish(self, h: Tensor, memory: Tensor) -> tuple[Tensor, Tensor | None]:
        """States [B, m, w] and memory [B, n, w] -> logits [B, m, V], weights."""
        if not self.cfg.attention:
            return self.out(h), None
        scores = self.look(h) @ memory.transpose(1, 2)          # [B, m, n]
        weights = F.softmax(scores / math.sqrt(self.cfg.width), dim=-1)
        found = weights @ memory                                # [B, m, w]
        return self.out(torch.tanh(self.mix(torch.cat([found, h], -1)))), weights

    def forward(self, source: Tensor, inputs: Tensor) -> tuple[Tensor, Tensor | None]:
        """Teacher forcing: every true word is an input, all steps in one call."""
        memory, state = self.encoder(self.embed(source))
        h, _ = self.decoder(self.embed(inputs), state)
        return self.finish(h, memory)

    def sampled(self, source: Tensor, inputs: Tensor, own: Tensor) -> Tensor:
        """As `forward`, but where own [B, m] is True its own word is the input."""
        memory, state = self.encoder(self.embed(source))
        word, logits = inputs[:, :1], list[Tensor]()
        for t in range(inputs.shape[1]):
            if t:
                said = logits[-1].detach().argmax(-1)           # [B, 1]
                word = torch.where(own[:, t:t + 1], said, inputs[:, t:t + 1])
            h, state = self.decoder(self.embed(word), state)
            logits.append(self.finish(h, memory)[0])            # [B, 1, V]
        return torch.cat(logits, dim=1)


def split(ids: np.ndarray, mask: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
    """Rows "source bos target eos" -> source, decoder inputs, what it must say.

    The loss begins at bos, so the first True column of the mask is where it stands.
    """
    start = int(mask[0].argmax())
    rows = torch.from_numpy(ids)
    return rows[:, :start], rows[:, start:-1], rows[:, start + 1:]


def train(recipe: Recipe, progress: Progress | None = None,
          ) -> tuple[dict[str, np.ndarray], list[dict[str, float]]]:
    """Train a recipe of kind "seq2seq": (tensors by name, history). One thread.

    `progress(step, steps, loss)` is told after every step.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _train(recipe, progress)
    finally:
        torch.set_num_threads(threads)


def _train(recipe: Recipe, progress: Progress | None,
           ) -> tuple[dict[str, np.ndarray], list[dict[str, float]]]:
    plan, model = recipe.training, EncoderDecoder(recipe.config, recipe.seed)
    make, sizes = tasks.named(recipe.data.task), dict(recipe.data.sizes)
    rng = np.random.default_rng(recipe.seed)
    coins = np.random.default_rng([recipe.seed, 1])     # twins draw the same data
    adam = torch.optim.Adam(model.parameters(), lr=plan.lr)
    history = []
    for step in range(plan.steps):
        source, inputs, targets = split(*make(rng, plan.batch, **sizes))
        share = plan.own_share * step / plan.steps
        if share > 0:
            own = torch.from_numpy(coins.random(tuple(inputs.shape)) < share)
            logits = model.sampled(source, inputs, own)
        else:
            logits = model(source, inputs)[0]
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        model.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), plan.clip)
        left = (plan.steps - step) / (plan.decay * plan.steps)
        for group in adam.param_groups:
            group["lr"] = plan.lr * min(1.0, left)
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


def from_tensors(cfg: Seq2SeqConfig, weights: dict[str, np.ndarray],
                 dtype: torch.dtype = torch.float32) -> EncoderDecoder:
    """A model in evaluation mode with these weights; every name must be there."""
    model = EncoderDecoder(cfg).to(dtype)
    model.load_state_dict({name: torch.tensor(w, dtype=dtype)
                           for name, w in weights.items()})     # strict, always
    return model.eval()
