"""Demo 07: what the lecture notes say, beside what its parts measure.

Rows A are the notes on architecture (000), rows B the theory sheet (002). `says` tells the notes'
statement in our words, `right` begins with the reading under which it is right, where there is
one. Their get_positional_encoding (A-056, A-057), compute_theta (A-058, A-059),
apply_rotary_pos_emb and precompute_freqs_cis by themselves (A-063, A-064), the formula of
ntk_scaled_rope (A-068), B-028, B-071 and B-075 are right and stand here without an entry; so is
A-055, which speaks of extrapolation in general and gives no figure.
"""

from lecture.report import Erratum, T

ORDER = (
    Erratum(
        "B-072", "measured", where="002:464", verdict="imprecise",
        says=T("在注意力眼里，I love you 和 You love I 可能是一样的。",
               "To attention, I love you and You love I may look the same."),
        right=T("若指没有掩码、没有位置的注意力，说得对：输出只跟着词搬家，差 "
                "{ways.plain.orders:.1g<1e-12}。有因果掩码就不同：love 的输出移动 "
                "{ways.causal.middle:.2f}。",
                "Right of attention without mask and positions: the outputs travel with their "
                "words, to {ways.plain.orders:.1g<1e-12}. With a causal mask it is different: "
                "the output at love moves by {ways.causal.middle:.2f}."),
        metric="ways.causal.middle"),
)

SINUSOIDS = (
    Erratum(
        "A-053", "measured", where="000:787", verdict="imprecise",
        says=T("一个位置的编码经过线性变换，就得到它比前面某个位置远几格。",
               "A linear map of the code of a place yields how many places on it is."),
        right=T("线性映射给出的是另一个位置的编码：M(δ) 把 PE(p) 送到 PE(p+δ)，误差 "
                "{shifts.by_3.error:.1g<1e-12}。点积只取决于相距几格：同样相距三格的两对，都是 "
                "{dots.near:.4f}。",
                "The linear map yields the code of another place: M(δ) takes PE(p) to PE(p+δ), "
                "error {shifts.by_3.error:.1g<1e-12}. The dot product depends on the distance "
                "alone: two pairs three places apart both have {dots.near:.4f}."),
        metric="dots.near"),
    Erratum(
        "A-054", "measured", where="000:790-796", verdict="wrong",
        says=T("图上最后一维画成正弦，频率用它自己的编号算。",
               "The figure draws the last dim as a sine, its frequency made of its own number."),
        right=T("前四条画得对。维 {dims.dim_255.dim} 是奇数，该是余弦，和前一维同频 "
                "{dims.dim_255.frequency:.4e}：位置 {far} 上是 {dims.dim_255.value:.6f}，照图上的"
                "画法是 {dims.dim_255.drawn:.6f}。",
                "The other four are right. Dim {dims.dim_255.dim} is odd, so a cosine with the "
                "frequency of the dim before, {dims.dim_255.frequency:.4e}: at place {far} it is "
                "{dims.dim_255.value:.6f}, as drawn {dims.dim_255.drawn:.6f}."),
        metric="dims.dim_255.value"),
    Erratum(
        "B-073", "measured", where="002:471", verdict="imprecise",
        says=T("公式里的 i 是维度索引。", "In the formula i is the index of a dim."),
        right=T("公式本身对。i 编的是“对”：维 {dims.dim_255.dim} 属于第 {dims.dim_255.pair} 对。",
                "The formula is right. i counts pairs: dim {dims.dim_255.dim} belongs to pair "
                "{dims.dim_255.pair}."),
        metric="dims.dim_255.pair"),
    Erratum(
        "B-029", "measured", where="002:190-191", verdict="uncontrolled",
        says=T("加法式的位置编码太弱，相对位置要额外去算。",
               "Added codes are too weak, and relative positions need extra work."),
        right=T("若指分数里没有现成的 m-n，说得对。可相对位置在正弦编码里只差一个线性映射，误差 "
                "{shifts.by_3.error:.1g<1e-12}；“太弱”讲义没有量，该量的是训练好的模型（第 4 "
                "部分）。",
                "Right if no m-n stands ready in the score. But in sinusoids the offset is one "
                "linear map away, error {shifts.by_3.error:.1g<1e-12}; “too weak” is not measured "
                "there, and takes trained models (part 4)."),
        metric="shifts.by_3.error", format=".6g<1e-12"),
    Erratum(
        "B-074", "measured", where="002:479", verdict="imprecise",
        says=T("相对位置 δ 编码在 cos(δ) 和 sin(δ) 里。",
               "The offset δ is encoded in cos(δ) and sin(δ)."),
        right=T("若 δ 指转过的角度，说得对。若指位置之差，要写 cos(ωδ) 和 sin(ωδ)，每一对有自己的 "
                "ω；都用 δ，误差 {shifts.by_3.one_angle:.2f}。",
                "Right if δ is the angle turned. If it counts places it is cos(ωδ) and sin(ωδ), "
                "with an ω for each pair; δ for all is off by {shifts.by_3.one_angle:.2f}."),
        metric="shifts.by_3.one_angle"),
)

ROPE = (
    Erratum(
        "A-060", "measured", where="000:892", verdict="wrong",
        says=T("compute_theta：宽 {formula.speeds.width} 的头，最后一个角频率 θ_31 印成 "
               "{notes:.6f}。",
               "compute_theta: for a head of {formula.speeds.width} the last frequency θ_31 is "
               "printed as {notes:.6f}."),
        right=T("函数是对的，注释里的数不是它的结果：指数是 {angles.pair.pair_31.exponent:.5f}，"
                "不到一，θ_31 = {formula.speeds.last:.9f}，转一圈要 "
                "{formula.speeds.full_turn:.0f} 个位置。",
                "The function is right, the number in the comment is not what it gives: the "
                "exponent is {angles.pair.pair_31.exponent:.5f}, below one, θ_31 = "
                "{formula.speeds.last:.9f}, and a full turn takes "
                "{formula.speeds.full_turn:.0f} places."),
        metric="formula.speeds.last", notes=0.0001, within=0.0000005),
    Erratum(
        "A-061", "code", where="000:918-936", verdict="imprecise",
        says=T("RotaryEmbedding 把 cos_cached、sin_cached 存成普通属性。",
               "RotaryEmbedding keeps cos_cached and sin_cached as plain attributes."),
        right=T("整数位置、不换精度时没有问题。照印的运行（torch {code.torch}）：模型换成 "
                "{code.buffer}，cos_cached 还是 {code.attribute}；带小数的位置（位置插值）去查表，"
                "报 {code.fraction}。",
                "Fine for whole places in one precision. Run as printed (torch {code.torch}): "
                "told to be {code.buffer} cos_cached stays {code.attribute}; fractional places, "
                "as interpolation makes them, raise {code.fraction} at the table."),
        metric="code.attribute"),
    Erratum(
        "A-062", "measured", where="000:945", verdict="imprecise",
        says=T("rotate_half 对应复数乘法的虚部。",
               "rotate_half corresponds to the imaginary part of the product."),
        right=T("若指两个交叉项，说得对。它们一个进实部（-b sin），一个进虚部（a sin）；它自己只换"
                "位、变号：{conventions.written.x.0:g} {conventions.written.x.1:g} "
                "{conventions.written.x.2:g} {conventions.written.x.3:g} 变成 "
                "{conventions.written.half.0:g} {conventions.written.half.1:g} "
                "{conventions.written.half.2:g} {conventions.written.half.3:g}。",
                "Right of the two cross terms together. One belongs to the real part (-b sin), "
                "one to the imaginary (a sin); by itself it moves and negates: "
                "{conventions.written.x.0:g} {conventions.written.x.1:g} "
                "{conventions.written.x.2:g} {conventions.written.x.3:g} becomes "
                "{conventions.written.half.0:g} {conventions.written.half.1:g} "
                "{conventions.written.half.2:g} {conventions.written.half.3:g}."),
        metric="conventions.written.half.0"),
    Erratum(
        "A-065", "code", where="000:990-1000", verdict="imprecise",
        says=T("apply_rotary_emb 用复数乘法转 xq、xk，没有说张量怎么排。",
               "apply_rotary_emb turns xq and xk by complex numbers; how they are laid out is "
               "not said."),
        right=T("排成 [批, 头, 长度, 宽] 就对。上面 apply_rotary_pos_emb 写的是 [批, 长度, 头, "
                "宽]；照那样给它（torch {code.torch}），报 {code.layout}；头数碰巧等于长度就不报错"
                "，按头的编号转，差到 {code.apart:.2f}。",
                "Right for [batch, heads, length, width]. apply_rotary_pos_emb above has [batch, "
                "length, heads, width]; given that (torch {code.torch}) it raises "
                "{code.layout}; with as many heads as places nothing is raised, and it turns by "
                "the number of the head, off by up to {code.apart:.2f}."),
        metric="code.apart"),
    Erratum(
        "A-066", "measured", where="000:952-991", verdict="misleading",
        says=T("在 rotate_half 的写法后面给出复数的写法，说它更简洁。",
               "After the code with rotate_half comes one with complex numbers, called more "
               "concise."),
        right=T("各自都对，复数的写法也确实更短。可两段代码配对不同：同一个 q 转出来最多差 "
                "{conventions.map.unmapped:.2f}，分数最多差 "
                "{conventions.map.unmapped_scores:.1f}；先按 P 重排才一样。",
                "Each is right, and the second is shorter. But they pair differently: the same q "
                "comes out up to {conventions.map.unmapped:.2f} apart, scores up to "
                "{conventions.map.unmapped_scores:.1f}; only reordered by P are they the same."),
        metric="conventions.map.unmapped"),
    Erratum(
        "B-030", "measured", where="002:193-200", verdict="imprecise",
        says=T("RoPE 用旋转矩阵变换词向量。", "RoPE applies a rotation matrix to word vectors."),
        right=T("若词向量指投影成的 q 和 k，说得对：RoPE 在每一层转这两个。模型里词向量与表中的差"
                "是 {model.embedding:g}，v 也没转；同一"
                "份讲义后面的公式写的也是 q 和 k。",
                "Right if the vectors projected to q and k are meant: those it turns, in every "
                "layer. In the model the embeddings differ from the table by "
                "{model.embedding:g}, and v is not turned; the formulas further on in "
                "the same notes have q and k too."),
        metric="model.embedding"),
    Erratum(
        "B-031", "measured", where="002:203-204", verdict="imprecise",
        says=T("转了以后词向量还是那个词向量（语义不变），只是角度变了。",
               "Once turned it is still the same word vector (same meaning), at another angle."),
        right=T("长度确实不变（差 {formula.kept.length:.1g<1e-12}），两个一起转时夹角也不变。向量"
                "自己变了：转 {formula.kept.places} 格后，与原来的余弦是 "
                "{formula.kept.cosine:.3f}。",
                "Its length is kept indeed (to {formula.kept.length:.1g<1e-12}), and the angle "
                "between two that turn together. The vector itself changes: "
                "{formula.kept.places} places on, its cosine with what it was is "
                "{formula.kept.cosine:.3f}."),
        metric="formula.kept.cosine"),
    Erratum(
        "B-076", "measured", where="002:491", verdict="wrong",
        says=T("转过之后的内积等于原来的内积乘以 cos((m-n)θ)。",
               "The product of the turned vectors is the old product times cos((m-n)θ)."),
        right=T("q 与 k 平行或 m = n 时对。一般还有正弦项 (q_x k_y - q_y k_x) sin((m-n)θ)：相互"
                "垂直的 q、k，相距 {formula.apart}、θ = {formula.theta:g}，分数是 "
                "{formula.one.score:.6f}，照讲义是 {formula.one.notes:.0f}。",
                "Right where q and k are parallel, or m = n. In general there is a sine term, "
                "(q_x k_y - q_y k_x) sin((m-n)θ): orthogonal q and k, {formula.apart} apart with "
                "θ = {formula.theta:g}, score {formula.one.score:.6f}; the notes' form gives "
                "{formula.one.notes:.0f}."),
        metric="formula.one.score"),
)

LONGER = (
    Erratum(
        "A-067", "measured", where="000:1002-1014", verdict="wrong",
        says=T("position_interpolation 把位置乘以比例，再取成整数。",
               "position_interpolation scales positions and then makes integers of them."),
        right=T("乘以比例是对的。取整之后 {rounding.places} 个位置只剩 {rounding.kept} 个，两个词"
                "一格；小数有 {rounding.fractions} 个。模型里，说 {wide} 格前的从 "
                "{stretched.interpolated.to_64.wide:.2f} 掉到 "
                "{stretched.rounded.to_64.wide:.2f}。",
                "Scaling is right. As integers {rounding.places} places become "
                "{rounding.kept}, two words to each; as fractions they stay "
                "{rounding.fractions}. In the model the word {wide} back falls from "
                "{stretched.interpolated.to_64.wide:.2f} to "
                "{stretched.rounded.to_64.wide:.2f}."),
        metric="rounding.kept"),
    Erratum(
        "A-069", "measured", where="000:1021", verdict="wrong",
        says=T("ntk_scaled_rope：放大 {ntk.factor} 倍、宽 {ntk.width}，新底数约 {notes:.0f}。",
               "ntk_scaled_rope: for a factor of {ntk.factor} at width {ntk.width} the base is "
               "about {notes:.0f}."),
        right=T("公式对。同一个函数算出来是 {ntk.new_base:.0f}；{notes:.0f} 要放大 "
                "{ntk.factor_wanted:.2f} 倍。",
                "The formula is right. The same function gives {ntk.new_base:.0f}; "
                "{notes:.0f} takes a factor of {ntk.factor_wanted:.2f}."),
        metric="ntk.new_base", notes=40000, within=500),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "order": ORDER, "sinusoids": SINUSOIDS, "rope": ROPE, "longer": LONGER,
}
