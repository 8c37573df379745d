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

from lecture.errors import SetupProblem, UsageProblem, tell
from lecture.report import Param, Part

_WHOLE = r"[+-]?[0-9]+"
_DECIMAL = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
Settings = dict[str, dict[str, Any]]              # part key -> parameter -> value


# what an editor or a web page puts into a line unseen: a byte order mark, joints of no width
_UNSEEN = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u2060"))
LONGEST = 10_000                                  # characters of a line that is read


def typed(text: str) -> str:
    """What a person typed, full-width letters, digits and signs as their plain twins."""
    plain = unicodedata.normalize("NFKC", text.translate(_UNSEEN))
    return plain.replace("\u3001", ",").replace("\u3002", ".").strip()


def heard(prompt: str = "") -> str:
    """The next line of a keyboard or a pipe; EOFError at the end, two lines where none can be read.

    At a keyboard the prompt stands on the terminal, never in a result that goes to a file.
    """
    try:
        if sys.stdin.isatty():
            if prompt and not sys.stdout.isatty():
                tell(prompt, end="")
                prompt = ""
            return input(prompt)
        line = sys.stdin.readline(LONGEST + 1)
    except OSError as error:
        raise SetupProblem(f"cannot read the input: {error.strerror or error}",
                           "give it a terminal, a pipe or a file that may be read") from None
    except UnicodeError as error:
        raise SetupProblem(f"the input is no text: {error}",
                           "set PYTHONIOENCODING to the encoding it has") from None
    if not line:
        raise EOFError
    if len(line) > LONGEST:
        raise UsageProblem(f"a line of the input has more than {LONGEST:,} characters",
                           "give one question a line")
    return line.rstrip("\r\n")


def given(option: str, text: str | None) -> str | None:
    """The text of an option; UsageProblem where it is empty, as a variable that is not set is."""
    if text is not None and not text.strip():
        raise UsageProblem(f"{option} is empty", f"name something, or leave {option} out")
    return text


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
    for word in words:
        target, sign, text = _halves(word)
        target = typed(target)
        if not sign or not target:
            raise UsageProblem(f"--set {word!r} has no name=value",
                               "write it like --set beta=2 or --set 4.beta=2")
        place, dot, name = target.rpartition(".")
        chosen = choose_parts(parts, place) if dot else list(parts)
        takers = [part for part in chosen if name in part.params]
        if not takers:
            raise UsageProblem(f"no chosen part has a parameter {name!r}", _names(chosen, name))
        for part in takers:
            value = read_value(name, part.params[name], text)
            settings.setdefault(part.key, {})[name] = value
    return settings


def _halves(word: str) -> tuple[str, str, str]:
    """name, =, value; the sign may be a full-width one."""
    place = min((at for at in map(word.find, "=\uff1d") if at >= 0), default=len(word))
    return word[:place], word[place:place + 1], word[place + 1:]


def read_value(name: str, param: Param, text: str) -> Any:
    """The text as the type of the default, within its bounds."""
    kind, raw = type(param.default), text.strip()
    text = typed(text)
    if kind is str and not param.choices and os.path.lexists(raw):
        return raw                                # a folder's name keeps its own characters
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
    """The value, if it is one of these; in capitals and full-width letters too."""
    plain = typed(value).lower()
    if plain not in allowed:
        raise UsageProblem(f"{name} cannot be {value!r}", f"choose one of: {', '.join(allowed)}")
    return plain


def use_weights(source: str | None) -> None:
    """--weights: where trained models come from; a training shows its progress."""
    from lecture.models import cache as model_cache

    word = typed(given("--weights", source) or "").lower()
    model_cache.set_policy(word if word in ("auto", "cached", "fresh") else source,
                           progress=progress)


def progress(done: int, total: int, what: str) -> None:
    """A bar on stderr, and only where somebody can see it."""
    if not sys.stderr.isatty():
        return
    filled = 30 * done // max(total, 1)
    end = "\n" if done >= total else ""
    tell(f"\r{what} [{'#' * filled}{'.' * (30 - filled)}] {done}/{total}", end)
