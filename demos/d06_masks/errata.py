"""Demo 06: what the lecture notes say of masks, beside what its parts measure.

Rows A are the sheet on architecture (000), row B the one on theory (002). `says` tells the
notes' statement in our words, `right` begins with the reading under which it is right, where
there is one. What the notes' code does was found by running it as printed and is kept as data
in the lesson. Its functions by name: create_padding_mask (A-030), apply_mask (A-033, A-035),
BidirectionalGPT2 (A-040, A-041), analyze_causal_context (A-043), create_xlnet_mask (A-045,
A-046), DecoderLayer (A-047, A-048), create_combined_mask (A-049).
"""

from lecture.report import Erratum, T

MASKS = (
    Erratum(
        "A-030", "code", where="000:403-429", verdict="wrong",
        says=T("create_padding_mask 印出一张方表。", "create_padding_mask prints a square table."),
        right=T("印出的表是对的，却不是这段代码印的：照印出的样子运行（torch {code.torch}），报 "
                "{code.padding}，因为多加了一个轴，三个轴的数组展不成两个轴。去掉第二个 unsqueeze "
                "就好。",
                "The table shown is right, but this code did not print it: run as printed (torch "
                "{code.torch}) it raises {code.padding}, one axis too many, and an array of "
                "three axes does not stretch into two. Drop the second unsqueeze."),
        metric="code.padding"),
    Erratum(
        "A-032", "measured", where="000:411", verdict="imprecise",
        says=T("create_padding_mask：真词是一，填充是零。",
               "create_padding_mask: words are one, padding is zero."),
        right=T("说的是键就对：没有谁看填充。填充位置作为查询照样有输出，平均长度 "
                "{padded.output_norm}，要从损失里去掉。",
                "Right of keys: nobody looks at padding. As a query a padded place still puts "
                "something out, of a mean length of {padded.output_norm}, to be left out of the "
                "loss."),
        metric="padded.output_norm", format=".2f"),
    Erratum(
        "A-035", "measured", where="000:474-477", verdict="wrong",
        says=T("apply_mask 之后，第一行第一格的权重印的是 {notes}。",
               "After apply_mask the first weight of the first row is printed as {notes}."),
        right=T("从印出的分数重算是 {cells.0.A.weight}，一行合计为一；印出的两行只合计 "
                "{rows.A.printed_sum:.1f} 和 {rows.B.printed_sum:.1f}。",
                "From the printed scores it is {cells.0.A.weight}, and a row sums to one; the "
                "two rows printed sum to {rows.A.printed_sum:.1f} and {rows.B.printed_sum:.1f}."),
        metric="cells.0.A.weight", notes=0.4234, within=0.00005, format=".4f"),
    Erratum(
        "A-045", "measured", where="000:637-661", verdict="misleading",
        says=T("create_xlnet_mask 就是 XLNet 的掩码；排第一的位置什么也看不到。",
               "create_xlnet_mask is the mask of XLNet; the place first in the order sees "
               "nothing."),
        right=T("说的是查询流就对；内容流还看自己。空行照讲义填成负十亿，排第一的位置就平均看所有位"
                "置，各 {first_in_order.minus_billion.0:.2f}。",
                "Right of the query stream; the content stream sees the place itself too. Filled "
                "as the notes do, with minus a billion, the empty row looks at everything "
                "evenly, {first_in_order.minus_billion.0:.2f} each."),
        metric="first_in_order.minus_billion.0", format=".2f"),
    Erratum(
        "A-046", "measured", where="000:665", verdict="wrong",
        says=T("create_xlnet_mask 印出的最后一行，第一格是 {notes:g}（不许看）。",
               "In what create_xlnet_mask is said to print, the last row begins with {notes:g} "
               "(may not look)."),
        right=T("代码是对的，运行它得到 {code.xlnet_last_row.0}：位置 {order.2} 看得见 {order.1}，"
                "看不见自己。印出来的表把第一格和最后一格弄反了。",
                "The code is right, and gives {code.xlnet_last_row.0}: place {order.2} sees "
                "{order.1} and not itself. The table on the page has its first and last cells "
                "exchanged."),
        metric="masks.query_stream.keep.3.0", notes=0, within=0.5, format="d"),
    Erratum(
        "A-047", "code", where="000:667-685", verdict="wrong",
        says=T("DecoderLayer：自注意力、交叉注意力、前馈，各一行。",
               "DecoderLayer: self-attention, cross-attention and feed-forward, a line each."),
        right=T("次序是对的。三个部件没有在哪里建立，一调用就报 {code.unbuilt}。建好了也不行："
                "torch 的注意力返回两样东西，不能直接传下去；memory_mask 没有用上；也没有残差和归"
                "一化。",
                "The order is right. Nobody has built its three parts, so a call raises "
                "{code.unbuilt}. Built, it would fail next: torch's attention returns a pair. "
                "The memory_mask goes unused, and there is no residual and no norm."),
        metric="code.unbuilt"),
    Erratum(
        "A-048", "measured", where="000:675-680", verdict="misleading",
        says=T("DecoderLayer 的交叉注意力不用掩码。", "Cross-attention in DecoderLayer: no mask."),
        right=T("说的是因果掩码就对。原文的填充要遮：换掉填充处的数，不遮，输出移动 "
                "{source_moves.unmasked}，遮住，移动 {source_moves.masked}。",
                "Right of a causal mask. The source's padding must be hidden: change what stands "
                "there, and unmasked the output moves by {source_moves.unmasked}, masked by "
                "{source_moves.masked}."),
        metric="source_moves.unmasked", format=".2f"),
    Erratum(
        "A-049", "code", where="000:687-713", verdict="wrong",
        says=T("create_combined_mask：因果表乘以填充表。",
               "create_combined_mask: the causal table times the padding one."),
        right=T("想法对，印出的表也对；但它调用 create_padding_mask，一样报 {code.combined}。",
                "The idea is right and so is the printed table; but it calls "
                "create_padding_mask, and raises {code.combined} with it."),
        metric="code.combined"),
    Erratum(
        "B-046", "code", where="002:307-320", verdict="imprecise",
        says=T("几行代码就把未来遮住了。", "A few lines hide the future."),
        right=T("写法对，只要前面已经算好分数。单独运行报 {code.no_name}：scores 没有定义过。负十"
                "亿代替负无穷的问题，见 A-033。",
                "Right where scores have been computed before. Alone the lines raise "
                "{code.no_name}: scores was never given a value. What is wrong with minus a "
                "billion for minus infinity is told under A-033."),
        metric="code.no_name"),
)

EMPTY = (
    Erratum(
        "A-033", "measured", where="000:438-450", verdict="imprecise",
        says=T("apply_mask 把分数换成负十亿，近似负无穷。",
               "apply_mask replaces a score by minus a billion, about minus infinity."),
        right=T("只要这一行还有能看的，就对：被遮的权重正好是 {largest_hidden}。整行都被遮时，四个"
                "位置各得 {ways.replaced.weights.0}；float16 放不下这个数。用布尔掩码，并约定空行"
                "给零。",
                "Right as long as the row has something left to see: hidden weights are exactly "
                "{largest_hidden}. In a row hidden whole, each of four places gets "
                "{ways.replaced.weights.0}; and float16 cannot hold the number. Use a mask of "
                "yes and no, and say what an empty row gives."),
        metric="ways.replaced.weights.0", format=".2f"),
)

GRADIENT = (
    Erratum(
        "A-043", "measured", where="000:618-619", verdict="wrong",
        says=T("analyze_causal_context 的图：虚线标的平均上下文是 {notes}。",
               "The chart of analyze_causal_context: its dashed line puts the mean context at "
               "{notes}."),
        right=T("每个词也看见自己，平均是 {visible.mean:g}；同一个函数打印的就是它，画的线不是。",
                "Each word sees itself too, the mean is {visible.mean:g}; the same function "
                "prints that, only its line does not."),
        metric="visible.mean", notes=5.0, within=0.05, format="g"),
)

EXAM = (
    Erratum(
        "A-040", "measured", where="000:563-578", verdict="wrong",
        says=T("BidirectionalGPT2 关掉缓存，就没有了因果掩码。",
               "BidirectionalGPT2: with the cache off the causal mask is gone."),
        right=T("它还是单向的。transformers {library.transformers} 的 GPT-2 结构（随机权重）不用缓"
                "存，换掉后面的词元，前面的输出移动 {library.later:g}。缓存只省计算，不管谁看谁。",
                "It is still causal. The GPT-2 of transformers {library.transformers} (random "
                "weights), cache off: change later tokens, and earlier outputs move by "
                "{library.later:g}. A cache saves work and decides nothing about who sees whom."),
        metric="library.later", format="g"),
    Erratum(
        "A-041", "measured", where="000:590-598", verdict="misleading",
        says=T("generate 的 max_length 是 {library.given}，印出的句子有 {library.printed} 个词。",
               "generate with a max_length of {library.given}; the sentence shown has "
               "{library.printed} words."),
        right=T("遇到了结束符，或者只抄了一部分，就对。没有结束符，这样调用写满 {library.given} 个"
                "词元（同样的结构，随机权重）。",
                "Right if an end token came or the rest was left out. Without one, such a call "
                "returns {library.given} tokens (same architecture, random weights)."),
        metric="library.given", format="d"),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "order": (), "masks": MASKS, "empty": EMPTY, "gradient": GRADIENT, "exam": EXAM,
}
