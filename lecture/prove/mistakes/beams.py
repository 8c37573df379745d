"""What goes wrong in one step of beam search?"""

from __future__ import annotations

from lecture.prove.mistakes.bank import wrong

RIGHT = {"beam_step": '''
def beam_step(alive, log_p, end, width):
    finished, grown = [], []
    for (words, before), row in zip(alive, log_p):
        for word, p in enumerate(row):
            if p == -np.inf:
                continue
            if word == end:
                finished.append((words, before + p))
            else:
                grown.append((words + (word,), before + p))
    grown.sort(key=lambda g: (-g[1], g[0]))
    return grown[:width], finished
'''}
_STEP, _READ = "beam_step", "10.3"

MISTAKES = (
    wrong(_STEP, "last_word_only", _READ, "只看最后一个词的概率，前面的没有加",
          "only the last word counts: what came before is not added",
          "grown.append((words + (word,), before + p))", "grown.append((words + (word,), p))"),
    wrong(_STEP, "multiplied", _READ, "log P 相乘了，该相加", "log P multiplied, where it is added",
          "before + p", "before * p"),
    wrong(_STEP, "worst_first", _READ, "留下了最差的", "the worst live on", "-g[1]", "g[1]"),
    wrong(_STEP, "end_takes_place", _READ, "说完的也占了名额", "what is finished takes a place",
          "grown[:width], finished", "grown[:max(0, width - len(finished))], finished"),
    wrong(_STEP, "end_kept", _READ, "结束词留在句子里", "the end word stays in the sentence",
          "finished.append((words, before + p))", "finished.append((words + (word,), before + p))"),
    wrong(_STEP, "end_for_free", _READ, "结束词的 log P 没有加上",
          "the end word's log P is not added",
          "finished.append((words, before + p))", "finished.append((words, before))"),
    wrong(_STEP, "end_goes_on", _READ, "说完的还在延长", "what is finished goes on living",
          "            else:\n                grown",
          "            if True:\n                grown"),
    wrong(_STEP, "no_width", _READ, "没有按宽度截断", "never cut to the width", "grown[:width]",
          "grown"),
    wrong(_STEP, "one_each", _READ, "每个开头只留一个最好的", "every beginning keeps one: the best",
          "    grown.sort", "    best = {}\n    for g in grown:\n        if g[0][:-1] not in best "
          "or g[1] > best[g[0][:-1]][1]:\n            best[g[0][:-1]] = g\n"
          "    grown = list(best.values())\n    grown.sort"),
    wrong(_STEP, "ties", _READ, "相等时大的词号在前",
          "where they tie the larger word number is first",
          "(-g[1], g[0])", "(-g[1], [-w for w in g[0]])"),
    wrong(_STEP, "impossible", _READ, "不可能的词也留着", "impossible words stay in",
          "if p == -np.inf:", "if False:"),
)
