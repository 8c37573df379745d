"""The tables of README.md beside this file, made from the JSON files: `python -m benchmarks.readme`

Each table stands between <!-- NAME --> and <!-- /NAME -->; what is between is replaced. No
number there is typed by hand, and tests/test_readme.py sees when a page is older than its JSON.
"""

from __future__ import annotations

import importlib
import json
import re
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lecture import records

HERE = Path(__file__).resolve().parent
PAGE = HERE / "README.md"


def read(name: str) -> Any:
    """The document a benchmark has written."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def table(head: str, rows: Iterable[Iterable[str]]) -> str:
    """Markdown: the first column to the left, the others to the right."""
    columns = head.split("|")
    lines = ["| " + " | ".join(c.strip() for c in columns) + " |",
             "|---|" + "---:|" * (len(columns) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def spread(values: Iterable[float | None], form: str) -> str:
    """Least to most of what there is."""
    there = [v for v in values if v is not None]
    return f"{min(there):{form}} to {max(there):{form}}" if there else "none"


NAMES = {"ours": "ours: Muon, packed documents",
         "gpt2": "transformers GPT2LMHeadModel, AdamW 1e-3, warm-up 100",
         "encoder": "torch.nn.TransformerEncoder, AdamW 1e-3, warm-up 100"}


def learners(group: str, first: str) -> str:
    """Seconds, steps and tokens of each way to train, beside the first."""
    found = read("base_recipe")[group]
    return table("|seconds|spread|times ours|steps|tokens|reached", (
        [NAMES.get(name, name), f"{r['seconds']:.1f}", spread(r["all_seconds"], ".1f"),
         f"{r['seconds'] / found[first]['seconds']:.1f}", f"{r['steps']:,.0f}",
         f"{r['tokens']:,.0f}", f"{r['reached']} of {r['seeds']}"] for name, r in found.items()))


def startup() -> str:
    """Whole processes, then the ratios of pairs."""
    found = read("startup")
    whole = table("|median, s|least to most", (
        [name, f"{median:.3f}", spread(found["least_and_most"][name], ".3f")]
        for name, median in found["median_seconds"].items()))
    return whole + "\n\n" + table("ratio|median|least to most", (
        [name, f"{statistics.median(pairs):.2f}", spread(pairs, ".2f")]
        for name, pairs in found["ratios"].items()))


def demos() -> str:
    """Every demo whole, beside the bare imports of the same round."""
    every = read("startup")["demos"]
    return table("demo|median, s|least to most|times bare imports", (
        [code, f"{statistics.median(found):.2f}", spread(found, ".2f"), format(statistics.median(
            whole / bare for whole, bare in zip(found, every["bare"], strict=True)), ".1f")]
        for code, found in every.items()))


def bpe() -> str:
    """Three ways to the same merges."""
    found = read("bpe")["results"]
    return table("|CPU seconds|times tokenizers|memory above start", (
        [name, f"{found[name]['cpu_seconds']:.3f}", f"{found[name]['times_tokenizers']:.1f}",
         f"{found[name]['memory_bytes'] / 1e6:.1f} MB"]
        for name in ("tokenizers", "ours", "recounting")))


def grouped_heads() -> str:
    """One decoding step over caches of several sizes."""
    return table("words|key-value heads|cache|copied, microseconds|in place", (
        [f"{r['words']:,}", str(r["groups"]), f"{r['cache_bytes'] / 1e6:.2f} MB",
         f"{r['copies_us']:,.0f}", f"{r['in_place_us']:,.0f}"]
        for r in read("grouped_heads")["results"]))


def attention_cost() -> str:
    """The record demo 11 shows."""
    found = records.read("attention_cost")
    return table(f"way|exponent|spread|ms at {found['lengths'][-1]:,}|peak MB", (
        [name, f"{way['exponent']['best']:.2f}",
         f"{way['exponent']['low']:.2f} to {way['exponent']['high']:.2f}",
         f"{way['ms'][-1]['median']:.0f}", f"{way['process_mb'][-1]:.0f}"]
        for name, way in found["ways"].items()))


def train_times() -> str:
    """The sum only: the table stands in the README of the project."""
    seconds = read("train_times")["seconds"]
    return (f"{len(seconds)} models, {sum(seconds.values()):.0f} CPU seconds in all on one thread, "
            f"median {statistics.median(seconds.values()):.1f}.")


def retrain() -> str:
    """Claims over other seeds."""
    from benchmarks import retrain as topic
    from lecture.prove.sweep import Share

    found = read("retrain")
    return topic.table([Share(c["place"], c["claim"], tuple(c["margins"]))
                        for c in found["claims"]], found["seeds"])


def own(name: str) -> Callable[[], str]:
    """The table a benchmark makes itself from its document."""
    return lambda: str(importlib.import_module(f"benchmarks.{name}").tables(read(name))).strip()


TABLES: dict[str, Callable[[], str]] = {
    "race": lambda: learners("race", "ours"),
    "ablation": lambda: learners("ablation", "frozen recipe"),
    "startup": startup, "demos": demos, "bpe": bpe, "grouped_heads": grouped_heads,
    "attention_cost": attention_cost, "train_times": train_times, "retrain": retrain,
    "training_limit": own("training_limit"), "growth": own("growth"),
    "attention_reference": own("attention_reference"), "falsehoods": own("falsehoods"),
    "phones": own("phones"), "mistakes": own("mistakes"),
}


def filled(page: str) -> str:
    """The page with each table made anew."""
    def made(found: re.Match[str]) -> str:
        name = found[1]
        return f"<!-- {name} -->\n\n{TABLES[name]()}\n\n<!-- /{name} -->"

    return re.sub(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", made, page, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
