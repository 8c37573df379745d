"""What does a model read: letters, words or something between, and who decides?

Text becomes tokens by byte-pair encoding: join the most frequent pair of neighbours,
again and again.  The opener shows what that costs a language the tokenizer never
saw; part 1 does every merge by hand, ties included, and asks what the merges live
on; part 2 meets words that were never seen; part 3 goes down to bytes, where
nothing is unknown and a token may be a piece of a character.

This is the first demo: all that follow start from the ids made here.  The counting
is in lecture/bpe.py, the texts in lecture/texts.py.  Left out: what an id means to
the model (02), special tokens, and the `tokenizers` library, which a test holds
against ours merge by merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from demos.errata.e01 import ERRATA
from lecture.bpe import (
    TIES,
    Tokenizer,
    UnknownSymbols,
    Words,
    characters,
    chunks,
    counted,
    overlapping_pairs,
    shown,
    train,
    train_by_recounting,
    usable_pairs,
    utf8,
)
from lecture.report import (
    Block,
    Claim,
    Column,
    Curve,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
    close,
    exact,
)
from lecture.texts import chinese, english, shuffled, words_of

COUNTED = exact("counted: whole numbers, words and cuts, the same everywhere")
RATIO = close("a ratio of two counts: only its rounding may differ")


def read(piece: Any) -> str:
    """A piece for the eye: bytes in brackets, a blank as _."""
    blank, mark = (b" ", b"_") if isinstance(piece, bytes) else (" ", "_")
    return shown(piece.replace(blank, mark))


def cut(tokenizer: Tokenizer, text: str) -> Metrics:
    """A text's characters, bytes and tokens, counted and shown."""
    ids = tokenizer.encode(text)
    tokens = [read(tokenizer.vocabulary[i]) for i in ids]
    return {"text": text.strip(), "characters": len(text.strip()),
            "bytes": len(text.strip().encode()), "tokens": len(ids),
            "pieces": tokens, "line": " ".join(tokens),
            "exact": tokenizer.decode(ids) == text}


# --- 0. six characters -----------------------------------------------------------

OPENER = {"six": "我爱人工智能", "chinese": "我们的老师在学校里看书",
          "english": "our teacher is reading a book at school",
          "strawberry": " strawberry"}


def six_characters(merges: int, seed: int,
                   corpus: Callable[..., str] = english,
                   other: Callable[..., str] = chinese) -> Metrics:
    """Bytes merged on one language, then four texts cut; and turned."""
    text = corpus(seed=seed)
    tokenizer = train(counted(chunks(text)), merges, split=utf8)
    second = train(counted(chunks(other(seed=seed))), merges, split=utf8)
    turned = {name: len(second.encode(OPENER[name]))
              for name in ("chinese", "english")}
    texts = {name: cut(tokenizer, t) for name, t in OPENER.items()}
    for found in texts.values():
        found["a_token"] = found["characters"] / found["tokens"]
    return {"texts": texts, "merges": len(tokenizer.merges),
            "asked": merges, "base": len(tokenizer.base),
            "vocabulary": len(tokenizer.vocabulary),
            "corpus_words": len(words_of(text)),
            "letters_r": OPENER["strawberry"].count("r"),
            "tokens_r": texts["strawberry"]["pieces"].count("r"),
            "ratio": (texts["chinese"]["tokens"]
                      / texts["english"]["tokens"]),
            "turned": turned}


NAMES = {"six": T("我爱人工智能", "我爱人工智能"),
         "chinese": T("中文句子", "a sentence, Chinese"),
         "english": T("同一句话，英文", "the same, English"),
         "strawberry": T("strawberry", "strawberry")}


def show_six(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "分词器只见过 {corpus_words:,} 个英文词的文本：从 {base} 个字节出发，"
        "要求合并 {asked:,} 次，"
        "合并了 {merges:,} 次（没有一对可合并时才会少），词表共 {vocabulary:,} 项。",
        "The tokenizer has seen {corpus_words:,} words of English and nothing else: asked for "
        "{asked:,} merges on the {base} bytes, it made {merges:,} (fewer only where no pair "
        "is left), a vocabulary of {vocabulary:,}."))
    yield Table(
        (Column(T("文本", "text")), Column(T("字符", "characters"), ",d"),
         Column(T("字节", "bytes"), ",d"), Column(T("token", "tokens"), ",d"),
         Column(T("每个 token 的字符", "characters a token"), ".2f"),
         Column(T("还原无误", "restored"))),
        [[NAMES[n], t["characters"], t["bytes"], t["tokens"], t["a_token"], t["exact"]]
         for n, t in m["texts"].items()],
        title=T("同一个分词器，四段文本", "One tokenizer, four texts"))
    yield Table(
        (Column(T("文本", "text")), Column(T("切出来的 token", "its tokens"))),
        [[NAMES[n], m["texts"][n]["line"]] for n in ("six", "english", "strawberry")],
        legend=T("方括号里是字节（十六进制），_ 是空格；词前面的空格属于词。",
                 "In brackets: bytes in hexadecimal; _ is a blank, which belongs to the "
                 "word after it."))


SIX = Part(
    number=0, key="opener",
    title=T("六个汉字，多少个 token？", "Six Chinese characters, how many tokens?"),
    compute=six_characters, describe=show_six,
    params={"merges": Param(2000, 0, 2000, about=T("合并几次", "how many merges"))},
    controls={"trained_on_chinese": partial(six_characters, corpus=chinese),
              "english_again": partial(six_characters, other=english),
              "no_merges": lambda merges, seed: six_characters(0, seed)},
    claims=(
        Claim("bytes_only", T(
            "{texts[six][characters]} 个汉字变成 {texts[six][tokens]} 个 token："
            "没见过的文字，没有一对字节合并过，"
            "{texts[six][bytes]} 个字节原样留下。",
            "{texts[six][characters]} Chinese characters become {texts[six][tokens]} tokens: "
            "of a script never seen no pair of bytes was joined, so its {texts[six][bytes]} "
            "bytes stay as they are."),
            lambda m: min(0.5 - abs(m["texts"]["six"]["tokens"] - m["texts"]["six"]["bytes"]),
                          m["texts"]["six"]["tokens"] - 2.5 * m["texts"]["six"]["characters"]),
            "trained_on_chinese"),
        Claim("cost", T(
            "同一句话，中文 {texts[chinese][tokens]} 个 token，"
            "英文 {texts[english][tokens]} 个，"
            "价钱是英文的 {ratio:.1f} 倍，尽管中文的字符更少"
            "（{texts[chinese][characters]} 对 {texts[english][characters]}）。",
            "The same sentence takes {texts[chinese][tokens]} tokens in Chinese and "
            "{texts[english][tokens]} in English: {ratio:.1f} times the price, though it has "
            "fewer characters ({texts[chinese][characters]} against "
            "{texts[english][characters]})."),
            lambda m: min(m["ratio"] - 1.5,
                          m["texts"]["chinese"]["tokens"] - m["texts"]["english"]["tokens"],
                          m["texts"]["english"]["characters"]
                          - m["texts"]["chinese"]["characters"]),
            "trained_on_chinese"),
        Claim("price_of_training", T(
            "贵的不是中文，是没在中文上训练：改在中文文本上训练，"
            "这句中文是 {turned[chinese]} 个 token，"
            "英文是 {turned[english]} 个，轮到英文贵了。",
            "It is the training text that makes the price, not the language: trained on "
            "Chinese text instead, the sentence takes {turned[chinese]} tokens in Chinese and "
            "{turned[english]} in English; now English is the dear one."),
            lambda m: min(m["texts"]["chinese"]["tokens"] - m["texts"]["english"]["tokens"],
                          m["turned"]["english"] - m["turned"]["chinese"]),
            "english_again"),
        Claim("letters", T(
            "strawberry 有 {letters_r} 个字母 r，切成 {texts[strawberry][tokens]} 个 token，"
            "单独是 r 的"
            " token 有 {tokens_r} 个：模型拿到的是编号，编号里看不见字母。",
            "strawberry has {letters_r} letters r and is cut into "
            "{texts[strawberry][tokens]} tokens, of which {tokens_r} are the letter r alone: "
            "the model gets numbers, and a number does not show its letters."),
            lambda m: min(m["letters_r"] - 2.5, 0.5 - m["tokens_r"],
                          m["texts"]["strawberry"]["characters"] / 2
                          - m["texts"]["strawberry"]["tokens"]),
            "no_merges"),
    ),
    caveat=T(
        "数不清 r 也不全怪 token：一个字母一个 token，数数对模型仍然不容易。"
        "两种训练文本都是程序造的，倍数只属于这里的分词器。",
        "Tokens are not the whole reason why models miscount r: with one token a letter, "
        "counting is still hard for them. Both training texts are made by a program; the "
        "ratio belongs to these tokenizers alone."),
    questions=(Question(
        T("一个只用英文训练的字节级分词器，读到“我爱人工智能”六个字，会得到几个 token？",
          "A byte-level tokenizer trained on English only reads six Chinese characters, "
          "我爱人工智能. How many tokens does it get?"),
        (Option(T("1 个：“未知词”", "1: “unknown word”"),
                lambda m: 1.5 - m["texts"]["six"]["tokens"],
                T("以为没见过就变成“未知词”。字节级词表里没有“未知”：任何文字都由字节组成。",
                  "takes the unseen for “unknown”. A byte vocabulary knows no such thing: "
                  "every text is made of bytes.")),
         Option(T("6 个：一字一个", "6: one a character"),
                lambda m: 0.5 - abs(m["texts"]["six"]["tokens"]
                                    - m["texts"]["six"]["characters"]),
                T("以为 token 就是字。字要先在训练文本里常见，它的字节才会合并。",
                  "takes a token for a character. The bytes of a character are joined only "
                  "if it was frequent in training.")),
         Option(T("18 个：一字三个", "18: three a character"),
                lambda m: 0.5 - abs(m["texts"]["six"]["tokens"]
                                    - 3 * m["texts"]["six"]["characters"])),
         Option(T("报错：它没见过中文", "an error: it never saw Chinese"),
                lambda m: 0.5 - m["texts"]["six"]["exact"],
                T("以为没见过的文字编码不了。字符级的词表会这样（第 2 部分），字节级的不会。",
                  "expects a refusal. A vocabulary of characters does refuse (part 2), one of "
                  "bytes never does.")))),),
    pins={"ratio": RATIO, "texts.*.a_token": RATIO, "*": COUNTED},
    errata=ERRATA["opener"],
    notes=T(
        "约 4 分钟。先投票。再问：为什么同样的 API，中文用户付的钱更多？试试 --set 0.merges=0："
        "英文也退回一字节一个 token，这时中文贵多少？",
        "About 4 minutes. Vote first. Then ask why the same service costs a Chinese writer "
        "more. Try --set 0.merges=0: English falls back to one token a byte too; how much "
        "dearer is Chinese then?"),
)

# --- 1. BPE, merge by merge --------------------------------------------------------

TOY = ("low", "lower", "new", "lowest", "newer")
RUNS = "aaaababab"                      # where pairs overlap: a a a


def steps(words: dict[str, int], tokenizer: Tokenizer) -> list[Metrics]:
    """Every merge done once more, counting what it really replaces."""
    text, found = Words(words), list[Metrics]()
    for merge in tokenizer.merges:
        replaced, _ = text.join_everywhere(merge.pair)
        found.append({"step": len(found) + 1, "piece": merge.piece,
                      "count": merge.count, "replaced": replaced,
                      "left": text.length()})
    return found


def named(counts: dict[Any, int]) -> dict[str, int]:
    return {"+".join(pair): n for pair, n in counts.items()}


def step_of(word: str, found: Sequence[Metrics]) -> int | None:
    """At which merge a word first is one piece."""
    pieces = [step["piece"] for step in found]
    return pieces.index(word) + 1 if word in pieces else None


def shrink(words: Sequence[str], merges: int) -> Metrics:
    """How many symbols a text keeps after so many merges."""
    types = counted(words)
    tokenizer = train(types, merges)
    counts = [merge.count for merge in tokenizer.merges]
    before, after = sum(map(len, words)), sum(map(len, words)) - sum(counts)
    return {"different": len(types), "before": before, "after": after,
            "share": after / before, "last": counts[-1] if counts else 0}


def every_letter_new(words: Sequence[str], seed: int) -> list[str]:
    """Words of the same lengths in which no letter ever comes again."""
    codes = map(chr, range(0x10000, 0x110000))
    return ["".join(next(codes) for _ in word) for word in words]


def merge_by_merge(merges: int, words: int, seed: int,
                   toy: Sequence[str] = TOY, ties: Any = None,
                   count: Any = usable_pairs, recount: bool = True,
                   real: Any = None, mixed: Any = shuffled) -> Metrics:
    """Five words under four tie rules; a text against its shuffled self."""
    ties = ties or {tie: tie for tie in TIES}
    types, again = counted(toy), counted(reversed(toy))
    learn = partial(train_by_recounting, merges=20, count=count)
    rules = {name: steps(types, learn(types, tie=tie))
             for name, tie in ties.items()}
    turned = {name: steps(again, learn(again, tie=tie))
              for name, tie in ties.items()}

    text = Words(types)                         # before and after one merge
    pairs, start = named(text.recount(count)), text.length()
    base = sorted({s for word in text.symbols for s in word})
    text.join_everywhere(("l", "o"))
    after = named(text.recount(count)) if recount else dict(pairs)

    runs = steps({RUNS: 1}, train_by_recounting({RUNS: 1}, 1, count=count))
    real_words = words_of(english(words, seed))
    plain = real(real_words, seed) if real else real_words
    return {
        "words": list(toy), "symbols": start, "base": base,
        "base_size": len(base), "pairs": pairs,
        "total": sum(pairs.values()),
        "after_first": {k: after.get(k, 0) for k in {**pairs, **after}},
        "rules": rules,
        "low_at": {n: step_of("low", found) for n, found in rules.items()},
        "same_turned": {n: [s["piece"] for s in rules[n]]
                        == [s["piece"] for s in turned[n]] for n in rules},
        "turned_low_at": {n: step_of("low", f) for n, f in turned.items()},
        "vocabulary": [*base, *(s["piece"] for s in rules["smallest"])],
        "runs": {"text": RUNS, "usable": named(usable_pairs(RUNS)),
                 "overlapping": named(overlapping_pairs(RUNS)),
                 "merge": runs[0]},
        "text": {"words": len(real_words), "merges": merges,
                 "real": shrink(plain, merges),
                 "shuffled": shrink(mixed(real_words, seed), merges)}}


RULES = {"first": T("先出现的", "first"), "smallest": T("最小的", "smallest"),
         "largest": T("最大的", "largest"), "oldest": T("编号最小的", "oldest")}


def show_merges(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "五个词：{words[0]}、{words[1]}、{words[2]}、{words[3]}、{words[4]}，"
        "共 {symbols} 个字符，"
        "{base_size} 种；相邻的对 {total} 个。每一步把次数最多的一对合成一个新符号。",
        "Five words, {words[0]}, {words[1]}, {words[2]}, {words[3]}, {words[4]}: {symbols} "
        "characters of {base_size} kinds, {total} adjacent pairs. Every step joins the most "
        "frequent pair into one new symbol."))
    yield Table(
        (Column(T("相邻的对", "pair")), Column(T("次数", "count"), "d"),
         Column(T("合并 l+o 之后", "after joining l+o"), "d")),
        [[pair, m["pairs"].get(pair), n] for pair, n in m["after_first"].items()],
        title=T("每一对的次数", "How often each pair occurs"))
    names = list(m["rules"])
    longest: list[Metrics] = sorted(m["rules"].values(), key=len)[-1]
    yield Table(
        (Column(T("步", "step"), "d"),
         *(c for n in names for c in (Column(RULES[n]), Column(T("次", "n"), "d")))),
        [[step["step"], *(v for n in names for v in _step(m["rules"][n], i))]
         for i, step in enumerate(longest)],
        title=T("次数相同，先合并哪一对？四条规则，每一次合并和它的次数",
                "Equal counts: which pair first? Four rules, every merge with its count"),
        legend=T("先出现的：按文本顺序；最小、最大的：按字典序；编号最小的：先进词表的先合并"
                 "（tokenizers 库的规则）。",
                 "first: in the order of the text; smallest, largest: in the order of the "
                 "alphabet; oldest: the lowest ids, pieces that entered the vocabulary "
                 "earlier (the rule of the tokenizers library)."))
    yield Paragraph(T("按“最小的”规则，词表最后是：" + _listed(m),
                      "Under the rule smallest the vocabulary ends as: " + _listed(m)))
    yield Table(
        (Column(T("{runs[text]} 里的对", "pair in {runs[text]}")),
         Column(T("能用的次数", "usable"), "d"),
         Column(T("重叠也算", "with overlaps"), "d")),
        [[p, n, m["runs"]["overlapping"][p]] for p, n in m["runs"]["usable"].items()],
        title=T("三个相同的符号连在一起，只够合并一次",
                "Three equal symbols in a row are enough for one merge only"))
    yield Table(
        (Column(T("文本", "text")), Column(T("不同的词", "different words"), ",d"),
         Column(T("字符", "characters"), ",d"),
         Column(T("合并后的符号", "symbols left"), ",d"), Column(T("剩下", "share"), ".1%"),
         Column(T("最后一次的次数", "last count"), ",d")),
        [[name, row["different"], row["before"], row["after"], row["share"], row["last"]]
         for name, row in ((T("英文", "English"), m["text"]["real"]),
                           (T("词内字母打乱", "letters shuffled"), m["text"]["shuffled"]))],
        title=T("{text[words]:,} 个词，{text[merges]} 次合并",
                "{text[words]:,} words, {text[merges]} merges"))


def _step(found: Sequence[Metrics], i: int) -> tuple[Any, Any]:
    return (found[i]["piece"], found[i]["count"]) if i < len(found) else ("", None)


def _listed(m: Metrics) -> str:
    return " ".join(f"{{vocabulary[{i}]}}" for i in range(len(m["vocabulary"])))


MERGES = Part(
    number=1, key="merges",
    title=T("一次一次地合并", "BPE, merge by merge"),
    compute=merge_by_merge, describe=show_merges,
    params={"merges": Param(300, 0, 2000, about=T("合并几次", "how many merges")),
            "words": Param(12_500, 500, 50_000,
                           about=T("文本有多少词", "words in the text"))},
    controls={
        "one_more_newer": partial(merge_by_merge, toy=(*TOY, "newer")),
        "rule_ignored": partial(merge_by_merge, ties=dict.fromkeys(TIES, "smallest")),
        "not_recounted": partial(merge_by_merge, recount=False),
        "overlaps_counted": partial(merge_by_merge, count=overlapping_pairs),
        "both_shuffled": partial(merge_by_merge, real=shuffled),
        "every_letter_new": partial(merge_by_merge, mixed=every_letter_new)},
    claims=(
        Claim("three_tie", T(
            "lo、ow、we 各 {pairs[l+o]} 次，并列第一：只看次数，定不下先合并谁。",
            "lo, ow and we tie at {pairs[l+o]}: counts alone do not say what to join first."),
            lambda m: min(0.5 - abs(m["pairs"]["l+o"] - m["pairs"]["o+w"]),
                          0.5 - abs(m["pairs"]["l+o"] - m["pairs"]["w+e"]),
                          m["pairs"]["l+o"] - 0.5
                          - max(n for p, n in m["pairs"].items()
                                if p not in ("l+o", "o+w", "w+e"))),
            "one_more_newer"),
        Claim("used_up", T(
            "合并要用掉符号：l+o 变成 lo 以后，"
            "o+w 从 {pairs[o+w]} 次变成 {after_first[o+w]} 次；"
            "low 要再合并一次，把 lo 和 w 接上（{after_first[lo+w]} 次）。",
            "A merge uses symbols up: once l+o is lo, o+w falls from {pairs[o+w]} to "
            "{after_first[o+w]}; low takes another merge, of lo and w "
            "({after_first[lo+w]} times)."),
            lambda m: min(m["pairs"]["o+w"] - 0.5, 0.5 - m["after_first"]["o+w"],
                          m["after_first"].get("lo+w", 0) - 0.5),
            "not_recounted"),
        Claim("tie_rule", T(
            "平手规则决定结果："
            "low 在第 {low_at[smallest]} 次合并时成为一个 token（先出现的或最小的"
            "优先），最大的优先就要到第 {low_at[largest]} 次，"
            "编号最小的优先是第 {low_at[oldest]} 次。",
            "The tie rule decides: low becomes a token at merge {low_at[smallest]} if the "
            "first or the smallest pair wins, at {low_at[largest]} if the largest wins, at "
            "{low_at[oldest]} if the oldest wins."),
            lambda m: min(m["low_at"]["largest"] - m["low_at"]["oldest"],
                          m["low_at"]["oldest"] - m["low_at"]["smallest"],
                          0.5 - abs(m["low_at"]["first"] - m["low_at"]["smallest"])),
            "rule_ignored"),
        Claim("order", T(
            "把五个词倒过来给，“先出现的”规则给出另一串合并；"
            "“最小的”“最大的”“编号最小的”一步不变。",
            "Give the five words in reverse: the rule first makes other merges, while "
            "smallest, largest and oldest make the same ones."),
            lambda m: min(0.5 - m["same_turned"]["first"],
                          *(m["same_turned"][n] - 0.5
                            for n in ("smallest", "largest", "oldest"))),
            "rule_ignored"),
        Claim("usable", T(
            "表里的次数就是替换的次数："
            "{runs[text]} 里重叠也算的话 a+a 有 {runs[overlapping][a+a]} 次，"
            "能替换的只有 {runs[usable][a+a]} 次；这里先合并 {runs[merge][piece]}，数了 "
            "{runs[merge][count]} 次，替换了 {runs[merge][replaced]} 次，"
            "剩 {runs[merge][left]} 个符号。",
            "Every count is a number of replacements: with overlaps a+a occurs "
            "{runs[overlapping][a+a]} times in {runs[text]}, but only {runs[usable][a+a]} can "
            "be replaced; {runs[merge][piece]} is joined first, counted "
            "{runs[merge][count]} times, replaced {runs[merge][replaced]} times, and "
            "{runs[merge][left]} symbols are left."),
            lambda m: min(m["runs"]["overlapping"]["a+a"] - m["runs"]["usable"]["a+a"],
                          0.5 - max(abs(s["count"] - s["replaced"])
                                    for found in (*m["rules"].values(),
                                                  [m["runs"]["merge"]])
                                    for s in found)),
            "overlaps_counted"),
        Claim("regularity", T(
            "BPE 靠的是重复：{text[merges]} 次合并后，"
            "英文只剩 {text[real][share]:.0%} 的符号；词内字母"
            "打乱，就剩 {text[shuffled][share]:.0%}。",
            "BPE lives on repetition: {text[merges]} merges leave {text[real][share]:.0%} of "
            "the symbols of English; with the letters shuffled inside each word "
            "{text[shuffled][share]:.0%} are left."),
            lambda m: m["text"]["shuffled"]["share"] - m["text"]["real"]["share"] - 0.05,
            "both_shuffled"),
        Claim("chance", T(
            "但打乱的文本也缩短了，剩 {text[shuffled][share]:.0%}：BPE 找的是常见的对，"
            "不是词素；"
            "字母有限，碰巧成对的也不少。",
            "Yet the shuffled text shrinks too, to {text[shuffled][share]:.0%}: BPE finds "
            "frequent pairs, not parts with a meaning, and with few letters pairs are "
            "frequent by chance."),
            lambda m: 0.9 - m["text"]["shuffled"]["share"], "every_letter_new"),
    ),
    caveat=T(
        "英文文本是程序按模板造的（常用词，真实的词尾）。真书的比例要另外去测。",
        "The English text is made by a program from templates, with common words and real "
        "endings. The shares of real books must be measured there."),
    questions=(
        Question(
            T("三对并列第一：lo、ow、we。若总是取字典序最大的一对，low 还会成为一个 token 吗？",
              "Three pairs tie: lo, ow, we. If the largest pair always wins ties, does low "
              "still become a token?"),
            (Option(T("会，和先取最小的一样快", "yes, as soon as with the smallest first"),
                    lambda m: 0.5 - abs((m["low_at"]["largest"] or 99)
                                        - m["low_at"]["smallest"]),
                    T("以为次数就定了一切。平手的时候，规则才是定义的一部分。",
                      "takes counts for the whole definition. Where they tie, the rule is "
                      "part of it.")),
             Option(T("会，但要晚得多", "yes, but much later"),
                    lambda m: m["low_at"]["largest"] - 2.5 * m["low_at"]["smallest"]),
             Option(T("永远不会", "never"),
                    lambda m: 0.5 - bool(m["low_at"]["largest"]),
                    T("以为走错一步就回不来。只要还有相邻的对，词最后总会合成一个。",
                      "thinks that a wrong turn is final. While pairs are left, a word is "
                      "one piece in the end.")),
             Option(T("看五个词的先后顺序", "that depends on the order of the words"),
                    lambda m: abs((m["low_at"]["largest"] or 99)
                                  - (m["turned_low_at"]["largest"] or 99)) - 0.5,
                    T("那是“先出现的优先”的毛病；按字典序取，与先后无关。",
                      "that is the trouble with “first seen”; the order of the alphabet does "
                      "not mind which word came first.")))),
        Question(
            T("把每个词内部的字母打乱，再做 {merges} 次合并。与英文原文相比，序列会怎样？",
              "Shuffle the letters inside every word, then make {merges} merges. Compared "
              "with plain English, what happens to the length?"),
            (Option(T("一点不缩短：没有规律就没法合并", "nothing shrinks: no rule, no merge"),
                    lambda m: m["text"]["shuffled"]["share"] - 0.9,
                    T("以为 BPE 要有词素才能合并。它只要次数，碰巧的也算。",
                      "thinks that BPE needs meaningful parts. It needs counts; chance will "
                      "do.")),
             Option(T("缩短得少些，但仍明显", "it shrinks less, but clearly"),
                    lambda m: min(0.9 - m["text"]["shuffled"]["share"],
                                  m["text"]["shuffled"]["share"]
                                  - m["text"]["real"]["share"] - 0.05)),
             Option(T("差不多一样", "about the same"),
                    lambda m: 0.05 - abs(m["text"]["shuffled"]["share"]
                                         - m["text"]["real"]["share"]),
                    T("以为只有字母的多少要紧。顺序要紧：th、ing 打乱就散了。",
                      "thinks that only the letters' frequency counts. Their order does: "
                      "shuffled, th and ing are gone.")),
             Option(T("比原文还短", "it gets even shorter"),
                    lambda m: m["text"]["real"]["share"]
                    - m["text"]["shuffled"]["share"] - 0.05,
                    T("以为越乱越平均、越好压。正相反。",
                      "takes disorder for something easier to compress. It is the "
                      "reverse."))))),
    pins={"text.*.share": RATIO, "*": COUNTED},
    errata=ERRATA["merges"],
    notes=T(
        "约 8 分钟。让学生自己在纸上做前两步，再看表。争论点：没有写明平手规则的论文，"
        "能复现吗？"
        "试试 --set 1.merges=1000。",
        "About 8 minutes. Let the class do two merges on paper before the table. The "
        "argument: can a paper that does not state its tie rule be reproduced? Try "
        "--set 1.merges=1000."),
)

# --- 2. new words -------------------------------------------------------------------

WORD, HELD_OUT = "lovable", 1_000_000           # added to the seed


def spelled(tokenizer: Tokenizer, word: str) -> tuple[list[str], list[str]]:
    """The pieces of a word, and the symbols that are missing for it."""
    try:
        return [read(p) for p in tokenizer.pieces(word)], []
    except UnknownSymbols as refused:
        return [], [read(s) for s in refused.symbols]


def new_words(merges: int, words: int, seed: int, split: Any = characters,
              mix: Any = None, cap: int | None = None) -> Metrics:
    """A word never seen; three vocabularies on a held-out text; a curve."""
    toy = train(counted(TOY), 20, split=split)
    toy_pieces, missing = spelled(toy, WORD)
    bytewise = train(counted(TOY), 20, split=utf8)
    byte_pieces, byte_missing = spelled(bytewise, WORD)

    text = words_of(english(words, seed))
    text = mix(text, seed) if mix else text
    types = counted(text)
    held_out = words_of(english(3_000, seed + HELD_OUT))
    full = train(types, merges if cap is None else cap)
    shares = (0, 5, 10, 20, 30, 50, 75, 100)    # per cent of the merges
    xs = sorted({merges * share // 100 for share in shares})
    curve, refused = [], []
    for x in xs:
        some = full.shorter(x)
        cuts = {w: spelled(some, w) for w in set(held_out)}
        curve.append(sum(len(cuts[w][0]) for w in held_out) / len(held_out))
        refused.append(sum(bool(cuts[w][1]) for w in held_out))
    unseen = sum(w not in types for w in held_out)
    return {
        "word": WORD, "seen": types.get(WORD, 0),
        "toy": {"words": list(TOY), "pieces": toy_pieces,
                "cut": "+".join(toy_pieces), "missing": missing,
                "missing_line": " ".join(missing),
                "n_missing": len(missing)},
        "byte": {"tokens": len(byte_pieces),
                 "n_missing": len(byte_missing)},
        "notes_cut": "love" + "able",
        "by_merges": [{"merges": x, "cut": " + ".join(
            spelled(full.shorter(x), WORD)[0])} for x in xs],
        "cut": "+".join(spelled(full, WORD)[0]),
        "merges": merges, "curve": {"merges": xs, "length": curve},
        "half": curve[xs.index(merges // 2)],
        "text_words": len(text), "held_out_words": len(held_out),
        "kinds": {
            "characters": {"vocabulary": len(full.base), "length": curve[0],
                           "unknown": refused[0] / len(held_out)},
            "subwords": {"vocabulary": len(full.vocabulary),
                         "length": curve[-1],
                         "unknown": refused[-1] / len(held_out)},
            "words": {"vocabulary": len(types), "length": 1.0,
                      "unknown": unseen / len(held_out)}}}


KINDS = {"characters": T("字符", "characters"), "subwords": T("子词（BPE）", "subwords (BPE)"),
         "words": T("整词", "words")}


def show_new_words(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "{word} 在训练文本里出现 {seen} 次。"
        "只见过五个小词的字符级 BPE 缺 {toy[missing_line]} 这 "
        "{toy[n_missing]} 个符号，只能拒绝；以字节为底，就切成 {byte[tokens]} 个 token，缺 "
        "{byte[n_missing]} 个符号。",
        "{word} occurs {seen} times in the training text. The character BPE of the five small "
        "words lacks {toy[n_missing]} symbols, {toy[missing_line]}, and can only refuse; on a "
        "base of bytes it becomes {byte[tokens]} tokens and {byte[n_missing]} symbols are "
        "missing."))
    yield Table(
        (Column(T("合并次数", "merges"), ",d"), Column(T("{word} 的切法", "how {word} is cut"))),
        [[row["merges"], row["cut"]] for row in m["by_merges"]],
        title=T("同一个新词，合并得越多切得越粗（{text_words:,} 个词的英文）",
                "One new word: more merges, coarser cuts (English, {text_words:,} words)"))
    yield Table(
        (Column(T("单位", "unit")), Column(T("词表", "vocabulary"), ",d"),
         Column(T("每个词的 token", "tokens a word"), ".2f"),
         Column(T("不认识的词", "unknown words"), ".1%")),
        [[KINDS[n], k["vocabulary"], k["length"], k["unknown"]]
         for n, k in m["kinds"].items()],
        title=T("三种单位，在没训练过的 {held_out_words:,} 个词上",
                "Three units, on {held_out_words:,} words of text not trained on"))
    if len(m["curve"]["merges"]) > 1:
        yield Curve(m["curve"]["merges"],
                    ((T("没训练过的文本", "text not trained on"), m["curve"]["length"]),),
                    T("合并次数", "merges"), T("每个词几个 token", "tokens a word"))


NEW_WORDS = Part(
    number=2, key="new_words",
    title=T("没见过的词", "New words"),
    compute=new_words, describe=show_new_words,
    params={"merges": Param(600, 0, 2000, about=T("合并几次", "how many merges")),
            "words": Param(12_500, 500, 50_000,
                           about=T("训练文本有多少词", "words in the training text"))},
    controls={"byte_base": partial(new_words, split=utf8),
              "letters_shuffled": partial(new_words, mix=shuffled),
              "no_merges": partial(new_words, cap=0)},
    claims=(
        Claim("refused", T(
            "子词不保证能拼出新词：五个小词的词表缺 {toy[n_missing]} 个符号，{word} 编码不了；"
            "以字节为底缺 {byte[n_missing]} 个。",
            "Subwords do not always cover a new word: the vocabulary of the five words lacks "
            "{toy[n_missing]} symbols of {word} and cannot encode it; a base of bytes lacks "
            "{byte[n_missing]}."),
            lambda m: min(m["toy"]["n_missing"] - 0.5, 0.5 - m["byte"]["n_missing"]),
            "byte_base"),
        Claim("stem_and_ending", T(
            "在 {text_words:,} 个词的文本上合并 {merges:,} 次，"
            "没见过的 {word}（出现 {seen} 次）切成 "
            "{cut}：两块都来自别的词。",
            "After {merges:,} merges on a text of {text_words:,} words {word}, which it never "
            "saw ({seen} occurrences), is cut into {cut}: both pieces come from other words."),
            lambda m: min((m["cut"] == "lov+able") - 0.5, 0.5 - m["seen"]),
            "letters_shuffled"),
        Claim("between", T(
            "子词在中间：每个词 {kinds[subwords][length]:.2f} 个 token，字符要 "
            "{kinds[characters][length]:.2f} 个；整词只要 {kinds[words][length]:g} 个，"
            "但词表是 "
            "{kinds[words][vocabulary]:,} 对 {kinds[subwords][vocabulary]:,}，还有 "
            "{kinds[words][unknown]:.1%} 的词不认识，子词是 {kinds[subwords][unknown]:.1%}。",
            "Subwords stand between: {kinds[subwords][length]:.2f} tokens a word where "
            "characters take {kinds[characters][length]:.2f}; whole words take "
            "{kinds[words][length]:g}, but need a vocabulary of {kinds[words][vocabulary]:,} "
            "against {kinds[subwords][vocabulary]:,} and leave {kinds[words][unknown]:.1%} of "
            "the words unknown, subwords {kinds[subwords][unknown]:.1%}."),
            lambda m: min(m["kinds"]["words"]["vocabulary"]
                          - m["kinds"]["subwords"]["vocabulary"],
                          m["kinds"]["characters"]["length"]
                          - m["kinds"]["subwords"]["length"] - 0.5,
                          m["kinds"]["subwords"]["length"] - m["kinds"]["words"]["length"],
                          m["kinds"]["words"]["unknown"] - m["kinds"]["subwords"]["unknown"],
                          1e-9 - m["kinds"]["subwords"]["unknown"]),
            "no_merges"),
        Claim("early_merges", T(
            "前一半合并省得多：每个词从 {curve[length][0]:.2f} 个 token 降到 {half:.2f}，"
            "后一半只降到 "
            "{kinds[subwords][length]:.2f}。",
            "The first half of the merges saves most: from {curve[length][0]:.2f} tokens a "
            "word to {half:.2f}; the second half only gets to "
            "{kinds[subwords][length]:.2f}."),
            lambda m: (m["curve"]["length"][0] - m["half"]
                       - 2 * (m["half"] - m["kinds"]["subwords"]["length"])),
            "no_merges"),
    ),
    caveat=T(
        "lov 和 able 看起来像词干和词尾，那是因为次数够多：同一张表里，合并得少时的切法就不像。"
        "新的文本与训练文本出自同一个程序，真实文本里有多少不认识的词，要另外去测。",
        "lov and able look like stem and ending because their counts were high enough; with "
        "fewer merges, same table, the cut looks like nothing. And the new text is by the "
        "same program as the old: how much of real text is unknown must be measured there."),
    questions=(Question(
        T("只见过 low、lower、new、lowest、newer 的字符级 BPE，会把 lovable 切成什么？",
          "A character BPE has seen low, lower, new, lowest, newer. How does it cut lovable?"),
        (Option(T("lov + able", "lov + able"),
                lambda m: (m["toy"]["cut"] == "lov+able") - 0.5,
                T("要先在别的词里见过 able，才合并得出来。",
                  "able must first be met, and joined, in other words.")),
         Option(T("love + able", "love + able"),
                lambda m: (m["toy"]["cut"] == m["notes_cut"]) - 0.5,
                T("拼起来是 loveable，多一个 e：切开的各段接起来必须等于原词。",
                  "that spells loveable, one e too many: pieces joined must give the word "
                  "back.")),
         Option(T("切不了：有些字母不在词表里",
                  "it cannot: some letters are not in the vocabulary"),
                lambda m: m["toy"]["n_missing"] - 0.5),
         Option(T("七个单独的字母", "seven single letters"),
                lambda m: (m["toy"]["cut"] == "+".join(m["word"])) - 0.5,
                T("以为子词总能退到字母。只有词表里有的字母才退得到，字节级的才总能退。",
                  "thinks that subwords can always fall back on letters: only on letters of "
                  "the vocabulary. Bytes always can.")))),),
    pins={"kinds.*.length": RATIO, "kinds.*.unknown": RATIO, "curve.length.*": RATIO,
          "half": RATIO, "*": COUNTED},
    errata=ERRATA["new_words"],
    notes=T(
        "约 6 分钟。让学生猜 lovable 合并多少次才切成两块，再看表。试试 --set 2.merges=200。",
        "About 6 minutes. Let them guess how many merges it takes until lovable falls into "
        "two pieces. Try --set 2.merges=200."),
)

# --- 3. bytes -------------------------------------------------------------------------

SENTENCE = "中国的首都是北京"
HARD = {"chinese": SENTENCE, "english": "the capital of China is Beijing",
        "mixed": "地球 = earth, 8 × β\n", "emoji": "\U0001f469\u200d\U0001f680",
        "controls": "\x00\t\r\n", "half": "\ud83d", "empty": ""}


def alone(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """The mistake: every token made text by itself."""
    pieces = [tokenizer.vocabulary[i] for i in ids]
    return "".join(p if isinstance(p, str) else p.decode("utf-8", "replace")
                   for p in pieces)


def down_to_bytes(merges: int, seed: int, encoding: str = "utf-8",
                  split: Any = utf8,
                  decode: Callable[..., str] = Tokenizer.decode) -> Metrics:
    """A sentence as bytes and tokens; hard texts there and back."""
    types = counted(chunks(chinese(seed=seed)))
    base = sorted(set("".join((*types, *HARD.values()))))
    tokenizer = train(types, merges, split=split,
                      base=base if split is characters else None)
    ids = tokenizer.encode(SENTENCE)
    pieces = [tokenizer.vocabulary[i] for i in ids]
    tokens = [read(p) for p in pieces]
    trips = {}
    for name, text in HARD.items():
        there = tokenizer.encode(text)
        trips[name] = {"characters": len(text), "bytes": len(
            text.encode(encoding, "surrogatepass")), "tokens": len(there),
            "exact": decode(tokenizer, there) == text}
    return {
        "text": SENTENCE, "characters": len(SENTENCE),
        "bytes": len(SENTENCE.encode(encoding)),
        "hex": [c.encode(encoding).hex(" ").upper() for c in SENTENCE],
        "byte_line": " ".join(c.encode(encoding).hex(" ").upper()
                              for c in SENTENCE[:2]),
        "merges": len(tokenizer.merges), "tokens": len(ids),
        "numbers": list(range(1, len(ids) + 1)),
        "pieces": tokens, "lengths": [len(p) for p in pieces],
        "partial": sum("[" in t for t in tokens),
        "replaced": alone(tokenizer, ids).count("\ufffd"),
        "joined": tokenizer.decode(ids) == SENTENCE,
        "trips": trips, "exact": sum(t["exact"] for t in trips.values()),
        "texts": len(trips)}


TRIPS = {"chinese": T("中文", "Chinese"), "english": T("英文", "English"),
         "mixed": T("中英文和符号混排", "Chinese, English and signs mixed"),
         "emoji": T("由几个码点拼成的表情", "an emoji of several code points"),
         "controls": T("控制字符", "control characters"),
         "half": T("半个代理对", "half a surrogate pair"), "empty": T("空文本", "no text")}


def show_bytes(m: Metrics) -> Iterator[Block]:
    yield Paragraph(T(
        "{text}：{characters} 个字，{bytes} 个字节，开头两个字是 {byte_line}。在中文文本上合并 "
        "{merges} 次以后是 {tokens} 个 token：",
        "{text}: {characters} characters, {bytes} bytes; the first two characters are "
        "{byte_line}. After {merges} merges on Chinese text it has {tokens} tokens:"))
    yield Table(
        (Column(T("第几个", "number"), "d"), Column(T("token", "token")),
         Column(T("字节", "bytes"), "d")),
        list(zip(m["numbers"], m["pieces"], m["lengths"], strict=True)),
        legend=T("方括号里是不成整字的字节：照原样写出来，从不用替换符冒充。",
                 "In brackets: bytes that are no whole character, written as they are, "
                 "never as a replacement character."))
    yield Table(
        (Column(T("文本", "text")), Column(T("字符", "characters"), "d"),
         Column(T("字节", "bytes"), "d"), Column(T("token", "tokens"), "d"),
         Column(T("还原无误", "restored"))),
        [[TRIPS[n], t["characters"], t["bytes"], t["tokens"], t["exact"]]
         for n, t in m["trips"].items()],
        title=T("编码再解码：先把字节接起来，再变成字",
                "There and back: bytes are joined first, then made characters"))


DOWN = Part(
    number=3, key="bytes",
    title=T("字节：没有不认识的字", "Bytes: nothing is unknown"),
    compute=down_to_bytes, describe=show_bytes,
    params={"merges": Param(100, 0, 1000, about=T("合并几次", "how many merges"))},
    controls={"two_byte_code": partial(down_to_bytes, encoding="utf-16-le"),
              "whole_characters": partial(down_to_bytes, split=characters),
              "token_by_token": partial(down_to_bytes, decode=alone)},
    claims=(
        Claim("three_bytes", T(
            "这 {characters} 个汉字在 UTF-8 里是 {bytes} 个字节，一字三个。",
            "These {characters} Chinese characters are {bytes} bytes of UTF-8, three each."),
            lambda m: min(m["characters"] - 0.5,
                          0.5 - abs(m["bytes"] - 3 * m["characters"])), "two_byte_code"),
        Claim("partial_tokens", T(
            "{tokens} 个 token 里有 {partial} 个含有不成整字的字节；若逐个解码，"
            "会冒出 {replaced} 个"
            "替换符，接起来再解码则一个字不差。",
            "Of {tokens} tokens {partial} hold bytes that are no whole character; decoded one "
            "by one they give {replaced} replacement characters, joined first they give the "
            "sentence back exactly."),
            lambda m: min(m["partial"] - 0.5, m["replaced"] - 0.5, m["joined"] - 0.5),
            "whole_characters"),
        Claim("round_trip", T(
            "{texts} 段文本里 {exact} 段还原得一点不差，哪怕训练时只见过中文。",
            "Of {texts} texts {exact} come back exactly, though it was trained on Chinese "
            "alone."),
            lambda m: m["exact"] - m["texts"] + 0.5, "token_by_token"),
    ),
    caveat=T(
        "还原无误说的是编码，不是模型：模型若生成了不成整字的字节，解码时仍然要决定怎么办；"
        "这里是报错。",
        "Exact means the code, not the model: a model may well produce bytes that are no "
        "character, and decoding must then decide what to do; here it is an error."),
    questions=(Question(
        T("“中国的首都是北京”切成 token，再把每个 token 单独解码、拼起来。会得到什么？",
          "A Chinese sentence, “the capital of China is Beijing”, is cut into byte-level "
          "tokens; every token is decoded by itself and the texts put together. What comes "
          "out?"),
        (Option(T("原句", "the sentence"),
                lambda m: 0.5 - m["replaced"],
                T("以为 token 的边界就是字的边界。合并看次数，不看字。",
                  "thinks that tokens end where characters end. Merges follow counts, not "
                  "characters.")),
         Option(T("有些地方是替换符（问号方块）", "replacement characters in some places"),
                lambda m: min(m["replaced"] - 0.5, m["tokens"] - m["partial"] - 0.5)),
         Option(T("全是替换符", "nothing but replacement characters"),
                lambda m: m["partial"] - m["tokens"] + 0.5,
                T("以为字节级的 token 都不成字。常见的字合并得成整字。",
                  "thinks that a byte token is never a character. Frequent characters are "
                  "joined whole.")),
         Option(T("报错：原句已经丢了", "an error: the sentence is lost"),
                lambda m: 0.5 - m["joined"],
                T("什么也没丢：字节都在，只是解码早了一步。",
                  "nothing is lost: all bytes are there, decoding came one step too "
                  "early.")))),),
    pins={"*": COUNTED},
    errata=ERRATA["bytes"],
    notes=T(
        "约 4 分钟。看第 2 张表里的“半个代理对”：它不是合法的文本，照样还原。争论点："
        "聊天界面逐 token"
        "显示，遇到半个字该怎么办？",
        "About 4 minutes. Look at half a surrogate pair in the second table: no valid text, "
        "and still restored. The argument: a chat window shows token by token; what should "
        "it do with half a character?"),
)

PARTS = (SIX, MERGES, NEW_WORDS, DOWN)
