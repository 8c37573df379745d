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
MASKED = "·"                                # a cell that holds no number, on page and picture
WORDS = {
    "ok": T("通过", "OK"),
    "identity": T("=", "="),
    "recorded": T("记录", "REC"),
    "false": T("未复现", "NOT REPRODUCED"),
    "explored": T("在 {settings} 时不成立", "DOES NOT HOLD with {settings}"),
    "not_yours": T("用你的代码不成立", "DOES NOT HOLD with your code"),
    "margin": T("测得的差距", "measured margin"),
    "measured": T("实测", "measured"),
    "observations": T("观察", "Observations"),
    "caveat": T("不说明", "Not shown"),
    "question": T("先猜", "Predict"),
    "answer": T("答案", "Answer"),
    "no_answer": T("按这些设定，没有一个选项成立", "with these settings no option holds"),
    "no_answer_yours": T("用你的数，没有一个选项成立", "with your numbers no option holds"),
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
    "again": T("讨论之后再投一次：{letters} 各几票；直接回车就看结果：",
               "After the discussion once more: counts for {letters}; Enter alone goes on:"),
    "first": T("第一次", "first"),
    "second": T("第二次", "second"),
    "share": T("占比", "share"),
    "room": T("全班 {hands} 人里 {hits} 人猜对（{share}）。",
              "{hits} of {hands} in the room were right ({share})."),
    "room_again": T("讨论之后：{hands} 人里 {hits} 人猜对（{share}）。",
                    "After the discussion: {hits} of {hands} were right ({share})."),
    "counted": T("收到 {hands} 票，先不公布。讨论之后按 v 再投，或按回车继续。",
                 "{hands} votes, not shown yet. Discuss, then v for the second vote, or Enter."),
    "counted_again": T("第二次收到 {hands} 票。回车继续。",
                       "{hands} votes the second time. Enter goes on."),
    "nobody_voted": T("还没有人投票。", "Nobody has voted yet."),
    "voted": T("已有 {n} 人投票", "{n} have voted"),
    "join": T("手机扫码，或打开 {address}", "Scan, or open {address} on a phone"),
    "type_phones": T("已有 {n} 人投票：回车结束，或写票数：",
                     "{n} have voted. Enter closes; or type a tally:"),
    "key_phones": T("手机投票的二维码", "the QR code for phones"),
    "phones_too": T("手机也可以投；直接回车就用手机的票。",
                    "Phones vote too: Enter alone takes their votes."),
    "no_question": T("这一页没有投票。", "There is no vote on this slide."),
    "v_votes": T("v 投票", "v vote"),
    "with_more": T("全部", "all"),
    "help_key": T("? 帮助", "? help"),
    "minutes": T("{minutes} 分钟", "{minutes} min"),
    "computing": T("正在计算 …", "computing ..."),
    "the_end": T("到头了：q 结束，b 退回，数字跳转。",
                 "This is the end: q quits, b goes back, a number jumps."),
    "type_vote": T("票数（B，或 A 12 B 30）：", "Votes (B, or A 12 B 30):"),
    "type_set": T("改参数：", "Set:"),
    "type_jump": T("跳到：", "Go to:"),
    "keys_title": T("按键", "Keys"),
    "key_on": T("下一页", "on"),
    "key_back": T("回到刚才那一页", "back to the screen before"),
    "key_jump": T("跳到第 3 部分、演示 12 第 3 部分、演示 04", "to part 3, to 12.3, to demo 04"),
    "key_more": T("全部内容，或只看要点", "everything, or the first view alone"),
    "key_vote": T("记下举手的票数", "take the room's vote"),
    "key_set": T("改这一部分的参数", "change a parameter of this part"),
    "key_again": T("重新计算", "compute again"),
    "key_overview": T("目录", "overview"),
    "key_help": T("帮助", "help"),
    "key_quit": T("结束", "quit"),
    "overview_title": T("目录（输入数字跳转）", "Overview (a number jumps)"),
    "set_title": T("这一部分的参数", "The parameters of this part"),
    "set_none": T("没有可改的参数。", "There is nothing to set."),
    "set_how": T("写成 名字=值；名字= 恢复默认；reset 全部恢复。",
                 "name=value sets, name= takes the default, reset all defaults."),
    "usual": T("默认 {value}", "default {value}"),
    "no_votes": T("还没有投票记录。", "No votes are kept yet."),
    "votes_of": T("班级：{room}", "Room: {room}"),
    "no_room": T("（未命名）", "(no name)"),
    "right_share": T("第一次 {share} 选对（{letters}）。",
                     "{share} right at first ({letters})."),
    "then_share": T("讨论后 {share}。", "{share} after the discussion."),
    "gain": T("原先不对的人里净增 {gain}。", "Gain among those who were wrong: {gain}."),
    "held": T("选得最多的误解 {letter}：", "The misconception most held, {letter}:"),
    "nobody_shows": T("还没有人在放映 {demos}；等着。Ctrl-C 结束。",
                      "Nobody shows {demos} yet; waiting. Ctrl-C ends."),
    "minutes_used": T("这一部分用了 {used} 分钟，一共 {all} 分钟。",
                      "{used} minutes on this part, {all} in all."),
    "planned": T("{parts} = {minutes} 分钟", "{parts} = {minutes} min"),
    "planned_all": T("一共 {minutes} 分钟", "{minutes} minutes in all"),
    "minutes_planned": T("计划 {minutes} 分钟。", "{minutes} minutes planned."),
    "no_place": T("没有 {place} 这个地方。", "there is no place {place}."),
    "loop": T("问一个这个世界里的问题，如 what is the capital of balavia ?（Tab 补全国名，"
              "help 帮助，quit 结束）",
              "Ask a question of the world, like what is the capital of balavia ? (Tab completes "
              "a country, help, quit)"),
    "loop_help": T("问题用英文词，都来自训练它的那个世界：what is the capital of balavia ?  "
                   "what language do people speak in balavia ?  who leads balavia ?  what is "
                   "balavia known for ?  全部国家：lecture countries。",
                   "Questions are made of the world's own words: what is the capital of balavia "
                   "?  what language do people speak in balavia ?  who leads balavia ?  what is "
                   "balavia known for ?  All countries: lecture countries."),
    "a_country": T("国家", "country"),
    "ready": T("可以上课了。", "Ready for the class."),
    "not_ready": T("还有 {n} 件事要处理，见上面标 NOT 的各行。",
                   "{n} things to do: see the lines marked NOT."),
    "wrote": T("写好了 {path}（{size}）", "wrote {path} ({size})"),
    "no_part": T("没有第 {number} 部分；有：{listed}",
                 "there is no part {number}; there are: {listed}"),
    "your_functions": T("你的函数：{yours}（{file}）", "Your functions: {yours} ({file})"),
    "our_functions": T("我们的：{ours}", "Ours: {ours}"),
    "your_rights": T("它以你的权限运行，能做你能做的一切：只试自己写的，或信得过的文件。",
                     "It runs with your rights and can do what you can: try only what you "
                     "wrote or trust."),
    "no_memory_limit": T("这个系统上没有内存限制。", "There is no memory limit on this system."),
    "your_error": T("你的代码在这里出错，这一部分没有算完：",
                    "Your code raised an error here; the part was not computed:"),
    "your_numbers": T("我们的代码拿你的数算不下去，这一部分没有算完：",
                      "Ours could not go on with your numbers; the part was not computed:"),
    "cannot_draw": T("这些数画不成表。", "These numbers cannot be drawn."),
    "not_computed": T("没有算到这里。", "Not computed: it was stopped before."),
    "fails_too": T("--more 里也有不成立的：", "What fails too, under --more:"),
    "probes": T("探针（不是这一讲的观察，而是单独的小试题）",
                "Probes (small cases of their own, no observations of the lesson)"),
    "probe_wrong": T("不对", "WRONG"),
    "probe_line": T("{function}：{about}：{told}", "{function}: {about}: {told}"),
    "probe_got": T("得到 {got}，应为 {wanted}", "gives {got}; right is {wanted}"),
    "probe_error": T("出错：{got}", "raises {got}"),
    "probe_changed": T("就地改动了 {changed}", "changes {changed} in place"),
    "probe_count": T("{all} 个都成立。", "All {all} hold."),
    "diagnosis": T("诊断", "Diagnosis"),
    "read_on": T("接着读：", "Read on:"),
    "try_sum": T("用你的代码：观察 {hold} / {all} 成立，探针 {right} / {asked} 成立。",
                 "With your code {hold} of {all} observations and {right} of {asked} probes hold."),
    "try_good": T("全部成立。", "Everything holds."),
    "try_how": T("lecture try {code} --blank mine.py 写一个待填的文件；"
                 "填好后：lecture try {code} mine.py",
                 "lecture try {code} --blank mine.py writes a file to fill in; then: "
                 "lecture try {code} mine.py"),
    "try_blank": T("写好了 {path}。填上函数，然后：lecture try {code} {path}",
                   "wrote {path}. Fill in the functions, then: lecture try {code} {path}"),
    "right": T("猜对了。", "Your answer was right."),
    "wrong": T("这次没猜对：看看选项后面的误解。",
               "Not this time: see the misconception behind your option."),
    "more": T("还有", "More"),
    "errata": T("讲义可以说得更好的地方", "Where the notes can be said better"),
    "misread": T("选项 {letter} 的误解", "behind {letter}"),
    "speaker": T("讲稿", "Speaker notes"),
}

# The page on a phone; * stands for the letter chosen.
PHONE = {
    "language": T("中文", "English"),
    "about": T("只记票数，不记人。", "Counts are kept, never who."),
    "wait": T("等老师出题，这一页开着就行。", "Waiting for a question. Keep this page open."),
    "choose": T("选一个；结束之前可以改。", "Choose one; you may change it until the vote closes."),
    "again": T("讨论之后，再投一次。", "After the discussion: vote once more."),
    "mine": T("收到了：*。结束之前可以改。",
              "Counted: *. You may change it until the vote closes."),
    "closed": T("投票结束。和旁边的人讨论一下，各说各的理由。",
                "Closed. Talk it over with your neighbour: why do you think so?"),
    "closed_again": T("投票结束，看屏幕。", "Closed: look at the screen."),
    "right": T("实测的答案", "the measured answer"),
    "hit": T("猜对了。", "Your answer was right."),
    "miss": T("这次没猜对。", "Not this time."),
    "lost": T("连不上，还在试；也许课已经结束了。",
              "No connection; trying. The lecture may be over."),
    "fast": T("太快了，等一下。", "Too fast: wait a moment."),
    "device": T("要投票，请允许这一页的 cookie（一个随机数），再打开一次。",
                "To vote, allow this page's one cookie (a random number) and open it again."),
    "script": T("请打开浏览器的 JavaScript。", "Please switch JavaScript on."),
}


# The page: what a handout says of itself, and what a chart says to who cannot see it.
PAGE = {
    "course": T("语言模型怎样工作", "How language models work"),
    "course_size": T("演示：{demos}，部分：{parts}", "demos: {demos}, parts: {parts}"),
    "made": T("表、图和句子里的数都出自同一次运算，由 lecture {version} 写成这一页。",
              "Tables, charts and sentences take their numbers from the same run; "
              "lecture {version} wrote this page from it."),
    "how": T("先猜再看：选一个答案，实测和观察就会展开。“通过”是刚算出来的，换成对照就不成立；“=”"
             "按定义成立；“记录”是早先训练的结果，从文件读出。其余的表和观察在“还有”里。",
             "Guess first: choose an answer and the measurement opens. OK: computed for this page, "
             "and false on its control. “=”: by definition. REC: trained earlier, read from a "
             "file. Further tables and observations are folded under More."),
    "paper": T("纸上都是展开的：投票、观察、折起来的部分；只有图上各点的数表留在文件里。",
               "On paper votes, observations and folded parts stand open; only the tables of the "
               "charts' points stay in the file."),
    "contents": T("目录", "Contents"),
    "skip": T("跳到正文", "Skip to the text"),
    "top": T("回到开头", "To the top"),
    "menu": T("演示列表", "List of demos"),
    "language": T("语言", "Language"),
    "before": T("上一部分", "previous part"),
    "after": T("下一部分", "next part"),
    "demo_before": T("上一个演示", "previous demo"),
    "demo_after": T("下一个演示", "next demo"),
    "here": T("指向这一部分的链接", "Link to this part"),
    "open_all": T("全部展开", "Open everything"),
    "fold_all": T("收起", "Fold again"),
    "no_guess": T("不猜了，直接看", "Show it without a guess"),
    "no_guess_yet": T("选一个，测得的就会展开。", "Choose one, and what was measured opens."),
    "guessed": T("你选的", "your guess"),
    "is_right": T("实测", "measured"),
    "hit": T("猜对了。", "You guessed right."),
    "miss": T("这次没猜对，看下面的答案。", "Not this time: see the answer below."),
    "goes_on": T("表往右还有，可以横着滚", "the table goes on to the right: scroll sideways"),
    "points": T("图上的数", "The numbers of the chart"),
    "every": T("共 {all} 个点，这里每 {step} 个列一个，最后一个也列出。",
               "{all} points; one in {step} is listed, and the last."),
    "class": T("类", "class"),
    "minutes": T("{minutes} 分钟", "{minutes} min"),
    "document": T("讲义 {name}", "Notes, document {name}"),
    "no_place": T("不在某一行", "In no one line"),
    "about_erratum": T("位置 {where}；在演示 {demo} 里测得", "at {where}; measured in demo {demo}"),
    "what": T("量", "what"),
    "notes_figure": T("讲义写的", "in the notes"),
    "no_number": T("这一条没有数可测：说的是读法，或代码运行的结果。",
                   "Nothing to measure here: it is about a reading, or what code did when run."),
    "errata_how": T("按文件和行排列。每一条先写讲义的说法，再列出测得的数，最后是怎样说才对。",
                    "In the order of documents and lines: what the notes say, the numbers "
                    "measured, and how it is rightly said."),
    "errata_size": T("{n} 条，{documents} 份文件", "{n} entries, {documents} documents"),
    "chart": T("曲线图：{y}，横轴是{x}。", "Line chart: {y}, along {x}."),
    "line": T("{name}：从 {from} 处的 {first} 到 {to} 处的 {last}；最高 {highest}（{top} 处），"
              "最低 {lowest}（{bottom} 处）。",
              "{name}: from {first} at {from} to {last} at {to}; highest {highest} at {top}, "
              "lowest {lowest} at {bottom}."),
    "line_rises": T("{name}：从 {from} 处的 {first} 一路不降，到 {to} 处的 {last}。",
                    "{name}: from {first} at {from} to {last} at {to}, never falling."),
    "line_falls": T("{name}：从 {from} 处的 {first} 一路不升，到 {to} 处的 {last}。",
                    "{name}: from {first} at {from} to {last} at {to}, never rising."),
    "line_level": T("{name}：从 {from} 到 {to} 一直是 {first}。",
                    "{name}: {first} from {from} to {to}."),
    "line_empty": T("{name}：没有数。", "{name}: no numbers."),
    "cloud": T("散点图：{n} 个点，横轴是{x}，纵轴是{y}。", "{n} points: {x} across, {y} up."),
    "cloud_class": T("{name}：{n} 个，横从 {left} 到 {right}，纵从 {low} 到 {high}。",
                     "{name}: {n}, from {left} to {right} across, from {low} to {high} up."),
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
    if result.own:
        return WORDS["not_yours"].text(lang), "bad"
    if result.explored:
        return WORDS["explored"].text(lang, {"settings": verdict_settings(result)}), "bad"
    return WORDS["false"].text(lang), "bad"
