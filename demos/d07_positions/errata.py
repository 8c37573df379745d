"""Demo 07: what the lecture notes say, beside what its parts measure.

Rows A are the notes on architecture, rows B the theory sheet. `says` tells the notes'
statement in our words. The table of sines as coded (A-056, A-057), compute_theta (A-058,
A-059), the complex form by itself (A-063, A-064), the NTK formula (A-068), B-028, B-071 and
B-075 are right and stand here without an entry.
"""

from lecture.report import Erratum, T

ORDER = (
    Erratum(
        "B-072", "measured",
        T("在注意力眼里，I love you 和 You love I 可能是一样的。",
          "To attention, I love you and You love I may look the same."),
        T("没有掩码才一样（输出只跟着词搬家，差 {ways[plain][orders]:.1g<1e-12}）。GPT 有因果掩码，"
          "中间那个词"
          "的输出移动 {ways[causal][middle]:.2f}。",
          "Only without a mask, where the outputs travel with their words to "
          "{ways[plain][orders]:.1g<1e-12}. A GPT has the causal mask, and the middle word moves "
          "by "
          "{ways[causal][middle]:.2f}."),
        metric="ways.causal.middle", notes=0.0, within=0.01),
)

SINUSOIDS = (
    Erratum(
        "A-053", "measured",
        T("位置五的编码经过线性变换，就得到“比位置二远三个位置”。",
          "A linear map of the code of place five yields the fact that it is three places on."),
        T("线性映射给出的是另一个位置的编码：M(δ) 把 PE(2) 送到 PE(5)，误差 "
          "{shifts[by_3][error]:.1g<1e-12}。“相距三”看得见的地方是点积：{dots[near]:.4f} 和 "
          "{dots[later]:.4f}。",
          "The linear map yields the code of another place: M(δ) takes PE(2) to PE(5), error "
          "{shifts[by_3][error]:.1g<1e-12}. Where three apart can be seen is the dot product: "
          "{dots[near]:.4f} and {dots[later]:.4f}."),
        metric="dots.near"),
    Erratum(
        "A-054", "measured",
        T("图上第 255 维画成正弦，频率由 255/256 算出。",
          "The figure draws dim 255 as a sine whose frequency comes of 255/256."),
        T("奇数维是余弦，和前一维同频：{dims[dim_255][frequency]:.4e}；位置 {far} 上是 "
          "{dims[dim_255][value]:.6f}。",
          "Odd dims are cosines with the frequency of the dim before: "
          "{dims[dim_255][frequency]:.4e}; at position {far} it is {dims[dim_255][value]:.6f}."),
        metric="dims.dim_255.value", notes=0.005183, within=0.0000005),
    Erratum(
        "B-073", "measured",
        T("公式里的 i 是维度的编号。", "In the formula i numbers the dims."),
        T("i 是“对”的编号：维 {dims[dim_255][dim]} 属于第 {dims[dim_255][pair]} 对。",
          "i numbers the pairs: dim {dims[dim_255][dim]} belongs to pair {dims[dim_255][pair]}."),
        metric="dims.dim_255.pair"),
    Erratum(
        "B-029", "measured",
        T("加法式的位置编码太弱，相对位置要额外去算。",
          "Added codes are too weak, and relative positions need extra work."),
        T("相对位置在正弦编码里是一个现成的线性映射，误差 {shifts[by_3][error]:.1g<1e-12}。“太弱”"
          "讲义没有量；"
          "该量的是训练好的模型（第 4 部分）。",
          "In sinusoids the relative position is a ready linear map, error "
          "{shifts[by_3][error]:.1g<1e-12}. That they are too weak is not measured in the notes; "
          "trained "
          "models are what to measure (part 4)."),
        metric="shifts.by_3.error", format=".6g<1e-12"),
    Erratum(
        "B-074", "measured",
        T("相对位置 δ 编码在 cos δ 和 sin δ 里。", "The offset δ is encoded in cos δ and sin δ."),
        T("是在 cos(ωδ) 和 sin(ωδ) 里，每一对有自己的 ω。都用 δ，误差 "
          "{shifts[by_3][one_angle]:.2f}。",
          "In cos(ωδ) and sin(ωδ), with an ω for each pair. With δ for all the error is "
          "{shifts[by_3][one_angle]:.2f}."),
        metric="shifts.by_3.one_angle"),
)

ROPE = (
    Erratum(
        "A-060", "measured",
        T("宽 64 的头，最后一个角频率印出来是 0.000100。",
          "For a head of 64 the last frequency prints as 0.000100."),
        T("指数是 62/64，不是 1：{formula[speeds][last]:.9f}，转一圈要 "
          "{formula[speeds][full_turn]:.0f} 个位置。",
          "The exponent is 62/64, not 1: {formula[speeds][last]:.9f}; a full turn takes "
          "{formula[speeds][full_turn]:.0f} places."),
        metric="formula.speeds.last", notes=0.0001, within=0.0000005),
    Erratum(
        "A-061", "code",
        T("RoPE 的模块把余弦、正弦的表存成普通属性，当缓存用。",
          "The RoPE module keeps its tables of cosines and sines as plain attributes."),
        T("模型换精度、换设备时，普通属性不跟着走：换成双精度之后它还是 {code[attribute]}，"
          "登记成缓冲区的是 "
          "{code[buffer]}。带小数的位置（插值）拿来查表，报 {code[fraction]}。",
          "When the model changes precision or device a plain attribute stays behind: told to be "
          "float64 it is still {code[attribute]}, a registered buffer is {code[buffer]}. "
          "Fractional places, as interpolation makes them, die of {code[fraction]} in such a "
          "table."),
        metric="code.attribute"),
    Erratum(
        "A-062", "code",
        T("rotate_half 给出复数乘法的虚部。",
          "rotate_half yields the imaginary part of the product."),
        T("它把对半的两块交叉放好（1 2 3 4 变成 {code[crossed][0]:g} {code[crossed][1]:g} "
          "{code[crossed][2]:g} {code[crossed][3]:g}），供两部分用：-b sin 进实部，a sin 进虚部。",
          "It lays the two halves crosswise (1 2 3 4 becomes {code[crossed][0]:g} "
          "{code[crossed][1]:g} {code[crossed][2]:g} {code[crossed][3]:g}) for both "
          "parts: -b sin belongs to the real one, a sin to the imaginary one."),
        metric="code.crossed.0"),
    Erratum(
        "A-065", "code",
        T("复数写法适用于 [批, 长度, 头, 宽] 的张量。",
          "The complex version is for tensors [batch, length, heads, width]."),
        T("照印的写，频率对上的是“头”那一维：头数与长度不同就出错（NumPy 里是 {code[unequal]}，"
          "torch 里是 RuntimeError）；碰巧相同就按头的编号来转，与按头转的差 "
          "{code[by_head]:.1g<1e-12}，与按位置转的差 "
          "{code[by_place]:.2f}。",
          "As printed the frequencies meet the axis of heads: with unequal heads and length it "
          "dies ({code[unequal]} in NumPy, RuntimeError in torch); if they happen to be equal it "
          "turns by the number of the head: {code[by_head]:.1g<1e-12} from turning by head, "
          "{code[by_place]:.2f} from turning by place."),
        metric="code.by_place"),
    Erratum(
        "A-066", "measured",
        T("两种 RoPE 代码是同一个旋转，第二种只是更简洁。",
          "The two pieces of RoPE code are one rotation, the second merely shorter."),
        T("它们配对的方式不同：同一个 q 转出来最多差 {conventions[map][unmapped]:.2f}，分数最多差 "
          "{conventions[map][unmapped_scores]:.1f}。先按 P 重排，才一样。",
          "They pair differently: the same q comes out up to {conventions[map][unmapped]:.2f} "
          "apart, scores up to {conventions[map][unmapped_scores]:.1f}. Only reordered by P are "
          "they the same."),
        metric="conventions.map.unmapped", notes=0.0, within=0.01),
    Erratum(
        "B-030", "measured",
        T("RoPE 用旋转矩阵变换词向量。", "RoPE applies a rotation matrix to the word vectors."),
        T("它在每一层转 q 和 k。模型里词向量与表中的差是 {model[embedding]:g}，v 也没有转；"
          "同一份讲义"
          "后面的公式写的也是 q 和 k。",
          "It turns q and k in every layer. In the model the embeddings differ from the table by "
          "{model[embedding]:g}, and v is not turned; the formulas further on in the same notes "
          "have q and k too."),
        metric="model.embedding"),
    Erratum(
        "B-031", "measured",
        T("转了以后词向量还是那个词向量，只是角度变了。",
          "Once turned it is still the same word vector, at another angle only."),
        T("长度没变（{formula[kept][length]:.1g<1e-12}），两个一起转时夹角也没变；向量自己变了：转 "
          "{formula[kept][places]} 格后与原来的余弦是 {formula[kept][cosine]:.3f}。",
          "Its length is kept ({formula[kept][length]:.1g<1e-12}), and the angle between two "
          "that turn "
          "together; the vector itself changes: after {formula[kept][places]} places its cosine "
          "with what it was is {formula[kept][cosine]:.3f}."),
        metric="formula.kept.cosine", notes=1.0, within=0.01),
    Erratum(
        "B-076", "measured",
        T("转过之后的内积等于原来的内积乘以 cos((m-n)θ)。",
          "The product of the turned vectors is the old product times cos((m-n)θ)."),
        T("少了正弦项 (q1 k2 - q2 k1) sin((m-n)θ)。q = (1, 0)，k = (0, 1)，相距 {formula[apart]}、"
          "θ = {formula[theta]}：{formula[one][score]:.6f}，不是零。只有 q、k "
          "同方向时讲义的式子才对。",
          "The sine term (q1 k2 - q2 k1) sin((m-n)θ) is missing. For q = (1, 0), k = (0, 1), "
          "{formula[apart]} apart, θ = {formula[theta]}: {formula[one][score]:.6f}, not zero. The "
          "notes' form holds only where q and k are parallel."),
        metric="formula.one.score", notes=0.0, within=0.0001),
)

LONGER = (
    Erratum(
        "A-055", "measured",
        T("在 512 上训练，到 2048 性能就下降，外推失败。",
          "Trained at 512, performance falls at 2048: extrapolation fails."),
        T("要看位置怎么写。这里从 {trained_at} 到 {longest}，最后一段学习式 "
          "{places[learned][far]:.2f}、正弦 "
          "{places[sinusoidal][far]:.2f}、RoPE {places[rope][far]:.2f}。",
          "It depends on how positions are given. Here, from {trained_at} to {longest}, the last "
          "stretch has learned {places[learned][far]:.2f}, sinusoidal "
          "{places[sinusoidal][far]:.2f}, RoPE {places[rope][far]:.2f}."),
        metric="places.rope.far"),
    Erratum(
        "A-067", "measured",
        T("插值函数把位置乘以比例，再取整数。",
          "The interpolation function scales positions and then makes integers of them."),
        T("取整之后 {rounding[places]} 个位置只剩 {rounding[kept]} 个，两个词共用一格；"
          "留着小数就有 "
          "{rounding[fractions]} 个。文字比训练短时，它还会把位置拉长。",
          "As integers {rounding[places]} places become {rounding[kept]}, two words to each; "
          "left as fractions they stay {rounding[fractions]}. For texts shorter than trained it "
          "even stretches places."),
        metric="rounding.kept"),
    Erratum(
        "A-069", "measured",
        T("放大两倍、宽 128 时，NTK 的新底数约为 40000。",
          "For a factor of two and width 128 the NTK base is about 40000."),
        T("同一个公式算出来是 {ntk[new_base]:.0f}；约 40000 要放大近四倍。",
          "The same formula gives {ntk[new_base]:.0f}; about 40000 takes a factor of nearly "
          "four."),
        metric="ntk.new_base", notes=40000, within=500),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {
    "order": ORDER, "sinusoids": SINUSOIDS, "rope": ROPE, "longer": LONGER,
}
