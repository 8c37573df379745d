"""A small world of sentences in two languages: is there anything to translate here?

Two grammars that no word-by-word dictionary gets through. French to English: object
pronouns and adjectives change places (je t' aime, I love you), verbs and adjectives agree,
one word becomes two (regarde, look at), and one spelling means two things (la: the, her).
English to Chinese: time and place move before the verb, a noun chooses its measure word,
and one verb has three translations (play: football, basketball, the piano).

Every pair comes with its links: which source words each target word stands for. A
sentence of the exam is never trained on, though all of its words are. Spelling is plain
ASCII: French accents are left out, here and of what a user types. Left out of the
language: tenses, questions, relative clauses, and all of meaning.

Standard library only; nothing here knows a model.
"""

from __future__ import annotations

import functools
import itertools
import random
import re
import unicodedata
from typing import NamedTuple

from lecture.inputs import whole

PAD, BOS, EOS = "<pad>", "<bos>", "<eos>"
DIRECTIONS = ("fr_en", "en_zh")
ALWAYS_HELD_OUT = {"fr_en": "je t' aime", "en_zh": "I love AI"}
HELD_OUT, TRAINED_ON = 400, 4000


class Pair(NamedTuple):
    """A sentence and its translation; links[i]: the source places of target word i."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[tuple[int, ...], ...]


class _Builder:
    """A sentence under construction: say() a source word, then mean() it in any order."""

    def __init__(self) -> None:
        self.source: list[str] = []
        self.target: list[str] = []
        self.links: list[tuple[int, ...]] = []

    def say(self, *words: str) -> tuple[int, ...]:
        """Source words, one after the other; their places."""
        self.source += words
        return tuple(range(len(self.source) - len(words), len(self.source)))

    def mean(self, words: str, places: tuple[int, ...]) -> None:
        """Target words that stand for the source words at these places."""
        for word in words.split():
            self.target.append(word)
            self.links.append(places)

    def pair(self) -> Pair:
        return Pair(tuple(self.source), tuple(self.target), tuple(self.links))


# --- French to English ------------------------------------------------------------
# person: 0 je, 1 tu, 2 il, 3 nous, 4 vous, 5 ils
FRENCH_SUBJECTS = {"je": (0, "I"), "tu": (1, "you"), "il": (2, "he"), "elle": (2, "she"),
                   "nous": (3, "we"), "vous": (4, "you"), "ils": (5, "they"),
                   "elles": (5, "they")}
FRENCH_OBJECTS = {"me": "me", "te": "you", "le": "him", "la": "her", "nous": "us",
                  "vous": "you", "les": "them"}
SAME_PERSON = {"je": ("me", "nous"), "tu": ("te", "vous"), "nous": ("nous", "me"),
               "vous": ("vous", "te")}
_SUBJECTS = list(FRENCH_SUBJECTS)
_OBJECTS_OF = {subject: [p for p in FRENCH_OBJECTS if p not in SAME_PERSON.get(subject or "", ())]
               for subject in (None, *FRENCH_SUBJECTS)}
# six forms, then English: with I, with he, and what follows it; what it may be said of
FRENCH_VERBS: list[tuple[list[str], str, str, str, str]] = [
    (forms.split(), plain, third, after, objects) for forms, plain, third, after, objects in (
    ("aime aimes aime aimons aimez aiment", "love", "loves", "", "definite"),
    ("ecoute ecoutes ecoute ecoutons ecoutez ecoutent", "listen", "listens", "to", "living"),
    ("vois vois voit voyons voyez voient", "see", "sees", "", "any"),
    ("trouve trouves trouve trouvons trouvez trouvent", "find", "finds", "", "any"),
    ("cherche cherches cherche cherchons cherchez cherchent", "look", "looks", "for", "any"),
    ("regarde regardes regarde regardons regardez regardent", "look", "looks", "at", "any"),
    ("attends attends attend attendons attendez attendent", "wait", "waits", "for", "any"),
)]
# French one, many; English one, many; feminine?
LIVING = (("chat", "chats", "cat", "cats", False), ("chien", "chiens", "dog", "dogs", False),
          ("fille", "filles", "girl", "girls", True), ("ami", "amis", "friend", "friends", False),
          ("homme", "hommes", "man", "men", False), ("dame", "dames", "lady", "ladies", True))
NOT_LIVING = (("livre", "livres", "book", "books", False),
              ("fleur", "fleurs", "flower", "flowers", True),
              ("pomme", "pommes", "apple", "apples", True),
              ("bateau", "bateaux", "boat", "boats", False))
OF_THE_LIVING = (("calme", "calme", "calm"), ("content", "contente", "happy"),
                 ("intelligent", "intelligente", "clever"))
OF_OBJECTS = (("rouge", "rouge", "red"), ("vert", "verte", "green"), ("noir", "noire", "black"))


def _vowel(word: str) -> bool:
    return word[0] in "aeiouh"


def _elide(word: str, following: str) -> str:
    """je, ne, me, te, le, la lose their vowel before another one."""
    return word[0] + "'" if word in ("je", "ne", "me", "te", "le", "la") and _vowel(
        following) else word


def _noun_phrase(rng: random.Random, b: _Builder, living: bool, definite: bool
                 ) -> tuple[bool, list[tuple[str, tuple[int, ...]]]]:
    """Say a French noun phrase; (is it plural, the English words with their places)."""
    one, many, english, englishes, feminine = rng.choice(LIVING if living else NOT_LIVING)
    plural, noun = rng.random() < 0.4, one
    if plural:
        noun, english = many, englishes
    if definite:
        article = "les" if plural else _elide("la" if feminine else "le", noun)
        meaning = "the"
    else:
        article = "des" if plural else "une" if feminine else "un"
        meaning = "some" if plural else "a"
    the, it = b.say(article), b.say(noun)
    words = [(english, it)]
    if rng.random() < 0.5:
        masculine, feminine_form, adjective = rng.choice(OF_THE_LIVING if living else OF_OBJECTS)
        form = (feminine_form if feminine else masculine) + "s" * plural
        words.insert(0, (adjective, b.say(form)))
    if meaning == "a" and _vowel(words[0][0]) and words[0][0] != "happy":
        meaning = "an"
    return plural, [(meaning, the), *words]


def french_english(rng: random.Random) -> Pair:
    """Subject, verb, object: with pronouns or nouns, sometimes denied."""
    b = _Builder()
    subject: str | None = None
    if rng.random() < 0.6:
        subject = rng.choice(_SUBJECTS)
        person, english = FRENCH_SUBJECTS[subject]
        head = [(english, b.say(subject))]
    else:
        plural, head = _noun_phrase(rng, b, living=True, definite=rng.random() < 0.75)
        person = 5 if plural else 2
    forms, plain, third, after, objects = rng.choice(FRENCH_VERBS)
    verb = forms[person]
    denied, by_pronoun = rng.random() < 0.35, rng.random() < 0.45
    pronoun = rng.choice(_OBJECTS_OF[subject])
    meaning = FRENCH_OBJECTS[pronoun]
    if by_pronoun and _vowel(verb) and pronoun in ("le", "la"):
        meaning = "it"                          # l' does not tell him from her
    if subject == "je" and not denied and not by_pronoun:
        b.source[-1] = _elide("je", verb)
    not1 = b.say(_elide("ne", pronoun if by_pronoun else verb)) if denied else ()
    tail = [(meaning, b.say(_elide(pronoun, verb)))] if by_pronoun else []
    act = b.say(verb)
    not2 = b.say("pas") if denied else ()
    if not by_pronoun:
        definite = denied or objects != "any" or rng.random() < 0.5
        living = objects == "living" or rng.random() < 0.5
        tail = _noun_phrase(rng, b, living, definite)[1]
    for word, places in head:
        b.mean(word, places)
    if denied:
        b.mean("does" if person == 2 else "do", not1)
        b.mean("not", not2)
    b.mean(third if person == 2 and not denied else plain, act)
    b.mean(after, act)
    for word, places in tail:
        b.mean(word, places)
    return b.pair()


# --- English to Chinese -----------------------------------------------------------
ENGLISH_SUBJECTS = (("I", "我"), ("you", "你"), ("he", "他"), ("she", "她"), ("we", "我们"),
                    ("they", "他们"), ("the teacher", "老师"), ("the student", "学生"),
                    ("my friend", "我 的 朋友"))
ENGLISH_OBJECTS = (("me", "我"), ("you", "你"), ("him", "他"), ("her", "她"), ("us", "我们"),
                   ("them", "他们"))
SAME_IN_ENGLISH = {"I": ("me", "us"), "you": ("you",), "we": ("us", "me")}
FEELINGS = (("love", "loves", "爱"), ("like", "likes", "喜欢"), ("know", "knows", "认识"))
SUBJECTS_OF_STUDY = (("AI", "AI"), ("music", "音乐"), ("Chinese", "中文"))
COUNTED = {"book": ("books", "本", "书"), "hat": ("hats", "顶", "帽子"),
           "coat": ("coats", "件", "大衣"), "cat": ("cats", "只", "猫"),
           "letter": ("letters", "封", "信")}
QUALITIES = (("new", "新"), ("old", "旧"), ("red", "红"))
AMOUNTS = (("a", "一"), ("two", "两"), ("three", "三"), ("this", "这"), ("that", "那"))
# verb, with he, Chinese by object; what may follow
ACTIONS = (("read", "reads", "读", ("book", "letter")), ("buy", "buys", "买", tuple(COUNTED)),
           ("look for", "looks for", "找", tuple(COUNTED)),
           ("wear", "wears", {"hat": "戴", "coat": "穿"}, ("hat", "coat")),
           ("study", "studies", "学习", SUBJECTS_OF_STUDY),
           ("drink", "drinks", "喝", (("tea", "茶"), ("water", "水"), ("coffee", "咖啡"))),
           ("play", "plays", {"football": "踢", "basketball": "打", "the piano": "弹"},
            (("football", "足球"), ("basketball", "篮球"), ("the piano", "钢琴"))))
PLACES = (("in Beijing", "北京"), ("in Shanghai", "上海"), ("at home", "家"),
          ("at school", "学校"))
TIMES = (("today", "今天"), ("tomorrow", "明天"), ("every day", "每天"),
         ("in the evening", "晚上"))


def _counted(rng: random.Random, b: _Builder, noun: str, denied: bool
             ) -> list[tuple[str, tuple[int, ...]]]:
    """Say how many of what; the Chinese words with their places: 一 本 新 书."""
    amount, chinese = rng.choice(AMOUNTS[3:] if denied else AMOUNTS)
    many, measure, named = COUNTED[noun]
    quality = rng.choice(QUALITIES) if rng.random() < 0.4 else None
    if amount == "a" and quality == QUALITIES[1]:
        amount = "an"
    how_many, words = b.say(amount), []
    if quality:
        words = [(quality[1], b.say(quality[0]))]
    it = b.say(many if amount in ("two", "three") else noun)
    return [(chinese, how_many), (measure, how_many + it), *words, (named, it)]


def english_chinese(rng: random.Random) -> Pair:
    """Who does or feels what, sometimes denied, sometimes where and when."""
    b = _Builder()
    subject, who = rng.choice(ENGLISH_SUBJECTS)
    head = (who, b.say(*subject.split()))
    third = subject in ("he", "she") or " " in subject
    denied, feeling = rng.random() < 0.35, rng.random() < 0.3
    not_ = b.say("does" if third else "do", "not") if denied else ()

    def act(plain: str, with_he: str) -> tuple[int, ...]:
        return b.say(*(with_he if third and not denied else plain).split())

    where = when = None
    if feeling:
        plain, with_he, does = rng.choice(FEELINGS)
        verb = act(plain, with_he)
        people = [p for p in ENGLISH_OBJECTS if p[0] not in SAME_IN_ENGLISH.get(subject, ())]
        word, chinese = rng.choice(people if plain == "know" or rng.random() < 0.5
                                   else SUBJECTS_OF_STUDY)
        tail = [(chinese, b.say(word))]
    else:
        plain, with_he, said, things = rng.choice(ACTIONS)
        verb = act(plain, with_he)
        thing = rng.choice(things)
        if isinstance(thing, str):
            tail = _counted(rng, b, thing, denied)
        else:
            tail = [(thing[1], b.say(*thing[0].split()))]
        name = thing if isinstance(thing, str) else thing[0]
        does = said[name] if isinstance(said, dict) else said
        if rng.random() < 0.5:
            place, chinese = rng.choice(PLACES)
            where = (chinese, b.say(*place.split()))
        if rng.random() < 0.5:
            time, chinese = rng.choice(TIMES)
            when = (chinese, b.say(*time.split()))
    if head[0] == "我 的 朋友":
        b.mean("我 的", head[1][:1])
        b.mean("朋友", head[1][1:])
    else:
        b.mean(*head)
    if when:
        b.mean(*when)
    if denied:
        b.mean("不", not_)
    if where:
        b.mean("在", where[1][:1])
        b.mean(where[0], where[1][1:])
    # which play it is stands in the object: either place will do
    b.mean(does, verb + (tail[-1][1] if plain in ("play", "wear") else ()))
    for word, places in tail:
        b.mean(word, places)
    return b.pair()


# --- the corpus -------------------------------------------------------------------
GRAMMARS = {"fr_en": french_english, "en_zh": english_chinese}


class Corpus(NamedTuple):
    """Sentences to train on, sentences kept for the exam, and both vocabularies."""

    trained_on: tuple[Pair, ...]
    held_out: tuple[Pair, ...]
    source_words: tuple[str, ...]               # <pad> is 0
    target_words: tuple[str, ...]               # <pad> 0, <bos> 1, <eos> 2


def corpus(direction: str, trained_on: int = TRAINED_ON, held_out: int = HELD_OUT) -> Corpus:
    """Different sentences drawn from one grammar; the first `held_out` are the exam."""
    if direction not in GRAMMARS:
        raise ValueError(f"direction is one of {', '.join(DIRECTIONS)}, got {direction!r}")
    return _corpus(direction, whole("trained_on", trained_on, 1), whole("held_out", held_out, 1))


@functools.cache
def _corpus(direction: str, trained_on: int, held_out: int) -> Corpus:
    rng = random.Random(direction)              # noqa: S311
    first = ALWAYS_HELD_OUT[direction]
    found: dict[str, Pair] = {}
    fruitless = 0                               # draws in a row that gave nothing new
    while len(found) < trained_on + held_out:
        pair, before = GRAMMARS[direction](rng), len(found)
        found[" ".join(pair.source)] = pair
        fruitless = fruitless + 1 if len(found) == before else 0
        if fruitless > 20_000:
            raise ValueError(f"trained_on and held_out: the grammar has no more than about "
                             f"{before} sentences, got {trained_on + held_out}")
    while first not in found:
        pair = GRAMMARS[direction](rng)
        if " ".join(pair.source) == first:
            found[first] = pair
    order = [found.pop(first), *found.values()][:trained_on + held_out]
    sources, targets = (sorted(set(itertools.chain.from_iterable(getattr(p, side)
                                                                 for p in order)))
                        for side in ("source", "target"))
    return Corpus(tuple(order[held_out:]), tuple(order[:held_out]),
                  (PAD, *sources), (PAD, BOS, EOS, *targets))


def words_of(text: str) -> list[str]:
    """A typed sentence as words: je t'aime! -> je t' aime, without accents or marks."""
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    bare = bare.replace("\u2019", "'").replace("\u2018", "'")
    return re.findall(r"[A-Za-z]+'?|[^\sA-Za-z.,!?;:']+", bare)


def read(text: str) -> tuple[str, list[str], list[str]]:
    """(direction, words, unknown words) of a typed sentence, in the language that fits best.

    Capitals do not matter. With ties the first direction is taken.
    """
    found = []
    for direction in DIRECTIONS:
        known = {w.lower(): w for w in corpus(direction).source_words[1:]}
        words = [known.get(w.lower(), w) for w in words_of(text)]
        found.append((direction, words, [w for w in words if w.lower() not in known]))
    return min(found, key=lambda entry: len(entry[2]))


@functools.cache
def dictionary(direction: str) -> dict[str, str]:
    """The commonest translation of each source word, counted over the training links."""
    counts: dict[str, dict[str, int]] = {}
    for pair in corpus(direction).trained_on:
        meaning: dict[int, list[str]] = {}
        for word, places in zip(pair.target, pair.links, strict=True):
            meaning.setdefault(places[0], []).append(word)
        for place, word in enumerate(pair.source):
            said = " ".join(meaning.get(place, []))
            counts.setdefault(word, {}).setdefault(said, 0)
            counts[word][said] += 1
    return {word: max(sorted(said), key=said.__getitem__) for word, said in counts.items()}
