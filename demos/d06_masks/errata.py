"""Demo 06: what the lecture notes say of masks, beside what its parts measure.

Rows A are the sheet on architecture, row B the one on theory. `says` tells the notes'
statement in our words. Exceptions are caught live on the smallest array that shows the
fault; NumPy names some of them differently from torch, and the tests compare both.
"""

from lecture.report import Erratum, T

MASKS = (
    Erratum(
        "A-030", "code",
        T("造填充掩码的函数印出一张方表。",
          "The function for padding masks prints a square table."),
        T("照它运行会报错（torch 报 RuntimeError，NumPy 报 ValueError）：多加了一个轴，三个轴的数组"
          "展不成两个轴。印出的表是对的，但不是这段代码印的。",
          "Run as it stands it fails (torch: RuntimeError, NumPy: ValueError): it adds one axis "
          "too many, and an array of three axes does not stretch into two. The table shown is "
          "right; this code did not print it."),
        metric="code.padding"),
    Erratum(
        "A-032", "measured",
        T("掩码里，真词是一，填充是零，填充就不参加计算了。",
          "In the mask words are one and padding zero, so padding takes no part."),
        T("遮的是键。填充位置作为查询照样有输出，要从损失里去掉。",
          "It hides keys. As a query a padded place still puts something out, to be dropped from "
          "the loss."),
        metric="padded.output_norm", notes=0.0, within=0.01),
    Erratum(
        "A-035", "measured",
        T("遮住填充后印出的第一个权重。", "The first weight printed after hiding the padding."),
        T("印出的两行合计不是一（一行八成，一行七成）。按印出的分数重算，合计才是一。",
          "The two rows printed do not sum to one (eight and seven tenths). From the printed "
          "scores the weights are those measured here, and they do."),
        metric="printed.weights.0.0", notes=0.4234, within=0.00005),
    Erratum(
        "A-045", "measured",
        T("XLNet 的掩码就是这一张，排第一的位置什么也看不到。",
          "This is the mask of XLNet; the place first in the order sees nothing."),
        T("这只是查询流的；内容流还要加上自己。空行若填成负十亿，排第一的位置就平均看所有位置，"
          "这里是它给第一个位置的权重。",
          "It is the query stream's only; the content stream adds the place itself. Filled with "
          "minus a billion, the empty row looks at everything evenly: shown is its weight on the "
          "first place."),
        metric="first_in_order.minus_billion.0", notes=0.0, within=0.001),
    Erratum(
        "A-046", "measured",
        T("排列掩码最后一行印出的第一格是零（不许看）。",
          "In the printed permutation mask the last row begins with a zero (may not look)."),
        T("第一格和最后一格印反了：它能看位置零，看不见自己。",
          "Its first and last cells are swapped: it sees place zero and not itself."),
        metric="masks.query_stream.keep.3.0", notes=0, within=0.5),
    Erratum(
        "A-047", "code",
        T("解码器层：自注意力、交叉注意力、前馈，各一行。",
          "A decoder layer: self-attention, cross-attention and feed-forward, a line each."),
        T("三个部件没有在哪里建立，一调用就报错；建好了也不行，注意力返回两样东西，不能直接"
          "传给下一层；传进来的原文掩码没有用上，也没有残差和归一化。",
          "Nobody has built its three parts, so the first call fails. Built, it would fail next: "
          "attention returns a pair, which is no input for the next layer. The source mask it is "
          "given goes unused, and there is no residual and no norm."),
        metric="code.unbuilt"),
    Erratum(
        "A-048", "measured",
        T("交叉注意力不需要掩码。", "Cross-attention needs no mask."),
        T("不要因果掩码，但原文的填充要遮：换掉填充处的数，不遮时输出就移动这么多，遮住时正好是零。",
          "No causal one; but the source's padding must be hidden. Change what stands there, and "
          "unmasked the output moves by this much, masked by exactly zero."),
        metric="source_moves.unmasked", notes=0.0, within=0.01),
    Erratum(
        "A-049", "code",
        T("合用的掩码是因果表乘以填充表。",
          "The combined mask is the causal table times the padding one."),
        T("想法对，印出的表也对，但它调用了上面那个会报错的函数，一样报错。",
          "The idea is right and so is the printed table, but it calls the function above and "
          "fails with it."),
        metric="code.combined"),
    Erratum(
        "B-046", "code",
        T("几行代码就把未来遮住了。", "A few lines hide the future."),
        T("第一行就报错：用到的分数没有定义过。负十亿代替负无穷的问题，见同一讲的 A-033。",
          "The line fails: the scores it uses were never given a value. What is wrong with minus "
          "a billion for minus infinity is told under A-033."),
        metric="code.no_name"),
)

EMPTY = (
    Erratum(
        "A-033", "measured",
        T("把分数换成负十亿，约等于负无穷，被遮的权重就是零。",
          "Minus a billion in place of a score is as good as minus infinity: the hidden weight "
          "is zero."),
        T("只要这一行还有能看的，就是零；整行都被遮时，被遮的位置平均分到权重。半精度放不下这个数。"
          "用布尔掩码，并约定空行给零。",
          "It is, as long as the row has something left to see; in a row hidden whole, hidden "
          "places share the weight evenly. Half precision cannot hold the number. Use a mask of "
          "yes and no, and say what an empty row gives."),
        metric="ways.replaced.weights.0", notes=0.0, within=0.001),
)

GRADIENT = (
    Erratum(
        "A-043", "measured",
        T("十个词时，每个位置平均看见五个（图上的虚线）。",
          "With ten words a position sees five on average (the dashed line of the chart)."),
        T("每个词也看见自己，平均要多半个；讲义自己打印的数是对的，画的线不对。",
          "Each word sees itself too, half a word more; the figure the notes print is right, the "
          "line they draw is not."),
        metric="visible.mean", notes=5.0, within=0.05),
)

EXAM = (
    Erratum(
        "A-040", "measured",
        T("“双向 GPT-2”关掉缓存，也就没有了因果掩码，前面的词能看到后面。",
          "A “bidirectional GPT-2”: with the cache off the causal mask is gone, and earlier words "
          "see later ones."),
        T("它还是单向的。缓存只省计算，不管谁看谁：换掉后半句，前半句的输出一点不动。"
          "测试里用真的 GPT-2 结构核对过。",
          "It is still causal. A cache saves work and decides nothing about who sees whom: change "
          "the second half of a text and the scores of the first do not move. A test checks it on "
          "the real GPT-2 architecture."),
        metric="switch.later"),
    Erratum(
        "A-041", "measured",
        T("最长十个词元，四个词元开头，印出的句子一共八个词元。",
          "At most ten tokens, four of them given; the sentence printed has eight."),
        T("没有遇到结束符，就会写满十个；印出的不可能是这次调用的全部输出。",
          "Without an end token it writes on until there are ten; what is printed cannot be all "
          "that this call returned."),
        metric="asked.given", notes=8, within=0.5),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "order": (), "masks": MASKS, "empty": EMPTY, "gradient": GRADIENT, "exam": EXAM,
}
