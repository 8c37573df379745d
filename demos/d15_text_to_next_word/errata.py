"""Demo 15: what the lecture notes say, beside what its parts measure.

All rows are of the sheet on theory (002). `says` tells the notes' statement in our words,
`right` begins with the reading under which it is right, where there is one.
"""

from lecture.report import Erratum, T

TRANSLATOR = (
    Erratum(
        "B-016", "reading", where="002:122-127", verdict="imprecise",
        says=T("{text} 切成三个 token，编号从 {notes:g} 开始。",
               "{text} is cut into three tokens, whose ids begin with {notes:g}."),
        right=T("当作编出来的例子就没错，只是没说是编的。编号是某张词表里的行号，换一张词表就换一组"
                "数；随本项目的英译中词表里是 {ids}。",
                "Right as an invented example; it is not said to be one. An id is a row of one "
                "table, and another table gives other ids: in that of the translator shipped here "
                "they are {ids}."),
        notes=42.0),
    Erratum(
        "B-109", "reading", where="002:654", verdict="imprecise",
        says=T("同一句 {text} 的编号从 {notes:g} 开始。",
               "The ids of the same {text} begin with {notes:g}."),
        right=T("单看这一处没错；可是同一篇前面给了另一组（B-016），没说换了词表。同一张词表，一句"
                "话只有 {readings} 组编号：单独读、成批读都一样。",
                "Right by itself; but the sheet gave other ids earlier (B-016) and does not say "
                "that the table changed. One table has {readings} row of ids for a sentence, read "
                "alone or in a batch."),
        notes=1028.0),
)

ORDER = (
    Erratum(
        "B-110", "measured", where="002:657-659", verdict="imprecise",
        says=T("流程写成两步：自注意力（×N 层），然后 FFN（×N 层）。",
               "The flow has two steps: self-attention (×N layers), then FFN (×N layers)."),
        right=T("若意思是 N 层里每层都有这两样，就对；同一篇画的一层也是这样。照字面先做完所有"
                "注意力再做所有 FFN 就不同：训练好的模型 {questions} 题只对 {shown.grouped.left} "
                "题，最终隐状态差 {shown.grouped.gap:.0%}。",
                "Right if it means that each of N layers has both, as the sheet draws a layer. "
                "Taken literally, all attention and then all FFN, it is another network: the "
                "trained model gets {shown.grouped.left} of {questions} right, its final states "
                "{shown.grouped.gap:.0%} apart."),
        metric="shown.grouped.left"),
)

ERRATA = {"translator": TRANSLATOR, "order": ORDER}
