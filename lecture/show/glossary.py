"""Which word is said how, in both languages, and where does the course introduce it?

The README's table is made from TERMS, and a test compares them; `lecture glossary` shows them.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

from lecture.errors import UsageProblem
from lecture.report import T
from lecture.settings import typed

if TYPE_CHECKING:
    from console import Screen


class Term(NamedTuple):
    """A term, one line about it, and the demo that introduces it."""

    name: T
    about: T
    demo: str


def _term(en: str, zh: str, about_en: str, about_zh: str, demo: str) -> Term:
    return Term(T(zh, en), T(about_zh, about_en), demo)


TERMS = (
    _term("token", "词元", "the unit a model reads; it has an id",
          "模型读写的最小单位，有一个编号", "01"),
    _term("vocabulary", "词表", "all tokens a model knows", "模型认识的全部词元", "01"),
    _term("tokenizer", "分词器", "text to ids, and back", "把文本变成编号，再变回来", "01"),
    _term("byte-pair encoding (BPE)", "字节对编码", "merges the most frequent neighbours, again "
          "and again", "一次次合并最常相邻的一对", "01"),
    _term("embedding", "嵌入", "the row of a table that stands for a token",
          "表中代表一个词元的那一行", "02"),
    _term("one-hot vector", "独热向量", "all zeros and a single one", "一个 1，其余全是 0", "02"),
    _term("co-occurrence", "共现", "how often two words stand near each other",
          "两个词有多常在一起出现", "02"),
    _term("hidden state", "隐状态", "what a network holds at a position",
          "网络在一个位置上存的向量", "03"),
    _term("recurrent network (RNN, LSTM)", "循环网络", "reads one token after another into one "
          "state", "一个接一个地读，都读进同一个状态", "03"),
    _term("encoder, decoder", "编码器、解码器", "reads the source; writes the target",
          "前者读原文，后者写译文", "03"),
    _term("teacher forcing", "教师强制", "training on the true previous token",
          "训练时总把正确的上一个词给它", "03"),
    _term("attention", "注意力", "a weighted mean of values, the weights from queries and keys",
          "值的加权平均，权重由查询和键算出", "04"),
    _term("query, key, value", "查询、键、值", "what is asked, what is offered for matching, what "
          "is handed over", "拿什么去问，凭什么被找到，交出什么", "04"),
    _term("score", "分数", "query · key, before the softmax", "查询和键的点积，还没过 softmax",
          "04"),
    _term("softmax", "softmax（归一化指数）", "scores to weights that sum to one",
          "把分数变成合计为 1 的权重", "04"),
    _term("weight (of attention)", "注意力权重", "the share a position takes from another",
          "从一个位置取走的份额", "04"),
    _term("sharpness β", "锐利度 β", "a factor on the scores", "乘在分数上的一个数", "04"),
    _term("scaling by √d", "除以 √d", "keeps the spread of scores independent of the width",
          "让分数的散布不随宽度变大", "04"),
    _term("entropy", "熵", "how spread out weights are; ln n when uniform",
          "权重有多分散；平均分给 n 个时是 ln n", "04"),
    _term("mask", "掩码", "which positions may be looked at", "哪些位置可以看", "04"),
    _term("causal mask", "因果掩码", "only itself and what stands before", "只看自己和前面的",
          "04"),
    _term("padding", "填充", "filler that must be masked", "补足长度的空位，要遮住", "06"),
    _term("cross-attention", "交叉注意力", "queries from the target, keys and values from the "
          "source", "查询来自译文，键和值来自原文", "10"),
    _term("head, multi-head attention", "头、多头注意力", "several attentions side by side, each "
          "in its own subspace", "几份注意力并排，各在自己的子空间里", "08"),
    _term("grouped-query attention (GQA, MQA)", "分组查询注意力", "heads that share keys and "
          "values", "几个头共用键和值", "08"),
    _term("KV cache", "KV 缓存", "keys and values kept while generating",
          "生成时把算过的键和值存起来", "11"),
    _term("positional encoding", "位置编码", "how a position is told to the network",
          "怎样把位置告诉网络", "07"),
    _term("rotary positions (RoPE)", "旋转位置编码", "turns queries and keys by an angle that "
          "grows with the position", "把查询和键转一个随位置增大的角", "07"),
    _term("residual stream", "残差流", "the sum that every layer reads and adds to",
          "每一层都来读、都往上加的那个和", "09"),
    _term("layer normalisation", "层归一化", "centres and scales each position's vector",
          "把每个位置的向量减去均值、除以标准差", "09"),
    _term("feed-forward network (MLP)", "前馈网络", "two linear maps with a bend between, at each "
          "position alone", "两次线性变换，中间拐一下弯，各个位置各算各的", "09"),
    _term("logits", "logits（未归一化分数）", "scores over the vocabulary, before the last softmax",
          "词表上的分数，还没过最后的 softmax", "04"),
    _term("beam search", "束搜索", "keeps the best few unfinished outputs",
          "每一步只留最好的几个半成品", "10"),
    _term("induction head", "归纳头", "finds the last time this token stood here, and copies what "
          "followed", "找到这个词上一次出现的地方，照抄后面那个词", "04"),
    _term("previous-token head", "前一词头", "looks one position back", "看前一个位置", "04"),
    _term("prefix matching", "前缀匹配", "looking at what followed an earlier copy of the present "
          "token", "去看同一个词上次出现后面的那个", "12"),
    _term("ablation", "消融", "switching a part off to see what it did",
          "把一个部件关掉，看它原来管什么", "12"),
    _term("activation patching", "激活替换", "putting an activation of another run in its place",
          "把另一次运行的激活值换进来", "14"),
    _term("reading early (logit lens)", "提前读（logit lens）", "the last map applied to a middle "
          "layer's state", "把中间层的状态直接交给最后的输出层", "14"),
    _term("control", "对照", "the same measurement with one mechanism removed",
          "同样的测量，只去掉一个机制", "04"),
    _term("calibration", "校准", "whether confidence matches accuracy", "有几分把握，就有几分对",
          "13"),
    _term("temperature", "温度", "a divisor of the logits", "除在 logits 上的一个数", "13"),
    _term("pin", "钉住的数值", "a recorded number with its tolerance",
          "记录下来的数，带着允许的误差", "04"),
    _term("fingerprint", "指纹", "a hash of all that could change a model's weights",
          "凡能改变权重的东西合起来的一个哈希", "04"),
)


def found(word: str | None) -> tuple[Term, ...]:
    """The terms in which a word occurs, all for None; UsageProblem names what is near."""
    if word is None:
        return TERMS
    wanted = typed(word).lower()
    hits = tuple(t for t in TERMS if wanted and any(
        wanted in text.lower() for text in (t.name.zh, t.name.en)))
    if hits:
        return hits
    known = {piece.strip(" ()"): t for t in TERMS for name in (t.name.zh, t.name.en)
             for piece in (name.lower(), *name.lower().replace("、", ",").split(","))}
    near = difflib.get_close_matches(wanted, known, 3, 0.5)
    raise UsageProblem(f"the glossary has no word {word!r}",
                       f"near ones: {', '.join(near)}" if near else "lecture glossary lists them")


def draw(terms: tuple[Term, ...], screen: Screen) -> None:
    """The terms in the screen's language, the other language's name beside."""
    other = "en" if screen.lang == "zh" else "zh"
    for term in terms:
        screen.line(f"{term.name.text(other)}  ({term.demo})",
                    first=f"{term.name.text(screen.lang)}  ", first_style="label")
        screen.line(term.about.text(screen.lang), indent=4)


def as_markdown() -> str:
    """The README's table."""
    rows = ["| English | 中文 | in one line | demo |", "|---|---|---|---|"]
    rows += [f"| {t.name.en} | {t.name.zh} | {t.about.en} | {t.demo} |" for t in TERMS]
    return "\n".join(rows) + "\n"
