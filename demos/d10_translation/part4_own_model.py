"""10.4 A model of your own: T5, GPT-2, BERT: what a person meets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from demos.d10_translation.errata import ERRATA
from demos.d10_translation.lesson import OWN_MODEL_CONTROLS, own_model
from demos.d10_translation.words import RECORDED
from lecture.report import (
    Block,
    Claim,
    Column,
    HeatMap,
    Metrics,
    Option,
    Paragraph,
    Param,
    Part,
    Question,
    T,
    Table,
    close,
)

KIND_NAMES = {"encoder-decoder": T("编码器–解码器", "encoder-decoder"),
              "decoder": T("只有解码器", "decoder only"),
              "encoder": T("只有编码器", "encoder only")}
MAP_NAMES = {"encoder": T("编码器：谁看谁", "Encoder: who looks at whom"),
             "decoder": T("解码器：谁看谁", "Decoder: who looks at whom"),
             "cross": T("交叉注意力：译文看原文", "Cross-attention: translation at source")}


def show_own(m: Metrics) -> Iterator[Block]:
    if m["live"] is None:
        yield Paragraph(T(
            "想看你自己的 T5、GPT-2 或 BERT？加上 --set model=文件夹 --set 4.text=\"你的句子\"："
            "文件夹是 "
            "save_pretrained 写出来的，不联网，不运行里面的代码。下表是记录：当场搭的三个小模型，"
            "权重是"
            "随机的，所以只看结构。",
            "To look into your own T5, GPT-2 or BERT add --set model=FOLDER and --set "
            "4.text=\"your text\": a folder written by save_pretrained; no network is used and no "
            "code in it is run. The table is a record: three small models built on the spot, with "
            "random weights, so only structure is to be read from it."))
    yield Table(
        (Column(T("模型", "family")), Column(T("类型", "kind")),
         Column(T("加载时要图", "at loading"), "d"),
         Column(T("调用时要图", "at the call"), "d"),
         Column(T("编码器向右", "encoder right"), ".2f"),
         Column(T("解码器向右", "decoder right"), ".2f")),
        [[f, KIND_NAMES[r["kind"]], r["at_loading"], r["at_the_call"], r["encoder_right"],
          r["decoder_right"]] for f, r in m["families"].items()],
        title=T("记录：得到几张图；最大的“向右看”的权重",
                "Recorded: how many maps one gets; the largest weight that looks right"))
    live = m["live"]
    if live is None:
        return
    yield Paragraph(T(
        "你的模型：{live[family]}，{live[layers]} 层，{live[heads]} 个头，宽度 {live[width]}。",
        "Your model: {live[family]}, {live[layers]} layers, {live[heads]} heads, width "
        "{live[width]}."))
    for kind, weights in live["maps"].items():
        rows = live["tokens"] if kind == "encoder" else live["fed"]
        columns = live["fed"] if kind == "decoder" else live["tokens"]
        yield HeatMap(weights, rows[:len(weights)], columns[:len(weights[0])],
                      title=MAP_NAMES[kind],
                      legend=T("最后一层（{live[last]}）的第 {live[head]} 个头，开头几个 token。",
                               "Layer {live[last]} (the last), head {live[head]}, the first "
                               "tokens."))
    if live["steps"]:
        yield Table(
            (Column(T("喂进去", "fed")), Column(T("第一", "first")),
             Column(T("概率", "odds"), ".3f"), Column(T("第二", "second")),
             Column(T("概率", "odds"), ".3f")),
            [[s["fed"], s["best"][0]["word"], s["best"][0]["p"], s["best"][1]["word"],
              s["best"][1]["p"]] for s in live["steps"]],
            title=T("逐步贪心", "Greedy, step by step"))


def starts_from(token: str) -> Any:
    return lambda m: (m["start"] == token) - 0.5


PART = Part(
    number=4, key="own_model",
    title=T("你自己的模型：T5、GPT-2、BERT", "A model of your own: T5, GPT-2, BERT"),
    compute=own_model, describe=show_own,
    params={"model": Param("", about=T("模型文件夹", "folder of a model")),
            "text": Param("the cat looks at the dog", about=T("给模型的句子",
                                                              "a text for the model"))},
    controls=OWN_MODEL_CONTROLS,
    claims=(
        Claim("asked_at_loading", T(
            "注意力图要在加载时要：T5 给 {families[t5][at_loading]} 张、GPT-2 "
            "{families[gpt2][at_loading]} "
            "张、BERT {families[bert][at_loading]} 张；默认加载、调用时才要，是 "
            "{families[t5][at_the_call]}、{families[gpt2][at_the_call]}、"
            "{families[bert][at_the_call]} 张（记录）。",
            "Maps have to be asked for at loading: T5 gives {families[t5][at_loading]}, GPT-2 "
            "{families[gpt2][at_loading]}, BERT {families[bert][at_loading]}; loaded by default "
            "and asked at the call, {families[t5][at_the_call]}, {families[gpt2][at_the_call]} "
            "and {families[bert][at_the_call]} (recorded)."),
            lambda m: min(*(r["at_loading"] - 0.5 for r in m["families"].values()),
                          *(0.5 - r["at_the_call"] for r in m["families"].values())),
            "asked_late"),
        Claim("who_looks_right", T(
            "BERT 和 T5 的编码器往右看（权重最大 {families[bert][encoder_right]:.2f} 和 "
            "{families[t5][encoder_right]:.2f}），GPT-2 和 T5 的解码器从不（"
            "{families[gpt2][decoder_right]:g} 和 {families[t5][decoder_right]:g}）（记录）。",
            "The encoders of BERT and T5 look right (weights up to "
            "{families[bert][encoder_right]:.2f} and {families[t5][encoder_right]:.2f}), the "
            "decoders of GPT-2 and T5 never do ({families[gpt2][decoder_right]:g} and "
            "{families[t5][decoder_right]:g}) (recorded)."),
            lambda m: min(m["families"]["bert"]["encoder_right"] - 0.01,
                          m["families"]["t5"]["encoder_right"] - 0.01,
                          1e-12 - m["families"]["gpt2"]["decoder_right"],
                          1e-12 - m["families"]["t5"]["decoder_right"]), "without_mask"),
        Claim("start", T(
            "T5 的词表设置里有 {begin_symbols} 个句首符号；照它公开的设置，解码器从 {start}"
            "（编号 {pad}）"
            "开始（记录）。",
            "T5's settings have {begin_symbols} begin symbols; by the settings it is published "
            "with, its decoder starts from {start} (id {pad}) (recorded)."),
            lambda m: (m["start"] == "<pad>") - 0.5 - m["begin_symbols"], "told_another_start"),
    ),
    caveat=T(
        "图只说看了哪里，没有切断，就不说明为什么。随机权重的图不说明任何语言；起始符号是设置，"
        "换一个模型"
        "可能不同。",
        "A map says where it looked; without a cut it does not say why. Maps of random weights "
        "say nothing about language, and the start is a setting that another model may change."),
    questions=(Question(
        T("用 T5 翻译，解码器的第一个输入是哪个符号？",
          "T5 translates: which symbol is its decoder fed first?"),
        (Option(T("<bos>：句首符号", "<bos>: the begin symbol"), starts_from("<bos>"),
                T("T5 没有句首符号；这是从别的模型搬来的习惯。",
                  "T5 has none; the habit comes from other models.")),
         Option(T("<pad>：填充用的符号", "<pad>: the padding symbol"), starts_from("<pad>")),
         Option(T("</s>：句末符号", "</s>: the end symbol"), starts_from("</s>"),
                T("有的模型这样做（BART），T5 不是。",
                  "some models do so (BART), T5 does not.")))),),
    pins={"families.*_right": close("recorded float32", 1e-6, 1e-9), "*": RECORDED},
    errata=ERRATA["own_model"],
    notes=T(
        "约 3 分钟，没有模型文件夹就只看记录。课前下载好 t5-small，课上 --set model=…，"
        "再对照讲义里的热图。"
        "争论点：“第六层第一个头”真的能解释什么吗？",
        "About 3 minutes; without a folder only the record. Fetch t5-small before class, then "
        "--set model=…, beside the map in the notes. The argument: what does layer six, head "
        "one explain?"),
)
