"""How many small lies does the guard see?  `python -m benchmarks.falsehoods`

Some hundred lies are told of the course, one at a time: a header exchanged, a word turned
round in one language, a looser threshold, a digit of a record (kinds.py).  Each is put into a
copy of the checkout and judged by the command (judge.py): is it named by `lecture check`, and
is it still refused after `--accept`?  What is seen only until somebody accepts it depends on
a person's eyes; what is refused even then the form itself makes impossible.

A mutant that changes nothing is no lie: where every metric of the part and of its controls, the
recorded screen, the page and the documents are the same to the byte, another is drawn in its
place.  Margins, controls and the notes' figures always count: there the guard is weakened.
"""

from __future__ import annotations

from typing import Any

LEAST = 300
COLUMNS = ("told", "seen", "refused")


def tables(found: dict[str, Any]) -> str:
    """Markdown: told, seen and refused by kind; demo 04 apart from the others."""
    lines = ["| lie | demo 04: told | seen | refused after --accept | others: told | seen | "
             "refused after --accept |", "|---|" + "---:|" * 6]
    sums = [0] * 6
    for kind, sides in sorted(found["kinds"].items()):
        row = [sides[side][column] for side in ("04", "others") for column in COLUMNS]
        sums = [a + b for a, b in zip(sums, row, strict=True)]
        lines.append(f"| {kind} | " + " | ".join(str(n) if n or i % 3 else "-"
                                                 for i, n in enumerate(row)) + " |")
    lines.append("| **all** | " + " | ".join(f"**{n}**" for n in sums) + " |")
    tree = f" of commit {found['commit']}" if "commit" in found else ""
    whole = f", {found['seconds']['all'] / 60:.0f} min in all" if "all" in found["seconds"] else ""
    told, seen, refused = (sums[i] + sums[i + 3] for i in range(3))
    lines += ["", f"{told} lies{tree}, seed {found['seed']}: {seen} seen "
              f"({seen / max(1, told):.1%}), {refused} refused even after `--accept` "
              f"({refused / max(1, told):.0%}); median {found['seconds']['median']:.1f} s a lie"
              f"{whole}. {found['mute']} drawn mutants changed nothing and are not counted."]
    if found["unseen"]:
        lines += ["", "Not seen:", ""] + [f"- `{u['id']}`: {u['tells'].replace('|', '/')}"
                                          for u in found["unseen"]]
    return "\n".join(lines)
