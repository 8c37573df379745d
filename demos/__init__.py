"""Which demos are there?  One registry, checked against the disk, pins and README.

Nothing heavy: `lecture list`, completion and `--help` read this and no demo.
"""

from __future__ import annotations

import importlib
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lecture import TOP
from lecture.errors import UsageProblem
from lecture.report import Part, T


@dataclass(frozen=True)
class Entry:
    """One demo: its number, its short name, its title; its folder is loaded late."""

    number: int
    name: str
    title: T
    minutes: tuple[int, ...] = ()           # planned, part by part; their notes say the same

    @property
    def module(self) -> str:
        return f"demos.d{self.number:02d}_{self.name}"

    @property
    def folder(self) -> Path:
        return Path(TOP, *self.module.split("."))

    @property
    def code(self) -> str:
        return f"{self.number:02d}"

    def parts(self) -> tuple[Part, ...]:
        """The demo's parts; imports the demo's folder and what it needs."""
        parts: tuple[Part, ...] = importlib.import_module(self.module).PARTS
        return parts

    def opening(self) -> tuple[Any, ...]:
        """Blocks below the title: what the demo asks, how to read it, its sources."""
        found: tuple[Any, ...] = getattr(importlib.import_module(self.module), "OPENING", ())
        return found


REGISTRY = (
    Entry(1, "tokens", T("分词：一对一对地合并，新词，字节",
                         "Tokens: pairs joined one by one, new words, bytes"), (4, 8, 6, 4)),
    Entry(2, "embeddings", T("词嵌入：one-hot、PPMI 与 SVD、一个词两种上下文",
                             "Embeddings: one-hot, PPMI and SVD, one word in two contexts"),
          (3, 8, 6, 6)),
    Entry(3, "seq2seq", T("序列到序列：一条链，一个瓶颈，自由生成",
                          "Sequence to sequence: a chain, a bottleneck, living on one's words"),
          (8, 3, 8, 8)),
    Entry(4, "attention", T("注意力：软查找、√d、因果掩码、归纳头、迷你 GPT",
                            "Attention: soft look-up, √d, causal mask, induction head, tiny GPT"),
          (6, 8, 6, 10, 10)),
    Entry(5, "qkv", T("查询、键、值：三个角色，共用矩阵，一个头的形状",
                      "Query, key, value: three roles, shared matrices, the shapes of a head"),
          (7, 10, 5)),
    Entry(6, "masks", T("掩码：谁可以看谁，看见答案会怎样",
                        "Masks: who may look at whom, and what seeing the answer does"),
          (6, 8, 5, 5, 10)),
    Entry(7, "positions", T("位置：看不见次序，正弦，RoPE，比训练时更长",
                            "Positions: blind to order, sines, RoPE, longer than trained"),
          (5, 6, 8, 10)),
    Entry(8, "heads", T("多头：两个答案、代词、参数、秩、共用键值",
                        "Heads: two answers, a pronoun, parameters, ranks, shared keys, values"),
          (10, 10, 5, 7, 6)),
    Entry(9, "depth", T("深度：梯度，残差，归一化，参数在哪里",
                        "Depth: gradients, residuals, norms, where the parameters are"),
          (8, 6, 5, 8)),
    Entry(10, "translation", T("翻译：编码器–解码器、逐步、束搜索、你自己的模型",
                               "Translation: encoder-decoder, step by step, beams, your own"),
          (8, 8, 7, 3)),
    Entry(11, "cost", T("代价：n·n·d、显存、三条出路、RNN 还是 Transformer、KV 缓存",
                        "Cost: n·n·d, memory, three ways out, RNN or Transformer, KV cache"),
          (8, 10, 12, 8, 6)),
    Entry(12, "induction_grows", T("归纳头长出来：一跳，同一个电路，不给位置，切掉，掺重复",
                                   "An induction head grows: the jump, the circuit, the cuts"),
          (8, 7, 6, 8, 6, 4)),
    Entry(13, "calibration", T("校准：它有多大把握，又有多对",
                               "Calibration: how sure it is, and how often right"), (6, 10, 7, 7)),
    Entry(14, "where_the_fact_is", T("事实在哪里：正着问、反着问，提前读，搬，拿掉，改写",
                                     "Where the fact is: reversed, read early, moved, rewritten"),
          (5, 8, 6, 6, 5)),
    Entry(15, "text_to_next_word", T("从一句话到下一个词：每一站的数，哪一站可以关，全课地图",
                                     "From text to next word: each stage, which can go, the map"),
          (6, 6, 5, 3, 3)),
)


def find(text: str, registry: tuple[Entry, ...] = REGISTRY) -> tuple[Entry, ...]:
    """The demos a user means by 04, 4, attention or all.

    Raises UsageProblem, with the valid ones listed, for anything else: 4.0, 1_0,
    0x4 and -4 are no demo numbers, though Python would read some of them as one.
    """
    word = unicodedata.normalize("NFKC", text).strip().lower()
    if word == "all":
        return registry
    for entry in registry:
        if word == entry.name or (re.fullmatch("[0-9]+", word) and int(word[-9:]) == entry.number
                                  and not word[:-9].strip("0")):
            return (entry,)
    valid = ", ".join(f"{e.code} {e.name}" for e in registry)
    raise UsageProblem(f"there is no demo {text!r}", f"choose one of: {valid}, or all")
