"""10.4 A model of your own: T5, GPT-2, BERT: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d10_translation.errata import ERRATA
from demos.d10_translation.lesson import OWN_MODEL_CONTROLS, own_model
from demos.d10_translation.words import RECORDED
from lecture.margins import above, below, both, equal, word
from lecture.quantities import Maps, Named, Rows
from lecture.report import (
    Claim,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Quantity,
    Question,
    T,
    close,
)

KINDS = {"encoder-decoder": T("编码器–解码器", "encoder-decoder"),
         "decoder": T("只有解码器", "decoder only"),
         "encoder": T("只有编码器", "encoder only")}
MAPS = {"encoder": (T("编码器：谁看谁", "Encoder: who looks at whom"), "tokens", "tokens"),
        "decoder": (T("解码器：谁看谁", "Decoder: who looks at whom"), "fed", "fed"),
        "cross": (T("交叉注意力：译文看原文", "Cross-attention: translation at source"),
                  "fed", "tokens")}
QUANTITIES = {
    "families.*.kind": Quantity(T("类型", "kind"), words=KINDS),
    "families.*.encoder_right": Quantity(T("编码器", "encoder"), ".2f"),
    "families.*.decoder_right": Quantity(T("解码器", "decoder"), ".2f"),
    "families.*.unmasked_right": Quantity(T("解码器，去掉掩码", "decoder, mask removed"), ".2f"),
    "live.maps.*": Quantity(T("权重", "weight"), ".2f"),
    "live.steps.*.best.0.word": Quantity(T("第一", "first")),
    "live.steps.*.best.1.word": Quantity(T("第二", "second")),
    "*.p": Quantity(T("概率", "P"), ".3f"),
    "*": Quantity(T("数", "count"), "d"),
}
NAMES = {"families.t5": T("T5", "T5"), "families.gpt2": T("GPT-2", "GPT-2"),
         "families.bert": T("BERT", "BERT")}

LEAD = (
    Paragraph(T(
        "同样的看法用到别人的模型上。T5 是编码器–解码器，GPT-2 只有解码器，BERT 只有编码器。想看你"
        "自己的：--set model=文件夹 --set 4.text=\"句子\"（save_pretrained 写出的文件夹；不联网，不"
        "运行里面的代码）。会印出编号、词元、译文（T5，束宽 {beams}）或续写（GPT-2）、层数、头数、"
        "宽度，和注意力图。",
        "The same views of other people's models. T5 is an encoder-decoder, GPT-2 a decoder only, "
        "BERT an encoder only. For your own: --set model=FOLDER --set 4.text=\"a text\" (what "
        "save_pretrained writes; no network, no code of it is run). It prints ids, tokens, the "
        "translation (T5, {beams} beams) or continuation (GPT-2), layers, heads, widths, and "
        "maps.")),
)


def blocks(m: Metrics) -> Iterator[Named | Paragraph]:
    yield Rows("families.*", ("kind", "encoder_right", "decoder_right", "unmasked_right"),
               head=T("模型", "model"),
               title=T("记录：权重随机的小模型里，“向右看”的最大权重",
                       "Recorded: small models with random weights, the largest weight that looks "
                       "right"))
    if m["live"] is not None:
        yield from of_yours(m)


def of_yours(m: Metrics) -> Iterator[Named | Paragraph]:
    """The printed analysis of a folder: what the notes print of theirs, then the maps."""
    yield Paragraph(T(
        "你的模型：{live.family}，{live.layers} 层，{live.heads} 个头，宽度 {live.width}，每个头 "
        "{live.head_width}。\n输入编号  {live.ids}\n输入词元  {live.text}",
        "Your model: {live.family}, {live.layers} layers, {live.heads} heads, width {live.width}, "
        "{live.head_width} a head.\nInput ids     {live.ids}\nInput tokens  {live.text}"))
    if m["live"]["written"] is not None:
        yield Paragraph(T("译文（束宽 {live.beams}）  {live.written}",
                          "Translation ({live.beams} beams)  {live.written}")
                        if m["live"]["kind"] == "encoder-decoder" else
                        T("贪心续写  {live.written}", "Greedy continuation  {live.written}"))
    for kind, (title, row, column) in MAPS.items():
        if kind in m["live"]["maps"]:
            yield Maps((f"live.maps.{kind}",), f"live.{row}", f"live.{column}", title=title,
                       legend=T("最后一层的第一个头（L{live.last}H0），开头几个词元。",
                                "The first head of the last layer (L{live.last}H0), the first "
                                "tokens."))
    if m["live"]["steps"]:
        yield Rows("live.steps.*", ("best.0.word", "best.0.p", "best.1.word", "best.1.p"),
                   head=T("喂进去", "fed"), label="fed",
                   title=T("逐步贪心", "Greedy, step by step"))


def starts_from(token: str) -> Any:
    return lambda m: word(m.start, token)


PART = Part(
    number=4, key="own_model",
    title=T("你自己的模型：T5、GPT-2、BERT", "A model of your own: T5, GPT-2, BERT"),
    compute=own_model, lead=LEAD, describe=blocks, quantities=QUANTITIES, names=NAMES,
    params={"model": Param("", about=T("模型文件夹", "folder of a model")),
            "text": Param("the cat looks at the dog", about=T("给模型的句子",
                                                              "a text for the model"))},
    controls=OWN_MODEL_CONTROLS,
    claims=(
        Claim("mask", T(
            "编码器左右都看，解码器只看左边，那是因果掩码：同样的权重去掉掩码，GPT-2 也给右边 "
            "{families.gpt2.unmasked_right}。",
            "An encoder looks both ways, a decoder only left, and that is the causal mask: the "
            "same weights without it, and GPT-2 gives {families.gpt2.unmasked_right} to the "
            "right."),
            lambda m: both(above(m.families.bert.encoder_right, 0.01),
                           above(m.families.t5.encoder_right, 0.01),
                           below(m.families.gpt2.decoder_right, 1e-12),
                           below(m.families.t5.decoder_right, 1e-12),
                           above(m.families.gpt2.unmasked_right, 0.01)), "without_mask",
            kind="recorded"),
    ),
    caveat=T(
        "权重随机，只看得出结构。图只说看了哪里；不切断，就不知道要不要紧（第 2 部分）。起始符号是"
        "设置，换一个模型可能不同。",
        "Random weights show structure only. A map says where it looked; whether it matters takes "
        "a cut (part 2). The start is a setting that another model may change."),
    questions=(Question(
        T("用 T5 翻译，解码器的第一个输入是哪个符号？",
          "T5 translates: which symbol is its decoder fed first?"),
        (Option(T("<bos>，句首符号", "<bos>, the begin symbol"), starts_from("<bos>"),
                T("T5 没有句首符号；这是从别的模型搬来的习惯。",
                  "T5 has none; the habit comes from other models.")),
         Option(T("<pad>，填充符号", "<pad>, the padding symbol"), starts_from("<pad>")),
         Option(T("</s>，句末符号", "</s>, the end symbol"), starts_from("</s>"),
                T("有的模型这样做（BART），T5 不是。",
                  "some models do so (BART), T5 does not."))),
        answer=Claim("start", T(
            "T5 的设置里句首符号有 {begin_symbols} 个；它从 {start}（编号 {pad}）开始，就是填充用"
            "的那"
            "一个。",
            "T5's settings have {begin_symbols} begin symbols; it starts from {start} (id {pad}), "
            "the one used for padding."),
            lambda m: both(word(m.start, "<pad>"), equal(m.begin_symbols, 0), equal(m.pad, 0)),
            "told_another_start", kind="recorded")),),
    pins={"families.*_right": close("recorded float32", 1e-6, 1e-9), "*": RECORDED},
    errata=ERRATA["own_model"],
    notes=T(
        "约 3 分钟，没有模型文件夹就只看记录。课前下载好 t5-small，课上 --set model=文件夹 "
        "--set 4.text=\"translate English to German: The house is wonderful.\"，再对照讲义印出的"
        "编号、词元和译文。",
        "About 3 minutes; without a folder only the record. Fetch t5-small before class, then "
        "--set model=FOLDER --set 4.text=\"translate English to German: The house is wonderful.\", "
        "beside the ids, tokens and translation printed in the notes."),
)
