"""Demo 10: what the notes say about translating with a Transformer, beside what is measured.

Rows A are the sheet on architecture (000), B the sheet on theory (002). B-007, B-010 to B-012,
B-083 and B-085 stand in demo 03. `right` begins with the reading under which the notes are
right, where there is one.
"""

from __future__ import annotations

from lecture.report import Erratum, T

TRANSLATE = (
    Erratum(
        "A-001", "measured", where="000:15", verdict="imprecise",
        says=T("总图里，编码器和解码器之间是“语义表示向量”。",
               "In the overview a “vector of the meaning” stands between encoder and decoder."),
        right=T("当作一组向量来读就对，同一篇后面也画成一个位置一个：{memory.words} 个词，"
                "{memory.vectors} 个。只有一个也行，但要训练时就这样（法译英居中的种子对 "
                "{pooled.fr_en.middle} 句）；事后平均最多对 {averaged.fr_en.highest} 句。",
                "Right if a set of vectors is meant, as a later figure has it: {memory.words} "
                "words, {memory.vectors} vectors. A single one works if it is trained so (French, "
                "middle seed: {pooled.fr_en.middle} right), averaged afterwards "
                "{averaged.fr_en.highest} at most."),
        metric="memory.vectors"),
    Erratum(
        "A-002", "measured", where="000:27-37", verdict="imprecise",
        says=T("编码器一层画成自注意力接前馈。",
               "A layer of the encoder is drawn as self-attention, then feed-forward."),
        right=T("两个子层画得对。图里省了每个子层后面的 Add & Norm：一层有 {sub_layers.encoder} 个"
                "归一化（讲理论的那份画了）。",
                "Right about the two sub-layers. The drawing leaves out Add & Norm after each: a "
                "layer has {sub_layers.encoder} norms (the sheet on theory draws them)."),
        metric="sub_layers.encoder"),
    Erratum(
        "A-003", "measured", where="000:43-59", verdict="imprecise",
        says=T("解码器一层画成三块，下面就是下一个词的概率分布。",
               "A layer of the decoder is drawn as three boxes, and below stands the distribution "
               "of the next word."),
        right=T("三个子层画得对。图里省了 {sub_layers.decoder} 次 Add & Norm，和最后的线性层、"
                "softmax。",
                "Right about the three sub-layers. Left out are Add & Norm, {sub_layers.decoder} "
                "times, and the linear map and softmax at the end."),
        metric="sub_layers.decoder"),
    Erratum(
        "B-084", "measured", where="002:552", verdict="imprecise",
        says=T("交叉注意力里 K=V，来自编码器。",
               "In cross-attention K=V, from the encoder."),
        right=T("说来源相同就对。K 和 V 是同一组向量乘两个矩阵，不相等：最多差 "
                "{keys_are_not_values:.1f}。",
                "Right of where they come from. K and V are the same vectors times two matrices, "
                "and not equal: they differ by up to {keys_are_not_values:.1f}."),
        metric="keys_are_not_values"),
    Erratum(
        "B-006", "measured", where="002:34-38", verdict="wrong",
        says=T("逐词译 I love AI，中文语序全乱。",
               "Word by word, I love AI gets the Chinese order all wrong."),
        right=T("这句逐词译是 {examples.en_zh.0.by_word}，语序正对。要看语序乱，得换一句：je "
                "t'aime "
                "逐词译是 {examples.fr_en.0.by_word}。",
                "This one comes out as `{examples.en_zh.0.by_word}`, in the right order. One that "
                "shows the point is je t'aime: {examples.fr_en.0.by_word}."),
        metric="examples.en_zh.0.by_word"),
)

STEPS = (
    Erratum(
        "A-013", "measured", where="000:157", verdict="imprecise",
        says=T("所有计算并行进行。", "All of the computation runs in parallel."),
        right=T("读一句现成的话（那里讲的就是这个）说得对，训练也是。生成不是：{sight.words} 个词"
                "要 "
                "{sight.passes} 遍，一遍等一遍。",
                "Right of reading a given sentence, which is the subject there, and of training. "
                "Generating is not: {sight.words} words take {sight.passes} passes, each waiting "
                "for the last."),
        metric="sight.passes"),
    Erratum(
        "B-108", "measured", where="002:642", verdict="imprecise",
        says=T("总结：自注意力让每个位置直接看到所有其他位置。",
               "Summary: self-attention lets every position see all the others directly."),
        right=T("编码器里是这样：改最后一个源词，第一个词的向量移动 {sight.encoder:.2f}。解码器带"
                "掩码，"
                "改后面的词，前面各行移动 {sight.decoder:g}。",
                "Right of the encoder: change the last source word, and the first word's vector "
                "moves by {sight.encoder:.2f}. The decoder is masked: a later word changed moves "
                "the rows before it by {sight.decoder:g}."),
        metric="sight.decoder"),
)

OWN_MODEL = (
    Erratum(
        "A-006", "measured", where="000:68 000:92-117", verdict="misleading",
        says=T("逐步的图从 <BOS> 开始；接着的代码用 T5 翻译。",
               "The figure of the steps begins from <BOS>; the code after it translates with T5."),
        right=T("图对很多模型是对的，我们的也从 <bos> 开始。T5 不是图里的那种：它从 {start}（编号 "
                "{pad}）开始，也没有加上去的位置编码，只有 {buckets} 档相对位置偏置。",
                "Right of many models, ours begins from <bos> too. T5 is not the one in the "
                "figure: it begins from {start} (id {pad}) and adds no position code, only a "
                "relative bias of {buckets} buckets."),
        metric="start"),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "translate": TRANSLATE, "steps": STEPS, "beams": (), "own_model": OWN_MODEL,
}
