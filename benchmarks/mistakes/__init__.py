"""Which mistakes are caught, and which are named?  `python -m benchmarks.mistakes`

Every mistake of the bank is tried on its demo as a student's file would be: which claims fail,
which probes, and what the diagnosis says. The bank's own code could give itself away, so that
mistakes are also made in code of another kind (other_words.py); right versions in other ways
(right_versions.py) must raise no alarm; and files nobody should be handed (hostile.py) must end.

What each mistake fails goes into lecture/prove/mistakes/fails.json, which the diagnosis reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any


def named(wanted: str, said: Sequence[Sequence[str]]) -> str:
    """How well a diagnosis names a mistake: "it", "among" several that fit, or "not"."""
    if list(map(list, said)) == [[wanted]]:
        return "it"
    return "among" if any(wanted in group for group in said) else "not"


def tables(found: dict[str, Any]) -> str:
    """Markdown: by function; then in other words, the right versions, the hostile files."""
    bank = found["bank"]
    sets = Counter((row["demo"], tuple(row["fails"])) for row in bank.values())
    claims = Counter((row["demo"], tuple(_claims(row))) for row in bank.values() if _claims(row))
    lines = ["| function | mistakes | caught | by claims | named | by the set that fails | "
             "by claims alone |", "|---|" + "---:|" * 6]
    sums, functions = [0] * 6, dict.fromkeys(key.partition(".")[0] for key in bank)
    for function in functions:
        rows = {k: r for k, r in bank.items() if k.partition(".")[0] == function}
        counts = [len(rows), sum(bool(r["fails"]) for r in rows.values()),
                  sum(bool(_claims(r)) for r in rows.values()),
                  sum(named(k, r["said"]) == "it" for k, r in rows.items()),
                  sum(sets[r["demo"], tuple(r["fails"])] == 1 for r in rows.values()),
                  sum(claims[r["demo"], tuple(_claims(r))] == 1 for r in rows.values())]
        sums = [a + b for a, b in zip(sums, counts, strict=True)]
        demo = next(iter(rows.values()))["demo"]
        lines.append(f"| `{function}` ({demo}) | " + " | ".join(map(str, counts)) + " |")
    lines.append("| **all** | " + " | ".join(f"**{n}**" for n in sums) + " |")
    several = [f"`{k}`" for k, r in bank.items() if named(k, r["said"]) == "among"]
    missed = [f"`{k}`" for k, r in bank.items() if named(k, r["said"]) == "not"]
    lines += ["", f"Not named but among several that fit: {', '.join(several) or 'none'}. "
              f"Not named at all: {', '.join(missed) or 'none'}."]
    words = found["other_words"]
    hits = sum(named(row["mistake"], row["said"]) == "it" for row in words)
    odd = [f"`{row['mistake']}` ({row['way']})" for row in words
           if named(row["mistake"], row["said"]) != "it"]
    lines += ["", f"In other words: {len(words)} mistakes made in code of another kind, "
              f"{sum(bool(r['fails']) for r in words)} caught by probes, {hits} named"
              f"{': not ' + ', '.join(odd) if odd else ''}."]
    right = found["right"]
    lines += ["", "Right versions: " + "; ".join(
        f"{demo} {', '.join(ways)}" for demo, ways in right.items()) + ". Alarms: "
        f"{sum(len(alarms) for ways in right.values() for alarms in ways.values())}."]
    lines += ["", "| hostile file | exit code | what it says |", "|---|---:|---|"]
    lines += [f"| {name.replace('_', ' ')} | {row['code']} | {row['says'].replace('|', '/')} |"
              for name, row in found["hostile"].items()]
    return "\n".join(lines)


def _claims(row: dict[str, Any]) -> list[str]:
    """What of the failing set is a claim, or a part that stops."""
    return [what for what in row["fails"] if ":" not in what]
