"""What goes wrong in one merge step of byte-pair encoding?"""

from __future__ import annotations

from lecture.prove.mistakes.bank import wrong

RIGHT = {
    "usable_pairs": '''
def usable_pairs(symbols):
    counts, last = {}, None
    for pair in zip(symbols, symbols[1:]):
        if pair == last:
            last = None
            continue
        counts[pair] = counts.get(pair, 0) + 1
        last = pair
    return counts
''',
    "join": '''
def join(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i:i + 2]) == pair:
            out.append(pair[0] + pair[1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out
''',
}
MISTAKES = (
    wrong("usable_pairs", "overlapping", "01.1", "重叠的也数了：aaa 数成两对",
          "overlapping pairs are counted: aaa as two", "if pair == last:", "if False:"),
    wrong("usable_pairs", "once", "01.1", "每对只记一次，没有累加",
          "each pair counted once, never added up",
          "counts.get(pair, 0) + 1", "1"),
    wrong("usable_pairs", "every_second", "01.1", "两个两个地切，隔着的对漏了",
          "cut two by two: every second pair is missed",
          "zip(symbols, symbols[1:])", "zip(symbols[::2], symbols[1::2])"),
    wrong("usable_pairs", "no_order", "01.1", "左右不分：(a, b) 和 (b, a) 算成一对",
          "left and right are not told apart: (a, b) and (b, a) are one",
          "    for pair in zip(symbols, symbols[1:]):\n",
          "    for pair in zip(symbols, symbols[1:]):\n        pair = tuple(sorted(pair))\n"),
    wrong("usable_pairs", "last_pair", "01.1", "漏了最后一对", "the last pair is left out",
          "symbols[1:]", "symbols[1:-1]"),
    wrong("join", "used_twice", "01.1", "合并后只前进一格：一个符号用了两次",
          "one step on after a merge: a symbol is used twice", "i += 2", "i += 1"),
    wrong("join", "first_only", "01.1", "只合并了第一处", "only the first place is joined",
          "== pair:", "== pair and len(out) == i:"),
    wrong("join", "last_symbol", "01.1", "最后一个符号丢了", "the last symbol is lost",
          "i < len(symbols)", "i < len(symbols) - 1"),
    wrong("join", "no_order", "01.1", "次序反的也合并了",
          "the pair is joined the other way round too",
          "tuple(symbols[i:i + 2]) == pair", "set(symbols[i:i + 2]) == set(pair)"),
    wrong("join", "in_place", "01.1", "就地改动了传进来的列表",
          "the list that was given is changed in place",
          '''    out, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i:i + 2]) == pair:
            out.append(pair[0] + pair[1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return out
''', '''    i = 0
    while i < len(symbols) - 1:
        if tuple(symbols[i:i + 2]) == pair:
            symbols[i:i + 2] = [pair[0] + pair[1]]
        i += 1
    return symbols
'''),
)
