"""How does the handout read as Markdown?  The same data as the page, in one language.

A chart becomes its sentence and a table of its points: every point where they are few, evenly
chosen ones where they are many, and it says which.

Unlike page.py: no markup but Markdown's own, and one language.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lecture.report import LETTERS
from lecture.show.words import PAGE, WORDS

LISTED = 40                                         # so many points of a chart are all listed


def markdown(views: Sequence[dict[str, Any]], lang: str) -> str:
    """These demos as one Markdown document."""
    lines: list[str] = []
    for demo in views:
        lines += [f"# {demo['code']} {_md(demo['title'][lang])}", ""]
        for block in demo["opening"]:
            lines += [*_block(block, lang), ""]
        for part in demo["parts"]:
            lines += _part(demo["code"], part, lang)
    return "\n".join(lines).rstrip() + "\n"


def _part(code: str, part: dict[str, Any], lang: str) -> list[str]:
    word = {name: text.text(lang) for name, text in WORDS.items()}
    lines = [f"## {code}.{part['number']} {_md(part['title'][lang])}", ""]
    for block in part["lead"]:
        lines += [*_block(block, lang), ""]
    for question in part["questions"]:
        lines += [f"**{word['question']}** {_md(question['prompt'][lang])}", ""]
        lines += [f"- {LETTERS[i]}. {_md(option['text'][lang])}"
                  for i, option in enumerate(question["options"])] + [""]
    for block in part["blocks"]:
        lines += [*_block(block, lang), ""]
    lines += [f"**{word['observations']}**", ""]
    lines += [f"- **{claim['word'][lang]}** {_md(claim['text'][lang])}"
              + (f" [{word['margin']} {claim['margin']}]" if claim["margin"] else "")
              for claim in part["claims"]] + [""]
    for question in part["questions"]:
        right = [f"{LETTERS[i]}. {_md(o['text'][lang])}"
                 for i, o in enumerate(question["options"]) if o["right"]]
        lines += [f"**{word['answer']}** {'; '.join(right) or word['no_answer']}", ""]
        if question["answer"]:
            lines += [_md(question["answer"]["text"][lang]), ""]
    for caveat in (part["caveat"], part["further"]):
        if caveat:
            lines += [f"*{word['caveat']}:* {_md(caveat[lang])}", ""]
    for item in part["errata"]:
        measured = f" {word['now']}: {_md(item['measured'])}." if item["measured"] else ""
        lines.append(f"- **{item['row']}** ({item['verdict'][lang]}) {word['notes']}: "
                     f"{_md(item['says'][lang])}{measured} {word['right_is']}: "
                     f"{_md(item['right'][lang])}")
    if part["notes"]:
        lines += ["", f"> {word['speaker']}: {_md(part['notes'][lang])}"]
    return [*lines, ""]


def _block(block: dict[str, Any], lang: str) -> list[str]:
    if block["kind"] == "text":
        return _text(block["lines"][lang])
    lines = [f"*{_md(block['title'][lang])}*", ""] if block["title"] else []
    if block["kind"] == "table":
        lines += _grid([" ".join(x[lang] for x in (h["group"], h["text"]) if x)
                        for h in block["head"]],
                       [[c["text"][lang] for c in row] for row in block["rows"]])
    elif block["kind"] == "heat":
        lines += _grid(["", *(c[lang] for c in block["columns"])],
                       [[r["name"][lang], *(c["text"] for c in r["cells"])]
                        for r in block["rows"]])
    elif block["kind"] == "row":
        for one in block["maps"]:
            lines += [*_block(one, lang), ""]
    elif block["kind"] == "bars":
        lines += _grid(["", ""], [[r["name"][lang], r["text"]] for r in block["rows"]])
    else:
        lines += _chart(block, lang)
    if block["legend"]:
        lines += ["", _md(block["legend"][lang])]
    return lines


def _chart(block: dict[str, Any], lang: str) -> list[str]:
    """What a chart says, and its points; of many, every so many and the last."""
    points = block["points"]
    rows = [[text[lang] for text in row] for row in points["rows"]]
    each = -(-len(rows) // LISTED) if block["series"] else 1    # a cloud has no order to skip in
    chosen = [row for i, row in enumerate(rows) if i % each == 0 or i == len(rows) - 1]
    lines = [_md(block["told"][lang]), ""]
    if each > 1:
        lines += [PAGE["every"].text(lang, {"all": len(rows), "step": each}), ""]
    head = [text[lang] for text in points["head"]]
    if block["series"]:
        head[0] = f"{head[0]} / {block['y_label'][lang]}"
    return lines + _grid(head, chosen)


def _text(lines: Sequence[dict[str, str]]) -> list[str]:
    """Running text: formulas as code, items as a list."""
    found: list[str] = []
    kind = ""
    for line in lines:
        if line["kind"] == "code":
            found += ([""] if found and kind != "code" else []) + [f"    {line['text']}"]
        elif line["kind"] == "item":
            head = f"**{_md(line['head'])}** " if line["head"] else ""
            found += ([""] if found and kind != "item" else []) + [f"- {head}{_md(line['text'])}"]
        else:
            found += ([""] if found else []) + [_md(line["text"])]
        kind = line["kind"]
    return found


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(_md(text) for text in head) + " |", "|" + "---|" * len(head),
            *("| " + " | ".join(_md(text) for text in row) + " |" for row in rows)]


def _md(text: str) -> str:
    for character in "\\`*_[]<>|#":
        text = text.replace(character, "\\" + character)
    return text.replace("\n", " ")
