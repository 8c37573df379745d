"""Which mistake is it?

Every known mistake is code (lecture/prove/mistakes), so it can be asked the same probes. A mistake
fits where it goes wrong on nothing the student's function gets right, and gives the same numbers
on some of what the student's gets wrong. What one mistake leaves over another may explain. Where
no probe is wrong but claims are, the set of claims that fail is compared with what each mistake is
known to fail.

To keep one function's mistake out of another's account, a function that is wrong is asked again
with ours in the place of the student's other functions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lecture.prove import probes
from lecture.prove.mistakes import bank as mistakes
from lecture.prove.mistakes.bank import Mistake
from lecture.prove.own import Own
from lecture.prove.probes import Outcome
from lecture.prove.tasks import TASKS, Task
from lecture.report import Part, T

if TYPE_CHECKING:
    from lecture.prove.attempt import Tried

Outcomes = Mapping[str, Outcome]
SHOWN = 4                               # places where an unknown mistake goes wrong


@dataclass(frozen=True)
class Line:
    """One line of a diagnosis. kind: mistake, either, unknown, first, elsewhere,
    restless, changed, single, rested, ours."""

    kind: str
    text: T
    function: str | None = None
    keys: tuple[str, ...] = ()          # of the mistakes it names
    read: tuple[str, ...] = ()          # parts to read on, 04.2

    def plain(self, lang: str) -> dict[str, Any]:
        """As data, in one language."""
        return {"kind": self.kind, "function": self.function, "mistakes": list(self.keys),
                "read": list(self.read), "text": self.text.text(lang)}


# --- asked of the mistakes --------------------------------------------------------


def looked_for(owns: Sequence[Own], module: ModuleType, asked: Mapping[str, Outcomes]
               ) -> list[dict[str, Any]]:
    """For every function that is wrong: the known mistakes that fit, as plain data."""
    found = []
    for own in owns:
        right = probes.asked(own.task, own.ours)
        mine = asked[own.task.name]
        if not _wrong(mine, right):
            continue
        row: dict[str, Any] = {"function": own.task.name, "fits": [], "left": [],
                               "elsewhere": False, "restless": False}
        found.append(row)
        again = probes.asked(own.task, own)
        if any(not mine[key].same(again[key]) for key in mine):
            row["restless"] = True
            continue
        alone = _alone(own, owns, module) if len(owns) > 1 else mine
        if not _wrong(alone, right):
            row["elsewhere"] = True
            continue
        row["fits"], row["left"] = fitting(own, alone, right)
        if row["left"] and alone is not mine:       # ours may not go with its other functions
            row["fits"], row["left"] = min((row["fits"], row["left"]), fitting(own, mine, right),
                                           key=lambda fit: len(fit[1]))
    return found


def fitting(own: Own, mine: Outcomes, right: Outcomes) -> tuple[list[list[str]], list[str]]:
    """(groups of mistakes that are alike on these probes, probes nothing explains).

    One group after another, the one that explains most first; more than one group is more than
    one mistake. Where two meet in the same numbers neither is to be seen alone: then two are
    made together.
    """
    wrong, theirs = _wrong(mine, right), {}
    for mistake in mistakes.of(own.task.name):
        explains = _explained(outcomes_of(mistake, own.task, own.ours), mine, right)
        if explains:
            theirs[mistake.key] = explains
    groups, left = list[list[str]](), set(wrong)
    while left and theirs:
        most = max(len(explains & left) for explains in theirs.values())
        if not most:
            break
        best = next(e & left for e in theirs.values() if len(e & left) == most)
        groups.append([key for key, explains in theirs.items() if explains & left == best])
        left -= best
    if left and len(groups) < 2:
        pair = _two_at_once(own, groups[0] if groups else None, mine, right)
        if pair:
            return pair, []
    if 2 * len(left) > len(wrong):          # a number or two may agree by accident
        return [], sorted(wrong)
    return groups, sorted(left)


def _two_at_once(own: Own, first: Sequence[str] | None, mine: Outcomes, right: Outcomes
                 ) -> list[list[str]]:
    """Two mistakes that, made together, explain every wrong probe; one of them of `first`."""
    bank, wrong = mistakes.of(own.task.name), _wrong(mine, right)
    ones, others = list[str](), list[str]()
    for i, one in enumerate(bank):
        for other in bank[i + 1:]:
            if first is not None and not {one.key, other.key} & set(first):
                continue
            with contextlib.suppress(ValueError, SyntaxError):  # the two change the same line
                made = outcomes_of(one, own.task, own.ours, other)
                if _explained(made, mine, right) == wrong:
                    ones.append(one.key)
                    others.append(other.key)
    return [list(dict.fromkeys(keys)) for keys in (ones, others) if keys]


def _explained(made: Outcomes, mine: Outcomes, right: Outcomes) -> frozenset[str]:
    """The wrong probes of which a mistake makes the same; none where it fails others as well."""
    fails, wrong = _wrong(made, right), _wrong(mine, right)
    if not fails <= wrong:
        return frozenset()
    return frozenset(key for key in fails if mine[key].same(made[key]))


def outcomes_of(mistake: Mistake, task: Task, ours: Any, other: Mistake | None = None
                ) -> Outcomes:
    """What a mistake (or two at once) makes of the probes."""
    from lecture.prove.attempt import loaded

    module = loaded(mistake.code(other), f"<{mistake.key}>", "a_known_mistake")
    return probes.asked(task, Own(task, getattr(module, task.name), ours))


def _wrong(mine: Outcomes, right: Outcomes) -> frozenset[str]:
    return frozenset(key for key, outcome in mine.items() if not outcome.same(right[key]))


def _alone(own: Own, owns: Iterable[Own], module: ModuleType) -> Outcomes:
    """The probes once more, with ours where the file's other functions are called by name."""
    others = [o for o in owns if o is not own and "." not in o.task.target]
    kept = {o.task.name: getattr(module, o.task.name) for o in others}
    try:
        for other in others:
            setattr(module, other.task.name, other.ours)
        return probes.asked(own.task, Own(own.task, own.given, own.ours))
    finally:
        for name, given in kept.items():
            setattr(module, name, given)


# --- said ---------------------------------------------------------------------------


def diagnosis(tried: Tried, parts: Sequence[Part]) -> list[Line]:
    """What to say of an attempt that does not hold; nothing where it does."""
    from lecture.prove.attempt import failing

    failed = failing(tried, parts)
    lines = [line for found in tried.mistakes if found["function"] in probes.PROBES
             for line in _of_function(found)]
    lines += [Line("changed", T(f"{name} 就地改动了传进来的 {', '.join(what)}。",
                                f"{name} changes {', '.join(what)}, its argument, in place."),
                   name) for name, what in tried.changed.items()
              if not any(key.endswith(".in_place") for line in lines for key in line.keys)]
    if failed and not tried.mistakes:
        lines += _by_claims(tried, failed)
    unknown = [line for line in lines if line.kind in ("unknown", "elsewhere")]
    if failed and (not lines or unknown) and not any(line.keys for line in lines):
        first = _first_claim(tried, parts, bool(unknown))       # of what nothing names
        lines += [first] if first else []
    if tried.single and not failed:
        names = ", ".join(tried.single)
        lines.append(Line("single", T(
            f"单精度：{names}。在单精度以内与我们的一样；演示接着用我们的数。",
            f"In single precision: {names}. Equal to ours as far as that goes; the demo goes on "
            "with our numbers.")))
    lines += [Line("rested", T(f"{name} 算得慢，但一直与我们的一样：后面的由我们的接着算。",
                               f"{name} is slow, and gave what ours gives all along: ours did the "
                               "rest."), name) for name in tried.rested]
    lines += [Line("ours", T(f"{name} 少了一个参数：用到它的地方是我们的在算。",
                             f"{name} does not take all arguments: where they are needed ours "
                             "answers."), name) for name in tried.passed_over]
    return lines


def _of_function(found: Mapping[str, Any]) -> list[Line]:
    name = found["function"]
    if found["elsewhere"]:
        return [Line("elsewhere", T(f"{name} 本身没有错：错在它调用的另一个函数。",
                                    f"{name} itself is right: what it calls is not."), name)]
    if found["restless"]:
        return [Line("restless", T(
            f"{name}：同样的输入，每次给的不一样：是留着 dropout，还是记着上一次的东西？",
            f"{name}: the same input gives something else each time. Is a dropout left on, or "
            "something kept from call to call?"), name)]
    by_key = {m.key: m for m in mistakes.bank()}
    lines = [named([by_key[key] for key in group]) for group in found["fits"]
             if group and by_key.keys() >= set(group)]
    if found["left"] or not lines:
        about = [p.about for p in probes.PROBES[name] if p.key in found["left"]]
        zh, en = "、".join(a.zh for a in about[:SHOWN]), "; ".join(a.en for a in about[:SHOWN])
        if len(about) > SHOWN:
            zh, en = f"{zh}等 {len(about)} 处", f"{en}; {len(about) - SHOWN} more"
        lines.append(Line("unknown", T(f"{name}：此外还有我们不认得的，出错的地方：{zh}。",
                                       f"{name}: and something besides that we do not know. It "
                                       f"goes wrong on: {en}.") if lines else
                          T(f"{name}：不是我们认得的错误。出错的地方：{zh}。",
                            f"{name}: no mistake we know. It goes wrong on: {en}."), name))
    return lines


def named(fits: Sequence[Mistake]) -> Line:
    """One mistake by its name; several where nothing tells them apart."""
    read = tuple(dict.fromkeys(m.read for m in fits))
    name = fits[0].function
    keys = tuple(m.key for m in fits)
    if len(fits) == 1:
        return Line("mistake", T(f"{name}：{fits[0].name.zh}。", f"{name}: {fits[0].name.en}."),
                    name, keys, read)
    zh, en = ("；或者".join(m.name.zh for m in fits), "; or ".join(m.name.en for m in fits))
    return Line("either", T(f"{name}，几种都说得通：{zh}。", f"{name}, several fit: {en}."),
                name, keys, read)


def _by_claims(tried: Tried, failed: frozenset[str]) -> list[Line]:
    """Where every probe holds: the mistakes that fail exactly these claims."""
    there = {t.name for t in TASKS if t.demo == tried.demo
             and tried.functions.get(t.name) == "yours"}
    fits = [m for m in mistakes.bank() if m.function in there
            and mistakes.fails().get(m.key) == failed]
    return [named(fits)] if fits else []


def _first_claim(tried: Tried, parts: Sequence[Part], said: bool) -> Line | None:
    """The first claim that failed, with its margin; said: that no mistake is known."""
    from lecture.prove.attempt import margin_of, results_of, sentence

    results = results_of(tried, parts)
    for part in parts:
        for claim in part.every_claim() if part.key in results else ():
            margin = margin_of(results[part.key], claim)
            if margin is None or margin <= 0:
                told = "n/a" if margin is None else f"{margin:.4g}"
                zh, en = (sentence(results[part.key], claim, lang) for lang in ("zh", "en"))
                place = f"{tried.demo}.{part.number}"
                before = T("", "") if said else T("不是我们认得的错误。", "No mistake we know. ")
                return Line("first", T(
                    f"{before.zh}最先不成立的观察在 {place}（差距 {told}）：{zh}",
                    f"{before.en}The first observation that fails is in {place} (margin {told}): "
                    f"{en}"), read=(place,))
    return None
