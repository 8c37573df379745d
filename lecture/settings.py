"""What was asked for?  --part 2,3, --set [part.]name=value, --lang and --weights.

A value is read as the type of the parameter's default and must lie within its
bounds; a name no chosen part has is an error that lists the names there are.
"""

from __future__ import annotations

import math
import os
import re
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

from lecture.errors import UsageProblem
from lecture.report import Param, Part

_WHOLE = r"[+-]?[0-9]+"
_DECIMAL = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
Settings = dict[str, dict[str, Any]]              # part key -> parameter -> value


def typed(text: str) -> str:
    """What a person typed, full-width letters, digits and signs as their plain twins."""
    return unicodedata.normalize("NFKC", text).replace("\u3001", ",").replace("\u3002", ".").strip()


def choose_parts(parts: Sequence[Part], text: str | None) -> list[Part]:
    """The parts named in "2,3" or "lookup,scale"; all of them for None."""
    if text is None:
        return list(parts)
    text = typed(text)
    chosen = [part for word in text.split(",") for part in parts
              if word.strip().lower() in (str(part.number), part.key)
              or re.fullmatch(rf"0+{part.number}", word.strip())]
    known = {str(p.number) for p in parts} | {p.key for p in parts}
    for word in text.split(","):
        name = word.strip().lower().lstrip("0") or word.strip()
        if name not in known:
            listed = ", ".join(f"{p.number} {p.key}" for p in parts)
            raise UsageProblem(f"there is no part {word.strip()!r}", f"the parts are: {listed}")
    return sorted({p.key: p for p in chosen}.values(), key=lambda p: p.number)


def read_settings(parts: Sequence[Part], words: Sequence[str]) -> Settings:
    """--set words for these parts: {part key: {name: value}}."""
    settings: Settings = {}
    for word in map(typed, words):
        target, sign, text = word.partition("=")
        if not sign or not target.strip():
            raise UsageProblem(f"--set {word!r} has no name=value",
                               "write it like --set beta=2 or --set 4.beta=2")
        place, dot, name = target.strip().rpartition(".")
        chosen = choose_parts(parts, place) if dot else list(parts)
        takers = [part for part in chosen if name in part.params]
        if not takers:
            raise UsageProblem(f"no chosen part has a parameter {name!r}", _names(chosen, name))
        for part in takers:
            value = read_value(name, part.params[name], text)
            settings.setdefault(part.key, {})[name] = value
    return settings


def read_value(name: str, param: Param, text: str) -> Any:
    """The text as the type of the default, within its bounds."""
    kind = type(param.default)
    if kind is bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.strip().lower() not in words:
            raise UsageProblem(f"{name} is a switch, not {text!r}", "set it to true or false")
        return words[text.strip().lower()]
    if kind is str:
        if param.choices and text not in param.choices:
            raise UsageProblem(f"{name} cannot be {text!r}",
                               f"choose one of: {', '.join(param.choices)}")
        return text
    pattern, what = (_WHOLE, "a whole number") if kind is int else (_DECIMAL, "a number")
    if not re.fullmatch(pattern, text.strip()) or len(text) > 40:
        raise UsageProblem(f"{name} cannot be {text!r}", f"it is {what}{_bounds(param)}")
    value = kind(text)
    low = -math.inf if param.low is None else param.low
    high = math.inf if param.high is None else param.high
    if not low <= value <= high or not math.isfinite(value):
        raise UsageProblem(f"{name} cannot be {text.strip()}", f"it is a number{_bounds(param)}")
    return value


def _bounds(param: Param) -> str:
    if param.low is not None and param.high is not None:
        return f" from {param.low:g} to {param.high:g}"
    return ""


def _names(parts: Sequence[Part], wrong: str) -> str:
    import difflib  # wanted only where a name is wrong

    names = [f"{part.number}.{name}={param.default}" for part in parts
             for name, param in part.params.items()]
    near = difflib.get_close_matches(wrong, [n.split(".")[1].split("=")[0] for n in names], 1)
    hint = f"did you mean {near[0]}? " if near else ""
    return hint + ("the parameters are: " + ", ".join(names) if names else "it has no parameters")


def language(lang: str | None) -> str:
    """zh or en: --lang, else LECTURE_LANG, else the locale, else zh."""
    if lang is not None:
        return one_of("--lang", lang, ("zh", "en"))
    if os.environ.get("LECTURE_LANG"):
        return one_of("LECTURE_LANG", os.environ["LECTURE_LANG"], ("zh", "en"))
    names = ("LC_ALL", "LC_MESSAGES", "LANG")          # the first that is set decides
    local = next((os.environ[name] for name in names if os.environ.get(name)), "")
    return "en" if local.lower().startswith("en") else "zh"


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """The value, if it is one of these."""
    if value not in allowed:
        raise UsageProblem(f"{name} cannot be {value!r}", f"choose one of: {', '.join(allowed)}")
    return value


def use_weights(source: str | None) -> None:
    """--weights: where trained models come from; a training shows its progress."""
    from lecture.models import cache as model_cache

    model_cache.set_policy(source, progress=progress)


def progress(done: int, total: int, what: str) -> None:
    """A bar on stderr, and only where somebody can see it."""
    if not sys.stderr.isatty():
        return
    filled = 30 * done // max(total, 1)
    end = "\n" if done >= total else ""
    print(f"\r{what} [{'#' * filled}{'.' * (30 - filled)}] {done}/{total}", end=end,
          file=sys.stderr, flush=True)
