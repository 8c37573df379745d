"""The counting behind demo 01: every part trains its tokenizers anew.

First what all parts share, pieces made readable and a text cut and counted; then, part by
part, four texts under merges of one language and of two, every merge of a toy text under
four rules for ties, words and texts that were never seen, and a sentence down to its
bytes.  The texts are made from templates by the seed; all else is counted.

Longer than 450 lines because each part counts with controls of its own.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from lecture.data.bpe import (
    TIES,
    Tokenizer,
    UnknownSymbols,
    Words,
    characters,
    chunks,
    counted,
    join,
    overlapping_pairs,
    shown,
    train,
    train_by_recounting,
    usable_pairs,
    utf8,
)
from lecture.data.texts import (
    ADJECTIVES,
    VERBS,
    chinese,
    ending,
    english,
    shuffled,
    words_of,
)
from lecture.report import Metrics


def read(piece: Any) -> str:
    """A piece for the eye: bytes in brackets, a blank as _."""
    blank, mark = (b" ", b"_") if isinstance(piece, bytes) else (" ", "_")
    return shown(piece.replace(blank, mark))


def cut(tokenizer: Tokenizer, text: str) -> Metrics:
    """A text's tokens, counted and shown."""
    ids = tokenizer.encode(text)
    pieces = [read(tokenizer.vocabulary[i]) for i in ids]
    return {"tokens": len(ids), "line": " ".join(pieces),
            "exact": tokenizer.decode(ids) == text}


# --- 0. six characters --------------------------------------------------------

OPENER = {"six": "我爱人工智能", "chinese": "我们的老师在学校里看书",
          "english": "our teacher is reading a book at school",
          "strawberry": " strawberry"}
READING, LETTER = " reading", "r"


def in_two(seed: int) -> str:
    """English, then Chinese."""
    return english(seed=seed) + chinese(seed=seed)


def more_english(seed: int) -> str:
    """As many characters as chinese() has, of English."""
    return english(seed=seed + 1)[:len(chinese(seed=seed))]


def learned(tokenizer: Tokenizer, text: str) -> Metrics:
    """What a training made: merges, those outside English letters, a word list?"""
    types = counted(chunks(text))
    whole = sum(n for chunk, n in types.items()
                if len(tokenizer.pieces(chunk)) == 1)
    return {"merges": len(tokenizer.merges),
            "vocabulary": len(tokenizer.vocabulary),
            "beyond_ascii": sum(not m.piece.isascii()
                                for m in tokenizer.merges),
            "whole": whole / sum(types.values())}


def six_characters(merges: int, seed: int,
                   first: Callable[..., str] = english,
                   added: Callable[..., str] = chinese) -> Metrics:
    """Bytes merged on English, then on English and Chinese; four texts cut.

    Leaves:
      texts.{six,chinese,english,strawberry}.{text,characters,bytes,
        {english,both}.{tokens,line,exact}}
      learned.{english,both}.{merges,vocabulary,beyond_ascii,whole}
      corpus_words base letters_r tokens_r  r in " strawberry": letters, tokens
      example.{text,bytes[n],n_bytes,pieces[n],line,ids[n],ids_line}
    """
    plain = first(seed=seed)
    corpora = {"english": plain, "both": plain + added(seed=seed)}
    made = {name: train(counted(chunks(text)), merges, split=utf8)
            for name, text in corpora.items()}
    texts = {key: {"text": text.strip(), "characters": len(text.strip()),
                   "bytes": len(text.strip().encode()),
                   **{name: cut(made[name], text) for name in made}}
             for key, text in OPENER.items()}
    one = made["english"]
    ids, straw = one.encode(READING), one.encode(OPENER["strawberry"])
    pieces = [read(one.vocabulary[i]) for i in ids]
    return {"texts": texts, "base": len(one.base),
            "learned": {n: learned(made[n], corpora[n]) for n in made},
            "corpus_words": len(words_of(corpora["english"])),
            "letters_r": OPENER["strawberry"].count(LETTER),
            "tokens_r": [read(one.vocabulary[i]) for i in straw].count(LETTER),
            "example": {"text": read(READING), "n_bytes": len(READING),
                        "bytes": [f"{b:02X}" for b in READING.encode()],
                        "pieces": pieces, "line": " ".join(pieces),
                        "ids": ids,
                        "ids_line": " ".join(map(str, ids))}}


OPENER_CONTROLS: dict[str, Any] = {
    "chinese_too": partial(six_characters, first=in_two),
    "english_again": partial(six_characters, added=more_english),
    "no_merges": lambda merges, seed: six_characters(0, seed),
}


# --- 1. BPE, merge by merge ---------------------------------------------------

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


def named(counts: Mapping[Any, int]) -> dict[str, int]:
    return {"+".join(pair): n for pair, n in counts.items()}


def under(tie: str, toy: Sequence[str], count: Any) -> Metrics:
    """All merges of the toy text under one rule for ties, and when low is one."""
    learn = partial(train_by_recounting, merges=20, tie=tie, count=count)
    found, again = (steps(types, learn(types)) for types in
                    (counted(toy), counted(reversed(toy))))
    low = next((s for s in found if s["piece"] == "low"), None)
    turned = next((s for s in again if s["piece"] == "low"), None)
    twice = low is not None and low["count"] > 1
    return {"steps": found,
            "low_at": low["step"] if low else None,
            "low_count": low["count"] if low else None,
            "low_twice": low["step"] if low and twice else None,
            "turned_low_at": turned["step"] if turned else None,
            "same_turned": [s["piece"] for s in found]
            == [s["piece"] for s in again]}


def first_merge(toy: Sequence[str], counts: Mapping[Any, int],
                relative: bool = True) -> Metrics:
    """The first pair by count, and by count over the counts of its symbols."""
    each = Counter("".join(toy))

    def score(pair: Any) -> float:
        whole = each[pair[0]] * each[pair[1]] if relative else 1
        return counts[pair] / whole

    best, most = max(counts, key=score), max(counts, key=lambda p: counts[p])
    return {"piece": "".join(best), "count": counts[best],
            "score": score(best), "by_count": "".join(most),
            "most": counts[most], "most_score": score(most)}


def shrink(words: Sequence[str], merges: int) -> Metrics:
    """How many symbols a text keeps after so many merges."""
    types = counted(words)
    tokenizer = train(types, merges)
    counts = [merge.count for merge in tokenizer.merges]
    before, after = sum(map(len, words)), sum(map(len, words)) - sum(counts)
    return {"different": len(types), "before": before, "after": after,
            "share": after / before, "last": counts[-1] if counts else 0}


def as_it_is(words: Sequence[str], seed: int) -> list[str]:
    return list(words)


def shuffled_once(words: Sequence[str], seed: int) -> list[str]:
    """Each different word has its letters shuffled one time, the same everywhere."""
    types = list(dict.fromkeys(words))
    other = dict(zip(types, shuffled(types, seed), strict=True))
    return [other[word] for word in words]


def any_letters(words: Sequence[str], seed: int) -> list[str]:
    """Words of the same lengths, each letter one of 26 with equal chances."""
    rng = random.Random(f"any letters {seed}")                          # noqa: S311
    return ["".join(chr(97 + int(rng.random() * 26)) for _ in word)
            for word in words]


ARMS: dict[str, Callable[..., list[str]]] = {
    "real": as_it_is, "once": shuffled_once, "anew": shuffled,
    "uniform": any_letters}


def again(mix: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """The same with other draws."""
    return lambda words, seed: mix(words, seed + 1)


def sentences(text: str) -> list[str]:
    """The text cut after full stops only: a merge may take a blank in."""
    return re.findall(r"[^.]+\.?", text)


def ways(tokenizer: Tokenizer, parts: Sequence[str]) -> Metrics:
    """In how many places each different word is cut, wherever it stands."""
    found: dict[str, set[tuple[int, ...]]] = {}
    for part in dict.fromkeys(parts):
        ends, at = [], 0
        for piece in tokenizer.pieces(part):
            at += len(piece)
            ends.append(at)
        for word in re.finditer(r"[a-z]+", part):
            inside = tuple(e - word.start() for e in ends
                           if word.start() < e < word.end())
            found.setdefault(word[0], set()).add(inside)
    return {"types": len(found), "several": sum(len(w) > 1
                                                for w in found.values())}


def borders(merges: int, seed: int, without: Any = sentences) -> Metrics:
    """The same text with the blank as a border of merges, and without."""
    text, new = english(3_000, seed), english(3_000, seed + HELD_OUT)
    base, found = sorted({*text, *new}), Metrics()
    for name, split in (("blank", chunks), ("none", without)):
        tokenizer = train(counted(split(text)), merges, base=base)
        across = [m.piece for m in tokenizer.merges
                  if re.search(r"\S\s", str(m.piece))]
        left = sum(n * len(tokenizer.pieces(part))
                   for part, n in counted(split(new)).items())
        found[name] = {"share": left / len(new), "across": len(across),
                       "pieces": " ".join(read(p) for p in across[:4]),
                       **ways(tokenizer, split(text))}
    return found


def merge_by_merge(merges: int, words: int, seed: int,
                   toy: Sequence[str] = TOY, ties: Any = None,
                   count: Any = usable_pairs, recount: bool = True,
                   relative: bool = True, arms: Any = None,
                   without: Any = sentences) -> Metrics:
    """Five words under four rules for ties; a text beside three shuffled ones.

    Leaves:
      words[5] base_size symbols total  the toy text: its letters, its pairs
      {pairs,after_first}.*  l+o: how often, before and after joining it
      rules.{first,smallest,largest,oldest}.{steps[n].{step,piece,count,
        replaced,left},low_at,low_count,low_twice,turned_low_at,same_turned}
      wordpiece.{piece,count,score,by_count,most,most_score}
      runs.{text,usable.*,overlapping.*,merge.{step,piece,count,replaced,left}}
      text.{words,merges,kinds.{real,once,anew,uniform}.{different,before,
        after,share,last}}
      border.{blank,none}.{share,across,pieces,types,several}  of new text
    """
    ties = ties or {tie: tie for tie in TIES}
    text = Words(counted(toy))                  # before and after one merge
    counts, start = text.recount(count), text.length()
    base = {s for word in text.symbols for s in word}
    pairs = named(counts)
    text.join_everywhere(("l", "o"))
    after = named(text.recount(count))
    keys = dict.fromkeys((*pairs, *after))
    after = after if recount else pairs

    runs = steps({RUNS: 1}, train_by_recounting({RUNS: 1}, 1, count=count))
    real = words_of(english(words, seed))
    mixed = {name: mix(real, seed) for name, mix in (arms or ARMS).items()}
    return {
        "words": list(toy), "symbols": start, "base_size": len(base),
        "total": sum(pairs.values()),
        "pairs": {k: pairs.get(k, 0) for k in keys},
        "after_first": {k: after.get(k, 0) for k in keys},
        "rules": {name: under(tie, toy, count) for name, tie in ties.items()},
        "wordpiece": first_merge(toy, counts, relative),
        "runs": {"text": RUNS, "usable": named(usable_pairs(RUNS)),
                 "overlapping": named(overlapping_pairs(RUNS)),
                 "merge": runs[0]},
        "text": {"words": len(real), "merges": merges,
                 "kinds": {n: shrink(w, merges) for n, w in mixed.items()}},
        "border": borders(merges, seed, without)}


MERGES_CONTROLS: dict[str, Any] = {
    "one_more_newer": partial(merge_by_merge, toy=(*TOY, "newer")),
    "rule_ignored": partial(merge_by_merge,
                            ties=dict.fromkeys(TIES, "smallest")),
    "not_recounted": partial(merge_by_merge, recount=False),
    "overlaps_counted": partial(merge_by_merge, count=overlapping_pairs),
    "never_the_same": partial(merge_by_merge,
                              arms={**ARMS, "once": again(shuffled)}),
    "both_shuffled": partial(merge_by_merge,
                             arms={**ARMS, "real": again(shuffled)}),
    "no_common_letters": partial(merge_by_merge,
                                 arms={**ARMS, "anew": again(any_letters)}),
    "plain_counts": partial(merge_by_merge, relative=False),
    "border_kept": partial(merge_by_merge, without=chunks),
}


# --- 2. new words -------------------------------------------------------------

WORD, HELD_OUT = "lovable", 1_000_000           # added to the seed
VERB_ENDINGS, ADJECTIVE_ENDINGS = ("ed", "ing", "er", "able"), ("er", "est",
                                                                "ly", "ness")


def spelled(tokenizer: Tokenizer, word: str) -> tuple[list[str], list[str]]:
    """The pieces of a word, and the symbols that are missing for it."""
    try:
        return [read(p) for p in tokenizer.pieces(word)], []
    except UnknownSymbols as refused:
        return [], [read(s) for s in refused.symbols]


def trace(tokenizer: Tokenizer, word: str) -> list[Metrics]:
    """The merges that apply to a word, in the order they were learned."""
    symbols = characters(word)
    found = [{"merge": 0, "count": None, "cut": "+".join(map(read, symbols))}]
    for number, merge in enumerate(tokenizer.merges, 1):
        after = join(symbols, merge.pair)
        if len(after) < len(symbols):
            symbols = after
            found.append({"merge": number, "count": merge.count,
                          "cut": "+".join(map(read, symbols))})
    return found


def seams(tokenizer: Tokenizer, seen: Mapping[str, int]) -> Metrics:
    """Derived words never seen: is there a cut where the ending begins?

    random: the chance that as many cuts at random places fall there.
    """
    seam: dict[str, int] = {}
    for stems, endings in ((VERBS, VERB_ENDINGS),
                           (ADJECTIVES, ADJECTIVE_ENDINGS)):
        for stem in stems:
            for end in endings:
                whole = ending(stem, end)
                if whole not in seen:
                    seam.setdefault(whole, len(whole) - len(end))
    letters = tuple(sorted({*tokenizer.base, *"".join(seam)}))
    wide = replace(tokenizer, base=letters)     # a rare letter stays a letter
    hits, chance = 0, 0.0
    for word, place in seam.items():
        pieces, ends = wide.pieces(word), {0}
        for piece in pieces:
            ends.add(max(ends) + len(piece))
        hits += place in ends
        chance += (len(pieces) - 1) / (len(word) - 1)
    ends_in = {*VERB_ENDINGS, *ADJECTIVE_ENDINGS}
    return {"words": len(seam), "hit": hits / len(seam),
            "random": chance / len(seam), "endings": len(ends_in),
            "joined": len(ends_in & set(tokenizer.vocabulary))}


def new_words(merges: int, words: int, seed: int, split: Any = characters,
              mix: Callable[..., list[str]] = as_it_is,
              cap: int | None = None, same_text: bool = False) -> Metrics:
    """A word never seen; derived words; three units on a held-out text.

    Leaves:
      word seen cut n_trace trace[n].{merge,count,cut}
      notes_cut  what the notes' pieces spell
      toy.{words[5],cut,missing[n],missing_line,n_missing}
      byte.{tokens,n_missing}  the toy text again, from bytes
      seam.{words,hit,random,endings,joined}  joined: endings that are tokens
      merges curve.{merges,length}[n] half  tokens a word; after half the merges
      text_words held_out_words
      kinds.{characters,subwords,words}.{vocabulary,length,unknown}
    """
    toy_pieces, missing = spelled(train(counted(TOY), 20, split=split), WORD)
    byte_pieces, byte_missing = spelled(
        train(counted(TOY), 20, split=utf8), WORD)

    text = mix(words_of(english(words, seed)), seed)
    types = counted(text)
    held_out = text[:3_000] if same_text else words_of(
        english(3_000, seed + HELD_OUT))
    full = train(types, merges if cap is None else cap)
    xs = sorted({merges * share // 100 for share in (0, 5, 10, 20, 30, 50,
                                                     75, 100)})
    curve, refused = [], []
    for x in xs:
        some = full.shorter(x)
        cuts = {w: spelled(some, w) for w in set(held_out)}
        curve.append(sum(len(cuts[w][0]) for w in held_out) / len(held_out))
        refused.append(sum(bool(cuts[w][1]) for w in held_out))
    unseen = sum(w not in types for w in held_out) / len(held_out)
    found = trace(full, WORD)
    sizes = {"characters": len(full.base), "subwords": len(full.vocabulary),
             "words": len(types)}
    lengths = {"characters": curve[0], "subwords": curve[-1], "words": 1.0}
    unknown = {"characters": refused[0] / len(held_out), "words": unseen,
               "subwords": refused[-1] / len(held_out)}
    return {
        "word": WORD, "seen": types.get(WORD, 0), "notes_cut": "love" + "able",
        "trace": found, "n_trace": len(found) - 1, "cut": found[-1]["cut"],
        "toy": {"words": list(TOY), "cut": "+".join(toy_pieces),
                "missing": missing, "missing_line": " ".join(missing),
                "n_missing": len(missing)},
        "byte": {"tokens": len(byte_pieces), "n_missing": len(byte_missing)},
        "seam": seams(full, types), "merges": merges,
        "curve": {"merges": xs, "length": curve},
        "half": curve[xs.index(merges // 2)],
        "text_words": len(text), "held_out_words": len(held_out),
        "kinds": {n: {"vocabulary": sizes[n], "length": lengths[n],
                      "unknown": unknown[n]} for n in sizes}}


NEW_WORDS_CONTROLS: dict[str, Any] = {
    "byte_base": partial(new_words, split=utf8),
    "letters_shuffled": partial(new_words, mix=shuffled_once),
    "no_merges": partial(new_words, cap=0),
    "same_text": partial(new_words, same_text=True),
}


# --- 3. bytes -----------------------------------------------------------------

SENTENCE = "中国的首都是北京"
HARD = {"chinese": SENTENCE, "english": "the capital of China is Beijing",
        "mixed": "地球 = earth, 8 × β\n", "emoji": "\U0001f469\u200d\U0001f680",
        "controls": "\x00\t\r\n"}


def alone(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """The mistake: every token made text by itself."""
    pieces = [tokenizer.vocabulary[i] for i in ids]
    return "".join(p if isinstance(p, str) else p.decode("utf-8", "replace")
                   for p in pieces)


def down_to_bytes(merges: int, seed: int, encoding: str = "utf-8",
                  split: Any = utf8,
                  decode: Callable[..., str] = Tokenizer.decode) -> Metrics:
    """A sentence as bytes and tokens; hard texts there and back.

    Leaves:
      text characters bytes hex[n]  hex: one entry a character
      merges n_tokens joined tokens[n].{number,piece,bytes,whole}
      partial replaced  tokens with loose bytes; marks, each token read alone
      trips.{chinese,english,mixed,emoji,controls}.{characters,bytes,tokens,
        exact}
      exact texts  how many come back as they went, of how many
    """
    types = counted(chunks(chinese(seed=seed)))
    base = sorted(set("".join((*types, *HARD.values()))))
    tokenizer = train(types, merges, split=split,
                      base=base if split is characters else None)
    ids = tokenizer.encode(SENTENCE)
    pieces = [tokenizer.vocabulary[i] for i in ids]
    tokens = [{"number": i, "piece": read(p), "bytes": len(p),
               "whole": "[" not in read(p)} for i, p in enumerate(pieces, 1)]
    trips = {}
    for name, text in HARD.items():
        there = tokenizer.encode(text)
        trips[name] = {"characters": len(text),
                       "bytes": len(text.encode(encoding)),
                       "tokens": len(there),
                       "exact": decode(tokenizer, there) == text}
    return {
        "text": SENTENCE, "characters": len(SENTENCE),
        "bytes": len(SENTENCE.encode(encoding)),
        "hex": [c.encode(encoding).hex(" ").upper() for c in SENTENCE],
        "merges": len(tokenizer.merges), "n_tokens": len(ids),
        "tokens": tokens, "partial": sum(not t["whole"] for t in tokens),
        "replaced": alone(tokenizer, ids).count("\ufffd"),
        "joined": tokenizer.decode(ids) == SENTENCE,
        "trips": trips, "exact": sum(t["exact"] for t in trips.values()),
        "texts": len(trips)}


BYTES_CONTROLS: dict[str, Any] = {
    "two_byte_code": partial(down_to_bytes, encoding="utf-16-le"),
    "whole_characters": partial(down_to_bytes, split=characters),
    "token_by_token": partial(down_to_bytes, decode=alone),
}
