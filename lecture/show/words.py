"""Which words and which colours do the screen and the page share?

The screen's own words in both languages, the heat map's scale, and the ink that can
be read on it.  What draws is elsewhere: console.py, lecture/show/page.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lecture.report import Result, T, Verdict, verdict_settings

# viridis, eleven steps: luminance rises from first to last (van der Walt, Smith 2015)
VIRIDIS = ("440154", "482475", "414487", "355f8d", "2a788e", "21918c", "22a884",
           "44bf70", "7ad151", "bddf26", "fde725")
# the same eleven among the 256 of a terminal, picked by hand: the nearest ones of its cube would
# give two neighbouring steps one colour, twice.  Each is brighter than the one before by a tenth
# at least, as contrast is counted.  (Of 16 colours no order can be told, every terminal has
# its own: there a map has its numbers and no shade.)
VIRIDIS_256 = (53, 55, 24, 61, 30, 67, 36, 107, 77, 148, 226)
WORDS = {
    "ok": T("通过", "OK"),
    "identity": T("=", "="),
    "recorded": T("记录", "REC"),
    "false": T("未复现", "NOT REPRODUCED"),
    "explored": T("在 {settings} 时不成立", "DOES NOT HOLD with {settings}"),
    "margin": T("测得的差距", "measured margin"),
    "measured": T("实测", "measured"),
    "observations": T("观察", "Observations"),
    "caveat": T("不说明", "Not shown"),
    "question": T("先猜", "Predict"),
    "answer": T("答案", "Answer"),
    "no_answer": T("按这些设定，没有一个选项成立", "with these settings no option holds"),
    "several": T("不止一类", "more than one class"),
    "window": T("第 {first} 到 {last} 列", "columns {first} to {last}"),
    "notes": T("讲义", "the notes"),
    "now": T("测得", "measured"),
    "right_is": T("正确", "right"),
    "code": T("讲义的代码", "code of the notes"),
    "reading": T("读法", "reading"),
    "is_wrong": T("错", "wrong"),
    "imprecise": T("不够准确", "imprecise"),
    "misleading": T("易误解", "misleading"),
    "uncontrolled": T("缺对照", "uncontrolled"),
    "choose": T("请选 {letters}，或报票数（如 A 12 B 30），回车确认；直接回车跳过：",
                "Type {letters}, or a tally (A 12 B 30), and Enter; Enter alone skips:"),
    "no_vote": T("看不懂 {text}：请写 {letters} 中的一个字母，或每个字母后面跟票数。",
                 "{text} is no vote: write one letter of {letters}, or letters with counts."),
    "tally": T("举手的结果", "The room's vote"),
    "room": T("全班 {hands} 人里 {hits} 人猜对（{share}）。",
              "{hits} of {hands} in the room were right ({share})."),
    "keys": T("回车 下一步  b 退回  r 重来  s 改参数  数字 跳到该部分  q 结束 ",
              "Enter next  b back  r again  s set  number jump  q quit "),
    "loop": T("问一个这个世界里的问题，如 what is the capital of … ?（Tab 补全国名，空行结束）",
              "Ask a question of the world, like what is the capital of … ? (Tab completes a "
              "country, an empty line ends)"),
    "set": T("改哪个参数？写成 名字=值（现在：{names}）",
             "Which parameter? Write name=value (now: {names})"),
    "no_part": T("没有第 {number} 部分；有：{listed}",
                 "there is no part {number}; there are: {listed}"),
    "right": T("猜对了。", "Your answer was right."),
    "wrong": T("这次没猜对：看看选项后面的误解。",
               "Not this time: see the misconception behind your option."),
    "more": T("还有", "More"),
    "errata": T("讲义可以说得更好的地方", "Where the notes can be said better"),
    "misread": T("选项 {letter} 的误解", "behind {letter}"),
    "speaker": T("讲稿", "Speaker notes"),
}


def judged(item: Mapping[str, Any]) -> T:
    """The verdict of an erratum as a word; its kind where it has none yet."""
    name = item["verdict"] or item["kind"]
    return WORDS["is_wrong" if name == "wrong" else name]


def shade(value: float, low: float, high: float) -> int:
    """The step of the scale a value falls on, 0 to 10."""
    share = (value - low) / ((high - low) or 1.0)
    return round(min(1.0, max(0.0, share)) * (len(VIRIDIS) - 1))


def of_256(number: int) -> str:
    """A terminal's colour 16 to 231 as rrggbb: a cube of six levels a side."""
    levels = (0, 95, 135, 175, 215, 255)
    places = divmod((number - 16) // 6, 6)
    return "".join(f"{levels[i]:02x}" for i in (*places, (number - 16) % 6))


def ink(color: str) -> str:
    """Black or white, whichever can be read on rrggbb (WCAG 2.1, 1.4.3)."""
    return "ffffff" if luminance(color) < 0.179 else "000000"


def luminance(color: str) -> float:
    """Relative luminance of rrggbb, 0 to 1 (WCAG 2.1, "relative luminance")."""
    shares = [int(color[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def verdict_word(verdict: Verdict, result: Result, lang: str) -> tuple[str, str]:
    """The verdict as a word, and its style: "ok" or "bad"."""
    if verdict.holds:
        mark = verdict.claim.kind if verdict.claim.kind in WORDS else "ok"
        return WORDS[mark].text(lang), "ok"
    if result.explored:
        return WORDS["explored"].text(lang, {"settings": verdict_settings(result)}), "bad"
    return WORDS["false"].text(lang), "bad"
