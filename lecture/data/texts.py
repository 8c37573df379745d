"""Which texts do tokenizers train on here?  English and Chinese, made by this file.

No text is fetched or copied.  english() writes sentences from templates: ordinary words
stand as data, the common ones first; a word is drawn with a chance of 1 / (rank + 2),
as words are spread in real text (Zipf); the usual endings (-s, -ed, -ing, -er, -est,
-ly, -ness, -able) are added by the usual spelling rules, so that pieces of words recur
as they do in English.  chinese() writes short sentences in the same way.

Unlike the world (pretrain_world.py) nothing here is asked: the sentences are grammar
without facts.  Left out: meaning, capital letters, quotation, and `lovable`, which
demo 01 needs as a word that was never seen (love stands high among the verbs; loved,
loving, lover and lovely are there).  The draws use random.Random.random() alone, which
Python keeps the same from version to version: one seed, one text, for ever.
"""

from __future__ import annotations

import random
import re
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from lecture.inputs import whole

# --- words, the common ones first -------------------------------------------------
NOUNS = """time year day man way child thing woman life hand part place case week school
system question night water room mother house area book word side kind head friend door
father power hour game line end member law car city name team minute idea body face
level office person art history party result morning reason girl moment boy teacher
force foot paper music street market table field river letter road picture song story
window garden tree bird horse farm winter summer storm stone bridge king queen doctor
farmer sister brother daughter neighbour island forest mountain village kitchen dinner
bottle basket blanket candle corner engine feather finger flower hammer ladder lantern
lesson matter mirror number ocean pencil pocket potato rabbit shadow shoulder silver
spider summer supper thunder ticket tiger timber tower town train valley wagon weather
wheel whistle wood worker writer reader speaker leader driver painter singer baker
dancer player hunter runner lover dreamer builder keeper berry straw cherry apple bread
butter cheese honey sugar pepper onion carrot banana dog cat cow sheep goat mouse fox
wolf bear lion fish ship boat sail harbour captain sailor soldier prisoner stranger
visitor customer passenger lawyer nurse cousin uncle aunt baby family country border
army battle victory danger secret answer puzzle lamp clock chair bed floor wall roof
chimney cellar fence gate path hill lake shore beach wave cloud rain snow wind fire
smoke ash dust mud clay sand iron gold copper glass silk wool cotton leather needle
thread button coat shirt shoe boot glove ring crown sword shield arrow bow drum flute
bell voice sound noise silence word promise mistake problem trouble pleasure treasure
measure figure future nature culture creature adventure direction collection election
attention connection invention station nation relation action section position
condition tradition education information conversation celebration decision television
movement government argument payment treatment agreement development department
kindness darkness happiness sadness illness weakness business friendship leadership
childhood neighbourhood freedom kingdom wisdom teaching meaning feeling building meeting
painting beginning evening wedding""".split()
VERBS = """look want call love ask need seem help show turn start play move like live believe
hold work talk open walk watch follow stop add wait open offer remember consider
serve stay reach kill raise pass report decide pull return explain hope carry wish push
plan cover visit paint plant cook clean wash count join touch taste smell climb jump
dance laugh smile cry shout whisper answer promise trust study marry hurry worry copy
bury empty dry fry try share save use move close change notice arrive receive deliver
discover remove improve approve observe deserve repair prepare compare compete complete
collect connect protect direct expect respect select inspect correct attack pack pick
kick lock knock check mark park thank drink print point paint count mount hunt want lift
shift sort start sail fail mail fill kill pull roll call fold load end mend send land
hand sound attend pretend depend defend repeat treat heat float cheat beat need feed
gather weather wander wonder order enter remember number measure treasure picture
mention question stop plan drop shop step slip trip clap hug beg rub grab""".split()
PLACES = """in on to at from with under over behind through across beside near between
around along inside against beyond towards""".split()
ADJECTIVES = """good new old great small large long young high little important big bad
early late hard strong free full special easy clear recent certain open red white black
green blue dark light cold warm hot cool wet dry deep wide narrow thick thin tall short
low slow quick fast soft loud quiet calm wild kind cruel brave proud poor rich clever
stupid happy sad angry hungry thirsty lucky funny pretty lovely lonely friendly heavy
busy lazy easy dirty clean fresh sweet bitter sour sharp smooth rough plain simple
gentle noble humble strange common rare famous dangerous nervous curious serious
careful hopeful useful helpful powerful peaceful cheerful beautiful wonderful careless
hopeless useless helpless homeless endless wooden golden broken frozen hidden forgotten
readable washable drinkable movable usable breakable remarkable comfortable valuable
reasonable available suitable portable enjoyable acceptable unable capable unhappy
unkind unlucky unclear unfair unknown unusual""".split()
GRADED = """new old great small large long young high strong hard clear dark light cold
warm wet dry deep wide thick tall short low slow quick fast soft loud quiet calm wild
kind brave proud poor rich happy hungry lucky funny heavy busy clean fresh sweet sharp
smooth rough plain strange rare""".split()
QUALITIES = """kind dark sad ill weak happy good soft loud bright cold quiet calm wild
rich sweet rough tired careful useful thankful hopeless helpless lonely friendly heavy
lazy polite foolish""".split()
MANNERS = """quick slow quiet calm kind brave proud clear strong sad happy angry hungry
lucky easy heavy lazy soft loud sharp smooth rough plain careful hopeful cheerful
careless nervous curious serious sudden certain recent strange usual final real near
loving""".split()
PAST = {"hold": "held", "beat": "beat", "feed": "fed", "send": "sent",
        "drink": "drank"}
DOUBLED = set("stop plan drop shop step slip trip clap hug beg rub grab big sad hot "
              "wet thin red".split())
PLURALS = {"child": "children", "man": "men", "woman": "women", "foot": "feet",
           "mouse": "mice", "wolf": "wolves", "life": "lives", "person": "people",
           "sheep": "sheep", "fish": "fish"}
MASS = set("""water weather bread butter cheese honey sugar pepper rain snow wind fire smoke
dust mud clay sand iron gold copper glass silk wool cotton leather timber wood straw music
history information education attention nature kindness darkness happiness sadness illness
weakness wisdom freedom leadership silence""".split())              # no plural
OWNERS = "his her their our my your its".split()
PEOPLE = "he she it they we i you".split()
NUMBERS = "two three four five six seven eight nine ten twenty".split()

# --- sentences: capital letters are slots --------------------------------------------
SENTENCES = """the N PAST the N .
the A N PAST P the N .
OWN N PAST P the A NS , and the N PAST too .
WHO PAST the NS of the N .
WHO would V the N , but the N was too A .
there were NUM NS P the N .
the N of the N is A and A .
NS and NS are ING P the N .
the N was ER than the N .
it was the EST N of the N .
WHO PAST MAN and then PAST the N .
the N was not A , so WHO PAST it .
a N is a A N that WHO can V .
with NESS and NESS the N PAST OWN N .
when the N PAST , the NS were ING .
all NS V when the N is A .
if WHO can V the N , the A NS will V it .
WHO had PAST the N for NUM NS .
the A A N is ING the NS .
NESS is ER than NESS .""".split("\n")


def ending(word: str, suffix: str) -> str:
    """A suffix by the usual rules: ("love", "ing") -> "loving", ("cry", "ed") -> "cried"."""
    if not word:
        raise ValueError("a word has at least one letter")
    if suffix == "s":
        if re.search(r"(s|x|z|ch|sh|[^o]to)$", word):
            return word + "es"
        return word[:-1] + "ies" if re.search(r"[^aeiou]y$", word) else word + "s"
    if re.search(r"[^aeiou]y$", word) and suffix != "ing":
        return word[:-1] + "i" + suffix
    if suffix in ("ly", "ness"):
        return word[:-1] + "y" if suffix == "ly" and word.endswith("le") else word + suffix
    if word.endswith("e") and not word.endswith("ee"):
        return word[:-1] + suffix
    return word + (word[-1] if word in DOUBLED else "") + suffix


def _zipf(rng: random.Random, words: Sequence[str]) -> Callable[[], str]:
    """Draws words, the word of rank r with a chance in proportion to 1 / (r + 2)."""
    steps = list(accumulate(1 / (rank + 2) for rank in range(len(words))))
    return lambda: words[bisect(steps, rng.random() * steps[-1])]


def _write(rng: random.Random, sentences: Sequence[str],
           slots: dict[str, Callable[[], str]]) -> Iterator[list[str]]:
    """Sentences without end, each a list of words."""
    while True:
        chosen = sentences[int(rng.random() * len(sentences))]
        yield [slots[w]() if w in slots else w for w in chosen.split()]


def english(words: int = 12_500, seed: int = 0) -> str:
    """English text of at least `words` words (signs not counted), one blank apart.

    english(40) -> "the name looked the life. ..."
    """
    whole("words", words, 0)
    whole("seed", seed, 0)
    rng = random.Random(f"english {seed}")                              # noqa: S311
    noun, verb = _zipf(rng, list(dict.fromkeys(NOUNS))), _zipf(rng, list(dict.fromkeys(VERBS)))
    graded, quality = _zipf(rng, GRADED), _zipf(rng, QUALITIES)
    manner = _zipf(rng, MANNERS)

    def plural() -> str:
        word = noun()
        while word in MASS:
            word = noun()
        return PLURALS.get(word) or ending(word, "s")

    def past() -> str:
        word = verb()
        return PAST.get(word) or ending(word, "ed")

    slots = {"N": noun, "NS": plural, "V": verb, "PAST": past,
             "ING": lambda: ending(verb(), "ing"), "A": _zipf(rng, ADJECTIVES),
             "ER": lambda: ending(graded(), "er"), "EST": lambda: ending(graded(), "est"),
             "NESS": lambda: ending(quality(), "ness"), "MAN": lambda: ending(manner(), "ly"),
             "P": _zipf(rng, PLACES), "OWN": _zipf(rng, OWNERS),
             "WHO": _zipf(rng, PEOPLE), "NUM": _zipf(rng, NUMBERS)}
    written: list[str] = []
    count = 0
    for sentence in _write(rng, SENTENCES, slots):
        if count >= words:
            break
        written += sentence
        count += sum(w[0].isalpha() for w in sentence)
    text = re.sub(r" ([.,])", r"\1", " ".join(written))
    return re.sub(r"\ba (?=[aeio]|un|hour)", "an ", text)


def words_of(text: str) -> list[str]:
    """The words of an English text, signs and blanks left out."""
    return re.findall(r"[a-z]+", text)


def shuffled(words: Sequence[str], seed: int = 0) -> list[str]:
    """The same words, the letters of each in a drawn order: lengths and letters stay.

    Every occurrence is drawn anew, so no order of letters can be frequent except by
    chance.
    """
    rng = random.Random(f"shuffled {seed}")                             # noqa: S311
    out = []
    for word in words:
        letters = list(word)
        for i in range(len(letters) - 1, 0, -1):
            j = int(rng.random() * (i + 1))
            letters[i], letters[j] = letters[j], letters[i]
        out.append("".join(letters))
    return out


# --- Chinese ---------------------------------------------------------------------
CAPITALS = {"中国": "北京", "法国": "巴黎", "英国": "伦敦", "德国": "柏林", "日本": "东京",
            "俄国": "莫斯科", "意大利": "罗马", "西班牙": "马德里", "埃及": "开罗",
            "希腊": "雅典", "泰国": "曼谷", "韩国": "首尔", "印度": "新德里",
            "越南": "河内", "波兰": "华沙", "古巴": "哈瓦那"}
CHINESE_NOUNS = "人 老师 学生 朋友 孩子 老人 工人 农民 医生 司机 妈妈 爸爸 姐姐 弟弟".split()
CHINESE_THINGS = ("书 水 茶 饭 花 树 车 船 门 灯 画 歌 信 地图 土地 天空 月亮 太阳 河水 大山 "
                  "电脑 机器 语言 文字 人工智能 智能机器 能力 工作").split()
CHINESE_VERBS = "爱 看 想 买 学 用 找 写 读 画 做 说 听 喜欢 研究 认识 知道 需要".split()
CHINESE_PLACES = "地上 家里 学校 城里 田里 山上 河边 路上 车站 工地 场地 这里 那里".split()
CHINESE_SENTENCES = """N 在 P V T 。
我 爱 T 。
我们 的 N 都 V T 。
地上 有 很多 T 。
这 是 N 的 T 。
N 不 V T ， 他 V T 。
C 的 首都 是 哪里 ？
N 人工 做 T ， 机器 也 能 做 T 。
在 P ， N 和 N 一起 V T 。""".split("\n")


def chinese(sentences: int = 300, seed: int = 0) -> str:
    """Chinese text: who does what where, and the capitals of CAPITALS."""
    whole("sentences", sentences, 0)
    whole("seed", seed, 0)
    rng = random.Random(f"chinese {seed}")                              # noqa: S311
    slots = {"N": _zipf(rng, CHINESE_NOUNS), "T": _zipf(rng, CHINESE_THINGS),
             "V": _zipf(rng, CHINESE_VERBS), "P": _zipf(rng, CHINESE_PLACES),
             "C": _zipf(rng, list(CAPITALS))}
    written: list[str] = []
    for sentence in _write(rng, CHINESE_SENTENCES, slots):
        if len(written) == sentences:
            break
        written.append("".join(sentence))
    return "".join(written) + "".join(f"{c}的首都是{k}。" for c, k in CAPITALS.items())
