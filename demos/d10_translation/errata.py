"""Demo 10: what the notes say about translating with a Transformer, beside what is measured.

Rows A are the sheet on architecture, B the sheet on theory. B-007, B-010 to B-012, B-083
and B-085 stand in demo 03.
"""

from __future__ import annotations

from lecture.report import Erratum, T

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "translate": (
        Erratum("A-001", "measured", T(
            "编码器把原文变成一个语义向量。",
            "The encoder turns the source into one meaning vector."),
            T("一个词一个向量：三个词，{memory[vectors]} 个。平均成一个，{memory[exam]} 句里只剩 "
              "{memory[averaged]} 句全对。",
              "One vector a word: three words, {memory[vectors]} vectors. Averaged into one, "
              "{memory[averaged]} of {memory[exam]} sentences stay right."),
            "memory.vectors", 1.0, 0.5),
        Erratum("A-002", "measured", T(
            "编码器一层画成自注意力接前馈，别无他物。",
            "A layer of the encoder is drawn as self-attention and feed-forward, nothing else."),
            T("两个子层各跟一次 Add & Norm：一层里有 {sub_layers[encoder]} 个归一化。",
              "Each of the two sub-layers is followed by Add & Norm: {sub_layers[encoder]} norms "
              "a layer."),
            "sub_layers.encoder", 0.0, 0.5),
        Erratum("A-003", "measured", T(
            "解码器一层画成三块，直接给出下一个词的分布。",
            "A layer of the decoder is drawn as three boxes that end in the next word's odds."),
            T("三个子层，{sub_layers[decoder]} 次 Add & Norm；所有层之后还有一个线性层加 softmax。",
              "Three sub-layers with {sub_layers[decoder]} times Add & Norm; after the last layer "
              "come a linear map and softmax."),
            "sub_layers.decoder", 0.0, 0.5),
        Erratum("B-084", "measured", T(
            "交叉注意力里 K 等于 V，都来自编码器。",
            "In cross-attention K equals V, both from the encoder."),
            T("来源相同，投影不同：K 和 V 由两个矩阵得出，最多相差 {keys_are_not_values:.1f}。",
              "The same source, two projections: K and V come of two matrices and differ by up "
              "to {keys_are_not_values:.1f}."),
            "keys_are_not_values", 0.0, 0.01),
        Erratum("B-006", "measured", T(
            "逐词译 I love AI，语序会全乱。",
            "Translating I love AI word by word gets the order all wrong."),
            T("逐词译得 {examples[en_zh][0][by_word]}，一字不差。要看出语序，得用 je t'aime："
              "逐词译是 "
              "{examples[fr_en][0][by_word]}。",
              "Word by word gives `{examples[en_zh][0][by_word]}`, which is right. An example "
              "that reorders is je t'aime: {examples[fr_en][0][by_word]}."),
            "examples.en_zh.0.by_word"),
    ),
    "steps": (
        Erratum("A-013", "measured", T(
            "所有计算同时进行。", "All of the computation runs at once."),
            T("训练和编码是这样。生成不是：{sight[words]} 个词要 {sight[passes]} 遍，一遍等一遍。",
              "Training and encoding, yes. Generating, no: {sight[words]} words take "
              "{sight[passes]} passes, each waiting for the last."),
            "sight.passes", 1.0, 0.5),
        Erratum("B-108", "measured", T(
            "每个位置都看得见所有别的位置。", "Every position sees all the others."),
            T("编码器是这样。解码器里，改后面的词，前面各行动了 {sight[decoder]:g}。",
              "In the encoder. In the decoder, changing a later word moves the rows before it by "
              "{sight[decoder]:g}."),
            "sight.decoder"),
    ),
    "beams": (),
    "own_model": (
        Erratum("A-006", "measured", T(
            "图是法译英，解码从句首符号开始；代码却用 T5 做英译德。",
            "The figure translates French into English from a begin symbol; the code beside it "
            "has T5 translate English into German."),
            T("换了一种语言，也换了结构：T5 从 {start}（编号 {pad}）开始，没有加上去的位置编码，"
              "只有 "
              "{buckets} 档相对位置偏置。",
              "Another pair of languages, and another structure: T5 starts from {start} (id "
              "{pad}) and adds no position code, only a relative bias of {buckets} buckets."),
            "start"),
        Erratum("A-052", "measured", T(
            "调用时要注意力，就能画出 BERT 第六层第一个头。",
            "Ask for attention at the call and draw layer six, head one of BERT."),
            T("编号没错，但默认加载的模型调用时给 {families[bert][at_the_call]} 张图；"
              "要在加载时就选 "
              "eager。",
              "The indices are right, but a model loaded by default gives "
              "{families[bert][at_the_call]} maps at the call; choose eager at loading."),
            "families.bert.at_the_call", 2.0, 0.5),
    ),
}
